/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/learn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "isa/operands.h"
#include "measure/cpu_source.h"
#include "measure/latency.h"
#include "measure/runner.h"
#include "throughput/throughput.h"
#include "toolchain/assemble.h"

#define CANDIDATES 24         /* maximum number of forms measured per port set */
/* largest relative deviation of a blocking form's time from the time that its usage predicts */
#define AS_PREDICTED 0.04
/* largest relative amount by which a measurement may be shorter than its prediction */
#define FASTER 0.02
/* Number of µops that a usage must save for each further unexplained measurement. Measurements may
 * disagree, because usages of blocking forms have errors. */
#define OUTLIER 0.75
#define BLOCKERS_ALIKE 2      /* number of blocking forms per port set and vector encoding */
#define UOPS_MAX 10           /* number of µops that a usage must stay below; a blocked pipe counts
                               * as one */
#define NODES_MAX 400000      /* maximum number of usages tried at one tolerance */
#define SLOT_FILLERS 12       /* minimum number of eliminated moves in the experiment that reveals
                               * the slots of a form */

struct blocker {
    char *form;
    portset ports;
    double cycles;
};

struct learner {
    struct source *source;
    const struct mapping *mapping;
    double issue_width;
    bool (*cancelled)(void *state);
    void *state;
    VEC(struct blocker) blockers;
    char *filler;             /* form that takes a slot at rename but no port, to fill slots; NULL:
                               * none */
    VEC(portset) sets;        /* port sets that occur in the mapping, including blocking pipes */
    struct throughput *throughput;
};

/* A candidate µop and the number of its repetitions */
struct atom {
    portset ports;
    uint32_t count;
};

struct learn_trial {
    struct experiment experiment;
    VEC(struct mass) masses;  /* µops of the other forms in the experiment */
    double others;            /* slots of the other forms in the experiment */
    double measured;
};

struct usage_search {
    struct learner *l;
    VEC(struct learn_trial) trials;
    VEC(struct atom) atoms;
    struct mass masses[64 + UOPS_MAX];
    struct atom chosen[UOPS_MAX], best[UOPS_MAX];
    unsigned depth, target, best_depth, slots;
    double tolerance, best_price, best_error;
    size_t nodes, found, best_outliers;
};

void learned_done(struct learned *l)
{
    usage_done(&l->usage);
    for (size_t i = 0; i < l->step_count; i++)
        free(l->steps[i].experiment);
    free(l->steps);
    *l = (struct learned){0};
}

void learner_free(struct learner *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->blockers.count; i++)
        free(l->blockers.items[i].form);
    vec_done(&l->blockers);
    vec_done(&l->sets);
    free(l->filler);
    throughput_free(l->throughput);
    free(l);
}

size_t learner_blockers(const struct learner *l)
{
    return l->blockers.count;
}

const char *learner_blocker(const struct learner *l, size_t index, portset *ports)
{
    *ports = l->blockers.items[index].ports;
    return l->blockers.items[index].form;
}

struct collect { struct learner *l; struct experiments *table; };

static void take_result(void *state, size_t index, const struct measured *m)
{
    experiments_set(((struct collect *)state)->table, index, m->cycles, m->spread, m->repeats,
                    m->state);
}

static void no_progress(void *state, const struct runner_summary *so_far, size_t total)
{
    (void)state;
    (void)so_far;
    (void)total;
}

static bool is_cancelled(void *state)
{
    const struct learner *l = ((struct collect *)state)->l;
    return l->cancelled && l->cancelled(l->state);
}

static bool measure_all(struct learner *l, struct experiments *table, struct err *err)
{
    struct experiments *copy = experiments_copy(table, NULL);
    struct collect collect = {l, table};
    const struct runner_hooks hooks = {.cancelled = is_cancelled,
                                       .result = take_result,
                                       .progress = no_progress,
                                       .state = &collect};
    struct runner_summary summary;
    bool ok = runner_run(l->source, copy, NULL, &(struct runner_options){.patience = 20}, &hooks,
                         &summary, err);

    experiments_free(copy);
    return ok;
}

static size_t add_alone(struct experiments *table, const char *form)
{
    struct experiment e = {0};
    experiment_add(&e, form, 1);
    size_t row = experiments_add_named(table, &e);
    experiment_done(&e);
    return row;
}

/* Returns the predicted cycles of a form in isolation, limited by ports and by slots at rename;
 * NaN: the usage has too many port sets. */
static double alone_predicted(const struct learner *l, const struct mapping_entry *entry)
{
    struct mass masses[8];
    if (entry->usage.count > 8)
        return NAN;
    for (unsigned i = 0; i < entry->usage.count; i++)
        masses[i] = (struct mass){entry->usage.uops[i].ports, entry->usage.uops[i].count};
    double cycles = throughput_of_masses(l->throughput, masses, entry->usage.count);
    double slots = (entry->micro_ops ? entry->micro_ops : 1) / l->issue_width;
    return fmax(cycles, slots);   /* Uses the other limit if one is NaN, because fmax ignores
                                   * NaN. */
}

/* Returns whether @entry in isolation keeps @set busy. Its only µop must use @set. If @paired is
 * true, the entry also has an address µop. For a blocking pipe, the form must not block another
 * pipe longer. */
static bool blocks(const struct mapping_entry *entry, portset set, bool pipe, bool paired)
{
    const struct usage *u = &entry->usage;
    uint32_t held = 0, most = 0;
    for (unsigned i = 0; i < u->count && pipe; i++) {
        held = u->uops[i].ports == set ? u->uops[i].count : held;
        most = u->uops[i].count > most ? u->uops[i].count : most;
    }
    if (pipe)
        return !paired && held && held == most;
    if (u->count == 1 && !paired)
        return u->uops[0].ports == set && u->uops[0].count == 1;
    if (!paired || u->count != 2 || u->uops[0].count != 1 || u->uops[1].count != 1 ||
        !form_has_memory(entry->form))
        return false;
    double first = portset_size(u->uops[0].ports), second = portset_size(u->uops[1].ports);
    return u->uops[first < second ? 0 : 1].ports == set;
}

static void collect_sets(struct learner *l)
{
    for (size_t i = 0; i < mapping_count(l->mapping); i++) {
        const struct usage *u = &mapping_at(l->mapping, i)->usage;
        for (unsigned k = 0; k < u->count; k++) {
            bool known = false;
            for (size_t j = 0; j < l->sets.count && !known; j++)
                known = l->sets.items[j] == u->uops[k].ports;
            if (!known)
                vec_push(&l->sets, u->uops[k].ports);
        }
    }
}

/* Selects up to CANDIDATES forms that keep @set busy by their usage, evenly distributed over the
 * mapping. Forms without memory operands are first. */
static size_t candidates(const struct learner *l, portset set, const char *out[CANDIDATES])
{
    size_t found = 0;
    bool pipe = (set & mapping_ports(l->mapping)->pipes) != 0;

    for (int kind = 0; kind < 6; kind++) {
        VEC(const char *) list = {0};
        bool memory = kind >= 2, vex = kind % 2, paired = kind >= 4;
        if (found && (paired || !set))
            break;
        for (size_t i = 0; i < mapping_count(l->mapping); i++) {
            const struct mapping_entry *entry = mapping_at(l->mapping, i);
            if (form_has_memory(entry->form) == memory && (entry->form[0] == 'V') == vex &&
                (set ? blocks(entry, set, pipe, paired) : entry->usage.count == 0))
                vec_push(&list, entry->form);
        }
        size_t step = list.count > CANDIDATES / 6 ? list.count / (CANDIDATES / 6) : 1;
        for (size_t i = step / 2; i < list.count && found < CANDIDATES; i += step)
            out[found++] = list.items[i];
        vec_done(&list);
    }
    return found;
}

/* Returns whether enough blocking forms were found for the port set and the encoding of @b. Legacy
 * SSE and VEX code do not mix, so both encodings need blocking forms. */
static bool has_blockers(const struct learner *l, const struct blocker *b)
{
    unsigned alike = 0;
    for (size_t i = 0; i < l->blockers.count; i++)
        alike += l->blockers.items[i].ports == b->ports &&
                 (l->blockers.items[i].form[0] == 'V') == (b->form[0] == 'V');
    return alike >= BLOCKERS_ALIKE;
}

/* Measures the candidates. Selects the first few for each port set and encoding whose times agree
 * with their usages. */
static bool find_blockers(struct learner *l, struct err *err)
{
    struct experiments *table = experiments_new();
    VEC(struct blocker) tried = {0};

    for (size_t i = 0; i <= l->sets.count; i++) {   /* The last pass, after all sets, is for forms
                                                     * without ports. */
        const char *list[CANDIDATES];
        portset set = i < l->sets.count ? l->sets.items[i] : 0;
        size_t n = set || !isnan(l->issue_width) ? candidates(l, set, list) : 0;
        for (size_t k = 0; k < n; k++) {
            add_alone(table, list[k]);
            vec_push(&tried, ((struct blocker){(char *)list[k], set, NAN}));
        }
    }
    bool ok = measure_all(l, table, err);
    for (size_t i = 0; ok && i < tried.count; i++) {
        struct blocker *b = &tried.items[i];
        double cycles = table->rows.items[i].cycles,
               predicted = alone_predicted(l, mapping_find(l->mapping, b->form));
        bool have = b->ports ? has_blockers(l, b) : l->filler != NULL;
        if (have || !experiments_measured(table, i) ||
            !(fabs(cycles - predicted) <= AS_PREDICTED * predicted))
            continue;
        if (!b->ports)
            l->filler = mem_strdup(b->form);
        /* Nothing saturates a port set as large as the issue width. */
        else if (isnan(l->issue_width) || cycles > 1.2 / l->issue_width)
            vec_push(&l->blockers, ((struct blocker){mem_strdup(b->form), b->ports, cycles}));
    }
    vec_done(&tried);
    experiments_free(table);
    return ok &&
           (l->blockers.count ||
            err_set(err, ERR_DATA, "select a machine more similar to this CPU",
                    "no form of the mapping takes the predicted cycles on this CPU"));
}

struct learner *learner_new(struct source *source, const struct mapping *mapping,
                            double issue_width, bool (*cancelled)(void *state), void *state,
                            struct err *err)
{
    struct learner *l = mem_zero(1, sizeof *l);

    l->source = source;
    l->mapping = mapping;
    l->issue_width = issue_width;
    l->cancelled = cancelled;
    l->state = state;
    l->throughput = throughput_new(mapping_ports(mapping)->count);
    collect_sets(l);
    if (find_blockers(l, err))
        return l;
    learner_free(l);
    return NULL;
}

/* Sums the µops and slots of @trial without those of @form. */
static void known_masses(const struct learner *l, struct learn_trial *trial, const char *form)
{
    for (unsigned i = 0; i < trial->experiment.count; i++) {
        const struct experiment_term *term = &trial->experiment.terms[i];
        if (strcmp(term->form, form) == 0)
            continue;
        const struct mapping_entry *entry = mapping_find(l->mapping, term->form);
        const struct usage *usage = &entry->usage;
        trial->others += term->count * (entry->micro_ops ? entry->micro_ops : 1);
        for (unsigned k = 0; k < usage->count; k++)
            vec_push(&trial->masses,
                     ((struct mass){usage->uops[k].ports, usage->uops[k].count * term->count}));
    }
}

static double predict(struct usage_search *s, const struct learn_trial *trial,
                      const struct atom *atoms, unsigned count)
{
    size_t n = trial->masses.count;
    if (n)
        memcpy(s->masses, trial->masses.items, n * sizeof *s->masses);
    for (unsigned i = 0; i < count; i++)
        s->masses[n++] = (struct mass){atoms[i].ports, atoms[i].count};
    double cycles = throughput_of_masses(s->l->throughput, s->masses, n),
           slots = (trial->others + s->slots) / s->l->issue_width;
    return fmax(cycles, slots);
}

/* Returns the cycles by which a prediction may exceed @measured. Only noise makes a measurement
 * shorter than its prediction. A measurement may be longer, because a CPU may assign ports worse
 * than the optimum. */
static double above(double measured)
{
    return fmax(FASTER * measured, 0.01);
}

static double below(const struct usage_search *s, double measured)
{
    return fmax(s->tolerance * measured, 0.01);
}

static void take_best(struct usage_search *s, double price, double error, size_t outliers)
{
    if (price > s->best_price + 1e-9)
        return;
    s->found = price < s->best_price - 1e-9 ? 1 : s->found + 1;
    if (s->found > 1 && error >= s->best_error)
        return;
    s->best_price = price;
    s->best_error = error;
    s->best_outliers = outliers;
    s->best_depth = s->depth;
    memcpy(s->best, s->chosen, sizeof s->best);
}

/* Tries usages recursively. Further µops only add time, so a prediction that is too long remains
 * too long. */
static void descend(struct usage_search *s, size_t from)
{
    double error = 0;
    size_t over = 0, under = 0;

    if (s->nodes++ > NODES_MAX)
        return;
    for (size_t i = 0; i < s->trials.count; i++) {
        const struct learn_trial *trial = &s->trials.items[i];
        double off = predict(s, trial, s->chosen, s->depth) - trial->measured;
        bool agrees = off <= above(trial->measured) && -off <= below(s, trial->measured);
        over += off > above(trial->measured);
        under += -off > below(s, trial->measured);
        error += agrees ? fabs(off) / trial->measured : 0;
        if (i == 0 && (over || (under && s->depth == s->target)))
            return;   /* Stops, because the time of a form in isolation does not depend on the
                       * usages of other forms. */
    }
    if (s->target + OUTLIER * (double)over > s->best_price + 1e-9)
        return;
    if (s->depth == s->target) {
        take_best(s, s->target + OUTLIER * (double)(over + under), error, over + under);
        return;
    }
    for (size_t i = from; i < s->atoms.count; i++) {
        s->chosen[s->depth++] = s->atoms.items[i];
        descend(s, i);
        s->depth--;
    }
}

/* Finds the usage with the least sum of µops and weighted unexplained measurements (OUTLIER). Uses
 * the smallest tolerance with which at least seven eighths of the measurements agree. Returns false
 * if there is none. */
static bool find_usage(struct usage_search *s)
{
    static const double tolerances[] = {0.03, 0.06, 0.12};

    for (size_t t = 0; t < sizeof tolerances / sizeof *tolerances; t++) {
        s->tolerance = tolerances[t];
        s->best_price = s->best_error = INFINITY;
        s->nodes = s->found = s->depth = 0;
        for (s->target = 0; s->target < UOPS_MAX && s->target <= s->best_price; s->target++)
            descend(s, 0);
        if (s->best_price < INFINITY && s->best_outliers <= s->trials.count / 8)
            return true;
    }
    return false;
}

static size_t add_trial(struct usage_search *s, struct experiments *table, const char *form,
                        const char *other, uint32_t count)
{
    struct learn_trial trial = {.measured = NAN};
    experiment_add(&trial.experiment, form, 1);
    if (other)
        experiment_add(&trial.experiment, other, count);
    known_masses(s->l, &trial, form);
    size_t row = experiments_add_named(table, &trial.experiment);
    vec_push(&s->trials, trial);
    return row;
}

/* Removes the experiments that have no time. */
static void keep_measured(struct usage_search *s, const struct experiments *table)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->trials.count; i++) {
        struct learn_trial trial = s->trials.items[i];
        trial.measured = table->rows.items[i].cycles;
        if (experiments_measured(table, i)) {
            s->trials.items[kept++] = trial;
        } else {
            experiment_done(&trial.experiment);
            vec_done(&trial.masses);
        }
    }
    s->trials.count = kept;
}

static bool gather(struct usage_search *s, const char *form, struct learned *out, struct err *err)
{
    struct learner *l = s->l;
    struct experiments *table = experiments_new();
    size_t alone = add_trial(s, table, form, NULL, 0), filled = SIZE_MAX;
    bool ok = measure_all(l, table, err);

    if (ok && !experiments_measured(table, alone))
        ok = err_set(err, ERR_DATA, "forms list shows which forms can be measured",
                     "%s was not measured: %s", form, table->rows.items[alone].state);
    if (ok) {
        double cycles = table->rows.items[alone].cycles;
        /* Uses enough copies of the blocking form for its ports to be the limit instead of those of
         * @form. */
        for (size_t i = 0; i < l->blockers.count; i++) {
            const struct blocker *b = &l->blockers.items[i];
            if (strcmp(b->form, form) != 0)
                add_trial(s, table, form, b->form,
                          (uint32_t)ceil((ceil(cycles) + 1) / b->cycles - 0.01));
        }
        if (l->filler && strcmp(l->filler, form) != 0)
            filled = add_trial(s, table, form, l->filler,
                               (uint32_t)(SLOT_FILLERS + ceil(cycles) * l->issue_width));
        ok = measure_all(l, table, err);
    }
    if (ok && filled != SIZE_MAX) {
        struct learn_trial *last = &s->trials.items[filled];
        /* Ignores an experiment that was not measured. */
        double cycles =
                   experiments_measured(table, filled) ? table->rows.items[filled].cycles : NAN,
               slots = cycles * l->issue_width - last->others;
        out->micro_ops = slots > 0.5 && slots < 64 ? (unsigned)lround(slots) : 0;
        experiment_done(&last->experiment);
        vec_done(&last->masses);
        s->trials.count--;
        s->slots = out->micro_ops ? out->micro_ops : 1;
    }
    keep_measured(s, table);
    experiments_free(table);
    return ok;
}

static void make_atoms(struct usage_search *s, double alone)
{
    portset pipes = mapping_ports(s->l->mapping)->pipes;

    for (size_t i = 0; i < s->l->sets.count; i++)
        if (!(s->l->sets.items[i] & pipes))
            vec_push(&s->atoms, ((struct atom){s->l->sets.items[i], 1}));
    for (portset rest = pipes; rest && alone > 1.5; rest &= rest - 1)
        vec_push(&s->atoms, ((struct atom){rest & -rest, (uint32_t)lround(alone)}));
}

static void write_steps(struct usage_search *s, struct learned *out)
{
    out->steps = mem_zero(s->trials.count, sizeof *out->steps);
    out->step_count = s->trials.count;
    for (size_t i = 0; i < s->trials.count; i++) {
        struct str text = {0};
        experiment_print(&s->trials.items[i].experiment, &text);
        out->steps[i] = (struct learn_step){
            str_take(&text), s->trials.items[i].measured, predict(s, &s->trials.items[i], NULL, 0),
            predict(s, &s->trials.items[i], s->best, s->best_depth)};
    }
}

bool learn_form(struct learner *l, const char *form, struct learned *out, struct err *err)
{
    struct usage_search s = {.l = l, .slots = 1};
    bool ok;

    *out = (struct learned){.latency = NAN};
    if ((ok = gather(&s, form, out, err))) {
        make_atoms(&s, s.trials.items[0].measured);
        ok = find_usage(&s);
        if (!ok)
            err_set(err, ERR_DATA, "measure experiments of the form with experiments measure",
                    "no usage of up to %d µops explains the measurements of %s with %zu blocking "
                    "form%s",
                    UOPS_MAX - 1, form, l->blockers.count, plural(l->blockers.count));
    }
    if (ok) {
        for (unsigned i = 0; i < s.best_depth; i++)
            usage_add(&out->usage, s.best[i].ports, s.best[i].count);
        out->tolerance = s.tolerance;
        out->outliers = s.best_outliers;
        out->rivals = s.found - 1;
        write_steps(&s, out);
    }
    for (size_t i = 0; i < s.trials.count; i++) {
        experiment_done(&s.trials.items[i].experiment);
        vec_done(&s.trials.items[i].masses);
    }
    vec_done(&s.trials);
    vec_done(&s.atoms);
    return ok;
}

double learn_latency(struct source *source, const struct form_row *row, struct err *err)
{
    struct form_code *code = encodings_code(row, err);
    struct latency chains[CHAINS_MAX];
    double most = NAN;

    if (!code)
        return NAN;
    size_t n = latency_measure(source_cpu_sandbox(source), source_cpu_calibration(source), code,
                               chains, err);
    for (size_t i = 0; n != SIZE_MAX && i < n; i++) {
        enum chain_kind kind = chains[i].chain.kind;
        bool registers = kind == CHAIN_REGISTER || kind == CHAIN_FIXED || kind == CHAIN_OWN ||
                         kind == CHAIN_FLAGS || kind == CHAIN_FROM_FLAGS || kind == CHAIN_TO_FLAGS;
        if (registers && isfinite(chains[i].cycles) && !(chains[i].cycles <= most))
            most = chains[i].cycles;
    }
    form_code_free(code);
    if (isnan(most) && n != SIZE_MAX)
        err_set(err, ERR_DATA, "latency measure shows each chain",
                "no chain through registers has a measured latency");
    return most;
}
