/* A snapshot of a run's best mapping for display: ports in a readable order, certainty of each
 * cell, predictions, and what panes show of these. Immutable once made: any thread reads it that
 * holds it. */
#ifndef PORTOLAN_INFER_OUTLINE_H
#define PORTOLAN_INFER_OUTLINE_H

#include "infer/evolve.h"
#include "model/machine.h"

#define OUTLINE_WORST 64     /* experiments listed as explained worst, at most */
#define OUTLINE_PAIRS 2000   /* of measured and predicted cycles, at most */
#define OUTLINE_FRONT 256    /* individuals of the Pareto front, at most */
#define OUTLINE_SAMPLES 1000 /* of the run's curves, at most */
#define OUTLINE_TRIALS 16    /* numbers of ports that were tried, at most */

struct outline {
    uint64_t serial;         /* no other outline has it */
    struct problem *problem;     /* held */
    struct genome *best;         /* with renamed ports */
    double *confidence;          /* per form as in confidence_of; NaN without alternatives */
    /* per form: ports on which another near-optimal mapping differs from the best */
    uint32_t *doubts;
    uint32_t *changes;           /* per form: ports whose use differs from the outline before */
    float *predicted;            /* cycles, per experiment of the problem */
    size_t alternatives;         /* near-optimal mappings besides the best */
    size_t doubtful, changed;    /* forms with doubts; cells with changes */
    uint32_t *alone;               /* per form: the experiment of it alone; UINT32_MAX: none */
    uint32_t worst[OUTLINE_WORST]; /* experiments predicted worst, the worst first */
    size_t worst_count;
    /* measured and predicted cycles of experiments, evenly chosen, by their measured cycles */
    double pairs[2][OUTLINE_PAIRS];
    size_t pair_count;
    struct machine *machine; /* with this mapping alone; NULL: none was wanted */
    /* of the run, where the maker adds them: evolve_get_front, evolve_spread_samples,
     * evolve_get_trials; and its options */
    struct evolve_point *front;
    struct evolve_sample *samples;
    struct evolve_trial trials[OUTLINE_TRIALS];
    size_t front_count, sample_count, trial_count;
    struct evolve_options options;
    _Atomic unsigned holders; /* besides the maker */
};

/* Outline of @genomes, @count of one shape over @take_problem, the best first. Ports are named as
 * in @before (NULL: none) if both use them alike. Without it, or with another number of ports,
 * those that serve the same forms stand next to each other. @take_machine (NULL: none), with as
 * many ports, gets the mapping under its ports' names. The caller frees. Any thread. */
struct outline *outline_new(struct genome *const *genomes, size_t count,
                            struct problem *take_problem, const struct outline *before,
                            struct machine *take_machine);
/* One more may read it, and is to outline_free it. Any thread. */
struct outline *outline_hold(struct outline *o);
/* The last holder's call frees it (NULL is fine). Any thread. */
void outline_free(struct outline *o);
/* Bit set of ports that a form may use. */
uint32_t outline_ports(const struct outline *o, size_t form);
/* µops of the form that may use @port. */
unsigned outline_uops(const struct outline *o, size_t form, unsigned port);
/* Signed relative error of the prediction for experiment @e. */
double outline_error(const struct outline *o, size_t e);

#endif
