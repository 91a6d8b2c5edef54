/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/lab_steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/key.h"
#include "cmd/keymap.h"
#include "view/lab_log.h"
#include "work/job.h"

#define STEPS 5
#define STEPS_MOST 240       /* maximum number of columns of the line */
#define STEP_TEXT 64

bool lab_run_goes_on(const struct session *s)
{
    struct evolve_run *run = document_newest_run(&s->document);

    return run && evolve_run_status(run)->state == EVOLVE_RUNNING;
}

bool lab_live(void *state, struct session *s)
{
    return lab_run_goes_on(s) || lab_log_runs(s);
}

void lab_pause(struct evolve_run *run, struct str *command)
{
    struct evolve_status status;

    if (run) {   /* The status at the last drawing may be outdated. */
        evolve_get_status(run->evolve, &status);
        str_add(command, status.state == EVOLVE_PAUSED ? "evolve resume" : "evolve pause");
    }
}

void lab_draw_empty(const struct session *s, const struct view_ops *view, struct grid *g,
                    const char *says)
{
    const struct experiments *e = s->document.experiments;
    const bool measured = e && e->measured > 0;

    if (document_newest_run(&s->document))
        grid_wrap(g, 2, g->height > 6, g->width > 4 ? g->width - 4 : 1, 3, ROLE_TEXT, 0,
                  "The run has no mapping yet.");
    else
        view_draw_empty(s, view, g, says,
                        !e         ? "do generate"
                        : measured ? LAB_INFER
                                   : "experiments measure",
                        !e         ? "generates experiments"
                        : measured ? "starts the search"
                                   : "measures the experiments on this CPU");
}

struct lab_step {
    const char *name, *command;   /* @command starts the step */
    bool done, runs;
    char has[STEP_TEXT];          /* result of the step; "": none */
};

static void look_at_run(const struct document *d, struct lab_step *mapping)
{
    if (!d->run_count)
        return;
    const struct evolve_status *status = evolve_run_status(d->runs[d->run_count - 1]);
    mapping->runs = status->state <= EVOLVE_PAUSED;
    mapping->done = !mapping->runs;
    if (!status->ports && mapping->runs)
        snprintf(mapping->has, sizeof mapping->has, "trials");
    else if (!isnan(status->d_avg))
        snprintf(mapping->has, sizeof mapping->has, "%.2f %%", 100 * status->d_avg);
}

static void fill(const struct session *s, struct lab_step steps[STEPS])
{
    const struct document *d = &s->document;
    const struct experiments *e = d->experiments;
    const size_t measured = e ? e->measured : 0, failed = e ? e->failed : 0;
    struct job_info job;

    if (e || d->form_pattern_count) {
        snprintf(steps[0].has, STEP_TEXT, "%zu", e ? e->forms.count : d->form_pattern_count);
        steps[0].done = true;
    }
    if (e) {
        snprintf(steps[1].has, STEP_TEXT, "%zu", e->rows.count);
        steps[1].done = true;
        snprintf(steps[2].has, STEP_TEXT, failed ? "%zu, %zu failed" : "%zu", measured, failed);
        steps[2].done = measured && measured + failed == e->rows.count;
    }
    for (size_t i = 0; job_get(i, &job); i++)
        steps[2].runs |= job.state == JOB_RUNNING && strcmp(job.title, "experiments measure") == 0;
    look_at_run(d, &steps[3]);
    steps[4].done =
        steps[3].done && d->selected_count && strcmp(d->selected[0], EVOLVED_MACHINE) == 0;
}

/* Draws the steps in a line with @arrow between them. If @counts is true, draws the results of all
 * steps, otherwise only the results of unfinished steps. Returns the number of columns. */
static unsigned draw_steps(const struct lab_step steps[STEPS], const char *arrow, bool counts,
                           const struct session *s, struct grid *g)
{
    unsigned x = 1;
    bool asked = false;   /* whether the next step has been drawn with its key */

    for (unsigned i = 0; i < STEPS; i++) {
        const struct lab_step *step = &steps[i];
        char key[KEY_NAME_MOST];
        const bool next = !asked && !step->done && !step->runs,
                   named = next && keymap_key(s->keys, "mapping", step->command, key);
        if (i)
            x += grid_put(g, (int)x, 0, 0, ROLE_DIM, 0, arrow);
        x += grid_printf(g, (int)x, 0, 0,
                         step->runs   ? ROLE_WARN
                         : step->done ? ROLE_GOOD
                                      : ROLE_TEXT,
                         step->runs || next ? ATTR_BOLD : 0, "%u %s%s", i + 1, step->name,
                         step->done   ? " ✓"
                         : step->runs ? " ▶"
                                      : "");
        if (step->has[0] && (counts || !step->done))
            x += grid_printf(g, (int)x, 0, 0, ROLE_TEXT, 0, " %s", step->has);
        if (named)
            x += grid_printf(g, (int)x, 0, 0, ROLE_TITLE, ATTR_BOLD, " (%s)", key);
        asked |= next || step->runs;
    }
    return x;
}

/* Draws a chart, check or hunt with its current step. */
static void draw_log(const struct stage_view *v, struct grid *g)
{
    unsigned x = 1 + grid_printf(g, 1, 0, 0, ROLE_WARN, ATTR_BOLD, "%s ▶", v->title);
    const struct stage_row *at = &v->step;

    for (int i = 0; v->charts && i < CHART_STAGES; i++)
        if (v->rows[i].state == CHARTING_RUNS) {
            at = &v->rows[i];
            x += grid_printf(g, (int)x, 0, 0, ROLE_TITLE, 0, " %d of %d, %s:", i + 1, CHART_STAGES,
                             chart_stage_names[i]);
        }
    if (!isnan(at->share))
        x += grid_printf(g, (int)x, 0, 0, ROLE_TEXT, 0, " %.0f %%", 100 * at->share);
    grid_printf(g, (int)x, 0, 0, ROLE_TEXT, 0, " %s", at->what);
}

void lab_steps_draw(struct session *s, struct grid *g)
{
    static const struct {
        const char *arrow;
        bool counts;
    } ways[] = {{" ──▸ ", true}, {" ▸ ", true}, {" ▸ ", false}};
    struct lab_step steps[STEPS] = {{.name = "forms", .command = "do generate"},
                                    {.name = "experiments", .command = "do generate"},
                                    {.name = "measured", .command = "experiments measure"},
                                    {.name = "mapping", .command = LAB_INFER},
                                    {.name = "adopt", .command = "evolve adopt"}};
    struct stage_view *log = lab_log_shown(s);
    struct grid line;
    unsigned used = 0;

    if (log && log->runs) {
        draw_log(log, g);
        free(log);
        return;
    }
    free(log);
    fill(s, steps);
    for (size_t i = 0; i < sizeof ways / sizeof *ways && (!used || used > g->width); i++) {
        grid_init_part(&line, g, STEPS_MOST, 1);
        used = draw_steps(steps, ways[i].arrow, ways[i].counts, s, &line);
        memcpy(g->cells, line.cells,
               (g->width < STEPS_MOST ? g->width : STEPS_MOST) * sizeof *g->cells);
        grid_done(&line);
    }
}
