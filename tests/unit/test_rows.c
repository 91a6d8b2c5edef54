/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exports the rows of a view with its filter and order. Views without rows export the last
 * result. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "view/frame.h"
#include "../support/support.h"

static void run(struct frame *f, const char *line)
{
    frame_run(f, line);
    if (f->failed)
        fail_msg("%s: %s", line, str_text(&f->message));
    str_clear(&f->message);
}

static void test_export_of_rows(void **state)
{
    const char *file = work_path("rows.csv");
    char line[80];
    struct session session;
    struct frame frame;
    struct str text = {0};
    snprintf(line, sizeof line, "export %s", file);
    session_init(&session);
    session.interactive = true;
    frame_init(&frame, &session);
    run(&frame, "mapping new 4; mapping set 'ADD (R64, R64)' 1*p0; mapping set 'IMUL (R64, R64)' "
                "3*p1; mapping set 'SUB (R64, R64)' 2*p23");
    run(&frame, "view mapping");
    run(&frame, "filter form~U");
    run(&frame, "sort form");
    run(&frame, line);
    assert_true(file_read(file, 1 << 20, &text, NULL));
    const char *imul = strstr(str_text(&text), "IMUL (R64, R64)"),
               *sub = strstr(str_text(&text), "SUB (R64, R64)");
    if (strstr(str_text(&text), "ADD (") || !imul || !sub || imul > sub)
        fail_msg("%s", str_text(&text));
    assert_true(str_has_prefix(str_text(&text), "form,usage,cycles,latency,confidence,0,1,2,3\n"));
    run(&frame, "sort -form");
    run(&frame, line);
    str_clear(&text);
    assert_true(file_read(file, 1 << 20, &text, NULL));
    assert_true(strstr(str_text(&text), "SUB (") < strstr(str_text(&text), "IMUL ("));
    run(&frame, "machine show znver4");
    run(&frame, "view output");
    run(&frame, line);
    str_clear(&text);
    assert_true(file_read(file, 1 << 20, &text, NULL));
    assert_non_null(strstr(str_text(&text), "issue_width"));
    str_done(&text);
    frame_done(&frame);
    session_done(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_export_of_rows),
    };
    return cmocka_run_group_tests_name("rows", tests, NULL, NULL);
}
