/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machines view: the loop on the selected machines, one per row. The other panes show the selected
 * machine. */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/mem.h"
#include "view/reasons.h"
#include "view/view.h"

static void machines_draw(void *state, struct session *s, struct grid *g)
{
    size_t n;
    struct analysis *const *a = session_analyses(s, &n);

    if (!s->document.kernel || !n) {
        view_draw_empty(s, &machines_view, g, "The loop on other machines.", "prompt kernel load",
                        "loads a loop");
        return;
    }
    reasons_machines(a, n, s->document.in_view < n ? s->document.in_view : 0, g, 0, 0,
                     (int)g->height);
}

static unsigned machines_wants(void *state, struct session *s, unsigned width, bool other_panes)
{
    return s->document.selected_count > 3 ? (unsigned)s->document.selected_count : 3;
}

static bool machines_act(void *state, struct session *s, enum action action, struct str *command)
{
    const size_t count = s->document.selected_count;
    long at = (long)s->document.in_view;

    if (action == ACTION_NEXT_MACHINE) {
        view_next_machine(s, 1);
        return true;
    }
    if (!count || !view_row(action, &at, (long)count, (long)count - 1))
        return false;
    s->document.in_view = at < 0 ? 0 : (size_t)at < count ? (size_t)at : count - 1;
    return true;
}

static void machines_click(void *state, struct session *s, int x, int y)
{
    if (y >= 0 && (size_t)y < s->document.selected_count)
        s->document.in_view = (size_t)y;
}

const struct view_ops machines_view = {
    .name = "machines",
    .label = "Machines",
    .help = "the loop on the selected machines; the cursor selects the machine to show",
    .act = machines_act,
    .draw = machines_draw,
    .wants = machines_wants,
    .click = machines_click};
