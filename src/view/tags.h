/* Rows that are tagged, by name: they stay so when the table sorts, filters, or shows another machine. */
#ifndef PORTOLAN_VIEW_TAGS_H
#define PORTOLAN_VIEW_TAGS_H

#include <stdbool.h>

#include "base/index.h"
#include "base/vec.h"

/* Zero-initialised is empty and valid. One thread while it changes. */
struct tags {
    VEC(char *) names;
    struct index index;
};

bool tags_have(const struct tags *t, const char *name);
/* Tags @name, or takes its tag away; where memory runs out it stays untagged. */
void tags_turn(struct tags *t, const char *name);
bool tags_copy(struct tags *to, const struct tags *from);   /* @to is empty; false when memory runs out: it lacks some */
void tags_done(struct tags *t);                             /* empty again */

#endif
