/* Runs a chart from request to saved machine: selects forms, measures on this CPU or a simulated
 * one, and writes output after each stage. */
#ifndef PORTOLAN_CHART_CHARTING_H
#define PORTOLAN_CHART_CHARTING_H

#include "chart/chart.h"
#include "chart/imitate.h"
#include "measure/record.h"

#define CHART_SIMULATED_NOISE 0.005   /* relative noise of a simulated CPU that is charted */

struct charting_request {
    /* name of the machine. NULL: neither measurements nor machine are kept */
    const char *name;
    struct forms *forms;               /* of the CPU's instruction set */
    const char *const *patterns;       /* forms to chart; * and ? are wildcards */
    size_t pattern_count;              /* 0: all */
    /* at most this many forms, the most used by programs; SIZE_MAX: all */
    size_t top;
    const struct machine *simulated;   /* NULL: this CPU */
    bool recorded;                     /* measures nothing: only this CPU's journals are used */
    bool leave_ambiguities;                 /* this and the following: as in chart_options */
    double seconds, patience;
    uint64_t seed;
    int cpu;                           /* the only CPU to measure on; -1: any */
};

struct charting_hooks {
    bool (*cancelled)(void *state);
    void (*progress)(void *state, enum chart_stage stage, double done, double total,
                     const char *what);
    void (*stage_done)(void *state, enum chart_stage stage, const struct chart *so_far);
    /* as in chart_hooks; may be NULL */
    bool (*team)(void *state, void (*work)(void *work_state, unsigned worker), void *work_state);
    unsigned threads;
    /* for CPUs that measure concurrently; NULL: one CPU */
    const struct source_threads *lanes;
    struct record *record;                /* record of measurements; NULL: none */
    void *state;
};

struct chart_job;
/* Creates a chart for @r, which is copied. NULL with err: invalid name, no matching form can be
 * measured, or no directory for measurements. */
struct chart_job *charting_new(const struct charting_request *r, struct err *err);
void charting_free(struct chart_job *c);
/* Measures and infers; writes the machine after each stage if results are kept. The same request
 * resumes from the journals. NULL with err, also when cancelled. The caller frees the result before
 * @c. One thread at a time. */
struct chart *charting_run(struct chart_job *c, const struct charting_hooks *hooks,
                           struct err *err);
/* Returns whether it measures this CPU. */
bool charting_measures(const struct chart_job *c);
/* Returns "skylake", or the CPU's name. */
const char *charting_title(const struct chart_job *c, char name[64]);
/* Directory of the results, borrowed; NULL: nothing is kept. */
const char *charting_directory(const struct chart_job *c);
const char *charting_journal(const struct chart_job *c);

/* Path of the journal of experiments: one for all of this CPU, or with the chart @name of a
 * simulated one (@simulated not NULL). The caller frees; NULL with err. */
char *chart_journal_path(const char *name, const char *simulated, struct err *err);
/* Path of the ambiguities of the chart @name (chart/chart.h). The caller frees; NULL without a
 * home. */
char *chart_ambiguities_path(const char *name);

#endif
