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
/* maximum number of instructions in the copies of a loop that walks through memory; about three
 * hundred loads */
#define UNROLLED_WALKING 1200
/* maximum number of bytes of all copies, well below the size of the first-level instruction
 * cache */
#define UNROLLED_BYTES 12288
/* maximum number of instructions in the copies of a walking loop if more copies are faster; nearly
 * the capacity of a µop cache */
#define UNROLLED_MOST 3000
/* maximum number of bytes of the copies of a walking loop; less than the first-level instruction
 * cache */
#define UNROLLED_MOST_BYTES 24576
/* number of bytes of all copies for KERNEL_DECODED: short instructions then exceed the µop cache,
 * but fit in the first-level instruction cache */
#define DECODED_BYTES 26000
/* Number of loads in the copies for which memory renaming finds stores as in the loop itself. A
 * Zen 5 finds the stores of about 44 loads in the code that repeats. */
#define LOADS_FORWARDED 36
#define UNROLLED_TRIES 3
#define LONGER_GAIN 0.96          /* largest ratio of times per copy (more copies / fewer copies) at
                                   * which more copies are used */
#define WINDOW_SECONDS 15e-6
#define PASSES_LIMIT 4000
#define MEASUREMENTS 9            /* maximum number of groups of windows per visit */
#define ENOUGH 6                  /* number of accepted windows that ends a visit */
/* maximum number of iterations of a run; enough to fill any window */
#define COUNT_LIMIT ((uint64_t)1 << 24)
/* maximum number of attempts while the reference block has a wrong time */
#define ATTEMPTS 3
/* number of runs of the reference block per check, because a busy neighbour may disturb a single
 * run */
#define CANARIES 3
#define REPEATS 16                /* number of repetitions of a single instruction */
#define TRY_AGAIN "repeat the command when the computer is idle"
/* Number of bytes by which pointers advance: a multiple of the largest register's size. 64
 * iterations fit in a page. */
#define STRIDE 64

/* Kinds of values for registers that no address uses. With VALUES_ALL_MAPPABLE, index registers
 * also get such values. */
enum values { VALUES_MAPPABLE, VALUES_STRIDE, VALUES_SMALL, VALUES_ALL_MAPPABLE, VALUES_COUNT };

struct run_plan {
    const struct insn *insns;
    size_t count, length;   /* @count: number of instructions. @length: bytes of one copy. */
    uint8_t *code;
    unsigned copies;
    /* whether the closing branches of copies are separated, as in struct kernel_plan */
    bool apart;
    uint32_t offset;
    bool vector_index;
    unsigned vectors;
    unsigned counter;       /* loop counter (enum sandbox_counter) */
    uint32_t bases, indices;    /* bit sets of general registers by use in addresses */
    double until;               /* clock_seconds at which the measurement ends */
    unsigned *reached;          /* number of accesses to reserved addresses, borrowed */
    bool ended;                 /* whether a run ended its process; no other values are tried after
                                 * that */
    /* whether several kernels share the process, and the code of each remains in place */
    bool concurrent;
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

/* Returns the distance between two copies in bytes. */
static size_t stride_of(const struct run_plan *p)
{
    return p->apart ? kernel_apart(p->insns, p->count, p->length) : p->length;
}

static bool code_place(struct sandbox *s, struct run_plan *p, struct err *err)
{
    if (!p->concurrent)
        sandbox_clear(s);
    p->offset = sandbox_next_offset(s);
    free(p->code);
    p->code = mem_alloc((stride_of(p) + 16) * p->copies);
    const size_t at = kernel_copies_emit(p->insns, p->count, p->copies, stride_of(p), p->offset,
                                         p->code);
    uint32_t offset;
    if (!at)
        return err_set(err, ERR_DATA, NULL, "copies of the loop decode to other instructions");
    return sandbox_add(s, p->code, at, 1, p->counter, &offset) ||
           err_set(err, ERR_LIMIT, "kernel load --lines A-B loads a part of the file",
                   "the loop is too long for the sandbox");
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
    *item = (struct sandbox_item){.code = PULSE_ITEM,
                                  .offset = p->offset,
                                  .kernel = true,
                                  .counter = p->counter,
                                  .difference = true,
                                  .vectors = p->vectors,
                                  .passes = 1,
                                  .plain_values = p->vector_index};
    registers_fill(p, values, item->general);
}

/* Returns whether the fault ended the process. With such a fault, other values of registers do not
 * help. */
static bool ends_all(unsigned fault)
{
    return fault == FAULT_ENDLESS || fault == FAULT_SYSTEM_CALL || fault == FAULT_KILLED ||
           fault == FAULT_ANSWER || fault == FAULT_STARVED;
}

static bool in_time(double until, struct err *err)
{
    return clock_seconds() < until || err_set(err, ERR_LIMIT, TRY_AGAIN, "core is contended");
}

/* Returns the number from 1 of the instruction at @offset in the code area; 0: @offset is outside
 * the kernel. */
static unsigned insn_at(const struct run_plan *p, uint32_t offset)
{
    size_t place = offset - p->offset, end = 0;

    if (offset < p->offset || place >= stride_of(p) * p->copies)
        return 0;
    for (unsigned i = 0; i < p->count; i++)
        if (place % stride_of(p) < (end += p->insns[i].length))
            return i + 1;
    return 0;
}

bool kernel_refuse(const struct insn *insns, unsigned at, const char *reason, struct err *err)
{
    if (!at)
        return err_set(err, ERR_DATA, NULL, "%s", reason);
    const struct insn *in = &insns[at - 1];
    const char *text = in->text ? in->text + strspn(in->text, " \t") : in->mnemonic;
    if (in->origin)
        return err_set(err, ERR_DATA, NULL, "%s (source line %u; assembly line %u: %.80s)", reason,
                       in->origin, in->line, text);
    if (in->line)
        return err_set(err, ERR_DATA, NULL, "%s (line %u: %.80s)", reason, in->line, text);
    return err_set(err, ERR_DATA, NULL, "%s (instruction %u: %.80s)", reason, at, text);
}

static bool fault_text(const struct run_plan *p, const struct sandbox_item *item, struct err *err)
{
    char reason[96];

    if (item->fault == FAULT_STARVED)
        return err_set(err, ERR_LIMIT, TRY_AGAIN, "core is contended");
    if (item->fault == FAULT_ADDRESS || item->fault == FAULT_SEGMENT ||
        item->fault == FAULT_RESERVED)
        snprintf(reason, sizeof reason, "%s: 0x%llx", sandbox_fault_text(item->fault),
                 (unsigned long long)item->fault_address);
    else
        snprintf(reason, sizeof reason, "%s", sandbox_fault_text(item->fault));
    return kernel_refuse(p->insns, insn_at(p, item->fault_offset), reason, err);
}

static bool try(struct sandbox *s, struct run_plan *p, enum values values, uint64_t count,
                struct sandbox_item **got, double *ticks, struct err *err)
{
    struct sandbox_item *item = sandbox_items(s);
    item_fill(p, values, item);
    item->mode = SANDBOX_RAW_TICKS;
    item->warm = count;
    item->count = count;
    item->samples = 3;
    if (*p->reached >= SANDBOX_GUESSES)
        return err_set(err, ERR_DATA, NULL, "%s", sandbox_fault_text(FAULT_RESERVED));
    if (!in_time(p->until, err) || !sandbox_run(s, 1, NULL, NULL, NULL, err))
        return false;
    /* Counts accesses to reserved addresses. Code may make them to guess the address of the
     * vault. */
    *p->reached += item->fault == FAULT_RESERVED;
    p->ended |= ends_all(item->fault) || *p->reached >= SANDBOX_GUESSES;
    if (*p->reached >= SANDBOX_GUESSES)
        return fault_text(p, item, err);
    *ticks = INFINITY;
    for (unsigned i = 0; i < 3; i++)
        *ticks = (double)item->ticks[i] < *ticks ? (double)item->ticks[i] : *ticks;
    *got = item;
    return true;
}

/* Returns the number of passes that fill a window if each takes @ticks. */
static unsigned passes_for(const struct calibration *c, double ticks)
{
    double each = ticks - c->rules.overhead, least = fmin(20, 20e-9 * c->tick_hz);
    double fill = c->stretch * WINDOW_SECONDS * c->tick_hz / (each > least ? each : least);

    return fill < 1 ? 1 : fill > PASSES_LIMIT ? PASSES_LIMIT : (unsigned)fill;
}

/* Estimates cycles per iteration of an unconfirmed plan from a run of @ticks. */
static double rough_cycles(const struct calibration *c, const struct kernel_plan *plan,
                           double ticks)
{
    return (ticks - c->rules.overhead) / c->tick_hz * c->clock_hz /
           (double)(plan->count * plan->copies);
}

/* Unrolls a loop whose pointers soon leave their pages. Each load then runs only once after the
 * registers were set. If a load repeats with another address, the instruction-based prefetcher
 * requests the next address, which uses a load port. On a Golden Cove, the prefetcher tracks about
 * 250 loads. Tries as many copies as @instructions and @bytes allow. Uses the copies if the time
 * per copy is less than @gain times the former time. Stores the time of a run with the plan in
 * *@ticks. Does nothing if more copies do not fit, or if they would not halve the number of
 * iterations. Returns false with err on failure. */
static bool plan_unroll(struct sandbox *s, struct run_plan *p, size_t instructions, size_t bytes,
                        double gain, struct kernel_plan *plan, double *ticks, struct err *err)
{
    unsigned most = (unsigned)(instructions / p->count < bytes / p->length ? instructions / p->count
                                                                           : bytes / p->length);
    uint64_t all = plan->count / 2 * plan->copies, count = (all + most - 1) / (most ? most : 1);
    struct sandbox_item *item;
    double now;

    if (most <= plan->copies || count >= plan->count / 2)
        return true;
    p->copies = (unsigned)(all / count);
    if (!code_place(s, p, err))
        return false;
    bool quicker = false;
    /* Tries several times, because long code is slow at first. */
    for (unsigned tries = 0; tries < UNROLLED_TRIES && !quicker; tries++) {
        if (!try(s, p, plan->values, 2 * count, &item, &now, err))
            return false;
        quicker = !item->fault && item->pages <= plan->pages &&
                  now / (double)(2 * count * p->copies) <
                      gain * *ticks / (double)(plan->count * plan->copies);
    }
    if (quicker) {
        plan->copies = p->copies;
        plan->count = 2 * count;
        *ticks = now;
        return true;
    }
    p->copies = plan->copies;
    return code_place(s, p, err);
}

/* Unrolls a loop that walks through memory. A loop with loads is faster with more copies while the
 * prefetcher tracks its loads. It is slower if the copies exceed the µop cache. The branch
 * predictor tracks fewer addresses, so a loop with a closing branch gets many copies only if these
 * are faster. */
static bool plan_walk(struct sandbox *s, struct run_plan *p, struct kernel_plan *plan,
                      double *ticks, struct err *err)
{
    double gain = p->insns[p->count - 1].traits & INSN_BRANCH ? KERNEL_APART_GAIN : INFINITY;
    bool loads = false;

    for (size_t i = 0; i < p->count; i++)
        loads |= (p->insns[i].traits & INSN_LOAD) != 0;
    return plan_unroll(s, p, UNROLLED_WALKING, UNROLLED_BYTES, gain, plan, ticks, err) &&
           (!loads ||
            plan_unroll(s, p, UNROLLED_MOST, UNROLLED_MOST_BYTES, LONGER_GAIN, plan, ticks, err));
}

/* Returns the number of copies of the first plan. */
static unsigned copies_needed(const struct run_plan *p, enum kernel_copies kind)
{
    unsigned copies = (unsigned)(UNROLLED_INSTRUCTIONS / p->count) + 1;

    if (kind == KERNEL_DECODED)
        return (unsigned)(DECODED_BYTES / p->length) + 1;
    return copies * p->length > UNROLLED_BYTES ? (unsigned)(UNROLLED_BYTES / p->length) + 1
                                               : copies;
}

/* Finds the numbers of copies, iterations and passes with which a run fills the window. The touched
 * pages must have different real pages. Stores the numbers in @plan. Returns false with err on
 * failure. */
static bool plan_fit(struct sandbox *s, const struct calibration *c, struct run_plan *p,
                     enum values values, struct kernel_plan *plan, struct err *err)
{
    double window = c->stretch * WINDOW_SECONDS * c->tick_hz, ticks = 0, last = 0;
    struct sandbox_item *item;

    p->apart = false;
    *plan = (struct kernel_plan){
        .kind = plan->kind, .values = values, .count = 2, .reached = plan->reached};
    p->copies = copies_needed(p, plan->kind);
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
    plan->copies = p->copies;
    plan->pages = item->pages;
    for (uint64_t next = 4; last < window; next *= 2) {
        if (next > COUNT_LIMIT)
            return err_set(err, ERR_DATA, "repeat the command when the computer is idle",
                           "the time does not increase with the number of iterations");
        if (!try(s, p, values, next, &item, &ticks, err))
            return false;
        plan->walks = item->fault ||
                      item->pages > (plan->pages > SANDBOX_REAL_PAGES - 1 ? plan->pages
                                                                          : SANDBOX_REAL_PAGES - 1);
        if (plan->walks)
            break;
        plan->count = next;
        last = ticks;
        plan->pages = item->pages;
    }
    if (plan->walks && !plan_walk(s, p, plan, &last, err))
        return false;
    plan->passes = passes_for(c, last);
    plan->rough = rough_cycles(c, plan, last);
    return true;
}

/* Returns whether to try @hint, the plan of another variant. If the kernel is much longer than that
 * variant, its copies would exceed the µop cache. If it is much shorter, the end of the loop would
 * take a large share. A plan that walks through memory fits any length. Other kinds than
 * KERNEL_CACHED adopt no plan. */
static bool may_adopt(const struct run_plan *p, const struct kernel_plan *hint,
                      enum kernel_copies kind)
{
    const size_t instructions = hint->copies * p->count;

    return kind == KERNEL_CACHED && hint->kind == KERNEL_CACHED &&
           (hint->walks || (instructions >= UNROLLED_INSTRUCTIONS / 2 &&
                            instructions <= 2 * UNROLLED_INSTRUCTIONS));
}

/* Runs the kernel with @hint, the plan of another variant. If this works, stores the adopted plan
 * in @plan and returns true. Otherwise returns false. */
static bool plan_adopt(struct sandbox *s, const struct calibration *c, struct run_plan *p,
                       const struct kernel_plan *hint, struct kernel_plan *plan, struct err *err)
{
    struct sandbox_item *item;
    double ticks;

    p->copies = hint->copies;
    p->apart = hint->apart;
    if (!code_place(s, p, err) || !try(s, p, hint->values, hint->count, &item, &ticks, err) ||
        item->fault || item->pages > hint->pages)
        return false;
    const unsigned reached = plan->reached;
    *plan = *hint;
    plan->reached = reached;
    plan->passes = passes_for(c, ticks);
    plan->rough = rough_cycles(c, plan, ticks);
    return true;
}

/* Runs @copies of the kernel with about as many iterations as *@plan has, with the layout @apart.
 * Adopts them if an iteration is faster, otherwise restores the layout of *@plan. Returns false
 * with err on failure. */
static bool plan_try(struct sandbox *s, const struct calibration *c, struct run_plan *p,
                     unsigned copies, bool apart, struct kernel_plan *plan, struct err *err)
{
    struct kernel_plan other = *plan;
    struct sandbox_item *item;
    double now, then;

    other.copies = copies;
    other.apart = apart;
    other.count = (plan->count * plan->copies / copies + 1) / 2 * 2;
    if (!try(s, p, plan->values, plan->count, &item, &now, err))
        return false;
    p->copies = copies;
    p->apart = apart;
    if (!code_place(s, p, err) || !try(s, p, other.values, other.count, &item, &then, err))
        return false;
    if (!item->fault && item->pages <= plan->pages &&
        then / (double)(other.count * copies) <
            KERNEL_APART_GAIN * now / (double)(plan->count * plan->copies)) {
        other.passes = passes_for(c, then);
        other.rough = rough_cycles(c, &other, then);
        *plan = other;
        return true;
    }
    p->apart = plan->apart;
    p->copies = plan->copies;
    return code_place(s, p, err);
}

/* Chooses the faster of two layouts of short copies: with adjacent or with separated closing
 * branches. An adjacent taken branch costs one cycle more than in the original loop. A separated
 * branch does not. After a separated branch that is not taken, nops are executed. */
static bool plan_space(struct sandbox *s, const struct calibration *c, struct run_plan *p,
                       struct kernel_plan *plan, struct err *err)
{
    if (plan->kind == KERNEL_DECODED || kernel_apart(p->insns, p->count, p->length) == p->length)
        return true;
    return plan_try(s, c, p,
                    plan->copies < KERNEL_APART_COPIES ? plan->copies : KERNEL_APART_COPIES, true,
                    plan, err);
}

/* Chooses the faster of many and few copies of a loop that loads and stores. Memory renaming finds
 * the stores of only LOADS_FORWARDED loads. The loop itself may have fewer loads. Does nothing for
 * other loops, or if all copies have at most LOADS_FORWARDED loads. Returns false with err on
 * failure. */
static bool plan_forwarding(struct sandbox *s, const struct calibration *c, struct run_plan *p,
                            struct kernel_plan *plan, struct err *err)
{
    unsigned loads = 0, stores = 0;

    for (size_t i = 0; i < p->count; i++) {
        loads += (p->insns[i].traits & INSN_LOAD) != 0;
        stores += (p->insns[i].traits & INSN_STORE) != 0;
    }
    if (plan->kind == KERNEL_DECODED || !loads || !stores ||
        !(p->insns[p->count - 1].traits & INSN_BRANCH) || plan->copies * loads <= LOADS_FORWARDED)
        return true;
    return plan_try(s, c, p, loads < LOADS_FORWARDED ? LOADS_FORWARDED / loads : 1, false, plan,
                    err);
}

/* Chooses the first kind of values with which the kernel runs long enough before its pointers leave
 * the pages; in short runs, overhead dominates. If there is no such kind, chooses the one with the
 * longest run. Returns false with err on failure. */
static bool plan_choose(struct sandbox *s, const struct calibration *c, struct run_plan *p,
                        struct kernel_plan *plan, struct err *err)
{
    struct err first = {0};
    enum values best = VALUES_COUNT;
    uint64_t longest = 0;

    for (enum values values = 0; values < VALUES_COUNT; values++) {
        if (plan_fit(s, c, p, values, plan, err)) {
            uint64_t iterations = plan->count * plan->copies;
            plan->known = iterations * p->count >= UNROLLED_INSTRUCTIONS;
            if (plan->known) {
                plan->known =
                    plan_forwarding(s, c, p, plan, err) && plan_space(s, c, p, plan, err);
                return plan->known;
            }
            if (iterations > longest) {
                longest = iterations;
                best = values;
            }
        } else if (err->code != ERR_DATA || p->ended) {
            return false;
        } else if (values == 0) {
            first = *err;
        }
    }
    if (best == VALUES_COUNT) {
        *err = first;
        return false;
    }
    plan->known = plan_fit(s, c, p, best, plan, err);
    return plan->known;
}

static bool windows_collect(struct sandbox *s, const struct calibration *c,
                            const struct run_plan *p, const struct kernel_plan *plan,
                            struct kernel_measured *out, struct err *err)
{
    struct sandbox_item *item = sandbox_items(s);
    unsigned contended = 0;

    for (unsigned i = 0; i < (p->concurrent ? 1 : MEASUREMENTS) && (i < 2 || out->windows < ENOUGH);
         i++) {
        item_fill(p, plan->values, item);
        item->count = plan->count;
        item->passes = plan->passes;
        /* After the time limit, uses the windows collected so far. */
        if (!in_time(p->until, err))
            return out->windows > 0;
        if (!sandbox_run(s, 1, &c->rules, NULL, NULL, err))
            return false;
        if (item->fault)
            return fault_text(p, item, err);
        const struct window_result *r = &item->result;
        bool counted = item->counter_cycles > 0;
        for (unsigned k = 0;
             k < (counted ? r->accepted > 0 : r->accepted) && out->windows < KERNEL_WINDOWS;
             k++, out->windows++) {
            double each = item->counter_cycles / p->copies;
            out->shorter[out->windows] = counted ? (float)(each * out->between) : r->shorter[k];
            out->longer[out->windows] = counted ? (float)(each * out->between * 2) : r->longer[k];
        }
        contended += r->contended;
        out->repeats += r->accepted;
        out->contended = (double)contended / fmax(1, contended + out->repeats);
        out->clock_hz = r->clock > 0 ? r->clock * c->tick_hz : out->clock_hz;
    }
    return out->windows > 0 || err_set(err, ERR_LIMIT, TRY_AGAIN, "core is contended");
}

/* Copies properties of the plan to @out. */
static void plan_tell(const struct kernel_plan *plan, struct kernel_measured *out)
{
    out->pages = plan->pages;
    out->wraps = plan->pages > SANDBOX_REAL_PAGES;
    out->iterations = (unsigned)(plan->count * plan->copies);
    out->between = (double)(plan->count - plan->count / 2) * plan->passes * plan->copies;
}

bool kernel_vouch(struct sandbox *s, const struct calibration *c, double until, bool *off,
                  struct err *err)
{
    double known = NAN;

    *off = true;
    for (unsigned i = 0; *off && i < CANARIES; i++)
        if (!in_time(until, err) || !sandbox_canary(s, &c->rules, off, &known, err)) {
            *off = false;
            return false;
        }
    if (!*off)
        return true;
    sandbox_renew(s);
    return err_set(err, ERR_LIMIT, TRY_AGAIN,
                   "the run changed the process: afterwards a 1-cycle block took %.2f cycles",
                   known);
}

/* Measures the kernel, then runs the reference block in the same process. If the reference block
 * had a wrong time, sets *@off and err. */
static bool attempt(struct sandbox *s, const struct calibration *c, struct run_plan *p,
                    struct kernel_plan *plan, struct kernel_measured *out, bool *off,
                    struct err *err)
{
    bool ok;

    *off = false;
    *out =
        (struct kernel_measured){.cycles = NAN, .spread = NAN, .clock_hz = NAN, .contended = NAN};
    if (plan->known) {
        p->copies = plan->copies;
        p->apart = plan->apart;
        ok = code_place(s, p, err);
    } else {
        ok = plan_choose(s, c, p, plan, err);
    }
    plan_tell(plan, out);
    return ok && windows_collect(s, c, p, plan, out, err) && kernel_vouch(s, c, p->until, off, err);
}

/* Checks a kernel before it runs, and prepares its run. Returns false with err if it is
 * rejected. */
static bool visit_begin(struct run_plan *p, const struct insn *insns, size_t count, double seconds,
                        struct kernel_plan *plan, struct kernel_measured *out, struct err *err)
{
    unsigned at;
    const char *reason = kernel_refused(insns, count, &at);

    *p = (struct run_plan){.insns = insns,
                           .count = count,
                           .counter = kernel_counter(insns, count),
                           .until = clock_seconds() + seconds,
                           .reached = &plan->reached};
    *out =
        (struct kernel_measured){.cycles = NAN, .spread = NAN, .clock_hz = NAN, .contended = NAN};
    if (reason)
        return kernel_refuse(insns, at, reason, err);
    for (size_t i = 0; i < count; i++)
        p->length += insns[i].length;
    addresses_scan(p);
    return true;
}

bool kernel_visit_concurrent(struct sandbox *s, const struct calibration *c,
                             const struct insn *insns, size_t count, double seconds,
                             const struct kernel_plan *hint, struct kernel_plan *plan,
                             struct kernel_measured *out, struct err *err)
{
    struct run_plan p;
    struct err unfit = {0};

    if (!visit_begin(&p, insns, count, seconds, plan, out, err))
        return false;
    p.concurrent = true;
    if (!plan->known) {
        if ((!hint || !may_adopt(&p, hint, plan->kind) ||
             !plan_adopt(s, c, &p, hint, plan, &unfit)) &&
            !plan_choose(s, c, &p, plan, err)) {
            free(p.code);
            return false;
        }
        plan->offset = p.offset;
    }
    p.offset = plan->offset;
    p.copies = plan->copies;
    p.apart = plan->apart;
    plan_tell(plan, out);
    bool ok = windows_collect(s, c, &p, plan, out, err);
    free(p.code);
    return ok;
}

bool kernel_visit(struct sandbox *s, const struct calibration *c, const struct insn *insns,
                  size_t count, double seconds, struct kernel_plan *plan,
                  struct kernel_measured *out, struct err *err)
{
    struct run_plan p;
    bool ok = false, off = true;

    if (!visit_begin(&p, insns, count, seconds, plan, out, err))
        return false;
    /* If the reference block had a wrong time, repeats the measurement in a new process. */
    for (unsigned i = 0; !ok && off && i < ATTEMPTS; i++)
        ok = attempt(s, c, &p, plan, out, &off, err);
    if (!ok)
        out->windows = 0;
    out->vain = off;
    sandbox_clear(s);
    free(p.code);
    return ok;
}
