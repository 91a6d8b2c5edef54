/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Experiments that join a run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/evolve_start.h"
#include "infer/evolve_state.h"
#include "work/evolve_job.h"
#include "work/job.h"
#include "work/pool.h"
#include "../support/known.h"
#include "../support/support.h"

#define THREADS 3

/* Returns the problem of the rows of @t whose forms are among the first @forms: of all such rows,
 * or of single forms and the even rows. */
static struct problem *part_of(const struct experiments *t, uint32_t forms, bool all)
{
    bool *keep = mem_zero(t->rows.count + 1, sizeof *keep);
    struct err err = {0};

    for (size_t i = 0; i < t->rows.count; i++) {
        const struct flat_term *terms = experiments_terms(t, i);
        keep[i] = all || t->rows.items[i].count == 1 || i % 2 == 0;
        for (uint32_t k = 0; k < t->rows.items[i].count; k++)
            keep[i] &= terms[k].form < forms;
    }
    struct problem *p = problem_new(t, keep, &err);
    assert_non_null(p);
    free(keep);
    return p;
}

/* A run, and experiments that join it when the run has processed the previous ones. */
struct stream {
    struct evolve *e;
    const struct experiments *t;
    uint32_t forms;         /* number of forms in the second part; 0 if nothing joins */
    unsigned parts, sent;   /* number of parts that join in succession; number sent */
    double reached;         /* smallest error last reported; NaN at first */
    size_t reached_of, rose;
};

static void send_next(struct stream *s)
{
    evolve_join(s->e, part_of(s->t, s->sent ? UINT32_MAX : s->forms, s->sent > 0));
    s->sent++;
}

static void poll_stream(void *state)
{
    struct stream *s = state;
    struct evolve_status status;
    struct err err = {0};

    evolve_get_status(s->e, &status);
    s->rose += !isnan(s->reached) &&
               !(status.d_reached <= s->reached && status.reached_of == s->reached_of);
    s->reached = status.d_reached;
    s->reached_of = status.reached_of;
    if (status.joined < s->sent)
        return;
    if (s->sent < s->parts)
        send_next(s);
    else
        /* All parts were sent, so the current generation is the last. */
        evolve_set(s->e, "generations", status.generation + 1, &err);
}

static void work_stream(void *state, unsigned worker)
{
    struct stream *s = state;
    evolve_worker(s->e, worker, poll_stream, s);
}

static struct evolve_options endless(unsigned ports)
{
    struct evolve_options o;

    evolve_defaults(&o);
    o.ports = ports;
    o.width = 0;
    o.threads = THREADS;
    o.population = 3;
    o.generations = 1000000;
    return o;
}

static struct mapping *mapping_of(struct evolve *e)
{
    struct problem *p;
    struct ports names;
    struct genome *g = evolve_best(e, &p);

    assert_non_null(g);
    assert_int_equal(g->forms, p->forms);
    /* The individual's error is that on the current experiments. */
    assert_true(fabs(genome_error(g, p) - g->d_avg) < 1e-5);
    ports_number(&names, g->ports);
    struct mapping *m = genome_mapping(g, p, &names);
    genome_free(g);
    problem_free(p);
    return m;
}

/* Across joins, the least error never rises. All other curves are interrupted at each change of
 * experiments. */
static void check_curves(const struct evolve_sample *samples, size_t n, unsigned joined)
{
    unsigned gaps = 0;

    assert_true(n > joined);
    for (size_t i = 0; i < n; i++) {
        gaps += isnan(samples[i].d_best);
        assert_int_equal(isnan(samples[i].d_best), isnan(samples[i].d_worst));
        assert_true(isfinite(samples[i].d_reached));
        assert_true(i == 0 || (samples[i].d_reached <= samples[i - 1].d_reached &&
                               samples[i].seconds >= samples[i - 1].seconds));
    }
    assert_true(gaps > 0 && gaps <= joined);
}

/* A run starts with seven of the forms. All forms with half of their experiments join, then all
 * experiments. Uses the given threads and number of ports. */
static void stream_through(unsigned ports, double most)
{
    static struct evolve_sample samples[4000];
    struct known_bed b;
    struct evolve_options o = endless(ports);
    struct evolve_status status;
    struct err err = {0};

    known_set_up(&b, 14, 0, 30);
    struct problem *p = part_of(b.t, 7, true);
    struct stream stream = {
        .t = b.t, .forms = 14, .parts = 2, .e = evolve_new(p, &o, NULL, 0, &err), .reached = NAN};
    const size_t begun_with = p->experiments;

    problem_free(p);   /* The run has a reference to the problem. */
    assert_true(team_run(THREADS, work_stream, &stream, &err));
    evolve_get_status(stream.e, &status);
    assert_int_equal(status.state, EVOLVE_DONE);
    assert_int_equal(status.joined, 2);
    assert_int_equal(status.forms, 14);
    assert_int_equal(status.experiments, b.p->experiments);
    struct mapping *found = mapping_of(stream.e);
    double error = unseen(b.truth, found);
    print_message("%u ports: %.4f of unseen experiments, %u ports found\n", ports, error,
                  status.ports);
    assert_true(error <= most);
    size_t n = evolve_get_samples(stream.e, samples, 4000);
    check_curves(samples, n, status.joined);
    /* The whole run has one measure of error: the initial one. */
    assert_int_equal(stream.rose, 0);
    assert_int_equal(stream.reached_of, begun_with);
    assert_true(status.d_reached <= stream.reached &&
                samples[n - 1].d_reached <= samples[0].d_reached);
    mapping_free(found);
    evolve_free(stream.e);
    known_tear_down(&b);
}

static void test_more_experiments_and_forms(void **state)
{
    stream_through(4, 0.02);
}

static void test_number_of_ports_is_sought_again(void **state)
{
    stream_through(0, 0.05);
}

/* A, B and C take 1, 4 and 16 cycles alone. Of the new forms, D takes 3.9, E 1.1, F 100, and G was
 * not measured alone. A new form begins with the usage of the form with the closest time, by
 * ratio. */
static void test_what_a_new_form_begins_with(void **state)
{
    static const struct { const char *form; double cycles; const char *like;
    } rows[] = {{"F", 100, "C"}, {"C", 16, "C"}, {"D", 3.9, "B"}, {"A", 1, "A"},
                {"E", 1.1, "A"}, {"B", 4, "B"},  {"H", 8.1, "C"}, {"I", 7.9, "B"}};
    struct experiments *before = experiments_new(), *after = experiments_new();
    struct err err = {0};
    for (int i = 0; i < 3; i++) {
        const char name[] = {(char)('A' + i), 0};
        experiments_set(
            before,
            experiments_add(before, &(struct flat_term){names_add(&before->forms, name), 1}, 1),
            1 << 2 * i, NAN, 1, NULL);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        experiments_set(
            after,
            experiments_add(after, &(struct flat_term){names_add(&after->forms, rows[i].form), 1},
                            1),
            rows[i].cycles, NAN, 1, NULL);
    const struct flat_term pair[] = {{names_add(&after->forms, "A"), 1},
                                     {names_add(&after->forms, "G"), 1}};
    experiments_set(after, experiments_add(after, pair, 2), 2, NAN, 1, NULL);
    struct problem *p = problem_new(before, NULL, &err), *q = problem_new(after, NULL, &err);
    uint32_t *from = evolve_match(q, p);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(p->names[from[problem_form(q, rows[i].form)]], rows[i].like);
    assert_string_equal(p->names[from[problem_form(q, "G")]], "A");
    free(from);
    problem_free(p);
    problem_free(q);
    experiments_free(before);
    experiments_free(after);
}

/* A run that is ending, has ended, or does not support joining drops new experiments. New ones
 * replace those that are pending. */
static void test_what_comes_too_late(void **state)
{
    struct known_bed b;
    struct err err = {0};
    struct evolve_status status;
    known_set_up(&b, 7, 0, 0);
    for (int k = 0; k < 3; k++) {
        struct evolve_options o = endless(4);
        struct problem *p = part_of(b.t, 5, true);
        o.threads = 1;
        if (k == 2) {
            o.algorithm = EVOLVE_PMEVO;
            o.population = 10;
            o.generations = 1;
        }
        struct evolve *e = evolve_new(p, &o, NULL, 0, &err);
        problem_free(p);
        evolve_join(e, part_of(b.t, 6, true));
        evolve_join(e, part_of(b.t, 7, true));
        if (k == 0)
            evolve_stop(e);
        else if (k == 1)
            assert_true(evolve_set(e, "generations", 1, &err));
        evolve_worker(e, 0, NULL, NULL);
        evolve_join(e, part_of(b.t, 6, true));
        evolve_get_status(e, &status);
        assert_int_equal(status.joined, k == 1);
        assert_int_equal(status.forms, k == 1 ? 7 : 5);
        evolve_free(e);
    }
    known_tear_down(&b);
}

/* A thread that starts while all others move the run to new experiments. */
struct latecomer {
    struct evolve *e;
    bool looked, begun;
};

/* Ends the meeting of all threads, and records whether this thread has begun work for it. */
static void end_meeting(void *state)
{
    struct latecomer *thread = state;

    lock_take(&thread->e->lock);
    if (thread->e->meeting)
        *thread = (struct latecomer){
            thread->e, true, thread->e->preparation != EVOLVE_RAW || thread->e->fresh_begun > 0};
    thread->e->meeting = false;
    lock_give(&thread->e->lock);
}

/* The late thread starts no work. Its problem and individuals are freed when all other threads have
 * moved. */
static void test_thread_that_starts_late(void **state)
{
    struct known_bed b;
    struct evolve_options o = endless(4);
    struct err err = {0};
    known_set_up(&b, 7, 0, 0);
    struct problem *p = part_of(b.t, 5, true);
    o.threads = o.generations = 1;
    struct latecomer thread = {.e = evolve_new(p, &o, NULL, 0, &err)};
    problem_free(p);
    thread.e->meeting = true;
    evolve_worker(thread.e, 0, end_meeting, &thread);
    assert_true(thread.looked);
    assert_false(thread.begun);
    evolve_free(thread.e);
    known_tear_down(&b);
}

/* A run that has ended releases its table, requests no results, and holds no table that is passed
 * to it later. */
static void test_fed_after_its_end(void **state)
{
    struct known_bed b;
    struct evolve_options o = endless(4);
    struct err err = {0};
    known_set_up(&b, 7, 0, 0);
    struct evolve_run *run = evolve_run_start(
        &(struct evolve_start){.take_problem = part_of(b.t, 5, true), .live = true}, &o, &err);
    assert_non_null(run);
    evolve_run_feed(run, b.t);
    evolve_stop(run->evolve);
    evolve_run_wait(run);
    assert_false(experiments_held(b.t));
    assert_false(evolve_run_wants(run));
    evolve_run_feed(run, b.t);
    assert_false(experiments_held(b.t));
    evolve_run_free(run);
    known_tear_down(&b);
}

static void must(struct session *s, const char *line, struct str *out)
{
    struct err err = {0};
    if (!run_line(s, line, out, &err))
        fail_msg("%s: %s", line, err.what);
}

/* Returns the status of the last run when it has all results of @s, or after a long wait. */
static struct evolve_status fed(struct session *s)
{
    struct evolve_status status = {0};

    for (const struct hang h = hang_begin("a run does not take what was measured");
         status.experiments < s->document.experiments->rows.count; hang_look(&h)) {
        evolve_feed(s);
        evolve_get_status(s->document.runs[s->document.run_count - 1]->evolve, &status);
    }
    assert_int_equal(status.experiments, s->document.experiments->rows.count);
    return status;
}

/* Uses a named machine, because this processor's forms differ on AArch64. */
#define SINGLES                                                                                    \
    "set machine skylake; forms select 'ADD (R64, R64)' 'SUB (R64, R64)' 'IMUL (R64, R64)' 'XOR "  \
    "(R64, R64)' 'ADC (R64, R64)'; experiments generate --singles; "                               \
    "experiments measure --simulate skylake"

/* In the workbench the mapping of a live run includes measurements made during the run. */
static void test_live(void **state)
{
    static const char *const refused[] = {"evolve start --live --active",
                                          "evolve start --live --algorithm pmevo"};
    struct evolve_status status;
    struct str out = {0};
    struct session s;
    struct err err = {0};
    session_init(&s);
    must(&s, SINGLES, NULL);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_false(run_line(&s, refused[i], NULL, &err));
    must(&s,
         "evolve start --live --ports 4 --generations 1000000 --population 2 --threads 1 "
         "--checkpoint none; experiments generate --pairs; experiments measure --simulate skylake",
         &out);
    assert_non_null(
        strstr(str_text(&out), "5 forms, 5 experiments, and experiments measured during the run"));
    status = fed(&s);
    assert_true(status.joined > 0 && status.experiments > 5);
    /* Without new results nothing joins. */
    const unsigned joined = status.joined;
    evolve_feed(&s);
    assert_true(run_line(&s, "evolve stop; evolve status", &out, &err));
    assert_non_null(strstr(str_text(&out), "results were added"));
    evolve_get_status(s.document.runs[0]->evolve, &status);
    assert_int_equal(status.joined, joined);
    assert_true(run_line(&s, "evolve adopt", &out, &err));
    session_done(&s);
    str_done(&out);
}

/* A live run continues although all its individuals are equal, because experiments may join. */
static void test_live_with_equal_individuals(void **state)
{
    struct evolve_status status = {0};
    struct session s;

    session_init(&s);
    must(&s,
         "set machine skylake; forms select 'IMUL (R64, R64)'; experiments generate --singles; "
         "experiments measure --simulate skylake; evolve start --live --ports 4 --generations "
         "1000000 --population 2 --threads 1 --checkpoint none",
         NULL);
    for (const struct hang h = hang_begin("a live run makes no more individuals");
         status.generation < 3; hang_look(&h)) {
        evolve_get_status(s.document.runs[0]->evolve, &status);
        assert_int_equal(status.state, EVOLVE_RUNNING);
    }
    must(&s, "evolve stop", NULL);
    session_done(&s);
}

/* Scripts have no polling between commands. Each command passes results to the run. Commands that
 * show or end the run wait until the run has all results. */
static void test_live_in_scripts(void **state)
{
    static const char *const ends[] = {"evolve status", "evolve adopt", "evolve stop"};
    struct evolve_status status = {0};
    struct session s;
    session_init(&s);
    must(&s, SINGLES, NULL);
    must(&s,
         "evolve start --live --ports 4 --seconds 3600 --population 2 --threads 1 --checkpoint "
         "none; experiments generate --pairs; experiments measure --simulate skylake; forms list",
         NULL);
    for (const struct hang h = hang_begin("a live run does not take what was measured");
         status.experiments < s.document.experiments->rows.count; hang_look(&h)) {
        must(&s, "set seed 1", NULL);
        evolve_get_status(s.document.runs[0]->evolve, &status);
    }
    assert_true(status.joined > 0);
    assert_int_equal(status.experiments, s.document.experiments->rows.count);
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct str line = {0};
        const size_t before = status.experiments;
        str_addf(&line,
                 "experiments generate --random 5 --size %u --seed %u; experiments measure "
                 "--simulate skylake; forms list; %s",
                 i + 3, i + 1, ends[i]);
        must(&s, str_text(&line), NULL);
        str_done(&line);
        evolve_get_status(s.document.runs[0]->evolve, &status);
        assert_true(status.experiments > before && !status.joining);
    }
    assert_int_equal(status.state, EVOLVE_STOPPED);
    session_done(&s);
}

/* A live run that is resumed from its checkpoint is live. Inferred and given usages remain
 * separate. */
static void test_live_resumed(void **state)
{
    static const char *const ports[] = {"4", "auto"};

    for (int given = 1; given >= 0; given--) {
        struct evolve_status status;
        struct evolve_options o;
        struct str line = {0}, out = {0};
        struct session s;
        session_init(&s);
        must(&s, SINGLES, NULL);
        str_addf(&line,
                 "evolve start --live --ports %s --generations 1 --population 2 --threads 1 "
                 "--checkpoint %s; evolve wait",
                 ports[!given], work_path("live.json"));
        must(&s, str_text(&line), NULL);
        evolve_get_status(s.document.runs[0]->evolve, &status);
        const double width = status.width, reached = status.d_reached;
        str_clear(&line);
        str_addf(&line,
                 "evolve resume %s; evolve set seconds 3600; experiments generate --pairs; "
                 "experiments measure --simulate skylake",
                 work_path("live.json"));
        must(&s, str_text(&line), &out);
        assert_non_null(strstr(str_text(&out), "and experiments measured during the run"));
        status = fed(&s);
        assert_true(status.joined > 0 && status.width >= width);
        /* This resumes from the state in the file, with the same experiments. */
        assert_true(status.d_reached <= reached && status.reached_of == 5);
        evolve_get_options(s.document.runs[1]->evolve, &o);
        assert_int_equal(o.ports, given ? 4 : 0);
        assert_true(o.width_measured);
        must(&s, "evolve stop; evolve adopt", NULL);
        /* The second run's file lacks the starting point of the first run. The next run starts from
         * the current one, and reports this. */
        str_clear(&line);
        str_clear(&out);
        str_addf(&line, "evolve resume %s; evolve stop", work_path("live.json"));
        must(&s, str_text(&line), &out);
        assert_non_null(strstr(str_text(&out), "the smallest error now refers to the current "));
        evolve_get_status(s.document.runs[2]->evolve, &status);
        assert_int_equal(status.reached_of, status.experiments);
        session_done(&s);
        str_done(&line);
        str_done(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_new_form_begins_with),
        cmocka_unit_test(test_more_experiments_and_forms),
        cmocka_unit_test(test_number_of_ports_is_sought_again),
        cmocka_unit_test(test_what_comes_too_late),
        cmocka_unit_test(test_thread_that_starts_late),
        cmocka_unit_test(test_fed_after_its_end),
        cmocka_unit_test(test_live),
        cmocka_unit_test(test_live_with_equal_individuals),
        cmocka_unit_test(test_live_in_scripts),
        cmocka_unit_test(test_live_resumed),
    };
    int failed = cmocka_run_group_tests_name("evolve join", tests, NULL, NULL);
    job_shutdown();
    return failed;
}
