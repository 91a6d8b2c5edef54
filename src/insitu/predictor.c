/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "insitu/predictor.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "simulate/branch_predictor.h"

#define ITERATIONS_LEAST 500u  /* minimum number of evaluated iterations for a rate */

static void judge(struct predicted_branches *out, uint32_t at, bool wrong)
{
    size_t i = 0;

    while (i < out->list.count && out->list.items[i].at != at)
        i++;
    if (i == out->list.count)
        vec_push(&out->list, ((struct predicted_branch){.at = at}));
    out->list.items[i].executed++;
    out->list.items[i].missed += wrong;
}

static int by_misses(const void *a, const void *b)
{
    const struct predicted_branch *x = a, *y = b;
    return x->missed != y->missed ? (x->missed < y->missed) - (x->missed > y->missed)
                                  : (x->at > y->at) - (x->at < y->at);
}

void predictor_run(const struct placed *x, struct predicted_branches *out)
{
    struct branches *branches = mem_try_zero(1, sizeof *branches);
    size_t missed = 0, begin = x->events.count / 3;
    unsigned part = 0;

    *out = (struct predicted_branches){.missed = NAN};
    for (size_t i = 0; i < x->events.count && branches; i++) {
        unsigned id = (unsigned)(x->events.items[i] >> 48);
        uint64_t value = x->events.items[i] & ((UINT64_C(1) << 48) - 1);
        bool indirect = id == EVENT_PART;
        /* Checks the values, because the program may have overwritten the memory that contains
         * them. */
        if (indirect && (!x->region->dispatch || value > x->region->resumed.count))
            continue;
        out->iterations += (id == EVENT_PASS || id == EVENT_PART) && i >= begin;
        if (id == EVENT_PART) {   /* The previous part ends with an indirect jump to this one. */
            id = part;
            part = region_site(x->region, value);
        } else if (id >= x->region->list.count ||
                   !(x->region->list.items[id].insn->traits & INSN_BRANCH))
            continue;
        else
            indirect = x->region->list.items[id].indirect;
        const bool wrong = indirect
                               ? branches_target_mispredicted(branches, id, value)
                               : branches_mispredicted(branches, id, value != 0);
        if (i >= begin) {
            judge(out, id, wrong);
            missed += wrong;
        }
    }
    free(branches);
    if (out->list.count)
        qsort(out->list.items, out->list.count, sizeof *out->list.items, by_misses);
    if (out->iterations >= ITERATIONS_LEAST)
        out->missed = (double)missed / (double)out->iterations;
}

void predictor_done(struct predicted_branches *p)
{
    vec_done(&p->list);
}
