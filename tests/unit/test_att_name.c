/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AT&T spellings of form names, expected by hand. The assembler must return the original form for
 * each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toolchain/assemble.h"
#include "isa/x86/parts.h"
#include "isa/forms.h"
#include "isa/insn.h"
#include "isa/rewrite.h"
#include "../support/support.h"

/* Describes a spelling as "addq|add r64 m": mnemonics, then operands in AT&T order. */
static void describe(const char *form, struct str *out)
{
    struct spelling f;

    str_clear(out);
    if (!att_form(form, &f)) {
        str_add(out, "none");
        return;
    }
    for (unsigned i = 0; i < f.name_count; i++)
        str_addf(out, "%s%s", i ? "|" : "", f.names[i]);
    for (unsigned i = 0; i < f.count; i++) {
        const struct spelled_operand *o = &f.operands[i];
        static const char *const classes[] = {"", "mem", "imm", "label", "cond", "prefetch"};
        str_addf(out, " %s%s", classes[o->class],
                 o->class == SPELLED_REGISTER || o->name[0] ? o->name : "");
        str_addf(out, "%s", o->mask ? "{k}" : "");
    }
}

static void test_by_hand(void **state)
{
    static const char *const known[][2] = {
        {"ADD (R64, M64)", "addq|add mem gpr"},
        {"ADD (M32, I8)", "addl|add imm mem"},
        {"SHL (R64, CL)", "shlq|shl gpr gpr"},
        {"SHL (R8l, 1)", "shlb|shl imm gpr"},
        {"VFMADD132PD (XMM, XMM, M128)", "vfmadd132pd mem xmm xmm"},
        {"VADDPD (ZMM, K, ZMM, M64_1to8)", "vaddpd mem zmm zmm{k}"},
        {"VPCMPEQD (K, K, YMM, YMM)", "vpcmpeqd ymm ymm k{k}"},
        {"KADDB (K, K, K)", "kaddb k k k"},
        {"VPMOVM2B (XMM, K)", "vpmovm2b k xmm"},
        {"VPGATHERDD (XMM, K, VSIB_XMM)", "vpgatherdd memxmm xmm{k}"},
        {"MOVZX (R32, M8)", "movzbl|movzb|movzx mem gpr"},
        {"MOVSX (R64, R16)", "movswq|movsw|movsx gpr gpr"},
        {"MOVSXD (R64, M32)", "movslq|movsxd mem gpr"},
        {"MOV (R64, I64)", "movabsq|movabs imm gpr"},
        {"CDQE ()", "cltq"},
        {"MOVSD ()", "movsl"},
        {"MOVSD (XMM, M64)", "movsd mem xmm"},
        {"JNZ (Rel8)", "jne|jnz label"},
        {"CMOVNBE (R64, R64)", "cmovaq|cmova|cmovnbe gpr gpr"},
        {"SETNB (R8l)", "setae|setnb|setnc gpr"},
        {"CALL_NEAR (M64)", "callq|call mem"},
        {"CVTSI2SD (XMM, R64)", "cvtsi2sdq|cvtsi2sd gpr xmm"},
        {"VCVTSI2SD (XMM, XMM, M32)", "vcvtsi2sdl|vcvtsi2sd mem xmm xmm"},
        {"CVTTSD2SI (R64, XMM)", "cvttsd2siq|cvttsd2si xmm gpr"},
        {"MOVQ (XMM, R64)", "movq gpr xmm"},
        {"VCVTPD2PS (XMM, M256)", "vcvtpd2psy|vcvtpd2ps mem xmm"},
        {"VCVTPD2PS (YMM, M512)", "vcvtpd2ps mem ymm"},
        {"CRC32 (R32, M8)", "crc32b|crc32 mem gpr"},
        {"LEA_B_IS_D8 (R64)", "leaq|lea mem gpr"},
        {"ADD_LOCK (M64, R64)", "none"},
        {"REP_MOVSB ()", "none"},
        {"ADD", "none"},
        {"ADD (R64", "none"},
        {"ADD (PTR)", "none"},
    };
    struct str text = {0};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        describe(known[i][0], &text);
        assert_string_equal(str_text(&text), known[i][1]);
    }
    str_done(&text);
}

static void test_address_of_lea(void **state)
{
    struct spelling f;
    assert_true(att_form("LEA_B_IS_D8 (R64)", &f));
    assert_true(f.address && f.operands[0].base && f.operands[0].index && f.operands[0].scale &&
                f.operands[0].offset);
    assert_true(att_form("LEA_B_I (R32)", &f));
    assert_true(f.operands[0].base && f.operands[0].index && !f.operands[0].scale &&
                !f.operands[0].offset);
    assert_true(att_form("LEA_D32 (R64)", &f));
    assert_true(!f.operands[0].base && !f.operands[0].index && f.operands[0].offset);
}

/* Writes an AT&T operand with registers that no other operand uses. */
static void instance(const struct spelled_operand *o, unsigned i, bool one, struct str *out)
{
    static const char *const general[4][3] = {{"%cl", "%dl", "%r8b"},
                                              {"%cx", "%dx", "%r8w"},
                                              {"%ecx", "%edx", "%r8d"},
                                              {"%rcx", "%rdx", "%r8"}};

    if (o->class == SPELLED_IMMEDIATE) {
        str_add(out, one ? "$1" : "$7");
    } else if (o->class == SPELLED_MEMORY && o->name[0]) {
        str_addf(out, "(%%rbx,%%%s9)%s", o->name, o->mask ? "{%k1}" : "");
    } else if (o->class == SPELLED_MEMORY) {
        str_addf(out, "(%%rbx)%s", o->mask ? "{%k1}" : "");
    } else if (strcmp(o->name, "gpr") == 0) {
        str_add(out, general[o->bits == 8 ? 0 : o->bits == 16 ? 1 : o->bits == 32 ? 2 : 3][i % 3]);
    } else {
        str_addf(out, "%%%s%u%s", o->name, i + 1, o->mask ? "{%k1}" : "");
    }
}

/* Returns whether the AT&T text of a form must assemble to the same form. Excludes forms with a
 * prefix, fixed registers, and far, broadcast or context-sized operands. */
static bool is_fair(const struct form_row *row, const struct spelling *f)
{
    const char *t = row->template;
    if (!f->plain || str_has_prefix(t, "{{vex}}") || f->address || strstr(t, ", al") ||
        strstr(t, " al") || strstr(t, "ax,") || strstr(t, ", dx") || strstr(row->form, "1to") ||
        strstr(row->form, "ST") || strstr(row->form, "CR") || strstr(row->form, "DR") ||
        strstr(row->form, "Rel") || strstr(row->form, "SREG") || strstr(row->form, "I16") ||
        strstr(row->form, "I32") || strstr(row->form, "I64") || strstr(row->form, "ax") ||
        strstr(row->form, "TMM") || strstr(row->form, "R8h") || str_has_prefix(row->form, "OUT ") ||
        strstr(row->form, "(M32)") || strcmp(row->form, "IRETD ()") == 0 ||
        strcmp(row->form, "CLZERO (R64)") == 0 || strcmp(row->form, "PSMASH (R64)") == 0)
        return false;
    /* Extensions to the same width have no AT&T text. */
    if (str_has_prefix(row->form, "MOVZX (R16, M16") ||
        str_has_prefix(row->form, "MOVZX (R16, R16") ||
        str_has_prefix(row->form, "MOVSX (R16, M16") ||
        str_has_prefix(row->form, "MOVSX (R16, R16") || str_has_prefix(row->form, "MOVSXD (R16") ||
        str_has_prefix(row->form, "MOVSXD (R32"))
        return false;
    /* REX.W has no effect here, and binutils omits it since 2.41. */
    if (str_has_prefix(row->form, "LAR (R64") || str_has_prefix(row->form, "LSL (R64"))
        return false;
    /* In AT&T text a suffix determines the width that a narrowing conversion reads from memory. */
    return !(strstr(row->form, "CVT") && strchr(row->form, 'M') &&
             (strstr(row->form, "M128)") || strstr(row->form, "M256)") ||
              strstr(row->form, "M512)"))) &&
           !strstr(row->form, "FPCLASS");
}

static void test_against_the_assembler(void **state)
{
    const struct forms *forms = shipped_forms_of(ISA_X86_64);
    struct str text = {0};
    struct assembled a;
    struct err err = {0};
    const struct form_row **rows = calloc(forms_count(forms), sizeof *rows);
    size_t lines = 0, same = 0, checked = 0;

    for (size_t i = 0; i < forms_count(forms); i++) {
        struct spelling f;
        const struct form_row *row = forms_at(forms, i);
        if (!att_form(row->form, &f) || !is_fair(row, &f))
            continue;
        rows[lines++] = row;
        str_addf(&text, "%s ", f.names[0]);
        for (unsigned k = 0; k < f.count; k++) {
            str_add(&text, k ? ", " : "");
            instance(&f.operands[k], k, strstr(row->form, ", 1)") != NULL, &text);
        }
        str_add_char(&text, '\n');
    }
    assert_true(lines > 5000);
    if (!assemble(ISA_X86_64, "spellings", str_text(&text), text.length, SYNTAX_ATT, true, &a,
                  &err))
        fail_msg("%s", err.what);
    assert_true(insn_learn(ISA_X86_64, a.code, a.length, &err));
    for (size_t i = 0; i < a.line_count; i++) {
        struct insn insn = {0};
        const struct form_row *row = rows[a.lines[i].line - 1];
        if (!insn_decode(ISA_X86_64, a.code + a.lines[i].offset, a.length - a.lines[i].offset, 0,
                         false, &insn, NULL))
            continue;
        checked++;
        same += strcmp(insn.form, row->form) == 0;
        if (strcmp(insn.form, row->form) != 0)
            print_message("# %s came back as %s\n", row->form, insn.form);
        insn_done(&insn);
    }
    for (size_t i = 0; i < a.refused_count; i++)
        print_message("# %s refused: %s\n", rows[a.refused[i].line - 1]->form, a.refused[i].text);
    print_message("# %zu of %zu spelled forms come back, %zu refused\n", same, checked,
                  a.refused_count);
    assert_true(same == checked);
    assert_true(a.refused_count == 0);
    free(rows);
    assembled_done(&a);
    str_done(&text);
}

/* Instructions printed from their decoding, like changed ones in `kernel tune`, must assemble to
 * the same forms. */
static void test_printed_ones_assemble(void **state)
{
    static const char code[] =
        "vmovsd 8(%rdi), %xmm0\nvmovsd %xmm0, -8(%rdi)\nmovss 4(%rdi,%rcx,4), %xmm1\nvmovaps "
        "32(%rdi), %ymm1\nvaddsd 8(%rdi), %xmm0, %xmm1\nvcvtsi2sdq 8(%rdi), %xmm0, %xmm1\n"
        "vcvtsi2sdl 8(%rdi), %xmm0, %xmm1\ncvtsi2ssq %rax, %xmm0\ncvttsd2siq 8(%rdi), "
        "%rax\ncvttsd2sil 8(%rdi), %eax\nvbroadcastsd 8(%rdi), %ymm0\nvmovd 4(%rdi), %xmm0\nvmovq "
        "8(%rdi), %xmm0\n"
        "vmovhpd 8(%rdi), %xmm0, %xmm1\npinsrd $1, 8(%rdi), %xmm0\nvpextrq $1, %xmm0, "
        "8(%rdi)\nvfmadd231sd 8(%rdi), %xmm1, %xmm2\nvpmovzxbd 8(%rdi), %xmm0\nmovzbl 1(%rdi), "
        "%eax\n"
        "movswq 2(%rdi), %rax\nmovslq 4(%rdi), %rax\naddq 8(%rdi), %rax\naddq $8, 8(%rdi)\nincl "
        "4(%rdi)\nshlq $3, 8(%rdi)\nshlb $1, 8(%rdi)\nmovabsq $0x123456789abcdef0, %rax\ncmpb $0, "
        "1(%rdi)\n"
        "imulq $9, 8(%rdi), %rax\nleaq 8(%rdi,%rcx,8), %rax\nsete 1(%rdi)\ncmoval 4(%rdi), "
        "%eax\nfldl 8(%rdi)\nfildll 8(%rdi)\nlock addq $1, 8(%rdi)\nvucomisd 8(%rdi), "
        "%xmm0\nprefetcht0 64(%rdi)\n"
        "lock incl 8(%rdi)\nvaddpd 8(%rdi){1to8}, %zmm0, %zmm1\nvmovupd 64(%rdi), "
        "%zmm1{%k1}{z}\nvcvtpd2psy 8(%rdi), %xmm0\nvcvttpd2dqx 8(%rdi), %xmm0\nvcvtpd2ps 64(%rdi), "
        "%ymm0\n";
    struct assembled first, again;
    struct str text = {0};
    struct err err = {0};

    if (!assemble(ISA_X86_64, "given", code, strlen(code), SYNTAX_ATT, true, &first, &err))
        fail_msg("%s", err.what);
    for (size_t i = 0; i < first.line_count; i++) {
        struct insn insn = {0};
        assert_true(insn_decode(ISA_X86_64, first.code + first.lines[i].offset,
                                first.length - first.lines[i].offset, 0, false, &insn, NULL));
        rewrite_print(&insn, true, &text);
        str_add_char(&text, '\n');
        insn_done(&insn);
    }
    if (!assemble(ISA_X86_64, "printed", str_text(&text), text.length, SYNTAX_ATT, true, &again,
                  &err))
        fail_msg("%s", err.what);
    for (size_t i = 0; i < again.refused_count; i++)
        print_message("# refused: %s\n", again.refused[i].text);
    assert_int_equal(first.refused_count, 0);
    assert_int_equal(again.refused_count, 0);
    assert_int_equal(first.length, again.length);
    assert_memory_equal(first.code, again.code, first.length);
    assembled_done(&first);
    assembled_done(&again);
    str_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_address_of_lea),
        cmocka_unit_test(test_against_the_assembler),
        cmocka_unit_test(test_printed_ones_assemble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
