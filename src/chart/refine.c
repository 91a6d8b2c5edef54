/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/stages.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "chart/saturate.h"
#include "isa/operands.h"
#include "throughput/predict.h"
#include "throughput/throughput.h"

/* number of entries for causes; forms whose indices are equal modulo CAUSES share an entry */
#define CAUSES 64
/* minimum number of experiments that can confirm a usage */
#define ROWS_FEWEST 8
#define ROWS_MOST 1500      /* maximum number of experiments per form */
#define TERMS_MOST 16       /* maximum number of forms per experiment */
#define TRIED_MOST 40       /* maximum number of usages of other forms that are tried per form */
#define SETS_MOST 64        /* maximum number of port sets from which µops are added */
#define STEPS 8             /* Maximum number of steps, each of which must reduce the cost */
/* Maximum number of sweeps. Each one changes the frequencies of the usages. */
#define SWEEPS 3
#define SLOWEST 1.1         /* largest ratio of the µops' time to the form's time in isolation */
#define QUICKEST 0.5        /* smallest ratio of the µops' time to the form's time in isolation */
#define EXPLAINS 3.0 /* largest deviation of an explained time, in standard deviations */
/* Largest share of times above the port bound. Above this share, the usage lacks a µop. */
#define ABOVE_SHARE_MOST 0.5
/* Confidence below which all experiments also judge a usage of the core */
#define DOUBTFUL_CORE 0.5
#define QUICK_UOPS 8      /* maximum number of µops of a usage with a single port set */
/* Weight of the usage frequencies in the prior. It is below 1, because forms with equal usages are
 * not independent examples. */
#define PRIOR_WEIGHT 0.5
#define EQUAL 1e-6        /* difference below which costs are considered equal */
#define OTHERS_MOST 12    /* maximum number of alternatives stored per form */
#define OTHER_LEAST 0.002 /* smallest weight of an alternative; the usage itself has weight 1 */

typedef VEC(uint32_t) row_list;

struct refine_use {
    struct usage usage;
    unsigned slots;
    /* @memory: whether the usage's forms access memory. @vectors: whether they use vectors. */
    bool memory, vectors;
    size_t forms;
    double cycles;
    size_t at;     /* serial number of the usage */
};

struct refined {
    bool tried, changed, explained;
    struct usage usage;
    unsigned slots;
    double worst; /* largest relative error of the form's times that do not exceed the port bound */
    double confidence;
    struct chart_usage *others; /* likely alternatives, the likeliest first */
    unsigned other_count;
};

struct refining {
    const struct lab *lab;
    struct chart *c;
    row_list *rows; /* per form: indices of its rows */
    struct refine_use *uses;
    size_t use_count;
    /* by memory and vectors: number of forms, and of usages that only one form has */
    size_t kinds[2][2], singles[2][2];
    portset sets[SETS_MOST], pipes;
    size_t set_count;
    struct refined *out; /* results by form */
    /* whether the sweep evaluates forms of the core; otherwise it evaluates all other forms */
    bool core;
    /* whether the last sweep changed a usage or the set of explained forms, on which further
     * results depend */
    bool unsettled;
    unsigned workers;
    atomic_bool over;
};

struct tried_usage {
    struct usage usage;
    unsigned slots;
    double cost, times; /* @times: the part of @cost that is due to the times */
};

struct refine_trial {
    const struct refining *refining;
    const struct chart_form *form;
    bool memory, vectors;
    const struct experiments *table;
    uint32_t own;
    uint32_t *causes;                /* per row: index of the slowest other form */
    struct mapping *mapping;         /* mapping with the usage that is tried */
    double *cycles, *least;          /* @cycles: predicted cycles of each row. @least: cycles of
                                      * each row without the form. */
    struct mapping_entry entry;
    VEC(struct tried_usage) tried;
    struct usage best;
    unsigned slots;
    double cost, times, worst; /* of the best usage: cost, part of the cost due to the times, and
                                * largest relative error */
    bool explained;
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

static bool is_explained(const struct chart_form *f)
{
    return f->state == CHART_IN_CORE || f->state == CHART_PLACED;
}

static size_t form_of(const struct chart *c, const char *name)
{
    const uint32_t at = names_find(&c->table->forms, name);

    return at < c->form_count ? at : c->form_count;
}

/* Lists all usages of the machine, the most frequent first, and their port sets. The frequency
 * counts forms of the same kind, except unexplained forms of the chart. */
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
        const size_t form = form_of(r->c, e->form);
        if (form < r->c->form_count && !is_explained(&r->c->forms[form]))
            continue;
        r->uses[k].forms++;
        r->kinds[memory][vectors]++;
    }
    throughput_free(throughput);
    for (size_t i = 0; i < r->use_count; i++)
        r->singles[r->uses[i].memory][r->uses[i].vectors] += r->uses[i].forms == 1;
    if (r->use_count)
        qsort(r->uses, r->use_count, sizeof *r->uses, by_forms);
    count_sets(r);
}

/* Returns whether usages explain the times of all forms in row @i except @form. While core forms
 * are refined, returns false if a form is outside the core, because its usage depends on the
 * core. */
static bool others_explained(const struct refining *r, size_t i, uint32_t form)
{
    const struct chart *c = r->c;
    bool all = true;

    for (uint32_t k = 0; k < c->table->rows.items[i].count && all; k++) {
        const uint32_t f = experiments_terms(c->table, i)[k].form;
        all = f == form || (f < c->form_count && (r->core ? c->forms[f].state == CHART_IN_CORE
                                                          : is_explained(&c->forms[f])));
    }
    return all;
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
            if (f < r->c->form_count && r->rows[f].count < ROWS_MOST && others_explained(r, i, f))
                vec_push(&r->rows[f], (uint32_t)i);
        }
}

/* Returns a new table with copies of @rows. The caller frees the table. */
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

/* Returns -2 ln of the prior probability of @u for a form of the trial's kind. The probability is
 * the frequency of the usage. The usages that no form has are together as frequent as the usages
 * that a single form has (Good and Turing's estimate). Each µop of such a usage may use any port
 * set. */
static double prior_cost(const struct refine_trial *t, const struct usage *u, unsigned slots)
{
    const struct refining *r = t->refining;
    const double singles = fmax(1, (double)r->singles[t->memory][t->vectors]);
    double forms = 0, fresh = singles;

    for (size_t i = 0; i < r->use_count; i++)
        if (r->uses[i].slots == slots && r->uses[i].memory == t->memory &&
            r->uses[i].vectors == t->vectors && usage_equal(&r->uses[i].usage, u))
            forms = (double)r->uses[i].forms;
    for (unsigned k = 0; k < u->count; k++)
        fresh /= (double)(r->set_count + 1) * u->uops[k].count;
    return -2 * PRIOR_WEIGHT *
           log((forms + fresh) / ((double)r->kinds[t->memory][t->vectors] + singles));
}

/* Returns the form in @terms, other than @own, whose executions take longest in isolation; @own if
 * there is none. */
static uint32_t slowest(const struct chart *c, const struct flat_term *terms, uint32_t n,
                        uint32_t own)
{
    uint32_t form = own;
    double most = 0;

    for (uint32_t k = 0; k < n; k++) {
        const double cycles = terms[k].count * c->forms[terms[k].form].alone;
        if (terms[k].form != own && cycles > most) {
            most = cycles;
            form = terms[k].form;
        }
    }
    return form;
}

static uint32_t executions(const struct refine_trial *t, size_t i)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < t->table->rows.items[i].count; k++)
        n += experiments_terms(t->table, i)[k].form == t->own
                 ? experiments_terms(t->table, i)[k].count
                 : 0;
    return n;
}

/* Returns whether @u was already tried, and records it as tried. */
static bool is_tried(struct refine_trial *t, const struct usage *u, unsigned slots)
{
    struct tried_usage now = {.slots = slots};

    for (size_t i = 0; i < t->tried.count; i++)
        if (t->tried.items[i].slots == slots && usage_equal(&t->tried.items[i].usage, u))
            return true;
    usage_copy(&now.usage, u);
    vec_push(&t->tried, now);
    return false;
}

/* Adds the evidence of the time of row @i. @cause_cost: per entry for causes (times_add). Omits a
 * time that contradicts the usages of the other forms. */
static void add_time(const struct refine_trial *t, size_t i, struct times_seen *seen,
                     double cause_cost[CAUSES])
{
    const double is = t->table->rows.items[i].cycles, sigma = sight_noise(seen->noise, is),
                 alone = executions(t, i) * t->form->alone;
    const bool single = t->table->rows.items[i].count == 1;
    double says = t->cycles[i];

    /* No form makes another one faster, so a shorter time contradicts the other forms' usages. */
    if (is < t->least[i] - EXPLAINS * sigma)
        return;
    /* If the form takes longer in isolation than predicted, the cause may also slow this
     * experiment. */
    if (seen->above_ports && !single && is > says && alone > says &&
        alone <= RESIDUAL_RATIO_ALONE * says)
        says = fmin(is, alone);
    times_add(seen, says, is, single, &cause_cost[t->causes[i] % CAUSES]);
}

/* Tries usage @u, and stores it if it is the most probable so far. */
static void try_usage(struct refine_trial *t, const struct usage *u, unsigned slots)
{
    if (is_tried(t, u, slots))
        return;
    const double prior = prior_cost(t, u, slots);
    double cause_cost[CAUSES] = {0};
    struct times_seen seen = {.noise = t->refining->lab->noise,
                              .above_ports = t->refining->lab->above_ports,
                              .cost = prior};

    t->entry.usage = *u;
    t->entry.micro_ops = slots;
    mapping_set(t->mapping, &t->entry);
    throughput_predict(t->mapping, t->table, t->cycles);
    for (size_t i = 0; i < t->table->rows.count; i++)
        add_time(t, i, &seen, cause_cost);
    const bool explained = seen.times >= ROWS_FEWEST && times_explained(&seen) &&
                           (double)seen.above_count <= ABOVE_SHARE_MOST * (double)seen.times;
    const double cost = seen.cost;
    struct tried_usage *now = &t->tried.items[t->tried.count - 1];
    now->cost = cost;
    now->times = cost - prior;
    if (cost < t->cost) {
        struct usage kept = {0};
        usage_copy(&kept, u);
        usage_done(&t->best);
        t->best = kept;
        t->slots = slots;
        t->cost = cost;
        t->times = now->times;
        t->worst = seen.worst;
        t->explained = explained;
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

/* Tries the usage whose µops are all on @set. Their number follows from the form's time in
 * isolation. Does nothing if that number is 0 or above QUICK_UOPS. */
static void try_single(struct refine_trial *t, portset set, unsigned slots)
{
    const double count = rint(t->form->alone * portset_size(set));
    struct usage u = {0};

    if (count < 1 || count > QUICK_UOPS)
        return;
    usage_add(&u, set, (uint32_t)count);
    try_usage(t, &u, slots);
    usage_done(&u);
}

static void try_steps(const struct refining *r, struct refine_trial *t)
{
    double before = INFINITY;

    for (unsigned step = 0; step < STEPS && t->cost < before; step++) {
        struct usage from = {0};
        unsigned slots = t->slots;
        before = t->cost;
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

static int by_cost(const void *a, const void *b)
{
    const struct tried_usage *x = a, *y = b;

    return (x->cost > y->cost) - (x->cost < y->cost);
}

/* Moves the likeliest alternatives from t->tried to @out, and sets the confidence of @out. Usages
 * with equal predictions count as one. If an experiment could distinguish them, ambiguities_find
 * lowers the confidence. */
static void take_others(struct refine_trial *t, struct refined *out)
{
    double sum = 1;

    qsort(t->tried.items, t->tried.count, sizeof *t->tried.items, by_cost);
    out->others = mem_zero(OTHERS_MOST + 1, sizeof *out->others);
    for (size_t i = 0; i < t->tried.count; i++) {
        struct tried_usage *one = &t->tried.items[i];
        const double weight = fmin(1, exp((t->times - one->times) / 2));
        sum += fabs(one->times - t->times) > EQUAL ? exp((t->cost - one->cost) / 2) : 0;
        if (weight >= OTHER_LEAST && out->other_count < OTHERS_MOST &&
            !(one->slots == t->slots && usage_equal(&one->usage, &t->best)))
            out->others[out->other_count++] =
                (struct chart_usage){.usage = one->usage, .slots = one->slots, .weight = weight};
        else
            usage_done(&one->usage);
    }
    out->confidence = 1 / sum;
    vec_done(&t->tried);
}

static bool is_open(const struct refining *r, size_t at)
{
    const struct chart_form *f = &r->c->forms[at];

    return (r->core ? f->state == CHART_IN_CORE && f->confidence < DOUBTFUL_CORE
                    : f->state == CHART_PLACED || f->state == CHART_UNEXPLAINED) &&
           !f->joined && f->alone > 0 &&
           r->rows[at].count >= (f->state == CHART_UNEXPLAINED ? 1 : ROWS_FEWEST) &&
           mapping_find(r->c->machine->mapping, f->row->form);
}

/* Tries usages for one form: its current usage, usages of similar forms with similar cycles, its
 * alternatives, and usages with a single port set. Then tries usages that differ from the best one
 * by one µop. */
static void refine_form(struct refining *r, size_t at, struct mapping *m)
{
    const struct chart_form *f = &r->c->forms[at];
    const struct mapping_entry own = *mapping_find(r->c->machine->mapping, f->row->form);
    struct experiments *table = table_of(r->c->table, &r->rows[at]);
    struct refine_trial t = {.refining = r,
                             .form = f,
                             .memory = form_has_memory(f->row->form),
                             .vectors = form_has_vectors(f->row->form),
                             .table = table,
                             .own = names_find(&table->forms, f->row->form),
                             .mapping = m,
                             .cycles = mem_alloc((table->rows.count + 1) * sizeof *t.cycles),
                             .least = mem_alloc((table->rows.count + 1) * sizeof *t.least),
                             .causes = mem_alloc((table->rows.count + 1) * sizeof *t.causes),
                             .entry = own,
                             .cost = INFINITY};

    for (size_t i = 0; i < table->rows.count; i++) {
        const size_t row = r->rows[at].items[i];
        t.causes[i] = slowest(r->c, experiments_terms(r->c->table, row),
                              r->c->table->rows.items[row].count, (uint32_t)at);
    }
    t.entry.usage = (struct usage){0};
    t.entry.micro_ops = 0;
    mapping_set(m, &t.entry);
    throughput_predict(m, table, t.least);
    try_usage(&t, &own.usage, own.micro_ops);
    for (size_t i = 0, tried = 0; i < r->use_count && tried < TRIED_MOST; i++) {
        const struct refine_use *u = &r->uses[i];
        if (u->memory != t.memory || u->vectors != t.vectors || u->cycles > SLOWEST * f->alone ||
            u->cycles < QUICKEST * f->alone ||
            (u->slots == own.micro_ops && usage_equal(&u->usage, &own.usage)))
            continue;
        try_usage(&t, &u->usage, u->slots);
        tried++;
    }
    for (unsigned i = 0; i < f->other_count; i++)
        try_usage(&t, &f->others[i].usage, f->others[i].slots);
    for (size_t i = 0; i < r->set_count; i++)
        try_single(&t, r->sets[i], own.micro_ops);
    try_steps(r, &t);
    mapping_set(m, &own);
    r->out[at] =
        (struct refined){.tried = true,
                         .changed = t.slots != own.micro_ops || !usage_equal(&t.best, &own.usage),
                         .explained = t.explained,
                         .usage = t.best,
                         .slots = t.slots,
                         .worst = t.worst};
    take_others(&t, &r->out[at]);
    free(t.cycles);
    free(t.least);
    free(t.causes);
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

/* Writes the source of form @form to the machine: its confidence, or its largest error @worst if it
 * is unexplained, and its untested ports. */
static void write_source(struct chart *c, size_t form, double worst)
{
    static const char why[] = "most probable according to all experiments of the form";
    struct chart_form *f = &c->forms[form];
    struct mapping_entry entry = *mapping_find(c->machine->mapping, f->row->form);
    portset untested = 0;
    struct str text = {0};

    f->error = worst;
    for (unsigned i = 0; i < entry.usage.count; i++)
        untested |= entry.usage.uops[i].ports & f->untested;
    if (f->state == CHART_UNEXPLAINED && !isnan(worst))
        str_addf(&text, "charted: error of %.0f %% in its experiments, %s", 100 * worst, why);
    else
        str_addf(&text, "charted: confidence %.2f, %s", f->confidence, why);
    untested_print(untested, mapping_ports(c->machine->mapping), &text);
    entry.source = (char *)str_text(&text);
    mapping_set(c->machine->mapping, &entry);
    str_done(&text);
}

/* Writes usages, states, confidences and alternatives to the chart. Returns the number of changed
 * usages. */
static size_t write_refined(struct refining *r)
{
    size_t changed = 0;

    for (size_t i = 0; i < r->c->form_count; i++) {
        const struct refined *out = &r->out[i];
        struct chart_form *f = &r->c->forms[i];
        if (!out->tried)
            continue;
        struct mapping_entry entry = *mapping_find(r->c->machine->mapping, f->row->form);
        if (out->changed) {
            entry.usage = out->usage;
            entry.micro_ops = out->slots;
            mapping_set(r->c->machine->mapping, &entry);
            changed++;
        }
        usage_done(&r->out[i].usage);
        const bool explained = is_explained(f);
        if (!r->core)
            f->state = out->explained ? CHART_PLACED : CHART_UNEXPLAINED;
        r->unsettled |= out->changed || explained != is_explained(f);
        for (unsigned k = 0; k < f->other_count; k++)
            usage_done(&f->others[k].usage);
        free(f->others);
        f->others = out->others;
        f->other_count = out->other_count;
        f->confidence = out->explained ? out->confidence : fmin(out->confidence, CHART_DOUBTFUL);
        write_source(r->c, i, out->worst);
    }
    return changed;
}

/* Finds the most probable usage of each form from the current frequencies of usages. Returns the
 * number of changes. */
static size_t sweep(struct refining *r)
{
    const struct chart_hooks *hooks = r->lab->hooks;

    memset(r->kinds, 0, sizeof r->kinds);
    memset(r->singles, 0, sizeof r->singles);
    r->use_count = r->set_count = 0;
    memset(r->out, 0, r->c->form_count * sizeof *r->out);
    r->workers = hooks->team ? hooks->threads : 1;
    take_uses(r);
    take_rows(r);
    if (!hooks->team || !hooks->team(hooks->state, refine_share, r)) {
        r->workers = 1;
        refine_share(r, 0);
    }
    size_t changed = write_refined(r);
    for (size_t i = 0; i < r->use_count; i++)
        usage_done(&r->uses[i].usage);
    for (size_t i = 0; i < r->c->form_count; i++)
        vec_done(&r->rows[i]);
    free(r->uses);
    free(r->rows);
    return changed;
}

size_t refine_usages(const struct lab *lab, struct chart *c)
{
    struct refining r = {.lab = lab, .c = c, .out = mem_zero(c->form_count + 1, sizeof *r.out)};
    size_t changed = 0;

    ambiguities_forget(c);   /* Discards the ambiguities, because they refer to the previous
                              * alternatives. */
    for (unsigned core = 2; core--;) {
        r.core = core;
        r.unsettled = true;
        for (unsigned i = 0; i < SWEEPS && r.unsettled && !atomic_load(&r.over); i++) {
            r.unsettled = false;
            changed += sweep(&r);
        }
    }
    free(r.out);
    return changed;
}
