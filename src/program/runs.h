/* Runs of a program at given inputs: executions of each block and, when traced, reuse distances of
 * each reference. */
#ifndef PORTOLAN_PROGRAM_RUNS_H
#define PORTOLAN_PROGRAM_RUNS_H

#include "base/child.h"
#include "base/pack.h"
#include "base/vec.h"
#include "program/formula.h"
#include "program/heap.h"
#include "program/memory.h"
#include "program/program.h"
#include "program/words.h"

struct run_bin {
    double distance;       /* mean, distinct lines of 64 bytes; INFINITY: first uses */
    double count, regular; /* references, and those of them with a steady step */
    double step;           /* mean of the steady steps, bytes */
};

struct run_reference {
    double references;    /* exact number */
    struct run_bin *bins; /* ascending; their counts sum to @references */
    size_t bin_count;
    /* load: 1 + reference that stored most of its data; 0: none */
    uint32_t from;
    /* executions of that store in between; 0: its latest */
    uint32_t from_age;
};

/* the last two modes do not keep runs: they time calls and simulate caches */
enum trace_mode { TRACE_COUNTS, TRACE_SAMPLED, TRACE_EXACT, TRACE_CALLS, TRACE_SETS };

struct program_run {
    double inputs[INPUTS_MAX];
    enum trace_mode mode;
    double *counts; /* per block of the program */
    double *taken;  /* of them, those that left by the first of two ways */
    /* of the traced, those whose branch a predictor model gets wrong, if what it does depends on
     * data */
    double *mispredicted;
    /* cycles that one execution spends in functions that are not the program's; NaN: not known */
    double *calls;
    struct run_reference *references;
    double seconds; /* duration of the instrumented run */
    /* first calls of the allocator, in order */
    struct heap_event *allocations;
    size_t allocation_count;
    /* page faults of the uninstrumented program, measured or predicted; NaN: unknown */
    double faults;
    /* predicted: those beyond starting; and per block those of pages taken again after they were
     * returned (NULL: not predicted) */
    double faults_beyond, *again;
    double missed[MEMORY_LEVELS]; /* TRACE_SETS: misses per level */
};

/* Runs with the same input names. Immutable once shared. */
struct program_runs {
    const struct program *program; /* held */
    char **names;                  /* of inputs */
    size_t name_count;
    VEC(struct program_run) runs;
    struct invocation how; /* invocation of the first run */
    bool started;          /* started here, so that the command line is known */
    _Atomic unsigned holders;
};

struct run_options {
    struct invocation how; /* borrowed */
    enum trace_mode mode;
    double seconds; /* wall-clock limit per run */
    size_t memory;  /* address space limit */
    /* seconds between two calls of child_watch's function; 0: its default */
    double asks;
    /* OMP_NUM_THREADS in program_measure; 0 and 1: not set */
    size_t threads;
    const struct memory *caches; /* for TRACE_SETS */
};

struct program_runs *program_runs_new(const struct program *p, char *const *names, size_t count);
void program_runs_free(const struct program_runs *runs);
const struct program_runs *program_runs_hold(const struct program_runs *runs);
/* Runs the program and adds its counts. For reuse distances a short run is repeated with all
 * addresses shifted within a line, and the mean is taken. False with err when it could not run,
 * crashed, exited with a status that its invocation does not allow, or timed out. */
bool program_runs_add(struct program_runs *runs, const double *inputs,
                      const struct run_options *options, struct err *err);
/* Resource usage of one run of the uninstrumented program with all threads, including start and
 * end. */
struct program_usage {
    double user, system; /* CPU time, seconds */
    double waited;       /* wall-clock seconds without running */
    double faults;       /* page faults */
    /* involuntary context switches per CPU second */
    double taken_over;
};
/* Runs the uninstrumented program once. False with err as program_runs_add, and when the program
 * was not built here. */
bool program_measure(const struct program *p, char *const *names, size_t count,
                     const double *inputs, const struct run_options *options,
                     struct program_usage *out, struct err *err);
/* Runs the program once and simulates the sets of the caches of @memory by addresses: LRU
 * replacement, each level after a miss in the previous one. Misses per level go to @missed. False
 * with err as program_runs_add. */
bool program_simulate_sets(const struct program *p, char *const *names, size_t count,
                           const double *inputs, const struct run_options *options,
                           const struct memory *memory, double missed[MEMORY_LEVELS],
                           struct err *err);
/* Least CPU seconds of a program that does nothing; NaN with err. */
double program_start_seconds(struct err *err);
/* Reads a trace of the runtime into @out, which program_run_done frees in either case. False with
 * err. */
bool program_trace_read(const struct program *p, const char *path, struct program_run *out,
                        struct err *err);
/* As program_trace_read from text, which is modified; errors name @name as the file. */
bool program_trace_parse(const struct program *p, const char *name, struct str *text,
                         struct program_run *out, struct err *err);
/* Returns the run at @inputs, or NULL. Pure. */
const struct program_run *program_run_with(const struct program_runs *runs, const double *inputs);
void program_run_done(const struct program *p, struct program_run *run);
/* Appends "N=64 M=2". */
void program_inputs_print(char *const *names, const double *inputs, size_t count, struct str *out);
/* ages.c: reuse distances as time, of all references of @run, which are taken to be spread evenly
 * over its time. ages_done frees @out. Any thread. */
void ages_of(const struct program *p, const struct program_run *run, struct ages *out);

/* run_pack.c: a run as bytes for another process of the same program (base/pack.h), which has the
 * program's descriptions (program_descriptions). */

/* Appends @run of @p without its seconds and misses. */
void run_pack(const struct program *p, const struct program_run *run, struct str *out);
/* Returns false when the bytes are invalid or of another program. program_run_done frees @out in
 * either case. */
bool run_unpack(const struct program *p, struct unpacking *from, struct program_run *out);

#endif
