/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "program/basis.h"
#include "program/derived.h"
#include "program/sizes.h"

/* Factors by which the model may be wrong: the time may be smaller by the first factor, and larger
 * by the second. Found from 67 measured times of 28 programs (docs/programs.md): 62 are in the
 * range, one below and four above it. The factors of calls and of mispredicted branches are
 * guesses. */
struct off { double less, more; };
static const struct off core_off = {1.15, 1.5}, memory_off = {1.2, 1.5}, calls_off = {1.6, 1.6},
                        branches_off = {1.6, 2};
/* largest value of an input in an additional run, as a multiple of its largest value in the runs */
#define FARTHER 2.0
/* Longest estimated duration of an additional run in seconds: half of the default limit of program
 * run, because the estimate is rough. */
#define RUN_SECONDS 30.0

struct part_range { double least, most; bool exact; };

/* Includes in *@r the factors by which the value of @formula at @inputs may differ from the
 * prediction. Does nothing if all formulas agree, or for a value of 0. */
static void widen_range(const struct program_model *m, uint32_t formula, const double *inputs,
                        struct part_range *r)
{
    double least, most;

    count_formula_range(m, formula, inputs, &least, &most);
    const double value = formula_value(&m->formulas[formula], inputs, m->runs->name_count);
    if (least == most || !(value > 0))
        return;
    r->least = fmin(r->least, least / value);
    r->most = fmax(r->most, most / value);
    r->exact = false;
}

/* Returns the factors by which executions may differ from the prediction: those of @block, of its
 * references, and of the callbacks of its external functions. */
static struct part_range range_of(const struct program_model *m, uint32_t block,
                                  const double *inputs, double executions)
{
    struct part_range r = {1, 1, true};
    double least, most;

    count_range(m, block, inputs, &least, &most);
    if (executions > 0 && least != most)
        r = (struct part_range){fmin(1, least / executions), fmax(1, most / executions), false};
    for (size_t i = 0; m->traced && i < m->runs->program->reference_count; i++)
        if (m->runs->program->references[i].block == block && !program_model_with_block(m, i))
            widen_range(m, m->references[i].total, inputs, &r);
    if (m->callbacks[block] != UINT32_MAX)
        widen_range(m, m->callbacks[block], inputs, &r);
    return r;
}

/* Returns an upper bound of the cycles of blocks whose formula yields 0 but whose count may be
 * positive. Without this bound, a predicted time could lack a loop without notice. */
static double left_out(const struct program_model *m, const double *inputs,
                       const struct program_time *t)
{
    double executions = 0, cycles = 0, least, most;

    for (size_t i = 0; i < t->parts.count; i++)
        executions += t->parts.items[i].executions;
    for (size_t b = 0; b < m->runs->program->block_count; b++) {
        count_range(m, b, inputs, &least, &most);
        if (most > least &&
            formula_value(program_model_count(m, b), inputs, m->runs->name_count) <= 0)
            cycles += most * (executions > 0 ? t->cycles / executions : 1);
    }
    return cycles;
}

/* Returns the estimated seconds of a run at @inputs: those of the slowest run times the ratio of
 * the executions of blocks. */
static double run_seconds(const struct program_model *m, const double *inputs)
{
    const struct program_run *slowest = &m->runs->runs.items[0];
    double executions = 0, most = 0;

    for (size_t r = 0; r < m->runs->runs.count; r++)
        if (m->runs->runs.items[r].seconds > slowest->seconds)
            slowest = &m->runs->runs.items[r];
    for (size_t b = 0; b < m->runs->program->block_count; b++) {
        executions += slowest->counts[b];
        most += fmax(0, formula_value(program_model_count(m, b), inputs, m->runs->name_count));
    }
    return executions > 0 ? slowest->seconds * most / executions : 0;
}

/* Finds the additional run for which the formulas of out->block differ most: one input beyond its
 * largest value in the runs, and the largest value of each other input. Macros grow in multiples of
 * SIZES_STEP, because the compiler generates other blocks for other remainders. The value is
 * smaller if the estimated duration exceeds RUN_SECONDS. Finds none if no value is short enough. */
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
        const double step =
            invocation_macros(&runs->how, runs->names[i], 0, NULL) ? SIZES_STEP : 1;
        double steps = floor((fmin(inputs[i], FARTHER * largest[i]) - largest[i]) / step);
        memcpy(at, largest, sizeof at);
        for (at[i] += steps * step; steps > 0 && run_seconds(m, at) > RUN_SECONDS;
             at[i] = largest[i] + steps * step)
            steps = floor(steps / 2);
        if (!(steps > 0))
            continue;
        count_range(m, out->block, at, &least, &most);
        const double apart = (most + 1) / (least + 1);
        if (out->input < 0 || apart > most_apart) {
            out->input = (int)i;
            out->value = at[i];
            most_apart = apart;
        }
    }
}

/* Returns an upper bound of the cycles of mispredicted branches on data without traced runs.
 * Assumes that each execution of a branch's rarer direction and every second execution of a
 * select's branch is mispredicted. */
static double branches_at_most(const struct program_model *m, const double *inputs,
                               double branch_miss)
{
    const struct program *p = m->runs->program;
    double *derived = mem_alloc(2 * (p->block_count + 1) * sizeof *derived),
           *taken = derived + p->block_count + 1, sum = 0;
    struct program_run run;

    if (m->traced) {
        free(derived);
        return 0;
    }
    program_model_at(m, inputs, &run);
    derived_at(m->derived, inputs, derived, taken);
    for (size_t b = 0; b < p->block_count; b++) {
        if (p->blocks[b].two_way && isnan(taken[b]))
            sum += fmin(run.taken[b], run.counts[b] - run.taken[b]);
        sum += run.counts[b] * p->blocks[b].selects / 2;
    }
    program_run_done(p, &run);
    free(derived);
    return sum * (isnan(branch_miss) ? 0 : branch_miss);
}

void spread_of(const struct program_model *m, const double *inputs, const struct program_time *t,
               double branch_miss, struct time_spread *out)
{
    double less = 0, more = 0, inexact = 0, worst = 0, off_less = 0, off_more = 0;

    *out = (struct time_spread){.least = 1,
                                .most = 1,
                                .counts_least = 1,
                                .counts_most = 1,
                                .block = UINT32_MAX,
                                .uncounted = UINT32_MAX,
                                .input = -1,
                                .value = NAN};
    for (size_t i = 0; i < t->parts.count; i++) {
        const struct part_time *part = &t->parts.items[i];
        const struct part_range r = range_of(m, part->block, inputs, part->executions);
        const double calls = part->calls - part->within,
                     memory = fmin(part->cycles, part->stream + part->latency),
                     branches = part->ends + part->branches,
                     core = fmax(0, part->cycles - calls - memory - branches);
        less += (1 - r.least) * part->cycles;
        more += (r.most - 1) * part->cycles;
        off_less += r.least * (core * (1 - 1 / core_off.less) + memory * (1 - 1 / memory_off.less) +
                               branches * (1 - 1 / branches_off.less) +
                               calls * (1 - 1 / calls_off.less));
        off_more +=
            r.most * (core * (core_off.more - 1) + memory * (memory_off.more - 1) +
                      branches * (branches_off.more - 1) + calls * (calls_off.more - 1));
        inexact += r.exact ? 0 : part->cycles;
        if (part->uncounted && part->executions > 0) {
            more = INFINITY;
            out->uncounted = part->block;
        }
        if ((r.most - r.least) * part->cycles > worst) {
            worst = (r.most - r.least) * part->cycles;
            out->block = part->block;
        }
    }
    more += left_out(m, inputs, t);
    if (!(t->cycles > 0))
        return;
    out->counts_least = 1 - less / t->cycles;
    out->counts_most = 1 + more / t->cycles;
    out->branches = branches_at_most(m, inputs, branch_miss) / t->cycles;
    out->least = out->counts_least - off_less / t->cycles;
    out->most = out->counts_most * (1 + out->branches) + off_more / t->cycles;
    out->inexact = inexact / t->cycles;
    if (out->block != UINT32_MAX)
        find_run(m, inputs, out);
}
