/* Port sets over which the throughput of an experiment is a maximum. Of all 2^P sets only unions of
 * used port sets can attain it, and only connected ones: two disjoint sets without a common µop are
 * no denser together than the denser one. Real mappings have some dozens, with any number of ports;
 * additional sets are harmless. Searches (throughput/tables.h) add and remove some. */
#ifndef PORTOLAN_THROUGHPUT_COLUMNS_H
#define PORTOLAN_THROUGHPUT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/index.h"
#include "model/portset.h"

/* tables with one lane per column are padded to a multiple: floats of the widest vector */
#define COLUMNS_LANES 16
/* up to this number of ports each set has a flag, and sets can be removed */
#define COLUMNS_DIRECT_PORTS 16

struct columns {
    unsigned ports, count, members;
    unsigned room;         /* a multiple of COLUMNS_LANES */
    /* aligned to 64 bytes; set 0, the issue bound, is first; zeros fill the capacity */
    portset *sets;
    float *reciprocal;     /* 1 / |set|; 0 for set 0 */
    portset *member;       /* sets that were added, whose unions are the columns; same capacity */
    bool *present;         /* flag per set; NULL above COLUMNS_DIRECT_PORTS, with an index
                            * instead */
    struct index index;
};

/* Initialises with the issue bound only. The caller calls columns_done. */
void columns_init(struct columns *c, unsigned ports);
void columns_done(struct columns *c);
/* Adds @set and its connected unions with previous sets. False when there would be more than @most
 * columns; some are added then. */
bool columns_add(struct columns *c, portset set, unsigned most);
/* Restores the state of @count columns and @members members. Up to COLUMNS_DIRECT_PORTS. */
void columns_truncate(struct columns *c, unsigned count, unsigned members);
/* Adds all sets of ports. Up to COLUMNS_DIRECT_PORTS. */
void columns_all(struct columns *c);
/* Writes the connected unions of the @n sets (not empty, may repeat) to @out, smaller ones first.
 * Returns their number, SIZE_MAX if above @most. */
size_t columns_list(const portset *sets, size_t n, size_t most, portset *out);
/* Rounds @count up to whole vectors. */
static inline size_t columns_lanes(unsigned count)
{
    return ((size_t)count + COLUMNS_LANES - 1) / COLUMNS_LANES * COLUMNS_LANES;
}

#endif
