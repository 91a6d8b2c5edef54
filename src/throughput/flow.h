/* The port model as a flow problem: µop masses on one side, ports with a common capacity on the
 * other. Exact for any size; serves where enumeration would be too large, and gives the tight sets
 * that the balanced schedule is built from. */
#ifndef PORTOLAN_THROUGHPUT_FLOW_H
#define PORTOLAN_THROUGHPUT_FLOW_H

#include <stdint.h>

#include "model/portset.h"

/* A flat multiset of µops: input of the throughput engine. */
struct mass {
    portset ports;    /* never empty */
    uint32_t count;   /* never 0 */
};

#define FLOW_SETS PORTSETS_MAX  /* distinct port sets at most */

struct flow {
    unsigned sets, ports;
    portset set[FLOW_SETS];          /* distinct, never empty */
    uint64_t mass[FLOW_SETS];
    /* Result of flow_solve: the bound is numerator / denominator, and an optimal assignment in
     * units of 1 / denominator. */
    uint64_t numerator, denominator;
    uint64_t amount[FLOW_SETS][PORTS_MAX];
};

/* Finds max over Q of mass within Q / |Q| by Newton steps on the violated set (Dinkelbach 1967),
 * each one maximum flow. Masses must sum to less than 2^40. No allocation. */
void flow_solve(struct flow *f);
/* Largest set of ports that attains the bound; 0 when there are no masses. After flow_solve. */
portset flow_tight_maximal(const struct flow *f);
/* A smallest set of ports that attains the bound: of those the one with the lowest port. After
 * flow_solve. */
portset flow_tight_minimal(const struct flow *f);

#endif
