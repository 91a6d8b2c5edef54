/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/names.h"
#include "base/path.h"
#include "chart/saturate.h"
#include "throughput/throughput.h"

#define SURE 0.9             /* minimum confidence of the usage of a witness, a form that runs with
                              * ambiguous forms in experiments */
#define QUICK 4.0            /* maximum cycles per execution of a witness in isolation */
#define WITNESSES_MOST 120      /* maximum number of witnesses, which have different usages */
#define TELLS 2.0            /* Number of standard deviations by which the predictions of two usages
                              * must differ for an experiment to distinguish them */
/* No further experiment is chosen if one that was chosen for another alternative exceeds this
 * difference, in the unit of TELLS. */
#define TELLS_ENOUGH 4.0
#define COPIES 2             /* maximum number of copies of the ambiguous form in one experiment */
/* Maximum number of executions of a saturator, relative to the smallest number that takes longer
 * than the ambiguous form. */
#define LEVELS 2
#define SIZE_MOST 160        /* maximum number of instructions in one experiment */
#define MASSES_MOST 400
/* maximum number of experiments that test one form with saturators of untested ports */
#define CHECKS_MOST 4
/* weight of a check in the file of ambiguities; small, because a check suggests no other usage */
#define CHECK_WEIGHT 1e-6
#define NOT_TESTED ", not tested against "

struct witnesses {
    const struct chart *chart;
    struct mapping *mapping;      /* port mapping with one form of each certain usage */
    struct lattice *lattice;
    struct saturators saturators;
    struct throughput *throughput;
    struct names measured;        /* keys of all experiments with a time */
};

static void take_measured(const struct experiments *t, struct names *out)
{
    struct str key = {0};

    for (size_t i = 0; i < t->rows.count; i++) {
        struct experiment e;
        if (!experiments_measured(t, i))
            continue;
        experiments_get(t, i, &e);
        experiment_print_key(&e, &key);
        names_add(out, str_text(&key));
        experiment_done(&e);
    }
    str_done(&key);
}

static bool is_measured(const struct witnesses *w, const struct experiment *e)
{
    struct str key = {0};

    experiment_print_key(e, &key);
    const bool is = names_find(&w->measured, str_text(&key)) < w->measured.count;
    str_done(&key);
    return is;
}

static bool fresh_usage(const struct mapping *m, const struct mapping_entry *entry)
{
    for (size_t i = 0; i < mapping_count(m); i++) {
        const struct mapping_entry *other = mapping_at(m, i);
        if (usage_equal(&other->usage, &entry->usage) && other->micro_ops == entry->micro_ops &&
            vectors_of(other->form) == vectors_of(entry->form))
            return false;
    }
    return true;
}

/* Returns whether each alternative has at most 1 - SURE of the likelihood of the form's usage. */
static bool is_alone(const struct chart_form *f)
{
    double most = 0;

    for (unsigned i = 0; i < f->other_count; i++)
        most = fmax(most, f->others[i].weight);
    return most <= 1 - SURE;
}

/* Returns a mapping with one fast form for each certain usage, at most WITNESSES_MOST forms.
 * Forms of the core come first. */
static struct mapping *sure_forms(const struct chart *c)
{
    struct mapping *m = mapping_new(mapping_ports(c->machine->mapping));

    mapping_set_issue_width(m, c->width);
    for (unsigned turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < c->form_count && mapping_count(m) < WITNESSES_MOST; i++) {
            const struct chart_form *f = &c->forms[i];
            const struct mapping_entry *entry = mapping_find(c->machine->mapping, f->row->form);
            bool sure = f->state == (turn ? CHART_PLACED : CHART_IN_CORE) &&
                        f->confidence >= SURE && f->alone <= QUICK && !f->hidden &&
                        is_alone(f);
            if (entry && sure && fresh_usage(m, entry))
                mapping_set(m, entry);
        }
    return m;
}

static size_t add_masses(const struct usage *u, uint32_t count, struct mass *masses, size_t n)
{
    for (unsigned k = 0; k < u->count && n < MASSES_MOST; k++)
        masses[n++] = (struct mass){u->uops[k].ports, u->uops[k].count * count};
    return n;
}

/* Predicts the cycles of an experiment: @copies of a form with @usage, and @count executions of
 * saturator @s. */
static double cycles_with(const struct witnesses *w, const struct usage *usage,
                            unsigned own_slots, uint32_t copies, const struct saturator *s,
                            uint32_t count)
{
    struct mass masses[MASSES_MOST];
    size_t n = add_masses(usage, copies, masses, 0);
    double slots = (double)own_slots * copies;

    for (unsigned i = 0; i < s->term_count; i++) {
        const struct mapping_entry *e = mapping_at(w->mapping, s->terms[i].entry);
        n = add_masses(&e->usage, s->terms[i].count * count, masses, n);
        slots += (double)e->micro_ops * s->terms[i].count * count;
    }
    double cycles = throughput_of_masses(w->throughput, masses, n),
           width = mapping_issue_width(w->mapping);
    return width > 0 ? fmax(cycles, slots / width) : cycles;
}

static uint64_t within(const struct usage *u, portset ports)
{
    uint64_t sum = 0;
    for (unsigned k = 0; k < u->count; k++)
        sum += u->uops[k].ports & ~ports ? 0 : u->uops[k].count;
    return sum;
}

static bool may_run_with(const struct witnesses *w, const char *form, const struct saturator *s)
{
    enum vectors own = vectors_of(form);

    for (unsigned i = 0; i < s->term_count; i++)
        if (strcmp(mapping_at(w->mapping, s->terms[i].entry)->form, form) == 0)
            return false;
    return !own || !s->vectors || own == s->vectors;
}

/* Returns whether an experiment with @s can distinguish the usages. The form must be able to run
 * with @s. The usages must differ in µops on the ports of @s, or in slots if @s keeps the issue
 * slots busy. */
static bool may_tell(const struct witnesses *w, const char *form, const struct mapping_entry *is,
                     const struct chart_usage *other, const struct saturator *s)
{
    if (!may_run_with(w, form, s))
        return false;
    return s->ports ? within(&is->usage, s->ports) != within(&other->usage, s->ports)
                    : is->micro_ops != other->slots;
}

static void write_experiment(const struct witnesses *w, const char *form, uint32_t copies,
                             const struct saturator *s, uint32_t count, struct experiment *out)
{
    experiment_done(out);
    experiment_add(out, form, copies);
    for (unsigned i = 0; i < s->term_count; i++)
        experiment_add(out, mapping_at(w->mapping, s->terms[i].entry)->form,
                       s->terms[i].count * count);
}

/* Returns @level times the smallest count of @s that takes at least a cycle longer than @copies of
 * the form. Returns 0 if the experiment would be too large. */
static uint32_t count_with(const struct chart_form *f, uint32_t copies, const struct saturator *s,
                           uint32_t level)
{
    uint32_t size = 0, count = level * (uint32_t)ceil((copies * f->alone + 1) / s->cycles - 0.01);

    for (unsigned k = 0; k < s->term_count; k++)
        size += s->terms[k].count;
    return (uint64_t)size * count + copies > SIZE_MOST ? 0 : count;
}

struct distinction {
    const struct saturator *saturator;
    uint32_t copies, count;
};

/* Returns the difference of the predictions for both usages, in standard deviations. */
static double difference(const struct witnesses *w, const struct mapping_entry *is,
                         const struct chart_usage *other, struct distinction t)
{
    const double a = cycles_with(w, &is->usage, is->micro_ops, t.copies, t.saturator, t.count),
                 b = cycles_with(w, &other->usage, other->slots, t.copies, t.saturator, t.count);

    return fabs(a - b) / sight_noise(w->chart->noise, fmin(a, b));
}

/* Finds the experiment for which the predictions of usages @is and @other of form @f differ most.
 * Returns the difference. */
static double best_experiment(const struct witnesses *w, const struct chart_form *f,
                              const struct mapping_entry *is, const struct chart_usage *other,
                              struct distinction *out)
{
    double most = 0;

    for (size_t i = 0; i < w->saturators.list.count; i++) {
        const struct saturator *s = &w->saturators.list.items[i];
        if (!may_tell(w, f->row->form, is, other, s))
            continue;
        for (uint32_t copies = 1; copies <= COPIES; copies++)
            for (uint32_t level = 1; level <= LEVELS; level++) {
                const struct distinction tried = {s, copies, count_with(f, copies, s, level)};
                const double distance = tried.count ? difference(w, is, other, tried) : 0;
                if (distance > most) {
                    most = distance;
                    *out = tried;
                }
            }
    }
    return most;
}

/* Finds an experiment that distinguishes both usages: one of the @n in @chosen, otherwise the best
 * one, which is added to @chosen. Returns whether there is one that is not measured yet. */
static bool find_experiment(const struct witnesses *w, const struct chart_form *f,
                            const struct mapping_entry *is, const struct chart_usage *other,
                            struct distinction *chosen, unsigned *n, struct experiment *out)
{
    struct distinction best;
    unsigned i = 0;

    while (i < *n && difference(w, is, other, chosen[i]) <= TELLS_ENOUGH)
        i++;
    const bool again = i < *n;
    if (!again && best_experiment(w, f, is, other, &best) <= TELLS)
        return false;
    if (again)
        best = chosen[i];
    write_experiment(w, f->row->form, best.copies, best.saturator, best.count, out);
    if (again || is_measured(w, out))
        return again;
    chosen[(*n)++] = best;
    return true;
}

/* Finds experiments for the alternatives of one form, and appends the ambiguities to the chart. */
static void find_ambiguities(const struct witnesses *w, struct chart *c, uint32_t form)
{
    struct chart_form *f = &c->forms[form];
    const struct mapping_entry *is = mapping_find(c->machine->mapping, f->row->form);
    struct distinction *chosen = mem_alloc((f->other_count + 1) * sizeof *chosen);
    double weight = 0;
    unsigned n = 0;

    for (unsigned i = 0; i < f->other_count; i++) {
        struct chart_ambiguity ambiguity = {form, i, {0}};
        if (!find_experiment(w, f, is, &f->others[i], chosen, &n, &ambiguity.experiment)) {
            experiment_done(&ambiguity.experiment);
            continue;
        }
        if (!f->settle) {   /* The alternatives are sorted, so the first one is the most likely. */
            struct str text = {0};
            usage_print(&f->others[i].usage, mapping_ports(c->machine->mapping), &text);
            free(f->rival);
            f->rival = str_take(&text);
            experiment_print(&ambiguity.experiment, &text);
            f->settle = str_take(&text);
        }
        weight = fmax(weight, f->others[i].weight);
        vec_push(&c->ambiguities, ambiguity);
    }
    free(chosen);
    f->confidence = fmin(f->confidence, 1 / (1 + weight));
}

/* Returns the saturator with the largest number of @ports that may run with the form. Of several,
 * returns the one with the fewest ports in total. Returns NULL if there is none. */
static const struct saturator *busy_with(const struct witnesses *w, const struct chart_form *f,
                                         portset ports)
{
    const struct saturator *best = NULL;

    for (size_t i = 0; i < w->saturators.list.count; i++) {
        const struct saturator *s = &w->saturators.list.items[i];
        unsigned own = portset_size(s->ports & ports),
                 most = best ? portset_size(best->ports & ports) : 0;
        if (own && own >= most &&
            (own > most || portset_size(s->ports) < portset_size(best->ports)) &&
            count_with(f, 1, s, 1) && may_run_with(w, f->row->form, s))
            best = s;
    }
    return best;
}

static void check_form(const struct witnesses *w, struct chart *c, uint32_t form)
{
    struct chart_form *f = &c->forms[form];
    const struct saturator *s;
    struct str text = {0};
    portset left = f->untested;

    for (unsigned n = 0; n < CHECKS_MOST && left && (s = busy_with(w, f, left)) != NULL; n++) {
        struct chart_check check = {form, {0}};
        write_experiment(w, f->row->form, 1, s, count_with(f, 1, s, 1), &check.experiment);
        vec_push(&c->checks, check);
        left &= ~s->ports;
        if (n)
            continue;
        experiment_print(&check.experiment, &text);
        f->check = str_take(&text);
    }
}

void ambiguities_forget(struct chart *c)
{
    for (size_t i = 0; i < c->ambiguities.count; i++)
        experiment_done(&c->ambiguities.items[i].experiment);
    for (size_t i = 0; i < c->checks.count; i++)
        experiment_done(&c->checks.items[i].experiment);
    c->ambiguities.count = c->checks.count = 0;
    for (size_t i = 0; i < c->form_count; i++) {
        free(c->forms[i].rival);
        free(c->forms[i].settle);
        free(c->forms[i].check);
        c->forms[i].rival = c->forms[i].settle = c->forms[i].check = NULL;
    }
}

void ambiguities_find(struct chart *c)
{
    ambiguities_forget(c);
    struct witnesses w = {
        .chart = c, .mapping = sure_forms(c), .lattice = mem_zero(1, sizeof *w.lattice)};

    lattice_make(w.mapping, c->width > 0 ? c->width : INFINITY, c->noise, w.lattice);
    if (w.lattice->columns) {
        w.throughput = throughput_new(PORTS_MAX);
        take_measured(c->table, &w.measured);
        saturators_find(w.mapping, w.lattice, NULL, &w.saturators);
        for (uint32_t i = 0; i < c->form_count; i++)
            if (c->forms[i].state == CHART_PLACED) {
                find_ambiguities(&w, c, i);
                check_form(&w, c, i);
            }
        throughput_free(w.throughput);
        names_done(&w.measured);
        saturators_done(&w.saturators);
    }
    lattice_done(w.lattice);
    free(w.lattice);
    mapping_free(w.mapping);
}

const char *ambiguities_hidden_reason(const struct chart_form *f)
{
    return f->settle
               ? "not observable with the core"
               : "not observable: the issue width hides the ports with every saturator";
}

void ambiguities_note(const struct chart *c, const struct chart_form *f, struct str *out)
{
    if (f->hidden)
        str_addf(out, ", %s", ambiguities_hidden_reason(f));
    if (f->hidden && f->settle)
        str_addf(out, "; %s would distinguish the usages", f->settle);
    if (!f->hidden)
        untested_print(f->untested, mapping_ports(c->machine->mapping), out);
}

void untested_print(portset ports, const struct ports *names, struct str *out)
{
    if (!ports)
        return;
    str_add(out, NOT_TESTED);
    portset_print(ports, names, out);
}

portset untested_parse(const char *source, const struct ports *names)
{
    const char *at = strstr(source, NOT_TESTED);
    portset ports = 0;

    if (!at)
        return 0;
    at += strlen(NOT_TESTED);
    return portset_parse(&at, names, &ports, NULL) ? ports : 0;
}

static void add_ambiguity(const struct chart *c, uint32_t form, const struct usage *usage,
                          unsigned slots, double weight, const struct experiment *e,
                          struct ambiguities *out)
{
    struct ambiguity d = {
        .form = mem_strdup(c->forms[form].row->form), .slots = slots, .weight = weight};

    usage_copy(&d.usage, usage);
    for (unsigned k = 0; k < e->count; k++)
        experiment_add(&d.experiment, e->terms[k].form, e->terms[k].count);
    vec_push(&out->list, d);
}

void ambiguities_of_chart(const struct chart *c, const char *simulated, bool checks,
                          struct ambiguities *out)
{
    size_t next = 0, next_check = 0;

    *out = (struct ambiguities){
        .noise = c->noise, .above_ports = c->above_ports, .simulated = mem_strdup(simulated)};
    for (uint32_t form = 0; form < c->form_count; form++) {
        for (; next < c->ambiguities.count && c->ambiguities.items[next].form == form; next++) {
            const struct chart_usage *other =
                &c->forms[form].others[c->ambiguities.items[next].other];
            add_ambiguity(c, form, &other->usage, other->slots, other->weight,
                          &c->ambiguities.items[next].experiment, out);
        }
        for (; checks && next_check < c->checks.count && c->checks.items[next_check].form == form;
             next_check++) {
            const struct mapping_entry *entry =
                mapping_find(c->machine->mapping, c->forms[form].row->form);
            add_ambiguity(c, form, &entry->usage, entry->micro_ops, CHECK_WEIGHT,
                          &c->checks.items[next_check].experiment, out);
        }
    }
}

bool ambiguity_is_check(const struct ambiguity *d, const struct mapping_entry *entry)
{
    return usage_equal(&d->usage, &entry->usage) && d->slots == entry->micro_ops;
}

enum { COLUMN_FORM, COLUMN_USAGE, COLUMN_SLOTS, COLUMN_WEIGHT, COLUMN_EXPERIMENT, COLUMNS };
static const char *const column_names[COLUMNS] = {"form", "usage", "slots", "weight", "experiment"};

bool ambiguities_save(const struct ambiguities *d, const struct ports *ports, const char *path,
                      struct err *err)
{
    struct str out = {0}, text = {0};

    for (int i = 0; i < COLUMNS; i++)
        csv_add_field(&out, column_names[i], i + 1 == COLUMNS);
    str_addf(&out, "noise,,,%.17g,\nlate,,,%d,\nsimulated,,,,", d->noise, d->above_ports);
    csv_add_field(&out, d->simulated, true);
    for (size_t i = 0; i < d->list.count; i++) {
        const struct ambiguity *one = &d->list.items[i];
        csv_add_field(&out, one->form, false);
        str_clear(&text);
        usage_print(&one->usage, ports, &text);
        csv_add_field(&out, str_text(&text), false);
        str_addf(&out, "%u,%.6g,", one->slots, one->weight);
        str_clear(&text);
        experiment_print(&one->experiment, &text);
        csv_add_field(&out, str_text(&text), true);
    }
    bool ok =
        path_make_parents(path, 0777, err) && file_write(path, str_text(&out), out.length, err);
    str_done(&out);
    str_done(&text);
    return ok;
}

static bool read_row(char **row, const struct ports *ports, struct ambiguities *out,
                     struct err *err)
{
    struct ambiguity d = {.slots = (unsigned)strtoul(row[COLUMN_SLOTS], NULL, 10),
                          .weight = strtod(row[COLUMN_WEIGHT], NULL)};

    if (strcmp(row[COLUMN_FORM], "noise") == 0) {
        out->noise = d.weight;
        return (d.weight >= 0 && d.weight < 1) ||
               err_set(err, ERR_DATA, "give a number of at least 0 and below 1",
                       "invalid noise: %s", row[COLUMN_WEIGHT]);
    }
    if (strcmp(row[COLUMN_FORM], "late") == 0) {
        out->above_ports = d.weight > 0;
        return true;
    }
    if (strcmp(row[COLUMN_FORM], "simulated") == 0) {
        free(out->simulated);
        out->simulated = mem_strdup(row[COLUMN_EXPERIMENT]);
        return true;
    }
    if (!usage_parse(row[COLUMN_USAGE], ports, &d.usage, err) ||
        !experiment_parse(row[COLUMN_EXPERIMENT], &d.experiment, err)) {
        usage_done(&d.usage);
        return false;
    }
    d.form = mem_strdup(row[COLUMN_FORM]);
    d.weight = d.weight > 0 && d.weight < 1e6 ? d.weight : 1;
    vec_push(&out->list, d);
    return true;
}

static bool holds_ambiguities(const struct csv_table *t)
{
    bool same = t->columns == COLUMNS;

    for (int i = 0; same && i < COLUMNS; i++)
        same = csv_table_column(t, column_names[i]) == i;
    return same;
}

bool ambiguities_load(const char *path, const struct ports *ports, struct ambiguities *out,
                      struct err *err)
{
    struct csv_table *t = csv_table_read(path, err);
    bool ok = t && (holds_ambiguities(t) ||
                    err_set(err, ERR_DATA,
                            "give an ambiguities file that machine chart saved with this version",
                            "%s is not an ambiguities file of machine chart", path));

    /* In a file without the field "late", times are assumed to exceed the port bound. */
    *out = (struct ambiguities){.noise = NAN, .above_ports = true, .simulated = mem_strdup("")};
    for (size_t i = 0; ok && i < t->count; i++)
        ok = read_row(t->rows[i], ports, out, err) || err_at(err, path, t->lines[i], err->column);
    csv_table_free(t);
    if (ok && isnan(out->noise))
        ok = err_set(err, ERR_DATA,
                     "give an ambiguities file that machine chart saved with this version",
                     "%s has no row `noise`", path);
    if (!ok)
        ambiguities_done(out);
    return ok;
}

void ambiguity_done(struct ambiguity *d)
{
    free(d->form);
    usage_done(&d->usage);
    experiment_done(&d->experiment);
}

void ambiguities_done(struct ambiguities *d)
{
    for (size_t i = 0; i < d->list.count; i++)
        ambiguity_done(&d->list.items[i]);
    vec_done(&d->list);
    free(d->simulated);
    *d = (struct ambiguities){0};
}
