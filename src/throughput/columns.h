/* The sets of ports over which the throughput of an experiment is a maximum. Of all 2^P sets only
 * unions of port sets in use can attain it, and of those only connected unions: two disjoint sets
 * without a µop across are no denser together than the denser of them. Real mappings have some
 * dozens, with any number of ports. More sets than needed do no harm. This is the only place that
 * computes them; a search (throughput/tables.h) adds and removes some. */
#ifndef PORTOLAN_THROUGHPUT_COLUMNS_H
#define PORTOLAN_THROUGHPUT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/index.h"
#include "model/portset.h"

/* a table of one lane per column is padded to a multiple of this: floats of the widest vector */
#define COLUMNS_LANES 16
/* up to this number of ports there is a flag for every set, and sets can be removed */
#define COLUMNS_DIRECT_PORTS 16

struct columns {
    unsigned ports, count, members;
    unsigned room;         /* a multiple of COLUMNS_LANES */
    /* aligned to 64 bytes; set 0, the issue bound, comes first, and zeros fill the capacity */
    portset *sets;
    float *reciprocal;     /* 1 / |set|; 0 for set 0 */
    portset *member;       /* sets that were added, of whose unions the others are; as much room */
    bool *present;         /* per set; NULL past COLUMNS_DIRECT_PORTS, then there is */
    struct index index;
};

/* Only the issue bound at first. The caller calls columns_done. */
void columns_init(struct columns *c, unsigned ports);
void columns_done(struct columns *c);
/* Adds @set and its connected unions with all that were added before. False when that would make
 * more than @most columns; some are added then. */
bool columns_add(struct columns *c, portset set, unsigned most);
/* Back to how it was when it had @count columns and @members members. Up to
 * COLUMNS_DIRECT_PORTS. */
void columns_truncate(struct columns *c, unsigned count, unsigned members);
/* All sets of ports. Up to COLUMNS_DIRECT_PORTS. */
void columns_all(struct columns *c);
/* Writes the connected unions of the @n sets (none empty, repeats allowed), smaller ones first, to
 * @out. Returns how many, SIZE_MAX when they are more than @most. */
size_t columns_list(const portset *sets, size_t n, size_t most, portset *out);
/* @count rounded up to whole vectors. */
static inline size_t columns_lanes(unsigned count)
{
    return ((size_t)count + COLUMNS_LANES - 1) / COLUMNS_LANES * COLUMNS_LANES;
}

#endif
