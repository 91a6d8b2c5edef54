/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/spread.h"

#include <math.h>
#include <string.h>

#define FARTHER 2.0        /* of the largest value that was run: a run that costs little more */

struct part_range { double least, most; bool exact; };

/* How much the count of @block, and the references in it, may differ from what is predicted, as factors. */
static struct part_range range_of(const struct program_model *m, uint32_t block, const double *inputs, double executions)
{
    struct part_range r = {1, 1, true};
    double least, most;

    program_model_range(m, block, inputs, &least, &most);
    if (executions > 0 && least != most)
        r = (struct part_range){fmin(1, least / executions), fmax(1, most / executions), false};
    for (size_t i = 0; m->traced && i < m->runs->program->reference_count; i++) {
        const struct formula *total = &m->formulas[m->references[i].total];
        if (m->runs->program->references[i].block != block)
            continue;
        program_model_formula_range(m, m->references[i].total, inputs, &least, &most);
        const double value = formula_value(total, inputs, m->runs->name_count);
        if (least == most || !(value > 0))
            continue;
        r.least = fmin(r.least, least / value);
        r.most = fmax(r.most, most / value);
        r.exact = false;
    }
    return r;
}

/* Cycles that blocks take at most which the formulas have not at all: no loop is left out without a word. */
static double left_out(const struct program_model *m, const double *inputs, const struct program_time *t)
{
    double executions = 0, cycles = 0, least, most;

    for (size_t i = 0; i < t->parts.count; i++)
        executions += t->parts.items[i].executions;
    for (size_t b = 0; b < m->runs->program->block_count; b++) {
        program_model_range(m, b, inputs, &least, &most);
        if (most > 0 && formula_value(program_model_count(m, b), inputs, m->runs->name_count) <= 0)
            cycles += most * (executions > 0 ? t->cycles / executions : 1);
    }
    return cycles;
}

/* The run that the formulas of @block disagree about most: one input beyond its largest value, the others as at their largest. */
static void find_run(const struct program_model *m, const double *inputs, struct time_spread *out)
{
    const struct program_runs *runs = m->runs;
    const size_t width = runs->name_count;
    double largest[INPUTS_MAX] = {0}, most_apart = 1;

    for (size_t r = 0; r < runs->runs.count; r++)
        for (size_t i = 0; i < width; i++)
            largest[i] = fmax(largest[i], runs->runs.items[r].inputs[i]);
    for (size_t i = 0; i < width; i++) {
        double at[INPUTS_MAX], least, most;
        if (!(inputs[i] > largest[i]))
            continue;
        memcpy(at, largest, sizeof at);
        at[i] = floor(fmin(inputs[i], FARTHER * largest[i]));
        program_model_range(m, out->block, at, &least, &most);
        const double apart = (most + 1) / (least + 1);
        if (out->input < 0 || apart > most_apart) {
            out->input = (int)i;
            out->value = at[i];
            most_apart = apart;
        }
    }
}

void spread_of(const struct program_model *m, const double *inputs, const struct program_time *t, struct time_spread *out)
{
    double less = 0, more = 0, inexact = 0, worst = 0;

    *out = (struct time_spread){.least = 1, .most = 1, .block = UINT32_MAX, .input = -1, .value = NAN};
    for (size_t i = 0; i < t->parts.count; i++) {
        const struct part_time *part = &t->parts.items[i];
        const struct part_range r = range_of(m, part->block, inputs, part->executions);
        less += (1 - r.least) * part->cycles;
        more += (r.most - 1) * part->cycles;
        inexact += r.exact ? 0 : part->cycles;
        if ((r.most - r.least) * part->cycles > worst) {
            worst = (r.most - r.least) * part->cycles;
            out->block = part->block;
        }
    }
    more += left_out(m, inputs, t);
    if (!(t->cycles > 0))
        return;
    out->least = 1 - less / t->cycles;
    out->most = 1 + more / t->cycles;
    out->inexact = inexact / t->cycles;
    if (out->block != UINT32_MAX)
        find_run(m, inputs, out);
}
