/* A machine as bytes for another process (base/pack.h), all that a directory of it would hold. */
#ifndef PORTOLAN_IO_MACHINE_PACK_H
#define PORTOLAN_IO_MACHINE_PACK_H

#include "base/pack.h"
#include "model/machine.h"

void machine_pack(const struct machine *m, struct str *out);
/* Read as a directory is; the caller frees. NULL with err when the bytes are broken or no temporary
 * directory can be had. */
struct machine *machine_unpack(struct unpacking *from, struct err *err);

#endif
