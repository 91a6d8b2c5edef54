/* Rows that are tagged, by name: they stay so when the table sorts, filters, or shows another
 * machine. */
#ifndef PORTOLAN_VIEW_TAGS_H
#define PORTOLAN_VIEW_TAGS_H

#include <stdbool.h>

#include "base/index.h"
#include "base/vec.h"

struct tag {
    char *name;
    size_t row;   /* its row when it was tagged or last looked for */
};

/* Zero-initialised is empty and valid. One thread while it changes. */
struct tags {
    VEC(struct tag) list;
    struct index index;
};

bool tags_have(const struct tags *t, const char *name);
/* The tag of @name; NULL: it has none. Borrowed until the next change. */
struct tag *tags_find(const struct tags *t, const char *name);
/* Tags @name, which is at @row, or removes its tag; when memory runs out it stays untagged. */
void tags_turn(struct tags *t, const char *name, size_t row);
/* @to is empty; false when memory runs out: it lacks some */
bool tags_copy(struct tags *to, const struct tags *from);
void tags_done(struct tags *t);                             /* empty again */

#endif
