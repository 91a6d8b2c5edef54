/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "toolchain/listing.h"
#include "toolchain/markers.h"
#include "../support/support.h"

static void assert_clean(const char *text, const char *expected)
{
    struct listing l;
    listing_clean(ISA_X86_64, text, strlen(text), SYNTAX_AUTO, NULL, &l);
    assert_string_equal(str_text(&l.text), expected);
    listing_done(&l);
}

static void test_clean(void **state)
{
    assert_clean("# 1 \"a.c\"\n\t.cfi_startproc\n\t.globl f\nf:\tincl %eax # c\n\t.size f, .-f\n",
                 "\n\n\nf: incl %eax\n\n");
    assert_clean("\t.section .text.hot,\"ax\"\nnop /* a\nb */ nop\n\t.section .rodata\n",
                 ".text\nnop\nnop\n.data\n");
    assert_clean("nop\r\n.ascii \"a#b\"\n", "nop\n.ascii \"a#b\"\n");
    assert_clean("  10:\t75 fe                \tjne    10 <f+0x10>\n",
                 ".Lportolan_at_0_10: .byte 0x75; .byte .Lportolan_at_0_10 - . - 1\n");
    assert_clean("  10 <f+0x10>:\tjne    10 <f+0x10>\n",
                 ".Lportolan_at_0_10: jne .Lportolan_at_0_10\n");
}

static void test_numeric_labels_are_no_addresses(void **state)
{
    assert_clean("1: decl %eax\n   jne 1b\n", "1: decl %eax\njne 1b\n");
}

static void test_refused(void **state)
{
    static const char text[] = "nop\nx: .INCBIN \"f\"\n";
    struct listing l;
    listing_clean(ISA_X86_64, text, strlen(text), SYNTAX_AUTO, NULL, &l);
    assert_int_equal(l.refused.count, 1);
    assert_int_equal(l.refused.items[0].line, 2);
    assert_null(strstr(l.text.data, "INCBIN"));
    listing_done(&l);
}

static void test_syntax(void **state)
{
    static const struct { const char *text; enum syntax syntax;
    } cases[] = {
        {"addl $1, %eax\n", SYNTAX_ATT},
        {"add eax, 1\n", SYNTAX_INTEL},
        {"mov rax, qword ptr [rbx]\n", SYNTAX_INTEL},
        {".intel_syntax noprefix\nnop\n", SYNTAX_INTEL},
        {".file \"R8.c\"\n.string \"/tmp/tmp.al-r9\"\nmovl $1, %eax\n", SYNTAX_ATT},
        {"r5p: .string \"x\"\nxmm3d2: nop\nmovl $1, %eax\n", SYNTAX_ATT},
        {"vaddps zmm1, zmm2, zmm3\n", SYNTAX_INTEL},
        {"vaddps %zmm1, %zmm2, %zmm3\n", SYNTAX_ATT},
        {"", SYNTAX_ATT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(syntax_detect(cases[i].text, strlen(cases[i].text)), cases[i].syntax);
    assert_true(listing_isa("ldr x0, [x1]\n", 13) == ISA_AARCH64);
    assert_false(listing_isa("str (%rax)\n", 11) == ISA_AARCH64);
}

static void test_marker_comments(void **state)
{
    static const char text[] = "# LLVM-MCA-BEGIN a b\nnop\n; OSACA-END \n";
    struct marker_list m;
    markers_find(text, strlen(text), &m);
    assert_int_equal(m.list.count, 2);
    assert_string_equal(m.list.items[0].text, "LLVM-MCA-BEGIN a b");
    assert_int_equal(m.list.items[1].kind, MARKER_END);
    assert_int_equal(m.list.items[1].line, 3);
    markers_done(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clean), cmocka_unit_test(test_numeric_labels_are_no_addresses),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_syntax),
        cmocka_unit_test(test_marker_comments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
