/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/mem.h"
#include "base/similar.h"
#include "base/watch.h"
#include "cmd/check.h"
#include "cmd/command.h"
#include "cmd/task.h"
#include "isa/body.h"
#include "toolchain/assemble.h"

#define PATTERNS_SHOWN 6

/* Reports that no form matches @pattern, and suggests a similar name. Returns false. */
static bool refuse_pattern(const struct forms *forms, const char *pattern, struct err *err)
{
    const struct similar similar = {.word = pattern, .best = forms_meant(forms, pattern)};
    char todo[SIMILAR_TODO];

    return err_set(
        err, ERR_USAGE,
        similar_todo(&similar, "forms list shows the names; quote patterns with spaces", todo),
        "no form matches \"%.100s\"", pattern);
}

struct forms_list_values {
    const char *pattern, *isa;
};

static bool run_list(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "form", .kind = CELL_TEXT, .width = 44},
        {.key = "extension", .kind = CELL_TEXT, .width = 12},
        {.key = "template", .kind = CELL_TEXT, .width = 44},
        {.key = "measurable", .kind = CELL_SWITCH, .hide = NOT_TEXT},
        {.key = "reason", .kind = CELL_TEXT, .hide = NOT_TEXT},
        {.key = "remark", .kind = CELL_TEXT, .width = RAGGED, .hide = ONLY_TEXT},
    };
    const struct forms_list_values *v = values;
    enum isa isa = s->document.isa;

    if (v->isa)
        isa_parse(v->isa, &isa);
    const struct forms *forms = session_forms(s, isa, err);
    if (!forms)
        return false;
    struct result_table *t = RESULT_TABLE(result, "forms", columns);
    t->headless = true;
    for (size_t i = 0; i < forms_count(forms); i++) {
        const struct form_row *row = forms_at(forms, i);
        char buffer[256], remark[300] = "";
        if (v->pattern && !str_match(v->pattern, row->form))
            continue;
        const char *reason = form_measurable(row, buffer, sizeof buffer);
        if (reason)
            snprintf(remark, sizeof remark, "not measured: %s", reason);
        cell_text(t, row->form);
        cell_text(t, row->extension);
        cell_text(t, row->template);
        cell_switch(t, !reason);
        cell_text(t, reason ? reason : "");
        cell_text(t, remark);
    }
    return table_rows(t) || refuse_pattern(forms, v->pattern ? v->pattern : "*", err);
}

const struct command command_forms_list = {
    .name = "forms list",
    .help = "list instruction forms, their templates, and why some forms cannot be measured here",
    .arguments = PARAMETERS({PARAMETER(TEXT, "PATTERN", struct forms_list_values, pattern),
                             .fallback = "all forms", .complete = COMPLETE_FORM,
                             .help = "forms to show, quoted; * and ? are wildcards"}),
    .options = PARAMETERS({PARAMETER(CHOICE, "--isa", struct forms_list_values, isa),
                           .choices = ISA_CHOICES, .fallback = "the current machine's",
                           .help = "instruction set"}),
    .examples = EXAMPLES("forms list 'IMUL*'", "forms list 'FADD*' --isa aarch64"),
    .values_size = sizeof(struct forms_list_values),
    .read = run_list,
};

struct add_values {
    const char *file;
};

struct adding {
    const char *file;
    enum isa isa;
    /* @base: table to extend (counted reference); NULL: the shipped tables, which are not loaded
     * yet */
    struct forms *base, *made;
    size_t added;
};

static void adding_free(void *state)
{
    struct adding *a = state;
    forms_free(a->base);
    forms_free(a->made);
    free(a);
}

static bool add_work(void *state, struct result *result, struct err *err)
{
    struct adding *a = state;
    struct forms *base = a->base ? forms_hold(a->base) : forms_load(a->isa, NULL, err);

    a->made = base ? forms_add(base, a->file, &a->added, err) : NULL;
    forms_free(base);
    if (!a->made)
        return false;
    result_confirm(result, "%zu form%s added, %zu in all", a->added, plural(a->added),
                   forms_count(a->made));
    result_count(result, "added", (int64_t)a->added);
    result_count(result, "forms", (int64_t)forms_count(a->made));
    return true;
}

static bool add_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct adding *a = state;
    struct forms *now = s->document.forms[a->isa];
    size_t added = 0;

    if (now != a->base && (a->base || (forms_added(now, &added), added)))
        return err_set(err, ERR_USAGE, "run the command again",
                       "another command changed the forms meanwhile");
    session_set_forms(s, a->made);
    a->made = NULL;
    return true;
}

static bool prepare_add(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"assembles", add_work, add_publish, .free = adding_free};
    const struct add_values *v = values;
    struct adding *a = mem_zero(1, sizeof *a);

    a->file = v->file;
    a->isa = s->document.isa;
    a->base = s->document.forms[a->isa] ? forms_hold(s->document.forms[a->isa]) : NULL;
    return task_give(task, &ops, a);
}

const struct command command_forms_add = {
    .name = "forms add",
    .help = "add your own instruction forms from a CSV file",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "FILE.csv", struct add_values, file), .required = true,
         .complete = COMPLETE_FILE,
         .help = "CSV with the columns form, template and extension; each template must assemble "
                 "to its form"}),
    .examples = EXAMPLES("forms add mine.csv", "forms add avx10.csv"),
    .values_size = sizeof(struct add_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .prepare = prepare_add,
};

struct select_values {
    struct word_list patterns;
    size_t top;
};

struct selecting {
    struct forms *forms;       /* counted reference */
    char **patterns;           /* patterns of the command, or names of the most frequent forms, or
                                * the previous selection */
    size_t count, top;         /* @top: number of most frequent forms to select, or NOT_GIVEN */
    bool given;                /* whether @patterns become the selection */
};

static void patterns_drop(struct selecting *w)
{
    mem_free_texts(w->patterns, w->count);
    w->patterns = NULL;
    w->count = 0;
}

static void patterns_take(struct selecting *w, char *const *patterns, size_t count)
{
    w->patterns = mem_alloc((count + 1) * sizeof *w->patterns);
    for (w->count = 0; w->count < count; w->count++)
        w->patterns[w->count] = mem_strdup(patterns[w->count]);
}

static void selecting_free(void *state)
{
    struct selecting *w = state;
    forms_free(w->forms);
    patterns_drop(w);
    free(w);
}

/* Selects the most frequent measurable forms by name. No name has a wildcard. Returns false with
 * err on failure. */
static bool select_top(struct selecting *w, struct err *err)
{
    size_t count;
    struct form_uses *uses = form_uses_measurable(w->forms, false, w->top, &count, err);

    if (!uses)
        return false;
    char **names = mem_alloc((count + 1) * sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = uses[i].form;
    patterns_drop(w);
    patterns_take(w, names, count);
    free(names);
    form_uses_free(uses, count);
    return true;
}

static bool patterns_check(const struct selecting *w, struct err *err)
{
    for (size_t i = 0; i < w->count; i++) {
        bool any = false;
        for (size_t k = 0; k < forms_count(w->forms) && !any; k++)
            any = str_match(w->patterns[i], forms_at(w->forms, k)->form);
        if (!any)
            return refuse_pattern(w->forms, w->patterns[i], err);
    }
    return true;
}

static bool select_work(void *state, struct result *result, struct err *err)
{
    struct selecting *w = state;
    struct str line = {0};
    size_t selected = 0;

    if (w->top != NOT_GIVEN ? !select_top(w, err) : w->given && !patterns_check(w, err))
        return false;
    for (size_t k = 0; k < forms_count(w->forms) && !watch_steps(1); k++)
        selected += form_patterns_match(w->patterns, w->count, forms_at(w->forms, k)->form);
    str_addf(&line, "%zu form%s selected (of %zu)", selected, plural(selected),
             forms_count(w->forms));
    json_t *patterns = json_array();
    for (size_t i = 0; i < w->count; i++) {
        if (i < PATTERNS_SHOWN)
            str_addf(&line, "%s%s", i ? ", " : ": ", w->patterns[i]);
        json_array_append_new(patterns, json_text(w->patterns[i]));
    }
    result_line(result, "%s%s", str_text(&line), w->count > PATTERNS_SHOWN ? " and more" : "");
    result_count(result, "selected", (int64_t)selected);
    result_nested(result, "patterns", patterns);
    str_done(&line);
    return watch_goes_on(err);
}

static bool select_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct selecting *w = state;

    if (w->given)
        session_select_forms(s, w->patterns, w->count);
    return true;
}

static bool prepare_select(struct session *s, const void *values, struct task *task,
                           struct err *err)
{
    static const struct task_ops ops = {"selects forms", select_work, select_publish,
                                        selecting_free, .listed = TASK_LISTED_IF_LONG};
    const struct select_values *v = values;
    const struct document *d = &s->document;
    const struct forms *forms = session_forms(s, d->isa, err);

    if (!forms)
        return false;
    if (v->top != NOT_GIVEN && v->patterns.count)
        return err_set(err, ERR_USAGE, "use either --top N or patterns",
                       "--top and patterns cannot be combined");
    struct selecting *w = mem_zero(1, sizeof *w);
    w->forms = forms_hold(forms);
    w->top = v->top;
    w->given = v->patterns.count || v->top != NOT_GIVEN;
    if (w->given)
        patterns_take(w, (char *const *)v->patterns.items, v->patterns.count);
    else
        patterns_take(w, d->form_patterns, d->form_pattern_count);
    return task_give(task, &ops, w);
}

const struct command command_forms_select = {
    .name = "forms select",
    .help = "select the forms for experiments generate, or show the selection",
    .arguments = PARAMETERS(
        {PARAMETER(WORDS, "PATTERN", struct select_values, patterns),
         .fallback = "show the selection", .complete = COMPLETE_FORM,
         .help = "forms to select, each pattern quoted; '*' selects all forms"}),
    .options = PARAMETERS(
        {PARAMETER(COUNT, "--top", struct select_values, top), .value = "N", .least = 1,
         .most = 100000, .fallback = "the forms that match PATTERN",
         .help = "without PATTERN: the N most frequent forms that can be measured here"}),
    .examples = EXAMPLES("forms select 'ADD (R64, *' 'IMUL (R64, R64)'", "forms select --top 60",
                         "forms select"),
    .values_size = sizeof(struct select_values),
    .flags = COMMAND_CHANGES | COMMAND_FORMS,
    .prepare = prepare_select,
};
