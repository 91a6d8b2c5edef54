/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/loop_code.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/loops.h"
#include "base/mem.h"
#include "base/watch.h"

/* Control flow of a loop: instructions reached from its head, and those from which the head is
 * reached. */
struct loop_code {
    const struct insn *insns;
    size_t count;
    size_t *targets;     /* SIZE_MAX: no jump, or a target outside the loop */
    bool *reached, *returns;
};

static bool goes_on(const struct loop_code *p, size_t at)
{
    return at + 1 < p->count && loop_falls_through(&p->insns[at]);
}

static void find_reached(struct loop_code *p)
{
    bool changed = true;

    p->reached[0] = true;
    while (changed && !watch_steps(1)) {
        changed = false;
        for (size_t i = 0; i < p->count; i++) {
            if (!p->reached[i])
                continue;
            if (goes_on(p, i) && !p->reached[i + 1])
                p->reached[i + 1] = changed = true;
            if (p->targets[i] < p->count && !p->reached[p->targets[i]])
                p->reached[p->targets[i]] = changed = true;
        }
    }
}

static void find_returns(struct loop_code *p)
{
    bool changed = true;

    while (changed && !watch_steps(1)) {
        changed = false;
        for (size_t i = p->count; i-- > 0;)
            if (!p->returns[i] && (p->targets[i] == 0 || (goes_on(p, i) && p->returns[i + 1]) ||
                                   (p->targets[i] < p->count && p->returns[p->targets[i]])))
                p->returns[i] = changed = true;
    }
}

/* Returns whether only the last instruction can jump, and no jump target is unknown. Then every
 * instruction is executed. */
static bool is_simple(const struct insn *insns, size_t count)
{
    bool simple = true;

    for (size_t i = 0; i < count; i++) {
        if (insns[i].traits & INSN_FOLLOWED || loop_jumps_anywhere(&insns[i]))
            return true;
        simple &= loop_falls_through(&insns[i]) || i + 1 == count;
    }
    return simple;
}

static struct insn *skipped_copy(const struct loop_code *p)
{
    struct insn *copy = mem_alloc(p->count * sizeof *copy);

    memcpy(copy, p->insns, p->count * sizeof *copy);
    for (size_t i = 0; i < p->count; i++)
        if (!p->reached[i] || !p->returns[i]) {
            copy[i].traits = INSN_NOP | INSN_SKIPPED;
            copy[i].operation = OPERATION_NOP;
            strcpy(copy[i].form, "NOP");
            copy[i].operand_count = 0;
            copy[i].flags_read = copy[i].flags_written = 0;
            copy[i].x87 = X87_NONE;
            copy[i].x87_step = 0;
            copy[i].result = copy[i].inputs[0] = copy[i].inputs[1] = INSN_NO_OPERAND;
        }
    return copy;
}

struct insn *loop_code_executed(const struct insn *insns, size_t count)
{
    struct loop_code p = {.insns = insns, .count = count};

    if (is_simple(insns, count))
        return NULL;
    p.targets = mem_alloc(count * sizeof *p.targets);
    p.reached = mem_zero(count, sizeof *p.reached);
    p.returns = mem_zero(count, sizeof *p.returns);
    for (size_t i = 0; i < count; i++)
        p.targets[i] = loop_branch_target(insns, count, i);
    find_reached(&p);
    find_returns(&p);
    /* false for code that is no loop, or that is entered elsewhere */
    struct insn *copy = p.returns[0] ? skipped_copy(&p) : NULL;
    free(p.targets);
    free(p.reached);
    free(p.returns);
    return copy;
}
