/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "base/watch.h"
#include "program/solve.h"
#include "program/range.h"

/* maximum number of candidate terms of which all subsets of up to EXACT_SIZE terms (exact formulas)
 * or SUBSET_SIZE terms (inexact ones) are tried */
#define ALL_SUBSETS_MOST 16
#define EXACT_SIZE 5             /* maximum size of the subsets for exact formulas */
#define SUBSET_SIZE 3            /* maximum size of the subsets for inexact formulas */
/* The formula of products_best replaces the previous one if the ratio of their errors at left-out
 * runs is below this value. */
#define GAIN 0.7
/* Smallest scale of relative errors, as a share of the largest value. It limits the weight of runs
 * whose value is 0 at small inputs. */
#define LEAST_SCALE 0.02
/* error at left-out runs that is added to each error (as squares), so that much smaller errors
 * count as equal */
#define LEAST_ERROR 1e-7
/* A formula's criterion is first computed from single left-out runs. If it exceeds the best
 * criterion by at most this value, it is also computed from left-out values of inputs. */
#define LENIENCE 10
/* largest excess of a formula's criterion over the best one at which the formula is considered
 * about as good */
#define AS_GOOD 6
#define WIDTH_MOST 128
#define OFFSETS 4
/* Smallest ratio of an input's largest value to its smallest one at which a quotient is certain
 * beyond the runs. If the values are closer, many divisors fit by chance. */
#define SPAN_LEAST 3
/* number of steps beyond a run in which an exact formula must yield integers */
#define STEPS_ON 3
/* number of doublings of all inputs during which a count must remain positive */
#define DOUBLINGS 12
/* largest input, and smallest doublings of the values per step of the input, with which the input
 * may be an exponent */
#define EXPONENT_LARGEST 62
#define DOUBLES 0.8

struct candidate {
    struct formula_term term;
    double *column;              /* value of the term in each run */
    /* price of the term; the formula with the lowest sum of prices is selected */
    unsigned cost;
};

struct search {
    const struct fit_data *data;
    bool active[INPUTS_MAX];
    VEC(struct candidate) terms;
    double *weights;             /* per run: weight that makes errors relative to the value */
    long double *work;
    bool exact;                  /* whether the search is for exact formulas */
    /* required excess of the number of distinct runs over the number of terms */
    size_t excess;
    size_t distinct;             /* number of runs that differ in active inputs */
    /* price of the best exact formula, or criterion of the best inexact formula */
    double best;
    struct formula *out;
    /* formulas that are about as good as the best one; NULL: not requested */
    struct fit_near *near;
};

static void terms_clear(struct search *s)
{
    for (size_t i = 0; i < s->terms.count; i++)
        free(s->terms.items[i].column);
    s->terms.count = 0;
}

static void add_term(struct search *s, const struct formula_term *term)
{
    const struct fit_data *d = s->data;
    struct candidate c = {*term, mem_alloc(d->run_count * sizeof(double)),
                          term->kind ? 2u + (term->offset != 0) : 0};

    for (size_t r = 0; r < d->run_count; r++)
        c.column[r] = formula_term_value(term, d->inputs + r * d->input_count, d->input_count);
    for (size_t i = 0; i < d->input_count; i++)
        c.cost += (unsigned)term->power[i];
    vec_push(&s->terms, c);
}

/* Adds the products of @term and powers of the active inputs from index @first: at most power @each
 * per input, and total degree @left. */
static void add_products(struct search *s, struct formula_term term, size_t first, unsigned left,
                         unsigned each)
{
    if (first == s->data->input_count) {
        add_term(s, &term);
        return;
    }
    const int8_t before = term.power[first];
    for (unsigned power = 0; power <= (s->active[first] ? (left < each ? left : each) : 0);
         power++) {
        term.power[first] = (int8_t)(before + (int)power);
        add_products(s, term, first + 1, left - power, each);
    }
}

/* Returns whether runs @a and @b have equal inputs, except input @but (SIZE_MAX: none). Compares
 * all inputs, or only the active ones. */
static bool same_inputs(const struct search *s, size_t a, size_t b, size_t but, bool active_only)
{
    const struct fit_data *d = s->data;
    for (size_t i = 0; i < d->input_count; i++)
        if (i != but && (s->active[i] || !active_only) &&
            d->inputs[a * d->input_count + i] != d->inputs[b * d->input_count + i])
            return false;
    return true;
}

/* Returns whether runs with equal active inputs have different values. */
static bool contradicted(const struct search *s)
{
    for (size_t a = 0; a < s->data->run_count; a++)
        for (size_t b = a + 1; b < s->data->run_count; b++)
            if (s->data->values[a] != s->data->values[b] && same_inputs(s, a, b, SIZE_MAX, true))
                return true;
    return false;
}

/* Finds the active inputs. An input is active if two runs that differ only in this input have
 * different values, or if no such runs exist. If both values are 0, this is weak evidence that an
 * input is inactive. If the active inputs do not explain the values, inputs with only such evidence
 * also become active. */
static void find_active(struct search *s)
{
    const struct fit_data *d = s->data;
    bool silent[INPUTS_MAX] = {false};

    for (size_t i = 0; i < d->input_count; i++) {
        bool pairs = false, differs = false, moves = false, something = false;
        for (size_t a = 0; a < d->run_count && !differs && !watch_steps(1 + d->run_count / 16); a++)
            for (size_t b = a + 1; b < d->run_count && !differs; b++) {
                bool other = d->inputs[a * d->input_count + i] != d->inputs[b * d->input_count + i],
                     alone = other && same_inputs(s, a, b, i, false);
                moves |= other;
                pairs |= alone;
                something |= alone && d->values[a] != 0;
                differs = alone && d->values[a] != d->values[b];
            }
        s->active[i] = differs || (moves && !pairs);
        silent[i] = moves && !something;
    }
    if (contradicted(s))
        for (size_t i = 0; i < d->input_count; i++)
            s->active[i] |= silent[i];
}

static void take(struct search *s, const size_t *chosen, size_t count, const double *coefficients,
                 double error)
{
    s->out->count = 0;
    for (size_t k = 0; k < count; k++)
        if (coefficients[k] != 0) {
            s->out->terms[s->out->count] = s->terms.items[chosen[k]].term;
            s->out->coefficients[s->out->count++] = coefficients[k];
        }
    s->out->exact = s->exact;
    s->out->error = error;
}

/* Returns whether a positive count becomes 0 or negative when all inputs of a run are doubled
 * repeatedly. Such a formula predicts that a loop disappears. */
static bool collapses(const struct fit_data *d, const struct formula *f)
{
    double inputs[INPUTS_MAX];

    for (size_t r = 0; r < d->run_count; r++) {
        memcpy(inputs, d->inputs + r * d->input_count, d->input_count * sizeof *inputs);
        for (int k = 0; d->values[r] > 0 && k < DOUBLINGS; k++) {
            for (size_t i = 0; i < d->input_count; i++)
                inputs[i] *= 2;
            if (!(formula_value(f, inputs, d->input_count) > 0))
                return true;
        }
    }
    return false;
}

/* Returns Akaike's criterion for few runs (AICc) with @error, the error at left-out runs, in place
 * of the residuals; INFINITY if @error is NaN. */
static double criterion(const struct search *s, double error, size_t count)
{
    const double n = (double)s->distinct, k = (double)count;

    if (isnan(error) || !(n - k - 1 > 0))
        return INFINITY;
    return n * log(error * error + LEAST_ERROR * LEAST_ERROR) + 2 * k +
           2 * k * (k + 1) / (n - k - 1);
}

/* Adds the formula with criterion @now to s->near if it is about as good as the best one. */
static void keep_near(struct search *s, double now)
{
    struct fit_near *n = s->near;
    size_t at = n ? n->count : 0;

    if (!n || now > s->best + AS_GOOD)
        return;
    if (at == FIT_NEAR)
        for (size_t i = at = 0; i < FIT_NEAR; i++)
            at = n->criteria[i] > n->criteria[at] ? i : at;
    if (n->count == FIT_NEAR && !(now < n->criteria[at]))
        return;
    n->formulas[at] = *s->out;
    n->criteria[at] = now;
    n->count += n->count < FIT_NEAR;
}

/* Removes the formulas whose criterion is much worse than @best. */
static void drop_worse(struct fit_near *n, double best)
{
    size_t count = 0;

    for (size_t i = 0; i < n->count; i++)
        if (n->criteria[i] <= best + AS_GOOD) {
            n->formulas[count] = n->formulas[i];
            n->criteria[count++] = n->criteria[i];
        }
    n->count = count;
}

static void judge(struct search *s, const size_t *chosen, size_t count)
{
    const struct fit_data *d = s->data;
    const double *columns[SOLVE_COLUMNS];
    double coefficients[SOLVE_COLUMNS], most = 0, cost = 0;
    struct solution solution;
    /* whether a term is a quotient; the coefficients must then be integers */
    bool quotient = false;

    for (size_t k = 0; k < count; k++) {
        columns[k] = s->terms.items[chosen[k]].column;
        cost += s->terms.items[chosen[k]].cost;
        quotient |= s->terms.items[chosen[k]].term.kind == TERM_QUOTIENT;
    }
    if ((s->exact && cost >= s->best) || watch_steps(1 + count * d->run_count / 8))
        return;
    if (!solve(columns, count, d->values, s->exact ? NULL : s->weights, d->run_count, s->work,
               &solution))
        return;
    if (!s->exact) {
        for (size_t k = 0; k < count; k++)
            coefficients[k] = (double)solution.coefficients[k];
        if (!(criterion(s, solution.left_out, count) < s->best + LENIENCE))
            return;
        const struct formula before = *s->out;
        take(s, chosen, count, coefficients, solution.left_out);
        const double now = criterion(s, range_validated(d, s->out), count);
        const bool possible = isfinite(now) && !collapses(d, s->out);
        if (possible)
            keep_near(s, now);
        if (possible && now < s->best)
            s->best = now;
        else
            *s->out = before;
        return;
    }
    for (size_t r = 0; r < d->run_count; r++)
        most = fmax(most, fabs(d->values[r]));
    if (solution.worst <= 1e-9 * most && exact_coefficients(columns, count, d->values, d->run_count,
                                                            &solution, quotient, coefficients)) {
        const struct formula before = *s->out;
        take(s, chosen, count, coefficients, 0);
        if (!range_decided(d, s->out))
            s->best = cost;
        else
            *s->out = before;
    }
}

/* Evaluates all subsets of @size terms that contain the @count chosen terms, with the other terms
 * from index @first. */
static void subsets(struct search *s, size_t *chosen, size_t count, size_t size, size_t first)
{
    if (count == size) {
        judge(s, chosen, count);
        return;
    }
    for (size_t i = first; i + (size - count) <= s->terms.count && !watch.ended; i++) {
        chosen[count] = i;
        subsets(s, chosen, count + 1, size, i + 1);
    }
}

/* Finds the exact formula of @size terms with the lowest price. Returns false if there is none. The
 * number of distinct runs must exceed the number of terms by s->excess. */
static bool find_exact(struct search *s, size_t size)
{
    size_t chosen[SOLVE_COLUMNS];

    s->best = INFINITY;
    if (size + s->excess <= s->distinct)
        subsets(s, chosen, 0, size, 0);
    return isfinite(s->best);
}

size_t fit_distinct_runs(const struct fit_data *data, const bool *active)
{
    size_t distinct = 0;

    for (size_t a = 0; a < data->run_count; a++) {
        bool seen = false;
        for (size_t b = 0; b < a && !seen; b++) {
            seen = true;
            for (size_t i = 0; i < data->input_count && seen; i++)
                seen = !active[i] || data->inputs[a * data->input_count + i] ==
                                         data->inputs[b * data->input_count + i];
        }
        distinct += !seen;
    }
    return distinct;
}

static size_t count_active(const struct search *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->data->input_count; i++)
        count += s->active[i];
    return count;
}

/* Calls find_exact with quotients and remainders of input @i divided by @width as additional terms.
 * With width 1, the quotient is the excess above @offset. */
static bool find_congruent(struct search *s, size_t size, size_t i, unsigned width, int offset)
{
    bool alone = count_active(s) == 1;

    terms_clear(s);
    add_products(s, (struct formula_term){{0}, 0, 0, 0, 0}, 0, alone ? 3 : 2, 3);
    for (int kind = TERM_QUOTIENT; kind <= (width > 1 ? TERM_REMAINS : TERM_QUOTIENT); kind++)
        add_products(
            s,
            (struct formula_term){{0}, (uint8_t)kind, (uint8_t)i, (int16_t)offset, (uint16_t)width},
            0, 2, 2);
    return find_exact(s, size);
}

/* Calls find_exact with one more term: 1 if input @i reaches @threshold, otherwise 0. */
static bool find_reached(struct search *s, size_t size, size_t i, double threshold)
{
    terms_clear(s);
    add_products(s, (struct formula_term){{0}, 0, 0, 0, 0}, 0, 2, 2);
    add_products(s, (struct formula_term){{0}, TERM_REACHED, (uint8_t)i, (int16_t)threshold, 1}, 0,
                 2, 2);
    return find_exact(s, size);
}

/* Searches for formulas with quotients and remainders by small divisors, then with thresholds at
 * the inputs of runs. */
static bool find_stepped(struct search *s, size_t size)
{
    const struct fit_data *d = s->data;
    bool found = false;

    for (size_t i = 0; !found && i < d->input_count; i++)
        for (unsigned width = 1; s->active[i] && !found && width <= WIDTH_MOST; width *= 2)
            for (int offset = width == 1; !found && offset < OFFSETS; offset++)
                found = find_congruent(s, size, i, width, offset);
    for (size_t i = 0; !found && i < d->input_count; i++)
        for (size_t r = 0; s->active[i] && !found && r < d->run_count; r++) {
            double value = d->inputs[r * d->input_count + i];
            bool least = true, seen = false;
            for (size_t k = 0; k < d->run_count; k++) {
                least &= d->inputs[k * d->input_count + i] >= value;
                seen |= k < r && d->inputs[k * d->input_count + i] == value;
            }
            found = !least && !seen && value == rint(value) && fabs(value) <= INT16_MAX &&
                    find_reached(s, size, i, value);
        }
    return found;
}

/* Returns whether the values grow about as fast as 2^N, where N is the only active input. The inputs
 * are then exponents, such as the logarithm of a size. */
static bool doubles(const struct search *s)
{
    const struct fit_data *d = s->data;
    size_t i = 0, low = 0, high = 0;

    while (i < d->input_count && !s->active[i])
        i++;
    if (count_active(s) != 1)
        return false;
    for (size_t r = 0; r < d->run_count; r++) {
        const double n = d->inputs[r * d->input_count + i];
        low = n < d->inputs[low * d->input_count + i] ? r : low;
        high = n > d->inputs[high * d->input_count + i] ? r : high;
    }
    const double less = d->inputs[low * d->input_count + i],
                 more = d->inputs[high * d->input_count + i];
    return less >= 0 && more <= EXPONENT_LARGEST && d->values[low] > 0 &&
           log2(d->values[high] / d->values[low]) > DOUBLES * (more - less);
}

/* Adds products of powers of two and powers of the input, if values grow like that. */
static void add_exponentials(struct search *s)
{
    for (size_t i = 0; i < s->data->input_count; i++)
        if (s->active[i] && doubles(s))
            add_products(s, (struct formula_term){.kind = TERM_EXPONENTIAL, .input = (uint8_t)i}, 0,
                         2, 2);
}

/* Searches for exact formulas: first of products of powers, then also of quotients, remainders and
 * thresholds. Prefers short formulas. Returns false if there is none. */
static bool find_exact_count(struct search *s)
{
    size_t active = count_active(s);
    bool found = false;

    s->exact = true;
    s->excess = 1;
    add_products(s, (struct formula_term){{0}, 0, 0, 0, 0}, 0,
                 active == 1  ? 4
                 : active < 4 ? 3
                              : 2,
                 4);
    add_exponentials(s);
    size_t most = s->terms.count <= ALL_SUBSETS_MOST ? EXACT_SIZE : s->terms.count <= 40 ? 3 : 2;
    for (size_t size = 1; !found && size <= most; size++)
        found = find_exact(s, size);
    s->excess = 2;   /* Requires more runs, because one of many candidates may fit by chance. */
    for (size_t size = 1; !found && active <= 3 && size <= (active == 1 ? 4 : 2); size++)
        found = find_stepped(s, size);
    return found || (active > 1 && products_exact(s->data, s->active, s->out));
}

/* Adds terms one by one, each time the term that lowers the criterion most. Ends if no term lowers
 * the criterion. */
static void find_forward(struct search *s)
{
    size_t chosen[FORMULA_NEAR];

    for (size_t count = 0; count < FORMULA_NEAR && !watch.ended; count++) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < s->terms.count; i++) {
            const double before = s->best;
            chosen[count] = i;
            judge(s, chosen, count + 1);
            best = s->best < before ? i : best;
        }
        if (best == SIZE_MAX)
            return;
        chosen[count] = best;
    }
}

/* Adds products of powers with a logarithm or root of each input. Trees, sorting and searches have
 * such counts. */
static void add_slow_growth(struct search *s, size_t active)
{
    for (size_t i = 0; i < s->data->input_count; i++)
        for (int kind = TERM_LOG;
             s->active[i] && active < 4 && kind <= (active == 1 ? TERM_ROOT : TERM_LOG); kind++)
            add_products(s, (struct formula_term){.kind = (uint8_t)kind, .input = (uint8_t)i}, 0,
                         active == 1 ? 2 : 1, 2);
}

/* Adds candidate terms for each input that is always positive: products of other inputs divided by
 * this input. Counts of code with hash tables or bins have this form. */
static void add_ratios(struct search *s, unsigned degree)
{
    const struct fit_data *d = s->data;

    for (size_t i = 0; i < d->input_count; i++) {
        struct formula_term over = {.kind = TERM_PRODUCT};
        double least = INFINITY;
        for (size_t r = 0; r < d->run_count; r++)
            least = fmin(least, d->inputs[r * d->input_count + i]);
        if (!s->active[i] || !(least > 0))
            continue;
        over.power[i] = -1;
        s->active[i] = false;
        add_products(s, over, 0, degree, degree);
        s->active[i] = true;
    }
}

static void find_best(struct search *s, unsigned degree)
{
    size_t chosen[SOLVE_COLUMNS], active = count_active(s), rows = s->data->run_count;

    s->exact = false;
    s->best = INFINITY;
    terms_clear(s);
    add_products(s, (struct formula_term){{0}, 0, 0, 0, 0}, 0,
                 active <= 1  ? degree
                 : active < 4 ? 3
                              : 2,
                 degree);
    add_slow_growth(s, active);
    add_exponentials(s);
    if (active > 1 && active < 4)
        add_ratios(s, 2);
    for (size_t size = 1;
         size <= SUBSET_SIZE && size < rows && (s->terms.count <= ALL_SUBSETS_MOST || size < 3);
         size++)
        subsets(s, chosen, 0, size, 0);
    if (s->terms.count > ALL_SUBSETS_MOST)
        find_forward(s);
    if (isfinite(s->best))
        s->out->error = fmax(s->out->error, range_left_out(s->data, s->out));
    const struct formula before = *s->out;
    const double most = isnan(before.error) ? INFINITY : GAIN * before.error;
    if (s->terms.count > ALL_SUBSETS_MOST && active > 1 &&
        products_best(s->data, s->active, most, s->out)) {
        const double values = range_left_out(s->data, s->out);
        s->out->error = fmax(s->out->error, values);
        /* Restores the formula if the new one has too large an error, or a coefficient that depends
         * on a single value (NaN). */
        if (isnan(values) || !(s->out->error < most))
            *s->out = before;
    }
}

/* Sets @out to the mean of the values, because no formula fits. */
static void take_mean(const struct fit_data *d, struct formula *out)
{
    double sum = 0;
    for (size_t r = 0; r < d->run_count; r++)
        sum += d->values[r];
    *out = (struct formula){.count = 1, .error = NAN};
    out->coefficients[0] = sum / (double)d->run_count;
}

static bool all_equal(const struct fit_data *d)
{
    for (size_t r = 1; r < d->run_count; r++)
        if (d->values[r] != d->values[0])
            return false;
    return true;
}

/* Returns whether a division by an input makes the formula's value a fraction, in a step beyond run
 * @run along @input. */
static bool breaks(const struct fit_data *d, const struct formula *f, size_t run, size_t input)
{
    double inputs[INPUTS_MAX], step = 1;
    bool divides[INPUTS_MAX] = {false};

    memcpy(inputs, d->inputs + run * d->input_count, d->input_count * sizeof *inputs);
    for (size_t k = 0; k < f->count; k++)
        for (size_t i = 0; i < d->input_count; i++)
            divides[i] |= f->terms[k].power[i] < 0;
    for (size_t i = 0; i < d->input_count; i++)
        step *= divides[i] ? inputs[i] : 1;
    for (int k = 0; k < STEPS_ON && !divides[input]; k++) {
        inputs[input] += step;
        double value = formula_value(f, inputs, d->input_count);
        if (fabs(value - rint(value)) > 1e-6 * fmax(1, value * 1e-6))
            return true;
    }
    return false;
}

/* Returns the inputs for which the runs do not determine the formula beyond the inputs' values in
 * the runs. Reasons: a coefficient depends on a single value; N / 4 may be floor(N / 4) if all
 * values are multiples of 4; a quotient with only two values may be a threshold or have another
 * divisor; a second threshold may follow one that at most one run exceeds. */
static uint16_t matching_runs(const struct fit_data *d, const struct formula *f)
{
    uint16_t within = range_decided(d, f);

    for (size_t k = 0; k < f->count; k++) {
        const struct formula_term *t = &f->terms[k];
        double low = INFINITY, high = -INFINITY, most = -INFINITY, least = INFINITY;
        bool between = false;
        if (t->kind != TERM_QUOTIENT && t->kind != TERM_REACHED)
            continue;
        for (int pass = 0; pass < 2; pass++)
            for (size_t r = 0; r < d->run_count; r++) {
                double x = d->inputs[r * d->input_count + t->input],
                       quotient = fmax(0, floor((x - t->offset) / t->width));
                between |= pass && quotient > low && quotient < high;
                low = fmin(low, quotient);
                high = fmax(high, quotient);
                most = fmax(most, x);
                least = fmin(least, x);
            }
        if (t->kind == TERM_QUOTIENT ? !between || most < SPAN_LEAST * least : most < 2 * t->offset)
            within |= (uint16_t)(1u << t->input);
    }
    for (size_t i = 0; i < d->input_count; i++)
        for (size_t r = 0; r < d->run_count && !(within & 1u << i); r++)
            within |= breaks(d, f, r, i) ? (uint16_t)(1u << i) : 0;
    return within;
}

void fit_counts(const struct fit_data *data, struct formula *out)
{
    fit_counts_near(data, out, NULL);
}

void fit_counts_near(const struct fit_data *data, struct formula *out, struct fit_near *near)
{
    struct search s = {.data = data, .out = out, .near = near};
    double most = 0;

    if (near)
        near->count = 0;
    take_mean(data, out);
    if (all_equal(data)) {
        out->exact = data->run_count > 1;
        out->error = data->run_count > 1 ? 0 : NAN;
        if (data->values[0] == 0)
            out->count = 0;
        return;
    }
    s.weights = mem_zero(data->run_count, sizeof *s.weights);
    s.work = mem_zero((SOLVE_COLUMNS + 1) * data->run_count, sizeof *s.work);
    for (size_t r = 0; r < data->run_count; r++)
        most = fmax(most, fabs(data->values[r]));
    for (size_t r = 0; r < data->run_count; r++)
        s.weights[r] = 1 / fmax(fabs(data->values[r]), most * LEAST_SCALE);
    find_active(&s);
    s.distinct = fit_distinct_runs(data, s.active);
    if (find_exact_count(&s))
        out->within = matching_runs(data, out);
    else
        find_best(&s, 4);
    if (near)
        drop_worse(near, s.best);
    terms_clear(&s);
    vec_done(&s.terms);
    free(s.weights);
    free(s.work);
}
