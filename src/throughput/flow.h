/* The port model as a flow problem: µop masses flow to ports of equal capacity. Exact for any size;
 * used where enumeration would be too large, and for the tight sets of the balanced schedule. */
#ifndef PORTOLAN_THROUGHPUT_FLOW_H
#define PORTOLAN_THROUGHPUT_FLOW_H

#include <stdint.h>

#include "model/portset.h"

/* A flat multiset of µops, the input of the throughput engine. */
struct mass {
    portset ports;    /* not empty */
    uint32_t count;   /* not 0 */
};

#define FLOW_SETS PORTSETS_MAX  /* most distinct port sets */

struct flow {
    unsigned sets, ports;
    portset set[FLOW_SETS];          /* distinct, not empty */
    uint64_t mass[FLOW_SETS];
    /* Result of flow_solve: the bound is numerator / denominator; the optimal assignment is in
     * units of 1 / denominator. */
    uint64_t numerator, denominator;
    uint64_t amount[FLOW_SETS][PORTS_MAX];
};

/* Finds max over Q of mass within Q / |Q| by Newton steps on the violated set (Dinkelbach 1967),
 * each one maximum flow. The sum of masses must be below 2^40. No allocation. */
void flow_solve(struct flow *f);
/* Largest set of ports that attains the bound; 0 without masses. After flow_solve. */
portset flow_tight_maximal(const struct flow *f);
/* A smallest set of ports that attains the bound; of several the one with the lowest port. After
 * flow_solve. */
portset flow_tight_minimal(const struct flow *f);

#endif
