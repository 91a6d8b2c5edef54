/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code view: instructions of the selected hot loop, each with its share of the samples. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "view/hot_loop.h"
#include "view/view.h"

#define TEXT_X 9             /* number of columns of the share, left of the text */
/* minimum number of columns of a pane that shows source lines on the right */
#define SOURCE_ROOM 60

struct code_state {
    size_t cursor, top, body;
    uint64_t kernel;               /* serial number of the last drawn kernel */
    size_t loop;
};

static void draw_row(const struct profile_loop *l, const struct insn *insns, size_t count, size_t i,
                     double most, bool cursor, struct grid *g, int y)
{
    const unsigned places = insn_place_width(insns, count);
    const enum role role = cursor ? ROLE_CURSOR : ROLE_TEXT;
    const uint32_t line =
        g->width >= SOURCE_ROOM ? kernel_source_line(l->kernel, &insns[i], NULL) : 0;
    const unsigned room = g->width > TEXT_X + places + 2 + (line ? 6 : 0)
                              ? g->width - TEXT_X - places - 2 - (line ? 6 : 0)
                              : 1;
    char number[PLACE_TEXT];

    if (cursor)
        grid_fill(g, 0, y, g->width, 1, role, 0, ' ');
    hot_percent_draw(g, 0, y, kernel_percent(l->kernel, &insns[i]), most, cursor);
    grid_printf(g, TEXT_X, y, places, cursor ? role : ROLE_DIM, 0, "%*s", (int)places,
                insn_place_text(&insns[i], number));
    grid_put(g, TEXT_X + (int)places + 2, y, room, role, 0, insn_shown(&insns[i]));
    if (line)
        grid_printf(g, (int)g->width - 5, y, 5, cursor ? role : ROLE_DIM, 0, "%5u", line);
}

static void code_draw(void *state, struct session *s, struct grid *g)
{
    struct code_state *v = state;
    const struct profile_loop *l = hot_loop(s);
    size_t count;
    const struct insn *insns = hot_loop_insns(l, &count);
    double most = 0;

    if (!insns) {
        view_draw_empty(s, &code_view, g,
                        "Instructions of a hot loop, with their shares of the samples.",
                        "prompt program profile", "profiles a program");
        return;
    }
    for (size_t i = 0; i < count; i++)
        most = fmax(most, kernel_percent(l->kernel, &insns[i]));
    if (v->kernel != l->kernel->serial || v->loop != l->loop)
        v->cursor = v->top = 0;
    v->kernel = l->kernel->serial;
    v->loop = l->loop;
    grid_fill(g, 0, 0, g->width, 1, ROLE_HEADER, 0, ' ');
    grid_put(g, 0, 0, 0, ROLE_HEADER, 0, "samples");
    grid_printf(g, TEXT_X, 0, 0, ROLE_HEADER, 0, "%s  instruction", insn_place_title(insns));
    if (g->width >= SOURCE_ROOM && kernel_has_source(l->kernel))
        grid_put(g, (int)g->width - 4, 0, 4, ROLE_HEADER, 0, "line");
    v->body = g->height > 2 ? g->height - 1 : 1;
    view_place(&v->cursor, &v->top, v->body, count);
    for (size_t r = 0; r < v->body && v->top + r < count; r++)
        draw_row(l, insns, count, v->top + r, most, v->top + r == v->cursor, g, 1 + (int)r);
}

static bool code_act(void *state, struct session *s, enum action action, struct str *command)
{
    struct code_state *v = state;
    size_t count;
    long at = (long)v->cursor;

    if (action == ACTION_OPEN && hot_loop(s)) {
        str_addf(command, "program open %zu", s->document.hot + 1);
        return true;
    }
    hot_loop_insns(hot_loop(s), &count);
    if (!view_row(action, &at, (long)(v->body ? v->body : 1), count ? (long)count - 1 : 0))
        return false;
    v->cursor = at < 0 || !count ? 0 : (size_t)at < count ? (size_t)at : count - 1;
    return true;
}

static void code_title(void *state, struct session *s, struct str *out)
{
    const struct profile_loop *l = hot_loop(s);

    if (l)
        str_addf(out, ": %s, %.1f %% of the samples", l->name,
                 100 * profile_share(s->document.profile, l->samples, NULL));
}

static unsigned code_wants(void *state, struct session *s, unsigned width, bool other_panes)
{
    size_t count;

    return hot_loop_insns(hot_loop(s), &count) ? (unsigned)count + 1 : 6;
}

const struct view_ops code_view = {
    .name = "code",
    .label = "Code",
    .title = code_title,
    .help = "instructions of a hot loop, with their shares of the samples",
    .act = code_act,
    .state_size = sizeof(struct code_state),
    .draw = code_draw,
    .wants = code_wants};
