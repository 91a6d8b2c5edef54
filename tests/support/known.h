/* A processor whose ports are known, and what it would measure. */
#ifndef PORTOLAN_TESTS_KNOWN_H
#define PORTOLAN_TESTS_KNOWN_H

#include "infer/evolve.h"
#include "measured_known.h"

/* Forms F0, F1, ... on four ports, of seven usages in turn. */
struct mapping *known(unsigned forms);

/* All forms alone, all pairs, and @triples; measured. */
struct experiments *measured(const struct mapping *m, double noise, size_t triples);
/* All forms alone and @fives by chance of five forms; measured. */
struct experiments *measured_sparsely(const struct mapping *m, double noise, size_t fives);

/* What inference is given of it, and the truth to judge by. */
struct known_bed {
    struct mapping *truth;
    struct experiments *t;
    struct problem *p;       /* of all of t */
};
/* Fills the bed from known and measured, or measured_sparsely; known_tear_down frees what is in
 * it. */
void known_set_up(struct known_bed *b, unsigned forms, double noise, size_t triples);
void known_set_up_sparse(struct known_bed *b, unsigned forms, double noise, size_t fives);
void known_tear_down(struct known_bed *b);

/* A short run on its four ports and one thread, with prices for few and clean measurements: the
 * defaults suit a few thousand real ones. */
struct evolve_options known_options(void);

#endif
