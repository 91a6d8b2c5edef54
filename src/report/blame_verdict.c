/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/blame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/fusion.h"

#define CLEAR 0.03        /* minimum relevant difference, as a fraction of the loop's time */
/* minimum fraction of an instruction's difference for a dependence through memory to explain it */
#define SAME 0.8
/* minimum fraction for a dependence through a register; higher, because the instruction's latency
 * contributes */
#define MORE 1.25
#define SMALL 0.3         /* A remainder below this fraction of a cost is ignored. */

/* Names an instruction: by its line ("line 7"), otherwise by its address, otherwise by its number
 * ("instruction 3"). */
static void blame_place(const struct insn *insns, size_t at, struct str *out)
{
    if (insns[at].line)
        str_addf(out, "line %u", insns[at].line);
    else if (insns[at].placed)
        str_addf(out, "0x%llx", (unsigned long long)insns[at].address);
    else
        str_addf(out, "instruction %zu", at + 1);
}

static double difference(const struct blame_cost *cost)
{
    return cost->here - cost->model;
}

/* Returns whether a difference exceeds the measurement error and is relevant to the user. */
static bool is_clear(const struct blame *b, const struct blame_cost *cost)
{
    double d = fabs(difference(cost));
    return d > cost->error && d > CLEAR * b->measured;
}

static size_t worst_row(const struct blame *b)
{
    size_t worst = b->count;
    for (size_t i = 0; i < b->count; i++)
        if (is_clear(b, &b->rows[i].out) &&
            (worst == b->count ||
             fabs(difference(&b->rows[i].out)) > fabs(difference(&b->rows[worst].out))))
            worst = i;
    return worst;
}

static double weight(const struct blame_edge *e)
{
    return fabs(difference(&e->cut)) / (e->of.reg == REG_NONE ? SAME : MORE);
}

/* Returns the dependence of instruction @row with the largest clear difference; b->edge_count if
 * there is none. If @row is b->count, considers all instructions. Memory has precedence over
 * registers, because memory is the rarer explanation. */
static size_t worst_edge(const struct blame *b, size_t row)
{
    size_t worst = b->edge_count;
    double most = 0;

    for (size_t i = 0; i < b->edge_count; i++) {
        const struct blame_edge *e = &b->edges[i];
        double d = weight(e);
        if ((row < b->count && e->of.from != row && e->of.to != row) || !is_clear(b, &e->cut) ||
            d <= most)
            continue;
        most = d;
        worst = i;
    }
    return worst;
}

static void add_number(double cycles, struct str *out)
{
    double shown = fabs(cycles) < 0.005 ? 0 : cycles;
    str_addf(out, shown == 0 ? "%.0f" : "%.2f", shown);
}

static void add_costs(const struct blame_cost *cost, struct str *out)
{
    str_add(out, " costs ");
    add_number(cost->here, out);
    str_add(out, " here, ");
    add_number(cost->model, out);
    str_add(out, " in the model");
}

/* Appends the table entry of the instruction's form, or a note that the form is not in the
 * model. */
static void add_entry(const struct insn *in, const struct machine *m, struct str *out)
{
    const struct mapping_entry *entry = fusion_resolve(m, in);

    if (!entry) {
        str_add(out, ", whose form is not in the model");
        return;
    }
    str_add(out, " (in the table ");
    mapping_entry_print(m->mapping, entry, out);
    str_add_char(out, ')');
}

/* Appends the reason for the instruction's cost if the nop variant shows a reason. */
static void add_reason(const struct blame_row *row, const struct insn *in, const struct machine *m,
                       struct str *out)
{
    bool nop = isfinite(row->nop.here), slow = row->out.here > row->out.model;
    const char *access = in->traits & INSN_LOAD && in->traits & INSN_STORE ? "load and store"
                         : in->traits & INSN_STORE                         ? "store"
                         : in->traits & INSN_LOAD                          ? "load"
                                                                           : NULL;

    str_add(out, ": ");
    if (nop && slow && row->nop.here < SMALL * row->out.here && row->out.here > 0)
        str_add(out, "the slot at rename or in the front end, because a nop in its place takes "
                     "equally long");
    else if (nop && !slow && row->nop.model < SMALL * row->out.model)
        str_add(out, "its issue slot in the model");
    else if (access)
        str_addf(out, "its %s", access);
    else
        str_add(out, "its execution");
    add_entry(in, m, out);
}

static void judge_edge(struct blame *b, const struct blame_edge *e, const struct insn *insns,
                       struct str *out)
{
    b->worst = e->of.to;
    blame_place(insns, e->of.to, out);
    add_costs(&e->cut, out);
    str_add(out, " by waiting for ");
    blame_place(insns, e->of.from, out);
    str_add(out, ": ");
    if (e->of.reg == REG_NONE)
        str_add(out, "a store and a load of one address");
    else
        dependence_through((enum isa)insns->isa, &e->of, out);
}

static void judge_row(struct blame *b, size_t row, const struct insn *insns,
                      const struct machine *m, struct str *out)
{
    b->worst = row;
    blame_place(insns, row, out);
    add_costs(&b->rows[row].out, out);
    add_reason(&b->rows[row], &insns[row], m, out);
}

static size_t without_time(const struct blame *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->count; i++)
        n += isnan(b->rows[i].out.here) && isfinite(b->rows[i].out.model);
    return n;
}

/* Writes the sentence for the case that no difference is clear. */
static void judge_nothing(const struct blame *b, struct str *out)
{
    size_t missing = without_time(b);

    if (missing)
        str_addf(out,
                 "no stable time on this CPU for %zu of %zu instructions; the other instructions "
                 "do not explain the difference; repeat the command when the computer is idle",
                 missing, b->count);
    else if (fabs(b->measured - b->predicted) <= BLAME_AGREES * b->measured)
        str_addf(out,
                 "measured and predicted cycles agree within %.0f %%; no instruction or dependence "
                 "differs clearly",
                 100 * BLAME_AGREES);
    else
        str_addf(out,
                 "no single instruction or dependence differs from its predicted cycles by more "
                 "than its error and %.0f %% of the loop's time",
                 100 * CLEAR);
}

void blame_judge(struct blame *b, const struct insn *insns, const struct machine *m)
{
    size_t row = worst_row(b), edge = worst_edge(b, row);
    struct str out = {0};

    if (row == b->count && edge == b->edge_count)
        judge_nothing(b, &out);
    else if (edge < b->edge_count &&
             (row == b->count || weight(&b->edges[edge]) >= fabs(difference(&b->rows[row].out))))
        judge_edge(b, &b->edges[edge], insns, &out);
    else
        judge_row(b, row, insns, m, &out);
    b->sentence = str_take(&out);
}
