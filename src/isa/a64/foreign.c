/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/a64/foreign.h"

#include <string.h>

#include "base/str.h"
#include "isa/cpu.h"

/* The list of what computes is allow.c's. */
static const char *refused(const struct insn *in)
{
    if (in->traits & INSN_UNDECODED)
        return "an instruction that cannot be decoded";
    bool relative = strcmp(in->mnemonic, "adr") == 0 || strcmp(in->mnemonic, "adrp") == 0;
    for (unsigned k = 0; k < in->operand_count; k++)
        relative |= in->operands[k].kind == OPERAND_MEMORY && in->operands[k].base == REG_NONE && in->operands[k].index == REG_NONE;
    /* A load that does not fault would find whatever is mapped, without a signal that ends it. */
    if (str_has_prefix(in->mnemonic, "ldff1") || str_has_prefix(in->mnemonic, "ldnf1"))
        return "a load that does not fault";
    return relative ? "a PC-relative address" : in->traits & INSN_RUNNABLE ? NULL : "a system instruction";
}

/* The bits of a branch that say how far, and in *@next what they are when it leads to the next word. b has 26 bits of distance, tbz and tbnz 14 from bit 5,
 * the others 19 from bit 5; all in words. */
static uint32_t distance_bits(uint32_t word, uint32_t *next)
{
    bool far = (word & 0x7c000000) == 0x14000000, test = (word & 0x7e000000) == 0x36000000;
    *next = far ? 1 : 1u << 5;
    return far ? 0x03ffffff : test ? 0x0007ffe0 : 0x00ffffe0;
}

static void branch_emit(const struct insn *in, uint8_t *out)
{
    uint32_t word, next;
    memcpy(&word, in->bytes, 4);
    word &= ~distance_bits(word, &next);
    word |= next;
    memcpy(out, &word, 4);
}

static bool bytes_alike(const struct insn *in, const uint8_t *again)
{
    uint32_t word, other, next;
    memcpy(&word, in->bytes, 4);
    memcpy(&other, again, 4);
    return !((word ^ other) & ~(in->traits & INSN_BRANCH ? distance_bits(word, &next) : 0));
}

/* x18 last: some platforms keep it for themselves. */
static uint8_t register_free(const struct insn *insns, size_t count)
{
    uint32_t used = 0;

    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < insns[i].operand_count; k++) {
            const struct operand *op = &insns[i].operands[k];
            used |= op->kind == OPERAND_REGISTER && op->reg < A64_SP ? 1u << op->reg : 0;
            used |= op->kind == OPERAND_MEMORY && op->base < A64_SP ? 1u << op->base : 0;
            used |= op->kind == OPERAND_MEMORY && op->index < A64_SP ? 1u << op->index : 0;
        }
    for (unsigned reg = A64_SP; reg-- > 0;)
        if (reg != 18 && !(used >> reg & 1))
            return (uint8_t)reg;
    return used >> 18 & 1 ? REG_NONE : 18;
}

static void vectors_used(const struct insn *insns, size_t count, struct body *like)
{
    bool scalable = false;
    for (size_t i = 0; i < count; i++) {
        for (unsigned k = 0; k < insns[i].operand_count; k++) {
            const struct operand *op = &insns[i].operands[k];
            scalable |= op->kind == OPERAND_REGISTER && op->reg >= A64_P0 && op->reg <= A64_FFR;
        }
        scalable |= strstr(insns[i].form, "Z.") != NULL || strstr(insns[i].form, "(Z") != NULL;
    }
    like->vectors = scalable && cpu_has("sve") ? BODY_SVE : BODY_NEON;
}

const struct isa_foreign a64_foreign = {
    .refused = refused,
    .branch_emit = branch_emit,
    .bytes_alike = bytes_alike,
    .register_free = register_free,
    .vectors_used = vectors_used,
};
