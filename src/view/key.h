/* Keys as the views see them: a character code, or one of these; and the table that binds keys to commands. No curses. */
#ifndef PORTOLAN_VIEW_KEY_H
#define PORTOLAN_VIEW_KEY_H

#include <stdbool.h>
#include <stddef.h>

enum keycode {
    KEYCODE_NONE = -1, KEYCODE_INTERRUPT = 3, KEYCODE_TAB = 9, KEYCODE_REDRAW = 12, KEYCODE_ENTER = 13, KEYCODE_PANE = 23, KEYCODE_SUSPEND = 26, KEYCODE_ESCAPE = 27,
    KEYCODE_UP = 0x110000, KEYCODE_DOWN, KEYCODE_LEFT, KEYCODE_RIGHT, KEYCODE_PAGE_UP, KEYCODE_PAGE_DOWN, KEYCODE_HOME, KEYCODE_END,
    KEYCODE_BACKSPACE, KEYCODE_DELETE, KEYCODE_BACKTAB, KEYCODE_PASTE, KEYCODE_RESIZE, KEYCODE_SWALLOWED, KEYCODE_WHEEL_UP, KEYCODE_WHEEL_DOWN, KEYCODE_CLICK,
    KEYCODE_F1 = 0x110100, KEYCODE_F12 = KEYCODE_F1 + 11,
};

/* What the frame does itself with a key that has no command. */
enum key_action { KEY_ACTION_NONE, KEY_ACTION_PROMPT, KEY_ACTION_BACK, KEY_ACTION_CANCEL, KEY_ACTION_INTERRUPT, KEY_ACTION_REDRAW, KEY_ACTION_SUSPEND };

struct key_binding {
    int key;               /* 0: for help only, what several keys or the terminal do */
    const char *name;      /* "F3", "/" */
    const char *command;   /* run as if typed; one that ends in a blank opens the prompt with it; NULL: @action */
    const char *label;     /* on the F-key bar, NULL: not there */
    const char *help;      /* one line */
    enum key_action action;
    const char *hint;      /* what it does in a word or two, at the end of the bar; NULL: not there */
    bool yields;           /* on a bar too short for all keys and hints it goes first: another key does the same */
};
extern const struct key_binding key_bindings[];   /* ends with a NULL name */

#define KEY_SEQUENCE_MOST 32   /* bytes of a sequence that are looked at; what is longer is none */

/* The key of the sequence that @bytes begin with behind their Esc, as terminals send it whatever TERM says: "[1~" Home, "[5~" PgUp, "OP" F1. KEYCODE_NONE for one that
 * means nothing here (Ctrl-Left), which is to be swallowed. *@used gets its length without the Esc, 0 while it is not complete; KEYCODE_ESCAPE with 0 when it is none: an
 * Esc of its own. */
int key_of_sequence(const char *bytes, size_t length, size_t *used);

/* The binding of @key, NULL when it has none. */
const struct key_binding *key_find(int key);

#endif
