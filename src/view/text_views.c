/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Output, log and help views: the output of the last command, the log, and help. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/utf8.h"
#include "cmd/command.h"
#include "cmd/keymap.h"
#include "view/pager.h"
#include "view/place.h"

#define HELP_WIDTH 80       /* number of columns of help before the screen size is known */
/* first column of a key's effect, of a view's content, and of a command's effect */
#define PAIR_INDENT 16
#define VIEW_INDENT 18
#define COMMAND_INDENT 23
#define HELP_ROWS 12        /* maximum number of rows of the help for a pane */
#define HELP_COLUMN 40      /* number of columns of a key with its effect in the help for a pane */
#define HELP_KEYS 11        /* number of columns of the key */
#define HELP_GAP 2          /* number of columns between two keys */
/* minimum number of bytes before the first comma, semicolon or colon for an effect to be cut
 * there */
#define HELP_LEAST 8
#define SHORT_KEYS 36       /* maximum number of keys in the help for a pane */
/* minimum number of columns to which a text is wrapped; a narrower view truncates it */
#define BROKEN_LEAST 24

struct text_view {
    /* The first member, because shared functions cast the state to a pager. */
    struct pager pager;
    size_t next;          /* index of the next line of the log */
    bool filled;
    const struct view_ops *from;   /* view whose keys are shown; NULL: none */
    bool all;             /* whether all keys and commands are shown */
    unsigned width;       /* number of columns for which the lines were wrapped */
};

static void text_close(void *state)
{
    pager_done(&((struct text_view *)state)->pager);
}

/* Estimates the number of rows of all lines. Returns UINT_MAX - 1, which means no limit, while
 * lines are unread. */
static unsigned text_wants(void *state, struct session *s, unsigned width, bool other_panes)
{
    const struct text_view *v = state;
    unsigned rows = v->pager.unread ? UINT_MAX - 1 : 1;

    for (size_t i = 0; !v->pager.unread && i < v->pager.lines.count; i++)
        rows += 1 + (unsigned)(v->pager.lines.items[i].length / (width + 1));
    return rows;
}

static bool text_act(void *state, struct session *s, enum action action, struct str *command)
{
    return pager_act(state, action);
}

static bool text_find(void *state, struct session *s, const char *text, int direction)
{
    return pager_find(state, text, direction);
}

static void text_status(void *state, struct session *s, struct str *out)
{
    pager_status(state, out);
}

void output_view_set(void *state, const char *title, char *take_text)
{
    struct text_view *v = state;
    pager_clear(&v->pager);
    v->pager.top = v->pager.left = 0;
    pager_add(&v->pager, ROLE_TITLE, title);
    pager_take(&v->pager, ROLE_TEXT, take_text);
    v->filled = true;
}

static bool text_busy(void *state)
{
    const struct text_view *v = state;
    return pager_busy(&v->pager);
}

static void output_draw(void *state, struct session *s, struct grid *g)
{
    struct text_view *v = state;
    if (!v->filled)
        grid_put(g, 2, 1, 0, ROLE_DIM, 0, "No output yet.");
    else
        pager_draw(&v->pager, g);
}

/* Appends the output without its title, in the form that `export` writes. There are no rows to
 * select. */
static bool output_copy(void *state, struct session *s, enum copied part, struct str *out,
                        struct err *err)
{
    const struct text_view *v = state;

    if (!v->filled)
        return err_set(err, ERR_USAGE, "run a command that has output", "no output to copy");
    pager_text(&v->pager, 1, out);
    return true;
}

static void log_open(void *state)
{
    ((struct text_view *)state)->pager.follow = true;
}

/* Returns UINT_MAX - 1 (no limit), because the title needs one more row. */
static unsigned log_wants(void *state, struct session *s, unsigned width, bool other_panes)
{
    return UINT_MAX - 1;
}

static void log_draw(void *state, struct session *s, struct grid *g)
{
    static const enum role roles[] = {
        [LOG_INFO] = ROLE_TEXT, [LOG_WARN] = ROLE_WARN, [LOG_ERROR] = ROLE_ERROR};
    struct text_view *v = state;

    struct log_line line;
    struct str text = {0};
    while (log_next(&v->next, &line)) {
        str_clear(&text);
        str_addf(&text, "%9.3f  %s", line.seconds, line.text);
        pager_add(&v->pager, roles[line.level], str_text(&text));
        free(line.text);
    }
    str_done(&text);
    pager_keep_last(&v->pager, log_count());
    if (!v->pager.lines.count)
        grid_put(g, 2, 1, 0, ROLE_DIM, 0, "The log is empty.");
    pager_draw(&v->pager, g);
}

/* Destination of help lines, and their width */
struct help_page {
    struct pager *pager;
    unsigned width;
};

struct key_lines {
    const struct help_page *page;
    char keys[128], help[256];   /* collected keys with the same effect, which share a line */
};

/* Adds @text after @lead, wrapped; further lines begin at column @indent. */
static void add_broken(const struct help_page *p, enum role role, const char *lead,
                       const char *text, unsigned indent)
{
    struct str line = {0};

    str_addf(&line, "%-*s", (int)indent, lead);
    do {
        const size_t room =
            p->width > line.length + BROKEN_LEAST ? p->width - line.length : BROKEN_LEAST;
        size_t length = strlen(text), fits = length <= room ? length : room;
        while (fits < length && fits && text[fits] != ' ')
            fits--;
        fits = fits ? fits : length;   /* A single long word is not divided. */
        str_addf(&line, "%.*s", (int)fits, text);
        pager_add(p->pager, role, str_text(&line));
        text += fits + (text[fits] == ' ');
        str_clear(&line);
        str_addf(&line, "%*s", (int)indent, "");
    } while (*text);
    str_done(&line);
}

static void add_pair(const struct help_page *p, const char *left, int left_bytes, const char *right,
                     int right_bytes)
{
    struct str lead = {0}, text = {0};

    str_addf(&lead, "  %-12.*s  ", left_bytes, left);
    str_addf(&text, "%.*s", right_bytes, right);
    add_broken(p, ROLE_TEXT, str_text(&lead), str_text(&text), PAIR_INDENT);
    str_done(&lead);
    str_done(&text);
}

static void flush_keys(struct key_lines *l)
{
    if (l->keys[0])
        add_pair(l->page, l->keys, (int)strlen(l->keys), l->help, (int)strlen(l->help));
    l->keys[0] = '\0';
}

static void add_keys(void *to, const char *keys, const char *command, const char *help)
{
    struct key_lines *l = to;
    const char *says = *help ? help : command;
    const size_t used = strlen(l->keys);

    if (used && strcmp(says, l->help) == 0 && used + strlen(keys) + 2 < sizeof l->keys) {
        snprintf(l->keys + used, sizeof l->keys - used, " %s", keys);
        return;
    }
    flush_keys(l);
    snprintf(l->keys, sizeof l->keys, "%s", keys);
    snprintf(l->help, sizeof l->help, "%s", says);
}

/* Adds the keys that work in @view. */
static void add_view_keys(const struct help_page *p, const struct session *s, const char *view)
{
    struct key_lines lines = {.page = p};

    keymap_tell(s->keys, view, add_keys, &lines);
    flush_keys(&lines);
}

/* Adds the keys and marks of one view, one per line. */
static void add_view_help(const struct help_page *p, const struct session *s,
                          const struct view_ops *v)
{
    add_view_keys(p, s, v->name);
    for (const char *at = v->marks; at && *at;
         at += at[strcspn(at, "\n")] ? strcspn(at, "\n") + 1 : strlen(at)) {
        size_t mark = strcspn(at, "\t\n"), end = strcspn(at, "\n");
        add_pair(p, at, (int)mark, at + mark + 1, (int)(end - mark - 1));
    }
}

struct short_keys {
    struct { char keys[24]; const char *help; } items[SHORT_KEYS];
    unsigned count;
};

static void collect_short(void *to, const char *keys, const char *command, const char *help)
{
    struct short_keys *k = to;

    if (k->count == SHORT_KEYS)
        return;
    snprintf(k->items[k->count].keys, sizeof k->items->keys, "%s", keys);
    k->items[k->count++].help = *help ? help : command;
}

/* Adds a key and its effect in @columns columns. An effect that does not fit is cut at its first
 * comma, semicolon or colon, or truncated with an ellipsis. */
static void add_short(struct str *line, const char *keys, const char *help, unsigned columns)
{
    const struct grid row = {.width = columns, .height = 1};
    const size_t first = strcspn(help, ";:,");
    const bool whole =
        HELP_KEYS + grid_columns(&row, help) + HELP_GAP <= columns || first < HELP_LEAST;
    struct str cell = {0};
    unsigned used = 0;

    str_addf(&cell, "%-*s %.*s", HELP_KEYS - 1, keys, whole ? (int)strlen(help) : (int)first, help);
    const unsigned all = grid_columns(&row, str_text(&cell)),
                   room = all + HELP_GAP <= columns ? all : columns - HELP_GAP - 1;
    for (const char *at = str_text(&cell); *at && used < room;) {
        uint32_t code;
        const size_t length = utf8_next(at, strlen(at), &code);
        str_addf(line, "%.*s", (int)(length ? length : 1), at);
        at += length ? length : 1;
        used++;
    }
    str_addf(line, "%s%*s", room < all ? "…" : "", (int)(columns - used - (room < all)), "");
    str_done(&cell);
}

/* Returns the number of keys per line, at most the number with which all effects are complete. If
 * HELP_ROWS requires more, each key gets at least HELP_COLUMN columns. */
static unsigned short_across(const struct short_keys *keys, unsigned width)
{
    const struct grid row = {.width = width, .height = 1};
    const unsigned rows = HELP_ROWS - 2, narrow = width / HELP_COLUMN,
                   needed = (keys->count + rows - 1) / rows,
                   least = needed < narrow ? needed : narrow;
    unsigned most = 1;

    for (unsigned i = 0; i < keys->count; i++) {
        const unsigned columns = HELP_KEYS + grid_columns(&row, keys->items[i].help) + HELP_GAP;
        most = columns > most ? columns : most;
    }
    const unsigned fit = width / most;
    return fit > least ? fit : least > 1 ? least : 1;
}

/* Adds the keys of the pane's view in columns. On a wide screen, title, keys and end have HELP_ROWS
 * lines. Then follow the marks that fit. */
static void fill_short(struct text_view *v, const struct session *s, unsigned width)
{
    const struct help_page page = {&v->pager, width};
    const struct view_ops *from = v->from;
    struct short_keys keys = {.count = 0};
    struct str line = {0};

    keymap_tell(s->keys, from->name, collect_short, &keys);
    str_addf(&line, "%s: %s", from->label, from->help);
    add_broken(&page, ROLE_TITLE, "", str_text(&line), 0);
    const unsigned across = short_across(&keys, width), rows = (keys.count + across - 1) / across;
    for (unsigned r = 0; r < rows; r++) {
        str_clear(&line);
        for (unsigned c = 0; c < across && c * rows + r < keys.count; c++)
            add_short(&line, keys.items[c * rows + r].keys, keys.items[c * rows + r].help,
                      width / across);
        pager_add(&v->pager, ROLE_TEXT, str_text(&line));
    }
    for (const char *at = from->marks; at && *at && v->pager.lines.count + 1 < HELP_ROWS;
         at += at[strcspn(at, "\n")] ? strcspn(at, "\n") + 1 : strlen(at)) {
        const size_t mark = strcspn(at, "\t\n"), end = strcspn(at, "\n");
        str_clear(&line);
        str_addf(&line, "%-10.*s %.*s", (int)mark, at, (int)(end - mark - 1), at + mark + 1);
        pager_add(&v->pager, ROLE_TEXT, str_text(&line));
    }
    pager_add(&v->pager, ROLE_DIM,
              "j k move   Tab next pane   1 2 3 places   q back   ~ output and log   : command   ? "
              "all keys, commands");
    str_done(&line);
}

static void fill_all(struct text_view *v, const struct session *session, unsigned width)
{
    const struct help_page page = {&v->pager, width}, *p = &page;
    const struct view_ops *from = v->from;
    struct str line = {0};

    if (from) {
        str_addf(&line, "Keys of %s (q goes back to it)", from->label);
        pager_add(&v->pager, ROLE_TITLE, str_text(&line));
        add_view_help(p, session, from);
        pager_add(&v->pager, ROLE_TEXT, "");
    }
    pager_add(&v->pager, ROLE_TITLE, "Keys of all panes");
    add_view_keys(p, session, KEYMAP_ALL);
    pager_add(&v->pager, ROLE_TEXT, "");
    pager_add(&v->pager, ROLE_TITLE, "Places and their panes, with the names for view and bind");
    for (unsigned i = 0; i < PLACE_COUNT; i++) {
        str_clear(&line);
        str_addf(&line, "%u %s", i + 1, places[i].name);
        add_pair(p, str_text(&line), (int)line.length, places[i].help, (int)strlen(places[i].help));
        for (unsigned k = 0; k < place_panes(&places[i]); k++)
            for (const struct view_ops *const *view = places[i].panes[k].views; *view; view++) {
                str_clear(&line);
                str_addf(&line, "    %-13s ", (*view)->name);
                add_broken(p, ROLE_TEXT, str_text(&line), (*view)->help, VIEW_INDENT);
            }
    }
    for (size_t i = 0; i < view_count(); i++)
        if (views[i] != from && views[i] != &help_view) {
            str_clear(&line);
            str_addf(&line, "Keys of %s", views[i]->label);
            pager_add(&v->pager, ROLE_TEXT, "");
            pager_add(&v->pager, ROLE_TITLE, str_text(&line));
            add_view_help(p, session, views[i]);
        }
    pager_add(&v->pager, ROLE_TEXT, "");
    pager_add(&v->pager, ROLE_TITLE, "Commands (unambiguous abbreviations work: k l x.s)");
    for (const struct command *const *at = commands; *at; at++) {
        const struct command *c = *at;
        struct str usage = {0};
        command_usage(c, &usage);
        str_clear(&line);
        str_addf(&line, "  %-20s ", c->name);
        add_broken(p, ROLE_TEXT, str_text(&line), c->help, COMMAND_INDENT);
        if (usage.length)
            add_broken(p, ROLE_DIM, "", str_text(&usage), COMMAND_INDENT + 2);
        str_done(&usage);
    }
    str_done(&line);
}

/* Adds the keys of one pane, or all keys and commands, in lines of @width columns. */
static void fill_help(struct text_view *v, const struct session *s, unsigned width)
{
    pager_clear(&v->pager);
    v->filled = true;
    v->width = width;
    (v->from && !v->all ? fill_short : fill_all)(v, s, width);
}

void help_view_set(void *state, const struct session *s, size_t index)
{
    struct text_view *v = state;
    v->pager.top = v->pager.left = 0;
    v->from = views[index];
    v->all = false;
    fill_help(v, s, v->width ? v->width : HELP_WIDTH);
}

/* Action All switches between the keys of the pane and all keys. */
static bool help_act(void *state, struct session *s, enum action action, struct str *command)
{
    struct text_view *v = state;

    if (action != ACTION_ALL)
        return text_act(state, s, action, command);
    v->all = !v->all;
    v->pager.top = v->pager.left = 0;
    fill_help(v, s, v->width);
    return true;
}

static unsigned help_wants(void *state, struct session *s, unsigned width, bool other_panes)
{
    struct text_view *v = state;

    if (!v->filled || v->width != width)
        fill_help(v, s, width);
    return text_wants(state, s, width, other_panes) - 1;
}

static void help_draw(void *state, struct session *s, struct grid *g)
{
    struct text_view *v = state;
    if (!v->filled || v->width != g->width)
        fill_help(v, s, g->width);
    pager_draw(&v->pager, g);
}

const struct view_ops output_view = {.name = "output",
                                     .label = "Output",
                                     .help = "output of the last command",
                                     .act = text_act,
                                     .state_size = sizeof(struct text_view),
                                     .close = text_close,
                                     .draw = output_draw,
                                     .copy = output_copy,
                                     .wants = text_wants,
                                     .find = text_find,
                                     .status = text_status,
                                     .busy = text_busy};
const struct view_ops log_view = {.name = "log",
                                  .label = "Log",
                                  .help = "log of actions and errors",
                                  .act = text_act,
                                  .state_size = sizeof(struct text_view),
                                  .open = log_open,
                                  .close = text_close,
                                  .draw = log_draw,
                                  .wants = log_wants,
                                  .find = text_find,
                                  .status = text_status,
                                  .busy = text_busy};
const struct view_ops help_view = {.name = "help",
                                   .label = "Help",
                                   .help = "keys, places and commands",
                                   .act = help_act,
                                   .state_size = sizeof(struct text_view),
                                   .close = text_close,
                                   .draw = help_draw,
                                   .wants = help_wants,
                                   .find = text_find,
                                   .status = text_status,
                                   .busy = text_busy};
