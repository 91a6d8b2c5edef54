/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/observable.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "base/watch.h"
#include "throughput/throughput.h"

/* largest relative difference at which two times count as equal */
#define ALIKE 0.01
/* smallest relative difference at which two times count as different */
#define TELLS 0.05
#define SETS_MOST 64
/* maximum number of forms, with different usages, that are tried as partners in experiments */
#define PARTNERS_MOST 24
/* maximum number of other usages for which experiments with two partners are tried */
#define PAIRED_MOST 4
#define COPIES 2             /* maximum number of copies of the form in an experiment */
#define MASSES_MOST 256

static const uint32_t partner_counts[] = {1, 2, 4};
#define PARTNER_COUNTS (sizeof partner_counts / sizeof *partner_counts)

struct looking {
    const struct mapping *mapping;
    const struct experiments *table;
    struct throughput *throughput;
    portset sets[SETS_MOST];
    size_t set_count;
    const struct mapping_entry *partners[PARTNERS_MOST];
    size_t partner_count;
    VEC(size_t) *rows;
};

struct taking {
    struct usage usage;
    unsigned slots;
};

struct load_of {
    const struct usage *usage;
    unsigned slots;
    uint32_t count;
};

/* Returns the cycles of @n parts, including the limit of the issue width; NaN if there are too
 * many. */
static double cycles_of(const struct looking *l, const struct load_of *parts, size_t n)
{
    struct mass masses[MASSES_MOST];
    size_t used = 0;
    double slots = 0, width = mapping_issue_width(l->mapping);

    for (size_t i = 0; i < n; i++) {
        slots += (double)parts[i].slots * parts[i].count;
        for (unsigned k = 0; k < parts[i].usage->count; k++) {
            if (used == MASSES_MOST)
                return NAN;
            masses[used++] = (struct mass){parts[i].usage->uops[k].ports,
                                           parts[i].usage->uops[k].count * parts[i].count};
        }
    }
    double cycles = throughput_of_masses(l->throughput, masses, used);
    return width > 0 ? fmax(cycles, slots / width) : cycles;
}

/* Returns the cycles of row @row if form @form has usage @its, or NaN if the mapping lacks a
 * form. */
static double cycles_with(const struct looking *l, size_t row, uint32_t form,
                          const struct taking *its)
{
    const struct flat_term *terms = experiments_terms(l->table, row);
    struct load_of parts[MASSES_MOST];
    size_t n = l->table->rows.items[row].count;

    for (size_t i = 0; i < n; i++) {
        const struct mapping_entry *e =
            mapping_find(l->mapping, l->table->forms.items[terms[i].form]);
        if (!e || n > MASSES_MOST)
            return NAN;
        parts[i] = terms[i].form == form
                       ? (struct load_of){&its->usage, its->slots, terms[i].count}
                       : (struct load_of){&e->usage, e->micro_ops, terms[i].count};
    }
    return cycles_of(l, parts, n);
}

static bool alike(double a, double b)
{
    return fabs(a - b) <= ALIKE * fmin(a, b);
}

static bool fits(const struct looking *l, uint32_t form, const struct mapping_entry *is,
                 const struct taking *other)
{
    const struct taking own = {is->usage, is->micro_ops};
    bool all = l->rows[form].count > 0;

    for (size_t i = 0; i < l->rows[form].count && all && !watch_steps(4); i++)
        all = alike(cycles_with(l, l->rows[form].items[i], form, &own),
                    cycles_with(l, l->rows[form].items[i], form, other));
    return all && !watch_over();
}

static void add_set(struct looking *l, portset set)
{
    for (size_t i = 0; i < l->set_count; i++)
        if (l->sets[i] == set)
            return;
    if (set && l->set_count < SETS_MOST)
        l->sets[l->set_count++] = set;
}

static void add_partner(struct looking *l, const struct mapping_entry *e)
{
    for (size_t i = 0; i < l->partner_count; i++)
        if (usage_equal(&l->partners[i]->usage, &e->usage) &&
            l->partners[i]->micro_ops == e->micro_ops)
            return;
    if (e->usage.count && l->partner_count < PARTNERS_MOST)
        l->partners[l->partner_count++] = e;
}

static void look_over(struct looking *l)
{
    const struct ports *ports = mapping_ports(l->mapping);

    add_set(l, (((portset)1 << (ports->count - 1) << 1) - 1) & ~ports->pipes);
    for (uint32_t f = 0; f < l->table->forms.count; f++) {
        const struct mapping_entry *e = mapping_find(l->mapping, l->table->forms.items[f]);
        if (!e)
            continue;
        add_partner(l, e);
        for (unsigned k = 0; k < e->usage.count; k++)
            add_set(l, e->usage.uops[k].ports);
    }
    for (size_t row = 0; row < l->table->rows.count && !watch_steps(1); row++)
        for (size_t i = 0;
             experiments_measured(l->table, row) && i < l->table->rows.items[row].count; i++)
            vec_push(&l->rows[experiments_terms(l->table, row)[i].form], row);
}

struct most_telling {
    double difference;
    struct experiment experiment;
};

/* Considers experiments with a few executions of @is and of each of the @n partners. Stores the
 * experiment that best distinguishes the usages if it is better than *@best. */
static void try_partners(const struct looking *l, const struct mapping_entry *is,
                         const struct taking *other, const struct mapping_entry *const *partners,
                         size_t n, struct most_telling *best)
{
    for (uint32_t copies = 1; copies <= COPIES; copies++)
        for (size_t c = 0; c < PARTNER_COUNTS; c++) {
            struct load_of parts[3] = {{&is->usage, is->micro_ops, copies}};
            for (size_t i = 0; i < n; i++)
                parts[i + 1] = (struct load_of){&partners[i]->usage, partners[i]->micro_ops,
                                                partner_counts[c]};
            double a = cycles_of(l, parts, n + 1);
            parts[0] = (struct load_of){&other->usage, other->slots, copies};
            double b = cycles_of(l, parts, n + 1), difference = fabs(a - b) / fmin(a, b);
            if (!(difference > best->difference))
                continue;
            best->difference = difference;
            experiment_done(&best->experiment);
            experiment_add(&best->experiment, is->form, copies);
            for (size_t i = 0; i < n; i++)
                experiment_add(&best->experiment, partners[i]->form, partner_counts[c]);
        }
}

/* Finds the experiment that best distinguishes @other from the form's usage. The experiment is
 * empty if there is none. If @paired is true, tries two partners if no experiment with one partner
 * suffices. */
static void find_telling(const struct looking *l, const struct mapping_entry *is,
                         const struct taking *other, bool paired, struct experiment *out)
{
    struct most_telling best = {.difference = TELLS};

    for (size_t i = 0; i < l->partner_count; i++)
        if (l->partners[i] != is)
            try_partners(l, is, other, &l->partners[i], 1, &best);
    for (size_t i = 0; i < l->partner_count && paired && !best.experiment.count; i++)
        for (size_t k = i + 1; k < l->partner_count && !watch_steps(16); k++) {
            const struct mapping_entry *two[] = {l->partners[i], l->partners[k]};
            if (two[0] != is && two[1] != is)
                try_partners(l, is, other, two, 2, &best);
        }
    *out = best.experiment;
}

/* Counts @other if it explains the measurements. Finds an experiment that distinguishes it from
 * @is, unless an experiment is already stored. */
static void consider(const struct looking *l, uint32_t form, const struct mapping_entry *is,
                     const struct taking *other, struct observable *out)
{
    if (!fits(l, form, is, other))
        return;
    out->rivals++;
    if (!out->settle.count)
        find_telling(l, is, other, out->rivals <= PAIRED_MOST, &out->settle);
}

/* Returns the number of issue slots that explains the form's time in isolation. */
static unsigned slots_alone(const struct looking *l, const struct mapping_entry *is)
{
    double alone = cycles_of(l, &(struct load_of){&is->usage, is->micro_ops, 1}, 1),
           slots = rint(alone * mapping_issue_width(l->mapping));
    return slots > is->micro_ops ? (unsigned)slots : is->micro_ops;
}

static void observe_form(const struct looking *l, uint32_t form, struct observable *out)
{
    const struct mapping_entry *is = mapping_find(l->mapping, l->table->forms.items[form]);

    if (!is)
        return;
    if (is->usage.count)
        consider(l, form, is, &(struct taking){.slots = slots_alone(l, is)}, out);
    for (size_t i = 0; i < l->set_count && !is->usage.count; i++) {
        struct taking other = {.slots = is->micro_ops};
        usage_add(&other.usage, l->sets[i], 1);
        consider(l, form, is, &other, out);
        usage_done(&other.usage);
    }
}

void observable_find(const struct mapping *m, const struct experiments *t, struct observable *out)
{
    struct looking l = {.mapping = m,
                        .table = t,
                        .throughput = throughput_new(PORTS_MAX),
                        .rows = mem_zero(t->forms.count + 1, sizeof *l.rows)};

    look_over(&l);
    for (uint32_t f = 0; f < t->forms.count; f++) {
        out[f] = (struct observable){0};
        if (!watch_over())
            observe_form(&l, f, &out[f]);
    }
    for (uint32_t f = 0; f < t->forms.count; f++)
        vec_done(&l.rows[f]);
    free(l.rows);
    throughput_free(l.throughput);
}

const char *observable_reason(const struct mapping *m)
{
    return mapping_issue_width(m) > 0 ? "not observable: the issue width hides the ports"
                                      : "not observable: no measurement shows the ports";
}

void observable_done(struct observable *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        experiment_done(&list[i].settle);
}
