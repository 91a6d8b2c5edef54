/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every form of data/isa/x86-64.csv, in the spelling of binutils and of LLVM, in Intel and in AT&T
 * syntax, loads as the same form: one line, one instruction. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/support.h"
#include "analysis/kernel.h"
#include "base/file.h"
#include "isa/forms.h"

/* Forms for which a tool prints the text of another encoding. No AT&T text assembles to extensions
 * to the same width. LLVM 22 prints far jumps without a width, MCOMMIT as MONITORX, and exchanges
 * with swapped operands. */
static const char *const unsaid_att[] = {"MOVZX (R16, ?16)", "MOVSX (R16, ?16)", NULL},
                         *const unsaid_llvm[] = {"CALL_NEAR (M32)", "JMP (M32)", "MCOMMIT ()",
                                                 "XCHG (R8?, R8?)", NULL},
                         *const unsaid_llvm_att[] = {"MOVZX (R16, ?16)",
                                                     "MOVSX (R16, ?16)",
                                                     "MOVSXD (R16, M32)",
                                                     "MOVSXD (R32, *)",
                                                     "MCOMMIT ()",
                                                     "XCHG (R8?, R8?)",
                                                     NULL};

/* Returns whether @form is a branch with a target, or the nop between the forms. */
static bool is_left_out(const char *form)
{
    static const char *const left_out[] = {
        "*Rel*", "*(PTR*", "NOP ()", NULL,
    };
    return str_match_any(left_out, form);
}

/* Writes the name that the VEX, EVEX and unmarked forms of one operation on the same operands
 * share. */
static void canonical(const char *form, char out[FORM_MAX])
{
    static const char *const marks[] = {"_EVEX", "_VEX"};

    snprintf(out, FORM_MAX, "%s", form);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        char *at = strstr(out, marks[i]);
        if (at)
            memmove(at, at + strlen(marks[i]), strlen(at + strlen(marks[i])) + 1);
    }
}

/* Assembles all instances in Intel syntax to an object at work_path("forms.o"). Writes the forms in
 * their order. */
static size_t assemble_all(const struct forms *forms, size_t *order)
{
    struct str text = {0}, line = {0};
    size_t count = 0;
    char command[1024];

    str_add(&text, "\t.intel_syntax noprefix\n");
    for (size_t i = 0; i < forms_count(forms); i++) {
        if (is_left_out(forms_at(forms, i)->form))
            continue;
        str_clear(&line);
        form_instance(forms_at(forms, i), &line);
        /* Disassemblers join adjacent fwait and fnstcw. */
        str_addf(&text, "%s\n\tnop\n", str_text(&line));
        order[count++] = i;
    }
    work_put("forms.s", str_text(&text));
    snprintf(command, sizeof command, "cd '%s' && as --64 -o forms.o forms.s", work_path(""));
    assert_int_equal(system(command), 0);
    str_done(&text);
    str_done(&line);
    return count;
}

/* start address of each form, and the end */
static uint64_t *starts;

/* Appends to @out[i] the part of @tool's listing between the starts of forms i and i + 1, without
 * addresses, comments and nops. LLVM prints prefixes on separate lines. With @find, the starts come
 * from this listing. Returns false if the tool is not installed. */
static bool disassemble(const char *tool, size_t count, bool find, struct str *out)
{
    struct str text = {0};
    struct err err = {0};
    char command[1024];
    size_t form = 0;
    bool after = true;

    snprintf(command, sizeof command, "cd '%s' && %s forms.o >listing 2>/dev/null", work_path(""),
             tool);
    bool ok =
        system(command) == 0 && file_read(work_path("listing"), (size_t)64 << 20, &text, &err);
    for (char *line = ok ? text.data : NULL, *next; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next ? (*next = '\0', 1) : 0;
        char *colon, *comment;
        const uint64_t address = strtoull(line, &colon, 16);
        if (*colon != ':' || colon == line)
            continue;
        if ((comment = strstr(colon, " #")) ||
            ((comment = strchr(colon, '<')) && strncmp(comment, "<unknown>", 9) != 0))
            *comment = '\0';
        char *insn = colon + 1 + strspn(colon + 1, " \t");
        for (char *at = insn; *at; at++)
            *at = *at == '\t' ? ' ' : *at;
        while (*insn && insn[strlen(insn) - 1] == ' ')
            insn[strlen(insn) - 1] = '\0';
        const bool nop = strcmp(insn, "nop") == 0;
        if (find && after && form < count)
            starts[form++] = address;
        after = nop;
        while (!find && form + 1 < count && address >= starts[form + 1])
            form++;
        if (!find && !nop)
            str_addf(&out[form], "%s%s", out[form].length ? " " : "", insn);
    }
    assert_true(!ok || !find || form == count);
    str_done(&text);
    return ok;
}

static void check(const struct forms *forms, const size_t *order, size_t count, const char *tool,
                  const char *options, bool intel, const char *const *unsaid)
{
    struct str *lines = calloc(count, sizeof *lines), text = {0};
    struct err err = {0};
    size_t same = 0, other = 0, unknown = 0, unspelled = 0;
    uint8_t *seen = calloc(count + 2, 1);

    if (!disassemble(options, count, false, lines)) {
        print_message("# %s is not here\n", tool);
        free(lines);
        free(seen);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const bool lacks = !lines[i].length || strstr(str_text(&lines[i]), "<unknown>"),
                   other_text = unsaid && str_match_any(unsaid, forms_at(forms, order[i])->form);
        unknown += lacks && !other_text;
        unspelled += other_text;
        str_addf(&text, "\t%s\n", lacks || other_text ? "" : str_text(&lines[i]));
    }
    struct kernel_options how = {.isa_given = true,
                                 .isa = ISA_X86_64,
                                 .syntax = intel ? SYNTAX_INTEL : SYNTAX_ATT,
                                 .skip_bad = true};
    struct kernel *k = kernel_from_text(tool, str_text(&text), text.length, &how, &err);
    if (!k)
        fail_msg("%s: %s", tool, err.what);
    for (size_t i = 0; i < k->insn_count; i++) {
        const struct insn *in = &k->insns[i];
        if (!in->line || in->line > count)
            continue;
        char want[FORM_MAX], got[FORM_MAX];
        canonical(forms_at(forms, order[in->line - 1])->form, want);
        canonical(in->form, got);
        bool right = strcmp(want, got) == 0 && !seen[in->line];
        seen[in->line] = 1;
        same += right;
        other += !right;
        if (!right)
            print_message("# %s: `%s', a %s, loads as %s\n", tool, str_text(&lines[in->line - 1]),
                          forms_at(forms, order[in->line - 1])->form, in->form);
    }
    for (size_t i = 0; i < k->refused_count; i++)
        print_message("# %s: refused: %s: %s\n", tool, k->refused[i].text, k->refused[i].reason);
    print_message("# %s: %zu of %zu forms load as themselves, %zu as others, %zu refused, %zu "
                  "unknown to it\n",
                  tool, same, count, other, k->refused_count, unknown);
    kernel_free(k);
    for (size_t i = 0; i < count; i++)
        str_done(&lines[i]);
    free(lines);
    str_done(&text);
    free(seen);
    assert_true(same + unknown + unspelled == count && unknown < 10);
}

static size_t *order, count;

static void test_binutils_intel(void **state)
{
    check(*state, order, count, "objdump, Intel", "objdump -dw --no-show-raw-insn -M intel", true,
          NULL);
}

static void test_binutils_att(void **state)
{
    check(*state, order, count, "objdump, AT&T", "objdump -dw --no-show-raw-insn", false,
          unsaid_att);
}

static void test_llvm_intel(void **state)
{
    check(*state, order, count, "llvm-objdump, Intel",
          "llvm-objdump-22 -d --no-show-raw-insn --x86-asm-syntax=intel", true, unsaid_llvm);
}

static void test_llvm_att(void **state)
{
    check(*state, order, count, "llvm-objdump, AT&T", "llvm-objdump-22 -d --no-show-raw-insn",
          false, unsaid_llvm_att);
}

static int set_up(void **state)
{
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);

    *state = forms;
    order = calloc(forms_count(forms), sizeof *order);
    count = assemble_all(forms, order);
    starts = calloc(count + 1, sizeof *starts);
    assert_true(disassemble("objdump -dw --no-show-raw-insn", count, true, NULL));
    return forms ? 0 : -1;
}

static int tear_down(void **state)
{
    forms_free(*state);
    free(order);
    free(starts);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binutils_intel), cmocka_unit_test(test_binutils_att),
        cmocka_unit_test(test_llvm_intel), cmocka_unit_test(test_llvm_att)};
    return cmocka_run_group_tests_name("spellings", tests, set_up, tear_down);
}
