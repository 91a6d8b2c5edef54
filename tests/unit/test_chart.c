/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Charts a small simulated CPU from times alone. The chart must predict the times of the CPU. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/chain_cycles.h"
#include "base/rng.h"
#include "chart/chart.h"
#include "chart/saturate.h"
#include "chart/stages.h"
#include "io/machine_file.h"
#include "io/machine_save.h"
#include "throughput/predict.h"
#include "throughput/throughput.h"
#include "toolchain/assemble.h"
#include "work/pool.h"
#include "../support/charts.h"
#include "../support/support.h"

#define EXPERIMENTS 3000
#define WRONG_MOST 0.01
#define CONCURRENT 30
#define SLOW_FORM "POPCNT (R64, M64)"
#define SLOW_FORM_BY 1.11   /* factor by which one form is slower alone */
#define SLOW_OTHERS_BY 1.15   /* factor by which some larger experiments are slower */
#define SEEDS 3

static size_t stages;

/* Returns the union of the ports in @m's usages. */
static portset ports_held(const struct mapping *m)
{
    portset held = 0;

    for (size_t i = 0; i < mapping_count(m); i++)
        for (unsigned k = 0; k < mapping_at(m, i)->usage.count; k++)
            held |= mapping_at(m, i)->usage.uops[k].ports;
    return held;
}

static bool stage_done(void *state, enum chart_stage stage, const struct chart *c, struct err *err)
{
    assert_int_equal((size_t)stage, stages);
    assert_int_equal(c->machine != NULL, stage >= CHART_PORTS);
    const uint64_t held = stage >= CHART_PLACES ? ports_held(c->machine->mapping) : 0;
    if (held)   /* The mapping has all ports that usages use, and no others. */
        assert_int_equal(held, ((uint64_t)1 << mapping_ports(c->machine->mapping)->count) - 1);
    else if (stage >= CHART_PLACES)
        assert_int_equal(mapping_ports(c->machine->mapping)->count, 1);
    stages++;
    return true;
}

struct bed {
    struct chart_bed cpu;
    size_t core_most;
};

/* Makes a CPU of the forms of @truth that match @pattern. The bed owns the machine. */
static void set_up_machine(struct bed *b, struct machine *truth, const char *pattern, double noise)
{
    *b = (struct bed){.core_most = 100};
    chart_bed_init(&b->cpu, truth, pattern, noise);
    b->cpu.hooks.stage_done = stage_done;
    stages = 0;
}

static void set_up(struct bed *b, double noise)
{
    set_up_machine(b, load_machine(source_path("tests/data/chart-cpu/")), "*", noise);
    assert_int_equal(b->cpu.rows.count, mapping_count(b->cpu.truth->mapping));
}

static void tear_down(struct bed *b)
{
    chart_bed_done(&b->cpu);
}

static struct chart *chart_seeded(struct bed *b, uint64_t seed, struct err *err)
{
    const struct chart_options options = {
        .name = "charted", .core_most = b->core_most, .seed = seed};

    return chart_run(&b->cpu.cpu, b->cpu.rows.items, b->cpu.rows.count, &options, &b->cpu.hooks,
                     err);
}

/* Returns the chart of a bed. Fails the test on an error. */
static struct chart *chart_of(struct bed *b)
{
    struct err err = {0};
    struct chart *c = chart_seeded(b, 1, &err);

    if (!c)
        fail_msg("%s", err.what);
    return c;
}

#define TEAM 3

static unsigned teams;

static bool team(void *state, void (*work)(void *work_state, unsigned worker), void *work_state)
{
    teams++;
    return team_run(TEAM, work, work_state, NULL);
}

/* Returns the charted usages as text, which the caller frees. */
static char *usages_charted(bool (*with)(void *, void (*)(void *, unsigned), void *))
{
    struct str text = {0};
    struct bed b;

    set_up(&b, 0.002);
    b.cpu.hooks.team = with;
    b.cpu.hooks.threads = TEAM;
    struct chart *c = chart_of(&b);
    machine_mapping_csv(c->machine, &text);
    chart_free(c);
    tear_down(&b);
    return str_take(&text);
}

static void test_threads_change_nothing(void **state)
{
    char *one = usages_charted(NULL), *several = usages_charted(team);

    assert_true(teams > 0);
    assert_string_equal(one, several);
    free(one);
    free(several);
}

/* Returns the fraction of random experiments of one to four forms that the chart mispredicts. */
static double wrong_share(const struct chart *c, const struct bed *b)
{
    struct experiments *t = chart_bed_table(&b->cpu);
    struct rng rng;

    rng_seed(&rng, 99);
    for (size_t i = 0; i < EXPERIMENTS; i++) {
        struct flat_term terms[4];
        size_t n = 1 + rng_below(&rng, 4);
        for (size_t k = 0; k < n; k++)
            terms[k] = (struct flat_term){(uint32_t)rng_below(&rng, b->cpu.rows.count),
                                          1 + (uint32_t)rng_below(&rng, 3)};
        experiments_add(t, terms, n);
    }
    return (double)chart_bed_wrong(&b->cpu, c, t) / EXPERIMENTS;
}

/* Fails unless the chart mispredicts at most the fraction @most of random experiments. */
static void assert_foretells(const struct chart *c, const struct bed *b, double most)
{
    double wrong = wrong_share(c, b);

    if (!(wrong <= most))
        fail_msg("%.2f %% of the experiments are predicted otherwise", 100 * wrong);
}

/* A chart of a single form explains it, even if the issue slots explain its time. */
static void test_single_forms_are_charted(void **state)
{
    static const char *const forms[] = {"ADD (R64, R64)", "RORX (R64, R64, I8)", "MOV (R64, M64)"};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct bed b;
        set_up_machine(&b, load_machine(source_path("tests/data/chart-cpu/")), forms[i], 0);
        assert_int_equal(b.cpu.rows.count, 1);
        struct chart *c = chart_of(&b);
        assert_foretells(c, &b, 0);
        chart_free(c);
        tear_down(&b);
    }
}

static void test_a_small_cpu_is_charted(void **state)
{
    struct bed b;

    set_up(&b, 0.005);
    struct chart *c = chart_of(&b);
    assert_int_equal(stages, CHART_STAGES);
    /* This also matches jumps and instructions that move the stack pointer. */
    for (size_t i = 0; i < b.cpu.rows.count; i++)
        assert_non_null(mapping_find(c->machine->mapping, b.cpu.rows.items[i]->form));
    assert_float_equal(c->width, 4, 0);
    for (size_t i = 0; i < c->form_count; i++) {
        assert_int_not_equal(c->forms[i].state, CHART_NOT_MEASURED);
        assert_true(c->forms[i].confidence >= 0 && c->forms[i].confidence <= 1);
        assert_true(c->forms[i].settle == NULL || c->forms[i].rival != NULL);
    }
    assert_foretells(c, &b, WRONG_MOST);
    chart_free(c);
    tear_down(&b);
}

/* Rename fuses a nop with the preceding nop. */
static void join_nops(const void *state, const struct experiment *e, struct measured *m)
{
    if (e->count == 1 && strcmp(e->terms[0].form, "NOP ()") == 0)
        m->cycles /= 2;
}

/* Eight nops per cycle do not imply eight slots. All other forms determine the width and the
 * ports. */
static void test_joined_nops_are_no_width(void **state)
{
    struct machine *m = load_machine(source_path("tests/data/chart-cpu/"));
    struct bed b;

    /* Rename eliminates this move, as on most CPUs, which reveals the slots. */
    mapping_set(m->mapping,
                &(struct mapping_entry){.form = "MOV (R64, R64)", .micro_ops = 1, .latency = NAN});
    set_up_machine(&b, m, "*", 0);
    chart_bed_alter(&b.cpu, join_nops, NULL);
    struct chart *c = chart_of(&b);
    assert_float_equal(c->width, 4, 0);
    assert_foretells(c, &b, 2 * WRONG_MOST);   /* mispredicts experiments with only nops */
    chart_free(c);
    tear_down(&b);
}

/* A load with an operation at one per cycle is slower alone. If @state is set, some larger
 * experiments are also slower. */
static void slow_down(const void *state, const struct experiment *e, struct measured *m)
{
    uint64_t forms = 0;

    for (size_t i = 0; i < e->count; i++)
        forms += e->terms[i].count;
    if (e->count == 1 && e->terms[0].count == 1 && strcmp(e->terms[0].form, SLOW_FORM) == 0)
        m->cycles *= SLOW_FORM_BY;
    else if (*(const bool *)state && e->count > 2 && forms % 5 == 0)
        m->cycles *= SLOW_OTHERS_BY;
}

/* If times of the core exceed the port bound, the time of a single form may exceed it. Otherwise
 * the form is unexplained. */
static void test_times_above_ports_are_those_of_the_core(void **state)
{
    for (int above = 0; above < 2; above++) {
        const bool core = above;
        struct bed b;
        set_up(&b, 0);
        chart_bed_alter(&b.cpu, slow_down, &core);
        struct chart *c = chart_of(&b);
        assert_int_equal(c->above_ports, core);
        for (size_t i = 0; i < c->form_count; i++)
            if (strcmp(c->forms[i].row->form, SLOW_FORM) == 0) {
                assert_int_equal(c->forms[i].state, core ? CHART_PLACED : CHART_UNEXPLAINED);
                assert_true(core || c->forms[i].confidence <= CHART_DOUBTFUL);
            }
        chart_free(c);
        tear_down(&b);
    }
}

/* A form, and whether it may be in the core */
struct core_case {
    const char *form;
    bool core;
};

/* Ports are inferred only from forms whose times depend on ports and slots alone. The other forms
 * are placed, even if no other form has their ports. ADC runs without a dependence only after
 * another instruction, whose slot counts as one of ADC. CMOVZ waits for forms that set its flag. At
 * rename, CPUs limit the number of vector operations, among these eliminated moves. */
static void test_what_needs_more_than_ports_is_not_of_the_core(void **state)
{
    const struct core_case *one = *state;
    struct machine *m = load_machine(source_path("tests/data/chart-cpu/"));
    struct usage usage = {0};
    struct bed b;

    usage_add(&usage, 0x3, 1);   /* No other form uses these ports. */
    mapping_set(m->mapping,
                &(struct mapping_entry){
                    .form = (char *)one->form, .usage = usage, .micro_ops = 1, .latency = NAN});
    set_up_machine(&b, m, "*", 0);
    struct chart *c = chart_of(&b);
    size_t seen = 0;
    for (size_t i = 0; i < c->form_count; i++)
        if (strcmp(c->forms[i].row->form, one->form) == 0) {
            assert_int_equal(c->forms[i].state, one->core ? CHART_IN_CORE : CHART_PLACED);
            seen++;
        }
    assert_int_equal(seen, 1);
    chart_free(c);
    tear_down(&b);
    usage_done(&usage);
}

/* Returns the predicted cycles of both forms together. */
static double charted_together(const struct chart *c, const char *a, const char *b)
{
    struct experiments *t = experiments_new();
    double cycles;

    experiments_add(
        t, (struct flat_term[]){{names_add(&t->forms, a), 1}, {names_add(&t->forms, b), 1}}, 2);
    throughput_predict(c->machine->mapping, t, &cycles);
    experiments_free(t);
    return cycles;
}

/* Five pipes of one form each are found before the pipe of divisions. The pipe of divisions has the
 * most forms and must be among the returned pipes. */
static void test_no_pipe_is_crowded_out(void **state)
{
    struct bed b;

    set_up_machine(&b, load_machine(source_path("tests/data/chart-pipes/")), "*", 0.001);
    struct chart *c = chart_of(&b);
    assert_float_equal(charted_together(c, "DIV (R32)", "IDIV (R64)"), 15, 0.5);
    assert_float_equal(charted_together(c, "DIV (R32)", "CMC ()"), 6, 0.3);
    assert_float_equal(charted_together(c, "CLD ()", "SAHF ()"), 7, 0.3);
    chart_free(c);
    tear_down(&b);
}

#define ODD_FORM "LAHF ()"
#define ODD_FORM_BY 0.5     /* factor by which the form is faster alone */

static void make_odd(const void *state, const struct experiment *e, struct measured *m)
{
    if (e->count == 1 && strcmp(e->terms[0].form, ODD_FORM) == 0)
        m->cycles *= ODD_FORM_BY;
}

/* A form whose time alone contradicts its other times keeps the pipe that these show, and stays
 * unexplained. */
static void test_an_odd_time_alone(void **state)
{
    struct bed b;

    set_up_machine(&b, load_machine(source_path("tests/data/chart-pipes/")), "*", 0.001);
    chart_bed_alter(&b.cpu, make_odd, NULL);
    struct chart *c = chart_of(&b);
    struct str names = {0};
    portset_list(mapping_ports(c->machine->mapping)->pipes, mapping_ports(c->machine->mapping), ",",
                 ",", &names);
    assert_string_equal(str_text(&names), "DV,2DV,3DV,4DV,5DV,6DV");
    assert_non_null(strstr(mapping_find(c->machine->mapping, ODD_FORM)->source,
                           "most probable according to all experiments of the form"));
    assert_float_equal(charted_together(c, "DIV (R32)", "IDIV (R64)"), 15, 0.5);
    assert_float_equal(charted_together(c, "CLD ()", "SAHF ()"), 7, 0.3);
    assert_float_equal(charted_together(c, ODD_FORM, "SAHF ()"), 7, 0.3);
    for (size_t i = 0; i < c->form_count; i++)
        assert_int_equal(c->forms[i].state == CHART_UNEXPLAINED,
                         strcmp(c->forms[i].row->form, ODD_FORM) == 0);
    str_done(&names);
    chart_free(c);
    tear_down(&b);
}

/* Checks that @u over the ports of @c's machine prints as @text. */
static void assert_prints(const struct chart *c, const struct usage *u, const char *text)
{
    struct str is = {0};

    usage_print(u, mapping_ports(c->machine->mapping), &is);
    assert_string_equal(str_text(&is), text);
    str_done(&is);
}

/* The pipe of an open ambiguity remains. Alternatives with a removed pipe are removed, and the
 * remaining ambiguities retain their usages. */
static void test_open_ambiguities_keep_their_ports(void **state)
{
    static const char *const usages[] = {"1*p0+3*p[DV]", "1*p1", "1*p1+2*p[3DV]"};
    static struct form_row row = {.form = "NOT (R64)"};
    struct chart *c = mem_zero(1, sizeof *c);
    struct chart_form *f = c->forms = mem_zero(1, sizeof *c->forms);
    struct mapping_entry entry = {
        .form = row.form, .latency = NAN, .micro_ops = 1, .source = (char *)""};
    struct ports ports = {.pipes = 0x1c};
    struct err err = {0};

    assert_true(ports_parse("0,1,DV,2DV,3DV,4", &ports, &err));
    c->machine = machine_new("by hand", &ports);
    mapping_set_issue_width(c->machine->mapping, 4);
    assert_true(usage_parse("1*p0+2*p[2DV]", &ports, &entry.usage, &err));
    mapping_set(c->machine->mapping, &entry);
    usage_done(&entry.usage);
    c->form_count = 1;
    *f = (struct chart_form){
        .row = &row, .others = mem_zero(3, sizeof *f->others), .other_count = 3, .untested = 0x22};
    for (uint32_t i = 0; i < 3; i++)
        assert_true(usage_parse(usages[i], &ports, &f->others[i].usage, &err));
    vec_push(&c->ambiguities, ((struct chart_ambiguity){.other = 1}));
    vec_push(&c->ambiguities, ((struct chart_ambiguity){.other = 2}));
    unused_ports_drop(c);
    const struct ports *left = mapping_ports(c->machine->mapping);
    assert_int_equal(left->count, 4);
    assert_int_equal(left->pipes, 0xc);
    assert_true(mapping_issue_width(c->machine->mapping) == 4);
    assert_prints(c, &mapping_find(c->machine->mapping, row.form)->usage, "1*p0+2*p[2DV]");
    assert_int_equal(f->other_count, 2);
    assert_int_equal(f->untested, 0x2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(c->ambiguities.items[i].other, i);
        assert_prints(c, &f->others[i].usage, usages[i + 1]);
    }
    chart_free(c);
}

/* Returns whether the chart predicts random experiments that contain form @f. */
static bool form_is_right(const struct chart *c, const struct bed *b, size_t f, struct rng *rng)
{
    struct experiments *t = chart_bed_table(&b->cpu);

    for (size_t i = 0; i < CONCURRENT; i++) {
        struct flat_term terms[3] = {{(uint32_t)f, 1 + (uint32_t)rng_below(rng, 2)}};
        for (size_t k = 1; k < 3; k++)
            terms[k] = (struct flat_term){(uint32_t)rng_below(rng, b->cpu.rows.count),
                                          1 + (uint32_t)rng_below(rng, 4)};
        experiments_add(t, terms, 3);
    }
    return chart_bed_wrong(&b->cpu, c, t) == 0;
}

/* Number of correctly predicted forms in some charts, among all and among those with 90 %
 * confidence. */
struct judged_charts {
    size_t forms, right, sure, sure_right;
};

static void judge_chart(struct bed *b, uint64_t seed, struct rng *rng, struct judged_charts *out)
{
    struct err err = {0};
    struct chart *c = chart_seeded(b, seed, &err);

    if (!c)
        fail_msg("%s", err.what);
    for (size_t i = 0; i < c->form_count; i++) {
        bool right = form_is_right(c, b, i, rng),
             sure = c->forms[i].state != CHART_UNEXPLAINED && c->forms[i].confidence >= 0.9;
        out->forms++;
        out->right += right;
        out->sure += sure;
        out->sure_right += sure && right;
    }
    chart_free(c);
}

static void assert_calibrated(const struct judged_charts *j)
{
    assert_true(j->sure > 0);
    if (j->sure_right * 10 < j->sure * 9)
        fail_msg("%zu of %zu usages with 90 %% are right", j->sure_right, j->sure);
}

/* At least nine in ten usages with 90 % confidence are correct, for any seed. */
static void test_confidence_is_calibrated(void **state)
{
    struct judged_charts judged = {0};
    struct rng rng;

    rng_seed(&rng, 7);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct bed b;
        set_up(&b, 0.005);
        judge_chart(&b, seed, &rng, &judged);
        tear_down(&b);
    }
    assert_calibrated(&judged);
}

/* The initial classes do not distinguish loads from loads with an operation. Only one form uses two
 * ports together that other forms use alone. The core must not be consistent with itself but
 * wrong. */
static void test_a_core_without_simple_forms(void **state)
{
    struct judged_charts judged = {0};
    struct err err = {0};
    struct rng rng;
    struct bed b;

    rng_seed(&rng, 7);
    struct machine *skylake = machine_load_shipped("skylake", &err);
    assert_non_null(skylake);
    set_up_machine(&b, skylake, "*(R64, *", 0.005);
    b.core_most = 200;
    judge_chart(&b, 2, &rng, &judged);
    tear_down(&b);
    assert_calibrated(&judged);
    if (judged.right * 100 < judged.forms * 97)
        fail_msg("%zu of %zu forms are right", judged.right, judged.forms);
}

/* A chart has latencies per pair of operands, including implicit registers. It predicts each chain
 * of the CPU. */
static void test_latencies_are_charted(void **state)
{
    static const char *const own[] = {"MUL (R64)", "MUL (M64)"};
    struct machine *m = load_machine(source_path("tests/data/chart-cpu/"));
    struct err err = {0};
    struct bed b;
    size_t chains = 0, own_chains = 0;

    for (unsigned memory = 0; memory < 2; memory++) {
        struct usage usage = {0};
        usage_add(&usage, 0x2, 1);
        if (memory)
            usage_add(&usage, 0x18, 1);
        mapping_set(m->mapping, &(struct mapping_entry){.form = (char *)own[memory],
                                                        .usage = usage,
                                                        .micro_ops = 1 + memory,
                                                        .latency = memory ? NAN : 3});
        usage_done(&usage);
    }
    machine_add_latency(m, own[1], LATENCY_ANY, LATENCY_ANY, 3, "");
    set_up_machine(&b, m, "*", 0.005);
    struct chart *c = chart_of(&b);
    assert_float_equal(machine_number(c->machine, "load_latency"), 4, 0);
    for (size_t i = 0; i < c->latencies.count; i++) {
        const struct chart_latency *l = &c->latencies.items[i];
        struct form_code *code = encodings_code_any(c->forms[l->form].row, &err);
        double is = chain_cycles(c->machine, code, &l->latency.chain),
               should = chain_cycles(b.cpu.truth, code, &l->latency.chain);
        if (!isnan(should) && l->latency.chain.kind != CHAIN_FORWARD &&
            l->latency.chain.kind != CHAIN_MEMORY) {
            chains++;
            own_chains += l->latency.chain.kind == CHAIN_OWN && should == 3;
            if (!(fabs(is - should) <= 0.05 * should + 0.05))
                fail_msg("%s from %s to %s: %.2f for %.2f", c->forms[l->form].row->form,
                         l->latency.chain.from_name, l->latency.chain.to_name, is, should);
        }
        form_code_free(code);
    }
    assert_true(chains > 10);
    assert_int_equal(own_chains, 2);
    chart_free(c);
    tear_down(&b);
}

static void test_a_chart_is_cancelled(void **state)
{
    struct bed b;
    struct err err = {0};

    set_up(&b, 0.005);
    b.cpu.watch.cancel = true;
    assert_null(chart_seeded(&b, 1, &err));
    assert_int_equal(err.code, ERR_INTERRUPTED);
    assert_int_equal(stages, 0);
    tear_down(&b);
}

/* Each saturator keeps its stated ports busy. With more copies, only these ports are the limit. */
static void test_saturators_bind_where_they_say(void **state)
{
    struct bed b;
    struct lattice *lattice = mem_zero(1, sizeof *lattice);
    struct saturators found = {0};
    struct throughput *t = throughput_new(PORTS_MAX);
    size_t ports = 0;

    set_up(&b, 0);
    const struct mapping *m = imitation_truth(b.cpu.imitation);
    lattice_make(m, mapping_issue_width(m), SIGHT_NOISE, lattice);
    saturators_find(m, lattice, NULL, &found);
    assert_true(found.list.count > 5);
    for (size_t i = 0; i < found.list.count; i++) {
        const struct saturator *s = &found.list.items[i];
        struct mass masses[16];
        double slots = 0, within = 0;
        size_t n = 0;
        for (unsigned k = 0; k < s->term_count; k++) {
            const struct mapping_entry *e = mapping_at(m, s->terms[k].entry);
            slots += (double)s->terms[k].count * e->micro_ops;
            for (unsigned u = 0; u < e->usage.count; u++) {
                masses[n++] = (struct mass){e->usage.uops[u].ports,
                                            e->usage.uops[u].count * s->terms[k].count};
                within += (e->usage.uops[u].ports & ~s->ports) == 0 ? masses[n - 1].count : 0;
            }
        }
        double cycles = throughput_of_masses(t, masses, n);
        assert_float_equal(s->cycles, fmax(cycles, slots / mapping_issue_width(m)), 1e-6);
        if (s->ports) {
            assert_float_equal(s->cycles, within / portset_size(s->ports), 1e-6);
            ports++;
        }
    }
    assert_true(ports >= 5);
    throughput_free(t);
    saturators_done(&found);
    lattice_done(lattice);
    free(lattice);
    tear_down(&b);
}

int main(void)
{
    static struct core_case cases[] = {{"SUB (R64, R64)", true},
                                       {"ADC (R64, R64)", false},
                                       {"CMOVZ (R64, R64)", false},
                                       {"VPADDD (YMM, YMM, YMM)", true},
                                       {"VMOVDQA (YMM, YMM)", false}};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_forms_are_charted),
        cmocka_unit_test(test_a_small_cpu_is_charted),
        cmocka_unit_test(test_joined_nops_are_no_width),
        cmocka_unit_test(test_no_pipe_is_crowded_out),
        cmocka_unit_test(test_an_odd_time_alone),
        cmocka_unit_test(test_open_ambiguities_keep_their_ports),
        cmocka_unit_test(test_times_above_ports_are_those_of_the_core),
        cmocka_unit_test_prestate(test_what_needs_more_than_ports_is_not_of_the_core, &cases[0]),
        cmocka_unit_test_prestate(test_what_needs_more_than_ports_is_not_of_the_core, &cases[1]),
        cmocka_unit_test_prestate(test_what_needs_more_than_ports_is_not_of_the_core, &cases[2]),
        cmocka_unit_test_prestate(test_what_needs_more_than_ports_is_not_of_the_core, &cases[3]),
        cmocka_unit_test_prestate(test_what_needs_more_than_ports_is_not_of_the_core, &cases[4]),
        cmocka_unit_test(test_confidence_is_calibrated),
        cmocka_unit_test(test_a_core_without_simple_forms),
        cmocka_unit_test(test_latencies_are_charted),
        cmocka_unit_test(test_a_chart_is_cancelled),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_saturators_bind_where_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
