/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/kernel_arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compare.h"
#include "base/mem.h"
#include "isa/foreign.h"
#include "measure/arch.h"
#include "measure/kernel_code.h"
#include "measure/kernel_run.h"
#include "measure/ticks.h"
#include "model/start.h"

/* Maximum number of instructions in a sequence of copies. The loop's end costs little in a long
 * sequence. */
#define UNROLLED 160
#define UNROLLED_BYTES 8192
/* number of copies in the short sequence; the end of the loop costs an eighth of a cycle per
 * copy */
#define UNROLLED_FEW 8
/* minimum number of repetitions of a sequence before the arrays end; with fewer, a shorter sequence
 * is used */
#define UNITS_LEAST 2
/* largest size in bytes of arrays that fit, or nearly fit, in the first-level cache */
#define NEAR_BYTES ((uint64_t)64 << 10)
#define CLOCK_RECENT 5e-3         /* seconds for which a measured clock remains valid */
/* Minimum number of cycles of a run with arrays in private caches (SAMPLE_OWN) or beyond
 * (SAMPLE_SHARED). Short runs reduce the probability that a host interrupts the guest during a run.
 * With larger arrays a run begins with cold TLBs, and with lines that others evicted since the
 * previous run: on a Zen 5, a loop over 4 MiB takes 4.7 cycles in runs of 1.6e5 cycles, and 3.0 in
 * runs of 2e6. */
#define SAMPLE_OWN 5e4
#define SAMPLE_SHARED 1.2e6
/* Maximum number of cycles of a run over all lines of the arrays, as in a repeated loop. If all
 * lines take longer, a run has SAMPLE_SHARED cycles. */
#define SAMPLE_WALK 1.2e7
/* number of iterations of the first run, which estimates the time of a unit */
#define ROUGH_ITERATIONS 200
/* minimum number of cycles of a run that estimates the time of a unit */
#define ROUGH_CYCLES 6e4
#define ROUGH_MORE 6
#define ROUGH_RUNS 2              /* number of runs of an estimate, which uses the fastest run */
/* largest ratio of an improved estimate to the previous one at which it is improved again */
#define REFINED 0.7
#define LAYOUT_RUNS 4             /* number of runs of an estimate that compares layouts */
#define GOLDEN 0.6180339887498949 /* golden ratio; its multiples modulo 1 are evenly distributed */
#define SAMPLES 150               /* maximum number of samples per measurement */
#define PASSES_MOST 4000
/* Minimum numbers of samples: for arrays in private caches, for runs over all lines of larger
 * arrays, and for runs over a part of the lines */
#define LEAST_SAMPLES 3
#define LEAST_WALKS 2
#define LEAST_SHARED 10
/* The warm-up ends after STEADY walks (STEADY_FEW if few samples are enough) that are no faster
 * than STEADY_GAIN times the fastest walk. Caches fill slowly: measured on a Zen 5, a chase over
 * 512 KiB takes 320, 200, 104, 64, 30, 19 and then 18 cycles per load. Loads 320 bytes apart in 8
 * MiB take 23, 13, 8, 7, 5, 4, 3 and then 2.5 cycles. */
#define STEADY 4
#define STEADY_FEW 2
#define STEADY_GAIN 0.97
#define WALKS_MOST 16
#define LOST_MOST 8               /* maximum number of interrupted samples that are excluded */
/* maximum number of seconds of all samples in an arena that are excluded because of contention */
#define CONTENDED_SECONDS 0.5
/* largest size in bytes of arrays that private caches may hold */
#define OWN_BYTES ((uint64_t)3 << 20)
/* number of cycles of a pass below which its start-up cost is subtracted */
#define SHORT_CYCLES 4e4
/* Maximum number of cycles of the walks over the arrays before measuring. The second limit applies
 * if few samples are enough. If a walk would take longer, lines are read instead (walk_through). */
#define WALK_CYCLES 6e7
#define WALK_CYCLES_FEW 1.2e7
/* Largest size in bytes of arrays whose lines are read first. Larger arrays exceed the caches. With
 * random accesses there is no limit, because part of the lines is then in a cache. */
#define READ_MOST ((uint64_t)96 << 20)
/* Number of times that the lines of newly filled arrays are read. A shared cache fills slowly: on a
 * Redwood Cove, the fifth pass over 64 MiB is as fast as later ones. */
#define READS_FRESH 5
/* Minimum size in bytes of arrays with samples of all parts. In smaller arrays, such samples would
 * access lines that are still in private caches. */
#define PARTS_LEAST ((uint64_t)24 << 20)
/* number of places of larger arrays at which a measurement may begin */
#define STARTS 64
/* The double 4/3. Its halves are ordinary floats. All three numbers have full mantissas, so
 * divisions and roots have their usual latency. */
#define NUMBER 0x3ff5555555555555

/* Adds @copies copies of the first @count instructions at distances of @stride bytes. Stores the
 * place of the code in @to. Returns false with err on failure. */
static bool copies_add(struct kernel_arrays *k, size_t count, struct arrays_code *to,
                       unsigned copies, size_t stride, struct err *err)
{
    uint32_t unused;
    uint8_t *code = mem_alloc((stride + 16) * copies);

    *to = (struct arrays_code){copies, stride, sandbox_next_offset(k->sandbox)};
    const size_t length =
        kernel_copies_emit(k->insns, count, copies, stride, to->offset, code);
    bool ok =
        length || err_set(err, ERR_DATA, NULL, "copies of the loop decode to other instructions");
    ok = ok && (sandbox_add(k->sandbox, code, length, 1, k->counter, &unused) ||
                err_set(err, ERR_LIMIT, "kernel load --lines A-B loads a part of the file",
                        "the loop is too long for the sandbox"));
    free(code);
    return ok;
}

/* Adds the code of the loop in all lengths: sequences of at most @copies copies at distances of
 * @stride bytes. In a single copy, which is the loop of a program, the counting branch replaces the
 * closing branch. Stores the places of the code in @code. Returns false with err on failure. */
static bool lengths_add(struct kernel_arrays *k, struct arrays_code code[ARRAYS_LENGTHS],
                        unsigned copies, size_t stride, struct err *err)
{
    const unsigned few = copies < UNROLLED_FEW ? copies : UNROLLED_FEW;
    const struct insn *last = &k->insns[k->count - 1];
    bool closes = k->count > 1 && last->traits & INSN_BRANCH;

    /* Keeps a closing `loop` instruction, because it decrements rcx and has an 8-bit distance. All
     * branches write the instruction pointer. */
    for (unsigned i = 0; i < last->operand_count; i++)
        closes &= last->operands[i].kind != OPERAND_REGISTER ||
                  last->operands[i].reg >= isa_ops((enum isa)last->isa)->generals ||
                  !(last->operands[i].access & ACCESS_WRITE);
    if (!copies_add(k, k->count, &code[ARRAYS_MANY], copies, stride, err))
        return false;
    code[ARRAYS_FEW] = code[ARRAYS_MANY];
    return (few == copies || copies_add(k, k->count, &code[ARRAYS_FEW], few, stride, err)) &&
           copies_add(k, k->count - closes, &code[ARRAYS_ONE], 1,
                      k->length - (closes ? last->length : 0), err);
}

bool kernel_arrays_begin(struct kernel_arrays *k, struct sandbox *s, struct arena_state *arena,
                         const struct insn *insns, size_t count, struct err *err)
{
    unsigned at;
    const char *reason = kernel_refused(insns, count, &at);
    struct body like = {0};

    *k = (struct kernel_arrays){.sandbox = s,
                                .arena = arena,
                                .insns = insns,
                                .count = count,
                                .counter = kernel_counter(insns, count)};
    if (reason)
        return kernel_refuse(insns, at, reason, err);
    const struct isa_ops *isa = isa_ops((enum isa)insns[0].isa);
    for (size_t i = 0; i < count; i++) {
        k->length += insns[i].length;
        for (unsigned j = 0; j < insns[i].operand_count; j++)
            k->plain_values |= insns[i].operands[j].kind == OPERAND_MEMORY &&
                               insns[i].operands[j].index >= isa->vectors &&
                               insns[i].operands[j].index < isa->vectors + 32;
    }
    isa->foreign->vectors_used(insns, count, &like);
    k->vectors = sandbox_setup(&like);
    size_t unrolled = UNROLLED / count < UNROLLED_BYTES / k->length ? UNROLLED / count
                                                                    : UNROLLED_BYTES / k->length;
    const unsigned copies = unrolled < 1 ? 1 : (unsigned)unrolled;
    const size_t apart = kernel_apart(insns, count, k->length);
    k->may_be_apart = apart != k->length;
    return lengths_add(k, k->code[0], copies, k->length, err) &&
           (!k->may_be_apart ||
            lengths_add(k, k->code[1],
                        copies < KERNEL_APART_COPIES ? copies : KERNEL_APART_COPIES, apart, err));
}

/* Records that the current use of the arena accesses @bytes bytes from @at. */
static void arena_use(struct arena_state *a, uint64_t at, uint64_t bytes)
{
    const uint64_t first = at / ARENA_PART, end = (at + bytes + ARENA_PART - 1) / ARENA_PART;

    for (uint64_t part = first; part < end && part < first + ARENA_PARTS; part++)
        a->used[part % ARENA_PARTS] = a->uses;
}

/* Fills the first @bytes of the arena with numbers, unless the current child process has them.
 * Returns false with err on failure. */
static bool numbers_fill(struct kernel_arrays *k, uint64_t bytes, struct err *err)
{
    if (sandbox_pid(k->sandbox, true) != k->arena->process || !k->arena->process)
        *k->arena = (struct arena_state){0};
    while (k->arena->filled < bytes) {
        uint64_t part = bytes - k->arena->filled < SANDBOX_FILL_PART ? bytes - k->arena->filled
                                                                     : SANDBOX_FILL_PART;
        if (!sandbox_fill(k->sandbox,
                          &(struct sandbox_fill){.kind = SANDBOX_FILL_VALUE,
                                                 .at = k->arena->filled,
                                                 .bytes = part,
                                                 .value = NUMBER},
                          err))
            return false;
        k->arena->uses++;
        arena_use(k->arena, k->arena->filled, part);
        k->arena->filled += part;
    }
    k->arena->process = sandbox_pid(k->sandbox, true);
    return true;
}

static bool same_fill(const struct arrays_fill *a, const struct arrays_fill *b)
{
    return a->kind == b->kind && a->at == b->at && a->bytes == b->bytes && a->unit == b->unit &&
           a->range == b->range && a->spacing == b->spacing && a->link == b->link;
}

static bool pattern_fill(struct kernel_arrays *k, const struct arrays_fill *f, struct err *err)
{
    if (same_fill(&k->arena->pattern, f))
        return true;
    k->arena->pattern = *f;
    for (uint64_t done = 0; done < f->bytes;) {
        uint64_t part = f->bytes - done < SANDBOX_FILL_PART ? f->bytes - done : SANDBOX_FILL_PART;
        struct sandbox_fill fill = {.at = f->at + done, .bytes = part};
        if (f->kind == ARRAYS_INDICES) {
            fill.kind = SANDBOX_FILL_INDICES;
            fill.unit = f->unit;
            fill.value = f->range;
        } else {
            fill.kind = SANDBOX_FILL_RING;
            fill.unit = f->spacing;
            fill.link = f->link;
            fill.ring = f->at;
            fill.places = f->bytes / f->spacing;
        }
        if (!sandbox_fill(k->sandbox, &fill, err))
            return false;
        k->arena->uses++;
        arena_use(k->arena, fill.at, part);
        done += part;
    }
    return true;
}

/* Measures the clock if the last measurement is not recent, or if it found a neighbour. */
static bool clock_renew(struct kernel_arrays *k, struct err *err)
{
    return (clock_seconds() - k->arena->clock_at <= CLOCK_RECENT && !arena_contended(k->arena)) ||
           arena_clock(k->sandbox, k->arena, err);
}

static bool writes(const struct kernel_arrays *k)
{
    bool stores = false;

    for (size_t i = 0; i < k->count; i++)
        stores |= (k->insns[i].traits & INSN_STORE) != 0;
    return stores;
}

/* Sets the registers in @general for iteration @ahead of @arrays. Each pointer chase begins at
 * another element. */
static void registers_fill(const struct kernel_arrays *k, const struct arrays *arrays,
                           uint64_t ahead, uint64_t general[32])
{
    const struct isa_ops *isa = isa_ops((enum isa)k->insns[0].isa);
    uint32_t addresses = 1u << isa->stack_pointer;

    for (size_t i = 0; i < k->count; i++)
        for (unsigned j = 0; j < k->insns[i].operand_count; j++)
            if (k->insns[i].operands[j].kind == OPERAND_MEMORY &&
                k->insns[i].operands[j].base < isa->generals)
                addresses |= 1u << k->insns[i].operands[j].base;
    for (unsigned reg = 0; reg < isa->generals; reg++)
        general[reg] =
            arrays->given >> reg & 1
                ? arrays->values[reg] + (arrays->inside >> reg & 1
                                             ? sandbox_arena_at(k->sandbox) /
                                                   (arrays->factors[reg] ? arrays->factors[reg] : 1)
                                             : 0)
            : addresses >> reg & 1                    ? start_address(reg)
            : isa->foreign->zero_registers >> reg & 1 ? 0
                                                      : 37 + 4 * reg;
    for (unsigned i = 0; i < arrays->count; i++) {
        const struct array *a = &arrays->arrays[i];
        uint64_t place = a->places ? (ahead * 0x9e3779b97f4a7c15 >> 20) % a->places : 0;
        general[a->reg] += a->places ? place * a->spacing : ahead * (uint64_t)a->step;
    }
}

/* Runs the loop in @code for @units units in each of @passes passes, after @warm warm-up units. At
 * least one warm-up unit maps the pages of fixed addresses. Sets *@ticks to the duration in ticks.
 * Returns false with err on failure. */
static bool run(struct kernel_arrays *k, const struct arrays_code *code,
                const struct arrays *arrays,
                uint64_t ahead, uint64_t warm, uint64_t units, unsigned passes, double *ticks,
                struct err *err)
{
    struct sandbox_item *item = sandbox_items(k->sandbox);

    *item = (struct sandbox_item){.mode = SANDBOX_RAW_TICKS,
                                  .code = PULSE_ITEM,
                                  .offset = code->offset,
                                  .kernel = true,
                                  .counter = k->counter,
                                  .vectors = k->vectors,
                                  .passes = passes,
                                  .plain_values = k->plain_values,
                                  .warm = warm ? warm : 1,
                                  .count = units,
                                  .samples = 1};
    registers_fill(k, arrays, ahead, item->general);
    if (!sandbox_run(k->sandbox, 1, NULL, NULL, NULL, err))
        return false;
    if (item->fault == FAULT_STARVED)
        return err_set(err, ERR_LIMIT, "repeat the command when the computer is idle",
                       "core is contended");
    if (item->fault) {
        size_t place = item->fault_offset - code->offset, end = 0;
        unsigned at = 0;
        for (unsigned i = 0; item->fault_offset >= code->offset &&
                             place < code->stride * code->copies && !at && i < k->count;
             i++)
            if (place % code->stride < (end += k->insns[i].length))
                at = i + 1;
        return kernel_refuse(k->insns, at, sandbox_fault_text(item->fault), err);
    }
    *ticks = (double)item->ticks[0];
    return true;
}

struct array_walk {
    const struct arrays_code *code;
    unsigned copies;
    uint64_t all;                /* units until the arrays end */
};

/* Returns the iteration at which a run of @units begins to continue the previous run. */
static uint64_t run_ahead(struct kernel_arrays *k, const struct array_walk *w, uint64_t units)
{
    uint64_t left = w->all > units ? w->all - units : 0, next = k->walked / w->copies;

    k->walked += units * w->copies;
    return left ? next % left * w->copies : 0;
}

/* Returns the iteration at which sample @number of @units units begins, if samples are spread
 * evenly over the arrays. */
static uint64_t part_ahead(const struct array_walk *w, unsigned number, uint64_t units)
{
    const uint64_t left = w->all > units ? w->all - units : 0;

    return (uint64_t)(fmod(number * GOLDEN, 1) * (double)left) * w->copies;
}

/* Returns the walk with the longest sequence that fits into the arrays at least UNITS_LEAST times.
 * Beyond the first-level cache, returns the walk with a single copy. Prefetchers identify streams
 * by the addresses of instructions, so copies differ from the loop of a program. On a Zen 5, 30 to
 * 53 copies of a loop of 64 bytes double the time per line of the second-level cache. Eight copies
 * of loops with larger strides halve the time. A counter in memory would limit a single copy, so
 * the longest sequence is then used. */
static struct array_walk walk_of(const struct kernel_arrays *k, const struct arrays *arrays)
{
    const struct arrays_code *code = k->code[k->apart];

    for (unsigned i = ARRAYS_MANY; i < ARRAYS_ONE; i++)
        code += (arrays->bytes > NEAR_BYTES && k->counter != COUNTER_MEMORY) ||
                (arrays->iterations && arrays->iterations / code->copies < UNITS_LEAST);
    return (struct array_walk){code, code->copies,
                               arrays->iterations ? arrays->iterations / code->copies : UINT32_MAX};
}

/* Estimates the cycles of a unit. Lengthens the runs until they take ROUGH_CYCLES. Uses the fastest
 * run, because the other runs may have been interrupted. Stores the estimate in *@rough. Returns
 * false with err on failure. */
static bool rough_find(struct kernel_arrays *k, const struct arrays *arrays,
                       const struct array_walk *w, double *rough, struct err *err)
{
    uint64_t units = ROUGH_ITERATIONS / w->copies + 1;
    unsigned passes = 1, left = k->may_be_apart ? LAYOUT_RUNS : ROUGH_RUNS;
    double ticks, least = INFINITY;

    while (left) {
        units = units < w->all ? units : w->all;
        if (!run(k, w->code, arrays, run_ahead(k, w, units), 0, units, passes, &ticks, err))
            return false;
        if (ticks * k->arena->clock >= ROUGH_CYCLES || passes > PASSES_MOST ||
            (units == w->all && !k->may_be_apart)) {
            least = fmin(least, ticks);
            left--;
        } else if (units < w->all) {
            units *= ROUGH_MORE;
        } else {
            passes *= ROUGH_MORE;
        }
    }
    *rough = fmax(1, least * k->arena->clock / ((double)units * passes));
    return true;
}

/* Estimates the cycles of a unit with both layouts of copies. Selects separated branches if they
 * are clearly faster (KERNEL_APART_GAIN). Stores the estimate in *@rough. Returns false with err on
 * failure. */
static bool layout_find(struct kernel_arrays *k, const struct arrays *arrays, struct array_walk *w,
                        double *rough, struct err *err)
{
    struct array_walk close = *w;
    double apart;

    if (!rough_find(k, arrays, &close, rough, err))
        return false;
    if (!k->may_be_apart || w->copies == 1)
        return true;
    k->apart = true;
    *w = walk_of(k, arrays);
    if (!rough_find(k, arrays, w, &apart, err)) {
        k->apart = false;
        return false;
    }
    k->may_be_apart = false;
    k->apart = apart / w->copies < KERNEL_APART_GAIN * *rough / close.copies;
    *rough = k->apart ? apart : *rough;
    *w = k->apart ? *w : close;
    return true;
}

/* Plan of the samples of a loop */
struct sample_plan {
    /* @own: whether the arrays may fit in private caches. @spread: whether accesses are random. */
    bool own, spread;
    uint64_t units;
    unsigned passes;
    bool differs;            /* whether the start-up cost of a pass is subtracted */
    /* whether samples are of evenly distributed parts, because a shared cache may hold a part of
     * the arrays */
    bool parts;
    uint64_t walk;           /* number of units of one walk over all arrays */
    uint64_t warm;           /* number of warm-up units before a sample */
    unsigned least;          /* minimum number of samples */
    bool walks;              /* whether a sample is one walk over arrays beyond private caches */
};

static struct sample_plan sampling_plan(const struct arrays *arrays, const struct array_walk *w,
                                        double rough)
{
    struct sample_plan p = {.own = arrays->bytes <= OWN_BYTES, .spread = arrays->fill_count > 0};
    p.walk = arrays->iterations ? w->all : arrays->round / w->copies + 1;
    const double walk = rough * (double)p.walk,
                 cycles = fmax(p.own ? SAMPLE_OWN : SAMPLE_SHARED, walk <= SAMPLE_WALK ? walk : 0);

    p.units = (uint64_t)fmax(1, fmin((double)w->all, cycles / rough));
    p.passes = (unsigned)fmax(1, fmin(PASSES_MOST, cycles / (rough * (double)p.units)));
    p.parts = arrays->iterations && arrays->bytes > PARTS_LEAST && arrays->bytes <= READ_MOST;
    p.differs = rough * (double)p.units < SHORT_CYCLES;
    p.least = p.own ? LEAST_SAMPLES : walk <= SAMPLE_WALK ? LEAST_WALKS : LEAST_SHARED;
    p.warm = p.own && p.units >= p.walk ? p.units : 0;
    p.walks = !p.own && walk >= SAMPLE_SHARED && walk <= SAMPLE_WALK;
    return p;
}

/* Improves the estimate *@rough of runs of a part of the arrays, with runs of the planned length.
 * @p receives the new plan. The first estimate is of a short run, which begins with cold TLBs. On a
 * Zen 5, random loads from 24 MiB take 400 cycles each in 200 iterations, and 11 in 10,000. Returns
 * false with err on failure. */
static bool plan_refine(struct kernel_arrays *k, const struct arrays *arrays,
                        const struct array_walk *w, double *rough, struct sample_plan *p,
                        struct err *err)
{
    double ticks, before = INFINITY;

    while (!p->own && p->units < p->walk && *rough < REFINED * before) {
        before = *rough;
        if (!clock_renew(k, err) ||
            !run(k, w->code, arrays, run_ahead(k, w, p->units), 0, p->units, 1, &ticks, err))
            return false;
        *rough = fmin(before, fmax(1, ticks * k->arena->clock / (double)p->units));
        *p = sampling_plan(arrays, w, *rough);
    }
    return true;
}

/* Reads each line of the arrays once. Returns false with err on failure. */
static bool lines_read(struct kernel_arrays *k, uint64_t bytes, struct err *err)
{
    for (uint64_t at = 0; at < bytes; at += SANDBOX_FILL_PART)
        if (!sandbox_fill(k->sandbox,
                          &(struct sandbox_fill){.kind = SANDBOX_FILL_NOTHING,
                                                 .at = at,
                                                 .bytes = bytes - at < SANDBOX_FILL_PART
                                                              ? bytes - at
                                                              : SANDBOX_FILL_PART},
                          err))
            return false;
    return true;
}

/* Calls @each for each part of the arena (in bytes) that the walks access in @units units from
 * @from. */
static void walked_parts(const struct arrays *arrays, const struct array_walk *w, double from,
                         double units, void (*each)(void *state, uint64_t at, uint64_t bytes),
                         void *state)
{
    const double first = fmin(1, from / (double)w->all),
                 share = fmin(1 - first, units / (double)w->all);

    for (unsigned i = 0; i < arrays->walked_count; i++) {
        const struct array_walked *a = &arrays->walked[i];
        const double before = a->back ? 1 - first - share : first;
        each(state, a->at + (uint64_t)(before * (double)a->bytes),
             (uint64_t)(share * (double)a->bytes));
    }
}

static void part_use(void *state, uint64_t at, uint64_t bytes)
{
    arena_use(state, at, bytes);
}

struct newest_use {
    const struct arena_state *arena;
    unsigned use;
};

static void part_newest(void *state, uint64_t at, uint64_t bytes)
{
    struct newest_use *newest = state;
    const uint64_t first = at / ARENA_PART, end = (at + bytes + ARENA_PART - 1) / ARENA_PART;

    for (uint64_t part = first; part < end && part < first + ARENA_PARTS; part++)
        if (newest->arena->used[part % ARENA_PARTS] > newest->use)
            newest->use = newest->arena->used[part % ARENA_PARTS];
}

/* Returns the unit at which samples of @units units in total begin: the unit whose lines were
 * accessed longest ago. Caches may still contain other lines. */
static uint64_t start_find(const struct kernel_arrays *k, const struct arrays *arrays,
                           const struct array_walk *w, const struct sample_plan *p, double units)
{
    unsigned oldest = UINT32_MAX;
    double start = 0;

    if (!arrays->walked_count)   /* All parts of a ring are equal, so any start is suitable. */
        return (uint64_t)(fmod((k->arena->uses + 1) * GOLDEN, 1) * (double)p->walk);
    for (unsigned i = 0; i < STARTS; i++) {
        const double from = (double)i / STARTS * (double)w->all;
        struct newest_use newest = {k->arena, 0};
        walked_parts(arrays, w, from, units, part_newest, &newest);
        if (newest.use < oldest && from + units <= (double)w->all) {
            oldest = newest.use;
            start = from;
        }
    }
    return (uint64_t)start;
}

/* Samples of a measurement, in cycles of the core */
struct array_samples {
    double cycles[SAMPLES];      /* cycles in ascending order */
    unsigned count;
    unsigned contended;          /* number of samples during contention */
    double start;                /* smallest start-up cost of the passes */
    double clock;                /* mean of cycles per tick; while samples are added, their sum */
};

static void sample_add(struct array_samples *s, double ticks, const struct arena_state *a)
{
    s->cycles[s->count++] = ticks * a->clock;
    s->clock += a->clock;
    s->contended += arena_contended(a);
}

/* Walks over the arrays until @enough further walks are no faster, or @most cycles have passed.
 * Sets *@rough to the cycles of a unit in the fastest walk. Adds the further walks to @out. Returns
 * false with err on failure. */
static bool walk_until_steady(struct kernel_arrays *k, const struct arrays *arrays,
                              const struct array_walk *w, const struct sample_plan *p, double most,
                              unsigned enough, double *rough, struct array_samples *out,
                              struct err *err)
{
    double ticks, least = INFINITY, sum = 0;

    for (unsigned i = 0; i < WALKS_MOST && out->count < enough && sum < most; i++) {
        if (!clock_renew(k, err) || !run(k, w->code, arrays, 0, 0, p->walk, 1, &ticks, err))
            return false;
        if (ticks < STEADY_GAIN * least)
            *out = (struct array_samples){0};
        else
            sample_add(out, ticks, k->arena);
        least = fmin(least, ticks);
        sum += ticks * k->arena->clock;
    }
    *rough = least * k->arena->clock / (double)p->walk;
    return true;
}

/* Walks over the arrays if that takes a short time. Otherwise, reads the lines of arrays that a
 * shared cache may hold, because other processes evict them. Samples are then taken from all parts
 * of the arrays. Samples of larger arrays start where lines were accessed least recently. @samples:
 * probable number of samples. @fresh: whether the arrays were just filled. *@rough: estimated
 * cycles of a unit; the walks improve it. @out receives the times of steady walks. */
static bool walk_through(struct kernel_arrays *k, const struct arrays *arrays,
                         const struct array_walk *w, const struct sample_plan *p, double *rough,
                         double samples, bool fresh, struct array_samples *out, struct err *err)
{
    const bool few = samples < SAMPLES;
    const double most = few ? WALK_CYCLES_FEW : WALK_CYCLES;
    const bool walks = *rough * (double)p->walk < most, fits = arrays->bytes <= READ_MOST,
               reads = !walks && !p->own && (p->spread || fits);
    const unsigned readings = !reads ? 0 : fits && fresh ? READS_FRESH : 1;

    for (unsigned i = 0; i < readings; i++)
        if (!lines_read(k, arrays->bytes, err))
            return false;
    if (walks &&
        !walk_until_steady(k, arrays, w, p, most, few ? STEADY_FEW : STEADY, rough, out, err))
        return false;
    k->walked = 0;
    if (!walks && (!reads || !arrays->walked_count))
        k->walked = start_find(k, arrays, w, p, samples * (double)p->units) * w->copies;
    k->arena->uses++;
    if (walks || reads)
        arena_use(k->arena, 0, arrays->bytes);
    else
        walked_parts(arrays, w, (double)k->walked / w->copies, samples * (double)p->units,
                     part_use, k->arena);
    return true;
}

/* Measures samples, and the clock repeatedly, because it may change during a measurement. Excludes
 * interrupted samples, at most LOST_MOST. Excludes samples during contention until they have taken
 * CONTENDED_SECONDS in this arena. Excludes the first sample unless it walks over all lines of
 * larger arrays. If samples are walks, the steady walks in @out count as samples, including those
 * during contention. Returns false with err on failure. */
static bool samples_take(struct kernel_arrays *k, const struct arrays *arrays,
                         const struct array_walk *w, const struct sample_plan *p, double seconds,
                         struct array_samples *out, struct err *err)
{
    const double begun = clock_seconds();
    /* The first sample has a cold TLB, so it is excluded unless it walks over all lines of larger
     * arrays. */
    bool begins = p->own || p->units < p->walk;
    unsigned number = 0;

    if (!p->walks)
        *out = (struct array_samples){.start = p->differs ? INFINITY : 0};
    for (unsigned i = 0; i < out->count; i++)
        out->cycles[i] *= (double)p->units / (double)p->walk;
    for (unsigned lost = 0;
         out->count < SAMPLES && (out->count < p->least || clock_seconds() - begun < seconds);) {
        const uint64_t ahead =
            p->parts ? part_ahead(w, number++, p->units) : run_ahead(k, w, p->units);
        const double sample_begun = clock_seconds();
        double one;
        if (!clock_renew(k, err))
            return false;
        if (p->differs) {
            if (!run(k, w->code, arrays, ahead, p->units, 1, p->passes, &one, err))
                return false;
            /* The smallest start-up cost is used. With the cost of an interrupted run, the
             * difference would be too small. */
            out->start = fmin(out->start, one * k->arena->clock);
        }
        const uint64_t turns = sandbox_turns(k->sandbox);
        if (!run(k, w->code, arrays, ahead, p->warm, p->units, p->passes, &one, err))
            return false;
        if (arena_contended(k->arena) && k->arena->waited < CONTENDED_SECONDS) {
            k->arena->waited += clock_seconds() - sample_begun;
            continue;
        }
        bool lose = begins || (sandbox_turns(k->sandbox) > turns + 1 && lost++ < LOST_MOST);
        begins = false;
        if (!lose)
            sample_add(out, one, k->arena);
    }
    out->clock /= out->count;
    qsort(out->cycles, out->count, sizeof *out->cycles, compare_doubles);
    return true;
}

/* Fills @arrays unless they are already filled. Sets *@fresh to whether anything was filled. */
static bool arrays_fill(struct kernel_arrays *k, const struct arrays *arrays, bool *fresh,
                        struct err *err)
{
    const unsigned before = k->arena->uses;

    if (!numbers_fill(k, arrays->bytes, err))
        return false;
    for (unsigned i = 0; i < arrays->fill_count; i++)
        if (!pattern_fill(k, &arrays->fills[i], err))
            return false;
    if (writes(k))
        k->arena->pattern = (struct arrays_fill){0};
    *fresh = k->arena->uses != before;
    return true;
}

bool kernel_arrays_measure(struct kernel_arrays *k, const struct arrays *arrays, double seconds,
                           struct arrays_measured *out, struct err *err)
{
    struct array_walk w = walk_of(k, arrays);
    bool fresh;
    struct array_samples samples = {0};

    if (w.all < 1)
        return err_set(
            err, ERR_USAGE, "choose a larger size (--size)",
            "the arrays end after %llu iteration%s",
            (unsigned long long)arrays->iterations, plural((unsigned long long)arrays->iterations));
    if (!arrays_fill(k, arrays, &fresh, err))
        return false;
    const double begun = clock_seconds();
    const uint64_t first = ticks_now();
    if (!clock_renew(k, err))
        return false;
    double rough = k->rough * w.copies;
    if ((!(rough > 0) || k->may_be_apart) && !layout_find(k, arrays, &w, &rough, err))
        return false;
    struct sample_plan p = sampling_plan(arrays, &w, rough);
    const double expected = seconds > 0 ? SAMPLES : p.least + 1;
    if (!walk_through(k, arrays, &w, &p, &rough, expected, fresh, &samples, err))
        return false;
    p = sampling_plan(arrays, &w, rough);
    if (!plan_refine(k, arrays, &w, &rough, &p, err) ||
        !samples_take(k, arrays, &w, &p, seconds, &samples, err))
        return false;
    const unsigned n = samples.count;
    /* The start-up cost, which is subtracted, includes the first unit, so that unit is not
     * counted. */
    const bool less = p.differs && p.units > 1;
    const double scale = 1 / (double)p.passes / ((double)(p.units - less) * w.copies),
                 start = less ? samples.start : 0;
    /* In private caches, uses nearly the least time. In shared caches, uses the lower quartile,
     * because times vary with other users. */
    double low = (samples.cycles[p.own ? n / 8 : n / 4] - start) * scale,
           middle = (samples.cycles[n / 2] - start) * scale;
    if (!(low > 0))
        return err_set(err, ERR_LIMIT, "repeat the command when the computer is idle",
                       "core is contended");
    double elapsed = clock_seconds() - begun;
    k->rough = low;
    *out = (struct arrays_measured){
        low,           middle / low - 1,
        samples.clock, elapsed > 0 ? samples.clock * (double)(ticks_now() - first) / elapsed : NAN,
        n,             p.units * w.copies,    samples.contended > n / 2};
    return true;
}
