/* Forms by frequency in programs: order of measuring and hunting, and weights of random blocks. Any
 * thread. */
#ifndef PORTOLAN_HUNT_USES_H
#define PORTOLAN_HUNT_USES_H

#include "hunt/blocks.h"

struct form_uses {
    char *form;
    double uses;
};
/* data/frequency/<isa>.csv in its order, most frequent first; NULL with err. The caller frees by
 * form_uses_free. */
struct form_uses *form_uses_load(enum isa isa, size_t *count, struct err *err);
/* Of those the first @most that @forms has and that can be measured here, or with @simulated on
 * some CPU; NULL with err, also when there is none. Freed alike. */
struct form_uses *form_uses_measurable(const struct forms *forms, bool simulated, size_t most,
                                       size_t *count, struct err *err);
void form_uses_free(struct form_uses *list, size_t count);

/* Forms for random blocks; vec_done frees. */
struct block_forms {
    struct block_form *items;
    size_t count, capacity;
};
/* Appends to @out the first @most of those that programs use and @wanted lets in. False with err
 * without a list of uses. */
bool block_forms_choose(const struct forms *forms, size_t most,
                        bool (*wanted)(const void *state, const struct form_row *row),
                        const void *state, struct block_forms *out, struct err *err);

#endif
