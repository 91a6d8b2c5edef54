/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replayed operations and loads, and constants in lines of the µop cache: zen5-charted, compared
 * with times measured on a virtual EPYC Turin. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/support.h"
#include "analysis/analysis.h"
#include "base/str.h"
#include "simulate/simulate.h"

#define NOP "660f1f440000"   /* of six bytes; the µop cache delivers eight such nops per cycle */

static double cycles_of(const struct machine *m, const char *text, enum bound_kind kind)
{
    struct kernel *k = kernel_of(text);
    struct analysis *a = analysis_new(k, 0, m);
    double cycles = kind == BOUND_COUNT ? a->cycles : a->bounds[kind];

    analysis_free(a);
    kernel_free(k);
    return cycles;
}

struct timed {
    const char *text;
    double measured, within;   /* @within is the largest relative error. */
};

static void assert_timed(const struct timed *list, size_t count)
{
    struct machine *m = load_machine("zen5-charted");

    for (size_t i = 0; i < count; i++) {
        double cycles = cycles_of(m, list[i].text, BOUND_COUNT);
        if (fabs(cycles - list[i].measured) > list[i].within * list[i].measured)
            fail_msg("%s: %.3f instead of %.3f", list[i].text, cycles, list[i].measured);
    }
    machine_free(m);
}
#define ASSERT_TIMED(list) assert_timed(list, sizeof(list) / sizeof *(list))

static void test_operations_wait_for_operations(void **state)
{
    static const struct timed blocks[] = {
        {"lea rax, [rdi+16]; cmp rcx, rsi", .33, .03},
        {"lea rax, [rdi+16]; cmp rax, rsi", .53, .08},
        {"mov eax, 5; cmp rcx, rax", .53, .08},
        {"lea rax, [rdi+16]; cmp rax, rsi; lea rcx, [rdi+16]; cmp rcx, rsi", 1.05, .08},
        {"lea rax, [rdi+16]; lea rcx, [rdi+24]; lea rdx, [rdi+24]; cmp rax, rsi; cmp rcx, rsi; cmp "
         "rdx, rsi",
         1.51, .08},
        {"lea rax, [rdi+16]; lea rcx, [rax+24]; lea rdx, [rcx+24]", .72, .08},
        {"lea rax, [rdi+16]; lea rcx, [rax+24]; lea rdx, [rcx+24]; lea rbx, [rdx+24]", .90, .08},
        {"mov eax, [r14]; lea ecx, [rax+1]; cmp ecx, 1", .49, .08},
        {"rorx eax, edi, 3; rorx ecx, eax, 3", 1.12, .08},
        {"lea rax, [rdi+16]; shl rax, 3", .34, .08},
    };
    ASSERT_TIMED(blocks);
}

/* Chains of one operation cause replays, and so do operations that read the chain. Other operations
 * do not. */
static void test_chains_with_company(void **state)
{
    static const struct timed blocks[] = {
        {"add rax, 1; add rcx, 1; add rdx, 1", 1.00, .01},
        {"add rax, 1; add rcx, 1; add rdx, 1; add rbx, 1", 1.04, .02},
        {"add rax, 1; add rcx, 1; add rdx, 1; add rbx, 1; add rsi, 1", 1.17, .02},
        {"add rax, 1; add rcx, 1; add rdx, 1; add rbx, 1; add rsi, 1; add rbp, 1", 1.29, .02},
        {"add rax, 1; lea rcx, [rax+1]; lea rdx, [rax+2]", 1.00, .01},
        {"add rax, 1; lea rcx, [rax+1]; lea rdx, [rax+2]; lea rbx, [rax+3]", 1.29, .04},
        {"add rax, 1; lea rcx, [rax+1]; lea rdx, [rax+2]; lea rbx, [rax+3]; lea rsi, [rax+4]",
         1.45, .06},
        {"add rax, 1; lea rcx, [rdi+1]; lea rdx, [rdi+2]; lea rbx, [rdi+3]; lea rsi, [rdi+4]",
         1.00, .01},
    };
    ASSERT_TIMED(blocks);
    /* An instruction that also waits for a load is not replayed, and neither are chains of several
     * operations. */
    struct machine *m = load_machine("zen5-charted");
    static const char *const free_of_it[] = {
        "add rax, 1; add rcx, 1; add rdx, 1; mov rbx, [rsi]; add rbx, rax",
        "add rax, 1; add rcx, 1; imul rbx, rbx, 3; add rdx, 1; add rsi, rbx",
    };
    for (size_t i = 0; i < sizeof free_of_it / sizeof *free_of_it; i++) {
        double cycles = cycles_of(m, free_of_it[i], BOUND_DEPENDENCIES);
        if (fabs(cycles - rint(cycles)) > 1e-9)
            fail_msg("%s: %.3f", free_of_it[i], cycles);
    }
    machine_free(m);
}

/* A list of any length, unrolled, takes the latency of its loads: replays of a load do not grow
 * with the number of loads before it. */
static void test_unrolled_list(void **state)
{
    struct machine *m = load_machine("zen5-charted");

    for (unsigned loads = 1; loads <= 256; loads *= 2) {
        struct str text = {0};
        for (unsigned i = 0; i < loads; i++)
            str_add(&text, "add rax, [rdi+8]\nmov rdi, [rdi]\n");
        assert_true(fabs(cycles_of(m, str_text(&text), BOUND_COUNT) - 4.0 * loads) < 0.01 * loads);
        str_done(&text);
    }
    machine_free(m);
}

/* Only loads that wait for other loads are replayed. Expected cycles: a quarter per load, and 0.06
 * per pair of waiting loads. */
static void test_loads_wait_for_loads(void **state)
{
    struct machine *m = load_machine("zen5-charted");
    static const char *const registers[] = {"rax", "rcx", "rdx", "rbx", "rsi", "rbp",
                                            "r8",  "r9",  "r10", "r11", "r12", "r13"};

    for (unsigned loads = 1; loads <= 12; loads++)
        for (int fan = 0; fan < 2; fan++) {
            struct str text = {0};
            for (unsigned i = 0; i < loads; i++)
                str_addf(&text, "mov %s, [%s]\n", registers[i],
                         i == 0 ? "rdi" : registers[fan ? 0 : i - 1]);
            double waiting = loads - 1, expected = loads / 4.0 + .06 * waiting * (waiting - 1) / 2;
            assert_true(fabs(cycles_of(m, str_text(&text), BOUND_MEMORY) - expected) < 1e-9);
            str_done(&text);
        }
    machine_free(m);
    static const struct timed blocks[] = {
        {"mov rax, [rdi]; mov rcx, [rax]; mov rdx, [rcx]; mov rbx, [rdx]", 1.15, .05},
        {"mov rax, [rdi]; mov rcx, [rax]; mov rdx, [rsi]; mov rbx, [rdx]", 1.00, .05},
        {"mov rax, [rdi]; mov rcx, [rax]; mov rdx, [rcx]; mov r8, [rsi]; mov r9, [r8]; mov r10, "
         "[r9]",
         1.62, .05},
    };
    ASSERT_TIMED(blocks);
}

/* Lines of the µop cache have space for few constants. Repeated copies take the measured time, by
 * bounds and by simulation. */
static void test_lines_hold_so_many_constants(void **state)
{
    static const struct timed blocks[] = {
        {"807d0807", .32, .05},           /* cmp byte [rbp+8], 7 */
        {"6641817e087707", .33, .05},     /* cmp word [r14+8], 0x777 */
        {"41817e0800070000", .29, .05},   /* cmp dword [r14+8], 0x700 */
        {"384d08", .25, .02},             /* cmp byte [rbp+8], cl */
        {"41813e00000700", .25, .02},     /* cmp dword [r14], 0x70000 */
        {"807d0807807d0807807d0807384d08", 1.18, .08},
    };
    struct machine *m = load_machine("zen5-charted");

    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        for (int simulated = 0; simulated < 2; simulated++) {
            double cycles = predicted_cycles(m, blocks[i].text, simulated);
            if (fabs(cycles - blocks[i].measured) > blocks[i].within * blocks[i].measured)
                fail_msg("%s: %.3f instead of %.3f", blocks[i].text, cycles, blocks[i].measured);
        }
    machine_free(m);
}

static void test_vector_loads_between_others(void **state)
{
    static const struct timed blocks[] = {
        {"movsd xmm0, [r14]; mov rax, [r14]", .57, .05},
        {"movsd xmm0, [r14]; mov rax, [r14]; movsd xmm1, [r14+8]; mov rcx, [r14]", 1.14, .05},
        {"movsd xmm0, [r14]; movsd xmm1, [r14+8]; mov rax, [r14]; mov rcx, [r14]", 1.42, .05},
        {"movsd xmm0, [r14]; movsd xmm0, [r14]; mov rax, [r14]", 1.00, .25},
        {"movsd [r14], xmm0; movsd xmm1, [r15]", .57, .05},
    };
    ASSERT_TIMED(blocks);
}

static void test_additions_delay_chains(void **state)
{
    static const struct timed blocks[] = {
        {"vmulsd xmm3, xmm3, xmm4", 3.00, .01},
        {"vmulsd xmm3, xmm3, xmm4; vaddsd xmm7, xmm4, xmm5", 3.25, .01},
        {"vmulsd xmm3, xmm3, xmm4; vaddsd xmm7, xmm4, xmm5; vaddsd xmm8, xmm4, xmm5", 3.49, .01},
        {"vmulsd xmm3, xmm3, xmm4; vaddsd xmm7, xmm4, xmm5; vaddsd xmm8, xmm4, xmm5; vaddsd xmm9, "
         "xmm4, xmm5",
         3.66, .01},
        /* The addition reads the chain. */
        {"vmulsd xmm3, xmm3, xmm4; vaddsd xmm7, xmm3, xmm5", 3.00, .01},
        {"vpaddd xmm3, xmm3, xmm4; vaddsd xmm7, xmm4, xmm5", 2.33, .05},
    };
    ASSERT_TIMED(blocks);
}

static void test_rename(void **state)
{
    static const struct timed blocks[] = {
        {"pxor xmm1, xmm1; pxor xmm2, xmm2; pxor xmm3, xmm3", .50, .03},
        {"vmovdqa [rbp-0x40], ymm0; vmovdqa [rbp-0x20], ymm6; vpxor xmm0, xmm0, xmm0; vpxor xmm1, "
         "xmm1, xmm1; vpunpcklwd ymm3, ymm4, ymm5; vpunpcklwd ymm6, ymm7, ymm5; "
         "vpsrld ymm8, ymm9, 1; vpsrld ymm10, ymm11, 1",
         1.33, .03},
    };
    ASSERT_TIMED(blocks);
    struct machine *m = load_machine("zen5-charted");
    /* vzeroupper and seven instructions of six bytes are one group; with eight they are two */
    assert_true(fabs(predicted_cycles(m, "c5f877" NOP NOP NOP NOP NOP NOP NOP, false) - 1.03) <
                .05);
    assert_true(fabs(predicted_cycles(m, "c5f877" NOP NOP NOP NOP NOP NOP NOP NOP, false) - 2.00) <
                .05);
    machine_free(m);
}

/* Checks a store that rename does not forward, and the number of stores that a blocked load waits
 * for. That number is not measured. */
static void test_stores_on_their_way(void **state)
{
    static const char more[] =
        "; lea r9, [rsi+8]; lea r9, [rsi+8]; lea r9, [rsi+8]; lea r9, [rsi+8]; lea r9, [rsi+8]";
    struct machine *m = load_machine("zen5-charted");
    const struct { const char *text; double measured, within; } named[] = {
        {"mov rax, rdi; add dword ptr [rax], 1; pop rbx; lea r9, [rsi+8]", 6.99, .03},
        {"mov rax, rdi; add dword ptr [rax], 1; mov rbx, [rsp]; lea r9, [rsi+8]", 1.41, .25},
    };

    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        struct str text = {0};
        str_addf(&text, "%s%s", named[i].text, more);
        double cycles = cycles_of(m, str_text(&text), BOUND_COUNT);
        if (fabs(cycles - named[i].measured) > named[i].within * named[i].measured)
            fail_msg("%s: %.3f instead of %.3f", str_text(&text), cycles, named[i].measured);
        str_done(&text);
    }
    for (unsigned stores = 0; stores <= 16; stores++) {
        struct str text = {0};
        str_add(&text, "mov byte ptr [rsp+8], 0; mov rdx, [rsp+8]; mov [rsp+8], rdx");
        for (unsigned i = 0; i < stores; i++)
            str_addf(&text, "; mov [rsp+%u], r9", 128 + 8 * i);
        double cycles = cycles_of(m, str_text(&text), BOUND_DEPENDENCIES);
        assert_true(cycles == 14 + floor((stores + 1) / 2.0));
        str_done(&text);
    }
    machine_free(m);
}

/* A simulation takes at least the time that the ports need for replays, and at most 2 % more. */
static void test_simulation_agrees(void **state)
{
    static const char *const texts[] = {
        "lea rax, [rdi+16]; cmp rax, rsi",
        "mov rax, [rdi]; mov rcx, [rax]; mov rdx, [rcx]; mov rbx, [rdx]"};
    struct machine *m = load_machine("zen5-charted");

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct kernel *k = kernel_of(texts[i]);
        struct simulation simulation;
        struct bounds bounds;
        simulate_kernel(k, 0, m, &(struct simulate_options){0}, &simulation, &bounds);
        assert_true(simulation.cycles >= bounds.total - 1e-9);
        assert_true(simulation.cycles <= bounds.total * 1.02);
        simulation_done(&simulation);
        kernel_free(k);
    }
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations_wait_for_operations),
        cmocka_unit_test(test_chains_with_company),
        cmocka_unit_test(test_unrolled_list), cmocka_unit_test(test_loads_wait_for_loads),
        cmocka_unit_test(test_lines_hold_so_many_constants),
        cmocka_unit_test(test_vector_loads_between_others),
        cmocka_unit_test(test_additions_delay_chains),
        cmocka_unit_test(test_rename),
        cmocka_unit_test(test_stores_on_their_way),
        cmocka_unit_test(test_simulation_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
