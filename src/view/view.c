/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/view.h"

#include <string.h>

const struct view_ops *const views[] = {&kernel_view, &timeline_view, &whatif_view, &experiments_view, &evolution_view, &mapping_view, &accuracy_view, &machine_view, &output_view, &log_view, &help_view, NULL};

bool view_next_machine(void *state, struct session *s, int key, struct str *command)
{
    size_t count = s->document.selected_count;
    (void)state;
    (void)command;
    if (count)
        s->document.in_view = (s->document.in_view + (key == 'm' ? 1 : count - 1)) % count;
    return true;
}

bool view_press(const struct view_ops *view, void *state, struct session *s, int key, struct str *command)
{
    for (const struct view_key *row = view->keys; row->keys[0] || row->label; row++)
        for (const int *k = row->keys; *k; k++) {
            if (*k != key)
                continue;
            if (row->act)
                return row->act(state, s, key, command);
            str_add(command, row->command);
            return true;
        }
    return false;
}

size_t view_count(void)
{
    return sizeof views / sizeof *views - 1;
}

size_t view_find(const char *name)
{
    size_t found = view_count();
    for (size_t i = 0; i < view_count(); i++) {
        if (strcmp(views[i]->name, name) == 0)
            return i;
        if (*name && str_has_prefix(views[i]->name, name))
            found = found == view_count() ? i : view_count() + 1;
    }
    return found > view_count() ? view_count() : found;
}
