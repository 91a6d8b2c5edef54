/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsing by libraries. Input with quadratic cost is rejected early, and cancelling takes effect
 * within one long value. Steps are counted, and no clock is read. */
#include <stdio.h>
#include <string.h>

#include "base/watch.h"
#include "io/pmevo_json.h"
#include "io/population_file.h"
#include "io/uops_table.h"
#include "io/yaml_tree.h"
#include "../support/support.h"

static bool read_yaml(const char *piece, size_t count)
{
    struct str text = {0};
    struct yaml_tree tree;
    struct err err = {0};

    for (size_t i = 0; i < count; i++)
        str_addf(&text, piece, i);
    bool ok = yaml_tree_parse("text", text.data, text.length, &tree, &err);
    assert_true(ok || err.what[0]);
    yaml_tree_done(&tree);
    str_done(&text);
    return ok;
}

static void flat_list(size_t count)
{
    assert_true(read_yaml("- [%zu, x]\n", count));
}

static void test_trees(void **state)
{
    assert_grows(flat_list, 2000);
    /* Input with quadratic cost in libyaml is rejected early, regardless of its length. */
    static const char *const bad[] = {
        "[",
        "{a: ",
        "- ",
        "- &a%zu x\n",
        "%%TAG !a%zu! tag:x,2000:\n",
        "- &a x\n- *a\n- *a\n- *a\n- *a\n- *a\n- *a\n- *a\n- *a\n- *a\n- *a\n- *a\n- *a\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t before = steps_taken;
        assert_false(read_yaml(bad[i], 200000));
        assert_true(steps_taken - before < 30000);
    }
}

static bool read_xml(const struct str *text, struct err *err)
{
    struct uops_table t = {0};
    struct uops_xml *x = uops_xml_new(&t, "text", NULL);
    const bool ok = uops_xml_feed(x, text->data, text->length, true, err);

    uops_xml_free(x);
    uops_table_done(&t);
    return ok;
}

/* Input with quadratic cost in expat is rejected early, regardless of its length: defaults of
 * attributes, which every element would get, incomplete tags, and open elements. */
static void test_xml_trees(void **state)
{
    static const struct { const char *begin, *piece, *reason;
    } bad[] = {
        {"<!DOCTYPE r [", "<!ATTLIST instruction a%zu CDATA 'x'>", "DOCTYPE"},
        {"<r><instruction ", "a%zu='x' ", "more than a megabyte"},
        {"<r><!-- ", "comment %zu", "more than a megabyte"},
        {"<r><instruction a='", "%zu,", "more than a megabyte"},
        {"<!-- ", "comment %zu", "more than a megabyte"},
        {"<r>", "<a>", "too deeply"},
        {"<r><?x ", "y%zu", "more than a megabyte"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct str text = {0};
        struct err err = {0};
        str_add(&text, bad[i].begin);
        for (size_t k = 0; text.length < ((size_t)16 << 20); k++)
            str_addf(&text, bad[i].piece, k);
        const uint64_t before = steps_taken;
        if (read_xml(&text, &err) || !strstr(err.what, bad[i].reason))
            fail_msg("%s: %s", bad[i].piece, err.what);
        if (steps_taken - before > 30000)
            fail_msg("%s: %llu steps", bad[i].piece, (unsigned long long)(steps_taken - before));
        str_done(&text);
    }
}

static bool at_third(void *state)
{
    return ++*(unsigned *)state >= 3;
}

static bool load_yaml(const struct str *text, struct err *err)
{
    struct yaml_tree tree;
    const bool ok = yaml_tree_parse("text", text->data, text->length, &tree, err);
    yaml_tree_done(&tree);
    return ok;
}

static bool load_json(const struct str *text, struct err *err)
{
    struct experiments *t = pmevo_experiments_parse("text", text->data, text->length, err);
    experiments_free(t);
    return t;
}

static bool load_population(const struct str *text, struct err *err)
{
    struct population p;
    return population_parse("text", text->data, text->length, &p, err);
}

/* A library reports one long value in one call. Cancelling takes effect within it, and little work
 * follows. */
static void test_ends_within_a_value(void **state)
{
    static const struct {
        const char *begin, *end;
        bool (*load)(const struct str *text, struct err *err);
    } values[] = {
        {"- '", "'\n", load_yaml},
        {"- |\n ", "\n", load_yaml},
        {"<r>", "</r>", read_xml},
        {"{\"kind\": \"", "\"}", load_json},
        {"{\"kind\": \"", "\"}", load_population},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct str text = {0};
        struct err err = {0};
        unsigned asked = 0;
        str_add(&text, values[i].begin);
        while (text.length < ((size_t)8 << 20))
            str_add(&text, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
        str_add(&text, values[i].end);
        const uint64_t before = steps_taken;
        const struct watch was = watch_begin(at_third, &asked);
        const bool ok = values[i].load(&text, &err);
        watch_restore(was);
        if (ok || err.code != ERR_INTERRUPTED)
            fail_msg("value %zu: %s", i, err.what);
        if (steps_taken - before > 5 * WATCH_STEPS)
            fail_msg("value %zu: %llu steps", i, (unsigned long long)(steps_taken - before));
        str_done(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_trees),
                                       cmocka_unit_test(test_xml_trees),
                                       cmocka_unit_test(test_ends_within_a_value)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
