/* A loop within its running program: iterations, cycles per iteration, and directions of its
 * branches. The program's code is patched to lead to copies of the loop that count, time or record;
 * its results and output stay the same. */
#ifndef PORTOLAN_INSITU_INSITU_H
#define PORTOLAN_INSITU_INSITU_H

#include "insitu/counters.h"
#include "insitu/placed.h"
#include "insitu/replay.h"

struct insitu_options {
    /* the program and its arguments, NULL at the end; NULL: process pid, which runs already */
    const char *const *argv;
    pid_t pid;
    const char *output, *input;      /* of a program that is started, as in struct sampling */
    const struct kernel *kernel;     /* held by the caller */
    size_t loop;                     /* of the kernel's loops */
    const char *file;                /* absolute path of the program or library that holds it */
    double seconds;                  /* at most; INFINITY: until it ends */
    bool counts_only;                /* neither times nor records */
    /* Asked some times a second; false: let go of the program. May be NULL. */
    bool (*goes_on)(void *state, double seconds, uint64_t iterations);
    void *state;
};

struct insitu {
    struct region region;
    struct copies copies;
    struct placed placed;            /* what was gathered; nothing in the process any more */
    double ticks_per_cycle;          /* of the time stamp counter; NaN: not measured */
    double ticks_per_visit;          /* that timing a visit of the loop adds; NaN: not measured */
    double seconds;                  /* of wall clock that were watched */
    double stopped;                  /* of these, the program was stopped for us */
    size_t stops;                    /* times that it was */
    double cpu;                      /* CPU seconds that it took meanwhile; NaN: not known */
    /* seconds between the program's start and the first count; 0: none, or it ran already */
    double late;
    size_t threads;                 /* that were given counters */
    size_t moments;                 /* times that it was timed and recorded */
    struct replayed_all replays;    /* at some of them */
    struct hardware_counts counted; /* in the whole program while it was watched */
    bool ended, killed;             /* the program has, by a signal that cannot be held */
    int status;                     /* as waitpid has it, of one that was started here and ended */
    bool complete;                  /* counted from the program's first instruction to its end */
    /* the process may not be traced or changed, whatever the loop */
    bool refused;
    char *cut;                       /* why it was let go before; NULL: it was not */
};

/* Watches the loop. False with err when the program cannot be treated, and nothing was changed in
 * it, or when it cannot be run; insitu_done frees @out in either case. Any thread. */
bool insitu_run(const struct insitu_options *o, struct insitu *out, struct err *err);
void insitu_done(struct insitu *x);
/* Index in place of a quantile: the mean of all blocks except disturbed ones, which took much
 * longer than the quieter ones. */
#define INSITU_TYPICAL (-1.0)
/* Cycles per iteration in the program by quantile @q of the timed blocks, without what is between
 * visits of the loop when *@alone becomes true; NaN: too few were timed. */
double insitu_cycles(const struct insitu *x, double q, bool *alone);
/* The same of the timed copy, by INSITU_TYPICAL, with what is between visits, and with the way back
 * from the original where an indirect jump leads there. */
double insitu_cycles_whole(const struct insitu *x);
/* Whether insitu_cycles has times of the original code, in copies of the process. Else, where an
 * indirect jump leads out of what is timed, they are with the way back. */
bool insitu_original(const struct insitu *x);
/* Cycles from leaving the loop to entering it again, in the mean; NaN: not timed. */
double insitu_between(const struct insitu *x);
/* Iterations from one time that control leaves the loop to the next, as timed; INFINITY: it never
 * left; NaN: not timed. */
/* Cycles per iteration that the jump to the counting code and back takes, of a loop whose
 * iterations all execute code of the original. insitu_cycles is without them. NaN: not measured, or
 * the loop is another. */
double insitu_patch(const struct insitu *x);
double insitu_trip(const struct insitu *x);

/* Ticks that the clock of stamps takes besides its instructions: its least, when the core was as
 * fast as when its ticks were measured. */
double insitu_clock_overhead(const struct insitu *x);

#endif
