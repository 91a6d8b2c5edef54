/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evolution view of a running inference: error and volume of the best, median and worst individual,
 * the Pareto front, and the success of moves. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cmd/evolve_start.h"
#include "view/lab_log.h"
#include "view/lab_steps.h"
#include "view/plot.h"
#include "view/view.h"
#include "work/active_job.h"
#include "work/evolve_job.h"

#define ROUNDS 256
#define RUNS_SHOWN 4
/* minimum number of rows of a view with the run's description on separate rows */
#define OWN_ROWS_LEAST 12
/* minimum number of rows below the description for the plot of pairs */
#define PAIRS_LEAST 13
#define SIDE 44              /* number of columns of the panel at the right */

struct evolution_view_state {
    size_t back;             /* index of the displayed run, counted back from the newest */
    bool by_generation, volume, rounds;
    bool front;              /* whether the Pareto front is shown instead of the curves */
    struct active_round active[ROUNDS];
    double x[RUNS_SHOWN][OUTLINE_SAMPLES], y[RUNS_SHOWN + 3][OUTLINE_SAMPLES];
};

static struct evolve_run *shown_run(struct evolution_view_state *v, const struct session *s)
{
    if (!s->document.run_count)
        return NULL;
    v->back = v->back < s->document.run_count ? v->back : s->document.run_count - 1;
    return s->document.runs[s->document.run_count - 1 - v->back];
}

/* Fills x[@slot] with seconds or generations. Fills y[@row] with the smallest error, or with the
 * volume of the best individual if v->volume is true. If @all is true, the next three rows of y get
 * the current best (NaN for volumes), the median and the worst. Returns the number of samples. */
static size_t fill(struct evolution_view_state *v, struct evolve_run *run, size_t slot, size_t row,
                   bool all)
{
    const struct evolve_status *status = evolve_run_status(run);
    const struct outline *o = evolve_run_outline(run);
    const size_t n = o ? o->sample_count : 0;

    for (size_t i = 0; i < n; i++) {
        const struct evolve_sample *at = &o->samples[i];
        v->x[slot][i] = v->by_generation ? at->generation : at->seconds;
        v->y[row][i] = v->volume        ? at->v_best
                       : !status->ports ? 100 * at->d_reached
                                        : evolve_sample_drawn(at, status->joined > 0);
        if (all) {
            v->y[row + 1][i] = v->volume ? NAN : 100 * at->d_best;
            v->y[row + 2][i] = v->volume ? at->v_median : 100 * at->d_median;
            v->y[row + 3][i] = v->volume ? at->v_worst : 100 * at->d_worst;
        }
    }
    return n;
}

static void draw_curves(struct evolution_view_state *v, struct session *s, struct evolve_run *run,
                        const struct evolve_status *status, struct grid *g, int y, unsigned width,
                        unsigned height)
{
    static const enum role others[] = {ROLE_ACCENT, ROLE_TITLE, ROLE_DIM};
    static char labels[RUNS_SHOWN][24];
    struct plot_series series[RUNS_SHOWN + 3];
    size_t count = 0, slot = 1, n = fill(v, run, 0, 0, true);

    series[count++] =
        (struct plot_series){v->volume ? "most" : "worst", ROLE_ERROR, v->x[0], v->y[3], n, false};
    series[count++] = (struct plot_series){"median", ROLE_WARN, v->x[0], v->y[2], n, false};
    for (size_t i = 0; i < s->document.run_count && slot < RUNS_SHOWN; i++) {
        struct evolve_run *other = s->document.runs[s->document.run_count - 1 - i];
        if (other == run)
            continue;
        size_t points = fill(v, other, slot, slot + 3, false);
        snprintf(labels[slot], sizeof labels[slot], "run %u", other->number);
        series[count++] = (struct plot_series){labels[slot],   others[slot - 1], v->x[slot],
                                               v->y[slot + 3], points,           false};
        slot++;
    }
    if (status->joined && !v->volume)
        series[count++] =
            (struct plot_series){"current best", ROLE_TEXT, v->x[0], v->y[1], n, false};
    series[count++] = (struct plot_series){v->volume       ? "least"
                                           : status->ports ? "best so far"
                                                           : "best trial",
                                           ROLE_GOOD,
                                           v->x[0],
                                           v->y[0],
                                           n,
                                           false};
    const struct plot plot = {.title = v->volume ? "volume" : "error, %",
                              .x_label = v->by_generation ? "gen." : "s",
                              .log_y = true,
                              .series = series,
                              .series_count = count};
    plot_draw(&plot, g, 0, y, width, height);
}

static double percent(double fraction)
{
    return 100 * fraction;
}

/* Draws error, noise and disagreement of active experiments over the number of measurements.
 * Returns false if there is nothing to draw. */
static bool draw_rounds(struct evolution_view_state *v, const struct session *s, struct grid *g)
{
    size_t n = s->document.active ? active_curve_get(s->document.active, v->active, ROUNDS) : 0;
    bool choosing = evolve_active_choosing(s);

    /* Shows the rounds by default until a newer run exists. Key m switches between rounds and
     * run. */
    if (!s->document.active ||
        (choosing || !s->document.run_count) == (v->rounds && s->document.run_count))
        return false;
    n = n < ROUNDS ? n : ROUNDS;
    const struct select_round *last = n ? &v->active[n - 1].of : NULL;
    for (size_t i = 0; i < n; i++) {
        const struct select_round *r = &v->active[i].of;
        v->x[0][i] = (double)r->measurements;
        v->y[0][i] = percent(r->error);
        v->y[1][i] = percent(r->noise);
        v->y[2][i] = percent(r->disagreement);
    }
    if (last)
        grid_printf(g, 0, 0, 0, ROLE_TITLE, ATTR_BOLD,
                    "active experiments: %zu measured in %zu round%s, %s", last->measurements, n,
                    plural(n), choosing || last->end ? select_end_names[last->end] : "stopped");
    else
        grid_put(g, 0, 0, 0, ROLE_TITLE, ATTR_BOLD,
                 "active experiments: measuring the first round");
    const struct plot_series series[] = {
        {"largest disagreement", ROLE_WARN, v->x[0], v->y[2], n, false},
        {"prediction error", ROLE_GOOD, v->x[0], v->y[0], n, false},
        {"noise", ROLE_DIM, v->x[0], v->y[1], n, false}};
    const struct plot plot = {
        .title = "%", .x_label = "measured", .log_y = true, .series = series, .series_count = 3};
    plot_draw(&plot, g, 0, 1, g->width, g->height - 2);
    if (!s->document.run_count)
        grid_put(g, 0, (int)g->height - 1, 0, ROLE_DIM, 0,
                 "jobs shows progress; the run starts after the measurement");
    return true;
}

static void draw_front(struct evolve_run *run, struct grid *g, int x, int y, unsigned width,
                       unsigned height)
{
    const struct outline *o = evolve_run_outline(run);
    struct evolve_point points[OUTLINE_FRONT]; /* A copy, because drawing sorts the points. */

    if (o && o->front_count)
        memcpy(points, o->front, o->front_count * sizeof *points);
    pareto_draw(points, o ? o->front_count : 0, g, x, y, width, height);
}

static int draw_moves(const struct evolve_status *status, struct grid *g, int x, int y, int end)
{
    bool any = false;

    for (int kind = 0; kind < MOVE_KINDS; kind++)
        any |= status->stats.tried[kind] > 0;
    if (any)
        grid_put(g, x, y++, SIDE, ROLE_HEADER, 0, "move            tried   accepted");
    for (int kind = 0; kind < MOVE_KINDS && y < end; kind++)
        if (status->stats.tried[kind])
            grid_printf(g, x, y++, SIDE, ROLE_TEXT, 0, "%-12s %8.2gM   %6.2f %%",
                        anneal_move_names[kind], (double)status->stats.tried[kind] / 1e6,
                        100 * (double)status->stats.accepted[kind] /
                            (double)status->stats.tried[kind]);
    return y;
}

static int draw_parameters(struct evolve_run *run, const struct evolve_status *status,
                           struct grid *g, int x, int y, int end)
{
    const struct outline *made = evolve_run_outline(run);

    if (y + 3 >= end || !made)
        return y;
    const struct evolve_options *o = &made->options;
    grid_put(g, x, y++, SIDE, ROLE_HEADER, 0, "parameters (evolve set NAME VALUE)");
    char ports[32] = "ports: auto";
    if (status->ports)
        snprintf(ports, sizeof ports, "%u ports%s", status->ports,
                 status->ports_known != PORTS_FOUND ? " assumed" : "");
    grid_printf(g, x, y++, SIDE, ROLE_TEXT, 0, "%s, %s, width %.2g, seed %llu",
                o->algorithm == EVOLVE_PMEVO ? "pmevo" : "memetic", ports, status->width,
                (unsigned long long)o->seed);
    grid_printf(g, x, y++, SIDE, ROLE_TEXT, 0, "population %u, %u thread%s, %g s",
                status->population, o->threads, plural(o->threads), o->seconds);
    if (y < end)
        grid_printf(g, x, y++, SIDE, ROLE_TEXT, 0, "prices: µop %g, volume %g, usage %g",
                    o->prices.uop, o->prices.volume, o->prices.usage);
    return y;
}

/* Draws the errors of the port counts tried so far. Returns the number of rows used. */
static int draw_trials(struct evolve_run *run, struct grid *g, int y)
{
    const struct outline *o = evolve_run_outline(run);
    const size_t n = o ? o->trial_count : 0;
    struct str line = {0};
    int rows = 0;

    for (size_t i = 0; i < n; i++)
        str_addf(&line, "%s%u port%s %.2f %%", i ? ", " : "error with ", o->trials[i].ports,
                 plural(o->trials[i].ports), 100 * o->trials[i].d_avg);
    if (n)
        rows = (int)grid_wrap(g, 0, y, g->width, 3, ROLE_TEXT, 0, str_text(&line));
    str_done(&line);
    return rows;
}

/* Draws the quality of the best mapping after the title, which uses *@used columns. @more: whether
 * the next row may be used. Returns the row below. */
static int draw_best(const struct evolve_status *status, struct grid *g, unsigned *used, bool more)
{
    struct str least = {0};
    int y = 0;

    if (!isnan(status->d_avg)) {
        str_addf(&least, ", volume %llu", (unsigned long long)status->volume);
        *used +=
            grid_printf(g, (int)*used, 0, 0, ROLE_WARN, ATTR_BOLD,
                        "  %s %.2f %%, %llu distinct µops", status->ports ? "error" : "best trial",
                        100 * status->d_avg, (unsigned long long)status->distinct);
        /* Draws the volume only if it fits, because a truncated number would be another number. */
        if (*used + least.length <= g->width)
            *used += grid_put(g, (int)*used, 0, 0, ROLE_WARN, ATTR_BOLD, str_text(&least));
    }
    str_clear(&least);
    if (status->joined && !isnan(status->d_reached))
        str_addf(&least, "  best so far %.2f %% on the first %zu experiment%s",
                 100 * status->d_reached, status->reached_of, plural(status->reached_of));
    else if (status->agreed)
        str_addf(&least, "  a consensus; least error %.2f %%, %llu distinct µops",
                 100 * status->d_single, (unsigned long long)status->distinct_single);
    else if (evolve_status_rose(status))
        str_addf(&least, "  %.2f %% before a usage was changed", 100 * status->d_reached);
    if (more && *used + grid_columns(g, str_text(&least)) > g->width)
        grid_put(g, 0, ++y, 0, ROLE_DIM, 0, str_text(&least) + 2);
    else
        *used += grid_put(g, (int)*used, 0, 0, ROLE_DIM, 0, str_text(&least));
    str_done(&least);
    return y + 1;
}

/* Draws phase, times and rate from column @x. */
static void draw_phase(const struct evolve_run *run, const struct evolve_status *status,
                       struct grid *g, unsigned x, int y)
{
    const bool goes_on = status->state <= EVOLVE_PAUSED;
    struct str time = {0};

    str_add(&time, ", ");
    duration_print(round(status->seconds), &time);
    if (!isnan(status->seconds_left)) {
        str_add(&time, ", ");
        duration_print(round(status->seconds_left), &time);
        str_add(&time, " left");
    } else if (goes_on) {
        str_add(&time, ", no time limit");
    }
    x += grid_printf(g, (int)x, y, 0, ROLE_TEXT, goes_on ? ATTR_BOLD : 0, "%s%s",
                     goes_on ? "" : "ended while ", status->phase);
    x += grid_put(g, (int)x, y, 0, goes_on ? ROLE_WARN : ROLE_DIM, 0, str_text(&time));
    if (run->arriving)
        x += grid_printf(g, (int)x, y, 0, ROLE_ACCENT, 0, ", live: %zu experiment%s",
                         status->experiments, plural(status->experiments));
    str_clear(&time);
    str_addf(&time, ", %.2f M evaluations/s", status->rate / 1e6);
    if (x + grid_columns(g, str_text(&time)) <= g->width)
        grid_put(g, (int)x, y, 0, ROLE_DIM, 0, str_text(&time));
    str_done(&time);
}

/* Draws quality, phase and times, on separate rows if the view has enough rows. Returns the row
 * below. */
static int draw_standing(struct evolve_run *run, const struct evolve_status *status, struct grid *g,
                         unsigned used, bool other_panes)
{
    const bool roomy = g->height >= OWN_ROWS_LEAST;
    int y = draw_best(status, g, &used, roomy);

    if (!roomy) {
        draw_phase(run, status, g, used + 2, 0);
        return y;
    }
    draw_phase(run, status, g, 0, y++);
    if (status->state <= EVOLVE_PAUSED && !other_panes)
        y += (int)grid_wrap(g, 0, y, g->width, 2, ROLE_TEXT, 0, status->meaning);
    return status->ports ? y : y + draw_trials(run, g, y);
}

/* Draws predictions over measurements as points, and the line of equal values. */
static void draw_pairs(struct evolve_run *run, struct grid *g, int y, unsigned width,
                       unsigned height)
{
    const struct outline *o = evolve_run_outline(run);

    if (!o || !o->pair_count)
        return;
    const double right[] = {o->pairs[0][0], o->pairs[0][o->pair_count - 1]};
    const struct plot_series series[] = {
        {"right", ROLE_DIM, right, right, 2, false},
        {"experiments", ROLE_GOOD, o->pairs[0], o->pairs[1], o->pair_count, true}};
    const struct plot plot = {.title = "predicted",
                              .x_label = "measured",
                              .log_x = true,
                              .log_y = true,
                              .series = series,
                              .series_count = 2};
    plot_draw(&plot, g, 0, y, width, height);
}

/* Draws the view. @other_panes: whether other panes show the search. */
static void draw(struct evolution_view_state *v, struct session *s, struct grid *g,
                 bool other_panes)
{
    struct evolve_run *run = shown_run(v, s);

    struct stage_view *log = lab_log_shown(s);
    if (log) {
        grid_printf(g, 0, 0, 0, ROLE_TITLE, ATTR_BOLD, "%s%s", log->title,
                    log->runs ? "" : ", ended");
        lab_log_draw_curve(log, g, 1, g->height - 1);
        free(log);
        return;
    }
    if (draw_rounds(v, s, g))
        return;
    if (!run) {
        lab_draw_empty(
            s, &evolution_view, g,
            "Search for the ports that explain the measured experiments: error over time.");
        return;
    }
    const struct evolve_status *status = evolve_run_status(run);
    unsigned used = grid_printf(g, 0, 0, 0, ROLE_TITLE, ATTR_BOLD, "run %u: %s", run->number,
                                evolve_state_names[status->state]);
    unsigned side = g->width >= 60 + SIDE && g->height >= 14 ? SIDE + 1 : 0;
    int top = draw_standing(run, status, g, used, other_panes);
    const unsigned left = (int)g->height > top ? g->height - (unsigned)top : 0,
                   pairs = left >= PAIRS_LEAST ? left / 2 : 0;
    if (left > 4 && v->front)
        draw_front(run, g, 0, top, g->width - side, left - pairs);
    else if (left > 4)
        draw_curves(v, s, run, status, g, top, g->width - side, left - pairs);
    if (pairs)
        draw_pairs(run, g, top + (int)(left - pairs), g->width - side, pairs);
    if (side) {
        int x = (int)(g->width - SIDE), bottom = (int)g->height;
        unsigned front = g->height >= 30 ? g->height * 2 / 5 : 8;
        draw_front(run, g, x, top, SIDE, front);
        int y = draw_moves(status, g, x, top + (int)front + 1, bottom - 5);
        draw_parameters(run, status, g, x, y + 1, bottom);
    }
}

static void evolution_draw(void *state, struct session *s, struct grid *g)
{
    draw(state, s, g, false);
}

static void evolution_draw_with_panes(void *state, struct session *s, struct grid *g)
{
    draw(state, s, g, true);
}

static bool evolution_act(void *state, struct session *s, enum action action, struct str *command)
{
    struct evolution_view_state *v = state;

    switch (action) {
    /* Shows the curves, because the Pareto front has no axis of time or generations. */
    case ACTION_AXIS:
        v->by_generation = !v->by_generation;
        v->front = false;
        break;
    case ACTION_VOLUME:
        v->volume = !v->volume;
        v->front = false;
        break;
    case ACTION_FRONT: v->front = !v->front; break;
    case ACTION_ROUNDS: v->rounds = !v->rounds && s->document.active; break;
    case ACTION_RUN:
        v->back = s->document.run_count ? (v->back + 1) % s->document.run_count : 0;
        break;
    case ACTION_PAUSE: lab_pause(shown_run(v, s), command); break;
    default: return false;
    }
    return true;
}

static bool evolution_live(void *state, struct session *s)
{
    struct evolution_view_state *v = state;
    struct evolve_run *run = shown_run(v, s);

    if (evolve_active_choosing(s) || lab_log_runs(s))
        return true;
    return run && evolve_run_status(run)->state == EVOLVE_RUNNING;
}

static void evolution_status(void *state, struct session *s, struct str *out)
{
    struct evolution_view_state *v = state;
    if (shown_run(v, s))
        str_addf(out, "run %zu/%zu", s->document.run_count - v->back, s->document.run_count);
}

const struct view_ops evolution_view = {.name = "evolution",
                                        .label = "Evolution",
                                        .help = "inference progress: error, Pareto front, moves",
                                        .act = evolution_act,
                                        .state_size = sizeof(struct evolution_view_state),
                                        .draw = evolution_draw,
                                        .draw_with_panes = evolution_draw_with_panes,
                                        .status = evolution_status,
                                        .live = evolution_live};
