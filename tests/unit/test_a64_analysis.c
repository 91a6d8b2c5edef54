/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AArch64 kernels on the Arm machines: dependences with results derived by hand, and the port bound
 * compared with llvm-mca's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/child.h"
#include "base/file.h"
#include "io/import.h"
#include "io/machine_file.h"
#include "isa/isa.h"
#include "../support/support.h"

static const char *const machines[] = {"cortex-a72",  "neoverse-n1", "neoverse-n2", "neoverse-v1",
                                       "neoverse-v2", "a64fx",       "ampere1"};
#define MACHINES (sizeof machines / sizeof *machines)

static bool has_program(const char *name)
{
    char command[128];
    snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", name);
    return system(command) == 0;
}

#define NEEDS_ASSEMBLER() do { if (!has_program("aarch64-linux-gnu-as")) return; } while (0)

static struct machine *machine(const char *id)
{
    struct err err = {0};
    struct machine *m = machine_load(id, &err);
    if (!m)
        fail_msg("%s: %s", id, err.what);
    return m;
}

static struct kernel *a64_kernel(const char *text)
{
    return kernel_with(text, &(struct kernel_options){.isa_given = true, .isa = ISA_AARCH64});
}

static double bound_on(const char *text, const char *id, enum bound_kind kind)
{
    struct kernel *k = a64_kernel(text);
    struct machine *m = machine(id);
    struct analysis *a = analysis_new(k, 0, m);
    double value = a->bounds[kind];
    assert_false(a->lower_bound);
    analysis_free(a);
    machine_free(m);
    kernel_free(k);
    return value;
}

/* The loop-carried bound equals values derived from latencies of the tables and facts. The comments
 * between the rows derive the values. */
static void test_dependencies(void **state)
{
    NEEDS_ASSEMBLER();
    static const struct { const char *machine; double cycles; const char *text;
    } known[] = {
        /* fadd: 2 cycles, 4 on A72. fmla reads its accumulator late: 2 cycles on V2 and N1, 3 on
         * A72. A64FX forwards no accumulator: 9 cycles. */
        {"neoverse-v2", 2, "1: fadd d0, d0, d1\nsubs x0, x0, #1\nb.ne 1b\n"},
        {"cortex-a72", 4, "1: fadd d0, d0, d1\nsubs x0, x0, #1\nb.ne 1b\n"},
        {"neoverse-v2", 2, "1: fmla v0.2d, v1.2d, v2.2d\nsubs x0, x0, #1\nb.ne 1b\n"},
        {"neoverse-n2", 2, "1: fmla v0.2d, v1.2d, v2.2d\nsubs x0, x0, #1\nb.ne 1b\n"},
        {"neoverse-v1", 4, "1: ldr x0, [x0, #8]\ncbnz x0, 1b\n"},
        {"neoverse-n1", 2, "1: fmla v0.2d, v1.2d, v2.2d\nsubs x0, x0, #1\nb.ne 1b\n"},
        {"cortex-a72", 3, "1: fmadd d0, d1, d2, d0\nsubs x0, x0, #1\nb.ne 1b\n"},
        {"cortex-a72", 7, "1: fmadd d0, d0, d2, d1\nsubs x0, x0, #1\nb.ne 1b\n"},
        {"a64fx", 9, "1: fmla v0.2d, v1.2d, v2.2d\nsubs x0, x0, #1\nb.ne 1b\n"},
        /* Flags and carry: adc depends on the preceding adcs, csel on cmp. */
        {"neoverse-v2", 2, "1: adcs x0, x0, x1\nadcs x2, x2, x3\ncbnz x4, 1b\n"},
        {"neoverse-v2", 2, "1: cmp x0, x1\ncsel x0, x2, x3, lt\ncbnz x4, 1b\n"},
        /* A lane write and a merging predicate read the old value; movi and fmov do not. */
        {"neoverse-v2", 1,
         "1: movi v0.4s, #1\nadd v1.4s, v0.4s, v2.4s\nsubs x0, x0, #1\nb.ne 1b\n"},
        {"neoverse-v2", 1, "1: ld1 {v0.2d}, [x1]\nsubs x0, x0, #1\nb.ne 1b\n"},
        {"cortex-a72", 1, "1: xtn v0.8b, v1.8h\nsubs x0, x0, #1\nb.ne 1b\n"},
        {"cortex-a72", 3, "1: xtn2 v0.16b, v1.8h\nsubs x0, x0, #1\nb.ne 1b\n"},
        /* This pointer chase has a load latency of 4 cycles, also for a post-indexed load. */
        {"cortex-a72", 4, "1: ldr x0, [x0]\ncbnz x0, 1b\n"},
        {"neoverse-v2", 4, "1: ldr x0, [x0, #8]\ncbnz x0, 1b\n"},
        /* Post- and pre-indexed addresses take one cycle to update, whatever the access width and
         * latency. */
        {"neoverse-v2", 1, "1: ldr x1, [x0], #8\nadd x2, x2, x1\ncbnz x1, 1b\n"},
        {"neoverse-v2", 1, "1: ldr d1, [x0, #8]!\nstr d1, [x2], #8\ncmp x0, x3\nb.ne 1b\n"},
        {"cortex-a72", 1,
         "1: ldr d1, [x10], #8\nldr d2, [x8]\nsubs x9, x9, #1\nfmadd d1, d1, d0, d2\nstr d1, [x8], "
         "#8\nb.ne 1b\n"},
        {"cortex-a72", 1,
         "1: ld1 {v0.2d}, [x0], x3\nst1 {v0.2d}, [x1], #16\ncmp x0, x4\nb.ne 1b\n"},
        /* An increment by a register depends on that register: mul takes 3 cycles on A72, then the
         * increment one. */
        {"cortex-a72", 4, "1: mul w3, w0, w5\nld1 {v0.2d}, [x0], x3\ncmp x0, x4\nb.ne 1b\n"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double cycles = bound_on(known[i].text, known[i].machine, BOUND_DEPENDENCIES);
        if (fabs(cycles - known[i].cycles) > 1e-6)
            fail_msg("%s: %g cycles, not %g: %s", known[i].machine, cycles, known[i].cycles,
                     known[i].text);
    }
}

/* Compares the Cortex-A72 with Ritter and Hack's measurements of pairs of five instructions. */
static void test_cortex_a72_with_others(void **state)
{
    NEEDS_ASSEMBLER();
    /* A long multiplication occupies the multiplier for three cycles. A division occupies the
     * divider for four cycles, and the multi-cycle pipe for one. */
    assert_true(
        fabs(bound_on(
                 "1: mul x1, x2, x3\nadd x4, x5, x6, asr #3\nadd x7, x5, x6, asr #3\ncbnz x0, 1b\n",
                 "cortex-a72", BOUND_PORTS) -
             3) < 1e-6);
    assert_true(fabs(bound_on("1: mul x1, x2, x3\nmul x4, x2, x3\ncbnz x0, 1b\n", "cortex-a72",
                              BOUND_PORTS) -
                     6) < 1e-6);
    assert_true(fabs(bound_on("1: mul x1, x2, x3\nsdiv x4, x2, x3\ncbnz x0, 1b\n", "cortex-a72",
                              BOUND_PIPES) -
                     4) < 1e-6);
    /* A 128-bit operation takes two of the three rename slots, although the pipe could execute one
     * per cycle. Narrowing into an upper half takes one. */
    assert_true(fabs(bound_on("1: saddl v0.4s, v1.4h, v2.4h\nsaddl v3.4s, v1.4h, v2.4h\nsaddl "
                              "v4.4s, v1.4h, v2.4h\ncbnz x0, 1b\n",
                              "cortex-a72", BOUND_ISSUE) -
                     7. / 3) < 1e-6);
    assert_true(fabs(bound_on("1: xtn2 v0.16b, v1.8h\nxtn2 v2.16b, v1.8h\ncbnz x0, 1b\n",
                              "cortex-a72", BOUND_ISSUE) -
                     1) < 1e-6);
    assert_true(fabs(bound_on("1: tbl v0.16b, {v1.16b, v2.16b}, v3.16b\ncbnz x0, 1b\n",
                              "cortex-a72", BOUND_ISSUE) -
                     2) < 1e-6);
}

/* A stored value reaches the load after store_forward cycles. Aliasing is detected by address,
 * across increments of the base. */
static void test_store_forwarding(void **state)
{
    NEEDS_ASSEMBLER();
    static const struct { const char *text; double distance;
    } linked[] = {
        {"1: ldr d0, [sp, #16]\nfadd d0, d0, d1\nstr d0, [sp, #16]\nsubs x0, x0, #1\nb.ne 1b\n", 1},
        {"1: ldr d0, [x0, #-8]\nfadd d0, d0, d1\nstr d0, [x0], #8\ncmp x0, x1\nb.ne 1b\n", 1},
        {"1: ldr d0, [x0]\nfadd d0, d0, d1\nstr d0, [x0, #8]!\ncmp x0, x1\nb.ne 1b\n", 1},
        {"1: ldr d0, [x0, #-16]\nfadd d0, d0, d1\nstr d0, [x0], #8\ncmp x0, x1\nb.ne 1b\n", 2},
        {"1: ldr d0, [x0, x2, lsl #3]\nfadd d0, d0, d1\nadd x2, x2, #1\nstr d0, [x0, x2, lsl "
         "#3]\ncmp x2, x1\nb.ne 1b\n",
         1},
        {"1: mov x5, x0\nldr d0, [x5]\nfadd d0, d0, d1\nadd x0, x0, #8\nstr d0, [x0]\ncmp x0, "
         "x1\nb.ne 1b\n",
         1},
    };
    static const char *const apart[] = {
        "1: ldr d0, [x0]\nfadd d0, d0, d1\nstr d0, [x0], #8\ncmp x0, x1\nb.ne 1b\n",
        "1: ldr d0, [x0, #8]\nfadd d0, d0, d1\nstr d0, [x0], #8\ncmp x0, x1\nb.ne 1b\n",
        "1: ldr d0, [x2], #8\nfadd d0, d0, d1\nstr d0, [x0], #8\ncmp x0, x1\nb.ne 1b\n",
    };
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct machine *m = machine(machines[i]);
        const struct mapping_entry *add = mapping_find(m->mapping, "FADD (D, D, D)");
        double chain = machine_number(m, "store_forward_vector") + add->latency;
        assert_true(chain > 5 && chain < 40);
        machine_free(m);
        for (size_t k = 0; k < sizeof linked / sizeof *linked; k++) {
            double cycles = bound_on(linked[k].text, machines[i], BOUND_DEPENDENCIES);
            if (fabs(cycles - chain / linked[k].distance) > 1e-6)
                fail_msg("%s: %g cycles, not %g: %s", machines[i], cycles,
                         chain / linked[k].distance, linked[k].text);
        }
        for (size_t k = 0; k < sizeof apart / sizeof *apart; k++)
            assert_true(fabs(bound_on(apart[k], machines[i], BOUND_DEPENDENCIES) - 1) < 1e-6);
    }
}

/* Flags half precision, LSE and SVE on a core or in a table without them, and instructions that no
 * decoder supports. The total reports them. */
static void test_unknown(void **state)
{
    NEEDS_ASSEMBLER();
    static const struct { const char *text; size_t rows; bool known_to_v2;
    } cases[] = {
        {"fadd v0.8h, v1.8h, v2.8h\nadd x3, x3, x4\n", 2, true},
        {"ldadd x0, x1, [x2]\nadd x3, x3, x4\n", 2, true},
        {".inst 0xffffffff\nadd x3, x3, x4\n", 2, false},
        {"fadd z0.d, z1.d, z2.d\nret\n", 2, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kernel *k = a64_kernel(cases[i].text);
        struct machine *old = machine("cortex-a72"), *new = machine("neoverse-v2");
        struct analysis *a = analysis_new(k, 0, old), *b = analysis_new(k, 0, new);
        assert_int_equal(a->count, cases[i].rows);
        assert_true(a->lower_bound && a->rows[0].flags & ROW_UNKNOWN &&
                    !(a->rows[1].flags & ROW_UNKNOWN));
        assert_non_null(strstr(a->sentence, "lower bound"));
        assert_int_equal(b->lower_bound, !cases[i].known_to_v2);
        analysis_free(a);
        analysis_free(b);
        machine_free(old);
        machine_free(new);
        kernel_free(k);
    }
}

static char *data_text(const char *name, size_t *length)
{
    struct str text = {0};
    struct err err = {0};
    if (!file_read(source_path(name), 1 << 20, &text, &err))
        fail_msg("%s", err.what);
    *length = text.length;
    return str_take(&text);
}

/* Tables have the base integer, floating-point and vector instructions of ARMv8-A, including the
 * forms of the published Cortex-A72 experiments. */
static void test_base_forms(void **state)
{
    NEEDS_ASSEMBLER();
    size_t length;
    char *text = data_text("tests/data/a64-base.s", &length);
    struct kernel *k = a64_kernel(text);
    assert_int_equal(k->insn_count, 403);
    for (size_t i = 0; i < MACHINES; i++) {
        struct machine *m = machine(machines[i]);
        struct analysis *a = analysis_new(k, 0, m);
        for (size_t r = 0; r < a->count; r++)
            if (a->rows[r].flags & ROW_UNKNOWN)
                fail_msg("%s does not know %s", machines[i], a->rows[r].insn->form);
        analysis_free(a);
        machine_free(m);
    }
    kernel_free(k);
    free(text);
}

/* Compiled loops are located correctly, have no unknown forms, and have a bound on each machine
 * that has their instructions. */
static void test_compiled(void **state)
{
    NEEDS_ASSEMBLER();
    static const struct { const char *file; size_t loops; bool sve;
    } files[] = {
        {"tests/data/a64-gcc.s", 8, false},
        {"tests/data/a64-gcc-O2.s", 8, false},
        {"tests/data/a64-clang.s", 13, false},
        {"tests/data/a64-gcc-sve.s", 8, true},
        {"tests/data/a64-objdump.txt", 8, false},
        {"data/kernels/triad-a64-gcc-O3.s", 1, false},
        {"data/kernels/stencil-a64-gcc-O3.s", 1, false},
        {"data/kernels/dot-a64-clang-O3.s", 1, false},
        {"data/kernels/daxpy-a64-gcc-sve.s", 1, true},
        {"data/kernels/daxpy-a64-clang-tail.s", 1, false},
    };
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        size_t length;
        char *text = data_text(files[f].file, &length);
        struct err err = {0};
        struct kernel *k = kernel_from_text(files[f].file, text, length, NULL, &err);
        if (!k)
            fail_msg("%s: %s", files[f].file, err.what);
        assert_int_equal(k->isa, ISA_AARCH64);
        assert_int_equal(k->loop_count, files[f].loops);
        for (size_t i = 0; i < MACHINES; i++) {
            struct machine *m = machine(machines[i]);
            bool has_sve = mapping_find(m->mapping, "FMLA (Z.D, P/M, Z.D, Z.D)") != NULL;
            for (size_t loop = 0; loop < k->loop_count; loop++) {
                struct analysis *a = analysis_new(k, loop, m);
                if (!files[f].sve || has_sve)
                    assert_false(a->lower_bound);
                assert_true(a->cycles >= 0.3 && a->cycles < 40);
                analysis_free(a);
            }
            machine_free(m);
        }
        kernel_free(k);
        free(text);
    }
}

/* llvm-mc assembles and names instructions that binutils lacks. Line numbers remain correct, and an
 * instruction that both lack is rejected. */
static void test_newer_instructions(void **state)
{
    NEEDS_ASSEMBLER();
    if (!has_program("llvm-mc-22"))
        return;
    static const char *const forms[] = {
        "LDR (W, [X], I)",        "ABS (W, W)",     "SMAX (W, W, W)", "CNT (X, X)",
        "CPYFP ([X]!, [X]!, X!)", "SUBS (X, X, I)", "B.COND (Rel)"};
    struct kernel *k =
        a64_kernel("1: ldr w9, [x8], #4\nabs w9, w9\n smax w0, w9, w0 // the larger\ncnt x3, "
                   "x4\ncpyfp [x10]!, [x11]!, x12!\nsubs x1, x1, #1\nb.ne 1b\n");
    struct machine *m = machine("neoverse-v2");
    struct analysis *a = analysis_new(k, 0, m);
    assert_int_equal(a->count, sizeof forms / sizeof *forms);
    for (size_t i = 0; i < a->count; i++) {
        assert_string_equal(a->rows[i].insn->form, forms[i]);
        /* The core lacks the instructions of rows 1 to 4. */
        assert_int_equal(!(a->rows[i].flags & ROW_UNKNOWN), i == 0 || i > 4);
    }
    assert_true((a->rows[4].insn->traits & (INSN_LOAD | INSN_STORE)) == (INSN_LOAD | INSN_STORE));
    analysis_free(a);
    machine_free(m);
    kernel_free(k);
    struct err err = {0};
    assert_null(kernel_from_text(
        "text", "abs w9, w9\nnonesuch w1\nret\n", strlen("abs w9, w9\nnonesuch w1\nret\n"),
        &(struct kernel_options){.isa_given = true, .isa = ISA_AARCH64}, &err));
    assert_int_equal(err.line, 2);
}

static void add_region(const struct kernel *k, size_t loop, struct str *out)
{
    size_t count;
    const struct insn *insns = kernel_insns(k, loop, &count);
    str_add(out, "# LLVM-MCA-BEGIN\n");
    for (size_t i = 0; i < count; i++) {
        struct insn again;
        assert_true(insn_decode(ISA_AARCH64, insns[i].bytes, 4, 0, true, &again, NULL));
        str_addf(out, "%s\n", again.text);
        insn_done(&again);
    }
    str_add(out, "# LLVM-MCA-END\n");
}

/* Computes llvm-mca's block reciprocal throughput of each loop of @k. */
static void peer_bounds(const struct kernel *k, const char *cpu, double *out)
{
    static const struct child_limits limits = {.cpu_seconds = 60,
                                               .memory = (size_t)4 << 30,
                                               .file_size = 1 << 20,
                                               .wall_seconds = 120,
                                               .output = 8 << 20};
    struct str input = {0};
    struct child_result result;
    struct err err = {0};
    char mcpu[64];
    snprintf(mcpu, sizeof mcpu, "-mcpu=%s", cpu);
    for (size_t i = 0; i < k->loop_count; i++)
        add_region(k, i, &input);
    const char *argv[] = {"llvm-mca-22",
                          "-mtriple=aarch64-linux-gnu",
                          mcpu,
                          "-iterations=1",
                          "-instruction-info=false",
                          "-resource-pressure=false",
                          NULL};
    assert_true(child_run(argv, "/tmp", input.data, input.length, &limits, &result, &err));
    const char *at = str_text(&result.output);
    for (size_t i = 0; i < k->loop_count; i++) {
        at = strstr(at, "Block RThroughput:");
        if (!at)
            fail_msg("llvm-mca: %.300s", str_text(&result.output));
        at += strlen("Block RThroughput:");
        out[i] = strtod(at, NULL);
    }
    child_result_done(&result);
    str_done(&input);
}

/* Compares the bounds of ports and issue from the imported tables alone. llvm-mca bounds each
 * resource separately, this analysis every union of port sets. The bound of this analysis is never
 * below that of llvm-mca, and is higher only if different sets share ports. */
static void test_against_llvm(void **state)
{
    NEEDS_ASSEMBLER();
    if (!has_program("llvm-mca-22"))
        return;
    static const struct { const char *file; bool sve;
    } files[] = {{"tests/data/a64-gcc.s", false},
                 {"tests/data/a64-clang.s", false},
                 {"tests/data/a64-gcc-O2.s", false},
                 {"tests/data/a64-gcc-sve.s", true}};
    struct err err = {0};
    struct forms *forms = forms_load(ISA_AARCH64, NULL, &err);
    size_t loops = 0, equal = 0;
    for (size_t i = 0; i < MACHINES; i++) {
        struct machine *m = import_llvm(machines[i], forms, &err);
        if (!m)
            fail_msg("%s: %s", machines[i], err.what);
        bool has_sve = mapping_find(m->mapping, "FMLA (Z.D, P/M, Z.D, Z.D)") != NULL;
        for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
            if (files[f].sve && !has_sve)
                continue;
            size_t length;
            char *text = data_text(files[f].file, &length);
            struct kernel *k = a64_kernel(text);
            double peer[32];
            assert_true(k->loop_count <= 32);
            peer_bounds(k, machines[i], peer);
            for (size_t loop = 0; loop < k->loop_count; loop++) {
                struct analysis *a = analysis_new(k, loop, m);
                double ours = fmax(a->bounds[BOUND_PORTS], a->bounds[BOUND_ISSUE]),
                       theirs = peer[loop];
                /* The tolerance is needed because llvm-mca prints one decimal. */
                if (ours < theirs - 0.051 || ours > 2 * theirs)
                    fail_msg("%s loop %zu of %s: %g, llvm-mca %g", machines[i], loop + 1,
                             files[f].file, ours, theirs);
                equal += fabs(ours - theirs) < 0.051;
                loops++;
                analysis_free(a);
            }
            kernel_free(k);
            free(text);
        }
        machine_free(m);
    }
    forms_free(forms);
    assert_true(loops > 150);
    if (equal * 100 < loops * 90)
        fail_msg("only %zu of %zu loops are as in llvm-mca", equal, loops);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dependencies),     cmocka_unit_test(test_cortex_a72_with_others),
        cmocka_unit_test(test_store_forwarding), cmocka_unit_test(test_newer_instructions),
        cmocka_unit_test(test_unknown),          cmocka_unit_test(test_base_forms),
        cmocka_unit_test(test_compiled),         cmocka_unit_test(test_against_llvm),
    };
    return cmocka_run_group_tests_name("a64 analysis", tests, NULL, NULL);
}
