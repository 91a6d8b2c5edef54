/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The meaning of a line of text depends only on earlier lines and on the tool that wrote them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel.h"
#include "base/csv_reader.h"
#include "base/file.h"
#include "base/path.h"
#include "base/str.h"
#include "../support/support.h"

/* Fails unless @text consists of the forms in @forms, separated by "|". */
static void assert_forms(const char *text, const char *forms)
{
    struct err err = {0};
    struct str found = {0};
    struct kernel *k = kernel_from_text("text", text, strlen(text), NULL, &err);

    if (!k)
        fail_msg("%s\nline %zu: %s", text, err.line, err.what);
    for (size_t i = 0; i < k->insn_count; i++)
        str_addf(&found, "%s%s", i ? "|" : "", k->insns[i].form);
    if (strcmp(str_text(&found), forms) != 0)
        fail_msg("%s\nis %s\nnot %s", text, str_text(&found), forms);
    str_done(&found);
    kernel_free(k);
}

static void test_syntax_switches(void **state)
{
    static const char *const cases[][2] = {
        {"movq (%rdi), %rax\n.intel_syntax noprefix\nadd rax, 5\n.att_syntax prefix\nmovq %rax, "
         "(%rdi)\n",
         "MOV (R64, M64)|ADD (R64, I8)|MOV (M64, R64)"},
        {"mov rax, [rdi]\n.att_syntax\naddq $5, %rax\n.intel_syntax noprefix\nmov [rdi], rax\n",
         "MOV (R64, M64)|ADD (R64, I8)|MOV (M64, R64)"},
        {".intel_syntax noprefix\nadd rax, 5\n.att_syntax\naddq $5, (%rax)\n",
         "ADD (R64, I8)|ADD (M64, I8)"},
        /* clang accepts Intel syntax without noprefix. */
        {".intel_syntax\nadd rax, rbx\n", "ADD (R64, R64)"},
        {".intel_syntax prefix\nadd %rax, %rbx\n", "ADD (R64, R64)"},
        {".att_syntax noprefix\naddq $5, rax\n", "ADD (R64, I8)"},
        {"nop; .intel_syntax noprefix; add rax, [rbx]; .att_syntax; addq (%rbx), %rax\n",
         "NOP ()|ADD (R64, M64)|ADD (R64, M64)"},
        {"#APP\n.intel_syntax noprefix\nadd rax, 5\n.att_syntax prefix\n#NO_APP\naddq $8, %rdi\n",
         "ADD (R64, I8)|ADD (R64, I8)"},
        {".text\n.globl f\nf:\nnop\npushq $5\n.intel_syntax noprefix\npush 5\n",
         "NOP ()|PUSH (I8)|PUSH (I8)"},
        {"addq $1, %rax ; addq $1, %rbx\n.intel_syntax noprefix\nadd rax, 1 ; the sum\n",
         "ADD (R64, I8)|ADD (R64, I8)|ADD (R64, I8)"},
        {".intel_syntax noprefix\nf: add rax, 1\njmp .end\ng: add rbx, 1\n.end: ret\n",
         "ADD (R64, I8)|JMP (Rel8)|ADD (R64, I8)|RET_NEAR ()"},
        {".macro m\n.intel_syntax noprefix\nadd rax, 1\n.att_syntax\n.endm\naddq $1, %rbx\nm\n",
         "ADD (R64, I8)|ADD (R64, I8)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_forms(cases[i][0], cases[i][1]);
}

/* Hexadecimal numbers in the notation of MASM, with any number of digits. A name that the text
 * declares remains a name. */
static void test_hex_suffix(void **state)
{
    static const char *const cases[][2] = {
        {"cmp esi,FFFFFFFFh\n", "CMP (R32, I8)"},
        {"cmp esi, A0h\n", "CMP (R32, I32)"},
        {"mov eax, DEADBEEFh\n", "MOV (R32, I32)"},
        {"mov eax, deadbeefh\n", "MOV (R32, I32)"},
        {"add eax, 0A0H\n", "ADD (R32, I32)"},
        {"add rax, -A0h\n", "ADD (R64, I32)"},
        {"mov ebx,$FF\n", "MOV (R32, I32)"},
        {"mov ebx, $0FF\n", "MOV (R32, I32)"},
        {"add eax, $1b\n", "ADD (R32, I8)"},
        {"mov eax, [rsi+$10]\n", "MOV (R32, M32)"},
        {"mov rdx, $\n", "MOV (R64, I32)"},
        {"f: mov eax, $f\n", "MOV (R32, M32)"},
        {"mov rax, [rbx+A0h]\n", "MOV (R64, M64)"},
        {"mov ah, bh\n", "MOV (R8h, R8h)"},
        {"mov eax, Fh\n", "MOV (R32, I32)"},
        {"add al, CH\n", "ADD (R8l, R8h)"},
        {"cmp esi, 10h\n", "CMP (R32, I8)"},
        {"mov rax, FFFFFFFFFFFFFFFEh\nadd rax, rbx\n", "MOV (R64, I32)|ADD (R64, R64)"},
        {"add eax, 111b\n", "ADD (R32, I8)"},
        {"add eax, 11111111b\n", "ADD (R32, I32)"},
        {"add eax, 11111111y\n", "ADD (R32, I32)"},
        {"add eax, 177o\n", "ADD (R32, I8)"},
        {"add eax, 200q\n", "ADD (R32, I32)"},
        {"add eax, 127d\n", "ADD (R32, I8)"},
        {"add eax, 128t\n", "ADD (R32, I32)"},
        {"add eax, 1_000\n", "ADD (R32, I32)"},
        {"add eax, 0x7_F\n", "ADD (R32, I8)"},
        {"add eax, 0dh\n", "ADD (R32, I8)"},
        {"add eax, 0x7d\n", "ADD (R32, I8)"},
        {"add eax, 0x7b\n", "ADD (R32, I8)"},
        {"add eax, 0b1111111\n", "ADD (R32, I8)"},
        {"1: lea rax, [rip+1b]\nlea rax, 1b[rip]\njmp 1b\n",
         "LEA_R_D32 (R64)|LEA_R_D32 (R64)|JMP (Rel8)"},
        {"each: add rax, 1\njmp each\n", "ADD (R64, I8)|JMP (Rel8)"},
        {"extern each\nadd rax, qword ptr [each]\n", "ADD (R64, M64)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_forms(cases[i][0], cases[i][1]);
    for (unsigned digits = 1; digits <= 7; digits++) {
        struct str text = {0};
        str_addf(&text, "add eax, %.*sh\n", (int)digits, "EDCBA98");
        assert_forms(str_text(&text), digits == 1 ? "ADD (R32, I8)" : "ADD (R32, I32)");
        str_done(&text);
    }
}

/* If a web site has removed the directives, registers show the syntax of inline assembler. */
static void test_other_syntax(void **state)
{
    static const char *const cases[][2] = {
        {"mov rax, qword ptr [rdi]\naddq $5, %rax\nmov qword ptr [rdi], rax\n",
         "MOV (R64, M64)|ADD (R64, I8)|MOV (M64, R64)"},
        {"movq (%rdi), %rax\nadd rax, 5\nmovq %rax, (%rdi)\nmovq %rax, (%rsi)\n",
         "MOV (R64, M64)|ADD (R64, I8)|MOV (M64, R64)|MOV (M64, R64)"},
        {"movq (%rdi), %rax\npush rax\nmovq %rax, (%rdi)\n",
         "MOV (R64, M64)|PUSH (R64)|MOV (M64, R64)"},
        {".intel_syntax prefix\nadd %rax, 5\n.att_syntax noprefix\naddq $5, rax\n",
         "ADD (R64, I8)|ADD (R64, I8)"},
        {"fldpi\nf2xm1\nfstp st(0)\n", "FLDPI ()|F2XM1 ()|FSTP (ST)"},
        {"ADD RAX, RBX\nJNE $L1\nDEC ECX\n", "ADD (R64, R64)|JNZ (Rel32)|DEC (R32)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_forms(cases[i][0], cases[i][1]);
}

static void test_headings(void **state)
{
    static const char *const sections[] = {".text",    ".data", ".bss",      ".rodata",
                                           ".init",    ".plt",  ".text.hot", ".debug_line",
                                           ".comment", "*ABS*", "f",         "f()"};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        struct str text = {0};
        str_addf(&text,
                 "Disassembly of section .text:\n\n0000000000000000 <%s>:\n   0:\t48 01 c3         "
                 "    \tadd    %%rax,%%rbx\n   3:\t75 fb                \tjne    0 <%s>\n",
                 sections[i], sections[i]);
        struct kernel *k = kernel_of(str_text(&text));
        assert_int_equal(k->loops[0].count, 2);
        assert_int_equal(k->loops[0].depth, 1);
        kernel_free(k);
        str_done(&text);
    }
}

/* If the listing has the bytes, any text is accepted, because older tools lack newer
 * instructions. */
static void test_bytes_decide(void **state)
{
    assert_forms("   0:\t48 01 c3             \tsub    %rax,%rbx\n   3:\t75 fb                "
                 "\tjne    0 <f>\n",
                 "ADD (R64, R64)|JNZ (Rel8)");
    assert_forms(
        "   0:\t48 01 c3             \t(bad)\n   3:\t0f 85 f7 ff ff ff    \tjne    0 <f>\n",
        "ADD (R64, R64)|JNZ (Rel32)");
    assert_forms("   0:\t48 b8 88 77 66 55 44 \tmovabs $0x1122334455667788,%rax\n   7:\t33 22 11 "
                 "\n   a:\t48 01 c3             \tadd    %rax,%rbx\n",
                 "MOV (R64, I64)|ADD (R64, R64)");
    /* There are too few bytes, because a window truncates them. */
    assert_forms("   0:\t48 b8 88 77 66       \tmovabs $0x1122334455667788,%rax\n   a:\t48 01 c3   "
                 "          \tadd    %rax,%rbx\n",
                 "MOV (R64, I64)|ADD (R64, R64)");
    /* Line numbers are not bytes, although 49 93 would be an instruction. */
    assert_forms("4993  addq $1, %rax\n4994  addq $1, %rbx\n4995  addq $1, %rcx\n",
                 "ADD (R64, I8)|ADD (R64, I8)|ADD (R64, I8)");
    /* Front ends depend on the address of the code, which the kernel has. */
    struct kernel *placed = kernel_of("  401132:\t48 01 c3             \tadd    %rax,%rbx\n  "
                                      "401135:\t75 fb                \tjne    401132 <f>\n");
    assert_int_equal(placed->insns[0].offset % 64, 0x32);
    assert_int_equal(placed->loops[0].count, 2);
    assert_string_equal(placed->loops[0].label, "0x401132");
    kernel_free(placed);
    /* Lines are missing, but the branch leads to an address. */
    struct kernel *k = kernel_of("   0:\t48 01 c3             \tadd    %rax,%rbx\n  13:\t75 eb     "
                                 "           \tjne    0 <f>\n");
    assert_int_equal(k->loops[0].count, 2);
    assert_int_equal(k->loops[0].depth, 1);
    kernel_free(k);
}

/* Branches of AArch64 are converted to text with a label, which must assemble to the bytes of the
 * listing. */
static void test_a64_branches(void **state)
{
    if (system("aarch64-linux-gnu-as --version >/dev/null 2>&1") != 0 && isa_host() != ISA_AARCH64)
        skip();
    uint32_t words[64];
    size_t count = 0;
    struct str text = {0};
    struct err err = {0};
    static const uint32_t others[] = {0x14000000, 0x94000000, 0x34000003, 0x35000003, 0xb400001f,
                                      0xb5000003, 0x3628001f, 0x37280003, 0xb6280003, 0xb7f80003};

    for (uint32_t condition = 0; condition < 16; condition++)
        words[count++] = 0x54000000 | condition;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        words[count++] = others[i];
    for (size_t i = 0; i < count; i++) {
        /* distance to the first instruction, in instructions */
        const uint32_t back = (uint32_t)-(int32_t)i;
        words[i] |= i == 0 ? 1u << 5
                    : (words[i] & 0x7c000000) == 0x14000000
                        ? back & 0x3ffffff
                        : (back & ((words[i] & 0x7e000000) == 0x36000000 ? 0x3fffu : 0x7ffffu))
                              << 5;
        str_addf(&text, "  m.go:10\t\t0x%zx\t\t%08x\t\tBXX 7(PC)\n", 0x48f3c0 + 4 * i,
                 (unsigned)words[i]);
    }
    struct kernel *k =
        kernel_from_text("t", str_text(&text), text.length,
                         &(struct kernel_options){.isa = ISA_AARCH64, .isa_given = true}, &err);
    if (!k)
        fail_msg("%s", err.what);
    assert_int_equal(k->insn_count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(k->insns[i].bytes[0] | k->insns[i].bytes[1] << 8 |
                             k->insns[i].bytes[2] << 16 | (uint32_t)k->insns[i].bytes[3] << 24,
                         words[i]);
    kernel_free(k);
    str_done(&text);
}

static void test_a64(void **state)
{
    if (system("aarch64-linux-gnu-as --version >/dev/null 2>&1") != 0 && isa_host() != ISA_AARCH64)
        skip();
    static const char *const cases[][2] = {
        {"LBB0_1:\n\tadrp x8, lCPI0_0@PAGE\n\tldr q3, [x8, lCPI0_0@PAGEOFF]\n\tfmla.4s v0, v1, "
         "v2\n\tfmul.2d v0, v1, v2[1]\n\tb.ne LBB0_1\n",
         "ADRP (X, Rel)|LDR (Q, [X, I])|FMLA (V.4S, V.4S, V.4S)|FMUL (V.2D, V.2D, V.D[I])|B.COND "
         "(Rel)"},
        {"\t.section __TEXT,__literal16,16byte_literals\n\t.p2align 4\nlCPI0_0:\n\t.quad "
         "5\n\t.quad 7\n\t.section __TEXT,__text,regular,pure_instructions\n\tldadd x0, x1, [x2]\n",
         NULL},
        {"\tmov.d x8, v0[1]\n\tmov d1, v0[1]\n\tushll2.8h v0, v1, #0\n\tld1.s { v0 }[1], [x8]\n",
         NULL},
        {"\tcpyfp [x3]!, [x1]!, x2!\n\tcpyfm [x3]!, [x1]!, x2!\n\tcpyfe [x3]!, [x1]!, x2!\n\tcbnz "
         "x2, 0\n",
         NULL},
    };
    static const size_t counts[] = {5, 1, 4, 4};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kernel *k = kernel_of(cases[i][0]);
        assert_int_equal(k->insn_count, counts[i]);
        kernel_free(k);
    }
    assert_forms(cases[0][0], cases[0][1]);
}

/* The assembler rejects lines with missing or invalid operands, or with an unknown instruction. */
static void test_plan9_faults(void **state)
{
    static const char *const lines[] = {"MOVQ , AX",
                                        "MOVQ AX,",
                                        "ADDQ $, (",
                                        "MOVQ 8(AX)(BX*, CX",
                                        "JMP ",
                                        "MOVQ x+(FP), ",
                                        "LEAQ (",
                                        "NOSUCH $1, AX",
                                        "VADDPD.BCST (AX), K1",
                                        "VADDPD.BCST.SAE",
                                        "X.BCST (AX), Z1",
                                        "VADDPD.RN_SAE (AX), Z1, Z2, $",
                                        "SHLQ $1, , AX"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct err err = {0};
        struct str text = {0};
        str_addf(&text, "TEXT f(SB), $0-8\n\tADDQ $1, AX\n\t%s\n", lines[i]);
        struct kernel *k = kernel_from_text("text", text.data, text.length, NULL, &err);
        if (k)
            fail_msg("taken: %s as %s", lines[i], k->insns[k->insn_count - 1].form);
        assert_int_equal(err.line, 3);
        str_done(&text);
    }
}

/* NASM assembles text that only NASM accepts. Errors have line numbers, and no directive can read a
 * file. */
static void test_nasm(void **state)
{
    if (!path_has_program("nasm"))
        skip();
    assert_forms("%rep 3\n inc rax\n%endrep\ntimes 2 dec rbx\n",
                 "INC (R64)|INC (R64)|INC (R64)|DEC (R64)|DEC (R64)");
    assert_forms("%macro two 2\n add %1, %2\n add %1, %2\n%endmacro\nALIGN 16\n.top:\n two rax, "
                 "[rbx + 8]\n jnz .top\n",
                 "ADD (R64, M64)|ADD (R64, M64)|JNZ (Rel8)");
    assert_forms("ALIGN 16\n.top: add rax, rbx\n jnz .top\n", "ADD (R64, R64)|JNZ (Rel8)");
    static const struct { const char *text; size_t line;
    } faults[] = {
        {"%rep 2\n inc rax\n%endrep\n addd rax, rbx\n", 4},
        {"%assign n 1\n incbin \"/etc/hostname\"\n inc rax\n", 2},
        {"%assign n 1\n inc%+bin \"/etc/hostname\"\n inc rax\n", 0},
        {"%rep 100000000\n inc rax\n%endrep\n", 1},
        {"%assign n 1\n%include \"/etc/hostname\"\n inc rax\n", 2},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct err err = {0};
        assert_null(kernel_from_text("text", faults[i].text, strlen(faults[i].text), NULL, &err));
        assert_int_equal(err.line, faults[i].line);
    }
}

/* Checks the loops of @text: "first-last why" in source lines, separated by "|". */
static void assert_loops(const char *text, const char *loops, size_t skipped)
{
    struct err err = {0};
    struct str found = {0};
    struct kernel *k = kernel_from_text("text", text, strlen(text), NULL, &err);

    if (!k)
        fail_msg("%s\nline %zu: %s", text, err.line, err.what);
    for (size_t i = 0; i < k->loop_count; i++)
        str_addf(&found, "%s%u-%u %s", i ? "|" : "", k->loops[i].first_line, k->loops[i].last_line,
                 k->loops[i].why);
    if (strcmp(str_text(&found), loops) != 0 || k->refused_count != skipped)
        fail_msg("%s\nhas %s, %zu skipped\nnot %s", text, str_text(&found), k->refused_count,
                 loops);
    str_done(&found);
    kernel_free(k);
}

/* A named mark ends the region of that name. IACA's stores for Visual C++ are marks. An error
 * outside of all regions is ignored. */
static void test_regions(void **state)
{
    assert_loops("# LLVM-MCA-BEGIN a\nincl %eax\n# LLVM-MCA-BEGIN b\nincl %ebx\n# LLVM-MCA-END "
                 "a\nincl %ecx\n# LLVM-MCA-END b\n",
                 "2-4 LLVM-MCA-BEGIN a|4-6 LLVM-MCA-BEGIN b", 0);
    assert_loops("# LLVM-MCA-BEGIN a\nincl %eax\n# LLVM-MCA-BEGIN b\nincl %ebx\n# LLVM-MCA-END "
                 "b\nincl %ecx\n# LLVM-MCA-END\n",
                 "2-6 LLVM-MCA-BEGIN a|4-4 LLVM-MCA-BEGIN b", 0);
    assert_loops("# LLVM-MCA-BEGIN\nincl %eax\n# LLVM-MCA-END of the loop\nincl %ecx\n",
                 "2-2 LLVM-MCA-BEGIN", 0);
    assert_loops(
        "# LLVM-MCA-BEGIN a\nincl %eax\n# LLVM-MCA-BEGIN b\nincl %ebx\n# LLVM-MCA-END\nincl %ecx\n",
        "2-4 LLVM-MCA-BEGIN a|4-4 LLVM-MCA-BEGIN b", 0);
    assert_loops(
        "nosuch %eax\n# LLVM-MCA-BEGIN a\nincl %eax\n# LLVM-MCA-END\n.bad %eax, (,\nother %ecx\n",
        "3-3 LLVM-MCA-BEGIN a", 2);
    assert_loops("nosuch %eax\nmovl $111, %ebx\n.byte 100,103,144\nincl %eax\nmovl $222, "
                 "%ebx\n.byte 100,103,144\nother %ecx\n",
                 "4-4 IACA markers", 2);
    assert_loops("f:\n\tmov BYTE PTR gs:111, 111\n\tadd rax, 8\n\tmov BYTE PTR gs:222, 222\n\tsub "
                 "r8, 1\n\tjne SHORT f\n",
                 "3-3 IACA markers|3-6 innermost loop f", 0);
    assert_loops("f:\n\tmov\tBYTE PTR gs:6fH, 6fH\t; 0000006fH\n\tadd rax, 8\n\tmov\tBYTE PTR "
                 "gs:0deH, 0deH\n\tsub r8, 1\n\tjne f\n",
                 "3-3 IACA markers|3-6 innermost loop f", 0);
    assert_loops("f:\n\tmovb $111, %gs:111\n\taddq $8, %rax\n\tmovb $222, %gs:222\n\tjne f\n",
                 "3-3 IACA markers|3-5 innermost loop f", 0);
    struct err err = {0};
    static const char inside[] = "# LLVM-MCA-BEGIN a\nnosuch %eax\n# LLVM-MCA-END\n";
    assert_null(kernel_from_text("text", inside, sizeof inside - 1, NULL, &err));
    assert_int_equal(err.line, 2);
}

enum { FILE_NAME, LOOP, LEFT_OUT, FORMS, FIELDS };

/* Variants of the text: unchanged, from Windows, indented, quoted in a mail. */
static const struct {
    const char *before, *behind;
} ways[] = {{"", "\n"}, {"", "\r\n"}, {"    ", "\n"}, {"> ", "\n"}};

static void text_come(const char *text, size_t way, struct str *out)
{
    for (const char *at = text, *end; *at; at = end + (*end != '\0')) {
        end = strchrnul(at, '\n');
        str_addf(out, "%s%.*s%s", ways[way].before, (int)(end - at), at, ways[way].behind);
    }
}

static size_t row_wrong(char *const *row, const char *text, size_t way)
{
    struct err err = {0};
    struct str come = {0}, forms = {0};
    size_t count = 0;

    text_come(text, way, &come);
    struct kernel *k = kernel_from_text(row[FILE_NAME], come.data, come.length, NULL, &err);
    const struct insn *insns = k ? kernel_insns(k, 0, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        str_addf(&forms, "%s%s", i ? "|" : "", insns[i].form);
    bool ok = k && strcmp(str_text(&forms), row[FORMS]) == 0 &&
              strcmp(k->loops[0].why, row[LOOP]) == 0 &&
              k->left_out_count == strtoul(row[LEFT_OUT], NULL, 10) && !k->refused_count;
    if (!ok)
        print_error("%s, way %zu: %s, %s, %zu left out; line %zu: %s\n", row[FILE_NAME], way,
                    k ? k->loops[0].why : "refused", str_text(&forms), k ? k->left_out_count : 0,
                    err.line, err.what);
    kernel_free(k);
    str_done(&come);
    str_done(&forms);
    return !ok;
}

/* Loads the output of each kind of tool (tests/data/kinds). Checks its loop, form by form, and the
 * number of lines that are not code. */
static void test_kinds(void **state)
{
    struct err err = {0};
    struct csv_reader *r = csv_reader_open(source_path("tests/data/kinds/kinds.csv"), &err);
    char **row, path[160];
    size_t count, rows = 0, wrong = 0;
    bool arm =
        system("aarch64-linux-gnu-as --version >/dev/null 2>&1") == 0 || isa_host() == ISA_AARCH64;

    if (!r)
        fail_msg("%s", err.what);
    while (csv_reader_next(r, &row, &count, &err)) {
        struct str text = {0};
        assert_int_equal(count, FIELDS);
        if (rows++ == 0 || (!arm && strstr(row[FILE_NAME], "a64")) ||
            (!path_has_program("nasm") && str_has_prefix(row[FILE_NAME], "nasm")) ||
            (!path_has_program("llvm-mc-22") && strstr(row[FILE_NAME], "apx")))
            continue;
        snprintf(path, sizeof path, "tests/data/kinds/%s", row[FILE_NAME]);
        if (!file_read(source_path(path), (size_t)1 << 20, &text, &err))
            fail_msg("%s: %s", path, err.what);
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++)
            wrong += row_wrong(row, str_text(&text), way);
        str_done(&text);
    }
    csv_reader_close(r);
    assert_true(rows > 10);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_syntax_switches),
                                       cmocka_unit_test(test_hex_suffix),
                                       cmocka_unit_test(test_other_syntax),
                                       cmocka_unit_test(test_headings),
                                       cmocka_unit_test(test_bytes_decide),
                                       cmocka_unit_test(test_a64),
                                       cmocka_unit_test(test_a64_branches),
                                       cmocka_unit_test(test_regions),
                                       cmocka_unit_test(test_plan9_faults),
                                       cmocka_unit_test(test_nasm),
                                       cmocka_unit_test(test_kinds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
