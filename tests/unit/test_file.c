/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files and sets of files are old or new, whatever fails and whenever the process dies; links, devices, leftovers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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

#include <cmocka.h>

#include "base/file.h"
#include "base/file_set.h"
#include "base/file_temporary.h"
#include "failing_calls.h"

static char directory[] = "/tmp/portolan-file-XXXXXX";

static const char *path(const char *name)
{
    static char paths[8][160];
    static unsigned turn;
    char *out = paths[turn++ % 8];
    snprintf(out, sizeof paths[0], "%s/%s", directory, name);
    return out;
}

static void put(const char *name, const char *text)
{
    assert_true(file_write(path(name), text, strlen(text), NULL));
}

static bool holds(const char *name, const char *text)
{
    struct str bytes = {0};
    bool same = file_read(path(name), 1 << 20, &bytes, NULL) && strcmp(str_text(&bytes), text) == 0;
    str_done(&bytes);
    return same;
}

static bool there(const char *name)
{
    return access(path(name), F_OK) == 0;
}

/* Names in a directory that begin with a dot: what a write left. */
static unsigned leftovers(const char *name)
{
    DIR *stream = opendir(path(name));
    unsigned count = 0;

    assert_non_null(stream);
    for (struct dirent *entry; (entry = readdir(stream));)
        count += entry->d_name[0] == '.' && strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(stream);
    return count;
}

static void remove_all(const char *name)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", path(name));
    assert_int_equal(system(command), 0);
}

static void test_each_call_fails(void **state)
{
    (void)state;
    for (int how = FAIL_ERROR; how <= FAIL_SHORT; how++) {
        bool met = true;
        for (unsigned position = 0; met; position++) {
            struct err err = {0};
            put("one", "old contents");
            failing_calls_set(position, (enum failing)how);
            bool ok = file_write(path("one"), "new contents", 12, &err);
            met = failing_calls_end();
            assert_true(ok ? holds("one", "new contents") : holds("one", "old contents") || holds("one", "new contents"));
            if (!ok)
                assert_string_equal(err.file, path("one"));
            assert_true(ok || met);
        }
    }
    put("one", "again");
    assert_int_equal(leftovers("."), 0);
}

static void test_death_at_each_call(void **state)
{
    (void)state;
    int status = -1;
    for (unsigned position = 0; status != 0; position++) {
        put("one", "old contents");
        pid_t child = fork();
        if (child == 0) {
            failing_calls_set(position, FAIL_DEATH);
            _exit(file_write(path("one"), "new contents", 12, NULL) ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 1);
        assert_true(holds("one", "old contents") || holds("one", "new contents"));
    }
    assert_true(holds("one", "new contents"));
    put("two", "x");
    assert_int_equal(leftovers("."), 0);   /* those of the dead are gone */
}

static void test_leftovers_of_the_living_stay(void **state)
{
    (void)state;
    struct file_temporary t;
    int dir = open(directory, O_RDONLY | O_DIRECTORY);

    assert_true(dir >= 0 && file_temporary_make(dir, "busy", &t));
    put("two", "x");
    assert_int_equal(leftovers("."), 1);
    assert_true(file_temporary_close(&t));
    put(".portolan-notes", "mine");
    put("two", "y");
    assert_true(there(".portolan-notes"));
    assert_int_equal(leftovers("."), 1);
    unlink(path(".portolan-notes"));
    close(dir);
}

static void test_links_are_followed(void **state)
{
    (void)state;
    struct stat status;
    struct err err = {0};

    assert_int_equal(mkdir(path("far"), 0777), 0);
    put("far/target", "old");
    assert_int_equal(chmod(path("far/target"), 0640), 0);
    assert_int_equal(symlink("far/target", path("link")), 0);
    assert_int_equal(symlink("link", path("link2")), 0);
    put("link2", "new");
    assert_true(holds("far/target", "new"));
    assert_int_equal(lstat(path("link"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(path("far/target"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    /* One that leads nowhere yet, and one that leads round. */
    assert_int_equal(symlink("far/fresh", path("dangling")), 0);
    put("dangling", "made");
    assert_true(holds("far/fresh", "made"));
    assert_int_equal(symlink("round", path("round")), 0);
    assert_false(file_write(path("round"), "x", 1, &err));
    assert_string_equal(err.file, path("round"));
    char name[300];
    snprintf(name, sizeof name, "%0250d", 7);
    put(name, "a long name");
    assert_true(holds(name, "a long name"));
}

static void test_devices_are_written_to(void **state)
{
    (void)state;
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
    /* A descriptor of a file: at its place, not instead of it. */
    int fd = open(path("stream"), O_RDWR | O_CREAT, 0666);
    assert_int_equal(write(fd, "ab", 2), 2);
    snprintf(text, sizeof text, "/proc/self/fd/%d", fd);
    assert_true(file_write(text, "cd", 2, NULL));
    assert_int_equal(write(fd, "ef", 2), 2);
    close(fd);
    assert_true(holds("stream", "abcdef"));
    struct err err = {0};
    assert_false(file_write(directory, "x", 1, &err));
    assert_non_null(strstr(err.what, "directory"));
    assert_false(file_write("/dev/full", "x", 1, &err));
    assert_non_null(strstr(err.todo, "room"));
}

static void test_size_limit_is_an_error(void **state)
{
    (void)state;
    int status;

    put("one", "old");
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {4096, 4096};
        struct err err = {0};
        static char much[65536];
        signal(SIGXFSZ, SIG_IGN);   /* as the program does */
        setrlimit(RLIMIT_FSIZE, &limit);
        _exit(file_write(path("one"), much, sizeof much, &err) || !strstr(err.todo, "ulimit"));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(holds("one", "old"));
}

static const char *const known[] = {"a", "b", "sub/c", "sub/deep/d", NULL};

static void set_begin(void)
{
    remove_all("set");
    assert_int_equal(mkdir(path("set"), 0777), 0);
    assert_int_equal(mkdir(path("set/sub"), 0777), 0);
    put("set/a", "old a");
    put("set/b", "old b");
    put("set/sub/c", "old c");
    put("set/mine", "not of the set");
}

/* a changes, b and sub/c go, sub/deep/d comes. */
static bool set_change(struct err *err)
{
    struct file_set *set = file_set_new(path("set"), err);
    bool ok = set && file_set_write(set, "a", "new a", 5, err) && file_set_remove(set, "b", err) && file_set_remove(set, "sub/c", err) &&
              file_set_write(set, "sub/deep/d", "new d", 5, err) && file_set_commit(set, err);
    file_set_free(set);
    return ok;
}

static bool set_is_old(void)
{
    return holds("set/a", "old a") && holds("set/b", "old b") && holds("set/sub/c", "old c") && !there("set/sub/deep/d") && holds("set/mine", "not of the set");
}

static bool set_is_new(void)
{
    return holds("set/a", "new a") && !there("set/b") && !there("set/sub/c") && holds("set/sub/deep/d", "new d") && holds("set/mine", "not of the set");
}

static void set_reopen(void)
{
    struct err err = {0};
    int dir = file_set_open(path("set"), &err);
    if (dir < 0)
        fail_msg("%s", err.what);
    close(dir);
}

static void test_set_each_call_fails(void **state)
{
    (void)state;
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
    (void)state;
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
    (void)state;
    struct err err = {0};

    remove_all("set");
    struct file_set *set = file_set_new(path("set"), &err);
    assert_non_null(set);
    assert_true(file_set_write(set, "x/y", "1", 1, &err));
    assert_false(file_set_write(set, "../up", "1", 1, &err));
    assert_false(file_set_write(set, "x/.hidden", "1", 1, &err));
    assert_false(file_set_remove(set, "/etc/passwd", &err));
    assert_false(file_set_remove(set, "a\nremove b", &err));
    file_set_free(set);
    assert_false(there("set"));
    assert_true(set_change(&err));
    assert_true(holds("set/a", "new a"));
    /* A link in the directory leads out of it. */
    assert_int_equal(symlink(directory, path("set/out")), 0);
    set = file_set_new(path("set"), &err);
    assert_false(file_set_write(set, "out/escaped", "1", 1, &err));
    file_set_free(set);
    assert_false(there("escaped"));
    assert_true(there("set/out"));
}

static void test_set_strangers(void **state)
{
    (void)state;
    set_begin();
    char *name = file_set_stranger(path("set"), known);
    assert_string_equal(name, "mine");
    free(name);
    unlink(path("set/mine"));
    assert_null(file_set_stranger(path("set"), known));
    put("set/sub/thesis.txt", "years of it");
    name = file_set_stranger(path("set"), known);
    assert_string_equal(name, "sub/thesis.txt");
    free(name);
}

static void test_false_records_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "portolan change 1\n", "portolan change 1\nremove a\nend 00000000\n", "remove a\nend deadbeef\n",
        "portolan change 1\nremove ../one\nend 12345678\n",
    };
    put("one", "safe");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct err err = {0};
        set_begin();
        put("set/.portolan-change", texts[i]);
        assert_int_equal(file_set_open(path("set"), &err), -1);
        assert_non_null(strstr(err.file, ".portolan-change"));
        assert_null(file_set_new(path("set"), &err));
        assert_true(set_is_old());
        assert_true(holds("one", "safe"));
    }
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    remove_all("");
    return 0;
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
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
