/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "model/start.h"
#include "measure/arch.h"
#include "measure/sandbox_process.h"

/* Wall-clock limit in seconds for an item of foreign code. An item usually takes a tenth of a
 * second. */
#define TASK_PATIENCE 0.6
/* Seconds without a run or a sleep after which the child for own code is assumed to be stopped or
 * starved */
#define BATCH_PATIENCE 10.0
/* maximum CPU seconds per batch; with this limit, the child ends even if the parent hangs */
#define SECONDS_A_BATCH 120
/* maximum number of consecutive children that end before their first message */
#define STILLBORN 3
#define CANARY_TOLERANCE 0.02
#define CANARY_PASSES 4
#define ROOM_LINKS 4

struct sandbox {
    uint8_t *area;          /* the child's executable mapping of the area */
    uint8_t *code;          /* the parent's writable mapping of the code */
    int code_file, page_file;
    size_t page_size;
    /* size of all code in bytes, and of the chains and probes, which remain */
    size_t used, fixed;
    struct sandbox_item *items;
    struct sandbox_batch *batch;    /* shared memory to which the child for own code writes */
    uint64_t *pages;        /* the parent's mapping of the memory that kernels access */
    struct sandbox_child plan;      /* data for each child at its start */
    struct sandbox_process own, foreign;
    struct sandbox_hello hello;     /* first message of the child for own code */
    uint32_t canary;        /* offset of the reference block's loop in the code area */
    struct window_rules rules;
    unsigned children, waits, reached;
    bool any_cpu;
    bool (*cancelled)(void *state);
    void *cancelled_state;
    /* start values and destination of the results of an item that runs for its results; otherwise
     * NULL */
    const struct sandbox_start *start;
    struct sandbox_state *after;
    /* the arena with its guard pages, which only children access; MAP_FAILED: none */
    uint8_t *arena;
    size_t arena_size;      /* size in bytes of the arena without guard pages */
    struct sandbox_fill fill;   /* part of the arena that the next task fills */
};

unsigned sandbox_setup(const struct body *body)
{
    return arch_setup(body);
}

static bool files_open(struct sandbox *s, struct err *err)
{
    s->code_file = memfd_create("portolan-code", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    s->page_file = memfd_create("portolan-page", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (s->code_file < 0 || s->page_file < 0 || ftruncate(s->code_file, AREA_CODE) < 0 ||
        ftruncate(s->page_file, (off_t)(SANDBOX_REAL_PAGES * s->page_size)) < 0)
        return err_set(err, ERR_IO, file_remedy(errno, NULL),
                       "cannot create memory for the code: %s", strerror(errno));
    return true;
}

/* Seals both files against resizing, and the code file against new writable mappings. Linux before
 * 5.1 lacks the second seal. Children close the code file. */
static void files_seal(const struct sandbox *s)
{
    int sizes = F_SEAL_SHRINK | F_SEAL_GROW;
    if (fcntl(s->code_file, F_ADD_SEALS, sizes | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) < 0)
        fcntl(s->code_file, F_ADD_SEALS, sizes | F_SEAL_SEAL);
    fcntl(s->page_file, F_ADD_SEALS, sizes | F_SEAL_SEAL);
}

static bool area_map(struct sandbox *s, struct err *err)
{
    s->area = mmap(NULL, AREA_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    s->code = mmap(NULL, AREA_CODE, PROT_READ | PROT_WRITE, MAP_SHARED, s->code_file, 0);
    s->batch =
        mmap(NULL, sizeof *s->batch, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    s->pages = mmap(NULL, SANDBOX_REAL_PAGES * s->page_size, PROT_READ | PROT_WRITE, MAP_SHARED,
                    s->page_file, 0);
    if (s->area == MAP_FAILED || s->code == MAP_FAILED || s->batch == MAP_FAILED ||
        s->pages == MAP_FAILED)
        return err_set(err, ERR_IO, "end other programs, or raise the limit shown by ulimit -v",
                       "cannot map the sandbox's memory: %s", strerror(errno));
    static const size_t parts[] = {AREA_LOCAL, AREA_LOADS, AREA_STORES, AREA_STACK};
    for (size_t i = 0; i < 4; i++) {
        size_t at = parts[i] + (parts[i] == AREA_STACK ? 0 : AREA_PAGES_AT),
               size = parts[i] == AREA_STACK ? AREA_STACK_SIZE : AREA_PAGES;
        if (mprotect(s->area + at, size, PROT_READ | PROT_WRITE) < 0)
            return err_set(err, ERR_IO, "end other programs, or raise the limit shown by ulimit -v",
                           "cannot map the sandbox's memory: %s", strerror(errno));
    }
    uint64_t *local = (uint64_t *)(s->area + AREA_LOCAL + AREA_PAGES_AT);
    for (size_t i = 0; i < AREA_PAGES / 8; i++)
        local[i] = START_MEMORY;
    files_seal(s);
    if (mprotect(local, AREA_PAGES, PROT_READ) < 0 ||
        mmap(s->area, AREA_CODE, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, s->code_file, 0) ==
            MAP_FAILED)
        return err_set(err, ERR_IO, "check whether this system forbids executable memory files",
                       "cannot map executable memory: %s", strerror(errno));
    return true;
}

static int cpu_choose(void)
{
    cpu_set_t cpus;
    int last = 0;
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
        for (int i = 0; i < CPU_SETSIZE; i++)
            if (CPU_ISSET((unsigned)i, &cpus))
                last = i;
    return last;
}

/* Starts a child for own or foreign code. If another process kills it before its first message,
 * starts a new one, at most STILLBORN in all. Returns false with err. */
static bool child_start(struct sandbox *s, bool foreign, struct err *err)
{
    struct sandbox_process *p = foreign ? &s->foreign : &s->own;
    struct sandbox_child given = s->plan;
    struct sandbox_hello hello;
    bool early = true, ok = false;

    given.foreign = foreign;
    given.batch = foreign ? NULL : s->batch;
    given.page = foreign ? s->page_file : -1;
    given.arena =
        foreign && s->arena != MAP_FAILED
            ? (struct sandbox_range){sandbox_arena_at(s), sandbox_arena_at(s) + s->arena_size}
            : (struct sandbox_range){0, 0};
    given.code_length = (uint32_t)s->used;
    for (unsigned i = 0; !ok && early && i < STILLBORN; i++)
        ok = sandbox_process_start(p, &given, &hello, &early, err);
    if (ok && !foreign) {
        s->hello = hello;
        s->children++;
    }
    return ok;
}

static size_t next_start(const struct sandbox *s)
{
    return (s->used + ARCH_BEGIN_LENGTH + 63) / 64 * 64;
}

uint32_t sandbox_next_offset(const struct sandbox *s)
{
    return (uint32_t)next_start(s);
}

uint32_t sandbox_data_offset(unsigned slot)
{
    return (uint32_t)(AREA_LOADS + AREA_PAGES_AT + 4096 + slot % 64 * 64);
}

bool sandbox_add(struct sandbox *s, const uint8_t *code, size_t length, unsigned copies,
                 unsigned counter, uint32_t *offset)
{
    size_t start = next_start(s), at = start;

    if (length * copies > ARCH_LOOP_LIMIT || length * copies + 128 > AREA_CODE - start)
        return false;
    arch_loop_begin(s->code, start - ARCH_BEGIN_LENGTH);
    for (unsigned i = 0; i < copies; i++, at += length)
        memcpy(s->code + at, code, length);
    s->used = at + arch_loop_end(s->code, start, at, counter);
    *offset = (uint32_t)start;
    return true;
}

void sandbox_set(struct sandbox *s, uint32_t offset, const void *data, size_t bytes)
{
    memcpy(s->code + offset, data, bytes);
}

const uint8_t *sandbox_code(const struct sandbox *s, uint32_t offset)
{
    return s->code + offset;
}

static uint32_t reference_add(struct sandbox *s, const struct arch_code *code, unsigned copies,
                              unsigned counter)
{
    uint32_t offset = 0;
    sandbox_add(s, code->bytes, code->length, copies, counter, &offset);
    return offset;
}

/* Adds the room probe: short chains of slow operations, separated by nops. Only a core with its
 * whole reorder buffer executes the next chain early enough. A second active thread of the core
 * halves the buffer, even while it waits for memory. Returns the probe's offset; 0: unavailable. */
static uint32_t room_add(struct sandbox *s)
{
    uint8_t code[SANDBOX_ROOM_LENGTH * 4];
    size_t at = 0;

    for (unsigned i = 0; i < SANDBOX_ROOM_LENGTH && arch_room_link.length; i++) {
        unsigned in_unit = i % (SANDBOX_ROOM_LENGTH / 2);
        const struct arch_code *next = in_unit == 0            ? &arch_room_begin
                                       : in_unit <= ROOM_LINKS ? &arch_room_link
                                                               : &arch_nop;
        memcpy(code + at, next->bytes, next->length);
        at += next->length;
    }
    uint32_t offset = 0;
    if (at)
        sandbox_add(s, code, at, 1, COUNTER_BODY, &offset);
    return offset;
}

static void references_add(struct sandbox *s)
{
    s->used = 0;
    s->plan.chain = reference_add(s, &arch_chain, SANDBOX_CHAIN_LENGTH, COUNTER_BODY);
    s->plan.second = reference_add(s, &arch_second_chain, SANDBOX_CHAIN_LENGTH, COUNTER_BODY);
    s->plan.probe = reference_add(s, &arch_nop, SANDBOX_PROBE_LENGTH, COUNTER_BODY);
    s->plan.ports = reference_add(s, &arch_ports, SANDBOX_PORTS_LENGTH / 6, COUNTER_BODY);
    s->plan.room = room_add(s);
    s->canary = reference_add(s, &arch_chain, SANDBOX_CHAIN_LENGTH, ARCH_CANARY_COUNTER);
    s->fixed = s->used;
}

struct sandbox *sandbox_new(int cpu, struct err *err)
{
    struct sandbox *s = mem_zero(1, sizeof *s);

    s->page_size = (size_t)sysconf(_SC_PAGESIZE);
    s->code_file = s->page_file = -1;
    s->area = s->code = MAP_FAILED;
    s->batch = MAP_FAILED;
    s->pages = MAP_FAILED;
    s->arena = MAP_FAILED;
    s->items = mem_zero(SANDBOX_ITEMS, sizeof *s->items);
    if (files_open(s, err) && area_map(s, err)) {
        s->plan = (struct sandbox_child){
            .area = s->area, .page_size = s->page_size, .cpu = cpu >= 0 ? cpu : cpu_choose()};
        s->any_cpu = cpu < 0;
        sandbox_process_image(&s->plan);
        references_add(s);
        if (child_start(s, false, err))
            return s;
    }
    sandbox_free(s);
    return NULL;
}

static void children_stop(struct sandbox *s)
{
    sandbox_process_stop(&s->own);
    sandbox_process_stop(&s->foreign);
}

static void arena_unmap(struct sandbox *s)
{
    if (s->arena != MAP_FAILED)
        munmap(s->arena, s->arena_size + 3 * SANDBOX_ARENA_GUARD);
    s->arena = MAP_FAILED;
    s->arena_size = 0;
}

uint64_t sandbox_arena_at(const struct sandbox *s)
{
    if (s->arena == MAP_FAILED)
        return 0;
    return ((uint64_t)(uintptr_t)s->arena + 2 * SANDBOX_ARENA_GUARD - 1) / SANDBOX_ARENA_GUARD *
           SANDBOX_ARENA_GUARD;
}

bool sandbox_arena(struct sandbox *s, size_t bytes, bool huge, struct err *err)
{
    sandbox_process_stop(&s->foreign);
    arena_unmap(s);
    if (!bytes)
        return true;
    s->arena_size = (bytes + SANDBOX_ARENA_GUARD - 1) / SANDBOX_ARENA_GUARD * SANDBOX_ARENA_GUARD;
    s->arena = mmap(NULL, s->arena_size + 3 * SANDBOX_ARENA_GUARD, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void *inside = s->arena == MAP_FAILED ? NULL : (void *)(uintptr_t)sandbox_arena_at(s);
    if (!inside || mprotect(inside, s->arena_size, PROT_READ | PROT_WRITE) < 0) {
        int error = errno;
        arena_unmap(s);
        return err_set(err, ERR_LIMIT, "use smaller arrays, or raise the limit shown by ulimit -v",
                       "cannot map %zu MiB for arrays: %s", bytes >> 20, strerror(error));
    }
    /* Ignores an error, because without such pages, sandbox_arena_huge returns less than 1. */
    madvise(inside, s->arena_size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return true;
}

uint64_t sandbox_turns(const struct sandbox *s)
{
    char path[64];
    unsigned long long turns = 0;

    if (!s->foreign.pid)
        return 0;
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)s->foreign.pid);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%*u %*u %llu", &turns) != 1)
        turns = 0;
    if (file)
        fclose(file);
    return turns;
}

double sandbox_arena_huge(const struct sandbox *s)
{
    char path[64], line[256];
    unsigned long begin, end, resident = 0, huge = 0, n;
    bool inside = false;

    if (!s->foreign.pid || s->arena == MAP_FAILED)
        return NAN;
    snprintf(path, sizeof path, "/proc/%d/smaps", (int)s->foreign.pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
            inside = begin <= sandbox_arena_at(s) && end > sandbox_arena_at(s);
        else if (inside && sscanf(line, "Rss: %lu", &n) == 1)
            resident += n;
        else if (inside && sscanf(line, "AnonHugePages: %lu", &n) == 1)
            huge += n;
    }
    if (file)
        fclose(file);
    return resident ? (double)huge / (double)resident : NAN;
}

void sandbox_free(struct sandbox *s)
{
    if (!s)
        return;
    children_stop(s);
    if (s->area != MAP_FAILED)
        munmap(s->area, AREA_SIZE);
    if (s->code != MAP_FAILED)
        munmap(s->code, AREA_CODE);
    if (s->batch != MAP_FAILED)
        munmap(s->batch, sizeof *s->batch);
    if (s->pages != MAP_FAILED)
        munmap(s->pages, SANDBOX_REAL_PAGES * s->page_size);
    arena_unmap(s);
    if (s->code_file >= 0)
        close(s->code_file);
    if (s->page_file >= 0)
        close(s->page_file);
    free(s->items);
    free(s);
}

void sandbox_cancel_by(struct sandbox *s, bool (*cancelled)(void *state), void *state)
{
    s->cancelled = cancelled;
    s->cancelled_state = state;
}

void sandbox_clear(struct sandbox *s)
{
    sandbox_process_stop(&s->foreign);
    /* Starts a new child under an older emulator, because the child would keep its translation of
     * the old code. */
    if (s->hello.unfiltered)
        sandbox_process_stop(&s->own);
    s->used = s->fixed;
}

void sandbox_renew(struct sandbox *s)
{
    children_stop(s);
    references_add(s);
}

struct sandbox_item *sandbox_items(struct sandbox *s)
{
    return s->items;
}

/* Runs items @begin to @end - 1, all own code, in one batch. If the child dies, only the running
 * item is lost. Returns false with err on failure or when cancelled. */
static bool batch_run(struct sandbox *s, unsigned begin, unsigned end,
                      const struct sandbox_watching *how, struct err *err)
{
    struct sandbox_batch *batch = s->batch;
    unsigned next = begin;

    for (unsigned i = begin; i < end; i++)
        batch->items[i] = s->items[i];
    batch->count = end;
    batch->code_length = (uint32_t)s->used;
    batch->stop = 0;
    while (next < end) {
        unsigned fault = FAULT_KILLED;
        char byte = 0;
        batch->current = next;
        if (!s->own.pid && !child_start(s, false, err))
            return false;
        sandbox_process_allow(&s->own, SECONDS_A_BATCH);
        sandbox_process_send(&s->own, &byte, 1);
        enum sandbox_watch ended = sandbox_process_wait(&s->own, how, &byte, 1, &fault);
        if (ended == WATCH_CANCELLED)
            return err_set(err, ERR_INTERRUPTED, NULL, "measuring was cancelled");
        unsigned at = batch->current, reached = ended == WATCH_DONE      ? end
                                                : at >= next && at < end ? at
                                                                         : next;
        for (; next < reached; next++)
            sandbox_answer_take(&s->items[next], &batch->items[next]);
        if (ended == WATCH_DIED && next < end) {
            sandbox_answer_fault(&s->items[next], fault);
            next++;
        }
    }
    return true;
}

/* Fills the pages of kernels with mappable addresses, because code may load pointers from the
 * pages. As operands, these values are harmless. Overwrites the results of the last run. */
static void pages_fill(const struct sandbox *s)
{
    for (size_t i = 0; i < SANDBOX_REAL_PAGES * s->page_size / 8; i++)
        s->pages[i] = s->start ? s->start->words[i % SANDBOX_WORDS] : START_MEMORY;
}

static bool task_run(struct sandbox *s, struct sandbox_item *item,
                     const struct sandbox_watching *how, struct err *err)
{
    struct sandbox_task task;
    struct sandbox_report answer;
    unsigned fault = FAULT_KILLED;

    memset(&task, 0, sizeof task);
    if (s->start)
        task.start = *s->start;
    task.fill = s->fill;
    task.rules = s->rules;
    task.item = *item;
    task.least = sandbox_to_beat(item);
    /* Runs each experiment in a new process, so that no experiment affects the next one. */
    if (!item->kernel && !item->rivals)
        sandbox_process_stop(&s->foreign);
    if (!s->foreign.pid && !child_start(s, true, err))
        return false;
    pages_fill(s);
    sandbox_process_send(&s->foreign, &task, sizeof task);
    switch (sandbox_process_wait(&s->foreign, how, &answer, sizeof answer, &fault)) {
    case WATCH_CANCELLED:
        return err_set(err, ERR_INTERRUPTED, NULL, "measuring was cancelled");
    case WATCH_DIED:
        sandbox_answer_fault(item, fault);
        return true;
    default:
        sandbox_answer_take(item, &answer.item);
        if (s->after)
            *s->after = answer.state;
        s->reached += item->fault == FAULT_RESERVED;
        if (item->fault == FAULT_ANSWER)
            sandbox_process_stop(&s->foreign);
        return true;
    }
}

static bool is_foreign(const struct sandbox_item *item)
{
    return item->kernel || item->foreign;
}

bool sandbox_run(struct sandbox *s, unsigned count, const struct window_rules *rules,
                 bool (*cancelled)(void *state), void *state, struct err *err)
{
    struct sandbox_watching how = {.cancelled = cancelled ? cancelled : s->cancelled,
                                   .state = cancelled ? state : s->cancelled_state,
                                   .waits = &s->waits};

    if (rules)
        s->rules = s->batch->rules = *rules;
    for (unsigned i = 0; i < count; i++)
        sandbox_answer_clear(&s->items[i]);
    for (unsigned next = 0, end; next < count; next = end) {
        bool foreign = is_foreign(&s->items[next]), ok;
        /* Polls here, because most runs end before the wait for the child polls for the first
         * time. */
        if (how.cancelled && how.cancelled(how.state))
            return err_set(err, ERR_INTERRUPTED, NULL, "measuring was cancelled");
        for (end = next + 1; !foreign && end < count && !is_foreign(&s->items[end]);)
            end++;
        how.batch = foreign ? NULL : s->batch;
        how.patience = foreign ? TASK_PATIENCE : BATCH_PATIENCE;
        ok = foreign ? task_run(s, &s->items[next], &how, err) : batch_run(s, next, end, &how, err);
        if (!ok)
            return false;
    }
    return true;
}

bool sandbox_has_states(void)
{
    return arch_has_states();
}

/* Returns the output of the generator SplitMix64 (Steele, Lea and Flood 2014) for state @x. */
static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* Returns a checksum of the changed words of the mapped pages. It depends on addresses and values,
 * but not on the order of the words or on their file offset. */
static uint64_t memory_sum(const struct sandbox *s, const struct sandbox_start *start,
                           const uint64_t addresses[SANDBOX_REAL_PAGES])
{
    const size_t words = s->page_size / 8;
    uint64_t sum = 0;

    for (size_t page = 0; page < SANDBOX_REAL_PAGES && addresses[page]; page++)
        for (size_t i = 0; i < words; i++) {
            const uint64_t word = s->pages[page * words + i];
            if (word != start->words[(page * words + i) % SANDBOX_WORDS])
                sum += mixed(mixed(addresses[page] + 8 * i) ^ word);
        }
    return sum;
}

bool sandbox_run_states(struct sandbox *s, uint32_t offset, unsigned vectors,
                        const struct sandbox_start *start, struct sandbox_state *after,
                        uint64_t *memory, unsigned *fault, struct err *err)
{
    struct sandbox_item *item = &s->items[0];

    if (!arch_has_states())
        return err_set(err, ERR_MISSING, NULL,
                       "registers cannot be read on this kind of processor");
    *item = (struct sandbox_item){.mode = SANDBOX_STATES,
                                  .code = PULSE_ITEM,
                                  .offset = offset,
                                  .kernel = true,
                                  .counter = COUNTER_MEMORY,
                                  .vectors = vectors,
                                  .count = 1};
    memcpy(item->general, start->general, sizeof item->general);
    s->start = start;
    s->after = after;
    bool ok = sandbox_run(s, 1, NULL, NULL, NULL, err);
    s->start = NULL;
    s->after = NULL;
    if (!ok)
        return false;
    *fault = item->fault                        ? item->fault
             : item->pages > SANDBOX_REAL_PAGES ? (unsigned)FAULT_PAGES
                                                : (unsigned)FAULT_NONE;
    *memory = *fault ? 0 : memory_sum(s, start, after->pages);
    return true;
}

bool sandbox_fill(struct sandbox *s, const struct sandbox_fill *fill, struct err *err)
{
    struct sandbox_item *item = &s->items[0];

    *item = (struct sandbox_item){.mode = SANDBOX_FILL, .code = PULSE_ITEM, .kernel = true};
    s->fill = *fill;
    if (!sandbox_run(s, 1, NULL, NULL, NULL, err))
        return false;
    if (item->fault == FAULT_STARVED || item->fault == FAULT_ENDLESS)
        return err_set(err, ERR_LIMIT, "repeat the command when the computer is idle",
                       "filling memory took too long");
    return !item->fault ||
           err_set(err, ERR_LIMIT, "ulimit -v and ulimit -t show the limits of a process",
                   "the process that fills memory was killed: %s", sandbox_fault_text(item->fault));
}

bool sandbox_canary(struct sandbox *s, const struct window_rules *rules, bool *off, double *cycles,
                    struct err *err)
{
    struct sandbox_item *item = &s->items[0];

    *item = (struct sandbox_item){.code = PULSE_ITEM,
                                  .offset = s->canary,
                                  .kernel = true,
                                  .counter = ARCH_CANARY_COUNTER,
                                  .difference = true,
                                  .vectors = arch_setup(&(struct body){.vectors = BODY_SSE}),
                                  .passes = CANARY_PASSES};
    for (unsigned i = 0; i < 32; i++)
        item->general[i] = start_address(i);
    if (!sandbox_run(s, 1, rules, NULL, NULL, err))
        return false;
    *cycles = item->result.cycles / SANDBOX_CHAIN_LENGTH;
    bool settled = !item->fault && item->result.state == WINDOW_SETTLED;
    *off = (item->fault && item->fault != FAULT_KILLED && item->fault != FAULT_STARVED) ||
           (settled && !(fabs(*cycles - 1) <= CANARY_TOLERANCE));
    return true;
}

int sandbox_cpu(const struct sandbox *s)
{
    return s->plan.cpu;
}

bool sandbox_any_cpu(const struct sandbox *s)
{
    return s->any_cpu;
}

void sandbox_move(struct sandbox *s, int cpu)
{
    const struct sandbox_process *const children[] = {&s->own, &s->foreign};
    cpu_set_t one;

    if (cpu == s->plan.cpu || cpu < 0 || cpu >= CPU_SETSIZE)
        return;
    CPU_ZERO(&one);
    CPU_SET((unsigned)cpu, &one);
    for (size_t i = 0; i < sizeof children / sizeof *children; i++)
        if (children[i]->pid > 0 && sched_setaffinity(children[i]->pid, sizeof one, &one) != 0)
            return;
    s->plan.cpu = cpu;
}

bool sandbox_has_room(const struct sandbox *s)
{
    return s->plan.room != 0;
}

bool sandbox_has_counter(const struct sandbox *s)
{
    return s->hello.has_counter;
}

unsigned sandbox_waits(const struct sandbox *s)
{
    return s->waits;
}

unsigned sandbox_reached(const struct sandbox *s)
{
    return s->reached;
}

bool sandbox_unfiltered(const struct sandbox *s)
{
    return s->hello.unfiltered;
}

unsigned sandbox_children(const struct sandbox *s)
{
    return s->children;
}

int sandbox_pid(const struct sandbox *s, bool foreign)
{
    return foreign ? s->foreign.pid : s->own.pid;
}
