/* Keys and their commands: one table of built-in ones, and the user's. UI thread. */
#ifndef PORTOLAN_CMD_KEYMAP_H
#define PORTOLAN_CMD_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "cmd/key.h"

#define KEYMAP_ALL "all"   /* the keys of all views, by name; a view's own come first */

/* A row of the table: keys that run one command in some views. Pressing, the bar, help, the man
 * page and `keys` all read it. */
struct key_row {
    const char *views;     /* names, a blank between them; NULL ends the table */
    /* names, a blank between them; without a command, the text of help in their place */
    const char *keys;
    const char *command;   /* NULL: nothing is bound; the terminal's own function is shown */
    const char *help;      /* one line */
    /* its effect in a word or two, where views and the bar name their keys; NULL: not there */
    const char *hint;
};
extern const struct key_row key_rows[];

#define VIEW_NAME_MOST 24

struct key_binding {
    char view[VIEW_NAME_MOST];
    int key;
    const char *command;
    const struct key_row *row;   /* NULL: the user's */
    char *own;                   /* the user's command, which @command is then */
};

struct keymap;
/* The built-in ones. Never NULL; keymap_free(NULL) is fine. */
struct keymap *keymap_new(void);
void keymap_free(struct keymap *k);
/* Command of @key in @view itself, or with KEYMAP_ALL in all views; NULL: none. Borrowed until the
 * next change. */
const struct key_binding *keymap_find(const struct keymap *k, const char *view, int key);
/* In the order of the table, followed by the user's. */
size_t keymap_count(const struct keymap *k);
const struct key_binding *keymap_at(const struct keymap *k, size_t at);
/* Binds "[VIEW] KEY COMMAND", replacing the key's command there; false with err for an unknown
 * view, key or command. */
bool keymap_bind(struct keymap *k, const char *text, struct err *err);
/* Removes the binding of "[VIEW] KEY"; false with err for an unknown view or key, or an unbound
 * one. */
bool keymap_unbind(struct keymap *k, const char *text, struct err *err);
/* Whether rows at @row do something in @view. */
bool key_row_in(const struct key_row *row, const char *view);
/* Writes the name of the first key that runs @command in @view, its own or one of all views that it
 * does not take for something else; false when none does. */
bool keymap_key(const struct keymap *k, const char *view, const char *command,
                char out[KEY_NAME_MOST]);
/* The user's own binding of @key that is heard in @view; NULL: there is none. Borrowed until the
 * next change. */
const struct key_binding *keymap_own(const struct keymap *k, const char *view, int key);
/* Appends a line for each action of keys in @view, formatted by @line: the keys and their
 * effect. */
void keymap_tell(const struct keymap *k, const char *view,
                 void (*line)(void *to, const char *keys, const char *command, const char *help),
                 void *to);
/* Calls @add for each view that has keys of its own, KEYMAP_ALL first. */
void keymap_views(void (*add)(void *to, const char *view), void *to);

#endif
