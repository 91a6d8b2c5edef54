/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/growth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "program/fit_data.h"
#include "program/solve.h"

/* Maximum number of candidate terms of which all subsets of fewer than SIZE_MOST terms are tried.
 * If there are more candidates, terms are added one by one, at most SIZE_MOST. */
#define ALL_SUBSETS_MOST 12
#define SIZE_MOST 4              /* maximum number of selected terms */
/* largest ratio of the error with more terms to the error without them at which more terms are
 * accepted */
#define GAIN 0.5
/* The same ratio for a higher degree with no more terms, if the lower degree leaves no significant
 * residual. A parabola approximates few neighbouring runs of a cubic quantity this well. */
#define CLEAR_GAIN 0.1
#define EXACT 1e-6               /* largest error at left-out runs that rounding may cause, in
                                  * insignificant differences */
/* maximum number of candidate terms; the degree is reduced if there are more */
#define TERMS_MOST 150
/* maximum number of candidate terms of a sum, which is fitted in one step */
#define SUMS_MOST 600
/* smallest significant difference, as a multiple of the largest insignificant one */
#define SEEN 2
/* reciprocal of the largest share of pairs of runs that may contradict a growth */
#define CONTRADICTED 10
#define STEPS_OUT 6              /* number of steps beyond the runs' inputs at which a formula is
                                  * tested */
/* Share of the largest inputs at which a rising formula is also tested. The test rejects, for
 * example, a line through a few neighbouring runs of a quadratic quantity, which is below 0
 * there. */
#define INWARD 0.25

struct growth_candidate {
    struct formula_term term;
    unsigned degree;
    double *column;
};

struct grower {
    const struct fit_data *data;
    const struct growth_limits *limits;
    VEC(struct growth_candidate) terms;
    /* per input: highest power that the runs need; 0: none */
    unsigned power[INPUTS_MAX];
    unsigned degree;             /* largest total degree of a term */
    size_t most;                 /* maximum number of candidate terms */
    double *weights;             /* per run: weight that expresses errors as multiples of the
                                  * insignificant difference */
    /* per input: the largest or smallest value of the runs, from which tests step outwards */
    double *farthest;
    long double *work;
    struct formula best;         /* best formula of the current degree */
    /* error of @best at left-out runs, in insignificant differences; INFINITY: no formula */
    double best_error;
};

static void clear_terms(struct grower *g)
{
    for (size_t i = 0; i < g->terms.count; i++)
        free(g->terms.items[i].column);
    g->terms.count = 0;
}

/* Returns whether there are too many candidate terms for this degree. Returns false up to
 * limits->degree. With twelve inputs there can be millions. */
static bool too_many(const struct grower *g)
{
    return g->terms.count > g->most && g->degree > g->limits->degree;
}

static void add_products(struct grower *g, struct formula_term term, unsigned degree, size_t first,
                         unsigned left)
{
    const struct fit_data *d = g->data;

    if (too_many(g))
        return;
    if (first == d->input_count) {
        struct growth_candidate c = {term, degree, mem_alloc(d->run_count * sizeof(double))};
        for (size_t r = 0; r < d->run_count; r++)
            c.column[r] = formula_term_value(&term, d->inputs + r * d->input_count, d->input_count);
        vec_push(&g->terms, c);
        return;
    }
    for (unsigned power = 0; power <= (g->power[first] < left ? g->power[first] : left); power++) {
        term.power[first] = (int8_t)power;
        add_products(g, term, degree + power, first + 1, left - power);
    }
}

/* Returns the formula's value. formula_value would replace negative values with 0. */
static double signed_value(const struct formula *f, const double *inputs, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < f->count; i++)
        sum += f->coefficients[i] * formula_term_value(&f->terms[i], inputs, n);
    return sum;
}

/* Returns whether the formula remains within its limits beyond the runs. Changes all inputs
 * together, then each one separately. */
static bool sensible(const struct grower *g, const struct formula *f)
{
    const struct growth_limits *l = g->limits;
    size_t n = g->data->input_count;
    double inputs[INPUTS_MAX];

    for (size_t i = 0; i < n; i++)
        inputs[i] = INWARD * g->farthest[i];
    if (l->rises && signed_value(f, inputs, n) < l->least - l->grain)
        return false;

    /* If @alone is 0, all inputs change together, otherwise only input @alone - 1. */
    for (size_t alone = 0; alone <= (n > 1 ? n : 0); alone++) {
        double before = -INFINITY;
        memcpy(inputs, g->farthest, n * sizeof *inputs);
        for (int step = 0; step <= STEPS_OUT; step++) {
            const double sum = signed_value(f, inputs, n);
            const double slack = l->grain + l->scatter * fabs(sum);
            if (sum < l->least - slack || sum > l->most + slack ||
                (l->rises && sum < before - slack))
                return false;
            before = sum;
            for (size_t i = 0; i < n; i++)
                inputs[i] *= alone == 0 || alone == i + 1 ? l->toward : 1;
        }
    }
    return true;
}

static void judge(struct grower *g, const size_t *chosen, size_t count)
{
    const double *columns[SOLVE_COLUMNS];
    struct solution s;
    struct formula f = {.count = count};

    for (size_t k = 0; k < count; k++)
        columns[k] = g->terms.items[chosen[k]].column;
    if (count >= g->data->run_count ||
        !solve(columns, count, g->data->values, g->weights, g->data->run_count, g->work, &s) ||
        !(s.left_out < g->best_error))
        return;
    for (size_t k = 0; k < count; k++) {
        f.terms[k] = g->terms.items[chosen[k]].term;
        f.coefficients[k] = (double)s.coefficients[k];
    }
    if (!sensible(g, &f))
        return;
    g->best = f;
    g->best_error = s.left_out;
}

/* Tries all subsets of @size terms of degree up to @degree that include a term of degree
 * @degree. */
static void subsets(struct grower *g, unsigned degree, size_t *chosen, size_t count, size_t size,
                    size_t first)
{
    if (count == size) {
        bool reaches = false;
        for (size_t k = 0; k < count; k++)
            reaches |= g->terms.items[chosen[k]].degree == degree;
        if (reaches)
            judge(g, chosen, count);
        return;
    }
    for (size_t i = first; i < g->terms.count; i++)
        if (g->terms.items[i].degree <= degree) {
            chosen[count] = i;
            subsets(g, degree, chosen, count + 1, size, i + 1);
        }
}

/* Adds terms one by one, each time the term that gives the lowest error. Ends if no term lowers the
 * error. */
static void stepwise(struct grower *g, unsigned degree)
{
    size_t chosen[SIZE_MOST];

    for (size_t count = 0; count < SIZE_MOST; count++) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < g->terms.count; i++) {
            bool taken = g->terms.items[i].degree > degree;
            for (size_t k = 0; k < count; k++)
                taken |= chosen[k] == i;
            if (taken)
                continue;
            double before = g->best_error;
            chosen[count] = i;
            judge(g, chosen, count + 1);
            if (g->best_error < before)
                best = i;
        }
        if (best == SIZE_MAX)
            return;
        chosen[count] = best;
    }
}

/* Returns the formula's mean absolute residual, as a multiple of the largest insignificant
 * difference. */
static double residual(const struct grower *g, const struct formula *f)
{
    const struct fit_data *d = g->data;
    double sum = 0;
    for (size_t r = 0; r < d->run_count; r++)
        sum +=
            fabs(formula_value(f, d->inputs + r * d->input_count, d->input_count) - d->values[r]) *
            g->weights[r];
    return sum / (double)d->run_count;
}

/* Fits a sum of any number of products with positive coefficients if few terms leave a residual.
 * With several inputs, a reuse distance is the sum of the lines of several arrays. The lines of
 * each array are a product of inputs. Left-out runs are a weak test of many terms, but positive
 * coefficients prevent overfitting. */
static void search_sums(struct grower *g, struct formula *out)
{
    const struct fit_data *d = g->data;
    const double **columns = mem_alloc((g->terms.count + 1) * sizeof *columns);
    size_t chosen[SOLVE_COLUMNS];
    struct solution s;
    struct formula f = {0};

    for (size_t k = 0; k < g->terms.count; k++)
        columns[k] = g->terms.items[k].column;
    f.count = nonnegative(columns, g->terms.count, d->values, g->weights, d->run_count, g->work,
                          chosen, &s);
    for (size_t k = 0; k < f.count; k++) {
        f.terms[k] = g->terms.items[chosen[k]].term;
        f.coefficients[k] = (double)s.coefficients[k];
    }
    free(columns);
    if (!f.count || !(residual(g, &f) < GAIN * residual(g, out)) || !sensible(g, &f))
        return;
    *out = f;
    out->error = s.left_out * g->limits->scatter;
}

static void search(struct grower *g, struct formula *out)
{
    size_t chosen[SIZE_MOST];
    double error = INFINITY;
    bool within = false;   /* whether the residual of @out is insignificant */

    for (unsigned degree = 0; degree <= g->degree; degree++) {
        g->best_error = INFINITY;
        if (g->terms.count <= ALL_SUBSETS_MOST)
            for (size_t size = 1; size < SIZE_MOST; size++)
                subsets(g, degree, chosen, 0, size, 0);
        else
            stepwise(g, degree);
        if (!(g->best_error < (isinf(error) ? INFINITY : (within ? CLEAR_GAIN : GAIN) * error)) ||
            (within && g->best.count > out->count))
            continue;
        error = g->best_error;
        *out = g->best;
        within = residual(g, out) <= 1;
        if (within && (out->count == 1 || error <= EXACT))
            break;
    }
    out->error = isinf(error) ? NAN : error * g->limits->scatter;
}

/* Returns the highest power of one input that the values @ys at @xs require. */
static unsigned power_alone(const struct grower *g, const double *xs, const double *ys, size_t n)
{
    struct growth_limits limits = *g->limits;
    struct formula f;

    fit_growth(&(struct fit_data){xs, 1, n, ys}, &limits, &f);
    return formula_degree(&f, 1);
}

/* Returns whether run @a of @d has at least the inputs of run @b, and a larger one. */
static bool is_larger(const struct fit_data *d, size_t a, size_t b)
{
    bool larger = false;

    for (size_t i = 0; i < d->input_count; i++) {
        const double x = d->inputs[a * d->input_count + i], y = d->inputs[b * d->input_count + i];
        if (x < y)
            return false;
        larger |= x > y;
    }
    return larger;
}

bool growth_seen(const struct fit_data *data, const struct growth_limits *limits)
{
    size_t differing = 0, falling = 0;

    for (size_t a = 0; a < data->run_count; a++)
        for (size_t b = 0; b < data->run_count; b++) {
            const double more = data->values[a] - data->values[b],
                         most = fmax(fabs(data->values[a]), fabs(data->values[b]));
            if (!is_larger(data, a, b) || !(fabs(more) > limits->grain + limits->scatter * most))
                continue;
            differing++;
            falling += more < 0;
        }
    return falling * CONTRADICTED <= differing;
}

/* Returns whether any two of @n values differ significantly. */
static bool differ(const struct grower *g, const double *values, size_t n)
{
    double low = INFINITY, high = -INFINITY;

    for (size_t k = 0; k < n; k++) {
        low = fmin(low, values[k]);
        high = fmax(high, values[k]);
    }
    return high - low > SEEN * (g->limits->grain + g->limits->scatter * fabs(high));
}

/* Finds the power of each input from the runs that differ from the base run in only this input. If
 * their values are equal, the power is 1 if other runs show an effect. The power is also 1 if the
 * input varies, but no two runs differ in only this input. */
static void find_powers(struct grower *g)
{
    const struct fit_data *d = g->data;
    double *xs = mem_alloc(2 * d->run_count * sizeof *xs), *ys = xs + d->run_count;
    bool all[INPUTS_MAX];

    for (size_t i = 0; i < d->input_count; i++)
        all[i] = true;
    size_t base = single_input_base(d, all);
    for (size_t i = 0; i < d->input_count; i++) {
        bool moves = false, alone = false, acts = false;
        size_t n = single_input_points(d, all, base, i, xs, ys);
        if (n > 1 && differ(g, ys, n)) {
            unsigned power = power_alone(g, xs, ys, n);
            g->power[i] = power ? power : 1;
            continue;
        }
        for (size_t r = 0; r < d->run_count && !acts; r++) {
            moves |= d->inputs[r * d->input_count + i] != d->inputs[i];
            n = single_input_points(d, all, r, i, xs, ys);
            alone |= n > 1;
            acts = n > 1 && differ(g, ys, n);
        }
        g->power[i] = acts || (moves && !alone);
    }
    free(xs);
}

/* Lists at most @most candidate terms. Reduces the degree until there are few enough, but not below
 * limits->degree. */
static void find_terms(struct grower *g, size_t most)
{
    clear_terms(g);
    g->most = most;
    g->degree = 0;
    for (size_t i = 0; i < g->data->input_count; i++)
        g->degree += g->power[i];
    for (;; g->degree--) {
        add_products(g, (struct formula_term){{0}, 0, 0, 0, 0}, 0, 0, g->degree);
        if (!too_many(g))
            return;
        clear_terms(g);
    }
}

void fit_growth(const struct fit_data *data, const struct growth_limits *limits,
                struct formula *out)
{
    struct grower g = {.data = data, .limits = limits};
    size_t n = data->run_count, width = data->input_count;
    double sum = 0;

    for (size_t r = 0; r < n; r++)
        sum += data->values[r];
    *out = (struct formula){.count = 1, .error = NAN};
    out->coefficients[0] = sum / (double)n;
    if (n < 2)
        return;
    g.weights = mem_zero(n, sizeof *g.weights);
    g.work = mem_zero((SOLVE_COLUMNS + 1) * n, sizeof *g.work);
    g.farthest = mem_zero(width + 1, sizeof *g.farthest);
    for (size_t r = 0; r < n; r++) {
        g.weights[r] = 1 / (limits->grain + limits->scatter * fabs(data->values[r]));
        for (size_t i = 0; i < width; i++) {
            double x = data->inputs[r * width + i];
            g.farthest[i] = r == 0 || (limits->toward > 1 ? x > g.farthest[i] : x < g.farthest[i])
                                ? x
                                : g.farthest[i];
        }
    }
    g.power[0] = width == 1 ? limits->degree : 0;
    if (width > 1 && differ(&g, data->values, n))
        find_powers(&g);
    find_terms(&g, TERMS_MOST);
    search(&g, out);
    if (limits->rises && width > 1 && !(residual(&g, out) <= 1)) {
        find_terms(&g, SUMS_MOST);
        search_sums(&g, out);
    }
    clear_terms(&g);
    vec_done(&g.terms);
    free(g.weights);
    free(g.work);
    free(g.farthest);
}
