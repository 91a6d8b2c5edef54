/* Where measurements come from: this CPU through the sandbox, or a simulated one that knows its
 * mapping. */
#ifndef PORTOLAN_MEASURE_SOURCE_H
#define PORTOLAN_MEASURE_SOURCE_H

#include "isa/forms.h"
#include "measure/calibrate.h"
#include "measure/form_codes.h"
#include "measure/record.h"
#include "model/experiment.h"
#include "model/mapping.h"

struct measured {
    double cycles;       /* per execution of the experiment; NaN: none, with the reason in state */
    double spread;       /* relative */
    double clock_hz;
    uint32_t repeats;    /* accepted windows */
    bool counter;        /* cycles come from the hardware's counter */
    /* the same in a body of SOURCE_SHORT instructions; NaN: not measured, or by a source alone */
    double short_cycles;
    /* runner: comparison of the two lengths, runner_lengths; "" when not both are known */
    char lengths[24];
    /* nops per cycle of the idle core it was judged by; 0: no such thing, simulated */
    double baseline;
    double slowed;       /* share of the windows that others disturbed */
    /* without a value: the time on a busy core, shown as that; NaN: unknown */
    double contended_cycles;
    /* no reason of the experiment's own: the machine was not quiet enough, try again */
    bool busy;
    char state[96];      /* EXPERIMENT_OK or the reason */
};

/* Combines the @n orders of one experiment, @beaten those that one window showed to be no faster:
 * the least. An order without a window, because of neighbours, may be the quickest: without it
 * there is no value. Returns the one that counts. Pure. */
unsigned measured_least(const struct measured *orders, const bool *beaten, unsigned n,
                        struct measured *out);

/* One thread. */
struct source {
    unsigned instructions;   /* of a body, about: may be changed between calls */
    /* 1 to BODY_ORDERS of a body that are run, of which the least time counts, and with several of
     * a padded one too (BODY_PAIRED), where that may be quicker: may be changed between calls */
    unsigned orders;
    double baseline;         /* nops per cycle of the idle core; 0: simulated */
    /* that measured at the same time in the last call that was not little; 0: none did,
     * simulated */
    unsigned cpus;
    bool doubtful;           /* that baseline is a guess: values are to be measured again */
    /* it measures nothing: a single pass in the journal is a value */
    bool one_pass;
    struct record *record;   /* keeper of the samples; NULL: none */
    /* Fills @out for @n experiments (at most SANDBOX_ITEMS). False with err when measuring itself
     * is impossible or was cancelled: nothing in @out counts then. */
    bool (*measure)(struct source *s, const struct experiment *e, size_t n, struct measured *out,
                    bool (*cancelled)(void *state), void *state, struct err *err);
    /* The sums of the code of @n experiments (form_codes_sums), the key of a journal; NULL: they
     * are not code, simulated. */
    void (*sums)(struct source *s, const struct experiment *e, size_t n,
                 char (*out)[FORM_CODES_SUM]);
    void (*free)(struct source *s);
};
static inline void source_free(struct source *s)
{
    if (s)
        s->free(s);
}

/* Least cycles of @instructions by the issue width of any core, and of one with @baseline nops per
 * cycle (0 or NaN: unknown). Lower times are invalid. Pure. */
double source_least_cycles(double baseline, uint64_t instructions);

/* Slots a cycle of a core that is fast enough for the way its µop cache delivers short instructions
 * to show: bodies are also run padded (docs/measuring.md, "Padded"). */
#define SOURCE_WIDE 6.5

/* Long enough that the loop's own branch costs half a percent of an issue-bound body, short enough
 * for every decoded-instruction cache. */
#define SOURCE_BODY 200
/* PMEvo's: a difference of the two lengths is due to the front end, or the loop. */
#define SOURCE_SHORT 50

/* Threads for CPUs that measure concurrently, where threads may start (work/crew.h has the contract
 * of each). @crew: returned by begin; NULL with err when there are none. */
struct source_threads {
    void *(*begin)(unsigned members, struct err *err);
    void (*call)(void *crew, void (*work)(void *state, unsigned member), void *state,
                 void (*waiting)(void *state));
    void (*end)(void *crew);
};

/* Loads forms from @forms (borrowed), calibrates. @threads (borrowed) NULL, or a @cpu that is not
 * -1: one CPU measures at a time. NULL with err. */
struct source *source_cpu(const struct forms *forms, int cpu, unsigned instructions,
                          const struct source_threads *threads, bool (*cancelled)(void *state),
                          void *state, struct err *err);
const struct calibration *source_cpu_calibration(const struct source *s);
/* Measurements of a source of this CPU go into @record (borrowed) from now on, as a new series. */
void source_cpu_record(struct source *s, struct record *record);
struct sandbox *source_cpu_sandbox(struct source *s);
/* Processes that ran code for it so far; one for each CPU when none died. */
unsigned source_cpu_children(const struct source *s);

/* The body that source_cpu would run for @e on a processor of the forms' set, without running it.
 * False with err when there is none. Any thread. */
bool source_code(const struct forms *forms, const struct experiment *e,
                 const struct body_shape *shape, struct body *out, struct err *err);

/* A processor with the times of @mapping (borrowed), with the clock drifting, runs interrupted and
 * contention now and then as seen on real ones. @noise: relative jitter of each run; NaN: none, but
 * values have the errors of a real CPU (measure/observed_noise.h). */
struct source *source_simulated(const struct mapping *mapping, double noise, uint64_t seed);

#endif
