/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "insitu/induction.h"

#include <stdlib.h>
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

/* Marks the instructions of the loop that write register x->reg. Returns false if one of them does
 * not add x->step. */
static bool find_changes(const struct region *r, struct induction *x)
{
    bool all = true;

    for (uint32_t i = 0; i < r->list.count; i++) {
        const struct insn *in = r->list.items[i].insn;
        struct induction same = {0};
        bool writes = in->traits & INSN_UNDECODED || in->operation == OPERATION_STRING;
        for (unsigned k = 0; k < in->operand_count; k++)
            writes |= in->operands[k].kind == OPERAND_REGISTER && in->operands[k].reg == x->reg &&
                      in->operands[k].access & ACCESS_WRITE;
        x->changes.items[i] = r->list.items[i].in_loop && writes;
        all &= !x->changes.items[i] ||
               (adds_constant(in, &same) && same.reg == x->reg && same.step == x->step);
    }
    return all;
}

/* Marks the instructions that are reached from the pivot before the register changes. Returns false
 * unless it changes exactly once on each path from the pivot to the pivot. Each instruction must
 * always be reached before the change, or always after it. */
static bool find_ahead(const struct region *r, struct induction *x)
{
    bool *after = mem_zero(r->list.count, sizeof *after), *ahead = x->ahead.items, once = true;
    VEC(uint32_t) todo = {0};

    memset(ahead, 0, r->list.count * sizeof *ahead);
    vec_push(&todo, r->pivot);
    while (todo.count && once) {
        const uint32_t at = todo.items[--todo.count];
        const bool changed = after[at] || x->changes.items[at];
        const uint32_t next[2] = {r->list.items[at].target,
                                  region_falls(&r->list.items[at]) ? at + 1 : REGION_NONE};
        once = !(after[at] && x->changes.items[at]);
        for (int i = 0; i < 2 && once; i++) {
            if (next[i] >= r->list.count || !r->list.items[next[i]].in_loop)
                continue;
            bool *mark = changed ? &after[next[i]] : &ahead[next[i]];
            once = next[i] == r->pivot ? changed : !(changed ? ahead : after)[next[i]];
            if (next[i] != r->pivot && !*mark)
                vec_push(&todo, next[i]);
            *mark |= next[i] != r->pivot;
        }
    }
    vec_done(&todo);
    free(after);
    return once;
}

struct induction induction_find(const struct region *r)
{
    struct induction found = {.at = REGION_NONE};
    const size_t count = r->list.count;

    if (r->dispatch || r->calls || r->jumps_indirect)
        return found;
    vec_reserve(&found.ahead, count);
    vec_reserve(&found.changes, count);
    found.ahead.count = found.changes.count = count;
    for (uint32_t i = 0; i < count && found.at == REGION_NONE; i++)
        if (r->list.items[i].in_loop && adds_constant(r->list.items[i].insn, &found) &&
            find_changes(r, &found) && find_ahead(r, &found))
            found.at = i;
    return found;
}

void induction_done(struct induction *x)
{
    vec_done(&x->ahead);
    vec_done(&x->changes);
}
