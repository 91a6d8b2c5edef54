/* Measures a loop within its running program: iterations, cycles per iteration, and branch
 * directions. Patches redirect control to copies of the loop that count, time or record. Results
 * and output of the program are unchanged. */
#ifndef PORTOLAN_INSITU_INSITU_H
#define PORTOLAN_INSITU_INSITU_H

#include "insitu/counters.h"
#include "insitu/placed.h"
#include "insitu/replay.h"

struct insitu_options {
    /* program and arguments, NULL-terminated; NULL: attaches to process @pid */
    const char *const *argv;
    pid_t pid;
    const char *output, *input;      /* files of a started program, as in struct sampling */
    const struct kernel *kernel;     /* the caller owns a reference */
    size_t loop;                     /* index of the kernel's loop */
    const char *file;                /* absolute path of the program or library with the loop */
    double seconds;                  /* time limit; INFINITY: until the program ends */
    bool counts_only;                /* neither times nor records */
    /* Called several times per second. Returns false to release the program. May be NULL. */
    bool (*goes_on)(void *state, double seconds, uint64_t iterations);
    void *state;
};

struct insitu {
    struct region region;
    struct copies copies;
    struct placed placed;            /* results; nothing remains in the process */
    /* ticks of the time stamp counter per core cycle; NaN: not measured */
    double ticks_per_cycle;
    double ticks_per_visit;          /* overhead of timing a visit of the loop; NaN: not measured */
    double seconds;                  /* wall-clock time of watching */
    double stopped;                  /* part of @seconds in which we stopped the program */
    size_t stops;                    /* number of stops */
    double cpu;                      /* CPU seconds of the program meanwhile; NaN: unknown */
    /* seconds from the program's start to the first count; 0: none, or it was already running */
    double late;
    size_t threads;                 /* threads that were counted */
    size_t moments;                 /* number of moments: timings, each with a recording */
    struct replayed_all replays;    /* replays at some of the moments */
    struct hardware_counts counted; /* hardware counts of the whole program while it was watched */
    bool ended, killed;             /* the program ended; an uncatchable signal ended it */
    /* status by waitpid, if the program was started here and ended */
    int status;
    bool complete;                  /* counted from the program's first to its last instruction */
    /* the system does not permit tracing or patching */
    bool refused;
    char *cut;                       /* reason why watching ended early; NULL: it did not */
};

/* Watches the loop. False with err if the program cannot be run or instrumented; in the latter case
 * nothing was changed. insitu_done frees @out in either case. */
bool insitu_run(const struct insitu_options *o, struct insitu *out, struct err *err);
void insitu_done(struct insitu *x);
/* In place of a quantile: the mean of all blocks except disturbed ones, which took much longer than
 * the faster ones. */
#define INSITU_TYPICAL (-1.0)
/* Returns the cycles per iteration in the program at quantile @q of the timed blocks; NaN: too few
 * blocks. Excludes the time between visits if it sets *@alone. */
double insitu_cycles(const struct insitu *x, double q, bool *alone);
/* Returns the cycles per iteration at INSITU_TYPICAL. Includes the time between visits, and the
 * return from the original after an indirect jump. */
double insitu_cycles_whole(const struct insitu *x);
/* Returns whether insitu_cycles used the original code in copies of the process. Otherwise its
 * result includes the return from the original, if an indirect jump leaves the timed code. */
bool insitu_original(const struct insitu *x);
/* Returns the mean cycles from an exit of the loop to the next entry; NaN: not timed. */
double insitu_between(const struct insitu *x);
/* insitu_patch: Returns the cycles per iteration of the jump to the counting code and back, if each
 * iteration executes code of the original. insitu_cycles excludes them. NaN: not measured, or
 * another kind of loop. insitu_trip: Returns the timed iterations per visit of the loop; INFINITY:
 * control never left it; NaN: not timed. */
double insitu_patch(const struct insitu *x);
double insitu_trip(const struct insitu *x);

/* Returns the least ticks of a stamp's clock reads in excess of its instructions, at the clock rate
 * of the measurement. */
double insitu_clock_overhead(const struct insitu *x);

/* Internal, apart.c: watches the program from a separate process. If this process is killed, the
 * separate one still removes all patches. Calls @run in a copy of this process, reports progress
 * here, and copies the results back, except the copies of the loop. False with err as in @run, or
 * if no process can be created. */
bool insitu_apart(bool (*run)(const struct insitu_options *o, struct insitu *out, struct err *err),
                  const struct insitu_options *o, struct insitu *out, struct err *err);

#endif
