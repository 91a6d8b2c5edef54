/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions that the decoder lacks. One line is one instruction, with its name if another
 * disassembler supports it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <Zydis/Zydis.h>

#include "../support/support.h"
#include "analysis/analysis.h"
#include "analysis/kernel.h"
#include "base/rng.h"
#include "io/machine_file.h"
#include "isa/insn.h"
#include "isa/x86/decode.h"
#include "isa/x86/decode_parts.h"
#include "toolchain/scan.h"

static size_t bytes_of(const char *hex, uint8_t out[16])
{
    size_t n = strlen(hex) / 2;
    unsigned byte;

    for (size_t i = 0; i < n; i++) {
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        out[i] = (uint8_t)byte;
    }
    return n;
}

static const struct foreign { const char *hex, *text, *form; unsigned access[3];
} foreign[] = {
    /* bytes and text from binutils 2.40 and LLVM 22; R 1, W 2 */
    {"c4e26f50e1", "vpdpbssd ymm4,ymm2,ymm1", "VPDPBSSD (YMM, YMM, YMM)", {3, 1, 1}},
    {"c4e26f502487",
     "vpdpbssd ymm4,ymm2,YMMWORD PTR [rdi+rax*4]",
     "VPDPBSSD (YMM, YMM, M256)",
     {3, 1, 1}},
    {"c4e2edb45f40",
     "{vex} vpmadd52luq ymm3,ymm2,YMMWORD PTR [rdi+0x40]",
     "VPMADD52LUQ_VEX (YMM, YMM, M256)",
     {3, 1, 1}},
    {"c4e27eb108", "vbcstnebf162ps ymm1,WORD PTR [rax]", "VBCSTNEBF162PS (YMM, M16)", {2, 1, 0}},
    {"c4e27e72d1", "{vex} vcvtneps2bf16 xmm2,ymm1", "VCVTNEPS2BF16_VEX (XMM, YMM)", {2, 1, 0}},
    {"c4e279e619", "cmpbexadd DWORD PTR [rcx],ebx,eax", "CMPBEXADD (M32, R32, R32)", {3, 3, 1}},
    {"480f38fc07", "aadd   QWORD PTR [rdi],rax", "AADD (M64, R64)", {3, 1, 0}},
    {"62f4f41801c3", "add\trcx, rbx, rax", "ADD_APX (R64, R64, R64)", {2, 1, 1}},
    {"d5588b11", "mov\tr18, qword ptr [r17]", "MOV_APX (R64, M64)", {2, 1, 0}},
    {"62f4fc0c01c3", "{nf}\tadd\trbx, rax", "ADD_APX_NF (R64, R64)", {2, 1, 0}},
    {"62f48c0c39c3", "ccmpl\t{dfv=cf} rbx, rax", "CCMPL_APX (R64, R64)", {1, 1, 0}},
    {"62f56cd95818",
     "vaddph\tzmm3 {k1} {z}, zmm2, word ptr [rax]{1to32}",
     "VADDPH_Z (ZMM, K, ZMM, M16_1to32)",
     {2, 1, 1}},
    {"62f36d1852d903",
     "vminmaxps\tzmm3, zmm2, zmm1, {sae}, 0x3",
     "VMINMAXPS_SAE (ZMM, ZMM, ZMM, I8)",
     {2, 1, 1}},
};

/* Derives form, reads and writes from the text. */
static void test_text(void **state)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        struct insn in = {0};
        in.length = (uint8_t)bytes_of(foreign[i].hex, in.bytes);
        assert_true(x86_text_read(foreign[i].text, &in));
        assert_string_equal(in.form, foreign[i].form);
        for (unsigned k = 0; k < 3 && foreign[i].access[k]; k++)
            assert_int_equal(in.operands[k].access, foreign[i].access[k]);
    }
    struct insn in = {0};
    assert_true(x86_text_read("vpdpbssd ymm4, ymm2, ymmword ptr fs:[r29 + 4*r17 - 0x40]", &in));
    const struct operand *memory = insn_memory(&in);
    assert_int_equal(memory->base, 67 + 29 - 16);
    assert_int_equal(memory->index, 67 + 17 - 16);
    assert_int_equal(memory->scale, 4);
    assert_int_equal(memory->displacement, -0x40);
    assert_int_equal(memory->segment, REG_OTHER);
    static const char *const bad[] = {"",
                                      " ",
                                      "(bad)",
                                      "vfoo ,,",
                                      "vfoo ymm99",
                                      "vfoo [",
                                      "vfoo ]",
                                      "vfoo [rax",
                                      "vfoo [rax+]x[",
                                      "vfoo {",
                                      "vfoo {}",
                                      "vfoo [foo]",
                                      "vfoo [rax*rbx*]",
                                      "lock",
                                      "{vex}",
                                      "vfoo 0x",
                                      "vfoo xmm",
                                      "vfoo r16q",
                                      "vfoo zmm1{k9}{z",
                                      "vfoo dword ptr"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memset(&in, 0, sizeof in);
        x86_text_read(bad[i], &in);   /* There is no access out of bounds for any text. */
    }
}

/* The length of a VEX or EVEX encoding by its bytes equals the decoder's for all that it
 * decodes. */
static void test_encoding_length(void **state)
{
    static const uint8_t first[] = {0xc4, 0xc5, 0x62};
    ZydisDecoder decoder;
    ZydisDecodedInstruction in;
    struct rng rng;
    size_t decoded = 0;

    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    rng_seed(&rng, 1);
    for (size_t i = 0; i < 2000000; i++) {
        uint8_t code[16];
        for (size_t k = 0; k < sizeof code; k++)
            code[k] = (uint8_t)rng_next(&rng);
        code[0] = first[i % 3];
        if (code[0] == 0xc4)
            code[1] = (uint8_t)((code[1] & 0xe0) | (1 + code[1] % 3));
        if (code[0] == 0x62) {
            code[1] = (uint8_t)((code[1] & 0xf0) | (1 + code[1] % 6));
            code[2] |= 4;
        }
        if (ZYAN_FAILED(
                ZydisDecoderDecodeInstruction(&decoder, NULL, code, sizeof code - 1, &in)) ||
            (in.opcode_map == ZYDIS_OPCODE_MAP_0F && in.opcode == 0x77))
            continue;
        /* These are branches of Knights Corner, which have no ModRM byte. */
        if (in.mnemonic == ZYDIS_MNEMONIC_JKZD || in.mnemonic == ZYDIS_MNEMONIC_JKNZD)
            continue;
        decoded++;
        assert_int_equal(x86_encoding_length(code, sizeof code - 1), in.length);
        for (size_t cut = 0; cut < in.length; cut++)
            assert_int_equal(x86_encoding_length(code, cut), 0);
    }
    assert_true(decoded > 100000);
}

/* Without a disassembler that supports APX, an instruction has the length of the same opcode after
 * REX. Lengths are from LLVM 22. */
static void test_rex2(void **state)
{
    static const char *const codes[] = {
        "d5588b11",     "d500a13412000000000000", "d50850", "d5c8af4b08",
        "66d510b83412", "d518b8efcdab8967452301", "d50006", NULL};
    struct err err = {0};

    for (size_t i = 0; codes[i]; i++) {
        uint8_t code[16];
        struct insn in;
        size_t n = bytes_of(codes[i], code);
        bool decodes = insn_decode(ISA_X86_64, code, n, 0, false, &in, &err);
        assert_int_equal(decodes, strcmp(codes[i], "d50006") != 0);
        if (decodes) {
            assert_int_equal(in.length, n);
            assert_true(in.traits & (INSN_UNDECODED | INSN_FOREIGN));
        }
    }
}

static bool there(const char *program)
{
    char line[128];
    snprintf(line, sizeof line, "command -v %s >/dev/null 2>&1", program);
    return system(line) == 0;
}

/* In one piece of code each foreign encoding is one instruction, with its name if an installed
 * disassembler supports it. No instruction has bytes of another. */
static void test_learned(void **state)
{
    uint8_t code[16 * (sizeof foreign / sizeof *foreign)];
    size_t length = 0, at = 0;
    struct err err = {0};
    bool llvm = there("llvm-objdump-22");

    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        length += bytes_of(foreign[i].hex, code + length);
    assert_true(insn_learn(ISA_X86_64, code, length, &err));
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        struct insn in;
        bool newer = strstr(foreign[i].form, "APX") || strstr(foreign[i].form, "VMINMAX");
        if (newer && !llvm)
            break;
        assert_true(insn_decode(ISA_X86_64, code + at, length - at, at, true, &in, &err));
        assert_int_equal(in.length, strlen(foreign[i].hex) / 2);
        if (!(in.traits & INSN_UNDECODED))   /* binutils before 2.40 supports fewer of these */
            assert_string_equal(in.form, foreign[i].form);
        assert_null(strchr(in.text, '\t'));   /* Views show texts in columns. */
        at += in.length;
        insn_done(&in);
    }
}

/* In text, the number of instructions equals the number of lines, the total is a lower bound, and
 * unknown instructions are counted. */
static void test_kernel(void **state)
{
    static const char text[] =
        ".L1:\n\t.byte 0xc4,0xe2,0x6f,0x50,0xe1\n\tvaddps %ymm1,%ymm2,%ymm3\n\t.byte "
        "0xc4,0xe2,0x6c,0xfb,0xd9\n\tdec %rax\n\tjne .L1\n";
    struct err err = {0};
    struct kernel *k = kernel_from_text("text", text, sizeof text - 1, NULL, &err);
    struct machine *m = machine_load("skylake", &err);

    assert_non_null(k);
    assert_non_null(m);
    assert_int_equal(k->insn_count, 5);
    assert_int_equal(k->insns[2].length, 5);
    assert_true(k->insns[2].traits & INSN_UNDECODED);
    assert_string_equal(k->insns[2].form, "UNDECODED (0xc4e26cfbd9)");
    struct analysis *a = analysis_new(k, 0, m);
    assert_true(a->lower_bound);
    assert_true(a->unknown);
    assert_int_equal(analysis_undecoded(a), 1);
    analysis_free(a);
    machine_free(m);
    kernel_free(k);
}

/* In an object, instructions that no decoder supports count as not covered by any machine. Those
 * that another disassembler names count under that name. */
static void test_scan_counts(void **state)
{
    struct scan scan = {0};
    struct err err = {0};
    char command[1024];
    size_t named = 0;

    work_put("newer.s", "\t.byte 0xc4,0xe2,0x6f,0x50,0xe1\n\tvaddps %ymm1,%ymm2,%ymm3\n\t.byte "
                        "0xc4,0xe2,0x6c,0xfb,0xd9\n\tdec %rax\n\t.byte 0x06,0x06\n\tret\n");
    snprintf(command, sizeof command, "cd '%s' && as --64 -o newer.o newer.s", work_path(""));
    assert_int_equal(system(command), 0);
    if (!scan_file(&scan, work_path("newer.o"), &err))
        fail_msg("%s", err.what);
    assert_int_equal(scan.undecoded, 2);
    assert_int_equal(scan.skipped_bytes, 7);
    assert_int_equal(scan.instructions, 4);
    for (size_t i = 0; i < scan.forms.count; i++)
        named += strcmp(scan.forms.items[i].form, "VPDPBSSD (YMM, YMM, YMM)") == 0;
    assert_int_equal(named, 1);
    scan_done(&scan);
}

/* llvm-mc encodes lines that the assembler rejects, each as a single instruction. Other text is
 * still rejected. */
static void test_newer_lines(void **state)
{
    static const struct { const char *text; size_t insns, refused;
    } texts[] = {
        {"\tvpdpwsud %ymm1,%ymm2,%ymm3\n\t{nf} addq %rax,%rbx,%rcx\n\tvaddps %ymm1,%ymm2,%ymm3\n",
         3, 0},
        {"\t.intel_syntax noprefix\n\tvpdpwsud ymm3, ymm2, ymmword ptr fs:[rdi+rax*4]\n\tadd rcx, "
         "rbx, rax\n",
         2, 0},
        {"\t.intel_syntax noprefix\n\tadd eax, [rbx\n\tadd eax, rbx]\n\tadd eax, ebx\n", 1, 2},
        {"\taddq %rax,%rbx,%rcx,%rdx\n\tfooo %rax\n\taddq (%rax,%rbx\n\taddq %rax,%rbx\n", 1, 3},
    };
    if (!there("llvm-mc-22"))
        skip();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct kernel_options options = {.skip_bad = true};
        struct err err = {0};
        struct kernel *k =
            kernel_from_text("text", texts[i].text, strlen(texts[i].text), &options, &err);
        if (!k)
            fail_msg("%zu: %s", i, err.what);
        assert_int_equal(k->insn_count, texts[i].insns);
        assert_int_equal(k->refused_count, texts[i].refused);
        for (size_t n = 1; n < k->insn_count; n++)
            assert_true(k->insns[n].line > k->insns[n - 1].line);
        kernel_free(k);
    }
}

/* llvm-mc does not get lines that `as` rejects because their text is wrong. */
static void test_wrong_lines(void **state)
{
    static const char *const lines[] = {
        "shl rdx,",      "imul rax, rbx,",  "mov eax, (",       "cmp byte ptr [rax],",
        "sub- $1, %ecx", "leaq-8(%rdi), %r9", "cmpb $10., (%rax)", "movl $5, 1.5(%rsp)",
        "vaddps 32(%rax,), %ymm1, %ymm0",
    };

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[128];
        struct err err = {0};
        snprintf(text, sizeof text, "%s\t%s\n",
                 strchr(lines[i], '%') ? "" : "\t.intel_syntax noprefix\n", lines[i]);
        struct kernel *k = kernel_from_text("text", text, strlen(text), NULL, &err);
        if (k)
            fail_msg("%s: accepted", lines[i]);
        assert_true(err.line > 0);
    }
}

/* LOCK is not part of an instruction that does not permit it, whatever disassemblers print. Several
 * LOCK prefixes are one. */
static void test_lock(void **state)
{
    static const struct { const char *hex; size_t byte;
    } blocks[] = {
        {"f0480118", 0}, {"f0f0f0480118", 0}, {"f0f0f0f04801d8", 1}, {"4801d8f04801d8", 4},
        {"f0483918", 1}, {"f0900f0b", 1},     {"67f04801d8", 1},     {"f04803d8", 1},
    };

    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        struct err err = {0};
        char expected[64];
        struct kernel *k = kernel_from_hex(ISA_X86_64, blocks[i].hex, &err);
        snprintf(expected, sizeof expected, "at byte %zu ", blocks[i].byte);
        if (!k == !blocks[i].byte)
            fail_msg("%s: %s", blocks[i].hex, k ? "taken" : err.what);
        if (blocks[i].byte && (!strstr(err.what, expected) || !strstr(err.todo, "LOCK")))
            fail_msg("%s: %s; %s", blocks[i].hex, err.what, err.todo);
        kernel_free(k);
    }
}

/* Data before the first instruction does not change line numbers. */
static void test_data_first(void **state)
{
    static const char text[] = ".L1:\n\t.byte 0x06\n\tadd %rax,%rbx\n\tdec %rcx\n\tjne .L1\n";
    struct err err = {0};
    struct kernel *k = kernel_from_text("text", text, sizeof text - 1, NULL, &err);

    assert_non_null(k);
    assert_int_equal(k->insn_count, 4);
    assert_true(k->insns[0].traits & INSN_UNDECODED && k->insns[0].length == 1);
    for (size_t i = 1; i < 4; i++)
        assert_int_equal(k->insns[i].line, i + 2);
    kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),        cmocka_unit_test(test_encoding_length),
        cmocka_unit_test(test_rex2),        cmocka_unit_test(test_learned),
        cmocka_unit_test(test_kernel),      cmocka_unit_test(test_scan_counts),
        cmocka_unit_test(test_newer_lines), cmocka_unit_test(test_wrong_lines),
        cmocka_unit_test(test_lock),
        cmocka_unit_test(test_data_first)};
    return cmocka_run_group_tests_name("undecoded", tests, NULL, NULL);
}
