/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conversion of kernels of both instruction sets to executable code. Nothing is executed here. */
#include <stdlib.h>
#include <string.h>

#include "isa/a64/decode.h"
#include "measure/kernel_code.h"
#include "measure/sandbox.h"
#include "../support/support.h"

static size_t decode(const uint32_t *words, size_t count, struct insn *out)
{
    for (size_t i = 0; i < count; i++)
        assert_true(a64_decode((const uint8_t *)&words[i], 4, 4 * i, false, &out[i], NULL));
    return count;
}

/* Every kind of closing branch leads to the next instruction and retains its kind. */
static void test_a64_branches(void **state)
{
    static const struct { uint32_t word; const char *mnemonic;
    } cases[] = {
        {0x54ffffa1, "b.ne"}, {0x5400010b, "b.lt"}, {0xb5ffff63, "cbnz"}, {0x34000065, "cbz"},
        {0x3707ffc2, "tbnz"}, {0xb6f80047, "tbz"},  {0x17fffff9, "b"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct insn insns[2], again;
        uint8_t out[64] = {0};
        size_t n = decode((const uint32_t[]){0x8b010000, cases[i].word}, 2, insns);
        assert_string_equal(insns[1].mnemonic, cases[i].mnemonic);
        assert_null(kernel_refused_anywhere(insns, n, NULL));
        assert_int_equal(kernel_emit(insns, n, 0x1000, out, 8), 8);
        assert_memory_equal(out + 8, insns[0].bytes, 4);
        assert_true(a64_decode(out + 12, 4, 12, false, &again, NULL));
        assert_string_equal(again.mnemonic, insns[1].mnemonic);
        assert_int_equal(again.operand_count, insns[1].operand_count);
        bool led = false;
        for (unsigned k = 0; k < again.operand_count; k++) {
            const struct operand *op = &again.operands[k], *was = &insns[1].operands[k];
            if (op->kind == OPERAND_RELATIVE)
                led = op->displacement == 16;
            else
                assert_true(op->kind == was->kind && op->reg == was->reg &&
                            op->immediate == was->immediate);
        }
        if (!led)
            fail_msg("%s does not lead to the next instruction", cases[i].mnemonic);
        /* The same branch with another condition or register is a different instruction. */
        assert_true(kernel_emitted(insns, n, out + 8, 8));
        out[12] ^= cases[i].word == 0x17fffff9 ? 2 : 1;
        if (kernel_emitted(insns, n, out + 8, 8))
            fail_msg("%s is taken for what it is not", cases[i].mnemonic);
    }
}

static bool refused(const uint32_t *words, size_t count, const char *part)
{
    struct insn insns[8];
    const char *reason = kernel_refused_anywhere(insns, decode(words, count, insns), NULL);
    return reason && strstr(reason, part);
}

static void test_a64_refused(void **state)
{
    assert_true(refused((const uint32_t[]){0x94000004}, 1, "call"));
    assert_true(refused((const uint32_t[]){0xd63f0000}, 1, "call"));
    assert_true(refused((const uint32_t[]){0xd65f03c0}, 1, "a return"));
    assert_true(refused((const uint32_t[]){0xd61f0200}, 1, "indirect branch"));
    assert_true(refused((const uint32_t[]){0x54000041, 0xd503201f}, 2, "branch inside"));
    assert_true(refused((const uint32_t[]){0xd4000001}, 1, "system"));                    /* svc */
    /* mrs x0, cntvct_el0 */
    assert_true(refused((const uint32_t[]){0xd53be040}, 1, "system"));
    /* msr tpidr_el0, x0 */
    assert_true(refused((const uint32_t[]){0xd51bd040}, 1, "system"));
    /* yield */
    assert_true(refused((const uint32_t[]){0xd503203f}, 1, "system"));
    assert_true(refused((const uint32_t[]){0x10000040}, 1, "PC-relative"));             /* adr */
    /* ldr x0, .+8 */
    assert_true(refused((const uint32_t[]){0x58000040}, 1, "PC-relative"));
    assert_true(refused((const uint32_t[]){0x00000000}, 1, "decoded") ||
                refused((const uint32_t[]){0x00000000}, 1, "system"));
    /* Non-faulting loads could search for mapped memory. The decoder supports SVE words after it
     * has queried a disassembler, if one is installed. */
    /* ldff1b, ldnf1b, ld1b */
    static const uint32_t loads[] = {0xa41f6000, 0xa410a000, 0xa400a000};
    if (a64_learn((const uint8_t *)loads, sizeof loads, NULL)) {
        assert_true(refused(loads, 1, "cannot fault") || refused(loads, 1, "decoded"));
        assert_true(refused(loads + 1, 1, "cannot fault") || refused(loads + 1, 1, "decoded"));
        assert_false(refused(loads + 2, 1, "cannot fault"));
    }
    /* The message names the rejected instruction. For an empty kernel it names none. */
    struct insn insns[2];
    unsigned at = 7;
    assert_non_null(kernel_refused_anywhere(
        insns, decode((const uint32_t[]){0xd503201f, 0x94000004}, 2, insns), &at));
    assert_int_equal(at, 2);
    assert_non_null(kernel_refused_anywhere(insns, 0, &at));
    assert_int_equal(at, 0);
    /* Every CPU rejects code of the other instruction set. */
    struct insn arm, x86;
    decode((const uint32_t[]){0x8b010000}, 1, &arm);
    assert_true(insn_decode(ISA_X86_64, (const uint8_t[]){0x90}, 1, 0, false, &x86, NULL));
    assert_true((kernel_refused(&arm, 1, NULL) == NULL) != (kernel_refused(&x86, 1, NULL) == NULL));
    assert_non_null(kernel_refused_anywhere(&arm, 0, NULL));
}

/* Tests the list of permitted instructions by decoding only. */
static void test_a64_allowed(void **state)
{
    static const uint32_t fine[] = {
        0x8b010000, 0xd503201f, 0xf9400020, 0xa9bf7bfd, 0xf87c6bbe, 0x9ac10800, 0x1ac15000,
        0x4e20d420, 0x1e612800, 0x4c407020, 0x885ffc20, 0x88027c20, 0xdac01000, 0x9a9f17e0,
        0xd3500000, 0x54ffffa1, 0xb5ffff63, 0x3707ffc2, 0x14000000, 0x4e284820, 0x5e000020,
    };
    static const struct { uint32_t word; const char *name;
    } system[] = {
        {0xd4000001, "svc"},
        {0xd4000002, "hvc"},
        {0xd4000003, "smc"},
        {0xd4200020, "brk"},
        {0xd4400000, "hlt"},
        {0xd4a00001, "dcps1"},
        {0xd69f03e0, "eret"},
        {0xd6bf03e0, "drps"},
        {0xd53be040, "mrs cntvct_el0"},
        {0xd53bd040, "mrs tpidr_el0"},
        {0xd51bd040, "msr tpidr_el0"},
        {0xd500401f, "msr pstate"},
        {0xd508751f, "ic iallu"},
        {0xd50b7b20, "dc cvau"},
        {0xd50b7420, "dc zva"},
        {0xd5087820, "at s1e1r"},
        {0xd508871f, "tlbi"},
        {0xd503203f, "yield"},
        {0xd503205f, "wfe"},
        {0xd503207f, "wfi"},
        {0xd503209f, "sev"},
        {0xd50320bf, "sevl"},
        {0xd503221f, "esb"},
        {0xd503229f, "csdb"},
        {0xd503233f, "paciasp"},
        {0xd50323bf, "autiasp"},
        {0xd503245f, "bti c"},
        {0xd503305f, "clrex"},
        {0xd5033fbf, "dmb"},
        {0xd5033f9f, "dsb"},
        {0xd5033fdf, "isb"},
        {0xd50330ff, "sb"},
        {0xd5031000, "wfet"},
        {0xdac10020, "pacia"},
        {0xdac11020, "autia"},
        {0x9ac13000, "pacga"},
        {0xf8200420, "ldraa"},
        {0xd71f0801, "braa"},
        {0x9adf1000, "irg"},
        {0x9ac01400, "gmi"},
        {0xd9200820, "stg"},
        {0xd9600020, "ldg"},
        {0xd9e00020, "ldgm"},
        {0xd9a00820, "st2g"},
        {0x91800400, "addg"},
        {0xd1800400, "subg"},
        {0xf83fd020, "ld64b"},
        {0xf83f9020, "st64b"},
        {0xd5233060, "tstart"},
        {0xd503477f, "smstart"},
        {0xd503467f, "smstop"},
        {0x1d010440, "cpyfp"},
        {0x19c10440, "setp"},
        {0xc0000000, "sme"},
        {0x80800000, "fmopa"},
        {0x00000000, "udf"},
    };
    uint64_t random = 0x9e3779b97f4a7c15u;
    unsigned allowed = 0;
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        struct insn insn;
        decode(&fine[i], 1, &insn);
        const char *reason = kernel_refused_anywhere(&insn, 1, NULL);
        if (reason)
            fail_msg("0x%08x (%s) is refused as %s", (unsigned)fine[i], insn.mnemonic, reason);
    }
    for (size_t i = 0; i < sizeof system / sizeof *system; i++)
        if (!refused(&system[i].word, 1, "system") && !refused(&system[i].word, 1, "decoded") &&
            !refused(&system[i].word, 1, "indirect"))
            fail_msg("%s may run", system[i].name);
    /* Whatever the decoder reports, no permitted instruction is one that generates exceptions,
     * controls the system or is reserved. */
    for (unsigned i = 0; i < 400000; i++) {
        struct insn insn;
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint32_t word = (uint32_t)(random >> 32), group = word >> 25 & 15;
        if (i % 4 == 0)
            word = (word & 0x00ffffff) | (i % 8 ? 0xd5000000u : 0xd4000000u), group = 10;
        decode(&word, 1, &insn);
        if (!(insn.traits & INSN_RUNNABLE))
            continue;
        allowed++;
        if (insn.traits & (INSN_SYSTEM | INSN_UNDECODED | INSN_CALL | INSN_RETURN) || group == 0 ||
            group == 1 || group == 3 ||
            ((word >> 24 == 0xd4 || word >> 24 == 0xd5) && word != 0xd503201f))
            fail_msg("0x%08x (%s) may run", (unsigned)word, insn.mnemonic);
    }
    assert_true(allowed > 10000);
}

static void test_counter(void **state)
{
    struct insn insns[12];
    /* add x0, x0, x1; ldr x30, [x29, x28]: x27 is the highest free register. */
    size_t n = decode((const uint32_t[]){0x8b010000, 0xf87c6bbe}, 2, insns);
    assert_int_equal(kernel_counter(insns, n), COUNTER_REGISTER + 27);
    /* ldp x0, x1, [x2] and so on, with all thirty-one registers: ldp xa, xb, [sp] */
    uint32_t words[12];
    unsigned count = 0;
    for (unsigned reg = 0; reg < 30; reg += 3)
        words[count++] = 0xa9400000u | reg | (reg + 1) << 10 | (reg + 2) << 5;
    n = decode(words, count, insns);
    assert_int_equal(kernel_counter(insns, n), COUNTER_REGISTER + 30);
    words[count++] = 0xf94003fe;   /* ldr x30, [sp] */
    n = decode(words, count, insns);
    assert_int_equal(kernel_counter(insns, n), COUNTER_BODY);
    assert_true(refused(words, 1, "none") == false);
    assert_string_equal(kernel_refused_anywhere(insns, n, NULL),
                        "no general register is free for the loop counter");
    /* x18 is used only if no other register is free. */
    words[6] = 0xa9400000u | 20 | 19 << 10 | 20 << 5;
    n = decode(words, count, insns);
    assert_int_equal(kernel_counter(insns, n), COUNTER_REGISTER + 18);
    struct insn x86;
    assert_true(insn_decode(ISA_X86_64, (const uint8_t[]){0x90}, 1, 0, false, &x86, NULL));
    assert_int_equal(kernel_counter(&x86, 1), COUNTER_REGISTER + 15);
    /* mov [r15 + r14 * 1], r13; then xchg of each of r8 to r12 with rax: no register is free, so
     * the counter is in memory. */
    static const uint8_t high[][4] = {{0x4f, 0x89, 0x2c, 0x37},
                                      {0x49, 0x90},
                                      {0x49, 0x91},
                                      {0x49, 0x92},
                                      {0x49, 0x93},
                                      {0x49, 0x94}};
    struct insn all[6];
    for (unsigned i = 0; i < 6; i++) {
        assert_true(insn_decode(ISA_X86_64, high[i], i ? 2 : 4, 0, false, &all[i], NULL));
        assert_int_equal(kernel_counter(all, i + 1),
                         i < 5 ? COUNTER_REGISTER + 12 : COUNTER_MEMORY);
    }
}

static size_t decode_x86(const uint8_t *code, size_t length, struct insn *out)
{
    size_t n = 0;
    for (size_t at = 0; at < length; at += out[n - 1].length)
        assert_true(insn_decode(ISA_X86_64, code + at, length - at, at, false, &out[n++], NULL));
    return n;
}

struct x86_case { uint8_t code[16]; uint8_t length; };

/* Branches with any prefix remain complete. A displacement of 0 replaces the original, and no other
 * byte moves. */
static void test_x86_branches(void **state)
{
    static const struct x86_case cases[] = {
        {{0x75, 0xfb}, 2},
        {{0x0f, 0x85, 0xf0, 0xff, 0xff, 0xff}, 6},
        {{0xeb, 0xfb}, 2},
        {{0xe9, 0xf0, 0xff, 0xff, 0xff}, 5},
        {{0xe3, 0xfb}, 2},
        {{0x67, 0xe3, 0xfb}, 3},
        {{0xe2, 0xfb}, 2},
        {{0xe0, 0xfb}, 2},
        {{0x2e, 0x75, 0xf7}, 3},
        {{0x3e, 0x75, 0xf7}, 3},
        {{0xf2, 0x75, 0xf7}, 3},
        {{0xf3, 0x75, 0xf7}, 3},
        {{0x64, 0x75, 0xf7}, 3},
        {{0x65, 0x75, 0xf7}, 3},
        {{0x67, 0x75, 0xf7}, 3},
        {{0x40, 0x75, 0xf7}, 3},
        {{0x48, 0x75, 0xf7}, 3},
        {{0x4f, 0x75, 0xf7}, 3},
        {{0x2e, 0x3e, 0x75, 0xf7}, 4},
        {{0x3e, 0x48, 0x75, 0xf7}, 4},
        {{0xf2, 0x3e, 0x75, 0xf7}, 4},
        {{0xf2, 0x0f, 0x85, 0xf0, 0xff, 0xff, 0xff}, 7},
        {{0x3e, 0x0f, 0x84, 0xf0, 0xff, 0xff, 0xff}, 7},
        {{0x48, 0x0f, 0x8c, 0xf0, 0xff, 0xff, 0xff}, 7},
        {{0xf2, 0xeb, 0xf7}, 3},
        {{0xf2, 0xe9, 0xf0, 0xff, 0xff, 0xff}, 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        /* A decoder that is wrong by one byte would find a system call. */
        uint8_t code[32] = {0xc7, 0xc0, 0xc0, 0x00, 0x0f, 0x05}, out[128];
        struct insn insns[2];
        memcpy(code + 6, cases[i].code, cases[i].length);
        size_t n = decode_x86(code, 6u + cases[i].length, insns), at = 0;
        assert_int_equal(n, 2);
        const char *reason = kernel_refused_anywhere(insns, n, NULL);
        if (reason)
            fail_msg("case %zu: %s", i, reason);
        for (unsigned copy = 0; copy < 3; copy++)
            at += kernel_emit(insns, n, 0x1000, out, at);
        if (at != 3u * (6u + cases[i].length) || !kernel_emitted(insns, n, out, at))
            fail_msg("case %zu is not emitted as it is", i);
        /* Detects another byte, a copy without its branch, and one instruction too many. */
        out[2] ^= 1;
        assert_false(kernel_emitted(insns, n, out, at));
        out[2] ^= 1;
        assert_false(kernel_emitted(insns, n, out, at - cases[i].length));
        out[at] = 0x90;
        assert_false(kernel_emitted(insns, n, out, at + 1));
        out[at - 1]++;
        assert_false(kernel_emitted(insns, n, out, at));
    }
}

/* Nops separate the closing branches of short copies, which skip them. Only nops may be between
 * copies, and nothing else may be skipped. */
static void test_x86_apart(void **state)
{
    static const struct x86_case cases[] = {
        /* add rax, rax; cmp rax, rdx; jb */
        {{0x48, 0x01, 0xc0, 0x48, 0x39, 0xd0, 0x72, 0xf8}, 8},
        {{0x48, 0x01, 0xc0, 0x48, 0x39, 0xd0, 0x0f, 0x82, 0xf4, 0xff, 0xff, 0xff}, 12},
        {{0x48, 0x01, 0xc0, 0x48, 0x39, 0xd0, 0xe9, 0xf5, 0xff, 0xff, 0xff}, 11},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct insn insns[3];
        uint8_t out[256] = {0};
        size_t n = decode_x86(cases[i].code, cases[i].length, insns), at = 0,
               length = cases[i].length;
        assert_int_equal(n, 3);
        assert_int_equal(kernel_apart(insns, n, length), KERNEL_APART);
        assert_int_equal(kernel_apart(insns, n, KERNEL_APART), KERNEL_APART);
        assert_int_equal(kernel_apart(insns, n, KERNEL_APART + 1), KERNEL_APART + 1);
        assert_int_equal(kernel_apart(insns, 2, length), length);   /* no branch */
        for (unsigned copy = 0; copy < 3; copy++) {
            at += kernel_emit(insns, n, 0x1000, out, at);
            at += kernel_fill(insns, n, out, at, KERNEL_APART - length);
        }
        assert_int_equal(at, 3 * KERNEL_APART);
        assert_true(kernel_emitted(insns, n, out, at));
        /* There is another byte among the nops, or in the branch's displacement. */
        for (size_t k = length; k < 2 * KERNEL_APART; k++) {
            out[k] ^= 0x40;
            assert_false(kernel_emitted(insns, n, out, at));
            out[k] ^= 0x40;
        }
        assert_false(kernel_emitted(insns, n, out, at - 1));
        /* The branch leads to an address outside of the code. */
        assert_false(kernel_emitted(insns, n, out, at - KERNEL_APART + length));
        struct insn nop;
        for (size_t k = length; k < KERNEL_APART; k += nop.length) {
            assert_true(insn_decode(ISA_X86_64, out + k, KERNEL_APART - k, k, false, &nop, NULL));
            assert_string_equal(nop.mnemonic, "nop");
        }
    }
}

static void test_x86_emitted(void **state)
{
    /* mov rax, [rip + 0x10]; vaddps ymm8, ymm15, [rip - 4]; add rax, rbx */
    static const uint8_t code[] = {0x48, 0x8b, 0x05, 0x10, 0,    0,    0,    0xc5, 0x04,
                                   0x58, 0x05, 0xfc, 0xff, 0xff, 0xff, 0x48, 0x01, 0xd8};
    struct insn insns[3];
    uint8_t out[256];
    size_t n = decode_x86(code, sizeof code, insns), at = 0;
    for (unsigned copy = 0; copy < 4; copy++)
        at += kernel_emit(insns, n, 0x4000, out, at);
    assert_true(kernel_emitted(insns, n, out, at));
    assert_memory_not_equal(out, code, sizeof code);
    out[7]++;
    assert_false(kernel_emitted(insns, n, out, at));
}

/* A branch within the code is rejected, unless the code is an executed path. The branch of a path
 * leads to the next instruction, for either outcome. */
static void test_x86_followed(void **state)
{
    /* cmp rax, rbx; jl over; add rcx, rdx; over: jmp next; next: inc rsi */
    static const uint8_t code[] = {0x48, 0x39, 0xd8, 0x7c, 0x03, 0x48, 0x01,
                                   0xd1, 0xeb, 0x00, 0x48, 0xff, 0xc6};
    struct insn insns[5];
    uint8_t out[64];
    unsigned where;
    size_t n = decode_x86(code, sizeof code, insns), at = 0;
    assert_int_equal(n, 5);
    assert_non_null(kernel_refused_anywhere(insns, n, &where));
    assert_int_equal(where, 2);
    insns[1].traits |= INSN_FOLLOWED;
    assert_non_null(kernel_refused_anywhere(insns, n, &where));
    assert_int_equal(where, 4);
    insns[3].traits |= INSN_FOLLOWED;
    assert_null(kernel_refused_anywhere(insns, n, NULL));
    for (unsigned copy = 0; copy < 3; copy++)
        at += kernel_emit(insns, n, 0x1000, out, at);
    assert_int_equal(out[4], 0);   /* No instruction is omitted. */
    assert_true(kernel_emitted(insns, n, out, at));
    out[4] = 3;
    assert_false(kernel_emitted(insns, n, out, at));
}

/* Instructions outside of the list are rejected before anything runs. */
static void test_x86_refused(void **state)
{
    static const struct x86_case cases[] = {
        {{0x0f, 0x01, 0xc1}, 3},                         /* vmcall */
        {{0x0f, 0x01, 0xd9}, 3},                         /* vmmcall */
        {{0x0f, 0x01, 0xd4}, 3},                         /* vmfunc */
        {{0x0f, 0x01, 0xd0}, 3},                         /* xgetbv */
        {{0x0f, 0x01, 0xd1}, 3},                         /* xsetbv */
        {{0x8e, 0xd8}, 2},                               /* mov ds, eax */
        {{0x8c, 0xd8}, 2},                               /* mov eax, ds */
        {{0x0f, 0xa0}, 2},                               /* push fs */
        {{0x0f, 0xa1}, 2},                               /* pop fs */
        {{0x0f, 0xb4, 0x00}, 3},                         /* lfs */
        {{0xc4, 0xe2, 0x78, 0x49, 0x00}, 5},             /* ldtilecfg */
        {{0xc4, 0xe2, 0x78, 0x49, 0xc0}, 5},             /* tilerelease */
        {{0x0f, 0x01, 0xe8}, 3},                         /* serialize */
        {{0xfa}, 1},                                     /* cli */
        {{0xfb}, 1},                                     /* sti */
        {{0xf4}, 1},                                     /* hlt */
        {{0x0f, 0x05}, 2},                               /* syscall */
        {{0x0f, 0x34}, 2},                               /* sysenter */
        {{0xcd, 0x80}, 2},                               /* int 0x80 */
        {{0xcc}, 1},                                     /* int3 */
        {{0xf1}, 1},                                     /* int1 */
        {{0x0f, 0xa2}, 2},                               /* cpuid */
        {{0x0f, 0x31}, 2},                               /* rdtsc */
        {{0x0f, 0x01, 0xf9}, 3},                         /* rdtscp */
        {{0x0f, 0x33}, 2},                               /* rdpmc */
        {{0xf3, 0x0f, 0xc7, 0xf8}, 4},                   /* rdpid */
        {{0x0f, 0xc7, 0xf0}, 3},                         /* rdrand */
        {{0xf3, 0x48, 0x0f, 0xae, 0xc8}, 5},             /* rdgsbase */
        {{0xf3, 0x48, 0x0f, 0xae, 0xd8}, 5},             /* wrgsbase */
        {{0x0f, 0x01, 0xef}, 3},                         /* wrpkru */
        {{0x0f, 0x01, 0xee}, 3},                         /* rdpkru */
        {{0xc7, 0xf8, 0, 0, 0, 0}, 6},                   /* xbegin */
        {{0x0f, 0x01, 0xe0}, 3},                         /* smsw */
        {{0x0f, 0x01, 0x00}, 3},                         /* sgdt */
        {{0x0f, 0x00, 0xc0}, 3},                         /* sldt */
        {{0x0f, 0x02, 0xc0}, 3},                         /* lar */
        {{0x0f, 0xae, 0x00}, 3},                         /* fxsave */
        {{0x0f, 0xae, 0x20}, 3},                         /* xsave */
        {{0x0f, 0xae, 0x28}, 3},                         /* xrstor */
        {{0xf3, 0x0f, 0x1e, 0xc8}, 4},                   /* rdsspd */
        {{0x66, 0x0f, 0xae, 0xf0}, 4},                   /* tpause */
        {{0x0f, 0x20, 0xc0}, 3},                         /* mov rax, cr0 */
        {{0x0f, 0x21, 0xc0}, 3},                         /* mov rax, dr0 */
        {{0xe4, 0x10}, 2},                               /* in */
        {{0x6c}, 1},                                     /* insb */
        {{0x0f, 0x0b}, 2},                               /* ud2 */
        {{0xc8, 0, 0, 0}, 4},                            /* enter */
        {{0x65, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0}, 9}, /* mov rax, gs:0 */
        {{0x65, 0xac}, 2},                               /* lods from gs */
        /* This is a jne whose length depends on the processor's vendor. */
        {{0x66, 0x0f, 0x85, 0, 0, 0, 0}, 7},
        /* This is a jne whose target depends on the processor's vendor. */
        {{0x66, 0x75, 0xf7}, 3},
        {{0x66, 0x66, 0x75, 0xf7}, 4},
        {{0x66, 0xeb, 0xf7}, 3},
        {{0x66, 0xe3, 0xf7}, 3},
        {{0x66, 0xe2, 0xf7}, 3},
        {{0x2e, 0x66, 0x75, 0xf7}, 4},
    };
    struct insn insns[2];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = decode_x86(cases[i].code, cases[i].length, insns);
        const char *reason = kernel_refused_anywhere(insns, n, NULL);
        if (!reason || !strstr(reason, "system instruction"))
            fail_msg("%s is not refused as a system instruction but: %s", insns[0].mnemonic,
                     reason ? reason : "run");
    }
    /* Computing instructions of any age are permitted. */
    static const struct x86_case runnable[] = {
        {{0x48, 0x01, 0xd8}, 3},
        {{0xf0, 0x48, 0x01, 0x18}, 4},
        {{0xd9, 0xc0}, 2},
        {{0x0f, 0x77}, 2},
        {{0x9d}, 1},
        {{0xfc}, 1},
        {{0xf3, 0x48, 0xab}, 3},
        {{0x0f, 0xae, 0x10}, 3} /* ldmxcsr */,
        {{0x0f, 0xae, 0xe8}, 3} /* lfence */,
        {{0x0f, 0xae, 0x38}, 3} /* clflush */,
        {{0xf3, 0x90}, 2},
        {{0xf3, 0x0f, 0x1e, 0xfa}, 4} /* endbr64 */,
        {{0x62, 0xf1, 0x74, 0x48, 0x58, 0xc2}, 6} /* vaddps zmm */,
        {{0xc5, 0xec, 0x41, 0xcb}, 4} /* kand */,
        {{0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0}, 9} /* mov rax, fs:0x28 */,
        {{0x0f, 0x1f, 0x44, 0, 0}, 5},
        {{0xc4, 0xe2, 0xfb, 0xf5, 0xc1}, 5} /* pdep */,
    };
    for (size_t i = 0; i < sizeof runnable / sizeof *runnable; i++) {
        size_t n = decode_x86(runnable[i].code, runnable[i].length, insns);
        if (kernel_refused_anywhere(insns, n, NULL))
            fail_msg("%s is refused: %s", insns[0].mnemonic,
                     kernel_refused_anywhere(insns, n, NULL));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a64_branches), cmocka_unit_test(test_a64_refused),
        cmocka_unit_test(test_a64_allowed),  cmocka_unit_test(test_counter),
        cmocka_unit_test(test_x86_branches), cmocka_unit_test(test_x86_apart),
        cmocka_unit_test(test_x86_emitted),  cmocka_unit_test(test_x86_refused),
        cmocka_unit_test(test_x86_followed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
