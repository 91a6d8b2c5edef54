/* Measures a loop in its running program: iterations, cycles per iteration, and branch directions.
 * Patches redirect control to copies of the loop that count, time or record. They do not change the
 * results or the output of the program. */
#ifndef PORTOLAN_INSITU_INSITU_H
#define PORTOLAN_INSITU_INSITU_H

#include "insitu/counters.h"
#include "insitu/placed.h"
#include "insitu/replay.h"

struct insitu_options {
    /* program to start and its arguments, NULL-terminated; NULL: attach to process @pid */
    const char *const *argv;
    pid_t pid;
    const char *output, *input;      /* files for output and input of a started program, as in
                                      * struct sampling */
    const struct kernel *kernel;     /* kernel with the loop; borrowed */
    size_t loop;                     /* index of the loop in the kernel */
    const char *file;                /* absolute path of the program or library with the loop */
    /* maximum seconds of watching; INFINITY: the whole run */
    double seconds;
    bool counts_only;                /* whether to only count, without timing and recording */
    /* Called several times per second. Returning false releases the program. May be NULL. */
    bool (*goes_on)(void *state, double seconds, uint64_t iterations);
    void *state;
};

struct insitu {
    struct region region;
    struct copies copies;
    /* results; no patches and copies remain in the process */
    struct placed placed;
    /* ticks of the time stamp counter per core cycle; NaN: not measured */
    double ticks_per_cycle;
    /* mean excess of a stamp's clock measurement over its instructions, in ticks; NaN: not
     * measured */
    double ticks_per_chain;
    double ticks_per_visit;         /* overhead of timing a visit in ticks; NaN: not measured */
    double seconds;                  /* wall-clock seconds of watching */
    double stopped;                  /* seconds for which the program was stopped during watching */
    double lost;                     /* @stopped, and seconds of page faults after copies */
    size_t stops;                    /* number of these stops */
    double cpu;                      /* CPU seconds of the program; NaN: unknown */
    double others;                   /* number of CPUs that other processes used; NaN: unknown */
    /* seconds that the program ran before the first count; 0 if nothing was counted, or if the
     * program was already running */
    double uncounted;
    size_t threads;                 /* number of threads that were counted */
    size_t moments;                 /* number of moments with timings or a recording */
    struct replayed_all replays;    /* results of replays at some of the moments */
    struct hardware_counts counted; /* hardware counts of the whole program during watching */
    /* @ended: whether the program ended. @killed: whether an uncatchable signal ended it. */
    bool ended, killed;
    /* status from waitpid, if this process started the program and it ended */
    int status;
    bool complete;                  /* whether counting covers the complete run of the program */
    /* whether the system does not permit tracing or patching */
    bool refused;
    char *cut;                       /* reason why watching ended early; NULL: it did not end
                                      * early */
};

/* Watches the loop. Returns false with err if the program cannot be started or instrumented; it is
 * then unchanged. The caller always frees @out with insitu_done. */
bool insitu_run(const struct insitu_options *o, struct insitu *out, struct err *err);
void insitu_done(struct insitu *x);
/* Pseudo-quantile: the mean of all timings except those of disturbed blocks. A block is disturbed
 * if its thread waited for its CPU, or if it took much longer than the blocks near it. */
#define INSITU_TYPICAL (-1.0)
/* Returns whether other processes used CPUs during the measurement. INSITU_TYPICAL then also omits
 * moderately slow blocks. */
bool insitu_busy(const struct insitu *x);
/* Returns the number of timed blocks that INSITU_TYPICAL omits because they were disturbed. */
size_t insitu_disturbed(const struct insitu *x);
/* Returns the cycles per iteration in the program at quantile @q of the timed blocks; NaN: too few
 * blocks. Sets *@alone to whether the time between visits is excluded. */
double insitu_cycles(const struct insitu *x, double q, bool *alone);
/* Returns the cycles per iteration at INSITU_TYPICAL; NaN: too few blocks. Includes the time
 * between visits and the return from the original after an indirect jump. Excludes the time outside
 * the code around the loop if it was measured. */
double insitu_cycles_whole(const struct insitu *x);
/* Returns whether insitu_cycles is the time of the original code in copies of the process. If not,
 * insitu_cycles includes the return from the original after an indirect jump leaves the timed
 * code. */
bool insitu_original(const struct insitu *x);
/* Returns whether the timed visits were too short to be timed separately, or the overhead of timing
 * them is unknown. */
bool insitu_short(const struct insitu *x);
/* Returns whether insitu_cycles includes the time between visits of the loop, but excludes the time
 * outside the code around it. */
bool insitu_nest(const struct insitu *x);
/* Returns whether an induction register counts iterations, and visits were so long that timing all
 * of them costs little. */
bool insitu_long(const struct insitu *x);
/* Returns the mean cycles from an exit of the loop to its next entry, or NaN if visits were not
 * timed. */
double insitu_between(const struct insitu *x);
/* insitu_patch returns the cycles per iteration of the jump to the counting code and back, if each
 * iteration executes code of the original. insitu_cycles does not include these cycles. NaN: the
 * jump was not measured, or no iteration executes code of the original. insitu_trip returns the
 * timed iterations per visit of the loop; INFINITY: control never left the loop; NaN: not timed. */
double insitu_patch(const struct insitu *x);
double insitu_trip(const struct insitu *x);

/* Returns whether the next moment needs copies of @mode. Visits that proved too short are not
 * timed. If visits are long, only visits are timed. Visits are also not timed if the loop has an
 * indirect jump, because exits through that jump are undetected. */
bool insitu_useful(const struct insitu *x, enum copy_mode mode);
/* Returns the number of passes between stamps of @mode: enough for a few thousand iterations, or
 * fewer if they take too long. With an induction register, returns the number of visits between
 * stamps of COPY_VISIT, whose time includes the time between visits. @ticks_per_second: rate of the
 * time stamp counter. */
uint64_t insitu_period(const struct insitu *x, enum copy_mode mode, double ticks_per_second);
/* Returns the mean excess of a stamp's clock measurement over its instructions, in ticks; 0: not
 * measured. */
double insitu_clock_overhead(const struct insitu *x);

/* Watches the program from a separate process, which removes all patches even if this process is
 * killed. Calls @run in a copy of this process. Passes the progress of @run to the callback in this
 * process. Returns the results of @run except the copies of the loop. Returns false with err of
 * @run, or if no process can be created. Internal (apart.c). */
bool insitu_apart(bool (*run)(const struct insitu_options *o, struct insitu *out, struct err *err),
                  const struct insitu_options *o, struct insitu *out, struct err *err);

#endif
