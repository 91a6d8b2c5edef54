/* Counts of a program that follow from its code (derive.h), at the inputs of its runs and at
 * others: those that the runs do not contradict. */
#ifndef PORTOLAN_PROGRAM_DERIVED_H
#define PORTOLAN_PROGRAM_DERIVED_H

#include "program/runs.h"

struct derived;

/* Walks the code at the inputs of @runs, which are borrowed; functions of which a run has another
 * count than the code says are not believed. Any thread. */
struct derived *derived_new(const struct program_runs *runs);
void derived_free(struct derived *d);
/* Counts at @inputs of each block and of its first way, NaN where they do not follow from the code.
 * Any thread; walks the code unless the same inputs were asked for lately. */
void derived_at(struct derived *d, const double *inputs, double *counts, double *taken);
/* The same of @block alone. */
double derived_count(struct derived *d, const double *inputs, size_t block);

#endif
