/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Search view of an inference run: its current activity with the reason, its next activity, and the
 * experiments with the largest errors. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "view/lab_log.h"
#include "view/lab_steps.h"
#include "view/view.h"

#define EXPERIMENT_X 29      /* number of columns of the numbers left of an experiment */

/* Adds the number of moves tried and accepted so far. */
static void add_moves(const struct evolve_status *status, struct str *out)
{
    uint64_t tried = 0, accepted = 0;

    for (int kind = 0; kind < MOVE_KINDS; kind++) {
        tried += status->stats.tried[kind];
        accepted += status->stats.accepted[kind];
    }
    if (tried)
        str_addf(out,
                 "%.3g million changes tried, %.1f %% accepted; %.3g million experiments predicted "
                 "per second.",
                 (double)tried / 1e6, 100 * (double)accepted / (double)tried, status->rate / 1e6);
}

/* Draws the state of the run: phase, time left, assumed number of ports, consensus, moves. Returns
 * the row below. */
static int draw_now(const struct evolve_run *run, const struct evolve_status *status,
                    struct grid *g)
{
    const bool goes_on = status->state <= EVOLVE_PAUSED;
    struct str text = {0};
    int y = 0;

    duration_print(round(status->seconds), &text);
    if (goes_on)
        str_addf(&text, ", %s: %s.", status->phase, status->meaning);
    else
        str_addf(&text, ", %s; last phase: %s.", evolve_state_names[status->state], status->phase);
    y += (int)grid_wrap(g, 0, y, g->width, 3, ROLE_TEXT, goes_on ? ATTR_BOLD : 0, str_text(&text));
    str_clear(&text);
    if (!isnan(status->seconds_left)) {
        str_add(&text, "Ends in ");
        duration_print(round(status->seconds_left), &text);
        str_add(&text, ". ");
    } else if (goes_on) {
        str_add(&text, "No time limit. ");
    }
    if (run->arriving)
        str_addf(&text, "Experiments were added %u time%s. ", status->joined,
                 plural(status->joined));
    if (status->ports && status->ports_known != PORTS_FOUND)
        str_addf(&text, "%u ports are assumed: %s. ", status->ports,
                 status->ports_known == PORTS_NO_TIME
                     ? "more time is needed to determine the number"
                     : "no number of ports explains the measurements");
    if (status->agreed)
        str_addf(&text,
                 "The best mapping is a consensus. Its predictions of unmeasured experiments "
                 "differ by %.1f %% on average from the mean prediction of the good mappings. "
                 "Those of the mapping with the smallest error (%.2f %%) differ by %.1f %%. ",
                 100 * status->unseen_agreed, 100 * status->d_single, 100 * status->unseen_single);
    else if (evolve_status_rose(status))
        str_addf(&text, "The error was %.2f %% before a usage was changed. ",
                 100 * status->d_reached);
    add_moves(status, &text);
    y += (int)grid_wrap(g, 0, y, g->width, 4, ROLE_DIM, 0, str_text(&text));
    str_done(&text);
    return y;
}

static void print_experiment(const struct problem *p, uint32_t e, struct str *out)
{
    for (uint32_t t = p->term_start[e]; t < p->term_start[e + 1]; t++) {
        str_add(out, t > p->term_start[e] ? " + " : "");
        if (p->terms[t].count > 1)
            str_addf(out, "%.0f*", (double)p->terms[t].count);
        str_add(out, p->names[p->terms[t].form]);
    }
}

static void draw_worst(const struct outline *o, struct grid *g, int y)
{
    const int rows = (int)g->height - y - 1;
    const size_t room = rows > 0 ? (size_t)rows : 0,
                 count = room < o->worst_count ? room : o->worst_count;
    struct str text = {0};

    if (count)
        grid_printf(g, 0, y, 0, ROLE_HEADER, 0, "%-*s", (int)g->width,
                    "measured predicted    error  largest errors");
    for (size_t i = 0; i < count; i++) {
        const double error = outline_error(o, o->worst[i]);
        str_clear(&text);
        print_experiment(o->problem, o->worst[i], &text);
        grid_printf(g, 0, y + 1 + (int)i, 0, ROLE_TEXT, 0, "%8.3f  %8.3f",
                    (double)o->problem->cycles[o->worst[i]], (double)o->predicted[o->worst[i]]);
        grid_printf(g, 18, y + 1 + (int)i, 0,
                    fabs(error) > 0.25  ? ROLE_ERROR
                    : fabs(error) > 0.1 ? ROLE_WARN
                                        : ROLE_GOOD,
                    0, "%+7.1f %%", 100 * error);
        grid_put_ends(g, EXPERIMENT_X, y + 1 + (int)i,
                      g->width > EXPERIMENT_X ? g->width - EXPERIMENT_X : 1, ROLE_TEXT, 0,
                      str_text(&text));
    }
    str_done(&text);
}

static void search_draw(void *state, struct session *s, struct grid *g)
{
    struct evolve_run *run = document_newest_run(&s->document);
    struct stage_view *log = lab_log_shown(s);

    if (log) {
        lab_log_draw_list(log, STAGE_WORST, g, lab_log_draw_stages(log, g, 0) + 1);
        free(log);
        return;
    }
    if (!run) {
        lab_draw_empty(s, &search_view, g,
                       "The current step of the search for a mapping, and the experiments with the "
                       "largest errors.");
        return;
    }
    const int y = draw_now(run, evolve_run_status(run), g);
    const struct outline *o = evolve_run_outline(run);
    if (o)
        draw_worst(o, g, y);
}

static bool search_act(void *state, struct session *s, enum action action, struct str *command)
{
    if (action != ACTION_PAUSE)
        return false;
    lab_pause(document_newest_run(&s->document), command);
    return true;
}

const struct view_ops search_view = {
    .name = "search",
    .label = "Current step",
    .help = "the current step of inference, and the experiments with the largest errors",
    .act = search_act,
    .draw = search_draw,
    .live = lab_live};
