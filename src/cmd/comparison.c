/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/comparison.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/advance.h"
#include "base/mem.h"
#include "base/watch.h"

void comparison_free(struct paired_loops *c)
{
    if (!c)
        return;
    for (int i = 0; i < 2; i++) {
        analysis_free(c->side[i].analysis);
        if (c->side[i].item.kernel)
            kernel_free(c->side[i].item.kernel);
        machine_free(c->side[i].machine);
        str_done(&c->side[i].name);
    }
    vec_done(&c->rows);
    free(c);
}

static const char *text_of(const struct analysis *a, size_t row)
{
    const struct insn *insn = a->rows[row].insn;
    return insn->text ? insn->text : insn->mnemonic;
}

/* Returns the similarity of two instructions: highest for equal text, then for equal form, then for
 * equal mnemonic. */
static unsigned likeness(const struct analysis *a, size_t i, const struct analysis *b, size_t j)
{
    const struct insn *x = a->rows[i].insn, *y = b->rows[j].insn;

    return strcmp(text_of(a, i), text_of(b, j)) == 0 ? 4
           : strcmp(x->form, y->form) == 0           ? 3
           : strcmp(x->mnemonic, y->mnemonic) == 0   ? 2
                                                     : 0;
}

/* Computes the global alignment of greatest similarity (Needleman and Wunsch 1970, free gaps).
 * Fills the table of values from the ends, so the trace yields the rows in order. */
static void align(struct paired_loops *c)
{
    const struct analysis *a = c->side[0].analysis, *b = c->side[1].analysis;
    const size_t n = a->count, m = b->count, width = m + 1;
    uint32_t *best = mem_zero((n + 1) * width, sizeof *best);

    for (size_t i = n; i-- > 0 && !watch_steps(1 + m / 4);)
        for (size_t j = m; j-- > 0;) {
            const unsigned alike = likeness(a, i, b, j);
            uint32_t value = alike ? best[(i + 1) * width + j + 1] + alike : 0,
                     down = best[(i + 1) * width + j], right = best[i * width + j + 1];
            value = down > value ? down : value;
            best[i * width + j] = right > value ? right : value;
        }
    for (size_t i = 0, j = 0; i < n || j < m;) {
        const unsigned alike = i < n && j < m ? likeness(a, i, b, j) : 0;
        const bool both = alike && best[i * width + j] == best[(i + 1) * width + j + 1] + alike;
        const bool left =
                       both ||
                       (i < n && (j >= m || best[(i + 1) * width + j] >= best[i * width + j + 1])),
                   right = both || !left;
        const struct comparison_row row = {left ? (uint32_t)i : COMPARISON_NONE,
                                           right ? (uint32_t)j : COMPARISON_NONE,
                                           alike == 4 && both ? COMPARISON_SAME
                                           : both             ? COMPARISON_CHANGED
                                           : left             ? COMPARISON_ONLY_A
                                                              : COMPARISON_ONLY_B};
        vec_push(&c->rows, row);
        i += left;
        j += right;
    }
    free(best);
}

/* Determines the source iterations per iteration of each loop, the divisor of its values, unless
 * they are known or both loops are of one kernel. Two versions of one source may have different
 * numbers. */
static void take_times(struct paired_loops *c)
{
    const struct comparison_side *a = &c->side[0], *b = &c->side[1];
    uint64_t times_a, times_b;

    if (a->times > 1 || b->times > 1 || a->item.kernel == b->item.kernel)
        return;
    const enum advance_answer answer = advance_compare(a->item.kernel, a->item.loop, b->item.kernel,
                                                       b->item.loop, &times_a, &times_b);
    c->unequal = answer == ADVANCE_UNKNOWN;
    if (answer != ADVANCE_KNOWN)
        return;
    c->side[0].times = (double)times_a;
    c->side[1].times = (double)times_b;
}

bool comparison_make(struct paired_loops *c, struct err *err)
{
    for (int i = 0; i < 2; i++)
        c->side[i].analysis =
            analysis_new(c->side[i].item.kernel, c->side[i].item.loop, c->side[i].machine);
    if (!watch_goes_on(err))
        return false;
    take_times(c);
    align(c);
    return watch_goes_on(err);
}

double comparison_cycles(const struct paired_loops *c, int i)
{
    return c->side[i].analysis->cycles / c->side[i].times;
}

bool comparison_is_exact(const struct paired_loops *c)
{
    return !c->side[0].analysis->lower_bound && !c->side[1].analysis->lower_bound;
}

void comparison_say(const struct paired_loops *c, bool brief, struct str *out)
{
    const double a = comparison_cycles(c, 0), b = comparison_cycles(c, 1);

    str_addf(out,
             brief ? "B %s%.2f cycles, A %s%.2f" : "B takes %s%.2f cycles per iteration, A %s%.2f",
             cycles_words(c->side[1].analysis->lower_bound, c->side[1].analysis->estimate), b,
             cycles_words(c->side[0].analysis->lower_bound, c->side[0].analysis->estimate), a);
    if (comparison_is_exact(c))
        str_addf(out, ": %+.2f (%+.0f %%)", b - a, a > 0 ? 100 * (b / a - 1) : 0);
    if (c->unequal)
        str_add(out, "; work per iteration may differ");
}
