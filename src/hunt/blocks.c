/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hunt/blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "isa/vary.h"
#include "toolchain/assemble.h"

#define OFFSET_STEPS 4    /* number of possible offsets of an address */
/* distance between possible offsets in bytes; at this distance, accesses overlap or are adjacent */
#define OFFSET_STEP 4

/* Register pools. In every instruction set, the general registers with these numbers are not
 * reserved. Random registers are from the first few of a pool, so instructions share registers. */
static const uint8_t data_pool[] = {0, 1, 2, 6, 8, 9, 12, 13, 14},
                     address_pool[] = {3, 7, 10, 11, 15}, index_pool[] = {5, 15},
                     mask_pool[] = {49, 50, 51, 52, 53, 54};
#define VECTOR_POOL 16
#define DRAWN_DATA 6
#define DRAWN_OTHER 3
/* one in COMPUTED registers of addresses may be written by the block */
#define COMPUTED 4
#define STACKED 5           /* one in STACKED base registers is the stack pointer */
#define INDEXED 8           /* one in INDEXED addresses has an index register */
#define TRIES 1000          /* maximum number of draws to find a suitable form */

struct block_maker {
    enum isa isa;
    struct insn *insns;       /* one instruction per form */
    double *reach;
    size_t count;
};

/* Returns 1 for a push and -1 for a pop of a full register, and 0 for other instructions. */
static int stack_step(const struct insn *in)
{
    if (!(in->traits & INSN_STACK) || in->traits & INSN_BRANCH || !in->operand_count ||
        in->operands[0].implicit)
        return 0;
    for (unsigned k = 0; k < in->operand_count; k++)
        if (in->operands[k].implicit && in->operands[k].kind == OPERAND_MEMORY &&
            in->operands[k].bits == 64)
            return in->operands[k].access & ACCESS_WRITE ? 1 : -1;
    return 0;
}

/* Returns whether blocks may contain @in. The time of @in must not depend on values, and execution
 * must continue with the next instruction. */
static bool suits(const struct insn *in)
{
    return (in->traits & INSN_RUNNABLE) &&
           !(in->traits & (INSN_BRANCH | INSN_CALL | INSN_RETURN | INSN_SYSTEM | INSN_RIP_RELATIVE |
                           INSN_X87_MMX | INSN_UNDECODED)) &&
           (!(in->traits & INSN_STACK) || stack_step(in)) && in->operation != OPERATION_STRING &&
           in->operation != OPERATION_FENCE && in->operation != OPERATION_TRAP &&
           in->operation != OPERATION_DIVIDE;
}

static void take_forms(struct block_maker *m, const struct assembled *a,
                       const struct block_form *forms, size_t count,
                       bool (*usable)(void *, const struct insn *), void *state)
{
    double sum = 0;

    for (size_t i = 0; i < a->line_count; i++) {
        struct insn *in = &m->insns[m->count];
        size_t line = a->lines[i].line - 1, at = a->lines[i].offset;
        if (line >= count || !insn_decode(m->isa, a->code + at, a->length - at, 0, false, in, NULL))
            continue;
        if (strcmp(in->form, forms[line].row->form) != 0 || !suits(in) ||
            (usable && !usable(state, in)))
            continue;
        sum += sqrt(forms[line].uses);
        m->reach[m->count++] = sum;
    }
}

struct block_maker *block_maker_new(enum isa isa, const struct block_form *forms, size_t count,
                                    bool (*usable)(void *state, const struct insn *in), void *state,
                                    struct err *err)
{
    struct block_maker *m = mem_zero(1, sizeof *m);
    struct assembled a = {0};
    struct str text = {0};

    m->isa = isa;
    m->insns = mem_zero(count + 1, sizeof *m->insns);
    m->reach = mem_zero(count + 1, sizeof *m->reach);
    for (size_t i = 0; i < count; i++) {
        form_instance(forms[i].row, &text);
        str_add_char(&text, '\n');
    }
    bool ok = assemble(isa, "forms", str_text(&text), text.length, SYNTAX_INTEL, true, &a, err);
    if (ok)
        take_forms(m, &a, forms, count, usable, state);
    assembled_done(&a);
    str_done(&text);
    if (ok && m->count)
        return m;
    if (ok)
        err_set(err, ERR_DATA, NULL, "no form can be used in random blocks");
    block_maker_free(m);
    return NULL;
}

void block_maker_free(struct block_maker *m)
{
    if (!m)
        return;
    free(m->insns);
    free(m->reach);
    free(m);
}

size_t block_maker_forms(const struct block_maker *m)
{
    return m->count;
}

const struct insn *block_maker_insn(const struct block_maker *m, uint32_t form)
{
    return &m->insns[form];
}

uint32_t block_maker_draw(const struct block_maker *m, struct rng *rng)
{
    double at = rng_unit(rng) * m->reach[m->count - 1];
    size_t low = 0, high = m->count - 1;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (m->reach[middle] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return (uint32_t)low;
}

static void add_slot(struct slot *out, size_t *n, size_t insn, unsigned operand,
                     enum slot_role role, uint8_t file, uint8_t reg)
{
    if (*n < BLOCK_SLOTS)
        out[(*n)++] = (struct slot){(uint8_t)insn, (uint8_t)operand, role, file, reg};
}

size_t block_slots(const struct random_block *b, struct slot *out)
{
    size_t n = 0;

    for (size_t i = 0; i < b->count; i++)
        for (unsigned k = 0; k < b->insns[i].operand_count; k++) {
            const struct operand *op = &b->insns[i].operands[k];
            if (op->implicit || op->offset_bits)
                continue;
            if (op->kind == OPERAND_REGISTER &&
                (op->file == FILE_GENERAL || op->file == FILE_VECTOR || op->file == FILE_MASK))
                add_slot(out, &n, i, k, SLOT_DATA, op->file, op->reg);
            if (op->kind != OPERAND_MEMORY)
                continue;
            if (op->base != REG_NONE)
                add_slot(out, &n, i, k, SLOT_BASE, FILE_GENERAL, op->base);
            if (op->index != REG_NONE)
                add_slot(out, &n, i, k, SLOT_INDEX,
                         op->index < isa_ops((enum isa)b->insns[i].isa)->generals ? FILE_GENERAL
                                                                                  : FILE_VECTOR,
                         op->index);
        }
    return n;
}

uint8_t block_register_at(enum isa isa, const struct slot *slot, unsigned n)
{
    if (slot->file == FILE_VECTOR)
        return (uint8_t)(isa_ops(isa)->vectors + n % VECTOR_POOL);
    if (slot->file == FILE_MASK)
        return mask_pool[n % sizeof mask_pool];
    return slot->role == SLOT_DATA    ? data_pool[n % sizeof data_pool]
           : slot->role == SLOT_INDEX ? index_pool[n % sizeof index_pool]
                                      : address_pool[n % sizeof address_pool];
}

uint8_t block_register(enum isa isa, const struct slot *slot, struct rng *rng)
{
    bool data = slot->role == SLOT_DATA && slot->file != FILE_MASK;

    if (slot->role == SLOT_BASE && !rng_below(rng, STACKED))
        return isa_ops(isa)->stack_pointer;
    if (slot->role != SLOT_DATA && slot->file == FILE_GENERAL && !rng_below(rng, COMPUTED))
        return data_pool[rng_below(rng, DRAWN_DATA)];
    return block_register_at(isa, slot, (unsigned)rng_below(rng, data ? DRAWN_DATA : DRAWN_OTHER));
}

bool block_set_register(struct random_block *b, const struct slot *slot, uint8_t reg)
{
    struct insn *in = &b->insns[slot->insn], changed;
    const struct operand *op = &in->operands[slot->operand];
    uint8_t from = slot->role == SLOT_BASE    ? op->base
                   : slot->role == SLOT_INDEX ? op->index
                                              : op->reg;

    if (from == reg)
        return true;
    /* Base and index of an address must differ, because otherwise a change of one register would
     * change both. */
    if (slot->role != SLOT_DATA &&
        (op->base == op->index || reg == (slot->role == SLOT_BASE ? op->index : op->base)))
        return false;
    if (reg == isa_ops((enum isa)in->isa)->stack_pointer &&
        (slot->role != SLOT_BASE || op->access & ACCESS_WRITEBACK))
        return false;
    if (!vary_register(in, slot->operand, from, reg, &changed))
        return false;
    *in = changed;
    return true;
}

/* Returns the index of the operand with a replaceable address, or INSN_NO_OPERAND. */
static unsigned address_of(const struct insn *in)
{
    for (unsigned k = 0; k < in->operand_count; k++)
        if (in->operands[k].kind == OPERAND_MEMORY && !in->operands[k].implicit)
            return k;
    return INSN_NO_OPERAND;
}

bool block_move_address(struct random_block *b, size_t at, int64_t bytes)
{
    struct insn *in = &b->insns[at], changed;
    unsigned k = address_of(in);

    if (bytes <= 0)
        return bytes == 0;
    if (k == INSN_NO_OPERAND || !vary_moved(in, k, bytes, &changed))
        return false;
    *in = changed;
    return true;
}

static bool index_address(struct random_block *b, size_t at, uint8_t index, uint8_t scale,
                          int64_t displacement)
{
    struct insn *in = &b->insns[at], changed;
    unsigned k = address_of(in);

    if (k == INSN_NO_OPERAND || in->operands[k].index != REG_NONE ||
        in->operands[k].base == index || !vary_indexed(in, k, index, scale, displacement, &changed))
        return false;
    *in = changed;
    return true;
}

void block_copy_address(struct random_block *b, size_t at, const struct insn *like)
{
    unsigned k = address_of(like), own = address_of(&b->insns[at]);

    if (k == INSN_NO_OPERAND || own == INSN_NO_OPERAND)
        return;
    const struct operand *to = &like->operands[k];
    if (to->index != REG_NONE && index_address(b, at, to->index, to->scale, to->displacement))
        return;
    block_move_address(b, at, to->displacement - b->insns[at].operands[own].displacement);
}

static void random_address(struct random_block *b, size_t at, struct rng *rng)
{
    block_move_address(b, at, (int64_t)(OFFSET_STEP * rng_below(rng, OFFSET_STEPS)));
    unsigned k = address_of(&b->insns[at]);
    if (k != INSN_NO_OPERAND && !rng_below(rng, INDEXED))
        index_address(b, at, index_pool[0],
                      (uint8_t)(rng_below(rng, 2) ? 1 : 2u << rng_below(rng, 3)),
                      b->insns[at].operands[k].displacement);
}

bool block_mixed(const struct random_block *b)
{
    uint32_t seen = 0;

    for (size_t i = 0; i < b->count; i++)
        seen |= b->insns[i].traits;
    return (seen & INSN_LEGACY_SSE) && (seen & INSN_VEX);
}

/* Draws a form whose stack_step is @step for instruction @at. Returns false and changes nothing if
 * TRIES draws find no such form. */
static bool draw_step(const struct block_maker *m, struct random_block *b, size_t at, int step,
                      struct rng *rng)
{
    struct insn was = b->insns[at];

    for (unsigned i = 0; i < TRIES; i++) {
        uint32_t form = block_maker_draw(m, rng);
        if (stack_step(&m->insns[form]) != step)
            continue;
        b->insns[at] = m->insns[form];
        if (!block_mixed(b)) {
            b->forms[at] = form;
            return true;
        }
    }
    b->insns[at] = was;
    return false;
}

/* Balances pushes and pops: replaces another instruction by the missing counterpart. If that fails,
 * tries to replace the push or pop. */
static void balance_stack(const struct block_maker *m, struct random_block *b, struct rng *rng)
{
    bool paired[BLOCK_INSNS] = {0};

    for (size_t i = 0; i < b->count; i++) {
        int step = stack_step(&b->insns[i]);
        size_t other = i, from = rng_below(rng, b->count);
        for (size_t k = i + 1; k < b->count && other == i; k++)
            other = step && !paired[k] && stack_step(&b->insns[k]) == -step ? k : i;
        bool found = paired[i] || !step || other != i;
        for (size_t k = 0; k < b->count && !found; k++) {
            other = (from + k) % b->count;
            found =
                other != i && !stack_step(&b->insns[other]) && draw_step(m, b, other, -step, rng);
        }
        if (!found)
            draw_step(m, b, i, 0, rng);
        else if (step && !paired[i])
            paired[i] = paired[other] = true;
    }
}

void block_random(const struct block_maker *m, size_t count, struct rng *rng,
                  struct random_block *out)
{
    struct slot slots[BLOCK_SLOTS];

    for (size_t i = 0; i < count; i++) {
        out->count = i + 1;
        do {
            out->forms[i] = block_maker_draw(m, rng);
            out->insns[i] = m->insns[out->forms[i]];
        } while (block_mixed(out));   /* The loop ends, because a block of one form is never
                                       * mixed. */
    }
    balance_stack(m, out, rng);
    for (size_t i = 0; i < count; i++)
        random_address(out, i, rng);
    size_t n = block_slots(out, slots);
    for (size_t i = 0; i < n; i++)
        block_set_register(out, &slots[i], block_register(m->isa, &slots[i], rng));
}

void block_insert(struct random_block *b, size_t at, const struct random_block *of, size_t from)
{
    memmove(&b->insns[at + 1], &b->insns[at], (b->count - at) * sizeof *b->insns);
    memmove(&b->forms[at + 1], &b->forms[at], (b->count - at) * sizeof *b->forms);
    b->insns[at] = of->insns[from];
    b->forms[at] = of->forms[from];
    b->count++;
}

void block_without(struct random_block *b, size_t at)
{
    b->count--;
    memmove(&b->forms[at], &b->forms[at + 1], (b->count - at) * sizeof *b->forms);
    memmove(&b->insns[at], &b->insns[at + 1], (b->count - at) * sizeof *b->insns);
}

void block_print(const struct random_block *b, const char *separator, struct str *out)
{
    for (size_t i = 0; i < b->count; i++) {
        struct insn in = {0};
        str_add(out, i ? separator : "");
        if (insn_decode((enum isa)b->insns[i].isa, b->insns[i].bytes, b->insns[i].length, 0, true,
                        &in, NULL))
            str_add(out, in.text);
        insn_done(&in);
    }
}

void block_hex(const struct random_block *b, struct str *out)
{
    for (size_t i = 0; i < b->count; i++)
        for (unsigned k = 0; k < b->insns[i].length; k++)
            str_addf(out, "%02x", b->insns[i].bytes[k]);
}
