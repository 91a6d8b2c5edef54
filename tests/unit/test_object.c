/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/kernel.h"
#include "base/child.h"
#include "toolchain/object.h"

static const char source[] = ".type f,@function\nf: ret\n.globl g\n.type g,@function\ng: nop\n.L1: dec %eax\njne .L1\nret\n"
                             ".section .other,\"ax\"\nh: nop\n";

static char *assemble_object(char **dir)
{
    const char *argv[] = {"as", "-o", "t.o", NULL};
    struct child_limits limits = {.cpu_seconds = 2, .memory = (size_t)1 << 30, .file_size = 1 << 20, .wall_seconds = 5, .output = 1 << 16};
    struct child_result r;
    struct err err = {0};
    *dir = child_directory_new(&err);
    assert_non_null(*dir);
    assert_true(child_run(argv, *dir, source, strlen(source), &limits, &r, &err));
    assert_int_equal(r.status, 0);
    child_result_done(&r);
    struct str path = {0};
    str_addf(&path, "%s/t.o", *dir);
    return str_take(&path);
}

static void test_sections_symbols_and_kernel(void **state)
{
    (void)state;
    char *dir, *path = assemble_object(&dir);
    struct object o;
    struct err err = {0};
    assert_true(object_read(path, false, &o, &err));
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

static void test_damaged_files(void **state)
{
    (void)state;
    char *dir, *path = assemble_object(&dir);
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
        if (!object_read(path, true, &o, &err))
            assert_int_not_equal(err.code, ERR_NONE);
        object_done(&o);
    }
    free(path);
    child_directory_free(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sections_symbols_and_kernel), cmocka_unit_test(test_damaged_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
