/* Determines which usages an experiment distinguishes, from the times that the usages predict. */
#ifndef PORTOLAN_CHART_DISTINGUISH_H
#define PORTOLAN_CHART_DISTINGUISH_H

#include <stddef.h>
#include <stdint.h>

/* difference of two times, in standard deviations, above which an experiment distinguishes the
 * usages that predict them */
#define DISTINGUISHED 4.0
/* maximum number of usages: the number of bits in a word */
#define CHOICES_MOST 64

/* Sets distinct[i] for each usage @i of @n: the set of usages whose cycles differ from those of @i
 * by more than DISTINGUISHED. @noise: see struct lattice. */
void distinguish(const double *cycles, size_t n, double noise, uint64_t *distinct);
/* Returns the number of pairs of usages, among the @n usages in @open, that @distinct
 * distinguishes. */
unsigned distinguished_pairs(const uint64_t *distinct, const uint64_t *open, size_t n);

#endif
