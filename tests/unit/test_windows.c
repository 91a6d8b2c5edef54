/* SPDX-License-Identifier: GPL-3.0-or-later */
/* µop caches that deliver by windows of code: measurements of moves and nops of all lengths on a
 * Zen 5, counts by hand, and the simulation. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/windows.h"
#include "base/rng.h"
#include "simulate/simulate.h"
#include "../support/support.h"

#define INSNS_MOST 64
#define WIDTH 8.0            /* slots per cycle of the measured CPU */

/* A block of instructions, each of which only uses a slot. */
struct block {
    struct insn insns[INSNS_MOST];
    struct cost rows[INSNS_MOST];
    struct costs costs;
};

static struct core core_with(double line, double window, double lines, double again)
{
    return (struct core){.uop_cache_line_insns = line,
                         .uop_cache_window = window,
                         .uop_cache_window_lines = lines,
                         .uop_cache_window_again = again};
}

static void block_of(struct block *b, const unsigned char *lengths, size_t count, bool loop)
{
    static const struct op plain;

    memset(b, 0, sizeof *b);
    for (size_t i = 0; i < count; i++) {
        b->insns[i] =
            (struct insn){.length = lengths[i], .traits = loop && i + 1 == count ? INSN_BRANCH : 0};
        b->rows[i] = (struct cost){.op = &plain, .decode = 1, .issue = 1};
    }
    b->costs = (struct costs){.rows = b->rows, .count = count};
}

static double cycles_of(const struct core *c, const struct block *b, enum shape shape,
                        unsigned align)
{
    struct window_groups g = {.copies = 0};
    double insns = 0;

    windows_form(c, b->insns, &b->costs, shape, align, &g);
    for (size_t i = 0; i < g.list.count; i++)
        insns += g.list.items[i].insns;
    /* Each instruction of each copy occurs once. */
    assert_true(insns == (double)(g.copies * b->costs.count));
    const double cycles = g.cycles;
    windows_done(&g);
    return cycles;
}

/* Predicts the cycles per 64 bytes that a virtual EPYC Turin measured for the given numbers of
 * moves of even lengths in 64 bytes. */
static void test_measured_densities(void **state)
{
    static const struct { unsigned count; double cycles;
    } measured[] = {
        {6, 1.00},  {8, 0.99},  {9, 1.13},  {12, 1.50}, {13, 1.63}, {14, 1.75}, {15, 2.00},
        {16, 2.32}, {17, 2.66}, {18, 3.00}, {20, 3.00}, {22, 3.00}, {24, 3.00}, {25, 3.32},
        {26, 3.66}, {27, 4.00}, {28, 4.33}, {29, 4.66}, {30, 5.00}, {32, 5.00},
    };
    const struct core zen5 = core_with(6, 64, 2, 2);

    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        const unsigned n = measured[i].count;
        unsigned char lengths[INSNS_MOST];
        struct block b;
        for (unsigned k = 0; k < n; k++)
            lengths[k] = (unsigned char)(64 / n + (k < 64 % n));
        block_of(&b, lengths, n, false);
        const double cycles = fmax(cycles_of(&zen5, &b, SHAPE_CACHED, 0), n / WIDTH);
        if (fabs(cycles / measured[i].cycles - 1) > 0.02)
            fail_msg("%u instructions in 64 bytes: %.3f, measured %.3f", n, cycles,
                     measured[i].cycles);
    }
}

/* Predicts the cycles per iteration that a Zen 5 measured for loops of moves that begin the given
 * number of bytes after an aligned line and end in a fused pair of dec and jnz of nine bytes. */
static void test_measured_loops(void **state)
{
    static const struct {
        unsigned align;
        unsigned char lengths[INSNS_MOST];
        double cycles;
    } measured[] = {
        {27, {3, 3, 5}, 1.00},
        {60, {5, 3, 3}, 1.00},
        {58, {8, 5, 8, 4, 5, 4}, 1.00},
        {59, {7, 8, 8, 5, 6, 5, 2, 2, 5, 8, 6}, 2.00},
        {62, {6, 5, 6, 8, 7, 8, 4, 7, 5, 4, 6, 3, 5, 5, 7, 4, 5, 6, 5, 3, 2, 2, 6}, 3.00},
        {61, {6, 5, 4, 5, 5, 6, 5, 4, 5, 4, 6, 4}, 2.00},
        {51, {5, 4, 4, 4, 5, 5, 5, 4, 4, 5, 5, 5, 4, 4, 4, 4, 4, 4}, 2.37},
        {55, {3, 3, 6, 7, 2, 4, 8, 6, 4, 4, 7, 8, 6, 7, 4, 7, 2, 7, 2, 3, 3, 4, 6, 7}, 3.13},
        {46, {4, 3, 3, 4, 4, 4, 4, 2, 3, 4, 4, 3, 4, 3, 3, 3, 3, 4, 2}, 3.00},
        {41, {4, 5, 3, 4, 3, 5, 5, 5, 5, 5, 3, 4, 5, 4, 5, 3, 4, 5, 5}, 4.00},
        {47, {4, 6, 6, 3, 2, 2, 4, 4, 2, 6, 6, 2, 5, 3, 4, 4, 2, 6, 3, 2, 3, 5, 5, 4}, 4.00},
        {41,
         {5, 5, 4, 4, 5, 5, 4, 4, 5, 5, 4, 4, 4, 4, 5, 5, 5, 5, 4, 5, 4, 5, 4, 5, 5, 5, 5, 4, 5, 4},
         3.99},
        {16, {5, 4, 4, 8, 4, 5}, 1.00},
        {39, {4, 4, 4, 4, 4, 4}, 2.00},
        {22, {5, 4, 6, 7, 8, 8, 7, 8, 5, 8, 5, 8, 8, 4, 7, 5, 8, 4, 5}, 2.50},
        {19, {7, 6, 8, 5, 7, 6, 5, 6, 7, 6, 7, 5, 7, 4, 6, 6, 5, 6, 6, 7, 7, 7, 8, 4, 6}, 3.25},
        {4, {6, 7, 8, 3, 3, 6, 8, 4, 7, 5, 4, 6, 7, 7, 3, 7, 4, 4}, 2.37},
        {17, {7, 5, 4, 5, 6, 3, 8, 6, 7, 7, 4, 8, 3, 3, 8, 6, 6, 7}, 3.00},
        {34, {4, 4, 3, 5, 4, 3, 4, 5, 4, 4, 5, 3, 4, 4, 5, 5, 4, 5, 3, 3, 3, 3, 3, 4}, 3.12},
        {27,
         {6, 3, 5, 2, 6, 6, 4, 4, 5, 5, 5, 2, 2, 5, 5, 3, 6, 6, 3, 6, 5, 6, 5, 3, 2, 4, 5, 2, 4, 5},
         3.88},
        {25, {5, 2, 4, 5, 4, 4, 5, 3, 2, 2, 2, 4, 2, 4, 5, 2, 3, 5, 4, 4, 5, 2, 2, 5}, 3.12},
        {24, {5, 5, 4, 5, 3, 3, 3, 2, 5, 5, 2, 2, 5, 3, 2, 3, 4, 5, 2, 5, 5, 5, 4, 5, 4, 2}, 4.00},
        {11,
         {8, 6, 8, 6, 3, 4, 8, 2, 4, 3, 3, 5, 2, 2, 2, 2, 6, 4, 8, 7, 5, 5, 8, 2, 8, 6, 7, 5, 2, 7},
         4.01},
        {8, {3, 4, 4, 3, 3, 3, 3, 4, 3, 3, 4, 3}, 3.00},
        {21, {3, 3, 3, 4, 3, 3, 3, 4, 4, 4, 3, 3}, 4.00},
        {0, {4, 5, 4, 4, 5, 5, 4, 5, 5, 5, 6, 5, 4, 4, 5, 4, 5, 4}, 4.00},
        {5, {4, 4, 3, 3, 3, 3, 4, 3, 3, 4, 3, 4, 3, 4, 4, 3, 3, 3, 4, 4, 4, 3, 4, 3}, 4.00},
        {13,
         {4, 5, 3, 4, 3, 3, 5, 3, 5, 5, 4, 3, 3, 3, 5, 3, 5, 4, 6, 6, 3, 3, 6, 5, 6, 6, 6},
         5.00},
        {11,
         {3, 2, 6, 2, 5, 2, 2, 6, 5, 4, 6, 5, 2, 2, 2, 5, 4, 6, 2, 5, 4, 3, 5, 2, 2, 2, 3, 6, 3, 2},
         6.00},
        {5, {4, 3, 4, 3, 3, 2, 4, 3, 2, 2, 2, 3, 3, 2, 4, 4, 2, 4, 2}, 3.99},
        {1, {4, 4, 3, 2, 5, 2, 3, 2, 3, 2, 3, 2, 4, 2, 3, 2, 4, 2, 5, 2, 4, 4, 2, 5, 4, 3}, 3.99},
    };
    const struct core zen5 = core_with(6, 64, 2, 2);

    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        unsigned char lengths[INSNS_MOST];
        struct block b;
        size_t n = strlen((const char *)measured[i].lengths);
        memcpy(lengths, measured[i].lengths, n);
        lengths[n++] = 9;
        block_of(&b, lengths, n, true);
        const double cycles =
            fmax(fmax(cycles_of(&zen5, &b, SHAPE_LOOP, measured[i].align), (double)n / WIDTH), 1);
        if (fabs(cycles / measured[i].cycles - 1) > 0.03)
            fail_msg("loop %zu: %.3f, measured %.3f", i, cycles, measured[i].cycles);
    }
}

/* Counts the cycles of copies without a jump independently: all lines of many copies, each in the
 * window of its start. */
static double counted(const struct core *c, const unsigned char *lengths, size_t count)
{
    /* number of copies after which the pattern repeats */
    const size_t line = (size_t)c->uop_cache_line_insns, window = (size_t)c->uop_cache_window,
                 copies = line * window;
    size_t bytes = 0, insns = 0, cycles = 0;

    for (size_t i = 0; i < count; i++)
        bytes += lengths[i] * copies;
    size_t *lines = mem_zero(bytes / window + 1, sizeof *lines), at = 0;
    for (size_t copy = 0; copy < copies; copy++)
        for (size_t i = 0; i < count; at += lengths[i++], insns++)
            lines[at / window] += insns % line == 0;
    assert_int_equal(at % window, 0);
    for (size_t w = 0; w < at / window; w++) {
        const size_t groups =
            (lines[w] + (size_t)c->uop_cache_window_lines - 1) / (size_t)c->uop_cache_window_lines;
        cycles += groups ? 1 + (groups - 1) * (size_t)c->uop_cache_window_again : 1;
    }
    free(lines);
    return (double)cycles / (double)copies;
}

static void test_copies_as_counted(void **state)
{
    struct rng rng;

    rng_seed(&rng, 3);
    for (unsigned i = 0; i < 400; i++) {
        const struct core c =
            core_with(4 + (double)rng_below(&rng, 6), 16 << rng_below(&rng, 4),
                      1 + (double)rng_below(&rng, 3), 1 + (double)rng_below(&rng, 3));
        const size_t count = 1 + rng_below(&rng, 12);
        unsigned char lengths[INSNS_MOST];
        struct block b;
        for (size_t k = 0; k < count; k++)
            lengths[k] = (unsigned char)(1 + rng_below(&rng, 11));
        block_of(&b, lengths, count, false);
        const double formed = cycles_of(&c, &b, SHAPE_CACHED, 0),
                     by_count = counted(&c, lengths, count);
        if (fabs(formed - by_count) > 1e-9)
            fail_msg("block %u: %.6f, counted %.6f", i, formed, by_count);
    }
}

/* If the copies' lengths shift them through every offset of a window, their time does not depend on
 * the first one's address. */
static void test_drift_forgets_the_beginning(void **state)
{
    static const unsigned char lengths[] = {3, 4, 2, 5, 3};
    const struct core zen5 = core_with(6, 64, 2, 2);
    struct block b;

    block_of(&b, lengths, sizeof lengths, false);
    const double first = cycles_of(&zen5, &b, SHAPE_CACHED, 0);
    for (unsigned align = 1; align < 64; align++)
        assert_true(fabs(cycles_of(&zen5, &b, SHAPE_CACHED, align) - first) < 1e-9);
}

/* A fused pair is one instruction of a line, with the length of both. */
static void test_fused_pairs(void **state)
{
    static const unsigned char pair[] = {4, 4, 4, 4, 4, 3, 2}, one[] = {4, 4, 4, 4, 4, 5};
    const struct core zen5 = core_with(6, 64, 2, 2);
    struct block fused, plain;

    block_of(&fused, pair, sizeof pair, true);
    fused.rows[5].flags = ROW_FUSED;
    fused.rows[6] = (struct cost){.op = fused.rows[6].op, .flags = ROW_FUSED_INTO};
    block_of(&plain, one, sizeof one, true);
    for (unsigned align = 0; align < 64; align++) {
        struct window_groups g = {.copies = 0};
        windows_form(&zen5, fused.insns, &fused.costs, SHAPE_LOOP, align, &g);
        assert_true(g.cycles == cycles_of(&zen5, &plain, SHAPE_LOOP, align));
        windows_done(&g);
    }
}

/* The simulated front end reaches the bound, for copies of zeroed registers and for loops. */
static void test_simulated(void **state)
{
    static const char *const kernels[] = {
        "xorl %ecx, %ecx\nxorl %edx, %edx\nxorl %r8d, %r8d\n",
        "xorl %ecx, %ecx\nxorl %edx, %edx\n",
        "xorl %r8d, %r8d\n.byte 0x3e, 0x3e, 0x3e, 0x31, 0xc9\nxorl %edx, %edx\n",
        ".rept 15\nxorl %r8d, %r8d\n.endr\n",
        "1:\n.rept 17\nxorl %r8d, %r8d\n.endr\ndecq %rax\njne 1b\n",
        "1:\n.rept 30\nxorl %ecx, %ecx\n.endr\ndecq %rax\njne 1b\n",
        ("1:\n.rept 9\nxorl %r8d, %r8d\nmovl %esi, %ecx\nandl %edi, %ecx\nxorl %r9d, %r9d\n"
         ".endr\ndecq %rax\njne 1b\n"),
        "xorl %r8d, %r8d\nmovl %esi, %ecx\nxorl %edi, %ecx\nxorl %r9d, %r9d\n",
    };
    struct machine *m = load_machine("zen5-charted");

    assert_non_null(machine_fact(m, "uop_cache_window"));
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        struct kernel *k = kernel_of(kernels[i]);
        const struct insn *insns = k->insns;
        const size_t count = k->insn_count;
        const bool loop = shape_of(insns, count) == SHAPE_LOOP;
        const struct block_options options = {.shape = loop ? SHAPE_LOOP : SHAPE_CACHED,
                                              .align = loop ? 0 : 7 * (unsigned)i};
        struct block_work *w = block_work_new(m);
        struct simulator *s = simulator_new();
        struct simulation sim;
        struct bounds bounds;
        bounds_of(w, insns, count, &options, false, &bounds);
        simulate(s, w, insns, count, &options, &(struct simulate_options){.iterations = 4000},
                 &sim);
        assert_int_equal(bounds.frontend.source, SOURCE_UOP_CACHE);
        assert_true(bounds.bottleneck == BOUND_FRONTEND);
        if (fabs(sim.cycles / bounds.total - 1) > 0.01)
            fail_msg("kernel %zu: %.3f simulated, %.3f by the bound", i, sim.cycles, bounds.total);
        simulation_done(&sim);
        simulator_free(s);
        block_work_free(w);
        kernel_free(k);
    }
    machine_free(m);
}

/* Predicts the cycles per iteration that a Zen 5 measured for loops of instructions with constants.
 * The distance of the closing branch is one of the six constants in a line. */
static void test_measured_constants(void **state)
{
    static const struct { const char *source; double cycles;
    } measured[] = {
        {".rept 4\ncmpl $5, 64(%rdi)\n.endr\n", 1.00},
        {".rept 5\ncmpl $5, 64(%rdi)\n.endr\ncmpl %eax, 64(%rdi)\n", 1.50},
        {".rept 6\ncmpl $5, 64(%rdi)\n.endr\n", 3.00},
        {".rept 6\ncmpl $5, (%rdi)\n.endr\n", 1.50},
        {".rept 12\ncmpb $5, 64(%rdi)\n.endr\n", 5.00},
        {".rept 6\ncmpl $500000, 640(%rdi)\n.endr\n", 4.00},
        {".rept 6\nmovabsq $0x123456789abcdef0, %r8\n.endr\n", 4.00},
        {".rept 3\ncmpl $5, 64(%rdi)\ncmpl $5, 64(%rdi)\nje 2f\n.endr\n2:\n", 3.00},
    };
    struct machine *m = load_machine("zen5-charted");
    struct block_work *w = block_work_new(m);

    (void)state;
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        char source[256];
        struct bounds bounds;
        snprintf(source, sizeof source, "1:\n%sdecq %%r15\njne 1b\n", measured[i].source);
        struct kernel *k = kernel_of(source);
        bounds_of(w, k->insns, k->insn_count, &(struct block_options){.shape = SHAPE_LOOP}, false,
                  &bounds);
        if (fabs(bounds.total / measured[i].cycles - 1) > 0.02)
            fail_msg("loop %zu: %.3f, measured %.3f", i, bounds.total, measured[i].cycles);
        kernel_free(k);
    }
    block_work_free(w);
    machine_free(m);
}

static char *advice_on(const struct machine *m, const char *source)
{
    struct kernel *k = kernel_of(source);
    struct analysis *a = analysis_new(k, 0, m);
    char *advice = advice_of(a, k, 0);

    analysis_free(a);
    kernel_free(k);
    return advice;
}

/* The advice names dense code if windows are the limit, but not if the closing jump is. It names
 * groups if they are not full. */
static void test_advice(void **state)
{
    struct machine *m = load_machine("zen5-charted");
    char *dense = advice_on(m, "1:\n.rept 17\nxorl %r8d, %r8d\n.endr\ndecq %rax\njne 1b\n"),
         *sparse = advice_on(m, "1:\ndecq %rax\njne 1b\n");

    assert_non_null(strstr(dense, "many lines of one"));
    assert_null(strstr(sparse, "many lines of one"));
    char *early = advice_on(
             m, "movq 512(%rbx), %r8\n.rept 6\n.byte 0x66, 0x0f, 0x1f, 0x44, 0, 0\n.endr\n"),
         *full = advice_on(m, ".rept 9\n.byte 0x66, 0x0f, 0x1f, 0x44, 0, 0\n.endr\n");
    assert_non_null(strstr(
        early,
        "Issue is saturated: 7 µops per iteration, 8 per cycle. Some groups of 8 µops are incomplete"));
    assert_non_null(strstr(full, "Issue is saturated: "));
    assert_null(strstr(full, "are incomplete"));
    free(early);
    free(full);
    free(dense);
    free(sparse);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measured_densities),
        cmocka_unit_test(test_measured_loops),
        cmocka_unit_test(test_copies_as_counted),
        cmocka_unit_test(test_drift_forgets_the_beginning),
        cmocka_unit_test(test_fused_pairs),
        cmocka_unit_test(test_simulated),
        cmocka_unit_test(test_measured_constants),
        cmocka_unit_test(test_advice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
