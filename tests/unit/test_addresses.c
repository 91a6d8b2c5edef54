/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbolic addresses: recognition of the stack pointer, and numbers at both ends of 64 bits. A
 * signed overflow aborts the test. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/addresses.h"
#include "analysis/first_level.h"
#include "model/start.h"
#include "../support/support.h"

#define MOST 16

/* Decodes @code and relates its loads to its stores. Returns the number of loads that read a
 * store. */
static size_t forwards(enum isa isa, const char *hex, enum start_values start)
{
    struct insn insns[MOST];
    uint8_t code[128];
    size_t length = strlen(hex) / 2, count = 0;
    struct address_work work = {0};
    struct err err = {0};

    for (size_t i = 0; i < length; i++) {
        unsigned byte;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        code[i] = (uint8_t)byte;
    }
    for (size_t at = 0; at < length; at += insns[count++].length) {
        assert_true(count < MOST);
        assert_true(insn_decode(isa, code + at, length - at, at, false, &insns[count], &err));
    }
    addresses_link(insns, count, start, 64, &work);
    size_t found = work.found_count;
    struct core core = {.store_line_bytes = 64,
                        .store_run = NAN,
                        .load_bank_bytes = 4,
                        .loads_per_bank = 2,
                        .split_loads_per_cycle = 1};
    first_level_store_runs(&core, &work);
    first_level_loads(&core, &work);
    addresses_new_pages(&work, count, 1, 1);
    address_work_done(&work);
    return found;
}

/* str x1, [x0, x4]; ldr x2, [x0]: the index x4 starts at 0, so the load reads the stored value. */
static void test_a64_index(void **state)
{
    assert_int_equal(forwards(ISA_AARCH64, "016824f8" "020040f9", START_MEASURED), 1);
    /* the same code with index x5 */
    assert_int_equal(forwards(ISA_AARCH64, "016825f8" "020040f9", START_MEASURED), 1);
}

/* str x1, [x4, x0]; ldr x2, [x4]: the index x0 starts at 0, and x4 is a base. The stack pointer is
 * also a base. */
static void test_a64_base(void **state)
{
    assert_int_equal(forwards(ISA_AARCH64, "816820f8" "820040f9", START_MEASURED), 1);
    /* str x1, [sp, #8]; ldr x2, [sp, #8] */
    assert_int_equal(forwards(ISA_AARCH64, "e10700f9" "e20740f9", START_MEASURED), 1);
}

/* The general registers of x86-64 start on one page, except the stack and frame pointers, registers
 * 4 and 5. On AArch64 registers 4 and 5 have no such exception. */
static void test_equal_pages(void **state)
{
    /* mov [rdi], rax; mov rcx, [rsi] */
    assert_int_equal(forwards(ISA_X86_64, "488907" "488b0e", START_EQUAL), 1);
    /* mov [rdi], rax; mov rcx, [rsp] */
    assert_int_equal(forwards(ISA_X86_64, "488907" "488b0c24", START_EQUAL), 0);
    /* str x1, [x3]; ldr x2, [x4] */
    assert_int_equal(forwards(ISA_AARCH64, "610000f9" "820040f9", START_EQUAL), 1);
    /* str x1, [x3]; ldr x2, [sp] */
    assert_int_equal(forwards(ISA_AARCH64, "610000f9" "e20340f9", START_EQUAL), 0);
}

/* mov rax, 0x7fffffffffffffff; mov [rax], rdx; mov rcx, [rax+2]: store and load cross the end of
 * the signed range. */
static void test_ends(void **state)
{
    assert_int_equal(forwards(ISA_X86_64,
                              "48b8ffffffffffffff7f"
                              "488910"
                              "488b4802",
                              START_DIFFERENT),
                     1);
    /* The other end of the range: mov rbx, 1 << 63; mov [rbx], rdx; mov rax, 0x7ffffffffffffff8;
     * mov rcx, [rax]. */
    assert_int_equal(forwards(ISA_X86_64,
                              "48bb0000000000000080"
                              "488913"
                              "48b8f8ffffffffffff7f"
                              "488b08",
                              START_DIFFERENT),
                     0);
    /* mov rax, 0x7ffffffffffffffc; mov [rax], rdx; mov rbx, 1 << 63; mov ecx, [rbx]: the load reads
     * the second half of the store. */
    assert_int_equal(forwards(ISA_X86_64,
                              "48b8fcffffffffffff7f"
                              "488910"
                              "48bb0000000000000080"
                              "8b0b",
                              START_DIFFERENT),
                     1);
    assert_int_equal(forwards(ISA_X86_64,
                              "48b8ffffffffffffff7f"
                              "488910"
                              "488b4802"
                              "4803c0"
                              "480500000080",
                              START_EQUAL),
                     1);
}

/* Returns the way that Zen's first-level caches predict for @address: bit 12 + i xor bit 27 - i
 * (Lipp et al., 2020). */
static unsigned way_of(uint64_t address)
{
    unsigned way = 0;

    for (unsigned i = 0; i < 8; i++)
        way |= (unsigned)((address >> (12 + i) ^ address >> (27 - i)) & 1) << i;
    return way;
}

/* Pointers move across seven pages in either direction, and no two pages share the ways of their
 * lines. A push across a boundary of 64 MiB took 1.07 cycles instead of 0.50 if the two pages
 * shared a way. */
static void test_starts_apart(void **state)
{
    unsigned seen[256] = {0};

    /* These are the two pages of that push, which share a way. */
    assert_int_equal(way_of(0x14001000), way_of(0x13fff000));
    assert_int_equal(way_of(0x14000000), way_of(0x13ffe000));
    for (unsigned reg = 0; reg < 16; reg++)
        for (int page = -7; page <= 7; page++) {
            uint64_t address = start_address(reg) + (uint64_t)((int64_t)page * 4096);
            assert_int_equal(address % 4096, reg * 1088 % 4096);
            if (seen[way_of(address)]++)
                fail_msg("register %u, page %d: %llx shares its lines with another page", reg, page,
                         (unsigned long long)address);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a64_index),
        cmocka_unit_test(test_a64_base),
        cmocka_unit_test(test_equal_pages),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_starts_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
