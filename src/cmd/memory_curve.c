/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/memory_curve.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bounds.h"
#include "analysis/kernel_names.h"
#include "analysis/layout.h"
#include "analysis/memory_note.h"
#include "base/mem.h"
#include "chart/memory_lines.h"
#include "measure/kernel_arrays.h"
#include "simulate/simulate.h"

#define REPEATS 3            /* maximum number of measurements per size whose times are below a
                              * bound */
#define GAIN 1.05            /* smallest reported gain of a remedy, as a ratio of times */
#define BLOCK_NEARLY 1.25    /* largest ratio of the time with a chosen block size to the best
                              * time */
/* largest ratio of the core's time to its largest bound at which that bound is the limit */
#define CORE_BOUND 1.05
#define BLOCK_SHARE 0.5      /* share of a cache for blocks; the rest is for other data */

static double size_read(const char *text, const char **end)
{
    char *after;
    double value = isdigit((unsigned char)*text) ? strtod(text, &after) : NAN;

    if (isnan(value))
        return NAN;
    static const char units[] = "KMG";
    const char *unit = *after ? strchr(units, toupper((unsigned char)*after)) : NULL;
    if (unit) {
        value *= pow(1024, (double)(unit - units) + 1);
        after++;
    }
    *end = after;
    return value;
}

bool memory_curve_sizes(const char *text, double *from, double *to, struct err *err)
{
    const char *end = text;

    *from = *to = size_read(text, &end);
    if (!isnan(*from) && strncmp(end, "..", 2) == 0)
        *to = size_read(end + 2, &end);
    if (isnan(*from) || isnan(*to) || *end)
        return err_set(err, ERR_USAGE, "use --size 16K..512M, or --size 2M",
                       "`%.40s` is neither a size nor a range of sizes", text);
    if (*from > *to)
        return err_set(err, ERR_USAGE, "give the smaller size first: --size 16K..512M",
                       "`%.40s` begins with the larger size", text);
    if (*from < MEMORY_CURVE_LEAST || *to > MEMORY_CURVE_MOST)
        return err_set(err, ERR_USAGE, "give sizes from 4K to 64G: --size 16K..512M, or --size 2M",
                       "`%.40s` is below 4K or above 64G", text);
    return true;
}

void memory_size_print(double bytes, struct str *out)
{
    const char *unit = bytes >= 1073741824 ? "G" : bytes >= 1048576 ? "M" : "K";
    str_addf(out, "%.3g%s",
             bytes / (bytes >= 1073741824 ? 1073741824
                      : bytes >= 1048576  ? 1048576
                                          : 1024),
             unit);
}

static bool join(struct memory_curve *c, const char *word, struct err *err)
{
    char *end;
    unsigned long at = strtoul(word, &end, 10),
                  other = *end == '=' ? strtoul(end + 1, &end, 10) : 0;
    long long distance = *end == '+' || *end == '-' ? strtoll(end, &end, 10) : 0;

    if (!at || !other || *end)
        return err_set(
            err, ERR_USAGE,
            "use --arrays 2=1+4160: stream 2 begins 4,160 bytes into the array of stream 1",
            "invalid arrays `%.40s`: expected STREAM=ARRAY", word);
    if (llabs(distance) > (1ll << 40))
        return err_set(err, ERR_USAGE, "give a smaller distance, as in --arrays 2=1+4160",
                       "the distance in `%.40s` is too large", word);
    return streams_join(&c->streams, at, other, distance, err);
}

static void help_try(struct memory_point *p, double cycles, const char *help)
{
    if (p->time.cycles > GAIN * cycles && p->time.cycles / cycles > p->gain) {
        p->gain = p->time.cycles / cycles;
        p->help = help;
    }
}

/* Finds a block size that fits a nearer cache level: the largest size whose time is close to the
 * best time. */
static void blocks_find(const struct memory_curve *c, const struct memory_costs *costs,
                        struct memory_point *p)
{
    const double levels[] = {c->costs.first, c->costs.second, c->costs.third};
    double best = p->time.cycles / GAIN;

    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        double cycles =
            memory_time_at(&c->streams, costs, &c->core, BLOCK_SHARE * levels[i]).cycles;
        if (levels[i] > 0 && levels[i] < p->bytes && cycles < BLOCK_NEARLY * best) {
            best = fmin(best, cycles);
            p->block = BLOCK_SHARE * levels[i];
            p->block_gain = p->time.cycles / cycles;
        }
    }
    if (p->block_gain < GAIN)
        p->block = p->block_gain = 0;
}

/* Predicts remedies unless the core limits the loop: blocking for a nearer level, non-temporal
 * stores, use of whole cache lines. */
static void help_find(const struct memory_curve *c, const struct memory_costs *costs,
                      struct memory_point *p)
{
    struct streams other = c->streams;
    VEC(struct stream) copy = {0};
    bool stored = false, skipped = p->time.limit == LIMIT_SKIPPED;

    if (p->time.limit == LIMIT_CORE)
        return;
    blocks_find(c, costs, p);
    for (size_t i = 0; i < c->streams.items.count; i++) {
        struct stream s = c->streams.items.items[i];
        bool plain = s.kind == STREAM_WALK && s.stores && !s.loads;
        s.non_temporal |= plain;
        stored |= plain && !c->streams.items.items[i].non_temporal;
        vec_push(&copy, s);
    }
    other.items.items = copy.items;
    if (stored)
        help_try(p, memory_time_at(&other, costs, &c->core, p->bytes).cycles,
                 "non-temporal stores");
    for (size_t i = 0; skipped && i < copy.count; i++) {
        copy.items[i] = c->streams.items.items[i];
        if (copy.items[i].kind == STREAM_WALK) {
            copy.items[i].lines = fmax(copy.items[i].loads, copy.items[i].stores) * 8 / STREAM_LINE;
            copy.items[i].step = copy.items[i].step < 0 ? -8 : 8;
        }
    }
    other.items.items = copy.items;
    if (skipped)
        help_try(p, memory_time_at(&other, costs, &c->core, p->bytes).cycles,
                 "adjacent elements");
    vec_done(&copy);
}

static void point_predict(const struct memory_curve *c, struct memory_point *p)
{
    p->level = "";
    p->time = (struct memory_time){.cycles = NAN};
    p->gain = 1;
    if (!c->known)
        return;
    struct memory_costs costs = c->costs;
    memory_costs_clock(&costs, p->clock_hz);
    p->time = memory_time_at(&c->streams, &costs, &c->core, p->bytes);
    p->level = memory_level_at(&costs, p->time.held > 0 ? p->time.held : p->bytes);
    p->moved = p->time.lines * STREAM_LINE;
    help_find(c, &costs, p);
}

static const char *core_limit(double cycles, const struct bounds *bounds)
{
    static const char *const words[BOUND_COUNT] = {[BOUND_PORTS] = "core: ports",
                                                   [BOUND_PIPES] = "core: divider",
                                                   [BOUND_ISSUE] = "core: issue width",
                                                   [BOUND_FRONTEND] = "core: front end",
                                                   [BOUND_DEPENDENCIES] = "core: dependencies",
                                                   [BOUND_MEMORY] = "core: loads and stores",
                                                   [BOUND_RETIRE] = "core: retirement"};

    return cycles <= CORE_BOUND * bounds->total ? words[bounds->bottleneck] : "core";
}

bool memory_curve_predict(struct memory_curve *c, const struct kernel *k, size_t loop,
                          struct machine *m, const struct memory_costs *measured, double from,
                          double to, const char *const *joined, size_t joined_count,
                          struct err *err)
{
    struct simulation sim;
    struct bounds bounds;
    size_t count;
    const struct insn *insns = kernel_insns(k, loop, &count);

    *c = (struct memory_curve){.machine = machine_hold(m)};
    streams_find(insns, count, &c->streams);
    for (size_t i = 0; i < joined_count; i++)
        if (!join(c, joined[i], err))
            return false;
    simulate_kernel(k, loop, m, &(struct simulate_options){0}, &sim, &bounds);
    c->core =
        memory_core_of(m, isnan(sim.cycles) ? bounds.total : fmax(sim.cycles, 0), bounds.cycles);
    c->core_limit = core_limit(c->core.cycles, &bounds);
    simulation_done(&sim);
    c->known = measured || memory_costs_of(m, &c->costs, &c->why);
    if (measured)
        c->costs = *measured;
    c->clock_hz = c->known ? c->costs.clock_hz : NAN;
    for (size_t i = 0; i < count; i++)
        c->flops += insn_flops(&insns[i]);
    for (size_t i = 0; i < c->streams.items.count; i++)
        c->moves |= stream_moves(&c->streams.items.items[i]);
    for (double bytes = from; c->count < MEMORY_CURVE_POINTS && bytes <= to * 1.001; bytes *= 2) {
        struct memory_point *p = &c->points[c->count++];
        *p = (struct memory_point){
            .bytes = bytes, .measured = NAN, .spread = NAN, .refuted = NAN, .huge = NAN};
        point_predict(c, p);
    }
    return true;
}

/* Copies @insns to @own, with the addresses of the arrays in place of the addresses of their
 * symbols. Returns false with err if the place of such an address in an instruction's bytes is
 * unknown. */
static bool symbols_place(const struct kernel *k, const struct insn *insns, size_t count,
                          const struct arrays *arrays, struct insn *own, struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        const struct operand *memory = insn_memory(&insns[i]);
        const int64_t place =
            memory && insns[i].traits & INSN_REFERS && !(insns[i].traits & INSN_RIP_RELATIVE)
                ? symbol_place(memory->displacement)
                : 0;
        size_t references;
        const struct code_reference *reference = kernel_references(k, &insns[i], &references);
        own[i] = insns[i];
        for (unsigned at = 0; place && at < arrays->place_count; at++) {
            if (arrays->places[at].symbol != place)
                continue;
            const int32_t displacement =
                (int32_t)((int64_t)arrays->places[at].at + memory->displacement - place);
            const size_t in = references ? (size_t)(reference->place - insns[i].offset) : SIZE_MAX;
            if (!isa_ops((enum isa)insns[i].isa)->references_from_end ||
                in + sizeof displacement > insns[i].length)
                return err_set(err, ERR_DATA, NULL,
                               "instruction %zu: the address of its symbol is unknown", i + 1);
            memcpy(own[i].bytes + in, &displacement, sizeof displacement);
        }
    }
    return true;
}

struct point_run {
    bool placed;              /* false: the strides are too long for arrays of this size */
    struct arrays arrays;
    struct insn *own;         /* instructions with the addresses of the arrays in place of their
                               * symbols */
    struct kernel_arrays run;
};

/* Adds the loop's code for point @at. Uses the previous point's code if it does not depend on the
 * size. Marks the point if its arrays are too small; if it is the last point, returns false with
 * err. */
static bool point_prepare(struct memory_curve *c, size_t at, const struct kernel *k, size_t loop,
                          struct sandbox *s, struct arena_state *arena, struct point_run *runs,
                          struct err *err)
{
    size_t count;
    const struct insn *insns = kernel_insns(k, loop, &count);
    struct point_run *r = &runs[at];
    const struct point_run *before = at && runs[at - 1].placed ? r - 1 : NULL;
    struct err small = {0};

    r->placed =
        layout_arrays(insns, &c->streams, (uint64_t)c->points[at].bytes, &r->arrays, &small);
    if (!r->placed) {
        c->points[at].small = true;
        c->small = small;
        if (at + 1 < c->count)
            return true;
        *err = small;
        return false;
    }
    if (before && !r->arrays.place_count) {
        r->run = before->run;
        return true;
    }
    r->own = mem_zero(count, sizeof *r->own);
    return symbols_place(k, insns, count, &r->arrays, r->own, err) &&
           kernel_arrays_begin(&r->run, s, arena, r->own, count, err);
}

/* Returns whether the bounds in @w refute @cycles of the loop. If so, stores the reason in
 * c->bound. */
static bool refuted(struct memory_curve *c, struct block_work *w, const struct point_run *r,
                    double cycles)
{
    struct str reason = {0};
    const bool below = w && bounds_refute(w, r->run.insns, r->run.count, cycles, &reason);

    if (below)
        snprintf(c->bound, sizeof c->bound, "%s", str_text(&reason));
    str_done(&reason);
    return below;
}

static bool point_measure(struct memory_curve *c, struct memory_point *p, struct point_run *r,
                          struct block_work *bounds, double seconds, struct err *err)
{
    struct arrays_measured m;
    bool below = r->placed;

    for (unsigned i = 0; below && i < REPEATS; i++) {
        if (!kernel_arrays_measure(&r->run, &r->arrays, seconds, &m, err))
            return false;
        below = refuted(c, bounds, r, m.cycles);
    }
    if (!r->placed)
        return true;
    if (below) {
        p->refuted = m.cycles;
        return true;
    }
    p->measured = m.cycles;
    p->contended = m.contended;
    p->clock_hz = m.clock_hz > 0 ? m.clock_hz : 0;
    p->spread = m.spread;
    p->huge = sandbox_arena_huge(r->run.sandbox);
    c->clock_hz = m.clock_hz > 0 ? m.clock_hz : c->clock_hz;
    return true;
}

/* Measures the loop for @seconds per size. Directly after each size, again measures the memory
 * costs on which the loop depends, because other users' load on the caches varies within a second.
 * @lines: NULL if no cost is measured again. Returns false with err on failure. */
static bool points_measure(struct memory_curve *c, struct memory_lines *lines,
                           struct point_run *runs, struct block_work *bounds, double seconds,
                           struct err *err)
{
    bool needs[MEMORY_COSTS];
    double bytes[MEMORY_CURVE_POINTS];

    memory_time_needs(&c->streams, needs);
    for (size_t i = 0; i < c->count; i++)
        bytes[i] = c->points[i].bytes;
    if (lines)
        memory_lines_again(lines, needs, bytes, c->count, seconds, &c->costs);
    c->again = lines != NULL;
    /* The largest arrays are measured first, which fills the arena. Otherwise a shared cache would
     * contain lines that were just written. On a Zen 5, reading such lines takes up to a quarter
     * longer, even repeatedly. */
    for (size_t i = c->count; i-- > 0;) {
        if (!point_measure(c, &c->points[i], &runs[i], bounds, seconds, err))
            return false;
        c->again = c->again && memory_lines_again_at(lines, bytes[i], err);
        if (err->code && err->code != ERR_LIMIT)
            return false;
        err_clear(err);   /* On a busy CPU the stored costs are used instead. */
    }
    if (c->again)
        memory_lines_again_take(lines, &c->costs);
    for (size_t i = 0; c->again && i < c->count; i++)
        point_predict(c, &c->points[i]);
    return true;
}

bool memory_curve_measure(struct memory_curve *c, const struct kernel *k, size_t loop, bool here,
                          double seconds, bool huge, bool (*cancelled)(void *state), void *state,
                          struct err *err)
{
    const double most = c->count ? c->points[c->count - 1].bytes : 0;
    struct point_run *runs = mem_zero(MEMORY_CURVE_POINTS, sizeof *runs);
    struct arena_state arena = {0};
    struct memory_lines *lines = NULL;
    struct block_work *bounds = here ? block_work_new(c->machine) : NULL;
    struct sandbox *s =
        c->count && arena_fits(most, memory_available(),
                               "choose a smaller size (--size), or end other programs", err)
            ? sandbox_new(-1, err)
            : NULL;
    bool ok = s != NULL;

    if (ok) {
        sandbox_cancel_by(s, cancelled, state);
        sandbox_clear(s);
        /* The arrays of all sizes are placed first, so errors are reported before any
         * measurement. */
        for (size_t i = 0; ok && i < c->count; i++)
            ok = point_prepare(c, i, k, loop, s, &arena, runs, err);
        ok = ok && sandbox_arena(s, (size_t)most + LAYOUT_SLACK, huge, err);
    }
    if (ok && c->known && c->costs.measured && most > MEMORY_LINES_STABLE * c->costs.second) {
        lines = memory_lines_new(s, &arena, most + LAYOUT_SLACK, err);
        ok = lines != NULL;
    }
    ok = ok && points_measure(c, lines, runs, bounds, seconds / (double)c->count, err);
    memory_lines_free(lines);
    sandbox_free(s);
    block_work_free(bounds);
    for (size_t i = 0; i < c->count; i++)
        free(runs[i].own);
    free(runs);
    return ok;
}

void memory_curve_done(struct memory_curve *c)
{
    streams_done(&c->streams);
    machine_free((struct machine *)c->machine);
    *c = (struct memory_curve){0};
}
