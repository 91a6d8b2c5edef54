/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/rng.h"
#include "chart/saturate.h"
#include "isa/operands.h"

#define ALIKE 0.025          /* largest relative difference of times that are considered equal */
#define ROUND 8              /* maximum number of classes created per round */
#define CLASSES_MOST 72
#define BALANCE_MOST 6
/* Maximum number of classes from which ports are inferred. The classes that add the least time to
 * other classes are selected, because they have the fewest µops. */
#define CORE_MOST 40
#define LARGER 60            /* number of experiments per class with three or four forms, half of
                              * them with three */
#define COUNT_MOST 4         /* maximum number of copies of one form in an experiment with three or
                              * four forms */
#define AHEAD 3.0            /* ratio of the times of the two forms in an unbalanced pair */
#define AHEAD_MOST 12        /* maximum number of copies of one form in an unbalanced pair */
/* maximum number of forms in the experiment with the highest rate (add_fastest) */
#define FASTEST_FORMS 8
#define SIGNATURE 24
/* Maximum number of classes with which every candidate is measured. The classes that add the least
 * time are selected, because they show the effect of another form best. */
#define WITNESSES 12
#define REGROUPED_MOST 4     /* maximum number of rounds in which classes are split */
/* smallest ratio of a joined form's rate (core_is_joined) to the rate of the fastest form with
 * operands */
#define JOINED 1.5
/* Largest relative distance of the cycles in isolation from a fraction that ports or slots can
 * explain. At a larger distance, another resource limits the form. */
#define PLAIN 0.0125
/* Largest ratio, explainable by ports, of a pair's time to the sum of both times in isolation. */
#define SUM_PASSED 1.05
/* Largest share of pairs above SUM_PASSED with which a class is used to infer ports. */
#define UNRULY_SHARE 0.25

/* Writes a signature such as "RM 0.25" to @out: the operand kinds and the cycles in isolation.
 * Candidates are chosen from all signatures. */
static void signature(const char *form, double alone, char out[SIGNATURE])
{
    char letters[4 * SIGNATURE];
    size_t n = 0;

    form_letters(form, letters, sizeof letters);
    for (const char *at = letters; *at && n < SIGNATURE - 12; at++)
        if (strchr("RMXYZKIVWBHSDQP", *at))
            out[n++] = *at;
    snprintf(out + n, SIGNATURE - n, " %.2f", rint(alone * 20) / 20);
}

struct core_candidate {
    char signature[SIGNATURE];
    uint32_t form, turn;      /* @turn: position in the order of choice, set by take_turns */
    /* frequency in programs; frequent forms are simple, and predictions need them most */
    double uses;
    /* random number that orders otherwise equal candidates; it does not depend on their names */
    uint64_t chance;
    /* stem of the mnemonic; candidates of one signature are chosen from different stems first */
    char stem[8];
};

static int by_signature(const void *a, const void *b)
{
    const struct core_candidate *x = a, *y = b;
    int order = strcmp(x->signature, y->signature);
    if (order)
        return order;
    return x->uses != y->uses ? (x->uses < y->uses) - (x->uses > y->uses)
                              : (x->chance > y->chance) - (x->chance < y->chance);
}

static int by_turn(const void *a, const void *b)
{
    const struct core_candidate *x = a, *y = b;
    if (x->turn != y->turn)
        return (x->turn > y->turn) - (x->turn < y->turn);
    return x->uses != y->uses ? (x->uses < y->uses) - (x->uses > y->uses)
                              : (x->form > y->form) - (x->form < y->form);
}

/* Sets the candidates' turns. The first turns take one candidate of every stem of a signature, the
 * later turns further candidates, frequent forms first. As a result, any prefix of the list sorted
 * by turn is a balanced choice. */
static void take_turns(struct core_candidate *list, size_t n)
{
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first; end < n && strcmp(list[end].signature, list[first].signature) == 0;
             end++) {
            uint32_t same = 0, stems = 0;
            for (size_t k = first; k < end; k++) {
                bool alike = strcmp(list[k].stem, list[end].stem) == 0;
                same += alike;
                stems += !alike && (k == first || strcmp(list[k].stem, list[k - 1].stem) != 0);
            }
            list[end].turn = same * 1000 + (same ? 0 : stems);
        }
    }
}

static bool has_operands(const char *form)
{
    return !strstr(form, "()");
}

bool core_is_joined(const struct lab *lab, const double *alone, size_t n, size_t f)
{
    double least = INFINITY;

    if (has_operands(lab->table->forms.items[f]))
        return false;
    for (size_t i = 0; i < n; i++)
        if (alone[i] > 0 && has_operands(lab->table->forms.items[i]))
            least = fmin(least, alone[i]);
    return isfinite(least) && alone[f] < least / JOINED;
}

/* Returns whether ports or slots can explain @cycles in isolation on a CPU that executes up to
 * @width forms per cycle. This is the case for multiples of 1 / n, where n is at most @width. */
static bool is_plain(double cycles, double width)
{
    for (double below = 1; below <= width; below++)
        if (fabs(rint(cycles * below) / below - cycles) <= PLAIN * cycles)
            return true;
    return false;
}

/* Returns the highest rate of a form in isolation, in executions per cycle, rounded, at least 1. */
static double width_alone(const struct lab *lab, const double *alone, size_t n)
{
    double width = 1;

    for (size_t f = 0; f < n; f++)
        if (alone[f] > 0 && !core_is_joined(lab, alone, n, f))
            width = fmax(width, rint(1 / alone[f]));
    return width;
}

static bool is_quick(double cycles)
{
    return cycles > 0 && cycles <= CORE_QUICK;
}

/* Returns whether a fast form has VEX-encoded vectors. If so, forms with legacy-encoded vectors are
 * no candidates, because no experiment mixes both encodings (chart/stages.h). */
static bool has_new_vectors(const struct lab *lab, const double *alone, size_t n)
{
    for (size_t f = 0; f < n; f++)
        if (is_quick(alone[f]) && vectors_of(lab->table->forms.items[f]) == VECTORS_VEX)
            return true;
    return false;
}

static void choose_candidates(struct lab *lab, const double *alone, size_t n, size_t most,
                              struct chart_core *out)
{
    struct core_candidate *list = mem_zero(n + 1, sizeof *list);
    const struct chart_options *o = lab->options;
    double *uses = mem_zero(n + 1, sizeof *uses), width = width_alone(lab, alone, n);
    size_t count = 0;
    struct rng rng;

    for (size_t i = 0; i < o->uses_count; i++) {
        uint32_t f = names_find(&lab->table->forms, o->uses[i].row->form);
        if (f < n)
            uses[f] = o->uses[i].uses;
    }
    rng_seed(&rng, o->seed);
    bool new_vectors = has_new_vectors(lab, alone, n);
    for (uint32_t f = 0; f < n; f++) {
        const char *name = lab->table->forms.items[f];
        if (!is_quick(alone[f]) || !is_plain(alone[f], width) || core_is_joined(lab, alone, n, f) ||
            (new_vectors && vectors_of(name) == VECTORS_LEGACY))
            continue;
        struct core_candidate *c = &list[count++];
        c->form = f;
        c->uses = uses[f];
        c->chance = rng_next(&rng);
        signature(name, alone[f], c->signature);
        snprintf(c->stem, sizeof c->stem, "%.5s", name);
    }
    qsort(list, count, sizeof *list, by_signature);
    take_turns(list, count);
    qsort(list, count, sizeof *list, by_turn);
    for (size_t i = 0; i < count && i < most; i++)
        vec_push(&out->candidates, list[i].form);
    free(uses);
    free(list);
}

void core_balance(double a, double b, unsigned most, uint32_t counts[2])
{
    double best = INFINITY;

    counts[0] = counts[1] = 1;   /* If a time is unknown, uses one execution of each form. */
    for (uint32_t x = 1; x <= most; x++)
        for (uint32_t y = 1; y <= most; y++) {
            double off = fabs(log(x * a / (y * b))) + 0.01 * (x + y);
            if (off < best) {
                best = off;
                counts[0] = x;
                counts[1] = y;
            }
        }
}

struct grouping {
    struct lab *lab;
    const double *alone;
    struct chart_core *core;
    /* Row of each experiment in the lab's table, indexed by candidate * CLASSES_MOST + class.
     * SIZE_MAX: not requested. */
    size_t *rows;
};

static size_t ask_pair(struct grouping *g, uint32_t a, uint32_t b)
{
    uint32_t counts[2];

    if (a == b)
        return SIZE_MAX;
    core_balance(g->alone[a], g->alone[b], BALANCE_MOST, counts);
    return lab_ask(g->lab, (struct flat_term[]){{a, counts[0]}, {b, counts[1]}}, 2);
}

static double pair_cycles(const struct grouping *g, size_t candidate, size_t class)
{
    size_t row = g->rows[candidate * CLASSES_MOST + class];
    return row == SIZE_MAX ? NAN : lab_cycles(g->lab, row);
}

static bool near(double a, double b)
{
    return isnan(a) || isnan(b) || fabs(a - b) <= ALIKE * fmax(a, b);
}

/* Returns whether candidates @a and @b have equal times, in isolation and with each class with
 * which both were measured. @own: the class whose first member is @b; SIZE_MAX: none. Unless @own
 * is SIZE_MAX, both together must also take the sum of their times. */
static bool alike(const struct grouping *g, size_t a, size_t b, size_t own)
{
    uint32_t fa = g->core->candidates.items[a], fb = g->core->candidates.items[b], counts[2];

    if (!near(g->alone[fa], g->alone[fb]))
        return false;
    for (size_t k = 0; k < g->core->classes.count; k++)
        if (k != own && !near(pair_cycles(g, a, k), pair_cycles(g, b, k)))
            return false;
    if (own == SIZE_MAX)
        return true;
    core_balance(g->alone[fa], g->alone[fb], BALANCE_MOST, counts);
    double together = pair_cycles(g, a, own);
    return !isnan(together) && near(together, counts[0] * g->alone[fa] + counts[1] * g->alone[fb]);
}

/* Creates at most ROUND classes for the first candidates that are in no class and differ from each
 * other. Returns the number of new classes. Adds the index of each class's candidate to @firsts. */
static size_t add_classes(struct grouping *g, size_t *firsts)
{
    struct chart_core *core = g->core;
    size_t before = core->classes.count;

    for (size_t i = 0; i < core->candidates.count && core->classes.count < CLASSES_MOST &&
                       core->classes.count < before + ROUND;
         i++) {
        bool fresh = core->class_of.items[i] == UINT32_MAX;
        for (size_t k = before; k < core->classes.count && fresh; k++)
            fresh = !alike(g, i, firsts[k], SIZE_MAX);
        if (!fresh)
            continue;
        core->class_of.items[i] = (uint32_t)core->classes.count;
        firsts[core->classes.count] = i;
        vec_push(&core->classes, ((struct core_class){core->candidates.items[i], 1}));
    }
    return core->classes.count - before;
}

static void assign(struct grouping *g, const size_t *firsts)
{
    struct chart_core *core = g->core;

    for (size_t i = 0; i < core->candidates.count; i++)
        for (size_t k = 0; k < core->classes.count && core->class_of.items[i] == UINT32_MAX; k++)
            if (alike(g, i, firsts[k], k)) {
                core->class_of.items[i] = (uint32_t)k;
                core->classes.items[k].members++;
            }
}

/* Requests the experiment of candidate @i with class @k, unless it was already requested.
 * @expected: its expected cycles; NaN: unknown. */
static void ask_with(struct grouping *g, size_t i, size_t k, double expected)
{
    size_t *row = &g->rows[i * CLASSES_MOST + k];

    if (*row != SIZE_MAX)
        return;
    *row = ask_pair(g, g->core->candidates.items[i], g->core->classes.items[k].form);
    if (*row != SIZE_MAX && expected > 0)
        lab_expect(g->lab, *row, expected);
}

static bool group(struct grouping *g, size_t *firsts, struct err *err)
{
    size_t n = g->core->candidates.count;
    char what[80];

    for (size_t added; (added = add_classes(g, firsts)) > 0;) {
        size_t classes = g->core->classes.count;
        for (size_t i = 0; i < n; i++)
            for (size_t k = classes - added; k < classes; k++)
                if (g->core->class_of.items[i] == UINT32_MAX ||
                    firsts[g->core->class_of.items[i]] == i)
                    ask_with(g, i, k, NAN);
        snprintf(what, sizeof what, "%zu classes of %zu candidates", classes, n);
        if (!lab_measure(g->lab, what, err))
            return false;
        assign(g, firsts);
    }
    return true;
}

struct company {
    /* @pairs: number of measured pairs. @passed: number of pairs that take longer than SUM_PASSED
     * times the sum of both forms' times. */
    size_t pairs, passed;
    /* sum, over the pairs, of the cycles that an execution of the class adds to the slower form's
     * time */
    double added;
};

static struct company company_of(const struct grouping *g, const size_t *firsts, size_t k)
{
    const struct chart_core *core = g->core;
    struct company c = {0};

    for (size_t j = 0; j < core->classes.count; j++) {
        double own = g->alone[core->classes.items[k].form],
               other = g->alone[core->classes.items[j].form],
               cycles = j == k ? NAN : pair_cycles(g, firsts[k], j);
        uint32_t counts[2];
        if (isnan(cycles))
            continue;
        core_balance(own, other, BALANCE_MOST, counts);
        c.added += (cycles - fmax(counts[0] * own, counts[1] * other)) / counts[0];
        c.passed += cycles > SUM_PASSED * (counts[0] * own + counts[1] * other);
        c.pairs++;
    }
    return c;
}

/* Returns the mean interference of class @k in cycles. The interference is small if the class has
 * few µops. It is infinite if ports cannot explain more than UNRULY_SHARE of the pairs of @k. It is
 * 1 if @k has no pairs. */
static double interference(const struct grouping *g, const size_t *firsts, size_t k)
{
    struct company c = company_of(g, firsts, k);

    if ((double)c.passed > UNRULY_SHARE * (double)c.pairs)
        return INFINITY;
    return c.pairs ? c.added / (double)c.pairs : 1;
}

struct weighed {
    double weight;
    size_t class;
};

/* Returns all classes sorted by interference. Classes whose times ports cannot explain are last.
 * The caller frees the array. */
static struct weighed *by_interference(const struct grouping *g, const size_t *firsts)
{
    size_t n = g->core->classes.count;
    struct weighed *list = mem_alloc((n + 1) * sizeof *list);

    for (size_t k = 0; k < n; k++)
        list[k] = (struct weighed){interference(g, firsts, k), k};
    qsort(list, n, sizeof *list, compare_doubles);
    return list;
}

/* Measures all candidates with the classes of least interference. If a candidate's times differ
 * from those of the first member of its class, removes it from the class. The candidate is then
 * measured with all classes, and may match another class. Sets *@left to the number of removed
 * candidates. */
static bool part(struct grouping *g, const size_t *firsts, size_t *left, struct err *err)
{
    struct chart_core *core = g->core;
    struct weighed *list = by_interference(g, firsts);
    size_t n = core->candidates.count,
           witnesses = core->classes.count < WITNESSES ? core->classes.count : WITNESSES;

    for (size_t i = 0; i < n; i++)
        for (size_t w = 0; w < witnesses && core->class_of.items[i] != UINT32_MAX; w++)
            ask_with(g, i, list[w].class,
                     pair_cycles(g, firsts[core->class_of.items[i]], list[w].class));
    bool ok = lab_measure(g->lab, "pairs of all forms with the classes of least interference", err);
    *left = 0;
    for (size_t i = 0; i < n && ok; i++) {
        uint32_t own = core->class_of.items[i];
        bool same = true;
        for (size_t w = 0; w < witnesses && own != UINT32_MAX; w++)
            same &= list[w].class == own || near(pair_cycles(g, i, list[w].class),
                                                 pair_cycles(g, firsts[own], list[w].class));
        if (same)
            continue;
        core->class_of.items[i] = UINT32_MAX;
        core->classes.items[own].members--;
        ++*left;
        for (size_t k = 0; k < core->classes.count; k++)
            ask_with(g, i, k, NAN);
    }
    free(list);
    ok = ok && lab_measure(g->lab, "pairs of reclassified forms with all classes", err);
    if (ok)
        assign(g, firsts);
    return ok;
}

static bool group_all(struct grouping *g, size_t *firsts, struct err *err)
{
    size_t left = 1;
    bool ok = group(g, firsts, err);

    for (unsigned turn = 0; ok && left && turn < REGROUPED_MOST; turn++)
        ok = part(g, firsts, &left, err) && group(g, firsts, err);
    return ok;
}

/* Removes all classes except those that interfere least, and the assignments of candidates to the
 * removed classes. */
static void keep_lightest(const struct grouping *g, const size_t *firsts)
{
    struct chart_core *core = g->core;
    struct weighed *list = by_interference(g, firsts);
    struct core_class kept[CORE_MOST];
    uint32_t now[CLASSES_MOST];
    size_t n = 0;

    memset(now, 0xff, sizeof now);
    for (size_t i = 0; i < core->classes.count && n < CORE_MOST && isfinite(list[i].weight); i++) {
        now[list[i].class] = (uint32_t)n;
        kept[n++] = core->classes.items[list[i].class];
    }
    for (size_t i = 0; i < core->class_of.count; i++)
        if (core->class_of.items[i] != UINT32_MAX)
            core->class_of.items[i] = now[core->class_of.items[i]];
    memcpy(core->classes.items, kept, n * sizeof *kept);
    core->classes.count = n;
    free(list);
}

/* Requests @count experiments, each a random multiset of @size forms of the core. */
static void ask_random(struct lab *lab, const struct chart_core *core, size_t count, unsigned size,
                       struct rng *rng)
{
    size_t n = core->classes.count;

    for (size_t i = 0; i < count && n >= size; i++) {
        struct flat_term terms[4];
        for (unsigned k = 0; k < size; k++) {
            bool fresh = true;
            /* A separate statement fixes the order of the two random numbers. Within one statement,
             * the compiler may choose the order. */
            const size_t which = rng_below(rng, n);
            terms[k] = (struct flat_term){core->classes.items[which].form,
                                          1 + (uint32_t)rng_below(rng, COUNT_MOST)};
            for (unsigned j = 0; j < k; j++)
                fresh &= terms[j].form != terms[k].form;
            k -= !fresh;
        }
        lab_ask(lab, terms, size);
    }
}

/* Requests an experiment of @a and @b, at most AHEAD_MOST executions of each. In the experiment, @a
 * takes AHEAD times as long as @b. Therefore @b adds time only on ports that both forms use. */
static void ask_ahead(struct lab *lab, const double *alone, uint32_t a, uint32_t b)
{
    uint32_t counts[2];

    core_balance(alone[a], AHEAD * alone[b], AHEAD_MOST, counts);
    lab_ask(lab, (struct flat_term[]){{a, counts[0]}, {b, counts[1]}}, 2);
}

static bool add_larger(struct lab *lab, const double *alone, const struct chart_core *core,
                       struct err *err)
{
    size_t n = core->classes.count;
    struct rng rng;

    rng_seed(&rng, lab->options->seed);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            uint32_t a = core->classes.items[i].form, b = core->classes.items[k].form;
            if (k > i)
                lab_ask(lab, (struct flat_term[]){{a, 1}, {b, 1}}, 2);
            if (k != i)
                ask_ahead(lab, alone, a, b);
        }
    ask_random(lab, core, LARGER * n / 2, 3, &rng);
    ask_random(lab, core, LARGER * n / 2, 4, &rng);
    return lab_measure(lab, "pairs, triples and quadruples of core forms", err);
}

/* Requests the experiment of the @n forms @terms and of core form @form, for about a cycle. Returns
 * its row; SIZE_MAX if the form takes more than a cycle or is one of @terms. */
static size_t ask_with_fastest(struct lab *lab, const double *alone, struct flat_term *terms,
                               size_t n, uint32_t form)
{
    for (size_t i = 0; i < n; i++)
        if (terms[i].form == form)
            return SIZE_MAX;
    terms[n] = (struct flat_term){form, (uint32_t)rint(1 / alone[form])};
    return terms[n].count ? lab_ask(lab, terms, n + 1) : SIZE_MAX;
}

/* Adds the core form that raises the rate most to an experiment, form by form. Few random
 * experiments come near the issue width of a CPU with many ports, and a width that is too small
 * falsifies all predictions. */
static bool add_fastest(struct lab *lab, const double *alone, const struct chart_core *core,
                        struct err *err)
{
    struct flat_term terms[FASTEST_FORMS];
    size_t *rows = mem_alloc((core->classes.count + 1) * sizeof *rows), best = 0;
    double most = 0;
    bool ok = true;

    for (size_t n = 0; n < FASTEST_FORMS && best != SIZE_MAX; n++) {
        best = SIZE_MAX;
        for (size_t k = 0; k < core->classes.count; k++)
            rows[k] = ask_with_fastest(lab, alone, terms, n, core->classes.items[k].form);
        ok = ok && lab_measure(lab, "core forms with the highest rate", err);
        for (size_t k = 0; k < core->classes.count && ok; k++) {
            const double rate = rows[k] == SIZE_MAX
                                    ? NAN
                                    : (double)experiments_size(lab->table, rows[k]) /
                                          lab_cycles(lab, rows[k]);
            if (rate > most * (1 + ALIKE)) {
                most = rate;
                best = k;
            }
        }
        if (best != SIZE_MAX) {
            const uint32_t form = core->classes.items[best].form;
            terms[n] = (struct flat_term){form, (uint32_t)rint(1 / alone[form])};
        }
    }
    free(rows);
    return ok;
}

bool core_find(struct lab *lab, const double *alone, size_t n, struct chart_core *out,
               struct err *err)
{
    struct grouping g = {.lab = lab, .alone = alone, .core = out};
    size_t firsts[CLASSES_MOST];

    *out = (struct chart_core){0};
    choose_candidates(lab, alone, n, lab->options->core_most, out);
    size_t timed = 0;
    for (size_t i = 0; i < n; i++)
        timed += !isnan(alone[i]);
    if (!timed)
        return err_set(err, ERR_LIMIT,
                       "repeat the command when the computer is idle, or use --patience 10m",
                       "no form has a stable time: the core is contended");
    if (!out->candidates.count)
        return err_set(err, ERR_DATA, "chart more forms",
                       "no form of at most %g cycles has a time that ports can explain",
                       CORE_QUICK);
    for (size_t i = 0; i < out->candidates.count; i++)
        vec_push(&out->class_of, UINT32_MAX);
    g.rows = mem_alloc(out->candidates.count * CLASSES_MOST * sizeof *g.rows);
    for (size_t i = 0; i < out->candidates.count * CLASSES_MOST; i++)
        g.rows[i] = SIZE_MAX;
    bool ok = group_all(&g, firsts, err);
    if (ok)
        keep_lightest(&g, firsts);
    ok = ok && add_larger(lab, alone, out, err) && add_fastest(lab, alone, out, err);
    free(g.rows);
    return ok;
}

bool core_take(struct lab *lab, const double *alone, const struct mapping *known,
               struct chart_core *out, struct err *err)
{
    *out = (struct chart_core){0};
    for (size_t i = 0; i < mapping_count(known); i++) {
        const uint32_t form = names_find(&lab->table->forms, mapping_at(known, i)->form);
        if (form >= lab->table->forms.count || isnan(alone[form]))
            continue;
        vec_push(&out->classes, ((struct core_class){form, 1}));
        vec_push(&out->candidates, form);
        vec_push(&out->class_of, (uint32_t)(out->classes.count - 1));
    }
    return add_larger(lab, alone, out, err) && add_fastest(lab, alone, out, err);
}

void core_done(struct chart_core *c)
{
    vec_done(&c->classes);
    vec_done(&c->candidates);
    vec_done(&c->class_of);
}
