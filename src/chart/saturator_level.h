/* Level of a saturator for a placed form: a multiple of the smallest count at which the saturator
 * is the limit. */
#ifndef PORTOLAN_CHART_SATURATOR_LEVEL_H
#define PORTOLAN_CHART_SATURATOR_LEVEL_H

#include "chart/saturate.h"

struct saturator_level {
    size_t saturator;
    uint32_t count;
};

/* Returns the number of levels: first all saturators at the smallest count, then all at twice that
 * count. */
size_t saturator_levels(const struct saturators *s);
/* Returns level @number for a form that takes @alone cycles in isolation. */
struct saturator_level saturator_level_at(const struct saturators *s, size_t number, double alone);
/* Returns whether @form with @vectors may run with @level: the level lacks the form, vector
 * encodings are not mixed, and the experiment is short enough. @form_of: form of each entry of the
 * mapping. */
bool saturator_level_fits(const struct saturators *s, const uint32_t *form_of,
                          struct saturator_level level, uint32_t form, enum vectors vectors);

#endif
