/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/outline.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/steps.h"
#include "infer/genome.h"

static uint32_t ports_of(const struct gene *gene)
{
    uint32_t ports = 0;

    for (unsigned i = 0; i < gene->uops; i++)
        ports |= gene->set[i];
    return ports;
}

uint32_t outline_ports(const struct outline *o, size_t form)
{
    return ports_of(&o->best->genes[form]);
}

unsigned outline_uops(const struct outline *o, size_t form, unsigned port)
{
    const struct gene *gene = &o->best->genes[form];
    unsigned uops = 0;

    for (unsigned i = 0; i < gene->uops; i++)
        uops += gene->set[i] >> port & 1 ? gene->count[i] : 0;
    return uops;
}

/* Fills @to with a renaming that makes ports with common forms adjacent. Begins with the most used
 * port, then repeatedly adds the port with most forms in common with the last one. */
static void order_ports(const struct genome *g, uint8_t *to)
{
    unsigned shared[PROBLEM_PORTS_MAX][PROBLEM_PORTS_MAX] = {{0}}, last = 0;
    uint32_t placed = 0;

    for (size_t f = 0; f < g->forms; f++) {
        const uint32_t ports = ports_of(&g->genes[f]);
        for (unsigned i = 0; i < g->ports; i++)
            for (unsigned k = 0; k < g->ports; k++)
                shared[i][k] += ports >> i & ports >> k & 1;
    }
    for (unsigned at = 0; at < g->ports; at++) {
        unsigned next = g->ports;
        for (unsigned i = 0; i < g->ports; i++) {
            if (placed >> i & 1)
                continue;
            const bool more = next == g->ports || (at && shared[last][i] != shared[last][next]
                                                       ? shared[last][i] > shared[last][next]
                                                       : shared[i][i] > shared[next][next]);
            next = more ? i : next;
        }
        to[next] = (uint8_t)at;
        placed |= 1u << next;
        last = next;
    }
}

/* Returns the usages of @before for the forms of @o, empty for forms that @before lacks. Returns
 * NULL if @before is NULL or has another number of ports. The caller frees the result. */
static struct genome *carried(const struct outline *o, const struct outline *before)
{
    if (!before || before->best->ports != o->best->ports)
        return NULL;
    struct genome *like = genome_new(o->best->forms, o->best->ports, o->best->width);
    for (size_t f = 0; f < o->problem->forms; f++) {
        const size_t at = f < before->problem->forms &&
                                  strcmp(before->problem->names[f], o->problem->names[f]) == 0
                              ? f
                              : problem_form(before->problem, o->problem->names[f]);
        if (at != SIZE_MAX)
            like->genes[f] = before->best->genes[at];
    }
    return like;
}

static void name_ports(struct outline *o, const struct outline *before)
{
    uint8_t to[PROBLEM_PORTS_MAX];
    struct genome *like = carried(o, before);

    if (like)
        genome_align(like, o->best, to);
    else
        order_ports(o->best, to);
    genome_rename(o->best, to);
    for (size_t f = 0; like && f < o->best->forms; f++) {
        o->changes[f] = ports_of(&like->genes[f]) ^ outline_ports(o, f);
        o->changed += (size_t)__builtin_popcount(o->changes[f]);
    }
    genome_free(like);
}

/* Records, for each form, ports on which other near-optimal mappings differ. */
static void note_differences(struct outline *o, struct genome *const *genomes, size_t count)
{
    uint8_t to[PROBLEM_PORTS_MAX];

    for (size_t i = 1; i < count; i++) {
        if (genomes[i]->cost > genomes[0]->cost * CONFIDENCE_COST)
            continue;
        struct genome *other = genome_copy(genomes[i]);
        genome_align(o->best, other, to);
        genome_rename(other, to);
        for (size_t f = 0; f < other->forms; f++)
            o->differing[f] |= ports_of(&other->genes[f]) ^ outline_ports(o, f);
        genome_free(other);
        o->alternatives++;
    }
    for (size_t f = 0; f < o->best->forms; f++)
        o->uncertain += o->differing[f] != 0;
}

double outline_error(const struct outline *o, size_t e)
{
    return (double)o->predicted[e] / (double)o->problem->cycles[e] - 1;
}

static void note_worst(struct outline *o)
{
    for (uint32_t e = 0; e < o->problem->experiments; e++) {
        const double error = fabs(outline_error(o, e));
        size_t at = o->worst_count;
        while (at > 0 && fabs(outline_error(o, o->worst[at - 1])) < error)
            at--;
        if (at == OUTLINE_WORST)
            continue;
        o->worst_count += o->worst_count < OUTLINE_WORST;
        for (size_t i = o->worst_count - 1; i > at; i--)
            o->worst[i] = o->worst[i - 1];
        o->worst[at] = e;
    }
}

static uint32_t alone(const struct problem *p, size_t form)
{
    for (uint32_t l = p->link_start[form]; l < p->link_start[form + 1]; l++) {
        const uint32_t e = p->links[l].experiment;
        if (p->term_start[e + 1] - p->term_start[e] == 1 && p->terms[p->term_start[e]].count == 1)
            return e;
    }
    return UINT32_MAX;
}

struct outline_pair {
    double measured, predicted;
};

static int compare_pairs(const void *a, const void *b)
{
    const struct outline_pair *x = a, *y = b;
    return (x->measured > y->measured) - (x->measured < y->measured);
}

/* Selects experiments at equal distances, at most OUTLINE_PAIRS, for a plot. */
static void choose_pairs(struct outline *o)
{
    const struct problem *p = o->problem;
    const size_t step = (p->experiments + OUTLINE_PAIRS - 1) / OUTLINE_PAIRS;
    struct outline_pair *pairs = mem_alloc(OUTLINE_PAIRS * sizeof *pairs);

    for (size_t e = 0; e < p->experiments; e += step)
        pairs[o->pair_count++] =
            (struct outline_pair){(double)p->cycles[e], (double)o->predicted[e]};
    qsort(pairs, o->pair_count, sizeof *pairs, compare_pairs);
    for (size_t i = 0; i < o->pair_count; i++) {
        o->pairs[0][i] = pairs[i].measured;
        o->pairs[1][i] = pairs[i].predicted;
    }
    free(pairs);
}

struct outline *outline_new(struct genome *const *genomes, size_t count,
                            struct problem *take_problem, const struct outline *before,
                            struct machine *take_machine)
{
    static _Atomic uint64_t last;
    struct outline *o = mem_zero(1, sizeof *o);

    steps_add(take_problem->experiments + take_problem->forms);
    o->serial = atomic_fetch_add(&last, 1) + 1;
    o->problem = take_problem;
    o->best = genome_copy(genomes[0]);
    o->confidence = mem_alloc((o->problem->forms + 1) * sizeof *o->confidence);
    o->differing = mem_zero(o->problem->forms + 1, sizeof *o->differing);
    o->changes = mem_zero(o->problem->forms + 1, sizeof *o->changes);
    o->predicted = mem_alloc((o->problem->experiments + 1) * sizeof *o->predicted);
    name_ports(o, before);
    confidence_of(genomes, count, o->confidence);
    note_differences(o, genomes, count);
    genome_predict(o->best, o->problem, o->predicted);
    o->alone = mem_alloc((o->problem->forms + 1) * sizeof *o->alone);
    for (size_t f = 0; f < o->problem->forms; f++)
        o->alone[f] = alone(o->problem, f);
    note_worst(o);
    choose_pairs(o);
    o->machine = take_machine;
    if (o->machine) {
        struct mapping *empty = o->machine->mapping;
        o->machine->mapping = genome_mapping(o->best, o->problem, mapping_ports(empty));
        mapping_free(empty);
    }
    return o;
}

struct outline *outline_hold(struct outline *o)
{
    atomic_fetch_add(&o->holders, 1);
    return o;
}

void outline_free(struct outline *o)
{
    if (!o || atomic_fetch_sub(&o->holders, 1) > 0)
        return;
    problem_free(o->problem);
    genome_free(o->best);
    free(o->confidence);
    free(o->differing);
    free(o->changes);
    free(o->predicted);
    free(o->alone);
    free(o->front);
    free(o->samples);
    machine_free(o->machine);
    free(o);
}
