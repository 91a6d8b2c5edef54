/* Progress and findings of a chart by stage, or of a machine check or a hunt, which have no
 * stages. The job's thread writes the log; any thread may read it. */
#ifndef PORTOLAN_CHART_STAGE_LOG_H
#define PORTOLAN_CHART_STAGE_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "chart/chart.h"
#include "chart/stage_mapping.h"

#define STAGE_POINTS 256
#define STAGE_FINDINGS 40

/* CHARTING_ENDED: the stage ended before it was complete */
enum charting_state { CHARTING_WAITS, CHARTING_RUNS, CHARTING_DONE, CHARTING_ENDED };

struct stage_row {
    enum charting_state state;
    double seconds;              /* elapsed time in seconds */
    double share;                /* progress within the stage, 0 to 1; NaN: unknown */
    char what[96];               /* current activity, or the result of a finished stage */
};

/* Progress at one time: the share of the current stage of a chart, or the value that the curve
 * shows. */
struct stage_point { double seconds, share; };   /* seconds since the start; share from 0 to 1 */

/* A form, experiment or block with measured and predicted cycles */
struct stage_finding {
    char what[96];
    /* @measured: measured cycles. @predicted: cycles that the machine predicts. NaN: unknown. */
    double measured, predicted;
    char note[64];               /* remark, may be empty */
};

enum stage_list { STAGE_WORST, STAGE_DIFFERENCES, STAGE_LISTS };

struct stage_view {
    const char *title, *curve;   /* owned by the log; valid until the caller frees its reference to
                                  * the log */
    /* whether the run is a chart with its stages in @rows; false: a run without stages, which uses
     * only @step */
    bool charts;
    bool runs;
    double seconds;              /* seconds since the start, or the duration of an ended run */
    struct stage_row rows[CHART_STAGES], step;
    struct stage_point points[STAGE_POINTS];   /* points, oldest first */
    size_t point_count;
    struct {
        char title[96];          /* title of the list; empty until the list is filled */
        struct stage_finding rows[STAGE_FINDINGS];
        size_t count;
    } lists[STAGE_LISTS];
};

struct stage_log;

/* Creates a log with a title such as "chart of mine". @curve: static name of the value that the
 * points show. The caller and each caller of stage_log_hold free their references with
 * stage_log_free. */
struct stage_log *stage_log_new(const char *title, const char *curve);
struct stage_log *stage_log_hold(struct stage_log *l);
void stage_log_free(struct stage_log *l);

void stage_log_progress(struct stage_log *l, enum chart_stage stage, double done, double total,
                        const char *what);
/* Records a summary of @stage's result. @so_far: the chart at that time. */
void stage_log_done(struct stage_log *l, enum chart_stage stage, const struct chart *so_far);
/* Records the progress of a run without stages, and appends the point @share (NaN: none) to its
 * curve. */
void stage_log_step(struct stage_log *l, double done, double total, double share, const char *what);
/* Replaces a list with the first STAGE_FINDINGS of @rows. */
void stage_log_list(struct stage_log *l, enum stage_list list, const char *title,
                    const struct stage_finding *rows, size_t count);
/* Sets the mapping that stage_log_mapped returns to a copy of @m. @t: measurements so far. */
void stage_log_mapping(struct stage_log *l, const struct mapping *m, const struct experiments *t);
/* Returns the latest mapping of a chart, which the caller frees with stage_mapping_free; NULL: none
 * yet. */
struct stage_mapping *stage_log_mapped(struct stage_log *l);
/* Records the end of the run, complete or not. */
void stage_log_end(struct stage_log *l);

void stage_log_get(struct stage_log *l, struct stage_view *out);

#endif
