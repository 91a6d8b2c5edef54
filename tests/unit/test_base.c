/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/file_calls.h"
#include "base/file_stream.h"
#include "base/index.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/path.h"
#include "base/rng.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/utf8_text.h"
#include "base/vec.h"
#include "../support/support.h"

static void test_str_grows(void **state)
{
    struct str s = {0};
    assert_string_equal(str_text(&s), "");
    for (int i = 0; i < 1000; i++)
        str_addf(&s, "%d,", i);
    assert_int_equal(s.length, 10 * 2 + 90 * 3 + 900 * 4);
    assert_memory_equal(s.data, "0,1,2,", 6);
    str_addf(&s, "%0500d", 7);
    assert_int_equal(strlen(s.data), s.length);
    char *taken = str_take(&s);
    assert_null(s.data);
    free(taken);
    taken = str_take(&s);
    assert_string_equal(taken, "");
    free(taken);
}

static void test_str_match(void **state)
{
    assert_true(str_match("*ADD*", "VADDPD (YMM, YMM, YMM)"));
    assert_true(str_match("add (r64, ?64)", "ADD (R64, M64)"));
    assert_false(str_match("ADD", "ADDS"));
    assert_true(str_match("*", ""));
    assert_false(str_match("?", ""));
    assert_true(str_match("a*b*c", "aXbbYc"));
    assert_false(str_match("a*b*c", "aXcbY"));
    assert_true(str_equal_nocase("vMovApd", "VMOVAPD"));
    assert_false(str_equal_nocase("mov", "movs"));
}

static void test_err_says_where_what_todo(void **state)
{
    struct err err = {0};
    char text[512];
    assert_false(err_set(&err, ERR_DATA, "remove it", "bad byte %d", 7));
    assert_false(err_at(&err, "x.csv", 3, 9));
    assert_string_equal(err_text(&err, text, sizeof text), "x.csv:3:9: bad byte 7; remove it");
    /* The old text may be an argument of the new text. */
    err_set(&err, ERR_DATA, NULL, "outer: %s", err.what);
    assert_string_equal(err_text(&err, text, sizeof text), "outer: bad byte 7");
    char tiny[8];
    assert_int_equal(strlen(err_text(&err, tiny, sizeof tiny)), 7);
    assert_false(err_set(NULL, ERR_DATA, NULL, "ignored"));
}

static void test_file_round_trip_and_faults(void **state)
{
    const char *directory = work_path("");
    struct str path = {0}, bytes = {0};
    struct err err = {0};
    str_addf(&path, "%s/file", directory);

    assert_true(file_write(path.data, "one\0two", 7, &err));
    assert_true(file_read(path.data, 7, &bytes, &err));
    assert_int_equal(bytes.length, 7);
    assert_memory_equal(bytes.data, "one\0two", 7);
    assert_false(file_read(path.data, 6, &bytes, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    assert_int_equal(bytes.length, 7);

    assert_false(file_read(directory, 100, &bytes, &err));
    assert_int_equal(err.code, ERR_IO);
    assert_false(file_write("/nonexistent/x", "x", 1, &err));
    assert_int_equal(err.code, ERR_MISSING);
    assert_string_equal(err.file, "/nonexistent/x");

    /* Rewriting a file preserves its mode. */
    assert_int_equal(chmod(path.data, 0600), 0);
    assert_true(file_write(path.data, "new", 3, &err));
    struct stat status;
    assert_int_equal(stat(path.data, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);

    unlink(path.data);
    assert_int_equal(rmdir(directory), 0);   /* No temporary file remains. */
    str_done(&path);
    str_done(&bytes);
}

static void test_log_keeps_the_newest(void **state)
{
    size_t next = 0, lines = 0;
    struct log_line line;
    while (log_next(&next, &line))
        free(line.text);
    const size_t before = next;
    for (int i = 0; i < 10050; i++)
        log_add(LOG_INFO, "line %d", i);
    assert_int_equal(log_count(), 10000);
    for (; log_next(&next, &line); lines++) {   /* Lines 0 to 49 are lost. */
        char text[16];
        snprintf(text, sizeof text, "line %zu", 50 + lines);
        assert_string_equal(line.text, text);
        free(line.text);
    }
    assert_true(lines == 10000 && next == before + 10050);
    assert_true(log_get(0, &line));
    assert_string_equal(line.text, "line 50");
    free(line.text);
    assert_true(log_get(9999, &line));
    assert_string_equal(line.text, "line 10049");
    free(line.text);
    assert_false(log_get(10000, &line));
}

static double frozen(void)
{
    return 42.5;
}

static void test_clock_can_be_held(void **state)
{
    clock_set_source(frozen);
    assert_true(clock_seconds() == 42.5);
    clock_set_source(NULL);
    double first = clock_seconds();
    assert_true(clock_seconds() >= first);
}

static void test_rng_is_reproducible_and_uniform(void **state)
{
    struct rng a, b;
    rng_seed(&a, 1);
    rng_seed(&b, 1);
    unsigned histogram[7] = {0};
    for (int i = 0; i < 70000; i++) {
        assert_true(rng_next(&a) == rng_next(&b));
        histogram[rng_below(&a, 7)]++;
        (void)rng_below(&b, 7);
        double unit = rng_unit(&a);
        (void)rng_unit(&b);
        assert_true(unit >= 0 && unit < 1);
    }
    for (int i = 0; i < 7; i++)
        assert_in_range(histogram[i], 9500, 10500);
    /* First outputs of xoshiro256** for state 1, 2, 3, 4, computed by the authors' reference
     * program. */
    struct rng known = {{1, 2, 3, 4}};
    assert_true(rng_next(&known) == 11520);
    assert_true(rng_next(&known) == 0);
    assert_true(rng_next(&known) == 1509978240);
}

static void test_vec_grows(void **state)
{
    VEC(int) v = {0};
    for (int i = 0; i < 100; i++)
        vec_push(&v, i * i);
    assert_int_equal(v.count, 100);
    assert_int_equal(v.items[99], 9801);
    vec_done(&v);
    assert_null(v.items);
}

/* Adds 2,000 names, half of them twice. Each name has one index. */
static void test_index_finds_what_was_added(void **state)
{
    struct names n = {0};
    char name[32];

    assert_int_equal(names_find(&n, "x"), UINT32_MAX);
    for (unsigned i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "form %u", i % 2000 * 7919);
        assert_int_equal(names_add(&n, name), i % 2000);
    }
    assert_int_equal(n.count, 2000);
    for (unsigned i = 0; i < 2000; i++)
        assert_int_equal(names_find(&n, n.items[i]), i);
    assert_int_equal(names_find(&n, "form"), UINT32_MAX);
    names_done(&n);
}

static bool same_number(const void *items, uint32_t item, const void *key)
{
    return ((const int *)items)[item] == *(const int *)key;
}

/* If hashes are equal, only the comparison of items distinguishes them. */
static void test_index_of_equal_hashes(void **state)
{
    struct index x = {0};
    int numbers[200], missing = 1000;

    for (int i = 0; i < 200; i++) {
        numbers[i] = 3 * i;
        assert_int_equal(index_find(&x, 42, same_number, numbers, &numbers[i]), INDEX_NONE);
        index_add(&x, 42, (uint32_t)i);
    }
    for (int i = 0; i < 200; i++)
        assert_int_equal(index_find(&x, 42, same_number, numbers, &numbers[i]), i);
    assert_int_equal(index_find(&x, 42, same_number, numbers, &missing), INDEX_NONE);
    for (int i = 0; i < 200; i += 3)
        index_remove(&x, 42, (uint32_t)i);
    for (int i = 0; i < 200; i++)
        assert_int_equal(index_find(&x, 42, same_number, numbers, &numbers[i]),
                         i % 3 ? (uint32_t)i : INDEX_NONE);
    index_clear(&x);
    assert_int_equal(index_find(&x, 42, same_number, numbers, &numbers[0]), INDEX_NONE);
    index_done(&x);
}

/* Inserts and removes items in a crowded table. The test records the present items. */
static void test_index_removes(void **state)
{
    struct index x = {0};
    struct rng rng;
    int numbers[512];
    bool there[512] = {false};

    rng_seed(&rng, 3);
    for (int i = 0; i < 512; i++)
        numbers[i] = i;
    for (int step = 0; step < 20000; step++) {
        uint32_t i = (uint32_t)rng_below(&rng, 512), probe = (uint32_t)rng_below(&rng, 512);
        /* Each hash has three items, which makes probe sequences long. */
        uint64_t hash = i / 3 * 5, probed = probe / 3 * 5;
        if (there[i])
            index_remove(&x, hash, i);
        else
            index_add(&x, hash, i);
        there[i] = !there[i];
        assert_int_equal(index_find(&x, probed, same_number, numbers, &numbers[probe]),
                         there[probe] ? probe : INDEX_NONE);
    }
    for (uint32_t i = 0; i < 512; i++)
        assert_int_equal(index_find(&x, i / 3 * 5, same_number, numbers, &numbers[i]),
                         there[i] ? i : INDEX_NONE);
    index_done(&x);
}

static void test_durations(void **state)
{
    static const struct {
        const char *text;
        float seconds;
    } good[] = {{"250ms", 0.25f}, {"0", 0},      {"90", 90},  {"1.5s", 1.5f},
                {"15m", 900},     {"2min", 120}, {"2h", 7200}};
    static const char *const bad[] = {"", "s", "-1", "1d", "5 m", "1e9", "nan", "inf", "2h30"};
    static const struct {
        double seconds;
        const char *text;
    } shown[] = {{0, "0 s"}, {0.25, "250 ms"}, {42, "42 s"}, {180, "3 min"}, {9000, "2.5 h"}};
    struct err err = {0};
    struct str text = {0};

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double seconds = -1;
        assert_true(duration_parse(good[i].text, &seconds, &err));
        assert_float_equal((float)seconds, good[i].seconds, 1e-6);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double seconds = -1;
        assert_false(duration_parse(bad[i], &seconds, &err));
        assert_true(seconds == -1);
    }
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        str_clear(&text);
        duration_print(shown[i].seconds, &text);
        assert_string_equal(str_text(&text), shown[i].text);
    }
    str_done(&text);
}

static void test_state_path(void **state)
{
    char *path;
    struct str file = {0};
    struct err err = {0};

    struct str home = {0}, expected = {0};

    assert_true(path_make_parents(work_path("file"), 0700, &err));
    str_add(&home, work_path(""));
    str_addf(&expected, "%s/.local/state/portolan/history", str_text(&home));
    setenv("HOME", str_text(&home), 1);
    unsetenv("XDG_STATE_HOME");
    path = path_state("history");
    assert_string_equal(path, str_text(&expected));
    free(path);
    setenv("XDG_STATE_HOME", "relative", 1);   /* A relative path must be ignored. */
    path = path_state("history");
    assert_string_equal(path, str_text(&expected));
    free(path);
    str_done(&home);
    str_done(&expected);
    setenv("XDG_STATE_HOME", "/state", 1);
    path = path_state("evolve.json");
    assert_string_equal(path, "/state/portolan/evolve.json");
    free(path);
    unsetenv("XDG_STATE_HOME");
    unsetenv("HOME");
    assert_null(path_state("history"));

    str_add(&file, work_path("a/b/file"));
    struct stat st;
    assert_true(path_make_parents(str_text(&file), 0700, &err));
    assert_true(path_make_parents(str_text(&file), 0700, &err));
    assert_int_equal(stat(str_text(&file), &st), -1);
    assert_true(file_write(str_text(&file), "x", 1, &err));
    str_add(&file, "/below");
    assert_false(path_make_parents(str_text(&file), 0700, &err) &&
                 file_write(str_text(&file), "x", 1, &err));
    str_done(&file);
}

/* State is stored neither in a missing home directory, which is not created, nor in that of another
 * user. */
static void test_state_of_others(void **state)
{
    struct err err = {0};
    char *path;

    assert_true(path_make_parents(work_path("other/file"), 0700, &err));
    assert_true(path_make_parents(work_path("named/portolan/file"), 0700, &err));
    unsetenv("XDG_STATE_HOME");
    setenv("HOME", "/nonexistent/home", 1);
    assert_null(path_state("history"));
    assert_null(path_data("machines"));
    assert_null(path_config("rc"));
    setenv("HOME", work_path("other"), 1);
    path = path_state("history");
    assert_non_null(path);
    free(path);
    if (geteuid() == 0) {
        assert_return_code(chown(work_path("other"), 65534, 65534), 0);
        assert_null(path_state("history"));
        setenv("XDG_STATE_HOME", work_path("named"), 1);
        assert_return_code(chown(work_path("named/portolan"), 65534, 65534), 0);
        assert_null(path_state("history"));
        unsetenv("XDG_STATE_HOME");
    } else {
        print_message("not root: no directory of another user was tried\n");
    }
    unsetenv("HOME");
}

/* Files of the state directory are private to the user. A link in it is replaced, and its target is
 * unchanged. */
static void test_state_is_private(void **state)
{
    struct stat about;
    struct err err = {0};

    assert_true(path_make_parents(work_path("private/portolan/old.csv"), 0755, &err));
    work_put("target", "kept");
    work_put("private/portolan/old.csv", "old");
    assert_return_code(chmod(work_path("private/portolan/old.csv"), 0644), 0);
    assert_return_code(symlink(work_path("target"), work_path("private/portolan/link.csv")), 0);
    setenv("XDG_STATE_HOME", work_path("private"), 1);
    static const char *const files[] = {"private/portolan/link.csv", "private/portolan/old.csv",
                                        "private/portolan/sessions/a/new.csv"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        assert_true(path_make_parents(work_path(files[i]), 0777, &err));
        assert_true(file_write(work_path(files[i]), "new", 3, &err));
        assert_return_code(lstat(work_path(files[i]), &about), 0);
        assert_true(S_ISREG(about.st_mode));
        assert_int_equal(about.st_mode & 0777, 0600);
    }
    assert_true(work_holds("target", "kept"));
    assert_return_code(stat(work_path("private/portolan"), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
    assert_return_code(stat(work_path("private/portolan/sessions/a"), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
    unsetenv("XDG_STATE_HOME");
}

static void test_utf8(void **state)
{
    static const struct { const char *text; size_t length; uint32_t code;
    } characters[] = {
        {"a", 1, 'a'},
        {"µ", 2, 0xb5},
        {"→", 3, 0x2192},
        {"\xf0\x9f\x98\x80", 4, 0x1f600},
        {"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
        {"\xed\x9f\xbf", 3, 0xd7ff},
    };
    /* Invalid UTF-8: a single continuation byte, overlong forms, surrogates, out of range,
     * truncated. */
    static const char *const bad[] = {"\x80",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xe0\x9f\xbf",
                                      "\xed\xa0\x80",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xc2",
                                      "\xe2\x86",
                                      "\xff"};
    struct str text = {0};
    size_t at = 99;

    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++) {
        uint32_t code = 0;
        assert_int_equal(utf8_next(characters[i].text, strlen(characters[i].text), &code),
                         characters[i].length);
        assert_int_equal(code, characters[i].code);
        assert_int_equal(utf8_next(characters[i].text, characters[i].length - 1, &code), 0);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(utf8_next(bad[i], strlen(bad[i]), NULL), 0);
    assert_true(utf8_valid("", 0, &at));
    assert_true(utf8_valid("a µ\0→", 8, &at));
    assert_false(utf8_valid("µ\xff", 3, &at));
    assert_int_equal(at, 2);
    static const struct {
        const char *text;
        size_t room;
        const char *copy;
    } copies[] = {{"aµ→", 7, "aµ→"},
                  {"aµ→", 6, "aµ"},
                  {"aµ→", 5, "aµ"},
                  {"aµ→", 3, "a"},
                  {"aµ→", 1, ""},
                  {"a\xff"
                   "b",
                   9, "a"}};
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        char copy[9];
        utf8_copy(copy, copies[i].room, copies[i].text);
        assert_string_equal(copy, copies[i].copy);
    }
    assert_int_equal(utf8_columns('a'), 1);
    assert_int_equal(utf8_columns(27), -1);
    assert_int_equal(utf8_columns(127), -1);
    static const char raw[] = "a\tb\033[2J\\ µ\x9b\xc2\x9b\r\n";
    utf8_escape(raw, sizeof raw, &text);   /* This also escapes the last NUL. */
    assert_string_equal(str_text(&text), "a\\tb\\x1b[2J\\\\ µ\\x9b\\xc2\\x9b\\r\\n\\x00");
    assert_true(utf8_valid(str_text(&text), text.length, NULL));
    str_done(&text);
}

static void test_printable(void **state)
{
    static const struct { const char *text, *shown;
    } cases[] = {
        {"a\tb\nµ→\\", "a\tb\nµ→\\"},
        {"\033]0;title\007", "\\x1b]0;title\\x07"},
        {"line\r\nover\rwritten", "line\r\nover\\x0dwritten"},
        {"\x7f \xc2\x9b"
         "31m",
         "\\u007f \\u009b"
         "31m"},
        {"\x9b"
         "31m",
         "\\x9b"
         "31m"},
        {"\xe2\x80\xae"
         "fdp.exe",
         "\\u202e"
         "fdp.exe"},
        {"a\xe2\x80\x8b"
         "b\xe2\x81\xa6"
         "c\xe2\x80\xa8"
         "d\xef\xbb\xbf",
         "a\\u200b"
         "b\\u2066"
         "c\\u2028"
         "d\\ufeff"},
        {"\xf3\xa0\x81\x81 tag", "\\udb40\\udc41 tag"},
        {"\xe2\x82", "\\xe2\\x82"},
    };
    struct str out = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str_clear(&out);
        utf8_printable(cases[i].text, strlen(cases[i].text), &out);
        assert_string_equal(str_text(&out), cases[i].shown);
    }
    str_clear(&out);
    utf8_printable("a\0b", 3, &out);
    assert_string_equal(str_text(&out), "a\\x00b");
    str_done(&out);
}

/* Makes visible every character that Unicode calls ignorable (perl's list), and characters without
 * width or that reorder others. */
static void test_invisible_characters(void **state)
{
    static const uint32_t named[] = {
        0xad,   0x34f,  0x61c,  0x115f, 0x1160, 0x17b4, 0x180e, 0x200b, 0x2028,  0x202e,  0x2066,
        0x2800, 0x3164, 0xfdd0, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xfffe, 0x1d173, 0x1fffe, 0xe0041};
    static const uint32_t seen[] = {' ',    'a',    '~',    0xa0,  0xae,  0xb5,   0x2014,
                                    0x2192, 0x2801, 0x4e00, 0x5d0, 0x600, 0x1f600};
    static const char *const argv[] = {
        "perl", "-e",
        "for my $c (0..0x10ffff) { next if $c >= 0xd800 && $c < 0xe000; print \"$c\\n\" if chr($c) "
        "=~ /\\p{Default_Ignorable_Code_Point}/ }",
        NULL};
    static const struct child_limits limits = {.cpu_seconds = 60,
                                               .memory = (size_t)2 << 30,
                                               .file_size = 1 << 20,
                                               .wall_seconds = 600,
                                               .output = 1 << 20};
    struct child_result result = {0};
    size_t listed = 0;

    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        assert_true(utf8_steers(named[i]));
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
        assert_false(utf8_steers(seen[i]));
    if (child_run(argv, "/", NULL, 0, &limits, &result, NULL) && result.status == 0)
        for (char *at = result.output.data, *end; *at; at = end + 1, listed++) {
            const unsigned long code = strtoul(at, &end, 10);
            if (!utf8_steers((uint32_t)code))
                fail_msg("U+%04lX is not shown", code);
        }
    if (!listed)
        print_message("no perl: its list was not compared\n");
    child_result_done(&result);
}

/* Runs a program while busy processes leave it little CPU time. Must be called in a child process.
 * Returns 1 if the wall-clock limit ended a program that had hardly run. */
static int run_starved(void)
{
    static const char *const argv[] = {"sh", "-c",
                                       "n=0; while [ $n -lt 3000 ]; do n=$((n + 1)); done", NULL};
    const double wall = 0.3;
    const struct child_limits limits = {.cpu_seconds = 60,
                                        .memory = (size_t)2 << 30,
                                        .file_size = 1 << 20,
                                        .wall_seconds = wall,
                                        .output = 4096};
    const struct sched_param none = {0};
    struct child_result result;
    cpu_set_t all, one;

    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return 2;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        return 2;
    for (unsigned i = 0; i < 2; i++)
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;)
                ;
        }
    if (sched_setscheduler(0, SCHED_IDLE, &none) != 0)
        return 2;
    const bool ran = child_run(argv, "/", NULL, 0, &limits, &result, NULL);
    const int fault = !ran ? 3 : result.timed_out && result.cpu_seconds < wall / 2 ? 1 : 0;
    child_result_done(&result);
    return fault;
}

/* Wall-clock limits detect hangs. They are extended on a contended processor. */
static void test_starved_programs_are_not_ended(void **state)
{
    int status;

    if (access("/proc/self/schedstat", R_OK) != 0)
        skip();
    const pid_t child = fork();
    if (child == 0)
        _exit(run_starved());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 2)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

static struct str written;
static size_t at_once;   /* bytes of the largest write so far */
static size_t takes;     /* maximum number of bytes that one write accepts */

static ssize_t keep(int fd, const void *bytes, size_t length)
{
    const size_t taken = length < takes ? length : takes;

    at_once = length > at_once ? length : at_once;
    str_add_bytes(&written, bytes, taken);
    return (ssize_t)taken;
}

/* A descriptor that accepts few bytes per write still receives all of them. */
static void test_messages_are_whole(void **state)
{
    const struct file_calls before = file_calls;

    str_clear(&written);
    takes = 7;
    file_calls.write = keep;
    utf8_say_now(1, "a message of more than seven bytes, \033[1m%s\n", "whole");
    file_calls = before;
    assert_string_equal(str_text(&written), "a message of more than seven bytes, \\x1b[1mwhole\n");
}

/* A table saved to a terminal is written in parts, and not buffered completely. */
static void test_tables_to_a_terminal(void **state)
{
    const struct file_calls before = file_calls;
    struct str table = {0}, shown = {0};

    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    int terminal = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(terminal >= 0);
    for (int i = 0; i < 100000; i++)
        str_addf(&table, "row %d, \xc3\xa9\033[31m\n", i);
    utf8_printable(str_text(&table), table.length, &shown);
    str_clear(&written);
    takes = SIZE_MAX;
    at_once = 0;
    file_calls.write = keep;
    assert_true(file_stream_put(terminal, str_text(&table), table.length));
    file_calls = before;
    assert_string_equal(str_text(&written), str_text(&shown));
    assert_true(at_once < 200000);
    close(terminal);
    close(master);
    str_done(&table);
    str_done(&shown);
    str_done(&written);
}

/* Removes each directory within @base whose file it can lock, like a starting program. Never
 * returns. */
static void collect_for_ever(const char *base)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        DIR *dir = opendir(base);
        char path[1024];
        for (struct dirent *entry; dir && (entry = readdir(dir));) {
            if (strncmp(entry->d_name, "portolan-", 9) != 0)
                continue;
            snprintf(path, sizeof path, "%s/%s/.portolan-owner", base, entry->d_name);
            int fd = open(path, O_RDONLY);
            if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
                unlink(path);
                path[strlen(path) - strlen("/.portolan-owner")] = 0;
                rmdir(path);
            }
            if (fd >= 0)
                close(fd);
        }
        if (dir)
            closedir(dir);
    }
}

/* A concurrent cleanup does not remove a directory in use. */
static void test_directories_stay(void **state)
{
    char base[512];
    struct err err = {0};
    pid_t other;

    snprintf(base, sizeof base, "%s", work_path("tidied"));
    assert_int_equal(mkdir(base, 0700), 0);
    setenv("TMPDIR", base, 1);
    if ((other = fork()) == 0)
        collect_for_ever(base);
    size_t lost = 0;
    for (unsigned i = 0; i < 1500; i++) {
        char *directory = child_directory_new(&err);
        assert_non_null(directory);
        if (access(directory, W_OK) != 0) {
            print_error("%s, the %uth: %s\n", directory, i, strerror(errno));
            lost++;
        }
        child_directory_free(directory);
    }
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    unsetenv("TMPDIR");
    assert_int_equal(lost, 0);
    assert_int_equal(rmdir(base), 0);
}

/* Finds installed files relative to the program, with the relative path that was configured. */
static void test_directory_of_the_program(void **state)
{
    static const struct { const char *programs, *installed, *from; } places[] = {
        {"/usr/local/bin", "/usr/local/share/portolan", "/../share/portolan"},
        {"/usr/bin", "/usr/lib/x86_64-linux-gnu/portolan", "/../lib/x86_64-linux-gnu/portolan"},
        {"/usr/bin", "/usr/binary/portolan", "/../binary/portolan"},
        {"/opt/p/bin/sub/", "/opt/p/data", "/../../data"},
        {"/opt/p", "/opt/p/data", "/data"},
        {"/usr/bin", "/var/portolan", "/../../var/portolan"},
    };
    char *directory = path_program_directory(), self[4096];
    assert_non_null(directory);
    assert_true(readlink("/proc/self/exe", self, sizeof self) > (ssize_t)strlen(directory));
    assert_memory_equal(self, directory, strlen(directory));
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *path = path_next_to_program(places[i].programs, places[i].installed);
        assert_non_null(path);
        assert_memory_equal(path, directory, strlen(directory));
        assert_string_equal(path + strlen(directory), places[i].from);
        free(path);
    }
    assert_null(path_next_to_program("", "/usr/share/portolan"));
    free(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_directories_stay),
        cmocka_unit_test(test_str_grows),
        cmocka_unit_test(test_str_match),
        cmocka_unit_test(test_directory_of_the_program),
        cmocka_unit_test(test_err_says_where_what_todo),
        cmocka_unit_test(test_file_round_trip_and_faults),
        cmocka_unit_test(test_log_keeps_the_newest),
        cmocka_unit_test(test_clock_can_be_held),
        cmocka_unit_test(test_rng_is_reproducible_and_uniform),
        cmocka_unit_test(test_vec_grows),
        cmocka_unit_test(test_index_finds_what_was_added),
        cmocka_unit_test(test_index_of_equal_hashes),
        cmocka_unit_test(test_index_removes),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_state_path),
        cmocka_unit_test(test_state_of_others),
        cmocka_unit_test(test_state_is_private),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_printable),
        cmocka_unit_test(test_starved_programs_are_not_ended),
        cmocka_unit_test(test_invisible_characters),
        cmocka_unit_test(test_messages_are_whole),
        cmocka_unit_test(test_tables_to_a_terminal),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
