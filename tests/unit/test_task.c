/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loaders as jobs. The old document remains until the new one is complete, later commands wait, and
 * a cancelled loader changes nothing. Input comes through a pipe, so that the test controls the
 * duration of a job. */
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/watch.h"
#include "cmd/analyses.h"
#include "cmd/command.h"
#include "cmd/forecast.h"
#include "cmd/session_file.h"
#include "io/experiments_file.h"
#include "work/job.h"
#include "../support/support.h"

static const char *pipe_path, *table_path;

/* Opens a session like the workbench's, which waits for no job. */
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

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_t ui;

static bool pass_gate(size_t size)
{
    if (!pthread_equal(pthread_self(), ui)) {
        pthread_mutex_lock(&gate);
        pthread_mutex_unlock(&gate);
    }
    return false;
}

/* Stops other threads at their next allocation, until they are released. */
static void hold_workers(bool hold)
{
    if (hold) {
        ui = pthread_self();
        pthread_mutex_lock(&gate);
    }
    mem_fault = hold ? pass_gate : NULL;
    if (!hold)
        pthread_mutex_unlock(&gate);
}

/* Opens the other end of the pipe, once the job reads. */
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

/* Continues pending commands like the main loop after the end of a job. */
static bool go_on(struct session *s, struct err *err)
{
    bool ended = false;
    *err = (struct err){0};
    job_wait(0);
    return queue_ended(s, &ended, err) && ended && queue_run(s, NULL, err);
}

/* Opens a session with the table loaded. */
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
    open_table(&s);
    assert_int_equal(rows_of(&s), 3);

    snprintf(line, sizeof line, "experiments load %s; experiments generate --random 2 --size 2",
             pipe_path);
    assert_true(run(&s, line, &err));
    /* Esc would end the loader, and generate waits for it. */
    assert_true(s.queue.job != 0 && s.queue.own && s.queue.count == 1);
    int fd = other_end();
    write_rows(fd, 20);
    assert_int_equal(rows_of(&s), 3);
    /* Until the end, the old experiments can be read and used. */
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
    static const char *const readers[] = {"experiments load",   "experiments load --append",
                                          "experiments import", "mapping import osaca",
                                          "mapping import csv", "mapping import pmevo",
                                          "evaluate",           "forms add"};
    struct session s;
    struct err err;
    struct job_info info;
    char line[200];
    open_table(&s);
    const struct experiments *experiments = s.document.experiments;
    const char *machine = s.document.selected[0];
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        snprintf(line, sizeof line, "%s %s; experiments clear", readers[i], pipe_path);
        if (!run(&s, line, &err))
            fail_msg("%s: %s", readers[i], err.what);
        unsigned number = s.queue.job;
        if (!number)
            fail_msg("%s did not go on in the background", readers[i]);
        int fd = other_end();
        write_rows(fd, 100);
        assert_true(job_find(number, &info) && info.state == JOB_RUNNING);
        assert_true(job_cancel(number));
        /* For any remaining input, data that the job has not read are dropped with the job. */
        struct str much = {0};
        for (size_t k = 0; k < 3 * WATCH_STEPS; k++)
            str_add(&much, "x,1\n");
        for (size_t at = 0, n = 1; at < much.length && n > 0; at += n) {
            ssize_t got = write(fd, much.data + at, much.length - at);
            n = got > 0 ? (size_t)got : 0;
        }
        str_done(&much);
        close(fd);
        assert_false(go_on(&s, &err));   /* Pending commands are dropped. */
        assert_true(job_find(number, &info));
        if (info.state != JOB_CANCELLED)
            fail_msg("%s: %s", readers[i], info.err.what);
        assert_int_equal(s.queue.count, 0);
        assert_ptr_equal(s.document.experiments, experiments);
        assert_ptr_equal(s.document.selected[0], machine);
        assert_int_equal(rows_of(&s), 3);
        assert_null(s.document.kernel);
    }
    session_done(&s);
}

/* A table in use does not change for its readers. The last of them frees it. */
static void test_held(void **state)
{
    struct session s;
    struct err err;
    open_session(&s);
    s.document.experiments = experiments_load(table_path, &err);
    struct experiments *held = experiments_hold(s.document.experiments);
    assert_true(experiments_held(held));
    struct experiments *own = session_change_experiments(&s);
    assert_true(own != held && own->serial == held->serial);
    experiments_set(own, 0, 7, NAN, 1, NULL);
    assert_true(held->rows.items[0].cycles == 1 && !experiments_held(own));
    assert_ptr_equal(session_change_experiments(&s), own);
    /* Rejects a result for a table that the session has replaced. */
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

/* While another session is being loaded, changes that would be lost are rejected. */
static void test_replacing(void **state)
{
    struct session s;
    struct err err;
    char line[200], inner[100];
    open_session(&s);
    snprintf(line, sizeof line, "session save %s", work_path("saved"));
    assert_true(run(&s, line, &err));
    assert_true(go_on(&s, &err));
    snprintf(inner, sizeof inner, "%s", work_path("saved/session.csv"));
    int fd = open(inner, O_WRONLY | O_TRUNC | O_CLOEXEC);
    assert_true(write(fd, "key,value\nno such key,1\n", 24) == 24);
    close(fd);
    /* This holds the lock that a save holds, so the loader waits. */
    int held = open(work_path("saved"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(held, LOCK_EX), 0);
    snprintf(line, sizeof line, "session load %s", work_path("saved"));
    if (!run(&s, line, &err))
        fail_msg("%s", err.what);
    assert_int_equal(s.replacing, s.queue.job);
    snprintf(line, sizeof line, "experiments load %s", table_path);
    assert_false(run(&s, line, &err));
    assert_non_null(strstr(err.what, "loading another session"));
    assert_true(run(&s, "jobs", &err));
    unsigned number = s.queue.job;
    close(held);
    job_wait(number);
    assert_int_equal(s.replacing, 0);
    queue_drop(&s.queue);
    assert_true(run(&s, line, &err));
    assert_true(go_on(&s, &err));
    assert_int_equal(rows_of(&s), 3);
    session_done(&s);
}

/* Read-only commands run in the background on a snapshot of the session. Those that end in time are
 * no jobs. */
static void test_reading(void **state)
{
    static const char *const readers[] = {"kernel analyze",
                                          "kernel simulate --iterations 20",
                                          "kernel show",
                                          "kernel list",
                                          "kernel diff --machine skylake --machine haswell",
                                          "kernel report %s",
                                          "kernel save %s",
                                          "experiments list",
                                          "mapping show",
                                          "mapping save %s",
                                          "mapping export osaca %s",
                                          "mapping export csv %s",
                                          "mapping diff skylake haswell",
                                          "forms list 'ADD*'",
                                          "forms compare 'ADD*'",
                                          "machine show"};
    struct session s;
    struct err err;
    char line[200];
    open_session(&s);
    s.patience = INFINITY;
    snprintf(line, sizeof line,
             "set machine skylake; kernel hex 4801d84829c375f8; experiments load %s", table_path);
    assert_true(run(&s, line, &err));
    size_t before = job_count();
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        const char *file = strstr(readers[i], "report")                              ? "read.md"
                           : strstr(readers[i], "save") || strstr(readers[i], "csv") ? "read.csv"
                                                                                     : "read.yml";
        snprintf(line, sizeof line, readers[i], work_path(file));
        const struct command *command;
        assert_true(command_check(line, &command, &err) && command->read);
        if (!run(&s, line, &err))
            fail_msg("%s: %s", line, err.what);
        assert_int_equal(job_count(), before);
        assert_int_equal(s.queue.job, 0);
        if (!strchr(readers[i], '%') &&
            (!s.last || strcmp(result_command(s.last), command->name) != 0))
            fail_msg("%s says nothing", line);
    }
    /* A command's own error is reported and leaves no failed job. */
    s.patience = INFINITY;
    before = job_count();
    assert_false(run(&s, "kernel report nothing.txt", &err));
    assert_non_null(strstr(err.what, "must end in"));
    assert_int_equal(job_count(), before);
    assert_false(run(&s, "kernel analyze --machine nosuch", &err));
    assert_false(run(&s, "kernel simulate --iterations x", &err));
    assert_true(run(&s, "job wait", &err));
    session_done(&s);
}

/* A command that takes longer becomes a job. Pending commands run when the job has ended. */
static void test_reading_goes_on(void **state)
{
    struct session s;
    struct err err;
    struct job_info info;
    open_session(&s);
    assert_true(run(&s, "set machine skylake; kernel hex 4801d84829c375f8", &err) &&
                go_on(&s, &err));
    assert_int_equal(mkfifo(work_path("reading.csv"), 0600), 0);
    char line[200];
    /* The pipe has no reader yet. */
    snprintf(line, sizeof line, "mapping export csv %s; kernel hex 90", work_path("reading.csv"));
    assert_true(run(&s, line, &err));
    unsigned number = s.queue.job;
    assert_true(number != 0 && s.queue.own && s.queue.count == 1);
    assert_true(job_find(number, &info) && info.state == JOB_RUNNING);
    int fd = open(work_path("reading.csv"), O_RDONLY | O_CLOEXEC);
    char bytes[4096];
    size_t all = 0;
    for (ssize_t n; (n = read(fd, bytes, sizeof bytes)) > 0;)
        all += (size_t)n;
    close(fd);
    assert_true(all > 10000);
    assert_true(go_on(&s, &err) && go_on(&s, &err));
    assert_int_equal(s.document.kernel->insn_count, 1);
    assert_true(job_find(number, &info) && info.state == JOB_DONE);
    session_done(&s);
}

/* A command reads the state at its start, regardless of later changes of the session. */
static void test_reads_what_was(void **state)
{
    struct session s;
    struct err err;
    char line[200];
    open_session(&s);
    s.patience = INFINITY;
    snprintf(line, sizeof line,
             "set machine skylake; kernel hex 4801d84829c375f8; experiments load %s", table_path);
    assert_true(run(&s, line, &err));
    struct session *was = session_snapshot(&s);
    const struct machine *machine = was->document.machines[0];
    double latency = mapping_find(machine->mapping, "ADD (R64, R64)")->latency;
    size_t usages = mapping_find(machine->mapping, "ADD (R64, R64)")->usage.count;
    assert_true(
        run(&s, "mapping set 'ADD (R64, R64)' 3*p0; kernel hex 90; experiments clear", &err));
    assert_int_equal(was->document.experiments->rows.count, 3);
    assert_int_equal(mapping_find(machine->mapping, "ADD (R64, R64)")->usage.count, usages);
    assert_true(mapping_find(machine->mapping, "ADD (R64, R64)")->latency == latency);
    assert_true(session_machine(&s, "skylake", &err) != machine);
    assert_int_equal(mapping_find(session_machine(&s, "skylake", &err)->mapping, "ADD (R64, R64)")
                         ->usage.uops[0]
                         .count,
                     3);
    session_forget(was);
    session_done(&s);
}

/* A job analyses a long loop. The view has no result until the job has ended, and then the same one
 * as direct analysis. The same loop is not analysed again. */
static void test_long_loop(void **state)
{
    struct session s;
    struct err err;
    struct str hex = {0};
    size_t count;
    str_add(&hex, "set machine skylake,haswell; kernel hex ");
    for (size_t i = 0; i < 3000; i++)
        str_add(&hex, i % 2 ? "4829c3" : "4801d8");
    open_session(&s);
    s.patience = INFINITY;
    if (!run(&s, str_text(&hex), &err))
        fail_msg("%s", err.what);
    session_analyses(&s, &count);
    assert_int_equal(count, 0);
    assert_true(session_analysing(&s));
    job_wait(0);
    struct analysis *const *made = session_analyses(&s, &count);
    assert_int_equal(count, 2);
    assert_false(session_analysing(&s));
    struct analysis *again =
        analysis_new(s.document.kernel, 0, session_machine(&s, "skylake", &err));
    assert_true(made[0]->cycles == again->cycles && made[0]->count == 3000);
    analysis_free(again);
    s.revision++;   /* The end of each job increments it. */
    assert_ptr_equal(session_analyses(&s, &count), made);
    /* Another loop cancels the running analysis. */
    assert_true(run(&s, "mapping set 'ADD (R64, R64)' 3*p0", &err));
    session_analyses(&s, &count);
    assert_true(session_analysing(&s));
    assert_true(run(&s, "kernel hex 4801d8", &err));
    session_analyses(&s, &count);
    assert_int_equal(count, 2);
    job_wait(0);
    session_analyses(&s, &count);
    assert_int_equal(count, 2);
    session_done(&s);
    str_done(&hex);
}

/* A job that a view started does not block loading. If it is cancelled, it is not repeated until
 * something changes. */
static void test_work_aside(void **state)
{
    struct session s;
    struct err err;
    struct str hex = {0};
    char line[300];
    size_t count;
    str_add(&hex, "set machine skylake,haswell; kernel hex ");
    for (size_t i = 0; i < 3000; i++)
        str_add(&hex, i % 2 ? "4829c3" : "4801d8");
    open_session(&s);
    s.patience = INFINITY;
    assert_true(run(&s, str_text(&hex), &err));
    snprintf(line, sizeof line, "session save %s", work_path("aside"));
    assert_true(run(&s, line, &err));
    session_analyses(&s, &count);
    assert_true(session_analysing(&s) && job_running());
    assert_true(session_idle(&err));
    job_cancel(s.document.analyses->job);
    job_wait(0);
    if (!s.document.analyses->made) {   /* The job had not ended before. */
        s.revision++;   /* The end of a job increments it, which must not restart the work. */
        session_analyses(&s, &count);
        session_analyses(&s, &count);
        assert_false(count || session_analysing(&s));
        s.revision++;
        session_analyses(&s, &count);
        assert_true(session_analysing(&s));
    }
    snprintf(line, sizeof line, "session load %s", work_path("aside"));
    if (!run(&s, line, &err))
        fail_msg("%s", err.what);
    session_done(&s);
    str_done(&hex);
}

/* A job that only confirms does not replace the last result, which `export` uses. Neither does a
 * command. */
static void test_confirmed_late(void **state)
{
    struct session s;
    struct err err;
    char line[300];
    open_session(&s);
    s.patience = INFINITY;
    assert_true(run(&s, "mapping show skylake", &err) || run(&s, "mapping list", &err));
    const struct result *last = s.last;
    assert_non_null(last);
    s.patience = 0;
    snprintf(line, sizeof line, "export %s", work_path("late.csv"));
    do {   /* On a busy machine the job may already have ended. */
        session_clear_output(&s);
        assert_true(run(&s, line, &err));
    } while (!s.queue.now);
    session_clear_output(&s);
    job_wait(0);
    assert_true(result_is_confirmation(s.result));
    char *text = command_take_job_result(&s, "export");
    assert_non_null(strstr(text, "bytes"));
    assert_ptr_equal(s.last, last);
    free(text);
    session_done(&s);
}

/* Returns whether @m has predictions, which must then be for all @rows. Stores the predicted cycles
 * of the fourth row in *@cycles (may be NULL). */
static bool predicted(struct session *s, struct machine *m, size_t rows, double *cycles)
{
    struct prediction *p = session_forecast(s, m);
    bool made = p->cycles != NULL;

    if (made)
        assert_int_equal(p->accuracy.n, rows);
    if (made && cycles)
        *cycles = p->cycles[3];
    prediction_free(p);
    return made;
}

/* A job computes the predictions of a large table. They are computed again when the machine or the
 * values change. */
static void test_many_predictions(void **state)
{
    struct session s;
    struct err err;
    struct str text = {0};
    const size_t rows = FORECAST_AT_ONCE + 1;
    str_add(&text, "experiment,cycles\n");
    for (size_t i = 0; i < rows; i++)
        str_addf(&text, "\"%zu*ADD (R64, R64)\",%zu\n", i % 7 + 1, i % 7 + 1);
    open_session(&s);
    s.patience = INFINITY;
    s.document.experiments = experiments_parse("text", text.data, text.length, &err);
    struct machine *m = session_machine(&s, "skylake", &err);
    double cycles;
    assert_false(predicted(&s, m, rows, NULL));
    assert_int_equal(job_running(), 1);
    job_wait(0);
    assert_true(predicted(&s, m, rows, &cycles) && cycles == 1);
    assert_int_equal(job_running(), 0);
    experiments_set(session_change_experiments(&s), 0, 5, NAN, 1, NULL);
    assert_true(predicted(&s, m, rows, NULL));   /* the old predictions until new ones are ready */
    assert_int_equal(job_running(), 1);
    job_wait(0);
    assert_true(run(&s, "set machine skylake; mapping set 'ADD (R64, R64)' 1*p0", &err));
    assert_false(predicted(&s, session_machine(&s, "skylake", &err), rows, &cycles));
    job_wait(0);
    assert_true(predicted(&s, session_machine(&s, "skylake", &err), rows, &cycles));
    assert_true(cycles == 4);
    /* Cancelled predictions start again when the table has changed, and not before. */
    assert_true(run(&s, "set machine haswell", &err));
    m = session_machine(&s, "haswell", &err);
    assert_false(predicted(&s, m, rows, NULL));
    struct job_info info;
    assert_true(job_working(&info) == false && job_get(job_count() - 1, &info) &&
                job_cancel(info.number));
    job_wait(0);
    bool made = predicted(&s, m, rows, NULL);   /* The job may have ended before. */
    assert_int_equal(job_running(), 0);
    experiments_set(session_change_experiments(&s), 0, 6, NAN, 1, NULL);
    assert_true(predicted(&s, m, rows, NULL) == made);
    assert_int_equal(job_running(), 1);
    job_wait(0);
    assert_true(predicted(&s, m, rows, NULL));
    session_done(&s);
    str_done(&text);
}

/* Predictions of all selected machines are stored, whatever their number. Otherwise a view that
 * requests them with each drawing would restart them endlessly. */
static void forecast_all(size_t rows)
{
    static const char *const machines[] = {
        "alderlake-p",    "broadwell",      "golden-cove-charted", "golden-cove-inferred",
        "haswell",        "icelake-client", "icelake-server",      "ivybridge",
        "lunarlake-p",    "sandybridge",    "sapphirerapids",      "skylake",
        "skylake-avx512", "zen3-charted",   "zen4-charted",        "zen5-charted",
        "znver1",         "znver2",         "znver3",              "znver4"};
    struct str text = {0}, line = {0};
    struct session s;
    struct err err;
    str_add(&text, "experiment,cycles\n");
    for (size_t i = 0; i < rows; i++)
        str_addf(&text, "\"%zu*ADD (R64, R64)\",%zu\n", i % 7 + 1, i % 7 + 1);
    open_session(&s);
    s.patience = INFINITY;
    s.document.experiments = experiments_parse("text", text.data, text.length, &err);
    str_add(&line, "set machine");
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        str_addf(&line, "%c%s", i ? ',' : ' ', machines[i]);
    if (!run(&s, str_text(&line), &err))
        fail_msg("%s", err.what);
    assert_int_equal(s.document.selected_count, sizeof machines / sizeof *machines);
    for (int look = 0; look < 3; look++) {
        for (size_t i = 0; i < s.document.selected_count; i++) {
            struct machine *m = session_machine(&s, s.document.selected[i], &err);
            struct prediction *p = session_forecast(&s, m);
            assert_true((p->cycles != NULL) == (look > 0));
            prediction_free(p);
        }
        assert_true(job_running() == 0 || look == 0);
        job_wait(0);
    }
    session_done(&s);
    str_done(&text);
    str_done(&line);
}

static void test_many_selected(void **state)
{
    forecast_all(FORECAST_AT_ONCE + 1);
    /* The work is small for one machine, but not for all together. */
    forecast_all(FORECAST_AT_ONCE / 10);
}

/* In the workbench a job loads the tables of forms for a command that needs them. */
static void test_forms_first(void **state)
{
    struct session s;
    struct err err;
    open_session(&s);
    hold_workers(true);
    assert_true(run(&s, "forms select 'ADD (R64, R64)'; set seed 7", &err));
    assert_true(s.queue.now && s.queue.count == 1);
    assert_null(s.document.forms[s.document.isa]);
    hold_workers(false);
    s.patience = INFINITY;
    assert_true(go_on(&s, &err));
    assert_non_null(s.document.forms[s.document.isa]);
    assert_int_equal(s.document.form_pattern_count, 1);
    assert_int_equal(s.settings.seed, 7);
    session_done(&s);
}

static char waited[200];

static void release(const char *what)
{
    snprintf(waited, sizeof waited, "%s", what);
    hold_workers(false);
}

/* While the screen waits for a command, it shows the work for which it waits. */
static void test_wait_is_said(void **state)
{
    struct session s;
    struct err err;
    char line[200];
    open_session(&s);
    s.patience = 1e6;
    s.waits = release;
    hold_workers(true);
    snprintf(line, sizeof line, "experiments load %s", table_path);
    assert_true(run(&s, line, &err));
    assert_false(s.queue.now);
    assert_int_equal(rows_of(&s), 3);
    assert_string_equal(waited, "experiments load: loads");
    session_done(&s);
}

/* A job loads the machine that a command names. The command and later ones wait for it. */
static void test_machine_named(void **state)
{
    static const char facts[] =
        "key,value,unit,source\nname,Slow,,\nisa,x86-64,,\nports,0 1 2 3,,\n",
                      mapping[] = "form,usage\nA,1*p01\nB,2*p0\nC,1*p3\n";
    struct session s;
    struct err err = {0};
    char line[600];
    assert_int_equal(mkdir(work_path("slow"), 0777), 0);
    work_put("slow/machine.csv", facts);
    work_put("slow/mapping.csv", mapping);
    open_table(&s);
    s.patience = 0;
    for (int k = 0; k < 2; k++) {   /* Each command that names a directory reads it. */
        unsigned long revision = s.revision;
        snprintf(line, sizeof line, "evaluate --mapping %s; set seed %d", work_path("slow"), k + 5);
        hold_workers(true);
        assert_true(run(&s, line, &err));
        assert_true(s.queue.now);
        assert_int_equal(s.queue.count, 1);   /* The command itself and the later ones wait. */
        assert_int_equal(s.revision, revision);
        hold_workers(false);
        s.patience = INFINITY;
        assert_true(go_on(&s, &err));
        assert_int_equal(s.settings.seed, k + 5);
        assert_int_equal(s.queue.machines.count, 0);
        assert_true(session_has_machine(&s, "slow"));
        s.patience = 0;
    }
    /* Esc ends the loading, and the command does not run. */
    snprintf(line, sizeof line, "evaluate --mapping %s; set seed 9", work_path("slow"));
    hold_workers(true);
    assert_true(run(&s, line, &err));
    assert_true(job_cancel(s.queue.job));
    hold_workers(false);
    assert_false(go_on(&s, &err));
    assert_int_equal(s.settings.seed, 6);
    /* The command reports a missing mapping. */
    s.patience = INFINITY;
    assert_false(run(&s, "evaluate --mapping nosuch", &err));
    assert_non_null(strstr(err.what, "nosuch"));
    session_done(&s);
}

/* A machine in a directory is loaded by a job. It is then found by its name and not read again,
 * which preserves edits. A machine that is replaced is not freed before the command ends. */
static void test_machine_in_directory(void **state)
{
    static const char facts[] =
        "key,value,unit,source\nname,Mine,,\nisa,x86-64,,\nports,0 1 2 3,,\n",
                      mapping[] = "form,usage\n\"ADD (R64, R64)\",1*p01\n";
    struct session s;
    struct err err = {0};
    char line[600];
    assert_int_equal(mkdir(work_path("mine"), 0777), 0);
    work_put("mine/machine.csv", facts);
    work_put("mine/mapping.csv", mapping);
    open_session(&s);
    s.patience = 0;
    hold_workers(true);   /* The job cannot end before the check. */
    snprintf(line, sizeof line, "set machine %s; mapping set 'ADD (R64, R64)' 1*p0",
             work_path("mine"));
    assert_true(run(&s, line, &err));
    assert_true(s.queue.now);
    assert_string_not_equal(s.document.selected[0], "mine");
    hold_workers(false);
    job_wait(0);
    assert_string_equal(s.document.selected[0], "mine");
    assert_true(queue_run(&s, NULL, &err));
    s.patience = INFINITY;
    const struct machine *m = session_current(&s, &err);
    assert_ptr_equal(session_current(&s, &err), m);
    const struct mapping_entry *add = mapping_find(m->mapping, "ADD (R64, R64)");
    assert_int_equal(add->usage.uops[0].ports, 1);
    snprintf(line, sizeof line, "kernel hex 4801d8; mapping diff %s %s", work_path("mine"),
             work_path("mine"));
    if (!run(&s, line, &err))
        fail_msg("%s", err.what);
    s.interactive = false;
    snprintf(line, sizeof line, "kernel analyze --machine %s --machine %s", work_path("mine"),
             work_path("mine"));
    if (!run(&s, line, &err))
        fail_msg("%s", err.what);
    session_done(&s);
}

/* An experiment that distinguishes forms is added to the table if it can be measured. If it is
 * rejected, the table is unchanged. */
static void test_settling_refused(void **state)
{
    static const char alike[] = "experiment,cycles\n\"BSF (R64, R64)\",1\n\"IMUL (R64, R64)\",1\n";
    struct session s;
    struct err err = {0};
    char line[600];

    work_put("alike.csv", alike);
    open_session(&s);
    s.interactive = false;
    snprintf(line, sizeof line, "experiments load %s", work_path("alike.csv"));
    assert_true(run(&s, line, &err));
    const struct experiments *before = s.document.experiments;
    assert_false(run(&s, "experiments settle --simulate nosuch", &err));
    assert_non_null(strstr(err.what, "nosuch"));
    assert_ptr_equal(s.document.experiments, before);
    assert_int_equal(before->rows.count, 2);
    assert_true(run(&s, "experiments settle --simulate skylake", &err));
    assert_int_equal(s.document.experiments->rows.count, 3);
    assert_true(experiments_measured(s.document.experiments, 2));
    session_done(&s);
}

static int setup(void **state)
{
    signal(SIGPIPE, SIG_IGN);
    pipe_path = work_path("pipe.csv");
    table_path = work_path("table.csv");
    return mkfifo(pipe_path, 0600) ||
           !file_write(table_path, "experiment,cycles\nA,1\nB,2\nC,3\n", 30, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_old_stays),
                                       cmocka_unit_test(test_machine_in_directory),
                                       cmocka_unit_test(test_machine_named),
                                       cmocka_unit_test(test_cancelled),
                                       cmocka_unit_test(test_held),
                                       cmocka_unit_test(test_replacing),
                                       cmocka_unit_test(test_reading),
                                       cmocka_unit_test(test_reading_goes_on),
                                       cmocka_unit_test(test_reads_what_was),
                                       cmocka_unit_test(test_long_loop),
                                       cmocka_unit_test(test_many_predictions),
                                       cmocka_unit_test(test_many_selected),
                                       cmocka_unit_test(test_forms_first),
                                       cmocka_unit_test(test_wait_is_said),
                                       cmocka_unit_test(test_work_aside),
                                       cmocka_unit_test(test_confirmed_late),
                                       cmocka_unit_test(test_settling_refused)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
