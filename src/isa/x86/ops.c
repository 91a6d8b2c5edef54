/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/x86/ops.h"

#include "isa/insn.h"

static const char *move_class(const struct insn *move)
{
    const struct operand *to = &move->operands[0], *from = &move->operands[1];

    /* A zero-extension of a low byte is a move to a renamer that knows it. */
    if (move->operation == OPERATION_MOVE_ZERO && from->kind == OPERAND_REGISTER && from->bits == 8 && !from->offset_bits && to->bits >= 32)
        return "movzx8";
    if (!(move->traits & INSN_MOVE))
        return NULL;
    if (to->file == FILE_GENERAL)
        return to->bits == 64 ? "gpr64" : to->bits == 32 ? "gpr32" : "gpr16";
    return to->file == FILE_VECTOR ? (to->bits == 512 ? "zmm" : to->bits == 256 ? "ymm" : "xmm") : "mask";
}

const struct isa_ops x86_ops = {
    .name = "x86-64",
    .step = 1,
    .generals = 16,
    .stack_pointer = 4,
    .frame_pointer = 5,
    .load_form = "MOV (R64, M64)",
    .store_form = "MOV (M64, R64)",
    .stack_sync_form = "ADD (R64, I8)",
    .compare_form = "CMP (R64, R64)",
    .move_class = move_class,
};
