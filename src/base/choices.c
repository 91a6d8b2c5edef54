/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/choices.h"

#include <string.h>

#include "base/str.h"

struct choices {
    bool (*use)(const char *one, void *data, struct err *err);
    void *data;
    /* number of patterns that may still be expanded, including those with braces */
    unsigned budget;
};

static bool each(struct choices *c, const char *pattern, struct err *err)
{
    const char *open = strchr(pattern, '{'), *close = open ? strchr(open, '}') : NULL;
    struct str one = {0};
    bool ok = true;

    if (!c->budget)
        return err_set(err, ERR_LIMIT, "split the row into rows with fewer patterns",
                       "the braces expand to more than %d patterns", CHOICES_MAX);
    --c->budget;
    if (!open)
        return c->use(pattern, c->data, err);
    if (!close)
        return err_set(err, ERR_DATA, "close the brace", "unclosed { in \"%s\"", pattern);
    for (const char *at = open + 1; ok && at <= close;) {
        size_t length = strcspn(at, ",}");
        str_clear(&one);
        str_add_bytes(&one, pattern, (size_t)(open - pattern));
        str_add_bytes(&one, at, length);
        str_add(&one, close + 1);
        ok = each(c, str_text(&one), err);
        at += length + 1;
    }
    str_done(&one);
    return ok;
}

bool choices_each(const char *pattern, bool (*use)(const char *one, void *data, struct err *err),
                  void *data, struct err *err)
{
    return each(&(struct choices){use, data, CHOICES_MAX}, pattern, err);
}
