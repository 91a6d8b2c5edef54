/* Growable vector: struct { T *items; size_t count, capacity; }. */
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
/* Makes room for one more. False: the list is large and memory ran out, and this thread's work will
 * fail (mem_grow); the caller must tolerate a missing item. */
#define vec_room(v)                                                                                \
    ((v)->count < (v)->capacity ||                                                                 \
     ((v)->items = mem_grow((v)->items, &(v)->capacity, sizeof *(v)->items),                       \
      (v)->count < (v)->capacity))
/* Appends @value, which is not evaluated if there is no room. */
#define vec_add(v, value)                                                                        \
    do {                                                                                         \
        if (vec_room(v))                                                                         \
            (v)->items[(v)->count++] = (value);                                                  \
    } while (0)
/* Appends to lists that grow with the input: when memory runs out @ok becomes false and nothing is
 * added. */
#define vec_try_push(v, value, ok)                                                               \
    do {                                                                                         \
        if ((ok) && (v)->capacity == (v)->count) {                                               \
            size_t vec_capacity = (v)->capacity ? 2 * (v)->capacity : 4;                         \
            void *vec_grown = mem_try_resize((v)->items, vec_capacity * sizeof *(v)->items);     \
            (ok) = vec_grown != NULL;                                                            \
            if (vec_grown) {                                                                     \
                (v)->items = vec_grown;                                                          \
                (v)->capacity = vec_capacity;                                                    \
            }                                                                                    \
        }                                                                                        \
        if (ok)                                                                                  \
            (v)->items[(v)->count++] = (value);                                                  \
    } while (0)
#define vec_done(v) (free((v)->items), (v)->items = NULL, (v)->count = (v)->capacity = 0)

#endif
