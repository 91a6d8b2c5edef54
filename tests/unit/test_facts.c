/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The schema of machine facts. The shipped files conform to it, and violations are reported. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/core.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/log.h"
#include "isa/isa.h"
#include "model/change.h"
#include "model/facts.h"
#include "../support/support.h"

static size_t check_file(const struct machine *m, const char *name)
{
    struct str relative = {0};
    struct err err = {0};
    size_t rows = 0;

    str_addf(&relative, "machines/%s/%s", m->id, name);
    char *path = file_data_path(str_text(&relative));
    struct csv_table *t = path ? csv_table_read(path, &err) : NULL;
    assert_true(!path || t);
    for (size_t i = 0; t && i < t->count; i++, rows++) {
        const struct fact *f = fact_find(t->rows[i][0]);
        if (!f)
            fail_msg("%s:%zu: %s is no fact of the schema", path, t->lines[i], t->rows[i][0]);
        else if (!fact_check(f, t->rows[i][1], mapping_ports(m->mapping), &err))
            fail_msg("%s:%zu: %s", path, t->lines[i], err.what);
        /* machines for which macro-ops are µops */
        if (f && *f->unit && strncmp(f->unit, "µops", strlen("µops")) != 0 &&
            strcmp(t->rows[i][2], f->unit) != 0)
            fail_msg("%s:%zu: %s is in %s, not %s", path, t->lines[i], f->key, f->unit,
                     t->rows[i][2]);
    }
    csv_table_free(t);
    free(path);
    str_done(&relative);
    return rows;
}

static void test_shipped(void **state)
{
    char **ids = machine_ids();
    size_t before = log_count(), rows = 0;
    for (char **id = ids; *id; id++) {
        struct machine *m = load_machine(*id);
        rows += check_file(m, "machine.csv") + check_file(m, "facts.csv");
        machine_free(m);
        free(*id);
    }
    free(ids);
    assert_true(rows > 500);
    assert_int_equal(log_count(), before);   /* The loader printed no warning. */
}

static void test_schema(void **state)
{
    struct str text = {0};
    for (const struct fact *f = fact_schema; f->key; f++) {
        bool number = f->type == FACT_NUMBER || f->type == FACT_WHOLE;
        assert_ptr_equal(fact_find(f->key), f);   /* Each key occurs once. */
        assert_true(*f->meaning && f->meaning[strlen(f->meaning) - 1] != '.' && *f->reader &&
                    strlen(f->key) < 32);
        assert_true(!number || f->least < f->most);
        assert_true(f->type != FACT_CHOICE || f->words);
        assert_true(f->type != FACT_SWITCH || f->fallback);
        if (f->fallback && !fact_find(f->fallback))
            assert_true(fact_check(f, f->fallback, NULL, NULL));
        str_clear(&text);
        fact_values(f, &text);
        assert_true(text.length > 0);
    }
    str_done(&text);
    assert_null(fact_find("isue_width"));
    assert_string_equal(fact_meant("isue_width"), "issue_width");
    assert_null(fact_meant("zzzzzzzz"));
}

/* Accepts and rejects values according to the type of their fact. */
static void test_values(void **state)
{
    static const struct { const char *key, *value; bool fits;
    } cases[] = {
        {"issue_width", "4", true},
        {"issue_width", "4.5", true},
        {"issue_width", "0", false},
        {"issue_width", "", false},
        {"issue_width", "four", false},
        {"issue_width", "4 ", false},
        {"issue_width", " 4", false},
        {"issue_width", "inf", false},
        {"issue_width", "nan", false},
        {"reorder_buffer", "97.5", false},
        {"reorder_buffer", "97", true},
        {"reorder_buffer", "65537", false},
        {"loop_buffer", "0", true},
        {"loop_buffer", "-1", false},
        {"copies_cached", "1.1", false},
        {"stack_engine", "yes", true},
        {"stack_engine", "true", false},
        {"unlaminate", "all", true},
        {"unlaminate", "all none", false},
        {"eliminate", "gpr32, xmm", true},
        {"eliminate", "gpr32 gpr33", false},
        {"eliminate", "", true},
        {"fuse_any", "anything", true},
        {"indexed_store_ports", "p01", true},
        {"indexed_store_ports", "p09", false},
        {"indexed_store_ports", "p01x", false},
    };
    struct ports ports = {0};
    ports_add(&ports, "0", NULL);
    ports_add(&ports, "1", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {0};
        if (fact_check(fact_find(cases[i].key), cases[i].value, &ports, &err) != cases[i].fits)
            fail_msg("%s = \"%s\": %s", cases[i].key, cases[i].value, err.what);
        assert_true(cases[i].fits || strstr(err.what, cases[i].key));
    }
}

static const char *const broken =
    "key,value,unit,source\nports,\"0,1\",,\nisue_width,4,,\nscheduler,many,,\n\nretire_width,0,,"
    "\nstack_engine,maybe,,\nissue_width,6,,\n";

/* Warnings have file and line. An invalid value is ignored. */
static void test_loader_warns(void **state)
{
    static const char *const expected[] = {
        "facts.csv:3: unknown fact \"isue_width\"; did you mean issue_width?",
        "facts.csv:4: scheduler must be a whole number from 1 to 65536, not \"many\"",
        "facts.csv:6: retire_width must be from 1 to 65536, not 0",
        "facts.csv:7: stack_engine must be yes or no, not \"maybe\""};
    struct ports none = {0}, ports = {0};
    struct machine *m = machine_new("x", &none);
    size_t before = log_count();
    assert_true(machine_parse_facts(m, &ports, "facts.csv", broken, strlen(broken), NULL));
    assert_int_equal(log_count() - before, 4);
    for (size_t i = 0; i < 4; i++) {
        struct log_line line;
        assert_true(log_get(before + i, &line));
        if (line.level != LOG_WARN || !strstr(line.text, expected[i]))
            fail_msg("%s", line.text);
        free(line.text);
    }
    assert_true(fact_number(m, "scheduler") == 96 && isnan(fact_number(m, "predecode_width")) &&
                !fact_switch(m, "stack_engine"));
    assert_true(fact_number(m, "issue_width") == 6);
    machine_free(m);
}

/* A thousand unknown facts cause at most 21 lines of warnings. */
static void test_few_warnings(void **state)
{
    struct str text = {0};
    struct ports none = {0};
    struct machine *m = machine_new("x", &none);
    size_t before = log_count();
    str_add(&text, "key,value\n");
    for (int i = 0; i < 1000; i++)
        str_addf(&text, "unknown%d,1\n", i);
    assert_true(machine_parse_facts(m, NULL, "facts.csv", str_text(&text), text.length, NULL));
    assert_true(log_count() - before <= 21);
    machine_free(m);
    str_done(&text);
}

/* The default of a fact is a number, another fact, the other fact's default, or none. */
static void test_otherwise(void **state)
{
    struct ports ports = {0};
    ports_add(&ports, "0", NULL);
    struct machine *m = machine_new("x", &ports);
    assert_true(fact_number(m, "reorder_buffer") == 256);
    assert_true(isnan(fact_number(m, "store_forward_wide")) &&
                isnan(fact_number(m, "load_latency")));
    machine_set_fact(m, "load_latency", "5", "", "");
    assert_true(fact_number(m, "store_forward_wide") == 5 &&
                fact_number(m, "load_latency_scalar") == 5);
    machine_set_fact(m, "store_forward_vector", "7", "", "");
    assert_true(fact_number(m, "store_forward_wide") == 7 &&
                fact_number(m, "store_forward_fail") == 5);
    machine_set_fact(m, "load_latency_vector", "6", "", "");
    assert_true(fact_number(m, "load_latency_scalar") == 6);
    machine_set_fact(m, "scheduler", "1e9", "", "");
    assert_true(fact_number(m, "scheduler") == 65536);
    assert_true(fact_switch(m, "fusible_in_last_decoder") && !fact_switch(m, "jcc_erratum"));
    struct core *c = core_new(m);
    assert_true(c->store_forward_wide == 7 && c->reorder_buffer == 256 &&
                c->fusible_in_last_decoder && isnan(c->issue_width));
    core_free(c);
    machine_free(m);
}

/* Constant texts that list the instruction sets have all of their names. */
static void test_sets(void **state)
{
    struct str choices = {0}, words = {0}, prose = {0};

    for (int i = 0; i < ISA_COUNT; i++) {
        enum isa isa = ISA_COUNT;
        str_addf(&choices, "%s%s", i ? "|" : "", isa_name((enum isa)i));
        str_addf(&words, "%s%s", i ? " " : "", isa_name((enum isa)i));
        assert_true(isa_parse(isa_name((enum isa)i), &isa) && isa == (enum isa)i);
    }
    assert_string_equal(ISA_CHOICES, str_text(&choices));
    assert_string_equal(fact_find("isa")->words, str_text(&words));
    assert_string_equal(ISA_UNSAID_NAME, isa_name(ISA_UNSAID));
    isa_list(true, " nor ", &prose);
    str_clear(&words);
    for (int i = 0; i < ISA_COUNT; i++)
        str_addf(&words, "%s%s",
                 i == 0              ? ""
                 : i + 1 < ISA_COUNT ? ", "
                                     : " nor ",
                 isa_ops((enum isa)i)->title);
    assert_string_equal(str_text(&prose), str_text(&words));
    str_done(&choices);
    str_done(&words);
    str_done(&prose);
}

/* A former key of a fact is read as the current one. */
static void test_former_keys(void **state)
{
    struct machine *m = load_machine("skylake");
    struct err err = {0};

    assert_true(fact_find("port_turns") == fact_find("port_binding") &&
                fact_find("store_forward_renamed") == fact_find("memory_renaming"));
    assert_true(fact_find("rename_sum") == fact_find("immediate_folding") &&
                fact_find("stack_sync") == fact_find("stack_pointer_sync"));
    assert_true(machine_change(m, "port_turns", "computing", &err));
    assert_string_equal(machine_fact(m, "port_binding"), "computing");
    assert_null(machine_fact(m, "port_turns"));
    machine_free(m);
}

/* Fitted facts are marked as fitted, and each machine with such a fact names the times to which it
 * was fitted. */
static void test_fitted(void **state)
{
    char **ids = machine_ids();
    size_t found = 0;

    assert_true(fact_find("load_replays")->kind == FACT_FITTED &&
                fact_find("isa")->kind == FACT_FIXED &&
                fact_find("issue_width")->kind == FACT_USUAL);
    for (char **id = ids; *id; id++) {
        struct machine *m = load_machine(*id);
        for (size_t i = 0; i < m->fact_count; i++)
            if (fact_find(m->facts[i].key)->kind == FACT_FITTED) {
                found++;
                assert_true(strlen(m->facts[i].source) > 10);
            }
        machine_free(m);
        free(*id);
    }
    free(ids);
    assert_true(found > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped),      cmocka_unit_test(test_schema),
        cmocka_unit_test(test_values),       cmocka_unit_test(test_loader_warns),
        cmocka_unit_test(test_few_warnings), cmocka_unit_test(test_otherwise),
        cmocka_unit_test(test_sets),         cmocka_unit_test(test_former_keys),
        cmocka_unit_test(test_fitted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
