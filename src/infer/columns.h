/* The sets of ports over which the throughput of an experiment is a maximum. Of all 2^P sets only unions of port sets that occur can
 * attain it, and of those only unions that hang together: the mass in two disjoint sets without a µop across is no denser than in the
 * denser of them. Real mappings have some dozens, whatever the number of ports. More sets than needed do no harm. */
#ifndef PORTOLAN_INFER_COLUMNS_H
#define PORTOLAN_INFER_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "infer/problem.h"

struct columns {
    unsigned ports, count, members;
    unsigned room;         /* a multiple of PROBLEM_LANES */
    int32_t *sets;         /* aligned to 64 bytes; set 0, the issue bound, comes first, and zeros follow up to the room */
    float *reciprocal;     /* 1 / |set|; 0 for set 0 */
    uint16_t *member;      /* sets that were added, of whose unions the others are; as much room */
    bool *present;         /* per set */
};

/* Only the issue bound at first. The caller calls columns_done. */
void columns_init(struct columns *c, unsigned ports);
void columns_done(struct columns *c);
/* Adds @set and its connected unions with all that were added before. False when that would make more than @most columns; some are added
 * then. */
bool columns_add(struct columns *c, unsigned set, unsigned most);
/* Back to how it was when it had @count columns and @members members. */
void columns_truncate(struct columns *c, unsigned count, unsigned members);
/* All sets of ports. */
void columns_all(struct columns *c);
/* @count rounded up to whole vectors. */
static inline size_t columns_lanes(unsigned count)
{
    return ((size_t)count + PROBLEM_LANES - 1) / PROBLEM_LANES * PROBLEM_LANES;
}

#endif
