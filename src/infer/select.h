/* Active experiments: measures those on which good mappings disagree most, and infers again. */
#ifndef PORTOLAN_INFER_SELECT_H
#define PORTOLAN_INFER_SELECT_H

#include "infer/evolve.h"
#include "model/experiments.h"

#define SELECT_SIZE_MOST 8
#define SELECT_NOISE_LEAST 0.002   /* relative: no measurement is persistently better */

/* Measures the pending rows of @t (fills them, PMEvo Definition 1); false with err ends the
 * inference. */
typedef bool select_measure(struct experiments *t, void *state, struct err *err);

/* Limits of the selection: experiments of 2 to @size different forms. */
struct select_pool {
    const uint32_t *forms;               /* of the table, without duplicates */
    size_t forms_count;
    /* only rows with a value there, of any forms; NULL: any */
    const struct experiments *record;
    unsigned size;
};

/* Adds up to @count pending rows to @t. Of many random ones that @pool allows it selects those that
 * resolve most of the mappings' disagreement over all of these, most informative first, excluding
 * what earlier choices resolve. Disagreement (standard deviation over mean) is relative to
 * @form_noise, one per form of @t; no row is added on which the mappings agree within the mean of
 * its forms'. Returns their number; @disagreement is that on the most disputed candidate, NaN
 * without candidates. */
size_t select_experiments(const struct mapping *const *mappings, size_t n, struct experiments *t,
                          const struct select_pool *pool, size_t count, const double *form_noise,
                          struct rng *rng, double *disagreement);

struct select_options {
    struct evolve_options evolve;    /* of each round; its seconds or generations are per round */
    /* random experiments initially, experiments per round, and in total (without single forms) */
    size_t first, batch, most;
    unsigned size;                   /* forms of the largest experiment, at least 2 */
    bool random;                     /* random batches, for comparison */
    /* borrowed: requests only its experiments with a value; NULL: any */
    const struct experiments *record;
    /* NULL, or called several times per second while inferring: may stop it */
    void (*poll)(void *state, struct evolve *e);
    void *poll_state;
};

/* Why selection ended. */
enum select_end {
    SELECT_GOES_ON,
    SELECT_MOST,         /* options.most are measured */
    SELECT_AGREED,       /* the mappings agree on all candidates */
    SELECT_PREDICTED,     /* the best mapping predicted the most disputed rows */
};
extern const char *const select_end_names[];

/* Relative errors are means of |predicted - measured| / measured. */
struct select_round {
    size_t measurements;   /* so far, without single forms */
    /* error of the previous round's mapping on this round's measurements; NaN in the first */
    double error;
    /* error of this round's mapping on all so far: more measurements do not lower it */
    double noise;
    /* on the most disputed candidate for the next round: standard deviation over mean; NaN without
     * one */
    double disagreement;
    enum select_end end;
};

/* Called after each round with its best mapping. */
typedef void select_report(void *state, const struct select_round *round,
                           const struct mapping *best);

/* Measures @t's forms alone and @first random experiments, except those with results, then infers,
 * selects and measures in turn, until nothing is disputed or @most is reached. Runs evolve_worker
 * on the calling thread only. Returns the best mapping, NULL with err. */
struct mapping *select_run(struct experiments *t, const struct select_options *o,
                           select_measure *measure, void *measure_state, select_report *report,
                           void *report_state, struct err *err);

/* replay.c: recorded measurements in place of a CPU, to evaluate the choice of experiments
 * repeatedly. */

/* Fills pending rows of @t from the experiments of @state, a struct experiments, by form names.
 * Missing ones get a failed state. A select_measure (infer/select.h); always true. */
bool replay_measure(struct experiments *t, void *state, struct err *err);

#endif
