/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/port_names.h"
#include "base/mem.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/machine_set.h"
#include "throughput/throughput.h"

#define ABREAST 5      /* maximum number of machines per table in text */
#define FORM_STEPS 8   /* number of work steps (base/steps.h) per form and machine */

struct forms_compare_values {
    const char *pattern, *isa;
    struct word_list machines;
    double above;
};

struct form_comparing {
    const char *pattern;
    const struct forms *forms;
    struct machine_set machines;
    double above;                  /* relative difference above which a form is listed; NaN: all
                                    * forms are listed */
    bool *shown;                   /* per form: whether it matches the pattern and differs by more
                                    * than @above */
    size_t matching, showing;
    /* number of matching forms that at least two machines have, if @above is set */
    size_t compared;
};

/* Finds the cycles of @form repeated in isolation, and its table entry. Returns false if @m lacks
 * the form. Stores the results in *@cycles (NaN: more than 64 kinds of µops) and *@entry. */
static bool look_up(struct throughput *engine, const struct machine *m, const char *form,
                    const struct mapping_entry **entry, double *cycles)
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

struct spread { double least, most; };

static void spread_add(struct spread *s, double value)
{
    s->least = value < s->least ? value : s->least;
    s->most = value > s->most ? value : s->most;
}

static bool spread_above(const struct spread *s, double fraction)
{
    return s->most > s->least * (1 + fraction);
}

/* Returns whether the machines' cycles or latencies of @form differ by more than w->above. Counts
 * the form if at least two machines have it. */
static bool differs(struct form_comparing *w, struct throughput *const *engines, const char *form)
{
    struct spread times = {INFINITY, -INFINITY}, latencies = times;
    size_t coverage = 0;

    for (size_t i = 0; i < w->machines.list.count; i++) {
        const struct mapping_entry *entry;
        double cycles;
        if (!look_up(engines[i], w->machines.list.items[i], form, &entry, &cycles))
            continue;
        coverage++;
        spread_add(&times, cycles);
        spread_add(&latencies, entry->latency);
    }
    w->compared += coverage > 1;
    return spread_above(&times, w->above) || spread_above(&latencies, w->above);
}

static void choose(struct form_comparing *w, struct throughput *const *engines)
{
    w->shown = mem_zero(forms_count(w->forms) + 1, sizeof *w->shown);
    for (size_t f = 0;
         f < forms_count(w->forms) && !watch_steps(FORM_STEPS * (1 + w->machines.list.count));
         f++) {
        const char *form = forms_at(w->forms, f)->form;
        bool matches = str_match(w->pattern, form);
        w->matching += matches;
        w->shown[f] = matches && (isnan(w->above) || differs(w, engines, form));
        w->showing += w->shown[f];
    }
}

/* Adds host, CPU and microcode of @m's measurements; unknown values are empty. Returns false if @m
 * was not measured. */
static bool add_origin(struct result_table *t, const struct machine *m)
{
    const char *said[] = {machine_fact(m, "measured_host"), machine_fact(m, "measured_cpu"),
                          machine_fact(m, "measured_microcode")};
    bool known = false;

    for (size_t k = 0; k < sizeof said / sizeof *said; k++) {
        known = known || said[k];
        cell_text(t, said[k] ? said[k] : "");
    }
    return known;
}

/* Adds a table of the hosts that measured the machines, for text and documents. Hides it if no host
 * is known. */
static void add_machines(const struct form_comparing *w, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "machine", .kind = CELL_TEXT, .width = 18},
        {.key = "host", .kind = CELL_TEXT, .width = 14},
        {.key = "cpu", .kind = CELL_TEXT, .width = 32},
        {.key = "microcode", .kind = CELL_TEXT},
    };
    struct result_table *t = RESULT_TABLE(result, "machines", columns);
    bool known = false;

    for (size_t i = 0; i < w->machines.list.count; i++) {
        cell_text(t, w->machines.list.items[i]->id);
        known |= add_origin(t, w->machines.list.items[i]);
    }
    t->hide = NOT_CSV | NOT_JSON | (known ? 0 : NOT_TEXT | NOT_DOCUMENT);
    if (known)
        result_line(result, "\n");
}

/* Adds one row per listed form and machine that has the form, for CSV and JSON. */
static void add_rows(const struct form_comparing *w, struct throughput *const *engines,
                     struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "form", .kind = CELL_TEXT},     {.key = "machine", .kind = CELL_TEXT},
        {.key = "cycles", .kind = CELL_NUMBER}, {.key = "latency", .kind = CELL_NUMBER},
        {.key = "usage", .kind = CELL_TEXT},    {.key = "host", .kind = CELL_TEXT},
        {.key = "cpu", .kind = CELL_TEXT},      {.key = "microcode", .kind = CELL_TEXT},
    };
    struct result_table *t = RESULT_TABLE(result, "forms", columns);
    struct str usage = {0};

    struct ports *shown = mem_alloc((w->machines.list.count + 1) * sizeof *shown);

    t->hide = NOT_TEXT | NOT_DOCUMENT;
    for (size_t i = 0; i < w->machines.list.count; i++)
        ports_shown(w->machines.list.items[i], &shown[i]);
    for (size_t f = 0; f < forms_count(w->forms) && !watch_steps(FORM_STEPS); f++) {
        const char *form = forms_at(w->forms, f)->form;
        for (size_t i = 0; w->shown[f] && i < w->machines.list.count && !watch_steps(FORM_STEPS);
             i++) {
            const struct mapping_entry *entry;
            double cycles;
            if (!look_up(engines[i], w->machines.list.items[i], form, &entry, &cycles))
                continue;
            str_clear(&usage);
            usage_print(&entry->usage, &shown[i], &usage);
            cell_text(t, form);
            cell_text(t, w->machines.list.items[i]->id);
            cell_number(t, cycles);
            cell_number(t, entry->latency);
            cell_text(t, str_text(&usage));
            add_origin(t, w->machines.list.items[i]);
        }
    }
    str_done(&usage);
    free(shown);
}

/* Prints cycles and latency as "0.50 / 4", only the cycles if the latency is unknown, or "-" if the
 * machine lacks the form. */
static void print_pair(struct throughput *engine, const struct machine *m, const char *form,
                       char *text, size_t size)
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

/* Adds a table for text: a row per listed form, a column per machine from @from to before @to. */
static void add_table(const struct form_comparing *w, struct throughput *const *engines,
                      size_t from, size_t to, struct result *result)
{
    struct result_column columns[ABREAST + 1] = {{.key = "form", .kind = CELL_TEXT, .width = 32}};
    size_t count = 1;
    char text[48];

    for (size_t i = from; i < to; i++)
        columns[count++] = (struct result_column){
            .key = w->machines.list.items[i]->id, .kind = CELL_TEXT, .width = 11};
    struct result_table *t = result_table(result, "cycles", columns, count);
    t->hide = NOT_CSV | NOT_JSON;
    for (size_t f = 0; f < forms_count(w->forms) && !watch_steps(FORM_STEPS); f++) {
        const char *form = forms_at(w->forms, f)->form;
        if (!w->shown[f])
            continue;
        cell_text(t, form);
        for (size_t i = from; i < to; i++) {
            print_pair(engines[i], w->machines.list.items[i], form, text, sizeof text);
            cell_text(t, text);
        }
    }
}

static bool compare_work(struct form_comparing *w, struct result *result, struct err *err)
{
    size_t machines = w->machines.list.count;
    struct throughput **engines = mem_zero(machines, sizeof *engines);

    for (size_t i = 0; i < machines; i++) {
        unsigned ports = mapping_ports(w->machines.list.items[i]->mapping)->count;
        engines[i] = throughput_new(ports ? ports : 1);
    }
    choose(w, engines);
    add_machines(w, result);
    if (!isnan(w->above))
        result_line(result,
                    "differences above %g %%: %zu of %zu forms known to at least two machines",
                    100 * w->above, w->showing, w->compared);
    result_line(result, "cycles alone / latency");
    for (size_t from = 0; w->showing && from < machines; from += ABREAST) {
        if (from)
            result_line(result, "\n");
        add_table(w, engines, from, from + ABREAST < machines ? from + ABREAST : machines, result);
    }
    add_rows(w, engines, result);
    if (!isnan(w->above)) {
        result_count(result, "compared", (int64_t)w->compared);
        result_count(result, "differing", (int64_t)w->showing);
    }
    for (size_t i = 0; i < machines; i++)
        throughput_free(engines[i]);
    free(engines);
    return watch_goes_on(err) &&
           (w->matching ||
            err_set(err, ERR_USAGE, "forms list shows the names; quote patterns with spaces",
                    "no form matches \"%.100s\"", w->pattern));
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct forms_compare_values *v = values;
    enum isa isa = s->document.isa;

    if (v->isa)
        isa_parse(v->isa, &isa);
    struct form_comparing w = {
        .pattern = v->pattern, .forms = session_forms(s, isa, err), .above = v->above / 100};
    bool ok = w.forms && machine_set_find(s, &v->machines, isa, &w.machines, err) &&
              compare_work(&w, result, err);
    machine_set_done(&w.machines);
    free(w.shown);
    return ok;
}

const struct command command_forms_compare = {
    .name = "forms compare",
    .help = "show cycles and latency of forms on several machines",
    .description = "Cycles are the time of the repeated form on its ports and dividers, without "
                   "the limit of the issue width. A dash marks an unknown form. For charted "
                   "machines the host, CPU and microcode of the measurement are shown.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "PATTERN", struct forms_compare_values, pattern), .required = true,
         .complete = COMPLETE_FORM, .help = "forms to show, quoted; * and ? are wildcards"}),
    .options = PARAMETERS(
        MACHINES_OPTION(forms_compare_values, "the selected machines",
                        "machine to show; all: all machines"),
        {PARAMETER(NUMBER, "--above", struct forms_compare_values, above), .value = "P",
         .most = 1e6, .fallback = "all forms",
         .help = "minimum difference in cycles or latency to show, in percent"},
        {PARAMETER(CHOICE, "--isa", struct forms_compare_values, isa), .choices = ISA_CHOICES,
         .fallback = "the current machine's", .help = "instruction set"}),
    .examples = EXAMPLES("forms compare 'VADDPD (YMM*'", "forms compare 'IMUL (R64*' --machine all",
                         "forms compare 'IMUL*' --machine skylake --machine znver3 --above 5"),
    .values_size = sizeof(struct forms_compare_values),
    .read = run,
};
