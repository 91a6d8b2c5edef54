/* Machines' predictions of the session's experiments, and their accuracy: made at once for a small
 * table, in the background for a large one. */
#ifndef PORTOLAN_CMD_FORECAST_H
#define PORTOLAN_CMD_FORECAST_H

#include "cmd/session.h"
#include "model/metrics.h"

#define FORECAST_AT_ONCE 10000   /* rows that the screen waits for: some ten milliseconds */

/* Of one machine for one table; does not change once it is made, and is shared by all that show
 * it. */
struct prediction {
    /* of each row, NaN where the machine knows none; NULL: not made (yet) */
    double *cycles;
    size_t rows;
    struct accuracy accuracy;
    struct heat_map map;         /* of the rows that count */
    size_t worst;                /* the row predicted worst, when accuracy.n is not 0 */
    _Atomic unsigned holders;    /* besides the first */
};

/* Predictions of @m, one of the session's machines, for the session's experiments; to be given back
 * to prediction_free, never NULL. Its cycles are NULL while a job makes them, or if it failed. When
 * that job ends the session's revision changes, so that views request them again. UI thread. */
struct prediction *session_forecast(struct session *s, struct machine *m);
/* Adds a holder to @p. The last holder's prediction_free frees it (NULL is fine). Any thread. */
struct prediction *prediction_hold(struct prediction *p);
void prediction_free(struct prediction *p);

struct forecasts;
void forecasts_free(struct forecasts *f);

#endif
