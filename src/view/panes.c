/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/panes.h"

#include <limits.h>
#include <string.h>

#define TITLED_LEAST 10      /* minimum number of rows of a screen whose single pane has a title */

/* Visible panes of a place, and the number of rows of its bands */
struct pane_plan {
    bool stands[PLACE_PANES];
    unsigned bands[PLACE_BANDS];   /* number of rows per band; 0: hidden */
};

/* Hides bands, from the last to the first and except the focused band, until the visible bands have
 * enough rows. */
static void choose_bands(const struct place_table *p, unsigned focused, unsigned height,
                         struct pane_plan *plan)
{
    bool stands[PLACE_BANDS] = {false};
    unsigned needed = 0;

    for (unsigned i = 0; i < place_panes(p); i++)
        stands[p->panes[i].band] = true;
    for (unsigned b = 0; b < PLACE_BANDS; b++)
        needed += stands[b] ? p->bands[b].least : 0;
    for (unsigned b = PLACE_BANDS; b-- && needed > height;)
        if (stands[b] && b != focused) {
            stands[b] = false;
            needed -= p->bands[b].least;
        }
    for (unsigned b = 0; b < PLACE_BANDS; b++)
        plan->bands[b] = stands[b];
}

/* Hides panes of each band, from the last to the first and except the focused pane, until the
 * visible panes have enough columns. */
static void choose_panes(const struct place_table *p, unsigned focus, unsigned width,
                         struct pane_plan *plan)
{
    for (unsigned b = 0; b < PLACE_BANDS; b++) {
        unsigned needed = 0;
        for (unsigned i = 0; i < place_panes(p); i++) {
            plan->stands[i] |= plan->bands[b] && p->panes[i].band == b;
            needed += plan->bands[b] && p->panes[i].band == b ? p->panes[i].least : 0;
        }
        for (unsigned i = place_panes(p); i-- && needed > width;)
            if (plan->stands[i] && p->panes[i].band == b && i != focus) {
                needed -= p->panes[i].least;
                /* The only remaining pane of a band remains visible. */
                plan->stands[i] = needed == 0;
            }
    }
}

/* Returns the number of columns of pane @number: its share of @width among the visible panes of its
 * band. Sets *@from to its first column. */
static unsigned columns_of(const struct place_table *p, const struct pane_plan *plan,
                           unsigned number, unsigned width, unsigned *from)
{
    const unsigned band = p->panes[number].band;
    unsigned all = 0, before = 0, upto = 0;

    for (unsigned i = 0; i < place_panes(p); i++) {
        const unsigned share = plan->stands[i] && p->panes[i].band == band ? p->panes[i].share : 0;
        before += i < number ? share : 0;
        upto += i <= number ? share : 0;
        all += share;
    }
    *from = width * before / all;
    return width * upto / all - *from;
}

/* Returns the number of rows that the panes of a band need, including titles; UINT_MAX: no
 * limit. */
static unsigned rows_needed(const struct place_table *p, const struct place_state *state,
                            const struct pane_plan *plan, unsigned band, void **states,
                            struct session *s, unsigned width)
{
    unsigned most = 0;

    for (unsigned i = 0; i < place_panes(p); i++) {
        const struct view_ops *v = place_view(p, state, i);
        unsigned from;
        if (!plan->stands[i] || p->panes[i].band != band)
            continue;
        const unsigned rows =
            v->wants ? v->wants(states[view_index(v)], s,
                                columns_of(p, plan, i, width, &from) - (from > 0), true)
                     : UINT_MAX - 1;
        most = rows + 1 > most ? rows + 1 : most;
    }
    return most;
}

/* Divides the rows according to the shares of the bands. Gives unused rows to the bands that need
 * more, beginning with the last band. */
static void share_rows(const struct place_table *p, const struct place_state *state,
                       struct pane_plan *plan, void **states, struct session *s, unsigned width,
                       unsigned height)
{
    unsigned wants[PLACE_BANDS] = {0}, shares = 0, left = height, last = 0;

    for (unsigned b = 0; b < PLACE_BANDS; b++)
        shares += plan->bands[b] ? p->bands[b].share : 0;
    for (unsigned b = 0; b < PLACE_BANDS; b++) {
        if (!plan->bands[b])
            continue;
        unsigned rows = height * p->bands[b].share / shares;
        wants[b] = rows_needed(p, state, plan, b, states, s, width);
        rows = rows < p->bands[b].least ? p->bands[b].least : rows;
        plan->bands[b] = rows < wants[b]                    ? rows
                         : wants[b] > p->bands[b].least / 2 ? wants[b]
                                                            : p->bands[b].least / 2;
        plan->bands[b] = plan->bands[b] < left ? plan->bands[b] : left;
        left -= plan->bands[b];
        last = b;
    }
    for (unsigned b = PLACE_BANDS; b--;)
        if (plan->bands[b] && wants[b] > plan->bands[b]) {
            const unsigned more =
                left < wants[b] - plan->bands[b] ? left : wants[b] - plan->bands[b];
            plan->bands[b] += more;
            left -= more;
        }
    plan->bands[last] += left;
}

void panes_lay(struct panes *out, unsigned number, const struct place_state *state, void **states,
               struct session *s, unsigned width, unsigned height, bool single)
{
    const struct place_table *p = &places[number];
    struct pane_plan plan = {0};
    unsigned y = 0;

    *out = (struct panes){0};
    choose_bands(p, p->panes[state->focus].band, height, &plan);
    choose_panes(p, state->focus, width, &plan);
    for (unsigned i = 0; i < place_panes(p); i++)
        out->fitting += plan.stands[i];
    if (single) {
        plan = (struct pane_plan){0};
        plan.bands[p->panes[state->focus].band] = 1;
        plan.stands[state->focus] = true;
    }
    share_rows(p, state, &plan, states, s, width, height);
    for (unsigned b = 0; b < PLACE_BANDS; y += plan.bands[b++])
        for (unsigned i = 0; i < place_panes(p); i++) {
            unsigned from;
            if (!plan.stands[i] || p->panes[i].band != b)
                continue;
            const unsigned columns = columns_of(p, &plan, i, width, &from);
            out->focus = i == state->focus ? out->count : out->focus;
            out->items[out->count++] = (struct pane){.view = view_index(place_view(p, state, i)),
                                                     .number = i,
                                                     .x = (int)from,
                                                     .y = (int)y,
                                                     .width = columns,
                                                     .height = plan.bands[b],
                                                     .bordered = from > 0,
                                                     .titled = true};
        }
    if (out->count == 1) {
        out->items[0].alone = true;
        out->items[0].titled = height >= TITLED_LEAST;
    }
}

/* Determines the area of the pane that its view may use. Stores the area in the four last
 * arguments. */
static void body(const struct pane *pane, int *x, int *y, unsigned *width, unsigned *height)
{
    *x = pane->x + pane->bordered;
    *y = pane->y + pane->titled;
    *width = pane->width - pane->bordered;
    *height = pane->height - pane->titled;
}

static const char *label_of(const struct view_ops *v)
{
    return v->label ? v->label : v->name;
}

/* Names hidden panes of the place in the title of a single pane, as many as fit. */
static void draw_others(const struct pane *pane, unsigned number, const struct place_state *state,
                        struct grid *g, unsigned x)
{
    for (unsigned i = 0; i < place_panes(&places[number]); i++) {
        const char *label = label_of(place_view(&places[number], state, i));
        if (i == pane->number || x + strlen(label) + 4 > pane->width)
            continue;
        x += grid_printf(g, (int)x, pane->y, 0, ROLE_DIM, 0, " %u %s ", i + 1, label);
    }
}

static void draw_edges(const struct panes *p, size_t at, unsigned number,
                       const struct place_state *state, void **states, struct session *s,
                       struct grid *g)
{
    const struct pane *pane = &p->items[at];
    const struct view_ops *v = views[pane->view];
    const bool focus = at == p->focus;
    struct str title = {0};

    for (unsigned r = pane->titled; pane->bordered && r < pane->height; r++)
        grid_put(g, pane->x, pane->y + (int)r, 1, ROLE_DIM, 0, "│");
    if (!pane->titled)
        return;
    for (unsigned c = 0; c < pane->width; c++)
        grid_put(g, pane->x + (int)c, pane->y, 1, ROLE_DIM, 0, "─");
    str_addf(&title, "%u %s", pane->number + 1, label_of(v));
    if (v->title)
        v->title(states[pane->view], s, &title);
    const unsigned room = pane->width > 6 ? pane->width - 4 : 1;
    unsigned used = grid_put(g, pane->x + 2, pane->y, 1, focus ? ROLE_CURSOR : ROLE_TITLE,
                             focus ? ATTR_BOLD : 0, " ");
    used +=
        grid_put_ends(g, pane->x + 2 + (int)used, pane->y, room - 2,
                      focus ? ROLE_CURSOR : ROLE_TITLE, focus ? ATTR_BOLD : 0, str_text(&title));
    used += grid_put(g, pane->x + 2 + (int)used, pane->y, 1, focus ? ROLE_CURSOR : ROLE_TITLE,
                     focus ? ATTR_BOLD : 0, " ");
    if (pane->alone)
        draw_others(pane, number, state, g, used + 4);
    str_done(&title);
}

static bool is_edge(const struct grid *g, int x, int y)
{
    return y >= 0 && y < (int)g->height &&
           strcmp(g->cells[(size_t)y * g->width + (size_t)x].glyph, g->ascii ? "|" : "│") == 0;
}

/* Draws the junctions of the lines between panes and titles. */
static void draw_joints(const struct panes *p, struct grid *g)
{
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->count && p->items[i].bordered; k++) {
            const struct pane *of = &p->items[k];
            const int x = p->items[i].x, y = of->y;
            if (!of->titled || x < of->x || x >= of->x + (int)of->width)
                continue;
            const bool above = is_edge(g, x, y - 1), below = is_edge(g, x, y + 1);
            if (above || below)
                grid_put(g, x, y, 1, ROLE_DIM, 0, above && below ? "┼" : above ? "┴" : "┬");
        }
}

void panes_draw(const struct panes *p, unsigned number, const struct place_state *state,
                void **states, struct session *s, struct grid *g)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct view_ops *v = views[p->items[i].view];
        struct grid part;
        unsigned width, height;
        int x, y;

        body(&p->items[i], &x, &y, &width, &height);
        grid_init_part(&part, g, width, height);
        (v->draw_with_panes && !p->items[i].alone ? v->draw_with_panes
                                                  : v->draw)(states[p->items[i].view], s, &part);
        for (unsigned r = 0; r < height; r++)
            memcpy(&g->cells[(size_t)((unsigned)y + r) * g->width + (unsigned)x],
                   &part.cells[(size_t)r * width], width * sizeof *g->cells);
        grid_done(&part);
        draw_edges(p, i, number, state, states, s, g);
    }
    draw_joints(p, g);
}

size_t panes_at(const struct panes *p, int x, int y, int *within_x, int *within_y)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct pane *pane = &p->items[i];
        unsigned width, height;
        int left, top;

        if (x < pane->x || y < pane->y || x >= pane->x + (int)pane->width ||
            y >= pane->y + (int)pane->height)
            continue;
        body(pane, &left, &top, &width, &height);
        *within_x = x - left;
        *within_y = y - top;
        return i;
    }
    return p->count;
}
