/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libportolan: predicts and measures loops, infers port mappings and charts CPUs, for programs of
 * your own.
 *
 * Handles are opaque, and each is used by one thread at a time; different handles by different
 * threads at once. The library keeps no settings and no state between calls. A function that fails
 * returns 0 or NULL and fills a portolan_error (NULL: ignored); nothing is printed. Structures that
 * the caller provides begin with their size, which sizeof fills in, so that later versions can
 * append members; a library leaves members that it does not know unchanged. Missing numbers are
 * NaN. The process ends only when memory for small things runs out. */
#ifndef PORTOLAN_H
#define PORTOLAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "0.2.0". */
const char *portolan_version(void);

enum portolan_error_code {
    PORTOLAN_OK,
    PORTOLAN_USAGE,      /* an argument is invalid */
    PORTOLAN_DATA,       /* input breaks the rules of its format */
    PORTOLAN_IO,         /* the system refused */
    PORTOLAN_LIMIT,      /* a limit on time or size was met */
    PORTOLAN_MISSING,    /* a file, tool or CPU feature is not there */
    PORTOLAN_STOPPED,    /* the caller stopped it */
    PORTOLAN_MEMORY      /* out of memory */
};

typedef struct portolan_error {
    int code;            /* enum portolan_error_code */
    char text[512];      /* file:line:column: what; what to do */
} portolan_error;

/* A microarchitecture: ports, mapping, latencies and facts. */
typedef struct portolan_machine portolan_machine;

/* A shipped machine or one of the user's by its id ("skylake"), a processor by its name
 * ("emeraldrapids"), or a machine's directory (a path with a slash). The environment variable
 * PORTOLAN_DATA names another data directory than the installed one. */
portolan_machine *portolan_machine_load(const char *id_or_directory, portolan_error *error);
void portolan_machine_free(portolan_machine *machine);   /* NULL is fine */
const char *portolan_machine_title(const portolan_machine *machine);   /* borrowed */
/* Instruction forms that it knows, and their names, as "ADD (R64, R64)"; NULL for an index past the
 * last. Borrowed. */
size_t portolan_machine_forms(const portolan_machine *machine);
const char *portolan_machine_form(const portolan_machine *machine, size_t index);
/* The port usage of @form as text, "1*p0156+1*p23", into @buffer. 0 when the form is not known, or
 * the text does not fit. */
int portolan_machine_usage(const portolan_machine *machine, const char *form, char *buffer,
                           size_t size, portolan_error *error);

/* Cycles of @experiment, "2*ADD (R64, R64) + IMUL (R64, R64)", in steady state without
 * dependences. */
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
const char *portolan_bound_name(int bound);   /* "ports"; NULL for another number */

typedef struct portolan_analysis {
    size_t size;                     /* sizeof (portolan_analysis), by the caller */
    double cycles;                   /* per iteration: the highest bound */
    double bounds[PORTOLAN_BOUNDS];  /* NaN: not modelled on this machine */
    int bottleneck;                  /* enum portolan_bound */
    /* not 0: something in it is not known, so it takes at least that */
    int lower_bound;
    size_t instructions, unknown;    /* unknown: of a form that the machine does not know */
    double simulated;                /* per iteration; NaN if the machine has no load latency */
    char sentence[512];              /* the limit, in words; truncated if longer */
    int estimate;                    /* not 0: the machine's row of a form is an estimate */
} portolan_analysis;

/* The @length bytes of machine code at @code as the body of a loop that repeats, for the machine's
 * instruction set. */
int portolan_analyze(const portolan_machine *machine, const void *code, size_t length,
                     portolan_analysis *analysis, portolan_error *error);

typedef struct portolan_accuracy {
    size_t size;                     /* sizeof (portolan_accuracy), by the caller */
    /* that count, and measured ones left out since a form is not known */
    size_t experiments, unknown;
    double error;                    /* mean of |predicted - measured| / measured */
    double pearson, spearman;
} portolan_accuracy;

/* How well the machine predicts the measured experiments of a CSV file with the columns experiment
 * and cycles. */
int portolan_evaluate(const portolan_machine *machine, const char *file,
                      portolan_accuracy *accuracy, portolan_error *error);

typedef struct portolan_inference {
    /* sizeof (portolan_inference), by the caller; 0 in the members below: the default */
    size_t size;
    /* of the mapping; 0: the fewest that explain the measurements */
    unsigned ports;
    unsigned threads;                /* 0: one; up to 1024 */
    unsigned generations;            /* 0: no limit; then there must be one on seconds */
    /* 0: no limit. The search plans with it: half of it is for the first generation */
    double seconds;
    uint64_t seed;                   /* 0: 1 */
} portolan_inference;

typedef struct portolan_progress {
    double seconds;
    unsigned generation;
    /* of the best mapping on the measurements; NaN before there is one */
    double error;
    uint64_t distinct;               /* different µops in it */
} portolan_progress;

/* Called some times a second on the calling thread; not 0 ends the run with its result so far. */
typedef int (*portolan_watcher)(void *state, const portolan_progress *progress);

/* A port mapping that explains the measured experiments of a CSV file, as a machine of its own; the
 * caller frees it. @watcher may be NULL. NULL with an error, also when the run ended before it had
 * a mapping. */
portolan_machine *portolan_infer(const char *file, const portolan_inference *inference,
                                 portolan_watcher watcher, void *state, portolan_error *error);

typedef struct portolan_measurement {
    size_t size;                     /* sizeof (portolan_measurement), by the caller */
    double cycles, spread;           /* per iteration; how far repeats lie apart, relative */
    double clock_hz;                 /* of the CPU while it was measured */
    /* 0: cycles was measured on a contended CPU, or is below the port bound, with the reason: */
    int confirmed;
    char reason[160];                /* truncated if longer; "" if confirmed */
} portolan_measurement;

/* Runs the @length bytes of machine code at @code, for the instruction set of this CPU, as the body
 * of a loop, in a child process that can do nothing else, and measures cycles per iteration.
 * Registers and memory are set up so that every address is valid. Waits for quiet moments for about
 * @patience seconds; 0: 1.75. The calling thread waits for it. */
int portolan_measure(const void *code, size_t length, double patience,
                     portolan_measurement *measurement, portolan_error *error);

typedef struct portolan_charting {
    /* sizeof (portolan_charting), by the caller; 0 in the members below: the default */
    size_t size;
    /* for the search of ports, where their exact reconstruction leaves errors; 0: 60 */
    double seconds;
    /* seconds that each lot of experiments waits for a quiet CPU; 0: 20 */
    double patience;
    uint64_t seed;                   /* 0: 1 */
    /* charts a CPU that is simulated by this machine's tables, for trials; NULL: this CPU is
     * measured */
    const portolan_machine *simulated;
} portolan_charting;

typedef struct portolan_stage {
    int stage, stages;               /* from 0; how many there are */
    const char *name;                /* borrowed */
    double done, total;              /* within the stage; total 0: not known */
} portolan_stage;

/* Called some times a second on the calling thread; not 0 ends the chart without a result. */
typedef int (*portolan_chart_watcher)(void *state, const portolan_stage *stage);

/* A machine made from measurements alone: ports and the usages of the forms that match one of the
 * @count @patterns (* and ? are wildcards; 0: all forms, which takes hours). Nothing is written to
 * disk. More kinds of forms distinguish more ports. @charting and @watcher may be NULL. The caller
 * frees it. NULL with an error. */
portolan_machine *portolan_chart(const char *const *patterns, size_t count,
                                 const portolan_charting *charting, portolan_chart_watcher watcher,
                                 void *state, portolan_error *error);

#ifdef __cplusplus
}
#endif
#endif
