/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compare view: selection of the two loops, their values, and the differences. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cmd/comparison.h"
#include "work/job.h"
#include "../support/screens.h"
#include "../support/support.h"

static void load_named(const char *name)
{
    char line[4200];

    snprintf(line, sizeof line, "kernel load %s", source_path(name));
    run_to_end(line);
}

static void test_two_kernels(void **state)
{
    run_to_end("set machine skylake");
    frame_run(&frame, "view compare");
    assert_true(screen_holds("Two loops compared by instruction"));
    load_named("data/kernels/pi-O2.s");
    load_named("data/kernels/pi-O1.s");
    press("d");
    job_wait(0);
    frame_jobs(&frame);
    assert_string_equal(views[frame.current]->name, "compare");
    compare(&frame, "compare", 40, 10);
    compare(&frame, "compare", 80, 24);
    compare(&frame, "compare", 120, 40);
    compare(&frame, "compare", 200, 60);
    session.settings.ascii = true;
    compare(&frame, "compare-ascii", 80, 24);
    session.settings.ascii = false;
    /* Keys [ and ] move between differences. */
    assert_true(screen_holds(" 1/"));
    press("]");
    assert_true(screen_holds(" 3/"));
    press("]");
    assert_true(screen_holds(" 4/") || screen_holds(" 6/"));
    press("[[");
    press("g");
    /* After an edit of the machine's mapping, the comparison is marked until it is repeated. */
    run_to_end("mapping set 'VADDSD (XMM, XMM, XMM)' 2*p01");
    frame_run(&frame, "view compare");
    assert_true(screen_holds("(before the last edit)"));
    run_to_end("kernel compare");
    assert_true(screen_lacks("(before the last edit)"));
    run_to_end("kernel compare 2 --machine skylake --machine znver4");
    assert_true(screen_holds("A  skylake  pi-O1.s"));
    assert_true(screen_holds("B  znver4  pi-O1.s"));
    frame_run(&frame, "kernel compare 2");
    assert_true(frame.failed);
}

/* A single kernel is compared between this machine and the next. */
static void test_alone(void **state)
{
    frame_run(&frame, "kernel compare");
    assert_true(frame.failed);
    run_to_end("set machine skylake,haswell");
    load_named("data/kernels/pi-O2.s");
    run_to_end("kernel compare");
    assert_true(screen_holds("A  skylake  pi-O2.s"));
    assert_true(screen_holds("B  haswell  pi-O2.s"));
    run_to_end("set machine skylake");
    frame_run(&frame, "kernel compare");
    assert_true(frame.failed);
}

/* A kernel that is loaded again replaces its old version, even if another kernel is current. */
static void test_loaded_again(void **state)
{
    const struct shelf *shelf = &session.document.shelf;

    load_named("data/kernels/pi-O2.s");
    const struct kernel *old = kernel_hold(shelf->list.items[0].kernel);
    load_named("data/kernels/pi-O1.s");
    assert_int_equal(shelf->list.count, 2);
    load_named("data/kernels/pi-O2.s");
    assert_int_equal(shelf->list.count, 2);
    assert_int_equal(shelf->at, 0);
    assert_ptr_not_equal(shelf->list.items[0].kernel, old);
    run_to_end("undo");
    assert_ptr_equal(shelf->list.items[0].kernel, old);
    assert_int_equal(shelf->list.count, 2);
    kernel_free(old);
}

/* Each set of flags used to compile a source is a separate version. Compiling with the same flags
 * again replaces the version. */
static void test_flags(void **state)
{
    char line[4200];
    struct err err = {0};
    const char *path = work_path("scale.c");
    static const char text[] =
        "void f(double *a, long n)\n{\n    for (long i = 0; i < n; i++)\n        a[i] *= 2.5;\n}\n";

    if (system("command -v cc >/dev/null 2>&1") != 0)
        skip();
    assert_true(file_write(path, text, sizeof text - 1, &err));
    snprintf(line, sizeof line, "set machine skylake; kernel load %s", path);
    run_to_end(line);
    run_to_end("kernel compile -O3");
    assert_int_equal(session.document.shelf.list.count, 2);
    run_to_end("kernel compare");
    assert_true(screen_holds("A  skylake  scale.c -O2"));
    assert_true(screen_holds("B  skylake  scale.c -O3"));
    run_to_end("kernel reload");
    run_to_end("kernel compile -O2");
    run_to_end("kernel compile -O3");
    assert_int_equal(session.document.shelf.list.count, 2);
    /* Vectorised code executes several source iterations combined. The increments of its accesses
     * reveal the number, and values are per source iteration. */
    run_to_end("kernel compile -O1");
    run_to_end("kernel compile -O3");
    run_to_end("kernel compare 3");
    assert_true(screen_holds("A  skylake  scale.c -O1"));
    assert_true(screen_holds("iterations combined, all values per source iteration"));
    assert_true(session.document.comparison->side[0].times == 1 &&
                session.document.comparison->side[1].times >= 4);
    assert_true(comparison_cycles(session.document.comparison, 1) <
                0.5 * comparison_cycles(session.document.comparison, 0));
    /* At -O0 the loop's counter is in memory and the number is unknown. */
    run_to_end("kernel compile -O0");
    run_to_end("kernel compare 2");
    assert_true(screen_lacks("iterations combined"));
    assert_true(screen_holds("work per iteration may differ"));
}

/* If a machine lacks some instructions, its cycles are a lower bound. No difference is printed,
 * because its sign is unknown. */
static void test_lower_bounds(void **state)
{
    static const char text[] = "v: vaddpd (%rsi,%rax), %zmm1, %zmm2\n vmovupd %zmm2, (%rdi,%rax)\n "
                               "addq $64, %rax\n cmpq %rax, %rdx\n jne v\n";
    const char *path = work_path("wide.s");
    char line[4200];
    struct err err = {0};

    assert_true(file_write(path, text, sizeof text - 1, &err));
    run_to_end("set machine skylake,sapphirerapids");
    snprintf(line, sizeof line, "kernel load %s", path);
    run_to_end(line);
    run_to_end("kernel compare");
    assert_true(screen_holds("B takes 1.00 cycles per iteration, A at least 1.00"));
    assert_true(screen_lacks("(+"));
    assert_true(screen_lacks("+0.00   +0.00"));
    frame_run(&frame, "view kernel");
    press("c");
    assert_true(screen_holds(">=1.00 <"));
    press("c");
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_two_kernels, setup, teardown),
        cmocka_unit_test_setup_teardown(test_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_flags, setup, teardown),
        cmocka_unit_test_setup_teardown(test_loaded_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lower_bounds, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
