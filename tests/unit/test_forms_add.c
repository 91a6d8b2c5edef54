/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forms of the user: added template files, and rejected ones. */
#include <stdio.h>
#include <string.h>

#include "cmd/session.h"
#include "isa/forms.h"
#include "../support/support.h"

/* Runs @line with the test's directory for each @. Writes its output to @out (may be NULL). */
static bool try(struct session *s, const char *line, struct str *out, struct err *err)
{
    struct str expanded = {0};

    work_expand(line, &expanded);
    const bool ok = run_line(s, str_text(&expanded), out, err);
    str_done(&expanded);
    return ok;
}

static void run(struct session *s, const char *line, struct str *out)
{
    struct err err = {0};

    if (!try(s, line, out, &err))
        fail_msg("%s", err.what);
}

static void test_forms_add(void **state)
{
    static const struct { const char *text, *what; size_t line;
    } faults[] = {
        {"form,template\n\"ADD (R64, R64)\",\"sub {RW:R64}, {R:R64}\"\n",
         "assembles to SUB (R64, R64)", 2},
        {"form,template\n\"ADD (R64, R64)\",\"add {RW:R64}, {R:R64}\"\n\"X (R64)\",\"flumb "
         "{R:R64}\"\n",
         "no such instruction", 3},
        {"form,template\n\"NOP ()\",\"nop; nop\"\n", "invalid template", 2},
        {"form,template\n\"NOP ()\",\".incbin x\"\n", "invalid template", 2},
        {"form,template\n\"NOP ()\",\"nop #\"\n", "invalid template", 2},
        {"form,template\n,nop\n", "empty", 2},
        {"form\nNOP ()\n", "column template is missing", 1},
        {"form,template\n\"NOP ()\",\"rep nop\"\n", "assembles to PAUSE ()", 2},
        {"form,template\nNOP (),nop\n\"MOV (R64, R64)\",\"mov r13, r14\"\n",
         "uses a register that is reserved for measurement", 3},
        {"form,template\n\"MOV (M64, R64)\",\"mov {W:M64}, r11\"\n",
         "uses a register that is reserved for measurement", 2},
        {"form,template\nINC (R64),inc {RW:R64\n", "invalid template", 2},
        {"form,template\nINC (R64),inc RW:R64}\n", "invalid template", 2},
        {"form,template\nINC (R64),inc {WR:R64}\n", "invalid template", 2},
        {"form,template\nINC (R64),inc {RW:}\n", "invalid template", 2},
        {"form,template\nINC (R64),inc {RW:{R64}}\n", "invalid template", 2},
        {"form,template\nINC (R64),inc r15\n", "uses a register that is reserved for measurement", 2},
        {"form,template\nINC (R8l),inc r15b\n", "uses a register that is reserved for measurement", 2},
        {"form,template\n\"MOV (R64, M64)\",\"mov {W:R64}, [r14]\"\n",
         "uses a register that is reserved for measurement", 2},
        {"form,template\n\"MOV (R64, R64)\",\"mov rsp, {R:R64}\"\n",
         "uses a register that is reserved for measurement", 2},
    };
    struct session s;
    struct str text = {0};

    session_init(&s);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct err err = {0};
        work_put("f.csv", faults[i].text);
        if (try(&s, "forms add @/f.csv", NULL, &err))
            fail_msg("%s was taken", faults[i].text);
        if (!strstr(err.what, faults[i].what) || err.line != faults[i].line)
            fail_msg("%s: %zu: %s", faults[i].text, err.line, err.what);
    }
    size_t before = forms_count(session_forms(&s, ISA_X86_64, NULL)), count;
    forms_added(s.document.forms[ISA_X86_64], &count);
    assert_int_equal(count, 0);
    work_put("f.csv", "template,form\n\"{{evex}} vpaddd {W:XMM}, {R:XMM}, {R:XMM}\",\"VPADDD_EVEX "
                      "(XMM, XMM, XMM)\"\nnop,NOP ()\n");
    run(&s, "forms add @/f.csv", &text);
    assert_int_equal(forms_count(s.document.forms[ISA_X86_64]), before);
    for (size_t i = 1; i < forms_count(s.document.forms[ISA_X86_64]); i++)
        assert_true(strcmp(forms_at(s.document.forms[ISA_X86_64], i - 1)->form,
                           forms_at(s.document.forms[ISA_X86_64], i)->form) < 0);
    /* A table in use does not change when forms are added, or when the session ends. The new table
     * has the rows of both files. */
    struct forms *held = forms_hold(s.document.forms[ISA_X86_64]);
    work_put("f.csv",
             "form,template,extension\nNOP (),nop,FIRST\n\"VPADDD_EVEX (XMM, XMM, "
             "XMM)\",\"{{evex}} vpaddd {W:XMM}, {R:XMM}, {R:XMM}\",MINE\nNOP (),nop,LAST\n");
    run(&s, "forms add @/f.csv", &text);
    forms_added(s.document.forms[ISA_X86_64], &count);
    assert_int_equal(count, 5);
    assert_int_equal(forms_count(s.document.forms[ISA_X86_64]), before);
    assert_string_equal(forms_find(s.document.forms[ISA_X86_64], "NOP ()")->extension, "LAST");
    assert_string_equal(
        forms_find(s.document.forms[ISA_X86_64], "VPADDD_EVEX (XMM, XMM, XMM)")->extension, "MINE");
    forms_free(s.document.forms[ISA_X86_64]);
    s.document.forms[ISA_X86_64] = NULL;
    assert_string_equal(forms_find(held, "VPADDD_EVEX (XMM, XMM, XMM)")->template,
                        "{{evex}} vpaddd {W:XMM}, {R:XMM}, {R:XMM}");
    assert_string_equal(forms_find(held, "VPADDD_EVEX (XMM, XMM, XMM)")->extension, "");
    assert_int_equal(forms_count(held), before);
    forms_free(held);
    /* The code determines the read and written operands. */
    str_clear(&text);
    work_put("f.csv",
             "form,template\nINC (R64),inc {R:R64}\n\"VPADDD_EVEX (XMM, XMM, XMM)\",\"{{evex}} "
             "vpaddd {W:XMM}, {R:XMM}, {RW:XMM}\"\nDEC (R64),dec {RW:R64}\n");
    run(&s, "forms add @/f.csv", NULL);
    run(&s, "forms list 'INC (R64)'", &text);
    assert_non_null(strstr(str_text(&text), "the template declares R for operand 1, which is RW"));
    str_clear(&text);
    run(&s, "forms list 'VPADDD_EVEX (XMM, XMM, XMM)'", &text);
    assert_non_null(strstr(str_text(&text), "the template declares RW for operand 3, which is R"));
    str_clear(&text);
    run(&s, "forms list 'DEC (R64)'", &text);
    assert_null(strstr(str_text(&text), "not measured"));
    session_done(&s);
    str_done(&text);
}

/* Forms added for AArch64, where # begins a number, are restored with the session. */
static void test_forms_add_a64(void **state)
{
    static const char *const refused[] = {"add {W:W}, {R:W} // x", "add {W:W}, {R:W} /* x */",
                                          "nop; nop", "#nop"};
    struct session s, t;

    session_init(&s);
    session_init(&t);
    run(&s, "set machine neoverse-n1", NULL);
    work_put("f.csv",
             "form,template,extension\n\"ADD (W, W, I)\",\"add {W:W}, {R:W}, #0xc0\",MINE\n");
    run(&s, "forms add @/f.csv", NULL);
    run(&s, "session save @/a64", NULL);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct err err = {0};
        char text[128];
        snprintf(text, sizeof text, "form,template\nNOP (),\"%s\"\n", refused[i]);
        work_put("f.csv", text);
        assert_false(try(&s, "forms add @/f.csv", NULL, &err));
        if (!strstr(err.what, "invalid template") || !strstr(err.todo, "add {W:X}, {R:X}"))
            fail_msg("%s: %s; %s", refused[i], err.what, err.todo);
    }
    run(&t, "session load @/a64", NULL);
    assert_string_equal(forms_find(t.document.forms[ISA_AARCH64], "ADD (W, W, I)")->extension,
                        "MINE");
    session_done(&s);
    session_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms_add),
                                       cmocka_unit_test(test_forms_add_a64)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
