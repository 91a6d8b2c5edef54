/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "isa/forms.h"
#include "simulate/simulate.h"
#include "../support/support.h"

static struct machine *skylake, *haswell, *zen;

static int setup(void **state)
{
    skylake = load_machine("skylake");
    haswell = load_machine("haswell");
    zen = load_machine("znver1");
    return 0;
}

static int teardown(void **state)
{
    machine_free(skylake);
    machine_free(haswell);
    machine_free(zen);
    return 0;
}

static struct analysis *analyse(const struct machine *m, const char *source, struct kernel **k)
{
    *k = kernel_of(source);
    return analysis_new(*k, 0, m);
}

static double bound(const struct machine *m, const char *source, enum bound_kind kind)
{
    struct kernel *k;
    struct analysis *a = analyse(m, source, &k);
    double cycles = a->bounds[kind];
    assert_false(a->unknown);
    analysis_free(a);
    kernel_free(k);
    return cycles;
}

/* No time below the port bound, here of four loads on two ports, is possible on such a CPU. */
static void test_refute(void **state)
{
    struct err err = {0};
    /* four loads */
    struct kernel *k = kernel_from_hex(ISA_X86_64, "488b07488b4f08488b5710488b5f18", &err);
    struct block_work *w = block_work_new(skylake);
    struct str reason = {0};
    size_t count;
    assert_non_null(k);
    const struct insn *insns = kernel_insns(k, 0, &count);
    assert_true(bounds_refute(w, insns, count, 1.75, &reason));
    assert_string_equal(str_text(&reason), "below the ports bound of skylake, 2.00 cycles");
    /* 1.95 is within the error of the clock. */
    assert_false(bounds_refute(w, insns, count, 1.95, &reason));
    assert_false(bounds_refute(w, insns, count, 2, &reason));
    kernel_free(k);
    /* Eight nops at four per cycle keep no port busy. */
    k = kernel_from_hex(ISA_X86_64, "9090909090909090", &err);
    insns = kernel_insns(k, 0, &count);
    str_clear(&reason);
    assert_true(bounds_refute(w, insns, count, 1.75, &reason));
    assert_string_equal(str_text(&reason), "below the issue bound of skylake, 2.00 cycles");
    assert_false(bounds_refute(w, insns, count, 2, &reason));
    kernel_free(k);
    block_work_free(w);
    str_done(&reason);
}

/* A form whose row is an estimate contradicts no time, and has no effect on the next block. */
static void test_refute_after_estimate(void **state)
{
    struct err err = {0};
    struct machine *m = load_machine("sapphirerapids");
    struct block_work *w = block_work_new(m);
    struct kernel *guessed = kernel_from_hex(ISA_X86_64, "c5fc77", &err),   /* vzeroall */
                  *loads = kernel_from_hex(ISA_X86_64, "488b07488b4f08488b5710488b5f18488b7720488b"
                                                       /* Six instructions at three per cycle. */
                                                       "6f28", &err);
    struct str reason = {0};
    size_t count;

    const struct insn *insns = kernel_insns(guessed, 0, &count);
    assert_false(bounds_refute(w, insns, count, 0.01, &reason));
    insns = kernel_insns(loads, 0, &count);
    assert_true(bounds_refute(w, insns, count, 1.75, &reason));
    str_done(&reason);
    kernel_free(guessed);
    kernel_free(loads);
    block_work_free(w);
    machine_free(m);
}

static void test_many_latency_rules(void **state)
{
    struct machine *m = load_machine("skylake");

    for (int to = 2; to < 12; to++)
        machine_add_latency(m, "IMUL (R64, R64)", to, to, 50, "made up");
    machine_add_latency(m, "IMUL *", LATENCY_ANY, 0, 7, "made up");
    machine_add_latency(m, "IMUL *", LATENCY_ANY, 0, 8, "made up");
    assert_true(bound(m, "imulq %rax, %rax", BOUND_DEPENDENCIES) == 7);
    machine_free(m);
}

/* An address rule applies to base and index, a rule of one part only to that part. The first match
 * counts. */
static void test_address_parts(void **state)
{
    struct machine *m = load_machine("skylake");

    machine_put_latency(m, "LEA_B_I_D8 (R64)", LATENCY_INDEX, LATENCY_ANY, 7, "made up");
    machine_add_latency(m, "LEA_B_I_D8 (R64)", LATENCY_ADDRESS, LATENCY_ANY, 9, "made up");
    assert_true(bound(m, "leaq 8(%rax,%rcx), %rax", BOUND_DEPENDENCIES) == 9);
    assert_true(bound(m, "leaq 8(%rcx,%rax), %rax", BOUND_DEPENDENCIES) == 7);
    machine_free(m);
}

/* Some instructions are slower among copies of themselves than their ports require. Their time is
 * proportional to their number, and other instructions of the loop overlap with them. */
static void test_alone(void **state)
{
    static const struct { const char *machine, *source; double cycles; } cases[] = {
        {"skylake", "1: pause; decl %ecx; jnz 1b", 140},
        {"skylake", "1: pause; pause; decl %ecx; jnz 1b", 280},
        {"skylake", "1: nop; loop 1b", 5},
        {"haswell", "1: nop; loop 1b", 5},
        {"sandybridge", "1: nop; loop 1b", 5},
        {"alderlake-p", "1: nop; loopne 1b", 5.97},
        {"znver4", "1: pause; decl %ecx; jnz 1b", 65},
        {"zen5-charted", "1: pause; decl %ecx; jnz 1b", 65.9},
        {"skylake", "rdtsc; xgetbv", 32},
        {"znver2", "1: fsin; decl %ecx; jnz 1b", 43},
        {"znver3", "1: fcos; decl %ecx; jnz 1b", 36},
        {"zen5-charted", "1: fsin; fcos; decl %ecx; jnz 1b", 73},
    };
    struct kernel *k;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine *m = load_machine(cases[i].machine);
        struct analysis *a = analyse(m, cases[i].source, &k);
        if (fabs(a->cycles - cases[i].cycles) > 1e-9 || a->bottleneck != BOUND_ISSUE ||
            !strstr(a->sentence, "minimum cycles of each"))
            fail_msg("%s, %s: %.3f, %s", cases[i].machine, cases[i].source, a->cycles, a->sentence);
        analysis_free(a);
        kernel_free(k);
        machine_free(m);
    }
}

/* Every latency rule from LATENCY_ALONE is to LATENCY_ALONE and names an existing form. The core
 * stores the rule's cycles for the form. */
static void test_all_alone(void **state)
{
    const struct forms *forms = shipped_forms_of(ISA_X86_64);
    char **ids = machine_ids();
    size_t rules = 0;

    for (size_t k = 0; ids[k]; k++) {
        struct machine *m = load_machine(ids[k]);
        struct core *core = core_new(m);
        for (size_t i = 0; i < m->latency_count; i++) {
            const struct latency_rule *rule = &m->latencies[i];
            if (rule->from != LATENCY_ALONE)
                continue;
            if (rule->to != LATENCY_ALONE || !(rule->cycles > 1) || !forms_find(forms, rule->form))
                fail_msg("%s: %s", ids[k], rule->form);
            struct insn insn = {.isa = ISA_X86_64};
            snprintf(insn.form, sizeof insn.form, "%s", rule->form);
            const struct op *op = core_op(core, &insn);
            assert_true(op->alone && op->alone->cycles == rule->cycles);
            rules++;
        }
        core_free(core);
        machine_free(m);
        free(ids[k]);
    }
    free(ids);
    assert_true(rules > 500);
}

/* AMD CPUs do not rename the second byte separately, so writing it depends on the register. Some
 * operations of a register with itself have no dependence. */
static void test_amd_registers(void **state)
{
    static const char *const ids[] = {"znver1", "znver2", "znver3", "znver4", "zen5-charted"};

    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct machine *m = load_machine(ids[i]);
        assert_true(bound(m, "mov %al, %ah", BOUND_DEPENDENCIES) == 1);
        assert_true(bound(m, "mov %bl, %ah; mov %bl, %al", BOUND_DEPENDENCIES) == 2);
        assert_true(bound(m, "pandn %xmm0, %xmm0; paddd %xmm0, %xmm0", BOUND_DEPENDENCIES) == 0);
        assert_true(bound(m, "andnps %xmm0, %xmm0; addps %xmm0, %xmm0", BOUND_DEPENDENCIES) == 0);
        assert_true(bound(m, "pcmpeqq %xmm0, %xmm0; paddq %xmm0, %xmm0", BOUND_DEPENDENCIES) == 0);
        machine_free(m);
    }
}

/* A gather clears its mask, regardless of the loaded data. The next gather with this mask does not
 * wait for the loads. Readers of the loaded elements do. */
static void test_gather_mask(void **state)
{
    struct kernel *k;

    struct analysis *a = analyse(skylake, "vpgatherdd %ymm4, (%rsi,%ymm2,4), %ymm0", &k);
    /* The merge into ymm0 takes 1 cycle and eight loads 4 cycles. 5 cycles were measured. */
    assert_true(a->bounds[BOUND_DEPENDENCIES] == 1 && a->bounds[BOUND_PORTS] == 4 &&
                a->cycles == 5);
    analysis_free(a);
    kernel_free(k);
    assert_true(bound(skylake,
                      "vpcmpeqd %ymm4, %ymm4, %ymm4; vpgatherdd %ymm4, (%rsi,%ymm2,4), %ymm0; "
                      "vpand %ymm4, %ymm5, %ymm2",
                      BOUND_DEPENDENCIES) <= 1);
    assert_true(bound(skylake,
                      "vpcmpeqd %ymm4, %ymm4, %ymm4; vpgatherdd %ymm4, (%rsi,%ymm2,4), %ymm0; "
                      "vpand %ymm0, %ymm5, %ymm2",
                      BOUND_DEPENDENCIES) > 15);
}

/* String instructions increment their pointers, so the next address does not depend on the loaded
 * value. Only the accumulator depends on it. */
static void test_string_pointers(void **state)
{
    const struct machine *machines[] = {skylake, haswell, zen};
    static const struct { const char *source; double chain; } cases[] = {
        {"movsb", 1}, {"movsq", 1}, {"stosb", 1}, {"stosl", 1}, {"lodsl", 1},
        /* The loaded value is the next address, which is slower than the increment. */
        {"lodsq; mov %rax, %rsi", 0},
    };

    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            double cycles = bound(machines[k], cases[i].source, BOUND_DEPENDENCIES);
            if (cases[i].chain > 0 ? fabs(cycles - cases[i].chain) > 1e-9 : !(cycles > 3))
                fail_msg("%s: %.2f", cases[i].source, cycles);
        }
}

static void test_pairs_of_operands(void **state)
{
    static const struct { const char *machine, *source; double cycles;
    } cases[] = {
        {"zen5-charted", "leaq 8(%rax,%rcx), %rax", 2},
        {"zen5-charted", "leaq 8(%rcx,%rax), %rax", 1},
        {"zen5-charted", "leaq (%rcx,%rax,4), %rax", 1},
        {"znver3", "leaq 8(%rax,%rcx), %rax", 2},
        {"znver3", "leaq 8(%rcx,%rax,2), %rax", 1},
        {"skylake", "leaq 8(%rcx,%rax), %rax", 3},
        {"zen5-charted", "mulxq %rbx, %rdx, %rcx", 3},
        {"zen5-charted", "mulxq %rbx, %rcx, %rdx", 4},
        {"zen5-charted", "mulxq %rbx, %rdx, %rdx", 4},
        {"zen5-charted", "mulq %rbx", 3},
        {"zen5-charted", "movl %edx, %eax\n mull %ebx", 4},
        {"zen5-charted", "movq %rdx, %rax\n imulq (%rbx)", 4},
        {"znver4", "mulxq %rbx, %rdx, %rcx", 3},
        {"znver4", "movq %rdx, %rax\n mulq %rbx", 4},
        {"znver4", "kmovw %eax, %k1\n kmovw %k1, %eax", 9},
        {"znver4", "vcmpps $1, %ymm0, %ymm1, %k1\n vmovaps %ymm2, %ymm0{%k1}", 5},
        {"znver4", "vpcmpgtd (%rsi), %zmm0, %k1\n vmovdqa32 %zmm2, %zmm0{%k1}", 6},
        {"znver4", "vptest %xmm0, %xmm0\n setz %al\n vmovd %eax, %xmm0", 9},
        {"znver4", "vpermb %zmm0, %zmm1, %zmm0", 5},
        {"znver4", "shldq %cl, %rbx, %rax", 2},
        {"znver4", "xchgb %ah, %al", 2},
        {"znver4", "fstpl (%rsi)\n fldl (%rsi)", 13},
        /* A zeroing mask does not end the dependence on the destination. */
        {"znver4", "vpcompressd %ymm1, %ymm0{%k1}{z}", 4},
        {"zen4-charted", "vpexpandd %zmm1, %zmm0{%k1}{z}", 5},
        /* The flags before a shift by cl do not matter. */
        {"znver4", "shlq %cl, %rax\n shlq %cl, %rdx", 1},
        {"zen4-charted", "shlq %cl, %rax\n shlq %cl, %rdx", 1},
        {"zen3-charted", "shlq %cl, %rax\n shlq %cl, %rdx", 2},
        /* A broadcast loads one element. Its operation costs the same as on registers. */
        {"sapphirerapids", "vpternlogd $1, (%rsi){1to16}, %zmm1, %zmm0", 1},
        {"sapphirerapids", "vfmadd132pd (%rsi){1to8}, %zmm1, %zmm0", 4},
        {"sapphirerapids", "vpaddd (%rsi){1to4}, %xmm0, %xmm0", 1},
        {"skylake-avx512", "vfmadd132pd (%rsi){1to4}, %ymm1, %ymm0", 4},
        {"skylake", "mulxq %rbx, %rdx, %rcx", 3},
        {"skylake", "mulxq %rbx, %rcx, %rdx", 4},
        {"skylake", "mulxq %rbx, %rdx, %rdx", 4},
        {"sapphirerapids", "mulxq %rbx, %rdx, %rcx", 3},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine *m = load_machine(cases[i].machine);
        double got = bound(m, cases[i].source, BOUND_DEPENDENCIES);
        if (got != cases[i].cycles)
            fail_msg("%s, %s: %g", cases[i].machine, cases[i].source, got);
        machine_free(m);
    }
}

static void assert_chain(const char *source, double cycles)
{
    double got = bound(skylake, source, BOUND_DEPENDENCIES);
    if (fabs(got - cycles) > 1e-9)
        fail_msg("%s: chain of %.4f, not %.4f", source, got, cycles);
}

/* Latencies on Skylake: addition 1, multiplication 3, load 5 (pointer chase 4), store and reload 4
 * (vectors 5). */
static void test_registers(void **state)
{
    assert_chain("addq $1, %rax", 1);
    assert_chain("imulq %rax, %rax", 3);
    assert_chain("movq (%rax), %rax", 4);
    assert_chain("movq (%rax,%rbx), %rax", 5);
    assert_chain("movq %rbx, %rax", 0);
    assert_chain("addl $1, %ebp\n addq %rbp, %rbp", 2);        /* ebp is the lower half of rbp. */
    assert_chain("addl $1, %eax\n movq %rax, %rbx\n imulq %rbx, %rbx\n movq %rbx, %rax", 4);
    assert_chain("movb %bl, %al", 1);                          /* The write merges into rax. */
    assert_chain("movzbl %bl, %eax\n addl %eax, %ecx", 1);
    assert_chain("addps %xmm1, %xmm0", 4);
    assert_chain("vaddps %xmm1, %xmm2, %xmm0", 0);
    assert_chain("vfmadd231pd %ymm1, %ymm2, %ymm0", 4);
    /* sqrtsd preserves the upper half of xmm0. */
    assert_chain("sqrtsd %xmm1, %xmm0", 18);
    /* Each load preserves the other half. */
    assert_chain("movlps (%rdi), %xmm0\n movhps 8(%rdi), %xmm0", 2);
    assert_chain("movhps %xmm0, (%rdi)\n movlhps %xmm1, %xmm0", 1);
    /* The load clears the upper half. */
    assert_chain("movsd (%rdi), %xmm0\n movhpd 8(%rdi), %xmm0", 0);
    /* Skylake has a false dependence on the destination. */
    assert_chain("popcntq %rbx, %rax", 3);
    /* lzcnt has a false dependence on the destination on Haswell, but not on Skylake. */
    assert_chain("lzcntq %rbx, %rax", 0);
    assert_true(fabs(bound(haswell, "lzcntq %rbx, %rax", BOUND_DEPENDENCIES) - 3) < 1e-9);
    /* It takes two cycles in one direction and one in the other (uops.info). */
    assert_chain("xchgq %rax, %rbx", 1.5);
}

static void test_idioms(void **state)
{
    assert_chain("xorl %eax, %eax\n addl %ebx, %eax\n imull %eax, %eax", 0);
    assert_chain("vpxor %xmm0, %xmm0, %xmm0\n vaddps %xmm1, %xmm0, %xmm0", 0);
    assert_chain("pcmpeqd %xmm0, %xmm0\n addps %xmm1, %xmm0", 0);
    assert_chain("xorb %al, %al", 1);   /* no zero idiom, because it merges into rax */
    assert_true(
        bound(skylake, "vpxor %xmm0, %xmm0, %xmm0\n vpxor %xmm1, %xmm1, %xmm1", BOUND_PORTS) == 0);
}

static void test_flags(void **state)
{
    assert_chain("adcq %rbx, %rax", 1);
    /* The carry depends on both additions. */
    assert_chain("adcq %rbx, %rcx\n adcq %rbx, %rdx", 2);
    assert_chain("cmpq %rbx, %rcx\n cmovzq %rdx, %rax", 1);    /* cmov reads its destination. */
    assert_chain("incq %rax\n adcq %rbx, %rcx", 1);            /* inc preserves the carry. */
    assert_chain("addq $1, %rax\n adcq %rbx, %rcx\n", 1);
    /* The shifted result does not depend on the flags. */
    assert_chain("movl $1, %esi\n shlq %cl, %rsi\n testl $1, %esi", 0);
}

static void test_memory(void **state)
{
    assert_chain("addq $1, (%rdx)", 5);
    assert_chain("movq (%rdx), %rax\n addq $1, %rax\n movq %rax, (%rdx)", 5);
    assert_chain("vaddsd (%rsp), %xmm0, %xmm1\n vmovsd %xmm1, (%rsp)", 9);
    /* A store is reloaded two iterations later: (4 + 1) / 2, with an increment by add and one by
     * lea. */
    assert_chain("movq -16(%rdi), %rax\n addq $1, %rax\n movq %rax, (%rdi)\n addq $8, %rdi", 2.5);
    assert_chain("movq -16(%rdi), %rax\n addq $1, %rax\n movq %rax, (%rdi)\n leaq 8(%rdi), %rdi",
                 2.5);
    assert_chain(
        "movq -8(%rdi,%rcx,8), %rax\n addq $1, %rax\n movq %rax, (%rdi,%rcx,8)\n incq %rcx", 5);
    /* other addresses */
    assert_chain("movq (%rsi), %rax\n movq %rax, (%rdi)\n addq $8, %rsi\n addq $8, %rdi", 1);
    /* The pointer itself is in memory, on the stack. */
    assert_chain("movq 8(%rsp), %rax\n addl $1, (%rax)", 5);
    /* Half of the loaded bytes were stored recently, so the load waits for the cache. */
    assert_true(bound(skylake, "movl %eax, (%rdi)\n movq (%rdi), %rax", BOUND_DEPENDENCIES) >= 13);
    assert_chain("pushq %rax\n popq %rax", 4);
    assert_chain("pushq %rax\n popq %rbx", 0);
    /* The last stored value is moved, without another operation. */
    assert_chain("pushq (%rsp)", 4);
    assert_true(bound(skylake, "pushq %rax\n popq %rbx", BOUND_PORTS) <= 1);
}

static void test_several_iterations(void **state)
{
    /* a <- b <- c <- a * a: one multiplication per three iterations. The moves cost nothing. */
    assert_chain(
        "movq %rax, %rdx\n movq %rbx, %rax\n movq %rcx, %rbx\n movq %rdx, %rcx\n imulq %rcx, %rcx",
        1);
}

/* The analysis of dense dependences is fast. Each of 200 instructions reads two earlier results. */
static void test_dense(void **state)
{
    static const char *const names[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9"};
    struct str text = {0};
    for (int i = 0; i < 200; i++)
        str_addf(&text, "addq %%%s, %%%s\n addq %%%s, %%%s\n", names[(i + 3) % 8], names[i % 8],
                 names[(i + 5) % 8], names[i % 8]);
    /* Each register is the target of 50 additions. */
    assert_true(bound(skylake, str_text(&text), BOUND_DEPENDENCIES) >= 50);
    str_done(&text);
}

static void test_chain_lines(void **state)
{
    struct kernel *k;
    struct analysis *a = analyse(
        skylake, "addq $1, %rbx\n movq (%rdx), %rax\n addq $1, %rax\n movq %rax, (%rdx)\n", &k);
    assert_int_equal(a->bottleneck, BOUND_DEPENDENCIES);
    assert_false(a->rows[0].flags & ROW_CHAIN);
    for (int i = 1; i < 4; i++)
        assert_true(a->rows[i].flags & ROW_CHAIN);
    assert_non_null(strstr(a->sentence, "through memory"));
    analysis_free(a);
    kernel_free(k);
}

static void test_front_end(void **state)
{
    /* 12 untaken branches: two per cycle on ports 0 and 6. */
    assert_true(bound(skylake,
                      "jne 1f\n jne 1f\n jne 1f\n jne 1f\n jne 1f\n jne 1f\n jne 1f\n jne 1f\n jne "
                      "1f\n jne 1f\n jne 1f\n jne 1f\n1:\n",
                      BOUND_PORTS) >= 6);
    /* An instruction has ten bytes, and the decoders receive 16 bytes per cycle. */
    assert_true(fabs(bound(skylake, "movabsq $0x123456789abcdef0, %rax", BOUND_FRONTEND) -
                     10.0 / 16) < 1e-9);
    /* Prefix 66 with a 16-bit immediate changes the length, which costs three cycles. */
    assert_true(bound(skylake, "addw $0x1234, %ax", BOUND_FRONTEND) >= 3);
    /* Instructions of two µops need the first decoder, one per cycle. */
    assert_true(fabs(bound(skylake, "xchgq %rax, %rbx\n xchgq %rcx, %rdx", BOUND_FRONTEND) - 2) <
                1e-9);
    /* Haswell does not send fusible instructions to the last decoder, which leaves three per
     * cycle. */
    assert_true(fabs(bound(haswell, "cmpq %rax, %rbx", BOUND_FRONTEND) - 1.0 / 3) < 1e-9);
    assert_true(bound(skylake, "cmpq %rax, %rbx", BOUND_FRONTEND) < 0.33);
    /* A three-operand instruction with an indexed operand is split at rename. */
    assert_true(fabs(bound(skylake, "vaddps (%rdi,%rcx), %ymm0, %ymm1", BOUND_ISSUE) - 0.5) < 1e-9);
    assert_true(fabs(bound(skylake, "vaddps (%rdi), %ymm0, %ymm1", BOUND_ISSUE) - 0.25) < 1e-9);
    assert_true(fabs(bound(skylake, "addq (%rdi,%rcx), %rax", BOUND_ISSUE) - 0.25) < 1e-9);
    /* The stack engine adds a synchronisation µop. */
    assert_true(fabs(bound(skylake, "popq %rax\n addq $8, %rsp", BOUND_ISSUE) - 0.75) < 1e-9);
}

/* Returns the slots of @line on @m, which has six per cycle. */
static double slots(const struct machine *m, const char *line)
{
    return bound(m, line, BOUND_ISSUE) * 6;
}

/* If micro_ops counts slots without an index, an instruction that an index splits takes one more
 * slot for each pair that shared one. Loads, gathers (always one) and instructions with a slot per
 * µop are not split. With rule 'general', only one-slot instructions on general registers split. */
static void test_index_where_slots_count(void **state)
{
    static const struct { const char *rule; double add, compare, three, store, modify;
    } rules[] = {
        {"none", 1, 1, 1, 1, 2},
        {"three-sources", 1, 1, 2, 1, 2},
        {"not-two-address", 1, 2, 2, 1, 2},
        {"general", 2, 2, 1, 2, 2},
        {"all", 2, 2, 2, 2, 4},
    };
    struct machine *m = load_machine("golden-cove-charted");
    struct mapping_entry entry = *mapping_find(m->mapping, "VPADDD (XMM, XMM, M128)"),
                         gather = entry;

    assert_true(entry.micro_ops == 1 && entry.usage.count == 2);
    gather.form = (char *)"VPGATHERDD (YMM, VSIB_YMM, YMM)";
    mapping_set(m->mapping, &gather);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        machine_set_fact(m, "unlaminate", rules[i].rule, "", "");
        assert_float_equal(slots(m, "addq (%rdi,%rcx), %rax"), rules[i].add, 1e-9);
        assert_float_equal(slots(m, "cmpq (%rdi,%rcx), %rax"), rules[i].compare, 1e-9);
        assert_float_equal(slots(m, "vpaddd (%rdi,%rcx), %xmm0, %xmm1"), rules[i].three, 1e-9);
        assert_float_equal(slots(m, "movq %rax, (%rdi,%rcx)"), rules[i].store, 1e-9);
        assert_float_equal(slots(m, "addq %rax, (%rdi,%rcx)"), rules[i].modify, 1e-9);
        assert_float_equal(slots(m, "vpaddd (%rdi), %xmm0, %xmm1"), 1, 1e-9);
        assert_float_equal(slots(m, "movq (%rdi,%rcx), %rax"), 1, 1e-9);
        assert_float_equal(slots(m, "vpgatherdd %ymm4, (%rsi,%ymm2,4), %ymm0"), 1, 1e-9);
    }
    entry.micro_ops = 2;
    mapping_set(m->mapping, &entry);
    assert_float_equal(slots(m, "vpaddd (%rdi,%rcx), %xmm0, %xmm1"), 2, 1e-9);
    machine_free(m);
}

/* Returns the source of µops of a loop at the start of a block: @nops one-byte nops, then @more,
 * then a macro-fused pair. */
static enum frontend_source source_of(const struct machine *m, int nops, const char *more,
                                      double *predecode)
{
    struct str text = {0};
    struct kernel *k;
    str_add(&text, "1:\n");
    for (int i = 0; i < nops; i++)
        str_add(&text, "nop\n");
    str_addf(&text, "%sdecl %%eax\n jne 1b\n", more);
    struct analysis *a = analyse(m, str_text(&text), &k);
    enum frontend_source source = a->frontend.source;
    if (predecode)
        *predecode = a->frontend.predecode;
    analysis_free(a);
    kernel_free(k);
    str_done(&text);
    return source;
}

/* Capacity of the µop cache per block of code: on Skylake and Haswell three lines of six µops per
 * 32 bytes, on Golden Cove six lines of eight per 64. */
static void test_uop_cache(void **state)
{
    struct machine *golden = load_machine("sapphirerapids");
    double predecode;
    /* There are 18 µops, of which the fused pair is one. */
    assert_int_equal(source_of(skylake, 17, "", NULL), SOURCE_UOP_CACHE);
    assert_int_equal(source_of(skylake, 18, "", NULL), SOURCE_DECODERS);
    assert_int_equal(source_of(haswell, 17, "", NULL), SOURCE_LOOP_BUFFER);
    /* The loop buffer does not replay code that the µop cache lacks. */
    assert_int_equal(source_of(haswell, 18, "", NULL), SOURCE_DECODERS);
    assert_int_equal(source_of(golden, 47, "", NULL), SOURCE_LOOP_BUFFER);
    assert_int_equal(source_of(golden, 48, "", NULL), SOURCE_DECODERS);
    /* The predecoder takes four cycles for 16 nops in 16 bytes, five per cycle, and two for the
     * other 8 and the pair. */
    assert_int_equal(source_of(skylake, 24, "", &predecode), SOURCE_DECODERS);
    assert_true(predecode == 6);
    /* A microcoded instruction occupies a line. There are two of them, and a line for the pair. */
    assert_int_equal(source_of(skylake, 0, "btq %rax, (%rdi)\n btq %rax, (%rdi)\n", NULL),
                     SOURCE_UOP_CACHE);
    assert_int_equal(
        source_of(skylake, 0, "btq %rax, (%rdi)\n btq %rax, (%rdi)\n btq %rax, (%rdi)\n", NULL),
        SOURCE_DECODERS);
    /* A line has two branches. Three lines have room for five untaken branches and the pair's
     * branch, but not for six. */
    assert_int_equal(source_of(skylake, 0, "jo 2f\n jo 2f\n jo 2f\n jo 2f\n jo 2f\n2:\n", NULL),
                     SOURCE_UOP_CACHE);
    assert_int_equal(
        source_of(skylake, 0, "jo 2f\n jo 2f\n jo 2f\n jo 2f\n jo 2f\n jo 2f\n2:\n", NULL),
        SOURCE_DECODERS);
    machine_free(golden);
}

/* A move fuses with the next operation if the operation overwrites the move's destination, with the
 * same width, without memory, and without the destination as a source (fact fuse_move; measured on
 * a Zen 5). */
static void test_moves_join_operations(void **state)
{
    static const char source[] =
        "1:\n movq %rsi, %r8\n andq $1, %r8\n movq %rsi, %r9\n addq %rdi, %r9\n movq %rsi, %r10\n "
        "addq %r10, %r10\n movl %esi, %r11d\n andq $1, %r11\n"
        " movq %rsi, %rbx\n addq (%rdi), %rbx\n decq %rcx\n jne 1b\n";
    struct machine *m = machine_copy(skylake);
    struct simulation sim;
    struct kernel *k;

    assert_true(fabs(bound(m, source, BOUND_ISSUE) - 11 / 4.0) < 1e-9);
    machine_set_fact(m, "fuse_move", "and", "", "");
    assert_true(fabs(bound(m, source, BOUND_ISSUE) - 10 / 4.0) < 1e-9);
    machine_set_fact(m, "fuse_move", "and add", "", "");
    assert_true(fabs(bound(m, source, BOUND_ISSUE) - 9 / 4.0) < 1e-9);
    struct analysis *a = analyse(m, source, &k);
    assert_true(a->rows[0].flags & ROW_JOINS && a->rows[2].flags & ROW_JOINS);
    assert_false((a->rows[4].flags | a->rows[6].flags | a->rows[8].flags) & ROW_JOINS);
    simulate_kernel(k, 0, m, &(struct simulate_options){0}, &sim, NULL);
    /* Each move that does not fuse costs 0.25. */
    assert_true(fabs(sim.cycles - fmax(9 / 4.0, a->cycles)) < 0.1);
    simulation_done(&sim);
    analysis_free(a);
    kernel_free(k);
    /* The operation that could fuse with the move fuses with the jump instead. */
    machine_set_fact(m, "fuse_any", "and", "", "");
    assert_true(fabs(bound(m, "1:\n movq %rsi, %r8\n andq $1, %r8\n jne 1b\n", BOUND_ISSUE) -
                     2 / 4.0) < 1e-9);
    machine_free(m);
}

static double waiting(const char *source, size_t load, double cycles)
{
    const struct block_options options = {.shape = SHAPE_LOOP, .start = START_DIFFERENT};
    struct kernel *k = kernel_of(source);
    struct block_work *w = block_work_new(skylake);
    double waits[16] = {0};
    struct bounds bounds;
    size_t count;

    const struct insn *insns = kernel_insns(k, 0, &count);
    assert_true(load < count && count <= sizeof waits / sizeof *waits);
    bounds_of(w, insns, count, &options, false, &bounds);
    assert_float_equal(deps_bound_waiting(&w->deps, waits), bounds.cycles[BOUND_DEPENDENCIES],
                       1e-9);
    waits[load] = cycles;
    const double chain = deps_bound_waiting(&w->deps, waits);
    block_work_free(w);
    kernel_free(k);
    return chain;
}

/* A miss lengthens the chain of pointers and that of a search, whose next address depends on the
 * loaded number. It does not lengthen a sum of loaded numbers, whose addresses are known. */
static void test_chains_wait(void **state)
{
    static const char list[] = "1:\n movq (%rdi), %rdi\n addq 8(%rdi), %rax\n testq %rdi, %rdi\n"
                               " jne 1b\n",
                      search[] = "1:\n movq %rsi, %rax\n shrq $1, %rax\n cmpq %rdx, (%rdi,%rax,8)\n"
                                 " cmovaq %rax, %rsi\n decq %rcx\n jne 1b\n",
                      sum[] = "1:\n addsd (%rdi,%rcx,8), %xmm0\n decq %rcx\n jne 1b\n";
    assert_float_equal(waiting(list, 0, 100) - waiting(list, 0, 0), 100, 1e-9);
    assert_float_equal(waiting(list, 1, 100), waiting(list, 1, 0), 1e-9);
    assert_float_equal(waiting(search, 2, 60) - waiting(search, 2, 0), 60, 1e-9);
    assert_float_equal(waiting(sum, 0, 100), waiting(sum, 0, 0), 1e-9);
}

/* A loop whose µops exceed the µop cache is decoded in every iteration, even if each block of code
 * has few µops. 1,535 and a fused pair fit in Haswell's 1,536. A larger loop buffer does not replay
 * µops that are not in the cache. */
static void test_long_loop(void **state)
{
    struct str adds = {0};
    struct machine *m = machine_copy(haswell);

    machine_set_fact(m, "loop_buffer", "4000", "", "");
    for (unsigned i = 0; i < 1535; i++)
        str_add(&adds, "xorl %r8d, %r8d\n");
    assert_int_equal(source_of(haswell, 0, str_text(&adds), NULL), SOURCE_UOP_CACHE);
    assert_int_equal(source_of(m, 0, str_text(&adds), NULL), SOURCE_LOOP_BUFFER);
    str_add(&adds, "xorl %r8d, %r8d\n");
    assert_int_equal(source_of(haswell, 0, str_text(&adds), NULL), SOURCE_DECODERS);
    assert_int_equal(source_of(m, 0, str_text(&adds), NULL), SOURCE_DECODERS);
    machine_free(m);
    str_done(&adds);
}

/* The fact decode_complex_uops limits the µops per instruction of the first decoder. xchg has three
 * µops. Instructions with more µops than the limit are microcoded. Their µops have the width of
 * rename, without other instructions. */
static void test_complex_decoder(void **state)
{
    struct machine *m = machine_copy(skylake);
    assert_true(fabs(bound(m, "xchgq %rax, %rbx", BOUND_FRONTEND) - 1) < 1e-9);
    machine_set_fact(m, "decode_complex_uops", "2", "", "");
    /* Microcode has the width of rename. */
    assert_true(fabs(bound(m, "xchgq %rax, %rbx", BOUND_FRONTEND) - 1) < 1e-9);
    machine_set_fact(m, "issue_width", "2", "", "");
    /* First two µops, then one. */
    assert_true(fabs(bound(m, "xchgq %rax, %rbx", BOUND_FRONTEND) - 2) < 1e-9);
    machine_set_fact(m, "decode_complex_uops", "1", "", "");
    machine_set_fact(m, "issue_width", "1", "", "");
    assert_true(fabs(bound(m, "xchgq %rax, %rbx", BOUND_FRONTEND) - 3) < 1e-9);
    machine_free(m);
}

/* Every instruction has a known form, including those that other tools lack or reject. */
static void test_forms_known(void **state)
{
    static const char *const sources[] = {"nop",
                                          "popcnt %eax, %ebx",
                                          "divl %ecx",
                                          "idivq %rcx",
                                          "cmove %eax, %ebx",
                                          "sete %al",
                                          "bsf %eax, %ebx",
                                          "pshufb %xmm0, %xmm1",
                                          "aesenc %xmm0, %xmm1",
                                          "popq %rax",
                                          "mov eax, [rcx+4*rax]"};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        struct kernel *k;
        struct analysis *a = analyse(skylake, sources[i], &k);
        if (a->lower_bound)
            fail_msg("%s is not known: %s", sources[i], a->rows[0].insn->form);
        analysis_free(a);
        kernel_free(k);
    }
}

/* One unknown form does not hide the results of other rows. */
static void test_unknown(void **state)
{
    struct kernel *k;
    struct analysis *a =
        analyse(zen, "vmovdqu8 %zmm1, %zmm2{%k1}\n imulq %rax, %rax\n imulq %rbx, %rbx\n", &k);
    assert_true(a->lower_bound);
    assert_true(a->bounds[BOUND_PORTS] >= 1);
    assert_true(a->cycles >= 3);
    analysis_free(a);
    kernel_free(k);
}

/* The sum on the stack of the OSACA paper: measured 9.02 cycles on Skylake and 11.48 on Zen. */
static void test_pi_on_the_stack(void **state)
{
    static const char pi[] =
        ".L2: vxorpd %xmm0, %xmm0, %xmm0\n vcvtsi2sd %eax, %xmm0, %xmm0\n vaddsd %xmm4, %xmm0, "
        "%xmm0\n vmulsd %xmm3, %xmm0, %xmm0\n"
        "vmulsd %xmm0, %xmm0, %xmm0\n vaddsd %xmm2, %xmm0, %xmm0\n vdivsd %xmm0, %xmm1, %xmm0\n "
        "vaddsd (%rsp), %xmm0, %xmm5\n"
        "vmovsd %xmm5, (%rsp)\n addl $1, %eax\n cmpl $1000000000, %eax\n jne .L2\n";
    double on_skylake = bound(skylake, pi, BOUND_DEPENDENCIES),
           on_zen = bound(zen, pi, BOUND_DEPENDENCIES);
    assert_true(on_skylake >= 8.5 && on_skylake <= 11);
    assert_true(on_zen >= 10 && on_zen <= 12);
}

/* Port sets {0,1}, {0,2}, {0,3} have three µops each. Unions of two sets give 2.00, that of all
 * three 2.25. */
static void test_all_unions(void **state)
{
    struct ports ports = {0};
    for (int i = 0; i < 4; i++)
        assert_true(ports_add(&ports, (const char *[]){"0", "1", "2", "3"}[i], NULL));
    struct machine *m = machine_new("four", &ports);
    machine_set_fact(m, "issue_width", "16", "", "");
    static const char *const forms[] = {"ADD (R64, R64)", "SUB (R64, R64)", "AND (R64, R64)"};
    for (unsigned i = 0; i < 3; i++) {
        struct mapping_entry entry = {.form = (char *)forms[i], .latency = 1};
        usage_add(&entry.usage, 1u | 1u << (i + 1), 3);
        mapping_set(m->mapping, &entry);
        usage_done(&entry.usage);
    }
    assert_true(fabs(bound(m, "addq %rax, %rbx\n subq %rcx, %rdx\n andq %rsi, %rdi", BOUND_PORTS) -
                     2.25) < 1e-9);
    machine_free(m);
}

static void test_missing_facts(void **state)
{
    struct ports ports = {0};
    assert_true(ports_add(&ports, "0", NULL));
    struct machine *m = machine_new("bare", &ports);
    machine_set_fact(m, "issue_width", "4", "", "");
    struct mapping_entry entry = {.form = (char *)"ADD (R64, R64)", .latency = NAN};
    usage_add(&entry.usage, 1, 1);
    mapping_set(m->mapping, &entry);
    assert_true(isnan(bound(m, "addq %rax, %rbx", BOUND_FRONTEND)));
    assert_true(isnan(bound(m, "addq %rax, %rbx", BOUND_DEPENDENCIES)));
    /* This is the number that rename accepts per cycle. */
    assert_true(bound(m, "addq %rax, %rbx", BOUND_RETIRE) == 0.25);
    assert_true(bound(m, "addq %rax, %rbx", BOUND_PORTS) == 1);
    entry.latency = 2;
    mapping_set(m->mapping, &entry);
    usage_done(&entry.usage);
    /* No load latency is needed. */
    assert_true(bound(m, "addq %rax, %rbx", BOUND_DEPENDENCIES) == 2);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refute),
        cmocka_unit_test(test_refute_after_estimate),
        cmocka_unit_test(test_many_latency_rules),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_idioms),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_several_iterations),
        cmocka_unit_test(test_dense),
        cmocka_unit_test(test_chain_lines),
        cmocka_unit_test(test_front_end),
        cmocka_unit_test(test_index_where_slots_count),
        cmocka_unit_test(test_uop_cache),
        cmocka_unit_test(test_moves_join_operations),
        cmocka_unit_test(test_chains_wait),
        cmocka_unit_test(test_long_loop),
        cmocka_unit_test(test_complex_decoder),
        cmocka_unit_test(test_forms_known),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_pi_on_the_stack),
        cmocka_unit_test(test_all_unions),
        cmocka_unit_test(test_missing_facts),
        cmocka_unit_test(test_address_parts),
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_pairs_of_operands),
        cmocka_unit_test(test_gather_mask),
        cmocka_unit_test(test_string_pointers),
        cmocka_unit_test(test_amd_registers),
        cmocka_unit_test(test_all_alone),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
