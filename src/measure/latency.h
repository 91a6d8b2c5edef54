/* Measures latencies per pair of operands with dependency chains. */
#ifndef PORTOLAN_MEASURE_LATENCY_H
#define PORTOLAN_MEASURE_LATENCY_H

#include "isa/body.h"
#include "measure/calibrate.h"

struct latency {
    struct chain chain;
    /* cycles; NaN: not measured, for the reason in @state */
    double cycles;
    double spread;
    char state[96];      /* "ok", or the reason why the chain was not measured */
};

/* Measures all chains of @code. Returns the number of latencies in @out; SIZE_MAX with err when
 * measurement fails. */
size_t latency_measure(struct sandbox *s, const struct calibration *c, const struct form_code *code,
                       struct latency out[CHAINS_MAX], struct err *err);

#endif
