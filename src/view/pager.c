/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/pager.h"

#include <stdio.h>
#include <string.h>

#include "view/key.h"

void pager_clear(struct pager *p)
{
    for (size_t i = 0; i < p->lines.count; i++)
        free(p->lines.items[i].text);
    p->lines.count = 0;
}

void pager_done(struct pager *p)
{
    pager_clear(p);
    vec_done(&p->lines);
}

void pager_add(struct pager *p, enum role role, const char *text)
{
    do {
        size_t span = strcspn(text, "\n");
        struct pager_line line = {mem_strndup(text, span), role};
        vec_push(&p->lines, line);
        text += span + (text[span] == '\n');
    } while (*text);
}

static size_t last_top(const struct pager *p)
{
    size_t height = p->height ? p->height : 1;
    return p->lines.count > height ? p->lines.count - height : 0;
}

void pager_draw(struct pager *p, struct grid *g)
{
    p->height = g->height;
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

bool pager_key(struct pager *p, int key)
{
    long page = p->height > 1 ? (long)p->height - 1 : 1;
    switch (key) {
    case 'j': case KEYCODE_DOWN: scroll(p, 1); return true;
    case 'k': case KEYCODE_UP: scroll(p, -1); return true;
    case KEYCODE_WHEEL_DOWN: scroll(p, 3); return true;
    case KEYCODE_WHEEL_UP: scroll(p, -3); return true;
    case ' ': case KEYCODE_PAGE_DOWN: scroll(p, page); return true;
    case KEYCODE_PAGE_UP: scroll(p, -page); return true;
    case 'g': case KEYCODE_HOME: scroll(p, -(long)p->top); return true;
    case 'G': case KEYCODE_END: scroll(p, (long)p->lines.count); return true;
    case 'l': case KEYCODE_RIGHT: p->left += p->left + 8 < p->widest ? 8 : 0; return true;
    case 'h': case KEYCODE_LEFT: p->left -= p->left < 8 ? p->left : 8; return true;
    case 'F': p->follow = !p->follow; return true;
    default: return false;
    }
}

bool pager_find(struct pager *p, const char *text, int direction)
{
    snprintf(p->match, sizeof p->match, "%s", text);
    for (size_t step = 1; *text && step <= p->lines.count; step++) {
        size_t at = direction > 0 ? (p->top + step) % p->lines.count : (p->top + p->lines.count - step) % p->lines.count;
        if (strcasestr(p->lines.items[at].text, text)) {
            p->follow = false;
            p->top = at < last_top(p) ? at : last_top(p);
            return true;
        }
    }
    return false;
}

void pager_status(const struct pager *p, struct str *out)
{
    size_t last = p->top + p->height < p->lines.count ? p->top + p->height : p->lines.count;
    str_addf(out, "%zu-%zu/%zu%s", p->lines.count ? p->top + 1 : 0, last, p->lines.count, p->follow ? " following" : "");
}
