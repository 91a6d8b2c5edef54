/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/comparison.h"
#include "cmd/task.h"
#include "model/usage.h"

struct kernel_diff_values {
    size_t other;
    struct word_list machines;
};

static const struct parameter diff_arguments[] = {
    {PARAMETER(COUNT, "N", struct kernel_diff_values, other),
     .least = 1,
     .most = SHELF_MOST,
     .fallback = "the previous kernel",
     .help = "number of the kernel to compare with, see kernel opened"},
    {0},
};
static const struct parameter diff_options[] = {
    MACHINES_OPTION(kernel_diff_values, "the current machine",
                    "machine of both kernels, or one machine for each; two machines without N "
                    "compare the current kernel with itself"),
    {0},
};

static void put_cell(struct result_table *t, const struct analysis *a, uint32_t row)
{
    const bool there = row != COMPARISON_NONE;
    const struct insn *insn = there ? a->rows[row].insn : NULL;
    struct str usage = {0};
    char address[PLACE_TEXT + 2];

    if (there)
        usage_print(&a->rows[row].usage, &a->ports, &usage);
    cell_text(t, there ? insn_address_text(insn, address) : NULL);
    cell_text(t, !there ? "" : insn->text ? insn->text : insn->mnemonic);
    cell_text(t, !there                             ? ""
                 : a->rows[row].flags & ROW_UNKNOWN ? "unknown"
                 : usage.length                     ? str_text(&usage)
                                                    : "-");
    str_done(&usage);
}

static void add_instructions(const struct paired_loops *c, struct result *result)
{
    unsigned hide[2];

    for (int i = 0; i < 2; i++)
        hide[i] = c->side[i].analysis->count && c->side[i].analysis->rows[0].insn->placed
                      ? 0
                      : NOT_TEXT | NOT_DOCUMENT;
    const struct result_column columns[] = {
        {.key = "change", .title = "", .kind = CELL_TEXT, .width = 1},
        {.key = "address_a", .title = "address", .kind = CELL_TEXT, .width = 7, .hide = hide[0]},
        {.key = "a", .title = "A", .kind = CELL_TEXT, .width = 30},
        {.key = "ports_a", .title = "ports", .kind = CELL_TEXT, .width = 12},
        {.key = "address_b", .title = "address", .kind = CELL_TEXT, .width = 7, .hide = hide[1]},
        {.key = "b", .title = "B", .kind = CELL_TEXT, .width = 30},
        {.key = "ports_b", .title = "ports", .kind = CELL_TEXT}};
    static const char *const marks[] = {[COMPARISON_SAME] = "",
                                        [COMPARISON_CHANGED] = "~",
                                        [COMPARISON_ONLY_A] = "-",
                                        [COMPARISON_ONLY_B] = "+"};
    struct result_table *t = RESULT_TABLE(result, "instructions", columns);

    for (size_t i = 0; i < c->rows.count; i++) {
        cell_text(t, marks[c->rows.items[i].change]);
        put_cell(t, c->side[0].analysis, c->rows.items[i].a);
        put_cell(t, c->side[1].analysis, c->rows.items[i].b);
    }
}

/* Adds two values and their difference. If @exact is false, the values are lower limits, so the
 * difference is omitted. */
static void put_values(struct result_table *t, const char *name, double a, double b, bool exact)
{
    cell_text(t, name);
    cell_number(t, a);
    cell_number(t, b);
    cell_number(t, exact ? b - a : NAN);
}

/* Adds cycles, bounds and port loads of both loops with their differences. Omits idle ports, and
 * all ports if the loops are on different machines. */
static void add_bounds(const struct paired_loops *c, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "cycles", .title = "cycles per iteration", .kind = CELL_TEXT, .width = 22},
        {.key = "a", .title = "A", .kind = CELL_NUMBER, .decimals = 2, .width = 8},
        {.key = "b", .title = "B", .kind = CELL_NUMBER, .decimals = 2, .width = 8},
        {.key = "difference", .kind = CELL_NUMBER, .decimals = 2}};
    struct result_table *t = RESULT_TABLE(result, "bounds", columns);
    const struct analysis *a = c->side[0].analysis, *b = c->side[1].analysis;
    const double x = c->side[0].times, y = c->side[1].times;
    const bool exact = comparison_is_exact(c);

    put_values(t, "predicted", a->cycles / x, b->cycles / y, exact);
    for (int kind = 0; kind < BOUND_COUNT; kind++)
        put_values(t, bound_name((enum bound_kind)kind), a->bounds[kind] / x, b->bounds[kind] / y,
                   exact);
    put_values(t, "instructions", (double)a->count / x, (double)b->count / y, true);
    if (strcmp(a->machine->id, b->machine->id) != 0)
        return;
    const struct ports *ports = &a->ports;
    for (unsigned j = 0; j < ports->count; j++) {
        struct str name = {0};
        str_addf(&name, "port %s", ports->names[j]);
        if (a->totals[j] > 0.005 || b->totals[j] > 0.005)
            put_values(t, str_text(&name), a->totals[j] / x, b->totals[j] / y, exact);
        str_done(&name);
    }
}

static void show(const struct paired_loops *c, struct result *result)
{
    struct str sentence = {0};

    for (int i = 0; i < 2; i++) {
        const struct comparison_side *side = &c->side[i];
        result_line(result, "%c  %s, on %s", 'A' + i, str_text(&side->name), side->machine->id);
        result_text(result, i ? "b_kernel" : "a_kernel", str_text(&side->name));
        result_text(result, i ? "b_machine" : "a_machine", side->machine->id);
    }
    for (int i = 0; i < 2; i++)
        if (c->side[i].times > 1)
            result_line(result,
                        "%c combines %.0f iterations; all values are per source iteration\n",
                        'A' + i, c->side[i].times);
    comparison_say(c, false, &sentence);
    result_line(result, "%s\n\n", str_text(&sentence));
    str_done(&sentence);
    add_bounds(c, result);
    result_line(result, "\n");
    add_instructions(c, result);
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct kernel_diff_values *v = values;
    struct paired_loops *c = comparison_new(s, v->other, v->machines.items, v->machines.count, err);
    bool ok = c && comparison_make(c, err);

    if (ok)
        show(c, result);
    comparison_free(c);
    return ok;
}

const struct command command_kernel_diff = {
    .name = "kernel diff",
    .help = "compare two loops instruction by instruction, with cycles, bounds and ports",
    .description = "B is the current kernel, A the previous kernel or kernel N. With two machines "
                   "A and B are the same loop. ~ marks instructions that differ in operands or "
                   "forms, - instructions of A only, + instructions of B only. Cycles are per "
                   "source iteration, even if kernel tune or the compiler combined several "
                   "iterations.",
    .arguments = diff_arguments,
    .options = diff_options,
    .examples = EXAMPLES("kernel diff", "kernel diff 1",
                         "kernel diff --machine skylake --machine znver4"),
    .values_size = sizeof(struct kernel_diff_values),
    .read = run,
};

struct compare_task {
    struct paired_loops *made;   /* result of the job; NULL: moved to the session */
};

static bool compare_work(void *state, struct result *result, struct err *err)
{
    return comparison_make(((struct compare_task *)state)->made, err);
}

static bool compare_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct compare_task *w = state;

    comparison_free(s->document.comparison);
    s->document.comparison = w->made;
    w->made = NULL;
    return session_view(s, "view", "compare", result, err);
}

static void comparing_free(void *state)
{
    struct compare_task *w = state;

    comparison_free(w->made);
    free(w);
}

static bool prepare_compare(struct session *s, const void *values, struct task *task,
                            struct err *err)
{
    static const struct task_ops ops = {"compares", compare_work, compare_publish, comparing_free,
                                        .listed = TASK_LISTED_IF_LONG};
    const struct kernel_diff_values *v = values;
    const struct document *d = &s->document;
    /* With several machines, compares a single kernel on the displayed machine and the next
     * machine. */
    const char *machines[] = {d->selected[d->in_view],
                              d->selected[(d->in_view + 1) % d->selected_count]};
    bool alone = v->other == NOT_GIVEN && !v->machines.count && d->shelf.list.count == 1 &&
                 d->selected_count > 1;
    struct paired_loops *c =
        alone ? comparison_new(s, NOT_GIVEN, machines, 2, err)
              : comparison_new(s, v->other, v->machines.items, v->machines.count, err);

    if (!c)
        return false;
    struct compare_task *w = mem_zero(1, sizeof *w);
    w->made = c;
    return task_give(task, &ops, w);
}

const struct command command_kernel_compare = {
    .name = "kernel compare",
    .help = "show two loops side by side in the view compare",
    .description =
        "B is the current kernel, A the previous kernel or kernel N. With two machines, or without "
        "another kernel, A and B are the same loop. kernel diff prints the same comparison.",
    .arguments = diff_arguments,
    .options = diff_options,
    .examples = EXAMPLES("kernel compare", "kernel compare 1",
                         "kernel compare --machine skylake --machine znver4"),
    .values_size = sizeof(struct kernel_diff_values),
    .prepare = prepare_compare,
};
