/* The assignment problem: n rows to n columns at least total cost (Hungarian method with potentials, O(n^3)). */
#ifndef PORTOLAN_MODEL_ASSIGNMENT_H
#define PORTOLAN_MODEL_ASSIGNMENT_H

#include <stddef.h>

/* @cost: n * n finite numbers, row-major. to[row] = column. Returns the total. Any thread. */
double assignment_solve(size_t n, const double *cost, size_t *to);

#endif
