/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/a64/ops.h"

#include "isa/insn.h"

/* x w for general registers, v for whole vectors, s for floating-point scalars, zero for zeroing. */
static const char *move_class(const struct insn *move)
{
    const struct operand *to = &move->operands[0];

    if (!(move->traits & INSN_MOVE))
        return NULL;
    if (move->operands[1].reg == REG_NONE)
        return "zero";
    return to->file == FILE_VECTOR ? (move->traits & INSN_VECTOR ? "v" : "s") : to->bits == 64 ? "x" : "w";
}

const struct isa_ops a64_ops = {
    .name = "aarch64",
    .step = 4,
    .generals = 32,
    .stack_pointer = A64_SP,
    .frame_pointer = 29,
    .load_store = true,
    .load_form = "LDR (X, [X, I])",
    .store_form = "STR (X, [X, I])",
    .address_form = "ADD (X, X, I)",
    .compare_form = "CMP (X, X)",
    .move_class = move_class,
};
