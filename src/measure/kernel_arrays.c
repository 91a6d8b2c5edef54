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

#define UNROLLED 160              /* instructions, so that the loop's own end is little */
#define UNROLLED_BYTES 8192
/* unrolled ones of which arrays have less are walked by single copies */
#define UNITS_LEAST 4
#define CLOCK_LONG 402
#define CLOCK_SHORT 2
#define CLOCK_SAMPLES 4
/* of one run, a third of a millisecond: shorter than a processor is left to others */
#define SAMPLE_CYCLES 1.2e6
#define ROUGH_ITERATIONS 3000
#define SAMPLES 60                /* at most */
#define LEAST_SAMPLES 3
/* arrays up to here are walked through once before a run: caches of a core hold them */
#define WARM_BYTES ((uint64_t)3 << 20)
#define SHORT_CYCLES 1e5          /* passes that take less: what each begins with counts */
#define WALK_CYCLES 4e7         /* a walk that takes less is walked once before what counts */
#define ONE 0x3ff0000000000000    /* 1.0 */

static bool copies_add(struct kernel_arrays *k, unsigned which, struct err *err)
{
    const unsigned copies = k->code[which].copies;
    uint32_t offset = sandbox_next_offset(k->sandbox), unused;
    uint8_t *code = mem_alloc((k->length + 16) * copies);
    size_t length = 0;

    for (unsigned i = 0; i < copies; i++)
        length += kernel_emit(k->insns, k->count, offset, code, length);
    bool ok = kernel_emitted(k->insns, k->count, code, length) ||
              err_set(err, ERR_DATA, NULL, "copies of the loop decode differently");
    ok = ok && (sandbox_add(k->sandbox, code, length, 1, k->counter, &unused) ||
                err_set(err, ERR_LIMIT, NULL, "kernel too long"));
    k->code[which].offset = offset;
    free(code);
    return ok;
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
    size_t wanted = UNROLLED / count < UNROLLED_BYTES / k->length ? UNROLLED / count
                                                                  : UNROLLED_BYTES / k->length;
    k->code[0].copies = wanted < 1 ? 1 : (unsigned)wanted;
    k->code[1].copies = 1;
    for (unsigned which = 0; which < 2; which++)
        if (!copies_add(k, which, err))
            return false;
    return true;
}

/* Numbers in the first @bytes of the arena, in the process that runs others' code now. */
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
                                                 .value = ONE},
                          err))
            return false;
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
        done += part;
    }
    return true;
}

/* Cycles per tick, by the chain in the same process. */
static bool clock_measure(struct kernel_arrays *k, double *clock, struct err *err)
{
    double least[2] = {INFINITY, INFINITY};

    for (unsigned i = 0; i < 2; i++) {
        struct sandbox_item *item = sandbox_items(k->sandbox);
        *item = (struct sandbox_item){.mode = SANDBOX_RAW_TICKS,
                                      .code = PULSE_CHAIN,
                                      .kernel = true,
                                      .warm = 2,
                                      .count = i ? CLOCK_LONG : CLOCK_SHORT,
                                      .samples = CLOCK_SAMPLES};
        if (!sandbox_run(k->sandbox, 1, NULL, NULL, NULL, err))
            return false;
        if (item->fault)
            return err_set(err, ERR_LIMIT, "try again", "the clock's chain did not run: %s",
                           sandbox_fault_text(item->fault));
        for (unsigned s = 0; s < CLOCK_SAMPLES; s++)
            least[i] = fmin(least[i], (double)item->ticks[s]);
    }
    *clock = SANDBOX_CHAIN_LENGTH * (double)(CLOCK_LONG - CLOCK_SHORT) / (least[1] - least[0]);
    return *clock > 0 ||
           err_set(err, ERR_LIMIT, "try again", "the clock frequency cannot be determined");
}

/* Registers as @arrays has them, walks @ahead iterations on, chases somewhere else each time. */
static bool writes(const struct kernel_arrays *k)
{
    bool stores = false;

    for (size_t i = 0; i < k->count; i++)
        stores |= (k->insns[i].traits & INSN_STORE) != 0;
    return stores;
}

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

/* One run of @units of the loop, in code @which, @passes times, after @warm of them; ticks. */
static bool run(struct kernel_arrays *k, unsigned which, const struct arrays *arrays,
                uint64_t ahead, uint64_t warm, uint64_t units, unsigned passes, double *ticks,
                struct err *err)
{
    struct sandbox_item *item = sandbox_items(k->sandbox);

    *item = (struct sandbox_item){.mode = SANDBOX_RAW_TICKS,
                                  .code = PULSE_ITEM,
                                  .offset = k->code[which].offset,
                                  .kernel = true,
                                  .counter = k->counter,
                                  .vectors = k->vectors,
                                  .passes = passes,
                                  .plain_values = k->plain_values,
                                  .warm = warm,
                                  .count = units,
                                  .samples = 1};
    registers_fill(k, arrays, ahead, item->general);
    if (!sandbox_run(k->sandbox, 1, NULL, NULL, NULL, err))
        return false;
    if (item->fault == FAULT_STARVED)
        return err_set(err, ERR_LIMIT, "try again", "core is contended");
    if (item->fault) {
        const uint32_t offset = k->code[which].offset;
        size_t place = item->fault_offset - offset, end = 0;
        unsigned at = 0;
        for (unsigned i = 0; item->fault_offset >= offset &&
                             place < k->length * k->code[which].copies && !at && i < k->count;
             i++)
            if (place % k->length < (end += k->insns[i].length))
                at = i + 1;
        return kernel_refuse(k->insns, at, sandbox_fault_text(item->fault), err);
    }
    *ticks = (double)item->ticks[0];
    return true;
}

bool kernel_arrays_measure(struct kernel_arrays *k, const struct arrays *arrays, double seconds,
                           struct arrays_measured *out, struct err *err)
{
    double cycles[SAMPLES], clock = 0, again = 0, ticks = 0, begun, start = INFINITY;
    const unsigned which =
                       arrays->iterations && arrays->iterations / k->code[0].copies < UNITS_LEAST,
                   copies = k->code[which].copies;
    uint64_t all = arrays->iterations ? arrays->iterations / copies : UINT32_MAX, most;

    if (arrays->iterations && all < 1)
        return err_set(err, ERR_USAGE, "choose a larger --size",
                       "the arrays end after %llu iterations",
                       (unsigned long long)arrays->iterations);
    if (!numbers_fill(k, arrays->bytes, err))
        return false;
    for (unsigned i = 0; i < arrays->fill_count; i++)
        if (!pattern_fill(k, &arrays->fills[i], err))
            return false;
    if (writes(k))
        k->arena->pattern = (struct arrays_fill){0};
    begun = clock_seconds();
    uint64_t first = ticks_now();
    most = ROUGH_ITERATIONS / copies + 1;
    most = most < all ? most : all;
    double again_ticks;
    /* Twice, somewhere else if there is somewhere: others may have had the processor meanwhile. */
    if (!clock_measure(k, &clock, err) || !run(k, which, arrays, 0, 0, most, 1, &ticks, err) ||
        !run(k, which, arrays, all > 2 * most ? most * copies : 0, 0, most, 1, &again_ticks, err))
        return false;
    double rough = fmax(1, fmin(ticks, again_ticks) * clock / (double)most);   /* of a unit */
    uint64_t units = (uint64_t)fmax(1, fmin((double)all, SAMPLE_CYCLES / rough));
    unsigned passes = (unsigned)fmax(1, fmin(4000, SAMPLE_CYCLES / (rough * (double)units)));
    bool short_passes = rough * (double)units < SHORT_CYCLES, warm = arrays->bytes <= WARM_BYTES;
    unsigned n = 0;
    for (unsigned i = 0; n < SAMPLES && (n < LEAST_SAMPLES || clock_seconds() - begun < seconds);
         i++) {
        /* Runs over a part of the arrays resume where the last one ended. */
        uint64_t left = all > units ? all - units : 0, next = (uint64_t)(i + 1) * units + 2 * most,
                 ahead = (left ? next % left : next) * copies;
        ahead = arrays->iterations && !left ? 0 : ahead;
        if (short_passes) {
            double one;
            if (!run(k, which, arrays, ahead, units, 1, passes, &one, err))
                return false;
            /* others only make it longer, and that would make the difference too short */
            start = fmin(start, one);
        }
        if (!run(k, which, arrays, ahead, warm ? units : 0, units, passes, &ticks, err))
            return false;
        if (!warm && (i == 0 || rough * (double)all < WALK_CYCLES) && (uint64_t)i * units < all &&
            arrays->iterations)
            continue;   /* the first walk, through what others have left of what was filled */
        cycles[n++] = ticks;
    }
    if (!clock_measure(k, &again, err))
        return false;
    clock = fmax(clock, again);
    qsort(cycles, n, sizeof *cycles, compare_doubles);
    /* the start of a pass, and its first unit, are subtracted */
    bool less = short_passes && units > 1;
    const double scale = 1 / (double)passes / ((double)(units - less) * copies);
    /* A core's own caches have a least time; levels behind them are shared, and the median is this
     * core's share. */
    double low = (cycles[warm ? n / 8 : n / 2] - (less ? start : 0)) * scale,
           middle = (cycles[warm ? n / 2 : n - n / 4 - 1] - (less ? start : 0)) * scale;
    if (!(low > 0))
        return err_set(err, ERR_LIMIT, "try again", "core is contended");
    double elapsed = clock_seconds() - begun;
    *out = (struct arrays_measured){
        low * clock, middle / low - 1,
        clock,       elapsed > 0 ? clock * (double)(ticks_now() - first) / elapsed : NAN,
        n,           units * copies};
    return true;
}
