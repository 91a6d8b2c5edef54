/* Predictions of the session's experiments by machines, and their accuracy: computed at once for a
 * small table, in the background for a large one. */
#ifndef PORTOLAN_CMD_FORECAST_H
#define PORTOLAN_CMD_FORECAST_H

#include "cmd/session.h"
#include "model/metrics.h"

#define FORECAST_AT_ONCE 10000   /* rows predicted while the screen waits: some ten milliseconds */

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

/* Returns predictions of @m, a machine of the session, for its experiments; the caller calls
 * prediction_free. Never NULL. Its cycles are NULL while a job makes them, or if it failed. The end
 * of the job changes the session's revision, so that views request them again. UI thread. */
struct prediction *session_forecast(struct session *s, struct machine *m);
/* Adds a holder. The last holder's prediction_free frees it (NULL is fine). */
struct prediction *prediction_hold(struct prediction *p);
void prediction_free(struct prediction *p);

struct forecasts;
void forecasts_free(struct forecasts *f);

#endif
