/* Level of a saturator next to a placed form: a multiple of the least count at which the saturator
 * limits. */
#ifndef PORTOLAN_CHART_SATURATOR_LEVEL_H
#define PORTOLAN_CHART_SATURATOR_LEVEL_H

#include "chart/saturate.h"

struct saturator_level {
    size_t saturator;
    uint32_t count;
};

/* Number of levels: all saturators at the least count, then all at twice that, and so on. */
size_t saturator_levels(const struct saturators *s);
/* Level @number for a form that takes @alone cycles alone. */
struct saturator_level saturator_level_at(const struct saturators *s, size_t number, double alone);
/* Returns whether @form with @vectors may run with @level: not one of its forms, no mixed vector
 * encodings, short enough. @form_of: per entry of the mapping. */
bool saturator_level_fits(const struct saturators *s, const uint32_t *form_of,
                          struct saturator_level level, uint32_t form, enum vectors vectors);

#endif
