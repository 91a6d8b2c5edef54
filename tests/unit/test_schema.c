/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What programs read: with --format json every command prints one object, and each is as data/schema.json says, whose names docs/formats.md explains; CSV has
 * what JSON has as rows, under the same names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "../support/schema.h"
#include "../support/support.h"

#define LARGEST ((size_t)64 << 20)

/* Every command of the table, in an order in which each has what it needs, but for those below. @ stands for the data directory. */
static const char *const script[] = {
    "set keep-going on",
    "kernel hex 4801d8480fafc3",
    "kernel save k.s",
    "kernel load k.s",
    "kernel paste",
    "kernel load @/kernels/triad-skl-O3.s",
    "kernel list",
    "kernel omitted",
    "kernel show",
    "kernel use 1",
    "kernel compile",
    "kernel diagnostics",
    "kernel edit",
    "kernel reload",
    "kernel functions /bin/true", "kernel functions /bin/true --loops",
    "kernel machines",
    "kernel opened",
    "kernel switch 1",
    "kernel diff --machine skylake --machine haswell",
    "kernel compare --machine skylake --machine haswell",
    "kernel analyze --machine skylake --machine znver4",
    "kernel analyze --machine skylake",
    "kernel load @/nest.s --loop 2",
    "kernel analyze --machine skylake --trip 64",
    "kernel load @/kernels/triad-skl-O3.s",
    "kernel analyze --all --machine skylake --machine haswell",
    "kernel simulate --machine skylake --machine znver4",
    "kernel simulate --machine skylake",
    "kernel whatif issue_width=6 --machine skylake",
    "kernel whatif reorder_buffer=64..66 --machine skylake",
    "kernel evaluate blocks.csv --machine skylake --threads 1",
    "kernel report r.html --machine skylake",
    "kernel graph g.dot --machine skylake",
    "kernel trace t.html --machine skylake",
    "kernel mark marked.s",
    "kernel whatif alignment=0..3 --machine skylake",
    "mapping list",
    "undo",
    "copy kernel",
    "keys kernel",
    "bind F5 kernel measure",
    "bind",
    "unbind F5",
    "redo",
    "mapping use skylake",
    "mapping show 'ADD (R64, R64)'",
    "mapping diff haswell broadwell 'ADD*'",
    "mapping save my.csv",
    "mapping load my.csv",
    "mapping export pmevo my.json",
    "mapping import pmevo my.json",
    "mapping import uops-info up.csv",
    "mapping export osaca my.yml",
    "mapping import osaca my.yml",
    "mapping import osaca left-out.yml",
    "mapping new 8 mine",
    "mapping set 'ADD (R64, R64)' 1*p0156",
    "mapping use skylake",
    "throughput 2*ADD (R64, R64) + IMUL (R64, R64)",
    "forms list 'IMUL (R64*'",
    "forms select 'ADD (R64, R64)' 'IMUL (R64, R64)' 'SHL (R64, I8)'",
    "forms scan /bin/true",
    "forms compare 'IMUL (R64*' --machine skylake",
    "forms add forms.csv",
    "experiments generate",
    "experiments measure --simulate skylake",
    "experiments pause",
    "experiments resume",
    "experiments list",
    "experiments show 1",
    "experiments save e.csv",
    "experiments load e.csv",
    "experiments save e.json",
    "experiments import e.json",
    "experiments split 2 part.csv --controls 2",
    "experiments merge part-1.csv part-2.csv --all",
    "experiments save e.csv --host",
    "experiments compare e.csv e.csv --above 0",
    "congruence",
    "evaluate --mapping skylake --mapping znver4",
    "evaluate --mapping skylake --heatmap",
    "evolve start --ports 4 --generations 2 --seed 1",
    "evolve status",
    "evolve set seconds 2",
    "evolve pause",
    "evolve resume",
    "evolve stop",
    "evolve wait",
    "evolve adopt",
    "jobs",
    "job wait",
    "job cancel 99",
    "machine list",
    "machine info",
    "machine show skylake",
    "machine hunt --machine skylake --against haswell --time 1s",
    "view kernel",
    "pane next",
    "find vfmadd",
    "sort",
    "jump mapping",
    "do down",
    "prompt find",
    "filter",
    "kernel tune --model-only --tries 20",
    "session save work",
    "session list",
    "session diff work",
    "tutorial",
    "demo",
    "set",
    "set threads 2",
    "export x.json",
    "report x.md",
    "source inner.pf",
    "help kernel load",
    "help fact issue_width",
    "program blocks",
    "experiments clear",
    "session load work",
    "quit",
};
/* They measure on this CPU for seconds, or need a compiler or what it makes, or gnuplot; how they are called otherwise tests/tty has. */
static const char *const elsewhere[] = {
    "kernel measure", "kernel learn", "kernel blame", "latency measure", "machine calibrate", "machine chart", "machine check", "machine correct", "program load",
    "program run", "program reuse", "program formula", "program misses", "program mix", "program predict", "program sensitivity", "program sweep", "program validate",
    "program blame", "program show", "program profile", "program open", "mapping import", "plot", "experiments settle",
};

static json_t *schema;

/* What the program prints of @script with --format @format, after each command what @marker prints (NULL: nothing). */
static void run(const char *format, const char *marker, struct str *out)
{
    struct str text = {0}, shell = {0};
    struct err err = {0};

    work_put("nest.s", ".L1: movl $9, %ecx\n.L2: decl %ecx\njne .L2\ndecl %edx\njne .L1\n");
    work_put("blocks.csv", "hex,cycles\n4801d8,1\n480fafc3,3\n");
    work_put("up.csv", "instruction,family,latency,throughput,uops,ports\n\"ADD (R64, R64)\",ADD,1,0.25,1,1*p0156\n");
    work_put("left-out.yml", "isa: x86\nports: ['0']\ninstruction_forms:\n- {name: nop, operands: [], port_pressure: [[1, '0']]}\n- {name: add, port_pressure: [[1, '7']]}\n");
    work_put("forms.csv", "form,template,extension\n\"XYZ (R64)\",\"bswap {RW:R64}\",\n");
    work_put("inner.pf", "jobs\n");
    for (size_t i = 0; i < sizeof script / sizeof *script; i++) {
        const char *at = strchr(script[i], '@');
        str_addf(&text, "%.*s%s%s\n", at ? (int)(at - script[i]) : (int)strlen(script[i]), script[i], at ? getenv("PORTOLAN_DATA") : "", at ? at + 1 : "");
        if (strcmp(script[i], "kernel paste") == 0)
            str_add(&text, "add %rax, %rbx\n.\n");
        if (marker)
            str_addf(&text, "%s\n", marker);
    }
    work_put("script.pf", str_text(&text));
    str_addf(&shell, "XDG_DATA_HOME=$PWD/share XDG_STATE_HOME=$PWD/state %s --format %s -b script.pf >out.%s 2>err.%s </dev/null", getenv("PORTOLAN"), format, format, format);
    (void)!system(str_text(&shell));
    str_clear(&text);
    str_addf(&text, "out.%s", format);
    if (!file_read(str_text(&text), LARGEST, out, &err))
        fail_msg("%s", err.what);
    str_done(&text);
    str_done(&shell);
}

static bool expected(const char *command)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(elsewhere[i], command) == 0)
            return true;
    return false;
}

/* The command that @line calls. */
static const struct command *command_of(const char *line)
{
    const struct command *found;
    struct err err = {0};
    if (!command_check(line, &found, &err))
        fail_msg("%s: %s", line, err.what);
    return found;
}

/* One object a command, in their order, each as the schema says. */
static void test_each_command(void **state)
{
    struct str out = {0}, fault = {0};
    size_t count = 0, inner = 0;
    (void)state;
    run("json", NULL, &out);
    for (char *line = strtok(out.data, "\n"); line; line = strtok(NULL, "\n")) {
        json_error_t error;
        json_t *object = json_loads(line, 0, &error);
        if (!object)
            fail_msg("%s: %.300s", error.text, line);
        const char *said = json_string_value(json_object_get(object, "command"));
        str_clear(&fault);
        if (!schema_holds(schema, schema, object, &fault))
            fail_msg("%s: %s: %.300s\nnew names belong into data/schema.json and docs/formats.md", said ? said : "?", str_text(&fault), line);
        /* What a script's commands print comes before it. */
        bool of_source = !inner && strcmp(said, "jobs") == 0 && count && strncmp(script[count], "source", 6) == 0;
        inner += of_source;
        if (!of_source) {
            assert_true(count < sizeof script / sizeof *script);
            if (strcmp(command_of(script[count])->name, said) != 0)
                fail_msg("%s printed the object of %s: %.300s", script[count], said, line);
            count++;
        }
        json_decref(object);
    }
    assert_int_equal(inner, 1);
    assert_int_equal(count, sizeof script / sizeof *script);
    for (const struct command *const *c = commands; *c; c++) {
        bool called = expected((*c)->name);
        for (size_t i = 0; i < sizeof script / sizeof *script && !called; i++)
            called = command_of(script[i]) == *c;
        if (!called)
            fail_msg("%s is not called: add it to the script", (*c)->name);
    }
    str_done(&out);
    str_done(&fault);
}

/* Names of the first array of rows in @object that CSV has to have, too; NULL: none. */
static const json_t *rows_of(const json_t *object)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)object, name, value)
        if (json_is_array(value) && json_is_object(json_array_get(value, 0)))
            return json_array_get(value, 0);
    return NULL;
}

/* The objects of the script's commands in order, without those of a script that one of them ran. Borrowed from @out, which is cut. */
static size_t objects_of(struct str *out, json_t **objects, size_t most)
{
    size_t count = 0;
    bool inner = false;
    for (char *line = strtok(out->data, "\n"); line && count < most; line = strtok(NULL, "\n")) {
        json_t *object = json_loads(line, 0, NULL);
        assert_non_null(object);
        if (!inner && strncmp(script[count], "source", 6) == 0) {
            inner = true;
            json_decref(object);
            continue;
        }
        objects[count++] = object;
    }
    return count;
}

/* Whether @csv has a column @name: in one of its lines, between commas. */
static bool has_column(const char *csv, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = csv; (at = strstr(at, name)); at++)
        if ((at == csv || strchr(",\n\"", at[-1])) && strchr(",\r\n\"", at[length]))
            return true;
    return false;
}

/* Every command of the script that prints rows in JSON has them in CSV, with all their names. What is between two of them is told by a command that prints always
 * the same. */
static void test_every_command_has_its_rows_in_csv(void **state)
{
    static const char marker[] = "help fact retire_width";
    static json_t *objects[sizeof script / sizeof *script];
    struct str out = {0}, csv = {0}, sign = {0};
    struct err err = {0};
    size_t with_rows = 0;
    (void)state;

    run("json", NULL, &out);
    assert_int_equal(objects_of(&out, objects, sizeof script / sizeof *script), sizeof script / sizeof *script);
    run("csv", marker, &csv);
    work_put("line.pf", marker);
    str_clear(&out);
    str_addf(&out, "%s --format csv -b line.pf >line.out", getenv("PORTOLAN"));
    if (system(str_text(&out)) != 0 || !file_read("line.out", LARGEST, &sign, &err))
        fail_msg("%s", err.what);
    char *at = csv.data;
    for (size_t i = 0; i + 1 < sizeof script / sizeof *script; i++) {   /* behind quit nothing is printed */
        char *end = strstr(at, str_text(&sign));
        if (!end)
            fail_msg("%s: what follows it is not there", script[i]);
        *end = '\0';
        const json_t *row = rows_of(objects[i]);
        const char *name;
        json_t *value;
        with_rows += row != NULL;
        if (row)
            json_object_foreach((json_t *)row, name, value)
                if (!json_is_array(value) && !json_is_object(value) && !has_column(at, name))
                    fail_msg("%s: CSV lacks the column %s: %.300s", script[i], name, at);
        at = end + sign.length;
    }
    assert_true(with_rows > 20);
    for (size_t i = 0; i < sizeof script / sizeof *script; i++)
        json_decref(objects[i]);
    str_done(&out);
    str_done(&csv);
    str_done(&sign);
}

/* Each command of the script alone, as its CSV tells nothing of whose it is. */
static void test_rows_are_in_csv(void **state)
{
    static const char *const lines[] = {
        "kernel load @/kernels/triad-skl-O3.s; kernel list", "kernel load @/kernels/triad-skl-O3.s; kernel show", "mapping use skylake; mapping show 'ADD (R64, R*'",
        "kernel load @/kernels/triad-skl-O3.s; kernel analyze --machine skylake",
        "kernel load @/kernels/triad-skl-O3.s; kernel simulate --machine skylake --machine znver4", "mapping list", "mapping diff haswell broadwell",
        "forms list 'IMUL (R64*'", "machine list", "machine show skylake", "set", "help kernel load", "help fact issue_width", "experiments load @/experiments/zen4.csv; experiments list",
        "experiments load @/experiments/zen4.csv; evaluate --mapping skylake --mapping znver4", "throughput ADD (R64, R64)", "forms scan /bin/true",
        "kernel load @/kernels/triad-skl-O3.s; kernel whatif reorder_buffer=64..66 --machine skylake",
        "kernel load @/kernels/triad-skl-O3.s; kernel whatif issue_width=6 --machine skylake",
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct str out[2] = {{0}, {0}}, shell = {0}, text = {0};
        struct err err = {0};
        const char *at = strchr(lines[i], '@');
        str_addf(&text, "%.*s%s%s\n", at ? (int)(at - lines[i]) : (int)strlen(lines[i]), lines[i], at ? getenv("PORTOLAN_DATA") : "", at ? at + 1 : "");
        work_put("line.pf", str_text(&text));
        for (int csv = 0; csv < 2; csv++) {
            str_clear(&shell);
            str_addf(&shell, "%s --format %s -b line.pf >line.out 2>/dev/null", getenv("PORTOLAN"), csv ? "csv" : "json");
            if (system(str_text(&shell)) != 0 || !file_read("line.out", LARGEST, &out[csv], &err))
                fail_msg("%s: %s", lines[i], err.what);
        }
        const char *last = strrchr(out[0].data, '{');
        for (const char *p = out[0].data; p; p = strchr(p + 1, '\n'))
            if (p[1])
                last = *p == '\n' ? p + 1 : p;
        json_t *object = json_loads(last, JSON_DISABLE_EOF_CHECK, NULL);
        assert_non_null(object);
        if (!out[1].length)
            fail_msg("%s: no CSV", lines[i]);
        const json_t *row = rows_of(object);
        const char *name;
        json_t *value;
        if (row)
            json_object_foreach((json_t *)row, name, value)
                if (!json_is_array(value) && !json_is_object(value) && !strstr(str_text(&out[1]), name))
                    fail_msg("%s: CSV lacks the column %s: %.200s", lines[i], name, str_text(&out[1]));
        json_decref(object);
        str_done(&out[0]);
        str_done(&out[1]);
        str_done(&shell);
        str_done(&text);
    }
}

/* Each name stands in the documentation, with its unit and meaning. */
static void test_names_are_documented(void **state)
{
    struct str text = {0}, row = {0};
    struct err err = {0};
    const char *name;
    json_t *rule;
    (void)state;
    assert_true(file_read(source_path("docs/formats.md"), LARGEST, &text, &err));
    json_object_foreach(json_object_get(json_object_get(json_object_get(schema, "$defs"), "object"), "properties"), name, rule) {
        const char *unit = json_string_value(json_object_get(rule, "unit")), *meaning = json_string_value(json_object_get(rule, "description"));
        assert_non_null(meaning);
        str_clear(&row);
        str_addf(&row, "| `%s` | %s | %s |\n", name, unit ? unit : "", meaning);
        if (!strstr(str_text(&text), str_text(&row)))
            fail_msg("docs/formats.md lacks: %s", str_text(&row));
    }
    str_done(&text);
    str_done(&row);
}

/* The checker sees what is wrong. */
static void test_checker(void **state)
{
    static const struct { const char *object; bool right; } objects[] = {
        {"{\"schema\":1,\"command\":\"jobs\",\"jobs\":[]}", true}, {"{\"schema\":1,\"command\":\"jobs\"}", false}, {"{\"schema\":2,\"command\":\"jobs\",\"jobs\":[]}", false},
        {"{\"command\":\"jobs\",\"jobs\":[]}", false}, {"{\"schema\":1,\"command\":\"jobs\",\"jobs\":[{\"nothing such\":1}]}", false},
        {"{\"schema\":1,\"command\":\"jobs\",\"jobs\":[{\"title\":1}]}", false}, {"{\"schema\":1,\"command\":\"jobs\",\"jobs\":[{\"title\":\"x\",\"seconds\":null}]}", true},
        {"{\"schema\":1,\"command\":\"jobs\",\"error\":\"why\"}", true}, {"{\"schema\":1,\"command\":\"program run\",\"runs\":[{\"N\":8.5,\"l2_ways\":3}]}", true},
        {"{\"schema\":1,\"command\":\"program run\",\"runs\":[{\"N\":\"8\"}]}", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        json_t *object = json_loads(objects[i].object, 0, NULL);
        assert_non_null(object);
        if (schema_holds(schema, schema, object, NULL) != objects[i].right)
            fail_msg("%s", objects[i].object);
        json_decref(object);
    }
}

static int in_directory(void **state)
{
    char path[4096];
    json_error_t error;
    (void)state;
    snprintf(path, sizeof path, "%s/schema.json", getenv("PORTOLAN_DATA"));
    schema = json_load_file(path, 0, &error);
    if (!schema)
        print_message("%s: %s\n", path, error.text);
    return schema && chdir(work_path("")) == 0 ? 0 : -1;
}

static int done(void **state)
{
    (void)state;
    json_decref(schema);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checker), cmocka_unit_test(test_each_command), cmocka_unit_test(test_every_command_has_its_rows_in_csv), cmocka_unit_test(test_rows_are_in_csv), cmocka_unit_test(test_names_are_documented),
    };
    return cmocka_run_group_tests(tests, in_directory, done);
}
