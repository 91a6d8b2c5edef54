/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/pager.h"

#include <stdio.h>
#include <string.h>

#include "base/steps.h"

#define SCANNED_A_STEP 128    /* number of bytes read per work step */
#define SEARCHED_A_STEP 32    /* number of bytes searched per work step */
/* maximum number of rows per line; longer lines do not wrap but scroll sideways */
#define WRAP_MOST 6
#define WRAP_LEAST 24         /* minimum number of columns of a wrapped row */

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

/* Reads more lines of the last text, using about @steps work steps. */
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

void pager_keep_last(struct pager *p, size_t count)
{
    const size_t texts = p->texts.count > count ? p->texts.count - count : 0;
    size_t lines = 0;

    if (!texts)
        return;
    /* Counts the lines of dropped texts, which precede the first remaining text. */
    while (texts < p->texts.count && lines < p->lines.count &&
           p->lines.items[lines].text != p->texts.items[texts])
        lines++;
    for (size_t i = 0; i < texts; i++)
        free(p->texts.items[i]);
    vec_remove_first(&p->texts, texts);
    vec_remove_first(&p->lines, lines);
    p->top -= lines < p->top ? lines : p->top;
    p->find_from -= lines < p->find_from ? lines : p->find_from;
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
    return p->height ? p->last : p->lines.count ? p->lines.count - 1 : 0;
}

/* Finds the byte offset at which the wrapped rows of a line are aligned: after its indentation, or
 * after its only gap. Returns false for several gaps (a table row). Stores the offset in *@from. */
static bool wraps_from(const char *text, size_t *from)
{
    const size_t indent = strspn(text, " ");
    const char *gap = strstr(text + indent, "  "), *behind = gap ? gap + strspn(gap, " ") : NULL;

    *from = behind ? (size_t)(behind - text) : indent;
    return !behind || !strstr(behind, "  ");
}

/* Wraps @line, which is longer than a row, from row @y. Returns its number of rows; 0: the line
 * must not wrap. */
static unsigned draw_wrapped(const struct pager_line *line, enum role role, struct grid *g, int y)
{
    struct grid scratch;
    size_t from;

    if (!wraps_from(line->text, &from))
        return 0;
    char *before = mem_strndup(line->text, from);
    const unsigned x = grid_columns(g, before);
    unsigned rows = WRAP_MOST + 1;
    if (x + WRAP_LEAST <= g->width) {
        grid_init(&scratch, g->width - x, WRAP_MOST + 1, g->ascii);
        rows = grid_wrap(&scratch, 0, 0, g->width - x, WRAP_MOST + 1, role, 0, line->text + from);
        grid_done(&scratch);
    }
    if (rows <= WRAP_MOST) {
        grid_put(g, 0, y, 0, role, 0, before);
        grid_wrap(g, (int)x, y, g->width - x, rows, role, 0, line->text + from);
    }
    free(before);
    return rows <= WRAP_MOST ? rows : 0;
}

/* Draws line @at from row @y. Returns its number of rows. Raises *@widest to the columns of an
 * unwrapped line. */
static unsigned draw_line(const struct pager *p, size_t at, struct grid *g, int y, unsigned *widest)
{
    const struct pager_line *line = &p->lines.items[at];
    const enum role role =
        p->match[0] && strcasestr(line->text, p->match) ? ROLE_MATCH : line->role;
    const unsigned columns = grid_columns(g, line->text),
                   rows = columns > g->width ? draw_wrapped(line, role, g, y) : 0;

    if (rows)
        return rows;
    grid_put(g, -(int)p->left, y, 0, role, 0, line->text);
    *widest = columns > *widest ? columns : *widest;
    /* Marks truncated text with ">". */
    if (columns > p->left + g->width)
        grid_put(g, (int)g->width - 1, y, 1, ROLE_WARN, 0, ">");
    if (p->left && *line->text)
        grid_put(g, 0, y, 1, ROLE_WARN, 0, "<");
    return 1;
}

/* Returns the first line of a screen like @g that ends with the last line of the text. */
static size_t find_last_top(const struct pager *p, const struct grid *g)
{
    struct grid scratch;
    size_t at = p->lines.count;
    unsigned widest = 0;

    grid_init(&scratch, g->width, 1, g->ascii);
    for (unsigned rows = 0; at > 0; at--) {
        rows += draw_line(p, at - 1, &scratch, 0, &widest);
        if (rows > g->height)
            break;
    }
    grid_done(&scratch);
    return at < p->lines.count || !at ? at : at - 1;
}

/* Continues a search within PAGER_STEPS work steps. */
static void find_on(struct pager *p)
{
    for (uint64_t taken = 0; p->finding && taken < PAGER_STEPS;) {
        size_t n = p->lines.count, at = (p->finding > 0 ? p->find_from + p->find_step
                                                        : p->find_from + n - p->find_step) %
                                        n;
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
    p->last = find_last_top(p, g);
    if (p->follow || p->top > p->last)
        p->top = p->last;
    unsigned widest = 0;
    p->shown = 0;
    for (unsigned y = 0; y < g->height && p->top + p->shown < p->lines.count; p->shown++)
        y += draw_line(p, p->top + p->shown, g, (int)y, &widest);
    p->widest = widest;
}

static void scroll(struct pager *p, long rows)
{
    p->follow = false;
    p->top = rows < 0 && (size_t)-rows > p->top ? 0 : p->top + (size_t)rows;
    if (p->top > last_top(p))
        p->top = last_top(p);
}

/* Ends a search. Returns whether a search was active. */
static bool end_search(struct pager *p)
{
    bool found = p->finding != 0;

    p->finding = 0;
    return found;
}

bool pager_act(struct pager *p, enum action action)
{
    long page = p->shown > 1 ? (long)p->shown - 1 : 1;
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
    if (!p->unread)   /* If text is unread, the search starts when all text is read. */
        find_on(p);
    return !p->missed;
}

void pager_status(const struct pager *p, struct str *out)
{
    size_t last = p->top + p->shown < p->lines.count ? p->top + p->shown : p->lines.count;
    str_addf(out, "%zu-%zu/%zu%s%s", p->lines.count ? p->top + 1 : 0, last, p->lines.count,
             p->unread ? "+" : "", p->follow ? " following" : "");
    if (p->cut)
        str_add(out, "  not enough memory for further lines");
    if (p->finding)
        str_addf(out, "  searching %.0f %%", 100.0 * (double)p->find_step / (double)p->lines.count);
    if (p->missed)
        str_addf(out, "  \"%s\" not found", p->match);
}
