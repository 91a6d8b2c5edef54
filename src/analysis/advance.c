/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/advance.h"

#include <string.h>

#include "analysis/addresses.h"
#include "analysis/recipe.h"

/* Entries of the store buffer for addresses_link. Its size has no effect, because only strides are
 * used. */
#define STORE_BUFFER 64
#define TIMES_MOST 256    /* largest factor by which compilers unroll or vectorise */

struct source_lines {
    uint32_t first, last;   /* first and last source line; last is 0: none */
};

struct advance {
    /* all: source lines of the loop. stepped: source lines of its accesses with a known stride. */
    struct source_lines all, stepped;
    /* smallest and largest known stride except 0, in bytes per iteration */
    uint64_t least, most;
};

static void add_line(struct source_lines *lines, uint32_t line)
{
    if (!line)
        return;
    lines->first = lines->last && lines->first < line ? lines->first : line;
    lines->last = lines->last > line ? lines->last : line;
}

static struct advance advance_of(const struct kernel *k, size_t loop)
{
    struct address_work work = {0};
    struct advance out = {.least = UINT64_MAX};
    size_t count;
    const struct insn *insns = kernel_insns(k, loop, &count);

    for (size_t i = 0; i < count; i++)
        add_line(&out.all, kernel_source_line(k, &insns[i], NULL));
    addresses_link(insns, count, START_DIFFERENT, STORE_BUFFER, &work);
    for (size_t i = 0; i < work.accesses.count; i++) {
        const struct access *access = &work.accesses.items[i];
        const uint64_t step = access_step(access);
        if (!step)
            continue;
        add_line(&out.stepped, kernel_source_line(k, &insns[access->insn], NULL));
        out.least = step < out.least ? step : out.least;
        out.most = step > out.most ? step : out.most;
    }
    address_work_done(&work);
    return out;
}

enum advance_answer advance_compare(const struct kernel *a, size_t loop_a, const struct kernel *b,
                                    size_t loop_b, uint64_t *times_a, uint64_t *times_b)
{
    if (!a->recipe || !b->recipe || !a->recipe->source || !b->recipe->source ||
        strcmp(a->recipe->path, b->recipe->path) != 0)
        return ADVANCE_OTHER;
    const struct advance x = advance_of(a, loop_a), y = advance_of(b, loop_b);
    if (!x.all.last || !y.all.last || x.all.first > y.all.last || y.all.first > x.all.last)
        return ADVANCE_OTHER;
    if (!x.stepped.last || x.stepped.first != y.stepped.first || x.stepped.last != y.stepped.last)
        return ADVANCE_UNKNOWN;
    *times_a = x.least > y.least ? x.least / y.least : 1;
    *times_b = y.least > x.least ? y.least / x.least : 1;
    /* The ratios of the largest and of the smallest strides must be equal. Arrays with elements of
     * other sizes have other strides, but the same ratio. */
    const bool alike =
        x.least * *times_b == y.least * *times_a && x.most * *times_b == y.most * *times_a;
    return alike && *times_a <= TIMES_MOST && *times_b <= TIMES_MOST ? ADVANCE_KNOWN
                                                                     : ADVANCE_UNKNOWN;
}
