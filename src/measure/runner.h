/* Measures many experiments with a source, in batches and passes until each value is confirmed.
 * Uses a journal and a time budget. */
#ifndef PORTOLAN_MEASURE_RUNNER_H
#define PORTOLAN_MEASURE_RUNNER_H

#include "measure/journal.h"
#include "measure/source.h"
#include "model/experiments.h"

struct runner_options {
    double budget;          /* time limit in seconds; 0: none */
    bool retry;             /* measures experiments again that failed according to the journal */
    bool fresh;             /* ignores the journal's values */
    /* measures only bodies of the source's length, no short ones */
    bool one_length;
    /* measures only one order of the terms */
    bool one_order;
    /* total seconds of waiting for an idle machine, in addition to measuring; 0: 20 */
    double patience;
};

struct runner_summary {
    /* reused: number of done experiments whose value is from the journal */
    size_t done, failed, reused, left;
    /* number of left ones with a single pass, and without an idle moment */
    size_t once, contended;
    unsigned cpus;           /* most CPUs that measured concurrently; 0: none, simulated */
    double seconds;
    double rate;            /* experiments per second, over all passes */
    size_t passes;          /* number of single measurements */
    /* passes from the journal, of experiments that need more */
    size_t taken_over;
    size_t useful;          /* passes with a value or a final reason */
    /* useful passes that agreed with an expectation and need no confirmation */
    size_t foretold;
    /* first and last date of reused values; "": unknown */
    char since[KEPT_DAY], until[KEPT_DAY];
    /* completed share of the necessary passes, 0 to 1; 1: no experiment is left */
    double share;
    /* estimate from the rate of useful passes; NaN at the beginning */
    double seconds_left;
};

/* Smoothed estimate of the remaining time, which idle or busy moments hardly change. */
struct runner_estimate {
    double at, left;        /* seconds since the start, and the remaining seconds estimated then */
    bool known;
};
/* Updates the estimate with @guess, computed at @seconds since the start (NaN: none yet). Returns
 * the displayed value: NaN in the first seconds; then the last estimate minus elapsed time, adapted
 * to the guess, more slowly in longer runs. Pure. */
double runner_estimate(struct runner_estimate *e, double seconds, double guess);

/* Callbacks, on the thread of runner_run. */
struct runner_hooks {
    bool (*cancelled)(void *state);
    /* Receives a final result or, at the end, the state of an unfinished experiment:
     * EXPERIMENT_ONCE or EXPERIMENT_CONTENDED. */
    void (*result)(void *state, size_t index, const struct measured *m);
    void (*progress)(void *state, const struct runner_summary *so_far, size_t total);
    void *state;
    /* Receives an unconfirmed value of one pass (EXPERIMENT_ONCE) or of a busy core
     * (EXPERIMENT_CONTENDED), for display. May be NULL. */
    void (*seen)(void *state, size_t index, const struct measured *m);
    /* Polled between batches. It may wait, and returns the seconds waited, which count for no
     * limit. May be NULL. */
    double (*wait_paused)(void *state);
    /* Returns the expected cycles of row @index, or NaN. A single pass within 1 % of them needs no
     * confirmation, and the journal stores it as a pass. May be NULL. */
    double (*expected)(void *state, size_t index);
};

/* Measures the rows of @table without cycles (with @retry also failed ones) and passes each result
 * to the hook. Does not change @table. @journal may be NULL. False with err when measurement fails
 * or is cancelled; results passed before stay valid. */
bool runner_run(struct source *source, const struct experiments *table, struct journal *journal,
                const struct runner_options *options, const struct runner_hooks *hooks,
                struct runner_summary *out, struct err *err);
/* Appends "same", or by how much one body length is slower: "+12.3 % at 200" (the front end limits
 * the longer body), "+8.0 % at 50" (the loop's branch limits the shorter one). @shorter, @longer:
 * cycles per execution; @size: instructions per execution, for the share of the loop's overhead. */
void runner_lengths(double shorter, double longer, double tolerance, uint64_t size, char *out,
                    size_t room);
/* Returns the least of @values (sorted in place) that another one confirms within 1 %; NaN:
 * none. */
double runner_confirmed(double *values, unsigned n);

#endif
