/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mapping view: forms by ports of the current machine, and the forms that share ports with the
 * selected form. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/port_groups.h"
#include "analysis/port_names.h"
#include "base/mem.h"
#include "model/metrics.h"
#include "cmd/forecast.h"
#include "view/pressures.h"
#include "view/table_view.h"
#include "view/view.h"

enum { COLUMN_FORM, COLUMN_USAGE, COLUMN_CYCLES, COLUMN_LATENCY, COLUMN_CONFIDENCE, COLUMN_PORTS };

#define USAGE_MIN 26
/* minimum width of a pane with usages in the table; a narrower pane shows the selected usage
 * below */
#define ROOMY 100
#define USAGE_MAX 60
#define COUNTS_WIDTH 34  /* number of columns of the counts in the title line */
/* number of columns of the forms on a wide screen; usages get the other columns */
#define FORM_COLUMNS 40

struct mapping_view_state {
    struct table_view view;
    struct table_column columns[COLUMN_PORTS + PORTS_MAX];
    struct machine *machine;     /* machine of @pressures */
    struct ports shown;          /* the machine's ports with their displayed names */
    struct pressures *pressures;
    bool pressed;                /* whether pressures were available at the last update */
    unsigned long revision;      /* session revision at the last update */
    /* session revision at which computing pressures failed; 0: it did not fail */
    unsigned long given_up;
    unsigned ports;
    struct accuracy accuracy;  /* accuracy on the session's experiments */
    size_t worst;              /* experiment with the largest error; valid if accuracy.n is not 0 */
};

static void mapping_close(void *state)
{
    struct mapping_view_state *v = state;
    table_done(&v->view.table);
    pressures_drop(v->pressures);
}

/* Evaluates the mapping on the session's experiments, which shows the effect of an edit at once.
 * Without experiments, the accuracy is empty. */
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
    return mapping_count(v->machine->mapping);
}

static double row_number(const void *context, size_t row, int column)
{
    const struct mapping_view_state *v = context;
    if (column == COLUMN_CYCLES)
        return v->pressed ? pressures_cycles(v->pressures, row) : NAN;
    if (column == COLUMN_LATENCY)
        return mapping_at(v->machine->mapping, row)->latency;
    if (column == COLUMN_CONFIDENCE)
        return mapping_entry_confidence(mapping_at(v->machine->mapping, row));
    return column >= COLUMN_PORTS && v->pressed
               ? pressures_port(v->pressures, row, (unsigned)(column - COLUMN_PORTS))
               : NAN;
}

static void row_text(const void *context, size_t row, int column, struct str *out)
{
    const struct mapping_view_state *v = context;
    const struct mapping_entry *entry = mapping_at(v->machine->mapping, row);

    if (column == COLUMN_FORM) {
        str_add(out, entry->form);
    } else if (column == COLUMN_USAGE) {
        port_groups_usage(&entry->usage, &v->shown, out);
        if (!entry->usage.count)
            str_add(out, "none");
    } else {
        double number = row_number(context, row, column);
        if (!isnan(number) && (column < COLUMN_PORTS || number > 0.005))
            str_addf(out,
                     column == COLUMN_LATENCY ? "%g"
                     : number < 9.995         ? "%.2f"
                                              : "%.0f",
                     number);
    }
}

static enum role row_role(const void *context, size_t row, int column)
{
    const struct mapping_view_state *v = context;
    double number = column >= COLUMN_PORTS && v->pressed ? row_number(context, row, column) : 0;
    double cycles = number < 0.005 ? 0 : pressures_cycles(v->pressures, row);
    return cycles > 0 ? heat_role(number / cycles) : ROLE_TEXT;
}

static void *rows_hold(const void *context, struct table_source *source)
{
    const struct mapping_view_state *v = context;
    struct mapping_view_state *held = mem_zero(1, sizeof *held);

    memcpy(held->columns, v->columns, sizeof held->columns);
    source->columns = held->columns;
    held->pressures = pressures_hold(v->pressures);
    held->machine = v->machine;
    held->shown = v->shown;
    held->pressed = v->pressed;
    held->ports = v->ports;
    return held;
}

static void rows_release(void *state)
{
    struct mapping_view_state *held = state;
    pressures_free(held->pressures);
    free(held);
}

static void set_columns(struct mapping_view_state *v)
{
    static const struct table_column fixed[] = {{"form", 0, false, 0},
                                                {"usage", USAGE_MIN, false, ROOMY},
                                                {"cycles", 6, true, ROOMY},
                                                {"latency", 7, true, ROOMY},
                                                {"confidence", 10, true, 110}};

    ports_shown(v->machine, &v->shown);
    memcpy(v->columns, fixed, sizeof fixed);
    for (unsigned p = 0; p < v->shown.count; p++)
        v->columns[COLUMN_PORTS + p] = (struct table_column){v->shown.names[p], 4, true, 0};
    v->ports = v->shown.count;
}

/* Returns whether to compute failed pressures again. Returns false until the session has changed,
 * because an immediate repetition would undo a cancellation. */
static bool try_again(struct mapping_view_state *v, const struct session *s)
{
    if (pressures_made(v->pressures) || pressures_pending(v->pressures))
        return false;
    if (!v->given_up)
        v->given_up = s->revision;
    return v->given_up != s->revision;
}

static bool refresh(void *state, struct session *s)
{
    struct mapping_view_state *v = state;
    struct err err = {0};
    struct machine *m = session_current(s, &err);

    if (!m)
        return false;
    bool anew = !v->pressures || v->machine != m || try_again(v, s);
    if (anew) {
        pressures_drop(v->pressures);
        v->pressures = pressures_new(s, m);
        v->machine = m;
        v->given_up = 0;
        set_columns(v);
    }
    if (anew || v->revision != s->revision)
        judge(v, s, m);
    v->revision = s->revision;
    if (anew || v->pressed != pressures_made(v->pressures)) {
        v->pressed = pressures_made(v->pressures);
        table_view_changed(&v->view,
                           &(struct table_source){v->columns, COLUMN_PORTS + (int)v->ports, 0,
                                                  row_count, row_number, row_text, row_role,
                                                  rows_hold, rows_release, 0});
    }
    return true;
}

static void mapping_open(void *state)
{
    struct mapping_view_state *v = state;

    table_view_open(&v->view, "forms", refresh, NULL);
}

static void draw_detail(const struct mapping_view_state *v, struct grid *g, int y)
{
    size_t row, count = 0;
    struct str usage = {0}, names = {0};

    if (!table_selected(&v->view.table, &row))
        return;
    const struct mapping *m = v->machine->mapping;
    const struct mapping_entry *entry = mapping_at(m, row);
    port_groups_usage(&entry->usage, &v->shown, &usage);
    const size_t *alike = v->pressed ? pressures_alike(v->pressures, row, &count) : NULL;
    for (size_t i = 0, named = 0; i < count && named < 4; i++)
        if (alike[i] != row)
            str_addf(&names, "%s%s", named++ ? "; " : "", mapping_at(m, alike[i])->form);
    unsigned used = grid_printf(g, 0, y, 0, ROLE_ACCENT, 0, "%s  %s", entry->form,
                                usage.length ? str_text(&usage) : "no port");
    if (v->pressed && g->width < ROOMY)
        used += grid_printf(g, (int)used + 2, y, 0, ROLE_TEXT, 0, "%.2f cycles",
                            pressures_cycles(v->pressures, row)) +
                2;
    if (*entry->source)
        grid_printf(g, (int)used + 2, y, 0, ROLE_DIM, 0, "(%s)", entry->source);
    if (v->pressed)
        grid_printf(g, 0, y + 1, 0, ROLE_DIM, 0, "%zu other form%s with this usage%s%s",
                    count - 1, count == 2 ? "" : "s", count > 1 ? ": " : "", str_text(&names));
    else if (pressures_pending(v->pressures))
        grid_put(g, 0, y + 1, 0, ROLE_DIM, 0, "cycles and ports are being computed");
    str_done(&usage);
    str_done(&names);
}

/* Sets the width of the column for usages: from USAGE_MIN to USAGE_MAX, as far as @width has
 * columns that neither FORM_COLUMNS nor the other columns need. */
static void share_width(struct mapping_view_state *v, unsigned width)
{
    unsigned used = FORM_COLUMNS + 1;

    v->columns[COLUMN_USAGE].width = USAGE_MIN;
    for (unsigned c = COLUMN_USAGE; c < COLUMN_PORTS + v->ports; c++)
        used += v->columns[c].width + 1;
    unsigned rest = width > used ? width - used : 0;
    v->columns[COLUMN_USAGE].width += rest < USAGE_MAX - USAGE_MIN ? rest : USAGE_MAX - USAGE_MIN;
}

/* Draws the machine, its counts, its error on the experiments, and the worst experiment. The error
 * has precedence over the counts. Omits a number that does not fit. */
static void draw_title(const struct mapping_view_state *v, const struct session *s, struct grid *g)
{
    struct str error = {0}, of = {0}, counts = {0}, distinct = {0};
    const size_t forms = mapping_count(v->machine->mapping),
                 uops = v->pressed ? pressures_distinct(v->pressures) : 0;
    /* The id is drawn instead of a long title. */
    const bool roomy = grid_columns(g, v->machine->title) + COUNTS_WIDTH <= g->width;
    unsigned used =
        grid_put(g, 0, 0, 0, ROLE_TITLE, ATTR_BOLD, roomy ? v->machine->title : v->machine->id);

    str_addf(&counts, "  %zu form%s", forms, plural(forms));
    if (v->pressed)
        str_addf(&distinct, ", %zu distinct µop%s", uops, plural(uops));
    if (v->accuracy.n)
        str_addf(&error, "   error %.2f %%", 100 * v->accuracy.mape);
    str_addf(&of, " on %zu experiment%s", v->accuracy.n, plural(v->accuracy.n));
    if (v->accuracy.n && used + counts.length + error.length + of.length <= g->width)
        str_add(&error, str_text(&of));
    unsigned left = g->width > used + error.length ? g->width - used - (unsigned)error.length : 0;
    if (counts.length <= left) {
        used += grid_put(g, (int)used, 0, 0, ROLE_DIM, 0, str_text(&counts));
        left -= (unsigned)counts.length;
        if (grid_columns(g, str_text(&distinct)) <= left)
            used += grid_put(g, (int)used, 0, 0, ROLE_DIM, 0, str_text(&distinct));
    }
    used += grid_put(g, (int)used, 0, 0, ROLE_WARN, 0, str_text(&error));
    if (v->accuracy.n) {
        str_clear(&error);
        str_add(&error, "    worst: ");
        experiments_print(s->document.experiments, v->worst, &error);
        grid_put(g, (int)used, 0, 0, ROLE_DIM, 0, str_text(&error));
    }
    str_done(&error);
    str_done(&of);
    str_done(&counts);
    str_done(&distinct);
}

static void mapping_draw(void *state, struct session *s, struct grid *g)
{
    struct mapping_view_state *v = state;

    if (!refresh(v, s)) {
        view_draw_empty(s, &mapping_view, g,
                        "Forms of a machine and the ports that each form uses.",
                        "prompt set machine", "chooses a machine");
        return;
    }
    draw_title(v, s, g);
    share_width(v, g->width);
    table_draw(&v->view.table, &v->view.source, v, v->view.changes, g, 1, g->height - 3);
    draw_detail(v, g, (int)g->height - 2);
}

static bool mapping_act(void *state, struct session *s, enum action action, struct str *command)
{
    struct mapping_view_state *v = state;
    size_t row;

    if (!refresh(v, s))
        return false;
    if (action == ACTION_OPEN && table_selected(&v->view.table, &row)) {
        const struct mapping_entry *entry = mapping_at(v->machine->mapping, row);
        str_addf(command, ":mapping set \"%s\" ", entry->form);
        usage_print(&entry->usage, &v->shown, command);
        str_add(command, !entry->usage.count ? "none" : "");
        return true;
    }
    return table_view_act(v, s, action, command);
}

const struct view_ops mapping_view = {
    .name = "mapping",
    .label = "Mapping",
    .help = "forms by ports of the current machine",
    .act = mapping_act,
    .marks = "cursor\tforms with the same usage are shown below\n"
             "filter\tform~VADD & cycles>1; an empty filter shows all rows",
    .state_size = sizeof(struct mapping_view_state),
    .open = mapping_open,
    .close = mapping_close,
    .draw = mapping_draw,
    .form_at = table_view_form,
    TABLE_VIEW_OPS};
