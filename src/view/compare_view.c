/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compare view: cycles, bounds and ports of two loops with their differences, and their aligned
 * instructions */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/port_groups.h"
#include "base/mem.h"
#include "cmd/comparison.h"
#include "model/usage.h"
#include "view/view.h"

#define NAME 7               /* width of the row names at the left, in columns */
#define VALUES (BOUND_COUNT + 2)   /* number of values: cycles, bounds, and instructions */
#define VALUE_LEAST 8        /* minimum number of columns of a value */
#define VALUE_MOST 13
#define PORT 6               /* number of columns per port */
/* number of columns per port if there are many ports; values then have one decimal fewer */
#define PORT_NARROW 5
#define USAGE 16             /* number of columns of an instruction's port usage */
#define USAGE_WIDE 28
/* minimum number of columns for the text of an instruction; with fewer, its usage is omitted */
#define TEXT_LEAST 16
#define WIDE 150
/* minimum height of a screen that shows bounds, and of a screen that also shows ports */
#define VALUES_MIN 16
#define PORTS_MIN 22

struct compare_view_state {
    uint64_t shown;   /* serial number of the comparison; 0: none */
    size_t cursor, top, body;
};

/* Returns the comparison to show; NULL: none. Resets the cursor if the comparison is new. */
static const struct paired_loops *shown(struct compare_view_state *v, const struct session *s)
{
    const struct paired_loops *c = s->document.comparison;

    if (c && c->serial != v->shown) {
        v->shown = c->serial;
        v->cursor = v->top = 0;
    }
    return c;
}

static void draw_value(struct grid *g, int x, int y, unsigned width, double value, bool difference,
                       bool binds)
{
    if (isnan(value))
        grid_printf(g, x, y, width, ROLE_DIM, 0, "%*s", (int)width - 1, "-");
    else if (difference)
        grid_printf(g, x, y, width,
                    value < -0.005  ? ROLE_GOOD
                    : value > 0.005 ? ROLE_ERROR
                                    : ROLE_DIM,
                    0, "%+*.*f", (int)width - 1, width < PORT ? 1 : 2,
                    fabs(value) < 0.005 ? 0 : value);
    else
        grid_printf(g, x, y, width, binds ? ROLE_WARN : ROLE_TEXT, binds ? ATTR_BOLD : 0, "%*.*f",
                    (int)width - 1, width < PORT ? 1 : 2, value);
}

/* Draws A's value, B's value below it, and if both are exact (@exact) the difference. */
static void draw_column(const struct paired_loops *c, double a, double b, bool exact, bool binds_a,
                        bool binds_b, struct grid *g, int x, int y, unsigned width)
{
    a /= c->side[0].times;
    b /= c->side[1].times;
    draw_value(g, x, y, width, a, false, binds_a);
    draw_value(g, x, y + 1, width, b, false, binds_b);
    draw_value(g, x, y + 2, width, exact ? b - a : NAN, true, false);
}

static void draw_names(struct grid *g, int y, const char *heading)
{
    grid_fill(g, 0, y, g->width, 1, ROLE_HEADER, 0, ' ');
    grid_put(g, 0, y, NAME, ROLE_HEADER, 0, heading);
    grid_put(g, 0, y + 1, NAME, ROLE_TITLE, ATTR_BOLD, "A");
    grid_put(g, 0, y + 2, NAME, ROLE_TITLE, ATTR_BOLD, "B");
    grid_put(g, 0, y + 3, NAME, ROLE_DIM, 0, "B - A");
}

static int draw_bounds(const struct paired_loops *c, struct grid *g, int y)
{
    const struct analysis *a = c->side[0].analysis, *b = c->side[1].analysis;
    const unsigned room = g->width > NAME ? (g->width - NAME) / VALUES : 0,
                   width = room < VALUE_LEAST  ? VALUE_LEAST
                           : room < VALUE_MOST ? room
                                               : VALUE_MOST;
    int x = NAME;

    draw_names(g, y, "");
    for (int kind = -1; kind <= BOUND_COUNT; kind++, x += (int)width) {
        const bool bound = kind >= 0 && kind < BOUND_COUNT;
        const char *name = kind < 0 ? "cycles"
                           : bound  ? bound_name((enum bound_kind)kind)
                                    : "instrs";
        if (strlen(name) >= width)
            name = kind == BOUND_DEPENDENCIES ? "chains" : kind == BOUND_FRONTEND ? "front" : "div";
        grid_printf(g, x, y, width, ROLE_HEADER, 0, "%*s", (int)width - 1, name);
        draw_column(c,
                    kind < 0 ? a->cycles
                    : bound  ? a->bounds[kind]
                             : (double)a->count,
                    kind < 0 ? b->cycles
                    : bound  ? b->bounds[kind]
                             : (double)b->count,
                    kind == BOUND_COUNT || comparison_is_exact(c),
                    kind < 0 || (int)a->bottleneck == kind, kind < 0 || (int)b->bottleneck == kind,
                    g, x, y + 1, width);
    }
    return y + 4;
}

/* Draws the ports that either loop uses, if both loops are on the same machine. Returns the next
 * free row. */
static int draw_ports(const struct paired_loops *c, struct grid *g, int y)
{
    const struct analysis *a = c->side[0].analysis, *b = c->side[1].analysis;
    const struct ports *ports = &a->ports;
    unsigned used = 0, width;
    int x = NAME;

    if (strcmp(a->machine->id, b->machine->id) != 0)
        return y;
    for (unsigned j = 0; j < ports->count; j++)
        used += a->totals[j] >= 0.005 || b->totals[j] >= 0.005;
    width = NAME + used * PORT > g->width + 1 ? PORT_NARROW : PORT;
    draw_names(g, y, "ports");
    for (unsigned j = 0; j < ports->count; j++) {
        if (a->totals[j] < 0.005 && b->totals[j] < 0.005)
            continue;
        grid_printf(g, x, y, width, ROLE_HEADER, 0, "%*.*s", (int)width - 1, (int)width - 1,
                    ports->names[j]);
        draw_column(c, a->totals[j], b->totals[j], comparison_is_exact(c), false, false, g, x,
                    y + 1, width);
        x += (int)width;
    }
    return y + 4;
}

/* Draws the instruction of one side: its text and usage. */
static void draw_side(const struct analysis *a, uint32_t row, enum role role, struct grid *g, int x,
                      int y, unsigned width, unsigned usage_width)
{
    struct str text = {0};

    if (row == COMPARISON_NONE)
        return;
    const struct insn *insn = a->rows[row].insn;
    const char *from = insn_shown(insn);
    for (; *from; from++)
        if (*from != '\t' && !(*from == ' ' && text.length && text.data[text.length - 1] == ' '))
            str_add_char(&text, *from);
        else
            str_add_char(&text, ' ');
    if (width < usage_width + TEXT_LEAST) {
        grid_put(g, x, y, width, role, 0, str_text(&text));
        str_done(&text);
        return;
    }
    grid_put(g, x, y, width - usage_width - 1, role, 0, str_text(&text));
    str_clear(&text);
    port_groups_usage(&a->rows[row].usage, &a->ports, &text);
    grid_put(g, x + (int)(width - usage_width), y, usage_width - 1,
             role == ROLE_TEXT ? ROLE_DIM : role, 0,
             a->rows[row].flags & ROW_UNKNOWN ? "unknown"
             : text.length                    ? str_text(&text)
                                              : "-");
    str_done(&text);
}

static void draw_instructions(struct compare_view_state *v, const struct paired_loops *c,
                              struct grid *g, int y)
{
    static const struct { const char *mark; enum role role;
    } changes[] = {
        [COMPARISON_SAME] = {" ", ROLE_TEXT},
        [COMPARISON_CHANGED] = {"~", ROLE_WARN},
        [COMPARISON_ONLY_A] = {"-", ROLE_ERROR},
        [COMPARISON_ONLY_B] = {"+", ROLE_GOOD},
    };
    const unsigned usage = g->width >= WIDE ? USAGE_WIDE : USAGE, half = (g->width - 3) / 2;
    const int right = 2 + (int)half + 1;

    grid_fill(g, 0, y, g->width, 1, ROLE_HEADER, 0, ' ');
    grid_put(g, 2, y, half, ROLE_HEADER, 0, "A");
    grid_put(g, right, y, half, ROLE_HEADER, 0, "B");
    v->body = (int)g->height > y + 1 ? g->height - (unsigned)y - 1 : 1;
    view_place(&v->cursor, &v->top, v->body, c->rows.count);
    for (size_t r = 0; r < v->body && v->top + r < c->rows.count; r++) {
        const struct comparison_row *row = &c->rows.items[v->top + r];
        const bool cursor = v->top + r == v->cursor;
        const enum role role = cursor ? ROLE_CURSOR : changes[row->change].role;
        int line = y + 1 + (int)r;
        if (cursor)
            grid_fill(g, 0, line, g->width, 1, ROLE_CURSOR, 0, ' ');
        grid_put(g, 0, line, 1, role, ATTR_BOLD, changes[row->change].mark);
        draw_side(c->side[0].analysis, row->a, role, g, 2, line, half, usage);
        grid_put(g, right - 1, line, 1, cursor ? ROLE_CURSOR : ROLE_DIM, 0, "│");
        draw_side(c->side[1].analysis, row->b, role, g, right, line, half, usage);
    }
}

static void draw_empty(struct session *s, struct grid *g)
{
    view_draw_empty(s, &compare_view, g,
                    "Two loops compared by instruction: the current and the previous kernel, or "
                    "the current kernel on two machines.",
                    s->document.kernel ? "kernel compare" : "prompt kernel load",
                    s->document.kernel ? "compares" : "loads a loop");
}

static void compare_draw(void *state, struct session *s, struct grid *g)
{
    struct compare_view_state *v = state;
    const struct paired_loops *c = shown(v, s);
    int y = 0;

    if (!c) {
        draw_empty(s, g);
        return;
    }
    for (int i = 0; i < 2; i++, y++) {
        grid_printf(g, 0, y, 0, ROLE_TITLE, ATTR_BOLD, "%c  %s", 'A' + i, c->side[i].machine->id);
        unsigned used = (unsigned)strlen(c->side[i].machine->id) + 5;
        used += grid_put(g, (int)used, y, 0, ROLE_TEXT, 0, str_text(&c->side[i].name));
        if (c->side[i].times > 1)
            grid_printf(g, (int)used + 2, y, 0, ROLE_DIM, 0,
                        "%.0f iterations combined, all values per source iteration",
                        c->side[i].times);
    }
    const double a = comparison_cycles(c, 0), b = comparison_cycles(c, 1);
    struct str sentence = {0};
    comparison_say(c, false, &sentence);
    if (grid_columns(g, str_text(&sentence)) > g->width) {
        str_clear(&sentence);
        comparison_say(c, true, &sentence);
    }
    unsigned used = grid_put(g, 0, y, 0,
                             !comparison_is_exact(c) || c->unequal ? ROLE_WARN
                             : b < a - 0.005                       ? ROLE_GOOD
                             : b > a + 0.005                       ? ROLE_ERROR
                                                                   : ROLE_TEXT,
                             ATTR_BOLD, str_text(&sentence));
    str_done(&sentence);
    if (!comparison_is_current(c, s))
        grid_put(g, (int)used + 2, y, 0, ROLE_WARN, 0, "(before the last edit)");
    y++;
    if (g->height >= VALUES_MIN)
        y = draw_bounds(c, g, y);
    if (g->height >= PORTS_MIN)
        y = draw_ports(c, g, y);
    draw_instructions(v, c, g, y);
}

/* Returns the next row after @from at which a difference begins, or the previous such row if @step
 * is -1. Returns @from if there is none. */
static size_t next_change(const struct paired_loops *c, size_t from, int step)
{
    bool same = false;

    for (size_t at = from + (size_t)step; at < c->rows.count; at += (size_t)step) {
        same |= c->rows.items[at].change == COMPARISON_SAME;
        if ((same || c->rows.items[from].change == COMPARISON_SAME) &&
            c->rows.items[at].change != COMPARISON_SAME)
            return at;
    }
    return from;
}

static bool compare_act(void *state, struct session *s, enum action action, struct str *command)
{
    struct compare_view_state *v = state;
    const struct paired_loops *c = shown(v, s);

    if (!c || !c->rows.count)
        return false;
    long at = (long)v->cursor, page = v->body > 1 ? (long)v->body - 1 : 1,
         last = (long)c->rows.count - 1;
    if (action == ACTION_NEXT || action == ACTION_PREVIOUS)
        at = (long)next_change(c, v->cursor, action == ACTION_NEXT ? 1 : -1);
    else if (!view_row(action, &at, page, last))
        return false;
    v->cursor = at < 0 ? 0 : at < last ? (size_t)at : (size_t)last;
    return true;
}

static void compare_status(void *state, struct session *s, struct str *out)
{
    struct compare_view_state *v = state;
    const struct paired_loops *c = shown(v, s);
    size_t differ = 0;

    for (size_t i = 0; c && i < c->rows.count; i++)
        differ += c->rows.items[i].change != COMPARISON_SAME;
    if (c)
        str_addf(out, "%zu/%zu  %zu differ", c->rows.count ? v->cursor + 1 : 0, c->rows.count,
                 differ);
}

static bool compare_whole(void *state, struct session *s)
{
    return s->document.comparison != NULL;
}

const struct view_ops compare_view = {
    .whole = compare_whole,
    .name = "compare",
    .label = "Compare",
    .help = "two loops compared, aligned by instruction (A/B)",
    .act = compare_act,
    .marks = "marks\t~  the instructions differ in operands or form   - only in A   + only in B",
    .state_size = sizeof(struct compare_view_state),
    .draw = compare_draw,
    .status = compare_status};
