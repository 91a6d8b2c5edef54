/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/similar.h"
#include "cmd/command.h"
#include "cmd/task.h"
#include "measure/latency.h"
#include "toolchain/assemble.h"
#include "work/job.h"

static bool prepare(const struct forms *forms, const char *pattern, struct err *err)
{
    VEC(const struct form_row *) rows = {0};
    for (size_t i = 0; i < forms_count(forms); i++)
        if (!pattern || str_match(pattern, forms_at(forms, i)->form))
            vec_push(&rows, forms_at(forms, i));
    bool ok = encodings_learn(rows.items, rows.count, err);
    vec_done(&rows);
    return ok;
}

/* State of the job of latency measure, which measures chains of all matching forms, then prints the
 * results */
struct chains {
    const char *pattern;          /* pattern of the forms to measure; NULL: all forms */
    VEC(char *) names;
    VEC(struct latency) results;
};

static bool measure_form(struct chains *w, const struct form_row *row, struct sandbox *sandbox,
                         const struct calibration *c, bool *can, struct err *err)
{
    struct latency latencies[CHAINS_MAX];
    struct form_code *code = form_code_new(row, NULL);

    *can = code != NULL;
    if (!code)
        return true;
    size_t n = latency_measure(sandbox, c, code, latencies, err);
    for (size_t k = 0; n != SIZE_MAX && k < n; k++) {
        vec_push(&w->names, mem_strdup(row->form));
        vec_push(&w->results, latencies[k]);
    }
    form_code_free(code);
    return n != SIZE_MAX;
}

static bool chains_run(void *state, struct result *result, struct err *err)
{
    struct chains *w = state;
    struct calibration c;

    struct forms *forms = forms_load(isa_host(), NULL, err);
    struct sandbox *sandbox = forms ? sandbox_new(-1, err) : NULL;
    bool ok = sandbox && prepare(forms, w->pattern, err) &&
              calibrate(sandbox, job_cancelled, NULL, &c, err);
    size_t matched = 0;
    if (ok)
        sandbox_cancel_by(sandbox, job_cancelled, NULL);
    for (size_t i = 0; ok && i < forms_count(forms); i++) {
        const struct form_row *row = forms_at(forms, i);
        bool can;
        if (w->pattern && !str_match(w->pattern, row->form))
            continue;
        ok = measure_form(w, row, sandbox, &c, &can, err) &&
             (!job_cancelled(NULL) ||
              err_set(err, ERR_INTERRUPTED, NULL, "measuring was cancelled"));
        matched += can;
        job_progress((double)i, (double)forms_count(forms), "%zu form%s", matched, plural(matched));
    }
    const struct similar similar = {
        .word = w->pattern ? w->pattern : "",
        .best = ok && !matched && w->pattern ? forms_meant(forms, w->pattern) : NULL};
    char todo[SIMILAR_TODO];
    ok = ok &&
         (matched ||
          err_set(
              err, ERR_USAGE,
              similar_todo(
                  &similar,
                  "forms list shows the measurable forms, and why other forms cannot be measured",
                  todo),
              "no measurable form matches the patterns"));
    sandbox_free(sandbox);
    forms_free(forms);
    return ok;
}

static void add_row(struct result_table *t, const char *form, const struct latency *l)
{
    bool known = isfinite(l->cycles);

    cell_text(t, form);
    cell_text(t, l->chain.from_name);
    cell_text(t, "->");
    cell_text(t, l->chain.to_name);
    cell_number(t, l->cycles);
    cell_number(t, l->spread);
    cell_text(t, l->chain.note);
    cell_text(t, l->state);
    cell_text(t, known ? l->chain.note : l->state);
}

static bool chains_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "form", .kind = CELL_TEXT, .width = 40},
        {.key = "from", .kind = CELL_TEXT, .width = 8},
        {.key = "arrow", .kind = CELL_TEXT, .hide = NOT_CSV | NOT_JSON | NOT_DOCUMENT},
        {.key = "to", .kind = CELL_TEXT, .width = 8},
        {.key = "cycles", .kind = CELL_NUMBER, .decimals = 2, .width = 7},
        {.key = "spread", .kind = CELL_NUMBER, .decimals = 4, .hide = NOT_TEXT},
        {.key = "note", .kind = CELL_TEXT, .hide = NOT_TEXT},
        {.key = "state", .kind = CELL_TEXT, .hide = NOT_TEXT},
        {.key = "remark", .kind = CELL_TEXT, .hide = NOT_CSV | NOT_JSON | NOT_DOCUMENT},
    };
    const struct chains *w = state;

    struct result_table *t = RESULT_TABLE(result, "latencies", columns);
    t->headless = true;
    for (size_t i = 0; i < w->results.count; i++)
        add_row(t, w->names.items[i], &w->results.items[i]);
    return true;
}

static void chains_free(void *state)
{
    struct chains *w = state;
    vec_free_texts(&w->names);
    vec_done(&w->results);
    free(w);
}

struct latency_values {
    const char *pattern;
};

static bool prepare_measure(struct session *s, const void *values, struct task *task,
                            struct err *err)
{
    static const struct task_ops ops = {"measures", chains_run, chains_finish, chains_free,
                                        .listed = TASK_LISTED, .measures = true, .counts = true};
    const struct latency_values *v = values;
    struct chains *w = mem_zero(1, sizeof *w);

    w->pattern = v->pattern;
    return task_give(task, &ops, w);
}

const struct command command_latency_measure = {
    .name = "latency measure",
    .help = "measure the latency between each pair of operands, with dependency chains",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "PATTERN", struct latency_values, pattern), .fallback = "all forms",
         .complete = COMPLETE_FORM, .help = "forms to measure; * and ? are wildcards"}),
    .examples = EXAMPLES("latency measure 'IMUL (R64, R64)'", "latency measure VADD*"),
    .values_size = sizeof(struct latency_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .prepare = prepare_measure,
};
