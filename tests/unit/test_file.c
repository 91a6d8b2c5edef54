/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files and sets of files are completely old or completely new after any failure and any end of the
 * process. Links, devices, leftovers. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/file_set.h"
#include "base/file_temporary.h"
#include "../support/failing_calls.h"
#include "../support/support.h"

/* Returns the number of names in a directory that begin with a dot, which are leftovers of
 * writes. */
static unsigned leftovers(const char *name)
{
    DIR *stream = opendir(work_path(name));
    unsigned count = 0;

    assert_non_null(stream);
    for (struct dirent *entry; (entry = readdir(stream));)
        count += entry->d_name[0] == '.' && strcmp(entry->d_name, ".") != 0 &&
                 strcmp(entry->d_name, "..") != 0;
    closedir(stream);
    return count;
}

static void test_each_call_fails(void **state)
{
    for (int how = FAIL_ERROR; how <= FAIL_SHORT; how++) {
        bool met = true;
        for (unsigned position = 0; met; position++) {
            struct err err = {0};
            work_put("one", "old contents");
            failing_calls_set(position, (enum failing)how);
            bool ok = file_write(work_path("one"), "new contents", 12, &err);
            met = failing_calls_end();
            assert_true(ok ? work_holds("one", "new contents")
                           : work_holds("one", "old contents") ||
                                 work_holds("one", "new contents"));
            if (!ok)
                assert_string_equal(err.file, work_path("one"));
            assert_true(ok || met);
        }
    }
    work_put("one", "again");
    assert_int_equal(leftovers("."), 0);
}

static void test_death_at_each_call(void **state)
{
    int status = -1;
    for (unsigned position = 0; status != 0; position++) {
        work_put("one", "old contents");
        pid_t child = fork();
        if (child == 0) {
            failing_calls_set(position, FAIL_DEATH);
            _exit(file_write(work_path("one"), "new contents", 12, NULL) ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 1);
        assert_true(work_holds("one", "old contents") || work_holds("one", "new contents"));
    }
    assert_true(work_holds("one", "new contents"));
    work_put("two", "x");
    assert_int_equal(leftovers("."), 0);   /* Leftovers of ended processes are removed. */
}

static void test_leftovers_of_the_living_stay(void **state)
{
    struct file_temporary t;
    int dir = open(work_path(""), O_RDONLY | O_DIRECTORY);

    assert_true(dir >= 0 && file_temporary_make(dir, "busy", false, &t));
    work_put("two", "x");
    assert_int_equal(leftovers("."), 1);
    assert_true(file_temporary_close(&t));
    work_put(".portolan-notes", "mine");
    work_put("two", "y");
    assert_true(work_has(".portolan-notes"));
    assert_int_equal(leftovers("."), 1);
    unlink(work_path(".portolan-notes"));
    close(dir);
}

static void test_links_are_followed(void **state)
{
    struct stat status;
    struct err err = {0};

    assert_int_equal(mkdir(work_path("far"), 0777), 0);
    work_put("far/target", "old");
    assert_int_equal(chmod(work_path("far/target"), 0640), 0);
    assert_int_equal(symlink("far/target", work_path("link")), 0);
    assert_int_equal(symlink("link", work_path("link2")), 0);
    work_put("link2", "new");
    assert_true(work_holds("far/target", "new"));
    assert_int_equal(lstat(work_path("link"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(work_path("far/target"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    /* There is a dangling link, and a cyclic one. */
    assert_int_equal(symlink("far/fresh", work_path("dangling")), 0);
    work_put("dangling", "made");
    assert_true(work_holds("far/fresh", "made"));
    assert_int_equal(symlink("round", work_path("round")), 0);
    assert_false(file_write(work_path("round"), "x", 1, &err));
    assert_string_equal(err.file, work_path("round"));
    char name[300];
    snprintf(name, sizeof name, "%0250d", 7);
    work_put(name, "a long name");
    assert_true(work_holds(name, "a long name"));
}

static void test_devices_are_written_to(void **state)
{
    struct stat status;
    char text[32];
    int ends[2];

    assert_true(file_write("/dev/null", "x", 1, NULL));
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    assert_int_equal(pipe(ends), 0);
    snprintf(text, sizeof text, "/dev/fd/%d", ends[1]);
    assert_true(file_write(text, "through", 7, NULL));
    assert_int_equal(read(ends[0], text, sizeof text), 7);
    assert_memory_equal(text, "through", 7);
    close(ends[0]);
    close(ends[1]);
    /* A file of a descriptor is written at its position and not replaced. */
    int fd = open(work_path("stream"), O_RDWR | O_CREAT, 0666);
    assert_int_equal(write(fd, "ab", 2), 2);
    snprintf(text, sizeof text, "/proc/self/fd/%d", fd);
    assert_true(file_write(text, "cd", 2, NULL));
    assert_int_equal(write(fd, "ef", 2), 2);
    close(fd);
    assert_true(work_holds("stream", "abcdef"));
    struct err err = {0};
    assert_false(file_write(work_path(""), "x", 1, &err));
    assert_non_null(strstr(err.what, "directory"));
    assert_false(file_write("/dev/full", "x", 1, &err));
    assert_non_null(strstr(err.todo, "delete files"));
}

static void test_size_limit_is_an_error(void **state)
{
    int status;

    work_put("one", "old");
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {4096, 4096};
        struct err err = {0};
        static char much[65536];
        signal(SIGXFSZ, SIG_IGN);   /* The program also ignores this signal. */
        setrlimit(RLIMIT_FSIZE, &limit);
        _exit(file_write(work_path("one"), much, sizeof much, &err) || !strstr(err.todo, "ulimit"));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(work_holds("one", "old"));
}

static const char *const known[] = {"a", "b", "sub/c", "sub/deep/d", NULL};

static void set_begin(void)
{
    work_remove("set");
    assert_int_equal(mkdir(work_path("set"), 0777), 0);
    assert_int_equal(mkdir(work_path("set/sub"), 0777), 0);
    work_put("set/a", "old a");
    work_put("set/b", "old b");
    work_put("set/sub/c", "old c");
    work_put("set/mine", "not of the set");
}

/* Changes a, removes b and sub/c, adds sub/deep/d. */
static bool set_change(struct err *err)
{
    struct file_set *set = file_set_new(work_path("set"), false, err);
    bool ok = set && file_set_write(set, "a", "new a", 5, err) && file_set_remove(set, "b", err) &&
              file_set_remove(set, "sub/c", err) &&
              file_set_write(set, "sub/deep/d", "new d", 5, err) && file_set_commit(set, err);
    file_set_free(set);
    return ok;
}

static bool set_is_old(void)
{
    return work_holds("set/a", "old a") && work_holds("set/b", "old b") &&
           work_holds("set/sub/c", "old c") && !work_has("set/sub/deep/d") &&
           work_holds("set/mine", "not of the set");
}

static bool set_is_new(void)
{
    return work_holds("set/a", "new a") && !work_has("set/b") && !work_has("set/sub/c") &&
           work_holds("set/sub/deep/d", "new d") && work_holds("set/mine", "not of the set");
}

static void set_reopen(void)
{
    struct err err = {0};
    int dir = file_set_open(work_path("set"), &err);
    if (dir < 0)
        fail_msg("%s", err.what);
    close(dir);
}

static void test_set_each_call_fails(void **state)
{
    for (int how = FAIL_ERROR; how <= FAIL_SHORT; how++) {
        bool met = true;
        for (unsigned position = 0; met; position++) {
            struct err err = {0};
            set_begin();
            failing_calls_set(position, (enum failing)how);
            bool ok = set_change(&err);
            met = failing_calls_end();
            set_reopen();
            assert_true(ok ? set_is_new() : set_is_old() || set_is_new());
            assert_true(ok || err.what[0]);
            assert_true(set_change(&err));
            assert_true(set_is_new());
        }
    }
    assert_int_equal(leftovers("set"), 0);
    assert_int_equal(leftovers("set/sub"), 0);
}

static void test_set_death_at_each_call(void **state)
{
    int status = -1;
    unsigned was_old = 0, was_new = 0;
    for (unsigned position = 0; status != 0; position++) {
        set_begin();
        pid_t child = fork();
        if (child == 0) {
            failing_calls_set(position, FAIL_DEATH);
            _exit(set_change(NULL) ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 1);
        set_reopen();
        assert_true(set_is_old() || set_is_new());
        was_old += set_is_old();
        was_new += set_is_new();
    }
    assert_true(was_old > 5 && was_new > 5);
}

static void test_set_makes_a_directory_or_none(void **state)
{
    struct err err = {0};

    work_remove("set");
    struct file_set *set = file_set_new(work_path("set"), false, &err);
    assert_non_null(set);
    assert_true(file_set_write(set, "x/y", "1", 1, &err));
    assert_false(file_set_write(set, "../up", "1", 1, &err));
    assert_false(file_set_write(set, "x/.hidden", "1", 1, &err));
    assert_false(file_set_remove(set, "/etc/passwd", &err));
    assert_false(file_set_remove(set, "a\nremove b", &err));
    file_set_free(set);
    assert_false(work_has("set"));
    assert_true(set_change(&err));
    assert_true(work_holds("set/a", "new a"));
    /* A link in the directory points outside of it. */
    assert_int_equal(symlink(work_path(""), work_path("set/out")), 0);
    set = file_set_new(work_path("set"), false, &err);
    assert_false(file_set_write(set, "out/escaped", "1", 1, &err));
    file_set_free(set);
    assert_false(work_has("escaped"));
    assert_true(work_has("set/out"));
}

static void test_set_strangers(void **state)
{
    set_begin();
    char *name = file_set_stranger(work_path("set"), known);
    assert_string_equal(name, "mine");
    free(name);
    unlink(work_path("set/mine"));
    assert_null(file_set_stranger(work_path("set"), known));
    work_put("set/sub/thesis.txt", "years of it");
    name = file_set_stranger(work_path("set"), known);
    assert_string_equal(name, "sub/thesis.txt");
    free(name);
}

static void test_false_records_are_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "portolan change 1\n",
        "portolan change 1\nremove a\nend 00000000\n",
        "remove a\nend deadbeef\n",
        "portolan change 1\nremove ../one\nend 12345678\n",
    };
    work_put("one", "safe");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct err err = {0};
        set_begin();
        work_put("set/.portolan-change", texts[i]);
        assert_int_equal(file_set_open(work_path("set"), &err), -1);
        assert_non_null(strstr(err.file, ".portolan-change"));
        assert_null(file_set_new(work_path("set"), false, &err));
        assert_true(set_is_old());
        assert_true(work_holds("one", "safe"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_call_fails),
        cmocka_unit_test(test_death_at_each_call),
        cmocka_unit_test(test_leftovers_of_the_living_stay),
        cmocka_unit_test(test_links_are_followed),
        cmocka_unit_test(test_devices_are_written_to),
        cmocka_unit_test(test_size_limit_is_an_error),
        cmocka_unit_test(test_set_each_call_fails),
        cmocka_unit_test(test_set_death_at_each_call),
        cmocka_unit_test(test_set_makes_a_directory_or_none),
        cmocka_unit_test(test_set_strangers),
        cmocka_unit_test(test_false_records_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
