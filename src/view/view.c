/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/view.h"

#include <string.h>

#include "base/similar.h"
#include "cmd/keymap.h"

#define LISTED(name) &name##_view,
const struct view_ops *const views[] = {VIEWS(LISTED) NULL};

void view_next_machine(struct session *s, int direction)
{
    size_t count = s->document.selected_count;

    if (count)
        s->document.in_view = (s->document.in_view + (direction > 0 ? 1 : count - 1)) % count;
}

bool view_row(enum action action, long *at, long page, long last)
{
    switch (action) {
    case ACTION_DOWN: case ACTION_SCROLL_DOWN: ++*at; return true;
    case ACTION_UP: case ACTION_SCROLL_UP: --*at; return true;
    case ACTION_PAGE_DOWN: *at += page; return true;
    case ACTION_PAGE_UP: *at -= page; return true;
    case ACTION_FIRST: *at = 0; return true;
    case ACTION_LAST: *at = last; return true;
    default: return false;
    }
}

void view_place(size_t *cursor, size_t *top, size_t body, size_t count)
{
    *cursor = *cursor < count ? *cursor : count ? count - 1 : 0;
    if (*cursor < *top)
        *top = *cursor;
    if (*cursor >= *top + body)
        *top = *cursor - body + 1;
    if (*top + body > count)
        *top = count > body ? count - body : 0;
}

void view_words(void (*add)(void *to, const char *word), void *to)
{
    for (const struct view_ops *const *v = views; *v; v++)
        add(to, (*v)->name);
    add(to, VIEW_NEXT);
    add(to, VIEW_PREVIOUS);
}

unsigned view_draw_hints(const struct session *s, const struct view_ops *view, struct grid *g, unsigned x, unsigned y)
{
    struct str names = {0};

    for (const struct key_row *row = key_rows; row->views; row++) {
        if (!row->hint || !key_row_in(row, view->name))
            continue;
        str_clear(&names);
        keymap_names(s->keys, row, view->name, &names);
        const int length = (int)strcspn(str_text(&names), " ");   /* the first says enough */
        if (length && x + (unsigned)length + 1 + strlen(row->hint) <= g->width)
            x += grid_printf(g, (int)x, (int)y, 0, ROLE_DIM, 0, "%.*s %s   ", length, str_text(&names), row->hint);
    }
    str_done(&names);
    return x;
}

size_t view_count(void)
{
    return sizeof views / sizeof *views - 1;
}

size_t view_find(const char *name)
{
    size_t found = view_count();
    for (size_t i = 0; i < view_count(); i++) {
        if (strcmp(views[i]->name, name) == 0)
            return i;
        if (*name && str_has_prefix(views[i]->name, name))
            found = found == view_count() ? i : view_count() + 1;
    }
    return found > view_count() ? view_count() : found;
}

bool view_refuse(const char *name, struct err *err)
{
    struct similar similar = {.word = name};
    struct str names = {0};
    char todo[SIMILAR_TODO];

    for (size_t i = 0; i < view_count(); i++) {
        similar_try(&similar, views[i]->name);
        str_addf(&names, "%s%s", i ? ", " : "", views[i]->name);
    }
    err_set(err, ERR_USAGE, similar_todo(&similar, str_text(&names), todo), "unknown view \"%s\"", name);
    str_done(&names);
    return false;
}
