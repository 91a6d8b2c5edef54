/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "throughput/schedule.h"

struct throughput_values {
    const char *experiment;
};

/* Parses the rest of the line. Ignores quotes, because no form name contains any. */
static bool parse(const char *text, struct experiment *e, struct err *err)
{
    char *plain = mem_strdup(text), *end = plain;

    for (const char *at = text; *at; at++)
        if (*at != '"' && *at != '\'')
            *end++ = *at;
    *end = '\0';
    bool ok = experiment_parse(plain, e, err);
    free(plain);
    return ok;
}

struct load {
    VEC(struct mass) masses;
    double alone;     /* sum of the cycles in isolation of forms whose copies slow each other down
                       * more than their ports explain */
};

/* Sums the µops of all terms, and their minimum cycles in isolation. Returns false with err if the
 * machine lacks a form. */
static bool collect(const struct experiment *e, const struct machine *m, struct load *load,
                    struct err *err)
{
    for (unsigned i = 0; i < e->count; i++) {
        const struct mapping_entry *entry = mapping_find(m->mapping, e->terms[i].form);
        if (!entry)
            return machine_refuse_form(m, e->terms[i].form, "mapping show *NAME* finds forms", err);
        for (unsigned k = 0; k < entry->usage.count; k++)
            vec_push(&load->masses,
                     ((struct mass){entry->usage.uops[k].ports,
                                    entry->usage.uops[k].count * e->terms[i].count}));
        const struct latency_rule *alone = machine_alone(m, e->terms[i].form);
        load->alone += alone ? alone->cycles * e->terms[i].count : 0;
    }
    return true;
}

static void show(const struct machine *m, double cycles, bool alone, portset full,
                 const double *totals, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "machine", .kind = CELL_TEXT, .hide = NOT_TEXT | NOT_JSON | NOT_DOCUMENT},
        {.key = "cycles", .kind = CELL_NUMBER, .decimals = 4,
         .hide = NOT_TEXT | NOT_JSON | NOT_DOCUMENT},
        {.key = "port", .kind = CELL_TEXT, .width = 6},
        {.key = "load", .unit = NULL, .kind = CELL_NUMBER, .decimals = 4},
        {.key = "full", .kind = CELL_SWITCH, .hide = NOT_TEXT | NOT_JSON},
    };
    const struct ports *ports = mapping_ports(m->mapping);
    struct str bound = {0};
    json_t *names = json_array();

    portset_print(full, ports, &bound);
    result_line(result, "%.4f cycles on %s, bound by %s", cycles, m->id,
                alone  ? "microcode or serialisation, the minimum time of each form"
                : full ? str_text(&bound)
                       : "nothing");
    result_text(result, "machine", m->id);
    result_number(result, "cycles", cycles);
    for (unsigned j = 0; j < ports->count; j++)
        if (full >> j & 1)
            json_array_append_new(names, json_text(ports->names[j]));
    result_nested(result, "bottleneck", names);
    struct result_table *t = RESULT_TABLE(result, "ports", columns);
    t->shape = TABLE_MAP;
    t->headless = true;
    t->indent = "  ";
    for (unsigned j = 0; j < ports->count; j++) {
        cell_text(t, m->id);
        cell_number(t, cycles);
        cell_text(t, ports->names[j]);
        cell_number(t, totals[j]);
        cell_switch(t, full >> j & 1);
    }
    str_done(&bound);
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct throughput_values *v = values;
    const struct machine *m = session_current(s, err);
    struct load load = {0};
    struct experiment e;
    double totals[PORTS_MAX];
    portset full;

    if (!m || !parse(v->experiment, &e, err))
        return false;
    const struct ports *ports = mapping_ports(m->mapping);
    bool ok = collect(&e, m, &load, err);
    if (ok) {
        double *pressure = mem_zero(load.masses.count * ports->count + 1, sizeof *pressure);
        double cycles = schedule_balance(load.masses.items, load.masses.count, ports->count,
                                         pressure, totals, &full);
        bool alone = load.alone > cycles;
        show(m, alone ? load.alone : cycles, alone, alone ? 0 : full, totals, result);
        free(pressure);
    }
    experiment_done(&e);
    vec_done(&load.masses);
    return ok;
}

const struct command command_throughput = {
    .name = "throughput",
    .help = "predict the cycles and port load of an experiment on the current machine",
    .description =
        "Assumes independent instructions; the bottleneck is the smallest set of saturated ports.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "EXPERIMENT", struct throughput_values, experiment), .required = true,
         .complete = COMPLETE_FORM, .help = "forms with counts, joined by +; no quotes needed"}),
    .examples = EXAMPLES("throughput 2*ADD (R64, R64) + IMUL (R64, R64)",
                         "throughput ADD (R64, R64)"),
    .values_size = sizeof(struct throughput_values),
    .flags = COMMAND_RAW,
    .run = run,
};
