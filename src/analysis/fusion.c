/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/fusion.h"

#include "isa/insn.h"

/* Returns whether an operand is shifted (AArch64). Instructions with such an operand do not
 * fuse. */
static bool has_shift(const struct insn *insn)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == OPERAND_REGISTER && insn->operands[i].scale != 1)
            return true;
    return false;
}

bool fusion_pairs(const struct machine *m, const struct insn *first, const struct insn *branch)
{
    /* The branch reads only the sign, overflow or parity flag. "Less" and "greater" read two flags,
     * so they are not included. */
    bool rare = branch->flags_read == FLAG_OVERFLOW || branch->flags_read == FLAG_SIGN ||
                branch->flags_read == FLAG_PARITY;

    if (branch->operation != OPERATION_BRANCH || !branch->flags_read ||
        (first->traits & (INSN_STORE | INSN_LOCK)))
        return false;
    /* An instruction with a rip-relative operand and an immediate never fuses. */
    if ((first->traits & INSN_RIP_RELATIVE) && insn_immediate(first))
        return false;
    if (first->traits & INSN_LOAD && insn_immediate(first) &&
        machine_has(m, "fuse_memory_immediate", "no"))
        return false;
    if (has_shift(first))
        return false;
    if (machine_has(m, "fuse_any", first->mnemonic))
        return true;
    if (machine_has(m, "fuse_carry", first->mnemonic))
        return !rare;
    if (machine_has(m, "fuse_overflow", first->mnemonic))
        return !(branch->flags_read & FLAG_CARRY);
    if (machine_has(m, "fuse_zero", first->mnemonic))
        return !rare && !(branch->flags_read & FLAG_CARRY);
    return false;
}

bool fusion_possible(const struct machine *m, const struct insn *first)
{
    static const char *const facts[] = {"fuse_any", "fuse_carry", "fuse_overflow", "fuse_zero"};

    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (machine_has(m, facts[i], first->mnemonic))
            return true;
    return false;
}

static bool fusion_prefixes(const struct machine *m, const struct insn *move)
{
    const char *class = isa_ops((enum isa)move->isa)->move_class(move);
    return class && strcmp(class, "prefix") == 0 && machine_has(m, "eliminate", class);
}

bool fusion_moves(const struct machine *m, const struct insn *move, const struct insn *operation)
{
    const struct operand *to = &move->operands[0], *both = &operation->operands[0];

    if (fusion_prefixes(m, move))
        return operation->operand_count && both->kind == OPERAND_REGISTER && both->reg == to->reg;
    if (operation->traits & (INSN_LOAD | INSN_STORE | INSN_LOCK) || !operation->operand_count ||
        both->kind != OPERAND_REGISTER || both->reg != to->reg || both->bits != to->bits ||
        !machine_has(m, "fuse_move", operation->mnemonic))
        return false;
    for (unsigned i = 1; i < operation->operand_count; i++)
        if (operation->operands[i].kind == OPERAND_REGISTER && !operation->operands[i].implicit &&
            operation->operands[i].reg == to->reg)
            return false;
    return true;
}

static bool move_is_of(const struct machine *m, const char *fact, const struct insn *move)
{
    const char *class = isa_ops((enum isa)move->isa)->move_class(move);
    return class && machine_has(m, fact, class);
}

bool fusion_eliminates(const struct machine *m, const struct insn *move)
{
    return move_is_of(m, "eliminate", move);
}

bool fusion_eliminates_once(const struct machine *m, const struct insn *move)
{
    return move_is_of(m, "eliminate_once", move);
}

const struct mapping_entry *fusion_resolve(const struct machine *m, const struct insn *insn)
{
    const struct mapping_entry *entry = mapping_find(m->mapping, insn->form);
    char form[FORM_MAX];

    for (size_t at = 0; !entry && isa_alike((enum isa)insn->isa, insn->form, &at, form);)
        entry = mapping_find(m->mapping, form);
    return entry;
}
