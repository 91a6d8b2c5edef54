/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Typical clipboard contents: each file of tests/data/pastes has the expected loop. pastes.csv has
 * its number of instructions, from the compiler's object, and the number of lines that are not
 * assembler text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel.h"
#include "base/csv_reader.h"
#include "base/file.h"
#include "base/str.h"
#include "toolchain/listing.h"
#include "toolchain/plain.h"
#include "../support/support.h"

enum { FILE_NAME, TOOL, MADE, ISA, SYNTAX, INSTRUCTIONS, LEFT_OUT, NOTE, FIELDS };

static struct kernel *paste(const char *file, struct str *text)
{
    char path[160];
    struct err err = {0};
    snprintf(path, sizeof path, "tests/data/pastes/%s", file);
    if (!file_read(source_path(path), (size_t)1 << 20, text, &err))
        fail_msg("%s: %s", file, err.what);
    struct kernel *k = kernel_from_text(file, str_text(text), text->length, NULL, &err);
    if (!k)
        print_error("%s: line %zu: %s\n", file, err.line, err.what);
    return k;
}

static bool row_holds(char *const *row)
{
    struct str text = {0}, plain = {0};
    bool ok = true;
    struct kernel *k = paste(row[FILE_NAME], &text);
    const char *lines =
        plain_text(str_text(&text), text.length, &plain) ? str_text(&plain) : str_text(&text);
    enum syntax expected = strcmp(row[SYNTAX], "intel") == 0 ? SYNTAX_INTEL : SYNTAX_ATT;

    if (!k || k->loops[0].count != strtoul(row[INSTRUCTIONS], NULL, 10) ||
        k->left_out_count != strtoul(row[LEFT_OUT], NULL, 10) || k->refused_count ||
        strcmp(isa_name(k->isa), row[ISA]) != 0 ||
        (*row[SYNTAX] && syntax_detect(lines, strlen(lines)) != expected)) {
        print_error("%s: %zu instructions (%s), %zu lines left out (%s), %s\n", row[FILE_NAME],
                    k ? k->loops[0].count : 0, row[INSTRUCTIONS], k ? k->left_out_count : 0,
                    row[LEFT_OUT], k ? isa_name(k->isa) : "refused");
        for (size_t i = 0; k && i < k->left_out_count; i++)
            print_error("    line %zu: %s: %s\n", k->left_out[i].line, k->left_out[i].reason,
                        k->left_out[i].text);
        ok = false;
    }
    kernel_free(k);
    str_done(&text);
    str_done(&plain);
    return ok;
}

static bool has_arm(void)
{
    return system("aarch64-linux-gnu-as --version >/dev/null 2>&1") == 0 ||
           isa_host() == ISA_AARCH64;
}

static void test_corpus(void **state)
{
    struct err err = {0};
    struct csv_reader *r = csv_reader_open(source_path("tests/data/pastes/pastes.csv"), &err);
    char **row;
    size_t count, rows = 0, wrong = 0, skipped = 0;
    const bool arm = has_arm();

    if (!r)
        fail_msg("%s", err.what);
    while (csv_reader_next(r, &row, &count, &err)) {
        assert_int_equal(count, FIELDS);
        if (rows++ == 0)
            continue;
        if (!arm && strcmp(row[ISA], "aarch64") == 0)
            skipped++;
        else
            wrong += !row_holds(row);
    }
    csv_reader_close(r);
    if (skipped)
        print_message("%zu pastes of AArch64 skipped: aarch64-linux-gnu-as is missing\n", skipped);
    assert_true(rows > 100);
    assert_int_equal(wrong, 0);
}

/* The percentages of a profile's samples remain at their instructions. */
static void test_percents(void **state)
{
    static const char text[] =
        " Percent |\tSource code & Disassembly of d for cycles (9 samples, percent: local period)\n"
        "    0.11 :   112d:   movslq %edi,%rdi\n"
        "         : 4    y[i] += a * x[i];\n"
        "   16.67 :   1146:   addsd  (%rdx,%rax,1),%xmm1\n"
        "    2.10 :   1154:   cmp    %rcx,%rax\n"
        "    0.00 :   1157:   jne    1146 <daxpy+0x14>\n";
    struct kernel *k = kernel_of(text);
    size_t count;
    const struct insn *insns = kernel_insns(k, 0, &count);

    assert_int_equal(count, 3);
    assert_true(fabs(kernel_percent(k, &insns[0]) - 16.67) < 1e-4);
    assert_true(fabs(kernel_percent(k, &insns[1]) - 2.1) < 1e-4);
    assert_true(kernel_percent(k, &insns[2]) == 0);
    assert_int_equal(k->left_out_count, 1);
    assert_int_equal(k->left_out[0].line, 3);
    assert_string_equal(k->left_out[0].text, "         : 4    y[i] += a * x[i];");
    kernel_free(k);
    k = kernel_of("1: incl %eax\n jne 1b\n");
    assert_true(isnan(kernel_percent(k, &k->insns[0])));
    kernel_free(k);
}

/* An impossible percentage is ignored. */
static void test_impossible_percents(void **state)
{
    static const char *const shares[] = {"7.1%", "1e300%", "-3%", "inf%", "nan%"};

    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        struct str text = {0};
        size_t count;
        str_add(&text, "Address\tSource Line\tAssembly\tCPU Time: Total\n");
        str_addf(&text,
                 "0x10\t3\tadd rax, rbx\t%s\n0x13\t3\tdec rcx\t1.0%%\n0x16\t3\tjnz 0x10\t1.0%%\n",
                 shares[i]);
        struct kernel *k = kernel_of(str_text(&text));
        const struct insn *insns = kernel_insns(k, 0, &count);
        assert_int_equal(count, 3);
        assert_int_equal(isnan(kernel_percent(k, &insns[0])) || kernel_percent(k, &insns[0]) == 0,
                         i > 0);
        kernel_free(k);
        str_done(&text);
    }
}

/* Invalid code is not mistaken for prose: the assembler rejects it. */
static void test_mistakes_are_refused(void **state)
{
    static const char *const lines[] = {"vaddqd %xmm0, %xmm1, %xmm2",
                                        "jnee 1b",
                                        "nosuch",
                                        "movl $1, %eaxx",
                                        "vzerouper",
                                        "call\tfoo bar",
                                        "addl",
                                        "lea rax, [rbx+rcx*3]",
                                        "foo $1",
                                        "a jnee y",
                                        "mov my var"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct str text = {0};
        struct err err = {0};
        str_addf(&text, "1: addl $1, %%eax\n\t%s\n\tjne 1b\n", lines[i]);
        struct kernel *k = kernel_from_text("text", text.data, text.length, NULL, &err);
        if (k)
            fail_msg("taken: %s", lines[i]);
        assert_int_equal(err.line, 2);
        str_done(&text);
    }
}

/* Code that resembles source or a directive is accepted. */
static void test_code_is_kept(void **state)
{
    static const struct { const char *text; size_t instructions;
    } cases[] = {
        {"1: mov eax, (3+4);\n\tjne 1b\n", 2},
        {"for: add eax, 1;\n\tjne for\n", 2},
        {"count = 4;\n1: add eax, count\n\tjne 1b\n", 2},
        {"db: add eax, 1\n\tjmp db\n", 2},
        {"proc: add eax, 1\n\tcall proc\n\tjmp proc\n", 3},
        {"1: fld real8 ptr [rax]\n\tadd eax, 1\n\tjne 1b\n", 3},
        {"add PROC\nmov eax, 1\nret\nadd ENDP\n", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kernel *k = kernel_of(cases[i].text);
        if (k->insn_count != cases[i].instructions || k->left_out_count)
            fail_msg("%s: %zu instructions, not %zu; %zu lines left out", cases[i].text,
                     k->insn_count, cases[i].instructions, k->left_out_count);
        kernel_free(k);
    }
    struct kernel *k = kernel_of(cases[2].text);
    assert_string_equal(k->insns[0].form, "ADD (R32, I8)");
    kernel_free(k);
}

/* In Intel syntax a semicolon after a blank is a separator for `as`, but starts a comment for most
 * people. */
static void test_semicolons(void **state)
{
    static const struct { const char *line; size_t instructions;
    } cases[] = {
        {"add eax, 1 ; add ebx, 1", 2},
        {"add eax, 1 ;add ebx, 1", 2},
        {"add eax, 1;add ebx, 1", 2},
        {"add eax, 1 ; add ebx, 1 ; increment both", 2},
        {"ADD EAX, 1 ; DEC ECX ; JNZ 1b", 3},
        {"nop ; nop ; ret", 3},
        {"vmulpd ymm0, ymm1, ymm2 ; vmovupd [rdi+rax*8], ymm0", 2},
        {"mov eax, 1 ; mov dword ptr [rsp+4], eax ; lock inc dword ptr [rsi]", 3},
        {"vmovups zmm0 {k1} {z}, zmm1 ; vaddps zmm0, zmm1, zmm2, {rn-sae}", 2},
        {"dec ecx ; jne 1b # jump", 2},
        {"add eax, 1 ; add the next element", 1},
        {"add eax, 1 ; add eax, the sum, to ebx", 1},
        {"add eax, 1 ; test", 1},
        {"add eax, 1 ; loop body", 1},
        {"add eax, 1 ;comment", 1},
        {"add eax, 1 ; eax = a[i], ebx = b[i]", 1},
        {"add eax, 1 ; mul x, y", 1},
        {"add eax, 1 ; add rcx", 1},
        {"add eax, 1 ;", 1},
        {"add eax, 1 ; in eax [see above]", 1},
        {"add eax, 1 ; and not rbx", 1},
        {"add eax, 1 ; call it a day", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int nasm = 0; nasm < 2; nasm++) {
            struct str text = {0};
            str_addf(&text, "%s1: mov edx, 1\n\t%s\n\tjne 1b\n", nasm ? "section .text\n" : "",
                     cases[i].line);
            struct kernel *k = kernel_of(text.data);
            size_t expected = nasm && strstr(cases[i].line, " ;") ? 3 : 2 + cases[i].instructions;
            if (k->insn_count != expected)
                fail_msg("%s%s: %zu instructions, not %zu", nasm ? "NASM: " : "", cases[i].line,
                         k->insn_count, expected);
            kernel_free(k);
            str_done(&text);
        }
    }
}

/* Omitted lines are reported with reasons. */
static void test_reasons(void **state)
{
    static const struct { const char *line, *reason;
    } cases[] = {
        {"The loop is slow here", "a sentence"},
        {"for (int i = 0; i < n; i++) {", "source code"},
        {"}", "source code"},
        {"y[i] += a * x[i];", "source code"},
        {"$ objdump -d a.out", "a prompt"},
        {"#include <stdio.h>", "source code"},
        {"return sum;", "source code"},
        {"double f(int n)", "source code"},
        {"...", "omitted instructions"},
        {"\t[...]", "omitted instructions"},
        {"\342\200\246", "omitted instructions"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str text = {0};
        str_addf(&text, "1: addl $1, %%eax\n%s\n\tjne 1b\n", cases[i].line);
        struct kernel *k = kernel_of(text.data);
        assert_int_equal(k->left_out_count, 1);
        assert_string_equal(k->left_out[0].reason, cases[i].reason);
        assert_int_equal(k->loops[0].count, 2);
        kernel_free(k);
        str_done(&text);
    }
}

/* Lines of a disassembly whose addresses leave out code are reported, but used. With bytes a gap of
 * one byte counts, without bytes a gap longer than any instruction of the set. */
static void test_gaps(void **state)
{
    static const struct { const char *text; size_t line;
    } cases[] = {
        {"10:\tinc %rcx\n13:\tcmp %rsi,%rcx\n16:\tjne 10\n", 0},
        {"10:\tinc %rcx\n22:\tcmp %rsi,%rcx\n25:\tjne 10\n", 2},
        {"10:\t48 ff c1 \tinc %rcx\n13:\t48 39 f1 \tcmp %rsi,%rcx\n16:\t75 f8 \tjne 10\n", 0},
        {"10:\t48 ff c1 \tinc %rcx\n13:\t48 39 f1 \tcmp %rsi,%rcx\n17:\t75 f7 \tjne 10\n", 3},
        {"10:\t48 ff c1 \tinc %rcx\n\t...\n20:\t48 39 f1 \tcmp %rsi,%rcx\n"
         "23:\t75 eb \tjne 10\n", 3},
        {"10:\tinc %rcx\n13:\tjne 10\n60:\tret\n", 0},
        {"0010 <f>:\n10:\t48 ff c1 \tinc %rcx\n13:\t75 fb \tjne 10\n0020 <g>:\n"
         "20:\t48 ff c1 \tinc %rcx\n23:\t75 fb \tjne 20\n", 0},
        {"10:\tldr x0, [x1]\n14:\tsubs x2, x2, #1\n18:\tb.ne 10\n", 0},
        {"10:\tldr x0, [x1]\n18:\tsubs x2, x2, #1\n1c:\tb.ne 10\n", 2},
        {"10:\tldr x0, [x1]\n14:\tsubs x2, x2, #1\n1c:\tb.ne 10\n", 3},
    };
    const size_t arm = 7;
    for (size_t i = 0; i < (has_arm() ? sizeof cases / sizeof *cases : arm); i++) {
        struct kernel *k = kernel_of(cases[i].text);
        assert_int_equal(k->left_out_count, cases[i].line > 0);
        assert_int_equal(k->left_out_count ? k->left_out[0].line : 0, cases[i].line);
        assert_int_equal(k->loops[0].count, i >= 5 && i < arm ? 2 : 3);
        kernel_free(k);
    }
}

/* Conditions of the C preprocessor are refused; a comment that begins with #if is not. */
static void test_conditions(void **state)
{
    static const char conditions[] = "1: addl $1, %eax\n#if 0\nnop\n#endif\njne 1b\n";
    struct err err = {0};

    assert_null(kernel_from_text("t", conditions, strlen(conditions), &(struct kernel_options){0},
                                 &err));
    assert_non_null(strstr(err.what, "a condition of the C preprocessor"));
    assert_int_equal(err.line, 2);
    struct kernel *k = kernel_of("1: addl $1, %eax\n#if zero, next\njne 1b\n");
    assert_int_equal(k->loops[0].count, 2);
    kernel_free(k);
}

/* Special characters are removed or replaced. Plain text is unchanged. */
static void test_plain(void **state)
{
    static const struct { const char *text, *plain;
    } cases[] = {
        {"nop\n", NULL},
        {"nop\r\nret\r\n", "nop\nret\n"},
        {"nop\rret", "nop\nret"},
        {"\033[31mnop\033[0m\033[K\nret", "nop\nret"},
        {"\033]8;;http://x\033\\nop\033]8;;\a\n", "nop\n"},
        {"\033", ""},
        {"\033[", ""},
        {"\033]", ""},
        {"\ufeffnop\u00a0# \u2013\u200b", "nop # -"},
        {".string \"\u201cx\u201d\"", ".string \"\u201cx\u201d\""},
        {".string \u201cx\u201d", ".string \"x\""},
        {"f&lt;int&gt;(a&amp;&amp;):", "f<int>(a&&):"},
        {"{\"asm\":[{\"text\":\"nop\"},{\"text\":\" ret\",\"labels\":[]}]}", "nop\n ret\n"},
        {"[{\"text\":\"nop\"}]", "nop\n"},
        {"{\"a\":[{\"asm\":\"nop\\nret\"}]}", "nop\nret"},
        {"{\"asm\":[{\"text\":\"je 10 <f>\",\"address\":18,\"opcodes\":[\"74\"]}]}",
         "12:\tje 10 <f>\n"},
        {"{\"asm\":", NULL},
        {"[1,2]", NULL},
        {"{}", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str out = {0};
        bool changed = plain_text(cases[i].text, strlen(cases[i].text), &out);
        if (changed != (cases[i].plain != NULL) ||
            (changed && strcmp(str_text(&out), cases[i].plain) != 0))
            fail_msg("%s: %s", cases[i].text, changed ? str_text(&out) : "as it is");
        str_done(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpus),
                                       cmocka_unit_test(test_percents),
                                       cmocka_unit_test(test_impossible_percents),
                                       cmocka_unit_test(test_mistakes_are_refused),
                                       cmocka_unit_test(test_code_is_kept),
                                       cmocka_unit_test(test_semicolons),
                                       cmocka_unit_test(test_reasons), cmocka_unit_test(test_gaps),
                                       cmocka_unit_test(test_conditions),
                                       cmocka_unit_test(test_plain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
