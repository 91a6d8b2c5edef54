/* Comparison functions for qsort and bsearch, and binary search in sorted arrays. */
#ifndef PORTOLAN_BASE_COMPARE_H
#define PORTOLAN_BASE_COMPARE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Orders doubles, or structs whose first member is a double, ascending. The data must not contain
 * NaN, because NaN compares equal to every number. */
static inline int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Orders uint32_t, or structs whose first member is a uint32_t, ascending. */
static inline int compare_uint32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Orders uint64_t, or structs whose first member is a uint64_t, ascending. */
static inline int compare_uint64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Orders const char *, or structs whose first member is a const char *, by strcmp. */
static inline int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Defines function @name for qsort and bsearch, which orders records of @type by @keys: ASCENDING,
 * DESCENDING and TEXTUAL (by strcmp) of members, the first key first, joined by "?:". */
#define ORDER_BY(name, type, keys)                                                                 \
    static int name(const void *a, const void *b)                                                  \
    {                                                                                              \
        const type *x = a, *y = b;                                                                 \
        return keys;                                                                               \
    }
#define ASCENDING(member) ((x->member > y->member) - (x->member < y->member))
#define DESCENDING(member) ((x->member < y->member) - (x->member > y->member))
#define TEXTUAL(member) strcmp(x->member, y->member)

/* Returns the index of the first record whose key is at least @value; @count if there is none. The
 * @count records have @size bytes each, and are sorted by the uint64_t at offset @key. Any
 * thread. */
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

/* Returns the index of the first record whose key exceeds @value. Otherwise the same as
 * first_from. */
static inline size_t first_past(const void *records, size_t count, size_t size, size_t key,
                                uint64_t value)
{
    return value == UINT64_MAX ? count : first_from(records, count, size, key, value + 1);
}

#endif
