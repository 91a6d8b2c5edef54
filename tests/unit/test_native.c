/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measured parameters of this CPU for programs: the share of caches and CPU time that a program
 * gets. The CPU time of a program that runs concurrently with others. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/mem.h"
#include "chart/memory_lines.h"
#include "model/facts.h"
#include "program/native_kept.h"
#include "program/pages.h"
#include "../support/support.h"

static const struct child_limits limits = {.cpu_seconds = 60,
                                           .memory = (size_t)1 << 32,
                                           .file_size = 4096,
                                           .wall_seconds = 60,
                                           .output = 4096};

static char *computed;   /* pipe that tells the end of the computation */

static double cpu_seconds(const char *script)
{
    const char *const argv[] = {"sh", "-c", script, computed, NULL};
    struct child_result result;
    struct err err = {0};
    bool ok = child_run(argv, "/", NULL, 0, &limits, &result, &err);

    child_result_done(&result);
    return ok ? result.cpu_seconds : -1;
}

static void *work(void *out)
{
    *(double *)out =
        cpu_seconds("i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; echo >\"$0\"");
    return NULL;
}

/* One child computes while another waits for it. Each is charged its own CPU time. */
static void test_time_of_one_child(void **state)
{
    pthread_t worker;
    double worked = -1, slept;

    work_remove("computed");
    computed = mem_strdup(work_path("computed"));
    assert_int_equal(mkfifo(computed, 0600), 0);
    assert_int_equal(pthread_create(&worker, NULL, work, &worked), 0);
    slept = cpu_seconds("read -r line <\"$0\"");
    pthread_join(worker, NULL);
    free(computed);
    assert_true(slept >= 0 && worked > 0);
    assert_true(slept < worked / 2);
}

/* If the size of the second level equals or exceeds all walked memory, its cost is still
 * measured. */
static void test_huge_second_level(void **state)
{
    static const char *const sizes[] = {"67108864", "1073741824", "1e300"};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct machine *m = load_machine("skylake");
        struct err err = {0};
        struct native n;
        machine_set_fact(m, "l2_bytes", sizes[i], "bytes", "a test");
        struct native_probe *p = native_probe_new(m, &err);
        assert_non_null(p);
        native_probe_look(p);
        native_probe_result(p, NULL, &n);
        assert_int_equal(n.count, 1);
        assert_true(n.sizes[0].bytes <= 0x1p26 && n.sizes[0].read > 0);
        native_apply(&n, m);
        assert_true(fact_number(m, "l2_line_cycles") > 0);
        native_probe_free(p);
        machine_free(m);
    }
}

/* Other programs replace lines of the second and third level, the oldest first. The time constant
 * is found, regardless of the part of the area in the second level. A level without replacement has
 * no value. */
static void test_replaced_by_others(void **state)
{
    struct native n = {.clock_hz = 2e9, .count = 5, .alone = 1e-8};

    for (size_t i = 0; i < n.count; i++)
        n.sizes[i] = (struct native_level){i ? 0x1p20 * (double)(2u << i) : 0x1p18, 4e-9, 5e-9,
                                           i ? i < 4 ? 50e-9 : 210e-9 : 10e-9,      3e-9, 5e-9};
    for (double kept = 0.5e-3; kept < 5e-3; kept *= 1.7) {
        struct machine *m = load_machine("sapphirerapids");
        double part = fact_number(m, "l2_bytes") / n.sizes[2].bytes;
        /* latency of the third level as native_apply derives it from the same area */
        double third = (50e-9 - part * 10e-9) / (1 - part), kept_second = 0.7 * kept;
        for (int i = 0; i < NATIVE_WAITS; i++) {
            double age = 0.4e-3 * (1 << i), left = exp(-age / kept * age / kept),
                   second = exp(-age / kept_second * age / kept_second);
            n.waits[i] = (struct native_wait){
                age, part * 10e-9 + (1 - part) * (left * third + (1 - left) * 210e-9), age,
                second * 10e-9 + (1 - second) * third};
        }
        native_apply(&n, m);
        assert_float_equal(fact_number(m, "l3_kept"), kept * 1e3, kept * 1e3 * 0.03);
        assert_float_equal(fact_number(m, "l2_kept"), kept_second * 1e3, kept_second * 1e3 * 0.03);
        machine_free(m);
    }
    struct machine *m = load_machine("sapphirerapids");
    for (int i = 0; i < NATIVE_WAITS; i++)
        n.waits[i].latency = 50e-9, n.waits[i].second = 10e-9;
    native_apply(&n, m);
    assert_true(isnan(fact_number(m, "l3_kept")) && isnan(fact_number(m, "l2_kept")));
    machine_free(m);
}

/* A thread on the same core uses a part of the second level. Its remaining size is found, and with
 * it the latency of the next level. Without the thread, only lines of full sets are lost. */
static void test_second_level_shared(void **state)
{
    /* E(X - 16)+ / 16 for a Poisson-distributed X with mean 16 */
    const double near = 10e-9, third = 70e-9, all = 0x1p21,
                 crowded = pow(16, 16) * exp(-16) / tgamma(17);
    struct native n = {.clock_hz = 2e9, .count = 5, .alone = 1e-8};

    for (size_t i = 0; i < n.count; i++)
        n.sizes[i] = (struct native_level){
            i ? all * (double)(1u << i) : all / 8, 4e-9, 5e-9, i < 4 ? third : 210e-9, 3e-9, 5e-9};
    n.sizes[0].latency = near;
    n.second.bytes = all;
    for (int i = 0; i < NATIVE_WAITS; i++)
        n.waits[i] = (struct native_wait){NAN, NAN, NAN, NAN};
    for (double left = 0.3; left < 1.05; left += 0.1) {
        struct machine *m = load_machine("sapphirerapids");
        double held = left * (1 - crowded);
        n.sizes[2].latency = near * left / 4 + third * (1 - left / 4);
        n.second.latency = near * held + third * (1 - held);
        native_apply(&n, m);
        assert_float_equal(fact_number(m, "l2_bytes"), left * all, 0.01 * all);
        assert_float_equal(fact_number(m, "l3_latency"), third * n.clock_hz, 2);
        assert_true(isnan(fact_number(m, "l3_kept")));
        machine_free(m);
    }
}

/* Contention for a core's ports is visible in loads only if their largest number per cycle is
 * known. Checks each core on which programs are measured. */
static void test_ports_left(void **state)
{
    static const char *const cores[] = {"sapphirerapids", "znver3", "znver4"};

    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
        struct machine *m = load_machine(cores[i]);
        struct core_readings r = {0};
        struct core_share share;
        double hz;
        for (int k = 0; k < 10; k++)
            vec_push(&r.list,
                     ((struct core_reading){3e9, 24 / fact_number(m, "loads_per_cycle") / 0.6 / 3e9,
                                            97 / fact_number(m, "issue_width") / 0.4 / 3e9}));
        core_readings_judge(&r, m, &hz, &share);
        assert_float_equal(hz, 3e9, 1);
        assert_float_equal(share.slots, 0.4, 1e-6);
        assert_float_equal(share.ports, 0.6, 1e-6);
        core_readings_done(&r);
        machine_free(m);
    }
}

/* The size of a TLB and the cost of a page walk are found from walks with TLB misses. With huge
 * pages, without misses, there is no value. */
static void test_page_walks(void **state)
{
    struct native n = {.clock_hz = 2e9,
                       .count = 1,
                       .sizes = {{0x1p18, 1e-9, 2e-9, 7e-9, 1e-9, 3e-9}},
                       .alone = 1e-8};

    for (double pages = 1100; pages < 5000; pages *= 1.6) {
        struct machine *m = load_machine("sapphirerapids");
        for (size_t i = 0; i < NATIVE_WALKS; i++)
            n.walks[i] =
                1e-9 +
                8e-9 * fmin(1, fmax(0, 0.5 + log2((double)(NATIVE_FIRST_WALK << i) / pages)));
        native_apply(&n, m);
        assert_float_equal(fact_number(m, "tlb_pages"), pages, 0.2 * pages);
        assert_float_equal(fact_number(m, "page_walk_cycles"), 16, 0.01);
        assert_float_equal(fact_number(m, "l2_write_cycles"), 6, 0.01);
        machine_free(m);
    }
    struct machine *m = load_machine("sapphirerapids");
    for (size_t i = 0; i < NATIVE_WALKS; i++)
        n.walks[i] = 1e-9;
    native_apply(&n, m);
    assert_true(isnan(fact_number(m, "tlb_pages")));
    machine_free(m);
}

/* A slow loop over main memory shows the latency of streamed lines. A loop that takes hardly longer
 * than in the first level waits for none. */
static void test_slow_stream(void **state)
{
    struct native n = {.clock_hz = 2e9, .count = 5, .alone = 1e-8, .slow_near = 20e-9};

    for (size_t i = 0; i < n.count; i++)
        n.sizes[i] = (struct native_level){i ? 0x1p20 * (double)(2u << i) : 0x1p18, 4e-9, 5e-9,
                                           i ? 50e-9 : 10e-9, 5e-9, 6e-9};
    for (int i = 0; i < NATIVE_WAITS; i++)
        n.waits[i] = (struct native_wait){NAN, NAN, NAN, NAN};
    for (double ratio = 1; ratio < 8; ratio *= 1.3) {
        struct machine *m = load_machine("sapphirerapids");
        struct memory memory;
        struct err err = {0};
        n.slow = ratio * n.slow_near;
        native_apply(&n, m);
        assert_true(memory_of(m, &memory, &err));
        const double wait = memory_stream_wait(
            &memory, memory.count, fact_number(m, "reorder_buffer") / MEMORY_FEW_UOPS, 1);
        assert_float_equal(memory_together(n.slow_near * n.clock_hz, wait),
                           (ratio > 1.15 ? n.slow : n.slow_near) * n.clock_hz, 0.01);
        machine_free(m);
    }
}

/* The accounts of page faults have the given share of user time, and none if it is unknown or if
 * there are no faults. The measured share is a fact of the machine. */
static void test_fault_user(void **state)
{
    const struct run_pages many = {1e9, 1}, none = {0, 1};
    struct machine *m = load_machine("sapphirerapids");
    struct system_cost cost;
    struct err err = {0};

    for (double share = 0; share <= 1; share += 0.25) {
        assert_true(system_cost_of(&many, share, &cost, &err));
        assert_float_equal(cost.user / (cost.user + cost.system), share, 0.01);
        assert_true(system_cost_of(&none, share, &cost, &err));
        assert_true(cost.user == 0 && cost.system > 0);
    }
    assert_true(system_cost_of(&many, NAN, &cost, &err) && cost.user == 0);
    assert_true(isnan(fact_number(m, "page_fault_user")));
    native_apply_faults(m);
    assert_in_range((long)(1000 * fact_number(m, "page_fault_user")), 0, 1000);
    machine_free(m);
}

/* Cycles through half, 1.5 times and three times the second level have hits between those of LRU
 * and of random replacement, and the fraction of LRU is recovered. Lines of one set have their own
 * cost if they take longer than others. */
static void test_replacement(void **state)
{
    struct native n = {.clock_hz = 2e9, .count = 5, .alone = 1e-8, .crowded = 1e-9, .apart = 1e-9};
    struct machine *m;

    for (size_t i = 0; i < n.count; i++)
        n.sizes[i] =
            (struct native_level){i ? 0x1p20 * (double)(2u << i) : 0x1p18, i ? 4e-9 : 1e-9, 5e-9,
                                  i ? i < 4 ? 50e-9 : 210e-9 : 10e-9,      i ? 5e-9 : 1e-9, 6e-9};
    for (int i = 0; i < NATIVE_WAITS; i++)
        n.waits[i] = (struct native_wait){NAN, NAN, NAN, NAN};
    for (size_t i = 0; i < NATIVE_WALKS; i++)
        n.walks[i] = 1e-9;
    for (double oldest = 0; oldest < 1.1; oldest += 0.25) {
        m = load_machine("sapphirerapids");
        const struct cache_shape second = {fact_number(m, "l2_bytes") / MEMORY_LINE,
                                           fact_number(m, "l2_ways")};
        double hit;
        for (int i = 0; i < NATIVE_CYCLES; i++) {
            const double lines = native_cycle_by[i] * second.lines;
            hit = oldest * sdcm_hit(&second, lines) +
                  (1 - oldest) * sdcm_hit_random(&second, lines);
            n.cycles[i] = 5e-9 * hit + 20e-9 * (1 - hit);
        }
        const struct cache_shape crowd = {fact_number(m, "l2_bytes") / MEMORY_PAGE, second.ways};
        hit = oldest * sdcm_hit(&crowd, NATIVE_FIRST_WALK) +
              (1 - oldest) * sdcm_hit_random(&crowd, NATIVE_FIRST_WALK);
        n.columns = 1e-9 * hit + 5e-9 * (1 - hit);
        native_apply(&n, m);
        assert_float_equal(fact_number(m, "l2_oldest"), oldest, 1e-3);
        assert_float_equal(fact_number(m, "l2_column_oldest"), oldest, 1e-3);
        assert_true(fact_number(m, "l1_crowded_cycles") == 0);
        machine_free(m);
    }
    m = load_machine("sapphirerapids");
    n.crowded = 12e-9;
    n.crowded_1k = 4e-9;
    assert_float_equal(fact_number(m, "memory_hidden"), 0.25, 1e-9);
    n.chained_near = n.sizes[4].read / 2;
    n.chained = n.sizes[4].read * 1.2;
    native_apply(&n, m);
    assert_float_equal(fact_number(m, "memory_hidden"), 0.6, 1e-9);
    assert_float_equal(fact_number(m, "l1_crowded_cycles"), 24, 1e-9);
    assert_float_equal(fact_number(m, "l1_crowded_1k_cycles"), 8, 1e-9);
    machine_free(m);
}

/* Measurements are saved with their date, without the varying clock. Rows of another CPU are
 * unchanged, and damaged numbers are ignored. */
static void test_kept(void **state)
{
    static const char others[] =
        "cpu,signature,microcode,date,fact,value,unit,bytes,spread,clock_hz\n"
        "Other CPU,00000001,7,2020-01-02,l2_latency,77,cycles,,,\n";
    char day[KEPT_DAY];
    const char *path = work_path("portolan/memory.csv");
    struct machine *measured = load_machine("skylake"), *again = load_machine("skylake");
    double latency = fact_number(again, "l2_latency"), clock = fact_number(again, "clock");
    struct str text = {0};
    struct err err = {0};

    setenv("XDG_STATE_HOME", work_path(""), 1);
    assert_false(native_recall(again, day));
    machine_set_fact(measured, "clock", "1.25", "GHz", NATIVE_SOURCE);
    machine_set_fact(measured, "l2_latency", "19.5", "cycles", NATIVE_SOURCE);
    machine_set_fact(measured, "l3_latency", "88", "cycles", "a data sheet");
    native_keep(measured);
    assert_true(file_write(path, others, sizeof others - 1, &err));
    assert_false(native_recall(again, day) || *day);
    assert_true(fact_number(again, "l2_latency") == latency);
    native_keep(measured);
    assert_true(native_recall(again, day));
    assert_int_equal(strlen(day), 10);
    assert_true(fact_number(again, "l2_latency") == 19.5 && fact_number(again, "clock") == clock &&
                fact_number(again, "l3_latency") != 88);
    assert_true(file_read(path, 1 << 16, &text, &err));
    assert_non_null(
        strstr(str_text(&text), "Other CPU,00000001,7,2020-01-02,l2_latency,77,cycles"));
    char *number = strstr(str_text(&text), "19.5");
    memcpy(number, "-9.5", 4);
    assert_true(file_write(path, str_text(&text), text.length, &err));
    machine_set_fact(again, "l2_latency", "14", "cycles", "a test");
    native_recall(again, day);
    assert_true(fact_number(again, "l2_latency") == 14);
    str_done(&text);
    machine_free(measured);
    machine_free(again);
}

/* One file has the costs of lines by size and the parameters of programs. Saving one kind preserves
 * the rows of the other, and a damaged row of one kind does not hide the other. */
static void test_one_file(void **state)
{
    struct machine *m = load_machine("skylake");
    struct memory_costs kept = {.clock_hz = 2.5e9, .count = 2, .bytes = {65536, 1 << 24}}, again;
    const char *path = work_path("portolan/memory.csv");
    struct str text = {0};
    struct err err = {0};
    char day[KEPT_DAY];

    setenv("XDG_STATE_HOME", work_path(""), 1);
    unlink(path);
    for (unsigned i = 0; i < MEMORY_COSTS; i++)
        kept.cycles[i][0] = 1 + i, kept.cycles[i][1] = 20 + i;
    assert_false(memory_lines_recall(m, &again));
    machine_set_fact(m, "l2_latency", "19.5", "cycles", NATIVE_SOURCE);
    for (int round = 0; round < 2; round++) {
        native_keep(m);
        memory_lines_remember(&kept);
    }
    native_keep(m);
    assert_true(memory_lines_recall(m, &again) && native_recall(m, day));
    assert_string_equal(again.day, day);
    assert_int_equal(again.count, 2);
    assert_false(again.overlaps);   /* The machine's value is used. */
    for (unsigned i = 0; i < MEMORY_COSTS; i++)
        assert_true(again.cycles[i][0] == 1 + i && again.cycles[i][1] == 20 + i);
    assert_true(file_read(path, 1 << 16, &text, &err));
    unsigned lines = 0;
    for (const char *at = str_text(&text); (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, 1 + 1 + 2 * MEMORY_COSTS);
    char *number = strstr(str_text(&text), "16777216");
    memcpy(number, "-6777216", 8);
    assert_true(file_write(path, str_text(&text), text.length, &err));
    assert_false(memory_lines_recall(m, &again));
    assert_true(native_recall(m, day));
    str_done(&text);
    machine_free(m);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

/* If a limit of address space prevents measuring, the table's facts are used, and this is reported.
 * A request for new measurements is rejected. */
static void test_no_room(void **state)
{
#ifdef SANITIZED
    skip();   /* A sanitizer uses all of the address space. */
#else
    if (!address_space_limited())
        skip();
    struct machine *m = load_machine("skylake");
    struct rlimit before, low = {(rlim_t)1 << 20, (rlim_t)1 << 20};
    double latency = fact_number(m, "l2_latency");
    char day[KEPT_DAY];
    struct err err = {0};

    unlink(work_path("portolan/memory.csv"));
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    low.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_AS, &low), 0);
    bool known = native_known(m, false, day, &err),
         fresh = native_known(m, true, (char[KEPT_DAY]){0}, &err);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_true(known);
    assert_string_equal(day, NATIVE_NEVER);
    assert_true(fact_number(m, "l2_latency") == latency);
    assert_false(fresh);
    assert_non_null(strstr(err.what, "not enough memory"));
    machine_free(m);
#endif
}

/* The difference of samples is that of largest and least, over all sizes except the first, which
 * the second level contains. The sample nearest to the last one is found. */
static void test_looks_apart(void **state)
{
    struct native n[3];
    bool use[3];

    for (int k = 0; k < 3; k++) {
        n[k] = (struct native){.count = 3};
        for (size_t i = 0; i < 3; i++)
            n[k].sizes[i] = (struct native_level){.read = 1e-9 * (1 + 0.1 * k),
                                                  .latency = 1e-8 * (1 + 0.1 * (2 - k))};
    }
    assert_float_equal(native_looks_apart(n, 3), 0.2, 1e-9);
    assert_float_equal(native_looks_apart(n, 2), 0.1, 1e-9);
    /* 1.2 / 1.1 is nearer than 1.1 / 1.0, but only in one of the two times. */
    assert_float_equal(native_looks_nearest(n, 3, use), 0.1, 1e-9);
    n[1].sizes[2].latency = 2e-8;
    assert_float_equal(native_looks_apart(n, 3), 1, 1e-9);
    assert_float_equal(native_looks_nearest(n, 3, use), 0.2, 1e-9);
    assert_true(use[0] && !use[1] && use[2]);
    n[1].sizes[2].latency = 1e-8;
    n[2].sizes[1].read = 3e-9;
    assert_float_equal(native_looks_apart(n, 3), 2, 1e-9);
    assert_float_equal(native_looks_nearest(n, 3, use), 3 / 1.1 - 1, 1e-9);
    assert_true(!use[0] && use[1] && use[2]);
    n[2].sizes[1].read = 1e-9;
    n[2].sizes[0].latency = 1;
    assert_float_equal(native_looks_apart(n, 3), 0.2, 1e-9);
    assert_true(native_looks_apart(n, 1) == 0 && native_looks_apart(n, 0) == 0);
    assert_true(isinf(native_looks_nearest(n, 1, use)));
}

/* A measurement is refused if other programs left little of the second level, or a smaller area
 * was slower. */
static void test_plausible(void **state)
{
    struct machine *m = load_machine("zen5-charted");
    struct native n = {.clock_hz = 4e9, .count = 4, .second = {.bytes = 0x1p20}};
    struct err err = {0};

    for (size_t i = 0; i < n.count; i++)
        n.sizes[i] = (struct native_level){.bytes = i ? 0x1p20 * (double)(1u << i) : 0x1p17,
                                           .read = 1e-9,
                                           .latency = i ? 15e-9 : 4e-9};
    n.second.latency = 6e-9;
    assert_true(native_is_plausible(&n, m, &err));
    n.second.latency = 14e-9;   /* Nine of ten lines are missing. */
    assert_false(native_is_plausible(&n, m, &err));
    assert_non_null(strstr(err.what, "of 1024 KiB of the second-level cache"));
    err_clear(&err);
    n.second.latency = 6e-9;
    n.sizes[3].latency = 11e-9;
    assert_false(native_is_plausible(&n, m, &err));
    assert_string_equal(err.what, "memory accesses took 15 ns in 4096 KiB, but 11 ns in 8192 KiB");
    err_clear(&err);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_of_one_child),  cmocka_unit_test(test_huge_second_level),
        cmocka_unit_test(test_replaced_by_others), cmocka_unit_test(test_second_level_shared),
        cmocka_unit_test(test_page_walks),         cmocka_unit_test(test_ports_left),
        cmocka_unit_test(test_fault_user),         cmocka_unit_test(test_replacement),
        cmocka_unit_test(test_kept),               cmocka_unit_test(test_slow_stream),
        cmocka_unit_test(test_one_file),
        cmocka_unit_test(test_looks_apart),        cmocka_unit_test(test_plausible),
        cmocka_unit_test(test_no_room)};
    return cmocka_run_group_tests_name("native", tests, NULL, NULL);
}
