/* SPDX-License-Identifier: 0BSD */
/* Simulates caches by address, with LRU replacement. A miss in a level accesses the next one.
 * Linked into traced programs, like reuse.h. One thread. */
#ifndef PORTOLAN_PROGRAM_RUNTIME_SETS_H
#define PORTOLAN_PROGRAM_RUNTIME_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SETS_LEVELS 3

struct sets_level {
    uint64_t sets, ways, misses;
    uint64_t *lines;                 /* lines of each set, most recent first, as 1 + line number; 0:
                                      * empty */
};

struct sets {
    struct sets_level levels[SETS_LEVELS];
    unsigned count;
};

/* Parses the shapes of levels, "SETSxWAYS,SETSxWAYS", first level first. Returns false if they are
 * invalid or memory is exhausted. */
static inline bool sets_begin(struct sets *s, const char *text)
{
    for (s->count = 0; *text && s->count < SETS_LEVELS; s->count++) {
        struct sets_level *l = &s->levels[s->count];
        char *end;
        l->sets = strtoull(text, &end, 10);
        l->ways = *end == 'x' ? strtoull(end + 1, &end, 10) : 0;
        if (!l->sets || !l->ways || l->ways > UINT32_MAX || l->sets > UINT32_MAX ||
            (*end && *end != ','))
            return false;
        l->lines = mmap(NULL, l->sets * l->ways * sizeof *l->lines, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (l->lines == MAP_FAILED)
            return false;
        text = end + (*end == ',');
    }
    return s->count && !*text;
}

/* Returns whether @line hits. Makes it the most recent line of its set. */
static inline bool sets_level_look(struct sets_level *l, uint64_t line)
{
    uint64_t *set = l->lines + line % l->sets * l->ways, moved = line + 1;
    const uint64_t key = moved;

    /* Moves each line before the old position of @line one position toward the end. */
    for (uint64_t at = 0; at < l->ways; at++) {
        const uint64_t here = set[at];
        set[at] = moved;
        if (here == key)
            return true;
        moved = here;
    }
    return false;
}

/* Accesses line @first and, if the access crosses lines, line @last. Counts at most one miss per
 * level. */
static inline void sets_touch(struct sets *s, uint64_t first, uint64_t last)
{
    bool missed[2] = {true, last != first};

    for (unsigned l = 0; l < s->count && (missed[0] || missed[1]); l++) {
        missed[0] = missed[0] && !sets_level_look(&s->levels[l], first);
        missed[1] = missed[1] && !sets_level_look(&s->levels[l], last);
        s->levels[l].misses += missed[0] || missed[1];
    }
}

#endif
