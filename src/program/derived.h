/* Counts that follow from a program's code (derive.h), at the inputs of its runs and at others,
 * where no run contradicts them. */
#ifndef PORTOLAN_PROGRAM_DERIVED_H
#define PORTOLAN_PROGRAM_DERIVED_H

#include "program/runs.h"

struct derived;

/* Walks the code at the inputs of @runs, which are borrowed. Excludes functions with a count that a
 * run contradicts. */
struct derived *derived_new(const struct program_runs *runs);
void derived_free(struct derived *d);
/* Counts at @inputs of each block and of its first exit, NaN if they do not follow from the code.
 * Any thread; walks the code unless the result is cached. */
void derived_at(struct derived *d, const double *inputs, double *counts, double *taken);
/* As derived_at for @block alone. */
double derived_count(struct derived *d, const double *inputs, size_t block);
/* The first of @count inputs with @names and values @inputs that @p, started as @how, reads as a
 * whole number though it is none, or below 0; @count: there is none that the code shows. Any
 * thread. */
size_t derived_misread(const struct program *p, const struct invocation *how, char *const *names,
                       const double *inputs, size_t count);

#endif
