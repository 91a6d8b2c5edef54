/* Kinds of operations on a machine's ports, derived from the forms that use them, and names for
 * unnamed ports. Pure; any thread. */
#ifndef PORTOLAN_ANALYSIS_PORT_NAMES_H
#define PORTOLAN_ANALYSIS_PORT_NAMES_H

#include "model/machine.h"

/* Sets out[i] to the kind of operations of port set @sets[i], as in struct port_group. Takes one
 * pass over all forms of @m. */
void port_purposes(const struct machine *m, const portset *sets, unsigned count, const char **out);
/* Fills @out with the displayed names of the ports of @m. A charted machine's ports are named by
 * kind and number: ALU0, FP1, LD0, ST0, AG0 (addresses), BR0. Ports with mixed operations keep the
 * letters of the chart. Other machines keep their names. Pure; any thread. */
void ports_shown(const struct machine *m, struct ports *out);
/* Parses a usage with displayed port names or the machine's own (usage_parse). Returns false with
 * err, which contains the displayed names. */
bool ports_shown_parse(const struct machine *m, const char *text, struct usage *out,
                       struct err *err);

#endif
