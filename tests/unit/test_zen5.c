/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a virtual EPYC Turin (Zen 5) took for loads of what was just stored, and the bounds of the charted machine, with its fact and without. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/analysis.h"
#include "../support/support.h"

#define WITHIN 0.02          /* of a time that is a chain's */
#define WITHIN_SLOTS 0.15    /* of what slots decide */

/* Three NOT behind a load, and so many instructions that only make the block longer. */
#define CHAIN "49f7d049f7d049f7d0"
#define LONGER "4d8d4a01"    /* lea r9,[r10+1] */

static const struct {
    const char *hex;
    double measured, without;   /* cycles, copies in a row; what it would be did rename always go by text */
} blocks[] = {
    {"4c894710" "4c8b4710" CHAIN, 3.00, 3},                                             /* mov [rdi+16],r8; mov r8,[rdi+16] */
    {"48834f1008", 1.00, 1},                                                            /* or qword [rdi+16],8 */
    {"488b7c2408" "48834f1008", 6.99, 8},                                               /* mov rdi,[rsp+8]; or qword [rdi+16],8: six cycles and the operation */
    {"488b7c2408" "48834f1008" LONGER LONGER LONGER, 6.98, 8},
    {"488b7c2408" "4c015f10" LONGER LONGER LONGER LONGER LONGER, 1.14, 8},              /* seven instructions: found */
    {"4989fa" "4c8907" "4d8b02" CHAIN LONGER, 3.00, 10},                                /* mov r10,rdi; mov [rdi],r8; mov r8,[r10]: by another register */
    {"4d89c1" "4989fa" "4c8907" "4d8b02" CHAIN LONGER, 3.00, 10},
    {"4c8907" "440fb607" CHAIN, 10.00, 10},                                             /* movzx r8d,byte [rdi]: never */
    {"448907" "4c6307" "49f7d0", 2.00, 2},                                              /* movsxd r8,dword [rdi], and the extension */
    {"4c8907" "4c0f4907" "49f7d0", 2.00, 2},                                            /* cmovns r8,[rdi] */
    {"4c8907" "4c1307" "49f7d0", 2.00, 2},                                              /* adc r8,[rdi] */
};

static double bound(const struct machine *m, const struct kernel *k)
{
    static const struct block_options as_measured = {.shape = SHAPE_CACHED, .start = START_MEASURED};
    size_t count;
    const struct insn *insns = kernel_insns(k, 0, &count);
    struct block_work *work = block_work_new(m);
    struct bounds bounds;

    bounds_of(work, insns, count, &as_measured, false, &bounds);
    block_work_free(work);
    return bounds.total;
}

static void assert_near(const char *what, const char *hex, double cycles, double expected, double within)
{
    if (!(fabs(cycles - expected) <= within * expected))
        fail_msg("%s of %s: %.3f instead of %.3f", what, hex, cycles, expected);
}

static void test_what_rename_finds(void **state)
{
    struct machine *m = load_machine("zen5-charted"), *text = load_machine("zen5-charted");
    struct err err = {0};

    (void)state;
    machine_drop_fact(text, "renamed_length");
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        struct kernel *k = kernel_from_hex(ISA_X86_64, blocks[i].hex, &err);
        assert_non_null(k);
        assert_near("the bound", blocks[i].hex, bound(m, k), blocks[i].measured, blocks[i].measured < 2 ? WITHIN_SLOTS : WITHIN);
        assert_near("the bound by text", blocks[i].hex, bound(text, k), blocks[i].without, WITHIN);
        kernel_free(k);
    }
    machine_free(m);
    machine_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_rename_finds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
