/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nested loops: the cycles of an iteration of the outer loop, by hand, and compared with the same
 * iteration unrolled. */
#include <math.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/str.h"
#include "cmd/session.h"
#include "model/facts.h"
#include "simulate/nested.h"
#include "simulate/simulate.h"
#include "../support/support.h"

static struct session session;

static const struct machine *machine(const char *id)
{
    struct err err = {0};
    const struct machine *m = session_machine(&session, id, &err);

    if (!m)
        fail_msg("%s", err.what);
    return m;
}

/* Returns the loop of @k that contains all others. */
static size_t outermost(const struct kernel *k)
{
    size_t found = 0;

    while (k->loops[found].depth != 1)
        found++;
    return found;
}

static double cycles_of(const char *text, const char *id, double trips, double *most)
{
    struct kernel *k = kernel_of(text);
    struct nested n;

    nested_time(k, outermost(k), machine(id), trips, &n);
    const double cycles = n.cycles;
    if (most)
        *most = n.most;
    nested_done(&n);
    kernel_free(k);
    return cycles;
}

/* A chain through both loops costs one multiplication per inner iteration, regardless of other
 * contents of the loops. The trip counts of three loops multiply. */
static void test_chain(void **state)
{
    static const double trips[] = {1, 2, 7, 64, 1000, 5e6, 1e12};
    static const char *const ids[] = {"skylake", "znver3", "haswell"};

    for (size_t m = 0; m < sizeof ids / sizeof *ids; m++)
        for (size_t i = 0; i < sizeof trips / sizeof *trips; i++) {
            const double n = trips[i];
            double most,
                found = cycles_of(
                    "1: movl $9, %ecx\n2: imulq %rax, %rax\ndecl %ecx\njne 2b\ndecl %edx\njne 1b\n",
                    ids[m], n, &most);
            if (fabs(found - 3 * n) > 1e-6 * n + 0.01)
                fail_msg("%s: %g trips take %.4f", ids[m], n, found);
            assert_true(most >= found + fact_number(machine(ids[m]), "branch_miss") - 1e-6 * n);
            if (n > 1e6)
                continue;
            found = cycles_of("1: movl $9, %ecx\n2: movl $9, %ebx\n3: imulq %rax, %rax\ndecl "
                              "%ebx\njne 3b\ndecl %ecx\njne 2b\ndecl %edx\njne 1b\n",
                              ids[m], n, NULL);
            if (fabs(found - 3 * n * n) > 0.01 + 1e-6 * n * n)
                fail_msg("%s: %g times %g trips take %.4f", ids[m], n, n, found);
        }
}

/* Backward jumps, one per cycle, take longer than the chains. */
static void test_jumps(void **state)
{
    for (double trips = 4; trips < 5000; trips *= 7) {
        const double found = cycles_of(
            "1: movl $9, %ecx\n2: decl %ecx\njne 2b\ndecl %edx\njne 1b\n", "skylake", trips, NULL);
        assert_true(found >= trips && found <= trips + 2);
    }
}

/* Of an outer loop with two arms, the longest path counts, and the inner loops on it. */
static void test_arms(void **state)
{
    static const char inner[] = "3: imulq %rax, %rax\ndecl %ecx\njne 3b\n",
                      product[] = "imulq %rax, %rax\n";
    static const char *const ids[] = {"skylake", "znver3"};
    struct str text = {0};

    for (unsigned on_path = 0; on_path < 2; on_path++) {
        /* The first arm has 7 products, the second one has 2. One of them has the inner loop. */
        str_clear(&text);
        str_add(&text, "jmp 2f\nnop\n1: movl $9, %ecx\n");
        for (unsigned i = 0; i < 7; i++)
            str_add(&text, product);
        str_addf(&text, "%s2: testl %%esi, %%esi\njne 1b\n%s%s%sdecl %%edx\njne 2b\nret\n",
                 on_path ? inner : "", product, product, on_path ? "" : inner);
        struct kernel *k = kernel_of(str_text(&text));
        assert_int_equal(k->loop_count, 2);
        for (size_t m = 0; m < sizeof ids / sizeof *ids; m++)
            for (double trips = 1; trips < 1e5; trips *= 9) {
                struct nested n;
                nested_time(k, outermost(k), machine(ids[m]), trips, &n);
                const double expected = 3 * (7 + on_path * trips);
                if (fabs(n.cycles - expected) > 1e-6 * trips + 0.01)
                    fail_msg("%s: %g trips take %.4f, not %.4f", ids[m], trips, n.cycles, expected);
                assert_int_equal(n.inner.count, 1);
                assert_int_equal(n.inner.items[0].skipped, !on_path);
                nested_done(&n);
            }
        kernel_free(k);
    }
    str_done(&text);
}

/* Memory renaming on a Zen 5 depends on the loads of the code, and not on how often an inner loop
 * executes them. Measured: 43 and 144 cycles for 40 and 100 trips of the first loop, 286 for 100
 * trips of the second, whose load needs the store before the last. */
static void test_renaming_in_trips(void **state)
{
    static const char next[] =
        "1: movl $9, %ecx\n2: leaq 8(%rsi), %rbx\naddq $1, 8(%rbx)\ndecl %ecx\njne 2b\n"
        "decl %edx\njne 1b\n";
    static const char before[] =
        "1: movl $9, %ecx\n2: movq -16(%rdi), %rax\naddq %rbx, %rax\nmovq %rax, (%rdi)\n"
        "addq $8, %rdi\ndecl %ecx\njne 2b\ndecl %edx\njne 1b\n";
    static const double trips[] = {30, 40, 41, 100, 1000};

    for (size_t i = 0; i < sizeof trips / sizeof *trips; i++) {
        const double found = cycles_of(next, "zen5-charted", trips[i], NULL),
                     slow = cycles_of(before, "zen5-charted", trips[i], NULL);
        if (found < trips[i] || found > 1.1 * trips[i] + 20)
            fail_msg("%g trips take %.2f", trips[i], found);
        if (slow < 2.5 * trips[i] || slow > 4.1 * trips[i] + 20)
            fail_msg("%g trips take %.2f, with the store before the last", trips[i], slow);
    }
}

/* Returns the cycles of the inner loop's body repeated @trips times, with each jump to the next
 * copy. */
static double written_out(const char *id, unsigned trips)
{
    struct str text = {0};
    struct simulation sim;

    str_add(&text, "1: xorps %xmm0, %xmm0\nmovq %rdi, %rsi\nmovl $9, %ecx\n");
    for (unsigned i = 0; i < trips; i++)
        str_add(&text, "addsd (%rsi), %xmm0\naddq $8, %rsi\ndecl %ecx\njne 2f\n2:");
    str_add(&text, "movsd %xmm0, (%rbx)\naddq $8, %rbx\ndecl %edx\njne 1b\n");
    struct kernel *k = kernel_of(str_text(&text));
    simulate_kernel(k, outermost(k), machine(id), &(struct simulate_options){0}, &sim, NULL);
    const double cycles = sim.cycles;
    simulation_done(&sim);
    kernel_free(k);
    str_done(&text);
    return cycles;
}

/* Chains of one iteration overlap those of the next within the reorder buffer. The result equals
 * that of the unrolled loop. */
static void test_overlap(void **state)
{
    static const unsigned trips[] = {1, 3, 20, 60, 150, 300};
    static const char *const ids[] = {"znver3", "haswell"};

    for (size_t m = 0; m < sizeof ids / sizeof *ids; m++)
        for (size_t i = 0; i < sizeof trips / sizeof *trips; i++) {
            /* Each inner iteration has a backward jump, which the unrolled loop lacks. */
            const double expected = fmax(written_out(ids[m], trips[i]), trips[i]);
            const double found =
                cycles_of("1: xorps %xmm0, %xmm0\nmovq %rdi, %rsi\nmovl $9, %ecx\n2: addsd (%rsi), "
                          "%xmm0\naddq $8, %rsi\ndecl %ecx\njne 2b\n"
                          "movsd %xmm0, (%rbx)\naddq $8, %rbx\ndecl %edx\njne 1b\n",
                          ids[m], trips[i], NULL);
            if (fabs(found / expected - 1) > 0.02)
                fail_msg("%s: %u trips take %.2f, written out %.2f", ids[m], trips[i], found,
                         expected);
        }
}

/* Reports unmodelled effects by name. */
static void test_notes(void **state)
{
    static const struct { const char *text, *says;
    } notes[] = {
        {".L1: movl $9, %ecx\n.L2: decl %ecx\njne .L2\ndecl %edx\njne .L1\n",
         " An inner loop runs here (.L2, lines 2 to 3): one iteration is assumed, because "
         "the trip count is unknown. To assume 64 inner iterations, use kernel analyze --trip 64."},
        {".L1: movl $9, %ecx\n.L2: decl %ecx\njne .L2\n.L3: incl %ecx\njne .L3\ndecl %edx\njne "
         ".L1\n",
         " Inner loops run here (.L2, lines 2 to 3; .L3, lines 4 to 5): one iteration of each is "
         "assumed"},
        {".L1: call f\ncall g\ndecl %edx\njne .L1\n",
         " Called functions are not included (call f; call g)."},
        {"f: nop\n.L1: cmpl $6, (%rdi)\nje .L3\n.L2: dec %esi\njne .L1\nret\n.L3: inc %eax\n"
         "jmp .L2\n",
         " An iteration may also execute 2 instructions outside of these lines, which the "
         "prediction does not include (line 7)."},
    };

    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        struct kernel *k = kernel_of(notes[i].text);
        struct analysis *a = analysis_new(k, outermost(k), machine("skylake"));
        if (!strstr(a->sentence, notes[i].says))
            fail_msg("\"%s\" lacks \"%s\"", a->sentence, notes[i].says);
        analysis_free(a);
        /* Of an innermost loop, only calls are unmodelled. */
        a = analysis_new(k, 0, machine("skylake"));
        assert_null(strstr(a->sentence, "loop runs here"));
        analysis_free(a);
        kernel_free(k);
    }
}

static bool runs(const char *pattern, struct str *out, struct err *err)
{
    struct str line = {0};

    work_expand(pattern, &line);
    bool ok = run_line(&session, str_text(&line), out, err);
    str_done(&line);
    return ok;
}

static void test_command(void **state)
{
    struct str out = {0};
    struct err err = {0};

    work_put("nest.s",
             ".L1: movl $9, %ecx\n.L2: imulq %rax, %rax\ndecl %ecx\njne .L2\ndecl %edx\njne .L1\n");
    assert_true(runs("set machine skylake; kernel load @/nest.s", &out, &err));
    assert_false(runs("kernel analyze --trip 64", &out, &err));
    assert_non_null(strstr(err.what, "the loop has no inner loop"));
    assert_false(runs("kernel analyze --trip 64 --all", &out, &err));
    assert_true(runs("kernel load @/nest.s --loop 2; kernel analyze --trip 64", &out, &err));
    assert_non_null(
        strstr(str_text(&out), "192.00 cycles per iteration with all inner loops, at most "));
    assert_non_null(
        strstr(str_text(&out), "64 iterations of innermost loop .L2, 3.00 cycles each"));
    assert_false(runs("kernel analyze --trip 0", &out, &err));
    work_put("arms.s",
             "jmp .L2\n.L1: imulq %rax, %rax\nimulq %rax, %rax\nimulq %rax, %rax\nimulq %rax, "
             "%rax\nimulq %rax, %rax\nimulq %rax, %rax\n.L2: testl %esi, %esi\njne .L1\n"
             ".L3: decl %ecx\njne .L3\ndecl %edx\njne .L2\nret\n");
    assert_true(runs("kernel load @/arms.s --loop 2; kernel analyze --trip 64", &out, &err));
    assert_non_null(strstr(str_text(&out), "18.00 cycles per iteration with all inner loops"));
    assert_non_null(strstr(str_text(&out),
                           "no iteration of innermost loop .L3, which is not on the longest path"));
    str_done(&out);
}

static int setup(void **state)
{
    session_init(&session);
    return 0;
}

static int teardown(void **state)
{
    session_done(&session);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chain), cmocka_unit_test(test_jumps),
                                       cmocka_unit_test(test_renaming_in_trips),
                                       cmocka_unit_test(test_arms),
                                       cmocka_unit_test(test_overlap), cmocka_unit_test(test_notes),
                                       cmocka_unit_test(test_command)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
