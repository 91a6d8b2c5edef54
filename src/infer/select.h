/* Active experiments: ask for those on which near-optimal mappings disagree most, measure them, and infer again. */
#ifndef PORTOLAN_INFER_SELECT_H
#define PORTOLAN_INFER_SELECT_H

#include "infer/evolve.h"

/* Measures the pending rows of @t (fills them, PMEvo Definition 1); false with err ends the inference. */
typedef bool select_measure(struct experiments *t, void *state, struct err *err);

/* Adds up to @count pending rows to @t: of many random multisets of @size forms of @t those on which the mappings of @mappings disagree
 * most, no form in more than its share of them, and none on which they agree within @noise. Returns how many. */
size_t select_experiments(const struct mapping *const *mappings, size_t n, struct experiments *t, size_t count, unsigned size, double noise, struct rng *rng);

struct select_options {
    struct evolve_options evolve;    /* of each round; seconds or generations per round */
    size_t first, batch, most;       /* random experiments to begin with, per round, and in all (singletons not counted) */
    unsigned size;                   /* forms of an experiment: 2 for pairs */
    double noise;                    /* relative disagreement that measuring could not settle */
    bool random;                     /* for comparison: batches by chance */
    void (*poll)(void *state, struct evolve *e);   /* NULL, or called some times a second while inferring: may stop it */
    void *poll_state;
};

/* Called after each round with the best mapping and the number of measurements so far (singletons not counted). */
typedef void select_report(void *state, size_t measurements, const struct mapping *best);

/* Measures @t's forms alone and @first random experiments, then infers, selects and measures in turns, until nothing disagrees or @most is
 * reached. Runs evolve_worker on the calling thread only. Returns the best mapping, NULL with err. */
struct mapping *select_run(struct experiments *t, const struct select_options *o, select_measure *measure, void *measure_state, select_report *report,
                           void *report_state, struct err *err);

#endif
