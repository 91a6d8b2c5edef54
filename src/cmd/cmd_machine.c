/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "base/csv.h"
#include "isa/regalloc.h"
#include "io/machine_file.h"
#include "io/machine_save.h"
#include "throughput/schedule.h"

bool cmd_machine_list(struct session *s, int argc, char **argv, struct err *err)
{
    char **ids = machine_ids();
    json_t *rows = s->format == FORMAT_JSON ? json_array() : NULL;

    (void)argc;
    (void)argv;
    (void)err;
    if (s->format == FORMAT_CSV)
        str_add(&s->output, "machine\n");
    for (char **id = ids; *id; id++) {
        if (rows)
            json_array_append_new(rows, json_string(*id));
        else
            str_addf(&s->output, "%s\n", *id);
        free(*id);
    }
    free(ids);
    if (rows)
        session_json(s, json_pack("{s:o}", "machines", rows));
    return true;
}

bool cmd_machine_show(struct session *s, int argc, char **argv, struct err *err)
{
    struct machine *m = argc > 1 ? session_machine(s, argv[1], err) : session_current(s, err);
    if (!m)
        return false;
    if (s->format == FORMAT_JSON) {
        json_t *facts = json_object();
        for (size_t i = 0; i < m->fact_count; i++)
            json_object_set_new(facts, m->facts[i].key, json_string(m->facts[i].value));
        session_json(s, json_pack("{s:s, s:s, s:i, s:o}", "machine", m->id, "title", m->title, "forms", (int)mapping_count(m->mapping), "facts", facts));
        return true;
    }
    if (s->format == FORMAT_CSV) {
        str_add(&s->output, "key,value,unit,source\n");
        for (size_t i = 0; i < m->fact_count; i++) {
            csv_add_field(&s->output, m->facts[i].key, false);
            csv_add_field(&s->output, m->facts[i].value, false);
            csv_add_field(&s->output, m->facts[i].unit, false);
            csv_add_field(&s->output, m->facts[i].source, true);
        }
        return true;
    }
    str_addf(&s->output, "%s: %s, %zu forms, %zu distinct µops\n", m->id, m->title, mapping_count(m->mapping), mapping_distinct_uops(m->mapping));
    for (size_t i = 0; i < m->fact_count; i++)
        str_addf(&s->output, "  %-20s %s %s%s%s\n", m->facts[i].key, m->facts[i].value, m->facts[i].unit, m->facts[i].source[0] ? "  -- " : "",
                 m->facts[i].source);
    return true;
}

bool cmd_mapping_show(struct session *s, int argc, char **argv, struct err *err)
{
    struct machine *m = session_current(s, err);
    struct str usage = {0};

    if (!m)
        return false;
    json_t *rows = s->format == FORMAT_JSON ? json_array() : NULL;
    if (s->format == FORMAT_CSV)
        str_add(&s->output, "form,usage,latency,micro_ops,source\n");
    for (size_t i = 0; i < mapping_count(m->mapping); i++) {
        const struct mapping_entry *entry = mapping_at(m->mapping, i);
        if (argc > 1 && !str_match(argv[1], entry->form))
            continue;
        str_clear(&usage);
        usage_print(&entry->usage, mapping_ports(m->mapping), &usage);
        if (rows)
            json_array_append_new(rows, json_pack("{s:s, s:s, s:o}", "form", entry->form, "usage", str_text(&usage), "latency",
                                                  isnan(entry->latency) ? json_null() : json_real(entry->latency)));
        else if (s->format == FORMAT_CSV)
            machine_mapping_row(entry, mapping_ports(m->mapping), &s->output);
        else {
            str_addf(&s->output, "%-44s %-32s ", entry->form, usage.length ? str_text(&usage) : "none");
            if (isnan(entry->latency))
                str_add(&s->output, "-\n");
            else
                str_addf(&s->output, "%g\n", entry->latency);
        }
    }
    if (rows)
        session_json(s, json_pack("{s:s, s:o}", "machine", m->id, "forms", rows));
    else if (s->format == FORMAT_TEXT && !s->output.length)
        str_addf(&s->output, "no form of %s fits\n", m->id);
    str_done(&usage);
    return true;
}

bool cmd_mapping_set(struct session *s, int argc, char **argv, struct err *err)
{
    struct machine *m = session_current(s, err);
    struct mapping_entry entry = {.latency = NAN, .source = "set in the session"};

    if (!m)
        return false;
    if (argc != 3)
        return err_set(err, ERR_USAGE, "mapping set 'ADD (R64, R64)' 1*p0156", "a quoted form and a usage were expected");
    if (!usage_parse(argv[2], mapping_ports(m->mapping), &entry.usage, err))
        return false;
    const struct mapping_entry *old = mapping_find(m->mapping, argv[1]);
    struct err none = {0};
    enum isa isa = s->isa;
    if (m->isa)
        isa_parse(m->isa, &isa);
    const struct forms *forms = old ? NULL : session_forms(s, isa, &none);
    entry.form = argv[1];
    if (old) {
        entry.latency = old->latency;
        entry.micro_ops = old->micro_ops;
    } else if (s->format == FORMAT_TEXT && forms && !forms_find(forms, argv[1])) {   /* a name of the user's own, or a slip */
        str_addf(&s->output, "no table of forms lists %s; %s has it now\n", argv[1], m->id);
    }
    mapping_set(m->mapping, &entry);
    usage_done(&entry.usage);
    return true;
}

bool cmd_throughput(struct session *s, int argc, char **argv, struct err *err)
{
    struct machine *m = session_current(s, err);
    struct experiment e;
    struct mass masses[512];
    size_t n = 0;
    portset full;

    if (!m || argc != 2)
        return false;
    char *end = argv[1];   /* the line as it stands; quotes protect nothing in it, and no form has any */
    for (const char *at = argv[1]; *at; at++)
        if (*at != '"' && *at != '\'')
            *end++ = *at;
    *end = '\0';
    if (!experiment_parse(argv[1], &e, err))
        return false;
    const struct ports *ports = mapping_ports(m->mapping);
    for (unsigned i = 0; i < e.count; i++) {
        const struct mapping_entry *entry = mapping_find(m->mapping, e.terms[i].form);
        if (!entry) {
            err_set(err, ERR_DATA, "mapping show *NAME* finds forms", "%s does not know the form %s", m->id, e.terms[i].form);
            experiment_done(&e);
            return false;
        }
        for (unsigned k = 0; k < entry->usage.count && n < sizeof masses / sizeof *masses; k++)
            masses[n++] = (struct mass){entry->usage.uops[k].ports, entry->usage.uops[k].count * e.terms[i].count};
    }
    experiment_done(&e);
    if (n == sizeof masses / sizeof *masses)
        return err_set(err, ERR_LIMIT, "split the experiment", "more than %zu µops", n - 1);
    double *pressure = mem_zero(n * ports->count + 1, sizeof *pressure), totals[PORTS_MAX];
    double cycles = schedule_balance(masses, n, ports->count, pressure, totals, &full);
    json_t *names = json_array(), *loads = json_object();
    for (unsigned j = 0; j < ports->count; j++) {
        if (full >> j & 1)
            json_array_append_new(names, json_string(ports->names[j]));
        json_object_set_new(loads, ports->names[j], json_real(totals[j]));
    }
    if (s->format == FORMAT_JSON) {
        session_json(s, json_pack("{s:f, s:O, s:O}", "cycles", cycles, "bottleneck", names, "ports", loads));
    } else if (s->format == FORMAT_CSV) {
        str_add(&s->output, "machine,cycles,port,load,full\n");
        for (unsigned j = 0; j < ports->count; j++)
            str_addf(&s->output, "%s,%g,%s,%g,%d\n", m->id, cycles, ports->names[j], totals[j], (int)(full >> j & 1));
    } else {
        str_addf(&s->output, "%.4f cycles on %s, bound by ", cycles, m->id);
        if (full)
            portset_print(full, ports, &s->output);
        else
            str_add(&s->output, "nothing");
        str_add(&s->output, "\n");
        for (unsigned j = 0; j < ports->count; j++)
            str_addf(&s->output, "  %-6s %.4f\n", ports->names[j], totals[j]);
    }
    json_decref(names);
    json_decref(loads);
    free(pressure);
    return true;
}

bool cmd_forms_list(struct session *s, int argc, char **argv, struct err *err)
{
    const char *pattern = NULL, *name = NULL;
    const struct option options[] = {{"--isa=x86-64|aarch64", OPTION_CHOICE, &name}, {NULL, OPTION_FLAG, NULL}};
    enum isa isa = s->isa;
    size_t words;

    if (!options_parse(argc, argv, options, &pattern, 1, &words, err))
        return false;
    if (name)
        isa_parse(name, &isa);
    const struct forms *forms = session_forms(s, isa, err);
    if (!forms)
        return false;
    json_t *rows = s->format == FORMAT_JSON ? json_array() : NULL;
    if (s->format == FORMAT_CSV)
        str_add(&s->output, "form,template,extension,not_measured\n");
    for (size_t i = 0; i < forms_count(forms); i++) {
        const struct form_row *row = forms_at(forms, i);
        if (pattern && !str_match(pattern, row->form))
            continue;
        char buffer[256];
        const char *reason = form_measurable(row, buffer, sizeof buffer);
        if (rows)
            json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:b, s:s}", "form", row->form, "template", row->template, "extension", row->extension,
                                                  "measurable", !reason, "reason", reason ? reason : ""));
        else if (s->format == FORMAT_CSV) {
            csv_add_field(&s->output, row->form, false);
            csv_add_field(&s->output, row->template, false);
            csv_add_field(&s->output, row->extension, false);
            csv_add_field(&s->output, reason ? reason : "", true);
        } else
            str_addf(&s->output, "%-44s %-12s %-44s %s%s\n", row->form, row->extension, row->template, reason ? "not measured: " : "", reason ? reason : "");
    }
    if (rows)
        session_json(s, json_pack("{s:o}", "forms", rows));
    return true;
}
