/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Saved machines load unchanged, and saving overwrites only the files of a machine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/machine_save.h"
#include "../support/failing_calls.h"
#include "../support/support.h"

static struct err err;

static void assert_same_number(double a, double b)
{
    assert_true(a == b || (isnan(a) && isnan(b)));
}

static bool same_ports(portset a, const struct ports *names, portset b, const struct ports *others)
{
    portset moved = 0;
    for (unsigned i = 0; i < names->count; i++) {
        int other = a >> i & 1 ? ports_find(others, names->names[i], strlen(names->names[i])) : 0;
        moved |= a >> i & 1 && other >= 0 ? (portset)1 << other : 0;
    }
    return moved == b && portset_size(a) == portset_size(b);
}

/* Compares usages by names of ports, because a mapping.csv without other files orders its ports by
 * name. */
static bool same_usage(const struct usage *a, const struct ports *names, const struct usage *b,
                       const struct ports *others)
{
    unsigned matched = 0;
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned k = 0; k < b->count; k++)
            matched += a->uops[i].count == b->uops[k].count &&
                       same_ports(a->uops[i].ports, names, b->uops[k].ports, others);
    return a->count == b->count && matched == a->count;
}

static void each_machine(void (*check)(const struct machine *m))
{
    char **ids = machine_ids();
    size_t count = 0;
    for (char **id = ids; *id; id++, count++) {
        struct machine *m = load_machine(*id);
        check(m);
        machine_free(m);
        free(*id);
    }
    free(ids);
    assert_true(count >= 19);
}

static void check_directory(const struct machine *m)
{
    if (!machine_save(m, work_path("saved"), &err))
        fail_msg("%s: %s", m->id, err.what);
    struct machine *back = load_machine(work_path("saved"));
    assert_same_machine(m, back);
    machine_free(back);
}

/* Saves every shipped machine in turn to the same directory. */
static void test_directories(void **state)
{
    each_machine(check_directory);
}

static void check_csv(const struct machine *m)
{
    struct str text = {0};
    machine_mapping_csv(m, &text);
    work_put("alone.csv", str_text(&text));
    str_done(&text);
    struct machine *back = machine_load_csv("alone", work_path("alone.csv"), &err);
    assert_non_null(back);
    const struct ports *names = mapping_ports(m->mapping), *others = mapping_ports(back->mapping);
    assert_int_equal(names->count, others->count);
    assert_true(same_ports(names->pipes, names, others->pipes, others));
    assert_int_equal(mapping_count(m->mapping), mapping_count(back->mapping));
    for (size_t i = 0; i < mapping_count(m->mapping); i++) {
        const struct mapping_entry *x = mapping_at(m->mapping, i),
                                   *y = mapping_find(back->mapping, x->form);
        if (!y || !same_usage(&x->usage, names, &y->usage, others) || x->micro_ops != y->micro_ops)
            fail_msg("%s: %s", m->id, x->form);
        assert_same_number(x->latency, y->latency);
    }
    machine_free(back);
}

static void test_csv(void **state)
{
    each_machine(check_csv);
}

/* A saved machine includes the manual corrections of its directory. If the machine is saved there
 * again, the corrections must not be applied twice. */
static void test_corrections_once(void **state)
{
    mkdir(work_path("own"), 0777);
    work_put("own/machine.csv", "key,value,unit,source\nports,\"0,1\",,\npipes,,,\ntitle,Own,,"
                                "\nisa,x86-64,,\nissue_width,4,µops/cycle,\n");
    work_put("own/mapping.csv", "form,usage,latency,micro_ops,source\nFDIV,2*p0,,,\n");
    work_put("own/overrides.csv", "form,usage,latency,micro_ops,source\nFDIV,+2*p0,,,by hand\n");
    work_put("own/facts.csv", "key,value,unit,source\nissue_width,6,µops/cycle,by hand\n");
    work_put("own/latencies.csv", "form,from,to,cycles,source\nFDIV,1,2,3,by hand\n");
    struct machine *m = load_machine(work_path("own"));
    assert_int_equal(mapping_find(m->mapping, "FDIV")->usage.uops[0].count, 4);
    for (int k = 0; k < 2; k++) {
        assert_true(machine_save(m, work_path("own"), &err));
        struct machine *back = load_machine(work_path("own"));
        assert_int_equal(mapping_find(back->mapping, "FDIV")->usage.uops[0].count, 4);
        assert_same_machine(m, back);
        machine_free(back);
    }
    machine_free(m);
    /* This machine has no latencies.csv, so the old one must be removed. */
    m = load_machine("golden-cove-inferred");
    assert_true(m->latency_count == 0);
    assert_true(machine_save(m, work_path("own"), &err));
    struct machine *back = load_machine(work_path("own"));
    assert_same_machine(m, back);
    machine_free(m);
    machine_free(back);
}

/* A machine with a base has only differences. The saved machine is complete, and its own values
 * still take precedence. */
static void test_with_a_base(void **state)
{
    mkdir(work_path("relative"), 0777);
    work_put("relative/machine.csv",
             "key,value,unit,source\nbase,skylake,,\nissue_width,3,µops/cycle,by hand\n");
    work_put("relative/overrides.csv",
             "form,usage,latency,micro_ops,source\n\"ADD (R64, R64)\",7*p0,,,by hand\n");
    work_put("relative/latencies.csv",
             "form,from,to,cycles,source\n\"ADD (R64, R64)\",1,2,3,by hand\n");
    struct machine *m = load_machine(work_path("relative"));
    assert_int_equal(mapping_find(m->mapping, "ADD (R64, R64)")->usage.uops[0].count, 7);
    for (int k = 0; k < 2; k++) {
        assert_true(machine_save(m, work_path("relative"), &err));
        struct machine *back = load_machine(work_path("relative"));
        assert_int_equal(mapping_find(back->mapping, "ADD (R64, R64)")->usage.uops[0].count, 7);
        /* Compilers may not support another name. */
        assert_string_equal(machine_fact(back, "base"), "skylake");
        assert_same_machine(m, back);
        machine_free(back);
    }
    machine_free(m);
}

/* A row of latencies.csv with braces expands to each choice, like a row of overrides.csv. An
 * unreadable row is reported with its position. */
static void test_latency_choices(void **state)
{
    mkdir(work_path("choices"), 0777);
    work_put("choices/machine.csv", "key,value,unit,source\nports,0,,\npipes,,,\nisa,x86-64,,\n");
    work_put("choices/mapping.csv", "form,usage,latency,micro_ops,source\nFDIV,2*p0,,,\n");
    work_put("choices/latencies.csv", "form,from,to,cycles,source\n\"{SHL,SHR} (R{32,64}, "
                                      "CL)\",2,flags,2,by hand\nFDIV,1,1,9,by hand\n");
    static const char *const forms[] = {"SHL (R32, CL)", "SHL (R64, CL)", "SHR (R32, CL)",
                                        "SHR (R64, CL)", "FDIV"};
    struct machine *m = load_machine(work_path("choices"));
    assert_int_equal(m->latency_count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(m->latencies[i].form, forms[i]);
    assert_true(m->latencies[3].from == 1 && m->latencies[3].to == LATENCY_FLAGS &&
                m->latencies[3].cycles == 2);
    machine_free(m);
    work_put(
        "choices/latencies.csv",
        "form,from,to,cycles,source\nFDIV,1,1,9,by hand\n\"{SHL,SHR (R64, CL)\",1,1,1,by hand\n");
    assert_null(machine_load(work_path("choices/"), &err));
    assert_int_equal(err.line, 3);
    assert_non_null(strstr(err.what, "unclosed"));
    work_put("choices/latencies.csv",
             "form,from,to,cycles,source\nFDIV,base,index,2,by hand\nFDIV,alone,alone,9,by hand\n");
    m = load_machine(work_path("choices"));
    struct str text = {0};
    machine_latencies_csv(m, &text);
    assert_string_equal(
        str_text(&text),
        "form,from,to,cycles,source\nFDIV,base,index,2,by hand\nFDIV,alone,alone,9,by hand\n");
    str_done(&text);
    machine_free(m);
    work_put("choices/latencies.csv", "form,from,to,cycles,source\nFDIV,1,alone,1,by hand\n");
    assert_null(machine_load(work_path("choices/"), &err));
    assert_true(err.line == 2 && err.column == 2);
    assert_non_null(strstr(err.todo, "the same value in the columns from and to"));
}

static void assert_refused(const struct machine *m, const char *directory, const char *file)
{
    assert_false(machine_save(m, work_path(directory), &err));
    if (!strstr(err.what, file))
        fail_msg("\"%s\" does not name %s", err.what, file);
    char path[96];
    snprintf(path, sizeof path, "%s/%s", directory, file);
    assert_int_equal(access(work_path(path), F_OK), 0);
}

static void test_foreign(void **state)
{
    struct machine *m = load_machine("skylake");
    mkdir(work_path("thesis"), 0777);
    work_put("thesis/thesis.txt", "years\n");
    assert_refused(m, "thesis", "thesis.txt");
    work_put("thesis/machine.csv", "key,value\n");
    assert_refused(m, "thesis", "thesis.txt");
    mkdir(work_path("table"), 0777);
    /* This is a file with a known name and other contents. */
    work_put("table/mapping.csv", "no machine's\n");
    assert_false(machine_save(m, work_path("table"), &err));
    assert_non_null(strstr(err.what, "machine.csv"));
    work_put("file", "a file\n");
    assert_false(machine_save(m, work_path("file"), &err));
    assert_false(machine_save(m, work_path("missing/deep"), &err));
    machine_free(m);
}

/* A link remains a link, and its target is replaced. A slash after the name is ignored. */
static void test_links(void **state)
{
    struct machine *m = load_machine("skylake");
    struct stat info;
    assert_true(machine_save(m, work_path("real/"), &err));
    assert_int_equal(symlink(work_path("real"), work_path("link")), 0);
    assert_true(machine_save(m, work_path("link"), &err));
    assert_int_equal(lstat(work_path("link"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    struct machine *back = load_machine(work_path("link"));
    assert_same_machine(m, back);
    machine_free(m);
    machine_free(back);
}

/* Title and instruction set are no facts. */
static void test_no_facts(void **state)
{
    struct ports ports = {0};
    ports_add(&ports, "A0", NULL);
    struct machine *m = machine_new("made", &ports);
    free(m->title);
    free(m->isa);
    m->title = strdup("Made, by hand");
    m->isa = strdup("aarch64");
    struct mapping_entry entry = {.form = (char[]){"ADD (X, X, X)"},
                                  .latency = 0.1,
                                  .source = (char[]){"a \"source\", with\nlines"}};
    usage_add(&entry.usage, 1, 1);
    mapping_set(m->mapping, &entry);
    usage_done(&entry.usage);
    assert_true(machine_save(m, work_path("made"), &err));
    struct machine *back = load_machine(work_path("made"));
    assert_string_equal(back->title, m->title);
    assert_string_equal(back->isa, m->isa);
    assert_true(mapping_find(back->mapping, "ADD (X, X, X)")->latency == 0.1);
    assert_string_equal(mapping_find(back->mapping, "ADD (X, X, X)")->source,
                        "a \"source\", with\nlines");
    machine_free(m);
    machine_free(back);
}

/* After any failing call, and any end of the process, the directory has the old machine or the
 * saved one. */
static void test_failing_calls(void **state)
{
    struct machine *before = load_machine("skylake"), *after = load_machine("golden-cove-inferred");
    bool met = true;

    for (unsigned position = 0; met; position++)
        for (int how = FAIL_ERROR; how <= FAIL_DEATH; how++) {
            int status = 0;
            assert_true(machine_save(before, work_path("failing"), &err));
            fflush(NULL);
            pid_t child = fork();
            if (child == 0) {
                failing_calls_set(position, (enum failing)how);
                bool ok = machine_save(after, work_path("failing"), &err);
                _exit(!failing_calls_end() ? 2 : ok ? 0 : 1);
            }
            assert_int_equal(waitpid(child, &status, 0), child);
            met = !(WIFEXITED(status) && WEXITSTATUS(status) == 2);
            struct machine *back = load_machine(work_path("failing"));
            bool new = strcmp(back->title, after->title) == 0;
            assert_same_machine(new ? after : before, back);
            machine_free(back);
        }
    machine_free(before);
    machine_free(after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_directories),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_corrections_once),
        cmocka_unit_test(test_with_a_base),
        cmocka_unit_test(test_latency_choices),
        cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_no_facts),
        cmocka_unit_test(test_failing_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
