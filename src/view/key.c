/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/key.h"

#include <stddef.h>

const struct key_binding key_bindings[] = {
    {.key = ':', .name = ":", .help = "command prompt; Tab completes, Up recalls, Ctrl-R searches, Esc cancels", .action = KEY_ACTION_PROMPT, .hint = "command"},
    {.key = KEYCODE_F1, .name = "F1", .command = "view help", .label = "Help", .help = "commands and keys"},
    {.key = '?', .name = "?", .command = "view help", .help = "commands and keys"},
    {.key = KEYCODE_F1 + 1, .name = "F2", .command = "view next", .label = "View", .help = "next view"},
    {.key = KEYCODE_TAB, .name = "Tab", .command = "view next", .help = "next view"},
    {.key = KEYCODE_BACKTAB, .name = "Shift-Tab", .command = "view previous", .help = "previous view"},
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
    {.key = KEYCODE_F1 + 9, .name = "F10", .command = "quit", .label = "Quit", .help = "quit"},
    {.key = 'Q', .name = "Q", .command = "quit", .help = "quit"},
    {.key = KEYCODE_ESCAPE, .name = "Esc", .help = "cancel the running command", .action = KEY_ACTION_CANCEL},
    {.key = KEYCODE_INTERRUPT, .name = "Ctrl-C", .help = "cancel the running command; does not quit", .action = KEY_ACTION_INTERRUPT},
    {.key = KEYCODE_REDRAW, .name = "Ctrl-L", .help = "redraw", .action = KEY_ACTION_REDRAW},
    {.key = KEYCODE_SUSPEND, .name = "Ctrl-Z", .help = "suspend (fg resumes)", .action = KEY_ACTION_SUSPEND},
    {.name = "paste", .help = "assembler text becomes the kernel", .hint = "a loop"},
    {.name = NULL},
};

const struct key_binding *key_find(int key)
{
    for (const struct key_binding *b = key_bindings; b->name; b++)
        if (b->key && b->key == key)
            return b;
    return NULL;
}
