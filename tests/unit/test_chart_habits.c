/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forms that are late by one usage as others are: few of them run beside everything. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chart/habits.h"
#include "chart/place.h"

#include "../support/charts.h"
#include "../support/support.h"

#define CORE 10
#define LATE 1.15

static const char *const by_hand[][2] = {
    {"ADD (R64, R64)", "1*p0156"}, {"SHL (R64, I8)", "1*p06"}, {"IMUL (R64, R64)", "1*p1"}, {"LEA_B_D8 (R64)", "1*p15"}, {"MOV (R64, M64)", "1*p23"},
    {"MOV (M64, R64)", "1*p4+1*p237"}, {"PSHUFD (XMM, XMM, I8)", "1*p5"}, {"PADDD (XMM, XMM)", "1*p015"}, {"MULPS (XMM, XMM)", "1*p01"}, {"PMOVMSKB (R32, XMM)", "1*p0"},
    {"ADD (R64, M64)", "1*p0156+1*p23"},
    {"SUB (R64, M64)", "1*p0156+1*p23"},
    {"AND (R64, M64)", "1*p0156+1*p23"},
    {"OR (R64, M64)", "1*p0156+1*p23"},
    {"XOR (R64, M64)", "1*p0156+1*p23"},
    {"CMP (R64, M64)", "1*p0156+1*p23"},
    {"ADD (R32, M32)", "1*p0156+1*p23"},
    {"SUB (R32, M32)", "1*p0156+1*p23"},
    {"AND (R32, M32)", "1*p0156+1*p23"},
    {"OR (R32, M32)", "1*p0156+1*p23"},
};
#define FORMS (sizeof by_hand / sizeof *by_hand)

static struct machine *eight_ports(void)
{
    struct ports names;
    struct err err = {0};

    ports_number(&names, 8);
    struct machine *m = machine_new("by hand", &names);
    for (size_t i = 0; i < FORMS; i++) {
        struct mapping_entry entry = {.form = (char *)by_hand[i][0], .latency = NAN, .micro_ops = 1, .source = (char *)""};
        assert_true(usage_parse(by_hand[i][1], &names, &entry.usage, &err));
        mapping_set(m->mapping, &entry);
        usage_done(&entry.usage);
    }
    return m;
}

static bool is_placed(const char *form)
{
    for (size_t i = CORE; i < FORMS; i++)
        if (strcmp(by_hand[i][0], form) == 0)
            return true;
    return false;
}

/* Beside the form @state what loads and computes takes longer than ports say. */
static void late_beside(const void *state, const struct experiment *e, struct measured *m)
{
    bool placed = false, beside = false;

    for (size_t i = 0; i < e->count; i++) {
        placed |= is_placed(e->terms[i].form);
        beside |= strcmp(e->terms[i].form, state) == 0;
    }
    m->cycles *= placed && beside ? LATE : 1;
}

/* Places the ten; how many experiments each took into @experiments. All are explained, by their usage. */
static void place_ten(unsigned experiments[FORMS])
{
    static const struct chart_options options = {.name = "charted", .seed = 1};
    struct placement out[FORMS] = {{.error = NAN}};
    struct place_form forms[FORMS];
    struct chart_bed b;
    struct lab lab;
    struct ports ports;
    struct err err = {0};

    chart_bed_init(&b, eight_ports(), "*", 0);
    chart_bed_alter(&b, late_beside, "IMUL (R64, R64)");
    struct mapping *core = mapping_new(mapping_ports(b.truth->mapping));
    for (size_t i = 0; i < CORE; i++)
        mapping_set(core, mapping_find(b.truth->mapping, by_hand[i][0]));
    double *times = mem_alloc((mapping_count(b.truth->mapping) + 1) * sizeof *times);
    chart_bed_lab(&b, &options, &lab, times);
    lab.late = true;
    for (size_t i = CORE; i < FORMS; i++) {
        uint32_t at = names_find(&lab.table->forms, by_hand[i][0]);
        forms[i] = (struct place_form){.form = at, .alone = times[at]};
    }
    if (!place_forms(&lab, core, forms + CORE, FORMS - CORE, &ports, out + CORE, &err))
        fail_msg("%s", err.what);
    for (size_t i = CORE; i < FORMS; i++) {
        struct str text = {0};
        usage_print(&out[i].usage, &ports, &text);
        assert_true(out[i].explained);
        assert_string_equal(str_text(&text), "1*p23+1*p0156");
        experiments[i] = out[i].experiments;
        str_done(&text);
        placement_done(&out[i]);
    }
    free(times);
    experiments_free(lab.table);
    mapping_free(core);
    chart_bed_done(&b);
}

static void test_few_run_beside_everything(void **state)
{
    unsigned experiments[FORMS] = {0}, most = 0, many = 0;

    (void)state;
    place_ten(experiments);
    for (size_t i = CORE; i < FORMS; i++)
        most = experiments[i] > most ? experiments[i] : most;
    for (size_t i = CORE; i < FORMS; i++)
        many += experiments[i] > most / 2;
    assert_true(most > 20);
    assert_int_equal(many, HABIT_LEADERS);
}

/* The first ones lead, others wait for them; where one of them comes to another usage, each runs beside everything. */
static void test_leaders_that_change_are_no_example(void **state)
{
    struct habits h = {0};
    struct guess g = {.n = 1, .slots = 1}, other = {.n = 1, .slots = 2};
    struct sights none = {0};

    (void)state;
    for (unsigned i = 0; i < HABIT_LEADERS; i++)
        assert_int_equal(habits_ask(&h, &g), HABIT_LEAD);
    assert_int_equal(habits_ask(&h, &g), HABIT_WAIT);
    assert_int_equal(habits_ask(&h, &other), HABIT_LEAD);   /* of its own */
    habits_tell(&h, &g, &none, true);
    assert_int_equal(habits_ask(&h, &g), HABIT_WAIT);
    habits_tell(&h, &g, &none, false);
    assert_int_equal(habits_ask(&h, &g), HABIT_ALONE);
    habits_done(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_run_beside_everything),
        cmocka_unit_test(test_leaders_that_change_are_no_example),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
