/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/code_listing.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/experiment_detail.h"
#include "cmd/task.h"
#include "work/job.h"

/* State of the job that makes the code. It is freed after the job has ended and the view has freed
 * the listing. */
struct code_maker {
    struct code_listing shown;
    bool dropped;               /* whether the view has freed the listing */
    bool runs;                  /* whether the job has not ended */
    unsigned job;
    enum isa isa;
    struct forms *forms;        /* form table; NULL: the job loads it */
    bool loaded;
    struct experiment e;
    /* row of machine check; if its form is NULL, the listing is for experiment @e */
    struct check_row row;
};

static void release(struct code_maker *w)
{
    if (!w->dropped || w->runs)
        return;
    free(w->shown.name);
    str_done(&w->shown.text);
    forms_free(w->forms);
    experiment_done(&w->e);
    free(w->row.form);
    free(w);
}

static bool make(void *state, struct result *result, struct err *err)
{
    struct code_maker *w = state;

    if (!w->forms)
        w->loaded = (w->forms = forms_load(w->isa, NULL, err)) != NULL;
    if (!w->forms)
        return false;
    if (w->row.form)
        check_code(w->forms, &w->row, &w->shown.text);
    else
        experiment_code(w->forms, &w->e, &w->shown.text, &w->shown.executions, &w->shown.bytes);
    return true;
}

static bool publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct code_maker *w = state;

    w->shown.made = true;
    if (w->loaded && !s->document.forms[w->isa])
        session_set_forms(s, forms_hold(w->forms));
    return true;
}

static void job_done(void *state)
{
    struct code_maker *w = state;

    w->runs = false;
    release(w);
}

static struct code_maker *maker_of(struct code_listing *code)
{
    /* The listing is the first member, so the pointer can be converted. */
    return (struct code_maker *)code;
}

/* Starts to make the code, or without a screen makes it at once. Returns the listing, which is
 * filled later. */
static struct code_listing *start(struct session *s, struct code_maker *w)
{
    static const struct task_ops ops = {NULL, make, publish, .free = job_done};
    struct err none = {0};

    w->forms = s->document.forms[w->isa] ? forms_hold(s->document.forms[w->isa]) : NULL;
    if (s->interactive) {
        w->runs = true;
        w->job = task_start_aside(s, "code", &(struct task){&ops, .state = w}, &none);
    } else if (make(w, NULL, &none)) {
        publish(s, w, NULL, NULL);
    }
    return &w->shown;
}

struct code_listing *code_listing_of_experiment(struct session *s, struct code_listing *code,
                                                const char *name, size_t row)
{
    if (code && strcmp(code->name, name) == 0)
        return code;
    code_listing_free(code);
    struct code_maker *w = mem_zero(1, sizeof *w);
    w->shown.name = mem_strdup(name);
    w->isa = isa_host();
    experiments_get(s->document.experiments, row, &w->e);
    return start(s, w);
}

struct code_listing *code_listing_of_check(struct session *s, struct code_listing *code,
                                           enum isa isa, const struct check_row *row)
{
    struct str name = {0};

    str_addf(&name, "%s ", row->form);
    check_quantity(row, &name);
    if (code && strcmp(code->name, str_text(&name)) == 0) {
        str_done(&name);
        return code;
    }
    code_listing_free(code);
    struct code_maker *w = mem_zero(1, sizeof *w);
    w->shown.name = str_take(&name);
    w->isa = isa;
    w->row = *row;
    w->row.form = mem_strdup(row->form);
    return start(s, w);
}

void code_listing_free(struct code_listing *code)
{
    if (!code)
        return;
    struct code_maker *w = maker_of(code);
    w->dropped = true;
    if (w->runs)
        job_cancel(w->job);
    release(w);
}
