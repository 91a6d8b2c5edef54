/* Measures a loop within its running program: iterations, cycles per iteration, and branch
 * directions. Patches lead to copies of the loop that count, time or record; results and output of
 * the program stay the same. */
#ifndef PORTOLAN_INSITU_INSITU_H
#define PORTOLAN_INSITU_INSITU_H

#include "insitu/counters.h"
#include "insitu/placed.h"
#include "insitu/replay.h"

struct insitu_options {
    /* program and arguments, NULL-terminated; NULL: the running process pid */
    const char *const *argv;
    pid_t pid;
    const char *output, *input;      /* for a started program, as in struct sampling */
    const struct kernel *kernel;     /* held by the caller */
    size_t loop;                     /* of the kernel's loops */
    const char *file;                /* absolute path of the program or library that holds it */
    double seconds;                  /* limit; INFINITY: until it ends */
    bool counts_only;                /* without times and records */
    /* Polled some times a second; false: release the program. May be NULL. */
    bool (*goes_on)(void *state, double seconds, uint64_t iterations);
    void *state;
};

struct insitu {
    struct region region;
    struct copies copies;
    struct placed placed;            /* the data; nothing remains in the process */
    double ticks_per_cycle;          /* of the time stamp counter; NaN: not measured */
    double ticks_per_visit;          /* overhead of timing a visit of the loop; NaN: not measured */
    double seconds;                  /* wall-clock time of watching */
    double stopped;                  /* of these, stopped by us */
    size_t stops;                    /* times that it was */
    double cpu;                      /* CPU seconds that it took meanwhile; NaN: not known */
    /* from the program's start to the first count; 0: none, or already running */
    double late;
    size_t threads;                 /* with counters */
    size_t moments;                 /* number of times that it was timed and recorded */
    struct replayed_all replays;    /* at some of them */
    struct hardware_counts counted; /* over the whole program while watched */
    bool ended, killed;             /* the program ended, by an uncatchable signal */
    int status;                     /* as of waitpid, if it was started here and ended */
    bool complete;                  /* counted from the first to the last instruction */
    /* tracing or patching is not permitted for any loop */
    bool refused;
    char *cut;                       /* why watching ended early; NULL: it did not */
};

/* Watches the loop. False with err when the program cannot be instrumented (nothing was changed
 * then) or run; insitu_done frees @out in either case. */
bool insitu_run(const struct insitu_options *o, struct insitu *out, struct err *err);
void insitu_done(struct insitu *x);
/* In place of a quantile: mean of all blocks except disturbed ones, which took much longer than the
 * faster ones. */
#define INSITU_TYPICAL (-1.0)
/* Cycles per iteration in the program at quantile @q of the timed blocks, without the time between
 * visits if *@alone is set; NaN: too few. */
double insitu_cycles(const struct insitu *x, double q, bool *alone);
/* The same at INSITU_TYPICAL, including the time between visits, and the way back from the original
 * after an indirect jump. */
double insitu_cycles_whole(const struct insitu *x);
/* Returns whether insitu_cycles used the original code in copies of the process. If not, and an
 * indirect jump leaves the timed code, the way back is included. */
bool insitu_original(const struct insitu *x);
/* Mean cycles from leaving the loop to entering it again; NaN: not timed. */
double insitu_between(const struct insitu *x);
/* Iterations per visit of the loop, as timed; INFINITY: it never left; NaN: not timed. */
/* Cycles per iteration that the jump to the counting code and back takes, of a loop whose
 * iterations all execute code of the original. insitu_cycles is without them. NaN: not measured, or
 * the loop is another. */
double insitu_patch(const struct insitu *x);
double insitu_trip(const struct insitu *x);

/* Least ticks of a stamp's clock besides its instructions, at the clock rate of the measurement. */
double insitu_clock_overhead(const struct insitu *x);

/* Internal, apart.c: watches the program from a process of its own: should we be killed, that one
 * still takes all out of it that was put there. Calls @run in a copy of this process, with progress
 * reported here, and copies its results back, except copies. False with err as @run, or when there
 * can be no such process. */
bool insitu_apart(bool (*run)(const struct insitu_options *o, struct insitu *out, struct err *err),
                  const struct insitu_options *o, struct insitu *out, struct err *err);

#endif
