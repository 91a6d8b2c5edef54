/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fault.h"
#include "base/mem.h"
#include "base/watch.h"
#include "cmd/session.h"
#include "work/job.h"
#include "../support/support.h"

struct count {
    int target, reached;
    int *finished, *freed;
    bool fail, endless;
};

static bool run(void *state, struct err *err)
{
    struct count *c = state;
    while (c->endless || c->reached < c->target) {
        if (job_cancelled(NULL))
            return false;
        c->reached++;
        job_progress(c->reached, c->target, "step %d", c->reached);
    }
    return !c->fail || err_set(err, ERR_DATA, "try another", "it does not work");
}

static void finish(void *state, const struct job_info *info)
{
    struct count *c = state;
    assert_true(info->state != JOB_RUNNING);
    ++*c->finished;
}

static void done(void *state)
{
    struct count *c = state;
    ++*c->freed;
    free(c);
}

static const struct job_ops ops = {.run = run, .finish = finish, .free = done, .counts = true};

static unsigned start(int target, bool fail, bool endless, int *finished, int *freed)
{
    struct err err;
    struct count *c = mem_zero(1, sizeof *c);
    *c = (struct count){target, 0, finished, freed, fail, endless};
    unsigned number = job_start("counting", &ops, c, &err);
    assert_true(number > 0);
    return number;
}

/* A clock by which the loops have run for a second. Progress of loops is reported a few times per
 * second. */
static double second_later(void)
{
    return clock_wall() + 1;
}

/* A job that runs a loop with reported progress, and then waits until it is cancelled. */
struct looping {
    const char *says;        /* current activity that the job reports; may be NULL */
    atomic_bool looped;
};

static bool loop(void *state, struct err *err)
{
    struct looping *l = state;

    if (l->says)
        job_progress(1, 8, "%s", l->says);
    watch_at("rows", 5, 10);
    watch_over();
    atomic_store(&l->looped, true);
    while (!watch_over()) {
    }
    return err_set(err, ERR_INTERRUPTED, NULL, "cancelled");
}

/* A job that reports no activity shows the counts of its loops. */
static void test_own_words_come_first(void **state)
{
    static const struct job_ops looping = {.run = loop};
    static const char *const says[] = {NULL, "block 1"}, *const expected[] = {"rows", "block 1"};

    for (size_t i = 0; i < 2; i++) {
        struct looping l = {.says = says[i]};
        struct job_info info = {0};
        struct err err = {0};
        clock_set_source(second_later);
        unsigned number = job_start("looping", &looping, &l, &err);
        assert_true(number > 0);
        const struct hang h = hang_begin("a job does not go through its loop");
        while (!atomic_load(&l.looped))
            hang_look(&h);
        assert_true(job_find(number, &info));
        clock_set_source(NULL);
        if (!strstr(info.note, expected[i]))
            fail_msg("\"%s\" without \"%s\"", info.note, expected[i]);
        job_cancel(number);
        job_wait(number);
    }
}

/* A job's activity ends with the job. A cancelled job reports its progress. */
static void test_a_step_is_over_at_the_end(void **state)
{
    static const struct job_ops stepping = {.run = run, .finish = finish, .free = done};
    int finished = 0, freed = 0;
    struct job_info info;
    struct err err = {0};

    for (int endless = 0; endless < 2; endless++) {
        struct count *c = mem_zero(1, sizeof *c);
        *c = (struct count){100, 0, &finished, &freed, false, endless};
        unsigned number = job_start("stepping", &stepping, c, &err);
        assert_true(number > 0);
        do
            assert_true(job_find(number, &info));
        while (endless && !*info.note);
        if (endless)
            job_cancel(number);
        job_wait(number);
        assert_true(job_find(number, &info));
        assert_int_equal(info.state, endless ? JOB_CANCELLED : JOB_DONE);
        assert_true(endless ? str_has_prefix(info.note, "step ") : !*info.note);
    }
}

static void test_runs_to_the_end(void **state)
{
    int finished = 0, freed = 0;
    struct job_info info;
    unsigned number = start(100, false, false, &finished, &freed);
    /* Polls the wake pipe and drains messages, like the main loop. */
    while (!finished) {
        struct pollfd fd = {.fd = job_wake_fd(), .events = POLLIN};
        assert_true(poll(&fd, 1, 1000 * HANG_SECONDS) > 0);   /* Otherwise the job hangs. */
        job_drain(NULL, NULL);
    }
    assert_true(job_find(number, &info));
    assert_int_equal(info.state, JOB_DONE);
    assert_true(info.done == 100 && info.total == 100);
    assert_string_equal(info.note, "step 100");
    assert_int_equal(freed, 1);
    assert_int_equal(job_running(), 0);
    assert_false(job_cancel(number));
    assert_true(job_wait(number));
    assert_int_equal(finished, 1);
}

static void test_failure_and_cancel(void **state)
{
    int finished = 0, freed = 0;
    struct job_info info;
    unsigned failing = start(3, true, false, &finished, &freed),
             endless = start(0, false, true, &finished, &freed);
    assert_true(job_wait(failing));
    assert_true(job_find(failing, &info));
    assert_int_equal(info.state, JOB_FAILED);
    assert_string_equal(info.err.what, "it does not work");
    assert_true(job_cancel(endless));
    assert_true(job_wait(endless));
    assert_true(job_find(endless, &info));
    assert_int_equal(info.state, JOB_CANCELLED);
    assert_int_equal(finished, 2);
    assert_int_equal(freed, 2);
    assert_false(job_wait(9999));
    assert_false(job_cancel(9999));
}

/* Runs until it has been paused once. */
static bool pause_run(void *state, struct err *err)
{
    while (job_wait_paused(NULL) <= 0)
        if (job_cancelled(NULL))
            return err_set(err, ERR_INTERRUPTED, NULL, "cancelled");
    return !job_cancelled(NULL);
}

static void test_pause(void **state)
{
    static const struct job_ops pausing = {.run = pause_run};
    struct job_info info;
    struct err err;
    unsigned number = job_start("pausing", &pausing, NULL, &err);
    assert_true(job_pause(number, true));
    assert_true(job_find(number, &info) && info.paused);
    while (job_drain(NULL, NULL) != JOB_ENDED) {
        job_pause(number, false);
        job_pause(number, true);
    }
    assert_true(job_find(number, &info));
    assert_int_equal(info.state, JOB_DONE);
    assert_false(job_pause(number, true));
    /* A paused job can be cancelled. `job wait` resumes a paused job. */
    number = job_start("pausing", &pausing, NULL, &err);
    assert_true(job_pause(number, true));
    assert_true(job_cancel(number));
    assert_true(job_wait(number));
    assert_true(job_find(number, &info));
    assert_int_equal(info.state, JOB_CANCELLED);
    job_shutdown();
}

struct shrinking {
    char path[512];
    bool cut;
};

/* Reads the end of a mapped file that has been truncated. */
static bool cut_run(void *state, struct err *err)
{
    struct shrinking *s = state;
    FILE *file = fopen(s->path, "w+");
    const size_t length = 1 << 20;
    struct mapped m;

    if (!file || ftruncate(fileno(file), (off_t)length) != 0 ||
        !mapped_open(&m, fileno(file), length) || ftruncate(fileno(file), 0) != 0)
        return err_set(err, ERR_IO, NULL, "no such file");
    s->cut = m.bytes[length - 1] == 0 && mapped_cut(&m);
    mapped_close(&m);
    fclose(file);
    return true;
}

/* The job fails, but the program continues, although jobs block signals for the UI thread. Runs two
 * jobs at a time, because ThreadSanitizer would report shared data of more jobs. */
static void test_file_that_shrinks(void **state)
{
    static const struct job_ops reading = {.run = cut_run};
    struct shrinking files[2] = {{.cut = false}, {.cut = false}};
    struct err err;

    for (int i = 0; i < 2; i++) {
        snprintf(files[i].path, sizeof files[i].path, "%s", work_path(i ? "shorter" : "shrinking"));
        assert_true(job_start(i ? "shorter" : "shrinking", &reading, &files[i], &err) > 0);
    }
    assert_true(job_wait(0));
    assert_true(files[0].cut && files[1].cut);
    job_shutdown();
}

/* Runs until it is cancelled. */
static bool rest_run(void *state, struct err *err)
{
    while (!job_cancelled(NULL))
        job_wait_paused(NULL);
    return err_set(err, ERR_INTERRUPTED, NULL, "cancelled");
}

/* An exclusive measurement does not start during another one and prevents others from starting,
 * regardless of their names. Jobs that do not measure are exempt. */
static void test_measuring_alone(void **state)
{
    static const struct job_ops usual = {.run = rest_run, .measures = true},
                                alone = {.run = rest_run, .measures = true, .measures_alone = true},
                                idle = {.run = rest_run, .measures_alone = true};
    struct err err = {0};
    unsigned first = job_start("one", &usual, NULL, &err);
    assert_true(first && job_start("two", &usual, NULL, &err) &&
                job_start("pretence", &idle, NULL, &err));
    assert_int_equal(job_start("survey", &alone, NULL, &err), 0);
    assert_non_null(strstr(err.what, "survey would disturb job"));
    assert_non_null(strstr(err.todo, "job wait"));
    job_shutdown();
    unsigned survey = job_start("survey", &alone, NULL, &err);
    assert_true(survey > 0);
    assert_int_equal(job_start("one", &usual, NULL, &err), 0);
    assert_non_null(strstr(err.what, "(survey), which is measuring"));
    assert_int_equal(job_start("survey", &alone, NULL, &err), 0);
    assert_true(job_start("pretence", &idle, NULL, &err) > 0);
    assert_true(job_cancel(survey));
    assert_true(job_wait(survey));
    assert_true(job_start("one", &usual, NULL, &err) > 0);
    job_shutdown();
}

static void test_many_and_shutdown(void **state)
{
    int finished = 0, freed = 0;
    for (int i = 0; i < 100; i++)
        start(10, false, false, &finished, &freed);
    assert_true(job_wait(0));
    assert_int_equal(finished, 100);
    start(1, false, false, &finished, &freed);
    assert_true(job_count() <= 70);
    start(0, false, true, &finished, &freed);
    job_shutdown();
    assert_int_equal(freed, 102);
    assert_int_equal(job_count(), 0);
}

/* The end of one job starts the next one, like `evolve` after the choice of experiments. */
static void follow(void *state, const struct job_info *info)
{
    struct count *c = state;
    start(0, false, false, c->finished, c->freed);
}

static bool at_once(void *state, struct err *err)
{
    return true;
}

static void test_end_begins_another(void **state)
{
    static const struct job_ops following = {.run = at_once, .finish = follow, .free = done};
    int finished = 0, freed = 0;
    struct err err;

    /* All jobs exist before the first one's end is handled. No end may be missed, and no job
     * lost. */
    for (int i = 0; i < 80; i++) {
        struct count *c = mem_zero(1, sizeof *c);
        *c = (struct count){.finished = &finished, .freed = &freed};
        assert_true(job_start("following", &following, c, &err) > 0);
    }
    assert_true(job_wait(0));
    assert_int_equal(job_running(), 0);
    assert_int_equal(finished, 80);
    assert_int_equal(freed, 160);
    job_shutdown();
}

static bool run_badly(void *state, struct err *err)
{
    return err_set(err, ERR_DATA, NULL, "it went badly");
}

static void finish_nothing(void *state, const struct job_info *info)
{
}

static void free_nothing(void *state)
{
}

/* `job wait` fails once for a failed job. */
static void test_job_wait(void **state)
{
    static const struct job_ops badly = {
        .run = run_badly, .finish = finish_nothing, .free = free_nothing};
    struct session s;
    struct err err = {0};

    session_init(&s);
    assert_true(job_start("bad", &badly, NULL, &err) > 0);
    assert_false(run_line(&s, "job wait", NULL, &err));
    assert_string_equal(err.what, "it went badly");
    if (!run_line(&s, "job wait", NULL, &err))
        fail_msg("%s", err.what);
    session_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_step_is_over_at_the_end), cmocka_unit_test(test_runs_to_the_end),
        cmocka_unit_test(test_failure_and_cancel),        cmocka_unit_test(test_pause),
        cmocka_unit_test(test_file_that_shrinks),         cmocka_unit_test(test_measuring_alone),
        cmocka_unit_test(test_many_and_shutdown),         cmocka_unit_test(test_end_begins_another),
        cmocka_unit_test(test_own_words_come_first),
        cmocka_unit_test(test_job_wait)};
    return cmocka_run_group_tests_name("job", tests, NULL, NULL);
}
