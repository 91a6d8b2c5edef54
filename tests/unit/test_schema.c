/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine-readable output. With --format json every command prints one object that conforms to
 * data/schema.json, which docs/formats.md quotes. CSV has the rows of JSON with the same names. */
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

/* Commands in an order that satisfies the prerequisites of each. Together with those below they are
 * all commands. @ stands for the data directory. */
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
    "kernel load loop.c",
    "kernel compile",
    "kernel diagnostics",
    "kernel load @/kernels/triad-skl-O3.s",
    "kernel edit",
    "kernel reload",
    "kernel functions /bin/true",
    "program diff /bin/true /bin/false --machine skylake",
    "kernel functions /bin/true --loops",
    "kernel machines",
    "kernel opened",
    "kernel switch 1",
    "kernel diff --machine skylake --machine haswell",
    "kernel compare --machine skylake --machine haswell",
    "kernel analyze --machine skylake --machine znver4",
    "kernel analyze --machine skylake",
    "kernel load nest.s --loop 2",
    "kernel analyze --machine skylake --trip 64",
    "kernel load @/kernels/triad-skl-O3.s",
    "kernel analyze --all --machine skylake --machine haswell",
    "kernel simulate --machine skylake --machine znver4",
    "kernel simulate --machine skylake",
    "kernel memory --machine skylake --size 16K..64K",
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
    "program stop",
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
    "evolve edit 'ADD (R64, R64)' 1*p0",
    "evolve adopt",
    "experiments settle --simulate skylake",
    "jobs",
    "job wait",
    "job cancel 99",
    "machine list",
    "machine info",
    "machine show skylake",
    "machine hunt --machine skylake --against haswell --blocks 20 --time 1h",
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
    "machine atlas site --machine skylake",
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
/* Commands that can only fail in the script, because they need the workbench or a concurrent job,
 * or that are listed below. */
static const char *const refused[] = {
    "kernel edit",
    "pane",
    "find",
    "sort",
    "jump",
    "do",
    "prompt",
    "filter",
    "tutorial",
    "demo",
    "experiments pause",
    "experiments resume",
    "program stop",
    "job cancel",
    "program blocks",
};
/* matmul.c, built once */
#define BUILT "program load built --untraced plain"
#define PROGRAM BUILT "; program run N=16,24,32,48 --mode counts"
#define PI "kernel load @/kernels/pi-O1.s"
#define NONE "machine list"
#define COMPILER "portolan-cc, which a build without LLVM lacks"
#define QUIET "a core that is quiet for long enough"
/* Commands outside of the script, with their prerequisites. They measure on this CPU for seconds,
 * or need an optional program. A command may fail only if @needs names a possible lack of the host,
 * which is then printed. tests/tty tests them further. Successive commands with the same @before
 * run in one process after it. */
static const struct { const char *before, *line, *needs;
} elsewhere[] = {
    {PI, "kernel measure", QUIET},
    {PI, "kernel blame --seconds 1", QUIET},
    {NONE, "kernel learn 'IMUL (R64, R64)' --simulate skylake", NULL},
    {NONE, "latency measure 'ADD (R64, R64)'", QUIET},
    {NONE, "machine calibrate", QUIET},
    {NONE, "machine check 'ADD (R64, R64)' --machine skylake --simulate haswell", NULL},
    {NONE, "machine chart trial --simulate skylake --forms 'ADD (R64*'", NULL},
    {NONE, "experiments settle trial", NULL},
    {NONE, "program load @/programs/matmul.c -O1", COMPILER},
    {NONE,
     "program profile --rate 5000 sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'",
     "leave to profile"},
    {NONE, "program explain main /bin/true", "leave to trace"},
    {NONE, "mapping import llvm skylake", "llvm-mca 22"},
    {"machine check 'VADDPD (XMM, XMM, XMM)' --machine skylake --simulate znver1",
     "machine correct '*' --simulate znver1", NULL},
    {"mapping use skylake; forms select 'ADD (R64, R64)' 'IMUL (R64, R64)'; experiments generate; "
     "experiments measure --simulate haswell",
     "plot accuracy p.svg", "gnuplot"},
    {BUILT, "program run N=16,24,32,48", COMPILER},
    {BUILT, "program reuse N=100", COMPILER},
    {BUILT, "program misses N=100 --machine skylake", COMPILER},
    {PROGRAM, "program blocks N=100", COMPILER},
    {PROGRAM, "program formula", COMPILER},
    {PROGRAM, "program mix N=100", COMPILER},
    {PROGRAM, "program predict N=100 --machine skylake --machine znver3", COMPILER},
    {PROGRAM, "program predict N=100 --machine skylake", COMPILER},
    {PROGRAM, "program show", COMPILER},
    {PROGRAM, "program open main:1", COMPILER},
    {PROGRAM, "program sensitivity N=100 --machine skylake", COMPILER},
    {PROGRAM, "program sweep l2_bytes=512k,2M N=600 --machine skylake", COMPILER},
    {PROGRAM, "program validate N=24", COMPILER ", and an identified CPU"},
    {PROGRAM, "program blame N=24", COMPILER ", and an identified CPU"},
};
#define ELSEWHERE (sizeof elsewhere / sizeof *elsewhere)

static json_t *schema;

/* Appends @line with the data directory instead of @. */
static void add_line(const char *line, struct str *out)
{
    const char *at = strchr(line, '@');
    str_addf(out, "%.*s%s%s\n", at ? (int)(at - line) : (int)strlen(line), line,
             at ? getenv("PORTOLAN_DATA") : "", at ? at + 1 : "");
}

/* Writes the program's output for the commands of script to @out, with --format @format. Runs
 * @marker (may be NULL) after each command. */
static void run(const char *format, const char *marker, struct str *out)
{
    struct str text = {0}, shell = {0};
    struct err err = {0};

    work_put("nest.s", ".L1: movl $9, %ecx\n.L2: decl %ecx\njne .L2\ndecl %edx\njne .L1\n");
    work_put("blocks.csv", "hex,cycles\n4801d8,1\n480fafc3,3\n");
    work_put("up.csv", "instruction,family,latency,throughput,uops,ports\n\"ADD (R64, "
                       "R64)\",ADD,1,0.25,1,1*p0156\n");
    work_put("left-out.yml",
             "isa: x86\nports: ['0']\ninstruction_forms:\n- {name: nop, operands: [], "
             "port_pressure: [[1, '0']]}\n- {name: add, port_pressure: [[1, '7']]}\n"
             "- {name: flumb, operands: [], port_pressure: [[1, '0']]}\n");
    work_put("forms.csv", "form,template,extension\n\"BSWAP (R64)\",\"bswap {RW:R64}\",MINE\n");
    work_put("loop.c", "void f(double *a) { for (int i = 0; i < 999; i++) a[i] *= 2; }\n");
    work_put("inner.pf", "jobs\n");
    for (size_t i = 0; i < sizeof script / sizeof *script; i++) {
        add_line(script[i], &text);
        if (strcmp(script[i], "kernel paste") == 0)
            str_add(&text, "add %rax, %rbx\n.\n");
        if (marker)
            str_addf(&text, "%s\n", marker);
    }
    work_put("script.pf", str_text(&text));
    str_addf(&shell,
             "XDG_DATA_HOME=$PWD/share XDG_STATE_HOME=$PWD/state %s --format %s -b script.pf "
             ">out.%s 2>err.%s </dev/null",
             getenv("PORTOLAN"), format, format, format);
    (void)!system(str_text(&shell));
    str_clear(&text);
    str_addf(&text, "out.%s", format);
    if (!file_read(str_text(&text), LARGEST, out, &err))
        fail_msg("%s", err.what);
    str_done(&text);
    str_done(&shell);
}

/* Appends the output of all commands with --format json. They run once for all tests. The caller
 * frees @out. */
static void run_json(struct str *out)
{
    static struct str made;

    if (!made.length)
        run("json", NULL, &made);
    str_add_bytes(out, str_text(&made), made.length);
}

/* Returns the command that @line calls. */
static const struct command *command_of(const char *line)
{
    const struct command *found;
    struct err err = {0};
    if (!command_check(line, &found, &err))
        fail_msg("%s: %s", line, err.what);
    return found;
}

static bool is_refused(const struct command *c)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strcmp(refused[i], c->name) == 0)
            return true;
    return false;
}

/* Returns whether the command is in one of the two lists. */
static bool is_called(const struct command *c)
{
    for (size_t i = 0; i < sizeof script / sizeof *script; i++)
        if (command_of(script[i]) == c)
            return true;
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (command_of(elsewhere[i].line) == c)
            return true;
    return false;
}

/* Checks that @object, which @line printed, conforms to the schema. */
static void assert_as_schema_says(const char *line, const json_t *object)
{
    struct str fault = {0};
    if (!schema_holds(schema, schema, object, &fault)) {
        char *text = json_dumps(object, JSON_COMPACT);
        fail_msg("%s: %s: %.300s\nnew names belong into data/schema.json", line, str_text(&fault),
                 text);
    }
    str_done(&fault);
}

static void test_no_command_is_forgotten(void **state)
{
    for (const struct command *const *c = commands; *c; c++)
        if (!is_called(*c))
            fail_msg("%s is not called: add it to the script, or to those elsewhere", (*c)->name);
}

/* Each command prints one object, in order, and each object conforms to the schema. */
static void test_each_command(void **state)
{
    struct str out = {0};
    size_t count = 0, inner = 0;
    run_json(&out);
    for (char *line = strtok(out.data, "\n"); line; line = strtok(NULL, "\n")) {
        json_error_t error;
        json_t *object = json_loads(line, 0, &error);
        if (!object)
            fail_msg("%s: %.300s", error.text, line);
        const char *said = json_string_value(json_object_get(object, "command"));
        assert_as_schema_says(said ? said : "?", object);
        /* The output of a script's commands precedes that of the script itself. */
        bool of_source = !inner && strcmp(said, "jobs") == 0 && count &&
                         strncmp(script[count], "source", 6) == 0;
        inner += of_source;
        if (!of_source) {
            assert_true(count < sizeof script / sizeof *script);
            if (strcmp(command_of(script[count])->name, said) != 0)
                fail_msg("%s printed the object of %s: %.300s", script[count], said, line);
            const char *why = json_string_value(json_object_get(object, "error"));
            if (!why == is_refused(command_of(script[count])))
                fail_msg("%s %s", script[count], why ? why : "is not refused");
            count++;
        }
        json_decref(object);
    }
    assert_int_equal(inner, 1);
    assert_int_equal(count, sizeof script / sizeof *script);
    str_done(&out);
}

/* Splits @out and lists the objects of the script's commands in order, without those of a nested
 * script. The caller releases the objects. */
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

/* Returns the columns of the tables with rows in @csv, each between commas: from its first line,
 * and from the line after each empty one. */
static void headers_of(const char *csv, struct str *headers)
{
    const char *header = csv;
    size_t length = 0;   /* length of the header; 0 if none was found */
    bool quoted = false;

    for (const char *at = csv; *at; at += *at == '\n') {
        const char *line = at;
        for (; *at && (quoted || *at != '\n'); at++)
            quoted ^= *at == '"';
        size_t here = (size_t)(at - line) - (at > line && at[-1] == '\r');
        if (!here) {
            length = 0;
        } else if (!length) {
            header = line;
            length = here;
        } else if (header) {
            str_addf(headers, ",%.*s,", (int)length, header);
            header = NULL;
        }
    }
}

/* Returns a name of the flat @row that @headers lacks, or "". */
static const char *lacking(const char *headers, const json_t *row)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)row, name, value) {
        char column[128];
        snprintf(column, sizeof column, ",%s,", name);
        if (!json_is_array(value) && !json_is_object(value) && !strstr(headers, column))
            return name;
    }
    return "";
}

static bool is_name(const json_t *value, const char *name, size_t length)
{
    const char *key;
    json_t *member;
    size_t i;

    json_array_foreach(value, i, member)
        if (is_name(member, name, length))
            return true;
    json_object_foreach((json_t *)value, key,
                        member) if ((strlen(key) == length && strncmp(key, name, length) == 0) ||
                                    is_name(member, name, length)) return true;
    return false;
}

/* Returns whether the column represents JSON objects whose names are data, as docs/formats.md
 * lists. */
static bool unfolds(const char *command, const char *name, size_t length)
{
    static const struct { const char *command, *columns;
    } commands_unfolding[] = {
        {"kernel analyze", ",port,"},         {"throughput", ",port,load,full,"},
        {"machine show", ",key,value,unit,"}, {"set", ",name,value,"},
        {"kernel whatif", ",state,"},         {"congruence", ",class,form,"},
    };
    char column[64];

    snprintf(column, sizeof column, ",%.*s,", (int)length, name);
    for (size_t i = 0; i < sizeof commands_unfolding / sizeof *commands_unfolding; i++)
        if (strcmp(commands_unfolding[i].command, command) == 0 &&
            strstr(commands_unfolding[i].columns, column))
            return true;
    return false;
}

/* CSV's columns and JSON's names of one result are equal. The first row of each JSON array has
 * columns of CSV, and each column is a name in the object or unfolds one. Returns whether there are
 * rows. */
static bool assert_same_names(const char *line, const json_t *object, const char *csv)
{
    const char *command = json_string_value(json_object_get(object, "command")), *name;
    struct str headers = {0};
    json_t *value;
    bool rows = false;

    headers_of(csv, &headers);
    json_object_foreach((json_t *)object, name, value) {
        const json_t *row = json_array_get(value, 0);
        if (!json_is_object(row))
            continue;
        rows = true;
        if (*lacking(str_text(&headers), row))
            fail_msg("%s: CSV lacks the column %s of %s: %.300s", line,
                     lacking(str_text(&headers), row), name, csv);
    }
    for (const char *at = str_text(&headers); *at; at += strspn(at, ",")) {
        size_t length = strcspn(at, ",");
        if (length && !is_name(object, at, length) && !unfolds(command, at, length))
            fail_msg("%s: JSON has no %.*s of %s", line, (int)length, at, str_text(&headers));
        at += length;
    }
    str_done(&headers);
    return rows;
}

/* Every command of the script with rows in JSON has the rows in CSV, with all their names. A
 * command with constant output separates the commands. */
static void test_every_command_has_its_rows_in_csv(void **state)
{
    static const char marker[] = "help fact retire_width";
    static json_t *objects[sizeof script / sizeof *script];
    struct str out = {0}, csv = {0}, sign = {0};
    struct err err = {0};
    size_t with_rows = 0;

    run_json(&out);
    assert_int_equal(objects_of(&out, objects, sizeof script / sizeof *script),
                     sizeof script / sizeof *script);
    run("csv", marker, &csv);
    work_put("line.pf", marker);
    str_clear(&out);
    str_addf(&out, "%s --format csv -b line.pf >line.out", getenv("PORTOLAN"));
    if (system(str_text(&out)) != 0 || !file_read("line.out", LARGEST, &sign, &err))
        fail_msg("%s", err.what);
    char *at = csv.data;
    /* After quit nothing is printed. */
    for (size_t i = 0; i + 1 < sizeof script / sizeof *script; i++) {
        char *end = strstr(at, str_text(&sign));
        if (!end)
            fail_msg("%s: what follows it is not there", script[i]);
        *end = '\0';
        /* The rows of `source` are those of the commands that it runs. */
        if (strncmp(script[i], "source", 6) != 0)
            with_rows += assert_same_names(script[i], objects[i], at);
        at = end + sign.length;
    }
    assert_true(with_rows > 20);
    for (size_t i = 0; i < sizeof script / sizeof *script; i++)
        json_decref(objects[i]);
    str_done(&out);
    str_done(&csv);
    str_done(&sign);
}

/* Writes the script of the @count lines from @first, which export each result as JSON and CSV. */
static void put_script(size_t first, size_t count)
{
    struct str text = {0};

    str_add(&text, "set keep-going on\n");
    add_line(elsewhere[first].before, &text);
    for (size_t i = first; i < first + count; i++) {
        add_line(elsewhere[i].line, &text);
        str_addf(&text, "export rows-%zu.json\nexport rows-%zu.csv\n", i, i);
    }
    work_put("line.pf", str_text(&text));
    str_done(&text);
}

/* Fills @objects with the objects of the @count lines from @first, each of which is followed by the
 * two exports of its result. The caller releases them. */
static void objects_before_exports(struct str *out, size_t first, size_t count, json_t **objects)
{
    size_t exports = 0;
    json_t *last = NULL;

    for (char *text = strtok(out->data, "\n"); text; text = strtok(NULL, "\n")) {
        json_t *object = json_loads(text, 0, NULL);
        const char *command = json_string_value(json_object_get(object, "command"));
        if (!command || strcmp(command, "export") != 0) {
            json_decref(last);
            last = object;
            continue;
        }
        json_decref(object);
        if (exports++ % 2)
            continue;
        assert_true(exports / 2 < count);
        const char *line = elsewhere[first + exports / 2].line;
        command = json_string_value(json_object_get(last, "command"));
        if (!command || strcmp(command, command_of(line)->name) != 0)
            fail_msg("%s printed no object", line);
        objects[exports / 2] = last;
        last = NULL;
    }
    json_decref(last);
    assert_int_equal(exports, 2 * count);
}

/* Runs the @count lines from @first after their @before in one process. */
static void call(size_t first, size_t count, json_t **objects)
{
    struct str text = {0}, out = {0};
    struct err err = {0};

    put_script(first, count);
    str_addf(&text,
             "XDG_DATA_HOME=$PWD/share XDG_STATE_HOME=$PWD/state %s --format json -b line.pf "
             ">line.out 2>line.err </dev/null",
             getenv("PORTOLAN"));
    (void)!system(str_text(&text));
    if (!file_read("line.out", LARGEST, &out, &err))
        fail_msg("%s", err.what);
    objects_before_exports(&out, first, count, objects);
    str_done(&text);
    str_done(&out);
}

/* Reads the CSV of line @i. It is "" if the line has no result, in which case the earlier one was
 * exported. */
static void read_rows(size_t i, struct str *csv)
{
    char name[32];
    struct err err = {0};

    snprintf(name, sizeof name, "rows-%zu.json", i);
    json_t *exported = json_load_file(name, 0, NULL);
    const char *command = json_string_value(json_object_get(exported, "command"));
    snprintf(name, sizeof name, "rows-%zu.csv", i);
    str_clear(csv);
    if (command && strcmp(command, command_of(elsewhere[i].line)->name) == 0 &&
        !file_read(name, LARGEST, csv, &err))
        fail_msg("%s", err.what);
    json_decref(exported);
}

/* Builds the program that PROGRAM loads. Without the compiler, returns false, and each use of
 * PROGRAM fails and names the missing tool. */
static bool build_program(void)
{
    struct str command = {0};

    str_addf(&command,
             "cc=$(dirname %s)/portolan-cc; source=%s/programs/matmul.c; [ ! -x $cc ] || { $cc "
             "$source -O1 -o built && $cc --untraced $source -O1 -o plain; }",
             getenv("PORTOLAN"), getenv("PORTOLAN_DATA"));
    assert_int_equal(system(str_text(&command)), 0);
    str_done(&command);
    return access("built", X_OK) == 0;
}

/* Commands outside of the script. Each object conforms to the schema, and its rows are exported as
 * CSV with the same names. */
static void test_commands_elsewhere(void **state)
{
    json_t *objects[ELSEWHERE] = {NULL};
    struct str csv = {0};
    size_t with_rows = 0;

    const bool built = build_program();
    for (size_t first = 0, next; first < ELSEWHERE; first = next) {
        for (next = first + 1; next < ELSEWHERE; next++)
            if (strcmp(elsewhere[next].before, elsewhere[first].before) != 0)
                break;
        call(first, next - first, objects + first);
    }
    for (size_t i = 0; i < ELSEWHERE; i++) {
        const char *line = elsewhere[i].line;
        const char *error = json_string_value(json_object_get(objects[i], "error"));
        assert_as_schema_says(line, objects[i]);
        if (error && (!elsewhere[i].needs || (built && strcmp(elsewhere[i].needs, COMPILER) == 0)))
            fail_msg("%s: %s", line, error);
        read_rows(i, &csv);
        if (error)
            print_message("failed, as it needs %s: %s: %s\n", elsewhere[i].needs, line, error);
        else
            with_rows += assert_same_names(line, objects[i], str_text(&csv));
        json_decref(objects[i]);
    }
    assert_true(with_rows > 0);
    str_done(&csv);
}

/* Each name has a meaning, and the documentation's rows that begin with a name equal the
 * schema's. */
static void test_names_are_documented(void **state)
{
    struct str text = {0}, row = {0};
    struct err err = {0};
    const char *name;
    size_t quoted = 0;
    json_t *rule, *names = json_object_get(
                      json_object_get(json_object_get(schema, "$defs"), "object"), "properties");
    json_object_foreach(names, name, rule)
        if (!json_string_value(json_object_get(rule, "description")))
            fail_msg("data/schema.json does not explain %s", name);
    assert_true(file_read(source_path("docs/formats.md"), LARGEST, &text, &err));
    for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n")) {
        char quote[64];
        int end = 0;
        if (sscanf(line, "| `%63[a-z_0-9]` | %n", quote, &end) != 1 || !end || line[end] == '`' ||
            !(rule = json_object_get(names, quote)))
            continue;
        const char *unit = json_string_value(json_object_get(rule, "unit"));
        str_clear(&row);
        str_addf(&row, "| `%s` | %s | %s |", quote, unit ? unit : "",
                 json_string_value(json_object_get(rule, "description")));
        assert_string_equal(line, str_text(&row));
        quoted++;
    }
    assert_true(quoted >= 40);
    str_done(&text);
    str_done(&row);
}

/* The checker detects violations of the schema. */
static void test_checker(void **state)
{
    static const struct { const char *object; bool right;
    } objects[] = {
        {"{\"schema\":1,\"command\":\"jobs\",\"jobs\":[]}", true},
        {"{\"schema\":1,\"command\":\"jobs\"}", false},
        {"{\"schema\":2,\"command\":\"jobs\",\"jobs\":[]}", false},
        {"{\"command\":\"jobs\",\"jobs\":[]}", false},
        {"{\"schema\":1,\"command\":\"jobs\",\"jobs\":[{\"nothing such\":1}]}", false},
        {"{\"schema\":1,\"command\":\"jobs\",\"jobs\":[{\"title\":1}]}", false},
        {"{\"schema\":1,\"command\":\"jobs\",\"jobs\":[{\"title\":\"x\",\"seconds\":null}]}", true},
        {"{\"schema\":1,\"command\":\"jobs\",\"error\":\"why\"}", true},
        {"{\"schema\":1,\"command\":\"program run\",\"runs\":[{\"N\":8.5,\"l2_ways\":3}]}", true},
        {"{\"schema\":1,\"command\":\"program run\",\"runs\":[{\"N\":\"8\"}]}", false},
    };
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
    snprintf(path, sizeof path, "%s/schema.json", getenv("PORTOLAN_DATA"));
    schema = json_load_file(path, 0, &error);
    if (!schema)
        print_message("%s: %s\n", path, error.text);
    return schema && chdir(work_path("")) == 0 ? 0 : -1;
}

static int done(void **state)
{
    json_decref(schema);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checker),
        cmocka_unit_test(test_no_command_is_forgotten),
        cmocka_unit_test(test_each_command),
        cmocka_unit_test(test_every_command_has_its_rows_in_csv),
        cmocka_unit_test(test_commands_elsewhere),
        cmocka_unit_test(test_names_are_documented),
    };
    return cmocka_run_group_tests(tests, in_directory, done);
}
