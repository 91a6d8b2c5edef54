/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of keys as it is now, and as a section of the man page. */
#include <string.h>

#include "cmd/command.h"
#include "cmd/keymap.h"

struct listing_keys {
    struct result_table *table;
    const char *view;
};

static void add_line(void *to, const char *keys, const char *command, const char *help)
{
    struct listing_keys *l = to;

    cell_text(l->table, l->view);
    cell_text(l->table, keys);
    cell_text(l->table, command);
    cell_text(l->table, help);
}

struct keys_values {
    const char *view;
    bool man;
};

/* Text that troff takes for nothing else. */
static void add_troff(struct str *out, const char *text)
{
    for (; *text; text++)
        str_addf(out, *text == '-' ? "\\-" : *text == '\\' ? "\\e" : "%c", *text);
}

static void add_man_line(void *to, const char *keys, const char *command, const char *help)
{
    struct str *out = to;

    str_add(out, ".TP\n.B \\&");
    add_troff(out, keys);
    str_add(out, "\n\\&");
    add_troff(out, help);
    if (command) {
        str_add(out, " (");
        add_troff(out, command);
        str_add_char(out, ')');
    }
    str_add(out, ".\n");
}

struct man_keys {
    const struct keymap *keys;
    struct str *out;
};

static void add_man_view(void *to, const char *view)
{
    const struct man_keys *m = to;

    str_addf(m->out, ".SS %s%s\n", strcmp(view, KEYMAP_ALL) == 0 ? "In all views" : "In the view ", strcmp(view, KEYMAP_ALL) == 0 ? "" : view);
    keymap_tell(m->keys, view, add_man_line, m->out);
}

struct listing_views {
    struct session *session;
    struct result_table *table;
    const char *only;
};

static void add_view(void *to, const char *view)
{
    const struct listing_views *l = to;

    if (!l->only || strcmp(l->only, view) == 0)
        keymap_tell(l->session->keys, view, add_line, &(struct listing_keys){l->table, view});
}

static const struct parameter arguments[] = {
    {.name = "VIEW", .kind = PARAMETER_TEXT, .at = offsetof(struct keys_values, view), .otherwise = "all", .complete = COMPLETE_VIEW, .help = "view whose own keys are listed; all for those of all views"},
    {0},
};
static const struct parameter options[] = {
    {.name = "--man", .kind = PARAMETER_FLAG, .at = offsetof(struct keys_values, man), .help = "print all of them as a man page section"},
    {0},
};

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct result_column columns[] = {{.key = "view", .kind = CELL_TEXT}, {.key = "keys", .kind = CELL_TEXT}, {.key = "command", .kind = CELL_TEXT}, {.key = "help", .kind = CELL_TEXT}};
    const struct keys_values *v = values;
    struct str text = {0};

    if (v->man) {
        keymap_views(add_man_view, &(struct man_keys){s->keys, &text});
        result_block(result, str_text(&text));
        str_done(&text);
        return true;
    }
    struct result_table *t = result_table(result, "keys", columns, 4);

    keymap_views(add_view, &(struct listing_views){s, t, v->view});
    return table_rows(t) || err_set(err, ERR_USAGE, "keys lists all", "no keys of a view \"%s\"", v->view);
}

static const char *const examples[] = {"keys", "keys kernel", NULL};

const struct command command_keys = {
    .name = "keys",
    .help = "list keys, what they run and what that does",
    .arguments = arguments,
    .options = options,
    .examples = examples,
    .values_size = sizeof(struct keys_values),
    .run = run,
};
