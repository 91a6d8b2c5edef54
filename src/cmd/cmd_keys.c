/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands keys, bind and unbind: list and change key bindings. */
#include <string.h>

#include "cmd/command.h"
#include "cmd/key.h"
#include "cmd/keymap.h"

/* Output of the keys of one view as rows of a table */

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

    str_addf(m->out, ".SS %s%s\n", strcmp(view, KEYMAP_ALL) == 0 ? "In all views" : "In the view ",
             strcmp(view, KEYMAP_ALL) == 0 ? "" : view);
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

static bool run_keys(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct result_column columns[] = {{.key = "view", .kind = CELL_TEXT},
                                                   {.key = "keys", .kind = CELL_TEXT},
                                                   {.key = "command", .kind = CELL_TEXT},
                                                   {.key = "help", .kind = CELL_TEXT}};
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
    return table_rows(t) || err_set(err, ERR_USAGE, "keys lists the keys of all views",
                                    "\"%s\" is not a view with keys", v->view);
}

const struct command command_keys = {
    .name = "keys",
    .help = "list keys, their commands and effects",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "VIEW", struct keys_values, view), .fallback = "all",
         .complete = COMPLETE_VIEW, .help = "view whose keys to list; all: keys of all views"}),
    .options = PARAMETERS(
        {PARAMETER(FLAG, "--man", struct keys_values, man),
         .help = "print all keys as a section of the man page"}),
    .examples = EXAMPLES("keys", "keys kernel"),
    .values_size = sizeof(struct keys_values),
    .run = run_keys,
};

struct bind_values {
    const char *text;
};

static void list(const struct keymap *k, struct result *result)
{
    static const struct result_column columns[] = {{.key = "view", .kind = CELL_TEXT},
                                                   {.key = "key", .kind = CELL_TEXT},
                                                   {.key = "command", .kind = CELL_TEXT}};
    struct result_table *t = result_table(result, "bindings", columns, 3);

    t->hide = NOT_TEXT | NOT_DOCUMENT;
    for (size_t i = 0; i < keymap_count(k); i++) {
        const struct key_binding *b = keymap_at(k, i);
        char name[KEY_NAME_MOST];
        key_print(b->key, name);
        cell_text(t, b->view);
        cell_text(t, name);
        cell_text(t, b->command);
        const char *quote = strchr(b->command, ';') ? strchr(b->command, '"') ? "'" : "\"" : "";
        result_line(result, "bind %s %s%s %s%s%s", b->view, strchr(";#\\'\"", name[0]) ? "\\" : "",
                    name, quote, b->command, quote);
    }
}

static bool run_bind(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct bind_values *v = values;

    if (!v->text || !*v->text) {
        list(s->keys, result);
        return true;
    }
    if (!keymap_bind(s->keys, v->text, err))
        return false;
    const struct key_binding *b = keymap_at(s->keys, keymap_count(s->keys) - 1);
    char name[KEY_NAME_MOST];
    key_print(b->key, name);
    result_confirm(result, "%s in %s%s: %s", name,
                   strcmp(b->view, KEYMAP_ALL) == 0 ? "" : "the view ",
                   strcmp(b->view, KEYMAP_ALL) == 0 ? "all views" : b->view, b->command);
    return true;
}

const struct command command_bind = {
    .name = "bind",
    .help = "bind a key to a command, or list all bindings",
    .description =
        "A binding for one view overrides a binding of the same key for all views. Names of keys, "
        "as keys lists them: a letter or sign, F1 to F12, Ctrl-A, Enter, Tab, Shift-Tab, Esc, "
        "Space, Backspace, Del, Up, Down, Left, Right, PgUp, PgDn, Home, End, WheelUp, WheelDown. "
        "Put a backslash before a character with a special meaning on a command line. The file "
        "portolan/rc in $XDG_CONFIG_HOME, or in ~/.config, runs when the workbench starts. It can "
        "contain bind and all other commands.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "[VIEW] KEY COMMAND", struct bind_values, text),
         .fallback = "list all keys as bind commands", .verbatim = true,
         .help = "key to bind in one view or in all views, and its command; several commands in "
                 "quotes, separated by ';'"}),
    .examples = EXAMPLES("bind F5 kernel measure", "bind kernel x kernel whatif issue_width=8",
                         "bind mapping Ctrl-D do page-down", "bind"),
    .values_size = sizeof(struct bind_values),
    .flags = COMMAND_RAW,
    .run = run_bind,
};

struct unbind_values {
    const char *text;
};

static bool run_unbind(struct session *s, const void *values, struct result *result,
                       struct err *err)
{
    const char *text = ((const struct unbind_values *)values)->text;

    if (!keymap_unbind(s->keys, text, err))
        return false;
    result_confirm(result, "unbound: %s", text);
    return true;
}

const struct command command_unbind = {
    .name = "unbind",
    .help = "remove a binding made with bind, in one view or in all views",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "[VIEW] KEY", struct unbind_values, text), .required = true,
         .verbatim = true, .help = "key to unbind, in one view or in all views"}),
    .examples = EXAMPLES("unbind kernel b", "unbind F10"),
    .values_size = sizeof(struct unbind_values),
    .flags = COMMAND_RAW,
    .run = run_unbind,
};
