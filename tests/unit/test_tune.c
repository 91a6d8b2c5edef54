/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `kernel tune`: reordering, replacements, unrolling, loops with a known optimum, and candidates on
 * this CPU compared with their loops. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel.h"
#include "base/rng.h"
#include "base/watch.h"
#include "isa/rewrite.h"
#include "tune/dataflow.h"
#include "tune/same.h"
#include "tune/search.h"
#include "../support/support.h"

#define INTEL ".intel_syntax noprefix\n"

/* Returns the sandbox, or skips the test. */
static struct sandbox *sandbox_or_skip(const struct insn *insns, size_t count)
{
    struct err err = {0};
    struct sandbox *s = same_refused(insns, count) ? NULL : sandbox_new(-1, &err);

    if (!s) {
        print_message("nothing is compared here: %s\n", err.what);
        skip();
    }
    return s;
}

/* Returns whether instructions @a and @b of @text may be swapped if no other instruction moves. */
static bool may_swap(const char *text, size_t a, size_t b)
{
    struct kernel *k = kernel_of(text);
    size_t count;
    const struct insn *insns = kernel_insns(k, 0, &count);
    struct dataflow *f = dataflow_new(insns, count);
    uint32_t order[32];

    assert_true(count <= 32);
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    assert_true(dataflow_keeps(f, order));
    order[a] = (uint32_t)b;
    order[b] = (uint32_t)a;
    const bool ok = dataflow_keeps(f, order);
    dataflow_free(f);
    kernel_free(k);
    return ok;
}

static void test_what_may_change_places(void **state)
{
    assert_true(may_swap(INTEL "mov rax, rbx\nmov rcx, rdx\n", 0, 1));
    /* The second reads what the first writes. */
    assert_false(may_swap(INTEL "mov rax, rbx\nmov rcx, rax\n", 0, 1));
    /* The second writes what the first reads. */
    assert_false(may_swap(INTEL "mov rcx, rax\nmov rax, rbx\n", 0, 1));
    /* Both write the same register. */
    assert_false(may_swap(INTEL "mov rax, rbx\nmov rax, rdx\n", 0, 1));
    assert_false(may_swap(INTEL "mov al, bl\nmov eax, edx\n", 0, 1));
    /* One writes a part of the register that the other writes or a third reads. */
    assert_false(may_swap(INTEL "mov ah, bl\nmov al, dl\nmov rcx, rax\n", 1, 2));
    /* The flags of the later writer are the result. If a third writer follows, those of the first
     * two are dead. */
    assert_false(may_swap(INTEL "add rax, rbx\nadd rcx, rdx\n", 0, 1));
    assert_true(may_swap(INTEL "add rax, rbx\nadd rcx, rdx\ncmp rsi, rdi\n", 0, 1));
    assert_false(may_swap(INTEL "add rax, rbx\nadc rcx, rdx\ncmp rsi, rdi\n", 0, 1));
    assert_false(may_swap(INTEL "cmp rax, rbx\nadd rcx, 1\ncmovb rsi, rdi\ntest r8, r8\n", 0, 1));
    assert_true(may_swap(INTEL "lea rax, [rbx+1]\nadd rcx, rdx\n", 0, 1));
    /* A shift by cl leaves the flags unchanged if cl is 0. */
    assert_false(may_swap(INTEL "add rax, rbx\nshl rdx, cl\nadc rsi, rdi\ncmp r8, r9\n", 0, 1));
    /* Memory accesses may be swapped only if known to be disjoint. */
    assert_true(may_swap(INTEL "mov rax, [rdi]\nmov rbx, [rsi]\n", 0, 1));
    assert_false(may_swap(INTEL "mov [rdi], rax\nmov rbx, [rsi]\n", 0, 1));
    assert_true(may_swap(INTEL "mov [rdi], rax\nmov rbx, [rdi+8]\n", 0, 1));
    assert_false(may_swap(INTEL "mov [rdi], rax\nmov rbx, [rdi+7]\n", 0, 1));
    assert_false(may_swap(INTEL "mov [rdi], rax\nmov [rdi+4], ebx\n", 0, 1));
    assert_true(may_swap(INTEL "mov [rdi+rcx*8], rax\nmov rbx, [rdi+rcx*8+8]\n", 0, 1));
    assert_false(may_swap(INTEL "mov [rdi+rcx*8], rax\nmov rbx, [rdi+rdx*8+8]\n", 0, 1));
    assert_true(may_swap(INTEL "lea rsi, [rdi+16]\nmov [rdi], rax\nmov rbx, [rsi-8]\n", 1, 2));
    assert_false(may_swap(INTEL "lea rsi, [rdi+16]\nmov [rdi], rax\nmov rbx, [rsi-16]\n", 1, 2));
    assert_true(may_swap(INTEL "mov [rdi+0x7ffffffc], rax\nmov rbx, [rdi-0x80000000]\n", 0, 1));
    /* These are the same four bytes, because addresses of 32 bits wrap around. */
    assert_false(may_swap(INTEL "mov [edi+0x7ffffffc], rax\nmov rbx, [edi-0x80000000]\n", 0, 1));
    assert_false(may_swap(INTEL "lea rsi, [edi+16]\nmov [rdi], rax\nmov rbx, [rsi-8]\n", 1, 2));
    assert_false(may_swap(INTEL "push rax\npop rbx\n", 0, 1));
    /* Fences, locked instructions and the closing branch do not move. */
    assert_false(may_swap(INTEL "mov rax, [rdi]\nmfence\n", 0, 1));
    assert_false(may_swap(INTEL "mov rax, rbx\nlock add [rdi], rcx\n", 0, 1));
    assert_false(may_swap(INTEL "a: mov rax, rbx\njne a\n", 0, 1));
    /* Legacy SSE preserves the upper half if other instructions use it. */
    assert_false(
        may_swap(INTEL "movaps xmm0, xmm1\nvaddps ymm2, ymm0, ymm3\nmovaps xmm0, xmm4\n", 0, 2));
    assert_true(may_swap(INTEL "movaps xmm0, xmm1\nmovaps xmm5, xmm4\n", 0, 1));
}

static struct tune *tune(const char *id, const char *text, unsigned unroll, bool reassociate,
                         unsigned tries)
{
    const struct tune_options options = {tries, unroll, reassociate, 1};
    struct machine *m = load_machine(id);
    struct kernel *k = kernel_of(text);
    struct err err = {0};
    size_t count;
    const struct insn *insns = kernel_insns(k, 0, &count);
    struct tune *t = tune_new(insns, count, m, &options, &err);

    assert_non_null(t);
    machine_free(m);
    kernel_free(k);
    return t;
}

/* Checks that @text takes @before cycles on @id, and the best version @after. Its description
 * contains @what. */
static void expect(const char *id, const char *text, unsigned unroll, bool reassociate,
                   double before, double after, const char *what)
{
    struct tune *t = tune(id, text, unroll, reassociate, 400);
    const struct tuned *best = t->found.items;
    const double found = t->found.count ? best->cycles : t->cycles;

    if (fabs(t->cycles - before) > 0.005 || fabs(found - after) > 0.005)
        fail_msg("%s: %.3f to %.3f, not %.3f to %.3f", text, t->cycles, found, before, after);
    if (what && !strstr(str_text(&best->version->what), what))
        fail_msg("%s: %s", text, str_text(&best->version->what));
    tune_free(t);
}

static void test_known_best(void **state)
{
    /* Seven µops occupy two lines of the µop cache, at one line per cycle. Next to its branch,
     * the comparison fuses with it. The six µops are then in one line, and at four slots they take
     * 1.5 cycles. */
    expect("skylake",
           INTEL "a: cmp rdi, rdx\nmov rax, [rdi]\nmov rbx, [rdi+8]\nlea rsi, [rsi+8]\nlea r11, "
                 "[r11+8]\nmov r8, [rsi]\njne a\n",
           1, false, 2, 1.5, "reordered");
    /* A multiplication takes three cycles, a shift one. */
    expect("skylake", INTEL "a: imul rax, rax, 8\ncmp rdi, rdx\njne a\n", 1, false, 3, 1,
           "imul by a power of two");
    expect("skylake", INTEL "a: imul rax, rax, 5\ncmp rdi, rdx\njne a\n", 1, false, 3, 1,
           "imul as lea");
    /* Two shifts per cycle, or four additions. Five shifts and the fused comparison on p06 take 3
     * cycles, with additions 6 / 4. */
    expect("skylake",
           INTEL
           "a: shl rax, 1\nshl rbx, 1\nshl rcx, 1\nshl rsi, 1\nshl r8, 1\ncmp rdi, rdx\njne a\n",
           1, false, 3, 1.5, "shl by 1 as add");
    /* One addition takes four cycles per iteration. With two and four sums, the additions overlap.
     * Two loads per iteration take one cycle on two ports. */
    static const char dot[] = ".L: vmovupd (%rdi,%rax), %ymm1\n vfmadd231pd (%rsi,%rax), %ymm1, "
                              "%ymm0\n add $32, %rax\n cmp %rdx, %rax\n jne .L\n";
    expect("skylake", dot, 4, false, 4, 4, NULL);
    expect("skylake", dot, 2, true, 4, 2, "2 iterations at once, separate accumulators");
    expect("skylake", dot, 4, true, 4, 1, "4 iterations at once, separate accumulators");
    /* Four multiply-adds into one sum, like in clang's unrolled loop: 16 cycles per iteration. With
     * separate sums, the two loads of each limit: 4. */
    static const char chained[] =
        ".L: vmovsd (%rdi,%rax,8), %xmm1\n vfmadd231sd (%rsi,%rax,8), %xmm1, %xmm0\n vmovsd "
        "8(%rdi,%rax,8), %xmm1\n vfmadd231sd 8(%rsi,%rax,8), %xmm1, %xmm0\n"
        " vmovsd 16(%rdi,%rax,8), %xmm1\n vfmadd231sd 16(%rsi,%rax,8), %xmm1, %xmm0\n vmovsd "
        "24(%rdi,%rax,8), %xmm1\n vfmadd231sd 24(%rsi,%rax,8), %xmm1, %xmm0\n"
        " add $4, %rax\n cmp %rax, %rdx\n jne .L\n";
    expect("skylake", chained, 1, false, 16, 16, NULL);
    expect("skylake", chained, 1, true, 16, 4, "separate accumulators");
    /* Integer sums need no permission. */
    expect("skylake",
           INTEL "a: imul rbx, [rdi]\nadd rax, rbx\nadd rax, rcx\nadd rax, rsi\nadd rdi, 8\ncmp "
                 "rdi, rdx\njne a\n",
           1, false, 3, 3, NULL);
    expect("skylake",
           INTEL "a: mov rbx, [rdi]\nadd rax, rbx\nadd rax, rcx\nadd rax, rsi\nadd rdi, 8\ncmp "
                 "rdi, rdx\njne a\n",
           1, false, 3, 1.5, "separate accumulators");
    expect("skylake",
           INTEL "a: paddd xmm0, [rdi]\npaddd xmm0, xmm0\nadd rdi, 16\ncmp rdi, rdx\njne a\n", 2,
           false, 2, 2, NULL);
    /* A sum whose value the loop uses is not split. */
    expect("skylake",
           ".L: vaddpd (%rdi), %ymm0, %ymm0\n vmovupd %ymm0, (%rsi)\n add $32, %rdi\n cmp %rdx, "
           "%rdi\n jne .L\n",
           4, true, 4, 4, NULL);
}

/* Loops that cannot be unrolled are unchanged. */
static void test_not_unrolled(void **state)
{
    static const char *const texts[] = {
        /* The carry is loop-carried. */
        INTEL "a: adc rax, [rdi]\nlea rdi, [rdi+8]\ndec rcx\njne a\n",
        /* This is code without a loop. */
        INTEL "mov rax, rbx\nadd rcx, rdx\n",
        INTEL "a: mov rax, [rdi]\nmfence\ndec rcx\njne a\n",
        /* The closing instruction writes a result. */
        INTEL "a: mov rax, [rdi]\nadd rdi, 8\nloop a\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct kernel *k = kernel_of(texts[i]);
        size_t count;
        const struct insn *insns = kernel_insns(k, 0, &count);
        if (version_unroll(insns, count, 2, true))
            fail_msg("%s", texts[i]);
        kernel_free(k);
    }
}

static int64_t place_of(const struct insn *in)
{
    int32_t held;

    memcpy(&held, in->bytes + insn_rip_displacement(in), sizeof held);
    assert_int_equal(held, insn_memory(in)->displacement);
    return (int64_t)(in->offset + in->length) + held;
}

/* An operand relative to the code refers to the same memory in every copy, both in its bytes and in
 * its text after assembly. */
static void test_relative_places(void **state)
{
    /* addsd xmm0, [rip+0xff8]; mulsd xmm1, [rip+0xff8]; add rax, 8; cmp rax, rcx; jne */
    struct err err = {0};
    struct kernel *k =
        kernel_from_hex(ISA_X86_64, "f20f5805f80f0000f20f590df80f00004883c0084839c875e7", &err);
    struct str text = {0};
    size_t count, seen = 0;

    assert_non_null(k);
    const struct insn *insns = kernel_insns(k, 0, &count);
    struct version *c = version_unroll(insns, count, 4, true);
    assert_non_null(c);
    version_place(c, insns);
    for (size_t i = 0; i < c->count; i++)
        if (c->insns[i].traits & INSN_RIP_RELATIVE && ++seen)
            assert_int_equal(place_of(&c->insns[i]),
                             c->insns[i].operands[0].reg == insns[0].operands[0].reg ||
                                     c->origin[i] == 0
                                 ? 0x1000
                                 : 0x1008);
    assert_int_equal(seen, 8);
    version_print(c, "loop", false, &text);
    struct kernel *made = kernel_from_text("made", str_text(&text), text.length, NULL, &err);
    if (!made)
        fail_msg("%s\n%s", err.what, str_text(&text));
    const struct insn *again = kernel_insns(made, 0, &count);
    for (size_t i = 0, at = 0; i < c->count; i++) {
        while (at < count && c->insns[i].traits & INSN_RIP_RELATIVE &&
               !(again[at].traits & INSN_RIP_RELATIVE))
            at++;
        if (c->insns[i].traits & INSN_RIP_RELATIVE)
            assert_int_equal(place_of(&again[at++]) - (int64_t)again[0].offset,
                             place_of(&c->insns[i]));
    }
    kernel_free(made);
    version_free(c);
    kernel_free(k);
    str_done(&text);
}

/* inc preserves the carry for the branch, and add would not. The two increments are therefore not
 * merged. */
static void test_carry_kept(void **state)
{
    struct kernel *k = kernel_of(INTEL "a: cmp rax, rdx\ninc rcx\ndec rsi\njb a\n");
    struct str text = {0};
    size_t count;
    const struct insn *insns = kernel_insns(k, 0, &count);
    struct version *c = version_unroll(insns, count, 2, true);

    assert_non_null(c);
    version_print(c, "loop", false, &text);
    if (strstr(str_text(&text), "add"))
        fail_msg("%s", str_text(&text));
    str_done(&text);
    version_free(c);
    kernel_free(k);
}

/* A code-relative address would change if code were inserted before it. */
static void test_relative_stays(void **state)
{
    struct kernel *k = kernel_of(INTEL "popcnt rax, [rip + 64]\ncmp r8, r10\n");
    struct insn with[REWRITTEN_MOST];
    const char *what;
    unsigned n;
    uint32_t loses;
    size_t count, at = 0;
    const struct insn *insns = kernel_insns(k, 0, &count);

    assert_true(insns[0].traits & INSN_RIP_RELATIVE);
    while (rewrite_next(&insns[0], &at, with, &n, &loses, &what))
        fail_msg("%s", what);
    kernel_free(k);
}

struct itself {
    struct kernel *kernel;
    const struct insn *insns;
    size_t count;
    struct sandbox *sandbox;
    struct version *version;
};

static struct itself itself_new(const char *text)
{
    struct itself b = {.kernel = kernel_of(text)};

    b.insns = kernel_insns(b.kernel, 0, &b.count);
    b.sandbox = sandbox_or_skip(b.insns, b.count);
    b.version = version_new(b.insns, b.count);
    return b;
}

static bool itself_try(const struct itself *b, unsigned inputs, struct same *same, struct err *err)
{
    return same_try(b->sandbox, b->insns, b->count, b->version, inputs, 1, same, err);
}

static void itself_free(struct itself *b)
{
    version_free(b->version);
    sandbox_free(b->sandbox);
    kernel_free(b->kernel);
}

/* A loop that consists only of its branch is not run, and a message reports this. */
static void test_only_a_branch(void **state)
{
    struct itself b = itself_new(INTEL "a: jne a\n");
    struct err err = {0};
    struct same same;

    assert_false(itself_try(&b, 1, &same, &err));
    assert_non_null(strstr(err.what, "branch"));
    itself_free(&b);
}

/* Checks that candidate @c of @insns has the same results on this CPU. */
static void must_agree(struct sandbox *s, const struct insn *insns, size_t count,
                       const struct version *c, unsigned inputs, uint64_t seed, unsigned *agreed)
{
    struct err err = {0};
    struct same same;
    struct str text = {0};

    if (!same_try(s, insns, count, c, inputs, seed, &same, &err))
        fail_msg("%s", err.what);
    version_print(c, "loop", false, &text);
    if (same.differs)
        fail_msg("differs in %s:\n%s", same.where, str_text(&text));
    *agreed += same.agreed;
    str_done(&text);
}

/* Rules, each with an instruction that it replaces. The test appends a comparison, which overwrites
 * the flags, to all instructions except the comparison with 0. */
static const char *const replaced[][2] = {
    {"mov of 0 as xor", "mov eax, 0"},
    {"shl by 1 as add", "shl rax, 1"},
    {"shl by 1 as add", "shl ecx, 1"},
    {"imul by a power of two as a shift", "imul rax, rax, 16"},
    {"imul by a power of two as a shift", "imul eax, ecx, 8"},
    {"imul as lea", "imul eax, ecx, 9"},
    {"imul as lea", "imul r13, r13, 3"},
    {"inc or dec as add or sub", "dec ecx"},
    {"cmp with 0 as test", "cmp rcx, 0"},
    {"lea of three parts as lea and add", "lea rax, [rax+rcx*4+5]"},
    {"lea of three parts as lea and add", "lea ecx, [r13+rcx*4-5]"},
    {"rotation as rorx", "rol eax, 5"},
    {"rotation as rorx", "ror r9, 63"},
    {"shift by cl as shlx, shrx or sarx", "sar rax, cl"},
    {"shift by cl as shlx, shrx or sarx", "shl eax, cl"},
    {"xor before a bit count instruction", "popcnt rax, rcx"},
    {"xor before a bit count instruction", "tzcnt eax, [rdi]"},
    {"and with a mask replaced by movzx", "and esi, 255"},
    {"and with a mask replaced by movzx", "and rax, 0xffff"},
    {"add or sub of 128 as sub or add of -128", "add rax, 128"},
    {"vector shift by 1 as an addition", "vpslld ymm0, ymm1, 1"},
    {"vector shift by 1 as an addition", "psllw xmm0, 1"},
    {"floating-point logic as integer logic", "vandnpd ymm0, ymm1, [rdi]"},
    {"floating-point logic as integer logic", "xorps xmm0, xmm1"},
    {"shuffle as a blend", "vshufps ymm0, ymm1, ymm2, 0xe4"},
    {"shuffle as a blend", "shufpd xmm0, xmm1, 2"},
    {"shuffle as a blend", "vshufpd ymm0, ymm1, ymm2, 10"},
    {"shuffle as a blend", "vperm2f128 ymm0, ymm1, ymm2, 0x30"},
    {"shuffle as a blend", "vperm2i128 ymm0, ymm1, ymm2, 0x12"},
    {"shuffle as a blend", "vpblendw ymm0, ymm1, ymm2, 0xc3"},
    {"movss or movsd as a blend", "movsd xmm0, xmm1"},
    {"movss or movsd as a blend", "vmovss xmm0, xmm1, xmm2"},
};

static void test_each_replacement(void **state)
{
    unsigned agreed = 0;
    struct sandbox *s = NULL;
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++) {
        struct str text = {0};
        struct insn with[REWRITTEN_MOST];
        unsigned n;
        uint32_t loses;
        const char *what;
        size_t count, at = 0;
        bool found = false;
        str_addf(&text, INTEL "%s\n%s", replaced[i][1],
                 strcmp(replaced[i][0], "cmp with 0 as test") == 0 ? "" : "cmp r8, r10\n");
        struct kernel *k = kernel_of(str_text(&text));
        const struct insn *insns = kernel_insns(k, 0, &count);
        s = s ? s : sandbox_or_skip(insns, count);
        while (rewrite_next(&insns[0], &at, with, &n, &loses, &what)) {
            struct version *c = version_new(insns, count);
            version_replace(c, 0, with, n);
            assert_true(!loses || dataflow_flags_dead(insns, count, 0, loses));
            must_agree(s, insns, count, c, 40, i + 1, &agreed);
            found |= strcmp(what, replaced[i][0]) == 0;
            version_free(c);
        }
        if (!found)
            fail_msg("%s: no %s", replaced[i][1], replaced[i][0]);
        kernel_free(k);
        str_done(&text);
    }
    print_message("%u inputs agree\n", agreed);
    assert_true(agreed > 40);
    sandbox_free(s);
}

/* Detects a wrong candidate: swapped dependent instructions, another constant, a missing store. */
static void test_wrong_ones_differ(void **state)
{
    static const char *const pairs[][2] = {
        {"add rax, rbx\nimul rcx, rax\n", "imul rcx, rax\nadd rax, rbx\n"},
        {"add rax, 1\n", "add rax, 2\n"},
        {"mov [rdi], rax\nmov rbx, [rsi]\n", "mov rbx, [rsi]\nmov [rdi], rax\n"},
        {"mov [rdi], rax\nadd rbx, rcx\n", "add rbx, rcx\n"},
        {"cmp rax, rbx\n", "cmp rbx, rax\n"},
        {"vaddpd ymm0, ymm1, ymm2\n", "vaddpd xmm0, xmm1, xmm2\n"},
        {"add rax, rbx\n", "lea rax, [rax+rbx]\n"},
        {"mov eax, ebx\n", "mov ax, bx\n"},
    };
    struct sandbox *s = NULL;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct str text[2] = {{0}, {0}};
        struct kernel *k[2];
        const struct insn *insns[2];
        size_t count[2];
        struct err err = {0};
        struct same same;
        for (int side = 0; side < 2; side++) {
            str_addf(&text[side], INTEL "%s", pairs[i][side]);
            k[side] = kernel_of(str_text(&text[side]));
            insns[side] = kernel_insns(k[side], 0, &count[side]);
            str_done(&text[side]);
        }
        s = s ? s : sandbox_or_skip(insns[0], count[0]);
        struct version *c = version_new(insns[1], count[1]);
        assert_true(same_try(s, insns[0], count[0], c, 200, 7, &same, &err));
        if (!same.differs)
            fail_msg("%s is taken for %s", pairs[i][1], pairs[i][0]);
        version_free(c);
        kernel_free(k[0]);
        kernel_free(k[1]);
    }
    sandbox_free(s);
}

/* instructions of random loops */
static const char *const pool[] = {
    "add rax, rbx",
    "sub rcx, [rdi+8]",
    "mov [rsi+rcx*8], rax",
    "mov rdx, [rsi+rcx*8+8]",
    "lea r8, [rax+rdx*2+4]",
    "imul r9, rax",
    "imul r10, r9, 8",
    "shl r8, 1",
    "shr rdx, 3",
    "xor r9, r10",
    "adc rbx, 1",
    "cmp rax, r9",
    "cmovb rdx, r8",
    "setz r10b",
    "movzx r9d, r10b",
    "mov [rdi], r9",
    "mov r11, [rdi]",
    "add [rdi+16], r8",
    "inc r11",
    "neg rdx",
    "bswap r8",
    "popcnt r10, rax",
    "and r9d, 255",
    "rol r11d, 7",
    "test r8, r8",
    "mov r10d, 0",
    "mov r10b, al",
    "xchg rax, r11",
    "vaddpd ymm0, ymm1, [rdi]",
    "vmulpd ymm2, ymm0, ymm1",
    "vmovupd [rsi], ymm2",
    "vmovupd ymm1, [rsi+32]",
    "vpaddd ymm3, ymm3, ymm1",
    "vpslld ymm4, ymm3, 1",
    "vshufps ymm5, ymm4, ymm3, 0xe4",
    "vxorps ymm4, ymm5, ymm0",
    "vfmadd231pd ymm6, ymm0, ymm1",
    "vaddsd xmm7, xmm7, [rdi]",
};

/* Random loops: the results of a search, and of any permitted order, agree for random inputs. */
static void test_random_loops(void **state)
{
    const struct tune_options options = {60, 4, true, 3};
    struct machine *m = load_machine("skylake");
    struct sandbox *s = NULL;
    struct rng rng;
    unsigned agreed = 0, candidates = 0, moved = 0;
    rng_seed(&rng, 20);
    for (unsigned round = 0; round < 40; round++) {
        struct str text = {0};
        size_t count;
        str_add(&text, INTEL "a:\n");
        for (uint64_t i = 3 + rng_below(&rng, 8); i > 0; i--)
            str_addf(&text, "%s\n", pool[rng_below(&rng, sizeof pool / sizeof *pool)]);
        str_add(&text, rng_below(&rng, 2) ? "add rdi, 32\ncmp rdi, r12\njne a\n"
                                          : "add rcx, 1\ncmp rcx, r12\njne a\n");
        struct kernel *k = kernel_of(str_text(&text));
        const struct insn *insns = kernel_insns(k, 0, &count);
        s = s ? s : sandbox_or_skip(insns, count);
        struct err err = {0};
        struct tune *t = tune_new(insns, count, m, &options, &err);
        assert_non_null(t);
        for (size_t i = 0; i < t->found.count; i++, candidates++)
            must_agree(s, insns, count, t->found.items[i].version, 24, round, &agreed);
        tune_free(t);
        struct dataflow *f = dataflow_new(insns, count);
        uint32_t order[32];
        struct version *c = version_new(insns, count);
        for (uint32_t i = 0; i < count; i++)
            order[i] = i;
        for (unsigned i = 0; i < 200; i++) {
            const uint64_t a = rng_below(&rng, count), b = rng_below(&rng, count);
            const uint32_t kept = order[a];
            order[a] = order[b];
            order[b] = kept;
            if (!dataflow_keeps(f, order)) {
                order[b] = order[a];
                order[a] = kept;
            }
        }
        for (uint32_t i = 0; i < count; i++)
            moved += order[i] != i;
        version_reorder(c, order);
        must_agree(s, insns, count, c, 24, round, &agreed);
        for (unsigned times = 2; times <= 4; times *= 2) {
            struct version *u = version_unroll(insns, count, times, round % 2);
            if (u)
                must_agree(s, insns, count, u, 24, round, &agreed);
            version_free(u);
        }
        version_free(c);
        dataflow_free(f);
        kernel_free(k);
        str_done(&text);
    }
    print_message("%u candidates, %u instructions moved, %u inputs agree\n", candidates, moved,
                  agreed);
    assert_true(candidates > 10 && moved > 20 && agreed > 500);
    sandbox_free(s);
    machine_free(m);
}

/* Wraps sandbox_run_states: the first @starved runs report that they had no CPU time. */
static unsigned starved;
bool __real_sandbox_run_states(struct sandbox *s, uint32_t offset, unsigned vectors,
                               const struct sandbox_start *start, struct sandbox_state *after,
                               uint64_t *memory, unsigned *fault, struct err *err);
bool __wrap_sandbox_run_states(struct sandbox *s, uint32_t offset, unsigned vectors,
                               const struct sandbox_start *start, struct sandbox_state *after,
                               uint64_t *memory, unsigned *fault, struct err *err);
bool __wrap_sandbox_run_states(struct sandbox *s, uint32_t offset, unsigned vectors,
                               const struct sandbox_start *start, struct sandbox_state *after,
                               uint64_t *memory, unsigned *fault, struct err *err)
{
    if (!starved)
        return __real_sandbox_run_states(s, offset, vectors, start, after, memory, fault, err);
    starved--;
    *fault = FAULT_STARVED;
    return true;
}

/* A run without CPU time is no difference. The run is repeated, and skipped if the repetition has
 * no CPU time either. */
static void test_starved_runs(void **state)
{
    struct itself b = itself_new(INTEL "add rax, rcx\nimul rdx, rax");
    struct err err = {0};
    struct same same;

    for (unsigned runs = 1; runs <= 2; runs++) {
        starved = runs;
        assert_true(itself_try(&b, 4, &same, &err));
        assert_false(same.differs);
        assert_int_equal(same.agreed, 4);
        assert_int_equal(starved, 0);
    }
    starved = UINT_MAX;
    assert_true(itself_try(&b, 4, &same, &err));
    starved = 0;
    assert_false(same.differs);
    assert_int_equal(same.skipped, 4);
    itself_free(&b);
}

static bool stop(void *self)
{
    return ++*(unsigned *)self > 3;
}

static void test_cancelled(void **state)
{
    unsigned asked = 0;
    const struct tune_options options = {100000, 4, true, 1};
    struct machine *m = load_machine("skylake");
    struct kernel *k = kernel_of(INTEL "a: imul rax, rax, 8\ncmp rdi, rdx\njne a\n");
    struct err err = {0};
    size_t count = 0;
    const struct insn *insns = kernel_insns(k, 0, &count);
    const struct watch before = watch_begin(stop, &asked);
    assert_null(tune_new(insns, count, m, &options, &err));
    watch_restore(before);
    assert_int_equal(err.code, ERR_INTERRUPTED);
    assert_true(asked < 50);
    machine_free(m);
    kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_may_change_places), cmocka_unit_test(test_known_best),
        cmocka_unit_test(test_not_unrolled),           cmocka_unit_test(test_carry_kept),
        cmocka_unit_test(test_relative_places),        cmocka_unit_test(test_relative_stays),
        cmocka_unit_test(test_each_replacement),       cmocka_unit_test(test_wrong_ones_differ),
        cmocka_unit_test(test_only_a_branch),          cmocka_unit_test(test_random_loops),
        cmocka_unit_test(test_starved_runs),           cmocka_unit_test(test_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
