/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Golden Cove: the table against measured single forms, and its rules against answers derived by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "io/experiments_file.h"
#include "model/metrics.h"
#include "throughput/throughput.h"
#include "helpers.h"

/* One in 29 of the forms measured alone on a virtual Emerald Rapids. */
static void test_single_forms(void **state)
{
    char path[1024];
    struct err err = {0};
    const char *source = getenv("PORTOLAN_SRC");
    struct machine *m = load_machine("sapphirerapids");

    (void)state;
    snprintf(path, sizeof path, "%s/tests/data/golden-cove-singles.csv", source ? source : ".");
    struct experiments *t = experiments_load(path, &err);
    if (!t)
        fail_msg("%s: %s", path, err.what);
    assert_true(t->rows.count > 450);
    double *predicted = calloc(t->rows.count, sizeof *predicted);
    for (size_t i = 0; i < t->rows.count; i++) {
        struct experiment e = {0};
        experiments_get(t, i, &e);
        predicted[i] = throughput_of(m->mapping, &e, NULL);
        experiment_done(&e);
    }
    struct accuracy a = metrics_accuracy(t, predicted);
    assert_int_equal(a.n, t->rows.count);
    if (!(a.mape <= 0.05))
        fail_msg("off by %.2f %%", 100 * a.mape);
    free(predicted);
    experiments_free(t);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_single_forms)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
