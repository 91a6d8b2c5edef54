/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/port_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/steps.h"
#include "isa/isa.h"
#include "isa/operands.h"

/* A kind of forms characterises a port set if it has at least this share of the kind's or the set's
 * forms. It must also have at least FORMS_LEAST forms. */
#define KIND_LEAST 0.15
#define FORMS_LEAST 3
/* smallest share of stores that can use a store-data port */
#define STORES_LEAST 0.75

/* Forms of one kind with the same ports. A machine has thousands of forms in a few hundred
 * classes. */
struct form_class {
    enum form_kind kind;
    bool single, vectors;      /* @single: whether the usage is one µop. @vectors: whether the
                                * forms are stores of vector operands. */
    /* ports of all µops; 0 if the usage has several µops and is not a store */
    portset ports;
    unsigned forms;
};

/* all forms of a machine, stored with its mapping (mapping_keep_derived) */
struct form_classes {
    size_t count;
    struct form_class items[];
};

static int compare_classes(const void *a, const void *b)
{
    const struct form_class *x = a, *y = b;

    return x->kind != y->kind       ? (x->kind > y->kind) - (x->kind < y->kind)
           : x->ports != y->ports   ? (x->ports > y->ports) - (x->ports < y->ports)
           : x->single != y->single ? x->single - y->single
                                    : x->vectors - y->vectors;
}

static struct form_class class_of(enum isa isa, const struct mapping_entry *e)
{
    struct form_class c = {
        .kind = isa_form_kind(isa, e->form), .single = e->usage.count == 1, .forms = 1};

    for (unsigned k = 0; (c.single || c.kind == FORM_STORE) && k < e->usage.count; k++)
        c.ports |= e->usage.uops[k].ports;
    c.vectors = c.kind == FORM_STORE && c.ports && form_has_vectors(e->form);
    return c;
}

/* Returns the classes of the machine's forms, computed in the first call; NULL if out of memory. */
static const struct form_classes *classes_of(const struct machine *m, enum isa isa)
{
    const struct form_classes *known = mapping_derived(m->mapping);
    const size_t n = mapping_count(m->mapping);
    struct form_classes *made =
        known ? NULL : malloc(sizeof *made + (n + 1) * sizeof *made->items);

    if (!made)
        return known;
    steps_add(n);
    for (size_t i = 0; i < n; i++)
        made->items[i] = class_of(isa, mapping_at(m->mapping, i));
    qsort(made->items, n, sizeof *made->items, compare_classes);
    made->count = 0;
    for (size_t i = 0; i < n; i++)
        if (made->count && compare_classes(&made->items[made->count - 1], &made->items[i]) == 0)
            made->items[made->count - 1].forms++;
        else
            made->items[made->count++] = made->items[i];
    struct form_classes *smaller =
        realloc(made, sizeof *made + (made->count + 1) * sizeof *made->items);
    return mapping_keep_derived(m->mapping, smaller ? smaller : made);
}

/* Number of forms with one µop per kind: of the machine (@all, with all stores), per port
 * (@of_port), and of forms whose ports are exactly those of a group (@exact) */
struct uses {
    unsigned all[FORM_KINDS], of_port[PORTS_MAX][FORM_KINDS], exact[PORTS_MAX][FORM_KINDS];
    unsigned alone[PORTS_MAX][FORM_KINDS]; /* number of these forms that can use no other port */
    /* number of stores of vectors, and of those that can use each port */
    unsigned vectors, vectors_of_port[PORTS_MAX];
    /* number of stores, and of those that can use each port */
    unsigned stores, stores_of_port[PORTS_MAX];
};

static void count_single(const struct form_class *c, const portset *sets, unsigned count,
                         struct uses *u)
{
    for (unsigned j = 0; j < PORTS_MAX; j++)
        u->of_port[j][c->kind] += c->ports >> j & 1 ? c->forms : 0;
    if (portset_size(c->ports) == 1)
        u->alone[__builtin_ctz(c->ports)][c->kind] += c->forms;
    for (unsigned i = 0; i < count; i++)
        u->exact[i][c->kind] += sets[i] == c->ports ? c->forms : 0;
}

static bool count_forms(const struct machine *m, enum isa isa, const portset *sets, unsigned count,
                        struct uses *u)
{
    const struct form_classes *classes = classes_of(m, isa);

    for (size_t i = 0; classes && i < classes->count; i++) {
        const struct form_class *c = &classes->items[i];
        const bool store = c->kind == FORM_STORE && c->ports;
        /* Counts stores with several µops, because most stores also have an address µop. */
        u->all[c->kind] += c->kind == FORM_STORE || c->single ? c->forms : 0;
        if (c->single)
            count_single(c, sets, count, u);
        u->stores += store ? c->forms : 0;
        u->vectors += c->vectors ? c->forms : 0;
        for (unsigned j = 0; j < PORTS_MAX; j++) {
            u->stores_of_port[j] += store && c->ports >> j & 1 ? c->forms : 0;
            u->vectors_of_port[j] += c->vectors && c->ports >> j & 1 ? c->forms : 0;
        }
    }
    return classes != NULL;
}

#define INTEGER (1u << FORM_ALU | 1u << FORM_BRANCH | 1u << FORM_MULTIPLY | 1u << FORM_DIVIDE)
#define VECTOR (1u << FORM_FP_ADD | 1u << FORM_FP_MULTIPLY | 1u << FORM_VECTOR)
#define MEMORY (1u << FORM_LOAD | 1u << FORM_STORE)

/* Returns whether most stores can use port @j. If each form that uses the port has several µops,
 * it suffices that most stores of vectors can use the port. */
static bool is_of_stores(const struct uses *u, unsigned j)
{
    bool alone = false;

    for (int kind = 0; kind < FORM_KINDS; kind++)
        alone |= u->of_port[j][kind] > 0;
    return (u->stores && u->stores_of_port[j] >= STORES_LEAST * u->stores) ||
           (!alone && u->vectors && u->vectors_of_port[j] >= STORES_LEAST * u->vectors);
}

/* Returns whether all ports of @set are store ports, and @kinds has only loads and stores. */
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

/* Returns the set of the kinds of forms that characterise group @i, among the forms whose ports are
 * exactly this group; 0: none. */
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

/* Returns the set of the kinds of forms that characterise at least one port of @set. */
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
    if (u && isa_parse(m->isa, &isa) && count_forms(m, isa, sets, count, u)) {
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

/* Returns the name stem of ports that execute @kinds; NULL if there are none, or if integer, vector
 * and memory kinds are mixed. */
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

/* Returns the set of the kinds of forms that characterise port @j, including kinds with few forms
 * that can use no other port. */
static unsigned kinds_of_port(const struct uses *u, unsigned j)
{
    const portset bit = (portset)1 << j;
    unsigned kinds = kinds_of_ports(u, bit);

    /* A port that no kind characterises, and that executes some loads, mostly of vectors, is a load
     * port. */
    kinds = !kinds && u->of_port[j][FORM_LOAD] >= FORMS_LEAST ? 1u << FORM_LOAD : kinds;
    if (stores_use(u, bit, kinds))
        kinds |= 1u << FORM_STORE;
    unsigned alone = 0;
    for (int kind = 0; kind < FORM_KINDS; kind++)
        alone += u->alone[j][kind];
    /* Adds kinds with few forms if those forms can use no other port. */
    for (int kind = 0; kind < FORM_KINDS; kind++)
        kinds |= enough(u->alone[j][kind], alone) ? 1u << kind : 0;
    return kinds;
}

/* Returns whether the machine is a chart, which the source of its fact issue_slots states. */
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
    const bool counted = count_forms(m, isa, NULL, 0, u);
    named = *out;
    for (unsigned j = 0; counted && j < out->count; j++) {
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
