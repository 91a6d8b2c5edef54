/* A processor whose ports are known, and what it would measure. */
#ifndef PORTOLAN_TESTS_KNOWN_H
#define PORTOLAN_TESTS_KNOWN_H

#include "base/rng.h"
#include "infer/select.h"
#include "model/experiments.h"
#include "model/mapping.h"

/* Forms F0, F1, ... on four ports, of seven usages in turn. */
struct mapping *known(unsigned forms);

struct measured_known {
    const struct mapping *m;
    double noise;
    struct rng rng;
};

/* Fills what is pending with what the mapping says, off by up to the noise: a select_measure. */
bool measure_known(struct experiments *t, void *state, struct err *err);
/* All forms alone, all pairs, and @triples; measured. */
struct experiments *measured(const struct mapping *m, double noise, size_t triples);

#endif
