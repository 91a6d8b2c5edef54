/* Interned strings: equal strings have equal indices. Indices count from 0 in the order of first
 * use and never change. */
#ifndef PORTOLAN_BASE_NAMES_H
#define PORTOLAN_BASE_NAMES_H

#include "base/index.h"

struct names {
    char **items;
    size_t count, capacity;
    struct index index;
};

/* Frees the strings. A struct that is initialised to zero is empty and valid. While the struct
 * changes, only one thread may use it. */
void names_done(struct names *n);
/* Returns the index of @text, which is added if it is new. */
uint32_t names_add(struct names *n, const char *text);
/* Adds @text like names_add, for lists whose length depends on the input. Returns UINT32_MAX if
 * memory is exhausted. */
uint32_t names_try_add(struct names *n, const char *text);
/* Returns the index of @text; UINT32_MAX: none. */
uint32_t names_find(const struct names *n, const char *text);

#endif
