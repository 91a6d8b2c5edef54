/* Active experiments: measure those on which good mappings disagree most, and infer again. */
#ifndef PORTOLAN_INFER_SELECT_H
#define PORTOLAN_INFER_SELECT_H

#include "infer/evolve.h"

#define SELECT_SIZE_MOST 8
#define SELECT_NOISE_LEAST 0.002   /* relative: no measurement is better than that for long */

/* Measures the pending rows of @t (fills them, PMEvo Definition 1); false with err ends the
 * inference. */
typedef bool select_measure(struct experiments *t, void *state, struct err *err);

/* Limits of the choice: experiments of 2 to @size different forms. */
struct select_pool {
    const uint32_t *forms;               /* of the table, once each */
    size_t forms_count;
    /* only rows with a value there, of any forms; NULL: any */
    const struct experiments *record;
    unsigned size;
};

/* Adds up to @count pending rows to @t: of many random ones that @pool allows, those that settle
 * most of the disagreement of the mappings over all of these, the most informative first, excluding
 * what earlier choices will settle. Disagreement (standard deviation over mean) is weighed against
 * @form_noise, relative and one per form of @t, and none is added on which the mappings agree
 * within the mean of its forms'. Returns how many; @disagreement becomes that on the most disputed
 * of all, NaN when there was none to choose from. */
size_t select_experiments(const struct mapping *const *mappings, size_t n, struct experiments *t,
                          const struct select_pool *pool, size_t count, const double *form_noise,
                          struct rng *rng, double *disagreement);

struct select_options {
    struct evolve_options evolve;    /* of each round; seconds or generations per round */
    /* random experiments to begin with, per round, and in all (single forms not counted) */
    size_t first, batch, most;
    unsigned size;                   /* forms of the largest experiment, from 2 */
    bool random;                     /* for comparison: random batches */
    /* borrowed: only its experiments with a value are requested; NULL: any */
    const struct experiments *record;
    /* NULL, or called some times a second while inferring: may stop it */
    void (*poll)(void *state, struct evolve *e);
    void *poll_state;
};

/* Why no more was requested. */
enum select_end {
    SELECT_GOES_ON,
    SELECT_MOST,         /* options.most are measured */
    SELECT_AGREED,       /* the mappings agree on all candidates */
    SELECT_PREDICTED,     /* the best mapping predicted the most disputed rows */
};
extern const char *const select_end_names[];

/* Relative errors are means of |predicted - measured| / measured. */
struct select_round {
    size_t measurements;   /* so far, single forms not counted */
    /* error of the previous round's mapping on this round's measurements; NaN in the first */
    double error;
    /* error of this round's mapping on all so far: more measurements do not lower it */
    double noise;
    /* on the most disputed candidate for the next round: standard deviation over mean; NaN when
     * none was chosen that way */
    double disagreement;
    enum select_end end;
};

/* Called after each round with its best mapping. */
typedef void select_report(void *state, const struct select_round *round,
                           const struct mapping *best);

/* Measures @t's forms alone and @first random experiments, less those with results that @t has
 * already, then infers, selects and measures in turns, until nothing is disputed or @most is
 * reached. Runs evolve_worker on the calling thread only. Returns the best mapping, NULL with
 * err. */
struct mapping *select_run(struct experiments *t, const struct select_options *o,
                           select_measure *measure, void *measure_state, select_report *report,
                           void *report_state, struct err *err);

#endif
