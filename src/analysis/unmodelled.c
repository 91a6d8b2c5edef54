/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/unmodelled.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/watch.h"

#define NAMED 3
#define VECTOR_BYTES 16
#define NOBODY UINT32_MAX

/* Names of the first NAMED instructions with one kind of effect */
struct listed {
    struct str text;
    size_t count, last;   /* @count: number of instructions. @last: 1 + index of the last
                           * instruction. */
};

static void list(struct listed *l, const struct insn *insns, size_t at)
{
    if (l->count && l->last == at + 1)   /* Counts an instruction once, although it may have a
                                          * second access. */
        return;
    l->last = at + 1;
    if (l->count++ >= NAMED)
        return;
    str_addf(&l->text, "%s%s", l->count > 1 ? ", " : "", insns[at].mnemonic);
    if (insns[at].line)
        str_addf(&l->text, " (line %u)", insns[at].line);
}

static char *listed_take(struct listed *l, const char *what)
{
    struct str text = {0};

    if (l->count)
        str_addf(&text, "%s: %s%s", what, str_text(&l->text), l->count > NAMED ? " and more" : "");
    str_done(&l->text);
    return l->count ? str_take(&text) : NULL;
}

static bool moves(const struct access *a)
{
    return !a->stepped || a->step != 0;
}

static void list_crossings(const struct insn *insns, const struct address_work *work,
                           struct listed *l)
{
    for (size_t i = 0; i < work->accesses.count; i++) {
        const struct access *a = &work->accesses.items[i];
        if (a->bytes < 2 || !moves(a) || insns[a->insn].traits & INSN_ALIGNED)
            continue;
        if (a->bytes >= VECTOR_BYTES || (a->stepped && a->step % a->bytes != 0))
            list(l, insns, a->insn);
    }
}

/* Returns whether an instruction with @trait (INSN_VEX or INSN_LEGACY_SSE) writes a vector
 * register. */
static bool writes_vector(const struct insn *insn, uint32_t trait)
{
    bool found = false;

    for (unsigned i = 0; insn->traits & trait && i < insn->operand_count; i++)
        found |= insn->operands[i].file == FILE_VECTOR && insn->operands[i].access & ACCESS_WRITE;
    return found;
}

/* Lists SSE instructions that write a vector register after an instruction with VEX, without
 * vzeroupper or vzeroall between them. The loop is walked twice, because the instruction with VEX
 * may be of the previous iteration. */
static void list_mixed(const struct insn *insns, size_t count, struct listed *l)
{
    bool vex = false;

    for (size_t i = 0; i < 2 * count; i++) {
        const struct insn *insn = &insns[i % count];
        if (insn_clears_uppers(insn))
            vex = false;
        else
            vex |= writes_vector(insn, INSN_VEX);
        if (i >= count && vex && writes_vector(insn, INSN_LEGACY_SSE))
            list(l, insns, i % count);
    }
}

/* Lists non-temporal stores, instructions that load a control word, and masked stores. Measured on
 * a virtual EPYC Turin: a store of a line with vmovntdq takes 200 cycles, and an fldcw that changes
 * the word takes 90. From a masked store to a masked load, a value takes 17 cycles; without masks,
 * it takes 11. */
static void list_slow(const struct insn *insns, size_t count, struct listed l[UNMODELLED_COUNT])
{
    for (size_t at = 0; at < count; at++) {
        if (insn_stores_masked(&insns[at]))
            list(&l[UNMODELLED_MASKED], insns, at);
        if (insn_streams(&insns[at]))
            list(&l[UNMODELLED_STREAMS], insns, at);
        if (insn_sets_mode(&insns[at]))
            list(&l[UNMODELLED_MODES], insns, at);
    }
}

/* Returns whether the node's value comes from the load of @insn; false for the register of a
 * write-back address, and for the stack pointer of a pop. */
static bool is_loaded(const struct insn *insn, const struct dep_node *node)
{
    if (node->end >= LATENCY_ADDRESS)
        return node->end == LATENCY_FLAGS || node->end == LATENCY_MEMORY;
    const struct operand *op = &insn->operands[node->end];
    return !(op->access & ACCESS_WRITEBACK) && !(op->implicit && insn->traits & INSN_STACK);
}

/* Returns for each node whether its value depends on data that this iteration loads. The caller
 * frees the array. */
static bool *loaded_nodes(const struct insn *insns, size_t count, const struct deps *d)
{
    bool *loaded = mem_zero(d->node_count + 1, sizeof *loaded),
         *still = mem_zero(count + 1, sizeof *still), changed = true;
    const struct address_work *work = &d->addresses;

    for (size_t i = 0; i < work->accesses.count; i++)
        still[work->accesses.items[i].insn] |=
            !work->accesses.items[i].store && !moves(&work->accesses.items[i]);
    /* Excludes forwarded loads, because they return the value of the store and no new data. */
    for (size_t i = 0; i < work->found_count; i++)
        still[work->found[i].load] = true;
    for (size_t n = 0; n < d->node_count; n++) {
        const struct insn *insn = &insns[d->nodes[n].insn];
        loaded[n] =
            insn->traits & INSN_LOAD && !still[d->nodes[n].insn] && is_loaded(insn, &d->nodes[n]);
    }
    while (changed && !watch_steps(1)) {
        changed = false;
        for (size_t i = 0; i < d->edge_count; i++)
            if (loaded[d->edges[i].from] && !loaded[d->edges[i].to])
                loaded[d->edges[i].to] = changed = true;
    }
    free(still);
    return loaded;
}

/* Returns whether the branch @insn depends on loaded data. @writers: the node that last wrote each
 * resource. */
static bool depends(const struct insn *insn, const uint32_t *writers, const bool *loaded)
{
    bool found = false;

    if (insn->flags_read & FLAG_CARRY)
        found |= writers[RESOURCE_CARRY] != NOBODY && loaded[writers[RESOURCE_CARRY]];
    if (insn->flags_read & ~(uint32_t)FLAG_CARRY)
        found |= writers[RESOURCE_FLAGS] != NOBODY && loaded[writers[RESOURCE_FLAGS]];
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        if (op->kind == OPERAND_REGISTER && op->access & ACCESS_READ && op->reg < INSN_REGISTERS)
            found |= writers[op->reg] != NOBODY && loaded[writers[op->reg]];
        /* An indexed operand counts as an entry of a jump table. */
        found |= op->kind == OPERAND_MEMORY && op->index < INSN_REGISTERS;
    }
    return found;
}

/* Returns whether the address of @insn's memory operand depends on loaded data. */
static bool is_irregular(const struct insn *insn, const uint32_t *writers, const bool *loaded)
{
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        const uint8_t parts[2] = {op->base, op->index};
        for (unsigned p = 0; op->kind == OPERAND_MEMORY && p < 2; p++)
            if (parts[p] < INSN_REGISTERS && writers[parts[p]] != NOBODY &&
                loaded[writers[parts[p]]])
                return true;
    }
    return false;
}

/* Lists the instructions whose effects depend on data loaded in each iteration. Returns whether an
 * address depends on such data. */
static bool list_dependent(const struct insn *insns, size_t count, const struct deps *d,
                           struct listed l[UNMODELLED_COUNT])
{
    bool *loaded = loaded_nodes(insns, count, d),
         *irregular = mem_zero(count + 1, sizeof *irregular), stores = false, any = false;
    uint32_t writers[RESOURCE_COUNT];

    for (size_t r = 0; r < RESOURCE_COUNT; r++)
        writers[r] = NOBODY;
    for (int round = 0; round < 2; round++)
        for (size_t at = 0; at < count; at++) {
            bool other = insns[at].traits & (INSN_CALL | INSN_RETURN);
            if (round && insns[at].traits & INSN_BRANCH && !other &&
                depends(&insns[at], writers, loaded))
                list(&l[UNMODELLED_BRANCHES], insns, at);
            irregular[at] = round && insns[at].traits & (INSN_LOAD | INSN_STORE) && !other &&
                            is_irregular(&insns[at], writers, loaded);
            stores |= irregular[at] && insns[at].traits & INSN_STORE;
            for (uint32_t n = d->first_node[at]; n < d->first_node[at + 1]; n++)
                writers[d->nodes[n].resource] = n;
        }
    for (size_t at = 0; at < count; at++) {
        const size_t found = addresses_found(&d->addresses, (uint32_t)at);
        const bool finds = found < d->addresses.found_count && d->addresses.found[found].load == at;
        any |= irregular[at];
        if (!irregular[at] || !(insns[at].traits & INSN_LOAD))
            continue;
        list(&l[UNMODELLED_MISSES], insns, at);
        if (stores && (!finds || insns[at].traits & INSN_STORE))
            list(&l[UNMODELLED_FORWARDS], insns, at);
    }
    free(loaded);
    free(irregular);
    return any;
}

bool unmodelled_find(const struct insn *insns, size_t count, const struct deps *d,
                     char *out[UNMODELLED_COUNT])
{
    static const char *const what[UNMODELLED_COUNT] = {
        [UNMODELLED_BRANCHES] = "mispredicted branches on loaded data",
        [UNMODELLED_CROSSINGS] = "accesses that cross pages",
        [UNMODELLED_MISSES] = "cache misses of loads whose addresses are loaded",
        [UNMODELLED_FORWARDS] = "loads delayed by recent stores",
        [UNMODELLED_STREAMS] = "memory time of non-temporal stores",
        [UNMODELLED_MODES] = "delays after a changed control word",
        [UNMODELLED_MASKED] = "delays of masked stores, and of loads from them",
        [UNMODELLED_MIXED] = "delays of SSE instructions among VEX instructions",
    };
    struct listed lists[UNMODELLED_COUNT] = {{.count = 0}};

    const bool irregular = list_dependent(insns, count, d, lists);
    list_crossings(insns, &d->addresses, &lists[UNMODELLED_CROSSINGS]);
    list_slow(insns, count, lists);
    list_mixed(insns, count, &lists[UNMODELLED_MIXED]);
    for (int kind = 0; kind < UNMODELLED_COUNT; kind++)
        out[kind] = listed_take(&lists[kind], what[kind]);
    return irregular;
}
