/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel.h"
#include "analysis/loop_code.h"
#include "analysis/loops.h"
#include "base/steps.h"
#include "base/str.h"
#include "../support/support.h"

/* Checks the loops of @text, written as "first-last/depth ", best first. */
static void assert_loops(const char *text, const char *expected)
{
    struct kernel *k = kernel_of(text);
    struct str found = {0};
    for (size_t i = 0; i < k->loop_count; i++)
        str_addf(&found, "%u-%u/%u ", k->loops[i].first_line, k->loops[i].last_line,
                 k->loops[i].depth);
    assert_string_equal(str_text(&found), expected);
    str_done(&found);
    kernel_free(k);
}

static void test_nesting(void **state)
{
    assert_loops(".L1: nop\n.L2: inc %eax\ndec %ecx\njne .L2\ndec %edx\njne .L1\nret\n",
                 "2-4/2 1-6/1 ");
}

static void test_vector_work_goes_first(void **state)
{
    assert_loops(".L1: inc %eax\ninc %ebx\njne .L1\n.L2: addsd %xmm0, %xmm1\njne .L2\n.L3: vaddpd "
                 "%ymm0, %ymm1, %ymm2\njne .L3\n",
                 "6-7/1 4-5/1 1-3/1 ");
}

static void test_two_ways_back_are_one_loop(void **state)
{
    assert_loops(".L1: dec %eax\nje .L1\ndec %ecx\njne .L1\n", "1-4/1 ");
}

static void test_jump_to_the_test_at_the_end(void **state)
{
    assert_loops("jmp .L2\n.L1: inc %eax\n.L2: cmp %eax, %ecx\njl .L1\nret\n", "2-4/1 ");
}

/* Checks that the first loop of @text executes the instructions marked 1 in @executed, or all of
 * them if it is "". */
static void assert_executed(const char *text, const char *executed)
{
    struct kernel *k = kernel_of(text);
    struct insn *copy = loop_code_executed(k, 0);
    struct str found = {0};

    for (size_t i = 0; copy && i < k->loops[0].count; i++)
        str_add_char(&found, copy[i].traits & INSN_SKIPPED ? '0' : '1');
    if (strcmp(str_text(&found), executed) != 0)
        fail_msg("%s\nexecutes \"%s\", not \"%s\"", text, str_text(&found), executed);
    str_done(&found);
    free(copy);
    kernel_free(k);
}

/* Checks that the first loop of @text consists of the instructions marked 1 in @expected. */
static void assert_members(const char *text, const char *expected)
{
    struct kernel *k = kernel_of(text);
    bool *members = loop_code_members(k, 0);
    struct str found = {0};

    for (size_t i = 0; members && i < k->insn_count; i++)
        str_add_char(&found, members[i] ? '1' : '0');
    if (strcmp(str_text(&found), expected) != 0)
        fail_msg("%s\nhas the members \"%s\", not \"%s\"", text, str_text(&found), expected);
    str_done(&found);
    free(members);
    kernel_free(k);
}

/* Code after the function's end belongs to the loop if only the loop leads to it, and if it leads
 * back. */
static void test_members_outside(void **state)
{
    const char *const begin = "f: xor %eax, %eax\n";
    struct { const char *text, *members;
    } cases[] = {
        /* The arm returns to the middle, or to the head. */
        {".L1: cmpl $6, (%rdi)\nje .L3\n.L2: add $8, %rdi\ndec %esi\njne .L1\nret\nnop\n"
         ".L3: inc %eax\njmp .L2\n", "011111" "0011"},
        {".L0: mov $9, %esi\n.L1: cmpl $6, (%rdi)\nje .L3\nadd $8, %rdi\ndec %esi\njne .L1\n"
         ".L2: dec %edx\njne .L0\nret\nnop\n.L3: inc %eax\ndec %esi\njne .L1\njmp .L2\n",
         "0011111" "00001110"},
        /* The loop is entered in its middle. */
        {"jmp .L2\n.L1: add $8, %rdi\ncmpl $6, (%rdi)\nje .L3\n.L2: dec %esi\njne .L1\nret\n"
         ".L3: inc %eax\njmp .L2\n", "0011111" "011"},
        /* The code leaves the loop. */
        {".L1: cmpl $6, (%rdi)\nje .L3\nadd $8, %rdi\ndec %esi\njne .L1\nret\n"
         ".L3: inc %eax\nret\n", "011111" "000"},
        /* The code can also be executed before the loop. */
        {"test %esi, %esi\nje .L3\n.L1: cmpl $6, (%rdi)\nje .L3\n.L2: add $8, %rdi\ndec %esi\n"
         "jne .L1\nret\n.L3: inc %eax\njmp .L2\n", "00011111" "000"},
        /* An outer loop crosses the arm's jump. */
        {".L0: mov $9, %esi\n.L1: cmpl $6, (%rdi)\nje .L3\n.L2: add $8, %rdi\ndec %esi\njne .L1\n"
         "dec %edx\njne .L0\nret\n.L3: inc %eax\njmp .L2\n", "0011111" "00011"},
        /* No jump leaves the loop. */
        {".L1: add $8, %rdi\ndec %esi\njne .L1\nret\n", ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str text = {0};
        str_addf(&text, "%s%s", begin, cases[i].text);
        assert_members(str_text(&text), cases[i].members);
        str_done(&text);
    }
}

/* Arms of an if that each return to the test are one loop, regardless of the arm that comes first.
 * Each iteration executes the test, and the longest path counts. */
#define ARMS ".L1: inc %eax\ninc %ebx\ninc %ecx\ncmp %ecx, %edx\nje .L9\n"
#define TEST ".L2: test %esi, %esi\njne .L1\n"
#define OTHER "inc %ecx\ncmp %ecx, %edx\njne .L2\n"
static void assert_head(const char *text, size_t head)
{
    struct kernel *k = kernel_of(text);
    if (k->loops[0].head != head)
        fail_msg("%s\nhas head %zu, not %zu", text, k->loops[0].head, head);
    kernel_free(k);
}

static void test_arms_are_one_loop(void **state)
{
    const char *entered = "f: jmp .L2\nnop\n" ARMS TEST OTHER ".L9: ret\n";
    assert_loops(entered, "3-12/1 ");
    assert_head(entered, 7);
    assert_executed(entered, "1111111000");
    /* within an outer loop */
    assert_loops("f: inc %edi\n.L0: jmp .L2\n" ARMS TEST OTHER ".L9: dec %edi\njne .L0\nret\n",
                 "3-12/2 2-14/1 ");
    /* There are three arms, of which one is within another's addresses. */
    const char *nested = "f: jmp .L2\n.L0: inc %ebx\njmp .L2\n.L1: inc %eax\ninc %ecx\n"
                         ".L2: test %esi, %esi\njne .L1\ntest %edi, %edi\njne .L0\nret\n";
    assert_loops(nested, "2-9/1 ");
    assert_head(nested, 5);
    assert_executed(nested, "11001111");
    /* There are three arms, of which one jumps into another. */
    const char *tokens = "f: jmp .L3\n.L1: cmp $32, %edx\nje .L4\ninc %esi\n.L2: dec %edx\n"
                         "je .L9\n.L3: cmp $1, %ecx\nja .L1\n.L4: test %esi, %esi\nje .L2\n"
                         "inc %eax\ninc %eax\ninc %eax\nsub $1, %edx\njne .L3\n.L9: ret\n";
    assert_loops(tokens, "2-15/1 ");
    assert_head(tokens, 6);
    assert_executed(tokens, "00000111111111");
    /* An arm that returns only to the test is an inner loop. */
    assert_loops("f: jmp .L2\n.L1: inc %ecx\n.L2: xor %eax, %eax\n.L3: inc %edi\ncmp $2, %edx\n"
                 "jb .L1\ntest %esi, %esi\nje .L9\ndec %ebx\njmp .L3\n.L9: ret\n",
                 "4-10/2 2-10/1 ");
}

/* An arm after the loop's jumps is reached only by a jump from its first instruction, and returns
 * between the other arms. The test at which the loop is entered is the head, and the loop ends
 * after the last arm. */
static void test_arm_after_the_jumps(void **state)
{
    const char *text = "f: jmp .L4\n.L1: cmp $6, %edi\njne .L6\ninc %eax\n.L2: add %eax, %ebx\n"
                       "jg .L5\n.L3: dec %ecx\nje .L9\n.L4: cmp $5, %edi\njne .L1\ndec %eax\n"
                       "jmp .L2\n.L5: inc %edx\njmp .L3\n.L6: neg %eax\njmp .L2\n"
                       ".L9: ret\n";
    assert_loops(text, "2-16/1 ");
    assert_head(text, 8);
    /* An arm after the end of the outer loop is not part of the range. */
    const char *outside = "f: inc %esi\n.L0: jmp .L4\n.L1: cmp $6, %edi\njne .L6\ninc %eax\n"
                       ".L2: add %eax, %ebx\n.L3: dec %ecx\nje .L8\n.L4: cmp $5, %edi\n"
                       "jne .L1\ndec %eax\njmp .L2\n.L8: dec %esi\njne .L0\nret\n"
                       ".L6: neg %eax\njmp .L2\n";
    assert_loops(outside, "3-12/2 2-14/1 ");
    assert_head(outside, 8);
    /* The outer head is the function's first instruction. The last arm returns to code that only
     * some of the iterations execute. */
    const char *first = "f: cmp $5, %edi\njne .L1\ndec %eax\n.L2: add %eax, %ebx\njg .L5\n"
                        "js .L7\n.L3: inc %esi\n.L7: dec %ecx\njne f\nje .L9\n"
                        ".L1: inc %eax\njmp .L2\n.L5: inc %edx\njmp .L3\n.L9: ret\n";
    assert_loops(first, "4-12/2 1-14/1 ");
}

/* If a loop is entered at its first arm, the test and the second arm are an inner loop, which ends
 * after the jump back to the first arm. */
static void test_entered_at_first_arm(void **state)
{
    const char *entered = "f: inc %ecx\n" ARMS TEST OTHER ".L9: ret\n";
    assert_loops(entered, "7-11/2 2-11/1 ");
    assert_head(entered, 6);
    assert_executed(entered, "");
    /* within an outer loop */
    assert_loops("f: inc %edi\n.L0: inc %ecx\n" ARMS TEST OTHER ".L9: dec %edi\njne .L0\nret\n",
                 "8-12/3 3-12/2 2-14/1 ");
    /* Cold code after the loop, or a jump alone, returns to the middle of the loop. The loop stays
     * an innermost one. */
    assert_loops("f: inc %ecx\n.L1: inc %eax\n.L2: inc %ebx\nje .L8\ndec %ecx\njne .L1\nret\n"
                 ".L8: inc %edx\njmp .L2\n",
                 "2-6/1 ");
    assert_loops("f: inc %ecx\n.L1: inc %eax\n.L2: inc %ebx\ncmp %ebx, %ecx\njl .L1\nja .L2\n"
                 "ret\n",
                 "2-5/1 ");
}

/* Code that ends with jumps through one table of addresses is a loop, without the first jump and
 * the code after the last. Inner loops within it remain, but jumps back from one part to another
 * are no loops. Jumps through different tables, such as two switches, are no loop. */
static void test_computed_gotos(void **state)
{
    assert_loops("f: movzbl (%rdi), %ecx\njmp *(%r8,%rcx,8)\nnop\n"
                 "inc %eax\nmovzbl 1(%rdi), %ecx\njmp *(%r8,%rcx,8)\n"
                 ".L1: dec %eax\nmov (%r8,%rcx,8), %rcx\njmp *%rcx\nlea (%rax), %eax\nret\n",
                 "4-9/1 ");
    assert_loops("f: jmp *0x4000(,%rcx,8)\ninc %eax\n.L1: add %eax, %ebx\njmp *0x4000(,%rcx,8)\n"
                 ".L2: dec %edx\njne .L2\njmp *0x4000(,%rcx,8)\nneg %eax\njmp .L1\n",
                 "5-6/2 2-9/1 ");
    /* before linking, two tables may have any addresses */
    assert_loops("f: jmp *outside(,%rcx,8)\ninc %eax\njmp *other(,%rcx,8)\ndec %eax\nret\n"
                 "neg %eax\nret\n",
                 "1-7/0 ");
    assert_loops("f: jmp *(%r8,%rcx,8)\ninc %eax\njmp *(%r9,%rcx,8)\ndec %eax\nret\n"
                 "neg %eax\nret\n",
                 "1-7/0 ");
    /* two tail calls through a table of functions */
    assert_loops("f: test %eax, %eax\nje .L1\njmp *(%r8,%rcx,8)\n.L1: jmp *(%r8,%rdx,8)\n",
                 "1-4/0 ");
}

/* A branch for which a linker sets the target closes no loop. Before linking, it jumps to the next
 * instruction. */
static void test_branches_to_symbols(void **state)
{
    assert_loops("f: test %eax, %eax\nje .L2\n.L1: inc %ecx\njmp outside\nnop\n"
                 ".L2: xor %eax, %eax\njmp .L1\n",
                 "1-7/0 ");
}

/* A cold block after an outer loop that jumps back to the inner one does not hide the inner one. */
static void test_cold_block_after_the_outer_loop(void **state)
{
    assert_loops("f: inc %edi\n.L0: inc %esi\n.L1: dec %eax\nje .L8\ndec %ecx\njne .L1\n"
                 "dec %edi\njne .L0\nret\n.L8: inc %ebx\njmp .L1\n",
                 "3-6/2 2-8/1 ");
}

static void test_no_loops(void **state)
{
    /* A backward jump in a block after the return closes no loop. Neither does a tail call to an
     * earlier function. */
    assert_loops("test %eax, %eax\nje .L2\n.L1: inc %eax\nret\n.L2: dec %ecx\njmp .L1\n", "1-6/0 ");
    assert_loops(".type f, @function\nf: inc %eax\nje .L9\nret\n.type g, @function\ng: dec "
                 "%eax\n.L9: jmp f\nnop\n",
                 "2-8/0 ");
}

/* A branch to itself without effect is no loop. On AArch64, a linker may insert its target, like
 * for a call at the end. */
static void test_to_itself(void **state)
{
    struct err err = {0};
    struct kernel *k = kernel_from_hex(ISA_AARCH64, "2000008b420400f1c1ffff5400000014", &err);

    assert_loops("nop\n.L1: loop .L1\n", "2-2/1 ");
    assert_non_null(k);
    assert_int_equal(loop_branch_target(k->insns, k->insn_count, 2), 0);
    assert_int_equal(loop_branch_target(k->insns, k->insn_count, 3), SIZE_MAX);
    kernel_free(k);
}

/* Blocks that a compiler moved out of the loop's addresses belong to it if they jump back to it. */
static void test_executed(void **state)
{
    /* Every block between the first and the last of the loop belongs to it. */
    assert_executed(".L1: dec %eax\nje .L1\ndec %ecx\njne .L1\n", "");
    /* No path returns from this block to the loop. */
    assert_executed(".L1: dec %eax\njne .L2\ninc %ebx\njmp .L3\n.L2: dec %ecx\njne .L1\n.L3: "
                    "ret\n",
                    "110011");
    /* This block jumps to a cold block, which jumps back into the middle of the loop, or to its
     * head. */
    assert_executed(".L1: dec %eax\njne .L2\ninc %ebx\njmp .L3\n.L2: dec %ecx\njne .L1\nret\n.L3: "
                    "inc %edx\njmp .L2\n",
                    "111111");
    assert_executed(".L1: dec %eax\njne .L2\ninc %ebx\njmp .L3\n.L2: dec %ecx\njne .L1\nret\n.L3: "
                    "inc %edx\njmp .L1\n",
                    "111111011");
    /* Only the cold block reaches this block. */
    assert_executed(".L1: dec %eax\njne .L3\njmp .L2\n.L4: inc %ebx\n.L2: dec %ecx\njne "
                    ".L1\nret\n.L3: inc %edx\njmp .L4\n",
                    "111111");
    /* The cold block leads to a return. */
    assert_executed(".L1: dec %eax\njne .L2\ninc %ebx\njmp .L3\n.L2: dec %ecx\njne .L1\nret\n.L3: "
                    "inc %edx\nret\n",
                    "110011");
    /* A path through the outer loop, which enters the inner loop at its head, is not part of the
     * inner loop. */
    assert_executed("inc %esi\n.L0: inc %edi\n.L1: dec %eax\njne .L2\ninc %ebx\njmp .L3\n.L2: dec "
                    "%ecx\njne .L1\n.L3: dec %esi\njne .L0\nret\n",
                    "110011");
    /* Cold code that also has its own entry belongs to another function. */
    assert_executed(".L1: dec %eax\njne .L2\ninc %ebx\njmp .L3\n.L2: dec %ecx\njne .L1\nret\n.L4: "
                    "inc %esi\n.L3: inc %edx\njmp .L2\n",
                    "110011");
    /* There is padding before the cold block. */
    assert_executed(".L1: dec %eax\njne .L2\ninc %ebx\njmp .L3\n.L2: dec %ecx\njne .L1\nret\nnop\n"
                    "nop\n.L3: inc %edx\njmp .L2\n",
                    "111111");
}

/* Returns the steps of loading @count overlapping backward jumps, which share one entry in their
 * middle. Any two of them may be arms of one loop. */
static uint64_t steps_of_overlapping(unsigned count)
{
    struct str text = {0};
    struct err err = {0};

    str_add(&text, "jmp .LM\n");
    for (unsigned i = 0; i < count; i++)
        str_addf(&text, ".L%u: addl $1, %%eax\n", i);
    str_add(&text, ".LM:\n");
    for (unsigned i = 0; i < count; i++)
        str_addf(&text, "jne .L%u\n", i);
    str_add(&text, "ret\n");
    const uint64_t before = steps_taken;
    struct kernel *k = kernel_from_text("text", text.data, text.length, NULL, &err);
    if (!k)
        fail_msg("%s", err.what);
    kernel_free(k);
    str_done(&text);
    return steps_taken - before;
}

/* The search for arms grows linearly with the code. */
static void test_searches_are_limited(void **state)
{
    assert_true((double)steps_of_overlapping(8000) < 3.0 * (double)steps_of_overlapping(4000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nesting),
                                       cmocka_unit_test(test_searches_are_limited),
                                       cmocka_unit_test(test_to_itself),
                                       cmocka_unit_test(test_arms_are_one_loop),
                                       cmocka_unit_test(test_members_outside),
                                       cmocka_unit_test(test_entered_at_first_arm),
                                       cmocka_unit_test(test_arm_after_the_jumps),
                                       cmocka_unit_test(test_branches_to_symbols),
                                       cmocka_unit_test(test_computed_gotos),
                                       cmocka_unit_test(test_cold_block_after_the_outer_loop),
                                       cmocka_unit_test(test_executed),
                                       cmocka_unit_test(test_vector_work_goes_first),
                                       cmocka_unit_test(test_two_ways_back_are_one_loop),
                                       cmocka_unit_test(test_jump_to_the_test_at_the_end),
                                       cmocka_unit_test(test_no_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
