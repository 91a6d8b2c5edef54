/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/lab_log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cmd/lab_findings.h"
#include "view/plot.h"

#define WHAT_X 29      /* number of columns of the numbers before the text of a finding */
#define LARGE 0.25 /* absolute relative error above which a finding is drawn as an error */
#define NOTABLE 0.1

static bool has_begun(const struct stage_view *v)
{
    return v->runs || v->seconds > 0;
}

struct stage_view *lab_log_shown(const struct session *s)
{
    if (!lab_log_is_newest(s))
        return NULL;
    struct stage_view *v = mem_alloc(sizeof *v);
    stage_log_get(s->document.chart, v);
    if (has_begun(v))
        return v;
    free(v);
    return NULL;
}

bool lab_log_runs(const struct session *s)
{
    struct stage_view *v = lab_log_shown(s);
    const bool runs = v && v->runs;

    free(v);
    return runs;
}

bool lab_log_charts(const struct session *s)
{
    struct stage_view *v = lab_log_shown(s);
    const bool charts = v && v->charts;

    free(v);
    return charts;
}

static const enum role stage_roles[] = {[CHARTING_WAITS] = ROLE_DIM,
                                        [CHARTING_RUNS] = ROLE_ACCENT,
                                        [CHARTING_DONE] = ROLE_TEXT,
                                        [CHARTING_ENDED] = ROLE_WARN};

static void draw_stage(const struct stage_row *r, int number, struct grid *g, int y)
{
    char time[16] = "", share[16] = "";

    if (r->state != CHARTING_WAITS)
        snprintf(time, sizeof time, "%u:%02u", (unsigned)(r->seconds / 60),
                 (unsigned)fmod(r->seconds, 60));
    if (r->state != CHARTING_WAITS && !isnan(r->share))
        snprintf(share, sizeof share, "%.0f %%", 100 * r->share);
    grid_printf(g, 0, y, 0, stage_roles[r->state], r->state == CHARTING_RUNS ? ATTR_BOLD : 0,
                "%c %d %-12s%7s %5s  %s", r->state == CHARTING_RUNS ? '>' : ' ', number + 1,
                chart_stage_names[number], time, share, r->what);
}

int lab_log_draw_stages(const struct stage_view *v, struct grid *g, int y)
{
    struct str text = {0};

    if (v->charts) {
        grid_printf(g, 0, y++, 0, ROLE_HEADER, 0, "%s", v->title);
        for (int i = 0; i < CHART_STAGES; i++)
            draw_stage(&v->rows[i], i, g, y++);
        return y;
    }
    grid_printf(g, 0, y++, 0, ROLE_TITLE, ATTR_BOLD, "%s", v->title);
    str_add(&text, v->runs ? "" : "ended after ");
    duration_print(round(v->seconds), &text);
    if (v->runs && !isnan(v->step.share))
        str_addf(&text, ", %.0f %%", 100 * v->step.share);
    str_addf(&text, ": %s", v->step.what);
    y += (int)grid_wrap(g, 0, y, g->width, 2, v->runs ? ROLE_ACCENT : ROLE_TEXT,
                        v->runs ? ATTR_BOLD : 0, str_text(&text));
    str_done(&text);
    return y;
}

void lab_log_draw_curve(const struct stage_view *v, struct grid *g, int y, unsigned height)
{
    double at[STAGE_POINTS], share[STAGE_POINTS], most = 0;

    for (size_t i = 0; i < v->point_count; i++) {
        at[i] = v->points[i].seconds;
        share[i] = 100 * v->points[i].share;
        most = fmax(most, share[i]);
    }
    const struct plot_series series = {v->curve, ROLE_GOOD, at, share, v->point_count, false};
    const struct plot plot = {.title = v->charts ? "done, %" : "%",
                              .x_label = "s",
                              .y_min = 0,
                              .y_max = v->charts || most > 50 ? 100
                                       : most > 20            ? 50
                                                              : 20,
                              .series = &series,
                              .series_count = 1};
    if (v->point_count >= 2)
        plot_draw(&plot, g, 0, y, g->width, height);
}

/* Returns the number of columns for the text of findings, which shares @room columns with the
 * notes. */
static unsigned text_columns(const struct stage_view *v, enum stage_list list, const struct grid *g,
                             unsigned room)
{
    unsigned widest = 0, notes = 0;

    for (size_t i = 0; i < v->lists[list].count; i++) {
        const unsigned columns = grid_columns(g, v->lists[list].rows[i].what),
                       note = grid_columns(g, v->lists[list].rows[i].note);
        widest = columns > widest ? columns : widest;
        notes = note > notes ? note : notes;
    }
    if (!notes || widest + 2 + notes <= room)
        return widest < room ? widest : room;
    return widest < room / 2 ? widest : room / 2;
}

void lab_log_draw_list(const struct stage_view *v, enum stage_list list, struct grid *g, int y)
{
    const unsigned room = g->width > WHAT_X ? g->width - WHAT_X : 1,
                   what = text_columns(v, list, g, room);

    if (!v->lists[list].title[0])
        return;
    y += (int)grid_wrap(g, 0, y, g->width, 2, ROLE_TITLE, ATTR_BOLD, v->lists[list].title);
    if (v->lists[list].count && (unsigned)y < g->height)
        grid_printf(g, 0, y++, 0, ROLE_HEADER, 0, "%-*s", (int)g->width,
                    "measured predicted    error");
    for (size_t i = 0; i < v->lists[list].count && (unsigned)y < g->height; i++, y++) {
        const struct stage_finding *f = &v->lists[list].rows[i];
        const double error = f->predicted / f->measured - 1;
        grid_printf(g, 0, y, 0, ROLE_TEXT, 0, "%8.3f  %8.3f", f->measured, f->predicted);
        grid_printf(g, 18, y, 0,
                    fabs(error) > LARGE     ? ROLE_ERROR
                    : fabs(error) > NOTABLE ? ROLE_WARN
                                            : ROLE_GOOD,
                    0, "%+7.1f %%", 100 * error);
        grid_put_ends(g, WHAT_X, y, what ? what : 1, ROLE_TEXT, 0, f->what);
        if (what + 2 < room)
            grid_put(g, WHAT_X + (int)what + 2, y, room - what - 2, ROLE_DIM, 0, f->note);
    }
}
