/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables view: compares the current mapping of an inference run with a machine's tables. Shows the
 * corresponding ports, and the forms that differ. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/lab_findings.h"
#include "cmd/task.h"
#include "model/mapping_diff.h"
#include "view/lab_log.h"
#include "view/lab_steps.h"
#include "view/table_view.h"
#include "view/view.h"
#include "work/job.h"

enum { COLUMN_FORM, COLUMN_INFERRED, COLUMN_TABLES, COLUMN_KIND, COLUMNS };

#define AGAINST_AT_ONCE 500 /* maximum number of forms compared while the screen waits */
#define USAGE_COLUMNS 16
/* number of columns of a usage in a pane of at least USAGE_ROOMY columns */
#define USAGE_WIDE 28
#define USAGE_ROOMY 86

/* Comparison of a machine's tables with an inferred mapping. A job computes it, because tables have
 * thousands of forms. Both the view and the job hold a counted reference. */
struct against {
    struct machine *machine, *inferred; /* counted references */
    /* difference from the machine's mapping to the inferred mapping; NULL: not computed yet */
    struct mapping_diff *diff;
    uint64_t outline;          /* serial number of the outline with the inferred mapping */
    unsigned job;              /* job that computes the comparison; 0: none */
    bool made;                 /* whether the result is published */
    _Atomic unsigned holders;  /* number of references in addition to the creator's */
};

struct tables_view_state {
    struct table_view view;
    struct table_column columns[COLUMNS];
    struct against *shown, *next; /* @shown: last complete comparison. @next: comparison that is
                                   * being computed. */
};

static void against_free(void *state)
{
    struct against *a = state;

    if (!a || atomic_fetch_sub(&a->holders, 1) > 0)
        return;
    mapping_diff_free(a->diff);
    machine_free(a->inferred);
    machine_free(a->machine);
    free(a);
}

static bool against_work(void *state, struct result *result, struct err *err)
{
    struct against *a = state;

    a->diff = mapping_diff_new(a->machine->mapping, a->inferred->mapping, false, NULL);
    return watch_goes_on(err);
}

static void against_failed(struct session *s, void *state, struct result *result,
                           const struct err *err)
{
    ((struct against *)state)->job = 0;
}

static bool against_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct against *a = state;

    against_failed(s, state, result, err);
    a->made = true;
    return true;
}

/* Compares @m with the mapping of @o: in a job if the session is interactive and @m has more than
 * AGAINST_AT_ONCE forms, otherwise immediately. */
static struct against *against_new(struct session *s, struct machine *m, struct outline *o)
{
    static const struct task_ops ops = {NULL, against_work, against_publish, against_free,
                                        .failed = against_failed};
    struct against *a = mem_zero(1, sizeof *a);
    struct err none = {0};

    a->machine = machine_hold(m);
    a->inferred = machine_hold(o->machine);
    a->outline = o->serial;
    if (s->interactive && mapping_count(m->mapping) > AGAINST_AT_ONCE) {
        atomic_fetch_add(&a->holders, 1);
        a->job = task_start_aside(s, "comparison with the tables",
                                  &(struct task){&ops, .state = a}, &none);
    } else {
        a->made = against_work(a, NULL, &none);
    }
    return a;
}

static void drop(struct against **a)
{
    if (*a && (*a)->job)
        job_cancel((*a)->job);
    against_free(*a);
    *a = NULL;
}

static void tables_close(void *state)
{
    struct tables_view_state *v = state;

    table_done(&v->view.table);
    drop(&v->shown);
    drop(&v->next);
}

static size_t row_count(const void *context)
{
    const struct tables_view_state *v = context;
    return v->shown ? v->shown->diff->count : 0;
}

static double row_number(const void *context, size_t row, int column)
{
    return 0;
}

static void row_text(const void *context, size_t row, int column, struct str *out)
{
    const struct against *a = ((const struct tables_view_state *)context)->shown;
    const struct form_diff *f = &a->diff->forms[row];
    const struct ports *ports = mapping_ports(a->machine->mapping);
    const size_t before = out->length;
    bool alone = false;

    switch (column) {
    case COLUMN_FORM: str_add(out, f->a->form); return;
    case COLUMN_KIND: str_add(out, diff_kind_name(f->kind)); return;
    case COLUMN_INFERRED: usage_print(&f->b_usage, ports, out); break;
    default: usage_print(&f->a->usage, ports, out); break;
    }
    for (unsigned i = 0; column == COLUMN_INFERRED && i < f->b->usage.count; i++)
        for (unsigned p = 0; p < mapping_ports(a->inferred->mapping)->count; p++)
            alone |= f->b->usage.uops[i].ports >> p & 1 && a->diff->to_a[p] < 0;
    if (alone)
        str_add(out, out->length == before ? "others" : " and others");
    else if (out->length == before)
        str_add(out, "none");
}

/* Returns the machine to compare with: the current machine, or its base if it is an adopted
 * machine; NULL: none. */
static struct machine *tables_of(struct session *s)
{
    struct err none = {0};
    struct machine *m = session_current(s, &none);
    const char *base = m && strcmp(m->id, EVOLVED_MACHINE) == 0 ? machine_fact(m, "base") : NULL;

    return base ? session_machine(s, base, &none) : m;
}

/* Returns whether @a (may be NULL) compares @m with @o. */
static bool is_of(const struct against *a, const struct machine *m, const struct outline *o)
{
    return a && a->machine == m && a->outline == o->serial;
}

/* Updates the rows. Returns false if there is nothing to compare, or while the first comparison is
 * computed. The last comparison remains while the next comparison is computed. */
static bool refresh(void *state, struct session *s)
{
    struct tables_view_state *v = state;
    struct evolve_run *run = lab_log_is_newest(s) ? NULL : document_newest_run(&s->document);
    struct outline *o = run ? evolve_run_outline(run) : NULL;
    struct machine *m = o ? tables_of(s) : NULL;

    if (!m) {   /* Drops the comparison, which belongs to an earlier run. */
        drop(&v->shown);
        drop(&v->next);
        return false;
    }
    if (!is_of(v->shown, m, o) && !is_of(v->next, m, o) && !(v->next && v->next->job)) {
        drop(&v->next);
        v->next = against_new(s, m, o);
    }
    if (v->next && v->next->made) {
        drop(&v->shown);
        v->shown = v->next;
        v->next = NULL;
        table_view_changed(&v->view,
                           &(struct table_source){v->columns, COLUMNS, 0, row_count, row_number,
                                                  row_text, NULL, NULL, NULL, 0});
    }
    return v->shown != NULL;
}

static void tables_open(void *state)
{
    static const struct table_column columns[COLUMNS] = {{"form", 0, false, 0},
                                                         {"inferred", USAGE_COLUMNS, false, 0},
                                                         {"tables", USAGE_COLUMNS, false, 0},
                                                         {"kind", 8, false, 60}};
    struct tables_view_state *v = state;

    memcpy(v->columns, columns, sizeof columns);
    table_view_open(&v->view, "differences", refresh, NULL);
}

/* Draws the number of forms that agree, and the machine's port for each inferred port. Returns the
 * number of rows used. */
static unsigned draw_summary(const struct tables_view_state *v, struct grid *g)
{
    const struct against *a = v->shown;
    const struct ports *own = mapping_ports(a->machine->mapping),
                       *inferred = mapping_ports(a->inferred->mapping);
    struct str text = {0};

    str_addf(&text, "%s: %zu of %zu forms equal", a->machine->id, a->diff->kinds[DIFF_NONE],
             a->diff->shared);
    if (a->diff->only_b)
        str_addf(&text, ", %zu not in the machine's tables", a->diff->only_b);
    unsigned y = grid_wrap(g, 0, 0, g->width, 2, ROLE_TITLE, ATTR_BOLD, str_text(&text));
    str_clear(&text);
    str_add(&text, "matching ports (inferred=tables):");
    for (unsigned p = 0; p < inferred->count; p++)
        str_addf(&text, " %s=%s", inferred->names[p],
                 a->diff->to_a[p] < 0 ? "-" : own->names[a->diff->to_a[p]]);
    y += grid_wrap(g, 0, (int)y, g->width, 2, ROLE_DIM, 0, str_text(&text));
    str_done(&text);
    return y;
}

static void tables_draw(void *state, struct session *s, struct grid *g)
{
    struct tables_view_state *v = state;
    struct stage_view *log = lab_log_shown(s);

    if (log) {
        lab_log_draw_list(log, STAGE_DIFFERENCES, g, 0);
        free(log);
        return;
    }
    if (!refresh(v, s) && v->next) {
        grid_wrap(g, 2, g->height > 6, g->width > 4 ? g->width - 4 : 1, 3, ROLE_TEXT, 0,
                  v->next->job ? "The mapping is being compared with the tables."
                               : "This mapping was not compared with the tables; a newer mapping "
                                 "will be compared.");
        return;
    }
    if (!v->shown) {
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

const struct view_ops tables_view = {
    .name = "tables",
    .label = "Against the tables",
    .help = "differences of the best inferred mapping from the machine's tables",
    .act = table_view_act,
    .marks = "kind\tusage compared with the usage in the tables: narrower or wider (fewer or more "
             "ports), ports (other ports), fewer or more (µops), pipes (dividers)\n"
             "others\tports without a counterpart in the machine",
    .state_size = sizeof(struct tables_view_state),
    .open = tables_open,
    .close = tables_close,
    .draw = tables_draw,
    .live = lab_live,
    .form_at = table_view_form,
    TABLE_VIEW_OPS};
