/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Induction registers of loops in their program, and copies that count by them. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analysis/kernel.h"
#include "analysis/loops.h"
#include "insitu/copies.h"
#include "insitu/induction.h"
#include "insitu/placed.h"
#include "../support/support.h"

#if defined(__x86_64__)

#define SET_GS 0x1001          /* argument of arch_prctl */

#define BIAS UINT64_C(0x400010)
#define NONE 0xff
#define ROUNDS 200u

/* Loops, with the number and the step of their induction register */
static const struct {
    const char *hex;
    uint8_t reg;
    int64_t step;
} loops[] = {
    /* cmp %esi,(%rdi,%rax,4); jge over; add $1,%rcx; over: add $1,%rax; cmp %rdx,%rax; jne; ret */
    {"39 34 87 7d 04 48 83 c1 01 48 83 c0 01 48 39 d0 75 ee c3", 0, 1},
    /* movzbl (%rdi),%eax; cmp $10,%al; je over; add $3,%rdx; over: lea -8(%r9),%r9; cmp %rsi,%r9;
     * ja; ret */
    {"0f b6 07 3c 0a 74 04 48 83 c2 03 4d 8d 49 f8 49 39 f1 77 ec c3", 9, -8},
    /* sub $-128,%r13; mov %r13,(%rdi); cmp %r13,%rcx; jne; ret */
    {"49 83 ed 80 4c 89 2f 4c 39 e9 75 f4 c3", 13, 128},
    /* dec %rcx; jz out; dec %rcx; jnz; out: ret: two writers */
    {"48 ff c9 74 05 48 ff c9 75 f6 c3", NONE, 0},
    /* test: cmp %rcx,(%rdi); je over; xor $1,%eax; add $2,%rcx; jne test; ret; over: add $2,%rcx;
     * jne test; ret: each of two paths has a writer */
    {"48 39 0f 74 0a 83 f0 01 48 83 c1 02 75 f2 c3 48 83 c1 02 75 eb c3", 1, 2},
    /* the same, except that the second path adds 4 */
    {"48 39 0f 74 0a 83 f0 01 48 83 c1 02 75 f2 c3 48 83 c1 04 75 eb c3", NONE, 0},
    /* add (%rdi),%eax; dec %ecx; jnz; ret: 32 bits */
    {"03 07 ff c9 75 fa c3", NONE, 0},
    /* test $1,%al; je over; inc %rcx; over: shr %rax; jne; ret: not in each iteration */
    {"a8 01 74 03 48 ff c1 48 d1 e8 75 f4 c3", NONE, 0},
    /* mul %rdx; add $16,%rdx; cmp %rdx,%rcx; jne; ret: mul also writes rdx */
    {"48 f7 e2 48 83 c2 10 48 39 d1 75 f4 c3", NONE, 0},
    /* outer: mov %rsi,%rdx; inner: dec %rdx; jne inner; add $1,%rdi; cmp %rdi,%rcx; jne outer; ret:
     * a loop that contains a loop */
    {"48 89 f2 48 ff ca 75 fb 48 83 c7 01 48 39 f9 75 ef c3", 7, 1},
    /* again: inc %rax; test $1,%al; je over; cmp %rdx,%rax; je again; over: jmp again: in
     * recordings, code after the loop is near the target of the first branch */
    {"48 ff c0 a8 01 74 05 48 39 d0 74 f4 eb f2", 0, 1},
};
#define LOOPS (sizeof loops / sizeof *loops)

/* Finds the region of the longest loop, or of the first innermost one if @inner. Returns its
 * kernel. */
static struct kernel *find_one(const char *hex, bool inner, struct region *r)
{
    struct err err = {0};
    struct kernel *k = kernel_from_hex(ISA_X86_64, hex, &err);
    size_t found = 0;

    assert_non_null(k);
    if (inner) {
        loops_done(k->loops, k->loop_count);
        k->loop_count = loops_find(k->insns, k->insn_count, NULL, 0, &k->loops);
    }
    for (size_t l = 0; l < k->loop_count; l++)
        if (inner ? k->loops[l].depth > k->loops[found].depth
                  : k->loops[l].depth && (!k->loops[found].depth ||
                                          k->loops[l].count > k->loops[found].count))
            found = l;
    if (!region_find(k, found, NULL, r, &err))
        fail_msg("%s", err.what);
    return k;
}

static struct kernel *find(const char *hex, struct region *r)
{
    return find_one(hex, false, r);
}

static void test_found(void **state)
{
    for (size_t i = 0; i < LOOPS; i++) {
        struct region r;
        struct kernel *k = find(loops[i].hex, &r);
        struct induction x = induction_find(&r);
        assert_int_equal(x.at == REGION_NONE, loops[i].reg == NONE);
        if (x.at != REGION_NONE) {
            assert_int_equal(x.reg, loops[i].reg);
            assert_int_equal(x.step, loops[i].step);
        }
        induction_done(&x);
        region_done(&r);
        kernel_free(k);
    }
}

/* Returns a random successor of @at in the loop, or REGION_NONE if there is none. */
static uint32_t next_of(const struct region *r, uint32_t at, uint32_t *seed)
{
    const struct region_insn *i = &r->list.items[at];
    const bool jumps = i->target != REGION_NONE && r->list.items[i->target].in_loop,
               falls = region_falls(i) && at + 1 < r->list.count && r->list.items[at + 1].in_loop;

    *seed = *seed * 1664525u + 1013904223u;
    return jumps && (!falls || *seed >> 31) ? i->target : falls ? at + 1 : REGION_NONE;
}

/* On random walks from each instruction, the register's changes give the executions of the pivot,
 * for each possible pivot. */
static void test_walks(void **state)
{
    uint32_t seed = 1;

    for (size_t i = 0; i < LOOPS; i++) {
        struct region r;
        struct kernel *k = find(loops[i].hex, &r);
        const uint32_t head = region_at(&r, k->insns[k->loops[r.loop].head].offset);
        for (r.pivot = 0; r.pivot < r.list.count; r.pivot++) {
            if (!r.list.items[r.pivot].in_loop || region_avoidable(&r, head, r.pivot))
                continue;
            struct induction x = induction_find(&r);
            for (uint32_t from = 0; x.at != REGION_NONE && from < r.list.count; from++) {
                int64_t passes = 0, steps = 0;
                uint32_t at = r.list.items[from].in_loop ? from : REGION_NONE;
                for (unsigned n = 0; n < ROUNDS && at != REGION_NONE; n++) {
                    assert_int_equal(passes, steps + x.ahead.items[at] - x.ahead.items[from]);
                    passes += at == r.pivot;
                    steps += x.changes.items[at];
                    at = next_of(&r, at, &seed);
                }
            }
            induction_done(&x);
        }
        region_done(&r);
        kernel_free(k);
    }
}

/* A copy that counts by a register has the bytes of the original from the loop's first instruction
 * to its last, except the distances of exits. Both begin at the same place of a line of 64
 * bytes. */
static void test_same_code(void **state)
{
    for (size_t i = 0; i < LOOPS; i++) {
        struct region r;
        struct copies c;
        struct err err = {0};
        struct kernel *k = find(loops[i].hex, &r);
        const struct insn *first = &k->insns[k->loops[r.loop].first];
        uint32_t begin = 0, seen = 0;
        bool returns = false;   /* whether the loop has a return, whose copy is longer */
        for (uint32_t n = 0; n < r.list.count; n++)
            returns |= r.list.items[n].in_loop && r.list.items[n].insn->traits & INSN_RETURN;
        copies_make(&r, BIAS, &c);
        assert_true(code_resolve(&c.code, BIAS + UINT64_C(0x10000), &err));
        for (size_t p = 0; p < c.points.count; p++) {
            const struct copy_point *at = &c.points.items[p];
            if (!at->steps)
                continue;
            const struct region_insn *in = &r.list.items[at->at];
            const bool exits = in->direct && (in->target == REGION_NONE ||
                                              !r.list.items[in->target].in_loop);
            assert_true(in->in_loop);
            if (!seen++)
                begin = at->place;
            if (returns)
                continue;
            assert_int_equal(at->place - begin, in->insn->offset - first->offset);
            assert_memory_equal(c.code.bytes.items + at->place, in->insn->bytes,
                                exits ? 1 : in->insn->length);
        }
        assert_int_equal(begin % 64, seen ? (first->offset + BIAS) % 64 : 0);
        assert_int_equal(seen, loops[i].reg == NONE ? 0 : k->loops[r.loop].count);
        assert_int_equal(c.times[COPY_VISIT] == 1, seen > 0);
        copies_done(&c);
        region_done(&r);
        kernel_free(k);
    }
}

/* Conditional branches of two bytes are only at the places of the original's branches. Code after
 * the loop continues with a jump, because it belongs to one outcome of its branch. This holds for
 * each possible pivot. */
static void test_near_branches(void **state)
{
    for (size_t i = 0; i < LOOPS; i++) {
        struct region r;
        struct kernel *k = find(loops[i].hex, &r);
        const uint32_t head = region_at(&r, k->insns[k->loops[r.loop].head].offset);
        for (r.pivot = 0; r.pivot < r.list.count; r.pivot++) {
            struct copies c;
            if (!r.list.items[r.pivot].in_loop || region_avoidable(&r, head, r.pivot))
                continue;
            copies_make(&r, BIAS, &c);
            for (size_t n = 0; n < c.code.fixups.count; n++) {
                const struct code_fixup *f = &c.code.fixups.items[n];
                const uint8_t opcode = c.code.bytes.items[f->at - 1];
                if (!f->near || opcode == 0xeb)
                    continue;
                const struct copy_point *at = copies_point(&c, f->at - 1);
                assert_non_null(at);
                assert_int_equal(opcode, r.list.items[at->at].insn->bytes[0]);
            }
            copies_done(&c);
        }
        region_done(&r);
        kernel_free(k);
    }
}

static const uint8_t zero[] = {0x31, 0xc0};   /* xor %eax,%eax */

/* Code in this process, with copies of its loop and one slot */
struct executed {
    struct process process;
    enum copy_mode chosen[1];
    uint64_t period[1], given[1], earlier[1], peeked[1];
    bool mixed[1];
    struct traced thread;
    struct region region;
    struct copies copies;
    struct kernel *kernel;
    uint8_t *code, *slots;
    struct placed placed;
};

enum { CODE = 0x1000, CODE_BYTES = 0x100000 };

/* Places the code of @hex, after an instruction that sets eax to 0. Patches its longest loop, or
 * its innermost one if @inner, for copies of @mode. */
static void executed_begin(struct executed *e, const char *hex, bool inner, enum copy_mode mode,
                           uint64_t period)
{
    struct err err = {0};

    *e = (struct executed){.process = {.memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC)},
                           .chosen = {mode},
                           .period = {period},
                           .thread = {.tid = getpid(), .slot = 0}};
    e->kernel = find_one(hex, inner, &e->region);
    e->code = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    e->slots =
        mmap(NULL, SLOT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (e->process.memory < 0 || e->code == MAP_FAILED)
        skip();   /* The system does not permit memory that is both writable and executable. */
    assert_ptr_not_equal(e->slots, MAP_FAILED);
    const uintptr_t bias = (uintptr_t)e->code + sizeof zero, at = (uintptr_t)e->code + CODE;
    memcpy(e->code, zero, sizeof zero);
    for (size_t i = 0; i < e->kernel->insn_count; i++)
        memcpy(e->code + sizeof zero + e->kernel->insns[i].offset, e->kernel->insns[i].bytes,
               e->kernel->insns[i].length);
    copies_make(&e->region, bias, &e->copies);
    assert_true(e->copies.code.bytes.count < CODE_BYTES - CODE);
    assert_true(code_resolve(&e->copies.code, at, &err));
    memcpy(e->code + CODE, e->copies.code.bytes.items, e->copies.code.bytes.count);
    e->placed = (struct placed){.process = &e->process, .region = &e->region,
                                .copies = &e->copies, .slots = (uintptr_t)e->slots, .bias = bias,
                                .code = at, .slot_count = 1, .chosen = e->chosen,
                                .period = e->period, .given = e->given, .earlier = e->earlier,
                                .mixed = e->mixed, .peeked = e->peeked};
    placed_harvest(&e->placed, &e->thread);   /* Initialises the slot, whose countdown was 0. */
    e->placed.iterations = 0;
    assert_true(placed_patch(&e->placed, mode, &err));
    placed_choose(&e->placed, &e->thread, period, 0, true);
}

static void executed_end(struct executed *e)
{
    vec_done(&e->placed.timed);
    vec_done(&e->placed.events);
    vec_done(&e->placed.stretches);
    copies_done(&e->copies);
    region_done(&e->region);
    kernel_free(e->kernel);
    close(e->process.memory);
    munmap(e->code, CODE_BYTES);
    munmap(e->slots, SLOT_BYTES);
}

/* Calls the search of test_executed @visits times. Returns the iterations. */
static uint64_t search_of(struct placed *x, unsigned visits)
{
    int numbers[40];
    uint64_t sum = 0;
    int64_t (*search)(const int *, int, int64_t);
    const uint64_t begin = x->bias - sizeof zero;

    memcpy(&search, &begin, sizeof search);
    for (int i = 0; i < 40; i++)
        numbers[i] = i;
    assert_int_equal(syscall(SYS_arch_prctl, SET_GS, x->slots), 0);
    for (unsigned v = 0; v < visits; v++) {
        const int sought = (int)(v % 13);
        assert_int_equal(search(numbers, sought, 40), sought);
        sum += (uint64_t)sought + 1;
    }
    assert_int_equal(syscall(SYS_arch_prctl, SET_GS, 0), 0);
    return sum;
}

/* A search executed in this process leaves its loop before the induction register changes. Each
 * block has all iterations of its visits. After a change of the mode while the thread waits in a
 * system call, its stamps are omitted, and its iterations count. */
static void test_executed(void **state)
{
    enum { VISITS_EACH = 13, BLOCKS = 20 };
    /* again: cmp %esi,(%rdi,%rax,4); je out; add $1,%rax; cmp %rdx,%rax; jne again; ret;
     * out: ret */
    static const char hex[] = "39 34 87 74 0a 48 83 c0 01 48 39 d0 75 f2 c3 c3";
    struct err err = {0};
    struct executed e;

    executed_begin(&e, hex, false, COPY_VISIT, VISITS_EACH);
    struct placed *x = &e.placed;
    assert_int_not_equal(e.copies.induction.at, REGION_NONE);
    uint64_t all = search_of(x, VISITS_EACH * BLOCKS);
    placed_harvest(x, &e.thread);
    assert_int_equal(x->iterations, all);
    assert_int_equal(x->timed.count, BLOCKS - 1);
    for (size_t i = 0; i < x->timed.count; i++) {
        assert_int_equal(x->timed.items[i].leaves, VISITS_EACH);
        assert_int_equal(x->timed.items[i].iterations, all / BLOCKS);
    }
    x->timed.count = 0;
    placed_choose(x, &e.thread, VISITS_EACH, 0, true);
    all += search_of(x, VISITS_EACH * BLOCKS);
    assert_true(placed_patch(x, COPY_RECORD, &err));
    placed_choose_waiting(x, &e.thread);
    all += search_of(x, 1);
    placed_harvest(x, &e.thread);
    assert_int_equal(x->iterations, all);
    assert_int_equal(x->timed.count, 0);
    executed_end(&e);
}

/* Copies of an inner loop count exits from the loop, or from the code around it, whose time outside
 * is then part of the blocks. */
static void test_executed_nest(void **state)
{
    enum { TRIPS = 7, VISITS = 5, CALLS_EACH = 2, BLOCKS = 20 };
    /* outer: mov %rsi,%rdx; inner: dec %rdx; jne inner; add $1,%rdi; cmp %rdi,%rcx; jne outer;
     * ret */
    static const char hex[] = "48 89 f2 48 ff ca 75 fb 48 83 c7 01 48 39 f9 75 ef c3";
    static const struct {
        enum copy_mode mode;
        enum block_kind kind;
        unsigned leaves;   /* exits per block */
    } cases[] = {{COPY_TIME, BLOCK_COPY, VISITS * CALLS_EACH},
                 {COPY_NEST, BLOCK_NEST, CALLS_EACH}};

    for (size_t n = 0; n < 2; n++) {
        void (*nest)(uint64_t, uint64_t, uint64_t, uint64_t);
        struct executed e;
        /* A visit executes less than all copies of the loop, so it passes the first one once. */
        executed_begin(&e, hex, true, cases[n].mode, VISITS * CALLS_EACH);
        assert_true(e.copies.times[cases[n].mode] > TRIPS);
        memcpy(&nest, &e.code, sizeof nest);
        assert_int_equal(syscall(SYS_arch_prctl, SET_GS, e.slots), 0);
        for (unsigned i = 0; i < CALLS_EACH * BLOCKS; i++)
            nest(0, TRIPS, 0, VISITS);
        assert_int_equal(syscall(SYS_arch_prctl, SET_GS, 0), 0);
        placed_harvest(&e.placed, &e.thread);
        assert_int_equal(e.placed.iterations, TRIPS * VISITS * CALLS_EACH * BLOCKS);
        assert_int_equal(e.placed.timed.count, BLOCKS - 1);
        for (size_t i = 0; i < e.placed.timed.count; i++) {
            const struct timed_block *b = &e.placed.timed.items[i];
            assert_int_equal(b->kind, cases[n].kind);
            assert_int_equal(b->leaves, cases[n].leaves);
            assert_int_equal(b->iterations, TRIPS * VISITS * CALLS_EACH);
            assert_true(b->away < b->ticks && (b->away > 0) == (cases[n].mode == COPY_NEST));
        }
        executed_end(&e);
    }
}
#endif

int main(void)
{
#if defined(__x86_64__)
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found),
        cmocka_unit_test(test_walks),
        cmocka_unit_test(test_same_code),
        cmocka_unit_test(test_near_branches),
        cmocka_unit_test(test_executed),
        cmocka_unit_test(test_executed_nest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
#else
    return 0;
#endif
}
