/* Internal to simulate/: the front end, from the bytes of code to the µop queue before rename. */
#ifndef PORTOLAN_SIMULATE_FRONT_H
#define PORTOLAN_SIMULATE_FRONT_H

#include "analysis/windows.h"
#include "simulate/plan.h"

/* A place in the endless stream of instructions or items. */
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
    bool streams;                   /* no predecoder: µop cache, loop buffer, equal decoders */
    bool moved;                     /* anything changed in this cycle */
    struct place delivered;         /* items in the µop queue, ever */
    int32_t queued, room;           /* µops in it; room there without which no item enters */
    int32_t uop_queue;              /* fact */

    /* Predecoder. */
    int32_t block_bytes, predecode_width, lcp_penalty, instruction_queue;   /* facts */
    struct place predecoded;        /* instructions */
    int64_t at;                     /* first byte of the next instruction, from the first line on */
    int64_t block;                  /* first byte of the block under the predecoder */
    int32_t stall;                  /* cycles */
    bool lcp_paid, crossing_paid;

    /* Decoders. */
    int32_t decoders, complex_uops;        /* facts */
    uint32_t microcode_width, alone_uops;
    bool fusible_last;
    /* instructions in the instruction queue before this cycle, ever */
    int64_t visible;
    int64_t decoded;                /* of them taken by the decoders */
    int32_t decode_stall;           /* cycles */

    /* µop cache, loop buffer and equal decoders. */
    int32_t stream_width, taken_branches;   /* facts */
    bool one_line;                  /* the loop fits into one line of the µop cache */
    unsigned copies;                /* of the loop in the loop buffer */
    struct window_groups windows;   /* of a µop cache that delivers by windows; none for others */
    size_t window;                  /* the group that is next */
    uint32_t window_left, window_wait;   /* instructions of it to come; cycles before they do */
};

void front_done(struct front *f);
void front_start(struct front *f, const struct plan *plan, const struct core *c,
                 const struct block_work *w, const struct insn *insns,
                 const struct block_options *options, const struct frontend *bound);
/* One cycle. False when nothing changed. */
bool front_cycle(struct front *f);
/* Writes the state that decides its future, seen from iteration @base, to @out (at least
 * FRONT_STATE places); returns how many. */
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
