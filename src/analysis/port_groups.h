/* Groups of ports that carry the same load in a loop, and the work that each group is for. Pure;
 * any thread. */
#ifndef PORTOLAN_ANALYSIS_PORT_GROUPS_H
#define PORTOLAN_ANALYSIS_PORT_GROUPS_H

#include "analysis/analysis.h"

#define PORT_LOAD_LEAST 0.005   /* cycles per iteration: a port with less is idle */

struct port_group {
    portset ports;
    /* "ALU", "FP add", "load", constant: every form that uses only this group is of that kind; "":
     * they differ, or there is none */
    const char *purpose;
};

struct port_groups {
    unsigned count;
    struct port_group items[PORTS_MAX];   /* in the order of their first port */
    portset idle;                         /* ports without load, in no group */
};

/* Fills @out with the busy ports of @a's machine. Two ports are in one group when each instruction
 * loads both alike. Blocking pipes and the ports in @apart stand alone. The purposes come from all
 * forms of the machine: one pass over its mapping. */
void port_groups_of(const struct analysis *a, portset apart, struct port_groups *out);
/* Returns the sum over @ports of @cycles, the load per port. */
double port_group_sum(const double *cycles, portset ports);
/* Appends the names of @set in short: "12345", "ALU0-3", "FP0,2", "M0-1 S0-3". */
void port_group_name(portset set, const struct ports *ports, struct str *out);
/* Appends a usage with its sets in short: "1*p0156+1*AGU0-2"; nothing for an empty one. */
void port_groups_usage(const struct usage *usage, const struct ports *ports, struct str *out);
/* Whether the tables cannot place the instruction: its form is unknown, or it takes a slot and no
 * table has its ports (a fused compare and branch of a charted CPU). */
bool analysis_unplaced(const struct analysis *a, size_t row);

#endif
