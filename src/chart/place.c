/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/place.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart/distinguish.h"
#include "chart/peers.h"
#include "chart/pipes.h"
#include "chart/placing.h"

#define ROUNDS 30
/* Number of experiments per form in each later round. They distinguish the usages that are still
 * possible. */
#define LATER_ASKED 2
/* largest excess of a guess's cost over the best cost at which the guess remains possible */
#define STILL 9.0
/* largest cost of new times for which the search for the best guess is not repeated */
#define PREDICTED_COST 1.0
/* number of random experiments that a usage must predict correctly before it is accepted */
#define CHECKS 2
#define FAILED_MOST 3        /* number of failed rounds after which a form is not measured again */
#define CHECKED_MOST 4       /* maximum number of rounds of random experiments per form */

typedef void ask_one(struct placer *p, struct placing *f, size_t number);

/* Requests an experiment. If the first time agrees with the guess's prediction, the experiment is
 * not measured a second time. */
static void ask_expecting(struct placer *p, struct placing *f, size_t number)
{
    const struct saturator_level level = placing_level(p, f, number);
    float row[COLUMNS_MOST];

    placing_ask(p, f, number);
    guess_row(&f->guess, p->lattice, row);
    lab_expect(p->lab, f->asked.items[f->asked.count - 1].row,
               guess_cycles(&f->guess, row, p->lattice, &p->saturators.list.items[level.saturator],
                            level.count));
}

static void ask_all(struct placer *p, struct placing *f)
{
    for (size_t s = 0; s < p->saturators.list.count; s++)
        if (placing_available(p, f, s))
            placing_ask(p, f, s);
}

static void see(struct placer *p, struct placing *f)
{
    for (size_t i = 0; i < f->asked.count; i++) {
        double cycles = lab_cycles(p->lab, f->asked.items[i].row);
        if (!isnan(cycles))
            sights_add(&f->sights, (struct sight){f->asked.items[i].saturator,
                                                  f->asked.items[i].count, cycles});
    }
    f->asked.count = 0;
}

/* Sets out[i] to the predicted cycles of choice @i, for each of the @n choices, at level @number.
 * @rows: results of guess_row. */
static void cycles_at(const struct placer *p, const struct placing *f, size_t number,
                      const struct guess *choices, float (*rows)[COLUMNS_MOST], size_t n,
                      double *out)
{
    const struct saturator_level by = placing_level(p, f, number);

    for (size_t i = 0; i < n; i++)
        out[i] = guess_cycles(&choices[i], rows[i], p->lattice,
                              &p->saturators.list.items[by.saturator], by.count);
}

/* Selects up to @most available levels, one by one: each time the level that distinguishes the most
 * remaining pairs of the @n choices. Sets any[i] to the choices that some level, available or not,
 * distinguishes from choice @i. */
static void want_telling(const struct placer *p, struct placing *f, const struct guess *choices,
                         size_t n, size_t most, uint64_t any[CHOICES_MOST])
{
    const size_t levels = saturator_levels(&p->saturators);
    float (*rows)[COLUMNS_MOST] = mem_alloc((n + 1) * sizeof *rows);
    uint64_t *distinct = mem_alloc((levels * n + 1) * sizeof *distinct), open[CHOICES_MOST];

    f->chosen_count = 0;
    memset(any, 0, n * sizeof *any);
    memset(open, 0xff, sizeof open);
    for (size_t i = 0; i < n; i++)
        guess_row(&choices[i], p->lattice, rows[i]);
    for (size_t s = 0; s < levels; s++) {
        double cycles[CHOICES_MOST];
        cycles_at(p, f, s, choices, rows, n, cycles);
        distinguish(cycles, n, p->lattice->noise, distinct + s * n);
        for (size_t i = 0; i < n; i++)
            any[i] |= distinct[s * n + i];
    }
    while (f->chosen_count < most) {
        size_t best = SIZE_MAX;
        unsigned best_count = 0;
        for (size_t s = 0; s < levels; s++) {
            const unsigned now =
                placing_available(p, f, s) ? distinguished_pairs(distinct + s * n, open, n) : 0;
            if (now > best_count) {
                best_count = now;
                best = s;
            }
        }
        if (best == SIZE_MAX)
            break;
        for (size_t i = 0; i < n; i++)
            open[i] &= ~distinct[best * n + i];
        f->used[best] = true;
        f->chosen[f->chosen_count++] = best;
    }
    free(rows);
    free(distinct);
}

/* Requests the selected experiments. Returns their number. */
static size_t ask_chosen(struct placer *p, struct placing *f, ask_one *asks)
{
    size_t n = f->chosen_count;

    for (size_t i = 0; i < n; i++)
        asks(p, f, f->chosen[i]);
    f->chosen_count = 0;
    f->considered = false;
    return n;
}

static void want_none(struct placing *f)
{
    for (size_t i = 0; i < f->chosen_count; i++)
        f->used[f->chosen[i]] = false;
    f->chosen_count = 0;
    f->considered = false;
}

static void begin(struct placer *p, struct placing *f)
{
    struct guess choices[CHOICES_MOST];
    uint64_t any[CHOICES_MOST];

    sights_add(&f->sights, (struct sight){SIZE_MAX, 0, f->form->alone});
    size_t n = usage_pool_choices(&p->pool, p->lattice, f->form->alone, choices, CHOICES_MOST);
    if (n > 1) {
        want_telling(p, f, choices, n, FIRST_ASKED, any);
        ask_chosen(p, f, placing_ask);
    }
    f->all = n <= 1;
    if (f->all)
        ask_all(p, f);
}

/* Returns whether the guess of an earlier search also explains the new times. f->guess.cost must be
 * the cost without the new times. */
static bool goes_on(struct placing *f)
{
    double before = f->guess.cost;

    if (!f->sought)
        return false;
    placing_judge(f);
    return f->guess.cost <= before + PREDICTED_COST && f->explained;
}

/* Finds the best guess. Starts from the pool's usages and from the form's times. */
static void fit(struct placer *p, struct placing *f)
{
    struct guess choices[CHOICES_MOST], g;

    if (goes_on(f))
        return;
    f->sought = true;
    size_t n = usage_pool_choices(&p->pool, p->lattice, f->form->alone, choices, CHOICES_MOST);

    guess_begin(&f->sights, &f->guess);
    for (size_t i = 0; i < n; i++) {
        choices[i].cost = guess_cost(&choices[i], &f->sights, f->guess.cost, NULL);
        if (choices[i].cost < f->guess.cost)
            f->guess = choices[i];
    }
    g = f->guess;
    guess_improve(&g, &f->sights);
    f->guess = g;
    placing_judge(f);
    if (f->explained)
        return;
    for (unsigned start = 0; start < 2; start++) {
        if (start)
            guess_single(&f->sights, &g);
        else
            guess_begin(&f->sights, &g);
        guess_improve(&g, &f->sights);
        if (g.cost < f->guess.cost)
            f->guess = g;
    }
    placing_judge(f);
}

struct rivals {
    const struct placer *place;
    struct placing *form;
    struct guess list[CHOICES_MOST];
    size_t n;
};

/* Adds a guess, whose cost is at most the search's limit, unless it is already listed. If the list
 * is full, a cheaper guess replaces the dearest one. */
static void add_rival(struct guess_search *search, const struct guess *other)
{
    struct rivals *r = search->state;
    const struct guess g = *other;

    if (guess_equal(&g, &r->form->guess))
        return;
    for (size_t i = 0; i < r->n; i++)
        if (guess_equal(&r->list[i], &g))
            return;
    size_t at = r->n;
    if (r->n == CHOICES_MOST) {
        at = 1;
        for (size_t i = 2; i < r->n; i++)
            at = r->list[i].cost > r->list[at].cost ? i : at;
        if (r->list[at].cost <= g.cost)
            return;
    } else {
        r->n++;
    }
    r->list[at] = g;
}

/* Stores the best guesses of @r as alternatives, except those that differ in the use of a blocking
 * pipe. */
static void keep_others(const struct rivals *r, struct placing *f)
{
    f->other_count = 0;
    for (size_t i = 1; i < r->n; i++) {
        const struct guess *g = &r->list[i];
        if (g->pipe != f->guess.pipe)
            continue;
        placing_add_other(f, g);
    }
}

/* Replaces the guess if it uses untested ports and an alternative on tested ports is equally good.
 * Example: a division in legacy encoding never runs with VEX forms. Such a division uses its own
 * pipe, not a port that only a VEX form keeps busy. Returns the index of the alternative that was
 * exchanged with the guess; 0: none. */
static size_t prefer_tested(const struct placer *p, struct placing *f, struct rivals *r)
{
    const portset tested = sights_ports(&f->sights);
    size_t best = 0;

    /* Keeps the guess of a core form, because no other form keeps its ports busy. */
    if (!guess_assumes(&f->guess, p->lattice, tested) ||
        mapping_find(p->mapping, p->lab->table->forms.items[f->form->form]))
        return 0;
    for (size_t i = 1; i < r->n; i++)
        if (!guess_assumes(&r->list[i], p->lattice, tested) &&
            (!best || r->list[i].cost < r->list[best].cost))
            best = i;
    if (!best)
        return 0;
    const bool explained = f->explained;
    f->guess = r->list[best];
    placing_judge(f);
    if (f->explained || !explained) {
        r->list[best] = r->list[0];
        r->list[0] = f->guess;
        return best;
    }
    f->guess = r->list[0];
    placing_judge(f);
    return 0;
}

/* Selects up to @most experiments that distinguish the best guess from its alternatives. If
 * there are none, computes the alternatives' weights. Other threads may process other forms
 * concurrently. */
static void consider(const struct placer *p, struct placing *f, size_t most)
{
    struct rivals *r = mem_zero(1, sizeof *r);
    struct guess known[CHOICES_MOST];
    uint64_t any[CHOICES_MOST];
    size_t n = usage_pool_choices(&p->pool, p->lattice, f->form->alone, known, CHOICES_MOST);

    *r = (struct rivals){.place = p, .form = f};
    r->list[r->n++] = f->guess;
    /* The limit of a rival's cost allows for the cost of one time above the port bound. Such a time
     * favours usages with too many µops. */
    struct guess_search search = {
        &f->sights, f->guess.cost + STILL + (p->lattice->above_ports ? RESIDUAL_COST_MOST : 0),
        add_rival, r};
    guess_neighbours(&f->guess, &search);
    for (size_t i = 0; i < n; i++) {
        known[i].cost = guess_cost(&known[i], &f->sights, search.limit, NULL);
        if (known[i].cost <= search.limit)
            add_rival(&search, &known[i]);
    }
    want_telling(p, f, r->list, r->n, most, any);
    const size_t swapped = f->chosen_count ? 0 : prefer_tested(p, f, r);
    f->considered = true;
    f->rivals = 0;
    f->hidden = false;
    keep_others(r, f);
    double likeliest = INFINITY;
    for (size_t i = 1; i < r->n && !f->chosen_count; i++) {
        if (!(any[swapped] >> (i == swapped ? 0 : i) & 1)) {
            if (f->guess.n || guess_uops(&f->guess) == guess_uops(&r->list[i]))
                /* No experiment with this core distinguishes these two guesses. ambiguities_find
                 * searches for experiments with other forms. */
                continue;
            f->hidden = true;
        }
        f->rivals += exp(fmin(0, f->guess.cost - r->list[i].cost) / 2);
        if (r->list[i].cost < likeliest) {
            likeliest = r->list[i].cost;
            f->rival = r->list[i];
        }
    }
    free(r);
}

/* Requests experiments that decide between the guess and its alternatives. Returns false if there
 * are none. */
static bool decide(struct placer *p, struct placing *f, size_t most)
{
    if (!f->considered)
        consider(p, f, most);
    return ask_chosen(p, f, ask_expecting) > 0;
}

/* Requests a few random experiments with saturators of the guess's ports or of issue slots. They
 * can refute a wrong usage that has no alternatives. Returns false if there are none. */
static bool ask_checks(struct placer *p, struct placing *f)
{
    size_t *list = mem_alloc((saturator_levels(&p->saturators) + 1) * sizeof *list);
    size_t n = 0, asked = 0;
    portset ports = 0;

    for (unsigned i = 0; i < f->guess.n; i++)
        ports |= p->lattice->sets.items[f->guess.uops[i].set];
    for (size_t s = 0; s < saturator_levels(&p->saturators); s++) {
        portset busy = p->saturators.list.items[s % p->saturators.list.count].ports;
        if (placing_available(p, f, s) && (!busy || !ports || (busy & ports)))
            list[n++] = s;
    }
    for (; asked < CHECKS && n; asked++) {
        size_t at = rng_below(&p->rng, n);
        ask_expecting(p, f, list[at]);
        list[at] = list[--n];
    }
    free(list);
    return asked > 0;
}

static void step(struct placer *p, struct placing *f)
{
    if (f->leader && !f->leader->done)
        return;
    /* If no usage explains the times, compares the form with peers, or runs it with all
     * saturators. */
    if (!f->explained && !f->all) {
        want_none(f);
        f->compared = peers_compare(p, f);
        if (f->compared)
            return;
        f->all = true;
        ask_all(p, f);
    }
    if (f->asked.count)
        return;
    f->failed += !f->explained;
    f->done = f->failed >= FAILED_MOST || !decide(p, f, LATER_ASKED);
    want_none(f);
    if (f->done && f->failed < FAILED_MOST && f->checked < CHECKED_MOST &&
        !(f->checked && guess_equal(&f->guess, &f->checked_guess)) && ask_checks(p, f)) {
        f->checked++;
        f->checked_guess = f->guess;
        f->done = false;
    }
    if (f->done && f->explained)
        usage_pool_add(&p->pool, &f->guess);
}

struct fit_round {
    struct placer *placer;
    unsigned workers;
    atomic_bool over;
};

static bool in_round(const struct placing *f)
{
    return f->sights.list.count && !f->done;
}

static void fit_share(void *state, unsigned worker)
{
    struct fit_round *w = state;
    struct placer *p = w->placer;
    const struct chart_hooks *hooks = p->lab->hooks;

    for (size_t i = worker; i < p->n && !atomic_load(&w->over); i += w->workers) {
        struct placing *f = &p->forms[i];
        if (!in_round(f))
            continue;
        see(p, f);
        /* Fits a compared form again only if its peer was explained, because the peer's usage is
         * then in the pool. */
        if (f->compared && !(f->leader && f->leader->done && f->leader->explained))
            continue;
        fit(p, f);
        /* Does not consider an unexplained form that has not run with all saturators. */
        if (f->all || f->explained)
            consider(p, f, LATER_ASKED);
        if (!worker && hooks->cancelled(hooks->state))
            atomic_store(&w->over, true);
    }
}

static void fit_all(struct placer *p)
{
    const struct chart_hooks *hooks = p->lab->hooks;
    struct fit_round w = {.placer = p, .workers = hooks->team ? hooks->threads : 1};

    if (hooks->team && hooks->team(hooks->state, fit_share, &w))
        return;
    w.workers = 1;
    fit_share(&w, 0);
}

/* Passes a mapping with the guesses of the finished forms to the hooks for display, if due. */
static void show(struct placer *p)
{
    if (!lab_show_due(p->lab))
        return;
    struct mapping *m = mapping_copy(p->mapping);
    for (size_t i = 0; i < p->n; i++) {
        const struct placing *f = &p->forms[i];
        struct mapping_entry entry = {.form = p->lab->table->forms.items[f->form->form],
                                      .micro_ops = f->guess.slots,
                                      .latency = NAN,
                                      .source = ""};
        if (!f->done)
            continue;
        guess_usage(&f->guess, p->lattice, &entry.usage);
        mapping_set(m, &entry);
        usage_done(&entry.usage);
    }
    lab_show(p->lab, m);
    mapping_free(m);
}

static bool place_some(struct placer *p, bool first_ones, struct err *err)
{
    char what[80];
    size_t left = 0;

    for (size_t i = 0; i < p->n; i++) {
        struct placing *f = &p->forms[i];
        bool first = i == 0 || f->form->group != p->forms[i - 1].form->group;
        if (first == first_ones && !f->done) {
            begin(p, f);
            left++;
        }
    }
    for (unsigned round = 0; round < ROUNDS && left; round++) {
        snprintf(what, sizeof what, "%zu of %zu forms left, round %u", left, p->n, round + 1);
        if (!lab_measure(p->lab, what, err))
            return false;
        left = 0;
        fit_all(p);
        if (!lab_goes_on(p->lab, err))
            return false;
        for (size_t i = 0; i < p->n; i++) {
            struct placing *f = &p->forms[i];
            if (!in_round(f))
                continue;
            step(p, f);
            left += !f->done;
            if (i % 64 == 0 && !lab_goes_on(p->lab, err))
                return false;
        }
        show(p);
    }
    for (size_t i = 0; i < p->n; i++)
        /* The number of rounds was limited, so some guesses may not be distinguished from
         * alternatives. */
        if (in_round(&p->forms[i])) {
            decide(p, &p->forms[i], 0);
            p->forms[i].done = true;
        }
    return true;
}

static bool find_pipes(struct placer *p, unsigned *pipes, struct err *err)
{
    struct pipe_form *forms = mem_alloc((p->n + 1) * sizeof *forms);

    for (size_t i = 0; i < p->n; i++)
        forms[i] = (struct pipe_form){p->forms[i].form->form, p->forms[i].guess.pipe,
                                      p->forms[i].vectors, -1};
    bool ok = pipes_find(p->lab, forms, p->n, pipes, err);
    for (size_t i = 0; i < p->n; i++)
        p->forms[i].pipe = forms[i].pipe;
    free(forms);
    return ok;
}

/* Adds the µops of guess @g to @out, and the pipe of @f. */
static void write_usage(const struct placer *p, const struct placing *f, const struct guess *g,
                        struct usage *out)
{
    guess_usage(g, p->lattice, out);
    if (f->pipe >= 0)
        usage_add(out, (portset)1 << (mapping_ports(p->mapping)->count + (unsigned)f->pipe),
                  (uint32_t)f->guess.pipe);
}

static void write_placement(const struct placer *p, const struct placing *f,
                            const struct ports *ports, struct placement *out)
{
    portset all = 0;

    write_usage(p, f, &f->guess, &out->usage);
    out->others = mem_zero(f->other_count + 1, sizeof *out->others);
    for (; out->other_count < f->other_count; out->other_count++) {
        const struct guess *g = &f->others[out->other_count];
        struct chart_usage *other = &out->others[out->other_count];
        write_usage(p, f, g, &other->usage);
        other->slots = g->slots;
        other->weight = exp(fmin(0, f->guess.cost - g->cost) / 2);
    }
    out->slots = f->guess.slots;
    out->experiments = (unsigned)f->sights.list.count;
    out->error = f->worst;
    out->explained = f->explained;
    /* Omits pipes for which no port is free. */
    if (f->guess.pipe > 0 && f->pipe < 0) {
        struct guess without = f->guess;
        without.pipe = 0;
        struct times_seen seen;
        guess_cost(&without, &f->sights, INFINITY, &seen);
        out->error = seen.worst;
        out->explained = f->explained && times_explained(&seen);
    }
    out->confidence = 1 / (1 + f->rivals);
    out->hidden = f->hidden;
    for (size_t s = 0; s < p->saturators.list.count; s++)
        all |= p->saturators.list.items[s].ports;
    out->untested = all & ~sights_ports(&f->sights);
    if (f->rivals > 0) {
        struct usage usage = {0};
        struct str text = {0};
        guess_usage(&f->rival, p->lattice, &usage);
        usage_print(&usage, ports, &text);
        out->rival = str_take(&text);
        usage_done(&usage);
    }
}

bool place_forms(struct lab *lab, const struct mapping *mapping, const struct place_form *forms,
                 size_t n, struct ports *ports, struct placement *out, struct err *err)
{
    struct placer p = {
        .lab = lab, .mapping = mapping, .lattice = mem_zero(1, sizeof *p.lattice), .n = n};
    unsigned pipes = 0;

    lattice_make(mapping,
                 mapping_issue_width(mapping) > 0 ? mapping_issue_width(mapping) : INFINITY,
                 lab->noise, p.lattice);
    p.lattice->above_ports = lab->above_ports;
    if (!p.lattice->columns) {
        lattice_done(p.lattice);
        free(p.lattice);
        return err_set(err, ERR_LIMIT, "chart fewer forms (--forms)",
                       "the ports found allow more than %d usages, too many to place forms",
                       COLUMNS_MOST);
    }
    p.form_of = mem_alloc((mapping_count(mapping) + 1) * sizeof *p.form_of);
    for (size_t i = 0; i < mapping_count(mapping); i++)
        p.form_of[i] = names_find(&lab->table->forms, mapping_at(mapping, i)->form);
    bool ok = saturators_validate(lab, mapping, p.lattice, p.form_of, &p.saturators, err);
    p.forms = mem_zero(n + 1, sizeof *p.forms);
    for (size_t i = 0; i < n; i++) {
        struct placing *f = &p.forms[i];
        f->form = &forms[i];
        f->vectors = vectors_of(lab->table->forms.items[forms[i].form]);
        f->sights = (struct sights){.lattice = p.lattice, .saturators = &p.saturators};
        f->used = mem_zero(saturator_levels(&p.saturators) + 1, sizeof *f->used);
        f->pipe = -1;
    }
    rng_seed(&p.rng, lab->options->seed);
    usage_pool_fill(&p.pool, p.lattice, mapping);
    ok = ok && place_some(&p, true, err) && place_some(&p, false, err) &&
         find_pipes(&p, &pipes, err);
    *ports = *mapping_ports(mapping);
    for (uint8_t i = 0; ok && i < pipes; i++) {
        char name[PORT_NAME_MAX];
        /* The port of a blocking pipe is named DV, 2DV and so on. */
        snprintf(name, sizeof name, i ? "%uDV" : "DV", i + 1);
        ports->pipes |= (portset)1 << ports->count;
        ok = ports_add(ports, name, err);
    }
    for (size_t i = 0; i < n; i++) {
        if (ok)
            write_placement(&p, &p.forms[i], ports, &out[i]);
        sights_done(&p.forms[i].sights);
        vec_done(&p.forms[i].asked);
        free(p.forms[i].used);
    }
    usage_pool_done(&p.pool);
    free(p.forms);
    free(p.form_of);
    saturators_done(&p.saturators);
    lattice_done(p.lattice);
    free(p.lattice);
    return ok;
}

void placement_done(struct placement *p)
{
    usage_done(&p->usage);
    free(p->rival);
    for (unsigned i = 0; i < p->other_count; i++)
        usage_done(&p->others[i].usage);
    free(p->others);
    *p = (struct placement){0};
}
