/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Version in which each sum is in a single register, instead of rotating through several. */
#include <string.h>

#include "isa/rewrite.h"
#include "isa/vary.h"
#include "tune/dataflow.h"
#include "tune/version.h"

#define REGISTERS 128

/* State of renaming the registers of a loop */
struct gathering {
    const struct insn *insns;
    size_t count;
    /* current register of each value */
    uint8_t place[REGISTERS];
    uint64_t parts[2]; /* set of registers that contained a part of a sum */
    size_t sum;        /* index of the last instruction that continues a sum */
    struct version *out;
};

static bool reads(const struct insn *in, uint8_t reg)
{
    for (unsigned k = 0; k < in->operand_count; k++)
        if (dataflow_reads(in, k, reg))
            return true;
    return false;
}

static bool writes(const struct insn *in, uint8_t reg)
{
    for (unsigned k = 0; k < in->operand_count; k++)
        if (dataflow_writes(in, k, reg))
            return true;
    return false;
}

/* Returns whether @reg is overwritten after instruction @at before it is read, in this iteration or
 * the next. */
static bool is_dead(const struct gathering *g, size_t at, uint8_t reg)
{
    for (size_t i = 1; i <= g->count; i++) {
        const struct insn *in = &g->insns[(at + i) % g->count];
        if (reads(in, reg))
            return false;
        if (writes(in, reg))
            return true;
    }
    return false;
}

/* Renames the registers of @in. Returns false if an operand cannot be encoded. */
static bool rename_all(const struct gathering *g, struct insn *in)
{
    for (unsigned k = 0; k < in->operand_count; k++) {
        const struct operand *op = &in->operands[k];
        struct insn next;
        if (op->kind != OPERAND_REGISTER || op->reg >= REGISTERS || g->place[op->reg] == op->reg)
            continue;
        if (op->implicit || !vary_register(in, k, op->reg, g->place[op->reg], &next))
            return false;
        next.line = in->line;
        next.origin = in->origin;
        next.text = NULL;
        *in = next;
    }
    return true;
}

/* Renames instruction @at. If it continues a sum, its result remains in the sum's register. Returns
 * false if an operand cannot be encoded. */
static bool put(struct gathering *g, size_t at)
{
    struct insn *in = &g->out->insns[at], made;
    const uint8_t to = in->operand_count ? in->operands[0].reg : REG_NONE;
    uint8_t from;

    if (!rewrite_sum_stay(in, &from, &made) || to >= REGISTERS || !is_dead(g, at, from))
        return rename_all(g, in);
    made.line = in->line;
    made.origin = in->origin;
    made.text = NULL;
    *in = made;
    g->sum = at;
    if (!rename_all(g, in))
        return false;
    const uint8_t place = g->place[to];
    g->place[to] = g->place[from];
    g->place[from] = place;
    g->parts[to / 64] |= (uint64_t)1 << to % 64;
    g->parts[from / 64] |= (uint64_t)1 << from % 64;
    return true;
}

/* Returns whether the loop reads the value that @reg has before the iteration. */
static bool is_carried(const struct gathering *g, uint8_t reg)
{
    for (size_t i = 0; i < g->count; i++)
        if (reads(&g->insns[i], reg))
            return true;
        else if (writes(&g->insns[i], reg))
            return false;
    return false;
}

struct version *version_gather(const struct insn *insns, size_t count)
{
    struct gathering g = {.insns = insns, .count = count, .out = version_new(insns, count)};
    bool ok = true;

    for (unsigned reg = 0; reg < REGISTERS; reg++)
        g.place[reg] = (uint8_t)reg;
    for (size_t i = 0; ok && i < count; i++)
        ok = put(&g, i);
    ok = ok && (g.parts[0] || g.parts[1]);
    struct insn clear;
    for (uint8_t reg = 0; ok && reg < REGISTERS; reg++) {
        if (!(g.parts[reg / 64] >> reg % 64 & 1))
            continue;
        if (!is_carried(&g, reg))
            g.out->fresh[reg / 64] |= (uint64_t)1 << reg % 64;
        else
            ok = g.place[reg] == reg;
        if (ok && is_carried(&g, reg) && rewrite_sum_low(&insns[g.sum], reg, &clear))
            vec_push(&g.out->before, clear);
    }
    if (ok)
        return g.out;
    version_free(g.out);
    return NULL;
}
