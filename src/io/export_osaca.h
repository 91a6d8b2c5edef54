/* A machine as an OSACA machine file (YAML). */
#ifndef PORTOLAN_IO_EXPORT_OSACA_H
#define PORTOLAN_IO_EXPORT_OSACA_H

#include "model/machine.h"

/* The whole file. Forms that AT&T text spells alike and that cost the same share an entry; where
 * they differ, the general one comes first and the others follow under their size suffix. Each
 * entry lists its forms in portolan_forms, which OSACA passes over, so that import_osaca gives back
 * the same mapping. False when the machine is not x86. */
bool export_osaca(const struct machine *m, struct str *out, struct err *err);

#endif
