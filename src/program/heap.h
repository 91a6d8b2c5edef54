/* Pages that the system gives to a program's allocations: glibc's malloc as far as its system calls
 * go (malloc.c of glibc 2.36: mmap threshold, trim threshold, top pad). What it gives back and
 * takes again costs page faults again. */
#ifndef PORTOLAN_PROGRAM_HEAP_H
#define PORTOLAN_PROGRAM_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEAP_NONE UINT32_MAX
#define HEAP_PAGE 4096.0 /* bytes */

/* One call of the allocator. */
struct heap_event {
    double size;    /* bytes wanted; 0: free */
    uint32_t of;    /* event whose memory it frees or resizes; HEAP_NONE: none */
    uint32_t block; /* of the program; HEAP_NONE: not known */
};

/* Page faults of each of @count @events into @faults, all of whose memory is used. @returns: memory
 * is given back to the system; without it, the least faults possible. Pure. */
void heap_faults(const struct heap_event *events, size_t count, bool returns, double *faults);

#endif
