/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/port_groups.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/port_names.h"

/* largest difference in cycles of two loads that are considered equal */
#define SAME_LOAD 1e-6
static bool same_load(const struct analysis *a, unsigned p, unsigned q)
{
    for (size_t i = 0; i < a->count; i++)
        if (fabs(a->rows[i].pressure[p] - a->rows[i].pressure[q]) > SAME_LOAD)
            return false;
    return true;
}

void port_groups_of(const struct analysis *a, portset apart, struct port_groups *out)
{
    const struct ports *ports = mapping_ports(a->machine->mapping);

    *out = (struct port_groups){0};
    apart |= ports->pipes;
    for (unsigned j = 0; j < ports->count; j++) {
        const portset bit = (portset)1 << j;
        unsigned i = 0;
        if (a->totals[j] < PORT_LOAD_LEAST) {
            out->idle |= bit;
            continue;
        }
        while (i < out->count && (bit & apart || out->items[i].ports & apart ||
                                  !same_load(a, j, (unsigned)__builtin_ctz(out->items[i].ports))))
            i++;
        out->count += i == out->count;
        out->items[i].ports |= bit;
    }
    portset sets[PORTS_MAX];
    const char *purposes[PORTS_MAX];
    for (unsigned i = 0; i < out->count; i++)
        sets[i] = out->items[i].ports;
    port_purposes(a->machine, sets, out->count, purposes);
    for (unsigned i = 0; i < out->count; i++)
        out->items[i].purpose = purposes[i];
}

double port_group_sum(const double *cycles, portset ports)
{
    double sum = 0;

    for (unsigned j = 0; j < PORTS_MAX; j++)
        sum += ports >> j & 1 ? cycles[j] : 0;
    return sum;
}

/* Returns the length of @name without the number at its end. */
static size_t stem(const char *name)
{
    size_t length = strlen(name);

    while (length && isdigit((unsigned char)name[length - 1]))
        length--;
    return length;
}

/* Returns the last port of the sequence that begins with @first. Ports of a sequence have the same
 * stem and consecutive numbers. */
static unsigned run_end(portset set, const struct ports *ports, unsigned first)
{
    const size_t length = stem(ports->names[first]);
    unsigned last = first;

    while (last + 1 < ports->count && set >> (last + 1) & 1 && length &&
           stem(ports->names[last + 1]) == length && ports->names[last + 1][length] &&
           memcmp(ports->names[first], ports->names[last + 1], length) == 0 &&
           atoi(ports->names[last + 1] + length) == atoi(ports->names[last] + length) + 1)
        last++;
    return last;
}

void port_group_name(portset set, const struct ports *ports, struct str *out)
{
    const char *before = NULL;

    for (unsigned j = 0; j < ports->count; j++) {
        const char *name = ports->names[j];
        const size_t length = stem(name);
        if (!(set >> j & 1))
            continue;
        const bool letter = strlen(name) == 1, same = before && length && stem(before) == length &&
                                                      strncmp(before, name, length) == 0;
        if (before && !(letter && strlen(before) == 1))
            str_add(out, same ? "," : " ");
        str_add(out, same && !letter ? name + length : name);
        const unsigned last = letter ? j : run_end(set, ports, j);
        if (last > j)
            str_addf(out, "-%s", ports->names[last] + length);
        before = ports->names[last];
        j = last;
    }
}

void port_groups_usage(const struct usage *usage, const struct ports *ports, struct str *out)
{
    for (unsigned i = 0; i < usage->count; i++) {
        const portset set = usage->uops[i].ports;
        str_addf(out, "%s%u*%s", i ? "+" : "", usage->uops[i].count,
                 strlen(ports->names[__builtin_ctz(set)]) == 1 ? "p" : "");
        port_group_name(set, ports, out);
    }
}

bool analysis_unplaced(const struct analysis *a, size_t row)
{
    const struct analysis_row *r = &a->rows[row];

    if (r->flags & ROW_UNKNOWN)
        return true;
    if (r->flags & (ROW_FUSED | ROW_FUSED_INTO))
        return !a->rows[r->flags & ROW_FUSED || !row ? row : row - 1].usage.count;
    return !r->usage.count && r->issue > 0 &&
           !(r->flags & (ROW_ZERO | ROW_ONES | ROW_ELIMINATED | ROW_SUM | ROW_JOINS)) &&
           r->insn->traits & INSN_BRANCH;
}
