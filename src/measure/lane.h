/* Measures experiments on one CPU: generates code, runs it in a sandbox, and evaluates the result.
 * One thread, which must outlive the lane. */
#ifndef PORTOLAN_MEASURE_LANE_H
#define PORTOLAN_MEASURE_LANE_H

#include "measure/form_codes.h"
#include "measure/seek.h"
#include "measure/source.h"

struct measure_lane {
    struct sandbox *sandbox;
    struct seek seek;
    struct body body;                  /* most recently generated body */
    uint32_t lengths[SANDBOX_ITEMS];   /* bytes of code per item */
};

/* Task of all lanes. Lanes only read it, and each writes its measurements to its part of @out. */
struct lane_task {
    /* source of the settings: instructions, orders, baseline and record */
    const struct source *source;
    const struct form_codes *codes;
    /* calibration for forms, without the room probe */
    const struct calibration *calibration;
    bool wide;                                /* whether the core may be wide (SOURCE_WIDE) */
    double started;                           /* clock_seconds at the start, for the record */
    const struct experiment *e;
    struct measured *out;
    bool (*cancelled)(void *state);
    void *state;
};

/* Measures experiments @from to @to - 1 of the task. False with err when measurement fails or is
 * cancelled. */
bool lane_measure(struct measure_lane *l, const struct lane_task *t, size_t from, size_t to,
                  struct err *err);

#endif
