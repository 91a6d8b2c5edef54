/* The mapping of a chart at one time, for display. It does not change, so any thread with a
 * reference may read it. */
#ifndef PORTOLAN_CHART_STAGE_MAPPING_H
#define PORTOLAN_CHART_STAGE_MAPPING_H

#include <stddef.h>
#include <stdint.h>

#include "model/experiments.h"
#include "model/mapping.h"

struct stage_mapping {
    uint64_t serial;             /* unique number of this mapping */
    struct mapping *mapping;
    double *alone, *predicted;   /* @alone: measured cycles of each form in isolation, by index in
                                  * @mapping. @predicted: predicted cycles. NaN: unknown. */
    /* per form, the ports that only one of this mapping and the previous one uses */
    portset *changes;
    size_t changed;              /* total number of ports in @changes */
    _Atomic unsigned holders;    /* number of references in addition to the creator's */
};

/* Creates a copy of @m with the cycles of its forms in isolation from @t. @before: the previous
 * mapping, with which @m is compared; NULL: none. The caller frees the reference. Any thread. */
struct stage_mapping *stage_mapping_new(const struct mapping *m, const struct experiments *t,
                                        const struct stage_mapping *before);
struct stage_mapping *stage_mapping_hold(struct stage_mapping *s);
/* Releases a reference (may be NULL). The last release frees the mapping. */
void stage_mapping_free(struct stage_mapping *s);

#endif
