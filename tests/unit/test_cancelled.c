/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every loader, and every writer of many rows, can be cancelled at any time. After an interruption
 * between two allocations it ends with a message after few more allocations. The test reads no
 * clock. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmd/command.h"
#include "work/job.h"
#include "../support/support.h"

#define FEW 0.15       /* largest fraction of all allocations after an interruption */
#define AND 3000       /* number of allocations permitted in addition: about 1 to 2 ms */

static atomic_ulong calls;
static unsigned long at;

static bool interrupts(size_t size)
{
    if (atomic_fetch_add(&calls, 1) == at)
        job_interrupt();
    return false;
}

static bool run(struct session *s, const char *pattern, struct err *err)
{
    struct str line = {0}, printed = {0};
    work_expand(pattern, &line);
    err_clear(err);
    atomic_store(&calls, 0);
    mem_fault = interrupts;
    bool ok = run_line(s, str_text(&line), &printed, err);
    mem_fault = NULL;
    str_done(&line);
    str_done(&printed);
    return ok;
}

static void must_run(struct session *s, const char *pattern)
{
    struct err err = {0};
    at = UINT64_MAX;
    if (!run(s, pattern, &err))
        fail_msg("%s: %s %s", pattern, err.file, err.what);
}

static void make_files(struct session *s)
{
    struct str text = {0};

    for (unsigned i = 0; i < 2000; i++)
        str_addf(&text,
                 ".globl f%u\n.type f%u,@function\nf%u:\n.L%u:\n\tvmovupd (%%rdi,%%rax), "
                 "%%ymm0\n\tvfmadd231pd (%%rsi,%%rax), %%ymm0, %%ymm1\n\taddq $32, %%rax\n\tcmpq "
                 "%%rdx, %%rax\n\tjne .L%u\n\tret\n\t.size f%u,.-f%u\n",
                 i, i, i, i, i, i, i);
    work_put("loops.s", str_text(&text));
    str_clear(&text);
    str_add(&text, "hex,cycles\n");
    for (unsigned i = 0; i < 12000; i++)
        str_addf(&text, "4801d84829c3%02x%02x,%u\n", 0x50 + i % 8, 0x58 + i % 8, 2 + i % 2);
    work_put("blocks.csv", str_text(&text));
    str_clear(&text);
    str_add(&text, "experiment,cycles\n");
    static const char *const names[] = {"ADD (R64, R64)", "IMUL (R64, R64)", "SHL (R64, I8)",
                                        "LEA (R64, M64)", "MOV (R64, M64)",  "PADDD (XMM, XMM)"};
    for (unsigned i = 0; i < 6000; i++)
        str_addf(&text, "\"%u*%s + %s\",%u\n", i % 97 + 1, names[i % 6], names[(i + 1) % 6],
                 i % 7 + 1);
    work_put("experiments.csv", str_text(&text));
    str_clear(&text);
    work_expand("as --64 -o @/loops.o @/loops.s && head -n 6000 ", &text);
    str_addf(&text, "%s > %s", source_path("data/isa/x86-64.csv"), work_path("x86-64.csv"));
    assert_int_equal(system(str_text(&text)), 0);
    must_run(s, "set seed 1; mapping use skylake; experiments load @/experiments.csv; experiments "
                "save @/experiments.json");
    must_run(s, "mapping export osaca @/m.yml; mapping export pmevo @/m.json; mapping export csv "
                "@/m.csv; mapping export uops-info @/uops.csv; mapping save @/machine");
    must_run(s, "mapping load @/machine; session save @/session");
    str_done(&text);
}

/* Cancelling works during the first @last fifths of the allocations. Later the complete result is
 * stored. */
static const struct { const char *command; unsigned last;
} trials[] = {
    {"kernel load @/loops.s", 3},
    {"kernel load @/loops.o", 4},
    {"kernel evaluate @/blocks.csv --machine skylake", 4},
    {"mapping load @/machine", 4},
    {"mapping load @/m.csv", 4},
    {"mapping import osaca @/m.yml", 4},
    {"mapping import pmevo @/m.json", 4},
    {"mapping import csv @/m.csv", 4},
    {"mapping import uops-info @/uops.csv", 4},
    {"forms add @/x86-64.csv", 4},
    {"forms scan @/loops.o", 3},
    {"experiments load @/experiments.csv", 4},
    {"experiments import @/experiments.json", 4},
    {"evaluate @/experiments.json", 4},
    {"session load @/session", 4},
    {"experiments save @/out.csv", 4},
    {"experiments save @/out.json", 4},
    {"mapping save @/machine", 4},
    {"mapping save @/m.csv", 4},
    {"mapping export osaca @/m.yml", 4},
    {"mapping export pmevo @/m.json", 4},
    {"mapping export csv @/m.csv", 4},
    {"mapping export uops-info @/uops.csv", 4},
    {"session save @/session", 4},
};

/* Interrupts at allocation @all, in a child process because the interruption of a script persists.
 * Returns whether the script ended in time with a message. */
static bool ends(struct session *s, const char *trial, unsigned long all)
{
    int status;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        struct err err = {0};
        bool ok = run(s, trial, &err);
        unsigned long after = atomic_load(&calls) - at;
        bool ended = !ok && (err.code == ERR_INTERRUPTED || strstr(err.what, "was cancelled")) &&
                     (double)after <= FEW * (double)all + AND;
        if (!ended)
            fprintf(stderr, "%s, at %lu of %lu: %s, %lu more allocations\n", trial, at, all,
                    ok ? "done all the same" : err.what, after);
        _exit(!ended);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void test_loaders(void **state)
{
    struct session s;
    unsigned overdue = 0;

    session_init(&s);
    make_files(&s);
    for (size_t t = 0; t < sizeof trials / sizeof *trials; t++) {
        must_run(&s, trials[t].command);
        must_run(&s, trials[t].command);   /* The first run filled the caches. */
        unsigned long all = atomic_load(&calls);
        for (unsigned share = 1; share <= trials[t].last; share++) {
            at = all * share / 5;
            overdue += !ends(&s, trials[t].command, all);
        }
    }
    session_done(&s);
    assert_int_equal(overdue, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loaders)};
    return cmocka_run_group_tests_name("cancelled", tests, NULL, NULL);
}
