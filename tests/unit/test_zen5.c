/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of a virtual EPYC Turin (Zen 5) for loads of values that were just stored and for groups at
 * rename. They are compared with the bounds of the charted machine, with and without its facts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/analysis.h"
#include "../support/support.h"

#define WITHIN 0.02          /* relative tolerance for the time of a chain */
#define WITHIN_SLOTS 0.15    /* relative tolerance for a time that slots determine */

/* Three NOT after a load, and an instruction that makes the block longer. */
#define CHAIN "49f7d049f7d049f7d0"
#define LONGER "4d8d4a01"    /* lea r9,[r10+1] */
#define ADDED "488d5e08" "4883430801"

static const struct {
    const char *hex;
    /* cycles of repeated copies, and cycles if rename always compared address text */
    double measured, without;
} blocks[] = {
    /* mov [rdi+16],r8; mov r8,[rdi+16] */
    {"4c894710" "4c8b4710" CHAIN, 3.00, 3},
    /* or qword [rdi+16],8 */
    {"48834f1008", 1.00, 1},
    /* mov rdi,[rsp+8]; or qword [rdi+16],8: six cycles, and the operation */
    {"488b7c2408" "48834f1008", 6.99, 8},
    {"488b7c2408" "48834f1008" LONGER LONGER LONGER, 6.98, 8},
    /* With seven instructions, rename forwards the store. */
    {"488b7c2408" "4c015f10" LONGER LONGER LONGER LONGER LONGER, 1.14, 8},
    /* lea rbx,[rsi+8]; add qword [rbx+8],1: in a block of six instructions, rename finds every
     * other store */
    {ADDED LONGER LONGER LONGER, 6.98, 8},
    {ADDED LONGER LONGER LONGER LONGER, 4.07, 8},
    {ADDED LONGER LONGER LONGER LONGER LONGER, 1.26, 8},
    /* mov r10,rdi; mov [rdi],r8; mov r8,[r10]: through another register */
    {"4989fa" "4c8907" "4d8b02" CHAIN LONGER, 3.00, 10},
    {"4d89c1" "4989fa" "4c8907" "4d8b02" CHAIN LONGER, 3.00, 10},
    /* movzx r8d,byte [rdi]: never renamed */
    {"4c8907" "440fb607" CHAIN, 10.00, 10},
    /* movsxd r8,dword [rdi], and the sign extension */
    {"448907" "4c6307" "49f7d0", 2.00, 2},
    /* cmovns r8,[rdi] */
    {"4c8907" "4c0f4907" "49f7d0", 2.00, 2},
    /* adc r8,[rdi] */
    {"4c8907" "4c1307" "49f7d0", 2.00, 2},
};

static void assert_near(const char *what, const char *hex, double cycles, double expected,
                        double within)
{
    if (!(fabs(cycles - expected) <= within * expected))
        fail_msg("%s of %s: %.3f instead of %.3f", what, hex, cycles, expected);
}

static void test_what_rename_finds(void **state)
{
    struct machine *m = load_machine("zen5-charted"), *text = load_machine("zen5-charted");

    machine_drop_fact(text, "memory_renaming_length");
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        assert_near("the bound", blocks[i].hex, predicted_cycles(m, blocks[i].hex, false),
                    blocks[i].measured, blocks[i].measured < 2 ? WITHIN_SLOTS : WITHIN);
        assert_near("the bound by text", blocks[i].hex,
                    predicted_cycles(text, blocks[i].hex, false), blocks[i].without, WITHIN);
    }
    machine_free(m);
    machine_free(text);
}

#define REPEAT "49ffcf75"    /* dec r15; jnz, without its displacement */

/* Loops whose loads rename connects to the last execution of a store, measured without copies */
static const struct {
    const char *hex;
    double measured;
} loops[] = {
    /* lea rbx,[rsi+8]; add qword [rbx+8],1 */
    {"488d5e084883430801" REPEAT "f2", 1.02},
    /* mov rcx,[rsp+512]; mov rax,[rcx+8]; add rax,1; mov [rcx+8],rax */
    {"488b8c2400020000488b41084883c00148894108" REPEAT "e7", 1.02},
    /* mov rax,[rdi-8]; add rax,rbx; mov [rdi],rax; add rdi,8 */
    {"488b47f84801d84889074883c708" REPEAT "ed", 1.02},
    /* The same with [rdi-16]: the store before the last one */
    {"488b47f04801d84889074883c708" REPEAT "ed", 4.00},
    /* mov [rdi],rax; mov rax,[rdi-8]; add rax,1; add rdi,8: again */
    {"488907488b47f84883c0014883c708" REPEAT "ec", 4.00},
    /* push rbp; mov rbp,rsp; mov [rbp-8],rax; mov rax,[rbp-8]; pop rbp */
    {"554889e5488945f8488b45f85d" REPEAT "ee", 1.01},
    /* push rbp; mov rbp,rsp; leave */
    {"554889e5c9" REPEAT "f6", 2.01},
    /* push rax; mov rbp,rsp; mov rsp,rbp; pop rax: the stack pointer is set */
    {"504889e54889ec58" REPEAT "f3", 6.99},
    /* push rax; and rsp,-8; pop rax */
    {"504883e4f858" REPEAT "f5", 6.99},
    /* mov rbp,rsp; mov [rbp+8],rax; mov rsp,rbp; mov rax,[rsp+8] */
    {"4889e5488945084889ec488b442408" REPEAT "ec", 1.01},
};

static void test_loops_renamed(void **state)
{
    struct machine *m = load_machine("zen5-charted");
    char many[48 * 18 + 32] = "";

    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        for (int simulated = 0; simulated < 2; simulated++)
            assert_near("the time", loops[i].hex,
                        predicted_cycles(m, loops[i].hex, simulated != 0), loops[i].measured,
                        WITHIN);
    /* 48 additions are too many for the fact memory_renaming_loop. */
    for (int i = 0; i < 48; i++)
        strcat(many, "488d5e084883430801");
    strcat(many, "49ffcf0f8547feffff");
    assert_near("the bound", many, predicted_cycles(m, many, false), 336, WITHIN);
    /* paddd xmm0,xmm1 three times with two stores of 64 bytes and two of 8 bytes */
    assert_true(predicted_cycles(m, "660ffec1660ffec1660ffec1" "62f1fe487f0762f1fe487f4701"
                                 "48890648894608", false) >= 4);
    machine_free(m);
}

#define NOP "660f1f440000"   /* nops of six bytes, eight of which leave the µop cache per cycle */
#define NOP4 NOP NOP NOP NOP
#define LOAD "448b8300020000"   /* mov r8d,[rbx+512] */
#define XCHG "4d87f0"        /* xchg r8,r14: two slots */

/* An instruction and nops, repeated: measured cycles, and slots by eight per cycle without the
 * facts. */
static const struct {
    const char *hex;
    double measured;
    unsigned slots;
} groups[] = {
    {LOAD NOP NOP, 0.400, 3},              /* The blocks have eight slots, seven, and so on. */
    {LOAD NOP4, 0.667, 5},
    {LOAD NOP4 NOP, 0.750, 6},             /* The instruction is always at an even slot. */
    {LOAD NOP4 NOP NOP, 1.000, 7},
    {LOAD NOP4 NOP4, 1.145, 9},
    {LOAD LOAD NOP NOP NOP, 0.667, 5},
    {LOAD NOP4 NOP4 NOP NOP, 1.400, 11},
    {"4189b300020000" NOP4 NOP NOP, 1.000, 7},       /* mov [rbx+512],esi */
    /* inc rsi: a chain of one cycle, so slots have no influence */
    {"48ffc6" NOP4 NOP NOP, 1.000, 7},
    {"c4c1797ef8" NOP4 NOP NOP, 1.000, 7},           /* vmovd r8d,xmm7 */
    {"c5f92ef7" NOP4 NOP4, 1.334, 10},               /* vucomisd xmm6,xmm7 */
    {XCHG NOP4 NOP, 1.000, 7},
    {XCHG NOP4 NOP NOP, 1.000, 8},
    {XCHG NOP4 NOP NOP NOP, 1.143, 9},
    {XCHG NOP4 NOP4, 1.252, 10},
};

static void test_groups(void **state)
{
    struct machine *m = load_machine("zen5-charted"), *other = load_machine("zen5-charted");

    machine_drop_fact(other, "group_not_last");
    machine_drop_fact(other, "group_whole");
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        assert_near("the bound", groups[i].hex, predicted_cycles(m, groups[i].hex, false),
                    groups[i].measured, WITHIN);
        assert_near("simulated", groups[i].hex, predicted_cycles(m, groups[i].hex, true),
                    groups[i].measured, WITHIN);
        assert_near("the bound without", groups[i].hex,
                    predicted_cycles(other, groups[i].hex, false),
                    fmax(groups[i].slots / 8.0, i == 8), WITHIN);
    }
    machine_free(m);
    machine_free(other);
}

/* Compares bound and simulation of each block with its measured time, and the bound without the
 * fact. */
static void test_each_fact_matters(void **state)
{
    static const struct { const char *fact, *without, *hex; double with, other; } cases[] = {
        /* mov rax,[rdi+60] */
        {"split_access_slots", "", "488b473c", 0.5, 0.25},
        /* movups xmm0,[rdi+56] */
        {"split_access_slots", "", "0f104738", 1, 0.5},
        /* mov [rdi+60],rax */
        {"split_access_slots", "", "4889473c", 1, 0.5},
        /* mov rax,[rdi+56]: does not cross the line */
        {"split_access_slots", "", "488b4738", 0.25, 0.25},
        /* movups [rdi+56],xmm0; mov [r14],rax */
        {"split_access_slots", "", "0f114738" "498906", 1.5, 1},
        /* vmovups zmm0,[rdi+8] and [rdi+72] by turns: 2 slots each, as narrower loads */
        {"split_access_slots", "", "62f17c48108708000000" "62f17c48108f48000000", 2, 1},
        /* vmovups [rdi],zmm0; mov [rsi],r8; vmovups [rdi+64],zmm0; mov [rsi+8],r8: 3.99 measured */
        {"split_access_slots", "", "62f17c481107" "4c8906" "62f17c48114701" "4c894608", 4, 2},
        /* the same at [rdi+8] and [rdi+72], which cross lines: 3.99 measured */
        {"split_access_slots", "",
         "62f17c48118708000000" "4c8906" "62f17c48118748000000" "4c894608", 4, 2},
        /* vmovups [rdi],zmm0; mov [rsi],r8; mov [rsi+8],r8: two stores of 8 bytes are a pair */
        {"split_access_slots", "", "62f17c481107" "4c8906" "4c894608", 2, 1.5},
        /* vmovups [rdi+40],ymm0; vmovups [rsi],ymm1: 3.00 measured for two of each */
        {"split_access_slots", "", "c5fc114728" "c5fc110e", 1.5, 1},
        /* vpaddd xmm3,xmm3,xmm4: limited by its chain */
        {"unhurried_ports", "", "c5e1fedc", 2, 2},
        /* Two stores of xmm3 follow. */
        {"unhurried_ports", "", "c5e1fedc" "c5f8111f" "c5f8115f10", 1, 2},
        {"unhurried_ports", "", "c5e1fedc" "c5f8111f" "c5f8115f10" "c5f8115f20", 1.5, 2},
        /* addsd xmm0,xmm1 and two stores: addsd does not use their ports */
        {"unhurried_ports", "", "f20f58c1" "f20f1107" "f20f114708", 2, 2},
        /* mov ecx,3; shl rax,cl; shl rbx,cl */
        {"shift_keeps_flags", "yes", "b903000000" "48d3e0" "48d3e3", 1, 2},
        /* pdep rax,rbx,rcx; rorx eax,ebx,3: .99 measured */
        {"port_conflicts", "", "c4e2e3f5c1" "c4e37bf0c303", 1, 0.67},
        /* movups [rdi],xmm0; mov rax,[rdi]; movq xmm0,rax: 12.99 measured */
        {"store_forward_by_store", "no", "0f1107" "488b07" "66480f6ec0", 13, 11},
        /* mov [rdi],rax; movq xmm0,[rdi]; movq rax,xmm0: 11.99 measured */
        {"store_forward_by_store", "no", "488907" "f30f7e07" "66480f7ec0", 12, 14},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine *m = load_machine("zen5-charted");
        double with = predicted_cycles(m, cases[i].hex, false),
               simulated = predicted_cycles(m, cases[i].hex, true);
        machine_set_fact(m, cases[i].fact, cases[i].without, "", "");
        double without = predicted_cycles(m, cases[i].hex, false);
        if (!(fabs(with - cases[i].with) < 0.02) || !(fabs(simulated - cases[i].with) < 0.02) ||
            !(fabs(without - cases[i].other) < 0.02))
            fail_msg("%s of %s: %.3f, simulated %.3f, without it %.3f", cases[i].fact, cases[i].hex,
                     with, simulated, without);
        machine_free(m);
    }
}

/* Fact port_conflicts acts without the facts of other replays. */
static void test_conflicts_alone(void **state)
{
    /* pdep rax,rbx,rcx; rorx eax,ebx,3 */
    static const char pdep[] = "c4e2e3f5c1" "c4e37bf0c303";
    static const char *const others[] = {"load_replays", "alu_replays", "alu_replays_ports"};
    struct machine *m = load_machine("zen5-charted");

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        machine_set_fact(m, others[i], "", "", "");
    for (int simulated = 0; simulated < 2; simulated++)
        assert_near("port_conflicts", pdep, predicted_cycles(m, pdep, simulated), 1, 0.02);
    machine_free(m);
}

/* Vectors stored to memory, moved to general registers or compared to flags share two ports, which
 * third operands also use. A move to a general register has one more operation on them. */
static void test_ways_out_of_vectors(void **state)
{
    static const struct { const char *hex; double measured; } cases[] = {
        /* movsd xmm1,[rbx+552]; movsd [rsp+88],xmm0; comisd xmm1,xmm0 */
        {"f20f108b28020000" "f20f11442458" "660f2fc8", 1.00},
        /* vucomiss xmm0,xmm1; vmovaps [r14],xmm3 */
        {"c5f82ec1" "c4c178291e", 1.00},
        /* vmovq rax,xmm0; vmovaps [r14],xmm1 */
        {"c4e1f97ec0" "c4c178290e", 1.00},
    };
    struct machine *m = load_machine("zen5-charted");

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_near("the bound", cases[i].hex, predicted_cycles(m, cases[i].hex, false),
                    cases[i].measured, WITHIN);
    machine_free(m);
}

/* Checks bound and simulation of values through memory, masks and the x87 stack, and of parts of
 * registers. */
static void test_values_as_measured(void **state)
{
    static const struct { const char *hex; double measured; } cases[] = {
        /* mov [rdi],rax; movq xmm0,[rdi]; movq rax,xmm0 */
        {"488907" "f30f7e07" "66480f7ec0", 11.99},
        /* movq [rdi],xmm0; mov rax,[rdi]; movq xmm0,rax */
        {"660fd607" "488b07" "66480f6ec0", 12.99},
        /* movups [rdi],xmm0; movups xmm0,[rdi] */
        {"0f1107" "0f1007", 8.99},
        /* vmovdqu64 [rdi],zmm0; vmovdqu64 zmm0,[rdi] */
        {"62f1fe487f07" "62f1fe486f07", 10.99},
        /* vmovaps ymm0,ymm1; vaddps ymm1,ymm0,ymm2 */
        {"c5fc28c1" "c5fc58ca", 2.00},
        /* vpcmpeqd k1,zmm0,zmm1; vpaddd zmm0{k1},zmm0,zmm2 */
        {"62f17d4876c9" "62f17d49fec2", 8.10},
        /* extractps eax,xmm0,2; movd xmm0,eax */
        {"660f3a17c002" "660f6ec0", 10.98},
        /* kxnorw k1,k1,k1; vpscatterdd [rdi+zmm1*4]{k1},zmm0 */
        {"c5f446c9" "62f27d49a0048f", 16.97},
        /* kxnorw k1,k1,k1; vscatterqpd [rdi+ymm1*4]{k1},ymm0 */
        {"c5f446c9" "62f2fd29a3048f", 4.98},
        /* lea ax,[rcx+rdx] */
        {"668d0411", 1.00},
        /* mul cl */
        {"f6e1", 3.00},
        /* fild dword ptr [rsi]; fistp dword ptr [rdi] */
        {"db06" "db1f", 2.00},
        /* fld tbyte ptr [rsi]; fstp tbyte ptr [rdi] */
        {"db2e" "db3f", 9.00},
        /* fld qword ptr [rdi]; fadd qword ptr [rsi]; fstp qword ptr [rdi] */
        {"dd07" "dc06" "dd1f", 19.99},
    };
    struct machine *m = load_machine("zen5-charted");

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_near("the bound", cases[i].hex, predicted_cycles(m, cases[i].hex, false),
                    cases[i].measured, WITHIN);
        assert_near("simulated", cases[i].hex, predicted_cycles(m, cases[i].hex, true),
                    cases[i].measured, WITHIN);
    }
    machine_free(m);
}

/* Loops whose times depend on what rename finds. Loads find stores to fixed addresses, although the
 * displacements of both instructions differ. Read-modify-writes of fixed addresses are found
 * in loops, and microcode is never found. Compress and expand wait for their destination. */
static void test_loops_as_measured(void **state)
{
    static const struct { const char *source; double measured, within; } cases[] = {
        {"movq x(%rip), %rax; addq $1, %rax; movq %rax, x(%rip)", 1.00, WITHIN},
        {"addq x(%rip), %rax; movq %rax, x(%rip)", 1.00, WITHIN},
        {"movq %rax, x(%rip); movq x(%rip), %rax; leaq 1(%r8), %r8; leaq 1(%r9), %r9", 1.00, .02},
        {"addq $1, x(%rip)", 1.02, WITHIN},
        {"addq %rax, x(%rip)", 1.02, WITHIN},
        {"addq $1, x(%rip); leaq 1(%r8), %r8; leaq 1(%r9), %r9; leaq 1(%r10), %r10; "
         "leaq 1(%r11), %r11", 1.18, WITHIN},
        {"addq $1, 8(%rsp)", 1.00, WITHIN},
        {"rclq $1, (%rsi)", 1.00, WITHIN},
        {"btsq $3, (%rsi)", 8.99, WITHIN_SLOTS},
        {"shldq $3, %rax, (%rsi)", 8.99, WITHIN_SLOTS},
        {"shrdq %cl, %rax, (%rsi)", 8.98, WITHIN_SLOTS},
        {"cmpxchgq %rbx, (%rsi)", 8.99, WITHIN},
        {"rclq $3, (%rsi)", 8.99, WITHIN_SLOTS},
        {"btsq $3, (%rsi); movq (%rsi), %rax; movq %rax, (%rsi)", 15.98, WITHIN},
        {"vpcompressd %zmm0, %zmm1{%k1}{z}", 5.00, WITHIN},
        {"vpcompressd %ymm0, %ymm1{%k1}{z}", 3.99, WITHIN},
        {"vpcompressd %xmm0, %xmm1{%k1}{z}", 2.08, .05},
        {"vpxor %xmm1, %xmm1, %xmm1; vpcompressd %zmm0, %zmm1{%k1}{z}", 1.00, WITHIN},
        {"vpexpandb %zmm0, %zmm1{%k1}{z}", 4.99, WITHIN},
        {"vexpandpd (%rsi), %zmm1{%k1}{z}", 4.99, WITHIN},
    };
    struct machine *m = load_machine("zen5-charted");

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text, "1: %s; decq %%r15; jne 1b", cases[i].source);
        struct kernel *k = kernel_of(text);
        struct analysis *a = analysis_new(k, 0, m);
        assert_near("the bound", cases[i].source, a->cycles, cases[i].measured, cases[i].within);
        analysis_free(a);
        kernel_free(k);
    }
    machine_free(m);
}

/* Stores that also take an integer port compute nothing: the value goes through memory at rename.
 * Measured on a virtual EPYC Turin. */
static void test_moves_of_three_uops(void **state)
{
    static const struct { const char *hex; double measured; } cases[] = {
        {"488b5608" "488d4208" "48894608", 1.00},   /* mov rdx,[rsi+8]; lea rax; mov [rsi+8],rax */
        {"4889442408" "31c0" "488b442408", 0.50}};  /* mov [rsp+8],rax; xor eax; mov rax,[rsp+8] */
    struct machine *m = load_machine("zen5-charted");
    struct mapping_entry entry = *mapping_find(m->mapping, "MOV (M64, R64)");
    struct usage usage = {0};
    struct err err = {0};

    assert_true(usage_parse("1*p012345+1*pABCD+1*pEF", mapping_ports(m->mapping), &usage, &err));
    entry.usage = usage;
    mapping_set(m->mapping, &entry);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int simulated = 0; simulated < 2; simulated++)
            assert_near(simulated ? "simulated" : "the bound", cases[i].hex,
                        predicted_cycles(m, cases[i].hex, simulated != 0), cases[i].measured,
                        WITHIN);
    usage_done(&usage);
    machine_free(m);
}

/* A vector store is alone in its cycle if it can use only a part of the ports of other stores. Its
 * µop on ports that also add is no such part. */
static void test_wide_stores(void **state)
{
    static const struct { const char *usage; double cycles; } cases[] = {
        {"1*p05+1*pCD", 1}, {"1*p05+1*pC", 2}, {"1*pEF+1*pCD", 1}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine *m = load_machine("zen5-charted");
        struct mapping_entry entry = *mapping_find(m->mapping, "MOVUPS (M128, XMM)");
        struct usage usage = {0};
        struct err err = {0};
        assert_true(usage_parse(cases[i].usage, mapping_ports(m->mapping), &usage, &err));
        entry.usage = usage;
        mapping_set(m->mapping, &entry);
        struct kernel *k = kernel_of("movups %xmm0, (%rbx)\n movups %xmm1, 16(%rbx)");
        struct analysis *a = analysis_new(k, 0, m);
        assert_true(a->bounds[BOUND_MEMORY] == cases[i].cycles);
        analysis_free(a);
        kernel_free(k);
        usage_done(&usage);
        machine_free(m);
    }
}

/* Chains next to operations that delay them. Other chains and machines without the facts are not
 * delayed. */
static void test_delayed_chains(void **state)
{
#define SUM "vaddsd %xmm4, %xmm0, %xmm0\n"
#define MOVED "vmovq %rax, %xmm1\n"
#define CONVERTED "vcvtss2sd %xmm6, %xmm5, %xmm1\n"
#define MOVED_CONVERTED "vcvtsi2sdq %rax, %xmm5, %xmm1\n"
#define STEPS "subq %r9, %rbx\n xorq %r9, %rbx\n"
#define PRODUCT "mulxq %r8, %r11, %r10\n"
#define QUOTIENT "xorl %edx, %edx\n movl $7, %eax\n divl %r8d\n"
    static const struct { const char *machine, *source; double measured;
    } cases[] = {
        {"zen5-charted", SUM MOVED, 2.56},
        {"zen5-charted", SUM MOVED MOVED, 2.89},
        {"zen5-charted", SUM MOVED MOVED MOVED, 3.00},
        {"zen5-charted", SUM CONVERTED, 2.17},
        {"zen5-charted", SUM CONVERTED CONVERTED, 2.25},
        {"zen5-charted", SUM MOVED_CONVERTED, 2.79},
        {"zen5-charted", SUM MOVED_CONVERTED MOVED_CONVERTED, 3.09},
        {"zen5-charted", SUM "vroundsd $0, %xmm6, %xmm5, %xmm1\n", 2.16},
        {"zen5-charted", SUM "vmovmskpd %xmm5, %ecx\n", 2.00},
        {"zen5-charted", SUM "vmulsd %xmm6, %xmm5, %xmm1\n", 2.00},
        {"zen5-charted", SUM "vpaddd %xmm6, %xmm5, %xmm1\n", 2.00},
        {"zen5-charted", SUM "vpsllvd %xmm6, %xmm5, %xmm1\n", 2.00},
        {"zen5-charted", "vmulsd %xmm4, %xmm0, %xmm0\n" MOVED, 3.00},
        {"zen5-charted", STEPS PRODUCT, 2.31},
        {"zen5-charted", STEPS PRODUCT PRODUCT, 2.50},
        {"zen5-charted", STEPS PRODUCT PRODUCT PRODUCT, 2.84},
        {"zen5-charted", STEPS "leaq (%r11,%r8), %r10\n", 2.00},
        {"zen5-charted", STEPS "imulq $3, (%rdi), %r11\n", 2.06},
        {"zen5-charted", STEPS QUOTIENT, 2.00},
        {"skylake", SUM MOVED CONVERTED, 4.00},
        {"skylake", STEPS PRODUCT, 2.00},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine *m = load_machine(cases[i].machine);
        struct kernel *k = kernel_of(cases[i].source);
        struct analysis *a = analysis_new(k, 0, m);
        assert_near("bound", cases[i].source, a->bounds[BOUND_DEPENDENCIES], cases[i].measured,
                    0.05);
        analysis_free(a);
        kernel_free(k);
        machine_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_rename_finds), cmocka_unit_test(test_loops_renamed),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_each_fact_matters), cmocka_unit_test(test_conflicts_alone),
        cmocka_unit_test(test_ways_out_of_vectors), cmocka_unit_test(test_moves_of_three_uops),
        cmocka_unit_test(test_wide_stores), cmocka_unit_test(test_delayed_chains),
        cmocka_unit_test(test_values_as_measured), cmocka_unit_test(test_loops_as_measured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
