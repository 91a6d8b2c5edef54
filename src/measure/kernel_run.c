/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/kernel_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "isa/foreign.h"
#include "model/start.h"

#define UNROLLED_INSTRUCTIONS 240
#define UNROLLED_BYTES 12288      /* well inside the first-level instruction cache */
#define WINDOW_SECONDS 15e-6
#define PASSES_LIMIT 4000
#define MEASUREMENTS 9            /* of some windows each, until their values stand on one floor */
#define AGREEMENT 0.01            /* relative: values of one floor */
#define FLOOR_SHARE 0.35          /* of all values: more is asked of it than of chance */
#define ENOUGH 6                  /* values that say that there is no floor */
#define COUNT_LIMIT ((uint64_t)1 << 24)   /* iterations that no window is too long for */
#define BUDGET_SECONDS 1.2        /* for all of it, on the wall's clock; an ordinary one needs a hundredth */
#define ATTEMPTS 3                /* while the known block that is run after it is off */
#define CANARIES 3                /* off one after the other: a busy neighbour does that to one now and then */
#define REPEATS 16                /* of a repeated instruction */
#define STRIDE 64                 /* bytes: aligned like what it is added to, a page lasts for 64 iterations */

/* What registers hold that are in no address. */
enum values { VALUES_MAPPABLE, VALUES_STRIDE, VALUES_SMALL, VALUES_ALL_MAPPABLE, VALUES_COUNT };

struct run_plan {
    const struct insn *insns;
    size_t count, length;   /* instructions, bytes of one copy */
    uint8_t *code;
    unsigned copies;
    uint32_t offset;
    bool vector_index;
    unsigned vectors;
    unsigned counter;       /* enum sandbox_counter */
    uint32_t bases, indices;    /* general registers by use in addresses */
    double until;               /* clock_seconds when the time for it is over */
    bool ended;                 /* its process was: other values are not tried */
};

static void addresses_scan(struct run_plan *p)
{
    const struct isa_ops *isa = isa_ops((enum isa)p->insns[0].isa);
    struct body like = {0};

    for (size_t i = 0; i < p->count; i++)
        for (unsigned k = 0; k < p->insns[i].operand_count; k++) {
            const struct operand *op = &p->insns[i].operands[k];
            if (op->kind != OPERAND_MEMORY)
                continue;
            if (op->base < isa->generals)
                p->bases |= 1u << op->base;
            if (op->index < isa->generals)
                p->indices |= 1u << op->index;
            p->vector_index |= op->index >= isa->vectors && op->index < isa->vectors + 32;
        }
    isa->foreign->vectors_used(p->insns, p->count, &like);
    p->vectors = sandbox_setup(&like);
}

static bool code_place(struct sandbox *s, struct run_plan *p, struct err *err)
{
    sandbox_clear(s);
    p->offset = sandbox_next_offset(s);
    free(p->code);
    p->code = mem_alloc((p->length + 16) * p->copies);
    size_t at = 0;
    for (unsigned i = 0; i < p->copies; i++)
        at += kernel_emit(p->insns, p->count, p->offset, p->code, at);
    uint32_t offset;
    if (!kernel_emitted(p->insns, p->count, p->code, at))
        return err_set(err, ERR_DATA, NULL, "copies of the loop decode differently");
    return sandbox_add(s, p->code, at, 1, p->counter, &offset) || err_set(err, ERR_LIMIT, NULL, "kernel too long");
}

static void registers_fill(const struct run_plan *p, enum values values, uint64_t general[32])
{
    const struct isa_ops *isa = isa_ops((enum isa)p->insns[0].isa);
    bool repeats = false;
    for (size_t i = 0; i < p->count; i++)
        repeats |= isa->foreign->repeated && isa->foreign->repeated(&p->insns[i]);
    for (unsigned reg = 0; reg < isa->generals; reg++) {
        bool base = p->bases >> reg & 1 || reg == isa->stack_pointer, index = p->indices >> reg & 1;
        general[reg] = repeats && isa->foreign->count_registers >> reg & 1 ? REPEATS
                       : base || values == VALUES_ALL_MAPPABLE             ? start_address(reg)
                       : index                                             ? 0
                       : values == VALUES_MAPPABLE                         ? start_address(reg)
                       : values == VALUES_STRIDE                           ? STRIDE
                       : isa->foreign->zero_registers >> reg & 1           ? 0
                                                                           : 37 + 4 * reg;
    }
}

static void item_fill(const struct run_plan *p, enum values values, struct sandbox_item *item)
{
    *item = (struct sandbox_item){.code = PULSE_ITEM, .offset = p->offset, .kernel = true, .counter = p->counter, .difference = true, .vectors = p->vectors,
                                  .passes = 1, .plain_values = p->vector_index};
    registers_fill(p, values, item->general);
}

/* Faults after which its process is gone: nothing is learnt by trying again with other values. */
static bool ends_all(unsigned fault)
{
    return fault == FAULT_ENDLESS || fault == FAULT_SYSTEM_CALL || fault == FAULT_KILLED || fault == FAULT_ANSWER;
}

static bool in_time(const struct run_plan *p, struct err *err)
{
    return clock_seconds() < p->until || err_set(err, ERR_LIMIT, "try again, or choose another CPU with --cpu N", "core is contended");
}

/* Runs @count iterations a few times: pages touched and ticks. */
static bool try(struct sandbox *s, struct run_plan *p, enum values values, uint64_t count, struct sandbox_item **got, double *ticks, struct err *err)
{
    struct sandbox_item *item = sandbox_items(s);
    item_fill(p, values, item);
    item->mode = SANDBOX_RAW_TICKS;
    item->warm = count;
    item->count = count;
    item->samples = 3;
    if (!in_time(p, err) || !sandbox_run(s, 1, NULL, NULL, NULL, err))
        return false;
    p->ended |= ends_all(item->fault);
    *ticks = INFINITY;
    for (unsigned i = 0; i < 3; i++)
        *ticks = (double)item->ticks[i] < *ticks ? (double)item->ticks[i] : *ticks;
    *got = item;
    return true;
}

/* The instruction at @offset of the code area, 1-based; 0: none of the kernel's. */
static unsigned insn_at(const struct run_plan *p, uint32_t offset)
{
    size_t place = offset - p->offset, end = 0;

    if (offset < p->offset || place >= p->length * p->copies)
        return 0;
    for (unsigned i = 0; i < p->count; i++)
        if (place % p->length < (end += p->insns[i].length))
            return i + 1;
    return 0;
}

/* @reason with the instruction that it is about, by its line where there is one; @at counts from 1, 0: none. Returns false. */
static bool refuse(const struct insn *insns, unsigned at, const char *reason, struct err *err)
{
    char line[LINE_TEXT];

    if (!at)
        return err_set(err, ERR_DATA, NULL, "%s", reason);
    const struct insn *in = &insns[at - 1];
    const char *text = in->text ? in->text + strspn(in->text, " \t") : in->mnemonic;
    if (in->line)
        return err_set(err, ERR_DATA, NULL, "%s (line %s: %.80s)", reason, insn_line_text(in->line, line), text);
    return err_set(err, ERR_DATA, NULL, "%s (instruction %u: %.80s)", reason, at, text);
}

static bool fault_text(const struct run_plan *p, const struct sandbox_item *item, struct err *err)
{
    char reason[96];

    if (item->fault == FAULT_ADDRESS || item->fault == FAULT_SEGMENT)
        snprintf(reason, sizeof reason, "%s: 0x%llx", sandbox_fault_text(item->fault), (unsigned long long)item->fault_address);
    else
        snprintf(reason, sizeof reason, "%s", sandbox_fault_text(item->fault));
    return refuse(p->insns, insn_at(p, item->fault_offset), reason, err);
}

/* Finds copies, count and passes so that the pages touched stay real and a run fills the window. */
static bool plan_fit(struct sandbox *s, const struct calibration *c, struct run_plan *p, enum values values, uint64_t *count, unsigned *passes,
                     struct kernel_measured *out, struct err *err)
{
    double window = c->stretch * WINDOW_SECONDS * c->tick_hz, ticks = 0, last = 0;
    struct sandbox_item *item;

    *count = 2;
    p->copies = (unsigned)(UNROLLED_INSTRUCTIONS / p->count) + 1;
    if (p->copies * p->length > UNROLLED_BYTES)
        p->copies = (unsigned)(UNROLLED_BYTES / p->length) + 1;
    for (;;) {
        if (!code_place(s, p, err) || !try(s, p, values, 2, &item, &last, err))
            return false;
        if (item->fault && item->fault != FAULT_PAGES)
            return fault_text(p, item, err);
        if (!item->fault && (item->pages <= SANDBOX_REAL_PAGES - 1 || p->copies == 1))
            break;
        if (p->copies == 1)
            return fault_text(p, item, err);
        p->copies = (p->copies + 3) / 4;
    }
    out->pages = item->pages;
    for (uint64_t next = 4; last < window; next *= 2) {
        if (next > COUNT_LIMIT)
            return err_set(err, ERR_DATA, NULL, "time does not grow with the iteration count");
        if (!try(s, p, values, next, &item, &ticks, err))
            return false;
        if (item->fault || item->pages > (out->pages > SANDBOX_REAL_PAGES - 1 ? out->pages : SANDBOX_REAL_PAGES - 1))
            break;
        *count = next;
        last = ticks;
        out->pages = item->pages;
    }
    double each = last - c->rules.overhead;
    double least = fmin(20, 20e-9 * c->tick_hz);
    double fill = window / (each > least ? each : least);
    *passes = fill < 1 ? 1 : fill > PASSES_LIMIT ? PASSES_LIMIT : (unsigned)fill;
    out->iterations = (unsigned)(*count * p->copies);
    out->wraps = out->pages > SANDBOX_REAL_PAGES;
    return true;
}

/* The first values with which the kernel runs long enough before its pointers leave the pages: the difference of short runs drowns in the way in and out.
 * Without such, those with which it runs longest. */
static bool plan_choose(struct sandbox *s, const struct calibration *c, struct run_plan *p, enum values *values, uint64_t *count, unsigned *passes,
                        struct kernel_measured *out, struct err *err)
{
    struct err first = {0};
    enum values best = VALUES_COUNT;
    unsigned longest = 0;

    for (*values = 0; *values < VALUES_COUNT; (*values)++) {
        if (plan_fit(s, c, p, *values, count, passes, out, err)) {
            if (out->iterations * p->count >= UNROLLED_INSTRUCTIONS)
                return true;
            if (out->iterations > longest) {
                longest = out->iterations;
                best = *values;
            }
        } else if (err->code != ERR_DATA || p->ended) {
            return false;
        } else if (*values == 0) {
            first = *err;
        }
    }
    *values = best;
    if (best == VALUES_COUNT) {
        *err = first;
        return false;
    }
    return plan_fit(s, c, p, best, count, passes, out, err);
}

/* Cycles per iteration of every window that was accepted, until enough of them stand on one floor. */
static bool measure_repeatedly(struct sandbox *s, const struct calibration *c, const struct run_plan *p, enum values values, uint64_t count, unsigned passes,
                               struct kernel_measured *out, struct err *err)
{
    struct sandbox_item *items = sandbox_items(s);
    double value[MEASUREMENTS * WINDOW_VALUES], sorted[MEASUREMENTS * WINDOW_VALUES];
    unsigned n = 0, contended = 0;

    for (unsigned i = 0; i < MEASUREMENTS; i++) {
        item_fill(p, values, &items[0]);
        items[0].count = count;
        items[0].passes = passes;
        if (!in_time(p, err) || !sandbox_run(s, 1, &c->rules, NULL, NULL, err))
            return false;
        if (items[0].fault)
            return fault_text(p, &items[0], err);
        const struct window_result *r = &items[0].result;
        contended += r->contended;
        out->contended = (double)contended / fmax(1, contended + out->repeats + r->accepted);
        if (!(r->cycles > 0))
            continue;
        bool counted = items[0].counter_cycles > 0;
        for (unsigned k = 0; k < (counted ? 1 : r->accepted); k++, n++) {
            value[n] = (counted ? items[0].counter_cycles : (double)r->values[k]) / p->copies;
            if (out->value_count < KERNEL_VALUES)
                out->values[out->value_count++] = (float)value[n];
        }
        out->repeats += r->accepted;
        out->clock_hz = r->clock * c->tick_hz;
        memcpy(sorted, value, n * sizeof *sorted);
        if (i && n > 3 && window_floor(sorted, n, AGREEMENT, FLOOR_SHARE, &out->cycles, &out->spread))
            return true;
    }
    if (n < ENOUGH)
        return err_set(err, ERR_LIMIT, "try again, or choose another CPU with --cpu N", "core is contended");
    return err_set(err, ERR_DATA, "try again when the machine is idle", "no stable time: %.2f-%.2f cycles", sorted[n / 10], sorted[n - 1 - n / 10]);
}

/* One measurement from the beginning, and the known block after it in the same process. */
static bool attempt(struct sandbox *s, const struct calibration *c, struct run_plan *p, struct kernel_measured *out, bool *off, double *known, struct err *err)
{
    uint64_t iterations = 0;
    unsigned passes = 0;
    enum values values;

    *off = true;
    *out = (struct kernel_measured){.cycles = NAN, .spread = NAN, .clock_hz = NAN};
    bool ok = plan_choose(s, c, p, &values, &iterations, &passes, out, err) && measure_repeatedly(s, c, p, values, iterations, passes, out, err);
    for (unsigned i = 0; ok && *off && i < CANARIES; i++)
        ok = in_time(p, err) && sandbox_canary(s, &c->rules, off, known, err);
    return ok;
}

bool kernel_run(struct sandbox *s, const struct calibration *c, const struct insn *insns, size_t count, struct kernel_measured *out, struct err *err)
{
    return kernel_run_within(s, c, insns, count, BUDGET_SECONDS, out, err);
}

bool kernel_run_within(struct sandbox *s, const struct calibration *c, const struct insn *insns, size_t count, double seconds, struct kernel_measured *out, struct err *err)
{
    unsigned at;
    struct run_plan p = {.insns = insns, .count = count, .counter = kernel_counter(insns, count), .until = clock_seconds() + seconds};
    const char *reason = kernel_refused(insns, count, &at);
    bool ok = true, off = true;
    double known = NAN;

    *out = (struct kernel_measured){.cycles = NAN, .spread = NAN, .clock_hz = NAN};
    if (reason)
        return refuse(insns, at, reason, err);
    for (size_t i = 0; i < count; i++)
        p.length += insns[i].length;
    addresses_scan(&p);
    for (unsigned i = 0; ok && off && i < ATTEMPTS; i++) {
        ok = attempt(s, c, &p, out, &off, &known, err);
        /* All that was measured since the last known block was right is this one, and it is measured again by new processes. */
        if (ok && off)
            sandbox_renew(s);
    }
    if (ok && off)
        ok = err_set(err, ERR_DATA, NULL, "a known 1-cycle block took %.2f cycles after it", known);
    sandbox_clear(s);
    free(p.code);
    return ok;
}
