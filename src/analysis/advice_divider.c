/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/advice.h"

#include <ctype.h>

portset advice_full_pipes(const struct analysis *a)
{
    const struct ports *ports = mapping_ports(a->machine->mapping);
    portset full = 0;

    for (unsigned j = 0; j < ports->count; j++)
        if (ports->pipes >> j & 1 && a->totals[j] >= a->bounds[BOUND_PIPES] - ADVICE_EQUAL)
            full |= (portset)1 << j;
    return full;
}

/* Returns the first row of a division by a register that the loop does not write; a->count if there
 * is none. */
static size_t constant_divisor(const struct analysis *a)
{
    for (size_t i = 0; i < a->count; i++) {
        const struct insn *insn = a->rows[i].insn;
        const struct operand *divisor = insn_operand(
            insn, insn->inputs[1] == INSN_NO_OPERAND ? insn->inputs[0] : insn->inputs[1]);
        bool written =
            a->rows[i].flags & ROW_SKIPPED ||
            (insn->operation != OPERATION_FP_DIVIDE && insn->operation != OPERATION_DIVIDE) ||
            !divisor || divisor->kind != OPERAND_REGISTER;
        for (size_t k = 0; k < a->count && !written; k++)
            for (unsigned o = 0; o < a->rows[k].insn->operand_count; o++)
                written |= a->rows[k].insn->operands[o].kind == OPERAND_REGISTER &&
                           a->rows[k].insn->operands[o].access & ACCESS_WRITE &&
                           a->rows[k].insn->operands[o].reg == divisor->reg;
        if (!written)
            return i;
    }
    return a->count;
}

void advice_constant_divisor(const struct advice *s)
{
    const size_t constant = constant_divisor(s->a);

    if (constant == s->a->count)
        return;
    str_add(s->out, " The divisor of ");
    advice_row(s->a, constant, s->out);
    str_add(s->out, " does not change in the loop: ");
    str_add(s->out, s->a->rows[constant].insn->operation == OPERATION_DIVIDE
                        ? "multiply by its reciprocal (a constant, or libdivide)."
                        : "multiply by its reciprocal, which rounds differently (-ffast-math).");
}

static bool is_division(const struct insn *insn)
{
    return insn->operation == OPERATION_DIVIDE || insn->operation == OPERATION_FP_DIVIDE ||
           insn->operation == OPERATION_FP_ROOT;
}

bool advice_divides(const struct analysis *a)
{
    const portset full = advice_full_pipes(a);
    bool found = false;

    for (size_t i = 0; i < a->count; i++)
        found |= is_division(a->rows[i].insn) && advice_load(a, i, full) > ADVICE_EQUAL;
    return found;
}

void advice_name_pipes(const struct advice *s)
{
    if (advice_divides(s->a))
        str_add(s->out, "the divider");
    else
        advice_ports(s->a, advice_full_pipes(s->a), s->out);
}

void advice_say_divider(const struct advice *s)
{
    const size_t start = s->out->length;

    advice_name_pipes(s);
    s->out->data[start] = (char)toupper(s->out->data[start]);
    str_addf(s->out, " is busy for %.2f cycles per iteration: ", s->a->bounds[BOUND_PIPES]);
    advice_rows(s->a, advice_full_pipes(s->a), ADVICE_ROWS, s->out);
    str_add(s->out, ".");
    advice_constant_divisor(s);
    advice_narrower(s);
    advice_next(s);
}

const char *advice_least_times(const struct analysis *a)
{
    bool divisions = true, vectors = true;

    for (size_t i = 0; i < a->count; i++)
        if (a->rows[i].alone) {
            divisions &= is_division(a->rows[i].insn);
            vectors &= (a->rows[i].insn->traits & INSN_VECTOR) != 0;
        }
    return divisions ? "divisions or square roots" : vectors ? "slow vector instructions" : NULL;
}

void advice_say_microcode(const struct advice *s)
{
    const struct analysis *a = s->a;
    const char *slow = advice_least_times(a);
    const size_t start = s->out->length;

    str_addf(s->out, "%s take %.2f cycles per iteration%s; minimum cycles of each:",
             slow ? slow : "microcoded or serialising instructions", a->bounds[BOUND_ISSUE],
             slow ? ", longer than their ports are busy" : "");
    s->out->data[start] = (char)toupper(s->out->data[start]);
    for (size_t i = 0, named = 0; i < a->count && named < 3; i++)
        if (a->rows[i].alone) {
            str_addf(s->out, "%s %s %.2f", named++ ? "," : "", a->rows[i].insn->mnemonic,
                     a->rows[i].alone->cycles);
            insn_place_note(a->rows[i].insn, s->out);
        }
    str_add_char(s->out, '.');
    advice_next(s);
}
