/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
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

void view_draw_empty(const struct session *s, const struct view_ops *view, struct grid *g,
                     const char *says, const char *command, const char *does)
{
    const unsigned width = g->width > 4 ? g->width - 4 : 1;
    char key[KEY_NAME_MOST];
    int y = g->height > 6;

    y += (int)grid_wrap(g, 2, y, width, g->height > 2 ? g->height - 2 : 1, ROLE_TEXT, 0, says) +
         (g->height > 6);
    if (keymap_key(s->keys, view->name, command, key)) {
        const unsigned used = grid_put(g, 2, y, 0, ROLE_TITLE, ATTR_BOLD, key) + 2;
        grid_wrap(g, 2 + (int)used, y, width > used ? width - used : 1, 3, ROLE_TEXT, 0, does);
    }
}

void *view_open(size_t index)
{
    void *state = mem_zero(1, views[index]->state_size + 1);

    if (views[index]->open)
        views[index]->open(state);
    return state;
}

void view_close(size_t index, void *state)
{
    if (views[index]->close)
        views[index]->close(state);
    free(state);
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

size_t view_index(const struct view_ops *view)
{
    size_t i = 0;

    while (views[i] != view)
        i++;
    return i;
}

bool view_refuse(const char *name, struct err *err)
{
    struct similar similar = {.word = name};
    struct str names = {0};
    char todo[SIMILAR_TODO];

    for (size_t i = 0; i < view_count(); i++) {
        similar_try(&similar, views[i]->name);
        str_addf(&names, "%s%s", i ? ", " : "views: ", views[i]->name);
    }
    err_set(err, ERR_USAGE, similar_todo(&similar, str_text(&names), todo), "unknown view \"%s\"",
            name);
    str_done(&names);
    return false;
}
