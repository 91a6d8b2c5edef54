/* Forecasts in the session, and functions that compute and free them. UI thread except where
 * noted. */
#ifndef PORTOLAN_CMD_FORECAST_PARTS_H
#define PORTOLAN_CMD_FORECAST_PARTS_H

#include "base/err.h"
#include "cmd/forecast.h"
#include "model/experiments.h"
#include "model/machine.h"

#define FORECASTS_KEPT 16   /* maximum number of stored forecasts that no view needs */

/* Forecast by one machine for one table, identified by its serial number. The session and the
 * computing job share it. */
struct forecast {
    uint64_t serial, revision;
    size_t rows;
    /* counted reference, which keeps the address unique to this machine */
    struct machine *machine;
    /* counted reference while the job runs, which prevents changes of the table */
    struct experiments *table;
    struct prediction *made, *fresh;   /* @made: published prediction. @fresh: prediction that the
                                        * job computes. NULL: none. */
    unsigned job;                 /* job that computes @fresh; 0: none */
    double begun, due;               /* clock_seconds() of the job's start, and of the next possible
                                      * start */
    _Atomic unsigned holders;     /* number of references in addition to the session's */
};

struct forecasts {
    struct forecast **items;   /* forecasts, most recently requested first */
    size_t count, capacity;
};

/* Releases a reference. The last release frees the forecast. Any thread. */
void forecast_free(struct forecast *f);
/* Cancels the forecast's job, and releases the session's reference. */
void forecast_forget(struct forecast *f);
/* Predicts all rows. Any thread. Returns NULL with err if out of memory or cancelled. */
struct prediction *prediction_make(const struct machine *m, const struct experiments *t,
                                   struct err *err);

#endif
