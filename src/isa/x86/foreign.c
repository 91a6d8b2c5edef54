/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/x86/foreign.h"

#include <string.h>

#include "base/str.h"
#include "isa/cpu.h"

/* The list of what computes is allow.c's. */
static const char *refused(const struct insn *in)
{
    if (in->traits & (INSN_UNDECODED | INSN_FOREIGN))
        return "an instruction that the decoder does not have";
    for (unsigned k = 0; k < in->operand_count; k++)
        if (in->operands[k].kind == OPERAND_MEMORY && in->operands[k].segment != REG_NONE && in->operands[k].access & ACCESS_WRITE)
            return "a write to thread-local storage";
    return in->traits & INSN_RUNNABLE ? NULL : "a system instruction";
}

/* The branch as it is, prefixes and length included, to the next instruction. */
static void branch_emit(const struct insn *in, uint8_t *out)
{
    unsigned size = 0, distance = insn_branch_distance(in, &size);
    memcpy(out, in->bytes, in->length);
    memset(out + distance, 0, size);
}

static void branch_over(const struct insn *in, uint8_t *after, size_t bytes)
{
    static const uint8_t nop[] = {0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0};
    unsigned size = 0, distance = insn_branch_distance(in, &size);

    after[(int)distance - (int)in->length] = (uint8_t)bytes;
    for (; bytes >= sizeof nop; bytes -= sizeof nop, after += sizeof nop)
        memcpy(after, nop, sizeof nop);
    memset(after, 0x90, bytes);
}

static bool bytes_alike(const struct insn *in, const uint8_t *again)
{
    unsigned size = 4, changed = in->traits & INSN_BRANCH ? insn_branch_distance(in, &size) : insn_rip_displacement(in);
    for (unsigned i = 0; i < in->length; i++)
        if (again[i] != in->bytes[i] && !(changed && i >= changed && i < changed + size))
            return false;
    return true;
}

static void vectors_used(const struct insn *insns, size_t count, struct body *like)
{
    bool wide = false, vex = false;
    for (size_t i = 0; i < count; i++) {
        vex |= (insns[i].traits & INSN_VEX) != 0;
        for (unsigned k = 0; k < insns[i].operand_count; k++) {
            const struct operand *op = &insns[i].operands[k];
            wide |= op->kind == OPERAND_REGISTER && ((op->reg >= 32 && op->reg < 56) || (op->reg >= 16 && op->reg < 48 && op->bits > 256));
        }
    }
    like->vectors = vex ? BODY_VEX : BODY_SSE;
    like->wide = wide && cpu_vector_bits() >= 512;
}

static bool repeated(const struct insn *in)
{
    return str_has_prefix(in->form, "REP");
}

/* r8 to r15 alone: no instruction names them without saying so. A counter in memory costs 24 cycles a round beside hundreds of stores on Golden Cove. */
static uint8_t register_free(const struct insn *insns, size_t count)
{
    uint32_t used = 0;

    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < insns[i].operand_count; k++) {
            const struct operand *op = &insns[i].operands[k];
            used |= op->kind == OPERAND_REGISTER && op->reg < 16 ? 1u << op->reg : 0;
            used |= op->kind == OPERAND_MEMORY && op->base < 16 ? 1u << op->base : 0;
            used |= op->kind == OPERAND_MEMORY && op->index < 16 ? 1u << op->index : 0;
        }
    for (uint8_t reg = 15; reg >= 8; reg--)
        if (!(used >> reg & 1))
            return reg;
    return REG_NONE;
}

const struct isa_foreign x86_foreign = {
    .refused = refused,
    .branch_emit = branch_emit,
    .branch_over = branch_over,
    .relative_at = insn_rip_displacement,
    .bytes_alike = bytes_alike,
    .register_free = register_free,
    .counts_in_memory = true,
    .vectors_used = vectors_used,
    .zero_registers = 1u << 2,
    .count_registers = 1u << 1,
    .repeated = repeated,
};
