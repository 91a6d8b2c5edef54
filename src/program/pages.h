/* Page faults of a program: first uses of memory, allocations of memory that was returned to the
 * system, and a fitted remainder */
#ifndef PORTOLAN_PROGRAM_PAGES_H
#define PORTOLAN_PROGRAM_PAGES_H

#include "base/err.h"
#include "program/runs.h"

struct pages_model;

/* Page faults of a run, without those of starting the program, and number of pages that it uses */
struct run_pages {
    double faults, used;
};

/* Fits a model of page faults to @runs. @inputs: inputs of all runs. Returns NULL if a run lacks
 * page faults and no run has allocations. */
struct pages_model *pages_model_new(const struct program_runs *runs, const double *inputs);
void pages_model_free(struct pages_model *m);
/* Computes the members faults (unless it was measured), faults_beyond and again of @run from its
 * counts and references. @m may be NULL. */
void pages_model_at(const struct pages_model *m, const struct program_runs *runs,
                    struct program_run *run);
/* Sets @out to the page faults and pages of @run. Call it after pages_model_at. Pure. */
void pages_of(const struct program *p, const struct program_run *run, struct run_pages *out);


/* CPU seconds according to the system. @user: seconds of page faults that are counted as user
 * time. @system: seconds of the start and of page faults that are counted as system time. */
struct system_cost { double user, system; };

/* Stores the costs of starting a run and of its page faults (@pages) in @out. @user_share: share of
 * the time of page faults that the system counts as user time; NaN counts as 0. Measures the costs.
 * Omits page faults if memory for the measurement is lacking. Returns false with err if no process
 * can be started. */
bool system_cost_of(const struct run_pages *pages, double user_share, struct system_cost *out,
                    struct err *err);
/* Measures the share of the CPU time of page faults that the system counts as user time. The system
 * divides the time according to the mode at each clock tick. If the host of a virtual machine
 * handles part of a fault, the next tick is in user mode. Takes 1 s. */
double page_fault_user_share(void);

#endif
