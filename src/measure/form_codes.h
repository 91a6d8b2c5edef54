/* Encoded forms by name, as experiments name them: found out once, then there for all who
 * measure. */
#ifndef PORTOLAN_MEASURE_FORM_CODES_H
#define PORTOLAN_MEASURE_FORM_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/forms.h"
#include "model/experiment.h"
#include "toolchain/assemble.h"

#define FORM_CODES_MAX 64   /* different forms in one experiment */
#define FORM_CODES_SUM 20   /* bytes of an experiment's sum with its end */

struct form_codes;
/* @forms: borrowed. */
struct form_codes *form_codes_new(const struct forms *forms);
void form_codes_free(struct form_codes *f);
/* Finds out those that the @n experiments at @e name first. What fails here fails for each form,
 * with its reason. One thread, while nobody reads. */
void form_codes_learn(struct form_codes *f, const struct experiment *e, size_t n);
/* Code and counts of the terms of @e, which were learnt; at most FORM_CODES_MAX. False with the
 * reason in @why. Any thread. */
bool form_codes_of(const struct form_codes *f, const struct experiment *e, struct form_code **codes,
                   uint32_t *counts, char *why, size_t room);
/* Identifies the code of each of the @n experiments, learnt as above: a sum over the instructions
 * of its forms, their registers and memory, and their set-up, as 16 digits. It begins with 'u' if a
 * form of the user's is among them, so that no other matches it. "" if a form has no code on any
 * processor. The same on every CPU and in every process. One thread, while nobody reads. */
void form_codes_sums(struct form_codes *f, const struct experiment *e, size_t n,
                     char (*out)[FORM_CODES_SUM]);

#endif
