/* The one growable vector: struct { T *items; size_t count, capacity; }. */
#ifndef PORTOLAN_BASE_VEC_H
#define PORTOLAN_BASE_VEC_H

#include <stdlib.h>

#include "base/mem.h"

#define VEC(T) struct { T *items; size_t count, capacity; }
#define vec_reserve(v, n)                                                                        \
    do {                                                                                         \
        if ((v)->capacity < (n)) {                                                               \
            (v)->capacity = (n) > 2 * (v)->capacity ? (n) : 2 * (v)->capacity;                   \
            (v)->items = mem_resize((v)->items, (v)->capacity * sizeof *(v)->items);             \
        }                                                                                        \
    } while (0)
#define vec_push(v, value)                                                                       \
    do {                                                                                         \
        vec_reserve((v), (v)->count + 1);                                                        \
        (v)->items[(v)->count++] = (value);                                                      \
    } while (0)
#define vec_done(v) (free((v)->items), (v)->items = NULL, (v)->count = (v)->capacity = 0)

#endif
