/* State of a sandbox's arena, and the core's clock and contention while it is used */
#ifndef PORTOLAN_MEASURE_ARENA_H
#define PORTOLAN_MEASURE_ARENA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/arrays.h"

struct sandbox;

#define ARENA_PARTS 512         /* number of parts of the arena whose last use is known */
/* size in bytes of a part; parts whose numbers differ by ARENA_PARTS share an entry */
#define ARENA_PART ((uint64_t)1 << 20)

/* State of a sandbox's arena after its last use by the child process */
struct arena_state {
    uint64_t filled;             /* number of bytes of the arena that are filled with numbers */
    struct arrays_fill pattern;  /* last written pattern; zero if there are only numbers */
    int process;
    /* smallest number of ticks of the short clock chain so far; 0: unknown */
    double clock_least;
    unsigned uses;               /* number of fills, walks and measurements so far */
    unsigned used[ARENA_PARTS];  /* per part: serial number of its last use; 0: none */
    /* last measured cycles per tick, and clock_seconds() of that measurement */
    double clock, clock_at;
    /* cycles of a loop of nops: last, and least so far or on an idle core; 0: unknown */
    double probe, probe_least;
    double waited;               /* seconds of the runs that were repeated because of contention */
};

/* Measures the cycles per tick and contention in the child process of @s, and stores them in @a.
 * Returns false with err: ERR_LIMIT if the core is too busy. */
bool arena_clock(struct sandbox *s, struct arena_state *a, struct err *err);

/* Returns whether the last arena_clock found the core contended: a loop of nops took longer than on
 * an idle core. If that time is unknown (measure/baseline.h), the least time so far is used. */
bool arena_contended(const struct arena_state *a);

/* Returns the number of bytes of memory that are free for programs; 0: unknown. Any thread. */
uint64_t memory_available(void);
/* Returns whether an arena of @bytes leaves a quarter of @available bytes free. Returns true if
 * @available is 0 (unknown). Returns false with err (ERR_LIMIT) and the remedy @todo if too little
 * remains free. Any thread. */
bool arena_fits(double bytes, uint64_t available, const char *todo, struct err *err);

#endif
