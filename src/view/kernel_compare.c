/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/kernel_compare.h"

#include <math.h>
#include <stdio.h>

#include "simulate/simulate.h"
#include "view/port_columns.h"

const char *kernel_row_mark(const struct analysis_row *row)
{
    return row->flags & ROW_UNKNOWN                           ? "?"
           : row->flags & ROW_SKIPPED                         ? "x"
           : row->flags & ROW_FUSED_INTO                      ? "^"
           : row->flags & ROW_FUSED                           ? "+"
           : row->flags & ROW_ZERO                            ? "0"
           : row->estimate                                    ? "e"
           : row->alone                                       ? "!"
           : row->flags & ROW_ELIMINATED || !row->usage.count ? "="
           : row->flags & ROW_PIPE                            ? "/"
                                                              : " ";
}

void kernel_row_tidy(const char *text, struct str *out)
{
    bool blank = true;
    for (; *text; text++) {
        bool is_blank = *text == ' ' || *text == '\t';
        if (!is_blank)
            str_add_char(out, *text);
        else if (!blank)
            str_add_char(out, ' ');
        blank = is_blank;
    }
}

/* Draws the bound @value of a machine with @mark. If @binds is true, the value limits the loop, and
 * is drawn with the sign of a lower bound or an estimate. */
static void put_cycles(const struct analysis *a, double value, bool binds, const char *mark,
                       struct grid *g, int x, int y, unsigned width)
{
    char text[32];

    snprintf(text, sizeof text, "%s%.2f", binds ? cycles_sign(a->lower_bound, a->estimate) : "",
             value);
    grid_printf(g, x, y, width, binds ? ROLE_WARN : ROLE_TEXT, binds ? ATTR_BOLD : 0, "%6s%s", text,
                mark);
}

void kernel_compare_draw(struct session *s, struct analysis *const *a, size_t n, struct grid *g,
                         const struct kernel_rows *rows)
{
    unsigned text = g->width >= 160   ? 50
                    : g->width >= 100 ? 36
                                      : 24,
             each = (g->width - text) / (unsigned)n;
    size_t count = a[0]->count;
    int y = 0;

    each = each > 60 ? 60 : each < 12 ? 12 : each;
    grid_fill(g, 0, y, g->width, 1, ROLE_HEADER, 0, ' ');
    grid_put(g, 0, y, text, ROLE_HEADER, 0, "cycles per iteration");
    for (size_t m = 0; m < n; m++)
        grid_put(g, (int)(text + m * each), y, each - 1,
                 m == s->document.in_view ? ROLE_ACCENT : ROLE_HEADER, ATTR_BOLD,
                 a[m]->machine->id);
    /* On a low screen, draws all bounds in one row, to leave rows for instructions. */
    bool low = g->height < BOUND_COUNT + 6;
    y += low;
    for (size_t m = 0; low && m < n; m++)
        put_cycles(a[m], a[m]->cycles, true, "", g, (int)(text + m * each), y, each - 1);
    for (int kind = 0; !low && kind <= BOUND_COUNT && ++y < (int)g->height; kind++) {
        grid_put(g, 0, y, text, ROLE_TEXT, 0,
                 kind < BOUND_COUNT ? bound_name((enum bound_kind)kind) : "simulated");
        for (size_t m = 0; m < n; m++) {
            const struct simulation *sim = kind < BOUND_COUNT ? NULL : session_simulation(s, m);
            double value = kind < BOUND_COUNT ? a[m]->bounds[kind] : sim ? sim->cycles : NAN;
            bool binds = (int)a[m]->bottleneck == kind;
            if (!isnan(value))
                put_cycles(a[m], value, binds, binds ? " <" : "", g, (int)(text + m * each), y,
                           each - 1);
            else
                grid_put(g, (int)(text + m * each), y, each - 1, ROLE_DIM, 0, "     -");
        }
    }
    grid_fill(g, 0, ++y, g->width, 1, ROLE_HEADER, 0, ' ');
    grid_put(g, 0, y, text, ROLE_HEADER, 0, "instruction");
    *rows->body = (int)g->height > y + 1 ? g->height - (unsigned)y - 1 : 1;
    view_place(rows->cursor, rows->top, *rows->body, count);
    for (size_t r = 0; r < *rows->body && *rows->top + r < count; r++) {
        size_t i = *rows->top + r;
        enum role role = i == *rows->cursor ? ROLE_CURSOR : ROLE_TEXT;
        struct str line = {0};
        y++;
        if (i == *rows->cursor)
            grid_fill(g, 0, y, g->width, 1, ROLE_CURSOR, 0, ' ');
        kernel_row_tidy(a[0]->rows[i].insn->text ? a[0]->rows[i].insn->text
                                                 : a[0]->rows[i].insn->mnemonic,
                        &line);
        grid_put(g, 0, y, text - 1, role, 0, str_text(&line));
        for (size_t m = 0; m < n; m++) {
            str_clear(&line);
            port_groups_usage(&a[m]->rows[i].usage, &a[m]->ports, &line);
            enum role usage = i == *rows->cursor                      ? ROLE_CURSOR
                              : a[m]->rows[i].flags & ROW_UNKNOWN ? ROLE_ERROR
                                                                  : ROLE_TEXT;
            grid_printf(g, (int)(text + m * each), y, each - 1, usage, 0, "%s %s",
                        kernel_row_mark(&a[m]->rows[i]),
                        line.length                         ? str_text(&line)
                        : a[m]->rows[i].flags & ROW_UNKNOWN ? "unknown"
                                                            : "-");
            /* Marks truncated text with ">". */
            if (grid_columns(g, str_text(&line)) + 2 > each - 1)
                grid_put(g, (int)(text + (m + 1) * each) - 2, y, 1, usage, 0, ">");
        }
        str_done(&line);
    }
}
