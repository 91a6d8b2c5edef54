/* Rows tagged by name. Tags remain after sorting, filtering and a change of machine. */
#ifndef PORTOLAN_VIEW_TAGS_H
#define PORTOLAN_VIEW_TAGS_H

#include <stdbool.h>

#include "base/index.h"
#include "base/vec.h"

struct tag {
    char *name;
    size_t row;   /* index of the row when it was tagged or last found */
};

/* The tags. Only one thread may use them while they change. */
struct tags {
    VEC(struct tag) list;
    struct index index;
};

bool tags_have(const struct tags *t, const char *name);
/* Returns the tag of @name, borrowed until the next change; NULL: none. */
struct tag *tags_find(const struct tags *t, const char *name);
/* Toggles the tag of @name, which is row @row. If memory is exhausted, the row remains
 * untagged. */
void tags_turn(struct tags *t, const char *name, size_t row);
/* Copies the tags to @to, which must be empty. Returns false if memory is exhausted; the copy is
 * then incomplete. */
bool tags_copy(struct tags *to, const struct tags *from);
void tags_done(struct tags *t);

#endif
