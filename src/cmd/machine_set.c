/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/machine_set.h"

#include <stdlib.h>
#include <string.h>

#include "io/machine_file.h"
#include "isa/isa.h"

static bool has(const struct machine_set *set, const char *id)
{
    for (size_t i = 0; i < set->list.count; i++)
        if (strcmp(set->list.items[i]->id, id) == 0)
            return true;
    return false;
}

/* Adds machine @id. A machine that cannot be read, or has another instruction set, is an error only
 * if the user named this machine. */
static bool add(struct session *s, const char *id, enum isa isa, bool named,
                struct machine_set *out, struct err *err)
{
    struct err none = {0};
    struct machine *m = session_machine(s, id, named ? err : &none);

    if (!m)
        return !named;
    if (strcmp(m->isa, isa_name(isa)) != 0)
        return !named || err_set(err, ERR_USAGE, "select machines with the same instruction set",
                                 "%s is a machine for %s", m->id, m->isa);
    if (!has(out, m->id))
        vec_push(&out->list, machine_hold(m));
    return true;
}

static void add_all(struct session *s, enum isa isa, struct machine_set *out)
{
    char **lists[] = {machine_ids(), machine_user_ids()};
    struct err none = {0};

    for (size_t i = 0; i < s->document.selected_count; i++)
        add(s, s->document.selected[i], isa, false, out, &none);
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
        for (size_t i = 0; lists[l] && lists[l][i]; i++) {
            add(s, lists[l][i], isa, false, out, &none);
            free(lists[l][i]);
        }
        free(lists[l]);
    }
}

bool machine_set_find(struct session *s, const struct word_list *names, enum isa isa,
                      struct machine_set *out, struct err *err)
{
    *out = (struct machine_set){0};
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], MACHINES_ALL) == 0)
            add_all(s, isa, out);
        else if (!add(s, names->items[i], isa, true, out, err))
            return false;
    for (size_t i = 0; !names->count && i < s->document.selected_count; i++)
        if (!add(s, s->document.selected[i], isa, true, out, err))
            return false;
    return out->list.count || err_set(err, ERR_MISSING, "mapping import imports a mapping",
                                      "no machine for %s", isa_name(isa));
}

void machine_set_done(struct machine_set *set)
{
    for (size_t i = 0; i < set->list.count; i++)
        machine_free(set->list.items[i]);
    vec_done(&set->list);
}
