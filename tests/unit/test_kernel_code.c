/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How kernels of both sets become the code that is run; nothing runs here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/a64_decode.h"
#include "measure/kernel_code.h"
#include "measure/sandbox.h"

static size_t decode(const uint32_t *words, size_t count, struct insn *out)
{
    for (size_t i = 0; i < count; i++)
        assert_true(a64_decode((const uint8_t *)&words[i], 4, 4 * i, false, &out[i], NULL));
    return count;
}

/* Every kind of closing branch leads to the next instruction and stays what it was. */
static void test_a64_branches(void **state)
{
    static const struct { uint32_t word; const char *mnemonic; } cases[] = {
        {0x54ffffa1, "b.ne"}, {0x5400010b, "b.lt"}, {0xb5ffff63, "cbnz"}, {0x34000065, "cbz"}, {0x3707ffc2, "tbnz"}, {0xb6f80047, "tbz"}, {0x17fffff9, "b"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct insn insns[2], again;
        uint8_t out[64] = {0};
        size_t n = decode((const uint32_t[]){0x8b010000, cases[i].word}, 2, insns);
        assert_string_equal(insns[1].mnemonic, cases[i].mnemonic);
        assert_null(kernel_refused_anywhere(insns, n));
        assert_int_equal(kernel_emit(insns, n, 0x1000, out, 8), 8);
        assert_memory_equal(out + 8, insns[0].bytes, 4);
        assert_true(a64_decode(out + 12, 4, 12, false, &again, NULL));
        assert_string_equal(again.mnemonic, insns[1].mnemonic);
        assert_int_equal(again.operand_count, insns[1].operand_count);
        bool led = false;
        for (unsigned k = 0; k < again.operand_count; k++) {
            const struct operand *op = &again.operands[k], *was = &insns[1].operands[k];
            if (op->kind == OPERAND_RELATIVE)
                led = op->displacement == 16;
            else
                assert_true(op->kind == was->kind && op->reg == was->reg && op->immediate == was->immediate);
        }
        if (!led)
            fail_msg("%s does not lead to the next instruction", cases[i].mnemonic);
    }
}

static bool refused(const uint32_t *words, size_t count, const char *part)
{
    struct insn insns[8];
    const char *reason = kernel_refused_anywhere(insns, decode(words, count, insns));
    return reason && strstr(reason, part);
}

static void test_a64_refused(void **state)
{
    (void)state;
    assert_true(refused((const uint32_t[]){0x94000004}, 1, "calls"));
    assert_true(refused((const uint32_t[]){0xd63f0000}, 1, "calls"));
    assert_true(refused((const uint32_t[]){0xd65f03c0}, 1, "returns"));
    assert_true(refused((const uint32_t[]){0xd61f0200}, 1, "indirectly"));
    assert_true(refused((const uint32_t[]){0x54000041, 0xd503201f}, 2, "inside"));
    assert_true(refused((const uint32_t[]){0xd4000001}, 1, "system"));                    /* svc */
    assert_true(refused((const uint32_t[]){0xd53be040}, 1, "system"));                    /* mrs x0, cntvct_el0 */
    assert_true(refused((const uint32_t[]){0xd51bd040}, 1, "system"));                    /* msr tpidr_el0, x0 */
    assert_true(refused((const uint32_t[]){0xd503203f}, 1, "system"));                    /* yield */
    assert_true(refused((const uint32_t[]){0x10000040}, 1, "its own place"));             /* adr */
    assert_true(refused((const uint32_t[]){0x58000040}, 1, "its own place"));             /* ldr x0, .+8 */
    assert_true(refused((const uint32_t[]){0x00000000}, 1, "decoder") || refused((const uint32_t[]){0x00000000}, 1, "system"));
    /* Code of the other set is refused by the CPU that is here, whichever that is. */
    struct insn arm, x86;
    decode((const uint32_t[]){0x8b010000}, 1, &arm);
    assert_true(insn_decode((const uint8_t[]){0x90}, 1, 0, false, &x86, NULL));
    assert_true((kernel_refused(&arm, 1) == NULL) != (kernel_refused(&x86, 1) == NULL));
    assert_non_null(kernel_refused_anywhere(&arm, 0));
}

static void test_counter(void **state)
{
    struct insn insns[12];
    (void)state;
    /* add x0, x0, x1; ldr x30, [x29, x28]: x27 is the highest that is free. */
    size_t n = decode((const uint32_t[]){0x8b010000, 0xf87c6bbe}, 2, insns);
    assert_int_equal(kernel_counter(insns, n), COUNTER_REGISTER + 27);
    /* ldp x0, x1, [x2] ... all thirty-one in pairs: ldp xa, xb, [sp] */
    uint32_t words[12];
    unsigned count = 0;
    for (unsigned reg = 0; reg < 30; reg += 3)
        words[count++] = 0xa9400000u | reg | (reg + 1) << 10 | (reg + 2) << 5;
    n = decode(words, count, insns);
    assert_int_equal(kernel_counter(insns, n), COUNTER_REGISTER + 30);
    words[count++] = 0xf94003fe;   /* ldr x30, [sp] */
    n = decode(words, count, insns);
    assert_int_equal(kernel_counter(insns, n), COUNTER_BODY);
    assert_true(refused(words, 1, "none") == false);
    assert_string_equal(kernel_refused_anywhere(insns, n), "it uses all general registers, and one is needed to count");
    /* x18 only when nothing else is left. */
    words[6] = 0xa9400000u | 20 | 19 << 10 | 20 << 5;
    n = decode(words, count, insns);
    assert_int_equal(kernel_counter(insns, n), COUNTER_REGISTER + 18);
    struct insn x86;
    assert_true(insn_decode((const uint8_t[]){0x90}, 1, 0, false, &x86, NULL));
    assert_int_equal(kernel_counter(&x86, 1), COUNTER_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a64_branches), cmocka_unit_test(test_a64_refused), cmocka_unit_test(test_counter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
