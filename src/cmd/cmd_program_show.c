/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/program.h"
#include "cmd/task.h"
#include "program/study.h"
#include "work/job.h"

/* maximum seconds for which the screen waits for a cancelled job to end */
#define PUT_OFF_SECONDS 0.5

struct show_values {
    struct word_list inputs;
    const char *machine;
};

struct showing {
    struct program_case at;
    /* number of a job that was started automatically; 0: the user started it */
    unsigned quiet;
    struct study *study;
};

static bool goes_on(void *state, double share)
{
    job_progress(share, 1, "predicting");
    return !job_cancelled(NULL);
}

static bool show_run(void *state, struct result *result, struct err *err)
{
    struct showing *w = state;

    w->study = study_new(w->at.model, w->at.inputs, w->at.machine, w->at.here, goes_on, w, err);
    return w->study != NULL;
}

static void add_tables(struct result *result, const struct study *s)
{
    static const struct result_column columns[] = {
        {.key = "block", .kind = CELL_TEXT},
        {.key = "line", .kind = CELL_COUNT},
        {.key = "count", .kind = CELL_NUMBER, .decimals = 0},
        {.key = "formula", .kind = CELL_TEXT},
        {.key = "left_out_error", .title = "left-out error", .unit = "%", .kind = CELL_NUMBER,
         .decimals = 2},
        {.key = "cycles", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "share", .unit = "%", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "limit", .title = "bound by", .kind = CELL_TEXT}};
    static const struct result_column points[] = {
        {.key = "input", .kind = CELL_NUMBER, .decimals = SHORTEST},
        {.key = "seconds", .unit = "s", .kind = CELL_NUMBER, .decimals = 6}};
    struct result_table *t = RESULT_TABLE(result, "blocks", columns);

    for (size_t i = 0; i < s->blocks.count; i++) {
        const struct study_block *b = &s->blocks.items[i];
        cell_text(t, b->name);
        cell_count_if(t, b->line, b->line);
        cell_number(t, b->count);
        cell_text(t, b->formula);
        cell_number(t, 100 * b->error);
        cell_number(t, b->cycles);
        cell_number(t, 100 * b->share);
        cell_heat(t, b->share);
        cell_text(t, b->limit);
    }
    if (!s->axis_name)
        return;
    result_line(result, "\nover %s", s->axis_name);
    t = RESULT_TABLE(result, "scaling", points);
    for (size_t i = 0; i < s->point_count; i++) {
        cell_number(t, s->x[i]);
        cell_number(t, s->time[i]);
    }
}

static void shown_no_more(struct session *s, const struct showing *w)
{
    struct program_state *p = &s->document.program;

    if (w->quiet && w->quiet == p->showing)
        p->showing = 0;
}

static void show_failed(struct session *s, void *state, struct result *result,
                        const struct err *err)
{
    shown_no_more(s, state);
}

static bool show_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct showing *w = state;
    struct program_state *p = &s->document.program;

    shown_no_more(s, w);
    if (p->model != w->at.model)
        return true;   /* Drops the study, because another program was run in the meantime. */
    if (w->quiet && p->study)
        /* Drops the study, because the user requested another study in the meantime. */
        return true;
    if (!w->quiet) {
        result_line(result, "%s at %s on %s: %.6g s predicted", w->study->program, w->study->inputs,
                    w->study->machine, w->study->seconds);
        program_say_memory(result, w->study->memory_day);
        program_say_faults(result, w->study->faults, w->study->fault_share);
        result_number(result, "seconds", w->study->seconds);
        result_text(result, "machine", w->study->machine);
        if (!s->interactive)
            add_tables(result, w->study);
    }
    study_free(p->study);
    p->study = w->study;
    w->study = NULL;
    s->revision++;
    if (!w->quiet && s->interactive && s->views)
        session_view(s, "view", "program", result, NULL);
    return true;
}

static void showing_free(void *state)
{
    struct showing *w = state;
    study_free(w->study);
    program_case_done(&w->at);
    free(w);
}

static const struct task_ops ops = {"predicts", show_run, show_finish, showing_free,
                                    .failed = show_failed, .listed = TASK_LISTED};

static struct showing *showing_new(struct session *s, const struct word_list *inputs,
                                   const char *machine, struct err *err)
{
    struct showing *w = mem_zero(1, sizeof *w);

    if (program_case_read(s, inputs, machine, &w->at, err))
        return w;
    showing_free(w);
    return NULL;
}

void program_show_quietly(struct session *s)
{
    static const struct word_list none;
    struct err ignored;
    struct showing *w = showing_new(s, &none, NULL, &ignored);

    if (!w)
        return;
    job_cancel(s->document.program.showing);   /* Cancels a study of earlier runs. */
    unsigned number = task_start_aside(
        s, "program show", &(struct task){&ops, w, .measures = w->at.here}, &ignored);
    if (number)
        s->document.program.showing = w->quiet = number;
}

void program_show_put_off(struct session *s)
{
    unsigned number = s->document.program.showing;

    if (number && job_cancel(number))
        job_wait_for(number, fmin(s->patience, PUT_OFF_SECONDS));
}

void program_show_resume(struct session *s)
{
    const struct program_state *p = &s->document.program;

    if (s->interactive && p->model && !p->study && !p->showing)
        program_show_quietly(s);
}

void program_show_failed(struct session *s, void *state, struct result *result,
                         const struct err *err)
{
    program_show_resume(s);
}

static bool prepare_show(struct session *s, const void *values, struct task *task, struct err *err)
{
    const struct show_values *v = values;
    struct showing *w = showing_new(s, &v->inputs, v->machine, err);

    task->measures = w && w->at.here;
    return w && task_give(task, &ops, w);
}

const struct command command_program_show = {
    .name = "program show",
    .help = "predict the program block by block, and show it in the place PROGRAM",
    .description =
        "Shows blocks with the formula of their count, cycles and share of the time; edges between "
        "blocks, reuse distances, misses by cache size, the time over the most varied input, and "
        "sensitivities. The cycles of a part are divided among its blocks by their instructions.",
    .arguments = PARAMETERS(PROGRAM_INPUTS_ARGUMENT(show_values)),
    .options = PARAMETERS(
        MACHINE_OPTION(show_values, "the current machine", "machine to predict for")),
    .examples = EXAMPLES("program show", "program show N=2000 --machine skylake"),
    .values_size = sizeof(struct show_values),
    .flags = COMMAND_JOB,
    .prepare = prepare_show,
};
