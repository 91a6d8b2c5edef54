/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/sums.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDS 16        /* iterations followed: sums of less than a sixteenth of the limit count as endless */
#define REGISTERS 32

/* The register that gets @from plus @constant; false for other instructions. */
static bool addition_of(const struct insn *insn, uint8_t *to, uint8_t *from, int64_t *constant)
{
    const struct operand *result = insn_operand(insn, insn->result), *immediate = insn_immediate(insn), *address;

    if (!result || result->kind != OPERAND_REGISTER || result->file != FILE_GENERAL || result->bits != 64)
        return false;
    *to = *from = result->reg;
    switch (insn->operation) {
    case OPERATION_ADD:
    case OPERATION_SUBTRACT:
        if (!immediate || insn->operand_count < 2 || insn->operands[1].kind != OPERAND_IMMEDIATE)
            return false;
        *constant = insn->operation == OPERATION_ADD ? immediate->immediate : (int64_t)-(uint64_t)immediate->immediate;
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

/* A whole register as it is, sum and all. */
static bool copies_sum(const struct insn *insn)
{
    return insn->traits & INSN_MOVE && insn->operands[0].file == FILE_GENERAL && insn->operands[0].bits == 64 && insn->operands[0].reg != insn->operands[1].reg;
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

static void follow(const struct core *c, const struct insn *insn, int64_t *sums, struct sum *out)
{
    uint8_t to, from;
    int64_t constant;

    if (addition_of(insn, &to, &from, &constant)) {
        double sum = (double)sums[from] + (double)constant;
        bool executed = fabs(sum) > c->rename_sum;
        out->executed += executed;
        sums[to] = executed ? 0 : sums[from] + constant;
        return;
    }
    for (uint32_t rest = registers_read(insn); rest; rest &= rest - 1)
        out->pending |= sums[__builtin_ctz(rest)] ? 1u << __builtin_ctz(rest) : 0;
    if (copies_sum(insn)) {
        sums[insn->operands[0].reg] = sums[insn->operands[1].reg];
        return;
    }
    for (unsigned i = 0; i < insn->operand_count && !(insn->traits & INSN_STACK); i++) {
        const struct operand *op = &insn->operands[i];
        if (op->kind == OPERAND_REGISTER && op->file == FILE_GENERAL && op->access & ACCESS_WRITE)
            sums[op->reg] = 0;
    }
    if (insn->operation == OPERATION_POP && insn->operands[0].kind == OPERAND_REGISTER)
        sums[insn->operands[0].reg] = 0;
}

bool sums_find(const struct core *c, const struct insn *insns, size_t count, struct sum *out)
{
    int64_t sums[REGISTERS] = {0}, constant;
    uint8_t to, from;
    bool any = false;

    if (isnan(c->rename_sum))
        return false;
    for (size_t i = 0; i < count; i++) {
        out[i] = (struct sum){.adds = addition_of(&insns[i], &to, &from, &constant)};
        any |= out[i].adds;
    }
    for (int round = 0; round < ROUNDS && any; round++)
        for (size_t i = 0; i < count; i++) {
            out[i].pending = 0;
            follow(c, &insns[i], sums, &out[i]);
        }
    for (size_t i = 0; i < count && any; i++)
        out[i].executed = (uint8_t)(out[i].executed * 100 / ROUNDS);
    return any;
}
