/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Faster view: versions of the last `kernel tune` with cycles before and after, instructions,
 * equality of results, and kind of verification */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "view/view.h"
#include "work/job.h"

/* Width in columns of each field, including a blank: cycles before and after, change, equality of
 * results, instructions, and verification. */
#define CYCLES 17
#define CHANGE 8
#define RESULTS 16
#define CODE 9
#define CHECKED 19
#define WHAT_LEAST 24

struct faster_state {
    struct result *found;      /* result with the versions (counted reference); NULL: none yet */
    uint64_t serial;           /* serial number of the kernel when @found was stored, and index of
                                * its loop */
    size_t loop;
    size_t cursor, top, body;
    int first_row; /* screen row of the first version at the last drawing */
};

static void faster_close(void *state)
{
    result_free(((struct faster_state *)state)->found);
}

/* Returns the table of versions of the loop in use; NULL: none yet. Takes the table from the
 * session's last result if that has one. */
static const struct result_table *versions(struct faster_state *v, const struct session *s)
{
    const struct kernel *k = s->document.kernel;

    if (s->last && s->last != v->found && result_find_table(s->last, "versions")) {
        result_free(v->found);
        v->found = result_hold(s->last);
        v->serial = k ? k->serial : 0;
        v->loop = s->document.loop;
        v->cursor = v->top = 0;
    }
    return v->found && k && k->serial == v->serial && s->document.loop == v->loop
               ? result_find_table(v->found, "versions")
               : NULL;
}

/* Returns whether kernel tune is running; *@out is its job. */
static bool searching(struct job_info *out)
{
    for (size_t i = 0; job_get(i, out); i++)
        if (out->state == JOB_RUNNING && strcmp(out->title, "kernel tune") == 0)
            return true;
    return false;
}

static bool measured(const struct result_table *t)
{
    return t && table_rows(t) && !isnan(result_cell_number(t, 0, "measured"));
}

/* First column of each field; 0: the field does not fit */
struct faster_columns {
    unsigned what; /* number of columns of the description of the change */
    int cycles, change, results, code, checked;
};

static struct faster_columns columns_of(unsigned width)
{
    static const unsigned widths[] = {CYCLES, CHANGE, RESULTS, CODE, CHECKED};
    struct faster_columns c = {.what = width > 2 ? width - 2 : 1};
    int *const at[] = {&c.cycles, &c.change, &c.results, &c.code, &c.checked};
    size_t count = 0;
    int x;

    while (count < sizeof widths / sizeof *widths && c.what >= WHAT_LEAST + widths[count])
        c.what -= widths[count++];
    x = 2 + (int)c.what;
    for (size_t i = 0; i < count; x += (int)widths[i++])
        *at[i] = x;
    return c;
}

static void draw_header(const struct faster_columns *c, bool by_measuring, struct grid *g, int y)
{
    grid_fill(g, 0, y, g->width, 1, ROLE_HEADER, 0, ' ');
    grid_put(g, 2, y, c->what, ROLE_HEADER, 0, "version");
    if (c->cycles)
        grid_put(g, c->cycles, y, CYCLES, ROLE_HEADER, 0,
                 by_measuring ? " measured cycles" : "predicted cycles");
    if (c->results)
        grid_put(g, c->results, y, RESULTS, ROLE_HEADER, 0, "results");
    if (c->code)
        grid_put(g, c->code, y, CODE, ROLE_HEADER, 0, "   insns");
    if (c->checked)
        grid_put(g, c->checked, y, CHECKED, ROLE_HEADER, 0, "checked");
}

static void draw_row(const struct result_table *t, size_t row, bool by_measuring, bool cursor,
                     const struct faster_columns *c, struct grid *g, int y)
{
    const char *const column = by_measuring ? "measured" : "simulated";
    const double before = result_cell_number(t, 0, column),
                 after = result_cell_number(t, row, column),
                 change = result_cell_number(t, row, by_measuring ? "measured_gain" : "gain"),
                 times = result_cell_number(t, row, "at_once");
    const bool gains = change < 0;
    const enum role role = cursor                              ? ROLE_CURSOR
                           : *result_cell_text(t, row, "mark") ? ROLE_GOOD
                           : row && !gains                     ? ROLE_DIM
                                                               : ROLE_TEXT;

    if (cursor)
        grid_fill(g, 0, y, g->width, 1, role, 0, ' ');
    grid_put(g, 0, y, 1, role, ATTR_BOLD, result_cell_text(t, row, "mark"));
    grid_put_ends(g, 2, y, c->what - 1, role, 0, result_cell_text(t, row, "rewrite"));
    if (c->cycles && isnan(after))
        grid_put(g, c->cycles, y, CYCLES, role, 0, "               -");
    else if (c->cycles && !row)
        grid_printf(g, c->cycles, y, CYCLES, role, 0, "%15.2f", after);
    else if (c->cycles)
        grid_printf(g, c->cycles, y, CYCLES, role, 0, "%6.2f %s %6.2f", before,
                    g->ascii ? "->" : "\342\206\222", after);
    if (c->change && !isnan(change))
        grid_printf(g, c->change, y, CHANGE, role, 0, "%+4.0f %%", change);
    if (c->results && row)
        grid_put(g, c->results, y, RESULTS, role, 0, result_cell_text(t, row, "results"));
    if (c->code && times > 1)
        grid_printf(g, c->code, y, CODE, role, 0, "%4.0f/%.0f",
                    result_cell_number(t, row, "instructions"), times);
    else if (c->code)
        grid_printf(g, c->code, y, CODE, role, 0, "%4.0f",
                    result_cell_number(t, row, "instructions"));
    if (c->checked)
        grid_put(g, c->checked, y, CHECKED, cursor ? role : ROLE_DIM, 0,
                 result_cell_text(t, row, "checked"));
}

static void faster_draw(void *state, struct session *s, struct grid *g)
{
    struct faster_state *v = state;
    const struct result_table *t = versions(v, s);
    struct job_info job;
    int y = 0;

    if (searching(&job))
        y += (int)grid_printf(g, 0, 0, 0, ROLE_WARN, 0, "searching: %s  (Esc cancels)", job.note) >
             0;
    else if (!t) {
        view_draw_empty(s, &faster_view, g,
                        "Unrolled, reordered and rewritten versions of the loop, tested on random "
                        "inputs. Other builds are compiled without this test. The best are "
                        "measured.",
                        s->document.kernel ? "kernel tune" : "prompt kernel load",
                        s->document.kernel ? "searches for faster versions" : "loads a loop");
        return;
    }
    if (!t)
        return;
    if (!y)
        y += (int)grid_wrap(g, 0, 0, g->width, 3, ROLE_GOOD, 0,
                            result_find_text(v->found, "sentence"));
    v->first_row = y + 1;
    const bool by_measuring = measured(t);
    const size_t count = table_rows(t);
    const struct faster_columns columns = columns_of(g->width);
    draw_header(&columns, by_measuring, g, y);
    v->body = (int)g->height > y + 1 ? g->height - (unsigned)y - 1 : 1;
    view_place(&v->cursor, &v->top, v->body, count);
    for (size_t r = 0; r < v->body && v->top + r < count; r++)
        draw_row(t, v->top + r, by_measuring, v->top + r == v->cursor, &columns, g, ++y);
}

static unsigned faster_wants(void *state, struct session *s, unsigned width, bool other_panes)
{
    const struct result_table *t = versions(state, s);

    return t ? (unsigned)table_rows(t) + 3 : 6;
}

static bool faster_act(void *state, struct session *s, enum action action, struct str *command)
{
    struct faster_state *v = state;
    const struct result_table *t = versions(v, s);
    const size_t count = t ? table_rows(t) : 0;
    long at = (long)v->cursor;

    if (action == ACTION_OPEN) {
        str_add(command, t ? "kernel compare" : "kernel tune");
        return true;
    }
    if (!view_row(action, &at, (long)(v->body ? v->body : 1), count ? (long)count - 1 : 0))
        return false;
    v->cursor = at < 0 || !count ? 0 : (size_t)at < count ? (size_t)at : count - 1;
    return true;
}

static void faster_click(void *state, struct session *s, int x, int y)
{
    struct faster_state *v = state;

    /* May set the cursor after the last row, because drawing limits the cursor. */
    v->cursor = y >= v->first_row ? v->top + (size_t)(y - v->first_row) : v->cursor;
}

static bool faster_live(void *state, struct session *s)
{
    struct job_info job;

    return searching(&job);
}

static void faster_status(void *state, struct session *s, struct str *out)
{
    struct faster_state *v = state;
    const struct result_table *t = versions(v, s);

    if (t)
        str_addf(out, "%zu/%zu", v->cursor + 1, table_rows(t));
}

const struct view_ops faster_view = {.name = "faster",
                                     .label = "Faster?",
                                     .help = "faster versions of the loop, checked and measured",
                                     .act = faster_act,
                                     .state_size = sizeof(struct faster_state),
                                     .marks = "*\tthe fastest version, which is the current kernel",
                                     .close = faster_close,
                                     .draw = faster_draw,
                                     .wants = faster_wants,
                                     .click = faster_click,
                                     .live = faster_live,
                                     .status = faster_status};
