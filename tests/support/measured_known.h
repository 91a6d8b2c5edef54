/* Measurements of a processor with a known mapping, for unit tests and benchmarks. */
#ifndef PORTOLAN_TESTS_MEASURED_KNOWN_H
#define PORTOLAN_TESTS_MEASURED_KNOWN_H

#include "base/rng.h"
#include "model/experiments.h"
#include "model/mapping.h"

struct measured_known {
    const struct mapping *m;
    double noise;        /* largest relative error of a value, uniformly distributed */
    struct rng rng;
};

/* Fills the pending rows of @t from @state, a struct measured_known. Implements select_measure. */
bool measure_known(struct experiments *t, void *state, struct err *err);
/* Returns the mean relative error of @found on 2,000 experiments of five forms of @truth. */
double unseen(const struct mapping *truth, const struct mapping *found);

#endif
