/* Kind of work of a machine's ports, inferred from the forms that use them, and names of unnamed
 * ports. The first call for a machine examines all its forms, and stores the result with the
 * mapping. Any thread, while no thread changes the machine. */
#ifndef PORTOLAN_ANALYSIS_PORT_NAMES_H
#define PORTOLAN_ANALYSIS_PORT_NAMES_H

#include "model/machine.h"

/* Sets out[i] to the kind of work of port set sets[i], as in struct port_group. */
void port_purposes(const struct machine *m, const portset *sets, unsigned count, const char **out);
/* Fills @out with the displayed names of the ports of @m. A charted machine's ports are named by
 * kind and number: ALU0, FP1, LD0, ST0, AG0 (addresses), BR0. Blocking pipes and ports that execute
 * several kinds keep the letters from charting. Other machines keep their names. */
void ports_shown(const struct machine *m, struct ports *out);
/* Parses a usage with displayed port names or with the machine's names (usage_parse). Returns
 * false with err, which lists the displayed names. */
bool ports_shown_parse(const struct machine *m, const char *text, struct usage *out,
                       struct err *err);

#endif
