/* Internal to simulate/: the front end, from code bytes to the µop queue before rename. */
#ifndef PORTOLAN_SIMULATE_FRONT_H
#define PORTOLAN_SIMULATE_FRONT_H

#include "analysis/windows.h"
#include "simulate/plan.h"

/* A position in the endless sequence of instructions or items */
struct place {
    int64_t number;
    int64_t iteration;
    uint32_t index;       /* index within the iteration */
};

static inline void place_next(struct place *at, size_t per_iteration)
{
    at->number++;
    if (++at->index == per_iteration) {
        at->index = 0;
        at->iteration++;
    }
}

/* State of the front end. Counts are totals over all iterations. */
struct front {
    const struct plan *plan;
    enum shape shape;
    enum frontend_source source;
    int64_t align;                  /* address of the first byte modulo 64 */
    /* whether the source has no predecoder (µop cache, loop buffer, symmetric decoders) */
    bool streams;
    bool moved;                     /* whether the state changed in this cycle */
    struct place delivered;         /* next item to deliver to the µop queue */
    /* @queued: number of µops in the µop queue. @room: number of free entries of the queue without
     * which the decoders wait. */
    int32_t queued, room;
    int32_t uop_queue;              /* number of entries of the µop queue (fact) */

    /* Predecoder */
    /* values of the machine's facts */
    int32_t block_bytes, predecode_width, lcp_penalty, instruction_queue;
    struct place predecoded;        /* next instruction to predecode */
    /* first byte of the next instruction, counted from the first line */
    int64_t at;
    int64_t block;                  /* first byte of the block in the predecoder */
    int32_t stall;                  /* remaining stall cycles */
    bool lcp_paid, crossing_paid;

    /* Decoders */
    int32_t decoders, complex_uops;        /* values of the machine's facts */
    uint32_t microcode_width, alone_uops;
    bool fusible_last;
    /* number of instructions predecoded before this cycle */
    int64_t visible;
    int64_t decoded;                /* number of decoded instructions */
    int32_t decode_stall;           /* remaining stall cycles */

    /* µop cache, loop buffer and symmetric decoders */
    int32_t stream_width, taken_branches;   /* limits per cycle, from the facts */
    bool one_line;                  /* whether the loop is in one aligned block of 32 bytes */
    unsigned copies;                /* number of copies of the loop in the loop buffer */
    /* groups by windows of code (analysis/windows.h); empty if the source has no windows */
    struct window_groups windows;
    size_t window;                  /* index of the next group */
    /* @window_left: number of instructions left in the group. @window_wait: cycles until the group
     * is delivered. */
    uint32_t window_left, window_wait;
};

void front_done(struct front *f);
void front_start(struct front *f, const struct plan *plan, const struct core *c,
                 const struct block_work *w, const struct insn *insns,
                 const struct block_options *options, const struct frontend *bound);
/* Simulates one cycle. Returns false if the state did not change. */
bool front_cycle(struct front *f);
/* Writes the front end's state relative to iteration @base to @out, which has FRONT_STATE entries.
 * Returns the number of entries written. */
#define FRONT_STATE 12
size_t front_state(const struct front *f, int64_t base, int32_t *out);
/* Appends @item to the µop queue. */
void front_deliver(struct front *f, const struct plan_item *item);

/* Functions of predecode.c */
void predecode_start(struct front *f, const struct core *c);
void predecode_cycle(struct front *f);
/* Functions of decode.c */
void decode_start(struct front *f, const struct core *c);
void decode_cycle(struct front *f);
/* Functions of uop_cache.c */
void uop_cache_start(struct front *f, const struct core *c, const struct block_work *w,
                     const struct insn *insns);
void uop_cache_cycle(struct front *f);

#endif
