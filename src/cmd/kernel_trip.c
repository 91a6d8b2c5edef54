/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/kernel_analyze.h"

#include <math.h>

#include "base/watch.h"
#include "simulate/nested.h"

static void say_time(const struct kernel *k, const struct machine *m, size_t trips,
                     const struct nested *n, struct result *result)
{
    if (isnan(n->cycles)) {
        result_line(result, "%s: unknown, because the inner loops are too large", m->title);
        return;
    }
    result_line(result,
                "%s: %.2f cycles per iteration with all inner loops, at most %.2f if loop exits "
                "are mispredicted",
                m->title, n->cycles, n->most);
    for (size_t i = 0; i < n->inner.count; i++) {
        const struct nested_inner *in = &n->inner.items[i];
        if (in->skipped)
            result_line(result, "  no iteration of %s, which is not on the longest path",
                        k->loops[in->loop].why);
        else
            result_line(result, "  %zu iteration%s of %s, %.2f cycles each", trips, plural(trips),
                        k->loops[in->loop].why, in->cycles);
    }
}

bool kernel_trip(const struct kernel *k, size_t loop, size_t trips,
                 struct analysis *const *analyses, size_t count, struct result *result,
                 struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "machine", .kind = CELL_TEXT},
        {.key = "cycles", .unit = "cycles", .kind = CELL_NUMBER, .decimals = 4},
        {.key = "mispredicted", .unit = "cycles", .kind = CELL_NUMBER, .decimals = 4},
    };
    nest_loops within = {0};

    nest_within(k, loop, &within);
    const size_t loops = within.count;
    vec_done(&within);
    if (!loops)
        return err_set(
            err, ERR_USAGE,
            "kernel list shows the loops; kernel load FILE --loop N selects an outer loop",
            "%s: the loop has no inner loop", k->loops[loop].why);
    struct result_table *t = RESULT_TABLE(result, "nested", columns);
    t->hide = NOT_TEXT;
    result_line(result, "\n");
    for (size_t i = 0; i < count && watch_goes_on(err); i++) {
        const struct machine *m = analyses[i]->machine;
        struct nested n;
        nested_time(k, loop, m, (double)trips, &n);
        say_time(k, m, trips, &n, result);
        cell_text(t, m->id);
        cell_number(t, n.cycles);
        cell_number(t, n.most);
        nested_done(&n);
    }
    return watch_goes_on(err);
}
