/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "base/similar.h"
#include "cmd/command.h"

struct mapping_set_values {
    const char *form, *usage;
};

static const struct parameter arguments[] = {
    {.name = "FORM", .kind = PARAMETER_TEXT, .at = offsetof(struct mapping_set_values, form), .required = true, .complete = COMPLETE_FORM, .help = "an instruction form, quoted"},
    {.name = "USAGE", .kind = PARAMETER_TEXT, .at = offsetof(struct mapping_set_values, usage), .required = true,
     .help = "its µops, such as 1*p0156+1*p23; longer port names in brackets: 1*p[ALU0,ALU1]; none for no µops"},
    {0},
};

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct mapping_set_values *v = values;
    struct machine *m = session_current(s, err);
    struct mapping_entry entry = {.form = (char *)v->form, .latency = NAN, .source = "set in the session"};
    struct err none = {0};
    enum isa isa = s->document.isa;
    struct str usage = {0};

    if (!m || !usage_parse(v->usage, mapping_ports(m->mapping), &entry.usage, err))
        return false;
    if (m->isa)
        isa_parse(m->isa, &isa);
    const struct mapping_entry *old = mapping_find(m->mapping, v->form);
    const struct forms *forms = old ? NULL : session_forms(s, isa, &none);
    if (old) {
        entry.latency = old->latency;
        entry.micro_ops = old->micro_ops;
    } else if (forms && !forms_find(forms, v->form)) {   /* a name of the user's own, or a slip */
        const struct similar similar = {.word = v->form, .best = forms_meant(forms, v->form)};
        char todo[SIMILAR_TODO] = "";
        similar_todo(&similar, NULL, todo);
        result_line(result, "%s is not in the form tables; added to %s%s%s", v->form, m->id, *todo ? "; " : "", todo);
    }
    m = session_change_machine(s, m);
    mapping_set(m->mapping, &entry);
    usage_print(&entry.usage, mapping_ports(m->mapping), &usage);
    result_text(result, "mapping", m->id);
    result_text(result, "form", v->form);
    result_text(result, "usage", usage.length ? str_text(&usage) : "none");
    result_set_confirmation(result);
    usage_done(&entry.usage);
    str_done(&usage);
    return true;
}

static const char *const examples[] = {"mapping set 'ADD (R64, R64)' 1*p0156", "mapping set 'VMOVAPD (YMM, M256)' 2*p23", NULL};

const struct command command_mapping_set = {
    .name = "mapping set",
    .help = "change a form's port usage in this session",
    .description = "Latency and µop count stay. Analyses are updated at once; session save and mapping save keep the change.",
    .arguments = arguments,
    .examples = examples,
    .values_size = sizeof(struct mapping_set_values),
    .flags = COMMAND_CHANGES,
    .run = run,
};
