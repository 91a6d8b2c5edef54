/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/pager.h"

#include <stdio.h>
#include <string.h>

#include "base/steps.h"

#define SCANNED_A_STEP 128    /* bytes that are read in a step */
#define SEARCHED_A_STEP 32    /* and searched */

void pager_clear(struct pager *p)
{
    for (size_t i = 0; i < p->texts.count; i++)
        free(p->texts.items[i]);
    p->texts.count = p->lines.count = 0;
    p->unread = NULL;
    p->cut = p->missed = false;
    p->finding = 0;
}

void pager_done(struct pager *p)
{
    pager_clear(p);
    vec_done(&p->lines);
    vec_done(&p->texts);
}

/* Reads on in the last text, for about @steps. */
static void read_on(struct pager *p, uint64_t steps)
{
    for (uint64_t taken = 0, before = 0; p->unread && taken < steps; steps_add(taken - before)) {
        size_t span = strcspn(p->unread, "\n");
        bool ok = true, more = p->unread[span] && p->unread[span + 1];
        struct pager_line line = {p->unread, span, p->role};
        before = taken;
        taken += 1 + span / SCANNED_A_STEP;
        p->unread[span] = '\0';
        vec_try_push(&p->lines, line, ok);
        p->cut |= !ok;
        p->unread = ok && more ? p->unread + span + 1 : NULL;
    }
}

void pager_take(struct pager *p, enum role role, char *take_text)
{
    vec_push(&p->texts, take_text);
    p->unread = take_text;
    p->role = role;
}

void pager_add(struct pager *p, enum role role, const char *text)
{
    pager_take(p, role, mem_strdup(text));
    read_on(p, UINT64_MAX);
}

bool pager_busy(const struct pager *p)
{
    return p->unread || p->finding;
}

void pager_text(const struct pager *p, size_t first, struct str *out)
{
    for (size_t i = first; i < p->lines.count; i++) {
        str_add_bytes(out, p->lines.items[i].text, p->lines.items[i].length);
        str_add_char(out, '\n');
    }
    if (p->unread)
        str_add(out, p->unread);
}

static size_t last_top(const struct pager *p)
{
    size_t height = p->height ? p->height : 1;
    return p->lines.count > height ? p->lines.count - height : 0;
}

/* Looks at the next lines for what is searched. */
static void find_on(struct pager *p)
{
    for (uint64_t taken = 0; p->finding && taken < PAGER_STEPS;) {
        size_t n = p->lines.count, at = (p->finding > 0 ? p->find_from + p->find_step : p->find_from + n - p->find_step) % n;
        uint64_t steps = 2 + p->lines.items[at].length / SEARCHED_A_STEP;
        taken += steps;
        steps_add(steps);
        if (strcasestr(p->lines.items[at].text, p->match)) {
            p->finding = 0;
            p->follow = false;
            p->top = at < last_top(p) ? at : last_top(p);
        } else if (p->find_step++ == n) {
            p->finding = 0;
            p->missed = true;
        }
    }
}

void pager_draw(struct pager *p, struct grid *g)
{
    p->height = g->height;
    if (p->unread)
        read_on(p, PAGER_STEPS);
    else if (p->finding)
        find_on(p);
    if (p->follow || p->top > last_top(p))
        p->top = last_top(p);
    unsigned widest = 0;
    for (unsigned y = 0; y < g->height && p->top + y < p->lines.count; y++) {
        const struct pager_line *line = &p->lines.items[p->top + y];
        bool hit = p->match[0] && strcasestr(line->text, p->match);
        grid_put(g, -(int)p->left, (int)y, 0, hit ? ROLE_MATCH : line->role, 0, line->text);
        unsigned columns = grid_columns(g, line->text);
        widest = columns > widest ? columns : widest;
        /* What is cut must not be taken for all. */
        if (columns > p->left + g->width)
            grid_put(g, (int)g->width - 1, (int)y, 1, ROLE_WARN, 0, ">");
        if (p->left && *line->text)
            grid_put(g, 0, (int)y, 1, ROLE_WARN, 0, "<");
    }
    p->widest = widest;
}

static void scroll(struct pager *p, long rows)
{
    p->follow = false;
    p->top = rows < 0 && (size_t)-rows > p->top ? 0 : p->top + (size_t)rows;
    if (p->top > last_top(p))
        p->top = last_top(p);
}

/* True when there was one to end. */
static bool end_search(struct pager *p)
{
    bool found = p->finding != 0;

    p->finding = 0;
    return found;
}

bool pager_act(struct pager *p, enum action action)
{
    long page = p->height > 1 ? (long)p->height - 1 : 1;
    switch (action) {
    case ACTION_DOWN: scroll(p, 1); return true;
    case ACTION_UP: scroll(p, -1); return true;
    case ACTION_SCROLL_DOWN: scroll(p, 3); return true;
    case ACTION_SCROLL_UP: scroll(p, -3); return true;
    case ACTION_PAGE_DOWN: scroll(p, page); return true;
    case ACTION_PAGE_UP: scroll(p, -page); return true;
    case ACTION_FIRST: scroll(p, -(long)p->top); return true;
    case ACTION_LAST: scroll(p, (long)p->lines.count); return true;
    case ACTION_RIGHT: p->left += p->left + 8 < p->widest ? 8 : 0; return true;
    case ACTION_LEFT: p->left -= p->left < 8 ? p->left : 8; return true;
    case ACTION_FOLLOW: p->follow = !p->follow; return true;
    case ACTION_CANCEL: return end_search(p);
    default: return false;
    }
}

bool pager_find(struct pager *p, const char *text, int direction)
{
    snprintf(p->match, sizeof p->match, "%s", text);
    p->missed = false;
    p->finding = *text && p->lines.count ? direction : 0;
    p->find_from = p->top;
    p->find_step = 1;
    if (!p->finding)
        return false;
    if (!p->unread)   /* otherwise once all is read */
        find_on(p);
    return !p->missed;
}

void pager_status(const struct pager *p, struct str *out)
{
    size_t last = p->top + p->height < p->lines.count ? p->top + p->height : p->lines.count;
    str_addf(out, "%zu-%zu/%zu%s%s", p->lines.count ? p->top + 1 : 0, last, p->lines.count, p->unread ? "+" : "", p->follow ? " following" : "");
    if (p->cut)
        str_add(out, "  not enough memory for the rest");
    if (p->finding)
        str_addf(out, "  searching %.0f %%", 100.0 * (double)p->find_step / (double)p->lines.count);
    if (p->missed)
        str_addf(out, "  \"%s\" is not here", p->match);
}
