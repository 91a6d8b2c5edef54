/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The session is saved after a fault, in any state of the faulting thread or of other threads:
 * stack overflow, locks held, a damaged allocator. Each case is a separate process. */
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "cmd/autosave.h"
#include "cmd/session.h"
#include "infer/evolve.h"
#include "work/background.h"
#include "work/evolve_job.h"
#include "work/job.h"
#include "work/pool.h"
#include "../support/support.h"

/* Escape sequences in a directory name must not reach a terminal. */
#define STATE "state\033[31m"

static struct session s;
static int held[2];                     /* receives a byte when the lock is held */
static _Thread_local bool holds, faults;

/* Called at each allocation: blocks the thread, which holds its locks, or faults. */
static bool stay(size_t size)
{
    if (faults)
        raise(SIGSEGV);
    if (holds && write(held[1], "", 1) == 1)
        for (;;)
            pause();
    return false;
}

/* Causes an allocation while the lock is held. */
static void *hold_log(void *unused)
{
    struct log_line line;

    log_add(LOG_INFO, "a line");
    mem_fault = stay;
    holds = true;
    log_get(0, &line);
    return NULL;
}

static void *hold_run(void *unused)
{
    size_t count;

    mem_fault = stay;
    holds = true;
    evolve_population(s.document.runs[0]->evolve, &count, NULL);
    return NULL;
}

static void in_another(void *(*hold)(void *))
{
    pthread_t thread;
    char byte;

    if (pipe(held) != 0 || pthread_create(&thread, NULL, hold, NULL) != 0 ||
        read(held[0], &byte, 1) != 1)
        _exit(2);
}

static volatile unsigned depth;

static __attribute__((noinline)) unsigned recurse(unsigned n)
{
    volatile char room[4096];

    room[0] = (char)n;
    depth = n;
    unsigned below = depth + 1 ? recurse(n + 1) : 0;
    return below + (unsigned)room[0];
}

static void fault_without_end(void)
{
    recurse(0);
}

static void fault_simple(void)
{
    raise(SIGSEGV);
}

static bool run_recursion(void *state, struct err *err)
{
    recurse(0);
    return true;
}

static const struct job_ops endless_ops = {.run = run_recursion};

static void fault_in_a_job(void)
{
    struct err err;

    job_start("a job", &endless_ops, NULL, &err);
    for (;;)
        pause();
}

static void work_recursion(void *state, unsigned worker)
{
    while (!worker)
        pause();
    recurse(0);
}

static void fault_in_a_pool(void)
{
    struct err err;

    team_run(2, work_recursion, NULL, &err);
}

static void start_run(void)
{
    struct str printed = {0}, line = {0};
    struct err err = {0};

    str_addf(&line,
             "experiments load '%s'; evolve start --threads 1 --population 20 --seconds 1000 "
             "--checkpoint '%s'",
             source_path("data/experiments/golden-cove-five.csv"), work_path("population.csv"));
    if (!run_line(&s, str_text(&line), &printed, &err) || !s.document.run_count)
        _exit(3);
}

static void fault_during_run(void)
{
    start_run();
    in_another(hold_run);
    raise(SIGSEGV);
}

/* The faulting thread itself holds the lock. */
static void fault_with_run(void)
{
    size_t count;

    start_run();
    mem_fault = stay;
    faults = true;
    evolve_population(s.document.runs[0]->evolve, &count, NULL);
}

#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OTHER_ALLOCATOR 1
#else
#define OTHER_ALLOCATOR 0
#endif

/* The allocator finds its own records damaged while it holds its lock. */
static void *damage(void *unused)
{
    char *volatile block = malloc(1000);
    uintptr_t next = (uintptr_t)block + malloc_usable_size(block);
    *(volatile uint64_t *)next = UINT64_MAX - 7;
    block = malloc(60000);
    return block;
}

static void fault_of_the_allocator(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, damage, NULL);
    pthread_join(thread, NULL);
}

/* Runs @fault in a child process with a changed session. Checks that the saved session has the
 * change. */
static void saves(const char *name, void (*fault)(void))
{
    struct str line = {0}, printed = {0}, said = {0};
    struct session found;
    char path[512] = "";
    int status;

    print_message("%s\n", name);
    work_remove(STATE);
    assert_int_equal(mkdir(work_path(STATE), 0700), 0);
    setenv("XDG_STATE_HOME", work_path(STATE), 1);
    pid_t child = fork();
    if (child == 0) {
        struct err err = {0};
        alarm(HANG_SECONDS);
        if (!freopen(work_path("said"), "w", stderr))
            _exit(4);
        session_init(&s);
        if (!run_line(&s, "kernel hex 4801d84829c375f8; mapping new 4 mine", &printed, &err))
            _exit(5);
        rescue_set(&s);
        fault_watch();
        rescuer_begin();
        fault();
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFSIGNALED(status))
        fail_msg("%s: ended with %d", name, WEXITSTATUS(status));
    assert_true(WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGABRT ||
                WTERMSIG(status) == SIGBUS);
    assert_true(file_read(work_path("said"), 1 << 20, &said, &(struct err){0}));
    assert_non_null(strstr(str_text(&said), "the session was saved; portolan --session"));
    /* The escape sequence is escaped. */
    assert_non_null(strstr(str_text(&said), "state\\x1b[31m"));
    assert_null(strchr(str_text(&said), '\033'));
    str_done(&said);
    work_expand("ls -d @/state*/portolan/rescued-* 2>/dev/null", &line);
    FILE *list = popen(str_text(&line), "r");
    assert_non_null(list);
    if (!fgets(path, sizeof path, list))
        fail_msg("%s: nothing was saved", name);
    pclose(list);
    path[strcspn(path, "\n")] = '\0';
    session_init(&found);
    str_clear(&line);
    str_addf(&line, "session load %s", path);
    struct err err = {0};
    assert_true(run_line(&found, str_text(&line), &printed, &err));
    assert_true(run_line(&found, "kernel show", &printed, &err));
    assert_non_null(strstr(str_text(&printed), "jnz"));
    session_done(&found);
    str_done(&line);
    str_done(&printed);
}

static void test_no_stack_left(void **state)
{
    saves("recursion without end", fault_without_end);
    saves("in a job", fault_in_a_job);
    saves("in a thread of a pool", fault_in_a_pool);
}

static void test_locks_held(void **state)
{
    saves("nobody holds anything", fault_simple);
    saves("a run of inference, by another thread", fault_during_run);
    saves("a run of inference, by the thread at fault", fault_with_run);
}

/* The child that saves does not wait for the log's lock. A hook of the save tests this. */
static void save_with_log(void)
{
    pid_t child = fault_fork();
    int status;

    if (child == 0) {
        lock_none();
        alarm(HANG_SECONDS);
        log_add(LOG_INFO, "saved");
        _exit(log_count() ? 0 : 1);
    }
    while (waitpid(child, &status, 0) < 0)
        ;
    _exit(WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 42 : 43);
}

static void test_log_held(void **state)
{
    int status;

    pid_t child = fork();
    if (child == 0) {
        die_set_save(save_with_log);
        fault_watch();
        rescuer_begin();
        in_another(hold_log);
        raise(SIGSEGV);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
}

static void test_damaged_allocator(void **state)
{
    if (OTHER_ALLOCATOR) {
        print_message("the allocator is another one here\n");
        return;
    }
    saves("a damaged heap", fault_of_the_allocator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_stack_left), cmocka_unit_test(test_locks_held),
        cmocka_unit_test(test_log_held), cmocka_unit_test(test_damaged_allocator)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
