/* A run of inference as a background job: its threads, its checkpoints. */
#ifndef PORTOLAN_WORK_EVOLVE_JOB_H
#define PORTOLAN_WORK_EVOLVE_JOB_H

#include "infer/evolve.h"
#include "infer/outline.h"

struct islands;

struct evolve_run {
    unsigned number, job;        /* of the runs, from 1; of the jobs */
    struct evolve *evolve;
    struct ports names;          /* of each port */
    char *checkpoint;            /* path; NULL: none */
    double seconds_before;       /* used before it was resumed */
    double last_checkpoint;      /* worker's */
    unsigned ranks;              /* that work on it */
    struct islands *islands;     /* worker's; NULL: this process works alone */
    /* of a live one, which experiments that are measured meanwhile join; NULL: it is none */
    struct arriving *arriving;
    struct outline *outline;     /* made last, for who looks at it; NULL: none yet */
    double outline_due;          /* clock seconds from which another one is made */
    bool outline_last;           /* it is of the run's end */
    unsigned long outlines;      /* made so far */
    /* identifies the last table, for its feeder */
    uint64_t fed_serial, fed_revision;
};

struct evolve_start {
    struct problem *take_problem;
    const struct ports *names;   /* NULL: "0", "1", ... */
    const struct mapping *const *from;   /* what it begins with; none: chance */
    size_t from_count;
    const char *checkpoint;      /* path; NULL: none */
    double seconds_before;
    bool live;                   /* memetic, on this process alone */
};

/* Starts the threads, and with other ranks theirs (work/islands.h). What else @start names stays
 * the caller's. UI thread; NULL with err. */
struct evolve_run *evolve_run_start(const struct evolve_start *start,
                                    const struct evolve_options *o, struct err *err);
/* Whether a live run would take more experiments now: it runs, has taken the previous ones, and
 * spends no more than a twentieth of its time on that. UI thread. */
bool evolve_run_wants(const struct evolve_run *run);
/* Adds the measurements of @t to a live run that wants them; else does nothing. Holds @t until a
 * thread of the run has laid it out, or the run ends. UI thread. */
void evolve_run_feed(struct evolve_run *run, struct experiments *t);
/* The same at once, and blocks until the run continues with it, or with the previous ones if @t is
 * NULL; at most until it ends, pauses, or the user interrupts. UI thread. */
void evolve_run_catch_up(struct evolve_run *run, struct experiments *t);
/* Stops it, waits for its threads and frees everything. */
void evolve_run_free(struct evolve_run *run);
/* Blocks until it ended. */
void evolve_run_wait(struct evolve_run *run);
/* The names of @count ports in this run: those given, else 0, 1, ... */
void evolve_run_ports(const struct evolve_run *run, unsigned count, struct ports *out);
/* A copy of the best mapping so far, NULL before there is one. */
struct mapping *evolve_run_best(struct evolve_run *run);
/* The best mapping, now or a moment ago: during a run it is recomputed twice a second at most, and
 * for a twentieth of the time. Borrowed until the next call; NULL before there is a mapping. UI
 * thread. */
const struct outline *evolve_run_outline(struct evolve_run *run);
/* Gives @form of the best mapping @usage, by the names of the outline's ports. False with err if
 * the run has no such form, or chooses its number of ports. UI thread. */
bool evolve_run_edit(struct evolve_run *run, const char *form, const char *usage, struct err *err);

#endif
