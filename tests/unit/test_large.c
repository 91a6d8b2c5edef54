/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Large contiguous allocations that grow with the input fail. Each command and each view then fails
 * with a message or shows less, existing data are unchanged, and the next command works. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/shortage.h"
#include "cmd/command.h"
#include "work/job.h"
#include "../support/screens.h"
#include "../support/support.h"

#define ROWS 80000
/* less than one number per row, but more than any other contiguous allocation */
#define LARGE ((size_t)600 << 10)

static atomic_size_t countdown;
static atomic_bool met;

/* Makes allocation number @countdown of MEM_SMALL bytes or more fail. */
static bool fails_once(size_t size)
{
    if (size < MEM_SMALL || atomic_load(&met))
        return false;
    bool now = atomic_fetch_sub(&countdown, 1) == 0;
    atomic_store(&met, now);
    return now;
}

/* Makes every large allocation from number @countdown on fail, even after memory was released.
 * Requests of the reserve's sizes succeed. */
static bool fails_on(size_t size)
{
    if (size < LARGE || size == SHORTAGE_KEPT || size == SHORTAGE_LAST)
        return false;
    if (!atomic_load(&met) && atomic_fetch_sub(&countdown, 1) == 0)
        atomic_store(&met, true);
    return atomic_load(&met);
}

static void begin(size_t position)
{
    atomic_store(&countdown, position);
    atomic_store(&met, false);
}

static void make_table(void)
{
    static const char *const names[] = {"ADD (R64, R64)", "IMUL (R64, R64)", "SHL (R64, I8)",
                                        "LEA (R64, M64)", "MOV (R64, M64)",  "PADDD (XMM, XMM)"};
    struct str text = {0};

    str_add(&text, "experiment,cycles\n");
    for (unsigned i = 0; i < ROWS; i++)
        str_addf(&text, "\"%u*%s + %s\",%u\n", i % 97 + 1, names[i % 6], names[(i + 1) % 6],
                 i % 7 + 1);
    work_put("table.csv", str_text(&text));
    str_clear(&text);
    str_add(&text, "experiment,cycles\n\"ADD (R64, R64)\",0.25\n");
    work_put("small.csv", str_text(&text));
    str_done(&text);
}

/* After a failed load the previous table is unchanged. */
static void test_loading(void **state)
{
    struct str printed = {0}, line = {0};
    struct err err = {0};
    struct session s;
    size_t positions = 0;

    session_init(&s);
    str_addf(&line, "experiments load %s", work_path("small.csv"));
    assert_true(run_line(&s, str_text(&line), &printed, &err));
    str_clear(&line);
    str_addf(&line, "experiments load %s", work_path("table.csv"));
    for (;; positions++) {
        begin(positions);
        err_clear(&err);
        mem_fault = fails_once;
        bool ok = run_line(&s, str_text(&line), &printed, &err);
        mem_fault = NULL;
        if (ok)
            break;
        assert_true(atomic_load(&met));
        assert_int_equal(err.code, ERR_MEMORY);
        assert_string_equal(err.file, work_path("table.csv"));
        assert_int_equal(s.document.experiments->rows.count, 1);
        assert_true(run_line(&s, "experiments list", &printed, &err));
    }
    assert_int_equal(s.document.experiments->rows.count, ROWS);
    print_message("%zu large requests failed in turn\n", positions);
    assert_true(positions >= 10);
    session_done(&s);
    str_done(&printed);
    str_done(&line);
}

/* The kernel of a session has the source line of each line of a long text. If the allocation of
 * these lines fails, loading fails and the program continues. */
static void test_source_lines(void **state)
{
    struct str printed = {0}, text = {0}, line = {0};
    struct err err = {0};
    struct session s;
    bool met_once = false;

    session_init(&s);
    for (unsigned i = 0; i < 4 * ROWS; i++)
        str_add(&text, "\n");
    str_add(&text, ".L1:\n addq $1, %rax\n jne .L1\n");
    work_put("long.s", str_text(&text));
    str_addf(&line, "kernel load %s; session save %s", work_path("long.s"), work_path("lines"));
    assert_true(run_line(&s, str_text(&line), &printed, &err));
    str_clear(&text);
    str_addf(&text, "line,source_line\n1,1\n%u,2\n", 4 * ROWS);
    work_put("lines/kernel-lines.csv", str_text(&text));
    work_put("lines/kernel-source.txt", "first\nsecond\n");
    /* With the manifest, the session would be reported as changed by another process. */
    unlink(work_path("lines/manifest.csv"));
    str_clear(&line);
    str_addf(&line, "session load %s", work_path("lines"));
    for (size_t position = 0;; position++) {
        begin(position);
        err_clear(&err);
        mem_fault = fails_on;
        const bool ok = run_line(&s, str_text(&line), &printed, &err);
        mem_fault = NULL;
        if (ok)
            break;
        assert_int_equal(err.code, ERR_MEMORY);
        met_once |= strstr(err.what, "the source lines of a kernel") != NULL;
    }
    assert_true(met_once);
    assert_non_null(s.document.kernel);
    assert_int_equal(s.document.kernel->insns[0].origin, 2);
    session_done(&s);
    str_done(&printed);
    str_done(&text);
    str_done(&line);
}

/* Runs commands over the complete table. All large allocations from a given one on fail, for each
 * large allocation in turn. */
static void test_commands(void **state)
{
    static const char *const commands_tried[] = {"experiments list predicted>1 & cycles>2",
                                                 "experiments list", "evaluate", "congruence",
                                                 "mapping show"};
    struct err err = {0};
    struct session s;
    char line[300];
    unsigned failed = 0, positions = 0;

    session_init(&s);
    snprintf(line, sizeof line, "set machine skylake; experiments load %s", work_path("table.csv"));
    assert_true(run_line(&s, line, NULL, &err));
    for (size_t i = 0; i < sizeof commands_tried / sizeof *commands_tried; i++) {
        snprintf(line, sizeof line, "%s", commands_tried[i]);
        assert_true(run_line(&s, line, NULL, &err));
        atomic_store(&met, true);
        for (size_t at = 0; atomic_load(&met); at++, positions++) {
            begin(at);
            err_clear(&err);
            mem_fault = fails_on;
            bool ok = run_line(&s, line, NULL, &err);
            mem_fault = NULL;
            if (!ok && err.code != ERR_MEMORY)
                fail_msg("%s, large request %zu: %s", line, at, err.what);
            failed += !ok;
        }
    }
    print_message("%u commands of %u failed with a message\n", failed, positions);
    assert_true(failed > 10);
    session_done(&s);
}

/* Views can be drawn, and are complete once memory is available again. */
static void test_views(void **state)
{
    static const char *const lines[] = {"view experiments",
                                        "view experiments; sort form",
                                        "view experiments; filter cycles>2",
                                        "view accuracy",
                                        "view mapping",
                                        "view mapping; sort form"};
    struct str text = {0};
    unsigned met_in = 0;

    char load_table[300];

    snprintf(load_table, sizeof load_table, "set machine skylake; experiments load %s",
             work_path("table.csv"));
    run_to_end(load_table);
    session.interactive = true;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (size_t at = 0; at < 8; at++) {
            frame_run(&frame, "view experiments; sort; filter");
            begin(at);
            session.document.experiments->revision++;
            session.revision++;   /* This invalidates all cached results. */
            mem_fault = fails_on;
            frame_run(&frame, lines[i]);
            for (unsigned k = 0; k < 8; k++) {
                str_clear(&text);   /* Only the newest drawing counts. */
                screen_text(&frame, 120, 40, false, &text);
                job_wait(0);
                frame_jobs(&frame);
            }
            mem_fault = NULL;
            met_in += atomic_load(&met);
            session.revision++;
            session.settings.panes = false;   /* A pane is too narrow for the complete title. */
            for (unsigned k = 0; k < 20 || frame_busy(&frame); k++) {
                str_clear(&text);   /* Only the newest drawing counts. */
                screen_text(&frame, 120, 40, false, &text);
                job_wait(0);
                frame_jobs(&frame);
            }
            assert_non_null(strstr(str_text(&text), i < 3    ? "80000 experiments"
                                                    : i == 3 ? "predicted against measured"
                                                             : "distinct"));
            session.settings.panes = true;
        }
    print_message("memory ran out in %u of %zu drawings\n", met_in,
                  8 * sizeof lines / sizeof *lines);
    assert_true(met_in > 5);
    session.interactive = false;
    str_done(&text);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

#define INSNS 39000
/* The only allocations of this size are made before work begins. */
#define HELD ((size_t)40 << 20)

/* Denies the memory that is reserved before a long loop is analysed or experiments are laid out. */
static bool refuses_to_hold(size_t size)
{
    atomic_fetch_add(&countdown, 1);
    return size >= HELD && size != SHORTAGE_KEPT;
}

static void load_long_loop(struct session *s)
{
    static const char *const bytes[] = {"4801d8",   "480fafd1", "4c8b0406",
                                        "c5f558d0", "4983c101", "4c8d540304"};
    struct str text = {0};
    struct err err = {0};

    str_add(&text, "kernel hex ");
    for (size_t i = 0; i < INSNS; i++)
        str_add(&text, bytes[i * 7 % 11 % (sizeof bytes / sizeof *bytes)]);
    assert_true(run_line(s, str_text(&text), NULL, &err));
    assert_non_null(session_machine(s, "skylake", &err));
    str_done(&text);
}

/* Work with many small allocations that cannot fail does not begin if their total cannot be
 * reserved. It fails before the first allocation. */
static void test_not_begun(void **state)
{
    static const char *const lines[] = {"kernel simulate --machine skylake",
                                        "kernel analyze --machine skylake"};
    struct session s;
    struct err err = {0};

    session_init(&s);
    load_long_loop(&s);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        atomic_store(&countdown, 0);
        err_clear(&err);
        mem_fault = refuses_to_hold;
        bool ok = run_line(&s, lines[i], NULL, &err);
        mem_fault = NULL;
        if (ok || err.code != ERR_MEMORY || atomic_load(&countdown) > INSNS / 10)
            fail_msg("%s: %s after %zu requests: %s", lines[i], ok ? "worked" : "failed",
                     atomic_load(&countdown), err.what);
        assert_true(run_line(&s, lines[i], NULL, &err));
    }
    session_done(&s);
}

#ifndef SANITIZED
#define LIMITS 8
#define PIECE ((size_t)64 << 10)
/* bytes of the work with reserved memory, twice the common reserve */
#define PIECES 1000
#define MORE (PIECES * PIECE + SHORTAGE_KEPT + ((size_t)24 << 20))

/* Returns the number of pages of this process's address space. */
static size_t pages_now(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    size_t pages = 0;

    if (f && fscanf(f, "%zu", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return pages;
}

enum { WORKED, SHORT, OTHER };

/* Runs the line in a child process that can grow by @more bytes of address space. */
static int simulate_within(struct session *s, const char *line, size_t more)
{
    struct err err = {0};
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        struct rlimit limit = {pages_now() * (size_t)sysconf(_SC_PAGESIZE) + more, RLIM_INFINITY};
        if (getrlimit(RLIMIT_AS, &(struct rlimit){0}) != 0 || setrlimit(RLIMIT_AS, &limit) != 0)
            _exit(OTHER);
        bool ok = run_line(s, line, NULL, &err);
        _exit(ok ? WORKED : err.code == ERR_MEMORY ? SHORT : OTHER);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : OTHER;
}

/* Allocates the remaining address space in pieces. */
static void take_the_rest(void)
{
    for (size_t size = (size_t)16 << 20; size >= 4096; size /= 2)
        while (mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
            ;
}

/* Another thread allocates all memory during work with reserved memory. Returns the exit status. */
static int work_under_load(void)
{
    struct shortage mine = {0};
    struct err err = {0};

    if (setrlimit(RLIMIT_AS, &(struct rlimit){pages_now() * (size_t)sysconf(_SC_PAGESIZE) + MORE,
                                              RLIM_INFINITY}) != 0)
        return OTHER;
    shortage_begin(&mine);
    if (!shortage_need(PIECES * PIECE))
        return OTHER;
    take_the_rest();
    for (size_t i = 0; i < PIECES; i++)
        /* This allocation cannot fail. Without the reservation, the program would end here. */
        memset(mem_alloc(PIECE), 1, 1);
    bool was_met = shortage_met();
    shortage_reserve();
    return was_met && !shortage_end(&mine, true, "the work", &err) && err.code == ERR_MEMORY
               ? SHORT
               : OTHER;
}

static void test_promised(void **state)
{
    int status = 0;

    if (!address_space_limited())
        return;
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(OTHER);
        _exit(work_under_load());
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != SHORT)
        fail_msg("the work %s %d", WIFEXITED(status) ? "ended with" : "was ended by signal",
                 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

/* A long loop is analysed and simulated with many allocations that cannot fail, some of them large.
 * Their memory is reserved before the work begins. */
static void test_long_loop(void **state)
{
    static const char *const lines[] = {"kernel simulate --machine skylake",
                                        "kernel analyze --machine skylake"};
    struct session s;
    unsigned outcomes[OTHER + 1] = {0};

    if (!address_space_limited())
        return;
    session_init(&s);
    load_long_loop(&s);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (size_t k = 0; k < LIMITS; k++)
            outcomes[simulate_within(&s, lines[i], ((size_t)24 << 20) * (k + 1))]++;
    print_message("within limits: %u worked, %u failed with a message, %u otherwise\n",
                  outcomes[WORKED], outcomes[SHORT], outcomes[OTHER]);
    assert_true(outcomes[SHORT] > 0 && outcomes[WORKED] > 0);
    assert_int_equal(outcomes[OTHER], 0);
    session_done(&s);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifndef SANITIZED
        cmocka_unit_test(test_promised),
        cmocka_unit_test(test_long_loop),
#endif
        cmocka_unit_test(test_not_begun),
        cmocka_unit_test(test_loading),
        cmocka_unit_test(test_source_lines),
        cmocka_unit_test(test_commands),
        cmocka_unit_test_setup_teardown(test_views, setup, teardown)};
    make_table();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
