/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/compare.h"
#include "profile/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel_object.h"
#include "analysis/loop_code.h"
#include "analysis/loops.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/watch.h"
#include "toolchain/demangle.h"
#include "toolchain/object.h"

/* number of bytes decoded before and after an address without a symbol */
#define AROUND 16384u
#define LARGE 65536u       /* maximum number of bytes of a function that is decoded entirely */
/* smallest fraction of a loop's own samples with which a part of the loop becomes a separate
 * loop */
#define HOT_PART 0.8
#define PART_LEAST 50u     /* minimum number of samples of a loop that may be split */
/* smallest fraction of all samples at which the source lines of a loop are found */
#define LINES_LEAST 0.01
/* minimum fraction of all samples with which a function's loops are found */
#define DECODED 0.001

/* Number of samples at one address of the object's code */
struct code_place {
    uint64_t at;
    size_t count;
};

struct place_list { VEC(struct code_place) list; };

/* Position in decoding a section. Addresses are looked up in ascending order, so decoding continues
 * at the last one. */
struct walk {
    const struct object_section *section;   /* section being decoded; NULL: none yet */
    uint64_t at;
};

ORDER_BY(places_order, struct code_place, ASCENDING(at))

static void function_add(struct run_profile *p, const char *name, const char *file, size_t samples)
{
    for (size_t i = 0; i < p->functions.count; i++)
        if (strcmp(p->functions.items[i].name, name) == 0 &&
            strcmp(p->functions.items[i].file, file) == 0) {
            p->functions.items[i].samples += samples;
            return;
        }
    vec_push(&p->functions, ((struct profile_function){.name = mem_strdup(name),
                                                       .shown = demangle_name(name, true),
                                                       .file = mem_strdup(file),
                                                       .samples = samples}));
}

/* Returns the smallest loop that contains the instruction at @at, or SIZE_MAX. */
static size_t loop_at(const struct kernel *k, uint64_t at)
{
    size_t best = SIZE_MAX;

    for (size_t l = 0; l < k->loop_count; l++) {
        const struct kernel_loop *loop = &k->loops[l];
        const struct insn *last = &k->insns[loop->first + loop->count - 1];
        if (loop->depth && at >= k->insns[loop->first].offset && at < last->offset + last->length &&
            (best == SIZE_MAX || loop->count < k->loops[best].count))
            best = l;
    }
    return best;
}

static void loop_add(struct run_profile *p, const struct kernel *k, size_t loop, const char *file,
                     size_t samples)
{
    const char *name = k->loops[loop].label;

    for (size_t i = 0; i < p->loops.count; i++)
        if (strcmp(p->loops.items[i].name, name) == 0 &&
            strcmp(p->loops.items[i].file, file) == 0) {
            p->loops.items[i].samples += samples;
            return;
        }
    vec_push(&p->loops, ((struct profile_loop){.kernel = kernel_hold(k),
                                               .loop = loop,
                                               .name = mem_strdup(name),
                                               .file = mem_strdup(file),
                                               .samples = samples,
                                               .measured = NAN,
                                               .bound = NAN,
                                               .predicted = NAN,
                                               .over_memory = NAN}));
}

/* Returns the index of the last instruction of @k that begins at or before position @at; 0 if there
 * is none. */
static size_t insn_at(const struct kernel *k, uint64_t at)
{
    size_t low = 0, high = k->insn_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (k->insns[middle].offset <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : 0;
}

/* Number of samples, and innermost loop, of each instruction of a kernel */
struct insn_samples {
    size_t *counts;
    size_t *loops;               /* SIZE_MAX: the instruction is in no loop */
};

/* Returns whether a sample is in the block of code that ends with branch @last, after any branch
 * from @first. */
static bool block_sampled(const struct kernel *k, const struct insn_samples *s, size_t first,
                          size_t last)
{
    size_t at = last, samples = s->counts[last];

    while (at > first && !(k->insns[at - 1].traits & INSN_BRANCH))
        samples += s->counts[--at];
    return samples > 0;
}

/* Finds the shortest part of loop @l with at least HOT_PART of its own samples. The part leads from
 * a branch target to the branch. The loops to split have several back edges to one head, and the
 * longest of them is rarely taken. Returns false if there is no such part. Stores the indices of
 * its first and last instruction in *@first and *@last. */
static bool hot_part(const struct kernel *k, size_t l, const struct insn_samples *s, size_t samples,
                     size_t *first, size_t *last)
{
    const struct kernel_loop *loop = &k->loops[l];
    size_t best = loop->count;

    /* Excludes arms of a natural loop, which are not separate loops, and parts of computed
     * gotos. */
    if (samples < PART_LEAST || loop->head != loop->first || loop->dispatch)
        return false;
    for (size_t i = loop->first; i < loop->first + loop->count && !watch_steps(1); i++) {
        const size_t target = loop_branch_target(k->insns, k->insn_count, i);
        size_t within = 0;
        if (target < loop->first || target > i || i - target + 1 >= best)
            continue;
        for (size_t at = target; at <= i; at++)
            within += s->loops[at] == l ? s->counts[at] : 0;
        if ((double)within < HOT_PART * (double)samples || !block_sampled(k, s, target, i))
            continue;
        best = i - target + 1;
        *first = target;
        *last = i;
    }
    return best < loop->count;
}

/* Splits loops whose samples are concentrated in a part. The part becomes a loop. */
static void split_loops(struct kernel *k, struct insn_samples *s)
{
    for (size_t l = 0, count = k->loop_count; l < count; l++) {
        size_t samples = 0, first = 0, last = 0;
        for (size_t at = 0; at < k->insn_count; at++)
            samples += s->loops[at] == l ? s->counts[at] : 0;
        if (!hot_part(k, l, s, samples, &first, &last))
            continue;
        loops_add_part(k, l, first, last);
        for (size_t at = first; at <= last; at++)
            s->loops[at] = s->loops[at] == l ? k->loop_count - 1 : s->loops[at];
    }
}

/* Assigns the samples of code outside of a loop's addresses to the loop, if an iteration executes
 * the code and no smaller loop contains it. */
static void extend_loops(const struct kernel *k, struct insn_samples *s)
{
    for (size_t l = 0; l < k->loop_count && !watch_steps(1); l++) {
        const struct kernel_loop *loop = &k->loops[l];
        bool *members = loop->depth && !loop->dispatch ? loop_code_members(k, l) : NULL;
        for (size_t i = 0; members && i < k->insn_count; i++)
            if (members[i] && s->loops[i] != l &&
                (s->loops[i] == SIZE_MAX || loop->count < k->loops[s->loops[i]].count))
                s->loops[i] = l;
        free(members);
    }
}

/* Adds the base name of @file to the names of loops in functions without a symbol. Their names are
 * addresses, which are ambiguous in a profile of several files. */
static void name_addresses(struct kernel *k, const char *file)
{
    for (size_t l = 0; l < k->loop_count; l++) {
        struct str name = {0};
        if (!str_has_prefix(k->loops[l].label, "0x"))
            continue;
        str_addf(&name, "%s+%s", path_base(file), k->loops[l].label);
        free(k->loops[l].label);
        k->loops[l].label = str_take(&name);
    }
}

/* Counts the samples @places[@first] to @places[@end - 1] for the loops in the @length bytes of
 * code at @start. */
static void loops_take(struct run_profile *p, const struct object *o,
                       const struct code_place *places, size_t first, size_t end, uint64_t start,
                       uint64_t length, const char *file, bool lines)
{
    struct err ignored;
    struct kernel *k = kernel_from_code(o, file, (size_t)start, (size_t)length, true, &ignored);

    if (!k)
        return;
    name_addresses(k, file);
    struct insn_samples s = {mem_zero(k->insn_count + 1, sizeof *s.counts),
                             mem_zero(k->insn_count + 1, sizeof *s.loops)};
    float *percents = mem_zero(k->insn_count + 1, sizeof *percents);
    for (size_t i = 0; i < k->insn_count && !watch_steps(1 + k->loop_count / 16); i++)
        s.loops[i] = loop_at(k, k->insns[i].offset);
    for (size_t i = first; i < end; i++)
        s.counts[insn_at(k, object_position(o, places[i].at))] += places[i].count;
    extend_loops(k, &s);
    for (size_t i = 0; i < k->insn_count; i++)
        percents[i] = s.counts[i] ? (float)(100 * (double)s.counts[i] / (double)p->samples) : NAN;
    split_loops(k, &s);
    size_t *samples = mem_zero(k->loop_count + 1, sizeof *samples);
    for (size_t i = 0; i < k->insn_count; i++)
        if (s.loops[i] != SIZE_MAX)
            samples[s.loops[i]] += s.counts[i];
    kernel_set_percents(k, percents);
    bool hot = false;   /* whether a loop has enough samples */
    for (size_t l = 0; l < k->loop_count; l++)
        hot |= (double)samples[l] >= LINES_LEAST * (double)p->samples;
    if (hot && lines)
        kernel_object_source(k, o, NULL, &ignored);
    for (size_t l = 0; l < k->loop_count; l++)
        if (samples[l])
            loop_add(p, k, l, file, samples[l]);
    free(samples);
    free(s.counts);
    free(s.loops);
    kernel_free(k);
}

/* Returns the instruction boundary at or before @at in @section. Decodes from @walk's position.
 * Ends early if cancelled. */
static uint64_t boundary(const struct object *o, const struct object_section *section,
                         struct walk *walk, uint64_t at)
{
    uint64_t step = isa_step(o->isa);
    char form[FORM_MAX];
    uint32_t traits;

    if (walk->section != section)
        *walk = (struct walk){section, section->offset};
    while (!watch_steps(1)) {
        size_t n = insn_form(o->isa, o->code + walk->at, section->offset + section->size - walk->at,
                             form, &traits);
        uint64_t next = walk->at + (n ? n : step);
        if (next > at)
            break;
        walk->at = next;
    }
    return walk->at;
}

/* Searches for loops in the code of symbol @s (NULL: code without a symbol). The code has the
 * samples @places[@first] to @places[@end - 1]. */
static void search(struct run_profile *p, const struct object *o, const struct object_symbol *s,
                   const struct code_place *places, size_t first, size_t end, struct walk *walk,
                   const char *file, bool lines)
{
    if (s && s->size <= LARGE) {
        loops_take(p, o, places, first, end, s->offset, s->size, file, lines);
        return;
    }
    while (first < end && !watch_steps(1)) {
        const struct object_section *section = object_section_at(o, places[first].at);
        uint64_t low = s ? s->offset : section->offset,
                 high = s ? s->offset + s->size : section->offset + section->size;
        uint64_t from = places[first].at - low > AROUND
                            ? boundary(o, section, walk, places[first].at - AROUND)
                            : low;
        uint64_t to = high - places[first].at > 2 * AROUND ? places[first].at + 2 * AROUND : high;
        size_t last = first;
        while (last < end && places[last].at < places[first].at + AROUND && places[last].at < to)
            last++;
        loops_take(p, o, places, first, last, from < low ? low : from,
                   to - (from < low ? low : from), file, lines);
        first = last;
    }
}

static void find_in_object(struct run_profile *p, const struct object *o, struct place_list *list,
                           const char *file, bool lines)
{
    struct code_place *places = list->list.items;
    struct walk walk = {NULL, 0};

    for (size_t first = 0, end; first < list->list.count && !watch_steps(1); first = end) {
        const struct object_symbol *s = object_function_at(o, places[first].at);
        size_t samples = 0;
        for (end = first; end < list->list.count && object_function_at(o, places[end].at) == s;
             end++)
            samples += places[end].count;
        function_add(p, s ? s->name : "", file, samples);
        if ((double)samples >= DECODED * (double)p->samples)
            search(p, o, s, places, first, end, &walk, file, lines);
    }
}

void places_find(struct run_profile *p, const struct samples *s, uint32_t image, bool lines)
{
    const char *path = s->images.items[image];
    struct place_list list = {{0}};
    struct object o = {.code = NULL};
    struct err ignored;
    const bool readable =
        path[0] == '/' && object_read(path, OBJECT_NAMES | OBJECT_FUNCTIONS, &o, &ignored);
    size_t elsewhere = 0;

    for (size_t i = 0; i < s->points.count; i++) {
        const struct sample_point *point = &s->points.items[i];
        uint64_t at =
            point->image == image && readable ? object_place(&o, point->offset) : UINT64_MAX;
        if (at != UINT64_MAX)
            vec_push(&list.list, ((struct code_place){at, point->count}));
        else if (point->image == image) {
            const struct object_stub *stub = readable ? object_stub_at(&o, point->offset) : NULL;
            if (stub)
                function_add(p, stub->name, path, point->count);
            else
                elsewhere += point->count;
        }
    }
    if (elsewhere)
        function_add(p, "", path, elsewhere);
    if (list.list.count) {
        qsort(list.list.items, list.list.count, sizeof *list.list.items, places_order);
        find_in_object(p, &o, &list, path, lines);
    }
    vec_done(&list.list);
    object_done(&o);
}
