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

/* minimum number of experiments that can confirm a usage */
#define ROWS_FEWEST 8
#define ROWS_MOST 1500      /* maximum number of experiments per form */
#define TERMS_MOST 16       /* maximum number of forms per experiment */
#define TRIED_MOST 40       /* maximum number of usages of other forms that are tried */
#define SETS_MOST 64        /* maximum number of port sets from which µops are added */
#define STEPS 8             /* maximum number of steps; each step must reduce the cost */
#define SWEEPS 3            /* maximum number of sweeps; each sweep changes the frequencies of the
                             * usages */
#define SLOWEST 1.1         /* largest ratio of the µops' time to the form's time in isolation */
#define QUICKEST 0.5        /* smallest ratio of the µops' time to the form's time in isolation */
#define DEVIATION_MOST 40.0 /* largest cost of one time */
/* Cost of each further time above the port bound with a form that already explains another one. Two
 * forms slow each other for one reason, so only the first time costs more. */
#define AGAIN 1.0
#define EXPLAINS 3.0 /* largest deviation of an explained time, in standard deviations */
/* Largest share of times above the port bound. With a larger share, the usage lacks a µop. */
#define LATE_SHARE_MOST 0.5
/* One in ODD_EVERY times may contradict a usage on a CPU with times above the port bound, because
 * some of their causes are unknown. */
#define ODD_EVERY 20
/* Confidence of a usage of the core below which all its experiments are evaluated again. */
#define DOUBTFUL_CORE 0.5
#define QUICK_UOPS 8      /* maximum number of µops of a usage with a single port set */
#define BELOW_NOISE 0.005 /* relative standard deviation of repeated measurements */
#define CAUSES_MOST 64    /* maximum number of other forms that may slow a form */

typedef VEC(uint32_t) row_list;

/* A usage that one or more forms have. */
struct refine_use {
    struct usage usage;
    unsigned slots;
    bool memory, vectors; /* memory: its forms access memory; vectors: its forms use vectors */
    size_t forms;
    double cycles; /* cycles of the usage in isolation */
    size_t at;     /* sequence number of the usage */
};

struct refined {
    bool tried, changed, explained;
    struct usage usage;
    unsigned slots;
    double worst; /* largest relative error of the form's experiments */
    double confidence;
};

struct refining {
    const struct lab *lab;
    struct chart *c;
    row_list *rows; /* indexes of the rows with each form */
    struct refine_use *uses;
    size_t use_count, kinds[2][2]; /* number of forms by memory and vectors */
    portset sets[SETS_MOST], pipes;
    size_t set_count;
    struct refined *out; /* true: evaluates forms of the core; false: all other forms */
    bool core;           /* judges forms of the core, otherwise the others */
    unsigned workers;
    atomic_bool over;
};

struct tried_usage {
    struct usage usage;
    unsigned slots;
};

/* State of trying usages for one form. */
struct refine_trial {
    const struct refining *refining;
    const struct chart_form *form;
    bool memory, vectors;
    const struct experiments *table; /* experiments of the form, copied for this trial */
    uint32_t own;                    /* index of the form in @table */
    struct mapping *mapping;         /* mapping in which the usage is tried */
    double *cycles, *least;          /* cycles: predicted cycles of each row; least: cycles of each
                                      * row without the form */
    struct mapping_entry entry;
    VEC(struct tried_usage) tried;
    struct usage best;
    unsigned slots;
    /* cost: cost of the best usage; sum: sum of the likelihoods of all tried usages, relative to
     * the best one */
    double cost, sum, worst;
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

/* Returns the index of form @name in the chart; the number of forms if the chart lacks it. */
static size_t form_of(const struct chart *c, const char *name)
{
    const uint32_t at = names_find(&c->table->forms, name);

    return at < c->form_count ? at : c->form_count;
}

/* Collects all usages of the machine, the most frequent first, and their port sets. The frequency
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
    if (r->use_count)
        qsort(r->uses, r->use_count, sizeof *r->uses, by_forms);
    count_sets(r);
}

/* Returns whether the usages of all forms in row @i except @form are known to explain their times.
 * For forms of the core, these must be in the core, because the usages of all other forms depend on
 * the core. */
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

/* Returns -2 ln of the prior probability of @u for a form of the trial's kind. The probability is
 * the frequency of the usage. All usages that no form has are together as frequent as one form, and
 * each of their µops may use any port set. */
static double prior_cost(const struct refine_trial *t, const struct usage *u, unsigned slots)
{
    const struct refining *r = t->refining;
    double forms = 0, fresh = 1;

    for (size_t i = 0; i < r->use_count; i++)
        if (r->uses[i].slots == slots && r->uses[i].memory == t->memory &&
            r->uses[i].vectors == t->vectors && usage_equal(&r->uses[i].usage, u))
            forms = (double)r->uses[i].forms;
    for (unsigned k = 0; k < u->count; k++)
        fresh /= (double)(r->set_count + 1) * u->uops[k].count;
    return -2 * log((forms + fresh) / ((double)r->kinds[t->memory][t->vectors] + 1));
}

/* Times of a form above the port bound. The other forms in their rows may be the cause. */
struct late_times {
    struct {
        size_t row;
        double cost;
    } list[ROWS_MOST];
    size_t count;
};

/* Returns the cost of the times above the port bound. Two forms that slow each other do so in all
 * experiments with both. The first such time costs its residual, each further one AGAIN. Forms that
 * explain the most times are selected first. */
static double late_cost(const struct refine_trial *t, struct late_times *late)
{
    double cost = 0;

    while (late->count) {
        double gain[CAUSES_MOST] = {0}, most = 0;
        size_t best = SIZE_MAX, left = 0;
        for (size_t i = 0; i < late->count; i++) {
            const struct flat_term *terms = experiments_terms(t->table, late->list[i].row);
            for (uint32_t k = 0; k < t->table->rows.items[late->list[i].row].count; k++)
                if (terms[k].form < CAUSES_MOST && terms[k].form != t->own)
                    gain[terms[k].form] += fmax(0, late->list[i].cost - AGAIN);
        }
        for (size_t k = 0; k < CAUSES_MOST; k++)
            if (gain[k] > most) {
                most = gain[k];
                best = k;
            }
        if (most > RESIDUAL_COST_MOST)
            cost += RESIDUAL_COST_MOST;
        else
            best = SIZE_MAX;
        for (size_t i = 0; i < late->count; i++) {
            const struct flat_term *terms = experiments_terms(t->table, late->list[i].row);
            bool with = false;
            for (uint32_t k = 0; k < t->table->rows.items[late->list[i].row].count; k++)
                with |= terms[k].form == best;
            if (with || best == SIZE_MAX)
                cost += with ? fmin(AGAIN, late->list[i].cost) : late->list[i].cost;
            else
                late->list[left++] = late->list[i];
        }
        late->count = left;
    }
    return cost;
}

/* Returns the number of executions of the form in row @i. */
static uint32_t executions(const struct refine_trial *t, size_t i)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < t->table->rows.items[i].count; k++)
        n += experiments_terms(t->table, i)[k].form == t->own
                 ? experiments_terms(t->table, i)[k].count
                 : 0;
    return n;
}

/* Returns the standard deviation of a time of @cycles from repeated measurements, in cycles. */
static double below_noise(double cycles)
{
    return BELOW_NOISE * cycles + 0.001;
}

/* Returns whether @u was already tried, and records it. */
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

/* Costs of the times of a form with a usage. */
struct time_costs {
    double cost, worst; /* worst: largest relative error */
    size_t times, wrong;
    struct late_times late;
};

/* Adds the cost of the time in row @i. */
static void add_cost(const struct refine_trial *t, size_t i, struct time_costs *c)
{
    const struct lab *lab = t->refining->lab;
    const double is = t->table->rows.items[i].cycles, sigma = sight_noise(lab->noise, is),
                 alone = executions(t, i) * t->form->alone;
    const bool single = t->table->rows.items[i].count == 1;
    double says = t->cycles[i];

    /* No form makes another one faster, so a shorter time contradicts the usages of the other
     * forms. */
    if (isnan(says) || is < t->least[i] - EXPLAINS * sigma)
        return;
    c->times++;
    /* If the form takes longer in isolation than predicted, its cause may also slow it in this
     * experiment. */
    if (lab->late && !single && is > says && alone > says && alone <= RESIDUAL_RATIO_ALONE * says)
        says = fmin(is, alone);
    /* Nothing executes faster than the ports allow, so only measurement noise explains times below
     * the bound. */
    const double off = (is - says) / (is < says ? below_noise(is) : sigma),
                 by = !lab->late ? 1
                      : single   ? RESIDUAL_RATIO_ALONE
                                 : RESIDUAL_RATIO;
    c->worst = fmax(c->worst, fabs(says / is - 1));
    if (off > 1 && is_above_ports(says, is, by)) {
        c->late.list[c->late.count].row = i;
        c->late.list[c->late.count++].cost = fmin(off * off, RESIDUAL_COST_MOST);
        return;
    }
    c->wrong += fabs(off) > EXPLAINS && fabs(says / is - 1) > LAB_OFF;
    /* The time in isolation depends on no other usage, so its cost has no limit. */
    c->cost += single ? off * off : fmin(off * off, DEVIATION_MOST);
}

/* Tries usage @u, and stores it if it is the most probable so far. */
static void try_usage(struct refine_trial *t, const struct usage *u, unsigned slots)
{
    if (is_tried(t, u, slots))
        return;
    struct time_costs *c = mem_zero(1, sizeof *c);

    t->entry.usage = *u;
    t->entry.micro_ops = slots;
    mapping_set(t->mapping, &t->entry);
    throughput_predict(t->mapping, t->table, t->cycles);
    for (size_t i = 0; i < t->table->rows.count; i++)
        add_cost(t, i, c);
    const bool explained = c->times >= ROWS_FEWEST &&
                           c->wrong <= (t->refining->lab->late ? c->times / ODD_EVERY : 0) &&
                           (double)c->late.count <= LATE_SHARE_MOST * (double)c->times;
    const double cost = prior_cost(t, u, slots) + c->cost + late_cost(t, &c->late);
    t->sum = cost < t->cost ? 1 + t->sum * exp((cost - t->cost) / 2)
                            : t->sum + exp((t->cost - cost) / 2);
    if (cost < t->cost) {
        struct usage kept = {0};
        usage_copy(&kept, u);
        usage_done(&t->best);
        t->best = kept;
        t->slots = slots;
        t->cost = cost;
        t->worst = c->worst;
        t->explained = explained;
    }
    free(c);
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

/* Tries the usage with all µops on @set whose number explains the form's time in isolation. */
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

static bool is_open(const struct refining *r, size_t at)
{
    const struct chart_form *f = &r->c->forms[at];

    return (r->core ? f->state == CHART_IN_CORE && f->confidence < DOUBTFUL_CORE
                    : f->state == CHART_PLACED || f->state == CHART_UNEXPLAINED) &&
           !f->joined && f->alone > 0 &&
           r->rows[at].count >= (f->state == CHART_UNEXPLAINED ? 1 : ROWS_FEWEST) &&
           mapping_find(r->c->machine->mapping, f->row->form);
}

/* Tries usages for one form: its current usage, usages of other forms, usages with a single port
 * set, and usages that differ from the best one by one µop. */
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
                             .entry = own,
                             .cost = INFINITY};

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
                         .worst = t.worst,
                         .confidence = 1 / t.sum};
    for (size_t i = 0; i < t.tried.count; i++)
        usage_done(&t.tried.items[i].usage);
    vec_done(&t.tried);
    free(t.cycles);
    free(t.least);
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

/* Writes usages, states and confidences to the chart. Returns the number of changed usages. */
static size_t write_refined(struct refining *r)
{
    size_t changed = 0;

    for (size_t i = 0; i < r->c->form_count; i++) {
        const struct refined *out = &r->out[i];
        struct chart_form *f = &r->c->forms[i];
        if (!out->tried)
            continue;
        /* On a CPU without times above the port bound, the confidence from placing counts, because
         * it is based on more experiments. */
        if (!r->lab->late && !out->changed && f->state == CHART_PLACED) {
            usage_done(&r->out[i].usage);
            continue;
        }
        struct mapping_entry entry = *mapping_find(r->c->machine->mapping, f->row->form);
        struct chart_usage before = {.slots = entry.micro_ops};
        if (out->changed) {
            usage_copy(&before.usage, &entry.usage);
            entry.usage = out->usage;
            entry.micro_ops = out->slots;
            mapping_set(r->c->machine->mapping, &entry);
            changed++;
        }
        if (!r->core)
            f->state = out->explained ? CHART_PLACED : CHART_UNEXPLAINED;
        verdict_likeliest(r->c, i, out->changed ? &before : NULL,
                          out->explained ? out->confidence : fmin(out->confidence, CHART_DOUBTFUL),
                          out->worst);
        usage_done(&r->out[i].usage);
    }
    return changed;
}

/* Finds the most probable usage of each form from the current frequencies of usages. Returns the
 * number of changes. */
static size_t sweep(struct refining *r)
{
    const struct chart_hooks *hooks = r->lab->hooks;

    memset(r->kinds, 0, sizeof r->kinds);
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
    size_t changed = 0, now = 1;

    for (unsigned core = 2; core--;) {
        r.core = core;
        for (unsigned i = 0; i < SWEEPS && now && !atomic_load(&r.over); i++)
            changed += now = sweep(&r);
        now = 1;
    }
    free(r.out);
    return changed;
}
