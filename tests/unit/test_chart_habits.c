/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forms whose times exceed the port bound with the same partner usage. Only a few of them are
 * measured with every form. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chart/slow_pairs.h"
#include "chart/place.h"

#include "../support/charts.h"
#include "../support/support.h"

#define CORE 10
#define LATE 1.15

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
/* With these forms and the ten of the core, a form has more possible experiments than all rounds
 * request. */
static const char *const more[][2] = {{"BSWAP (R64)", "1*p05"},    {"ADC (R64, R64)", "1*p6"},
                                      {"BSF (R64, R64)", "1*p56"}, {"BT (R64, R64)", "1*p0"},
                                      {"SHR (R64, I8)", "1*p2"},   {"BLSR (R64, R64)", "1*p16"}};
#define MORE (sizeof more / sizeof *more)

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
    for (size_t i = 0; i < MORE; i++)
        put(m->mapping, more[i]);
    return m;
}

static bool is_placed(const char *form)
{
    for (size_t i = CORE; i < FORMS; i++)
        if (strcmp(by_hand[i][0], form) == 0)
            return true;
    return false;
}

#define LATE_BESIDE "IMUL (R64, R64)"
#define LAST_LATE 1.2

/* A form that loads and computes exceeds its port bound with a partner. */
static void late_beside(const void *state, const struct experiment *e, struct measured *m)
{
    bool placed = false, beside = false;

    (void)state;
    for (size_t i = 0; i < e->count; i++) {
        placed |= is_placed(e->terms[i].form);
        beside |= strcmp(e->terms[i].form, LATE_BESIDE) == 0;
    }
    m->cycles *= placed && beside ? LATE : 1;
}

/* In the last round of the lab @state, the forms exceed the port bound with all partners. In the
 * two rounds before, their times are correct. In earlier rounds their experiments have no time. */
static void late_at_last(const void *state, const struct experiment *e, struct measured *m)
{
    static const char *const right[] = {", round 28", ", round 29"}, last[] = ", round 30";
    const struct lab *lab = state;
    bool placed = false;

    for (size_t i = 0; i < e->count; i++)
        placed |= e->count > 1 && is_placed(e->terms[i].form);
    if (placed && strstr(lab->what, last))
        m->cycles *= LAST_LATE;
    else if (placed && !strstr(lab->what, right[0]) && !strstr(lab->what, right[1]))
        *m = (struct measured){.cycles = NAN, .state = "no time yet"};
}

/* Places the ten forms with a core extended by @extra forms. @alter changes the times, with the lab
 * as its state. Writes the placements to @out, which the caller frees. */
static void place_ten(size_t extra,
                      void (*alter)(const void *state, const struct experiment *e,
                                    struct measured *m),
                      struct ports *ports, struct placement out[FORMS])
{
    static const struct chart_options options = {.name = "charted", .seed = 1};
    struct place_form forms[FORMS];
    struct chart_bed b;
    struct lab lab;
    struct err err = {0};

    chart_bed_init(&b, eight_ports(), "*", 0);
    chart_bed_alter(&b, alter, &lab);
    struct mapping *core = mapping_new(mapping_ports(b.truth->mapping));
    for (size_t i = 0; i < CORE; i++)
        put(core, by_hand[i]);
    for (size_t i = 0; i < extra; i++)
        put(core, more[i]);
    double *times = mem_alloc((mapping_count(b.truth->mapping) + 1) * sizeof *times);
    chart_bed_lab(&b, &options, &lab, times);
    lab.late = true;
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

static void test_few_run_beside_everything(void **state)
{
    struct placement out[FORMS] = {{.error = NAN}};
    struct ports ports;
    unsigned most = 0, many = 0;

    (void)state;
    place_ten(0, late_beside, &ports, out);
    for (size_t i = CORE; i < FORMS; i++) {
        struct str text = {0};
        usage_print(&out[i].usage, &ports, &text);
        assert_true(out[i].explained);
        assert_string_equal(str_text(&text), "1*p23+1*p0156");
        most = out[i].experiments > most ? out[i].experiments : most;
        str_done(&text);
    }
    for (size_t i = CORE; i < FORMS; i++) {
        many += out[i].experiments > most / 2;
        placement_done(&out[i]);
    }
    assert_true(most > 20);
    assert_int_equal(many, SLOW_PAIRS_LEADERS);
}

/* All forms exceed the port bound for the first time in the last round, and still request
 * experiments. Their times could not be evaluated, so no usage is certain. */
static void test_what_asks_in_the_end_is_not_sure(void **state)
{
    struct placement out[FORMS] = {{.error = NAN}};
    struct ports ports;

    (void)state;
    place_ten(MORE, late_at_last, &ports, out);
    for (size_t i = CORE; i < FORMS; i++) {
        assert_true(out[i].explained);
        assert_true(out[i].experiments < 10);
        assert_true(out[i].confidence < 0.5);
        assert_non_null(out[i].rival);
        assert_true(out[i].other_count > 0);   /* alternatives that no experiment has excluded */
        placement_done(&out[i]);
    }
}

/* The first forms are leaders, and the others wait for them. A form with times above those of the
 * leaders is measured with every form. */
static void test_leaders_come_first(void **state)
{
    struct slow_pairs h = {0};
    struct guess g = {.n = 1, .slots = 1}, other = {.n = 1, .slots = 2};
    struct sights none = {0};

    (void)state;
    for (unsigned i = 0; i < SLOW_PAIRS_LEADERS; i++)
        assert_int_equal(slow_pairs_advise(&h, &g), SLOW_PAIRS_LEAD);
    assert_int_equal(slow_pairs_advise(&h, &g), SLOW_PAIRS_WAIT);
    /* Another usage has its own leaders. */
    assert_int_equal(slow_pairs_advise(&h, &other), SLOW_PAIRS_LEAD);
    for (unsigned i = 0; i < SLOW_PAIRS_LEADERS; i++) {
        assert_int_equal(slow_pairs_advise(&h, &g), SLOW_PAIRS_WAIT);
        slow_pairs_record(&h, &g, &other, &none);
    }
    assert_int_equal(slow_pairs_advise(&h, &g), SLOW_PAIRS_ALONE);
    slow_pairs_done(&h);
}

#define LOADS 0xc            /* ports of loads in by_hand */

/* Returns a guess of one load and another µop. */
static struct guess loads_and(const struct lattice *lattice, portset other)
{
    struct guess g = {.n = 2, .slots = 1};

    g.uops[0].set = (uint16_t)lattice_set(lattice, LOADS);
    g.uops[1].set = (uint16_t)lattice_set(lattice, other);
    g.uops[0].count = g.uops[1].count = 1;
    return g;
}

/* Whether and how a form is recorded as a leader. */
enum telling {
    TELL_NOT,
    TELL,
    TELL_UNEXPLAINED,   /* No usage explains its times. */
};

/* Returns the number of times above the port bound that are new for a form with guess @g. With 4
 * and 8 copies of the saturator of @ports, the form takes @late times its port bound. @tell
 * determines how the form is then recorded as a leader. */
static size_t new_beside(struct slow_pairs *h, const struct lattice *lattice,
                         const struct saturators *saturators, const struct guess *g, portset ports,
                         double late, enum telling tell)
{
    struct sights sights = {.lattice = lattice, .saturators = saturators};
    float row[COLUMNS_MOST];
    size_t at = 0;

    while (saturators->list.items[at].ports != ports)
        at++;
    guess_row(g, lattice, row);
    for (unsigned times = 4; times <= 8; times += 4)
        sights_add(&sights,
                   (struct sight){
                       at, times,
                       late * guess_cycles(g, row, lattice, &saturators->list.items[at], times)});
    const size_t is_new = slow_pairs_matching(h, g, &sights);
    if (tell)
        slow_pairs_record(h, g, tell == TELL ? g : NULL, &sights);
    sights_done(&sights);
    return is_new;
}

/* A form whose load exceeds the port bound with other loads does so regardless of its other µops.
 * The time is not new if leaders had at least the same excess. */
static void test_late_by_what_they_share(void **state)
{
    struct machine *m = eight_ports();
    struct mapping *core = mapping_new(mapping_ports(m->mapping));
    struct lattice *lattice = mem_zero(1, sizeof *lattice);
    struct saturators found = {0};
    struct slow_pairs h = {0};

    (void)state;
    for (size_t i = 0; i < CORE; i++)
        put(core, by_hand[i]);
    lattice_make(core, INFINITY, 0.008, lattice);
    lattice->late = true;
    saturators_find(core, lattice, NULL, &found);
    const struct guess multiplies = loads_and(lattice, 0x2), adds = loads_and(lattice, 0x63);
    struct guess twice = multiplies, only = {.n = 1, .slots = 1};
    twice.uops[0].count = 2;
    only.uops[0] = adds.uops[1];
    for (unsigned i = 0; i < SLOW_PAIRS_LEADERS; i++) {
        assert_int_equal(slow_pairs_advise(&h, &only), SLOW_PAIRS_LEAD);
        assert_int_equal(new_beside(&h, lattice, &found, &only, LOADS, LATE, TELL_UNEXPLAINED), 2);
    }
    /* No usage explained the leaders' times, so they are no examples. */
    assert_int_equal(new_beside(&h, lattice, &found, &only, LOADS, LATE, TELL_NOT), 2);
    for (unsigned i = 0; i < SLOW_PAIRS_LEADERS; i++) {
        assert_int_equal(slow_pairs_advise(&h, &multiplies), SLOW_PAIRS_LEAD);
        assert_int_equal(new_beside(&h, lattice, &found, &multiplies, LOADS, LATE, TELL), 2);
        assert_int_equal(new_beside(&h, lattice, &found, &adds, LOADS, LATE, TELL_NOT),
                         i + 1 < SLOW_PAIRS_LEADERS ? 2 : 0);
    }
    assert_int_equal(new_beside(&h, lattice, &found, &multiplies, LOADS, LATE, TELL_NOT), 0);
    assert_int_equal(new_beside(&h, lattice, &found, &adds, LOADS, 1.02 * LATE, TELL_NOT), 0);
    /* The excess is larger than that of the leaders. */
    assert_int_equal(new_beside(&h, lattice, &found, &adds, LOADS, 1.05 * LATE, TELL_NOT), 2);
    /* This usage has two loads. */
    assert_int_equal(new_beside(&h, lattice, &found, &twice, LOADS, LATE, TELL_NOT), 2);
    /* This usage has no load. */
    assert_int_equal(new_beside(&h, lattice, &found, &only, LOADS, LATE, TELL_NOT), 2);
    /* The ports are not those of loads. */
    assert_int_equal(new_beside(&h, lattice, &found, &adds, 0x2, LATE, TELL_NOT), 2);
    slow_pairs_done(&h);
    saturators_done(&found);
    lattice_done(lattice);
    free(lattice);
    mapping_free(core);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_run_beside_everything),
        cmocka_unit_test(test_what_asks_in_the_end_is_not_sure),
        cmocka_unit_test(test_leaders_come_first),
        cmocka_unit_test(test_late_by_what_they_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
