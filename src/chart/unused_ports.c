/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/stages.h"

#include <stdlib.h>

static portset ports_of(const struct usage *u)
{
    portset ports = 0;

    for (unsigned k = 0; k < u->count; k++)
        ports |= u->uops[k].ports;
    return ports;
}

/* Returns the ports that the machine's usages and open ambiguities need. */
static portset ports_held(const struct chart *c)
{
    const struct mapping *m = c->machine->mapping;
    portset held = 0;

    for (size_t i = 0; i < mapping_count(m); i++)
        held |= ports_of(&mapping_at(m, i)->usage);
    for (size_t i = 0; i < c->ambiguities.count; i++)
        held |= ports_of(
            &c->forms[c->ambiguities.items[i].form].others[c->ambiguities.items[i].other].usage);
    return held;
}

/* Renumbers the ports of @set to their positions in @held. */
static portset closed_up(portset set, portset held)
{
    portset out = 0;

    for (unsigned from = 0, to = 0; from < PORTS_MAX; from++)
        if (held >> from & 1)
            out |= (set >> from & 1) << to++;
    return out;
}

static void close_usage_up(struct usage *u, portset held)
{
    struct usage closed = {0};

    for (unsigned k = 0; k < u->count; k++)
        usage_add(&closed, closed_up(u->uops[k].ports, held), u->uops[k].count);
    usage_done(u);
    *u = closed;
}

static struct mapping *mapping_closed_up(const struct mapping *m, portset held)
{
    const struct ports *all = mapping_ports(m);
    struct ports ports = {.pipes = closed_up(all->pipes, held)};

    for (unsigned i = 0; i < all->count; i++)
        if (held >> i & 1)
            ports_add(&ports, all->names[i], NULL);
    struct mapping *out = mapping_new(&ports);
    mapping_set_issue_width(out, mapping_issue_width(m));
    for (size_t i = 0; i < mapping_count(m); i++) {
        struct mapping_entry entry = *mapping_at(m, i);
        struct usage usage = {0};
        usage_copy(&usage, &entry.usage);
        close_usage_up(&usage, held);
        entry.usage = usage;
        mapping_set(out, &entry);
        usage_done(&usage);
    }
    return out;
}

static bool is_kept(const struct chart_usage *other, portset held)
{
    return !(ports_of(&other->usage) & ~held);
}

static void renumber_ambiguities(struct chart *c, portset held)
{
    for (size_t i = 0; i < c->ambiguities.count; i++) {
        struct chart_ambiguity *d = &c->ambiguities.items[i];
        uint32_t number = 0;
        for (uint32_t k = 0; k < d->other; k++)
            number += is_kept(&c->forms[d->form].others[k], held);
        d->other = number;
    }
}

static void close_form_up(struct chart_form *f, portset held)
{
    unsigned kept = 0;

    f->untested = closed_up(f->untested, held);
    for (unsigned i = 0; i < f->other_count; i++) {
        struct chart_usage other = f->others[i];
        if (is_kept(&other, held)) {
            close_usage_up(&other.usage, held);
            f->others[kept++] = other;
        } else {
            usage_done(&other.usage);
        }
    }
    /* The rival is removed, because it may be one of the deleted alternatives. */
    if (kept < f->other_count) {
        free(f->rival);
        f->rival = NULL;
    }
    f->other_count = kept;
}

void unused_ports_drop(struct chart *c)
{
    portset held = ports_held(c);

    /* At least one port remains, because a machine needs one. */
    if (!held || portset_size(held) == mapping_ports(c->machine->mapping)->count)
        return;
    struct mapping *closed = mapping_closed_up(c->machine->mapping, held);
    mapping_free(c->machine->mapping);
    c->machine->mapping = closed;
    renumber_ambiguities(c, held);
    for (size_t i = 0; i < c->form_count; i++)
        close_form_up(&c->forms[i], held);
}
