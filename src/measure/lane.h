/* Measures experiments on one CPU: generates code, runs it in a sandbox, and evaluates the result.
 * A lane belongs to one thread, which must outlive the lane. */
#ifndef PORTOLAN_MEASURE_LANE_H
#define PORTOLAN_MEASURE_LANE_H

#include "measure/form_codes.h"
#include "measure/seek.h"
#include "measure/source.h"

struct measure_lane {
    struct sandbox *sandbox;
    struct seek seek;
    struct body body;                  /* last generated body */
    uint32_t lengths[SANDBOX_ITEMS];   /* number of bytes of code per item */
};

/* Experiments for all lanes, which do not change the task. Each lane writes results to its own
 * elements of @out. */
struct lane_task {
    /* source of the settings: instructions, orders, baseline and record */
    const struct source *source;
    const struct form_codes *codes;
    /* calibration for experiments with forms, without the room probe */
    const struct calibration *calibration;
    bool wide;                                /* whether the core may be wide (SOURCE_WIDE) */
    double started;                           /* clock_seconds when the source was created */
    const struct experiment *e;
    struct measured *out;
    bool (*cancelled)(void *state);
    void *state;
};

/* Measures experiments @from to @to - 1 of the task. Returns false with err when measurement fails
 * or is cancelled. */
bool lane_measure(struct measure_lane *l, const struct lane_task *t, size_t from, size_t to,
                  struct err *err);

#endif
