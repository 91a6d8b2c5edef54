/* Progress and findings of a chart, by stage, or of a machine check or hunt, which have one stage.
 * Its job writes, any thread reads. */
#ifndef PORTOLAN_CHART_STAGE_LOG_H
#define PORTOLAN_CHART_STAGE_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "chart/chart.h"
#include "chart/stage_mapping.h"

#define STAGE_POINTS 256
#define STAGE_FINDINGS 40

/* CHARTING_ENDED: stopped before completion */
enum charting_state { CHARTING_WAITS, CHARTING_RUNS, CHARTING_DONE, CHARTING_ENDED };

struct stage_row {
    enum charting_state state;
    double seconds;              /* elapsed time in seconds */
    double share;                /* progress within the stage, 0 to 1; NaN: unknown */
    char what[96];               /* current activity; for a finished stage its result */
};

/* Progress at one time: of the current stage of a chart, or the share that differs. */
struct stage_point { double seconds, share; };   /* since the start; 0 to 1 */

/* A form, experiment or block with its cycles. */
struct stage_finding {
    char what[96];
    double measured, predicted;  /* measured: by the reference; NaN: unknown */
    char note[64];               /* "" or a remark */
};

enum stage_list { STAGE_WORST, STAGE_DIFFERENCES, STAGE_LISTS };

struct stage_view {
    const char *title, *curve;   /* valid while the log is held */
    bool charts;                 /* it has the stages of a chart, else only @step */
    bool runs;
    double seconds;              /* since its start, or its duration */
    struct stage_row rows[CHART_STAGES], step;
    struct stage_point points[STAGE_POINTS];   /* oldest first */
    size_t point_count;
    struct {
        char title[96];          /* "": not filled yet */
        struct stage_finding rows[STAGE_FINDINGS];
        size_t count;
    } lists[STAGE_LISTS];
};

struct stage_log;

/* Creates a log, titled "chart of mine"; @curve (static) says what its points are shares of. Each
 * holder, including the caller, frees it. */
struct stage_log *stage_log_new(const char *title, const char *curve);
struct stage_log *stage_log_hold(struct stage_log *l);
void stage_log_free(struct stage_log *l);

void stage_log_progress(struct stage_log *l, enum chart_stage stage, double done, double total,
                        const char *what);
/* Records the result of @stage from @so_far. */
void stage_log_done(struct stage_log *l, enum chart_stage stage, const struct chart *so_far);
/* Records the progress of a run without stages, and the point @share of its curve. */
void stage_log_step(struct stage_log *l, double done, double total, double share, const char *what);
/* Replaces a list by the first STAGE_FINDINGS of @rows. */
void stage_log_list(struct stage_log *l, enum stage_list list, const char *title,
                    const struct stage_finding *rows, size_t count);
/* Replaces the mapping that stage_log_mapped returns. */
void stage_log_mapping(struct stage_log *l, const struct mapping *m, const struct experiments *t);
/* Returns the mapping of a chart so far, which the caller frees; NULL: none yet. */
struct stage_mapping *stage_log_mapped(struct stage_log *l);
/* Records the end of the run, complete or not. */
void stage_log_end(struct stage_log *l);

void stage_log_get(struct stage_log *l, struct stage_view *out);

#endif
