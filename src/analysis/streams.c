/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/streams.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/addresses.h"
#include "analysis/analysis.h"
#include "analysis/kernel_names.h"
#include "base/mem.h"
#include "isa/vary.h"

/* Number of stores in flight. Loads of data from older stores read the cache. */
#define STORE_BUFFER 64
/* Largest distance in bytes between accesses of one stream. Lines at larger distances may be
 * evicted between the accesses. */
#define NEAR 4096
/* number of simulated iterations; lines of the second half are counted */
#define ROUNDS 256
/* smallest stride in bytes at which no two iterations access the same line */
#define LONG_STEP 65536
#define FARTHEST ((int64_t)1 << 40)   /* largest stride or offset in bytes */
#define DEPTH 24               /* maximum depth of sums and loads in an address */
/* Maximum number of terms examined in an address. Repeated doubling of a register has exponentially
 * many terms. */
#define PARTS_MOST 256
/* maximum number of loads between an address and its first register */
#define CHAIN 1024
#define NO_LEAF UINT32_MAX
/* flag of a signed number, added to its number of bits, which is even */
#define SIGNED 1u

/* Terms of an address: registers, and at most one loaded value */
struct address_parts {
    struct stream_term terms[STREAM_TERMS];
    unsigned count, seen;      /* number of terms, and of examined parts */
    /* symbol of the loaded value; 0: none; NO_LEAF: unsupported */
    uint32_t leaf;
    /* symbol of the loaded value, or of the number computed from it, and its factor */
    uint32_t number;
    int64_t factor;
    /* number of bits from which @number is extended, plus SIGNED if the extension copies the sign;
     * 0: no extension. @within: the same for the terms that are currently examined */
    uint32_t extended, within;
    uint32_t computed;         /* number of bits of a number computed from the loaded value; 0: the
                                * address contains the loaded value */
};

struct finder {
    const struct insn *insns;
    size_t count;
    const struct isa_ops *isa;
    struct address_work work;
    struct streams *out;
    VEC(uint32_t) owner;
};

static void parts_add(struct address_parts *p, uint8_t reg, int64_t factor)
{
    for (unsigned i = 0; i < p->count; i++)
        if (p->terms[i].reg == reg) {
            if (__builtin_add_overflow(p->terms[i].factor, factor, &p->terms[i].factor))
                p->leaf = NO_LEAF;
            return;
        }
    if (p->count == STREAM_TERMS)
        p->leaf = NO_LEAF;
    else
        p->terms[p->count++] = (struct stream_term){reg, factor};
}

/* Adds @number, which is the loaded value @leaf or computed from it, times @factor. Only one such
 * number is supported. */
static void parts_add_number(struct address_parts *p, uint32_t leaf, uint32_t number,
                             int64_t factor)
{
    if (p->leaf && (p->number != number || p->extended != p->within ||
                    __builtin_add_overflow(p->factor, factor, &factor)))
        leaf = NO_LEAF;
    p->leaf = leaf;
    p->number = number;
    p->factor = factor;
    p->extended = p->within;
}

static void parts_of(const struct finder *f, uint32_t symbol, int64_t factor, unsigned depth,
                     struct address_parts *p)
{
    if (!symbol || p->leaf == NO_LEAF)
        return;
    struct symbol_meaning m = addresses_meaning(&f->work, f->isa->generals, symbol);
    int64_t scaled = 0;
    if (depth == DEPTH || p->seen++ == PARTS_MOST ||
        (m.kind == SYMBOL_SUM && __builtin_mul_overflow(factor, m.value, &scaled)))
        m.kind = SYMBOL_UNKNOWN;
    switch (m.kind) {
    case SYMBOL_REGISTER:
        parts_add(p, (uint8_t)m.a, factor);
        break;
    case SYMBOL_SUM:
        parts_of(f, m.a, factor, depth + 1, p);
        parts_of(f, m.b, scaled, depth + 1, p);
        break;
    case SYMBOL_NARROW: {
        const uint32_t outside = p->within;
        if (m.b && (!outside || m.b < outside))
            p->within = m.b;
        parts_of(f, m.a, factor, depth + 1, p);
        p->within = outside;
        break;
    }
    case SYMBOL_LOADED:
        parts_add_number(p, symbol, symbol, factor);
        break;
    case SYMBOL_COMPUTED: {
        struct address_parts input = {.seen = p->seen};
        parts_of(f, m.a, 1, depth + 1, &input);
        p->seen = input.seen;
        parts_add_number(p, input.leaf ? input.leaf : NO_LEAF, symbol, factor);
        p->computed = m.b ? m.b : 1;
        break;
    }
    default:
        p->leaf = NO_LEAF;
    }
}

/* Sets *@m to the load that produced @symbol. Returns false if @symbol is not a loaded value. */
static bool loaded_from(const struct finder *f, uint32_t symbol, struct symbol_meaning *m)
{
    *m = addresses_meaning(&f->work, f->isa->generals, symbol);
    for (unsigned i = 0; i < DEPTH && m->kind == SYMBOL_NARROW; i++)
        *m = addresses_meaning(&f->work, f->isa->generals, m->a);
    return m->kind == SYMBOL_LOADED;
}

/* Returns the number of loads through which the access's address depends on its address in the
 * previous iteration; 0: it does not, or through more than DEPTH. */
static uint32_t hops_of(const struct finder *f, const struct access *a)
{
    uint32_t symbol = a->symbol;
    struct symbol_meaning m;

    for (uint32_t hops = 1; hops <= DEPTH && loaded_from(f, symbol, &m); hops++) {
        if (m.a == a->before)
            return hops;
        symbol = m.a;
    }
    return 0;
}

static void refuse(struct finder *f, uint32_t insn, const char *why)
{
    if (f->out->unknown)
        return;
    f->out->unknown = insn + 1;
    snprintf(f->out->why, sizeof f->out->why, "%s", why);
}

static int64_t offset_of(const struct access *a)
{
    return a->offset - symbol_place(a->offset);
}

static bool too_far(const struct access *a)
{
    return offset_of(a) > FARTHEST || offset_of(a) < -FARTHEST || a->step > FARTHEST ||
           a->step < -FARTHEST;
}

static struct stream *stream_new(struct finder *f, const struct access *a, enum stream_kind kind,
                                 const struct address_parts *p)
{
    struct stream s = {.kind = kind,
                       .insn = a->insn,
                       .step = a->stepped ? a->step : 0,
                       .place = symbol_place(a->offset),
                       .low = offset_of(a),
                       .high = offset_of(a) + a->bytes,
                       .follows = STREAM_ALONE,
                       .fed_by = STREAM_ALONE,
                       .symbol = a->symbol,
                       .term_count = p->count,
                       .loaded = p->leaf && p->leaf != NO_LEAF};
    memcpy(s.terms, p->terms, sizeof s.terms);
    vec_push(&f->out->items, s);
    return &f->out->items.items[f->out->items.count - 1];
}

/* Adds the access to a stream of its kind with the same symbol and stride; a walk must also be
 * within NEAR bytes. If there is none, creates a stream. Returns its index. */
static uint32_t stream_take(struct finder *f, const struct access *a, enum stream_kind kind,
                            const struct address_parts *p)
{
    struct stream *s = NULL;

    for (size_t i = 0; !s && i < f->out->items.count; i++) {
        struct stream *other = &f->out->items.items[i];
        bool close =
            kind == STREAM_CHASE || kind == STREAM_GATHER || kind == STREAM_FIXED ||
            (offset_of(a) < other->high + NEAR && offset_of(a) + a->bytes > other->low - NEAR);
        if (other->kind == kind && other->place == symbol_place(a->offset) &&
            other->symbol == a->symbol && other->step == (a->stepped ? a->step : 0) && close)
            s = other;
    }
    s = s ? s : stream_new(f, a, kind, p);
    s->low = offset_of(a) < s->low ? offset_of(a) : s->low;
    s->high = offset_of(a) + a->bytes > s->high ? offset_of(a) + a->bytes : s->high;
    if (a->store)
        s->stores++;
    else
        s->loads++;
    s->non_temporal |= a->store && insn_streams(&f->insns[a->insn]);
    return (uint32_t)(s - f->out->items.items);
}

/* Sets the register that points to the first element of a chase, and the offset of the link in an
 * element. Rejects the loop if the register is unknown. */
static void chase_root(struct finder *f, struct stream *s)
{
    uint32_t symbol = s->symbol;
    struct symbol_meaning m;

    for (unsigned i = 0; i < CHAIN && loaded_from(f, symbol, &m); i++) {
        s->link = m.value;
        symbol = m.a;
    }
    m = addresses_meaning(&f->work, f->isa->generals, symbol);
    if (m.kind == SYMBOL_REGISTER) {
        s->terms[0] = (struct stream_term){(uint8_t)m.a, 1};
        s->term_count = 1;
    } else {
        refuse(f, s->insn, "the register that contains the first pointer is unknown");
    }
}

/* Returns 1 + index of the instruction that last wrote @reg before instruction @at, in this or the
 * previous iteration; 0: none. */
static uint32_t writer_of(const struct finder *f, uint32_t at, uint8_t reg)
{
    for (size_t back = 1; reg < f->isa->generals && back <= f->count; back++) {
        const size_t i = (at + f->count - back) % f->count;
        for (unsigned k = 0; k < f->insns[i].operand_count; k++)
            if (f->insns[i].operands[k].kind == OPERAND_REGISTER &&
                f->insns[i].operands[k].reg == reg && f->insns[i].operands[k].access & ACCESS_WRITE)
                return (uint32_t)i + 1;
    }
    return 0;
}

/* Returns 1 + index of the instruction because of which the value of @reg before instruction @at is
 * not understood; 0: none was found. It is an opaque instruction, or the first one that changes its
 * own result by another operation than adding a constant. @seen: examined instructions. */
static uint32_t culprit_of(const struct finder *f, uint32_t at, uint8_t reg, bool *seen)
{
    const uint32_t writer = writer_of(f, at, reg);
    const struct insn *in = writer ? &f->insns[writer - 1] : NULL;
    uint32_t found = 0;
    bool own = false, other = false;

    if (!writer || seen[writer - 1])
        return 0;
    if (addresses_opaque(&f->work, writer - 1))
        return writer;
    seen[writer - 1] = true;
    for (unsigned k = 0; k < in->operand_count; k++) {
        const struct operand *op = &in->operands[k];
        const bool memory = op->kind == OPERAND_MEMORY;
        const uint8_t read[] = {memory ? op->base : op->reg, memory ? op->index : REG_NONE};
        for (unsigned i = 0; (memory || op->kind == OPERAND_REGISTER) && i < sizeof read; i++) {
            if (read[i] >= f->isa->generals || (!memory && !(op->access & ACCESS_READ)))
                continue;
            own |= read[i] == reg;
            other |= read[i] != reg;
            found = found ? found : culprit_of(f, writer - 1, read[i], seen);
        }
    }
    other |= in->operation != OPERATION_ADD && in->operation != OPERATION_SUBTRACT &&
             in->operation != OPERATION_INCREMENT && in->operation != OPERATION_DECREMENT &&
             in->operation != OPERATION_ADDRESS;
    return found ? found : own && other ? writer : 0;
}

/* Rejects an access whose address is not understood. Names the instruction that is the reason. */
static void refuse_address(struct finder *f, uint32_t insn)
{
    const struct operand *memory = insn_memory(&f->insns[insn]);
    const uint8_t regs[] = {memory ? memory->base : REG_NONE, memory ? memory->index : REG_NONE};
    struct str why = {0};

    if (f->out->unknown)
        return;
    bool *seen = mem_zero(f->count, sizeof *seen);
    for (unsigned i = 0; i < sizeof regs && !why.length; i++) {
        const uint32_t culprit = culprit_of(f, insn, regs[i], seen);
        const struct insn *in = culprit ? &f->insns[culprit - 1] : NULL;
        const struct operand *result = in ? insn_operand(in, in->result) : NULL;
        if (!in)
            continue;
        str_add(&why, "the address depends on ");
        vary_register_name((enum isa)in->isa,
                           result && result->kind == OPERAND_REGISTER ? result->reg : regs[i],
                           &why);
        str_addf(&why, ", which instruction %u (%s) computes in an unsupported way", culprit,
                 in->text ? in->text + strspn(in->text, " \t") : in->mnemonic);
    }
    refuse(f, insn, why.length ? str_text(&why)
                               : "the address is computed by an unsupported operation");
    str_done(&why);
    free(seen);
}

/* Returns the access that loads @from; NULL: none. */
static const struct access *loading(const struct finder *f, const struct symbol_meaning *from)
{
    for (size_t i = 0; i < f->work.accesses.count; i++) {
        const struct access *a = &f->work.accesses.items[i];
        if (!a->store && a->symbol == from->a && a->offset == from->value)
            return a;
    }
    return NULL;
}

/* Limits the index of gather @s to the non-negative values of a number of @bits bits. An odd @bits
 * is the number of bits plus SIGNED. */
static void values_limit(struct stream *s, uint32_t bits)
{
    const double values = exp2(bits & SIGNED ? bits - 2 * SIGNED : bits);
    s->values = s->values > 0 ? fmin(s->values, values) : values;
}

static void take_unstepped(struct finder *f, size_t at)
{
    const struct access *a = &f->work.accesses.items[at];
    struct address_parts p = {0};
    struct symbol_meaning from;
    uint32_t hops = hops_of(f, a);

    parts_of(f, a->symbol, 1, 0, &p);
    if (hops && !p.count) {
        /* Changes all accesses of the chase to one stream, although its loads have different
         * symbols. */
        for (size_t i = 0; i < f->out->items.count; i++) {
            struct stream *s = &f->out->items.items[i];
            struct symbol_meaning m;
            uint32_t symbol = a->symbol;
            unsigned depth = 0;
            for (; s->kind == STREAM_CHASE && depth <= hops && symbol != s->symbol &&
                   loaded_from(f, symbol, &m);
                 depth++)
                symbol = m.a;
            if (s->kind == STREAM_CHASE && symbol == s->symbol) {
                /* The load accesses the same element as the load of the next iteration's
                 * address. */
                s->delayed |= !a->store && depth == s->hops;
                s->loads += !a->store;
                s->stores += a->store;
                s->low = a->offset < s->low ? a->offset : s->low;
                s->high = a->offset + a->bytes > s->high ? a->offset + a->bytes : s->high;
                f->owner.items[at] = (uint32_t)i;
                return;
            }
        }
        f->owner.items[at] = stream_take(f, a, STREAM_CHASE, &p);
        struct stream *s = &f->out->items.items[f->owner.items[at]];
        s->hops = hops;
        s->lines = hops;
        chase_root(f, s);
        s->delayed = !a->store && a->offset != s->link;
        return;
    }
    if (p.leaf && p.leaf != NO_LEAF && loaded_from(f, p.leaf, &from)) {
        const struct access *load = loading(f, &from);
        const bool walked = load && load->stepped && load->step;
        if (walked && p.factor > 0 && p.factor <= NEAR) {
            const uint32_t fed_by = f->owner.items[load - f->work.accesses.items];
            f->owner.items[at] = stream_take(f, a, STREAM_GATHER, &p);
            struct stream *s = &f->out->items.items[f->owner.items[at]];
            s->fed_by = fed_by;
            s->scale = (uint32_t)p.factor;
            s->computed |= p.computed > 0;
            /* A computed number that is extended by its sign can be negative. No limit of an array
             * includes such an index. */
            if (p.extended & SIGNED && p.computed + 2 * SIGNED > p.extended && p.computed)
                s->values = fmax(s->values, exp2(64));
            else if (p.extended || !p.computed)
                values_limit(s, p.extended ? p.extended : from.b + SIGNED);
            if (p.computed && s->values < exp2(64))
                s->values = fmin(s->values > 0 ? s->values : INFINITY, exp2(p.computed));
            f->out->items.items[fed_by].index_bytes = from.b / 8;
            return;
        }
        if (load && !walked) {
            char why[96];
            snprintf(why, sizeof why,
                     "the index is loaded by instruction %u, whose address has no constant stride",
                     load->insn + 1);
            refuse(f, a->insn, why);
        }
    }
    refuse_address(f, a->insn);
}

/* Returns the number of bits in memory of an index that @load loads into an element of @bits bits.
 * Adds SIGNED if the index is signed. Returns 0 if @load loads fewer than @count indices, or
 * computes them. */
static uint32_t index_bits(const struct insn *load, uint32_t bits, uint32_t count)
{
    /* pmovzx and pmovsx end with the letters of the sizes in memory and in the register. */
    static const char sizes[] = "bwdq";
    const char *extends = strstr(load->mnemonic, "pmov");
    const struct operand *memory = insn_memory(load);

    if (extends && (strncmp(extends, "pmovzx", 6) == 0 || strncmp(extends, "pmovsx", 6) == 0)) {
        const char *from = strchr(sizes, extends[6]), *to = strchr(sizes, extends[7]);
        return to && from && bits == 8u << (to - sizes)
                   ? (8u << (from - sizes)) + (extends[4] == 's' ? SIGNED : 0)
                   : 0;
    }
    for (unsigned i = 0; i < load->operand_count; i++)
        if (load->operands[i].kind == OPERAND_REGISTER && load->operands[i].file == FILE_VECTOR &&
            load->operands[i].access & ACCESS_READ)
            return 0;
    return memory && memory->bits >= bits * count ? bits + SIGNED : 0;
}

/* Returns the stream whose load last wrote @reg, the index register of a gather, in this or the
 * previous iteration; STREAM_ALONE: none. Sets *@load to the index of the load. */
static uint32_t vector_feeder(const struct finder *f, size_t at, uint8_t reg, size_t *load)
{
    for (size_t back = 1; back <= f->count; back++) {
        size_t i = (at + f->count - back) % f->count;
        const struct operand *to = insn_operand(&f->insns[i], f->insns[i].result);
        *load = i;
        if (!to || to->kind != OPERAND_REGISTER || to->reg != reg)
            continue;
        for (size_t k = 0; f->insns[i].traits & INSN_LOAD && k < f->work.accesses.count; k++)
            if (f->work.accesses.items[k].insn == i && !f->work.accesses.items[k].store &&
                f->work.accesses.items[k].stepped)
                return f->owner.items[k];
        return STREAM_ALONE;
    }
    return STREAM_ALONE;
}

/* Adds a stream for a gather or scatter instruction. Rejects the instruction if its operands are
 * not supported. */
static void take_vector(struct finder *f, size_t at)
{
    const struct insn *in = &f->insns[at];
    const struct operand *memory = NULL, *data = NULL;

    for (unsigned k = 0; k < in->operand_count; k++) {
        const struct operand *op = &in->operands[k];
        if (op->kind == OPERAND_MEMORY)
            memory = op;
        else if (op->kind == OPERAND_REGISTER && op->file == FILE_VECTOR && !data)
            data = op;
    }
    if (!memory || !data || memory->index >= INSN_REGISTERS) {
        refuse(f, (uint32_t)at, "gathers and scatters with these operands are not supported");
        return;
    }
    size_t length = strlen(in->mnemonic);
    unsigned element =
        length && (in->mnemonic[length - 1] == 'd' || in->mnemonic[length - 1] == 'q')
            ? (strstr(in->mnemonic, "pd") || in->mnemonic[length - 1] == 'q' ? 64 : 32)
            : 32;
    const bool quad = strstr(in->mnemonic, "gatherq") || strstr(in->mnemonic, "scatterq");
    const unsigned wide = quad ? 64 : 32,
                   elements = data->bits / (element > wide ? element : wide);
    size_t load;
    struct stream s = {.kind = STREAM_GATHER,
                       .insn = (uint32_t)at,
                       .vector = true,
                       .follows = STREAM_ALONE,
                       .fed_by = vector_feeder(f, at, memory->index, &load),
                       .low = memory->displacement,
                       .high = memory->displacement + element / 8,
                       .scale = memory->scale ? memory->scale : 1};
    s.loads = in->traits & INSN_STORE ? 0 : elements;
    s.stores = in->traits & INSN_STORE ? elements : 0;
    s.lines = elements;
    if (memory->base < f->isa->generals) {
        s.terms[0] = (struct stream_term){memory->base, 1};
        s.term_count = 1;
    }
    const uint32_t bits =
        s.fed_by == STREAM_ALONE ? 0 : index_bits(&f->insns[load], wide, elements);
    if (bits) {
        values_limit(&s, bits);
        f->out->items.items[s.fed_by].index_bytes = bits / 8;
    } else {
        refuse(f, (uint32_t)at,
               s.fed_by == STREAM_ALONE
                   ? "the index vector is not loaded from memory in the loop"
                   : "the indices are computed, or not all of them are loaded");
    }
    vec_push(&f->out->items, s);
}

static bool is_vector_access(const struct insn *in)
{
    return in->operation == OPERATION_GATHER || in->operation == OPERATION_SCATTER;
}

static double lines_of(const struct finder *f, uint32_t at)
{
    const struct stream *s = &f->out->items.items[at];
    int64_t step = s->step < 0 ? -s->step : s->step, span = s->high - s->low;
    int64_t rounds = step >= LONG_STEP ? 1 : ROUNDS;
    size_t cells = (size_t)((step * (rounds - 1) + span) / STREAM_LINE + 4), fresh = 0;
    uint8_t *seen = mem_zero(cells, 1);
    /* Offsets are relative to the first line of the array. */
    int64_t origin = s->low + (s->step < 0 ? s->step * (rounds - 1) : 0);
    origin -= (origin % STREAM_LINE + STREAM_LINE) % STREAM_LINE;

    for (int64_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < f->work.accesses.count; i++) {
            const struct access *a = &f->work.accesses.items[i];
            if (f->owner.items[i] != at)
                continue;
            int64_t from = offset_of(a) + s->step * round - origin;
            for (int64_t line = from / STREAM_LINE; line <= (from + a->bytes - 1) / STREAM_LINE;
                 line++) {
                fresh += !seen[line] && (rounds == 1 || round >= rounds / 2);
                seen[line] = 1;
            }
        }
    free(seen);
    return (double)fresh / (double)(rounds == 1 ? 1 : rounds - rounds / 2);
}

static bool loads_moving(const struct finder *f, size_t insn)
{
    bool moving = f->insns[insn].operation == OPERATION_GATHER;

    for (size_t i = 0; !moving && i < f->work.accesses.count; i++) {
        const struct access *a = &f->work.accesses.items[i];
        moving = a->insn == insn && !a->store && f->owner.items[i] != STREAM_ALONE &&
                 stream_moves(&f->out->items.items[f->owner.items[i]]);
    }
    return moving;
}

/* Returns whether the instruction accesses memory at an index that a walk loads. Prefetchers fetch
 * the index early, so the access does not wait for it. */
static bool indexed_by_walk(const struct finder *f, size_t insn)
{
    bool gathers = false;

    for (size_t i = 0; i < f->work.accesses.count; i++) {
        const struct access *a = &f->work.accesses.items[i];
        gathers |= a->insn == insn && f->owner.items[i] != STREAM_ALONE &&
                   f->out->items.items[f->owner.items[i]].kind == STREAM_GATHER;
    }
    return gathers;
}

/* Returns the number of instructions per iteration that depend on a load of a moving stream. */
static uint32_t waiting_of(const struct finder *f)
{
    bool delayed[INSN_REGISTERS] = {0};
    uint32_t waiting = 0;

    for (size_t i = 0; i < 2 * f->count; i++) {
        const struct insn *in = &f->insns[i % f->count];
        bool moving = in->traits & INSN_LOAD && loads_moving(f, i % f->count),
             waits = moving && in->traits & INSN_STORE;
        for (unsigned k = 0; !(in->traits & INSN_ZERO_IDIOM) && k < in->operand_count; k++) {
            const struct operand *op = &in->operands[k];
            if (op->kind == OPERAND_REGISTER && op->access & ACCESS_READ &&
                op->reg < INSN_REGISTERS)
                waits |= moving || delayed[op->reg];
            else if (op->kind == OPERAND_MEMORY && !indexed_by_walk(f, i % f->count))
                waits |= (op->base < INSN_REGISTERS && delayed[op->base]) ||
                         (op->index < INSN_REGISTERS && delayed[op->index]);
        }
        for (unsigned k = 0; k < in->operand_count; k++)
            if (in->operands[k].kind == OPERAND_REGISTER && in->operands[k].access & ACCESS_WRITE &&
                in->operands[k].reg < INSN_REGISTERS)
                delayed[in->operands[k].reg] = waits || moving;
        waiting += i >= f->count && waits;
    }
    return waiting;
}

/* Finds each stream that accesses the same lines as another stream, a few iterations later. */
static void find_followers(struct streams *out)
{
    for (size_t i = 0; i < out->items.count; i++)
        for (size_t k = 0; k < out->items.count; k++) {
            struct stream *s = &out->items.items[i];
            const struct stream *ahead = &out->items.items[k];
            if (i == k || s->kind != STREAM_WALK || ahead->kind != STREAM_WALK ||
                s->symbol != ahead->symbol || s->place != ahead->place || s->step != ahead->step)
                continue;
            int64_t distance = s->step > 0 ? ahead->low - s->low : s->high - ahead->high;
            if (distance > 0 && (s->follows == STREAM_ALONE || (uint64_t)distance < s->distance)) {
                s->follows = (uint32_t)k;
                s->distance = (uint64_t)distance;
            }
        }
}

void streams_find(const struct insn *insns, size_t count, struct streams *out)
{
    struct finder f = {.insns = insns, .count = count, .out = out};

    *out = (struct streams){0};
    if (!count)
        return;
    f.isa = isa_ops((enum isa)insns[0].isa);
    addresses_link(insns, count, START_DIFFERENT, STORE_BUFFER, &f.work);
    const struct insn *repeated = analysis_repeated(insns, count);
    if (repeated)
        refuse(&f, (uint32_t)(repeated - insns),
               "the repeat count is unknown, because it is in a register");
    for (size_t i = 0; i < f.work.accesses.count; i++)
        vec_push(&f.owner, STREAM_ALONE);
    for (size_t i = 0; i < f.work.accesses.count; i++) {
        const struct access *a = &f.work.accesses.items[i];
        struct address_parts p = {0};
        if (too_far(a)) {
            refuse(&f, a->insn, "the offset is too large for an array");
            continue;
        }
        if (!a->stepped || is_vector_access(&insns[a->insn]))
            continue;
        if (!a->fixed)
            parts_of(&f, a->symbol, 1, 0, &p);
        f.owner.items[i] = stream_take(&f, a, a->step ? STREAM_WALK : STREAM_FIXED, &p);
        if (p.leaf == NO_LEAF && a->step)
            refuse_address(&f, a->insn);
        else if (p.leaf && a->step)
            refuse(&f, a->insn, "the base is loaded from memory in every iteration");
    }
    for (size_t i = 0; i < f.work.accesses.count; i++)
        if (f.owner.items[i] == STREAM_ALONE && !f.work.accesses.items[i].stepped &&
            !too_far(&f.work.accesses.items[i]) &&
            !is_vector_access(&insns[f.work.accesses.items[i].insn]))
            take_unstepped(&f, i);
    for (size_t i = 0; i < count; i++)
        if (is_vector_access(&insns[i]))
            take_vector(&f, i);
    for (uint32_t i = 0; i < out->items.count; i++) {
        struct stream *s = &out->items.items[i];
        if (s->kind == STREAM_WALK)
            s->lines = lines_of(&f, i);
        else if (s->kind == STREAM_GATHER && !s->vector) {
            uint32_t places = s->loads > s->stores ? s->loads : s->stores;
            s->lines = (double)(places < 1 ? 1 : s->high - s->low <= STREAM_LINE ? 1 : places);
        }
    }
    find_followers(out);
    out->waiting = waiting_of(&f);
    vec_done(&f.owner);
    address_work_done(&f.work);
}

void streams_done(struct streams *s)
{
    vec_done(&s->items);
}

bool streams_join(struct streams *s, size_t at, size_t other, int64_t distance, struct err *err)
{
    if (!at || at > s->items.count || !other || other > s->items.count || at == other)
        return err_set(err, ERR_USAGE, "kernel memory lists the streams",
                       "%zu and %zu are not the numbers of two different streams; numbers are 1 to "
                       "%zu",
                       at, other, s->items.count);
    struct stream *a = &s->items.items[at - 1], *b = &s->items.items[other - 1];
    if (a->kind != STREAM_WALK || b->kind != STREAM_WALK || a->step != b->step)
        return err_set(err, ERR_USAGE, "give streams of one array with equal strides",
                       "streams %zu and %zu have different strides", at, other);
    bool behind = a->step > 0 ? distance < 0 : distance > 0;
    struct stream *last = behind ? a : b;
    if (last->follows != STREAM_ALONE && last->distance <= (uint64_t)llabs(distance))
        return true;   /* Keeps the stream that this one already follows at a smaller distance. */
    last->follows = (uint32_t)((behind ? other : at) - 1);
    last->distance = (uint64_t)llabs(distance);
    return true;
}

const char *stream_word(const struct stream *s)
{
    if (s->kind == STREAM_FIXED)
        return "fixed";
    if (s->kind == STREAM_CHASE)
        return "chase";
    if (s->kind == STREAM_GATHER)
        return s->loads && s->stores ? "gather, scatter" : s->loads ? "gather" : "scatter";
    if (s->non_temporal)
        return "non-temporal";
    return s->loads && s->stores ? "update" : s->stores ? "store" : "load";
}

void stream_base(const struct stream *s, enum isa isa, struct str *out)
{
    for (unsigned i = 0; i < s->term_count; i++) {
        if (i)
            str_add(out, " + ");
        vary_register_name(isa, s->terms[i].reg, out);
        if (s->terms[i].factor != 1)
            str_addf(out, "*%" PRId64, s->terms[i].factor);
    }
    if (!s->term_count)
        str_add(out, s->kind == STREAM_FIXED ? "constant" : "loaded");
    if (s->kind == STREAM_GATHER)
        str_addf(out, " + index*%u", s->scale);
}

bool stream_shares_array(const struct stream *a, const struct stream *b)
{
    return a->kind == b->kind && a->place == b->place && a->term_count == b->term_count &&
           memcmp(a->terms, b->terms, a->term_count * sizeof *a->terms) == 0 &&
           (a->kind == STREAM_GATHER || a->symbol == b->symbol) && a->step == b->step;
}

double stream_range(const struct stream *one)
{
    return one->kind == STREAM_GATHER && one->values > 0
               ? one->scale * one->values + (double)(one->high - one->low)
               : INFINITY;
}

double streams_lines(const struct streams *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->items.count; i++)
        sum += s->items.items[i].lines;
    return sum;
}
