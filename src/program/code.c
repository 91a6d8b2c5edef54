/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/code.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/loops.h"
#include "base/mem.h"

#define OUTSIDE UINT32_MAX
#define ON_PATH 0.5        /* a block is on its loop's path when it is executed in this share of the iterations */

/* The block of every assembler line by its .loc lines: those without a block of their own belong to the one before. */
static uint32_t *lines_to_blocks(const char *text, uint32_t most, size_t *count)
{
    VEC(uint32_t) blocks = {0};
    uint32_t current = 0;

    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n");
        const char *word = at + strspn(at, " \t");
        if (strncmp(word, ".loc", 4) == 0 && (word[4] == ' ' || word[4] == '\t')) {
            char *end;
            (void)strtoul(word + 4, &end, 10);
            unsigned long line = strtoul(end, NULL, 10);
            current = line && line <= most ? (uint32_t)line : current;
        }
        vec_push(&blocks, current);
        at += length + (at[length] == '\n');
    }
    *count = blocks.count;
    return blocks.items;
}

/* Loops stand best first; the smallest that holds an instruction is its own. */
static void find_inner(struct code_unit *u)
{
    const struct kernel *k = u->kernel;

    for (size_t i = 0; i < k->insn_count; i++) {
        size_t best = SIZE_MAX;
        u->inner[i] = OUTSIDE;
        for (size_t l = 0; l < k->loop_count; l++) {
            const struct kernel_loop *loop = &k->loops[l];
            if (loop->depth && i >= loop->first && i < loop->first + loop->count && loop->count < best) {
                best = loop->count;
                u->inner[i] = (uint32_t)l;
            }
        }
    }
}

static bool assemble_unit(const struct program *p, size_t index, struct code_unit *u, struct err *err)
{
    const struct program_unit *unit = &p->units[index];
    struct kernel_options options = {.syntax = SYNTAX_ATT};
    size_t lines;

    if (!unit->block_count)
        return true;
    struct kernel *k = kernel_from_text(unit->source, unit->assembly, strlen(unit->assembly), &options, err);
    if (!k)
        return false;
    u->kernel = k;
    u->block = mem_zero(k->insn_count + 1, sizeof *u->block);
    u->inner = mem_zero(k->insn_count + 1, sizeof *u->inner);
    uint32_t *blocks = lines_to_blocks(unit->assembly, unit->block_count, &lines);
    for (size_t i = 0; i < k->insn_count; i++) {
        uint32_t line = k->insns[i].line, own = line && line <= lines ? blocks[line - 1] : 0;
        u->block[i] = unit->first_block + (own ? own - 1 : 0);
    }
    free(blocks);
    find_inner(u);
    return true;
}

struct program_code *program_code_new(const struct program *p, struct err *err)
{
    struct program_code *c = mem_zero(1, sizeof *c);
    bool ok = true;

    c->program = program_hold(p);
    c->units = mem_zero(p->unit_count + 1, sizeof *c->units);
    for (size_t i = 0; ok && i < p->unit_count; i++)
        ok = assemble_unit(p, i, &c->units[i], err);
    if (ok)
        return c;
    program_code_free(c);
    return NULL;
}

void program_code_free(struct program_code *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->program->unit_count; i++) {
        kernel_free(c->units[i].kernel);
        free(c->units[i].block);
        free(c->units[i].inner);
    }
    free(c->units);
    program_free(c->program);
    free(c);
}

uint32_t program_code_block(struct program_code *c, uint32_t block, uint32_t *unit)
{
    *unit = c->program->blocks[block].unit;
    struct code_unit *u = &c->units[*unit];
    struct kernel *k = (struct kernel *)(uintptr_t)u->kernel;   /* ours */
    size_t first = 0, count = 0;

    while (k && first < k->insn_count && u->block[first] != block)
        first++;
    if (!k || first == k->insn_count)
        return UINT32_MAX;
    if (u->inner[first] != OUTSIDE)
        return u->inner[first];
    while (first + count < k->insn_count && u->block[first + count] == block)
        count++;
    for (size_t l = 0; l < k->loop_count; l++)
        if (!k->loops[l].depth && k->loops[l].first == first && k->loops[l].count == count)
            return (uint32_t)l;
    struct str why = {0};
    const struct program_function *f = &c->program->functions[c->program->blocks[block].function];
    str_addf(&why, "block %s:%u, in no loop", f->name, block - f->first_block);
    struct kernel_loop loop = loop_make(k->insns, first, count, "", str_text(&why));
    str_done(&why);
    loop.depth = 0;
    k->loops = mem_resize(k->loops, (k->loop_count + 1) * sizeof *k->loops);
    k->loops[k->loop_count] = loop;
    return (uint32_t)k->loop_count++;
}

void code_parts_done(struct code_parts *parts)
{
    for (size_t i = 0; i < parts->list.count; i++) {
        vec_done(&parts->list.items[i].insns);
        vec_done(&parts->list.items[i].blocks);
    }
    vec_done(&parts->list);
}

static bool has_block(const struct code_part *part, uint32_t block)
{
    for (size_t i = 0; i < part->blocks.count; i++)
        if (part->blocks.items[i] == block)
            return true;
    return false;
}

/* Executions that enter the part's blocks from others: by the ways that lead there. */
static double entries_of(const struct program *p, const struct program_run *run, const struct code_part *part)
{
    const struct program_function *f = &p->functions[p->blocks[part->blocks.items[0]].function];
    double sum = 0;

    for (uint32_t b = f->first_block; b < f->first_block + f->block_count; b++) {
        const struct program_block *block = &p->blocks[b];
        if (has_block(part, b))
            continue;
        for (size_t k = 0; k < block->next_count; k++)
            if (has_block(part, block->next[k]))
                sum += !block->two_way ? run->counts[b] / (double)block->next_count : k ? run->counts[b] - run->taken[b] : run->taken[b];
    }
    return sum;
}

static void add_insn(struct code_part *part, const struct code_unit *u, uint32_t insn)
{
    vec_push(&part->insns, insn);
    if (!has_block(part, u->block[insn]))
        vec_push(&part->blocks, u->block[insn]);
}

/* Instructions of loop @loop, or of none, that lie in no inner one: those with a count above @above up to @most, as one part. */
static void take(const struct program_code *c, const struct program_run *run, uint32_t unit, uint32_t loop, double above, double most, struct code_part *out)
{
    const struct code_unit *u = &c->units[unit];
    size_t first = loop == OUTSIDE ? 0 : u->kernel->loops[loop].first, count = loop == OUTSIDE ? u->kernel->insn_count : u->kernel->loops[loop].count;

    *out = (struct code_part){.unit = unit, .loop = loop};
    for (size_t i = first; i < first + count; i++) {
        double executions = run->counts[u->block[i]];
        if (u->inner[i] == loop && executions > above && executions <= most) {
            add_insn(out, u, (uint32_t)i);
            out->executions = executions > out->executions ? executions : out->executions;
        }
    }
}

/* The highest count of at most @most, 0 when there is none. */
static double highest(const struct program_code *c, const struct program_run *run, uint32_t unit, uint32_t loop, double most)
{
    const struct code_unit *u = &c->units[unit];
    size_t first = loop == OUTSIDE ? 0 : u->kernel->loops[loop].first, count = loop == OUTSIDE ? u->kernel->insn_count : u->kernel->loops[loop].count;
    double best = 0;

    for (size_t i = first; i < first + count; i++) {
        double executions = run->counts[u->block[i]];
        if (u->inner[i] == loop && executions <= most && executions > best)
            best = executions;
    }
    return best;
}

static bool is_innermost(const struct kernel *k, uint32_t loop)
{
    for (size_t l = 0; l < k->loop_count; l++)
        if (l != loop && k->loops[l].depth && k->loops[l].first >= k->loops[loop].first && k->loops[l].count < k->loops[loop].count &&
            k->loops[l].first + k->loops[l].count <= k->loops[loop].first + k->loops[loop].count)
            return false;
    return true;
}

/* Of an innermost loop first its path, then what is executed more rarely; elsewhere one part for each count. */
static void find_in(const struct program_code *c, const struct program_run *run, uint32_t unit, uint32_t loop, struct code_parts *out)
{
    bool path = loop != OUTSIDE && is_innermost(c->units[unit].kernel, loop);

    for (double most = highest(c, run, unit, loop, 1e300); most > 0;) {
        double above = most * (path ? ON_PATH : 0.999);
        struct code_part part;
        take(c, run, unit, loop, above, most, &part);
        part.repeats = path;
        if (path)
            part.entries = entries_of(c->program, run, &part);
        vec_push(&out->list, part);
        path = false;
        most = highest(c, run, unit, loop, above);
    }
}

void code_parts_find(const struct program_code *c, const struct program_run *run, struct code_parts *out)
{
    *out = (struct code_parts){{0}};
    for (size_t u = 0; u < c->program->unit_count; u++) {
        const struct kernel *k = c->units[u].kernel;
        if (!k)
            continue;
        find_in(c, run, (uint32_t)u, OUTSIDE, out);
        for (size_t l = 0; l < k->loop_count; l++)
            if (k->loops[l].depth)
                find_in(c, run, (uint32_t)u, (uint32_t)l, out);
    }
}
