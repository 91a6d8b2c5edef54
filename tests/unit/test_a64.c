/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AArch64: forms, accessed registers, text. The expectations follow the architecture (Arm ARM DDI
 * 0487) and not the decoder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/kernel.h"
#include "isa/a64/decode.h"
#include "isa/a64/learn.h"
#include "isa/forms.h"
#include "toolchain/listing.h"
#include "../support/support.h"

static bool has_assembler(void)
{
    return system("aarch64-linux-gnu-as --version >/dev/null 2>&1") == 0;
}

#define NEEDS_ASSEMBLER() do { if (!has_assembler()) return; } while (0)

static struct insn decoded(uint32_t word)
{
    struct insn insn;
    uint8_t code[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                       (uint8_t)(word >> 24)};
    assert_true(a64_decode(code, 4, 0, false, &insn, NULL));
    return insn;
}

static void test_form_names(void **state)
{
    static const struct { uint32_t word; const char *form;
    } known[] = {
        {0x4e62d420, "FADD (V.2D, V.2D, V.2D)"},
        {0xf9400420, "LDR (X, [X, I])"},
        {0xf9400020, "LDR (X, [X, I])"},
        {0xf8408420, "LDR (X, [X], I)"},
        {0xf8408c20, "LDR (X, [X, I]!)"},
        {0xf8627820, "LDR (X, [X, X, LSL I])"},
        {0xb862d820, "LDR (W, [X, W, SXTW I])"},
        {0x8b020820, "ADD (X, X, X, LSL 1-4)"},
        {0x8b021820, "ADD (X, X, X, LSL I)"},
        {0x8b22c820, "ADD (X, X, W, SXTW I)"},
        {0x54000041, "B.COND (Rel)"},
        {0xb5000040, "CBNZ (X, Rel)"},
        {0x4c40a000, "LD1 ({V.16B, V.16B}, [X])"},
        {0x4d408400, "LD1 ({V.D}[I], [X])"},
        {0x4fc21020, "FMLA (V.2D, V.2D, V.D[I])"},
        {0xd65f03c0, "RET ()"},
        {0x9a820020, "CSEL (X, X, X, C)"},
        {0xaa0203e1, "MOV (X, X)"},
        {0x910003e0, "MOV (X, SP)"},
        {0xaa1f03e0, "MOV (X, XZR)"},
        {0xd2800de1, "MOV (X, I)"},
        {0xd503201f, "NOP ()"},
        {0x4e1c0420, "DUP (V.4S, V.S[I])"},
        {0x1e604020, "FMOV (D, D)"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint8_t code[4] = {(uint8_t)known[i].word, (uint8_t)(known[i].word >> 8),
                           (uint8_t)(known[i].word >> 16), (uint8_t)(known[i].word >> 24)};
        char form[FORM_MAX];
        uint32_t traits;
        assert_int_equal(a64_form(code, 4, form, &traits), 4);
        if (strcmp(form, known[i].form) != 0)
            fail_msg("%08x is %s, not %s", known[i].word, form, known[i].form);
        assert_string_equal(decoded(known[i].word).form, form);
    }
}

/* Describes accesses as "0w1r": operand number and r, w, rw or x (neither). m precedes a memory
 * operand, b an updated base, i an implicit operand. */
static void describe(const struct insn *insn, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        if (op->kind == OPERAND_IMMEDIATE || op->kind == OPERAND_RELATIVE)
            continue;
        used += (size_t)snprintf(out + used, size - used, "%s%s%s%s%s%s", used ? " " : "",
                                 op->kind == OPERAND_MEMORY ? "m" : "",
                                 op->access & ACCESS_WRITEBACK ? "b"
                                 : op->implicit                ? "i"
                                                               : "",
                                 op->access & ACCESS_READ ? "r" : "",
                                 op->access & ACCESS_WRITE ? "w" : "",
                                 op->access & (ACCESS_READ | ACCESS_WRITE) ? "" : "x");
    }
}

/* Checks each correction to Capstone 4.0.2, and related instructions that Capstone decodes
 * correctly. */
static void test_access(void **state)
{
    static const struct { uint32_t word; const char *text, *access; } known[] = {
        {0x4c407c00, "ld1 {v0.2d}, [x0]: the destination is written, not read", "w mr"},
        {0x4d408400, "ld1 {v0.d}[0], [x0]: the other lane stays", "rw mr"},
        {0x4d40cc00, "ld1r {v0.2d}, [x0]", "w mr"},
        {0x4cdf7c00, "ld1 {v0.2d}, [x0], #16: address only read, base stepped", "w mr brw"},
        {0x4cc37c00, "ld1 {v0.2d}, [x0], x3", "w mr r brw"},
        {0x4c007c00, "st1 {v0.2d}, [x0]", "r mw"},
        {0xf9000020, "str x0, [x1]: the source is read only", "r mw"},
        {0x3c810420, "str q0, [x1], #16", "r mw brw"},
        {0xf8408c20, "ldr x0, [x1, #8]!", "w mr brw"},
        {0xa8c107e0, "ldp x0, x1, [sp], #16: both written", "w w mr brw"},
        {0xadbf0440, "stp q0, q1, [x2, #-32]!", "r r mw brw"},
        {0xeb02003f, "cmp x1, x2: nothing written but flags", "r r"},
        {0x1e612000, "fcmp d0, d1", "r r"},
        {0x6f00e400, "movi v0.2d, #0: not read", "w"},
        {0x1e6e1000, "fmov d0, #1.0: not read", "w"},
        {0xd2800de1, "mov x1, #111: not read", "w"},
        {0xf2a000a0, "movk x0, #5, lsl #16: read too", "rw"},
        {0xb37d0c20, "bfi x0, x1, #3, #4", "rw r"},
        {0x4e181c20, "mov v0.d[1], x1: the other lane stays", "rw r"},
        {0x4e62cc20, "fmla v0.2d, v1.2d, v2.2d: the accumulator is read", "rw r r"},
        {0x1f420c20, "fmadd d0, d1, d2, d3: it is another register", "w r r r"},
        {0x4e212820, "xtn2 v0.16b, v1.8h: the lower half stays", "rw r"},
        {0x0e212820, "xtn v0.8b, v1.8h", "w r"},
        {0x6e621c20, "bsl v0.16b, v1.16b, v2.16b", "rw r r"},
        {0x4e022020, "tbl v0.16b, {v1.16b, v2.16b}, v2.16b", "w r r r"},
        {0x4e023020, "tbx v0.16b, {v1.16b, v2.16b}, v2.16b", "rw r r r"},
        {0xc85f7c20, "ldxr x0, [x1]", "w mr"},
        {0xc8027c20, "stxr w2, x0, [x1]: the status is written", "w r mw"},
        {0xf9802000, "prfm pldl1keep, [x0, #64]: no access", "mx"},
        {0xd63f0060, "blr x3: the link register too", "r iw"},
        {0xd65f03c0, "ret: reads it", "ir"},
        {0xaa1f03e0, "mov x0, xzr: xzr is no register", "w x"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct insn insn = decoded(known[i].word);
        char text[128];
        describe(&insn, text, sizeof text);
        if (strcmp(text, known[i].access) != 0)
            fail_msg("%s: %s (%s), not %s", known[i].text, text, insn.form, known[i].access);
    }
}

static void test_flags_and_traits(void **state)
{
    static const struct { uint32_t word, read, written; const char *text;
    } known[] = {
        {0xeb02003f, 0, 57, "cmp"},     {0x8b020020, 0, 0, "add"},   {0xab020020, 0, 57, "adds"},
        {0x54000041, 8, 0, "b.ne"},     {0x54000048, 9, 0, "b.hi"},  {0x5400004b, 48, 0, "b.lt"},
        {0x9a820020, 8, 0, "csel eq"},  {0xba020020, 1, 57, "adcs"}, {0x9a020020, 1, 0, "adc"},
        {0xfa431804, 8, 57, "ccmp ne"}, {0x1e612000, 0, 57, "fcmp"}, {0x9a9f07e0, 8, 0, "cset ne"},
        {0xb5000040, 0, 0, "cbnz"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct insn insn = decoded(known[i].word);
        if (insn.flags_read != known[i].read || insn.flags_written != known[i].written)
            fail_msg("%s (%s): reads %u writes %u", known[i].text, insn.form, insn.flags_read,
                     insn.flags_written);
    }
    assert_int_equal(decoded(0x54000041).traits & ~(uint32_t)INSN_RUNNABLE,
                     INSN_BRANCH | INSN_CONDITIONAL);
    assert_int_equal(decoded(0x14000001).traits & ~(uint32_t)INSN_RUNNABLE, INSN_BRANCH);
    assert_int_equal(decoded(0xd65f03c0).traits & ~(uint32_t)INSN_RUNNABLE,
                     INSN_BRANCH | INSN_RETURN);
    assert_int_equal(decoded(0xd63f0060).traits & ~(uint32_t)INSN_RUNNABLE,
                     INSN_BRANCH | INSN_CALL);
    assert_int_equal(decoded(0xd503201f).traits & ~(uint32_t)INSN_RUNNABLE, INSN_NOP);
    assert_int_equal(decoded(0xf8627820).traits & ~(uint32_t)INSN_RUNNABLE,
                     INSN_LOAD | INSN_INDEXED);
    assert_int_equal(decoded(0xf8008420).traits & ~(uint32_t)INSN_RUNNABLE,
                     INSN_STORE | INSN_WRITEBACK);
    assert_true(decoded(0xd5033bbf).traits & INSN_SYSTEM);
    assert_true(decoded(0x4ea21c41).traits & INSN_MOVE);
}

static void test_memory(void **state)
{
    struct insn insn = decoded(0xf8627820);   /* ldr x0, [x1, x2, lsl #3] */
    const struct operand *m = &insn.operands[1];
    assert_true(m->kind == OPERAND_MEMORY && m->base == 1 && m->index == 2 && m->scale == 8 &&
                m->bits == 64 && m->displacement == 0);
    insn = decoded(0xadbf0440);   /* stp q0, q1, [x2, #-32]! */
    m = &insn.operands[2];
    assert_true(m->base == 2 && m->displacement == -32 && m->bits == 256);
    assert_true(insn.operands[3].reg == 2 && insn.operands[3].immediate == -32 &&
                insn.operands[3].index == REG_NONE);
    insn = decoded(0xa8c107e0);   /* ldp x0, x1, [sp], #16 */
    assert_true(insn.operands[2].base == A64_SP && insn.operands[2].displacement == 0 &&
                insn.operands[2].bits == 128);
    assert_true(insn.operands[4].reg == A64_SP && insn.operands[4].immediate == 16);
    insn = decoded(0x4cc37c00);   /* ld1 {v0.2d}, [x0], x3 */
    assert_true(insn.operands[3].access & ACCESS_WRITEBACK && insn.operands[3].index == 3);
    assert_int_equal(decoded(0x39400020).operands[1].bits, 8);    /* ldrb w0, [x1] */
    assert_int_equal(decoded(0xb9800020).operands[1].bits, 32);   /* ldrsw x0, [x1] */
    assert_int_equal(decoded(0x4c402000).operands[4].bits, 512);  /* ld1 {v0.16b - v3.16b}, [x0] */
    assert_int_equal(decoded(0x4d408400).operands[1].bits, 64);   /* ld1 {v0.d}[0], [x0] */
    assert_int_equal(decoded(0x4d40cc00).operands[1].bits, 64);   /* ld1r {v0.2d}, [x0] */
    insn = decoded(0x3dc00020);   /* ldr q0, [x1] */
    assert_int_equal(insn.operands[0].file, FILE_VECTOR);
}

/* A word that no decoder supports is an instruction of unknown form. */
static void test_undecodable(void **state)
{
    struct insn insn = decoded(0xffffffff);
    assert_int_equal(insn.traits, INSN_UNDECODED);
    assert_string_equal(insn.form, "UNDECODED (0xffffffff)");
    assert_int_equal(insn.length, 4);
    uint8_t half[2] = {0x1f, 0x20};
    struct err err = {0};
    assert_false(a64_decode(half, 2, 0, false, &insn, &err));
    assert_int_equal(err.code, ERR_DATA);
    char form[FORM_MAX];
    uint32_t traits;
    assert_int_equal(a64_form(half, 2, form, &traits), 0);
}

/* Decodes instructions of LSE, half precision, dot product and SVE, which Capstone 4.0.2 lacks and
 * binutils names. */
static void test_learned(void **state)
{
    NEEDS_ASSEMBLER();
    static const struct { uint32_t word; const char *form, *access;
    } known[] = {
        {0xf8200041, "LDADD (X, X, [X])", "r w mrw"},
        {0x4e421420, "FADD (V.8H, V.8H, V.8H)", "w r r"},
        {0x4e829420, "SDOT (V.4S, V.16B, V.16B)", "rw r r"},
        {0xa5e0a000, "LD1D ({Z.D}, P/Z, [X])", "w r mr"},
        {0x65e20020, "FMLA (Z.D, P/M, Z.D, Z.D)", "rw r r r"},
        {0x25e11fe0, "WHILELO (P.D, X, X)", "w x r"},
        {0xe5e0e000, "ST1D ({Z.D}, P, [X])", "r r mw"},
        {0x04f0e3e0, "INCD (X)", "rw"},
        {0xc8a07c41, "CAS (X, X, [X])", "rw r mrw"},
    };
    uint8_t code[4 * sizeof known / sizeof *known];
    size_t n = sizeof known / sizeof *known;
    for (size_t i = 0; i < n; i++)
        memcpy(code + 4 * i, &known[i].word, 4);
    struct err err = {0};
    assert_true(a64_learn(code, 4 * n, &err));
    for (size_t i = 0; i < n; i++) {
        struct insn insn = decoded(known[i].word);
        char text[64];
        describe(&insn, text, sizeof text);
        assert_string_equal(insn.form, known[i].form);
        if (strcmp(text, known[i].access) != 0)
            fail_msg("%s: %s, not %s", insn.form, text, known[i].access);
    }
    assert_int_equal(decoded(0x25e11fe0).flags_written, 57);
}

/* Branch targets that binutils prints as addresses are relative to the instruction word, wherever
 * it is decoded. */
static void test_learned_places(void **state)
{
    NEEDS_ASSEMBLER();
    static const struct { uint32_t word; uint64_t offset; const char *text;
    } places[] = {
        {0x54ffffc1, 0x100, "b.ne #0xf8"},
        {0xb4000040, 0x20, "cbz x0, #0x28"},
        {0x36000040, 0x20, "tbz w0, #0, #0x28"},
        {0x10000000, 0x44, "adr x0, #0x44"},
        {0x90000020, 0x1234, "adrp x0, #0x5000"},
        {0x58000040, 0x30, "ldr x0, #0x38"},
        {0x97ffffff, 4, "bl #0x0"},
        {0xd2800200, 8, "mov x0, #0x10"},
    };
    uint32_t words[sizeof places / sizeof *places];
    size_t n = sizeof places / sizeof *places;
    struct err err = {0};
    for (size_t i = 0; i < n; i++)
        words[i] = places[i].word;
    assert_true(a64_learn_words(words, n, &err));
    for (size_t i = 0; i < n; i++) {
        char mnemonic[A64_MNEMONIC], operands[A64_OPERAND_TEXT],
            text[A64_MNEMONIC + A64_OPERAND_TEXT];
        assert_true(a64_learned(places[i].word, places[i].offset, mnemonic, operands));
        snprintf(text, sizeof text, "%s %s", mnemonic, operands);
        assert_string_equal(text, places[i].text);
    }
}

/* For every form of the table, the instance assembles and decodes to the same form. */
static void test_forms_round_trip(void **state)
{
    NEEDS_ASSEMBLER();
    struct err err = {0};
    struct forms *forms = forms_load(ISA_AARCH64, NULL, &err);
    assert_non_null(forms);
    assert_true(forms_count(forms) > 6000);
    struct str text = {0};
    for (size_t i = 0; i < forms_count(forms); i++) {
        form_instance(forms_at(forms, i), &text);
        str_add_char(&text, '\n');
    }
    struct assembled a;
    if (!assemble(ISA_AARCH64, "forms", str_text(&text), text.length, SYNTAX_AUTO, false, &a, &err))
        fail_msg("%s", err.what);
    assert_int_equal(a.length, 4 * forms_count(forms));
    assert_true(a64_learn(a.code, a.length, &err));
    for (size_t i = 0; i < forms_count(forms); i++) {
        char form[FORM_MAX];
        uint32_t traits;
        a64_form(a.code + 4 * i, 4, form, &traits);
        if (strcmp(form, forms_at(forms, i)->form) != 0)
            fail_msg("%s: %s decodes to %s", forms_at(forms, i)->form, forms_at(forms, i)->template,
                     form);
    }
    assembled_done(&a);
    str_done(&text);
    forms_free(forms);
}

static void test_detection(void **state)
{
    static const char *const arm[] = {"ldr x0, [x1]\n",
                                      ".L1:\n\tadd x0, x0, 1\n\tb .L1\n",
                                      "fadd d0, d1, d2\n",
                                      "  10:\tf9400020 \tldr\tx0, [x1]\n",
                                      "\t.type f, %function\nf:\n\tmov w0, 0\n\tret\n",
                                      "mov v0.16b, v1.16b // 100%\n",
                                      "ld1d {z0.d}, p0/z, [x0]\n",
                                      "  14:\t4c007800 \tst1\t{v0.4s}, [x0]\n",
                                      "1: st2 {v0.4s, v1.4s}, [x0]\n"};
    static const char *const x86[] = {"add rax, rbx\n",
                                      "addq %rax, %rbx\n",
                                      "ret\n",
                                      "str ax\n",
                                      "vaddpd xmm0, xmm1, xmm2\n",
                                      "inc eax # x0 y0\n",
                                      "  10: d2 f0  shl al, cl\n",
                                      "mov eax, dword ptr [rip + s0]\n",
                                      "call w1\nmov eax, 1\n",
                                      "fld1\nfdiv st(0), st(1)\nfstp st(0)\n",
                                      "fmul st1\nfadd st2\n",
                                      "fadd qword [r8]\nfmul qword [r9 + r15*8]\n"};
    for (size_t i = 0; i < sizeof arm / sizeof *arm; i++)
        if (listing_isa(arm[i], strlen(arm[i])) != ISA_AARCH64)
            fail_msg("not seen as AArch64: %s", arm[i]);
    for (size_t i = 0; i < sizeof x86 / sizeof *x86; i++)
        if (listing_isa(x86[i], strlen(x86[i])) == ISA_AARCH64)
            fail_msg("seen as AArch64: %s", x86[i]);
}

/* Checks the forms of @text's instructions, which are separated by semicolons. */
static void assert_forms(const char *text, const char *expected)
{
    struct kernel_options options = {.isa_given = true, .isa = ISA_AARCH64};
    struct kernel *k = kernel_with(text, &options);
    size_t count;
    const struct insn *insns = kernel_insns(k, 0, &count);
    struct str found = {0};
    for (size_t i = 0; i < count; i++)
        str_addf(&found, "%s%s", i ? "; " : "", insns[i].form);
    assert_string_equal(str_text(&found), expected);
    str_done(&found);
    kernel_free(k);
}

static void test_text(void **state)
{
    NEEDS_ASSEMBLER();
    assert_forms("add x0, x1, x2 // x3 ; add x4, x5, x6\n", "ADD (X, X, X)");
    assert_forms("add x0, x1, x2 ; sum of both\n", "ADD (X, X, X)");
    assert_forms("add x0, x1, x2 ; nop\n", "ADD (X, X, X); NOP ()");
    assert_forms("add x0, x1, x2 ; ldr d0, [x1]\n", "ADD (X, X, X); LDR (D, [X, I])");
    assert_forms("# a comment\n\t.arch armv8-a\nadd x0, x1, #1 /* and\nanother */\nret\n",
                 "ADD (X, X, I); RET ()");
    assert_forms("ldadd x0, x1, [x2]\n.inst 0xffffffff\n",
                 "LDADD (X, X, [X]); UNDECODED (0xffffffff)");
    /* A loop may end with any kind of branch. */
    assert_forms("nop\n1: add x0, x0, 1\ncbnz x0, 1b\nnop\n", "ADD (X, X, I); CBNZ (X, Rel)");
    assert_forms("nop\n1: add x0, x0, 1\ntbnz x0, 3, 1b\nnop\n", "ADD (X, X, I); TBNZ (W, I, Rel)");
    assert_forms("nop\n1: subs x0, x0, 1\nbne 1b\nnop\n", "SUBS (X, X, I); B.COND (Rel)");
    assert_forms("nop\n1: add x0, x0, 1\nb 1b\nnop\n", "ADD (X, X, I); B (Rel)");
    /* Only the instructions between markers belong to the kernel. */
    assert_forms("nop\n// LLVM-MCA-BEGIN here\nadd x0, x1, x2\n// LLVM-MCA-END\nnop\n",
                 "ADD (X, X, X)");
    assert_forms("nop\nmov x1, #111 ; .byte 213,3,32,31\nadd x0, x1, x2\nmov x1, #222 ; .byte "
                 "213,3,32,31\nnop\n",
                 "ADD (X, X, X)");
    assert_forms("nop\nmov x1, #111\n.byte 213,3,32,31\nsub x0, x1, x2\nmov x1, #222\n.byte "
                 "213,3,32,31\nnop\n",
                 "SUB (X, X, X)");
    /* Disassembly contains words, targets and comments. */
    assert_forms("0000000000000000 <f>:\n   0:\t91000400 \tadd\tx0, x0, #0x1\n   4:\teb01001f "
                 "\tcmp\tx0, x1\n"
                 "   8:\t54ffffc1 \tb.ne\t0 <f>  // b.any\n   c:\td65f03c0 \tret\n",
                 "ADD (X, X, I); CMP (X, X); B.COND (Rel)");
}

static void test_hostile_text(void **state)
{
    NEEDS_ASSEMBLER();
    static const char *const bad[] = {
        "add x0, x1, x99\n", "ldr x0, [x1\n",
        "flumb x0, x1\n",    ".incbin \"/etc/passwd\"\nadd x0, x0, x1\n",
        "// x0\n",           "fadd v0.3d, v1.3d, v2.3d\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct kernel_options options = {.isa_given = true, .isa = ISA_AARCH64};
        struct err err = {0};
        assert_null(kernel_from_text("t", bad[i], strlen(bad[i]), &options, &err));
        assert_true(err.what[0] != '\0');
    }
    struct err err = {0};
    assert_null(kernel_from_hex(ISA_AARCH64, "1f2003", &err));
    struct kernel *k = kernel_from_hex(ISA_AARCH64, "1f2003d5 ffffffff", &err);
    assert_non_null(k);
    assert_int_equal(k->insns[1].traits, INSN_UNDECODED);
    kernel_free(k);
}

/* Rejects operand texts that no disassembler prints, without reads beyond their end. */
static void test_hostile_operands(void **state)
{
    static const char *const bad[] = {"[",
                                      "]",
                                      "{",
                                      "{}",
                                      "{v0.2d",
                                      "v0.",
                                      "v0.2",
                                      "v0.99d",
                                      "v32.2d",
                                      "v0.d[",
                                      "v0.d[x]",
                                      "p0/q",
                                      "[]",
                                      "[x0",
                                      "[#8]",
                                      "x0,,x1",
                                      ",",
                                      "lsl #",
                                      "#",
                                      "{v0.2d-}",
                                      "{x0}[",
                                      "{v0.2d, v1.2d, v2.2d, v3.2d, v4.2d}",
                                      "[x0, x1, lsl #3, x2]",
                                      "#1x"};
    struct a64_text text;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (a64_text_parse("add", bad[i], &text))
            fail_msg("taken: %s", bad[i]);
    assert_false(a64_text_parse("", "x0", &text));
    assert_true(a64_text_parse("nop", "", &text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_form_names),       cmocka_unit_test(test_access),
        cmocka_unit_test(test_flags_and_traits), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_undecodable),      cmocka_unit_test(test_learned),
        cmocka_unit_test(test_learned_places),   cmocka_unit_test(test_forms_round_trip),
        cmocka_unit_test(test_detection),        cmocka_unit_test(test_text),
        cmocka_unit_test(test_hostile_text),     cmocka_unit_test(test_hostile_operands),
    };
    return cmocka_run_group_tests_name("a64", tests, NULL, NULL);
}
