/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines view: source lines of the selected hot loop, each with the samples of its instructions */
#include <math.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/vec.h"
#include "view/hot_loop.h"
#include "view/view.h"

#define TEXT_X 6             /* number of columns of the line number */
#define SHARE 18             /* number of columns of share and bar at the right */

struct hot_line {
    uint32_t line;
    const char *text;        /* text of the line; borrowed from the kernel */
    double percent;
};

struct lines_state {
    unsigned top;
    VEC(struct hot_line) lines;   /* lines of the last drawing */
};

static void lines_close(void *state)
{
    vec_done(&((struct lines_state *)state)->lines);
}

ORDER_BY(by_number, struct hot_line, ASCENDING(line))

/* Lists the lines of the loop in order, without duplicates. */
static void collect(struct lines_state *v, const struct profile_loop *l)
{
    size_t count;
    const struct insn *insns = hot_loop_insns(l, &count);

    v->lines.count = 0;
    for (size_t i = 0; insns && i < count; i++) {
        const char *text;
        const uint32_t line = kernel_source_line(l->kernel, &insns[i], &text);
        const double percent = kernel_percent(l->kernel, &insns[i]);
        size_t at = 0;
        while (at < v->lines.count && v->lines.items[at].line != line)
            at++;
        if (!line || !text)
            continue;
        if (at == v->lines.count)
            vec_push(&v->lines, ((struct hot_line){line, text, 0}));
        v->lines.items[at].percent += isnan(percent) ? 0 : percent;
    }
    if (v->lines.count)
        qsort(v->lines.items, v->lines.count, sizeof *v->lines.items, by_number);
}

static void lines_draw(void *state, struct session *s, struct grid *g)
{
    struct lines_state *v = state;
    const struct profile_loop *l = hot_loop(s);
    double most = 0;

    collect(v, l);
    if (!v->lines.count) {
        const bool running = l && s->document.profile->running;
        view_draw_empty(s, &lines_view, g,
                        running ? "Source lines are read at the end of the program."
                        : l && s->document.profile->cut_off
                            ? "Profiling was cancelled or failed before the "
                              "program ended: source lines were not read."
                        : l ? "The code has no source lines: compile the source file with -g."
                            : "Source of a hot loop, with the share of the samples of each line.",
                        running ? "program stop"
                        : l     ? "do open"
                                : "prompt program profile",
                        running ? "stops the profile and keeps the samples"
                        : l     ? "opens the loop in LOOP"
                                : "profiles a program");
        return;
    }
    for (size_t i = 0; i < v->lines.count; i++)
        most = fmax(most, v->lines.items[i].percent);
    v->top = v->top + g->height <= v->lines.count ? v->top
             : v->lines.count > g->height         ? (unsigned)v->lines.count - g->height
                                                  : 0;
    const unsigned room = g->width > TEXT_X + SHARE + 1 ? g->width - TEXT_X - SHARE - 1 : 1;
    for (unsigned r = 0; r < g->height && v->top + r < v->lines.count; r++) {
        const struct hot_line *line = &v->lines.items[v->top + r];
        grid_printf(g, 0, (int)r, TEXT_X, ROLE_DIM, 0, "%5u", line->line);
        grid_put(g, TEXT_X, (int)r, room, ROLE_TEXT, 0, line->text);
        if (line->percent <= 0 || g->width <= TEXT_X + SHARE)
            continue;
        hot_percent_draw(g, (int)(g->width - SHARE), (int)r, line->percent, most, false);
        for (int k = 0; k < (int)lround(line->percent / most * (SHARE - 9)); k++)
            grid_put(g, (int)(g->width - SHARE) + 8 + k, (int)r, 1, ROLE_WARN, 0, "█");
    }
}

static bool lines_act(void *state, struct session *s, enum action action, struct str *command)
{
    struct lines_state *v = state;
    long at = (long)v->top;

    if (action == ACTION_OPEN && hot_loop(s)) {
        str_addf(command, "program open %zu", s->document.hot + 1);
        return true;
    }
    if (!view_row(action, &at, 10, (long)v->lines.count))
        return false;
    /* The position may exceed the number of lines, because drawing limits it. */
    v->top = at < 0 ? 0 : (unsigned)at;
    return true;
}

static void lines_title(void *state, struct session *s, struct str *out)
{
    const struct profile_loop *l = hot_loop(s);

    if (l)
        str_addf(out, ": %s", path_base(l->file));
}

const struct view_ops lines_view = {.name = "lines",
                                    .label = "Lines",
                                    .title = lines_title,
                                    .help = "source of a hot loop, with the samples of each line",
                                    .act = lines_act,
                                    .state_size = sizeof(struct lines_state),
                                    .close = lines_close,
                                    .draw = lines_draw};
