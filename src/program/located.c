/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/located.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "toolchain/object.h"

#define NOWHERE UINT32_MAX

/* maximum number of pairs of instructions that are compared */
#define ALIGNED_MOST ((size_t)40 << 20)
/* smallest share of a function's instructions in the executable that must match */
#define ALIKE 0.75

/* A function of the assembled unit, and its code in the executable */
struct twin {
    uint32_t unit;
    size_t first, count;       /* range of instructions in the unit's kernel */
    struct kernel *own;        /* kernel with the instructions in the executable */
    /* per instruction of the executable: index of its match among the unit's instructions */
    size_t *same;
};

void located_done(struct located *l)
{
    free(l->samples);
    free(l->different);
    *l = (struct located){.all = 0};
}

/* Finds the range of function @f in its unit. Returns false if @f has no code. */
static bool find_in_unit(const struct program_code *c, const struct program_function *f,
                         struct twin *out)
{
    const struct code_unit *u;
    size_t last = 0;

    out->unit = c->program->blocks[f->first_block].unit;
    u = &c->units[out->unit];
    out->first = SIZE_MAX;
    for (size_t i = 0; u->kernel && i < u->kernel->insn_count; i++)
        if (u->block[i] >= f->first_block && u->block[i] < f->first_block + f->block_count) {
            out->first = out->first == SIZE_MAX ? i : out->first;
            last = i;
        }
    out->count = out->first == SIZE_MAX ? 0 : last - out->first + 1;
    return out->count > 0;
}

static bool same_form(const struct insn *a, const struct insn *b)
{
    return strcmp(a->form, b->form) == 0;
}

/* Aligns the unit's function and the executable's by the longest common sequence of forms. The two
 * can differ, because the compiler may choose other registers or addresses without counters. Stores
 * for each instruction of the executable its match, or the last match before it. Returns false if
 * too few match, if the functions are too long, or if memory runs out. */
static bool align(const struct program_code *c, struct twin *t)
{
    const struct insn *unit = c->units[t->unit].kernel->insns + t->first, *own = t->own->insns;
    size_t n = t->count, m = t->own->insn_count, begun = 0, matched = 0;

    t->same = mem_alloc((m + 1) * sizeof *t->same);
    while (begun < n && begun < m && same_form(&unit[begun], &own[begun])) {
        t->same[begun] = begun;
        begun++;
    }
    matched = begun;
    n -= begun;
    m -= begun;
    if (n * m > ALIGNED_MOST)
        return false;
    /* lengths[i][j] is the length of the longest common sequence of the unit's instructions from i
     * and those of the executable from j. */
    uint16_t *lengths = mem_try_zero((n + 1) * (m + 1), sizeof *lengths);
    if (!lengths)
        return false;
    for (size_t i = n; i-- > 0;)
        for (size_t j = m; j-- > 0;) {
            uint16_t down = lengths[(i + 1) * (m + 1) + j], right = lengths[i * (m + 1) + j + 1];
            lengths[i * (m + 1) + j] = same_form(&unit[begun + i], &own[begun + j])
                                           ? (uint16_t)(lengths[(i + 1) * (m + 1) + j + 1] + 1)
                                       : down > right ? down
                                                      : right;
        }
    for (size_t i = 0, j = 0; j < m;) {
        bool both = i < n && same_form(&unit[begun + i], &own[begun + j]);
        if (!both && i < n && lengths[(i + 1) * (m + 1) + j] >= lengths[i * (m + 1) + j + 1]) {
            i++;
            continue;
        }
        t->same[begun + j] = both ? begun + i : begun + j ? t->same[begun + j - 1] : 0;
        i += both;
        matched += both;
        j++;
    }
    free(lengths);
    return (double)matched >= ALIKE * (double)t->own->insn_count;
}

/* Returns, for each instruction of the unit, the index of its part, or NOWHERE. The caller frees
 * the result. */
static uint32_t *parts_by_insn(const struct program_code *c, const struct code_parts *parts,
                               uint32_t unit)
{
    size_t count = c->units[unit].kernel->insn_count;
    uint32_t *of = mem_alloc((count + 1) * sizeof *of);

    for (size_t i = 0; i < count; i++)
        of[i] = NOWHERE;
    for (size_t p = 0; p < parts->list.count; p++)
        for (size_t i = 0;
             parts->list.items[p].unit == unit && i < parts->list.items[p].insns.count; i++)
            of[parts->list.items[p].insns.items[i]] = (uint32_t)p;
    return of;
}

/* Returns the index of the instruction of @k at address @at; SIZE_MAX: none. */
static size_t insn_at(const struct kernel *k, uint64_t at)
{
    for (size_t i = 0; i < k->insn_count; i++)
        if (at >= k->insns[i].offset && at < k->insns[i].offset + k->insns[i].length)
            return i;
    return SIZE_MAX;
}

/* Adds the samples in a function of the executable, which align() has matched with the unit, to the
 * parts of the unit. Returns their number. */
static size_t take_twin(struct located *out, const struct program_code *c,
                        const struct code_parts *parts, const struct twin *t,
                        const struct object *o, const struct samples *s, uint32_t image)
{
    uint32_t *of = parts_by_insn(c, parts, t->unit);
    size_t taken = 0;

    for (size_t i = 0; i < s->points.count; i++) {
        uint64_t at = s->points.items[i].image == image ? object_place(o, s->points.items[i].offset)
                                                        : UINT64_MAX;
        size_t insn = at != UINT64_MAX ? insn_at(t->own, object_position(o, at)) : SIZE_MAX;
        uint32_t part = insn == SIZE_MAX ? NOWHERE : of[t->first + t->same[insn]];
        if (part == NOWHERE)
            continue;
        out->samples[part] += s->points.items[i].count;
        taken += s->points.items[i].count;
    }
    free(of);
    return taken;
}

bool located_add(struct located *out, const struct program_code *c, const struct code_parts *parts,
                 const char *path, const struct samples *s, struct err *err)
{
    struct object o = {.code = NULL};
    uint32_t image = 0;
    size_t taken = 0;

    if (!out->samples)
        out->samples = mem_zero(parts->list.count + 1, sizeof *out->samples);
    out->part_count = parts->list.count;
    while (image < s->images.count && strcmp(s->images.items[image], path) != 0)
        image++;
    bool ok = object_read(path, 0, &o, err);
    for (size_t f = 0; ok && f < c->program->function_count; f++) {
        const struct program_function *function = &c->program->functions[f];
        const struct object_symbol *symbol = object_symbol_find(&o, function->name);
        struct err ignored;
        struct twin t = {.same = NULL};
        if (!symbol || !function->block_count || !find_in_unit(c, function, &t))
            continue;   /* Skips a function that the executable lacks because it was inlined. */
        t.own = kernel_from_code(&o, path, (size_t)symbol->offset, (size_t)symbol->size, true,
                                 &ignored);
        if (t.own && align(c, &t))
            taken += take_twin(out, c, parts, &t, &o, s, image);
        else if (!out->different)
            out->different = mem_strdup(function->name);
        kernel_free(t.own);
        free(t.same);
    }
    out->all += s->count;
    out->elsewhere += s->count - taken;
    ok = object_whole(&o, path, ok ? err : NULL) && ok;
    object_done(&o);
    return ok;
}
