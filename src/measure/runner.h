/* Many experiments through a source: blocks, passes until a value is confirmed, the journal, a
 * budget. */
#ifndef PORTOLAN_MEASURE_RUNNER_H
#define PORTOLAN_MEASURE_RUNNER_H

#include "measure/journal.h"
#include "measure/source.h"
#include "model/experiments.h"

struct runner_options {
    double budget;          /* seconds; 0: none */
    bool retry;             /* failed ones of the journal again */
    bool fresh;             /* nothing is taken from the journal */
    /* only in bodies of the source's own length, not in short ones as well */
    bool one_length;
    /* only with the terms spread evenly, not in the source's other orders as well */
    bool one_order;
    /* seconds that the run waits for a quiet machine in all, beyond what it measures meanwhile; 0:
     * 20 */
    double patience;
};

struct runner_summary {
    size_t done, failed, reused, left;   /* reused: of done, those the journal knew */
    /* of left: those with a value of one pass, and those that no quiet moment was found for */
    size_t once, contended;
    unsigned cpus;           /* most that measured at the same time; 0: none, simulated */
    double seconds;
    double rate;            /* experiments measured a second, all passes */
    size_t passes;          /* single measurements */
    /* passes in the journal of experiments that need more */
    size_t taken_over;
    size_t useful;          /* of passes, those that brought a value or a last word */
    /* of useful, those that took what was expected and need no second one */
    size_t foretold;
    /* days that reused values were measured on; "": not known */
    char since[KEPT_DAY], until[KEPT_DAY];
    /* of the passes that it takes, those that it has: 0 to 1, which is when nothing is left */
    double share;
    /* guessed from the passes that brought something; NaN before there are some */
    double seconds_left;
};

/* Smoothed estimate of the remaining time, so that a quiet or busy moment does not make it jump. */
struct runner_estimate {
    double at, left;        /* seconds since the beginning, and left then */
    bool known;
};
/* Takes @guess, made at @seconds since the beginning (NaN: none yet), and returns the estimate to
 * show: nothing in the first seconds, then the last estimate less the elapsed time, drawn towards
 * the guess, more slowly the longer it runs and has to run. Pure. */
double runner_estimate(struct runner_estimate *e, double seconds, double guess);

/* Called on the thread of runner_run. */
struct runner_hooks {
    bool (*cancelled)(void *state);
    /* A last word, or, of what is left at the end, the word of this run: EXPERIMENT_ONCE or
     * EXPERIMENT_CONTENDED. */
    void (*result)(void *state, size_t index, const struct measured *m);
    void (*progress)(void *state, const struct runner_summary *so_far, size_t total);
    void *state;
    /* A value of one pass (EXPERIMENT_ONCE), which waits for its confirmation, or of a busy core
     * (EXPERIMENT_CONTENDED): to be shown as such. May be NULL. */
    void (*seen)(void *state, size_t index, const struct measured *m);
    /* Asked between batches; may wait, and returns how many seconds it did, which count for no
     * budget. May be NULL. */
    double (*wait_paused)(void *state);
    /* Cycles that row @index should take by what others say, NaN where nothing does: a single pass
     * within 1 % of them is a value, and the journal keeps it as a pass. May be NULL. */
    double (*expected)(void *state, size_t index);
};

/* Measures the rows of @table that have no cycles yet (with @retry also failed ones) and hands each
 * result to the hook; @table itself is only read.
 * @journal may be NULL. False with err when measuring is impossible or was cancelled; what was
 * handed out stands. */
bool runner_run(struct source *source, const struct experiments *table, struct journal *journal,
                const struct runner_options *options, const struct runner_hooks *hooks,
                struct runner_summary *out, struct err *err);
/* "same", or the slower body length: "+12.3 % at 200" (fetch or decoding binds the longer body),
 * "+8.0 % at 50" (the loop's branch binds the shorter). @shorter, @longer: cycles per execution;
 * @size: instructions of one execution, which determines each one's share of the loop's
 * overhead. */
void runner_lengths(double shorter, double longer, double tolerance, uint64_t size, char *out,
                    size_t room);
/* The least of @values (sorted in place) that another one confirms within 1 %; NaN when none is. */
double runner_confirmed(double *values, unsigned n);

#endif
