/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accuracy view: a heat map of predicted over measured cycles with 35 by 35 cells (Figure 7 of
 * PMEvo), for one mapping at a time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/metrics.h"
#include "cmd/forecast.h"
#include "view/view.h"

#define MAP_X 7    /* number of columns of the scale at the left */
#define PANEL 41   /* number of columns of the machines at the right of the map */
/* number of rows of the view if each row of the map shows two rows of cells */
#define SMALL_ROWS ((METRICS_CELLS + 1) / 2 + 4)

struct accuracy_view_state {
    uint64_t shown; /* serial number of the experiments */
    const struct machine *machine;
    size_t which;               /* index among the selected machines */
    unsigned long session_revision;
    uint64_t revision;
    /* @accuracy: of the displayed machine. @others: of each selected machine, in the order of
     * selection. */
    struct accuracy accuracy, *others;
    struct heat_map map;        /* heat map of the displayed machine */
    /* number of cells per screen row at the last drawing: 1 or 2 */
    int per_row;
    int column, row;            /* selected cell; row 0 has the lowest predictions */
};

static void accuracy_close(void *state)
{
    free(((struct accuracy_view_state *)state)->others);
}

/* Computes the accuracy of each selected machine, for the panel next to the map. */
static void judge_all(struct accuracy_view_state *v, struct session *s)
{
    struct err err = {0};

    v->others = mem_resize(v->others, s->document.selected_count * sizeof *v->others);
    for (size_t i = 0; i < s->document.selected_count; i++) {
        struct machine *m = session_machine(s, s->document.selected[i], &err);
        v->others[i] = (struct accuracy){.mape = NAN, .pearson = NAN, .spearman = NAN};
        if (!m)
            continue;
        struct prediction *p = session_forecast(s, m);
        v->others[i] = p->accuracy;
        prediction_free(p);
    }
}

static void fill_map(struct accuracy_view_state *v, struct session *s, struct machine *m)
{
    struct prediction *p = session_forecast(s, m);

    v->machine = m;
    v->accuracy = p->accuracy;
    v->map = p->map;
    prediction_free(p);
}

/* Updates the map. Returns false if there is nothing to show. Requests new predictions after
 * changes of rows, machines or predictions, and while results arrive. */
static bool refresh(struct accuracy_view_state *v, struct session *s)
{
    struct err err = {0};

    if (!s->document.experiments || !s->document.experiments->rows.count)
        return false;
    v->which %= s->document.selected_count;
    struct machine *m = session_machine(s, s->document.selected[v->which], &err);
    if (!m)
        return false;
    const bool more = v->shown != s->document.experiments->serial ||
                      v->session_revision != s->revision ||
                      v->revision != s->document.experiments->revision;
    if (!more && v->machine == m)
        return true;
    v->shown = s->document.experiments->serial;
    if (more) {
        v->revision = s->document.experiments->revision;
        v->session_revision = s->revision;
        judge_all(v, s);
    }
    fill_map(v, s, m);
    return true;
}

static double level(const struct accuracy_view_state *v, int row, int column)
{
    uint32_t count = row >= 0 && row < METRICS_CELLS ? v->map.cell[row][column] : 0;
    return count ? 0.1 + 0.9 * log1p(count) / log1p(v->map.highest) : -1;
}

static void draw_map(const struct accuracy_view_state *v, struct grid *g, int x, int y,
                     unsigned rows, unsigned per_row)
{
    for (unsigned r = 0; r < rows; r++) {
        int top = METRICS_CELLS - 1 - (int)(r * per_row);
        if (top % 7 == 6 || r == 0)
            grid_printf(g, 0, y + (int)r, 6, ROLE_DIM, 0, "%5.1f",
                        v->map.limit * (top + 1) / METRICS_CELLS);
        grid_put(g, x - 1, y + (int)r, 1, ROLE_DIM, 0, "│");
        for (int c = 0; c < METRICS_CELLS; c++) {
            double upper = level(v, top, c), lower = per_row == 2 ? level(v, top - 1, c) : upper;
            bool cursor = c == v->column && (v->row == top || (per_row == 2 && v->row == top - 1));
            for (int half = 0; half < 2; half++)
                grid_heat_pair(g, x + 2 * c + half, y + (int)r, upper, lower);
            if (cursor)
                grid_put(g, x + 2 * c, y + (int)r, 2, ROLE_CURSOR, ATTR_REVERSE, "[]");
            else if (upper < 0 && lower < 0 && (c == top || (per_row == 2 && c == top - 1)))
                grid_put(g, x + 2 * c, y + (int)r, 1, ROLE_DIM, 0, "·");
        }
    }
    for (int c = 0; c < METRICS_CELLS; c += 7)
        grid_printf(g, x + 2 * c, y + (int)rows, 10, ROLE_DIM, 0, "%-5.1f",
                    v->map.limit * c / METRICS_CELLS);
    grid_put(g, x + 2 * METRICS_CELLS - 8, y + (int)rows, 0, ROLE_DIM, 0, "measured");
}

static void draw_machines(const struct accuracy_view_state *v, struct session *s, struct grid *g,
                          int x, int y)
{
    grid_put(g, x, y, 0, ROLE_HEADER, 0, "  mapping          error Pearson Spearman");
    for (size_t i = 0; i < s->document.selected_count && y + 1 + (int)i < (int)g->height; i++) {
        const struct accuracy *a = &v->others[i];
        enum role role = i == v->which ? ROLE_ACCENT : ROLE_TEXT;
        if (a->n)
            grid_printf(g, x, y + 1 + (int)i, 0, role, 0, "%c %-14.14s %6.2f %%  %6.3f  %6.3f",
                        i == v->which ? '>' : ' ', s->document.selected[i], 100 * a->mape,
                        a->pearson, a->spearman);
        else
            grid_printf(g, x, y + 1 + (int)i, 0, ROLE_DIM, 0, "  %-14.14s has none of the forms",
                        s->document.selected[i]);
    }
}

/* Draws a line below the map with as many errors as fit. */
static void draw_errors(const struct accuracy_view_state *v, struct session *s, struct grid *g,
                        int y)
{
    unsigned used = grid_put(g, 0, y, 0, ROLE_HEADER, 0, "error");

    for (size_t i = 0; i < s->document.selected_count; i++) {
        const struct accuracy *a = &v->others[i];
        struct str text = {0};
        str_addf(&text, "  %c%s ", i == v->which ? '>' : ' ', s->document.selected[i]);
        if (a->n)
            str_addf(&text, "%.2f %%", 100 * a->mape);
        else
            str_add(&text, "-");
        if (used + text.length <= g->width)
            used += grid_put(g, (int)used, y, 0, i == v->which ? ROLE_ACCENT : ROLE_TEXT, 0,
                             str_text(&text));
        str_done(&text);
    }
}

static void accuracy_draw(void *state, struct session *s, struct grid *g)
{
    struct accuracy_view_state *v = state;

    if (!refresh(v, s) || !v->accuracy.n) {
        view_draw_empty(s, &accuracy_view, g,
                        "Predicted cycles against measured cycles of the experiments with forms of "
                        "the current machine.",
                        s->document.experiments ? "experiments measure" : "do generate",
                        s->document.experiments ? "measures the experiments on this CPU"
                                                : "generates experiments");
        return;
    }
    grid_printf(g, 0, 0, 0, ROLE_TITLE, ATTR_BOLD,
                "%s: error %.2f %%, %zu experiment%s, predicted against measured", v->machine->id,
                100 * v->accuracy.mape, v->accuracy.n, plural(v->accuracy.n));
    unsigned room = g->height > 4 ? g->height - 4 : 1, per_row = room >= METRICS_CELLS ? 1 : 2;
    unsigned rows = (METRICS_CELLS + per_row - 1) / per_row;
    rows = rows < room ? rows : room;
    v->per_row = (int)per_row;
    draw_map(v, g, MAP_X, 1, rows, per_row);
    double cell = v->map.limit / METRICS_CELLS;
    grid_printf(g, 0, (int)rows + 2, 0, ROLE_ACCENT, 0,
                "measured %.2f-%.2f, predicted %.2f-%.2f: %u experiment%s", v->column * cell,
                (v->column + 1) * cell, v->row * cell, (v->row + 1) * cell,
                v->map.cell[v->row][v->column], plural(v->map.cell[v->row][v->column]));
    if (g->width >= MAP_X + 2 * METRICS_CELLS + 2 + PANEL)
        draw_machines(v, s, g, MAP_X + 2 * METRICS_CELLS + 2, 1);
    else if (s->document.selected_count > 1)
        draw_errors(v, s, g, (int)rows + 3);
}

static int moved(int at, int by)
{
    at += by;
    return at < 0 ? 0 : at >= METRICS_CELLS ? METRICS_CELLS - 1 : at;
}

static bool accuracy_act(void *state, struct session *s, enum action action, struct str *command)
{
    struct accuracy_view_state *v = state;

    if (!refresh(v, s))
        return false;
    double cell = v->map.limit / METRICS_CELLS;
    switch (action) {
    case ACTION_LEFT: v->column = moved(v->column, -1); return true;
    case ACTION_RIGHT: v->column = moved(v->column, 1); return true;
    case ACTION_DOWN: v->row = moved(v->row, -1); return true;
    case ACTION_UP: v->row = moved(v->row, 1); return true;
    case ACTION_FIRST: v->row = v->column = 0; return true;
    case ACTION_NEXT_MACHINE: v->which++; return true;
    case ACTION_OPEN:
        str_addf(command,
                 "view experiments; filter cycles>=%g & cycles<%g & predicted>=%g & predicted<%g",
                 v->column * cell, (v->column + 1) * cell, v->row * cell, (v->row + 1) * cell);
        return true;
    default: return false;
    }
}

static unsigned accuracy_wants(void *state, struct session *s, unsigned width, bool other_panes)
{
    return SMALL_ROWS;
}

static void accuracy_click(void *state, struct session *s, int x, int y)
{
    struct accuracy_view_state *v = state;
    v->column = moved(0, (x - MAP_X) / 2);
    v->row = moved(METRICS_CELLS - 1, -v->per_row * (y - 1));
}

const struct view_ops accuracy_view = {.name = "accuracy",
                                       .label = "Accuracy",
                                       .help = "heat map of predicted against measured cycles",
                                       .marks =
                                           "cursor\tthe line below counts the cell's experiments",
                                       .act = accuracy_act,
                                       .wants = accuracy_wants,
                                       .state_size = sizeof(struct accuracy_view_state),
                                       .close = accuracy_close,
                                       .draw = accuracy_draw,
                                       .click = accuracy_click};
