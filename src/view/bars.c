/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/bars.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/key.h"
#include "cmd/keymap.h"
#include "work/job.h"

#define BAR_CELL 10          /* columns of a key on the bar */
#define OWN_CELL 24          /* at most, of a key that the user bound */
#define TAB_MAX 32           /* bytes of a view's tab */
#define TAB_SHORT 6          /* letters of a short name */
#define TAB_LEAST 3
#define TABS_WIDTH_MIN 60    /* columns from which on others than the current view have one */
#define JOBS_ROOM 32         /* columns that the jobs may claim before the tabs lose letters */
#define KEYED 10             /* views that a digit takes */

/* How much of its name each tab has: all, its short name, three letters; closer together in the next. In the last two, those that are far from the current one may have to
 * go. */
enum tab_names { TABS_ALL, TABS_ALL_CLOSE, TABS_SHORT, TABS_SHORT_CLOSE, TABS_TIGHT, TABS_ONE };

/* What stands on the line of views. */
struct tabs {
    enum tab_names names;
    size_t first, last;      /* tabs that are shown; beside them '<' and '>' where others are not */
};

/* What runs in the background, for the right end of the status line. */
static void add_jobs(const struct session *s, struct str *out)
{
    struct job_info info;

    if (s->queue.job && s->queue.count)
        str_add(out, "Esc stops waiting");
    for (size_t i = 0; job_get(i, &info); i++)
        if (info.state == JOB_RUNNING) {
            str_addf(out, "%sjob %u", out->length ? " | " : "", info.number);
            if (info.total > 0)
                str_addf(out, " %.0f %%", 100 * info.done / info.total);
            /* What a narrow screen cuts off is what the user knows: what was started. */
            str_addf(out, "%s %s%s%s", info.paused ? " paused" : "", info.note, *info.note ? "  " : "", info.title);
        }
}

/* The tab of view @index. */
static void tab_text(const struct frame *f, size_t index, enum tab_names names, char out[TAB_MAX])
{
    const struct view_ops *v = views[index];
    const bool whole = index == f->current || names <= TABS_ALL_CLOSE || names == TABS_ONE, apart = names == TABS_ALL || names == TABS_SHORT || names == TABS_ONE;
    const char *name = whole || !v->tab ? v->name : v->tab;
    const int letters = whole ? TAB_MAX / 2 : names == TABS_TIGHT ? TAB_LEAST : TAB_SHORT;

    if (apart)
        snprintf(out, TAB_MAX, " %zu %.*s ", index + 1, letters, name);
    else if (index < KEYED)
        snprintf(out, TAB_MAX, " %zu%.*s", (index + 1) % KEYED, letters, name);
    else
        snprintf(out, TAB_MAX, " %.*s", letters, name);
}

static size_t tab_width(const struct frame *f, size_t index, enum tab_names names)
{
    char tab[TAB_MAX];

    tab_text(f, index, names, tab);
    return strlen(tab);
}

/* As many tabs around the current one as fit into @width columns. */
static void around_current(const struct frame *f, size_t width, struct tabs *out)
{
    size_t used = tab_width(f, f->current, out->names) + 2;   /* the marks at both ends */

    out->first = out->last = f->current;
    for (bool grown = true; grown;) {
        grown = false;
        size_t before = out->first ? tab_width(f, out->first - 1, out->names) : width;
        if (used + before <= width) {
            out->first--;
            used += before;
            grown = true;
        }
        size_t after = out->last + 1 < view_count() ? tab_width(f, out->last + 1, out->names) : width;
        if (used + after <= width) {
            out->last++;
            used += after;
            grown = true;
        }
    }
}

/* The longest names beside which position, sort, filter and jobs still fit; where no names of all do, the tabs around the current one. */
static struct tabs tabs_of(struct frame *f, unsigned width)
{
    struct str status = {0}, jobs = {0};
    struct tabs out = {.names = TABS_ALL, .first = 0, .last = view_count() - 1};

    if (width < TABS_WIDTH_MIN)
        return (struct tabs){TABS_ONE, f->current, f->current};
    frame_position(f, &status);
    add_jobs(f->session, &jobs);
    size_t beside = status.length + 2 + (jobs.length ? (jobs.length < JOBS_ROOM ? jobs.length : JOBS_ROOM) + 1 : 0);
    beside = beside < width / 2 ? beside : width / 2;
    str_done(&status);
    str_done(&jobs);
    for (; out.names <= TABS_TIGHT; out.names++) {
        size_t wide = 0;
        for (size_t i = 0; i < view_count(); i++)
            wide += tab_width(f, i, out.names);
        if (beside + wide <= width)
            return out;
    }
    out.names = TABS_TIGHT;
    around_current(f, width - beside, &out);
    return out;
}

/* Draws the tabs when @g; *@at gets the view whose tab is at column @x. Returns the columns used. */
static unsigned tabs(struct frame *f, struct grid *g, unsigned width, int y, int x, size_t *at)
{
    const struct tabs t = tabs_of(f, width);
    unsigned used = 0;

    if (t.first && t.names != TABS_ONE) {
        if (g)
            grid_put(g, 0, y, 1, ROLE_KEY, 0, "<");
        used++;
    }
    for (size_t i = t.first; i <= t.last; i++) {
        char tab[TAB_MAX];
        tab_text(f, i, t.names, tab);
        bool here = i == f->current;
        if (g)
            grid_put(g, (int)used, y, 0, here ? ROLE_CURSOR : ROLE_KEY, here ? ATTR_BOLD | ATTR_UNDERLINE : 0, tab);
        if (at && x >= (int)used && x < (int)(used + strlen(tab)))
            *at = i;
        used += (unsigned)strlen(tab);
    }
    if (t.last + 1 < view_count() && t.names != TABS_ONE) {
        if (g)
            grid_put(g, (int)used, y, 2, ROLE_KEY, 0, " >");
        used += 2;
    }
    return used;
}

void bars_status(struct frame *f, struct grid *g, int y)
{
    struct str left = {0}, right = {0};

    grid_fill(g, 0, y, g->width, 1, ROLE_KEY, 0, ' ');
    unsigned used = tabs(f, g, g->width, y, -1, NULL);
    frame_position(f, &left);
    used += grid_printf(g, (int)used + 1, y, 0, ROLE_KEY, 0, "%s", str_text(&left)) + 2;
    add_jobs(f->session, &right);
    if (right.length && used < g->width) {
        unsigned room = g->width - used;
        unsigned width = right.length + 1 < room ? (unsigned)right.length + 1 : room;
        grid_put(g, (int)(g->width - width), y, width, ROLE_WARN, ATTR_REVERSE, str_text(&right));
    }
    str_done(&left);
    str_done(&right);
}

size_t bars_tab(struct frame *f, unsigned width, int x)
{
    size_t at = view_count();

    tabs(f, NULL, width, 0, x, &at);
    return at;
}

/* Whether a key of the bar does something in view @v. */
static bool usable(const struct view_ops *v, const char *command)
{
    return strcmp(command, "prompt find") == 0 ? v->find != NULL : strcmp(command, "prompt sort") == 0 ? v->sort != NULL : strcmp(command, "prompt filter") == 0 ? v->filter != NULL : true;
}

/* The name of the first key that does what @row says in @v; false when none does: it does not stand on the bar. */
static bool first_key(const struct session *s, const struct view_ops *v, const struct key_row *row, char out[KEY_NAME_MOST])
{
    if (row->command)
        return keymap_key(s->keys, v->name, row->command, out);
    snprintf(out, KEY_NAME_MOST, "%.*s", (int)strcspn(row->keys, " "), row->keys);
    return true;
}

static bool on_bar(const struct session *s, const struct view_ops *v, const struct key_row *row, char name[KEY_NAME_MOST])
{
    return row->label && key_row_in(row, KEYMAP_ALL) && usable(v, row->command) && first_key(s, v, row, name);
}

static bool has_hint(const struct session *s, const struct view_ops *v, const struct key_row *row, char name[KEY_NAME_MOST])
{
    return row->hint && key_row_in(row, KEYMAP_ALL) && first_key(s, v, row, name);
}

static unsigned hint_width(const struct key_row *row, const char *name)
{
    return (unsigned)(strlen(name) + 1 + strlen(row->hint));
}

/* Whether the keys that have another way are to give way: with them the bar would lose what nothing else says, the hints of keys. */
static bool is_short(const struct session *s, const struct view_ops *v, unsigned width)
{
    char name[KEY_NAME_MOST];
    unsigned wanted = 0;

    for (const struct key_row *row = key_rows; row->views; row++)
        wanted += on_bar(s, v, row, name) ? BAR_CELL : has_hint(s, v, row, name) && row->command ? hint_width(row, name) + 3 : 0;
    return wanted > width + 3;
}

/* A key and what it says in @width columns at *@at, which goes behind it. Draws when @g; true when column @x is on it. */
static bool place_key(struct grid *g, unsigned *at, int y, int x, unsigned width, const char *name, const char *label)
{
    const unsigned from = *at;

    *at += width;
    if (g) {
        unsigned used = grid_put(g, (int)from, y, width, ROLE_TEXT, ATTR_BOLD, name);
        used = used < width ? used : width - 1;
        grid_fill(g, (int)(from + used), y, width - used - 1, 1, ROLE_KEY, 0, ' ');
        grid_put(g, (int)(from + used), y, width - used - 1, ROLE_KEY, 0, label);
    }
    return x >= (int)from && x < (int)*at;
}

/* Draws the bar when @g; returns the command of the key at column @x, NULL: none. */
static const char *bar(struct frame *f, struct grid *g, unsigned width, int y, int x)
{
    const struct view_ops *v = views[frame_focus(f)];
    const struct session *s = f->session;
    bool cramped = is_short(s, v, width);
    char name[KEY_NAME_MOST];
    const char *found = NULL;
    unsigned at = 0;

    for (const struct key_row *row = key_rows; row->views; row++)
        if (on_bar(s, v, row, name) && at + BAR_CELL <= width && !(cramped && row->yields) && place_key(g, &at, y, x, BAR_CELL, name, row->label))
            found = row->command;
    for (int key = KEYCODE_F1; key <= KEYCODE_F12; key++) {   /* the user's */
        const struct key_binding *own = keymap_own(s->keys, v->name, key);
        if (!own)
            continue;
        key_print(key, name);
        const unsigned wide = (unsigned)(strlen(name) + strlen(own->command)) + 2;
        if (at + (wide < OWN_CELL ? wide : OWN_CELL) <= width && place_key(g, &at, y, x, wide < OWN_CELL ? wide : OWN_CELL, name, own->command))
            found = own->command;
    }
    for (const struct key_row *row = key_rows; g && row->views; row++)
        if (has_hint(s, v, row, name) && at + hint_width(row, name) <= width)
            at += grid_printf(g, (int)at, y, 0, ROLE_DIM, 0, "%s %s   ", name, row->hint);
    return found;
}

void bars_keys(struct frame *f, struct grid *g, int y)
{
    bar(f, g, g->width, y, -1);
}

char *bars_key(struct frame *f, unsigned width, int x)
{
    const char *command = bar(f, NULL, width, 0, x);
    return command ? mem_strdup(command) : NULL;
}

void bars_popup(const struct frame_prompt *prompt, struct grid *g, int bottom)
{
    unsigned widest = 0;

    for (size_t i = 0; i < prompt->match_count; i++) {
        unsigned length = (unsigned)strlen(prompt->matches[i]);
        widest = length > widest ? length : widest;
    }
    widest = widest + 2 < g->width ? widest + 2 : g->width;
    unsigned columns = g->width / widest ? g->width / widest : 1;
    unsigned rows = (unsigned)(prompt->match_count + columns - 1) / columns, most = bottom > 2 ? (unsigned)bottom - 1 : 1;
    unsigned shown = rows < most ? rows : most;
    for (unsigned r = 0; r < shown; r++) {
        int y = bottom - (int)shown + (int)r;
        grid_fill(g, 0, y, g->width, 1, ROLE_KEY, 0, ' ');
        for (unsigned c = 0; c < columns && (size_t)c * rows + r < prompt->match_count; c++)
            grid_put(g, (int)(c * widest) + 1, y, widest - 1, ROLE_KEY, 0, prompt->matches[(size_t)c * rows + r]);
    }
    if (shown < rows)
        grid_printf(g, (int)g->width - 12, bottom - 1, 0, ROLE_KEY, 0, " %zu in all", prompt->match_count);
}
