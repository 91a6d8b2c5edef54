/* Columns of the measuring host in a table of experiments, which experiments save --host writes. */
#ifndef PORTOLAN_CMD_EXPERIMENTS_HOST_H
#define PORTOLAN_CMD_EXPERIMENTS_HOST_H

#include "base/str.h"
#include "model/experiments.h"

#define HOST_COLUMN "host"
#define HOST_CPU_COLUMN "cpu"
#define HOST_MICROCODE_COLUMN "microcode"

/* Fills empty host columns in all measured rows of @t: this host's name, CPU and microcode. */
void experiments_host_fill(struct experiments *t);
/* Sets @out to a table-independent name of row @index: its terms sorted by form, since tables order
 * forms by first use. */
void experiments_host_key(const struct experiments *t, size_t index, struct str *out);

#endif
