/* SPDX-License-Identifier: 0BSD */
/* Runtime linked into programs built by portolan-cc. The compiled code counts blocks. The runtime
 * computes reuse distances and writes all results to the file PORTOLAN_TRACE at exit. Without that
 * variable it does nothing. PORTOLAN_TRACE_MODE: counts; exact; sampled: one line in 32; calls:
 * counts, and the time in external functions; sets: counts, and misses of the caches
 * PORTOLAN_TRACE_CACHES=SETSxWAYS,... PORTOLAN_TRACE_SHIFT: bytes added to every address. Each
 * thread has its own reuse distances, as with private caches. One thread at a time records
 * references, many in each turn, because streams of an instruction must be detected. The first
 * calls of the allocator are recorded, for all threads together. A forked process writes its own
 * counts to another file, whose name has the process number and the time appended. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "program/runtime/bins.h"
#include "program/runtime/layout.h"
#include "program/runtime/output.h"
#include "program/runtime/reuse.h"
#include "program/runtime/sets.h"
#include "simulate/branch_predictor.h"

#define LINE_BYTES STEPS_LINE
#define SAMPLE_SHIFT 5u
/* multiple of the mean time above which a call is considered preempted and ignored */
#define PREEMPTED 16u
#define PREEMPTED_TICKS 20000u
#define TRIES 200
/* number of the program's calls per measurement of an empty call */
#define NOTHING_EVERY 16u
/* minimum number of measurements of empty calls with which they replace the initial measurement */
#define NOTHING_LEAST 8u
#define CLOCKS_TICKS 100000u         /* ticks between two readings of the clocks */
/* Reading the clock is slow. Only the first CALLBACKS_FIRST callbacks of a call and every
 * CALLBACKS_EVERY-th later one are timed. All are timed while more than one in CALLBACKS_LONG of
 * the timed callbacks are long. Fewer long ones are attributed to preemption and interrupts. */
#define CALLBACKS_FIRST 4u
#define CALLBACKS_EVERY 16u
#define CALLBACKS_LONG 64u
#define LONG_TICKS 10000u            /* ticks above which a callback is long */
#define EMPTY_CALLBACKS 1024u        /* number of callbacks whose overhead is measured */
#define CALLS_DEEP 32u               /* maximum number of nested calls that are timed */
#define TURN 4096u                   /* number of references in a thread's turn */
#define NAP 50000                    /* nanoseconds of a sleep while another thread has its turn */
#define NAPS_MOST 2000u              /* maximum number of consecutive sleeps: a tenth of a second or
                                      * more */
#define STORED_PLACES 4096u           /* number of entries of the table of recent stores */
#define ALLOCATIONS 32768u             /* maximum number of allocations that are recorded */
/* number of entries of the hash table of addresses, a power of two */
#define GIVEN_PLACES (2 * ALLOCATIONS)
#define CHAIN 20000
/* cycles of a 64-bit multiplication (3) and an exclusive or (1) */
#define CHAIN_CYCLES 4u

static const char *trace_path;
static const char *trace_mode = "counts";
/* number of bytes added to every address, to vary the alignment of arrays */
static uint64_t shift;
static pid_t trace_process;
static int forked;                   /* whether this process is a fork of the started process */
static int written;
static struct sets sets;             /* caches of mode sets; the other modes have none */
static uint64_t sample_mask;         /* value of reuse.sample_mask in each thread */
/* Each thread's first use of each line. Yields the reuse distance of lines that other threads used
 * before, but the current thread did not. */
static struct reuse new_lines;
static int exhausted;                /* whether memory is exhausted; the trace is then incomplete */
/* State of a thread */
struct own {
    struct reuse reuse;
    struct branches branches;
    /* Latest stores by address. @before: number of references of the storing instruction up to the
     * store. */
    struct {
        uint64_t address;
        struct portolan_access_ *by;
        uint64_t before;
    } stored[STORED_PLACES];
};
static _Thread_local struct own *mine;
static _Thread_local unsigned turn;  /* number of references left in the turn; 0: no turn */
static struct own *turn_owner;       /* thread that records references; NULL: none */
static struct own *turn_last;        /* previous owner of the turn; only compared */
static struct own *turn_next;        /* a thread that waits for its turn; only compared */
/* @busy: whether this thread is in the runtime. References of a signal handler that interrupts the
 * runtime are then not recorded. @left_out: number of these references. */
static _Thread_local volatile int busy;
static _Thread_local unsigned left_out;
static int tracing;                  /* whether references are traced */
static int timing;                   /* whether calls are timed */
/* Two clocks in nanoseconds: wall clock, and this thread's CPU time */
struct clocks {
    uint64_t wall, own;
};
static _Thread_local struct {
    /* @entered: start of the timed callback; 0: none. @away: ticks in timed callbacks */
    uint64_t begun, entered, away;
    /* number of callbacks, and of the timed, long timed and short timed ones; ticks of the latter.
     * The first one is not among the short ones, because its code may not be in the caches. */
    uint64_t callbacks, timed, lengthy, brief, brief_ticks;
    unsigned inside;
    struct clocks clocks;
} open_calls[CALLS_DEEP];
static _Thread_local struct clocks clocks_seen;
static _Thread_local uint64_t clocks_seen_at;   /* ticks at which @clocks_seen was read */
static _Thread_local unsigned open_count;
static uint64_t nothing;             /* ticks of an empty call before the program started */
/* ticks that counting EMPTY_CALLBACKS callbacks adds to a call */
static uint64_t counting;
/* Empty calls timed between the program's calls, one in NOTHING_EVERY. The ticks of an empty call
 * vary with the load of the shared core. */
static _Thread_local struct portolan_calls_ nothings;
static _Thread_local unsigned ended;
/* calls of the allocator in order */
static struct {
    uint64_t size;
    const struct portolan_calls_ *calls; /* block of the call; NULL: unknown */
    unsigned of;
} allocations[ALLOCATIONS];
static unsigned allocation_count;
static int keep_allocations;
static char allocations_lock;
/* Hash table of allocated addresses. @by: 1 + index of the call that returned the address; 0: the
 * memory was freed. */
static struct {
    uintptr_t at;
    unsigned by;
} given[GIVEN_PLACES];
static _Thread_local const struct portolan_calls_ *calls_at;

/* Returns zeroed bins, or NULL. Reserves large pieces. The system allocates only used pages. */
static struct portolan_bin_ *bins_new(void)
{
    static char *at, *end;
    const size_t size = REUSE_BINS * sizeof(struct portolan_bin_), piece = (size_t)256 * size;

    if ((size_t)(end - at) < size) {
        at = reuse_map(piece);
        end = at ? at + piece : NULL;
    }
    if (!at) {
        exhausted = 1;
        return NULL;
    }
    struct portolan_bin_ *bins = (struct portolan_bin_ *)(void *)at;
    at += size;
    return bins;
}

/* Yields the CPU during another thread's turn. Returns 0 in a forked process, which has no other
 * thread. */
static int wait_on(void)
{
    /* Yields, because on a busy host a sleep may take much longer. */
    if (getpid() != trace_process)
        return 0;
    sched_yield();
    return 1;
}

/* Sets @busy and returns true if the thread may record references. A jump out of a signal handler
 * that is not instrumented leaves @busy set. @busy is therefore ignored after TURN references,
 * assumed to be more than a handler makes. */
static int begin(void)
{
    if (busy && ++left_out < TURN)
        return 0;
    busy = 1;
    left_out = 0;
    return 1;
}

static void end_turn(void)
{
    turn = 0;
    struct own *owner = mine;
    if (mine)
        __atomic_compare_exchange_n(&turn_owner, &owner, NULL, 0, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED);
}

/* Ends the turn between references. Sets @busy meanwhile, because a signal handler could start a
 * turn, which this function would end. */
static void give_turn_up(void)
{
    if (busy)
        return;
    busy = 1;
    end_turn();
    busy = 0;
}

/* If this thread had the last turn, waits until another thread starts its turn. Without this wait,
 * this thread would take every turn on a busy host. The wait is limited, because a thread that left
 * the runtime by a longjmp never takes its turn. Returns false in a forked process. */
static int let_others_first(void)
{
    if (__atomic_load_n(&turn_last, __ATOMIC_RELAXED) != mine)
        return 1;
    for (unsigned i = 0; i < NAPS_MOST && __atomic_load_n(&turn_next, __ATOMIC_RELAXED); i++) {
        if (getpid() != trace_process)
            return 0;
        /* Makes the system call directly, because nanosleep is a cancellation point. */
        const int kept = errno;
        syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = NAP}, NULL);
        errno = kept;
    }
    __atomic_store_n(&turn_next, NULL, __ATOMIC_RELAXED);
    return 1;
}

/* Waits for this thread's turn. Returns false in a forked process, or without memory for the
 * thread's state. After a longjmp out of a signal handler, this thread may have the turn. */
static int take_turn(void)
{
    if (!mine && !exhausted) {
        mine = reuse_map(sizeof *mine);
        exhausted |= !mine;
        if (mine)
            mine->reuse.sample_mask = sample_mask;
    }
    if (!mine || !let_others_first())
        return 0;
    for (struct own *owner = NULL; owner != mine; owner = NULL) {
        if (__atomic_compare_exchange_n(&turn_owner, &owner, mine, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED) ||
            owner == mine)
            break;
        __atomic_store_n(&turn_next, mine, __ATOMIC_RELAXED);
        if (!wait_on())
            return 0;
    }
    __atomic_store_n(&turn_last, mine, __ATOMIC_RELAXED);
    struct own *next = mine;
    __atomic_compare_exchange_n(&turn_next, &next, NULL, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    turn = TURN;
    return 1;
}

/* Returns the reuse distance of @line in this thread. For its first use in this thread, returns its
 * distance among the first uses of all threads. */
static uint64_t distance_of(uint64_t line)
{
    uint64_t distance = reuse_touch(&mine->reuse, line);
    if (distance == REUSE_COLD)
        distance = reuse_touch(&new_lines, line);
    exhausted |= mine->reuse.exhausted || new_lines.exhausted;
    return distance;
}

static void touch(struct portolan_access_ *access, uint64_t address, uint64_t first, uint64_t last)
{
    if (!turn && !take_turn())
        return;
    turn -= turn > 1;   /* A turn of 1 remains, because reference_end ends it. */
    access->references++;
    access->sum += address;
    if (sets.count) {
        sets_touch(&sets, first, last);
        return;
    }
    uint64_t distance = distance_of(first);
    /* If an access crosses two lines, its distance is the larger of the two. */
    if (last != first) {
        uint64_t other = distance_of(last);
        if (distance == REUSE_UNSAMPLED || (other != REUSE_UNSAMPLED && other > distance))
            distance = other;
    }
    uint64_t step = steps_next(&access->steps, address);
    if (step == STEPS_NONE && reuse_continues(&mine->reuse, first, distance))
        step = LINE_BYTES;
    if (distance == REUSE_UNSAMPLED || (!access->bins && !(access->bins = bins_new())))
        return;
    if (sample_mask && distance != REUSE_COLD)
        distance <<= SAMPLE_SHIFT;
    struct portolan_bin_ *bin = &access->bins[reuse_bin_of(distance)];
    bin->count++;
    bin->sum += distance == REUSE_COLD ? 0 : distance;
    if (step != STEPS_NONE) {
        bin->regular++;
        bin->step = bin->votes ? bin->step : step;
        bin->votes += bin->step == step ? 1 : UINT64_MAX;
    }
}

/* Starts a reference, which reference_end ends. Returns false if references are currently not
 * traced. @turn is 0 if memory is exhausted. */
static int reference_begin(struct portolan_access_ *access, const void *address, uint64_t size)
{
    if (!tracing || !address || !begin())
        return 0;
    uint64_t at = (uint64_t)(uintptr_t)address + shift;
    touch(access, at, at / LINE_BYTES, (at + size - 1) / LINE_BYTES);
    return 1;
}

static void reference_end(void)
{
    if (turn == 1)
        end_turn();
    busy = 0;
}

void portolan_touch_(struct portolan_access_ *access, const void *address, uint64_t size)
{
    if (reference_begin(access, address, size))
        reference_end();
}

void portolan_store_(struct portolan_access_ *access, const void *address, uint64_t size)
{
    if (!reference_begin(access, address, size))
        return;
    if (turn) {
        uint64_t at = (uint64_t)(uintptr_t)address, place = at / 4 % STORED_PLACES;
        mine->stored[place].address = at;
        mine->stored[place].by = access;
        mine->stored[place].before = access->references;
    }
    reference_end();
}

/* Counts a vote for the store that wrote the load's value. All threads share the votes. */
static void vote(struct portolan_access_ *access, uint64_t at)
{
    struct portolan_access_ *by = mine->stored[at / 4 % STORED_PLACES].by;

    if (!by || mine->stored[at / 4 % STORED_PLACES].address != at)
        return;
    uint64_t age = by->references - mine->stored[at / 4 % STORED_PLACES].before;
    if (access->from_votes == 0) {
        access->from = by;
        access->from_age = age;
    }
    if (access->from == by && access->from_age == age)
        access->from_votes++;
    else
        access->from_votes--;
}

void portolan_load_(struct portolan_access_ *access, const void *address, uint64_t size)
{
    if (!reference_begin(access, address, size))
        return;
    if (turn)
        vote(access, (uint64_t)(uintptr_t)address);
    reference_end();
}

void portolan_touch_range_(struct portolan_access_ *access, const void *address, uint64_t size)
{
    if (tracing && address && size && begin()) {
        uint64_t at = (uint64_t)(uintptr_t)address + shift, last = (at + size - 1) / LINE_BYTES;
        for (uint64_t line = at / LINE_BYTES; line <= last; line++)
            touch(access, line * LINE_BYTES, line, line);
        reference_end();
    }
}

/* Each thread has its own predictor, because threads run on separate cores. */
void portolan_branch_(uint64_t *mispredicted, uint64_t taken)
{
    if (tracing && mine && !busy && !sets.count &&
        branches_mispredicted(&mine->branches, (uintptr_t)mispredicted / 8 + (taken >> 1 << 32),
                              (int)(taken & 1)))
        __atomic_store_n(mispredicted, __atomic_load_n(mispredicted, __ATOMIC_RELAXED) + 1,
                         __ATOMIC_RELAXED);
}

static uint64_t ticks_now(void)
{
#if defined(__x86_64__)
    return __rdtsc();
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

/* Returns the index of address @at in the hash table. Addresses are never removed, and the table is
 * never full. */
static unsigned given_place(uintptr_t at)
{
    unsigned i = (unsigned)(at / 16 * 0x9e3779b97f4a7c15u >> 40) % GIVEN_PLACES;
    while (given[i].at && given[i].at != at)
        i = (i + 1) % GIVEN_PLACES;
    return i;
}

/* Records a call of the allocator. @old: memory that it freed or resized. @got: memory of @size
 * bytes that it returned. NULL: none. */
static void allocated(const void *old, const void *got, size_t size)
{
    if (!keep_allocations || (!old && !got))
        return;
    while (__atomic_test_and_set(&allocations_lock, __ATOMIC_ACQUIRE))
        if (!wait_on())
            return;
    unsigned from = old ? given_place((uintptr_t)old) : 0, of = old ? given[from].by : 0;
    if (of)
        given[from].by = 0;
    if (allocation_count < ALLOCATIONS && (got || of)) {
        allocations[allocation_count].size = got ? size : 0;
        allocations[allocation_count].calls = calls_at;
        allocations[allocation_count++].of = of;
        unsigned to = got ? given_place((uintptr_t)got) : 0;
        if (got) {
            given[to].at = (uintptr_t)got;
            given[to].by = allocation_count;
        }
    }
    __atomic_clear(&allocations_lock, __ATOMIC_RELEASE);
}

/* Wrappers of glibc's allocator, whose functions also have internal names. They are weak, so a
 * program's own allocator replaces them. */
#if defined(__GLIBC__)
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *old);

__attribute__((weak)) void *malloc(size_t size)
{
    void *got = __libc_malloc(size);
    allocated(NULL, got, size);
    return got;
}

__attribute__((weak)) void *calloc(size_t count, size_t size)
{
    void *got = __libc_calloc(count, size);
    allocated(NULL, got, count * size);
    return got;
}

__attribute__((weak)) void *realloc(void *old, size_t size)
{
    void *got = __libc_realloc(old, size);
    if (got || !size)
        allocated(old, got, size);
    return got;
}

__attribute__((weak)) void free(void *old)
{
    allocated(old, NULL, 0);
    __libc_free(old);
}

__attribute__((weak)) void *memalign(size_t alignment, size_t size)
{
    void *got = __libc_memalign(alignment, size);
    allocated(NULL, got, size + alignment);
    return got;
}

__attribute__((weak)) void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

__attribute__((weak)) int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)))
        return EINVAL;
    void *got = memalign(alignment, size);
    if (got)
        *out = got;
    return got ? 0 : ENOMEM;
}
#endif

static struct clocks clocks_now(void)
{
    struct timespec wall, own;
    clock_gettime(CLOCK_MONOTONIC, &wall);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own);
    return (struct clocks){(uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec,
                           (uint64_t)own.tv_sec * 1000000000u + (uint64_t)own.tv_nsec};
}

/* Returns the ticks of a long call, of @ticks in total, in which the thread was not preempted. */
static uint64_t own_ticks(uint64_t ticks, const struct clocks *begun)
{
    struct clocks now = clocks_now();
    uint64_t wall = now.wall - begun->wall, own = now.own - begun->own;
    return wall && own < wall ? (uint64_t)((double)ticks * (double)own / (double)wall) : ticks;
}

void portolan_call_at_(const struct portolan_calls_ *calls)
{
    calls_at = calls;
    give_turn_up();   /* The external function may wait for another thread. */
}

/* Starts timing a call. Waits for the program's previous instructions, whose time is not part of
 * the call. */
uint64_t portolan_call_begin_(void)
{
    if (!timing)
        return 0;
#if defined(__x86_64__)
    _mm_lfence();
#endif
    if (ticks_now() - clocks_seen_at > CLOCKS_TICKS) {
        /* Reads the clocks only at some calls, because reading takes long. */
        clocks_seen = clocks_now();
        clocks_seen_at = ticks_now();
    }
    uint64_t begun = ticks_now();
    if (open_count == CALLS_DEEP)
        return begun;
    memset(&open_calls[open_count], 0, sizeof open_calls[open_count]);
    open_calls[open_count].clocks = clocks_seen;
    open_calls[open_count++].begun = begun;
    return begun;
}

/* Returns whether many timed callbacks of open call @at were long. */
static int are_long(unsigned at)
{
    return open_calls[at].lengthy * CALLBACKS_LONG > open_calls[at].timed;
}

/* Called at the start of functions that external code may call. Times only the outermost one. */
void portolan_enter_(void)
{
    if (!timing || !open_count || open_calls[open_count - 1].inside++ > 0)
        return;
    const uint64_t before = open_calls[open_count - 1].callbacks++;
    open_calls[open_count - 1].entered =
        before < CALLBACKS_FIRST || before % CALLBACKS_EVERY == 0 || are_long(open_count - 1)
            ? ticks_now()
            : 0;
}

/* Ends the timed callback of open call @at. */
static void end_callback(unsigned at)
{
    const uint64_t ticks = ticks_now() - open_calls[at].entered;

    open_calls[at].away += ticks + nothing;
    open_calls[at].lengthy += ticks > LONG_TICKS;
    if (!open_calls[at].timed++ || ticks > LONG_TICKS)
        return;
    open_calls[at].brief++;
    open_calls[at].brief_ticks += ticks > nothing ? ticks - nothing : 0;
}

void portolan_leave_(void)
{
    give_turn_up();   /* The thread may exit after the function returns. */
    if (timing && open_count && open_calls[open_count - 1].inside &&
        --open_calls[open_count - 1].inside == 0 && open_calls[open_count - 1].entered)
        end_callback(open_count - 1);
}

/* Returns the ticks of the call from @begun to @now, and sets *@callbacks to the number of its
 * callbacks. A callback without a time counts as the mean of the short ones. Ends calls within it
 * that a longjmp left. Returns UINT64_MAX if the call is not open, a callback was not left, or
 * callbacks without a time may be long. Also if the callbacks took longer than the call. */
static uint64_t ticks_of_call(uint64_t begun, uint64_t now, uint64_t *callbacks)
{
    uint64_t ticks = now - begun;
    unsigned at = open_count;

    while (at && open_calls[at - 1].begun != begun)
        at--;
    if (!at)
        return UINT64_MAX;
    open_count = --at;
    *callbacks = open_calls[at].callbacks;
    const uint64_t others = *callbacks - open_calls[at].timed;
    if (open_calls[at].inside || (others && (are_long(at) || !open_calls[at].brief)))
        return UINT64_MAX;
    const uint64_t away =
        open_calls[at].away + *callbacks * counting / EMPTY_CALLBACKS +
        (others ? others * open_calls[at].brief_ticks / open_calls[at].brief : 0);
    if (ticks < away)
        return UINT64_MAX;
    ticks -= away;
    return ticks > PREEMPTED_TICKS ? own_ticks(ticks, &open_calls[at].clocks) : ticks;
}

/* Counts a call, and its time unless preempted. Threads and signal handlers share the counters. */
static void call_end(struct portolan_calls_ *calls, uint64_t begun)
{
    uint64_t callbacks = 0;
    const uint64_t ticks = ticks_of_call(begun, ticks_now(), &callbacks),
                   kept = __atomic_load_n(&calls->kept, __ATOMIC_RELAXED),
                   before = __atomic_load_n(&calls->ticks, __ATOMIC_RELAXED);

    __atomic_fetch_add(&calls->count, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&calls->callbacks, callbacks, __ATOMIC_RELAXED);
    if (ticks == UINT64_MAX ||
        (kept >= 8 && ticks > PREEMPTED_TICKS && ticks / PREEMPTED > before / kept))
        return;
    __atomic_fetch_add(&calls->kept, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&calls->ticks, ticks, __ATOMIC_RELAXED);
}

void portolan_call_end_(struct portolan_calls_ *calls, uint64_t begun)
{
    if (!timing)
        return;
    call_end(calls, begun);
    if (++ended % NOTHING_EVERY == 0)
        call_end(&nothings, portolan_call_begin_());
}

/* Clears @busy, because the longjmp may leave a signal handler that interrupted the runtime. */
void portolan_jump_(void)
{
    busy = 0;
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t ticks_of_nothing(void)
{
    static uint64_t seen[TRIES];

    timing = 1;
    for (int i = 0; i < TRIES; i++) {
        struct portolan_calls_ calls = {0};
        call_end(&calls, portolan_call_begin_());
        seen[i] = calls.ticks;
    }
    qsort(seen, TRIES, sizeof *seen, ascending);
    return seen[TRIES / 2];
}

/* Returns the median of the ticks that EMPTY_CALLBACKS callbacks add to a call. */
static uint64_t ticks_of_callbacks(void)
{
    static uint64_t seen[TRIES];

    for (int i = 0; i < TRIES; i++) {
        struct portolan_calls_ calls = {0};
        const uint64_t begun = portolan_call_begin_();
        for (unsigned k = 0; k < EMPTY_CALLBACKS; k++) {
            portolan_enter_();
            portolan_leave_();
        }
        call_end(&calls, begun);
        seen[i] = calls.ticks;
    }
    qsort(seen, TRIES, sizeof *seen, ascending);
    return seen[TRIES / 2];
}

/* Returns the least ticks of a dependence chain of CHAIN * CHAIN_CYCLES cycles. */
static uint64_t ticks_of_chain(void)
{
    static volatile uint64_t seed = 0x9e3779b97f4a7c15u;
    uint64_t least = UINT64_MAX;

    for (int t = 0; t < TRIES / 10; t++) {
        uint64_t x = seed, y = seed | 1, z = seed >> 3, begun = ticks_now();
        for (int i = 0; i < CHAIN; i++) {
            x = (x * y) ^ z;
            __asm__("" : "+r"(x));   /* Makes each iteration depend on the previous one. */
        }
        uint64_t ticks = ticks_now() - begun;
        seed = x;
        least = ticks < least ? ticks : least;
    }
    return least;
}

/* Clears the parent's counts, and the turn of a thread that does not exist in this process. Called
 * in a forked process. */
static void begin_forked(void)
{
    for (struct portolan_unit_ **at = __start_portolan_units; at < __stop_portolan_units; at++) {
        struct portolan_unit_ *unit = *at;
        if (!unit || unit->version != PORTOLAN_RUNTIME_VERSION)
            continue;
        memset(unit->counts, 0, 2 * unit->blocks * sizeof *unit->counts);
        memset(unit->mispredicted, 0, unit->blocks * sizeof *unit->mispredicted);
        memset(unit->calls, 0, unit->blocks * sizeof *unit->calls);
        for (uint64_t i = 0; i < unit->accesses; i++) {
            unit->access[i].references = 0;
            unit->access[i].sum = 0;
            unit->access[i].bins = NULL;   /* Drops the bins, which belong to the parent's trace. */
            unit->access[i].from_votes = 0;
        }
    }
    for (unsigned l = 0; l < sets.count; l++)
        sets.levels[l].misses = 0;
    keep_allocations = 0;
    allocation_count = 0;
    turn_owner = turn_last = turn_next = NULL;
    turn = 0;
    forked = 1;
    written = 0;
    trace_process = getpid();
}

static __attribute__((constructor(101))) void trace_begin(void)
{
    trace_path = getenv("PORTOLAN_TRACE");
    const char *mode = getenv("PORTOLAN_TRACE_MODE");
    if (!trace_path)
        return;
    trace_process = getpid();
    pthread_atfork(NULL, NULL, begin_forked);
    if (mode && strcmp(mode, "sampled") == 0)
        new_lines.sample_mask = sample_mask = (1u << SAMPLE_SHIFT) - 1;
    if (mode)
        trace_mode = mode;
    const char *moved = getenv("PORTOLAN_TRACE_SHIFT");
    shift = moved ? strtoull(moved, NULL, 10) : 0;
    timing = strcmp(trace_mode, "calls") == 0;
    if (timing) {
        nothing = ticks_of_nothing();
        counting = ticks_of_callbacks();
    }
    const char *caches = getenv("PORTOLAN_TRACE_CACHES");
    if (strcmp(trace_mode, "sets") == 0 && !(caches && sets_begin(&sets, caches)))
        exhausted = 1;
    tracing = !timing && strcmp(trace_mode, "counts") != 0;
    keep_allocations = !timing && !sets.count;
}

static __attribute__((destructor(101))) void trace_end(void)
{
    static struct output o;

    int timed = timing;
    char path[4096];

    /* After vfork(), this process uses the parent's memory, and must not write the trace. */
    if (!trace_path || getpid() != trace_process || written)
        return;
    tracing = timing = keep_allocations = 0;
    written = 1;
    const struct clocks now = clocks_now();
    snprintf(path, sizeof path, forked ? "%s.%d.%llu" : "%s", trace_path, (int)trace_process,
             (unsigned long long)now.wall);
    o.file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (o.file < 0)
        return;
    PUT(&o, "portolan-trace 3 %s %u\n",
        sample_mask                                                ? "sampled"
        : timed || sets.count || strcmp(trace_mode, "counts") == 0 ? "counts"
                                                                   : "exact",
        LINE_BYTES);
    if (timed)
        PUT(&o, "clock %u %llu %llu\n", CHAIN * CHAIN_CYCLES, (unsigned long long)ticks_of_chain(),
            (unsigned long long)(nothings.kept >= NOTHING_LEAST ? nothings.ticks / nothings.kept
                                                                : nothing));
    for (unsigned l = 0; l < sets.count; l++)
        PUT(&o, "level %u %llu\n", l, (unsigned long long)sets.levels[l].misses);
    for (struct portolan_unit_ **at = __start_portolan_units; at < __stop_portolan_units; at++)
        if (*at && (*at)->version == PORTOLAN_RUNTIME_VERSION)
            put_unit(&o, *at);
    for (unsigned i = 0; i < allocation_count; i++)
        put_allocation(&o, allocations[i].calls, allocations[i].size, allocations[i].of);

    /* Omits the end mark if memory is exhausted. A trace without the mark is incomplete. */
    if (!exhausted)
        PUT(&o, "end\n");
    flush(&o);
    close(o.file);
}

/* _exit and _Exit run no destructors, so the trace is written here. The symbol is weak, like those
 * of the allocator. */
__attribute__((weak)) void _exit(int status)
{
    trace_end();
    for (;;)
        syscall(SYS_exit_group, status);
}

__attribute__((weak)) void _Exit(int status)
{
    _exit(status);
}
