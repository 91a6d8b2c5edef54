/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/dispatch.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/branch.h"
#include "base/mem.h"
#include "base/watch.h"

#define ADDRESS_BYTES 8    /* number of bytes of a table's entry */
#define SOURCE_MOST 8u     /* maximum number of instructions from a target's load to the jump */
#define ROUNDS_MOST 64u    /* maximum number of passes over a function */

static bool writes(const struct insn *in, uint8_t reg)
{
    for (unsigned i = 0; i < in->operand_count; i++)
        if (in->operands[i].kind == OPERAND_REGISTER && in->operands[i].reg == reg &&
            in->operands[i].access & ACCESS_WRITE)
            return true;
    return false;
}

/* Returns the operand of the table of addresses that indirect jump @at reads. The jump itself or a
 * load shortly before it has the operand. NULL: none was found. */
static const struct operand *table_of(const struct insn *insns, size_t at)
{
    const struct insn *in = &insns[at];
    const struct operand *m = NULL;

    if (!loop_jumps_anywhere(in) || !in->operand_count)
        return NULL;
    if (in->operands[0].kind == OPERAND_MEMORY)
        m = &in->operands[0];
    for (size_t i = at; !m && in->operands[0].kind == OPERAND_REGISTER && i > 0 &&
                        at - i < SOURCE_MOST && loop_falls_through(&insns[i - 1]);
         i--)
        if (writes(&insns[i - 1], in->operands[0].reg)) {
            m = insn_memory(&insns[i - 1]);
            if (!m || insns[i - 1].operation != OPERATION_MOVE)
                return NULL;
        }
    return m && m->index != REG_NONE && m->scale == ADDRESS_BYTES ? m : NULL;
}

/* Returns whether both operands are in the same table. A label whose address only the linker knows
 * can be in any table. */
static bool same_table(const struct operand *a, const struct operand *b)
{
    return a->base == b->base && a->displacement == b->displacement &&
           (a->displacement || a->base < REG_PC);
}

/* Marks in @starts the instructions of @first to @end - 1 that have no known predecessor, which are
 * targets of indirect jumps. Padding and backward jumps do not count as predecessors. A backward
 * jump may close an inner loop. */
static void find_starts(const struct insn *insns, const size_t *targets, size_t first, size_t end,
                        bool *starts)
{
    bool falls = true;

    for (size_t i = first; i < end; i++) {
        starts[i - first] = !falls && !(insns[i].traits & INSN_NOP);
        falls = loop_falls_through(&insns[i]) && (falls || !(insns[i].traits & INSN_NOP));
    }
    for (size_t i = first; i < end; i++)
        if (targets[i] > i && targets[i] < end)
            starts[targets[i] - first] = false;
}

/* Extends the marks among the instructions @first to @end - 1. If @back is true, marks those that
 * reach a marked instruction, otherwise those that a marked instruction reaches. Returns false if
 * cancelled, or if ROUNDS_MOST passes are not enough. */
static bool spread(const struct insn *insns, const size_t *targets, size_t first, size_t end,
                   bool back, bool *marks)
{
    bool changed = true;

    for (unsigned round = 0; changed && round < ROUNDS_MOST && !watch_steps(end - first);
         round++) {
        changed = false;
        for (size_t k = 0; k < end - first; k++) {
            const size_t i = back ? end - 1 - k : first + k;
            const size_t next[2] = {loop_falls_through(&insns[i]) ? i + 1 : SIZE_MAX, targets[i]};
            for (int n = 0; n < 2; n++) {
                if (next[n] < first || next[n] >= end)
                    continue;
                const size_t from = back ? next[n] : i, to = back ? i : next[n];
                if (marks[from - first] && !marks[to - first])
                    marks[to - first] = changed = true;
            }
        }
    }
    return !changed;
}

/* Finds the loop of the jumps that read @table. Returns false if fewer than two of these jumps can
 * be reached from their targets, or if ROUNDS_MOST passes are not enough. */
static bool find_loop(const struct insn *insns, const size_t *targets, size_t first, size_t end,
                      const struct operand *table, struct dispatch_range *out)
{
    const size_t count = end - first;
    bool *leads = mem_zero(count, sizeof *leads), *reached = mem_zero(count, sizeof *reached);
    size_t jumps = 0;

    for (size_t i = first; i < end; i++) {
        const struct operand *own = table_of(insns, i);
        leads[i - first] = own && same_table(own, table);
    }
    bool whole = spread(insns, targets, first, end, true, leads);
    find_starts(insns, targets, first, end, reached);
    for (size_t i = 0; i < count; i++)
        reached[i] = reached[i] && leads[i];
    whole &= spread(insns, targets, first, end, false, reached);
    out->first = SIZE_MAX;
    for (size_t i = first; i < end; i++) {
        if (!reached[i - first] || !leads[i - first])
            continue;
        const struct operand *own = table_of(insns, i);
        jumps += own && same_table(own, table);
        out->first = out->first == SIZE_MAX ? i : out->first;
        out->last = i;
    }
    free(leads);
    free(reached);
    return whole && jumps > 1;
}

bool dispatch_find(const struct insn *insns, const size_t *targets, size_t first, size_t end,
                   struct dispatch_range *out)
{
    const struct operand *table = NULL;

    for (size_t i = first; i < end; i++) {
        const struct operand *own = table_of(insns, i);
        if (own && table && same_table(own, table))
            return find_loop(insns, targets, first, end, table, out);
        table = own ? own : table;
    }
    return false;
}

bool dispatch_jumps(const struct insn *insns, size_t at)
{
    return table_of(insns, at) != NULL;
}
