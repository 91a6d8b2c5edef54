/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects with hostile debug information, such as names of pipes and excessive sizes. */
#include <config.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/kernel.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/watch.h"
#include "toolchain/archive.h"
#include "toolchain/debug_lines.h"
#include "toolchain/object.h"
#include "../support/support.h"

static const char loops[] = "long add_up(const long *a, long n)\n{\n    long s = 0;\n    for (long "
                            "i = 0; i < n; i++)\n        s += a[i] * 3;\n    return s;\n}\n";

/* Runs a tool in the test's directory. */
static void tool(const char *const *argv)
{
    struct child_limits limits = {.cpu_seconds = 20,
                                  .memory = (size_t)2 << 30,
                                  .file_size = 32 << 20,
                                  .wall_seconds = 60,
                                  .output = 1 << 16};
    struct child_result r;
    struct err err = {0};

    if (!child_run(argv, work_path(""), NULL, 0, &limits, &r, &err) || r.status != 0)
        fail_msg("%s: %s %s", argv[0], err.what, str_text(&r.output));
    child_result_done(&r);
}

/* Runs @work in a child. Returns its exit status, or the signal that ended it. */
static int fate_of(void (*work)(void))
{
    int status = 0;
    const pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        /* This ends a process that waits forever, which fails the test. */
        alarm(HANG_SECONDS);
        work();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static struct kernel *load(const char *name, const char *symbol, struct err *err)
{
    const struct kernel_options options = {.symbol = symbol};

    return kernel_load(work_path(name), &options, err);
}

static void load_loops(void)
{
    struct kernel *k = load("loops.o", NULL, NULL);
    _exit(k && k->loops[0].depth == 1 && !k->origin_text_count ? 0 : 2);
}

/* Returns whether this program was built without libdw. If it was, prints that the test is
 * skipped. */
static bool no_libdw(void)
{
#ifdef HAVE_LIBDW
    return false;
#else
    print_message("built without libdw: not tried\n");
    return true;
#endif
}

/* A pipe with the source's name replaces the source. The reader must neither wait for the pipe nor
 * consume its contents. */
static void test_pipe_as_source(void **state)
{
    if (no_libdw())
        return;
    char held[16] = "";

    work_put("loops.c", loops);
    tool((const char *const[]){"gcc", "-O1", "-g", "-c", "loops.c", NULL});
    assert_int_equal(unlink(work_path("loops.c")), 0);
    assert_int_equal(mkfifo(work_path("loops.c"), 0600), 0);
    int pipe = open(work_path("loops.c"), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    assert_int_equal(write(pipe, "kept\n", 5), 5);
    assert_int_equal(fate_of(load_loops), 0);
    assert_int_equal(read(pipe, held, sizeof held - 1), 5);
    assert_string_equal(held, "kept\n");
    close(pipe);
    unlink(work_path("loops.c"));
}

static void list_thin(void)
{
    struct archive a;
    struct err err = {0};
    const bool ok = archive_read(work_path("thin.a"), &a, &err);

    _exit(!ok && strstr(err.what, "no object files") ? 0 : 2);
}

/* A thin archive has only its members' names. Only regular files are read. */
static void test_pipe_as_member(void **state)
{
    char held[16] = "";

    work_put("loops.c", loops);
    tool((const char *const[]){"gcc", "-O1", "-c", "-o", "member.o", "loops.c", NULL});
    tool((const char *const[]){"ar", "rcT", "thin.a", "member.o", NULL});
    assert_int_equal(unlink(work_path("member.o")), 0);
    assert_int_equal(mkfifo(work_path("member.o"), 0600), 0);
    int pipe = open(work_path("member.o"), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    assert_int_equal(write(pipe, "\177ELF", 4), 4);
    assert_int_equal(fate_of(list_thin), 0);
    assert_int_equal(read(pipe, held, sizeof held - 1), 4);
    close(pipe);
    /* The member is a pipe without a writer. */
    assert_int_equal(fate_of(list_thin), 0);
}

static _Atomic int asked;

/* A clock that advances by a second per call. */
static double each_look_a_second(void)
{
    return (double)atomic_fetch_add(&asked, 1);
}

static void load_linked(void)
{
    struct object o;
    struct err err = {0};
    struct debug_lines lines;

    clock_set_source(each_look_a_second);
    bool ok = object_read(work_path("linked"), OBJECT_FUNCTIONS, &o, &err);
    const struct object_symbol *s = ok ? object_symbol_find(&o, "add_up") : NULL;
    if (!s)
        _exit(3);
    ok = debug_lines_read(&o, s->offset, s->offset + s->size, s->offset, &lines, &err);
    _exit(!ok && err.code == ERR_LIMIT && strstr(err.what, "more than 30 s") &&
                  atomic_load(&asked) < 40 && children_left() == 0
              ? 0
              : 2);
}

/* The debug information is in a pipe, for which libdw would wait, so libdw is not called. */
static void test_libdw_that_waits(void **state)
{
    if (no_libdw())
        return;
    work_put("linked.c",
             "long add_up(const long *a, long n);\nlong add_up(const long *a, long n)\n{\n    long "
             "s = 0;\n    for (long i = 0; i < n; i++)\n        s += a[i];\n    return s;\n}\n"
             "int main(void) { return 0; }\n");
    tool((const char *const[]){"gcc", "-O1", "-g", "-Wl,--build-id=none", "-o", "linked",
                               "linked.c", NULL});
    tool((const char *const[]){"objcopy", "--only-keep-debug", "linked", "linked.debug", NULL});
    tool((const char *const[]){"objcopy", "--strip-debug", "--add-gnu-debuglink=linked.debug",
                               "linked", NULL});
    assert_int_equal(unlink(work_path("linked.debug")), 0);
    assert_int_equal(mkfifo(work_path("linked.debug"), 0600), 0);
    assert_int_equal(fate_of(load_linked), 0);
}

static void load_waiting_archive(void)
{
    struct err err = {0};

    clock_set_source(each_look_a_second);
    const struct kernel *k = kernel_load(work_path("waits.a"), NULL, &err);
    _exit(k && atomic_load(&asked) < 40 && children_left() == 0 ? 0 : 2);
}

/* Only the debug information of the archive's selected member is read, because each read may
 * wait. */
static void test_archive_that_waits(void **state)
{
    if (no_libdw())
        return;
    for (char member[] = "m0.o"; member[1] < '4'; member[1]++) {
        char text[256];
        /* The function's backward jump closes no loop, so the loader continues with the next
         * function. */
        snprintf(text, sizeof text,
                 ".globl f%c\n.type f%c,@function\nf%c:\n testl %%edi,%%edi\n jne 2f\n1: movl "
                 "%%edi,%%eax\n ret\n2: addl $7,%%edi\n jmp 1b\n.size f%c,.-f%c\n",
                 member[1], member[1], member[1], member[1], member[1]);
        work_put("member.s", text);
        tool((const char *const[]){"gcc", "-g", "-c", "-o", member, "member.s", NULL});
        work_put("lies.debug", "nothing\n");
        tool((const char *const[]){"objcopy", "--strip-debug", "--add-gnu-debuglink=lies.debug",
                                   member, NULL});
        tool((const char *const[]){"ar", "rc", "waits.a", member, NULL});
    }
    assert_int_equal(unlink(work_path("lies.debug")), 0);
    assert_int_equal(mkfifo(work_path("lies.debug"), 0600), 0);
    assert_int_equal(fate_of(load_waiting_archive), 0);
}

/* Each row reads one line of the text and no byte more, because unmapped memory follows the
 * text. */
static void test_rows_end_with_their_lines(void **state)
{
    static const char *const texts[] = {"F a.c\nR 0 1\nR 10 2 f\nE 20\n",
                                        "R 3 7 _ZN1v3dotERKS_",
                                        "R 3 7",
                                        "R 3 ",
                                        "R 3",
                                        "E \n",
                                        "R \n",
                                        "E",
                                        "R",
                                        "F",
                                        "F x",
                                        "R 3 99999999999\n",
                                        "E 11112222333344445\n"};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct debug_lines d;
        const size_t length = strlen(texts[i]);
        char *at = pages + page - length;
        memcpy(at, texts[i], length);
        debug_lines_parse(at, length, 0x100, &d);
        assert_int_equal(d.rows.count, i == 0 ? 3 : i < 3);
        if (i == 0) {
            assert_string_equal(d.file, "a.c");
            assert_int_equal(debug_line_at(&d, 0x115)->line, 2);
            assert_string_equal(d.inlined.items[debug_line_at(&d, 0x115)->inlined - 1], "f");
            assert_int_equal(debug_line_at(&d, 0x120)->line, 0);
        }
        debug_lines_done(&d);
    }
    munmap(pages, 2 * page);
}

/* Reads the lines of all units, sorted by address. Ignores rows of missing sections or files, and
 * truncated rows. */
static void test_lines_of_all_units(void **state)
{
    static const char text[] = "S 1 0 9\nF b.c\nS 2 10 7\nS 1 8 3\nF a.c\nS 1 4 2\nS 3 0 1\nS 1 99 "
                               "1\nF b.c\nS 1 20 0\nS 1 2";
    struct object_section sections[] = {{.index = 1, .size = 0x20, .position = 0x100},
                                        {.index = 2, .size = 0x20, .position = 0x200}};
    const struct object o = {.sections = {.items = sections, .count = 2}};
    struct unit_lines d;

    unit_lines_parse(text, sizeof text - 1, &o, &d);
    assert_int_equal(d.rows.count, 4);
    assert_int_equal(d.files.count, 2);
    assert_int_equal(d.rows.items[0].place, 0x104);
    assert_string_equal(d.files.items[d.rows.items[0].file], "a.c");
    assert_int_equal(d.rows.items[1].line, 3);
    assert_string_equal(d.files.items[d.rows.items[1].file], "b.c");
    assert_int_equal(d.rows.items[2].line, 0);
    assert_int_equal(d.rows.items[3].place, 0x210);
    assert_int_equal(unit_lines_from(&d, 0x104), 0);
    assert_int_equal(unit_lines_from(&d, 0x105), 1);
    assert_int_equal(unit_lines_from(&d, 0x211), 4);
    unit_lines_done(&d);
}

/* Parses @count rows, of which two each have the same name. */
static void parse_rows(size_t count)
{
    struct str text = {0};
    struct debug_lines d;

    for (size_t i = 0; i < count; i++)
        str_addf(&text, "R %zx %zu f%zu\n", 4 * i, i, i % (count / 2));
    debug_lines_parse(str_text(&text), text.length, 0, &d);
    assert_int_equal(d.rows.count, count);
    assert_int_equal(d.inlined.count, count / 2);
    assert_string_equal(d.inlined.items[d.rows.items[count - 1].inlined - 1],
                        d.inlined.items[count / 2 - 1]);
    debug_lines_done(&d);
    str_done(&text);
}

static void test_many_rows(void **state)
{
    assert_grows(parse_rows, 20000);
}

static _Atomic size_t allocations;

static bool count_allocations(size_t size)
{
    atomic_fetch_add(&allocations, 1);
    return false;
}

/* For a source of millions of lines, lines are not allocated one by one, and the limit of lines
 * applies. */
static void test_source_of_many_lines(void **state)
{
    if (no_libdw())
        return;
    struct str text = {0};
    struct err err = {0};

    work_put("many.c", loops);
    tool((const char *const[]){"gcc", "-O1", "-g", "-c", "many.c", NULL});
    struct kernel *k = load("many.o", NULL, &err);
    if (!k)
        fail_msg("%s", err.what);
    assert_int_equal(k->origin_text_count, 7);
    assert_string_equal(k->origin_texts[4], "        s += a[i] * 3;");
    kernel_free(k);
    str_add(&text, loops);
    for (size_t i = 0; i < 3000000; i++)
        str_add(&text, i % 2 ? "\n" : "x\r\n");
    work_put("many.c", str_text(&text));
    str_done(&text);
    mem_fault = count_allocations;
    k = load("many.o", NULL, &err);
    mem_fault = NULL;
    assert_non_null(k);
    assert_int_equal(k->origin_text_count, 7);   /* The other lines belong to no instruction. */
    assert_true(atomic_load(&allocations) < 20000);
    kernel_free(k);
}

/* A file is not trusted because a line table names it. Only files next to the object, within the
 * working directory, or in directories that the user permitted are read, and only sources of the
 * code. */
static void test_whose_source(void **state)
{
    static const struct { const char *source, *path; bool read;
    } tries[] = {
        {"away/secret", NULL, false},
        {"away/secret", "@/none:@/away", true},
        {"away/secret", "@/other", false},
        {"home/inside.c", NULL, true},
        {"home/.hidden/secret", NULL, false},
        {"away/.hidden/other", "@/away", false},
        {"away/.hidden/other", "@/away/.hidden", true},
        {"home/link.c", NULL, false},
        {"home/../away/secret", NULL, false},
        {"away/secret", "/", false},
    };
    static const char secret[] =
        "first secret\nsecond secret\nlong f(const long *a, long n) { long s = 0; for (long i = 0; "
        "i < n; i++) s += a[i] * 3; return s; }\nlast secret\n";
    struct err err = {0};

    if (no_libdw())
        return;
    assert_true(path_make_parents(work_path("away/.hidden/x"), 0700, &err) &&
                path_make_parents(work_path("home/.hidden/x"), 0700, &err) &&
                path_make_parents(work_path("other/x"), 0700, &err));
    work_put("away/secret", secret);
    work_put("away/.hidden/other", secret);
    work_put("home/inside.c", secret);
    work_put("home/.hidden/secret", secret);
    assert_return_code(symlink(work_path("away/secret"), work_path("home/link.c")), 0);
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        struct str text = {0}, path = {0};
        str_addf(&text,
                 "# 3 \"%s\"\nlong f(const long *a, long n) { long s = 0; for (long i = 0; i < n; "
                 "i++) s += a[i] * 3; return s; }\n",
                 work_path(tries[i].source));
        work_put("f.c", str_text(&text));
        tool((const char *const[]){"gcc", "-O1", "-g", "-c", "f.c", "-o", "home/f.o", NULL});
        if (tries[i].path)
            work_expand(tries[i].path, &path);
        const struct kernel_options options = {.source_path =
                                                   tries[i].path ? str_text(&path) : NULL};
        struct kernel *k = kernel_load(work_path("home/f.o"), &options, &err);
        if (!k)
            fail_msg("%s", err.what);
        if (tries[i].read != (k->origin_text_count == 3))
            fail_msg("%s with %s: %zu lines", tries[i].source,
                     tries[i].path ? tries[i].path : "no path", k->origin_text_count);
        for (size_t l = 0; l < k->origin_text_count; l++)
            assert_null(strstr(k->origin_texts[l], "secret"));
        kernel_free(k);
        str_done(&text);
        str_done(&path);
    }
}

/* GNU C, Ada, Fortran and Pascal have nested functions. */
static void test_function_within_a_function(void **state)
{
    if (no_libdw())
        return;
    struct err err = {0};
    bool inlined = false;

    work_put(
        "nested.c",
        "static inline __attribute__((always_inline)) long times_five(long x) { return x * 5; "
        "}\nlong outer(const long *a, long n);\nlong outer(const long *a, long n)\n{\n"
        "    __attribute__((noinline)) long inner(long m)\n    {\n        long s = 0;\n        for "
        "(long i = 0; i < m; i++)\n            s += times_five(a[i]);\n        return s;\n    }\n"
        "    return inner(n) + inner(n / 2);\n}\n");
    tool((const char *const[]){"gcc", "-O1", "-g", "-c", "nested.c", NULL});
    struct kernel *k = kernel_load(work_path("nested.o"), NULL, &err);
    if (!k)
        fail_msg("%s", err.what);
    for (size_t i = k->loops[0].first; i < k->loops[0].first + k->loops[0].count; i++) {
        const char *name = kernel_inlined(k, &k->insns[i]);
        inlined |= name && strcmp(name, "times_five") == 0;
    }
    assert_true(inlined);
    kernel_free(k);
}

static const char *shrinking;

/* Called after some progress. Truncates the file, like another process may do. */
static bool shrink(void *state)
{
    assert_int_equal(truncate(shrinking, 100), 0);
    return false;
}

static void test_archive_that_shrinks(void **state)
{
    struct archive a;
    struct err err = {0};

    work_put("loops.c", loops);
    tool((const char *const[]){"gcc", "-O1", "-c", "-o", "one.o", "loops.c", NULL});
    tool((const char *const[]){"ar", "rc", "lib.a", "one.o", NULL});
    assert_true(archive_read(work_path("lib.a"), &a, &err));
    assert_int_equal(a.members.count, 1);
    archive_done(&a);
    shrinking = work_path("lib.a");
    struct watch before = watch_begin(shrink, NULL);
    assert_false(archive_read(shrinking, &a, &err));
    watch_restore(before);
    assert_non_null(strstr(err.what, "truncated"));
    archive_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pipe_as_source),
                                       cmocka_unit_test(test_pipe_as_member),
                                       cmocka_unit_test(test_libdw_that_waits),
                                       cmocka_unit_test(test_archive_that_waits),
                                       cmocka_unit_test(test_rows_end_with_their_lines),
                                       cmocka_unit_test(test_lines_of_all_units),
                                       cmocka_unit_test(test_many_rows),
                                       cmocka_unit_test(test_source_of_many_lines),
                                       cmocka_unit_test(test_whose_source),
                                       cmocka_unit_test(test_function_within_a_function),
                                       cmocka_unit_test(test_archive_that_shrinks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
