/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/panes.h"

#include <string.h>

static void *state_at(void **states, size_t view)
{
    if (!states[view])
        states[view] = views[view]->open();
    return states[view];
}

static size_t index_of(const struct view_ops *view)
{
    size_t i = 0;

    while (views[i] != view)
        i++;
    return i;
}

/* Columns or rows that the new pane takes of the divided one; 0 when there is not enough for both. */
static unsigned taken(const struct view_beside *b, const struct pane *of, void **states, struct session *s)
{
    const struct view_ops *v = views[of->view];
    unsigned all = b->below ? of->height : of->width, own = all * b->share / 100;

    own = own > b->least ? own : b->least;
    if (b->below && v->wants) {
        unsigned titles = of->bordered || of->y > 0, wanted = v->wants(state_at(states, of->view), s, of->width, of->relieved) + titles;
        if (wanted + b->least <= all)   /* the divided one has all it can use: the rest is the new one's */
            return all - wanted;
    }
    return all >= own + b->leaves ? own : 0;
}

/* The pane that a row of the table divides; NULL where it has not come. */
static struct pane *divided(struct panes *p, const size_t *placed, const struct view_beside *b)
{
    return !b->of ? &p->items[0] : placed[b->of - 1] ? &p->items[placed[b->of - 1]] : NULL;
}

static bool stands(const struct panes *p, const struct view_ops *view)
{
    for (size_t i = 0; i < p->count; i++)
        if (views[p->items[i].view] == view)
            return true;
    return false;
}

static void divide(struct panes *p, struct pane *of, const struct view_beside *b, unsigned own)
{
    struct pane *fresh = &p->items[p->count++];

    *fresh = *of;
    fresh->view = index_of(b->view);
    fresh->relieved = false;
    fresh->bordered = of->bordered || !b->below;
    if (b->below) {
        fresh->y += (int)(of->height - own);
        fresh->height = own;
        of->height -= own;
    } else {
        fresh->x += (int)(of->width - own);
        fresh->width = own;
        of->width -= own;
    }
    p->items[0].relieved |= b->relieves;
}

void panes_lay(struct panes *p, size_t main, void **states, struct session *s, unsigned width, unsigned height)
{
    const struct view_ops *v = views[main];
    const size_t had = p->focus < p->count && p->items[0].view == main ? p->items[p->focus].view : main;
    size_t placed[PANES_MOST] = {0}, row = 0;

    *p = (struct panes){.items = {{.view = main, .width = width, .height = height}}, .count = 1};
    for (const struct view_beside *b = v->beside; b && b->view && s->settings.panes && p->count < PANES_MOST; b++, row++) {
        struct pane *of = divided(p, placed, b);
        unsigned own = !of || stands(p, b->view) ? 0 : !b->wanted || b->wanted(state_at(states, main), s) ? taken(b, of, states, s) : 0;
        if (!own)
            continue;
        placed[row] = p->count;
        divide(p, of, b, own);
    }
    for (size_t i = 0; i < p->count; i++)
        p->focus = p->items[i].view == had ? i : p->focus;
}

/* What the view itself draws on. */
static void body(const struct panes *p, size_t at, int *x, int *y, unsigned *width, unsigned *height)
{
    const struct pane *pane = &p->items[at];

    *x = pane->x + pane->bordered;
    *y = pane->y + (at > 0);
    *width = pane->width - pane->bordered;
    *height = pane->height - (at > 0);
}

static void draw_edges(const struct panes *p, size_t at, struct grid *g)
{
    const struct pane *pane = &p->items[at];
    bool focus = at == p->focus;

    for (unsigned r = 0; pane->bordered && r < pane->height; r++)
        grid_put(g, pane->x, pane->y + (int)r, 1, ROLE_DIM, 0, "│");
    if (!at)
        return;
    int x = pane->x + pane->bordered;
    grid_fill(g, x, pane->y, pane->width - pane->bordered, 1, focus ? ROLE_CURSOR : ROLE_KEY, 0, ' ');
    grid_printf(g, x, pane->y, pane->width - pane->bordered, focus ? ROLE_CURSOR : ROLE_KEY, ATTR_BOLD, "%c %s", focus ? '>' : ' ', views[pane->view]->name);
}

void panes_draw(const struct panes *p, void **states, struct session *s, struct grid *g)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct view_ops *v = views[p->items[i].view];
        struct grid part;
        unsigned width, height;
        int x, y;

        body(p, i, &x, &y, &width, &height);
        grid_init_part(&part, g, width, height);
        (p->items[i].relieved ? v->draw_relieved : v->draw)(state_at(states, p->items[i].view), s, &part);
        for (unsigned r = 0; r < height; r++)
            memcpy(&g->cells[(size_t)((unsigned)y + r) * g->width + (unsigned)x], &part.cells[(size_t)r * width], width * sizeof *g->cells);
        grid_done(&part);
        draw_edges(p, i, g);
    }
}

size_t panes_at(const struct panes *p, int x, int y, int *within_x, int *within_y)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct pane *pane = &p->items[i];
        unsigned width, height;
        int left, top;

        if (x < pane->x || y < pane->y || x >= pane->x + (int)pane->width || y >= pane->y + (int)pane->height)
            continue;
        body(p, i, &left, &top, &width, &height);
        *within_x = x - left;
        *within_y = y - top;
        return i;
    }
    return p->count;
}

bool panes_turn(struct panes *p, const char *name, struct err *err)
{
    bool next = strcmp(name, VIEW_NEXT) == 0;

    if (p->count < 2)
        return err_set(err, ERR_USAGE, "enlarge the terminal, or set panes on", "there is one pane");
    if (next || strcmp(name, VIEW_PREVIOUS) == 0) {
        p->focus = (p->focus + (next ? 1 : p->count - 1)) % p->count;
        return true;
    }
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(views[p->items[i].view]->name, name) == 0) {
            p->focus = i;
            return true;
        }
    return err_set(err, ERR_USAGE, "view shows it", "no pane \"%s\"", name);
}
