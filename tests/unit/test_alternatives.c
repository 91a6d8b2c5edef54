/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "../support/support.h"

/* Checks that the sentence for @text contains @expected, or if NULL that it names no
 * alternative. */
static void assert_sentence(const char *id, const char *text, const char *expected)
{
    struct machine *m = load_machine(id);
    struct kernel *k = kernel_of(text);
    struct analysis *a = analysis_new(k, 0, m);
    if (expected ? !strstr(a->sentence, expected) : strstr(a->sentence, "could be") != NULL)
        fail_msg("%s on %s: %s", text, id, a->sentence);
    analysis_free(a);
    kernel_free(k);
    machine_free(m);
}

/* Four shuffles on port 5, of which two leave each element in its position: 4 cycles. With blends
 * on ports 0, 1 and 5 instead: 2 cycles. */
static void test_shuffles(void **state)
{
    assert_sentence("skylake",
                    "vshufps $0xe4, %ymm1, %ymm2, %ymm3\n vshufps $0xe4, %ymm1, %ymm2, %ymm4\n "
                    "vshufps $0x1b, %ymm1, %ymm2, %ymm5\n vunpcklps %ymm1, %ymm2, %ymm6",
                    "2 of these instructions could be vblendps (1*p015). The port bound would then "
                    "be 2.00 cycles.");
    assert_sentence("skylake", "vshufps $0x1b, %ymm1, %ymm2, %ymm3\n vunpcklps %ymm1, %ymm2, %ymm6",
                    NULL);
    assert_sentence("skylake",
                    "vperm2f128 $0x30, %ymm1, %ymm2, %ymm3\n vperm2f128 $0x12, %ymm1, %ymm2, %ymm4",
                    "2 of these instructions could be vblendpd");
    assert_sentence("skylake",
                    "vperm2f128 $0x01, %ymm1, %ymm2, %ymm3\n vperm2f128 $0x21, %ymm1, %ymm2, %ymm4",
                    NULL);
    assert_sentence("skylake", "vshufpd $2, %xmm1, %xmm2, %xmm3\n vshufpd $2, %xmm1, %xmm2, %xmm4",
                    "2 of these instructions could be vblendpd");
    assert_sentence("skylake",
                    "vpblendw $0xf0, %xmm1, %xmm2, %xmm3\n vpblendw $0x0f, %xmm1, %xmm2, %xmm4",
                    "2 of these instructions could be vpblendd");
    assert_sentence("skylake",
                    "vpblendw $0x10, %xmm1, %xmm2, %xmm3\n vpblendw $0x0e, %xmm1, %xmm2, %xmm4",
                    NULL);
}

/* The alternative depends on the machine. Logic on single-precision values has one port on Haswell
 * and three on Skylake; additions have one and two. */
static void test_tables_decide(void **state)
{
    static const char logic[] =
        "vxorps %ymm1, %ymm2, %ymm3\n vxorps %ymm1, %ymm2, %ymm4\n vandps (%rdi), %ymm2, %ymm5";
    assert_sentence("haswell", logic,
                    "2 of these instructions could be vpxor (1*p015), 1 of these instructions "
                    "could be vpand (1*p23+1*p015). "
                    "The port bound would then be 1.00 cycles.");
    assert_sentence("skylake", logic, NULL);
    static const char additions[] = "vaddps %ymm0, %ymm1, %ymm2\n vaddps %ymm0, %ymm1, %ymm3";
    assert_sentence(
        "haswell", additions,
        "2 of these instructions could be vfmadd213ps (1*p01; with a factor of one). The port "
        "bound would then be 1.00 cycles.");
    assert_sentence("skylake", additions, NULL);
}

/* Shifts have an alternative if no later instruction uses the flags. */
static void test_shifts(void **state)
{
    assert_sentence("skylake",
                    "movl %r8d, %eax\n shll %cl, %eax\n movl %r9d, %edx\n shll %cl, %edx",
                    "2 of these instructions could be shlx (1*p06)");
    assert_sentence("skylake",
                    "movl %r8d, %eax\n shll %cl, %eax\n movl $0, %r10d\n movl %r9d, %edx\n shll "
                    "%cl, %edx\n setcb %r11b",
                    NULL);
    assert_sentence("skylake",
                    "movl %r8d, %eax\n shll $1, %eax\n movl %r9d, %edx\n shll $1, %edx\n sete "
                    "%r11b\n rorl $3, %r12d",
                    "could be add");
    assert_sentence("skylake",
                    "vpslld $1, %ymm0, %ymm1\n vpslld $1, %ymm0, %ymm2\n vpslld $3, %ymm0, %ymm3",
                    "2 of these instructions could be vpaddd (1*p015). The port bound would then "
                    "be 1.00 cycles.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shuffles),
                                       cmocka_unit_test(test_tables_decide),
                                       cmocka_unit_test(test_shifts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
