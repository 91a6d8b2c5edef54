/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel.h"
#include "../support/support.h"

static struct kernel *load(const char *name)
{
    char path[128];
    struct err err = {0};
    snprintf(path, sizeof path, "tests/data/%s", name);
    struct kernel *k = kernel_load(source_path(path), NULL, &err);
    if (!k)
        fail_msg("%s: %s", name, err.what);
    return k;
}

/* The first loop of each sample is the one determined by hand. */
static void test_samples(void **state)
{
    static const struct {
        const char *file, *label;
        uint32_t first, last;
        size_t count;
    } cases[] = {
        {"triad.s", ".L10", 1, 8, 8},
        {"gcc-att.s", ".L40", 143, 154, 12},
        {"gcc-intel.s", ".L40", 144, 155, 12},
        {"clang-att.s", ".LBB1_9", 144, 158, 15},
        {"clang-intel.s", ".LBB1_9", 145, 159, 15},
        {"objdump-att.txt", "0x78", 46, 53, 8},
        {"objdump-intel.txt", "0x78", 46, 53, 8},
        {"objdump-plain.txt", "0x78", 45, 52, 8},
        {"explorer.txt", "0x40112d", 5, 7, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kernel *k = load(cases[i].file);
        assert_string_equal(k->loops[0].label, cases[i].label);
        assert_int_equal(k->loops[0].first_line, cases[i].first);
        assert_int_equal(k->loops[0].last_line, cases[i].last);
        assert_int_equal(k->loops[0].count, cases[i].count);
        assert_int_equal(k->refused_count, 0);
        kernel_free(k);
    }
}

static void test_triad_text(void **state)
{
    struct kernel *k = load("triad.s");
    size_t n;
    const struct insn *insns = kernel_insns(k, 0, &n);
    assert_int_equal(n, 8);
    assert_string_equal(insns[0].text, "vmovapd (%r15,%rax), %ymm0");
    assert_string_equal(insns[3].form, "VFMADD132PD (YMM, YMM, M256)");
    assert_int_equal(insns[7].line, 8);
    kernel_free(k);
}

static void test_markers(void **state)
{
    static const char *const texts[] = {
        "inc %eax\n# LLVM-MCA-BEGIN sum\nadd $1, %ecx\ndec %edx\n# LLVM-MCA-END\n.L1: jne .L1\n",
        "inc %eax\n// OSACA-BEGIN sum\nadd $1, %ecx\ndec %edx\n// OSACA-END\n.L1: jne .L1\n",
        ("movl $111, %ebx\n.byte 100,103,144\nadd $1, %ecx\ndec %edx\n"
         "movl $222, %ebx\n.byte 100,103,144\n.L1: jne .L1\n")};
    for (size_t i = 0; i < 3; i++) {
        struct kernel *k = kernel_with(texts[i], NULL);
        assert_true(k->loops[0].marked);
        assert_int_equal(k->loops[0].count, 2);
        assert_int_equal(k->loops[0].first_line, 3);
        assert_int_equal(k->loop_count, 2);
        assert_false(k->loops[1].marked);
        kernel_free(k);
    }
}

static void test_no_loop_lines_and_choice(void **state)
{
    struct kernel *k = kernel_with("inc %eax\ndec %ecx\n", NULL);
    assert_string_equal(k->loops[0].why, "whole text (no loop)");
    assert_int_equal(k->loops[0].count, 2);
    kernel_free(k);
    struct kernel_options o = {.first_line = 2, .last_line = 3};
    k = kernel_with("inc %eax\ndec %ecx\ninc %edx\nnop\n", &o);
    assert_int_equal(k->insn_count, 2);
    assert_int_equal(k->insns[0].line, 2);
    kernel_free(k);
    o = (struct kernel_options){.loop = 2};
    struct err err = {0};
    assert_null(kernel_from_text("t", ".L1: dec %eax\njne .L1\n", 22, &o, &err));
    assert_int_equal(err.code, ERR_USAGE);
}

static void test_hex(void **state)
{
    struct err err = {0};
    struct kernel *k = kernel_from_hex(ISA_X86_64, "83c001 ffc3", &err);
    assert_non_null(k);
    assert_int_equal(k->insn_count, 2);
    assert_string_equal(k->insns[0].form, "ADD (R32, I8)");
    kernel_free(k);
    static const char *const bad[] = {"", "9", "90zz", "9 0", "06"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err_clear(&err);
        assert_null(kernel_from_hex(ISA_X86_64, bad[i], &err));
        assert_int_equal(err.code, ERR_DATA);
    }
    kernel_from_hex(ISA_X86_64, "90zz", &err);
    assert_non_null(strstr(err.what, "position 3"));
}

/* Loads the named function of a text with two, for declared functions and for labels. */
static void test_symbol_of_text(void **state)
{
    static const char bare[] = "dot:\n.L1: imulq %rax, %rbx\n decq %rcx\n jne .L1\n "
                               "ret\ncopy:\n.L2: movq (%rsi), %rax\n decq %rcx\n jne .L2\n ret\n";
    static const char declared[] =
        ".globl dot\n.globl copy\ndot:\n.L1: imulq %rax, %rbx\n decq %rcx\n jne .L1\n ret\n"
        "copy:\n nop\nagain: movq (%rsi), %rax\n decq %rcx\n jne again\n ret\n";
    struct err err = {0};

    struct kernel *k = kernel_with(bare, &(struct kernel_options){.symbol = "copy"});
    assert_string_equal(k->loops[0].label, ".L2");
    assert_int_equal(k->loop_count, 1);
    kernel_free(k);
    k = kernel_with(bare, &(struct kernel_options){.symbol = "dot"});
    assert_string_equal(k->loops[0].label, ".L1");
    assert_int_equal(k->loop_count, 1);
    kernel_free(k);
    k = kernel_with(declared, &(struct kernel_options){.symbol = "copy"});
    assert_string_equal(k->loops[0].label, "again");
    assert_int_equal(k->loop_count, 1);
    kernel_free(k);
    assert_null(kernel_from_text("t", bare, sizeof bare - 1,
                                 &(struct kernel_options){.symbol = "axpy"}, &err));
    assert_string_equal(err.what, "no label axpy in this text");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples), cmocka_unit_test(test_triad_text),
        cmocka_unit_test(test_markers), cmocka_unit_test(test_no_loop_lines_and_choice),
        cmocka_unit_test(test_hex),     cmocka_unit_test(test_symbol_of_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
