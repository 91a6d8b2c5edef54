/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/key.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"

/* Names of keys that are not printable characters. The first name of a key is displayed. */
static const struct { const char *name; int key;
} names[] = {
    {"Enter", KEYCODE_ENTER},
    {"Return", KEYCODE_ENTER},
    {"Tab", KEYCODE_TAB},
    {"Shift-Tab", KEYCODE_BACKTAB},
    {"BackTab", KEYCODE_BACKTAB},
    {"Esc", KEYCODE_ESCAPE},
    {"Escape", KEYCODE_ESCAPE},
    {"Space", ' '},
    {"Backspace", KEYCODE_BACKSPACE},
    {"Del", KEYCODE_DELETE},
    {"Delete", KEYCODE_DELETE},
    {"Up", KEYCODE_UP},
    {"Down", KEYCODE_DOWN},
    {"Left", KEYCODE_LEFT},
    {"Right", KEYCODE_RIGHT},
    {"PgUp", KEYCODE_PAGE_UP},
    {"PageUp", KEYCODE_PAGE_UP},
    {"PgDn", KEYCODE_PAGE_DOWN},
    {"PageDown", KEYCODE_PAGE_DOWN},
    {"Home", KEYCODE_HOME},
    {"End", KEYCODE_END},
    {"WheelUp", KEYCODE_WHEEL_UP},
    {"WheelDown", KEYCODE_WHEEL_DOWN},
};
#define NAMES (sizeof names / sizeof *names)

/* Parses the key after "Ctrl-". Returns KEYCODE_NONE if it is invalid. */
static int control(const char *rest)
{
    /* Only ASCII letters have control codes. */
    const char letter = rest[0] >= 'a' && rest[0] <= 'z' ? (char)(rest[0] - 'a' + 'A') : rest[0];
    const int key =
        rest[0] && !rest[1] && letter >= 'A' && letter <= 'Z' ? letter - 'A' + 1 : KEYCODE_NONE;

    return key == '\n' ? KEYCODE_ENTER : key;
}

/* Writes character @code in UTF-8. */
static void put_character(uint32_t code, char out[KEY_NAME_MOST])
{
    static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    const int bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

    out[bytes] = '\0';
    for (int i = bytes - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(marks[bytes] | code);
}

int key_of_name(const char *name)
{
    static const char *const prefixes[] = {"Ctrl-", "C-", "^"};
    uint32_t code;
    long number;
    char *end;

    for (size_t i = 0; i < NAMES; i++)
        if (strcasecmp(names[i].name, name) == 0)
            return names[i].key;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const size_t length = strlen(prefixes[i]);
        if (name[0] && name[1] && strncasecmp(name, prefixes[i], length) == 0)
            return control(name + length);
    }
    if ((name[0] == 'F' || name[0] == 'f') && name[1] >= '0' && name[1] <= '9') {
        number = strtol(name + 1, &end, 10);
        return !*end && number >= 1 && number <= 12 ? KEYCODE_F1 + (int)number - 1 : KEYCODE_NONE;
    }
    const size_t used = utf8_next(name, strlen(name), &code);
    return used && !name[used] && code > ' ' && !utf8_steers(code) ? (int)code : KEYCODE_NONE;
}

void key_print(int key, char out[KEY_NAME_MOST])
{
    for (size_t i = 0; i < NAMES; i++)
        if (names[i].key == key) {
            snprintf(out, KEY_NAME_MOST, "%s", names[i].name);
            return;
        }
    if (key >= KEYCODE_F1 && key <= KEYCODE_F12) {
        snprintf(out, KEY_NAME_MOST, "F%d", key - KEYCODE_F1 + 1);
    } else if (key > 0 && key < ' ') {
        snprintf(out, KEY_NAME_MOST, "Ctrl-%c", key + 'A' - 1);
    } else {
        put_character((uint32_t)key, out);
    }
}

static int numbered(long number)
{
    static const struct { long number; int key;
    } keys[] = {
        {1, KEYCODE_HOME},      {3, KEYCODE_DELETE}, {4, KEYCODE_END}, {5, KEYCODE_PAGE_UP},
        {6, KEYCODE_PAGE_DOWN}, {7, KEYCODE_HOME},   {8, KEYCODE_END},
    };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].number == number)
            return keys[i].key;
    /* The numbers have gaps between F1 to F5, F6 to F10, and F11 and F12. */
    return number >= 11 && number <= 15   ? KEYCODE_F1 + (int)number - 11
           : number >= 17 && number <= 21 ? KEYCODE_F1 + (int)number - 12
           : number == 23 || number == 24 ? KEYCODE_F1 + (int)number - 13
                                          : KEYCODE_NONE;
}

static int lettered(char letter)
{
    switch (letter) {
    case 'A': return KEYCODE_UP;
    case 'B': return KEYCODE_DOWN;
    case 'C': return KEYCODE_RIGHT;
    case 'D': return KEYCODE_LEFT;
    case 'F': return KEYCODE_END;
    case 'H': return KEYCODE_HOME;
    case 'Z': return KEYCODE_BACKTAB;
    case 'P': case 'Q': case 'R': case 'S': return KEYCODE_F1 + letter - 'P';
    default: return KEYCODE_NONE;
    }
}

int key_of_sequence(const char *bytes, size_t length, size_t *used)
{
    size_t at = 1;

    *used = 0;
    if (!length || (bytes[0] != '[' && bytes[0] != 'O'))
        return KEYCODE_ESCAPE;
    if (length > 1 && bytes[0] == 'O') {
        *used = 2;
        return lettered(bytes[1]);
    }
    if (length > 1 && bytes[0] == '[' && bytes[1] == '[') {   /* The Linux console sends "[[A" for
                                                               * F1, and so on up to F5. */
        *used = length > 2 ? 3 : 0;
        return length > 2 && bytes[2] >= 'A' && bytes[2] <= 'E' ? KEYCODE_F1 + bytes[2] - 'A'
                                                                : KEYCODE_NONE;
    }
    while (at < length && bytes[at] >= 0x20 && bytes[at] < 0x40)   /* Skips parameters. */
        at++;
    if (at >= KEY_SEQUENCE_MOST || (at < length && (bytes[at] < 0x40 || bytes[at] > 0x7e)))
        return KEYCODE_ESCAPE;
    if (at >= length)
        return KEYCODE_NONE;
    if (at == 1 && bytes[at] == 'M') {   /* An X10 mouse report has three more bytes. */
        *used = length >= 5 ? 5 : 0;
        return KEYCODE_NONE;
    }
    *used = at + 1;
    if (bytes[at] == '~')
        return at > 1 && strspn(bytes + 1, "0123456789") == at - 1
                   ? numbered(strtol(bytes + 1, NULL, 10))
                   : KEYCODE_NONE;
    /* Ignores a sequence with parameters, which encode a modifier key. No key of the table has a
     * modifier. */
    return at == 1 ? lettered(bytes[at]) : KEYCODE_NONE;
}

/* Returns the key of a press of button @code, in xterm's numbering; KEYCODE_SWALLOWED for a release
 * or another button. */
static int mouse_button(int code, bool pressed)
{
    switch (pressed ? code & ~(4 | 8 | 16) : -1) {   /* The masked bits are modifier keys. */
    case 0: return KEYCODE_CLICK;
    case 64: return KEYCODE_WHEEL_UP;
    case 65: return KEYCODE_WHEEL_DOWN;
    default: return KEYCODE_SWALLOWED;
    }
}

int key_of_mouse(const char *bytes, size_t length, size_t *used, int *x, int *y)
{
    const char *const end = bytes + length;
    int number[3] = {0};
    unsigned at = 0;

    *used = 0;
    if (length >= 5 && bytes[0] == '[' && bytes[1] == 'M') {
        *used = 5;
        *x = (unsigned char)bytes[3] - 33;
        *y = (unsigned char)bytes[4] - 33;
        return mouse_button((unsigned char)bytes[2] - 32, true);
    }
    if (length < 2 || bytes[0] != '[' || bytes[1] != '<')
        return KEYCODE_NONE;
    for (const char *c = bytes + 2; c < end; c++) {
        if (*c >= '0' && *c <= '9' && number[at] < 100000) {
            number[at] = 10 * number[at] + (*c - '0');
        } else if (*c == ';' && at < 2) {
            at++;
        } else if ((*c == 'M' || *c == 'm') && at == 2) {
            *used = (size_t)(c - bytes) + 1;
            *x = number[1] - 1;
            *y = number[2] - 1;
            return mouse_button(number[0], *c == 'M');
        } else {
            break;
        }
    }
    return KEYCODE_NONE;
}
