/* Experiment: a multiset of instruction forms, written 2*ADD (R64, R64) + IMUL (R64, R64). */
#ifndef PORTOLAN_MODEL_EXPERIMENT_H
#define PORTOLAN_MODEL_EXPERIMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* Limits when parsing: */
#define EXPERIMENT_COUNT_MAX 10000u     /* of one form: times USAGE_COUNT_MAX below 2^32 */
#define EXPERIMENT_FORMS_MAX 10000u     /* distinct forms */

struct experiment_term {
    char *form;
    uint32_t count;   /* never 0 */
};

struct experiment {
    struct experiment_term *terms;   /* order of first mention; each form once */
    unsigned count;
};

void experiment_done(struct experiment *e);
/* Merges equal forms; the sum saturates at 2^32 - 1. */
void experiment_add(struct experiment *e, const char *form, uint32_t count);
bool experiment_equal(const struct experiment *a, const struct experiment *b); /* as multisets */
/* Replaces @out by a text that is equal for equal multisets. */
void experiment_print_key(const struct experiment *e, struct str *out);
/* forms with multiplicity */
uint64_t experiment_size(const struct experiment *e);
/* one term of it: 2*ADD (R64, R64) */
void experiment_term_print(const char *form, uint32_t count, struct str *out);
void experiment_print(const struct experiment *e, struct str *out);
/* Parses an experiment; '+' splits terms only outside parentheses and brackets, and a form cannot
 * begin with a count. Counts go up to EXPERIMENT_COUNT_MAX, distinct forms to EXPERIMENT_FORMS_MAX.
 * err->column set on failure and @out stays empty. */
bool experiment_parse(const char *text, struct experiment *out, struct err *err);

/* A term with a form index, of a mapping or of a table of experiments. */
struct flat_term { uint32_t form, count; };

#endif
