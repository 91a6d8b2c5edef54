/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/bars.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/key.h"
#include "cmd/keymap.h"
#include "work/job.h"

#define OWN_CELL 24          /* maximum number of columns of a key that the user bound */
#define ASIDE_SECONDS 1 /* seconds after which an automatic job is displayed */
#define APART 2              /* number of columns between two keys */
/* minimum width of a screen that shows the names of all places in the first row */
#define NAMES_WIDE 60

/* Appends the background jobs, for the right end of the status line. */
static void add_jobs(const struct session *s, struct str *out)
{
    struct job_info info;

    if (s->queue.job && s->queue.count)
        str_add(out, "Esc stops waiting");
    for (size_t i = 0; job_get(i, &info); i++)
        if (info.state == JOB_RUNNING && (!info.aside || info.seconds >= ASIDE_SECONDS)) {
            str_addf(out, "%sjob %u", out->length ? " | " : "", info.number);
            if (info.total > 0)
                str_addf(out, " %.0f %%", 100 * info.done / info.total);
            /* The title is last, because a narrow screen truncates the line at its start. */
            str_addf(out, "%s %s%s%s", info.paused ? " paused" : "", info.note,
                     *info.note ? "  " : "", info.title);
        }
}

/* Draws the names of the places if @g is not NULL. Sets *@at to the place whose name is at column
 * @x. Returns the number of columns used. */
static unsigned names(const struct frame *f, struct grid *g, unsigned width, int x, unsigned *at)
{
    unsigned used = 0;

    for (unsigned i = 0; i < PLACE_COUNT; i++) {
        const bool here = i == f->place;
        char name[32];
        snprintf(name, sizeof name, here || width >= NAMES_WIDE ? " %s %u " : " %.0s%u ",
                 places[i].name, i + 1);
        if (g)
            grid_put(g, (int)used, 0, 0, here ? ROLE_CURSOR : ROLE_KEY, here ? ATTR_BOLD : 0, name);
        if (at && x >= (int)used && x < (int)(used + strlen(name)))
            *at = i;
        used += (unsigned)strlen(name);
    }
    return used;
}

void bars_places(struct frame *f, struct grid *g)
{
    struct str position = {0}, right = {0};

    grid_fill(g, 0, 0, g->width, 1, ROLE_KEY, 0, ' ');
    unsigned used = names(f, g, g->width, -1, NULL) + 1;
    add_jobs(f->session, &right);
    const unsigned needed = grid_columns(g, str_text(&right)) + 1,
                   jobs = right.length && used < g->width
                              ? (needed < g->width - used ? needed : g->width - used)
                              : 0;
    frame_position(f, &position);
    const unsigned columns = grid_columns(g, str_text(&position)) + 1;
    if (used + columns + (jobs ? jobs + 1 : 0) <= g->width)
        grid_put(g, (int)(g->width - columns - (jobs ? jobs + 1 : 0)), 0, 0, ROLE_KEY, 0,
                 str_text(&position));
    if (jobs)
        grid_put(g, (int)(g->width - jobs), 0, jobs, ROLE_WARN, ATTR_REVERSE, str_text(&right));
    str_done(&position);
    str_done(&right);
}

unsigned bars_place(struct frame *f, unsigned width, int x)
{
    unsigned at = PLACE_COUNT;

    names(f, NULL, width, x, &at);
    return at;
}

/* A key bar that is drawn, or searched for the key at a column */
struct bar {
    struct grid *g;          /* destination; NULL: the bar is only searched */
    unsigned width, at;
    int y, x;
    const char *found;       /* command of the key at column @x */
};

/* Adds a key and its effect if the row has space for them. */
static void put_key(struct bar *b, const char *name, const char *says, unsigned most,
                    const char *command)
{
    const unsigned wide = (unsigned)(strlen(name) + 1 + strlen(says)),
                   columns = wide < most ? wide : most;

    if (b->at + columns > b->width)
        return;
    if (b->g) {
        const unsigned used =
            grid_put(b->g, (int)b->at, b->y, columns, ROLE_TITLE, ATTR_BOLD, name);
        grid_put(b->g, (int)(b->at + used + 1), b->y, columns - used - 1, ROLE_TEXT, 0, says);
    }
    if (b->x >= (int)b->at && b->x < (int)(b->at + columns))
        b->found = command;
    b->at += columns + APART;
}

/* Returns whether @command (NULL: none) shows the displayed view. */
static bool shows_itself(const char *command, const struct view_ops *v)
{
    return command && str_has_prefix(command, "view ") && strcmp(command + 5, v->name) == 0;
}

/* Adds the keys that have a hint and currently an effect: the keys of all views if @all is true,
 * otherwise the keys of @v. */
static void put_rows(struct bar *b, const struct session *s, const struct view_ops *v, bool all)
{
    char name[KEY_NAME_MOST];

    for (const struct key_row *row = key_rows; row->views; row++) {
        if (!row->hint || key_row_in(row, KEYMAP_ALL) != all ||
            !(all || key_row_in(row, v->name)) || (row->acts && !row->acts(s)) ||
            shows_itself(row->command, v))
            continue;
        if (row->command && !keymap_key(s->keys, v->name, row->command, name))
            continue;
        if (!row->command)
            snprintf(name, sizeof name, "%.*s", (int)strcspn(row->keys, " "), row->keys);
        put_key(b, name, row->hint, b->width, row->command);
    }
}

/* Adds the user's bindings of F1 to F12. */
static void put_own(struct bar *b, const struct session *s, const struct view_ops *v)
{
    char name[KEY_NAME_MOST];

    for (int key = KEYCODE_F1; key <= KEYCODE_F12; key++) {
        const struct key_binding *own = keymap_own(s->keys, v->name, key);
        if (!own)
            continue;
        key_print(key, name);
        put_key(b, name, own->command, OWN_CELL, own->command);
    }
}

static unsigned general_width(const struct session *s, const struct view_ops *v)
{
    struct bar b = {.width = 1000, .x = -1};

    put_rows(&b, s, v, true);
    return b.at;
}

/* Draws the bar unless @g is NULL. Returns the command of the key at column @x, or NULL. */
static const char *bar(struct frame *f, struct grid *g, unsigned width, int y, int x)
{
    const struct view_ops *v = views[f->current];
    const unsigned general = general_width(f->session, v);
    struct bar b = {
        .g = g, .width = width > general ? width - general : 0, .at = 1, .y = y, .x = x};

    put_own(&b, f->session, v);
    put_rows(&b, f->session, v, false);
    b.width = width;
    put_rows(&b, f->session, v, true);
    return b.found;
}

void bars_keys(struct frame *f, struct grid *g, int y)
{
    bar(f, g, g->width, y, -1);
}

char *bars_key(struct frame *f, unsigned width, int x)
{
    const char *command = bar(f, NULL, width, 0, x);
    return mem_strdup(command);
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
    unsigned rows = (unsigned)(prompt->match_count + columns - 1) / columns,
             most = bottom > 2 ? (unsigned)bottom - 1 : 1;
    unsigned shown = rows < most ? rows : most;
    for (unsigned r = 0; r < shown; r++) {
        int y = bottom - (int)shown + (int)r;
        grid_fill(g, 0, y, g->width, 1, ROLE_KEY, 0, ' ');
        for (unsigned c = 0; c < columns && (size_t)c * rows + r < prompt->match_count; c++)
            grid_put(g, (int)(c * widest) + 1, y, widest - 1, ROLE_KEY, 0,
                     prompt->matches[(size_t)c * rows + r]);
    }
    if (shown < rows)
        grid_printf(g, (int)g->width - 12, bottom - 1, 0, ROLE_KEY, 0, " %zu in all",
                    prompt->match_count);
}
