/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/experiment_detail.h"
#include "table/experiment_columns.h"
#include "throughput/predict.h"

struct experiments_show_values {
    size_t number;
};

/* Returns the cycles that the current machine predicts; NaN if there is no machine, or if the
 * machine lacks a form. Sets *@machine to the machine's id, or to "". */
static double predict(struct session *s, size_t row, const char **machine)
{
    struct err none = {0};
    const struct machine *m = session_current(s, &none);
    struct experiments *alone = experiments_new();
    double cycles = NAN;
    struct experiment e;

    *machine = m ? m->id : "";
    experiments_get(s->document.experiments, row, &e);
    experiments_add_named(alone, &e);
    if (m)
        machine_predict(m, alone, &cycles);
    experiment_done(&e);
    experiments_free(alone);
    return cycles;
}

static void add_measured(const struct experiment_detail *w, struct result *result)
{
    struct str line = {0};

    result_line(result, "experiment %zu: %s", w->row + 1, str_text(&w->text));
    if (w->e->cycles > 0) {
        str_addf(&line, "measured: %.4f cycles", w->e->cycles);
        if (!isnan(w->e->spread))
            str_addf(&line, ", spread %.3f %%", 100 * w->e->spread);
        if (w->e->repeats)
            str_addf(&line, ", %u sample%s", w->e->repeats, plural(w->e->repeats));
        str_addf(&line, "%s%s", w->lengths.length ? "; body lengths: " : "", str_text(&w->lengths));
    } else {
        str_addf(&line, "not measured%s%s", *w->e->state ? ": " : "", w->e->state);
    }
    result_line(result, "%s", str_text(&line));
    str_done(&line);
    result_count(result, "number", (int64_t)w->row + 1);
    result_text(result, "experiment", str_text(&w->text));
    result_number(result, "cycles", w->e->cycles);
    result_number(result, "spread", w->e->spread);
    result_count(result, "repeats", w->e->repeats);
    result_text(result, "state", w->e->state);
    result_text(result, EXPERIMENT_LENGTHS, str_text(&w->lengths));
    result_number(result, "clock_hz", w->kept ? w->samples.clock_hz : NAN);
}

/* Adds the samples: text has one line per pass, other formats one row per sample. */
static void add_samples(const struct experiment_detail *w, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "pass", .kind = CELL_COUNT},
        {.key = "instructions", .kind = CELL_COUNT},
        {.key = "cycles", .kind = CELL_NUMBER, .decimals = 4},
    };
    struct result_table *t = RESULT_TABLE(result, "samples", columns);
    struct str text = {0};

    t->hide = NOT_TEXT;
    for (size_t i = 0; i < w->samples.count; i++) {
        const struct record_sample *v = &w->samples.values[i];
        if (!i || v->pass != v[-1].pass)
            str_addf(&text, "%spass %u, about %u instruction%s:", i ? "\n" : "", v->pass,
                     v->instructions, plural(v->instructions));
        str_addf(&text, " %.4f", (double)v->cycles);
        cell_count(t, v->pass);
        cell_count(t, v->instructions);
        cell_number(t, (double)v->cycles);
    }
    str_add(&text, w->samples.count ? "\n" : "");
    result_block(result, str_text(&text));
    str_done(&text);
}

static void add_code(const struct experiment_detail *w, struct result *result)
{
    json_t *code = json_array();

    if (w->code.length)
        result_line(result, "%s, %u execution%s in %zu byte%s:",
                    w->ran ? "code as run" : "code as measured on this CPU", w->executions,
                    plural(w->executions), w->bytes, plural(w->bytes));
    for (const char *line = str_text(&w->code); *line;) {
        size_t span = strcspn(line, "\n");
        json_array_append_new(code, json_stringn(line, span));
        result_line(result, "%.*s", (int)span, line);
        line += span + (line[span] == '\n');
    }
    result_switch(result, "code_was_run", w->ran);
    result_count(result, "executions", w->executions);
    result_nested(result, "code", code);
}

/* Adds the code that this CPU would run, because the session did not measure the experiment. Does
 * nothing without the forms of this CPU. */
static void encode(struct session *s, struct experiment_detail *w)
{
    struct forms *forms = session_forms(s, isa_host(), NULL);
    struct experiment e;

    if (!forms)
        return;
    experiments_get(s->document.experiments, w->row, &e);
    experiment_code(forms, &e, &w->code, &w->executions, &w->bytes);
    experiment_done(&e);
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct experiments_show_values *v = values;
    struct experiment_detail w;
    const char *machine;

    if (!s->document.experiments || !s->document.experiments->rows.count)
        return err_set(err, ERR_USAGE, "run experiments generate or experiments load first",
                       "no experiments");
    if (v->number > s->document.experiments->rows.count)
        return err_set(err, ERR_USAGE, "experiments list shows the numbers",
                       "no experiment %zu; numbers are 1 to %zu", v->number,
                       s->document.experiments->rows.count);
    experiments_publish(s);
    experiment_detail_collect(s, v->number - 1, 0, &w);
    if (!w.ran)
        encode(s, &w);
    add_measured(&w, result);
    double predicted = predict(s, w.row, &machine);
    result_number(result, "predicted", predicted);
    if (predicted > 0)
        result_line(result, "predicted: %.4f cycles on %s", predicted, machine);
    if (w.kept)
        result_line(result, "clock: %.4f GHz", w.samples.clock_hz / 1e9);
    else
        result_line(
            result,
            "no samples kept: only the last %d experiments measured in this session have samples",
            RECORD_ROWS);
    add_samples(&w, result);
    add_code(&w, result);
    experiment_detail_done(&w);
    return true;
}

const struct command command_experiments_show = {
    .name = "experiments show",
    .help = "show one experiment: code, samples, clock and spread",
    .arguments = PARAMETERS(
        {PARAMETER(COUNT, "N", struct experiments_show_values, number), .required = true,
         .least = 1, .most = 1e9, .help = "experiment number, see experiments list"}),
    .examples = EXAMPLES("experiments show 1", "experiments show 20"),
    .values_size = sizeof(struct experiments_show_values),
    .flags = COMMAND_FORMS,
    .run = run,
};
