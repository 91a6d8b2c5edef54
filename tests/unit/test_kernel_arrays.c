/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops over arrays in the sandbox. Rings visit every element. A loop ends with a time or a reason.
 * An unavailable arena is reported. */
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel.h"
#include "analysis/layout.h"
#include "isa/cpu.h"
#include "measure/kernel_arrays.h"
#include "measure/ring.h"
#include "../support/support.h"

static void test_rings(void **state)
{
    for (uint64_t part = 4; part < 8; part++)
        for (uint64_t places = part; places < 300000; places *= 2) {
            uint8_t *seen = calloc(places, 1);
            uint64_t at = 0;
            for (uint64_t i = 0; i < places; i++) {
                assert_int_equal(seen[at], 0);
                seen[at] = 1;
                at = ring_next(at, places);
                assert_true(at < places);
            }
            assert_int_equal(at, 0);
            free(seen);
        }
}

/* Measures the loop @hex on arrays of @bytes bytes. Returns false with the reason if it has no
 * time. */
static bool runs(const char *hex, uint64_t bytes, struct arrays_measured *out, struct err *err)
{
    struct streams streams;
    struct arrays arrays;
    struct arena_state arena = {0};
    struct kernel_arrays run;
    size_t count;
    const struct kernel *k = kernel_from_hex(ISA_X86_64, hex, err);

    assert_non_null(k);
    const struct insn *insns = kernel_insns(k, 0, &count);
    streams_find(insns, count, &streams);
    struct sandbox *s = sandbox_new(-1, err);
    assert_non_null(s);
    bool ok = layout_arrays(insns, &streams, bytes, &arrays, err) &&
              sandbox_arena(s, bytes + LAYOUT_SLACK, true, err) &&
              kernel_arrays_begin(&run, s, &arena, insns, count, err) &&
              kernel_arrays_measure(&run, &arrays, 0.01, out, err);
    sandbox_free(s);
    streams_done(&streams);
    kernel_free(k);
    return ok;
}

static void test_runs(void **state)
{
    static const char *const loops[] = {"0f1004060f110407 4883c010", "488b00 488b00",
                                        "8b0c86 488b14cf 4883c001", "488b04ce 488904cf 4883e901",
                                        "48ff07 4883c708",
                                        /* an index limited to nine bits */
                                        "8b048e 25ff010000 488304c701 4883c101"};
    if (isa_host() != ISA_X86_64)
        skip();
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        for (uint64_t bytes = 32768; bytes <= 4 << 20; bytes *= 8) {
            struct arrays_measured m = {0};
            struct err err = {0};
            bool ok = runs(loops[i], bytes, &m, &err);
            if (!ok && err.code == ERR_LIMIT)
                continue;   /* This host is busy. */
            assert_true(ok);
            assert_true(m.cycles > 0 && m.cycles < 1e6 && m.samples > 0 && m.iterations > 0);
        }
}

/* The page of a fixed address is mapped before the timed iterations. Otherwise the time of mapping
 * it would be that of a few iterations, and a sample would have no more of them. */
static void test_fixed_pages(void **state)
{
    bool ok = false, long_enough = false;
    if (isa_host() != ISA_X86_64)
        skip();
    for (unsigned i = 0; i < 3 && !long_enough; i++) {
        struct arrays_measured m = {0};
        struct err err = {0};
        /* mov rcx,[rdi+rax]; mov [rdx],rcx; add rax,64 */
        if (runs("488b0c07 48890a 4883c040", 2 << 20, &m, &err)) {
            ok = true;
            long_enough = m.iterations > 4096;
        } else {
            assert_int_equal(err.code, ERR_LIMIT);   /* This host is busy. */
        }
    }
    assert_true(long_enough || !ok);
}

/* A probe that takes longer than the fastest one shows contention. */
static void test_contention(void **state)
{
    struct arena_state arena = {0};
    struct err err = {0};

    assert_false(arena_contended(&arena));
    arena.probe = arena.probe_least = 2500;
    assert_false(arena_contended(&arena));
    arena.probe = 2 * arena.probe_least;
    assert_true(arena_contended(&arena));
    arena = (struct arena_state){0};
    struct sandbox *s = sandbox_new(-1, &err);
    assert_non_null(s);
    for (unsigned i = 0; i < 3; i++)
        if (arena_clock(s, &arena, &err))
            assert_true(arena.probe_least > 0 && arena.probe >= arena.probe_least);
    sandbox_free(s);
}

/* Within the first level 53 copies of a loop run, beyond it a single one, as in a program. */
static void test_copies(void **state)
{
    bool single = false, measured = false;
    if (isa_host() != ISA_X86_64)
        skip();
    for (uint64_t bytes = 16384; bytes <= 4 << 20; bytes *= 2) {
        struct arrays_measured m = {0};
        struct err err = {0};
        if (!runs("c5fc1007 c5fc104f20 4883c740", bytes, &m, &err)) {
            assert_int_equal(err.code, ERR_LIMIT);   /* This host is busy. */
        } else if (bytes <= 32768) {
            assert_int_equal(m.iterations % 53, 0);
        } else {
            measured |= bytes > 65536;
            single |= m.iterations % 53 != 0;
        }
    }
    assert_true(single || !measured);
}

/* The single copy has no closing branch besides the counting branch, except a `loop` instruction,
 * which decrements rcx. Two taken branches take a cycle longer than the loop of a program. */
static void test_closing_branches(void **state)
{
    static const struct {
        const char *hex;
        size_t length;
    } loops[] = {{"0f1007 4883c710 75f7", 7},
                 {"0f1007 4883c710 ebf7", 7},
                 {"0f1007 4883c710 e2f7", 9}};
    if (isa_host() != ISA_X86_64)
        skip();
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct arena_state arena = {0};
        struct kernel_arrays run;
        struct err err = {0};
        size_t count;
        const struct kernel *k = kernel_from_hex(ISA_X86_64, loops[i].hex, &err);
        assert_non_null(k);
        const struct insn *insns = kernel_insns(k, 0, &count);
        struct sandbox *s = sandbox_new(-1, &err);
        assert_non_null(s);
        assert_true(kernel_arrays_begin(&run, s, &arena, insns, count, &err));
        assert_int_equal(run.code[0][ARRAYS_ONE].copies, 1);
        assert_int_equal(run.code[0][ARRAYS_ONE].stride, loops[i].length);
        sandbox_free(s);
        kernel_free(k);
    }
}

/* Loops with a system call or an undefined instruction have no time. On a busy host, the error of
 * the latter may be ERR_LIMIT. */
static void test_reasons(void **state)
{
    struct arrays_measured m;
    struct err err = {0};
    if (isa_host() != ISA_X86_64)
        skip();
    assert_false(runs("488b07 0f05 4883c708", 65536, &m, &err));        /* syscall */
    assert_int_equal(err.code, ERR_DATA);
    err = (struct err){0};
    assert_false(runs("488b07 0f0b 4883c708", 65536, &m, &err));        /* ud2 */
    assert_true(err.code == ERR_DATA || err.code == ERR_LIMIT);
}

static void test_arena(void **state)
{
    struct err err = {0};
    struct sandbox *s = sandbox_new(-1, &err);
    assert_non_null(s);
    assert_int_equal(sandbox_arena_at(s), 0);
    assert_false(sandbox_arena(s, (size_t)1 << 47, true, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    assert_int_equal(sandbox_arena_at(s), 0);
    err = (struct err){0};
    assert_true(sandbox_arena(s, 1000000, false, &err));
    assert_int_equal(sandbox_arena_at(s) % SANDBOX_ARENA_GUARD, 0);
    assert_true(sandbox_fill(
        s, &(struct sandbox_fill){.kind = SANDBOX_FILL_VALUE, .bytes = 1000000, .value = 7}, &err));
    /* Pointers outside of the arena are not written. */
    assert_true(sandbox_fill(
        s,
        &(struct sandbox_fill){
            .kind = SANDBOX_FILL_VALUE, .at = (uint64_t)-4096, .bytes = 8192, .value = 7},
        &err));
    assert_true(sandbox_arena(s, 0, false, &err));
    assert_int_equal(sandbox_arena_at(s), 0);
    sandbox_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rings), cmocka_unit_test(test_runs),
                                       cmocka_unit_test(test_fixed_pages),
                                       cmocka_unit_test(test_contention),
                                       cmocka_unit_test(test_copies),
                                       cmocka_unit_test(test_closing_branches),
                                       cmocka_unit_test(test_reasons),
                                       cmocka_unit_test(test_arena)};
    return cmocka_run_group_tests_name("kernel_arrays", tests, NULL, NULL);
}
