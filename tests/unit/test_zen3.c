/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Zen 3: its rules, compared with small blocks and forms measured on one (tests/data/zen3-rules.csv
 * and zen3-singles.csv, by `kernel measure --file` and `experiments measure`). Each fact has
 * results derived by hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bounds.h"
#include "analysis/kernel.h"
#include "base/csv.h"
#include "throughput/throughput.h"
#include "../support/support.h"

static const struct block_options as_measured = {.shape = SHAPE_CACHED, .start = START_MEASURED};

static double predicted(const struct machine *m, const char *hex)
{
    struct err err = {0};
    struct kernel *kernel = kernel_from_hex(ISA_X86_64, hex, &err);
    struct bounds bounds;
    size_t count;

    assert_non_null(kernel);
    const struct insn *insns = kernel_insns(kernel, 0, &count);
    struct block_work *work = block_work_new(m);
    bounds_of(work, insns, count, &as_measured, false, &bounds);
    block_work_free(work);
    kernel_free(kernel);
    return bounds.total;
}

static void test_measured_blocks(void **state)
{
    struct err err = {0};
    struct csv_table *t = csv_table_read(source_path("tests/data/zen3-rules.csv"), &err);
    struct machine *m = load_machine("znver3");
    double sum = 0;

    assert_non_null(t);
    assert_true(t->count > 400);
    for (size_t i = 0; i < t->count; i++) {
        double cycles = strtod(t->rows[i][1], NULL), got = predicted(m, t->rows[i][0]),
               off = fabs(got - cycles) / cycles;
        sum += off;
        if (!(off <= 0.105))
            fail_msg("%s: %.3f instead of %.3f", t->rows[i][0], got, cycles);
    }
    assert_true(sum / (double)t->count < 0.015);
    machine_free(m);
    csv_table_free(t);
}

static void test_measured_forms(void **state)
{
    assert_predicted("znver3", "tests/data/zen3-singles.csv", 191, 0.05, INFINITY);
}

/* By uops.info's ports, minima and products share no port on Zen 3. Before Zen 3, saturating sums
 * with memory share one of two ports with products. */
static void test_units(void **state)
{
    static const struct { const char *machine, *experiment; double cycles; } cases[] = {
        {"znver3", "MAXPD (XMM, XMM) + MULPD (XMM, XMM)", 0.5},             /* p23 and p01 */
        {"znver2", "PMULLW (XMM, XMM) + 2*PADDSW (XMM, M128)", 1.5},        /* p0 and p03 */
        {"znver1", "PMULLW (XMM, XMM) + 2*PADDSW (XMM, M128)", 1.5},
        /* Microcode of 4 and 3 cycles executes one after the other. */
        {"znver1", "BSR (R64, R64) + VPERM2I128 (YMM, YMM, YMM, I8)", 7},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine *m = load_machine(cases[i].machine);
        struct experiment e = {0};
        assert_true(experiment_parse(cases[i].experiment, &e, NULL));
        double cycles = throughput_of(m->mapping, &e, NULL);
        if (!(fabs(cycles - cases[i].cycles) < 0.001))
            fail_msg("%s, %s: %.3f", cases[i].machine, cases[i].experiment, cycles);
        experiment_done(&e);
        machine_free(m);
    }
}

/* The chain from general to vector registers and back has uops.info's upper limit, which lacks one
 * cycle of the way back, plus that cycle. */
static void test_there_and_back(void **state)
{
    /* cycles on znver1, znver2, znver3 */
    static const struct { const char *hex; double cycles[3]; } cases[] = {
        {"660f6ec0660f7ec0", {6, 6, 6}},           /* movd xmm0,eax; movd eax,xmm0 */
        {"0f50c0660f6ec0", {6, 6, 6}},             /* movmskps eax,xmm0; movd xmm0,eax */
        {"c5fdd7c0c5f96ec0", {6, 8, 8}},           /* vpmovmskb eax,ymm0; vmovd xmm0,eax */
        {"c4e37916c000c5f96ec0", {7, 7, 7}},       /* vpextrd eax,xmm0,0; vmovd xmm0,eax */
        {"c4e37122c001c5f97ec0", {7, 7, 7}},       /* vpinsrd xmm0,xmm1,eax,1; vmovd eax,xmm0 */
        {"f20f2cc0660f6ec0", {11, 10, 10}},        /* cvttsd2si eax,xmm0; movd xmm0,eax */
    };
    static const char *const machines[] = {"znver1", "znver2", "znver3"};

    for (size_t k = 0; k < 3; k++) {
        struct machine *m = load_machine(machines[k]);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            double cycles = predicted(m, cases[i].hex);
            if (!(fabs(cycles - cases[i].cycles[k]) < 0.01))
                fail_msg("%s, %s: %.2f", machines[k], cases[i].hex, cycles);
        }
        machine_free(m);
    }
}

/* Predicts a block with each fact and without it. The comment at a block derives its time from the
 * fact. */
static void test_each_fact_matters(void **state)
{
    static const struct { const char *fact, *without, *hex; double with, other;
    } cases[] = {
        /* mov [rsp],al; mov [rsp+64],rdx: two changes of line, and the read of al's word waits 3
         * cycles: 5 */
        {"store_word_bytes", "",
         "880424"
         "4889542440",
         5, 2},
        /* four bytes on four lines, revisited after 4 cycles, fewer than 5: 4 + 3; if a word were
         * only busy for 4 cycles: 4 */
        {"store_word_busy", "4",
         "880424"
         "88442440"
         "88842480000000"
         "888424c0000000",
         7, 4},
        {"store_word_wait", "1",
         "880424"
         "4889542440",
         5, 3},
        /* mov [rbx],rax; mov rax,[rbx]: not through the stack pointer, so it is forwarded: 6.2 */
        {"memory_renaming_base", "any",
         "488903"
         "488b03",
         6.2, 1},
        /* mov [rsp+8],rax; mov rax,[rsp+8]; five of mov [rsp+16],rcx: six stores, of which three
         * commit one per cycle and three concurrently: 3; all one per cycle: 6 */
        {"memory_renaming_store_beside", "",
         "4889442408"
         "488b442408"
         "48894c2410"
         "48894c2410"
         "48894c2410"
         "48894c2410"
         "48894c2410",
         3, 6},
        /* mov rdi,[rdi+rcx+8]: base, index and displacement; with index * 8 equally long; mov
         * rdi,fs:[rdi] */
        {"load_extra_three", "", "488b7c0f08", 5, 4},
        {"load_extra_three", "7", "488b7ccf08", 5, 5},
        {"load_extra_segment", "", "64488b3f", 5, 4},
        /* mov rax,[rdi]; mov rcx,[rax]; mov rdx,[rcx]: (3 + 2 x 0.4) / 3 */
        {"load_replays", "",
         "488b07"
         "488b08"
         "488b11",
         3.8 / 3, 1},
        /* mov rax,[rdi]; add rax,8; mov rcx,[rax]: (2 + 0.4) / 3 */
        {"load_replays_through", "0",
         "488b07"
         "4883c008"
         "488b08",
         2.4 / 3, 2.0 / 3},
        /* mov [rdi],rcx; mov rax,[rdi]; mov rdx,[rdi]; mov rbx,[rdi]: (4 + 3 x 0.5) / 3 */
        {"forward_replays", "",
         "48890f"
         "488b07"
         "488b17"
         "488b1f",
         5.5 / 3, 4.0 / 3},
        /* add qword [rsp+8],1; mov rax,[rsp+8]: (2 + 2 x 1.35) / 3; with 0.5 only the two-slot
         * addition and the store limit: 1 */
        {"forward_replays_modify", "0.5",
         "488344240801"
         "488b442408",
         4.7 / 3, 1},
        /* lea rsp,[rsp+8]; pop r12; pop rbx: only the LEA, 1; with a µop that writes rsp back
         * before it: 2 */
        {"stack_pointer_sync", "all",
         "488d642408"
         "415c"
         "5b",
         1, 2},
        /* mulps xmm0,xmm1; pand xmm0,xmm2: 3 + 1, and a cycle in each direction */
        {"bypass_delay_domain", "0",
         "0f59c1"
         "660fdbc2",
         6, 4},
        /* mov rax,[rdi+60]; mov rcx,[rdi+124], both across lines: 2 / 1.5 */
        {"split_loads_per_cycle", "",
         "488b473c"
         "488b4f7c",
         4.0 / 3, 2.0 / 3},
        /* cmp eax,1; sbb ecx,ecx; and ecx,62: sbb depends only on the carry */
        {"carry_idiom", "",
         "83f801"
         "19c9"
         "83e13e",
         0.75, 2},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine *m = load_machine("znver3");
        double with = predicted(m, cases[i].hex);
        machine_set_fact(m, cases[i].fact, cases[i].without, "", "");
        double without = predicted(m, cases[i].hex);
        if (!(fabs(with - cases[i].with) < 0.01) || !(fabs(without - cases[i].other) < 0.01))
            fail_msg("%s: %.3f and %.3f", cases[i].fact, with, without);
        machine_free(m);
    }
}

/* Determines which stores write a word in part, and when the word was last written, for several
 * sequences of stores. */
static void test_words_in_part(void **state)
{
    static const struct { const char *hex; double cycles;
    } cases[] = {
        /* mov [rsp+4],eax; mov [rsp+64],rdx: a whole word */
        {"89442404"
         "4889542440",
         2},
        /* mov [rsp+2],rax: a part of a word at each end */
        {"4889442402"
         "4889542440",
         5},
        /* mov [rsp],al; mov [rsp+8],rdx: one run of stores to a line */
        {"880424"
         "4889542408",
         1},
        {"880424"
         "88442440"
         "88842480000000",
         6}, /* three lines: 3 + 3 */
        /* There are five lines, and each word is no longer busy. */
        {"880424"
         "88442440"
         "88842480000000"
         "888424c0000000"
         "88842400010000",
         5},
        /* The same word is written twice per iteration: twice 2 + 3. */
        {"880424"
         "4889542440"
         "88442401"
         "4889542448",
         10},
        /* This is another word of the line, which is not busy. */
        {"880424"
         "48894c2440"
         "48898c2480000000"
         "48898c24c0000000"
         "48898c2400010000"
         "48894c2408"
         "48898c2440010000",
         7},
    };
    struct machine *m = load_machine("znver3");

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double got = predicted(m, cases[i].hex);
        if (!(fabs(got - cases[i].cycles) < 0.01))
            fail_msg("%s: %.3f instead of %.3f", cases[i].hex, got, cases[i].cycles);
    }
    machine_free(m);
}

/* Zen 4 lacks these facts of Zen 3. */
static void test_zen4_has_none(void **state)
{
    static const char *const facts[] = {"store_word_bytes", "memory_renaming_base",
                                        "memory_renaming_store_beside", "bypass_delay_domain"};
    struct machine *m = load_machine("znver4");

    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        assert_null(machine_fact(m, facts[i]));
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measured_blocks),
        cmocka_unit_test(test_measured_forms),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_each_fact_matters),
        cmocka_unit_test(test_words_in_part),
        cmocka_unit_test(test_zen4_has_none),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
