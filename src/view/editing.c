/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/editing.h"

#include <string.h>
#include <sys/stat.h>

#include "analysis/recipe.h"

/* False when there is no such file, as while an editor puts another in its place. */
static bool look(const char *path, struct timespec *changed, long long *size)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return false;
    *changed = status.st_mtim;
    *size = status.st_size;
    return true;
}

const struct edit_request *editing_take(struct editing *e, struct session *s)
{
    if (!s->edit.path || s->edit.opened)
        return NULL;
    s->edit.opened = true;
    *e = (struct editing){.open = true};
    look(s->edit.path, &e->changed, &e->size);
    return &s->edit;
}

/* Whether the kernel is still the one that is edited. */
static bool goes_on(const struct session *s)
{
    const struct kernel *k = s->document.kernel;

    return k && s->edit.path && (s->edit.directory ? !k->recipe : k->recipe && strcmp(k->recipe->path, s->edit.path) == 0);
}

bool editing_saved(struct editing *e, struct session *s)
{
    struct timespec changed;
    long long size;

    if (!e->open)
        return false;
    if (!goes_on(s)) {
        e->open = false;
        edit_request_done(&s->edit);
        return false;
    }
    if (!look(s->edit.path, &changed, &size) || (changed.tv_sec == e->changed.tv_sec && changed.tv_nsec == e->changed.tv_nsec && size == e->size))
        return false;
    e->changed = changed;
    e->size = size;
    return true;
}
