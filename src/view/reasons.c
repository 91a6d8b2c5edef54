/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/reasons.h"

#include <math.h>
#include <string.h>

#include "analysis/port_groups.h"
#include "cmd/analyses.h"
#include "cmd/explained.h"
#include "report/blame.h"

/* Minimum number of columns to which a usage is truncated. If fewer columns remain, the text after
 * the usage is truncated instead. */
#define USAGE_LEAST 8
#define ID_COLUMNS 16     /* number of columns of a machine's name */
#define AFTER_ID 12     /* number of columns of mark, blanks and cycles after the name */
#define BOUND_NAME 12    /* number of columns of the longest name of a bound */

void reasons_detail(const struct analysis *a, size_t row, struct grid *g, int y)
{
    const struct analysis_row *r = &a->rows[row];
    struct str usage = {0}, rest = {0};

    port_groups_usage(&r->usage, &a->ports, &usage);
    if (!usage.length)
        str_add(&usage, r->flags & ROW_UNKNOWN ? "unknown to this machine" : "no port");
    if (!isnan(r->latency))
        str_addf(&rest, "  latency %g", r->latency);
    else if (r->latency_guessed)
        str_add(&rest, "  latency unknown, counted as 1");
    str_addf(&rest, "  issue %g", r->issue);
    if (r->alone)
        str_addf(&rest, "  alone at least %g", r->alone->cycles);
    const unsigned form = grid_printf(g, 0, y, 0, ROLE_ACCENT, 0, "%s", r->insn->form) + 2,
                   taken = form + grid_columns(g, str_text(&rest));
    /* Truncates the usage first, because the table above shows the ports. */
    const unsigned room = g->width > taken + USAGE_LEAST ? g->width - taken : g->width;
    unsigned used = form + grid_put_ends(g, (int)form, y, room, ROLE_TEXT, 0, str_text(&usage));
    used += grid_put(g, (int)used, y, 0, ROLE_DIM, 0, str_text(&rest));
    for (uint32_t flags = r->flags; flags; flags &= flags - 1)
        used +=
            grid_printf(g, (int)used + 2, y, 0, ROLE_DIM, 0, "%s", row_flag_name(flags & -flags)) +
            2;
    str_done(&usage);
    str_done(&rest);
}

int reasons_bounds(const struct analysis *a, const struct simulation *sim, double measured,
                   struct grid *g, int x, int y, unsigned width)
{
    for (int kind = 0; kind < BOUND_COUNT; kind++, y++) {
        double value = a->bounds[kind];
        bool binds = (int)a->bottleneck == kind && a->cycles > 0;
        grid_printf(g, x, y, width, binds ? ROLE_WARN : ROLE_TEXT, 0, "%-13s",
                    bound_name((enum bound_kind)kind));
        if (isnan(value)) {
            grid_put(g, x + 13, y, width > 13 ? width - 13 : 1, ROLE_DIM, 0, "     - not modelled");
            continue;
        }
        grid_printf(g, x + 13, y, 8, binds ? ROLE_WARN : ROLE_TEXT, 0, "%6.2f", value);
        for (int k = 0; width > 36 && k < (a->cycles > 0 ? (int)lround(14 * value / a->cycles) : 0);
             k++)
            grid_put(g, x + 21 + k, y, 1, binds ? ROLE_WARN : ROLE_GOOD, 0, "█");
    }
    const struct {
        const char *name;
        double cycles;
    } beyond[] = {{"simulated", sim ? sim->cycles : NAN}, {"measured here", measured}};
    for (size_t i = 0; i < 2; i++) {
        if (isnan(beyond[i].cycles))
            continue;
        grid_printf(g, x, y, width, ROLE_TITLE, 0, "%-13s%6.2f", beyond[i].name, beyond[i].cycles);
        for (int k = 0; width > 36 &&
                        k < (a->cycles > 0 ? (int)lround(14 * beyond[i].cycles / a->cycles) : 0) &&
                        21 + k < (int)width;
             k++)
            grid_put(g, x + 21 + k, y, 1, ROLE_TITLE, 0, "█");
        y++;
    }
    return y;
}

static unsigned widest_id(struct analysis *const *a, size_t n)
{
    size_t widest = 0;

    for (size_t i = 0; i < n; i++)
        widest = strlen(a[i]->machine->id) > widest ? strlen(a[i]->machine->id) : widest;
    return (unsigned)widest;
}

unsigned reasons_machines_width(struct analysis *const *a, size_t n)
{
    return widest_id(a, n) + AFTER_ID + BOUND_NAME;
}

void reasons_machines(struct analysis *const *a, size_t n, size_t in_view, struct grid *g, int x,
                      int y, int end)
{
    const unsigned room = (int)g->width > x ? g->width - (unsigned)x : 0,
                   names = room < ID_COLUMNS + AFTER_ID + BOUND_NAME ? widest_id(a, n) : ID_COLUMNS;

    for (size_t i = 0; i < n && y + (int)i < end; i++)
        grid_printf(g, x, y + (int)i, 0, i == in_view ? ROLE_ACCENT : ROLE_TEXT, 0,
                    "%c%-*s %2s%6.2f  %s", i == in_view ? '>' : ' ', (int)names, a[i]->machine->id,
                    cycles_sign(a[i]->lower_bound, a[i]->estimate), a[i]->cycles,
                    bound_name(a[i]->bottleneck));
}

int reasons_bounds_short(const struct analysis *a, const struct simulation *sim, double measured,
                         struct grid *g, int y, unsigned rows)
{
    struct str line = {0};

    for (int kind = 0; kind < BOUND_COUNT; kind++)
        if (!isnan(a->bounds[kind]))
            str_addf(&line, "%s%s %.2f", line.length ? "  " : "", bound_name((enum bound_kind)kind),
                     a->bounds[kind]);
    if (sim)
        str_addf(&line, "  simulated %.2f", sim->cycles);
    if (!isnan(measured))
        str_addf(&line, "  measured here %.2f", measured);
    unsigned used = grid_wrap(g, 0, y, g->width, rows, ROLE_DIM, 0, str_text(&line));
    str_done(&line);
    return (int)used;
}

/* Returns whether @a's machine is known to be another CPU, to which measurements do not apply. */
static bool elsewhere(const struct here *here, const struct analysis *a)
{
    const char *id = a->machine->id;
    return here->id && strcmp(id, here->id) != 0 && strcmp(id, HERE_NAME) != 0 &&
           !(here->base && strcmp(id, here->base) == 0);
}

void reasons_explain(struct session *s, const struct analysis *a, struct str *out)
{
    const struct blame *b = s->document.blame;
    const struct simulation *sim = session_simulation(s, s->document.in_view);
    if (a->unknown) {
        coverage_print(a, &s->document.analyses->coverage, out);
        if (s->document.analyses->coverage.list.count)
            str_add(out, " (a shows them)");
        return;
    }
    if (explained_is(s->document.explained, s->document.kernel, s->document.loop)) {
        explained_print(s->document.explained, out);
        if (out->length && !isnan(s->document.kernel_measured))
            str_add(out, "; ");
    }
    double measured = s->document.kernel_measured,
           predicted = fmax(a->cycles, sim ? sim->cycles : NAN);

    if (isnan(measured) || (!b && (fabs(measured - predicted) <= BLAME_AGREES * measured ||
                                   elsewhere(&s->document.here, a))))
        return;
    str_addf(out, "measured here %.2f, predicted %.2f (%+.0f %%): ", measured, predicted,
             100 * (predicted / measured - 1));
    if (!b)
        str_add(out, "b finds the cause");
    else if (!b->sentence)
        str_addf(out, "%zu variant%s measured so far", b->variants, plural(b->variants));
    else if (strcmp(b->machine, a->machine->id) != 0)
        str_addf(out, "compared with %s; kernel blame --machine %s", b->machine, a->machine->id);
    else if (fabs(b->predicted - predicted) > 0.005)
        str_add(out, "the model has changed since the measurement; b measures again");
    else
        str_add(out, b->sentence);
}

unsigned reasons_rows(const struct grid *g, const char *text, unsigned most)
{
    struct grid scratch;

    if (!*text)
        return 0;
    grid_init_part(&scratch, g, g->width, most);
    unsigned rows = grid_wrap(&scratch, 0, 0, g->width, most, ROLE_TEXT, 0, text);
    grid_done(&scratch);
    return rows;
}
