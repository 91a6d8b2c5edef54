/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/stages.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "chart/saturate.h"
#include "chart/verdict.h"
#include "isa/operands.h"
#include "throughput/predict.h"
#include "throughput/throughput.h"

#define ROWS_FEWEST 8
#define ROWS_MOST 1500       /* most experiments per form */
#define TERMS_MOST 16        /* most forms per experiment */
#define TRIED_MOST 40        /* most usages of other forms that are tried for one form */
#define SETS_MOST 64         /* most port sets whose µops are added or removed */
#define STEPS 8             /* most steps, each of which must reduce the error */
#define GAIN 0.25            /* relative reduction of the error that another usage must achieve */
#define GAIN_LEAST 0.005     /* least absolute reduction, so that noise changes nothing */
#define STEP_GAIN 0.1
#define SLOWEST 1.1          /* largest ratio of a tried usage's time to the form's time alone */
#define QUICKEST 0.5         /* smallest ratio of a tried usage's time to the form's time alone */

typedef VEC(uint32_t) row_list;

/* A usage that one or more forms have. */
struct refine_use {
    struct usage usage;
    unsigned slots;
    bool memory, vectors;    /* whether the forms access memory; whether they use vectors */
    size_t forms;
    double cycles;           /* predicted cycles of a form alone with this usage */
    size_t at;               /* index of the usage in the order of discovery */
};

struct refined {
    bool changed;
    struct usage usage;
    unsigned slots;
    double worst;            /* largest relative error of an experiment with the form */
};

struct refining {
    const struct lab *lab;
    struct chart *c;
    row_list *rows;          /* rows of the table that contain the form, by form */
    struct refine_use *uses;
    size_t use_count;
    portset sets[SETS_MOST], pipes;
    size_t set_count;
    struct refined *out;     /* result for each form */
    unsigned workers;
    atomic_bool over;
};

/* State while alternatives for one form are tried one by one. */
struct refine_trial {
    const struct experiments *table;   /* copy of the form's experiments */
    struct mapping *mapping;           /* mapping in which the alternatives are set */
    double *cycles;
    struct mapping_entry entry;
    struct usage best;
    unsigned slots;
    double error, worst;
};

static int by_forms(const void *a, const void *b)
{
    const struct refine_use *x = a, *y = b;

    if (x->forms != y->forms)
        return (x->forms < y->forms) - (x->forms > y->forms);
    return x->cycles != y->cycles ? (x->cycles > y->cycles) - (x->cycles < y->cycles)
                                  : (x->at > y->at) - (x->at < y->at);
}

static double cycles_alone(struct throughput *throughput, const struct usage *u, unsigned slots,
                           double width)
{
    struct mass masses[SETS_MOST];
    size_t n = 0;

    for (; n < u->count && n < SETS_MOST; n++)
        masses[n] = (struct mass){u->uops[n].ports, u->uops[n].count};
    return fmax(throughput_of_masses(throughput, masses, n), slots / width);
}

/* Collects the port sets whose µops may be added or removed. Excludes blocking pipes, because
 * measured pairs determined them (chart/pipes.h). */
static void count_sets(struct refining *r)
{
    r->pipes = mapping_ports(r->c->machine->mapping)->pipes;
    for (size_t i = 0; i < r->use_count; i++)
        for (unsigned k = 0; k < r->uses[i].usage.count; k++) {
            size_t at = 0;
            if (r->uses[i].usage.uops[k].ports & r->pipes)
                continue;
            while (at < r->set_count && r->sets[at] != r->uses[i].usage.uops[k].ports)
                at++;
            if (at == r->set_count && at < SETS_MOST)
                r->sets[r->set_count++] = r->uses[i].usage.uops[k].ports;
        }
}

/* Collects all usages of the machine, the most frequent first, and their port sets. */
static void take_uses(struct refining *r)
{
    const struct mapping *m = r->c->machine->mapping;
    struct throughput *throughput = throughput_new(mapping_ports(m)->count);

    r->uses = mem_alloc((mapping_count(m) + 1) * sizeof *r->uses);
    for (size_t i = 0; i < mapping_count(m); i++) {
        const struct mapping_entry *e = mapping_at(m, i);
        bool memory = form_has_memory(e->form), vectors = form_has_vectors(e->form);
        size_t k = 0;
        while (k < r->use_count &&
               !(r->uses[k].slots == e->micro_ops && r->uses[k].memory == memory &&
                 r->uses[k].vectors == vectors && usage_equal(&r->uses[k].usage, &e->usage)))
            k++;
        if (k == r->use_count) {
            r->uses[r->use_count++] = (struct refine_use){
                .at = k,
                .slots = e->micro_ops,
                .memory = memory,
                .vectors = vectors,
                .cycles = cycles_alone(throughput, &e->usage, e->micro_ops, r->c->width)};
            usage_copy(&r->uses[k].usage, &e->usage);
        }
        r->uses[k].forms++;
    }
    throughput_free(throughput);
    if (r->use_count)
        qsort(r->uses, r->use_count, sizeof *r->uses, by_forms);
    count_sets(r);
}

static void take_rows(struct refining *r)
{
    const struct experiments *t = r->c->table;

    r->rows = mem_zero(r->c->form_count + 1, sizeof *r->rows);
    for (size_t i = 0; i < t->rows.count; i++)
        for (uint32_t k = 0; k < t->rows.items[i].count && t->rows.items[i].count <= TERMS_MOST &&
                             experiments_measured(t, i);
             k++) {
            uint32_t f = experiments_terms(t, i)[k].form;
            if (f < r->c->form_count && r->rows[f].count < ROWS_MOST)
                vec_push(&r->rows[f], (uint32_t)i);
        }
}

/* Returns a new table with copies of @rows. The caller frees it. */
static struct experiments *table_of(const struct experiments *from, const row_list *rows)
{
    struct experiments *t = experiments_new();

    for (size_t i = 0; i < rows->count; i++) {
        const struct experiment_row *row = &from->rows.items[rows->items[i]];
        const struct flat_term *terms = experiments_terms(from, rows->items[i]);
        struct flat_term own[TERMS_MOST];
        for (uint32_t k = 0; k < row->count; k++)
            own[k] = (struct flat_term){names_add(&t->forms, from->forms.items[terms[k].form]),
                                        terms[k].count};
        experiments_add(t, own, row->count);
        experiments_set(t, t->rows.count - 1, row->cycles, 0, 1, EXPERIMENT_OK);
    }
    return t;
}

/* Predicts the form's experiments with usage @u, and stores it as the best if the mean error is
 * smaller. */
static void try_usage(struct refine_trial *t, const struct usage *u, unsigned slots)
{
    double sum = 0, worst = 0;
    size_t n = 0;

    t->entry.usage = *u;
    t->entry.micro_ops = slots;
    mapping_set(t->mapping, &t->entry);
    throughput_predict(t->mapping, t->table, t->cycles);
    for (size_t i = 0; i < t->table->rows.count; i++)
        if (!isnan(t->cycles[i])) {
            double off = fabs(t->cycles[i] / t->table->rows.items[i].cycles - 1);
            sum += off;
            worst = off > worst ? off : worst;
            n++;
        }
    double error = n ? sum / (double)n : INFINITY;
    if (error < t->error) {
        struct usage kept = {0};
        usage_copy(&kept, u);
        usage_done(&t->best);
        t->best = kept;
        t->slots = slots;
        t->error = error;
        t->worst = worst;
    }
}

/* Tries @from with one µop removed from entry @out (UINT_MAX: none) and one µop added to set @in
 * (0: none). */
static void try_change(struct refine_trial *t, const struct usage *from, unsigned out, portset in,
                       unsigned slots)
{
    struct usage u = {0};

    for (unsigned k = 0; k < from->count; k++)
        if (from->uops[k].count > (k == out))
            usage_add(&u, from->uops[k].ports, from->uops[k].count - (k == out));
    if (in)
        usage_add(&u, in, 1);
    try_usage(t, &u, slots);
    usage_done(&u);
}

static void try_steps(const struct refining *r, struct refine_trial *t)
{
    double before = INFINITY;

    for (unsigned step = 0; step < STEPS && t->error < before * (1 - STEP_GAIN); step++) {
        struct usage from = {0};
        unsigned slots = t->slots;
        before = t->error;
        usage_copy(&from, &t->best);
        for (size_t s = 0; s < r->set_count; s++) {
            try_change(t, &from, UINT32_MAX, r->sets[s], slots);
            for (unsigned k = 0; k < from.count; k++)
                if (from.uops[k].ports != r->sets[s] && !(from.uops[k].ports & r->pipes))
                    try_change(t, &from, k, r->sets[s], slots);
        }
        for (unsigned k = 0; k < from.count; k++)
            if (!(from.uops[k].ports & r->pipes))
                try_change(t, &from, k, 0, slots);
        usage_done(&from);
    }
}

static bool is_open(const struct refining *r, size_t at)
{
    const struct chart_form *f = &r->c->forms[at];

    return (f->state == CHART_PLACED || f->state == CHART_UNEXPLAINED) && !f->joined &&
           f->alone > 0 && r->rows[at].count >= ROWS_FEWEST &&
           mapping_find(r->c->machine->mapping, f->row->form);
}

static void refine_form(struct refining *r, size_t at, struct mapping *m)
{
    const struct chart_form *f = &r->c->forms[at];
    const struct mapping_entry *own = mapping_find(r->c->machine->mapping, f->row->form);
    const bool memory = form_has_memory(f->row->form), vectors = form_has_vectors(f->row->form);
    struct experiments *table = table_of(r->c->table, &r->rows[at]);
    struct refine_trial t = {.table = table,
                             .mapping = m,
                             .cycles = mem_alloc((table->rows.count + 1) * sizeof *t.cycles),
                             .entry = *own,
                             .error = INFINITY};

    try_usage(&t, &own->usage, own->micro_ops);
    double before = t.error;
    for (size_t i = 0, tried = 0; i < r->use_count && tried < TRIED_MOST; i++) {
        const struct refine_use *u = &r->uses[i];
        if (u->memory != memory || u->vectors != vectors || u->cycles > SLOWEST * f->alone ||
            u->cycles < QUICKEST * f->alone)
            continue;
        try_usage(&t, &u->usage, u->slots);
        tried++;
    }
    try_steps(r, &t);
    mapping_set(m, own);
    if (t.error < before * (1 - GAIN) && t.error < before - GAIN_LEAST)
        r->out[at] = (struct refined){true, t.best, t.slots, t.worst};
    else
        usage_done(&t.best);
    free(t.cycles);
    experiments_free(table);
}

static void refine_share(void *state, unsigned worker)
{
    struct refining *r = state;
    const struct chart_hooks *hooks = r->lab->hooks;
    struct mapping *m = mapping_copy(r->c->machine->mapping);

    for (size_t i = worker; i < r->c->form_count && worker < r->workers && !atomic_load(&r->over);
         i += r->workers) {
        if (is_open(r, i))
            refine_form(r, i, m);
        if (worker)
            continue;
        hooks->progress(hooks->state, CHART_PLACES, (double)i, (double)r->c->form_count,
                        "usages with smaller errors");
        if (hooks->cancelled(hooks->state))
            atomic_store(&r->over, true);
    }
    mapping_free(m);
}

/* Writes the changed usages to the machine. Returns how many changed. */
static size_t write_refined(struct refining *r)
{
    size_t changed = 0;

    for (size_t i = 0; i < r->c->form_count; i++) {
        if (!r->out[i].changed)
            continue;
        struct mapping_entry entry =
            *mapping_find(r->c->machine->mapping, r->c->forms[i].row->form);
        struct chart_usage before = {.slots = entry.micro_ops};
        usage_copy(&before.usage, &entry.usage);
        entry.usage = r->out[i].usage;
        entry.micro_ops = r->out[i].slots;
        mapping_set(r->c->machine->mapping, &entry);
        verdict_errs(r->c, i, &before, r->out[i].worst);
        usage_done(&r->out[i].usage);
        changed++;
    }
    return changed;
}

size_t refine_usages(const struct lab *lab, struct chart *c)
{
    const struct chart_hooks *hooks = lab->hooks;
    struct refining r = {.lab = lab,
                         .c = c,
                         .workers = hooks->team ? hooks->threads : 1,
                         .out = mem_zero(c->form_count + 1, sizeof *r.out)};

    take_uses(&r);
    take_rows(&r);
    if (!hooks->team || !hooks->team(hooks->state, refine_share, &r)) {
        r.workers = 1;
        refine_share(&r, 0);
    }
    size_t changed = write_refined(&r);
    for (size_t i = 0; i < r.use_count; i++)
        usage_done(&r.uses[i].usage);
    for (size_t i = 0; i < c->form_count; i++)
        vec_done(&r.rows[i]);
    free(r.uses);
    free(r.rows);
    free(r.out);
    return changed;
}
