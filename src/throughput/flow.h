/* The port model as a flow problem: masses of µops flow to ports of equal capacity. Exact for any
 * size. Used if enumeration would be too large, and for the tight sets of the balanced schedule. */
#ifndef PORTOLAN_THROUGHPUT_FLOW_H
#define PORTOLAN_THROUGHPUT_FLOW_H

#include <stdint.h>

#include "model/portset.h"

/* A port set and the number of its µops. Arrays of these are the input of the throughput
 * engine. */
struct mass {
    portset ports;    /* port set, not empty */
    uint32_t count;   /* number of µops, at least 1 */
};

#define FLOW_SETS PORTSETS_MAX  /* maximum number of distinct port sets */

struct flow {
    unsigned sets, ports;
    portset set[FLOW_SETS];          /* port sets, distinct and not empty */
    uint64_t mass[FLOW_SETS];
    /* Result of flow_solve. The bound is @numerator / @denominator. @amount is the optimal
     * assignment in units of 1 / @denominator. */
    uint64_t numerator, denominator;
    uint64_t amount[FLOW_SETS][PORTS_MAX];
};

/* Computes the maximum over Q of mass within Q / |Q| by Newton steps on the violated set
 * (Dinkelbach 1967). Each step is one maximum flow. The sum of masses must be below 2^40. Does not
 * allocate. */
void flow_solve(struct flow *f);
/* Returns the largest set of ports that attains the bound; 0 if there are no masses. Call it after
 * flow_solve. */
portset flow_tight_maximal(const struct flow *f);
/* Returns a smallest set of ports that attains the bound; if there are several, the one with the
 * lowest port. Call it after flow_solve. */
portset flow_tight_minimal(const struct flow *f);

#endif
