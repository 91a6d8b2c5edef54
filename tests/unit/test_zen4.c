/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Zen 4: its rules, compared with small blocks measured on one (tests/data/zen4-rules.csv, by
 * `kernel measure --file`), and its ports, compared with pairs of forms measured there
 * (zen4-pairs.csv, by `experiments measure`). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel.h"
#include "base/csv.h"
#include "report/evaluate.h"
#include "simulate/simulate.h"
#include "../support/support.h"

static struct csv_table *measured(void)
{
    struct err err = {0};
    struct csv_table *t = csv_table_read(source_path("tests/data/zen4-rules.csv"), &err);
    assert_non_null(t);
    return t;
}

static struct bounds bounds_as(const struct machine *m, const char *hex,
                               struct block_options options)
{
    struct err err = {0};
    struct kernel *kernel = kernel_from_hex(ISA_X86_64, hex, &err);
    struct bounds bounds;
    size_t count;

    assert_non_null(kernel);
    const struct insn *insns = kernel_insns(kernel, 0, &count);
    struct block_work *work = block_work_new(m);
    bounds_of(work, insns, count, &options, false, &bounds);
    block_work_free(work);
    kernel_free(kernel);
    return bounds;
}

static const struct block_options as_measured = {.shape = SHAPE_CACHED, .start = START_MEASURED};

static double simulated_as(const struct machine *m, const char *hex)
{
    struct err err = {0};
    struct kernel *kernel = kernel_from_hex(ISA_X86_64, hex, &err);
    struct simulator *simulator = simulator_new();
    struct simulation sim;
    struct bounds bounds;
    size_t count;

    assert_non_null(kernel);
    const struct insn *insns = kernel_insns(kernel, 0, &count);
    struct block_work *work = block_work_new(m);
    bounds_of(work, insns, count, &as_measured, false, &bounds);
    simulate(simulator, work, insns, count, &as_measured, &(struct simulate_options){0}, &sim);
    const double cycles = sim.cycles;
    simulation_done(&sim);
    block_work_free(work);
    simulator_free(simulator);
    kernel_free(kernel);
    return cycles;
}

/* An operation on a value that was just stored takes a cycle if rename forwards it. It makes no
 * difference whether a separate µop transfers the data to the store (the tables) or none does (the
 * chart): measured 0.9992. */
static void test_found_modifies(void **state)
{
    static const char *const machines[] = {"znver4", "zen4-charted"};
    for (size_t i = 0; i < 2; i++) {
        struct machine *m = load_machine(machines[i]);
        assert_true(fabs(simulated_as(m, "48830701") - 1) < 0.01);
        assert_true(fabs(simulated_as(m, "ff430c") - 1) < 0.01);
        machine_free(m);
    }
}

static void test_measured_blocks(void **state)
{
    struct csv_table *t = measured();
    struct machine *m = load_machine("znver4");

    assert_true(t->count > 50);
    for (size_t i = 0; i < t->count; i++) {
        double cycles = strtod(t->rows[i][1], NULL),
               predicted = bounds_as(m, t->rows[i][0], as_measured).total;
        if (!(fabs(predicted - cycles) <= 0.1 * cycles))
            fail_msg("%s: %.3f instead of %.3f", t->rows[i][0], predicted, cycles);
    }
    machine_free(m);
    csv_table_free(t);
}

/* Predicts the times of pairs of forms, for each kind of usage that only pairs reveal. Work on a
 * shared port makes them wait. Work on a port of only one of them does not. */
static void test_measured_pairs(void **state)
{
    assert_predicted("znver4", "tests/data/zen4-pairs.csv", 110, 0.01, 0.02);
}

/* A LEA of three parts has a longer latency from its base than from its index, scaled or not. */
static void test_lea_parts(void **state)
{
    static const struct { const char *hex; double cycles; } cases[] = {
        {"488d440308", 1},   /* lea rax,[rbx+rax+8] */
        {"488d441808", 2},   /* lea rax,[rax+rbx+8] */
        {"488d449808", 2},   /* lea rax,[rax+rbx*4+8] */
        {"488d448308", 1},   /* lea rax,[rbx+rax*4+8] */
    };
    struct machine *m = load_machine("znver4");

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(bounds_as(m, cases[i].hex, as_measured).total == cases[i].cycles);
    machine_free(m);
}

/* Without its fact, a rule has no effect. The times of the blocks that show it change. */
static void test_each_fact_matters(void **state)
{
    static const struct { const char *fact, *without, *hex; double with, other; } cases[] = {
        /* mov r14,rax; nop; test rbx,rbx */
        {"fuse_nop", "no", "4989c6660f1f04004885db", 2.0 / 6, 3.0 / 6},
        /* mov [rsp],r8; mov [rsp+32],r8 */
        {"store_lines_per_cycle", "", "4c8904244c89442420", 2, 1},
        /* mov [rdi],rax; mov rax,[rdi] */
        {"memory_renaming", "", "48890748" "8b07", 1, 6.4},
        /* mov rax,[rax+rcx*8] */
        {"load_extra_scaled", "", "488b04c8", 5, 4},
        /* mov rax,fs:[rax]; and rax,0 */
        {"load_extra_segment", "", "64488b004883e000", 6, 5},
        /* cmp eax,1; sbb ebp,ebp; and ebp,62 */
        {"carry_idiom", "", "83f80119ed83e53e", 0.75, 2},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine *m = load_machine("znver4");
        double with = bounds_as(m, cases[i].hex, as_measured).total;
        machine_set_fact(m, cases[i].fact, cases[i].without, "", "");
        double without = bounds_as(m, cases[i].hex, as_measured).total;
        if (!(fabs(with - cases[i].with) < 0.01) || !(fabs(without - cases[i].other) < 0.01))
            fail_msg("%s: %.3f and %.3f", cases[i].fact, with, without);
        machine_free(m);
    }
}

/* Loads that cross a line take two load slots; of vectors, two slots of vector loads
 * (split_loads_per_cycle, vector_loads_per_cycle). */
static void test_split_loads(void **state)
{
    static const struct { const char *hex; double cycles; } cases[] = {
        /* mov rax,[rdi+60]; mov rcx,[rdi+124] */
        {"488b473c488b4f7c", 4.0 / 3},
        /* vmovups ymm0,[rdi+48]; vmovups ymm1,[rdi+112] */
        {"c5fc104730c5fc104f70", 2},
        /* vmovups ymm0,[rdi]; vmovups ymm1,[rdi+64]; vmovups ymm2,[rdi+112] */
        {"c5fc1007c5fc104f40c5fc105770", 2},
        /* vmovups ymm0,[rdi]; vmovups ymm1,[rdi+64]; mov rax,[rdi+128] */
        {"c5fc1007c5fc104f40488b8780000000", 1},
    };
    struct machine *m = load_machine("znver4");

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double bound = bounds_as(m, cases[i].hex, as_measured).total,
                     simulated = simulated_as(m, cases[i].hex);
        if (!(fabs(bound - cases[i].cycles) < 0.01 && fabs(simulated - cases[i].cycles) < 0.01))
            fail_msg("%s: bound %.3f, simulated %.3f", cases[i].hex, bound, simulated);
    }
    machine_free(m);
}

/* The protocols differ in the start values. BHive's registers are all equal, while Portolan's point
 * to separate pages. */
static void test_protocols(void **state)
{
    static const char store_load[] = "488907488b06";   /* mov [rdi],rax; mov rax,[rsi] */
    struct machine *m = load_machine("znver4");
    struct block_options alike = as_measured;

    alike.start = START_EQUAL;
    assert_true(bounds_as(m, store_load, as_measured).cycles[BOUND_DEPENDENCIES] < 0.01);
    assert_true(fabs(bounds_as(m, store_load, alike).cycles[BOUND_DEPENDENCIES] - 6.4) < 0.01);
    /* The µop cache delivers code without decoding it again. For a loop of one line, the cycles are
     * rounded up. For repeated copies they are not. */
    static const char moves[] = "4889c84889c24889c6";   /* three moves, which rename executes */
    struct block_options unrolled = as_measured, loop = as_measured;
    unrolled.shape = SHAPE_UNROLLED;
    loop.shape = SHAPE_LOOP;
    assert_true(fabs(bounds_as(m, moves, as_measured).total - 0.5) < 0.01);
    assert_true(fabs(bounds_as(m, moves, unrolled).cycles[BOUND_FRONTEND] - 0.75) < 0.01);
    assert_true(fabs(bounds_as(m, moves, loop).total - 1) < 0.01);
    machine_free(m);
}

/* Skylake lacks Zen 4's facts about memory, so memory limits no loop there. */
static void test_intel_has_none(void **state)
{
    struct machine *m = load_machine("skylake");
    struct bounds b = bounds_as(m, "4c8904244c89442420", as_measured);

    /* There is one store per cycle, because of its port. */
    assert_true(fabs(b.total - 2) < 0.01 && b.bottleneck != BOUND_MEMORY);
    machine_free(m);
}

/* The evaluation uses the given protocol. */
static void test_evaluation(void **state)
{
    struct csv_table *t = measured();
    struct machine *m = load_machine("znver4");

    double mape[2];
    for (int portolan = 0; portolan < 2; portolan++) {
        struct evaluation *e = evaluation_new(m, MODEL_BOUNDS);
        struct evaluation_result r;
        evaluation_measured_by(e, portolan ? PROTOCOL_PORTOLAN : PROTOCOL_BHIVE);
        for (size_t i = 0; i < t->count; i++)
            evaluation_add(e, &(struct measured_block){t->rows[i][0], strtod(t->rows[i][1], NULL)});
        evaluation_finish(e, &r);
        assert_int_equal(r.n, t->count);
        mape[portolan] = r.mape;
        evaluation_result_done(&r);
        evaluation_free(e);
    }
    assert_true(mape[1] < 0.03);
    assert_true(mape[0] > 5 * mape[1]);
    machine_free(m);
    csv_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measured_blocks),   cmocka_unit_test(test_measured_pairs),
        cmocka_unit_test(test_each_fact_matters), cmocka_unit_test(test_lea_parts),
        cmocka_unit_test(test_found_modifies),    cmocka_unit_test(test_protocols),
        cmocka_unit_test(test_intel_has_none),    cmocka_unit_test(test_evaluation),
        cmocka_unit_test(test_split_loads),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
