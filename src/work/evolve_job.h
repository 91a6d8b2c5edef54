/* A run of inference as a background job, with its threads and checkpoints. */
#ifndef PORTOLAN_WORK_EVOLVE_JOB_H
#define PORTOLAN_WORK_EVOLVE_JOB_H

#include <pthread.h>

#include "infer/evolve.h"
#include "infer/outline.h"
#include "isa/isa.h"

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
    enum isa isa; /* of the forms */
    /* for who looks at it: an outline is published by the run's thread; NULL: none yet */
    pthread_mutex_t looking; /* held while an outline is made */
    pthread_mutex_t lock; /* of the next three */
    struct outline *made;
    bool wanted;                 /* somebody has looked since it was begun */
    bool edited;                 /* the user has changed the best since */
    double due;                  /* worker's: clock seconds from which another one is made */
    struct outline *outline;     /* UI thread's: that of its last look, held */
    struct evolve_status status; /* UI thread's: of its last look */
    bool has_status;
    /* identifies the last table, for its feeder */
    uint64_t fed_serial, fed_revision;
};

struct evolve_start {
    struct problem *take_problem;
    const struct ports *names;   /* NULL: "0", "1", ... */
    const struct mapping *const *from;   /* initial population; empty: random */
    size_t from_count;
    const char *checkpoint;      /* path; NULL: none */
    double seconds_before;
    enum isa isa; /* of the forms */
    bool live;                   /* memetic, on this process alone */
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
/* One of its genomes over @p as a mapping; the caller frees. Any thread. */
struct mapping *evolve_run_mapping(const struct evolve_run *run, const struct genome *g,
                                   const struct problem *p);
/* Its status, now or at the last look: who draws does not wait for a thread of the run. Borrowed
 * until the next call. UI thread. */
const struct evolve_status *evolve_run_status(struct evolve_run *run);
/* The best mapping, now or a moment ago, as a thread of the run has published it: while somebody
 * looks, twice a second at most and for a twentieth of its time. After the run it is that of the
 * end. Borrowed until the next call; NULL before there is one. UI thread. */
struct outline *evolve_run_outline(struct evolve_run *run);
/* Gives @form of the best mapping @usage, by the names of the outline's ports. False with err if
 * the run has no such form, or chooses its number of ports. UI thread. */
bool evolve_run_edit(struct evolve_run *run, const char *form, const char *usage, struct err *err);

#endif
