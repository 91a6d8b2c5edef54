/* Rows tagged by name: tags survive sorting, filtering and a change of machine. */
#ifndef PORTOLAN_VIEW_TAGS_H
#define PORTOLAN_VIEW_TAGS_H

#include <stdbool.h>

#include "base/index.h"
#include "base/vec.h"

struct tag {
    char *name;
    size_t row;   /* its row when tagged or last searched */
};

/* Zero-initialised is empty and valid. One thread while it changes. */
struct tags {
    VEC(struct tag) list;
    struct index index;
};

bool tags_have(const struct tags *t, const char *name);
/* Returns the tag of @name, or NULL. Borrowed until the next change. */
struct tag *tags_find(const struct tags *t, const char *name);
/* Toggles the tag of @name at @row; out of memory it stays untagged. */
void tags_turn(struct tags *t, const char *name, size_t row);
/* Copies to the empty @to; false, incomplete, when memory runs out */
bool tags_copy(struct tags *to, const struct tags *from);
void tags_done(struct tags *t);                             /* leaves it empty and valid */

#endif
