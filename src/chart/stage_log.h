/* Progress of a chart by stage. The charting thread writes it, any thread reads it. */
#ifndef PORTOLAN_CHART_STAGE_LOG_H
#define PORTOLAN_CHART_STAGE_LOG_H

#include <stddef.h>

#include "chart/chart.h"

#define STAGE_POINTS 256

/* CHARTING_ENDED: stopped before completion */
enum charting_state { CHARTING_WAITS, CHARTING_RUNS, CHARTING_DONE, CHARTING_ENDED };

struct stage_row {
    enum charting_state state;
    double seconds;              /* elapsed time in seconds */
    double share;                /* progress within the stage, 0 to 1; NaN: unknown */
    char what[96];               /* current activity; for a finished stage its result */
};

/* Progress of the current stage at one time. */
/* seconds since the start of the chart; progress 0 to 1 */
struct stage_point { double seconds, share; };

struct stage_log;

/* Creates a log for the machine @name. Each owner, including the caller, frees it. */
struct stage_log *stage_log_new(const char *name);
struct stage_log *stage_log_hold(struct stage_log *l);
void stage_log_free(struct stage_log *l);

void stage_log_progress(struct stage_log *l, enum chart_stage stage, double done, double total,
                        const char *what);
/* Records the result of @stage from @so_far. */
void stage_log_done(struct stage_log *l, enum chart_stage stage, const struct chart *so_far);
/* Records the end of the chart, complete or not. */
void stage_log_end(struct stage_log *l);

/* Returns the number of stages, the name (valid until the log is freed), and up to STAGE_POINTS
 * points, oldest first. */
size_t stage_log_get(struct stage_log *l, const char **name, struct stage_row rows[CHART_STAGES],
                     struct stage_point points[STAGE_POINTS]);

#endif
