/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs every command and every loader with failing allocations, at each allocation in turn. Each
 * succeeds or fails with a message, and the same command works afterwards. SWEEP=N is the number of
 * positions for each (make torture uses more, and checks for leaks). */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/shortage.h"
#include "cmd/command.h"
#include "cmd/autosave.h"
#include "program/runtime/layout.h"
#include "../support/support.h"

static atomic_ulong calls;
static unsigned long first;
static atomic_bool met, over, yielded;
static _Atomic(struct shortage *) short_of;
static _Atomic int64_t left;

static const char *at_work = "";

static void on_abort(int number)
{
    fprintf(stderr, "%s, allocation %lu\n", at_work, first);
}

static bool counts(size_t size)
{
    atomic_fetch_add(&calls, 1);
    return false;
}

/* Makes one allocation fail. */
static bool fails_once(size_t size)
{
    bool now = atomic_fetch_add(&calls, 1) == first;
    if (now)
        atomic_store(&met, true);
    return now;
}

/* After one allocation, only the reserve can be allocated, until the work that received it has
 * ended. */
static bool fails_on(size_t size)
{
    struct shortage *mine = shortage_current(), *none = NULL;

    if (atomic_fetch_add(&calls, 1) < first || atomic_load(&over))
        return false;
    atomic_store(&met, true);
    if (size == SHORTAGE_KEPT || size == SHORTAGE_LAST)
        return true;
    if (!mine)   /* No thread has the reserve, so this one receives it. */
        return !atomic_exchange(&yielded, true) ||
               atomic_fetch_sub(&left, (int64_t)size) < (int64_t)size;
    if (!atomic_load(&mine->needed)) {
        bool another = atomic_load(&short_of) && atomic_load(&short_of) != mine;
        atomic_store(&over, another);
        return !another;
    }
    atomic_compare_exchange_strong(&short_of, &none, mine);
    return atomic_fetch_sub(&left, (int64_t)size) < (int64_t)size;
}

static bool run(struct session *s, const char *pattern, struct str *printed, struct err *err)
{
    struct str line = {0};
    bool (*fault)(size_t size) = mem_fault;

    mem_fault = NULL;
    work_expand(pattern, &line);
    err_clear(err);
    mem_fault = fault;
    bool ok = run_line(s, str_text(&line), printed, err);
    mem_fault = NULL;
    str_done(&line);
    return ok;
}

static void must_run(struct session *s, const char *pattern, struct str *printed)
{
    struct err err = {0};
    if (!run(s, pattern, printed, &err))
        fail_msg("%s: %s %s", pattern, err.file, err.what);
}

/* Writes the section that portolan-cc adds to an executable, with a unit of many blocks. */
static void put_about(void)
{
    struct str json = {0}, text = {0};

    str_add(&json, "{\\\"key\\\":\\\"a\\\",\\\"assembly\\\":\\\"\\\",\\\"functions\\\":[{"
                   "\\\"name\\\":\\\"main\\\",\\\"blocks\\\":[");
    for (unsigned i = 0; i < 40; i++)
        str_addf(&json,
                 "%s{\\\"line\\\":1,\\\"ops\\\":[\\\"fadd\\\",\\\"fmul "
                 "0\\\"],\\\"next\\\":[0],\\\"calls\\\":[\\\"f\\\"]}",
                 i ? "," : "");
    str_add(&json, "]}],\\\"references\\\":[]}");
    size_t escapes = 0;
    for (const char *at = str_text(&json); *at; at++)
        escapes += *at == '\\';
    str_addf(&text, "\t.section %s,\"a\"\n\t.ascii \"%s %zu\\n%s\\n\"\n", PORTOLAN_ABOUT_SECTION,
             PORTOLAN_ABOUT_MAGIC, json.length - escapes, str_text(&json));
    work_put("about.s", str_text(&text));
    str_done(&json);
    str_done(&text);
}

/* Writes the input files of the commands below. */
static void make_files(struct session *s)
{
    struct str printed = {0}, rows = {0}, command = {0};

    work_put("loop.s", ".L3:\n\tvmovupd (%rdi,%rax), %ymm0\n\tvfmadd231pd (%rsi,%rax), %ymm0, "
                       "%ymm1\n\taddq $32, %rax\n\tcmpq %rdx, %rax\n\tjne .L3\n");
    work_put("forms.csv",
             "form,template,extension\n\"ADD (R64, R64)\",\"add {RW:R64}, {R:R64}\",MINE\n");
    work_put("script.pf", "kernel hex 4801d84829c375f8\nkernel analyze\n");
    str_add(&rows, "hex,cycles\n");
    for (unsigned i = 0; i < 50; i++)
        str_addf(&rows, "4801d84829c3,%u\n4801d8480fafc3,3\n", 2 + i % 2);
    work_put("blocks.csv", str_text(&rows));
    str_clear(&rows);
    str_add(&rows, "experiment,cycles\n");
    static const char *const names[] = {"ADD (R64, R64)", "IMUL (R64, R64)", "SHL (R64, I8)",
                                        "LEA (R64, M64)", "MOV (R64, M64)",  "PADDD (XMM, XMM)"};
    for (unsigned i = 0; i < 6; i++) {
        str_addf(&rows, "\"%s\",%g\n", names[i], i ? 0.5 + 0.25 * (i % 3) : 0.25);
        for (unsigned k = 0; k < i; k++)
            str_addf(&rows, "\"%s + %s\",%g\n", names[i], names[k], 1 + 0.25 * ((i + k) % 3));
    }
    work_put("experiments.csv", str_text(&rows));
    work_expand("as --64 -o @/loop.o @/loop.s && { cat @/loop.s @/about.s; } | as --64 -o "
                "@/built.o - && ld -e 0 -o @/built @/built.o",
                &command);
    put_about();
    assert_int_equal(system(str_text(&command)), 0);
    must_run(s,
             "set threads 2; set seed 1; kernel load @/loop.s; mapping use skylake; experiments "
             "load @/experiments.csv; experiments save @/experiments.json",
             &printed);
    must_run(s,
             "mapping export osaca @/m.yml; mapping export pmevo @/m.json; mapping export csv "
             "@/m.csv; mapping export uops-info @/uops.csv; mapping save @/machine",
             &printed);
    must_run(s, "session save @/session", &printed);
    str_done(&printed);
    str_done(&rows);
    str_done(&command);
}

static const struct trial {
    const char *before, *command;
    bool varies;   /* This prints times, which vary. */
} trials[] = {
    {"", "kernel load @/loop.s", false},
    {"", "kernel load @/loop.o", false},
    {"", "kernel analyze", false},
    {"set format json", "kernel analyze", false},
    {"set format json", "kernel simulate", false},
    {"set format text", "kernel simulate", false},
    {"", "kernel whatif issue_width=2..6", false},
    {"", "kernel show", false},
    {"", "kernel report @/report.html", false},
    {"", "kernel save @/saved.s", false},
    {"", "kernel evaluate @/blocks.csv --machine skylake", true},
    {"", "source @/script.pf", false},
    {"", "mapping load @/machine", false},
    {"", "mapping import osaca @/m.yml", false},
    {"", "mapping import pmevo @/m.json", false},
    {"", "mapping import csv @/m.csv", false},
    {"", "mapping import uops-info @/uops.csv", false},
    {"mapping use skylake", "mapping export osaca @/out.yml", false},
    {"", "mapping export pmevo @/out.json", false},
    {"", "mapping export uops-info @/out.csv", false},
    {"", "mapping save @/machine", false},
    {"", "mapping diff skylake haswell", false},
    {"", "mapping show ADD*", false},
    {"", "machine show haswell", false},
    {"", "throughput 2*ADD (R64, R64) + IMUL (R64, R64)", false},
    {"", "forms list ADD*", false},
    {"", "forms add @/forms.csv", false},
    {"", "forms scan @/loop.o", true},
    {"", "experiments load @/experiments.csv", false},
    {"", "experiments import @/experiments.json", false},
    {"", "experiments list", false},
    {"", "experiments save @/out.csv", false},
    {"experiments load @/experiments.csv", "evaluate", false},
    {"", "evaluate @/experiments.json --heatmap", false},
    {"", "congruence", false},
    {"", "experiments generate --random 20", false},
    {"", "experiments measure --simulate skylake", true},
    {"experiments load @/experiments.csv",
     "evolve start --ports 4 --generations 1 --population 2 --checkpoint @/checkpoint; evolve wait",
     true},
    {"experiments load @/experiments.csv",
     "evolve start --algorithm pmevo --population 20 --ports 4 --generations 2 --checkpoint none; "
     "evolve wait",
     true},
    {"kernel load @/loop.s", "session save @/session", false},
    {"", "session load @/session", false},
    {"kernel analyze", "export @/out.html", false},
    {"", "help kernel load", false},
    {"", "machine hunt --machine skylake --against haswell --blocks 30 --forms 60", true},
    {"", "program load @/built", false},
};

static unsigned long positions(void)
{
    const char *text = getenv("SWEEP");
    return text ? strtoul(text, NULL, 10) : 1;
}

static void try_at(struct session *s, const struct trial *t, bool (*fault)(size_t size),
                   const char *expected, unsigned *failed)
{
    struct str printed = {0};
    struct err err = {0};

    if (*t->before)
        must_run(s, t->before, &printed);
    atomic_store(&calls, 0);
    atomic_store(&met, false);
    atomic_store(&over, false);
    atomic_store(&yielded, false);
    atomic_store(&short_of, NULL);
    atomic_store(&left, (int64_t)SHORTAGE_KEPT);
    shortage_keep();
    at_work = t->command;
    mem_fault = fault;
    bool ok = run(s, t->command, &printed, &err);
    if (!ok && (err.code != ERR_MEMORY || !atomic_load(&met)))
        fail_msg("%s, allocation %lu: %s %s", t->command, first, err.file, err.what);
    if (ok && !t->varies && strcmp(str_text(&printed), expected) != 0)
        fail_msg("%s, allocation %lu: says something else:\n%s\ninstead of\n%s", t->command, first,
                 str_text(&printed), expected);
    *failed += !ok;
    str_done(&printed);
}

static void test_commands(void **state)
{
    unsigned long runs = 0, needed = positions();
    unsigned failed = 0;
    struct str expected = {0}, again = {0};
    struct session s;
    struct rng rng;

    rng_seed(&rng, 1);
    session_init(&s);
    make_files(&s);
    for (const struct trial *t = trials; t < trials + sizeof trials / sizeof *trials; t++) {
        for (int i = 0; i < 2; i++) {   /* The second iteration finds caches filled. */
            must_run(&s, t->before, &expected);
            atomic_store(&calls, 0);
            mem_fault = counts;
            must_run(&s, t->command, &expected);
        }
        unsigned long all = atomic_load(&calls);
        for (unsigned long i = 0; i < 2 * needed; i++, runs++) {
            first = all < needed ? i / 2 % all
                                 : (unsigned long)((double)(i / 2) / (double)needed * (double)all) +
                                       rng_below(&rng, (uint32_t)(all / needed));
            try_at(&s, t, i % 2 ? fails_on : fails_once, str_text(&expected), &failed);
            must_run(&s, t->before, &again);
            must_run(&s, t->command, &again);
            if (!t->varies)
                assert_string_equal(str_text(&again), str_text(&expected));
        }
    }
    print_message("%lu faults: %u commands failed with a message, the others worked\n", runs,
                  failed);
    str_done(&expected);
    str_done(&again);
    session_done(&s);
}

#define TOO_MUCH 54321

static bool refuses(size_t size)
{
    return size == TOO_MUCH;
}

/* A small failed allocation ends the program. The session is completely saved before. */
static void test_session_is_saved(void **state)
{
    struct str printed = {0}, line = {0}, path = {0};
    struct session s;
    char found[512] = "";
    int status;

    setenv("XDG_STATE_HOME", work_path(""), 1);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        session_init(&s);
        must_run(
            &s,
            "kernel hex 4801d84829c375f8; mapping new 4 mine; mapping set 'ADD (R64, R64)' 1*p01",
            &printed);
        rescue_set(&s);
        mem_fault = refuses;
        mem_alloc(TOO_MUCH);
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    work_expand("ls -d @/portolan/rescued-*", &line);
    FILE *list = popen(str_text(&line), "r");
    assert_non_null(list);
    assert_non_null(fgets(found, sizeof found, list));
    pclose(list);
    found[strcspn(found, "\n")] = '\0';
    session_init(&s);
    str_addf(&path, "session load %s", found);
    must_run(&s, str_text(&path), &printed);
    must_run(&s, "kernel show; mapping show 'ADD (R64, R64)'", &printed);
    assert_non_null(strstr(str_text(&printed), "jnz"));
    assert_non_null(strstr(str_text(&printed), "p01"));
    session_done(&s);
    str_done(&printed);
    str_done(&line);
    str_done(&path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_session_is_saved),
                                       cmocka_unit_test(test_commands)};

    signal(SIGABRT, on_abort);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
