/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/limit_parts.h"

#include <string.h>


const struct insn *link_insn(const struct analysis *a, const struct deps *d, size_t at)
{
    return a->rows[d->nodes[d->edges[at].to].insn].insn;
}

static bool has_word(const char *mnemonic, const char *word)
{
    return strstr(mnemonic, word) != NULL;
}

static enum link_class logic_class(const char *mnemonic)
{
    return has_word(mnemonic, "andn") || has_word(mnemonic, "tern") || has_word(mnemonic, "bic") ||
                   has_word(mnemonic, "orn")
               ? LINK_OTHER
           : has_word(mnemonic, "xor") || has_word(mnemonic, "eor") ? LINK_XOR
           : has_word(mnemonic, "and")                              ? LINK_AND
           : has_word(mnemonic, "or")                               ? LINK_OR
                                                                    : LINK_OTHER;
}

/* Returns the index of the addend. On x86-64, the digits of the mnemonic determine it. On AArch64,
 * it is the fourth operand; 0 (the destination) for predicated or three-operand forms. */
int link_addend(const struct insn *insn)
{
    const bool masked = insn->operand_count > 1 && insn->operands[1].file == FILE_MASK,
               predicated = insn->operand_count > 1 && insn->operands[1].file == FILE_PREDICATE;
    const int second = masked ? 2 : 1;

    return has_word(insn->mnemonic, "132")   ? second
           : has_word(insn->mnemonic, "213") ? second + 1
           : has_word(insn->mnemonic, "231") ? 0
           : !predicated && insn->operand_count > 3 &&
                   insn->operands[3].kind == OPERAND_REGISTER && !insn->operands[3].implicit
               ? 3
               : 0;
}

/* Returns the class of a vector addition or multiplication for input @end. @first: whether this is
 * the first input. LINK_ADD: additions that neither saturate nor cross lanes, including dot
 * products and similar accumulations. */
static enum link_class vector_sum_class(const struct insn *insn, int end, bool first)
{
    const char *m = insn->mnemonic;

    if (insn->operation == OPERATION_VECTOR_MULTIPLY)
        return end == 0 && (has_word(m, "dp") || has_word(m, "dot") || has_word(m, "ml") ||
                            has_word(m, "madd52"))
                   ? LINK_ADD
               : has_word(m, "mull") ? LINK_MULTIPLY
                                     : LINK_OTHER;
    /* adalp and aba add to the first operand. */
    if (has_word(m, "adalp") || has_word(m, "aba"))
        return end == 0 ? LINK_ADD : LINK_OTHER;
    if ((has_word(m, "sub") || has_word(m, "addw")) && !first)
        return LINK_OTHER;
    return has_word(m, "adds") || has_word(m, "addus") || has_word(m, "qadd") ||
                   has_word(m, "subs") || has_word(m, "subus") || has_word(m, "qsub") ||
                   has_word(m, "avg") || has_word(m, "sign") || has_word(m, "abs") ||
                   has_word(m, "hadd") || has_word(m, "sadbw")
               ? LINK_OTHER
               : LINK_ADD;
}

/* Returns the class of @resource in a computed address: LINK_SHIFT for a scaled register or one
 * that is both base and index, LINK_ADD for another added one. */
static enum link_class address_class(const struct insn *insn, uint8_t resource)
{
    const struct operand *memory = insn_memory(insn);

    return !memory || (memory->base == resource && memory->index == resource) ? LINK_SHIFT
           : memory->index == resource && memory->scale > 1                   ? LINK_SHIFT
                                                                              : LINK_ADD;
}

/* Returns whether the instruction is a conditional increment, which selects a register or the
 * register plus one. */
static bool counts(const struct insn *insn)
{
    const struct operand *a = insn_operand(insn, insn->inputs[0]),
                         *b = insn_operand(insn, insn->inputs[1]);

    return has_word(insn->mnemonic, "cinc") ||
           (has_word(insn->mnemonic, "csinc") && a && b && a->reg == b->reg);
}

bool link_is_stepped(const struct insn *insn, int end)
{
    if (end >= LATENCY_ADDRESS)
        return false;
    if (insn->operands[end].access & ACCESS_WRITEBACK)
        return true;
    for (unsigned k = 0; insn->operands[end].implicit && k < insn->operand_count; k++)
        if (insn->operands[k].kind == OPERAND_MEMORY && insn->operands[k].implicit &&
            insn->operands[k].base == insn->operands[end].reg)
            return true;
    return false;
}

bool link_keeps_lanes(const struct analysis *a, const struct deps *d, size_t at)
{
    const struct insn *insn = link_insn(a, d, at);

    return d->ends[at] == 0 && insn->operand_count > 1 && insn->operands[1].file == FILE_MASK &&
           insn->operation != OPERATION_FP_FUSED && insn->operation != OPERATION_VECTOR_MOVE;
}

/* Returns an edge between the same two values that is an input of the operation; if there is none,
 * @at. */
static size_t input_of(const struct analysis *a, const struct deps *d, size_t at)
{
    for (size_t i = 0; i < d->edge_count; i++)
        if (d->edges[i].from == d->edges[at].from && d->edges[i].to == d->edges[at].to &&
            !link_keeps_lanes(a, d, i))
            return i;
    return at;
}

/* Returns @class, changed for an AArch64 operand that is shifted or extended before the
 * operation. */
static enum link_class shifted_class(enum link_class class, const struct insn *insn, int from)
{
    const struct operand *op =
        from >= 0 && from < (int)insn->operand_count ? &insn->operands[from] : NULL;
    const bool computes = class == LINK_ADD || class == LINK_OR || class == LINK_XOR;

    if (!isa_ops((enum isa)insn->isa)->load_store || !op || op->kind != OPERAND_REGISTER ||
        op->file != FILE_GENERAL || op->access & ACCESS_WRITEBACK || op->scale == 1 ||
        !(computes || class == LINK_AND))
        return class;
    return computes && op->scale > 1 ? LINK_SHIFT : LINK_OTHER;
}

/* Returns the class of the operation for an operand that is neither shifted nor extended. */
static enum link_class plain_class(const struct analysis *a, const struct deps *d, size_t at)
{
    const struct ratio_edge *edge = &d->edges[at];
    const struct insn *insn = link_insn(a, d, at);
    const int from = d->ends[at], to = d->nodes[edge->to].end;
    const bool first =
        from >= LATENCY_ADDRESS || insn->inputs[0] == from || insn->inputs[0] == INSN_NO_OPERAND;

    if (link_is_stepped(insn, to))
        return LINK_ADD;
    if (insn->traits & INSN_STACK &&
        d->nodes[edge->to].resource == isa_ops((enum isa)insn->isa)->stack_pointer)
        return LINK_ADD;
    if (insn->traits & INSN_MOVE)
        return LINK_MOVE;
    switch (insn->operation) {
    case OPERATION_MOVE: case OPERATION_MOVE_ZERO: case OPERATION_MOVE_SIGN:
    case OPERATION_VECTOR_MOVE: case OPERATION_TRANSFER: case OPERATION_EXCHANGE:
    case OPERATION_PUSH: case OPERATION_POP:
        return LINK_MOVE;
    case OPERATION_ADD:
        return insn_same_sources(insn) ? LINK_SHIFT : LINK_ADD;
    case OPERATION_INCREMENT: case OPERATION_DECREMENT: case OPERATION_EXCHANGE_ADD:
        return LINK_ADD;
    case OPERATION_ADD_CARRY:
        return from == LATENCY_FLAGS ? LINK_OTHER : LINK_ADD;
    case OPERATION_SUBTRACT_CARRY:
        return from != LATENCY_FLAGS && first ? LINK_ADD : LINK_OTHER;
    case OPERATION_SUBTRACT:
        return first || from == LATENCY_MEMORY ? LINK_ADD : LINK_OTHER;
    case OPERATION_FP_ADD:
        return has_word(insn->mnemonic, "sub") && !first ? LINK_OTHER : LINK_ADD;
    case OPERATION_ADDRESS:
        return address_class(insn, d->nodes[edge->from].resource);
    case OPERATION_VECTOR_ADD: case OPERATION_VECTOR_MULTIPLY:
        return vector_sum_class(insn, from, first);
    case OPERATION_MULTIPLY:
        return insn->operand_count <= 3 || insn->operands[3].kind != OPERAND_REGISTER ||
                       insn->operands[3].implicit
                   ? LINK_MULTIPLY
               : from == 3 ? LINK_ADD
                           : LINK_SCALE;
    case OPERATION_FP_FUSED:
        return from == link_addend(insn) ? LINK_ADD : LINK_SCALE;
    case OPERATION_FP_MULTIPLY:
        return LINK_MULTIPLY;
    case OPERATION_SHIFT_LEFT:
        return insn_count_in_register(insn) ? LINK_OTHER : LINK_SHIFT;
    case OPERATION_AND:
        return LINK_AND;
    case OPERATION_OR:
        return LINK_OR;
    case OPERATION_XOR:
        return LINK_XOR;
    case OPERATION_VECTOR_LOGIC:
        return logic_class(insn->mnemonic);
    case OPERATION_VECTOR_MINMAX: case OPERATION_FP_MINMAX:
        return LINK_MINMAX;
    case OPERATION_SELECT:
        return !counts(insn) ? LINK_SELECT : from == LATENCY_FLAGS ? LINK_OTHER : LINK_ADD;
    case OPERATION_VECTOR_BLEND:
        return LINK_SELECT;
    case OPERATION_COMPARE: case OPERATION_TEST: case OPERATION_VECTOR_COMPARE:
    case OPERATION_FP_COMPARE: case OPERATION_SET:
        return LINK_COMPARE;
    default:
        return insn_adds_length(insn) ? LINK_ADD : LINK_OTHER;
    }
}

enum link_class link_class_of(const struct analysis *a, const struct deps *d, size_t at)
{
    const size_t input = link_keeps_lanes(a, d, at) ? input_of(a, d, at) : at;

    return link_keeps_lanes(a, d, input)
               ? LINK_MOVE
               : shifted_class(plain_class(a, d, input), link_insn(a, d, at), d->ends[input]);
}
