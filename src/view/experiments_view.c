/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The experiments: what was measured, what the current machine predicts, and how far apart the two are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/metrics.h"
#include "view/table.h"
#include "view/view.h"
#include "work/job.h"

enum { COLUMN_EXPERIMENT, COLUMN_CYCLES, COLUMN_SPREAD, COLUMN_REPEATS, COLUMN_PREDICTED, COLUMN_ERROR, COLUMN_STATE, COLUMN_COUNT };

static const struct table_column columns[COLUMN_COUNT] = {
    {"experiment", 0, false}, {"cycles", 9, true}, {"spread", 8, true}, {"repeats", 7, true}, {"predicted", 9, true}, {"error", 8, true}, {"state", 12, false},
};

struct experiments_view_state {
    struct table table;
    const struct experiments *shown;
    double *predicted;           /* cycles per row under the current machine */
    size_t rows;
    unsigned long session_revision;
    uint64_t revision;
    unsigned long changes;       /* of what the table shows */
    const char *machine;
};

static void *experiments_open(void)
{
    struct experiments_view_state *v = mem_zero(1, sizeof *v);
    table_init(&v->table);
    return v;
}

static void experiments_close(void *state)
{
    struct experiments_view_state *v = state;
    table_done(&v->table);
    free(v->predicted);
    free(v);
}

/* False when there are no experiments. Predicts anew when the table or the session has changed. */
static bool refresh(struct experiments_view_state *v, struct session *s)
{
    struct err err = {0};

    if (!s->experiments || !s->experiments->rows.count)
        return false;
    if (v->shown == s->experiments && v->revision == s->experiments->revision && v->session_revision == s->revision)
        return true;
    v->shown = s->experiments;
    v->revision = s->experiments->revision;
    v->session_revision = s->revision;
    v->rows = s->experiments->rows.count;
    v->changes++;
    v->predicted = mem_resize(v->predicted, (v->rows + 1) * sizeof *v->predicted);
    const struct machine *m = session_current(s, &err);
    v->machine = m ? m->id : NULL;
    if (m)
        metrics_predict(m->mapping, s->experiments, v->predicted);
    for (size_t i = 0; !m && i < v->rows; i++)
        v->predicted[i] = NAN;
    return true;
}

static size_t row_count(const void *context)
{
    const struct experiments_view_state *v = context;
    return v->rows;
}

static double row_number(const void *context, size_t row, int column)
{
    const struct experiments_view_state *v = context;
    const struct experiment_row *e = &v->shown->rows.items[row];

    switch (column) {
    case COLUMN_CYCLES: return e->cycles;
    case COLUMN_SPREAD: return e->spread;
    case COLUMN_REPEATS: return e->repeats ? e->repeats : NAN;
    case COLUMN_PREDICTED: return v->predicted[row];
    case COLUMN_ERROR: return e->cycles > 0 ? (v->predicted[row] - e->cycles) / e->cycles : NAN;
    default: return NAN;
    }
}

static void row_text(const void *context, size_t row, int column, struct str *out)
{
    const struct experiments_view_state *v = context;

    if (column == COLUMN_EXPERIMENT) {
        experiments_print(v->shown, row, out);
    } else if (column == COLUMN_STATE) {
        str_add(out, v->shown->rows.items[row].state);
    } else {
        double number = row_number(context, row, column);
        if (!isnan(number))
            str_addf(out, column == COLUMN_ERROR ? "%+.1f%%" : column == COLUMN_SPREAD ? "%.2f%%" : column == COLUMN_REPEATS ? "%.0f" : "%.3f",
                     column == COLUMN_ERROR || column == COLUMN_SPREAD ? 100 * number : number);
    }
}

static enum role row_role(const void *context, size_t row, int column)
{
    if (column == COLUMN_ERROR) {
        double error = fabs(row_number(context, row, column));
        return isnan(error) ? ROLE_DIM : error > 0.25 ? ROLE_ERROR : error > 0.1 ? ROLE_WARN : ROLE_GOOD;
    }
    return column == COLUMN_STATE || column == COLUMN_PREDICTED ? ROLE_DIM : ROLE_TEXT;
}

static const struct table_source source = {columns, COLUMN_COUNT, row_count, row_number, row_text, row_role};

static void draw_detail(const struct experiments_view_state *v, struct session *s, struct grid *g, int y)
{
    struct err err = {0};
    struct machine *m = session_current(s, &err);
    size_t row;
    unsigned used = 0;

    if (!table_selected(&v->table, &row))
        return;
    const struct experiment_row *e = &v->shown->rows.items[row];
    for (uint32_t i = 0; i < e->count && used < g->width; i++) {
        const struct flat_term *term = &experiments_terms(v->shown, row)[i];
        const char *form = v->shown->forms.items[term->form];
        const struct mapping_entry *entry = m ? mapping_find(m->mapping, form) : NULL;
        struct str usage = {0};
        if (entry)
            usage_print(&entry->usage, mapping_ports(m->mapping), &usage);
        used += grid_printf(g, (int)used, y, 0, ROLE_ACCENT, 0, "%u*%s ", (unsigned)term->count, form);
        used += grid_printf(g, (int)used, y, 0, ROLE_TEXT, 0, "%s   ", !entry ? "unknown" : usage.length ? str_text(&usage) : "no port");
        str_done(&usage);
    }
}

static void experiments_draw(void *state, struct session *s, struct grid *g)
{
    static const char *const lines[] = {
        "There are no experiments.", ":experiments load FILE.csv reads a table, experiments import FILE.json those of PMEvo.",
        ":experiments generate makes them from the forms that can be measured here, experiments measure measures them.",
    };
    struct experiments_view_state *v = state;
    struct accuracy a;
    int y = 1;

    if (!refresh(v, s)) {
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
            y += (int)grid_wrap(g, 2, y, g->width > 4 ? g->width - 4 : 1, 4, i ? ROLE_TEXT : ROLE_TITLE, 0, lines[i]);
        return;
    }
    a = metrics_accuracy(v->shown, v->predicted);
    unsigned used = grid_printf(g, 0, 0, 0, ROLE_TITLE, ATTR_BOLD, "%zu experiments", v->rows);
    if (a.n)
        used += grid_printf(g, (int)used + 2, 0, 0, ROLE_WARN, 0, "%s: error %.2f %%, Pearson %.3f, Spearman %.3f on %zu", v->machine, 100 * a.mape, a.pearson,
                            a.spearman, a.n) + 2;
    if (a.unknown)
        grid_printf(g, (int)used + 2, 0, 0, ROLE_DIM, 0, "%zu with forms unknown to it", a.unknown);
    table_draw(&v->table, &source, v, v->changes, g, 1, g->height - 2);
    draw_detail(v, s, g, (int)g->height - 1);
}

static bool experiments_key(void *state, struct session *s, int key, struct str *command)
{
    struct experiments_view_state *v = state;
    (void)command;
    return refresh(v, s) && table_key(&v->table, &source, key);
}

static void experiments_click(void *state, struct session *s, int x, int y)
{
    struct experiments_view_state *v = state;
    if (y >= 1 && refresh(v, s))
        table_click(&v->table, &source, x, y - 1);
}

static bool experiments_find(void *state, struct session *s, const char *text, int direction)
{
    struct experiments_view_state *v = state;
    return refresh(v, s) && table_find(&v->table, &source, v, text, direction);
}

static bool experiments_sort(void *state, struct session *s, const char *column, struct err *err)
{
    struct experiments_view_state *v = state;
    (void)s;
    return table_sort(&v->table, &source, column, err);
}

static bool experiments_filter(void *state, struct session *s, const char *expression, struct err *err)
{
    struct experiments_view_state *v = state;
    (void)s;
    return table_filter(&v->table, &source, expression, err);
}

static void experiments_status(void *state, struct session *s, struct str *out)
{
    struct experiments_view_state *v = state;
    if (refresh(v, s))
        table_status(&v->table, &source, out);
}

static bool experiments_live(void *state, struct session *s)
{
    (void)state;
    (void)s;
    return job_running() > 0;
}

const struct view_ops experiments_view = {.name = "experiments", .help = "what was measured, predicted and how far apart; \\ cycles>2 & form~VADD, F follows",
                                          .open = experiments_open, .close = experiments_close, .draw = experiments_draw, .key = experiments_key,
                                          .click = experiments_click, .find = experiments_find, .sort = experiments_sort,
                                          .filter = experiments_filter, .status = experiments_status, .live = experiments_live};
