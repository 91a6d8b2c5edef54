/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Import from an llvm-mca that crashes, reports errors or prints unreadable output. A script
 * replaces it and counts its runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "io/import.h"
#include "../support/support.h"

static const struct forms *forms;

/* Imports @cpu from a program whose shell code is @body. $table is the file to write, $input the
 * assembler text. The file runs receives its arguments, one line per run. */
static struct machine *import_cpu_by(const char *cpu, const char *body, struct err *err)
{
    struct str script = {0};
    const char *work = work_path("");

    str_addf(&script,
             "#!/bin/sh\necho \"$*\" >>%s/runs\nwhile [ $# -gt 0 ]; do [ \"$1\" = -o ] && "
             "table=$2; shift; done\ncat >%s/input\ninput=%s/input\n%s\n",
             work, work, work, body);
    work_remove("runs");
    work_put("llvm-mca", str_text(&script));
    assert_int_equal(chmod(work_path("llvm-mca"), 0755), 0);
    setenv("PORTOLAN_LLVM_MCA", work_path("llvm-mca"), 1);
    struct machine *m = import_llvm(cpu, forms, err);
    unsetenv("PORTOLAN_LLVM_MCA");
    str_done(&script);
    return m;
}

static struct machine *import_by(const char *body, struct err *err)
{
    return import_cpu_by("some", body, err);
}

static size_t runs(void)
{
    struct str text = {0};
    size_t lines = 0;
    assert_true(file_read(work_path("runs"), 1 << 20, &text, NULL));
    for (size_t i = 0; i < text.length; i++)
        lines += text.data[i] == '\n';
    str_done(&text);
    return lines;
}

static void assert_fault(const char *body, const char *what, const char *todo, size_t most)
{
    struct err err = {0};
    assert_null(import_by(body, &err));
    if (!strstr(err.what, what) || !strstr(err.todo, todo))
        fail_msg("\"%s; %s\" and not \"%s; %s\"", err.what, err.todo, what, todo);
    if (runs() > most)
        fail_msg("%zu runs for: %s", runs(), what);
}

/* There is one message with the reason, after one run. */
static void test_messages(void **state)
{
    assert_fault("echo \"error: unable to find instruction-level scheduling information for target "
                 "triple 'x86_64' and cpu 'some'.\"; exit 1",
                 "LLVM has no scheduling model for some", "select", 1);
    assert_fault("echo \"'some' is not a recognized processor for this target (ignoring "
                 "processor)\"; exit 1",
                 "LLVM does not recognise the CPU some", "-mcpu=help", 1);
    assert_fault("echo 'warning: old'; echo 'error: no such option'; exit 1",
                 "failed: no such option", "", 1);
    assert_fault("exit 1", "without a message", "llvm-mca 22", 1);
}

/* An unreadable table is not bisected. */
static void test_unreadable(void **state)
{
    assert_fault("echo nothing >$table", "no instruction table", "llvm-mca 22", 2);
    assert_fault("{ echo Resources:; for i in $(seq 40); do echo \"[$i]   - CyUnitX$i:1\"; done; "
                 "echo Instruction Info:; echo Instructions:; } >$table",
                 "has 40 units", "another CPU", 2);
    assert_fault("{ echo Resources:; echo '[0]   - TPort0:1'; echo Instruction Info:; echo "
                 "Instructions:; } >$table",
                 "table ends after 0 of", "llvm-mca 22", 2);
}

/* This is a division on one of two units, with ten cycles. */
static const char *const table =
    "{ echo Resources:; echo '[0]   - CyUnitFloatDiv:2'; echo '[1]   - CyUnitVeryLongName1:2'; "
    "echo '[2]   - CyUnitVeryLongName2:2'; echo 'Instruction Info:'; echo 'Instructions:'\n"
    "while read -r line; do case $line in cld) echo ' 1 1 1.00 1 CyUnitVeryLongName1 CLD cld' ;; "
    "*) echo ' 1 10 5.00 1 CyUnitFloatDiv[10],CyUnitVeryLongName2 OTHER other' ;; esac; done "
    "<$input; } >$table";

/* Two units of one name, and names that are equal when truncated, become separate ports. */
static void test_names(void **state)
{
    struct err err = {0};
    struct machine *m = import_by(table, &err);
    struct str text = {0};
    if (!m)
        fail_msg("%s; %s", err.what, err.todo);
    const struct ports *ports = mapping_ports(m->mapping);
    assert_int_equal(ports->count, 6);
    assert_int_equal(ports->pipes, 0);
    assert_string_equal(m->title, "some (LLVM uses the model of Apple's Cyclone of 2013)");
    assert_true(ports_find(ports, "FloatDV0", 8) >= 0 && ports_find(ports, "FloatDV1", 8) >= 0);
    usage_print(&mapping_find(m->mapping, "ADD (R64, R64)")->usage, ports, &text);
    assert_non_null(strstr(str_text(&text), "10*p[FloatDV0,FloatDV1]"));
    str_done(&text);
    machine_free(m);
}

/* Options that enable features of a core which LLVM disables by default follow the core's name. The
 * machine's name lacks the options. An unknown option is rejected, because LLVM would ignore it. */
static void test_features(void **state)
{
    struct err err = {0};
    struct str ran = {0};
    struct machine *m = import_cpu_by("some+aes+sha2", table, &err);
    if (!m)
        fail_msg("%s; %s", err.what, err.todo);
    assert_string_equal(m->id, "some");
    machine_free(m);
    assert_true(file_read(work_path("runs"), 1 << 20, &ran, NULL));
    assert_non_null(strstr(str_text(&ran), "-mcpu=some "));
    assert_non_null(strstr(str_text(&ran), "-mattr=+aes,+sha2,"));
    str_done(&ran);
    assert_null(import_cpu_by("some+no",
                              "echo \"'+no' is not a recognized feature for this target (ignoring "
                              "feature)\"; echo >$table",
                              &err));
    assert_string_equal(err.what, "LLVM does not recognise all features of some+no");
    assert_int_equal(runs(), 1);
}

/* llvm-mca crashes on one form. Bisection finds the form, which is skipped. */
static void test_deaths(void **state)
{
    struct err err = {0};
    struct str body = {0};
    str_addf(
        &body,
        "grep -qi '^vfmadd132pd *ymm[0-9]*, *ymm[0-9]*, *ymm[0-9]' $input && kill -SEGV $$\n%s",
        table);
    struct machine *m = import_by(str_text(&body), &err);
    if (!m)
        fail_msg("%s; %s", err.what, err.todo);
    assert_null(mapping_find(m->mapping, "VFMADD132PD (YMM, YMM, YMM)"));
    assert_non_null(mapping_find(m->mapping, "VFMADD132PD (YMM, YMM, M256)"));
    machine_free(m);
    str_done(&body);
    /* A form that is rejected within its group is also skipped if other forms were read. */
    str_clear(&body);
    str_addf(&body,
             "grep -qi '^xor *r[a-z0-9]*, *r[a-z0-9]*$' $input && { echo 'error: unpredictable'; "
             "exit 1; }\n%s",
             table);
    m = import_by(str_text(&body), &err);
    if (!m)
        fail_msg("%s; %s", err.what, err.todo);
    assert_null(mapping_find(m->mapping, "XOR (R64, R64)"));
    assert_non_null(mapping_find(m->mapping, "XOR (R64, M64)"));
    machine_free(m);
    str_done(&body);
    /* A signal ends the program at every form, so the import fails. */
    assert_fault("[ $(wc -l <$input) = 1 ] && { echo >$table; exit 0; }\nkill -SEGV $$",
                 "was killed by signal 11", "", 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_features),
        cmocka_unit_test(test_deaths),
    };
    forms = shipped_forms_of(ISA_X86_64);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
