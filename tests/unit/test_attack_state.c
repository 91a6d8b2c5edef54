/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hostile blocks: remaining state of a block, jumps into the middle of instructions, self-modifying
 * code, and instructions with unusual prefixes. Each ends in time with a reason or a value. The
 * next measurement equals that of a fresh sandbox. x86-64. */
#include <stdio.h>
#include <string.h>

#include "isa/isa.h"
#include "../support/attacks.h"
#include "../support/support.h"

struct attack_case {
    const char *name, *hex;
    enum ending ending;
    const char *after;   /* block measured after the attack; NULL for an addition */
};

#define SQUARE_ROOT "d9e8 d9fa ddd8"              /* fld1; fsqrt; fstp st0 */
#define ADDITION_X87 "d9e8 d8c0 ddd8"
#define MULTIPLICATION "f20f59c1"                 /* mulsd xmm0, xmm1 */
#define SSE_ADDITION "0f58c1"
#define COPY "4889df 4889d6 b940000000 f3a4"      /* rdi = rbx, rsi = rdx; 64 bytes */
#define MISALIGNED "8b4301"                       /* mov eax, [rbx + 1] */
#define PUSH_POP "50 58"

static void run(const struct attack_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        attack(cases[i].name, cases[i].hex, 0, cases[i].ending,
               cases[i].ending == REFUSED ? "" : NULL);
        if (cases[i].after)
            value_as_fresh(cases[i].after, cases[i].name);
        else if (i % 6 == 0)
            next_right(cases[i].name);
    }
}

/* Each run starts with the initial control words, flags, masks, halves of registers and stack
 * pointer, regardless of the previous block. */
static void test_left_behind(void **state)
{
    static const struct attack_case cases[] = {
        {"x87 in single precision", "9bd93c24 662524fcff d92c24 66c704247f00 d92c24", ANY,
         SQUARE_ROOT},
        {"x87 exceptions unmasked", "66c704244003 d92c24", ANY, ADDITION_X87},
        {"an x87 exception pending", "66c704244003 d92c24 d9e8 d9ee def9", ANY, ADDITION_X87},
        {"the x87 stack full", "d9e8 d9e8 d9e8 d9e8 d9e8 d9e8 d9e8 d9e8", ANY, ADDITION_X87},
        {"the x87 stack turned", "d9f6 d9f6 d9f7", ANY, ADDITION_X87},
        {"MMX without its end", "0fefc0 0f6ec3", ANY, ADDITION_X87},
        {"x87's environment from memory", "d92424 d9e8", ANY, ADDITION_X87},
        {"all of x87 from memory", "dd2424", ANY, ADDITION_X87},
        {"flush to zero, denormals are zero", "c70424c09f0000 0fae1424", ANY, MULTIPLICATION},
        {"rounding down", "c70424803f0000 0fae1424", ANY, SSE_ADDITION},
        {"SSE exceptions unmasked", "c7042400000000 0fae1424", ANY, "0f5ec1"},
        {"reserved bits of MXCSR", "c70424ffffffff 0fae1424", ANY, SSE_ADDITION},
        {"upper halves dirty", "c5fd76c0 c5f576c9", ANY, SSE_ADDITION},
        {"512 bits dirty", "62f17d4876c8 62f37d4825c0ff", ANY, SSE_ADDITION},
        {"masks full", "c4e1f845c8", ANY, NULL},
        {"the direction flag", "fd", ANY, COPY},
        {"alignment checks", "9c 810c2400000400 9d", ANY, MISALIGNED},
        {"nested task", "9c 810c2400400000 9d", ANY, NULL},
        {"all flags", "9c 48c70424ffffffff 9d", ANY, NULL},
        {"the identification flag", "9c 810c2400002000 9d", ANY, NULL},
        {"interrupts off by popf", "9c 812424fffdffff 9d", ANY, NULL},
        {"the stack pointer odd", "48ffc4", ANY, PUSH_POP},
        {"the stack pointer odd, used", "48ffc4 50 58", ANY, PUSH_POP},
        {"the stack pointer zero", "31e4", ANY, PUSH_POP},
        {"the stack pointer not canonical", "48bc0000000000000080 50", ANY, PUSH_POP},
        {"the stack pointer in the kernel", "48bc000080ffffffffff", ANY, PUSH_POP},
        {"the stack pointer exchanged", "4894", ANY, PUSH_POP},
        {"the stack pointer popped", "5c", ANY, PUSH_POP},
        {"leave", "c9", ANY, PUSH_POP},
        {"the frame pointer far away", "48bd0000000000000080 c9", ANY, PUSH_POP},
        {"the stack where the data are", "488d2500000000 50", ANY, PUSH_POP},
    };
    run(cases, sizeof cases / sizeof *cases);
}

/* Stores to the running instruction, the next one, and those of adjacent copies, with every kind of
 * store. */
static void test_changing_itself(void **state)
{
    static const struct attack_case cases[] = {
        {"its own immediate", "c605ffffffff90", ANY, NULL},
        {"the next instruction", "c6050000000090 90", ANY, NULL},
        {"itself as a whole", "488905f9ffffff", ANY, NULL},
        {"64 bytes at once", "488d0500000000 660f38f803", ANY, NULL},
        {"a vector behind it", "c5fe7f0500000000", ANY, NULL},
        {"a streaming vector", "c5fde70500000000", ANY, NULL},
        {"x87 all of it", "dd3500000000", ANY, NULL},
        {"x87's environment", "d93500000000", ANY, NULL},
        {"an exchange", "48870500000000", ANY, NULL},
        {"a locked exchange of 16 bytes", "f0480fc70d00000000", ANY, NULL},
        {"an addition", "f048010500000000", ANY, NULL},
        {"flushes of code", "0fae3d00000000", ANY, NULL},
        {"code asked for to be written", "0f0d0d00000000", ANY, NULL},
        {"strings over the code", "488d3d00000000 b900010000 f348ab", ANY, NULL},
        {"strings over the code, backwards", "488d3d00100000 fd b900010000 f3aa fc", ANY, NULL},
        {"a scatter", "c4e2f9180500000000 c5f146c9 62f27d49a00508000000", ANY, NULL},
        {"a masked store", "488d3d00000000 660fefc0 660ff7c0", ANY, NULL},
        {"pushes from the data down", "488d2500000000 5050505050505050", ANY, NULL},
    };
    run(cases, sizeof cases / sizeof *cases);
    next_right("changing itself");
}

/* Tries branches into the middle of instructions, whose bytes then decode differently, branches out
 * of the block, and bytes that only look like a branch. */
static void test_other_readings(void **state)
{
    static const struct attack_case cases[] = {
        {"into an immediate", "b80f050000 75fa", ANY, NULL},
        {"into a longer immediate", "48b80f05909090909090 75f6", ANY, NULL},
        {"into a displacement", "488b800f050000 75f9", ANY, NULL},
        {"into a long nop", "0f1f840f05000000 75f9", ANY, NULL},
        {"behind the block", "4801d8 7510", ANY, NULL},
        {"far behind the block", "4801d8 0f8500000040", ANY, NULL},
        {"far before the block", "4801d8 0f85000000c0", ANY, NULL},
        {"to the next one", "4801d8 7500", ANY, NULL},
        {"into itself", "4801d8 75ff", ANY, NULL},
        {"a distance of 16 bits", "4801d8 660f85fbff", REFUSED, NULL},
        {"an indirect one without tracking", "3effe0", REFUSED, NULL},
        {"an indirect one through memory", "ff2500000000", REFUSED, NULL},
        {"a far one", "48ff2c24", REFUSED, NULL},
        {"a call through memory", "ff1500000000", REFUSED, NULL},
        {"a return of some bytes", "c20800", REFUSED, NULL},
        {"a far return", "48cb", REFUSED, NULL},
        {"a return from an interrupt", "48cf", REFUSED, NULL},
        {"begin of a transaction", "c7f800000000 4801d8", REFUSED, NULL},
        {"end of one", "c6f800", REFUSED, NULL},
        {"a loop without end", "48c7c1ffffffff e2fe", ANY, NULL},
        {"a loop of 32 bits", "83c9ff 67e2fd", ANY, NULL},
        {"rep before what is no string", "f34801d8", ANY, NULL},
        {"lock before what it cannot be", "f04801d8", REFUSED, NULL},
        {"elided locks", "f2f0480103 f3f0480103", ANY, NULL},
        {"a lock over two lines", "f04801433d", ANY, NULL},
        {"a lock over two pages", "f04801 83fd0f0000", ANY, NULL},
        {"fifteen bytes", "2e2e2e2e2e2e2e2e2e2e2e2e4801d8", ANY, NULL},
        {"sixteen bytes", "2e2e2e2e2e2e2e2e2e2e2e2e2e4801d8", REFUSED, NULL},
        {"strings of 2^32 with addresses of 32 bits", "83c9ff 67f3aa", ANY, NULL},
        {"strings of 2^63", "48b9ffffffffffffff7f f3a4", ANY, NULL},
        {"scans of 2^63", "48b9ffffffffffffff7f f348af", ANY, NULL},
        {"comparisons of 2^63", "48b9ffffffffffffff7f 4889fe f3a6", ANY, NULL},
    };
    run(cases, sizeof cases / sizeof *cases);
    next_right("other readings");
}

/* With prefix 66, 0fae /6 is clwb, which is permitted. */
static bool becomes_another(const char *prefix, const char *instruction)
{
    return strncmp(prefix, "66", 2) == 0 && strcmp(instruction, "0fae3424") == 0;
}

/* Tries system calls, system registers and clocks, with prefixes that decoders may ignore. */
static void test_in_disguise(void **state)
{
    static const char *const instructions[] = {
        "0f05",     "0f34",     "0f07",     "0f35",     "cd80",     "cd01",     "f1",
        "0f31",     "0f33",     "0f01f9",   "0fa2",     "0f01d0",   "0f01ef",   "0f01ee",
        "0f01f8",   "0f00c8",   "0f00c0",   "0f01e0",   "0fae2424", "0fae2c24", "0fae3424",
        "0fc72424", "0fc72c24", "0fc71c24", "0fae0424", "0fae0c24", "0f02c0",   "0f03c0",
        "0f00e0",   "8ee0",     "8ee8",     "0fa1",     "0fa9",     "0fa0",     "0fb20424",
        "0fb40424", "0f01c8",   "0f01c9",   "0f01fa",   "0f01fb"};
    static const char *const prefixes[] = {"",   "48", "66", "f3", "f2",
                                           "2e", "65", "67", "4f", "6648"};
    static const char *const others[] = {
        "f3480faec0",   "f3480faec8", "f3480faed0", "f3480faed8", "f30faef0",
        "f20faef0",     "660faef0",   "f30faee3",   "f30f01ec",   "f30f01ef",
        "f30f01ed",     "c4e27b49c0", "c4e27849c0", "f30f38dcc1", "f30f38d8c1",
        "f30f1b03",     "f30f1ec8",   "f3480f1ec8", "f30f01e8",   "480f38f603",
        "66480f38f503", "f30fc7f8",   "480fc7f8",   "480fc7f0",   "660fc7f0"};
    char hex[64];
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
        for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++) {
            snprintf(hex, sizeof hex, "4801d8 %s%s 4801d8", prefixes[p], instructions[i]);
            attack(hex, hex, 0, becomes_another(prefixes[p], instructions[i]) ? ANY : REFUSED, "");
        }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(hex, sizeof hex, "4801d8 %s 4801d8", others[i]);
        attack(hex, hex, 0, REFUSED, "");
    }
    next_right("in disguise");
}

static void test_values(void **state)
{
    print_message("%u of %u next measurements had a value, all of them within 1 %%\n", values_had,
                  values_asked);
    assert_true(values_asked >= 20);
    if (2 * values_had <= values_asked) {
        print_message("this host is hardly ever quiet: too few to say anything\n");
        skip();
    }
}

static void test_elsewhere(void **state)
{
    print_message("x86-64 machine code is not tried here\n");
}

int main(void)
{
    const struct CMUnitTest others[] = {cmocka_unit_test(test_elsewhere)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_left_behind), cmocka_unit_test(test_changing_itself),
        cmocka_unit_test(test_other_readings), cmocka_unit_test(test_in_disguise),
        cmocka_unit_test(test_values)};
    if (!attacks_possible())
        return cmocka_run_group_tests(others, NULL, NULL);
    return cmocka_run_group_tests_name("attack_state", tests, attacks_begin, attacks_end);
}
