/* Measures latencies by dependency chains, per pair of operands. */
#ifndef PORTOLAN_MEASURE_LATENCY_H
#define PORTOLAN_MEASURE_LATENCY_H

#include "isa/body.h"
#include "measure/calibrate.h"

struct latency {
    struct chain chain;
    double cycles;       /* NaN when not measured: see state */
    double spread;
    char state[96];      /* "ok" or the reason */
};

/* Measures all chains of @code; returns their number in @out, or SIZE_MAX with err when measuring
 * is impossible. */
size_t latency_measure(struct sandbox *s, const struct calibration *c, const struct form_code *code,
                       struct latency out[CHAINS_MAX], struct err *err);

#endif
