/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/sandbox.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "measure/arch.h"

#define ENDLESS_SECONDS 0.3      /* of processor time in one run */
#define SIGNAL_STACK 65536
#define CPU_SECONDS_A_BATCH 120  /* if the parent itself hangs */

struct sandbox {
    uint8_t *area;          /* the child's view; the code part is executable there */
    uint8_t *code;          /* ours, writable */
    int code_file, page_file;
    size_t page_size;
    size_t used, fixed;     /* bytes of code: all, and what stays between batches */
    struct sandbox_batch *batch;
    void *pages;            /* memory that kernels find, seen from outside */
    void *signal_stack;
    int cpu;
    pid_t pid;              /* 0: none runs */
    int link;               /* our end */
    unsigned children;
};

const char *sandbox_fault_text(unsigned fault)
{
    static const char *const texts[] = {
        "no fault", "SIGILL: not executed by this CPU", "SIGFPE: division fault", "SIGSEGV: memory it must not touch", "SIGBUS: misplaced access", "SIGTRAP",
        "endless: stopped by the watch", "a system call was tried", "its process was killed", "an address that cannot be mapped", "it touches too many pages",
    };
    return fault < sizeof texts / sizeof *texts ? texts[fault] : "unknown fault";
}

unsigned sandbox_setup(const struct body *body)
{
    return arch_setup(body);
}

static bool files_open(struct sandbox *s, struct err *err)
{
    s->code_file = memfd_create("portolan-code", MFD_CLOEXEC);
    s->page_file = memfd_create("portolan-page", MFD_CLOEXEC);
    if (s->code_file < 0 || s->page_file < 0 || ftruncate(s->code_file, AREA_CODE) < 0 || ftruncate(s->page_file, (off_t)(SANDBOX_REAL_PAGES * s->page_size)) < 0)
        return err_set(err, ERR_IO, NULL, "no memory file for the code: %s", strerror(errno));
    return true;
}

static bool area_map(struct sandbox *s, struct err *err)
{
    s->area = mmap(NULL, AREA_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    s->code = mmap(NULL, AREA_CODE, PROT_READ | PROT_WRITE, MAP_SHARED, s->code_file, 0);
    s->batch = mmap(NULL, sizeof *s->batch, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    s->pages = mmap(NULL, SANDBOX_REAL_PAGES * s->page_size, PROT_READ | PROT_WRITE, MAP_SHARED, s->page_file, 0);
    s->signal_stack = mmap(NULL, SIGNAL_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (s->area == MAP_FAILED || s->code == MAP_FAILED || s->batch == MAP_FAILED || s->pages == MAP_FAILED || s->signal_stack == MAP_FAILED)
        return err_set(err, ERR_IO, NULL, "no memory for the sandbox: %s", strerror(errno));
    static const size_t parts[] = {AREA_FRAME, AREA_LOADS, AREA_STORES, AREA_STACK};
    for (size_t i = 0; i < 4; i++) {
        size_t at = parts[i] + (parts[i] == AREA_STACK ? 0 : AREA_PAGES_AT), size = parts[i] == AREA_STACK ? AREA_STACK_SIZE : AREA_PAGES;
        if (mprotect(s->area + at, size, PROT_READ | PROT_WRITE) < 0)
            return err_set(err, ERR_IO, NULL, "no memory for the sandbox: %s", strerror(errno));
    }
    if (mmap(s->area, AREA_CODE, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, s->code_file, 0) == MAP_FAILED)
        return err_set(err, ERR_IO, "is running code from memory files forbidden here?", "no executable memory: %s", strerror(errno));
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

static void child_stop(struct sandbox *s)
{
    if (!s->pid)
        return;
    kill(s->pid, SIGKILL);
    while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    close(s->link);
    s->pid = 0;
}

static bool child_start(struct sandbox *s, struct err *err)
{
    int link[2];

    /* A socket, since writing to one whose reader died need not raise a signal. */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, link) < 0)
        return err_set(err, ERR_IO, NULL, "no link to the sandbox: %s", strerror(errno));
    struct sandbox_child child = {s->batch, s->area, s->pages, link[1], s->page_file, s->page_size, s->cpu, getpid(), s->signal_stack, SIGNAL_STACK};
    s->batch->ready = 0;
    pid_t pid = fork();
    if (pid == 0)
        sandbox_child_main(&child);
    close(link[1]);
    if (pid < 0) {
        close(link[0]);
        return err_set(err, ERR_LIMIT, NULL, "no process for the sandbox: %s", strerror(errno));
    }
    s->pid = pid;
    s->link = link[0];
    s->children++;
    return true;
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

bool sandbox_add(struct sandbox *s, const uint8_t *code, size_t length, unsigned copies, unsigned counter, uint32_t *offset)
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

const uint8_t *sandbox_code(const struct sandbox *s, uint32_t offset)
{
    return s->code + offset;
}

static uint32_t reference_add(struct sandbox *s, const struct arch_code *code, unsigned copies)
{
    uint32_t offset = 0;
    sandbox_add(s, code->bytes, code->length, copies, COUNTER_BODY, &offset);
    return offset;
}

static void references_add(struct sandbox *s)
{
    s->batch->chain = reference_add(s, &arch_chain, SANDBOX_CHAIN_LENGTH);
    s->batch->second = reference_add(s, &arch_second_chain, SANDBOX_CHAIN_LENGTH);
    s->batch->probe = reference_add(s, &arch_nop, SANDBOX_PROBE_LENGTH);
    s->fixed = s->used;
}

struct sandbox *sandbox_new(int cpu, struct err *err)
{
    struct sandbox *s = mem_zero(1, sizeof *s);

    s->page_size = (size_t)sysconf(_SC_PAGESIZE);
    s->code_file = s->page_file = -1;
    s->area = s->code = s->signal_stack = MAP_FAILED;
    s->batch = MAP_FAILED;
    s->pages = MAP_FAILED;
    s->cpu = cpu >= 0 ? cpu : cpu_choose();
    if (!files_open(s, err) || !area_map(s, err)) {
        sandbox_free(s);
        return NULL;
    }
    references_add(s);
    if (!child_start(s, err)) {
        sandbox_free(s);
        return NULL;
    }
    return s;
}

void sandbox_free(struct sandbox *s)
{
    if (!s)
        return;
    child_stop(s);
    if (s->area != MAP_FAILED)
        munmap(s->area, AREA_SIZE);
    if (s->code != MAP_FAILED)
        munmap(s->code, AREA_CODE);
    if (s->batch != MAP_FAILED)
        munmap(s->batch, sizeof *s->batch);
    if (s->pages != MAP_FAILED)
        munmap(s->pages, SANDBOX_REAL_PAGES * s->page_size);
    if (s->signal_stack != MAP_FAILED)
        munmap(s->signal_stack, SIGNAL_STACK);
    if (s->code_file >= 0)
        close(s->code_file);
    if (s->page_file >= 0)
        close(s->page_file);
    free(s);
}

void sandbox_clear(struct sandbox *s)
{
    /* Older emulators go on with what they translated: a new child has translated nothing. */
    if (s->batch->unfiltered)
        child_stop(s);
    s->used = s->fixed;
}

struct sandbox_item *sandbox_items(struct sandbox *s)
{
    return s->batch->items;
}

static double processor_seconds(pid_t pid)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) < 0)
        return 0;
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* What became of the child when its end of the pipe closed. */
static unsigned death(struct sandbox *s)
{
    int status = 0;
    while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
        ;
    close(s->link);
    s->pid = 0;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS ? FAULT_SYSTEM_CALL : FAULT_KILLED;
}

enum watch { WATCH_DONE, WATCH_DIED, WATCH_CANCELLED };

/* Waits for the batch's end. A run that uses processor time without an end is told to stop, then killed. */
static enum watch batch_watch(struct sandbox *s, bool (*cancelled)(void *state), void *state, unsigned *fault)
{
    uint64_t beat = s->batch->heartbeat;
    double since = processor_seconds(s->pid);
    bool asked = false;

    for (;;) {
        struct pollfd fd = {.fd = s->link, .events = POLLIN};
        char byte;
        int got = poll(&fd, 1, 100);
        if (got > 0 && fd.revents & POLLIN && read(s->link, &byte, 1) == 1)
            return s->batch->stop ? WATCH_CANCELLED : WATCH_DONE;
        if (got > 0) {
            *fault = death(s);
            return WATCH_DIED;
        }
        if (cancelled && cancelled(state))
            s->batch->stop = 1;
        double now = processor_seconds(s->pid);
        if (s->batch->heartbeat != beat) {
            beat = s->batch->heartbeat;
            since = now;
            asked = false;
        } else if (now - since > 2 * ENDLESS_SECONDS) {
            kill(s->pid, SIGKILL);
            death(s);
            *fault = FAULT_ENDLESS;
            return WATCH_DIED;
        } else if (now - since > ENDLESS_SECONDS && !asked) {
            kill(s->pid, SIGALRM);
            asked = true;
        }
    }
}

static bool batch_start(struct sandbox *s, struct err *err)
{
    if (!s->pid && !child_start(s, err))
        return false;
    rlim_t used = (rlim_t)processor_seconds(s->pid);
    struct rlimit limit = {used + CPU_SECONDS_A_BATCH, used + CPU_SECONDS_A_BATCH};
    prlimit(s->pid, RLIMIT_CPU, &limit, NULL);
    return true;
}

bool sandbox_run(struct sandbox *s, unsigned count, const struct window_rules *rules, bool (*cancelled)(void *state), void *state, struct err *err)
{
    struct sandbox_batch *batch = s->batch;
    unsigned stillborn = 0;

    if (rules)
        batch->rules = *rules;
    for (unsigned i = 0; i < count; i++) {
        batch->items[i].done = false;
        batch->items[i].fault = FAULT_NONE;
        batch->items[i].counter_cycles = NAN;
        batch->items[i].result = (struct window_result){.state = WINDOW_UNSETTLED, .cycles = NAN, .spread = NAN};
    }
    batch->count = count;
    batch->code_length = (uint32_t)s->used;
    batch->current = 0;
    batch->stop = 0;
    for (;;) {
        unsigned fault = FAULT_KILLED;
        if (!batch_start(s, err))
            return false;
        /* Whether a child that has just died could read it is for the watch to find out. */
        send(s->link, "", 1, MSG_NOSIGNAL);
        enum watch how = batch_watch(s, cancelled, state, &fault);
        if (how == WATCH_DONE)
            return true;
        if (how == WATCH_CANCELLED)
            return err_set(err, ERR_INTERRUPTED, NULL, "measuring was cancelled");
        if (!batch->ready && ++stillborn == 3)
            return err_set(err, ERR_IO, "seccomp and a memory file that may be executed are needed", "the sandbox process does not come up");
        uint32_t at = batch->current;
        if (batch->ready && at < count && !batch->items[at].done) {
            batch->items[at].fault = fault;
            batch->items[at].result.state = WINDOW_FAULT;
            batch->items[at].done = true;
            batch->current = at + 1;
        }
        if (batch->current >= count)
            return true;
    }
}

int sandbox_cpu(const struct sandbox *s)
{
    return s->cpu;
}

bool sandbox_has_counter(const struct sandbox *s)
{
    return s->batch->has_counter;
}

bool sandbox_unfiltered(const struct sandbox *s)
{
    return s->batch->unfiltered;
}

unsigned sandbox_children(const struct sandbox *s)
{
    return s->children;
}

int sandbox_pid(const struct sandbox *s)
{
    return s->pid;
}
