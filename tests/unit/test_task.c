/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loaders as jobs: the old document stays until the new one is complete, what follows waits, a cancelled one leaves everything as it was. What is read comes through
 * a pipe, so that a job is under way for as long as the test wants. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "io/experiments_file.h"
#include "work/job.h"
#include "../support/support.h"

static const char *pipe_path, *table_path;

/* A session as the screen has it, which waits for nothing. */
static void open_session(struct session *s)
{
    session_init(s);
    s->interactive = true;
    s->patience = 0;
    s->input = NULL;
}

static bool run(struct session *s, const char *line, struct err *err)
{
    *err = (struct err){0};
    return command_run(s, line, NULL, err);
}

/* The other end of the pipe, opened once the job reads. */
static int other_end(void)
{
    int fd = open(pipe_path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

static void write_rows(int fd, size_t count)
{
    struct str text = {0};
    str_add(&text, "experiment,cycles\n");
    for (size_t i = 0; i < count; i++)
        str_addf(&text, "F%zu + G,1\n", i);
    for (size_t at = 0; at < text.length;) {
        ssize_t n = write(fd, text.data + at, text.length - at);
        assert_true(n > 0);
        at += (size_t)n;
    }
    str_done(&text);
}

static size_t rows_of(const struct session *s)
{
    return s->document.experiments ? s->document.experiments->rows.count : 0;
}

/* As the main loop does when the job has ended. */
static bool go_on(struct session *s, struct err *err)
{
    bool ended = false;
    *err = (struct err){0};
    job_wait(0);
    return session_awaited_ended(s, &ended, err) && ended && command_go_on(s, NULL, err);
}

/* A session with the table loaded. */
static void open_table(struct session *s)
{
    struct err err;
    char line[200];

    open_session(s);
    snprintf(line, sizeof line, "experiments load %s", table_path);
    assert_true(run(s, line, &err));
    assert_true(go_on(s, &err));
}

static void test_old_stays(void **state)
{
    struct session s;
    struct err err;
    char line[200];
    (void)state;
    open_table(&s);
    assert_int_equal(rows_of(&s), 3);

    snprintf(line, sizeof line, "experiments load %s; experiments generate --random 2 --size 2", pipe_path);
    assert_true(run(&s, line, &err));
    assert_true(s.waiting.job != 0 && s.waiting.own && s.waiting.count == 1);   /* Esc ends it; generate waits */
    int fd = other_end();
    write_rows(fd, 20);
    assert_int_equal(rows_of(&s), 3);
    /* Meanwhile the old ones can be read and worked with. */
    const struct experiments *old = s.document.experiments;
    assert_int_equal(experiments_size(old, 0), 1);
    close(fd);
    assert_true(go_on(&s, &err));
    job_wait(0);
    assert_int_equal(rows_of(&s), 22);
    session_done(&s);
}

static void test_cancelled(void **state)
{
    static const char *const readers[] = {"experiments load", "experiments load --append", "experiments import", "mapping import osaca", "mapping import csv", "mapping import pmevo",
                                           "evaluate", "forms add"};
    struct session s;
    struct err err;
    struct job_info info;
    char line[200];
    (void)state;
    open_table(&s);
    const struct experiments *experiments = s.document.experiments;
    const char *machine = s.document.selected[0];
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        snprintf(line, sizeof line, "%s %s; experiments clear", readers[i], pipe_path);
        if (!run(&s, line, &err))
            fail_msg("%s: %s", readers[i], err.what);
        unsigned number = s.waiting.job;
        if (!number)
            fail_msg("%s did not go on in the background", readers[i]);
        int fd = other_end();
        write_rows(fd, 100);
        assert_true(job_find(number, &info) && info.state == JOB_RUNNING);
        assert_true(job_cancel(number));
        /* However much comes now; what the job leaves unread is its end. */
        struct str much = {0};
        for (size_t k = 0; k < 3 * WATCH_STEPS; k++)
            str_add(&much, "x,1\n");
        for (size_t at = 0, n = 1; at < much.length && n > 0; at += n) {
            ssize_t got = write(fd, much.data + at, much.length - at);
            n = got > 0 ? (size_t)got : 0;
        }
        str_done(&much);
        close(fd);
        assert_false(go_on(&s, &err));   /* and the commands that waited are dropped */
        assert_true(job_find(number, &info));
        if (info.state != JOB_CANCELLED)
            fail_msg("%s: %s", readers[i], info.err.what);
        assert_int_equal(s.waiting.count, 0);
        assert_ptr_equal(s.document.experiments, experiments);
        assert_ptr_equal(s.document.selected[0], machine);
        assert_int_equal(rows_of(&s), 3);
        assert_null(s.document.kernel);
    }
    session_done(&s);
}

/* A table that somebody reads does not change under his hands, and goes with the last who holds it. */
static void test_held(void **state)
{
    struct session s;
    struct err err;
    (void)state;
    open_session(&s);
    s.document.experiments = experiments_load(table_path, &err);
    struct experiments *held = experiments_hold(s.document.experiments);
    assert_true(experiments_held(held));
    struct experiments *own = session_change_experiments(&s);
    assert_true(own != held && own->serial == held->serial);
    experiments_set(own, 0, 7, NAN, 1, NULL);
    assert_true(held->rows.items[0].cycles == 1 && !experiments_held(own));
    assert_ptr_equal(session_change_experiments(&s), own);
    /* What was made of a table that is no longer the session's is refused. */
    struct experiments *made = experiments_copy(held, NULL);
    assert_false(session_set_experiments(&s, &made, held, &err));
    assert_non_null(made);
    assert_true(session_set_experiments(&s, &made, NULL, &err));
    assert_null(made);
    assert_true(run(&s, "experiments clear", &err));
    assert_int_equal(held->rows.count, 3);
    experiments_free(held);
    session_done(&s);
}

/* While another session is being read nothing changes that would be lost. */
static void test_replacing(void **state)
{
    struct session s;
    struct err err;
    char line[200], inner[100];
    (void)state;
    open_session(&s);
    snprintf(line, sizeof line, "session save %s", work_path("saved"));
    assert_true(run(&s, line, &err));
    assert_true(go_on(&s, &err));
    snprintf(inner, sizeof inner, "%s", work_path("saved/session.csv"));
    assert_int_equal(unlink(inner), 0);
    assert_int_equal(mkfifo(inner, 0600), 0);
    snprintf(line, sizeof line, "session load %s", work_path("saved"));
    if (!run(&s, line, &err))
        fail_msg("%s", err.what);
    assert_int_equal(s.replacing, s.waiting.job);
    snprintf(line, sizeof line, "experiments load %s", table_path);
    assert_false(run(&s, line, &err));
    assert_non_null(strstr(err.what, "loading another session"));
    assert_true(run(&s, "jobs", &err));
    unsigned number = s.waiting.job;
    int fd = open(inner, O_WRONLY | O_CLOEXEC);
    assert_true(write(fd, "key,value\nno such key,1\n", 24) == 24);
    close(fd);
    job_wait(number);
    assert_int_equal(s.replacing, 0);
    session_drop_waiting(&s);
    assert_true(run(&s, line, &err));
    assert_true(go_on(&s, &err));
    assert_int_equal(rows_of(&s), 3);
    session_done(&s);
}

static int setup(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    pipe_path = work_path("pipe.csv");
    table_path = work_path("table.csv");
    return mkfifo(pipe_path, 0600) || !file_write(table_path, "experiment,cycles\nA,1\nB,2\nC,3\n", 30, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_old_stays), cmocka_unit_test(test_cancelled), cmocka_unit_test(test_held), cmocka_unit_test(test_replacing)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
