/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/port_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/steps.h"
#include "isa/isa.h"
#include "isa/operands.h"

/* Least share and number of forms that characterise a port set: a kind's forms that use it, or a
 * set's forms of one kind. Fewer forms are exceptions, such as placeholders for system
 * instructions. */
#define KIND_LEAST 0.15
#define FORMS_LEAST 3
/* least share of stores that can use a store-data port */
#define STORES_LEAST 0.75

/* Number of forms per kind: in total, per port, and with exactly a group's ports. */
struct uses {
    unsigned all[FORM_KINDS], of_port[PORTS_MAX][FORM_KINDS], exact[PORTS_MAX][FORM_KINDS];
    unsigned alone[PORTS_MAX][FORM_KINDS];         /* forms that can use no other port */
    unsigned vectors, vectors_of_port[PORTS_MAX];  /* as @of_port and @all, for vector stores */
    /* number of stores in total, and of those that can use each port */
    unsigned stores, stores_of_port[PORTS_MAX];
};

static void count_form(const portset *sets, unsigned count, enum form_kind kind, portset set,
                       struct uses *u)
{
    for (unsigned j = 0; j < PORTS_MAX; j++)
        u->of_port[j][kind] += set >> j & 1;
    if (portset_size(set) == 1)
        u->alone[__builtin_ctz(set)][kind]++;
    for (unsigned i = 0; i < count; i++)
        u->exact[i][kind] += sets[i] == set;
}

static void count_forms(const struct machine *m, enum isa isa, const portset *sets, unsigned count,
                        struct uses *u)
{
    steps_add(mapping_count(m->mapping));
    for (size_t i = 0; i < mapping_count(m->mapping); i++) {
        const struct mapping_entry *e = mapping_at(m->mapping, i);
        const enum form_kind kind = isa_form_kind(isa, e->form);
        /* most stores also have an address µop */
        u->all[kind] += kind == FORM_STORE || e->usage.count == 1;
        if (e->usage.count == 1)
            count_form(sets, count, kind, e->usage.uops[0].ports, u);
        portset all = 0;
        for (unsigned k = 0; kind == FORM_STORE && k < e->usage.count; k++)
            all |= e->usage.uops[k].ports;
        const bool vector = all && form_has_vectors(e->form);
        u->stores += all != 0;
        u->vectors += vector;
        for (unsigned j = 0; j < PORTS_MAX; j++) {
            u->stores_of_port[j] += all >> j & 1;
            u->vectors_of_port[j] += vector && all >> j & 1;
        }
    }
}

#define INTEGER (1u << FORM_ALU | 1u << FORM_BRANCH | 1u << FORM_MULTIPLY | 1u << FORM_DIVIDE)
#define VECTOR (1u << FORM_FP_ADD | 1u << FORM_FP_MULTIPLY | 1u << FORM_VECTOR)
#define MEMORY (1u << FORM_LOAD | 1u << FORM_STORE)

/* Returns whether most stores can use port @j, or most vector stores if no single-µop form uses
 * it. */
static bool is_of_stores(const struct uses *u, unsigned j)
{
    bool alone = false;

    for (int kind = 0; kind < FORM_KINDS; kind++)
        alone |= u->of_port[j][kind] > 0;
    return (u->stores && u->stores_of_port[j] >= STORES_LEAST * u->stores) ||
           (!alone && u->vectors && u->vectors_of_port[j] >= STORES_LEAST * u->vectors);
}

/* Returns whether @set consists of store ports and @kinds of loads and stores. */
static bool stores_use(const struct uses *u, portset set, unsigned kinds)
{
    for (unsigned j = 0; j < PORTS_MAX; j++)
        if (set >> j & 1 && !is_of_stores(u, j))
            return false;
    return !(kinds & ~MEMORY);
}

static bool enough(unsigned forms, unsigned all)
{
    return forms >= FORMS_LEAST && forms >= KIND_LEAST * all;
}

/* Returns a bit set of the kinds of forms that use exactly group @i; 0 if none. */
static unsigned kinds_of_set(const struct uses *u, unsigned i)
{
    unsigned kinds = 0, all = 0;

    for (int kind = 0; kind < FORM_KINDS; kind++)
        all += u->exact[i][kind];
    for (int kind = 0; kind < FORM_KINDS; kind++)
        kinds |= enough(u->exact[i][kind], all) || enough(u->exact[i][kind], u->all[kind])
                     ? 1u << kind
                     : 0;
    return kinds;
}

/* Returns a bit set of the kinds of forms that can use a port of @set. */
static unsigned kinds_of_ports(const struct uses *u, portset set)
{
    unsigned kinds = 0;

    for (unsigned j = 0; j < PORTS_MAX; j++)
        for (int kind = 0; set >> j & 1 && kind < FORM_KINDS; kind++)
            kinds |= enough(u->of_port[j][kind], u->all[kind]) ? 1u << kind : 0;
    return kinds;
}

static const char *purpose_of(unsigned kinds)
{
    const bool adds = kinds >> FORM_FP_ADD & 1, multiplies = kinds >> FORM_FP_MULTIPLY & 1;

    if (!kinds)
        return "";
    if (!(kinds & ~INTEGER))
        return kinds == 1u << FORM_BRANCH     ? "branch"
               : kinds == 1u << FORM_MULTIPLY ? "mul"
               : kinds == 1u << FORM_DIVIDE   ? "div"
                                              : "ALU";
    if (!(kinds & ~VECTOR))
        return adds == multiplies ? "FP" : adds ? "FP add" : "FP mul";
    return kinds & ~MEMORY             ? ""
           : kinds == 1u << FORM_LOAD  ? "load"
           : kinds == 1u << FORM_STORE ? "store"
                                       : "AGU";
}

void port_purposes(const struct machine *m, const portset *sets, unsigned count, const char **out)
{
    const struct ports *ports = mapping_ports(m->mapping);
    struct uses *u = calloc(1, sizeof *u);
    enum isa isa;

    for (unsigned i = 0; i < count; i++)
        out[i] = "";
    if (u && isa_parse(m->isa, &isa)) {
        count_forms(m, isa, sets, count, u);
        for (unsigned i = 0; i < count; i++) {
            unsigned kinds = portset_size(sets[i]) > 1 ? kinds_of_set(u, i) : 0;
            kinds = kinds ? kinds : kinds_of_ports(u, sets[i]);
            if (stores_use(u, sets[i], kinds))
                kinds |= 1u << FORM_STORE;
            out[i] = sets[i] & ports->pipes ? "div" : purpose_of(kinds);
        }
    }
    free(u);
}

/* Returns the name stem of ports for @kinds of forms; NULL if the kinds are mixed. */
static const char *stem_of(unsigned kinds)
{
    if (kinds && !(kinds & ~INTEGER))
        return kinds == 1u << FORM_BRANCH ? "BR" : "ALU";
    if (kinds && !(kinds & ~VECTOR))
        return "FP";
    return kinds && !(kinds & ~MEMORY) ? kinds == 1u << FORM_LOAD    ? "LD"
                                         : kinds == 1u << FORM_STORE ? "ST"
                                                                     : "AG"
                                       : NULL;
}

/* Returns a bit set of the kinds of forms that can use only port @j, including stores. */
static unsigned kinds_of_port(const struct uses *u, unsigned j)
{
    const portset bit = (portset)1 << j;
    unsigned kinds = kinds_of_ports(u, bit);

    /* a few loads, mostly of vectors, and no other forms */
    kinds = !kinds && u->of_port[j][FORM_LOAD] >= FORMS_LEAST ? 1u << FORM_LOAD : kinds;
    if (stores_use(u, bit, kinds))
        kinds |= 1u << FORM_STORE;
    unsigned alone = 0;
    for (int kind = 0; kind < FORM_KINDS; kind++)
        alone += u->alone[j][kind];
    for (int kind = 0; kind < FORM_KINDS; kind++)   /* few of the kind have no other port */
        kinds |= enough(u->alone[j][kind], alone) ? 1u << kind : 0;
    return kinds;
}

/* Returns whether the machine's ports come from a chart. */
static bool is_charted(const struct machine *m)
{
    for (size_t i = 0; i < m->fact_count; i++)
        if (strcmp(m->facts[i].key, "issue_slots") == 0)
            return str_has_prefix(m->facts[i].source, "charted");
    return false;
}

void ports_shown(const struct machine *m, struct ports *out)
{
    struct ports named;
    struct uses *u;
    enum isa isa;

    *out = *mapping_ports(m->mapping);
    if (!is_charted(m) || !isa_parse(m->isa, &isa) || !(u = calloc(1, sizeof *u)))
        return;
    count_forms(m, isa, NULL, 0, u);
    named = *out;
    for (unsigned j = 0; j < out->count; j++) {
        const char *stem = out->pipes >> j & 1 ? NULL : stem_of(kinds_of_port(u, j));
        unsigned number = 0;
        if (!stem)
            continue;
        for (unsigned k = 0; k < j; k++)
            number += strncmp(named.names[k], stem, strlen(stem)) == 0 &&
                      strcmp(named.names[k], out->names[k]) != 0;
        snprintf(named.names[j], sizeof named.names[j], "%s%u", stem, number);
    }
    *out = named;
    free(u);
}

bool ports_shown_parse(const struct machine *m, const char *text, struct usage *out,
                       struct err *err)
{
    struct ports shown;
    struct err none = {0};

    if (usage_parse(text, mapping_ports(m->mapping), out, &none))
        return true;
    ports_shown(m, &shown);
    return usage_parse(text, &shown, out, err);
}
