/* Orders for qsort and bsearch, and places in sorted arrays. */
#ifndef PORTOLAN_BASE_COMPARE_H
#define PORTOLAN_BASE_COMPARE_H

#include <stddef.h>
#include <stdint.h>

/* Ascending: double, and structs whose first member is one. NaN is equal to everything: sort
 * none. */
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

/* The index of the first of @count records of @size bytes, which ascend by the uint64_t at @key
 * within each, that is at @value or past it; @count: there is none. */
static inline size_t first_from(const void *records, size_t count, size_t size, size_t key,
                                uint64_t value)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (*(const uint64_t *)((const char *)records + middle * size + key) < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The same past @value: the last that is not lies before it. */
static inline size_t first_past(const void *records, size_t count, size_t size, size_t key,
                                uint64_t value)
{
    return value == UINT64_MAX ? count : first_from(records, count, size, key, value + 1);
}

#endif
