/* A processor with known ports, and its measurements. */
#ifndef PORTOLAN_TESTS_KNOWN_H
#define PORTOLAN_TESTS_KNOWN_H

#include "infer/evolve.h"
#include "measured_known.h"

/* Forms F0, F1, ... on four ports, with seven usages in rotation. */
struct mapping *known(unsigned forms);

/* Measurements of all forms alone, all pairs, and @triples. */
struct experiments *measured(const struct mapping *m, double noise, size_t triples);
/* Measurements of all forms alone and @fives random experiments of five forms. */
struct experiments *measured_sparsely(const struct mapping *m, double noise, size_t fives);

/* Input of inference, and the truth for validation. */
struct known_bed {
    struct mapping *truth;
    struct experiments *t;
    struct problem *p;       /* all rows of t */
};
/* Fills the bed from known and measured, or measured_sparsely; known_tear_down frees its
 * contents. */
void known_set_up(struct known_bed *b, unsigned forms, double noise, size_t triples);
void known_set_up_sparse(struct known_bed *b, unsigned forms, double noise, size_t fives);
void known_tear_down(struct known_bed *b);

/* A short run on its four ports and one thread, with penalties suited to few, noiseless
 * measurements: the defaults suit a few thousand real ones. */
struct evolve_options known_options(void);

#endif
