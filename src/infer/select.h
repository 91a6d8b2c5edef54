/* Active selection of experiments: measures the experiments in which good mappings differ most,
 * and infers again. */
#ifndef PORTOLAN_INFER_SELECT_H
#define PORTOLAN_INFER_SELECT_H

#include "infer/evolve.h"
#include "model/experiments.h"

#define SELECT_SIZE_MOST 8
/* smallest assumed relative noise of a measurement */
#define SELECT_NOISE_LEAST 0.002

/* Measures the pending rows of @t, with results as in PMEvo Definition 1. If it returns false with
 * err, inference ends. */
typedef bool select_measure(struct experiments *t, void *state, struct err *err);

/* Experiments that may be selected, with 2 to @size different forms */
struct select_pool {
    const uint32_t *forms;               /* indices into the table's forms, without duplicates */
    size_t forms_count;
    /* Experiments of this table, of any forms, may be selected if they have a value. NULL: all
     * experiments may be selected. */
    const struct experiments *record;
    unsigned size;
};

/* Adds up to @count pending rows to @t, and returns their number. Draws many random experiments
 * allowed by @pool. Selects those that resolve most of the mappings' disagreement over all drawn
 * experiments, most informative first. Ignores disagreement that a previously selected experiment
 * resolves, while other disagreement is left. Disagreement is standard deviation over mean,
 * compared with @form_noise, one value per form of @t. Adds no row on which the mappings agree
 * within the mean noise of its forms. Stores the largest disagreement on a drawn experiment, or NaN
 * if nothing was drawn, in *@disagreement. */
size_t select_experiments(const struct mapping *const *mappings, size_t n, struct experiments *t,
                          const struct select_pool *pool, size_t count, const double *form_noise,
                          struct rng *rng, double *disagreement);

struct select_options {
    /* options of each round; seconds and generations are per round */
    struct evolve_options evolve;
    /* @first: number of initial random experiments. @batch: number of experiments per round.
     * @most: maximum in total, excluding those of single forms. */
    size_t first, batch, most;
    unsigned size;                   /* number of forms of the largest experiment, at least 2 */
    bool random;                     /* whether to select randomly, for comparison */
    /* table whose experiments with a value may be requested, borrowed; NULL: all experiments may be
     * requested */
    const struct experiments *record;
    /* Called several times per second during inference, which it may stop. May be NULL. */
    void (*poll)(void *state, struct evolve *e);
    void *poll_state;
};

/* Reason why the selection ended */
enum select_end {
    SELECT_GOES_ON,
    SELECT_MOST,         /* options.most experiments are measured */
    SELECT_AGREED,       /* the mappings agree on all candidates */
    SELECT_PREDICTED,     /* the best mapping predicted the most disputed rows */
};
extern const char *const select_end_names[];

/* Result of one round. Relative errors are means of |predicted - measured| / measured. */
struct select_round {
    size_t measurements;   /* number of measurements so far, excluding those of single forms */
    /* error of the previous round's mapping on this round's measurements; NaN in the first round */
    double error;
    /* noise of the measurements, which more measurements do not reduce: the largest of the error of
     * this round's mapping on all measurements until now, their median spread, and
     * SELECT_NOISE_LEAST */
    double noise;
    /* disagreement on the most disputed candidate for the next round: standard deviation over mean;
     * NaN if there is none */
    double disagreement;
    enum select_end end;
};

/* Called after each round with its best mapping. */
typedef void select_report(void *state, const struct select_round *round,
                           const struct mapping *best);

/* Measures @t's forms in isolation and o->first random experiments, except those with results. Then
 * repeats inference, selection and measurement until one of the ends in enum select_end. Runs
 * evolve_worker only on the calling thread. Returns the best mapping, or NULL with err. The caller
 * frees the result. */
struct mapping *select_run(struct experiments *t, const struct select_options *o,
                           select_measure *measure, void *measure_state, select_report *report,
                           void *report_state, struct err *err);

/* Fills pending rows of @t from the experiments of @state, a struct experiments, by names of forms.
 * Rows that @state lacks become failed. Implements select_measure (infer/select.h). Always returns
 * true. */
bool replay_measure(struct experiments *t, void *state, struct err *err);

#endif
