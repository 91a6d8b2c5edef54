/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPUs that measure concurrently: division of the work, interference, and values equal to those of
 * one CPU. */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "measure/cpu_source.h"
#include "measure/measurers.h"
#include "work/crew.h"
#include "../support/support.h"

#define MEMBERS 5
#define TASKS 200
#define EXPERIMENTS 64

struct shift {
    pthread_t threads[MEMBERS];
    atomic_uint calls[MEMBERS], now, waits;
    atomic_bool moved;      /* a member ran on two threads */
    bool known, meets;
};

/* Work of a member, always on the same thread. With @meets, waits until all members run
 * concurrently. */
static void shift_work(void *state, unsigned member)
{
    struct shift *s = state;

    atomic_fetch_add(&s->now, 1);
    if (!s->known)
        s->threads[member] = pthread_self();
    if (!pthread_equal(s->threads[member], pthread_self()))
        atomic_store(&s->moved, true);
    atomic_fetch_add(&s->calls[member], 1);
    while (s->meets && atomic_load(&s->now) < MEMBERS)
        sched_yield();
    if (!s->meets)
        atomic_fetch_sub(&s->now, 1);
}

static void shift_waits(void *state)
{
    atomic_fetch_add(&((struct shift *)state)->waits, 1);
}

static void test_crew(void **state)
{
    struct err err = {0};
    struct crew *crew = crew_new(MEMBERS, &err);
    struct shift s = {.known = false};
    assert_non_null(crew);
    for (unsigned i = 0; i < TASKS; i++) {
        crew_call(crew, shift_work, &s, NULL);
        s.known = true;
    }
    for (unsigned i = 0; i < MEMBERS; i++)
        assert_int_equal(atomic_load(&s.calls[i]), TASKS);
    assert_true(pthread_equal(s.threads[0], pthread_self()));
    s.meets = true;
    atomic_store(&s.now, 0);
    crew_call(crew, shift_work, &s, shift_waits);
    assert_int_equal(atomic_load(&s.now), MEMBERS);   /* All members ran at the same time. */
    assert_false(atomic_load(&s.moved));
    crew_free(crew);
    crew_free(crew_new(1, &err));
    crew_free(NULL);
}

/* While crew_call waits for a member, it calls its callback repeatedly. */
static void slow_work(void *state, unsigned member)
{
    struct shift *s = state;
    while (member == 2 && atomic_load(&s->waits) < 2)
        sched_yield();
}

static void test_crew_waits(void **state)
{
    struct err err = {0};
    struct crew *crew = crew_new(3, &err);
    struct shift s = {.known = false};
    crew_call(crew, slow_work, &s, shift_waits);
    assert_true(atomic_load(&s.waits) >= 2);
    crew_free(crew);
}

static void share_is(const struct measurer_cpus *s, size_t n, const int *cpus)
{
    assert_int_equal(s->count, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(s->cpus[i], cpus[i]);
}

static void test_shares(void **state)
{
    struct measurer_cpus out[4];
    /* Two cores, as on typical virtual machines. */
    const int two[] = {0, 1}, apart[] = {0, 1}, one_core[] = {0, 0};
    assert_int_equal(cores_share(two, apart, 2, 1, 4, out), 2);
    share_is(&out[0], 1, (const int[]){1});
    share_is(&out[1], 1, (const int[]){0});
    /* Threads of one core never measure at the same time. */
    assert_int_equal(cores_share(two, one_core, 2, 1, 4, out), 1);
    share_is(&out[0], 2, two);
    /* Four cores of two threads with distant numbers, some of which the process may not use. */
    const int some[] = {1, 2, 3, 4, 6, 7}, cores[] = {1, 2, 3, 0, 2, 3};
    assert_int_equal(cores_share(some, cores, 6, 6, 4, out), 4);
    share_is(&out[0], 2, (const int[]){2, 6});
    share_is(&out[1], 2, (const int[]){3, 7});
    share_is(&out[2], 1, (const int[]){1});
    share_is(&out[3], 1, (const int[]){4});
    assert_int_equal(cores_share(some, cores, 6, 6, 2, out), 2);
    share_is(&out[0], 3, (const int[]){2, 6, 1});
    share_is(&out[1], 3, (const int[]){3, 7, 4});
    /* There are more CPUs than a share can hold. */
    int many[100], own[100];
    for (int i = 0; i < 100; i++)
        many[i] = own[i] = i;
    assert_int_equal(cores_share(many, own, 100, 0, 4, out), 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(out[i].count, SEEK_CPUS);
    assert_int_equal(cores_share(two, apart, 1, 0, 4, out), 1);
}

static void test_pieces(void **state)
{
    assert_in_range(measurers_piece(256, 1), 2, 256 / CORES_MEASURERS / 4);
    assert_int_equal(measurers_piece(2, 1), 2);
    assert_int_equal(measurers_piece(256, 0), 1);
    assert_int_equal(measurers_piece(1, 0), 1);
}

/* Returns one round: number of probes that found each of two CPUs idle, alone and together. */
static struct measurers_looks looks(unsigned a, unsigned b, unsigned both_a, unsigned both_b)
{
    return (struct measurers_looks){{a, b}, {both_a, both_b}};
}

static void test_judges(void **state)
{
    enum { ALL = SEEK_LOOKS };
    struct measurers_looks r[12];
    for (unsigned i = 0; i < 12; i++)
        r[i] = looks(ALL, ALL, ALL, ALL);
    assert_int_equal(measurers_judge(r, 12, 2), MEASURERS_APART);
    /* These are two threads of one core. */
    for (unsigned i = 0; i < 12; i++)
        r[i] = looks(ALL, ALL, 0, i % 3);
    assert_int_equal(measurers_judge(r, 12, 2), MEASURERS_DISTURB);
    /* One CPU has a permanent neighbour. Probes of both CPUs together show whether the CPUs also
     * interfere. */
    for (unsigned i = 0; i < 12; i++)
        r[i] = looks(ALL, 0, ALL, 1);
    assert_int_equal(measurers_judge(r, 12, 2), MEASURERS_APART);
    for (unsigned i = 0; i < 12; i++)
        r[i] = looks(ALL, 0, 0, 0);
    assert_int_equal(measurers_judge(r, 12, 2), MEASURERS_DISTURB);
    /* Intermittent neighbours. The CPUs are idle in half of the rounds, in some of them only when
     * probed alone. */
    for (unsigned i = 0; i < 12; i++)
        r[i] = looks(i % 2 ? ALL : 0, i % 3 ? 0 : ALL, i % 4 == 1 ? ALL : 0, i % 6 ? 0 : ALL);
    assert_int_equal(measurers_judge(r, 12, 2), MEASURERS_APART);
    /* The CPUs are never idle, or too rarely for a decision. */
    for (unsigned i = 0; i < 12; i++)
        r[i] = looks(i < 2 ? ALL : 0, 5, 0, 0);
    assert_int_equal(measurers_judge(r, 12, 2), MEASURERS_UNKNOWN);
    assert_int_equal(measurers_judge(r, 0, 2), MEASURERS_UNKNOWN);
}

struct asking {
    pthread_t thread;
    atomic_uint asked;
    atomic_bool elsewhere;  /* cancellation was polled on another thread */
    unsigned end;           /* number of the poll that returns true; 0 for none */
};

static bool asking_cancelled(void *state)
{
    struct asking *a = state;
    if (!pthread_equal(a->thread, pthread_self()))
        atomic_store(&a->elsewhere, true);
    const unsigned asked = atomic_fetch_add(&a->asked, 1) + 1;
    return a->end && asked >= a->end;
}

static void experiments_make(struct experiment *e)
{
    static const char *const texts[] = {"ADD (R64, R64)",
                                        "IMUL (R64, R64)",
                                        "ADD (R64, R64) + IMUL (R64, R64)",
                                        "MOV (R64, M64)",
                                        "2*ADD (R64, R64) + MOVZX (R32, M8)",
                                        "ADD (R64, R64) + SHL (R64, I8)",
                                        "NO_SUCH_FORM (R64)",
                                        "IDIV (R64)"};
    struct err err = {0};
    for (unsigned i = 0; i < EXPERIMENTS; i++)
        assert_true(experiment_parse(texts[i % 8], &e[i], &err));
}

/* Overwrites the measurements. */
static void forget(struct measured *out)
{
    for (unsigned i = 0; i < EXPERIMENTS; i++)
        out[i] = (struct measured){.cycles = NAN};
}

/* The result of an experiment does not depend on its measurer. */
static void test_measures(void **state)
{
    struct err err = {0};
    const struct forms *forms = shipped_forms_of(ISA_X86_64);
    struct asking asking = {.thread = pthread_self()};
    struct measured out[EXPERIMENTS];
    struct experiment e[EXPERIMENTS];
    struct source *source = isa_host() == ISA_X86_64 ? source_cpu(forms, -1, 0, &crew_threads,
                                                                  asking_cancelled, &asking, &err)
                                                     : NULL;
    if (!source) {
        print_message("nothing can be measured here: %s\n", err.what);
        return;
    }
    experiments_make(e);
    cpu_set_t before, after;
    sched_getaffinity(0, sizeof before, &before);
    double least[EXPERIMENTS];
    for (unsigned round = 0; round < 4; round++) {
        forget(out);
        assert_true(source->measure(source, e, EXPERIMENTS, out, asking_cancelled, &asking, &err));
        for (unsigned i = 0; i < EXPERIMENTS; i++) {
            assert_true(out[i].state[0] && (out[i].busy || out[i].cycles > 0 || i % 8 == 6));
            least[i] = round ? fmin(least[i], out[i].cycles) : out[i].cycles;
        }
    }
    sched_getaffinity(0, sizeof after, &after);
    assert_true(CPU_EQUAL(&before, &after));
    assert_in_range(source_cpu_children(source), source->cpus, 4 * source->cpus);
    assert_in_range(source->cpus, 1, CPU_COUNT(&before));
    print_message("%u CPUs at the same time\n", source->cpus);
    double first[8] = {0};
    for (unsigned i = 0; i < EXPERIMENTS; i++) {
        if (i % 8 == 6) {
            assert_string_equal(out[i].state, "unknown form");
            continue;
        }
        if (!(least[i] > 0) || source_cpu_calibration(source)->doubtful)
            continue;
        first[i % 8] = first[i % 8] > 0 ? first[i % 8] : least[i];
        assert_true(fabs(least[i] / first[i % 8] - 1) < 0.1);
    }
    /* The caller's cancellation is polled on its own thread only, and ends all measurers. */
    if (source->cpus > 1) {
        asking.end = atomic_load(&asking.asked) + 3;
        assert_false(source->measure(source, e, EXPERIMENTS, out, asking_cancelled, &asking, &err));
        assert_int_equal(err.code, ERR_INTERRUPTED);
        sched_getaffinity(0, sizeof after, &after);
        assert_true(CPU_EQUAL(&before, &after));
    }
    assert_false(atomic_load(&asking.elsewhere));
    source_free(source);
    for (unsigned i = 0; i < EXPERIMENTS; i++)
        experiment_done(&e[i]);
}

static void *no_threads(unsigned members, struct err *err)
{
    err_set(err, ERR_LIMIT, NULL, "only 1 of %u threads started", members);
    return NULL;
}

static const struct source_threads without = {.begin = no_threads};

/* Without threads, or with a named CPU, one CPU does all the work. */
static void test_measures_alone(void **state)
{
    struct err err = {0};
    const struct forms *forms = shipped_forms_of(ISA_X86_64);
    struct asking asking = {.thread = pthread_self()};
    struct measured out[EXPERIMENTS];
    struct experiment e[EXPERIMENTS];
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    int last = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        last = CPU_ISSET((unsigned)cpu, &allowed) ? cpu : last;
    experiments_make(e);
    for (unsigned named = 0; named < 2; named++) {
        struct source *source =
            isa_host() == ISA_X86_64
                ? source_cpu(forms, named ? last : -1, 0, named ? &crew_threads : &without,
                             asking_cancelled, &asking, &err)
                : NULL;
        if (!source) {
            print_message("nothing can be measured here: %s\n", err.what);
            continue;
        }
        forget(out);
        assert_true(source->measure(source, e, EXPERIMENTS, out, asking_cancelled, &asking, &err));
        for (unsigned i = 0; i < EXPERIMENTS; i++)
            assert_true(out[i].state[0] && (out[i].busy || out[i].cycles > 0 || i % 8 == 6));
        assert_int_equal(source->cpus, 1);
        assert_true(!named || sandbox_cpu(source_cpu_sandbox(source)) == last);
        source_free(source);
    }
    for (unsigned i = 0; i < EXPERIMENTS; i++)
        experiment_done(&e[i]);
}

static int set_up(void **state)
{
    return setenv("XDG_STATE_HOME", work_path(""), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crew),          cmocka_unit_test(test_crew_waits),
        cmocka_unit_test(test_shares),        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_judges),        cmocka_unit_test(test_measures),
        cmocka_unit_test(test_measures_alone)};
    return cmocka_run_group_tests_name("measurers", tests, set_up, NULL);
}
