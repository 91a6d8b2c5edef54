/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What-if view: the last sweep of a machine's fact, usage or latency as curves, with the values at
 * the cursor. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "view/plot.h"
#include "view/view.h"

#define PORT_X 10   /* number of columns before the ports */
#define PORT 7      /* number of columns of a port */

struct whatif_view_state {
    size_t cursor;
};

/* Draws the cycles per iteration of each busy port before and after the change, from row @y. Ports
 * that do not fit in one row follow in the next rows. */
static void draw_pressure(const struct whatif_pair *pair, struct grid *g, int y)
{
    const unsigned most = g->width > PORT_X + PORT ? (g->width - PORT_X) / PORT : 1;
    unsigned column = 0;

    for (unsigned j = 0; j < pair->ports.count; j++) {
        const double before = pair->sides[0].pressure[j], after = pair->sides[1].pressure[j];
        const int x = PORT_X + (int)(column * PORT);
        if (!(before > 0) && !(after > 0))
            continue;
        if (column == 0) {
            grid_fill(g, 0, y, g->width, 1, ROLE_HEADER, 0, ' ');
            grid_put(g, 0, y, 0, ROLE_HEADER, 0, "port");
            grid_put(g, 0, y + 1, 0, ROLE_TEXT, 0, "unchanged");
            grid_put(g, 0, y + 2, 0, ROLE_ACCENT, 0, "changed");
        }
        grid_printf(g, x, y, PORT, ROLE_HEADER, 0, "%*s", PORT, pair->ports.names[j]);
        grid_printf(g, x, y + 1, PORT, ROLE_TEXT, 0, "%*.2f", PORT, before);
        grid_printf(g, x, y + 2, PORT, after == before ? ROLE_TEXT : ROLE_WARN, 0, "%*.2f", PORT,
                    after);
        column = column + 1 < most ? column + 1 : 0;
        y += column ? 0 : 4;
    }
}

/* Draws the results of the machine before and after the change, one per row, the change in cycles,
 * and the ports. Omits the change if a result is unknown. */
static void draw_sides(const struct whatif_pair *pair, struct grid *g)
{
    grid_printf(g, 0, 0, 0, ROLE_TITLE, ATTR_BOLD, "%s on %s", pair->name, pair->machine);
    grid_fill(g, 0, 2, g->width, 1, ROLE_HEADER, 0, ' ');
    grid_printf(g, 0, 2, 0, ROLE_HEADER, 0, "%-10s %10s %10s  %s", "", "bounds", "simulated",
                "bottleneck");
    for (int side = 0; side < 2; side++) {
        char simulated[32] = "-";
        if (!isnan(pair->sides[side].simulated))
            snprintf(simulated, sizeof simulated, "%.2f", pair->sides[side].simulated);
        grid_printf(g, 0, 3 + side, 0, side ? ROLE_ACCENT : ROLE_TEXT, 0, "%-10s %10.2f %10s  %s",
                    side ? "changed" : "unchanged", pair->sides[side].bounds, simulated,
                    pair->sides[side].bottleneck);
    }
    draw_pressure(pair, g, 8);
    if (isnan(pair->sides[0].simulated) || isnan(pair->sides[1].simulated))
        return;
    grid_printf(g, 0, 6, 0, ROLE_WARN, 0, "%+.2f cycles per iteration simulated, %+.1f %%",
                pair->sides[1].simulated - pair->sides[0].simulated,
                100 * (pair->sides[1].simulated / pair->sides[0].simulated - 1));
}

static void whatif_draw(void *state, struct session *s, struct grid *g)
{
    struct whatif_view_state *v = state;
    const struct sweep *sweep = &s->document.sweep;

    if (s->document.pair.sides[0].bottleneck) {
        draw_sides(&s->document.pair, g);
        return;
    }
    if (!sweep->count) {
        view_draw_empty(s, &whatif_view, g,
                        "The loop on a changed machine: set a fact, a usage or a latency. A sweep "
                        "of a fact or latency over a range plots a curve.",
                        s->document.kernel ? "prompt kernel whatif" : "prompt kernel load",
                        !s->document.kernel
                            ? "loads a loop"
                            : "issue_width=6, scheduler=8..64, 'usage:ADD (R64, R64)=1*p5'");
        return;
    }
    v->cursor = v->cursor < sweep->count ? v->cursor : sweep->count - 1;
    const struct plot_series series[] = {
        {"simulated", ROLE_GOOD, sweep->values, sweep->simulated, sweep->count, false},
        {"bounds", ROLE_WARN, sweep->values, sweep->bounds, sweep->count, false},
        {"", ROLE_ACCENT, &sweep->values[v->cursor], &sweep->simulated[v->cursor], 1, true},
    };
    const struct plot plot = {
        .title = "cycles per iteration", .x_label = "", .series = series, .series_count = 3};
    grid_printf(g, 0, 0, 0, ROLE_TITLE, ATTR_BOLD, "%s on %s", sweep->name, sweep->machine);
    plot_draw(&plot, g, 0, 1, g->width, g->height - 2);
    grid_printf(g, 0, (int)g->height - 1, 0, ROLE_ACCENT, 0, "%s = %g: bounds %.2f, simulated %.2f",
                sweep->name, sweep->values[v->cursor], sweep->bounds[v->cursor],
                sweep->simulated[v->cursor]);
}

static bool whatif_act(void *state, struct session *s, enum action action, struct str *command)
{
    struct whatif_view_state *v = state;
    size_t last = s->document.sweep.count ? s->document.sweep.count - 1 : 0;

    switch (action) {
    case ACTION_RIGHT: v->cursor += v->cursor < last; return true;
    case ACTION_LEFT: v->cursor -= v->cursor > 0; return true;
    case ACTION_FIRST: v->cursor = 0; return true;
    case ACTION_LAST: v->cursor = last; return true;
    default: return false;
    }
}

static void whatif_status(void *state, struct session *s, struct str *out)
{
    struct whatif_view_state *v = state;
    if (s->document.sweep.count)
        str_addf(out, "%zu/%zu", v->cursor + 1, s->document.sweep.count);
}

const struct view_ops whatif_view = {
    .name = "whatif",
    .label = "What if",
    .help = "curves of the last kernel whatif NAME=A..B, or a machine before and after its change",
    .act = whatif_act,
    .state_size = sizeof(struct whatif_view_state),
    .draw = whatif_draw,
    .status = whatif_status};
