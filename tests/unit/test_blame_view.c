/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel view when measured and predicted times differ, compared with golden screens. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/explained.h"
#include "report/blame.h"
#include "simulate/simulate.h"
#include "../support/screens.h"
#include "../support/support.h"

/* Returns measured costs of a loop for which the model predicts too few cycles. */
static struct blame *costs(const char *machine, size_t count, double predicted)
{
    struct blame *b = mem_zero(1, sizeof *b);

    *b = (struct blame){.machine = mem_strdup(machine),
                        .measured = predicted + 1.2,
                        .spread = 0.002,
                        .predicted = predicted,
                        .count = count,
                        .rows = mem_zero(count, sizeof *b->rows),
                        .worst = 3,
                        .sentence = mem_strdup("line 7 costs 1.20 here, 0 in the model: its load")};
    for (size_t i = 0; i < count; i++)
        b->rows[i].out = (struct blame_cost){.here = i == 3   ? 1.2
                                                     : i == 5 ? NAN
                                                              : 0.1 * (double)i,
                                             .error = 0.02,
                                             .model = i == 3 ? 0 : 0.1 * (double)i};
    return b;
}

/* The view reports that measured and predicted times differ, and later why. */
static void test_golden_of_blame(void **state)
{
    size_t count;

    load();
    run_to_end("set machine skylake,znver4");
    struct analysis *const *a = session_analyses(&session, &count);
    double predicted = fmax(a[0]->cycles, session_simulation(&session, 0)->cycles);
    session.document.kernel_measured = 1.02 * predicted;
    assert_true(screen_lacks("finds the cause"));
    session.document.kernel_measured = predicted + 1.2;
    assert_true(screen_holds("b finds the cause"));
    session.document.blame = costs("skylake", a[0]->count, predicted);
    press("gjjj");
    compare_sizes("kernel-blame");
    assert_true(screen_holds("line 7 costs 1.20 here, 0 in the model"));
    free(session.document.blame->sentence);   /* During the measurement there is no sentence yet. */
    session.document.blame->sentence = NULL;
    session.document.blame->variants = 7;
    assert_true(screen_holds("7 variants measured so far"));
    session.document.blame->sentence = mem_strdup("line 7");
    press("m");   /* Changing the machine discards the result. */
    assert_true(screen_holds("compared with skylake"));
}

/* A path with too many instructions is reported with their number and not measured as a loop. No
 * rarer path replaces it. */
static void test_path_too_long(void **state)
{
    struct explained_loop *x = mem_zero(1, sizeof *x);
    struct str text = {0};

    x->cycles = 900;
    x->low = x->high = x->predicted = NAN;
    for (unsigned i = 0; i < 3; i++)
        vec_push(&x->paths, ((struct explained_path){.share = i == 1 ? 0.6 : 0.2,
                                                     .predicted = NAN,
                                                     .alone = NAN,
                                                     .leaves = i == 0,
                                                     .executed = i == 1 ? 700 : 3}));
    for (unsigned i = 0; i < 3; i++)
        if (i != 1)
            vec_push(&x->paths.items[i].insns, ((struct insn){.length = 1}));
    explained_print(x, &text);
    assert_non_null(strstr(str_text(&text), "60 % of iterations execute 700 instructions"));
    assert_null(explained_main(x));
    vec_push(&x->paths.items[1].insns, ((struct insn){.length = 1}));
    assert_ptr_equal(explained_main(x), &x->paths.items[1]);
    /* Undo preserves the explained loop. */
    struct document now = {.explained = x}, before = {.explained = NULL};
    document_exchange(&now, &before);
    assert_ptr_equal(now.explained, x);
    assert_null(before.explained);
    str_done(&text);
    explained_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_golden_of_blame, setup, teardown),
        cmocka_unit_test(test_path_too_long)};
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
