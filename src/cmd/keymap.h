/* Keys and their commands: a built-in table, and the user's bindings. UI thread. */
#ifndef PORTOLAN_CMD_KEYMAP_H
#define PORTOLAN_CMD_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "cmd/key.h"

#define KEYMAP_ALL "all"   /* keys of all views, by name; a view's own come first */

struct session;

/* A row of the table: keys that run one command in some views. Pressing, the bar, help, the man
 * page and `keys` all read it. */
struct key_row {
    const char *views;     /* names separated by blanks; NULL ends the table */
    /* names separated by blanks; without a command: text for help */
    const char *keys;
    const char *command;   /* NULL: not bound, the terminal's function is described */
    const char *help;      /* one line */
    /* short label for views and the bar; NULL: not shown */
    const char *hint;
    /* whether it does something now, so that the bar names it; NULL: always. The rows of a view
     * that come first are those most needed */
    bool (*acts)(const struct session *s);
};
extern const struct key_row key_rows[];

#define VIEW_NAME_MOST 24

struct key_binding {
    char view[VIEW_NAME_MOST];
    int key;
    const char *command;
    const struct key_row *row;   /* NULL: the user's binding */
    char *own;                   /* storage of the user's @command */
};

struct keymap;
/* Creates the built-in bindings. Never NULL; keymap_free(NULL) is fine. */
struct keymap *keymap_new(void);
void keymap_free(struct keymap *k);
/* Returns the command of @key in @view; with KEYMAP_ALL that for all views; NULL: none. Borrowed
 * until the next change. */
const struct key_binding *keymap_find(const struct keymap *k, const char *view, int key);
/* Number of bindings: those of the table in order, then the user's. */
size_t keymap_count(const struct keymap *k);
const struct key_binding *keymap_at(const struct keymap *k, size_t at);
/* Binds "[VIEW] KEY COMMAND", replacing an existing binding; false with err for an unknown view,
 * key or command. */
bool keymap_bind(struct keymap *k, const char *text, struct err *err);
/* Removes the binding of "[VIEW] KEY"; false with err for an unknown view or key, or an unbound
 * one. */
bool keymap_unbind(struct keymap *k, const char *text, struct err *err);
/* Returns whether @row applies to @view. */
bool key_row_in(const struct key_row *row, const char *view);
/* Writes the name of the first key that runs @command in @view, including keys of all views that it
 * does not override; false if none does. */
bool keymap_key(const struct keymap *k, const char *view, const char *command,
                char out[KEY_NAME_MOST]);
/* Returns the user's binding of @key that applies in @view, or NULL. Borrowed until the next
 * change. */
const struct key_binding *keymap_own(const struct keymap *k, const char *view, int key);
/* Appends a line per action of keys in @view, formatted by @line from keys and effect. */
void keymap_tell(const struct keymap *k, const char *view,
                 void (*line)(void *to, const char *keys, const char *command, const char *help),
                 void *to);
/* Calls @add for each view with its own keys, KEYMAP_ALL first. */
void keymap_views(void (*add)(void *to, const char *view), void *to);

#endif
