/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text that is pasted or typed as the kernel, and its correction. */
#include <locale.h>
#include <string.h>

#include "view/frame.h"
#include "../support/screens.h"
#include "../support/support.h"

static void test_collect(void **state)
{
    const char *prefill;

    frame_run(&frame, "kernel paste");
    assert_true(frame.collecting);
    assert_true(screen_holds("Ctrl-D loads it"));
    press("x:\r imul %rax, %rbx\r jmp x\r");
    assert_true(screen_holds("imul %rax, %rbx"));
    frame_key(&frame, 4, &prefill);
    assert_false(frame.collecting);
    assert_non_null(session.document.kernel);
    assert_true(screen_holds("IMUL (R64, R64)"));
    frame_run(&frame, "kernel paste");
    frame_key(&frame, KEYCODE_ESCAPE, &prefill);
    assert_false(frame.collecting);
    static const char garbage[] = "\001\002 this is \377 no assembler\n%%%\n";
    frame_paste(&frame, garbage, sizeof garbage - 1);
    assert_true(frame.failed);
    assert_non_null(session.document.kernel);
    frame_key(&frame, KEYCODE_ESCAPE, &prefill);
}

/* Rejected text is offered for correction. The view shows no outdated kernel. */
static void test_refused_paste(void **state)
{
    static const char text[] = "y:\n\taddq $1, %rcx\n\tjnee y\n";
    const char *prefill;

    load();
    const struct kernel *before = session.document.kernel;
    frame_paste(&frame, text, sizeof text - 1);
    assert_true(frame.collecting);
    assert_true(screen_holds("Not loaded. Ctrl-D tries again"));
    assert_true(screen_holds("no such instruction: `jnee y'"));
    assert_true(screen_holds("   3  jnee y"));
    assert_ptr_equal(session.document.kernel, before);
    frame_key(&frame, KEYCODE_RIGHT, &prefill);
    press("j");   /* The edit adds an error, so the prompt appears again. */
    frame_key(&frame, 4, &prefill);
    assert_true(frame.collecting);
    assert_true(screen_holds("   3  jjnee y"));
    frame_key(&frame, KEYCODE_RIGHT, &prefill);
    frame_key(&frame, KEYCODE_DELETE, &prefill);
    frame_key(&frame, KEYCODE_RIGHT, &prefill);
    frame_key(&frame, KEYCODE_RIGHT, &prefill);
    frame_key(&frame, KEYCODE_DELETE, &prefill);
    frame_key(&frame, 4, &prefill);
    assert_false(frame.collecting);
    assert_true(screen_holds("addq $1, %rcx"));
    assert_int_equal(session.document.kernel->loops[0].count, 2);
    before = session.document.kernel;
    frame_paste(&frame, text, sizeof text - 1);
    frame_key(&frame, KEYCODE_ESCAPE, &prefill);
    assert_true(screen_holds("dropped; the kernel is still pasted"));
    assert_ptr_equal(session.document.kernel, before);
    frame_paste(&frame, text, sizeof text - 1);
    frame_key(&frame, 15, &prefill);
    assert_false(frame.collecting);
    assert_true(screen_holds("1 line skipped"));
    assert_true(session.document.kernel != before);
}

/* A paste while rejected text is offered replaces that text, although no command requested it. */
static void test_paste_over_refused(void **state)
{
    static const char refused[] = "hello world\n", text[] = "y:\n\taddq $1, %rcx\n\tjne y\n";

    load();
    session.paste_command[0] = '\0';
    frame_paste(&frame, refused, sizeof refused - 1);
    assert_true(frame.collecting);
    frame_paste(&frame, text, sizeof text - 1);
    assert_false(frame.collecting);
    assert_true(screen_holds("addq $1, %rcx"));
}

/* The view shows the number of omitted lines of a paste, and the reason for the omission. The
 * samples of a profile are a column. */
static void test_left_out(void **state)
{
    static const char text[] = " Percent |\tSource code & Disassembly of d for cycles\n    0.11 :  "
                               " 112d:   movslq %edi,%rdi\n         : 4    y[i] += a * x[i];\n"
                               "   61.50 :   1146:   addsd  (%rdx,%rax,1),%xmm1\n    0.00 :   "
                               "1157:   jne    1146 <daxpy+0x14>\n";
    const char *prefill;

    frame_paste(&frame, text, sizeof text - 1);
    assert_true(screen_holds("1 line skipped"));
    assert_true(screen_holds("samples"));
    assert_true(screen_holds(" 61.50%"));
    frame_key(&frame, KEYCODE_ENTER, &prefill);
    assert_true(screen_holds("no instruction with an address"));
    assert_true(screen_holds("y[i] += a * x[i];"));
    frame_key(&frame, 'q', &prefill);
}

/* A line after omitted instructions is not a skipped line. */
static void test_gap(void **state)
{
    static const char text[] = "10:\tinc %rcx\n30:\tcmp %rsi,%rcx\n33:\tjne 10\n";

    frame_paste(&frame, text, sizeof text - 1);
    assert_true(screen_holds("instructions omitted before 1 line"));
    assert_false(screen_holds("skipped"));
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_collect, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refused_paste, setup, teardown),
        cmocka_unit_test_setup_teardown(test_paste_over_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_left_out, setup, teardown),
        cmocka_unit_test_setup_teardown(test_gap, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
