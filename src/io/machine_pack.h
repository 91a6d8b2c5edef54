/* Serialises a machine for another process (base/pack.h), with all that its directory would
 * hold. */
#ifndef PORTOLAN_IO_MACHINE_PACK_H
#define PORTOLAN_IO_MACHINE_PACK_H

#include "base/pack.h"
#include "model/machine.h"

void machine_pack(const struct machine *m, struct str *out);
/* Reads it like a directory; the caller frees. NULL with err for invalid bytes or without a
 * temporary directory. */
struct machine *machine_unpack(struct unpacking *from, struct err *err);

#endif
