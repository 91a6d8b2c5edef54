/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/cost.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/fusion.h"

static void add_mass(struct costs *costs, struct cost *row, portset ports, uint32_t count)
{
    if (costs->mass_count == costs->mass_capacity) {
        costs->mass_capacity = costs->mass_capacity ? 2 * costs->mass_capacity : 64;
        costs->masses = mem_resize(costs->masses, costs->mass_capacity * sizeof *costs->masses);
    }
    costs->masses[costs->mass_count++] = (struct mass){ports, count};
    row->count++;
}

static void add_usage(struct costs *costs, struct cost *row, const struct usage *usage)
{
    for (unsigned i = 0; i < usage->count; i++)
        add_mass(costs, row, usage->uops[i].ports, usage->uops[i].count);
}

/* Returns whether a micro-fused pair with an indexed address splits at rename (fact unlaminate).
 * With three-sources, a pair remains fused if it has at most two explicit operands. It must also
 * store or read the first operand. */
static bool splits_indexed(const struct core *c, const struct insn *insn, const struct cost *row)
{
    unsigned listed = 0;
    bool reads_first = false, writes_first = false;

    if (!(insn->traits & INSN_INDEXED) || c->unlamination == UNLAMINATE_NEVER)
        return false;
    if (c->unlamination == UNLAMINATE_ALL)
        return true;
    if (c->unlamination == UNLAMINATE_GENERAL)
        return row->issue == 1 && !(row->op->traits & OP_VECTOR || insn->traits & INSN_X87_MMX);
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        if (op->implicit)
            continue;
        reads_first |= listed == 0 && op->access & ACCESS_READ;
        writes_first |= listed == 0 && op->access & ACCESS_WRITE;
        listed++;
    }
    if (c->unlamination == UNLAMINATE_NOT_TWO_ADDRESS)
        return !(insn->traits & INSN_STORE) &&
               (insn->traits & INSN_VEX || !(reads_first && writes_first));
    if (insn->traits & INSN_STORE)
        return listed > 2;
    return listed > 2 || !reads_first;
}

/* Returns whether a fused general-register operation on a rip-relative operand splits (fact
 * unlaminate_relative). */
static bool splits_relative(const struct core *c, const struct insn *insn, const struct op *op)
{
    return c->unlaminate_relative && insn->traits & INSN_RIP_RELATIVE && !(op->traits & OP_VECTOR);
}

/* Returns whether a move has equal source and destination. Such moves are never eliminated. */
static bool moves_to_itself(const struct insn *insn)
{
    return insn->operand_count > 1 && insn->operands[0].reg == insn->operands[1].reg;
}

static bool writes(const struct insn *insn, uint8_t reg)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == OPERAND_REGISTER && insn->operands[i].access & ACCESS_WRITE &&
            insn->operands[i].reg == reg)
            return true;
    return false;
}

/* Returns whether move @at reads the result of an eliminated move of this or the previous iteration
 * (fact eliminate_once). */
static bool continues_moves(struct core *c, const struct insn *insns, size_t count, size_t at)
{
    const struct insn *move = &insns[at];

    if (!c->eliminates_once || !(core_op(c, move)->traits & OP_ELIMINATED) ||
        !fusion_eliminates_once(c->machine, move))
        return false;
    for (size_t k = 1; k < count; k++) {
        const struct insn *before = &insns[(at + count - k) % count];
        if (writes(before, move->operands[1].reg))
            return core_op(c, before)->traits & OP_ELIMINATED &&
                   fusion_eliminates_once(c->machine, before);
    }
    return false;
}

static void split(struct cost *row, unsigned slots)
{
    row->issue = row->retire = slots;
    row->flags |= ROW_SPLIT;
}

static void fill_slots(const struct core *c, const struct insn *insn, struct cost *row)
{
    const struct op *op = row->op;
    unsigned pairs = op->pairs;

    row->decode = row->issue = row->retire = op->micro_ops ? op->micro_ops : 1;
    if (!c->fused_domain && pairs && splits_indexed(c, insn, row))
        split(row, row->issue + pairs);
    if (!c->fused_domain || !pairs)
        return;
    bool relative = splits_relative(c, insn, op);
    if (insn->traits & INSN_RIP_RELATIVE &&
        (insn_immediate(insn) || (relative && insn->traits & INSN_STORE &&
                                  (insn->traits & INSN_LOAD || op->traits & OP_PURE_STORE))))
        pairs = 0;
    row->decode = row->issue = row->retire = op->micro_ops - pairs;
    if (pairs && (relative || splits_indexed(c, insn, row)))
        split(row, op->micro_ops);
}

/* Returns whether the instruction copies part of a register that rename keeps as a sum. Rename does
 * not eliminate such an instruction. */
static bool moves_part_of_sum(const struct insn *insn, const struct immediate_folding *sum)
{
    return insn->operands[0].file == FILE_GENERAL && sum->pending &&
           !(insn->traits & INSN_MOVE && insn->operands[0].bits == 64);
}

/* Adds a second execution of an operation, such as a shift, whose operand rename keeps as a sum.
 * The second execution occupies no issue slot. */
static void add_again(struct costs *costs, struct cost *row)
{
    for (uint32_t i = row->first, end = row->first + row->count; i < end; i++)
        if (costs->masses[i].count && portset_size(costs->masses[i].ports) > 1) {
            add_mass(costs, row, costs->masses[i].ports, 1);
            return;
        }
}

static void fill_row(struct core *c, const struct insn *insn, const struct immediate_folding *sum,
                     bool continues, struct costs *costs, struct cost *row)
{
    const struct op *op = core_op(c, insn);

    *row = (struct cost){.op = op,
                         .sum = *sum,
                         .first = (uint32_t)costs->mass_count,
                         .decode = 1,
                         .issue = 1,
                         .retire = 1};
    if (insn->traits & INSN_SKIPPED) {
        row->flags = ROW_SKIPPED;
        row->decode = row->issue = row->retire = 0;
        return;
    }
    row->flags = (insn->traits & INSN_LOAD ? ROW_LOAD : 0) |
                 (insn->traits & INSN_STORE ? ROW_STORE : 0) |
                 (op->traits & OP_NOT_LAST ? ROW_NOT_LAST : 0);
    bool same = op->traits & (OP_SAME_ZERO | OP_SAME_ONES) && insn_same_sources(insn);
    if ((insn->traits & INSN_ZERO_IDIOM && !(op->traits & OP_KEEPS_ZERO)) ||
        (same && op->traits & OP_SAME_ZERO)) {
        row->flags |= ROW_ZERO;
        return;
    }
    if (op->traits & OP_ELIMINATED && !moves_to_itself(insn) && !moves_part_of_sum(insn, sum) &&
        !continues) {
        row->flags |= ROW_ELIMINATED;
        return;
    }
    if (sum->adds) {
        row->flags |= ROW_SUM;
        if (sum->executed > 50 && c->add)
            add_usage(costs, row, c->add);
        return;
    }
    if (insn->traits & INSN_NOP)
        return;
    if (!(op->traits & OP_KNOWN)) {
        row->flags |= ROW_UNKNOWN;
        costs->unknown = true;
        return;
    }
    row->flags |= (insn->traits & INSN_ONES_IDIOM || same ? ROW_ONES : 0) |
                  (op->traits & OP_APPROXIMATE ? ROW_APPROXIMATE : 0) |
                  (op->traits & OP_PIPE ? ROW_PIPE : 0) | (op->traits & OP_FIRST ? ROW_FIRST : 0) |
                  (op->estimate ? ROW_ESTIMATE : 0);
    costs->estimate |= op->estimate != NULL;
    /* A move to itself is executed, even if the table has a usage without µops for its form. */
    bool executed = op->traits & OP_ELIMINATED && !op->usage.count && c->add &&
                    !isnan(c->immediate_folding) && insn->operands[0].file == FILE_GENERAL &&
                    moves_to_itself(insn);
    add_usage(costs, row,
              executed                                                       ? c->add
              : (insn->traits & INSN_STORE) && (insn->traits & INSN_INDEXED) ? &op->indexed
                                                                             : &op->usage);
    if (sum->pending && op->traits & OP_SUM_AGAIN)
        add_again(costs, row);
    fill_slots(c, insn, row);
}

/* Replaces the µops of both instructions with the µops of the branch and of the first instruction's
 * load. The first instruction's operation then has no µop. */
static void fuse(struct core *c, struct costs *costs, size_t at, const struct insn *insns)
{
    struct cost *first = &costs->rows[at], *branch = &costs->rows[at + 1];
    portset load = 0;

    if (first->flags & ROW_LOAD) {
        struct insn plain = insns[at];
        strcpy(plain.form, c->isa->compare_form);
        const struct mapping_entry *operation = fusion_resolve(c->machine, &plain);
        for (uint32_t i = 0; i < first->count; i++)
            if (!operation || !operation->usage.count ||
                costs->masses[first->first + i].ports != operation->usage.uops[0].ports)
                load = costs->masses[first->first + i].ports;
    }
    costs->mass_count = first->first;
    first->count = branch->count = 0;
    add_usage(costs, first, &branch->op->usage);
    if (load)
        add_mass(costs, first, load, 1);
    branch->first = (uint32_t)costs->mass_count;
    first->flags = (first->flags & ~(uint32_t)ROW_SUM) | ROW_FUSED;
    branch->flags |= ROW_FUSED_INTO;
    branch->decode = branch->issue = branch->retire = 0;
    if (first->flags & ROW_SPLIT)
        return;
    first->decode = first->issue = first->retire = 1;
}

static bool names_stack_pointer(const struct insn *insn)
{
    uint8_t sp = isa_ops((enum isa)insn->isa)->stack_pointer;
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        if (op->implicit ? false
            : op->kind == OPERAND_REGISTER
                ? op->reg == sp
                : op->kind == OPERAND_MEMORY && (op->base == sp || op->index == sp))
            return true;
    }
    return false;
}

/* Returns whether the instruction computes the stack pointer from its old value. An addition of a
 * constant counts only if fact stack_pointer_sync is "computed". */
static bool changes_stack_pointer(const struct core *c, const struct insn *insn)
{
    bool reads = false, writes = false,
         adds = insn->operation == OPERATION_ADD || insn->operation == OPERATION_SUBTRACT;

    for (unsigned i = 0; i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        if (op->implicit || op->kind != OPERAND_REGISTER || op->reg != c->isa->stack_pointer)
            continue;
        reads |= op->access & ACCESS_READ;
        writes |= op->access & ACCESS_WRITE;
    }
    return reads && writes && (c->stack_sync_computed || !(adds && insn_immediate(insn)));
}

/* Returns whether an instruction reads the stack pointer's value, and so needs a stack-sync µop
 * (fact stack_pointer_sync). */
static bool needs_stack_pointer(const struct core *c, const struct insn *insn)
{
    return c->stack_sync_all ? names_stack_pointer(insn) : changes_stack_pointer(c, insn);
}

/* Marks the instructions that need a stack-sync µop. The stack engine adds up the pushes and pops
 * in an offset. @shifted: whether the offset differs from 0 before the first instruction. Returns
 * whether it differs from 0 after the last instruction. */
static bool stack_pass(const struct core *c, const struct insn *insns, size_t count, bool shifted,
                       struct costs *costs)
{
    for (size_t i = 0; i < count; i++) {
        bool needs = needs_stack_pointer(c, &insns[i]);
        if (costs && shifted && needs && !(costs->rows[i].flags & ROW_FUSED_INTO))
            costs->rows[i].flags |= ROW_SYNC;
        if (needs)
            shifted = false;
        if (costs ? costs->rows[i].op->traits & OP_STACK : false)
            shifted = true;
    }
    return shifted;
}

static void add_stack_syncs(const struct core *c, const struct insn *insns, size_t count,
                            struct costs *costs)
{
    bool any = false;
    for (size_t i = 0; i < count && !any; i++)
        any = costs->rows[i].op->traits & OP_STACK;
    if (!any || !c->stack_engine)
        return;
    bool shifted = stack_pass(c, insns, count, true, costs);
    for (size_t i = 0; i < count; i++)
        costs->rows[i].flags &= ~(uint32_t)ROW_SYNC;
    stack_pass(c, insns, count, shifted, costs);
    for (size_t i = 0; i < count; i++)
        if (costs->rows[i].flags & ROW_SYNC) {
            costs->rows[i].issue++;
            costs->rows[i].retire++;
        }
}

/* Appends the stack-sync µops to the masses of their rows, from the last row to the first. */
static void add_sync_masses(const struct core *c, struct costs *costs)
{
    size_t syncs = 0;
    for (size_t i = 0; i < costs->count; i++)
        syncs += (costs->rows[i].flags & ROW_SYNC) != 0;
    if (!syncs || !c->stack_pointer_sync)
        return;
    struct mass sync = {c->stack_pointer_sync->uops[0].ports, 1};
    for (size_t i = 0; i < syncs; i++)
        add_mass(costs, &(struct cost){0}, sync.ports, sync.count);
    size_t to = costs->mass_count;
    for (size_t i = costs->count; i-- > 0 && syncs;) {
        struct cost *row = &costs->rows[i];
        bool synced = row->flags & ROW_SYNC;
        if (synced)
            costs->masses[--to] = sync;
        to -= row->count;
        memmove(&costs->masses[to], &costs->masses[row->first], row->count * sizeof *costs->masses);
        row->first = (uint32_t)to;
        row->count += synced;
        syncs -= synced;
    }
}

/* Fuses each nop with the previous instruction, possibly of the previous iteration. An instruction
 * fuses with at most one nop (fact fuse_nop). */
static void fuse_nops(const struct insn *insns, size_t count, struct costs *costs)
{
    size_t plain = 0;

    while (plain < count && insns[plain].traits & INSN_NOP)
        plain++;
    bool joined = false;
    for (size_t k = 0; k < count; k++) {
        size_t at = (plain + k) % count;
        struct cost *row = &costs->rows[at];
        joined = insns[at].traits & INSN_NOP && !joined && k > 0;
        if (joined)
            row->decode = row->issue = row->retire = 0;
    }
}

/* Fuses a register move with the following operation (fact fuse_move). */
static void fuse_moves(const struct core *c, const struct insn *insns, size_t count,
                       struct costs *costs)
{
    for (size_t i = 0; i + 1 < count; i++) {
        struct cost *row = &costs->rows[i];
        if (!(row->flags & ROW_ELIMINATED) ||
            row[1].flags & (ROW_FUSED | ROW_ZERO | ROW_SUM | ROW_ELIMINATED | ROW_SKIPPED) ||
            !fusion_moves(c->machine, &insns[i], &insns[i + 1]))
            continue;
        row->flags |= ROW_JOINS;
        row->decode = row->issue = row->retire = 0;
    }
}

static bool is_wide(const struct insn *insn)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind != OPERAND_IMMEDIATE && insn->operands[i].bits == 512)
            return true;
    return false;
}

/* Removes ports that execute no vector µops while 512-bit operations run (fact wide_closes). */
static void close_ports(const struct core *c, const struct insn *insns, struct costs *costs)
{
    bool any = false;

    for (size_t i = 0; i < costs->count && !any; i++)
        any = is_wide(&insns[i]);
    for (size_t i = 0; any && i < costs->count; i++) {
        const struct cost *row = &costs->rows[i];
        for (uint32_t k = row->first; row->op->traits & OP_VECTOR && k < row->first + row->count;
             k++)
            if (costs->masses[k].ports & ~c->wide_closes)
                costs->masses[k].ports &= ~c->wide_closes;
    }
}

void costs_fill(struct core *c, const struct insn *insns, size_t count, struct costs *out)
{
    static const struct immediate_folding none = {0};

    out->count = count;
    out->mass_count = 0;
    out->unknown = out->estimate = false;
    if (out->capacity < count) {
        out->capacity = 2 * count;
        out->rows = mem_resize(out->rows, out->capacity * sizeof *out->rows);
        out->sums = mem_resize(out->sums, out->capacity * sizeof *out->sums);
    }
    bool sums = sums_find(c, insns, count, out->sums);
    for (size_t i = 0; i < count; i++) {
        fill_row(c, &insns[i], sums ? &out->sums[i] : &none, continues_moves(c, insns, count, i),
                 out, &out->rows[i]);
        if (i && insns[i].traits & INSN_CONDITIONAL &&
            !((out->rows[i].flags | out->rows[i - 1].flags) & (ROW_UNKNOWN | ROW_SKIPPED)) &&
            fusion_pairs(c->machine, &insns[i - 1], &insns[i]))
            fuse(c, out, i - 1, insns);
    }
    if (c->fuse_nop && count)
        fuse_nops(insns, count, out);
    if (c->fuses_moves)
        fuse_moves(c, insns, count, out);
    if (c->wide_closes)
        close_ports(c, insns, out);
    add_stack_syncs(c, insns, count, out);
    add_sync_masses(c, out);
}

double costs_alone(const struct costs *costs)
{
    double sum = 0;

    for (size_t i = 0; i < costs->count; i++)
        sum += costs->rows[i].op->alone ? costs->rows[i].op->alone->cycles : 0;
    return sum;
}

void costs_done(struct costs *costs)
{
    free(costs->rows);
    free(costs->sums);
    free(costs->masses);
    *costs = (struct costs){0};
}

enum shape shape_of(const struct insn *insns, size_t count)
{
    while (count && insns[count - 1].traits & INSN_SKIPPED)
        count--;
    return count && insns[count - 1].traits & INSN_BRANCH &&
                   !(insns[count - 1].traits & (INSN_CALL | INSN_RETURN))
               ? SHAPE_LOOP
               : SHAPE_UNROLLED;
}
