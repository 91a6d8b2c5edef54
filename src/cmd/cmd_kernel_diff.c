/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernel diff */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/mem.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/shelf.h"
#include "model/usage.h"

#define ROWS_MOST 2000   /* instructions of each loop: the alignment takes their product */

struct kernel_diff_values {
    size_t other;
    struct word_list machines;
};

/* One of the two: a loop on a machine. */
struct side {
    struct shelved item;
    struct analysis *analysis;
    struct str name;
};

static const struct parameter diff_arguments[] = {
    {.name = "N", .kind = PARAMETER_COUNT, .at = offsetof(struct kernel_diff_values, other), .least = 1, .most = SHELF_MOST, .otherwise = "the one before it",
     .help = "kernel to compare the current one with, as kernel opened numbers them"},
    {0},
};
static const struct parameter diff_options[] = {
    {.name = "--machine", .kind = PARAMETER_WORDS, .at = offsetof(struct kernel_diff_values, machines), .value = "ID", .otherwise = "the current machine", .complete = COMPLETE_MACHINE,
     .help = "machine of both; two: one of each, where without N the current kernel is compared with itself"},
    {0},
};

static const char *text_of(const struct analysis *a, size_t row)
{
    const struct insn *insn = a->rows[row].insn;
    return insn->text ? insn->text : insn->mnemonic;
}

/* How well two instructions stand beside each other: the same text, the same form, the same mnemonic, or not at all. */
static unsigned likeness(const struct analysis *a, size_t i, const struct analysis *b, size_t j)
{
    const struct insn *x = a->rows[i].insn, *y = b->rows[j].insn;

    return strcmp(text_of(a, i), text_of(b, j)) == 0 ? 4 : strcmp(x->form, y->form) == 0 ? 3 : strcmp(x->mnemonic, y->mnemonic) == 0 ? 2 : 0;
}

static void put_cell(struct result_table *t, const struct analysis *a, size_t row, bool there)
{
    struct str usage = {0};

    if (there)
        usage_print(&a->rows[row].usage, mapping_ports(a->machine->mapping), &usage);
    cell_text(t, there ? text_of(a, row) : "");
    cell_text(t, !there ? "" : a->rows[row].flags & ROW_UNKNOWN ? "unknown" : usage.length ? str_text(&usage) : "-");
    str_done(&usage);
}

static void put_row(struct result_table *t, const struct side *s, size_t i, bool left, size_t j, bool right)
{
    const unsigned alike = left && right ? likeness(s[0].analysis, i, s[1].analysis, j) : 0;

    cell_text(t, alike == 4 ? "" : alike ? "~" : left ? "-" : "+");
    put_cell(t, s[0].analysis, i, left);
    put_cell(t, s[1].analysis, j, right);
}

/* The alignment of most likeness (Needleman and Wunsch 1970, gaps for nothing), from the tails on, so that rows come out in their order. */
static void add_instructions(const struct side *s, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "change", .title = "", .kind = CELL_TEXT, .width = 1}, {.key = "a", .title = "A", .kind = CELL_TEXT, .width = 30}, {.key = "ports_a", .title = "ports", .kind = CELL_TEXT, .width = 12},
        {.key = "b", .title = "B", .kind = CELL_TEXT, .width = 30}, {.key = "ports_b", .title = "ports", .kind = CELL_TEXT}};
    struct result_table *t = result_table(result, "instructions", columns, sizeof columns / sizeof *columns);
    const struct analysis *a = s[0].analysis, *b = s[1].analysis;
    const size_t n = a->count, m = b->count, width = m + 1;
    uint32_t *best = mem_zero((n + 1) * width, sizeof *best);

    for (size_t i = n; i-- > 0 && !watch_steps(1 + m / 4);)
        for (size_t j = m; j-- > 0;) {
            const unsigned alike = likeness(a, i, b, j);
            uint32_t value = alike ? best[(i + 1) * width + j + 1] + alike : 0, down = best[(i + 1) * width + j], right = best[i * width + j + 1];
            value = down > value ? down : value;
            best[i * width + j] = right > value ? right : value;
        }
    for (size_t i = 0, j = 0; i < n || j < m;) {
        const unsigned alike = i < n && j < m ? likeness(a, i, b, j) : 0;
        const bool both = alike && best[i * width + j] == best[(i + 1) * width + j + 1] + alike;
        const bool left = both || (i < n && (j >= m || best[(i + 1) * width + j] >= best[i * width + j + 1])), right = both || !left;
        put_row(t, s, i, left, j, right);
        i += left;
        j += right;
    }
    free(best);
}

/* Of loops that do several iterations at once (kernel tune), all is told per one. */
static double times_of(const struct side *s)
{
    return s->item.kernel->times > 1 ? s->item.kernel->times : 1;
}

static void put_values(struct result_table *t, const char *name, double a, double b)
{
    cell_text(t, name);
    cell_number(t, a);
    cell_number(t, b);
    cell_number(t, b - a);
}

/* Cycles, bounds and what each port takes, beside each other with the difference; ports only where both have the same. */
static void add_bounds(const struct side *s, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "cycles", .title = "cycles per iteration", .kind = CELL_TEXT, .width = 22}, {.key = "a", .title = "A", .kind = CELL_NUMBER, .decimals = 2, .width = 8},
        {.key = "b", .title = "B", .kind = CELL_NUMBER, .decimals = 2, .width = 8}, {.key = "difference", .kind = CELL_NUMBER, .decimals = 2}};
    struct result_table *t = result_table(result, "bounds", columns, sizeof columns / sizeof *columns);
    const struct analysis *a = s[0].analysis, *b = s[1].analysis;

    const double x = times_of(&s[0]), y = times_of(&s[1]);

    put_values(t, "predicted", a->cycles / x, b->cycles / y);
    for (int kind = 0; kind < BOUND_COUNT; kind++)
        put_values(t, bound_name((enum bound_kind)kind), a->bounds[kind] / x, b->bounds[kind] / y);
    put_values(t, "instructions", (double)a->count / x, (double)b->count / y);
    if (strcmp(a->machine->id, b->machine->id) != 0)
        return;
    const struct ports *ports = mapping_ports(a->machine->mapping);
    for (unsigned j = 0; j < ports->count; j++) {
        struct str name = {0};
        str_addf(&name, "port %s", ports->names[j]);
        if (a->totals[j] > 0.005 || b->totals[j] > 0.005)
            put_values(t, str_text(&name), a->totals[j] / x, b->totals[j] / y);
        str_done(&name);
    }
}

/* Which two: kernels of the list, and the machine of each. */
static bool choose(struct session *s, const struct kernel_diff_values *v, struct side side[2], struct machine *machines[2], struct err *err)
{
    const struct shelf *shelf = &s->document.shelf;
    const size_t count = v->machines.count;
    size_t other = v->other != NOT_GIVEN ? v->other - 1 : count == 2 ? shelf->at : shelf->at ? shelf->at - 1 : shelf->list.count - 1;

    if (count > 2)
        return err_set(err, ERR_USAGE, "name one machine, or two", "two are compared, not %zu", count);
    if (other >= shelf->list.count || (other == shelf->at && count < 2))
        return err_set(err, ERR_USAGE, "kernel opened lists them; kernel load and kernel paste add others", "no other kernel to compare with");
    side[0].item = shelf->list.items[other];
    side[1].item = shelf->list.items[shelf->at];
    side[1].item.loop = s->document.loop;
    if (other == shelf->at)
        side[0].item.loop = s->document.loop;
    for (int i = 0; i < 2; i++) {
        size_t insns;
        kernel_insns(side[i].item.kernel, side[i].item.loop, &insns);
        machines[i] = session_machine(s, count ? v->machines.items[count == 2 ? i : 0] : s->document.selected[s->document.in_view], err);
        if (!machines[i])
            return false;
        if (strcmp(machines[i]->isa, isa_name(side[i].item.kernel->isa)) != 0)
            return err_set(err, ERR_USAGE, "name a machine for each with --machine", "%s is a machine for %s, %s is %s", machines[i]->id, machines[i]->isa, side[i].item.kernel->name,
                           isa_name(side[i].item.kernel->isa));
        if (insns > ROWS_MOST)
            return err_set(err, ERR_LIMIT, "kernel use takes another loop", "%zu instructions; at most %d are compared", insns, ROWS_MOST);
    }
    return true;
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    struct side side[2] = {0};
    struct machine *machines[2];

    if (!session_has_kernel(s, err) || !choose(s, values, side, machines, err))
        return false;
    for (int i = 0; i < 2; i++) {
        side[i].analysis = analysis_new(side[i].item.kernel, side[i].item.loop, machines[i]);
        shelf_name(&side[i].item, &side[i].name);
        result_line(result, "%c  %s, on %s", 'A' + i, str_text(&side[i].name), machines[i]->id);
        result_text(result, i ? "b_kernel" : "a_kernel", str_text(&side[i].name));
        result_text(result, i ? "b_machine" : "a_machine", machines[i]->id);
        str_done(&side[i].name);
    }
    const double a = side[0].analysis->cycles / times_of(&side[0]), b = side[1].analysis->cycles / times_of(&side[1]);
    for (int i = 0; i < 2; i++)
        if (side[i].item.kernel->times > 1)
            result_line(result, "%c does %u iterations at once; all values are per one\n", 'A' + i, side[i].item.kernel->times);
    result_line(result, "B takes %.2f cycles per iteration, A %.2f: %+.2f (%+.0f %%)\n\n", b, a, b - a, a > 0 ? 100 * (b / a - 1) : 0);
    add_bounds(side, result);
    result_line(result, "\n");
    add_instructions(side, result);
    for (int i = 0; i < 2; i++)
        analysis_free(side[i].analysis);
    return watch_goes_on(err);
}

static const char *const examples[] = {"kernel diff", "kernel diff 1", "kernel diff --machine skylake --machine znver4", NULL};

const struct command command_kernel_diff = {
    .name = "kernel diff",
    .help = "compare two loops, instruction by instruction, with cycles, bounds and ports beside each other",
    .description = "B is the current kernel, A the one loaded before it or N; with two machines the same loop on both. ~ marks instructions that differ in their operands or forms, - "
                   "those that A alone has, + those of B alone. Cycles are per iteration; of a loop from kernel tune that does several at once, per one of them.",
    .arguments = diff_arguments,
    .options = diff_options,
    .examples = examples,
    .values_size = sizeof(struct kernel_diff_values),
    .flags = COMMAND_READS,
    .run = run,
};
