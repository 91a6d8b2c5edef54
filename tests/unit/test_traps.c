/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks for which other analysers are wrong: OSACA 0.7 (front end, loop-carried chains, aliases,
 * listings, unknown forms), llvm-mca (pop, whole functions, store forwarding). Each expected number
 * is derived by hand from the facts of the machine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/str.h"
#include "../support/support.h"

static struct machine *skylake, *skx, *n1;

static int setup(void **state)
{
    skylake = load_machine("skylake");
    skx = load_machine("skylake-avx512");
    n1 = load_machine("neoverse-n1");
    return 0;
}

static int teardown(void **state)
{
    machine_free(skylake);
    machine_free(skx);
    machine_free(n1);
    return 0;
}

static double bound(const struct machine *m, const char *text, enum bound_kind kind)
{
    struct kernel *k = kernel_of(text);
    struct analysis *a = analysis_new(k, 0, m);
    double cycles = a->bounds[kind];
    if (a->lower_bound)
        fail_msg("%s: a form is not known", text);
    analysis_free(a);
    kernel_free(k);
    return cycles;
}

static void assert_bound(const struct machine *m, const char *text, enum bound_kind kind,
                         double cycles)
{
    double got = bound(m, text, kind);
    if (fabs(got - cycles) > 1e-9)
        fail_msg("%s: %s %.4f, not %.4f", text, bound_name(kind), got, cycles);
}

/* The output of `objdump -d` is accepted unchanged. OSACA rejects it. */
static void test_objdump_lines(void **state)
{
    static const char text[] = "\n/tmp/a.out:     file format elf64-x86-64\n\n\nDisassembly of "
                               "section .text:\n\n0000000000001130 <sum>:\n"
                               "    1130:\t48 03 07             \tadd    (%rdi),%rax\n"
                               "    1133:\t48 83 c7 08          \tadd    $0x8,%rdi\n"
                               "    1137:\t48 39 f7             \tcmp    %rsi,%rdi\n"
                               "    113a:\t75 f4                \tjne    1130 <sum>\n";
    struct kernel *k = kernel_of(text);
    size_t count;
    const struct insn *insns = kernel_insns(k, 0, &count);
    assert_int_equal(count, 4);
    assert_string_equal(insns[0].form, "ADD (R64, M64)");
    assert_string_equal(insns[3].mnemonic, "jnz");
    kernel_free(k);
    assert_bound(skylake, text, BOUND_DEPENDENCIES, 1);
    /* There are a load fused with its addition, and a fused pair of comparison and jump. */
    assert_bound(skylake, text, BOUND_ISSUE, 0.75);
}

static void test_empty_input(void **state)
{
    static const char *const empty[] = {"",        "\n",    "   \n\t\n", "# nothing here\n",
                                        ".text\n", ".L1:\n"};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        struct err err = {0};
        struct kernel *k = kernel_from_text("empty", empty[i], strlen(empty[i]),
                                            &(struct kernel_options){0}, &err);
        assert_null(k);
        assert_true(err.what[0] != 0);
        err_clear(&err);
    }
}

/* Accepts Intel syntax with the scale first, and masked memory operands. */
static void test_operands(void **state)
{
    assert_bound(skylake, "mov eax, [rcx+4*rax]", BOUND_DEPENDENCIES, 5);
    assert_bound(skx,
                 "vmovups (%rdi), %zmm0{%k1}{z}\n vaddps 64(%rdi), %zmm1, %zmm2{%k1}\n vmovups "
                 "%zmm2, (%rsi){%k1}",
                 BOUND_MEMORY, 1);
    assert_bound(skx, "vaddps (%rdi), %zmm1, %zmm1{%k1}", BOUND_DEPENDENCIES, 4);
    /* Merging depends on the destination. */
    assert_bound(skx, "vaddps (%rdi), %zmm1, %zmm2{%k1}", BOUND_DEPENDENCIES, 4);
    /* Zeroing does not. */
    assert_bound(skx, "vaddps (%rdi), %zmm1, %zmm2{%k1}{z}", BOUND_DEPENDENCIES, 0);
}

/* llvm-mca treats its complete input as the body. Here the loop is found, and code outside of it
 * costs nothing. */
static void test_function_is_no_loop(void **state)
{
    static const char function[] = "f: pushq %rbx\n xorl %eax, %eax\n divq %rcx\n movl $100, %ecx\n"
                                   ".L2: addq (%rdi), %rax\n addq $8, %rdi\n decl %ecx\n jne .L2\n "
                                   "popq %rbx\n divq %rcx\n ret\n";
    struct kernel *k = kernel_of(function);
    size_t count;
    kernel_insns(k, 0, &count);
    assert_int_equal(count, 4);
    kernel_free(k);
    assert_bound(skylake, function, BOUND_PIPES, 0);
    assert_bound(skylake, function, BOUND_DEPENDENCIES, 1);
    /* The inner loop is the default, and the outer one can be selected. */
    k = kernel_of(
        "1: movq %rdx, %rsi\n2: addq (%rsi), %rax\n subq $8, %rsi\n jne 2b\n decq %rdx\n jne 1b\n");
    assert_int_equal(k->loop_count, 2);
    kernel_insns(k, 0, &count);
    assert_int_equal(count, 3);
    kernel_free(k);
}

/* The stack engine updates rsp: pops are loads (LLVM issue 152008), and pairs of push and pop
 * forward through the store buffer. */
static void test_stack(void **state)
{
    static const char pops[] = "popq %rax\n popq %rbx\n popq %rcx\n popq %rdx\n";
    assert_bound(skylake, pops, BOUND_PORTS, 2);
    assert_bound(skylake, pops, BOUND_ISSUE, 1);
    assert_bound(skylake, pops, BOUND_DEPENDENCIES, 0);
    assert_bound(skylake, "pushq %rax\n popq %rbx\n", BOUND_DEPENDENCIES, 0);   /* OSACA: 17 */
    assert_bound(skylake, "pushq %rax\n popq %rax\n", BOUND_DEPENDENCIES,
                 machine_number(skylake, "store_forward"));
    /* pop, the stack engine's µop, add */
    assert_bound(skylake, "popq %rax\n addq $8, %rsp\n", BOUND_ISSUE, 0.75);
}

static void test_registers(void **state)
{
    /* cmov reads its destination for any condition and width. */
    assert_bound(skylake, "testl %ecx, %ecx\n cmovnel %edx, %eax\n addl $1, %eax",
                 BOUND_DEPENDENCIES, 2);
    /* adc and sbb read and write the carry. A chain of three has length three, although no register
     * repeats. */
    assert_bound(skylake, "adcq %rdx, %r8\n adcq %rdx, %r9\n adcq %rdx, %r10", BOUND_DEPENDENCIES,
                 3);
    assert_bound(skylake, "sbbq %rdx, %r8\n sbbq %rdx, %r9", BOUND_DEPENDENCIES, 2);
    /* An addition in between writes the carry. */
    assert_bound(skylake, "addq %rdx, %r8\n adcq %rdx, %r9\n addq %rdx, %r10\n adcq %rdx, %r11",
                 BOUND_DEPENDENCIES, 1);
    /* ebp, bp and bpl are parts of rbp. */
    assert_bound(skylake, "imull $3, %ebp, %ebp\n addq $1, %rbp", BOUND_DEPENDENCIES, 4);
    assert_bound(skylake, "addb $1, %bpl\n imulq $3, %rbp, %rbp", BOUND_DEPENDENCIES, 4);
}

/* Zero idioms take a slot and no port, in each encoding, and end the chain. */
static void test_zero_idioms(void **state)
{
    static const char *const idioms[] = {
        "vpxor %xmm0, %xmm0, %xmm0",  "vpxor %ymm0, %ymm0, %ymm0",  "pxor %xmm0, %xmm0",
        "xorps %xmm0, %xmm0",         "vxorpd %ymm0, %ymm0, %ymm0", "psubd %xmm0, %xmm0",
        "vpsubb %xmm0, %xmm0, %xmm0", "pcmpgtd %xmm0, %xmm0",       "psubusw %xmm0, %xmm0",
        "vpsubsb %ymm0, %ymm0, %ymm0"};
    for (size_t i = 0; i < sizeof idioms / sizeof *idioms; i++) {
        struct str text = {0};
        str_addf(&text, "%s\n mulps %%xmm0, %%xmm0\n", idioms[i]);
        assert_bound(skylake, idioms[i], BOUND_PORTS, 0);
        assert_bound(skylake, idioms[i], BOUND_ISSUE, 0.25);
        assert_bound(skylake, str_text(&text), BOUND_DEPENDENCIES, 0);
        str_done(&text);
    }
    assert_bound(skylake, "xorl %eax, %eax\n subq %rbx, %rbx", BOUND_PORTS, 0);
}

/* Bounds chains through memory: read-modify-write, a store reloaded two iterations later, bases
 * incremented by lea, dependence cycles over several iterations. */
static void test_memory_chains(void **state)
{
    double forward = machine_number(skylake, "store_forward");
    assert_bound(skylake, "addq $1, (%rdx)", BOUND_DEPENDENCIES, forward + 1);
    assert_bound(skylake,
                 "movq (%rdi), %rax\n addq $1, %rax\n movq %rax, 16(%rdi)\n leaq 8(%rdi), %rdi",
                 BOUND_DEPENDENCIES, (forward + 1) / 2);
    assert_bound(skylake,
                 "movq (%rdi), %rax\n imulq $3, %rax, %rax\n movq %rax, 24(%rdi)\n addq $8, %rdi",
                 BOUND_DEPENDENCIES, fmax(1, (forward + 3) / 3));
    assert_bound(skylake, "movq %r8, %r9\n imulq %r10, %r9\n movq %r11, %r8\n movq %r9, %r11",
                 BOUND_DEPENDENCIES, 1.5);
}

/* On AArch64, a store is reloaded by address, and the increment of the base depends only on the
 * base. */
static void test_aarch64_chains(void **state)
{
    double forward =
        bound(n1, "ldr x1, [x0]\n add x1, x1, #1\n str x1, [x0]\n", BOUND_DEPENDENCIES);
    assert_true(forward >= 4);
    assert_bound(
        n1, "ldr d0, [x0], #8\n fmul d0, d0, d1\n str d0, [x2], #8\n subs x3, x3, #1\n b.ne .-16\n",
        BOUND_DEPENDENCIES, 1);
}

static void put_rows(struct str *text, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        str_addf(text, "addq %%r%zu, %%r%zu\n", 8 + i % 8, 8 + (i * 5 + 3) % 8);
}

/* 12 untaken jumps take slots. The work for long blocks is proportional to their length (OSACA
 * enumerates paths: 190 lines, 13 s). */
static void test_sizes(void **state)
{
    static const char jumps[] = "jne 1f\n jne 1f\n jne 1f\n jne 1f\n jne 1f\n jne 1f\n jne 1f\n "
                                "jne 1f\n jne 1f\n jne 1f\n jne 1f\n jne 1f\n1:\n";
    assert_bound(skylake, jumps, BOUND_ISSUE, 3);
    assert_true(bound(skylake, jumps, BOUND_PORTS) >= 6);
    struct str text = {0};
    put_rows(&text, 190);
    double short_block = bound(skylake, str_text(&text), BOUND_PORTS);
    put_rows(&text, 1710);
    assert_true(short_block == 190 / 4.0 &&
                bound(skylake, str_text(&text), BOUND_PORTS) == 1900 / 4.0);
    str_done(&text);
}

/* Pressure is distributed within the bound. The sum over the ports is preserved, and none exceeds
 * the bound. */
static void test_pressure_is_kept(void **state)
{
    struct kernel *k =
        kernel_of("vaddps %ymm1, %ymm2, %ymm3\n vshufps $1, %ymm1, %ymm2, %ymm4\n vpaddd %ymm1, "
                  "%ymm2, %ymm5\n vpaddd %ymm1, %ymm2, %ymm6\n"
                  "shlq $3, %rax\n addq %rbx, %rcx\n addq %rbx, %rdx\n imulq %rbx, %rsi\n");
    struct analysis *a = analysis_new(k, 0, skylake);
    double sum = 0, most = 0;
    for (unsigned i = 0; i < mapping_ports(skylake->mapping)->count; i++) {
        sum += a->totals[i];
        most = fmax(most, a->totals[i]);
    }
    assert_true(fabs(sum - 8) < 1e-9);
    assert_true(fabs(most - a->bounds[BOUND_PORTS]) < 1e-9);
    analysis_free(a);
    kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objdump_lines),
        cmocka_unit_test(test_empty_input),
        cmocka_unit_test(test_operands),
        cmocka_unit_test(test_function_is_no_loop),
        cmocka_unit_test(test_stack),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_zero_idioms),
        cmocka_unit_test(test_memory_chains),
        cmocka_unit_test(test_aarch64_chains),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_pressure_is_kept),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
