/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops of Debian's binaries (tests/data/differences.csv) on Skylake, compared with the installed
 * llvm-mca. Both must agree where docs/differences.md says that they agree. Where it names a
 * reason, the difference must exist, with its direction and kind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "base/str.h"
#include "io/machine_file.h"
#include "base/child.h"
#include "../support/support.h"

#define LOOPS_MAX 64

/* Implications of a reason: the ratio of Portolan's to llvm-mca's cycles, and Portolan's
 * bottleneck. */
struct reason {
    const char *name;
    double least, most;
    unsigned bottlenecks;   /* bits of enum bound_kind; 0 for any */
};

static const struct reason reasons[] = {
    {"agree", 0.95, 1.05, 0},
    {"forwarding", 1.3, 9, 1u << BOUND_DEPENDENCIES},
    {"lea", 1.3, 9, 1u << BOUND_DEPENDENCIES},
    {"store-port", 1.2, 9, 1u << BOUND_PORTS},
    {"unlaminated", 1.2, 9, 1u << BOUND_ISSUE},
    {"jump-boundary", 1.3, 9, 1u << BOUND_FRONTEND},
    {"taken-branch", 1.3, 9, 1u << BOUND_FRONTEND},
    {"elimination", 0, 0.8, 0},
    {"carry-immediate", 0, 0.8, 0},
    {"chase", 0, 0.8, 1u << BOUND_DEPENDENCIES},
    {"merge-after-load", 0, 0.8, 0},
};

struct loop {
    char reason[32], hex[256];
    double cycles[2];   /* llvm-mca's cycles for two numbers of iterations */
};

static size_t read_loops(struct loop *loops)
{
    const char *path = source_path("tests/data/differences.csv");
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s cannot be read", path);
    char line[512], where[128];
    size_t n = 0;
    while (fgets(line, sizeof line, file))
        if (n < LOOPS_MAX && sscanf(line, "%31[^,],%127[^,],%255[0-9a-f]", loops[n].reason, where,
                                    loops[n].hex) == 3)
            n++;
    fclose(file);
    return n;
}

static struct kernel *loop_kernel(const struct loop *loop)
{
    struct err err = {0};
    struct kernel *k = kernel_from_hex(ISA_X86_64, loop->hex, &err);
    if (!k)
        fail_msg("%s: %s", loop->hex, err.what);
    return k;
}

static void add_region(const struct loop *loop, struct str *out)
{
    struct kernel *k = loop_kernel(loop);
    str_add(out, "# LLVM-MCA-BEGIN\n");
    for (size_t i = 0; i < k->insn_count; i++) {
        struct insn again;
        assert_true(
            insn_decode(ISA_X86_64, k->insns[i].bytes, k->insns[i].length, 0, true, &again, NULL));
        if (again.traits & INSN_BRANCH)   /* llvm-mca ignores branch targets. */
            str_addf(out, "%s elsewhere\n", again.mnemonic);
        else
            str_addf(out, "%s\n", again.text);
        insn_done(&again);
    }
    str_add(out, "# LLVM-MCA-END\n");
    kernel_free(k);
}

static void run_peer(struct loop *loops, size_t count, int which, const char *iterations)
{
    static const struct child_limits limits = {.cpu_seconds = 60,
                                               .memory = (size_t)4 << 30,
                                               .file_size = 1 << 20,
                                               .wall_seconds = 120,
                                               .output = 8 << 20};
    const char *argv[] = {"llvm-mca-22", "-mtriple=x86_64",         "-mcpu=skylake",
                          iterations,    "-instruction-info=false", "-resource-pressure=false",
                          NULL};
    struct child_result result;
    struct err err = {0};
    struct str input = {0};

    str_add(&input, ".intel_syntax noprefix\n");
    for (size_t i = 0; i < count; i++)
        add_region(&loops[i], &input);
    if (!child_run(argv, "/tmp", input.data, input.length, &limits, &result, &err))
        fail_msg("llvm-mca: %s", err.what);
    const char *at = str_text(&result.output);
    for (size_t i = 0; i < count; i++) {
        at = strstr(at, "Total Cycles:");
        if (!at)
            fail_msg("llvm-mca: %.400s", str_text(&result.output));
        at += strlen("Total Cycles:");
        loops[i].cycles[which] = strtod(at, NULL);
    }
    child_result_done(&result);
    str_done(&input);
}

static bool has_program(const char *name)
{
    char path[4096];
    for (const char *at = getenv("PATH"); at && *at; at += strcspn(at, ":"), at += *at == ':') {
        snprintf(path, sizeof path, "%.*s/%s", (int)strcspn(at, ":"), at, name);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

static const struct reason *reason_named(const char *name)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strcmp(reasons[i].name, name) == 0)
            return &reasons[i];
    fail_msg("no reason is called %s", name);
    return NULL;
}

static void test_differences(void **state)
{
    static struct loop loops[LOOPS_MAX];
    size_t count = read_loops(loops);
    struct err err = {0};
    struct machine *m = machine_load("skylake", &err);
    if (!m)
        fail_msg("%s", err.what);
    assert_true(count >= 20);
    if (!has_program("llvm-mca-22")) {
        print_message("llvm-mca-22 is not installed: nothing to compare with\n");
        machine_free(m);
        skip();
    }
    run_peer(loops, count, 0, "-iterations=100");
    run_peer(loops, count, 1, "-iterations=300");
    for (size_t i = 0; i < count; i++) {
        struct kernel *k = loop_kernel(&loops[i]);
        struct analysis *a = analysis_new(k, 0, m);
        const struct reason *why = reason_named(loops[i].reason);
        double peer = (loops[i].cycles[1] - loops[i].cycles[0]) / 200, ratio = a->cycles / peer;
        if (ratio < why->least || ratio > why->most ||
            (why->bottlenecks && !(why->bottlenecks >> a->bottleneck & 1)))
            fail_msg("%s (%s): %.3f by %s, llvm-mca %.3f", loops[i].hex, why->name, a->cycles,
                     bound_name(a->bottleneck), peer);
        analysis_free(a);
        kernel_free(k);
    }
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_differences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
