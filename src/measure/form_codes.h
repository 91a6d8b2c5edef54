/* Encodings of forms by name, determined once and then shared. */
#ifndef PORTOLAN_MEASURE_FORM_CODES_H
#define PORTOLAN_MEASURE_FORM_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/forms.h"
#include "model/experiment.h"
#include "toolchain/assemble.h"

#define FORM_CODES_MAX 64   /* most different forms in one experiment */
#define FORM_CODES_SUM 20   /* size of an experiment's sum in bytes, including its NUL */

struct form_codes;
/* Creates an empty table. Borrows @forms. */
struct form_codes *form_codes_new(const struct forms *forms);
void form_codes_free(struct form_codes *f);
/* Encodes the forms that the @n experiments at @e are the first to use. Stores a reason for each
 * form that cannot be encoded. One thread, without concurrent readers. */
void form_codes_learn(struct form_codes *f, const struct experiment *e, size_t n);
/* Returns code and counts of the terms of @e, at most FORM_CODES_MAX. Requires form_codes_learn.
 * False with the reason in @why. */
bool form_codes_of(const struct form_codes *f, const struct experiment *e, struct form_code **codes,
                   uint32_t *counts, char *why, size_t room);
/* Identifies the code of each of the @n experiments by 16 digits: a sum over the instructions of
 * its forms, their registers, memory and set-up. Requires form_codes_learn. The sum starts with 'u'
 * if it includes a user's form, and then equals no other. "" if a form has no code on any
 * processor. Equal on every CPU and in every process. One thread, without concurrent readers. */
void form_codes_sums(struct form_codes *f, const struct experiment *e, size_t n,
                     char (*out)[FORM_CODES_SUM]);

#endif
