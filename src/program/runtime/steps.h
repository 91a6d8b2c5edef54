/* SPDX-License-Identifier: 0BSD */
/* Detects steps of an instruction that a prefetcher follows. Linked into traced programs. A
 * prefetcher follows lines of several streams: a load from the rows above and below has one stream
 * per row, though its references alternate. So an instruction has several heads, the last line of
 * each stream; a neighbouring line continues the stream. */
#ifndef PORTOLAN_PROGRAM_RUNTIME_STEPS_H
#define PORTOLAN_PROGRAM_RUNTIME_STEPS_H

#include <stdint.h>

#define STEPS_LINE 64u
/* streams per instruction: fewer than second-level prefetchers follow */
#define STEPS_HEADS 8u
#define STEPS_NONE UINT64_MAX

/* Zero at first. */
struct steps {
    /* last address, and bytes from the previous one */
    uint64_t last, step;
    uint64_t heads[STEPS_HEADS];     /* 1 + line; 0: none yet */
    uint64_t next;                   /* the oldest head, which a new stream replaces */
};

/* Returns whether @line continues a stream; it becomes its head, or that of a new one. */
static inline int steps_stream(struct steps *s, uint64_t line)
{
    uint64_t own = line + 1;
    int beside = -1;

    for (unsigned i = 0; i < STEPS_HEADS; i++) {
        if (s->heads[i] == own)
            return 0;                /* same line: no step */
        if (s->heads[i] && s->heads[i] + 1 - own <= 2)
            beside = (int)i;
    }
    if (beside < 0) {
        s->heads[s->next] = own;
        s->next = (s->next + 1) % STEPS_HEADS;
        return 0;
    }
    s->heads[beside] = own;
    return 1;
}

/* Bytes from the instruction's last reference to @address if that step repeats or leads to a
 * neighbouring line; one line if it continues an earlier stream; 0 for the same place, STEPS_NONE
 * otherwise. */
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
