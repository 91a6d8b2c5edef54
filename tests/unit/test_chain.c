/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "isa/body.h"
#include "isa/insn.h"
#include "../support/support.h"

static const struct forms *forms;

static struct form_code *code_of(const char *form)
{
    const struct form_row *row = forms_find(forms, form);
    assert_non_null(row);
    struct form_code *code = form_code_new(row, NULL);
    assert_non_null(code);
    return code;
}

static bool in_list(const struct chain *chains, size_t n, const char *from, const char *to)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(chains[i].from_name, from) == 0 && strcmp(chains[i].to_name, to) == 0)
            return true;
    return false;
}

static void expect(const char *form, const char *from, const char *to, bool there)
{
    struct chain chains[CHAINS_MAX];
    struct form_code *code = code_of(form);
    size_t n = chain_list(code, chains);
    if (in_list(chains, n, from, to) != there)
        fail_msg("%s: %s -> %s %s", form, from, to, there ? "is missing" : "must not be there");
    form_code_free(code);
}

static void test_lists(void **state)
{
    expect("ADD (R64, R64)", "op1", "op1", true);
    expect("ADD (R64, R64)", "op2", "op1", true);
    expect("ADD (R64, R64)", "op2", "flags", true);
    expect("ADC (R64, R64)", "flags", "flags", true);
    expect("ADD (R64, R64)", "flags", "flags", false);
    expect("CMOVZ (R64, R64)", "flags", "op1", true);
    expect("SETZ (R8l)", "flags", "op1", true);
    expect("CMP (R64, R64)", "op1", "flags", true);
    /* A multiplication leaves the zero flag undefined, so there is no chain through it. */
    expect("IMUL (R64, R64)", "op2", "flags", false);
    expect("MUL (R64)", "rax", "rax", true);
    expect("MOV (R64, M64)", "address", "op1", true);
    expect("MOV (M64, R64)", "op2", "memory", true);
    expect("ADD (M64, R64)", "memory", "memory", true);
    expect("LEA_B_IS_D8 (R64)", "base", "op1", true);
    expect("LEA_B_IS_D8 (R64)", "index", "op1", true);
    expect("LEA_B_D8 (R64)", "index", "op1", false);
    expect("MOVQ (XMM, R64)", "op2", "op1", true);
    expect("ADDPD (XMM, XMM)", "op2", "op1", true);
    /* A register that the form reads implicitly or requires is numbered after the operands of the
     * text, or is one of these. */
    expect("MULX (R64, R64, R64)", "op4", "op1", true);
    expect("MULX (R64, R64, R64)", "op4", "op2", true);
    expect("SHL (R64, CL)", "op2", "op1", true);
}

/* Returns whether @after reads flags, a register or memory that @before writes, according to the
 * decoder. */
static bool feeds(const struct insn *before, const struct insn *after)
{
    if (before->flags_written & after->flags_read)
        return true;
    for (unsigned i = 0; i < before->operand_count; i++) {
        const struct operand *w = &before->operands[i];
        if (!(w->access & ACCESS_WRITE))
            continue;
        for (unsigned k = 0; k < after->operand_count; k++) {
            const struct operand *r = &after->operands[k];
            if (w->kind == OPERAND_REGISTER && r->kind == OPERAND_REGISTER && w->reg == r->reg &&
                r->access & ACCESS_READ)
                return true;
            if (w->kind == OPERAND_REGISTER && r->kind == OPERAND_MEMORY &&
                (r->base == w->reg || r->index == w->reg))
                return true;
            if (w->kind == OPERAND_MEMORY && r->kind == OPERAND_MEMORY && r->access & ACCESS_READ &&
                r->base == w->base && r->displacement == w->displacement)
                return true;
        }
    }
    return false;
}

/* Every chain of every form of the table can be encoded, and each instruction depends on the
 * previous one. */
static void test_chains_hold(void **state)
{
    struct body *b = mem_alloc(sizeof *b);
    size_t made = 0;
    for (size_t i = 0; i < forms_count(forms); i++) {
        struct chain chains[CHAINS_MAX];
        struct form_code *code = form_code_new(forms_at(forms, i), NULL);
        if (!code)
            continue;
        size_t n = chain_list(code, chains);
        for (size_t k = 0; k < n; k++) {
            struct insn insns[8];
            struct err err = {0};
            size_t count = 0;
            if (!chain_make(code, &chains[k], 3, b, &err))
                continue;   /* Few encodings exist, because only some registers have the size. */
            made++;
            if (!body_check(ISA_X86_64, b->code, b->length, &err))
                fail_msg("%s: %s", forms_at(forms, i)->form, err.what);
            for (size_t at = 0; at < b->length && count < 8; at += insns[count - 1].length)
                assert_true(insn_decode(ISA_X86_64, b->code + at, b->length - at, at, false,
                                        &insns[count++], NULL));
            for (size_t m = 0; m + 1 < count; m++)
                if (!feeds(&insns[m], &insns[m + 1]))
                    fail_msg("%s, %s -> %s: link %zu breaks", forms_at(forms, i)->form,
                             chains[k].from_name, chains[k].to_name, m);
        }
        form_code_free(code);
    }
    assert_true(made > 1000);
    free(b);
}

static void test_elsewhere(void **state)
{
    print_message("x86-64 forms' chains are not tried on this processor\n");
}

int main(void)
{
    const struct CMUnitTest others[] = {cmocka_unit_test(test_elsewhere)};
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lists),
                                       cmocka_unit_test(test_chains_hold)};
    if (isa_host() != ISA_X86_64)
        return cmocka_run_group_tests(others, NULL, NULL);
    forms = shipped_forms_of(ISA_X86_64);
    return cmocka_run_group_tests_name("chain", tests, NULL, NULL);
}
