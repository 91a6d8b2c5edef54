/* Searches for errors of a model. Predicts and times random blocks, and mutations of mispredicted
 * blocks. A mispredicted block is minimised while the error remains, then generalised (pattern.h).
 * Then the hunt searches for a single change of the machine that corrects the block (explain.h),
 * and continues with that change. One thread. */
#ifndef PORTOLAN_HUNT_HUNT_H
#define PORTOLAN_HUNT_HUNT_H

#include "hunt/explain.h"
#include "hunt/pattern.h"

/* Reference for comparison with the model: this CPU, or another model. */
struct hunt_truth {
    /* Measures @n blocks in cycles per iteration. A block without a time has NaN. Returns false
     * with err to end the hunt. */
    bool (*times)(void *self, const struct random_block *blocks, size_t n, double *cycles,
                  struct err *err);
    void *self;
    double tolerance;     /* relative difference up to which times agree */
};

/* An error of the model */
struct hunt_finding {
    struct pattern pattern;      /* generalisation of the finding's smallest block */
    /* cycles of the finding's block according to the reference and to the model */
    double truth, predicted;
    /* change that corrects the block; its name is NULL if there is none */
    struct remedy change;
    /* number of blocks of the sample that the error affects; 0: the error affects only mutants */
    size_t blocks;
};

struct hunt {
    struct hunt_finding *findings;    /* findings, sorted by number of affected blocks, largest
                                       * first */
    size_t count;
    size_t sampled;              /* number of random blocks with a time and a prediction */
    size_t differ;               /* number of mispredicted random blocks */
    /* number of mutants with a time and a prediction, which are not in the sample */
    size_t mutants;
    size_t untimed;              /* number of blocks without a time, including mutants */
    /* number of mispredicted random blocks that were stored; findings count only these */
    size_t kept;
    size_t open;                 /* number of stored mispredicted blocks that no finding explains */
};

struct hunt_options {
    /* number of blocks to draw, including mutants; 0: the watch ends the hunt (base/watch.h) */
    size_t blocks;
    size_t round;                /* number of blocks per round */
    /* one block in this number is a mutant, if there are mispredicted blocks; 0: no mutants */
    unsigned mutants;
    unsigned draws;              /* number of blocks that test a pattern */
    uint64_t seed;
    bool simulated;              /* whether to predict with the simulation instead of the bounds */
    void (*progress)(void *state, const struct hunt *so_far);   /* reports the result so far; may
                                                                 * be NULL */
    void *state;
};

/* Searches for errors of @m on blocks of @maker. Returns NULL with err if the reference fails. If
 * the watch ends the hunt early, the result is valid. The caller frees the result. */
struct hunt *hunt_run(const struct machine *m, const struct block_maker *maker,
                      const struct hunt_truth *truth, const struct hunt_options *options,
                      struct err *err);
void hunt_free(struct hunt *h);
/* Appends a description of the finding in two lines. */
void finding_print(const struct hunt_finding *f, struct str *out);

#endif
