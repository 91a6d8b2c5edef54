/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/recipe.h"
#include "base/mem.h"
#include "cmd/analyses.h"
#include "cmd/loading.h"
#include "report/blame.h"
#include "view/kernel_compare.h"
#include "view/port_columns.h"
#include "view/reasons.h"

struct kernel_view_state {
    size_t cursor, top;     /* selected row, and first visible row */
    size_t body;            /* number of rows visible in the last drawing */
    unsigned left;          /* first visible group of ports */
    portset opened;         /* ports whose groups are expanded to one column per port */
    /* Cached for analysis @grouped at session revision @revision, because computing the groups
     * takes time. */
    struct port_groups groups;
    const struct analysis *grouped;
    portset grouped_opened;
    unsigned long revision;
    int first_row;          /* screen row of the first instruction at the last drawing */
    bool compare;           /* whether columns are machines instead of ports */
    bool cut;               /* whether the instruction under the cursor is truncated */
    char match[128];        /* text of the search, whose rows are marked */
    uint64_t kernel;               /* serial number of the kernel to which the cursor belongs */
    size_t loop;                   /* index of the loop to which the cursor belongs */
};

#define CELL 5           /* minimum number of columns per group of ports */
#define TEXT_MIN 24      /* minimum number of columns of the instruction */
/* number of columns of the instruction if the source is next to it */
#define TEXT_COLUMNS 44
#define SOURCE_MIN 20    /* minimum number of columns of the source next to the instructions */
#define GUTTER_EDGES 1000 /* maximum number of edges of the selected instruction in the gutter */
#define SENTENCE_ROWS 8  /* maximum number of rows of each of the two sentences of advice */
#define ROWS_LEAST 7     /* number of rows of title, headings, one instruction and the port load */
#define LEGEND 26        /* number of columns of the heat legend */

static void draw_empty(struct session *s, struct grid *g)
{
    view_draw_empty(s, &kernel_view, g,
                    "Paste a loop here: unchanged output of a compiler, Compiler Explorer, "
                    "objdump, gdb, perf, MASM, NASM or another tool.",
                    "prompt kernel load",
                    "loads assembler text, a listing, C, an object or a program");
}

/* Draws the reason why there is no machine. If there is one, draws the message of an empty view. */
static void draw_no_machine(struct session *s, struct grid *g)
{
    struct err err = {0};
    char text[512];

    if (session_current(s, &err))
        draw_empty(s, g);
    else
        grid_wrap(g, 2, 1, g->width > 4 ? g->width - 4 : 1, SENTENCE_ROWS, ROLE_ERROR, 0,
                  err_text(&err, text, sizeof text));
}

static const struct port_groups *groups_of(struct kernel_view_state *v, const struct analysis *a)
{
    if (v->grouped != a || v->grouped_opened != v->opened)
        port_groups_of(a, v->opened, &v->groups);
    v->grouped = a;
    v->grouped_opened = v->opened;
    return &v->groups;
}

static struct port_columns columns_for(struct kernel_view_state *v, const struct analysis *a,
                                       unsigned *left, unsigned width)
{
    struct port_columns columns;

    port_columns_lay(a, groups_of(v, a), left, width > TEXT_MIN + 5 ? width - TEXT_MIN - 5 : 0,
                     &columns);
    return columns;
}

/* number of columns of the measured and the modelled cost of an instruction */
#define COSTS 14

#define SAMPLES 8        /* number of columns of the profile samples of an instruction */

/* Returns whether there are samples and enough columns for them. */
static bool profiled(const struct kernel *k, const struct grid *g)
{
    return k->percent_count && g->width >= TEXT_MIN + 5 + SAMPLES + 2 * CELL;
}

static void draw_percent(double percent, struct grid *g, int x, int y, bool cursor)
{
    if (!isnan(percent))
        grid_printf(g, x, y, SAMPLES - 1,
                    cursor           ? ROLE_CURSOR
                    : percent >= 0.5 ? heat_role(percent / 100)
                                     : ROLE_DIM,
                    0, "%6.2f%%", percent);
}

/* Returns the result of kernel blame for this loop; NULL if there is none or too few columns. */
static const struct blame *blame_shown(const struct session *s, const struct analysis *a,
                                       const struct grid *g)
{
    const struct blame *b = s->document.blame;
    return b && b->count == a->count && g->width >= TEXT_MIN + 5 + COSTS + 2 * CELL ? b : NULL;
}

static void draw_cost(struct grid *g, int x, int y, double cycles, enum role role)
{
    if (isnan(cycles))
        grid_put(g, x, y, 7, role, 0, "     - ");
    else
        grid_printf(g, x, y, 7, role, 0, "%6.2f ", fabs(cycles) < 0.005 ? 0 : cycles);
}

/* Draws measured and modelled cost left of the instruction. Marks the instruction that the sentence
 * names. */
static void draw_costs(const struct blame *b, const struct analysis *a, size_t row, bool cursor,
                       struct grid *g, int x, int y)
{
    const struct blame_cost *cost = &b->rows[row].out;
    bool same = strcmp(b->machine, a->machine->id) == 0;
    double differs = same ? fabs(cost->here - cost->model) : NAN;
    enum role role = row == b->worst && same                                         ? ROLE_ERROR
                     : differs > cost->error && differs > BLAME_AGREES * b->measured ? ROLE_WARN
                     : cursor                                                        ? ROLE_CURSOR
                                                                                     : ROLE_TEXT;

    draw_cost(g, x, y, cost->here, role);
    draw_cost(g, x + 7, y, same ? cost->model : NAN, cursor ? ROLE_CURSOR : ROLE_DIM);
}

static bool holds(const struct insn *insn, const char *text)
{
    return (insn->text && strcasestr(insn->text, text)) || strcasestr(insn->form, text);
}

/* Gutter (the columns with marks of dependences) of all rows, computed once per drawing */
struct gutter {
    size_t first, last;                       /* first and last row of the chain; first > last: no
                                               * chain */
    const struct analysis_edge **edges;       /* edges to or from the selected row */
    size_t count;
};

static struct gutter gutter_of(const struct analysis *a, size_t cursor)
{
    struct gutter found = {.first = a->count,
                           .edges = mem_alloc((GUTTER_EDGES + 1) * sizeof(struct analysis_edge *))};

    for (size_t i = 0; i < a->count; i++)
        if (a->rows[i].flags & ROW_CHAIN) {
            found.first = found.first == a->count ? i : found.first;
            found.last = i;
        }
    for (size_t i = 0; i < a->edge_count && found.count < GUTTER_EDGES; i++)
        if (a->edges[i].from == cursor || a->edges[i].to == cursor)
            found.edges[found.count++] = &a->edges[i];
    return found;
}

/* Draws the gutter: the limiting chain as a bracket, and the inputs and users of the selected
 * instruction. */
static void draw_gutter(const struct analysis *a, const struct gutter *gutter, size_t row,
                        size_t cursor, struct grid *g, int x, int y)
{
    bool feeds = false, uses = false, on = a->rows[row].flags & ROW_CHAIN;

    if (row >= gutter->first && row <= gutter->last)
        grid_put(g, x, y, 1, on ? ROLE_WARN : ROLE_DIM, on ? ATTR_BOLD : 0,
                 gutter->first == gutter->last ? "*"
                 : row == gutter->first        ? "┌"
                 : row == gutter->last         ? "└"
                 : on                          ? "├"
                                               : "│");
    for (size_t i = 0; i < gutter->count; i++) {
        feeds |= gutter->edges[i]->from == row && gutter->edges[i]->to == cursor;
        uses |= gutter->edges[i]->from == cursor && gutter->edges[i]->to == row;
    }
    if (feeds || uses)
        grid_put(g, x + 1, y, 1, ROLE_ACCENT, ATTR_BOLD,
                 feeds && uses ? "↔" : feeds ? "→" : "←");
}

/* Draws the source line of row @i unless it equals that of the previous row. */
static void draw_source(const struct kernel *k, const struct analysis *a, size_t i, bool first,
                        struct grid *g, int x, int y, enum role role)
{
    struct str note = {0};

    if (kernel_source_note(k, a->rows[i].insn, first ? NULL : a->rows[i - 1].insn, &note))
        grid_put(g, x, y, 0, role, 0, str_text(&note));
    str_done(&note);
}

/* Draws the full text of the row's instruction on a separate row. */
static void draw_whole(const struct analysis *a, size_t row, struct grid *g, int y)
{
    struct str text = {0};

    kernel_row_tidy(a->rows[row].insn->text ? a->rows[row].insn->text : a->rows[row].insn->mnemonic,
                    &text);
    grid_put(g, 0, y, 0, ROLE_DIM, 0, str_text(&text));
    str_done(&text);
}

static void draw_table(struct kernel_view_state *v, const struct kernel *k,
                       const struct analysis *a, const struct blame *blame, struct grid *g, int y,
                       unsigned rows)
{
    const bool samples = profiled(k, g);
    const unsigned other_columns = (blame ? COSTS : 0) + (samples ? SAMPLES : 0);
    const unsigned places = a->count ? insn_place_width(a->rows[0].insn, a->count) : 4;
    const int first_x = (int)places + 1;
    const struct port_columns columns =
        columns_for(v, a, &v->left,
                    g->width - other_columns -
                        (places - 4 < g->width - other_columns ? places - 4 : 0));
    const int costs_x = first_x + (int)columns.width, samples_x = costs_x + (blame ? COSTS : 0),
              text_x = costs_x + (int)other_columns + 1;

    grid_fill(g, 0, y, g->width, 1 + columns.headed, ROLE_HEADER, 0, ' ');
    port_columns_head(&columns, a, &a->rows[v->cursor], g, first_x, y);
    y += columns.headed;
    rows -= columns.headed;
    v->first_row = y + 1;
    grid_put(g, 0, y, places + 1, ROLE_HEADER, 0,
             a->count ? insn_place_title(a->rows[0].insn) : "line");
    if (blame)
        grid_put(g, costs_x, y, COSTS, ROLE_HEADER, 0, "  here  model");
    if (samples)
        grid_put(g, samples_x + 1, y, SAMPLES - 1, ROLE_HEADER, 0, "samples");
    unsigned used = grid_put(g, text_x + 3, y, 0, ROLE_HEADER, 0, "instruction");
    bool with_source =
        kernel_has_source(k) && text_x + 3 + TEXT_COLUMNS + SOURCE_MIN <= (int)g->width;
    if (with_source)
        grid_put(g, text_x + 3 + TEXT_COLUMNS, y, 0, ROLE_HEADER, 0, "source");
    port_columns_hidden(&columns, g, text_x + 5 + (int)used, y);
    struct gutter gutter = gutter_of(a, v->cursor);
    for (unsigned r = 0; r + 2 < rows && v->top + r < a->count; r++) {
        size_t i = v->top + r;
        bool cursor = i == v->cursor;
        enum role role = cursor                                            ? ROLE_CURSOR
                         : v->match[0] && holds(a->rows[i].insn, v->match) ? ROLE_MATCH
                         : a->rows[i].flags & ROW_UNKNOWN                  ? ROLE_ERROR
                                                                           : ROLE_TEXT;
        struct str text = {0};
        char number[PLACE_TEXT];
        int line = y + 1 + (int)r;
        if (cursor)
            grid_fill(g, 0, line, g->width, 1, ROLE_CURSOR, 0, ' ');
        grid_printf(g, 0, line, places + 1, role, 0, "%*s", (int)places,
                    insn_place_text(a->rows[i].insn, number));
        port_columns_load(&columns, a, i, cursor, g, first_x, line);
        if (blame)
            draw_costs(blame, a, i, cursor, g, costs_x, line);
        if (samples)
            draw_percent(kernel_percent(k, a->rows[i].insn), g, samples_x + 1, line, cursor);
        kernel_row_tidy(a->rows[i].insn->text ? a->rows[i].insn->text : a->rows[i].insn->mnemonic,
                        &text);
        draw_gutter(a, &gutter, i, v->cursor, g, text_x - 1, line);
        grid_put(g, text_x + 1, line, 0, role, 0, kernel_row_mark(&a->rows[i]));
        grid_put(g, text_x + 3, line, with_source ? TEXT_COLUMNS - 1 : 0, role, 0, str_text(&text));
        if (cursor)
            v->cut = grid_columns(g, str_text(&text)) >
                     (with_source ? TEXT_COLUMNS - 1 : g->width - (unsigned)text_x - 3);
        if (with_source)
            draw_source(k, a, i, r == 0, g, text_x + 3 + TEXT_COLUMNS, line,
                        cursor ? ROLE_CURSOR : ROLE_DIM);
        str_done(&text);
    }
    free(gutter.edges);
    unsigned body = rows > 2 ? rows - 2 : 0;
    int last = y + 1 + (int)(a->count - v->top < body ? a->count - v->top : body);
    grid_put(g, 0, last, places + 1, ROLE_TITLE, ATTR_BOLD, "busy");
    port_columns_busy(&columns, a, g, first_x, last);
    if (text_x + 3 + LEGEND > (int)g->width)
        return;
    grid_put(g, text_x + 3, last, 0, ROLE_DIM, 0, "idle");
    for (int level = 0; level < 12; level++)
        grid_heat_legend(g, text_x + 8 + level, last, level / 11.0);
    grid_put(g, text_x + 21, last, 0, ROLE_DIM, 0, "full");
}

/* Draws the machine, the cycles and their limit, and the description of the loop. */
static void draw_title(const struct session *s, const struct analysis *a, struct grid *g)
{
    const struct kernel *k = s->document.kernel;
    struct str cycles = {0};

    str_addf(&cycles, "  %s%.2f cycles, %s", cycles_words(a->lower_bound, a->estimate), a->cycles,
             bound_name(a->bottleneck));
    /* Draws the id instead of a long title, to keep the cycles visible. */
    bool roomy = g->width >= 70 && grid_columns(g, a->machine->title) + cycles.length <= g->width;
    unsigned used =
        grid_put(g, 0, 0, 0, ROLE_TITLE, ATTR_BOLD, roomy ? a->machine->title : a->machine->id);
    used += grid_put(g, (int)used, 0, 0, ROLE_WARN, ATTR_BOLD, str_text(&cycles));
    str_done(&cycles);
    grid_put(g, (int)used + 2, 0, 0, ROLE_DIM, 0, k->loops[s->document.loop].why);
}

/* Draws the parts below the table, from row @y: the selected instruction, advice, bounds and
 * machines. Omits later parts on a low screen. */
static void draw_panels(struct kernel_view_state *v, struct session *s, struct analysis *const *a,
                        size_t n, const struct str *why, struct grid *g, int y, bool roomy)
{
    const struct analysis *current = a[s->document.in_view];
    int end = (int)g->height;

    reasons_detail(current, v->cursor, g, y++);
    if (end - y < 2) {
        grid_put(g, 0, y, 0, ROLE_TEXT, 0, current->sentence);
        return;
    }
    unsigned room = (unsigned)(end - y), machines = n < 4 ? (unsigned)n : 4;
    y += (int)grid_wrap(g, 0, y, g->width, room, ROLE_GOOD, 0, current->sentence);
    if (why->length && end - y > 0)
        y += (int)grid_wrap(g, 0, y, g->width, (unsigned)(end - y), ROLE_WARN, 0, str_text(why));
    if (roomy) {
        unsigned half = g->width / 2 > 42 ? 42 : g->width / 2;
        reasons_bounds(current, session_simulation(s, s->document.in_view),
                       s->document.kernel_measured, g, 0, y + 1, half > 40 ? 40 : half);
        reasons_machines(a, n, s->document.in_view, g, (int)half, y + 1, end);
        return;
    }
    if (end - y > (int)machines)
        y += reasons_bounds_short(current, session_simulation(s, s->document.in_view),
                                  s->document.kernel_measured, g, y,
                                  end - y > (int)machines + 1 ? 2 : 1);
    reasons_machines(a, n, s->document.in_view, g, 0, y, end);
}

/* Division of the rows between the table and the parts below it */
struct layout {
    unsigned rows;       /* number of rows of headings, instructions and sum */
    bool roomy;          /* whether each bound has its own row */
};

static struct layout lay_out(const struct session *s, const struct analysis *current, size_t n,
                             const struct str *why, const struct grid *g)
{
    const unsigned sentence_rows = reasons_rows(g, current->sentence, SENTENCE_ROWS) +
                                   reasons_rows(g, str_text(why), SENTENCE_ROWS);
    const unsigned beyond = !isnan(s->document.kernel_measured),
                   full = BOUND_COUNT + 4 + beyond + (sentence_rows > 1 ? sentence_rows : 1);
    /* On a low screen instructions have precedence over bounds. */
    bool roomy = g->height >= 30 || (g->height >= 20 && current->count + 5 + full <= g->height);
    unsigned panel = roomy             ? full
                     : g->height >= 14 ? 2 + sentence_rows + (unsigned)(n < 4 ? n : 4)
                                       : 1;
    /* The sentences have precedence, then code and source line, then bounds and machines. */
    const unsigned least = 1 + sentence_rows,
                   table = (unsigned)current->count + 5 + kernel_has_source(s->document.kernel);
    if (!roomy && panel > least && table + panel > g->height)
        panel = table + least < g->height ? g->height - table : least;
    if (panel + ROWS_LEAST > g->height)
        panel = g->height - ROWS_LEAST;
    return (struct layout){g->height - panel - 2, roomy};
}

/* Returns whether a group of ports has a heading for its purpose, which needs a row. */
static unsigned columns_headed(struct kernel_view_state *v, const struct analysis *a,
                               const struct grid *g)
{
    unsigned left = v->left;

    return columns_for(v, a, &left, g->width).headed;
}

/* Draws title and table. Returns the row below. Leaves one row for the source line or for a
 * truncated instruction. */
static int draw_loop(struct kernel_view_state *v, struct session *s, const struct analysis *current,
                     unsigned rows, struct grid *g)
{
    const unsigned headings = 2 + columns_headed(v, current, g);
    v->body = rows > headings ? rows - headings : 1;
    view_place(&v->cursor, &v->top, v->body, current->count);
    draw_title(s, current, g);
    draw_table(v, s->document.kernel, current, blame_shown(s, current, g), g, 1, rows);
    /* After a short table, the next part follows directly. */
    int y = 1 + (int)(current->count + headings < rows ? current->count + headings + 1 : rows);
    if (current->count + headings >= rows)
        return y;
    if (kernel_has_source(s->document.kernel))
        draw_source(s->document.kernel, current, v->cursor, true, g, 0, y - 1, ROLE_DIM);
    else if (v->cut)
        draw_whole(current, v->cursor, g, y - 1);
    return y;
}

static void draw_analysis(struct kernel_view_state *v, struct session *s, struct analysis *const *a,
                          size_t n, struct grid *g)
{
    const struct analysis *current = a[s->document.in_view];
    struct str why = {0};

    reasons_explain(s, current, &why);
    const struct layout layout = lay_out(s, current, n, &why, g);
    int y = draw_loop(v, s, current, layout.rows, g);
    draw_panels(v, s, a, n, &why, g, y, layout.roomy);
    str_done(&why);
}

/* Takes loop and cursor from the session. For a new kernel, moves the cursor to the first row. */
static void adopt(struct kernel_view_state *v, struct session *s)
{
    const uint64_t kernel = s->document.kernel ? s->document.kernel->serial : 0;

    if (v->kernel != kernel) {
        v->kernel = kernel;
        v->top = 0;
        s->document.row = 0;
    }
    v->loop = s->document.loop;
    v->cursor = s->document.row;
    if (v->revision != s->revision)
        v->grouped = NULL;
    v->revision = s->revision;
}

/* Explains why a loop has no analysis although there are machines: the analysis was cancelled, or
 * there was not enough memory or no thread. */
static void draw_not_analyzed(struct grid *g)
{
    grid_put(g, 2, 1, 0, ROLE_TITLE, 0, "The loop has not been analysed.");
    grid_wrap(g, 2, 2, g->width > 4 ? g->width - 4 : 1, 4, ROLE_TEXT, 0,
              "The analysis was cancelled, or memory ran out. The next command that changes the "
              "loop or the machines starts the analysis again.");
}

/* Returns the analyses to show. Without any, draws a message on @g (may be NULL) and returns
 * NULL. */
static struct analysis *const *shown(struct session *s, size_t *n, struct grid *g)
{
    struct analysis *const *a = session_analyses(s, n);

    if (session_analysing(s)) {
        if (g)
            grid_put(g, 2, 1, 0, ROLE_TITLE, 0, "The loop is being analysed.");
        return NULL;
    }
    if (!s->document.kernel || !*n) {
        if (g && s->document.kernel && s->document.analyses->count)
            draw_not_analyzed(g);
        else if (g && s->document.kernel)
            draw_no_machine(s, g);
        else if (g)
            draw_empty(s, g);
        return NULL;
    }
    s->document.in_view = s->document.in_view < *n ? s->document.in_view : 0;
    if (a[s->document.in_view]->count)
        return a;
    if (g)
        grid_put(g, 2, 1, 0, ROLE_TEXT, 0, "This loop has no instructions.");
    return NULL;
}

/* Does the same as shown(), and moves the cursor to the selected row. */
static struct analysis *const *drawn(struct kernel_view_state *v, struct session *s, size_t *n,
                                     struct grid *g)
{
    struct analysis *const *a = shown(s, n, g);

    if (a)
        adopt(v, s);
    return a;
}

static void kernel_draw(void *state, struct session *s, struct grid *g)
{
    struct kernel_view_state *v = state;
    size_t n;
    struct analysis *const *a = drawn(v, s, &n, g);

    if (!a)
        return;
    if (v->compare)
        kernel_compare_draw(s, a, n, g, &(struct kernel_rows){&v->cursor, &v->top, &v->body});
    else
        draw_analysis(v, s, a, n, g);
    s->document.row = v->cursor;
}

/* Draws only title, table and the selected instruction. The reasons view draws the other parts. */
static void kernel_draw_with_panes(void *state, struct session *s, struct grid *g)
{
    struct kernel_view_state *v = state;
    size_t n;
    struct analysis *const *a = drawn(v, s, &n, g);

    if (!a)
        return;
    int y = draw_loop(v, s, a[s->document.in_view],
                      g->height > ROWS_LEAST ? g->height - 2 : ROWS_LEAST, g);
    reasons_detail(a[s->document.in_view], v->cursor, g, y);
    s->document.row = v->cursor;
}

/* Returns the number of rows of title, table and the parts below. If other panes are displayed,
 * returns only the rows of title and table, because the reasons view has the other parts. */
static unsigned kernel_wants(void *state, struct session *s, unsigned width, bool other_panes)
{
    size_t n;
    struct analysis *const *a = shown(s, &n, NULL);
    struct str why = {0};
    struct grid scratch = {.width = width, .height = 1};

    if (!a)
        return 1;
    const struct analysis *current = a[s->document.in_view];
    unsigned rows = (unsigned)current->count + 5;
    reasons_explain(s, current, &why);
    if (!other_panes)
        rows += reasons_rows(&scratch, current->sentence, SENTENCE_ROWS) +
                reasons_rows(&scratch, str_text(&why), SENTENCE_ROWS) + BOUND_COUNT + 4 +
                !isnan(s->document.kernel_measured);
    str_done(&why);
    return rows;
}

static void move_to(struct kernel_view_state *v, struct session *s, long row)
{
    size_t count = 0;
    if (s->document.kernel)
        kernel_insns(s->document.kernel, s->document.loop, &count);
    v->cursor = row < 0 || !count ? 0 : (size_t)row < count ? (size_t)row : count - 1;
    s->document.row = v->cursor;
}

static void kernel_click(void *state, struct session *s, int x, int y)
{
    struct kernel_view_state *v = state;
    adopt(v, s);
    if (y >= v->first_row && (size_t)(y - v->first_row) < v->body)
        move_to(v, s, (long)v->top + y - v->first_row);
}

static bool kernel_find(void *state, struct session *s, const char *text, int direction)
{
    struct kernel_view_state *v = state;
    size_t count;

    adopt(v, s);
    if (!s->document.kernel)
        return false;
    const struct insn *insns = kernel_insns(s->document.kernel, s->document.loop, &count);
    snprintf(v->match, sizeof v->match, "%s", text);
    for (size_t step = 1; *text && step <= count; step++) {
        size_t at = direction > 0 ? (v->cursor + step) % count : (v->cursor + count - step) % count;
        if (holds(&insns[at], text)) {
            v->cursor = s->document.row = at;
            return true;
        }
    }
    return false;
}

static bool kernel_form(void *state, struct session *s, struct str *out)
{
    struct kernel_view_state *v = state;
    size_t count = 0;

    adopt(v, s);
    const struct insn *insns =
        s->document.kernel ? kernel_insns(s->document.kernel, s->document.loop, &count) : NULL;
    if (v->cursor >= count || !*insns[v->cursor].form)
        return false;
    str_add(out, insns[v->cursor].form);
    return true;
}

static bool kernel_mark(void *state, struct session *s, struct str *out)
{
    const struct kernel_view_state *v = state;

    str_addf(out, "%zu", v->cursor);
    return s->document.kernel != NULL;
}

/* Selects an instruction by its index, or the next instruction of a form. Returns false if there is
 * none. */
static bool kernel_recall(void *state, struct session *s, const char *mark)
{
    struct kernel_view_state *v = state;
    size_t count = 0;
    char *end;

    adopt(v, s);
    const struct insn *insns =
        s->document.kernel ? kernel_insns(s->document.kernel, s->document.loop, &count) : NULL;
    const size_t number = strtoul(mark, &end, 10);
    if (end != mark && !*end) {
        move_to(v, s, (long)number);
        return number < count;
    }
    for (size_t step = 1; step <= count; step++)
        if (strcmp(insns[(v->cursor + step) % count].form, mark) == 0) {
            move_to(v, s, (long)((v->cursor + step) % count));
            return true;
        }
    return false;
}

static void kernel_status(void *state, struct session *s, struct str *out)
{
    struct kernel_view_state *v = state;
    size_t count;

    if (!s->document.kernel)
        return;
    kernel_insns(s->document.kernel, s->document.loop, &count);
    str_addf(out, "%zu/%zu", count ? v->cursor + 1 : 0, count);
    if (s->document.kernel->loop_count > 1)
        str_addf(out, "  loop %zu/%zu", s->document.loop + 1, s->document.kernel->loop_count);
    if (s->document.shelf.list.count > 1)
        str_addf(out, "  kernel %zu/%zu", s->document.shelf.at + 1, s->document.shelf.list.count);
    kernel_tell_left_out(s->document.kernel, s->document.kernel->refused_count, "  ", out);
}

/* Opens the editor at the selected line, or at its source line if there is one. */
static void edit(const struct kernel_view_state *v, const struct session *s, struct str *command)
{
    const struct kernel *k = s->document.kernel;
    size_t count = 0;
    const struct insn *insns = k ? kernel_insns(k, s->document.loop, &count) : NULL;
    uint32_t line = v->cursor >= count ? 0
                    : k->recipe && k->recipe->source
                        ? kernel_source_line(k, &insns[v->cursor], NULL)
                        : insns[v->cursor].line;

    str_add(command, "kernel edit");
    if (line)
        str_addf(command, " --line %u", line);
}

/* Expands the groups of ports that the selected instruction uses, or collapses all groups. */
static void open_groups(struct kernel_view_state *v, struct session *s)
{
    size_t n;
    struct analysis *const *a = shown(s, &n, NULL);
    const struct analysis *current = a ? a[s->document.in_view] : NULL;

    if (v->opened || !current || v->cursor >= current->count) {
        v->opened = 0;
        return;
    }
    for (unsigned j = 0; j < mapping_ports(current->machine->mapping)->count; j++)
        v->opened |= current->rows[v->cursor].pressure[j] > 0 ? (portset)1 << j : 0;
}

static bool kernel_act(void *state, struct session *s, enum action action, struct str *command)
{
    struct kernel_view_state *v = state;
    long at;

    adopt(v, s);
    at = (long)v->cursor;
    switch (action) {
    case ACTION_BACK:
        if (!v->compare)
            return false;
        v->compare = false;
        return true;
    case ACTION_SIDE_BY_SIDE: v->compare = !v->compare; return true;
    case ACTION_RIGHT: v->left++; return true;
    case ACTION_LEFT: v->left -= v->left > 0; return true;
    case ACTION_OPEN:
        if (s->document.kernel)
            str_add(command, s->document.kernel->left_out_count ? "kernel omitted" : "jump");
        return true;
    case ACTION_EDIT: edit(v, s, command); return true;
    case ACTION_PORTS: open_groups(v, s); return true;
    /* Returns false, because the frame also handles this action. */
    case ACTION_CANCEL: v->match[0] = '\0'; return false;
    default:
        if (!view_row(action, &at, (long)(v->body ? v->body : 1), 1000000000))
            return false;
        move_to(v, s, at);
        return true;
    }
}

/* Appends the kernel's name without directories, and how it was compiled. */
static void kernel_title(void *state, struct session *s, struct str *out)
{
    const struct kernel *k = s->document.kernel;
    const char *slash = k ? strrchr(k->name, '/') : NULL;

    if (!k)
        return;
    str_addf(out, ": %s", slash ? slash + 1 : k->name);
    if (k->recipe)
        recipe_print(k->recipe, k->isa, out);
}

static bool kernel_whole(void *state, struct session *s)
{
    return ((const struct kernel_view_state *)state)->compare;
}

const struct view_ops kernel_view = {
    .whole = kernel_whole,
    .name = "kernel",
    .label = "Loop",
    .title = kernel_title,
    .help = "the loop: port pressure, bounds, other machines",
    .act = kernel_act,
    .marks =
        "cursor\tform, usage and latency are shown below the table, the ports underlined in the "
        "header\n"
        "marks\t+ ^  fused with the next or the previous instruction\n"
        "\t0 zero idiom: no dependency   = no port (eliminated at rename)   / occupies the "
        "divider\n"
        "\t? unknown form: the total is a lower bound   e an estimate, also in the total\n"
        "\t┌├└ the critical chain, * if the chain is one instruction\n"
        "\t→ its result is an input of the selected instruction   ← uses the selected "
        "instruction's result\n"
        "ports\tports with equal load share a column, which shows their sum; Space expands it\n"
        "cells\tcycles per iteration on the ports; hotter for a larger share of the loop's cycles. "
        "? no usage in the tables\n"
        "samples\tshare of the samples in the pasted profile\n"
        "here\tcycles saved by removing the instruction: measured, then predicted (key b)",
    .state_size = sizeof(struct kernel_view_state),
    .draw = kernel_draw,
    .wants = kernel_wants,
    .draw_with_panes = kernel_draw_with_panes,
    .click = kernel_click,
    .find = kernel_find,
    .form_at = kernel_form,
    .mark = kernel_mark,
    .recall = kernel_recall,
    .status = kernel_status};
