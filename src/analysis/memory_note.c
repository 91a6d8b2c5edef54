/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/memory_note.h"

#include <math.h>
#include <string.h>

#include "isa/vary.h"
#include "model/facts.h"

/* smallest ratio of the time with larger arrays to the time in the first-level cache for which a
 * note is made */
#define MATTERS 1.05
/* largest share of a cache's size at which arrays certainly fit the cache */
#define WITHIN 0.5
/* smallest multiple of the last cache's size at which arrays are in memory */
#define BEYOND 8

struct memory_core memory_core_of(const struct machine *m, double cycles, const double *bounds)
{
    return (struct memory_core){.cycles = cycles,
                                .own = isnan(bounds[BOUND_MEMORY]) ? 0 : bounds[BOUND_MEMORY],
                                .uops =
                                    fmax(0, bounds[BOUND_ISSUE] * fact_number(m, "issue_width")),
                                .window = fact_number(m, "reorder_buffer"),
                                .scheduler = fact_number(m, "scheduler"),
                                .reload = fmax(0, fact_number(m, "load_latency"))};
}

/* Returns the sum of the constants added to @reg per iteration; 0 if @reg changes in another
 * way. */
static int64_t register_step(const struct insn *insns, size_t count, uint8_t reg)
{
    int64_t step = 0;

    for (size_t i = 0; i < count; i++) {
        const struct operand *to = insn_operand(&insns[i], insns[i].result),
                             *left = insn_operand(&insns[i], insns[i].inputs[0]),
                             *right = insn_operand(&insns[i], insns[i].inputs[1]);
        bool written = false;
        for (unsigned k = 0; k < insns[i].operand_count; k++)
            written |= insns[i].operands[k].kind == OPERAND_REGISTER &&
                       insns[i].operands[k].reg == reg &&
                       insns[i].operands[k].access & ACCESS_WRITE;
        if (!written)
            continue;
        const bool own = to && to->kind == OPERAND_REGISTER && to->reg == reg && left &&
                         left->kind == OPERAND_REGISTER && left->reg == reg;
        const bool constant = right && right->kind == OPERAND_IMMEDIATE &&
                              right->immediate >= INT32_MIN && right->immediate <= INT32_MAX;
        if (own && insns[i].operation == OPERATION_ADD && constant)
            step += right->immediate;
        else if (own && insns[i].operation == OPERATION_SUBTRACT && constant)
            step -= right->immediate;
        else if (own && (insns[i].operation == OPERATION_INCREMENT ||
                         insns[i].operation == OPERATION_DECREMENT))
            step += insns[i].operation == OPERATION_INCREMENT ? 1 : -1;
        else
            return 0;
    }
    return step;
}

double memory_iterations(const struct insn *insns, size_t count, uint8_t *reg)
{
    if (count < 2 || !(insns[count - 1].traits & INSN_CONDITIONAL))
        return 0;
    size_t at = count - 1;
    while (at && !insns[at - 1].flags_written)
        at--;
    if (!at || insns[at - 1].operation != OPERATION_COMPARE)
        return 0;
    const struct operand *left = insn_operand(&insns[at - 1], insns[at - 1].inputs[0]),
                         *right = insn_operand(&insns[at - 1], insns[at - 1].inputs[1]);
    if (!left || left->kind != OPERAND_REGISTER || !right || right->kind != OPERAND_IMMEDIATE ||
        right->immediate <= 0)
        return 0;
    const int64_t step = register_step(insns, count, left->reg);
    *reg = left->reg;
    return step > 0 ? (double)right->immediate / (double)step : 0;
}

static double walked(const struct streams *s, double iterations)
{
    double bytes = 0;

    for (size_t i = 0; i < s->items.count; i++)
        if (s->items.items[i].kind == STREAM_WALK && s->items.items[i].follows == STREAM_ALONE)
            bytes += iterations * fabs((double)s->items.items[i].step);
    return bytes;
}

static double rounded(double cycles)
{
    const double scale = cycles > 0 ? pow(10, fmax(2 - floor(log10(cycles)), 0)) : 1;

    return round(cycles * scale) / scale;
}

static void add_levels(const struct streams *s, const struct memory_costs *m,
                       const struct memory_core *core, struct str *out)
{
    const double sizes[] = {WITHIN * m->second, WITHIN * m->third,
                            BEYOND * fmax(m->second, m->third)};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const double cycles = sizes[i] > 0 ? memory_time_at(s, m, core, sizes[i]).cycles : 0;
        if (cycles > MATTERS * core->cycles)
            str_addf(out, "%s%s %g", out->length ? ", " : "", memory_level_at(m, sizes[i]),
                     rounded(cycles));
    }
}

static void add_size(const struct insn *insns, size_t count, const struct streams *s,
                     const struct memory_costs *m, const struct memory_core *core, struct str *out)
{
    uint8_t reg = 0;
    const double bytes = walked(s, memory_iterations(insns, count, &reg));
    const struct memory_time t = memory_time_at(s, m, core, bytes);

    if (!(bytes > m->first) || !(t.cycles > MATTERS * core->cycles))
        return;
    str_addf(out, " The arrays total %.3g MB if ", bytes * 1e-6);
    vary_register_name((enum isa)insns[0].isa, reg, out);
    str_addf(out, " begins at 0. An iteration then takes %g cycles instead of %g.",
             rounded(t.cycles), rounded(core->cycles));
}

void memory_note(const struct analysis *a, const struct kernel *k, size_t loop, struct str *levels,
                 struct str *size)
{
    const struct memory_core core = memory_core_of(a->machine, a->cycles, a->bounds);
    struct memory_costs costs;
    struct streams streams;
    struct err ignored = {0};
    bool moves = false;
    size_t count;
    const struct insn *insns = kernel_insns(k, loop, &count);

    if (!memory_costs_of(a->machine, &costs, &ignored))
        return;
    streams_find(insns, count, &streams);
    for (size_t i = 0; i < streams.items.count; i++)
        moves |= stream_moves(&streams.items.items[i]);
    if (moves && !streams.unknown) {
        add_levels(&streams, &costs, &core, levels);
        add_size(insns, count, &streams, &costs, &core, size);
    }
    streams_done(&streams);
}
