/* Runs a chart from the request to the saved machine. Selects forms, measures on this CPU or a
 * simulated one, and writes output after each stage. */
#ifndef PORTOLAN_CHART_CHARTING_H
#define PORTOLAN_CHART_CHARTING_H

#include "chart/chart.h"
#include "chart/imitate.h"
#include "measure/record.h"

#define CHART_SIMULATED_NOISE 0.005   /* relative noise of the times of a simulated CPU */

struct charting_request {
    /* name of the machine; NULL: nothing is saved, neither measurements nor the machine */
    const char *name;
    struct forms *forms;
    const char *const *patterns;       /* patterns of the forms to chart, with wildcards * and ? */
    size_t pattern_count;              /* number of patterns; 0: all forms are charted */
    /* Maximum number of forms. If there are more, those that programs use most are charted.
     * SIZE_MAX: no limit. */
    size_t top;
    const struct machine *simulated;   /* machine to simulate; NULL: this CPU is measured */
    /* whether to infer from the journals of this CPU, without measurements */
    bool recorded;
    bool leave_ambiguities;                 /* as in chart_options, like the following members */
    double patience;
    uint64_t seed;
    int cpu;                           /* index of the only CPU to measure on; -1: any CPU */
};

struct charting_hooks {
    bool (*cancelled)(void *state);
    void (*progress)(void *state, enum chart_stage stage, double done, double total,
                     const char *what);
    /* as in chart_hooks */
    void (*mapping)(void *state, const struct mapping *so_far, const struct experiments *table);
    void (*stage_done)(void *state, enum chart_stage stage, const struct chart *so_far);
    /* calls @work on several threads as in chart_hooks; may be NULL */
    bool (*team)(void *state, void (*work)(void *work_state, unsigned worker), void *work_state);
    unsigned threads;
    /* threads that measure concurrently, each on its own CPU; NULL: only one CPU measures */
    const struct source_threads *measurers;
    struct record *record;                /* record to which measurements are appended; NULL:
                                           * none */
    void *state;
};

struct chart_job;
/* Creates a chart for @r, which is copied. Returns NULL with err if the name is invalid or no
 * matching form can be measured. Also returns NULL if there is no state directory. */
struct chart_job *charting_new(const struct charting_request *r, struct err *err);
void charting_free(struct chart_job *c);
/* Measures and infers. If results are saved, writes the machine after each stage, beginning with
 * the stage that infers ports. The same request resumes from the journals. Returns NULL with err on
 * failure or when cancelled. The caller must free the result before it frees @c. One thread at a
 * time. */
struct chart *charting_run(struct chart_job *c, const struct charting_hooks *hooks,
                           struct err *err);
/* Returns whether the chart measures this CPU, instead of a simulated CPU or recorded times. */
bool charting_measures(const struct chart_job *c);
/* Returns the name of the simulated machine ("skylake"). Otherwise writes the name of this CPU to
 * @name and returns @name. */
const char *charting_title(const struct chart_job *c, char name[64]);
/* Return the directory of the results, or the path of the journal, borrowed; NULL: results are not
 * saved. */
const char *charting_directory(const struct chart_job *c);
const char *charting_journal(const struct chart_job *c);

/* Returns the path of the journal of experiments. All charts of this CPU share one journal. The
 * chart @name of a simulated CPU has its own journal. @simulated: the simulated machine; NULL:
 * none. The caller frees the path. Returns NULL with err on failure. */
char *chart_journal_path(const char *name, const char *simulated, struct err *err);
/* Returns the path of the file of ambiguities of the chart @name (chart/chart.h). The caller frees
 * the path. Returns NULL if there is no state directory. */
char *chart_ambiguities_path(const char *name);

#endif
