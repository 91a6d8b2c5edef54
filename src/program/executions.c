/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the executions of each machine instruction. They equal the count of the instruction's
 * block, unless the compiler moved the instruction before a loop or to the use of its result, or
 * placed it after the block's branch. A moved instruction has the executions of its neighbours. An
 * instruction after the branch has those of its direction. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/loops.h"
#include "base/mem.h"
#include "program/code.h"

#define OUTSIDE UINT32_MAX

/* Adds each block without instructions on a path between blocks of @inside to @inside. */
static void take_empty(const struct program *p, const struct program_function *f,
                       const bool *has_code, bool *inside)
{
    bool *after = mem_zero(f->block_count + 1, sizeof *after);

    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = f->first_block; b < f->first_block + f->block_count; b++)
            for (size_t k = 0; inside[b] && k < p->blocks[b].next_count; k++)
                if (p->blocks[b].next[k] >= f->first_block &&
                    p->blocks[b].next[k] < f->first_block + f->block_count)
                    after[p->blocks[b].next[k] - f->first_block] = true;
        for (uint32_t b = f->first_block; b < f->first_block + f->block_count; b++)
            for (size_t k = 0; !inside[b] && !has_code[b] && after[b - f->first_block] &&
                               k < p->blocks[b].next_count;
                 k++)
                changed |= inside[b] = inside[p->blocks[b].next[k]];
    }
    free(after);
}

double code_entries(const struct program_code *c, const struct program_run *run,
                    const struct program_function *f, bool *inside)
{
    const struct program *p = c->program;
    double sum = 0;

    take_empty(p, f, c->has_code, inside);
    for (uint32_t b = f->first_block; b < f->first_block + f->block_count; b++) {
        const struct program_block *block = &p->blocks[b];
        for (size_t k = 0; !inside[b] && k < block->next_count; k++)
            if (inside[block->next[k]])
                sum += !block->two_way ? run->counts[b] / (double)block->next_count
                       : k             ? run->counts[b] - run->taken[b]
                                       : run->taken[b];
    }
    return sum;
}

static bool lies_in(const struct kernel_loop *loop, size_t insn)
{
    return insn >= loop->first && insn < loop->first + loop->count;
}

/* Returns the number of entries into loop @l in @block's function. A block belongs to the loop if
 * at least half of its instructions, without moved ones, are in the loop. */
static double loop_entries(const struct program_code *c, const struct code_unit *u,
                           const struct program_run *run, uint32_t l, uint32_t block)
{
    const struct program *p = c->program;
    const struct program_function *f = &p->functions[p->blocks[block].function];
    const struct kernel_loop *loop = &u->kernel->loops[l];
    bool *inside = mem_zero(p->block_count + 1, sizeof *inside);
    /* per block: number of its instructions in the loop minus number of its instructions outside */
    long *more = mem_zero(p->block_count + 1, sizeof *more);

    for (size_t i = 0; i < u->kernel->insn_count; i++)
        more[u->block[i]] += lies_in(loop, i) ? 1 : u->left[i] == l ? 0 : -1;
    for (size_t i = loop->first; i < loop->first + loop->count; i++)
        inside[u->block[i]] = more[u->block[i]] >= 0;
    free(more);
    double entries = code_entries(c, run, f, inside);
    free(inside);
    return entries;
}

/* Sets in @ways the number of instructions from which each instruction of @k is reached. */
static void count_ways(const struct kernel *k, unsigned *ways)
{
    for (size_t i = 0; i < k->insn_count; i++) {
        const struct insn *insn = &k->insns[i];
        const size_t target = loop_branch_target(k->insns, k->insn_count, i);
        const bool falls = !(insn->traits & INSN_RETURN) &&
                           (!(insn->traits & INSN_BRANCH) ||
                            (insn->traits & (INSN_CONDITIONAL | INSN_CALL)));
        if (target != SIZE_MAX)
            ways[target]++;
        if (falls)
            ways[i + 1]++;
    }
}

/* Returns the number of times that @block's branch leads to block @next; NAN: @next is not one of
 * its two directions. */
static double directed(const struct program *p, const struct program_run *run, uint32_t block,
                       uint32_t next)
{
    const struct program_block *b = &p->blocks[block];

    if (!b->two_way || b->next_count != 2 || (b->next[0] != next && b->next[1] != next))
        return NAN;
    return b->next[0] == next ? run->taken[block] : run->counts[block] - run->taken[block];
}

/* Corrects the executions @out of sequences that belong to a block but are executed in only one
 * direction of its branch, such as copies of values before a jump. */
static void count_directions(const struct program_code *c, const struct code_unit *u,
                             const struct program_run *run, double *out)
{
    const struct kernel *k = u->kernel;
    unsigned *ways = mem_zero(k->insn_count + 1, sizeof *ways);

    count_ways(k, ways);
    for (size_t i = 0; i + 1 < k->insn_count; i++) {
        const size_t target = loop_branch_target(k->insns, k->insn_count, i),
                     both[2] = {i + 1, target};
        const uint32_t block = u->block[i];
        if (!(k->insns[i].traits & INSN_CONDITIONAL) || target == SIZE_MAX)
            continue;
        for (int side = 0; side < 2; side++) {
            const size_t first = both[side];
            const double other = directed(c->program, run, block, u->block[both[1 - side]]);
            size_t end = first;
            while (end < k->insn_count && u->stretch[end] == first && u->block[end] == block)
                end++;
            if (end == first || ways[first] != 1 || isnan(other) ||
                (end < k->insn_count && u->stretch[end] == first) ||
                (k->insns[end - 1].traits & INSN_CONDITIONAL))
                continue;
            for (size_t at = first; at < end; at++)
                out[at] = fmin(out[at], fmax(0, run->counts[block] - other));
        }
    }
    free(ways);
}

void code_executions(const struct program_code *c, uint32_t unit, const struct program_run *run,
                     double *out)
{
    const struct code_unit *u = &c->units[unit];
    size_t n = u->kernel ? u->kernel->insn_count : 0;
    double *entries =
        mem_alloc((n ? u->kernel->loop_count : 0) * sizeof *entries + sizeof *entries);

    for (size_t l = 0; n && l < u->kernel->loop_count; l++)
        entries[l] = NAN;
    for (size_t i = 0; i < n; i++) {
        uint32_t left = u->left[i];
        out[i] = run->counts[u->block[i]];
        if (left == OUTSIDE)
            continue;
        if (isnan(entries[left]))
            entries[left] = loop_entries(c, u, run, left, u->block[i]);
        out[i] = fmin(out[i], entries[left]);
    }
    /* All instructions of a straight-line sequence have the same count. A moved instruction has the
     * higher count of the loop that it left, so the minimum is the correct count. */
    for (size_t i = 0; i < n; i++)
        out[u->stretch[i]] = fmin(out[u->stretch[i]], out[i]);
    for (size_t i = 0; i < n; i++)
        out[i] = out[u->stretch[i]];
    if (n)
        count_directions(c, u, run, out);
    free(entries);
}

/* Returns the first instruction of the only successor of the sequence that ends with @last;
 * SIZE_MAX: none or several. */
static size_t follows(const struct kernel *k, size_t last)
{
    const struct insn *insn = &k->insns[last];

    if (insn->traits & (INSN_RETURN | INSN_CONDITIONAL))
        return SIZE_MAX;
    if (!(insn->traits & INSN_BRANCH) || (insn->traits & INSN_CALL))
        return last + 1 < k->insn_count ? last + 1 : SIZE_MAX;
    return loop_branch_target(k->insns, k->insn_count, last);
}

/* A straight-line sequence. @next: its only successor. @before, @jump: instructions from which the
 * sequence is reached. SIZE_MAX: none. */
struct neighbours { size_t first, end, next, before, jump; };

static size_t count_of(const struct code_unit *u, uint32_t block, size_t first, size_t end)
{
    size_t count = 0;
    for (size_t i = first; i < end; i++)
        count += u->block[i] == block;
    return count;
}

/* Returns the largest loop next to the sequence from which @insn may have been moved; OUTSIDE:
 * none. The loop must contain other instructions of the block. */
static uint32_t loop_left(const struct code_unit *u, size_t insn, const struct neighbours *n)
{
    const struct kernel *k = u->kernel;
    uint32_t best = OUTSIDE, block = u->block[insn];

    for (size_t l = 0; l < k->loop_count; l++) {
        const struct kernel_loop *loop = &k->loops[l];
        bool into = lies_in(loop, n->next),
             from = lies_in(loop, n->before) || lies_in(loop, n->jump);
        if (!loop->depth || lies_in(loop, insn) || (!into && !from) ||
            (best != OUTSIDE && loop->count <= k->loops[best].count))
            continue;
        if (count_of(u, block, loop->first, loop->first + loop->count) >
            (into ? 0 : count_of(u, block, n->first, n->end)))
            best = (uint32_t)l;
    }
    return best;
}

void code_find_moved(struct code_unit *u)
{
    const struct kernel *k = u->kernel;
    /* per instruction: index of a branch that jumps to it */
    size_t *jumps = mem_alloc((k->insn_count + 1) * sizeof *jumps);

    for (size_t i = 0; i < k->insn_count; i++)
        jumps[i] = SIZE_MAX;
    for (size_t i = 0; i < k->insn_count; i++) {
        size_t target = loop_branch_target(k->insns, k->insn_count, i);
        if (target != SIZE_MAX)
            jumps[target] = i;
    }
    for (size_t first = 0, end; first < k->insn_count; first = end) {
        for (end = first + 1; end < k->insn_count && u->stretch[end] == first; end++)
            continue;
        bool through = first && (!(k->insns[first - 1].traits & INSN_BRANCH) ||
                                 (k->insns[first - 1].traits & (INSN_CONDITIONAL | INSN_CALL)));
        const struct neighbours n = {first, end, follows(k, end - 1),
                                     through ? first - 1 : SIZE_MAX, jumps[first]};
        for (size_t i = first; i < end; i++)
            u->left[i] = loop_left(u, i, &n);
    }
    free(jumps);
}
