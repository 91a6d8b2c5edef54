/* What machines predict for the session's experiments, and how good that is: made at once for a table that is not large, in the background for one that is. */
#ifndef PORTOLAN_CMD_FORECAST_H
#define PORTOLAN_CMD_FORECAST_H

#include "cmd/session.h"
#include "model/metrics.h"

#define FORECAST_AT_ONCE 10000   /* rows that the screen waits for: some ten milliseconds */

/* Predicted cycles of each of the session's experiments by @m, one of the session's machines, NaN where it knows none, and the accuracy. False when a job only makes
 * them now, or could not: all are NaN then. When that job ends the session's revision changes, so that views ask again. UI thread. */
bool session_forecast(struct session *s, struct machine *m, double *cycles, struct accuracy *accuracy);

struct forecasts;
void forecasts_free(struct forecasts *f);

#endif
