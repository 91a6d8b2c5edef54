/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libportolan: predicts and measures loops, infers port mappings and charts CPUs. Handles are
 * opaque. Only one thread at a time may use a handle, but different handles can be used
 * concurrently. The library keeps no state between calls. A function that fails returns 0 or NULL
 * and fills a portolan_error (may be NULL). Nothing is printed. The caller's structures begin with
 * their size (sizeof), so that later versions can append members. An older library leaves unknown
 * members unchanged. Missing numbers are NaN. The process ends only if memory for small allocations
 * runs out. */
#ifndef PORTOLAN_H
#define PORTOLAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the version, such as "0.2.0". */
const char *portolan_version(void);

enum portolan_error_code {
    PORTOLAN_OK,
    PORTOLAN_USAGE,      /* an argument is invalid */
    PORTOLAN_DATA,       /* input does not match its format */
    PORTOLAN_IO,         /* a system call failed */
    PORTOLAN_LIMIT,      /* a limit on time, memory or size was exceeded */
    PORTOLAN_MISSING,    /* a file, a tool or a CPU feature is missing */
    PORTOLAN_STOPPED,    /* the caller cancelled the call */
    PORTOLAN_MEMORY      /* out of memory */
};

typedef struct portolan_error {
    int code;            /* error code (enum portolan_error_code) */
    char text[512];      /* "file:line:column: cause; remedy" */
} portolan_error;

/* A microarchitecture: ports, mapping, latencies and facts */
typedef struct portolan_machine portolan_machine;

/* Loads a machine by id ("skylake", shipped or the user's) or by processor name ("emeraldrapids").
 * A path with a slash is a machine directory. The environment variable PORTOLAN_DATA replaces the
 * installed data directory. */
portolan_machine *portolan_machine_load(const char *id_or_directory, portolan_error *error);
void portolan_machine_free(portolan_machine *machine);   /* Frees the machine, which may be
                                                          * NULL. */
const char *portolan_machine_title(const portolan_machine *machine);   /* Returns the machine's
                                                                        * title, or its id if it
                                                                        * has none; borrowed. */
/* portolan_machine_forms returns the number of the machine's instruction forms.
 * portolan_machine_form returns a form's name, such as "ADD (R64, R64)", borrowed; NULL for an
 * invalid index. */
size_t portolan_machine_forms(const portolan_machine *machine);
const char *portolan_machine_form(const portolan_machine *machine, size_t index);
/* Writes the port usage of @form, such as "1*p0156+1*p23", to @buffer. Returns 0 if the form is
 * unknown or the text does not fit. */
int portolan_machine_usage(const portolan_machine *machine, const char *form, char *buffer,
                           size_t size, portolan_error *error);

/* Sets *@cycles to the cycles of @experiment, such as "2*ADD (R64, R64) + IMUL (R64, R64)", in the
 * steady state without dependences. */
int portolan_throughput(const portolan_machine *machine, const char *experiment, double *cycles,
                        portolan_error *error);

enum portolan_bound {
    PORTOLAN_BOUND_PORTS,
    PORTOLAN_BOUND_DIVIDERS,
    PORTOLAN_BOUND_ISSUE,
    PORTOLAN_BOUND_FRONTEND,
    PORTOLAN_BOUND_DEPENDENCIES,
    PORTOLAN_BOUND_MEMORY,
    PORTOLAN_BOUND_RETIRE,
    PORTOLAN_BOUNDS
};
const char *portolan_bound_name(int bound);   /* Returns the bound's name, such as "ports"; NULL
                                               * for an invalid number. */

typedef struct portolan_analysis {
    size_t size;                     /* set to sizeof (portolan_analysis) by the caller */
    double cycles;                   /* cycles per iteration: the highest bound */
    double bounds[PORTOLAN_BOUNDS];  /* bounds in cycles per iteration; NaN: the machine does not
                                      * model the bound */
    int bottleneck;                  /* largest bound (enum portolan_bound) */
    /* not 0: cycles is a lower bound, because a part is unknown */
    int lower_bound;
    size_t instructions, unknown;    /* @unknown: number of instructions with forms that the machine
                                      * lacks */
    double simulated;                /* cycles per iteration; NaN if the machine has no load
                                      * latency */
    char sentence[512];              /* sentence that names the limit; truncated if it is longer */
    int estimate;                    /* not 0: values of a form are estimates */
} portolan_analysis;

/* Analyses the @length bytes of machine code at @code as a loop body. The code must be for the
 * machine's instruction set. */
int portolan_analyze(const portolan_machine *machine, const void *code, size_t length,
                     portolan_analysis *analysis, portolan_error *error);

typedef struct portolan_accuracy {
    size_t size;                     /* set to sizeof (portolan_accuracy) by the caller */
    /* @experiments: number of evaluated experiments. @unknown: number of experiments omitted
     * because the machine lacks a form */
    size_t experiments, unknown;
    double error;                    /* mean of |predicted - measured| / measured */
    double pearson, spearman;
} portolan_accuracy;

/* Evaluates the machine's predictions of measured experiments. @file is a CSV file with the columns
 * experiment and cycles. */
int portolan_evaluate(const portolan_machine *machine, const char *file,
                      portolan_accuracy *accuracy, portolan_error *error);

typedef struct portolan_inference {
    /* set to sizeof (portolan_inference) by the caller; 0 in another member selects its default */
    size_t size;
    /* number of ports of the mapping; 0: the fewest that explain the measurements */
    unsigned ports;
    unsigned threads;                /* number of threads, at most 1024; 0: one thread */
    unsigned generations;            /* maximum number of generations; 0: unlimited, in which case
                                      * seconds must be limited */
    /* Time limit in seconds. 0: unlimited. The search uses half of this time for the first
     * generation. */
    double seconds;
    uint64_t seed;                   /* random seed; 0: 1 */
} portolan_inference;

typedef struct portolan_progress {
    double seconds;
    unsigned generation;
    /* relative error of the best mapping on the measurements; NaN before the first mapping */
    double error;
    uint64_t distinct;               /* number of distinct µops of that mapping */
} portolan_progress;

/* Called several times per second on the calling thread. If it returns a value other than 0, the
 * run ends, and its current result is returned. */
typedef int (*portolan_watcher)(void *state, const portolan_progress *progress);

/* Infers a port mapping that explains the measured experiments of a CSV file. Returns it as a
 * machine, which the caller frees. @watcher may be NULL. Returns NULL with an error on failure, or
 * if the run ended before the first mapping. */
portolan_machine *portolan_infer(const char *file, const portolan_inference *inference,
                                 portolan_watcher watcher, void *state, portolan_error *error);

typedef struct portolan_measurement {
    size_t size;                     /* set to sizeof (portolan_measurement) by the caller */
    double cycles, spread;           /* @cycles: cycles per iteration. @spread: relative spread of
                                      * repeated measurements. */
    double clock_hz;                 /* clock of the CPU during the measurement, Hz */
    /* not 0: confirmed; 0: not confirmed, for the reason in @reason */
    int confirmed;
    char reason[160];                /* reason why the cycles are not confirmed, truncated if it is
                                      * longer; "": they are confirmed */
} portolan_measurement;

/* Measures the @length bytes of machine code at @code as a loop body on this CPU, in cycles per
 * iteration. The code runs in a sandboxed child process; registers and memory are set up so that
 * every address is valid. Waits about @patience seconds for an idle CPU; 0: 1.75. Blocks the
 * calling thread. */
int portolan_measure(const void *code, size_t length, double patience,
                     portolan_measurement *measurement, portolan_error *error);

typedef struct portolan_charting {
    /* set to sizeof (portolan_charting) by the caller; 0 in another member selects its default */
    size_t size;
    /* seconds to wait for an idle CPU, per batch of experiments; 0: 20 */
    double patience;
    uint64_t seed;                   /* random seed; 0: 1 */
    /* machine whose tables simulate the charted CPU; NULL: this CPU is measured */
    const portolan_machine *simulated;
} portolan_charting;

typedef struct portolan_stage {
    /* @stage: number of the stage, from 0. @stages: number of stages. */
    int stage, stages;
    const char *name;                /* name of the stage; borrowed */
    double done, total;              /* progress within the stage; total 0: unknown */
} portolan_stage;

/* Called several times per second on the calling thread. A return value other than 0 cancels the
 * chart. */
typedef int (*portolan_chart_watcher)(void *state, const portolan_stage *stage);

/* Charts a machine from measurements alone: its ports, and the usages of the forms that match one
 * of the @count @patterns (* and ? are wildcards). @count 0: all forms, which takes hours. More
 * kinds of forms distinguish more ports. Writes nothing to disk. @charting and @watcher may be
 * NULL. Returns a machine that the caller frees; NULL with an error. */
portolan_machine *portolan_chart(const char *const *patterns, size_t count,
                                 const portolan_charting *charting, portolan_chart_watcher watcher,
                                 void *state, portolan_error *error);

#ifdef __cplusplus
}
#endif
#endif
