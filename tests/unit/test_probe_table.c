/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of probes: texts of loops, expressions, cases of facts, and damaged tables. The facts that
 * follow from the shipped tables are in test_chart_facts.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/rng.h"
#include "chart/probe_table.h"
#include "../support/charted_facts.h"
#include "../support/support.h"

/* A table with loops that are not measured. */
struct tried {
    struct probe_table *table;
    struct probes probes;
    struct probe_run *run;
};

static void try_table(struct tried *t, const char *text)
{
    struct ports ports;
    struct err err = {0};

    ports_number(&ports, 4);
    *t = (struct tried){.table = probe_table_parse(text, "table", &err)};
    if (!t->table)
        fail_msg("line %zu: %s", err.line, err.what);
    t->probes = (struct probes){.chart = chart_at(machine_new("tried", &ports), NULL, NULL, 0),
                                .width = 4.5, .filler = "lea"};
    t->run = probe_run_new(t->table, &t->probes, &err);
    assert_non_null(t->run);
}

static void tried_done(struct tried *t)
{
    probe_run_free(t->run);
    probe_table_free(t->table);
    chart_free(t->probes.chart);
    probes_done(&t->probes);
}

/* Loops of every kind of gap, in the order of their indices. */
static void test_texts(void **state)
{
    static const char text[] =
        "# a comment\n"
        "items bases\n"
        "    a | rdi\n"
        "    b | rsp\n"
        "\n"
        "items kinds\n"
        "    load  | mov r8, [{bases}]; nop\n"
        "# between\n"
        "    store | mov [{bases}], r8\n"
        "let four = 4\n"
        "loop two over kinds, 3..4: {kinds.word} {j} {trunc(width)}\n"
        "loop both over kinds, bases: {kinds}; {bases.word}; {filler}\n"
        "loop brace: vaddps zmm1 {{k1}}, zmm2\n"
        "loop one: add r8, r9; \\\n    {four: sub r{8 + k}, 1;}\n";
    static const char *const expected[] = {
        "load 3 4\n", "load 4 4\n", "store 3 4\n", "store 4 4\n", "mov r8, [rdi]\nnop\na\nlea\n",
        "mov r8, [rsp]\nnop\nb\nlea\n", "mov [rdi], r8\na\nlea\n", "mov [rsp], r8\nb\nlea\n",
        "vaddps zmm1 {k1}, zmm2\n",
        "add r8, r9\nsub r8, 1\nsub r9, 1\nsub r10, 1\nsub r11, 1\n\n"};
    struct tried t;

    try_table(&t, text);
    assert_int_equal(t.probes.list.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < t.probes.list.count; i++)
        assert_string_equal(t.probes.list.items[i].text, expected[i]);
    tried_done(&t);
}

/* Evaluates an expression by a fact that tells it. */
static double value_of(const char *expression)
{
    struct str text = {0};
    struct tried t;

    str_addf(&text,
             "items steps\n    s | 1\n    m | 20\n    l | 300\n"
             "loop load over 1..4: nop\nlet missing = load[4]\nlet twice(x, y) = 2 * x + y\n"
             "fact load_latency: cycles\n    else -> {%s} | tried\n",
             expression);
    try_table(&t, str_text(&text));
    for (size_t i = 0; i < 4; i++)
        t.probes.list.items[i].cycles = i == 3 ? NAN : 10.0 * ((double)i + 1);
    assert_true(probe_run_conclude(t.run, &(struct err){0}));
    const struct chart_fact *f = fact_of(t.probes.chart, "load_latency");
    assert_non_null(f);
    const double value = strtod(f->value, NULL);
    assert_string_equal(machine_fact(t.probes.chart->machine, "load_latency"), f->value);
    tried_done(&t);
    str_done(&text);
    return value;
}

/* Each expression by hand. */
static void test_expressions(void **state)
{
    static const struct { const char *text; double value; } cases[] = {
        {"1 + 2 * 3 - 4 / 8", 6.5},
        {"(1 + 2) * -3", -9},
        {"7 % 4 + 0.25", 3.25},
        {"1 < 2 and 2 <= 2 and not 3 < 3 and 3 >= 3 and 4 > 3 and 1 != 2 and 1 = 1", 1},
        {"0 or 1 and 0", 0},
        {"not 0 and 0", 0},
        {"10 - 4 - 3", 3},
        {"if(missing > 1, 5, 6)", 6},
        {"none(missing) + none(load[0]) + none(load[5]) + none(load[1])", 3},
        {"load[2] / width", 20 / 4.5},
        {"abs(-2) + rint(2.6) + trunc(2.6) + ceil(2.2) + min(3, missing) + max(1, 2)", 15},
        {"count(i in 1..4, load[i] >= 20)", 2},
        {"first(i in 1..4, load[i] >= 20)", 2},
        {"first(i in 1..4, load[i] > 90)", 5},
        {"last(i in 1..4, load[i] <= 20)", 2},
        {"last(i in 2..4, load[i] > 90)", 1},
        {"count(i in 3..2, 1)", 0},
        {"least(i in 1..4, load[i]) + most(i in 1..4, load[i])", 40},
        {"median(i in 1..4, load[i]) + median(i in 1..2, load[i])", 35},
        {"steps[1] + count(i in steps, steps[i] > 1)", 22},
        {"twice(load[1], 1) + twice(1, 0)", 23},
        {"count(i in 1..2, count(j in 1..3, i = j) = 1)", 2},
        {"fills + dense + none(nan) + none(machine(store_forward))", 3},
        {"none(alone(steps, 0))", 1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (fabs(value_of(cases[i].text) - cases[i].value) > 1e-5)
            fail_msg("%s: %g", cases[i].text, value_of(cases[i].text));
}

/* The first true case decides, a time without a value makes none true, and a fact without a true
 * case is not mentioned. */
static void test_cases(void **state)
{
    static const char text[] =
        "items names\n    a\n    b\n    c\n"
        "loop load over names: nop\n"
        "fact fuse_any: mnemonics\n"
        "    load[0] > 5 -> {words(i in names, load[i] >= 2)} | more than \\\n        {load[0]}\n"
        "    load[0] > 3 -> nothing\n"
        "    load[0] > 1 -> unknown | slow: {words(i in names, load[i] > 9)}\n"
        "fact some thing\n"
        "    load[2] > 0 -> unknown | never\n";
    static const struct { double first; const char *value, *why; } cases[] = {
        {6, "a b", "more than 6"}, {4, NULL, NULL}, {2, NULL, "slow: none"}, {1, NULL, NULL},
        {NAN, NULL, NULL}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tried t;
        try_table(&t, text);
        t.probes.list.items[0].cycles = cases[i].first;
        t.probes.list.items[1].cycles = 2;
        assert_true(probe_run_conclude(t.run, &(struct err){0}));
        const struct chart_fact *f = fact_of(t.probes.chart, "fuse_any");
        assert_int_equal(f != NULL, cases[i].why != NULL);
        assert_null(fact_of(t.probes.chart, "some thing"));
        if (f) {
            assert_string_equal(f->why, cases[i].why);
            assert_int_equal(f->value != NULL, cases[i].value != NULL);
            assert_true(!f->value || strcmp(f->value, cases[i].value) == 0);
        }
        tried_done(&t);
    }
}

/* Each damaged table has an error with its line. */
static void test_damaged(void **state)
{
    static const struct { const char *text; size_t line; const char *what; } cases[] = {
        {"let a = 1\nlook b: nop\n", 2, "must begin"},
        {"let a = b\n", 1, "'b' is not defined above"},
        {"let a = a\n", 1, "'a' is not defined above"},
        {"let a = 1\nlet a = 2\n", 2, "already defined"},
        {"let count = 1\n", 1, "already defined"},
        {"let a = (1 + 2\n", 1, "')' is missing"},
        {"let a = 1 2\n", 1, "unexpected text"},
        {"let a =\n", 1, "an expression is missing"},
        {"let a = 1 + \\\n    \\\n    * 2\n", 3, "an expression is missing"},
        {"let a = min(1)\n", 1, "',' is missing"},
        {"let a = machine(nonsense)\n", 1, "no fact"},
        {"let a(b, c, d, e, f) = 1\n", 1, "parameters"},
        {"let f(x) = x\nlet a = f\n", 2, "'(' is missing"},
        {"loop a: nop\nlet b = a[0]\n", 2, "unexpected text"},
        {"loop a over 0..3: nop\nlet b = a\n", 2, "'[' is missing"},
        {"loop a over 3..0: nop\n", 1, "empty"},
        {"loop a over 0..9999999999: nop\n", 1, "above"},
        {"loop a over 0..999, 0..999: nop\n", 1, "more than"},
        {"loop a over nobody: nop\n", 1, "no items 'nobody'"},
        {"loop a nop\n", 1, "':' is missing"},
        {"loop a:\n", 1, "no text"},
        {"loop a: {3: nop;\n", 1, "'}' is missing"},
        {"loop a: nop}\n", 1, "without '{'"},
        {"items g\n    a | b\nloop a: {g}\n", 3, "not run over g"},
        {"items g\n    a | b\nloop a over g, g: {g}\n", 3, "twice over g"},
        {"items g\n    a | b\nloop a over g: {g.size}\n", 3, "no column 'size'"},
        {"items g\n    a | {g}\n", 2, "'g' is not defined above"},
        {"items g\n    a | b\nitems h\n    a | {g}\nloop a over h: {h}\n", 5, "not run over g"},
        {"items g\n", 1, "no item"},
        {"items g\n    | b\n", 2, "no word"},
        {"items g\n    a | b | c | d\n", 2, "unexpected text"},
        {"fact load_latency\n", 1, "no case"},
        {"fact load_latency\n    1 > 0 | why\n", 2, "'->' is missing"},
        {"fact load_latency\n    else -> 1\n", 2, "'|' is missing"},
        {"fact load_latency\n    else -> | why\n", 2, "value is missing"},
        {"fact load_latency\n    else -> unknown |\n", 2, "reason is missing"},
        {"fact nonsense\n    else -> 1 | why\n", 2, "no fact is called 'nonsense'"},
        {"items g\n    a\nfact load_latency\n    else -> {g} | why\n", 4, "only loops"},
        {"fact load_latency\n    else -> {words(i in 1..2, 1)} | why\n", 2, "of items"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {0};
        struct probe_table *t = probe_table_parse(cases[i].text, "table", &err);
        if (t || err.line != cases[i].line || !strstr(err.what, cases[i].what))
            fail_msg("%s: line %zu: %s", cases[i].text, err.line, t ? "accepted" : err.what);
        assert_string_equal(err.file, "table");
        assert_true(err.column > 0);
    }
}

/* Nesting ends with a message, not with the stack. */
static void test_deep(void **state)
{
    static const char *const opening[] = {"(", "-", "not ", "abs(", "count(i in 1..2, "};

    for (size_t i = 0; i < sizeof opening / sizeof *opening; i++) {
        struct str text = {0};
        struct err err = {0};
        str_add(&text, "let a = ");
        for (unsigned k = 0; k < 100000; k++)
            str_add(&text, opening[i]);
        assert_null(probe_table_parse(str_text(&text), "table", &err));
        assert_non_null(strstr(err.what, "more than"));
        str_done(&text);
    }
}

/* A loop that would fill the memory is refused. */
static void test_too_long(void **state)
{
    struct err err = {0};
    struct probe_table *t = probe_table_parse("loop a: {99999999: nop;}\n", "table", &err);
    struct probes p = {.width = 4};

    assert_non_null(t);
    assert_null(probe_run_new(t, &p, &err));
    assert_non_null(strstr(err.what, "the loop a has more than"));
    probe_table_free(t);
    probes_done(&p);
}

/* Texts and expressions that take very long are refused: nested repetitions without output, nested
 * ranges, and definitions that use another one twice. */
static void test_too_many_steps(void **state)
{
    static const char *const loops[] = {
        "loop a: {65000: {65000: {65000: {0: x}}}}nop\n",
        "loop a: {count(i in 0..4095, count(j in 0..4095, count(k in 0..4095, i < j)) > 5): nop}\n",
    };
    struct str doubled = {0};
    struct err err = {0};
    struct tried t;

    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct probe_table *table = probe_table_parse(loops[i], "table", &err);
        struct probes p = {.width = 4};
        if (!table)
            fail_msg("line %zu: %s", err.line, err.what);
        assert_null(probe_run_new(table, &p, &err));
        assert_non_null(strstr(err.what, "steps"));
        probe_table_free(table);
        probes_done(&p);
    }
    str_add(&doubled, "let f0(x) = x\n");
    for (unsigned i = 0; i < 60; i++)
        str_addf(&doubled, "let f%u(x) = f%u(x) + f%u(x)\n", i + 1, i, i);
    str_add(&doubled, "fact load_latency: cycles\n    f60(1) > 0 -> 1 | tried\n");
    try_table(&t, str_text(&doubled));
    assert_false(probe_run_conclude(t.run, &err));
    assert_non_null(strstr(err.what, "steps"));
    tried_done(&t);
    str_done(&doubled);
}

/* A repetition in an item's text has no variable of the loop: the item of the other list stays the
 * same. */
static void test_repeated_items(void **state)
{
    static const char text[] =
        "items bases\n"
        "    a\n"
        "    b\n"
        "items kinds\n"
        "    load | {5: {bases};}\n"
        "loop one over bases, kinds: {kinds}\n"
        "loop two over kinds, bases: {kinds}\n";
    static const char *const expected[] = {"a\na\na\na\na\n\n", "b\nb\nb\nb\nb\n\n",
                                           "a\na\na\na\na\n\n", "b\nb\nb\nb\nb\n\n"};
    struct tried t;

    try_table(&t, text);
    assert_int_equal(t.probes.list.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < t.probes.list.count; i++)
        assert_string_equal(t.probes.list.items[i].text, expected[i]);
    tried_done(&t);
}

/* A chain of operators or of definitions nests as deeply as it is long. */
static void test_long_chains(void **state)
{
    struct str sum = {0}, sums = {0};
    struct err err = {0};

    str_add(&sum, "let a = 1");
    str_add(&sums, "let a0 = 1\n");
    for (unsigned k = 0; k < 40000; k++) {
        str_add(&sum, " + 1");
        str_addf(&sums, "let a%u = a%u + 1\n", k + 1, k);
    }
    assert_null(probe_table_parse(str_text(&sum), "table", &err));
    assert_non_null(strstr(err.what, "nests more than"));
    assert_null(probe_table_parse(str_text(&sums), "table", &err));
    assert_non_null(strstr(err.what, "nests more than"));
    assert_in_range(err.line, 900, 1100);
    str_done(&sum);
    str_done(&sums);
}

static bool count_instructions(void *state, const struct chart_block *blocks, size_t n,
                               double *cycles, struct err *err)
{
    for (size_t i = 0; i < n; i++)
        cycles[i] = (double)blocks[i].count;
    return true;
}

/* A label like those that separate probes is no index of a probe. */
static void test_labels(void **state)
{
    static const char *const addition[] = {"ADD (R64, R64)"};
    static const char text[] = "loop one: nop; nop; nop\n"
                               "loop two: nop; nop\n"
                               "loop three: nop; portolan_probe_99999999:; nop; nop; nop\n";
    static const double expected[] = {3, 2, 4};
    const struct chart_cpu cpu = {.times = count_instructions};
    struct err err = {0};
    struct ports ports;
    struct stage_lab l;
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);
    struct probe_table *table = probe_table_parse(text, "table", &err);

    assert_non_null(forms);
    assert_non_null(table);
    ports_number(&ports, 4);
    lab_on(&l, &cpu);
    struct probes p = {.lab = &l.lab,
                       .chart = chart_at(machine_new("tried", &ports), forms, addition, 1),
                       .width = 4};
    struct probe_run *run = probe_run_new(table, &p, &err);
    assert_non_null(run);
    assert_true(probes_run(&p, &err));
    for (size_t i = 0; i < 3; i++)
        assert_float_equal(probe_time(&p, i), expected[i], 0);
    probe_run_free(run);
    probe_table_free(table);
    chart_free(p.chart);
    probes_done(&p);
    forms_free(forms);
}

/* The shipped tables are read, and each of their bytes changed: the table is read or has an error
 * with a line. */
static void test_shipped(void **state)
{
    static const enum isa sets[] = {ISA_X86_64, ISA_AARCH64};
    static const char *const paths[] = {"data/probes/x86-64.probes", "data/probes/aarch64.probes"};

    for (size_t i = 0; i < 2; i++) {
        struct err err = {0};
        struct rng rng;
        struct str text = {0};
        struct probe_table *t = probe_table_load(sets[i], &err);
        assert_non_null(t);
        probe_table_free(t);
        assert_true(file_read(source_path(paths[i]), 1 << 20, &text, &err));
        rng_seed(&rng, 1);
        for (unsigned k = 0; k < 400; k++) {
            char *at = &text.data[rng_below(&rng, text.length)], before = *at;
            *at = "\n{}|;:.(k1 \\"[rng_below(&rng, 12)];
            t = probe_table_parse(text.data, "table", &err);
            assert_true(t || err.line > 0);
            probe_table_free(t);
            *at = before;
        }
        str_done(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),   cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_cases),   cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_deep),    cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_too_many_steps),
        cmocka_unit_test(test_repeated_items), cmocka_unit_test(test_long_chains),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_shipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
