/* What tests of charts share: a simulated CPU, hooks that look on, experiments to judge by. */
#ifndef PORTOLAN_TESTS_CHARTS_H
#define PORTOLAN_TESTS_CHARTS_H

#include "chart/imitate.h"
#include "chart/lab.h"

#define CHART_NEAR 0.02   /* relative: two predictions of one experiment agree */

/* How a chart is looked at. */
struct chart_watch {
    bool cancel;             /* it is to end */
    unsigned stages;         /* in which it may be, a bit for each; 0: in any */
};
/* Hooks that end a chart when @w requests it, and fail the test on inconsistent progress. */
struct chart_hooks chart_watched(struct chart_watch *w);
/* Does @work with each of CHART_THREADS workers on a thread of its own, number 0 on the caller's;
 * ends when all did. */
#define CHART_THREADS 3
void chart_together(void (*work)(void *state, unsigned worker), void *state);

/* Whether both have the same ports, width, usages and issue slots, entry by entry. */
bool chart_mappings_alike(const struct mapping *a, const struct mapping *b);

/* A simulated CPU and the objects that its chart needs. */
struct chart_bed {
    struct machine *truth;
    struct forms *forms;
    struct imitation *imitation;
    /* that is charted: the imitation without the changes to its times */
    struct chart_cpu cpu;
    VEC(const struct form_row *) rows;     /* of the forms that are charted */
    struct chart_watch watch;
    struct chart_hooks hooks;
    struct source *altered;
};
/* Those forms of @take_truth that match @pattern, times with so much relative @noise.
 * chart_bed_done frees, the machine too. */
void chart_bed_init(struct chart_bed *b, struct machine *take_truth, const char *pattern,
                    double noise);
void chart_bed_done(struct chart_bed *b);
/* From now on a time is what @alter makes of it: the truth no longer says all of it. @state stays
 * the caller's. */
void chart_bed_alter(struct chart_bed *b,
                     void (*alter)(const void *state, const struct experiment *e,
                                   struct measured *m),
                     const void *state);

/* A lab on its CPU, whose table has all forms of the truth, each measured alone; @alone gets their
 * cycles. @options stay the caller's, who frees the table. */
void chart_bed_lab(struct chart_bed *b, const struct chart_options *options, struct lab *out,
                   double *alone);

/* An empty table in whose forms those that are charted have their numbers; the caller frees. */
struct experiments *chart_bed_table(const struct chart_bed *b);
/* How many experiments of @take_t the chart foretells otherwise than the truth. */
size_t chart_bed_wrong(const struct chart_bed *b, const struct chart *c,
                       struct experiments *take_t);

#endif
