/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Branches within a block, which the code generator made of selects: by hand, and damaged text. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "program/compiler/selects.h"
#include "../support/support.h"

/* A binary search: block 2 loops, and its select is a branch. The moves have no line of their own.
 */
static const char search[] = "main:\n"
                             "\t.loc 1 1 0\n\tmovq %rdi, %rax\n"
                             ".LBB0_1:\n"
                             "\tmovq %r11, %rax\n\tmovq %r14, %r11\n"
                             "\t.loc 1 2 0\n\tsubq %rax, %r11\n\tjle .LBB0_4\n"
                             ".LBB0_2:\n"
                             "\t.loc 1 2 0\n\tshrq %r11\n\tucomisd %xmm14, %xmm9\n"
                             "\tjbe .LBB0_1\n"
                             "\tmovq %r11, %r14\n"
                             "\t.loc 1 2 0\n\tsubq %rax, %r11\n\tjg .LBB0_2 # back\n"
                             "\tjmp .LBB0_4\n"
                             ".LBB0_4:\n"
                             "\t.loc 1 3 0\n\tretq\n";
/* The same with a conditional move: no branch within the block. */
static const char moved[] = "main:\n"
                            "\t.loc 1 1 0\n\tmovq %rdi, %rax\n"
                            ".LBB0_2:\n"
                            "\t.loc 1 2 0\n\tshrq %r11\n\tcmovbeq %r11, %rax\n"
                            ".Ltmp3:\n"
                            "\tcmpq $1, %rax\n\tjg .LBB0_2\n"
                            "\t.loc 1 3 0\n\tretq\n";
/* A loop of one block with a conditional move. The jump after the loop has no line of its own, so it
 * seems to belong to the loop's block. */
static const char jumps[] = "f:\n"
                            "\t.loc 1 1 0\n\tmovl %edi, %eax\n"
                            ".LBB0_2:\n"
                            "\t.loc 1 2 0\n\tcmpl %eax, %ecx\n\tcmovlel %eax, %ecx\n"
                            "\tcmpl %r9d, %edi\n\tjl .LBB0_2\n"
                            "\tjmp .LBB0_4\n"
                            ".LBB0_3:\n\t.loc 1 3 0\n\tdecl %eax\n"
                            ".LBB0_4:\n\t.loc 1 4 0\n\tretq\n";
/* Two paths between blocks: each way of a branch leads to another block. */
static const char paths[] = "f:\n"
                            "\t.loc 1 1 0\n\tcbz x0, .LBB0_2\n"
                            "\t.loc 1 2 0\n\tadd x0, x0, #1\n\tb .LBB0_3\n"
                            ".LBB0_2:\n\t.loc 1 3 0\n\tsub x0, x0, #1\n"
                            ".LBB0_3:\n\t.loc 1 4 0\n\ttbnz w1, #3, .LBB0_4\n"
                            "\tfmov d0, d1\n"
                            ".LBB0_4:\n\t.loc 1 4 0\n\tfadd d0, d0, d0\n\tret\n";

static void test_by_hand(void **state)
{
    static const struct { const char *text; unsigned counts[4]; } cases[] = {
        {search, {0, 1, 0, 0}}, {moved, {0, 0, 0, 0}}, {jumps, {0, 0, 0, 0}},
        {paths, {0, 0, 0, 1}},  {"", {0}}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned counts[4] = {9, 9, 9, 9};
        selects_count(cases[i].text, 4, counts);
        assert_memory_equal(counts, cases[i].counts, sizeof counts);
    }
}

/* Text that ends anywhere, and text with one character replaced. */
static void test_damaged(void **state)
{
    static const char others[] = "\n\t :.,#j0\x7f";
    unsigned counts[2];

    for (size_t i = 0; i < sizeof search; i++) {
        char *text = mem_strdup(search);
        for (size_t k = 0; k + 1 < sizeof others; k++) {
            memcpy(text, search, sizeof search);
            if (i + 1 < sizeof search)
                text[i] = others[k];
            selects_count(text, 2, counts);
            assert_true(counts[0] <= 4 && counts[1] <= 4);
        }
        text[i] = '\0';
        selects_count(text, 2, counts);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand),
                                       cmocka_unit_test(test_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
