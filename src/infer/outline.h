/* A snapshot of a run's best mapping for display: ports in a readable order, confidence of each
 * cell, predictions, and other data of the panes. Immutable: any thread with a reference may read
 * it. */
#ifndef PORTOLAN_INFER_OUTLINE_H
#define PORTOLAN_INFER_OUTLINE_H

#include "infer/evolve.h"
#include "model/machine.h"

/* maximum number of experiments in the list of the worst predictions */
#define OUTLINE_WORST 64
#define OUTLINE_PAIRS 2000   /* maximum number of pairs of measured and predicted cycles */
#define OUTLINE_FRONT 256    /* maximum number of individuals of the Pareto front */
#define OUTLINE_SAMPLES 1000 /* maximum number of points of the run's curves */
#define OUTLINE_TRIALS 16    /* maximum number of stored trials of numbers of ports */

struct outline {
    uint64_t serial;         /* number that distinguishes this outline from all others */
    struct problem *problem;     /* problem of the mapping; a counted reference */
    struct genome *best;         /* the best mapping, with renamed ports */
    /* confidence per form (confidence_of); NaN if there are no alternatives */
    double *confidence;
    /* per form, ports on which another near-optimal mapping differs from the best */
    uint32_t *differing;
    /* per form, ports whose use differs from that in the previous outline */
    uint32_t *changes;
    float *predicted;            /* predicted cycles for each experiment of the problem */
    size_t alternatives;         /* number of other near-optimal mappings */
    size_t uncertain;            /* number of forms with differing ports */
    size_t changed;              /* number of cells with changes */
    /* per form, index of the experiment of the form in isolation; UINT32_MAX: none */
    uint32_t *alone;
    uint32_t worst[OUTLINE_WORST]; /* experiments with the worst predictions, the worst first */
    size_t worst_count;
    /* measured and predicted cycles of evenly selected experiments, sorted by measured cycles */
    double pairs[2][OUTLINE_PAIRS];
    size_t pair_count;
    struct machine *machine; /* machine that has only this mapping; NULL: not requested */
    /* Optional data from the creator: results of evolve_get_front, evolve_spread_samples and
     * evolve_get_trials, and the options of the run. */
    struct evolve_point *front;
    struct evolve_sample *samples;
    struct evolve_trial trials[OUTLINE_TRIALS];
    size_t front_count, sample_count, trial_count;
    struct evolve_options options;
    _Atomic unsigned holders; /* number of references in addition to the creator's */
};

/* Makes an outline of @count @genomes of one shape over @take_problem, the best first. Orders the
 * ports such that the usages are most similar to those of @before (may be NULL). If @before is NULL
 * or has another number of ports, ports with common forms are adjacent. @take_machine (may be
 * NULL), with an equal number of ports, receives the mapping with the names of its ports. The
 * caller frees the outline. Any thread. */
struct outline *outline_new(struct genome *const *genomes, size_t count,
                            struct problem *take_problem, const struct outline *before,
                            struct machine *take_machine);
/* Adds a reference, which outline_free releases. Any thread. */
struct outline *outline_hold(struct outline *o);
/* Releases a reference (NULL is fine). The last release frees the outline. Any thread. */
void outline_free(struct outline *o);
/* Returns the set of ports that a form may use. */
uint32_t outline_ports(const struct outline *o, size_t form);
/* Returns the number of the form's µops that may use @port. */
unsigned outline_uops(const struct outline *o, size_t form, unsigned port);
/* Returns the signed relative error of the prediction for experiment @e. */
double outline_error(const struct outline *o, size_t e);

#endif
