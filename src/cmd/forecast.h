/* What machines predict for the session's experiments, and how good that is: made at once for a
 * table that is not large, in the background for one that is. */
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

/* What @m, one of the session's machines, predicts for each of the session's experiments; to be
 * given back to prediction_free, never NULL. Its cycles are NULL when a job only makes them now, or
 * could not. When that job ends the session's revision changes, so that views ask again. UI
 * thread. */
struct prediction *session_forecast(struct session *s, struct machine *m);
/* One more holds @p. The last one's prediction_free frees it (NULL is fine). Any thread. */
struct prediction *prediction_hold(struct prediction *p);
void prediction_free(struct prediction *p);

struct forecasts;
void forecasts_free(struct forecasts *f);

#endif
