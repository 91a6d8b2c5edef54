/* Columns of a table of experiments that describe the measuring host, which experiments save --host
 * writes */
#ifndef PORTOLAN_CMD_EXPERIMENTS_HOST_H
#define PORTOLAN_CMD_EXPERIMENTS_HOST_H

#include "base/str.h"
#include "model/experiments.h"

#define HOST_COLUMN "host"
#define HOST_CPU_COLUMN "cpu"
#define HOST_MICROCODE_COLUMN "microcode"

/* Writes this host's name, CPU and microcode to the host columns of all measured rows of @t that
 * have no host. */
void experiments_host_fill(struct experiments *t);
/* Sets @out to a name of row @index that is the same in every table. The terms are sorted by form
 * name, because each table has its own order of forms. */
void experiments_host_key(const struct experiments *t, size_t index, struct str *out);

#endif
