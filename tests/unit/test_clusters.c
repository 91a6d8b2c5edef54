/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predicted runs, from runs of different sizes by hand: clusters of a reference's reuse distances,
 * counts, callbacks, ranges, and runs in another process. Clusters of small runs that merely
 * resemble those of the largest run have no influence. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "program/basis.h"
#include "program/model.h"
#include "program/pages.h"
#include "program/spread.h"
#include "../support/support.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* One block with one reference. */
static const char one_block[] = "{\"key\":\"k\",\"source\":\"f.c\",\"language\":\"c\",\"level\":\"-"
                                "O3\",\"references\":[{\"block\":0,\"bytes\":8,\"write\":false}],"
                                "\"functions\":[{\"name\":\"f\",\"blocks\":[{\"line\":1,\"ops\":[],"
                                "\"calls\":[],\"next\":[],\"two_way\":false}]}],\"assembly\":\"\"}";

static const struct program *read_program(const char *json)
{
    struct str text = {0};
    struct err err = {0};

    str_addf(&text, "portolan-unit %zu\n%s", strlen(json), json);
    struct program *p = program_read("f", &text, &err);
    assert_non_null(p);
    str_done(&text);
    return p;
}

static void add_run(struct program_runs *runs, double n, const struct run_bin *bins, size_t count)
{
    struct program_run run = {.inputs = {n}, .mode = TRACE_EXACT};
    const size_t blocks = runs->program->block_count;

    run.counts = mem_zero(blocks + 1, sizeof *run.counts);
    run.taken = mem_zero(blocks + 1, sizeof *run.taken);
    run.mispredicted = mem_zero(blocks + 1, sizeof *run.mispredicted);
    run.calls = mem_zero(blocks + 1, sizeof *run.calls);
    run.references = mem_zero(1, sizeof *run.references);
    run.counts[0] = n;
    run.references[0] =
        (struct run_reference){.bins = mem_zero(count, sizeof *bins), .bin_count = count};
    memcpy(run.references[0].bins, bins, count * sizeof *bins);
    for (size_t i = 0; i < count; i++)
        run.references[0].references += bins[i].count;
    vec_push(&runs->runs, run);
}

/* An innermost loop of floor(N / 4) iterations, of which about 1.7 per entry have no steady stride
 * (the column of a product with rows of N numbers). In the runs these are 44 % or more of the two
 * to four iterations. */
static void test_short_loops(void **state)
{
    static const char loop[] =
        "{\"key\":\"k\",\"source\":\"f.c\",\"language\":\"c\",\"level\":\"-O3\",\"references\":[{"
        "\"block\":0,\"bytes\":8,\"write\":false}],\"functions\":[{\"name\":\"f\",\"blocks\":[{"
        "\"line\":1,\"ops\":[],\"calls\":[],\"next\":[0,1],\"two_way\":true},{\"line\":2,\"ops\":["
        "],\"calls\":[],\"next\":[],\"two_way\":false}]}],\"assembly\":\"\"}";
    const struct program *p = read_program(loop);
    char *names[] = {(char *)(uintptr_t)"N"};
    struct program_runs *runs = program_runs_new(p, names, 1);
    const double sizes[] = {8, 10, 12, 13, 15, 16},
                 others[] = {0.8140, 0.8010, 0.5559, 0.5644, 0.5780, 0.4376};
    struct program_run at;
    struct err err = {0};
    double n = 128;

    for (size_t i = 0; i < COUNT(sizes); i++) {
        const double x = sizes[i], count = x * floor(x / 4);
        add_run(runs, x, &(struct run_bin){2 * x, count, (1 - others[i]) * count, 32 * x}, 1);
        runs->runs.items[i].counts[0] = count;
        runs->runs.items[i].counts[1] = x;
        runs->runs.items[i].taken[0] = count - x;
    }
    assert_true(program_run_trips(p, &runs->runs.items[5], 0) == 4);
    assert_true(program_run_trips(p, &runs->runs.items[5], 1) == 1);
    /* A fit may take the loop's branch more often than the block is executed. */
    const double taken = runs->runs.items[5].taken[0], all = runs->runs.items[5].counts[0];
    runs->runs.items[5].taken[0] = 1.01 * all;
    assert_true(program_run_trips(p, &runs->runs.items[5], 0) == all);
    runs->runs.items[5].taken[0] = taken;
    const struct program_model *m = program_model_new(runs, COUNTS_REGRESSION, NULL, NULL, &err);
    assert_non_null(m);
    program_model_at(m, &n, &at);
    const struct run_bin *b = at.references[0].bins;
    assert_int_equal(at.references[0].bin_count, 1);
    assert_float_equal(b->regular / b->count, 1 - 1.7 / 32, 0.01);
    program_run_done(p, &at);
    program_model_free(m);
    program_runs_free(runs);
    program_free(p);
    (void)state;
}

/* Most references have a distance of 2 N lines, an eighth of N^2 / 10. In small runs, both
 * distances merge into one cluster, and 3 % of the references are closer. With the first uses,
 * small runs also have three clusters, but different ones. */
static void test_clusters_of_small_runs(void **state)
{
    const struct program *p = read_program(one_block);
    char *names[] = {(char *)(uintptr_t)"N"};
    struct program_runs *runs = program_runs_new(p, names, 1);
    struct program_run at;
    struct err err = {0};
    double near = 0, all = 0, n = 512;

    for (double x = 24; x <= 48; x += 8) {
        const struct run_bin bins[] = {{x / 3, 30 * x, 30 * x, 64},
                                       {2 * x, 970 * x, 970 * x, 64},
                                       {INFINITY, x * x / 4, x * x / 4, 64}};
        add_run(runs, x, bins, 3);
    }
    for (double x = 64; x <= 128; x += 32) {
        const struct run_bin bins[] = {{2 * x, 875 * x, 875 * x, 64},
                                       {x * x / 10, 125 * x, 125 * x, 64},
                                       {INFINITY, x * x / 4, x * x / 4, 64}};
        add_run(runs, x, bins, 3);
    }
    const struct program_model *m = program_model_new(runs, COUNTS_REGRESSION, NULL, NULL, &err);
    assert_non_null(m);
    program_model_at(m, &n, &at);
    for (size_t i = 0; i < at.references[0].bin_count; i++) {
        const struct run_bin *b = &at.references[0].bins[i];
        all += isinf(b->distance) ? 0 : b->count;
        near += b->distance > 0.8 * 2 * n && b->distance < 1.25 * 2 * n ? b->count : 0;
    }
    assert_true(near > 0.8 * all && near < 0.92 * all);
    program_run_done(p, &at);
    program_model_free(m);
    program_runs_free(runs);
    program_free(p);
}

/* The first uses of two arrays of N^3 elements are predicted from runs so near to each other that a
 * parabola fits their lines. */
static void test_first_uses_of_cubes(void **state)
{
    static const double sizes[] = {16, 17, 18, 20};
    const struct program *p = read_program(one_block);
    char *names[] = {(char *)(uintptr_t)"N"};
    struct program_runs *runs = program_runs_new(p, names, 1);
    struct program_run at;
    struct err err = {0};
    const double n = 96;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const double cube = sizes[i] * sizes[i] * sizes[i], first = cube / 4 + 2;
        const struct run_bin bins[] = {{4, 20 * cube - first, 20 * cube - first, 8},
                                       {INFINITY, first, first, 8}};
        add_run(runs, sizes[i], bins, 2);
        runs->runs.items[i].counts[0] = 20 * cube;
    }
    const struct program_model *m = program_model_new(runs, COUNTS_REGRESSION, NULL, NULL, &err);
    assert_non_null(m);
    program_model_at(m, &n, &at);
    assert_int_equal(at.references[0].bin_count, 2);
    assert_float_equal(at.references[0].bins[1].count / (n * n * n / 4 + 2), 1, 0.01);
    program_run_done(p, &at);
    program_model_free(m);
    program_runs_free(runs);
    program_free(p);
}

/* One of the copies of an unrolled loop fetches half of a row's new lines if a row is a multiple of
 * a line, and a quarter if its length is odd. The run of odd size does not determine even ones. The
 * formula of all runs is used to predict an odd size. */
static void test_rows_that_lie_otherwise(void **state)
{
    static const double sizes[] = {32, 48, 61, 64, 96, 128};
    const struct program *p = read_program(one_block);
    char *names[] = {(char *)(uintptr_t)"N"};
    struct program_runs *runs = program_runs_new(p, names, 1);
    struct program_run at;
    struct err err = {0};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double x = sizes[i], far = (fmod(x, 2) == 0 ? 0.5 : 0.25) * x * x;
        const struct run_bin bins[] = {{1, x * x - far, x * x - far, 32},
                                       {x * x / 8, far, far, 32}};
        add_run(runs, x, bins, 2);
    }
    const struct program_model *m = program_model_new(runs, COUNTS_REGRESSION, NULL, NULL, &err);
    assert_non_null(m);
    for (double n = 299; n <= 300; n++) {
        program_model_at(m, &n, &at);
        assert_int_equal(at.references[0].bin_count, 2);
        double share = at.references[0].bins[1].count / at.references[0].references;
        assert_true(n == 300 ? fabs(share - 0.5) < 0.005 : share > 0.2 && share < 0.55);
        program_run_done(p, &at);
    }
    program_model_free(m);
    program_runs_free(runs);
    program_free(p);
}

/* A block after a branch is rarely executed. A formula of the fourth power fits four runs, and far
 * outside of them exceeds the number of executions of the branch. */
static void test_counts_are_bounded(void **state)
{
    static const char json[] =
        "{\"key\":\"k\",\"source\":\"f.c\",\"language\":\"c\",\"level\":\"-O3\",\"references\":[{"
        "\"block\":1,\"bytes\":8,\"write\":false}],"
        "\"functions\":[{\"name\":\"f\",\"blocks\":[{\"line\":1,\"ops\":[],\"calls\":[],\"next\":["
        "1,2],\"two_way\":true},{\"line\":2,\"ops\":[],\"calls\":[],\"next\":[2],\"two_way\":false}"
        ","
        "{\"line\":3,\"ops\":[],\"calls\":[],\"next\":[],\"two_way\":false}]}],\"assembly\":\"\"}";
    static const double sizes[] = {64, 128, 200, 300};
    const struct program *p = read_program(json);
    char *names[] = {(char *)(uintptr_t)"N"};
    struct program_runs *runs = program_runs_new(p, names, 1);
    struct program_run at;
    struct err err = {0};
    double n = 20000;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double x = sizes[i],
               rare = rint(150.9 * x - 0.317267 * x * x + 1.92514e-06 * x * x * x * x);
        const struct run_bin bins[] = {{2 * x, rare, rare, 64}};
        add_run(runs, x, bins, 1);
        struct program_run *run = &runs->runs.items[i];
        run->counts[0] = run->counts[2] = 200 * x;
        run->counts[1] = run->taken[0] = rare;
    }
    const struct program_model *m = program_model_new(runs, COUNTS_REGRESSION, NULL, NULL, &err);
    assert_non_null(m);
    program_model_at(m, &n, &at);
    assert_true(at.counts[0] == 200 * n && at.counts[2] == 200 * n);
    assert_true(at.counts[1] <= 200 * n && at.taken[0] <= 200 * n);
    assert_true(at.references[0].references <= 200 * n * (1 + 1e-9));
    program_run_done(p, &at);
    program_model_free(m);
    program_runs_free(runs);
    program_free(p);
}

/* Without traced runs, at most each execution of a branch's rarer direction is mispredicted, and
 * every second one of each select that is a branch. */
static void test_mispredictions_at_most(void **state)
{
    const struct program *p = read_program(
        "{\"key\":\"k\",\"source\":\"f.c\",\"language\":\"c\",\"level\":\"-O3\",\"references\":["
        "{\"block\":0,\"bytes\":8,\"write\":false}],\"functions\":[{\"name\":\"f\",\"blocks\":[{"
        "\"line\":1,\"ops\":[],\"calls\":[],\"next\":[0,0],\"two_way\":true,\"selects\":3}]}],"
        "\"assembly\":\"\"}");
    char *names[] = {(char *)(uintptr_t)"N"};
    struct program_runs *runs = program_runs_new(p, names, 1);
    const struct program_time time = {.cycles = 1e6};
    struct time_spread spread;
    struct err err = {0};

    for (size_t i = 0; i < 4; i++) {
        const struct run_bin bin = {1, 1, 1, 8};
        add_run(runs, 400 * (double)(i + 1), &bin, 1);
        runs->runs.items[i].mode = TRACE_COUNTS;
        runs->runs.items[i].taken[0] = 100 * (double)(i + 1);
    }
    const struct program_model *m = program_model_new(runs, COUNTS_REGRESSION, NULL, NULL, &err);
    assert_non_null(m);
    spread_of(m, (double[]){8000}, &time, 20, &spread);
    assert_float_equal(spread.branches, (2000 + 3 * 4000) * 20 / 1e6, 1e-6);
    program_model_free(m);
    program_runs_free(runs);
    program_free(p);
}

/* The additional run that narrows the range has twice the largest size, but a smaller one if such a
 * run would take minutes, and none if every one would. The slowest run is the largest, and the
 * executions grow with N^3. A macro keeps the remainder by 32 of the largest size. */
static void test_additional_run_is_short(void **state)
{
    static const struct {
        const char *defines;
        double scale, seconds, at, value;   /* size of the runs per unit; value NaN: no run */
    } cases[] = {{NULL, 1, 0.1, 2000, 24},         {NULL, 1, 20, 2000, 13},
                 {NULL, 1, 60, 2000, NAN},         {"N=SIZE", 32, 0.1, 5000, 768},
                 {"M=O N=SIZE", 32, 20, 5000, 416}, {"N=SIZE", 33, 0.1, 700, 684},
                 {"N=SIZE", 32, 0.1, 410, NAN},    {"M=SIZE", 32, 0.1, 410, 410}};
    const struct program *p = read_program(one_block);
    struct err err = {0};

    for (size_t k = 0; k < COUNT(cases); k++) {
        struct program_runs *runs = program_runs_new(p, (char *[]){(char *)(uintptr_t)"N"}, 1);
        struct program_time time = {.cycles = 1e6};
        struct time_spread spread;
        runs->how.defines = cases[k].defines ? mem_strdup(cases[k].defines) : NULL;
        for (double n = 6; n <= 12; n++) {
            const double executions = pow(floor(0.6247 * n), 3);
            const struct run_bin bin = {1, executions, executions, 8};
            add_run(runs, cases[k].scale * n, &bin, 1);
            struct program_run *run = &runs->runs.items[runs->runs.count - 1];
            run->counts[0] = executions;
            run->seconds = n == 12 ? cases[k].seconds : 0.01;
        }
        vec_push(&time.parts, ((struct part_time){.executions = 1e6, .cycles = 1e6}));
        const struct program_model *m =
            program_model_new(runs, COUNTS_REGRESSION, NULL, NULL, &err);
        assert_non_null(m);
        spread_of(m, &cases[k].at, &time, 20, &spread);
        assert_int_equal(spread.block, 0);
        assert_int_equal(spread.input, isnan(cases[k].value) ? -1 : 0);
        assert_true(spread.input < 0 || spread.value == cases[k].value);
        program_time_done(&time);
        program_model_free(m);
        program_runs_free(runs);
    }
    program_free(p);
}

/* Returns runs of one block at @sizes. Its external function calls back @callbacks times, and takes
 * @each cycles per callback, or 100 cycles without callbacks. */
static struct program_runs *runs_with_callbacks(const struct program *p, const double *sizes,
                                                const double *callbacks, size_t count, double each)
{
    struct program_runs *runs = program_runs_new(p, (char *[]){(char *)(uintptr_t)"N"}, 1);

    for (size_t i = 0; i < count; i++) {
        const struct run_bin bin = {1, 1, 1, 8};
        add_run(runs, sizes[i], &bin, 1);
        struct program_run *run = &runs->runs.items[i];
        run->counts[0] = 1;
        run->callbacks = mem_zero(2, sizeof *run->callbacks);
        run->callbacks[0] = callbacks[i];
        run->calls[0] = callbacks[i] > 0 ? each * callbacks[i] : 100;
    }
    return runs;
}

/* A run without callbacks has no time per callback, but determines their number. */
static void test_callbacks_of_some_runs(void **state)
{
    static const double sizes[] = {1, 16, 64, 128, 256};
    const struct program *p = read_program(one_block);
    struct program_run at;
    struct err err = {0};
    double callbacks[COUNT(sizes)], n = 2048;

    for (size_t i = 0; i < COUNT(sizes); i++)
        callbacks[i] = pow(sizes[i], 3) - 1;
    struct program_runs *runs = runs_with_callbacks(p, sizes, callbacks, COUNT(sizes), 50);
    const struct program_model *m = program_model_new(runs, COUNTS_REGRESSION, NULL, NULL, &err);
    assert_non_null(m);
    program_model_at(m, &n, &at);
    assert_float_equal(at.calls[0] / (50 * (n * n * n - 1)), 1, 1e-6);
    program_run_done(p, &at);
    program_model_free(m);
    program_runs_free(runs);
    program_free(p);
}

/* A predicted run that another process receives has the same page faults and rows. The program
 * allocates and frees memory repeatedly, which the packed run does not contain. */
static void test_packed_run(void **state)
{
    static const double sizes[] = {64, 128, 192, 256};
    const struct program *p = read_program(one_block);
    char *names[] = {(char *)(uintptr_t)"N"};
    struct program_runs *runs = program_runs_new(p, names, 1),
                        *received = program_runs_new(p, names, 1);
    struct program_run at, copy, there;
    struct run_pages pages, pages_there;
    struct str bytes = {0};
    struct err err = {0};
    double n = 1024;

    for (size_t i = 0; i < COUNT(sizes); i++) {
        const struct run_bin bins[] = {{1, 7 * sizes[i], 7 * sizes[i], 8},
                                       {INFINITY, sizes[i], sizes[i], 8}};
        add_run(runs, sizes[i], bins, 2);
        struct program_run *run = &runs->runs.items[i];
        run->faults = 100 + sizes[i] * 20;
        run->references[0].rows = 1;
        run->allocation_count = 12;
        run->allocations = mem_zero(run->allocation_count, sizeof *run->allocations);
        for (uint32_t k = 0; k < run->allocation_count; k++)
            run->allocations[k] = (struct heap_event){k % 2 ? 0 : 4096 * sizes[i],
                                                      k % 2 ? k - 1 : HEAP_NONE, 0};
    }
    const struct program_model *m = program_model_new(runs, COUNTS_REGRESSION, NULL, NULL, &err);
    assert_non_null(m);
    program_model_at(m, &n, &at);
    pages_of(p, &at, &pages);
    run_pack(p, &at, &bytes);
    struct unpacking from = {bytes.data, bytes.length, false};
    assert_true(run_unpack(p, &from, &copy));
    vec_push(&received->runs, copy);
    const struct program_model *other =
        program_model_new(received, COUNTS_REGRESSION, NULL, NULL, &err);
    assert_non_null(other);
    program_model_at(other, &n, &there);
    pages_of(p, &there, &pages_there);
    assert_true(pages.faults > 2 * pages.used);
    assert_true(pages_there.faults == pages.faults && pages_there.used == pages.used);
    assert_int_equal(at.references[0].rows, 1);
    assert_int_equal(there.references[0].rows, 1);
    str_done(&bytes);
    program_run_done(p, &at);
    program_run_done(p, &there);
    program_model_free(m);
    program_model_free(other);
    program_runs_free(runs);
    program_runs_free(received);
    program_free(p);
}

/* The range of a part includes that of its callbacks, and factors of calls (1.6 and 1.6) and of
 * mispredicted branches (1.6 and 2). */
static void test_spread_of_parts(void **state)
{
    static const double sizes[] = {1, 16, 50, 64, 128, 200},
                        callbacks[] = {0, 40, 230, 280, 640, 1300};
    const struct program *p = read_program(one_block);
    struct program_runs *runs = runs_with_callbacks(p, sizes, callbacks, COUNT(sizes), 50);
    struct program_time time = {.cycles = 100};
    struct part_time part = {.executions = 1, .cycles = 100, .ends = 30, .branches = 70};
    struct time_spread spread;
    struct err err = {0};
    double n = 128, least, most;

    const struct program_model *m = program_model_new(runs, COUNTS_REGRESSION, NULL, NULL, &err);
    assert_non_null(m);
    vec_push(&time.parts, part);
    spread_of(m, &n, &time, 20, &spread);
    assert_float_equal(spread.least, 1 / 1.6, 1e-6);
    assert_float_equal(spread.most, 2, 1e-6);
    time.parts.items[0] = (struct part_time){.executions = 1, .cycles = 100, .calls = 100};
    spread_of(m, &n, &time, 20, &spread);
    assert_float_equal(spread.least, 1 / 1.6, 1e-6);
    assert_float_equal(spread.most, 1.6, 1e-6);
    n = 5000;
    spread_of(m, &n, &time, 20, &spread);
    assert_int_not_equal(m->callbacks[0], UINT32_MAX);
    count_formula_range(m, m->callbacks[0], &n, &least, &most);
    const double value = formula_value(&m->formulas[m->callbacks[0]], &n, 1);
    assert_true(least < 0.95 * value && most > 1.05 * value);
    assert_float_equal(spread.counts_least / (least / value), 1, 1e-6);
    assert_float_equal(spread.counts_most / (most / value), 1, 1e-6);
    vec_done(&time.parts);
    program_model_free(m);
    program_runs_free(runs);
    program_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_clusters_of_small_runs),
                                       cmocka_unit_test(test_short_loops),
                                       cmocka_unit_test(test_first_uses_of_cubes),
                                       cmocka_unit_test(test_rows_that_lie_otherwise),
                                       cmocka_unit_test(test_counts_are_bounded),
                                       cmocka_unit_test(test_mispredictions_at_most),
                                       cmocka_unit_test(test_additional_run_is_short),
                                       cmocka_unit_test(test_callbacks_of_some_runs),
                                       cmocka_unit_test(test_packed_run),
                                       cmocka_unit_test(test_spread_of_parts)};
    return cmocka_run_group_tests_name("clusters", tests, NULL, NULL);
}
