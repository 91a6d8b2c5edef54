/* Measures experiments on one CPU: makes their code, has it run in a sandbox, and takes what came
 * of it. One thread, which must outlive the lane. */
#ifndef PORTOLAN_MEASURE_LANE_H
#define PORTOLAN_MEASURE_LANE_H

#include "measure/form_codes.h"
#include "measure/seek.h"
#include "measure/source.h"

struct measure_lane {
    struct sandbox *sandbox;
    struct seek seek;
    struct body body;                  /* the last that was made */
    uint32_t lengths[SANDBOX_ITEMS];   /* bytes of the body of each item */
};

/* Task of the lanes. They only read it, and each writes its measurements to @out. */
struct lane_task {
    const struct source *source;              /* instructions, orders, baseline and record */
    const struct form_codes *codes;
    /* for forms: without the probe that they do not need */
    const struct calibration *calibration;
    bool wide;                                /* the core may be, SOURCE_WIDE */
    double started;                           /* clock_seconds, for the record */
    const struct experiment *e;
    struct measured *out;
    bool (*cancelled)(void *state);
    void *state;
};

/* Experiments @from to @to - 1 of the task. False with err when measuring itself is impossible or
 * was cancelled. */
bool lane_measure(struct measure_lane *l, const struct lane_task *t, size_t from, size_t to,
                  struct err *err);

#endif
