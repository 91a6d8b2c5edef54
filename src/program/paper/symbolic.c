/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "program/solve.h"

#define POPULATION 300
#define GENERATIONS 3000
#define CROSSOVER 0.9
#define TOURNAMENT 3
/* number of generations without improvement before a new population starts */
#define PATIENCE 40
/* price per token, as a share of the error; with it, the shorter of two similar expressions is
 * preferred */
#define LENGTH_PRICE 1e-2
#define FIRST_DEPTH 3
#define FAILED 0.02            /* smallest error at left-out runs at which regression failed */
#define RUNS_LEAST 8           /* minimum number of runs for symbolic regression */
/* largest ratio of the expression's error to that of regression at which the expression is used */
#define GAIN 0.7
#define SEED 20

_Static_assert(2 << FIRST_DEPTH <= FORMULA_CODE, "a first expression fits");

struct bred {
    uint8_t code[FORMULA_CODE];
    size_t length;
    /* mean relative error with the best offset and factor; INFINITY: undefined in a run */
    double error;
    double price;
};

struct breeding {
    const struct fit_data *data;
    struct rng rng;
    double *weights, *column, *ones;
    long double *work;
    struct bred *old, *young;
};

static uint8_t chance_leaf(struct breeding *b)
{
    return rng_below(&b->rng, 5)
               ? (uint8_t)rng_below(&b->rng, b->data->input_count)
               : (uint8_t)(FORMULA_CONSTANT + rng_below(&b->rng, FORMULA_CONSTANTS));
}

static uint8_t chance_operator(struct breeding *b)
{
    static const uint8_t often[] = {FORMULA_TIMES, FORMULA_TIMES, FORMULA_TIMES,
                                    FORMULA_PLUS,  FORMULA_PLUS,  FORMULA_MINUS,
                                    FORMULA_OVER,  FORMULA_LEAST, FORMULA_MOST};
    return often[rng_below(&b->rng, sizeof often)];
}

/* Appends a random expression in postfix order with fewer than 2 << @depth tokens. */
static void grow(struct breeding *b, struct bred *i, unsigned depth)
{
    if (!depth || rng_below(&b->rng, 4) == 0) {
        i->code[i->length++] = chance_leaf(b);
        return;
    }
    grow(b, i, depth - 1);
    grow(b, i, depth - 1);
    i->code[i->length++] = chance_operator(b);
}

/* Returns the index of the first token of the expression that ends at token @last. */
static unsigned begin_of(const struct bred *i, unsigned last)
{
    unsigned operands = 1, at = last + 1;
    while (operands) {
        at--;
        operands += formula_is_operator(i->code[at]) ? 1 : -1u;
    }
    return at;
}

/* Sets @child to a copy of @mother in which a subexpression of @father replaces a subexpression. If
 * the result is too long, sets @child to a copy of @mother. */
static void cross(struct breeding *b, const struct bred *mother, const struct bred *father,
                  struct bred *child)
{
    unsigned last = (unsigned)rng_below(&b->rng, mother->length), first = begin_of(mother, last);
    unsigned other_last = (unsigned)rng_below(&b->rng, father->length),
             other_first = begin_of(father, other_last), added = other_last + 1 - other_first;

    *child = *mother;
    if (mother->length - (last + 1 - first) + added > FORMULA_CODE)
        return;
    memcpy(child->code + first, father->code + other_first, added);
    memcpy(child->code + first + added, mother->code + last + 1, mother->length - last - 1);
    child->length = mother->length - (last + 1 - first) + added;
}

/* Sets @child to a copy of @mother in which a random subexpression or a random token replaces the
 * old one. */
static void mutate(struct breeding *b, const struct bred *mother, struct bred *child)
{
    struct bred fresh = {.length = 0};

    if (rng_below(&b->rng, 2)) {
        grow(b, &fresh, 2);
        cross(b, mother, &fresh, child);
        return;
    }
    *child = *mother;
    unsigned at = (unsigned)rng_below(&b->rng, child->length);
    child->code[at] = formula_is_operator(child->code[at]) ? chance_operator(b) : chance_leaf(b);
}

/* Sets b->column to the expression's value in each run. Returns false if a value is undefined, or
 * if all values are equal. */
static bool values_of(struct breeding *b, const struct bred *i)
{
    const struct fit_data *d = b->data;
    bool varies = false;

    for (size_t r = 0; r < d->run_count; r++) {
        b->column[r] = formula_code_value(i->code, i->length, d->inputs + r * d->input_count);
        if (!isfinite(b->column[r]) || fabs(b->column[r]) > 1e15)
            return false;
        varies |= b->column[r] != b->column[0];
    }
    return varies;
}

static bool scale(struct breeding *b, struct solution *s)
{
    const double *columns[] = {b->ones, b->column};
    return solve(columns, 2, b->data->values, b->weights, b->data->run_count, b->work, s);
}

/* Computes the error of @i with its best offset and factor, by weighted least squares in closed
 * form. */
static void judge(struct breeding *b, struct bred *i)
{
    const struct fit_data *d = b->data;
    double sw = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, sum = 0;

    i->error = INFINITY;
    if (values_of(b, i)) {
        for (size_t r = 0; r < d->run_count; r++) {
            double w = b->weights[r] * b->weights[r];
            sw += w;
            sx += w * b->column[r];
            sy += w * d->values[r];
        }
        for (size_t r = 0; r < d->run_count; r++) {
            double w = b->weights[r] * b->weights[r], x = b->column[r] - sx / sw;
            sxx += w * x * x;
            sxy += w * x * (d->values[r] - sy / sw);
        }
        if (sxx > 0) {
            double factor = sxy / sxx;
            for (size_t r = 0; r < d->run_count; r++)
                sum += b->weights[r] *
                       fabs(d->values[r] - sy / sw - factor * (b->column[r] - sx / sw));
            i->error = sum / (double)d->run_count;
        }
    }
    i->price = (i->error + 1e-12) * (1 + LENGTH_PRICE * i->length);
}

static const struct bred *choose(struct breeding *b)
{
    const struct bred *best = &b->old[rng_below(&b->rng, POPULATION)];
    for (int i = 1; i < TOURNAMENT; i++) {
        const struct bred *other = &b->old[rng_below(&b->rng, POPULATION)];
        best = other->price < best->price ? other : best;
    }
    return best;
}

static void begin(struct breeding *b)
{
    for (size_t i = 0; i < POPULATION; i++) {
        b->old[i].length = 0;
        grow(b, &b->old[i], FIRST_DEPTH);
        judge(b, &b->old[i]);
    }
}

static void breed(struct breeding *b, const struct bred *best)
{
    b->young[0] = *best;
    for (size_t i = 1; i < POPULATION; i++) {
        const struct bred *mother = choose(b);
        if (rng_unit(&b->rng) < CROSSOVER)
            cross(b, mother, choose(b), &b->young[i]);
        else
            mutate(b, mother, &b->young[i]);
        judge(b, &b->young[i]);
    }
    struct bred *swap = b->old;
    b->old = b->young;
    b->young = swap;
}

/* Returns the best expression of all populations. If a population does not improve for PATIENCE
 * generations, a new one replaces it. */
static struct bred evolve_best(struct breeding *b)
{
    struct bred best = {.price = INFINITY, .error = INFINITY}, own = best;
    unsigned patience = 0;

    for (unsigned generation = 0; generation < GENERATIONS && best.error > 1e-12; generation++) {
        if (patience) {
            breed(b, &own);
            patience--;
        } else {
            begin(b);
            own = (struct bred){.price = INFINITY, .error = INFINITY};
            patience = PATIENCE;
        }
        for (size_t i = 0; i < POPULATION; i++)
            if (b->old[i].price < own.price) {
                patience = b->old[i].error < 0.999 * own.error ? PATIENCE : patience;
                own = b->old[i];
            }
        best = own.price < best.price ? own : best;
    }
    return best;
}

/* Finds offset and factor as fractions with a common denominator with which the formula equals the
 * integer of each run. Returns false if there are none. */
static bool make_exact(const struct breeding *b, struct formula *f)
{
    const struct fit_data *d = b->data;

    for (int denominator = 1; denominator <= 128; denominator++) {
        struct formula tried = *f;
        bool ok = true;
        tried.exact = true;
        for (size_t k = 0; k < 2; k++) {
            tried.coefficients[k] = rint(f->coefficients[k] * denominator) / denominator;
            ok &= fabs(tried.coefficients[k] - f->coefficients[k]) <=
                  1e-6 * fmax(1, fabs(f->coefficients[k]));
        }
        for (size_t r = 0; r < d->run_count && ok; r++)
            ok = formula_value(&tried, d->inputs + r * d->input_count, d->input_count) ==
                 d->values[r];
        if (ok) {
            *f = tried;
            return true;
        }
    }
    return false;
}

/* Sets the data, and weights for errors relative to the value. */
static void set_data(struct breeding *b, const struct fit_data *data)
{
    double most = 0;

    b->data = data;
    for (size_t r = 0; r < data->run_count; r++)
        most = fmax(most, fabs(data->values[r]));
    for (size_t r = 0; r < data->run_count; r++)
        b->weights[r] = 1 / fmax(fabs(data->values[r]), most * 1e-3);
}

/* Makes a formula of the expression with its best offset and factor. Returns false if it is
 * undefined in a run. */
static bool make_formula(struct breeding *b, const struct bred *i, struct formula *out)
{
    struct solution s;

    if (isinf(i->error) || !values_of(b, i) || !scale(b, &s))
        return false;
    *out = (struct formula){.count = 2, .error = s.left_out, .code_length = i->length};
    memcpy(out->code, i->code, i->length);
    out->coefficients[0] = (double)s.coefficients[0];
    out->coefficients[1] = (double)s.coefficients[1];
    if (s.worst < 1e-9 && make_exact(b, out))
        out->error = 0;
    return true;
}

static double off(const struct formula *f, const struct fit_data *data, size_t run)
{
    return fabs(formula_value(f, data->inputs + run * data->input_count, data->input_count) -
                data->values[run]);
}

/* Evolves an expression without run @run. Returns whether the expression predicts @run better than
 * regression. The test is needed because the best of many expressions usually fits the runs from
 * which it evolved. */
static bool breed_without(struct breeding *b, const struct fit_data *data, size_t run,
                          struct bred *best)
{
    size_t n = data->run_count - 1, width = data->input_count;
    double *inputs = mem_alloc(n * width * sizeof *inputs), *values = mem_alloc(n * sizeof *values);
    const struct fit_data rest = {inputs, width, n, values};
    struct formula bred, plain;

    memcpy(inputs, data->inputs, run * width * sizeof *inputs);
    memcpy(inputs + run * width, data->inputs + (run + 1) * width,
           (n - run) * width * sizeof *inputs);
    memcpy(values, data->values, run * sizeof *values);
    memcpy(values + run, data->values + run + 1, (n - run) * sizeof *values);
    set_data(b, &rest);
    bool ok = false;
    for (size_t r = 1; r < n; r++)
        ok |= values[r] != values[0];   /* A count with equal values needs no expression. */
    if (ok) {
        *best = evolve_best(b);
        fit_counts(&rest, &plain);
    }
    ok = ok && make_formula(b, best, &bred) &&
         off(&bred, data, run) <= GAIN * off(&plain, data, run);
    free(inputs);
    free(values);
    return ok;
}

bool symbolic_needed(const struct fit_data *data, const struct formula *fitted)
{
    return data->run_count >= RUNS_LEAST && !fitted->exact && !(fitted->error <= FAILED);
}

bool symbolic_fit(const struct fit_data *data, struct formula *out)
{
    struct breeding b = {.data = data};
    struct bred best;
    struct formula found;
    size_t n = data->run_count, largest = 0;

    b.weights = mem_zero(3 * n, sizeof *b.weights);
    b.column = b.weights + n;
    b.ones = b.column + n;
    b.work = mem_zero(3 * n, sizeof *b.work);
    b.old = mem_zero(POPULATION, sizeof *b.old);
    b.young = mem_zero(POPULATION, sizeof *b.young);
    rng_seed(&b.rng, SEED);
    for (size_t r = 0; r < n; r++) {
        largest = data->values[r] > data->values[largest] ? r : largest;
        b.ones[r] = 1;
    }
    bool ok = breed_without(&b, data, largest, &best);
    set_data(&b, data);
    ok = ok && make_formula(&b, &best, &found) && !(found.error >= GAIN * out->error);
    if (ok)
        *out = found;
    free(b.weights);
    free(b.work);
    free(b.old);
    free(b.young);
    return ok;
}
