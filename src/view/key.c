/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/key.h"

#include <stddef.h>

const struct key_binding key_bindings[] = {
    {KEYCODE_F1, "F1", "view help", "Help", "commands and keys"},
    {'?', "?", "view help", NULL, "commands and keys"},
    {KEYCODE_F1 + 1, "F2", "view next", "View", "next view"},
    {KEYCODE_TAB, "Tab", "view next", NULL, "next view"},
    {KEYCODE_BACKTAB, "Shift-Tab", "view previous", NULL, "previous view"},
    {KEYCODE_F1 + 2, "F3", "find ", "Search", "search in the view"},
    {'/', "/", "find ", NULL, "search in the view"},
    {'n', "n", "find --next", NULL, "next match"},
    {'N', "N", "find --previous", NULL, "previous match"},
    {KEYCODE_F1 + 3, "F4", "filter ", "Filter", "show only matching rows"},
    {'\\', "\\", "filter ", NULL, "show only matching rows"},
    {KEYCODE_F1 + 5, "F6", "sort ", "Sort", "sort by a column"},
    {KEYCODE_F1 + 8, "F9", "jobs", "Jobs", "list background jobs"},
    {KEYCODE_F1 + 9, "F10", "quit", "Quit", "leave"},
    {'Q', "Q", "quit", NULL, "leave"},
    {0, NULL, NULL, NULL, NULL},
};

const struct key_binding *key_find(int key)
{
    for (const struct key_binding *b = key_bindings; b->name; b++)
        if (b->key == key)
            return b;
    return NULL;
}
