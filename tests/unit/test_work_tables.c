/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work grows with the input, not with its square: the tables that test_work does not read, and names that somebody chose so that they meet. Steps are counted, no clock is
 * asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/steps.h"
#include "io/experiments_file.h"
#include "io/machine_file.h"
#include "../support/support.h"

#define CHOSEN 1500
#define PLACES 4096   /* of a table that has room for them */

/* Names whose hash without a secret has the same place in the table: anybody can find them, and each would be looked for behind all before it. */
static char **meeting_names(void)
{
    char **names = mem_alloc(CHOSEN * sizeof *names), name[32];
    size_t count = 0;

    for (unsigned long i = 0; count < CHOSEN; i++) {
        int length = snprintf(name, sizeof name, "F%lu", i);
        uint64_t hash = hash_fixed(HASH_START, name, (size_t)length);
        if (((hash ^ hash >> 32) & (PLACES - 1)) == 0)
            names[count++] = mem_strdup(name);
    }
    return names;
}

static void as_names(char *const *names)
{
    struct names n = {0};

    for (size_t i = 0; i < CHOSEN; i++)
        assert_int_equal(names_add(&n, names[i]), i);
    names_done(&n);
}

static void as_forms(char *const *names)
{
    struct str text = {0};
    struct err err = {0};
    struct ports ports = {0};

    ports_number(&ports, 4);
    struct mapping *m = mapping_new(&ports);
    str_add(&text, "form,usage\n");
    for (size_t i = 0; i < CHOSEN; i++)
        str_addf(&text, "%s,1*p0\n", names[i]);
    if (!machine_parse_mapping(m, "text", text.data, text.length, false, &err))
        fail_msg("%s", err.what);
    mapping_free(m);
    str_done(&text);
}

static void as_experiments(char *const *names)
{
    struct str text = {0};
    struct err err = {0};

    str_add(&text, "experiment,cycles\n");
    for (size_t i = 0; i < CHOSEN; i++)
        str_addf(&text, "%s,1\n", names[i]);
    struct experiments *t = experiments_parse("text", text.data, text.length, &err);
    assert_non_null(t);
    assert_int_equal(t->forms.count, CHOSEN);
    experiments_free(t);
    str_done(&text);
}

static uint64_t steps_for(void (*use)(char *const *names), char *const *names)
{
    uint64_t before = steps_taken;
    use(names);
    return steps_taken - before;
}

static void test_chosen_names(void **state)
{
    static void (*const uses[])(char *const *names) = {as_names, as_forms, as_experiments};
    char **chosen = meeting_names(), **ordinary = mem_alloc(CHOSEN * sizeof *ordinary), name[32];

    (void)state;
    for (size_t i = 0; i < CHOSEN; i++) {
        snprintf(name, sizeof name, "G%zu", i);
        ordinary[i] = mem_strdup(name);
    }
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        uint64_t usual = steps_for(uses[i], ordinary), most = steps_for(uses[i], chosen);
        /* Where names stand differs from process to process; all behind each other would be a million steps. */
        if (most > 2 * usual + 10 * CHOSEN)
            fail_msg("use %zu: %llu steps, ordinary names %llu", i, (unsigned long long)most, (unsigned long long)usual);
    }
    for (size_t i = 0; i < CHOSEN; i++) {
        free(chosen[i]);
        free(ordinary[i]);
    }
    free(chosen);
    free(ordinary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chosen_names)};
    return cmocka_run_group_tests_name("work_tables", tests, NULL, NULL);
}
