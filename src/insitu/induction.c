/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "insitu/induction.h"

#include <string.h>

#include "base/mem.h"

#define STACK_POINTER 4u

/* Returns whether @i adds a constant to a general register. Sets @out->reg and @out->step. */
static bool adds_constant(const struct insn *i, struct induction *out)
{
    const struct operand *o = i->operands, *m = insn_memory(i);
    const bool sum = i->operation == OPERATION_ADD || i->operation == OPERATION_SUBTRACT,
               one = i->operation == OPERATION_INCREMENT || i->operation == OPERATION_DECREMENT,
               lea = i->operation == OPERATION_ADDRESS && m && !(i->traits & INSN_NARROW_ADDRESS);

    if (!i->operand_count || o->kind != OPERAND_REGISTER || o->reg >= 16 || o->bits != 64 ||
        o->reg == STACK_POINTER)
        return false;
    if (!(sum && i->operand_count > 1 && o[1].kind == OPERAND_IMMEDIATE) && !one &&
        !(lea && m->base == o->reg && m->index == REG_NONE))
        return false;
    int64_t step = sum ? o[1].immediate : lea ? m->displacement : 1;
    const bool down = i->operation == OPERATION_SUBTRACT || i->operation == OPERATION_DECREMENT;
    out->reg = o->reg;
    out->step = down ? -step : step;
    return step != 0 && step == (int32_t)step;
}

/* Returns the number of instructions of the loop that may write register @reg. */
static unsigned writers(const struct region *r, uint8_t reg)
{
    unsigned count = 0;

    for (uint32_t i = 0; i < r->list.count; i++) {
        const struct insn *in = r->list.items[i].insn;
        bool writes = in->traits & INSN_UNDECODED;
        for (unsigned k = 0; k < in->operand_count; k++)
            writes |= in->operands[k].kind == OPERAND_REGISTER && in->operands[k].reg == reg &&
                      in->operands[k].access & ACCESS_WRITE;
        count += r->list.items[i].in_loop && (writes || in->operation == OPERATION_STRING);
    }
    return count;
}

/* Returns whether the loop contains another loop: a jump back to another place than the head. */
static bool has_inner_loop(const struct region *r, uint32_t head)
{
    bool inner = false;

    for (uint32_t i = 0; i < r->list.count; i++) {
        const struct region_insn *at = &r->list.items[i];
        inner |= at->in_loop && at->target != REGION_NONE && at->target <= i &&
                 at->target != head && r->list.items[at->target].in_loop;
    }
    return inner;
}

/* Marks the instructions that are reached from the pivot before x->at is executed. */
static void find_ahead(const struct region *r, struct induction *x)
{
    VEC(uint32_t) todo = {0};

    vec_reserve(&x->ahead, r->list.count);
    x->ahead.count = r->list.count;
    memset(x->ahead.items, 0, r->list.count * sizeof *x->ahead.items);
    vec_push(&todo, r->pivot);
    while (todo.count) {
        const uint32_t at = todo.items[--todo.count];
        if (at == x->at)
            continue;
        const uint32_t next[2] = {r->list.items[at].target,
                                  region_falls(&r->list.items[at]) ? at + 1 : REGION_NONE};
        for (int i = 0; i < 2; i++)
            if (next[i] < r->list.count && r->list.items[next[i]].in_loop &&
                !x->ahead.items[next[i]] && next[i] != r->pivot) {
                x->ahead.items[next[i]] = true;
                vec_push(&todo, next[i]);
            }
    }
    vec_done(&todo);
}

struct induction induction_find(const struct region *r)
{
    struct induction found = {.at = REGION_NONE}, candidate = {0};
    const uint32_t head = region_at(r, r->kernel->insns[r->kernel->loops[r->loop].head].offset);

    if (r->dispatch || r->calls || r->jumps_indirect || has_inner_loop(r, head))
        return found;
    for (uint32_t i = 0; i < r->list.count && found.at == REGION_NONE; i++)
        if (r->list.items[i].in_loop && adds_constant(r->list.items[i].insn, &candidate) &&
            writers(r, candidate.reg) == 1 && !region_avoidable(r, head, i)) {
            found = candidate;
            found.at = i;
        }
    if (found.at != REGION_NONE)
        find_ahead(r, &found);
    return found;
}

void induction_done(struct induction *x)
{
    vec_done(&x->ahead);
}
