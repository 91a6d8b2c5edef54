/* Groups of ports with equal load in a loop, and the operations that each group executes. Pure. Any
 * thread. */
#ifndef PORTOLAN_ANALYSIS_PORT_GROUPS_H
#define PORTOLAN_ANALYSIS_PORT_GROUPS_H

#include "analysis/analysis.h"

#define PORT_LOAD_LEAST 0.005   /* cycles per iteration below which a port is idle */

struct port_group {
    portset ports;
    /* Kind of the forms that characterise these ports, such as "ALU", "FP add" or "load". Empty if
     * the kinds are mixed or no kind has enough forms. Static. */
    const char *purpose;
};

struct port_groups {
    unsigned count;
    struct port_group items[PORTS_MAX];   /* groups, sorted by their first port */
    /* ports with less than PORT_LOAD_LEAST, which belong to no group */
    portset idle;
};

/* Groups the busy ports of @a's machine. Every instruction loads all ports of a group equally. Each
 * blocking pipe and each port of @apart is its own group. Purposes follow from all forms of the
 * machine (analysis/port_names.h). */
void port_groups_of(const struct analysis *a, portset apart, struct port_groups *out);
/* Returns the sum of @cycles, the load of each port, over @ports. */
double port_group_sum(const double *cycles, portset ports);
/* Appends the short name of @set: "12345", "ALU0-3", "FP0,2", "M0-1 S0-3". */
void port_group_name(portset set, const struct ports *ports, struct str *out);
/* Appends a usage with short names: "1*p0156+1*AGU0-2". Appends nothing if the usage is empty. */
void port_groups_usage(const struct usage *usage, const struct ports *ports, struct str *out);
/* Returns whether the instruction has no port usage. Its form is unknown, or the instruction takes
 * a slot but no port, like a fused compare and branch on a charted CPU. */
bool analysis_unplaced(const struct analysis *a, size_t row);

#endif
