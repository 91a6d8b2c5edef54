/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Execution counts of instructions that the compiler moved out of their block's loop, by hand.
 * Walks through loops and functions, and the cost of their iterations. Loops whose chains overlap
 * between entries. The code of library functions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/machine_file.h"
#include "program/code.h"
#include "program/steady.h"
#include "program/turns.h"
#include "program/walk.h"
#include "../support/support.h"

/* Blocks: 1 entry, 2 body of the outer loop, 3 inner loop, 4 end of the outer loop, 5 end. The load
 * of block 3 before the label and the jump after the loop are executed once per entry of the loop.
 * Instructions outside of blocks belong to adjacent blocks. */
static const char assembly[] =
    "f:\n.Lfunc_begin0:\n\t.loc 0 1 0\n\txorl %ecx, %ecx\n"
    ".LBB0_2:\n\t.loc 0 0 1\n\tmovq 8(%rsp), %rdx\n\t.loc 0 2 1\n\txorl %eax, %eax\n"
    "# %bb.9:\n\t.loc 0 3 1\n\tmovq (%rdi), %r8\n\tleaq 8(%rdi), %r9\n.Ltmp3:\n\taddq $1, %r9\n"
    ".LBB0_3:\n\taddq (%r9,%rax,8), %r8\n\taddq $1, %rax\n\tcmpq %rsi, %rax\n\tjb .LBB0_3\n"
    "\tjmp .LBB0_4\n"
    ".LBB0_4:\n\t.loc 0 4 1\n\tmovq %r8, (%rdx)\n\taddq $1, %rcx\n\tcmpq %rsi, %rcx\n\tjb .LBB0_2\n"
    "\t.loc 0 5 1\n\tretq\n";

/* Returns a program of one file with @functions in the format of portolan-cc. */
static const struct program *read_program(const char *functions, const char *code)
{
    struct str text = {0}, json = {0};
    struct err err = {0};
    char why[512];

    str_addf(&json,
             "{\"key\":\"k\",\"source\":\"f.c\",\"language\":\"c\",\"level\":\"-O3\","
             "\"references\":[],\"functions\":[%s],\"assembly\":\"",
             functions);
    for (const char *c = code; *c; c++)
        str_add_bytes(&json,
                      *c == '\n'   ? "\\n"
                      : *c == '\t' ? "\\t"
                                   : c,
                      *c == '\n' || *c == '\t' ? 2 : 1);
    str_add(&json, "\"}");
    str_addf(&text, "portolan-unit %zu\n%s", json.length, str_text(&json));
    struct program *p = program_read("f", &text, &err);
    if (!p)
        fail_msg("%s", err_text(&err, why, sizeof why));
    str_done(&text);
    str_done(&json);
    return p;
}

static const char moved_functions[] =
    "{\"name\":\"f\",\"blocks\":[{\"line\":1,\"ops\":[],\"calls\":[],\"next\":[1],\"two_way\":"
    "false},{\"line\":2,\"ops\":[],\"calls\":[],\"next\":[2],\"two_way\":false},"
    "{\"line\":3,\"ops\":[],\"calls\":[],\"next\":[2,3],\"two_way\":true},{\"line\":4,\"ops\":[],"
    "\"calls\":[],\"next\":[1,4],\"two_way\":true},"
    "{\"line\":5,\"ops\":[],\"calls\":[],\"next\":[],\"two_way\":false}]}";

/* The outer loop has ten iterations, each with a hundred iterations of the inner loop. */
static void test_moved(void **state)
{
    const double counts[] = {1, 10, 1000, 10, 1}, taken[] = {0, 0, 990, 9, 0};
    const struct program *p = read_program(moved_functions, assembly);
    struct program_run run = {.counts = (double *)(uintptr_t)counts,
                              .taken = (double *)(uintptr_t)taken};
    struct err err = {0};
    struct program_code *c = program_code_new(p, &err);
    double times[32], paths = 0;
    struct code_parts parts;

    assert_non_null(c);
    const struct kernel *k = c->units[0].kernel;
    assert_int_equal(k->insn_count, 16);
    code_executions(c, 0, &run, times);
    for (size_t i = 0; i < k->insn_count; i++) {
        double want = i == 0 || i == 15 ? 1 : i >= 6 && i <= 9 ? 1000 : 10;
        if (times[i] != want)
            fail_msg("%s is executed %g times instead of %g", k->insns[i].text, times[i], want);
    }
    code_parts_find(c, &run, &parts);
    for (size_t i = 0; i < parts.list.count; i++) {
        const struct code_part *part = &parts.list.items[i];
        if (!part->repeats)
            continue;
        paths++;
        assert_int_equal(part->insns.count, 4);
        assert_true(part->executions == 1000 && part->entries == 10);
    }
    assert_true(paths == 1);
    code_parts_done(&parts);
    program_code_free(c);
    program_free(p);
}

/* Block 2 branches to the loop of block 3 in four of ten executions. Its copies for the other
 * direction are after the branch. The jump after the loop has the loop's block. */
static void test_directions(void **state)
{
    static const char code[] =
        "f:\n.Lfunc_begin0:\n\t.loc 0 1 0\n\txorl %ecx, %ecx\n"
        ".LBB0_2:\n\t.loc 0 2 1\n\tmovq 8(%rdi), %r9\n\tcmpl $4, %edx\n\tjae .LBB0_3\n"
        "\txorl %r8d, %r8d\n\tjmp .LBB0_5\n"
        ".LBB0_3:\n\t.loc 0 3 1\n\taddq (%r9,%rax,8), %r8\n\taddq $1, %rax\n"
        "\tcmpq %rsi, %rax\n\tjb .LBB0_3\n\tjmp .LBB0_5\n"
        ".LBB0_4:\n\t.loc 0 5 1\n\tretq\n"
        ".LBB0_5:\n\t.loc 0 4 1\n\taddq $1, %rcx\n\tcmpq %rsi, %rcx\n\tjb .LBB0_2\n"
        "\tjmp .LBB0_4\n";
    static const char functions[] =
        "{\"name\":\"f\",\"blocks\":[{\"line\":1,\"ops\":[],\"calls\":[],\"next\":[1],"
        "\"two_way\":false},{\"line\":2,\"ops\":[],\"calls\":[],\"next\":[2,3],\"two_way\":true},"
        "{\"line\":3,\"ops\":[],\"calls\":[],\"next\":[2,3],\"two_way\":true},{\"line\":4,"
        "\"ops\":[],\"calls\":[],\"next\":[1,4],\"two_way\":true},"
        "{\"line\":5,\"ops\":[],\"calls\":[],\"next\":[],\"two_way\":false}]}";
    static const double want[] = {1, 10, 10, 10, 6, 6, 100, 100, 100, 100, 4, 1, 10, 10, 10, 1};
    double counts[] = {1, 10, 100, 10, 1}, taken[] = {0, 4, 96, 9, 0}, times[32];
    const struct program *p = read_program(functions, code);
    const struct program_run run = {.counts = counts, .taken = taken};
    struct err err = {0};
    struct program_code *c = program_code_new(p, &err);

    assert_non_null(c);
    assert_int_equal(c->units[0].kernel->insn_count, sizeof want / sizeof *want);
    code_executions(c, 0, &run, times);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (times[i] != want[i])
            fail_msg("%s is executed %g times instead of %g", c->units[0].kernel->insns[i].text,
                     times[i], want[i]);
    program_code_free(c);
    program_free(p);
}

/* Returns the loop of @c's first unit that starts at instruction @first. */
static uint32_t loop_at(const struct program_code *c, size_t first)
{
    const struct kernel *k = c->units[0].kernel;

    for (uint32_t l = 0; l < k->loop_count; l++)
        if (k->loops[l].depth && k->loops[l].first == first)
            return l;
    fail_msg("no loop begins with instruction %zu", first);
    return 0;
}

/* In the same program with inner loops of twenty iterations, counts alone determine both branches.
 * An iteration of the outer loop contains twenty of the inner one and ten other instructions. */
static void test_walk(void **state)
{
    double counts[] = {1, 10, 200, 10, 1}, taken[] = {0, 0, 190, 9, 0};
    const struct program *p = read_program(moved_functions, assembly);
    struct program_run run = {.counts = counts, .taken = taken};
    struct err err = {0};
    struct program_code *c = program_code_new(p, &err);
    struct program_flow flow;
    struct code_walk walk;
    size_t visits[16] = {0};

    assert_non_null(c);
    program_flow_find(c, &run, &flow);
    assert_float_equal(flow.units[0].taken[9], 0.95, 1e-6);
    assert_float_equal(flow.units[0].taken[14], 0.9, 1e-6);
    assert_true(walk_loop(c, &flow, 0, loop_at(c, 1), 1200, 600, &walk));
    assert_true(walk.elsewhere);
    assert_int_equal(walk.turns, 7);
    assert_int_equal(walk.steps.count, 7 * 90);
    for (size_t i = 0; i < walk.steps.count; i++)
        visits[walk.steps.items[i].insn]++;
    for (size_t i = 1; i < 15; i++)
        assert_int_equal(visits[i], i >= 6 && i <= 9 ? 140 : 7);
    vec_done(&walk.steps);
    /* One iteration exceeds the limit. */
    assert_false(walk_loop(c, &flow, 0, loop_at(c, 1), 80, 60, &walk));
    assert_int_equal(walk.steps.count, 0);
    /* The walk of the inner loop continues through the outer loop: twenty iterations, and the code
     * between them. */
    assert_true(walk_loop(c, &flow, 0, loop_at(c, 6), 1200, 82, &walk));
    assert_true(walk.elsewhere);
    assert_int_equal(walk.steps.count, 90);
    assert_int_equal(walk.turns, 20);
    vec_done(&walk.steps);
    program_flow_done(c, &flow);
    /* The exit of a loop of a hundred iterations is not predictable, so walks end there. */
    counts[2] = 1000;
    taken[2] = 990;
    program_flow_find(c, &run, &flow);
    assert_false(walk_loop(c, &flow, 0, loop_at(c, 1), 1200, 600, &walk));
    assert_true(walk_loop(c, &flow, 0, loop_at(c, 6), 1200, 600, &walk));
    assert_false(walk.elsewhere);
    assert_int_equal(walk.turns, 99);
    vec_done(&walk.steps);
    program_flow_done(c, &flow);
    program_code_free(c);
    program_free(p);
}

/* A loop that calls one function in every iteration, and another in every fourth. */
static const char calling[] = "f:\n.Lfunc_begin0:\n\t.loc 0 1 0\n\tmovl $1000, %ebx\n"
                              ".LBB0_1:\n\t.loc 0 2 1\n\tcallq g\n\ttestl $3, %ebx\n\tjne .LBB0_3\n"
                              "\t.loc 0 3 1\n\tcallq h@PLT\n"
                              ".LBB0_3:\n\t.loc 0 4 1\n\tdecl %ebx\n\tjne .LBB0_1\n"
                              "\t.loc 0 5 1\n\tretq\n"
                              "g:\n.Lfunc_begin1:\n\t.loc 0 6 0\n\tmulsd %xmm0, %xmm0\n\tmulsd "
                              "%xmm0, %xmm0\n\tmulsd %xmm0, %xmm0\n\tretq\n"
                              "h:\n.Lfunc_begin2:\n\t.loc 0 7 0\n\taddsd %xmm0, %xmm0\n\taddsd "
                              "%xmm0, %xmm0\n\taddsd %xmm0, %xmm0\n\taddsd %xmm0, %xmm0\n\tretq\n";
static const char calling_functions[] =
    "{\"name\":\"f\",\"blocks\":[{\"line\":1,\"ops\":[],\"calls\":[],\"next\":[1],\"two_way\":"
    "false},{\"line\":2,\"ops\":[],\"calls\":[\"g\"],\"next\":[3,2],\"two_way\":true},"
    "{\"line\":3,\"ops\":[],\"calls\":[\"h\"],\"next\":[3],\"two_way\":false},{\"line\":4,\"ops\":["
    "],\"calls\":[],\"next\":[1,4],\"two_way\":true},"
    "{\"line\":5,\"ops\":[],\"calls\":[],\"next\":[],\"two_way\":false}]},"
    "{\"name\":\"g\",\"blocks\":[{\"line\":6,\"ops\":[],\"calls\":[],\"next\":[],\"two_way\":false}"
    "]},"
    "{\"name\":\"h\",\"blocks\":[{\"line\":7,\"ops\":[],\"calls\":[],\"next\":[],\"two_way\":false}"
    "]}";

/* The dependence chain passes through both functions: three multiplications per iteration and four
 * additions in one of four. The cycles of the iterations are distributed over all instructions, and
 * equal those of the same instructions as a separate loop. Half of the issue slots cost no time;
 * with a tenth or less the slots are the limit. */
static void test_turns(void **state)
{
    const double counts[] = {1, 1000, 250, 1000, 1, 1000, 250}, taken[] = {0, 750, 0, 999, 0, 0, 0};
    const struct program *p = read_program(calling_functions, calling);
    struct program_run run = {.counts = (double *)(uintptr_t)counts,
                              .taken = (double *)(uintptr_t)taken};
    struct err err = {0};
    struct program_code *c = program_code_new(p, &err);
    struct machine *m = machine_load_shipped("skylake", &err);
    struct block_work *work = block_work_new(m);
    const double shares[] = {1, 0.5, 0.1, 0.05};
    double sums[4], insns = 1 + 1000 * 5 + 250 + 1 + 1000 * 4 + 250 * 5;

    assert_non_null(c);
    assert_non_null(m);
    struct turns_walks *walks = turns_walks_new(c, &run);
    struct code_forwards forwards;
    code_forwards_find(c, &run, &forwards);
    for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
        const struct core_share share = {shares[s], 1, 0, 0};
        struct turns turns;
        double sum = 0, covered = 0;
        turns_time(c, walks, &forwards, work, &share, &turns);
        for (size_t i = 0; i < c->units[0].kernel->insn_count; i++) {
            sum += turns.units[0].cycles[i];
            covered += turns.units[0].covered[i];
        }
        /* The walk may have one more iteration without the second call. */
        assert_float_equal(covered, insns - 2, 0.01 * insns);
        if (shares[s] >= 0.5)
            /* Both latencies are 4. The chain continues across iterations. */
            assert_float_equal(sum, 1000 * (3 * 4 + 4 * 4 / 4.0), 160);
        sums[s] = sum;
        turns_done(c, &turns);
    }
    assert_true(sums[2] > 1.2 * sums[0]);
    assert_float_equal(sums[3] / sums[2], 2, 0.01);
    code_forwards_done(c, &forwards);
    turns_walks_free(walks);
    block_work_free(work);
    machine_free(m);
    program_code_free(c);
    program_free(p);
}

/* The code of a library function is the variant that this CPU executes. It begins at the function's
 * start, is contiguous except at branches, and ends with the last return. There is no code if the
 * system denies access, or for an unknown function. */
static void test_library(void **state)
{
    static const char *const names[] = {"exp", "printf", "log"};
    struct call_code codes[3];

    call_codes_find(names, 3, codes);
    assert_int_equal(codes[1].insns.count, 0);
    for (size_t f = 0; f < 3; f++) {
        const struct insn *insns = codes[f].insns.items;
        size_t count = codes[f].insns.count;
        assert_string_equal(codes[f].name, names[f]);
        if (!count)
            continue;
        assert_int_equal(insns[0].offset, 0);
        assert_true(insns[count - 1].traits & INSN_RETURN);
        assert_true(count >= 10);
        for (size_t i = 1; i < count; i++)
            assert_true((insns[i - 1].traits & INSN_BRANCH) ||
                        insns[i].offset == insns[i - 1].offset + insns[i - 1].length);
        call_code_done(&codes[f]);
    }
}

/* Returns the cycles per iteration on Zen 4 of an inner loop with @inner, entered ten times with
 * @trips iterations each. @outer is executed before each entry. */
static double entered_cycles(const char *outer, const char *inner, double trips)
{
    double counts[] = {1, 10, 10 * trips, 10, 1}, taken[] = {0, 0, 10 * trips - 10, 9, 0}, core = 0;
    struct str code = {0};
    struct err err = {0};
    struct memory memory;
    struct program_time time;
    struct machine *m = load_machine("znver4");

    str_addf(&code,
             "f:\n.Lfunc_begin0:\n\t.loc 0 1 0\n\txorl %%ecx, %%ecx\n"
             ".LBB0_2:\n\t.loc 0 2 1\n\t%s\n"
             ".LBB0_3:\n\t.loc 0 3 1\n\t%s\n\taddq $1, %%rax\n\tcmpq %%rsi, %%rax\n"
             "\tjb .LBB0_3\n"
             "\t.loc 0 4 1\n\taddq $1, %%rcx\n\tcmpq %%rsi, %%rcx\n\tjb .LBB0_2\n"
             "\t.loc 0 5 1\n\tretq\n",
             outer, inner);
    const struct program *p = read_program(moved_functions, str_text(&code));
    const struct program_run run = {.counts = counts, .taken = taken};
    struct program_code *c = program_code_new(p, &err);
    assert_non_null(c);
    assert_true(memory_of(m, &memory, &err));
    struct turns_walks *walks = turns_walks_new(c, &run);
    steady_time(c, &run, walks, m, &memory, NULL, &(struct core_share){.slots = 1, .ports = 1},
                &time);
    for (size_t i = 0; i < time.parts.count; i++)
        core = time.parts.items[i].repeats ? time.parts.items[i].core : core;
    program_time_done(&time);
    turns_walks_free(walks);
    program_code_free(c);
    program_free(p);
    machine_free(m);
    str_done(&code);
    return core;
}

/* The chain of a loop overlaps with that of the next entry if code around the loop starts a new
 * chain. Of four instructions, 80 iterations are in flight on Zen 4. Chains through memory start
 * anew at a new address. */
static void test_entries(void **state)
{
    static const struct { const char *outer, *inner; double chain, flight; } cases[] = {
        {"xorpd %xmm0, %xmm0", "addsd (%r9,%rax,8), %xmm0", 3, 80},
        {"movsd (%rdx), %xmm0", "addsd (%r9,%rax,8), %xmm0", 3, 80},
        {"mulsd %xmm1, %xmm0", "addsd (%r9,%rax,8), %xmm0", 3, 0},
        {"addq $8, %rdx", "addsd (%r9,%rax,8), %xmm0\n\tmovsd %xmm0, (%rdx)", 3, 0},
        {"nop", "movsd (%rdx), %xmm0\n\taddsd %xmm1, %xmm0\n\tmovsd %xmm0, (%rdx)", 12, 0},
        {"addq $8, %rdx", "movsd (%rdx), %xmm0\n\taddsd %xmm1, %xmm0\n\tmovsd %xmm0, (%rdx)", 12,
         32},
        {"movsd %xmm2, (%rdx)",
         "movsd (%rdx), %xmm0\n\taddsd %xmm1, %xmm0\n\tmovsd %xmm0, (%rdx)", 12, 32},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double trips = 1000, core = entered_cycles(cases[i].outer, cases[i].inner, trips),
                     want = cases[i].chain * (1 - cases[i].flight / trips);
        if (fabs(core - want) > 1e-3)
            fail_msg("case %zu: %.3f instead of %.3f cycles", i, core, want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_moved), cmocka_unit_test(test_directions),
                                       cmocka_unit_test(test_walk),
                                       cmocka_unit_test(test_turns), cmocka_unit_test(test_entries),
                                       cmocka_unit_test(test_library)};
    return cmocka_run_group_tests_name("code", tests, NULL, NULL);
}
