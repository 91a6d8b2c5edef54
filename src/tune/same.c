/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tune/same.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "isa/foreign.h"
#include "isa/rewrite.h"
#include "isa/vary.h"
#include "measure/kernel_code.h"
#include "model/start.h"

/* number of iterations of the version in a run; the original loop runs ROUNDS * version.times
 * iterations */
#define ROUNDS 2
#define TAIL 32              /* size of the code that stores the flags, in bytes */
/* number of regions that pointers point to; accesses within a region may be adjacent or overlap */
#define REGIONS 3
#define REGION_STEP 0x01000000
#define CODE_MOST 65536
/* maximum number of attempts of a run that receives too little CPU time */
#define ATTEMPTS 5

/* Kinds of initial contents of memory and vector registers */
enum filling { FILL_BITS, FILL_DOUBLES, FILL_SINGLES, FILL_POINTERS, FILL_COUNT };

/* Straight-line code that runs once */
struct flat {
    struct insn *insns;
    unsigned *slots;
    size_t count;
    uint32_t offset;
};

static void flat_add(struct flat *f, const struct insn *in, unsigned slot)
{
    f->insns[f->count] = *in;
    f->slots[f->count++] = slot;
}

static void flat_loop(struct flat *f, const struct insn *insns, const uint32_t *origin,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(insns[i].traits & INSN_BRANCH))
            flat_add(f, &insns[i], origin ? origin[i] : (unsigned)i);
}

static void flat_begin(struct flat *f, size_t most)
{
    *f = (struct flat){.insns = mem_alloc((most + 1) * sizeof *f->insns),
                       .slots = mem_alloc((most + 1) * sizeof *f->slots)};
}

static void flat_done(struct flat *f)
{
    free(f->insns);
    free(f->slots);
}

/* Adds the code to the sandbox, followed by code that stores @flags. Decodes the code again as a
 * check. */
static bool flat_place(struct sandbox *s, struct flat *f, uint32_t flags, struct err *err)
{
    size_t length = 0, at = 0;

    for (size_t i = 0; i < f->count; i++)
        length += f->insns[i].length;
    if (length > CODE_MOST)
        return err_set(err, ERR_LIMIT, "select a shorter loop with kernel use",
                       "the loop has %zu bytes of code; results are compared for at most %d bytes",
                       length, (int)CODE_MOST);
    uint8_t *code = mem_alloc(length + TAIL);
    f->offset = sandbox_next_offset(s);
    for (size_t i = 0; i < f->count; i++)
        at += kernel_emit_one(&f->insns[i], f->slots[i], f->offset, code, at);
    bool ok = kernel_emitted(f->insns, f->count, code, at) ||
              err_set(err, ERR_DATA, NULL, "the placed loop decodes to different instructions");
    at += ok ? isa_ops((enum isa)f->insns[0].isa)->rewrite->flags_store(flags, code + at) : 0;
    uint32_t offset;
    ok = ok && (sandbox_add(s, code, at, 1, COUNTER_MEMORY, &offset) ||
                err_set(err, ERR_LIMIT, NULL, "not enough memory for the code"));
    free(code);
    return ok;
}

const char *same_refused(const struct insn *insns, size_t count)
{
    const char *reason = kernel_refused(insns, count, NULL);

    if (reason)
        return reason;
    if (!sandbox_has_states() || !isa_ops((enum isa)insns[0].isa)->rewrite)
        return "registers cannot be read on this kind of processor";
    for (size_t i = 0; i < count; i++) {
        if (insns[i].traits & INSN_X87_MMX)
            return "x87 and MMX registers are not compared";
        if (insns[i].traits & INSN_RIP_RELATIVE && insns[i].traits & INSN_STORE)
            return "stores to addresses relative to the code are not compared";
    }
    return NULL;
}

struct roles { bool base[32], index[32]; };

static struct roles roles_of(const struct flat *f)
{
    struct roles r = {0};

    for (size_t i = 0; i < f->count; i++)
        for (unsigned k = 0; k < f->insns[i].operand_count; k++) {
            const struct operand *op = &f->insns[i].operands[k];
            if (op->kind == OPERAND_MEMORY && op->base < 32)
                r.base[op->base] = true;
            if (op->kind == OPERAND_MEMORY && op->index < 32)
                r.index[op->index] = true;
        }
    return r;
}

static uint64_t pointer(struct rng *rng)
{
    /* Makes most places multiples of 64 bytes, because the code may load aligned vectors. */
    const uint64_t place = rng_below(rng, 4) ? 64 * rng_below(rng, 16) : 8 * rng_below(rng, 128);
    return 0x10000000 + REGION_STEP * rng_below(rng, REGIONS) + 1024 + place;
}

static uint64_t number(struct rng *rng)
{
    static const uint64_t edges[] = {
        0, 1, 2, UINT64_MAX, (uint64_t)1 << 63, 0x7fffffff, 0x80000000, 0xffffffff};

    switch (rng_below(rng, 4)) {
    case 0: return edges[rng_below(rng, sizeof edges / sizeof *edges)];
    case 1: return rng_below(rng, 64);
    default: return rng_next(rng);
    }
}

/* Returns a random value of @kind. Floating-point values are small integers, whose sums and
 * products are exact in any order. */
static uint64_t filled(struct rng *rng, enum filling kind)
{
    uint64_t bits = 0;
    float pair[2];
    double one;

    switch (kind) {
    case FILL_DOUBLES:
        one = (double)(1 + rng_below(rng, 8));
        memcpy(&bits, &one, sizeof bits);
        return bits;
    case FILL_SINGLES:
        pair[0] = (float)(1 + rng_below(rng, 4));
        pair[1] = (float)(1 + rng_below(rng, 4));
        memcpy(&bits, pair, sizeof bits);
        return bits;
    case FILL_POINTERS:
        return pointer(rng);
    default:
        return rng_next(rng);
    }
}

static void start_fill(struct rng *rng, const struct roles *r, const struct isa_ops *isa,
                       enum filling kind, struct sandbox_start *start)
{
    *start = (struct sandbox_start){0};
    for (unsigned i = 0; i < SANDBOX_WORDS; i++) {
        start->vectors[i] = filled(rng, kind);
        start->words[i] = filled(rng, kind);
    }
    for (unsigned i = 0; i < isa->generals; i++)
        start->general[i] = r->base[i]    ? pointer(rng)
                            : r->index[i] ? 8 * rng_below(rng, 8)
                                          : number(rng);
    start->general[isa->stack_pointer] = 0x10000000 + REGION_STEP * (uint64_t)REGIONS + 2048;
}

/* Returns whether two vectors are equal. Floating-point lanes of @lanes bits (0: none) are compared
 * with a tolerance, because reordered sums may be rounded differently. */
static bool close_enough(const uint64_t *a, const uint64_t *b, unsigned lanes)
{
    for (unsigned i = 0; i < 8; i++) {
        if (a[i] == b[i])
            continue;
        double x[2], y[2];
        float s[2], t[2];
        memcpy(x, &a[i], sizeof *x);
        memcpy(y, &b[i], sizeof *y);
        memcpy(s, &a[i], sizeof s);
        memcpy(t, &b[i], sizeof t);
        for (unsigned k = 0; lanes == 32 && k < 2; k++)
            if (!(fabsf(s[k] - t[k]) <= 1e-5f * (fabsf(s[k]) + fabsf(t[k]))))
                return false;
        if (lanes == 64 && !(fabs(*x - *y) <= 1e-13 * (fabs(*x) + fabs(*y))))
            return false;
        if (!lanes)
            return false;
    }
    return true;
}

/* Returns whether the states differ. Stores the place of the difference in @where. */
static bool differ(enum isa isa, const struct sandbox_state *a, const struct sandbox_state *b,
                   const struct version *c, char where[64])
{
    const struct isa_ops *ops = isa_ops(isa);
    struct str name = {0};
    uint8_t at = REG_NONE;

    for (uint8_t i = 0; i < ops->generals && at == REG_NONE; i++)
        at = a->general[i] != b->general[i] && !version_fresh(c, i) ? i : REG_NONE;
    for (uint8_t i = 0; i < 32 && at == REG_NONE; i++)
        at = !version_fresh(c, (uint8_t)(ops->vectors + i)) &&
                     !close_enough(a->vectors[i], b->vectors[i], c->lanes)
                 ? (uint8_t)(ops->vectors + i)
                 : REG_NONE;
    if (at != REG_NONE)
        vary_register_name(isa, at, &name);
    snprintf(where, 64, "%s", at != REG_NONE ? str_text(&name) : "a mask register");
    str_done(&name);
    return at != REG_NONE || memcmp(a->masks, b->masks, sizeof a->masks) != 0;
}

/* Runs @f until a run receives enough CPU time, at most ATTEMPTS times. *@fault receives the fault
 * of the last run. */
static bool run_one(struct sandbox *s, const struct flat *f, unsigned vectors,
                    const struct sandbox_start *start, struct sandbox_state *after,
                    uint64_t *memory, unsigned *fault, struct err *err)
{
    bool ok = true;

    *fault = FAULT_STARVED;
    for (unsigned i = 0; ok && *fault == FAULT_STARVED && i < ATTEMPTS; i++)
        ok = sandbox_run_states(s, f->offset, vectors, start, after, memory, fault, err);
    return ok;
}

/* Runs loop and version on one input and compares the results. Skips the input if a run does not
 * get enough CPU time or the loop faults. A fault of only the version is a difference. Returns
 * false with err if the sandbox fails. */
static bool try_one(struct sandbox *s, const struct flat both[2], unsigned vectors,
                    const struct sandbox_start *start, const struct version *c, struct same *out,
                    struct err *err)
{
    struct sandbox_state after[2];
    uint64_t memory[2];
    unsigned fault[2];

    memset(after, 0, sizeof after);
    for (int i = 0; i < 2; i++) {
        if (!run_one(s, &both[i], vectors, start, &after[i], &memory[i], &fault[i], err))
            return false;
        if (fault[i] == FAULT_STARVED || (i == 0 && fault[0])) {
            out->skipped++;
            return true;
        }
    }
    if (fault[1]) {
        out->differs = true;
        snprintf(out->where, sizeof out->where, "%.60s", sandbox_fault_text(fault[1]));
        return true;
    }
    out->differs = differ((enum isa)both[0].insns[0].isa, &after[0], &after[1], c, out->where);
    if (!out->differs && memory[0] != memory[1]) {
        out->differs = true;
        snprintf(out->where, sizeof out->where, "memory or flags");
    }
    out->agreed += !out->differs;
    return true;
}

bool same_try(struct sandbox *s, const struct insn *insns, size_t count, const struct version *c,
              unsigned inputs, uint64_t seed, struct same *out, struct err *err)
{
    const struct isa_ops *isa = isa_ops((enum isa)insns[0].isa);
    struct flat both[2];
    struct body like = {0};
    struct rng rng;

    *out = (struct same){0};
    flat_begin(&both[0], ROUNDS * c->times * count);
    flat_begin(&both[1], ROUNDS * c->count + c->before.count + c->after.count);
    for (size_t i = 0; i < c->before.count; i++)
        flat_add(&both[1], &c->before.items[i], 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned copy = 0; copy < c->times; copy++)
            flat_loop(&both[0], insns, NULL, count);
        flat_loop(&both[1], c->insns, c->origin, c->count);
    }
    for (size_t i = 0; i < c->after.count; i++)
        flat_add(&both[1], &c->after.items[i], 0);
    const uint32_t flags = c->after.count ? 0 : c->flags;
    sandbox_clear(s);
    bool ok = (both[0].count && both[1].count) ||
              err_set(err, ERR_DATA, NULL, "the loop has only a branch, and no result to compare");
    ok = ok && flat_place(s, &both[0], flags, err) && flat_place(s, &both[1], flags, err);
    if (ok) {
        const struct roles roles = roles_of(&both[0]);
        isa->foreign->vectors_used(both[1].insns, both[1].count, &like);
        isa->foreign->vectors_used(both[0].insns, both[0].count, &like);
        rng_seed(&rng, seed);
        for (unsigned i = 0; ok && i < inputs && !out->differs; i++) {
            struct sandbox_start start;
            const enum filling kind = c->lanes == 64   ? FILL_DOUBLES
                                      : c->lanes == 32 ? FILL_SINGLES
                                                       : (enum filling)(i % FILL_COUNT);
            start_fill(&rng, &roles, isa, kind, &start);
            ok = try_one(s, both, sandbox_setup(&like), &start, c, out, err);
        }
    }
    sandbox_clear(s);
    flat_done(&both[0]);
    flat_done(&both[1]);
    return ok;
}
