/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluates a program's model at given inputs: counts, distances and first uses. Also determines
 * whether a formula is valid at these inputs. */
#include "program/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "program/derived.h"
#include "program/fit.h"
#include "program/pages.h"

/* maximum number of rounds in which counts are limited by those of preceding blocks */
#define BOUND_ROUNDS 64

/* Returns whether a run has the same remainder of @term's input as @inputs. At other remainders,
 * the formula is uncertain. */
static bool remainder_seen(const struct program_model *m, const struct formula_term *term,
                           const double *inputs)
{
    const double remainder_at = fmod(inputs[term->input] - term->offset, term->width);

    for (size_t r = 0; r < m->runs->runs.count; r++)
        if (fmod(m->runs->runs.items[r].inputs[term->input] - term->offset, term->width) ==
            remainder_at)
            return true;
    return false;
}

bool program_model_fits(const struct program_model *m, const struct formula *f,
                        const double *inputs)
{
    for (size_t k = 0; f->exact && k < f->count; k++)
        if (f->terms[k].kind >= TERM_QUOTIENT && f->terms[k].kind <= TERM_REMAINS &&
            f->terms[k].width > 1 && !remainder_seen(m, &f->terms[k], inputs))
            return false;
    for (size_t i = 0; f->exact && i < m->runs->name_count; i++) {
        bool seen = !(f->within & 1u << i);
        for (size_t r = 0; r < m->runs->runs.count && !seen; r++)
            seen = m->runs->runs.items[r].inputs[i] == inputs[i];
        if (!seen)
            return false;
    }
    return f->exact;
}

bool program_model_with_block(const struct program_model *m, size_t reference)
{
    return m->references[reference].total ==
           m->counts[m->runs->program->references[reference].block];
}

/* Fills @out with the clusters of a reference at @inputs, whose shares are scaled to the sum 1.
 * @trips: iterations per entry of its block's loop. */
static void reference_at(const struct program_model *m, const struct model_reference *model,
                         const double *inputs, const double *reciprocals, double references,
                         double trips, struct run_reference *out)
{
    size_t width = m->runs->name_count;
    double total = 0, footprint = formula_value(&m->footprint, inputs, width);

    out->references = references;
    out->bins = mem_zero(model->mode_count + 1, sizeof *out->bins);
    for (size_t k = 0; k < model->mode_count; k++) {
        const struct model_mode *mode = &model->modes[k];
        bool alike = mode->divisor && fmod(inputs[mode->input], mode->divisor) == mode->rest;
        double count = out->references *
                       formula_value(alike ? &mode->share_alike : &mode->share, reciprocals, width),
               irregular = formula_value(&mode->irregular, reciprocals, width),
               regular = 1 - fmin(1, mode->per_entry ? irregular / trips : irregular);
        double distance =
            mode->cold ? INFINITY : fmin(footprint, formula_value(&mode->distance, inputs, width));
        if (count > 0)
            out->bins[out->bin_count++] = (struct run_bin){
                distance, count, count * regular, formula_value(&mode->step, inputs, width)};
        total += count;
    }
    for (size_t i = 0; i < out->bin_count; i++) {
        out->bins[i].count *= out->references / total;
        out->bins[i].regular *= out->references / total;
    }
    qsort(out->bins, out->bin_count, sizeof *out->bins, compare_doubles);
}

/* Computes an upper bound of each block's count: the sum of its predecessors' counts. The bound is
 * INFINITY at the start of a function and for blocks that are their own predecessors. It is 0 for
 * blocks without predecessors. */
static void find_inflow(const struct program *p, const double *counts, double *inflow)
{
    memset(inflow, 0, p->block_count * sizeof *inflow);
    for (size_t b = 0; b < p->block_count; b++)
        for (size_t k = 0; k < p->blocks[b].next_count; k++)
            inflow[p->blocks[b].next[k]] += p->blocks[b].next[k] == b ? INFINITY : counts[b];
    for (size_t f = 0; f < p->function_count; f++)
        inflow[p->functions[f].first_block] = INFINITY;
}

/* Limits counts to the sums of the predecessors' counts, because a poor formula may be very wrong
 * beyond the runs. Derived counts, and counts whose formula the runs determine, have no limit. Sets
 * @kept to the ratio of each count to the original one; 1: not limited. */
static void bound_counts(const struct program_model *m, const double *inputs, const double *derived,
                         double *counts, double *kept)
{
    const struct program *p = m->runs->program;
    double *inflow = mem_alloc((p->block_count + 1) * sizeof *inflow);
    bool changed = true;

    for (size_t b = 0; b < p->block_count; b++)
        kept[b] = 1;
    for (size_t round = 0; changed && round < BOUND_ROUNDS; round++) {
        changed = false;
        find_inflow(p, counts, inflow);
        for (size_t b = 0; b < p->block_count; b++) {
            if (inflow[b] >= counts[b] || !isnan(derived[b]) ||
                program_model_fits(m, &m->formulas[m->counts[b]], inputs))
                continue;
            kept[b] *= inflow[b] / counts[b];
            counts[b] = inflow[b];
            changed = true;
        }
    }
    free(inflow);
}

static void scale_reference(struct run_reference *r, double by)
{
    r->references *= by;
    for (size_t i = 0; i < r->bin_count; i++) {
        r->bins[i].count *= by;
        r->bins[i].regular *= by;
    }
}

/* Limits first uses to the number of distinct lines, because each line has a single first use.
 * Moves the excess to the other distances of the same reference. */
static void bound_first_uses(const struct program_model *m, const double *inputs,
                             struct program_run *run)
{
    const size_t count = m->runs->program->reference_count;
    double lines = formula_value(&m->footprint, inputs, m->runs->name_count), first = 0;

    for (size_t i = 0; i < count; i++) {
        const struct run_reference *r = &run->references[i];
        if (r->bin_count && isinf(r->bins[r->bin_count - 1].distance))
            first += r->bins[r->bin_count - 1].count;
    }
    for (size_t i = 0; i < count && first > lines; i++) {
        struct run_reference *r = &run->references[i];
        if (r->bin_count < 2 || !isinf(r->bins[r->bin_count - 1].distance))
            continue;
        const double before = r->bins[r->bin_count - 1].count, now = before * lines / first,
                     others = (r->references - now) / (r->references - before);
        for (size_t k = 0; k < r->bin_count; k++) {
            const double by = k == r->bin_count - 1 ? lines / first : others;
            r->bins[k].count *= by;
            r->bins[k].regular *= by;
        }
    }
}

/* Copies the relations of a reference to others (from, lead, rows) from the run in which it has the
 * most executions. */
static void take_relations(const struct program_runs *runs, size_t reference,
                         struct run_reference *out)
{
    const struct run_reference *most = NULL;

    for (size_t r = 0; r < runs->runs.count; r++) {
        const struct run_reference *one = &runs->runs.items[r].references[reference];
        most = !most || one->references > most->references ? one : most;
    }
    out->from = most ? most->from : 0;
    out->from_age = most ? most->from_age : 0;
    out->lead = most ? most->lead : 0;
    out->apart = most ? most->apart : 0;
    out->rows = most ? most->rows : 0;
}

/* Returns the cycles of external functions per execution of @block, which has @executions; NaN:
 * unknown. */
static double calls_at(const struct program_model *m, size_t block, const double *inputs,
                       double executions)
{
    const size_t width = m->runs->name_count;

    if (m->calls[block].error < 0)
        return NAN;
    const double cycles = formula_value(&m->calls[block], inputs, width);
    if (m->callbacks[block] == UINT32_MAX)
        return cycles;
    return executions > 0
               ? cycles * formula_value(&m->formulas[m->callbacks[block]], inputs, width) /
                     executions
               : 0;
}

void program_model_at(const struct program_model *m, const double *inputs, struct program_run *out)
{
    const struct program *p = m->runs->program;
    const struct program_run *seen = program_run_with(m->runs, inputs);
    size_t width = m->runs->name_count;
    double reciprocals[INPUTS_MAX];

    for (size_t i = 0; i < width; i++)
        reciprocals[i] = model_reciprocal(inputs[i]);
    *out = (struct program_run){.mode = m->traced ? TRACE_EXACT : TRACE_COUNTS, .seconds = NAN};
    memcpy(out->inputs, inputs, width * sizeof *inputs);
    out->counts = mem_zero(p->block_count + 1, sizeof *out->counts);
    out->taken = mem_zero(p->block_count + 1, sizeof *out->taken);
    out->mispredicted = mem_zero(p->block_count + 1, sizeof *out->mispredicted);
    out->calls = mem_zero(p->block_count + 1, sizeof *out->calls);
    out->references = mem_zero(p->reference_count + 1, sizeof *out->references);
    double *kept = mem_alloc(3 * (p->block_count + 1) * sizeof *kept),
           *derived = kept + p->block_count + 1, *derived_taken = derived + p->block_count + 1;
    derived_at(m->derived, inputs, derived, derived_taken);
    for (size_t b = 0; b < p->block_count; b++)
        out->counts[b] = seen ? seen->counts[b]
                         : !isnan(derived[b])
                             ? derived[b]
                             : formula_value(&m->formulas[m->counts[b]], inputs, width);
    if (!seen)
        bound_counts(m, inputs, derived, out->counts, kept);
    for (size_t b = 0; b < p->block_count; b++) {
        out->calls[b] = seen ? seen->calls[b] : calls_at(m, b, inputs, out->counts[b]);
        out->taken[b] =
            seen ? seen->taken[b]
            : p->blocks[b].two_way && !isnan(derived_taken[b])
                ? derived_taken[b]
                : fmin(out->counts[b], formula_value(&m->formulas[m->taken[b]], inputs, width));
    }
    /* Predicts the ends of loops from the counts if the counts follow from the code. */
    for (size_t b = 0; b < p->block_count; b++)
        if ((p->blocks[b].two_way && isnan(derived_taken[b])) || p->blocks[b].selects)
            out->mispredicted[b] =
                seen ? seen->mispredicted[b]
                     : out->counts[b] * formula_value(&m->mispredicted[b], reciprocals, width);
    for (size_t i = 0; m->traced && i < p->reference_count; i++) {
        if (!seen) {
            const uint32_t block = p->references[i].block;
            const bool with_block = program_model_with_block(m, i);
            reference_at(m, &m->references[i], inputs, reciprocals,
                         with_block
                             ? out->counts[block]
                             : formula_value(&m->formulas[m->references[i].total], inputs, width),
                         program_run_trips(p, out, block), &out->references[i]);
            if (!with_block)
                scale_reference(&out->references[i], kept[block]);
            take_relations(m->runs, i, &out->references[i]);
            continue;
        }
        const struct run_reference *from = &seen->references[i];
        out->references[i] = *from;
        out->references[i].bins = mem_zero(from->bin_count + 1, sizeof *from->bins);
        if (from->bin_count)
            memcpy(out->references[i].bins, from->bins, from->bin_count * sizeof *from->bins);
    }
    if (m->traced && !seen)
        bound_first_uses(m, inputs, out);
    pages_model_at(m->pages, m->runs, out);
    free(kept);
}
