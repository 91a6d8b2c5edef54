/* Page faults of a program: first uses of memory, allocations of memory that was returned to the
 * system, and a fitted remainder. */
#ifndef PORTOLAN_PROGRAM_PAGES_H
#define PORTOLAN_PROGRAM_PAGES_H

#include "base/err.h"
#include "program/runs.h"

struct pages_model;

/* Page faults of a run, without the faults of starting the program, and the number of pages that
 * the run uses. */
struct run_pages {
    double faults, used;
};

/* Fits a model of page faults to @runs. @inputs has the inputs of all runs. Returns NULL if a run
 * lacks page faults and no run has allocations. */
struct pages_model *pages_model_new(const struct program_runs *runs, const double *inputs);
void pages_model_free(struct pages_model *m);
/* Computes faults (unless measured), faults_beyond and again of @run. These values follow from the
 * counts and references of @run. @m may be NULL. */
void pages_model_at(const struct pages_model *m, const struct program_runs *runs,
                    struct program_run *run);
/* Stores the page faults and pages of @run in @out. Call after pages_model_at. Pure. */
void pages_of(const struct program *p, const struct program_run *run, struct run_pages *out);

/* system_time.c: system time of a program on this CPU. The time consists of that for starting the
 * program and that for its pages. */

/* Returns the seconds of system time for starting a run and for its page faults (estimator_pages).
 * Measures these costs, which takes about 20 ms. Returns NaN with err if no process can be
 * started. */
double system_seconds(const struct run_pages *pages, struct err *err);

#endif
