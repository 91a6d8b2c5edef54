/* Runs a chart from request to saved machine: selects forms, measures on this CPU or a simulated
 * one, and writes output after each stage. */
#ifndef PORTOLAN_CHART_CHARTING_H
#define PORTOLAN_CHART_CHARTING_H

#include "chart/chart.h"
#include "chart/imitate.h"
#include "measure/record.h"

#define CHART_SIMULATED_NOISE 0.005   /* relative noise of a simulated CPU's times */

struct charting_request {
    /* name of the machine. NULL: neither measurements nor machine are saved */
    const char *name;
    struct forms *forms;               /* forms of the CPU's instruction set */
    const char *const *patterns;       /* forms to chart; * and ? are wildcards */
    size_t pattern_count;              /* number of patterns; 0: all forms are charted */
    /* charts at most this many forms, those that programs use most; SIZE_MAX: all */
    size_t top;
    const struct machine *simulated;   /* machine to simulate; NULL: measure this CPU */
    bool recorded;                     /* infer from this CPU's journals without measuring */
    bool leave_ambiguities;                 /* as in chart_options, like the following members */
    double seconds, patience;
    uint64_t seed;
    int cpu;                           /* the only CPU number to measure on; -1: any */
};

struct charting_hooks {
    bool (*cancelled)(void *state);
    void (*progress)(void *state, enum chart_stage stage, double done, double total,
                     const char *what);
    /* as in chart_hooks */
    void (*mapping)(void *state, const struct mapping *so_far, const struct experiments *table);
    void (*stage_done)(void *state, enum chart_stage stage, const struct chart *so_far);
    /* as in chart_hooks; may be NULL */
    bool (*team)(void *state, void (*work)(void *work_state, unsigned worker), void *work_state);
    unsigned threads;
    /* threads that measure on several CPUs concurrently; NULL: one CPU */
    const struct source_threads *lanes;
    struct record *record;                /* record that measurements are appended to; NULL: none */
    void *state;
};

struct chart_job;
/* Creates a chart for @r, which it copies. NULL with err if the name is invalid, no matching form
 * can be measured, or the directory for measurements cannot be created. */
struct chart_job *charting_new(const struct charting_request *r, struct err *err);
void charting_free(struct chart_job *c);
/* Measures and infers. Writes the machine after each stage if results are saved. The same request
 * resumes from the journals. NULL with err, also when cancelled. The caller frees the result before
 * @c. One thread at a time. */
struct chart *charting_run(struct chart_job *c, const struct charting_hooks *hooks,
                           struct err *err);
/* Returns whether the chart measures this CPU. */
bool charting_measures(const struct chart_job *c);
/* Returns the name of the simulated machine ("skylake"), or of this CPU in @name. */
const char *charting_title(const struct chart_job *c, char name[64]);
/* Directory of the results, borrowed; NULL: results are not saved. */
const char *charting_directory(const struct chart_job *c);
const char *charting_journal(const struct chart_job *c);

/* Returns the path of the journal of experiments. This CPU has one for all charts. A simulated CPU
 * (@simulated not NULL) has one per chart @name. The caller frees; NULL with err. */
char *chart_journal_path(const char *name, const char *simulated, struct err *err);
/* Returns the path of the ambiguities of the chart @name (chart/chart.h). The caller frees; NULL
 * without a home directory. */
char *chart_ambiguities_path(const char *name);

#endif
