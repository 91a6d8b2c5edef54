/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One experiment with everything that is known of how its value came about. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/experiment_detail.h"
#include "table/experiment_columns.h"
#include "throughput/throughput.h"

/* What the current machine says of it; NaN when it knows not all of its forms. */
static double predict(struct session *s, size_t row, const char **machine)
{
    struct err none = {0};
    struct machine *m = session_current(s, &none);
    struct experiment e;
    struct str unknown = {0};

    *machine = m ? m->id : "";
    if (!m)
        return NAN;
    experiments_get(s->document.experiments, row, &e);
    double cycles = throughput_of(m->mapping, &e, &unknown);
    double predicted = unknown.length ? NAN : cycles;
    experiment_done(&e);
    str_done(&unknown);
    return predicted;
}

static void print_text(struct session *s, const struct experiment_detail *w)
{
    struct str *out = &s->output;
    const char *machine;

    str_addf(out, "experiment %zu: %s\n", w->row + 1, str_text(&w->text));
    if (w->e->cycles > 0) {
        str_addf(out, "measured: %.4f cycles", w->e->cycles);
        if (!isnan(w->e->spread))
            str_addf(out, ", spread %.3f %%", 100 * w->e->spread);
        if (w->e->repeats)
            str_addf(out, ", %u samples", w->e->repeats);
        str_addf(out, "%s%s\n", w->lengths.length ? "; body lengths: " : "", str_text(&w->lengths));
    } else {
        str_addf(out, "not measured%s%s\n", *w->e->state ? ": " : "", w->e->state);
    }
    double predicted = predict(s, w->row, &machine);
    if (predicted > 0)
        str_addf(out, "predicted: %.4f cycles by %s\n", predicted, machine);
    if (w->kept)
        str_addf(out, "clock: %.4f GHz\n", w->samples.clock_hz / 1e9);
    else
        str_addf(out, "no samples: they are kept of the last %d experiments measured in this session\n", RECORD_ROWS);
    for (size_t i = 0; i < w->samples.count; i++) {
        const struct record_sample *v = &w->samples.values[i];
        if (!i || v->pass != v[-1].pass)
            str_addf(out, "%spass %u, about %u instructions:", i ? "\n" : "", v->pass, v->instructions);
        str_addf(out, " %.4f", (double)v->cycles);
    }
    str_add(out, w->samples.count ? "\n" : "");
    if (w->code.length)
        str_addf(out, "%s, %u executions in %zu bytes:\n%s", w->ran ? "code that was run" : "code as it would be run here", w->executions, w->bytes, str_text(&w->code));
}

static json_t *number_or_null(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static void print_json(struct session *s, struct experiment_detail *w)
{
    json_t *code = json_array(), *samples = json_array();
    const char *machine;

    for (char *line = w->code.data; line && *line;) {
        size_t span = strcspn(line, "\n");
        json_array_append_new(code, json_stringn(line, span));
        line += span + (line[span] == '\n');
    }
    for (size_t i = 0; i < w->samples.count; i++) {
        const struct record_sample *v = &w->samples.values[i];
        json_array_append_new(samples, json_pack("{s:i, s:i, s:f}", "pass", v->pass, "instructions", v->instructions, "cycles", (double)v->cycles));
    }
    session_json(s, json_pack("{s:I, s:s, s:o, s:o, s:i, s:s, s:s, s:o, s:o, s:o, s:b, s:i, s:o}", "number", (json_int_t)w->row + 1, "experiment", str_text(&w->text), "cycles",
                              number_or_null(w->e->cycles), "spread", number_or_null(w->e->spread), "repeats", (int)w->e->repeats, "state", w->e->state,
                              EXPERIMENT_LENGTHS, str_text(&w->lengths), "clock_hz", number_or_null(w->kept ? w->samples.clock_hz : NAN), "predicted",
                              number_or_null(predict(s, w->row, &machine)), "samples", samples, "code_was_run", w->ran, "executions", (int)w->executions, "code", code));
}

static void print_csv(struct session *s, const struct experiment_detail *w)
{
    str_add(&s->output, "pass,instructions,cycles\n");
    for (size_t i = 0; i < w->samples.count; i++)
        str_addf(&s->output, "%u,%u,%.9g\n", w->samples.values[i].pass, w->samples.values[i].instructions, (double)w->samples.values[i].cycles);
}

bool cmd_experiments_show(struct session *s, int argc, char **argv, struct err *err)
{
    struct experiment_detail w;
    char *end = NULL;
    unsigned long number = argc == 2 ? strtoul(argv[1], &end, 10) : 0;

    if (!s->document.experiments || !s->document.experiments->rows.count)
        return err_set(err, ERR_USAGE, "experiments generate or experiments load first", "there are no experiments");
    if (!end || *end || end == argv[1] || number < 1 || number > s->document.experiments->rows.count)
        return err_set(err, ERR_USAGE, "experiments list shows the numbers", "a number from 1 to %zu was expected", s->document.experiments->rows.count);
    experiments_publish(s);
    experiment_detail_collect(s, number - 1, 0, &w);
    if (s->settings.format == FORMAT_JSON)
        print_json(s, &w);
    else if (s->settings.format == FORMAT_CSV)
        print_csv(s, &w);
    else
        print_text(s, &w);
    experiment_detail_done(&w);
    return true;
}
