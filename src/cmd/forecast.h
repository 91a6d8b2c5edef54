/* Predictions of the session's experiments by machines, and their accuracy. Small tables are
 * predicted at once, large tables in the background. */
#ifndef PORTOLAN_CMD_FORECAST_H
#define PORTOLAN_CMD_FORECAST_H

#include "model/metrics.h"

struct machine;
struct session;

/* largest product of rows and selected machines for which predictions are computed at once in the
 * workbench */
#define FORECAST_AT_ONCE 1000

/* Predictions by one machine for one table. Immutable and reference-counted. */
struct prediction {
    /* cycles per row, NaN if unpredictable; NULL: not computed */
    double *cycles;
    size_t rows;
    struct accuracy accuracy;
    struct heat_map map;         /* map of the rows with a measured and a predicted value */
    size_t worst;                /* row with the largest error, if accuracy.n is not 0 */
    _Atomic unsigned holders;    /* number of references in addition to the creator's */
};

/* Returns the predictions of @m for the session's experiments. Never returns NULL. prediction_free
 * releases them. @m is a machine of the session or of a run. Member @cycles is NULL while a job
 * computes the first prediction, and if the job failed. When the job ends, the session's revision
 * changes, and views request the prediction again. Predictions may lack the newest results of a job
 * that changes the table. UI thread. */
struct prediction *session_forecast(struct session *s, struct machine *m);
/* Adds a reference, which prediction_free releases. The last release frees @p, which may be
 * NULL. */
struct prediction *prediction_hold(struct prediction *p);
void prediction_free(struct prediction *p);

/* Returns whether a job is computing predictions of @m. UI thread. */
bool session_forecasting(const struct session *s, const struct machine *m);

struct forecasts;
void forecasts_free(struct forecasts *f);

#endif
