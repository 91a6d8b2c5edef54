/* A processor with known ports, and its measurements. */
#ifndef PORTOLAN_TESTS_KNOWN_H
#define PORTOLAN_TESTS_KNOWN_H

#include "infer/evolve.h"
#include "measured_known.h"

/* Returns forms F0, F1, ... on four ports, with seven usages in rotation. */
struct mapping *known(unsigned forms);

/* Returns measurements of all single forms, all pairs, and @triples random experiments of three
 * forms. */
struct experiments *measured(const struct mapping *m, double noise, size_t triples);
/* Returns measurements of all single forms and @fives random experiments of five forms. */
struct experiments *measured_sparsely(const struct mapping *m, double noise, size_t fives);

/* Input of inference, and the truth for validation. */
struct known_bed {
    struct mapping *truth;
    struct experiments *t;
    struct problem *p;       /* problem of all rows of t */
};
/* Fill the bed with forms of known and their measurements: known_set_up with those of measured,
 * known_set_up_sparse with those of measured_sparsely. known_tear_down frees the contents. */
void known_set_up(struct known_bed *b, unsigned forms, double noise, size_t triples);
void known_set_up_sparse(struct known_bed *b, unsigned forms, double noise, size_t fives);
void known_tear_down(struct known_bed *b);

/* Returns options of a short run with four ports and one thread. Its prices suit few noiseless
 * measurements, while the defaults suit thousands of real ones. */
struct evolve_options known_options(void);

#endif
