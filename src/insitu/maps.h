/* Mappings of a process, from /proc. Any thread. */
#ifndef PORTOLAN_INSITU_MAPS_H
#define PORTOLAN_INSITU_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

struct map {
    uint64_t start, end, offset;   /* addresses; of start in the file */
    bool write, execute, shared;
    char *path;                    /* "" when it is of no file */
};

struct maps { VEC(struct map) list; };

/* False when the process is gone. maps_done frees @out in both cases. */
bool maps_read(pid_t pid, struct maps *out);
void maps_done(struct maps *m);
/* The map with @address; NULL: none. */
const struct map *maps_at(const struct maps *m, uint64_t address);
/* Where @size bytes are free within reach of 32-bit distances from all of [@low, @high); 0:
 * nowhere. */
uint64_t maps_gap(const struct maps *m, uint64_t low, uint64_t high, uint64_t size);

#endif
