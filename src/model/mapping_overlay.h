/* Overlays a mapping of some forms, such as an inferred mapping, on a mapping of all forms. */
#ifndef PORTOLAN_MODEL_MAPPING_OVERLAY_H
#define PORTOLAN_MODEL_MAPPING_OVERLAY_H

#include "model/mapping.h"

struct overlay {
    struct mapping *mapping;   /* mapping, owned by the caller */
    /* @replaced: number of overlaid forms that the base has. @added: number of those that the base
     * lacks. */
    size_t replaced, added;
    /* number of overlaid ports that correspond to ports of the base; all other overlaid ports with
     * µops were added */
    unsigned matched;
};

/* Makes a copy of @base with the usages of @over. A port of @over becomes the port of @base with
 * the most similar load (model/mapping_diff.h), or a new port new1, new2, ... If @over lacks a
 * latency, the latency of @base is used. Returns false with err and no mapping in @out if no port
 * corresponds, or there are too many ports. */
bool overlay_make(const struct mapping *base, const struct mapping *over, struct overlay *out,
                  struct err *err);

#endif
