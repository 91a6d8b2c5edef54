/* Exports a machine as an OSACA machine file (YAML). */
#ifndef PORTOLAN_IO_EXPORT_OSACA_H
#define PORTOLAN_IO_EXPORT_OSACA_H

#include "model/machine.h"

/* Writes the whole file. Forms with the same AT&T spelling and cost share an entry; if costs
 * differ, the general one comes first and the others follow with a size suffix. Each entry lists
 * its forms in portolan_forms, which OSACA ignores, so that import_osaca restores the same mapping.
 * False for instruction sets without a spelling. */
bool export_osaca(const struct machine *m, struct str *out, struct err *err);

#endif
