/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/addresses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/mem.h"
#include "base/watch.h"
#include "model/start.h"

#define STORES 128
/* Number of entries for the symbols of sums and loaded values. If all entries are used, links
 * through further values are not found. */
#define COMPOSITES 1024
/* Number of simulated iterations; 3 for long code. A store and its load can be up to ROUNDS - 2
 * iterations apart. */
#define ROUNDS 8
#define START_VALUE 0x2324000   /* initial value of all registers in BHive's measurements: the
                                 * address of the mapped page */
#define PAGE 4096
#define AT_CODE UINT32_MAX  /* symbol of addresses that are relative to the program counter */
#define LOW32 0x80000000u /* flag of a symbol whose value fits in 32 bits */

/* A value: symbol + offset. Symbol 0 is the constant 0. */
struct value {
    uint32_t symbol;
    int64_t offset;
};

struct store_record {
    struct value address;
    struct value data;    /* data of the store; symbol UNKNOWN: not computed */
    uint32_t bytes, insn, round;
};

struct composite {
    /* generation (address_work) that wrote the entry; the entry is free in any other generation */
    uint32_t used;
    uint32_t kind, a, b, symbol;
    int64_t offset;
};

enum { COMPOSITE_SUM, COMPOSITE_LOAD, COMPOSITE_LOW32, COMPOSITE_EXTENDED, COMPOSITE_COMPUTED };

/* Address of an instruction's last memory access, and its use of pages */
struct access_place {
    struct value address;
    /* stride: bytes between the accesses of the last two rounds; 0 if unknown */
    int64_t step;
    /* number of rounds in which the access used a page that was not used recently; rounds in which
     * the address has a new unknown symbol do not count */
    uint32_t misses;
    bool used, counted;
    bool opaque;              /* whether the result of the instruction is not computed */
};

/* number of entries of the modelled first-level TLB; the TLBs of CPUs have half to twice this
 * number */
#define TLB_ENTRIES 64

struct state {
    struct value reg[32];
    const struct isa_ops *isa;
    struct address_work *work;
    size_t limit;
    enum start_values start;
    struct value pages[TLB_ENTRIES];
    uint32_t page_count;
    size_t access;
};

void address_work_done(struct address_work *work)
{
    free(work->stores);
    free(work->composites);
    free(work->found);
    free(work->places);
    vec_done(&work->accesses);
    vec_done(&work->changing);
    *work = (struct address_work){0};
}

static struct value fresh(struct state *s)
{
    return (struct value){++s->work->symbols, 0};
}

/* Returns the symbol of kind @kind made of @a, @b and @offset. Equal arguments give equal
 * symbols. */
static struct value compose(struct state *s, uint32_t kind, uint32_t a, uint32_t b, int64_t offset)
{
    uint64_t hash = (uint64_t)a * 0x9e3779b97f4a7c15u ^ (uint64_t)b * 0xc2b2ae3d27d4eb4fu ^
                    (uint64_t)offset * 0x165667b19e3779f9u ^ kind;
    for (size_t probe = 0; probe < 32; probe++) {
        struct composite *c = &s->work->composites[((hash ^ hash >> 29) + probe) % COMPOSITES];
        if (c->used != s->work->generation) {
            *c = (struct composite){s->work->generation, kind, a, b, ++s->work->symbols, offset};
            return (struct value){c->symbol, 0};
        }
        if (c->kind == kind && c->a == a && c->b == b && c->offset == offset)
            return (struct value){c->symbol, 0};
    }
    return fresh(s);
}

static struct value sum(struct state *s, struct value x, struct value y, unsigned scale)
{
    int64_t offset = (int64_t)((uint64_t)x.offset + (uint64_t)y.offset * scale);
    if (!y.symbol)
        return (struct value){x.symbol, offset};
    if (!x.symbol && scale == 1)
        return (struct value){y.symbol, offset};
    struct value both = compose(s, COMPOSITE_SUM, x.symbol, y.symbol, (int64_t)scale);
    both.offset = offset;
    return both;
}

static int64_t distance(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static int64_t negated(int64_t x)
{
    return (int64_t)(0 - (uint64_t)x);
}

static struct value add_constant(struct value x, int64_t constant)
{
    return (struct value){x.symbol, (int64_t)((uint64_t)x.offset + (uint64_t)constant)};
}

/* Returns @x modulo 2^32. An unknown value gets another symbol with the same stride. */
static struct value low32(struct state *s, struct value x)
{
    if (!x.symbol)
        return (struct value){0, (int64_t)(uint32_t)x.offset};
    if (x.symbol & LOW32)
        return x;
    struct value low = compose(s, COMPOSITE_LOW32, x.symbol, 0, 0);
    return (struct value){low.symbol | LOW32, x.offset};
}

static struct value register_value(struct state *s, uint8_t reg)
{
    if (reg == REG_NONE)
        return (struct value){0, 0};
    return reg < s->isa->generals ? s->reg[reg] : fresh(s);
}

static bool is_stack_push(const struct insn *insn)
{
    return insn->traits & INSN_STACK &&
           (insn->operation == OPERATION_PUSH || insn->operation == OPERATION_CALL);
}

static struct value address_of(struct state *s, const struct insn *insn, const struct operand *op)
{
    struct value segment = {op->segment == REG_NONE ? 0 : UINT32_MAX - op->segment, 0};
    struct value at;

    if (op->segment != REG_NONE && s->start == START_MEASURED)
        segment = (struct value){0, START_SEGMENT};

    /* Assumes that each operand relative to the program counter has its own cache line. The line is
     * the same in all copies of the block. */
    if (op->base == REG_PC && s->start == START_MEASURED)
        at = (struct value){0, START_RELATIVE + (int64_t)insn->offset * START_RELATIVE_LINE};
    /* The linker sets the address, which is constant and the same in all copies of the block. */
    else if (op->base == REG_PC)
        at = (struct value){AT_CODE,
                            (int64_t)((uint64_t)op->displacement + insn->offset + insn->length)};
    else
        at = add_constant(sum(s, register_value(s, op->base), register_value(s, op->index),
                              op->scale ? op->scale : 1),
                          op->displacement);
    if (op->implicit && is_stack_push(insn))
        at = add_constant(at, -(int64_t)(op->bits / 8));
    return op->segment != REG_NONE ? sum(s, segment, at, 1) : at;
}

size_t addresses_found(const struct address_work *work, uint32_t load)
{
    size_t from = 0, to = work->found_count;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (work->found[middle].load < load)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Records a link in the second-last round and confirms it in the last round. Only confirmed links
 * are part of the steady state. */
static void add_forward(struct address_work *work, struct forward f, bool last)
{
    if (last) {
        for (size_t i = addresses_found(work, f.load);
             i < work->found_count && work->found[i].load == f.load; i++) {
            steps_add(1);
            if (work->found[i].store == f.store && work->found[i].distance == f.distance) {
                work->found[i].confirmed = true;
                return;
            }
        }
        return;
    }
    if (work->found_count == work->found_capacity) {
        work->found_capacity = work->found_capacity ? 2 * work->found_capacity : 32;
        work->found = mem_resize(work->found, work->found_capacity * sizeof *work->found);
    }
    work->found[work->found_count++] = f;
}

static void drop_unconfirmed(struct address_work *work)
{
    size_t kept = 0;
    for (size_t i = 0; i < work->found_count; i++)
        if (work->found[i].confirmed)
            work->found[kept++] = work->found[i];
    work->found_count = kept;
}

/* Returns the newest store that overlaps @bytes at @address; NULL: none. */
static const struct store_record *find_store(const struct state *s, struct value address,
                                             uint32_t bytes)
{
    size_t n = s->work->store_count;
    for (size_t k = 0; k < s->limit && k < n; k++) {
        const struct store_record *r = &s->work->stores[(n - 1 - k) % STORES];
        if (r->address.symbol != address.symbol)
            continue;
        int64_t from = distance(address.offset, r->address.offset);
        /* Equal offsets in a page mean equal addresses, because all pages map to one physical
         * page. */
        if (s->start == START_EQUAL)
            from = (int64_t)(((uint64_t)from + PAGE / 2) % PAGE) - PAGE / 2;
        if (from < (int64_t)r->bytes && from + (int64_t)bytes > 0)
            return r;
    }
    return NULL;
}

/* Returns whether no other store writes the bytes of the load that @r does not write. */
static bool is_alone(const struct state *s, const struct store_record *r, struct value address,
                     uint32_t bytes)
{
    int64_t before = distance(r->address.offset, address.offset),
            behind = (int64_t)bytes - before - (int64_t)r->bytes;

    if (before > 0 && find_store(s, address, (uint32_t)before))
        return false;
    return behind <= 0 ||
           !find_store(s, add_constant(r->address, (int64_t)r->bytes), (uint32_t)behind);
}

/* Returns the value that a load of @bits at @address reads, not sign-extended. Under
 * START_DIFFERENT, the symbol depends on the address and @bits. Otherwise all memory contains one
 * repeated 64-bit value, and the value of a wider load is unknown. */
static struct value memory_value(struct state *s, struct value address, unsigned bits)
{
    uint64_t value = 0, full_of = s->start == START_EQUAL ? START_VALUE : START_MEMORY;
    unsigned bytes = bits / 8;

    if (s->start == START_DIFFERENT)
        return compose(s, COMPOSITE_LOAD, address.symbol, bits, address.offset);
    if (bytes > 8)
        return fresh(s);
    for (unsigned i = 0; i < bytes; i++)
        value |= (full_of >> 8 * (((uint64_t)address.offset + i) % 8) & 0xff) << 8 * i;
    return (struct value){0, (int64_t)value};
}

static struct value load_value(struct state *s, const struct operand *op, struct value address,
                               uint32_t at, uint32_t round, uint32_t rounds)
{
    const struct store_record *r = find_store(s, address, op->bits / 8);

    if (!r)
        return memory_value(s, address, op->bits);
    int64_t from = distance(address.offset, r->address.offset);
    bool fits = from >= 0 && from <= (int64_t)r->bytes - op->bits / 8;
    if (round + 2 >= rounds)
        add_forward(s->work,
                    (struct forward){r->insn, at, round - r->round, from == 0, fits,
                                     !fits && is_alone(s, r, address, op->bits / 8), false},
                    round + 1 == rounds);
    return from == 0 && op->bits / 8 == r->bytes && (op->bits == 64 || op->bits == 32) ? r->data
                                                                                       : fresh(s);
}

static void note_place(struct state *s, uint32_t at, struct value address)
{
    struct access_place *place = &s->work->places[at];
    int64_t page = address.offset >> 12;
    /* An access whose address has a new unknown symbol is assumed to remain in its page. It usually
     * accesses a flag, byte or bit field near a known address. */
    bool related = !address.symbol || (place->used && place->address.symbol == address.symbol);

    place->step = place->used && place->address.symbol == address.symbol
                      ? distance(address.offset, place->address.offset)
                      : 0;
    place->address = address;
    place->used = true;
    for (uint32_t i = 0; i < TLB_ENTRIES && i < s->page_count; i++)
        if (s->pages[i].symbol == address.symbol && s->pages[i].offset == page)
            return;
    s->pages[s->page_count++ % TLB_ENTRIES] = (struct value){address.symbol, page};
    place->misses += related;
}

/* Returns the value that an operation reads from @op. @loaded: value of a memory operand. */
static struct value input_value(struct state *s, const struct operand *op, struct value loaded)
{
    if (!op)
        return fresh(s);
    if (op->kind == OPERAND_IMMEDIATE)
        return (struct value){0, op->immediate};
    if (op->kind == OPERAND_MEMORY)
        return loaded;
    return op->file == FILE_GENERAL || op->file == FILE_NONE ? register_value(s, op->reg)
                                                             : fresh(s);
}

static bool calculate(enum operation operation, int64_t a, int64_t b, unsigned bits, int64_t *out)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    unsigned shift = (unsigned)(y & (bits == 64 ? 63 : 31));

    switch (operation) {
    case OPERATION_AND:
        x &= y;
        break;
    case OPERATION_OR:
        x |= y;
        break;
    case OPERATION_XOR:
        x ^= y;
        break;
    case OPERATION_SUBTRACT:
        x -= y;
        break;
    case OPERATION_MULTIPLY:
        x *= y;
        break;
    case OPERATION_SHIFT_LEFT:
        x <<= shift;
        break;
    case OPERATION_SHIFT_RIGHT:
        x = (bits == 32 ? (uint32_t)x : x) >> shift;
        break;
    case OPERATION_SHIFT_SIGNED:
        x = (uint64_t)((bits == 32 ? (int32_t)x : a) >> shift);
        break;
    default:
        return false;
    }
    *out = (int64_t)x;
    return true;
}

/* Returns whether an operation's result depends only on its one or two inputs. */
static bool is_function(enum operation operation)
{
    static const uint8_t functions[] = {
        OPERATION_SUBTRACT,     OPERATION_NEGATE,      OPERATION_AND,          OPERATION_AND_NOT,
        OPERATION_OR,           OPERATION_XOR,         OPERATION_NOT,          OPERATION_SHIFT_LEFT,
        OPERATION_SHIFT_RIGHT,  OPERATION_ROTATE_LEFT, OPERATION_SHIFT_SIGNED, OPERATION_BIT_COUNT,
        OPERATION_ROTATE_RIGHT, OPERATION_BYTE_SWAP,   OPERATION_MULTIPLY,     OPERATION_CRC32,
        OPERATION_SHIFT_FLAGLESS};

    return memchr(functions, (int)operation, sizeof functions);
}

/* Returns the number of low bits that an operation with the constant @y can set in a result of
 * @bits bits. */
static unsigned bits_left(enum operation operation, int64_t y, unsigned bits)
{
    if (operation == OPERATION_SHIFT_RIGHT)
        return bits - (unsigned)(y & (bits == 64 ? 63 : 31));
    const unsigned mask = y ? 64 - (unsigned)__builtin_clzll((uint64_t)y) : 0;
    return operation == OPERATION_AND && y >= 0 && mask < bits ? mask : bits;
}

/* Returns whether @insn reads no register except @left and @right, and neither is shifted. */
static bool reads_only(const struct insn *insn, const struct operand *left,
                       const struct operand *right)
{
    for (size_t i = 0; i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        if (op->access & ACCESS_READ && op->kind == OPERAND_REGISTER &&
            ((op != left && op != right) || op->scale != 1))
            return false;
    }
    return true;
}

/* Returns the result of @insn for the inputs @x and @y, at least one of which is unknown. The
 * result of a left shift or a product with a positive constant is a multiple of @x. Other results
 * get a symbol, and equal inputs of one form give equal symbols. */
static struct value computed(struct state *s, const struct insn *insn, struct value x,
                             struct value y, unsigned bits)
{
    const enum operation operation = (enum operation)insn->operation;
    if (operation == OPERATION_SHIFT_LEFT && !y.symbol && (y.offset & 63) < 31)
        return sum(s, (struct value){0, 0}, x, 1u << (y.offset & 63));
    if (operation == OPERATION_MULTIPLY && !y.symbol && y.offset > 0 && y.offset <= 1 << 30)
        return sum(s, (struct value){0, 0}, x, (unsigned)y.offset);
    const uint32_t both =
        x.symbol && y.symbol ? compose(s, COMPOSITE_SUM, x.symbol, y.symbol, 1).symbol
                             : x.symbol + y.symbol;
    const uint64_t offsets = (uint64_t)x.offset * 0x9e3779b97f4a7c15u + (uint64_t)y.offset;
    return compose(s, COMPOSITE_COMPUTED, both,
                   y.symbol ? bits : bits_left(operation, y.offset, bits),
                   (int64_t)(offsets * 0xc2b2ae3d27d4eb4fu + hash_text(insn->form) + 2 * !y.symbol +
                             !x.symbol));
}

static bool extend(struct value x, const struct operand *from, bool sign, struct value *out)
{
    if (x.symbol || !from || from->offset_bits || from->bits > 32 || !from->bits)
        return false;
    uint64_t low = (uint64_t)x.offset << (64 - from->bits);
    *out = (struct value){0, sign ? (int64_t)low >> (64 - from->bits)
                                  : (int64_t)(low >> (64 - from->bits))};
    return true;
}

/* Extends an unknown value. A value of 32 bits keeps its stride, because loop counters are assumed
 * not to overflow. A narrower value gets another symbol. */
static struct value extended(struct state *s, struct value x, const struct operand *from, bool sign)
{
    if (from->bits == 32)
        return (struct value){compose(s, COMPOSITE_EXTENDED, x.symbol, 32 + sign, 0).symbol,
                              x.offset};
    return compose(s, COMPOSITE_EXTENDED, x.symbol, from->bits + sign, x.offset);
}

static bool result_of(struct state *s, const struct insn *insn, struct value loaded,
                      struct value *out)
{
    const struct operand *to = insn_operand(insn, insn->result),
                         *left = insn_operand(insn, insn->inputs[0]),
                         *right = insn_operand(insn, insn->inputs[1]);

    if (!to || to->kind != OPERAND_REGISTER || to->file != FILE_GENERAL || to->bits < 32 ||
        to->offset_bits || (!left && !(insn->traits & INSN_ZERO_IDIOM)))
        return false;
    if (insn->traits & INSN_ZERO_IDIOM) {
        *out = (struct value){0, 0};
    } else if (insn->operation == OPERATION_MOVE || insn->operation == OPERATION_POP) {
        *out = input_value(s, left, loaded);
    } else if (insn->operation == OPERATION_ADD && right &&
               (right->kind != OPERAND_REGISTER || right->scale)) {
        *out = sum(s, input_value(s, left, loaded), input_value(s, right, loaded),
                   right->kind == OPERAND_REGISTER ? right->scale : 1);
    } else if (insn->operation == OPERATION_SUBTRACT && right && right->kind == OPERAND_IMMEDIATE) {
        *out = add_constant(input_value(s, left, loaded), negated(right->immediate));
    } else if (insn->operation == OPERATION_INCREMENT || insn->operation == OPERATION_DECREMENT) {
        *out = add_constant(input_value(s, left, loaded),
                            insn->operation == OPERATION_INCREMENT ? 1 : -1);
    } else if (insn->operation == OPERATION_ADDRESS) {
        *out = address_of(s, insn, left);
    } else if (insn->operation == OPERATION_MOVE_ZERO || insn->operation == OPERATION_MOVE_SIGN) {
        struct value from = input_value(s, left, loaded);
        bool sign = insn->operation == OPERATION_MOVE_SIGN;
        if (!extend(from, left, sign, out)) {
            if (!from.symbol || !left->bits || left->bits > 32)
                return false;
            *out = extended(s, from, left, sign);
        }
    } else {
        const enum operation operation = (enum operation)insn->operation;
        struct value old = input_value(s, left, loaded),
                     other = right ? input_value(s, right, loaded) : (struct value){0, 0};
        if (right && right->kind == OPERAND_REGISTER && right->bits < 32)
            return false;
        if (s->start == START_DIFFERENT && (old.symbol || other.symbol)) {
            if (!is_function(operation) || left->bits < 32 || !reads_only(insn, left, right))
                return false;
            *out = computed(s, insn, old, other, to->bits);
        } else {
            if (left != to || !right || old.symbol || other.symbol ||
                !calculate(operation, old.offset, other.offset, to->bits, &out->offset))
                return false;
            out->symbol = 0;
        }
    }
    if (to->bits == 32)
        *out = low32(s, *out);
    return true;
}

/* Returns the value that a move or push stores, a constant or a general register of at least 32
 * bits. For other operands and operations, the value is unknown. */
static struct value stored_value(struct state *s, const struct insn *insn)
{
    const struct operand *data = insn_operand(insn, insn->inputs[0]);

    if ((insn->operation != OPERATION_MOVE && insn->operation != OPERATION_PUSH) || !data)
        return fresh(s);
    if (data->kind == OPERAND_IMMEDIATE)
        return (struct value){0, data->immediate};
    if (data->kind != OPERAND_REGISTER || (data->file != FILE_GENERAL && data->file != FILE_NONE) ||
        data->bits < 32)
        return fresh(s);
    return data->bits == 32 ? low32(s, register_value(s, data->reg)) : register_value(s, data->reg);
}

static void move_stack(struct state *s, const struct insn *insn)
{
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        if (op->kind != OPERAND_MEMORY || !op->implicit)
            continue;
        int64_t bytes = op->bits / 8;
        struct value *pointer = &s->reg[s->isa->stack_pointer];
        *pointer = add_constant(*pointer, is_stack_push(insn) ? -bytes : bytes);
        return;
    }
}

/* Records an access in the round before the last (@left 1). In the last round (@left 0), compares
 * the access with the recorded one. */
static void note_access(struct state *s, uint32_t at, struct value address, uint32_t bytes,
                        bool store, uint32_t left)
{
    struct address_work *work = s->work;

    if (left == 1) {
        vec_push(&work->accesses, ((struct access){.insn = at,
                                                   .bytes = bytes,
                                                   .before = address.symbol,
                                                   .offset = address.offset,
                                                   .store = store,
                                                   .fixed = address.symbol == AT_CODE}));
    } else if (left == 0) {
        struct access *access = &work->accesses.items[s->access++];
        access->stepped = access->before == address.symbol;
        access->step =
            access->stepped ? (int64_t)((uint64_t)address.offset - (uint64_t)access->offset) : 0;
        access->symbol = address.symbol;
        access->offset = address.offset;
    }
}

static int by_symbol(const void *a, const void *b)
{
    const struct changing *x = a, *y = b;
    return x->before != y->before ? (x->before < y->before ? -1 : 1)
                                  : (x->at > y->at) - (x->at < y->at);
}

/* Returns the first access, except @self, whose address had @symbol in the previous iteration.
 * Returns NULL if there is none. */
static const struct access *changed_from(const struct address_work *work, uint32_t symbol,
                                         size_t self)
{
    const struct changing *sorted = work->changing.items;
    size_t from = 0, to = work->changing.count;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (sorted[middle].before < symbol)
            from = middle + 1;
        else
            to = middle;
    }
    from += from < work->changing.count && sorted[from].at == self;
    return from < work->changing.count && sorted[from].before == symbol
               ? &work->accesses.items[sorted[from].at]
               : NULL;
}

/* Finds the accesses whose address does not change by a constant step. For each of these, finds
 * another access that had the same address in the previous iteration. */
static void find_origins(struct address_work *work)
{
    work->changing.count = 0;
    for (size_t i = 0; i < work->accesses.count; i++) {
        struct access *access = &work->accesses.items[i];
        access->origin = access->symbol;
        if (!access->stepped)
            vec_push(&work->changing, ((struct changing){access->before, (uint32_t)i}));
    }
    if (work->changing.count < 2)
        return;
    qsort(work->changing.items, work->changing.count, sizeof *work->changing.items, by_symbol);
    for (size_t i = 0; i < work->changing.count; i++) {
        size_t at = work->changing.items[i].at;
        struct access *access = &work->accesses.items[at];
        steps_add(1);
        const struct access *other = changed_from(work, access->symbol, at);
        if (other) {
            access->origin = other->symbol;
            access->age = 1;
        }
    }
}

/* Returns whether @insn calls a function outside the code, which is assumed to return and to
 * restore the stack pointer. */
static bool has_returned(const struct insn *insn, const struct insn *next)
{
    return insn->traits & INSN_CALL && (!next || next->offset == insn->offset + insn->length);
}

/* Executes @insn symbolically. @next: the following instruction; NULL after the last
 * instruction. */
static void step(struct state *s, const struct insn *insn, const struct insn *next, uint32_t at,
                 uint32_t round, uint32_t rounds)
{
    struct value loaded = {0, 0}, address[INSN_OPERANDS], result;
    bool memory = insn->traits & (INSN_LOAD | INSN_STORE);

    for (unsigned i = 0; memory && i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        if (op->kind != OPERAND_MEMORY)
            continue;
        address[i] = address_of(s, insn, op);
        if (op->access & ACCESS_READ && op->bits) {
            loaded = load_value(s, op, address[i], at, round, rounds);
            note_access(s, at, address[i], op->bits / 8, false, rounds - 1 - round);
        }
        if (s->start == START_EQUAL)
            note_place(s, at, address[i]);
    }
    bool known = result_of(s, insn, loaded, &result);
    s->work->places[at].opaque = !known;
    for (unsigned i = 0; memory && i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        if (op->kind != OPERAND_MEMORY || !(op->access & ACCESS_WRITE) || !op->bits)
            continue;
        note_access(s, at, address[i], op->bits / 8, true, rounds - 1 - round);
        s->work->stores[s->work->store_count++ % STORES] =
            (struct store_record){address[i], stored_value(s, insn), op->bits / 8, at, round};
    }
    if (insn->traits & INSN_STACK) {
        if (!has_returned(insn, next))
            move_stack(s, insn);
        if (known)
            s->reg[insn->operands[insn->result].reg] = result;
        return;
    }
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        if (op->kind != OPERAND_REGISTER || op->reg >= s->isa->generals ||
            !(op->access & ACCESS_WRITE))
            continue;
        if (op->access & ACCESS_WRITEBACK)
            s->reg[op->reg] = add_constant(sum(s, s->reg[op->reg], register_value(s, op->index), 1),
                                           op->immediate);
        else
            s->reg[op->reg] = known && i == insn->result ? result : fresh(s);
    }
}

struct symbol_meaning addresses_meaning(const struct address_work *work, unsigned generals,
                                        uint32_t symbol)
{
    static const enum symbol_kind kinds[] = {
        [COMPOSITE_SUM] = SYMBOL_SUM,
        [COMPOSITE_LOAD] = SYMBOL_LOADED,
        [COMPOSITE_LOW32] = SYMBOL_NARROW,
        [COMPOSITE_EXTENDED] = SYMBOL_NARROW,
        [COMPOSITE_COMPUTED] = SYMBOL_COMPUTED,
    };
    uint32_t plain = symbol & ~LOW32;

    if (plain && plain <= generals)
        return (struct symbol_meaning){SYMBOL_REGISTER, plain - 1, 0, 0};
    for (size_t i = 0; work->composites && i < COMPOSITES; i++) {
        const struct composite *c = &work->composites[i];
        if (c->used == work->generation && c->symbol == plain)
            return (struct symbol_meaning){kinds[c->kind], c->a, c->b, c->offset};
    }
    return (struct symbol_meaning){SYMBOL_UNKNOWN, 0, 0, 0};
}

bool addresses_opaque(const struct address_work *work, size_t insn)
{
    return work->places && work->places[insn].opaque;
}

bool addresses_far(const struct address_work *work, size_t insn)
{
    return work->places && work->places[insn].misses >= ROUNDS - 2;
}

double addresses_new_pages(struct address_work *work, size_t count, double miss,
                           double most_per_access)
{
    double sum = 0;

    for (size_t i = 0; work->places && i < count; i++) {
        struct access_place *first = &work->places[i];
        double accesses = 0;
        if (!first->step || first->counted)
            continue;
        for (size_t k = i; k < count; k++) {
            struct access_place *other = &work->places[k];
            bool same =
                other->step == first->step && other->address.symbol == first->address.symbol;
            other->counted |= same;
            accesses += same;
        }
        double pages = fabs((double)first->step) / PAGE;
        sum += fmin(fmin(pages, 1) * miss, accesses * most_per_access);
    }
    return sum;
}

static void measured_start(struct state *s, const struct insn *insns, size_t count)
{
    uint32_t bases = 1u << s->isa->stack_pointer, indices = 0;

    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < insns[i].operand_count; k++) {
            const struct operand *op = &insns[i].operands[k];
            if (op->kind != OPERAND_MEMORY)
                continue;
            bases |= op->base < s->isa->generals ? 1u << op->base : 0;
            indices |= op->index < s->isa->generals ? 1u << op->index : 0;
        }
    for (unsigned i = 0; i < s->isa->generals; i++)
        s->reg[i] = (struct value){0, indices & ~bases & 1u << i ? 0 : (int64_t)start_address(i)};
}

void addresses_link(const struct insn *insns, size_t count, enum start_values start,
                    size_t store_buffer, struct address_work *work)
{
    uint32_t rounds = count > 512 ? 3 : ROUNDS;

    work->found_count = work->accesses.count = 0;
    if (work->place_capacity < count) {
        work->place_capacity = 2 * count;
        work->places = mem_resize(work->places, work->place_capacity * sizeof *work->places);
    }
    if (count)
        memset(work->places, 0, count * sizeof *work->places);
    if (!work->stores) {
        work->stores = mem_alloc(STORES * sizeof *work->stores);
        work->composites = mem_zero(COMPOSITES, sizeof *work->composites);
    }
    /* When the generation counter overflows, clears all entries, because an old generation could
     * equal a new generation. */
    if (++work->generation == 0) {
        memset(work->composites, 0, COMPOSITES * sizeof *work->composites);
        work->generation = 1;
    }
    work->store_count = work->symbols = 0;
    struct state s = {.isa = isa_ops(count ? (enum isa)insns[0].isa : isa_host()),
                      .work = work,
                      .limit = store_buffer < STORES ? store_buffer : STORES,
                      .start = start};
    for (unsigned i = 0; i < s.isa->generals; i++)
        s.reg[i] = start == START_EQUAL && i != s.isa->stack_pointer && i != s.isa->frame_pointer
                       ? (struct value){0, START_VALUE}
                       : fresh(&s);
    if (start == START_MEASURED)
        measured_start(&s, insns, count);
    bool over = false;
    for (uint32_t round = 0; round < rounds && !over; round++) {
        for (size_t i = 0; i < count && !over; i++) {
            step(&s, &insns[i], i + 1 < count ? &insns[i + 1] : NULL, (uint32_t)i, round,
                 rounds);
            over = watch_steps(1);
        }
    }
    find_origins(work);
    drop_unconfirmed(work);
}

void addresses_add_known(struct address_work *work, const struct known_forwards *known)
{
    for (size_t i = 0; i < known->count; i++) {
        const size_t at = addresses_found(work, known->items[i].load);
        if (at < work->found_count && work->found[at].load == known->items[i].load)
            continue;
        if (work->found_count == work->found_capacity) {
            work->found_capacity = 2 * work->found_capacity + 16;
            work->found = mem_resize(work->found, work->found_capacity * sizeof *work->found);
        }
        memmove(&work->found[at + 1], &work->found[at],
                (work->found_count++ - at) * sizeof *work->found);
        work->found[at] = known->items[i];
    }
}

uint64_t access_step(const struct access *a)
{
    if (!a->stepped)
        return 0;
    return a->step < 0 ? 0 - (uint64_t)a->step : (uint64_t)a->step;
}
