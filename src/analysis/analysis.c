/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/deps.h"
#include "analysis/loop_code.h"
#include "analysis/port_names.h"
#include "base/compare.h"
#include "base/mem.h"
#include "base/shortage.h"
#include "base/vec.h"
#include "isa/foreign.h"
#include "throughput/schedule.h"

size_t analysis_undecoded(const struct analysis *a)
{
    size_t count = 0;

    for (size_t i = 0; i < a->count; i++)
        count += (a->rows[i].insn->traits & INSN_UNDECODED) != 0;
    return count;
}

const char *row_flag_name(uint32_t one_flag)
{
#define ROW_FLAG_NAME(flag, name) name,
    static const char *const names[ROW_FLAG_COUNT] = {ROW_FLAGS(ROW_FLAG_NAME)};

    return names[__builtin_ctz(one_flag)];
}

static void schedule(struct analysis *a, const struct costs *costs)
{
    unsigned ports = mapping_ports(a->machine->mapping)->count;
    double *pressure = mem_zero(costs->mass_count * ports + 1, sizeof *pressure);

    schedule_balance(costs->masses, costs->mass_count, ports, pressure, a->totals, NULL);
    for (size_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < costs->rows[i].count; k++)
            for (unsigned j = 0; j < ports; j++)
                a->rows[i].pressure[j] += pressure[(costs->rows[i].first + k) * ports + j];
    free(pressure);
}

static void fill_rows(struct analysis *a, const struct insn *insns, const struct costs *costs)
{
    unsigned ports = mapping_ports(a->machine->mapping)->count;

    for (size_t i = 0; i < a->count; i++) {
        const struct cost *cost = &costs->rows[i];
        struct analysis_row *row = &a->rows[i];
        row->insn = &insns[i];
        row->flags = cost->flags;
        row->issue = cost->issue;
        row->slowest = cost->op->slowest;
        row->alone = cost->op->alone;
        row->estimate = cost->flags & ROW_ESTIMATE ? cost->op->estimate : NULL;
        row->latency = cost->flags & (ROW_ZERO | ROW_ELIMINATED | ROW_SUM) ? 0
                       : cost->op->entry ? cost->op->entry->latency
                                         : NAN;
        row->pressure = mem_zero(ports, sizeof(double));
        for (uint32_t k = 0; k < cost->count; k++)
            usage_add(&row->usage, costs->masses[cost->first + k].ports,
                      costs->masses[cost->first + k].count);
    }
}

/* Marks the rows whose unknown latency is part of a loop-carried dependence cycle. */
static void mark_guessed(struct analysis *a, const struct deps *deps)
{
    bool *marks = mem_zero(a->count + 1, sizeof *marks);

    a->latency_guessed = deps_guessed(deps, marks);
    for (size_t i = 0; i < a->count; i++)
        a->rows[i].latency_guessed = marks[i];
    free(marks);
}

static void mark_chain(struct analysis *a)
{
    for (size_t i = 0; i < a->limit.chain.count; i++)
        a->rows[a->limit.chain.links[i].row].flags |= ROW_CHAIN;
}

static int by_producer(const void *a, const void *b)
{
    const struct analysis_edge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to != y->to ? (x->to < y->to ? -1 : 1)
                          : (x->distance > y->distance) - (x->distance < y->distance);
}

typedef VEC(struct analysis_edge) edge_list;

struct last_writer {
    uint32_t insn, distance;
    bool known;
};

static void read_from(const struct last_writer *writers, unsigned resource, uint32_t to,
                      edge_list *edges)
{
    if (resource < RESOURCE_COUNT && writers[resource].known)
        vec_push(edges,
                 ((struct analysis_edge){writers[resource].insn, to, writers[resource].distance}));
}

/* Adds the dependences of instruction @at, usually a branch. The instruction has no node in struct
 * deps, because it writes no value. */
static void add_reads(const struct last_writer *writers, const struct insn *insn, uint32_t at,
                      edge_list *edges)
{
    if (insn->flags_read & FLAG_CARRY)
        read_from(writers, RESOURCE_CARRY, at, edges);
    if (insn->flags_read & ~(uint32_t)FLAG_CARRY)
        read_from(writers, RESOURCE_FLAGS, at, edges);
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        if (op->kind == OPERAND_MEMORY && op->base < REG_PC)
            read_from(writers, op->base, at, edges);
        if (op->kind == OPERAND_MEMORY && op->index < REG_PC)
            read_from(writers, op->index, at, edges);
        if (op->kind == OPERAND_REGISTER && op->access & ACCESS_READ && op->reg < REG_PC)
            read_from(writers, op->reg, at, edges);
    }
}

static void add_readers(const struct analysis *a, const struct insn *insns, const struct deps *deps,
                        edge_list *edges)
{
    struct last_writer writers[RESOURCE_COUNT] = {0};

    for (int round = 0; round < 2; round++) {
        for (uint32_t at = 0; at < a->count; at++) {
            if (round && deps->first_node[at] == deps->first_node[at + 1])
                add_reads(writers, &insns[at], at, edges);
            for (uint32_t n = deps->first_node[at]; n < deps->first_node[at + 1]; n++)
                writers[deps->nodes[n].resource] = (struct last_writer){at, 0, true};
        }
        for (size_t r = 0; r < RESOURCE_COUNT; r++)
            writers[r].distance++;
    }
}

/* Converts edges between values into edges between instructions, sorted by producer and without
 * duplicates. */
static void take_edges(struct analysis *a, const struct insn *insns, const struct deps *deps)
{
    edge_list edges = {0};

    for (size_t i = 0; i < deps->edge_count; i++)
        vec_push(&edges, ((struct analysis_edge){deps->nodes[deps->edges[i].from].insn,
                                                 deps->nodes[deps->edges[i].to].insn,
                                                 deps->edges[i].distance}));
    add_readers(a, insns, deps, &edges);
    if (edges.count)
        qsort(edges.items, edges.count, sizeof *edges.items, by_producer);
    for (size_t i = 0; i < edges.count; i++)
        if (a->edge_count == 0 ||
            by_producer(&edges.items[a->edge_count - 1], &edges.items[i]) != 0)
            edges.items[a->edge_count++] = edges.items[i];
    a->edges = edges.items;
}

const struct insn *analysis_repeated(const struct insn *insns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct isa_foreign *foreign = isa_ops((enum isa)insns[i].isa)->foreign;
        if (foreign->repeated && foreign->repeated(&insns[i]))
            return &insns[i];
    }
    return NULL;
}

static uint64_t registers_written(const struct insn *insns, size_t count)
{
    uint64_t written = 0;

    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < insns[i].operand_count; k++) {
            const struct operand *op = &insns[i].operands[k];
            if (op->kind == OPERAND_REGISTER && op->access & ACCESS_WRITE && op->reg < REG_PC)
                written |= (uint64_t)1 << op->reg;
        }
    return written;
}

bool analysis_bounds(struct block_work *work, const struct insn *insns, size_t count,
                     bool want_ports, struct bounds *out)
{
    const struct block_options options = {.shape = shape_of(insns, count),
                                          .align = count ? (unsigned)(insns[0].offset % 64) : 0};

    bounds_of(work, insns, count, &options, want_ports, out);
    return !(out->unknown || analysis_repeated(insns, count) ||
             isnan(out->cycles[BOUND_DEPENDENCIES]) || out->open || out->guessed);
}

/* Sets the number of distinct forms that the machine's table lacks, and the first such form. */
static void count_unknown(struct analysis *a)
{
    VEC(const char *) forms = {0};

    for (size_t i = 0; i < a->count; i++)
        if (a->rows[i].flags & ROW_UNKNOWN)
            vec_add(&forms, a->rows[i].insn->form);
    a->first_unknown = forms.count ? forms.items[0] : NULL;
    if (forms.count)
        qsort(forms.items, forms.count, sizeof *forms.items, compare_texts);
    for (size_t i = 0; i < forms.count; i++)
        a->unknown_forms += i == 0 || strcmp(forms.items[i - 1], forms.items[i]) != 0;
    vec_done(&forms);
}

struct analysis *analysis_new(const struct kernel *k, size_t loop, const struct machine *m)
{
    struct analysis *a = mem_zero(1, sizeof *a);
    const struct insn *code = kernel_insns(k, loop, &a->count);
    struct block_work *work = block_work_new(m);
    struct bounds bounds;
    bool room = shortage_need(a->count * BLOCK_BYTES_EACH);

    if (!room)   /* If memory is exhausted, the analysis has no rows, and the command fails. */
        a->count = 0;
    a->machine = m;
    ports_shown(m, &a->ports);
    struct insn *taken = loop_code_executed(k, loop);
    const struct insn *insns = taken ? taken : code;
    a->shape = shape_of(insns, a->count);
    a->rows = mem_zero(a->count, sizeof *a->rows);
    a->totals = mem_zero(mapping_ports(m->mapping)->count, sizeof *a->totals);
    a->lower_bound = !analysis_bounds(work, insns, a->count, true, &bounds);
    fill_rows(a, code, &work->costs);
    schedule(a, &work->costs);
    a->written = registers_written(insns, a->count);
    a->unknown = bounds.unknown;
    count_unknown(a);
    a->estimate = bounds.estimate;
    a->unhurried = bounds.unhurried;
    const struct insn *repeated = analysis_repeated(insns, a->count);
    a->repeated = repeated ? code + (repeated - insns) : NULL;
    memcpy(a->bounds, bounds.cycles, sizeof a->bounds);
    a->frontend = bounds.frontend;
    a->issue = bounds.issue;
    a->accesses = bounds.accesses;
    a->line_writes = bounds.line_writes;
    a->bottleneck_ports = bounds.bottleneck_ports;
    a->cycles = bounds.total;
    a->bottleneck = bounds.bottleneck;
    a->fitted = bounds.fitted & 1U << bounds.bottleneck;
    a->critical_path = NAN;
    if (!isnan(a->bounds[BOUND_DEPENDENCIES])) {
        a->critical_path = deps_critical_path(&work->deps, NULL, 0);
        mark_guessed(a, &work->deps);
        take_edges(a, insns, &work->deps);
        a->irregular = unmodelled_find(insns, a->count, &work->deps, a->not_modelled);
    }
    if (loop < k->loop_count && k->loops[loop].dispatch) {
        free(a->not_modelled[UNMODELLED_BRANCHES]);
        a->not_modelled[UNMODELLED_BRANCHES] = mem_strdup(
            "computed gotos: the cycles include all parts, but an iteration executes only one "
            "part");
    }
    limit_find(a, work, &a->limit);
    mark_chain(a);
    a->sentence = advice_of(a, k, loop);
    block_work_free(work);
    free(taken);
    if (room)
        shortage_reserve();
    return a;
}

void analysis_free(struct analysis *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->count; i++) {
        usage_done(&a->rows[i].usage);
        free(a->rows[i].pressure);
    }
    free(a->rows);
    free(a->totals);
    free(a->edges);
    for (int kind = 0; kind < UNMODELLED_COUNT; kind++)
        free(a->not_modelled[kind]);
    limit_done(&a->limit);
    free(a->sentence);
    free(a);
}
