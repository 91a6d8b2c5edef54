/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <stdlib.h>

#include "base/compare.h"
#include "base/mem.h"
#include "view/plot.h"
#include "work/evolve_job.h"

#define WORDS 3   /* maximum number of rows of text */

ORDER_BY(compare_points, struct evolve_point, ASCENDING(distinct) ?: ASCENDING(d_avg))

/* Of the @n mappings, keeps those that no other mapping beats in both error and number of µops,
 * sorted by number of µops. The run's own front also has mappings that are better only in volume,
 * which would be above the steps. Returns their number. */
static size_t keep_unbeaten(struct evolve_point *points, size_t n)
{
    size_t kept = 0;

    qsort(points, n, sizeof *points, compare_points);
    for (size_t i = 0; i < n; i++)
        if (!kept || points[i].d_avg < points[kept - 1].d_avg)
            points[kept++] = points[i];
    return kept;
}

/* Draws text instead of a curve, because a front of a single point is hardly visible. */
static void draw_words(const struct evolve_point *best, struct grid *g, int x, int y,
                       unsigned width)
{
    struct str text = {0};

    if (best)
        str_addf(&text,
                 "error %.2f %% with %llu distinct µops: the only Pareto-optimal mapping",
                 100 * best->d_avg, (unsigned long long)best->distinct);
    else
        str_add(&text, "error against distinct µops; no mapping yet");
    grid_put(g, x, y, width, ROLE_TITLE, 0, "Pareto");
    grid_wrap(g, x, y + 1, width, WORDS, best ? ROLE_TEXT : ROLE_DIM, 0, str_text(&text));
    str_done(&text);
}

void pareto_draw(struct evolve_point *points, size_t n, struct grid *g, int x, int y,
                 unsigned width, unsigned height)
{
    const size_t front = keep_unbeaten(points, n);

    if (front < 2) {
        draw_words(front ? points : NULL, g, x, y, width);
        return;
    }
    double *distinct = mem_alloc(4 * front * sizeof *distinct), *error = distinct + 2 * front;
    size_t corners = 0;
    for (size_t i = 0; i < front; i++)
        /* Draws a horizontal line to the next mapping with more µops. */
        for (size_t corner = i; corner < i + 2 && corner < front; corner++) {
            distinct[corners] = (double)points[corner].distinct;
            error[corners++] = 100 * points[i].d_avg;
        }
    const struct plot_series series = {
        "error, % against distinct µops", ROLE_GOOD, distinct, error, corners, false};
    const struct plot plot = {.title = "Pareto", .series = &series, .series_count = 1};
    plot_draw(&plot, g, x, y, width, height);
    free(distinct);
}
