/* Shared by tests of charts: a simulated CPU, hooks that check progress, and experiments for
 * validation. */
#ifndef PORTOLAN_TESTS_CHARTS_H
#define PORTOLAN_TESTS_CHARTS_H

#include "chart/imitate.h"
#include "chart/lab.h"

/* relative difference up to which two predictions of an experiment agree */
#define CHART_NEAR 0.02

/* State of hooks that observe a chart. */
struct chart_watch {
    bool cancel;             /* true cancels the chart */
    unsigned stages;         /* permitted stages, one bit each; 0 permits all */
};
/* Returns hooks that cancel a chart when @w requests it, and fail the test if progress is
 * inconsistent. */
struct chart_hooks chart_watched(struct chart_watch *w);
/* Calls @work concurrently on CHART_THREADS workers. Worker 0 is the calling thread. Returns after
 * the last worker has finished. */
#define CHART_THREADS 3
void chart_together(void (*work)(void *state, unsigned worker), void *state);

/* Returns whether both mappings have the same ports, issue width, usages and issue slots. */
bool chart_mappings_alike(const struct mapping *a, const struct mapping *b);

/* A simulated CPU and the objects that its chart needs. */
struct chart_bed {
    struct machine *truth;
    struct forms *forms;
    struct imitation *imitation;
    /* the charted CPU: simulated, perhaps with altered times */
    struct chart_cpu cpu;
    VEC(const struct form_row *) rows;     /* rows of the charted forms */
    struct chart_watch watch;
    struct chart_hooks hooks;
    struct source *altered;
};
/* Fills the bed with the forms of @take_truth that match @pattern. @noise is the relative noise of
 * times. The caller frees the bed, including the machine, with chart_bed_done. */
void chart_bed_init(struct chart_bed *b, struct machine *take_truth, const char *pattern,
                    double noise);
void chart_bed_done(struct chart_bed *b);
/* Passes each later time through @alter, so that @truth no longer describes it completely. The
 * caller owns @state. */
void chart_bed_alter(struct chart_bed *b,
                     void (*alter)(const void *state, const struct experiment *e,
                                   struct measured *m),
                     const void *state);

/* Creates a lab on the bed's CPU. Its table has all forms of the truth, each measured alone. @alone
 * receives their cycles. The caller owns @options and frees the table. */
void chart_bed_lab(struct chart_bed *b, const struct chart_options *options, struct lab *out,
                   double *alone);

/* Returns an empty table whose form numbers equal those of the chart. The caller frees it. */
struct experiments *chart_bed_table(const struct chart_bed *b);
/* Returns the number of experiments in @take_t whose prediction by the chart differs from the
 * truth. */
size_t chart_bed_wrong(const struct chart_bed *b, const struct chart *c,
                       struct experiments *take_t);

#endif
