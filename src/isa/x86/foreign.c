/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/x86/parts.h"

#include <string.h>

#include "base/str.h"
#include "isa/cpu.h"

/* Returns the reason to reject an instruction; NULL if there is none. allow.c has the list of
 * permitted instructions. */
static const char *refused(const struct insn *in)
{
    if (in->traits & (INSN_UNDECODED | INSN_FOREIGN))
        return "an instruction that the decoder does not support";
    for (unsigned k = 0; k < in->operand_count; k++)
        if (in->operands[k].kind == OPERAND_MEMORY && in->operands[k].segment != REG_NONE &&
            in->operands[k].access & ACCESS_WRITE)
            return "a write to thread-local storage";
    return in->traits & INSN_RUNNABLE ? NULL : "a system instruction";
}

/* Implements branch_emit. Copies the branch, including prefixes, and sets its distance to 0. */
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
    unsigned size = 4, changed = in->traits & INSN_BRANCH ? insn_branch_distance(in, &size)
                                                          : insn_rip_displacement(in);
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
            wide |=
                op->kind == OPERAND_REGISTER && ((op->reg >= 32 && op->reg < 56) ||
                                                 (op->reg >= 16 && op->reg < 48 && op->bits > 256));
        }
    }
    like->vectors = vex ? BODY_VEX : BODY_SSE;
    like->wide = wide && cpu_vector_bits() >= 512;
}

static bool repeated(const struct insn *in)
{
    return str_has_prefix(in->form, "REP");
}

/* Returns one of r8 to r15 that @insns do not use, or REG_NONE. No permitted instruction uses these
 * registers implicitly. On Golden Cove, a counter in memory takes 24 cycles per iteration in a loop
 * with hundreds of stores. */
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

#define NOPS_9 "909090909090909090"
#define NOPS_69 "909090909090" NOPS_9 NOPS_9 NOPS_9 NOPS_9 NOPS_9 NOPS_9 NOPS_9
#define NOPS_249 NOPS_69 NOPS_69 NOPS_69 "909090909090" NOPS_9 NOPS_9 NOPS_9 NOPS_9

static const char *memory_loop(enum memory_loop loop, unsigned bits)
{
    /* Code for vectors: @wide has 256 bits, @plain 128 bits. @wide is NULL if it would equal
     * @plain. @widest has 512 bits; it is for loops whose 256-bit code takes longer in the
     * first-level cache than the transfers from the second-level cache. */
    static const struct { const char *wide, *plain, *widest;
    } loops[MEMORY_LOOPS] = {
        [LOOP_LOADS] =
            {.wide = "c5fc100407c5fc104c0720c5fc101406c5fc105c06204883c040",
             .plain = "0f1004070f104c07100f105407200f105c07300f1004060f104c06100f105406200f105c06"
                      "304883c040"},
        [LOOP_ALONE] = {.wide = "c5fc1007c5fc104f204883c740",
                        .plain = "0f10070f104f100f1057200f105f304883c740"},
        [LOOP_STORES] = {.wide = "c5fc110407c5fc114407204883c040",
                         .plain = "0f1104070f114407100f114407200f114407304883c040"},
        [LOOP_UPDATES] =
            {.wide = "c5fc1007c5fc104f20c5fc1107c5fc114f204883c740",
             .plain = "0f10070f104f100f1057200f105f300f11070f114f100f1157200f115f304883c740",
             .widest = "62f17c48100762f17c4811074883c740"},
        [LOOP_TRIAD] =
            {.wide = "c5fc100406c5fc110407c5fc100c02c5fc10540620c5fc11540720c5fc105c02204883c040",
             .plain = "0f1004060f1104070f104c06100f114c07100f105406200f115407200f105c06300f115c0730"
                      "0f1004020f104c02100f105402200f105c02304883c040"},
        [LOOP_STREAMED] = {.wide = "c5fc2b0407c5fc2b4407204883c040",
                           .plain = "0f2b04070f2b4407100f2b4407200f2b4407304883c040"},
        [LOOP_COPIED] =
            {.wide = "c5fc100406c5fc2b0407c5fc104c0620c5fc2b4c07204883c040",
             .plain = "0f1004060f2b04070f104c06100f2b4c07100f105406200f2b5407200f105c06300f2b5c"
                      "07304883c040"},
        [LOOP_GATHER] =
            {.plain = "8b0c86488b14cf448b4486044e8b0cc7448b5486084e8b1cd78b5c860c488b14df4883c004"},
        [LOOP_SINGLE] = {.plain = "8b0c86488b14cf4883c001"},
        [LOOP_SCATTER] =
            {.plain = "8b0c86488914cf448b4486044e890cc7448b5486084e891cd78b5c860c488914df4883c004"},
        [LOOP_PAIRED] = {.plain = "488b074881c780000000"},
        [LOOP_ODD] = {.plain = "488b074881c7c0000000"},
        [LOOP_SKIPPED] = {.plain = "488b074881c700010000"},
        [LOOP_EVERY_16] = {.plain = "488b074881c700040000"},
        [LOOP_EVERY_64] = {.plain = "488b074881c700100000"},
        [LOOP_STORE_8] = {.plain = "4889074881c700020000"},
        [LOOP_STORE_64] = {.plain = "4889074881c700100000"},
        [LOOP_PAGES] = {.plain = "488b074881c740100000"},
        [LOOP_CHASE] = {.plain = "488b00488b00488b00488b00"},
        [LOOP_FEW] = {.plain = "488b074883c740" NOPS_249},
        [LOOP_SOME] = {.plain = "488b074883c740" NOPS_69},
    };
    return bits >= 512 && loops[loop].widest ? loops[loop].widest
           : bits >= 256 && loops[loop].wide ? loops[loop].wide
                                             : loops[loop].plain;
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
    .memory_loop = memory_loop,
};
