/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/blamed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* difference between measured and predicted time up to which no explanation is needed, as a share
 * of the program's time */
#define AGREES 0.03
#define EXPLAINS 0.5           /* smallest share of a difference that a term must explain */

/* Returns the cycles of mispredicted branches. Assumes that each execution of a branch's rarer
 * direction and every second execution of a select's branch is mispredicted. Subtracts @ends, the
 * cycles of mispredicted loop ends. */
static double branches_of(const struct program *p, const struct program_run *run,
                          const struct code_part *part, double branch_miss, double ends)
{
    double sum = 0;

    for (size_t i = 0; i < part->blocks.count; i++) {
        uint32_t b = part->blocks.items[i];
        if (p->blocks[b].two_way)
            sum += fmax(0, fmin(run->taken[b], run->counts[b] - run->taken[b])) * branch_miss;
        sum += run->counts[b] * p->blocks[b].selects / 2 * branch_miss;
    }
    return fmax(0, sum - ends);
}

void blamed_part_fill(struct blamed_part *out, const struct program *p,
                      const struct program_run *run, const struct code_parts *parts, size_t index,
                      const struct program_time *time, double clock_hz, double branch_miss)
{
    const struct code_part *part = &parts->list.items[index];
    const struct part_time *t = program_time_part(time, part);
    uint32_t block = t ? t->block : part->blocks.items[0];
    const struct program_function *f = &p->functions[p->blocks[block].function];
    struct str name = {0};

    str_addf(&name, "%s:%u%s", f->name, block - f->first_block, part->repeats ? " loop" : "");
    *out = (struct blamed_part){.name = str_take(&name),
                                .part = index,
                                .line = p->blocks[block].line,
                                .repeats = part->repeats,
                                .executions = part->executions,
                                .clock_hz = clock_hz,
                                .alone = NAN,
                                .term = ""};
    if (!t)
        return;
    out->predicted = t->cycles / clock_hz;
    out->core = t->core;
    out->bottleneck = t->bottleneck;
    out->misses = (t->stream + t->latency) / clock_hz;
    out->ends = (t->ends + t->branches) / clock_hz;
    out->calls = t->calls / clock_hz;
    out->branches = branches_of(p, run, part, branch_miss, t->ends + t->branches) / clock_hz;
}

void blamed_part_count(struct blamed_part *b, const struct code_parts *parts,
                       const struct program_run *run, const struct program_run *counted)
{
    const struct code_part *part = &parts->list.items[b->part];
    double predicted = 0, truth = 0;

    for (size_t i = 0; i < part->blocks.count; i++) {
        predicted += run->counts[part->blocks.items[i]];
        truth += counted->counts[part->blocks.items[i]];
    }
    b->counts = predicted > 0 ? b->predicted * (1 - truth / predicted) : 0;
}

bool blamed_pages(const struct blamed_system *s, double measured, double predicted)
{
    const double difference = fabs(s->measured - s->predicted);

    return difference > fabs(measured - predicted) &&
           difference > AGREES * (s->measured + measured);
}

void blamed_part_done(struct blamed_part *b)
{
    free(b->name);
    free(b->unmeasured);
}

static int by_difference(const void *a, const void *b)
{
    const struct blamed_part *x = a, *y = b;
    double d = fabs(x->measured - x->predicted), e = fabs(y->measured - y->predicted);
    return d != e ? (d < e) - (d > e) : x->part < y->part ? -1 : 1;
}

void blamed_parts_sort(struct blamed_part *parts, size_t count)
{
    if (count)
        qsort(parts, count, sizeof *parts, by_difference);
}

static const char *core_term(const struct blamed_part *b)
{
    return b->bottleneck == BOUND_DEPENDENCIES ? "chain" : "ports";
}

/* Returns the name of the term that explains the part's difference. If the part in isolation also
 * has at least half of the difference, the term is a limit of the core; otherwise the term is an
 * effect that occurs only in the program. */
static const char *term_of(const struct blamed_part *b, double measured)
{
    double difference = b->measured - b->predicted, enough = EXPLAINS * fabs(difference);
    double core = (b->alone - b->core) * b->executions / b->clock_hz;

    if (fabs(difference) < fmax(b->off, AGREES * measured))
        return "agrees";
    if (-b->counts * difference > 0 && fabs(b->counts) >= enough)
        return "counts";
    if (!isnan(b->alone) && core * difference > 0 && fabs(core) >= enough)
        return core_term(b);
    if (difference > 0 && b->repeats && isnan(b->alone))
        return "not distinguished";
    if (difference > 0)
        return b->branches >= enough && b->branches >= b->misses ? "branch misses"
               : b->misses > 0 && !b->near                       ? "misses"
               : b->calls > 0                                    ? "calls"
               : b->branches > 0                                 ? "branch misses"
                                                                 : "not explained";
    /* If the part is faster than predicted, its largest predicted term is the explanation. */
    if (b->misses >= enough && b->misses >= b->calls && !b->near)
        return "misses";
    if (b->calls >= enough)
        return "calls";
    return b->ends >= enough ? "branch misses" : isnan(b->alone) ? core_term(b) : "not explained";
}

char *blamed_judge(struct blamed_part *parts, size_t count, double measured, double predicted,
                   double elsewhere)
{
    struct str text = {0};
    const struct blamed_part *worst = NULL;

    for (size_t i = 0; i < count; i++) {
        parts[i].term = term_of(&parts[i], measured);
        const bool wrong = strcmp(parts[i].term, "counts") == 0;
        if (parts[i].term[0] != 'a' && (!worst || (wrong && strcmp(worst->term, "counts") != 0)))
            /* A part with wrong counts has precedence, because its predicted time follows from the
             * counts. */
            worst = &parts[i];
    }
    if (fabs(elsewhere) > fabs(measured - predicted) / 2 && elsewhere > AGREES * measured &&
        (!worst || elsewhere > fabs(worst->measured - worst->predicted))) {
        str_addf(
            &text,
            "Most of the difference, %.4f s, is in libraries and in other code outside the parts.",
            elsewhere);
    } else if (!worst) {
        str_add(&text, "The prediction agrees with the program: no part differs by more than the "
                       "sampling error or 3 % of the time.");
    } else {
        str_addf(&text, "%s takes %.4f s, predicted %.4f s: %s", worst->name, worst->measured,
                 worst->predicted, worst->term);
        if (worst->term[0] == 'n')
            str_add(&text, worst->repeats && isnan(worst->alone)
                               ? ": the loop could not be measured outside the program"
                               : " by the model");
        else
            str_add(&text, worst->term[0] == 'p' || strcmp(worst->term, "chain") == 0 ||
                                   strcmp(worst->term, "counts") == 0 ||
                                   worst->measured > worst->predicted
                               ? " to blame"
                               : " predicted too high");
        if (!isnan(worst->alone))
            str_addf(&text,
                     "; %.2f cycles per iteration measured outside the program, predicted %.2f, in "
                     "the program %.2f",
                     worst->alone, worst->core,
                     worst->measured * worst->clock_hz / worst->executions);
        str_add(&text, ".");
    }
    return str_take(&text);
}
