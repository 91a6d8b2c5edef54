/* Predictions of the session's experiments by machines, and their accuracy: computed at once for a
 * small table, in the background for a large one. */
#ifndef PORTOLAN_CMD_FORECAST_H
#define PORTOLAN_CMD_FORECAST_H

#include "cmd/session.h"
#include "model/metrics.h"

#define FORECAST_AT_ONCE 1000 /* rows that the screen waits for: a millisecond */

/* Predictions of one machine for one table; immutable and shared. */
struct prediction {
    /* per row, NaN if unpredictable; NULL: not made */
    double *cycles;
    size_t rows;
    struct accuracy accuracy;
    struct heat_map map;         /* of rows with both values */
    size_t worst;                /* row with the largest error, if accuracy.n is not 0 */
    _Atomic unsigned holders;    /* besides the first */
};

/* Predictions of @m, one of the session's machines or a run's, for the session's experiments; to be
 * given back to prediction_free, never NULL. Its cycles are NULL while a job makes the first, or if
 * it failed. When that job ends the session's revision changes, so that views request them again.
 * Those of a table that a job changes may be older than its newest results. UI thread. */
struct prediction *session_forecast(struct session *s, struct machine *m);
/* Adds a holder. The last holder's prediction_free frees it (NULL is fine). */
struct prediction *prediction_hold(struct prediction *p);
void prediction_free(struct prediction *p);

/* Whether a job makes those of @m. UI thread. */
bool session_forecasting(const struct session *s, const struct machine *m);

struct forecasts;
void forecasts_free(struct forecasts *f);

#endif
