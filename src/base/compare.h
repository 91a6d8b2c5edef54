/* Orders for qsort and bsearch. */
#ifndef PORTOLAN_BASE_COMPARE_H
#define PORTOLAN_BASE_COMPARE_H

#include <stdint.h>

/* Ascending: double, and structs whose first member is one. NaN is equal to everything: sort none. */
static inline int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Ascending: uint32_t, and structs whose first member is one. */
static inline int compare_uint32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

#endif
