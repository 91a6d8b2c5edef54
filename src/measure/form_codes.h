/* Encodings of forms by name, determined once per process. */
#ifndef PORTOLAN_MEASURE_FORM_CODES_H
#define PORTOLAN_MEASURE_FORM_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/forms.h"
#include "model/experiment.h"
#include "toolchain/assemble.h"

#define FORM_CODES_MAX 64   /* maximum number of different forms in one experiment */
#define FORM_CODES_SUM 20   /* number of bytes of an experiment's sum, including the NUL */

struct form_codes;
/* Creates an empty table. Borrows @forms. */
struct form_codes *form_codes_new(const struct forms *forms);
void form_codes_free(struct form_codes *f);
/* Encodes the forms of the @n experiments @e, except those already in the table. If a form cannot
 * be encoded, stores the reason. One thread, without concurrent readers. */
void form_codes_learn(struct form_codes *f, const struct experiment *e, size_t n);
/* Stores code and count of each term of @e, at most FORM_CODES_MAX. Call form_codes_learn first.
 * Returns false with the reason in @why. @codes and @counts have an entry per term. The codes are
 * borrowed. */
bool form_codes_of(const struct form_codes *f, const struct experiment *e, struct form_code **codes,
                   uint32_t *counts, char *why, size_t room);
/* Computes a sum of 16 digits for each of the @n experiments. The sum identifies the instructions
 * of the forms, their registers, memory and set-up. It is equal on every CPU and in every process.
 * It begins with 'u' only if a form is the user's. It is empty if a form has no code on any
 * processor. Call form_codes_learn first. One thread, without concurrent readers. */
void form_codes_sums(struct form_codes *f, const struct experiment *e, size_t n,
                     char (*out)[FORM_CODES_SUM]);

#endif
