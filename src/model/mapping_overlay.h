/* Overlays a mapping of some forms, such as an inferred one, on one of all forms. */
#ifndef PORTOLAN_MODEL_MAPPING_OVERLAY_H
#define PORTOLAN_MODEL_MAPPING_OVERLAY_H

#include "model/mapping.h"

struct overlay {
    struct mapping *mapping;   /* owned by the caller */
    size_t replaced, added;    /* overlaid forms that the base had, and lacked */
    /* overlaid ports that correspond to the base's; the others were added */
    unsigned matched;
};

/* Makes @base with the usages of @over. Ports of @over become those of @base with the most similar
 * load (model/mapping_diff.h); others are added as new1, new2, ... Keeps latencies that @over
 * lacks. False with err if no port corresponds, or there are too many; @out is empty then. */
bool overlay_make(const struct mapping *base, const struct mapping *over, struct overlay *out,
                  struct err *err);

#endif
