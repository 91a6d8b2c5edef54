/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles of this test program, which runs two loops of known work if called with an argument. If
 * the system forbids profiling, the tests are skipped with a message. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/watch.h"
#include "profile/interrupt.h"
#include "profile/launch.h"
#include "profile/profile.h"
#include "profile/spaces.h"
#include "toolchain/object.h"
#include "../support/support.h"

/* Iterations of the shorter loop per round. A round takes some 20 ms, which are many time slices on
 * a busy system. With rounds of one or two slices, the samples would always be at the same
 * place. */
#define STEPS 16000000u

/* result of the loops, which prevents their removal by the compiler; two threads add to it */
static atomic_uint shown;

/* Each iteration is a dependent multiplication and addition. */
__attribute__((noinline)) static unsigned short_loop(void)
{
    unsigned x = 1;
    for (unsigned i = 0; i < STEPS; i++) {
        x = x * 1664525u + 1013904223u;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

__attribute__((noinline)) static unsigned long_loop(void)
{
    unsigned x = 1;
    for (unsigned i = 0; i < 3 * STEPS; i++) {
        x = x * 22695477u + 1u;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

static void *turns(void *count)
{
    for (unsigned i = *(const unsigned *)count; i; i--)
        shown += short_loop() + long_loop();
    return NULL;
}

/* Runs @count turns: in this thread ("turns"), in two threads ("threads"), in a child ("child"), or
 * in a child whose end sends no signal ("clone"). */
static int work(const char *how, unsigned count)
{
    if (strcmp(how, "threads") == 0) {
        pthread_t threads[2];
        for (int i = 0; i < 2; i++)
            pthread_create(&threads[i], NULL, turns, &count);
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
    } else if (strcmp(how, "child") == 0 || strcmp(how, "clone") == 0) {
        pid_t child = how[1] == 'h' ? fork() : (pid_t)syscall(SYS_clone, 0, 0, 0, 0, 0);
        int status;
        if (!child) {
            turns(&count);
            _exit(0);
        }
        waitpid(child, &status, __WALL);
        return 7;
    } else {
        turns(&count);
    }
    printf("%u\n", shown);
    return 0;
}

static char self[4096];

static struct sampling options_of(enum sampling_method method, const char *how, const char *count,
                                  const char **argv)
{
    argv[0] = self;
    argv[1] = how;
    argv[2] = count;
    argv[3] = NULL;
    return (struct sampling){.argv = argv,
                             .output = work_path("printed"),
                             .seconds = 120,
                             .rate = 1000,
                             .method = method};
}

/* Returns whether the system denies @method. If it does, prints that the test is skipped. */
static bool refused(enum sampling_method method, const struct err *err)
{
    bool no = strstr(err->what, method == SAMPLING_CLOCK ? "the system forbids the sampling clock"
                                                         : "cannot interrupt the program") != NULL;
    if (no)
        print_message("not tested: %s\n", err->what);
    return no;
}

static size_t samples_of(const struct run_profile *p, const char *function)
{
    for (size_t i = 0; i < p->functions.count; i++)
        if (strcmp(p->functions.items[i].name, function) == 0)
            return p->functions.items[i].samples;
    return 0;
}

/* Returns the samples in innermost loops of functions whose names begin with @function. */
static size_t samples_in_loop(const struct run_profile *p, const char *function)
{
    size_t sum = 0;
    for (size_t i = 0; i < p->loops.count; i++)
        if (str_has_prefix(p->loops.items[i].name, function))
            sum += p->loops.items[i].samples;
    return sum;
}

static struct run_profile *profile_of(const struct sampling *o, struct sampled *s, struct err *err)
{
    struct run_profile *p = NULL;

    *err = (struct err){0};
    if (sampling_run(o, s, err)) {
        p = profile_new(s, o->rate, 0.002, NULL, NULL, err);
        assert_non_null(p);
    }
    return p;
}

/* Three times the work has three times the samples. Chance has little influence on 300 samples. The
 * sampler itself needs some CPU time. */
#define SHARE_LEAST 0.6    /* smallest share of the time in which the program ran */
static void check_shares(const struct run_profile *p)
{
    double few = (double)samples_of(p, "short_loop"), many = (double)samples_of(p, "long_loop");

    if (few + many < 300) {
        print_message("not tested: only %g samples\n", few + many);
        return;
    }
    /* Beside other tasks, interrupts of the thread follow their time slices. */
    if (p->user + p->system < SHARE_LEAST * p->seconds) {
        print_message("not tested: the program ran in only %.0f %% of the time\n",
                      100 * (p->user + p->system) / p->seconds);
        return;
    }
    /* The start of the process has a share of the samples, which is larger on a busy machine. */
    assert_true(few + many > 0.75 * (double)p->samples);
    assert_in_range((uintmax_t)(100 * many / few), 150, 600);
    assert_true((double)samples_in_loop(p, "short_loop") > 0.9 * few);
    assert_true((double)samples_in_loop(p, "long_loop") > 0.9 * many);
}

static void check_method(enum sampling_method method)
{
    static const struct {
        const char *how, *count;
    } cases[] = {{"turns", "12"}, {"threads", "6"}, {"child", "12"}, {"clone", "12"}};
    const char *argv[4];
    struct err err;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sampling o = options_of(method, cases[i].how, cases[i].count, argv);
        struct sampled s;
        struct run_profile *p = profile_of(&o, &s, &err);
        if (!p && refused(method, &err)) {
            sampled_done(&s);
            return;
        }
        assert_non_null(p);
        assert_true(s.ended && WIFEXITED(s.status));
        assert_int_equal(WEXITSTATUS(s.status), i >= 2 ? 7 : 0);
#if defined(__SANITIZE_THREAD__)
        /* The sanitizer's run-time also has threads. */
        assert_true(s.threads >= (i == 0 ? 0 : i == 1 ? 2 : 1));
#else
        assert_int_equal(s.threads, i == 0 ? 0 : i == 1 ? 2 : 1);
#endif
        assert_int_equal(s.processes, i >= 2);
        assert_true(s.user > 0);
        check_shares(p);
        profile_free(p);
        sampled_done(&s);
    }
    assert_true(work_has("printed"));
}

static void test_clock(void **state)
{
    check_method(SAMPLING_CLOCK);
}

static void test_interrupt(void **state)
{
    check_method(SAMPLING_INTERRUPT);
}

/* Profiles a running process. The process continues afterwards. */
static void test_attach(void **state)
{
    for (int method = SAMPLING_CLOCK; method <= SAMPLING_INTERRUPT; method++) {
        struct err err = {0};
        struct sampled s;
        pid_t pid = fork();
        if (!pid) {
            unsigned long_time = 1000000;
            turns(&long_time);
            _exit(0);
        }
        struct sampling o = {
            .pid = pid, .seconds = 1, .rate = 1000, .method = (enum sampling_method)method};
        bool ok = sampling_run(&o, &s, &err);
        int status;
        assert_int_equal(waitpid(pid, &status, WNOHANG), 0);   /* The process still runs. */
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
        assert_true(WIFSIGNALED(status));
        if (!ok)
            assert_true(refused((enum sampling_method)method, &err));
        else
            assert_true(!s.ended && s.user >= 0 && isnan(s.system));
        sampled_done(&s);
    }
}

/* The profiler ends a program that it started at the time limit. */
static void test_time_is_up(void **state)
{
    const char *argv[4];
    struct sampling o = options_of(SAMPLING_ANY, "turns", "100000000", argv);
    struct sampled s;
    struct err err = {0};

    o.seconds = 0.2;
    if (!sampling_run(&o, &s, &err))
        assert_true(refused(SAMPLING_INTERRUPT, &err));
    else
        assert_true(!s.ended && s.seconds >= 0.2);
    sampled_done(&s);
}

/* Makes perf_event_open (@clock) and ptrace (@interrupt) fail with EPERM in this process,
 * permanently. */
static void refuse_calls(bool clock, bool interrupt)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, clock ? SYS_perf_event_open : 0xffffff, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, interrupt ? SYS_ptrace : 0xffffff, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof code / sizeof *code, code};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

enum { WORKED, FELL_BACK, REFUSED, REFUSED_CLOCK, OTHER };

/* Profiles in a child, which reports by its exit status. */
static int outcome(bool clock, bool interrupt, enum sampling_method method)
{
    pid_t pid = fork();
    int status;

    if (!pid) {
        const char *argv[4];
        struct sampling o = options_of(method, "turns", "1", argv);
        struct sampled s;
        struct err err = {0};
        refuse_calls(clock, interrupt);
        bool ok = sampling_run(&o, &s, &err);
        _exit(ok && s.method == SAMPLING_INTERRUPT && strstr(s.refused.todo, "perf_event_paranoid")
                  ? FELL_BACK
              : ok                                      ? WORKED
              : strstr(err.todo, "yama.ptrace_scope")   ? REFUSED
              : strstr(err.todo, "perf_event_paranoid") ? REFUSED_CLOCK
                                                        : OTHER);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : OTHER;
}

/* A denied method is reported, and another one is used. */
static void test_refused(void **state)
{
    if (outcome(false, false, SAMPLING_INTERRUPT) != WORKED) {
        print_message("not tested: ptrace is refused here\n");
        return;
    }
    assert_int_equal(outcome(true, false, SAMPLING_ANY), FELL_BACK);
    assert_int_equal(outcome(true, true, SAMPLING_ANY), REFUSED);
    assert_int_equal(outcome(true, false, SAMPLING_CLOCK), REFUSED_CLOCK);
}

/* A new mapping replaces those that it covers. A child inherits the mappings of its parent. */
static void test_spaces(void **state)
{
    struct samples samples = {.count = 0};
    struct spaces s = {.samples = &samples};

    spaces_map(&s, 1, 0x1000, 0x4000, 0x100, "/a");
    spaces_map(&s, 1, 0x2000, 0x1000, 0, "/b");
    spaces_map(&s, 1, 0x8000, 0x1000, 0, "//anon");
    spaces_fork(&s, 2, 1);
    spaces_clear(&s, 1);
    assert_false(spaces_sample(&s, 1, 0x1004));
    assert_true(spaces_sample(&s, 2, 0x1004));
    assert_true(spaces_sample(&s, 2, 0x2004));
    assert_true(spaces_sample(&s, 2, 0x3004));
    assert_true(spaces_sample(&s, 2, 0x3004));
    assert_true(spaces_sample(&s, 2, 0x8004));
    assert_false(spaces_sample(&s, 2, 0x5000));
    static const struct {
        const char *path;
        uint64_t offset;
        size_t count;
    } expected[] = {{"/a", 0x104, 1}, {"/b", 4, 1}, {"/a", 0x2104, 2}, {"", 0x8004, 1}};
    assert_int_equal(samples.points.count, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct sample_point *p = &samples.points.items[i];
        assert_string_equal(samples.images.items[p->image], expected[i].path);
        assert_int_equal(p->offset, expected[i].offset);
        assert_int_equal(p->count, expected[i].count);
    }
    spaces_done(&s);
    samples_done(&samples);
}

/* By hand, a loop has 250 of 1,000 samples, a quarter of 8 seconds. With half of its cycles, the
 * program takes one second less. */
static void test_shares(void **state)
{
    struct profile_loop loop = {.samples = 250, .measured = 4, .predicted = 3};
    struct run_profile p = {.samples = 1000, .user = 8, .system = 1, .loops = {&loop, 1, 1}};
    double off, middle = 252 / 1004.0;
    struct str name = {0};

    assert_true(fabs(profile_share(&p, 250, &off) - 0.25) < 1e-12);
    assert_true(fabs(off - 1.96 * sqrt(middle * (1 - middle) / 1004)) < 1e-12);
    assert_true(profile_share(&p, 0, &off) == 0 && off > 0 && off < 0.01);
    assert_true(fabs(profile_time_with(&p, 0, 4, 2) - 8) < 1e-12);
    /* There is no gain from a measurement whose data differ. */
    p.loops.items[0].by_data = true;
    assert_true(isnan(profile_time_with(&p, 0, 4, 2)));
    p.loops.items[0].by_data = false;
    /* A range of memory times is claimed only with calibrated costs. */
    struct str range = {0};
    profile_memory_range(&p.loops.items[0], &range);
    assert_non_null(strstr(str_text(&range), "machine calibrate --memory"));
    assert_null(strstr(str_text(&range), "is between"));
    str_clear(&range);
    p.loops.items[0].costs_measured = true;
    profile_memory_range(&p.loops.items[0], &range);
    assert_non_null(strstr(str_text(&range), "is between"));
    str_done(&range);
    assert_true(profile_loop_now(&loop) == 4);
    loop.measured = NAN;
    assert_true(profile_loop_now(&loop) == 3);
    profile_name_short("abcdefghijklmnopqrstuvwxyz", 12, &name);
    assert_string_equal(str_text(&name), "abcdef..wxyz");
    str_done(&name);
}

/* Code that is too large to decode completely and is never executed: one-byte instructions on
 * x86. */
#define LARGE_SIZE 0x100000u
__asm__(".text\n.globl large_code\n.type large_code, %function\nlarge_code:\n.skip 0x100000, "
        "0x90\n.size large_code, . - large_code\n");

/* Adds samples that are distributed over large_code. */
static void sample_large_code(struct sampled *s)
{
    struct object o;
    struct err err;

    *s = (struct sampled){.path = mem_strdup(self), .user = 1};
    assert_true(object_read(self, 0, &o, &err));
    const struct object_symbol *symbol = object_symbol_find(&o, "large_code");
    const struct object_section *section = o.sections.items;
    assert_non_null(symbol);
    while (symbol->offset >= section->offset + section->size)
        section++;
    uint32_t image = samples_image(&s->samples, self);
    for (uint64_t at = 0; at < LARGE_SIZE; at += 4096)
        samples_add(&s->samples, image,
                    section->file_offset + (symbol->offset - section->offset) + at);
    object_done(&o);
}

/* Each byte is decoded about twice, for instruction boundaries and for loops, for any number of
 * windows. */
static void test_large_code(void **state)
{
    struct sampled s;
    struct err err = {0};
    uint64_t before = steps_taken;

    sample_large_code(&s);
    struct run_profile *p = profile_new(&s, 1000, 0.002, NULL, NULL, &err);
    assert_non_null(p);
    assert_int_equal(samples_of(p, "large_code"), s.samples.count);
    assert_true(steps_taken - before < 8 * LARGE_SIZE);
    profile_free(p);
    sampled_done(&s);
}

/* An inner loop whose if is after the return. It is never executed. */
__asm__(".text\n.globl arm_code\n.type arm_code, %function\narm_code:\nxor %eax, %eax\n"
        "0: mov $9, %esi\n1: cmpl $6, (%rdi)\nje 3f\n2: add $8, %rdi\ndec %esi\njne 1b\n"
        "dec %edx\njne 0b\nret\n3: inc %eax\njmp 2b\n.size arm_code, . - arm_code\n");

/* Samples of the if belong to the loop. */
static void test_arm_outside(void **state)
{
    struct sampled s = {.path = mem_strdup(self), .user = 1};
    struct object o;
    struct err err;

    assert_true(object_read(self, 0, &o, &err));
    const struct object_symbol *symbol = object_symbol_find(&o, "arm_code");
    const struct object_section *section = o.sections.items;
    assert_non_null(symbol);
    while (symbol->offset >= section->offset + section->size)
        section++;
    const uint32_t image = samples_image(&s.samples, self);
    const uint64_t begin = section->file_offset + (symbol->offset - section->offset);
    for (unsigned i = 0; i < 30; i++)
        samples_add(&s.samples, image, begin + (i % 3 ? 25 : 7));
    object_done(&o);
    struct run_profile *p = profile_new(&s, 1000, 0.002, NULL, NULL, &err);
    assert_non_null(p);
    assert_int_equal(p->loops.count, 1);
    assert_int_equal(p->loops.items[0].samples, 30);
    profile_free(p);
    sampled_done(&s);
}

static unsigned asked;

static bool over_later(void *state)
{
    return ++asked > *(const unsigned *)state;
}

/* Symbol lookup can be cancelled at any time. */
static void test_lookup_ends(void **state)
{
    unsigned most = 20;
    struct sampled s;
    struct err err = {0};

    sample_large_code(&s);
    asked = 0;
    struct watch before = watch_begin(over_later, &most);
    uint64_t steps = steps_taken;
    assert_null(profile_new(&s, 1000, 0.002, NULL, NULL, &err));
    watch_restore(before);
    assert_int_equal(err.code, ERR_INTERRUPTED);
    assert_true(steps_taken - steps < LARGE_SIZE);
    sampled_done(&s);
}

/* Returns the process that traces process @pid; 0 if there is none. */
static int tracer_of(pid_t pid)
{
    char path[64], line[256];
    int tracer = 0;

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "TracerPid: %d", &tracer) != 1)
        ;
    if (file)
        fclose(file);
    return tracer;
}

/* A process that waits in the kernel for its child of vfork cannot be stopped. It is detached
 * nevertheless. */
static void test_let_go(void **state)
{
    struct sampled s;
    struct err err = {0};
    int ready[2];
    char byte;
    pid_t pid;

#if defined(__SANITIZE_THREAD__)
    print_message("not tested: ThreadSanitizer makes vfork a fork\n");
    return;
#endif
    assert_int_equal(pipe(ready), 0);
    if ((pid = fork()) == 0) {
        if (vfork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (write(ready[1], "r", 1) == 1)
                pause();
            _exit(0);
        }
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    struct sampling o = {.pid = pid, .seconds = 0.1, .rate = 1000, .method = SAMPLING_INTERRUPT};
    if (!sampling_run(&o, &s, &err))
        assert_true(refused(SAMPLING_INTERRUPT, &err));
    for (const struct hang h = hang_begin("it is still traced"); tracer_of(pid);)
        hang_look(&h);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(ready[0]);
    close(ready[1]);
    sampled_done(&s);
}

struct traced {
    struct interrupt *interrupt;
    struct spaces spaces;
    struct samples samples;
    int status;
    struct rusage usage;
    bool ended;
};

static void let_on(void *state)
{
    struct traced *t = state;
    t->ended = t->ended || interrupt_go_on(t->interrupt, &t->spaces, &t->status, &t->usage);
}

/* A signal stops a traced process before it executes its program. It is resumed, and executes the
 * program. */
static void test_stopped_before_it_runs(void **state)
{
    const char *argv[4];
    struct sampling o = options_of(SAMPLING_INTERRUPT, "turns", "1", argv);
    struct traced t = {.ended = false};
    struct task_list tasks = {.list = {0}};
    struct launched l;
    struct err err = {0};

    t.spaces.samples = &t.samples;
    assert_true(launch(argv, o.output, NULL, &l, &err));
    vec_push(&tasks.list, ((struct thread_id){l.pid, l.pid}));
    t.interrupt = interrupt_new(&tasks, true, 1000, &err);
    if (!t.interrupt) {
        assert_true(refused(SAMPLING_INTERRUPT, &err));
        kill(l.pid, SIGKILL);
        waitpid(l.pid, &t.status, 0);
        l.pid = 0;
    } else {
        kill(l.pid, SIGWINCH);
        assert_true(launch_go(&l, let_on, &t, &err));
        while (!t.ended)
            t.ended = interrupt_watch(t.interrupt, 0.02, &t.spaces, &t.status, &t.usage);
        assert_true(WIFEXITED(t.status) && WEXITSTATUS(t.status) == 0);
        l.pid = 0;
    }
    interrupt_free(t.interrupt);
    launch_end(&l);
    spaces_done(&t.spaces);
    samples_done(&t.samples);
    vec_done(&tasks.list);
}

/* A process whose file was deleted, for example by an upgrade, is profiled normally. */
static void test_deleted(void **state)
{
    struct sampled s;
    struct err err = {0};
    struct str command = {0};
    int ready[2];
    char byte;
    pid_t pid;

    str_addf(&command, "cp '%s' '%s'", self, work_path("copy"));
    assert_int_equal(system(str_text(&command)), 0);
    str_done(&command);
    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    if ((pid = fork()) == 0) {
        execl(work_path("copy"), "copy", "turns", "1000000", (char *)NULL);
        _exit(1);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 0);   /* The program has started. */
    work_remove("copy");
    struct sampling o = {.pid = pid, .seconds = 0.1, .rate = 1000};
    if (!sampling_run(&o, &s, &err))
        assert_true(refused(SAMPLING_INTERRUPT, &err));
    else
        assert_true(strstr(s.path, "(deleted)") != NULL);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(ready[0]);
    sampled_done(&s);
}

/* A process that ends before its tracer sees it has no CPU time. The sum is still a number. */
static void test_ended_process(void **state)
{
    const pid_t gone = fork();
    struct task_list tasks = {{0}};
    struct samples samples = {0};
    struct spaces spaces = {.samples = &samples};
    struct rusage usage;
    struct err err = {0};
    int status;

    if (!gone)
        _exit(0);
    assert_int_equal(waitpid(gone, NULL, 0), gone);
    const pid_t waits = fork();
    if (!waits)
        for (;;)
            pause();
    vec_push(&tasks.list, ((struct thread_id){gone, waits}));
    struct interrupt *p = interrupt_new(&tasks, false, 1000, &err);
    if (p) {
        assert_false(interrupt_watch(p, 0.05, &spaces, &status, &usage));
        assert_true(interrupt_cpu(p) == 0);
    }
    kill(waits, SIGKILL);
    interrupt_free(p);
    waitpid(waits, NULL, 0);
    vec_done(&tasks.list);
    spaces_done(&spaces);
    samples_done(&samples);
    assert_true(p || refused(SAMPLING_INTERRUPT, &err));
}

#define SHORT_CHILDREN 200

static void *wait_forever(void *state)
{
    for (;;)
        pause();
    return state;
}

/* Starts short children, then ends the main thread while another one waits. */
static void short_children(int go)
{
    pthread_t thread;
    char byte;

    if (read(go, &byte, 1) != 1)
        _exit(1);
    for (int i = 0; i < SHORT_CHILDREN; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        waitpid(child, NULL, 0);
    }
    if (pthread_create(&thread, NULL, wait_forever, NULL) != 0)
        _exit(1);
    pthread_exit(NULL);
}

/* The end of tracing does not wait for children that have ended, nor for a main thread that has
 * ended before the others. */
static void test_ended_threads(void **state)
{
    struct task_list tasks = {{0}};
    struct samples samples = {0};
    struct spaces spaces = {.samples = &samples};
    struct rusage usage;
    struct err err = {0};
    int status, go[2];

    assert_int_equal(pipe(go), 0);
    const pid_t pid = fork();
    if (!pid)
        short_children(go[0]);
    const struct thread_id main_thread = {pid, pid};
    vec_push(&tasks.list, main_thread);
    struct interrupt *p = interrupt_new(&tasks, false, 1000, &err);
    if (p) {
        assert_int_equal(write(go[1], "g", 1), 1);
        for (const struct hang h = hang_begin("its main thread goes on");
             task_state(&main_thread) != 'Z'; hang_look(&h))
            assert_false(interrupt_watch(p, 0.002, &spaces, &status, &usage));
        assert_int_equal(interrupt_started(p, false), SHORT_CHILDREN);
    }
    const size_t left = interrupt_free(p);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, __WALL);
    assert_int_equal(left, 0);
    close(go[0]);
    close(go[1]);
    vec_done(&tasks.list);
    spaces_done(&spaces);
    samples_done(&samples);
    assert_true(p || refused(SAMPLING_INTERRUPT, &err));
}

/* A named pipe without a reader is reported without waiting. */
static void test_named_pipes(void **state)
{
    const char *argv[4];
    struct sampled s;
    struct err err = {0};

    work_remove("pipe");
    assert_int_equal(mkfifo(work_path("pipe"), 0600), 0);
    for (int input = 0; input < 2; input++) {
        struct sampling o = options_of(SAMPLING_ANY, "turns", "1", argv);
        *(input ? &o.input : &o.output) = work_path("pipe");
        assert_false(sampling_run(&o, &s, &err));
        assert_non_null(strstr(err.what, input ? "cannot read" : "cannot write to"));
        sampled_done(&s);
    }
    work_remove("pipe");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spaces),     cmocka_unit_test(test_shares),
        cmocka_unit_test(test_clock),      cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_attach),     cmocka_unit_test(test_time_is_up),
        cmocka_unit_test(test_large_code),
        cmocka_unit_test(test_arm_outside),
        cmocka_unit_test(test_lookup_ends),
        cmocka_unit_test(test_let_go),     cmocka_unit_test(test_stopped_before_it_runs),
        cmocka_unit_test(test_deleted),    cmocka_unit_test(test_named_pipes),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_ended_process),
        cmocka_unit_test(test_ended_threads)};
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    /* This is for the started programs, because a traced process cannot check for leaks. */
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    if (argc > 2)
        return work(argv[1], (unsigned)strtoul(argv[2], NULL, 10));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
