/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The core of a chart of a CPU with more ports than issue slots: the selected forms, and the ports
 * found for them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "chart/core.h"
#include "chart/place.h"
#include "chart/saturate.h"
#include "chart/stages.h"
#include "chart/venn.h"
#include "isa/operands.h"
#include "throughput/predict.h"
#include "throughput/throughput.h"
#include "../support/charts.h"
#include "../support/support.h"

#define NEAR 0.01
#define LARGER 1500
#define ODD_CYCLES 0.371     /* cycles at three per cycle, plus a loss of the scheduler */
#define ANYWHERE 3           /* number of the small CPU's forms that may run on all ports */
#define HINDERED 1.67        /* factor by which the two forms are slower together */
#define MEMORY_PORTS 0x700   /* ports of the wide CPU for memory */
#define SLOW_BY 1.19            /* factor by which experiments with two busy port sets are slower */
#define SLOWER_BY 1.33
#define AHEAD 3              /* factor by which one part of an unbalanced pair takes longer */
#define UNRULY 3             /* factor by which the form is slower in any experiment */

/* Appends experiments in which both forms take nearly the same time, or @a takes @ahead times as
 * long. */
static void add_balanced(struct experiments *t, const struct machine *m, uint32_t a, uint32_t b,
                         double ahead)
{
    struct throughput *throughput = throughput_new(PORTS_MAX);
    double alone[2];
    uint32_t counts[2];

    for (unsigned i = 0; i < 2; i++) {
        const struct mapping_entry *e = mapping_at(m->mapping, i ? b : a);
        struct mass masses[4];
        for (unsigned k = 0; k < e->usage.count; k++)
            masses[k] = (struct mass){e->usage.uops[k].ports, e->usage.uops[k].count};
        alone[i] = fmax(throughput_of_masses(throughput, masses, e->usage.count),
                        e->micro_ops / mapping_issue_width(m->mapping));
    }
    core_balance(alone[0], ahead * alone[1], ahead > 1 ? 12 : 6, counts);
    experiments_add(t, (struct flat_term[]){{a, counts[0]}, {b, counts[1]}}, 2);
    throughput_free(throughput);
}

static portset ports_of(const struct mapping *m, const char *form)
{
    const struct mapping_entry *e = mapping_find(m, form);
    portset out = 0;

    for (unsigned i = 0; i < e->usage.count; i++)
        out |= e->usage.uops[i].ports;
    return out;
}

/* Returns the cycles of the µops of experiment @row that can use a port of @of, or with @has false
 * those that cannot. */
static double part(struct throughput *throughput, const struct machine *m,
                   const struct experiments *t, size_t row, portset of, bool has)
{
    struct mass masses[16];
    size_t n = 0;

    for (uint32_t k = 0; k < t->rows.items[row].count; k++) {
        const struct flat_term *term = &experiments_terms(t, row)[k];
        const struct mapping_entry *e = mapping_at(m->mapping, term->form);
        for (unsigned i = 0; i < e->usage.count; i++)
            if (((e->usage.uops[i].ports & of) != 0) == has)
                masses[n++] =
                    (struct mass){e->usage.uops[i].ports, e->usage.uops[i].count * term->count};
    }
    return throughput_of_masses(throughput, masses, n);
}

/* Returns whether a form of experiment @row has µops of both kinds. */
static bool has_both(const struct machine *m, const struct experiments *t, size_t row)
{
    for (uint32_t k = 0; k < t->rows.items[row].count; k++) {
        portset ports = ports_of(m->mapping, t->forms.items[experiments_terms(t, row)[k].form]);
        if ((ports & MEMORY_PORTS) && (ports & ~(portset)MEMORY_PORTS))
            return true;
    }
    return false;
}

/* Makes experiments slower by @factor if ports of memory and others are equally busy with
 * different forms, like a scheduler. */
static void slow_down(const struct machine *m, struct experiments *t, double *cycles,
                      double factor)
{
    struct throughput *throughput = throughput_new(PORTS_MAX);
    size_t slowed = 0;

    for (size_t i = 0; i < t->rows.count; i++) {
        double memory = part(throughput, m, t, i, MEMORY_PORTS, true),
               other = part(throughput, m, t, i, MEMORY_PORTS, false);
        if (!has_both(m, t, i) && fabs(memory - other) <= 0.05 * memory &&
            fmin(memory, other) >= 0.95 * cycles[i]) {
            cycles[i] *= factor;
            slowed++;
        }
    }
    throughput_free(throughput);
    assert_true(slowed * 50 > t->rows.count);
}

/* Returns experiments with the times of @m's tables: all forms alone, in pairs and in balanced
 * pairs, and random experiments of two to four forms. The times of experiments with two busy port
 * sets are multiplied by @factor (0 for none). */
static struct experiments *known_times(const struct machine *m, double factor)
{
    struct experiments *t = experiments_new();
    size_t n = mapping_count(m->mapping);
    struct rng rng;

    rng_seed(&rng, 1);
    for (size_t i = 0; i < n; i++)
        names_add(&t->forms, mapping_at(m->mapping, i)->form);
    for (uint32_t i = 0; i < n; i++) {
        experiments_add(t, (struct flat_term[]){{i, 1}}, 1);
        for (uint32_t k = 0; k < i; k++) {
            experiments_add(t, (struct flat_term[]){{i, 1}, {k, 1}}, 2);
            add_balanced(t, m, i, k, 1);
            add_balanced(t, m, i, k, AHEAD);
            add_balanced(t, m, k, i, AHEAD);
        }
    }
    for (size_t e = 0; e < LARGER; e++) {
        struct flat_term terms[4];
        size_t size = 2 + e % 3;
        for (size_t k = 0; k < size; k++)
            terms[k] =
                (struct flat_term){(uint32_t)rng_below(&rng, n), 1 + (uint32_t)rng_below(&rng, 4)};
        experiments_add(t, terms, size);
    }
    double *cycles = mem_alloc((t->rows.count + 1) * sizeof *cycles);
    throughput_predict(m->mapping, t, cycles);
    if (factor > 0)
        slow_down(m, t, cycles, factor);
    for (size_t i = 0; i < t->rows.count; i++)
        experiments_set(t, i, cycles[i], 0, 3, EXPERIMENT_OK);
    free(cycles);
    return t;
}

static bool goes_on(void *state, size_t done, size_t total)
{
    return true;
}

/* Returns whether the search excludes @form. Forms on a subset of the ports of their kind would
 * distinguish the kinds, and legacy-encoded forms are never in the core. */
static bool is_kept_out(const char *form)
{
    if (vectors_of(form) == VECTORS_LEGACY)
        return true;
    static const char *const names[] = {"SHL", "ROR", "BTS", "IMUL (R64, R64"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(form, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Returns the mapping found if the forms of @first (NULL-terminated; may be NULL) join first, then
 * all others in order except for excluded ones. Fails unless all have joined and 99 % of the times
 * are explained. */
static struct mapping *joined_by(const struct machine *m, const char *const *first, double factor,
                                 const struct chart_hooks *hooks)
{
    const struct venn_options options = {.width = mapping_issue_width(m->mapping),
                                         .fits = factor > 0 ? 2.5 : 0.5,
                                         .goes_on = goes_on,
                                         .hooks = hooks};
    struct experiments *t = known_times(m, factor);
    uint32_t *forms = mem_alloc((t->forms.count + 1) * sizeof *forms);

    size_t n = 0;
    for (; first && *first; first++)
        forms[n++] = names_find(&t->forms, *first);
    size_t ahead = n;
    for (uint32_t i = 0; i < t->forms.count; i++) {
        bool before = false;
        for (size_t k = 0; k < ahead; k++)
            before |= forms[k] == i;
        if (!before && !is_kept_out(t->forms.items[i]))
            forms[n++] = i;
    }
    struct mapping *found = venn_find(t, forms, n, &options);
    assert_non_null(found);
    for (size_t i = 0; i < n; i++)
        if (!mapping_find(found, t->forms.items[forms[i]]))
            fail_msg("%s did not join", t->forms.items[forms[i]]);
    double *cycles = mem_alloc((t->rows.count + 1) * sizeof *cycles);
    size_t off = 0;
    throughput_predict(found, t, cycles);
    for (size_t i = 0; i < t->rows.count; i++)
        off += !isnan(cycles[i]) &&
               !(fabs(cycles[i] / t->rows.items[i].cycles - 1) <= NEAR ||
                 (factor > 0 && is_above_ports(cycles[i], t->rows.items[i].cycles, factor + NEAR)));
    if (off * 100 > t->rows.count)
        fail_msg("%zu of %zu times are explained otherwise", off, t->rows.count);
    free(cycles);
    free(forms);
    experiments_free(t);
    return found;
}

static struct mapping *joined(const struct machine *m, const char *const *first, double factor)
{
    return joined_by(m, first, factor, NULL);
}

/* Checks for four ports of vectors, four of general forms and three of loads, all disjoint. Returns
 * the ports of loads. */
static portset ports_of_loads(const struct mapping *found)
{
    portset vectors = ports_of(found, "VPXOR (XMM, XMM, XMM)"),
            general = ports_of(found, "ADD (R64, R64)"), loads = ports_of(found, "MOV (R64, M64)");

    assert_int_equal(portset_size(vectors), 4);
    assert_int_equal(portset_size(general), 4);
    assert_int_equal(portset_size(loads), 3);
    assert_int_equal(vectors & general, 0);
    assert_int_equal(loads & (general | vectors), 0);
    return loads;
}

/* Four ports for vectors and four for general forms are eight, not the six that the slots reveal.
 * With six ports a load with an operation is unexplained. */
static void test_kinds_have_ports_of_their_own(void **state)
{
    struct machine *m = load_machine(source_path("tests/data/chart-wide/"));

    mapping_set_issue_width(m->mapping, 6);
    struct mapping *found = joined(m, NULL, 0);
    portset loads = ports_of_loads(found), general = ports_of(found, "ADD (R64, R64)");
    assert_int_equal(ports_of(found, "ADD (R64, M64)") & loads, loads);
    assert_int_equal(ports_of(found, "ADD (R64, M64)") & ~loads & ~general, 0);
    mapping_free(found);
    machine_free(m);
}

/* A comparison uses one of four ports and one of three for flags. Alone, and with each form except
 * another comparison, it behaves like a form on three of the four. A call is identified by its
 * other µops. A form that is too slow to reveal its slots with the fastest form has one slot per
 * µop. */
static void test_ports_that_two_forms_show(void **state)
{
    struct machine *m = load_machine(source_path("tests/data/chart-flags/"));

    mapping_set_issue_width(m->mapping, 10);
    struct mapping *found = joined(m, NULL, 0);
    portset any = ports_of(found, "ADD (X, X, I)"), plain = ports_of(found, "CMP (X, X)"),
            extended = ports_of(found, "CMP (X, W, SXTW)");
    assert_int_equal(portset_size(any), 4);
    assert_int_equal(plain & any, any);
    assert_int_equal(portset_size(plain & ~any), 3);
    assert_int_equal(portset_size(extended & any), 2);
    assert_true((extended & ~any & plain) != 0);
    assert_int_equal(mapping_find(found, "BL (Rel)")->usage.count, 2);
    assert_int_equal(mapping_find(found, "USHLL (V.8H, V.8B, I)")->micro_ops, 1);
    assert_int_equal(mapping_find(found, "FMOV (V.D[I], X)")->micro_ops, 2);
    mapping_free(found);
    machine_free(m);
}

/* The operands of a form determine whether it shares ports, for each instruction set. */
static void test_vectors_and_memory(void **state)
{
    static const char *const with[] = {
        "VPXOR (XMM, XMM, XMM)", "MOVD (MM, R32)",          "KANDW (K, K, K)", "FADD (S, S, S)",
        "LDP (Q, Q, [X], I)",    "LD2 ({V.2D, V.2D}, [X])", "FMOV (W, S)"};
    static const char *const without[] = {
        "ADD (R64, M64)", "CSEL (X, X, X, C)", "LDR (X, [X, W, SXTW I])",
        "REP_STOSQ ()",   "B.COND (Rel)",      "SHLD (M16, R16, CL)"};

    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        if (!form_has_vectors(with[i]))
            fail_msg("%s has vectors", with[i]);
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (form_has_vectors(without[i]))
            fail_msg("%s has none", without[i]);
}

/* If two port sets are busy at the same time, experiments take a fifth to a third longer than
 * either set requires. No ports explain this delay. The core is the same as without the delay. */
static void test_times_above_ports_are_no_ports(void **state)
{
    static const double factors[] = {SLOW_BY, SLOWER_BY};
    struct machine *m = load_machine(source_path("tests/data/chart-wide/"));

    mapping_set_issue_width(m->mapping, 6);
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        struct mapping *found = joined(m, NULL, factors[i]);
        assert_int_equal(portset_size(ports_of(found, "VMOVSD (XMM, M64)") & ports_of_loads(found)),
                         2);
        mapping_free(found);
    }
    machine_free(m);
}

/* A store that also uses an addition port joins before any addition. It seems to be a simple store
 * until it joins a second time. */
static void test_what_joined_early_joins_anew(void **state)
{
    static const char *const first[] = {"MOV (M64, R64)", NULL};
    struct machine *m = load_machine(source_path("tests/data/chart-wide/"));
    struct mapping_entry store = {
        .form = (char *)first[0], .latency = NAN, .micro_ops = 1, .source = (char *)""};

    usage_add(&store.usage, mapping_find(m->mapping, first[0])->usage.uops[0].ports, 1);
    usage_add(&store.usage, mapping_find(m->mapping, "ADD (R64, R64)")->usage.uops[0].ports, 1);
    mapping_set(m->mapping, &store);
    usage_done(&store.usage);
    mapping_set_issue_width(m->mapping, 6);
    struct mapping *found = joined(m, first, SLOWER_BY);
    portset additions = ports_of(found, "ADD (R64, R64)"), both = ports_of(found, first[0]);
    assert_int_equal(mapping_find(found, first[0])->usage.count, 2);
    assert_int_equal(both & additions, additions);
    assert_int_equal(portset_size(both & ~additions), 2);
    mapping_free(found);
    machine_free(m);
}

/* The limit for times above the port bound is low for an experiment that one form dominates. It is
 * high for one with two equally busy forms, which also has a low weight. If few times exceed the
 * bound, all weights are equal. */
static void test_limit_of_busy_forms(void **state)
{
    const double one[] = {2}, ahead[] = {3, 1}, level[] = {2, 1, 1};
    struct residual_limit few = residual_limit_of(level, 3, false),
                          busy = residual_limit_of(level, 3, true),
                          idle = residual_limit_of(ahead, 2, true);

    assert_true(residual_limit_of(one, 1, true).by == RESIDUAL_RATIO_ALONE &&
                residual_limit_of(one, 1, false).by == RESIDUAL_RATIO_ALONE);
    assert_true(few.by == RESIDUAL_RATIO && few.most == RESIDUAL_COST_MOST);
    assert_true(residual_limit_of(ahead, 2, false).by == RESIDUAL_RATIO);
    assert_true(busy.by > RESIDUAL_RATIO && busy.most < RESIDUAL_COST_MOST);
    assert_true(idle.by > 1 && idle.by < busy.by && idle.most == RESIDUAL_COST_MOST);
    /* The second form takes more than half of the first one's time. */
    const struct residual_limit with = residual_limit_of((const double[]){3, 1.6}, 2, true);
    assert_true(with.by == busy.by && with.most == busy.most);
}

static bool team(void *state, void (*work)(void *work_state, unsigned worker), void *work_state)
{
    ++*(size_t *)state;
    chart_together(work, work_state);
    return true;
}

static void test_threads_find_the_same(void **state)
{
    struct machine *m = load_machine(source_path("tests/data/chart-wide/"));
    size_t shared = 0;
    const struct chart_hooks hooks = {.team = team, .threads = CHART_THREADS, .state = &shared};

    mapping_set_issue_width(m->mapping, 6);
    for (unsigned above = 0; above < 2; above++) {
        struct mapping *one = joined(m, NULL, above * SLOWER_BY),
                       *many = joined_by(m, NULL, above * SLOWER_BY, &hooks);
        assert_true(chart_mappings_alike(one, many));
        mapping_free(one);
        mapping_free(many);
    }
    assert_true(shared > 0);
    machine_free(m);
}

/* Return instructions, and operations with a load on one or two ports, are tried first. Each looks
 * like the operation without its load, and no load could join afterwards. */
static void test_loads_come_before_what_loads_too(void **state)
{
    static const struct {
        const char *form;
        portset ports;
    } more[] = {{"CMOVZ (R64, M64)", 0x90}, {"IMUL (R64, M64)", 0x20}, {"RET_NEAR ()", 0x10}};
    static const char *const first[] = {"CMOVZ (R64, M64)", "IMUL (R64, M64)", "RET_NEAR ()", NULL};
    struct machine *m = load_machine(source_path("tests/data/chart-wide/"));
    const portset load = mapping_find(m->mapping, "MOV (R64, M64)")->usage.uops[0].ports;

    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        struct mapping_entry entry = {
            .form = (char *)more[i].form, .latency = NAN, .micro_ops = 1, .source = (char *)""};
        usage_add(&entry.usage, more[i].ports, 1);
        usage_add(&entry.usage, load, 1);
        mapping_set(m->mapping, &entry);
        usage_done(&entry.usage);
    }
    mapping_set_issue_width(m->mapping, 6);
    struct mapping *found = joined(m, first, 0);
    portset loads = ports_of(found, "MOV (R64, M64)");
    assert_int_equal(portset_size(loads), 3);
    assert_int_equal(
        loads & (ports_of(found, "ADD (R64, R64)") | ports_of(found, "VPXOR (XMM, XMM, XMM)")), 0);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        assert_int_equal(ports_of(found, more[i].form) & loads, loads);
    mapping_free(found);
    machine_free(m);
}

/* The form with the highest rate has more ports than any other, and some loads have a µop on them.
 * All join, in any order. */
static void test_many_ports_join_at_once(void **state)
{
    static const struct {
        const char *form, *usage;
        unsigned slots;
    } cpu[] = {{"LDR (X, [X, I])", "1*p6789", 1},
               {"ADD (X, X, X)", "1*p012345", 1},
               {"LDR (H, [X, X, LSL I])", "1*p6789+1*p012345", 2},
               {"EXTR (X, X, X, I)", "1*p01+1*p012345", 2},
               {"ADRP (X, Rel)", "1*p0123", 1},
               {"MUL (X, X, X)", "1*p01", 1}};
    static const char *const first[] = {"ADD (X, X, X)", NULL};
    struct ports ports;
    struct err err = {0};

    ports_number(&ports, 10);
    struct machine *m = machine_new("many", &ports);
    mapping_set_issue_width(m->mapping, 16);
    for (size_t i = 0; i < sizeof cpu / sizeof *cpu; i++) {
        struct mapping_entry entry = {.form = (char *)cpu[i].form,
                                      .latency = NAN,
                                      .micro_ops = cpu[i].slots,
                                      .source = (char *)""};
        assert_true(usage_parse(cpu[i].usage, &ports, &entry.usage, &err));
        mapping_set(m->mapping, &entry);
        usage_done(&entry.usage);
    }
    for (unsigned last = 0; last < 2; last++) {
        struct mapping *found = joined(m, last ? NULL : first, 0);
        assert_int_equal(portset_size(ports_of(found, "ADD (X, X, X)")), 6);
        mapping_free(found);
    }
    machine_free(m);
}

/* Slows some forms in a way that ports do not explain. */
static void make_odd(const void *state, const struct experiment *e, struct measured *m)
{
    for (size_t k = 0; k < e->count; k++) {
        if (strcmp(e->terms[k].form, "VMOVDDUP (XMM, XMM)") == 0)
            m->cycles = fmax(m->cycles, ODD_CYCLES * e->terms[k].count);
        if (strcmp(e->terms[k].form, "PREFETCHT0 (M8)") == 0 && e->count > 1)
            m->cycles *= UNRULY;
    }
}

static bool has_form(const struct lab *lab, const struct chart_core *core, const char *form,
                     bool candidate)
{
    size_t n = candidate ? core->candidates.count : core->classes.count;

    for (size_t i = 0; i < n; i++)
        if (strcmp(lab->table->forms
                       .items[candidate ? core->candidates.items[i] : core->classes.items[i].form],
                   form) == 0)
            return true;
    return false;
}

/* Finds the core of the wide CPU, with the forms that make_odd slows, from @most candidates. Of the
 * forms that read registers, programs use POPCNT most, and of all forms VPSHUFD. @alone is the
 * cycles per form of the lab's table. */
static void with_core(size_t most,
                      void (*look)(const struct lab *lab, const struct chart_core *core,
                                   const double *alone, const struct machine *m))
{
    struct err err = {0};
    struct chart_bed b;
    struct lab lab;
    struct chart_core core;

    chart_bed_init(&b, load_machine(source_path("tests/data/chart-wide/")), "*", 0.001);
    chart_bed_alter(&b, make_odd, NULL);
    const struct block_form uses[] = {{forms_find(b.forms, "VPSHUFD (XMM, XMM, I8)"), 2000},
                                      {forms_find(b.forms, "POPCNT (R64, R64)"), 1000},
                                      {forms_find(b.forms, "ADD (R64, R64)"), 10}};
    const struct chart_options options = {.name = "charted",
                                          .core_most = most,
                                          .seed = 1,
                                          .uses = uses,
                                          .uses_count = sizeof uses / sizeof *uses};
    size_t n = mapping_count(b.truth->mapping);
    double *alone = mem_alloc((n + 1) * sizeof *alone);
    chart_bed_lab(&b, &options, &lab, alone);
    assert_true(core_find(&lab, alone, n, &core, &err));
    look(&lab, &core, alone, b.truth);
    core_done(&core);
    free(alone);
    experiments_free(lab.table);
    lab_done(&lab);
    chart_bed_done(&b);
}

/* Returns whether a pair was measured in which @a takes so much longer than @b that only its ports
 * are busy. */
static bool ran_ahead(const struct lab *lab, const double *alone, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < lab->table->rows.count; i++) {
        const struct flat_term *terms = experiments_terms(lab->table, i);
        for (unsigned k = 0; k < 2 && lab->table->rows.items[i].count == 2; k++)
            if (terms[k].form == a && terms[!k].form == b &&
                terms[k].count * alone[a] >= 2 * terms[!k].count * alone[b])
                return true;
    }
    return false;
}

static void look_at_all(const struct lab *lab, const struct chart_core *core, const double *alone,
                        const struct machine *m)
{
    for (size_t i = 0; i < core->classes.count; i++)
        for (size_t k = 0; k < core->classes.count; k++)
            if (i != k &&
                !ran_ahead(lab, alone, core->classes.items[i].form, core->classes.items[k].form))
                fail_msg("%s never ran ahead of %s",
                         lab->table->forms.items[core->classes.items[i].form],
                         lab->table->forms.items[core->classes.items[k].form]);
    assert_true(has_form(lab, core, "MOV (R64, M64)", false) ||
                has_form(lab, core, "MOV (R32, M32)", false));
    assert_false(has_form(lab, core, "VMOVDDUP (XMM, XMM)", true));
    assert_false(has_form(lab, core, "PREFETCHT0 (M8)", false));
    /* No experiment mixes legacy and VEX encodings. */
    for (size_t i = 0; i < core->candidates.count; i++)
        assert_int_not_equal(vectors_of(lab->table->forms.items[core->candidates.items[i]]),
                             VECTORS_LEGACY);
}

/* A form whose time no ports explain is no candidate. A form that is slower with others than their
 * sum is excluded. */
static void test_no_unruly_forms(void **state)
{
    with_core(100, look_at_all);
}

/* Random experiments of this core reach 8 forms per cycle, far below the issue width. The chart also
 * searches for the experiment with the highest rate. */
static void test_core_comes_near_the_issue_width(void **state)
{
    const struct chart_options options = {.name = "charted", .core_most = 60, .seed = 1};
    struct chart_bed b;
    struct lab lab;
    struct chart_core core;
    struct err err = {0};
    double most = 0;

    chart_bed_init(&b, load_machine("neoverse-v1"), "*", 0.001);
    const size_t n = mapping_count(b.truth->mapping);
    double *alone = mem_alloc((n + 1) * sizeof *alone);
    chart_bed_lab(&b, &options, &lab, alone);
    for (size_t i = 0; i < n; i++)   /* Without forms that use issue slots alone. */
        alone[i] = alone[i] > 0.2 ? alone[i] : NAN;
    assert_true(core_find(&lab, alone, n, &core, &err));
    for (size_t i = 0; i < lab.table->rows.count; i++) {
        const struct flat_term *terms = experiments_terms(lab.table, i);
        bool slow = experiments_measured(lab.table, i);
        for (uint32_t k = 0; k < lab.table->rows.items[i].count && slow; k++)
            slow = alone[terms[k].form] > 0.2;
        if (slow)
            most = fmax(most, experiments_size(lab.table, i) / lab.table->rows.items[i].cycles);
    }
    assert_true(most > 9);
    core_done(&core);
    free(alone);
    experiments_free(lab.table);
    lab_done(&lab);
    chart_bed_done(&b);
}

static void look_at_few(const struct lab *lab, const struct chart_core *core, const double *alone,
                        const struct machine *m)
{
    assert_string_equal(lab->table->forms.items[core->candidates.items[0]],
                        "VPSHUFD (XMM, XMM, I8)");
    assert_true(has_form(lab, core, "POPCNT (R64, R64)", true));
    assert_false(has_form(lab, core, "AND (R64, R64)", true));
}

/* Of equivalent forms, those that programs use most come first. */
static void test_common_forms_come_first(void **state)
{
    with_core(12, look_at_few);
}

/* Checks the legacy counterparts of the core, with the true usages of the classes' forms. */
static void look_at_twins(const struct lab *lab, const struct chart_core *core, const double *alone,
                          const struct machine *m)
{
    struct mapping *of_core = mapping_new(mapping_ports(m->mapping));

    for (size_t i = 0; i < core->classes.count; i++)
        mapping_set(of_core,
                    mapping_find(m->mapping, lab->table->forms.items[core->classes.items[i].form]));
    size_t before = mapping_count(of_core),
           added = twins_add(lab, core, alone, lab->table->forms.count, of_core);
    assert_int_equal(mapping_count(of_core), before + added);
    assert_int_equal(added, 5);   /* One of two equivalent forms suffices. */
    for (size_t i = 0; i < mapping_count(of_core); i++) {
        const struct mapping_entry *e = mapping_at(of_core, i),
                                   *truth = mapping_find(m->mapping, e->form);
        assert_true(usage_equal(&e->usage, &truth->usage));
        assert_int_equal(e->micro_ops, truth->micro_ops);
    }
    mapping_free(of_core);
}

/* Two forms that slow each other down. */
struct hindered {
    const char *forms[2];
};

static bool has(const struct experiment *e, const char *form)
{
    for (size_t k = 0; k < e->count; k++)
        if (strcmp(e->terms[k].form, form) == 0)
            return true;
    return false;
}

static void make_hindered(const void *state, const struct experiment *e, struct measured *m)
{
    const struct hindered *h = state;

    if (has(e, h->forms[0]) && has(e, h->forms[1]))
        m->cycles *= HINDERED;
}

/* Selects the forms of a saturator that has two. */
static void choose_hindered(const struct mapping *m, struct hindered *out)
{
    struct lattice *lattice = mem_zero(1, sizeof *lattice);
    struct saturators found = {0};

    lattice_make(m, mapping_issue_width(m), SIGHT_NOISE, lattice);
    saturators_find(m, lattice, NULL, &found);
    for (size_t i = 0; i < found.list.count && !out->forms[0]; i++)
        for (unsigned k = 0; k < 2 && found.list.items[i].term_count > 1; k++)
            out->forms[k] = mapping_at(m, found.list.items[i].terms[k].entry)->form;
    saturators_done(&found);
    lattice_done(lattice);
    free(lattice);
    assert_non_null(out->forms[0]);
}

/* If two forms slow each other down, this does not count against other forms, which are all
 * explained. */
static void test_what_hinders_itself_judges_nobody(void **state)
{
    const struct chart_options options = {.name = "charted", .seed = 1};
    struct hindered hindered = {{NULL}};
    struct chart_bed b;
    struct lab lab;
    struct err err = {0};
    struct ports ports;

    chart_bed_init(&b, load_machine(source_path("tests/data/chart-cpu/")), "*", 0);
    const struct mapping *truth = imitation_truth(b.imitation);
    size_t n = mapping_count(truth);
    struct mapping *core = mapping_new(mapping_ports(truth));
    struct place_form *forms = mem_zero(n + 1, sizeof *forms);
    struct placement *placed = mem_zero(n + 1, sizeof *placed);
    double *alone = mem_alloc((n + 1) * sizeof *alone);
    mapping_set_issue_width(core, mapping_issue_width(truth));
    /* Without the first few forms, only pairs keep all three ports busy. */
    for (size_t i = 0; i < n; i++)
        if (i >= ANYWHERE && strncmp(mapping_at(truth, i)->form, "XCHG", 4) != 0)
            mapping_set(core, mapping_at(truth, i));
    choose_hindered(core, &hindered);
    chart_bed_alter(&b, make_hindered, &hindered);
    chart_bed_lab(&b, &options, &lab, alone);
    for (uint32_t i = 0; i < n; i++)
        forms[i] = (struct place_form){.form = i, .group = i, .alone = alone[i]};
    if (!place_forms(&lab, core, forms, n, &ports, placed, &err))
        fail_msg("%s", err.what);
    for (size_t i = 0; i < n; i++) {
        const char *form = mapping_at(truth, i)->form;
        if (!placed[i].explained && strcmp(form, hindered.forms[0]) != 0 &&
            strcmp(form, hindered.forms[1]) != 0)
            fail_msg("%s is off by %.1f %%", form, 100 * placed[i].error);
        placement_done(&placed[i]);
    }
    free(alone);
    free(placed);
    free(forms);
    experiments_free(lab.table);
    lab_done(&lab);
    mapping_free(core);
    chart_bed_done(&b);
}

/* Legacy-encoded vector forms have their counterparts' usages, so that saturators for them
 * exist. */
static void test_twins_do_the_same(void **state)
{
    with_core(100, look_at_twins);
}

/* Counts are set even if a time is unknown. */
static void test_balance(void **state)
{
    uint32_t counts[2] = {99, 99};

    core_balance(3, 1, 6, counts);
    assert_true(counts[0] == 1 && counts[1] == 3);
    counts[0] = counts[1] = 99;
    core_balance(NAN, 1, 6, counts);
    assert_true(counts[0] == 1 && counts[1] == 1);
}

/* The forms of a given core with a time alone are the classes, regardless of other charted forms.
 * All their pairs are measured. */
static void look_at_given(const struct lab *lab, const struct chart_core *core, const double *alone,
                          const struct machine *m)
{
    struct chart_core given;
    struct mapping *known = mapping_new(mapping_ports(m->mapping));
    struct lab now = *lab;
    struct err err = {0};
    double *times = mem_alloc((lab->table->forms.count + 1) * sizeof *times);

    memcpy(times, alone, lab->table->forms.count * sizeof *times);
    for (size_t i = 0; i < core->classes.count; i += 2)
        mapping_set(known, mapping_find(m->mapping,
                                        lab->table->forms.items[core->classes.items[i].form]));
    times[core->classes.items[0].form] = NAN;
    assert_true(mapping_count(known) > 2);
    assert_true(core_take(&now, times, known, &given, &err));
    assert_int_equal(given.classes.count, mapping_count(known) - 1);
    for (size_t i = 0; i < given.classes.count; i++) {
        const uint32_t a = given.classes.items[i].form;
        assert_non_null(mapping_find(known, lab->table->forms.items[a]));
        assert_int_not_equal(a, core->classes.items[0].form);
        for (size_t k = 0; k < given.classes.count; k++)
            assert_true(k == i || ran_ahead(&now, times, a, given.classes.items[k].form));
    }
    core_done(&given);
    mapping_free(known);
    free(times);
}

static void test_given_core(void **state)
{
    with_core(100, look_at_given);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balance),
        cmocka_unit_test(test_kinds_have_ports_of_their_own),
        cmocka_unit_test(test_ports_that_two_forms_show),
        cmocka_unit_test(test_vectors_and_memory),
        cmocka_unit_test(test_times_above_ports_are_no_ports),
        cmocka_unit_test(test_what_joined_early_joins_anew),
        cmocka_unit_test(test_limit_of_busy_forms),
        cmocka_unit_test(test_loads_come_before_what_loads_too),
        cmocka_unit_test(test_threads_find_the_same),
        cmocka_unit_test(test_many_ports_join_at_once),
        cmocka_unit_test(test_no_unruly_forms),
        cmocka_unit_test(test_core_comes_near_the_issue_width),
        cmocka_unit_test(test_common_forms_come_first),
        cmocka_unit_test(test_what_hinders_itself_judges_nobody),
        cmocka_unit_test(test_twins_do_the_same),
        cmocka_unit_test(test_given_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
