/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/file.h"
#include "../support/support.h"

#define LOOPS_LEAST 141
#define SAYS "# says: "

static void kinds_text(const struct limit *l, char *out, size_t size)
{
    size_t n = 0;

    for (unsigned i = 0; i < l->count; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s", i ? "+" : "", limit_name(l->kinds[i]));
}

/* Checks that @sentence contains the words in @says, separated by " | ", and lacks those after
 * "!". */
static void assert_says(const char *title, const char *sentence, const char *says, size_t length)
{
    char words[400], *rest = words, *end;

    assert_true(length < sizeof words);
    memcpy(words, says, length);
    words[length] = '\0';
    for (; rest; rest = end ? end + 3 : NULL) {
        end = strstr(rest, " | ");
        if (end)
            *end = '\0';
        const bool absent = *rest == '!';
        if ((strstr(sentence, rest + absent) != NULL) == absent)
            fail_msg("%s: \"%s\" %s \"%s\"", title, sentence, absent ? "has" : "lacks",
                     rest + absent);
    }
}

/* Checks a loop of tests/data/limits.s. @title is "machine: kinds: title". @code is a line with the
 * expected words of the sentence, then the loop. */
static void assert_loop(const char *title, const char *code, bool *seen)
{
    char id[40], kinds[80], cycles[24], got[200] = "";
    struct kernel *k = kernel_of(strchr(code, '\n') + 1);

    assert_int_equal(sscanf(title, "%39[^:]: %79[^:]:", id, kinds), 2);
    struct machine *m = load_machine(id);
    struct analysis *a = analysis_new(k, 0, m);
    kinds_text(&a->limit, got, sizeof got);
    if (strcmp(got, kinds) != 0)
        fail_msg("%s: %s; %s", title, got, a->sentence);
    for (unsigned i = 0; i < a->limit.count; i++)
        seen[a->limit.kinds[i]] = true;
    snprintf(cycles, sizeof cycles, "%.2f", a->cycles);
    assert_memory_equal(code, SAYS, strlen(SAYS));
    assert_says(title, a->sentence, code + strlen(SAYS), strcspn(code, "\n") - strlen(SAYS));
    if (!strstr(a->sentence, cycles))
        fail_msg("%s: \"%s\" lacks %s", title, a->sentence, cycles);
    /* The next limit is below the loop's cycles. */
    assert_true(a->limit.next_cycles < a->cycles);
    double links = 0;
    for (size_t i = 0; i < a->limit.chain.count; i++)
        links += a->limit.chain.links[i].cycles;
    if (a->limit.chain.count && (links < a->limit.chain.cycles * a->limit.chain.distance - 0.01 ||
                                 links > a->limit.chain.cycles * a->limit.chain.distance + 0.01))
        fail_msg("%s: links of %.2f cycles in a chain of %.2f", title, links,
                 a->limit.chain.cycles);
    analysis_free(a);
    machine_free(m);
    kernel_free(k);
}

/* Each loop of the file has the kinds in its title. */
static void test_loops(void **state)
{
    struct err err = {0};
    struct str text = {0};
    bool seen[LIMIT_COUNT] = {false};
    size_t count = 0;

    if (!file_read(source_path("tests/data/limits.s"), SIZE_MAX, &text, &err))
        fail_msg("%s", err.what);
    for (char *at = strstr(text.data, "\n### "), *next; at; at = next, count++) {
        char *code = strchr(at + 1, '\n');
        next = strstr(at + 1, "\n### ");
        if (next)
            *next = '\0';
        *code = '\0';
        assert_loop(at + 5, code + 1, seen);
        if (next)
            *next = '\n';
    }
    assert_true(count >= LOOPS_LEAST);
    for (int kind = 0; kind < LIMIT_COUNT; kind++)
        if (!seen[kind] && kind != LIMIT_NONE && kind != LIMIT_RETIRE)
            fail_msg("no loop is limited by %s", limit_name((enum limit_kind)kind));
    str_done(&text);
}

static void assert_sentence(const char *id, const char *code, const char *const *holds,
                            const char *lacks)
{
    struct kernel *k = kernel_of(code);
    struct machine *m = load_machine(id);
    struct analysis *a = analysis_new(k, 0, m);

    for (; *holds; holds++)
        if (!strstr(a->sentence, *holds))
            fail_msg("\"%s\" lacks \"%s\"", a->sentence, *holds);
    if (lacks && strstr(a->sentence, lacks))
        fail_msg("\"%s\" has \"%s\"", a->sentence, lacks);
    analysis_free(a);
    machine_free(m);
    kernel_free(k);
}

#define HOLDS(...) (const char *const[]){__VA_ARGS__, NULL}

/* The advice in a sentence matches the kind of limit. */
static void test_advice(void **state)
{
    assert_sentence(
        "skylake", "1: addq $8, %rax\n movq %rax, %rcx\n addq $24, %rax\n cmpq %rcx, %rdx\n jne 1b",
        HOLDS("not an accumulator"), "Split");
    assert_sentence("skylake", "1: addsd (%rdi), %xmm0\n addq $8, %rdi\n cmpq %rdi, %rax\n jne 1b",
                    HOLDS("Split the accumulator: 6 accumulators", "round differently"),
                    "cannot be split");
    assert_sentence("skylake", "1: imulq (%rdi), %rax\n addq $8, %rdi\n cmpq %rdi, %rdx\n jne 1b",
                    HOLDS("Split the accumulator: 3 accumulators"), "round");
    assert_sentence("skylake",
                    "1: movzbl (%rdi), %edx\n incq %rdi\n xorl %edx, %eax\n imull $16777619, %eax, "
                    "%eax\n cmpq %rdi, %rsi\n jne 1b",
                    HOLDS("cannot be split", "Interleave independent data (4 streams"),
                    "Combine two steps");
    assert_sentence("skylake", "1: imulq %rcx, %rax\n addq %rsi, %rax\n decq %rdx\n jne 1b",
                    HOLDS("Combine two steps, x * a * a"), "Split");
    assert_sentence("skylake",
                    "1: movsd (%rdi,%rax,8), %xmm0\n divsd %xmm1, %xmm0\n movsd %xmm0, "
                    "(%rdi,%rax,8)\n incq %rax\n cmpq %rax, %rdx\n jne 1b",
                    HOLDS("multiply by its reciprocal", "Next limit: "), NULL);
    assert_sentence("skylake", "1: addl $1, %ecx\n cmpl %ecx, %r10d\n ja 1b",
                    HOLDS("Tied limits, 1.00 cycles", "the induction variable (add (line 1))",
                          "Unrolling relieves both"),
                    "accumulator");
}

/* The sentence lists the assumptions and unmodelled effects that concern the loop, and no
 * others. */
static void test_assumed(void **state)
{
    assert_sentence("skylake", "1: addsd (%rdi), %xmm0\n addq $8, %rdi\n cmpq %rdi, %rax\n jne 1b",
                    HOLDS("Assumed: data in the first-level cache, branches predicted correctly."),
                    "Not modelled");
    assert_sentence("skylake", "addq $1, %rax", HOLDS("cycles"), "Assumed");
    assert_sentence("skylake", "addq (%rdi), %rax",
                    HOLDS("Assumed: data in the first-level cache."), "branches");
    assert_sentence("skylake", "1: addq $1, %rax\n decl %ecx\n jne 1b",
                    HOLDS("Assumed: branches predicted correctly."), "data in");
    assert_sentence(
        "skylake",
        "1: movzbl (%rdi), %eax\n addl $1, (%rdx,%rax,4)\n incq %rdi\n cmpq %rdi, %rsi\n jne 1b",
        HOLDS("cache misses of loads whose addresses are loaded: add (line 2)",
              "loads delayed by recent stores: add (line 2)"),
        "mispredictions");
    assert_sentence("skylake",
                    "1: movl (%rdi), %eax\n addq $4, %rdi\n cmpl %eax, %edx\n jg 2f\n addl %eax, "
                    "%ebx\n2: cmpq %rdi, %rsi\n jne 1b",
                    HOLDS("mispredicted branches on loaded data: jnle (line 4)"),
                    "cache misses");
}

/* The code that splits an accumulator has the requested number of registers, each zeroed at the
 * start and combined at the end. There is none if no such code is known. */
static void test_split(void **state)
{
    static const struct { const char *code; unsigned lines; const char *holds;
    } cases[] = {
        {"1: addsd (%rdi), %xmm0\n addq $8, %rdi\n cmpq %rdi, %rax\n jne 1b", 19,
         "addsd 0x28(%rdi), %xmm11"},
        {"1: vmovupd (%rdi,%rax,8), %ymm1\n vfmadd231pd (%rsi,%rax,8), %ymm1, %ymm0\n vmovupd "
         "32(%rdi,%rax,8), %ymm1\n vfmadd231pd 32(%rsi,%rax,8), %ymm1, %ymm0\n addq $8, %rax\n"
         " cmpq %rax, %rdx\n jne 1b",
         13, "vaddpd %ymm13, %ymm0, %ymm0"},
        {"1: maxsd (%rdi), %xmm0\n addq $8, %rdi\n cmpq %rdi, %rdx\n jne 1b", 0, NULL},
        /* No displacement can reach the next iteration's address. */
        {"1: movabsq $0x4000000000000000, %rcx\n addsd (%rdi), %xmm0\n addq %rcx, %rdi\n cmpq "
         "%rdi, %rax\n jne 1b",
         0, NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kernel *k = kernel_of(cases[i].code);
        struct machine *m = load_machine("skylake");
        struct analysis *a = analysis_new(k, 0, m);
        unsigned lines = 0;
        assert_int_equal(a->limit.kind, LIMIT_REDUCTION);
        for (const char *p = a->limit.split; p && *p; p++)
            lines += *p == '\n';
        if (lines != cases[i].lines || (cases[i].holds && !strstr(a->limit.split, cases[i].holds)))
            fail_msg("%u lines: %s", lines, a->limit.split ? a->limit.split : "none");
        analysis_free(a);
        machine_free(m);
        kernel_free(k);
    }
}

/* Analyses @text on a Skylake that lacks the latency of CDQE. Checks whether its sentence and
 * exactly one row report the guessed latency, and whether the cycles are a lower bound. */
static void assert_guessed(const char *text, bool guessed)
{
    struct machine *m = load_machine("skylake");
    struct mapping_entry fresh = *mapping_find(m->mapping, "CDQE ()");
    struct usage usage = {0};
    struct kernel *k = kernel_of(text);
    size_t rows = 0;

    usage_copy(&usage, &fresh.usage);
    fresh.form = (char *)"CDQE ()";
    fresh.usage = usage;
    fresh.latency = NAN;
    mapping_set(m->mapping, &fresh);
    struct analysis *a = analysis_new(k, 0, m);
    for (size_t i = 0; i < a->count; i++)
        rows += a->rows[i].latency_guessed;
    if ((rows == 1) != guessed || a->latency_guessed != guessed || a->lower_bound != guessed ||
        (strstr(a->sentence, "No table has the latency of cdqe") != NULL) != guessed)
        fail_msg("%s: %zu rows, %s", text, rows, a->sentence);
    analysis_free(a);
    kernel_free(k);
    usage_done(&usage);
    machine_free(m);
}

/* An unknown latency counts as one cycle. The cycles are a lower bound only if a loop-carried chain
 * contains that latency. */
static void test_guessed_latency(void **state)
{
    assert_guessed(".L1:\ncltq\naddq %rax, %rax\njne .L1\n", true);
    assert_guessed(".L1:\ncltq\nleaq 1(%rax,%rax), %rax\nsubq $1, %rdx\njne .L1\n", true);
    assert_guessed(".L1:\nmovl (%rdi,%rdx), %eax\ncltq\naddq %rax, %rbx\nsubq $4, %rdx\njne "
                   ".L1\n",
                   false);
    assert_guessed(".L1:\naddq %rax, %rax\njne .L1\n", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loops), cmocka_unit_test(test_advice),
                                       cmocka_unit_test(test_assumed),
                                       cmocka_unit_test(test_split),
                                       cmocka_unit_test(test_guessed_latency)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
