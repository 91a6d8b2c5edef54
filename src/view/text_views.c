/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The views that are pages of text: output of the last command, log, help. */
#include <stdlib.h>

#include "base/log.h"
#include "cmd/command.h"
#include "view/pager.h"
#include "view/view.h"

struct text_view {
    struct pager pager;   /* first: the shared handlers take the state for it */
    unsigned revision;    /* of the log that is shown */
    bool filled;
};

static void *text_open(void)
{
    return mem_zero(1, sizeof(struct text_view));
}

static void text_close(void *state)
{
    struct text_view *v = state;
    pager_done(&v->pager);
    free(v);
}

static bool text_key(void *state, struct session *s, int key, struct str *command)
{
    (void)s;
    (void)command;
    return pager_key(state, key);
}

static bool text_find(void *state, struct session *s, const char *text, int direction)
{
    (void)s;
    return pager_find(state, text, direction);
}

static void text_status(void *state, struct session *s, struct str *out)
{
    (void)s;
    pager_status(state, out);
}

void output_view_set(void *state, const char *title, const char *text)
{
    struct text_view *v = state;
    pager_clear(&v->pager);
    v->pager.top = v->pager.left = 0;
    pager_add(&v->pager, ROLE_TITLE, title);
    pager_add(&v->pager, ROLE_TEXT, text);
    v->filled = true;
}

static void output_draw(void *state, struct session *s, struct grid *g)
{
    struct text_view *v = state;
    (void)s;
    if (!v->filled)
        grid_put(g, 2, 1, 0, ROLE_DIM, 0, "What commands print is shown here.");
    else
        pager_draw(&v->pager, g);
}

static void *log_open(void)
{
    struct text_view *v = text_open();
    v->pager.follow = true;
    return v;
}

static void log_draw(void *state, struct session *s, struct grid *g)
{
    static const enum role roles[] = {[LOG_INFO] = ROLE_TEXT, [LOG_WARN] = ROLE_WARN, [LOG_ERROR] = ROLE_ERROR};
    struct text_view *v = state;
    (void)s;

    if (!v->filled || v->revision != log_revision()) {
        struct log_line line;
        struct str text = {0};
        pager_clear(&v->pager);
        v->filled = true;
        v->revision = log_revision();
        for (size_t i = 0; log_get(i, &line); i++) {
            str_clear(&text);
            str_addf(&text, "%9.3f  %s", line.seconds, line.text);
            pager_add(&v->pager, roles[line.level], str_text(&text));
            free(line.text);
        }
        str_done(&text);
    }
    if (!v->pager.lines.count)
        grid_put(g, 2, 1, 0, ROLE_DIM, 0, "Nothing has been logged yet.");
    pager_draw(&v->pager, g);
}

static void fill_help(struct pager *p)
{
    struct str line = {0};

    pager_add(p, ROLE_TITLE, "Keys");
    pager_add(p, ROLE_TEXT, "  :             a command; Tab completes, arrows bring back, Ctrl-R searches, Esc leaves");
    for (const struct key_binding *b = key_bindings; b->name; b++) {
        str_clear(&line);
        str_addf(&line, "  %-12s  %s", b->name, b->help);
        pager_add(p, ROLE_TEXT, str_text(&line));
    }
    pager_add(p, ROLE_TEXT, "  arrows hjkl   move; g G PgUp PgDn Home End as well, and the mouse wheel");
    pager_add(p, ROLE_TEXT, "  q             back to the kernel; there: leave");
    pager_add(p, ROLE_TEXT, "  Ctrl-L        draw again     Ctrl-Z  stop, fg comes back     Ctrl-C  never quits");
    pager_add(p, ROLE_TEXT, "  a paste       of assembler text becomes the kernel");
    pager_add(p, ROLE_TEXT, "");
    pager_add(p, ROLE_TITLE, "Views");
    for (size_t i = 0; i < view_count(); i++) {
        str_clear(&line);
        str_addf(&line, "  %zu %-10s  %s", i + 1, views[i]->name, views[i]->help);
        pager_add(p, ROLE_TEXT, str_text(&line));
    }
    pager_add(p, ROLE_TEXT, "");
    pager_add(p, ROLE_TITLE, "Commands (unambiguous beginnings are enough: k l x.s)");
    for (const struct command *c = commands; c->name; c++) {
        str_clear(&line);
        str_addf(&line, "  %-20s %s", c->name, c->help);
        pager_add(p, ROLE_TEXT, str_text(&line));
        if (*c->arguments) {
            str_clear(&line);
            str_addf(&line, "  %-20s   %s", "", c->arguments);
            pager_add(p, ROLE_DIM, str_text(&line));
        }
    }
    str_done(&line);
}

static void help_draw(void *state, struct session *s, struct grid *g)
{
    struct text_view *v = state;
    (void)s;
    if (!v->filled) {
        fill_help(&v->pager);
        v->filled = true;
    }
    pager_draw(&v->pager, g);
}

const struct view_ops output_view = {.name = "output", .help = "what the last command printed", .open = text_open, .close = text_close,
                                     .draw = output_draw, .key = text_key, .find = text_find, .status = text_status};
const struct view_ops log_view = {.name = "log", .help = "what was done and what went wrong; F follows", .open = log_open, .close = text_close,
                                  .draw = log_draw, .key = text_key, .find = text_find, .status = text_status};
const struct view_ops help_view = {.name = "help", .help = "keys, views and commands", .open = text_open, .close = text_close, .draw = help_draw,
                                   .key = text_key, .find = text_find, .status = text_status};
