/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/advice.h"

#include <stdlib.h>

#include "base/mem.h"
#include "isa/insn.h"
#include "throughput/throughput.h"

#define KINDS 8

struct kind {
    struct isa_alternative other;
    const struct mapping_entry *entry;
    unsigned count;
};

/* Returns whether an instruction of this or the next iteration reads the flags of row @at before
 * they are overwritten. */
static bool flags_used(const struct analysis *a, size_t at)
{
    uint32_t left = a->rows[at].insn->flags_written;

    for (size_t k = 1; k < a->count && left; k++) {
        const struct insn *next = a->rows[(at + k) % a->count].insn;
        if (next->flags_read & left)
            return true;
        left &= ~next->flags_written;
    }
    return false;
}

static unsigned mass_within(const struct usage *usage, portset set)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < usage->count; i++)
        sum += usage->uops[i].ports & ~set ? 0 : usage->uops[i].count;
    return sum;
}

/* Finds the first alternative on this machine with less load on the limiting ports, and without
 * changes to flags that are read. Returns false if there is none. */
static bool find_alternative(const struct analysis *a, size_t row, struct kind *out)
{
    const struct analysis_row *r = &a->rows[row];
    unsigned now = mass_within(&r->usage, a->bottleneck_ports);

    for (size_t at = 0; now && isa_alternative(r->insn, &at, &out->other);) {
        if (out->other.loses_flags && flags_used(a, row))
            continue;
        out->entry = mapping_find(a->machine->mapping, out->other.form);
        out->count = 1;
        if (out->entry && out->entry->usage.count &&
            mass_within(&out->entry->usage, a->bottleneck_ports) < now)
            return true;
    }
    return false;
}

static void add_masses(const struct usage *usage, portset pipes, struct mass *masses, size_t *count)
{
    for (unsigned i = 0; i < usage->count; i++)
        if (!(usage->uops[i].ports & pipes))
            masses[(*count)++] = (struct mass){usage->uops[i].ports, usage->uops[i].count};
}

static void name_kind(const struct analysis *a, const struct kind *kind, struct str *out)
{
    str_addf(out, "%u of these instructions could be %s (", kind->count, kind->other.name);
    usage_print(&kind->entry->usage, mapping_ports(a->machine->mapping), out);
    str_addf(out, "%s%s)", kind->other.note ? "; with " : "",
             kind->other.note ? kind->other.note : "");
}

void alternatives_add(const struct analysis *a, struct str *out)
{
    struct kind kinds[KINDS];
    size_t kind_count = 0, mass_count = 0, capacity = 1;
    const struct ports *ports = mapping_ports(a->machine->mapping);

    for (size_t i = 0; i < a->count; i++)
        capacity += a->rows[i].usage.count + 8;
    struct mass *masses = mem_alloc(capacity * sizeof *masses);
    for (size_t i = 0; i < a->count; i++) {
        struct kind found;
        size_t k = KINDS;
        if (find_alternative(a, i, &found) && found.entry->usage.count <= 8)
            for (k = 0; k < kind_count && kinds[k].entry != found.entry; k++)
                ;
        if (k == KINDS) {
            add_masses(&a->rows[i].usage, ports->pipes, masses, &mass_count);
            continue;
        }
        if (k == kind_count)
            kinds[kind_count++] = found;
        else
            kinds[k].count++;
        add_masses(&found.entry->usage, ports->pipes, masses, &mass_count);
    }
    if (kind_count) {
        struct throughput *t = throughput_new(ports->count);
        double cycles = throughput_of_masses(t, masses, mass_count);
        throughput_free(t);
        if (cycles < a->bounds[BOUND_PORTS] - 1e-9) {
            for (size_t k = 0; k < kind_count; k++) {
                str_add(out, k ? ", " : " ");
                name_kind(a, &kinds[k], out);
            }
            str_addf(out, ". The port bound would then be %.2f cycles.", cycles);
        }
    }
    free(masses);
}
