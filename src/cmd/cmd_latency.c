/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "base/csv.h"
#include "measure/latency.h"
#include "work/job.h"

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

/* The job: chains of all forms that match, printed at its end. */
struct chains {
    struct session *session;
    struct job *job;
    char *pattern;                /* NULL: all forms */
    VEC(char *) names;            /* of results */
    VEC(struct latency) results;
};

static bool cancelled(void *state)
{
    return job_cancelled(((struct chains *)state)->job);
}

static bool measure_form(struct chains *w, const struct form_row *row, struct sandbox *sandbox, const struct calibration *c, bool *can, struct err *err)
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

static bool chains_run(struct job *job, void *state, struct err *err)
{
    struct chains *w = state;
    struct calibration c;

    w->job = job;
    struct forms *forms = forms_load_isa(isa_host(), err);
    struct sandbox *sandbox = forms ? sandbox_new(-1, err) : NULL;
    bool ok = sandbox && prepare(forms, w->pattern, err) && calibrate(sandbox, cancelled, w, &c, err);
    size_t matched = 0;
    if (ok)
        sandbox_cancel_by(sandbox, cancelled, w);
    for (size_t i = 0; ok && i < forms_count(forms); i++) {
        const struct form_row *row = forms_at(forms, i);
        bool can;
        if (w->pattern && !str_match(w->pattern, row->form))
            continue;
        ok = measure_form(w, row, sandbox, &c, &can, err) && (!job_cancelled(job) || err_set(err, ERR_INTERRUPTED, NULL, "measuring was ended"));
        matched += can;
        job_progress(job, (double)i, (double)forms_count(forms), "%zu forms", matched);
    }
    sandbox_free(sandbox);
    forms_free(forms);
    return ok && (matched || err_set(err, ERR_USAGE, "forms list shows them and why", "no form that can be measured here matches"));
}

static void chains_finish(void *state, const struct job_info *info)
{
    const struct chains *w = state;
    struct session *s = w->session;

    if (info->state != JOB_DONE)
        return;
    json_t *rows = s->format == FORMAT_JSON ? json_array() : NULL;
    if (s->format == FORMAT_CSV)
        str_add(&s->output, "form,from,to,cycles,spread,note,state\n");
    for (size_t i = 0; i < w->results.count; i++)
        print_latency(s, w->names.items[i], &w->results.items[i], rows);
    if (rows)
        session_json(s, json_pack("{s:o}", "latencies", rows));
}

static void chains_free(void *state)
{
    struct chains *w = state;
    for (size_t i = 0; i < w->names.count; i++)
        free(w->names.items[i]);
    vec_done(&w->names);
    vec_done(&w->results);
    free(w->pattern);
    free(w);
}

bool cmd_latency_measure(struct session *s, int argc, char **argv, struct err *err)
{
    static const struct job_ops ops = {chains_run, chains_finish, chains_free};
    const char *pattern = NULL;
    size_t words;

    if (!options_parse(argc, argv, options_none, &pattern, 1, &words, err))
        return false;
    struct chains *w = mem_zero(1, sizeof *w);
    w->session = s;
    w->pattern = pattern ? mem_strdup(pattern) : NULL;
    return session_job(s, "latency measure", "measures", &ops, w, err);
}
