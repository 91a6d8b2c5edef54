/* The mapping of a chart at one time, for display. Immutable: any thread with a reference may read
 * it. */
#ifndef PORTOLAN_CHART_STAGE_MAPPING_H
#define PORTOLAN_CHART_STAGE_MAPPING_H

#include <stddef.h>
#include <stdint.h>

#include "model/experiments.h"
#include "model/mapping.h"

struct stage_mapping {
    uint64_t serial;             /* number that no other one has */
    struct mapping *mapping;
    double *alone, *predicted;   /* cycles per form alone, by index of the mapping; NaN: unknown */
    portset *changes;            /* per form: ports whose use differs from the mapping before */
    size_t changed;              /* number of these ports of all forms */
    _Atomic unsigned holders;    /* number of references besides the maker's */
};

/* Copies @m, and the cycles of its forms alone from @t. @before: the mapping that it replaces;
 * NULL: none. Each holder frees it. Any thread. */
struct stage_mapping *stage_mapping_new(const struct mapping *m, const struct experiments *t,
                                        const struct stage_mapping *before);
struct stage_mapping *stage_mapping_hold(struct stage_mapping *s);
/* Releases a reference (NULL is fine). The last release frees. */
void stage_mapping_free(struct stage_mapping *s);

#endif
