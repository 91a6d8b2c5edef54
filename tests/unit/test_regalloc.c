/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "isa/cpu.h"
#include "isa/insn.h"
#include "isa/body.h"
#include "../support/support.h"

static const struct forms *forms;

static struct form_code *code_of(const char *form)
{
    struct err err = {0};
    const struct form_row *row = forms_find(forms, form);
    assert_non_null(row);
    struct form_code *code = form_code_new(row, &err);
    if (!code)
        print_message("%s: %s\n", form, err.what);
    return code;
}

/* Counts the instructions of @form in a body. */
static unsigned count_form(const struct body *b, const char *form)
{
    struct insn insn;
    unsigned n = 0;
    for (size_t at = 0; at < b->length; at += insn.length) {
        assert_true(insn_decode(ISA_X86_64, b->code + at, b->length - at, at, false, &insn, NULL));
        n += strcmp(insn.form, form) == 0;
    }
    return n;
}

static bool is_breaker(const struct insn *insn)
{
    return strcmp(insn->form, "XOR (R32, R32)") == 0 ||
           (strcmp(insn->form, "MOV (R32, I32)") == 0 && insn->operands[0].reg == 0);
}

/* An instruction may only read registers that are never written, its own results, or registers that
 * a breaker has just written. */
static void check_independent(const struct body *b, const char *form)
{
    bool written[256] = {false};
    struct insn insn;
    for (size_t at = 0; at < b->length; at += insn.length) {
        assert_true(insn_decode(ISA_X86_64, b->code + at, b->length - at, at, false, &insn, NULL));
        if (is_breaker(&insn)) {
            written[insn.operands[0].reg] = false;
            continue;
        }
        for (unsigned i = 0; i < insn.operand_count; i++) {
            const struct operand *op = &insn.operands[i];
            bool own = op->kind == OPERAND_REGISTER && op->access & ACCESS_WRITE;
            if (op->kind == OPERAND_REGISTER && op->access & ACCESS_READ && !own && op->reg < 56 &&
                written[op->reg]) {
                print_message("%s reads register %u that another instruction writes\n", form,
                              op->reg);
                fail();
            }
            if (op->kind == OPERAND_MEMORY &&
                ((op->base < 16 && written[op->base]) || (op->index < 16 && written[op->index])))
                fail_msg("%s: an address waits for a result", form);
        }
        for (unsigned i = 0; i < insn.operand_count; i++)
            if (insn.operands[i].kind == OPERAND_REGISTER && insn.operands[i].access & ACCESS_WRITE)
                written[insn.operands[i].reg] = true;
    }
}

/* In computing instruction sets no form is rejected because its name resembles another's, except
 * these. */
static void test_refusals(void **state)
{
    static const char *const computing[] = {
        "AVX*", "SSE*", "SSSE3",      "FMA",       "BMI*",      "F16C",  "AES",   "SHA",
        "GFNI", "VAES", "VPCLMULQDQ", "PCLMULQDQ", "ADOX_ADCX", "LZCNT", "MOVBE", NULL};
    static const char *const refused[] = {
        "VZEROALL (*", "VZEROUPPER (*", "LDMXCSR (*", "VLDMXCSR (*",
        "?FENCE (*",   "PAUSE (*",      "CLFLUSH (*", NULL};
    size_t seen = 0;
    for (size_t i = 0; i < forms_count(forms); i++) {
        const struct form_row *row = forms_at(forms, i);
        struct err err = {0};
        struct form_code *code = form_code_any(row, &err);
        const bool by_name = !code && (strcmp(err.what, "reads or changes processor state") == 0 ||
                                       strstr(err.what, "serialising"));
        form_code_free(code);
        if (!str_match_any(computing, row->extension))
            continue;
        seen++;
        if (by_name && !str_match_any(refused, row->form))
            fail_msg("%s (%s) is refused: %s", row->form, row->extension, err.what);
    }
    assert_true(seen > 10000);
}

/* For every form of the table that this CPU has, the body contains only that form and chain
 * breakers, without dependences. */
static void test_every_form(void **state)
{
    struct body *b = mem_alloc(sizeof *b);
    size_t measurable = 0;
    for (size_t i = 0; i < forms_count(forms); i++) {
        const struct form_row *row = forms_at(forms, i);
        struct err err = {0};
        struct form_code *code = form_code_new(row, &err);
        uint32_t one = 1;
        if (!code) {
            assert_true(err.what[0]);
            continue;
        }
        measurable++;
        if (!body_make(&code, &one, 1, &(struct body_shape){.instructions = 24}, b, &err))
            fail_msg("%s: %s", row->form, err.what);
        assert_int_equal(b->instructions, 24);
        if (!body_check(ISA_X86_64, b->code, b->length, &err))
            fail_msg("%s: %s", row->form, err.what);
        /* The breakers' own forms can also be measured. */
        unsigned same = count_form(b, row->form);
        if (same < 24)
            fail_msg("%s: %u of 24", row->form, same);
        if (strcmp(row->form, "XOR (R32, R32)") != 0 && strcmp(row->form, "MOV (R32, I32)") != 0)
            check_independent(b, row->form);
        form_code_free(code);
    }
    print_message("%zu forms can be measured\n", measurable);
    assert_true(measurable >= 600);
    free(b);
}

static void expect_breakers(const char *form, unsigned each)
{
    struct body *b = mem_alloc(sizeof *b);
    struct err err = {0};
    uint32_t one = 1;
    struct form_code *code = code_of(form);
    assert_non_null(code);
    assert_true(body_make(&code, &one, 1, &(struct body_shape){.instructions = 10}, b, &err));
    assert_int_equal(b->executions, 10);
    assert_int_equal(b->breakers, 10 * each);
    form_code_free(code);
    free(b);
}

static void test_breakers(void **state)
{
    expect_breakers("ADD (R64, R64)", 0);
    expect_breakers("ADC (R64, R64)", 1);
    expect_breakers("SBB (R32, I8)", 1);
    expect_breakers("SHL (R64, CL)", 1);
    expect_breakers("SHL (R64, I8)", 0);
    expect_breakers("MUL (R64)", 1);
    expect_breakers("CDQE ()", 1);
    expect_breakers("DIV (R64)", 2);
    expect_breakers("IDIV (R8l)", 1);
    expect_breakers("CMPXCHG (R64, R64)", 1);
    expect_breakers("CMOVZ (R64, R64)", 0);
}

static void expect_reason(const char *form, const char *part)
{
    char buffer[256];
    const struct form_row *row = forms_find(forms, form);
    assert_non_null(row);
    const char *reason = form_measurable(row, buffer, sizeof buffer);
    if (!reason || !strstr(reason, part))
        fail_msg("%s: %s", form, reason ? reason : "measurable");
}

static void test_reasons(void **state)
{
    expect_reason("JZ (Rel8)", "branch");
    expect_reason("PUSH (R64)", "stack");
    expect_reason("CPUID ()", "serialising");
    expect_reason("LFENCE ()", "serialising");
    expect_reason("RDTSC ()", "system");
    expect_reason("ADD_LOCK (M64, R64)", "locked");
    expect_reason("XCHG (M64, R64)", "locked");
    expect_reason("MOV (R8h, I8)", "ah");
    expect_reason("MOVSD ()", "string");
    expect_reason("REP_MOVSB ()", "string");
    expect_reason("VZEROUPPER ()", "state");
    expect_reason("WRFSBASE (R64)", "state");
    expect_reason("SYSCALL ()", "system");
    expect_reason("HLT ()", "system");
    expect_reason("MOVNTPS (M128, XMM)", "non-temporal");
}

static void test_mixtures(void **state)
{
    struct body *b = mem_alloc(sizeof *b);
    struct form_code *forms_of[2] = {code_of("ADD (R64, R64)"), code_of("IMUL (R64, M64)")};
    uint32_t counts[2] = {3, 1};
    struct err err = {0};
    assert_true(body_make(forms_of, counts, 2, &(struct body_shape){.instructions = 50}, b, &err));
    /* The body has whole executions, and is the shortest with at least fifty instructions. */
    assert_int_equal(b->executions, 13);
    assert_int_equal(b->instructions, 52);
    assert_int_equal(count_form(b, "ADD (R64, R64)"), 39);
    assert_int_equal(count_form(b, "IMUL (R64, M64)"), 13);
    /* Instructions are interleaved: one multiplication in any four consecutive ones. */
    struct insn insn;
    unsigned since = 0;
    for (size_t at = 0; at < b->length; at += insn.length) {
        assert_true(insn_decode(ISA_X86_64, b->code + at, b->length - at, at, false, &insn, NULL));
        since = strcmp(insn.mnemonic, "imul") == 0 ? 0 : since + 1;
        assert_true(since <= 4);
    }
    counts[0] = 20000;
    assert_false(body_make(forms_of, counts, 2, &(struct body_shape){.instructions = 50}, b, &err));
    form_code_free(forms_of[0]);
    form_code_free(forms_of[1]);
    if (cpu_vector_bits() >= 256) {
        forms_of[0] = code_of("ADDPD (XMM, XMM)");
        forms_of[1] = code_of("VADDPD (XMM, XMM, XMM)");
        counts[0] = 1;
        assert_false(
            body_make(forms_of, counts, 2, &(struct body_shape){.instructions = 50}, b, &err));
        assert_non_null(strstr(err.what, "SSE and VEX"));
        form_code_free(forms_of[0]);
        form_code_free(forms_of[1]);
    }
    free(b);
}

/* Writes the mnemonics of a body as a string, one letter each: a, i, s. */
static void letters_of(const struct body *b, char *out, size_t room)
{
    struct insn insn;
    size_t n = 0;
    for (size_t at = 0; at < b->length && n + 1 < room; at += insn.length, n++) {
        assert_true(insn_decode(ISA_X86_64, b->code + at, b->length - at, at, false, &insn, NULL));
        out[n] = insn.mnemonic[0];
    }
    out[n] = '\0';
}

/* A paired body consists of units of two instructions: a load and an addition, or two additions. If
 * there are more loads than additions, the last loads are alone. */
static void test_pairs(void **state)
{
    struct body *b = mem_alloc(sizeof *b);
    struct form_code *forms_of[3] = {code_of("MOV (R64, M64)"), code_of("ADD (R64, R64)"),
                                     code_of("IMUL (R64, R64)")};
    static const struct {
        uint32_t counts[3];
        bool crowded;
    } cases[] = {{{1, 2, 0}, false}, {{2, 3, 0}, false}, {{1, 1, 0}, false}, {{1, 6, 0}, false},
                 {{3, 3, 0}, false}, {{3, 2, 0}, true},  {{1, 3, 2}, false}, {{2, 1, 4}, false}};
    struct err err = {0};
    char letters[1024];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t *counts = cases[i].counts;
        size_t odd = 0, loads = 0;
        assert_true(body_make(
            forms_of, counts, counts[2] ? 3 : 2,
            &(struct body_shape){.instructions = 40, .order = BODY_PAIRED, .padded = true}, b,
            &err));
        assert_true(b->padded && b->executions % 2 == 0);
        letters_of(b, letters, sizeof letters);
        for (size_t k = 0; letters[k]; k++) {
            loads += letters[k] == 'm';
            odd += letters[k] == 'm' && k % 2;
            /* There are two of a kind in succession. */
            assert_true(k % 2 || letters[k] == 'm' || letters[k + 1] == letters[k] ||
                        cases[i].crowded);
        }
        assert_int_equal(loads, b->executions * counts[0]);
        assert_int_equal(b->instructions, b->executions * (counts[0] + counts[1] + counts[2]));
        assert_int_equal(odd > 0, cases[i].crowded);
    }
    for (unsigned i = 0; i < 3; i++)
        form_code_free(forms_of[i]);
    free(b);
}

/* Every order has the same instructions, each at the position in the order's description. */
static void test_orders(void **state)
{
    struct body *b = mem_alloc(sizeof *b);
    struct form_code *forms_of[3] = {code_of("ADD (R64, R64)"), code_of("IMUL (R64, R64)"),
                                     code_of("SHL (R64, I8)")};
    const uint32_t counts[3] = {1, 1, 1}, many[3] = {60, 50, 40};
    static const char *const expected[BODY_ORDERS] = {"aisaisaisaisais", "aissiaaissiaais",
                                                      "aaaiiisssaaiiss", NULL};
    struct err err = {0};
    char letters[1024];
    for (enum body_order order = 0; order < BODY_ORDERS; order++) {
        assert_true(body_make(forms_of, counts, 3,
                              &(struct body_shape){.instructions = 15, .order = order}, b, &err));
        letters_of(b, letters, sizeof letters);
        assert_int_equal(b->executions, 5);
        if (expected[order]) {
            assert_string_equal(letters, expected[order]);
        } else {
            bool differs = false;
            for (size_t e = 0; e < 5; e++) {
                assert_true(memchr(letters + 3 * e, 'a', 3) && memchr(letters + 3 * e, 'i', 3) &&
                            memchr(letters + 3 * e, 's', 3));
                differs |= memcmp(letters, letters + 3 * e, 3) != 0;
            }
            assert_true(differs);
        }
        assert_true(body_make(forms_of, many, 3,
                              &(struct body_shape){.instructions = 600, .order = order}, b, &err));
        assert_int_equal(b->executions, 4);
        assert_int_equal(count_form(b, "ADD (R64, R64)"), 240);
        assert_int_equal(count_form(b, "IMUL (R64, R64)"), 200);
        assert_int_equal(count_form(b, "SHL (R64, I8)"), 160);
        /* The request exceeds the limit, so the body has the largest number of whole executions
         * that fits. */
        assert_true(body_make(forms_of, many, 3,
                              &(struct body_shape){.instructions = 15000, .order = order}, b,
                              &err));
        assert_true(b->executions >= 20 && b->executions < 100 && b->length <= BODY_LIMIT);
        assert_int_equal(b->instructions, 150 * b->executions);
        assert_int_equal(count_form(b, "ADD (R64, R64)"), 60 * b->executions);
        assert_int_equal(count_form(b, "SHL (R64, I8)"), 40 * b->executions);
    }
    for (size_t i = 0; i < 3; i++)
        form_code_free(forms_of[i]);
    free(b);
}

/* Loads step through their window at distinct addresses, outside of the memory of stores. */
static void test_memory(void **state)
{
    struct body *b = mem_alloc(sizeof *b);
    struct form_code *forms_of[2] = {code_of("MOV (R64, M64)"), code_of("MOV (M64, R64)")};
    uint32_t counts[2] = {1, 1};
    struct err err = {0};
    bool seen[BODY_WINDOW] = {false};
    struct insn insn;
    assert_true(body_make(forms_of, counts, 2, &(struct body_shape){.instructions = 200}, b, &err));
    for (size_t at = 0; at < b->length; at += insn.length) {
        assert_true(insn_decode(ISA_X86_64, b->code + at, b->length - at, at, false, &insn, NULL));
        const struct operand *memory =
            &insn.operands[insn.operands[0].kind == OPERAND_MEMORY ? 0 : 1];
        int64_t place = memory->displacement + BODY_WINDOW / 2;
        assert_true(place >= 0 && place + 8 <= BODY_WINDOW && place % 8 == 0);
        assert_int_equal(memory->base, memory->access & ACCESS_WRITE ? BODY_STORES : BODY_LOADS);
        if (memory->base == BODY_LOADS) {
            assert_false(seen[place]);
            seen[place] = true;
        }
    }
    form_code_free(forms_of[0]);
    form_code_free(forms_of[1]);
    free(b);
}

/* Invalid templates. */
static void test_malformed(void **state)
{
    static const char *const templates[] = {"",
                                            " ",
                                            "{",
                                            "}",
                                            "add",
                                            "add {",
                                            "add {RW:R64",
                                            "add {RW:R64}, {R:R99}",
                                            "flumb {R:R64}",
                                            "add {X:}, {:}",
                                            "add {RW:R64}{{{K}}}{{z}}",
                                            "lea {W:R64}, [",
                                            "lea {W:R64}, [{B}+{I}*]",
                                            "{{evex}} ",
                                            "lock ",
                                            "add {I8}, {I8}, {I8}, {I8}, {I8}, {I8}, {I8}",
                                            "add {RW:M}, {R:M99999999999999999999}",
                                            "vaddpd {W:XMM}, {R:XMM}, {R:M64_1to}",
                                            "add [[[[",
                                            "mov {W:R64}, rumpel"};
    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++) {
        char form[] = "ADD (R64, R64)", extension[] = "BASE", *template = mem_strdup(templates[i]);
        struct form_row row = {.form = form, .template = template, .extension = extension};
        struct err err = {0};
        if (form_code_new(&row, &err))
            fail_msg("template \"%s\" was taken", templates[i]);
        assert_true(err.what[0]);
        free(template);
    }
}

static void test_elsewhere(void **state)
{
    print_message("x86-64 forms' bodies are not tried on this processor\n");
}

/* Prefixes without effect make each instruction at least BODY_PADDED bytes long. Its form is
 * unchanged. */
static void test_padded(void **state)
{
    static const char *const names[] = {"ADD (R64, R64)",   "IMUL (R64, R64)",
                                        "PADDD (XMM, XMM)", "VPADDD (YMM, YMM, YMM)",
                                        "MOV (R32, I32)",   "ADC (R8l, R8l)"};
    struct body *b = mem_alloc(sizeof *b), *padded = mem_alloc(sizeof *padded);
    const uint32_t one = 1;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct err err = {0};
        struct form_code *code = code_of(names[i]);
        struct insn insn;
        assert_true(body_make(&code, &one, 1, &(struct body_shape){.instructions = 20}, b, &err));
        assert_true(body_make(&code, &one, 1,
                              &(struct body_shape){.instructions = 20, .padded = true}, padded,
                              &err));
        assert_false(b->padded);
        assert_true(padded->padded);
        assert_int_equal(padded->instructions, b->instructions);
        assert_int_equal(padded->breakers, b->breakers);
        assert_int_equal(count_form(padded, names[i]), count_form(b, names[i]));
        for (size_t at = 0; at < padded->length; at += insn.length) {
            assert_true(insn_decode(ISA_X86_64, padded->code + at, padded->length - at, at, false,
                                    &insn, NULL));
            assert_true(insn.length >= BODY_PADDED);
        }
        form_code_free(code);
    }
    /* Long instructions are not padded. */
    struct err err = {0};
    struct form_code *code = code_of("VPADDD (ZMM, ZMM, ZMM)");
    assert_non_null(code);
    assert_true(body_make(&code, &one, 1, &(struct body_shape){.instructions = 20, .padded = true},
                          padded, &err));
    assert_false(padded->padded);
    form_code_free(code);
    free(b);
    free(padded);
}

int main(void)
{
    const struct CMUnitTest others[] = {cmocka_unit_test(test_elsewhere)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_form), cmocka_unit_test(test_breakers),
        cmocka_unit_test(test_reasons),    cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_mixtures),   cmocka_unit_test(test_orders),
        cmocka_unit_test(test_pairs),      cmocka_unit_test(test_memory),
        cmocka_unit_test(test_malformed),  cmocka_unit_test(test_padded)};
    if (isa_host() != ISA_X86_64)
        return cmocka_run_group_tests(others, NULL, NULL);
    forms = shipped_forms_of(ISA_X86_64);
    return cmocka_run_group_tests_name("regalloc", tests, NULL, NULL);
}
