/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/branch.h"

bool loop_falls_through(const struct insn *insn)
{
    if (insn->operation == OPERATION_TRAP)
        return false;
    return !(insn->traits & INSN_BRANCH) || (insn->traits & (INSN_CONDITIONAL | INSN_CALL));
}

bool loop_jumps_anywhere(const struct insn *insn)
{
    if (insn->operation != OPERATION_JUMP)
        return false;
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == OPERAND_RELATIVE)
            return false;
    return true;
}
