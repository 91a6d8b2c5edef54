/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/port_groups.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME_LOAD 1e-6      /* cycles: a schedule is balanced up to rounding */
/* Share of a kind's forms that must be able to use a port or have a set, or of a set's forms that must be of a kind, and how many: fewer are exceptions, and system instructions
 * for which a table has a placeholder. */
#define KIND_LEAST 0.15
#define FORMS_LEAST 3
#define STORES_LEAST 0.75   /* share of the stores that must be able to use a port of theirs: others compute the data */

static bool same_load(const struct analysis *a, unsigned p, unsigned q)
{
    for (size_t i = 0; i < a->count; i++)
        if (fabs(a->rows[i].pressure[p] - a->rows[i].pressure[q]) > SAME_LOAD)
            return false;
    return true;
}

/* Forms of one set of ports, by kind: of the machine, of each port, and of exactly a group's set. */
struct uses {
    unsigned all[FORM_KINDS], of_port[PORTS_MAX][FORM_KINDS], exact[PORTS_MAX][FORM_KINDS];
    unsigned stores, stores_of_port[PORTS_MAX];   /* stores of any usage; those that can use a port */
};

static void count_form(const struct port_groups *g, enum form_kind kind, portset set, struct uses *u)
{
    for (unsigned j = 0; j < PORTS_MAX; j++)
        u->of_port[j][kind] += set >> j & 1;
    for (unsigned i = 0; i < g->count; i++)
        u->exact[i][kind] += g->items[i].ports == set;
}

static void count_forms(const struct machine *m, enum isa isa, const struct port_groups *g, struct uses *u)
{
    for (size_t i = 0; i < mapping_count(m->mapping); i++) {
        const struct mapping_entry *e = mapping_at(m->mapping, i);
        const enum form_kind kind = isa_form_kind(isa, e->form);
        u->all[kind] += kind == FORM_STORE || e->usage.count == 1;   /* most stores have a µop for the address as well */
        if (e->usage.count == 1)
            count_form(g, kind, e->usage.uops[0].ports, u);
        portset all = 0;
        for (unsigned k = 0; kind == FORM_STORE && k < e->usage.count; k++)
            all |= e->usage.uops[k].ports;
        u->stores += all != 0;
        for (unsigned j = 0; j < PORTS_MAX; j++)
            u->stores_of_port[j] += all >> j & 1;
    }
}

static bool stores_use(const struct uses *u, portset set)
{
    for (unsigned j = 0; j < PORTS_MAX; j++)
        if (set >> j & 1 && (!u->stores || u->stores_of_port[j] < STORES_LEAST * u->stores))
            return false;
    return true;
}

static bool enough(unsigned forms, unsigned all)
{
    return forms >= FORMS_LEAST && forms >= KIND_LEAST * all;
}

/* The kinds of the forms whose one set of ports is group @i, a bit each; 0 when there are none. */
static unsigned kinds_of_set(const struct uses *u, unsigned i)
{
    unsigned kinds = 0, all = 0;

    for (int kind = 0; kind < FORM_KINDS; kind++)
        all += u->exact[i][kind];
    for (int kind = 0; kind < FORM_KINDS; kind++)
        kinds |= enough(u->exact[i][kind], all) || enough(u->exact[i][kind], u->all[kind]) ? 1u << kind : 0;
    return kinds;
}

/* The kinds of the forms that can use a port of @set, a bit each. */
static unsigned kinds_of_ports(const struct uses *u, portset set)
{
    unsigned kinds = 0;

    for (unsigned j = 0; j < PORTS_MAX; j++)
        for (int kind = 0; set >> j & 1 && kind < FORM_KINDS; kind++)
            kinds |= enough(u->of_port[j][kind], u->all[kind]) ? 1u << kind : 0;
    return kinds;
}

#define INTEGER (1u << FORM_ALU | 1u << FORM_BRANCH | 1u << FORM_MULTIPLY | 1u << FORM_DIVIDE)
#define VECTOR (1u << FORM_FP_ADD | 1u << FORM_FP_MULTIPLY | 1u << FORM_VECTOR)
#define MEMORY (1u << FORM_LOAD | 1u << FORM_STORE)

static const char *purpose_of(unsigned kinds)
{
    const bool adds = kinds >> FORM_FP_ADD & 1, multiplies = kinds >> FORM_FP_MULTIPLY & 1;

    if (!kinds)
        return "";
    if (!(kinds & ~INTEGER))
        return kinds == 1u << FORM_BRANCH ? "branch" : kinds == 1u << FORM_MULTIPLY ? "mul" : kinds == 1u << FORM_DIVIDE ? "div" : "ALU";
    if (!(kinds & ~VECTOR))
        return adds == multiplies ? "FP" : adds ? "FP add" : "FP mul";
    return kinds & ~MEMORY ? "" : kinds == 1u << FORM_LOAD ? "load" : kinds == 1u << FORM_STORE ? "store" : "AGU";
}

static void name_purposes(const struct machine *m, struct port_groups *g)
{
    const struct ports *ports = mapping_ports(m->mapping);
    struct uses *u = calloc(1, sizeof *u);
    enum isa isa;

    for (unsigned i = 0; i < g->count; i++)
        g->items[i].purpose = "";
    if (u && isa_parse(m->isa, &isa)) {
        count_forms(m, isa, g, u);
        for (unsigned i = 0; i < g->count; i++) {
            const portset set = g->items[i].ports;
            unsigned kinds = portset_size(set) > 1 ? kinds_of_set(u, i) : 0;
            kinds = kinds ? kinds : kinds_of_ports(u, set);
            if (!(kinds & ~MEMORY) && stores_use(u, set))
                kinds |= 1u << FORM_STORE;
            g->items[i].purpose = set & ports->pipes ? "div" : purpose_of(kinds);
        }
    }
    free(u);
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
        while (i < out->count && (bit & apart || out->items[i].ports & apart || !same_load(a, j, (unsigned)__builtin_ctz(out->items[i].ports))))
            i++;
        out->count += i == out->count;
        out->items[i].ports |= bit;
    }
    name_purposes(a->machine, out);
}

double port_group_sum(const double *cycles, portset ports)
{
    double sum = 0;

    for (unsigned j = 0; j < PORTS_MAX; j++)
        sum += ports >> j & 1 ? cycles[j] : 0;
    return sum;
}

/* Bytes of @name before the number at its end. */
static size_t stem(const char *name)
{
    size_t length = strlen(name);

    while (length && isdigit((unsigned char)name[length - 1]))
        length--;
    return length;
}

/* The last port of @set from @first on whose names count on from it with the same stem. */
static unsigned run_end(portset set, const struct ports *ports, unsigned first)
{
    const size_t length = stem(ports->names[first]);
    unsigned last = first;

    while (last + 1 < ports->count && set >> (last + 1) & 1 && length && stem(ports->names[last + 1]) == length && ports->names[last + 1][length] &&
           memcmp(ports->names[first], ports->names[last + 1], length) == 0 && atoi(ports->names[last + 1] + length) == atoi(ports->names[last] + length) + 1)
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
        const bool letter = strlen(name) == 1, same = before && length && stem(before) == length && strncmp(before, name, length) == 0;
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

bool analysis_unplaced(const struct analysis *a, size_t row)
{
    const struct analysis_row *r = &a->rows[row];

    if (r->flags & ROW_UNKNOWN)
        return true;
    if (r->flags & (ROW_FUSED | ROW_FUSED_INTO))
        return !a->rows[r->flags & ROW_FUSED || !row ? row : row - 1].usage.count;
    return !r->usage.count && r->issue > 0 && !(r->flags & (ROW_ZERO | ROW_ONES | ROW_ELIMINATED | ROW_SUM | ROW_JOINS)) && r->insn->traits & INSN_BRANCH;
}
