/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams of loops and the layout of their arrays: kinds and strides by hand, lines compared with
 * the misses of a simulated cache, and addresses compared with registers computed iteration by
 * iteration. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel.h"
#include "analysis/layout.h"
#include "analysis/memory_note.h"
#include "analysis/streams.h"
#include "base/str.h"
#include "isa/foreign.h"
#include "model/memory_costs.h"
#include "../support/support.h"

#define MOST_LINES 4096

static const struct kernel *kernel;
static const struct insn *insns;
static size_t count;
static struct streams streams;

static void find_of(enum isa isa, const char *hex)
{
    struct err err = {0};
    kernel_free(kernel);
    streams_done(&streams);
    kernel = kernel_from_hex(isa, hex, &err);
    assert_non_null(kernel);
    insns = kernel_insns(kernel, 0, &count);
    streams_find(insns, count, &streams);
}

static void find(const char *hex)
{
    find_of(ISA_X86_64, hex);
}

static int end(void **state)
{
    kernel_free(kernel);
    streams_done(&streams);
    return 0;
}

static void is(size_t at, const char *word, int64_t step, double lines)
{
    assert_true(at < streams.items.count);
    assert_string_equal(stream_word(&streams.items.items[at]), word);
    assert_int_equal(streams.items.items[at].step, step);
    assert_float_equal(streams.items.items[at].lines, lines, 1e-9);
}

static void base_is(size_t at, const char *text)
{
    struct str out = {0};
    stream_base(&streams.items.items[at], ISA_X86_64, &out);
    assert_string_equal(str_text(&out), text);
    str_done(&out);
}

static void test_kinds(void **state)
{
    /* vmovups ymm0,[rsi+rax]; vmovups [rdi+rax],ymm0; both again at +32; add rax,64 */
    find("c5fc100406c5fc110407c5fc104c0620c5fc114c07204883c040");
    assert_int_equal(streams.items.count, 2);
    assert_int_equal(streams.unknown, 0);
    is(0, "load", 64, 1);
    is(1, "store", 64, 1);
    base_is(0, "rsi + rax");
    find("c5fc2b0407c5fc2b4407204883c040");                         /* vmovntps */
    is(0, "non-temporal", 64, 1);
    find("48ff074883c708");                                         /* inc qword [rdi]; add rdi,8 */
    is(0, "update", 8, 0.125);
    find("488b074883ef08");                                         /* mov rax,[rdi]; sub rdi,8 */
    is(0, "load", -8, 0.125);
    find("488b442408");                                             /* mov rax,[rsp+8] */
    is(0, "fixed", 0, 0);
    assert_false(stream_moves(&streams.items.items[0]));
    find("4801d8");                                                 /* add rax,rbx */
    assert_int_equal(streams.items.count, 0);
    /* mov rax,[rdi]; add rdi,256: one line each, and lines between are skipped */
    find("488b0748 81c700010000");
    is(0, "load", 256, 1);
    /* [rdi] and [rdi+64], advancing by 64: the second line is the first one of the next
     * iteration */
    find("488b07 488b5740 4883c740");
    is(0, "load", 64, 1);
}

/* Loops that measure the cost of lines have the corresponding streams, for both instruction
 * sets. */
static void test_loops(void **state)
{
    static const struct { const char *word; int64_t step; double lines;
    } expected[MEMORY_LOOPS] = {[LOOP_LOADS] = {"load", 64, 2},
                                [LOOP_ALONE] = {"load", 64, 1},
                                [LOOP_STORES] = {"store", 64, 1},
                                [LOOP_UPDATES] = {"update", 64, 1},
                                [LOOP_TRIAD] = {"store", 64, 3},
                                [LOOP_STREAMED] = {"non-temporal", 64, 1},
                                [LOOP_COPIED] = {"non-temporal", 64, 2},
                                [LOOP_GATHER] = {"gather", 0, 4.25},
                                [LOOP_SINGLE] = {"gather", 0, 1.0625},
                                [LOOP_SCATTER] = {"scatter", 0, 4.25},
                              [LOOP_PAIRED] = {"load", 128, 1},
                              [LOOP_ODD] = {"load", 192, 1},
                              [LOOP_SKIPPED] = {"load", 256, 1},
                              [LOOP_EVERY_16] = {"load", 1024, 1},
                              [LOOP_EVERY_64] = {"load", 4096, 1},
                              [LOOP_STORE_8] = {"store", 512, 1},
                              [LOOP_STORE_64] = {"store", 4096, 1},
                              [LOOP_PAGES] = {"load", 4160, 1},
                              [LOOP_CHASE] = {"chase", 0, 4},
                              [LOOP_FEW] = {"load", 64, 1},
                              [LOOP_SOME] = {"load", 64, 1}};
    static const unsigned bits[] = {512, 256, 128, 128};
    for (unsigned kind = 0; kind < sizeof bits / sizeof *bits; kind++)
        for (size_t loop = 0; loop < MEMORY_LOOPS; loop++) {
            const enum isa isa = kind < 3 ? ISA_X86_64 : ISA_AARCH64;
            struct err err = {0};
            const struct kernel *any = kernel_from_hex(isa, kind < 3 ? "90" : "1f2003d5", &err);
            unsigned found = 0;
            kernel_free(any);
            if (!any && err.code == ERR_MISSING)
                continue;   /* This build lacks its decoder. */
            find_of(isa, isa_ops(isa)->foreign->memory_loop((enum memory_loop)loop,
                                                            bits[kind]));
            assert_int_equal(streams.unknown, 0);
            assert_float_equal(streams_lines(&streams), expected[loop].lines, 1e-9);
            for (size_t i = 0; i < streams.items.count; i++)
                found += strcmp(stream_word(&streams.items.items[i]), expected[loop].word) == 0 &&
                         streams.items.items[i].step == expected[loop].step;
            assert_true(found > 0);
            if (loop == LOOP_FEW)
                assert_int_equal(count, MEMORY_FEW_UOPS - 1);   /* The loop's end adds one µop. */
            if (loop == LOOP_SOME)
                assert_int_equal(count, MEMORY_SOME_UOPS - 1);
        }
}

/* If the end condition determines the trip count, it equals that of the same loop executed by
 * hand. */
static void test_iterations(void **state)
{
    static const struct { const char *hex; double iterations; int64_t step, end; } expected[] = {
        /* add rax,8; cmp rax,80000000; jne */
        {"488b1407 4883c008 483d00b4c404 75f0", 10000000, 8, 80000000},
        /* inc rax; cmp rax,100 */
        {"488b1407 48ffc0 4883f864 75f3", 100, 1, 100},
        /* sub rax,-16; cmp rax,4096; jb */
        {"488b1407 4883e8f0 483d00100000 72f0", 256, 16, 4096},
        {"488b1407 4883c004 4883c004 483d00100000 75ec", 512, 8, 4096},     /* two additions */
        /* The limit is a register. */
        {"488b1407 4883c008 4839c8 75f3", 0, 0, 0},
        /* The increment is a register. */
        {"488b1407 4801c8 483d00100000 75f1", 0, 0, 0},
        /* The counter moves away from the limit. */
        {"488b1407 4883e808 483d00100000 75f0", 0, 0, 0},
        /* no comparison */
        {"488b1407 4883c008 75f6", 0, 0, 0},
        {"488b1407 4883c008 483d00100000 90", 0, 0, 0},                     /* no branch */
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        uint8_t reg = 99;
        int64_t at = 0;
        unsigned rounds = 0;
        find(expected[i].hex);
        assert_float_equal(memory_iterations(insns, count, &reg), expected[i].iterations, 1e-9);
        if (!(expected[i].iterations > 0))
            continue;
        assert_int_equal(reg, 0);
        do {
            at += expected[i].step;
            rounds++;
        } while (at < expected[i].end);
        assert_float_equal(rounds, expected[i].iterations, 1e-9);
    }
}

/* Counts the instructions that depend on a load of a moving stream. */
static void test_waiting(void **state)
{
    /* mov rax,[rdi]: a load without dependents leaves the scheduler early */
    find("488b07 4883c740");
    assert_int_equal(streams.waiting, 0);
    find("480307 4801c3 4801d1 4883c740");           /* add rax,[rdi]; add rbx,rax; add rcx,rdx */
    assert_int_equal(streams.waiting, 2);
    /* add rbx,rax before mov rax,[rdi]: depends on the previous iteration */
    find("4801c3 488b07 4883c740");
    assert_int_equal(streams.waiting, 1);
    find("488b07 31c0 4801c3 4883c740");             /* xor eax,eax in between */
    assert_int_equal(streams.waiting, 0);
    find("48ff07 4883c740");                         /* inc qword [rdi] */
    assert_int_equal(streams.waiting, 1);
    find("488b442408 4801c3");                       /* The load has a constant address. */
    assert_int_equal(streams.waiting, 0);
    /* mov ecx,[rsi+rax*4]; mov rdx,[rdi+rcx*8]; add rbx,rdx: the index arrives early */
    find("8b0c86 488b14cf 4801d3 4883c001");
    assert_int_equal(streams.waiting, 1);
}

static void test_indices(void **state)
{
    /* mov ecx,[rsi+rax*4]; mov rdx,[rdi+rcx*8]; add rax,1 */
    find("8b0c86 488b14cf 4883c001");
    assert_int_equal(streams.items.count, 2);
    is(0, "load", 4, 1.0 / 16);
    is(1, "gather", 0, 1);
    assert_int_equal(streams.items.items[1].fed_by, 0);
    assert_int_equal(streams.items.items[1].scale, 8);
    assert_int_equal(streams.items.items[0].index_bytes, 4);
    find("48630c86 488b14cf 4883c001");              /* movsxd rcx,dword [rsi+rax*4] */
    is(1, "gather", 0, 1);
    /* movzx ecx,byte [rsi+rax]; inc dword [rdi+rcx*4]: a histogram */
    find("0fb60c06 ff048f 4883c001");
    is(1, "gather, scatter", 0, 1);
    assert_int_equal(streams.items.items[0].index_bytes, 1);
    find("488b00 488b00");                           /* mov rax,[rax]; mov rax,[rax] */
    assert_int_equal(streams.items.count, 1);
    is(0, "chase", 0, 2);
    assert_int_equal(streams.items.items[0].hops, 2);
    assert_false(streams.items.items[0].delayed);
    /* mov rdx,[rax+8]; add rbx,rdx; mov rax,[rax+16]: value and link of a list */
    find("488b5008 4801d3 488b4010");
    assert_int_equal(streams.items.count, 1);
    is(0, "chase", 0, 1);
    assert_int_equal(streams.items.items[0].link, 16);
    assert_true(streams.items.items[0].delayed);
    /* mov rax,[rax]; mov rdx,[rax+16]: loads the value before the next iteration's link */
    find("488b00 488b5010");
    assert_int_equal(streams.items.count, 1);
    assert_true(streams.items.items[0].delayed);
    /* First the link is loaded before the value. Then a store accesses the element before the
     * link. */
    find("488b4810 488b5008 4889c8");                /* mov rcx,[rax+16]; mov rdx,[rax+8]; mov */
    assert_false(streams.items.items[0].delayed);
    find("48895008 488b4010");
    assert_false(streams.items.items[0].delayed);
    assert_int_equal(streams.items.items[0].terms[0].reg, 0);
    /* vmovdqu ymm1,[rsi+rcx*4]; vpcmpeqd ymm3; vgatherdpd ymm0,[rdi+xmm1*8],ymm3; add rcx,4 */
    find("c5fe6f0c8e c5e576db c4e2e59204cf 4883c104");
    assert_int_equal(streams.items.count, 2);
    is(1, "gather", 0, 4);
    assert_int_equal(streams.items.items[1].fed_by, 0);
}

/* The number of values of an index follows from its size in memory and its extension. All gathers
 * with indices in one array stay within their arrays. */
static void test_index_values(void **state)
{
    static const struct { const char *hex; double values; uint32_t bytes; } loops[] = {
        {"0fb70c46 488b14cf 4883c001", 65536, 2},            /* movzx ecx,word [rsi+rax*2] */
        {"480fbf0c46 488b14cf 4883c001", 32768, 2},          /* movsx rcx,word [rsi+rax*2] */
        {"8b0c86 488b14cf 4883c001", 2147483648, 4},         /* mov ecx,[rsi+rax*4] */
        /* vpmovzxwd zmm1,[rsi+rcx*2]; vpcmpeqd ymm2; vpgatherdd ymm0,[rdi+ymm1*4],ymm2; add rcx */
        {"62f27d48330c4e c5ed76d2 c4e26d90048f 4883c108", 65536, 2},
        {"c4e27d210c0e c5ed76d2 c4e26d90048f 4883c108", 128, 1},   /* vpmovsxbd ymm1,[rsi+rcx] */
        {"c5fe6f0c8e c5ed76d2 c4e26d90048f 4883c108", 2147483648, 4},
    };
    struct arrays arrays;
    struct err err = {0};

    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        find(loops[i].hex);
        assert_int_equal(streams.unknown, 0);
        assert_float_equal(streams.items.items[1].values, loops[i].values, 0);
        assert_int_equal(streams.items.items[0].index_bytes, loops[i].bytes);
        assert_true(layout_arrays(insns, &streams, 16 << 20, &arrays, &err));
        assert_true(arrays.fills[0].range <= loops[i].values && arrays.fills[0].unit ==
                    loops[i].bytes);
    }
    /* vpaddd ymm1,ymm5,[rsi+rcx*4]: computed; vpbroadcastd ymm1,[rsi+rcx*4]: a single index */
    find("c5d5fe0c8e c5ed76d2 c4e26d90048f 4883c108");
    assert_int_equal(streams.unknown, 3);
    find("c4e27d580c8e c5ed76d2 c4e26d90048f 4883c108");
    assert_int_equal(streams.unknown, 3);
    /* movsx rcx,word [rsi+rax*2]; two gathers from one array, and a third from another with a
     * smaller scale */
    find("480fbf0c46 488b14cf 488b54cf08 488b140b 4883c001");
    assert_true(layout_arrays(insns, &streams, 64 << 10, &arrays, &err));
    assert_int_equal(arrays.fill_count, 1);
    /* Each array has half of 48 KiB. */
    assert_true(arrays.fills[0].range * 8 + 16 <= 24 << 10);
    /* movzx edx,byte [rsi+rax*2+1]; inc dword [rdi+rdx*4]; mov edx,[r8+rax*4]; mov rbp,[r9+rdx*8]:
     * the first array needs 1 KiB, so the other has the rest of three quarters. */
    find("0fb6544601 ff0497 418b1480 498b2cd1 4883c001");
    assert_true(layout_arrays(insns, &streams, 4 << 20, &arrays, &err));
    assert_int_equal(arrays.fill_count, 2);
    assert_int_equal(arrays.fills[0].range, 256);
    assert_true(fabs((double)arrays.fills[1].range * 8 - (3 << 20)) < 4096);
}

/* Indices computed from loaded numbers: the range is that of the last operation, and the arrays of
 * these numbers may contain any number. Computed results confirm the range. */
static void test_computed_indices(void **state)
{
    struct arrays arrays;
    struct err err = {0};
    uint64_t most = 0, x = 1;
    /* mov rax,[rsi+rcx*8]; imul rax,r9; shr rax,52; mov rbx,[rdi+rax*8]; add rcx,1 */
    find("488b04ce 490fafc1 48c1e834 488b1cc7 4883c101");
    assert_int_equal(streams.unknown, 0);
    is(1, "gather", 0, 1);
    assert_true(streams.items.items[1].computed);
    for (unsigned i = 0; i < 100000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        const uint64_t index = x * 0x9e3779b97f4a7c15u >> 52;
        most = index > most ? index : most;
    }
    assert_float_equal(streams.items.items[1].values, most + 1, 0);
    assert_true(layout_arrays(insns, &streams, 64 << 10, &arrays, &err));
    assert_int_equal(arrays.fills[0].range, 0);
    assert_int_equal(arrays.fills[0].unit, 8);
    /* Three quarters of 32 KiB are less than 4,096 elements. */
    assert_false(layout_arrays(insns, &streams, 32 << 10, &arrays, &err));
    assert_int_equal(err.code, ERR_USAGE);
    assert_non_null(strstr(err.what, "instruction 4 reach 32768 bytes"));
    err_clear(&err);
    /* mov eax,[rsi+rcx*4]; and eax,0xfff; add qword [rdi+rax*8],1; add rcx,1 */
    find("8b048e 25ff0f0000 488304c701 4883c101");
    is(1, "gather, scatter", 0, 1);
    assert_float_equal(streams.items.items[1].values, 4096, 0);
    /* A left shift is a scale: mov eax,[rsi+rcx*4]; shl rax,4; movsd xmm1,[rdi+rax] and
     * [rdi+rax+8]; add rcx,1 */
    find("8b048e 48c1e004 f20f100c07 f20f10540708 4883c101");
    is(1, "gather", 0, 1);
    assert_false(streams.items.items[1].computed);
    assert_int_equal(streams.items.items[1].scale, 16);
    /* lea rax,[rcx+rcx*4]; shl rax,3; movsd xmm0,[rdi+rax]; add rcx,1: a walk */
    find("488d0489 48c1e003 f20f100407 4883c101");
    is(0, "load", 40, 0.625);
    /* mov rax,[rsi+rcx*8]; shr rax,8; movzx eax,al; lea rax,[rax+rax*2]; mov ebx,[rdi+rax*4+4];
     * add rcx,1: three times a byte */
    find("488b04ce 48c1e808 0fb6c0 488d0440 8b5c8704 4883c101");
    is(1, "gather", 0, 1);
    assert_int_equal(streams.items.items[1].scale, 12);
    assert_float_equal(streams.items.items[1].values, 256, 0);
    /* mov rax,[rsi+rcx*8]; xor rax,r9; mov rbx,[rdi+rax*8]; add rcx,1: any index */
    find("488b04ce 4c31c8 488b1cc7 4883c101");
    is(1, "gather", 0, 1);
    assert_false(layout_arrays(insns, &streams, 64 << 20, &arrays, &err));
    assert_int_equal(err.code, ERR_DATA);
    err_clear(&err);
    /* mov rax,[rsi+rcx*8]; shr rax,8; movsx rax,ax; mov ebx,[rdi+rax*4]; add rcx,1: half of the
     * indices are negative */
    find("488b04ce 48c1e808 480fbfc0 8b1c87 4883c101");
    is(1, "gather", 0, 1);
    assert_false(layout_arrays(insns, &streams, 64 << 20, &arrays, &err));
    assert_int_equal(err.code, ERR_DATA);
    err_clear(&err);
    /* mov rdx,[rsi+rcx*8]; popcnt rax,rdx; tzcnt rbx,rdx; mov r8,[rdi+rax*8]; mov r9,[rdi+rbx*8];
     * add rcx,1: two different indices */
    find("488b14ce f3480fb8c2 f3480fbcda 4c8b04c7 4c8b0cdf 4883c101");
    is(1, "gather", 0, 1);
    is(2, "gather", 0, 1);
    /* mov rax,[rsi+rcx*8]; xor rax,r9; movzx edx,al; lea r11,[rax+rdx]; mov ebx,[rdi+r11];
     * add rcx,1: a number, and its low byte */
    find("488b04ce 4c31c8 0fb6d0 4c8d1c10 428b1c1f 4883c101");
    assert_int_equal(streams.unknown, 5);
    /* imul rax,rcx,4104; mov rbx,[rdi+rax]; add rcx,1: a walk */
    find("4869c108100000 488b1c07 4883c101");
    is(0, "load", 4104, 1);
    /* mov eax,[rsi+rcx*4]; mov rbx,[rdi+rax*8]; and eax,0xfff; mov rdx,[r8+rax*8]; add rcx,1 */
    find("8b048e 488b1cc7 25ff0f0000 498b14c0 4883c101");
    assert_int_equal(streams.unknown, 0);
    assert_false(layout_arrays(insns, &streams, 16 << 20, &arrays, &err));
    assert_non_null(strstr(err.what, "one array contains both"));
    err_clear(&err);
}

/* AArch64 instructions with a third input, a negated product or a shifted input are not understood.
 * Those without are. */
static void test_computed_a64(void **state)
{
    /* mov x2,8; madd x0,x6,x2,x7; add x7,x7,1024; ldr x3,[x0]; add x6,x6,1 */
    find_of(ISA_AARCH64, "020180d2 c01c029b e7001091 030040f9 c6040091");
    assert_int_equal(streams.unknown, 4);
    /* mov x2,8; mneg x0,x6,x2; ldr x3,[x7,x0]; add x6,x6,1; then mul instead of mneg */
    find_of(ISA_AARCH64, "020180d2 c0fc029b e36860f8 c6040091");
    assert_int_equal(streams.unknown, 3);
    find_of(ISA_AARCH64, "020180d2 c07c029b e36860f8 c6040091");
    is(0, "load", 8, 0.125);
    /* ldr x0,[x1,x6,lsl 3]; and x0,x0,0xff; ldr x3,[x7,x0,lsl 3]; add x6,x6,1 */
    find_of(ISA_AARCH64, "207866f8 001c4092 e37860f8 c6040091");
    is(1, "gather", 0, 1);
    assert_float_equal(streams.items.items[1].values, 256, 0);
    /* ldr x0,[x1,x6,lsl 3]; sub x4,x0,x5,lsl 3; ldr x3,[x7,x4]; add x6,x6,1 */
    find_of(ISA_AARCH64, "207866f8 040c05cb e36864f8 c6040091");
    assert_int_equal(streams.unknown, 3);
}

/* A refused address names the register and the instruction that is the reason. */
static void test_refused_names(void **state)
{
    static const struct { const char *hex; unsigned at; const char *why; } loops[] = {
        /* mov rax,[rdi]; add rdi,rdx */
        {"488b07 4801d7", 1, "depends on rdi, which instruction 2 (add"},
        /* imul rax,rax,1664525; add rax,1013904223; mov rdx,rax; shr rdx,40; mov rbx,[rdi+rdx*8] */
        {"4869c00d661900 48055ff36e3c 4889c2 48c1ea28 488b1cd7", 5,
         "depends on rax, which instruction 1 (imul"},
        /* mov rax,rcx; and eax,1023; mov rbx,[rdi+rax*8]; add rcx,1 */
        {"4889c8 25ff030000 488b1cc7 4883c101", 3, "depends on rax, which instruction 2 (and"},
        /* movsd xmm0,[rsi+rcx*8]; cvttsd2si rax,xmm0; mov rbx,[rdi+rax*8]; add rcx,1 */
        {"f20f1004ce f2480f2cc0 488b1cc7 4883c101", 3, "which instruction 2 (cvttsd2si"},
        /* mov eax,[rsi+rcx*4]; mov edx,[rdi+rax*4]; movsd xmm0,[r8+rdx*8]; add rcx,1 */
        {"8b048e 8b1487 f2410f1004d0 4883c101", 3, "the index is loaded by instruction 2, whose"},
    };

    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        find(loops[i].hex);
        assert_int_equal(streams.unknown, loops[i].at);
        if (!strstr(streams.why, loops[i].why))
            fail_msg("%s", streams.why);
    }
}

static void test_unknown(void **state)
{
    struct arrays arrays;
    struct err err = {0};
    /* mov rax,[rdi]; add rdi,rdx: the loop does not determine the stride */
    find("488b07 4801d7");
    assert_int_equal(streams.unknown, 1);
    assert_false(layout_arrays(insns, &streams, 1 << 20, &arrays, &err));
    assert_int_equal(err.code, ERR_DATA);
    assert_non_null(strstr(err.what, "instruction 1"));
    /* an index multiplied by a register, which has no limit */
    find("488b04ce 480fafc2 488b1cc7 4883c101");
    assert_int_equal(streams.unknown, 0);
    err = (struct err){0};
    assert_false(layout_arrays(insns, &streams, 1 << 20, &arrays, &err));
    assert_int_equal(err.code, ERR_DATA);
    find("4801d8");
    err = (struct err){0};
    assert_false(layout_arrays(insns, &streams, 1 << 20, &arrays, &err));
    /* The strides are a page. The arrays have at least four pages. */
    find("488b07 4881c700100000");
    err = (struct err){0};
    assert_false(layout_arrays(insns, &streams, 8192, &arrays, &err));
    assert_int_equal(err.code, ERR_USAGE);
    assert_true(layout_arrays(insns, &streams, 65536, &arrays, &err));
}

/* Loops with strides or addresses at the ends of 64 bits cannot be laid out, and the error reports
 * this. */
static void test_far(void **state)
{
    static const char *const loops[] = {
        /* mov rax,2^63-1; mov rbx,[rdi+rax]; add rdi,rax */
        "48b8ffffffffffffff7f 488b1c07 4801c7",
        "48b80000000000000080 488b18 4801c7 488b0f",
        "48b80000000000000010 488b0f 4801c7",     /* strides of 2^60 */
        "48b8ffffffffffffff7f 488b18 488b5808",
    };
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct arrays arrays;
        struct err err = {0};
        find(loops[i]);
        assert_false(layout_arrays(insns, &streams, 1 << 20, &arrays, &err));
        assert_int_equal(err.code, ERR_DATA);
    }
}

/* A register is doubled or scaled repeatedly. The product is the factor of its only term. Products
 * beyond 64 bits are accepted. */
static void test_multiplied(void **state)
{
    static const char *const again[] = {
        "488d0400",                               /* lea rax,[rax+rax] */
        "488d04c500000000",                       /* lea rax,[rax*8] */
    };
    for (size_t i = 0; i < sizeof again / sizeof *again; i++)
        for (unsigned times = 2; times <= 30; times += 28) {
            struct str code = {0};
            str_add(&code, "4889f8");             /* mov rax,rdi */
            for (unsigned k = 0; k < times; k++)
                str_add(&code, again[i]);
            str_add(&code, "488b18");             /* mov rbx,[rax] */
            find(str_text(&code));
            str_done(&code);
            assert_int_equal(streams.items.count, 1);
            is(0, "fixed", 0, 0);
            if (times > 2)
                continue;
            assert_int_equal(streams.items.items[0].term_count, 1);
            assert_int_equal(streams.items.items[0].terms[0].factor, i ? 64 : 4);
        }
}

static void test_joined(void **state)
{
    struct err err = {0};
    find("488b07 488b5640 4883c708 4883c608");       /* [rdi] and [rsi+64], both advancing by 8 */
    assert_int_equal(streams.items.count, 2);
    assert_false(streams_join(&streams, 1, 3, 8, &err));
    assert_false(streams_join(&streams, 1, 1, 8, &err));
    assert_false(streams_join(&streams, 0, 1, 8, &err));
    assert_true(streams_join(&streams, 2, 1, 4160, &err));
    assert_int_equal(streams.items.items[0].follows, 1);
    assert_int_equal(streams.items.items[0].distance, 4160);
    assert_int_equal(streams.items.items[1].follows, STREAM_ALONE);
    /* [rdi], [rdi+8256], [rdi-8256]: three rows of one array */
    find("488b07 488b9740200000 488b8fc0dfffff 4883c708");
    assert_int_equal(streams.items.count, 3);
    assert_int_equal(streams.items.items[0].follows, 1);
    assert_int_equal(streams.items.items[2].follows, 0);
    assert_int_equal(streams.items.items[2].distance, 8256);
}

/* Returns the misses per iteration in an LRU cache of @room lines, counted over the second half of
 * @rounds iterations of @n accesses. */
static double misses(const int64_t *offsets, const unsigned *bytes, size_t n, int64_t step,
                     unsigned rounds, size_t room)
{
    static int64_t kept[MOST_LINES];
    size_t have = 0, fresh = 0;

    for (unsigned round = 0; round < rounds; round++)
        for (size_t i = 0; i < n; i++) {
            int64_t from = (1 << 28) + offsets[i] + step * round;
            for (int64_t line = from / 64; line <= (from + bytes[i] - 1) / 64; line++) {
                size_t at = 0;
                while (at < have && kept[at] != line)
                    at++;
                fresh += at == have && round >= rounds / 2;
                if (at == have && have < room)
                    have++;
                else if (at == have)
                    at = room - 1;
                memmove(kept + 1, kept, (at < have ? at : have - 1) * sizeof *kept);
                kept[0] = line;
            }
        }
    return (double)fresh / (rounds - rounds / 2);
}

/* Random walks. The number of lines equals the misses of a first level of 512 lines. */
static void test_lines_are_misses(void **state)
{
    unsigned seed = 12345;
    for (unsigned trial = 0; trial < 200; trial++) {
        int64_t offsets[3], step;
        unsigned bytes[3] = {8, 8, 8};
        char hex[128] = "";
        size_t n = trial % 3 + 1;
        seed = seed * 1103515245 + 12345;
        step = (int64_t)(seed >> 16) % 40 * 8 + 8;
        for (size_t i = 0; i < n; i++) {
            seed = seed * 1103515245 + 12345;
            offsets[i] = (int64_t)((seed >> 16) % 250) * 8;
            /* mov rax,[rdi+offset] */
            snprintf(hex + strlen(hex), sizeof hex - strlen(hex), "488b87%02x%02x0000",
                     (unsigned)offsets[i] & 255, (unsigned)offsets[i] >> 8);
        }
        if (trial % 2) {
            snprintf(hex + strlen(hex), sizeof hex - strlen(hex), "4881c7%02x%02x0000",
                     (unsigned)step & 255, (unsigned)step >> 8);
        } else {
            snprintf(hex + strlen(hex), sizeof hex - strlen(hex), "4881ef%02x%02x0000",
                     (unsigned)step & 255, (unsigned)step >> 8);
            step = -step;
        }
        find(hex);
        assert_int_equal(streams.items.count, 1);
        assert_int_equal(streams.items.items[0].step, step);
        double seen = misses(offsets, bytes, n, step, 512, 512);
        assert_true(streams.items.items[0].lines <= seen * 1.1 + 0.02 &&
                    streams.items.items[0].lines >= seen * 0.9 - 0.02);
    }
}

/* Every iteration of every stream is within the arena, and arrays do not overlap. */
static void laid_out(uint64_t bytes)
{
    struct arrays arrays;
    struct err err = {0};
    uint64_t low[64], high[64];
    double used = 0;
    bool indexed = false;

    assert_true(layout_arrays(insns, &streams, bytes, &arrays, &err));
    assert_true(arrays.bytes <= bytes + LAYOUT_SLACK);
    for (size_t i = 0; i < streams.items.count; i++) {
        const struct stream *s = &streams.items.items[i];
        uint64_t sum = 0;
        for (unsigned k = 0; k < s->term_count; k++) {
            assert_true(arrays.given >> s->terms[k].reg & 1);
            sum += arrays.values[s->terms[k].reg] * (uint64_t)s->terms[k].factor;
        }
        int64_t last = s->kind == STREAM_WALK ? (int64_t)(arrays.iterations - 1) * s->step : 0;
        low[i] = sum + (uint64_t)s->low + (last < 0 ? (uint64_t)last : 0);
        high[i] = sum + (uint64_t)s->high + (last > 0 ? (uint64_t)last : 0);
        assert_true(low[i] < high[i] && high[i] <= arrays.bytes);
        used +=
            s->kind == STREAM_WALK && s->follows == STREAM_ALONE ? (double)(high[i] - low[i]) : 0;
        indexed |= s->kind != STREAM_WALK;
    }
    for (size_t i = 0; i < streams.items.count; i++)
        for (size_t k = 0; k < i; k++)
            if (streams.items.items[i].kind == STREAM_WALK &&
                streams.items.items[k].kind == STREAM_WALK &&
                streams.items.items[i].symbol != streams.items.items[k].symbol)
                assert_true(low[i] >= high[k] || low[k] >= high[i]);
    /* Rows skip some of the lines. */
    assert_true(indexed || (used > 0.7 * (double)bytes && used < 1.01 * (double)bytes));
    for (unsigned i = 0; i < arrays.fill_count; i++)
        assert_true(arrays.fills[i].at + arrays.fills[i].bytes <= arrays.bytes);
}

static void test_layouts(void **state)
{
    static const char *const loops[] = {
        "c5fc100406c5fc110407c5fc104c0620c5fc114c07204883c040",   /* a copy loop with an index */
        /* This is a copy loop with two pointers. */
        "488b07488906 4883c708 4883c608",
        /* This is a copy loop that runs backwards. */
        "488b04ce 488904cf 4883e901",
        "8b0c86 488b14cf 4883c001",                               /* a gather by loaded indices */
        "488b00 488b00",                                          /* This is a chain of pointers. */
        "488b07 488b9740200000 488b8fc0dfffff 4883c708",          /* three rows of one array */
        "488b07 488b1e 4883c708 4881c600010000",                  /* The strides are 8 and 256. */
    };
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        for (uint64_t bytes = 64 << 10; bytes <= (512 << 20); bytes *= 2) {
            find(loops[i]);
            laid_out(bytes);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),   cmocka_unit_test(test_loops),
        cmocka_unit_test(test_waiting), cmocka_unit_test(test_iterations),
        cmocka_unit_test(test_indices), cmocka_unit_test(test_index_values),
        cmocka_unit_test(test_computed_indices), cmocka_unit_test(test_computed_a64),
        cmocka_unit_test(test_refused_names),
        cmocka_unit_test(test_unknown), cmocka_unit_test(test_far),
        cmocka_unit_test(test_multiplied),
        cmocka_unit_test(test_joined),  cmocka_unit_test(test_lines_are_misses),
        cmocka_unit_test(test_layouts)};
    return cmocka_run_group_tests_name("streams", tests, NULL, end);
}
