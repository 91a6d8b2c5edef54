/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/explained.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PRINTED 3u /* maximum number of paths printed */

void explained_free(struct explained_loop *x)
{
    if (!x)
        return;
    for (size_t i = 0; i < x->paths.count; i++)
        vec_done(&x->paths.items[i].insns);
    vec_done(&x->paths);
    recording_done(&x->recording);
    kernel_free(x->kernel);
    free(x);
}

bool explained_is(const struct explained_loop *x, const struct kernel *k, size_t loop)
{
    size_t count, others;

    if (!x || !k || x->kernel->isa != k->isa)
        return false;
    const struct insn *a = kernel_insns(x->kernel, x->loop, &count),
                      *b = kernel_insns(k, loop, &others);
    if (count != others)
        return false;
    for (size_t i = 0; i < count; i++)
        if (a[i].offset != b[i].offset || a[i].length != b[i].length ||
            memcmp(a[i].bytes, b[i].bytes, a[i].length) != 0)
            return false;
    return count > 0;
}

const struct explained_path *explained_main(const struct explained_loop *x)
{
    for (size_t i = 0; i < x->paths.count; i++)
        if (!x->paths.items[i].leaves)
            return x->paths.items[i].insns.count ? &x->paths.items[i] : NULL;
    return NULL;
}

void explained_print_memory(const struct explained_loop *x, struct str *out)
{
    if (!x || isnan(x->lines) || isnan(x->bytes))
        return;
    str_addf(out,
             "in the program the loop's loads use %s%.3g MiB, with %.3f new cache lines per "
             "iteration",
             x->bytes_at_least ? "more than " : "about ", x->bytes / (1 << 20), x->lines);
}

void explained_print(const struct explained_loop *x, struct str *out)
{
    if (isnan(x->cycles))
        return;
    str_addf(out, "in the program %.2f cycles (%.2f to %.2f)", x->cycles, x->low, x->high);
    if (!isnan(x->predicted))
        str_addf(out, ", %.2f predicted for the executed paths", x->predicted);
    if (x->cause)
        str_addf(out, ", remaining time: %s", x->cause);
    for (size_t i = 0; i < x->paths.count && i < PRINTED; i++) {
        const struct explained_path *p = &x->paths.items[i];
        str_addf(out, "%s%.0f %% of iterations execute %zu instruction%s",
                 i ? "; " : "; paths: ", 100 * p->share, p->executed, plural(p->executed));
        if (!isnan(p->predicted))
            str_addf(out, ", %.2f cycles predicted", p->predicted);
        if (!isnan(p->alone))
            str_addf(out, ", %.2f cycles measured outside the program", p->alone);
    }
}
