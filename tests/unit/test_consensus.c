/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of a run whose individuals fit the measurements about equally and differ in other
 * experiments. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "infer/consensus.h"
#include "work/pool.h"
#include "../support/known.h"
#include "../support/support.h"

/* Adds experiments in which the members' predictions can be compared. */
static void test_members_predict(void **state)
{
    struct known_bed b;
    struct err err = {0};
    struct rng rng;
    double disagreement;
    known_set_up(&b, 21, 0.01, 0);
    struct problem *p = b.p;
    struct genome *members[] = {genome_of_mapping(b.truth, p, &err), NULL};
    members[1] = genome_copy(members[0]);
    rng_seed(&rng, 1);
    struct problem *same = consensus_problem(p, members, 2, &rng, &disagreement);
    assert_true(disagreement < 1e-6);
    assert_int_equal(same->forms, p->forms);
    assert_true(same->weights == (double)same->experiments &&
                same->experiments > 2 * p->experiments);
    /* Measured experiments are unchanged. The additional ones have the individuals' predictions,
     * and may have one form more than any pair. */
    float *first = mem_alloc((same->experiments + 1) * sizeof *first),
          *second = mem_alloc((same->experiments + 1) * sizeof *second);
    genome_predict(members[0], same, first);
    size_t larger = 0;
    for (size_t e = 0; e < same->experiments; e++) {
        assert_true(e < p->experiments ? same->cycles[e] == p->cycles[e]
                                       : fabsf(same->cycles[e] - first[e]) < 1e-4f);
        assert_float_equal(same->cycles[e] * same->inverse[e], 1, 1e-5);
        larger += same->term_start[e + 1] - same->term_start[e] == 3;
        for (uint32_t k = same->term_start[e]; k < same->term_start[e + 1]; k++)
            for (uint32_t i = same->term_start[e]; i < k; i++)
                assert_int_not_equal(same->terms[i].form, same->terms[k].form);
    }
    assert_true(larger > 0);
    problem_free(same);

    /* If members differ, the experiments have the mean of their predictions, and the deviation from
     * it. */
    for (size_t f = 0; f < p->forms; f++)
        for (unsigned i = 0; i < members[1]->genes[f].uops; i++)
            members[1]->genes[f].count[i] = (uint8_t)(3 * members[1]->genes[f].count[i]);
    rng_seed(&rng, 1);
    struct problem *mean = consensus_problem(p, members, 2, &rng, &disagreement);
    assert_float_equal(disagreement, 0.5, 1e-4);
    genome_predict(members[0], mean, first);
    genome_predict(members[1], mean, second);
    for (size_t e = p->experiments; e < mean->experiments; e++)
        assert_float_equal(mean->cycles[e], (first[e] + second[e]) / 2, 1e-3);
    problem_free(mean);
    free(first);
    free(second);

    /* Experiments of single forms need no consensus. */
    bool *keep = mem_zero(b.t->rows.count, 1);
    for (size_t i = 0; i < 21; i++)
        keep[i] = true;
    p = problem_new(b.t, keep, &err);
    assert_null(consensus_problem(p, members, 2, &rng, &disagreement));
    free(keep);
    problem_free(p);
    genome_free(members[0]);
    genome_free(members[1]);
    known_tear_down(&b);
}

/* Returns @g with @times µops on port 3 added to form @f, or added to its µop on that port. */
static struct genome *changed(const struct genome *g, size_t f, unsigned times)
{
    struct genome *other = genome_copy(g);
    gene_add(&other->genes[f], 0x8, times);
    return other;
}

/* Many measurements refute a mapping that few cannot refute. With all pairs, a mapping with one
 * wrong form has no weight. With two experiments of that form, the mapping has weight. */
static void test_refuted_members(void **state)
{
    struct known_bed b;
    struct err err = {0};
    known_set_up(&b, 42, 0.02, 0);
    const struct experiments *t = b.t;
    for (int few = 0; few < 2; few++) {
        bool *keep = mem_zero(t->rows.count + 1, sizeof *keep);
        for (size_t i = 0, of_first = 0; i < t->rows.count; i++) {
            const struct flat_term *terms = experiments_terms(t, i);
            bool has = terms[0].form == 0 || terms[t->rows.items[i].count - 1].form == 0;
            keep[i] = !few || !has || of_first < 2;
            of_first += has;
        }
        struct problem *p = problem_new(t, keep, &err);
        struct genome *exact = genome_of_mapping(b.truth, p, &err);
        struct genome *members[] = {exact, genome_copy(exact),
                                    changed(exact, problem_form(p, "F0"), 4)};
        unsigned n = consensus_members(p, members, 3);
        assert_int_equal(n, few ? 3 : 2);
        assert_ptr_equal(members[0], exact);
        for (unsigned i = 0; i < n; i++)
            genome_free(members[i]);
        assert_int_equal(consensus_members(p, members, 0), 0);
        problem_free(p);
        free(keep);
    }
    known_tear_down(&b);
}

/* Returns the mean relative error of @g on the experiments of @p from @first on. */
static double error_from(const struct genome *g, const struct problem *p, size_t first)
{
    float *cycles = mem_alloc((p->experiments + 1) * sizeof *cycles);
    double sum = 0;

    genome_predict(g, p, cycles);
    for (size_t e = first; e < p->experiments; e++)
        sum += fabs((double)cycles[e] * (double)p->inverse[e] - 1);
    free(cycles);
    return sum / (double)(p->experiments - first);
}

/* With few and noisy measurements, the consensus predicts unmeasured experiments better than the
 * mapping of least cost, on average over some seeds. */
static void test_few_and_noisy(void **state)
{
    struct known_bed b;
    struct evolve_options o = known_options();
    struct evolve_status status;
    struct err err = {0};
    const unsigned seeds = asked_for("SEEDS", 2);
    double error[2] = {0}, disagreement;
    struct rng rng;
    known_set_up_sparse(&b, 21, 0.08, 30);
    struct genome *true_genome = genome_of_mapping(b.truth, b.p, &err);
    rng_seed(&rng, 1234);
    struct problem *unmeasured = consensus_problem(b.p, &true_genome, 1, &rng, &disagreement);
    for (o.seed = 1; o.seed <= seeds; o.seed++) {
        size_t count;
        struct evolve *e = evolve_new(b.p, &o, NULL, 0, &err);
        evolve_worker(e, 0, NULL, NULL);
        struct genome *best = evolve_best(e, NULL), **all = evolve_population(e, &count, NULL);
        evolve_get_status(e, &status);
        assert_true(count > 3 && count <= 5 && status.cost == best->cost &&
                    status.d_avg == best->d_avg);
        assert_true(all[0]->cost == best->cost && all[1]->cost <= all[2]->cost);
        assert_true(fabs(genome_error(best, b.p) - best->d_avg) < 1e-5);
        const struct genome *least = all[0];
        for (size_t i = 1; i < count; i++)
            least = all[i]->cost < least->cost ? all[i] : least;
        error[0] += error_from(least, unmeasured, b.p->experiments) / seeds;
        error[1] += error_from(best, unmeasured, b.p->experiments) / seeds;
        for (size_t i = 0; i < count; i++)
            genome_free(all[i]);
        free(all);
        genome_free(best);
        evolve_free(e);
    }
    print_message("error on what was not measured: least cost %.4f, consensus %.4f\n", error[0],
                  error[1]);
    assert_true(error[1] < error[0]);
    genome_free(true_genome);
    problem_free(unmeasured);
    known_tear_down(&b);
}

/* With many measurements of little noise, the mapping of least cost is the result. */
static void test_many_and_clean(void **state)
{
    struct known_bed b;
    struct evolve_options o = known_options();
    struct err err = {0};
    size_t count;
    known_set_up(&b, 14, 0.002, 60);
    struct evolve *e = evolve_new(b.p, &o, NULL, 0, &err);
    evolve_worker(e, 0, NULL, NULL);
    struct genome *best = evolve_best(e, NULL), **all = evolve_population(e, &count, NULL);
    for (size_t i = 0; i < count; i++) {
        assert_true(best->cost <= all[i]->cost);
        genome_free(all[i]);
    }
    free(all);
    genome_free(best);
    evolve_free(e);
    known_tear_down(&b);
}

/* Events during the search for a consensus. */
enum event { EVENT_STOP, EVENT_NO_TIME, EVENT_PAUSE, EVENT_JOIN, EVENTS };

struct happening {
    struct evolve *e;
    const struct experiments *t;
    enum event event;
    bool happened;
};

static void happen(void *state)
{
    struct happening *h = state;
    struct evolve_status status;
    struct err err = {0};

    evolve_get_status(h->e, &status);
    assert_true(strlen(status.meaning) <= 80);
    if (h->happened || strcmp(status.phase, "looking for a consensus") != 0)
        return;
    h->happened = true;
    if (h->event == EVENT_STOP) {
        evolve_stop(h->e);
    } else if (h->event == EVENT_NO_TIME) {
        assert_true(evolve_set(h->e, "seconds", 0.001, &err));
    } else if (h->event == EVENT_PAUSE) {
        evolve_pause(h->e, true);
        evolve_pause(h->e, false);
    } else {
        evolve_join(h->e, problem_new(h->t, NULL, &err));
    }
}

/* Returns CPU time, which does not depend on the machine's load. The consensus must have its share
 * of the CPU time. */
static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void work(void *state, unsigned worker)
{
    evolve_worker(((struct happening *)state)->e, worker, happen, state);
}

static void test_interrupted(void **state)
{
    struct known_bed b;
    struct err err = {0};
    known_set_up_sparse(&b, 14, 0.2, 15);
    struct experiments *more = measured_sparsely(b.truth, 0.2, 16);
    clock_set_source(processor_seconds);
    for (enum event event = EVENT_STOP; event < EVENTS; event++) {
        struct evolve_options o = known_options();
        struct evolve_status status;
        o.threads = 2;
        o.generations = 0;
        o.seconds = 0.8;
        o.population = 8;
        struct happening h = {.e = NULL};
        /* In some runs all individuals agree. */
        for (o.seed = 1; !h.happened && o.seed <= 6; o.seed++) {
            evolve_free(h.e);
            h = (struct happening){evolve_new(b.p, &o, NULL, 0, &err), more, event, false};
            assert_true(team_run(2, work, &h, &err));
        }
        evolve_get_status(h.e, &status);
        assert_true(h.happened);
        assert_int_equal(status.state, event == EVENT_STOP ? EVOLVE_STOPPED : EVOLVE_DONE);
        assert_int_equal(status.joined, event == EVENT_JOIN);
        assert_int_equal(status.experiments, event == EVENT_JOIN ? 14 + 16 : 14 + 15);
        struct problem *over;
        struct genome *best = evolve_best(h.e, &over);
        assert_true(fabs(genome_error(best, over) - best->d_avg) < 1e-5);
        problem_free(over);
        genome_free(best);
        evolve_free(h.e);
    }
    clock_set_source(NULL);
    experiments_free(more);
    known_tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_predict), cmocka_unit_test(test_refuted_members),
        cmocka_unit_test(test_few_and_noisy),   cmocka_unit_test(test_many_and_clean),
        cmocka_unit_test(test_interrupted),
    };
    return cmocka_run_group_tests_name("consensus", tests, NULL, NULL);
}
