/* Measures many experiments with a source, in batches. Repeats passes until each value is
 * confirmed. Stores results in a journal, and observes a time limit. */
#ifndef PORTOLAN_MEASURE_RUNNER_H
#define PORTOLAN_MEASURE_RUNNER_H

#include "measure/journal.h"
#include "measure/source.h"
#include "model/experiments.h"

struct runner_options {
    double budget;          /* maximum seconds for all experiments; 0: no limit */
    bool retry;             /* whether to repeat experiments that failed according to the table or
                             * the journal */
    bool fresh;             /* whether to ignore the values in the journal */
    /* whether to measure only bodies of the source's length, and no short bodies */
    bool one_length;
    /* whether to measure only one order of the terms */
    bool one_order;
    /* maximum seconds of waiting for an idle core, excluding the time of measuring; 0: 20 */
    double patience;
};

struct runner_summary {
    /* numbers of experiments. @reused: with a value from the journal. @left: neither done nor
     * failed. */
    size_t done, failed, reused, left;
    /* numbers of experiments included in @left: with unconfirmed passes, and without any idle
     * moment */
    size_t once, contended;
    unsigned cpus;           /* maximum number of CPUs that measured concurrently; 0 if simulated */
    double seconds;
    double rate;            /* number of passes per second */
    size_t passes;          /* number of passes over single experiments */
    /* number of passes taken from the journal, of experiments that need more passes */
    size_t taken_over;
    size_t useful;          /* number of passes that returned a value or a final reason */
    /* number of useful passes that needed no confirmation, because the caller expected their
     * value */
    size_t confirmed;
    /* dates of the oldest and newest reused value; empty if unknown */
    char since[KEPT_DAY], until[KEPT_DAY];
    /* share of the necessary passes that are complete, 0 to 1; 1 if no experiment is left */
    double share;
    /* remaining seconds, estimated from the rate of useful passes; NaN when measuring begins */
    double seconds_left;
};

/* Smoothed estimate of the remaining time, which short idle or busy phases hardly change */
struct runner_estimate {
    /* time of the last estimate, in seconds since the start, and the remaining seconds */
    double at, left;
    bool known;
};
/* Updates the estimate with @guess, the remaining seconds computed at @seconds since the start (NaN
 * if unknown). Returns the value to display: NaN in the first seconds, later the last estimate
 * minus the elapsed time, moved towards @guess (more slowly in longer runs). Pure. */
double runner_estimate(struct runner_estimate *e, double seconds, double guess);

/* Callbacks on the thread that calls runner_run */
struct runner_hooks {
    bool (*cancelled)(void *state);
    /* Receives each final result and, at the end, the state of each unfinished experiment
     * (EXPERIMENT_ONCE or EXPERIMENT_CONTENDED). */
    void (*result)(void *state, size_t index, const struct measured *m);
    void (*progress)(void *state, const struct runner_summary *so_far, size_t total);
    void *state;
    /* Receives interim values for display: values of a single pass (EXPERIMENT_ONCE) or of a busy
     * core (EXPERIMENT_CONTENDED). May be NULL. */
    void (*seen)(void *state, size_t index, const struct measured *m);
    /* Called between batches. May wait. Returns the duration of the wait in seconds, which counts
     * towards no limit. May be NULL. */
    double (*wait_paused)(void *state);
    /* Returns the expected cycles of row @index, or NaN. A pass within 1 % of the expected cycles
     * needs no confirmation. The journal stores the value of such a pass as that of a single pass.
     * May be NULL. */
    double (*expected)(void *state, size_t index);
};

/* Measures the rows of @table whose state is open (experiment_state_open), and with options->retry
 * also the failed rows. Passes each result to the hook. Does not change @table. @journal may be
 * NULL. Returns false with err on failure or when cancelled. Earlier results remain valid. */
bool runner_run(struct source *source, const struct experiments *table, struct journal *journal,
                const struct runner_options *options, const struct runner_hooks *hooks,
                struct runner_summary *out, struct err *err);
/* Writes "same" to @out, or the relative excess of the slower body length: "+12.3 % at 200" if the
 * front end limits the longer body, or "+8.0 % at 50" if the loop's branch limits the shorter body.
 * @shorter and @longer are cycles per execution. @size: instructions per execution, for the loop
 * overhead. */
void runner_lengths(double shorter, double longer, double tolerance, uint64_t size, char *out,
                    size_t room);
/* Returns the smallest of @values that another value confirms within 1 %, or NaN if none is
 * confirmed. Sorts @values. */
double runner_confirmed(double *values, unsigned n);

#endif
