/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/lab_findings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "throughput/predict.h"

struct stage_log *lab_log_begin(struct session *s, const char *title, const char *curve)
{
    struct stage_log *log = stage_log_new(title, curve);

    stage_log_free(s->document.chart);
    s->document.chart = stage_log_hold(log);
    s->document.chart_after = s->document.run_count;
    return log;
}

bool lab_log_is_newest(const struct session *s)
{
    return s->document.chart && s->document.run_count == s->document.chart_after;
}

struct error_of {
    size_t row;
    double error; /* relative error */
};

static int larger_first(const void *a, const void *b)
{
    const double x = fabs(((const struct error_of *)a)->error),
                 y = fabs(((const struct error_of *)b)->error);
    return (x < y) - (x > y);
}

void lab_list_errors(struct stage_log *l, enum stage_list list, const char *from,
                     const struct machine *m, const struct experiments *t)
{
    double *predicted = mem_alloc((t->rows.count + 1) * sizeof *predicted), sum = 0;
    struct error_of *errors = mem_alloc((t->rows.count + 1) * sizeof *errors);
    struct stage_finding *rows = mem_zero(STAGE_FINDINGS, sizeof *rows);
    struct str text = {0};
    char title[96];
    size_t count = 0;

    machine_predict(m, t, predicted);
    for (size_t i = 0; i < t->rows.count; i++) {
        const double cycles = t->rows.items[i].cycles;
        if (!(cycles > 0) || isnan(predicted[i]))
            continue;
        errors[count++] = (struct error_of){i, predicted[i] / cycles - 1};
        sum += fabs(errors[count - 1].error);
    }
    if (count)
        qsort(errors, count, sizeof *errors, larger_first);
    for (size_t i = 0; i < count && i < STAGE_FINDINGS; i++) {
        str_clear(&text);
        experiments_print(t, errors[i].row, &text);
        snprintf(rows[i].what, sizeof rows[i].what, "%s", str_text(&text));
        rows[i].measured = t->rows.items[errors[i].row].cycles;
        rows[i].predicted = predicted[errors[i].row];
    }
    if (count)
        snprintf(title, sizeof title, "%.40s: mean error %.2f %% of %zu experiments", from,
                 100 * sum / (double)count, count);
    else
        snprintf(title, sizeof title, "%.40s: nothing is predicted yet", from);
    stage_log_list(l, list, title, rows, count);
    str_done(&text);
    free(rows);
    free(errors);
    free(predicted);
}
