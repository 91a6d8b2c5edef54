/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every command that writes a file, with each system call failing in turn. The command fails with a
 * message, and the old file is unchanged or completely replaced. No other file remains, and the
 * command works the next time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/failing_calls.h"
#include "../support/support.h"
#include "base/file.h"
#include "base/str.h"
#include "cmd/command.h"

static const struct writing {
    /* @ is the test's directory. The test compares @file in it. */
    const char *command, *file;
} writings[] = {
    {"session save @/session", "session/session.csv"},
    {"session save @/session", "session/experiments.csv"},
    {"mapping save @/machine", "machine/mapping.csv"},
    {"mapping save @/mapping.csv", "mapping.csv"},
    {"mapping export osaca @/machine.yml", "machine.yml"},
    {"mapping export pmevo @/machine.json", "machine.json"},
    {"experiments save @/table.csv", "table.csv"},
    {"experiments save @/table.json", "table.json"},
    {"kernel save @/kernel.s", "kernel.s"},
    {"kernel report @/report.html", "report.html"},
    {"kernel analyze; export @/analysis.csv", "analysis.csv"},
};

static void must_run(struct session *s, const char *pattern)
{
    struct err err = {0};
    struct str line = {0};

    work_expand(pattern, &line);
    if (!run_line(s, str_text(&line), NULL, &err))
        fail_msg("%s: %s %s", pattern, err.file, err.what);
    str_done(&line);
}

static void read_whole(const char *name, struct str *out)
{
    struct err err = {0};
    str_clear(out);
    if (!file_read(work_path(name), 64 << 20, out, &err))
        fail_msg("%s: %s", name, err.what);
}

static bool leftovers(void)
{
    struct str command = {0};
    char found[256] = "";

    work_expand("find @ -name '.portolan-*' -not -name .portolan-change", &command);
    FILE *list = popen(str_text(&command), "r");
    assert_non_null(list);
    bool any = fgets(found, sizeof found, list) != NULL;
    pclose(list);
    str_done(&command);
    return any;
}

static unsigned try_all(struct session *s, const struct writing *w, enum failing how)
{
    struct str line = {0}, old = {0}, whole = {0}, there = {0};
    unsigned positions = 0;

    work_expand(w->command, &line);
    for (bool met = true; met; positions++) {
        struct err err = {0};
        /* A session retains the kernels that were loaded, so each iteration would write more. */
        session_done(s);
        session_init(s);
        /* The second write differs from the first, so that old and new can be distinguished. */
        must_run(s, "mapping use skylake; experiments load @/few.csv; kernel hex 4801d84829c375f8");
        must_run(s, w->command);
        read_whole(w->file, &old);
        must_run(
            s,
            "mapping use haswell; experiments load @/more.csv; kernel hex 4801d84829c34801d875f5");
        failing_calls_set(positions, how);
        bool ok = run_line(s, str_text(&line), NULL, &err);
        met = failing_calls_end();
        if (!ok && (!met || !err.what[0]))
            fail_msg("%s, call %u: \"%s\"", w->command, positions, err.what);
        if (!met)
            break;
        read_whole(w->file, &there);
        must_run(s, w->command);
        read_whole(w->file, &whole);
        if (strcmp(str_text(&there), str_text(&old)) != 0 &&
            strcmp(str_text(&there), str_text(&whole)) != 0)
            fail_msg("%s, call %u: neither the old file nor the new one", w->command, positions);
        if (leftovers())
            fail_msg("%s, call %u: something is left", w->command, positions);
    }
    str_done(&line);
    str_done(&old);
    str_done(&whole);
    str_done(&there);
    return positions;
}

static void test_writings(void **state)
{
    struct session s;
    unsigned positions = 0;

    session_init(&s);
    work_put("few.csv", "experiment,cycles\n\"ADD (R64, R64)\",0.25\n");
    work_put("more.csv", "experiment,cycles\n\"ADD (R64, R64)\",0.25\n\"IMUL (R64, R64)\",1\n");
    for (const struct writing *w = writings; w < writings + sizeof writings / sizeof *writings; w++)
        for (int how = FAIL_ERROR; how <= FAIL_SHORT; how++)
            positions += try_all(&s, w, (enum failing)how);
    print_message("%u calls failed in turn\n", positions);
    assert_true(positions > 100);
    session_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_writings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
