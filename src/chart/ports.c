/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/ports.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "chart/parting.h"
#include "chart/saturate.h"
#include "chart/venn.h"
#include "isa/operands.h"
#include "throughput/predict.h"

#define ORDERS 6             /* maximum number of orders of the forms to try */
/* Assumed relative error of an experiment with an omitted form. It exceeds the errors of the other
 * experiments on real CPUs. */
#define UNKNOWN_ERROR 0.05
/* limit of the error of a time above the port bound, because the ports may still be correct */
#define ABOVE_ERROR 0.016
/* Smallest share of a core's times above the port bound at which such times are accepted. Below
 * this share, a time above the bound refutes a usage, as a time below it does. */
#define ABOVE_SHARE_LEAST 0.02
#define ABOVE_DEVIATIONS 4
/* largest mean error of an accepted result of the exact search */
#define EXACT_ERROR 0.003
/* Smallest share of the forms that a result must have. Forms that are omitted here are placed
 * later, like forms outside the core. */
#define EXACT_SHARE 0.5
#define ENOUGH_SHARE 0.95    /* smallest share of forms in the result at which no other order is
                              * tried */
#define NOISY_SHARE 0.8      /* like ENOUGH_SHARE, at higher noise levels */
#define LEFT_OUT_PRICE 0.001   /* score of an omitted form, as a relative error */
/* Score of a port at higher noise levels, as a relative error. For example, seven ports may include
 * five more forms but double the error. The model then fits another effect than ports (mask
 * operations of a Zen 4). */
#define PORT_PRICE 0.0004
/* maximum number of forms of a row whose time may count as above the port bound */
#define ROW_MOST 16

/* Returns the highest measured rate in forms per cycle, rounded to an integer. */
static double measured_width(const struct experiments *t, const bool *keep)
{
    double most = 1;

    for (size_t i = 0; i < t->rows.count; i++)
        if (keep[i] && experiments_measured(t, i))
            most = fmax(most, (double)experiments_size(t, i) / t->rows.items[i].cycles);
    return rint(most);
}

static bool venn_goes_on(void *state, size_t done, size_t total)
{
    const struct chart_hooks *hooks = ((const struct lab *)state)->hooks;

    hooks->progress(hooks->state, CHART_PORTS, (double)done, (double)total,
                    "forms added one by one");
    return !hooks->cancelled(hooks->state);
}

static bool venn_show_due(void *state)
{
    return lab_show_due(state);
}

static void venn_show(void *state, const struct mapping *so_far)
{
    lab_show(state, so_far);
}

/* Returns, for each row of @t, whether it is in @keep (NULL: all rows) and @m has all its forms.
 * The caller frees the array. */
static bool *rows_known(const struct experiments *t, const bool *keep, const struct mapping *m)
{
    bool *out = mem_zero(t->rows.count + 1, sizeof *out);

    for (size_t i = 0; i < t->rows.count; i++) {
        out[i] = !keep || keep[i];
        for (uint32_t k = 0; k < t->rows.items[i].count && out[i]; k++)
            out[i] = mapping_find(m, t->forms.items[experiments_terms(t, i)[k].form]) != NULL;
    }
    return out;
}

/* Weights of times above the port bound: full, or reduced with a limit for few or for many such
 * times */
enum residual_weight { WEIGHT_FULL, WEIGHT_FEW, WEIGHT_MANY };

/* Returns the cycles in isolation of each form of @t; NaN: unknown. The caller frees the array. */
static double *times_alone(const struct experiments *t)
{
    double *alone = mem_alloc((t->forms.count + 1) * sizeof *alone);

    for (size_t f = 0; f < t->forms.count; f++)
        alone[f] = NAN;
    for (size_t i = 0; i < t->rows.count; i++)
        if (t->rows.items[i].count == 1 && experiments_terms(t, i)->count == 1 &&
            experiments_measured(t, i))
            alone[experiments_terms(t, i)->form] = t->rows.items[i].cycles;
    return alone;
}

/* Returns the largest ratio of measured to predicted cycles at which the time of row @i counts as
 * above the port bound; 1: it never does. */
static double above_by(const struct experiments *t, size_t i, const double *alone,
                       enum residual_weight weight)
{
    double own[ROW_MOST];
    size_t n = t->rows.items[i].count;

    for (size_t k = 0; k < n && k < ROW_MOST; k++)
        own[k] = experiments_terms(t, i)[k].count * alone[experiments_terms(t, i)[k].form];
    return weight == WEIGHT_FULL || n > ROW_MOST
               ? 1
               : residual_limit_of(own, n, weight == WEIGHT_MANY).by;
}

/* Returns the mean relative error of @m on the measured rows of @t in @keep; INFINITY if there are
 * none. The error of a row with an unknown form is UNKNOWN_ERROR. The error of a time above the
 * port bound is at most ABOVE_ERROR, except with WEIGHT_FULL. */
static double error_within(const struct experiments *t, const bool *keep, const struct mapping *m,
                           enum residual_weight weight)
{
    double *cycles = mem_alloc((t->rows.count + 1) * sizeof *cycles), sum = 0,
           *alone = times_alone(t);
    size_t n = 0;

    throughput_predict(m, t, cycles);
    for (size_t i = 0; i < t->rows.count; i++)
        if (keep[i] && experiments_measured(t, i)) {
            double is = t->rows.items[i].cycles,
                   error = isnan(cycles[i]) ? UNKNOWN_ERROR : fabs(cycles[i] / is - 1);
            sum += is_above_ports(cycles[i], is, above_by(t, i, alone, weight))
                       ? fmin(error, ABOVE_ERROR)
                       : error;
            n++;
        }
    free(cycles);
    free(alone);
    return n ? sum / (double)n : INFINITY;
}

/* Returns the mean relative error of @m (error_within) on those rows in @keep whose forms it
 * has. */
static double error_known(const struct experiments *t, const bool *keep, const struct mapping *m,
                          enum residual_weight weight)
{
    bool *rows = rows_known(t, keep, m);
    double error = error_within(t, rows, m, weight);

    free(rows);
    return error;
}

double core_ports_error(const struct experiments *t, const bool *keep, const struct mapping *m,
                        bool above_ports)
{
    return error_known(t, keep, m, above_ports ? WEIGHT_MANY : WEIGHT_FULL);
}

/* Returns the share of the measured rows in @keep whose times exceed the port bound by more than
 * noise. */
static double above_share(const struct experiments *t, const bool *keep, const struct mapping *m)
{
    double *cycles = mem_alloc((t->rows.count + 1) * sizeof *cycles);
    size_t n = 0, above = 0;

    throughput_predict(m, t, cycles);
    for (size_t i = 0; i < t->rows.count; i++)
        if (keep[i] && experiments_measured(t, i)) {
            double is = t->rows.items[i].cycles;
            above += is_above_ports(cycles[i], is, RESIDUAL_RATIO) &&
                     is - cycles[i] > ABOVE_DEVIATIONS * sight_noise(SIGHT_NOISE, is);
            n++;
        }
    free(cycles);
    return n ? (double)above / (double)n : 0;
}

static double error_of(const struct experiments *t, const bool *keep, const struct mapping *m)
{
    return error_within(t, keep, m, WEIGHT_FULL);
}

/* Sets @order to the order in which attempt @turn adds the forms. Even attempts use the order of
 * @forms; in odd attempts, forms with memory operands are last. The later the attempt, the more
 * neighbours are swapped at random. */
static void make_order(const struct lab *lab, const uint32_t *forms, size_t n, unsigned turn,
                       struct rng *rng, uint32_t *order)
{
    size_t count = 0;

    for (unsigned memory = 0; memory < 2; memory++)
        for (size_t i = 0; i < n; i++)
            if (turn % 2 == 0 ? memory == 0
                              : form_has_memory(lab->table->forms.items[forms[i]]) == memory)
                order[count++] = forms[i];
    for (unsigned k = 0; k < turn / 2 * n; k++) {
        size_t at = rng_below(rng, n - 1);
        uint32_t swap = order[at];
        order[at] = order[at + 1];
        order[at + 1] = swap;
    }
}

struct found {
    struct mapping *mapping;
    /* mean relative error over the rows whose forms the mapping has; times above the port bound
     * have less weight */
    double error;
    size_t forms;
};

static bool is_usable(const struct mapping *m)
{
    struct lattice *lattice = mem_zero(1, sizeof *lattice);

    lattice_make(m, INFINITY, SIGHT_NOISE, lattice);
    bool usable = lattice->columns > 0;
    lattice_done(lattice);
    free(lattice);
    return usable;
}

/* Returns a result of the exact search with its error. Discards the result if no other forms can be
 * placed with it. Takes @take_m (NULL: no result). */
static struct found judge_found(const struct lab *lab, const bool *keep,
                                enum residual_weight weight, struct mapping *take_m)
{
    struct found f = {take_m, INFINITY, 0};

    if (take_m && !is_usable(take_m)) {
        mapping_free(take_m);
        f.mapping = NULL;
    } else if (take_m) {
        f.error = error_known(lab->table, keep, take_m, weight);
        f.forms = mapping_count(take_m);
    }
    return f;
}

/* Returns whether @f contains at least a share @share of the @n forms, and explains their times
 * within the noise. */
static bool is_exact(const struct found *f, size_t n, double share)
{
    return f->mapping && f->error <= EXACT_ERROR && (double)f->forms >= share * (double)n;
}

/* Moves forms that @m lacks to the front of @order, because forms before them may have taken their
 * ports. */
static void left_out_first(const struct lab *lab, const struct mapping *m, size_t n,
                           uint32_t *order)
{
    uint32_t *before = mem_alloc((n + 1) * sizeof *before);
    size_t count = 0;

    memcpy(before, order, n * sizeof *before);
    for (unsigned known = 0; known < 2; known++)
        for (size_t i = 0; i < n; i++)
            if ((mapping_find(m, lab->table->forms.items[before[i]]) != NULL) == known)
                order[count++] = before[i];
    free(before);
}

/* Returns whether the error of @f is within the scatter of a real CPU, and @f has EXACT_SHARE of
 * the @n forms. It is then better to place omitted forms later than to include them with a larger
 * error. */
static bool is_quiet(const struct found *f, size_t n)
{
    return f->mapping && f->error <= SIGHT_NOISE && (double)f->forms >= EXACT_SHARE * (double)n;
}

/* Returns the score of @f; a lower score is better. Within the scatter, the score is the error plus
 * a small price per omitted form and @port_price per port. Otherwise it is the error on all rows.
 * Returns INFINITY without a mapping. */
static double score(const struct lab *lab, const bool *keep, const struct found *f, size_t n,
                    double port_price)
{
    if (is_quiet(f, n))
        return f->error + LEFT_OUT_PRICE * (double)(n - f->forms) +
               port_price * mapping_ports(f->mapping)->count;
    return f->mapping ? error_of(lab->table, keep, f->mapping) : INFINITY;
}

/* Runs the exact search at several noise levels and in several orders. Returns the result with the
 * best score. */
static struct found find_exactly(struct lab *lab, const bool *keep, const uint32_t *forms, size_t n,
                                 struct venn_options *o)
{
    static const double levels[] = {0.5, 2.5, 12};
    struct found best = {NULL, INFINITY, 0};
    double least = INFINITY;
    uint32_t *order = mem_alloc((n + 1) * sizeof *order);
    struct mapping *last = NULL;
    struct rng rng;

    rng_seed(&rng, lab->options->seed);
    for (size_t level = 0;
         level < sizeof levels / sizeof *levels && !(level > 1 && is_quiet(&best, n)); level++)
        for (unsigned turn = 0; turn < (n > 1 ? ORDERS : 1) &&
                                !is_exact(&best, n, level ? NOISY_SHARE : ENOUGH_SHARE);
             turn++) {
            if (turn < 2 || !last)
                make_order(lab, forms, n, turn, &rng, order);
            else
                left_out_first(lab, last, n, order);
            o->fits = levels[level];
            struct found found = judge_found(lab, keep, level ? WEIGHT_MANY : WEIGHT_FEW,
                                             venn_find(lab->table, order, n, o));
            double error = score(lab, keep, &found, n, level ? PORT_PRICE : 0);
            bool better = error < least;
            mapping_free(last);
            last = found.mapping ? mapping_copy(found.mapping) : NULL;
            mapping_free(better ? best.mapping : found.mapping);
            best = better ? found : best;
            least = better ? error : least;
        }
    mapping_free(last);
    free(order);
    return best;
}

static void use_found(const struct lab *lab, const bool *keep, const struct mapping *found,
                      struct core_ports *out)
{
    const struct experiments *t = lab->table;
    bool *rows = rows_known(t, keep, found);

    out->mapping = mapping_copy(found);
    out->forms = mapping_count(found);
    out->confidence = mem_alloc((out->forms + 1) * sizeof *out->confidence);
    for (size_t i = 0; i < out->forms; i++)
        out->confidence[i] = NAN;
    for (size_t i = 0; i < t->rows.count; i++)
        out->experiments += rows[i] && experiments_measured(t, i);
    out->error = error_of(t, rows, found);
    free(rows);
}

static bool has_time_alone(const struct lab *lab, uint32_t form)
{
    for (size_t i = 0; i < lab->table->rows.count; i++)
        if (lab->table->rows.items[i].count == 1 &&
            experiments_terms(lab->table, i)->form == form && experiments_measured(lab->table, i))
            return true;
    return false;
}

/* Returns the number of the @n forms that have a usage from an earlier run. Returns 0 if that run's
 * core has a form that this chart lacks or that has no time. */
static size_t count_known(const struct lab *lab, const uint32_t *forms, size_t n)
{
    const struct mapping *core = lab->options->core;
    size_t found = 0;

    for (size_t i = 0; core && i < mapping_count(core); i++) {
        const uint32_t form = names_find(&lab->table->forms, mapping_at(core, i)->form);
        if (form == UINT32_MAX || !has_time_alone(lab, form))
            return 0;
    }
    for (size_t i = 0; core && i < n; i++)
        found += mapping_find(core, lab->table->forms.items[forms[i]]) != NULL;
    return found;
}

/* Returns whether the core of an earlier run predicts well and has at least NOISY_SHARE of the
 * forms. @n: number of forms. @known: number of those that the core has. No search is then
 * needed. */
static bool known_explains(const struct lab *lab, const bool *keep, size_t known, size_t n)
{
    const struct experiments *t = lab->table;
    const struct mapping *core = lab->options->core;

    if (!known || (double)known < NOISY_SHARE * (double)n)
        return false;
    return error_known(t, keep, core, WEIGHT_FULL) <= EXACT_ERROR ||
           error_known(t, keep, core, WEIGHT_MANY) <= SIGHT_NOISE;
}

static bool find_ports(struct lab *lab, const bool *keep, const uint32_t *forms, size_t n,
                       struct core_ports *out, struct err *err)
{
    *out = (struct core_ports){0};
    if (known_explains(lab, keep, count_known(lab, forms, n), n)) {
        use_found(lab, keep, lab->options->core, out);
        return true;
    }
    struct venn_options options = {.width = measured_width(lab->table, keep),
                                   .goes_on = venn_goes_on,
                                   .show_due = venn_show_due,
                                   .show = venn_show,
                                   .state = lab,
                                   .hooks = lab->hooks};
    struct found exact = find_exactly(lab, keep, forms, n, &options);
    const bool ok = lab_goes_on(lab, err) &&
                    (exact.mapping || err_set(err, ERR_LIMIT, "chart more forms",
                                              "no ports explain the times of the core forms"));

    if (ok)
        use_found(lab, keep, exact.mapping, out);
    mapping_free(exact.mapping);
    return ok;
}

/* Splits ports that are two resources of the CPU, if forms outside the core reveal this. */
static bool part_ports(struct lab *lab, const bool *keep, struct core_ports *out, struct err *err)
{
    struct mapping *m = parting_find(lab, keep, out->mapping, measured_width(lab->table, keep));

    if (m && is_usable(m)) {
        mapping_free(out->mapping);
        out->mapping = m;
        out->error = error_known(lab->table, keep, m, WEIGHT_FULL);
    } else {
        mapping_free(m);
    }
    return lab_goes_on(lab, err);
}

bool core_ports_find(struct lab *lab, const bool *keep, const uint32_t *forms, size_t n,
                     struct core_ports *out, struct err *err)
{
    if (!find_ports(lab, keep, forms, n, out, err) || !part_ports(lab, keep, out, err))
        return false;
    bool *rows = rows_known(lab->table, keep, out->mapping);
    out->above_ports = above_share(lab->table, rows, out->mapping) >= ABOVE_SHARE_LEAST;
    out->noise = core_ports_error(lab->table, keep, out->mapping, out->above_ports);
    free(rows);
    return true;
}

void core_ports_done(struct core_ports *c)
{
    mapping_free(c->mapping);
    free(c->confidence);
    *c = (struct core_ports){0};
}
