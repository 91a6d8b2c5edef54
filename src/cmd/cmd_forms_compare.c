/* SPDX-License-Identifier: GPL-3.0-or-later */
/* forms compare */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/machine_set.h"
#include "cmd/task.h"
#include "throughput/throughput.h"

#define ABREAST 5      /* machines side by side in a table for people */
#define FORM_STEPS 8   /* of base/steps.h, for one on one machine */

struct forms_compare_values {
    const char *pattern, *isa;
    struct word_list machines;
};

struct form_comparing {
    char *pattern;
    struct forms *forms;           /* held */
    struct machine_set machines;
};

static void comparing_free(void *state)
{
    struct form_comparing *w = state;
    forms_free(w->forms);
    machine_set_done(&w->machines);
    free(w->pattern);
    free(w);
}

/* Cycles of @form alone in steady state, and its latency; false where @m does not know it. */
static bool look_up(struct throughput *engine, const struct machine *m, const char *form, const struct mapping_entry **entry, double *cycles)
{
    struct mass masses[64];
    size_t n = 0;

    *entry = mapping_find(m->mapping, form);
    if (!*entry)
        return false;
    for (unsigned i = 0; i < (*entry)->usage.count && n < 64; i++)
        masses[n++] = (struct mass){(*entry)->usage.uops[i].ports, (*entry)->usage.uops[i].count};
    *cycles = (*entry)->usage.count > 64 ? NAN : throughput_of_masses(engine, masses, n);
    return true;
}

/* A row for each form and machine, for programs. */
static void add_rows(const struct form_comparing *w, struct throughput *const *engines, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "form", .kind = CELL_TEXT}, {.key = "machine", .kind = CELL_TEXT}, {.key = "cycles", .kind = CELL_NUMBER}, {.key = "latency", .kind = CELL_NUMBER},
        {.key = "usage", .kind = CELL_TEXT},
    };
    struct result_table *t = result_table(result, "forms", columns, sizeof columns / sizeof *columns);
    struct str usage = {0};

    t->hide = NOT_TEXT | NOT_DOCUMENT;
    for (size_t f = 0; f < forms_count(w->forms) && !watch_steps(FORM_STEPS); f++) {
        const char *form = forms_at(w->forms, f)->form;
        for (size_t i = 0; str_match(w->pattern, form) && i < w->machines.list.count && !watch_steps(FORM_STEPS); i++) {
            const struct mapping_entry *entry;
            double cycles;
            if (!look_up(engines[i], w->machines.list.items[i], form, &entry, &cycles))
                continue;
            str_clear(&usage);
            usage_print(&entry->usage, mapping_ports(w->machines.list.items[i]->mapping), &usage);
            cell_text(t, form);
            cell_text(t, w->machines.list.items[i]->id);
            cell_number(t, cycles);
            cell_number(t, entry->latency);
            cell_text(t, str_text(&usage));
        }
    }
    str_done(&usage);
}

/* "0.50 / 4": cycles and latency, "-" where the machine does not know the form. */
static void print_pair(struct throughput *engine, const struct machine *m, const char *form, char *text, size_t size)
{
    const struct mapping_entry *entry;
    double cycles;

    if (!look_up(engine, m, form, &entry, &cycles))
        snprintf(text, size, "-");
    else if (isnan(entry->latency))
        snprintf(text, size, "%.2f", cycles);
    else
        snprintf(text, size, "%.2f / %g", cycles, entry->latency);
}

/* Forms against some of the machines, for people. Returns how many forms there are. */
static size_t add_table(const struct form_comparing *w, struct throughput *const *engines, size_t from, size_t to, struct result *result)
{
    struct result_column columns[ABREAST + 1] = {{.key = "form", .kind = CELL_TEXT, .width = 32}};
    size_t count = 1;
    char text[48];

    for (size_t i = from; i < to; i++)
        columns[count++] = (struct result_column){.key = w->machines.list.items[i]->id, .kind = CELL_TEXT, .width = 11};
    struct result_table *t = result_table(result, "cycles", columns, count);
    t->hide = NOT_CSV | NOT_JSON;
    for (size_t f = 0; f < forms_count(w->forms) && !watch_steps(FORM_STEPS); f++) {
        const char *form = forms_at(w->forms, f)->form;
        if (!str_match(w->pattern, form))
            continue;
        cell_text(t, form);
        for (size_t i = from; i < to; i++) {
            print_pair(engines[i], w->machines.list.items[i], form, text, sizeof text);
            cell_text(t, text);
        }
    }
    return table_rows(t);
}

static bool compare_work(void *state, struct result *result, struct err *err)
{
    struct form_comparing *w = state;
    size_t machines = w->machines.list.count, rows = 0;
    struct throughput **engines = mem_zero(machines, sizeof *engines);

    for (size_t i = 0; i < machines; i++) {
        unsigned ports = mapping_ports(w->machines.list.items[i]->mapping)->count;
        engines[i] = throughput_new(ports ? ports : 1);
    }
    result_line(result, "cycles alone / latency");
    for (size_t from = 0; from < machines; from += ABREAST) {
        if (from)
            result_line(result, "\n");
        rows = add_table(w, engines, from, from + ABREAST < machines ? from + ABREAST : machines, result);
    }
    add_rows(w, engines, result);
    for (size_t i = 0; i < machines; i++)
        throughput_free(engines[i]);
    free(engines);
    return watch_goes_on(err) && (rows || err_set(err, ERR_USAGE, "forms list shows the names; quote patterns with blanks", "no form matches \"%.100s\"", w->pattern));
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct task_ops ops = {compare_work, NULL, comparing_free};
    const struct forms_compare_values *v = values;
    enum isa isa = s->document.isa;

    (void)result;   /* the job fills it */
    if (v->isa)
        isa_parse(v->isa, &isa);
    const struct forms *forms = session_forms(s, isa, err);
    if (!forms)
        return false;
    struct form_comparing *w = mem_zero(1, sizeof *w);
    w->pattern = mem_strdup(v->pattern);
    w->forms = forms_hold(forms);
    if (!machine_set_find(s, &v->machines, isa, &w->machines, err)) {
        comparing_free(w);
        return false;
    }
    return task_start_passing(s, "forms compare", "compares forms", &ops, w, err);
}

static const struct parameter arguments[] = {
    {.name = "PATTERN", .kind = PARAMETER_TEXT, .at = offsetof(struct forms_compare_values, pattern), .required = true, .complete = COMPLETE_FORM,
     .help = "forms to show, quoted; * and ? are wildcards"},
    {0},
};
static const struct parameter options[] = {
    {.name = "--machine", .kind = PARAMETER_WORDS, .at = offsetof(struct forms_compare_values, machines), .value = "ID", .otherwise = "the current machines",
     .complete = COMPLETE_MACHINE, .help = "machine to show; all: every one"},
    {.name = "--isa", .kind = PARAMETER_CHOICE, .at = offsetof(struct forms_compare_values, isa), .choices = ISA_CHOICES, .otherwise = "the kernel's",
     .help = "instruction set"},
    {0},
};

static const char *const examples[] = {"forms compare 'VADDPD (YMM*'", "forms compare 'IMUL (R64*' --machine all", NULL};

const struct command command_forms_compare = {
    .name = "forms compare",
    .help = "cycles and latency of forms on several machines",
    .description = "Cycles are of the form alone, repeated, by its ports and dividers; the issue width is not in them. A dash: the machine does not know the form.",
    .arguments = arguments,
    .options = options,
    .examples = examples,
    .values_size = sizeof(struct forms_compare_values),
    .flags = COMMAND_READS,
    .run = run,
};
