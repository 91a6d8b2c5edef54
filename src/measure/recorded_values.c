/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "measure/recorded_code.h"

/* Input of a comparison: a constant, or the value of a load */
struct comparand {
    bool known;
    uint32_t load; /* index of the load; RECORDED_OUT: a constant */
    uint64_t value;
};

static uint64_t low(uint64_t value, unsigned bits)
{
    return bits >= 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

/* Returns whether condition @cc holds after the comparison of @a and @b, or after their bitwise
 * and. */
static bool holds(unsigned cc, bool and, uint64_t a, uint64_t b, unsigned bits)
{
    a = low(a, bits);
    b = low(b, bits);
    const uint64_t r = low(and? a & b : a - b, bits), top = UINT64_C(1) << (bits - 1);
    const bool zero = !r, sign = r & top, carry = !and&&a < b, over = !and&&(a ^ b) & (a ^ r) & top,
               parity = !(__builtin_popcount((unsigned)(r & 0xff)) & 1);
    const bool all[8] = {over, carry,  zero,         carry || zero,
                         sign, parity, sign != over, zero || sign != over};

    return all[cc >> 1] != (cc & 1);
}

/* Returns the set of instructions to which jumps may lead, with a flag per instruction. The caller
 * frees it. */
static bool *targets_of(const struct recording *r)
{
    bool *targets = mem_zero(r->insns.count + 1, 1);

    targets[r->first] = true;
    for (size_t i = 0; i < r->insns.count; i++) {
        if (r->insns.items[i].target != RECORDED_OUT)
            targets[r->insns.items[i].target] = true;
        if (r->insns.items[i].next != RECORDED_OUT && r->insns.items[i].next != i + 1)
            targets[r->insns.items[i].next] = true;
    }
    for (size_t i = 0; i < r->events.count; i++)
        if (r->insns.items[r->events.items[i].at].indirect &&
            r->events.items[i].value != RECORDED_OUT)
            targets[r->events.items[i].value] = true;
    return targets;
}

/* Returns whether @at has no predecessor except @at - 1. */
static bool follows(const struct recording *r, const bool *targets, uint32_t at)
{
    return at && !targets[at] && r->insns.items[at - 1].next == at;
}

/* Finds the source of operand @o of the comparison at @at. */
static struct comparand comparand_of(const struct recording *r, const struct recorded_plan *p,
                                     const bool *targets, uint32_t at, const struct operand *o)
{
    const struct comparand none = {.known = false};
    uint32_t i = at;

    if (o->kind == OPERAND_IMMEDIATE)
        return (struct comparand){true, RECORDED_OUT, (uint64_t)o->immediate};
    if (o->kind == OPERAND_MEMORY)
        return p->own[at]            ? (struct comparand){true, at, 0}
               : !recorded_stores(r) ? (struct comparand){true, RECORDED_OUT, 0}
                                     : none;
    if (o->kind != OPERAND_REGISTER || o->file != FILE_GENERAL || o->offset_bits)
        return none;
    for (; follows(r, targets, i); i--) {
        const struct insn *in = r->insns.items[i - 1].insn;
        if (recorded_writes(in, o->reg))
            return p->own[i - 1] && strncmp(in->mnemonic, "mov", 3) == 0 &&
                           in->operands[0].reg == o->reg && in->operands[0].bits >= 32
                       ? (struct comparand){true, i - 1, 0}
                       : none;
    }
    for (i = 0; i < r->insns.count; i++)
        if (recorded_writes(r->insns.items[i].insn, o->reg))
            return none;
    return (struct comparand){true, RECORDED_OUT, recorded_start(r, o->reg)};
}

/* Returns the value in the register after the load @in of memory that contains @value. */
static uint64_t loaded(const struct insn *in, uint64_t value)
{
    const unsigned bits = insn_memory(in)->bits;
    const uint64_t narrow = low(value, bits);

    return strncmp(in->mnemonic, "movsx", 5) == 0 && bits < 64 && narrow >> (bits - 1)
               ? narrow | ~low(UINT64_MAX, bits)
               : narrow;
}

/* Finds contents of memory with which the branch at @at is not taken, and contents with which it is
 * taken. Returns false if either cannot be found. Stores the contents in @out in this order. */
static bool find_contents(const struct recording *r, uint32_t at, const struct comparand sources[2],
                          uint64_t out[2])
{
    static const uint64_t tried[] = {0,
                                     1,
                                     2,
                                     999,
                                     1000,
                                     1001,
                                     100,
                                     0x7f,
                                     0x80,
                                     0xff,
                                     0x7fff,
                                     0x8000,
                                     0xffff,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     UINT64_MAX >> 1,
                                     UINT64_C(1) << 63,
                                     UINT64_MAX};
    const struct insn *compares = r->insns.items[at - 1].insn;
    const unsigned bits = compares->operands[0].bits,
                   cc = insn_branch_condition(r->insns.items[at].insn);
    const bool and = strcmp(compares->mnemonic, "test") == 0;
    bool found[2] = {false, false};

    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        uint64_t values[2];
        for (unsigned k = 0; k < 2; k++)
            values[k] = sources[k].load == RECORDED_OUT
                            ? sources[k].value
                            : loaded(r->insns.items[sources[k].load].insn, tried[i]);
        const bool taken = holds(cc, and, values[0], values[1], bits);
        if (!found[taken]) {
            found[taken] = true;
            out[taken] = tried[i];
        }
    }
    return found[0] && found[1];
}

void recorded_deciders(const struct recording *r, struct recorded_plan *p)
{
    bool *targets = targets_of(r), *used = mem_zero(r->insns.count + 1, 1);

    for (uint32_t at = 0; at < r->insns.count; at++) {
        const struct recorded_insn *in = &r->insns.items[at];
        const struct insn *before = at ? r->insns.items[at - 1].insn : NULL;
        p->decider[at] = RECORDED_OUT;
        if (in->indirect || !(in->insn->traits & INSN_CONDITIONAL) || !follows(r, targets, at) ||
            (strcmp(before->mnemonic, "cmp") != 0 && strcmp(before->mnemonic, "test") != 0))
            continue;
        const struct comparand sources[2] = {
            comparand_of(r, p, targets, at - 1, &before->operands[0]),
            comparand_of(r, p, targets, at - 1, &before->operands[1])};
        const uint32_t load = sources[0].load != RECORDED_OUT ? sources[0].load : sources[1].load;
        if (!sources[0].known || !sources[1].known || load == RECORDED_OUT || used[load] ||
            (sources[1].load != RECORDED_OUT && sources[1].load != load) ||
            !find_contents(r, at, sources, p->content[at]))
            continue;
        p->decider[at] = load;
        used[load] = true;
    }
    free(targets);
    free(used);
}
