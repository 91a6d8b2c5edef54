/* Roles of a machine's ports, by the forms that use them, and names for ports that have none. Pure;
 * any thread. */
#ifndef PORTOLAN_ANALYSIS_PORT_NAMES_H
#define PORTOLAN_ANALYSIS_PORT_NAMES_H

#include "model/machine.h"

/* Sets out[i] to the work that set @sets[i], of @count, is for, as struct port_group has it. One
 * pass over all forms of @m. */
void port_purposes(const struct machine *m, const portset *sets, unsigned count, const char **out);
/* Fills @out with the ports of @m under the names that people are shown. Ports of a charted machine
 * have the letters that they were found by; those of one kind of work are called by it and counted:
 * ALU0, FP1, LD0, ST0, AG0 (addresses), BR0. All others keep their names. Pure; any thread. */
void ports_shown(const struct machine *m, struct ports *out);

#endif
