/* What a machine's clock and quiet look like: learnt from the machine itself, nothing is assumed but that a dependent add takes one cycle. */
#ifndef PORTOLAN_MEASURE_CALIBRATE_H
#define PORTOLAN_MEASURE_CALIBRATE_H

#include "measure/sandbox.h"

struct calibration {
    struct window_rules rules;
    double tick_hz;          /* of the time stamp counter */
    double clock_hz;         /* core clock while calibrating */
    double second_ratio;     /* cycles of a dependent 64-bit multiplication; NaN when it is no whole number */
    double probe_rate;       /* nops per cycle when quiet */
    double noise;            /* relative: 95 % of repeated measurements of one loop lie this close to their median */
    double contention;       /* fraction of probes that somebody slowed */
    unsigned load_window;    /* bytes that loads step through with the least time and scatter */
    bool counters;           /* the kernel gives a cycle counter */
    int cpu;
};

/* About a third of a second. False with err. */
bool calibrate(struct sandbox *s, bool (*cancelled)(void *state), void *state, struct calibration *out, struct err *err);
/* How cycles are told, in words. */
const char *calibration_method(const struct calibration *c);
/* The value that the lowest cluster of @values (sorted in place) stands around: the least that two others follow within @width. */
double calibrate_floor(double *values, size_t n, double width);

#endif
