/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/shortage.h"
#include "base/vec.h"
#include "base/watch.h"
#include "program/solve.h"

#define PARTS_MOST 8             /* maximum number of terms of a single input */
/* minimum number of values of an input for several terms that are divided by it */
#define RECIPROCAL_VALUES 5
/* maximum number of values of an input for which a piecewise linear function is tried */
#define BROKEN_VALUES 5
#define PRODUCTS_MOST 6000       /* maximum number of candidate products per search */
/* largest ratio of errors at left-out runs (with / without an additional term) at which the term is
 * used */
#define GAIN 0.7
/* smallest share of a column's length that must not depend on the chosen columns */
#define DEPENDENT 1e-9
/* largest ratio of the residual to the length of the values at which the values are explained */
#define EXPLAINED 1e-9
/* number of doublings of the inputs during which a formula must remain positive */
#define OUTWARD 4

/* Terms of one input only */
struct input_terms {
    struct formula_term list[PARTS_MOST];
    size_t count;
};

struct product {
    struct formula_term term;
    /* @column: the term's value in each run. @rest: the weighted column without its projection on
     * the chosen columns. */
    double *column, *rest;
    double length;               /* length of the weighted column */
};

struct joining {
    const struct fit_data *data;
    struct input_terms parts[INPUTS_MAX];
    VEC(struct product) products;
    /* per input: whether no short formula fits the effect of this input alone */
    bool broken[INPUTS_MAX];
    size_t distinct;             /* number of runs that differ in active inputs */
    double *weights, *left;      /* per run: weight, and weighted residual */
    double *leverage;            /* leverage of each run */
    long double *work;
    size_t chosen[SOLVE_COLUMNS], chosen_count;
};

static void add_part(struct input_terms *p, struct formula_term term)
{
    for (size_t i = 0; i < p->count; i++)
        if (memcmp(&p->list[i], &term, sizeof term) == 0)
            return;
    if (p->count < PARTS_MOST)
        p->list[p->count++] = term;
}

static struct formula_term power_of(size_t input, int power)
{
    struct formula_term t = {.kind = TERM_PRODUCT};
    t.power[input] = (int8_t)power;
    return t;
}

static void take_terms(struct input_terms *out, const struct formula *f, size_t input, int less)
{
    for (size_t k = 0; k < f->count; k++) {
        struct formula_term t = f->terms[k];
        int power = t.power[0] - less;
        memset(t.power, 0, sizeof t.power);
        t.power[input] = (int8_t)power;
        t.input = t.kind ? (uint8_t)input : 0;
        add_part(out, t);
    }
}

/* Finds the terms of @input from the runs that differ from run @base in only this input. If no
 * exact formula fits them, uses powers of the input. */
static void find_parts(struct joining *j, const bool *active, size_t base, size_t input)
{
    const struct fit_data *d = j->data;
    double *xs = mem_alloc(2 * d->run_count * sizeof *xs), *ys = xs + d->run_count;
    size_t n = single_input_points(d, active, base, input, xs, ys);
    struct formula f;

    fit_counts(&(struct fit_data){xs, 1, n, ys}, &f);
    if (n > 1 && f.exact) {
        take_terms(&j->parts[input], &f, input, 0);
    } else {
        for (size_t k = 0; k < n; k++)
            ys[k] *= xs[k];
        fit_counts(&(struct fit_data){xs, 1, n, ys}, &f);
        if (n > 1 && f.exact && (f.count <= 1 || n >= RECIPROCAL_VALUES)) {
            take_terms(&j->parts[input], &f, input, 1);
        } else {
            for (int power = -1; power <= (n > 2 ? 2 : 1); power++)
                add_part(&j->parts[input], power_of(input, power));
            j->broken[input] = n > 1 && n <= BROKEN_VALUES;
        }
    }
    free(xs);
}

/* Multiplies @into by @by. Returns false if both have a quotient, remainder or similar factor,
 * because a term can have only one. */
static bool multiply(struct formula_term *into, const struct formula_term *by)
{
    if (into->kind && by->kind)
        return false;
    for (size_t i = 0; i < INPUTS_MAX; i++)
        into->power[i] = (int8_t)(into->power[i] + by->power[i]);
    if (by->kind) {
        into->kind = by->kind;
        into->input = by->input;
        into->offset = by->offset;
        into->width = by->width;
    }
    return true;
}

static void add_product(struct joining *j, const struct formula_term *term)
{
    const struct fit_data *d = j->data;
    struct product p = {.term = *term, .column = shortage_alloc(2 * d->run_count * sizeof(double))};

    if (!p.column || watch_steps(1 + d->run_count / 8)) {
        free(p.column);
        return;
    }
    p.rest = p.column + d->run_count;
    for (size_t r = 0; r < d->run_count; r++)
        p.column[r] = formula_term_value(term, d->inputs + r * d->input_count, d->input_count);
    if (!vec_room(&j->products)) {   /* Memory is exhausted, so the caller's command fails. */
        free(p.column);
        return;
    }
    j->products.items[j->products.count++] = p;
}

static void add_products(struct joining *j, struct formula_term term, size_t input)
{
    if (input == j->data->input_count) {
        add_product(j, &term);
        return;
    }
    for (size_t k = 0; k < j->parts[input].count; k++) {
        struct formula_term next = term;
        if (multiply(&next, &j->parts[input].list[k]))
            add_products(j, next, input + 1);
    }
}

static void clear_products(struct joining *j)
{
    for (size_t i = 0; i < j->products.count; i++)
        free(j->products.items[i].column);
    j->products.count = 0;
}

/* Makes all products with one term per input. Returns false if there are too many, if memory is
 * exhausted, or when cancelled. */
static bool make_products(struct joining *j)
{
    double count = 1;
    size_t each = 2 * j->data->run_count * sizeof(double) + sizeof(struct product);

    clear_products(j);
    for (size_t i = 0; i < j->data->input_count; i++)
        count *= (double)j->parts[i].count;
    if (count > PRODUCTS_MOST || watch_over())
        return false;
    if (!mem_room((size_t)count * each, "the products of inputs", NULL)) {
        shortage_lose((size_t)count * each);
        return false;
    }
    add_products(j, (struct formula_term){.kind = TERM_PRODUCT}, 0);
    return true;
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Starts a search without chosen terms, with errors weighted by j->weights. */
static void begin(struct joining *j)
{
    size_t n = j->data->run_count;

    j->chosen_count = 0;
    for (size_t r = 0; r < n; r++) {
        j->left[r] = j->data->values[r] * j->weights[r];
        j->leverage[r] = 0;
    }
    for (size_t i = 0; i < j->products.count; i++) {
        struct product *p = &j->products.items[i];
        for (size_t r = 0; r < n; r++)
            p->rest[r] = p->column[r] * j->weights[r];
        p->length = sqrt(dot(p->rest, p->rest, n));
    }
}

/* Chooses the product that reduces the residual most. Returns false if none does. */
static bool choose(struct joining *j)
{
    size_t n = j->data->run_count, best = SIZE_MAX;
    double most = 0, *q = (double *)j->work;

    for (size_t i = 0; i < j->products.count && !watch_steps(1 + n / 8); i++) {
        const struct product *p = &j->products.items[i];
        double length = sqrt(dot(p->rest, p->rest, n)), pull = fabs(dot(p->rest, j->left, n));
        if (length > DEPENDENT * p->length && pull / length > most) {
            most = pull / length;
            best = i;
        }
    }
    if (best == SIZE_MAX || watch.ended)
        return false;
    double length = sqrt(dot(j->products.items[best].rest, j->products.items[best].rest, n));
    for (size_t r = 0; r < n; r++) {
        q[r] = j->products.items[best].rest[r] / length;
        j->leverage[r] += q[r] * q[r];
    }
    double part = dot(q, j->left, n);
    for (size_t r = 0; r < n; r++)
        j->left[r] -= part * q[r];
    for (size_t i = 0; i < j->products.count; i++) {
        double *rest = j->products.items[i].rest, has = dot(q, rest, n);
        for (size_t r = 0; r < n; r++)
            rest[r] -= has * q[r];
    }
    j->chosen[j->chosen_count++] = best;
    return true;
}

/* Fits the coefficients of the chosen terms by least squares in extended precision. Returns false
 * if the terms are dependent or too many. Also returns false if @exact is true and the formula does
 * not equal all values. */
static bool take(struct joining *j, bool exact, struct formula *out)
{
    const struct fit_data *d = j->data;
    const double *columns[SOLVE_COLUMNS];
    double coefficients[SOLVE_COLUMNS];
    struct solution solution;
    bool whole = false;
    size_t count = 0;

    for (size_t k = 0; k < j->chosen_count; k++) {
        columns[k] = j->products.items[j->chosen[k]].column;
        whole |= j->products.items[j->chosen[k]].term.kind == TERM_QUOTIENT;
    }
    if (!solve(columns, j->chosen_count, d->values, j->weights, d->run_count, j->work, &solution))
        return false;
    for (size_t k = 0; k < j->chosen_count; k++)
        coefficients[k] = (double)solution.coefficients[k];
    if (exact && !exact_coefficients(columns, j->chosen_count, d->values, d->run_count, &solution,
                                     whole, coefficients))
        return false;
    for (size_t k = 0; k < j->chosen_count; k++)
        count += coefficients[k] != 0;
    if (count > FORMULA_TERMS)
        return false;
    *out = (struct formula){.exact = exact, .error = exact ? 0 : solution.left_out};
    for (size_t k = 0; k < j->chosen_count; k++)
        if (coefficients[k] != 0) {
            out->terms[out->count] = j->products.items[j->chosen[k]].term;
            out->coefficients[out->count++] = coefficients[k];
        }
    return true;
}

static bool search_exact(struct joining *j, struct formula *out)
{
    size_t n = j->data->run_count;

    begin(j);
    double all = sqrt(dot(j->left, j->left, n));
    while (j->chosen_count < SOLVE_COLUMNS && j->chosen_count + 2 < j->distinct && choose(j))
        if (dot(j->left, j->left, n) < EXPLAINED * EXPLAINED * all * all)
            return take(j, true, out);
    return false;
}

/* Sets weights for errors relative to the value (@relative), or equal weights. */
static void weigh(struct joining *j, bool relative)
{
    double most = 0;

    for (size_t r = 0; r < j->data->run_count; r++)
        most = fmax(most, fabs(j->data->values[r]));
    for (size_t r = 0; r < j->data->run_count; r++)
        j->weights[r] = relative ? 1 / fmax(fabs(j->data->values[r]), most * 1e-3) : 1 / most;
}

static void joining_begin(struct joining *j, const struct fit_data *data, const bool *active)
{
    *j = (struct joining){.data = data, .distinct = fit_distinct_runs(data, active)};
    j->weights = mem_zero(3 * data->run_count, sizeof *j->weights);
    j->left = j->weights + data->run_count;
    j->leverage = j->left + data->run_count;
    j->work = mem_zero((SOLVE_COLUMNS + 1) * data->run_count, sizeof *j->work);
}

static void joining_done(struct joining *j)
{
    clear_products(j);
    vec_done(&j->products);
    free(j->weights);
    free(j->work);
}

/* Finds the terms of all inputs. An input without effect has only the term 1. */
static void find_all_parts(struct joining *j, const bool *active)
{
    size_t base = single_input_base(j->data, active);

    for (size_t i = 0; i < j->data->input_count; i++)
        if (active[i])
            find_parts(j, active, base, i);
        else
            add_part(&j->parts[i], power_of(i, 0));
}

/* Adds the term 1 to each input, for products without that input. If @powers is true, also adds the
 * first power of the input, for inputs that have an effect only in products. */
static void widen(struct joining *j, bool powers)
{
    for (size_t i = 0; i < j->data->input_count; i++) {
        add_part(&j->parts[i], power_of(i, 0));
        if (powers)
            add_part(&j->parts[i], power_of(i, 1));
    }
}

/* Replaces the terms of inputs without a short formula with piecewise linear functions with a bend
 * at each value. */
static void break_lines(struct joining *j)
{
    const struct fit_data *d = j->data;

    for (size_t i = 0; i < d->input_count; i++) {
        double most = -INFINITY;
        if (!j->broken[i])
            continue;
        j->parts[i].count = 0;
        add_part(&j->parts[i], power_of(i, 0));
        for (size_t r = 0; r < d->run_count; r++)
            most = fmax(most, d->inputs[r * d->input_count + i]);
        for (size_t r = 0; r < d->run_count; r++) {
            double x = d->inputs[r * d->input_count + i];
            if (x < most && x == rint(x) && fabs(x) <= INT16_MAX)
                add_part(&j->parts[i], (struct formula_term){.kind = TERM_QUOTIENT,
                                                             .input = (uint8_t)i,
                                                             .offset = (int16_t)x,
                                                             .width = 1});
        }
    }
}

bool products_exact(const struct fit_data *data, const bool *active, struct formula *out)
{
    struct joining j;
    bool found = false;

    joining_begin(&j, data, active);
    find_all_parts(&j, active);
    for (int stage = 0; !found && stage < 4; stage++) {
        if (stage == 3)
            break_lines(&j);
        else if (stage)
            widen(&j, stage == 2);
        if (!make_products(&j))
            break;
        for (int relative = 0; !found && relative < 2; relative++) {
            weigh(&j, relative);
            found = search_exact(&j, out);
        }
    }
    joining_done(&j);
    return found;
}

/* Returns whether the formula remains positive as the inputs grow from those of the run with the
 * largest value. */
static bool stays_positive(const struct fit_data *d, const struct formula *f)
{
    double inputs[INPUTS_MAX];
    size_t largest = 0;

    for (size_t r = 1; r < d->run_count; r++)
        largest = d->values[r] > d->values[largest] ? r : largest;
    memcpy(inputs, d->inputs + largest * d->input_count, d->input_count * sizeof *inputs);
    for (int step = 0; step < OUTWARD; step++) {
        if (!(formula_value(f, inputs, d->input_count) > 0))
            return false;
        for (size_t i = 0; i < d->input_count; i++)
            inputs[i] *= 2;
    }
    return true;
}

/* Returns the mean, over the runs, of the weighted error of the value that the other runs predict.
 * The error is 1 for a run that the other runs do not determine. */
static double left_out(const struct joining *j)
{
    double sum = 0;
    size_t n = j->data->run_count;

    for (size_t r = 0; r < n; r++)
        sum += j->leverage[r] < 1 - 1e-9 ? fabs(j->left[r]) / (1 - j->leverage[r]) : 1;
    return sum / (double)n;
}

bool products_best(const struct fit_data *data, const bool *active, double error,
                   struct formula *out)
{
    struct joining j;
    double best = INFINITY;
    struct formula one;
    bool found = false;

    joining_begin(&j, data, active);
    find_all_parts(&j, active);
    widen(&j, false);
    weigh(&j, true);
    if (make_products(&j)) {
        size_t last = 0;
        begin(&j);
        while (j.chosen_count < FORMULA_NEAR && j.chosen_count + 2 < data->run_count &&
               choose(&j)) {
            double now = left_out(&j);
            if (!(now < error && now < best * pow(GAIN, (double)(j.chosen_count - last))) ||
                !take(&j, false, &one) || !stays_positive(data, &one))
                continue;
            best = now;
            last = j.chosen_count;
            *out = one;
            found = true;
        }
    }
    joining_done(&j);
    return found;
}
