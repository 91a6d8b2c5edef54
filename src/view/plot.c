/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/steps.h"

#define LABEL 8   /* number of columns of the labels of the y axis */

struct axis {
    double low, high;    /* range of the values, or of their logarithms if @log */
    bool log;
};

static char letter_of(size_t series)
{
    return (char)('a' + series % 26);
}

/* Drawing area in dots, two per column and four per row. */
struct canvas {
    unsigned columns, rows;
    uint8_t *dots;       /* braille pattern per cell */
    uint8_t *roles;
};

static double scaled(const struct axis *axis, double value)
{
    return !axis->log ? value : value > 0 ? log10(value) : NAN;
}

static double unscaled(const struct axis *axis, double value)
{
    return axis->log ? pow(10, value) : value;
}

static void fit(struct axis *axis, double low, double high)
{
    if (!(low <= high)) {
        low = 0;
        high = 1;
    }
    if (low == high) {
        double room = axis->log ? 0.5 : fabs(low) > 0 ? fabs(low) / 2 : 0.5;
        low -= low == 0 && !axis->log ? 0 : room;   /* Adds no margin below 0, because times and
                                                     * counts begin there. */
        high += room;
    }
    axis->low = low;
    axis->high = high;
}

static void range_of(const struct plot *p, struct axis *x, struct axis *y)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};

    for (size_t s = 0; s < p->series_count; s++)
        for (size_t i = 0; i < p->series[s].n; i++) {
            double at[2] = {scaled(x, p->series[s].x[i]), scaled(y, p->series[s].y[i])};
            if (isnan(at[0]) || isnan(at[1]) || isinf(at[0]) || isinf(at[1]))
                continue;
            for (int k = 0; k < 2; k++) {
                low[k] = at[k] < low[k] ? at[k] : low[k];
                high[k] = at[k] > high[k] ? at[k] : high[k];
            }
        }
    fit(x, p->x_min < p->x_max ? scaled(x, p->x_min) : low[0],
        p->x_min < p->x_max ? scaled(x, p->x_max) : high[0]);
    fit(y, p->y_min < p->y_max ? scaled(y, p->y_min) : low[1],
        p->y_min < p->y_max ? scaled(y, p->y_max) : high[1]);
}

static void dot(struct canvas *c, long x, long y, enum role role)
{
    static const uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

    if (x < 0 || y < 0 || x >= 2 * (long)c->columns || y >= 4 * (long)c->rows)
        return;
    size_t cell = (size_t)(y / 4) * c->columns + (size_t)(x / 2);
    c->dots[cell] |= bits[y % 4][x % 2];
    c->roles[cell] = (uint8_t)role;
}

static void line(struct canvas *c, double x0, double y0, double x1, double y1, enum role role)
{
    double steps = fmax(fabs(x1 - x0), fabs(y1 - y0));
    long n = steps < 1 ? 1 : steps > 8000 ? 8000 : (long)ceil(steps);
    for (long i = 0; i <= n; i++)
        dot(c, lround(x0 + (x1 - x0) * (double)i / (double)n),
            lround(y0 + (y1 - y0) * (double)i / (double)n), role);
}

static void draw_series(struct canvas *c, const struct plot_series *s, const struct axis *ax,
                        const struct axis *ay)
{
    double before[2] = {NAN, NAN}, right = 2 * c->columns - 1, bottom = 4 * c->rows - 1;

    steps_add(s->n / 4);
    for (size_t i = 0; i < s->n; i++) {
        double x = (scaled(ax, s->x[i]) - ax->low) / (ax->high - ax->low) * right;
        double y = bottom - (scaled(ay, s->y[i]) - ay->low) / (ay->high - ay->low) * bottom;
        bool gap = isnan(x) || isnan(y) || isinf(x) || isinf(y);
        if (!gap && (s->points || isnan(before[0])))
            dot(c, lround(x), lround(y), s->role);
        else if (!gap)
            line(c, before[0], before[1], x, y, s->role);
        before[0] = gap ? NAN : x;
        before[1] = gap ? NAN : y;
    }
}

static void show_canvas(const struct canvas *c, struct grid *g, int x, int y)
{
    for (unsigned row = 0; row < c->rows; row++)
        for (unsigned column = 0; column < c->columns; column++) {
            size_t cell = (size_t)row * c->columns + column;
            char glyph[4] = {(char)0xe2, (char)(0xa0 | c->dots[cell] >> 6),
                             (char)(0x80 | (c->dots[cell] & 0x3f)), 0};
            if (!c->dots[cell])
                continue;
            /* With ASCII, the character shows whether dots are in the upper or the lower half. */
            bool upper = c->dots[cell] & 0x1b, lower = c->dots[cell] & 0xe4;
            grid_put(g, x + (int)column, y + (int)row, 1, (enum role)c->roles[cell], 0,
                     !g->ascii        ? glyph
                     : upper && lower ? ":"
                     : upper          ? "'"
                                      : ".");
        }
}

/* Marks the last visible point of each series with its letter, for several series without
 * colours. */
static void draw_letters(const struct plot *p, const struct axis *ax, const struct axis *ay,
                         const struct canvas *c, struct grid *g, int x, int y)
{
    for (size_t s = 0; s < p->series_count; s++) {
        const struct plot_series *of = &p->series[s];
        for (size_t i = of->n; i-- > 0;) {
            const double across = (scaled(ax, of->x[i]) - ax->low) / (ax->high - ax->low),
                         up = (scaled(ay, of->y[i]) - ay->low) / (ay->high - ay->low);
            if (!(across >= 0 && across <= 1 && up >= 0 && up <= 1))
                continue;
            grid_put(g, x + (int)lround(across * (c->columns - 1)),
                     y + (int)lround((1 - up) * (c->rows - 1)), 1, of->role, ATTR_BOLD,
                     (char[]){letter_of(s), '\0'});
            break;
        }
    }
}

static void format_value(double value, char out[24])
{
    snprintf(out, 24, value != 0 && (fabs(value) >= 1e5 || fabs(value) < 1e-3) ? "%.0e" : "%.4g",
             value);
}

/* Computes the ticks of a logarithmic scale over few decades. Uses the longest of these lists of
 * leading digits that fits: 1 to 9; 1 2 3 5 7; 1 2 5; 1 3; 1. Returns the number of ticks. @ticks
 * receives at most @most ticks. */
static size_t log_ticks(const struct axis *axis, unsigned room, double *ticks, size_t most)
{
    static const char *const digits[] = {"123456789", "12357", "125", "13", "1"};
    size_t n = 0;

    for (size_t set = 0; set < sizeof digits / sizeof *digits; set++) {
        n = 0;
        for (int decade = (int)floor(axis->low); decade <= (int)floor(axis->high) && n < most;
             decade++)
            for (const char *digit = digits[set]; *digit && n < most; digit++) {
                double at = decade + log10(*digit - '0');
                if (at >= axis->low - 1e-9 && at <= axis->high + 1e-9)
                    ticks[n++] = at;
            }
        if (n <= room)
            break;
    }
    return n;
}

/* Computes the values to label: decades of a logarithmic scale, otherwise multiples of 1, 2 or 5
 * times a power of ten. Returns their number. @ticks receives at most @most values. */
static size_t ticks_of(const struct axis *axis, unsigned room, double *ticks, size_t most)
{
    size_t n = 0;
    double span = axis->high - axis->low, step = 1;

    if (axis->log && span < room)
        return log_ticks(axis, room, ticks, most);
    if (axis->log) {
        step = ceil(span / (room ? room : 1));
    } else {
        double raw = span / (room ? room : 1), power = pow(10, floor(log10(raw)));
        step = raw <= power       ? power
               : raw <= 2 * power ? 2 * power
               : raw <= 5 * power ? 5 * power
                                  : 10 * power;
    }
    for (double at = ceil(axis->low / step - 1e-9) * step;
         at <= axis->high + step * 1e-9 && n < most; at += step)
        ticks[n++] = fabs(at) < step * 1e-9 ? 0 : at;
    return n;
}

static void draw_axes(const struct axis *ax, const struct axis *ay, struct grid *g, int x, int y,
                      unsigned columns, unsigned rows)
{
    double ticks[64];
    char label[24];

    for (unsigned row = 0; row < rows; row++)
        grid_put(g, x - 1, y + (int)row, 1, ROLE_DIM, 0, "│");
    size_t n = ticks_of(ay, rows / 3 ? rows / 3 : 1, ticks, 64);
    for (size_t i = 0; i < n; i++) {
        int row = (int)lround((1 - (ticks[i] - ay->low) / (ay->high - ay->low)) * (rows - 1));
        format_value(unscaled(ay, ticks[i]), label);
        grid_printf(g, x - 1 - LABEL, y + row, LABEL, ROLE_DIM, 0, "%7s", label);
    }
    for (unsigned column = 0; column < columns; column++)
        grid_put(g, x + (int)column, y + (int)rows, 1, ROLE_DIM, 0, "─");
    n = ticks_of(ax, columns / 12 ? columns / 12 : 1, ticks, 64);
    for (size_t i = 0; i < n; i++) {
        int column = (int)lround((ticks[i] - ax->low) / (ax->high - ax->low) * (columns - 1));
        format_value(unscaled(ax, ticks[i]), label);
        int start = column - (int)strlen(label) / 2;
        if (start + (int)strlen(label) <= (int)columns)
            grid_put(g, x + (start < 0 ? 0 : start), y + (int)rows + 1, LABEL, ROLE_DIM, 0, label);
    }
}

void plot_draw(const struct plot *p, struct grid *g, int x, int y, unsigned width, unsigned height)
{
    struct axis ax = {.log = p->log_x}, ay = {.log = p->log_y};

    if (width < LABEL + 6 || height < 5)
        return;
    struct canvas c = {width - LABEL - 1, height - 3, NULL, NULL};
    c.dots = mem_zero((size_t)c.columns * c.rows, 1);
    c.roles = mem_zero((size_t)c.columns * c.rows, 1);
    range_of(p, &ax, &ay);
    const bool letters = g->mono && p->series_count > 1;
    unsigned used = grid_put(g, x, y, width, ROLE_TITLE, 0, p->title);
    for (size_t s = 0; s < p->series_count; s++) {
        if (used + 2 < width)
            used += grid_printf(g, x + (int)used + 2, y, width - used - 2, p->series[s].role,
                                ATTR_BOLD, "%.*s%s", letters ? 2 : 0,
                                (char[]){letter_of(s), ' ', '\0'}, p->series[s].label) +
                    2;
        draw_series(&c, &p->series[s], &ax, &ay);
    }
    draw_axes(&ax, &ay, g, x + LABEL + 1, y + 1, c.columns, c.rows);
    show_canvas(&c, g, x + LABEL + 1, y + 1);
    if (letters)
        draw_letters(p, &ax, &ay, &c, g, x + LABEL + 1, y + 1);
    if (p->x_label)
        grid_put(g, x, y + (int)height - 1, LABEL, ROLE_DIM, 0, p->x_label);
    free(c.dots);
    free(c.roles);
}
