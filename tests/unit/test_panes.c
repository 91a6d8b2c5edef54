/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Views beside each other on large screens: what stands where, the focus, moving together, sizes that change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "../support/contents.h"
#include "../support/screens.h"
#include "../support/support.h"

static void draw(unsigned width, unsigned height)
{
    struct str text = {0};

    screen_text(&frame, width, height, false, &text);
    str_done(&text);
}

static bool large_holds(const char *text)
{
    struct str shown = {0};

    screen_text(&frame, 200, 60, false, &shown);
    bool found = strstr(str_text(&shown), text) != NULL;
    str_done(&shown);
    return found;
}

static const char *focused(void)
{
    return views[frame_focus(&frame)]->name;
}

static void test_golden(void **state)
{
    char line[4200];

    (void)state;
    compare(&frame, "empty", 200, 60);
    load();
    press("jj");
    compare(&frame, "kernel", 200, 60);
    session.settings.ascii = true;
    compare(&frame, "kernel-ascii", 200, 60);
    session.settings.ascii = false;
    press("c");   /* machines beside each other take all the width */
    compare(&frame, "kernel-machines", 200, 60);
    press("c");
    frame_run(&frame, "view why");
    compare(&frame, "why", 80, 24);
    frame_run(&frame, "view source");
    compare(&frame, "source", 80, 24);
    snprintf(line, sizeof line, "kernel load %s", source_path("data/kernels/pi-O2.s"));
    frame_run(&frame, line);
    assert_true(large_holds("longest chain"));
}

/* The four stand beside each other at 200 by 60; the timeline fills the empty rows of 120 by 40; at 80 by 24 the kernel has all to itself. */
static void test_sizes(void **state)
{
    (void)state;
    load();
    draw(200, 60);
    assert_int_equal(frame.panes.count, 4);
    draw(120, 40);
    assert_int_equal(frame.panes.count, 2);
    assert_true(screen_holds("iter line"));
    assert_true(screen_holds("dependencies"));
    draw(80, 24);
    assert_int_equal(frame.panes.count, 1);
    frame_run(&frame, "set panes off");
    draw(200, 60);
    assert_int_equal(frame.panes.count, 1);
    frame_run(&frame, "set panes on");
    /* They tile the area at every size: nothing overlaps, nothing is left out. */
    for (unsigned width = 20; width < 260; width += 7)
        for (unsigned height = 6; height < 100; height += 5) {
            unsigned area = 0;
            draw(width, height);
            for (size_t i = 0; i < frame.panes.count; i++)
                area += frame.panes.items[i].width * frame.panes.items[i].height;
            assert_int_equal(area, width * (height - 2));
        }
}

/* Keys go to the pane with the focus; q brings it back; when the screen becomes too small for it, it is the first's. */
static void test_focus(void **state)
{
    const char *prefill;

    (void)state;
    load();
    draw(200, 60);
    assert_string_equal(focused(), "kernel");
    frame_key(&frame, KEYCODE_PANE, &prefill);
    assert_string_equal(focused(), "why");
    frame_run(&frame, "pane source");
    assert_string_equal(focused(), "source");
    assert_true(large_holds("> source"));
    press("q");
    assert_string_equal(focused(), "kernel");
    frame_run(&frame, "pane previous");
    assert_string_equal(focused(), "source");
    draw(80, 24);
    assert_string_equal(focused(), "kernel");
    frame_run(&frame, "pane next");
    assert_true(frame.failed);
    draw(200, 60);
    frame_run(&frame, "pane mapping");
    assert_true(frame.failed);
    frame_click(&frame, 150, 40, 200, 60, &prefill);
    assert_string_equal(focused(), "source");
    press("q");
    assert_false(session.quit);
    /* A size that changes in the middle keeps the focus where its pane stays. */
    frame_run(&frame, "pane timeline");
    draw(120, 40);
    assert_string_equal(focused(), "timeline");
    draw(240, 80);
    assert_string_equal(focused(), "timeline");
    press("2");
    assert_int_equal(frame.current, view_find("timeline"));
    press("q");
    assert_int_equal(frame.current, 0);
}

/* The instruction under the cursor is the same one in all of them. */
static void test_moving_together(void **state)
{
    const char *prefill;

    (void)state;
    load();
    draw(200, 60);
    press("jjj");
    assert_true(large_holds("VFMADD132PD (YMM, YMM, M256)"));
    frame_run(&frame, "pane timeline");
    press("]j");
    assert_int_equal(session.document.row, 4);
    frame_run(&frame, "pane source");
    assert_true(large_holds("VMOVAPD (M256, YMM)"));
    press("j");
    assert_int_equal(session.document.row, 5);
    assert_true(large_holds("ADD (R64, I8)"));
    /* A press on a row of the timeline moves the others, too. */
    struct pane *timeline = &frame.panes.items[2];
    assert_int_equal(timeline->view, view_find("timeline"));
    frame_click(&frame, 4, timeline->y + 1 + 2 + 3, 200, 60, &prefill);
    assert_int_equal(session.document.row, 3);
    frame_run(&frame, "kernel hex 4801d8480fafc3");
    assert_true(large_holds("1/2"));
    assert_int_equal(session.document.row, 0);
}

/* The experiments that the map of accuracy counts stand once: to its right, or where that is too narrow below it. */
static void test_one_of_two_places(void **state)
{
    const char *prefill;

    (void)state;
    add_experiments();
    run_to_end("set machine skylake; view accuracy");
    draw(200, 60);
    assert_int_equal(frame.panes.count, 2);
    assert_true(frame.panes.items[1].x > 0 && frame.panes.items[1].y == 0);
    /* Here each cell of the map has a row of its own. */
    frame_click(&frame, 7, 2, 200, 60, &prefill);
    assert_true(large_holds("measured 0.00-0.14, predicted 4.71-4.86: 0 experiments"));
    draw(120, 40);
    assert_int_equal(frame.panes.count, 2);
    assert_true(frame.panes.items[1].x == 0 && frame.panes.items[1].y > 0);
    draw(80, 24);
    assert_int_equal(frame.panes.count, 1);
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_golden, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sizes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_focus, setup, teardown),
        cmocka_unit_test_setup_teardown(test_moving_together, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_of_two_places, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
