/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/steady.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/facts.h"
#include "program/forwards.h"
#include "program/reentry.h"
#include "program/walk.h"
#include "program/window.h"
#include "simulate/simulate.h"

/* smallest share of all executed instructions at which a path is simulated */
#define SIMULATED 0.002
#define SIMULATED_MOST 400     /* maximum number of instructions of a simulated path */
/* smallest share of a reference's executions with long steady strides at which the reference counts
 * as a walk */
#define STEADY 0.8
/* A line causes no miss if at most this number of other lines was used since its last use. */
#define SAME_LINE 16
#define STREAM_STEP 2048.0     /* longest stride in bytes that prefetchers follow */
/* smallest ratio of a reference's distance to the median distance at which a walk uses a new
 * line */
#define NEW_LINE 4

struct timing {
    const struct program_code *code;
    const struct program_run *run;
    const struct machine *machine;
    const struct memory *memory;
    struct call_costs *calls;
    struct block_work *work;
    struct simulator *simulator;
    struct core_share share;
    struct turns turns;
    struct code_forwards forwards;
    double insns;                    /* number of instructions executed in all parts */
    /* numbers of entries of the reorder, load and store buffers, of the schedulers, and of vector
     * registers for results; NaN: no limit */
    double window, loads, stores, scheduler, vectors;
    double parallel, branch_miss;
    double pages;                    /* number of pages that the program uses */
    /* Indices of the references, sorted by block: those of block b are
     * references[first_reference[b]] to references[first_reference[b + 1] - 1]. */
    uint32_t *first_reference, *references;
    /* Per block: whether an earlier part's time includes the cost of its references and calls. The
     * code of a block may be in several parts. */
    bool *paid;
    struct program_time *out;
};

/* Replaces the core's time with its time in walks (turns.h), for the share of the part's executions
 * that walks cover. Does nothing if walks cover nothing. */
static void add_turns(const struct timing *t, const struct code_part *part, struct part_time *out)
{
    const struct turns_unit *u = &t->turns.units[part->unit];
    double cycles = 0, covered = 0, times = 0;

    for (size_t i = 0; i < part->insns.count; i++) {
        cycles += u->cycles[part->insns.items[i]];
        covered += u->covered[part->insns.items[i]];
        times += part->times.items[i];
    }
    if (!(covered > 0))
        return;
    double share = fmin(1, covered / times);
    out->core = share * cycles / covered * times / part->executions + (1 - share) * out->core;
}

/* Computes the core's cycles per execution in the steady state. A path repeats, so its chains are
 * included. In straight-line code, the code before and after hides the latencies of chains. Returns
 * the cycles of shared resources with the share that other tasks leave. */
static double time_core(struct timing *t, const struct code_part *part, struct part_time *out)
{
    const struct kernel *k = t->code->units[part->unit].kernel;
    struct insn *insns = mem_zero(part->insns.count + 1, sizeof *insns);
    struct walked *sequence = mem_alloc((part->insns.count + 1) * sizeof *sequence);
    struct block_options options = {.shape = part->repeats ? SHAPE_LOOP : SHAPE_CACHED,
                                    .start = START_DIFFERENT};
    struct bounds bounds;
    double flow = 0;

    for (size_t i = 0; i < part->insns.count; i++) {
        insns[i] = k->insns[part->insns.items[i]];
        sequence[i] = (struct walked){part->unit, part->insns.items[i], false};
    }
    if (part->repeats)
        options.known = code_forwards_link(&t->forwards, sequence, part->insns.count);
    options.align = (unsigned)insns[0].offset % 64;
    bounds_of(t->work, insns, part->insns.count, &options, false, &bounds);
    out->unknown = bounds.unknown;
    out->estimate = bounds.estimate;
    for (int kind = 0; kind < BOUND_COUNT; kind++)
        if ((part->repeats || kind != BOUND_DEPENDENCIES) && bounds.cycles[kind] > out->core) {
            out->core = bounds.cycles[kind];
            out->bottleneck = (enum bound_kind)kind;
        }
    for (int kind = 0; kind < BOUND_COUNT; kind++) {
        bool slots = kind == BOUND_ISSUE || kind == BOUND_FRONTEND || kind == BOUND_RETIRE;
        if (kind == BOUND_DEPENDENCIES || isnan(bounds.cycles[kind]))
            continue;
        flow = fmax(flow, bounds.cycles[kind] / (slots ? t->share.slots : t->share.ports));
        if (slots)
            out->slots = fmax(out->slots, bounds.cycles[kind] / t->share.slots);
    }
    if (part->repeats && part->insns.count <= SIMULATED_MOST &&
        part->executions * (double)part->insns.count >= SIMULATED * t->insns) {
        struct simulation sim;
        simulate(t->simulator, t->work, insns, part->insns.count, &options,
                 &(struct simulate_options){0}, &sim);
        if (sim.cycles > out->core)
            out->core = sim.cycles;
        simulation_done(&sim);
    }
    out->core = fmax(out->core, flow);
    free(insns);
    free(sequence);
    add_turns(t, part, out);
    return flow;
}

/* Lines and misses of a part's references, summed over all executions */
struct part_misses {
    /* cycles of lines with a steady stride: @near from caches, @far from main memory */
    double near, far;
    double most;              /* largest part of @far by one reference */
    /* streamed lines that are read from beyond the second level, by level */
    double ordered[MEMORY_LEVELS + 1];
    double most_ordered;      /* largest sum of @ordered over the levels by one reference */
    double others[MEMORY_LEVELS + 1];   /* other lines, without those of walks, by the level that
                                         * serves them */
    /* cycles in which the lines, including those of walks, occupy the transfer paths */
    double taken;
    double translated;        /* cycles in which page walkers are busy */
    /* number of pages per line with a steady stride */
    double paged;
    /* number of columns that walks access concurrently, and of groups of columns with the same
     * rows */
    double columns, groups;
    struct walks walks;
};

/* Returns whether the reference walks: more than a share STEADY of its executions have a steady
 * stride that is too long for prefetchers. */
static bool walks(const struct run_reference *r)
{
    double count = 0;
    for (size_t i = 0; i < r->bin_count; i++)
        count += r->bins[i].step > STREAM_STEP ? r->bins[i].regular : 0;
    return count > STEADY * r->references;
}

/* Returns 1 + the index of the reference whose walk @at shares; 1 + @at if it has its own walk. */
static uint32_t lead_of(const struct program_run *run, uint32_t at)
{
    return run->references[at].lead ? run->references[at].lead : at + 1;
}

/* Returns 1 + the index of the reference whose rows reference @at shares; 1 + @at if it shares
 * none. */
static uint32_t rows_of(const struct program_run *run, uint32_t at)
{
    return run->references[at].rows ? run->references[at].rows : at + 1;
}

/* Returns the number of lines per stride in the walk of reference @own[at]. In an unrolled loop,
 * several references share a walk. */
static double copies_of(const struct program_run *run, const uint32_t *own, size_t count, size_t at)
{
    const struct run_reference *all = run->references, *r = &all[own[at]];
    const double step = run_step(r);
    VEC(double) places = {0};   /* offsets of the lines within a stride, relative to the stride */

    for (size_t i = 0; i < count && step > MEMORY_LINE; i++) {
        const double apart = all[own[i]].apart - r->apart;
        bool fresh = lead_of(run, own[i]) == lead_of(run, own[at]) && fabs(apart) < 1;
        for (size_t k = 0; fresh && k < places.count; k++) {
            const double gap = fabs(apart - floor(apart) - places.items[k]);
            fresh = fmin(gap, 1 - gap) * step >= MEMORY_LINE;
        }
        if (fresh)
            vec_push(&places, apart - floor(apart));
    }
    const double copies = fmax(1, (double)places.count);
    vec_done(&places);
    return copies;
}

/* Returns the pages per line of a reference with a stride of @step bytes whose walk has @copies
 * lines per stride. */
static double pages_per_line(double step, double copies)
{
    return fmin(1, fmax(MEMORY_LINE, step / copies) / MEMORY_PAGE);
}

/* Returns the number of lines that a reference accesses with steady strides. Adds the pages of
 * these lines to *@pages. */
static double count_lines(const struct run_reference *r, double copies, double *pages)
{
    double lines = 0;

    for (size_t i = 0; i < r->bin_count; i++) {
        double own = r->bins[i].distance > SAME_LINE ? r->bins[i].regular : 0;
        lines += own;
        *pages += own * pages_per_line(r->bins[i].step, copies);
    }
    return lines;
}

/* Returns the share of all @lines that belong to references of the same walk as @own[at]. Large
 * arrays start at the same offset in a page, so their columns use the same sets. Other lines may
 * use any sets. */
static double alike_of(const struct program_run *run, const uint32_t *own, size_t count, size_t at,
                       const double *lines)
{
    double same = 0, all = 0;

    for (size_t i = 0; i < count; i++) {
        all += lines[i];
        same += lead_of(run, own[i]) == lead_of(run, own[at]) ? lines[i] : 0;
    }
    return all > 0 ? same / all : 1;
}

/* Returns the median distance of @r's references that need a line. */
static double middle_distance(const struct run_reference *r)
{
    double all = 0, below = 0;
    size_t i = 0;

    for (size_t k = 0; k < r->bin_count; k++)
        all += r->bins[k].distance > SAME_LINE ? r->bins[k].count : 0;
    for (; i + 1 < r->bin_count; i++) {
        below += r->bins[i].distance > SAME_LINE ? r->bins[i].count : 0;
        if (2 * below >= all && below > 0)
            break;
    }
    return r->bin_count ? r->bins[i].distance : 0;
}

/* Returns the page walker cycles of one reference. In a walk with long strides each line has its
 * own page. The next walk reuses the page, even if it uses a new line of the page. The number of
 * pages in between is therefore that of the median reference. Random references are distributed
 * over the program's pages. */
static double translations(const struct timing *t, const struct run_reference *r, double copies,
                           const struct part_misses *part)
{
    double sum = 0;

    if (walks(r)) {
        double step = run_step(r);
        const double middle = middle_distance(r);
        const struct walk_pages walks = {step / copies, part->columns, part->groups};
        for (size_t i = 0; i < r->bin_count; i++) {
            const double distance =
                r->bins[i].distance > NEW_LINE * middle ? middle : r->bins[i].distance;
            if (distance > SAME_LINE)
                sum += r->bins[i].count * fmin(1, step / copies / MEMORY_PAGE) *
                       memory_walk(t->memory, distance * part->paged, &walks);
        }
        return sum;
    }
    for (size_t i = 0; i < r->bin_count; i++) {
        double other = r->bins[i].count - r->bins[i].regular;
        if (other > 0 && r->bins[i].distance > SAME_LINE && t->pages > 0)
            sum += other *
                   memory_walk(t->memory, t->pages * -expm1(-r->bins[i].distance / t->pages), NULL);
    }
    return sum;
}

/* Returns the part's use of the lines of reference @own[at]. */
static enum line_use use_of(const struct timing *t, const uint32_t *own, size_t count, size_t at)
{
    const struct program_reference *all = t->code->program->references;
    const struct run_reference *r = &t->run->references[own[at]];

    if (all[own[at]].write)
        return LINE_WRITTEN;
    for (size_t i = 0; i < count; i++)
        if (all[own[i]].write && lead_of(t->run, own[i]) == lead_of(t->run, own[at]) &&
            fabs(t->run->references[own[i]].apart - r->apart) * run_step(r) < MEMORY_LINE)
            return LINE_UPDATED;
    return LINE_READ;
}

/* Adds the cost of one reference's misses: by bandwidth for streamed lines, by latency for other
 * lines. Returns the mean wait of an execution for the other lines, in cycles beyond the first
 * level's latency. */
static double time_reference(struct timing *t, size_t index, double copies, double alike,
                             enum line_use use, struct part_misses *out)
{
    const struct run_reference *r = &t->run->references[index];
    const size_t main = t->memory->count;
    double own = 0, ordered = 0, waits = 0;
    bool walk = walks(r);

    out->translated += translations(t, r, copies, out);
    for (size_t i = 0; i < r->bin_count; i++) {
        const struct run_bin *b = &r->bins[i];
        double served[MEMORY_LEVELS + 1],
            behind = 1, regular = b->step <= STREAM_STEP && !walk ? b->regular : 0,
            other = b->count - regular;
        memory_served(t->memory, b->distance, b->regular > STEADY * b->count ? b->step / copies : 0,
                      alike, served);
        waits += other * (memory_latency(t->memory, served) - t->memory->levels[0].latency);
        double near = 0;
        for (size_t l = 2; l <= main && use != LINE_WRITTEN; l++) {
            out->ordered[l] += regular * served[l];
            ordered += regular * served[l];
        }
        for (size_t l = 1; l < main; l++)
            near += regular * served[l] *
                    (t->memory->levels[l].line_cycles + memory_write_cycles(t->memory, l, use));
        out->near +=
            fmax(near, regular * (1 - served[0]) * memory_crowded(t->memory, 1, b->step / copies));
        own += regular * served[main] *
               (t->memory->line_cycles + memory_write_cycles(t->memory, main, use));
        double fetched = walk && memory_prefetched(t->memory, b->step) ? b->regular * served[1] : 0;
        out->near += fetched > 0 ? fetched * t->memory->levels[1].line_cycles : 0;
        for (size_t l = 0; l <= t->memory->count; l++) {
            out->others[l] += walk ? 0 : other * served[l];
            out->taken += l ? (other * served[l] - (l == 1 ? fetched : 0)) *
                                  (window_line_cycles(t->memory, l, t->parallel) +
                                   (walk ? memory_write_cycles(t->memory, l, use) : 0))
                            : 0;
        }
        for (size_t l = 0; l < t->memory->count; l++) {
            behind -= served[l];
            t->out->misses[l] += b->count * fmax(0, behind);
        }
    }
    out->far += own;
    out->most = fmax(out->most, own);
    out->most_ordered = fmax(out->most_ordered, ordered);
    if (walk)
        vec_push(&out->walks.list, ((struct walk_reference){r, copies, alike, use}));
    t->out->references += r->references;
    return r->references > 0 ? waits / r->references : 0;
}

/* Returns the cycles per execution of the longest loop-carried chain of @part. Each load of
 * reference @own[i] waits @waits[i] cycles. Call it after time_core. */
static double waiting_chain(struct timing *t, const struct code_part *part, const uint32_t *own,
                            const double *waits, size_t count)
{
    double *of_insns = mem_zero(part->insns.count + 1, sizeof *of_insns);

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < part->insns.count; k++)
            if (t->forwards.insn_of[own[i]] == part->insns.items[k] &&
                !t->code->program->references[own[i]].write)
                of_insns[k] = fmax(of_insns[k], waits[i]);
    const double chain = deps_bound_waiting(&t->work->deps, of_insns);
    free(of_insns);
    return chain;
}

static bool writes_vector(const struct insn *insn)
{
    for (size_t k = 0; k < insn->operand_count; k++)
        if (insn->operands[k].kind == OPERAND_REGISTER &&
            insn->operands[k].file == FILE_VECTOR && (insn->operands[k].access & ACCESS_WRITE))
            return true;
    return false;
}

/* Returns the number of executions of @part in flight, which the buffers and vector registers
 * limit. The threads of a core share them. Instructions after a mispredicted branch cannot
 * start before the data of the branch are loaded. */
static double reach_of(const struct timing *t, const struct code_part *part,
                       const struct part_time *out)
{
    const struct kernel *k = t->code->units[part->unit].kernel;
    double loads = 0, stores = 0, vectors = 0;

    for (size_t i = 0; i < part->insns.count; i++) {
        const struct insn *insn = &k->insns[part->insns.items[i]];
        loads += (insn->traits & INSN_LOAD) != 0;
        stores += (insn->traits & INSN_STORE) != 0;
        vectors += writes_vector(insn);
    }
    const double buffers = fmin(t->window / (double)part->insns.count,
                                fmin(t->loads / loads, t->stores / stores));
    return fmin(part->executions / out->mispredicted,
                t->share.slots * fmin(buffers, t->vectors / vectors));
}

/* Subtracts from out->core the cycles in which the chain of one entry overlaps with the next
 * entry. @flow: cycles per execution without chains. Loops of few iterations are simulated with
 * the code around them (turns.h). Call it after time_core. */
static void overlap_entries(struct timing *t, const struct code_part *part, double flow,
                            struct part_time *out)
{
    const double trips = part->executions / part->entries;

    if (!part->repeats || !(part->entries > 1) || !(trips > PREDICTED_TRIPS) ||
        !(out->core > flow) || !t->work->core->has_latencies ||
        !reentry_is_fresh(t->code, part, &t->work->deps))
        return;
    const double waiting = (double)reentry_waiting(&t->work->deps, part->insns.count),
                 reach = fmin(reach_of(t, part, out), t->share.slots * t->scheduler / waiting);
    out->core -= reentry_overlap(trips, out->core, flow, reach) / trips;
}

/* Counts the columns that the walks among @own access concurrently, and the groups of columns with
 * the same rows. */
static void count_columns(const struct program_run *run, const uint32_t *own, size_t count,
                          struct part_misses *out)
{
    for (size_t i = 0; i < count; i++) {
        bool column = walks(&run->references[own[i]]), group = column;
        for (size_t k = 0; k < i && column; k++) {
            column = lead_of(run, own[k]) != lead_of(run, own[i]);
            group &=
                !walks(&run->references[own[k]]) || rows_of(run, own[k]) != rows_of(run, own[i]);
        }
        out->columns += column;
        out->groups += column && group;
    }
    out->groups = fmax(1, out->groups);
}

/* Returns the cycles of the core, caches and main memory together. Lines from caches overlap with
 * the core. Lines from main memory overlap in part (memory_hidden): on some machines, most of the
 * prefetched lines are still in flight when they are needed. */
static double overlap(const struct memory *m, const struct part_time *p)
{
    double core = p->core * p->executions, near = p->stream - p->far;
    return fmax(core + p->latency, near + p->taken) + p->far - m->hidden * fmin(core, p->far);
}

/* Adds the wait for streamed lines to out->latency if the core has few of them in flight. */
static void add_stream_waits(const struct timing *t, const struct part_misses *w, double reach,
                             struct part_time *out)
{
    double lines = 0, wait = 0;

    for (size_t l = 2; l <= t->memory->count; l++)
        lines += w->ordered[l];
    if (!(lines > 0))
        return;
    for (size_t l = 2; l <= t->memory->count; l++)
        wait += w->ordered[l] * memory_stream_wait(t->memory, l, reach * lines / out->executions,
                                                   lines / w->most_ordered);
    out->latency += fmax(0, memory_together(out->core * out->executions + out->latency, wait) -
                                overlap(t->memory, out));
}

static void time_memory(struct timing *t, const struct code_part *part, struct part_time *out)
{
    struct part_misses w = {0};
    VEC(uint32_t) own = {0};
    VEC(double) copies = {0}, waits = {0}, lines = {0};
    double all = 0, pages = 0;

    for (size_t i = 0; i < part->blocks.count; i++) {
        uint32_t b = part->blocks.items[i];
        for (uint32_t r = t->first_reference[b]; !t->paid[b] && r < t->first_reference[b + 1]; r++)
            vec_push(&own, t->references[r]);
    }
    for (size_t i = 0; i < own.count; i++)
        vec_push(&copies, copies_of(t->run, own.items, own.count, i));
    for (size_t i = 0; i < own.count; i++) {
        vec_push(&lines,
                 count_lines(&t->run->references[own.items[i]], copies.items[i], &pages));
        all += lines.items[i];
    }
    w.paged = all > 0 ? pages / all : 1;
    count_columns(t->run, own.items, own.count, &w);
    for (size_t i = 0; i < own.count; i++)
        vec_push(&waits, time_reference(t, own.items[i], copies.items[i],
                                        alike_of(t->run, own.items, own.count, i, lines.items),
                                        use_of(t, own.items, own.count, i), &w));
    const double reach = reach_of(t, part, out);
    const struct window window = {reach, out->core, t->parallel,
                                  w.translated / fmax(1, part->executions), 0};
    out->latency = window_phases(t->memory, &window, &w.walks, part->executions, w.others);
    if (part->repeats && own.count && t->work->core->has_latencies) {
        /* If the loop is entered several times within the reach, chains of different entries
         * overlap. */
        const double together = fmax(1, reach * part->entries / part->executions),
                     chain =
                         waiting_chain(t, part, own.items, waits.items, own.count) / together;
        out->latency = fmax(out->latency, (chain - out->core) * part->executions);
    }
    vec_done(&own);
    vec_done(&copies);
    vec_done(&waits);
    vec_done(&lines);
    out->taken = w.taken;
    vec_done(&w.walks.list);
    /* Bandwidth grows with the number of streams in flight. The cycles per line are a + b / k for k
     * streams; line_cycles is the value for two streams. */
    double alone = t->memory->line_alone, streams = w.most > 0 ? w.far / w.most : 1;
    out->far = w.far * fmax(0.5, 2 - alone + 2 * (alone - 1) / streams);
    out->stream = w.near + out->far;
    add_stream_waits(t, &w, reach, out);
}

/* Adds the cost of the block's external calls: the measured or walked (turns.h) time of libm's
 * functions. If the block also calls other functions, adds the time of its calls in the runs
 * instead, if known. */
static void time_block_calls(struct timing *t, uint32_t block, struct part_time *out)
{
    const struct program_block *b = &t->code->program->blocks[block];
    double count = t->run->counts[block], known = 0, calls = 0, unknown = 0;
    const char *name = NULL;

    for (size_t k = 0; k < b->call_count; k++) {
        if (program_has(t->code->program, b->calls[k]))
            continue;
        double cost = t->calls ? call_cost_of(t->calls, b->calls[k]) : NAN;
        known += isnan(cost) ? 0 : count * cost;
        calls += isnan(cost) ? 0 : count;
        unknown += isnan(cost) ? count : 0;
        name = isnan(cost) ? b->calls[k] : name;
    }
    if (unknown > 0 && t->run->calls && !isnan(t->run->calls[block])) {
        out->calls += count * t->run->calls[block];
        return;
    }
    if (calls > 0) {
        double walked = fmin(1, t->turns.called[block] / calls);
        known *= 1 - walked;
        out->calls +=
            walked > 0 ? walked * t->turns.calls[block] / t->turns.called[block] * calls : 0;
    }
    out->calls += known;
    out->within += known;
    t->out->unknown_calls += (size_t)unknown;
    if (unknown > 0 && !t->out->unknown_call)
        t->out->unknown_call = mem_strdup(name);
}

static void time_calls(struct timing *t, const struct code_part *part, struct part_time *out)
{
    for (size_t i = 0; i < part->blocks.count; i++)
        if (!t->paid[part->blocks.items[i]])
            time_block_calls(t, part->blocks.items[i], out);
}

/* Returns whether a path in the control flow graph leads from @block back to it. */
static bool is_in_loop(const struct program *p, uint32_t block)
{
    bool *seen = mem_zero(p->block_count + 1, sizeof *seen);
    uint32_t *todo = mem_alloc((p->block_count + 1) * sizeof *todo);
    size_t count = 0;

    for (uint32_t at = block;; at = todo[--count]) {
        for (size_t k = 0; k < p->blocks[at].next_count; k++) {
            const uint32_t next = p->blocks[at].next[k];
            if (!seen[next])
                todo[count++] = next;
            seen[next] = true;
        }
        if (!count)
            break;
    }
    const bool found = seen[block];
    free(seen);
    free(todo);
    return found;
}

/* Returns whether @part repeats in the machine code although its only block does not repeat in the
 * control flow graph. */
static bool is_uncounted(const struct program *p, const struct code_part *part)
{
    return part->repeats && part->blocks.count == 1 && !is_in_loop(p, part->blocks.items[0]);
}

/* Returns the mispredicted executions of branches on data in @part. If one of these branches ends
 * the loop, sets out->ends to 0, because the result includes that branch's mispredictions. */
static double mispredicted_of(const struct timing *t, const struct code_part *part,
                              struct part_time *out)
{
    double sum = 0;

    for (size_t i = 0; i < part->blocks.count; i++) {
        const uint32_t b = part->blocks.items[i];
        const double wrong = t->run->mispredicted ? t->run->mispredicted[b] : 0,
                     rarer = fmin(t->run->taken[b], t->run->counts[b] - t->run->taken[b]);
        if (t->paid[b] || !(wrong > 0))
            continue;
        sum += wrong;
        if (fabs(rarer - part->entries) <= 0.01 * part->entries)
            out->ends = 0;
    }
    return sum;
}

static void time_part(struct timing *t, const struct code_part *part)
{
    struct part_time out = {.unit = part->unit,
                            .loop = part->loop,
                            .repeats = part->repeats,
                            .executions = part->executions,
                            .insns = part->insns.count,
                            .uncounted = is_uncounted(t->code->program, part),
                            .block = part->blocks.items[0]};

    for (size_t i = 0; i < part->blocks.count; i++)
        if (t->run->counts[part->blocks.items[i]] == part->executions) {
            out.block = part->blocks.items[i];
            break;
        }
    out.line = t->code->program->blocks[out.block].line;
    if (part->repeats && part->entries > 0 && part->executions / part->entries > PREDICTED_TRIPS)
        out.ends = part->entries * t->branch_miss;
    out.mispredicted = mispredicted_of(t, part, &out);
    overlap_entries(t, part, time_core(t, part, &out), &out);
    time_memory(t, part, &out);
    time_calls(t, part, &out);
    for (size_t i = 0; i < part->blocks.count; i++)
        t->paid[part->blocks.items[i]] = true;
    /* A call of libm hardly depends on the code before it, so it can use the slots that dividers
     * and chains leave empty. */
    out.within = fmin(out.within, fmax(0, out.core - out.slots) * out.executions);
    out.branches = out.mispredicted * t->branch_miss;
    out.cycles = overlap(t->memory, &out) + out.ends + out.branches + out.calls - out.within;
    t->out->cycles += out.cycles;
    t->out->least += out.unknown ? out.cycles : 0;
    t->out->estimate += out.estimate ? out.cycles : 0;
    vec_push(&t->out->parts, out);
}

/* Sorts the references by block, and counts the pages that the program uses. */
static void index_references(struct timing *t)
{
    const struct program *p = t->code->program;

    t->first_reference = mem_zero(p->block_count + 2, sizeof *t->first_reference);
    t->references = mem_zero(p->reference_count + 1, sizeof *t->references);
    for (size_t i = 0; i < p->reference_count; i++)
        t->first_reference[p->references[i].block + 2]++;
    for (size_t b = 1; b < p->block_count + 2; b++)
        t->first_reference[b] += t->first_reference[b - 1];
    for (size_t i = 0; i < p->reference_count; i++) {
        const struct run_reference *r = &t->run->references[i];
        t->references[t->first_reference[p->references[i].block + 1]++] = (uint32_t)i;
        for (size_t k = 0; k < r->bin_count; k++)
            t->pages +=
                isinf(r->bins[k].distance) ? r->bins[k].count * MEMORY_LINE / MEMORY_PAGE : 0;
    }
}

/* Compares: paths before other parts, then by number of executions, largest first. The first part
 * with a block includes the cost of the block's references and calls. Other parts may have only those
 * instructions of a block that were copied or moved out of a loop. */
static int by_path(const void *a, const void *b)
{
    const struct code_part *x = a, *y = b;
    return x->repeats != y->repeats
               ? y->repeats - x->repeats
               : (x->executions < y->executions) - (x->executions > y->executions);
}

static int by_cycles(const void *a, const void *b)
{
    double x = ((const struct part_time *)a)->cycles, y = ((const struct part_time *)b)->cycles;
    return (x < y) - (x > y);
}

void steady_time(const struct program_code *c, const struct program_run *run,
                 const struct turns_walks *walks, const struct machine *m,
                 const struct memory *memory, struct call_costs *calls,
                 const struct core_share *share, struct program_time *out)
{
    struct timing t = {.code = c,
                       .run = run,
                       .machine = m,
                       .memory = memory,
                       .calls = calls,
                       .share = *share,
                       .out = out};
    struct code_parts parts;

    *out = (struct program_time){.cycles = 0};
    t.work = block_work_new(m);
    t.simulator = simulator_new();
    t.window = fact_number(m, "reorder_buffer");
    t.loads = fact_number(m, "load_buffer");
    t.stores = fact_number(m, "store_buffer");
    t.scheduler = fact_number(m, "scheduler");
    t.vectors = fact_number(m, "vector_registers");
    t.parallel = fact_number(m, "miss_parallel");
    t.branch_miss = fact_number(m, "branch_miss");
    index_references(&t);
    code_parts_find(c, run, &parts);
    if (parts.list.count)
        qsort(parts.list.items, parts.list.count, sizeof *parts.list.items, by_path);
    t.paid = mem_zero(c->program->block_count + 1, sizeof *t.paid);
    for (size_t i = 0; i < parts.list.count; i++)
        t.insns += parts.list.items[i].executions * (double)parts.list.items[i].insns.count;
    code_forwards_find(c, run, &t.forwards);
    turns_time(c, walks, &t.forwards, t.work, share, &t.turns);
    for (size_t i = 0; i < parts.list.count; i++)
        time_part(&t, &parts.list.items[i]);
    turns_done(c, &t.turns);
    code_forwards_done(c, &t.forwards);
    if (out->parts.count)
        qsort(out->parts.items, out->parts.count, sizeof *out->parts.items, by_cycles);
    out->seconds = out->cycles / memory->clock_hz;
    out->least /= fmax(out->cycles, DBL_MIN);
    out->estimate /= fmax(out->cycles, DBL_MIN);
    code_parts_done(&parts);
    block_work_free(t.work);
    simulator_free(t.simulator);
    free(t.paid);
    free(t.first_reference);
    free(t.references);
}

const char *part_limit_name(const struct part_time *part)
{
    double core = part->core * part->executions, misses = part->stream + part->latency;
    if (part->calls > core && part->calls > misses)
        return "calls";
    return misses > core ? part->stream > part->latency ? "lines streamed" : "misses"
                         : bound_name(part->bottleneck);
}

const struct part_time *program_time_part(const struct program_time *t,
                                          const struct code_part *part)
{
    for (size_t i = 0; i < t->parts.count; i++) {
        const struct part_time *p = &t->parts.items[i];
        if (p->unit == part->unit && p->loop == part->loop && p->repeats == part->repeats &&
            p->executions == part->executions && p->insns == part->insns.count)
            return p;
    }
    return NULL;
}

void program_time_done(struct program_time *t)
{
    vec_done(&t->parts);
    free(t->unknown_call);
    *t = (struct program_time){.cycles = 0};
}
