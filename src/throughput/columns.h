/* Port sets over which the throughput of an experiment is a maximum. Of all 2^P sets, only
 * connected unions of used port sets can attain it. The union of two disjoint sets has at most the
 * larger mass per port of the two. Mappings of CPUs have some dozens of connected unions, with any
 * number of ports. Additional sets do not change the maximum. Searches (throughput/tables.h) add
 * and remove sets. */
#ifndef PORTOLAN_THROUGHPUT_COLUMNS_H
#define PORTOLAN_THROUGHPUT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/index.h"
#include "model/portset.h"

/* Tables with one lane per column have a multiple of this size, the number of floats in the widest
 * vector. */
#define COLUMNS_LANES 16
/* Attribute of a function that takes much of the computing time. The compiler also makes versions
 * of it for wider vectors, and the loader selects one. */
#ifdef __x86_64__
#define FOR_WIDE_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_WIDE_VECTORS
#endif
/* maximum number of ports with which each set has a flag, and columns can be removed */
#define COLUMNS_DIRECT_PORTS 16

struct columns {
    unsigned ports, count, members;
    unsigned room;         /* capacity, a multiple of COLUMNS_LANES */
    /* port sets, aligned to 64 bytes; set 0, the issue bound, is first; unused entries are 0 */
    portset *sets;
    float *reciprocal;     /* 1 / |set|; 0 for set 0 */
    /* sets added by columns_add, whose unions are the columns; same capacity */
    portset *member;
    /* per set: whether it is a column; NULL for more than COLUMNS_DIRECT_PORTS ports, for which
     * @index is used */
    bool *present;
    struct index index;
};

/* Initialises @c with the issue bound as its only column. columns_done frees it. */
void columns_init(struct columns *c, unsigned ports);
void columns_done(struct columns *c);
/* Adds @set and its connected unions with the existing sets. Returns false if there would be more
 * than @most columns; some columns may then have been added. */
bool columns_add(struct columns *c, portset set, unsigned most);
/* Removes the columns after @count and the members after @members. Requires at most
 * COLUMNS_DIRECT_PORTS ports. */
void columns_truncate(struct columns *c, unsigned count, unsigned members);
/* Adds all port sets. Requires at most COLUMNS_DIRECT_PORTS ports. */
void columns_all(struct columns *c);
/* Writes the connected unions of the @n sets, which are not empty and may repeat, to @out, smaller
 * unions first. Returns the number of unions, or SIZE_MAX if the number exceeds @most. */
size_t columns_list(const portset *sets, size_t n, size_t most, portset *out);
/* Rounds @count up to whole vectors. */
static inline size_t columns_lanes(unsigned count)
{
    return ((size_t)count + COLUMNS_LANES - 1) / COLUMNS_LANES * COLUMNS_LANES;
}

#endif
