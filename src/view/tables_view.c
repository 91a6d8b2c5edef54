/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares a run's inferred mapping with a machine's tables: corresponding ports, and differing
 * forms. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/command.h"
#include "model/mapping_diff.h"
#include "view/lab_steps.h"
#include "view/table_view.h"
#include "view/view.h"

enum { COLUMN_FORM, COLUMN_INFERRED, COLUMN_TABLES, COLUMN_KIND, COLUMNS };

#define USAGE_COLUMNS 16
#define USAGE_WIDE 28        /* columns in a pane of at least USAGE_ROOMY */
#define USAGE_ROOMY 86

struct tables_view_state {
    struct table_view view;      /* first */
    struct table_column columns[COLUMNS];
    const struct evolve_run *run;
    struct machine *machine;     /* held */
    struct mapping *inferred;
    struct mapping_diff *diff;   /* of the machine's mapping and the inferred one */
    unsigned long outlines, revision;
};

static void drop(struct tables_view_state *v)
{
    mapping_diff_free(v->diff);
    mapping_free(v->inferred);
    if (v->machine)
        machine_free(v->machine);
    v->diff = NULL;
    v->inferred = NULL;
    v->machine = NULL;
}

static void tables_close(void *state)
{
    struct tables_view_state *v = state;

    table_done(&v->view.table);
    drop(v);
}

static size_t row_count(const void *context)
{
    const struct tables_view_state *v = context;
    return v->diff->count;
}

static double row_number(const void *context, size_t row, int column)
{
    (void)context;
    (void)row;
    (void)column;
    return 0;
}

static void row_text(const void *context, size_t row, int column, struct str *out)
{
    const struct tables_view_state *v = context;
    const struct form_diff *f = &v->diff->forms[row];
    const struct ports *ports = mapping_ports(v->machine->mapping);
    const size_t before = out->length;
    bool alone = false;

    switch (column) {
    case COLUMN_FORM: str_add(out, f->a->form); return;
    case COLUMN_KIND: str_add(out, diff_kind_name(f->kind)); return;
    case COLUMN_INFERRED: usage_print(&f->b_usage, ports, out); break;
    default: usage_print(&f->a->usage, ports, out); break;
    }
    for (unsigned i = 0; column == COLUMN_INFERRED && i < f->b->usage.count; i++)
        for (unsigned p = 0; p < mapping_ports(v->inferred)->count; p++)
            alone |= f->b->usage.uops[i].ports >> p & 1 && v->diff->to_a[p] < 0;
    if (alone)
        str_add(out, out->length == before ? "others" : " and others");
    else if (out->length == before)
        str_add(out, "none");
}

/* Returns the machine for comparison: the current one, or the base of the adopted one. */
static struct machine *tables_of(struct session *s)
{
    struct err none = {0};
    struct machine *m = session_current(s, &none);
    const char *base = m && strcmp(m->id, EVOLVED_MACHINE) == 0 ? machine_fact(m, "base") : NULL;

    return base ? session_machine(s, base, &none) : m;
}

/* Returns false when there is nothing to compare. */
static bool refresh(void *state, struct session *s)
{
    struct tables_view_state *v = state;
    struct evolve_run *run = lab_run(s);
    const struct outline *o = run ? evolve_run_outline(run) : NULL;
    struct machine *m = o ? tables_of(s) : NULL;
    struct ports names;

    if (!m)
        return false;
    if (v->diff && v->run == run && v->outlines == run->outlines && v->machine == m &&
        v->revision == s->revision)
        return true;
    drop(v);
    evolve_run_ports(run, o->best->ports, &names);
    v->run = run;
    v->outlines = run->outlines;
    v->revision = s->revision;
    v->machine = machine_hold(m);
    v->inferred = genome_mapping(o->best, o->problem, &names);
    v->diff = mapping_diff_new(m->mapping, v->inferred, false, NULL);
    table_view_changed(&v->view, &(struct table_source){v->columns, COLUMNS, 0, row_count,
                                                        row_number, row_text, NULL, NULL, NULL, 0});
    return true;
}

static void tables_open(void *state)
{
    static const struct table_column columns[COLUMNS] = {{"form", 0, false, 0},
                                                         {"inferred", USAGE_COLUMNS, false, 0},
                                                         {"tables", USAGE_COLUMNS, false, 0},
                                                         {"kind", 8, false, 60}};
    struct tables_view_state *v = state;

    memcpy(v->columns, columns, sizeof columns);
    table_init(&v->view.table);
    v->view.rows = "differences";
    v->view.refresh = refresh;
}

/* Draws the number of agreeing forms, and the machine's port for each inferred one. */
static unsigned draw_summary(const struct tables_view_state *v, struct grid *g)
{
    const struct ports *own = mapping_ports(v->machine->mapping),
                       *inferred = mapping_ports(v->inferred);
    struct str text = {0};

    str_addf(&text, "%s: %zu of %zu forms equal", v->machine->id, v->diff->kinds[DIFF_NONE],
             v->diff->shared);
    if (v->diff->only_b)
        str_addf(&text, ", %zu not in its tables", v->diff->only_b);
    unsigned y = grid_wrap(g, 0, 0, g->width, 2, ROLE_TITLE, ATTR_BOLD, str_text(&text));
    str_clear(&text);
    str_add(&text, "ports by use, inferred=tables:");
    for (unsigned p = 0; p < inferred->count; p++)
        str_addf(&text, " %s=%s", inferred->names[p],
                 v->diff->to_a[p] < 0 ? "-" : own->names[v->diff->to_a[p]]);
    y += grid_wrap(g, 0, (int)y, g->width, 2, ROLE_DIM, 0, str_text(&text));
    str_done(&text);
    return y;
}

static void tables_draw(void *state, struct session *s, struct grid *g)
{
    struct tables_view_state *v = state;

    if (!refresh(v, s)) {
        lab_draw_empty(s, &tables_view, g,
                       "Differences of the inferred mapping from the machine's tables.");
        return;
    }
    v->columns[COLUMN_INFERRED].width = v->columns[COLUMN_TABLES].width =
        g->width >= USAGE_ROOMY ? USAGE_WIDE : USAGE_COLUMNS;
    const unsigned y = draw_summary(v, g);
    if (g->height > y + 1)
        table_draw(&v->view.table, &v->view.source, v, v->view.changes, g, (int)y, g->height - y);
}

static bool tables_live(void *state, struct session *s)
{
    (void)state;
    return lab_run_goes_on(s);
}

const struct view_ops tables_view = {
    .name = "tables",
    .label = "Against the tables",
    .help = "differences of the best inferred mapping from the machine's tables",
    .act = table_view_act,
    .marks = "kind\tof the tables' usage: narrower or wider (fewer or more ports), ports (others), "
             "fewer or more (µops), pipes (dividers)\nothers\tports without a counterpart in the "
             "machine",
    .state_size = sizeof(struct tables_view_state),
    .open = tables_open,
    .close = tables_close,
    .draw = tables_draw,
    .live = tables_live,
    .form_at = table_view_form,
    TABLE_VIEW_OPS};
