/* Keys of the views (character codes or enumerators), their names and their terminal sequences.
 * Independent of curses. */
#ifndef PORTOLAN_CMD_KEY_H
#define PORTOLAN_CMD_KEY_H

#include <stddef.h>

enum keycode {
    KEYCODE_NONE = -1,
    KEYCODE_INTERRUPT = 3,
    KEYCODE_TAB = 9,
    KEYCODE_ENTER = 13,
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

#define KEY_SEQUENCE_MOST 32   /* longest sequence in bytes; a longer sequence is invalid */

/* Decodes the sequence after Esc at the start of @bytes, for any TERM: "[1~" Home, "[5~" PgUp,
 * "OP" F1. Returns KEYCODE_NONE for a key that no view uses (Ctrl-Left). Sets *@used to the length
 * of the sequence without Esc; 0: the sequence is incomplete. KEYCODE_ESCAPE with *@used 0: Esc
 * alone, or an invalid sequence. */
int key_of_sequence(const char *bytes, size_t length, size_t *used);
/* Decodes a mouse report, X10 or SGR. Returns KEYCODE_CLICK for the first button, a wheel's key, or
 * KEYCODE_SWALLOWED. Sets *@x and *@y to column and row of a click, from 0. *@used 0: the bytes are
 * no report, or an incomplete report. */
int key_of_mouse(const char *bytes, size_t length, size_t *used, int *x, int *y);

/* Returns the key named @name: "j", "F3", "Ctrl-W", "^W", "C-w", "PgUp", "Space". Names of several
 * letters ignore case. KEYCODE_NONE: no key has this name. */
int key_of_name(const char *name);
/* Writes a name of @key that key_of_name accepts. */
#define KEY_NAME_MOST 16
void key_print(int key, char out[KEY_NAME_MOST]);

#endif
