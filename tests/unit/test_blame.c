/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variants of loops, and `kernel blame` with a measurer for which one known value differs from the
 * model. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/rng.h"
#include "isa/vary.h"
#include "measure/kernel_code.h"
#include "model/change.h"
#include "report/blame.h"
#include "simulate/simulate.h"
#include "../support/support.h"

/* Measurements are the predictions of another machine, with slight noise. */
struct truth {
    struct machine *machine;
    struct rng rng;
    double noise;          /* relative noise of a measurement */
    unsigned calls;
    unsigned fails_at, fails_to;   /* range of calls without a stable time; 0 for none */
    enum err_code fatal;   /* number of the call that fails; 0 for none */
    unsigned received;         /* number of partial results received */
    size_t costs;          /* number of instruction costs in the last partial result */
    /* The blamed block includes its branch. Without the branch, its copies are in the µop cache. */
    bool loop;
};

static double predict(const struct machine *m, const struct insn *insns, size_t count, bool loop)
{
    struct block_work *work = block_work_new(m);
    struct simulator *simulator = simulator_new();
    struct block_options block = {.shape = shape_of(insns, count),
                                  .align = (unsigned)(insns[0].offset % 64)};
    struct simulate_options how = {0};
    struct simulation sim;
    struct bounds bounds;

    if (loop && block.shape == SHAPE_UNROLLED)
        block.shape = SHAPE_CACHED;
    bounds_of(work, insns, count, &block, false, &bounds);
    simulate(simulator, work, insns, count, &block, &how, &sim);
    double cycles = fmax(bounds.total, sim.cycles);
    simulation_done(&sim);
    simulator_free(simulator);
    block_work_free(work);
    return cycles;
}

static bool measure(void *self, const struct insn *insns, size_t count, double *cycles,
                    double *spread, struct err *err)
{
    struct truth *t = self;

    assert_null(kernel_refused_anywhere(insns, count, NULL));
    t->calls++;
    if (t->fatal && t->calls == 2)
        return err_set(err, t->fatal, NULL, "cancelled");
    if (t->fails_at && t->calls >= t->fails_at && t->calls <= t->fails_to)
        return err_set(err, ERR_LIMIT, NULL, "no stable time: 1.00-2.00 cycles");
    *cycles = predict(t->machine, insns, count, t->loop) * (1 + t->noise * rng_unit(&t->rng));
    *spread = t->noise;
    return true;
}

/* A partial result grows from call to call and has no sentence. A copy of it is equal. */
static void found(void *self, const struct blame *so_far)
{
    struct truth *t = self;
    struct blame *copy = blame_copy(so_far);
    size_t costs = 0;

    assert_null(copy->sentence);
    assert_string_equal(copy->machine, so_far->machine);
    assert_true(isfinite(copy->measured) && isfinite(copy->predicted));
    for (size_t i = 0; i < copy->count; i++)
        costs += isfinite(copy->rows[i].out.here);
    assert_true(costs >= t->costs && copy->variants == t->calls);
    t->costs = costs;
    t->received++;
    blame_free(copy);
}

/* Runs `kernel blame` on @text for @id. In the measurements, @change ("latency:IMUL (R64, R64)")
 * has @value ("6"). */
static struct blame *blame(const char *id, const char *text, const char *change, const char *value,
                           struct truth *t, double seconds, struct err *err)
{
    struct machine *m = load_machine(id);
    struct kernel *k = kernel_of(text);
    const struct blame_source source = {.measure = measure, .found = found, .self = t};
    size_t count;
    const struct insn *insns = kernel_insns(k, 0, &count);

    t->machine = machine_copy(m);
    t->loop = shape_of(insns, count) == SHAPE_LOOP;
    rng_seed(&t->rng, 1);
    if (change && !machine_change(t->machine, change, value, err))
        fail_msg("%s", err->what);
    struct blame *b = blame_new(insns, count, m, &source, seconds, err);
    machine_free(t->machine);
    machine_free(m);
    kernel_free(k);
    return b;
}

/* Checks that the sentence begins with @begins and contains @holds. */
static void expect(const char *id, const char *text, const char *change, const char *value,
                   const char *begins, const char *holds)
{
    struct truth t = {.noise = 0.002};
    struct err err = {0};
    struct blame *b = blame(id, text, change, value, &t, 1000, &err);

    if (!b)
        fail_msg("%s: %s", change, err.what);
    if (!str_has_prefix(b->sentence, begins) || !strstr(b->sentence, holds))
        fail_msg("%s = %s: \"%s\", not \"%s ... %s\"", change ? change : "nothing",
                 value ? value : "", b->sentence, begins, holds);
    blame_free(b);
}

static const char pi[] = ".L2:\n vxorpd %xmm0, %xmm0, %xmm0\n vcvtsi2sd %eax, %xmm0, %xmm0\n "
                         "vaddsd %xmm4, %xmm0, %xmm0\n vmulsd %xmm3, %xmm0, %xmm0\n"
                         " vmulsd %xmm0, %xmm0, %xmm0\n vaddsd %xmm2, %xmm0, %xmm0\n vdivsd %xmm0, "
                         "%xmm1, %xmm0\n vaddsd (%rsp), %xmm0, %xmm5\n vmovsd %xmm5, (%rsp)\n"
                         " addl $1, %eax\n cmpl $1000000000, %eax\n jne .L2\n";
/* A chain through imul, and other instructions that are not a bottleneck. */
static const char chain[] = ".L1:\n imul %rbx, %rax\n addq $3, %rax\n leaq 8(%rsi), %rdi\n addq "
                            "$1, %rcx\n cmpq %rdx, %rcx\n jne .L1\n";
/* A chain of operations that write another register than they read. The result identifies the
 * latency of each link. */
static const char links[] =
    ".L1:\n vmulsd %xmm3, %xmm0, %xmm1\n vaddsd %xmm4, %xmm1, %xmm2\n vsqrtsd %xmm2, %xmm5, "
    "%xmm6\n vmaxsd %xmm7, %xmm6, %xmm0\n addq $1, %rcx\n"
    " cmpq %rdx, %rcx\n jne .L1\n";
/* Shuffles: port 5 is the bottleneck. */
static const char shuffles[] = ".L1:\n vpermilps $3, %ymm1, %ymm2\n vaddps %ymm3, %ymm4, %ymm5\n "
                               "vshufps $3, %ymm1, %ymm3, %ymm6\n vmulps %ymm3, %ymm4, %ymm7\n"
                               " addq $1, %rcx\n cmpq %rdx, %rcx\n jne .L1\n";

static void test_one_thing_differs(void **state)
{
    expect("skylake", pi, "store_forward_vector", "9", "line 9 costs ",
           "by waiting for line 10: a store and a load of one address");
    expect("skylake", chain, "latency:IMUL (R64, R64)", "6", "line 2 costs 6.",
           "3.00 in the model: its execution (in the table 1*p1, latency 3)");
    expect("skylake", shuffles, "usage:VSHUFPS (YMM, YMM, YMM, I8)", "3*p5",
           "line 4 costs 2.75 here, 0.75 in the model", "1*p5");
    expect("skylake", shuffles, "usage:VADDPS (YMM, YMM, YMM)", "4*p5", "line 3 costs ",
           "its execution");
    expect("skylake", links, "latency:VMAXSD (XMM, XMM, XMM)", "9", "line 5 costs ",
           "here, 4.00 in the model");
    expect("skylake", links, "latency:VMULSD (XMM, XMM, XMM)", "8", "line 2 costs ",
           "here, 4.00 in the model");
    expect("znver4", chain, "latency:IMUL (R64, R64)", "7", "line 2 costs ", "here, ");
}

static void test_they_agree(void **state)
{
    expect("skylake", pi, NULL, NULL, "measured and predicted cycles agree within 5 %", "");
    expect("znver4", shuffles, NULL, NULL, "measured and predicted cycles agree", "");
}

/* Without its closing branch, a loop is not decoded in each iteration. Its long instructions would
 * take the decoders longer. */
static void test_branch_left_out(void **state)
{
    static const char text[] =
        ".L1:\n movabsq $0x123456789abcdef, %rax\n movabsq $0x123456789abcdef, %rbx\n movabsq "
        "$0x123456789abcdef, %rdx\n"
        " movabsq $0x123456789abcdef, %rsi\n addq $1, %rcx\n cmpq %rdi, %rcx\n jne .L1\n";
    struct truth t = {.noise = 0.002};
    struct err err = {0};
    struct blame *b = blame("skylake", text, NULL, NULL, &t, 1000, &err);

    assert_non_null(b);
    assert_true(b->rows[b->count - 1].out.model > -0.05);
    blame_free(b);
}

/* Partial results have the time of each part after its measurement. The first ones appear before
 * the last part is measured. */
static void test_found_as_it_comes(void **state)
{
    struct truth t = {.noise = 0.002};
    struct err err = {0};
    struct blame *b = blame("skylake", chain, "latency:IMUL (R64, R64)", "6", &t, 1000, &err);

    assert_non_null(b);
    assert_true(t.received > b->count && t.received <= t.calls);
    assert_true(t.costs > 3);
    struct blame *copy = blame_copy(b);
    assert_string_equal(copy->sentence, b->sentence);
    assert_true(copy->edge_count > 0 && copy->edge_count == b->edge_count);
    assert_memory_equal(copy->edges, b->edges, b->edge_count * sizeof *b->edges);
    blame_free(copy);
    blame_free(b);
}

/* Some times are missing, each with a reason. The others still identify the cause. */
static void test_missing_times(void **state)
{
    struct truth t = {.fails_at = 3, .fails_to = 3};
    struct err err = {0};
    struct blame *b = blame("skylake", chain, "latency:IMUL (R64, R64)", "6", &t, 1000, &err);

    assert_non_null(b);
    assert_true(fabs(b->rows[1].out.here - 1) < 0.01);   /* measured again in the last phase */
    assert_non_null(strstr(b->sentence, "line 2 costs"));
    blame_free(b);
    t = (struct truth){.fails_at = 4, .fails_to = 1000};
    b = blame("skylake", chain, "latency:IMUL (R64, R64)", "6", &t, 1000, &err);
    assert_non_null(b);
    assert_true(isnan(b->rows[2].out.here));
    assert_string_equal(b->rows[2].out.state, "no stable time: 1.00-2.00 cycles");
    assert_non_null(strstr(b->sentence, "line 2 costs"));
    blame_free(b);
    /* The loop itself has no stable time. */
    t = (struct truth){.fails_at = 1, .fails_to = 1000};
    assert_null(blame("skylake", chain, NULL, NULL, &t, 1000, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    /* The time of the loop drifts. */
    t = (struct truth){.noise = 50};
    assert_null(blame("skylake", chain, NULL, NULL, &t, 1000, &err));
    assert_non_null(strstr(err.what, "no stable time"));
    /* The measurement is cancelled. */
    t = (struct truth){.fatal = ERR_INTERRUPTED};
    assert_null(blame("skylake", chain, NULL, NULL, &t, 1000, &err));
    assert_int_equal(err.code, ERR_INTERRUPTED);
    /* If time is short, only the loop itself is measured. */
    t = (struct truth){0};
    b = blame("skylake", chain, NULL, NULL, &t, 0, &err);
    assert_non_null(b);
    assert_string_equal(b->rows[0].out.state, "time limit reached");
    assert_int_equal(b->variants, 3);
    blame_free(b);
}

static void decode(const char *hex, struct insn *out)
{
    uint8_t bytes[16];
    size_t n = strlen(hex) / 2;

    for (size_t i = 0; i < n; i++)
        sscanf(hex + 2 * i, "%2hhx", &bytes[i]);
    assert_true(insn_decode(ISA_X86_64, bytes, n, 0, false, out, NULL));
}

static void test_instructions(void **state)
{
    struct insn in, out;

    for (unsigned length = 1; length <= 15; length++) {
        in = (struct insn){.isa = ISA_X86_64, .length = (uint8_t)length};
        assert_true(vary_nop(&in, &out));
        assert_int_equal(out.length, length);
        assert_true(out.traits & INSN_RUNNABLE);
    }
    decode("c5fb580424", &in);   /* vaddsd xmm0, xmm0, [rsp] */
    assert_true(vary_register(&in, 1, 16, 16 + 9, &out));
    assert_int_equal(out.operands[0].reg, 16);
    assert_int_equal(out.operands[1].reg, 25);
    assert_string_equal(out.form, in.form);
    assert_true(vary_moved(&in, 2, 192, &out));
    assert_int_equal(out.operands[2].displacement, 192);
    decode("488b04d3", &in);     /* mov rax, [rbx+rdx*8] */
    assert_true(vary_register(&in, 1, 2, 15, &out));
    assert_int_equal(out.operands[1].index, 15);
    assert_int_equal(out.operands[1].base, 3);
    decode("62f17c4858d9", &in); /* vaddps zmm3, zmm0, zmm1 */
    assert_true(vary_register(&in, 2, 17, 16 + 12, &out));
    assert_int_equal(out.operands[2].reg, 28);
    assert_true(vary_copy(ISA_X86_64, &in.operands[0], false, 16, 21, &out));
    assert_int_equal(out.operands[0].bits, 512);
    /* ah is a fixed register, because other registers lack a second byte. */
    decode("00e0", &in);         /* add al, ah */
    assert_false(vary_register(&in, 1, 0, 9, &out));
    /* AArch64: add x0, x1, x2; ldr x0, [x1, #8]. */
    static const uint8_t add[] = {0x20, 0x00, 0x02, 0x8b}, ldr[] = {0x20, 0x04, 0x40, 0xf9};
    assert_true(insn_decode(ISA_AARCH64, add, 4, 0, false, &in, NULL));
    assert_true(vary_register(&in, 2, 2, 7, &out));
    assert_int_equal(out.operands[2].reg, 7);
    assert_int_equal(out.operands[1].reg, 1);
    assert_true(vary_nop(&in, &out));
    assert_true(insn_decode(ISA_AARCH64, ldr, 4, 0, false, &in, NULL));
    assert_true(vary_moved(&in, 1, 192, &out));
    assert_true(out.operands[1].displacement >= 200);
    assert_true(vary_copy(ISA_AARCH64, &in.operands[0], false, 3, 4, &out));
}

static bool depends(const struct dependence *d, size_t n, uint32_t from, uint32_t to, uint8_t reg,
                    uint32_t distance)
{
    for (size_t i = 0; i < n; i++)
        if (d[i].from == from && d[i].to == to && d[i].reg == reg && d[i].distance == distance)
            return true;
    return false;
}

/* If a removed instruction's result is read, the reader depends on nothing, and not on an earlier
 * value. */
static void test_registers_are_kept_alive(void **state)
{
    struct kernel *k = kernel_of(".L1:\n movq (%rsi), %rax\n imulq %rbx, %rax\n movq %rax, "
                                 "(%rdi)\n addq $8, %rsi\n cmpq %rdx, %rsi\n jne .L1\n");
    struct kernel *p = kernel_of(pi);
    struct dependence *d;
    struct variant v;
    size_t count, n;
    const struct insn *insns = kernel_insns(k, 0, &count);

    d = dependences_of(insns, count, &n);
    assert_true(depends(d, n, 0, 1, 0, 0));    /* imul depends on the loaded value. */
    assert_true(depends(d, n, 1, 2, 0, 0));
    assert_true(depends(d, n, 3, 0, 6, 1));    /* This depends on rsi of the previous iteration. */
    assert_false(depends(d, n, 1, 1, 0, 1));
    free(d);
    /* Without the load, imul would read its own result. A move of another register replaces the
     * load. */
    variant_without(insns, count, 0, &v);
    assert_non_null(v.insns);
    assert_true(v.copies);
    assert_int_equal(v.count, count);
    d = dependences_of(v.insns, v.count, &n);
    assert_false(depends(d, n, 1, 1, 0, 1));
    free(d);
    variant_done(&v);
    /* No other instruction writes rsi, so no replacement is needed. */
    variant_without(insns, count, 3, &v);
    assert_int_equal(v.count, count - 1);
    assert_false(v.copies);
    variant_done(&v);
    /* Removes the zero idiom before the conversion. Its reader reads another register, which needs
     * no slot. */
    insns = kernel_insns(p, 0, &count);
    variant_without(insns, count, 0, &v);
    assert_int_equal(v.count, count - 1);
    d = dependences_of(v.insns, v.count, &n);
    for (size_t i = 0; i < n; i++)
        assert_false(d[i].to == 0 && d[i].distance == 1 && d[i].reg >= 16);
    free(d);
    variant_done(&v);
    /* A dependence through memory is removed by another address of the load. */
    d = dependences_of(insns, count, &n);
    assert_true(depends(d, n, 8, 7, REG_NONE, 1));
    const struct dependence memory = {8, 7, 1, REG_NONE};
    variant_cut(insns, count, &memory, &v);
    assert_non_null(v.insns);
    free(d);
    d = dependences_of(v.insns, v.count, &n);
    assert_false(depends(d, n, 8, 7, REG_NONE, 1));
    free(d);
    variant_done(&v);
    kernel_free(k);
    kernel_free(p);
}

/* Checks that a variant of a permitted block is permitted, and that its code decodes to the same
 * instructions. */
static void check_variant(struct variant *v, unsigned *made)
{
    uint8_t code[8192];

    if (v->insns) {
        assert_null(kernel_refused_anywhere(v->insns, v->count, NULL));
        size_t length = kernel_emit(v->insns, v->count, 0, code, 0);
        assert_true(length < sizeof code);
        assert_true(kernel_emitted(v->insns, v->count, code, length));
        ++*made;
    } else {
        assert_non_null(v->reason);
    }
    variant_done(v);
}

static void test_many_blocks(void **state)
{
    struct err err = {0};
    unsigned made = 0, asked = 0;

    struct csv_table *blocks = csv_table_read(source_path("tests/data/blocks.csv"), &err);
    assert_non_null(blocks);
    for (size_t row = 0; row < blocks->count && row < 400; row++) {
        struct kernel *k =
            kernel_from_hex(ISA_X86_64, blocks->rows[row][csv_table_column(blocks, "hex")], &err);
        size_t count, found;
        const struct insn *insns = k ? kernel_insns(k, 0, &count) : NULL;
        if (!k || kernel_refused_anywhere(insns, count, NULL)) {
            kernel_free(k);
            continue;
        }
        struct variant v;
        struct dependence *d = dependences_of(insns, count, &found);
        for (size_t i = 0; i < count && count > 1; i++) {
            variant_without(insns, count, i, &v);
            check_variant(&v, &made);
            variant_nop(insns, count, i, &v);
            check_variant(&v, &made);
            asked += 2;
        }
        for (size_t i = 0; i < found; i++, asked++) {
            variant_cut(insns, count, &d[i], &v);
            check_variant(&v, &made);
        }
        free(d);
        kernel_free(k);
    }
    print_message("%u of %u variants can be made\n", made, asked);
    assert_true(made > asked * 9 / 10);
    csv_table_free(blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_thing_differs),        cmocka_unit_test(test_they_agree),
        cmocka_unit_test(test_branch_left_out),          cmocka_unit_test(test_missing_times),
        cmocka_unit_test(test_found_as_it_comes),        cmocka_unit_test(test_instructions),
        cmocka_unit_test(test_registers_are_kept_alive), cmocka_unit_test(test_many_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
