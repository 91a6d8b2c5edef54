/* Keys and their commands: a built-in table, and the user's bindings. UI thread. */
#ifndef PORTOLAN_CMD_KEYMAP_H
#define PORTOLAN_CMD_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "cmd/key.h"

/* view name for keys that work in all views; a view's own binding has precedence */
#define KEYMAP_ALL "all"

struct session;

/* A row of the table: the keys that run one command in some views. Key handling, the key bar, help,
 * the man page and `keys` read it. */
struct key_row {
    const char *views;     /* view names separated by blanks; NULL ends the table */
    /* key names separated by blanks; in a row without a command, text for help */
    const char *keys;
    const char *command;   /* command; NULL: the row describes a function of the terminal */
    const char *help;      /* effect in one line */
    /* short label for views and the bar; NULL: not shown */
    const char *hint;
    /* Returns whether the key has an effect in the session's current state; otherwise the bar
     * omits the key. NULL: the key always has an effect. The most important rows of a view are
     * first. */
    bool (*acts)(const struct session *s);
};
extern const struct key_row key_rows[];

#define VIEW_NAME_MOST 24

struct key_binding {
    char view[VIEW_NAME_MOST];
    int key;
    const char *command;
    const struct key_row *row;   /* row of the table; NULL: the user's binding */
    char *own;                   /* storage of the user's @command; NULL: a row of the table */
};

struct keymap;
/* Creates the built-in bindings; never returns NULL. keymap_free(NULL) does nothing. */
struct keymap *keymap_new(void);
void keymap_free(struct keymap *k);
/* Returns the binding of @key in @view, or for all views if @view is KEYMAP_ALL; NULL: none.
 * Borrowed until the next change. */
const struct key_binding *keymap_find(const struct keymap *k, const char *view, int key);
/* Returns the number of bindings: the table's bindings in order, then the user's. */
size_t keymap_count(const struct keymap *k);
const struct key_binding *keymap_at(const struct keymap *k, size_t at);
/* Binds "[VIEW] KEY COMMAND", in place of an existing binding. Returns false with err for an
 * unknown view, key or command. */
bool keymap_bind(struct keymap *k, const char *text, struct err *err);
/* Binds a key like keymap_bind, for an existing view and a valid command. */
void keymap_set(struct keymap *k, const char *view, int key, char *take_command);
/* Parses "[VIEW] KEY" into @view and @key, and advances *@text to the rest. Returns false with
 * err. */
bool keymap_take_key(const char **text, char view[VIEW_NAME_MOST], int *key, struct err *err);
/* Removes the binding of "[VIEW] KEY". Returns false with err for an unknown view or key, or if
 * the key has no binding. */
bool keymap_unbind(struct keymap *k, const char *text, struct err *err);
/* Returns whether @row applies to @view. */
bool key_row_in(const struct key_row *row, const char *view);
/* Writes the name of the first key that runs @command in @view. Includes keys for all views unless
 * the view overrides them. Returns false if there is none. */
bool keymap_key(const struct keymap *k, const char *view, const char *command,
                char out[KEY_NAME_MOST]);
/* Returns the user's binding of @key that applies in @view, borrowed until the next change; NULL:
 * none. */
const struct key_binding *keymap_own(const struct keymap *k, const char *view, int key);
/* Calls @line for each action in @view, with its keys, command (NULL: the terminal acts) and
 * effect. */
void keymap_tell(const struct keymap *k, const char *view,
                 void (*line)(void *to, const char *keys, const char *command, const char *help),
                 void *to);
/* Calls @add for each view with separate bindings, first for KEYMAP_ALL. */
void keymap_views(void (*add)(void *to, const char *view), void *to);

#endif
