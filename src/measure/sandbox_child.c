/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/sandbox_child.h"
#include "model/start.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "measure/arch.h"
#include "measure/bare.h"
#include "measure/ring.h"
#include "measure/ticks.h"

/* Distance in cache lines between successive load places. The distance is odd, so all places are
 * visited if their number is a power of two. */
#define PLACE_STEP 13
/* Nanoseconds of a sleep while the core is busy. Longer sleeps would miss short idle moments next
 * to a busy neighbour. */
#define REST_NANOSECONDS 150000
/* patience of a batch, as a multiple of the patience of one wait */
#define BATCH_WAITS 10
/* initial value of memory; no byte is 0, because code may divide by the value */
#define VALUE_PATTERN 0x3ff41f253f841f25

static BARE long call(long number, long a, long b, long c, long d, long e, long f)
{
    return sandbox_syscall(number, a, b, c, d, e, f);
}

static BARE struct sandbox_vault *vault(void)
{
    return (struct sandbox_vault *)arch_frame();
}

static BARE void leave(int status)
{
    for (;;)
        call(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

/* Maps the page of a faulting access. Returns whether the instruction can be retried. Otherwise
 * sets *@fault. */
static BARE bool map_on_demand(struct sandbox_vault *v, const siginfo_t *info, unsigned *fault)
{
    uint64_t size = v->given.page_size, address = (uint64_t)info->si_addr & ~(size - 1);

    if ((info->si_code == SEGV_MAPERR && address >= v->kept.begin && address < v->kept.end) ||
        (address >= v->all.begin && address < v->all.end)) {
        *fault = FAULT_RESERVED;
        return false;
    }
    if (info->si_code != SEGV_MAPERR || address < 65536 || address >> 47) {
        *fault = info->si_code == SEGV_ACCERR   ? FAULT_SEGMENT
                 : info->si_code == SEGV_MAPERR ? FAULT_ADDRESS
                                                : FAULT_PROTECTION;
        return false;
    }
    if (v->page_count == SANDBOX_PAGES) {
        *fault = FAULT_PAGES;
        return false;
    }
    long got = call(SYS_mmap, (long)address, (long)size, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_FIXED_NOREPLACE, v->given.page,
                    (long)(v->page_count % SANDBOX_REAL_PAGES * size));
    if (got != (long)address) {
        *fault = FAULT_ADDRESS;
        return false;
    }
    v->pages[v->page_count++] = address;
    return true;
}

static BARE void on_signal(int number, void *information, void *context)
{
    const siginfo_t *info = information;
    struct sandbox_vault *v = vault();
    unsigned fault;

    if (!v->inside) {
        if (number == SIGALRM)
            return;
        leave(70);
    }
    switch (number) {
    case SIGILL: fault = FAULT_ILLEGAL; break;
    case SIGFPE: fault = FAULT_ARITHMETIC; break;
    case SIGBUS: fault = FAULT_BUS; break;
    case SIGTRAP: fault = FAULT_TRAP; break;
    case SIGALRM: fault = FAULT_ENDLESS; break;
    default: fault = info->si_code == SI_KERNEL ? FAULT_PROTECTION : FAULT_SEGMENT; break;
    }
    v->fault_address = number == SIGALRM || fault == FAULT_PROTECTION ? 0 : (uint64_t)info->si_addr;
    v->fault_code = number == SIGALRM ? 0 : arch_fault_code(context);
    if (number == SIGSEGV && v->item && v->item->kernel && v->given.foreign &&
        map_on_demand(v, info, &fault))
        return;
    v->inside = false;
    sandbox_escape(fault);
}

static BARE uint64_t pulse_now(void *self)
{
    (void)self;
    return ticks_now();
}

static BARE void beat(struct sandbox_vault *v)
{
    if (!v->given.foreign)
        v->given.batch->heartbeat++;
}

static BARE void pulse_rest(void *self)
{
    struct timespec moment = {.tv_nsec = REST_NANOSECONDS};
    call(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
    beat(self);
}

/* Fills vector registers with values near 1 as doubles and floats, different in each register. If
 * @plain is true, fills them with 0 for use as indices. */
static BARE void values_fill(struct sandbox_vault *v, bool plain)
{
    if (v->valued && v->plain == plain)
        return;
    v->valued = true;
    v->plain = plain;
    for (unsigned i = 0; i < sizeof v->frame.values / sizeof *v->frame.values; i++)
        v->frame.values[i] = plain ? 0 : VALUE_PATTERN + (uint64_t)i * 0x0000010000000100;
}

/* Sets the vector registers to the task's start values, for code that is run for its results and
 * not for its time. */
static BARE void start_fill(struct sandbox_vault *v)
{
    v->valued = false;
    for (unsigned i = 0; i < SANDBOX_WORDS; i++)
        ((volatile uint64_t *)v->frame.values)[i] = v->task.start.vectors[i];
}

static BARE void frame_fill(struct sandbox_vault *v, enum pulse_code code, uint64_t warm,
                            uint64_t count)
{
    const struct sandbox_child *given = &v->given;
    const struct sandbox_item *item = v->item;
    struct sandbox_frame *f = &v->frame;
    bool own = code == PULSE_ITEM && item->kernel;
    uint32_t offset = code == PULSE_CHAIN          ? given->chain
                      : code == PULSE_SECOND_CHAIN ? given->second
                      : code == PULSE_PROBE        ? given->probe
                      : code == PULSE_PORTS        ? given->ports
                      : code == PULSE_ROOM         ? given->room
                                                   : item->offset;

    f->target = (uint64_t)(given->area + offset % AREA_CODE - ARCH_BEGIN_LENGTH);
    f->warm = warm;
    f->count = count;
    f->vectors = code == PULSE_ITEM ? item->vectors : arch_setup_plain(f);
    f->counter_register =
        own ? (item->counter >= COUNTER_REGISTER ? item->counter - COUNTER_REGISTER : 0)
            : ARCH_COUNTER;
    f->passes = own && item->passes ? item->passes : 1;
    f->keeps = own && item->mode == SANDBOX_STATES;
    if (f->keeps)
        start_fill(v);
    else
        values_fill(v, own && item->plain_values);
    if (!own) {
        bool moves = code == PULSE_ITEM && item->load_places;
        arch_frame_fill(f, given->area,
                        moves ? 64 * (v->runs++ * PLACE_STEP % item->load_places) : 0);
        return;
    }
    arch_frame_kernel(f);
    for (unsigned i = 0; i < 32; i++)
        f->general[i] = item->general[i];
}

static BARE uint64_t pulse_run(void *self, enum pulse_code code, uint64_t warm, uint64_t count,
                               unsigned *fault)
{
    struct sandbox_vault *v = self;
    struct sandbox_frame *f = &v->frame;

    frame_fill(v, code, warm, count);
    beat(v);
    f->start = f->end = 0;
    v->inside = true;
    *fault = sandbox_enter(f);
    v->inside = false;
    if (*fault)
        return 0;
    return f->end > f->start ? f->end - f->start : 1;
}

static BARE uint64_t counter_read(const struct sandbox_vault *v)
{
    uint64_t value = 0;
    call(SYS_read, v->counter, (long)&value, sizeof value, 0, 0, 0);
    return value;
}

/* Measures cycles per iteration with the hardware counter. The difference of two loop counts
 * cancels the overhead. Returns NaN after a fault. */
static BARE double by_counter(struct sandbox_vault *v, const struct sandbox_item *item,
                              double cycles)
{
    uint64_t count = item->count                    ? item->count
                     : cycles > 0 && cycles < 30000 ? (uint64_t)(60000 / cycles) + 2
                                                    : 2;
    double best[2] = {INFINITY, INFINITY};
    unsigned fault;

    for (unsigned i = 0; i < 6; i++) {
        uint64_t before = counter_read(v);
        if (!pulse_run(v, PULSE_ITEM, 0, i % 2 ? count : count / 2, &fault))
            return NAN;
        double cost = (double)(counter_read(v) - before);
        best[i % 2] = cost < best[i % 2] ? cost : best[i % 2];
    }
    return (best[1] - best[0]) / (double)(count - count / 2) / (item->passes ? item->passes : 1);
}

BARE double sandbox_to_beat(const struct sandbox_item *item)
{
    double least = INFINITY;

    for (unsigned i = 1; i <= item->rivals; i++) {
        const struct sandbox_item *rival = item - i;
        double each = rival->result.cycles / rival->executions;
        if (rival->result.state == WINDOW_SETTLED && each > 0 && each < least)
            least = each;
    }
    return least * item->executions;
}

static BARE void item_run(struct sandbox_vault *v, struct sandbox_item *item,
                          const struct window_rules *rules, double least, struct window_wait *wait)
{
    const struct pulse pulse = {pulse_run, pulse_now, pulse_rest, v};

    v->item = item;
    v->fault_address = v->fault_code = 0;
    if (item->mode == SANDBOX_STATES) {
        pulse_run(v, PULSE_ITEM, 0, 1, &item->fault);
    } else if (item->mode == SANDBOX_RAW_TICKS) {
        for (unsigned i = 0; i < item->samples && i < SANDBOX_RAW && !item->fault; i++)
            item->ticks[i] = pulse_run(v, item->code, item->warm, item->count, &item->fault);
    } else {
        if (item->worth > 0 && !(least <= item->worth))
            window_not_run(&item->result);
        else
            window_measure(&pulse, rules, wait, item->difference, item->count, least,
                           &item->result);
        item->result.cycles /= item->passes ? item->passes : 1;
        for (unsigned i = 0; i < WINDOW_VALUES; i++)
            item->result.values[i] /= (float)(item->passes ? item->passes : 1);
        item->fault = item->result.state == WINDOW_FAULT ? item->result.fault : FAULT_NONE;
        if (v->counter >= 0 && !item->fault && item->result.state != WINDOW_BEATEN)
            item->counter_cycles = by_counter(v, item, item->result.cycles);
    }
    item->fault_address = v->fault_address;
    uint64_t offset = v->fault_code - (uint64_t)v->given.area;
    item->fault_offset = offset < AREA_CODE ? (uint32_t)offset : SANDBOX_NO_OFFSET;
    item->pages = v->page_count;
    for (unsigned i = 0; i < SANDBOX_REAL_PAGES; i++)
        v->frame.state.pages[i] = i < v->page_count ? v->pages[i] : 0;
    for (unsigned i = 0; i < v->page_count; i++)
        call(SYS_munmap, (long)v->pages[i], (long)v->given.page_size, 0, 0, 0, 0);
    v->page_count = 0;
    v->item = NULL;
    item->done = true;
}

/* Resets the memory of bodies. Resets the stack only if @stack is true, because bodies do not
 * change the stack. */
static BARE void memory_fill(const struct sandbox_vault *v, bool stack)
{
    static const size_t parts[] = {AREA_LOADS + AREA_PAGES_AT, AREA_STORES + AREA_PAGES_AT,
                                   AREA_STACK},
                        sizes[] = {AREA_PAGES, AREA_PAGES, AREA_STACK_SIZE};
    for (unsigned part = 0; part < (stack ? 3 : 2); part++) {
        volatile uint64_t *words = (volatile uint64_t *)(v->given.area + parts[part]);
        for (size_t i = 0; i < sizes[part] / 8; i++)
            words[i] = part == 2 ? 0 : VALUE_PATTERN;
    }
}

/* Returns a random number below @range. */
static BARE uint64_t below(uint64_t *state, uint64_t range)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (*state >> 32) * (range & UINT32_MAX) >> 32;
}

/* Fills part of the arena as the parent requests. Ignores addresses outside the arena. */
static BARE void arena_fill(const struct sandbox_vault *v, const struct sandbox_fill *f)
{
    uint64_t size = v->given.arena.end - v->given.arena.begin, begin = v->given.arena.begin + f->at,
             state = 0x9e3779b97f4a7c15 + f->at;

    if (f->at > size || f->bytes > size - f->at)
        return;
    if (f->kind == SANDBOX_FILL_NOTHING) {
        for (uint64_t at = 0; at < f->bytes; at += 64)
            (void)*(volatile uint64_t *)(begin + at);
    } else if (f->kind == SANDBOX_FILL_VALUE) {
        for (uint64_t at = 0; at + 8 <= f->bytes; at += 8)
            *(volatile uint64_t *)(begin + at) = f->value;
    } else if (f->kind == SANDBOX_FILL_INDICES) {
        for (uint64_t at = 0; at + f->unit <= f->bytes; at += f->unit) {
            const uint64_t below_all = below(&state, f->value),
                           number = f->value ? below_all : state;
            if (f->unit == 8)
                *(volatile uint64_t *)(begin + at) = number;
            else if (f->unit == 4)
                *(volatile uint32_t *)(begin + at) = (uint32_t)number;
            else if (f->unit == 2)
                *(volatile uint16_t *)(begin + at) = (uint16_t)number;
            else
                *(volatile uint8_t *)(begin + at) = (uint8_t)number;
        }
    } else {
        for (uint64_t at = 0; at + f->unit <= f->bytes; at += f->unit)
            *(volatile uint64_t *)(begin + at + f->link) =
                v->given.arena.begin + f->ring +
                ring_next((f->at - f->ring + at) / f->unit, f->places) * f->unit;
    }
}

static BARE struct window_wait wait_begin(struct sandbox_vault *v, double ticks)
{
    const struct pulse pulse = {pulse_run, pulse_now, pulse_rest, v};
    return window_wait_begin(&pulse, ticks);
}

/* Runs batches of own code until the parent closes the link. */
static BARE void batches_serve(struct sandbox_vault *v)
{
    struct sandbox_batch *batch = v->given.batch;
    char byte = 0;

    memory_fill(v, true);
    while (call(SYS_read, v->given.link, (long)&byte, 1, 0, 0, 0) == 1) {
        struct window_wait wait = wait_begin(v, BATCH_WAITS * batch->rules.patience);
        arch_code_changed(v->given.area, batch->code_length);
        for (uint32_t i = batch->current; i < batch->count && i < SANDBOX_ITEMS && !batch->stop;
             i++) {
            batch->current = i;
            memory_fill(v, false);
            item_run(v, &batch->items[i], &batch->rules, sandbox_to_beat(&batch->items[i]), &wait);
        }
        batch->current = batch->count;
        call(SYS_write, v->given.link, (long)&byte, 1, 0, 0, 0);
    }
}

static BARE void report_fill(struct sandbox_vault *v)
{
    const unsigned char *from[] = {(const unsigned char *)&v->task.item,
                                   (const unsigned char *)&v->frame.state};
    unsigned char *to[] = {(unsigned char *)&v->report.item, (unsigned char *)&v->report.state};
    const size_t sizes[] = {sizeof v->report.item, sizeof v->report.state};

    for (unsigned part = 0; part < 2; part++)
        for (size_t i = 0; i < sizes[part]; i++)
            ((volatile unsigned char *)to[part])[i] = from[part][i];
}

/* Runs tasks of foreign code. Before each task, resets all memory that foreign code can write. The
 * results are not part of this memory. */
static BARE void tasks_serve(struct sandbox_vault *v)
{
    struct sandbox_task *task = &v->task;

    while (call(SYS_read, v->given.link, (long)task, sizeof *task, 0, 0, 0) == sizeof *task) {
        if (task->item.mode == SANDBOX_FILL) {
            arena_fill(v, &task->fill);
            task->item.done = true;
        } else {
            memory_fill(v, true);
            struct window_wait wait = wait_begin(v, task->rules.patience);
            item_run(v, &task->item, &task->rules, task->least, &wait);
        }
        report_fill(v);
        call(SYS_write, v->given.link, (long)&v->report, sizeof v->report, 0, 0, 0);
    }
}

static BARE void serve(void *given)
{
    struct sandbox_vault *v = given;

    v->hello.stage = sandbox_close_finish(v, on_signal);
    values_fill(v, false);
    call(SYS_write, v->given.link, (long)&v->hello, sizeof v->hello, 0, 0, 0);
    if (v->hello.stage != STAGE_READY)
        leave(72);
    if (v->given.foreign)
        tasks_serve(v);
    else
        batches_serve(v);
    leave(0);
}

void sandbox_child_main(const struct sandbox_child *given)
{
    enum sandbox_stage failed;

    /* This call must precede the protection of variables, because the compiler's library may store
     * cache parameters in a variable. */
    arch_code_changed(given->area, given->code_length);
    struct sandbox_vault *v = sandbox_close_begin(given, &failed);

    if (!v) {
        const struct sandbox_hello hello = {.stage = failed, .error = errno};
        send(given->link, &hello, sizeof hello, MSG_NOSIGNAL);
        _exit(71);
    }
    arch_frame_begin(&v->frame);
    arch_continue(sandbox_vault_stack(v), serve, v);
}
