/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Journals retain their valid records, with any bytes between them, after any failure and any end
 * of the process. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/file.h"
#include "base/log.h"
#include "base/path.h"
#include "../support/failing_calls.h"
#include "measure/journal.h"
#include "measure/journal_text.h"
#include "model/experiments.h"
#include "../support/support.h"

#define PARTED 60000   /* experiments in a journal of several MiB */

static void put(const char *name, const char *text, size_t length)
{
    assert_true(file_write(work_path(name), text, length, NULL));
}

static void add_code(struct journal *j, const char *text, const char *code, double cycles)
{
    struct experiment e = {0};
    struct measured m = {.cycles = cycles, .spread = 0.001, .repeats = 3};
    assert_true(experiment_parse(text, &e, NULL));
    journal_add(j, &e, code, &m, EXPERIMENT_OK);
    experiment_done(&e);
}

static void add(struct journal *j, const char *text, double cycles)
{
    add_code(j, text, "", cycles);
}

static double cycles_of_code(const struct journal *j, const char *text, const char *code)
{
    struct experiment e = {0};
    assert_true(experiment_parse(text, &e, NULL));
    const struct journal_entry *entry = journal_find(j, &e, code);
    experiment_done(&e);
    return entry ? entry->cycles : NAN;
}

static double cycles_of(const struct journal *j, const char *text)
{
    return cycles_of_code(j, text, "");
}

static struct journal *open_it(const char *name)
{
    struct err err = {0};
    struct journal *j = journal_open(work_path(name), &err);
    if (!j)
        fail_msg("%s: %s", err.file, err.what);
    return j;
}

/* Writes a journal of three records to @out. */
static void three(struct str *out)
{
    unlink(work_path("three.csv"));
    struct journal *j = open_it("three.csv");
    add(j, "A", 1);
    add(j, "2*ADD (R64, R64) + B", 2.5);
    add(j, "C", 3);
    assert_true(journal_flush(j, NULL));
    journal_close(j);
    str_clear(out);
    assert_true(file_read(work_path("three.csv"), 1 << 20, out, NULL));
}

static void test_good_part_is_kept(void **state)
{
    static const struct { const char *bytes; size_t length;
    } damages[] = {
        {"6 fields,,,,,,,,\n", 17},        {"garbage \x80\xff\x01\n", 12}, {"\0\0\0\0\0\0\n", 7},
        {"\"A\",1,0,3,ok,00000000\n", 22}, {"\"open quote,1\n", 14},       {"A,1,0,3,ok\n", 11},
    };
    struct str whole = {0}, text = {0};
    size_t next = 0;
    three(&whole);
    const char *second = strchr(strchr(whole.data, '\n') + 1, '\n') + 1;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        const size_t before = next;
        str_clear(&text);
        str_add_bytes(&text, whole.data, (size_t)(second - whole.data));
        str_add_bytes(&text, damages[i].bytes, damages[i].length);
        str_add(&text, second);
        put("j.csv", text.data, text.length);
        unlink(work_path("j.csv.damaged"));
        struct journal *j = open_it("j.csv");
        assert_true(cycles_of(j, "A") == 1 && cycles_of(j, "2*ADD (R64, R64) + B") == 2.5 &&
                    cycles_of(j, "C") == 3);
        add(j, "D", 4);
        assert_true(journal_flush(j, NULL));
        journal_close(j);
        str_clear(&text);
        assert_true(file_read(work_path("j.csv.damaged"), 1 << 20, &text, NULL));
        assert_int_equal(text.length, damages[i].length);
        assert_memory_equal(text.data, damages[i].bytes, damages[i].length);
        char *last = NULL;
        for (struct log_line line; log_next(&next, &line); last = line.text)
            free(last);
        assert_true(next > before);
        assert_non_null(strstr(last, "j.csv.damaged"));
        free(last);
        unlink(work_path("j.csv.damaged"));
        j = open_it("j.csv");
        assert_true(cycles_of(j, "D") == 4 && cycles_of(j, "C") == 3);
        journal_close(j);
        assert_false(work_has("j.csv.damaged"));
    }
    str_done(&whole);
    str_done(&text);
}

static void numbered(unsigned i, char *out, size_t size)
{
    snprintf(out, size, "%u*VPBROADCASTMB2Q (ZMM, K) + %u*VPBROADCASTMW2D (ZMM, K)", i % 250 + 1,
             i / 250 + 1);
}

/* A journal is read in parts of 4 MiB each. All entries are read, and the last value of each
 * experiment counts. */
static void test_parts(void **state)
{
    char text[80];
    unlink(work_path("parts.csv"));
    struct journal *j = open_it("parts.csv");
    for (unsigned i = 0; i < 2 * PARTED; i++) {
        numbered(i % PARTED, text, sizeof text);
        add(j, text, i);
    }
    assert_true(journal_flush(j, NULL));
    journal_close(j);
    struct stat file;
    assert_int_equal(stat(work_path("parts.csv"), &file), 0);
    assert_true(file.st_size > 2 * (4 << 20));
    j = open_it("parts.csv");
    for (unsigned i = 0; i < PARTED; i++) {
        numbered(i, text, sizeof text);
        assert_true(cycles_of(j, text) == PARTED + i);
    }
    journal_close(j);
}

/* A flipped bit anywhere after the header invalidates at least its record, and never all three. */
static void test_every_flipped_byte(void **state)
{
    struct str whole = {0};
    three(&whole);
    size_t header = strlen(JOURNAL_HEADER);
    for (size_t at = header; at < whole.length; at++) {
        whole.data[at] ^= 4;
        struct journal_parts parts;
        assert_true(journal_parts_read(whole.data, whole.length, &parts));
        assert_true(parts.good + (parts.torn > 0) >= 1 && parts.good <= 2);
        journal_parts_done(&parts);
        whole.data[at] ^= 4;
    }
    str_done(&whole);
}

static void test_old_journals_open(void **state)
{
    static const char old[] = "experiment,cycles,spread,repeats,state\nA,1,0.001,3,ok\n\"ADD (R64, "
                              "R64)\",0.25,0.001,3,ok\nfault\x01,x\nC,,,,a reason\n";
    struct str text = {0};
    put("old.csv", old, sizeof old - 1);
    for (int round = 0; round < 2; round++) {
        struct journal *j = open_it("old.csv");
        assert_true(cycles_of(j, "A") == 1 && cycles_of(j, "ADD (R64, R64)") == 0.25);
        journal_close(j);
    }
    assert_true(work_has("old.csv.damaged"));
    assert_true(file_read(work_path("old.csv"), 1 << 20, &text, NULL));
    assert_true(str_has_prefix(text.data, JOURNAL_HEADER));
    str_done(&text);
    /* A file that is not a journal is not changed. */
    struct err err = {0};
    put("other.csv", "form,usage\nA,1*p0\n", 18);
    assert_null(journal_open(work_path("other.csv"), &err));
    assert_string_equal(err.file, work_path("other.csv"));
    assert_true(file_read(work_path("other.csv"), 1 << 20, &text, NULL));
    assert_string_equal(text.data, "form,usage\nA,1*p0\n");
    str_done(&text);
}

/* Times belong to the executed code, not to the form's name. Times of older journals by name count
 * for the program's own forms. */
static void test_code_is_the_key(void **state)
{
    static const char before[] =
        "experiment,cycles,spread,repeats,state,baseline,slowed,date,check\n";
    struct str text = {0};

    str_add(&text, before);
    size_t at = text.length;
    str_add(&text, "INC (R64),0.25,0.001,3,ok,5.5,0,2026-01-02,");
    str_addf(&text, "%08x\n", checksum_of(text.data + at, text.length - at));
    put("code.csv", text.data, text.length);
    for (unsigned round = 0; round < 3; round++) {
        struct journal *j = open_it("code.csv");
        assert_true(cycles_of_code(j, "INC (R64)", "") == 0.25 &&
                    cycles_of_code(j, "INC (R64)", "00000000000000aa") == (round < 2 ? 0.25 : 0.2));
        assert_true(cycles_of_code(j, "INC (R64)", "00000000000000bb") == 0.25);
        if (round)
            assert_true(cycles_of_code(j, "INC (R64)", "u00000000000000aa") == 6.2e-5);
        else
            assert_true(isnan(cycles_of_code(j, "INC (R64)", "u00000000000000aa")));
        assert_true(isnan(cycles_of_code(j, "INC (R64)", "u00000000000000bb")));
        add_code(j, "INC (R64)", round ? "00000000000000aa" : "u00000000000000aa",
                 round ? 0.2 : 6.2e-5);
        assert_true(journal_flush(j, NULL));
        journal_close(j);
    }
    str_clear(&text);
    assert_true(file_read(work_path("code.csv"), 1 << 20, &text, NULL));
    assert_true(str_has_prefix(text.data, JOURNAL_HEADER));
    assert_false(work_has("code.csv.damaged"));
    str_done(&text);
}

/* Journals with checksums but without conditions are readable. Their conditions are unknown. */
static void test_journals_without_conditions_open(void **state)
{
    struct str text = {0}, now = {0};
    str_add(&text, "experiment,cycles,spread,repeats,state,check\n");
    size_t start = text.length;
    str_add(&text, "A,1.5,0.001,3,ok,");
    str_addf(&text, "%08x\n", checksum_of(text.data + start, text.length - start));
    put("checked.csv", text.data, text.length);
    for (int round = 0; round < 2; round++) {
        struct journal *j = open_it("checked.csv");
        struct experiment e = {0};
        assert_true(experiment_parse("A", &e, NULL));
        const struct journal_entry *entry = journal_find(j, &e, "");
        assert_true(entry && entry->cycles == 1.5 && isnan(entry->baseline) && !entry->day[0]);
        if (round) {
            struct measured m = {
                .cycles = 1.2, .spread = 0.001, .repeats = 3, .baseline = 5.55, .slowed = 0.1};
            journal_add(j, &e, "", &m, EXPERIMENT_OK);
            assert_true(journal_flush(j, NULL));
        }
        experiment_done(&e);
        journal_close(j);
    }
    assert_false(work_has("checked.csv.damaged"));
    assert_true(file_read(work_path("checked.csv"), 1 << 20, &now, NULL));
    assert_true(str_has_prefix(now.data, JOURNAL_HEADER));
    struct journal *j = open_it("checked.csv");
    assert_true(cycles_of(j, "A") == 1.2);
    journal_close(j);
    str_done(&text);
    str_done(&now);
}

/* Makes ten flushes with a failure at every position. Successful flushes persist, and so do later
 * ones. */
static void test_each_call_fails(void **state)
{
    for (int how = FAIL_ERROR; how <= FAIL_SHORT; how++) {
        bool met = true;
        for (unsigned position = 0; met; position++) {
            unsigned written = 0;
            char name[16];
            struct err err = {0};
            unlink(work_path("f.csv"));
            failing_calls_set(position, (enum failing)how);
            struct journal *j = journal_open(work_path("f.csv"), &err);
            for (unsigned i = 0; j && i < 10; i++) {
                snprintf(name, sizeof name, "F%u", i);
                add(j, name, i + 1);
                if (journal_flush(j, &err))
                    written = i + 1;
                else
                    assert_true(err.what[0]);
            }
            met = failing_calls_end();
            assert_true(j || err.what[0]);
            journal_close(j);
            j = open_it("f.csv");
            for (unsigned i = 0; i < written; i++) {
                snprintf(name, sizeof name, "F%u", i);
                assert_true(cycles_of(j, name) == i + 1);
            }
            journal_close(j);
            assert_true(written >= 9 || written == 0);
            assert_false(work_has("f.csv.damaged"));
        }
    }
}

static void test_death_at_each_call(void **state)
{
    int status = -1;
    for (unsigned position = 0; status != 0; position++) {
        unlink(work_path("k.csv"));
        pid_t child = fork();
        if (child == 0) {
            failing_calls_set(position, FAIL_DEATH);
            struct journal *j = journal_open(work_path("k.csv"), NULL);
            for (unsigned i = 0; i < 5; i++) {
                add(j, i % 2 ? "A" : "B", i + 1);
                if (!journal_flush(j, NULL))
                    _exit(1);
            }
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 1);
        struct journal *j = open_it("k.csv");
        journal_close(j);
        assert_false(work_has("k.csv.damaged"));
    }
}

/* Measurements are private to the user. The modes of the journal, of its directory, and of an older
 * journal exclude others. */
static void test_private(void **state)
{
    struct err err = {0};
    struct stat about;

    const mode_t mask = umask(022);
    setenv("XDG_STATE_HOME", work_path("private"), 1);
    for (int old = 0; old < 2; old++) {
        char *path = path_state(old ? "old.csv" : "journals/new.csv");
        if (old) {
            work_put("private/portolan/old.csv", "");
            assert_return_code(chmod(path, 0644), 0);
            assert_return_code(chmod(work_path("private/portolan"), 0755), 0);
        }
        struct journal *j = journal_open(path, &err);
        if (!j)
            fail_msg("%s", err.what);
        journal_close(j);
        assert_return_code(stat(path, &about), 0);
        assert_int_equal(about.st_mode & 0777, 0600);
        assert_return_code(
            stat(work_path(old ? "private/portolan" : "private/portolan/journals"), &about), 0);
        assert_int_equal(about.st_mode & 0777, 0700);
        free(path);
    }
    /* The user named this journal, in any directory. */
    struct journal *j = journal_open(work_path("named.csv"), &err);
    assert_non_null(j);
    journal_close(j);
    assert_return_code(stat(work_path("named.csv"), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    unsetenv("XDG_STATE_HOME");
    umask(mask);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_part_is_kept),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_every_flipped_byte),
        cmocka_unit_test(test_old_journals_open),
        cmocka_unit_test(test_code_is_the_key),
        cmocka_unit_test(test_journals_without_conditions_open),
        cmocka_unit_test(test_private),
        cmocka_unit_test(test_each_call_fails),
        cmocka_unit_test(test_death_at_each_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
