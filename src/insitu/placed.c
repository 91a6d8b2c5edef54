/* SPDX-License-Identifier: GPL-3.0-or-later */
#if defined(__x86_64__)
#include "insitu/placed.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "insitu/stamps.h"

/* maximum number of single steps of a thread before it can continue in the original */
#define STEPS_MOST 20000u
#define CLOCK_TRIES 12
/* number of stamps of a thread after which a timing may end, which is the number of blocks plus
 * 1 */
#define BLOCKS_ENOUGH 9u
#define HUGE_EVENTS 4096u      /* maximum number of recorded events whose page sizes are read */
#define PERIOD_FIRST 256u      /* number of passes between stamps before their duration is known */

/* Returns the number of parts of a loop of computed gotos; 0 for other loops. */
static size_t part_count(const struct placed *x)
{
    return x->region->dispatch ? x->region->resumed.count + 1 : 0;
}

static uint64_t slot_address(const struct placed *x, uint32_t slot)
{
    return x->slots + (uint64_t)slot * SLOT_BYTES;
}

static uint64_t label_address(const struct placed *x, uint32_t label)
{
    return x->code + x->copies->code.labels.items[label];
}

/* Returns whether @address is in the copies. */
static bool placed_holds(const struct placed *x, uint64_t address)
{
    return x->code && address >= x->code && address < x->code + x->copies->code.bytes.count;
}

bool placed_new(struct process *p, const struct region *r, struct copies *c, uint64_t bias,
                const struct maps *maps, struct placed *out, struct err *err)
{
    uint64_t low = r->list.items[0].insn->offset + bias,
             high = r->list.items[r->list.count - 1].insn->offset + bias;
    uint64_t size = (c->code.bytes.count + 4095u) & ~UINT64_C(4095), at;
    struct traced *t = process_caller(p);

    *out = (struct placed){.process = p, .region = r, .copies = c, .bias = bias, .huge = NAN};
    out->chosen = mem_zero(SLOTS_MOST, sizeof *out->chosen);
    out->period = mem_zero(SLOTS_MOST, sizeof *out->period);
    out->given = mem_zero(SLOTS_MOST, sizeof *out->given);
    out->earlier = mem_zero(SLOTS_MOST, sizeof *out->earlier);
    out->mixed = mem_zero(SLOTS_MOST, sizeof *out->mixed);
    out->peeked = mem_zero(SLOTS_MOST, sizeof *out->peeked);
    for (size_t i = 0; i < part_count(out); i++)
        vec_push(&out->parts, 0);
    if (!t)
        return err_set(err, ERR_MISSING, NULL, "the program is ending");
    const struct map *m = maps_at(maps, low);
    at = maps_gap(maps, m ? m->start : low, high, size);
    if (!at)
        return err_set(err, ERR_LIMIT, NULL,
                       "no free address space within the range of a jump from the loop");
    int64_t code = process_call(
        p, t, SYS_mmap,
        (const uint64_t[]){at, size, PROT_READ | PROT_EXEC,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, UINT64_MAX, 0});
    if (code != (int64_t)at)
        return err_set(err, ERR_IO, NULL,
                       "the process cannot map memory for a copy of its loop: %s",
                       strerror(code < 0 ? (int)-code : ENOMEM));
    out->code = at;
    int64_t slots = process_call(
        p, t, SYS_mmap,
        (const uint64_t[]){0, (uint64_t)SLOTS_MOST * SLOT_BYTES, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, UINT64_MAX, 0});
    if (slots < 0 && slots > -4096)
        return err_set(err, ERR_IO, NULL, "the process cannot map memory for counters: %s",
                       strerror((int)-slots));
    out->slots = (uint64_t)slots;
    if (!code_resolve(&c->code, at, err))
        return false;
    if (!process_write(p, at, c->code.bytes.items, c->code.bytes.count))
        return err_set(err, ERR_IO, NULL,
                       "the copy of the loop cannot be written into the process");
    /* Later system calls of a thread use an instruction in the copies, because other threads may
     * run during them. */
    p->call_at = label_address(out, c->call);
    return true;
}

void placed_done(struct placed *x)
{
    free(x->chosen);
    free(x->period);
    free(x->given);
    free(x->earlier);
    free(x->mixed);
    free(x->peeked);
    vec_done(&x->free);
    vec_done(&x->timed);
    vec_done(&x->events);
    vec_done(&x->stretches);
    vec_done(&x->patches);
    vec_done(&x->parts);
}

static void set_word(const struct placed *x, uint32_t slot, uint32_t at, uint64_t value)
{
    process_write(x->process, slot_address(x, slot) + at, &value, sizeof value);
}

static uint32_t slot_new(struct placed *x)
{
    uint32_t slot = x->free.count ? x->free.items[--x->free.count] : x->slot_count++;

    x->chosen[slot] = x->mode;
    x->earlier[slot] = 0;
    x->mixed[slot] = false;
    x->period[slot] = PERIOD_FIRST;
    set_word(x, slot, SLOT_PERIOD, PERIOD_FIRST);
    set_word(x, slot, SLOT_COUNTDOWN, PERIOD_FIRST);
    set_word(x, slot, SLOT_STAMPS_LEFT, STAMPS_MOST);
    set_word(x, slot, SLOT_STAMP_AT, slot_address(x, slot) + SLOT_STAMPS);
    return slot;
}

static bool is_slot(const struct placed *x, uint64_t address)
{
    return address >= x->slots && address < slot_address(x, SLOTS_MOST);
}

bool placed_take(struct placed *x, struct traced *t)
{
    struct user_regs_struct regs;
    if (!process_registers(t, &regs))
        return true;   /* The thread needs no slot, because it has just ended. */
    if ((regs.gs_base && !is_slot(x, regs.gs_base)) ||
        (x->slot_count == SLOTS_MOST && !x->free.count))
        return false;
    t->slot = slot_new(x);
    regs.gs_base = slot_address(x, t->slot);
    process_set_registers(t, &regs);
    return true;
}

bool placed_take_stranger(struct placed *x, pid_t tid)
{
    struct traced t = {.tid = tid};
    if (!x->slots)
        return true;
    x->kept = x->shared = true;   /* The copies must remain, because the end of an untraced
                                   * process is not reported. */
    return placed_take(x, &t);
}

static uint64_t site_of(const struct region *r, uint64_t bias, size_t i)
{
    return r->list.items[region_site(r, i)].insn->offset + bias;
}

static uint64_t site_address(const struct placed *x, size_t i)
{
    return site_of(x->region, x->bias, i);
}

void placed_bytes(const struct placed *x, uint32_t at, uint32_t label,
                  uint8_t original[PATCH_BYTES], uint8_t jump[PATCH_BYTES])
{
    uint64_t begin = x->region->list.items[at].insn->offset + x->bias;
    int32_t distance = (int32_t)(label_address(x, label) - (begin + PATCH_BYTES));

    for (uint32_t n = 0; n < PATCH_BYTES; at++) {
        const struct insn *in = x->region->list.items[at].insn;
        for (uint32_t b = 0; b < in->length && n < PATCH_BYTES; b++)
            original[n++] = in->bytes[b];
    }
    jump[0] = 0xe9;
    memcpy(jump + 1, &distance, sizeof distance);
}

/* Computes the original bytes of patched place @i, and the jump for @mode. */
static void site_bytes(const struct placed *x, size_t i, enum copy_mode mode,
                       uint8_t original[PATCH_BYTES], uint8_t jump[PATCH_BYTES])
{
    placed_bytes(x, region_site(x->region, i),
                 i ? x->copies->resumes[mode].items[i - 1] : x->copies->entry[mode], original,
                 jump);
}

bool placed_inside(const struct region *r, uint64_t bias, uint64_t address)
{
    for (size_t i = 0; i <= r->resumed.count; i++)
        if (address > site_of(r, bias, i) && address < site_of(r, bias, i) + PATCH_BYTES)
            return true;
    return false;
}

bool placed_returns_inside(const struct process *p, const struct region *r, uint64_t bias)
{
    for (size_t i = 0; i < p->tracees.count; i++) {
        struct user_regs_struct regs;
        uint64_t stack[512];
        if (process_registers(&p->tracees.items[i], &regs) &&
            process_read(p, regs.rsp, stack, sizeof stack))
            for (size_t k = 0; k < sizeof stack / sizeof *stack; k++)
                if (placed_inside(r, bias, stack[k]))
                    return true;
    }
    return false;
}

/* Returns whether place @i contains a jump to the copies of any mode. The mode may differ from the
 * current mode if the program restored bytes that it had read, or if a write failed halfway.
 * Otherwise the program has replaced the code. */
static bool is_ours(const struct placed *x, size_t i)
{
    uint8_t jump[PATCH_BYTES], original[PATCH_BYTES], there[PATCH_BYTES];

    if (!process_read(x->process, site_address(x, i), there, sizeof there))
        return false;
    for (enum copy_mode mode = 0; mode < COPY_MODES; mode++) {
        site_bytes(x, i, mode, original, jump);
        if (memcmp(there, jump, sizeof there) == 0)
            return true;
    }
    return false;
}

/* Replaces a jump in three steps. A thread that reaches it meanwhile executes the old jump, the new
 * one, or int3, which placed_settle handles. Returns false on failure. */
static bool write_in_steps(const struct placed *x, uint64_t at, const uint8_t jump[PATCH_BYTES])
{
    const uint8_t trap = 0xcc;

    return process_write(x->process, at, &trap, 1) &&
           process_write(x->process, at + 1, jump + 1, PATCH_BYTES - 1) &&
           process_write(x->process, at, jump, 1);
}

bool placed_alone(const struct placed *x)
{
    bool alone = !x->shared;

    for (size_t i = 0; i < x->process->tracees.count; i++)
        alone &= !x->process->tracees.items[i].suspended;
    return alone;
}

bool placed_patch(struct placed *x, enum copy_mode mode, struct err *err)
{
    bool all = true;

    for (size_t i = 0; i < x->process->tracees.count; i++)
        all &= x->process->tracees.items[i].stopped;
    for (size_t i = 0; i <= x->region->resumed.count; i++) {
        uint8_t jump[PATCH_BYTES], original[PATCH_BYTES];
        uint64_t at = site_address(x, i);
        site_bytes(x, i, mode, original, jump);
        if (x->patched && !is_ours(x, i))
            continue;
        if (!(x->patched && !all ? write_in_steps(x, at, jump)
                                 : process_write(x->process, at, jump, PATCH_BYTES)))
            return err_set(err, ERR_IO, NULL, "the program's code cannot be written");
    }
    x->patched = true;
    x->mode = mode;
    return true;
}

bool placed_restore(struct placed *x, struct err *err)
{
    for (size_t i = 0; i <= x->region->resumed.count; i++) {
        uint8_t jump[PATCH_BYTES], original[PATCH_BYTES], there[PATCH_BYTES];
        uint64_t at = site_address(x, i);
        site_bytes(x, i, x->mode, original, jump);
        if (!is_ours(x, i))   /* The program may restore the jump later, so the copies must
                               * remain. */
            x->kept |= !process_read(x->process, at, there, sizeof there) ||
                       memcmp(there, original, sizeof there) != 0;
        else if (!process_write(x->process, at, original, PATCH_BYTES))
            return err_set(err, ERR_IO, NULL, "the program's code cannot be written");
    }
    x->patched = false;
    return true;
}

bool placed_patch_copy(const struct placed *x, const struct process *copy, enum copy_mode mode,
                       bool restore)
{
    bool ok = true;

    for (size_t i = 0; ok && i <= x->region->resumed.count; i++) {
        uint8_t jump[PATCH_BYTES], original[PATCH_BYTES];
        site_bytes(x, i, mode, original, jump);
        ok = process_write(copy, site_address(x, i), restore ? original : jump, PATCH_BYTES);
    }
    return ok;
}

/* Moves @t back to a jump that was being replaced if it executed the int3 of that jump. */
static void redo_jump(const struct placed *x, struct traced *t)
{
    struct user_regs_struct regs;

    if (t->signal != SIGTRAP || !process_registers(t, &regs))
        return;
    for (size_t i = 0; i <= x->region->resumed.count; i++)
        if (regs.rip == site_address(x, i) + 1) {
            regs.rip--;
            process_set_registers(t, &regs);
            t->signal = 0;
        }
}

static void add_to(const struct placed *x, uint32_t slot, uint32_t place, uint64_t value)
{
    uint64_t word;

    if (process_read(x->process, slot_address(x, slot) + place, &word, sizeof word))
        set_word(x, slot, place, word + value);
}

/* Adjusts the counts of a thread that stops at point @p with @regs. Subtracts an execution of the
 * part there, or adds the passes that were counted in advance but not executed. Adds the change of
 * the induction register since the entry, and its change for a pass that is not counted yet. */
static void add_unfinished(const struct placed *x, uint32_t slot, const struct copy_point *p,
                           const struct user_regs_struct *regs)
{
    const uint64_t general[] = {regs->rax, regs->rcx, regs->rdx, regs->rbx, regs->rsp, regs->rbp,
                                regs->rsi, regs->rdi, regs->r8,  regs->r9,  regs->r10, regs->r11,
                                regs->r12, regs->r13, regs->r14, regs->r15};
    const struct induction *y = &x->copies->induction;
    uint32_t place = SLOT_UNFINISHED;
    int32_t passes = p->unfinished;
    uint64_t from;

    if (slot == SLOT_NONE)
        return;
    if (p->steps && process_read(x->process, slot_address(x, slot) + SLOT_STEPS_FROM, &from, 8))
        add_to(x, slot, SLOT_STEPS,
               general[y->reg] - from + (y->ahead.items[p->at] ? (uint64_t)y->step : 0));
    for (size_t i = 0; x->region->dispatch && x->chosen[slot] == COPY_COUNT && i < part_count(x);
         i++)
        if (passes && region_site(x->region, i) == p->at) {
            place = SLOT_PARTS + 8 * (uint32_t)i;
            passes = -passes;
        }
    if (passes)
        add_to(x, slot, place, (uint64_t)(int64_t)passes);
}

/* Moves @t to the original if it is at a point of the copies. Returns whether @t can continue
 * there. Sets *@failed if its registers cannot be read. */
static bool is_settled(struct placed *x, struct traced *t, bool *failed)
{
    struct user_regs_struct regs;

    if (!process_registers(t, &regs)) {
        *failed = true;
        return false;
    }
    if (!placed_holds(x, regs.rip))
        return !placed_inside(x->region, x->bias, regs.rip) || x->patched;
    const struct copy_point *p = copies_point(&*x->copies, (uint32_t)(regs.rip - x->code));
    uint64_t original = p ? x->region->list.items[p->at].insn->offset + x->bias : 0;
    if (!p || (x->patched && placed_inside(x->region, x->bias, original)))
        return false;
    add_unfinished(x, t->slot, p, &regs);
    /* If the instruction at this point faulted, the signal receives the instruction's address in
     * the original. */
    if (t->signal && (uint64_t)(uintptr_t)t->info.si_addr == regs.rip)
        t->info.si_addr = (void *)(uintptr_t)original;
    regs.rip = original;
    regs.orig_rax = ~0ull;
    process_set_registers(t, &regs);
    return true;
}

/* Stores in @out the numbers of involuntary and voluntary context switches of thread @tid. Leaves
 * @out unchanged if the numbers are unknown. */
static void read_switches(pid_t tid, uint64_t out[2])
{
    static const char *const lines[2] = {"nonvoluntary_ctxt_switches: %llu",
                                         "voluntary_ctxt_switches: %llu"};
    char path[64], line[256];

    snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        for (int i = 0; i < 2; i++) {
            unsigned long long now;
            if (sscanf(line, lines[i], &now) == 1)
                out[i] = now;
        }
    if (file)
        fclose(file);
}

/* Adds the context switches of @t since the last read_switches to those of its timing. */
static void add_waits(struct traced *t)
{
    uint64_t now[2] = {t->switches[0], t->switches[1]};

    read_switches(t->tid, now);
    for (int i = 0; i < 2; i++) {
        t->waits[i] += now[i] - t->switches[i];
        t->switches[i] = now[i];
    }
}

void placed_begin_waits(struct placed *x)
{
    for (size_t i = 0; i < x->process->tracees.count; i++)
        if (x->process->tracees.items[i].stopped)
            read_switches(x->process->tracees.items[i].tid, x->process->tracees.items[i].switches);
}

bool placed_settle(struct placed *x, struct traced *t)
{
    redo_jump(x, t);
    bool failed = false,
         fault = t->signal && t->info.si_code > 0 &&
                 (t->signal == SIGSEGV || t->signal == SIGBUS || t->signal == SIGFPE ||
                  t->signal == SIGILL || t->signal == SIGTRAP);
    pid_t tid = t->tid;
    uint64_t mask;

    if (t->exiting || is_settled(x, t, &failed))
        return true;
    if (failed || fault || !process_mask(t, &mask))
        return false;
    bool ok = false;
    add_waits(t);
    for (unsigned i = 0; i < STEPS_MOST && !ok && !failed; i++) {
        failed = !process_step(x->process, t);
        ok = !failed && is_settled(x, t, &failed);
    }
    t = process_tracee(x->process, tid);
    if (t) {
        process_unmask(t, mask);
        /* The context switches of the single steps are not waits. */
        read_switches(tid, t->switches);
    }
    return ok || !t;
}

/* Returns the iterations in which the induction register changed by @change. */
static uint64_t steps_iterations(const struct placed *x, uint64_t change)
{
    const int64_t step = x->copies->induction.step;
    return step ? (uint64_t)((int64_t)change / step) : 0;
}

static uint64_t words_iterations(const struct placed *x, const uint64_t *words, uint32_t slot)
{
    const unsigned *times = x->copies->times;

    return times[COPY_COUNT] * words[SLOT_PASSES / 8] +
           times[COPY_TIME] * (words[SLOT_BLOCKS / 8] * x->period[slot] +
                               (x->period[slot] - words[SLOT_COUNTDOWN / 8])) +
           (x->given[slot] - words[SLOT_RECORDS_LEFT / 8]) - words[SLOT_UNFINISHED / 8] +
           steps_iterations(x, words[SLOT_STEPS / 8]);
}

/* Returns the executions of all parts in a slot. If @take is true, adds them to x->parts and resets
 * them. */
static uint64_t parts_iterations(struct placed *x, uint32_t slot, bool take)
{
    uint64_t words[PARTS_MOST], at = slot_address(x, slot) + SLOT_PARTS, sum = 0;
    size_t count = part_count(x);

    if (!count || !process_read(x->process, at, words, 8 * count))
        return 0;
    for (size_t i = 0; i < count; i++) {
        sum += words[i];
        if (take)
            x->parts.items[i] += words[i];
        words[i] = 0;
    }
    if (take)
        process_write(x->process, at, words, 8 * count);
    return sum;
}

void placed_peek(struct placed *x)
{
    uint64_t words[0x100 / 8];

    for (uint32_t slot = 0; slot < x->slot_count; slot++)
        if (process_read(x->process, slot_address(x, slot), words, sizeof words))
            x->peeked[slot] =
                words_iterations(x, words, slot) + parts_iterations(x, slot, false);
}

uint64_t placed_iterations(const struct placed *x)
{
    uint64_t sum = x->iterations;

    for (uint32_t slot = 0; slot < x->slot_count; slot++)
        sum += x->peeked[slot];
    return sum;
}

void placed_mark_waited(struct timed_block *blocks, size_t count, uint64_t switches)
{
    for (; switches && count; switches--) {
        struct timed_block *longest = NULL;
        for (size_t i = 0; i < count; i++)
            if (!blocks[i].waited &&
                (!longest || blocks[i].ticks - blocks[i].away > longest->ticks - longest->away))
                longest = &blocks[i];
        if (!longest)
            return;
        longest->waited = true;
    }
}

static void harvest_stamps(struct placed *x, struct traced *t, uint64_t end)
{
    const uint32_t slot = t->slot;
    uint64_t stamps[STAMP_BYTES / 8 * STAMPS_MOST], begin = slot_address(x, slot) + SLOT_STAMPS;
    size_t count = (size_t)(end - begin) / STAMP_BYTES, first = x->timed.count;
    const enum block_kind kind = x->chosen[slot] == COPY_VISIT  ? BLOCK_VISITS
                                 : x->chosen[slot] == COPY_NEST ? BLOCK_NEST
                                                                : BLOCK_COPY;
    const bool visits = kind == BLOCK_VISITS,
               steps = visits && x->copies->induction.at != REGION_NONE;

    if (count > 1 && count <= STAMPS_MOST && !x->mixed[slot] &&
        process_read(x->process, begin, stamps, count * STAMP_BYTES))
        for (size_t i = 1; i < count; i++) {
            const uint64_t *a = &stamps[STAMP_BYTES / 8 * (i - 1)], *b = a + STAMP_BYTES / 8;
            vec_push(&x->timed,
                     ((struct timed_block){
                         b[0] - a[2],
                         b[3] - a[3],
                         kind,
                         b[4] - a[4],
                         {(uint32_t)a[2] - (uint32_t)a[1], (uint32_t)b[2] - (uint32_t)b[1]},
                         steps ? steps_iterations(x, b[5] - a[5])
                               : x->period[slot] * x->copies->times[x->chosen[slot]] -
                                     (b[5] - a[5]),
                         x->batches,
                         false}));
        }
    x->batches += x->timed.count > first;
    /* Voluntary switches between visits do not count, nor does the one for the stop of the
     * thread. */
    add_waits(t);
    placed_mark_waited(x->timed.items + first, x->timed.count - first,
                       t->waits[0] +
                           (kind != BLOCK_COPY || !t->waits[1] ? 0 : t->waits[1] - 1));
    t->waits[0] = t->waits[1] = 0;
    set_word(x, slot, SLOT_STAMPS_LEFT, STAMPS_MOST);
    set_word(x, slot, SLOT_STAMP_AT, begin);
}

/* Returns the share of accesses on huge pages among @count events from @first. */
static double huge_share(const struct placed *x, size_t first, size_t count)
{
    uint64_t *addresses = mem_alloc(count * sizeof *addresses);
    size_t accesses = 0;

    for (size_t i = first; i < first + count; i++) {
        const uint64_t event = x->events.items[i], id = event >> 48;
        if (id < x->region->list.count && events_follows(&x->region->list.items[id]))
            addresses[accesses++] = event & ((UINT64_C(1) << 48) - 1);
    }
    const double share = maps_huge(x->process->pid, addresses, accesses);
    free(addresses);
    return share;
}

static void harvest_events(struct placed *x, uint32_t slot, uint64_t iterations, uint32_t count)
{
    size_t first = x->events.count, kept = count < RING_EVENTS ? count : RING_EVENTS;

    if (!count)
        return;
    vec_reserve(&x->events, first + kept);
    if (count <= RING_EVENTS && process_read(x->process, slot_address(x, slot) + SLOT_RING,
                                             x->events.items + first, kept * 8)) {
        x->events.count += kept;
        vec_push(&x->stretches, ((struct recorded_stretch){iterations, first, kept}));
        if (isnan(x->huge))
            x->huge = huge_share(x, first, kept < HUGE_EVENTS ? kept : HUGE_EVENTS);
    }
    set_word(x, slot, SLOT_EVENTS, 0);
}

void placed_harvest(struct placed *x, struct traced *t)
{
    uint64_t words[0x100 / 8];
    uint32_t slot = t->slot;

    if (slot == SLOT_NONE || !process_read(x->process, slot_address(x, slot), words, sizeof words))
        return;
    x->iterations += words_iterations(x, words, slot) + parts_iterations(x, slot, true);
    x->peeked[slot] = 0;
    harvest_stamps(x, t, words[SLOT_STAMP_AT / 8]);
    harvest_events(x, slot, x->given[slot] - words[SLOT_RECORDS_LEFT / 8],
                   (uint32_t)words[SLOT_EVENTS / 8]);
    x->given[slot] = 0;
    set_word(x, slot, SLOT_PASSES, 0);
    set_word(x, slot, SLOT_BLOCKS, 0);
    set_word(x, slot, SLOT_COUNTDOWN, x->period[slot]);
    set_word(x, slot, SLOT_RECORDS_LEFT, 0);
    set_word(x, slot, SLOT_UNFINISHED, 0);
    set_word(x, slot, SLOT_STEPS, 0);
}

/* Returns the number of timed blocks in @slot. For a recording, returns whether it is complete. */
static uint64_t progress(const struct placed *x, uint32_t slot)
{
    const bool records = x->mode == COPY_RECORD;
    uint64_t word, at = slot_address(x, slot) + (records ? SLOT_RECORDS_LEFT : SLOT_BLOCKS);

    if ((records && !x->given[slot]) || !process_read(x->process, at, &word, sizeof word))
        return 0;
    return records ? !word : word;
}

void placed_choose(struct placed *x, struct traced *t, uint64_t period, uint64_t records,
                   bool stamps)
{
    if (t->slot == SLOT_NONE)
        return;
    x->chosen[t->slot] = x->mode;
    x->period[t->slot] = period;
    x->earlier[t->slot] = 0;
    x->mixed[t->slot] = false;
    set_word(x, t->slot, SLOT_PERIOD, period);
    set_word(x, t->slot, SLOT_COUNTDOWN, period);
    set_word(x, t->slot, SLOT_STAMPS_LEFT, stamps ? STAMPS_MOST : 0);
    x->given[t->slot] = x->mode == COPY_RECORD ? records : 0;
    set_word(x, t->slot, SLOT_RECORDS_LEFT, x->given[t->slot]);
}

void placed_choose_waiting(struct placed *x, const struct traced *t)
{
    if (t->slot == SLOT_NONE)
        return;
    x->chosen[t->slot] = x->mode;
    x->earlier[t->slot] = progress(x, t->slot);
    x->mixed[t->slot] = true;
}

bool placed_completed(const struct placed *x)
{
    const uint64_t enough = x->mode == COPY_RECORD ? 1 : BLOCKS_ENOUGH;
    bool any = false;

    for (uint32_t slot = 0; slot < x->slot_count && !any; slot++)
        any = progress(x, slot) >= x->earlier[slot] + enough;
    return any;
}

void placed_release(struct placed *x, struct traced *t)
{
    struct user_regs_struct regs;
    const bool known = process_registers(t, &regs);
    const struct copy_point *p =
        known && placed_holds(x, regs.rip)
            ? copies_point(x->copies, (uint32_t)(regs.rip - x->code))
            : NULL;

    if (p)   /* The thread ends within the copies. */
        add_unfinished(x, t->slot, p, &regs);
    placed_harvest(x, t);
    if (known && is_slot(x, regs.gs_base) && !placed_holds(x, regs.rip)) {
        regs.gs_base = 0;
        process_set_registers(t, &regs);
    }
    if (t->slot != SLOT_NONE)
        vec_push(&x->free, t->slot);
    t->slot = SLOT_NONE;
}

void placed_unmap(struct placed *x, struct traced *t)
{
    uint64_t size = (x->copies->code.bytes.count + 4095u) & ~UINT64_C(4095);

    if (x->kept)
        return;
    /* Later system calls use an instruction outside the copies, because the calls below unmap the
     * copies. All threads are stopped. */
    x->process->call_at = 0;
    if (x->slots)
        process_call(x->process, t, SYS_munmap,
                     (const uint64_t[]){x->slots, (uint64_t)SLOTS_MOST * SLOT_BYTES, 0, 0, 0, 0});
    if (x->code)
        process_call(x->process, t, SYS_munmap, (const uint64_t[]){x->code, size, 0, 0, 0, 0});
    x->slots = x->code = 0;
}

void placed_clean_child(void *state, const struct process_event *e)
{
    const struct placed *x = state;
    struct traced t = {.tid = e->child};
    struct user_regs_struct regs;
    char path[64];

    if (e->shared || !x->process)
        return;
    snprintf(path, sizeof path, "/proc/%d/mem", (int)e->child);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    for (size_t i = 0; fd >= 0 && i <= x->region->resumed.count; i++) {
        uint8_t bytes[PATCH_BYTES], jump[PATCH_BYTES];
        site_bytes(x, i, x->mode, bytes, jump);
        if (pwrite(fd, bytes, sizeof bytes, (off_t)site_address(x, i)) != (ssize_t)sizeof bytes)
            break;
    }
    if (fd >= 0)
        close(fd);
    if (process_registers(&t, &regs) && regs.gs_base) {
        regs.gs_base = 0;
        process_set_registers(&t, &regs);
    }
}

double placed_clock(const struct placed *x, struct traced *t, double *overhead, double *visit)
{
    const uint64_t slot = slot_address(x, t->slot);
    const pid_t tid = t->tid;
    uint64_t kept[SLOT_REGISTERS / 8], after;
    double best = NAN, chain = NAN;
    struct user_regs_struct regs;

    *visit = *overhead = NAN;
    if (!process_read(x->process, slot, kept, sizeof kept))
        return NAN;
    for (int i = 0; i < CLOCK_TRIES; i++) {
        t = process_tracee(x->process, tid);
        if (!t || !process_run(x->process, t, label_address(x, x->copies->clock), &regs))
            break;
        best = fmin(best, (double)regs.r8 / CLOCK_CYCLES);
        chain = fmin(chain, (double)regs.r9 / CLOCK_CHAINS);
    }
    for (int i = 0; i < CLOCK_TRIES; i++) {
        t = process_tracee(x->process, tid);
        if (!t || !process_run(x->process, t, label_address(x, x->copies->visits), &regs) ||
            !process_read(x->process, slot + SLOT_AWAY, &after, 8) ||
            !process_write(x->process, slot, kept, sizeof kept))
            break;
        *visit = fmin(*visit,
                      ((double)regs.r8 - (double)(after - kept[SLOT_AWAY / 8])) / VISITS);
    }
    *overhead = chain - STAMP_CYCLES * best;
    return process_write(x->process, slot, kept, sizeof kept) ? best : NAN;
}
#endif
