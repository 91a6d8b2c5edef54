/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Golden Cove: the table compared with forms measured alone, and its rules with results derived by
 * hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/x87_stack.h"
#include "analysis/fusion.h"
#include "analysis/kernel.h"
#include "simulate/simulate.h"
#include "throughput/throughput.h"
#include "../support/support.h"

/* Predicts the times of one in 29 of the forms that were measured alone on a virtual Emerald
 * Rapids. */
static void test_single_forms(void **state)
{
    assert_predicted("sapphirerapids", "tests/data/golden-cove-singles.csv", 451, 0.05, INFINITY);
}

/* Blocks that each show a rule: cycles by the rule, derived by hand, and measured cycles. */
static const struct { const char *hex; double answer, measured;
} rules[] = {
    {"488907488b07", 0.5, 0.5},       /* mov [rdi],rax; mov rax,[rdi] */
    {"4889070fb607", 0.5, 0.5},       /* mov [rdi],rax; movzx eax, byte ptr [rdi] */
    {"4889fe488907488b06", 0.5, 0.5}, /* mov rsi,rdi; mov [rdi],rax; mov rax,[rsi] */
    {"4889040f488b040f", 5, 5},       /* mov [rdi+rcx],rax; mov rax,[rdi+rcx] */
    {"804f1d04", 1, 1},               /* or byte ptr [rdi+29],4 */
    {"48010f", 7.2, 7.2},             /* add [rdi],rcx */
    {"800f04", 6, 5.9},               /* or byte ptr [rdi],4 */
    {"4883470802", 1, 1},             /* add qword ptr [rdi+8],2 */
    /* mov [rdi],rax; mov [rdi+8],rax; mov [rdi+64],rax; mov [rdi+72],rax */
    {"488907488947084889474048894748", 2, 2},
    /* mov [rdi],rax; mov [rdi+64],rax; mov [rdi+8],rax; mov [rdi+72],rax */
    {"488907488947404889470848894748", 4, 4},
    /* mov [rdi],rax; mov [rdi+8],rax; mov [rdi+16],rax; mov [rdi+64],rax */
    {"488907488947084889471048894740", 3, 3},
    {"4889473c", 2, 2}, /* mov [rdi+60],rax */
    /* cmp eax,[rdi+rcx]; cmp eax,[rsi+rcx+8]; cmp eax,[rbp+rcx+16]; nop; nop; nop */
    {"3b040f3b440e083b440d10909090", 2, 2},
    {"3b040f90909090909090", 2, 2},    /* cmp eax,[rdi+rcx]; nop; nop; nop; nop; nop; nop; nop */
    {"488b07", 0.5, 0.5},              /* mov rax,[rdi] */
    {"488b07488b4f40", 1, 1},          /* mov rax,[rdi]; mov rcx,[rdi+64] */
    {"488b07488b4f48", 2.0 / 3, 0.67}, /* mov rax,[rdi]; mov rcx,[rdi+72] */
    {"488b07488b4f08488b17", 1, 1},    /* mov rax,[rdi]; mov rcx,[rdi+8]; mov rdx,[rdi] */
    {"62f17c481007", 0.5, 0.5},        /* vmovups zmm0,[rdi] */
    {"c5fc1007c5fc104f20", 2.0 / 3, 0.67}, /* vmovups ymm0,[rdi]; vmovups ymm1,[rdi+32] */
    {"488b473c", 1, 1},                    /* mov rax,[rdi+60] */
    {"4883c005", 1.0 / 6, 0.17},           /* add rax,5 */
    {"4805ff030000", 0.5, 0.5},            /* add rax,1023 */
    {"480500040000", 1, 1},                /* add rax,1024 */
    {"ffc0", 1, 1},                        /* inc eax */
    {"4883c00548c1e003", 3, 3},            /* add rax,5; shl rax,3 */
    {"4883c005480f44c1", 2, 2},            /* add rax,5; cmovz rax,rcx */
    {"4d85e44c0f44e2", 3, 3},              /* test r12,r12; cmovz r12,rdx */
    {"4885db480f44c1", 2, 2},              /* test rbx,rbx; cmovz rax,rcx */
    /* cmp r8,rsi; seta al; cmp cl,al; sete al: one of seta's two cycles belongs to the register */
    {"4939f0"
     "0f97c0"
     "38c1"
     "0f94c0",
     3, 3},
    /* mov ecx,64; mov rax,-1; sub ecx,esi; shr rax,cl; cmp [rdx+24],rax; sete al: SHR of a small
     * constant takes three µops on two ports, SETZ takes one */
    {"b940000000"
     "48c7c0ffffffff"
     "29f1"
     "48d3e8"
     "48394218"
     "0f94c0",
     2, 2.01},
    /* mov ecx,[rsp+20]; mov eax,1; shl rax,cl; cmp dword [rsp+72],64: a constant set by 32 bits has
     * no such rule */
    {"8b4c2414"
     "b801000000"
     "48d3e0"
     "837c244840",
     1, 1.01},
    /* mov r10,[rbp-232]; mov rdx,[rbp-160]; mov byte [rbp-232],1; two loads; mov [rdx+rbx*8],r10:
     * two lines; the load that includes the stored byte does not wait for the store */
    {"4c8b9518ffffff"
     "488b9560ffffff"
     "c68518ffffff01"
     "448b9decfeffff"
     "488b85f0feffff"
     "4c8914da",
     2, 2.03},
    {"4839cb480f44c1", 1, 1}, /* cmp rbx,rcx; cmovz rax,rcx */
    {"0fb6c3488d1c08", 1, 1}, /* movzx eax,bl; lea rbx,[rax+rcx] */
    /* sub rdi,1; shr rdi,2; add rdi,1: the sum of the constants is 0, but the result depends on the
     * source */
    {"4883ef0148c1ef024883c701", 3, 3},
    {"0f59c10f54c2", 5.75, 5.73}, /* mulps xmm0,xmm1; andps xmm0,xmm2 */
    {"0f58c10f54c2", 4, 4},       /* addps xmm0,xmm1; andps xmm0,xmm2 */
    /* mov rax,[rip+256]; mov rcx,[rsp]: two lines in one bank */
    {"488b0500010000488b0c24", 1, 1},
    {"ddd8", 380, 376},        /* fstp st(0) from an empty stack */
    {"d9e1", 1, 1},            /* fabs */
    {"486300", 6, 6},          /* movsxd rax, dword ptr [rax] */
    {"48d3e0", 1, 1.03},       /* shl rax,cl */
    {"480f46c3", 1, 1.04},     /* cmovbe rax,rbx */
    {"c4e37140c200", 4, 4.08}, /* vdpps xmm0,xmm1,xmm2,0: microcode */
    /* vdpps; nop{12}: microcode, during which no other instruction is dispatched */
    {"c4e37140c200909090909090909090909090", 6, 5.87},
    /* mov rax,[r15+8]; mov rax,[rax+24]; cmp byte [rax],0: each address is the previous load's
     * result */
    {"498b4708"
     "488b4018"
     "803800",
     3.4 / 3, 1.14},
    /* mov rcx,[r12]; mov eax,[r13+32]; mov [rsp+48],r14; cmp [rcx+32],eax */
    {"498b0c24"
     "418b4520"
     "4c89742430"
     "394120",
     3.2 / 3, 1.04},
    /* mov rbx,[rsp+680]; xor rbx,fs:[40]: both loads use one bank */
    {"488b9c24a8020000"
     "6448331c2528000000",
     1, 1.01},
    {"4889c0", 1, 1},           /* mov rax,rax */
    {"504889e158", 0.5, 0.52},  /* push rax; mov rcx,rsp; pop rax */
    {"f20f58c1f20f59c2", 7, 7}, /* addsd xmm0,xmm1; mulsd xmm0,xmm2 */
    {"f20f58c1f20f58c2", 4, 4}, /* addsd xmm0,xmm1; addsd xmm0,xmm2 */
    /* mov eax,[rbx+8]; four of lea rax,[rax+rdx]; add rax,1; mov [rbx+8],eax: stores half of the
     * sum */
    {"8b4308488d0410488d0410488d0410488d04104883c001894308", 5 + 4 + 1, 9.96},
    /* with the addition first: rename eliminates the addition and forwards the store to the load */
    {"8b43084883c001488d0410488d0410488d0410488d0410894308", 4, 3.99},
    /* the same with [rdi+rcx*8] and 64 bits: not renamed, so the sum is computed before the
     * store */
    {"488b04cf488d0410488d0410488d0410488d04104883c001488904cf", 5 + 4 + 1, 9.97},
    /* and rdi,-1; mov qword [rdi+8],0; mov rax,[rdi+8]; add rdi,rax */
    {"4883e7ff48c7470800000000488b47084801c7", 1 + 12 + 1, 13.98},
    /* add dword [rsp+rdx*4+1328],1: not renamed because of the index */
    {"8384943005000001", 6.2 + 1, 7.37},
    /* mov rax,[rdi+rcx*8]; add rax,rdx; mov [rdi+rcx*8],rax: the same operation in three
     * instructions */
    {"488b04cf"
     "4801d0"
     "488904cf",
     6.2 + 1, 7.37},
    /* With three additions, the stored value is late in any case. */
    {"488b04cf"
     "4801d0"
     "4801d0"
     "4801d0"
     "488904cf",
     5 + 3, 8.21},
    /* movdqa xmm0,[rdi]; paddd xmm0,xmm1; movdqa [rdi],xmm0 */
    {"660f6f07660ffec1660f7f07", 6.2 + 1, 7.11},
    /* movdqa xmm5,[rdi]; pand xmm5,[rsp]; movaps [rsp],xmm5 */
    {"660f6f2f"
     "660fdb2c24"
     "0f292c24",
     6.2 + 1, 7.08},
    /* movaps xmm5,[rdi]; addps xmm5,[rsp]; movaps [rsp],xmm5 */
    {"0f282f"
     "0f582c24"
     "0f292c24",
     5 + 3, 8.03},
    /* vpcmpeqd ymm4,ymm4,ymm4; vpgatherdd ymm0,[rsi+ymm2*4],ymm4; ten of vpaddd ymm0,ymm0,ymm1:
     * merged elements are read last */
    {"c5dd76e4"
     "c4e25d900496"
     "c5fdfec1c5fdfec1c5fdfec1c5fdfec1c5fdfec1c5fdfec1c5fdfec1c5fdfec1c5fdfec1c5fdfec1",
     1 + 10, 11.01},
    /* the same gather; vpaddd ymm2,ymm0,ymm1, which computes the index */
    {"c5dd76e4"
     "c4e25d900496"
     "c5fdfed1",
     30 + 1, 31.04},
    {"80c4010401", 4, 4}, /* add ah,1; add al,1 */
    /* vpaddd zmm0,zmm1,zmm2; vpaddd ymm3,ymm1,ymm2; vpaddd ymm4,ymm1,ymm2 */
    {"62f17548fec2c5f5fedac5f5fee2", 1.5, 1.5},
};

/* Integer and floating-point divisions use separate dividers. Two idiv r32 occupy the integer
 * divider for 12 cycles, two concurrent divsd the other divider for 8 (measured: 12.0). */
static void test_two_dividers(void **state)
{
    static const char *const ids[] = {"sapphirerapids", "alderlake-p"};

    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct machine *m = load_machine(ids[i]);
        struct experiment e = {0};
        experiment_add(&e, "IDIV (R32)", 2);
        experiment_add(&e, "DIVSD (XMM, XMM)", 2);
        assert_true(fabs(throughput_of(m->mapping, &e, NULL) - 12) < 1e-9);
        experiment_done(&e);
        machine_free(m);
    }
}

static void test_rules(void **state)
{
    struct machine *m = load_machine("sapphirerapids");

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        double cycles = predicted_cycles(m, rules[i].hex, false);
        if (!(fabs(cycles - rules[i].answer) < 0.005))
            fail_msg("%s: %.3f instead of %.3f", rules[i].hex, cycles, rules[i].answer);
        assert_true(fabs(rules[i].measured - rules[i].answer) <= 0.05 * rules[i].answer);
    }
    machine_free(m);
}

/* Values between multipliers and one-cycle operations have a bypass delay. A simulation rounds it
 * to whole cycles. */
static void test_between_kinds(void **state)
{
    static const struct { const char *hex; double answer, measured; } blocks[] = {
        /* mulps xmm0,xmm1; pand xmm0,xmm2: two of three ports are next to the multipliers, in both
         * directions */
        {"0f59c1660fdbc2", 4 + 1 + 4 / 9.0 + 8 / 9.0, 6.32},
        /* mulps xmm0,xmm1; pslld xmm0,3: a shift can use no other port */
        {"0f59c1660f72f003", 4 + 1 + 1 + 1, 6.97},
        /* pmaddwd xmm0,xmm1; psrld xmm0,3: early enough for the integer multipliers */
        {"660ff5c1660f72d003", 5 + 1 + 1, 6.83},
        /* cvttps2dq xmm0,xmm0; paddd xmm0,xmm2 */
        {"f30f5bc0660ffec2", 4 + 1 + 4 / 9.0 + 8 / 9.0, 6.26},
        {"0f59c10fc6c001", 4 + 1, 4.95},                 /* mulps xmm0,xmm1; shufps xmm0,xmm0,1 */
        /* paddd xmm0,xmm1; addps xmm0,xmm2: an adder is not a multiplier, so there is no delay */
        {"660ffec10f58c2", 4, 3.93},
    };
    struct machine *m = load_machine("sapphirerapids");

    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        double cycles = predicted_cycles(m, blocks[i].hex, false);
        if (!(fabs(cycles - blocks[i].answer) < 0.011))
            fail_msg("%s: %.3f instead of %.3f", blocks[i].hex, cycles, blocks[i].answer);
        assert_true(fabs(blocks[i].measured - blocks[i].answer) <= 0.05 * blocks[i].answer);
    }
    machine_free(m);
}

/* Only computing µops alternate with the second best port: mov edx,[r12]; add ebx,1; add rbp,8; cmp
 * ebx,edx takes 1.09 cycles. */
static void test_turns_at_rename(void **state)
{
    struct machine *m = load_machine("sapphirerapids");
    static const char hex[] = "418b1424" "83c301" "4883c508" "39d3";

    assert_true(fabs(predicted_cycles(m, hex, true) - 1) < 0.1);
    machine_set_fact(m, "port_binding", "slots", "", "a test");
    assert_true(predicted_cycles(m, hex, true) > 1.1);
    machine_free(m);
}

/* The flags of AND are slow for a select of one µop. CMOVBE's first µop combines the flags.
 * Measured from the address, CMOVBE takes 6.00 cycles and CMOVZ 6.50. */
static void test_flags_of_two_uops(void **state)
{
    struct machine *m = load_machine("sapphirerapids");

    /* cmovbe r8,[rdi+r8]; and r8,r9 */
    assert_true(fabs(predicted_cycles(m, "4e0f4604074d21c8", false) - 7) < 0.005);
    /* cmovz r8,[rdi+r8]; and r8,r9: three slots, in different cycles in every second iteration */
    assert_true(fabs(predicted_cycles(m, "4e0f4404074d21c8", false) - 7.5) < 0.005);
    machine_free(m);
}

/* The simulation also follows the rules, except for fractions of cycles, and for port conflicts
 * that bounds lack. */
static void test_rules_simulated(void **state)
{
    struct machine *m = load_machine("sapphirerapids");
    size_t near = 0;

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        near += fabs(predicted_cycles(m, rules[i].hex, true) - rules[i].answer) <=
                0.05 * rules[i].answer;
    assert_true(near + 3 >= sizeof rules / sizeof *rules);
    machine_free(m);
}

/* Without its fact, a rule has no effect. */
static void test_each_fact_matters(void **state)
{
    static const struct { const char *fact, *without, *hex; double with, other;
    } cases[] = {
        /* or byte ptr [rdi+29],4 */
        {"memory_renaming", "", "804f1d04", 1, 7.2},
        /* mov rsi,rdi; mov [rdi],rax; mov rax,[rsi] */
        {"memory_renaming_match", "text", "4889fe488907488b06", 0.5, 5},
        /* or byte ptr [rdi],4: 10 additions in 32 bytes of code */
        {"memory_renaming_per_block", "", "800f04", 6, 1},
        /* add [rdi],rcx */
        {"store_forward_modify", "", "48010f", 7.2, 6},
        /* stores to lines a b a b */
        {"store_lines_per_cycle", "", "488907488947404889470848894748", 4, 2},
        /* stores to lines a a a b */
        {"store_run", "", "488907488947084889471048894740", 3, 2},
        /* three of cmp eax,[...+rcx]; three nops */
        {"unlaminate", "none", "3b040f3b440e083b440d10909090", 2, 1},
        {"unlaminate_first", "", "3b040f3b440e083b440d10909090", 2, 9.0 / 6},
        /* mov rax,[rdi]; mov rcx,[rdi+64] */
        {"load_bank_bytes", "", "488b07488b4f40", 1, 2.0 / 3},
        /* mov rax,[rdi+60]: the load's two banks still limit it */
        {"split_loads_per_cycle", "", "488b473c", 1, 0.5},
        /* the same and mov rcx,[rdi+152]: the first load uses all three slots of a cycle */
        {"split_loads_per_cycle", "", "488b473c488b8f98000000", 4.0 / 3, 2.0 / 3},
        /* vmovups ymm0,[rsi+4]; vmovups ymm1,[rsi+8]; add rsi,32: each crosses in every second
         * iteration (measured: 1.34) */
        {"split_loads_per_cycle", "", "c5fc104604c5fc104e084883c620", 4.0 / 3, 2.0 / 3},
        /* add rax,5; shl rax,3 */
        {"immediate_folding_extra", "0", "4883c00548c1e003", 3, 1},
        /* cmp ecx,[rip]; five nops: the pair starts at slots 0, 1 and 2, but not at 3 */
        {"unlaminate_relative", "no", "3b0d000000009090909090", 4.0 / 3, 1},
        /* mov ecx,[rip]; five nops */
        {"unlaminate_relative", "no", "8b0d000000009090909090", 1, 1},
        /* mov [rip],eax; four nops */
        {"unlaminate_relative", "no", "89050000000090909090", 1, 5.0 / 6},
        /* vmulsd xmm0,xmm1,[rip]; four nops */
        {"unlaminate_relative", "no", "c5f359050000000090909090", 5.0 / 6, 5.0 / 6},
        /* add dword [rip],1; add rsi,2 */
        {"memory_renaming_relative", "yes", "830500000000014883c602", 7.2, 1},
        /* vzeroupper, two slots, and five of mov rbx,rdx */
        {"group_first", "", "c5f8774889d34889d34889d34889d34889d3", 2, 7.0 / 6},
        /* lea rdi,[rax+31]; shr rdi,5 */
        {"immediate_folding_again", "", "488d781f48c1ef05", 1, 0.5},
        /* immediate folding does not apply to bswap */
        {"immediate_folding_again", "", "488d781f480fcf", 1, 1},
        /* mov rax,-1; shr rax,cl */
        {"immediate_folding_again", "", "48c7c0ffffffff48d3e8", 1.5, 1},
        /* mov rax,-3; shr rax,cl: beyond the limit */
        {"immediate_folding", "1", "48c7c0fdffffff48d3e8", 1.5, 1},
        /* mov r10,1; shlx rax,rax,r10: the count is no dependence, but the shift takes longer */
        {"immediate_folding_extra", "0", "49c7c201000000c4e2a9f7c0", 3, 1},
        /* bextr has two µops with this delay */
        {"immediate_folding_extra", "0", "49c7c201000000c4e2a8f7c0", 6, 2},
        /* bzhi */
        {"immediate_folding_extra", "0", "49c7c201000000c4e2a8f5c0", 3, 1},
        /* pdep takes equally long for any mask */
        {"immediate_folding_extra", "0", "49c7c201000000c4c2fbf5c2", 3, 3},
        /* mov r10,-1024; shlx rax,rax,r10 */
        {"immediate_folding", "1", "49c7c200fcffffc4e2a9f7c0", 3, 1},
        /* test rbx,rbx; cmovz rax,rcx */
        {"slow_flags_latency", "", "4885db480f44c1", 2, 1},
        /* test al,al; cmovne ebp,r15d; add rbx,16; cmp r14,rbx: renamed together at five of six
         * positions; 1.67 measured */
        {"slow_flags_latency", "", "84c0410f45ef4883c3104939de", 1 + 5 / 6.0, 1},
        /* test rax,rax; movzx eax,byte [rbx+14]; mov esi,1160; setne dl; mov rdi,r15; shl edx,3;
         * and eax,-9; or eax,edx; mov [rbx+14],al: renamed together at three of six positions; 4.50
         * measured */
        {"slow_flags_latency", "",
         "4885c0"
         "0fb6430e"
         "be88040000"
         "0f95c2"
         "4c89ff"
         "c1e203"
         "83e0f7"
         "09d0"
         "88430e",
         4.5, 4},
        /* six nops between test and cmovz */
        {"slow_flags_latency", "", "4885db909090909090480f44c1", 8 / 6.0, 8 / 6.0},
        /* mov [rdi],al; mov rbx,[rdi]: merges the byte with the cache's bytes, one load at a
         * time */
        {"store_forward_part", "", "8807488b1f", 0.5, 19},
        /* mov [rdi],al; mov rax,[rdi] */
        {"store_forward_part", "", "8807488b07", 20, 19},
        /* mov [rdi],al; mov [rdi+1],al; mov rbx,[rdi]: needs bytes of two stores */
        {"store_forward_part", "", "8807884701488b1f", 19, 19},
        /* push rax; mov rcx,rsp; pop rax */
        {"stack_pointer_sync", "all", "504889e158", 0.5, 4.0 / 6},
        /* addsd xmm0,xmm1; mulsd xmm0,xmm2 */
        {"bypass_delay_addition", "0", "f20f58c1f20f59c2", 7, 6},
        /* mulps xmm0,xmm1; andps xmm0,xmm2 */
        {"bypass_delay", "0", "0f59c10f54c2", 5.75, 5},
        /* movaps [rdi],xmm0; movaps xmm0,[rdi] */
        {"store_forward_copied", "", "0f29070f2807", 7, 5},
        /* the same block twice, with [rdi] and [rsi] */
        {"store_forward_copied", "", "0f29070f28070f29060f2806", 14, 10},
        /* followed by two of pshufd xmm0,xmm0,1: 6.94 measured */
        {"store_forward_copied", "", "0f29070f2807660f70c001660f70c001", 7, 7},
        /* and rdi,-1; mov qword [rdi+8],0; mov rax,[rdi+8]; add rdi,rax */
        {"store_address_late", "", "4883e7ff48c7470800000000488b47084801c7", 14, 7},
        {"x87_assist", "", "ddd8", 380, 1}, /* fstp st(0) */
        /* add ah,1; add al,1 */
        {"high_byte_renamed", "yes", "80c4010401", 4, 3},
        /* vpaddd zmm; vpaddd ymm twice */
        {"wide_closes", "", "62f17548fec2c5f5fedac5f5fee2", 1.5, 1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine *m = load_machine("sapphirerapids");
        double with = predicted_cycles(m, cases[i].hex, false);
        machine_set_fact(m, cases[i].fact, cases[i].without, "", "");
        double without = predicted_cycles(m, cases[i].hex, false);
        if (!(fabs(with - cases[i].with) < 0.005) || !(fabs(without - cases[i].other) < 0.005))
            fail_msg("%s: %.3f and %.3f", cases[i].fact, with, without);
        machine_free(m);
    }
}

/* A CPU that renames ah separately reads ah from a written rax at no cost, and merges a written ah
 * into rax. */
static void test_second_byte(void **state)
{
    struct machine *m = load_machine("skylake");

    /* add rax,rbx; movzx ebx,ah */
    assert_true(fabs(predicted_cycles(m, "4801d80fb6dc", false) - 2) < 0.01);
    /* or ah,1; add rax,rbx: the merge takes one cycle */
    assert_true(fabs(predicted_cycles(m, "80cc014801d8", false) - 3) < 0.01);
    assert_true(fabs(predicted_cycles(m, "80cc014801d8", true) - 3) < 0.01);
    machine_free(m);
}

/* vxorpd xmm0; vaddsd xmm5,xmm0,[rsp]; vmovsd [rsp],xmm5: 5 cycles from the store to the load's
 * operand. The addition takes 3 cycles, one more than if an addition read its sum. The simulation
 * agrees. */
static void test_store_of_a_sum(void **state)
{
    struct machine *m = load_machine("sapphirerapids");

    assert_true(fabs(predicted_cycles(m, "c5f957c0c5fb582c24c5fb112c24", false) - 8) < 0.01);
    assert_true(fabs(predicted_cycles(m, "c5f957c0c5fb582c24c5fb112c24", true) - 8) < 0.01);
    machine_free(m);
}

/* cmp dword ptr [rdi],5; jne: two slots, and the ports of the branch. With a register, cmp eax,5;
 * jne takes one slot. */
static void test_memory_and_immediate(void **state)
{
    struct machine *m = load_machine("sapphirerapids");
    struct insn pair[2];

    static const uint8_t memory[] = {0x83, 0x3f, 0x05}, plain[] = {0x83, 0xf8, 0x05},
                         jump[] = {0x75, 0x00};
    assert_true(insn_decode(ISA_X86_64, jump, sizeof jump, 0, false, &pair[1], NULL));
    assert_true(insn_decode(ISA_X86_64, memory, sizeof memory, 0, false, &pair[0], NULL));
    assert_false(fusion_pairs(m, &pair[0], &pair[1]));
    machine_set_fact(m, "fuse_memory_immediate", "yes", "", "");
    assert_true(fusion_pairs(m, &pair[0], &pair[1]));
    assert_true(insn_decode(ISA_X86_64, plain, sizeof plain, 0, false, &pair[0], NULL));
    assert_true(fusion_pairs(m, &pair[0], &pair[1]));
    machine_free(m);
}

/* Counts the microcode assists per iteration of x87 blocks. Each assist takes 310 to 420 cycles.
 * The comments have the measured cycles of the block. */
static void test_assists(void **state)
{
    static const struct { const char *hex; double count; } blocks[] = {
        {"ddd8", 1},           /* fstp st(0) from an empty stack: 376 */
        {"d9e8", 1},           /* fld1 onto a full stack: 415 */
        {"ddd8ddd8", 2},       /* fstp st(0) twice: 750 */
        {"d9e8ddd8", 0},       /* fld1; fstp st(0): 2.1 */
        {"d8c1", 1},           /* fadd st(0),st(1), both empty: 358 */
        {"d9e8dec1", 1},       /* fld1; faddp st(1),st(0), with st(1) empty: 423 */
        {"d9c9", 0},           /* fxch st(1) fills both: 1.0 */
        {"d9e1", 0},           /* fabs: 1.0 */
        {"d9e8d9f7d9f6ddd8", 0},   /* fld1; fincstp; fdecstp; fstp st(0): 4.0 */
        /* fld1; fincstp; fstp st(0) from an empty register; fdecstp; ffree: the next fld1 finds a
         * full register */
        {"d9e8d9f7ddd8d9f6ddc0", 2},
        {"dac1", 1},           /* fcmovb st(0),st(1): 374 */
        {"dd07dd1f", 2},       /* fld qword ptr [rdi]; fstp qword ptr [rdi], a denormal: 695 */
        /* the same load; fadd qword ptr [rsi]; fstp qword ptr [rdi+8]: 1107 */
        {"dd07dc06dd5f08", 3},
        {"db2fdb3f", 0},       /* fld and fstp tbyte ptr [rdi]: 8.0 */
        {"dff3ddda" "dac1ddd9", 3},   /* fcomip; fstp; fcmovb; fstp from an empty stack: 1144 */
    };

    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        struct err err = {0};
        struct kernel *kernel = kernel_from_hex(ISA_X86_64, blocks[i].hex, &err);
        size_t count;
        assert_non_null(kernel);
        const struct insn *insns = kernel_insns(kernel, 0, &count);
        double found = assists_count(insns, count);
        if (fabs(found - blocks[i].count) > 1e-9)
            fail_msg("%s: %g", blocks[i].hex, found);
        kernel_free(kernel);
    }
}

/* Values on the x87 stack are tracked by register and not by name: 7 cycles from a store to its
 * load, 4 for a multiplication, 1 for any other operation. */
static void test_x87_stack(void **state)
{
    static const struct { const char *hex; double answer; } blocks[] = {
        /* fld dword ptr [rdi]; fstp dword ptr [rdi]: 6.98 measured */
        {"d907d91f", 7},
        /* with three of fmul st(0),st(0): 18.99 measured */
        {"d907d8c8d8c8d8c8d91f", 19},
        {"d907d9e0d9e0d9e0d91f", 10},            /* with three of fchs: 10.0 measured */
        {"d907d9e1d91f", 8},                     /* with fabs: 8.00 */
        /* fld dword ptr [rdi]; fld dword ptr [rsi]; fmulp st(1),st(0), which is the former st(0);
         * fstp dword ptr [rdi] */
        {"d907d906dec9d91f", 11},
        /* fld [rdi]; fld [rsi]; fstp [rdi]; fstp [rsi]: exchanges the values, 14 cycles per two
         * iterations */
        {"d907d906d91fd91e", 7},
        /* fld [rdi]; fld [rsi]; fxch, of zero latency; fmul st(0),st(0); fxch; fstp [rsi]; fstp
         * [rdi] */
        {"d907d906d9c9d8c8d9c9d91ed91f", 11},
        /* fld [rdi]; fld [rsi]; fxch; fmul; fxch; fmul; fstp [rdi]; fstp [rsi]: exchanges both
         * values; 11.0 measured */
        {"d907d906d9c9d8c8d9c9d8c8d91fd91e", 11},
        {"db07db1f", 13},                        /* fild and fistp dword ptr [rdi]: 13.0 measured */
        {"db07d91f", 10},                        /* fild; fstp: 10.0 */
        {"d907db1f", 10},                        /* fld; fistp: 10.0 */
        /* fld [rdi]; fsub dword ptr [rsi]; fstp [rdi]: 10.0 measured */
        {"d907d826d91f", 10},
        /* fld [rdi]; fld st(0); fmulp; fstp [rdi]: 12.0 measured */
        {"d907d9c0dec9d91f", 12},
        /* fld, fmul and fstp from one address to another, twice: no value is reused, only the names
         * are equal */
        {"d907d8c8d91ed94704d8c8d95e04", 2},
        {"d9c0d8c8ddd9", 6},                     /* fld st(0); fmul st(0),st(0); fstp st(1) */
        /* fld [rdi]; fld [rsi]; fincstp; fmul; fdecstp; fmul; fstp [rsi]; fstp [rdi]: one
         * multiplication of each value; both of one value would take 15 */
        {"d907d906d9f7d8c8d9f6d8c8d91ed91f", 11},
        /* fsqrt: 21.0 measured between fld and fstp of one address */
        {"d9fa", 21},
        /* faddp st(1),st(0): writes the st(0) of the next iteration */
        {"dec1", 3},
    };
    const struct block_options not_measured = {.shape = SHAPE_CACHED};
    struct machine *m = load_machine("sapphirerapids");
    struct block_work *work = block_work_new(m);

    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        struct err err = {0};
        struct kernel *kernel = kernel_from_hex(ISA_X86_64, blocks[i].hex, &err);
        struct bounds bounds;
        size_t count;
        assert_non_null(kernel);
        const struct insn *insns = kernel_insns(kernel, 0, &count);
        bounds_of(work, insns, count, &not_measured, false, &bounds);
        if (fabs(bounds.total - blocks[i].answer) > 0.01)
            fail_msg("%s: %.2f", blocks[i].hex, bounds.total);
        kernel_free(kernel);
    }
    block_work_free(work);
    machine_free(m);
}

/* A stack that is deeper after each iteration rotates once per iteration, with and without stores:
 * fld st(1); fmul st(0),st(0), alone and with mov [rdi],rax; mov rcx,[rdi]. */
static void test_x87_turns_once(void **state)
{
    static const char *const hex[] = {"d9c1d8c8", "d9c1d8c8488907488b0f"};
    struct machine *m = load_machine("sapphirerapids");
    struct block_work *work = block_work_new(m);
    double chains[2];

    for (size_t i = 0; i < 2; i++) {
        struct err err = {0};
        struct kernel *kernel = kernel_from_hex(ISA_X86_64, hex[i], &err);
        struct bounds bounds;
        size_t count;
        assert_non_null(kernel);
        const struct insn *insns = kernel_insns(kernel, 0, &count);
        bounds_of(work, insns, count, &(struct block_options){.shape = SHAPE_CACHED}, false,
                  &bounds);
        chains[i] = bounds.cycles[BOUND_DEPENDENCIES];
        kernel_free(kernel);
    }
    assert_float_equal(chains[1], chains[0], 0.01);
    block_work_free(work);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_forms),
        cmocka_unit_test(test_two_dividers),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_rules_simulated),
        cmocka_unit_test(test_flags_of_two_uops),
        cmocka_unit_test(test_turns_at_rename),
        cmocka_unit_test(test_between_kinds),
        cmocka_unit_test(test_each_fact_matters),
        cmocka_unit_test(test_memory_and_immediate),
        cmocka_unit_test(test_second_byte),
        cmocka_unit_test(test_store_of_a_sum),
        cmocka_unit_test(test_assists),
        cmocka_unit_test(test_x87_stack),
        cmocka_unit_test(test_x87_turns_once),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
