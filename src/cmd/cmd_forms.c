/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "analysis/fusion.h"
#include "base/log.h"
#include "cmd/command.h"
#include "toolchain/forms_add.h"
#include "toolchain/scan.h"
#include "work/job.h"

#define MISSING_SHOWN 30
#define PATTERNS_SHOWN 6

/* A zero µop form that needs no entry: what decodes as a nop costs no port. */
static bool knows(const struct machine *m, const struct scan_form *form)
{
    struct insn insn = {.traits = form->traits};
    memcpy(insn.form, form->form, sizeof insn.form);
    return (form->traits & INSN_NOP) || fusion_resolve(m, &insn);
}

/* Not a gap of the table: the CPU has no such instruction. */
static bool cannot_run(const struct machine *m, const struct scan_form *form, const struct forms *forms)
{
    const struct form_row *row = forms_find(forms, form->form);
    return row && machine_lacks(m, row->extension) && !knows(m, form);
}

/* The share of what the CPU can run; *@lacking gets how many instructions it cannot. */
static double coverage(const struct machine *m, const struct scan *scan, const struct forms *forms, uint64_t *lacking)
{
    uint64_t known = 0, all = 0;

    *lacking = 0;
    for (size_t i = 0; i < scan->forms.count; i++) {
        const struct scan_form *form = &scan->forms.items[i];
        bool knew = knows(m, form);
        all += form->count;
        known += knew ? form->count : 0;
        *lacking += !knew && cannot_run(m, form, forms) ? form->count : 0;
    }
    all -= *lacking;
    return all ? (double)known / (double)all : 0;
}

/* Two that stand for the instruction set, then the selected machines of it that are others. */
static size_t machines_of(struct session *s, enum isa isa, struct machine *out[32], struct err *err)
{
    const char *const *always = isa_ops(isa)->common_machines;
    size_t n = 0;
    for (size_t i = 0; i < 2 + s->document.kept[isa].count && n < 32; i++) {
        struct machine *m = session_machine(s, i < 2 ? always[i] : s->document.kept[isa].ids[i - 2], err);
        if (!m)
            return 0;
        bool there = false;
        for (size_t k = 0; k < n; k++)
            there |= out[k] == m;
        if (!there)
            out[n++] = m;
    }
    return n;
}

static void print_scan(struct session *s, const struct scan *scan, const struct forms *forms, struct machine *const *machines, size_t n)
{
    json_t *fractions = json_object(), *missing = json_array();
    size_t shown = 0;

    if (s->settings.format != FORMAT_JSON)
        str_addf(&s->output, "%llu instructions, %zu forms; set aside as %s: %llu; bytes that are no code: %llu\n",
                 (unsigned long long)scan->instructions, scan->forms.count, isa_ops(scan->isa)->set_aside, (unsigned long long)scan->set_aside, (unsigned long long)scan->skipped_bytes);
    for (size_t i = 0; i < n; i++) {
        uint64_t without;
        double fraction = coverage(machines[i], scan, forms, &without);
        json_object_set_new(fractions, machines[i]->id, json_real(fraction));
        if (s->settings.format != FORMAT_JSON)
            str_addf(&s->output, "%-18s %8.4f %% of occurrences have a usage\n", machines[i]->id, 100 * fraction);
        if (s->settings.format != FORMAT_JSON && without)
            str_addf(&s->output, "%-18s %llu more need an instruction set that this CPU lacks\n", "", (unsigned long long)without);
    }
    for (size_t i = 0; i < scan->forms.count; i++) {
        struct str lacking = {0};
        for (size_t k = 0; k < n; k++)
            if (!knows(machines[k], &scan->forms.items[i]) && !cannot_run(machines[k], &scan->forms.items[i], forms))
                str_addf(&lacking, "%s%s", lacking.length ? ", " : "", machines[k]->id);
        if (lacking.length && s->settings.format == FORMAT_JSON)
            json_array_append_new(missing, json_pack("{s:s, s:I, s:s}", "form", scan->forms.items[i].form, "count",
                                                     (json_int_t)scan->forms.items[i].count, "machines", str_text(&lacking)));
        else if (lacking.length && shown++ < MISSING_SHOWN)
            str_addf(&s->output, "missing %10llu  %-40s %s\n", (unsigned long long)scan->forms.items[i].count, scan->forms.items[i].form, str_text(&lacking));
        str_done(&lacking);
    }
    if (s->settings.format == FORMAT_JSON)
        session_json(s, json_pack("{s:I, s:i, s:O, s:O, s:I}", "instructions", (json_int_t)scan->instructions, "forms", (int)scan->forms.count, "coverage",
                                  fractions, "missing", missing, "set_aside", (json_int_t)scan->set_aside));
    else if (shown > MISSING_SHOWN)
        str_addf(&s->output, "and %zu rarer ones\n", shown - MISSING_SHOWN);
    json_decref(fractions);
    json_decref(missing);
}

/* The job: files are read by the worker, the machines are asked by the UI thread at the end. */
struct scan_job {
    struct session *session;
    struct scan scan;
    char **paths;
    size_t count, at;
    struct job *job;
};

static bool scan_progress(void *context, const struct scan *scan, double fraction)
{
    struct scan_job *j = context;
    job_progress(j->job, (double)j->at + fraction, (double)j->count, "%.1f M instructions", (double)scan->instructions / 1e6);
    return !job_cancelled(j->job);
}

static bool scan_run(struct job *job, void *state, struct err *err)
{
    struct scan_job *j = state;

    j->job = job;
    j->scan.progress = scan_progress;
    j->scan.context = j;
    for (j->at = 0; j->at < j->count; j->at++)
        if (!scan_file(&j->scan, j->paths[j->at], err))
            return false;
    scan_sort(&j->scan);
    job_progress(job, (double)j->count, (double)j->count, "%.1f M instructions", (double)j->scan.instructions / 1e6);
    return true;
}

static void scan_finish(void *state, const struct job_info *info)
{
    struct scan_job *j = state;
    struct machine *machines[32];
    struct err err = {0};
    char text[1024];

    if (info->state != JOB_DONE)
        return;
    size_t n = machines_of(j->session, j->scan.isa, machines, &err);
    const struct forms *forms = n ? session_forms(j->session, j->scan.isa, &err) : NULL;
    if (forms)
        print_scan(j->session, &j->scan, forms, machines, n);
    else
        log_add(LOG_ERROR, "%s", err_text(&err, text, sizeof text));
}

static void scan_free(void *state)
{
    struct scan_job *j = state;
    for (size_t i = 0; i < j->count; i++)
        free(j->paths[i]);
    free(j->paths);
    scan_done(&j->scan);
    free(j);
}

bool cmd_forms_scan(struct session *s, int argc, char **argv, struct err *err)
{
    static const struct job_ops ops = {scan_run, scan_finish, scan_free};
    char title[80];

    if (argc < 2)
        return err_set(err, ERR_USAGE, "forms scan /bin/ls", "an ELF file was expected");
    struct scan_job *j = mem_zero(1, sizeof *j);
    j->session = s;
    j->paths = mem_alloc((size_t)argc * sizeof *j->paths);
    for (int i = 1; i < argc; i++)
        j->paths[j->count++] = mem_strdup(argv[i]);
    snprintf(title, sizeof title, "forms scan %s%s", argv[1], argc > 2 ? " ..." : "");
    unsigned number = job_start(title, &ops, j, err);
    if (!number)
        return false;
    if (!s->interactive)
        return session_wait(s, number, err);
    str_addf(&s->output, "job %u scans; its table comes when it ends\n", number);
    return true;
}

bool cmd_forms_add(struct session *s, int argc, char **argv, struct err *err)
{
    struct forms *forms = session_forms(s, s->document.isa, err);
    size_t added;

    if (!forms)
        return false;
    if (job_running())
        return err_set(err, ERR_USAGE, "wait for them, or job cancel N", "jobs that run read the forms");
    if (argc != 2)
        return err_set(err, ERR_USAGE, "forms add FILE.csv with form,template,extension", "one file name was expected");
    if (!forms_add(forms, argv[1], &added, err))
        return false;
    if (s->settings.format == FORMAT_JSON)
        session_json(s, json_pack("{s:i, s:i}", "added", (int)added, "forms", (int)forms_count(forms)));
    else
        str_addf(&s->output, "%zu forms added, %zu in all\n", added, forms_count(forms));
    return true;
}

bool cmd_forms_select(struct session *s, int argc, char **argv, struct err *err)
{
    const struct forms *forms = session_forms(s, s->document.isa, err);
    size_t selected = 0;

    if (!forms)
        return false;
    for (int i = 1; i < argc; i++) {
        bool any = false;
        for (size_t k = 0; k < forms_count(forms) && !any; k++)
            any = str_match(argv[i], forms_at(forms, k)->form);
        if (!any)
            return err_set(err, ERR_USAGE, "forms list shows the names; quote patterns with blanks", "no form matches \"%.100s\"", argv[i]);
    }
    if (argc > 1)
        session_select_forms(s, argv + 1, (size_t)(argc - 1));
    for (size_t k = 0; k < forms_count(forms); k++)
        selected += session_form_selected(s, forms_at(forms, k)->form);
    if (s->settings.format == FORMAT_JSON) {
        json_t *patterns = json_array();
        for (size_t i = 0; i < s->document.form_pattern_count; i++)
            json_array_append_new(patterns, json_string(s->document.form_patterns[i]));
        session_json(s, json_pack("{s:i, s:o}", "selected", (int)selected, "patterns", patterns));
        return true;
    }
    str_addf(&s->output, "%zu of %zu forms are selected", selected, forms_count(forms));
    for (size_t i = 0; i < s->document.form_pattern_count && i < PATTERNS_SHOWN; i++)
        str_addf(&s->output, "%s%s", i ? ", " : " by ", s->document.form_patterns[i]);
    str_add(&s->output, s->document.form_pattern_count > PATTERNS_SHOWN ? " and others\n" : "\n");
    return true;
}
