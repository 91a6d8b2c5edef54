/* Counts that follow from a program's code (derive.h), for any inputs. Functions whose derived
 * counts differ from the counts of a run are excluded. */
#ifndef PORTOLAN_PROGRAM_DERIVED_H
#define PORTOLAN_PROGRAM_DERIVED_H

#include "program/runs.h"

struct derived;

/* Walks the code at the inputs of @runs. Excludes functions whose derived counts differ from the
 * counts of a run. Borrows @runs. */
struct derived *derived_new(const struct program_runs *runs);
void derived_free(struct derived *d);
/* Computes the counts at @inputs of each block and of its first exit. NaN: the count does not
 * follow from the code. Walks the code unless the result is cached. Any thread. @counts receives
 * the counts of blocks, @taken the counts of first exits. */
void derived_at(struct derived *d, const double *inputs, double *counts, double *taken);
/* Returns the count of @block at @inputs, as derived_at does. */
double derived_count(struct derived *d, const double *inputs, size_t block);
/* Returns the index of the first invalid input of program @p, started by @how, or @count if there
 * is none. An input is invalid if its value is negative or a fraction, and the program parses it as
 * a whole number. Any thread. */
size_t derived_misread(const struct program *p, const struct invocation *how, char *const *names,
                       const double *inputs, size_t count);

#endif
