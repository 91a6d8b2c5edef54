/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/a64/parts.h"

#include <string.h>

#include "base/str.h"
#include "isa/cpu.h"

/* Returns the reason to reject an instruction; NULL if there is none. allow.c has the list of
 * permitted instructions. */
static const char *refused(const struct insn *in)
{
    if (in->traits & INSN_UNDECODED)
        return "an instruction that cannot be decoded";
    bool relative = strcmp(in->mnemonic, "adr") == 0 || strcmp(in->mnemonic, "adrp") == 0;
    for (unsigned k = 0; k < in->operand_count; k++)
        relative |= in->operands[k].kind == OPERAND_MEMORY && in->operands[k].base == REG_NONE &&
                    in->operands[k].index == REG_NONE;
    /* Rejects first-faulting and non-faulting loads (ldff1, ldnf1), which could read any mapped
     * address. They raise no signal for most unmapped addresses. */
    if (str_has_prefix(in->mnemonic, "ldff1") || str_has_prefix(in->mnemonic, "ldnf1"))
        return "a load that cannot fault";
    return relative                     ? "a PC-relative address"
           : in->traits & INSN_RUNNABLE ? NULL
                                        : "a system instruction";
}

/* Returns the mask of a branch's distance field, and sets *@next to the field's value for a branch
 * to the next word. The distance is in words. The field has 26 bits for b. It begins at bit 5 and
 * has 14 bits for tbz and tbnz, 19 bits for other branches. */
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

/* Returns a register that @insns do not use; REG_NONE: none. Uses x18 last, because some platforms
 * reserve it. */
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

#define NOPS_3 "1f2003d51f2003d51f2003d5"
#define NOPS_15 NOPS_3 NOPS_3 NOPS_3 NOPS_3 NOPS_3
#define NOPS_69 NOPS_15 NOPS_15 NOPS_15 NOPS_15 NOPS_3 NOPS_3 NOPS_3
#define NOPS_249 NOPS_69 NOPS_69 NOPS_69 NOPS_15 NOPS_15 NOPS_3 NOPS_3 NOPS_3 NOPS_3

static const char *memory_loop(enum memory_loop loop, unsigned bits)
{
    static const char *const loops[MEMORY_LOOPS] = {
        [LOOP_LOADS] = "000440ad020c41ad241440ad261c41ad0000019121000191",
        [LOOP_ALONE] = "000440ad020c41ad00000191",
        [LOOP_STORES] = "000400ad000401ad00000191",
        [LOOP_UPDATES] = "000440ad020c41ad000400ad020c01ad00000191",
        [LOOP_TRIAD] = "200440ad000400ad420c40ad200441ad000401ad420c41ad000001912100019142000191",
        [LOOP_STREAMED] = "000400ac000401ac00000191",
        [LOOP_COPIED] = "200440ad000400ac220c41ad020c01ac0000019121000191",
        [LOOP_GATHER] = "280040b94c7868f8290440b94d7869f82a0840b94e786af82b0c40b94f786bf821400091",
        [LOOP_SINGLE] = "280040b94c7868f821100091",
        [LOOP_SCATTER] = "280040b94c7828f8290440b94d7829f82a0840b94e782af82b0c40b94f782bf821400091",
        [LOOP_PAIRED] = "080040f900000291",
        [LOOP_ODD] = "080040f900000391",
        [LOOP_SKIPPED] = "080040f900000491",
        [LOOP_EVERY_16] = "080040f900001091",
        [LOOP_EVERY_64] = "080040f900044091",
        [LOOP_STORE_8] = "080000f900000891",
        [LOOP_STORE_64] = "080000f900044091",
        [LOOP_PAGES] = "080040f90004409100000191",
        [LOOP_CHASE] = "000040f9000040f9000040f9000040f9",
        [LOOP_FEW] = "080040f900000191" NOPS_249,
        [LOOP_SOME] = "080040f900000191" NOPS_69,
    };
    (void)bits;   /* All vector registers have 128 bits. */
    return loops[loop];
}

const struct isa_foreign a64_foreign = {
    .refused = refused,
    .branch_emit = branch_emit,
    .bytes_alike = bytes_alike,
    .register_free = register_free,
    .vectors_used = vectors_used,
    .memory_loop = memory_loop,
};
