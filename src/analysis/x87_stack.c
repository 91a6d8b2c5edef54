/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/x87_stack.h"

#include "base/mem.h"

/* Returns the top of the stack after @insn. A push decrements it. */
static uint8_t moved(uint8_t top, const struct insn *insn)
{
    return (uint8_t)(top - insn->x87_step) % X87_REGISTERS;
}

uint8_t *x87_turns(const struct insn *insns, size_t count)
{
    bool any = false;

    for (size_t i = 0; i < count && !any; i++)
        any = insns[i].x87 != X87_NONE;
    if (!any)
        return NULL;
    uint8_t *turns = mem_zero(count + 1, sizeof *turns);
    for (size_t i = 0; i < count; i++)
        turns[i + 1] = moved(turns[i], &insns[i]);
    return turns;
}

uint8_t x87_register(uint8_t top, const struct insn *insn, const struct operand *op)
{
    uint8_t from = insn->x87_step > 0 && op->access & ACCESS_WRITE ? moved(top, insn) : top;
    return (uint8_t)(X87_FIRST + (from + op->reg - X87_FIRST) % X87_REGISTERS);
}
