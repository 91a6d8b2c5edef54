/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Completion of commands, their options and arguments, from the tables of commands, settings,
 * facts, machines and views. */
#include <string.h>

#include "cmd/complete.h"
#include "../support/screens.h"
#include "../support/support.h"

static void expect_completion(const char *line, const char *candidate, bool there)
{
    struct completions found;
    size_t end = strlen(line), start = end;
    bool seen = false;

    while (start && line[start - 1] != ' ')
        start--;
    complete_line(&session, line, start, end, &found);
    for (size_t i = 0; i < found.items.count; i++)
        seen |= strcmp(found.items.items[i], candidate) == 0;
    if (seen != there)
        fail_msg("\"%s\" %s %s", line, there ? "does not offer" : "offers", candidate);
    vec_free_texts(&found.items);
}

static void test_completion(void **state)
{
    struct completions found;

    expect_completion("", "kernel", true);
    expect_completion("ker", "kernel", true);
    expect_completion("kernel ", "analyze", true);
    expect_completion("kernel a", "analyze", true);
    expect_completion("kernel a", "load", false);
    expect_completion("kernel analyze --", "--machine", true);
    expect_completion("kernel analyze --machine sky", "skylake", true);
    expect_completion("kernel analyze --machine sky", "znver1", false);
    expect_completion("kernel load x.s --syntax ", "intel", true);
    expect_completion("set machine zn", "znver4", true);
    expect_completion("set machine ", "format", false);
    expect_completion("set ", "keep-going", true);
    expect_completion("set ascii ", "off", true);
    for (size_t i = 0; i < view_count(); i++)
        expect_completion("view ", views[i]->name, true);
    expect_completion("view pre", "previous", true);
    expect_completion("set machine sky", "skylake", true);
    /* Completes the columns of the displayed view. */
    frame_run(&frame, "view experiments");
    expect_completion("sort pre", "predicted", true);
    expect_completion("sort fo", "form", false);
    expect_completion("filter fo", "form", true);
    expect_completion("filter cycles>2 & re", "repeats", true);
    frame_run(&frame, "set machine skylake; view mapping");
    expect_completion("sort ", "FPDV", true);
    expect_completion("filter us", "usage", true);
    frame_run(&frame, "view log");
    expect_completion("sort ", "FPDV", false);
    expect_completion("evolve start --issue-width a", "auto", true);
    frame_run(&frame, "mapping new 4 mine");
    expect_completion("mapping use mi", "mine", true);
    expect_completion("help ma", "machine", true);
    expect_completion("help fact issue_w", "issue_width", true);
    expect_completion("help ", "facts", true);
    expect_completion("kernel whatif sched", "scheduler=", true);
    expect_completion("kernel whatif tit", "title=", false);
    expect_completion("jobs; ker", "kernel", true);
    complete_line(&session, "kernel load x", 12, 13, &found);
    assert_true(found.files);
    vec_free_texts(&found.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_completion, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
