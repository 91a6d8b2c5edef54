/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recorded iterations in the sandbox: rejected loops, values that determine branches, and times
 * with changes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel.h"
#include "base/str.h"
#include "isa/cpu.h"
#include "measure/kernel_arrays.h"
#include "measure/recorded.h"
#include "measure/recorded_code.h"
#include "../support/support.h"

#define ITERATIONS 4000u

/* Fills @out with the instructions of @hex, whose last one closes the loop. Branches with other
 * targets than the first instruction skip to their target in the loop. */
static const struct kernel *loop_of(const char *hex, struct recording *out)
{
    struct err err = {0};
    size_t count;
    const struct kernel *k = kernel_from_hex(ISA_X86_64, hex, &err);

    assert_non_null(k);
    const struct insn *insns = k->insns;
    count = k->insn_count;
    *out = (struct recording){0};
    for (uint32_t i = 0; i < count; i++) {
        struct recorded_insn in = {.insn = &insns[i],
                                   .next = i + 1 < count ? i + 1 : RECORDED_OUT,
                                   .target = RECORDED_OUT,
                                   .places = 1};
        for (unsigned o = 0; o < insns[i].operand_count; o++)
            for (uint32_t j = 0; j < count; j++)
                if (insns[i].operands[o].kind == OPERAND_RELATIVE &&
                    insns[j].offset == (uint64_t)insns[i].operands[o].displacement)
                    in.target = j;
        vec_push(&out->insns, in);
    }
    return k;
}

static uint64_t next_random(void)
{
    static uint64_t seed = 88172645463325252u;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Records iterations: accesses to random lines of @bytes bytes at @begin, branches within the loop
 * by @share percent of random directions, and a closing branch that is taken. */
static void record(struct recording *r, uint64_t begin, uint64_t bytes, unsigned share)
{
    for (unsigned n = 0; n < ITERATIONS; n++) {
        vec_push(&r->iterations, r->events.count);
        for (uint32_t at = 0; at < r->insns.count;) {
            const struct recorded_insn *in = &r->insns.items[at];
            uint64_t value = begin + next_random() % (bytes / 64) * 64;
            uint32_t next = at + 1;
            if (recorded_branch(in)) {
                value = at + 1 == r->insns.count || next_random() % 100 < share;
                next = value && at + 1 < r->insns.count ? in->target : at + 1;
            }
            if (recorded_branch(in) || recorded_access(in))
                vec_push(&r->events, ((struct recorded_event){at, value}));
            at = next;
        }
    }
}

/* Returns the times of @count changes. False: the host is busy. */
static bool times_of(const struct recording *r, bool huge, const struct recorded_change *changes,
                     size_t count, struct recorded_time *times)
{
    struct err err = {0};
    double share;
    struct sandbox *s = sandbox_new(-1, &err);

    assert_non_null(s);
    bool ok = recorded_measure(s, r, huge, changes, count, 0.2, times, &share, &err);
    sandbox_free(s);
    if (!ok && err.code != ERR_LIMIT)
        fail_msg("%s", err.what);
    return ok;
}

static bool available(void)
{
#if defined(__x86_64__)
    return isa_host() == ISA_X86_64 && __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

/* Returns whether change 1 saves at least @part of the loop's time, in one of several tries. */
static bool saves(const struct recording *r, struct recorded_change change, double part)
{
    const struct recorded_change changes[] = {{RECORDED_UNCHANGED, RECORDED_OUT}, change};
    struct recorded_time times[2];
    bool compared = false;

    for (unsigned i = 0; i < 6; i++) {
        if (!times_of(r, false, changes, 2, times))
            continue;
        compared = true;
        assert_true(times[0].cycles > 0 && times[1].cycles > 0);
        if (times[1].cycles < (1 - part) * times[0].cycles)
            return true;
    }
    return !compared;
}

/* A branch with random directions: cmp $5, ecx; jl over; add 1, rbx; over: add 1, rax; cmp rax,
 * rsi; jne. Its iterations sorted by the branch take less time. The same with a value that a
 * sequential load provides. */
static void test_branch(void **state)
{
    static const char *const loops[] = {"83f905 7c04 4883c301 4883c001 4839f0 75ed",
                                        "8b0c87 83f905 7c04 4883c301 4883c001 4839f0 75ea"};
    if (!available())
        skip();
    for (size_t i = 0; i < 2; i++) {
        struct recording r;
        struct recorded_plan p;
        struct err err = {0};
        const struct kernel *k = loop_of(loops[i], &r);
        r.insns.items[0].sequential = i == 1;
        record(&r, 0x100000, 64, 50);
        assert_true(recorded_plan_make(&r, &p, &err));
        assert_int_equal(p.decider[i + 1], i ? 0 : RECORDED_OUT);
        recorded_plan_done(&p);
        assert_true(saves(&r, (struct recorded_change){RECORDED_SORTED, (uint32_t)i + 1}, 0.2));
        recording_done(&r);
        kernel_free(k);
    }
}

/* A chain through random lines of 64 MiB: mov (rax), rax; test rax, rax; jne. In one line it takes
 * less time. */
static void test_access(void **state)
{
    struct recording r;

    if (!available())
        skip();
    const struct kernel *k = loop_of("488b00 4885c0 75f8", &r);
    record(&r, 0x10000000, 64u << 20, 0);
    r.insns.items[0].places = 16;
    assert_true(saves(&r, (struct recorded_change){RECORDED_NEAR, 0}, 0.5));
    assert_true(saves(&r, (struct recorded_change){RECORDED_WITHOUT, 0}, 0.5));
    struct recording copy;
    recording_copy(&r, &copy);
    assert_int_equal(copy.events.count, r.events.count);
    assert_memory_equal(copy.events.items, r.events.items, r.events.count * sizeof *r.events.items);
    recording_done(&copy);
    recording_done(&r);
    kernel_free(k);
}

/* Gives all accesses of instruction @at one address, whose low bytes are not 0. */
static void at_one_address(struct recording *r, uint32_t at)
{
    struct recorded_plan p;
    struct err err = {0};

    for (size_t i = 0; i < r->events.count; i++)
        if (r->events.items[i].at == at)
            r->events.items[i].value = 0x10010120;
    assert_true(recorded_plan_make(r, &p, &err));
    assert_true(p.fixed[at]);
    recorded_plan_done(&p);
}

/* Accesses with one address have no value in the records, so they must not change other values. The
 * branch of test_branch, and then such a load: cmp $5, ecx; jl over; add 1, rbx; over: mov 8(rsi),
 * rdx; add 1, rax; cmp rax, rsi; jne. */
static void test_one_address_and_branch(void **state)
{
    struct recording r;

    if (!available())
        skip();
    const struct kernel *k = loop_of("83f905 7c04 4883c301 488b5608 4883c001 4839f0 75e9", &r);
    record(&r, 0x100000, 64, 50);
    at_one_address(&r, 3);
    assert_true(saves(&r, (struct recorded_change){RECORDED_SORTED, 1}, 0.2));
    recording_done(&r);
    kernel_free(k);
}

/* The chain of test_access, with such a load, in a loop that exits every tenth iteration: mov
 * (rax), rax; mov 8(rsi), rcx; test rax, rax; jne. No exit before the last one may end the run: a
 * load beyond the first-level cache takes more than 8 cycles. */
static void test_one_address_and_exits(void **state)
{
    const struct recorded_change none = {RECORDED_UNCHANGED, RECORDED_OUT};
    struct recording r;
    struct recorded_time time;

    if (!available())
        skip();
    const struct kernel *k = loop_of("488b00 488b4e08 4885c0 75f4", &r);
    record(&r, 0x10000000, 64u << 20, 0);
    r.insns.items[0].places = 16;
    at_one_address(&r, 1);
    for (size_t i = 0, n = 0; i < r.events.count; i++)
        if (r.events.items[i].at == 3 && ++n % 10 == 0)
            r.events.items[i].value = 0;
    if (times_of(&r, false, &none, 1, &time))
        assert_true(time.cycles > 8);
    recording_done(&r);
    kernel_free(k);
}

/* A branch that compares a loaded value with a register that the loop only reads: mov (rdi), ecx;
 * cmp eax, ecx; je over; add 1, rbx; over: add 1, rdx; cmp rdx, rsi; jne. No other code may change
 * that register. */
static void test_read_register(void **state)
{
    struct recording r;
    struct recorded_plan p;
    struct err err = {0};

    if (!available())
        skip();
    const struct kernel *k = loop_of("8b0f 39c1 7404 4883c301 4883c201 4839f2 75ed", &r);
    r.insns.items[0].sequential = true;
    record(&r, 0x100000, 64, 50);
    assert_true(recorded_plan_make(&r, &p, &err));
    assert_int_equal(p.decider[2], 0);
    recorded_plan_done(&p);
    assert_true(saves(&r, (struct recorded_change){RECORDED_SORTED, 2}, 0.2));
    recording_done(&r);
    kernel_free(k);
}

/* Stores that cross the end of the recorded memory: or -1, rcx; mov rcx, (rax); cmp rax, rsi; jne.
 * They must not change which records the run reads. */
static void test_end_of_memory(void **state)
{
    const struct recorded_change none = {RECORDED_UNCHANGED, RECORDED_OUT};
    struct recording r;
    struct recorded_time time;

    if (!available())
        skip();
    const struct kernel *k = loop_of("4883c9ff 488908 4839f0 75f4", &r);
    record(&r, 0x101fffc0, 64, 0);
    for (size_t i = 0, n = 0; i < r.events.count; i++)
        if (r.events.items[i].at == 1 && ++n % 2 == 0)
            r.events.items[i].value = 0x101ffffc;
    /* times_of fails the test if the run faults */
    if (times_of(&r, false, &none, 1, &time))
        assert_true(time.cycles > 0);
    recording_done(&r);
    kernel_free(k);
}

static void test_refused(void **state)
{
    static const struct {
        const char *hex, *why;
        bool few;
    } loops[] = {{"e800000000 75f9", "a function call", false},
                 {"c3 75fd", "a return", false},
                 {"e2fe", "a branch on a register", false},
                 {"0fa2 75fc", NULL, false},
                 {"480fa318 75fa", "the address of an access cannot be replaced", false},
                 {"480fab18 75fa", "the address of an access cannot be replaced", false},
                 {"488b00 4885c0 75f8", "can be repeated", true},
                 {"4801d8 4801ca 4801ee 4801fd 4d01c1 4d01d3 4d01e5 4d01f7 4c03e4 75e3",
                  "registers", false}};
    if (!available())
        skip();
    struct err err = {0};
    struct sandbox *s = sandbox_new(-1, &err);
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct recording r;
        struct recorded_time time;
        double share;
        const struct recorded_change none = {RECORDED_UNCHANGED, RECORDED_OUT};
        const struct kernel *k = loop_of(loops[i].hex, &r);
        record(&r, 0x100000, 4096, 50);
        if (loops[i].few)
            r.iterations.count = 100;
        err = (struct err){0};
        assert_false(recorded_measure(s, &r, false, &none, 1, 0.01, &time, &share, &err));
        assert_int_equal(err.code, ERR_DATA);
        if (loops[i].why && !strstr(err.what, loops[i].why))
            fail_msg("%s: %s", loops[i].hex, err.what);
        recording_done(&r);
        kernel_free(k);
    }
    sandbox_free(s);
}

/* Records of 1,200 bytes, of which the values of a pass hold fewer than 500: 150 loads at rdi + d;
 * cmp rax, rsi; jne. */
static void test_long_records(void **state)
{
    const struct recorded_change changes[] = {{RECORDED_UNCHANGED, RECORDED_OUT},
                                              {RECORDED_NEAR, RECORDED_OUT}};
    struct recording r;
    struct recorded_time times[2];
    struct str hex = {0};

    if (!available())
        skip();
    for (unsigned i = 0; i < 150; i++)
        str_add(&hex, "488b8700100000 ");
    str_add(&hex, "4839f0 0f85ddfbffff");
    const struct kernel *k = loop_of(hex.data, &r);
    record(&r, 0x100000, 4096, 0);
    if (times_of(&r, false, changes, 2, times))
        assert_true(times[0].cycles > 0 && times[1].cycles > 0);
    recording_done(&r);
    kernel_free(k);
    str_done(&hex);
}

/* Code of the run that differs from the intended one is detected: the loop of test_branch with a
 * load, mov (rax), rbx, in which each byte of an instruction, or of a jump's distance, changes. */
static void test_emitted(void **state)
{
    struct recording r;
    struct recorded_plan p;
    struct recorded_code code = {0};
    struct err err = {0};
    const uint64_t near[8] = {0};
    unsigned found = 0;

    if (!available())
        skip();
    const struct kernel *k = loop_of("83f905 7c04 4883c301 488b18 4883c001 4839f0 75ea", &r);
    record(&r, 0x100000, 4096, 50);
    assert_true(recorded_plan_make(&r, &p, &err));
    const struct recorded_memory memory = {
        .arena = 0x200000, .near = near, .values = 0x10000, .pass_bytes = 4096, .turn = 0x200000};
    assert_true(recorded_emit(&r, &p, &memory, RECORDED_OUT, &code, &err));
    assert_true(recorded_emitted(&r, &code, RECORDED_OUT));
    /* syscall, ret, and hlt in place of each instruction of the loop */
    static const uint8_t wrong[][2] = {{0x0f, 0x05}, {0xc3, 0x90}, {0xf4, 0x90}};
    for (size_t i = 0; i < code.labels.count; i++)
        for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
            uint8_t *at = code.bytes.items + code.labels.items[i], before[2];
            memcpy(before, at, 2);
            memcpy(at, wrong[w], 2);
            assert_false(recorded_emitted(&r, &code, RECORDED_OUT));
            memcpy(at, before, 2);
        }
    /* a jump into an instruction, or out of the code */
    for (size_t i = 0; i + 6 <= code.bytes.count; i++)
        if (code.bytes.items[i] == 0x0f && code.bytes.items[i + 1] >> 4 == 8) {
            code.bytes.items[i + 2]++;
            found += !recorded_emitted(&r, &code, RECORDED_OUT);
            code.bytes.items[i + 2]--;
            code.bytes.items[i + 4] ^= 1;
            assert_false(recorded_emitted(&r, &code, RECORDED_OUT));
            code.bytes.items[i + 4] ^= 1;
        }
    assert_true(found >= 2);
    assert_true(recorded_emitted(&r, &code, RECORDED_OUT));
    recorded_code_done(&code);
    recorded_plan_done(&p);
    recording_done(&r);
    kernel_free(k);
}

/* An arena leaves a quarter of the free memory. */
static void test_arena_fits(void **state)
{
    struct err err = {0};

    assert_true(arena_fits(300e6, 400000000, "x", &err));
    assert_true(arena_fits(1e18, 0, "x", &err));
    assert_false(arena_fits(300.1e6, 400000000, "end other programs", &err));
    assert_int_equal(err.code, ERR_LIMIT);
    assert_string_equal(err.todo, "end other programs");
    assert_true(memory_available() > 0);
}

#if defined(__x86_64__)
/* Returns the flags after cmp or test, by this CPU. */
static uint64_t flags_of(bool and, uint64_t a, uint64_t b, unsigned bits)
{
    uint64_t flags;

    if (and&&bits == 64)
        __asm__("test %2, %1; lahf; seto %%al" : "=&a"(flags) : "r"(a), "r"(b) : "cc");
    else if (and)
        __asm__("test %k2, %k1; lahf; seto %%al" : "=&a"(flags) : "r"(a), "r"(b) : "cc");
    else if (bits == 64)
        __asm__("cmp %2, %1; lahf; seto %%al" : "=&a"(flags) : "r"(a), "r"(b) : "cc");
    else
        __asm__("cmp %k2, %k1; lahf; seto %%al" : "=&a"(flags) : "r"(a), "r"(b) : "cc");
    /* ah: the low byte of the flags; al: the overflow flag */
    return (flags >> 8 & 0xff) | (flags & 1) << 11;
}

static bool taken(unsigned cc, uint64_t flags)
{
    const bool carry = flags & 1, parity = flags & 4, zero = flags & 0x40, sign = flags & 0x80,
               over = flags & 0x800;
    const bool all[8] = {over, carry,  zero,         carry || zero,
                         sign, parity, sign != over, zero || sign != over};
    return all[cc >> 1] != (cc & 1);
}
#endif

/* The chosen contents of memory make this CPU take and not take each branch. mov (rdi), ecx or
 * rcx; cmp ecx, edx or test ecx, ecx; jcc; nop; jmp. */
static void test_contents(void **state)
{
    if (!available())
        skip();
#if defined(__x86_64__)
    unsigned found = 0;
    for (unsigned cc = 0; cc < 16; cc++)
        for (unsigned kind = 0; kind < 4; kind++) {
            const bool and = kind & 1, wide = kind & 2;
            char hex[64];
            struct recording r;
            struct recorded_plan p;
            struct err err = {0};
            snprintf(hex, sizeof hex, "%s8b0f %s%s %x01 90 eb%s", wide ? "48" : "",
                     wide ? "48" : "", and? "85c9" : "39d1", 0x70 + cc, wide ? "f5" : "f7");
            const struct kernel *k = loop_of(hex, &r);
            r.insns.items[0].sequential = true;
            vec_push(&r.iterations, 0);
            assert_true(recorded_plan_make(&r, &p, &err));
            for (unsigned t = 0; p.decider[2] != RECORDED_OUT && t < 2; t++, found++) {
                const uint64_t value = wide ? p.content[2][t] : (uint32_t)p.content[2][t],
                               other = and? value : recorded_start(&r, 2);
                assert_int_equal(taken(cc, flags_of(and, value, other, wide ? 64 : 32)), t);
            }
            recorded_plan_done(&p);
            recording_done(&r);
            kernel_free(k);
        }
    /* test never sets carry and overflow: those six conditions have no content */
    assert_true(found >= 2 * (32 + 2 * 10));
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_contents),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_long_records),
                                       cmocka_unit_test(test_emitted),
                                       cmocka_unit_test(test_arena_fits),
                                       cmocka_unit_test(test_branch),
                                       cmocka_unit_test(test_access),
                                       cmocka_unit_test(test_one_address_and_branch),
                                       cmocka_unit_test(test_one_address_and_exits),
                                       cmocka_unit_test(test_read_register),
                                       cmocka_unit_test(test_end_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
