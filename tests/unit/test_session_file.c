/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions in directories, user forms, and exported results. */
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd/command.h"
#include "cmd/saved_state.h"
#include "cmd/session_file.h"
#include "base/csv.h"
#include "base/mem.h"
#include "../support/failing_calls.h"
#include "work/job.h"
#include "../support/support.h"

/* Runs @format, with the path of @name for its %s. Writes its output to @out (may be NULL). */
__attribute__((format(printf, 4, 0))) static bool
run(struct session *s, struct str *out, struct err *err, const char *format, const char *name)
{
    char line[4600];

    snprintf(line, sizeof line, format, name ? work_path(name) : "");
    return run_line(s, line, out, err);
}

#define RUN(s, out, ...)                                                                           \
    do {                                                                                           \
        struct err run_err = {0};                                                                  \
        if (!run(s, out, &run_err, __VA_ARGS__))                                                   \
            fail_msg("%s", run_err.what);                                                          \
    } while (0)

static void usage_of(struct session *s, const char *machine, const char *form, struct str *out)
{
    struct machine *m = session_machine(s, machine, NULL);
    str_clear(out);
    assert_non_null(m);
    const struct mapping_entry *entry = mapping_find(m->mapping, form);
    if (entry)
        usage_print(&entry->usage, mapping_ports(m->mapping), out);
}

static void test_round_trip(void **state)
{
    struct session s, t;
    struct str before = {0}, after = {0};

    session_init(&s);
    session_init(&t);
    work_put(
        "k.s",
        "# LLVM-MCA-BEGIN two\n imulq %rax, %rbx\n# LLVM-MCA-END\n1: addq %rax, %rbx\n jne 1b\n");
    work_put("forms.csv",
             "form,template,extension\n\"ADD (R64, R64)\",\"add {RW:R64}, {R:R64}\",MINE\n");
    RUN(&s, NULL, "kernel load %s; kernel use 2", "k.s");
    RUN(&s, NULL,
        "set machine znver4,skylake; mapping use skylake; mapping set 'ADD (R64, R64)' 1*p01%s",
        NULL);
    RUN(&s, NULL,
        "mapping new 4 four; mapping set 'ADD (R64, R64)' 2*p03; mapping use skylake; forms add %s",
        "forms.csv");
    work_put("e.csv", "experiment,cycles\n\"2*ADD (R64, R64) + X\",1.25\nY,\n");
    RUN(&s, NULL, "experiments load %s", "e.csv");
    RUN(&s, NULL,
        "mapping use cortex-a72; mapping use skylake; forms select 'ADD (*' 'VADD*'; set format "
        "csv; set ascii on; session save %s",
        "one");
    RUN(&t, NULL, "session load %s", "one");
    assert_int_equal(t.settings.format, FORMAT_CSV);
    assert_true(t.settings.ascii);
    assert_int_equal(t.document.selected_count, 3);
    assert_string_equal(t.document.selected[0], "skylake");
    usage_of(&t, "skylake", "ADD (R64, R64)", &after);
    assert_string_equal(str_text(&after), "1*p01");
    usage_of(&t, "skylake", "IMUL (R64, R64)", &after);
    assert_string_equal(str_text(&after), "1*p1");
    usage_of(&t, "four", "ADD (R64, R64)", &after);
    assert_string_equal(str_text(&after), "2*p03");
    assert_string_equal(
        forms_find(session_forms(&t, ISA_X86_64, NULL), "ADD (R64, R64)")->extension, "MINE");
    assert_int_equal(t.document.kept[ISA_AARCH64].count, s.document.kept[ISA_AARCH64].count);
    assert_string_equal(t.document.kept[ISA_AARCH64].ids[0], "cortex-a72");
    assert_int_equal(t.document.isa, ISA_X86_64);
    assert_non_null(t.document.experiments);
    assert_int_equal(t.document.experiments->rows.count, 2);
    assert_true(t.document.experiments->rows.items[0].cycles == 1.25);
    assert_false(experiments_measured(t.document.experiments, 1));
    assert_true(form_patterns_match(t.document.form_patterns, t.document.form_pattern_count,
                                    "VADDPD (XMM, XMM, XMM)"));
    assert_false(form_patterns_match(t.document.form_patterns, t.document.form_pattern_count,
                                     "SUB (R64, R64)"));
    RUN(&s, &before, "kernel list; kernel show; kernel analyze%s", NULL);
    RUN(&t, &after, "kernel list; kernel show; kernel analyze%s", NULL);
    assert_string_equal(str_text(&before), str_text(&after));
    /* Saves the session again, over itself and elsewhere. */
    RUN(&t, NULL, "session save %s", "one");
    RUN(&s, NULL, "session load %s", "one");
    RUN(&s, &after, "kernel list; kernel show; kernel analyze%s", NULL);
    assert_string_equal(str_text(&before), str_text(&after));
    session_done(&s);
    session_done(&t);
    str_done(&before);
    str_done(&after);
}

static void test_hex_kernel(void **state)
{
    struct session s, t;
    struct str before = {0}, after = {0};

    session_init(&s);
    session_init(&t);
    RUN(&s, NULL, "kernel hex 4801d84829c375f8; session save %s", "hex");
    RUN(&t, NULL, "session load %s", "hex");
    RUN(&s, &before, "kernel show%s", NULL);
    RUN(&t, &after, "kernel show%s", NULL);
    assert_string_equal(str_text(&before), str_text(&after));
    session_done(&s);
    session_done(&t);
    str_done(&before);
    str_done(&after);
}

/* Source lines of machine code, each of which precedes its instruction. Damaged ones are
 * rejected. */
static void test_hex_lines(void **state)
{
    static const struct { const char *text, *what;
    } bad[] = {
        {"byte,source_line,inlined\n1,2,\n", "invalid byte \"1\""},
        {"byte,source_line,inlined\n0,2,\n0,3,\n", "invalid byte \"0\""},
        {"byte,source_line,inlined\n,2,\n", "invalid byte \"\""},
        {"byte,source_line,inlined\nx,2,\n", "invalid byte \"x\""},
        {"byte,source_line,inlined\n0,2,\n33554433,3,\n", "invalid byte \"33554433\""},
        {"byte,source_line,inlined\n0,4294967296,\n", "invalid source_line \"4294967296\""},
        {"byte,source_line,inlined\n0,-18446744073709551613,\n", "invalid source_line \"-1"},
        {"byte,source_line,inlined\n0,,\n", "invalid source_line \"\""},
        {"byte,source_line\n0,2\n", "column inlined is missing"},
        {"line,source_line\n1,2\n", "column byte is missing"},
    };
    struct session s, t;
    struct str shown = {0};
    struct err err = {0};

    session_init(&s);
    session_init(&t);
    RUN(&s, NULL, "kernel hex 4801d84829c375f8; session save %s", "lined");
    work_put("lined/kernel-source.txt", "one\n  two\r\nthree\n");
    work_put("lined/kernel-lines.csv",
             "byte,source_line,inlined\n0,2,\"f(int, long)\"\n3,3,\n6,0,g\n");
    RUN(&t, NULL, "session load %s", "lined");
    RUN(&t, &shown, "kernel show%s", NULL);
    const char *first = strstr(str_text(&shown), "2: two  inlined f(int, long)\n"),
               *second = strstr(str_text(&shown), "3: three\n"),
               *third = strstr(str_text(&shown), "inlined g\n");
    assert_true(first && second && third && first < second && second < third);
    RUN(&t, NULL, "session save %s", "lined-again");
    /* There is no line outside of the loop. */
    assert_true(work_holds("lined-again/kernel-source.txt", "\n  two\nthree\n"));
    assert_true(work_holds("lined-again/kernel-lines.csv",
                           "byte,source_line,inlined\n0,2,\"f(int, long)\"\n3,3,\n6,0,g\n"));
    /* Columns are identified by name. */
    work_put("lined/kernel-lines.csv", "inlined,more,source_line,byte\ng,,3,0\n");
    str_clear(&shown);
    RUN(&t, NULL, "session load %s", "lined");
    RUN(&t, &shown, "kernel show%s", NULL);
    assert_non_null(strstr(str_text(&shown), "3: three  inlined g\n"));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        work_put("lined/kernel-lines.csv", bad[i].text);
        err_clear(&err);
        if (run(&t, NULL, &err, "session load %s", "lined") || !strstr(err.what, bad[i].what))
            fail_msg("%s: %s", bad[i].text, err.what);
    }
    session_done(&s);
    session_done(&t);
    str_done(&shown);
}

/* File names need not be UTF-8, but the session's files must be. */
static void test_names_of_bytes(void **state)
{
    struct session s, t;
    struct str shown = {0};

    session_init(&s);
    session_init(&t);
    work_put("we\xffird.s", "addq %rax, %rbx\n");
    RUN(&s, NULL, "kernel load %s", "we\xffird.s");
    RUN(&s, NULL, "session save %s", "bytes");
    RUN(&t, NULL, "session load %s", "bytes");
    RUN(&t, &shown, "kernel opened%s", NULL);
    assert_non_null(strstr(str_text(&shown), "we\\xffird.s"));
    /* The file is found again, also after another save and load. */
    work_put("we\xffird.s", "1: imulq %rax, %rbx\n jne 1b\n");
    RUN(&t, NULL, "session save %s", "bytes");
    RUN(&s, NULL, "session load %s", "bytes");
    struct err asked = {0};
    assert_false(run(&s, NULL, &asked, "kernel reload%s", NULL));
    assert_non_null(strstr(asked.what, "the session would open"));
    RUN(&s, NULL, "kernel reload%s", NULL);
    assert_int_equal(s.document.kernel->insn_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        struct err err = {0};
        work_put("bytes/kernel-recipe.csv",
                 i ? "key,value\npath-hex,6x\n" : "key,value\npath-hex,613\n");
        assert_false(run(&t, NULL, &err, "session load %s", "bytes"));
        assert_non_null(strstr(err.what, "path-hex"));
    }
    session_done(&s);
    session_done(&t);
    str_done(&shown);
}

/* Commands that open the file of a session's recipe display it first, whatever its name: kernel
 * reload, compile, functions and edit. */
static void test_foreign_path(void **state)
{
    static const struct { const char *recipe, *command; } tries[] = {
        {"path,\"+:silent !touch acted\"", "kernel reload%s"},
        {"path,-c", "kernel reload%s"},
        {"path,/etc/passwd\nsource,on", "kernel compile -O3%s"},
        {"path,/etc/passwd\nprofile,/etc/shadow", "kernel functions%s"},
        {"path,\"+:silent !touch acted\"", "kernel edit%s"},
    };
    struct session s, t;

    session_init(&s);
    work_put("own.s", "addq %rax, %rbx\n");
    RUN(&s, NULL, "kernel load %s", "own.s");
    RUN(&s, NULL, "session save %s", "named");
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        struct str recipe = {0};
        struct err err = {0};
        str_addf(&recipe, "key,value\n%s\n", tries[i].recipe);
        work_put("named/kernel-recipe.csv", str_text(&recipe));
        session_init(&t);
        RUN(&t, NULL, "session load %s", "named");
        t.interactive = true;
        assert_false(run(&t, NULL, &err, tries[i].command, NULL));
        assert_non_null(strstr(err.what, "the file /"));
        assert_null(t.edit.path);
        t.interactive = false;
        session_done(&t);
        str_done(&recipe);
    }
    session_done(&s);
}

/* A session is private to the user, even if others had access to its directory before. */
static void test_private(void **state)
{
    static const char *const names[] = {"private",          "private/session.csv",
                                        "private/kernel.s", "private/manifest.csv",
                                        "private/kernels",  "private/kernels/1.s"};
    struct session s;
    struct stat about;

    session_init(&s);
    work_put("own.s", "addq %rax, %rbx\n");
    RUN(&s, NULL, "kernel load %s", "own.s");
    RUN(&s, NULL, "session save %s", "private");
    assert_return_code(chmod(work_path("private"), 0755), 0);
    assert_return_code(chmod(work_path("private/kernel.s"), 0644), 0);
    work_put("other.s", "imulq %rax, %rcx\n");
    RUN(&s, NULL, "kernel load %s", "other.s");
    RUN(&s, NULL, "session save %s", "private");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_return_code(stat(work_path(names[i]), &about), 0);
        assert_int_equal(about.st_mode & 0777, S_ISDIR(about.st_mode) ? 0700 : 0600);
    }
    session_done(&s);
}

static void test_refused_whole(void **state)
{
    static const struct { const char *file, *text, *what;
    } faults[] = {
        {"bad/session.csv", "key,value\nversion,2\nmachine,skylake\n", "version"},
        {"bad/session.csv", "key,value\nmachine,skylake\n", "version is missing"},
        {"bad/session.csv", "key,value\nversion,1\n", "machine is missing"},
        {"bad/session.csv", "key,value\nversion,1\nmachine,../skylake\n", "../skylake"},
        {"bad/session.csv", "key,value\nversion,1\nmachine,i486\n", "i486"},
        {"bad/session.csv", "key,value\nversion,1\nmachine,skylake\nflumb,1\n", "flumb"},
        {"bad/session.csv", "key,value\nversion,1\nmachine,skylake\nkernel-loop,0\n",
         "kernel-loop"},
        {"bad/session.csv", "key,value\nversion,1\nmachine,skylake\nkernel-lines,4-\n",
         "kernel-lines"},
        {"bad/forms.csv", "form,template\nADD,sub\n", "assembler error"},
        {"bad/overrides/skylake.csv", "form,usage\n\"ADD (R64, R64)\",1*p9\n", ""},
        {"bad/kernel.s", "flumb %rax\n", "no such instruction"},
        {"bad/kernel-lines.csv", "line,source_line\n5,1\n2,1\n", "line"},
    };
    struct session s;
    struct str text = {0};

    session_init(&s);
    RUN(&s, NULL, "set ascii on; kernel hex 4801d8%s", NULL);
    assert_int_equal(mkdir(work_path("bad"), 0777), 0);
    assert_int_equal(mkdir(work_path("bad/overrides"), 0777), 0);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct err err = {0};
        work_put("bad/session.csv",
                 "key,value\nversion,1\nformat,json\nmachine,skylake\nkernel,k.s\nkernel-loop,1\n");
        work_put("bad/kernel.s", "1: addq %rax, %rbx\n jne 1b\n");
        work_put("bad/kernel-source.txt", "a\nb\n");
        work_put(faults[i].file, faults[i].text);
        if (run(&s, NULL, &err, "session load %s", "bad"))
            fail_msg("%s was taken", faults[i].text);
        if (!strstr(err.what, faults[i].what))
            fail_msg("%s: %s", faults[i].text, err.what);
        /* No setting or kernel of the rejected session remains. */
        assert_int_equal(s.settings.format, FORMAT_TEXT);
        assert_true(s.settings.ascii);
        assert_string_equal(s.document.kernel->name, "hex");
        assert_int_equal(s.document.selected_count, 3);
        unlink(work_path(faults[i].file));
    }
    session_done(&s);
    str_done(&text);
}

static void test_save_spares_other_files(void **state)
{
    struct session s;
    struct err err = {0};

    session_init(&s);
    assert_int_equal(mkdir(work_path("full"), 0777), 0);
    work_put("full/diary.txt", "mine");
    assert_false(run(&s, NULL, &err, "session save %s", "full"));
    assert_true(strstr(err.what, "diary.txt"));
    assert_int_equal(access(work_path("full/diary.txt"), F_OK), 0);
    assert_false(run(&s, NULL, &err, "session save %s", "full/diary.txt"));
    assert_false(run(&s, NULL, &err, "session save %s", "nowhere/at/all"));
    session_done(&s);
}

static void test_export(void **state)
{
    static const char *const commands_to_show[] = {"mapping show 'ADD (R64*'", "kernel analyze",
                                                   "kernel show", "mapping list", "machine info"};
    struct session s;
    struct err err = {0};
    struct str text = {0};

    session_init(&s);
    assert_false(run(&s, NULL, &err, "export %s", "x.txt"));
    RUN(&s, NULL, "kernel hex 4801d84829c375f8%s", NULL);
    for (size_t i = 0; i < sizeof commands_to_show / sizeof *commands_to_show; i++) {
        RUN(&s, &text, "set format text%s", NULL);
        struct str printed = {0};
        assert_true(run_line(&s, commands_to_show[i], &printed, &err));
        RUN(&s, NULL, "export %s", "x.txt");
        str_clear(&text);
        assert_true(file_read(work_path("x.txt"), 1 << 20, &text, NULL));
        assert_string_equal(str_text(&text), str_text(&printed));
        RUN(&s, NULL, "export %s", "x.json");
        json_t *root = json_load_file(work_path("x.json"), JSON_DISABLE_EOF_CHECK, NULL);
        assert_non_null(root);
        json_decref(root);
        RUN(&s, NULL, "export %s", "x.html");
        RUN(&s, NULL, "export %s", "x.md");
        /* The output format of the session is unchanged. */
        assert_int_equal(s.settings.format, FORMAT_TEXT);
        str_done(&printed);
    }
    RUN(&s, NULL, "mapping show 'ADD (R64*'%s", NULL);
    RUN(&s, NULL, "export %s", "x.csv");
    struct csv_table *t = csv_table_read(work_path("x.csv"), NULL);
    assert_non_null(t);
    assert_true(t->count >= 4);
    csv_table_free(t);
    assert_false(run(&s, NULL, &err, "export %s", "x.pdf"));
    assert_false(run(&s, NULL, &err, "export %s", "nowhere/x.txt"));
    /* Commands with effects are not repeated, because the session stores their results as data. */
    RUN(&s, NULL, "mapping new 3 three%s", NULL);
    RUN(&s, NULL, "export %s", "x.json");
    str_clear(&text);
    assert_true(file_read(work_path("x.json"), 1 << 20, &text, NULL));
    assert_non_null(strstr(str_text(&text), "\"mapping\":\"three\",\"forms\":0,\"ports\":3"));
    RUN(&s, &text, "mapping list%s", NULL);
    assert_null(strstr(str_text(&text), "three-2"));
    session_done(&s);
    str_done(&text);
}

/* A pipe in place of one of a session's files is rejected without waiting. */
static void test_pipes_are_refused(void **state)
{
    static const char *const names[] = {"piped/session.csv", "piped/kernel.hex",
                                        "piped/manifest.csv", "piped/machines/four/machine.csv",
                                        "piped/machines/four/mapping.csv"};
    struct session s;
    struct err err = {0};
    char command[256];

    session_init(&s);
    RUN(&s, NULL, "kernel hex 4801d84829c375f8; mapping new 4 four; session save %s", "unpiped");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool manifest = strstr(names[i], "manifest") != NULL;
        snprintf(command, sizeof command, "rm -rf '%s'; cp -r '%s' '%s'", work_path("piped"),
                 work_path("unpiped"), work_path("piped"));
        assert_int_equal(system(command), 0);
        assert_int_equal(unlink(work_path(names[i])), 0);
        assert_int_equal(mkfifo(work_path(names[i]), 0600), 0);
        assert_false(
            run(&s, NULL, &err, manifest ? "session save %s" : "session load %s", "piped"));
        if (!strstr(err.what, "is a pipe"))
            fail_msg("%s: %s", names[i], err.what);
    }
    /* A pipe with the name of the run's checkpoint is also rejected. */
    struct str line = {0};
    assert_int_equal(mkfifo(work_path("checkpoint.json"), 0600), 0);
    str_addf(&line, "experiments load '%s'", source_path("data/experiments/golden-cove-five.csv"));
    assert_true(run_line(&s, str_text(&line), NULL, &err));
    s.document.unfinished.checkpoint = mem_strdup(work_path("checkpoint.json"));
    assert_false(run_line(&s, "evolve resume", NULL, &err));
    assert_non_null(strstr(err.what, "is a pipe"));
    str_done(&line);
    session_done(&s);
}

/* Files that the session did not create remain, whatever their names are. */
static void test_strangers_are_kept(void **state)
{
    static const char *const strangers[] = {"proj/machines/thesis.txt", "proj/kernel.s",
                                            "proj/overrides/mine.csv", "proj/session.csv",
                                            "proj/manifest.csv"};
    struct session s;
    struct err err = {0};
    char command[256];

    session_init(&s);
    RUN(&s, NULL, "kernel hex 4801d84829c375f8; mapping new 4 four; session save %s", "clean");
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        /* This holds in a new directory, and in that of a session. */
        for (int saved = 0; saved < 2; saved++) {
            snprintf(command, sizeof command, "rm -rf '%s'; mkdir -p '%s/machines' '%s/overrides'",
                     work_path("proj"), work_path("proj"), work_path("proj"));
            assert_int_equal(system(command), 0);
            if (saved) {
                snprintf(command, sizeof command,
                         "rm -rf '%s'; cp -r '%s' '%s'; mkdir -p '%s/overrides'", work_path("proj"),
                         work_path("clean"), work_path("proj"), work_path("proj"));
                assert_int_equal(system(command), 0);
                if (access(work_path(strangers[i]), F_OK) == 0)
                    continue;
            }
            work_put(strangers[i], "years of work");
            assert_false(run(&s, NULL, &err, "session save %s", "proj"));
            assert_true(work_holds(strangers[i], "years of work"));
            assert_true(strcmp(strangers[i], "proj/manifest.csv") == 0 ||
                        strstr(err.what, "not part of a session") ||
                        strstr(err.what, "not a Portolan session"));
        }
    }
    /* A manifest from elsewhere cannot name files outside of the session. */
    snprintf(command, sizeof command, "rm -rf '%s'; mkdir '%s'", work_path("proj"),
             work_path("proj"));
    assert_int_equal(system(command), 0);
    work_put("outside", "mine");
    work_put("proj/manifest.csv", "file\n../outside\n");
    assert_false(run(&s, NULL, &err, "session save %s", "proj"));
    assert_true(work_holds("outside", "mine"));
    session_done(&s);
}

/* A machine of the previous session is removed. A link to a session remains a link. */
static void test_saved_over(void **state)
{
    struct session s, t;
    struct stat status;

    session_init(&s);
    session_init(&t);
    RUN(&s, NULL, "kernel hex 4801d84829c375f8; mapping new 4 four; session save %s", "over");
    assert_int_equal(access(work_path("over/machines/four/mapping.csv"), F_OK), 0);
    assert_int_equal(symlink("over", work_path("alias")), 0);
    RUN(&t, NULL, "kernel hex 48ffc0; session save %s", "alias");
    assert_int_equal(lstat(work_path("alias"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_not_equal(access(work_path("over/machines"), F_OK), 0);
    assert_true(work_holds("over/kernel.hex", "48ffc0\n"));
    session_done(&s);
    session_done(&t);
}

/* The process ends at each of its system calls. The old session or the new one is complete and can
 * be loaded. */
static void test_death_while_saving(void **state)
{
    struct session old, fresh;
    unsigned was_old = 0, was_new = 0;
    int status = -1;

    session_init(&old);
    session_init(&fresh);
    RUN(&old, NULL, "kernel hex 4801d84829c375f8; mapping new 4 four%s", NULL);
    RUN(&fresh, NULL, "kernel hex 48ffc0; mapping new 3 three%s", NULL);
    assert_true(session_save(&old, work_path("living"), NULL));
    /* This uses every second call. The tests of files use every call. */
    for (unsigned position = 0; status != 0; position += 2) {
        struct session s;
        struct err err = {0};
        char command[256];
        snprintf(command, sizeof command, "rm -rf '%s'; cp -r '%s' '%s'", work_path("dying"),
                 work_path("living"), work_path("dying"));
        assert_int_equal(system(command), 0);
        pid_t child = fork();
        if (child == 0) {
            failing_calls_set(position, FAIL_DEATH);
            _exit(session_save(&fresh, work_path("dying"), NULL) ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 1);
        session_init(&s);
        if (!session_load(&s, work_path("dying"), &err))
            fail_msg("%s: %s", err.file, err.what);
        bool three = session_machine(&s, "three", NULL) != NULL,
             four = session_machine(&s, "four", NULL) != NULL;
        if (three == four)
            fail_msg("call %u: three %d four %d", position, three, four);
        assert_true(three != four &&
                    work_holds("dying/kernel.hex", three ? "48ffc0\n" : "4801d84829c375f8\n"));
        was_new += three;
        was_old += four;
        session_done(&s);
    }
    if (was_old < 5 || was_new < 3)
        fail_msg("%u old, %u new", was_old, was_new);
    session_done(&old);
    session_done(&fresh);
}

/* Settings are those of the saved session, and the output of the previous loop is removed. */
static void test_taken_over(void **state)
{
    struct session s, t;

    session_init(&s);
    session_init(&t);
    RUN(&s, NULL, "kernel hex 4801d84829c375f8; set seed 7; set threads 3; session save %s",
        "taken");
    RUN(&t, NULL, "set machine skylake; kernel hex 480fafc375fa; kernel whatif issue_width=2..4%s",
        NULL);
    assert_true(t.document.sweep.count > 0);
    t.document.kernel_measured = 3;
    RUN(&t, NULL, "session load %s", "taken");
    assert_int_equal(t.settings.seed, 7);
    assert_int_equal(t.settings.threads, 3);
    assert_true(isnan(t.document.kernel_measured));
    assert_int_equal(t.document.sweep.count, 0);
    session_done(&s);
    session_done(&t);
}

/* The current loop is part of the document. It is loaded, chosen and saved. */
static void test_loop_in_use(void **state)
{
    struct session s, t;

    session_init(&s);
    session_init(&t);
    work_put("loops.s", "1: imulq %rax, %rbx\n decq %rcx\n jne 1b\n2: divsd %xmm1, %xmm0\n addq "
                        "$8, %rdx\n cmpq %rdx, %rsi\n jne 2b\n");
    RUN(&s, NULL, "kernel load %s --loop 2", "loops.s");
    assert_int_equal(s.document.loop, 1);
    const struct kernel *k = s.document.kernel;
    RUN(&s, NULL, "kernel use 1%s", NULL);
    assert_int_equal(s.document.loop, 0);
    assert_ptr_equal(s.document.kernel, k);
    RUN(&s, NULL, "kernel use 2; session save %s", "loops");
    RUN(&t, NULL, "session load %s", "loops");
    assert_int_equal(t.document.loop, 1);
    RUN(&t, NULL, "kernel hex 4801d8%s", NULL);
    assert_int_equal(t.document.loop, 0);
    session_done(&s);
    session_done(&t);
}

/* A sweep continues with its own loop, and is not shown for a loop that was loaded later. */
static void test_use_during_a_job(void **state)
{
    struct session s;
    struct str alone = {0}, waited = {0};

    session_init(&s);
    work_put("two.s", "1: imulq %rax, %rbx\n decq %rcx\n jne 1b\n2: divsd %xmm1, %xmm0\n addq "
                      "$8, %rdx\n cmpq %rdx, %rsi\n jne 2b\n");
    RUN(&s, NULL, "set machine skylake; kernel load %s", "two.s");
    RUN(&s, &alone, "kernel whatif issue_width=1..100%s", NULL);
    assert_int_equal(s.document.sweep.count, 100);
    RUN(&s, NULL, "kernel use 2%s", NULL);
    assert_int_equal(s.document.sweep.count, 0);
    RUN(&s, NULL, "kernel use 1%s", NULL);
    s.interactive = true;
    s.patience = 0;
    RUN(&s, NULL, "kernel whatif issue_width=1..100%s", NULL);
    RUN(&s, NULL, "kernel use 2%s", NULL);
    s.interactive = false;
    RUN(&s, &waited, "job wait%s", NULL);
    assert_non_null(strstr(str_text(&waited), str_text(&alone)));
    assert_int_equal(s.document.loop, 1);
    assert_int_equal(s.document.sweep.count, 0);
    session_done(&s);
    str_done(&alone);
    str_done(&waited);
}

/* `set` alone prints all settings. */
static void test_set_shows_all(void **state)
{
    struct session s;
    struct str text = {0};

    session_init(&s);
    RUN(&s, &text, "set seed 7; set threads 3; set%s", NULL);
    assert_non_null(strstr(str_text(&text), "seed         7\n"));
    assert_non_null(strstr(str_text(&text), "threads      3\n"));
    session_done(&s);
    str_done(&text);
}

/* Returns whether @path is locked against another process. */
static bool locked_for_others(const char *path)
{
    int status = 0;
    const pid_t child = fork();

    if (child == 0) {
        struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        const int file = open(path, O_RDWR | O_CLOEXEC);
        _exit(file >= 0 && fcntl(file, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK ? 1 : 0);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* The last session is never the open one. The search for it does not change the lock of the open
 * one. */
static void test_own_is_not_the_last(void **state)
{
    struct session s;
    struct err err = {0};
    struct kept_session last = {0};
    struct str lock = {0};

    setenv("XDG_STATE_HOME", work_path("state"), 1);
    assert_true(saved_state_begin(&err));
    char *own = saved_state_session();
    str_addf(&lock, "%s.open", own);
    const bool locks = locked_for_others(str_text(&lock));
    session_init(&s);
    if (!session_save(&s, own, &err))
        fail_msg("%s", err.what);
    assert_false(saved_state_last(&last));
    assert_null(saved_state_find("last", &err));
    /* Both results are false if the file system has no locks. */
    assert_int_equal(locked_for_others(str_text(&lock)), locks);
    session_done(&s);
    str_done(&lock);
    free(own);
    unsetenv("XDG_STATE_HOME");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_hex_kernel),
        cmocka_unit_test(test_hex_lines),
        cmocka_unit_test(test_names_of_bytes),
        cmocka_unit_test(test_foreign_path),
        cmocka_unit_test(test_private),
        cmocka_unit_test(test_refused_whole),
        cmocka_unit_test(test_save_spares_other_files),
        cmocka_unit_test(test_export),
        cmocka_unit_test(test_pipes_are_refused),
        cmocka_unit_test(test_strangers_are_kept),
        cmocka_unit_test(test_saved_over),
        cmocka_unit_test(test_death_while_saving),
        cmocka_unit_test(test_taken_over),
        cmocka_unit_test(test_loop_in_use),
        cmocka_unit_test(test_use_during_a_job),
        cmocka_unit_test(test_set_shows_all),
        cmocka_unit_test(test_own_is_not_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
