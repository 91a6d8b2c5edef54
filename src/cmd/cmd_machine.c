/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "analysis/port_names.h"
#include "model/facts.h"
#include "cmd/command.h"
#include "io/cpus.h"
#include "io/machine_file.h"

/* Adds one row per machine. Adds the fact `checked` of each machine to @checked_by_id. */
static void add_ids(struct result_table *t, char **take_ids, json_t *checked_by_id)
{
    for (char **id = take_ids; *id; id++) {
        struct machine *m = machine_load(*id, NULL);
        const char *checked = m ? machine_fact(m, "checked") : NULL;
        cell_text(t, *id);
        cell_text(t, checked);
        json_object_set_new(checked_by_id, *id, checked ? json_text(checked) : json_null());
        machine_free(m);
        free(*id);
    }
    free(take_ids);
}

/* Adds the names of processors, each with the core whose tables it uses. Omits processors with the
 * name of a listed machine, and those whose tables are not shipped. Returns false with err on
 * failure. */
static bool add_processors(struct result *result, struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "name", .kind = CELL_TEXT, .width = 16},
        {.key = "title", .kind = CELL_TEXT},
        {.key = "core", .kind = CELL_TEXT, .hide = NOT_TEXT | NOT_DOCUMENT},
        {.key = "machine", .kind = CELL_TEXT, .hide = NOT_TEXT | NOT_DOCUMENT}};
    struct cpus *cpus = cpus_load(err);
    struct result_table *t =
        cpus ? RESULT_TABLE(result, "processors", columns) : NULL;
    struct str title = {0};

    if (!cpus)
        return false;
    t->headless = true;
    for (size_t i = 0; i < cpus_count(cpus); i++) {
        struct cpu_product p = cpus_at(cpus, i), first;
        if (!*p.name || strcmp(p.name, p.machine) == 0 || !cpus_named(cpus, p.name, &first) ||
            first.row != p.row || !cpu_product_known(&p))
            continue;
        str_clear(&title);
        cpu_product_title(&p, &title);
        cell_text(t, p.name);
        cell_text(t, str_text(&title));
        cell_text(t, p.core);
        cell_text(t, p.machine);
    }
    str_done(&title);
    cpus_free(cpus);
    return true;
}

static bool run_list(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "machine", .kind = CELL_TEXT, .width = 20}, {.key = "checked", .kind = CELL_TEXT}};
    struct result_table *t = RESULT_TABLE(result, "machines", columns);
    json_t *checked = json_object();

    t->shape = TABLE_VALUES;
    t->headless = true;
    add_ids(t, machine_ids(), checked);
    add_ids(t, machine_user_ids(), checked);
    result_nested(result, "checked", checked);
    if (!add_processors(result, err))
        return false;
    if (s->document.here.id)
        result_line(result, HERE_NAME ": %s, " MACHINE_HERE "%s", s->document.here.id,
                    s->document.here.title);
    result_text(result, HERE_NAME, s->document.here.id);
    return true;
}

const struct command command_machine_list = {
    .name = "machine list",
    .help = "list the available machines",
    .description = "Lists shipped machines with their accuracy, your own machines in "
                   "$XDG_DATA_HOME/portolan/machines, and processors with the core of one of these "
                   "machines. native is the machine of this CPU.",
    .examples = EXAMPLES("machine list"),
    .read = run_list,
};

struct machine_show_values {
    const char *id;
};

/* Adds the shown names of ports that differ from the machine's names: "ALU0=0 ALU1=1 FP0=6". */
static void show_port_names(const struct machine *m, struct result *result)
{
    const struct ports *own = mapping_ports(m->mapping);
    struct str text = {0};
    struct ports shown;

    ports_shown(m, &shown);
    for (unsigned j = 0; j < own->count; j++)
        if (strcmp(shown.names[j], own->names[j]) != 0)
            str_addf(&text, " %s=%s", shown.names[j], own->names[j]);
    if (text.length)
        result_line(result, "  ports are named after their operations:%s", str_text(&text));
    str_done(&text);
}

static bool run_show(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "key", .title = "fact", .kind = CELL_TEXT, .width = 20},
        {.key = "value", .kind = CELL_TEXT, .width = RAGGED},
        {.key = "unit", .kind = CELL_TEXT, .width = RAGGED},
        {.key = "source", .kind = CELL_TEXT, .width = RAGGED},
    };
    const struct machine_show_values *v = values;
    const struct machine *m = v->id ? session_machine(s, v->id, err) : session_current(s, err);
    json_t *facts = json_object();
    struct str source = {0};

    if (!m) {
        json_decref(facts);
        return false;
    }
    result_line(result, "%s: %s, %zu form%s, %zu distinct µop%s", m->id, m->title,
                mapping_count(m->mapping), plural(mapping_count(m->mapping)),
                mapping_distinct_uops(m->mapping), plural(mapping_distinct_uops(m->mapping)));
    show_port_names(m, result);
    result_text(result, "machine", m->id);
    result_text(result, "title", m->title);
    result_count(result, "forms", (int64_t)mapping_count(m->mapping));
    struct result_table *t = RESULT_TABLE(result, "facts", columns);
    t->headless = true;
    t->indent = "  ";
    t->hide = NOT_JSON;
    for (size_t i = 0; i < m->fact_count; i++) {
        cell_text(t, m->facts[i].key);
        cell_text(t, m->facts[i].value);
        cell_text(t, m->facts[i].unit);
        const struct fact *fact = fact_find(m->facts[i].key);
        str_clear(&source);
        str_addf(&source, "%s%s", fact && fact->kind == FACT_FITTED ? "fitted: " : "",
                 m->facts[i].source);
        cell_text(t, str_text(&source));
        json_object_set_new(facts, m->facts[i].key, json_text(m->facts[i].value));
    }
    result_nested(result, "facts", facts);
    str_done(&source);
    return true;
}

const struct command command_machine_show = {
    .name = "machine show",
    .help = "show the ports and facts of a machine",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "ID", struct machine_show_values, id), .fallback = "the current machine",
         .complete = COMPLETE_MACHINE,
         .help = "machine ID (see machine list), native, or a machine directory"}),
    .examples = EXAMPLES("machine show znver4", "machine show native"),
    .values_size = sizeof(struct machine_show_values),
    .read = run_show,
};
