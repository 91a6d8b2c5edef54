/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/forwards.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "isa/isa.h"

/* Maximum number of iterations between store and load. Older stores have left the store buffer. */
#define DISTANCE_MOST 32u

/* A memory operand of instruction @insn. Lists of operands are in code order. */
struct memory_place { uint32_t insn, bytes; };
typedef VEC(struct memory_place) place_list;

/* Returns whether the operand's address is constant or relative to the frame, which includes
 * spilled values. */
static bool is_fixed(const struct isa_ops *isa, const struct operand *op)
{
    return op->base == REG_PC || (op->index == REG_NONE && (op->base == isa->stack_pointer ||
                                                            op->base == isa->frame_pointer));
}

static void add_places(const struct insn *insn, uint32_t number, place_list *loads,
                       place_list *stores)
{
    if (insn->traits & (INSN_CALL | INSN_RETURN))
        return;
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        if (op->kind != OPERAND_MEMORY || op->implicit ||
            is_fixed(isa_ops((enum isa)insn->isa), op))
            continue;
        if (op->access & ACCESS_READ)
            vec_push(loads, ((struct memory_place){number, op->bits / 8u}));
        if (op->access & ACCESS_WRITE)
            vec_push(stores, ((struct memory_place){number, op->bits / 8u}));
    }
}

/* Returns whether the place lists have an entry for the reference, as a store if @write is true,
 * otherwise as a load. References to fixed addresses have none. */
static bool is_placed(const struct program_reference *r, bool write)
{
    return r->write == write && !r->fixed;
}

/* Assigns the loads or stores of a block to the operands in @places, in order. Does nothing if the
 * numbers of operands and references differ. */
static void put(const struct program *p, const uint32_t *own, size_t count, bool write,
                const place_list *places, uint32_t *insn_of)
{
    size_t at = 0;

    for (size_t i = 0; i < count; i++)
        at += is_placed(&p->references[own[i]], write);
    if (at != places->count)
        return;
    at = 0;
    for (size_t i = 0; i < count; i++) {
        const struct program_reference *r = &p->references[own[i]];
        if (is_placed(r, write) && places->items[at].bytes == r->bytes)
            insn_of[own[i]] = places->items[at].insn;
        at += is_placed(r, write);
    }
}

/* Returns, for each reference, the index of its instruction in the unit, or FORWARD_NONE. The
 * caller frees the result. */
static uint32_t *place_references(const struct program_code *c)
{
    const struct program *p = c->program;
    uint32_t *insn_of = mem_alloc((p->reference_count + 1) * sizeof *insn_of);
    place_list *loads = mem_zero(p->block_count + 1, sizeof *loads),
               *stores = mem_zero(p->block_count + 1, sizeof *stores);
    VEC(uint32_t) own = {0};

    /* Sets all entries to FORWARD_NONE. */
    memset(insn_of, 0xff, (p->reference_count + 1) * sizeof *insn_of);
    for (size_t u = 0; u < p->unit_count; u++)
        for (uint32_t i = 0; c->units[u].kernel && i < c->units[u].kernel->insn_count; i++)
            add_places(&c->units[u].kernel->insns[i], i, &loads[c->units[u].block[i]],
                       &stores[c->units[u].block[i]]);
    /* References are sorted by block, so the references of a block are adjacent. */
    for (size_t i = 0; i < p->reference_count; i += own.count) {
        const uint32_t block = p->references[i].block;
        own.count = 0;
        for (size_t k = i; k < p->reference_count && p->references[k].block == block; k++)
            vec_push(&own, (uint32_t)k);
        put(p, own.items, own.count, false, &loads[block], insn_of);
        put(p, own.items, own.count, true, &stores[block], insn_of);
    }
    for (size_t b = 0; b < p->block_count; b++) {
        vec_done(&loads[b]);
        vec_done(&stores[b]);
    }
    free(loads);
    free(stores);
    vec_done(&own);
    return insn_of;
}

void code_forwards_find(const struct program_code *c, const struct program_run *run,
                        struct code_forwards *out)
{
    const struct program *p = c->program;
    uint32_t *insn_of = place_references(c);

    *out = (struct code_forwards){.units = mem_zero(p->unit_count + 1, sizeof *out->units),
                                  .insn_of = insn_of};
    for (size_t u = 0; u < p->unit_count; u++) {
        const size_t n = c->units[u].kernel ? c->units[u].kernel->insn_count : 0;
        out->units[u] = mem_alloc((n + 1) * sizeof **out->units);
        for (size_t i = 0; i < n; i++)
            out->units[u][i] = (struct insn_forward){FORWARD_NONE, 0};
    }
    for (size_t i = 0; i < p->reference_count; i++) {
        const struct run_reference *r = &run->references[i];
        if (!r->from || p->references[i].bytes > p->references[r->from - 1].bytes)
            continue;
        const uint32_t load = insn_of[i], store = insn_of[r->from - 1],
                       unit = p->blocks[p->references[i].block].unit;
        if (load != FORWARD_NONE && store != FORWARD_NONE &&
            p->blocks[p->references[r->from - 1].block].unit == unit)
            out->units[unit][load] = (struct insn_forward){store, r->from_age};
    }
}

void code_forwards_done(const struct program_code *c, struct code_forwards *f)
{
    for (size_t u = 0; u < c->program->unit_count; u++)
        free(f->units[u]);
    free(f->units);
    free(f->insn_of);
    vec_done(&f->links);
}

/* Searches the sequence backwards from the load at @at for the store that forwards to it, over
 * several iterations. Returns false if the store is too old or not in the sequence. */
static bool find_store(const struct insn_forward *from, const struct walked *sequence, size_t count,
                       size_t at, struct forward *out)
{
    const uint32_t unit = sequence[at].unit;
    uint32_t left = from->age;
    size_t i = at;

    *out = (struct forward){
        .load = (uint32_t)at, .starts_alike = true, .fits = true, .confirmed = true};
    while (out->distance <= DISTANCE_MOST) {
        if (i == 0) {
            i = count;
            out->distance++;
        }
        i--;
        if (sequence[i].unit == unit && sequence[i].insn == from->store && !sequence[i].call &&
            left-- == 0) {
            out->store = (uint32_t)i;
            return true;
        }
        if (i == at && left == from->age)
            return false;   /* The sequence of instructions does not contain the store. */
    }
    return false;
}

struct known_forwards code_forwards_link(struct code_forwards *f, const struct walked *sequence,
                                         size_t count)
{
    struct forward link;

    f->links.count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct insn_forward *from = &f->units[sequence[i].unit][sequence[i].insn];
        if (!sequence[i].call && from->store != FORWARD_NONE &&
            find_store(from, sequence, count, i, &link))
            vec_push(&f->links, link);
    }
    return (struct known_forwards){f->links.items, f->links.count};
}
