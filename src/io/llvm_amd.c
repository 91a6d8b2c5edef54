/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/llvm_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "isa/operands.h"

struct units {
    /* @store: units of store data; 0 if a store needs only an address unit */
    portset address, load, store_address, store;
};

struct memory_use {
    bool reads, writes;
};

static portset ports_called(const struct ports *ports, const char *prefix)
{
    portset set = 0;
    for (unsigned i = 0; i < ports->count; i++)
        if (str_has_prefix(ports->names[i], prefix))
            set |= (portset)1 << i;
    return set;
}

/* Finds the units by name. Adds a port ST for stores if there are address units, but not three of
 * them, and no store unit. Without a store unit, the last of three address units is for stores
 * only. */
static struct units units_of(struct ports *ports)
{
    struct units u = {.address = ports_called(ports, "AGU"), .store = ports_called(ports, "ST")};

    u.load = u.store_address = u.address;
    if (u.address && !u.store && portset_size(u.address) == 3) {
        u.store_address = (portset)1 << (31 - __builtin_clz(u.address));
        u.load &= ~u.store_address;
    } else if (u.address && !u.store && ports_add(ports, "ST", NULL)) {
        u.store = (portset)1 << (ports->count - 1);
    }
    return u;
}

/* Returns whether the template has a memory operand. A memory operand begins with @start, such as
 * "{R:M", and a width. MM is a register. */
static bool has_memory(const char *template, const char *start)
{
    const char *at = strstr(template, start);
    return at && isdigit((unsigned char)at[strlen(start)]);
}

static struct memory_use access_of(const struct form_row *row)
{
    bool both = has_memory(row->template, "{RW:M");
    struct memory_use a = {both || has_memory(row->template, "{R:M"),
                           both || has_memory(row->template, "{W:M")};

    a.reads |= str_has_prefix(row->form, "POP ") || str_has_prefix(row->form, "RET");
    a.writes |= str_has_prefix(row->form, "PUSH ") || str_has_prefix(row->form, "CALL");
    return a;
}

static unsigned count_within(const struct usage *usage, portset set)
{
    unsigned count = 0;
    for (unsigned i = 0; i < usage->count; i++)
        if (!(usage->uops[i].ports & ~set))
            count += usage->uops[i].count;
    return count;
}

static const struct mapping_entry *register_twin(const struct mapping *mapping, const char *form)
{
    const char *memory = form_memory(form);
    unsigned long bits = memory ? strtoul(memory + 1, NULL, 10) : 0;
    const char *registers[] = {bits == 8    ? "R8l"
                               : bits == 16 ? "R16"
                               : bits == 32 ? "R32"
                                            : "R64",
                               strstr(form, "ZMM")   ? "ZMM"
                               : strstr(form, "YMM") ? "YMM"
                                                     : "XMM",
                               "XMM"};
    const struct mapping_entry *twin = NULL;

    for (size_t i = 0; memory && !twin && i < sizeof registers / sizeof *registers; i++) {
        struct str name = {0};
        str_addf(&name, "%.*s%s%s", (int)(memory - form), form, registers[i],
                 memory + strcspn(memory, ",)"));
        twin = mapping_find(mapping, str_text(&name));
        str_done(&name);
    }
    return twin;
}

static void complete_usage(const struct usage *from, const struct units *u, struct memory_use a,
                           bool wide, struct usage *to)
{
    for (unsigned i = 0; i < from->count; i++)
        if (from->uops[i].ports & ~u->address && !(u->store && !(from->uops[i].ports & ~u->store)))
            usage_add(to, from->uops[i].ports, from->uops[i].count);
    if (a.reads)
        usage_add(to, u->load, wide ? 2 : 1);
    if (a.writes) {
        usage_add(to, u->store_address, 1);
        if (u->store)
            usage_add(to, u->store, 1);
    }
}

/* Returns whether the entry is microcode that the model does not describe. Such an entry has no
 * usage, and a latency that is unknown or above 1. Alternatively, its only µop has the placeholder
 * 100 as its count, and its latency is unknown. */
static bool is_placeholder(const struct mapping_entry *entry)
{
    bool marked = entry->usage.count == 1 && entry->usage.uops[0].count == 100;
    return (isnan(entry->latency) && (marked || !entry->usage.count)) ||
           (!entry->usage.count && entry->latency > 1);
}

void llvm_amd_complete(struct machine *m, const struct forms *forms)
{
    struct ports ports = *mapping_ports(m->mapping);
    struct units units = units_of(&ports);

    if (!units.address)
        return;
    struct mapping *complete = mapping_new(&ports);
    for (size_t i = 0; i < mapping_count(m->mapping); i++) {
        struct mapping_entry entry = *mapping_at(m->mapping, i);
        const struct form_row *row = forms_find(forms, entry.form);
        if (is_placeholder(&entry))
            continue;
        struct memory_use access = row ? access_of(row) : (struct memory_use){0};
        const struct mapping_entry *twin =
            access.reads && !access.writes ? register_twin(m->mapping, entry.form) : NULL;
        struct usage usage = {0};
        /* Adds the units of accesses, except to entries of gathers and microcode, which already
         * list all accesses. */
        bool plain = (access.reads || access.writes) && !strstr(entry.form, "VSIB") &&
                     count_within(&entry.usage, units.address) <= 2;

        if (plain) {
            complete_usage(&entry.usage, &units, access, strstr(entry.form, "M512") != NULL,
                           &usage);
            entry.usage = usage;
        }
        if (twin && twin->micro_ops)
            entry.micro_ops = twin->micro_ops;
        if (access.reads && access.writes && entry.micro_ops < 2)
            entry.micro_ops = 2;
        mapping_set(complete, &entry);
        usage_done(&usage);
    }
    mapping_free(m->mapping);
    m->mapping = complete;
}
