/* Measures experiments on one CPU: generates code, runs it in a sandbox and evaluates the result.
 * One thread, which must outlive the lane. */
#ifndef PORTOLAN_MEASURE_LANE_H
#define PORTOLAN_MEASURE_LANE_H

#include "measure/form_codes.h"
#include "measure/seek.h"
#include "measure/source.h"

struct measure_lane {
    struct sandbox *sandbox;
    struct seek seek;
    struct body body;                  /* the last one generated */
    uint32_t lengths[SANDBOX_ITEMS];   /* body bytes per item */
};

/* Task of the lanes. They only read it; each writes its measurements to @out. */
struct lane_task {
    const struct source *source;              /* for instructions, orders, baseline and record */
    const struct form_codes *codes;
    /* for forms: without the unneeded probe */
    const struct calibration *calibration;
    bool wide;                                /* the core may be wide, SOURCE_WIDE */
    double started;                           /* clock_seconds of the start, for the record */
    const struct experiment *e;
    struct measured *out;
    bool (*cancelled)(void *state);
    void *state;
};

/* Measures experiments @from to @to - 1 of the task. False with err when measuring is impossible or
 * cancelled. */
bool lane_measure(struct measure_lane *l, const struct lane_task *t, size_t from, size_t to,
                  struct err *err);

#endif
