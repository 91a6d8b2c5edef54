/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Program view: the blocks of a whole program with formulas, times and shares, or the hot loops of
 * a profile. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/line.h"
#include "view/hot_loop.h"
#include "view/program_panels.h"
#include "view/table_view.h"
#include "view/view.h"

#define PANEL_LEAST 8   /* minimum number of rows of a stacked panel */

enum block_column {
    BLOCK_NAME, BLOCK_LINE, BLOCK_COUNT, BLOCK_FORMULA, BLOCK_ERROR, BLOCK_CYCLES, BLOCK_SHARE,
    BLOCK_LIMIT, BLOCK_COLUMNS
};
enum loop_column {
    LOOP_NAME, LOOP_SAMPLES, LOOP_SHARE, LOOP_OFF, LOOP_INSNS, LOOP_MEASURED, LOOP_PREDICTED,
    LOOP_BOUND, LOOP_BY, LOOP_AT_BOUND, LOOP_COLUMNS, LOOP_PLACE = LOOP_COLUMNS, LOOP_FILTERS
};

static const struct table_column block_columns[BLOCK_COLUMNS] = {
    {"block", 15, false, 0},  {"line", 5, true, 60},     {"count", 11, true, 100},
    {"formula", 0, false, 0}, {"left-out", 9, true, 70}, {"cycles", 9, true, 0},
    {"share", 7, true, 0},    {"bound", 14, false, 90},
};
static const struct table_column loop_columns[LOOP_FILTERS] = {
    {"loop", 0, false, 0},       {"samples", 8, true, 90}, {"share", 7, true, 0},
    {"±", 5, true, 0},           {"insns", 6, true, 100},  {"alone", 8, true, 60},
    {"predicted", 10, true, 76}, {"bound", 8, true, 0},    {"by", 13, false, 90},
    /* The column "place" is hidden, but filters can use its full name and file. */
    {"at bound", 10, true, 110}, {"place", 0, false, 0},
};

struct program_view_state {
    struct table_view view;  /* table of the displayed rows: blocks, or loops of the profile */
    struct table other;      /* sorting and cursor of the rows that are not displayed */
    /* study and profile of the last drawing; changes are detected by their serial numbers */
    const struct study *study;
    const struct run_profile *profile;
    uint64_t study_serial, profile_serial;
    bool profiled;           /* whether the profile's loops are displayed instead of the blocks */
    unsigned panel;          /* first visible panel */
    int panels_from;         /* screen row of the first panel at the last drawing */
};

static void program_view_close(void *state)
{
    struct program_view_state *v = state;
    table_done(&v->view.table);
    table_done(&v->other);
}

static size_t block_count(const void *context)
{
    return ((const struct program_view_state *)context)->study->blocks.count;
}

static double block_number(const void *context, size_t row, int column)
{
    const struct study_block *b =
        &((const struct program_view_state *)context)->study->blocks.items[row];

    switch (column) {
    case BLOCK_LINE: return b->line ? b->line : NAN;
    case BLOCK_COUNT: return b->count;
    case BLOCK_ERROR: return b->error;
    case BLOCK_CYCLES: return b->cycles;
    case BLOCK_SHARE: return b->share;
    default: return NAN;
    }
}

static void block_text(const void *context, size_t row, int column, struct str *out)
{
    const struct study_block *b =
        &((const struct program_view_state *)context)->study->blocks.items[row];
    double number = block_number(context, row, column);

    if (column == BLOCK_NAME || column == BLOCK_FORMULA || column == BLOCK_LIMIT)
        str_add(out, column == BLOCK_NAME      ? b->name
                     : column == BLOCK_FORMULA ? b->formula
                                               : b->limit);
    else if (column == BLOCK_ERROR && b->exact)
        str_add(out, "exact");
    else if (isnan(number))
        str_add(out, "-");
    else if (column == BLOCK_ERROR || column == BLOCK_SHARE)
        str_addf(out, "%.1f %%", 100 * number);
    else
        str_addf(out, column == BLOCK_CYCLES ? "%.2f" : number < 1e7 ? "%.0f" : "%.4g", number);
}

static enum role block_role(const void *context, size_t row, int column)
{
    const struct study_block *b =
        &((const struct program_view_state *)context)->study->blocks.items[row];

    if (column == BLOCK_ERROR)
        return b->exact ? ROLE_GOOD : b->error > 0.05 ? ROLE_WARN : ROLE_TEXT;
    return column == BLOCK_LINE || column == BLOCK_LIMIT ? ROLE_DIM : ROLE_TEXT;
}

static size_t loop_count(const void *context)
{
    return ((const struct program_view_state *)context)->profile->loops.count;
}

static double loop_number(const void *context, size_t row, int column)
{
    const struct run_profile *p = ((const struct program_view_state *)context)->profile;
    const struct profile_loop *l = &p->loops.items[row];
    double off, share = profile_share(p, l->samples, &off), now = profile_loop_now(l);

    switch (column) {
    case LOOP_SAMPLES: return (double)l->samples;
    case LOOP_SHARE: return share;
    case LOOP_OFF: return off;
    case LOOP_INSNS: return l->kernel ? (double)l->kernel->loops[l->loop].count : NAN;
    case LOOP_MEASURED: return l->measured;
    case LOOP_PREDICTED: return l->predicted;
    case LOOP_BOUND: return l->bound;
    case LOOP_AT_BOUND: return profile_time_with(p, row, now, l->bound > now ? now : l->bound);
    default: return NAN;
    }
}

static void loop_text(const void *context, size_t row, int column, struct str *out)
{
    const struct profile_loop *l =
        &((const struct program_view_state *)context)->profile->loops.items[row];
    double number = loop_number(context, row, column);

    if (column == LOOP_NAME)
        profile_name_short(l->name, 40, out);
    else if (column == LOOP_PLACE)
        str_addf(out, "%s %s", l->name, l->file ? l->file : "");
    else if (column == LOOP_BY)
        str_add(out, l->bottleneck ? l->bottleneck : "-");
    else if (isnan(number))
        str_add(out, "-");
    else if (column == LOOP_SHARE)
        str_addf(out, "%.1f %%", 100 * number);
    else if (column == LOOP_OFF)
        str_addf(out, "%.1f", 100 * number);
    else if (column == LOOP_AT_BOUND)
        str_addf(out, "%.3f s", number);
    else
        str_addf(out, column == LOOP_SAMPLES || column == LOOP_INSNS ? "%.0f" : "%.2f", number);
}

static enum role loop_role(const void *context, size_t row, int column)
{
    return column == LOOP_OFF || column == LOOP_INSNS || column == LOOP_BY ? ROLE_DIM : ROLE_TEXT;
}

static const struct table_source block_source = {.columns = block_columns,
                                                 .column_count = BLOCK_COLUMNS,
                                                 .count = block_count,
                                                 .number = block_number,
                                                 .text = block_text,
                                                 .role = block_role,
                                                 .named_by = 1u << BLOCK_LINE};
static const struct table_source loop_source = {.columns = loop_columns,
                                                .column_count = LOOP_COLUMNS,
                                                .filter_count = LOOP_FILTERS,
                                                .count = loop_count,
                                                .number = loop_number,
                                                .text = loop_text,
                                                .role = loop_role,
                                                .named_by = 1u << LOOP_PLACE};

/* Shows the loops of the profile or the blocks. */
static void show(struct program_view_state *v, bool profiled)
{
    if (profiled != v->profiled) {
        const struct table shown = v->view.table;
        v->view.table = v->other;
        v->other = shown;
    }
    v->profiled = profiled;
    v->view.rows = profiled ? "loops" : "blocks";
    table_view_changed(&v->view, profiled ? &loop_source : &block_source);
}

/* Selects the newer of study and profile. Returns false without either. */
static bool refresh(void *state, struct session *s)
{
    struct program_view_state *v = state;
    const struct study *study = s->document.program.study;
    const struct run_profile *profile = s->document.profile;
    uint64_t profile_serial = profile ? profile->serial : 0,
             study_serial = study ? study->serial : 0;
    bool other = v->profile != profile || v->profile_serial != profile_serial,
         another = v->study != study || v->study_serial != study_serial, profiled = v->profiled;

    v->study = study;
    v->profile = profile;
    v->study_serial = study_serial;
    v->profile_serial = profile_serial;
    if ((other && profile) || (another && study))
        profiled = other && profile;
    if ((profiled && !profile) || (!profiled && !study))
        profiled = profile != NULL;
    if (!study && !profile) {
        table_act(&v->view.table, &v->view.source, ACTION_CANCEL);
        return false;
    }
    if (other || another)
        show(v, profiled);
    return true;
}

static void program_view_open(void *state)
{
    struct program_view_state *v = state;

    table_init(&v->view.table);
    table_init(&v->other);
    v->view.refresh = refresh;
}

static void draw_empty(struct session *s, struct grid *g)
{
    const struct program_state *p = &s->document.program;

    if (p->model)
        view_draw_empty(s, &program_view, g,
                        "The program has been run. Its blocks are shown here after a prediction.",
                        "prompt program show", "predicts the program for given inputs: N=4096");
    else if (p->program)
        view_draw_empty(s, &program_view, g,
                        "The program is compiled. After runs at small inputs the program can be "
                        "predicted at other inputs.",
                        "prompt program run", "runs the program: N=16,32,64,128");
    else
        view_draw_empty(s, &program_view, g,
                        "Shows hot loops of any program, without source code. :program load FILE.c "
                        "predicts a program at other inputs and on other machines.",
                        "prompt program profile", "profiles a program: ./PROGRAM ARGUMENTS");
}

static void draw_head(const struct program_view_state *v, struct session *s, struct grid *g)
{
    const struct run_profile *p = v->profile;
    const struct machine *current = s->document.selected_count ? session_current(s, NULL) : NULL;

    if (v->profiled) {
        struct str summary = {0};
        const char *slash = strrchr(p->program, '/');
        str_addf(&summary, "  %.3f s, %zu sample%s by %s",
                 p->user + (isnan(p->system) ? 0 : p->system), p->samples, plural(p->samples),
                 p->method == SAMPLING_CLOCK ? "the system's clock" : "interrupts");
        /* The file name is drawn instead of a long path. */
        const bool whole = !slash || grid_columns(g, p->program) + summary.length <= g->width;
        unsigned used = grid_put(g, 0, 0, 0, ROLE_TITLE, ATTR_BOLD, whole ? p->program : slash + 1);
        used += grid_put(g, (int)used, 0, 0, ROLE_TEXT, 0, str_text(&summary));
        str_done(&summary);
        if (v->study)
            grid_put(g, (int)used + 2, 0, 0, ROLE_DIM, 0, "b shows the blocks");
        return;
    }
    unsigned used = grid_printf(g, 0, 0, 0, ROLE_TITLE, ATTR_BOLD, "%s at %s", v->study->program,
                                v->study->inputs);
    used += grid_printf(g, (int)used + 2, 0, 0, ROLE_TEXT, 0, "%.4g s on %s", v->study->seconds,
                        v->study->machine) +
            2;
    if (current && strcmp(current->id, v->study->machine) != 0)
        grid_printf(g, (int)used + 2, 0, 0, ROLE_WARN, 0, "u predicts for %s", current->id);
    else if (p)
        grid_put(g, (int)used + 2, 0, 0, ROLE_DIM, 0, "b shows the profile");
}

/* Draws the panels that fit, one below the other. Curves share the remaining rows. */
static void draw_column(const struct program_view_state *v, const struct session *s,
                        size_t selected, struct grid *g, int y, unsigned height)
{
    for (unsigned i = 0; i < PANEL_COUNT && (!i || height >= PANEL_LEAST); i++) {
        const enum program_panel panel = (enum program_panel)((v->panel + i) % PANEL_COUNT);
        const unsigned wants = program_panel_rows(panel, v->study, selected);
        unsigned own = wants < height ? wants : height >= 3 * PANEL_LEAST ? height / 2 : height;
        if (height - own <= PANEL_LEAST)
            own = height;
        program_panel_draw(panel, v->study, selected, &s->document.program.measured, g, 0, y,
                           g->width, own);
        y += (int)own + 1;
        height -= own < height ? own + 1 : own;
    }
}

/* Draws one panel per 60 columns, in two rows if @height is at least 24. Draws a column of panels
 * on less than 120 columns. */
static void draw_panels(const struct program_view_state *v, const struct session *s, struct grid *g,
                        int y, unsigned height)
{
    unsigned across = g->width / 60 ? g->width / 60 : 1, rows = height >= 24 ? 2 : 1,
             most = across * rows;
    size_t selected;

    across = across > PANEL_COUNT ? PANEL_COUNT : across;
    if (!table_selected(&v->view.table, &selected))
        return;
    if (across == 1) {
        draw_column(v, s, selected, g, y, height);
        return;
    }
    for (unsigned i = 0; i < most && i < PANEL_COUNT; i++) {
        unsigned column = i % across, row = i / across, width = g->width / across,
                 tall = height / rows;
        program_panel_draw((enum program_panel)((v->panel + i) % PANEL_COUNT), v->study, selected,
                           &s->document.program.measured, g, (int)(column * width),
                           y + (int)(row * tall), width - (across > 1), tall);
    }
}

/* Draws the possible gain of the selected loop, the functions and, if rows remain, the loop's
 * code. */
static void draw_profile(struct program_view_state *v, struct grid *g, int y, unsigned height)
{
    size_t selected;

    if (table_selected(&v->view.table, &selected)) {
        const struct run_profile *p = v->profile;
        const struct profile_loop *l = &p->loops.items[selected];
        double now = profile_loop_now(l), all = p->user + (isnan(p->system) ? 0 : p->system);
        struct str text = {0};
        if (p->running)
            str_add(&text, "The program is still running; its loops are predicted at its end. s "
                           "stops the profile and keeps the samples.");
        else if (isnan(now) || isnan(l->bound))
            hot_loop_unpredicted(p, l, &text);
        else if (now > 1.02 * l->bound && l->by_data)
            str_addf(&text, "Bound: %.2f cycles (%s). Gain unknown: the time depends on data.",
                     l->bound, l->bottleneck);
        else if (now > 1.02 * l->bound)
            str_addf(
                &text,
                "At its bound of %.2f cycles (%s) the program would take %.3f s instead of %.3f s.",
                l->bound, l->bottleneck, profile_time_with(p, selected, now, l->bound), all);
        else
            str_addf(&text,
                     isnan(l->measured)
                         ? "Predicted, not measured: the loop is at its bound (%s)."
                         : "Measured outside the program, the loop is at its bound (%s).",
                     l->bottleneck);
        grid_put(g, 0, y, g->width, ROLE_ACCENT, 0, str_text(&text));
        str_done(&text);
    }
    const unsigned functions = (unsigned)v->profile->functions.count + 1,
                   room = height > 2 ? height - 2 : 1;
    program_functions_draw(v->profile, 0, g, 0, y + 2, g->width, room);
    if (table_selected(&v->view.table, &selected) && room > functions + 3)
        program_loop_draw(&v->profile->loops.items[selected], g, 0, y + 3 + (int)functions,
                          g->width, room - functions - 1);
}

static void program_draw(void *state, struct session *s, struct grid *g)
{
    struct program_view_state *v = state;

    if (!refresh(v, s)) {
        draw_empty(s, g);
        return;
    }
    /* The table takes at most half of the screen, but all of a small screen. */
    size_t rows = v->view.source.count(v);
    unsigned room = g->height > 1 ? g->height - 1 : 1, table = room < 14 ? room
                                                               : room / 2 < rows + 1
                                                                   ? room / 2
                                                                   : (unsigned)rows + 1;
    draw_head(v, s, g);
    table_draw(&v->view.table, &v->view.source, v, v->view.changes, g, 1, table);
    v->panels_from = 1 + (int)table;
    size_t selected;
    s->document.hot = v->profiled && table_selected(&v->view.table, &selected) ? selected : 0;
    if (room > table && v->profiled)
        draw_profile(v, g, v->panels_from, room - table);
    else if (room > table)
        draw_panels(v, s, g, v->panels_from, room - table);
}

/* Draws the list and the functions below it. Other panes show the selected loop. */
static void program_draw_with_panes(void *state, struct session *s, struct grid *g)
{
    struct program_view_state *v = state;
    size_t selected;

    if (!refresh(v, s) || !v->profiled) {
        program_draw(state, s, g);
        return;
    }
    const unsigned functions = (unsigned)v->profile->functions.count + 1,
                   rows = (unsigned)v->view.source.count(v) + 1,
                   room = g->height > 1 ? g->height - 1 : 1;
    unsigned table = rows < room ? rows : room;
    if (table + functions + 1 > room && table > room / 2)
        table = room / 2;
    draw_head(v, s, g);
    table_draw(&v->view.table, &v->view.source, v, v->view.changes, g, 1, table);
    v->panels_from = 1 + (int)table;
    s->document.hot = table_selected(&v->view.table, &selected) ? selected : 0;
    if (room > table + 2)
        program_functions_draw(v->profile, 0, g, 0, v->panels_from + 1, g->width, room - table - 1);
}

static void open_row(const struct program_view_state *v, size_t row, struct str *command)
{
    if (v->profiled)
        str_addf(command, "program open %zu", row + 1);
    else
        line_add_quoted("program open ", v->study->blocks.items[row].name, command);
}

static bool program_act(void *state, struct session *s, enum action action, struct str *command)
{
    struct program_view_state *v = state;
    size_t row;

    if (!refresh(v, s))
        return false;
    switch (action) {
    case ACTION_OPEN:
        if (!table_selected(&v->view.table, &row))
            return false;
        open_row(v, row, command);
        return true;
    case ACTION_EXPLAIN:
        if (!v->profiled || !table_selected(&v->view.table, &row))
            return false;
        str_addf(command, "program explain %zu", row + 1);
        return true;
    case ACTION_NEXT: case ACTION_PREVIOUS:
        if (v->profiled && !v->study)
            return false;
        if (v->profiled) {   /* Switches to the blocks, which have the panels. */
            show(v, false);
            return true;
        }
        v->panel = (v->panel + (action == ACTION_NEXT ? 1 : PANEL_COUNT - 1)) % PANEL_COUNT;
        return true;
    case ACTION_PROFILE:
        if (!v->study || !v->profile)
            return false;
        show(v, !v->profiled);
        return true;
    default:
        return table_view_act(v, s, action, command);
    }
}

static void program_click(void *state, struct session *s, int x, int y)
{
    struct program_view_state *v = state;
    struct str none = {0};

    if (y < 1 || !refresh(v, s))
        return;
    if (y < v->panels_from)
        table_view_click(v, s, x, y);
    else
        program_act(v, s, ACTION_NEXT, &none);
}

static bool program_whole(void *state, struct session *s)
{
    struct program_view_state *v = state;

    return refresh(v, s) && !v->profiled;
}

/* Returns whether a program is being profiled. Its list then grows. */
static bool program_live(void *state, struct session *s)
{
    return s->profiling != NULL;
}

const struct view_ops program_view = {
    .live = program_live,
    .whole = program_whole,
    .name = "program",
    .label = "Where the time goes",
    .help = "a program: blocks, memory, time and sensitivities, or the hot loops of a profile",
    .act = program_act,
    .marks = "filter\tshare>0.01 & bound~miss; an empty filter shows all rows",
    .state_size = sizeof(struct program_view_state),
    .open = program_view_open,
    .close = program_view_close,
    .draw = program_draw,
    .draw_with_panes = program_draw_with_panes,
    .click = program_click,
    TABLE_VIEW_ROWS};
