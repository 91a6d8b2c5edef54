/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules of single units of the simulated pipeline, compared with measurements or documents. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel.h"
#include "io/machine_file.h"
#include "simulate/simulate.h"
#include "../support/support.h"

/* Simulates the block @hex on @m. Frees the storage of steps. */
static struct simulation run(const struct machine *m, const char *hex, struct bounds *bounds)
{
    struct err err = {0};
    struct kernel *kernel = kernel_from_hex(ISA_X86_64, hex, &err);
    struct simulation sim;

    if (!kernel)
        fail_msg("%s: %s", hex, err.what);
    simulate_kernel(kernel, 0, m, &(struct simulate_options){0}, &sim, bounds);
    simulation_done(&sim);
    kernel_free(kernel);
    return sim;
}

static bool is_simulated(const struct machine *m)
{
    return strcmp(m->isa, isa_name(ISA_X86_64)) == 0 && !isnan(machine_number(m, "load_latency"));
}

/* No instruction passes a barrier. The times between barriers add up, in bounds and simulation. */
static void test_barriers(void **state)
{
    /* mulsd xmm0,xmm0; lfence; mulsd xmm1,xmm1; lfence */
    static const char fenced[] = "f20f59c0" "0faee8" "f20f59c9" "0faee8";
    static const char plain[] = "f20f59c0" "f20f59c9";
    /* mov rax,[rdi]; lfence; mov rcx,[rdi]; lfence */
    static const char loads[] = "488b07" "0faee8" "488b0f" "0faee8";
    char **ids = machine_ids();

    for (size_t i = 0; ids[i]; free(ids[i++])) {
        struct machine *m = load_machine(ids[i]);
        struct bounds bounds;
        if (is_simulated(m)) {
            struct simulation sim = run(m, fenced, &bounds);
            double with = bounds.cycles[BOUND_DEPENDENCIES];
            assert_true(sim.cycles >= bounds.total && bounds.total > sim.cycles * 0.9);
            run(m, plain, &bounds);   /* The two products execute in parallel. */
            if (with < 2 * bounds.cycles[BOUND_DEPENDENCIES] + 2)
                fail_msg("%s: %.2f with barriers, %.2f without", ids[i], with,
                         bounds.cycles[BOUND_DEPENDENCIES]);
            sim = run(m, loads, &bounds);
            assert_true(sim.cycles >= 2 * machine_number(m, "load_latency") + 2);
        }
        machine_free(m);
    }
    free(ids);
}

/* Microcode and waits take their separately measured time in the simulation. Fractions of cycles
 * accumulate, and neighbouring instructions have no influence. */
static void test_alone(void **state)
{
    static const struct { const char *machine, *hex; double cycles;
    } cases[] = {
        {"skylake",
         "f390"
         "ffc9",
         140},
        {"zen5-charted",
         "f390"
         "ffc9",
         65.9},
        {"skylake",
         "f390"
         "f390",
         280},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine *m = load_machine(cases[i].machine);
        struct bounds bounds;
        struct simulation sim = run(m, cases[i].hex, &bounds);
        if (fabs(sim.cycles - cases[i].cycles) > 1e-6 || sim.bounded)
            fail_msg("%s, %s: %.3f, not %.3f", cases[i].machine, cases[i].hex, sim.cycles,
                     cases[i].cycles);
        machine_free(m);
    }
}

/* Rename on Zen 2 forwards stores of general registers of 32 and 64 bits, for the same address
 * registers and displacement (Agner Fog: 2 cycles instead of 15). */
static void test_mirrored(void **state)
{
    static const struct { const char *hex; bool found; } cases[] = {
        /* mov [rsi],eax; add dword [rsi],5; mov ebx,[rsi]; mov eax,ebx */
        {"8906" "830605" "8b1e" "89d8", true},
        /* the same code for 64 bits at rsi-8 */
        {"488946f8" "488346f805" "488b5ef8" "4889d8", true},
        {"668906" "66830605" "668b1e" "6689d8", false},               /* operands of 16 bits */
        /* the same code with addresses relative to the program counter */
        {"890500010000" "8305f900000005" "8b1df3000000" "89d8", false},
    };
    struct machine *m = load_machine("znver2");

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bounds bounds;
        struct simulation sim = run(m, cases[i].hex, &bounds);
        if (cases[i].found ? sim.cycles != 2 : sim.cycles < 8)
            fail_msg("%s: %.2f cycles, bound %.2f", cases[i].hex, sim.cycles, bounds.total);
    }
    machine_free(m);
}

/* Chains of one cycle run at their bound if each iteration is renamed in one cycle. An eliminated
 * move does not affect the choice of ports (measured on a Haswell: within 2 % with and without the
 * mov). */
static void test_turns(void **state)
{
    static const char *const loops[] = {
        /* add edi,esi; mov ebx,esi; inc esi; cmp esi,-1; jc */
        "01f7" "89f3" "ffc6" "83feff" "72f5",
        "01f7" "ffc6" "89f3" "83feff" "72f5",
        "89f3" "01f7" "ffc6" "83feff" "72f5",
        "4801c3" "4889c2" "48ffc0" "4883f8ff" "72f1",     /* operands of 64 bits */
        "01f7" "ffc6" "83feff" "72f7",                    /* the same loop without the mov */
        "ffc3" "31fe" "ffc9" "75f8",                      /* inc ebx; xor esi,edi; dec ecx; jnz */
        "4183c801" "41f7d1" "ffc9" "75f5",                /* or r8d,1; not r9d; dec ecx; jnz */
        /* shl eax,1; sub edx,3; mov ebx,[rbp+8]; dec ecx; jnz */
        "c1e001" "83ea03" "8b5d08" "ffc9" "75f3",
    };
    static const char *const ids[] = {"haswell",        "broadwell",      "skylake",
                                      "skylake-avx512", "icelake-server", "alderlake-p",
                                      "sapphirerapids"};

    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct machine *m = load_machine(ids[i]);
        for (size_t k = 0; k < sizeof loops / sizeof *loops; k++) {
            struct bounds bounds;
            struct simulation sim = run(m, loops[k], &bounds);
            if (sim.cycles > bounds.total + 0.021)
                fail_msg("%s, %s: %.3f, bound %.3f", ids[i], loops[k], sim.cycles, bounds.total);
        }
        machine_free(m);
    }
}

/* Haswell's decoders lack the pattern 3-1: an instruction of three µops is decoded alone. Skylake
 * decodes another instruction in the same cycle. */
static void test_three_uops(void **state)
{
    static const char three[] = "4887d8" "90" "4887d8" "90";   /* xchg rax,rbx; nop, twice */
    static const struct {
        const char *machine;
        double decode;
    } cases[] = {{"haswell", 4}, {"broadwell", 4}, {"skylake", 2}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine *m = load_machine(cases[i].machine);
        struct bounds bounds;
        struct simulation sim = run(m, three, &bounds);
        if (fabs(bounds.frontend.decode - cases[i].decode) > 1e-9 || sim.cycles < cases[i].decode)
            fail_msg("%s: %.2f by the decoders, %.2f simulated", cases[i].machine,
                     bounds.frontend.decode, sim.cycles);
        machine_free(m);
    }
}

/* Checks a loop of @hex on @m whose last instruction is its branch. Bounds and simulation are
 * @cycles, and the limit is @kind. */
static void check_loop(struct machine *m, const char *hex, double cycles, enum bound_kind kind)
{
    struct bounds bounds;
    struct simulation sim = run(m, hex, &bounds);

    if (fabs(bounds.total - cycles) > 1e-9 || fabs(sim.cycles - cycles) > 1e-9 ||
        bounds.bottleneck != kind)
        fail_msg("%s, %s: bound %.3f (%s), simulated %.3f, not %.3f (%s)", m->id, hex, bounds.total,
                 bound_name(bounds.bottleneck), sim.cycles, cycles, bound_name(kind));
    machine_free(m);
}

static struct machine *with_branches(const char *id, const char *branches)
{
    struct machine *m = load_machine(id);
    machine_set_fact(m, "taken_branches", branches, "", "");
    return m;
}

/* A branch that is always taken closes the loop. The number of iterations per cycle is limited
 * (fact taken_branches). */
static void test_taken_branch(void **state)
{
    /* movzx edx, byte [rax+1]; add rax, 1; test dl, 223; jne */
    static const char search[] = "0fb650014883c001f6c2df75f3";

    check_loop(load_machine("sapphirerapids"), search, 1, BOUND_FRONTEND);
    /* movzx, an addition at rename, a fused pair on p06: two iterations per cycle */
    check_loop(with_branches("sapphirerapids", "2"), search, 0.5, BOUND_PORTS);
    /* dec rcx; jne: even unrolled it takes a cycle, because of its chain */
    check_loop(load_machine("sapphirerapids"), "48ffc975fb", 1, BOUND_DEPENDENCIES);
    /* jmp to itself, which uses no port */
    check_loop(load_machine("sapphirerapids"), "ebfe", 1, BOUND_FRONTEND);
    /* test rcx, rcx; jne */
    check_loop(load_machine("znver4"), "4885c975fb", 1, BOUND_FRONTEND);
    /* Eight nops and a fused pair: nine slots at six per cycle. Not every cycle has a branch, and
     * cycles have slots of two iterations. */
    check_loop(load_machine("sapphirerapids"),
               "0f1f000f1f000f1f000f1f000f1f000f1f000f1f000f1f004885c975e3", 1.5, BOUND_ISSUE);
}

/* Draws timelines of given steps. The first instruction is fetched in cycle 1, renamed in 4,
 * dispatched in 7, has its result in 10 and retires in 12. */
static void test_stages(void **state)
{
    const struct simulated_step step = {
        .fetch = 1, .issue = 4, .dispatch = 7, .done = 10, .retire = 12};
    /* This is the step of an instruction without a µop. */
    const struct simulated_step moved = {
        .fetch = 1, .issue = 2, .dispatch = 2, .done = 2, .retire = 4};
    char line[16] = "", other[16] = "";

    for (int32_t cycle = 0; cycle < 14; cycle++) {
        line[cycle] = stage_glyph(stage_at(&step, cycle));
        other[cycle] = stage_glyph(stage_at(&moved, cycle));
    }
    assert_string_equal(line, " F..I--D==__R ");
    assert_string_equal(other, " FD_R         ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barriers), cmocka_unit_test(test_alone),
        cmocka_unit_test(test_mirrored), cmocka_unit_test(test_turns),
        cmocka_unit_test(test_three_uops),
        cmocka_unit_test(test_taken_branch), cmocka_unit_test(test_stages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
