/* An experiment is a multiset of instruction forms, written 2*ADD (R64, R64) + IMUL (R64, R64). */
#ifndef PORTOLAN_MODEL_EXPERIMENT_H
#define PORTOLAN_MODEL_EXPERIMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* maximum count of one form in parsed text; its product with USAGE_COUNT_MAX is below 2^32 */
#define EXPERIMENT_COUNT_MAX 10000u
#define EXPERIMENT_FORMS_MAX 10000u     /* maximum number of distinct forms */

struct experiment_term {
    char *form;
    uint32_t count;
};

struct experiment {
    struct experiment_term *terms;   /* terms in order of first mention, one per form */
    unsigned count;
};

void experiment_done(struct experiment *e);
/* Adds @count of @form. Each form has one term, whose count saturates at 2^32 - 1. */
void experiment_add(struct experiment *e, const char *form, uint32_t count);
/* Returns whether the multisets are equal. */
bool experiment_equal(const struct experiment *a, const struct experiment *b);
/* Sets @out to the text of @e with sorted terms. Equal multisets have equal text. */
void experiment_print_key(const struct experiment *e, struct str *out);
/* Returns the number of instructions: the sum of the counts. */
uint64_t experiment_size(const struct experiment *e);
/* Appends one term, such as 2*ADD (R64, R64). */
void experiment_term_print(const char *form, uint32_t count, struct str *out);
void experiment_print(const struct experiment *e, struct str *out);
/* Parses an experiment. '+' separates terms only outside of parentheses and brackets. A form must
 * not begin with a count. A count is at most EXPERIMENT_COUNT_MAX, the number of distinct forms at
 * most EXPERIMENT_FORMS_MAX. On failure, err->column is set and @out is empty. */
bool experiment_parse(const char *text, struct experiment *out, struct err *err);

/* A term with a form index, in a mapping or a table of experiments. */
struct flat_term { uint32_t form, count; };

#endif
