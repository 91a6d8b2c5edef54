/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs AArch64 code on an AArch64 processor, or under an emulator (docs/aarch64.md), and checks
 * results that do not depend on time. On other processors, skips the test with a message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/support.h"

#if defined(__aarch64__)
#include "analysis/kernel.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "isa/body.h"
#include "isa/cpu.h"
#include "measure/kernel_passes.h"
#include "measure/source.h"
#include "toolchain/assemble.h"

static struct sandbox *sandbox;
static struct forms *forms;

static void raw(unsigned at, const uint32_t *words, size_t count)
{
    uint32_t offset;
    assert_true(sandbox_add(sandbox, (const uint8_t *)words, 4 * count, 1, COUNTER_BODY, &offset));
    sandbox_items(sandbox)[at] = (struct sandbox_item){.mode = SANDBOX_RAW_TICKS,
                                                       .code = PULSE_ITEM,
                                                       .offset = offset,
                                                       .warm = 1,
                                                       .count = 3,
                                                       .samples = 4};
}

static void test_faults(void **state)
{
    static const struct { uint32_t words[4]; size_t count; unsigned fault; } cases[] = {
        {{0xd503201f}, 1, FAULT_NONE},                              /* nop */
        {{0x00000000}, 1, FAULT_ILLEGAL},                           /* udf #0 */
        /* ldr x0, [sp]; mov x1, #0; ldr x2, [x1] */
        {{0xf94003e0 | 31 << 5, 0xd2800001, 0xf9400022}, 3, FAULT_SEGMENT},
        {{0xd4200020}, 1, FAULT_TRAP},                              /* brk #1 */
        {{0x14000000}, 1, FAULT_ENDLESS},                           /* b . */
        {{0x9ac008a0 | 2 << 16}, 1, FAULT_NONE},                    /* udiv x0, x5, x2 */
        /* mov x0, #0; udiv x1, x5, x0: a division by 0 results in 0 by definition */
        {{0xd2800000, 0x9ac008a1}, 2, FAULT_NONE},
        /* mov x0, #0; mov sp, x0; str x1, [sp, #-8]! */
        {{0xd2800000, 0x9100001f, 0xf81f8fe1}, 3, FAULT_SEGMENT},
        /* x19, x20, x29, x30 overwritten */
        {{0xd2800013, 0xaa1303f4, 0xaa1303fd, 0xaa1303fe}, 4, FAULT_NONE},
        {{0x5ac00800 | 18}, 1, FAULT_NONE},                         /* rev w18, w0 */
        /* movi v8.2d, #0; movi v15.2d, #0: registers that belong to the caller */
        {{0x6f00e408, 0x6f00e40f}, 2, FAULT_NONE},
        /* mrs x0, fpcr; msr fpcr, xzr */
        {{0xd53b4400, 0xd51b441f}, 2, FAULT_NONE},
        /* encoding next to msr tpidr_el0, which needs EL1 */
        {{0xd518d041}, 1, FAULT_ILLEGAL},
        {{0xd503201f}, 1, FAULT_NONE},
    };
    const unsigned n = sizeof cases / sizeof *cases;
    struct err err = {0};
    sandbox_clear(sandbox);
    for (unsigned i = 0; i < n; i++)
        raw(i, cases[i].words, cases[i].count);
    double before[2] = {1.5, -2.25};
    volatile double held = before[0] * before[1];
    assert_true(sandbox_run(sandbox, n, NULL, NULL, NULL, &err));
    assert_true(held == before[0] * before[1]);
    for (unsigned i = 0; i < n; i++) {
        const struct sandbox_item *item = &sandbox_items(sandbox)[i];
        if (!item->done || item->fault != cases[i].fault)
            fail_msg("case %u: %s instead of %s", i, sandbox_fault_text(item->fault),
                     sandbox_fault_text(cases[i].fault));
    }
}

/* The filter kills the process on a system call. Emulators have no filter. */
static void test_system_call(void **state)
{
    static const uint32_t getpid_call[] = {0xd2801588, 0xd4000001};   /* mov x8, #172; svc #0 */
    struct err err = {0};
    sandbox_clear(sandbox);
    raw(0, getpid_call, 2);
    assert_true(sandbox_run(sandbox, 1, NULL, NULL, NULL, &err));
    if (sandbox_unfiltered(sandbox))
        print_message("system calls are not filtered by this emulator\n");
    else
        assert_int_equal(sandbox_items(sandbox)[0].fault, FAULT_SYSTEM_CALL);
}

/* The loop executes the requested number of iterations. Its stores reach the end of its memory and
 * fault after a known number of iterations. */
static void test_counts(void **state)
{
    /* add x26, x26, #4, lsl #12; str xzr, [x26]: advances by 16 KiB */
    static const uint32_t step[] = {0x91401000 | 26 << 5 | 26, 0xf900035f};
    struct err err = {0};
    sandbox_clear(sandbox);
    raw(0, step, 2);
    raw(1, step, 2);
    sandbox_items(sandbox)[0].warm = sandbox_items(sandbox)[1].warm = 0;
    sandbox_items(sandbox)[0].count = 3;    /* 52 KiB of 64 */
    sandbox_items(sandbox)[1].count = 4;    /* 68 KiB */
    assert_true(sandbox_run(sandbox, 2, NULL, NULL, NULL, &err));
    assert_int_equal(sandbox_items(sandbox)[0].fault, FAULT_NONE);
    assert_int_equal(sandbox_items(sandbox)[1].fault, FAULT_SEGMENT);
}

/* Each register has its specified value when foreign code starts. The fault address of a load from
 * the register shows the value. */
static void test_registers(void **state)
{
    struct err err = {0};
    uint32_t offset;
    sandbox_clear(sandbox);
    for (unsigned i = 0; i < 64; i++) {
        unsigned counter = i == 28 ? 27 : 28;
        /* ldr xzr, [xi], where the last one uses sp */
        const uint32_t general[] = {0xf940001f | (i & 31) << 5};
        /* fmov x0, di; and x0, x0, #0xffff; ldr xzr, [x0] */
        const uint32_t vector[] = {0x9e660000 | (i & 31) << 5, 0x92403c00, 0xf940001f};
        const uint32_t *words = i < 32 ? general : vector;
        assert_true(sandbox_add(sandbox, (const uint8_t *)words,
                                i < 32 ? sizeof general : sizeof vector, 1,
                                COUNTER_REGISTER + counter, &offset));
        struct sandbox_item *item = &sandbox_items(sandbox)[i];
        *item =
            (struct sandbox_item){.mode = SANDBOX_RAW_TICKS,
                                  .code = PULSE_ITEM,
                                  .offset = offset,
                                  .kernel = true,
                                  .counter = COUNTER_REGISTER + counter,
                                  .warm = 1,
                                  .count = 1,
                                  .samples = 1,
                                  .vectors = i >= 48 && cpu_has("sve") ? SETUP_SVE : SETUP_NEON};
        for (unsigned r = 0; r < 32; r++)
            item->general[r] = 0x1000 + 0x40 * r;
    }
    assert_true(sandbox_run(sandbox, 64, NULL, NULL, NULL, &err));
    for (unsigned i = 0; i < 64; i++) {
        const struct sandbox_item *item = &sandbox_items(sandbox)[i];
        uint64_t expected = i < 32 ? 0x1000 + 0x40 * i : (0x1f25 + 0x100 * (i - 32)) & 0xffff;
        if (item->fault != FAULT_ADDRESS || item->fault_address != expected)
            fail_msg("register %u: %s at 0x%llx instead of 0x%llx", i,
                     sandbox_fault_text(item->fault), (unsigned long long)item->fault_address,
                     (unsigned long long)expected);
    }
}

/* Every form listed for this processor is generated and runs to its end, or the processor raises
 * SIGILL. */
static void test_every_form(void **state)
{
    VEC(const struct form_row *) rows = {0};
    struct err err = {0};
    struct body *b = mem_alloc(sizeof *b);
    const uint32_t one = 1;
    unsigned ran = 0, illegal = 0;
    char why[256];
    for (size_t i = 0; i < forms_count(forms); i++)
        if (!form_measurable(forms_at(forms, i), why, sizeof why))
            vec_push(&rows, forms_at(forms, i));
    if (!encodings_learn(rows.items, rows.count, &err)) {
        print_message("no assembler for AArch64: %s\n", err.what);
        vec_done(&rows);
        free(b);
        return;
    }
    for (size_t next = 0; next < rows.count;) {
        size_t first = next;
        sandbox_clear(sandbox);
        for (unsigned k = 0; k < 192 && next < rows.count; k++, next++) {
            struct form_code *code = encodings_code(rows.items[next], &err);
            uint32_t offset;
            if (!code ||
                !body_make(&code, &one, 1, &(struct body_shape){200, 0, BODY_SPREAD}, b, &err) ||
                !sandbox_add(sandbox, b->code, b->length, 1, COUNTER_BODY, &offset))
                fail_msg("%s: %s", rows.items[next]->form, err.what);
            sandbox_items(sandbox)[k] = (struct sandbox_item){.mode = SANDBOX_RAW_TICKS,
                                                              .code = PULSE_ITEM,
                                                              .offset = offset,
                                                              .vectors = sandbox_setup(b),
                                                              .warm = 1,
                                                              .count = 30,
                                                              .samples = 1};
            form_code_free(code);
        }
        if (!sandbox_run(sandbox, (unsigned)(next - first), NULL, NULL, NULL, &err))
            fail_msg("%s", err.what);
        for (size_t k = first; k < next; k++) {
            const struct sandbox_item *item = &sandbox_items(sandbox)[k - first];
            ran += item->fault == FAULT_NONE;
            illegal += item->fault == FAULT_ILLEGAL;
            if (item->fault == FAULT_ILLEGAL)
                print_message("%s (%s) is not executed here\n", rows.items[k]->form,
                              rows.items[k]->extension);
            else if (item->fault)
                fail_msg("%s: %s at 0x%llx", rows.items[k]->form, sandbox_fault_text(item->fault),
                         (unsigned long long)item->fault_address);
        }
    }
    print_message("%u forms ran, %u of %zu were refused by the processor; vectors of %u bits\n",
                  ran, illegal, rows.count, cpu_vector_bits());
    assert_true(ran > 2000 && illegal < rows.count / 50);
    vec_done(&rows);
    free(b);
}

/* The chains of every form also run. */
static void test_every_chain(void **state)
{
    struct err err = {0};
    struct body *b = mem_alloc(sizeof *b);
    struct chain chains[CHAINS_MAX];
    unsigned ran = 0, illegal = 0, n = 0;
    char why[256];
    sandbox_clear(sandbox);
    for (size_t i = 0; i <= forms_count(forms); i++) {
        bool last = i == forms_count(forms);
        struct form_code *code = last || form_measurable(forms_at(forms, i), why, sizeof why)
                                     ? NULL
                                     : encodings_code(forms_at(forms, i), &err);
        size_t count = code ? chain_list(code, chains) : 0;
        if (n && (last || n + count > 192)) {
            if (!sandbox_run(sandbox, n, NULL, NULL, NULL, &err))
                fail_msg("%s", err.what);
            for (unsigned k = 0; k < n; k++) {
                const struct sandbox_item *item = &sandbox_items(sandbox)[k];
                ran += item->fault == FAULT_NONE;
                illegal += item->fault == FAULT_ILLEGAL;
                if (item->fault != FAULT_NONE && item->fault != FAULT_ILLEGAL)
                    fail_msg("a chain before %s: %s at 0x%llx",
                             last ? "the end" : forms_at(forms, i)->form,
                             sandbox_fault_text(item->fault),
                             (unsigned long long)item->fault_address);
            }
            n = 0;
            sandbox_clear(sandbox);
        }
        for (size_t k = 0; k < count; k++) {
            uint32_t offset;
            if (!chain_make(code, &chains[k], 48, b, &err) ||
                !sandbox_add(sandbox, b->code, b->length, 1, COUNTER_BODY, &offset))
                fail_msg("%s: %s", forms_at(forms, i)->form, err.what);
            sandbox_items(sandbox)[n++] = (struct sandbox_item){.mode = SANDBOX_RAW_TICKS,
                                                                .code = PULSE_ITEM,
                                                                .offset = offset,
                                                                .vectors = sandbox_setup(b),
                                                                .warm = 1,
                                                                .count = 30,
                                                                .samples = 1};
        }
        form_code_free(code);
    }
    print_message("%u chains ran, %u were refused by the processor\n", ran, illegal);
    free(b);
}

/* Unmodified kernels run, even if this machine is too busy for timing. */
static void test_kernels(void **state)
{
    static const char *const names[] = {"triad-a64-gcc-O3.s", "daxpy-a64-gcc-sve.s",
                                        "daxpy-a64-clang-tail.s", "dot-a64-clang-O3.s",
                                        "stencil-a64-gcc-O3.s"};
    struct calibration c;
    struct err err = {0};
    unsigned ran = 0;
    if (!calibrate(sandbox, NULL, NULL, &c, &err)) {
        print_message("%s\n", err.what);
        return;
    }
    /* An emulator's two clocks never agree. Accepts every window, so that emulators also run the
     * code below. */
    if (sandbox_unfiltered(sandbox))
        c.rules.chain_tolerance = c.rules.probe_tolerance = c.rules.agreement = 1e9;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char relative[64];
        size_t count;
        struct kernel_measured m;
        snprintf(relative, sizeof relative, "kernels/%s", names[i]);
        char *path = file_data_path(relative);
        struct kernel *kernel = path ? kernel_load(path, &(struct kernel_options){0}, &err) : NULL;
        free(path);
        if (!kernel)
            continue;
        const struct insn *insns = kernel_insns(kernel, 0, &count);
        if (kernel_run(sandbox, &c, insns, count, &m, &err)) {
            assert_true(m.cycles > 0 && m.repeats >= 3 && m.pages > 0 && m.iterations > 0);
            print_message("%s: %.2f cycles, %u pages\n", names[i], m.cycles, m.pages);
        } else if (err.code != ERR_LIMIT && !strstr(err.what, "no stable time") &&
                   !(strstr(names[i], "sve") && !cpu_has("sve"))) {
            fail_msg("%s: %s", names[i], err.what);
        }
        ran++;
        kernel_free(kernel);
    }
    print_message("%u kernels ran\n", ran);
}

static int setup(void **state)
{
    struct err err = {0};
    forms = forms_load(ISA_AARCH64, NULL, &err);
    sandbox = forms ? sandbox_new(-1, &err) : NULL;
    if (!sandbox)
        print_message("%s\n", err.what);
    return sandbox ? 0 : -1;
}

static int teardown(void **state)
{
    sandbox_free(sandbox);
    forms_free(forms);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),     cmocka_unit_test(test_system_call),
        cmocka_unit_test(test_counts),     cmocka_unit_test(test_registers),
        cmocka_unit_test(test_every_form), cmocka_unit_test(test_every_chain),
        cmocka_unit_test(test_kernels)};
    return cmocka_run_group_tests(tests, setup, teardown);
}

#else

static void test_elsewhere(void **state)
{
    print_message("AArch64 code does not run on this processor; make check-aarch64 runs it under "
                  "an emulator\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_elsewhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
