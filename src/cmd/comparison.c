/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/comparison.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/advance.h"
#include "base/mem.h"
#include "base/watch.h"
#include "cmd/parameter.h"

#define ROWS_MOST 2000   /* most instructions per loop; the alignment needs memory for their
                          * product */

/* Selects both kernels of the shelf. Returns false with err if there is only one. */
static bool choose(struct paired_loops *c, struct session *s, size_t other, size_t machines,
                   struct err *err)
{
    const struct shelf *shelf = &s->document.shelf;

    other = other != NOT_GIVEN ? other - 1
            : machines == 2    ? shelf->at
            : shelf->at        ? shelf->at - 1
                               : shelf->list.count - 1;
    if (machines > 2)
        return err_set(err, ERR_USAGE, "name one machine, or two", "two machines can be compared, "
                                                                   "not %zu",
                       machines);
    if (other >= shelf->list.count || (other == shelf->at && machines < 2))
        return err_set(err, ERR_USAGE,
                       "kernel opened lists them; kernel load and kernel paste add others",
                       "no other kernel to compare with");
    for (int i = 0; i < 2; i++) {
        size_t at = i ? shelf->at : other;
        c->side[i].item = shelf->list.items[at];
        c->side[i].item.loop = at == shelf->at ? s->document.loop : c->side[i].item.loop;
        kernel_hold(c->side[i].item.kernel);
    }
    return true;
}

static bool take_machine(struct comparison_side *side, struct session *s, const char *id,
                         struct err *err)
{
    const struct kernel *k = side->item.kernel;
    struct machine *m = session_machine(s, id, err);
    size_t insns;

    if (!m)
        return false;
    if (strcmp(m->isa, isa_name(k->isa)) != 0)
        return err_set(err, ERR_USAGE, "name a machine for each with --machine",
                       "%s is a machine for %s, %s is %s", m->id, m->isa, k->name,
                       isa_name(k->isa));
    kernel_insns(k, side->item.loop, &insns);
    if (insns > ROWS_MOST)
        return err_set(err, ERR_LIMIT, "kernel use takes another loop",
                       "%zu instructions; at most %d are compared", insns, ROWS_MOST);
    side->machine = machine_hold(m);
    return true;
}

struct paired_loops *comparison_new(struct session *s, size_t other, const char *const *ids,
                                    size_t count, struct err *err)
{
    struct paired_loops *c = mem_zero(1, sizeof *c);
    bool ok = session_has_kernel(s, err) && choose(c, s, other, count, err);

    for (int i = 0; ok && i < 2; i++)
        ok = take_machine(
            &c->side[i], s,
            count ? ids[count == 2 ? i : 0] : s->document.selected[s->document.in_view], err);
    if (!ok) {
        comparison_free(c);
        return NULL;
    }
    for (int i = 0; i < 2; i++) {
        shelf_name(&c->side[i].item, &c->side[i].name);
        c->side[i].times = c->side[i].item.kernel->times > 1 ? c->side[i].item.kernel->times : 1;
    }
    return c;
}

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

/* Returns the similarity of two instructions: the text, the form, the mnemonic or nothing is
 * equal. */
static unsigned likeness(const struct analysis *a, size_t i, const struct analysis *b, size_t j)
{
    const struct insn *x = a->rows[i].insn, *y = b->rows[j].insn;

    return strcmp(text_of(a, i), text_of(b, j)) == 0 ? 4
           : strcmp(x->form, y->form) == 0           ? 3
           : strcmp(x->mnemonic, y->mnemonic) == 0   ? 2
                                                     : 0;
}

/* Computes the global alignment of greatest similarity (Needleman and Wunsch 1970, free gaps). It
 * starts at the ends, so that the rows result in order. */
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

/* Determines the source iterations per iteration. Two versions of one source may do different work
 * per iteration, so values are divided by them. */
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
        str_add(out, brief ? "; one may do more"
                           : "; an iteration of one may do more than of the other");
}

bool comparison_is_current(const struct paired_loops *c, const struct session *s)
{
    bool current = true;

    for (int i = 0; i < 2; i++)
        for (size_t m = 0; m < s->document.machine_count; m++)
            current &= strcmp(s->document.machines[m]->id, c->side[i].machine->id) != 0 ||
                       s->document.machines[m] == c->side[i].machine;
    return current;
}
