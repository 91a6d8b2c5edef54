/* Interned strings: equal text has an equal index. Indices count from 0 in order of first use and
 * never change. */
#ifndef PORTOLAN_BASE_NAMES_H
#define PORTOLAN_BASE_NAMES_H

#include "base/index.h"

struct names {
    char **items;
    size_t count, capacity;
    struct index index;
};

/* Zero-initialised is empty and valid. One thread while it changes. */
void names_done(struct names *n);
/* Returns the index of @text, added when new. */
uint32_t names_add(struct names *n, const char *text);
/* As names_add, for lists that grow with the input: UINT32_MAX when memory runs out. */
uint32_t names_try_add(struct names *n, const char *text);
/* Returns the index of @text, or UINT32_MAX. */
uint32_t names_find(const struct names *n, const char *text);

#endif
