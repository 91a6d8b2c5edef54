/* An inference run as a background job, with its threads and checkpoints. */
#ifndef PORTOLAN_WORK_EVOLVE_JOB_H
#define PORTOLAN_WORK_EVOLVE_JOB_H

#include <pthread.h>

#include "infer/evolve.h"
#include "infer/outline.h"
#include "isa/isa.h"

struct islands;

struct evolve_run {
    unsigned number, job;        /* @number: number of the run, from 1. @job: number of its job. */
    struct evolve *evolve;
    struct ports names;          /* names of the ports */
    char *checkpoint;            /* path of the checkpoint; NULL: none */
    double seconds_before;       /* seconds used before the run was resumed */
    double last_checkpoint;      /* clock_seconds() of the last checkpoint, which the worker
                                  * writes */
    unsigned ranks;              /* number of participating ranks */
    struct islands *islands;     /* islands, which the worker uses; NULL: the whole run is in this
                                  * process */
    /* new measurements; NULL: the run is not live */
    struct arriving *arriving;
    enum isa isa; /* instruction set of the forms */
    /* Members through which a thread of the run publishes outlines for the UI thread */
    pthread_mutex_t looking; /* held while an outline is made */
    pthread_mutex_t lock; /* protects the next three members */
    struct outline *made;
    bool requested;              /* whether an outline was requested after the last outline was
                                  * started */
    bool edited;                 /* whether the user has edited the best mapping since the last
                                  * outline */
    double due;                  /* clock_seconds() after which the worker makes another outline */
    struct outline *outline;     /* counted reference to the last outline that the UI thread read;
                                  * NULL: none */
    struct evolve_status status; /* the last status that the UI thread read */
    bool has_status;
    /* serial number and revision of the last table passed to the run */
    uint64_t fed_serial, fed_revision;
};

struct evolve_start {
    struct problem *take_problem;
    const struct ports *names;   /* names of the ports; NULL: "0", "1", ... */
    const struct mapping *const *from;   /* initial population; empty: a random population */
    size_t from_count;
    const char *checkpoint;      /* path of the checkpoint; NULL: none */
    double seconds_before;
    enum isa isa; /* instruction set of the forms */
    bool live;                   /* whether new measurements join the run, which must be memetic and
                                  * uses only this process */
};

/* Makes a run for evolve_run_begin, and starts the searches of other ranks (work/islands.h). Takes
 * long with many experiments. The caller remains the owner of everything in @start except the
 * problem. Returns NULL with err. UI thread, or any thread if there are no other ranks. */
struct evolve_run *evolve_run_new(const struct evolve_start *start, const struct evolve_options *o,
                                  struct err *err);
/* Starts the threads of a new run. Returns false with err. The caller then frees the run. UI
 * thread. */
bool evolve_run_begin(struct evolve_run *run, struct err *err);
/* Calls evolve_run_new and evolve_run_begin. Returns NULL with err. UI thread. */
struct evolve_run *evolve_run_start(const struct evolve_start *start,
                                    const struct evolve_options *o, struct err *err);
/* Returns whether a live run accepts experiments now. It must be running and must have joined all
 * previous experiments. The last join must have ended at least one second ago, and at least 20
 * times its duration ago. Also returns false while a thread of the run holds the run's lock. UI
 * thread. */
bool evolve_run_wants(const struct evolve_run *run);
/* Passes the measurements of @t to a live run. Does nothing if an earlier table is not joined yet,
 * or if the run has ended. The run has a reference to @t until it has read @t or ended. UI
 * thread. */
void evolve_run_feed(struct evolve_run *run, struct experiments *t);
/* Passes the measurements of @t (may be NULL) to a live run, and waits until the run has joined
 * all of them. Returns earlier if the run ends or pauses, or if the user interrupts. UI thread. */
void evolve_run_catch_up(struct evolve_run *run, struct experiments *t);
/* Stops the run, waits for its threads and frees it. */
void evolve_run_free(struct evolve_run *run);
/* Blocks until the run ends. */
void evolve_run_wait(struct evolve_run *run);
/* Stores the names of @count ports in this run in @out: "0", "1", ... if the run does not have
 * @count names. */
void evolve_run_ports(const struct evolve_run *run, unsigned count, struct ports *out);
/* Returns genome @g over @p as a mapping. The caller frees it. Any thread. */
struct mapping *evolve_run_mapping(const struct evolve_run *run, const struct genome *g,
                                   const struct problem *p);
/* Returns the current status, or the last status while a thread of the run is using the status, to
 * draw without waiting. Borrowed until the next call. UI thread. */
const struct evolve_status *evolve_run_status(struct evolve_run *run);
/* Returns the last published outline of the best mapping. Each call requests a new outline. The run
 * makes at most two per second, and spends at most a twentieth of its time on them. After the run,
 * returns the final outline. Borrowed until the next call. NULL before the first outline. UI
 * thread. */
struct outline *evolve_run_outline(struct evolve_run *run);
/* Sets the usage of @form in the best mapping to @usage, with the outline's port names. Returns
 * false with err if the run has no mapping yet, lacks the form, or is choosing its number of ports.
 * Also returns false with err if @usage is invalid. UI thread. */
bool evolve_run_edit(struct evolve_run *run, const char *form, const char *usage, struct err *err);

#endif
