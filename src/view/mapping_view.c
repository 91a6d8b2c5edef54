/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mapping explorer: forms by ports of the current machine, and what the form under the cursor shares ports with. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/metrics.h"
#include "cmd/forecast.h"
#include "throughput/schedule.h"
#include "view/table_view.h"
#include "view/view.h"

enum { COLUMN_FORM, COLUMN_USAGE, COLUMN_CYCLES, COLUMN_LATENCY, COLUMN_CONFIDENCE, COLUMN_PORTS };

#define USAGE_MIN 26
#define USAGE_MAX 60
#define COUNTS_WIDTH 34  /* columns of the title line for what is counted */
#define FORM_WANTED 40   /* columns; a wide screen then gives the usages theirs */

struct mapping_view_state {
    struct table_view view;      /* first */
    struct table_column columns[COLUMN_PORTS + PORTS_MAX];
    const struct machine *machine;
    unsigned long revision;      /* of the session */
    unsigned ports;
    size_t count;              /* of forms */
    double *pressure;          /* forms * ports: cycles of the form alone, balanced */
    double *cycles;
    struct accuracy accuracy;  /* on the session's experiments */
    size_t worst;              /* experiment predicted worst, when accuracy.n is not 0 */
};

static void mapping_close(void *state)
{
    struct mapping_view_state *v = state;
    table_done(&v->view.table);
    free(v->pressure);
    free(v->cycles);
    free(v);
}

struct usage_row {
    const struct usage *usage;
    size_t row;
};

static int compare_usages(const void *a, const void *b)
{
    const struct usage *x = ((const struct usage_row *)a)->usage, *y = ((const struct usage_row *)b)->usage;

    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    for (unsigned u = 0; u < x->count; u++)
        if (x->uops[u].ports != y->uops[u].ports || x->uops[u].count != y->uops[u].count)
            return x->uops[u].ports < y->uops[u].ports || (x->uops[u].ports == y->uops[u].ports && x->uops[u].count < y->uops[u].count) ? -1 : 1;
    return 0;
}

static double solve_one(const struct usage *usage, unsigned ports, double *pressure)
{
    struct mass *masses = mem_alloc((usage->count + 1) * sizeof *masses);
    double *rows = mem_alloc((usage->count * ports + 1) * sizeof *rows);

    for (unsigned u = 0; u < usage->count; u++)
        masses[u] = (struct mass){usage->uops[u].ports, usage->uops[u].count};
    double cycles = schedule_balance(masses, usage->count, ports, rows, pressure, NULL);
    free(masses);
    free(rows);
    return cycles;
}

/* Pressure of every form on its own, made once per state of the machine. Thousands of forms share a few hundred usages: each is solved once. */
static void solve(struct mapping_view_state *v, const struct machine *m)
{
    size_t count = mapping_count(m->mapping);
    unsigned ports = mapping_ports(m->mapping)->count;

    free(v->pressure);
    free(v->cycles);
    v->pressure = mem_try_zero(count * ports + 1, sizeof *v->pressure);
    v->cycles = mem_try_alloc((count + 1) * sizeof *v->cycles);
    struct usage_row *order = mem_try_alloc((count + 1) * sizeof *order);
    v->count = v->pressure && v->cycles && order ? count : 0;   /* without memory there are no rows */
    count = v->count;
    for (size_t i = 0; i < count; i++)
        order[i] = (struct usage_row){&mapping_at(m->mapping, i)->usage, i};
    qsort(order, count, sizeof *order, compare_usages);
    for (size_t i = 0; i < count; i++) {
        double *pressure = v->pressure + order[i].row * ports;
        if (i && compare_usages(&order[i - 1], &order[i]) == 0) {
            memcpy(pressure, v->pressure + order[i - 1].row * ports, ports * sizeof *pressure);
            v->cycles[order[i].row] = v->cycles[order[i - 1].row];
        } else {
            v->cycles[order[i].row] = solve_one(order[i].usage, ports, pressure);
        }
    }
    free(order);
    static const struct table_column fixed[] = {{"form", 0, false, 0}, {"usage", USAGE_MIN, false, 0}, {"cycles", 6, true, 0}, {"latency", 7, true, 0}, {"confidence", 10, true, 110}};
    memcpy(v->columns, fixed, sizeof fixed);
    for (unsigned p = 0; p < ports; p++)
        v->columns[COLUMN_PORTS + p] = (struct table_column){mapping_ports(m->mapping)->names[p], 4, true, 0};
    v->ports = ports;
}

/* How the mapping does on the experiments that are there, so that an edit shows its effect at once. */
static void judge(struct mapping_view_state *v, struct session *s, struct machine *m)
{
    const struct experiments *t = s->document.experiments;

    v->accuracy = (struct accuracy){0};
    if (!t || !t->rows.count)
        return;
    struct prediction *p = session_forecast(s, m);
    v->accuracy = p->accuracy;
    v->worst = p->worst;
    prediction_free(p);
}

static size_t row_count(const void *context)
{
    const struct mapping_view_state *v = context;
    return v->count;
}

/* What inference noted of how far near-optimal mappings agree: 0 to 1; NaN for usages that were not inferred. */
static double confidence_of_source(const char *source)
{
    const char *at = strstr(source, "confidence ");
    return at ? strtod(at + strlen("confidence "), NULL) : NAN;
}

static double row_number(const void *context, size_t row, int column)
{
    const struct mapping_view_state *v = context;
    if (column == COLUMN_CYCLES)
        return v->cycles[row];
    if (column == COLUMN_LATENCY)
        return mapping_at(v->machine->mapping, row)->latency;
    if (column == COLUMN_CONFIDENCE)
        return confidence_of_source(mapping_at(v->machine->mapping, row)->source);
    return column >= COLUMN_PORTS ? v->pressure[row * v->ports + (size_t)(column - COLUMN_PORTS)] : NAN;
}

static void row_text(const void *context, size_t row, int column, struct str *out)
{
    const struct mapping_view_state *v = context;
    const struct mapping_entry *entry = mapping_at(v->machine->mapping, row);

    if (column == COLUMN_FORM) {
        str_add(out, entry->form);
    } else if (column == COLUMN_USAGE) {
        usage_print(&entry->usage, mapping_ports(v->machine->mapping), out);
        if (!entry->usage.count)
            str_add(out, "none");
    } else {
        double number = row_number(context, row, column);
        if (!isnan(number) && (column < COLUMN_PORTS || number > 0.005))
            str_addf(out, column == COLUMN_LATENCY ? "%g" : number < 9.995 ? "%.2f" : "%.0f", number);
    }
}

static enum role row_role(const void *context, size_t row, int column)
{
    const struct mapping_view_state *v = context;
    double number = column >= COLUMN_PORTS ? row_number(context, row, column) : 0;
    return column < COLUMN_PORTS || number < 0.005 ? ROLE_TEXT : heat_role(v->cycles[row] > 0 ? number / v->cycles[row] : 0);
}

/* False when there is no machine to show. */
static bool refresh(void *state, struct session *s)
{
    struct mapping_view_state *v = state;
    struct err err = {0};
    struct machine *m = session_current(s, &err);

    if (m && (v->machine != m || v->revision != s->revision)) {
        v->machine = m;
        v->revision = s->revision;
        solve(v, m);
        judge(v, s, m);
        table_view_changed(&v->view, &(struct table_source){v->columns, COLUMN_PORTS + (int)v->ports, 0, row_count, row_number, row_text, row_role});
    }
    return m != NULL;
}

static void *mapping_open(void)
{
    struct mapping_view_state *v = mem_zero(1, sizeof *v);
    table_init(&v->view.table);
    v->view.rows = "forms";
    v->view.refresh = refresh;
    return v;
}

static void draw_detail(const struct mapping_view_state *v, struct grid *g, int y)
{
    size_t row, alike = 0;
    struct str usage = {0}, names = {0};

    if (!table_selected(&v->view.table, &row))
        return;
    const struct mapping_entry *entry = mapping_at(v->machine->mapping, row);
    usage_print(&entry->usage, mapping_ports(v->machine->mapping), &usage);
    for (size_t i = 0; i < mapping_count(v->machine->mapping); i++) {
        const struct mapping_entry *other = mapping_at(v->machine->mapping, i);
        if (i == row || !usage_equal(&entry->usage, &other->usage))
            continue;
        if (alike++ < 4)
            str_addf(&names, "%s%s", names.length ? "; " : "", other->form);
    }
    unsigned used = grid_printf(g, 0, y, 0, ROLE_ACCENT, 0, "%s  %s", entry->form, usage.length ? str_text(&usage) : "no port");
    if (*entry->source)
        grid_printf(g, (int)used + 2, y, 0, ROLE_DIM, 0, "(%s)", entry->source);
    grid_printf(g, 0, y + 1, 0, ROLE_DIM, 0, "%zu more with this usage%s%s", alike, alike ? ": " : "", str_text(&names));
    str_done(&usage);
    str_done(&names);
}

/* Of what @width leaves beyond the other columns, the forms take what they need first, then the usages. */
static void share_width(struct mapping_view_state *v, unsigned width)
{
    unsigned used = FORM_WANTED + 1;

    v->columns[COLUMN_USAGE].width = USAGE_MIN;
    for (unsigned c = COLUMN_USAGE; c < COLUMN_PORTS + v->ports; c++)
        used += v->columns[c].width + 1;
    unsigned spare = width > used ? width - used : 0;
    v->columns[COLUMN_USAGE].width += spare < USAGE_MAX - USAGE_MIN ? spare : USAGE_MAX - USAGE_MIN;
}

static void mapping_draw(void *state, struct session *s, struct grid *g)
{
    struct mapping_view_state *v = state;

    if (!refresh(v, s)) {
        grid_put(g, 2, 1, 0, ROLE_DIM, 0, "No machine is loaded; :set machine ID chooses one");
        return;
    }
    bool roomy = grid_columns(g, v->machine->title) + COUNTS_WIDTH <= g->width;   /* a long title gives way to the id */
    unsigned used = grid_put(g, 0, 0, 0, ROLE_TITLE, ATTR_BOLD, roomy ? v->machine->title : v->machine->id) + 2;
    used += grid_printf(g, (int)used, 0, 0, ROLE_DIM, 0, "%zu form%s, %zu distinct µop%s", mapping_count(v->machine->mapping),
                        mapping_count(v->machine->mapping) == 1 ? "" : "s", mapping_distinct_uops(v->machine->mapping), mapping_distinct_uops(v->machine->mapping) == 1 ? "" : "s");
    used = view_draw_hints(&mapping_view, g, used + 3, 0);
    if (v->accuracy.n) {
        struct str worst = {0};
        experiments_print(s->document.experiments, v->worst, &worst);
        used += grid_printf(g, (int)used, 0, 0, ROLE_WARN, 0, "error %.2f %% on %zu experiments", 100 * v->accuracy.mape, v->accuracy.n) + 2;
        grid_printf(g, (int)used + 2, 0, 0, ROLE_DIM, 0, "worst: %s", str_text(&worst));
        str_done(&worst);
    }
    share_width(v, g->width);
    table_draw(&v->view.table, &v->view.source, v, v->view.changes, g, 1, g->height - 3);
    draw_detail(v, g, (int)g->height - 2);
}

static bool mapping_press(void *state, struct session *s, int key, struct str *command)
{
    struct mapping_view_state *v = state;
    size_t row;

    if (!refresh(v, s))
        return false;
    if ((key == KEYCODE_ENTER || key == '\n') && table_selected(&v->view.table, &row)) {
        const struct mapping_entry *entry = mapping_at(v->machine->mapping, row);
        str_addf(command, ":mapping set \"%s\" ", entry->form);
        usage_print(&entry->usage, mapping_ports(v->machine->mapping), command);
        return true;
    }
    return table_view_press(v, s, key, command);
}

static const struct view_key mapping_keys[] = {
    {.keys = {VIEW_KEYS_ROWS}, .label = "j k g G", .help = "move; forms with the same usage are shown below", .act = mapping_press},
    {.keys = {VIEW_KEYS_ENTER}, .label = "Enter", .help = "edit the usage of the form", .act = mapping_press, .hint = "edit usage"},
    {.keys = {'[', ']', 'r'}, .label = "[ ] r", .help = "sort by the previous or next column; r reverses the order", .act = mapping_press},
    {.label = "\\", .help = "filter: form~VADD & cycles>1; empty shows all rows"},
    {.keys = {'F'}, .label = "F", .help = "stay at the last row", .act = mapping_press},
    {.label = "/ n N", .help = "search"},
    {.keys = {KEYCODE_ESCAPE}, .act = mapping_press},
    {.keys = {0}},
};

const struct view_ops mapping_view = {.name = "mapping", .help = "forms by ports of the current machine",
    .keys = mapping_keys,
                                      .open = mapping_open, .close = mapping_close, .draw = mapping_draw,
                                      .click = table_view_click, .find = table_view_find, .sort = table_view_sort, .filter = table_view_filter, .source = table_view_source,
                                      .status = table_view_status, .rows = table_view_rows, .busy = table_view_busy};
