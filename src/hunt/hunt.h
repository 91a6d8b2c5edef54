/* Hunts for errors of a model. Random blocks, and mutations of mispredicted ones, are predicted and
 * timed. A mispredicted block is minimised while the error lasts, then generalised (pattern.h), and
 * a single change of the machine that corrects it is searched (explain.h). The hunt continues with
 * that change. One thread. */
#ifndef PORTOLAN_HUNT_HUNT_H
#define PORTOLAN_HUNT_HUNT_H

#include "hunt/explain.h"
#include "hunt/pattern.h"

/* Reference of the model: this CPU, another machine. */
struct hunt_truth {
    /* Measures @n blocks in cycles per iteration, NaN where there is no time. False with err ends
     * the hunt. */
    bool (*times)(void *self, const struct random_block *blocks, size_t n, double *cycles,
                  struct err *err);
    void *self;
    double tolerance;     /* relative difference below which times are equal */
};

/* An error of the model. */
struct hunt_finding {
    struct pattern pattern;      /* of its smallest block */
    double truth, predicted;     /* of that block, cycles */
    struct remedy change;        /* that corrects it; name NULL: unknown */
    /* number of the sample's blocks that it affects; 0: only mutants */
    size_t blocks;
};

struct hunt {
    struct hunt_finding *findings;    /* most affected blocks first */
    size_t count;
    size_t sampled;              /* random blocks with time and prediction */
    size_t differ;               /* mispredicted ones */
    /* timed and predicted mutations of mispredicted blocks, besides the sample */
    size_t mutants;
    size_t untimed;              /* without a time, including mutants */
    /* mispredicted blocks of the sample that were kept for counting */
    size_t kept;
    size_t open;                 /* of those kept, not explained by a finding */
};

struct hunt_options {
    /* of the sample including mutants; 0: until the watch ends it (base/watch.h) */
    size_t blocks;
    size_t round;                /* blocks per round */
    /* one in this number of blocks is a mutation, once there are errors; 0: none */
    unsigned mutants;
    unsigned draws;              /* blocks that test a pattern */
    uint64_t seed;
    bool simulated;              /* cycle by cycle, not by bounds */
    void (*progress)(void *state, const struct hunt *so_far);   /* NULL: none */
    void *state;
};

/* Hunts for errors of @m on blocks of @maker. NULL with err when the reference fails; a hunt ended
 * early by the watch is valid. The caller frees. */
struct hunt *hunt_run(const struct machine *m, const struct block_maker *maker,
                      const struct hunt_truth *truth, const struct hunt_options *options,
                      struct err *err);
void hunt_free(struct hunt *h);
/* Appends a description of the finding, on two lines. */
void finding_print(const struct hunt_finding *f, struct str *out);

#endif
