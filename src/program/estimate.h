/* Predicts times of a program at one set of inputs, on any machine, and with changed facts. */
#ifndef PORTOLAN_PROGRAM_ESTIMATE_H
#define PORTOLAN_PROGRAM_ESTIMATE_H

#include "program/ammp.h"
#include "program/model.h"
#include "program/pages.h"
#include "program/steady.h"

enum estimate_model { ESTIMATE_STEADY, ESTIMATE_AMMP };

/* A change to the pipes of one class of instructions, for the pipe model */
struct pipe_change {
    enum op_class class;
    int more;                 /* number of added pipes */
    double latency, interval; /* factors of latency and interval; 0: unchanged */
};

struct estimator;
/* Creates an estimator for @model at @inputs. Assembles the program's code. Returns NULL with err
 * on failure. */
struct estimator *estimator_new(const struct program_model *model, const double *inputs,
                                enum estimate_model kind, struct err *err);
void estimator_free(struct estimator *e);
/* Returns the share of the core that the estimator assumes. */
struct core_share estimator_share(const struct estimator *e);
/* Measures the clock and the share of the core, and sets them in @e and in @m, the machine of this
 * CPU. Makes 24 measurements at intervals of a millisecond (native_core). */
void estimator_meet_here(struct estimator *e, struct machine *m);
/* Sets the share of the core that other tasks leave; initially 1. */
void estimator_set_share(struct estimator *e, const struct core_share *share);
/* Sets the costs of mathematical library functions. If @costs lacks a function, it is measured when
 * first used. */
void estimator_set_calls(struct estimator *e, const struct call_costs *costs);
/* Sets the number of threads, which split all work evenly and share the last cache level. @common:
 * share of lines that all threads use, as in struct sharing. Predicted misses are the sum over
 * threads. */
void estimator_set_threads(struct estimator *e, double threads, double common);
/* Measures the system's costs of the program on this CPU (system_cost_of), whose machine is @m, and
 * stores them in @out. Later times include the user time of page faults. Returns false with err if
 * no process can be started. */
bool estimator_meet_system(struct estimator *e, const struct machine *m, struct system_cost *out,
                           struct err *err);
/* Sets or returns the CPU seconds per page fault; initially 0. Predicted times include the share of
 * these seconds that the machine's fact page_fault_user counts as user time. */
void estimator_set_fault(struct estimator *e, double seconds);
double estimator_fault(const struct estimator *e);
/* Returns the predicted counts and references at the inputs, borrowed. */
const struct program_run *estimator_run(const struct estimator *e);
/* Returns the program's code, borrowed; NULL for the pipe model. */
const struct program_code *estimator_code(const struct estimator *e);
/* Predicts the time on @m from its facts. @change may be NULL. Measures each mathematical library
 * function when it is first used. program_time_done frees @out. Returns false with err if @m lacks
 * facts. One thread. */
bool estimator_time(struct estimator *e, const struct machine *m, const struct pipe_change *change,
                    struct program_time *out, struct err *err);

#endif
