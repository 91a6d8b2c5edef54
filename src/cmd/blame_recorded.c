/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/blame_recorded.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/report.h"

#define HUGE_LEAST 0.9    /* smallest share of the memory that must be on huge pages for a cost with
                           * huge pages */
#define VARIES_MOST 0.5   /* largest uncertainty of a cost, relative to the loop's time */
#define HUGE_PART 0.3     /* share of the measuring time for runs with huge pages */
/* Tolerated difference in cycles between a recorded run and the program. Runs of the recording also
 * read recorded values, which takes additional time. */
#define AGREES_CYCLES 1.0

struct changes {
    VEC(struct recorded_change) list;
    VEC(struct recorded_cost *) costs;
};

static void add(struct changes *c, enum recorded_kind kind, uint32_t at, struct recorded_cost *cost)
{
    vec_push(&c->list, ((struct recorded_change){kind, at}));
    vec_push(&c->costs, cost);
}

static struct recorded_cost saved(const struct recorded_time *all, const struct recorded_time *with)
{
    const double off = 2 * (all->spread * all->cycles + with->spread * with->cycles);

    return off <= VARIES_MOST * all->cycles
               ? (struct recorded_cost){all->cycles - with->cycles, off}
               : (struct recorded_cost){NAN, NAN};
}

static void list_changes(const struct recording *r, bool brief, struct recorded_costs *out,
                         struct changes *c)
{
    for (uint32_t i = 0; i < r->insns.count; i++) {
        const struct recorded_insn *in = &r->insns.items[i];
        out->without[i] = out->nearby[i] = out->sorted[i] = (struct recorded_cost){NAN, NAN};
        if (brief)
            continue;
        if (recorded_branch(in))
            add(c, RECORDED_SORTED, i, &out->sorted[i]);
        if (recorded_access(in))
            add(c, RECORDED_NEAR, i, &out->nearby[i]);
        if (!(in->insn->traits & INSN_BRANCH))
            add(c, RECORDED_WITHOUT, i, &out->without[i]);
    }
}

bool recorded_costs_measure(struct sandbox *s, const struct recording *r, double program, bool huge,
                            bool brief, double seconds, struct recorded_costs *out, struct err *err)
{
    struct changes c = {0};
    const size_t count = r->insns.count;
    double share;
    struct recorded_cost unchanged;

    *out = (struct recorded_costs){.program = program,
                                   .count = count,
                                   .huge_pages = huge,
                                   .huge = {NAN, NAN},
                                   .without = mem_zero(count + 1, sizeof *out->without),
                                   .nearby = mem_zero(count + 1, sizeof *out->nearby),
                                   .sorted = mem_zero(count + 1, sizeof *out->sorted)};
    add(&c, RECORDED_UNCHANGED, RECORDED_OUT, &unchanged);
    add(&c, RECORDED_NEAR, RECORDED_OUT, &out->near);
    list_changes(r, brief, out, &c);
    struct recorded_time *times = mem_zero(c.list.count, sizeof *times), large[2];
    bool ok = recorded_measure(s, r, huge, c.list.items, c.list.count, (1 - HUGE_PART) * seconds,
                               times, &share, err);
    for (size_t i = 0; ok && i < c.list.count; i++)
        *c.costs.items[i] = saved(&times[0], &times[i]);
    out->cycles = ok ? times[0].cycles : NAN;
    out->spread = ok ? times[0].spread : NAN;
    /* The cost of small pages is the cost of accesses beyond the first-level cache, minus the same
     * cost with huge pages. Both costs are relative to runs with all data in the first-level cache,
     * so changes of the host's load cancel. */
    if (ok && !huge &&
        recorded_measure(s, r, true, c.list.items, 2, HUGE_PART * seconds, large, &share, err) &&
        share >= HUGE_LEAST) {
        const struct recorded_cost near = saved(&large[0], &large[1]);
        out->huge =
            (struct recorded_cost){out->near.cycles - near.cycles, out->near.off + near.off};
    }
    free(times);
    vec_done(&c.list);
    vec_done(&c.costs);
    return ok;
}

void recorded_costs_done(struct recorded_costs *c)
{
    free(c->without);
    free(c->nearby);
    free(c->sorted);
}

bool recorded_costs_agree(const struct recorded_costs *c)
{
    return fabs(c->cycles - c->program) <= RECORDED_AGREES * c->program + AGREES_CYCLES;
}

static void add_cost(struct result_table *t, const struct recorded_cost *c)
{
    cell_number(t, fabs(c->cycles) < 0.005 ? 0 : c->cycles);
}

static void add_table(const struct recorded_costs *c, const struct recording *r,
                      struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "address", .kind = CELL_TEXT, .width = 5},
        {.key = "cycles_saved", .title = "without", .kind = CELL_NUMBER, .decimals = 2, .width = 7},
        {.key = "nearby", .title = "one line", .kind = CELL_NUMBER, .decimals = 2, .width = 7},
        {.key = "sorted", .kind = CELL_NUMBER, .decimals = 2, .width = 7},
        {.key = "error", .title = "±", .kind = CELL_NUMBER, .decimals = 2, .width = 5},
        {.key = "instruction", .kind = CELL_TEXT},
    };
    struct result_table *t = RESULT_TABLE(result, "recorded", columns);

    for (size_t i = 0; i < c->count; i++) {
        const struct insn *in = r->insns.items[i].insn;
        cell_insn_address(t, in);
        add_cost(t, &c->without[i]);
        add_cost(t, &c->nearby[i]);
        add_cost(t, &c->sorted[i]);
        cell_number(t, fmax(c->without[i].off, fmax(c->nearby[i].off, c->sorted[i].off)));
        cell_text(t, insn_shown(in));
    }
}

void recorded_costs_show(const struct recorded_costs *c, const struct recording *r,
                         struct result *result)
{
    const bool agrees = recorded_costs_agree(c);

    result_number(result, "recorded_cycles", c->cycles);
    result_number(result, "recorded_spread", c->spread);
    result_number(result, "program_cycles", c->program);
    result_switch(result, "recorded_agrees", agrees);
    result_line(result,
                "with the recorded branch outcomes and addresses: %.2f cycles per iteration (%.2f "
                "in the program)",
                c->cycles, c->program);
    if (!agrees) {
        result_line(result,
                    "  these times differ by more than %.0f %%, so the costs are unknown",
                    100 * RECORDED_AGREES);
        return;
    }
    result_number(result, "near_cycles", c->near.cycles);
    result_number(result, "huge_cycles", c->huge.cycles);
    result_line(result, "  %.2f (± %.2f) cycles are saved if all data is in the first-level cache",
                c->near.cycles, c->near.off);
    if (c->huge_pages)
        result_line(result, "%s",
                    "  the loop's data is on pages of 2 MiB, in the program and in these runs");
    else if (isnan(c->huge.cycles))
        result_line(result, "%s",
                    "  the cost of TLB misses is unknown: the system has no pages of 2 MiB, or it "
                    "is too busy");
    else
        result_line(result,
                    "  %.2f (± %.2f) cycles are saved with pages of 2 MiB, due to fewer TLB misses",
                    c->huge.cycles, c->huge.off);
    result_line(result, "%s",
                "\ncycles saved without the instruction, with its accesses in one cache line, and "
                "with iterations sorted by its outcome");
    add_table(c, r, result);
}
