/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/file.h"
#include "io/machine_file.h"
#include "throughput/throughput.h"
#include "../support/support.h"

static struct machine *machine(const char *id)
{
    struct err err = {0};
    struct machine *m = machine_load(id, &err);
    if (!m)
        fail_msg("%s: %s:%zu:%zu %s", id, err.file, err.line, err.column, err.what);
    return m;
}

static struct kernel *bundled(const char *name)
{
    struct kernel_options options = {0};
    struct err err = {0};
    struct str path = {0};
    str_addf(&path, "kernels/%s", name);
    char *file = file_data_path(str_text(&path));
    assert_non_null(file);
    struct kernel *k = kernel_load(file, &options, &err);
    if (!k)
        fail_msg("%s: %s", file, err.what);
    free(file);
    str_done(&path);
    return k;
}

static void assert_cycles(const char *kernel, const char *id, double cycles,
                          enum bound_kind bottleneck)
{
    struct machine *m = machine(id);
    struct kernel *k = bundled(kernel);
    struct analysis *a = analysis_new(k, 0, m);
    if (fabs(a->cycles - cycles) > 1e-9 || a->bottleneck != bottleneck)
        fail_msg("%s on %s: %.4f bound by %s", kernel, id, a->cycles, bound_name(a->bottleneck));
    assert_false(a->lower_bound);
    analysis_free(a);
    kernel_free(k);
    machine_free(m);
}

/* Analyses kernels of the OSACA paper, tables II, IV and VII. In π, the zero idiom and the fused
 * pair use no port. */
static void test_known_kernels(void **state)
{
    assert_cycles("triad-skl-O3.s", "skylake", 2.0, BOUND_PORTS);
    assert_cycles("triad-zen-O3.s", "znver1", 2.0, BOUND_PORTS);
    assert_cycles("pi-O2.s", "skylake", 4.0, BOUND_PIPES);
    assert_cycles("pi-O2.s", "sapphirerapids", 4.0, BOUND_PIPES);
    assert_cycles("pi-skl-O3.s", "skylake", 16.0, BOUND_PIPES);
}

static void test_rows_of_triad(void **state)
{
    struct machine *m = machine("skylake");
    struct kernel *k = bundled("triad-skl-O3.s");
    struct analysis *a = analysis_new(k, 0, m);
    int p7 = ports_find(mapping_ports(m->mapping), "7", 1);

    assert_int_equal(a->count, 8);
    assert_true(a->rows[6].flags & ROW_FUSED);
    assert_true(a->rows[7].flags & ROW_FUSED_INTO);
    /* The address µop of an indexed store cannot execute on port 7. */
    assert_true(a->totals[p7] == 0);
    /* Totals are the sums of the rows, and the largest equals the bound. */
    double largest = 0;
    for (unsigned j = 0; j < mapping_ports(m->mapping)->count; j++) {
        double sum = 0;
        for (size_t i = 0; i < a->count; i++)
            sum += a->rows[i].pressure[j];
        assert_true(fabs(sum - a->totals[j]) < 1e-9);
        largest = fmax(largest, sum);
    }
    assert_true(fabs(largest - a->cycles) < 1e-9);
    assert_non_null(strstr(a->sentence, "ports 2 and 3 ("));
    analysis_free(a);
    kernel_free(k);
    machine_free(m);
}

static uint32_t flags_of(const char *source, const char *id, size_t row)
{
    struct machine *m = machine(id);
    struct kernel *k = kernel_of(source);
    struct analysis *a = analysis_new(k, 0, m);
    uint32_t flags = a->rows[row].flags;
    analysis_free(a);
    kernel_free(k);
    machine_free(m);
    return flags;
}

/* Macro-fusion depends on the machine: the three groups of Intel CPUs, and the rules of Zen. */
static void test_fusion(void **state)
{
    assert_true(flags_of("1: cmpl %eax,%ebx\njb 1b\n", "skylake", 0) & ROW_FUSED);
    assert_false(flags_of("1: cmpl %eax,%ebx\njo 1b\n", "skylake", 0) & ROW_FUSED);
    assert_true(flags_of("1: testl %eax,%ebx\njo 1b\n", "skylake", 0) & ROW_FUSED);
    assert_true(flags_of("1: incl %eax\njne 1b\n", "skylake", 0) & ROW_FUSED);
    assert_false(flags_of("1: incl %eax\njb 1b\n", "skylake", 0) & ROW_FUSED);
    assert_false(flags_of("1: incl %eax\njne 1b\n", "znver1", 0) & ROW_FUSED);
    assert_true(flags_of("1: cmpl %eax,%ebx\njne 1b\n", "znver1", 0) & ROW_FUSED);
    assert_true(flags_of("1: incl %eax\njne 1b\n", "znver3", 0) & ROW_FUSED);
    assert_false(flags_of("1: shll %eax\njne 1b\n", "skylake", 0) & ROW_FUSED);
}

static void test_idioms_and_moves(void **state)
{
    assert_true(flags_of("1: xorl %eax,%eax\njmp 1b\n", "skylake", 0) & ROW_ZERO);
    assert_false(flags_of("1: xorl %eax,%ebx\njmp 1b\n", "skylake", 0) & ROW_ZERO);
    assert_false(flags_of("1: xorb %al,%al\njmp 1b\n", "skylake", 0) & ROW_ZERO);
    assert_true(flags_of("1: vpxor %xmm1,%xmm1,%xmm2\njmp 1b\n", "skylake", 0) & ROW_ZERO);
    assert_true(flags_of("1: pcmpeqd %xmm1,%xmm1\njmp 1b\n", "skylake", 0) & ROW_ONES);
    /* Further idioms of AMD CPUs: one register, full width, unmasked. */
    static const char *const amd[] = {"znver1", "znver2", "znver3", "znver4", "zen5-charted"};
    for (size_t i = 0; i < sizeof amd / sizeof *amd; i++) {
        assert_true(flags_of("1: pandn %xmm1,%xmm1\njmp 1b\n", amd[i], 0) & ROW_ZERO);
        assert_true(flags_of("1: vandnps %ymm1,%ymm1,%ymm2\njmp 1b\n", amd[i], 0) & ROW_ZERO);
        assert_false(flags_of("1: pandn %xmm1,%xmm2\njmp 1b\n", amd[i], 0) & ROW_ZERO);
        assert_false(flags_of("1: vandnps %ymm1,%ymm2,%ymm2\njmp 1b\n", amd[i], 0) & ROW_ZERO);
        assert_true(flags_of("1: pcmpeqq %xmm1,%xmm1\njmp 1b\n", amd[i], 0) & ROW_ONES);
    }
    assert_false(flags_of("1: vpandnd %zmm1,%zmm1,%zmm2{%k1}\njmp 1b\n", "znver4", 0) & ROW_ZERO);
    assert_false(flags_of("1: pandn %xmm1,%xmm1\njmp 1b\n", "skylake", 0) & ROW_ZERO);
    assert_true(flags_of("1: vpcmpeqq %xmm1,%xmm1,%xmm2\njmp 1b\n", "sapphirerapids", 0) &
                ROW_ONES);
    assert_true(flags_of("1: movq %rax,%rbx\njmp 1b\n", "skylake", 0) & ROW_ELIMINATED);
    assert_false(flags_of("1: movq %rax,%rbx\njmp 1b\n", "icelake-server", 0) & ROW_ELIMINATED);
    assert_true(flags_of("1: vmovaps %ymm0,%ymm1\njmp 1b\n", "icelake-server", 0) & ROW_ELIMINATED);
}

/* An unknown form always has a cost. Its row is flagged and the total is a lower bound. */
static void test_unknown_forms(void **state)
{
    struct ports ports = {0};
    struct err err;
    assert_true(ports_add(&ports, "0", &err));
    struct machine *m = machine_new("empty", &ports);
    machine_set_fact(m, "issue_width", "4", "", "");
    struct kernel *k = kernel_of("1: imulq %rax,%rbx\nimulq %rcx,%rdx\njmp 1b\n");
    struct analysis *a = analysis_new(k, 0, m);
    assert_true(a->lower_bound);
    assert_true(a->rows[0].flags & ROW_UNKNOWN);
    assert_int_equal(a->unknown_forms, 2);
    assert_string_equal(a->first_unknown, a->rows[0].insn->form);
    assert_non_null(strstr(a->sentence, "lower bound"));
    analysis_free(a);
    kernel_free(k);
    machine_free(m);
}

/* A machine whose chart lacks the load latency: bounds of chains through registers are exact, those
 * of chains through a load are lower bounds. Without any latency the bound is unknown. */
static void test_without_load_latency(void **state)
{
    static const struct { const char *text; double cycles; bool least; } loops[] = {
        {"1: addq %rbx,%rax\naddq %rbx,%rax\naddq %rbx,%rax\naddq %rbx,%rax\njmp 1b\n", 4, false},
        /* The loads are independent. */
        {"1: addq (%rdi),%rax\naddq (%rdi),%rax\naddq %rbx,%rax\njmp 1b\n", 3, false},
        {"1: addq (%rax),%rax\naddq %rbx,%rax\naddq %rbx,%rax\njmp 1b\n", 3, true},
    };
    struct machine *m = machine("skylake");

    machine_drop_fact(m, "load_latency");
    machine_drop_fact(m, "load_latency_simple");
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct kernel *k = kernel_of(loops[i].text);
        struct analysis *a = analysis_new(k, 0, m);
        assert_float_equal(a->bounds[BOUND_DEPENDENCIES], loops[i].cycles, 1e-9);
        assert_int_equal(a->lower_bound, loops[i].least);
        assert_int_equal(strstr(a->sentence, "lacks the fact load_latency") != NULL,
                         loops[i].least);
        analysis_free(a);
        kernel_free(k);
    }
    machine_free(m);
    m = machine("golden-cove-inferred");
    struct kernel *k = kernel_of(loops[0].text);
    struct analysis *a = analysis_new(k, 0, m);
    assert_true(isnan(a->bounds[BOUND_DEPENDENCIES]) && a->lower_bound);
    analysis_free(a);
    kernel_free(k);
    machine_free(m);
}

/* An instruction whose number of executions depends on a register is not reported as executed
 * once. */
static void test_repeated(void **state)
{
    struct machine *m = load_machine("skylake");
    struct kernel *k = kernel_of("rep stosq\n"), *once = kernel_of("stosq\n");
    struct analysis *a = analysis_new(k, 0, m), *b = analysis_new(once, 0, m);
    assert_true(a->lower_bound);
    assert_non_null(strstr(a->sentence, "repeated stosq"));
    assert_false(b->lower_bound);
    assert_null(strstr(b->sentence, "repeated"));
    analysis_free(a);
    analysis_free(b);
    kernel_free(k);
    kernel_free(once);
    machine_free(m);
}

/* A thread's loop of the shared kernel, and the expected bound. */
struct of_loop {
    const struct kernel *kernel;
    const struct machine *machine;
    size_t loop;
    double expected;   /* expected cycles per iteration */
    unsigned wrong;
};

static void *analyse_often(void *state)
{
    struct of_loop *l = state;
    for (int i = 0; i < 200; i++) {
        struct analysis *a = analysis_new(l->kernel, l->loop, l->machine);
        l->wrong += a->cycles != l->expected || a->count != l->kernel->loops[l->loop].count;
        analysis_free(a);
    }
    return NULL;
}

/* A kernel has no current loop, so threads may analyse its loops concurrently. */
static void test_two_loops_at_once(void **state)
{
    struct machine *m = machine("skylake");
    const struct kernel *k = kernel_of("1: imulq %rax,%rbx\ndecq %rcx\njne 1b\n2: divsd "
                                       "%xmm1,%xmm0\naddq $8,%rdx\ncmpq %rdx,%rsi\njne 2b\n");
    pthread_t threads[2];
    struct of_loop loops[2];

    assert_int_equal(k->loop_count, 2);
    for (size_t i = 0; i < 2; i++) {
        struct analysis *a = analysis_new(k, i, m);
        loops[i] = (struct of_loop){.kernel = k, .machine = m, .loop = i, .expected = a->cycles};
        analysis_free(a);
    }
    assert_true(loops[0].expected != loops[1].expected);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, analyse_often, &loops[i]), 0);
    for (size_t i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(loops[i].wrong, 0);
    }
    kernel_free(k);
    machine_free(m);
}

/* Every shipped machine loads and has the most common forms. */
static void test_all_machines(void **state)
{
    char **ids = machine_ids();
    size_t count = 0;
    for (; ids[count]; count++) {
        /* An inferred or charted machine has only measured forms. */
        if (strstr(ids[count], "-inferred") || strstr(ids[count], "-charted")) {
            free(ids[count]);
            continue;
        }
        struct machine *m = machine(ids[count]);
        bool arm = strcmp(m->isa, "aarch64") == 0;
        assert_true(machine_number(m, "issue_width") >= 3);
        assert_non_null(mapping_find(m->mapping, arm ? "ADD (X, X, X)" : "ADD (R64, R64)"));
        if (arm)
            assert_non_null(mapping_find(m->mapping, "FMLA (V.2D, V.2D, V.2D)"));
        else
            assert_int_equal(mapping_find(m->mapping, "VFMADD132PD (YMM, YMM, M256)") != NULL,
                             machine_has(m, "extensions", "FMA"));
        machine_free(m);
        free(ids[count]);
    }
    free(ids);
    assert_true(count >= 13);
}

/* Measured on a Golden Cove: vdivsd 4, vdivpd ymm 8, vsqrtpd ymm 12 cycles. LLVM's model has one
 * divider. */
static void test_golden_cove_dividers(void **state)
{
    struct machine *m = machine("sapphirerapids");
    static const struct { const char *form; double cycles;
    } known[] = {
        {"VDIVSD (XMM, XMM, XMM)", 4}, {"VDIVPD (YMM, YMM, YMM)", 8}, {"VSQRTPD (YMM, YMM)", 12},
        {"VDIVPS (XMM, XMM, XMM)", 3}, {"ADD (R64, R64)", 0.2},       {"IMUL (R64, R64)", 1},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct experiment e = {0};
        experiment_add(&e, known[i].form, 1);
        assert_true(fabs(throughput_of(m->mapping, &e, NULL) - known[i].cycles) < 1e-9);
        experiment_done(&e);
    }
    /* Integer divisions use a separate divider. Two of each division take 12.0 cycles
     * (measured). */
    struct experiment both = {0};
    experiment_add(&both, "IDIV (R32)", 2);
    experiment_add(&both, "DIVSD (XMM, XMM)", 2);
    assert_true(fabs(throughput_of(m->mapping, &both, NULL) - 12) < 1e-9);
    experiment_done(&both);
    machine_free(m);
}

/* Every flag of a row has a unique name of letters and dashes. */
static void test_flag_names(void **state)
{
    for (unsigned a = 0; a < ROW_FLAG_COUNT; a++) {
        const char *name = row_flag_name(1u << a);
        assert_true(*name && strspn(name, "abcdefghijklmnopqrstuvwxyz-") == strlen(name));
        for (unsigned b = 0; b < a; b++)
            assert_string_not_equal(name, row_flag_name(1u << b));
    }
}

static void assert_unmodelled_kinds(const char *source,
                                    const char *const expected[UNMODELLED_COUNT])
{
    struct machine *m = load_machine("skylake");
    struct kernel *k = kernel_of(source);
    struct analysis *a = analysis_new(k, 0, m);

    for (int kind = 0; kind < UNMODELLED_COUNT; kind++) {
        const char *got = a->not_modelled[kind];
        if (!got != !expected[kind] ||
            (got && (!strstr(got, expected[kind]) || !strstr(a->sentence, got))))
            fail_msg("%s: %s; %s", source, got ? got : "nothing", a->sentence);
    }
    analysis_free(a);
    kernel_free(k);
    machine_free(m);
}

static void assert_unmodelled_with(const char *source, const char *branches, const char *crossings,
                                   const char *misses, const char *forwards)
{
    const char *const expected[UNMODELLED_COUNT] = {branches, crossings, misses, forwards};
    assert_unmodelled_kinds(source, expected);
}

static void assert_unmodelled(const char *source, const char *branches, const char *crossings)
{
    assert_unmodelled_with(source, branches, crossings, NULL, NULL);
}

/* Code that a listing leaves out within the loop is named, with its line. */
static void test_omitted(void **state)
{
    static const struct { const char *text, *part; } cases[] = {
        {"10:\tinc %rcx\n30:\tcmp %rsi,%rcx\n33:\tjne 10\n60:\tnop\n",
         "Not modelled: omitted instructions (line 2)."},
        {"10:\tinc %rcx\n30:\tinc %rdx\n50:\tcmp %rsi,%rcx\n70:\tjne 10\n",
         "Not modelled: omitted instructions (in 3 places, first line 2)."},
    };
    struct machine *m = load_machine("skylake");

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kernel *k = kernel_of(cases[i].text);
        struct analysis *a = analysis_new(k, 0, m);
        assert_non_null(strstr(a->sentence, cases[i].part));
        analysis_free(a);
        kernel_free(k);
    }
    machine_free(m);
}

/* Effects outside of all bounds are listed if they may occur: for branches on loaded data, but not
 * on counters, even in memory; for moving accesses without required alignment. */
static void test_not_modelled(void **state)
{
    assert_unmodelled("1: cmpb $0, (%rdi)\nje 2f\naddq $1, %rdi\ncmpq %rdi, %rcx\njne 1b\n2:\n",
                      "jz (line 2)", NULL);
    assert_unmodelled("1: movzbl (%rdi), %eax\naddq $1, %rdi\ntestl %eax, %eax\njne 1b\n",
                      "jnz (line 4)", NULL);
    assert_unmodelled("1: movl (%rdi,%rcx,4), %eax\nleal 1(%rax), %edx\nimull %edx, %edx\ncmpl $7, "
                      "%edx\njg 2f\n2: incq %rcx\ncmpq %rsi, %rcx\njb 1b\n",
                      "jnle (line 5)", NULL);
    assert_unmodelled_with("1: movq (%rax), %rax\ntestq %rax, %rax\njne 1b\n", "jnz (line 3)", NULL,
                           "mov (line 1)", NULL);
    assert_unmodelled_with("1: movzbl (%rdi), %eax\nincq %rdi\njmp *8(%rsi,%rax,8)\n",
                           "jmp (line 3)", NULL, "jmp (line 3)", NULL);
    assert_unmodelled_with("1: movslq (%rdi), %rax\nmovsd (%rsi,%rax,8), %xmm0\nmovsd %xmm0, "
                           "(%rdx)\naddq $4, %rdi\naddq $8, %rdx\ncmpq %rdi, %rcx\njne 1b\n",
                           NULL, NULL, "movsd (line 2)", NULL);
    assert_unmodelled_with(
        "1: movslq (%rdi), %rax\naddq $4, %rdi\nincl (%rsi,%rax,4)\ncmpq %rdi, %rcx\njne 1b\n",
        NULL, NULL, "inc (line 3)", "inc (line 3)");
    assert_unmodelled_kinds(
        "1: movnti %rax, (%rdi)\nmovntdqa (%rsi), %xmm0\nfldcw (%rdx)\ndecl %ecx\njne 1b\n",
        (const char *const[UNMODELLED_COUNT]){[UNMODELLED_STREAMS] = "movnti (line 1)",
                                              [UNMODELLED_MODES] = "fldcw (line 3)"});
    assert_unmodelled_kinds(
        "1: maskmovdqu %xmm1, %xmm0\nvmaskmovdqu %xmm1, %xmm0\ndecl %ecx\njne 1b\n",
        (const char *const[UNMODELLED_COUNT]){
            [UNMODELLED_STREAMS] = "maskmovdqu (line 1), vmaskmovdqu (line 2)"});
    assert_unmodelled_kinds(
        "1: vmaskmovps %ymm1, %ymm0, (%rdi)\nvmaskmovps (%rdi), %ymm0, %ymm2\n"
        "vmovups %zmm3, (%rdi){%k1}\nkmovq %k1, (%rsi)\ndecl %ecx\njne 1b\n",
        (const char *const[UNMODELLED_COUNT]){
            [UNMODELLED_MASKED] = "vmaskmovps (line 1), vmovups (line 3)"});
    assert_unmodelled_kinds(
        "1: vaddps %xmm1, %xmm0, %xmm2\nmovaps %xmm3, %xmm4\nmovaps %xmm3, (%rdi)\n"
        "ucomiss %xmm1, %xmm0\ndecl %ecx\njne 1b\n",
        (const char *const[UNMODELLED_COUNT]){[UNMODELLED_MIXED] = "movaps (line 2)"});
    assert_unmodelled_kinds(
        "1: movaps %xmm3, %xmm4\nvaddps %ymm1, %ymm0, %ymm2\nvzeroupper\nmovaps %xmm3, %xmm5\n"
        "decl %ecx\njne 1b\n",
        (const char *const[UNMODELLED_COUNT]){NULL});
    assert_unmodelled_kinds(
        "1: movaps %xmm3, %xmm4\nvzeroupper\nmovaps %xmm3, %xmm5\nvaddps %ymm1, %ymm0, %ymm2\n"
        "decl %ecx\njne 1b\n",
        (const char *const[UNMODELLED_COUNT]){[UNMODELLED_MIXED] = "movaps (line 1)"});
    /* Branches on counters with a constant limit are not listed. A counter may be in memory, as at
     * -O0. */
    assert_unmodelled("1: addl $1, -4(%rbp)\ncmpl $99, -4(%rbp)\njle 1b\n", NULL, NULL);
    assert_unmodelled(
        "1: movl (%rdi), %eax\naddl %eax, %edx\naddq $4, %rdi\ncmpq 8(%rsp), %rdi\njne 1b\n", NULL,
        NULL);
    assert_unmodelled("1: popq %rax\naddq %rax, %rdx\ndecl %ecx\njne 1b\n", NULL, NULL);
    /* Accesses are listed if the increment is not a multiple of their size. Vector accesses are
     * listed, except those that require alignment. */
    assert_unmodelled("1: movl (%rdi), %eax\naddq $6, %rdi\ndecl %ecx\njne 1b\n", NULL,
                      "mov (line 1)");
    assert_unmodelled("1: movups (%rdi), %xmm0\nmovups %xmm0, (%rsi)\naddq $16, %rdi\naddq $16, "
                      "%rsi\ndecl %ecx\njne 1b\n",
                      NULL, "movups (line 1), movups (line 2)");
    assert_unmodelled(
        "1: movaps (%rdi), %xmm0\naddps 16(%rdi), %xmm0\naddq $32, %rdi\ndecl %ecx\njne 1b\n", NULL,
        NULL);
    assert_unmodelled("1: vaddps (%rdi), %ymm0, %ymm0\naddq $32, %rdi\ndecl %ecx\njne 1b\n", NULL,
                      "vaddps (line 1)");
    assert_unmodelled("1: vaddps (%rsp), %ymm0, %ymm0\ndecl %ecx\njne 1b\n", NULL, NULL);
    static const struct { const char *insn; bool crosses;
    } alignments[] = {
        {"vmovdqa", false},
        {"vmovntdqa", false},
        {"vmovdqa64", false},
        {"movntdqa", false},
        {"paddd", false},
        {"vmovdqu", true},
        {"vmovdqu64", true},
        {"movdqu", true},
        {"lddqu", true},
        {"pcmpistrm $0,", true},
        {"vpaddd (%rdi), %xmm1,", true},
        {"addss", true},
        {"movlps", true},
    };
    for (size_t i = 0; i < sizeof alignments / sizeof *alignments; i++) {
        char source[160], expected[80];
        const char *const name = alignments[i].insn, *const blank = strchr(name, ' ');
        const bool whole = blank && strchr(name, '(');
        snprintf(source, sizeof source, "1: %s %s%%xmm0\naddq $%d, %%rdi\ndecl %%ecx\njne 1b\n",
                 name, whole ? "" : "(%rdi), ", 18);
        snprintf(expected, sizeof expected, "%.*s (line 1)",
                 blank ? (int)(blank - name) : (int)strlen(name), name);
        assert_unmodelled(source, NULL, alignments[i].crosses ? expected : NULL);
    }
}

/* Memory named by an unresolved symbol: equal names denote the same memory, different names do not.
 * Tests text and linked code. */
static void test_memory_by_name(void **state)
{
    static const struct { const char *text; double cycles;
    } loops[] = {
        {"1: movsd (%rax),%xmm0\nmulsd c(%rip),%xmm0\naddsd %xmm0,%xmm1\nmovsd %xmm1,c(%rip)\naddq "
         "$8,%rax\njmp 1b\n",
         13},
        {"1: movsd (%rax),%xmm0\nmulsd d(%rip),%xmm0\naddsd %xmm0,%xmm1\nmovsd %xmm1,c(%rip)\naddq "
         "$8,%rax\njmp 1b\n",
         4},
        {"1: movsd (%rax),%xmm0\nmulsd c+8(%rip),%xmm0\naddsd %xmm0,%xmm1\nmovsd "
         "%xmm1,c(%rip)\naddq $8,%rax\njmp 1b\n",
         4},
        {"1: movq a(,%rdi,8),%rax\naddq $1,%rax\nmovq %rax,a(,%rdi,8)\ndecl %ecx\njmp 1b\n", 5},
        {"1: movq a(,%rdi,8),%rax\naddq $1,%rax\nmovq %rax,b(,%rdi,8)\ndecl %ecx\njmp 1b\n", 1},
        {"1: movq a+8(,%rdi,8),%rax\naddq $1,%rax\nmovq %rax,a(,%rdi,8)\ndecl %ecx\njmp 1b\n", 1},
        {"1: movl $7,c(%rip)\naddl c(%rip),%eax\nmovl %eax,c(%rip)\njmp 1b\n", 1},
    };
    struct machine *m = machine("skylake");

    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct kernel *k = kernel_of(loops[i].text);
        struct analysis *a = analysis_new(k, 0, m);
        if (fabs(a->bounds[BOUND_DEPENDENCIES] - loops[i].cycles) > 0.01)
            fail_msg("%s: %g, not %g", loops[i].text, a->bounds[BOUND_DEPENDENCIES],
                     loops[i].cycles);
        analysis_free(a);
        kernel_free(k);
    }
    machine_free(m);
}

static bool by_analogy(const char *source)
{
    return strstr(source, "analogy") || strstr(source, "not measured on this");
}

/* On every machine, the source of a figure that another core supplied begins with the word for
 * estimates. */
static void test_estimates_have_their_word(void **state)
{
    char **ids = machine_ids();

    for (size_t i = 0; ids[i]; i++) {
        struct machine *m = machine(ids[i]);
        for (size_t k = 0; k < mapping_count(m->mapping); k++)
            if (by_analogy(mapping_at(m->mapping, k)->source) &&
                !source_is_estimate(mapping_at(m->mapping, k)->source))
                fail_msg("%s, %s: %s", ids[i], mapping_at(m->mapping, k)->form,
                         mapping_at(m->mapping, k)->source);
        for (size_t k = 0; k < m->latency_count; k++)
            if (by_analogy(m->latencies[k].source) && !source_is_estimate(m->latencies[k].source))
                fail_msg("%s, latency of %s: %s", ids[i], m->latencies[k].form,
                         m->latencies[k].source);
        machine_free(m);
        free(ids[i]);
    }
    free(ids);
}

/* Marks forms with estimated figures, and the total. Does not mark loops without such figures or
 * forms of zero cost. */
static void test_estimates(void **state)
{
    static const struct { const char *machine, *text; bool estimate;
    } loops[] = {
        {"znver4", "1: f2xm1\ndecl %ecx\njne 1b\n", true},
        {"skylake", "1: f2xm1\ndecl %ecx\njne 1b\n", true},
        {"sapphirerapids", "1: f2xm1\ndecl %ecx\njne 1b\n", false},
        {"znver4", "1: addq %rax,%rbx\ndecl %ecx\njne 1b\n", false},
        {"icelake-server", "1: cpuid\ndecl %ecx\njne 1b\n", true},
    };

    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct machine *m = machine(loops[i].machine);
        struct kernel *k = kernel_of(loops[i].text);
        struct analysis *a = analysis_new(k, 0, m);
        if (a->estimate != loops[i].estimate ||
            !(a->rows[0].flags & ROW_ESTIMATE) == loops[i].estimate ||
            !a->rows[0].estimate == loops[i].estimate)
            fail_msg("%s: %s: %s", loops[i].machine, loops[i].text,
                     a->rows[0].estimate ? a->rows[0].estimate : "no estimate");
        assert_int_equal(strstr(a->sentence, "This is an estimate") != NULL, loops[i].estimate);
        assert_false(a->rows[1].flags & ROW_ESTIMATE);
        analysis_free(a);
        kernel_free(k);
        machine_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_modelled), cmocka_unit_test(test_omitted),
        cmocka_unit_test(test_known_kernels),
        cmocka_unit_test(test_rows_of_triad),
        cmocka_unit_test(test_fusion),
        cmocka_unit_test(test_idioms_and_moves),
        cmocka_unit_test(test_unknown_forms),
        cmocka_unit_test(test_without_load_latency),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_all_machines),
        cmocka_unit_test(test_golden_cove_dividers),
        cmocka_unit_test(test_two_loops_at_once),
        cmocka_unit_test(test_flag_names),
        cmocka_unit_test(test_memory_by_name),
        cmocka_unit_test(test_estimates),
        cmocka_unit_test(test_estimates_have_their_word),
    };
    return cmocka_run_group_tests_name("analysis", tests, NULL, NULL);
}
