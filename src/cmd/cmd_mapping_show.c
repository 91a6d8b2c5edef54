/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/port_names.h"
#include "cmd/command.h"

struct mapping_show_values {
    const char *pattern;
};

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "form", .kind = CELL_TEXT, .width = 44},
        {.key = "usage", .kind = CELL_TEXT, .width = 32},
        {.key = "latency", .kind = CELL_NUMBER, .decimals = SHORTEST},
        {.key = "micro_ops", .kind = CELL_COUNT, .hide = NOT_TEXT},
        {.key = "source", .kind = CELL_TEXT, .hide = NOT_TEXT},
    };
    const struct mapping_show_values *v = values;
    const struct machine *m = session_current(s, err);
    struct err none = {0};
    struct str usage = {0};
    struct ports shown;

    if (!m)
        return false;
    ports_shown(m, &shown);
    result_text(result, "machine", m->id);
    struct result_table *t = RESULT_TABLE(result, "forms", columns);
    t->headless = true;
    for (size_t i = 0; i < mapping_count(m->mapping); i++) {
        const struct mapping_entry *entry = mapping_at(m->mapping, i);
        if (v->pattern && !str_match(v->pattern, entry->form))
            continue;
        str_clear(&usage);
        usage_print(&entry->usage, &shown, &usage);
        cell_text(t, entry->form);
        cell_text(t, usage.length ? str_text(&usage) : "none");
        cell_number(t, entry->latency);
        cell_count_if(t, entry->micro_ops, entry->micro_ops);
        cell_text(t, entry->source);
    }
    if (!table_rows(t) && v->pattern) {
        machine_refuse_form(m, v->pattern, "mapping show lists all forms", &none);
        result_line(result, "no form of %s matches \"%s\"; %s", m->id, v->pattern, none.todo);
    } else if (!table_rows(t)) {
        result_line(result, "%s has no forms", m->id);
    }
    str_done(&usage);
    return true;
}

const struct command command_mapping_show = {
    .name = "mapping show",
    .help = "show usage and latency of forms on the current machine",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "PATTERN", struct mapping_show_values, pattern), .fallback = "all forms",
         .complete = COMPLETE_FORM, .help = "forms to show, quoted; * and ? are wildcards"}),
    .examples = EXAMPLES("mapping show", "mapping show 'VFMADD132PD (YMM*'"),
    .values_size = sizeof(struct mapping_show_values),
    .read = run,
};
