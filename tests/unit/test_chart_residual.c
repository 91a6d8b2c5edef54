/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forms whose times exceed the port bound with one partner. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart/place.h"
#include "../support/charts.h"
#include "../support/support.h"

#define CORE 10
#define SLOW_BY 1.15
#define MANY 15 /* more experiments than distinguish usages; one per set of ports is over 20 */

static const char *const by_hand[][2] = {
    {"ADD (R64, R64)", "1*p0156"},       {"SHL (R64, I8)", "1*p06"},
    {"IMUL (R64, R64)", "1*p1"},         {"LEA_B_D8 (R64)", "1*p15"},
    {"MOV (R64, M64)", "1*p23"},         {"MOV (M64, R64)", "1*p4+1*p237"},
    {"PSHUFD (XMM, XMM, I8)", "1*p5"},   {"PADDD (XMM, XMM)", "1*p015"},
    {"MULPS (XMM, XMM)", "1*p01"},       {"PMOVMSKB (R32, XMM)", "1*p0"},
    {"ADD (R64, M64)", "1*p0156+1*p23"}, {"SUB (R64, M64)", "1*p0156+1*p23"},
    {"AND (R64, M64)", "1*p0156+1*p23"}, {"OR (R64, M64)", "1*p0156+1*p23"},
    {"XOR (R64, M64)", "1*p0156+1*p23"}, {"CMP (R64, M64)", "1*p0156+1*p23"},
    {"ADD (R32, M32)", "1*p0156+1*p23"}, {"SUB (R32, M32)", "1*p0156+1*p23"},
    {"AND (R32, M32)", "1*p0156+1*p23"}, {"OR (R32, M32)", "1*p0156+1*p23"},
};
#define FORMS (sizeof by_hand / sizeof *by_hand)
static void put(struct mapping *m, const char *const form[2])
{
    struct mapping_entry entry = {
        .form = (char *)form[0], .latency = NAN, .micro_ops = 1, .source = (char *)""};
    struct err err = {0};

    assert_true(usage_parse(form[1], mapping_ports(m), &entry.usage, &err));
    mapping_set(m, &entry);
    usage_done(&entry.usage);
}

static struct machine *eight_ports(void)
{
    struct ports names;

    ports_number(&names, 8);
    struct machine *m = machine_new("by hand", &names);
    for (size_t i = 0; i < FORMS; i++)
        put(m->mapping, by_hand[i]);
    return m;
}

static bool is_placed(const char *form)
{
    for (size_t i = CORE; i < FORMS; i++)
        if (strcmp(by_hand[i][0], form) == 0)
            return true;
    return false;
}

#define SLOW_WITH "IMUL (R64, R64)"

/* A form that loads and computes exceeds its port bound with a partner. */
static void delay_with(const void *state, const struct experiment *e, struct measured *m)
{
    bool placed = false, with = false;

    for (size_t i = 0; i < e->count; i++) {
        placed |= is_placed(e->terms[i].form);
        with |= strcmp(e->terms[i].form, SLOW_WITH) == 0;
    }
    m->cycles *= placed && with ? SLOW_BY : 1;
}

/* Places the ten forms on a CPU where they are slower. Writes the placements to @out, which the
 * caller frees. */
static void place_ten(struct ports *ports, struct placement out[FORMS])
{
    static const struct chart_options options = {.name = "charted", .seed = 1};
    struct place_form forms[FORMS];
    struct chart_bed b;
    struct lab lab;
    struct err err = {0};

    chart_bed_init(&b, eight_ports(), "*", 0);
    chart_bed_alter(&b, delay_with, NULL);
    struct mapping *core = mapping_new(mapping_ports(b.truth->mapping));
    for (size_t i = 0; i < CORE; i++)
        put(core, by_hand[i]);
    double *times = mem_alloc((mapping_count(b.truth->mapping) + 1) * sizeof *times);
    chart_bed_lab(&b, &options, &lab, times);
    lab.above_ports = true;
    for (size_t i = CORE; i < FORMS; i++) {
        uint32_t at = names_find(&lab.table->forms, by_hand[i][0]);
        forms[i] = (struct place_form){.form = at, .alone = times[at]};
    }
    if (!place_forms(&lab, core, forms + CORE, FORMS - CORE, ports, out + CORE, &err))
        fail_msg("%s", err.what);
    free(times);
    experiments_free(lab.table);
    lab_done(&lab);
    mapping_free(core);
    chart_bed_done(&b);
}

/* The partner's ports get no µop, and no form needs an experiment with every set of ports. */
static void test_slow_forms_keep_their_usage(void **state)
{
    struct placement out[FORMS] = {{.error = NAN}};
    struct ports ports;

    place_ten(&ports, out);
    for (size_t i = CORE; i < FORMS; i++) {
        struct str text = {0};
        usage_print(&out[i].usage, &ports, &text);
        assert_true(out[i].explained);
        assert_string_equal(str_text(&text), "1*p23+1*p0156");
        assert_true(out[i].experiments < MANY);
        str_done(&text);
        placement_done(&out[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_slow_forms_keep_their_usage)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
