/* Hunts for errors of a model. Random blocks, and mutations of those with an error, are predicted
 * and timed. One with an error is minimised while the error lasts, then generalised (pattern.h),
 * and a single change of the machine that would correct it is looked for (explain.h). With that
 * change made, the hunt continues. One thread. */
#ifndef PORTOLAN_HUNT_HUNT_H
#define PORTOLAN_HUNT_HUNT_H

#include "hunt/explain.h"
#include "hunt/pattern.h"

/* Reference of the model: this CPU, another machine. */
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
    /* mutations of blocks with an error, with a time and a prediction, in addition to the sample */
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
    /* one in this many blocks is one, once there are errors; 0: none */
    unsigned mutants;
    unsigned draws;              /* blocks drawn from a pattern to see whether it holds */
    uint64_t seed;
    bool simulated;              /* predict cycle by cycle, not by the bounds */
    void (*progress)(void *state, const struct hunt *so_far);   /* NULL: none */
    void *state;
};

/* Hunts for errors of @m on blocks of @maker. NULL with err when the reference fails; a hunt ended
 * early by the watch is a result. The caller frees. */
struct hunt *hunt_run(const struct machine *m, const struct block_maker *maker,
                      const struct hunt_truth *truth, const struct hunt_options *options,
                      struct err *err);
void hunt_free(struct hunt *h);
/* Appends the finding in words, on two lines. */
void finding_print(const struct hunt_finding *f, struct str *out);

#endif
