/* Level of a saturator with a placed form: the count at which it decides, or a multiple of that. */
#ifndef PORTOLAN_CHART_SATURATOR_LEVEL_H
#define PORTOLAN_CHART_SATURATOR_LEVEL_H

#include "chart/saturate.h"

struct saturator_level {
    size_t saturator;
    uint32_t count;
};

/* How many levels there are: all saturators once, then all twice, and so on. */
size_t saturator_levels(const struct saturators *s);
/* Level @number of a form that takes @alone cycles alone. */
struct saturator_level saturator_level_at(const struct saturators *s, size_t number, double alone);
/* Whether @form with @vectors may run with @level: it is none of the saturator's own, encodings of
 * vectors do not mix, and the experiment is short enough. @form_of: per entry of the mapping. */
bool saturator_level_fits(const struct saturators *s, const uint32_t *form_of,
                          struct saturator_level level, uint32_t form, enum vectors vectors);

#endif
