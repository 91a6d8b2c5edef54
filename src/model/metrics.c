/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/shortage.h"
#include "base/steps.h"

double metrics_mape(const double *predicted, const double *measured, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(predicted[i] - measured[i]) / measured[i];
    return n ? sum / (double)n : NAN;
}

static double mean_of(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

double metrics_pearson(const double *x, const double *y, size_t n)
{
    double xx = 0, yy = 0, xy = 0;

    if (n < 2)
        return NAN;
    double mx = mean_of(x, n), my = mean_of(y, n);
    for (size_t i = 0; i < n; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
        xy += (x[i] - mx) * (y[i] - my);
    }
    if (!(xx > 0 && yy > 0))
        return NAN;
    double r = xy / sqrt(xx) / sqrt(yy);
    return r > 1 ? 1 : r < -1 ? -1 : r;
}

struct ranked_value {
    double value;         /* first member, because compare_doubles reads it */
    size_t index;
};

void metrics_ranks(const double *x, size_t n, double *ranks)
{
    struct ranked_value *order = shortage_alloc((n + 1) * sizeof *order);

    for (size_t i = 0; !order && i < n; i++)
        ranks[i] = NAN;
    if (!order)
        return;
    for (size_t i = 0; i < n; i++)
        order[i] = (struct ranked_value){x[i], i};
    qsort(order, n, sizeof *order, compare_doubles);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && order[end].value == order[i].value;)
            end++;
        for (size_t k = i; k < end; k++)
            ranks[order[k].index] = (double)(i + 1 + end) / 2;
    }
    free(order);
}

double metrics_spearman(const double *x, const double *y, size_t n)
{
    double *ranks = shortage_alloc((2 * n + 1) * sizeof *ranks);
    if (!ranks)
        return NAN;
    metrics_ranks(x, n, ranks);
    metrics_ranks(y, n, ranks + n);
    double r = metrics_pearson(ranks, ranks + n, n);
    free(ranks);
    return r;
}

static size_t cell_of(double value, double limit)
{
    double cell = floor(value / limit * METRICS_CELLS);
    return cell < 0 ? 0 : cell >= METRICS_CELLS ? METRICS_CELLS - 1 : (size_t)cell;
}

void metrics_heat_map(const double *predicted, const double *measured, size_t n, double limit,
                      struct heat_map *out)
{
    memset(out, 0, sizeof *out);
    for (size_t i = 0; limit <= 0 && i < n; i++)
        out->limit = fmax(out->limit, ceil(measured[i]));
    out->limit = limit > 0 ? limit : fmax(out->limit, 1);
    for (size_t i = 0; i < n; i++) {
        uint32_t *cell =
            &out->cell[cell_of(predicted[i], out->limit)][cell_of(measured[i], out->limit)];
        (*cell)++;
        out->highest = *cell > out->highest ? *cell : out->highest;
    }
}

struct accuracy metrics_accuracy(const struct experiments *t, const double *predicted)
{
    struct accuracy a = {0};
    double *p = shortage_alloc((2 * t->rows.count + 1) * sizeof *p), *m = p + t->rows.count;

    steps_add(t->rows.count);
    if (!p)
        return (struct accuracy){.mape = NAN, .pearson = NAN, .spearman = NAN};
    for (size_t i = 0; i < t->rows.count; i++) {
        if (!experiments_measured(t, i))
            continue;
        if (isnan(predicted[i])) {
            a.unknown++;
            continue;
        }
        p[a.n] = predicted[i];
        m[a.n++] = t->rows.items[i].cycles;
    }
    a.mape = metrics_mape(p, m, a.n);
    a.pearson = metrics_pearson(p, m, a.n);
    a.spearman = metrics_spearman(p, m, a.n);
    free(p);
    return a;
}
