/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/view.h"

#include <string.h>

#include "base/similar.h"

#define LISTED(name) &name##_view,
const struct view_ops *const views[] = {VIEWS(LISTED) NULL};

bool view_next_machine(void *state, struct session *s, int key, struct str *command)
{
    size_t count = s->document.selected_count;
    (void)state;
    (void)command;
    if (count)
        s->document.in_view = (s->document.in_view + (key == 'm' ? 1 : count - 1)) % count;
    return true;
}

long view_row(int key, long at, long page, long last)
{
    switch (key) {
    case 'j': case KEYCODE_DOWN: case KEYCODE_WHEEL_DOWN: return at + 1;
    case 'k': case KEYCODE_UP: case KEYCODE_WHEEL_UP: return at - 1;
    case KEYCODE_PAGE_DOWN: return at + page;
    case KEYCODE_PAGE_UP: return at - page;
    case 'g': case KEYCODE_HOME: return 0;
    case 'G': case KEYCODE_END: return last;
    default: return at;
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

bool view_press(const struct view_ops *view, void *state, struct session *s, int key, struct str *command)
{
    for (const struct view_key *row = view->keys; row->keys[0] || row->label; row++)
        for (const int *k = row->keys; *k; k++) {
            if (*k != key)
                continue;
            if (row->act)
                return row->act(state, s, key, command);
            str_add(command, row->command);
            return true;
        }
    return false;
}

void view_words(void (*add)(void *to, const char *word), void *to)
{
    for (const struct view_ops *const *v = views; *v; v++)
        add(to, (*v)->name);
    add(to, VIEW_NEXT);
    add(to, VIEW_PREVIOUS);
}

unsigned view_draw_hints(const struct view_ops *view, struct grid *g, unsigned x, unsigned y)
{
    for (const struct view_key *row = view->keys; row->keys[0] || row->label; row++)
        if (row->hint && x + strlen(row->label) + 1 + strlen(row->hint) <= g->width)
            x += grid_printf(g, (int)x, (int)y, 0, ROLE_DIM, 0, "%s %s   ", row->label, row->hint);
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
