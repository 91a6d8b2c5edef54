/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program whose hot loops run a known number of times: loops_running NAME REPEATS. It prints this
 * number and the computed result. With CYCLES set, it also prints cycles per iteration, the loop's
 * CPU time divided by that of a chain of instructions of known length. Shell tests compile this
 * file alone. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOP __attribute__((noinline, noclone))
#define SIZE 65536
#define SHORT 60

static uint64_t iterations, seed = 88172645463325252u;
static volatile long printed;

static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

#define VISITS 4096
#define CHAIN 4000 /* cycles of a chain; CHAINS chains are timed before each visit */
#define CHAINS 50

/* cycles of each timed visit of a loop */
static double visits[VISITS];
static size_t visit_count, all_visits;
static int timed;
/* Returns this thread's CPU time in nanoseconds. Wall-clock time would include other processes. */
static uint64_t stamp(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

LOOP long loop_partition(int *a, long n, int pivot)
{
    long i = 0;
    for (long j = 0; j < n; j++)
        if (a[j] < pivot) {
            int t = a[i];
            a[i] = a[j];
            a[j] = t;
            i++;
            __asm__ volatile("");
        }
    return i;
}

LOOP long loop_search(const int *a, long n, const int *keys, long count)
{
    long s = 0;
    for (long k = 0; k < count; k++) {
        const int *b = a;
        for (long l = n; l > 1;) {
            l >>= 1;
            __asm__ volatile("");
            if (b[l] <= keys[k]) {
                b += l;
                __asm__ volatile("");
            }
        }
        s += *b;
    }
    return s;
}

LOOP long loop_hash(const uint32_t *table, uint32_t mask, const uint32_t *keys, long count)
{
    long found = 0;
    for (long k = 0; k < count; k++) {
        uint32_t x = keys[k], h = (x * 2654435761u >> 7) & mask;
        found += table[h] == x;
    }
    return found;
}

struct node {
    struct node *next;
    long value;
};

LOOP long loop_list(const struct node *p)
{
    long s = 0;
    while (p) {
        s += p->value;
        p = p->next;
    }
    return s;
}

LOOP long loop_sum(const int *a, long n)
{
    long s = 0;
    for (long i = 0; i < n; i++) {
        s += a[i];
        __asm__ volatile("" : "+r"(s));
    }
    return s;
}

/* The loop over the numbers is next to an indirect jump, which is not within it. */
LOOP long loop_switch(const int *a, long n, long rounds)
{
    unsigned long s = 0;
    for (long r = 0; r < rounds; r++) {
        for (long i = 0; i < n; i++) {
            s += (unsigned long)a[i];
            __asm__ volatile("" : "+r"(s));
        }
        switch (a[r] & 7) {
#define CASE(n, change)                                                                            \
    case n:                                                                                        \
        change;                                                                                    \
        __asm__ volatile("" : "+r"(s));                                                            \
        break
        CASE(0, s += 3);
        CASE(1, s ^= 77);
        CASE(2, s -= 5);
        CASE(3, s *= 9);
        CASE(4, s = -s);
        CASE(5, s = ~s);
        CASE(6, s <<= 1);
        CASE(7, s >>= 1);
        }
    }
    return (long)s;
}

LOOP long loop_interpret(const unsigned char *code, long steps)
{
    long acc = 1, x = 3, y = 5;
    const unsigned char *pc = code;
    while (steps--) {
        switch (*pc++) {
        case 0: acc += x; break;
        case 1: acc ^= y; break;
        case 2: x = acc * 3; break;
        case 3: y = acc >> 1; break;
        case 4: acc -= y; break;
        case 5: x += y; break;
        case 6: y ^= x; break;
        case 7: acc = acc << 1 | 1; break;
        case 8: acc += 7; break;
        case 9: pc = code; break;
        default: return acc;
        }
    }
    return acc + x + y;
}

/* Executes each operation by a jump at the end of the previous one. Adds the number of executed
 * operations to *@steps. */
LOOP long loop_goto(const unsigned char *code, long repeats, uint64_t *steps)
{
    static const void *const table[] = {&&add, &&mix, &&triple, &&halve, &&least,
                                        &&sum, &&flip, &&skip,  &&end};
    const unsigned char *pc = code;
    uint64_t n = 0;
    long acc = 1, x = 3, y = 5;

#define NEXT()                                                                                     \
    do {                                                                                           \
        n++;                                                                                       \
        goto *table[*pc++];                                                                        \
    } while (0)
    NEXT();
add:
    acc += x;
    NEXT();
mix:
    acc ^= y;
    NEXT();
triple:
    x = acc * 3;
    NEXT();
halve:
    y = acc >> 1;
    NEXT();
least:
    if (acc & 1)
        y += acc;
    NEXT();
sum:
    x += y;
    NEXT();
flip:
    y ^= x;
    NEXT();
skip:
    NEXT();
end:
    if (--repeats) {
        pc = code;
        NEXT();
    }
    *steps += n;
    return acc + x + y;
#undef NEXT
}

LOOP long called(long x)
{
    __asm__ volatile("" : "+r"(x));
    return x ^ x >> 3;
}

LOOP long loop_call(const int *a, long n)
{
    long s = 0;
    for (long i = 0; i < n; i++)
        s += called(a[i]);
    return s;
}

LOOP double loop_double(const double *a, long n)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s += a[i] * 1.5;
    return s;
}

static void *memory(size_t n)
{
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        exit(3);
    return p;
}

static int numbers[SIZE], work[SIZE];

static void fill(void)
{
    for (long i = 0; i < SIZE; i++)
        numbers[i] = (int)(next_random() >> 34);
}

/* Records a visit that took @time, converted to cycles by the present clock frequency. */
static void note_visit(uint64_t time)
{
    uint64_t begun = stamp();
    long value = 0;

    all_visits++;
    for (int i = 0; i < (timed ? CHAINS : 1) * CHAIN / 20; i++)
#if defined(__x86_64__)
        __asm__ volatile(".rept 20\n not %0\n .endr" : "+r"(value));
#else
        value++;
#endif
    uint64_t chain = stamp() - begun;
    if (timed && chain && visit_count < VISITS)
        visits[visit_count++] = (double)time / (double)chain * CHAINS * CHAIN;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

#define TIMED(code)                                                                                \
    do {                                                                                           \
        uint64_t begun = stamp();                                                                  \
        code;                                                                                      \
        note_visit(stamp() - begun);                                                               \
    } while (0)

static void run_partition(const char *name, long repeats)
{
    if (strstr(name, "sorted"))
        for (long i = 0; i < SIZE; i++)
            numbers[i] = (int)i;
    for (long r = 0; r < repeats; r++) {
        memcpy(work, numbers, sizeof work);
        TIMED(printed += loop_partition(work, SIZE, strstr(name, "sorted") ? SIZE / 2 : 1 << 29));
        iterations += SIZE;
    }
}

static void run_search(const char *name, long repeats)
{
    long n = strstr(name, "large") ? 1 << 24 : 1 << 14;
    int *a = memory((size_t)n * sizeof *a);
    for (long i = 0; i < n; i++)
        a[i] = (int)(2 * i);
    for (long i = 0; i < SIZE; i++)
        numbers[i] = strstr(name, "same") ? 7777 : (int)(next_random() % (uint64_t)(2 * n));
    for (long r = 0; r < repeats; r++) {
        TIMED(printed += loop_search(a, n, numbers, SIZE));
        iterations += SIZE * (uint64_t)__builtin_ctzl((unsigned long)n);
    }
}

static void run_hash(const char *name, long repeats)
{
    uint32_t n = strstr(name, "large") ? 1u << 26 : 1u << 12,
             *table = memory((size_t)n * sizeof *table), *keys = memory(SIZE * sizeof *keys);
    for (long i = 0; i < SIZE; i++)
        keys[i] = (uint32_t)next_random();
    for (long i = 0; i < SIZE; i += 2)
        table[(keys[i] * 2654435761u >> 7) & (n - 1)] = keys[i];
    for (long r = 0; r < repeats; r++) {
        TIMED(printed += loop_hash(table, n - 1, keys, SIZE));
        iterations += SIZE;
    }
}

static void run_list(const char *name, long repeats)
{
    long n = strstr(name, "large") ? 1 << 22 : strstr(name, "middle") ? 1 << 16 : 1 << 10;
    struct node *a = memory((size_t)n * sizeof *a);
    uint32_t *order = memory((size_t)n * sizeof *order);
    for (long i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    for (long i = n - 1; i > 0; i--) {
        long j = (long)(next_random() % (uint64_t)i);
        uint32_t t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (long i = 0; i < n; i++)
        a[order[i]] = (struct node){i + 1 < n ? &a[order[i + 1]] : NULL, i};
    for (long r = 0; r < repeats; r++) {
        TIMED(printed += loop_list(&a[order[0]]));
        iterations += (uint64_t)n;
    }
}

#define PAGES 16384
/* Runs a list with one node per page of 4 KiB, which all are in the caches but not in the TLB. With
 * "huge" in the name pages have 2 MiB. */
static void run_pages(const char *name, long repeats)
{
    char *a = mmap(NULL, (PAGES + 512) * 4096l, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint32_t *order = memory(PAGES * sizeof *order);
    if (a == MAP_FAILED)
        exit(1);
    a += -(uintptr_t)a & ((2u << 20) - 1);
    madvise(a, PAGES * 4096l, strstr(name, "huge") ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    for (uint32_t i = 0; i < PAGES; i++) {
        uint32_t j = (uint32_t)(next_random() % (i + 1u));
        order[i] = order[j];
        order[j] = i;
    }
    for (uint32_t i = 0; i < PAGES; i++)
        order[i] = order[i] * 4096u + (uint32_t)(next_random() % 64) * 64u;
    for (uint32_t i = 0; i < PAGES; i++)
        *(struct node *)(a + order[i]) = (struct node){
            i + 1 < PAGES ? (struct node *)(a + order[i + 1]) : NULL, i};
    for (long r = 0; r < repeats; r++) {
        TIMED(printed += loop_list((struct node *)(a + order[0])));
        iterations += PAGES;
    }
}

static void run_sum(const char *name, long repeats)
{
    (void)name;
    for (long r = 0; r < repeats; r++) {
        TIMED(printed += loop_sum(numbers, SIZE));
        iterations += SIZE;
    }
}

/* Counts the numbers below 2^29 @rounds times. The if of the inner loop is after the return. */
long loop_arms(const int *a, long n, long rounds);
__asm__(".text\n.globl loop_arms\n.type loop_arms, @function\nloop_arms:\nxor %eax, %eax\n"
        "0: xor %ecx, %ecx\n1: cmpl $0x20000000, (%rdi,%rcx,4)\njl 3f\n2: add $1, %rcx\n"
        "cmp %rsi, %rcx\njne 1b\nsub $1, %rdx\njne 0b\nret\n3: add $1, %rax\njmp 2b\n"
        ".size loop_arms, . - loop_arms\n");

static void run_arms(const char *name, long repeats)
{
    (void)name;
    TIMED(printed += loop_arms(numbers, SIZE, repeats));
    iterations += SIZE * (uint64_t)repeats;
}

/* Executes the loop of loop_switch in short visits. */
static void run_switch(const char *name, long repeats)
{
    (void)name;
    for (long r = 0; r < repeats; r++) {
        printed += loop_switch(numbers, SHORT, SIZE / SHORT);
        iterations += SIZE / SHORT * SHORT;
    }
}

static void run_interpret(const char *name, long repeats)
{
    long n = strstr(name, "short") ? 16 : SIZE;
    unsigned char *code = malloc((size_t)n);
    for (long i = 0; i < n - 1; i++)
        code[i] = (unsigned char)(next_random() % 9);
    code[n - 1] = 9;
    for (long r = 0; r < repeats; r++) {
        TIMED(printed += loop_interpret(code, 1 << 20));
        iterations += 1 << 20;
    }
    free(code);
}

static void run_goto(const char *name, long repeats)
{
    long n = strstr(name, "short") ? 16 : SIZE;
    unsigned char *code = malloc((size_t)n);

    for (long i = 0; i < n - 1; i++)
        code[i] = (unsigned char)(next_random() % 8);
    code[n - 1] = 8;
    TIMED(printed += loop_goto(code, repeats, &iterations));
    free(code);
}

static void run_call(const char *name, long repeats)
{
    (void)name;
    for (long r = 0; r < repeats; r++) {
        TIMED(printed += loop_call(numbers, SIZE));
        iterations += SIZE;
    }
}

static void run_double(const char *name, long repeats)
{
    static double values[SIZE];
    double s = 0;
    (void)name;
    for (long i = 0; i < SIZE; i++)
        values[i] = (double)numbers[i];
    for (long r = 0; r < repeats; r++) {
        TIMED(s += loop_double(values, SIZE));
        iterations += SIZE;
    }
    printed += (long)(s / 1e6);
}

static void *thread(void *state)
{
    long s = 0;
    for (long r = 0; r < *(long *)state; r++)
        s += loop_sum(numbers, SIZE);
    return (void *)s;
}

/* Starts one thread after another. Each executes the same loop. */
static void run_threads(const char *name, long repeats)
{
    (void)name;
    for (int k = 0; k < 3; k++) {
        pthread_t threads[4];
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, thread, &repeats);
        for (int i = 0; i < 4; i++) {
            void *s;
            pthread_join(threads[i], &s);
            printed += (long)s;
        }
    }
    iterations = 12 * SIZE * (uint64_t)repeats;
}

static long turns = 1;   /* calls of the loop in a short thread */

static void *short_thread(void *state)
{
    long sum = 0;
    for (long i = 0; i < turns; i++)
        sum += loop_sum(numbers, 1000);
    *(long *)state = sum;
    return state;
}

static void born(int failure)
{
    if (failure) {
        fprintf(stderr, "no thread: %s\n", strerror(failure));
        exit(4);
    }
}

/* Starts and ends four threads in each of many rounds. Returns the sum of their results. */
static void *bear(void *rounds)
{
    long sum = 0;

    for (long r = 0; r < *(long *)rounds; r++) {
        pthread_t threads[4];
        long sums[4];
        for (int i = 0; i < 4; i++)
            born(pthread_create(&threads[i], NULL, short_thread, &sums[i]));
        for (int i = 0; i < 4; i++) {
            pthread_join(threads[i], NULL);
            sum += sums[i];
        }
    }
    return (void *)sum;
}

/* Starts and ends threads continuously while one thread stays in the loop. */
static void run_births(const char *name, long repeats)
{
    pthread_t longer;
    long all = 8 * repeats;
    void *s;
    (void)name;
    born(pthread_create(&longer, NULL, thread, &all));
    printed += (long)bear(&repeats);
    pthread_join(longer, &s);
    printed += (long)s;
    iterations = (uint64_t)repeats * (4 * 1000 + 8 * SIZE);
}

static void *spawner(void *state)
{
    static char *const words[] = {"true", NULL};
    long failed = 0;
    for (long r = 0; r < *(long *)state; r++) {
        int status = 1;
        pid_t child;
        failed += posix_spawnp(&child, "true", NULL, NULL, words, environ) != 0 ||
                  waitpid(child, &status, 0) != child || status != 0;
        child = fork();
        if (!child)
            _exit(loop_sum(numbers, 1000) > 0 ? 7 : 8);
        failed += child < 0 || waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7;
    }
    return (void *)failed;
}

/* Runs two threads that continuously create processes while one thread stays in the loop. */
static void run_spawns(const char *name, long repeats)
{
    pthread_t longer, spawners[2];
    long all = 200 * repeats;
    void *s;
    (void)name;
    born(pthread_create(&longer, NULL, thread, &all));
    for (int i = 0; i < 2; i++)
        born(pthread_create(&spawners[i], NULL, spawner, &repeats));
    for (int i = 0; i < 2; i++) {
        pthread_join(spawners[i], &s);
        if (s) {
            fprintf(stderr, "%ld processes failed\n", (long)s);
            exit(5);
        }
    }
    pthread_join(longer, &s);
    printed += (long)s;
    iterations = (uint64_t)all * SIZE;
}

static int visitor(void *state)
{
    long sum = 0;
    for (long r = 0; r < *(long *)state; r++)
        sum += loop_sum(numbers, 1000);
    _exit(sum > 0 ? 7 : 8);
}

/* Runs processes that execute the loop in the memory of this process. With "apart" in the name they
 * have separate memory, and their iterations do not count. With "sigchld" their end is reported
 * like that of a process from fork. With "births" another thread starts threads concurrently. */
static void run_shared(const char *name, long repeats)
{
    static char stack[65536] __attribute__((aligned(16)));
    int flags = (strstr(name, "apart") ? 0 : CLONE_VM) |
                (strstr(name, "vfork") ? CLONE_VFORK : 0) |
                (strstr(name, "sigchld") ? SIGCHLD : 0);
    bool births = strstr(name, "births");
    pthread_t longer;
    long all = births ? repeats / 1000 : 5 * 1000 * repeats / SIZE;
    void *s;

    turns = births ? 1000 : 1;
    born(pthread_create(&longer, NULL, births ? bear : thread, &all));
    for (int i = 0; i < 5; i++) {
        int status = 0;
        pid_t child = clone(visitor, stack + sizeof stack, flags, &repeats);
        if (child < 0 || waitpid(child, &status, __WALL) != child || !WIFEXITED(status) ||
            WEXITSTATUS(status) != 7) {
            fprintf(stderr, "a process that shares memory ended with %#x\n", (unsigned)status);
            exit(5);
        }
    }
    pthread_join(longer, &s);
    printed += (long)s;
    iterations = (uint64_t)all * (births ? 4 * 1000 * (uint64_t)turns : SIZE) +
                 (flags & CLONE_VM ? 5 * 1000 * (uint64_t)repeats : 0);
}

#define PAGE 4096
static char *guarded;
static void open_page(int number, siginfo_t *info, void *context)
{
    uintptr_t at = (uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1);
    (void)number;
    (void)context;
    if (mprotect((void *)at, PAGE, PROT_READ) != 0)
        _exit(6);
}

/* Maps the pages of the loop's data on page faults, and protects them again. */
static void run_faults(const char *name, long repeats)
{
    struct sigaction action = {.sa_sigaction = open_page, .sa_flags = SA_SIGINFO};
    (void)name;
    guarded = memory(sizeof numbers);
    memcpy(guarded, numbers, sizeof numbers);
    sigaction(SIGSEGV, &action, NULL);
    for (long r = 0; r < repeats; r++) {
        mprotect(guarded, sizeof numbers, PROT_NONE);
        printed += loop_sum((const int *)guarded, SIZE);
        iterations += SIZE;
    }
}

static volatile sig_atomic_t handled;
static void handle(int number)
{
    (void)number;
    handled++;
    iterations += 100;
    printed += loop_sum(numbers, 100);   /* This is the same loop as the interrupted one. */
    printed -= loop_sum(numbers, 100);
    iterations += 100;
}

/* Sets a timer whose handler runs the loop that it interrupts. */
static void run_timer(const char *name, long repeats)
{
    struct itimerval often = {{0, 1000}, {0, 1000}};
    struct sigaction action = {.sa_handler = handle};
    sigset_t alarm_only;
    (void)name;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    long s = 0;
    for (long r = 0; r < repeats; r++)
        s += loop_sum(numbers, SIZE);
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    sigprocmask(SIG_BLOCK, &alarm_only, NULL);
    printed += s;
    iterations += SIZE * (uint64_t)repeats;
    fprintf(stderr, "%d signals\n", (int)handled);
}

/* Creates children that also run the loop. Their iterations do not count. */
static void run_fork(const char *name, long repeats)
{
    (void)name;
    for (int i = 0; i < 5; i++) {
        int status = 0;
        pid_t child = fork();
        if (!child)
            _exit(loop_sum(numbers, SIZE) > 0 ? 7 : 8);
        waitpid(child, &status, 0);
        printed += WEXITSTATUS(status);
        for (long r = 0; r < repeats; r++)
            printed += loop_sum(numbers, SIZE);
        iterations += SIZE * (uint64_t)repeats;
        if (system("true"))
            printed++;
    }
}

/* Runs the loop repeatedly, for tests that attach to this process. */
static void run_wait(const char *name, long repeats)
{
    (void)name;
    for (long r = 0; r < repeats; r++) {
        printed += loop_sum(numbers, SIZE);
        iterations += SIZE;
    }
}

int main(int c, char **v)
{
    static const struct {
        const char *name;
        void (*run)(const char *name, long repeats);
    } programs[] = {
        {"partition", run_partition}, {"search", run_search}, {"hash", run_hash},
        {"list", run_list},           {"sum", run_sum},       {"interpret", run_interpret},
        {"goto", run_goto},           {"switch", run_switch},
        {"call", run_call},           {"double", run_double}, {"threads", run_threads},
        {"births", run_births},       {"spawns", run_spawns}, {"faults", run_faults},
        {"timer", run_timer},         {"fork", run_fork},     {"wait", run_wait},
        {"shared", run_shared},       {"vforks", run_shared}, {"pages", run_pages},
        {"arms", run_arms}};
    long repeats = c > 2 ? atol(v[2]) : 1;

    timed = getenv("CYCLES") != NULL;
    fill();
    for (size_t i = 0; c > 1 && i < sizeof programs / sizeof *programs; i++)
        if (strncmp(v[1], programs[i].name, strlen(programs[i].name)) == 0)
            programs[i].run(v[1], repeats);
    printf("%llu iterations, computed %ld\n", (unsigned long long)iterations, (long)printed);
    if (visit_count) {   /* the lower quartile and the mean of the visits */
        double sum = 0;
        for (size_t i = 0; i < visit_count; i++)
            sum += visits[i];
        qsort(visits, visit_count, sizeof *visits, by_size);
        printf("%.3f cycles per iteration\n",
               visits[visit_count / 4] * (double)all_visits / (double)iterations);
        printf("%.3f cycles on average\n",
               sum / (double)visit_count * (double)all_visits / (double)iterations);
    }
    return 0;
}
