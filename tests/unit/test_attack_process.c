/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory and descriptors of the processes that run foreign code, also if these are exhausted or the
 * kernel is old. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../support/attacks.h"
#include "../support/support.h"
#include "measure/arch.h"

/* Counts the writable memory ranges of a child, and the wrong ones among them: writable code,
 * writable data of this program, and any range of libc, heap, stack or vdso. */
static void memory_of(int pid, unsigned *writable, unsigned *wrong)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *f = fopen(path, "r");
    *writable = *wrong = 0;
    while (f && fgets(line, sizeof line, f)) {
        const char *rights = strchr(line, ' ') + 1;
        *writable += rights[1] == 'w';
        *wrong += (rights[1] == 'w' && rights[2] == 'x') ||
                  (rights[1] == 'w' && strstr(line, "portolan")) || strstr(line, "libc") ||
                  strstr(line, "[heap]") || strstr(line, "[stack]") || strstr(line, "[vdso]");
    }
    if (f)
        fclose(f);
}

static void run_something(struct sandbox *s, bool foreign)
{
    static const uint8_t nop[] = {0x90};
    struct err err = {0};
    uint32_t offset;
    assert_true(sandbox_add(s, nop, 1, 1, foreign ? COUNTER_MEMORY : COUNTER_BODY, &offset));
    *sandbox_items(s) = (struct sandbox_item){.mode = SANDBOX_RAW_TICKS,
                                              .code = PULSE_ITEM,
                                              .offset = offset,
                                              .kernel = foreign,
                                              .counter = foreign ? COUNTER_MEMORY : COUNTER_BODY,
                                              .warm = 1,
                                              .count = 2,
                                              .samples = 2};
    assert_true(sandbox_run(s, 1, NULL, NULL, NULL, &err));
    assert_int_equal(sandbox_items(s)->fault, FAULT_NONE);
}

/* Returns the writable bytes of a child's private memory outside of the area for measured code, and
 * their lowest address. */
static uint64_t private_bytes(int pid, uint64_t *lowest)
{
    char path[64], line[512], rights[8];
    uint64_t bytes = 0, begin, end, code = 0;

    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    *lowest = UINT64_MAX;
    for (unsigned pass = 0; pass < 2; pass++) {
        FILE *f = fopen(path, "r");
        while (f && fgets(line, sizeof line, f) &&
               sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &begin, &end, rights) == 3)
            if (!pass) {
                code = strcmp(rights, "r-xs") == 0 && end - begin == AREA_CODE ? begin : code;
            } else if (strcmp(rights, "rw-p") == 0 && (begin < code || begin >= code + AREA_SIZE)) {
                bytes += end - begin;
                *lowest = begin < *lowest ? begin : *lowest;
            }
        if (f)
            fclose(f);
    }
    return bytes;
}

/* If each block of a table of a million blocks makes the most guesses at the vault, the probability
 * of a hit is negligible. */
static void test_odds_of_a_table(void **state)
{
    struct err err = {0};
    const double pages = (double)((uint64_t)1 << SANDBOX_VAULT_BITS) / 4096, blocks = 1e6;
    uint64_t lowest = 0, bytes = 0;

    const double found = blocks * SANDBOX_GUESSES * SANDBOX_VAULT_PAGES / pages;
    print_message("a table of a million blocks finds it %.4f times\n", found);
    assert_true(found < 0.01);
    for (unsigned i = 0; i < 8; i++) {
        struct sandbox *s = sandbox_new(-1, &err);
        assert_non_null(s);
        run_something(s, true);
        bytes = private_bytes(sandbox_pid(s, true), &lowest);
        if (bytes && !sandbox_unfiltered(s)) {
            assert_true(bytes <= SANDBOX_VAULT_PAGES * 4096);
#if !defined(__SANITIZE_THREAD__)
            assert_true(lowest >= (uint64_t)1 << SANDBOX_VAULT_BITS &&
                        lowest < (uint64_t)2 << SANDBOX_VAULT_BITS);
#endif
        }
        sandbox_free(s);
    }
}

/* The parent may have any number of descriptors. If descriptors are exhausted, a message reports
 * it. */
static void test_descriptors(void **state)
{
    struct err err = {0};
    struct rlimit limit, low;
    int low_fd = open("/dev/null", O_RDONLY), high_fd = dup2(low_fd, 900);
    struct sandbox *s = sandbox_new(-1, &err);
    assert_non_null(s);
    run_something(s, false);
    run_something(s, true);
    unsigned writable, wrong;
    if (files_of(sandbox_pid(s, false)) >= 0) {
        assert_true(files_of(sandbox_pid(s, false)) <= 2);    /* the link and a counter */
        /* the link, a counter and the pages */
        assert_true(files_of(sandbox_pid(s, true)) <= 3);
        memory_of(sandbox_pid(s, true), &writable, &wrong);
        assert_int_equal(wrong, 0);
        /* ranges for loads, stores and stack; the vault and its two stacks */
        assert_true(writable > 3 && writable <= 6);
        memory_of(sandbox_pid(s, false), &writable, &wrong);
        assert_int_equal(wrong, 0);
    }
    sandbox_free(s);
    if (high_fd >= 0)
        close(high_fd);
    close(low_fd);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    for (rlim_t n = 128; n > 3; n -= n > 32 ? 48 : 1) {
        low = (struct rlimit){n, limit.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
        err = (struct err){0};
        s = sandbox_new(-1, &err);
        setrlimit(RLIMIT_NOFILE, &limit);
        if (s)
            run_something(s, true);
        else if (!strstr(err.what, "Too many open files") || strstr(err.what, "seccomp"))
            fail_msg("with %u descriptors: %s", (unsigned)n, err.what);
        if (n == 128)
            assert_non_null(s);
        sandbox_free(s);
        nothing_left("descriptors");
        cases_run++;
    }
    /* A parent without standard files. After sandbox_renew this process has no child, so every
     * visible child is an orphan of that parent. */
    sandbox_renew(sandbox);
    sigset_t ended, before;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, &before);
    pid_t pid = fork();
    if (pid == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        close(0), close(1), close(2);
        s = sandbox_new(-1, &err);
        if (s)
            run_something(s, true);
        _exit(s ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    /* The parent ended without freeing its sandbox. The sandbox's children, which this process
     * adopted, end by themselves. */
    for (double begun = now(); children_left() > own_children() && now() - begun < HANG_SECONDS;)
        if (waitpid(-1, NULL, WNOHANG) <= 0)
            sigtimedwait(&ended, NULL, &(struct timespec){.tv_sec = 1});
    sigprocmask(SIG_SETMASK, &before, NULL);
    nothing_left("a program that ended");
}

/* Disables close_range for this process and its children, as before Linux 5.9. */
static bool close_range_forget(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0 &&
           syscall(SYS_close_range, 900, 901, 0) < 0 && errno == ENOSYS;
}

/* On an older kernel files are closed one by one, including those above a limit that was lowered
 * after they were opened. */
static void test_without_close_range(void **state)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct err err = {0};
        struct rlimit limit;
        bool closed = close_range_forget() && dup2(STDOUT_FILENO, 700) == 700 &&
                      dup2(STDOUT_FILENO, 33) == 33 && getrlimit(RLIMIT_NOFILE, &limit) == 0;
        limit.rlim_cur = 128;
        closed = closed && setrlimit(RLIMIT_NOFILE, &limit) == 0;
        struct sandbox *s = closed ? sandbox_new(-1, &err) : NULL;
        if (s) {
            run_something(s, false);
            run_something(s, true);
            closed = files_of(sandbox_pid(s, false)) <= 2 && files_of(sandbox_pid(s, true)) <= 3;
            sandbox_free(s);
        }
        _exit(!s ? 1 : !closed ? 2 : 0);
    }
    int status = 1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    nothing_left("no close_range");
    cases_run++;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_odds_of_a_table),
        cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_without_close_range),
    };

    return cmocka_run_group_tests_name("attack_process", tests, attacks_begin, attacks_end);
}
