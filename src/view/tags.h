/* Rows tagged by name. Tags survive sorting, filtering and a change of machine. */
#ifndef PORTOLAN_VIEW_TAGS_H
#define PORTOLAN_VIEW_TAGS_H

#include <stdbool.h>

#include "base/index.h"
#include "base/vec.h"

struct tag {
    char *name;
    size_t row;   /* number of the row when it was tagged or last found */
};

/* Empty and valid if zero-initialised. While the tags change, only one thread may use them. */
struct tags {
    VEC(struct tag) list;
    struct index index;
};

bool tags_have(const struct tags *t, const char *name);
/* Returns the tag of @name, or NULL. Borrowed until the next change. */
struct tag *tags_find(const struct tags *t, const char *name);
/* Toggles the tag of @name, which is row @row. If memory runs out, the row stays untagged. */
void tags_turn(struct tags *t, const char *name, size_t row);
/* Copies the tags to @to, which must be empty. Returns false if memory runs out; the copy is then
 * incomplete. */
bool tags_copy(struct tags *to, const struct tags *from);
void tags_done(struct tags *t);                             /* Leaves @t empty and valid. */

#endif
