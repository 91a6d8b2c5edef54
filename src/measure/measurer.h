/* Measures experiments on one CPU: generates code, runs it in a sandbox, and evaluates the result.
 * A measurer belongs to one thread, which must outlive the measurer. */
#ifndef PORTOLAN_MEASURE_MEASURER_H
#define PORTOLAN_MEASURE_MEASURER_H

#include "measure/form_codes.h"
#include "measure/seek.h"
#include "measure/source.h"

struct measurer {
    struct sandbox *sandbox;
    struct seek seek;
    struct body body;                  /* last generated body */
    uint32_t lengths[SANDBOX_ITEMS];   /* number of bytes of code per item */
};

/* Experiments for all measurers, which do not change the task. Each measurer writes results to its
 * own elements of @out. */
struct measurer_task {
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
bool measurer_measure(struct measurer *l, const struct measurer_task *t, size_t from, size_t to,
                      struct err *err);

#endif
