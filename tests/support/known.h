/* A processor whose ports are known, and what it would measure. */
#ifndef PORTOLAN_TESTS_KNOWN_H
#define PORTOLAN_TESTS_KNOWN_H

#include "measured_known.h"

/* Forms F0, F1, ... on four ports, of seven usages in turn. */
struct mapping *known(unsigned forms);

/* All forms alone, all pairs, and @triples; measured. */
struct experiments *measured(const struct mapping *m, double noise, size_t triples);

#endif
