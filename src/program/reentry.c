/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/reentry.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

/* Returns whether @insn sets register @reg without reading it. */
static bool sets_register(const struct insn *insn, unsigned reg)
{
    const bool idiom = (insn->traits & INSN_ZERO_IDIOM) && insn_same_sources(insn);
    bool reads = insn->traits & INSN_KEEPS_OLD, writes = false;

    for (size_t k = 0; k < insn->operand_count; k++) {
        const struct operand *o = &insn->operands[k];
        if (o->kind != OPERAND_REGISTER || o->reg != reg)
            continue;
        reads |= (o->access & ACCESS_READ) && !idiom;
        writes |= (o->access & ACCESS_WRITE) && !(o->access & ACCESS_CONDITIONAL);
    }
    return writes && !reads;
}

static bool writes(const struct insn *insn, unsigned reg)
{
    bool found = false;

    for (size_t k = 0; k < insn->operand_count; k++) {
        const struct operand *o = &insn->operands[k];
        found |= o->kind == OPERAND_REGISTER && o->reg == reg && (o->access & ACCESS_WRITE);
    }
    return found;
}

/* Returns whether @insn stores at the address @slot. */
static bool stores_at(const struct insn *insn, const struct operand *slot)
{
    const struct operand *o = insn_memory(insn);

    return o && (insn->traits & INSN_STORE) && !(insn->traits & INSN_LOAD) &&
           o->base == slot->base && o->index == slot->index && o->scale == slot->scale &&
           o->displacement == slot->displacement;
}

/* Sets *@first and *@end to the code around the part's loop: the next outer loop, or else the
 * function. */
static void code_around(const struct program_code *c, const struct code_part *part, size_t *first,
                        size_t *end)
{
    const struct code_unit *u = &c->units[part->unit];
    const struct kernel *k = u->kernel;
    const struct kernel_loop *own = &k->loops[part->loop];
    const struct program_block *blocks = c->program->blocks;
    const size_t at = part->insns.items[0];

    *first = *end = at;
    while (*first && blocks[u->block[*first - 1]].function == blocks[u->block[at]].function)
        (*first)--;
    while (*end < k->insn_count && blocks[u->block[*end]].function == blocks[u->block[at]].function)
        (*end)++;
    for (size_t l = 0; l < k->loop_count; l++) {
        const struct kernel_loop *loop = &k->loops[l];
        if (loop->depth && loop->count > own->count && loop->first <= own->first &&
            loop->first + loop->count >= own->first + own->count && loop->count < *end - *first) {
            *first = loop->first;
            *end = loop->first + loop->count;
        }
    }
}

static bool is_inside(const struct code_part *part, size_t insn)
{
    for (size_t i = 0; i < part->insns.count; i++)
        if (part->insns.items[i] == insn)
            return true;
    return false;
}

/* Returns whether code from @first to @end outside of @part sets register @reg. */
static bool is_set(const struct kernel *k, const struct code_part *part, size_t first, size_t end,
                   unsigned reg)
{
    for (size_t i = first; i < end; i++)
        if (sets_register(&k->insns[i], reg) && !is_inside(part, i))
            return true;
    return false;
}

/* Returns whether code from @first to @end changes the address @slot, or sets its value outside of
 * @part. */
static bool is_moved(const struct kernel *k, const struct code_part *part, size_t first, size_t end,
                     const struct operand *slot)
{
    for (size_t i = first; i < end; i++)
        if (writes(&k->insns[i], slot->base) || writes(&k->insns[i], slot->index) ||
            (stores_at(&k->insns[i], slot) && !is_inside(part, i)))
            return true;
    return false;
}

bool reentry_is_fresh(const struct program_code *c, const struct code_part *part,
                      struct deps *deps)
{
    const struct kernel *k = c->units[part->unit].kernel;
    uint32_t *cycle = mem_alloc((deps->edge_count + 1) * sizeof *cycle);
    double cycles;
    const size_t count = deps_cycle(deps, NULL, cycle, deps->edge_count, &cycles);
    size_t first, end;
    bool fresh = count > 0 && part->loop != UINT32_MAX;

    if (fresh)
        code_around(c, part, &first, &end);
    for (size_t i = 0; fresh && i < count; i++) {
        const struct ratio_edge *edge = &deps->edges[cycle[i]];
        const struct dep_node *node = &deps->nodes[edge->from];
        const struct operand *memory =
            insn_memory(&k->insns[part->insns.items[node->insn]]);
        if (edge->distance && node->resource < INSN_REGISTERS)
            fresh = is_set(k, part, first, end, node->resource);
        else if (edge->distance && node->resource == RESOURCE_MEMORY && memory)
            fresh = is_moved(k, part, first, end, memory);
    }
    free(cycle);
    return fresh;
}

size_t reentry_waiting(struct deps *deps, size_t count)
{
    bool *waits = mem_zero(count + 1, sizeof *waits);
    size_t sum = 0;

    deps_bound(deps, waits, count);
    for (size_t i = 0; i < deps->edge_count; i++) {
        const struct ratio_edge *edge = &deps->edges[i];
        if (!edge->distance && waits[deps->nodes[edge->from].insn])
            waits[deps->nodes[edge->to].insn] = true;
    }
    for (size_t i = 0; i < count; i++)
        sum += waits[i];
    free(waits);
    return sum;
}

double reentry_overlap(double trips, double core, double flow, double reach)
{
    return fmin(fmin(reach, trips) * core, trips * fmax(0, core - flow));
}
