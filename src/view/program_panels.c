/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/program_panels.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "view/plot.h"

#define WAYS_TITLE 21   /* number of columns of a title and its padding */

/* Draws a bar of @share times @width columns, or a thin bar if this rounds to 0 and @share is not
 * 0. */
static void draw_bar(struct grid *g, int x, int y, unsigned width, double share, enum role role)
{
    int columns = (int)lround(share * width);

    for (int k = 0; k < columns && k < (int)width; k++)
        grid_put(g, x + k, y, 1, role, 0, "█");
    if (!columns && share > 0 && width)
        grid_put(g, x, y, 1, role, 0, "▏");
}

static void draw_title(struct grid *g, int x, int y, unsigned width, const char *title)
{
    grid_put(g, x, y, width, ROLE_TITLE, ATTR_BOLD, title);
}

/* Formats bytes: 49152 as "48k". */
static const char *bytes_text(double bytes, char out[24])
{
    if (bytes < 1024)
        snprintf(out, 24, "%.0f", bytes);
    else if (bytes < 1024 * 1024)
        snprintf(out, 24, "%.4gk", bytes / 1024);
    else if (bytes < 1024.0 * 1024 * 1024)
        snprintf(out, 24, "%.4gM", bytes / (1024 * 1024));
    else
        snprintf(out, 24, "%.4gG", bytes / (1024.0 * 1024 * 1024));
    return out;
}

static void add_way(const struct study *s, size_t from, const struct study_way *way,
                    struct str *out)
{
    if (way->to == from)
        str_add(out, "  ↺ itself");
    else
        str_addf(out, "  → %s",
                 way->to < s->blocks.count ? s->blocks.items[way->to].name : "(not executed)");
    str_addf(out, 100 * way->share >= 99.995 || way->share <= 0 ? " %.0f %%" : " %.2f %%",
             100 * way->share);
}

struct predecessor { const char *name; double flow; size_t at; };

/* Orders predecessors by flow, largest first, then by position. */
ORDER_BY(compare_sources, struct predecessor, DESCENDING(flow) ?: ASCENDING(at))

/* Adds the predecessors of the selected block with their shares of its executions. The largest
 * shares are first, because a narrow panel shows only the first predecessors. */
static void add_sources(const struct study *s, size_t selected, struct str *out)
{
    VEC(struct predecessor) sources = {0};
    double all = 0;

    for (size_t i = 0; i < s->blocks.count; i++)
        for (size_t k = 0; k < s->blocks.items[i].way_count; k++) {
            const struct study_block *b = &s->blocks.items[i];
            double flow = b->ways[k].to == selected ? b->ways[k].share * b->count : 0;
            if (flow > 0)
                vec_push(&sources,
                         ((struct predecessor){i == selected ? "itself" : b->name, flow, i}));
            all += flow;
        }
    if (sources.count)
        qsort(sources.items, sources.count, sizeof *sources.items, compare_sources);
    for (size_t i = 0; i < sources.count; i++)
        str_addf(out, "%s%s %.4g %%", i ? ", " : "", sources.items[i].name,
                 100 * sources.items[i].flow / all);
    vec_done(&sources);
}

/* Draws the blocks of the selected block's function in code order, with successors and their
 * shares. */
static void draw_ways(const struct study *s, size_t selected, struct grid *g, int x, int y,
                      unsigned width, unsigned height)
{
    const struct study_block *mine = &s->blocks.items[selected];
    struct str text = {0};
    size_t before = 0, all = 0;
    uint32_t at = 0;

    add_sources(s, selected, &text);
    if (!text.length)
        str_add(&text, "outside");
    /* Omits the title if the predecessors need its columns. */
    const bool roomy = WAYS_TITLE + grid_columns(g, mine->name) + sizeof " follows " +
                           grid_columns(g, str_text(&text)) <=
                       width;
    if (roomy)
        draw_title(g, x, y, width, "edges of blocks");
    grid_printf(g, x + (roomy ? WAYS_TITLE : 0), y, roomy ? width - WAYS_TITLE : width, ROLE_ACCENT,
                0, "%s follows %s", mine->name, str_text(&text));
    for (size_t i = 0; i < s->blocks.count; i++) {
        before +=
            s->blocks.items[i].function == mine->function && s->blocks.items[i].block < mine->block;
        all += s->blocks.items[i].function == mine->function;
    }
    /* Draws the selected block in the middle, unless rows would then be empty. */
    size_t rows = height - 1, first = before > rows / 2 ? before - rows / 2 : 0;
    first = all <= rows ? 0 : first + rows > all ? all - rows : first;
    for (size_t row = 0, nth = 0; row < rows; nth++) {
        const struct study_block *next = NULL;
        size_t index = 0;
        for (size_t i = 0; i < s->blocks.count; i++) {
            const struct study_block *b = &s->blocks.items[i];
            if (b->function == mine->function && b->block >= at &&
                (!next || b->block < next->block)) {
                next = b;
                index = i;
            }
        }
        if (!next)
            break;
        at = next->block + 1;
        if (nth < first)
            continue;
        str_clear(&text);
        for (size_t k = 0; k < next->way_count; k++)
            add_way(s, index, &next->ways[k], &text);
        if (!next->way_count)
            str_add(&text, "  returns");
        if (next->more_ways)
            str_add(&text, "  and more");
        row++;
        enum role role = index == selected ? ROLE_CURSOR : ROLE_TEXT;
        if (index == selected)
            grid_fill(g, x, y + (int)row, width, 1, role, 0, ' ');
        unsigned used = grid_printf(g, x, y + (int)row, width, role, 0, "%-12s%9.4g times",
                                    next->name, next->count);
        grid_put(g, x + (int)used, y + (int)row, width > used ? width - used : 1, role, 0,
                 str_text(&text));
    }
    str_done(&text);
}

/* Draws the histogram of reuse distances. Several octaves share a row if there are few rows. */
static void draw_reuse(const struct study *s, struct grid *g, int x, int y, unsigned width,
                       unsigned height)
{
    int last = 0, step = 1;
    double most = 0, sums[OCTAVES] = {0};
    unsigned bar = width > 34 ? width - 34 : 1;
    char text[24];

    draw_title(g, x, y, width, "reuse distance, bytes of distinct lines");
    for (int o = 0; o < OCTAVE_FIRST_USES; o++)
        last = s->reuse.counts[o] > 0 ? o : last;
    while ((last + step) / step > (int)height - 2)
        step++;
    for (int o = 0; o < OCTAVE_FIRST_USES; o++)
        sums[o / step] += s->reuse.counts[o];
    for (int row = 0; row <= last / step; row++)
        most = fmax(most, sums[row]);
    most = fmax(most, s->reuse.counts[OCTAVE_FIRST_USES]);
    for (int row = 0; row <= last / step && row < (int)height - 2; row++) {
        double from = octave_from(row * step) * MEMORY_LINE,
               to = octave_from((row + 1) * step) * MEMORY_LINE;
        const char *level = "";
        for (size_t l = s->level_count; l-- > 0;)
            if (s->levels[l].bytes >= from && s->levels[l].bytes < to)
                level = l == 0 ? "L1" : l == 1 ? "L2" : "L3";
        grid_printf(g, x, y + 1 + row, width, ROLE_TEXT, 0, "from %6s %2s %7.3f %%",
                    bytes_text(from, text), level, 100 * sums[row] / s->reuse.all);
        draw_bar(g, x + 25, y + 1 + row, bar, sums[row] / most, ROLE_GOOD);
    }
    int end = y + 1 + (last / step + 1 < (int)height - 2 ? last / step + 1 : (int)height - 2);
    grid_printf(g, x, end, width, ROLE_TEXT, 0, "first uses     %7.3f %%",
                100 * s->reuse.counts[OCTAVE_FIRST_USES] / s->reuse.all);
    draw_bar(g, x + 25, end, bar, s->reuse.counts[OCTAVE_FIRST_USES] / most, ROLE_WARN);
}

static void draw_misses(const struct study *s, struct grid *g, int x, int y, unsigned width,
                        unsigned height)
{
    double sizes[STUDY_SIZES], full[STUDY_SIZES], eight[STUDY_SIZES], level_x[MEMORY_LEVELS],
        level_y[MEMORY_LEVELS];
    struct str text = {0};

    for (size_t i = 0; i < s->size_count; i++) {
        sizes[i] = s->sizes[i] / 1024;
        full[i] = 100 * s->full[i];
        eight[i] = 100 * s->eight_ways[i];
    }
    for (size_t l = 0; l < s->level_count; l++) {
        level_x[l] = s->levels[l].bytes / 1024;
        level_y[l] = 100 * s->levels[l].misses;
        str_addf(&text, "%sL%zu %.3g %%", l ? ", " : "", l + 1, level_y[l]);
    }
    const struct plot_series series[] = {
        {"8 ways", ROLE_DIM, sizes, eight, s->size_count, false},
        {"full", ROLE_GOOD, sizes, full, s->size_count, false},
        {str_text(&text), ROLE_WARN, level_x, level_y, s->level_count, true}};
    const struct plot plot = {.title = "misses, %",
                              .x_label = "kbyte",
                              .log_x = true,
                              .series = series,
                              .series_count = 3};
    plot_draw(&plot, g, x, y, width, height);
    /* Draws vertical lines at the sizes of the cache levels. */
    double low = log10(sizes[0]),
           high = log10(
               fmax(sizes[s->size_count - 1], s->level_count ? level_x[s->level_count - 1] : 0));
    low = fmin(low, s->level_count ? log10(level_x[0]) : low);
    for (size_t l = 0; l < s->level_count && width > 20 && height > 5; l++) {
        int column = x + 9 + (int)lround((log10(level_x[l]) - low) / (high - low) * (width - 10));
        for (int row = 1; row < (int)height - 2; row++)
            if (g->cells[(size_t)(y + row) * g->width + (unsigned)column].glyph[0] == ' ')
                grid_put(g, column, y + row, 1, ROLE_WARN, 0,
                         row == 1 ? (l == 0   ? "1"
                                     : l == 1 ? "2"
                                              : "3")
                                  : "┊");
    }
    str_done(&text);
}

static void draw_time(const struct study *s, const struct program_points *measured, struct grid *g,
                      int x, int y, unsigned width, unsigned height)
{
    double here_x = s->at[s->axis], here_y = s->seconds, seen_x[64], seen_y[64];
    size_t seen = 0;
    struct str title = {0};

    /* Draws the measured points of runs that differ only in this input. */
    for (size_t i = 0; i < measured->list.count && seen < 64; i++) {
        const struct program_point *p = &measured->list.items[i];
        bool alone = true;
        for (size_t k = 0; k < INPUTS_MAX; k++)
            alone &= k == s->axis || p->inputs[k] == s->at[k];
        if (alone) {
            seen_x[seen] = p->inputs[s->axis];
            seen_y[seen++] = p->seconds;
        }
    }
    str_addf(&title, "seconds over %s", s->axis_name);
    const struct plot_series series[] = {
        {"predicted", ROLE_GOOD, s->x, s->time, s->point_count, false},
        {seen ? "measured here" : "", ROLE_WARN, seen_x, seen_y, seen, true},
        {"now", ROLE_ACCENT, &here_x, &here_y, 1, true}};
    const struct plot plot = {.title = str_text(&title),
                              .x_label = s->axis_name,
                              .log_x = true,
                              .log_y = true,
                              .series = series,
                              .series_count = 3};
    plot_draw(&plot, g, x, y, width, height);
    str_done(&title);
}

/* Draws the effect of doubling and halving each property. Bars to the left are savings, bars to the
 * right are costs. */
static void draw_effects(const struct study *s, struct grid *g, int x, int y, unsigned width,
                         unsigned height)
{
    double most = 0.01;
    unsigned half = width > 44 ? (width - 42) / 2 : 0;

    grid_put(g, x, y, width, ROLE_TITLE, ATTR_BOLD, "sensitivities");
    grid_put(g, x + 23, y, width > 23 ? width - 23 : 1, ROLE_DIM, 0, "  doubled   halved");
    for (size_t i = 0; i < s->effects.list.count; i++) {
        const struct effect *e = &s->effects.list.items[i];
        most = fmax(most, fmax(isnan(e->doubled) ? 0 : fabs(e->doubled - 1),
                               isnan(e->halved) ? 0 : fabs(e->halved - 1)));
    }
    for (size_t i = 0; i < s->effects.list.count && i + 1 < height; i++) {
        const struct effect *e = &s->effects.list.items[i];
        int row = y + 1 + (int)i, middle = x + 42 + (int)half;
        grid_printf(g, x, row, width, ROLE_TEXT, 0, "%-18s%6.2f", e->name, e->elasticity);
        const double changes[] = {e->doubled - 1, e->halved - 1};
        for (int k = 0; k < 2; k++) {
            if (isnan(changes[k])) {
                grid_put(g, x + 24 + 9 * k, row, 9, ROLE_DIM, 0, "        -");
                continue;
            }
            grid_printf(g, x + 24 + 9 * k, row, 9,
                        changes[k] < -5e-4  ? ROLE_GOOD
                        : changes[k] > 5e-4 ? ROLE_ERROR
                                            : ROLE_DIM,
                        0, "%+7.1f %%", 100 * changes[k]);
            int columns = (int)lround(fabs(changes[k]) / most * half);
            for (int c = 0; half && c < columns; c++)
                grid_put(g, changes[k] < 0 ? middle - 1 - c : middle + 1 + c, row, 1,
                         changes[k] < 0 ? ROLE_GOOD : ROLE_ERROR, 0, k ? "▄" : "▀");
        }
        if (half)
            grid_put(g, middle, row, 1, ROLE_DIM, 0, "│");
    }
}

void program_panel_draw(enum program_panel panel, const struct study *s, size_t selected,
                        const struct program_points *measured, struct grid *g, int x, int y,
                        unsigned width, unsigned height)
{
    if (height < 3 || width < 20)
        return;
    if (!s->traced && (panel == PANEL_REUSE || panel == PANEL_MISSES)) {
        draw_title(g, x, y, width, panel == PANEL_REUSE ? "reuse distances" : "misses");
        grid_wrap(g, x, y + 1, width, height - 1, ROLE_TEXT, 0,
                  "Unknown: the program was run with --mode counts.");
        return;
    }
    if ((panel == PANEL_REUSE && !(s->reuse.all > 0)) ||
        (panel == PANEL_MISSES && !s->size_count)) {
        draw_title(g, x, y, width, panel == PANEL_REUSE ? "reuse distances" : "misses");
        grid_wrap(g, x, y + 1, width, height - 1, ROLE_TEXT, 0,
                  "No references: the traced code has no loads or stores.");
        return;
    }
    if (panel == PANEL_TIME && !s->axis_name) {
        draw_title(g, x, y, width, "time");
        grid_wrap(g, x, y + 1, width, height - 1, ROLE_TEXT, 0,
                  "No curve: each input had one value. Run several values, as in program run "
                  "N=16,32,64.");
        return;
    }
    switch (panel) {
    case PANEL_WAYS: draw_ways(s, selected, g, x, y, width, height); break;
    case PANEL_REUSE: draw_reuse(s, g, x, y, width, height); break;
    case PANEL_MISSES: draw_misses(s, g, x, y, width, height); break;
    case PANEL_TIME: draw_time(s, measured, g, x, y, width, height); break;
    default: draw_effects(s, g, x, y, width, height); break;
    }
}

unsigned program_panel_rows(enum program_panel panel, const struct study *s, size_t selected)
{
    unsigned blocks = 0;

    for (size_t i = 0; i < s->blocks.count; i++)
        blocks += s->blocks.items[i].function == s->blocks.items[selected].function;
    return 1 + (panel == PANEL_WAYS      ? blocks
                : panel == PANEL_EFFECTS ? (unsigned)s->effects.list.count
                                         : UINT_MAX - 1);
}

void program_functions_draw(const struct run_profile *p, size_t first, struct grid *g, int x, int y,
                            unsigned width, unsigned height)
{
    unsigned bar = width > 70 ? width - 70 : 0;
    struct str name = {0};

    draw_title(g, x, y, width, "functions");
    for (size_t i = first; i < p->functions.count && i - first + 1 < height; i++) {
        const struct profile_function *f = &p->functions.items[i];
        const char *slash = strrchr(f->file, '/');
        double off, share = profile_share(p, f->samples, &off);
        int row = y + 1 + (int)(i - first);
        str_clear(&name);
        profile_name_short(profile_function_name(f), 32, &name);
        grid_printf(g, x, row, width, ROLE_TEXT, 0, "%5.1f %% ± %4.1f  %-33s%s", 100 * share,
                    100 * off, str_text(&name), slash ? slash + 1 : f->file);
        if (bar)
            draw_bar(g, x + 70, row, bar, share, ROLE_GOOD);
    }
    str_done(&name);
}

void program_loop_draw(const struct profile_loop *l, struct grid *g, int x, int y, unsigned width,
                       unsigned height)
{
    size_t count;

    if (!l->kernel || !l->kernel->insn_count)
        return;
    const struct insn *insns = kernel_insns(l->kernel, l->loop, &count);
    draw_title(g, x, y, width, "instructions of the loop");
    for (size_t i = 0; i < count && i + 1 < height; i++) {
        const bool more = i + 2 == height && i + 1 < count;
        if (more)
            grid_printf(g, x, y + 1 + (int)i, width, ROLE_DIM, 0,
                        "  and %zu more; Enter opens the loop", count - i);
        else
            grid_printf(g, x, y + 1 + (int)i, width, ROLE_TEXT, 0, "  %s", insn_shown(&insns[i]));
    }
}
