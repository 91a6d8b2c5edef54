/* Page faults of a program: of memory used for the first time, of memory that its allocations give
 * back and take again, and the rest, by the runs. */
#ifndef PORTOLAN_PROGRAM_PAGES_H
#define PORTOLAN_PROGRAM_PAGES_H

#include "program/runs.h"

struct pages_model;

/* Of a run: page faults beyond those of starting it, and pages of memory that it uses. */
struct run_pages {
    double faults, used;
};

/* @inputs: of all runs. NULL where no run knows its page faults or allocations. Any thread. */
struct pages_model *pages_model_new(const struct program_runs *runs, const double *inputs);
void pages_model_free(struct pages_model *m);
/* Of @run at its inputs, whose counts and references are there: its faults (as measured where they
 * are), faults_beyond and again. @m may be NULL. Any thread. */
void pages_model_at(const struct pages_model *m, const struct program_runs *runs,
                    struct program_run *run);
/* Of @run, which pages_model_at has filled. Pure. */
void pages_of(const struct program *p, const struct program_run *run, struct run_pages *out);

#endif
