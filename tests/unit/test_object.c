/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/kernel.h"
#include "base/child.h"
#include "base/watch.h"
#include "toolchain/demangle.h"
#include "toolchain/object.h"
#include "../support/support.h"

static const char source[] =
    ".type f,@function\nf: ret\n.globl g\n.type g,@function\ng: nop\n.L1: dec %eax\njne .L1\nret\n"
    ".section .other,\"ax\"\nh: nop\n";

static char *assemble_object(const char *text, char **dir)
{
    const char *argv[] = {"as", "-o", "t.o", NULL};
    struct child_limits limits = {.cpu_seconds = 2,
                                  .memory = (size_t)1 << 30,
                                  .file_size = 1 << 20,
                                  .wall_seconds = 60,
                                  .output = 1 << 16};
    struct child_result r;
    struct err err = {0};
    *dir = child_directory_new(&err);
    assert_non_null(*dir);
    assert_true(child_run(argv, *dir, text, strlen(text), &limits, &r, &err));
    assert_int_equal(r.status, 0);
    child_result_done(&r);
    struct str path = {0};
    str_addf(&path, "%s/t.o", *dir);
    return str_take(&path);
}

static void test_sections_symbols_and_kernel(void **state)
{
    char *dir, *path = assemble_object(source, &dir);
    struct object o;
    struct err err = {0};
    assert_true(object_read(path, 0, &o, &err));
    assert_int_equal(o.sections.count, 2);
    const struct object_symbol *g = object_symbol_find(&o, "g");
    assert_non_null(g);
    assert_int_equal(g->offset, 1);
    assert_true(g->function);
    assert_int_equal(object_symbol_find(&o, "h")->offset, o.sections.items[1].offset);
    assert_null(object_symbol_find(&o, "none"));
    object_done(&o);
    struct kernel_options options = {.symbol = "g"};
    struct kernel *k = kernel_load(path, &options, &err);
    assert_non_null(k);
    assert_int_equal(k->loops[0].count, 2);
    kernel_free(k);
    options.symbol = "none";
    assert_null(kernel_load(path, &options, &err));
    free(path);
    child_directory_free(dir);
}

/* A jump for which a linker sets the target closes no loop. Before linking, it jumps to the next
 * instruction. */
static void test_jump_to_a_symbol(void **state)
{
    char *dir, *path = assemble_object(".type f,@function\nf: test %eax, %eax\nje .L2\n"
                                       ".L1: inc %ecx\njmp outside\nnop\n"
                                       ".L2: xor %eax, %eax\njmp .L1\n.size f,.-f\n",
                                       &dir);
    const struct kernel_options options = {.symbol = "f"};
    struct err err = {0};
    struct kernel *k = kernel_load(path, &options, &err);

    if (!k)
        fail_msg("%s", err.what);
    assert_int_equal(k->loop_count, 1);
    assert_int_equal(k->loops[0].depth, 0);
    kernel_free(k);
    free(path);
    child_directory_free(dir);
}

static void test_damaged_files(void **state)
{
    char *dir, *path = assemble_object(source, &dir);
    uint8_t bytes[8192];
    FILE *f = fopen(path, "rb");
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    for (size_t cut = 4; cut < n; cut += 7) {
        f = fopen(path, "wb");
        fwrite(bytes, 1, cut, f);
        fclose(f);
        struct object o;
        struct err err = {0};
        if (!object_read(path, OBJECT_LINES, &o, &err))
            assert_int_not_equal(err.code, ERR_NONE);
        object_done(&o);
    }
    free(path);
    child_directory_free(dir);
}

/* Links @text to a program without symbols in a new directory, whose path is stored in *@dir.
 * Returns the program's path. */
static char *link_stripped(const char *text, char **dir)
{
    const char *as[] = {"as", "-o", "t.o", NULL},
               *ld[] = {"ld", "-s", "-o", "t", "-e", "start", "t.o", NULL};
    struct child_limits limits = {.cpu_seconds = 10,
                                  .memory = (size_t)1 << 30,
                                  .file_size = 16 << 20,
                                  .wall_seconds = 60,
                                  .output = 1 << 16};
    struct child_result r;
    struct err err = {0};
    struct str path = {0};

    *dir = child_directory_new(&err);
    assert_non_null(*dir);
    assert_true(child_run(as, *dir, text, strlen(text), &limits, &r, &err));
    assert_int_equal(r.status, 0);
    child_result_done(&r);
    assert_true(child_run(ld, *dir, NULL, 0, &limits, &r, &err));
    assert_int_equal(r.status, 0);
    child_result_done(&r);
    str_addf(&path, "%s/t", *dir);
    return str_take(&path);
}

/* Checks that the program of @text has @count functions without names. @places has the offset and
 * the size of each. */
static void expect_functions(const char *text, size_t count, const uint64_t (*places)[2])
{
    char *dir, *path = link_stripped(text, &dir);
    struct object o;
    struct err err = {0};

    assert_true(object_read(path, 0, &o, &err));
    assert_int_equal(o.symbols.count, 0);
    object_done(&o);
    assert_true(object_read(path, OBJECT_FUNCTIONS, &o, &err));
    assert_int_equal(o.symbols.count, count);
    for (size_t i = 0; i < count; i++) {
        const struct object_symbol *s = &o.symbols.items[i];
        struct str name = {0};
        assert_true(s->function && s->nameless);
        assert_int_equal(s->offset, places[i][0]);
        assert_int_equal(s->size, places[i][1]);
        str_addf(&name, "0x%llx", (unsigned long long)object_address(&o, s->offset));
        assert_string_equal(s->name, str_text(&name));
        str_done(&name);
    }
    /* An address within a function selects the function. The loop's label is the function's
     * start. */
    struct kernel_options options = {0};
    struct str inside = {0};
    str_addf(&inside, "0x%llx", (unsigned long long)object_address(&o, places[1][0] + 1));
    options.symbol = str_text(&inside);
    struct kernel *k = kernel_load(path, &options, &err);
    if (!k)
        fail_msg("%s", err.what);
    assert_int_equal(k->loops[0].depth, 1);
    assert_int_equal(strtoull(k->loops[0].label, NULL, 16), object_address(&o, places[1][0]));
    kernel_free(k);
    str_done(&inside);
    object_done(&o);
    free(path);
    child_directory_free(dir);
}

static void test_functions_of_unwind_tables(void **state)
{
    static const char text[] =
        ".globl start\nstart:\n.cfi_startproc\n nop\n nop\n ret\n.cfi_endproc\n"
        "f:\n.cfi_startproc\n dec %eax\n jne f\n ret\n.cfi_endproc\n";
    static const uint64_t places[][2] = {{0, 3}, {3, 5}};
    expect_functions(text, 2, places);
}

static void test_functions_of_calls(void **state)
{
    static const char text[] = ".globl start\nstart:\n call f\n ret\nf:\n dec %eax\n jne f\n ret\n";
    static const uint64_t places[][2] = {{0, 6}, {6, 5}};
    expect_functions(text, 2, places);
}

/* Code of more than a megabyte is mapped instead of copied. The function with the loop is found in
 * it. */
static void test_large_file_is_mapped(void **state)
{
    static const char text[] =
        ".globl start\nstart:\n.cfi_startproc\n ret\n.cfi_endproc\n.skip 1500000, 0x90\n"
        "f:\n.cfi_startproc\n addps %xmm0, %xmm1\n.L1: dec %eax\n jne .L1\n ret\n.cfi_endproc\n";
    char *dir, *path = link_stripped(text, &dir);
    struct object o;
    struct err err = {0};

    assert_true(object_read(path, OBJECT_FUNCTIONS, &o, &err));
    assert_false(o.together);
    assert_non_null(o.file.bytes);
    assert_int_equal(o.length, 1500009);
    object_done(&o);
    struct kernel *k = kernel_load(path, NULL, &err);
    if (!k)
        fail_msg("%s", err.what);
    assert_int_equal(k->loops[0].count, 2);
    assert_true(k->of_many);
    kernel_free(k);
    free(path);
    child_directory_free(dir);
}

static const char *shrinking;
static off_t shrunk;     /* size in bytes of the truncated file */

/* Truncates the program at the first poll for cancellation. */
static bool shrink(void *state)
{
    assert_int_equal(truncate(shrinking, shrunk), 0);
    return false;
}

/* If a mapped file is truncated while it is read, or afterwards, the reader returns an error and
 * the program continues. */
static void test_file_that_shrinks(void **state)
{
    static const char text[] = ".globl start\nstart:\n.cfi_startproc\n ret\n.cfi_endproc\n.skip "
                               "1500000, 0x90\n.L1: dec %eax\n jne .L1\n ret\n";
    char *dir, *path = link_stripped(text, &dir);
    struct object o;
    struct err err = {0};

    assert_true(object_read(path, OBJECT_FUNCTIONS, &o, &err));
    assert_true(object_whole(&o, path, &err));
    uint8_t *last = o.code + o.sections.items[0].offset + o.sections.items[0].size - 1;
    assert_int_equal(*last, 0xc3);
    assert_int_equal(truncate(path, 4096), 0);
    assert_int_equal(*last, 0);
    assert_false(object_whole(&o, path, &err));
    assert_non_null(strstr(err.what, "truncated"));
    object_done(&o);
    free(path);
    child_directory_free(dir);

    path = link_stripped(text, &dir);
    shrinking = path;
    shrunk = 4096;
    struct watch before = watch_begin(shrink, NULL);
    assert_null(kernel_load(path, NULL, &err));
    watch_restore(before);
    assert_non_null(strstr(err.what, "truncated"));
    free(path);
    child_directory_free(dir);
}

/* A truncated file that only loses a part of its last page, which then reads as zeros, is an error
 * as well. */
static void test_file_that_shrinks_little(void **state)
{
    char *dir, *path = link_stripped(".globl start\nstart: ret\n", &dir);
    struct object o;
    struct stat status;
    struct err err = {0};

    assert_int_equal(stat(path, &status), 0);
    shrinking = path;
    shrunk = status.st_size - 8;
    struct watch before = watch_begin(shrink, NULL);
    assert_false(object_read(path, OBJECT_FUNCTIONS, &o, &err));
    watch_restore(before);
    assert_non_null(strstr(err.what, "truncated"));
    object_done(&o);
    free(path);
    child_directory_free(dir);
}

static void test_names_as_programmers_write_them(void **state)
{
    char *text = demangle("_ZN3app5solveILi4EEEvPdi");
    if (!text)
        skip();   /* This program was built without libiberty. */
    assert_string_equal(text, "void app::solve<4>(double*, int)");
    free(text);
    assert_null(demangle("main"));
    assert_true(demangle_matches("_Z5daxpyidPKdPd", "_Z5daxpyidPKdPd"));
    assert_true(demangle_matches("_Z5daxpyidPKdPd", "daxpy(int, double, double const*, double*)"));
    assert_true(demangle_matches("_Z5daxpyidPKdPd", "daxpy"));
    assert_true(demangle_matches("_ZN3app5solveEv", "app::solve"));
    assert_true(demangle_matches("_ZN3app5solveEv", "solve"));
    assert_false(demangle_matches("_ZN3app5solveEv", "app"));
    assert_false(demangle_matches("_ZN3app7resolveEv", "solve"));
    text = demangle("_RNvCs15kBYyAo9fc_7mycrate7example");
    assert_string_equal(text, "mycrate::example");
    free(text);
}

/* Each parameter is a pair of the previous one, so the text doubles. Such a long text is
 * rejected. */
static void test_names_that_double(void **state)
{
    struct str name = {0};

    str_add(&name, "_Z1fSt4pairIiiE");
    for (int i = 0; i < 18; i++) {
        static const char digits[] = "0123456789ABCDEFGHIJ";
        str_addf(&name, "S_IS%c_S%c_E", digits[i], digits[i]);
    }
    assert_null(demangle(str_text(&name)));
    str_clear(&name);
    str_add(&name, "_Z1fSt4pairIiiES_IS0_S0_E");
    char *text = demangle(str_text(&name));
    if (text)   /* This program was built with libiberty. */
        assert_non_null(strstr(
            text, "f(std::pair<int, int>, std::pair<std::pair<int, int>, std::pair<int, int>"));
    free(text);
    str_done(&name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sections_symbols_and_kernel),
                                       cmocka_unit_test(test_jump_to_a_symbol),
                                       cmocka_unit_test(test_damaged_files),
                                       cmocka_unit_test(test_functions_of_unwind_tables),
                                       cmocka_unit_test(test_functions_of_calls),
                                       cmocka_unit_test(test_large_file_is_mapped),
                                       cmocka_unit_test(test_file_that_shrinks),
                                       cmocka_unit_test(test_file_that_shrinks_little),
                                       cmocka_unit_test(test_names_as_programmers_write_them),
                                       cmocka_unit_test(test_names_that_double)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
