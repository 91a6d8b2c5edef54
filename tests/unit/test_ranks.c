/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages between ranks are unpacked unchanged, and damaged ones are rejected. Mappings of another
 * island join a run. tests/tty/test_ranks.sh tests the transport of messages. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "infer/evolve.h"
#include "io/experiments_file.h"
#include "io/machine_file.h"
#include "ranks/ranks.h"
#include "report/evaluate.h"
#include "toolchain/scan.h"
#include "../support/known.h"
#include "../support/support.h"

static struct problem *some_problem(void)
{
    static const char text[] =
        "experiment,cycles\nA,1\nB,0.5\nC,0.5\n2*A + B,2\nA + B,1\nA + C,1\nB + C,1\nA + B,1.1\n";
    struct err err = {0};

    work_put("few.csv", text);
    struct experiments *t = experiments_load(work_path("few.csv"), &err);
    assert_non_null(t);
    struct problem *p = problem_new(t, NULL, &err);
    assert_non_null(p);
    experiments_free(t);
    return p;
}

static struct unpacking all_of(const struct str *bytes)
{
    return (struct unpacking){bytes->data, bytes->length, false};
}

static void test_values(void **state)
{
    struct str bytes = {0};

    pack_count(&bytes, UINT64_MAX);
    pack_number(&bytes, -0.25);
    pack_text(&bytes, "");
    pack_text(&bytes, "µop");
    struct unpacking from = all_of(&bytes);
    assert_true(unpack_count(&from) == UINT64_MAX);
    assert_true(unpack_number(&from) == -0.25);
    assert_string_equal(unpack_text(&from), "");
    assert_string_equal(unpack_text(&from), "µop");
    assert_int_equal(from.left, 0);
    assert_false(from.broken);
    assert_string_equal(unpack_text(&from), "");
    assert_true(from.broken);
    /* This is a text without its end. */
    from = (struct unpacking){"abc", 3, false};
    assert_string_equal(unpack_text(&from), "");
    assert_true(from.broken);
    from = (struct unpacking){"abc", 3, false};
    assert_false(unpack_holds(&from, UINT64_MAX, 24));
    str_done(&bytes);
}

static void assert_same_problem(const struct problem *a, const struct problem *b)
{
    size_t terms = a->term_start[a->experiments];

    assert_int_equal(a->forms, b->forms);
    assert_int_equal(a->experiments, b->experiments);
    assert_true(a->weights == b->weights && a->fingerprint == b->fingerprint);
    for (size_t f = 0; f < a->forms; f++)
        assert_string_equal(a->names[f], b->names[f]);
    assert_memory_equal(a->terms, b->terms, terms * sizeof *a->terms);
    assert_memory_equal(a->cycles, b->cycles, a->experiments * sizeof *a->cycles);
    assert_memory_equal(a->inverse, b->inverse, a->experiments * sizeof *a->inverse);
    assert_memory_equal(a->links, b->links, terms * sizeof *a->links);
    assert_memory_equal(a->single, b->single, a->forms * sizeof *a->single);
}

/* A message truncated anywhere is rejected, without a read beyond its end. */
static void test_problem(void **state)
{
    struct problem *p = some_problem();
    struct str bytes = {0};
    struct err err = {0};

    problem_pack(p, &bytes);
    struct unpacking from = all_of(&bytes);
    struct problem *again = problem_unpack(&from, &err);
    assert_non_null(again);
    assert_int_equal(from.left, 0);
    assert_same_problem(p, again);
    problem_free(again);
    for (size_t length = 0; length < bytes.length; length++) {
        char *part = mem_alloc(length + 1);
        memcpy(part, bytes.data, length);
        from = (struct unpacking){part, length, false};
        assert_null(problem_unpack(&from, &err));
        free(part);
    }
    assert_non_null(strstr(err.what, "damaged"));
    /* This is a term of an unknown form. */
    const struct table_term wrong = {99, 1};
    for (size_t at = 0; at + sizeof wrong <= bytes.length; at++)
        if (memcmp(bytes.data + at, p->terms, p->term_start[p->experiments] * sizeof wrong) == 0) {
            memcpy(bytes.data + at, &wrong, sizeof wrong);
            break;
        }
    from = all_of(&bytes);
    assert_null(problem_unpack(&from, &err));
    str_done(&bytes);
    problem_free(p);
}

static struct evolve_options quick(void)
{
    struct evolve_options o = known_options();
    o.ports = 3;
    o.population = 2;
    o.price_scale = 1;
    return o;
}

static struct genome *best_of(struct problem *p, const struct evolve_options *o)
{
    struct err err = {0};
    struct evolve *e = evolve_new(p, o, NULL, 0, &err);
    assert_non_null(e);
    evolve_worker(e, 0, NULL, NULL);
    struct genome *best = evolve_best(e, NULL);
    assert_non_null(best);
    evolve_free(e);
    return best;
}

static void test_genome(void **state)
{
    struct problem *p = some_problem();
    struct evolve_options o = quick();
    struct genome *g = best_of(p, &o);
    struct str bytes = {0};

    genome_pack(g, &bytes);
    struct unpacking from = all_of(&bytes);
    struct genome *again = genome_unpack(&from, p->forms);
    assert_non_null(again);
    assert_int_equal(again->ports, 3);
    assert_memory_equal(again->genes, g->genes, p->forms * sizeof *g->genes);
    from = all_of(&bytes);
    assert_null(genome_unpack(&from, p->forms + 1));
    genome_free(again);
    from = all_of(&bytes);
    from.left--;
    assert_null(genome_unpack(&from, p->forms));
    genome_free(g);
    str_done(&bytes);
    problem_free(p);
}

/* A run without a good mapping adopts another island's, evaluated by its own penalties. It adopts
 * other numbers of ports only if permitted. */
static void test_immigrants(void **state)
{
    struct problem *p = some_problem();
    struct evolve_options o = quick();
    struct genome *good = best_of(p, &o), *poor = genome_copy(good), *wide;
    struct err err = {0};
    struct evolve_status status;

    for (size_t f = 0; f < p->forms; f++) {
        poor->genes[f] = (struct gene){0};
        gene_add(&poor->genes[f], 1, 200);
    }
    struct evolve *e = evolve_new(p, &o, (struct genome *const[]){poor, poor}, 2, &err);
    assert_non_null(e);
    evolve_get_status(e, &status);
    assert_true(status.d_avg > 10);
    assert_true(evolve_immigrate(e, good));
    evolve_get_status(e, &status);
    assert_true(fabs(status.d_avg - good->d_avg) < 1e-6);
    /* A mapping of four ports is incompatible until the number is determined again. */
    o.ports = 4;
    wide = best_of(p, &o);
    assert_false(evolve_immigrate(e, wide));
    evolve_get_status(e, &status);
    assert_int_equal(status.ports, 3);
    evolve_settle(e, wide);
    evolve_get_status(e, &status);
    assert_int_equal(status.ports, 4);
    size_t count;
    struct genome **all = evolve_population(e, &count, NULL);
    assert_int_equal(count, 1);
    assert_int_equal(all[0]->ports, 4);
    genome_free(all[0]);
    free(all);
    /* Late mappings with the old number of ports are dropped. The evaluations of late messages are
     * counted. */
    assert_false(evolve_immigrate(e, good));
    evolve_credit(e, &(struct anneal_stats){.evaluations = 1000});
    evolve_get_status(e, &status);
    assert_true(status.evaluations >= 1000);
    /* The run continues with four ports. */
    evolve_worker(e, 0, NULL, NULL);
    evolve_get_status(e, &status);
    assert_int_equal(status.state, EVOLVE_DONE);
    assert_int_equal(status.ports, 4);
    assert_int_equal(status.ports_known, PORTS_FOUND);
    /* A thread that arrives after the end does not change it. */
    double seconds = status.seconds;
    evolve_worker(e, 0, NULL, NULL);
    evolve_get_status(e, &status);
    assert_true(status.seconds == seconds && status.state == EVOLVE_DONE);
    evolve_free(e);
    /* The largest candidate number of ports, which still has large errors, is reported as assumed,
     * regardless of the rank that found it. */
    e = evolve_new(p, &o, NULL, 0, &err);
    poor->ports = 12;
    evolve_settle(e, poor);
    evolve_get_status(e, &status);
    assert_int_equal(status.ports, 12);
    assert_int_equal(status.ports_known, PORTS_UNEXPLAINED);
    evolve_free(e);
    genome_free(good);
    genome_free(poor);
    genome_free(wide);
    problem_free(p);
}

/* A run with more ports than any candidate number accepts mappings of the same number. */
static void test_many_ports(void **state)
{
    struct problem *p = some_problem();
    struct evolve_options o = quick();
    struct err err = {0};

    o.ports = 14;
    struct genome *good = best_of(p, &o);
    struct evolve *e = evolve_new(p, &o, NULL, 0, &err);
    assert_non_null(e);
    assert_true(evolve_immigrate(e, good));
    evolve_free(e);
    /* A run that is still choosing its number of ports accepts no mapping with more ports than any
     * candidate. */
    o.ports = 0;
    e = evolve_new(p, &o, NULL, 0, &err);
    assert_non_null(e);
    assert_false(evolve_immigrate(e, good));
    evolve_free(e);
    genome_free(good);
    problem_free(p);
}

static void test_machine(void **state)
{
    struct machine *m = load_machine("skylake");
    struct str bytes = {0};
    struct err err = {0};

    assert_int_equal(mkdir(work_path("scratch"), 0700), 0);
    setenv("TMPDIR", work_path("scratch"), 1);
    machine_pack(m, &bytes);
    struct unpacking from = all_of(&bytes);
    struct machine *again = machine_unpack(&from, &err);
    assert_non_null(again);
    assert_string_equal(again->id, "skylake");
    assert_same_machine(m, again);
    machine_free(again);
    from = all_of(&bytes);
    from.left = 200;
    assert_null(machine_unpack(&from, &err));
    /* The id of this machine is a directory that does not exist. */
    free(m->id);
    m->id = mem_strdup("/no/such/place/");
    str_clear(&bytes);
    machine_pack(m, &bytes);
    from = all_of(&bytes);
    again = machine_unpack(&from, &err);
    assert_non_null(again);
    assert_string_equal(again->id, "/no/such/place/");
    machine_free(again);
    str_done(&bytes);
    machine_free(m);
    unsetenv("TMPDIR");
    /* No file remains. */
    assert_int_equal(rmdir(work_path("scratch")), 0);
}

static double error_of(const struct worst_block *b)
{
    return fabs(b->predicted - b->measured) / b->measured;
}

/* Two evaluations have different blocks, and one is sent to the other's rank. The sum equals one
 * evaluation of all blocks. */
static void test_evaluations(void **state)
{
    static const char *const blocks[] = {"4801d8", "480fafc3",     "4801d8480fafc3",
                                         "zz",     "4829c34801d8", "c5fd58c1"};
    struct machine *m = load_machine("skylake");
    struct evaluation *all = evaluation_new(m, MODEL_BOUNDS),
                      *here = evaluation_new(m, MODEL_BOUNDS),
                      *there = evaluation_new(m, MODEL_BOUNDS);
    struct evaluation_result expected, got;
    struct str bytes = {0};

    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const struct measured_block block = {blocks[i], 1.0 + (double)i};
        evaluation_add(all, &block);
        evaluation_add(i % 2 ? here : there, &block);
    }
    evaluation_pack(there, &bytes);
    struct unpacking from = all_of(&bytes);
    assert_true(evaluation_take(here, &from));
    from = all_of(&bytes);
    from.left /= 2;
    assert_false(evaluation_take(here, &from));
    evaluation_finish(all, &expected);
    evaluation_finish(here, &got);
    assert_int_equal(got.n, expected.n);
    assert_int_equal(got.refused, expected.refused);
    assert_true(fabs(got.mape - expected.mape) < 1e-12 && got.median == expected.median &&
                fabs(got.kendall - expected.kendall) < 1e-12);
    assert_int_equal(got.worst_count, expected.worst_count);
    for (size_t i = 0; i < got.worst_count; i++)
        /* Of equal errors, either may be first. */
        assert_true(fabs(error_of(&got.worst[i]) - error_of(&expected.worst[i])) < 1e-12);
    assert_int_equal(got.form_count, expected.form_count);
    evaluation_result_done(&expected);
    evaluation_result_done(&got);
    evaluation_free(all);
    evaluation_free(here);
    evaluation_free(there);
    str_done(&bytes);
    machine_free(m);
}

static void test_scans(void **state)
{
    struct scan a = {.instructions = 3, .set_aside = 1}, b = {0},
                other = {.isa = ISA_AARCH64, .instructions = 1};
    struct scan_form form = {
        .form = "ADD (R64, R64)", .traits = 5, .count = 2, .place = mem_strdup("f.o+0x10 <g>")};
    struct str bytes = {0};
    struct err err = {0};

    vec_push(&a.forms, form);
    scan_pack(&a, &bytes);
    for (int i = 0; i < 2; i++) {
        struct unpacking from = all_of(&bytes);
        assert_true(scan_take(&b, &from, &err));
    }
    assert_int_equal(b.instructions, 6);
    assert_int_equal(b.set_aside, 2);
    assert_int_equal(b.forms.count, 1);
    assert_int_equal(b.forms.items[0].count, 4);
    assert_int_equal(b.forms.items[0].traits, 5);
    assert_string_equal(b.forms.items[0].place, "f.o+0x10 <g>");
    struct unpacking from = all_of(&bytes);
    from.left -= 4;
    assert_false(scan_take(&b, &from, &err));
    from = all_of(&bytes);
    assert_false(scan_take(&other, &from, &err));
    assert_non_null(strstr(err.what, "instruction set"));
    str_done(&bytes);
    scan_done(&a);
    scan_done(&b);
    scan_done(&other);
}

/* Without a launcher there is one process and no communication. */
static void test_alone(void **state)
{
    assert_int_equal(ranks_count(), 1);
    assert_int_equal(ranks_index(), 0);
    assert_false(ranks_claim());
    assert_true(ranks_share(1) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),      cmocka_unit_test(test_problem),
        cmocka_unit_test(test_genome),      cmocka_unit_test(test_immigrants),
        cmocka_unit_test(test_many_ports),  cmocka_unit_test(test_machine),
        cmocka_unit_test(test_evaluations), cmocka_unit_test(test_scans),
        cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
