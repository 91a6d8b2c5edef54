/* Reads the memory mappings of a process from /proc. */
#ifndef PORTOLAN_INSITU_MAPS_H
#define PORTOLAN_INSITU_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

struct map {
    uint64_t start, end, offset;   /* addresses, and offset of @start in the file */
    bool write, execute, shared;
    char *path;                    /* path of the file; "": none */
};

struct maps { VEC(struct map) list; };

/* Reads the mappings. Returns false if they cannot be read, usually because the process has ended.
 * The caller always frees @out with maps_done. */
bool maps_read(pid_t pid, struct maps *out);
void maps_done(struct maps *m);
/* Returns the mapping that contains @address; NULL: none. */
const struct map *maps_at(const struct maps *m, uint64_t address);
/* Returns the share of the @count addresses whose mappings mostly have pages of 2 MiB or more.
 * Ignores addresses that are not mapped. NaN: unknown. */
double maps_huge(pid_t pid, const uint64_t *addresses, size_t count);
/* Returns the address of @size free bytes from which 32-bit distances reach all addresses in [@low,
 * @high); 0: none. */
uint64_t maps_gap(const struct maps *m, uint64_t low, uint64_t high, uint64_t size);

struct maps_faults {
    pid_t pid;         /* process; 0: unknown */
    uint64_t faults;   /* number of page faults that needed no input (minor faults) */
    uint64_t resident; /* number of pages in memory */
};

/* maps_faults returns the present state of a process. maps_copied returns an upper bound of the
 * number of pages that the process has copied since state @then. Such a page was shared with a copy
 * of the process. The bound includes first accesses to as many pages as the process has freed. */
struct maps_faults maps_faults(pid_t pid);
uint64_t maps_copied(const struct maps_faults *then);

#endif
