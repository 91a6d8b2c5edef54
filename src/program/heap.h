/* Page faults of a program's allocations. Simulates the system calls of glibc's malloc (malloc.c
 * of glibc 2.36: mmap threshold, trim threshold, top pad). Memory that was returned to the system
 * faults again. */
#ifndef PORTOLAN_PROGRAM_HEAP_H
#define PORTOLAN_PROGRAM_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEAP_NONE UINT32_MAX
#define HEAP_PAGE 4096.0 /* size in bytes of a page */

/* A call of malloc, realloc or free */
struct heap_event {
    double size;    /* requested bytes; 0: free */
    uint32_t of;    /* index of the event whose memory this one frees or resizes; HEAP_NONE: none */
    /* block of the program that calls malloc, realloc or free; HEAP_NONE: unknown */
    uint32_t block;
};

/* Computes the number of page faults of each of @count @events. Assumes that the program touches
 * all memory. @returns: whether malloc returns memory to the system; otherwise the result is a
 * lower bound. Pure. Stores the numbers in @faults. */
void heap_faults(const struct heap_event *events, size_t count, bool returns, double *faults);

#endif
