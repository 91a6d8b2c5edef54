/* Orders for qsort and bsearch. */
#ifndef PORTOLAN_BASE_COMPARE_H
#define PORTOLAN_BASE_COMPARE_H

/* Ascending: double, and structs whose first member is one. NaN is equal to everything: sort none. */
static inline int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#endif
