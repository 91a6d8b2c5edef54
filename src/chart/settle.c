/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/settle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "chart/saturate.h"
#include "throughput/predict.h"
#include "throughput/throughput.h"

const char *const settle_verdict_names[] = {"open", "confirmed", "changed", "unexplained"};

struct settling {
    const struct runner_hooks *hooks;
    struct experiments *table;
    size_t *row_of;                /* index of each ambiguity's row in the table */
};

static void take_result(void *state, size_t index, const struct measured *m)
{
    experiments_set(((struct settling *)state)->table, index, m->cycles, m->spread, m->repeats,
                    m->state);
}

static bool cancelled(void *state)
{
    const struct runner_hooks *hooks = ((struct settling *)state)->hooks;
    return hooks->cancelled && hooks->cancelled(hooks->state);
}

static void progress(void *state, const struct runner_summary *so_far, size_t total)
{
    const struct runner_hooks *hooks = ((struct settling *)state)->hooks;
    if (hooks->progress)
        hooks->progress(hooks->state, so_far, total);
}

static void ask(struct settling *w, const struct ambiguities *ambiguities)
{
    struct names keys = {0};
    struct str key = {0};
    VEC(size_t) rows = {0};   /* indices of the rows of distinct experiments */

    for (size_t i = 0; i < ambiguities->list.count; i++) {
        const struct experiment *e = &ambiguities->list.items[i].experiment;
        experiment_print_key(e, &key);
        uint32_t at = names_add(&keys, str_text(&key));
        if (at == rows.count)
            vec_push(&rows, experiments_add_named(w->table, e));
        w->row_of[i] = rows.items[at];
    }
    names_done(&keys);
    str_done(&key);
    vec_done(&rows);
}

/* The ambiguities first to end - 1, which concern one form. A table has their experiments, and
 * usages are tried in a mapping. */
struct form_ambiguities {
    const struct ambiguities *ambiguities;
    size_t first, end;
    struct experiments *table;
    struct mapping *mapping;
    struct mapping_entry entry;    /* the machine's entry of the form, borrowed */
};

/* Returns -2 ln(probability) of @usage for the form. Sets *@explains to whether its times agree
 * with the usage. */
static double cost_of(struct form_ambiguities *f, const struct usage *usage, unsigned slots,
                      double weight, bool *explains)
{
    struct mapping_entry entry = f->entry;
    double *cycles = mem_alloc((f->table->rows.count + 1) * sizeof *cycles), cause_cost = 0;
    struct times_seen seen = {.noise = f->ambiguities->noise,
                              .above_ports = f->ambiguities->above_ports,
                              .cost = -2 * log(weight)};

    entry.usage = *usage;
    entry.micro_ops = slots;
    mapping_set(f->mapping, &entry);
    throughput_predict(f->mapping, f->table, cycles);
    for (size_t i = 0; i < f->table->rows.count; i++)
        times_add(&seen, cycles[i], f->table->rows.items[i].cycles,
                  f->table->rows.items[i].count == 1, &cause_cost);
    *explains = times_explained(&seen);
    free(cycles);
    return seen.cost;
}

static bool begin_form(struct form_ambiguities *f, const struct settling *w,
                       const struct machine *machine)
{
    const struct mapping_entry *entry =
        mapping_find(machine->mapping, f->ambiguities->list.items[f->first].form);

    if (!entry)
        return false;
    f->entry = *entry;
    f->table = experiments_new();
    f->mapping = mapping_new(mapping_ports(machine->mapping));
    double width = machine_number(machine, "issue_width");
    mapping_set_issue_width(f->mapping, width > 0 ? width : 0);
    for (size_t i = f->first; i < f->end; i++) {
        const struct experiment *e = &f->ambiguities->list.items[i].experiment;
        bool known = experiments_measured(w->table, w->row_of[i]);
        for (size_t k = f->first; k < i && known; k++)
            known = w->row_of[k] != w->row_of[i];
        for (unsigned k = 0; k < e->count && known; k++)
            known = mapping_find(machine->mapping, e->terms[k].form) != NULL;
        if (!known)
            continue;
        for (unsigned k = 0; k < e->count; k++)
            mapping_set(f->mapping, mapping_find(machine->mapping, e->terms[k].form));
        experiments_set(f->table, experiments_add_named(f->table, e),
                        w->table->rows.items[w->row_of[i]].cycles, 0, 1, NULL);
    }
    return true;
}

static void end_form(struct form_ambiguities *f)
{
    experiments_free(f->table);
    mapping_free(f->mapping);
}

static char *usage_text(const struct usage *usage, const struct ports *ports)
{
    struct str text = {0};
    usage_print(usage, ports, &text);
    return str_take(&text);
}

/* Returns the ports that the other forms in the form's experiments keep busy. */
static portset ports_tested(const struct form_ambiguities *f)
{
    struct throughput *t = throughput_new(PORTS_MAX);
    VEC(struct mass) masses = {0};
    double width = mapping_issue_width(f->mapping);
    portset tested = 0, busy;

    for (size_t i = 0; i < f->table->rows.count; i++) {
        const struct flat_term *terms = experiments_terms(f->table, i);
        double slots = 0;
        masses.count = 0;
        for (uint32_t k = 0; k < f->table->rows.items[i].count; k++) {
            const struct mapping_entry *e =
                mapping_find(f->mapping, f->table->forms.items[terms[k].form]);
            if (strcmp(e->form, f->entry.form) == 0)
                continue;
            double own = 0;
            for (unsigned u = 0; u < e->usage.count; u++) {
                vec_push(&masses, ((struct mass){e->usage.uops[u].ports,
                                                 e->usage.uops[u].count * terms[k].count}));
                own += e->usage.uops[u].count;
            }
            slots += (e->micro_ops ? e->micro_ops : own) * terms[k].count;
        }
        double cycles = throughput_bottleneck(t, masses.items, masses.count, &busy);
        /* If the issue slots limit the experiment, no port is busy. */
        tested |= width > 0 && slots > cycles * width ? 0 : busy;
    }
    vec_done(&masses);
    throughput_free(t);
    return tested;
}

/* Returns the ports that the form's source names as untested and that the form's experiments do not
 * keep busy. */
static portset left_untested(const struct form_ambiguities *f, const struct ports *ports)
{
    portset untested = untested_parse(f->entry.source, ports);

    return untested ? untested & ~ports_tested(f) : 0;
}

/* Decides between the usages of one form, and updates @machine. */
static void decide(struct form_ambiguities *f, const struct settling *w, struct machine *machine,
                   struct settled *out)
{
    const struct ports *ports = mapping_ports(machine->mapping);
    const struct ambiguity *best = NULL;
    bool explained, explains;
    double own = cost_of(f, &f->entry.usage, f->entry.micro_ops, 1, &explains), least = own;
    size_t n = f->end - f->first, checks = 0;
    double *costs = mem_alloc((n + 1) * sizeof *costs), sum = 0;
    struct settled_form row = {.form = mem_strdup(f->entry.form),
                               .before = usage_text(&f->entry.usage, ports),
                               .experiments = (unsigned)f->table->rows.count,
                               .confidence = NAN};

    for (size_t i = 0; i < n; i++) {
        const struct ambiguity *d = &f->ambiguities->list.items[f->first + i];
        bool check = ambiguity_is_check(d, &f->entry);
        checks += check;
        costs[i] = check ? INFINITY : cost_of(f, &d->usage, d->slots, d->weight, &explained);
        /* A usage whose experiment has no time is not chosen, but its probability is part of the
         * sum. */
        if (costs[i] < least && experiments_measured(w->table, w->row_of[f->first + i])) {
            least = costs[i];
            explains = explained;
            best = d;
        }
    }
    for (size_t i = 0; i < n; i++)
        sum += exp((least - costs[i]) / 2);
    sum += exp((least - own) / 2);
    struct mapping_entry entry = f->entry;
    struct str source = {0};
    if (row.experiments) {
        row.verdict = !explains ? SETTLE_UNEXPLAINED : best ? SETTLE_CHANGED : SETTLE_CONFIRMED;
        /* If there is no alternative, the confidence does not change. */
        double known = checks == n ? mapping_entry_confidence(&f->entry) : NAN;
        row.confidence = !explains ? CHART_DOUBTFUL : isnan(known) ? 1 / sum : known;
        if (row.verdict == SETTLE_CHANGED) {
            entry.usage = best->usage;
            entry.micro_ops = best->slots;
        }
        str_addf(&source,
                 explains ? "charted: confidence %.2f, settled"
                          : "charted: confidence %.2f, its experiments are not explained",
                 row.confidence);
        untested_print(left_untested(f, ports), ports, &source);
        entry.source = (char *)str_text(&source);
        row.after = usage_text(&entry.usage, ports);
        mapping_set(machine->mapping, &entry);
    } else {
        row.after = mem_strdup(row.before);
    }
    vec_push(&out->forms, row);
    str_done(&source);
    free(costs);
}

static void keep_open(const struct settling *w, struct ambiguities *ambiguities)
{
    size_t kept = 0;

    for (size_t i = 0; i < ambiguities->list.count; i++) {
        if (experiments_measured(w->table, w->row_of[i]))
            ambiguity_done(&ambiguities->list.items[i]);
        else
            ambiguities->list.items[kept++] = ambiguities->list.items[i];
    }
    ambiguities->list.count = kept;
}

/* Decides all ambiguities whose experiments have a time, form by form. */
static void decide_all(const struct settling *w, const struct ambiguities *ambiguities,
                       struct machine *machine, struct settled *out)
{
    for (size_t first = 0, end; first < ambiguities->list.count; first = end) {
        struct form_ambiguities f = {.ambiguities = ambiguities, .first = first};
        for (end = first;
             end < ambiguities->list.count &&
             strcmp(ambiguities->list.items[end].form, ambiguities->list.items[first].form) == 0;
             end++)
            ;
        f.end = end;
        if (begin_form(&f, w, machine)) {
            decide(&f, w, machine, out);
            end_form(&f);
        }
    }
}

bool settle_ambiguities(struct source *source, struct journal *journal,
                        const struct runner_options *options, const struct runner_hooks *hooks,
                        struct ambiguities *ambiguities, struct machine *machine,
                        struct settled *out, struct err *err)
{
    struct settling w = {.hooks = hooks,
                         .table = experiments_new(),
                         .row_of = mem_alloc((ambiguities->list.count + 1) * sizeof *w.row_of)};
    const struct runner_hooks own = {
        .cancelled = cancelled, .result = take_result, .progress = progress, .state = &w};
    struct runner_summary summary = {0};

    *out = (struct settled){0};
    ask(&w, ambiguities);
    /* Passes a copy to the runner, which needs a constant table. Results change the session's table
     * during the run. */
    struct experiments *asked = experiments_copy(w.table, NULL);
    bool ok = runner_run(source, asked, journal, options, &own, &summary, err);
    experiments_free(asked);
    out->experiments = w.table->rows.count;
    for (size_t i = 0; i < w.table->rows.count; i++)
        out->measured += experiments_measured(w.table, i);
    if (ok) {
        decide_all(&w, ambiguities, machine, out);
        keep_open(&w, ambiguities);
    }
    experiments_free(w.table);
    free(w.row_of);
    return ok;
}

bool settle_chart(struct lab *lab, struct chart *c, struct err *err)
{
    struct settling w = {.table = c->table,
                         .row_of = mem_alloc((c->ambiguities.count + 1) * sizeof *w.row_of)};
    struct ambiguities ambiguities;

    ambiguities_of_chart(c, "", false, &ambiguities);
    ask(&w, &ambiguities);
    const bool ok = lab_measure(lab, "experiments that distinguish likely usages", err);
    for (size_t i = 0; ok && i < c->ambiguities.count; i++)
        if (experiments_measured(c->table, w.row_of[i])) {
            struct chart_form *f = &c->forms[c->ambiguities.items[i].form];
            const bool again = i && w.row_of[i] == w.row_of[i - 1];
            f->experiments += !again;
            f->hidden = false;
        }
    ambiguities_done(&ambiguities);
    free(w.row_of);
    return ok;
}

void settled_done(struct settled *s)
{
    for (size_t i = 0; i < s->forms.count; i++) {
        free(s->forms.items[i].form);
        free(s->forms.items[i].before);
        free(s->forms.items[i].after);
    }
    vec_done(&s->forms);
}
