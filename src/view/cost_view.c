/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cost view: time and bound of the selected hot loop, and the program's possible speedup. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "view/hot_loop.h"
#include "view/view.h"

#define PARTS 3              /* number of rows of bars */
#define SENTENCE_ROWS 12
#define BAR_X 44             /* number of columns of a bar's name and number */

static void draw_part(struct grid *g, int y, const char *name, double cycles, double most,
                      enum role role)
{
    if (isnan(cycles))
        return;
    grid_printf(g, 2, y, 0, ROLE_TEXT, 0, "%-30s %8.2f", name, cycles);
    for (unsigned k = 0;
         k < (unsigned)lround(cycles / most * (g->width > BAR_X + 2 ? g->width - BAR_X - 2 : 0));
         k++)
        grid_put(g, BAR_X + (int)k, y, 1, role, 0, "█");
}

/* Appends the loop's bound and the program's possible speedup, or the reason why these are
 * unknown. */
static void say(const struct run_profile *p, const struct profile_loop *l, size_t at,
                struct str *out)
{
    const double now = profile_loop_now(l), all = p->user + (isnan(p->system) ? 0 : p->system);

    if (p->running)
        str_add(out, "The program is still running; its loops are predicted at its end.");
    else if (isnan(now) || isnan(l->bound))
        hot_loop_unpredicted(p, l, out);
    else if (now > 1.02 * l->bound && l->by_data)
        str_addf(out, "Bound: %.2f cycles (%s). Gain unknown: the time depends on data.", l->bound,
                 l->bottleneck);
    else if (now > 1.02 * l->bound)
        str_addf(
            out,
            "At its bound of %.2f cycles (%s) the program would take %.3f s instead of %.3f s.",
            l->bound, l->bottleneck, profile_time_with(p, at, now, l->bound), all);
    else
        str_addf(out,
                 isnan(l->measured)
                     ? "Predicted at its bound of %.2f cycles (%s), not measured."
                     : "Outside the program the loop is at its bound of %.2f cycles (%s).",
                 l->bound, l->bottleneck);
    if (l->why)
        str_addf(out, " %s", l->why);
}

static void cost_draw(void *state, struct session *s, struct grid *g)
{
    const struct run_profile *p = s->document.profile;
    const struct profile_loop *l = hot_loop(s);
    struct str text = {0};
    double off;

    if (!l) {
        view_draw_empty(s, &cost_view, g,
                        "Time and bound of a hot loop, and the possible speedup of the program.",
                        "prompt program profile", "profiles a program");
        return;
    }
    const double share = profile_share(p, l->samples, &off);
    str_addf(&text, "%s: %.1f %% (± %.1f) of %zu samples, %.2f s", l->name, 100 * share, 100 * off,
             p->samples, share * p->user);
    int y = (int)grid_wrap(g, 0, 0, g->width, 2, ROLE_TEXT, 0, str_text(&text));
    str_clear(&text);
    say(p, l, s->document.hot, &text);
    /* Leaves one row free for the assumption, which is the end of the text. */
    y += (int)grid_wrap(g, 0, y, g->width, g->height > 2 ? g->height - 1 : 1, ROLE_GOOD, 0,
                        str_text(&text));
    const double most = fmax(fmax(l->bound, l->predicted), l->measured);
    draw_part(g, y, "bound, cycles per iteration", l->bound, most, ROLE_GOOD);
    draw_part(g, y + 1, "simulated", l->predicted, most, ROLE_ACCENT);
    draw_part(g, y + 2, "measured outside the program", l->measured, most, ROLE_WARN);
    str_done(&text);
}

static unsigned cost_wants(void *state, struct session *s, unsigned width, bool other_panes)
{
    const struct profile_loop *l = hot_loop(s);
    struct str text = {0};
    struct grid scratch;
    unsigned rows = 5;

    if (l) {
        say(s->document.profile, l, s->document.hot, &text);
        grid_init(&scratch, width, SENTENCE_ROWS, false);
        rows = 1 + grid_wrap(&scratch, 0, 0, width, SENTENCE_ROWS, ROLE_TEXT, 0, str_text(&text)) +
               PARTS;
        grid_done(&scratch);
    }
    str_done(&text);
    return rows;
}

static bool cost_act(void *state, struct session *s, enum action action, struct str *command)
{
    if (action != ACTION_OPEN || !hot_loop(s))
        return false;
    str_addf(command, "program open %zu", s->document.hot + 1);
    return true;
}

const struct view_ops cost_view = {
    .name = "cost",
    .label = "Why",
    .help = "time and bound of a hot loop, and the possible speedup of the program",
    .act = cost_act,
    .draw = cost_draw,
    .wants = cost_wants};
