/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tune/dataflow.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

#define FLAG_BITS 7
#define RESOURCES (INSN_REGISTERS + FLAG_BITS)
#define BEFORE (-1)   /* index that means values from before the loop */

/* A read or write of a register or flag by an instruction */
struct touch {
    uint32_t insn;
    uint8_t resource;
    bool writes;
    int32_t from;      /* index of the instruction that produces the value of a read, or BEFORE */
};

/* A value in an address: a symbolic value plus a constant */
struct sum { uint32_t symbol; int64_t constant; };

struct spot {
    uint32_t insn;
    bool writes, known;
    uint32_t base, index;  /* symbolic values of base and index */
    uint8_t scale, segment;
    int64_t at;
    unsigned bytes;
};

struct pair { uint32_t first, second; };

struct dataflow {
    const struct insn *insns;
    size_t count;
    VEC(struct touch) touches;      /* reads and writes, sorted by instruction, reads first */
    /* per instruction, index of its first touch; count + 1 elements */
    uint32_t *first;
    int32_t last[RESOURCES];        /* per resource, its last producer */
    VEC(struct pair) pairs;         /* pairs of instructions whose order is fixed */
    /* whether an instruction is VEX-encoded; legacy instructions then preserve the upper bits of
     * vector registers, from bit 128 */
    bool mixed;
    uint32_t *placed;               /* temporary array of positions, for one caller at a time */
};

bool dataflow_plain(const struct insn *in)
{
    const uint32_t never = INSN_BRANCH | INSN_CALL | INSN_RETURN | INSN_LOCK | INSN_X87_MMX |
                           INSN_SYSTEM | INSN_UNDECODED;

    return in->traits & INSN_RUNNABLE && !(in->traits & never) &&
           in->operation != OPERATION_OTHER && in->operation != OPERATION_FENCE &&
           in->operation != OPERATION_STRING && in->operation != OPERATION_TRAP &&
           in->operation != OPERATION_COMPARE_EXCHANGE;
}

static bool followed(const struct operand *op)
{
    return op->kind == OPERAND_REGISTER && op->reg < INSN_REGISTERS && op->file != FILE_NONE &&
           op->file != FILE_PC && op->file != FILE_FLAGS && op->file != FILE_OTHER;
}

bool dataflow_writes(const struct insn *in, unsigned k, uint8_t reg)
{
    return followed(&in->operands[k]) && in->operands[k].reg == reg &&
           in->operands[k].access & ACCESS_WRITE;
}

bool dataflow_reads(const struct insn *in, unsigned k, uint8_t reg)
{
    const struct operand *op = &in->operands[k];
    const bool writes = dataflow_writes(in, k, reg);

    if (!followed(op) || op->reg != reg)
        return false;
    const bool keeps =
        writes && (op->access & ACCESS_CONDITIONAL || (op->file == FILE_GENERAL && op->bits < 32) ||
                   (k == 0 && in->traits & INSN_KEEPS_OLD));
    return keeps ||
           (op->access & ACCESS_READ && !(in->traits & (INSN_ZERO_IDIOM | INSN_ONES_IDIOM)));
}

static void touch(struct dataflow *f, size_t at, unsigned resource, bool writes)
{
    for (size_t i = f->first[at]; i < f->touches.count; i++)
        if (f->touches.items[i].resource == resource && f->touches.items[i].writes == writes)
            return;
    vec_push(&f->touches, ((struct touch){(uint32_t)at, (uint8_t)resource, writes, BEFORE}));
}

static void touch_flags(struct dataflow *f, size_t at, uint32_t mask, bool writes)
{
    for (unsigned bit = 0; bit < FLAG_BITS; bit++)
        if (mask >> bit & 1)
            touch(f, at, INSN_REGISTERS + bit, writes);
}

/* Returns the flags that @in reads. A shift by a register also reads the flags that it writes,
 * because a count of 0 preserves them. */
static uint32_t flags_read(const struct insn *in)
{
    return in->flags_read |
           (in->flags_written && insn_count_in_register(in) ? in->flags_written : 0);
}

static void collect(struct dataflow *f, size_t at)
{
    const struct insn *in = &f->insns[at];

    f->first[at] = (uint32_t)f->touches.count;
    for (unsigned k = 0; k < in->operand_count; k++) {
        const struct operand *op = &in->operands[k];
        if (op->kind == OPERAND_MEMORY && op->base < REG_PC)
            touch(f, at, op->base, false);
        if (op->kind == OPERAND_MEMORY && op->index < REG_PC)
            touch(f, at, op->index, false);
        const bool upper = f->mixed && in->traits & INSN_LEGACY_SSE && op->file == FILE_VECTOR;
        if (followed(op) &&
            (dataflow_reads(in, k, op->reg) || (upper && op->access & ACCESS_WRITE)))
            touch(f, at, op->reg, false);
    }
    touch_flags(f, at, flags_read(in), false);
    for (unsigned k = 0; k < in->operand_count; k++)
        if (followed(&in->operands[k]) && dataflow_writes(in, k, in->operands[k].reg))
            touch(f, at, in->operands[k].reg, true);
    touch_flags(f, at, in->flags_written, true);
    f->first[at + 1] = (uint32_t)f->touches.count;
}

/* Finds the producer of each read in order @order, and the final producers in @last. If @set is
 * true, records the producers. Otherwise returns false if a read has another producer than the
 * recorded one. */
static bool walk(const struct dataflow *f, const uint32_t *order, bool set, int32_t last[RESOURCES])
{
    for (size_t r = 0; r < RESOURCES; r++)
        last[r] = BEFORE;
    for (size_t i = 0; i < f->count; i++) {
        const uint32_t at = order ? order[i] : (uint32_t)i;
        for (uint32_t t = f->first[at]; t < f->first[at + 1]; t++) {
            struct touch *one = &f->touches.items[t];
            if (one->writes)
                last[one->resource] = (int32_t)at;
            else if (set)
                one->from = last[one->resource];
            else if (one->from != last[one->resource])
                return false;
        }
    }
    return true;
}

static int64_t constant_of(const struct insn *in)
{
    const struct operand *second = insn_operand(in, in->inputs[1]);
    const int64_t given = second && second->kind == OPERAND_IMMEDIATE ? second->immediate : 0;

    switch (in->operation) {
    case OPERATION_ADD: return given;
    case OPERATION_SUBTRACT: return -given;
    case OPERATION_INCREMENT: return 1;
    case OPERATION_DECREMENT: return -1;
    default: return 0;
    }
}

/* Computes the result of @in if it is another register's value plus a constant. Returns false for
 * other results, narrow addresses and load-store instruction sets. */
static bool follow(const struct insn *in, const struct sum *registers, struct sum *out)
{
    const struct operand *first = insn_operand(in, in->inputs[0]),
                         *second = insn_operand(in, in->inputs[1]), *memory = insn_memory(in);
    const bool alone = in->operation == OPERATION_INCREMENT ||
                       in->operation == OPERATION_DECREMENT || in->operation == OPERATION_MOVE;
    const bool steps = in->operation == OPERATION_ADD || in->operation == OPERATION_SUBTRACT;

    if (isa_ops((enum isa)in->isa)->load_store || in->traits & INSN_NARROW_ADDRESS)
        return false;
    if (in->operation == OPERATION_ADDRESS && memory && memory->base < REG_PC &&
        memory->index == REG_NONE) {
        *out = (struct sum){registers[memory->base].symbol,
                            registers[memory->base].constant + memory->displacement};
        return true;
    }
    if (!first || first->kind != OPERAND_REGISTER || first->file != FILE_GENERAL ||
        first->bits != 64 || !(alone || (steps && second && second->kind == OPERAND_IMMEDIATE)))
        return false;
    *out = (struct sum){registers[first->reg].symbol,
                        registers[first->reg].constant + constant_of(in)};
    return true;
}

struct spots { VEC(struct spot) list; };

static void add_spots(struct spots *p, const struct insn *in, size_t at,
                      const struct sum *registers)
{
    for (unsigned k = 0; k < in->operand_count; k++) {
        const struct operand *op = &in->operands[k];
        if (op->kind != OPERAND_MEMORY || !(op->access & (ACCESS_READ | ACCESS_WRITE)) || !op->bits)
            continue;
        struct spot place = {.insn = (uint32_t)at,
                             .writes = op->access & ACCESS_WRITE,
                             .scale = op->scale,
                             .segment = op->segment,
                             .bytes = op->bits / 8,
                             .at = op->displacement};
        place.known = !op->implicit && op->base < REG_PC &&
                      (op->index == REG_NONE || op->index < isa_ops((enum isa)in->isa)->generals) &&
                      !(in->traits & (INSN_WRITEBACK | INSN_NARROW_ADDRESS));
        if (place.known) {
            place.base = registers[op->base].symbol;
            place.at += registers[op->base].constant;
            place.index = op->index < REG_PC ? registers[op->index].symbol : 0;
            place.at += op->index < REG_PC ? registers[op->index].constant * op->scale : 0;
        }
        vec_push(&p->list, place);
    }
}

static bool apart(const struct spot *a, const struct spot *b)
{
    if (!a->known || !b->known || a->base != b->base || a->index != b->index ||
        a->scale != b->scale || a->segment != b->segment)
        return false;
    return a->at + (int64_t)a->bytes <= b->at || b->at + (int64_t)b->bytes <= a->at;
}

static void pair_spots(struct dataflow *f, const struct spots *p)
{
    for (size_t j = 0; j < p->list.count; j++)
        for (size_t i = 0; i < j; i++) {
            const struct spot *a = &p->list.items[i], *b = &p->list.items[j];
            if (a->insn != b->insn && (a->writes || b->writes) && !apart(a, b))
                vec_push(&f->pairs, ((struct pair){a->insn, b->insn}));
        }
}

static void find_spots(struct dataflow *f)
{
    struct sum registers[INSN_REGISTERS];
    struct spots places = {0};
    uint32_t symbols = 0;

    for (size_t r = 0; r < INSN_REGISTERS; r++)
        registers[r] = (struct sum){++symbols, 0};
    for (size_t i = 0; i < f->count; i++) {
        const struct insn *in = &f->insns[i];
        const struct operand *result = insn_operand(in, in->result);
        struct sum value;
        const bool known =
            result && followed(result) && result->bits == 64 && follow(in, registers, &value);
        add_spots(&places, in, i, registers);
        for (unsigned k = 0; k < in->operand_count; k++)
            if (followed(&in->operands[k]) && in->operands[k].access & ACCESS_WRITE)
                registers[in->operands[k].reg] = (struct sum){++symbols, 0};
        if (known)
            registers[result->reg] = value;
    }
    pair_spots(f, &places);
    vec_done(&places.list);
}

struct dataflow *dataflow_new(const struct insn *insns, size_t count)
{
    struct dataflow *f = mem_zero(1, sizeof *f);

    f->insns = insns;
    f->count = count;
    f->first = mem_zero(count + 1, sizeof *f->first);
    f->placed = mem_zero(count + 1, sizeof *f->placed);
    for (size_t i = 0; i < count; i++)
        f->mixed |= (insns[i].traits & INSN_VEX) != 0;
    for (size_t i = 0; i < count; i++)
        collect(f, i);
    walk(f, NULL, true, f->last);
    find_spots(f);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; !dataflow_plain(&insns[i]) && j < count; j++)
            if (i != j)
                vec_push(&f->pairs,
                         ((struct pair){(uint32_t)(i < j ? i : j), (uint32_t)(i < j ? j : i)}));
    return f;
}

void dataflow_free(struct dataflow *f)
{
    if (!f)
        return;
    vec_done(&f->touches);
    vec_done(&f->pairs);
    free(f->first);
    free(f->placed);
    free(f);
}

bool dataflow_keeps(const struct dataflow *f, const uint32_t *order)
{
    int32_t last[RESOURCES];

    for (size_t i = 0; i < f->count; i++)
        f->placed[order[i]] = (uint32_t)i;
    for (size_t i = 0; i < f->pairs.count; i++)
        if (f->placed[f->pairs.items[i].first] > f->placed[f->pairs.items[i].second])
            return false;
    return walk(f, order, false, last) && memcmp(last, f->last, sizeof last) == 0;
}

bool dataflow_moves(const struct dataflow *f, size_t at)
{
    return dataflow_plain(&f->insns[at]);
}

bool dataflow_flags_dead(const struct insn *insns, size_t count, size_t at, uint32_t mask)
{
    for (size_t i = at + 1; mask && i < count; i++) {
        if (flags_read(&insns[i]) & mask ||
            (!dataflow_plain(&insns[i]) && !(insns[i].traits & INSN_BRANCH)))
            return false;
        mask &= ~insns[i].flags_written;
    }
    return !mask;
}
