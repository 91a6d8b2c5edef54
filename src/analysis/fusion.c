/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/fusion.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

/* Memory operand and immediate together never fuse when the address is rip-relative. */
static bool has_immediate(const struct insn *insn)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == OPERAND_IMMEDIATE)
            return true;
    return false;
}

/* AArch64 pairs fuse with plain operands only. */
static bool has_shift(const struct insn *insn)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == OPERAND_REGISTER && insn->operands[i].scale != 1)
            return true;
    return false;
}

bool fusion_pairs(const struct machine *m, const struct insn *first, const struct insn *branch)
{
    static const char *const rare[] = {"jo", "jno", "js", "jns", "jp", "jnp", NULL};
    static const char *const carry[] = {"jb", "jnb", "jbe", "jnbe", NULL};

    if (!(branch->traits & INSN_CONDITIONAL) || !branch->flags_read || (first->traits & (INSN_STORE | INSN_LOCK)))
        return false;
    if ((first->traits & INSN_RIP_RELATIVE) && has_immediate(first))
        return false;
    if (first->traits & INSN_LOAD && has_immediate(first) && machine_has(m, "fuse_memory_immediate", "no"))
        return false;
    if (branch->isa == ISA_AARCH64 && (strncmp(branch->mnemonic, "b.", 2) != 0 || has_shift(first)))
        return false;
    if (machine_has(m, "fuse_any", first->mnemonic))
        return true;
    if (machine_has(m, "fuse_carry", first->mnemonic))
        return !is_one_of(branch->mnemonic, rare);
    if (machine_has(m, "fuse_zero", first->mnemonic))
        return !is_one_of(branch->mnemonic, rare) && !is_one_of(branch->mnemonic, carry);
    return false;
}

/* Classes of fact eliminate on AArch64: x w for general registers, v for whole vectors, s for floating-point scalars, zero for zeroing. */
static const char *a64_class(const struct insn *move, const struct operand *to)
{
    if (move->operands[1].reg == REG_NONE)
        return "zero";
    return insn_is_vector(move, to->reg) ? (move->traits & INSN_VECTOR ? "v" : "s") : to->bits == 64 ? "x" : "w";
}

bool fusion_eliminates(const struct machine *m, const struct insn *move)
{
    /* A zero-extension of a low byte is a move to a renamer that knows it. */
    if (strcmp(move->mnemonic, "movzx") == 0 && move->operands[1].kind == OPERAND_REGISTER && move->operands[1].bits == 8 && !move->operands[1].offset_bits &&
        move->operands[0].bits >= 32)
        return machine_has(m, "eliminate", "movzx8");
    if (!(move->traits & INSN_MOVE))
        return false;
    const struct operand *to = &move->operands[0];
    const char *class = move->isa == ISA_AARCH64 ? a64_class(move, to)
                        : to->reg < 16 ? (to->bits == 64 ? "gpr64" : to->bits == 32 ? "gpr32" : "gpr16")
                        : to->reg >= 16 && to->reg < 48 ? (to->bits == 512 ? "zmm" : to->bits == 256 ? "ymm" : "xmm")
                                                         : "mask";
    return machine_has(m, "eliminate", class);
}

/* The form with the first @from in it replaced by @to; false when there is none. */
static bool swapped(const char *form, const char *from, const char *to, char out[FORM_MAX])
{
    const char *at = strstr(form, from);
    if (!at)
        return false;
    snprintf(out, FORM_MAX, "%.*s%s%s", (int)(at - form), form, to, at + strlen(from));
    return true;
}

const struct mapping_entry *fusion_resolve(const struct machine *m, const struct insn *insn)
{
    static const char *const alike[][2] = {
        {", I32)", ", I8)"}, {", I8)", ", I32)"}, {"Rel8", "Rel32"}, {"Rel32", "Rel8"}, {"R8h", "R8l"}, {"_EVEX", ""},
    };
    const struct mapping_entry *entry = mapping_find(m->mapping, insn->form);
    char form[FORM_MAX];

    for (size_t i = 0; !entry && i < sizeof alike / sizeof *alike; i++)
        if (swapped(insn->form, alike[i][0], alike[i][1], form))
            entry = mapping_find(m->mapping, form);
    return entry;
}
