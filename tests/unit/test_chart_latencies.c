/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Later stages of a chart: latencies, usages of stack forms by substitutes, and usages of
 * unexplained forms. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "chart/stages.h"
#include "../support/charted_facts.h"
#include "../support/support.h"

static const char *const addition[] = {"ADD (R64, R64)"};

/* Returns the number of measured chains of ADD (R64, R64) if the file at @path contains @text. The
 * chart rewrites the file. Stores the number of forms in the file in *@known. */
static size_t latencies_measured(const struct machine *truth, struct forms *forms, const char *path,
                               const char *text, unsigned *known)
{
    struct imitation *cpu = imitation_new(truth, 0, 1);
    struct chart *c = chart_at(machine_copy(truth), forms, addition, 1);
    struct stage_lab l;
    struct err err = {0};
    size_t measured = 0;

    if (text)
        assert_true(file_write(path, text, strlen(text), &err));
    lab_on(&l, imitation_cpu(cpu));
    l.options.latencies = path;
    if (!latencies_find(&l.lab, c, &err))
        fail_msg("%s", err.what);
    for (size_t i = 0; i < c->latencies.count; i++)
        measured += c->latencies.items[i].latency.cycles > 0;
    *known = l.lab.resumed;
    chart_free(c);
    imitation_free(cpu);
    return measured;
}

/* A form of which the file lacks a chain is measured again. Rows of forms outside of the chart
 * remain in the file. */
static void test_latencies_are_kept(void **state)
{
    static const char head[] = "form,from,to,cycles,spread,note,state\n",
                      other[] = "\"SUB (R64, R64)\",op1,op1,7,0,seen elsewhere,ok\n";
    const char *path = work_path("latencies.csv");
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);
    struct machine *truth = machine_load_shipped("skylake", &err);
    struct str text = {0}, part = {0};
    unsigned known;

    assert_true(forms && truth);
    size_t all = latencies_measured(truth, forms, path, NULL, &known);
    assert_true(all > 1 && known == 0);
    assert_int_equal(latencies_measured(truth, forms, path, NULL, &known), all);
    assert_int_equal(known, 1);
    /* This is the file without its last line, and with a line of another form. */
    assert_true(file_read(path, 1 << 20, &text, &err));
    size_t end = text.length - 1;
    while (text.data[end - 1] != '\n')
        end--;
    str_addf(&part, "%s%s%.*s", head, other, (int)(end - strlen(head)), text.data + strlen(head));
    assert_int_equal(latencies_measured(truth, forms, path, str_text(&part), &known), all);
    assert_int_equal(known, 0);
    str_clear(&text);
    assert_true(file_read(path, 1 << 20, &text, &err));
    assert_non_null(strstr(str_text(&text), other));
    assert_int_equal(latencies_measured(truth, forms, path, NULL, &known), all);
    assert_int_equal(known, 1);
    str_done(&text);
    str_done(&part);
    machine_free(truth);
    forms_free(forms);
}

/* A simulated CPU on which some chains are contended: all of the first form measured, or, with
 * @partly, the first chain of the first form and the second one when that form is measured again */
struct contended_once {
    const struct chart_cpu *cpu;
    bool partly;
    unsigned calls;
};

static size_t latencies_later(void *state, const struct form_code *code,
                              struct latency out[CHAINS_MAX], struct err *err)
{
    struct contended_once *s = state;
    const unsigned call = s->calls++;

    if (!s->partly && !call)
        return recorded_latencies(NULL, code, out, err);
    const size_t n = s->cpu->latencies(s->cpu->state, code, out, err);
    if (s->partly && call != 1) {
        struct latency busy[CHAINS_MAX];
        assert_int_equal(recorded_latencies(NULL, code, busy, err), n);
        assert_true(n > 1);
        out[call > 0] = busy[call > 0];
    }
    return n;
}

static void check_contended(bool partly)
{
    static const char *const names[] = {"ADD (R64, R64)", "SUB (R64, R64)"};
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);
    struct machine *truth = machine_load_shipped("skylake", &err);
    struct stage_lab l;

    assert_true(forms && truth);
    struct imitation *imitated = imitation_new(truth, 0, 1);
    struct contended_once once = {.cpu = imitation_cpu(imitated), .partly = partly};
    struct chart_cpu cpu = *once.cpu;
    cpu.latencies = latencies_later;
    cpu.state = &once;
    struct chart *c = chart_at(machine_copy(truth), forms, names, 2);
    lab_on(&l, &cpu);
    assert_true(latencies_find(&l.lab, c, &err));
    assert_int_equal(once.calls, 3);
    assert_true(c->latencies.count > 2);
    for (size_t i = 0; i < c->latencies.count; i++)
        assert_string_equal(c->latencies.items[i].latency.state, "ok");
    chart_free(c);
    imitation_free(imitated);
    machine_free(truth);
    forms_free(forms);
}

/* A form whose chains were contended is measured again after all others, and only this form. A
 * chain that has a latency keeps it, also if it is contended then. */
static void test_contended_forms_are_measured_again(void **state)
{
    check_contended(false);
    check_contended(true);
}

/* Returns whether the loops of chart/substitutes.c cover @form. */
static bool is_substituted(const char *form)
{
    return strncmp(form, "PUSH (", 6) == 0 || strncmp(form, "POP (", 5) == 0 ||
           strncmp(form, "CALL_NEAR (", 11) == 0 || strncmp(form, "RET_NEAR (", 10) == 0 ||
           strcmp(form, "VZEROUPPER ()") == 0 || strstr(form, "R8h") || strstr(form, "_LOCK (");
}

/* Returns a copy of @truth without these forms. */
static struct machine *without_substitutes(const struct machine *truth)
{
    struct machine *m = machine_copy(truth);

    mapping_free(m->mapping);
    m->mapping = mapping_new(mapping_ports(truth->mapping));
    mapping_set_issue_width(m->mapping, mapping_issue_width(truth->mapping));
    for (size_t i = 0; i < mapping_count(truth->mapping); i++)
        if (!is_substituted(mapping_at(truth->mapping, i)->form))
            mapping_set(m->mapping, mapping_at(truth->mapping, i));
    return m;
}

/* Checks that the forms @expected of @machine have the usages of equivalent operations, which its
 * tables confirm. @others: the chart is asked for them. */
static void check_substitutes(const char *machine, struct forms *forms, const char *const *expected,
                              bool others)
{
    struct err err = {0};
    struct machine *truth = machine_load_shipped(machine, &err);
    const struct form_row *rows[8];
    size_t count = 0;
    struct imitation *cpu = imitation_new(truth, 0.002, 1);
    struct chart *c = chart_at(without_substitutes(truth), forms, addition, 1);
    struct stage_lab l;

    lab_on(&l, imitation_cpu(cpu));
    c->width = machine_number(truth, "issue_width");
    assert_null(mapping_find(c->machine->mapping, expected[0]));
    for (; others && expected[count]; count++)
        rows[count] = forms_find(forms, expected[count]);
    l.options.others = rows;
    l.options.others_count = count;
    assert_true(substitutes_find(&l.lab, c, &err));
    for (; *expected; expected++) {
        const struct mapping_entry *is = mapping_find(c->machine->mapping, *expected),
                                   *should = mapping_find(truth->mapping, *expected);
        if (!is || !should || !usage_equal(&is->usage, &should->usage))
fail_msg("%s of %s: %s", *expected, machine, is ? "another usage" : "not found");
    }
    chart_free(c);
    imitation_free(cpu);
    machine_free(truth);
}

/* A loop of VZEROUPPER takes a cycle per instruction on a Zen 5, because each begins a group. The
 * instruction has one slot. */
static void test_form_that_begins_a_group(void **state)
{
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);
    struct machine *truth = machine_load_shipped("zen5-charted", &err);
    struct stage_lab l;

    assert_true(forms && truth);
    struct imitation *cpu = imitation_new(truth, 0.002, 1);
    for (unsigned known = 0; known < 2; known++) {
        struct chart *c = chart_at(without_substitutes(truth), forms, addition, 1);
        machine_set_fact(c->machine, "group_first", known ? "vzeroupper" : "", "", "");
        lab_on(&l, imitation_cpu(cpu));
        c->width = 8;
        assert_true(substitutes_find(&l.lab, c, &err));
        assert_int_equal(mapping_find(c->machine->mapping, "VZEROUPPER ()")->micro_ops,
                         known ? 1 : 8);
        chart_free(c);
    }
    imitation_free(cpu);
    machine_free(truth);
    forms_free(forms);
}

static void test_stack_forms(void **state)
{
    static const char *const stack[] = {"PUSH (R64)", "POP (R64)", "PUSH (I8)", NULL};
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);

    assert_non_null(forms);
    check_substitutes("sapphirerapids", forms, stack, false);
    check_substitutes("icelake-server", forms, stack, false);
    check_substitutes("skylake", forms, stack, false);
    check_substitutes("znver3", forms, stack, false);
    forms_free(forms);
}

/* Calls and returns have the usages of a store and a load, and one slot more. */
static void test_calls_and_returns(void **state)
{
    static const struct { const char *form, *like; } cases[] = {
        {"CALL_NEAR (Rel32)", "MOV (M64, R64)"}, {"RET_NEAR ()", "MOV (R64, M64)"}};
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);
    struct machine *truth = machine_load_shipped("skylake", &err);

    assert_true(forms && truth);
    struct imitation *cpu = imitation_new(truth, 0.002, 1);
    struct chart *c = chart_at(without_substitutes(truth), forms, addition, 1);
    struct stage_lab l;
    lab_on(&l, imitation_cpu(cpu));
    c->width = machine_number(truth, "issue_width");
    assert_null(mapping_find(c->machine->mapping, cases[0].form));
    assert_true(substitutes_find(&l.lab, c, &err));
    for (size_t i = 0; i < 2; i++) {
        const struct mapping_entry *is = mapping_find(c->machine->mapping, cases[i].form),
                                   *like = mapping_find(truth->mapping, cases[i].like);
        assert_true(is && usage_equal(&is->usage, &like->usage));
        assert_int_equal(is->micro_ops, like->micro_ops + 1);
        assert_non_null(strstr(is->source, "assumed: a jump"));
    }
    chart_free(c);
    imitation_free(cpu);
    machine_free(truth);
    forms_free(forms);
}

/* Forms of ah to dh have the ports of the same operation on low bytes. The chart adds those that it
 * is asked for and whose loops agree: not an addition that takes three cycles. */
static void test_high_bytes(void **state)
{
    static const char *const high[] = {"ADD (R8h, R8l)", "MOVZX (R32, R8h)", "CMP (R8h, I8)",
                                       "SUB (R8l, R8h)", "SUB (M8, R8h)", NULL};
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);
    struct machine *truth = machine_load_shipped("skylake", &err);

    assert_true(forms && truth);
    check_substitutes("skylake", forms, high, true);
    check_substitutes("icelake-server", forms, high, true);

    struct mapping_entry slow = *mapping_find(truth->mapping, high[0]);
    slow.latency = 3;
    mapping_set(truth->mapping, &slow);
    struct imitation *cpu = imitation_new(truth, 0.002, 1);
    struct chart *c = chart_at(without_substitutes(truth), forms, addition, 1);
    const struct form_row *rows[] = {forms_find(forms, high[0]), forms_find(forms, high[1])};
    struct stage_lab l;
    lab_on(&l, imitation_cpu(cpu));
    c->width = machine_number(truth, "issue_width");
    l.options.others = rows;
    l.options.others_count = 2;
    assert_true(substitutes_find(&l.lab, c, &err));
    assert_null(mapping_find(c->machine->mapping, high[0]));
    const struct mapping_entry *found = mapping_find(c->machine->mapping, high[1]);
    assert_true(found && strstr(found->source, "assumed: usage of MOVZX (R32, R8l)"));
    chart_free(c);
    imitation_free(cpu);
    machine_free(truth);
    forms_free(forms);
}

/* Locked forms have the ports of the same operation without a lock, unless the time of a locked
 * access differs from the fact. The fourth form with one mnemonic has no loop of its own. */
static void test_locked_forms(void **state)
{
    static const char *const names[] = {"ADD_LOCK (M32, I8)", "SUB_LOCK (M64, R64)",
                                        "ADD_LOCK (M64, R64)", "ADD_LOCK (M32, R32)",
                                        "ADD_LOCK (M16, R16)"},
                            *const sources[] = {"assumed: usage of ADD (M32, I8); a loop agrees",
                                                "assumed: usage of SUB (M64, R64); a loop agrees",
                                                "assumed: usage of ADD (M64, R64); a loop agrees",
                                                "assumed: usage of ADD (M32, R32); a loop agrees",
                                                "assumed: usage of ADD (M16, R16); a loop agrees"};
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);
    struct machine *truth = machine_load_shipped("znver4", &err);

    assert_true(forms && truth);
    for (unsigned wrong = 0; wrong < 2; wrong++) {
        struct imitation *cpu = imitation_new(truth, 0.002, 1);
        struct machine *charted = without_substitutes(truth);
        const struct form_row *rows[5];
        struct stage_lab l;
        for (size_t i = 0; i < 5; i++)
            rows[i] = forms_find(forms, names[i]);
        if (wrong)
            machine_set_fact(charted, "lock_latency", "5", "cycles", "");
        struct chart *c = chart_at(charted, forms, addition, 1);
        lab_on(&l, imitation_cpu(cpu));
        c->width = machine_number(truth, "issue_width");
        l.options.others = rows;
        l.options.others_count = 5;
        assert_true(substitutes_find(&l.lab, c, &err));
        for (size_t i = 0; i < 5; i++) {
            const struct mapping_entry *found = mapping_find(c->machine->mapping, names[i]);
            if (wrong)
                assert_null(found);
            else
                assert_string_equal(found->source, sources[i]);
        }
        chart_free(c);
        imitation_free(cpu);
    }
    machine_free(truth);
    forms_free(forms);
}

/* Loads of a part of a register also merge, which takes one more cycle. They do not determine the
 * load latency, even if most loads merge. Loads take five cycles on Golden Cove and four on Zen. */
static void test_load_latency_of_whole_registers(void **state)
{
    static const char *const loads[] = {"MOV (R64, M64)", "MOV (R16, M16)", "MOV (R8l, M8)"};
    static const struct {
        const char *id;
        double cycles;
    } cpus[] = {{"sapphirerapids", 5}, {"znver3", 4}};
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);

    assert_non_null(forms);
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++) {
        struct machine *truth = machine_load_shipped(cpus[i].id, &err);
        assert_non_null(truth);
        struct imitation *cpu = imitation_new(truth, 0, 1);
        struct chart *c = chart_at(machine_copy(truth), forms, loads, sizeof loads / sizeof *loads);
        struct stage_lab l;
        lab_on(&l, imitation_cpu(cpu));
        if (!latencies_find(&l.lab, c, &err))
            fail_msg("%s", err.what);
        assert_float_equal(machine_number(c->machine, "load_latency"), cpus[i].cycles, 0);
        chart_free(c);
        imitation_free(cpu);
        machine_free(truth);
    }
    forms_free(forms);
}

/* Sets the cycles of chains of moves to those of a Zen 5 (virtual Turin). */
static size_t latencies_of_moves(void *state, const struct form_code *code,
                                 struct latency out[CHAINS_MAX], struct err *err)
{
    const struct chart_cpu *cpu = state;
    const size_t n = cpu->latencies(cpu->state, code, out, err);

    for (size_t i = 0; i < n && strncmp(code->row->form, "MOV ", 4) == 0; i++)
        out[i].cycles = 0.1457;
    return n;
}

/* A chain of eliminated moves takes only issue slots. It shows no latency if copies that do not
 * depend on each other are about as fast; if these are faster, it does. */
static void test_eliminated_moves(void **state)
{
    static const char *const moves[] = {"MOV (R64, R64)", "ADD (R64, R64)"};
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);
    struct machine *truth = machine_load_shipped("zen5-charted", &err);
    struct stage_lab l;

    assert_true(forms && truth);
    while (truth->latency_count)
        machine_drop_latency(truth);
    struct imitation *imitated = imitation_new(truth, 0, 1);
    for (unsigned slow = 0; slow < 2; slow++) {
        struct chart_cpu cpu = *imitation_cpu(imitated);
        struct chart *c = chart_at(machine_copy(truth), forms, moves, 2);
        cpu.latencies = latencies_of_moves;
        cpu.state = (void *)imitation_cpu(imitated);
        c->forms[0].alone = slow ? 0.0625 : 0.1257;
        c->forms[1].alone = 0.1667;
        lab_on(&l, &cpu);
        if (!latencies_find(&l.lab, c, &err))
            fail_msg("%s", err.what);
        assert_float_equal(mapping_find(c->machine->mapping, moves[0])->latency, slow ? 0.15 : 0,
                           1e-9);
        assert_int_equal(c->machine->latency_count, slow);
        assert_float_equal(mapping_find(c->machine->mapping, moves[1])->latency, 1, 1e-9);
        chart_free(c);
    }
    imitation_free(imitated);
    machine_free(truth);
    forms_free(forms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_latencies_are_kept),
        cmocka_unit_test(test_contended_forms_are_measured_again),
        cmocka_unit_test(test_load_latency_of_whole_registers),
        cmocka_unit_test(test_eliminated_moves),
        cmocka_unit_test(test_form_that_begins_a_group),
        cmocka_unit_test(test_stack_forms), cmocka_unit_test(test_high_bytes),
        cmocka_unit_test(test_locked_forms),
        cmocka_unit_test(test_calls_and_returns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
