/* Growable vector: struct { T *items; size_t count, capacity; }. */
#ifndef PORTOLAN_BASE_VEC_H
#define PORTOLAN_BASE_VEC_H

#include <stdlib.h>
#include <string.h>

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
/* Makes room for one more item. Returns false if the list is large and memory is exhausted; this
 * thread's work will then fail (mem_grow). The caller must tolerate that an item is missing. */
#define vec_room(v)                                                                                \
    ((v)->count < (v)->capacity ||                                                                 \
     ((v)->items = mem_grow((v)->items, &(v)->capacity, sizeof *(v)->items),                       \
      (v)->count < (v)->capacity))
/* Appends @value. If there is no room, neither evaluates nor appends @value. */
#define vec_add(v, value)                                                                        \
    do {                                                                                         \
        if (vec_room(v))                                                                         \
            (v)->items[(v)->count++] = (value);                                                  \
    } while (0)
/* Appends @value to a list whose length depends on the input. If memory is exhausted, sets @ok to
 * false and appends nothing. */
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
/* Removes the first @n items. */
#define vec_remove_first(v, n)                                                                     \
    do {                                                                                           \
        (v)->count -= (n);                                                                         \
        if (n)                                                                                     \
            memmove((v)->items, (v)->items + (n), (v)->count * sizeof *(v)->items);                \
    } while (0)
/* Frees a vector of texts, and the texts. */
#define vec_free_texts(v)                                                                          \
    (mem_free_texts((v)->items, (v)->count), (v)->items = NULL, (v)->count = (v)->capacity = 0)
#define vec_done(v) (free((v)->items), (v)->items = NULL, (v)->count = (v)->capacity = 0)

#endif
