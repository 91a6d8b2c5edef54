/* Measures many experiments by a source: batches, passes until a value is confirmed, the journal, a
 * time budget. */
#ifndef PORTOLAN_MEASURE_RUNNER_H
#define PORTOLAN_MEASURE_RUNNER_H

#include "measure/journal.h"
#include "measure/source.h"
#include "model/experiments.h"

struct runner_options {
    double budget;          /* seconds; 0: none */
    bool retry;             /* repeats failed experiments of the journal */
    bool fresh;             /* ignores the journal */
    /* only bodies of the source's length, not short ones as well */
    bool one_length;
    /* only one order of the terms */
    bool one_order;
    /* total seconds of waiting for an idle machine, besides measuring; 0: 20 */
    double patience;
};

struct runner_summary {
    size_t done, failed, reused, left;   /* reused: those of done from the journal */
    /* of left: those with one pass, and those without an idle moment */
    size_t once, contended;
    unsigned cpus;           /* CPUs that measured concurrently, at most; 0: none, simulated */
    double seconds;
    double rate;            /* experiments per second, over all passes */
    size_t passes;          /* single measurements */
    /* journal passes of experiments that need more */
    size_t taken_over;
    size_t useful;          /* passes with a value or a final result */
    /* useful passes that agreed with an expectation and need no confirmation */
    size_t foretold;
    /* date range of reused values; "": unknown */
    char since[KEPT_DAY], until[KEPT_DAY];
    /* completed share of the necessary passes: 0 to 1, which means nothing is left */
    double share;
    /* extrapolated from useful passes; NaN at first */
    double seconds_left;
};

/* Smoothed estimate of the remaining time, insensitive to idle or busy moments. */
struct runner_estimate {
    double at, left;        /* seconds since the start, and estimated remaining seconds then */
    bool known;
};
/* Updates the estimate with @guess, made at @seconds since the start (NaN: none yet), and returns
 * the displayed value. Nothing in the first seconds; then the last estimate minus elapsed time,
 * drawn towards the guess, more slowly for longer runs. Pure. */
double runner_estimate(struct runner_estimate *e, double seconds, double guess);

/* Called on the thread of runner_run. */
struct runner_hooks {
    bool (*cancelled)(void *state);
    /* A final result or, at the end, the state of unfinished ones: EXPERIMENT_ONCE or
     * EXPERIMENT_CONTENDED. */
    void (*result)(void *state, size_t index, const struct measured *m);
    void (*progress)(void *state, const struct runner_summary *so_far, size_t total);
    void *state;
    /* An unconfirmed value of one pass (EXPERIMENT_ONCE) or of a busy core (EXPERIMENT_CONTENDED),
     * for display. May be NULL. */
    void (*seen)(void *state, size_t index, const struct measured *m);
    /* Polled between batches; may wait, and returns the seconds waited, which count for no budget.
     * May be NULL. */
    double (*wait_paused)(void *state);
    /* Returns expected cycles of row @index, or NaN: a single pass within 1 % needs no
     * confirmation, and is kept as a pass in the journal. May be NULL. */
    double (*expected)(void *state, size_t index);
};

/* Measures the rows of @table without cycles (with @retry also failed ones) and passes each result
 * to the hook; @table is only read. @journal may be NULL. False with err when measuring is
 * impossible or cancelled; passed results stay valid. */
bool runner_run(struct source *source, const struct experiments *table, struct journal *journal,
                const struct runner_options *options, const struct runner_hooks *hooks,
                struct runner_summary *out, struct err *err);
/* Appends "same", or the slower body length: "+12.3 % at 200" (the front end limits the longer
 * body), "+8.0 % at 50" (the loop's branch limits the shorter one). @shorter, @longer: cycles per
 * execution; @size: instructions per execution, for the share of the loop's overhead. */
void runner_lengths(double shorter, double longer, double tolerance, uint64_t size, char *out,
                    size_t room);
/* Returns the least of @values (sorted in place) that another one confirms within 1 %; NaN when
 * none. */
double runner_confirmed(double *values, unsigned n);

#endif
