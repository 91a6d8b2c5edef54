/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "throughput/throughput.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "throughput/engine.h"

const double THROUGHPUT_COMMON[PORTS_MAX + 1] = {
    1,
    1,
    2,
    6,
    12,
    60,
    60,
    420,
    840,
    2520,
    2520,
    27720,
    27720,
    360360,
    360360,
    360360,
    720720,
    12252240,
    12252240,
    232792560,
    232792560,
    232792560,
    232792560,
    5354228880,
    5354228880,
    26771144400,
    26771144400,
    80313433200,
    80313433200,
    2329089562800,
    2329089562800,
    72201776446800,
    144403552893600,
};

double throughput_fraction(float ratio, unsigned ports)
{
    for (unsigned size = 1; size < ports; size++) {
        double product = (double)ratio * size, whole = (double)(int64_t)(product + 0.5);
        if (fabs(whole - product) <= product * 0x1p-22)
            return whole / size;
    }
    return (double)(int64_t)((double)ratio * ports + 0.5) / ports;
}

/* Fills @order with the numbers below @count, sorted by number of bits set. */
static void fill_order(uint8_t *order, unsigned count)
{
    /* per number of bits, the next position */
    unsigned next[ZETA_PORTS_MAX - ZETA_LOW + 2] = {0};

    for (unsigned k = 0; k < count; k++)
        next[portset_size(k) + 1]++;
    for (unsigned size = 1; size < sizeof next / sizeof *next; size++)
        next[size] += next[size - 1];
    for (unsigned k = 0; k < count; k++)
        order[next[portset_size(k)]++] = (uint8_t)k;
}

static pthread_once_t ordering = PTHREAD_ONCE_INIT;
static uint8_t orders[2 << (ZETA_PORTS_MAX - ZETA_LOW)];

static void fill_orders(void)
{
    for (unsigned count = 1; count <= 1u << (ZETA_PORTS_MAX - ZETA_LOW); count *= 2)
        fill_order(orders + count, count);
}

struct throughput *throughput_new(unsigned ports)
{
    struct throughput *t = mem_aligned(64, sizeof *t);

    pthread_once(&ordering, fill_orders);
    t->ports = ports;
    t->engine = engine_named(NULL);
    t->order = orders;
    return t;
}

void throughput_free(struct throughput *t)
{
    free(t);
}

bool throughput_use_engine(struct throughput *t, const char *name)
{
    const struct engine *engine = engine_named(name);
    if (engine)
        t->engine = engine;
    return engine != NULL;
}

/* Adds µops to the distinct sets of @f. */
static inline void merge_one(struct flow *f, portset ports, uint64_t mass)
{
    for (unsigned k = 0; k < f->sets; k++)
        if (f->set[k] == ports) {
            f->mass[k] += mass;
            return;
        }
    if (f->sets == FLOW_SETS)
        BUG("more than %d distinct port sets in one experiment", FLOW_SETS);
    f->set[f->sets] = ports;
    f->mass[f->sets++] = mass;
}

static double by_flow(struct flow *f, unsigned ports)
{
    f->ports = ports;
    flow_solve(f);
    return (double)f->numerator / (double)f->denominator;
}

/* Renumbers the ports in @used to 0, 1, ... in the n masses. */
static void compress(struct mass *masses, size_t n, portset used)
{
    for (size_t i = 0; i < n; i++) {
        portset packed = 0;
        unsigned to = 0;
        for (portset rest = used; rest; rest &= rest - 1, to++)
            packed |= (masses[i].ports & rest & -rest ? (portset)1 : 0) << to;
        masses[i].ports = packed;
    }
}

static unsigned port_range(portset used)
{
    return used ? 32u - (unsigned)__builtin_clz(used) : 0;
}

/* estimated nanoseconds of a method that is not applicable */
#define COST_NEVER 1e9

/* inline, because fmin() would be a call */
static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double subsets_cost(const struct engine *e, size_t n, uint64_t total)
{
    if (n > SUBSETS_MAX || total > SUBSETS_MASS_MAX)
        return COST_NEVER;
    return 7 + e->subsets_cost * ((1u << n) / e->lanes);
}

static double zeta_cost(const struct engine *e, size_t n, uint64_t total, unsigned ports)
{
    if (ports > ZETA_PORTS_MAX || total > ZETA_MASS_MAX)
        return COST_NEVER;
    unsigned vectors = (1u << ports) / (2 * e->lanes);
    return 20 + (double)n + e->zeta_cost * (vectors > 8 ? vectors : 8);
}

static double flow_cost(size_t n, unsigned ports)
{
    return 25.0 * (double)n * (ports + 4);
}

/* Returns the cycles of t->gathered by the fastest enumeration. t->gathered has @n > 0 masses,
 * whose sets may repeat. Returns NaN if a maximum flow is faster. */
static double enumerate(struct throughput *t, size_t n, uint64_t total)
{
    const struct engine *e = t->engine;
    double subset_cost = subsets_cost(e, n, total);
    portset used = 0;

    for (size_t i = 0; i < n; i++)
        used |= t->gathered[i].ports;
    unsigned ports = port_range(used), size = portset_size(used);
    double spread_cost = zeta_cost(e, n, total, ports),
           packed_cost = zeta_cost(e, n, total, size) + 0.5 * (double)n * size;
    double best = smaller(subset_cost, smaller(spread_cost, packed_cost));
    if (best > flow_cost(n, ports))
        return NAN;
    if (best == subset_cost)
        return e->subsets(t, t->gathered, n);
    if (best == spread_cost)
        return e->zeta(t, t->gathered, n, ports);
    compress(t->gathered, n, used);
    return e->zeta(t, t->gathered, n, size);
}

/* Moves the sets that are connected with set @from directly after set @from. Returns the end of
 * the connected sets. */
static unsigned part_end(struct flow *f, unsigned from)
{
    portset reach = f->set[from];
    unsigned end = from + 1;

    for (bool grown = true; grown;) {
        grown = false;
        for (unsigned i = end; i < f->sets; i++)
            if (f->set[i] & reach) {
                portset set = f->set[i];
                uint64_t mass = f->mass[i];
                f->set[i] = f->set[end];
                f->mass[i] = f->mass[end];
                f->set[end] = set;
                f->mass[end++] = mass;
                grown |= (set & ~reach) != 0;
                reach |= set;
            }
    }
    return end;
}

/* Returns the largest bound of the parts of t->flow. Parts without a common port are independent.
 * Requires at least one set. */
static double by_parts(struct throughput *t)
{
    struct flow *f = &t->flow;
    double bound = 0;
    bool whole = true;

    for (unsigned from = 0, end; from < f->sets; from = end) {
        end = part_end(f, from);
        unsigned n = end - from;
        uint64_t total = 0;
        for (unsigned i = from; i < end; i++)
            total += f->mass[i];
        double cycles = NAN;
        if (n <= GATHER_MAX && total <= SUBSETS_MASS_MAX) {
            for (unsigned i = 0; i < n; i++)
                t->gathered[i] = (struct mass){f->set[from + i], (uint32_t)f->mass[from + i]};
            cycles = enumerate(t, n, total);
        }
        if (isnan(cycles))
            whole = false;
        else
            bound = fmax(bound, cycles);
    }
    return whole ? bound : by_flow(f, t->ports);
}

/* Returns whether to enumerate the gathered µops directly, because merging and splitting would then
 * take more time than they save. */
static bool at_once(const struct throughput *t, size_t n, uint64_t total)
{
    const struct engine *e = t->engine;
    return smaller(subsets_cost(e, n, total), zeta_cost(e, n, total, t->ports)) <
           40 + 4 * (double)n;
}

static double of_gathered(struct throughput *t, size_t n, uint64_t total)
{
    if (n <= 4 && total <= SUBSETS_MASS_MAX)
        return t->engine->subsets(t, t->gathered, n);
    if (at_once(t, n, total))
        return enumerate(t, n, total);
    t->flow.sets = 0;
    for (size_t i = 0; i < n; i++)
        merge_one(&t->flow, t->gathered[i].ports, t->gathered[i].count);
    return by_parts(t);
}

double throughput_of_masses(struct throughput *t, const struct mass *masses, size_t n)
{
    if (n == 0)
        return 0;
    if (n <= GATHER_MAX) {
        uint64_t total = 0;
        for (size_t i = 0; i < n; i++) {
            t->gathered[i] = masses[i];
            total += masses[i].count;
        }
        return of_gathered(t, n, total);
    }
    t->flow.sets = 0;
    for (size_t i = 0; i < n; i++)
        merge_one(&t->flow, masses[i].ports, masses[i].count);
    return by_parts(t);
}

double throughput_bottleneck(struct throughput *t, const struct mass *masses, size_t n,
                             portset *bottleneck)
{
    *bottleneck = 0;
    if (n == 0)
        return 0;
    t->flow.sets = 0;
    for (size_t i = 0; i < n; i++)
        merge_one(&t->flow, masses[i].ports, masses[i].count);
    double cycles = by_flow(&t->flow, t->ports);
    *bottleneck = flow_tight_maximal(&t->flow);
    return cycles;
}

double throughput_by(struct throughput *t, enum throughput_method method, const struct mass *masses,
                     size_t n)
{
    const struct engine *e = t->engine;
    portset used = 0;
    uint64_t total = 0;

    t->flow.sets = 0;
    for (size_t i = 0; i < n; i++) {
        merge_one(&t->flow, masses[i].ports, masses[i].count);
        used |= masses[i].ports;
        total += masses[i].count;
    }
    if (n == 0)
        return NAN;
    if (method == METHOD_FLOW)
        return by_flow(&t->flow, t->ports);
    if (method == METHOD_PARTS)
        return by_parts(t);
    if (method == METHOD_SUBSETS)
        return subsets_cost(e, n, total) < COST_NEVER ? e->subsets(t, masses, n) : NAN;
    return zeta_cost(e, n, total, port_range(used)) < COST_NEVER
               ? e->zeta(t, masses, n, port_range(used))
               : NAN;
}

double throughput_of(const struct mapping *m, const struct experiment *e, struct str *unknown)
{
    struct throughput *t = throughput_new(mapping_ports(m)->count);

    t->flow.sets = 0;
    for (unsigned i = 0; i < e->count; i++) {
        const struct mapping_entry *entry = mapping_find(m, e->terms[i].form);
        if (!entry && unknown)
            str_addf(unknown, "%s\n", e->terms[i].form);
        for (unsigned k = 0; entry && k < entry->usage.count; k++)
            merge_one(&t->flow, entry->usage.uops[k].ports,
                      (uint64_t)entry->usage.uops[k].count * e->terms[i].count);
    }
    double cycles = t->flow.sets ? by_parts(t) : 0;
    throughput_free(t);
    return cycles;
}
