/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `machine check` and `machine correct` on a simulated CPU with known tables. Their view is
 * compared with golden screens. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "cmd/check.h"
#include "work/job.h"
#include "cmd/command.h"
#include "../support/contents.h"
#include "../support/screens.h"
#include "../support/support.h"

static int make_home(void **state)
{
    return setenv("XDG_DATA_HOME", work_path("data"), 1);
}

static const struct check_row *row_of(const struct check *c, const char *form, const char *quantity)
{
    struct str text = {0};
    const struct check_row *found = NULL;

    for (size_t i = 0; i < c->count && !found; i++) {
        str_clear(&text);
        check_quantity(&c->rows[i], &text);
        found = strcmp(c->rows[i].form, form) == 0 && strcmp(str_text(&text), quantity) == 0
                    ? &c->rows[i]
                    : NULL;
    }
    str_done(&text);
    if (!found)
        fail_msg("no row %s %s", form, quantity);
    return found;
}

static void run(struct session *s, const char *line)
{
    struct err err = {0};
    if (!run_line(s, line, NULL, &err))
        fail_msg("%s: %s", line, err.what);
}

static const char simulated[] =
    "machine check --machine skylake --simulate haswell 'ADD (R64, R64)' 'VADDPD (XMM, XMM, XMM)' "
    "'VMULPD (YMM, YMM, YMM)' 'MOV (M64, R64)'";

/* Haswell adds floating-point numbers on one port in 3 cycles, and multiplies in 5. Skylake does
 * both on two ports in 4 cycles. */
static void test_disagreements(void **state)
{
    struct session s;

    session_init(&s);
    run(&s, simulated);
    const struct check *c = s.document.check;
    assert_non_null(c);
    assert_string_equal(c->machine, "skylake");
    assert_string_equal(c->cpu, "simulated haswell");
    const struct check_row *row = row_of(c, "VADDPD (XMM, XMM, XMM)", "throughput");
    assert_true(check_disagrees(row));
    assert_true(fabs(row->measured - 1) < 0.02 && row->predicted == 0.5);
    row = row_of(c, "VADDPD (XMM, XMM, XMM)", "latency op2 -> op1");
    assert_true(check_disagrees(row) && row->measured == 3 && row->predicted == 4);
    assert_false(check_disagrees(row_of(c, "VMULPD (YMM, YMM, YMM)", "throughput")));
    assert_false(check_disagrees(row_of(c, "ADD (R64, R64)", "latency op2 -> op1")));
    /* Disagreements are sorted by frequency in programs. Moves to memory are the most frequent of
     * these forms. */
    assert_string_equal(c->rows[0].form, "MOV (M64, R64)");
    for (size_t i = 1; i < c->count; i++)
        assert_true(check_weight(&c->rows[i - 1]) >= check_weight(&c->rows[i]));
    session_done(&s);
}

static void read_file(const char *relative, struct str *out)
{
    char name[128];
    snprintf(name, sizeof name, "data/portolan/machines/skylake-measured/%s", relative);
    assert_true(file_read(work_path(name), 1 << 20, out, NULL));
}

static void holds(const char *relative, const char *text)
{
    struct str file = {0};

    read_file(relative, &file);
    if (!strstr(str_text(&file), text))
        fail_msg("%s lacks %s: %s", relative, text, str_text(&file));
    str_done(&file);
}

static size_t lines_of(const char *relative)
{
    struct str file = {0};
    size_t lines = 0;

    read_file(relative, &file);
    for (const char *at = str_text(&file); (at = strchr(at, '\n')); at++)
        lines++;
    str_done(&file);
    return lines;
}

/* Chains are loops, so the limit of eliminated moves is the six slots of rename, not the four
 * decoders. */
static void test_chains_come_from_the_uop_cache(void **state)
{
    struct session s;

    session_init(&s);
    run(&s, "machine check --machine znver4 --simulate znver4 'MOV (R64, R64)'");
    const struct check_row *row = row_of(s.document.check, "MOV (R64, R64)", "latency op2 -> op1");
    assert_true(fabs(row->predicted - 1.0 / 6) < 1e-9);
    session_done(&s);
}

/* Measured values become rows of a user's machine, which predicts them and replaces the original. A
 * second correction replaces the rows. */
static void test_corrections(void **state)
{
    struct session s;
    struct err err = {0};

    session_init(&s);
    run(&s, "set machine skylake");   /* changes to a machine that this CPU may not execute */
    assert_false(run_line(&s, "machine correct *", NULL, &err));
    assert_non_null(strstr(err.what, "no form has been checked"));
    run(&s, simulated);
    assert_false(run_line(&s, "machine correct IMUL*", NULL, &err));
    run(&s, "machine correct --simulate haswell *");
    holds("machine.csv", "base,skylake");
    holds("overrides.csv", "\"VADDPD (XMM, XMM, XMM)\",1*p1,,,measured on simulated haswell 20");
    holds("latencies.csv", "\"VADDPD (XMM, XMM, XMM)\",2,1,3,measured on simulated haswell 20");
    holds("latencies.csv", "\"VMULPD (YMM, YMM, YMM)\",3,1,5,");
    assert_string_equal(s.document.selected[0], "skylake-measured");
    assert_non_null(
        strstr(session_machine(&s, "skylake-measured", &err)->title, "corrected by measurement"));
    size_t before = lines_of("latencies.csv");
    /* A second check agrees, except for differences that no single fact explains. */
    run(&s, "machine check --machine skylake-measured --simulate haswell 'ADD (R64, R64)' 'VADDPD "
            "(XMM, XMM, XMM)' 'VMULPD (YMM, YMM, YMM)'");
    for (size_t i = 0; i < s.document.check->count; i++)
        assert_false(check_disagrees(&s.document.check->rows[i]));
    /* A check against another simulated CPU replaces rows and adds none. */
    run(&s, "machine check --machine skylake-measured --simulate skylake 'VMULPD (YMM, YMM, YMM)'");
    /* This is another CPU than the one that was checked. */
    assert_false(run_line(&s, "machine correct --simulate haswell VMUL*", NULL, &err));
    assert_non_null(strstr(err.what, "simulated skylake was checked"));
    /* Key o in the view runs the command in this form, because the checked values are simulated as
     * well. */
    run(&s, "machine correct VMUL*");
    assert_int_equal(lines_of("latencies.csv"), before);
    holds("latencies.csv", "\"VMULPD (YMM, YMM, YMM)\",3,1,4,measured on simulated skylake");
    holds("machine.csv", "base,skylake,,\n");
    session_done(&s);
}

static void test_golden(void **state)
{
    run_to_end("view check");
    assert_true(screen_holds("Forms measured on this CPU, compared with"));
    add_check();
    compare_sizes("check");
    press("\n");
    assert_true(screen_holds("here   4.00 cycles, measured within 0.2 %"));
    assert_true(screen_holds("table  3.00 cycles: 1*p1, latency 3"));
    job_wait(0);   /* This encodes the code. */
    assert_true(screen_holds("imul"));
    compare_sizes("check-detail");
    press("q");
    assert_true(screen_lacks("table  3.00"));
}

/* The workbench shows the check at the disagreements, and reports that an agreeing form needs no
 * correction. */
static void test_shows_its_view(void **state)
{
    run_to_end("view kernel");
    run_to_end("machine check --machine skylake --simulate haswell 'VPSHUFB (XMM, XMM, XMM)' "
               "'VADDPD (XMM, XMM, XMM)'");
    assert_true(screen_holds("skylake compared with simulated haswell"));
    assert_true(screen_holds("VADDPD (XMM, XMM, XMM)"));
    frame_run(&frame, "machine correct 'VPSHUFB (XMM, XMM, XMM)' --simulate haswell");
    assert_true(
        screen_holds("VPSHUFB (XMM, XMM, XMM) agrees with the tables of skylake: nothing to save"));
    frame_run(&frame, "machine correct 'IMUL (R64, R64)' --simulate haswell");
    assert_true(screen_holds("IMUL (R64, R64) has not been checked against skylake"));
}

static void test_other_set(void **state)
{
    struct err err = {0};

    assert_false(run_line(&session,
                          "machine check --machine skylake --simulate cortex-a72 'FADD (D, D, D)'",
                          NULL, &err));
    assert_string_equal(err.what, "skylake is a machine for x86-64, but cortex-a72 is a machine "
                                  "for aarch64");
    run(&session, "machine check --machine neoverse-n1 --simulate cortex-a72 'FADD (D, D, D)'");
    const struct check *c = session.document.check;
    assert_int_equal(c->isa, ISA_AARCH64);
    const struct check_row *row = row_of(c, "FADD (D, D, D)", "latency op2 -> op1");
    assert_true(row->measured == 4 && row->predicted == 2);
    run_to_end("view check");
    press("\n");
    assert_true(screen_holds("FADD (D, D, D)"));
    job_wait(0);   /* This assembles the code. */
    assert_true(screen_holds("fadd d"));
    run(&session, "machine correct *");
    run(&session,
        "machine check --machine neoverse-n1-measured --simulate cortex-a72 'FADD (D, D, D)'");
    assert_false(
        check_disagrees(row_of(session.document.check, "FADD (D, D, D)", "latency op2 -> op1")));
}

/* Loads the forms that programs of each instruction set use, most frequent first. Those of AArch64
 * are all in the list of forms. Programs of x86-64 have some that only old AMD processors
 * execute. */
static void test_uses(void **state)
{
    struct err err = {0};
    size_t count;

    for (int isa = 0; isa < ISA_COUNT; isa++) {
        struct forms *forms = forms_load((enum isa)isa, NULL, &err);
        struct form_uses *uses = form_uses_load((enum isa)isa, &count, &err);
        double all = 0, known = 0;
        assert_non_null(forms);
        assert_non_null(uses);
        assert_true(count > 1000);
        for (size_t i = 0; i < count; i++) {
            bool listed = forms_find(forms, uses[i].form) != NULL;
            if (isa == ISA_AARCH64 && !listed)
                fail_msg("%s is not among the forms of %s", uses[i].form, isa_name((enum isa)isa));
            assert_true(uses[i].uses > 0 && (!i || uses[i].uses <= uses[i - 1].uses));
            all += uses[i].uses;
            known += listed ? uses[i].uses : 0;
        }
        assert_true(known > 0.998 * all);
        form_uses_free(uses, count);
        forms_free(forms);
    }
}

/* A file without forms is an error with a message. */
static void test_no_uses(void **state)
{
    struct err err = {0};
    char *data = mem_strdup(getenv("PORTOLAN_DATA"));
    size_t count;

    mkdir(work_path("frequency"), 0700);
    work_put("frequency/x86-64.csv", "form,count\n");
    setenv("PORTOLAN_DATA", work_path(""), 1);
    assert_null(form_uses_load(ISA_X86_64, &count, &err));
    setenv("PORTOLAN_DATA", data, 1);
    assert_int_equal(err.code, ERR_DATA);
    assert_non_null(strstr(err.what, "has no forms"));
    free(data);
}

/* Instructions that the tables of AArch64 machines lack belong to other versions of the
 * architecture, or are atomics: fewer than 25 per million executed. */
static void test_machines_know_what_programs_use(void **state)
{
    static const char *const machines[] = {"cortex-a72",  "neoverse-n1", "neoverse-n2",
                                           "neoverse-v1", "neoverse-v2", "a64fx",
                                           "ampere1"};
    struct err err = {0};
    size_t count;
    struct form_uses *uses = form_uses_load(ISA_AARCH64, &count, &err);

    assert_non_null(uses);
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
        struct machine *m = load_machine(machines[k]);
        double all = 0, known = 0;
        for (size_t i = 0; i < count; i++) {
            all += uses[i].uses;
            known += mapping_find(m->mapping, uses[i].form) ? uses[i].uses : 0;
        }
        if (all - known > 25e-6 * all)
            fail_msg("%s lacks %.0f of a million", m->id, 1e6 * (all - known) / all);
        machine_free(m);
    }
    form_uses_free(uses, count);
}

/* Without patterns, checks the most frequent forms in programs of the machines' instruction set. On
 * AArch64 loads and moves are also first. */
static void test_most_used(void **state)
{
    struct session s;

    session_init(&s);
    run(&s, "machine check --machine neoverse-n1 --simulate cortex-a72 --top 20");
    const struct check *c = s.document.check;
    const struct check_row *row = row_of(c, "LDR (X, [X, I])", "throughput");
    assert_true(fabs(row->measured - 1) < 0.01 && row->predicted == 0.5 && row->uses > 1e6);
    assert_true(c->count > 20);   /* includes latencies */
    run(&s, "machine check --machine skylake --simulate haswell --top 5");
    assert_true(row_of(s.document.check, "MOV (R64, M64)", "throughput")->uses > 1e6);
    session_done(&s);
}

/* A name with a quote remains one word of the command that key o runs. */
static void test_quoted_name(void **state)
{
    struct err err = {0};

    struct check *c = session.document.check =
        check_new(session_machine(&session, "skylake", &err), "a CPU of the test's", NULL);
    add_check_row(c, "MY'OWN (R64, R64)", false, 3, 2, 100);
    check_sort(c);
    run_to_end("view check");
    press("o");
    assert_true(strstr(str_text(&frame.message), "quote") == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disagreements),
        cmocka_unit_test(test_chains_come_from_the_uop_cache),
        cmocka_unit_test(test_corrections),
        cmocka_unit_test_setup_teardown(test_golden, setup, teardown),
        cmocka_unit_test_setup_teardown(test_shows_its_view, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_set, setup, teardown),
        cmocka_unit_test_setup_teardown(test_quoted_name, setup, teardown),
        cmocka_unit_test(test_uses),
        cmocka_unit_test(test_no_uses),
        cmocka_unit_test(test_machines_know_what_programs_use),
        cmocka_unit_test(test_most_used),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, make_home, NULL);
}
