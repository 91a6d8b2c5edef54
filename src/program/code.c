/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/code.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/loops.h"
#include "base/mem.h"
#include "program/calls.h"

#define OUTSIDE UINT32_MAX
/* An instruction is on a loop's path if its executions exceed this share of those of the most
 * executed instruction. */
#define ON_PATH 0.5

/* Block and label of a line of the assembler text */
struct text_line {
    /* 1 + index of the block in the unit, from the compiler's line numbers; 0: none */
    uint32_t block;
    bool begins;               /* whether a label precedes the line, which may then be a jump's
                                * target */
};

/* Returns whether the word is a label of code. Returns false for labels of debug information, which
 * may also occur within a block. */
static bool is_label(const char *word, size_t length)
{
    static const char *const others[] = {".Ltmp", ".Lfunc", ".Ldebug", ".Lcfi"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(word, others[i], strlen(others[i])) == 0)
            return false;
    return length > 1 && word[length - 1] == ':' && word[0] != '#';
}

/* Returns the block and label of each line, from the .loc directives. Source line 0: no block. Sets
 * *@count to the number of lines. The caller frees the lines. */
static struct text_line *read_lines(const char *text, uint32_t most, size_t *count)
{
    VEC(struct text_line) lines = {0};
    struct text_line now = {0, false};

    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n");
        const char *word = at + strspn(at, " \t");
        if (strncmp(word, ".loc", 4) == 0 && (word[4] == ' ' || word[4] == '\t')) {
            char *end;
            (void)strtoul(word + 4, &end, 10);
            unsigned long line = strtoul(end, NULL, 10);
            now.block = line <= most ? (uint32_t)line : now.block;
        }
        now.begins |= is_label(at, strcspn(at, " \t\n"));
        vec_push(&lines, now);
        if (*word && *word != '#' && *word != '.' && !is_label(at, strcspn(at, " \t\n")))
            now.begins = false;   /* A label that precedes an instruction does not precede the next
                                   * line. */
        at += length + (at[length] == '\n');
    }
    *count = lines.count;
    return lines.items;
}

/* Sets the block and the straight-line sequence of each instruction. If an instruction has no
 * block, assigns it to the first block of its sequence. If the sequence has none, assigns it to the
 * previous instruction's block. Sets @has_code for blocks with instructions. */
static void find_blocks(const struct program_unit *unit, struct code_unit *u, bool *has_code)
{
    const struct kernel *k = u->kernel;
    size_t count;
    struct text_line *lines = read_lines(unit->assembly, unit->block_count, &count);
    uint32_t before = 1;

    for (size_t i = 0, first = 0; i < k->insn_count; i++) {
        uint32_t line = k->insns[i].line;
        bool known = line && line <= count;
        if (i == 0 || (known && lines[line - 1].begins) ||
            ((k->insns[i - 1].traits & INSN_BRANCH) && !(k->insns[i - 1].traits & INSN_CALL)))
            first = i;
        u->stretch[i] = (uint32_t)first;
        u->block[i] = known ? lines[line - 1].block : 0;
    }
    for (size_t first = 0, end; first < k->insn_count; first = end) {
        uint32_t own = 0;
        for (end = first; end < k->insn_count && u->stretch[end] == first; end++)
            own = own ? own : u->block[end];
        own = own ? own : before;
        for (size_t i = first; i < end; i++) {
            before = u->block[i] ? u->block[i] : own;
            has_code[unit->first_block + before - 1] |= u->block[i] > 0;
            u->block[i] = unit->first_block + before - 1;
        }
    }
    free(lines);
}

/* Finds the innermost loop of each instruction: the smallest loop that contains it. */
static void find_inner(struct code_unit *u)
{
    const struct kernel *k = u->kernel;

    for (size_t i = 0; i < k->insn_count; i++) {
        size_t best = SIZE_MAX;
        u->inner[i] = OUTSIDE;
        for (size_t l = 0; l < k->loop_count; l++) {
            const struct kernel_loop *loop = &k->loops[l];
            if (loop->depth && i >= loop->first && i < loop->first + loop->count &&
                loop->count < best) {
                best = loop->count;
                u->inner[i] = (uint32_t)l;
            }
        }
    }
}

/* Appends straight-line code to the loops of @k as an entry: the @count instructions of @block from
 * @first. Returns the entry's index. */
static uint32_t add_straight(const struct program *p, struct kernel *k, uint32_t block,
                             size_t first, size_t count)
{
    const struct program_function *f = &p->functions[p->blocks[block].function];
    struct str why = {0};

    str_addf(&why, "block %s:%u, outside of loops", f->name, block - f->first_block);
    struct kernel_loop loop = loop_make(k->insns, first, count, "", str_text(&why));
    str_done(&why);
    loop.depth = 0;
    k->loops = mem_resize(k->loops, (k->loop_count + 1) * sizeof *k->loops);
    k->loops[k->loop_count] = loop;
    return (uint32_t)k->loop_count++;
}

/* Finds the loop that represents each block of @u, for program_code_block. Stores the loops in
 * @shown. */
static void find_shown(const struct program *p, const struct code_unit *u, struct kernel *k,
                       uint32_t *shown)
{
    for (size_t i = 0, end; i < k->insn_count; i = end) {
        uint32_t block = u->block[i];
        for (end = i + 1; end < k->insn_count && u->block[end] == block; end++)
            continue;
        if (shown[block] == OUTSIDE)
            shown[block] =
                u->inner[i] != OUTSIDE ? u->inner[i] : add_straight(p, k, block, i, end - i);
    }
}

static bool assemble_unit(const struct program_code *c, size_t index, struct err *err)
{
    const struct program_unit *unit = &c->program->units[index];
    struct code_unit *u = &c->units[index];
    struct kernel_options options = {.syntax = SYNTAX_ATT};

    if (!unit->block_count)
        return true;
    struct kernel *k =
        kernel_from_text(unit->source, unit->assembly, strlen(unit->assembly), &options, err);
    if (!k)
        return false;
    u->kernel = k;
    u->block = mem_zero(k->insn_count + 1, sizeof *u->block);
    u->inner = mem_zero(k->insn_count + 1, sizeof *u->inner);
    u->stretch = mem_zero(k->insn_count + 1, sizeof *u->stretch);
    u->left = mem_zero(k->insn_count + 1, sizeof *u->left);
    find_blocks(unit, u, c->has_code);
    find_inner(u);
    code_find_moved(u);
    find_shown(c->program, u, k, c->shown);
    return true;
}

static void find_library(struct program_code *c)
{
    const struct program *p = c->program;
    VEC(const char *) names = {0};

    for (size_t b = 0; b < p->block_count; b++)
        for (size_t k = 0; k < p->blocks[b].call_count; k++) {
            const char *name = p->blocks[b].calls[k];
            size_t at = 0;
            while (at < names.count && strcmp(names.items[at], name) != 0)
                at++;
            if (at == names.count && call_function_find(name) && !program_has(p, name))
                vec_push(&names, name);
        }
    c->library = mem_zero(names.count + 1, sizeof *c->library);
    c->library_count = names.count;
    if (names.count)
        call_codes_find(names.items, names.count, c->library);
    vec_done(&names);
}

const struct call_code *program_code_library(const struct program_code *c, const char *name)
{
    for (size_t i = 0; i < c->library_count; i++)
        if (c->library[i].insns.count && strcmp(c->library[i].name, name) == 0)
            return &c->library[i];
    return NULL;
}

struct program_code *program_code_new(const struct program *p, struct err *err)
{
    struct program_code *c = mem_zero(1, sizeof *c);
    bool ok = true;

    c->program = program_hold(p);
    c->units = mem_zero(p->unit_count + 1, sizeof *c->units);
    c->has_code = mem_zero(p->block_count + 1, sizeof *c->has_code);
    c->shown = mem_alloc((p->block_count + 1) * sizeof *c->shown);
    /* Sets all entries to UINT32_MAX. */
    memset(c->shown, 0xff, (p->block_count + 1) * sizeof *c->shown);
    for (size_t i = 0; ok && i < p->unit_count; i++)
        ok = assemble_unit(c, i, err);
    if (!ok) {
        program_code_free(c);
        return NULL;
    }
    find_library(c);
    return c;
}

void program_code_free(struct program_code *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->program->unit_count; i++) {
        kernel_free(c->units[i].kernel);
        free(c->units[i].block);
        free(c->units[i].stretch);
        free(c->units[i].left);
        free(c->units[i].inner);
    }
    free(c->units);
    for (size_t i = 0; i < c->library_count; i++)
        call_code_done(&c->library[i]);
    free(c->library);
    free(c->has_code);
    free(c->shown);
    program_free(c->program);
    free(c);
}

uint32_t program_code_block(const struct program_code *c, uint32_t block, uint32_t *unit)
{
    *unit = c->program->blocks[block].unit;
    return c->shown[block];
}

void code_parts_done(struct code_parts *parts)
{
    for (size_t i = 0; i < parts->list.count; i++) {
        vec_done(&parts->list.items[i].insns);
        vec_done(&parts->list.items[i].times);
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

/* Returns the number of executions that enter the part's blocks over edges from other blocks. */
static double entries_of(const struct program_code *c, const struct program_run *run,
                         const struct code_part *part)
{
    const struct program *p = c->program;
    bool *inside = mem_zero(p->block_count + 1, sizeof *inside);

    for (size_t i = 0; i < part->blocks.count; i++)
        inside[part->blocks.items[i]] = true;
    double sum =
        code_entries(c, run, &p->functions[p->blocks[part->blocks.items[0]].function], inside);
    free(inside);
    return sum;
}

static void add_insn(struct code_part *part, const struct code_unit *u, uint32_t insn, double times)
{
    vec_push(&part->insns, insn);
    vec_push(&part->times, times);
    if (!has_block(part, u->block[insn]))
        vec_push(&part->blocks, u->block[insn]);
}

/* Makes a part from instructions of loop @loop (UINT32_MAX: no loop) outside of its inner loops.
 * Selects those with more than @above and at most @most executions. */
static void take(const struct program_code *c, const double *times, uint32_t unit, uint32_t loop,
                 double above, double most, struct code_part *out)
{
    const struct code_unit *u = &c->units[unit];
    size_t first = loop == OUTSIDE ? 0 : u->kernel->loops[loop].first,
           count = loop == OUTSIDE ? u->kernel->insn_count : u->kernel->loops[loop].count;

    *out = (struct code_part){.unit = unit, .loop = loop};
    for (size_t i = first; i < first + count; i++) {
        if (u->inner[i] == loop && times[i] > above && times[i] <= most) {
            add_insn(out, u, (uint32_t)i, times[i]);
            out->executions = times[i] > out->executions ? times[i] : out->executions;
        }
    }
}

/* Returns the largest number of executions, up to @most, of an instruction of @loop that is in no
 * inner loop; 0: none. */
static double highest(const struct program_code *c, const double *times, uint32_t unit,
                      uint32_t loop, double most)
{
    const struct code_unit *u = &c->units[unit];
    size_t first = loop == OUTSIDE ? 0 : u->kernel->loops[loop].first,
           count = loop == OUTSIDE ? u->kernel->insn_count : u->kernel->loops[loop].count;
    double best = 0;

    for (size_t i = first; i < first + count; i++)
        if (u->inner[i] == loop && times[i] <= most && times[i] > best)
            best = times[i];
    return best;
}

static bool is_innermost(const struct kernel *k, uint32_t loop)
{
    for (size_t l = 0; l < k->loop_count; l++)
        if (l != loop && k->loops[l].depth && k->loops[l].first >= k->loops[loop].first &&
            k->loops[l].count < k->loops[loop].count &&
            k->loops[l].first + k->loops[l].count <= k->loops[loop].first + k->loops[loop].count)
            return false;
    return true;
}

/* Splits an innermost loop into its path and its less executed code. Splits other code into one
 * part for each number of executions. */
static void find_in(const struct program_code *c, const struct program_run *run,
                    const double *times, uint32_t unit, uint32_t loop, struct code_parts *out)
{
    bool path = loop != OUTSIDE && is_innermost(c->units[unit].kernel, loop);

    for (double most = highest(c, times, unit, loop, 1e300); most > 0;) {
        double above = most * (path ? ON_PATH : 0.999);
        struct code_part part;
        take(c, times, unit, loop, above, most, &part);
        part.repeats = path;
        if (path)
            part.entries = entries_of(c, run, &part);
        vec_push(&out->list, part);
        path = false;
        most = highest(c, times, unit, loop, above);
    }
}

void code_parts_find(const struct program_code *c, const struct program_run *run,
                     struct code_parts *out)
{
    *out = (struct code_parts){{0}};
    for (size_t u = 0; u < c->program->unit_count; u++) {
        const struct kernel *k = c->units[u].kernel;
        if (!k)
            continue;
        double *times = mem_alloc((k->insn_count + 1) * sizeof *times);
        code_executions(c, (uint32_t)u, run, times);
        find_in(c, run, times, (uint32_t)u, OUTSIDE, out);
        for (size_t l = 0; l < k->loop_count; l++)
            if (k->loops[l].depth)
                find_in(c, run, times, (uint32_t)u, (uint32_t)l, out);
        free(times);
    }
}
