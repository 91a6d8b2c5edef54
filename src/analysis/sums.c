/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/sums.h"

#include <math.h>
#include <stdlib.h>

#define REGISTERS 32
/* percentage of iterations with an executed addition below which the addition counts as never
 * executed */
#define RARE 7

/* Returns whether @constant fits the signed field in which rename keeps a sum. */
static bool is_kept(const struct core *c, int64_t constant)
{
    return (double)constant <= c->immediate_folding &&
           (double)constant >= -c->immediate_folding - 1;
}

/* Returns whether the instruction sets register *@to to *@from + *@constant. */
static bool addition_of(const struct insn *insn, uint8_t *to, uint8_t *from, int64_t *constant)
{
    const struct operand *result = insn_operand(insn, insn->result),
                         *immediate = insn_immediate(insn), *address;

    if (!result || result->kind != OPERAND_REGISTER || result->file != FILE_GENERAL ||
        result->bits != 64)
        return false;
    *to = *from = result->reg;
    switch (insn->operation) {
    case OPERATION_ADD:
    case OPERATION_SUBTRACT:
        if (!immediate || insn->operand_count < 2 || insn->operands[1].kind != OPERAND_IMMEDIATE)
            return false;
        *constant = insn->operation == OPERATION_ADD ? immediate->immediate
                                                     : (int64_t) - (uint64_t)immediate->immediate;
        return true;
    case OPERATION_INCREMENT:
    case OPERATION_DECREMENT:
        *constant = insn->operation == OPERATION_INCREMENT ? 1 : -1;
        return true;
    case OPERATION_ADDRESS:
        address = insn_memory(insn);
        if (!address || address->base >= REGISTERS || address->index != REG_NONE)
            return false;
        *from = address->base;
        *constant = address->displacement;
        return true;
    default:
        return false;
    }
}

/* Returns whether the instruction copies a whole register, with its pending sum. */
static bool copies_sum(const struct insn *insn)
{
    return insn->traits & INSN_MOVE && insn->operands[0].file == FILE_GENERAL &&
           insn->operands[0].bits == 64 && insn->operands[0].reg != insn->operands[1].reg;
}

/* Returns whether the instruction sets a whole register to a small constant, which rename keeps as
 * a sum although the instruction executes. */
static bool sets_constant(const struct core *c, const struct insn *insn)
{
    const struct operand *to = &insn->operands[0], *immediate = insn_immediate(insn);

    return insn->operation == OPERATION_MOVE && immediate && to->kind == OPERAND_REGISTER &&
           to->file == FILE_GENERAL && to->bits == 64 && is_kept(c, immediate->immediate);
}

static uint32_t registers_read(const struct insn *insn)
{
    uint32_t read = 0;
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        if (op->kind == OPERAND_REGISTER && op->file == FILE_GENERAL && op->access & ACCESS_READ)
            read |= 1u << op->reg;
    }
    return read;
}

struct sums {
    int64_t pending[REGISTERS];   /* constants added since another instruction wrote the register */
    int64_t net[REGISTERS];       /* constants added to the register per iteration */
    /* set of the registers that rename keeps as a sum, including sums of 0 */
    uint32_t kept;
    uint32_t computed;            /* set of the registers that other instructions also write */
};

static void follow(const struct core *c, const struct insn *insn, struct sums *sums,
                   struct immediate_folding *out)
{
    uint8_t to, from;
    int64_t constant;

    if (addition_of(insn, &to, &from, &constant)) {
        sums->pending[to] = !is_kept(c, constant)
                                ? 0
                                : (int64_t)((uint64_t)sums->pending[from] + (uint64_t)constant);
        bool adds = is_kept(c, constant) && constant;
        sums->kept = (sums->kept & ~(1u << to)) |
                     (adds || (sums->kept >> from & 1 && is_kept(c, constant)) ? 1u << to : 0);
        sums->net[to] = (int64_t)((uint64_t)sums->net[to] + (uint64_t)constant);
        sums->computed |= to != from ? 1u << to : 0;
        return;
    }
    out->pending = 0;
    out->pending = registers_read(insn) & sums->kept;
    bool stack = insn->traits & INSN_STACK, constant_set = sets_constant(c, insn);
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        if (op->kind != OPERAND_REGISTER || op->file != FILE_GENERAL ||
            !(op->access & ACCESS_WRITE) || (stack && op->reg == c->isa->stack_pointer))
            continue;
        sums->computed |= 1u << op->reg;
        bool copies = copies_sum(insn);
        sums->pending[op->reg] = copies ? sums->pending[insn->operands[1].reg] : 0;
        sums->kept =
            (sums->kept & ~(1u << op->reg)) |
            (constant_set || (copies && sums->kept >> insn->operands[1].reg & 1) ? 1u << op->reg
                                                                                 : 0);
    }
}

/* Returns the percentage of iterations in which the addition is executed. If no other instruction
 * writes the register, its sum exceeds the limit periodically. */
static uint8_t share_executed(const struct core *c, const struct sums *sums, uint8_t to,
                              uint8_t from, int64_t constant)
{
    double size = fabs((double)constant), limit = c->immediate_folding + (constant < 0);

    if (!is_kept(c, constant))
        return 100;
    if (to != from || sums->computed >> to & 1 || !sums->net[to] || !constant)
        return 0;
    double share = 100 / (floor(limit / size) + 1);
    return share < RARE ? 0 : (uint8_t)share;
}

bool sums_find(const struct core *c, const struct insn *insns, size_t count,
               struct immediate_folding *out)
{
    struct sums sums = {.computed = 0};
    int64_t constant;
    uint8_t to, from;
    bool any = false;

    if (isnan(c->immediate_folding))
        return false;
    for (size_t i = 0; i < count; i++) {
        out[i] = (struct immediate_folding){.adds = addition_of(&insns[i], &to, &from, &constant)};
        any |= out[i].adds || sets_constant(c, &insns[i]);
    }
    for (int round = 0; round < 2 && any; round++)
        for (size_t i = 0; i < count; i++)
            follow(c, &insns[i], &sums, &out[i]);
    for (size_t i = 0; i < count && any; i++)
        if (addition_of(&insns[i], &to, &from, &constant))
            out[i].executed = share_executed(c, &sums, to, from, constant);
    return any;
}
