/* A run as bytes for another process of the same program (base/pack.h), which has the program's
 * descriptions (program_descriptions). */
#ifndef PORTOLAN_PROGRAM_RUN_PACK_H
#define PORTOLAN_PROGRAM_RUN_PACK_H

#include "base/pack.h"
#include "program/runs.h"

/* Appends @run of @p, without its seconds and misses. Any thread. */
void run_pack(const struct program *p, const struct program_run *run, struct str *out);
/* False when the bytes are broken or of another program. program_run_done frees @out in either
 * case. Any thread. */
bool run_unpack(const struct program *p, struct unpacking *from, struct program_run *out);

#endif
