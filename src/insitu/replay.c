/* SPDX-License-Identifier: GPL-3.0-or-later */
#if defined(__x86_64__)
#include "insitu/replay.h"

#include <elf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "base/compare.h"
#include "base/mem.h"

#define ITERATIONS_MOST 2000u
/* @LEAD: number of iterations between the loads of the lines and the start of timing. @TIMED:
 * number of timed iterations. */
#define LEAD 32u
#define TIMED 160u
/* maximum number of lines and of pages of LEAD and TIMED iterations, which fit in the first-level
 * cache and TLB */
#define LINES_MOST 400.0
#define PAGES_MOST 64.0
#define SETS 64u
#define WAYS 8u
#define PAGE 4096u
#define REPEATS 300u
#define CHUNKS_LEAST 2u
/* maximum cycles by which a block may take longer than the same iterations within a longer block */
#define EDGE_CYCLES 25.0
/* smallest and largest share of iterations that execute the patched place in the original */
#define ANCHORED_LEAST 0.002
#define ANCHORED_MOST 0.34
#define ANCHORED_ITERATIONS 2000.0 /* number of iterations between two stamps */
#define ANCHORED_STAMPS 80u
#define MOMENTS_LEAST 3u
#define SPREAD_MOST 0.2        /* largest relative difference of the times of several moments */
#define FALLS_MOST 0.07        /* largest relative decrease of the time from one quarter of the
                                * repeats to the next */
#define STEPS_MOST 500u        /* maximum number of single steps to the pivot */
#define LINE 64u
#define STATE_BYTES 16384u
#define TOUCH_WORDS ((SLOT_RESTORES - SLOT_TOUCHES) / 8)
#define TOUCH_PAGES ((SLOT_RING - SLOT_STAMPS + SLOT_RESTORES - SLOT_TOUCHES) / PAGE)
#define RESTORE_WORDS ((SLOT_BYTES - SLOT_RESTORES) / 8)

struct rerun {
    struct placed *x;
    uint64_t slot;             /* address of the slot */
    struct user_regs_struct regs;
    struct process copy;
    VEC(uint64_t) events;      /* events that another copy recorded */
    /* index of the first event of each completely recorded iteration, and of the end of the last
     * one */
    VEC(size_t) passes;
    /* per block: index of its first iteration, counted from the first lead */
    VEC(size_t) bounds;
    /* number of passes of the first copy in a lead and in a timed block */
    uint32_t lead, timed;
    VEC(uint64_t) touches, restores;
    const char *why;
};

static bool fails(struct rerun *m, const char *why)
{
    m->why = why;
    return false;
}

bool replay_possible(const struct region *r)
{
    if (r->dispatch)
        return false;
    for (size_t i = 0; i < r->list.count; i++) {
        const struct region_insn *in = &r->list.items[i];
        if (!in->in_place && in->insn->traits & INSN_STORE && !(in->insn->traits & INSN_STACK) &&
            !events_follows(in))
            return false;
        if (events_unseen(in))
            return false;
        if (!in->in_place && in->insn->operation == OPERATION_STRING)
            return false;
    }
    return true;
}

static bool word(const struct process *p, uint64_t address, uint64_t value)
{
    return process_write(p, address, &value, sizeof value);
}

static uint64_t address_of(const struct placed *x, uint32_t label)
{
    return x->code + x->copies->code.labels.items[label];
}

/* Single-steps the copy of the process to the pivot in the original code. Returns false with a
 * reason in m->why. */
static bool step_to_pivot(struct rerun *m)
{
    const struct region *r = m->x->region;
    uint64_t pivot = r->list.items[r->pivot].insn->offset + m->x->bias;
    struct traced *t = process_tracee(&m->copy, m->copy.pid);

    for (unsigned i = 0; i < STEPS_MOST && process_registers(t, &m->regs); i++) {
        if (m->regs.rip == pivot)
            return true;
        uint32_t at = region_at(r, m->regs.rip - m->x->bias);
        if (at == REGION_NONE || r->list.items[at].in_place)
            return fails(m, "the loop exited");
        if (!process_step(&m->copy, t))
            break;
    }
    return fails(m, "the code after an iteration does not return to the loop");
}

/* Makes the system reject all further system calls of the copy, without the speculation mitigations
 * that filters enable by default. */
static bool forbid_calls(struct rerun *m, struct traced *copy)
{
    const struct sock_filter filter = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    const uint64_t at = m->slot + SLOT_STATE, program[2] = {1, at};

    return process_write(&m->copy, at, &filter, sizeof filter) &&
           process_write(&m->copy, at + 16, program, sizeof program) &&
           process_call(&m->copy, copy, SYS_prctl,
                        (const uint64_t[]){PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0}) == 0 &&
           process_call(&m->copy, copy, SYS_seccomp,
                        (const uint64_t[]){SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                                           at + 16, 0, 0, 0}) == 0;
}

/* Makes a copy of the process at the pivot, or if @anywhere at the position of @t. The process
 * cannot observe the copy. Returns false with a reason in m->why. */
static bool make_copy(struct rerun *m, struct traced *t, bool anywhere, int64_t *number)
{
    struct maps maps;

    if (!process_copy(m->x->process, t, &m->copy, number))
        return fails(m, "the process cannot be copied");
    struct traced *copy = process_tracee(&m->copy, m->copy.pid);
    bool ok = maps_read(m->copy.pid, &maps) || fails(m, "the copy of the process has ended");
    for (size_t i = 0; ok && i < maps.list.count; i++) {
        const struct map *s = &maps.list.items[i];
        if (s->shared && s->write &&
            process_call(&m->copy, copy, SYS_mprotect,
                         (const uint64_t[]){s->start, s->end - s->start, PROT_READ, 0, 0, 0}) != 0)
            ok = fails(m, "memory is shared with other processes");
    }
    maps_done(&maps);
    /* The copy continues from the position of @t in the original to the pivot. Indirect jumps of
     * COPY_REPLAY lead to the original. */
    if (ok && (anywhere || m->x->region->indirect))
        ok = (forbid_calls(m, copy) && placed_patch_copy(m->x, &m->copy, COPY_REPLAY, false)) ||
             fails(m, "the system cannot forbid system calls");
    return ok && (anywhere ? process_registers(copy, &m->regs) : step_to_pivot(m));
}

/* Runs the copy from @address until int3. Returns false after another event or a timeout. */
static bool run_at(struct rerun *m, uint64_t address)
{
    struct user_regs_struct regs = m->regs;
    struct traced *t = process_tracee(&m->copy, m->copy.pid);

    regs.rip = address;
    regs.orig_rax = ~0ull;
    return process_set_registers(t, &regs) && process_copy_run(&m->copy, m->x->copy_seconds);
}

static bool run_from(struct rerun *m, uint32_t label)
{
    return run_at(m, address_of(m->x, label));
}

/* Records the next iterations with the addresses that they access. Returns false with a reason in
 * m->why. */
static bool follow(struct rerun *m)
{
    const struct region *r = m->x->region;
    size_t each = 2;
    uint64_t most, left = 0, count = 0;

    for (size_t i = 0; i < r->list.count; i++)
        each += events_follows(&r->list.items[i]) || events_records(&r->list.items[i]);
    most = (RING_EVENTS - 1) / each;
    most = most < ITERATIONS_MOST ? most : ITERATIONS_MOST;
    if (!word(&m->copy, m->slot + SLOT_EVENTS, 0) ||
        !word(&m->copy, m->slot + SLOT_RECORDS_LEFT, most) ||
        !run_from(m, m->x->copies->entry[COPY_FOLLOW]))
        return fails(
            m,
            "the loop waits for other threads, or accesses memory that copies of the process lack");
    process_read(&m->copy, m->slot + SLOT_EVENTS, &count, sizeof count);
    process_read(&m->copy, m->slot + SLOT_RECORDS_LEFT, &left, sizeof left);
    if (count >= RING_EVENTS)
        return fails(m, "an iteration accesses too much memory");
    vec_reserve(&m->events, count + 1);
    if (!process_read(&m->copy, m->slot + SLOT_RING, m->events.items,
                      count * sizeof *m->events.items))
        return fails(m, "the recording cannot be read");
    m->events.count = count;
    for (size_t i = 0; i < count; i++)
        if (m->events.items[i] >> 48 == EVENT_PASS)
            vec_push(&m->passes, i);
    if (!left)
        /* The last iteration is complete, unless control left the copies within it. */
        vec_push(&m->passes, count);
    return true;
}

static unsigned id_at(const struct rerun *m, size_t event)
{
    return (unsigned)(m->events.items[event] >> 48);
}

/* Returns the instruction of event @event, and sets *@address to its address; NULL: the event is no
 * access. */
static const struct insn *access_at(const struct rerun *m, size_t event, uint64_t *address)
{
    const struct region *r = m->x->region;
    unsigned id = id_at(m, event);

    *address = m->events.items[event] & ((UINT64_C(1) << 48) - 1);
    return id < r->list.count && events_follows(&r->list.items[id]) ? r->list.items[id].insn : NULL;
}

/* Returns the number of different lines that iterations [@from, @to) access. Sets *@out to their
 * addresses, with bit 0 set for a line with a store. The caller frees them. */
static size_t lines_of(const struct rerun *m, size_t from, size_t to, uint64_t **out)
{
    size_t begin = m->passes.items[from], end = m->passes.items[to], n = 0, kept = 0;
    uint64_t *lines = mem_alloc((2 * (end - begin) + 1) * sizeof *lines);

    for (size_t i = begin; i < end; i++) {
        uint64_t address;
        const struct insn *in = access_at(m, i, &address);
        if (!in)
            continue;
        uint64_t last = address + (insn_memory(in)->bits >= 8 ? insn_memory(in)->bits / 8 - 1 : 0);
        bool stores = in->traits & INSN_STORE;
        lines[n++] = (address & ~(uint64_t)(LINE - 1)) | stores;
        if (last / LINE != address / LINE)
            lines[n++] = (last & ~(uint64_t)(LINE - 1)) | stores;
    }
    if (n)
        qsort(lines, n, sizeof *lines, compare_uint64);
    for (size_t i = 0; i < n; i++)
        /* Keeps the last of equal lines, which has the mark of a store if any of them has it. */
        if (i + 1 == n || (lines[i] | 1) != (lines[i + 1] | 1))
            lines[kept++] = lines[i];
    *out = lines;
    return kept;
}

/* Finds the first iterations of the blocks. Leads and timed blocks alternate. Their lengths are
 * multiples of the first copy's number of passes. */
static void find_bounds(struct rerun *m)
{
    unsigned times = m->x->copies->times[COPY_REPLAY], copy = 0, left = m->lead;

    m->bounds.count = 0;
    vec_push(&m->bounds, 0);
    for (size_t k = 1; k < m->passes.count; k++) {
        bool left_loop = false;
        for (size_t i = m->passes.items[k - 1] + 1; i < m->passes.items[k]; i++)
            left_loop |= id_at(m, i) == EVENT_LEAVE;
        copy = left_loop ? 0 : (copy + 1) % times;
        if (copy || --left)
            continue;
        vec_push(&m->bounds, k);
        left = m->bounds.count % 2 ? m->lead : m->timed;
    }
}

/* Returns whether at most a tenth of the lines of iterations [@from, @to) exceed the ways of a
 * first-level cache. Lines at a stride of a large power of two are in few of its sets. */
static bool sets_fit(const struct rerun *m, size_t from, size_t to)
{
    size_t used[SETS] = {0}, excess = 0;
    uint64_t *lines;

    const size_t n = lines_of(m, from, to, &lines);
    for (size_t i = 0; i < n; i++)
        excess += ++used[lines[i] / LINE % SETS] > WAYS;
    free(lines);
    return excess <= n / 10;
}

/* Chooses the largest number of passes for which the lines of a lead and its timed block fit in the
 * first-level cache. Returns false with a reason in m->why. */
static bool choose_blocks(struct rerun *m)
{
    unsigned times = m->x->copies->times[COPY_REPLAY];
    size_t count = m->passes.count ? m->passes.count - 1 : 0,
           sample = count < LEAD + TIMED ? count : LEAD + TIMED;
    uint64_t *lines;

    if (count < (CHUNKS_LEAST + 1) * (LEAD + TIMED) / 2)
        return fails(m, "the loop and the code around it exit after too few iterations");
    size_t n = lines_of(m, 0, sample, &lines), pages = 0;
    for (size_t i = 0; i < n; i++)
        pages += !i || lines[i] / PAGE != lines[i - 1] / PAGE;
    double part = (double)sample / (LEAD + TIMED),
           scale =
               fmin(1, fmin(LINES_MOST / (double)(n + 1), PAGES_MOST / (double)(pages + 1)) * part);
    free(lines);
    m->lead = (uint32_t)(LEAD * scale / times);
    m->timed = (uint32_t)(TIMED * scale / times);
    m->lead += !m->lead;
    m->timed += !m->timed;
    find_bounds(m);
    if (m->bounds.count < 2 * CHUNKS_LEAST + 2)
        return fails(m, "the loop and the code around it exit after too few iterations");
    return sets_fit(m, 0, m->bounds.items[2]) ||
           fails(m, "lines at a stride of a large power of two compete for the same cache sets");
}

static void touch_slot(struct rerun *m, uint64_t from, uint64_t to)
{
    for (uint64_t at = from; at < to; at += PAGE)
        vec_push(&m->touches, m->slot + at);
}

/* Appends the list of a lead whose block accesses @lines. One line of each page is first. The first
 * access to a page of a copy faults or leaves the guest, which flushes the TLB. The first list also
 * has the pages of the lists and stamps. */
static void touch_lead(struct rerun *m, const uint64_t *lines, size_t n, bool first)
{
    vec_push(&m->touches, m->lead);
    if (first)
        touch_slot(m, SLOT_STAMPS, SLOT_RING);
    for (size_t i = 0; i < n; i++)
        if (lines[i] & 1)
            vec_push(&m->touches, lines[i] & ~UINT64_C(1));
    vec_push(&m->touches, 0);
    if (first)
        touch_slot(m, SLOT_TOUCHES, SLOT_RESTORES);
    for (size_t i = 0; i < n; i++)
        if (!i || lines[i] / PAGE != lines[i - 1] / PAGE)
            vec_push(&m->touches, lines[i] & ~UINT64_C(1));
    for (size_t i = 0; i < n; i++)
        vec_push(&m->touches, lines[i] & ~UINT64_C(1));
    vec_push(&m->touches, 0);
}

/* Fills the lists that stamps read: the passes of each block, and for a lead the lines until the
 * end of the next timed block. Returns the number of chunks (a lead and a timed block) that fit. */
static size_t fill_touches(struct rerun *m)
{
    size_t chunks = (m->bounds.count - 2) / 2, c;

    for (c = 0; c < chunks; c++) {
        uint64_t *lines;
        size_t n = lines_of(m, m->bounds.items[2 * c], m->bounds.items[2 * c + 2], &lines);
        bool room = m->touches.count + 3 * n + TOUCH_PAGES + 16 <= TOUCH_WORDS;
        if (room) {
            touch_lead(m, lines, n, !c);
            vec_push(&m->touches, m->timed);
            vec_push(&m->touches, 0);
            vec_push(&m->touches, 0);
        }
        free(lines);
        if (!room)
            break;
    }
    vec_push(&m->touches, 1);
    vec_push(&m->touches, 0);
    vec_push(&m->touches, 0);
    return c;
}

/* Lists the words that iterations before @to overwrite, with their current values. Returns false if
 * they are too many or cannot be read. */
static bool fill_restores(struct rerun *m, size_t to)
{
    size_t end = m->passes.items[to], n = 0;
    VEC(uint64_t) words = {0};

    for (size_t i = m->passes.items[0]; i < end; i++) {
        uint64_t address;
        const struct insn *in = access_at(m, i, &address);
        if (!in || !(in->traits & INSN_STORE))
            continue;
        unsigned bytes = insn_memory(in)->bits >= 8 ? insn_memory(in)->bits / 8 : 8;
        for (uint64_t a = address & ~UINT64_C(7); a < address + bytes; a += 8)
            vec_push(&words, a);
    }
    if (words.count)
        qsort(words.items, words.count, sizeof *words.items, compare_uint64);
    bool ok = true;
    for (size_t i = 0; ok && i < words.count; i++) {
        uint64_t value = 0;
        if (i && words.items[i] == words.items[i - 1])
            continue;
        ok = 2 * (n + 1) < RESTORE_WORDS &&
             process_read(&m->copy, words.items[i], &value, sizeof value);
        vec_push(&m->restores, words.items[i]);
        vec_push(&m->restores, value);
        n++;
    }
    vec_push(&m->restores, 0);
    vec_done(&words);
    return ok || fails(m, "an iteration stores to too much memory");
}

static bool write_state(struct rerun *m)
{
    const struct process *p = &m->copy;
    const struct user_regs_struct *r = &m->regs;
    const uint64_t general[] = {r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi,
                                r->r8,  r->r9,  r->r10, r->r11, r->r12, r->r13, r->r14, r->r15};
    uint8_t *state = mem_zero(STATE_BYTES, 1);
    struct iovec all = {state, STATE_BYTES};

    bool ok = ptrace((enum __ptrace_request)PTRACE_GETREGSET, p->pid,
                     (void *)(uintptr_t)NT_X86_XSTATE, &all) == 0 &&
              all.iov_len < STATE_BYTES;
    memset(state + 464, 0, 48);   /* Clears reserved bytes of the XSAVE header. */
    ok = ok && process_write(p, m->slot + SLOT_STATE, state, all.iov_len) &&
         process_write(p, m->slot + SLOT_REGISTERS, general, sizeof general) &&
         word(p, m->slot + SLOT_FLAGS, r->eflags) &&
         process_write(p, m->slot + SLOT_TOUCHES, m->touches.items, m->touches.count * 8) &&
         process_write(p, m->slot + SLOT_RESTORES, m->restores.items, m->restores.count * 8) &&
         word(p, m->slot + SLOT_TOUCH_BEGIN, m->slot + SLOT_TOUCHES) &&
         word(p, m->slot + SLOT_RESTORE, m->slot + SLOT_RESTORES) &&
         word(p, m->slot + SLOT_STATE_AT, m->slot + SLOT_STATE) &&
         word(p, m->slot + SLOT_FLAGS_AT, m->slot + SLOT_FLAGS) &&
         word(p, m->slot + SLOT_AT_END, address_of(m->x, m->x->copies->replay));
    free(state);
    return ok || fails(m, "the copy of the process cannot be prepared");
}

/* Runs the first @chunks chunks @repeats times. Sets *@out to the cycles per iteration of each
 * timed block, in order, which the caller frees. Returns their number; 0 on failure. */
static size_t replay(struct rerun *m, size_t repeats, size_t chunks, double overhead, double **out)
{
    const struct process *p = &m->copy;
    size_t words = STAMP_BYTES / 8, count = 2 * chunks * repeats, n = 0;
    struct user_regs_struct regs;
    uint64_t *stamps = mem_alloc(count * STAMP_BYTES);

    *out = mem_alloc((chunks * repeats + 1) * sizeof **out);
    bool ok = word(p, m->slot + SLOT_REPEATS, repeats) &&
              word(p, m->slot + SLOT_STAMPS_EACH, 2 * chunks) &&
              word(p, m->slot + SLOT_STAMP_AT, m->slot + SLOT_STAMPS) &&
              run_from(m, m->x->copies->replay) &&
              process_registers(process_tracee(&m->copy, m->copy.pid), &regs) &&
              regs.rip == address_of(m->x, m->x->copies->replayed) + 1 &&
              process_read(p, m->slot + SLOT_STAMPS, stamps, count * STAMP_BYTES);
    for (size_t i = 0; ok && i < chunks * repeats; i++) {
        const uint64_t *a = stamps + 2 * i * words, *b = a + words;
        double before = (double)((uint32_t)a[2] - (uint32_t)a[1]) - overhead,
               after = (double)((uint32_t)b[2] - (uint32_t)b[1]) - overhead;
        size_t c = i % chunks, iterations = m->bounds.items[2 * c + 2] - m->bounds.items[2 * c + 1];
        (*out)[n++] = ((double)(b[0] - a[2]) - overhead) / (double)iterations /
                      ((before + after) / 2 / STAMP_CYCLES);
    }
    free(stamps);
    if (!ok)
        m->why = "a copy of the process differed from the recording";
    return n;
}

static int by_cycles(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Sorts the values. Returns their quantile @q. */
static double quantile(double *values, size_t count, double q)
{
    qsort(values, count, sizeof *values, by_cycles);
    return values[(size_t)(q * (double)(count - 1))];
}

/* Sorts the values. Returns the mean of those up to 1.5 times their lower quartile, or the quartile
 * if it is not positive. */
static double typical(double *values, size_t count)
{
    double lower = quantile(values, count, 0.25), most = 1.5 * lower, sum = 0;
    size_t n = 0;

    if (lower <= 0)
        return lower;
    while (n < count && values[n] <= most)
        sum += values[n++];
    return sum / (double)n;
}

static bool measure(struct rerun *m, double overhead, struct replayed *out)
{
    double *blocks;
    size_t left = 0;

    if (!choose_blocks(m))
        return false;
    size_t chunks = fill_touches(m), count, first;
    if (chunks < CHUNKS_LEAST)
        return fails(m, "an iteration accesses too much memory");
    if (!fill_restores(m, m->passes.count - 1) || !write_state(m))
        return false;
    for (size_t i = m->passes.items[0]; i < m->passes.items[m->bounds.items[2 * chunks]]; i++)
        left += id_at(m, i) == EVENT_LEAVE;
    out->leaves = left > 0;
    out->edge = EDGE_CYCLES / (double)(m->bounds.items[2] - m->bounds.items[1]);
    count = replay(m, 1, chunks, overhead, &blocks);
    first = count / 4 ? count / 4 : 1;   /* Omits the first blocks, in which the predictor is
                                          * untrained. */
    bool ok = count > first;
    if (ok)
        out->warm = typical(blocks + first, count - first);
    free(blocks);
    if (!ok)
        return false;
    count = replay(m, REPEATS, 1, overhead, &blocks);
    ok = count >= 8;
    if (ok) {
        out->before = typical(blocks + count / 4, count / 4);
        out->trained = typical(blocks + count / 4 * 3, count / 4);
    }
    free(blocks);
    return ok;
}

void replay_moment(struct placed *x, struct traced *t, double overhead, struct replayed_all *out)
{
    struct rerun m = {.x = x, .slot = x->slots + (uint64_t)t->slot * SLOT_BYTES};
    struct process *p = x->process;
    struct replayed r;
    pid_t tid = t->tid;

    out->tried++;
    bool ok = true;
    /* Records the iterations in a first copy of the process. Measures them in a second one, which
     * starts in the same state. */
    for (int k = 0; k < 2 && t && ok; k++) {
        int64_t number = 0;
        ok = make_copy(&m, t, false, &number) && (k ? measure(&m, overhead, &r) : follow(&m));
        t = process_tracee(p, tid);
        if (t)
            process_copy_end(p, t, &m.copy, number);
        t = process_tracee(p, tid);
    }
    if (ok && t && isfinite(r.warm) && isfinite(r.before) && isfinite(r.trained))
        vec_push(&out->list, r);
    else
        out->why = m.why;
    vec_done(&m.events);
    vec_done(&m.passes);
    vec_done(&m.bounds);
    vec_done(&m.touches);
    vec_done(&m.restores);
}

/* Returns the anchor that the smallest share of recorded iterations executes, among shares from
 * ANCHORED_LEAST to ANCHORED_MOST. Sets *@share, for computed gotos by the execution counts of the
 * parts. Returns NULL if no anchor has such a share. */
static const struct copy_anchor *choose_anchor(const struct placed *x, double *share)
{
    const struct region *r = x->region;
    const struct copy_anchor *best = NULL;
    size_t passes = 0, *counts = mem_zero(r->list.count + 1, sizeof *counts);

    for (size_t i = 0; i < x->parts.count; i++) {
        counts[region_site(r, i)] = x->parts.items[i];
        passes += x->parts.items[i];
    }
    for (size_t i = 0; i < x->events.count; i++) {
        unsigned id = (unsigned)(x->events.items[i] >> 48);
        uint64_t to = x->events.items[i] & ((UINT64_C(1) << 48) - 1);
        uint32_t at = id < r->list.count && r->list.items[id].indirect ? region_at(r, to - x->bias)
                                                                       : REGION_NONE;
        passes += id == EVENT_PASS;
        if (at != REGION_NONE)
            counts[at]++;
    }
    for (size_t i = 0; i < x->copies->anchors.count; i++) {
        const struct copy_anchor *a = &x->copies->anchors.items[i];
        double of = (double)counts[a->at] / (double)passes;
        if (of >= ANCHORED_LEAST && of <= ANCHORED_MOST && (!best || of < *share)) {
            best = a;
            *share = of;
        }
    }
    free(counts);
    return best;
}

/* Runs a copy of the process with a patch at @anchor. @original: no other place is patched, and the
 * stamps have times of the original code; otherwise the copy also counts iterations. @anywhere: the
 * copy starts at the position of @t. Returns the *@count stamps, one per @period passes, which the
 * caller frees; NULL: none. */
static uint64_t *run_anchored(struct rerun *m, struct traced *t, struct copy_anchor anchor,
                              uint64_t period, bool original, bool anywhere, size_t *count)
{
    const struct placed *x = m->x;
    struct process *p = x->process;
    uint8_t was[PATCH_BYTES], jump[PATCH_BYTES];
    uint64_t *stamps = NULL, end = 0, begin = m->slot + SLOT_STAMPS;
    pid_t tid = t->tid;
    int64_t number = 0;

    *count = 0;
    bool ok = make_copy(m, t, anywhere, &number);
    ok = ok && placed_patch_copy(x, &m->copy, x->region->dispatch ? COPY_FOLLOW : COPY_COUNT,
                                 original);
    placed_bytes(x, anchor.at, anchor.label, was, jump);
    ok = ok &&
         process_write(&m->copy, x->region->list.items[anchor.at].insn->offset + x->bias, jump,
                       sizeof jump) &&
         word(&m->copy, m->slot + SLOT_PASSES, 0) &&
         word(&m->copy, m->slot + SLOT_PERIOD, period) &&
         word(&m->copy, m->slot + SLOT_COUNTDOWN, period) &&
         word(&m->copy, m->slot + SLOT_STAMPS_LEFT, ANCHORED_STAMPS) &&
         word(&m->copy, m->slot + SLOT_STAMP_AT, begin);
    if (ok) {
        run_at(m, m->regs.rip); /* The stamps are valid even if the run ended early. */
        ok = process_read(&m->copy, m->slot + SLOT_STAMP_AT, &end, sizeof end) && end >= begin &&
             end <= begin + ANCHORED_STAMPS * STAMP_BYTES;
    }
    if (ok && end > begin) {
        stamps = mem_alloc(end - begin);
        if (process_read(&m->copy, begin, stamps, end - begin))
            *count = (size_t)(end - begin) / STAMP_BYTES;
    }
    t = process_tracee(p, tid);
    if (t)
        process_copy_end(p, t, &m->copy, number);
    return stamps;
}

void replay_original(struct placed *x, struct traced *t)
{
    struct rerun m = {.x = x, .slot = x->slots + (uint64_t)t->slot * SLOT_BYTES};
    const size_t words = STAMP_BYTES / 8;
    double share = 0;
    uint64_t *stamps[2] = {NULL, NULL};
    size_t counts[2] = {0, 0};
    pid_t tid = t->tid;
    const struct copy_anchor *anchor = choose_anchor(x, &share);

    for (int k = 0; k < 2 && t && anchor && (!k || counts[0]); k++) {
        stamps[k] = run_anchored(&m, t, *anchor, (uint64_t)(ANCHORED_ITERATIONS * share) + 1,
                                 k == 1, x->region->dispatch, &counts[k]);
        t = process_tracee(x->process, tid);
    }
    size_t count = counts[0] < counts[1] ? counts[0] : counts[1];
    /* Omits the first quarter, which includes copying of pages and cold caches. */
    for (size_t i = count / 4 + 1; i < count; i++) {
        const uint64_t *counted = stamps[0] + i * words, *b = stamps[1] + i * words, *a = b - words;
        vec_push(&x->timed,
                 ((struct timed_block){
                     .ticks = b[0] - a[2],
                     .kind = BLOCK_ORIGINAL,
                     .clock = {(uint32_t)a[2] - (uint32_t)a[1], (uint32_t)b[2] - (uint32_t)b[1]},
                     .iterations = counted[3] - (counted - words)[3],
                     .batch = x->batches}));
    }
    x->batches++;
    free(stamps[0]);
    free(stamps[1]);
}

/* Returns the ticks per cycle in the block that ends with stamp @b. */
static double clock_of(const uint64_t *b)
{
    const uint64_t *a = b - STAMP_BYTES / 8;
    return ((uint32_t)a[2] - (uint32_t)a[1] + (uint32_t)b[2] - (uint32_t)b[1]) / 2.0 / STAMP_CYCLES;
}

bool replay_patch(struct placed *x, struct traced *t)
{
    struct rerun m = {.x = x, .slot = x->slots + (uint64_t)t->slot * SLOT_BYTES};
    const size_t words = STAMP_BYTES / 8;
    const uint32_t labels[2] = {x->copies->once, x->copies->twice};
    uint64_t *stamps[2] = {NULL, NULL};
    size_t counts[2] = {0, 0};
    pid_t tid = t->tid;

    for (int k = 0; k < 2 && t && (!k || counts[0]); k++) {
        struct copy_anchor pivot = {x->region->pivot, labels[k]};
        stamps[k] =
            run_anchored(&m, t, pivot, (uint64_t)ANCHORED_ITERATIONS, true, true, &counts[k]);
        t = process_tracee(x->process, tid);
    }
    size_t count = counts[0] < counts[1] ? counts[0] : counts[1];
    for (size_t i = count / 4 + 1; i < count; i++) {
        const uint64_t *a = stamps[0] + i * words, *b = stamps[1] + i * words;
        vec_push(&x->patches, ((double)(b[0] - (b - words)[2]) / clock_of(b) -
                               (double)(a[0] - (a - words)[2]) / clock_of(a)) /
                                  ANCHORED_ITERATIONS);
    }
    free(stamps[0]);
    free(stamps[1]);
    return count > 1;
}

/* Returns the mean of @count doubles that are @stride bytes apart. Sets *@off to twice the standard
 * error of the mean. */
static double mean_of(const double *first, size_t stride, size_t count, double *off)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < count; i++)
        sum += *(const double *)((const char *)first + i * stride);
    double mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        double d = *(const double *)((const char *)first + i * stride) - mean;
        squares += d * d;
    }
    *off = 2 * sqrt(squares / (double)(count - 1) / (double)count);
    return mean;
}

bool replay_sum(const struct replayed_all *r, struct split_replays *out, bool *leaves,
                const char **why)
{
    const struct replayed *all = r->list.items;
    size_t count = r->list.count, stride = sizeof *all;
    double edge = 0, ignored;

    *leaves = false;
    if (count < MOMENTS_LEAST) {
        *why = r->why ? r->why : "too few moments of the run could be replayed";
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        edge = fmax(edge, all[i].edge);
        *leaves |= all[i].leaves;
    }
    *out = (struct split_replays){.live = NAN};
    out->warm = mean_of(&all->warm, stride, count, &out->warm_off);
    out->trained = mean_of(&all->trained, stride, count, &out->trained_off);
    double before = mean_of(&all->before, stride, count, &ignored);
    if (out->warm_off > SPREAD_MOST * out->warm + edge)
        *why = "replays of different moments differ too much";
    else if (before - out->trained > FALLS_MOST * out->trained + edge)
        *why = "repeated iterations still get faster: the branch predictor has not adapted to them";
    else
        *why = NULL;
    out->warm_off += edge;
    out->trained_off += edge;
    return !*why;
}

void replayed_done(struct replayed_all *r)
{
    vec_done(&r->list);
}
#endif
