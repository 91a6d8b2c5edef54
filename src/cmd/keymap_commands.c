/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks commands that are bound to keys, and returns their help. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/keymap.h"
#include "cmd/line.h"

#define BLANKS " \t"

/* Returns a copy of @text without its enclosing quotes, which may be nested, and without the blanks
 * after each opening quote. The caller frees the result. */
static char *unquoted(const char *text)
{
    size_t length = strlen(text);

    while (length > 1 && (*text == '"' || *text == '\'') &&
           memchr(text + 1, *text, length - 1) == text + length - 1) {
        const size_t before = 1 + strspn(text + 1, BLANKS);
        length -= before < length ? before + 1 : length;
        text += before;
    }
    return mem_strndup(text, length);
}

/* Returns whether @line has commands, all of which parse. Runs none of them. */
static bool check(const char *line, struct err *err)
{
    const struct command *found;
    const char *next = line;
    bool any = false;

    for (const char *at = line; *at; at = next) {
        const char *end = line_end(at, &next);
        if (at + strspn(at, BLANKS) >= end)
            continue;
        any = true;
        if (!command_check(at, &found, err))
            return false;
    }
    return any ||
           err_set(err, ERR_USAGE, "use bind [VIEW] KEY COMMAND", "give the command for the key");
}

bool keymap_bind(struct keymap *k, const char *text, struct err *err)
{
    char view[VIEW_NAME_MOST];
    int key;

    if (!keymap_take_key(&text, view, &key, err))
        return false;
    char *command = unquoted(text);
    const bool ok = check(command, err);
    if (ok)
        keymap_set(k, view, key, command);
    else
        free(command);
    return ok;
}

/* Appends, separated by blanks, the keys of @row that still have its command in @view. */
static void keymap_names(const struct keymap *k, const struct key_row *row, const char *view,
                         struct str *out)
{
    char name[KEY_NAME_MOST];
    const size_t before = out->length;

    for (size_t i = 0; i < keymap_count(k); i++) {
        const struct key_binding *b = keymap_at(k, i);
        if (b->row != row || strcmp(b->view, view) != 0)
            continue;
        key_print(b->key, name);
        str_addf(out, "%s%s", out->length > before ? " " : "", name);
    }
}

/* Returns the description of the user's @command from the key table or from the command's help; ""
 * for several commands or an invalid one. */
static const char *help_of(const char *command)
{
    const struct command *found;
    struct err none = {0};

    for (const struct key_row *row = key_rows; row->views; row++)
        if (row->command && strcmp(row->command, command) == 0)
            return row->help;
    return !strchr(command, ';') && command_check(command, &found, &none) ? found->help : "";
}

void keymap_tell(const struct keymap *k, const char *view,
                 void (*line)(void *to, const char *keys, const char *command, const char *help),
                 void *to)
{
    struct str names = {0};
    char name[KEY_NAME_MOST];

    for (const struct key_row *row = key_rows; row->views; row++) {
        if (!key_row_in(row, view))
            continue;
        if (row->command)
            keymap_names(k, row, view, &names);
        else
            str_add(&names, row->keys);
        if (names.length)
            line(to, str_text(&names), row->command, row->help);
        str_clear(&names);
    }
    for (size_t i = 0; i < keymap_count(k); i++) {
        const struct key_binding *b = keymap_at(k, i);
        if (b->row || strcmp(b->view, view) != 0)
            continue;
        key_print(b->key, name);
        line(to, name, b->command, help_of(b->command));
    }
    str_done(&names);
}
