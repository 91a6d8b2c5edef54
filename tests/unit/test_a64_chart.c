/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine chart of a simulated AArch64 CPU, on any processor. The charted machine has instruction
 * set AArch64, and predicts blocks outside of the chart. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "cmd/command.h"
#include "cmd/session.h"
#include "../support/support.h"

#define NEAR 0.05   /* largest mean relative error of blocks */

static void run(struct session *s, const char *line, struct str *out)
{
    struct err err = {0};

    if (!run_line(s, line, out, &err))
        fail_msg("%s: %s", line, err.what);
}

static void test_chart(void **state)
{
    struct str out = {0}, line = {0};
    struct session s;

    str_addf(&line, "machine chart small --simulate '%s/' --seed 1",
             source_path("tests/data/chart-cpu-a64"));
    setenv("XDG_DATA_HOME", work_path("data"), 1);
    setenv("XDG_STATE_HOME", work_path("state"), 1);
    session_init(&s);
    run(&s, "set format json", NULL);
    run(&s, str_text(&line), &out);
    json_t *chart = json_loads(str_text(&out), 0, NULL);
    assert_non_null(chart);
    /* Blocks consist of charted forms, drawn by their frequency in programs of this instruction
     * set. */
    assert_true(json_integer_value(json_object_get(chart, "review_blocks")) > 500);
    assert_int_equal(json_integer_value(json_object_get(chart, "review_covered")),
                     json_integer_value(json_object_get(chart, "review_blocks")));
    assert_true(json_number_value(json_object_get(chart, "review_error")) < NEAR);
    json_decref(chart);
    session_done(&s);

    /* After reloading, the machine analyses a kernel of its instruction set. Its chain takes 5
     * cycles of the load and 1 of the addition, regardless of the latency of the incremented
     * base. */
    static const char *const chains[] = {"sub x0, x0, x1\nldr x2, [x2]\nadd x2, x2, x3\n",
                                         "ldr x2, [x1, #8]!\nadd x1, x2, x3\n"};
    struct machine *m = load_machine("small");
    assert_string_equal(m->isa, "aarch64");
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        struct kernel *k =
            kernel_with(chains[i], &(struct kernel_options){.isa_given = true, .isa = ISA_AARCH64});
        struct analysis *a = analysis_new(k, 0, m);
        assert_false(a->lower_bound);
        assert_true(fabs(a->cycles - 6) < 0.01);
        analysis_free(a);
        kernel_free(k);
    }
    machine_free(m);
    str_done(&out);
    str_done(&line);
}

/* A new mapping, made by hand or inferred, has the session's current instruction set. */
static void test_new_mappings(void **state)
{
    struct session s;
    struct err err = {0};

    session_init(&s);
    run(&s, "set machine cortex-a72; mapping new 2 drawn", NULL);
    assert_string_equal(session_machine(&s, "drawn", &err)->isa, "aarch64");
    run(&s, "set machine skylake; mapping new 2 other", NULL);
    assert_string_equal(session_machine(&s, "other", &err)->isa, "x86-64");
    session_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chart),
                                       cmocka_unit_test(test_new_mappings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
