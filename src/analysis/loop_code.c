/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/loop_code.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/loops.h"
#include "base/mem.h"
#include "base/watch.h"

/* Control flow of the code around a loop. The natural loop consists of the instructions that the
 * head reaches and that reach the head. */
struct loop_code {
    const struct insn *insns;
    size_t count;
    size_t head, last; /* index of the loop's first and of its last instruction */
    /* per instruction: index of its jump target; SIZE_MAX: no jump, or the target is not in
     * @insns */
    size_t *targets;
    /* Per instruction: whether it can be reached before the loop begins. Such an instruction can
     * be in the loop only between @head and @last. */
    bool *entered;
    /* Per instruction. @returns: whether it reaches the head. @reached: whether the head also
     * reaches it; choose_path leaves one path. */
    bool *returns, *reached;
};

static void loop_code_done(struct loop_code *p)
{
    free(p->targets);
    free(p->entered);
    free(p->returns);
    free(p->reached);
}

static bool goes_on(const struct loop_code *p, size_t at)
{
    return at + 1 < p->count && loop_falls_through(&p->insns[at]);
}

/* Fills @next with the instructions that can execute after @at. Returns their number. */
static unsigned followers(const struct loop_code *p, size_t at, size_t next[2])
{
    unsigned n = 0;

    if (goes_on(p, at))
        next[n++] = at + 1;
    if (p->targets[at] < p->count)
        next[n++] = p->targets[at];
    return n;
}

/* Marks the instructions that the marked instructions reach. Marks only instructions in @within
 * (NULL: all). If @stops is true, does not continue after instructions from @head to @last. */
static void spread(const struct loop_code *p, const bool *within, bool stops, bool *marks)
{
    bool changed = true;
    size_t next[2];

    while (changed && !watch_steps(p->count)) {
        changed = false;
        for (size_t i = 0; i < p->count; i++) {
            const bool ends = stops && i >= p->head && i <= p->last;
            const unsigned n = marks[i] && !ends ? followers(p, i, next) : 0;
            for (unsigned k = 0; k < n; k++)
                if (!marks[next[k]] && (!within || within[next[k]]))
                    marks[next[k]] = changed = true;
        }
    }
}

/* Marks instructions without a known predecessor, and all that they reach. Such code is a function
 * or the target of an indirect jump. Padding before an aligned block is no predecessor. */
static void find_entered(struct loop_code *p)
{
    bool *follows = mem_zero(p->count, sizeof *follows);

    for (size_t i = 0; i < p->count; i++)
        if (p->targets[i] < p->count)
            follows[p->targets[i]] = true;
    for (size_t i = 0; i < p->count; i++) {
        const bool padding = i > 0 && !follows[i] && p->insns[i].traits & INSN_NOP;
        p->entered[i] = i == 0 || !(follows[i] || padding);
        if (goes_on(p, i) && !padding)
            follows[i + 1] = true;
    }
    free(follows);
    spread(p, NULL, true, p->entered);
}

static void find_returns(struct loop_code *p)
{
    bool changed = true;
    size_t next[2];

    while (changed && !watch_steps(p->count)) {
        changed = false;
        for (size_t i = p->count; i-- > 0;) {
            const bool member = (i >= p->head && i <= p->last) || !p->entered[i];
            const unsigned n = member && !p->returns[i] ? followers(p, i, next) : 0;
            for (unsigned k = 0; k < n; k++)
                if (next[k] == p->head || p->returns[next[k]])
                    p->returns[i] = changed = true;
        }
    }
}

static struct loop_code find(const struct insn *insns, size_t count, size_t head, size_t last)
{
    struct loop_code p = {.insns = insns, .count = count, .head = head, .last = last};

    p.targets = mem_alloc(count * sizeof *p.targets);
    p.entered = mem_zero(count, sizeof *p.entered);
    p.returns = mem_zero(count, sizeof *p.returns);
    p.reached = mem_zero(count, sizeof *p.reached);
    for (size_t i = 0; i < count; i++)
        p.targets[i] = loop_branch_target(insns, count, i);
    if (head > 0 || last + 1 < count)
        find_entered(&p);
    find_returns(&p);
    p.reached[head] = p.returns[head];
    spread(&p, p.returns, false, p.reached);
    return p;
}

/* Returns whether all instructions count as executed, because each continues with the next. Also
 * returns true if they were recorded from a run (INSN_FOLLOWED), or if an indirect jump may have
 * any target. */
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

/* Returns whether the loop may include code outside its addresses: it jumps to such code, and has
 * code that its own jumps do not reach. */
static bool may_detour(const struct kernel *k, size_t first, const struct loop_code *p)
{
    bool idle = false, leaves = false;

    for (size_t i = 0; i < p->count; i++) {
        idle |= !p->reached[i] && !(p->insns[i].traits & INSN_NOP);
        leaves |= p->targets[i] >= p->count &&
                  loop_branch_target(k->insns, k->insn_count, first + i) < k->insn_count;
    }
    return idle && leaves;
}

/* Reduces p->reached to the longest path of one iteration, for a loop whose head is not its first
 * instruction. The path starts at the head and jumps once, to code before the head. Changes nothing
 * if there is no such path. */
static void choose_path(struct loop_code *p, size_t head)
{
    /* Per instruction: length of the longest path to the head, and the path's next instruction. 0:
     * no path. */
    size_t *longest = mem_zero(p->count, sizeof *longest);
    size_t *then = mem_zero(p->count, sizeof *then);

    /* Visits the code before the head backwards, then the code from the last instruction back to
     * the head. */
    for (size_t step = 1; step <= p->count; step++) {
        const size_t i = (head + p->count - step) % p->count;
        size_t next[2];
        const unsigned n = p->reached[i] ? followers(p, i, next) : 0;
        for (unsigned k = 0; k < n; k++) {
            const size_t to = next[k];
            const bool later = i < head ? to > i && to < head : to > i || to < head;
            const size_t rest = to == head ? 0 : longest[to];
            if (to != head && (!later || rest == 0))
                continue;
            if (1 + rest > longest[i]) {
                longest[i] = 1 + rest;
                then[i] = to;
            }
        }
    }
    if (longest[head] > 0) {
        size_t at = head;
        memset(p->reached, 0, p->count * sizeof *p->reached);
        do {
            p->reached[at] = true;
            at = then[at];
        } while (at != head);
    }
    free(longest);
    free(then);
}

/* Returns a copy of @insns. Instructions that @reached does not mark become INSN_SKIPPED. The
 * caller frees the array. */
static struct insn *skipped_copy(const struct insn *insns, size_t count, const bool *reached)
{
    struct insn *copy = mem_alloc(count * sizeof *copy);

    memcpy(copy, insns, count * sizeof *copy);
    for (size_t i = 0; i < count; i++)
        if (!reached[i]) {
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

struct insn *loop_code_executed(const struct kernel *k, size_t loop)
{
    size_t count;
    const struct insn *insns = kernel_insns(k, loop, &count);
    struct insn *copy = NULL;
    const size_t first = (size_t)(insns - k->insns);

    if (k->loops[loop].head <= first && is_simple(insns, count))
        return NULL;
    const size_t head = k->loops[loop].head > first ? k->loops[loop].head - first : 0;
    struct loop_code own = find(insns, count, 0, count - 1);
    /* @returns is false if the code is not a loop, or if the head is not in the loop. */
    const bool returns = own.reached[0];
    if (returns && may_detour(k, first, &own)) {
        struct loop_code all = find(k->insns, k->insn_count, first, first + count - 1);
        memcpy(own.reached, all.reached + first, count * sizeof *own.reached);
        loop_code_done(&all);
    }
    if (returns && head > 0)
        choose_path(&own, head);
    if (returns)
        copy = skipped_copy(insns, count, own.reached);
    loop_code_done(&own);
    return copy;
}

/* Returns whether an instruction of the loop may jump to other code of the kernel. */
static bool jumps_out(const struct kernel *k, const struct kernel_loop *loop)
{
    for (size_t i = loop->first; i < loop->first + loop->count; i++) {
        const size_t to = loop_branch_target(k->insns, k->insn_count, i);
        if (to < loop->first || (to >= loop->first + loop->count && to < k->insn_count))
            return true;
    }
    return false;
}

bool *loop_code_members(const struct kernel *k, size_t loop)
{
    const struct kernel_loop *l = &k->loops[loop];

    if (!jumps_out(k, l))
        return NULL;
    struct loop_code p = find(k->insns, k->insn_count, l->first, l->first + l->count - 1);
    bool *members = p.reached;
    p.reached = NULL;
    loop_code_done(&p);
    /* The code of an outer loop with the same first instruction also returns there. */
    for (size_t o = 0; o < k->loop_count; o++) {
        const struct kernel_loop *outer = &k->loops[o];
        if (outer->depth && outer->first == l->first && outer->count > l->count)
            memset(members + l->first + l->count, 0, outer->count - l->count);
    }
    return members;
}
