/* Times of one program at one set of inputs, on any number of machines and changes of them. */
#ifndef PORTOLAN_PROGRAM_ESTIMATE_H
#define PORTOLAN_PROGRAM_ESTIMATE_H

#include "program/ammp.h"
#include "program/model.h"
#include "program/pages.h"
#include "program/steady.h"

enum estimate_model { ESTIMATE_STEADY, ESTIMATE_AMMP };

/* A change of the pipes of one class, for the model with pipes. */
struct pipe_change {
    enum op_class class;
    int more;                 /* pipes */
    double latency, interval; /* factors; 0: as they are */
};

struct estimator;
/* @model at @inputs. Assembles the program's code: some tens of milliseconds. NULL with err. */
struct estimator *estimator_new(const struct program_model *model, const double *inputs,
                                enum estimate_model kind, struct err *err);
void estimator_free(struct estimator *e);
/* Share of the core that others leave, as set. */
struct core_share estimator_share(const struct estimator *e);
/* This CPU at this moment: @m, its machine, gets its clock, and times from now on are those with
 * the measured load of the core. Some milliseconds. */
void estimator_meet_here(struct estimator *e, struct machine *m);
/* From now on times assume that others leave this @share of the core; initially all of it. */
void estimator_set_share(struct estimator *e, const struct core_share *share);
/* From now on functions of the mathematical library have the @costs; missing ones are measured on
 * use. */
void estimator_set_calls(struct estimator *e, const struct call_costs *costs);
/* From now on times are those of @threads threads that share the last level of caches, all work
 * split among them; @common as in struct sharing. The misses are all threads'. */
void estimator_set_threads(struct estimator *e, double threads, double common);
/* Page faults and pages of the program. */
void estimator_pages(const struct estimator *e, struct run_pages *out);
/* The program's references at the inputs, borrowed. */
const struct program_run *estimator_run(const struct estimator *e);
/* Its code, which others share; NULL for the model with pipes. Borrowed. */
const struct program_code *estimator_code(const struct estimator *e);
/* On @m, whose facts are all that is read; @change may be NULL. A function of the mathematical
 * library that the program calls is measured the first time. program_time_done frees @out. False
 * with err when @m lacks facts. One thread. */
bool estimator_time(struct estimator *e, const struct machine *m, const struct pipe_change *change,
                    struct program_time *out, struct err *err);

#endif
