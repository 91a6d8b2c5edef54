/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "cmd/command.h"
#include "io/csv.h"
#include "measure/latency.h"

static void print_latency(struct session *s, const char *form, const struct latency *l, json_t *rows)
{
    if (rows) {
        json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:o, s:o, s:s, s:s}", "form", form, "from", l->chain.from_name, "to", l->chain.to_name, "cycles",
                                              isfinite(l->cycles) ? json_real(l->cycles) : json_null(), "spread", isfinite(l->spread) ? json_real(l->spread) : json_null(),
                                              "note", l->chain.note, "state", l->state));
    } else if (s->format == FORMAT_CSV) {
        csv_add_field(&s->output, form, false);
        str_addf(&s->output, "%s,%s,", l->chain.from_name, l->chain.to_name);
        if (isfinite(l->cycles))
            str_addf(&s->output, "%.4f,%.4g,", l->cycles, l->spread);
        else
            str_add(&s->output, ",,");
        csv_add_field(&s->output, l->chain.note, false);
        csv_add_field(&s->output, l->state, true);
    } else if (isfinite(l->cycles)) {
        str_addf(&s->output, "%-40s %8s -> %-8s %7.2f  %s\n", form, l->chain.from_name, l->chain.to_name, l->cycles, l->chain.note);
    } else {
        str_addf(&s->output, "%-40s %8s -> %-8s       -  %s\n", form, l->chain.from_name, l->chain.to_name, l->state);
    }
}

/* Has the encodings of all that match found out together. */
static bool prepare(const struct forms *forms, const char *pattern, struct err *err)
{
    VEC(const struct form_row *) rows = {0};
    for (size_t i = 0; i < forms_count(forms); i++)
        if (!pattern || str_match(pattern, forms_at(forms, i)->form))
            vec_push(&rows, forms_at(forms, i));
    bool ok = form_codes_prepare(rows.items, rows.count, err);
    vec_done(&rows);
    return ok;
}

bool cmd_latency_measure(struct session *s, int argc, char **argv, struct err *err)
{
    struct forms *forms = forms_load_isa(isa_host(), err);
    struct sandbox *sandbox = forms ? sandbox_new(-1, err) : NULL;
    struct calibration c;
    json_t *rows = s->format == FORMAT_JSON ? json_array() : NULL;
    bool ok = sandbox && prepare(forms, argc > 1 ? argv[1] : NULL, err) && calibrate(sandbox, NULL, NULL, &c, err);
    size_t matched = 0;

    if (ok && s->format == FORMAT_CSV)
        str_add(&s->output, "form,from,to,cycles,spread,note,state\n");
    for (size_t i = 0; ok && i < forms_count(forms); i++) {
        const struct form_row *row = forms_at(forms, i);
        struct latency latencies[CHAINS_MAX];
        if (argc > 1 && !str_match(argv[1], row->form))
            continue;
        struct form_code *code = form_code_new(row, NULL);
        if (!code)
            continue;
        matched++;
        size_t n = latency_measure(sandbox, &c, code, latencies, err);
        ok = n != SIZE_MAX;
        for (size_t k = 0; ok && k < n; k++)
            print_latency(s, row->form, &latencies[k], rows);
        form_code_free(code);
    }
    sandbox_free(sandbox);
    forms_free(forms);
    if (ok && !matched)
        ok = err_set(err, ERR_USAGE, "forms list shows them and why", "no form that can be measured here matches");
    if (ok && rows)
        session_json(s, json_pack("{s:O}", "latencies", rows));
    json_decref(rows);
    return ok;
}
