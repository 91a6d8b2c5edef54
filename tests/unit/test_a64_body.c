/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bodies of AArch64 forms, generated on any processor. The encodings are derived from the
 * assembler. Capstone and objdump decode them to the same forms, and the instructions are
 * independent. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "isa/a64/body.h"
#include "isa/a64/parts.h"
#include "isa/a64/decode.h"
#include "toolchain/assemble.h"
#include "base/child.h"
#include "../support/support.h"

static struct forms *forms;
static bool assembler;   /* true if aarch64-linux-gnu-as is available */

static const struct a64_code *code_of(const char *form)
{
    const struct form_row *row = forms_find(forms, form);
    assert_non_null(row);
    struct err err = {0};
    const struct a64_code *code =
        a64_codes_learn(&row, 1, &toolchain_assembler, &err) ? a64_code_find(row, &err) : NULL;
    if (!code)
        fail_msg("%s: %s", form, err.what);
    return code;
}

static void make(const char *const *names, const uint32_t *counts, size_t n, unsigned instructions,
                 struct body *out)
{
    const struct a64_code *codes[8];
    struct err err = {0};
    for (size_t i = 0; i < n; i++)
        codes[i] = code_of(names[i]);
    *out = (struct body){0};
    if (!a64_body_make(codes, counts, n, &(struct body_shape){.instructions = instructions}, out,
                       &err))
        fail_msg("%s: %s", names[0], err.what);
}

static uint32_t word_at(const struct body *b, size_t i)
{
    uint32_t word;
    memcpy(&word, b->code + 4 * i, 4);
    return word;
}

/* The words are derived by hand from the encoding diagrams of the architecture manual. */
static void test_fields(void **state)
{
    uint32_t word;
    if (!assembler)
        return;
    const struct a64_code *add = code_of("ADD (X, X, X)");
    word = add->word;
    assert_true(a64_slot_set(&add->slots[0], 17, &word) &&
                a64_slot_set(&add->slots[1], 30, &word) && a64_slot_set(&add->slots[2], 9, &word));
    assert_int_equal(word, 0x8b000000u | 9u << 16 | 30u << 5 | 17u);
    const struct a64_code *ldr = code_of("LDR (X, [X, I])");
    word = ldr->word;
    assert_int_equal(ldr->bytes, 8);
    assert_int_equal(ldr->offsets, A64_STEPS);
    assert_true(a64_slot_set(&ldr->slots[0], 3, &word) && a64_slot_set(&ldr->slots[1], 27, &word) &&
                a64_offset_set(ldr, 37, &word));
    assert_int_equal(word, 0xf9400000u | 37u << 10 | 27u << 5 | 3u);
    const struct a64_code *ldp = code_of("LDP (X, X, [X, I])");
    word = ldp->word;
    assert_int_equal(ldp->bytes, 16);
    assert_int_equal(ldp->offsets, 5);   /* in bits: 0 to 496 bytes, in steps of 16 */
    assert_false(a64_offset_set(ldp, 32, &word));
    const struct a64_code *post = code_of("LDR (X, [X], I)");
    assert_true(post->writeback && post->step == 0x30 && post->backwards);
    assert_int_equal(post->backwards, (0x30u ^ (-0x30 & 0x1ff)) << 12);
    const struct a64_code *lists = code_of("LD4 ({V.4S, V.4S, V.4S, V.4S}, [X])");
    assert_int_equal(lists->slot_count, 2);
    assert_int_equal(lists->slots[0].count, 4);
    word = lists->word;
    assert_true(a64_slot_set(&lists->slots[0], 30, &word) &&
                a64_slot_set(&lists->slots[1], 5, &word));
    assert_int_equal(word, 0x4c400800u | 5u << 5 | 30u);
    /* An indexed half-word element is always in v0 to v15. */
    const struct a64_code *lane = code_of("SQDMULH (V.8H, V.8H, V.H[I])");
    word = lane->word;
    assert_true(a64_slot_set(&lane->slots[2], 15, &word));
    assert_false(a64_slot_set(&lane->slots[2], 16, &word));
    const struct form_row unknown = {"NONE (X)", "none {W:X}", "base", ISA_AARCH64, false},
                          broken = {"NONE (", "{{{{{", "base", ISA_AARCH64, false},
                          *const none[] = {&unknown, &broken};
    assert_true(a64_codes_learn(none, 2, &toolchain_assembler, NULL));
    assert_null(a64_code_find(&unknown, NULL));
    assert_null(a64_code_find(&broken, NULL));
}

/* Returns whether @in is one of the instructions that the body adds to the forms. */
static bool is_breaker(const struct insn *in, const char *form)
{
    static const char *const own[] = {"CMP (X, X)", "SUB (X, X, I)", "ADD (X, X, I)", NULL};
    for (unsigned i = 0; own[i]; i++)
        if (strcmp(in->form, own[i]) == 0 && strcmp(in->form, form) != 0)
            return true;
    return false;
}

/* Returns why instructions depend on each other, or NULL if they are independent. No instruction
 * may read a register that another one writes, unless the form itself accumulates into it. */
static const char *dependence(const struct insn *insns, size_t n, const char *form)
{
    unsigned written[INSN_REGISTERS] = {0};
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < insns[i].operand_count; k++) {
            const struct operand *op = &insns[i].operands[k];
            if (op->kind == OPERAND_REGISTER && op->access & ACCESS_WRITE &&
                !(op->access & ACCESS_WRITEBACK) && op->reg < INSN_REGISTERS &&
                !is_breaker(&insns[i], form))
                written[op->reg]++;
        }
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < insns[i].operand_count; k++) {
            const struct operand *op = &insns[i].operands[k];
            bool both = is_breaker(&insns[i], form);
            for (unsigned j = 0; j < insns[i].operand_count; j++)
                both |= insns[i].operands[j].access & ACCESS_WRITE &&
                        insns[i].operands[j].reg == op->reg;
            if (op->kind == OPERAND_REGISTER && op->access & ACCESS_READ && !both && op->reg < 64 &&
                written[op->reg])
                return "reads what another writes";
            if (op->kind == OPERAND_MEMORY &&
                ((op->base < 64 && written[op->base]) || (op->index < 64 && written[op->index])))
                return "has an address that another writes";
        }
    return NULL;
}

/* For every form measurable on some AArch64 processor, its body decodes to the form, and the
 * decoded text assembles to the same words. */
static void test_every_form(void **state)
{
    VEC(const struct form_row *) rows = {0};
    struct str code = {0}, text = {0};
    struct err err = {0};
    struct body *b = mem_alloc(sizeof *b);
    VEC(size_t) starts = {0};
    const uint32_t one = 1;
    const enum { EXECUTIONS = 13 } executions = EXECUTIONS;
    /* The result of these instructions depends on the code's address or on keys of the process, so
     * a template file must not add them. */
    static const char *const others[] = {"ADR *",         "ADRP *", "LDR *, Rel)",
                                         "LDRSW *, Rel)", "PAC*",   NULL};
    if (!assembler)
        return;
    for (size_t i = 0; i < forms_count(forms); i++)
        if (!a64_unfit(forms_at(forms, i)))
            vec_push(&rows, forms_at(forms, i));
    assert_true(rows.count > 5000);
    if (!a64_codes_learn(rows.items, rows.count, &toolchain_assembler, &err))
        fail_msg("%s", err.what);
    for (size_t i = 0; i < rows.count; i++) {
        const struct a64_code *c = a64_code_find(rows.items[i], &err);
        *b = (struct body){0};
        if (!c ||
            !a64_body_make(&c, &one, 1, &(struct body_shape){.instructions = executions}, b, &err))
            fail_msg("%s: %s", rows.items[i]->form, err.what);
        assert_int_equal(b->executions, EXECUTIONS);
        vec_push(&starts, code.length);
        str_add_bytes(&code, (const char *)b->code, b->length);
    }
    vec_push(&starts, code.length);
    assert_true(a64_learn((const uint8_t *)code.data, code.length, &err));
    unsigned unnamed = 0;
    for (size_t i = 0; i < rows.count; i++) {
        struct insn insns[3 * EXECUTIONS];
        unsigned n = 0, own = 0;
        for (size_t at = starts.items[i]; at < starts.items[i + 1]; at += 4, n++) {
            assert_true(n < 3 * EXECUTIONS);
            assert_true(a64_decode((const uint8_t *)code.data + at, 4, 0, true, &insns[n], NULL));
            bool same = strcmp(insns[n].form, rows.items[i]->form) == 0;
            own += same;
            unnamed += (insns[n].traits & INSN_UNDECODED) != 0;
            if (!same && !is_breaker(&insns[n], rows.items[i]->form) &&
                !(insns[n].traits & INSN_UNDECODED))
                fail_msg("%s came out as %s (%s)", rows.items[i]->form, insns[n].form,
                         insns[n].text);
        }
        if (!body_check(ISA_AARCH64, (const uint8_t *)code.data + starts.items[i],
                        starts.items[i + 1] - starts.items[i], &err))
            if (!str_match_any(others, rows.items[i]->form))
                fail_msg("%s", err.what);
        const char *why = dependence(insns, n, rows.items[i]->form);
        if (why)
            fail_msg("%s %s: %s", rows.items[i]->form, why, insns[0].text);
        if (own < EXECUTIONS && !(insns[0].traits & INSN_UNDECODED))
            fail_msg("%s stands %u times instead of %u", rows.items[i]->form, own,
                     (unsigned)EXECUTIONS);
        for (unsigned k = 0; k < n; k++)
            insn_done(&insns[k]);
    }
    if (unnamed)
        print_message("%u of %zu words are beyond Capstone, and there is no objdump for AArch64\n",
                      unnamed, code.length / 4);
    vec_done(&rows);
    vec_done(&starts);
    str_done(&code);
    str_done(&text);
    free(b);
}

/* Increments and decrements of bases cancel within the body, for any combination of forms. */
static void test_bases_return(void **state)
{
    static const struct { const char *names[3]; size_t n;
    } cases[] = {
        {{"LDR (X, [X], I)"}, 1},
        {{"LDR (Q, [X, I]!)"}, 1},
        {{"LD1 ({V.4S, V.4S}, [X], I)"}, 1},
        {{"ST1 ({V.16B}, [X], X)"}, 1},
        {{"STP (X, X, [X, I]!)"}, 1},
        {{"LDR (X, [X], I)", "LDR (Q, [X, I]!)", "LD1 ({V.4S, V.4S}, [X], X)"}, 3},
        {{"LD1R ({V.4S}, [X], I)", "STR (X, [X], I)", "STR (D, [X, I]!)"}, 3},
    };
    static const uint32_t counts[] = {3, 2, 1};
    struct body *b = mem_alloc(sizeof *b);
    if (!assembler)
        return;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t moved[32] = {0}, most = 0;
        unsigned steps = 0;
        make(cases[i].names, counts, cases[i].n, 50, b);
        for (size_t at = 0; at < b->length; at += 4) {
            struct insn in;
            assert_true(a64_decode(b->code + at, 4, 0, true, &in, NULL));
            for (unsigned k = 0; k < in.operand_count; k++) {
                const struct operand *op = &in.operands[k];
                if (op->access & ACCESS_WRITEBACK) {
                    moved[op->reg] += op->index < 32 ? (op->index == A64_FORTH  ? 16
                                                        : op->index == A64_BACK ? -16
                                                                                : 99999)
                                                     : op->immediate;
                    steps++;
                }
            }
            if (is_breaker(&in, ""))
                moved[in.operands[0].reg] += (in.mnemonic[0] == 's' ? -1 : 1) *
                                             (int64_t)((word_at(b, at / 4) >> 10) & 0xfff);
            for (unsigned r = 0; r < 32; r++)
                most = llabs(moved[r]) > most ? llabs(moved[r]) : most;
            insn_done(&in);
        }
        for (unsigned r = 0; r < 32; r++)
            if (moved[r])
                fail_msg("case %zu: x%u ends %lld bytes away", i, r, (long long)moved[r]);
        assert_true(steps >= b->instructions / 2 && most > 0 && most <= 64);
    }
    free(b);
}

static void test_breakers(void **state)
{
    static const uint32_t one = 1;
    struct body *b = mem_alloc(sizeof *b);
    if (!assembler)
        return;
    make(&(const char *){"ADCS (X, X, X)"}, &one, 1, 20, b);
    assert_int_equal(b->breakers, 20);
    assert_int_equal(b->length, 160);
    for (size_t i = 0; i < 40; i += 2)
        assert_int_equal(word_at(b, i), 0xeb1f03ffu);
    make(&(const char *){"ADC (X, X, X)"}, &one, 1, 20, b);
    assert_int_equal(b->breakers, 0);
    make(&(const char *){"SDIV (X, X, X)"}, &one, 1, 20, b);
    for (size_t i = 0; i < 20; i++)
        assert_int_equal(word_at(b, i) >> 5 & 31, A64_LONG);
    /* Displacements make accesses adjacent. They wrap around at the end of the encoding or of the
     * window. */
    make(&(const char *){"LDP (Q, Q, [X, I])"}, &one, 1, 40, b);
    for (size_t i = 0; i < 40; i++)
        assert_int_equal(word_at(b, i) >> 15 & 0x7f, i % 32 * 2);
    struct err err = {0};
    const struct a64_code *load = code_of("LDR (X, [X, I])");
    *b = (struct body){0};
    assert_true(a64_body_make(
        &load, &one, 1, &(struct body_shape){.instructions = 20, .load_window = 64}, b, &err));
    for (size_t i = 0; i < 20; i++)
        assert_int_equal(word_at(b, i) >> 10 & 0xfff, i % 8);
    free(b);
}

/* Returns the number of links in a chain, by the registers that the decoder reports as read and
 * written. At most @apart helper instructions follow each link. */
static unsigned longest_path(const uint8_t *code, size_t length, size_t apart)
{
    unsigned depth[INSN_REGISTERS] = {0}, flags = 0, memory = 0, most = 0;
    for (size_t at = 0; at < length; at += 4) {
        struct insn in;
        unsigned deep = 0;
        assert_true(a64_decode(code + at, 4, 0, false, &in, NULL));
        if (in.flags_read)
            deep = flags;
        for (unsigned k = 0; k < in.operand_count; k++) {
            const struct operand *op = &in.operands[k];
            if (op->kind == OPERAND_MEMORY) {
                deep = op->base < INSN_REGISTERS && depth[op->base] > deep ? depth[op->base] : deep;
                deep =
                    op->index < INSN_REGISTERS && depth[op->index] > deep ? depth[op->index] : deep;
                deep = op->access & ACCESS_READ && memory > deep ? memory : deep;
            } else if (op->kind == OPERAND_REGISTER && op->access & ACCESS_READ &&
                       op->reg < INSN_REGISTERS) {
                deep = depth[op->reg] > deep ? depth[op->reg] : deep;
            }
        }
        deep += at / 4 % apart == 0;
        most = deep > most ? deep : most;
        flags = in.flags_written ? deep : flags;
        for (unsigned k = 0; k < in.operand_count; k++) {
            const struct operand *op = &in.operands[k];
            if (op->kind == OPERAND_MEMORY && op->access & ACCESS_WRITE)
                memory = deep;
            else if (op->kind == OPERAND_REGISTER && op->access & ACCESS_WRITE &&
                     op->reg < INSN_REGISTERS)
                depth[op->reg] = deep;
        }
    }
    return most;
}

/* In every chain of every form, each link depends on the previous one. */
static void test_chains(void **state)
{
    VEC(const struct form_row *) rows = {0};
    struct chain chains[CHAINS_MAX];
    struct body *b = mem_alloc(sizeof *b);
    struct str all = {0};
    unsigned made = 0, kinds[CHAIN_DOMAINS + 1] = {0};
    const enum { LINKS = 6 } links = LINKS;
    if (!assembler)
        return;
    for (size_t i = 0; i < forms_count(forms); i++)
        if (!a64_unfit(forms_at(forms, i)))
            vec_push(&rows, forms_at(forms, i));
    assert_true(a64_codes_learn(rows.items, rows.count, &toolchain_assembler, NULL));
    /* Needs two rounds, because a single objdump process decodes all words that Capstone does
     * not. */
    for (unsigned round = 0; round < 2; round++) {
        for (size_t i = 0; i < rows.count; i++) {
            const struct a64_code *code = a64_code_find(rows.items[i], NULL);
            size_t n = a64_chain_list(code, chains);
            assert_true(n < CHAINS_MAX);
            for (size_t k = 0; k < n; k++) {
                if (!a64_chain_make(code, &chains[k], links, b))
                    fail_msg("%s: %s to %s cannot be made", rows.items[i]->form,
                             chains[k].from_name, chains[k].to_name);
                if (round == 0) {
                    str_add_bytes(&all, (const char *)b->code, b->length);
                    continue;
                }
                struct insn first;
                assert_true(a64_decode(b->code, 4, 0, true, &first, NULL));
                bool known = !(first.traits & INSN_UNDECODED);
                unsigned path = known ? longest_path(b->code, b->length, b->length / 4 / LINKS) : 0;
                if (known && path < LINKS)
                    fail_msg("%s: %s to %s: %u of %u wait (%s)", rows.items[i]->form,
                             chains[k].from_name, chains[k].to_name, path, (unsigned)LINKS,
                             first.text);
                insn_done(&first);
                made += known;
                kinds[chains[k].kind]++;
            }
        }
        if (round == 0)
            assert_true(a64_learn((const uint8_t *)all.data, all.length, NULL));
    }
    print_message("%u chains\n", made);
    assert_true(made > 3000);
    assert_true(kinds[CHAIN_REGISTER] && kinds[CHAIN_OWN] && kinds[CHAIN_FLAGS] &&
                kinds[CHAIN_FROM_FLAGS] && kinds[CHAIN_TO_FLAGS] && kinds[CHAIN_ADDRESS] &&
                kinds[CHAIN_FORWARD] && kinds[CHAIN_DOMAINS]);
    vec_done(&rows);
    str_done(&all);
    free(b);
}

static void test_unfit(void **state)
{
    static const struct { const char *form, *part;
    } cases[] = {
        {"B.COND (Rel)", "branch"},
        {"LDADD (X, X, [X])", "atomic"},
        {"LDAR (X, [X])", "ordered"},
        {"LDXR (X, [X])", "ordered"},
        {"STLXR (W, X, [X])", "ordered"},
        {"AUTIA (X, X)", "signed"},
        {"LDG (X, [X, I])", "tags"},
        {"MOV (SP, X)", "stack"},
        {"STNP (X, X, [X, I])", "non-temporal"},
        {"MOVPRFX (Z, Z)", "next instruction"},
        {"LD1W ({Z.S}, P/Z, [Z.S])", "32-bit"},
        {"DSB (ISH)", "system"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct form_row *row = forms_find(forms, cases[i].form);
        if (!row)
            fail_msg("there is no %s", cases[i].form);
        const char *reason = a64_unfit(row);
        if (!reason || !strstr(reason, cases[i].part))
            fail_msg("%s: %s", cases[i].form, reason ? reason : "allowed");
    }
    assert_null(a64_unfit(forms_find(forms, "FMLA (V.2D, V.2D, V.2D)")));
    assert_null(a64_unfit(forms_find(forms, "LD1D ({Z.D}, P/Z, [X, Z.D, LSL I])")));
    assert_null(a64_unfit(forms_find(forms, "ADR (X, Rel)")));
}

/* Program names of binutils: without prefix for the native processor, otherwise with the target's
 * prefix. */
static void test_tools(void **state)
{
    char buffer[64];
    enum isa other = isa_host() == ISA_X86_64 ? ISA_AARCH64 : ISA_X86_64;
    assert_string_equal(isa_tool(other, "as", buffer, sizeof buffer),
                        other == ISA_AARCH64 ? "aarch64-linux-gnu-as" : "x86_64-linux-gnu-as");
    char *path = mem_strdup(getenv("PATH") ? getenv("PATH") : "");
    setenv("PATH", "/nowhere::/also", 1);
    assert_string_equal(isa_tool(isa_host(), "objdump", buffer, sizeof buffer), "objdump");
    setenv("PATH", path, 1);
    free(path);
}

static int setup(void **state)
{
    struct assembled a;
    struct err err = {0};
    assembler = assemble(ISA_AARCH64, NULL, "nop\n", 4, SYNTAX_AUTO, false, &a, &err);
    assembled_done(&a);
    if (!assembler)
        print_message("no assembler for AArch64 here, encodings are not tried: %s\n", err.what);
    forms = forms_load(ISA_AARCH64, NULL, &err);
    return forms ? 0 : -1;
}

static int teardown(void **state)
{
    forms_free(forms);
    return 0;
}

/* A simulated CPU may have the other instruction set. Its code is generated on any processor. Only
 * execution requires the native instruction set. */
static void test_code_for_a_simulated_cpu(void **state)
{
    static const struct {
        enum isa isa;
        const char *form;
    } cases[] = {{ISA_X86_64, "ADD (R64, R64)"}, {ISA_AARCH64, "ADD (X, X, X)"}};
    if (!assembler)
        return;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct forms *table = forms_load(cases[i].isa, NULL, NULL);
        const struct form_row *row = forms_find(table, cases[i].form);
        struct chain chains[CHAINS_MAX];
        struct err err = {0};
        char why[256];
        assert_non_null(row);
        struct form_code *code = encodings_code_any(row, &err), *here = encodings_code(row, NULL);
        if (!code)
            fail_msg("%s: %s", cases[i].form, err.what);
        assert_true(chain_list(code, chains) > 0);
        assert_true((here != NULL) == (cases[i].isa == isa_host()));
        assert_true(!form_measurable(row, why, sizeof why) == (cases[i].isa == isa_host()));
        form_code_free(code);
        form_code_free(here);
        forms_free(table);
    }
}

/* The letters of a template must match its code, because register allocation relies on them. */
static void test_letters(void **state)
{
    static const struct { const char *form, *template, *fault;
    } cases[] = {
        {"ADD (X, X, X)", "add {RW:X}, {R:X}, {R:X}",
         "the template declares RW for operand 1, which is W"},
        {"ADD (X, X, X)", "add {W:X}, {R:X}, {W:X}",
         "the template declares W for operand 3, which is R"},
        {"LDR (X, [X], I)", "ldr {W:X}, [{W:X}], #16",
         "the template declares W for operand 2, which is R"},
        {"MLA (V.4S, V.4S, V.4S)", "mla {W:V}.4s, {R:V}.4s, {R:V}.4s",
         "the template declares W for operand 1, which is RW"},
        {"MLA (V.4S, V.4S, V.4S)", "mla {RW:V}.4s, {R:V}.4s, {R:V}.4s", NULL},
        {"LD1 ({V.16B, V.16B}, [X])", "ld1 {{{R:V}.16b, {R:V}.16b}}, [{R:X}]",
         "the template declares R for operand 1, which is W"},
    };

    if (!assembler)
        return;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct form_row row = {(char *)cases[i].form, (char *)cases[i].template, (char *)"",
                                     ISA_AARCH64, true};
        struct err err = {0};
        struct form_code *code = encodings_code_any(&row, &err);
        if (cases[i].fault ? code || !strstr(err.what, cases[i].fault) : !code)
            fail_msg("%s: %s", cases[i].template, code ? "taken" : err.what);
        form_code_free(code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),       cmocka_unit_test(test_every_form),
        cmocka_unit_test(test_bases_return), cmocka_unit_test(test_breakers),
        cmocka_unit_test(test_chains),       cmocka_unit_test(test_unfit),
        cmocka_unit_test(test_tools),        cmocka_unit_test(test_code_for_a_simulated_cpu),
        cmocka_unit_test(test_letters),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
