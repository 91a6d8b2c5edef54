/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/editing.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/recipe.h"
#include "base/mem.h"
#include "cmd/loading.h"

void editing_done(struct editing *e)
{
    free(e->text);
    free(e->before);
    *e = (struct editing){0};
}

/* Reads time and size of a file. Returns false if the file is missing, for example while an editor
 * replaces it. Stores the results in *@changed and *@size. */
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
    editing_done(e);
    e->open = true;
    if (s->edit.directory && s->document.kernel && s->document.kernel->source)
        e->text = mem_strdup(s->document.kernel->source);
    look(s->edit.path, &e->changed, &e->size);
    return &s->edit;
}

static bool made_of(const struct kernel *k, const char *text)
{
    return k->source && text && strcmp(k->source, text) == 0;
}

/* Returns whether the kernel is still the edited kernel. A kernel without a file must equal the
 * last saved text, or the previous text if the last one is loading or was rejected. */
static bool goes_on(const struct editing *e, const struct session *s)
{
    const struct kernel *k = s->document.kernel;

    if (!k || !s->edit.path)
        return false;
    if (s->edit.directory)
        return !k->recipe && (made_of(k, e->text) || made_of(k, e->before));
    return k->recipe && strcmp(k->recipe->path, s->edit.path) == 0;
}

void editing_take_text(struct editing *e, const struct session *s, const char *text, size_t length)
{
    if (s->document.kernel && made_of(s->document.kernel, e->text)) {
        free(e->before);
        e->before = e->text;
    } else {
        free(e->text);
    }
    e->text = loading_plain(text, length);
}

bool editing_saved(struct editing *e, struct session *s)
{
    struct timespec changed;
    long long size;

    if (!e->open)
        return false;
    if (!goes_on(e, s)) {
        editing_done(e);
        edit_request_done(&s->edit);
        return false;
    }
    if (!look(s->edit.path, &changed, &size) ||
        (changed.tv_sec == e->changed.tv_sec && changed.tv_nsec == e->changed.tv_nsec &&
         size == e->size))
        return false;
    e->changed = changed;
    e->size = size;
    return true;
}
