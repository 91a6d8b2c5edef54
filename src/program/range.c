/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/range.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "program/solve.h"

#define NEGLIGIBLE 0.02    /* largest error at left-out runs that is negligible */
/* largest power of an input with which a count of a single run may grow */
#define GROWN_MOST 2
/* number of standard errors of a power that its range includes */
#define ERRORS 2.1
/* Error at left-out runs above which the formula does not describe the growth. The range then also
 * includes powers of the inputs that pass through the largest count. */
#define BAD 0.25
/* smallest uncertainty of a growing count's power beyond the runs, if the error is below
 * NEGLIGIBLE */
#define SLACK_CLEAR 0.03
/* smallest uncertainty of a growing count's power for other formulas */
#define SLACK 0.1
#define TOPS 2             /* number of tests that leave out the largest values: the first leaves
                            * out two values, the second three */
#define APART 2.0          /* smallest ratio of two input values from which the power is computed */
#define STEEP 3.0          /* smallest power at which growth may be exponential */
/* smallest increase of the power over the runs at which growth may be exponential */
#define STEEPER 1.0
#define SCALE 0.02         /* smallest scale of relative errors, as a share of the largest value */

/* Runs used for one fit, and working storage */
struct rows {
    const struct fit_data *data;
    double *values, *weights, *columns[SOLVE_COLUMNS];
    long double *work;
    bool *used;
};

static void rows_init(struct rows *r, const struct fit_data *data)
{
    const size_t n = data->run_count;

    *r = (struct rows){.data = data,
                       .values = mem_zero((SOLVE_COLUMNS + 2) * n, sizeof(double)),
                       .work = mem_zero((SOLVE_COLUMNS + 1) * n, sizeof(long double)),
                       .used = mem_zero(n + 1, sizeof(bool))};
    r->weights = r->values + n;
    for (size_t k = 0; k < SOLVE_COLUMNS; k++)
        r->columns[k] = r->values + (2 + k) * n;
}

static void rows_done(struct rows *r)
{
    free(r->values);
    free(r->work);
    free(r->used);
}

static const double *inputs_of(const struct fit_data *d, size_t run)
{
    return d->inputs + run * d->input_count;
}

static double scale_of(const struct fit_data *d, size_t run, double largest)
{
    return fmax(fabs(d->values[run]), largest * SCALE);
}

static double largest_value(const struct fit_data *d)
{
    double most = 0;
    for (size_t r = 0; r < d->run_count; r++)
        most = fmax(most, fabs(d->values[r]));
    return most;
}

/* Fits the coefficients of the terms of @f to the used runs. Returns false if these runs do not
 * determine the coefficients, or if @f is not a sum of terms. */
static bool refit(struct rows *rows, const struct formula *f, bool weighted, struct formula *out)
{
    const struct fit_data *d = rows->data;
    const double largest = largest_value(d);
    struct solution s;
    size_t n = 0;

    if (f->code_length || f->network || !f->count || f->count > SOLVE_COLUMNS)
        return false;
    for (size_t r = 0; r < d->run_count; r++) {
        if (!rows->used[r])
            continue;
        for (size_t k = 0; k < f->count; k++)
            rows->columns[k][n] = formula_term_value(&f->terms[k], inputs_of(d, r), d->input_count);
        rows->values[n] = d->values[r];
        rows->weights[n++] = weighted ? 1 / scale_of(d, r, largest) : 1;
    }
    const double *columns[SOLVE_COLUMNS];
    for (size_t k = 0; k < f->count; k++)
        columns[k] = rows->columns[k];
    if (n < f->count || !solve(columns, f->count, rows->values, rows->weights, n, rows->work, &s))
        return false;
    *out = *f;
    out->exact = false;
    for (size_t k = 0; k < f->count; k++)
        out->coefficients[k] = (double)s.coefficients[k];
    return true;
}

static bool depends(const struct formula *f, size_t input)
{
    for (size_t k = 0; k < f->count; k++)
        if (f->terms[k].power[input] ||
            (f->terms[k].kind != TERM_PRODUCT && f->terms[k].input == input))
            return true;
    return false;
}

static bool varies(const struct fit_data *d, size_t input)
{
    for (size_t r = 1; r < d->run_count; r++)
        if (inputs_of(d, r)[input] != inputs_of(d, 0)[input])
            return true;
    return false;
}

/* Uses the runs whose value of @input differs from that of run @at. Returns false if a run before
 * @at has the same value. */
static bool leave_out(struct rows *rows, size_t input, size_t at)
{
    const struct fit_data *d = rows->data;
    const double value = inputs_of(d, at)[input];

    for (size_t r = 0; r < d->run_count; r++) {
        rows->used[r] = inputs_of(d, r)[input] != value;
        if (!rows->used[r] && r < at)
            return false;
    }
    return true;
}

uint16_t range_decided(const struct fit_data *data, const struct formula *f)
{
    struct rows rows;
    uint16_t decided = 0;

    if (f->code_length || f->network)
        return 0;
    rows_init(&rows, data);
    for (size_t i = 0; i < data->input_count; i++)
        for (size_t r = 0;
             r < data->run_count && depends(f, i) && varies(data, i) && !(decided & 1u << i); r++) {
            struct formula other;
            if (leave_out(&rows, i, r) && !refit(&rows, f, false, &other))
                decided |= (uint16_t)(1u << i);
        }
    rows_done(&rows);
    return decided;
}

/* Returns the mean relative error of the terms of @f at left-out input values; NaN if a value
 * cannot be left out. Appends the refitted formulas to @out (may be NULL). */
static double values_left_out(struct rows *rows, const struct formula *f, struct formula_range *out)
{
    const struct fit_data *d = rows->data;
    const double largest = largest_value(d);
    double sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < d->input_count; i++)
        for (size_t at = 0; at < d->run_count && varies(d, i); at++) {
            struct formula other;
            if (!leave_out(rows, i, at))
                continue;
            if (!refit(rows, f, true, &other))
                return NAN;
            for (size_t r = 0; r < d->run_count; r++) {
                if (rows->used[r])
                    continue;
                sum += fabs(formula_value(&other, inputs_of(d, r), d->input_count) - d->values[r]) /
                       scale_of(d, r, largest);
                n++;
            }
            if (out && out->count < RANGE_MOST)
                out->others[out->count++] = other;
        }
    return n ? sum / (double)n : NAN;
}

/* Uses the runs in which @input is below its @top largest values. Returns false if none remains. */
static bool leave_top(struct rows *rows, size_t input, unsigned top)
{
    const struct fit_data *d = rows->data;
    double below = INFINITY;

    for (; top && below > -INFINITY; top--) {
        double next = -INFINITY;
        for (size_t r = 0; r < d->run_count; r++)
            if (inputs_of(d, r)[input] < below)
                next = fmax(next, inputs_of(d, r)[input]);
        below = next;
    }
    bool any = false;
    for (size_t r = 0; r < d->run_count; r++)
        any |= rows->used[r] = inputs_of(d, r)[input] < below;
    return any;
}

double range_validated(const struct fit_data *data, const struct formula *f)
{
    struct rows rows;
    struct formula other;
    double sum = 0;
    size_t n = 0;

    rows_init(&rows, data);
    const double largest = largest_value(data);
    for (size_t i = 0; i < data->input_count; i++)
        for (size_t at = 0; at < data->run_count + TOPS && varies(data, i); at++) {
            if (at < data->run_count ? !leave_out(&rows, i, at)
                                     : !leave_top(&rows, i, 2 + (unsigned)(at - data->run_count)))
                continue;
            if (!refit(&rows, f, true, &other)) {
                if (at >= data->run_count)
                    continue;
                rows_done(&rows);
                return NAN;
            }
            for (size_t r = 0; r < data->run_count; r++)
                if (!rows.used[r]) {
                    const double error =
                        (formula_value(&other, inputs_of(data, r), data->input_count) -
                         data->values[r]) /
                        scale_of(data, r, largest);
                    sum += fmin(error * error, 1);
                    n++;
                }
        }
    rows_done(&rows);
    return n ? sqrt(sum / (double)n) : NAN;
}

double range_left_out(const struct fit_data *data, const struct formula *f)
{
    struct rows rows;

    rows_init(&rows, data);
    const double error = values_left_out(&rows, f, NULL);
    rows_done(&rows);
    return error;
}

/* Returns the only run with a positive count, or the last of several with equal inputs. Returns
 * SIZE_MAX if there is none, or if their inputs differ. */
static size_t only_run(const struct fit_data *d)
{
    size_t only = SIZE_MAX;

    for (size_t r = 0; r < d->run_count; r++) {
        if (d->values[r] == 0)
            continue;
        if (only != SIZE_MAX &&
            memcmp(inputs_of(d, r), inputs_of(d, only), d->input_count * sizeof(double)) != 0)
            return SIZE_MAX;
        only = r;
    }
    return only;
}

static size_t largest_run(const struct fit_data *d)
{
    size_t largest = 0;

    for (size_t r = 1; r < d->run_count; r++)
        largest = d->values[r] > d->values[largest] ? r : largest;
    return largest;
}

/* Adds the formulas that a single run allows: 0, the constant count, and the count times powers of
 * the inputs. */
static void grow_one(const struct fit_data *d, size_t run, struct formula_range *out)
{
    if (out->count < RANGE_MOST)
        out->others[out->count++] = (struct formula){.count = 0};
    for (size_t i = 0; i < d->input_count; i++)
        for (int8_t power = 0; power <= GROWN_MOST && varies(d, i) && out->count < RANGE_MOST;
             power++) {
            struct formula f = {.count = 1};
            f.terms[0].power[i] = power;
            f.coefficients[0] =
                d->values[run] / formula_term_value(&f.terms[0], inputs_of(d, run), d->input_count);
            if (isfinite(f.coefficients[0]))
                out->others[out->count++] = f;
        }
}

/* Returns whether a run before @r has the same value of @input. */
static bool is_repeated(const struct fit_data *d, size_t r, size_t input)
{
    for (size_t k = 0; k < r; k++)
        if (inputs_of(d, k)[input] == inputs_of(d, r)[input])
            return true;
    return false;
}

/* Returns the sum of the squared differences of the logarithms of @input's values from their mean.
 * Uses each value once, because an error at one value affects all its runs. */
static double spread_of_logs(const struct fit_data *d, size_t input)
{
    double sum = 0, squares = 0;
    size_t n = 0;

    for (size_t r = 0; r < d->run_count; r++)
        if (!is_repeated(d, r, input)) {
            sum += log(inputs_of(d, r)[input]);
            n++;
        }
    for (size_t r = 0; r < d->run_count; r++)
        if (!is_repeated(d, r, input))
            squares += pow(log(inputs_of(d, r)[input]) - sum / (double)n, 2);
    return squares;
}

/* Computes the uncertainty of each input's power: standard errors of the slope of a line through
 * the logarithms of the counts. The error of the counts is the error at left-out values. */
static void find_exponents(const struct fit_data *d, const struct formula *f, double error,
                           struct formula_range *out)
{
    for (size_t i = 0; i < d->input_count; i++) {
        out->lowest[i] = INFINITY;
        for (size_t r = 0; r < d->run_count; r++) {
            out->lowest[i] = fmin(out->lowest[i], inputs_of(d, r)[i]);
            out->highest[i] = fmax(out->highest[i], inputs_of(d, r)[i]);
        }
        if (out->lowest[i] > 0 && out->highest[i] > out->lowest[i] &&
            (depends(f, i) || f->code_length))
            out->exponent[i] = fmax(error < NEGLIGIBLE ? SLACK_CLEAR : SLACK,
                                    ERRORS * fmin(error, 1) / sqrt(spread_of_logs(d, i)));
    }
}

/* Returns whether runs @a and @b differ only in input @but. */
static bool alone(const struct fit_data *d, size_t a, size_t b, size_t but)
{
    for (size_t i = 0; i < d->input_count; i++)
        if (i != but && inputs_of(d, a)[i] != inputs_of(d, b)[i])
            return false;
    return inputs_of(d, a)[but] != inputs_of(d, b)[but];
}

static double power_between(const struct fit_data *d, size_t a, size_t b, size_t input)
{
    return log(d->values[b] / d->values[a]) / log(inputs_of(d, b)[input] / inputs_of(d, a)[input]);
}

/* Returns the exponential growth rate of the count from the run with the next smaller value of
 * @input to run @b; NaN: there is no such run. Considers run @last and those that differ from it
 * only in @input. */
static double rate_to(const struct fit_data *d, size_t input, size_t last, size_t b)
{
    size_t a = SIZE_MAX;

    if (b != last && !alone(d, b, last, input))
        return NAN;
    for (size_t r = 0; r < d->run_count; r++)
        if (alone(d, r, last, input) && inputs_of(d, r)[input] < inputs_of(d, b)[input] &&
            (a == SIZE_MAX || inputs_of(d, r)[input] > inputs_of(d, a)[input]))
            a = r;
    return a == SIZE_MAX ? NAN
                         : log(d->values[b] / d->values[a]) /
                               (inputs_of(d, b)[input] - inputs_of(d, a)[input]);
}

/* Returns whether the count grows by at least half of the rate @rate between neighbouring values of
 * @input. Pairs before the first pair with this growth are not considered. Returns false for a
 * count that grows in steps, such as floor(N / 2)^3. Returns true for the sum of a constant and an
 * exponential. */
static bool grows_throughout(const struct fit_data *d, size_t input, size_t last, double rate)
{
    double from = INFINITY;

    for (size_t r = 0; r < d->run_count; r++)
        if (rate_to(d, input, last, r) >= rate / 2)
            from = fmin(from, inputs_of(d, r)[input]);
    for (size_t r = 0; r < d->run_count; r++)
        if (inputs_of(d, r)[input] > from && rate_to(d, input, last, r) < rate / 2)
            return false;
    return true;
}

/* Finds the powers of each single input with which the count grew up to the largest run. Growth may
 * continue with these powers, independent of the formula. */
static void find_reach(const struct fit_data *d, struct formula_range *out)
{
    const size_t n = d->run_count;

    for (size_t i = 0; i < d->input_count; i++) {
        size_t last = 0, next = SIZE_MAX, first = SIZE_MAX;
        double *reach = out->reach[i];
        reach[0] = reach[1] = NAN;
        for (size_t r = 1; r < n; r++)
            last = inputs_of(d, r)[i] > inputs_of(d, last)[i] ||
                           (inputs_of(d, r)[i] == inputs_of(d, last)[i] &&
                            d->values[r] > d->values[last])
                       ? r
                       : last;
        for (size_t r = 0; r < n; r++) {
            if (!alone(d, r, last, i) || !(d->values[r] > 0) || !(d->values[last] > 0) ||
                !(inputs_of(d, r)[i] > 0))
                continue;
            next = next == SIZE_MAX || inputs_of(d, r)[i] > inputs_of(d, next)[i] ? r : next;
            first = first == SIZE_MAX || inputs_of(d, r)[i] < inputs_of(d, first)[i] ? r : first;
            if (inputs_of(d, last)[i] < APART * inputs_of(d, r)[i])
                continue;
            const double power = power_between(d, r, last, i);
            reach[0] = isnan(reach[0]) ? power : fmin(reach[0], power);
            reach[1] = isnan(reach[1]) ? power : fmax(reach[1], power);
        }
        if (next == SIZE_MAX)
            continue;
        const double power = power_between(d, next, last, i),
                     whole = power_between(d, first, last, i);
        reach[0] = isnan(reach[0]) ? fmin(power, whole) : reach[0];
        reach[1] = isnan(reach[1]) ? fmax(power, whole) : reach[1];
        const bool spread = inputs_of(d, next)[i] >= APART * inputs_of(d, first)[i];
        const double rate = log(d->values[last] / d->values[next]) /
                            (inputs_of(d, last)[i] - inputs_of(d, next)[i]);
        if (whole > STEEP && (next == first || power > whole + (spread ? STEEPER : 0)) &&
            grows_throughout(d, i, last, rate))
            out->rate[i] = rate;
        out->farthest = fmax(out->farthest, d->values[last]);
    }
}

void range_find(const struct fit_data *data, const struct formula *f, const struct fit_near *near,
                struct formula_range *out)
{
    struct rows rows;
    bool moves = false;

    *out = (struct formula_range){.left_out = NAN};
    for (size_t i = 0; i < data->input_count; i++)
        moves |= varies(data, i);
    out->open = !moves;
    const size_t only = only_run(data);
    if (out->open || (only == SIZE_MAX && !f->count))
        return;
    out->others = mem_zero(RANGE_MOST, sizeof *out->others);
    if (only != SIZE_MAX) {
        grow_one(data, only, out);
        return;
    }
    rows_init(&rows, data);
    out->left_out = values_left_out(&rows, f, out);
    const double known = isnan(out->left_out) ? isnan(f->error) ? 1 : f->error : out->left_out;
    find_exponents(data, f, known, out);
    if (known >= NEGLIGIBLE)
        find_reach(data, out);
    for (size_t i = 0; i < near->count && out->count < RANGE_MOST; i++)
        out->others[out->count++] = near->formulas[i];
    rows_done(&rows);
    if (known > BAD)
        grow_one(data, largest_run(data), out);
    out->others = mem_resize(out->others, (out->count + 1) * sizeof *out->others);
}

void range_add(struct formula_range *r, const struct formula *f)
{
    r->others = mem_resize(r->others, (r->count + 1) * sizeof *r->others);
    r->others[r->count++] = *f;
}

void range_done(struct formula_range *r)
{
    free(r->others);
    *r = (struct formula_range){.left_out = NAN};
}

/* Widens the range by the growth that find_reach found, if only one input is beyond the runs. The
 * range is from *@least to *@most. */
static void widen_by_reach(const struct formula_range *r, const double *inputs, size_t count,
                           double *least, double *most)
{
    size_t beyond = SIZE_MAX;

    for (size_t i = 0; i < count; i++)
        if (inputs[i] > r->highest[i])
            beyond = beyond == SIZE_MAX ? i : count;
    if (beyond >= count || !(r->farthest > 0) || isnan(r->reach[beyond][0]) ||
        !(r->highest[beyond] > 0))
        return;
    const double by = inputs[beyond] / r->highest[beyond];
    *least = fmin(*least, r->farthest * pow(by, r->reach[beyond][0]));
    *most = fmax(*most, r->farthest * pow(by, r->reach[beyond][1]));
    if (r->rate[beyond] > 0)
        *most =
            fmax(*most, r->farthest * exp(r->rate[beyond] * (inputs[beyond] - r->highest[beyond])));
}

void range_at(const struct formula_range *r, const struct formula *f, const double *inputs,
              size_t count, double *least, double *most)
{
    *least = *most = formula_value(f, inputs, count);
    for (size_t i = 0; i < r->count; i++) {
        const double value = formula_value(&r->others[i], inputs, count);
        *least = fmin(*least, value);
        *most = fmax(*most, value);
    }
    widen_by_reach(r, inputs, count, least, most);
    for (size_t i = 0; i < count; i++) {
        const double beyond = r->exponent[i] == 0 || !(inputs[i] > 0) ? 1
                              : inputs[i] > r->highest[i]             ? inputs[i] / r->highest[i]
                              : inputs[i] < r->lowest[i]              ? r->lowest[i] / inputs[i]
                                                                      : 1;
        *least /= pow(beyond, r->exponent[i]);
        *most *= pow(beyond, r->exponent[i]);
    }
    if (r->open) {
        *least = 0;
        *most = INFINITY;
    }
}
