/* A run of inference as a background job, with its threads and checkpoints. */
#ifndef PORTOLAN_WORK_EVOLVE_JOB_H
#define PORTOLAN_WORK_EVOLVE_JOB_H

#include "infer/evolve.h"
#include "infer/outline.h"

struct islands;

struct evolve_run {
    unsigned number, job;        /* number of the run, from 1; number of the job */
    struct evolve *evolve;
    struct ports names;          /* per port */
    char *checkpoint;            /* path; NULL: none */
    double seconds_before;       /* time used before it was resumed */
    double last_checkpoint;      /* worker's */
    unsigned ranks;              /* number of participating ranks */
    struct islands *islands;     /* used by the worker; NULL: this process only */
    /* of a live run, which new measurements join; NULL: not live */
    struct arriving *arriving;
    struct outline *outline;     /* latest snapshot for display; NULL: none yet */
    double outline_due;          /* clock seconds of the next one */
    bool outline_last;           /* final */
    unsigned long outlines;      /* number made so far */
    /* serial of the last table, for its feeder */
    uint64_t fed_serial, fed_revision;
};

struct evolve_start {
    struct problem *take_problem;
    const struct ports *names;   /* NULL: "0", "1", ... */
    const struct mapping *const *from;   /* initial population; empty: random */
    size_t from_count;
    const char *checkpoint;      /* path; NULL: none */
    double seconds_before;
    bool live;                   /* memetic, in this process only */
};

/* Starts the threads, and those of other ranks (work/islands.h). Everything else in @start remains
 * the caller's. UI thread; NULL with err. */
struct evolve_run *evolve_run_start(const struct evolve_start *start,
                                    const struct evolve_options *o, struct err *err);
/* Returns whether a live run accepts experiments now: it runs, has joined the previous ones, and
 * spends at most a twentieth of its time on joining. UI thread. */
bool evolve_run_wants(const struct evolve_run *run);
/* Passes the measurements of @t to a live run that accepts them; else no effect. Holds @t until a
 * thread of the run has read it, or the run ends. UI thread. */
void evolve_run_feed(struct evolve_run *run, struct experiments *t);
/* The same at once; blocks until the run continues with them, or with previous ones if @t is NULL;
 * at most until it ends, pauses, or the user interrupts. UI thread. */
void evolve_run_catch_up(struct evolve_run *run, struct experiments *t);
/* Stops the run, waits for its threads and frees everything. */
void evolve_run_free(struct evolve_run *run);
/* Blocks until the run ends. */
void evolve_run_wait(struct evolve_run *run);
/* Names of @count ports in this run: those given, else 0, 1, ... */
void evolve_run_ports(const struct evolve_run *run, unsigned count, struct ports *out);
/* Copies the best mapping so far, NULL before the first. */
struct mapping *evolve_run_best(struct evolve_run *run);
/* Returns the best mapping's outline: during a run recomputed at most twice a second, for a
 * twentieth of the time. Borrowed until the next call; NULL before the first mapping. UI thread. */
const struct outline *evolve_run_outline(struct evolve_run *run);
/* Sets @form's usage in the best mapping to @usage, by the outline's port names. False with err if
 * the run lacks the form, or is choosing its number of ports. UI thread. */
bool evolve_run_edit(struct evolve_run *run, const char *form, const char *usage, struct err *err);

#endif
