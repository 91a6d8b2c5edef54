/* Runs of a program at given inputs, with the executions of each block. Traced runs also have the
 * reuse distances of each reference. */
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
    double distance;       /* mean distance in distinct lines of 64 bytes; INFINITY: first uses */
    /* @count: number of references. @regular: number of references with a steady stride. */
    double count, regular;
    double step;           /* most common steady stride in bytes */
};

struct run_reference {
    double references;    /* exact number of references */
    struct run_bin *bins; /* bins in ascending order of distance, whose counts sum to @references */
    size_t bin_count;
    /* for a load: 1 + index of the reference that stored most of its data; 0: none */
    uint32_t from;
    /* number of executions of reference @from between the store and the load */
    uint32_t from_age;
    /* 1 + index of the block's first reference with the same stride at a constant distance; 0:
     * there is none, or this reference is the first one */
    uint32_t lead;
    /* address of the reference minus that of reference @lead, divided by the stride; below 1 in an
     * unrolled loop */
    double apart;
    /* 1 + index of the block's first reference with the same stride that ended less than one
     * stride from this one (columns of one row); 0: this reference is the first one */
    uint32_t rows;
};

/* TRACE_CALLS measures the times of calls, and TRACE_SETS simulates caches. Runs in these two modes
 * are not stored. */
enum trace_mode { TRACE_COUNTS, TRACE_SAMPLED, TRACE_EXACT, TRACE_CALLS, TRACE_SETS };

struct program_run {
    double inputs[INPUTS_MAX];
    enum trace_mode mode;
    double *counts; /* per block: number of executions */
    /* per block: number of executions in which the branch condition was true */
    double *taken;
    /* per block: number of executions in which the predictor model mispredicts the data-dependent
     * branch; traced runs only */
    double *mispredicted;
    /* per block: cycles of external functions per execution; NaN: unknown */
    double *calls;
    /* per block: number of times that its external functions called the program's functions; NULL:
     * unknown */
    double *callbacks;
    struct run_reference *references;
    double seconds; /* duration of the instrumented run */
    /* recorded calls of the allocator, in order */
    struct heap_event *allocations;
    size_t allocation_count;
    /* number of page faults of the uninstrumented program, measured or predicted; NaN: unknown */
    double faults;
    /* @faults_beyond: predicted faults without those of starting the program; 0: not predicted.
     * @again: per block, predicted faults of pages that malloc had returned to the system; NULL:
     * not predicted. */
    double faults_beyond, *again;
    double missed[MEMORY_LEVELS]; /* TRACE_SETS: misses of each level */
};

/* Runs with the same input names. Immutable while several references exist. */
struct program_runs {
    const struct program *program; /* owned reference */
    char **names;                  /* names of the inputs */
    size_t name_count;
    VEC(struct program_run) runs;
    struct invocation how; /* invocation of the first run, which all runs share */
    bool started;          /* whether this process started the runs; it then has the command line */
    _Atomic unsigned holders;
};

struct run_options {
    struct invocation how; /* invocation, borrowed */
    enum trace_mode mode;
    double seconds; /* limit of wall-clock seconds per run */
    size_t memory;  /* limit of the address space in bytes */
    /* seconds between two calls of child_watch's function; 0: the default */
    double asks;
    /* value of OMP_NUM_THREADS in program_measure; 0, 1: not set */
    size_t threads;
    const struct memory *caches; /* caches that TRACE_SETS simulates */
};

/* Adds the counts of @from, another process of the same run, to @into. */
void run_add(const struct program *p, struct program_run *into, const struct program_run *from);
/* Returns the most common steady stride of @r in bytes; 0: none. Pure. */
double run_step(const struct run_reference *r);
struct program_runs *program_runs_new(const struct program *p, char *const *names, size_t count);
void program_runs_free(const struct program_runs *runs);
const struct program_runs *program_runs_hold(const struct program_runs *runs);
/* Runs the program at @inputs, and adds the run. Repeats a traced short run with all addresses
 * shifted within a line, and averages the reuse distances. Returns false with err if the program
 * could not run, crashed or timed out, or if its invocation does not allow the exit status. */
bool program_runs_add(struct program_runs *runs, const double *inputs,
                      const struct run_options *options, struct err *err);
/* Resource usage of one run of the uninstrumented program, over all threads, including its start
 * and end */
struct program_usage {
    double user, system; /* CPU time in seconds */
    double waited;       /* wall-clock seconds in which no thread ran */
    double faults;       /* number of page faults */
    /* number of involuntary context switches per second of CPU time */
    double taken_over;
};
/* Runs the uninstrumented program once. Returns false with err like program_runs_add, or if the
 * program has no uninstrumented version. */
bool program_measure(const struct program *p, char *const *names, size_t count,
                     const double *inputs, const struct run_options *options,
                     struct program_usage *out, struct err *err);
/* Runs the program once, and simulates the sets of the caches of @memory by address, with LRU
 * replacement. A miss in a level accesses the next one. Stores the misses per level in @missed.
 * Returns false with err like program_runs_add. */
bool program_simulate_sets(const struct program *p, char *const *names, size_t count,
                           const double *inputs, const struct run_options *options,
                           const struct memory *memory, double missed[MEMORY_LEVELS],
                           struct err *err);
/* Returns the minimum CPU seconds of an empty program; NaN with err. */
double program_start_seconds(struct err *err);
/* Reads the trace at @path, which the runtime wrote, into @out. The caller always frees @out with
 * program_run_done. Returns false with err on failure. */
bool program_trace_read(const struct program *p, const char *path, struct program_run *out,
                        struct err *err);
/* Parses a trace in @text, which is modified, like program_trace_read. Errors contain the file name
 * @name. */
bool program_trace_parse(const struct program *p, const char *name, struct str *text,
                         struct program_run *out, struct err *err);
/* Returns the run of @runs at @inputs; NULL: none. Pure. */
const struct program_run *program_run_with(const struct program_runs *runs, const double *inputs);
void program_run_done(const struct program *p, struct program_run *run);
/* Appends names and values of the inputs: "N=64 M=2". */
void program_inputs_print(char *const *names, const double *inputs, size_t count, struct str *out);
/* Computes reuse times from the reuse distances of all references of @run (ages.c). Assumes that
 * references are distributed evenly over the run's time. ages_done frees @out. Any thread. */
void ages_of(const struct program *p, const struct program_run *run, struct ages *out);

/* Returns the iterations of @block in @run per entry of the loop that consists of this block only.
 * Assumes at least one entry, because the result from fitted counts may be less. Returns 1 if the
 * block is not such a loop or is not executed. Pure. */
double program_run_trips(const struct program *p, const struct program_run *run, uint32_t block);
/* Appends @run of @p, without its seconds, callbacks, allocations and misses, as bytes
 * (base/pack.h). The reader needs the program's descriptions (program_descriptions).. */
void run_pack(const struct program *p, const struct program_run *run, struct str *out);
/* Reads a run from bytes. Returns false if they are invalid or belong to another program. The
 * caller always frees @out with program_run_done. */
bool run_unpack(const struct program *p, struct unpacking *from, struct program_run *out);

#endif
