/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "analysis/port_names.h"
#include "base/mem.h"
#include "base/similar.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/task.h"

#define LARGE 20000   /* number of forms above which copying a machine would block the screen */

struct mapping_set_values {
    const char *form, *usage;
    bool added;
};

struct usage_setting {
    struct machine *from, *copy;
    const char *form, *usage;
};

/* Fills @out with @form and the parsed @usage, which the caller frees with usage_done. Returns
 * false with err for an invalid usage. */
static bool entry_of(const struct machine *m, const char *form, const char *usage,
                     struct mapping_entry *out, struct err *err)
{
    *out = (struct mapping_entry){
        .form = (char *)form, .latency = NAN, .source = "set in the session"};
    return ports_shown_parse(m, usage, &out->usage, err);
}

/* Returns a form whose mnemonic is or resembles @word: of the machine, otherwise of the tables.
 * Returns NULL if there is none or @word has operands. */
static const char *of_mnemonic(const struct machine *m, const struct forms *forms, const char *word)
{
    const size_t own = mapping_count(m->mapping), all = own + (forms ? forms_count(forms) : 0);
    struct similar near = {.word = word};
    const char *best = NULL;
    char mnemonic[FORM_MAX];

    for (size_t i = 0; !strchr(word, '(') && i < all; i++) {
        const char *form =
            i < own ? mapping_at(m->mapping, i)->form : forms_at(forms, i - own)->form;
        snprintf(mnemonic, sizeof mnemonic, "%.*s", (int)strcspn(form, " "), form);
        if (strcasecmp(mnemonic, word) == 0)
            return form;
        best = similar_try(&near, mnemonic) ? form : best;
    }
    return best;
}

/* Returns whether the machine or its instruction set's tables have @form. Otherwise sets err, which
 * names the most similar form. */
static bool is_form(struct session *s, const struct machine *m, const char *form, struct err *err)
{
    struct err none = {0};
    enum isa isa = s->document.isa;

    if (mapping_find(m->mapping, form))
        return true;
    if (m->isa)
        isa_parse(m->isa, &isa);
    const struct forms *forms = session_forms(s, isa, &none);
    if (forms && forms_find(forms, form))
        return true;
    struct similar near = {.word = form, .best = of_mnemonic(m, forms, form)};
    near.best = !near.best && forms ? forms_meant(forms, form) : near.best;
    char todo[SIMILAR_TODO] = "";
    /* Also compares with the mapping's forms, because the tables may lack some of these forms. */
    for (size_t i = 0; !near.best && i < mapping_count(m->mapping); i++)
        similar_try(&near, mapping_at(m->mapping, i)->form);
    similar_todo(&near, "mapping set --new adds a form", todo);
    return err_set(err, ERR_USAGE, todo, "no form \"%s\" in %s or in the form tables", form, m->id);
}

/* Sets one usage. @copy is a prepared copy of @m, or NULL. On failure, the caller still owns @copy.
 * Returns false with err. */
static bool apply(struct session *s, struct machine *m, struct machine *copy, const char *form,
                  const char *text, struct result *result, struct err *err)
{
    struct mapping_entry entry;
    struct str usage = {0}, what = {0};
    struct ports shown;

    if (!entry_of(m, form, text, &entry, err))
        return false;
    const struct mapping_entry *old = mapping_find(m->mapping, form);
    if (old) {
        entry.latency = old->latency;
        entry.micro_ops = old->micro_ops;
    }
    str_addf(&what, "mapping set %s on %s", form, m->id);
    m = copy ? session_take_changed(s, m, copy, str_text(&what))
             : session_change_machine(s, m, str_text(&what));
    str_done(&what);
    mapping_set(m->mapping, &entry);
    ports_shown(m, &shown);
    usage_print(&entry.usage, &shown, &usage);
    result_text(result, "mapping", m->id);
    result_text(result, "form", form);
    result_text(result, "usage", usage.length ? str_text(&usage) : "none");
    result_note(result, "%s on %s: %s; the command undo restores the old usage", form, m->id,
                usage.length ? str_text(&usage) : "no port");
    usage_done(&entry.usage);
    str_done(&usage);
    return true;
}

static bool setting_work(void *state, struct result *result, struct err *err)
{
    struct usage_setting *u = state;

    u->copy = machine_copy(u->from);
    return watch_goes_on(err);
}

static bool setting_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct usage_setting *u = state;
    struct machine *now = session_machine(s, u->from->id, err);

    if (!now || !apply(s, now, now == u->from ? u->copy : NULL, u->form, u->usage, result, err))
        return false;
    if (now == u->from)
        u->copy = NULL;
    return true;
}

static void setting_free(void *state)
{
    struct usage_setting *u = state;

    machine_free(u->from);
    machine_free(u->copy);
    free(u);
}

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"changes", setting_work, setting_publish, setting_free,
                                        .listed = TASK_LISTED_IF_LONG};
    const struct mapping_set_values *v = values;
    struct machine *m = session_current(s, err);
    struct mapping_entry entry;

    if (!m || (!v->added && !is_form(s, m, v->form, err)))
        return false;
    if (mapping_count(m->mapping) <= LARGE)
        return apply(s, m, NULL, v->form, v->usage, s->result, err);
    if (!entry_of(m, v->form, v->usage, &entry, err))
        return false;
    usage_done(&entry.usage);
    struct usage_setting *u = mem_zero(1, sizeof *u);
    *u = (struct usage_setting){machine_hold(m), NULL, v->form, v->usage};
    return task_give(task, &ops, u);
}

const struct command command_mapping_set = {
    .name = "mapping set",
    .help = "change a form's port usage in this session",
    .description = "Latency and µop count are not changed. Analyses are updated at once. session "
                   "save and mapping save store the change.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "FORM", struct mapping_set_values, form), .required = true,
         .complete = COMPLETE_FORM, .help = "instruction form, quoted"},
        {PARAMETER(TEXT, "USAGE", struct mapping_set_values, usage), .required = true,
         .help = "the form's µops, such as 1*p0156+1*p23, or none; long port names are in "
                 "brackets: 1*p[ALU0,ALU1]"}),
    .options = PARAMETERS(
        {PARAMETER(FLAG, "--new", struct mapping_set_values, added),
         .help = "add a form that is neither in the machine nor in the form tables"}),
    .examples = EXAMPLES("mapping set 'ADD (R64, R64)' 1*p0156",
                         "mapping set 'VMOVAPD (YMM, M256)' 2*p23"),
    .values_size = sizeof(struct mapping_set_values),
    .flags = COMMAND_CHANGES,
    .prepare = prepare,
};
