/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a virtual EPYC Turin (Zen 5) took for loads of what was just stored and for groups at rename, and the bounds of the charted machine, with its facts and without. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

static void assert_near(const char *what, const char *hex, double cycles, double expected, double within)
{
    if (!(fabs(cycles - expected) <= within * expected))
        fail_msg("%s of %s: %.3f instead of %.3f", what, hex, cycles, expected);
}

static void test_what_rename_finds(void **state)
{
    struct machine *m = load_machine("zen5-charted"), *text = load_machine("zen5-charted");

    (void)state;
    machine_drop_fact(text, "memory_renaming_length");
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        assert_near("the bound", blocks[i].hex, predicted_cycles(m, blocks[i].hex, false), blocks[i].measured, blocks[i].measured < 2 ? WITHIN_SLOTS : WITHIN);
        assert_near("the bound by text", blocks[i].hex, predicted_cycles(text, blocks[i].hex, false), blocks[i].without, WITHIN);
    }
    machine_free(m);
    machine_free(text);
}

#define NOP "660f1f440000"   /* of six bytes, as dense as the µop cache delivers eight a cycle */
#define NOP4 NOP NOP NOP NOP
#define LOAD "448b8300020000"   /* mov r8d,[rbx+512] */
#define XCHG "4d87f0"        /* xchg r8,r14: two slots */

/* An instruction and nops, copies in a row: cycles as measured, and without the facts: slots by eight. */
static const struct {
    const char *hex;
    double measured;
    unsigned slots;
} groups[] = {
    {LOAD NOP NOP, 0.400, 3},              /* eight, seven, and again */
    {LOAD NOP4, 0.667, 5},
    {LOAD NOP4 NOP, 0.750, 6},             /* always at an even place */
    {LOAD NOP4 NOP NOP, 1.000, 7},
    {LOAD NOP4 NOP4, 1.145, 9},
    {LOAD LOAD NOP NOP NOP, 0.667, 5},
    {LOAD NOP4 NOP4 NOP NOP, 1.400, 11},
    {"4189b300020000" NOP4 NOP NOP, 1.000, 7},       /* mov [rbx+512],esi */
    {"48ffc6" NOP4 NOP NOP, 1.000, 7},               /* inc rsi: a chain of one cycle, whatever the slots */
    {"c4c1797ef8" NOP4 NOP NOP, 1.000, 7},           /* vmovd r8d,xmm7 */
    {"c5f92ef7" NOP4 NOP4, 1.334, 10},               /* vucomisd xmm6,xmm7 */
    {XCHG NOP4 NOP, 1.000, 7},
    {XCHG NOP4 NOP NOP, 1.000, 8},
    {XCHG NOP4 NOP NOP NOP, 1.143, 9},
    {XCHG NOP4 NOP4, 1.252, 10},
};

static void test_groups(void **state)
{
    struct machine *m = load_machine("zen5-charted"), *other = load_machine("zen5-charted");

    (void)state;
    machine_drop_fact(other, "group_not_last");
    machine_drop_fact(other, "group_whole");
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        assert_near("the bound", groups[i].hex, predicted_cycles(m, groups[i].hex, false), groups[i].measured, WITHIN);
        assert_near("simulated", groups[i].hex, predicted_cycles(m, groups[i].hex, true), groups[i].measured, WITHIN);
        assert_near("the bound without", groups[i].hex, predicted_cycles(other, groups[i].hex, false), fmax(groups[i].slots / 8.0, i == 8), WITHIN);
    }
    machine_free(m);
    machine_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_rename_finds), cmocka_unit_test(test_groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
