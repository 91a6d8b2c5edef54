/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/key.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const struct key_binding key_bindings[] = {
    {.key = ':', .name = ":", .help = "command prompt; Tab completes, Up recalls, Ctrl-R searches, Esc cancels", .action = KEY_ACTION_PROMPT, .hint = "command"},
    {.key = KEYCODE_F1, .name = "F1", .command = "view help", .label = "Help", .help = "commands and keys"},
    {.key = '?', .name = "?", .command = "view help", .help = "commands and keys"},
    {.key = KEYCODE_F1 + 1, .name = "F2", .command = "view next", .label = "View", .help = "next view"},
    {.key = KEYCODE_TAB, .name = "Tab", .command = "view next", .help = "next view"},
    {.key = KEYCODE_BACKTAB, .name = "Shift-Tab", .command = "view previous", .help = "previous view"},
    {.key = KEYCODE_PANE, .name = "Ctrl-W", .command = "pane next", .help = "next pane, where a wide screen shows several; q goes back to the first"},
    {.name = "1 to 9, 0", .help = "view by number, 0 is the tenth"},
    {.name = "arrows hjkl", .help = "move; also g G PgUp PgDn Home End and the mouse wheel"},
    {.key = KEYCODE_F1 + 2, .name = "F3", .command = "find ", .label = "Search", .help = "search in the view"},
    {.key = '/', .name = "/", .command = "find ", .help = "search in the view"},
    {.key = 'n', .name = "n", .command = "find --next", .help = "next match"},
    {.key = 'N', .name = "N", .command = "find --previous", .help = "previous match"},
    {.key = KEYCODE_F1 + 3, .name = "F4", .command = "filter ", .label = "Filter", .help = "show only matching rows"},
    {.key = '\\', .name = "\\", .command = "filter ", .help = "show only matching rows"},
    {.key = KEYCODE_F1 + 5, .name = "F6", .command = "sort ", .label = "Sort", .help = "sort by a column"},
    {.key = KEYCODE_F1 + 8, .name = "F9", .command = "jobs", .label = "Jobs", .help = "list background jobs"},
    {.key = 'q', .name = "q", .help = "back: from output, log and help to the previous view, from others to the kernel view; quits there", .action = KEY_ACTION_BACK,
     .hint = "back"},
    {.key = KEYCODE_F1 + 9, .name = "F10", .command = "quit", .label = "Quit", .help = "quit", .yields = true},
    {.key = 'Q', .name = "Q", .command = "quit", .help = "quit"},
    {.key = KEYCODE_ESCAPE, .name = "Esc", .help = "cancel the running command", .action = KEY_ACTION_CANCEL},
    {.key = KEYCODE_INTERRUPT, .name = "Ctrl-C", .help = "cancel the running command; does not quit", .action = KEY_ACTION_INTERRUPT},
    {.key = KEYCODE_REDRAW, .name = "Ctrl-L", .help = "redraw", .action = KEY_ACTION_REDRAW},
    {.key = KEYCODE_SUSPEND, .name = "Ctrl-Z", .help = "suspend (fg resumes)", .action = KEY_ACTION_SUSPEND},
    {.name = "paste", .help = "assembler text becomes the kernel", .hint = "a loop"},
    {.name = NULL},
};

/* Of "[NUMBER~". */
static int numbered(long number)
{
    static const struct { long number; int key; } keys[] = {
        {1, KEYCODE_HOME}, {3, KEYCODE_DELETE}, {4, KEYCODE_END}, {5, KEYCODE_PAGE_UP}, {6, KEYCODE_PAGE_DOWN}, {7, KEYCODE_HOME}, {8, KEYCODE_END},
    };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].number == number)
            return keys[i].key;
    /* F1 to F5, F6 to F10, F11 and F12, with gaps between them. */
    return number >= 11 && number <= 15 ? KEYCODE_F1 + (int)number - 11 : number >= 17 && number <= 21 ? KEYCODE_F1 + (int)number - 12
         : number == 23 || number == 24 ? KEYCODE_F1 + (int)number - 13 : KEYCODE_NONE;
}

/* Of a letter that ends a sequence. */
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
    if (length > 1 && bytes[0] == '[' && bytes[1] == '[') {   /* the console's F1 to F5: "[[A" */
        *used = length > 2 ? 3 : 0;
        return length > 2 && bytes[2] >= 'A' && bytes[2] <= 'E' ? KEYCODE_F1 + bytes[2] - 'A' : KEYCODE_NONE;
    }
    while (at < length && bytes[at] >= 0x20 && bytes[at] < 0x40)   /* parameters */
        at++;
    if (at >= KEY_SEQUENCE_MOST || (at < length && (bytes[at] < 0x40 || bytes[at] > 0x7e)))
        return KEYCODE_ESCAPE;
    if (at >= length)
        return KEYCODE_NONE;
    if (at == 1 && bytes[at] == 'M') {   /* an old mouse report: three bytes more */
        *used = length >= 5 ? 5 : 0;
        return KEYCODE_NONE;
    }
    *used = at + 1;
    if (bytes[at] == '~')
        return at > 1 && strspn(bytes + 1, "0123456789") == at - 1 ? numbered(strtol(bytes + 1, NULL, 10)) : KEYCODE_NONE;
    return at == 1 ? lettered(bytes[at]) : KEYCODE_NONE;   /* with parameters: a modifier is held */
}

const struct key_binding *key_find(int key)
{
    for (const struct key_binding *b = key_bindings; b->name; b++)
        if (b->key && b->key == key)
            return b;
    return NULL;
}
