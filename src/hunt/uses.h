/* Forms by their frequency in programs. The frequency determines the order of measuring and the
 * weights of forms in random blocks. Any thread. */
#ifndef PORTOLAN_HUNT_USES_H
#define PORTOLAN_HUNT_USES_H

#include "hunt/blocks.h"

struct form_uses {
    char *form;
    double uses;
};
/* Loads data/frequency/<isa>.csv, most frequent form first. Returns NULL with err. The caller calls
 * form_uses_free. Sets *@count to the number of forms. */
struct form_uses *form_uses_load(enum isa isa, size_t *count, struct err *err);
/* Loads like form_uses_load, but only the first @most forms that @forms has and that this CPU can
 * measure. If @simulated is true, includes forms that only other CPUs can measure. Returns NULL
 * with err on failure, or if there are no such forms. The caller calls form_uses_free. Sets *@count
 * like form_uses_load. */
struct form_uses *form_uses_measurable(const struct forms *forms, bool simulated, size_t most,
                                       size_t *count, struct err *err);
void form_uses_free(struct form_uses *list, size_t count);

/* Forms for random blocks; vec_done frees the list */
struct block_forms {
    struct block_form *items;
    size_t count, capacity;
};
/* Appends the most frequent forms for which @accepts returns true to @out, until @out has
 * @most. Returns false with err if there is no frequency list. */
bool block_forms_choose(const struct forms *forms, size_t most,
                        bool (*accepts)(const void *state, const struct form_row *row),
                        const void *state, struct block_forms *out, struct err *err);

#endif
