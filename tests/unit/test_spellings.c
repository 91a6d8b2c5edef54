/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every form as GNU's and LLVM's disassemblers spell it, in AT&T and in Intel syntax, without its bytes: the text loads as the form it is of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/kernel.h"
#include "base/child.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "isa/forms.h"
#include "../support/support.h"

static const struct child_limits limits = {.cpu_seconds = 60, .memory = (size_t)4 << 30, .file_size = (size_t)64 << 20, .wall_seconds = 120, .output = (size_t)64 << 20};

/* An instruction by its bytes, and a disassembler's text of it: several lines are joined ("lock", "addl"). */
struct spelled { uint64_t offset; size_t length; struct str text; };
struct code { uint8_t *bytes; size_t length; VEC(struct spelled) list; };

/* Whose text is another's, or a part of the next one's: wait (of x87), far calls, what LLVM 19 reads wrong, exchanges either way round, sizes of extension that
 * nobody asks for. */
static const char *const left_out[] = {"FWAIT", "CALL_NEAR (M32)", "JMP (M32)", "MCOMMIT", "UD0", "XCHG (R8", "MOVSX (R16, M16)", "MOVSX (R16, R16)", "MOVZX (R16, M16)",
                                       "MOVZX (R16, R16)", "MOVSXD (R16", "MOVSXD (R32", NULL};

/* Of which LLVM 19 for macOS leaves out the operands, or what they are. */
static const char *const unsaid[] = {"sdot", "udot", "usdot", "sudot", "bfdot", "bfmla", "bfmmla", "fmlal", "fmlsl", "smmla", "ummla", "usmmla", "rmif", NULL};

static bool is_among(const char *form, const char *const *list)
{
    for (; *list; list++)
        if (strncmp(form, *list, strlen(*list)) == 0)
            return true;
    return false;
}

/* Instances of all forms of @isa, but those whose text is a place: of these the disassembler's depends on where they stand. */
static void code_make(enum isa isa, struct code *out)
{
    struct err err = {0};
    struct forms *forms = forms_load(isa, NULL, &err);
    struct str text = {0};
    struct assembled a;

    assert_non_null(forms);
    for (size_t i = 0; i < forms_count(forms); i++) {
        const struct form_row *row = forms_at(forms, i);
        if (strstr(row->form, "Rel") || is_among(row->form, left_out))
            continue;
        form_instance(row, &text);
        str_add_char(&text, '\n');
    }
    if (!assemble(isa, "forms", str_text(&text), text.length, isa == ISA_X86_64 ? SYNTAX_INTEL : SYNTAX_AUTO, false, &a, &err))
        fail_msg("forms:%zu: %s", err.line, err.what);
    out->bytes = a.code;
    out->length = a.length;
    a.code = NULL;
    for (size_t i = 0; i < a.line_count; i++) {
        size_t end = i + 1 < a.line_count ? a.lines[i + 1].offset : a.length;
        vec_add(&out->list, ((struct spelled){a.lines[i].offset, end - a.lines[i].offset, {0}}));
    }
    assembled_done(&a);
    str_done(&text);
    forms_free(forms);
}

static void code_done(struct code *c)
{
    for (size_t i = 0; i < c->list.count; i++)
        str_done(&c->list.items[i].text);
    vec_done(&c->list);
    free(c->bytes);
}

/* An object that holds the code. */
static void object_write(enum isa isa, const struct code *c)
{
    char program[64];
    const char *argv[] = {isa_tool(isa, "as", program, sizeof program), "-o", work_path("forms.o"), NULL};
    struct child_result r;
    struct str text = {0};
    struct err err = {0};

    for (size_t i = 0; i < c->length; i += isa_step(isa))
        if (isa_step(isa) == 1)
            str_addf(&text, ".byte 0x%02x\n", c->bytes[i]);
        else
            str_addf(&text, ".inst 0x%02x%02x%02x%02x\n", c->bytes[i + 3], c->bytes[i + 2], c->bytes[i + 1], c->bytes[i]);
    assert_true(child_run(argv, "/", text.data, text.length, &limits, &r, &err));
    assert_int_equal(r.status, 0);
    child_result_done(&r);
    str_done(&text);
}

/* What @argv prints of the object, into the texts; false when it is not installed. */
static bool spell(enum isa isa, const char *const *argv, struct code *c)
{
    struct child_result r;
    struct err err = {0};
    size_t at = 0;
    bool ran = child_run(argv, "/", NULL, 0, &limits, &r, &err);

    for (size_t i = 0; i < c->list.count; i++)
        str_clear(&c->list.items[i].text);
    for (const char *line = str_text(&r.output); ran && line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        char *end;
        uint64_t address = strtoull(line, &end, 16);
        if (*end != ':' || end == line || !strchr(" \t", end[1]))
            continue;
        while (at + 1 < c->list.count && c->list.items[at + 1].offset <= address)
            at++;
        struct str *text = &c->list.items[at].text;
        const char *start = end + 1 + strspn(end + 1, " \t");
        const char *stop = start + strcspn(start, isa == ISA_X86_64 ? "\n#" : "\n");
        if (stop > start && !strstr(str_text(text), "(bad)"))
            str_addf(text, "%s%.*s", text->length ? " " : "", (int)(stop - start), start);
    }
    child_result_done(&r);
    return ran;
}

/* Forms that one text may be of: which encoding is meant is not written. */
static bool is_same(const char *a, const char *b)
{
    static const char evex[] = "_EVEX";
    const char *at = strstr(b, evex);
    size_t n = at ? (size_t)(at - b) : 0;

    return strcmp(a, b) == 0 || (at && strncmp(a, b, n) == 0 && strcmp(a + n, at + sizeof evex - 1) == 0);
}

static void sweep(const char *name, enum isa isa, const char *const *argv, struct code *c)
{
    struct str text = {0};
    struct err err = {0};
    size_t wrong = 0, known = 0, at = 0;

    if (!spell(isa, argv, c)) {
        print_message("%s is not installed\n", argv[0]);
        return;
    }
    for (size_t i = 0; i < c->list.count; i++) {
        const char *s = str_text(&c->list.items[i].text);
        bool unknown = (is_among(s, unsaid) && !strchr(s, '.')) || strstr(s, "(bad)") || strstr(s, "<unknown>") || strstr(s, "undefined") || strstr(s, ".inst") || strstr(s, ".byte") || strncmp(s, "lv", 2) == 0 || strncmp(s, "qv", 2) == 0;   /* the last two: objdump 2.40 -Msuffix */
        known += !unknown && *s;
        str_addf(&text, "\t%s\n", unknown ? "" : s);
    }
    const struct kernel_options options = {.isa_given = true, .isa = isa, .skip_bad = true};
    struct kernel *k = kernel_from_text(name, text.data, text.length, &options, &err);
    if (!k)
        fail_msg("%s: %zu: %s", name, err.line, err.what);
    for (size_t i = 0; i < k->refused_count; i++)
        if (wrong++ < 400)
            print_error("%s: %s: %s (%s)\n", name, k->refused[i].text, k->refused[i].reason, str_text(&c->list.items[k->refused[i].line - 1].text));
    for (size_t i = 0; i < k->left_out_count; i++)
        if (wrong++ < 400)
            print_error("%s: left out: %s\n", name, k->left_out[i].text);
    for (size_t i = 0; i < c->list.count; i++) {
        const struct spelled *s = &c->list.items[i];
        char form[FORM_MAX];
        uint32_t traits;
        while (at < k->insn_count && k->insns[at].line < i + 1)
            at++;
        if (at == k->insn_count || k->insns[at].line != i + 1)
            continue;
        if (insn_form(isa, c->bytes + s->offset, s->length, form, &traits) && !is_same(k->insns[at].form, form) && wrong++ < 400)
            print_error("%s: %s is %s, not %s\n", name, str_text(&s->text), k->insns[at].form, form);
    }
    print_message("%s: %zu of %zu forms spelled, %zu wrong\n", name, known, c->list.count, wrong);
    kernel_free(k);
    str_done(&text);
    assert_int_equal(wrong, 0);
}

/* A disassembly that has the bytes is those bytes, whatever its text is. */
static void bytes_sweep(const char *name, enum isa isa, const char *const *argv, const struct code *c)
{
    const struct kernel_options options = {.isa_given = true, .isa = isa};
    struct child_result r;
    struct err err = {0};
    size_t at = 0;

    if (!child_run(argv, "/", NULL, 0, &limits, &r, &err)) {
        print_message("%s is not installed\n", argv[0]);
        child_result_done(&r);
        return;
    }
    struct kernel *k = kernel_from_text(name, r.output.data, r.output.length, &options, &err);
    if (!k)
        fail_msg("%s: %zu: %s", name, err.line, err.what);
    for (size_t i = 0; i < k->insn_count; at += k->insns[i++].length)
        if (at + k->insns[i].length > c->length || memcmp(k->insns[i].bytes, c->bytes + at, k->insns[i].length) != 0)
            fail_msg("%s: other bytes at %zx: %s, line %u", name, at, k->insns[i].form, k->insns[i].line);
    assert_int_equal(at, c->length);
    assert_int_equal(k->left_out_count + k->refused_count, 0);
    print_message("%s: %zu instructions by their bytes\n", name, k->insn_count);
    kernel_free(k);
    child_result_done(&r);
}

#define WITH_BYTES(program, ...) ((const char *const[]){program, "-d", __VA_ARGS__, work_path("forms.o"), NULL})

static void test_bytes(void **state)
{
    bytes_sweep("GNU AT&T, bytes", ISA_X86_64, WITH_BYTES("objdump", "-Matt"), *state);
    bytes_sweep("GNU Intel, wide", ISA_X86_64, WITH_BYTES("objdump", "-Mintel", "-w"), *state);
    bytes_sweep("LLVM AT&T, bytes", ISA_X86_64, WITH_BYTES("llvm-objdump-19", "-Matt"), *state);
    bytes_sweep("LLVM Intel, bytes", ISA_X86_64, WITH_BYTES("llvm-objdump-19", "-Mintel"), *state);
    bytes_sweep("LLVM for nothing newer than SSE2", ISA_X86_64, WITH_BYTES("llvm-objdump-19", "--mcpu=x86-64", "--mattr=-avx"), *state);
}

#define OBJDUMP(...) ((const char *const[]){"objdump", "-d", "--no-show-raw-insn", "-w", __VA_ARGS__, work_path("forms.o"), NULL})
#define LLVM(...) ((const char *const[]){"llvm-objdump-19", "-d", "--no-show-raw-insn", "--mattr=+all", __VA_ARGS__, work_path("forms.o"), NULL})

static void test_gnu_att(void **state) { sweep("GNU AT&T", ISA_X86_64, OBJDUMP("-Matt"), *state); }
static void test_gnu_suffix(void **state) { sweep("GNU AT&T with suffixes", ISA_X86_64, OBJDUMP("-Matt,suffix"), *state); }
static void test_gnu_intel(void **state) { sweep("GNU Intel", ISA_X86_64, OBJDUMP("-Mintel"), *state); }
static void test_llvm_att(void **state) { sweep("LLVM AT&T", ISA_X86_64, LLVM("-Matt"), *state); }
static void test_llvm_intel(void **state) { sweep("LLVM Intel", ISA_X86_64, LLVM("-Mintel"), *state); }

/* The same of AArch64, and as clang for macOS writes it. */
static void test_a64(void **state)
{
    (void)state;
    struct code c = {0};
    char program[64];

    if (system("aarch64-linux-gnu-as --version >/dev/null 2>&1") != 0 && isa_host() != ISA_AARCH64)
        skip();
    code_make(ISA_AARCH64, &c);
    object_write(ISA_AARCH64, &c);
    sweep("GNU AArch64", ISA_AARCH64, (const char *const[]){isa_tool(ISA_AARCH64, "objdump", program, sizeof program), "-d", "--no-show-raw-insn", work_path("forms.o"), NULL}, &c);
    sweep("LLVM AArch64", ISA_AARCH64, LLVM("--triple=aarch64-linux-gnu"), &c);
    bytes_sweep("GNU AArch64, bytes", ISA_AARCH64, WITH_BYTES(program, "-z"), &c);
    bytes_sweep("LLVM AArch64, bytes", ISA_AARCH64, WITH_BYTES("llvm-objdump-19", "--triple=aarch64-linux-gnu"), &c);
    sweep("LLVM for macOS", ISA_AARCH64, LLVM("--triple=arm64-apple-macos"), &c);
    code_done(&c);
}

static int setup(void **state)
{
    struct code *c = mem_zero(1, sizeof *c);

    code_make(ISA_X86_64, c);
    object_write(ISA_X86_64, c);
    *state = c;
    return 0;
}

static int teardown(void **state)
{
    code_done(*state);
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gnu_att), cmocka_unit_test(test_gnu_suffix), cmocka_unit_test(test_gnu_intel), cmocka_unit_test(test_llvm_att),
                                       cmocka_unit_test(test_llvm_intel), cmocka_unit_test(test_bytes), cmocka_unit_test(test_a64)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
