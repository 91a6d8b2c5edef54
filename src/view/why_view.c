/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reasons view: the limits of the loop, with sentence, bounds, machines, critical chain, and the
 * instructions on the busiest port. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/mem.h"
#include "cmd/key.h"
#include "cmd/keymap.h"
#include "view/reasons.h"
#include "view/view.h"

#define MACHINES_X 40        /* first column of the machines, right of the bounds */

struct why_view_state {
    /* @top: first visible row. @rows, @height: number of rows and of visible rows in the last
     * drawing. */
    unsigned top, rows, height;
};

static struct analysis *const *shown(struct session *s, size_t *n)
{
    struct analysis *const *a = session_analyses(s, n);

    if (!s->document.kernel || !*n)
        return NULL;
    s->document.in_view = s->document.in_view < *n ? s->document.in_view : 0;
    return a[s->document.in_view]->count ? a : NULL;
}

static void draw_insn(const struct analysis *a, size_t row, double cycles, const char *unit,
                      struct grid *g, int y)
{
    const struct insn *insn = a->rows[row].insn;
    const char *text = insn_shown(insn);
    const unsigned width = insn_place_width(a->rows[0].insn, a->count);
    char number[PLACE_TEXT];

    if (isnan(cycles))
        grid_printf(g, 2, y, 0, ROLE_TEXT, 0, "%*s  %10s  %s", (int)width,
                    insn_place_text(insn, number), "", text);
    else
        grid_printf(g, 2, y, 0, ROLE_TEXT, 0, "%*s  %5.2f %-4s  %s", (int)width,
                    insn_place_text(insn, number), cycles, unit, text);
}

/* Draws the instructions of the limiting chain with their latencies. Returns the row below. */
static int draw_chain(const struct analysis *a, struct grid *g, int y)
{
    size_t count = 0;

    for (size_t i = 0; i < a->count; i++)
        count += (a->rows[i].flags & ROW_CHAIN) != 0;
    if (!count)
        return y;
    grid_printf(g, 0, y++, 0, ROLE_TITLE, ATTR_BOLD,
                "longest chain: %.2f cycles per iteration through %zu instruction%s",
                a->bounds[BOUND_DEPENDENCIES], count, plural(count));
    for (size_t i = 0; i < a->count; i++)
        if (a->rows[i].flags & ROW_CHAIN)
            draw_insn(a, i, a->rows[i].latency, "lat.", g, y++);
    return y + 1;
}

static unsigned busiest(const struct analysis *a)
{
    unsigned most = 0;

    for (unsigned j = 1; j < mapping_ports(a->machine->mapping)->count; j++)
        most = a->totals[j] > a->totals[most] + 1e-9 ? j : most;
    return most;
}

/* Draws the instructions that use the busiest port. Returns the row below. */
static int draw_busiest(const struct analysis *a, struct grid *g, int y)
{
    const unsigned port = busiest(a);

    if (a->totals[port] < 0.005)
        return y;
    grid_printf(g, 0, y++, 0, ROLE_TITLE, ATTR_BOLD, "busiest port: %s, %.2f of %.2f cycles",
                a->ports.names[port], a->totals[port], a->cycles);
    for (size_t i = 0; i < a->count; i++)
        if (a->rows[i].pressure[port] > 0.005)
            draw_insn(a, i, a->rows[i].pressure[port], "", g, y++);
    return y + 1;
}

/* Returns an upper bound of the number of rows of @text. Any two consecutive rows together have
 * more than @width columns; otherwise they would be one row. */
static unsigned rows_of(const char *text, unsigned width)
{
    return 2 * (unsigned)strlen(text) / (width ? width : 1) + 2;
}

/* Draws all parts from row 0 of @g. @machines_too: includes the machines, because no pane shows
 * them. Returns the number of rows used. */
static unsigned draw_all(struct session *s, struct analysis *const *a, size_t n, bool machines_too,
                         struct grid *g)
{
    const struct analysis *current = a[s->document.in_view];
    const bool side_by_side = machines_too && g->width >= MACHINES_X + reasons_machines_width(a, n);
    struct str why = {0};
    int y = (int)grid_wrap(g, 0, 0, g->width, rows_of(current->sentence, g->width), ROLE_GOOD, 0,
                           current->sentence);

    reasons_explain(s, current, &why);
    y += (int)grid_wrap(g, 0, y, g->width, rows_of(str_text(&why), g->width), ROLE_WARN, 0,
                        str_text(&why)) +
         1;
    str_done(&why);
    int below = reasons_bounds(current, session_simulation(s, s->document.in_view),
                               s->document.kernel_measured, g, 0, y,
                               side_by_side ? MACHINES_X - 2 : g->width);
    int machines = side_by_side ? y : below + 1, end = machines_too ? machines + (int)n : below;
    reasons_machines(a, machines_too ? n : 0, s->document.in_view, g, side_by_side ? MACHINES_X : 0,
                     machines, end);
    y = (below > end ? below : end) + 1;
    y = draw_chain(current, g, y);
    y = draw_busiest(current, g, y);
    return (unsigned)y;
}

/* Returns an upper bound of the number of rows of all parts. */
static unsigned most_rows(struct session *s, const struct analysis *a, size_t n, unsigned width)
{
    struct str why = {0};

    reasons_explain(s, a, &why);
    const unsigned sentence_rows = rows_of(a->sentence, width) + rows_of(str_text(&why), width);
    str_done(&why);
    return sentence_rows + BOUND_COUNT + 10 + (unsigned)n + 2 * (unsigned)a->count;
}

/* Reports hidden rows on the last visible row, with the key that shows them: zoom if there are
 * other panes, else scrolling. */
static void draw_more(const struct why_view_state *v, const struct session *s, bool other_panes,
                      struct grid *g)
{
    char key[KEY_NAME_MOST];

    if (v->top + v->height >= v->rows || v->height < 2)
        return;
    grid_fill(g, 0, (int)v->height - 1, g->width, 1, ROLE_DIM, 0, ' ');
    const bool bound = keymap_key(s->keys, why_view.name, other_panes ? "do zoom" : "do down", key);
    grid_printf(g, 0, (int)v->height - 1, 0, ROLE_DIM, 0, "… %u more rows%s%s",
                v->rows - v->top - v->height + 1, bound ? ": " : "", bound ? key : "");
}

static void draw(void *state, struct session *s, bool machines_too, struct grid *g)
{
    struct why_view_state *v = state;
    size_t n;
    struct analysis *const *a = shown(s, &n);
    struct grid all;

    if (!a) {
        view_draw_empty(s, &why_view, g, "The limit of the loop, and the next limit.",
                        "prompt kernel load", "loads a loop");
        return;
    }
    grid_init_part(&all, g, g->width, most_rows(s, a[s->document.in_view], n, g->width));
    v->rows = draw_all(s, a, n, machines_too, &all);
    v->height = g->height;
    v->top = v->rows > v->height && v->top + v->height > v->rows ? v->rows - v->height
             : v->rows > v->height                               ? v->top
                                                                 : 0;
    for (unsigned r = 0; r < g->height && v->top + r < all.height; r++)
        memcpy(&g->cells[(size_t)r * g->width], &all.cells[(size_t)(v->top + r) * g->width],
               g->width * sizeof *g->cells);
    grid_done(&all);
    draw_more(v, s, !machines_too, g);
}

static void why_draw(void *state, struct session *s, struct grid *g)
{
    draw(state, s, true, g);
}

static void why_draw_with_panes(void *state, struct session *s, struct grid *g)
{
    draw(state, s, false, g);
}

static unsigned why_wants(void *state, struct session *s, unsigned width, bool other_panes)
{
    size_t n;
    struct analysis *const *a = shown(s, &n);
    struct grid all;

    if (!a)
        return 1;
    grid_init(&all, width, most_rows(s, a[s->document.in_view], n, width), false);
    unsigned rows = draw_all(s, a, n, !other_panes, &all);
    grid_done(&all);
    return rows;
}

static bool why_act(void *state, struct session *s, enum action action, struct str *command)
{
    struct why_view_state *v = state;
    unsigned last = v->rows > v->height ? v->rows - v->height : 0,
             page = v->height > 1 ? v->height - 1 : 1;

    switch (action) {
    case ACTION_DOWN: case ACTION_SCROLL_DOWN: v->top++; break;
    case ACTION_UP: case ACTION_SCROLL_UP: v->top -= v->top > 0; break;
    case ACTION_PAGE_DOWN: v->top += page; break;
    case ACTION_PAGE_UP: v->top -= v->top < page ? v->top : page; break;
    case ACTION_FIRST: v->top = 0; break;
    case ACTION_LAST: v->top = last; break;
    default: return false;
    }
    v->top = v->top < last ? v->top : last;
    return true;
}

const struct view_ops why_view = {
    .name = "why",
    .label = "Why",
    .help = "the limit of the loop: bounds, machines, the longest chain, the busiest port",
    .act = why_act,
    .state_size = sizeof(struct why_view_state),
    .draw = why_draw,
    .draw_with_panes = why_draw_with_panes,
    .wants = why_wants};
