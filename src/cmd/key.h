/* Keys as the views see them: a character code, or one of these; their names, and the sequences
 * that terminals send. No curses. */
#ifndef PORTOLAN_CMD_KEY_H
#define PORTOLAN_CMD_KEY_H

#include <stddef.h>

enum keycode {
    KEYCODE_NONE = -1,
    KEYCODE_INTERRUPT = 3,
    KEYCODE_TAB = 9,
    KEYCODE_REDRAW = 12,
    KEYCODE_ENTER = 13,
    KEYCODE_PANE = 23,
    KEYCODE_SUSPEND = 26,
    KEYCODE_ESCAPE = 27,
    KEYCODE_UP = 0x110000,
    KEYCODE_DOWN,
    KEYCODE_LEFT,
    KEYCODE_RIGHT,
    KEYCODE_PAGE_UP,
    KEYCODE_PAGE_DOWN,
    KEYCODE_HOME,
    KEYCODE_END,
    KEYCODE_BACKSPACE,
    KEYCODE_DELETE,
    KEYCODE_BACKTAB,
    KEYCODE_PASTE,
    KEYCODE_SWALLOWED,
    KEYCODE_WHEEL_UP,
    KEYCODE_WHEEL_DOWN,
    KEYCODE_CLICK,
    KEYCODE_F1 = 0x110100,
    KEYCODE_F12 = KEYCODE_F1 + 11,
};

#define KEY_SEQUENCE_MOST 32   /* the most bytes of a sequence; a longer one is invalid */

/* The key of the sequence at the start of @bytes after their Esc, as terminals send it for any
 * TERM: "[1~" Home, "[5~" PgUp, "OP" F1. KEYCODE_NONE for one without a meaning here (Ctrl-Left),
 * which is to be swallowed. *@used gets its length without the Esc, 0 while it is incomplete;
 * KEYCODE_ESCAPE with 0 when it is none: an Esc of its own. */
int key_of_sequence(const char *bytes, size_t length, size_t *used);
/* The same of a mouse report, in the old form or in SGR's: KEYCODE_CLICK of the first button on
 * column *@x and row *@y, both from 0, a wheel's key, or KEYCODE_SWALLOWED.
 * *@used 0: it is none, or not complete. */
int key_of_mouse(const char *bytes, size_t length, size_t *used, int *x, int *y);

/* The key with the name @name, any of its names, ignoring case if longer than a letter: "j", "F3",
 * "Ctrl-W", "^W", "C-w", "PgUp", "Space". KEYCODE_NONE: there is no such key. Any thread. */
int key_of_name(const char *name);
/* Writes the name of @key, which key_of_name takes. Any thread. */
#define KEY_NAME_MOST 16
void key_print(int key, char out[KEY_NAME_MOST]);

#endif
