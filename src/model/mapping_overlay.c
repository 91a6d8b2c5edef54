/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/mapping_overlay.h"

#include <math.h>
#include <stdio.h>

#include "model/mapping_diff.h"

/* Adds a port for an overlaid port without counterpart. Its name is the first unused one of new1,
 * new2, ... */
static bool add_port(struct ports *ports, struct err *err)
{
    char text[PORT_NAME_MAX];
    unsigned n = 0;
    int length;

    do
        length = snprintf(text, sizeof text, "new%u", ++n);
    while (ports_find(ports, text, (size_t)length) >= 0);
    return ports_add(ports, text, err);
}

static void translate(const struct usage *usage, const int *to, struct usage *out)
{
    for (unsigned i = 0; i < usage->count; i++) {
        portset set = 0;
        for (unsigned p = 0; p < PORTS_MAX; p++)
            set |= usage->uops[i].ports >> p & 1 ? (portset)1 << to[p] : 0;
        usage_add(out, set, usage->uops[i].count);
    }
}

/* Adds the overlay's entries, then the entries of @base for all other forms. An overlay's entry
 * without a latency has the latency of @base. */
static void lay(const struct mapping *base, const struct mapping *over, const int *to,
                struct overlay *out)
{
    for (size_t f = 0; f < mapping_count(over); f++) {
        struct mapping_entry entry = *mapping_at(over, f);
        const struct mapping_entry *before = mapping_find(base, entry.form);
        const struct usage usage = entry.usage;
        entry.usage = (struct usage){0};
        translate(&usage, to, &entry.usage);
        if (before && isnan(entry.latency))
            entry.latency = before->latency;
        out->replaced += before != NULL;
        out->added += before == NULL;
        mapping_set(out->mapping, &entry);
        usage_done(&entry.usage);
    }
    for (size_t f = 0; f < mapping_count(base); f++)
        if (!mapping_find(over, mapping_at(base, f)->form))
            mapping_set(out->mapping, mapping_at(base, f));
}

/* Returns the union of the port sets of all forms of @over. */
static portset used(const struct mapping *over)
{
    portset all = 0;

    for (size_t f = 0; f < mapping_count(over); f++)
        for (unsigned i = 0; i < mapping_at(over, f)->usage.count; i++)
            all |= mapping_at(over, f)->usage.uops[i].ports;
    return all;
}

bool overlay_make(const struct mapping *base, const struct mapping *over, struct overlay *out,
                  struct err *err)
{
    struct mapping_diff *d = mapping_diff_new(base, over, false, NULL);
    struct ports ports = *mapping_ports(base);
    const portset needed = used(over);
    int to[PORTS_MAX];
    bool ok = true;

    *out = (struct overlay){0};
    for (unsigned p = 0; p < PORTS_MAX; p++) {
        to[p] = d->to_a[p];
        out->matched += to[p] >= 0;
    }
    mapping_diff_free(d);
    if (!out->matched && needed)
        return err_set(err, ERR_USAGE,
                       "select the measured processor with set machine, or use evolve adopt --alone",
                       "no port of the mapping has the same forms as a port of the machine");
    for (unsigned p = 0; ok && p < mapping_ports(over)->count; p++)
        if (to[p] < 0 && needed >> p & 1) {
            to[p] = (int)ports.count;
            ok = add_port(&ports, err);
        }
    if (!ok)
        return false;
    out->mapping = mapping_new(&ports);
    mapping_set_issue_width(out->mapping, mapping_issue_width(over) > 0
                                              ? mapping_issue_width(over)
                                              : mapping_issue_width(base));
    lay(base, over, to, out);
    return true;
}
