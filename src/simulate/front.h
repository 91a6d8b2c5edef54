/* Internal to simulate/: the front end, from code bytes to the µop queue before rename. */
#ifndef PORTOLAN_SIMULATE_FRONT_H
#define PORTOLAN_SIMULATE_FRONT_H

#include "analysis/windows.h"
#include "simulate/plan.h"

/* A position in the endless sequence of instructions or items. */
struct place {
    int64_t number;
    int64_t iteration;
    uint32_t index;       /* within the iteration */
};

static inline void place_next(struct place *at, size_t per_iteration)
{
    at->number++;
    if (++at->index == per_iteration) {
        at->index = 0;
        at->iteration++;
    }
}

/* Counts are over all iterations. */
struct front {
    const struct plan *plan;
    enum shape shape;
    enum frontend_source source;
    int64_t align;                  /* of the first byte, modulo 64 */
    bool streams;                   /* no predecoder: µop cache, loop buffer, symmetric decoders */
    bool moved;                     /* something changed in this cycle */
    struct place delivered;         /* items put into the µop queue so far */
    int32_t queued, room;           /* µops in it; least room to admit an item */
    int32_t uop_queue;              /* fact */

    /* Predecoder. */
    int32_t block_bytes, predecode_width, lcp_penalty, instruction_queue;   /* facts */
    struct place predecoded;        /* instructions */
    int64_t at;                     /* first byte of the next instruction, from the first line on */
    int64_t block;                  /* first byte of the block in the predecoder */
    int32_t stall;                  /* cycles */
    bool lcp_paid, crossing_paid;

    /* Decoders. */
    int32_t decoders, complex_uops;        /* facts */
    uint32_t microcode_width, alone_uops;
    bool fusible_last;
    /* instructions put into the instruction queue before this cycle */
    int64_t visible;
    int64_t decoded;                /* number taken by the decoders */
    int32_t decode_stall;           /* cycles */

    /* For µop cache, loop buffer and symmetric decoders. */
    int32_t stream_width, taken_branches;   /* facts */
    bool one_line;                  /* the loop fits into one line of the µop cache */
    unsigned copies;                /* of the loop in the loop buffer */
    struct window_groups windows;   /* of a µop cache with windows; empty otherwise */
    size_t window;                  /* index of the next group */
    uint32_t window_left, window_wait;   /* its remaining instructions; cycles before them */
};

void front_done(struct front *f);
void front_start(struct front *f, const struct plan *plan, const struct core *c,
                 const struct block_work *w, const struct insn *insns,
                 const struct block_options *options, const struct frontend *bound);
/* Simulates one cycle. False when nothing changed. */
bool front_cycle(struct front *f);
/* Writes the front end's state, relative to iteration @base, to @out (at least FRONT_STATE
 * entries). Returns the number of entries. */
#define FRONT_STATE 12
size_t front_state(const struct front *f, int64_t base, int32_t *out);
/* Puts @item into the µop queue. */
void front_deliver(struct front *f, const struct plan_item *item);

/* predecode.c */
void predecode_start(struct front *f, const struct core *c);
void predecode_cycle(struct front *f);
/* decode.c */
void decode_start(struct front *f, const struct core *c);
void decode_cycle(struct front *f);
/* uop_cache.c */
void uop_cache_start(struct front *f, const struct core *c, const struct block_work *w,
                     const struct insn *insns);
void uop_cache_cycle(struct front *f);

#endif
