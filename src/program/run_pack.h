/* Serialises a run for another process with the same program (base/pack.h,
 * program_descriptions). */
#ifndef PORTOLAN_PROGRAM_RUN_PACK_H
#define PORTOLAN_PROGRAM_RUN_PACK_H

#include "base/pack.h"
#include "program/runs.h"

/* Appends @run of @p without its seconds and misses. */
void run_pack(const struct program *p, const struct program_run *run, struct str *out);
/* Returns false when the bytes are invalid or of another program. program_run_done frees @out in
 * either case. */
bool run_unpack(const struct program *p, struct unpacking *from, struct program_run *out);

#endif
