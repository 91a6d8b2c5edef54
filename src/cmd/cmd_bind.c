/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "cmd/command.h"
#include "cmd/key.h"
#include "cmd/keymap.h"

struct bind_values {
    const char *text;
};

static const struct parameter arguments[] = {
    {.name = "[VIEW] KEY COMMAND", .kind = PARAMETER_TEXT, .at = offsetof(struct bind_values, text), .otherwise = "list all keys, as bind takes them", .verbatim = true,
     .help = "key to bind in one view or in all, and what it runs; several commands in quotes, ';' between them"},
    {0},
};

/* One line and one row for each key. */
static void list(const struct keymap *k, struct result *result)
{
    static const struct result_column columns[] = {{.key = "view", .kind = CELL_TEXT}, {.key = "key", .kind = CELL_TEXT}, {.key = "command", .kind = CELL_TEXT}};
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
        result_line(result, "bind %s %s%s %s%s%s", b->view, strchr(";#\\'\"", name[0]) ? "\\" : "", name, quote, b->command, quote);
    }
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
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
    result_confirm(result, "%s in %s%s: %s", name, strcmp(b->view, KEYMAP_ALL) == 0 ? "" : "the view ", strcmp(b->view, KEYMAP_ALL) == 0 ? "all views" : b->view, b->command);
    return true;
}

static const char *const examples[] = {"bind F5 kernel measure", "bind kernel x kernel whatif issue_width=8", "bind mapping Ctrl-D do page-down", "bind", NULL};

const struct command command_bind = {
    .name = "bind",
    .help = "have a key run a command, or list all keys",
    .description = "A key of one view comes before the same key of all views. Keys are named as keys lists them: a letter or sign, F1 to F12, Ctrl-A, Enter, Tab, Shift-Tab, Esc, Space, "
                   "Backspace, Del, Up, Down, Left, Right, PgUp, PgDn, Home, End, WheelUp, WheelDown; a sign that means something on a command line stands behind a backslash. "
                   "portolan/rc in $XDG_CONFIG_HOME, or below ~/.config, runs when the workbench starts and can hold this and any other command.",
    .arguments = arguments,
    .examples = examples,
    .values_size = sizeof(struct bind_values),
    .flags = COMMAND_RAW,
    .run = run,
};
