/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine view: method, calibration, and clock and contention over time of the measurements on this
 * computer */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/command.h"
#include "isa/cpu.h"
#include "measure/record.h"
#include "view/lab_log.h"
#include "view/plot.h"
#include "view/view.h"
#include "work/job.h"

/* relative margin of the clock's axis; a nearly constant clock is thus near the middle */
#define CLOCK_MARGIN 0.005

#define LABEL_WIDTH 8 /* number of columns of the label "clock   " */

struct machine_view_state {
    struct record_point points[RECORD_POINTS];
    double x[RECORD_POINTS], clock[RECORD_POINTS], contended[RECORD_POINTS],
        disturbed[RECORD_POINTS];
    size_t count;
    double low, high;        /* lowest and highest clock in GHz; NaN: unknown */
    double lost;             /* largest percentage of windows lost to other tasks */
    unsigned long samples;   /* number of points with windows */
};

static void fill(struct machine_view_state *v, struct session *s)
{
    v->count = record_series(s->document.record, v->points);
    v->low = v->high = NAN;
    v->samples = 0;
    v->lost = 0;
    for (size_t i = 0; i < v->count; i++) {
        const struct record_point *p = &v->points[i];
        v->x[i] = p->seconds;
        v->clock[i] = p->clock_hz / 1e9;
        v->contended[i] = 100 * p->contended;
        v->disturbed[i] = 100 * p->disturbed;
        v->samples += !isnan(p->contended);
        v->lost = v->contended[i] > v->lost ? v->contended[i] : v->lost;
        v->lost = v->disturbed[i] > v->lost ? v->disturbed[i] : v->lost;
        if (!isnan(v->clock[i])) {
            v->low = v->clock[i] < v->low || isnan(v->low) ? v->clock[i] : v->low;
            v->high = v->clock[i] > v->high || isnan(v->high) ? v->clock[i] : v->high;
        }
    }
}

/* Draws this CPU's core, or the reason why it is unknown. */
static void draw_here(const struct here *here, struct grid *g, int *y)
{
    if (here->id)
        grid_printf(g, 0, (*y)++, 0, ROLE_ACCENT, 0, "core    %s", here->title);
    else
        grid_printf(g, 0, (*y)++, 0, ROLE_WARN, 0, "core    %s", here->fault.what);
}

/* Draws a text only if all of it fits, because a truncated number would be wrong. Returns the
 * number of columns used. */
__attribute__((format(printf, 5, 6))) static unsigned
put_whole(struct grid *g, unsigned x, int y, enum role role, const char *format, ...)
{
    char text[160];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return x + grid_columns(g, text) <= g->width ? grid_put(g, (int)x, y, 0, role, 0, text) : 0;
}

/* Draws the CPU and its calibration, one fact per line. Returns the number of rows used. */
static int draw_facts(struct session *s, const struct machine_view_state *v, struct grid *g)
{
    struct calibration c;
    char name[64];
    bool simulated,
        known = record_calibration(s->document.record, &c, name, sizeof name, &simulated);
    int y = 0;

    if (!known) {
        grid_printf(g, 0, y++, 0, ROLE_TITLE, ATTR_BOLD, "%s", cpu_name(name, sizeof name));
        draw_here(&s->document.here, g, &y);
        return y + (int)grid_wrap(
                       g, 0, y, g->width, 2, ROLE_TEXT, 0,
                       "Not calibrated: key c starts calibration, as does the first measurement.");
    }
    unsigned used = grid_printf(g, 0, y, 0, ROLE_TITLE, ATTR_BOLD, "%s", name);
    if (simulated) {
        static const char says[] = "simulated machine, not this computer";
        if (put_whole(g, used + 2, y, ROLE_WARN, "%s", says))
            return y + 1;
        return y + 1 + (int)grid_wrap(g, 0, y + 1, g->width, 2, ROLE_WARN, 0, says);
    }
    const unsigned cpus = record_cpu_count(s->document.record);
    if (cpus == 1)
        put_whole(g, used + 2, y, ROLE_DIM, "CPU %d", c.cpu);
    else if (!put_whole(g, used + 2, y, ROLE_DIM, "%u CPUs at the same time", cpus))
        put_whole(g, used + 2, y, ROLE_DIM, "%u CPUs", cpus);
    y++;
    if (g->height >= 16)
        draw_here(&s->document.here, g, &y);
    if (g->height >= 10)
        grid_printf(g, 0, y++, 0, ROLE_TEXT, 0, "method  %s", calibration_method(&c));
    used = grid_printf(g, 0, y, 0, ROLE_TEXT, 0, "clock   %.4f GHz", c.clock_hz / 1e9);
    if (!isnan(v->low))
        used += put_whole(g, used, y, ROLE_GOOD, ", while measuring %.4f to %.4f", v->low, v->high);
    put_whole(g, used, y, ROLE_TEXT, "; time stamps %.4f GHz", c.tick_hz / 1e9);
    y++;
    if (g->height < 14)
        return y;
    used =
        isnan(c.noise)
            ? grid_put(g, 0, y, 0, ROLE_WARN, 0, "noise   unknown, too few quiet windows")
            : grid_printf(g, 0, y, 0, ROLE_TEXT, 0, "noise   95 %% of times within %.3f %%",
                          100 * c.noise);
    put_whole(g, used, y++, ROLE_TEXT, "; contention: %.0f %% of probes slowed",
              100 * c.contention);
    used = grid_printf(g, 0, y, 0, ROLE_DIM, 0, "idle    %.3f nops per cycle", c.probe_rate);
    used += put_whole(g, used, y, ROLE_DIM, ", tolerance %.1f %%", 100 * c.rules.probe_tolerance);
    used += put_whole(g, used, y, ROLE_DIM, "; loads within %u bytes", c.load_window);
    if (c.doubtful || c.busy) {
        const char *says = c.doubtful ? "; doubtful: never idle" : "; busy when calibrated";
        const unsigned put = put_whole(g, used, y, ROLE_WARN, "%s", says);
        used += put;
        if (!put)
            grid_put(g, LABEL_WIDTH, ++y, 0, ROLE_WARN, 0, says + 2);
    }
    if (!isnan(c.second_ratio))
        put_whole(g, used, y, ROLE_DIM, "; second chain: multiplication, %.0f cycles",
                  c.second_ratio);
    return y + 1;
}

/* Draws the running measurements with their progress and state, on at most @room lines. */
static void draw_work(struct grid *g, int *y, unsigned *room)
{
    struct job_info info;

    for (size_t i = 0; job_get(i, &info) && *room > 1; i++)
        if (info.state == JOB_RUNNING && info.measures) {
            unsigned used = grid_printf(g, 0, *y, 0, ROLE_ACCENT, 0, "now     %s", info.title);
            if (info.total > 0)
                used += grid_printf(g, (int)used, *y, 0, ROLE_ACCENT, 0, "  %.0f %%",
                                    100 * info.done / info.total);
            grid_printf(g, (int)used + 2, (*y)++, 0, ROLE_TEXT, 0, "%s%s",
                        info.paused ? "paused  " : "", info.note);
            --*room;
        }
}

static void draw_clock(const struct machine_view_state *v, struct grid *g, int y, unsigned width,
                       unsigned height)
{
    const struct plot_series series = {"of quiet windows", ROLE_GOOD, v->x,
                                       v->clock,           v->count,  false};
    const struct plot plot = {.title = "clock, GHz",
                              .x_label = "s",
                              .y_min = v->low * (1 - CLOCK_MARGIN),
                              .y_max = v->high * (1 + CLOCK_MARGIN),
                              .series = &series,
                              .series_count = 1};
    plot_draw(&plot, g, 0, y, width, height);
}

static void draw_contention(const struct machine_view_state *v, struct grid *g, int x, int y,
                            unsigned width, unsigned height)
{
    const struct plot_series series[] = {
        {"clock", ROLE_WARN, v->x, v->disturbed, v->count, false},
        {"contention", ROLE_ERROR, v->x, v->contended, v->count, false}};
    const struct plot plot = {.title = "windows lost, %",
                              .x_label = "s",
                              .y_min = 0,
                              .y_max = v->lost > 50   ? 100
                                       : v->lost > 20 ? 50
                                       : v->lost > 10 ? 20
                                                      : 10,
                              .series = series,
                              .series_count = 2};
    plot_draw(&plot, g, x, y, width, height);
}

/* Returns the fraction of windows lost to other tasks in points @from to @to - 1; below 0: no
 * windows. */
static double contended_mean(const struct machine_view_state *v, size_t from, size_t to)
{
    double sum = 0;
    size_t n = 0;

    for (size_t i = from; i < to; i++)
        if (!isnan(v->contended[i])) {
            sum += v->contended[i] / 100;
            n++;
        }
    return n ? sum / (double)n : -1;
}

/* Draws idle and contended periods from the start until now, with a legend. */
static void draw_strip(const struct machine_view_state *v, struct grid *g, int y)
{
    static const char quiet[] = "  quiet ", contended[] = "  contended ";
    unsigned legend = sizeof quiet + sizeof contended,
             x = grid_put(g, 0, y, 0, ROLE_DIM, 0, "core    ");
    unsigned width = g->width > x + legend + 10 ? g->width - x - legend : 0;

    for (unsigned c = 0; c < width; c++) {
        size_t from = c * v->count / width, to = (c + 1) * v->count / width;
        double share = contended_mean(v, from, to > from ? to : from + 1);
        grid_heat_pair(g, (int)(x + c), y, share, share);
    }
    x += width;
    x += grid_put(g, (int)x, y, 0, ROLE_DIM, 0, quiet);
    grid_heat_pair(g, (int)x++, y, 0, 0);
    x += grid_put(g, (int)x, y, 0, ROLE_DIM, 0, contended);
    grid_heat_pair(g, (int)x, y, 1, 1);
}

/* Draws the stages of a chart, one per line, and their progress over time, on at most *@room rows.
 * Draws nothing without a chart, or with fewer than CHART_STAGES + 2 rows. Advances *@y and reduces
 * *@room by the rows. */
static void draw_chart(const struct machine_view_state *v, const struct session *s, struct grid *g,
                       int *y, unsigned *room)
{
    struct stage_view *log = lab_log_shown(s);

    if (log && log->charts && *room >= CHART_STAGES + 2) {
        *y = lab_log_draw_stages(log, g, *y);
        *room -= CHART_STAGES + 1;
        if (log->point_count >= 2 && *room >= 8) {
            /* The clock and the contention are drawn below. */
            const unsigned height = v->samples && *room >= 20 ? *room / 2 : *room;
            lab_log_draw_curve(log, g, *y, height);
            *y += (int)height;
            *room -= height;
        }
    }
    free(log);
}

static void machine_draw(void *state, struct session *s, struct grid *g)
{
    struct machine_view_state *v = state;

    fill(v, s);
    int y = draw_facts(s, v, g);
    unsigned room = g->height > (unsigned)y ? g->height - (unsigned)y : 0;
    draw_work(g, &y, &room);
    const unsigned before = room;
    draw_chart(v, s, g, &y, &room);
    if (!v->samples) {
        if (room > 2 && room == before)
            grid_wrap(g, 0, y + 1, g->width, room - 1, ROLE_DIM, 0,
                      "Clock and contention are plotted here during measurements.");
        return;
    }
    if (room < 5)
        return;
    if (room >= 9 && g->width >= 60) {
        draw_strip(v, g, y++);
        room--;
    }
    if (room >= 12) {
        draw_clock(v, g, y, g->width, room / 2);
        draw_contention(v, g, 0, y + (int)(room / 2), g->width, room - room / 2);
    } else if (g->width >= 60) {
        draw_clock(v, g, y, g->width / 2 - 1, room);
        draw_contention(v, g, (int)g->width / 2, y, g->width - g->width / 2, room);
    } else {
        draw_clock(v, g, y, g->width, room);
    }
}

static bool machine_act(void *state, struct session *s, enum action action, struct str *command)
{
    if (action != ACTION_PAUSE)
        return false;
    str_add(command, experiments_paused(s) ? "experiments resume" : "experiments pause");
    return true;
}

static bool machine_live(void *state, struct session *s)
{
    return job_running() > 0;
}

static void machine_status(void *state, struct session *s, struct str *out)
{
    const struct machine_view_state *v = state;
    if (v->samples)
        str_addf(out, "%.0f s", v->x[v->count - 1]);
}

const struct view_ops machine_view = {.name = "machine",
                                      .label = "This computer",
                                      .help = "this computer: methods of measurement, calibration, "
                                              "clock and contention, and the stages of a chart",
                                      .act = machine_act,
                                      .state_size = sizeof(struct machine_view_state),
                                      .draw = machine_draw,
                                      .status = machine_status,
                                      .live = machine_live};
