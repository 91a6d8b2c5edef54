/* Overlays a mapping of some forms on one of all: inferred usages of a few forms, with the tables'
 * other forms. */
#ifndef PORTOLAN_MODEL_MAPPING_OVERLAY_H
#define PORTOLAN_MODEL_MAPPING_OVERLAY_H

#include "model/mapping.h"

struct overlay {
    struct mapping *mapping;   /* the caller's */
    size_t replaced, added;    /* forms that the base had, and had not */
    /* overlaid ports that are the base's; the others were added to these */
    unsigned matched;
};

/* All of @base with the usages of @over. The ports of @over become those of @base that both load
 * most alike (model/mapping_diff.h); ports without a counterpart are added as new1, new2, ...
 * Latencies that @over lacks stay. False with err if no port has a counterpart, or there are too
 * many ports; @out is empty then. */
bool overlay_make(const struct mapping *base, const struct mapping *over, struct overlay *out,
                  struct err *err);

#endif
