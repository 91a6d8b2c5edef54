/* Which host measured: columns of a table of experiments that experiments save --host writes and
 * others read. */
#ifndef PORTOLAN_CMD_EXPERIMENTS_HOST_H
#define PORTOLAN_CMD_EXPERIMENTS_HOST_H

#include "base/str.h"
#include "model/experiments.h"

#define HOST_COLUMN "host"
#define HOST_CPU_COLUMN "cpu"
#define HOST_MICROCODE_COLUMN "microcode"

/* Fills empty columns in all measured rows of @t: this host's name, its CPU and microcode. */
void experiments_host_fill(struct experiments *t);
/* Sets @out to a name of row @index that is the same in every table: its terms in the order of
 * their forms' names. Tables order them by first mention. Any thread. */
void experiments_host_key(const struct experiments *t, size_t index, struct str *out);

#endif
