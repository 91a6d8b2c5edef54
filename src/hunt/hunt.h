/* The hunt for what a model gets wrong: random blocks, and mutations of those on which they differ,
 * are predicted and timed; one on which the two differ is made as small as it can be while they
 * still do, then as general (pattern.h), and the single change of the machine that would mend it is
 * looked for (explain.h). With that change made, the hunt goes on for what is left. One thread. */
#ifndef PORTOLAN_HUNT_HUNT_H
#define PORTOLAN_HUNT_HUNT_H

#include "hunt/explain.h"
#include "hunt/pattern.h"

/* What the model is held against: this CPU, another machine. */
struct hunt_truth {
    /* Cycles per iteration of each of @n blocks into @cycles, NaN where there is no time. False
     * with err: the hunt ends. */
    bool (*times)(void *self, const struct random_block *blocks, size_t n, double *cycles,
                  struct err *err);
    void *self;
    double tolerance;     /* relative, below which two times are the same */
};

/* Something that the model gets wrong. */
struct hunt_finding {
    struct pattern pattern;      /* of its smallest block */
    double truth, predicted;     /* of that block, cycles */
    struct remedy change;        /* that mends it; name NULL: none is known */
    /* of the hunt's sample, that it makes differ; 0: mutants alone do */
    size_t blocks;
};

struct hunt {
    struct hunt_finding *findings;    /* those of most blocks first */
    size_t count;
    size_t sampled;              /* random blocks with a time and a prediction */
    size_t differ;               /* of these */
    /* mutations of blocks that differ, with a time and a prediction, beside the sample */
    size_t mutants;
    size_t untimed;              /* drawn, mutants included, and without a time */
    /* of the sample, as many blocks that differ as the findings' blocks are counted among */
    size_t kept;
    size_t open;                 /* of those kept, that no finding accounts for */
};

struct hunt_options {
    /* to sample, mutants included; 0: until the watch ends it (base/watch.h) */
    size_t blocks;
    size_t round;                /* blocks drawn at a time */
    unsigned mutants;            /* one of so many blocks is one, as soon as some differ; 0: none */
    unsigned draws;              /* blocks drawn from a pattern to see whether it holds */
    uint64_t seed;
    bool simulated;              /* predict cycle by cycle, not by the bounds */
    void (*progress)(void *state, const struct hunt *so_far);   /* NULL: none */
    void *state;
};

/* Hunts for what @m gets wrong on blocks of @maker. NULL with err when the truth fails; what the
 * watch ends early is a result, too. The caller frees. */
struct hunt *hunt_run(const struct machine *m, const struct block_maker *maker,
                      const struct hunt_truth *truth, const struct hunt_options *options,
                      struct err *err);
void hunt_free(struct hunt *h);
/* Appends what was found in words, on two lines. */
void finding_print(const struct hunt_finding *f, struct str *out);

#endif
