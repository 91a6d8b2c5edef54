/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Versions that combine several iterations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "isa/rewrite.h"
#include "isa/vary.h"
#include "tune/version.h"
#include "tune/dataflow.h"

#define KINDS 64   /* maximum number of steps, sums, and parts of sums */

/* An addition of a constant to a register, at one place of the loop */
struct step {
    size_t at;
    uint8_t reg;
    int64_t by;
};

struct sum_at {
    size_t at;
    struct isa_sum sum;
    bool first;               /* whether this is the first addition to the register */
};

/* Register @reg, which has a part of the sum in register @of */
struct sum_part {
    uint8_t of, reg;
};

struct unrolling {
    const struct insn *insns;
    size_t count;             /* number of instructions, including the closing branch */
    unsigned times;
    struct step steps[KINDS];
    unsigned step_count;
    struct sum_at sums[KINDS];
    unsigned sum_count;
    struct sum_part parts[KINDS];
    unsigned part_count, turn;
    struct version *out;
};

static bool names(const struct insn *in, uint8_t reg)
{
    for (unsigned k = 0; k < in->operand_count; k++) {
        const struct operand *op = &in->operands[k];
        if ((op->kind == OPERAND_REGISTER && op->reg == reg) ||
            (op->kind == OPERAND_MEMORY && (op->base == reg || op->index == reg)))
            return true;
    }
    return false;
}

static bool writes(const struct insn *in, uint8_t reg)
{
    for (unsigned k = 0; k < in->operand_count; k++)
        if (dataflow_writes(in, k, reg))
            return true;
    return false;
}

static bool only_writer(const struct unrolling *u, size_t at, uint8_t reg)
{
    for (size_t i = 0; i < u->count; i++)
        if (i != at && writes(&u->insns[i], reg))
            return false;
    return true;
}

/* Returns whether instruction @at is a comparison whose flags only the closing branch uses. */
static bool is_closing_test(const struct unrolling *u, size_t at)
{
    const struct insn *in = &u->insns[at];

    if (in->operation != OPERATION_COMPARE && in->operation != OPERATION_TEST)
        return false;
    for (size_t i = at + 1; i + 1 < u->count; i++)
        if (u->insns[i].flags_read & in->flags_written)
            return false;
        else if (u->insns[i].flags_written & in->flags_written)
            return false;
    return true;
}

/* Finds the constant that @in adds to a 64-bit register. Returns false if @in is no such addition.
 * Stores the register in *@reg and the constant in *@by. */
static bool moves(const struct insn *in, uint8_t *reg, int64_t *by)
{
    const struct operand *result = insn_operand(in, in->result),
                         *second = insn_operand(in, in->inputs[1]), *memory = insn_memory(in);
    struct insn twice;

    if (!result || result->kind != OPERAND_REGISTER || result->file != FILE_GENERAL ||
        result->bits != 64)
        return false;
    *reg = result->reg;
    switch (in->operation) {
    case OPERATION_INCREMENT: *by = 1; break;
    case OPERATION_DECREMENT: *by = -1; break;
    case OPERATION_ADDRESS: *by = memory ? memory->displacement : 0; break;
    case OPERATION_ADD:
        *by = second && second->kind == OPERAND_IMMEDIATE ? second->immediate : 0;
        break;
    case OPERATION_SUBTRACT:
        *by = second && second->kind == OPERAND_IMMEDIATE ? -second->immediate : 0;
        break;
    default: return false;
    }
    return *by && rewrite_steps(in, 2, &twice);
}

/* Returns whether the closing branch itself counts iterations (instruction loop). A version
 * executes fewer branches, so such a branch would count too few iterations. */
static bool branch_counts(const struct unrolling *u)
{
    const struct insn *branch = &u->insns[u->count - 1];

    for (unsigned k = 0; k < branch->operand_count; k++)
        if (branch->operands[k].access & ACCESS_WRITE && branch->operands[k].file == FILE_GENERAL)
            return true;
    return false;
}

/* Returns whether an instruction reads flags of the previous iteration. */
static bool carries_flags(const struct unrolling *u)
{
    uint32_t written = 0;

    for (size_t i = 0; i < u->count; i++) {
        if (u->insns[i].flags_read & ~written)
            return true;
        written |= u->insns[i].flags_written;
    }
    return false;
}

/* Returns whether @reg is read only by addresses, or by the loop's closing test after the step. The
 * steps of the register can then be combined. The closing branch may use the flags of the step
 * itself if it depends only on zero or sign. */
static bool can_gather(const struct unrolling *u, size_t at, uint8_t reg)
{
    const struct insn *step = &u->insns[at], *branch = &u->insns[u->count - 1];
    /* inc and dec become add and sub, which also write the carry flag. */
    const uint32_t safe = FLAG_ZERO | FLAG_SIGN,
                   written = step->flags_written | (step->flags_written ? FLAG_CARRY : 0);

    if (!dataflow_flags_dead(u->insns, u->count - 1, at, written) && branch->flags_read & ~safe)
        return false;
    for (size_t i = 0; i + 1 < u->count; i++) {
        const struct insn *in = &u->insns[i];
        struct insn moved;
        if (i == at)
            continue;
        if (i > at && in->flags_read & (written) && !dataflow_flags_dead(u->insns, i, at, written))
            return false;
        for (unsigned k = 0; k < in->operand_count; k++) {
            const struct operand *op = &in->operands[k];
            const bool address =
                op->kind == OPERAND_MEMORY && (op->base == reg || op->index == reg);
            if (dataflow_reads(in, k, reg) && !(i > at && is_closing_test(u, i)))
                return false;
            if (address && (op->implicit || in->traits & INSN_STACK ||
                            in->operation == OPERATION_ADDRESS || !vary_moved(in, k, 64, &moved)))
                return false;
        }
    }
    return true;
}

static void find_steps(struct unrolling *u)
{
    struct step s;

    for (size_t i = 0; i + 1 < u->count && u->step_count < KINDS; i++)
        if (moves(&u->insns[i], &s.reg, &s.by) &&
            s.reg != isa_ops((enum isa)u->insns[0].isa)->stack_pointer &&
            only_writer(u, i, s.reg) && can_gather(u, i, s.reg)) {
            s.at = i;
            u->steps[u->step_count++] = s;
        }
}

/* Returns whether @reg is only used as the sum of additions whose flags are not read and whose
 * lanes may be reordered. */
static bool only_sums(const struct unrolling *u, uint8_t reg, bool reassociate)
{
    struct isa_sum sum;

    for (size_t i = 0; i < u->count; i++) {
        const struct insn *in = &u->insns[i];
        if (!names(in, reg))
            continue;
        if (i + 1 == u->count || !rewrite_sum(in, &sum) || sum.reg != reg ||
            (sum.lanes && !reassociate))
            return false;
        if (in->flags_written && !dataflow_flags_dead(u->insns, u->count - 1, i, in->flags_written))
            return false;
    }
    return true;
}

/* Finds the additions to accumulators that no other instruction of the loop reads. */
static void find_sums(struct unrolling *u, bool reassociate)
{
    struct isa_sum sum;

    for (size_t i = 0; i + 1 < u->count && u->sum_count < KINDS; i++) {
        if (!rewrite_sum(&u->insns[i], &sum) || !only_sums(u, sum.reg, reassociate))
            continue;
        bool first = true;
        for (unsigned k = 0; k < u->sum_count; k++)
            first &= u->sums[k].sum.reg != sum.reg;
        u->sums[u->sum_count++] = (struct sum_at){i, sum, first};
    }
}

static const struct step *step_at(const struct unrolling *u, size_t at)
{
    for (unsigned i = 0; i < u->step_count; i++)
        if (u->steps[i].at == at)
            return &u->steps[i];
    return NULL;
}

/* Adjusts the addresses of @in, instruction @at in copy @copy, by all combined steps that precede
 * this instruction. Returns false if an address cannot be encoded. */
static bool shift_addresses(const struct unrolling *u, size_t at, unsigned copy, struct insn *in)
{
    for (unsigned k = 0; k < in->operand_count; k++) {
        const struct operand *op = &in->operands[k];
        int64_t by = 0;
        if (op->kind != OPERAND_MEMORY)
            continue;
        for (unsigned s = 0; s < u->step_count; s++) {
            const struct step *step = &u->steps[s];
            const bool last = copy + 1 == u->times;
            const int64_t ahead = at < step->at ? (int64_t)copy : last ? 0 : (int64_t)copy + 1;
            by += op->base == step->reg ? ahead * step->by : 0;
            by += op->index == step->reg ? ahead * step->by * op->scale : 0;
        }
        const int64_t expected = op->displacement + by;
        struct insn moved;
        if (!by)
            continue;
        if (!vary_moved(in, k, by, &moved) || moved.operands[k].displacement != expected)
            return false;
        const uint32_t line = in->line, origin = in->origin;
        *in = moved;
        in->text = NULL;
        in->line = line;
        in->origin = origin;
    }
    return true;
}

static void append(struct unrolling *u, const struct insn *in, size_t origin)
{
    struct version *c = u->out;

    c->insns = mem_resize(c->insns, (c->count + 2) * sizeof *c->insns);
    c->origin = mem_resize(c->origin, (c->count + 2) * sizeof *c->origin);
    c->insns[c->count] = *in;
    c->origin[c->count++] = (uint32_t)origin;
}

/* Returns a register of @s's kind that neither the loop nor the code before it names, or
 * REG_NONE. */
static uint8_t free_register(const struct unrolling *u, const struct sum_at *s)
{
    const struct version *c = u->out;
    struct insn *all = mem_alloc((u->count + c->before.count) * sizeof *all);

    memcpy(all, u->insns, u->count * sizeof *all);
    for (size_t i = 0; i < c->before.count; i++)
        all[u->count + i] = c->before.items[i];
    const uint8_t reg = vary_free(all, u->count + c->before.count,
                                  (enum register_file)u->insns[s->at].operands[0].file, REG_NONE);
    free(all);
    return reg;
}

/* Finds a register for a part of sum @s. A new register is initialised before the loop and added to
 * the sum after the loop. If no register is free, returns the existing parts in turn. Returns false
 * for the sum's own register. Stores the register in *@reg. */
static bool part_of(struct unrolling *u, const struct sum_at *s, uint8_t *reg)
{
    struct version *c = u->out;
    struct insn begin, end;
    unsigned own = 0;

    *reg = u->part_count < KINDS ? free_register(u, s) : REG_NONE;
    if (*reg != REG_NONE) {
        if (!rewrite_sum_begin(&u->insns[s->at], *reg, &begin) ||
            !rewrite_sum_end(&u->insns[s->at], *reg, &end))
            return false;
        vec_push(&c->before, begin);
        vec_push(&c->after, end);
        c->fresh[*reg / 64] |= (uint64_t)1 << *reg % 64;
        u->parts[u->part_count++] = (struct sum_part){s->sum.reg, *reg};
        return true;
    }
    for (unsigned i = 0; i < u->part_count; i++)
        own += u->parts[i].of == s->sum.reg;
    /* Uses the registers in turn, including the sum's own register. */
    unsigned turn = own ? u->turn++ % (own + 1) : 0;
    for (unsigned i = 0; i < u->part_count && turn; i++)
        if (u->parts[i].of == s->sum.reg && --turn == 0)
            *reg = u->parts[i].reg;
    return *reg != REG_NONE;
}

/* Uses a separate register for sum @s in one copy. Returns false if the sum remains in its
 * register. */
static bool put_sum(struct unrolling *u, const struct sum_at *s, struct insn *in)
{
    struct version *c = u->out;
    struct insn changed = *in;
    uint8_t reg;

    if (!part_of(u, s, &reg))
        return false;
    for (unsigned k = 0; k < in->operand_count; k++) {
        struct insn next;
        if (!(s->sum.operands >> k & 1))
            continue;
        if (!vary_register(&changed, k, s->sum.reg, reg, &next))
            return false;
        changed = next;
    }
    c->lanes = s->sum.lanes ? s->sum.lanes : c->lanes;
    changed.text = NULL;
    changed.line = in->line;
    changed.origin = in->origin;
    *in = changed;
    return true;
}

/* Appends instruction @at of the loop in copy @copy. Returns false if that is impossible. */
static bool put_copy(struct unrolling *u, size_t at, unsigned copy)
{
    const bool last = copy + 1 == u->times;
    const struct step *step = step_at(u, at);
    struct insn in = u->insns[at];

    if (!last && (step || at + 1 == u->count || is_closing_test(u, at)))
        return true;
    if (step && u->times > 1) {
        if (!rewrite_steps(&u->insns[at], u->times, &in))
            return false;
        in.text = NULL;
        append(u, &in, at);
        return true;
    }
    if (!shift_addresses(u, at, copy, &in))
        return false;
    for (unsigned i = 0; i < u->sum_count; i++)
        if (u->sums[i].at == at && (copy || !u->sums[i].first))
            put_sum(u, &u->sums[i], &in);
    append(u, &in, at);
    return true;
}

struct version *version_unroll(const struct insn *insns, size_t count, unsigned times,
                               bool reassociate)
{
    struct unrolling u = {.insns = insns, .count = count, .times = times};
    char what[48];

    if (count < 2 || !(insns[count - 1].traits & INSN_CONDITIONAL) ||
        !(insns[count - 1].traits & INSN_BRANCH))
        return NULL;
    for (size_t i = 0; i + 1 < count; i++)
        if (!dataflow_plain(&insns[i]))
            return NULL;
    if (carries_flags(&u) || branch_counts(&u))
        return NULL;
    find_steps(&u);
    find_sums(&u, reassociate);
    u.out = version_new(insns, 0);
    u.out->times = times;
    u.out->flags = times > 1 ? FLAG_ZERO | FLAG_SIGN : FLAGS_ALL;
    snprintf(what, sizeof what, "%u iterations at once", times);
    if (times > 1)
        version_note(u.out, what);
    bool ok = true;
    for (unsigned copy = 0; ok && copy < times; copy++)
        for (size_t i = 0; ok && i < count; i++)
            ok = put_copy(&u, i, copy);
    if (u.out->before.count)
        version_note(u.out, "separate accumulators");
    if (ok && (times > 1 || u.out->before.count))
        return u.out;
    version_free(u.out);
    return NULL;
}
