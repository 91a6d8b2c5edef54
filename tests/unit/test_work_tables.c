/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work grows linearly with the input, for tables that test_work does not read. Steps are counted,
 * and no clock is read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/steps.h"
#include "cmd/command.h"
#include "io/cpus.h"
#include "io/machine_file.h"
#include "isa/forms.h"
#include "measure/baseline.h"
#include "program/native_kept.h"
#include "toolchain/plain.h"
#include "work/job.h"
#include "../support/support.h"

/* Writes a file of @count rows @row, which contain the row's number, below @head. */
static void put_rows(const char *name, const char *head, const char *row, size_t count)
{
    struct str text = {0};

    str_add(&text, head);
    for (size_t i = 0; i < count; i++)
        str_addf(&text, row, i);
    work_put(name, str_text(&text));
    str_done(&text);
}

static void cpus_rows(size_t count)
{
    struct err err = {0};
    struct cpu_product found;

    put_rows("cpus.csv",
             "name,product,core,machine,vendor,family,models,steppings,kind,needs,lacks,aliases\n",
             "n%zu,p,c,m,V,6,1;2-3;0xd0c,,,,,X;Y\n", count);
    struct cpus *cpus = cpus_load(&err);
    if (!cpus)
        fail_msg("%s", err.what);
    assert_int_equal(cpus_count(cpus), count);
    assert_false(cpus_named(cpus, "nobody", &found));
    cpus_free(cpus);
}

/* This reads measurements of memory on many CPUs. */
static void native_rows(size_t count)
{
    struct ports none = {0};
    struct machine *m = machine_new("some", &none);
    char day[KEPT_DAY];

    put_rows("portolan/memory.csv", "cpu,signature,microcode,date,fact,value,unit\n",
             "cpu %zu,00000000,0,2026-11-22,l1_latency,5,cycles\n", count);
    assert_false(native_recall(m, day));
    machine_free(m);
}

static void baseline_rows(size_t count)
{
    struct baseline b;
    put_rows("portolan/baseline.csv",
             "cpu,signature,microcode,nops_per_cycle,ports_per_cycle,load_window,doubtful,date,"
             "room_per_cycle\n",
             "cpu %zu,0,0,4,4,64,no,2026-11-22,1\n", count);
    baseline_recall(&b);
    assert_true(b.nops == 0);
}

static void load_all_files(void)
{
    struct err err = {0};
    struct machine *m = machine_load(work_path("machine"), &err);

    if (!m)
        fail_msg("%s:%zu: %s", err.file, err.line, err.what);
    machine_free(m);
}

static void latency_rows(size_t count)
{
    work_put("machine/overrides.csv", "form,usage\n");
    put_rows("machine/latencies.csv", "form,from,to,cycles,source\n", "\"F%zu{A,B}*\",1,1,3,\n",
             count);
    load_all_files();
}

/* Loads patterns with new forms between them, which change the search order of the patterns each
 * time. */
static void override_rows(size_t count)
{
    struct str text = {0};

    work_put("machine/latencies.csv", "form,from,to,cycles,source\n");
    str_add(&text, "form,usage\n");
    for (size_t i = 0; i < count; i++)
        str_addf(&text, "N%zu,1*p1\nN%zu*,1*p0\n", i * 7919 % 100003, i * 7919 % 100003);
    work_put("machine/overrides.csv", str_text(&text));
    str_done(&text);
    load_all_files();
}

static void forms_rows(size_t count)
{
    struct err err = {0};

    put_rows("forms.csv", "form,template,extension\n", "\"F%zu (R64)\",nop,X\n", count);
    struct forms *f = forms_load(ISA_X86_64, work_path("forms.csv"), &err);
    assert_non_null(f);
    assert_int_equal(forms_count(f), count);
    forms_free(f);
}

/* Adds rows of the user, in descending order of names, to an equal number of existing rows. */
static void forms_more(size_t count)
{
    struct err err = {0};
    struct form_row *rows = mem_alloc(count * sizeof *rows);
    char (*names)[32] = mem_alloc(count * sizeof *names);

    put_rows("forms.csv", "form,template,extension\n", "\"F%zu (R64)\",nop,X\n", count);
    struct forms *f = forms_load(ISA_X86_64, work_path("forms.csv"), &err);
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "A%08zu", count - i);
        rows[i] = (struct form_row){names[i], (char *)"nop", (char *)"", ISA_X86_64, true};
    }
    struct forms *made = forms_with(f, rows, count, &err);
    assert_non_null(made);
    assert_int_equal(forms_count(made), 2 * count);
    forms_free(f);
    forms_free(made);
    free(rows);
    free(names);
}

static void blocks_rows(size_t count)
{
    struct session s;
    struct err err = {0};
    struct str line = {0};

    put_rows("blocks.csv", "hex,cycles\n", "4801d84829c3,%zu\n", count);
    session_init(&s);
    str_addf(&line, "kernel evaluate %s --machine skylake --threads 1", work_path("blocks.csv"));
    if (!run_line(&s, str_text(&line), NULL, &err))
        fail_msg("%s", err.what);
    struct job_info info;   /* This concerns the job that does the work. */
    assert_true(job_count() && job_get(job_count() - 1, &info));
    steps_add(info.steps);
    session_done(&s);
    str_done(&line);
}

static void script_lines(size_t count)
{
    struct session s;
    struct err err = {0};
    struct str line = {0};

    put_rows("script.pf", "", "set seed %zu\n", count);
    session_init(&s);
    str_addf(&line, "source %s", work_path("script.pf"));
    if (!run_line(&s, str_text(&line), NULL, &err))
        fail_msg("%s", err.what);
    session_done(&s);
    str_done(&line);
}

static void make_plain(const struct str *text)
{
    struct str out = {0};
    uint64_t before = steps_taken;

    assert_true(plain_text(text->data, text->length, &out));
    assert_true(steps_taken - before >= out.length / 16);   /* Writing the text counts steps. */
    str_done(&out);
}

/* This reads a response of Compiler Explorer, and deeply nested lists in it. */
static void explorer_lines(size_t count)
{
    struct str text = {0};

    str_add(&text, "{\"code\":0,\"x\":[[[[[[]]]]]],\"asm\":[");
    for (size_t i = 0; i < count; i++)
        str_addf(&text, "%s{\"text\":\"add rax, rbx \u00a0\",\"address\":%zu}", i ? "," : "", i);
    str_add(&text, "]}");
    make_plain(&text);
    str_done(&text);
}

static void terminal_lines(size_t count)
{
    struct str text = {0};
    for (size_t i = 0; i < count; i++)
        str_add(&text, "\033[1mnop\033]8;;http://x\a\u00a0&amp;\033]never closed\r\n");
    make_plain(&text);
    str_done(&text);
}

static void test_tables(void **state)
{
    char *data = getenv("PORTOLAN_DATA") ? mem_strdup(getenv("PORTOLAN_DATA")) : NULL;

    assert_int_equal(mkdir(work_path("portolan"), 0777), 0);
    assert_int_equal(mkdir(work_path("machine"), 0777), 0);
    setenv("XDG_STATE_HOME", work_path(""), 1);
    assert_grows(native_rows, 3000);
    assert_grows(baseline_rows, 3000);
    work_put("machine/machine.csv",
             "key,value,unit,source\nname,Some,,\nisa,x86-64,,\nports,0 1,,\n");
    put_rows("machine/mapping.csv", "form,usage\n", "F%zu,1*p0\n", 1000);
    assert_grows(latency_rows, 2000);
    assert_grows(override_rows, 1000);
    assert_grows(forms_rows, 3000);
    assert_grows(forms_more, 3000);
    assert_grows(blocks_rows, 1000);
    assert_grows(script_lines, 2000);
    assert_grows(explorer_lines, 2000);
    assert_grows(terminal_lines, 2000);
    setenv("PORTOLAN_DATA", work_path(""), 1);
    assert_grows(cpus_rows, 2000);
    if (data)
        setenv("PORTOLAN_DATA", data, 1);
    else
        unsetenv("PORTOLAN_DATA");
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables)};
    return cmocka_run_group_tests_name("work_tables", tests, NULL, NULL);
}
