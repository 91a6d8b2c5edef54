/* Runs of a program at given inputs: how often each block was executed and, when it was traced, the
 * reuse distances of each reference. */
#ifndef PORTOLAN_PROGRAM_RUNS_H
#define PORTOLAN_PROGRAM_RUNS_H

#include "base/child.h"
#include "base/vec.h"
#include "program/formula.h"
#include "program/heap.h"
#include "program/memory.h"
#include "program/program.h"
#include "program/words.h"

struct run_bin {
    double distance;       /* mean, distinct lines of 64 bytes; INFINITY: first uses */
    double count, regular; /* references; of them those at a steady step */
    double step;           /* mean of these steps, bytes */
};

struct run_reference {
    double references;    /* counted exactly */
    struct run_bin *bins; /* ascending; their counts sum up to references */
    size_t bin_count;
    /* of a load, the reference that stored most of its data, plus 1; 0: none did */
    uint32_t from;
    /* how often that was executed between, 0: the store is its newest */
    uint32_t from_age;
};

/* the last two, whose runs are not kept: calls are timed; caches are simulated */
enum trace_mode { TRACE_COUNTS, TRACE_SAMPLED, TRACE_EXACT, TRACE_CALLS, TRACE_SETS };

struct program_run {
    double inputs[INPUTS_MAX];
    enum trace_mode mode;
    double *counts; /* per block of the program */
    double *taken;  /* of them, those that left by the first of two ways */
    /* cycles that one execution spends in functions that are not the program's; NaN: not known */
    double *calls;
    struct run_reference *references;
    double seconds; /* that the run took, instrumented */
    /* the first calls of the allocator, in their order */
    struct heap_event *allocations;
    size_t allocation_count;
    /* page faults of the untraced program, or predicted ones; NaN: not known */
    double faults;
    /* of predicted ones: those beyond starting; of these, per block, of pages that its allocations
     * take again after they were given back (NULL: not predicted) */
    double faults_beyond, *again;
    double missed[MEMORY_LEVELS]; /* of TRACE_SETS: misses of each level */
};

/* Runs with the same inputs' names. Immutable once others hold it. */
struct program_runs {
    const struct program *program; /* held */
    char **names;                  /* of inputs */
    size_t name_count;
    VEC(struct program_run) runs;
    struct invocation how; /* of the first run */
    bool started;          /* that was here: the program's command line is known */
    _Atomic unsigned holders;
};

struct run_options {
    struct invocation how; /* borrowed */
    enum trace_mode mode;
    double seconds; /* of wall clock for each run */
    size_t memory;  /* bytes of address space */
    /* seconds between two calls of child_watch's function; 0: some times a second */
    double asks;
    /* number for OMP_NUM_THREADS in program_measure; 0 and 1: not set */
    size_t threads;
    const struct memory *caches; /* of TRACE_SETS */
};

struct program_runs *program_runs_new(const struct program *p, char *const *names, size_t count);
void program_runs_free(const struct program_runs *runs);
const struct program_runs *program_runs_hold(const struct program_runs *runs);
/* Runs the program and adds its counts; for reuse distances a short run is repeated with all
 * addresses moved within a line, and the mean is taken. False with err when it could not be run,
 * crashed, exited with a status that its invocation does not allow or took too long. Any thread. */
bool program_runs_add(struct program_runs *runs, const double *inputs,
                      const struct run_options *options, struct err *err);
/* Time of one run of the untraced program, all its threads, starting and ending included. */
struct program_usage {
    double user, system; /* CPU time, seconds */
    double waited;       /* seconds on the clock in which it did not run */
    double faults;       /* page faults */
    /* how often others got its CPU, per second of its CPU time */
    double taken_over;
};
/* Runs the untraced program once. False with err as above, and when the program is not one that was
 * built here. Any thread. */
bool program_measure(const struct program *p, char *const *names, size_t count,
                     const double *inputs, const struct run_options *options,
                     struct program_usage *out, struct err *err);
/* Runs the program once and simulates the caches of @memory with their sets, by the addresses: the
 * least recently used line of a set goes, a level is looked up where the one before misses. Misses
 * of each into @missed. False with err as above. Any thread. */
bool program_simulate_sets(const struct program *p, char *const *names, size_t count,
                           const double *inputs, const struct run_options *options,
                           const struct memory *memory, double missed[MEMORY_LEVELS],
                           struct err *err);
/* The least CPU time of a program that does nothing, in seconds; NaN with err. As above. */
double program_start_seconds(struct err *err);
/* Reads a trace that the runtime wrote into @out, which program_run_done frees in either case.
 * False with err. */
bool program_trace_read(const struct program *p, const char *path, struct program_run *out,
                        struct err *err);
/* The same from text, whose lines are cut apart; faults name @name as the file. */
bool program_trace_parse(const struct program *p, const char *name, struct str *text,
                         struct program_run *out, struct err *err);
/* The run at @inputs; NULL: there was none. Pure. */
const struct program_run *program_run_with(const struct program_runs *runs, const double *inputs);
void program_run_done(const struct program *p, struct program_run *run);
/* "N=64 M=2" */
void program_inputs_print(char *const *names, const double *inputs, size_t count, struct str *out);

#endif
