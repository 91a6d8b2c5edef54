/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/explained_result.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/compare.h"
#include "base/mem.h"
#include "report/report.h"

#define LOADS_SHOWN 8u
/* largest relative difference at which a time and its prediction are considered equal */
#define EQUAL_MOST 0.05
#define JUMP_MOST 5.0 /* largest cost of the jump to the counting code, in cycles */

/* Returns the result of the simulated branch predictor for the branch at @at, or NULL if there is
 * none. */
static const struct predicted_branch *predicted_at(const struct explained_findings *f, uint32_t at)
{
    for (size_t i = 0; i < f->branches.list.count; i++)
        if (f->branches.list.items[i].at == at)
            return &f->branches.list.items[i];
    return NULL;
}

struct ranked_part {
    uint64_t count;
    uint32_t at;
};

ORDER_BY(by_count, struct ranked_part, DESCENDING(count) ?: ASCENDING(at))

static void add_parts(struct result *result, const struct explained_findings *f)
{
    static const struct result_column columns[] = {
        {.key = "address", .kind = CELL_TEXT},
        {.key = "instruction", .title = "first instruction", .kind = CELL_TEXT},
        {.key = "share", .unit = "%", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "mispredictions", .title = "next mispredicted", .unit = "%", .kind = CELL_NUMBER,
         .decimals = 1}};
    const struct placed *x = &f->insitu.placed;
    const struct region *r = &f->insitu.region;
    struct ranked_part *parts = mem_alloc((x->parts.count + 1) * sizeof *parts);
    uint64_t all = 0;
    size_t executed = 0;

    for (size_t i = 0; i < x->parts.count; i++) {
        all += x->parts.items[i];
        if (x->parts.items[i])
            parts[executed++] = (struct ranked_part){x->parts.items[i], region_site(r, i)};
    }
    if (executed)
        qsort(parts, executed, sizeof *parts, by_count);
    result_line(result,
                "\nparts of the loop of computed gotos: %zu, executed: %zu. An iteration is one "
                "execution of a part; shares of %" PRIu64
                " executions, without those during timing and recording",
                x->parts.count + r->unresumed, executed, all);
    if (r->unresumed)
        result_line(result, "not counted: %u part%s without space for a jump", r->unresumed,
                    plural(r->unresumed));
    if (r->outside)
        result_line(result, "not counted: parts outside of the function, to which %u table entr%s",
                    r->outside, r->outside == 1 ? "y leads" : "ies lead");
    struct result_table *t = RESULT_TABLE(result, "parts", columns);
    for (size_t i = 0; i < executed; i++) {
        const struct insn *in = r->list.items[parts[i].at].insn;
        const struct predicted_branch *next = predicted_at(f, parts[i].at);
        cell_insn_address(t, in);
        cell_text(t, insn_shown(in));
        cell_number(t, 100 * (double)parts[i].count / (double)all);
        cell_number(t, next ? 100 * (double)next->missed / (double)next->executed : NAN);
    }
    if (!isnan(f->branches.missed))
        result_line(result,
                    "next mispredicted: jump from the part to the next part, according to a "
                    "simulated predictor that approximates this CPU's predictor; %.1f %% of all "
                    "jumps",
                    100 * f->branches.missed);
    free(parts);
}

static void add_paths(struct result *result, const struct explained_findings *f)
{
    static const struct result_column columns[] = {
        {.key = "share", .unit = "%", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "instructions", .kind = CELL_COUNT},
        {.key = "predicted", .unit = "cycles", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "alone", .unit = "cycles", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "leaves", .title = "leaves the loop", .kind = CELL_SWITCH},
        {.key = "calls", .kind = CELL_SWITCH}};
    const struct paths *p = &f->paths;
    struct result_table *t;

    if (f->insitu.region.dispatch) {
        add_parts(result, f);
        return;
    }
    if (!p->list.count) {
        result_line(result, "\nno paths: no iteration was recorded; run the program longer, or on "
                            "a less busy computer");
        return;
    }
    result_line(result, "\npaths of %zu recorded iterations", p->iterations);
    t = RESULT_TABLE(result, "paths", columns);
    for (size_t i = 0; i < p->list.count && i < EXPLAINED_PATHS; i++) {
        const struct path *path = &p->list.items[i];
        cell_number(t, 100 * (double)path->iterations / (double)p->iterations);
        cell_count(t, (int64_t)path->insns.count);
        cell_number(t, f->kept->paths.items[i].predicted);
        cell_number(t, f->kept->paths.items[i].alone);
        cell_switch(t, path->leaves);
        cell_switch(t, path->away);
    }
    if (*f->unmeasured.what)
        result_line(result, "not measured outside the program: %s", f->unmeasured.what);
    if (p->list.count > EXPLAINED_PATHS)
        result_line(result, "and %zu rarer path%s", p->list.count - EXPLAINED_PATHS,
                    plural(p->list.count - EXPLAINED_PATHS));
}

/* Returns the cycles of a term for the share @share of its causes; NaN if the term may be 0. */
static double part_of(const struct split_term *term, double share)
{
    return term->cycles > term->off ? term->cycles * share : NAN;
}

static void add_branches(struct result *result, const struct explained_findings *f)
{
    static const struct result_column columns[] = {
        {.key = "address", .kind = CELL_TEXT},
        {.key = "branch", .kind = CELL_TEXT},
        {.key = "executed", .title = "executions per iteration",
                                     .kind = CELL_NUMBER, .decimals = 3},
        {.key = "taken", .unit = "%", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "targets", .kind = CELL_COUNT},
        {.key = "mispredictions", .title = "mispredicted", .unit = "%", .kind = CELL_NUMBER,
         .decimals = 1},
        {.key = "cycles", .title = "cycles per iteration", .kind = CELL_NUMBER, .decimals = 2}};
    const struct paths *p = &f->paths;

    if (!p->branches.count)
        return;
    result_line(result, "%s", "\nbranches");
    struct result_table *t = RESULT_TABLE(result, "branches", columns);
    for (size_t i = 0; i < p->branches.count; i++) {
        const struct path_branch *b = &p->branches.items[i];
        const struct region_insn *in = &f->insitu.region.list.items[b->at];
        cell_insn_address(t, in->insn);
        cell_text(t, insn_shown(in->insn));
        cell_number(t, (double)b->executed / (double)p->iterations);
        cell_number(t, 100 * (double)b->taken / (double)b->executed);
        cell_count_if(t, in->indirect, (int64_t)b->targets.count);
        const struct predicted_branch *predicted = predicted_at(f, b->at);
        cell_number(t, predicted ? 100 * (double)predicted->missed / (double)predicted->executed
                                 : NAN);
        cell_number(t, predicted && f->branches.missed > 0
                           ? part_of(&f->split.branch, (double)predicted->missed /
                                                           (double)f->branches.iterations /
                                                           f->branches.missed)
                           : NAN);
    }
    result_line(result, "%s",
                "mispredicted: according to a simulated predictor that approximates this CPU's "
                "predictor; cycles: the branch's share of the cycles that replays attribute to "
                "branches");
}

static void add_loads(struct result *result, const struct explained_findings *f)
{
    static const struct result_column columns[] = {
        {.key = "address", .kind = CELL_TEXT},
        {.key = "access", .title = "load", .kind = CELL_TEXT},
        {.key = "fresh", .title = "new lines", .kind = CELL_NUMBER, .decimals = 3},
        {.key = "sequential", .title = "sequential new lines", .kind = CELL_NUMBER, .decimals = 3},
        {.key = "from_l2", .title = "from L2", .kind = CELL_NUMBER, .decimals = 3},
        {.key = "from_l3", .title = "from L3", .kind = CELL_NUMBER, .decimals = 3},
        {.key = "from_memory", .title = "from memory", .kind = CELL_NUMBER, .decimals = 3},
        {.key = "footprint", .unit = "MiB", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "cycles", .title = "cycles per iteration", .kind = CELL_NUMBER, .decimals = 2}};
    const struct loop_lines *l = &f->lines;
    struct cache_levels levels;
    bool known = lines_levels(f->machine, EXPLAINED_LINE, &levels);
    double all = 0;

    if (!l->list.count || isnan(l->fresh))
        return;
    result_line(result, "%s",
                "\n"
                "loads, per iteration: cache lines not accessed earlier in the recording; level: "
                "of the load's memory (footprint, estimated from lines that recur in other "
                "recordings); cycles: the load's share of the cycles that replays attribute to "
                "caches and TLB");
    for (size_t i = 0; i < l->list.count; i++)
        all += known ? lines_weight(&l->list.items[i], &levels) : NAN;
    struct result_table *t = RESULT_TABLE(result, "loads", columns);
    for (size_t i = 0; i < l->list.count && i < LOADS_SHOWN; i++) {
        const struct load_lines *line = &l->list.items[i];
        const struct insn *in = f->insitu.region.list.items[line->at].insn;
        cell_insn_address(t, in);
        cell_text(t, insn_shown(in));
        cell_number(t, (double)(line->fresh + line->streamed) / (double)l->iterations);
        cell_number(t, (double)line->streamed / (double)l->iterations);
        double from[CACHE_LEVELS], lines = (double)(line->fresh + line->streamed);
        bool by_level = known && lines_from(line, &levels, from);
        for (int k = 0; k < CACHE_LEVELS; k++)
            cell_number(t, by_level ? from[k] * lines / (double)l->iterations : NAN);
        cell_number(t, line->footprint * EXPLAINED_LINE / (1 << 20));
        /* If the latencies of the levels are unknown, gives all lines the same weight. */
        double share = all > 0 ? lines_weight(line, &levels) / all
                               : lines / (double)l->iterations / (l->fresh + l->streamed);
        cell_number(t, part_of(&f->split.cache, share));
    }
    if (l->list.count > LOADS_SHOWN)
        result_line(result, "loads not shown: %zu", l->list.count - LOADS_SHOWN);
}

/* Reports the number of counted iterations, and the part of the run in which they were counted. */
static void say_count(struct result *result, const struct explained_findings *f)
{
    const struct insitu *x = &f->insitu;
    uint64_t n = placed_iterations(&x->placed);

    if (x->complete)
        result_line(result, "%s: %" PRIu64 " iteration%s in the whole run of %.2f s", f->name, n,
                    plural(n), x->seconds);
    else
        result_line(result, "%s: %" PRIu64 " iteration%s in %.2f s", f->name, n, plural(n),
                    x->seconds);
    if (x->uncounted > 0)
        result_line(
            result,
            "the loop's file was mapped less than 0.01 s before the first count, %.2f s after the "
            "start",
            x->uncounted);
    if (x->cut)
        result_line(result, "counting ended early: %s", x->cut);
    if (x->killed)
        result_line(result, "the program was killed: the iterations just before its end are not "
                            "counted");
}

double explained_extra(const struct insitu *x)
{
    double patch = insitu_patch(x);

    if (!x->region.each_away || (x->region.jumps_indirect && insitu_original(x)))
        return 0;
    return isnan(patch) ? JUMP_MOST : patch / 2;
}

double explained_about(double value)
{
    const double unit = value < 100 ? 0 : pow(10, floor(log10(value)) - 1);
    return unit > 0 ? unit * round(value / unit) : value;
}

static void say_disturbed(struct result *result, const struct insitu *x)
{
    const size_t count = insitu_disturbed(x);

    if (count)
        result_line(result, "  excluding %zu disturbed block%s", count, plural(count));
    if (count && insitu_busy(x))
        result_line(result,
                    "  other processes used %.1f CPUs. Blocks above 1.5 times the lower quartile "
                    "are therefore excluded, except where this would halve the mean",
                    x->others);
}

static void say_cycles(struct result *result, const struct explained_findings *f)
{
    const struct insitu *x = &f->insitu;
    bool alone;
    double cycles = insitu_cycles(x, INSITU_TYPICAL, &alone), trip = insitu_trip(x);

    if (isnan(cycles) && x->placed.shared)
        result_line(result, "cycles per iteration: not measured, because the program started a "
                            "process that shares its memory");
    else if (isnan(cycles))
        result_line(result,
                    "cycles per iteration: not measured, because too few iterations were timed "
                    "(%zu block%s)",
                    x->placed.timed.count, plural(x->placed.timed.count));
    else
        result_line(
            result,
            "%.2f cycles per iteration in the program (%.2f to %.2f in most of %zu timed blocks)",
            cycles, f->kept->low, f->kept->high, x->placed.timed.count);
    if (!isnan(cycles))
        say_disturbed(result, x);
    if (!isnan(cycles) && isfinite(trip) && alone) {
        const double between = insitu_between(x);
        char again[48] = "";
        if (!isnan(between))
            snprintf(again, sizeof again, ", and is entered again after %.0f cycles", between);
        result_line(result,
                    "  excluding the code between executions of the loop; the loop exits after "
                    "about %.*f iterations%s",
                    trip < 100 ? 1 : 0, explained_about(trip), again);
    } else if (!isnan(cycles) && isfinite(trip))
        result_line(result,
                    "  including the code between executions of the loop, which are %s: the loop "
                    "exits after about %.1f iterations",
                    x->region.each_away
                        ? "not timed separately, because each iteration leaves the copied code"
                        : "too short for separate timing",
                    trip);
    else if (!isnan(cycles) && x->region.each_away && !alone && !insitu_nest(x))
        result_line(result, "%s",
                    "  including any code between executions of the loop: the recorded iterations "
                    "contain no exit");
    if (!isnan(cycles) && insitu_nest(x))
        result_line(result, "%s", "  excluding the time outside the code around the loop");
    if (x->region.jumps_indirect && !x->region.dispatch && !alone && !isinf(trip))
        result_line(result, "%s",
                    "  including code that the loop's indirect jump reaches without a jump table: "
                    "a computed goto or another function");
    if (x->region.calls)
        result_line(result, "  %s called functions", alone ? "excluding" : "including");
    if (x->region.jumps_indirect && insitu_original(x))
        result_line(result, "%s",
                    "  timed in copies of the process, which execute the loop's original code");
    else if (x->region.each_away && !isnan(insitu_patch(x)))
        result_line(result,
                    "  excluding %.1f cycles for the jump to the counting code, measured by "
                    "executing the jump twice",
                    insitu_patch(x));
    else if (x->region.each_away)
        result_line(result,
                    "  including 0.5 to %.0f cycles for the jump to the counting code, whose cost "
                    "could not be measured",
                    JUMP_MOST);
    if (!isnan(f->predicted))
        result_line(result, "%.2f cycles predicted for the executed mix of paths on %s",
                    f->predicted, f->machine->id);
    else if (!f->machine)
        result_line(result, "%s",
                    "no prediction: this CPU has no tables, and no machine for its instruction set "
                    "is selected; --machine NAME selects one");
}

/* Adds the values of hardware counters, or the reason why there are none. */
static void say_counted(struct result *result, const struct explained_findings *f)
{
    static const struct {
        const char *key, *name;
    } kinds[] = {[COUNTER_CYCLES] = {"counted_cycles", "cycles"},
                 [COUNTER_BRANCH_MISSES] = {"counted_branch_misses", "mispredicted branches"},
                 [COUNTER_CACHE_MISSES] = {"counted_cache_misses", "cache misses"}};
    const struct hardware_counts *c = &f->insitu.counted;
    double n = (double)placed_iterations(&f->insitu.placed);
    struct str text = {0};

    for (int i = 0; i < COUNTER_KINDS; i++) {
        result_number(result, kinds[i].key, c->value[i] / n);
        if (!isnan(c->value[i]))
            str_addf(&text, "%s%.3f %s", text.length ? ", " : "", c->value[i] / n, kinds[i].name);
    }
    if (text.length)
        result_line(result,
                    "hardware counters of the whole program, per iteration of the loop: %s",
                    str_text(&text));
    if (c->why)
        result_line(result, "%shardware counters: %s", text.length ? "not all " : "no ", c->why);
    str_done(&text);
}

static void say_branch(struct result *result, const struct explained_findings *f, const char *more)
{
    const struct predicted_branch *b = f->branches.list.items;

    if (!f->branches.list.count || !b->missed) {
        result_line(
            result,
            "%s: mispredicted branches, although a simulated predictor predicts these branches "
            "correctly",
            more);
        return;
    }
    const struct region_insn *in = &f->insitu.region.list.items[b->at];
    char address[PLACE_TEXT + 2];
    result_line(result,
                "%s: mispredicted branches, mainly %s at %s, whose misprediction rate in "
                "simulation is %.0f %%",
                more, insn_shown(in->insn), insn_address_text(in->insn, address),
                100 * (double)b->missed / (double)b->executed);
    result_line(result, "%s",
                in->indirect ? "  reduce the number of targets per jump: a separate jump at the "
                               "end of each case, or a table of data instead of code"
                             : "  replace the branch by a conditional move or arithmetic, or sort "
                               "the data");
}

static void say_cache(struct result *result, const struct explained_findings *f, const char *more)
{
    const struct load_lines *l = f->lines.list.items;

    if (!f->lines.list.count) {
        result_line(result, "%s: waits for caches", more);
        return;
    }
    const struct insn *in = f->insitu.region.list.items[l->at].insn;
    char address[PLACE_TEXT + 2];

    result_line(result,
                "%s: cache misses, mainly of %s at %s, %.2f new cache lines per iteration",
                more, insn_shown(in), insn_address_text(in, address),
                (double)(l->fresh + l->streamed) / (double)f->lines.iterations);
    result_line(result, "%s",
                "  to reduce the misses, make the data smaller or denser, reuse lines sooner, or "
                "prefetch some iterations ahead");
}

/* Adds the cost of a new line next to the latencies of the machine's levels. Adds the level that
 * most new lines of the first listed load come from. Adds nothing if the cache term is at most its
 * uncertainty, or if no line was new. */
static void say_levels(struct result *result, const struct explained_findings *f)
{
    static const char *const names[] = {"L2", "L3", "memory"};
    double lines = f->lines.fresh + f->lines.streamed, each = f->split.cache.cycles / lines;
    struct cache_levels levels;
    double from[CACHE_LEVELS];
    int most = 0;

    if (!(lines > 0) || !(f->split.cache.cycles > f->split.cache.off))
        return;
    result_number(result, "cycles_per_line", each);
    if (!lines_levels(f->machine, EXPLAINED_LINE, &levels))
        return;
    result_line(result,
                "  %.0f cycles for each new line; latency of a load: %.0f from L2, %.0f from L3, "
                "%.0f from memory on %s",
                each, levels.latency[CACHE_L2], levels.latency[CACHE_L3],
                levels.latency[CACHE_MEMORY], f->machine->id);
    const struct load_lines *l = f->lines.list.items;
    if (!lines_from(l, &levels, from))
        return;
    for (int i = 1; i < CACHE_LEVELS; i++)
        most = from[i] > from[most] ? i : most;
    result_line(result,
                "  the load's footprint is %s%.3g MiB: %.0f %% of its new lines come from %s",
                l->at_least ? "more than " : "about ", l->footprint * EXPLAINED_LINE / (1 << 20),
                100 * from[most], names[most]);
}

void explained_equal(double cycles, double predicted, struct str *out)
{
    const double more = cycles - predicted;

    if (fabs(more) <= EQUAL_MOST * predicted)
        str_add(out, "the measured time equals the prediction: only fewer or cheaper instructions "
                     "would reduce the time");
    else if (more > 0)
        str_addf(out,
                 "%.2f cycles more than predicted: the fast timed blocks agree with the prediction "
                 "within its uncertainty, so no cause is sought",
                 more);
    else
        str_addf(out, "%.2f cycles less than predicted: the prediction is too high", -more);
}

static void say_equal(struct result *result, const struct explained_findings *f)
{
    struct str text = {0};

    explained_equal(f->kept->cycles, f->predicted, &text);
    result_line(result, "%s", str_text(&text));
    str_done(&text);
}

static void say_cause(struct result *result, const struct explained_findings *f, const char *more)
{
    const struct split *s = &f->split;

    switch (s->cause) {
    case SPLIT_NONE: say_equal(result, f); break;
    case SPLIT_BRANCH: say_branch(result, f, more); break;
    case SPLIT_CACHE: say_cache(result, f, more); break;
    case SPLIT_REST:
        result_line(result, "%s: explained neither by mispredicted branches nor by new cache lines",
                    more);
        break;
    case SPLIT_REFUSED:
        if (isnan(s->missing))
            result_line(result, "the time cannot be attributed to a cause: %s", s->why);
        else
            result_line(result, "%s; the difference cannot be attributed to a cause: %s", more,
                        s->why);
        break;
    }
}

/* Reports the TLB's part of the cache term, or the reason why it cannot be separated. Reports
 * nothing if the cache term is at most its uncertainty. Replays of the recorded iterations in the
 * sandbox determine this part. */
static void say_translation(struct result *result, const struct explained_findings *f)
{
    const struct recorded_costs *c = &f->recorded;
    const struct split_term *term = &f->split.cache;
    const char *why = f->unrecorded.code         ? f->unrecorded.what
                      : c->huge_pages            ? "the program's pages have 2 MiB"
                      : !recorded_costs_agree(c) ? "the recorded iterations do not take the same "
                                                   "time in the sandbox as in the program"
                      : isnan(c->huge.cycles) ? "the system has no pages of 2 MiB, or is too busy"
                      : c->near.cycles <= c->near.off ? "times in the sandbox vary too much"
                                                      : NULL;

    if (!(term->cycles > term->off))
        return;
    result_text(result, "tlb_reason", why);
    if (why) {
        result_line(result, "  TLB misses cannot be separated from cache misses: %s", why);
        return;
    }
    const double scale = term->cycles / c->near.cycles, tlb = c->huge.cycles * scale,
                 off = c->huge.off * scale + term->off * fabs(tlb) / term->cycles;
    result_number(result, "tlb_cycles", tlb);
    result_number(result, "tlb_off", off);
    result_line(result,
                "  of the cycles due to caches and TLB, %.1f (± %.1f) are due to TLB misses: a "
                "replay of the recorded iterations with pages of 2 MiB saves them",
                tlb, off);
}

/* Adds the terms of the difference if replays measured these terms; otherwise the reason, if
 * known. */
static void say_terms(struct result *result, const struct explained_findings *f)
{
    const struct split *s = &f->split;

    if (isnan(s->branch.cycles)) {
        if (s->cause != SPLIT_NONE && f->unreplayed)
            result_line(result, "  the loop's iterations could not be replayed: %s", f->unreplayed);
        return;
    }
    result_line(result,
                "  of the difference, %.1f (± %.1f) cycles are due to mispredicted branches, %.1f "
                "(± %.1f) due to caches and TLB, %.1f (± %.1f) due to other causes, according to "
                "replays at %zu moment%s",
                s->branch.cycles, s->branch.off, s->cache.cycles, s->cache.off, s->rest.cycles,
                s->rest.off, f->insitu.replays.list.count, plural(f->insitu.replays.list.count));
    say_levels(result, f);
    say_translation(result, f);
    if (s->branch.cycles > s->branch.off && s->cache.cycles > s->cache.off)
        result_line(
            result, "%s",
            "  cycles of a mispredicted branch that waits for a load miss are attributed to the "
            "caches");
}

static void say_split(struct result *result, const struct explained_findings *f)
{
    const struct split *s = &f->split;
    char more[64];

    if (f->insitu.region.dispatch) {
        result_line(result, "%s",
                    "  no cycles are predicted for computed gotos, so the time is not attributed "
                    "to causes");
        return;
    }
    snprintf(more, sizeof more, "%.1f (± %.1f) cycles more than predicted", s->missing, s->off);
    say_cause(result, f, more);
    say_terms(result, f);
}

/* Adds the result of sampling if nothing could be counted. */
static void say_sampled(struct result *result, const struct explained_findings *f)
{
    const struct run_profile *p = f->sampled;
    uint64_t head = f->kernel->insns[f->kernel->loops[f->loop].first].offset;
    size_t samples = 0;
    double off;

    for (size_t i = 0; i < p->loops.count; i++) {
        const struct profile_loop *l = &p->loops.items[i];
        if (strcmp(l->file, f->file) == 0 &&
            l->kernel->insns[l->kernel->loops[l->loop].first].offset == head)
            samples += l->samples;
    }
    double share = profile_share(p, samples, &off);
    result_line(result, "iterations of %s could not be counted: %s%s%s", f->name, f->refused.what,
                *f->refused.todo ? "; " : "", f->refused.todo);
    result_line(result,
                "sampled by the system's clock instead: %.1f %% (± %.1f) of %zu samples in %.1f s",
                100 * share, 100 * off, p->samples, p->seconds);
    result_text(result, "loop", f->name);
    result_text(result, "file", f->file);
    result_count(result, "samples", (int64_t)samples);
    result_number(result, "share", 100 * share);
    result_text(result, "reason", f->refused.what);
    if (f->output)
        result_line(result, "output of the program: %s", f->output);
}

static void say_slow_down(struct result *result, const struct explained_findings *f)
{
    const struct insitu *x = &f->insitu;
    double more = x->complete ? 100 * (x->cpu / f->profiled_cpu - 1) : NAN;

    result_line(result,
                "\nthe program was stopped %zu time%s for %.0f ms in all; page faults after copies "
                "of the process took about %.0f ms",
                x->stops, plural(x->stops), 1000 * x->stopped, 1000 * (x->lost - x->stopped));
    result_number(result, "lost_seconds", x->lost);
    result_number(result, "cpu_seconds", x->cpu);
    result_number(result, "slow_down", more);
    if (isfinite(more))
        result_line(
            result,
            "CPU time of the program: %.2f s, %.2f s in the profile: the overhead is %.0f %%",
            x->cpu, f->profiled_cpu, more > 0 ? more : 0);
    else if (!isnan(x->cpu))
        result_line(result, "CPU time of the program: %.2f s, including overhead", x->cpu);
}

void explained_result(const struct explained_findings *f, struct result *result)
{
    static const char *const causes[] = {[SPLIT_NONE] = "none",
                                         [SPLIT_BRANCH] = "branches",
                                         [SPLIT_CACHE] = "caches",
                                         [SPLIT_REST] = "rest",
                                         [SPLIT_REFUSED] = "not split"};
    const struct insitu *x = &f->insitu;
    bool alone;

    if (f->sampled) {
        say_sampled(result, f);
        return;
    }
    say_count(result, f);
    say_cycles(result, f);
    say_counted(result, f);
    say_split(result, f);
    result_text(result, "loop", f->name);
    result_text(result, "file", f->file);
    result_count(result, "iterations", (int64_t)placed_iterations(&x->placed));
    result_number(result, "cycles", insitu_cycles(x, INSITU_TYPICAL, &alone));
    result_number(result, "cycles_low", insitu_cycles(x, EXPLAINED_LOW, &alone));
    result_number(result, "cycles_high", insitu_cycles(x, EXPLAINED_HIGH, &alone));
    result_text(result, "cycles_of",
                alone            ? "loop"
                : insitu_nest(x) ? "loop and the code around it"
                                 : "loop and the code between its executions");
    result_count(result, "disturbed_blocks", (int64_t)insitu_disturbed(x));
    result_number(result, "other_cpus", x->others < 0 ? 0 : x->others);
    result_number(result, "trip", insitu_trip(x));
    result_number(result, "predicted", f->predicted);
    result_number(result, "above", f->split.missing);
    result_number(result, "above_off", f->split.off);
    result_number(result, "branch_cycles", f->split.branch.cycles);
    result_number(result, "branch_off", f->split.branch.off);
    result_number(result, "cache_cycles", f->split.cache.cycles);
    result_number(result, "cache_off", f->split.cache.off);
    result_number(result, "rest_cycles", f->split.rest.cycles);
    result_number(result, "rest_off", f->split.rest.off);
    result_count(result, "replays", (int64_t)x->replays.list.count);
    result_text(result, "not_replayed", f->unreplayed);
    result_text(result, "cause", causes[f->split.cause]);
    result_text(result, "reason", f->split.why);
    result_text(result, "machine", f->machine ? f->machine->id : NULL);
    result_text(result, "output", f->output);
    add_paths(result, f);
    add_branches(result, f);
    add_loads(result, f);
    say_slow_down(result, f);
    if (x->ended && WIFSIGNALED(x->status) && !x->killed)
        result_line(result, "the program crashed: %s", strsignal(WTERMSIG(x->status)));
    else if (x->ended && f->started && WIFEXITED(x->status) && WEXITSTATUS(x->status))
        result_line(result, "the program exited with status %d", WEXITSTATUS(x->status));
    if (f->output)
        result_line(result, "output of the program: %s", f->output);
}
