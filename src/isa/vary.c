/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/vary.h"

#include <string.h>

static const struct isa_vary *vary_of(enum isa isa)
{
    return isa_ops(isa)->vary;
}

/* Decodes @bytes as the replacement of @in (NULL: none) and copies the line of @in. Returns false
 * if @bytes are not exactly one instruction. */
static bool decode(enum isa isa, const uint8_t *bytes, size_t length, const struct insn *in,
                   struct insn *out)
{
    if (!length || !insn_decode(isa, bytes, length, in ? in->offset : 0, false, out, NULL) ||
        out->length != length)
        return false;
    out->line = in ? in->line : 0;
    return true;
}

bool vary_nop(const struct insn *in, struct insn *out)
{
    uint8_t bytes[16];
    size_t length = vary_of((enum isa)in->isa)->nop(in->length, bytes);

    if (length != in->length || !decode((enum isa)in->isa, bytes, length, in, out))
        return false;
    if (out->traits & INSN_NOP)
        return true;
    return false;
}

bool vary_copy(enum isa isa, const struct operand *like, bool legacy, uint8_t to, uint8_t from,
               struct insn *out)
{
    uint8_t bytes[16];

    if (!decode(isa, bytes, vary_of(isa)->copy(like, legacy, to, from, bytes), NULL, out))
        return false;
    const struct operand *written = insn_operand(out, out->result);
    if (written && written->reg == to && out->operand_count >= 2)
        return true;
    return false;
}

/* Returns whether two operands are equal except for registers and address parts. */
static bool same_place(const struct operand *a, const struct operand *b)
{
    return a->kind == b->kind && a->access == b->access && a->bits == b->bits &&
           a->offset_bits == b->offset_bits && a->immediate == b->immediate &&
           a->segment == b->segment && a->implicit == b->implicit;
}

/* Returns whether @out equals @in except for operand @operand, in which registers, scale and
 * displacement may differ. */
static bool same_but(const struct insn *in, const struct insn *out, unsigned operand)
{
    if (strcmp(in->form, out->form) != 0 || strcmp(in->mnemonic, out->mnemonic) != 0 ||
        in->operand_count != out->operand_count)
        return false;
    for (unsigned k = 0; k < in->operand_count; k++) {
        const struct operand *a = &in->operands[k], *b = &out->operands[k];
        if (!same_place(a, b))
            return false;
        if (k != operand && (a->scale != b->scale || a->reg != b->reg || a->base != b->base ||
                             a->index != b->index ||
                             (a->kind == OPERAND_MEMORY && a->displacement != b->displacement)))
            return false;
    }
    return true;
}

static uint8_t exchanged(uint8_t reg, uint8_t from, uint8_t to)
{
    return reg == from ? to : reg;
}

bool vary_register(const struct insn *in, unsigned operand, uint8_t from, uint8_t to,
                   struct insn *out)
{
    const struct operand *was = &in->operands[operand];
    uint8_t bytes[16];
    size_t length;

    for (unsigned attempt = 0;
         (length = vary_of((enum isa)in->isa)->reg(in, operand, from, to, attempt, bytes)) !=
         SIZE_MAX;
         attempt++) {
        if (!decode((enum isa)in->isa, bytes, length, in, out))
            continue;
        const struct operand *is = &out->operands[operand];
        if (same_but(in, out, operand) && is->reg == exchanged(was->reg, from, to) &&
            is->base == exchanged(was->base, from, to) &&
            is->index == exchanged(was->index, from, to) && is->scale == was->scale &&
            is->displacement == was->displacement)
            return true;
    }
    return false;
}

bool vary_moved(const struct insn *in, unsigned operand, int64_t by, struct insn *out)
{
    const struct operand *was = &in->operands[operand];
    uint8_t bytes[16];
    size_t length;

    for (unsigned attempt = 0;
         (length = vary_of((enum isa)in->isa)->moved(in, operand, by, attempt, bytes)) != SIZE_MAX;
         attempt++) {
        if (!decode((enum isa)in->isa, bytes, length, in, out))
            continue;
        const struct operand *is = &out->operands[operand];
        int64_t moved = is->displacement - was->displacement;
        if (same_but(in, out, operand) && is->base == was->base && is->index == was->index &&
            is->scale == was->scale && moved >= by && moved <= 4 * by)
            return true;
    }
    return false;
}

bool vary_indexed(const struct insn *in, unsigned operand, uint8_t index, uint8_t scale,
                  int64_t displacement, struct insn *out)
{
    const struct isa_vary *vary = vary_of((enum isa)in->isa);
    uint8_t bytes[16];

    if (!vary->indexed ||
        !decode((enum isa)in->isa, bytes,
                vary->indexed(in, operand, index, scale, displacement, bytes), in, out))
        return false;
    const struct operand *is = &out->operands[operand];
    return same_but(in, out, operand) && is->base == in->operands[operand].base &&
           is->index == index && is->scale == scale && is->displacement == displacement;
}

uint8_t vary_free(const struct insn *insns, size_t count, enum register_file file, uint8_t besides)
{
    const struct isa_ops *isa = isa_ops(count ? (enum isa)insns[0].isa : isa_host());
    uint8_t first = file == FILE_VECTOR ? isa->vectors : 0, n = file == FILE_VECTOR ? 16
                                                                : file == FILE_GENERAL
                                                                    ? isa->generals
                                                                    : 0;
    bool used[INSN_REGISTERS + 1] = {0};

    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < insns[i].operand_count; k++) {
            const struct operand *op = &insns[i].operands[k];
            const uint8_t regs[3] = {op->reg, op->base, op->index};
            for (int r = 0; r < 3; r++)
                if (regs[r] < INSN_REGISTERS)
                    used[regs[r]] = true;
        }
    for (uint8_t reg = (uint8_t)(first + n); reg-- > first;)
        if (!used[reg] && reg != besides && !(file == FILE_GENERAL && reg == isa->stack_pointer))
            return reg;
    return REG_NONE;
}

void vary_register_name(enum isa isa, uint8_t reg, struct str *out)
{
    vary_of(isa)->name(reg, out);
}
