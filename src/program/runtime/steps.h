/* SPDX-License-Identifier: 0BSD */
/* Detects the strides of an instruction that a prefetcher would follow. A prefetcher follows
 * several streams. A load that alternates between the row above and the row below has two streams,
 * one per row. An instruction therefore has several heads, the last line of each stream. A line
 * next to a head continues its stream. Linked into traced programs. */
#ifndef PORTOLAN_PROGRAM_RUNTIME_STEPS_H
#define PORTOLAN_PROGRAM_RUNTIME_STEPS_H

#include <stdint.h>

#define STEPS_LINE 64u
/* number of streams per instruction; prefetchers of second-level caches follow more */
#define STEPS_HEADS 8u
#define STEPS_NONE UINT64_MAX

/* State of an instruction */
struct steps {
    /* last address of the instruction, and its distance from the previous one in bytes */
    uint64_t last, step;
    uint64_t heads[STEPS_HEADS];     /* last line of each stream, as 1 + line number; 0: no
                                      * stream */
    uint64_t next;                   /* index of the oldest head, which a new stream replaces */
};

/* Returns whether @line continues a stream. Updates its head, or starts a new stream. */
static inline int steps_stream(struct steps *s, uint64_t line)
{
    uint64_t own = line + 1;
    int found = -1;

    for (unsigned i = 0; i < STEPS_HEADS; i++) {
        if (s->heads[i] == own)
            return 0;                /* Another access to the same line is not a stride. */
        if (s->heads[i] && s->heads[i] + 1 - own <= 2)
            found = (int)i;
    }
    if (found < 0) {
        s->heads[s->next] = own;
        s->next = (s->next + 1) % STEPS_HEADS;
        return 0;
    }
    s->heads[found] = own;
    return 1;
}

/* Returns the stride in bytes from the instruction's last reference to @address, if it repeats or
 * leads to an adjacent line. Returns the size of a line if @address continues an earlier stream, 0
 * for the same address, and otherwise STEPS_NONE. */
static inline uint64_t steps_next(struct steps *s, uint64_t address)
{
    int64_t step = (int64_t)(address - s->last), before = (int64_t)s->step,
            lines = (int64_t)(address / STEPS_LINE - s->last / STEPS_LINE);

    if (step == 0)
        return 0;
    int stream = lines ? steps_stream(s, address / STEPS_LINE) : 0;
    s->step = (uint64_t)step;
    s->last = address;
    if (step == before || (lines >= -1 && lines <= 1))
        return (uint64_t)(step < 0 ? -step : step);
    return stream ? STEPS_LINE : STEPS_NONE;
}

#endif
