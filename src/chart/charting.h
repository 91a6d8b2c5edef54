/* A chart from request to saved machine: forms, place of measurements, this CPU or a simulated one,
 * output after each stage. */
#ifndef PORTOLAN_CHART_CHARTING_H
#define PORTOLAN_CHART_CHARTING_H

#include "chart/chart.h"
#include "chart/imitate.h"
#include "measure/record.h"

#define CHART_SIMULATED_NOISE 0.005   /* relative, of a time of a simulated CPU that is charted */

struct charting_request {
    /* of the machine. NULL: nothing is kept, neither measurements nor the machine */
    const char *name;
    struct forms *forms;               /* of the CPU's instruction set */
    const char *const *patterns;       /* forms to chart; * and ? are wildcards */
    size_t pattern_count;              /* 0: all */
    /* at most this many, those that programs use most; SIZE_MAX: all */
    size_t top;
    const struct machine *simulated;   /* NULL: this CPU */
    bool recorded;                     /* nothing is measured: only this CPU's journals are used */
    bool leave_ambiguities;                 /* as in chart_options, like those below */
    double seconds, patience;
    uint64_t seed;
    int cpu;                           /* the only one to measure on; -1: any */
};

struct charting_hooks {
    bool (*cancelled)(void *state);
    void (*progress)(void *state, enum chart_stage stage, double done, double total,
                     const char *what);
    void (*stage_done)(void *state, enum chart_stage stage, const struct chart *so_far);
    /* as in chart_hooks; may be NULL */
    bool (*team)(void *state, void (*work)(void *work_state, unsigned worker), void *work_state);
    unsigned threads;
    /* for CPUs that measure at the same time; NULL: one does */
    const struct source_threads *lanes;
    struct record *record;                /* record of measuring; NULL: none */
    void *state;
};

struct chart_job;
/* Request of @r, which is copied. NULL with err: invalid name, no form that can be measured
 * matches, or no directory for measurements. Any thread. */
struct chart_job *charting_new(const struct charting_request *r, struct err *err);
void charting_free(struct chart_job *c);
/* Measures and infers; writes the machine after each stage, except when nothing is kept. The same
 * request resumes from the journals. NULL with err, also when cancelled. The caller frees, before
 * @c. One thread at a time. */
struct chart *charting_run(struct chart_job *c, const struct charting_hooks *hooks,
                           struct err *err);
/* Whether it measures this CPU. */
bool charting_measures(const struct chart_job *c);
/* "skylake", or the CPU's name. */
const char *charting_title(const struct chart_job *c, char name[64]);
/* Borrowed; NULL: nothing is kept. */
const char *charting_directory(const struct chart_job *c);
const char *charting_journal(const struct chart_job *c);

/* Where experiments are kept: those of this CPU with all others of it, those of a simulated one
 * (@simulated not NULL) with the chart @name. The caller frees; NULL with err. */
char *chart_journal_path(const char *name, const char *simulated, struct err *err);
/* Path of the ambiguities of the chart @name (chart/chart.h). The caller frees; NULL without a
 * home. */
char *chart_ambiguities_path(const char *name);

#endif
