/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measurement of a loop within its program: the copy, the recordings, and the attribution of the
 * missing cycles. */
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/kernel.h"
#include "analysis/loops.h"
#include "cmd/explained_result.h"
#include "insitu/copies.h"
#include "insitu/counters.h"
#include "insitu/lines.h"
#include "insitu/maps.h"
#include "insitu/paths.h"
#include "insitu/predictor.h"
#include "insitu/replay.h"
#include "insitu/split.h"
#include "insitu/trial.h"
#include "../support/support.h"

#if defined(__x86_64__)

/* cmp %esi,(%rdi,%rax,4); jge over; add $1,%rcx; over: add $1,%rax; cmp %rdx,%rax; jne loop; ret */
static const char loop_hex[] = "39 34 87 7d 04 48 83 c1 01 48 83 c0 01 48 39 d0 75 ee c3";

struct scene {
    struct kernel *kernel;
    struct region region;
    struct placed placed;
};

/* mov %rbx,%rdi; call *0x10(%rax); mov %rax,8(%rbx); test %rax,%rax; jne loop; ret */
static const char calling_hex[] = "48 89 df ff 50 10 48 89 43 08 48 85 c0 75 f1 c3";

static void scene_begin_with(struct scene *s, const char *hex)
{
    struct err err = {0};

    *s = (struct scene){.kernel = kernel_from_hex(ISA_X86_64, hex, &err)};
    assert_non_null(s->kernel);
    size_t loop = 0;
    while (loop < s->kernel->loop_count && !s->kernel->loops[loop].depth)
        loop++;
    assert_true(loop < s->kernel->loop_count);
    if (!region_find(s->kernel, loop, NULL, &s->region, &err))
        fail_msg("%s", err.what);
    s->placed = (struct placed){.region = &s->region};
}

static void scene_begin(struct scene *s)
{
    scene_begin_with(s, loop_hex);
}

static void scene_end(struct scene *s)
{
    vec_done(&s->placed.events);
    vec_done(&s->placed.stretches);
    region_done(&s->region);
    kernel_free(s->kernel);
}

static void add_event(struct scene *s, uint64_t id, uint64_t value)
{
    vec_push(&s->placed.events, id << 48 | value);
}

/* Adds one iteration in the format of the recording copy. The pivot is the load. The branches are
 * instructions 1 and 5. */
static void add_iteration(struct scene *s, uint64_t address, bool taken, bool last)
{
    add_event(s, EVENT_PASS, 0);
    add_event(s, 0, address);
    add_event(s, 1, taken);
    add_event(s, 5, !last);
    if (last)
        add_event(s, EVENT_LEAVE, 0);
}

static void test_region(void **state)
{
    struct scene s;
    struct copies c;
    struct err err = {0};

    scene_begin(&s);
    assert_int_equal(s.region.list.count, 7);
    assert_int_equal(s.region.calls, 0);
    assert_true(region_flags_free(&s.region, 0));
    assert_false(region_flags_free(&s.region, 1));   /* jge reads the flags. */
    assert_false(region_flags_free(&s.region, 5));
    assert_true(region_covered(&s.region, s.region.pivot) >= 1);
    assert_true(events_records(&s.region.list.items[0]));
    assert_false(events_records(&s.region.list.items[2]));
    copies_make(&s.region, 0x400000, &c);
    assert_true(code_resolve(&c.code, 0x500000, &err));
    /* Each instruction of the loop has a point in each copy. */
    for (size_t i = 1; i < c.points.count; i++)
        assert_true(c.points.items[i - 1].place <= c.points.items[i].place);
    assert_non_null(copies_point(&c, c.points.items[3].place));
    assert_null(copies_point(&c, UINT32_MAX));
    assert_int_equal(c.times[COPY_RECORD], 1);
    assert_true(c.times[COPY_COUNT] > 1);
    copies_done(&c);
    /* This distance exceeds 32-bit displacements. */
    struct code far = {.bytes = {0}};
    code_jump_address(&far, 0x400000);
    assert_false(code_resolve(&far, UINT64_C(0x700000000000), &err));
    assert_true(code_resolve(&far, 0x500000, &err));
    code_done(&far);
    scene_end(&s);
}

/* jmp test; arm: lea, cltq, add, inc, cmp, je out; test: movzbl, cmp, ja arm; other arm: sub, nop,
 * inc, cmp, jne test; out: ret */
static const char arms_hex[] = "eb 14 0f 1f 40 00 8d 04 40 48 98 48 01 c2 48 ff c7 48 39 f7 74 14 "
                               "0f b6 07 3c 80 77 e9 48 83 ea 07 90 48 ff c7 48 39 f7 75 ec c3";

static void find_loops(struct kernel *k)
{
    loops_done(k->loops, k->loop_count);
    k->loop_count = loops_find(k->insns, k->insn_count, NULL, 0, &k->loops);
}

/* A loop whose two arms each return to the test. Both arms are in the loop, and each iteration
 * executes the patched code once. */
static void test_arms(void **state)
{
    struct scene s;
    size_t within = 0;

    struct err err = {0};
    s = (struct scene){.kernel = kernel_from_hex(ISA_X86_64, arms_hex, &err)};
    assert_non_null(s.kernel);
    find_loops(s.kernel);
    assert_int_equal(s.kernel->loop_count, 1);
    assert_true(region_find(s.kernel, 0, NULL, &s.region, &err));
    for (size_t i = 0; i < s.region.list.count; i++)
        within += s.region.list.items[i].in_loop;
    assert_int_equal(within, 14);
    const uint64_t pivot = s.region.list.items[s.region.pivot].insn->offset;
    assert_in_range(pivot, 0x16, 0x1b);
    scene_end(&s);
}

/* f: xor %eax,%eax; outer: mov $9,%esi; loop: cmpl $6,(%rdi); je arm; back: add $8,%rdi; dec %esi;
 * jne loop; dec %edx; jne outer; ret; arm: inc %eax; jmp back */
static const char outside_hex[] =
    "31 c0 be 09 00 00 00 83 3f 06 74 0d 48 83 c7 08 ff ce 75 f3 ff ca 75 ea c3 ff c0 "
    "eb ef";

/* The body of an if after the function's end belongs to the loop. Otherwise each execution of it
 * would count as an exit from the loop. */
static void test_arm_outside(void **state)
{
    struct err err = {0};
    struct scene s = {.kernel = kernel_from_hex(ISA_X86_64, outside_hex, &err)};
    size_t within = 0;

    assert_non_null(s.kernel);
    find_loops(s.kernel);
    assert_int_equal(s.kernel->loop_count, 2);
    assert_true(region_find(s.kernel, 0, NULL, &s.region, &err));
    for (size_t i = 0; i < s.region.list.count; i++)
        within += s.region.list.items[i].in_loop;
    assert_int_equal(within, 7);
    scene_end(&s);
}

/* Only a time near its prediction is called equal. Estimated counts have two digits. */
static void test_explained_words(void **state)
{
    struct str text = {0};

    explained_equal(1.02, 1, &text);
    assert_non_null(strstr(str_text(&text), "equals the prediction"));
    str_clear(&text);
    explained_equal(1.38, 1, &text);
    assert_non_null(strstr(str_text(&text), "0.38 cycles more than predicted"));
    str_clear(&text);
    explained_equal(5, 10, &text);
    assert_non_null(strstr(str_text(&text), "5.00 cycles less than predicted"));
    str_done(&text);
    assert_true(explained_about(1089874) == 1100000);
    assert_true(explained_about(212) == 210);
    assert_true(explained_about(1.04) == 1.04);
}

/* If each iteration has a call, counting adds one location to the original code, after the call.
 * Each path from there returns to the original. */
static void test_displaced(void **state)
{
    struct scene s;
    struct copies c;
    struct err err = {0};

    scene_begin_with(&s, calling_hex);
    assert_true(s.region.calls_always);
    assert_true(s.region.each_away);
    assert_int_equal(s.region.pivot, 2);
    assert_int_equal(s.region.resumed.count, 0);
    assert_true(s.region.flags_free);
    copies_make(&s.region, 0, &c);
    assert_true(code_resolve(&c.code, 0x10000, &err));
    assert_int_equal(c.times[COPY_COUNT], 1);
    assert_int_equal(c.times[COPY_TIME], 1);
    uint32_t begin = c.code.labels.items[c.entry[COPY_COUNT]],
             end = c.code.labels.items[c.entry[COPY_TIME]], ways = 0;
    assert_true(begin < end);
    for (size_t i = 0; i < c.code.fixups.count; i++) {
        const struct code_fixup *f = &c.code.fixups.items[i];
        if (f->at < begin || f->at >= end)
            continue;
        assert_int_equal(f->label, CODE_UNPLACED);
        /* Only the loop's head and its exit are targets. */
        assert_true(f->target == 0 || f->target == 15);
        ways++;
    }
    assert_int_equal(ways, 2);
    /* If a thread is stopped between the count and the pivot, the pivot counts the iteration
     * again. */
    unsigned again = 0;
    for (size_t i = 0; i < c.points.count && c.points.items[i].place < end; i++)
        again += c.points.items[i].at == s.region.pivot && c.points.items[i].unfinished == 1;
    assert_int_equal(again, 1);
    copies_done(&c);
    scene_end(&s);
}

/* Restores the original code at each jump to a copy, even a copy of an earlier mode. If the program
 * has replaced a jump, its bytes remain, and so do the copies. */
static void test_restored(void **state)
{
    enum { BIAS = 0x1000 };
    struct scene s;
    struct copies c;
    struct err err = {0};
    uint8_t original[sizeof loop_hex / 3], earlier[sizeof original], there[sizeof original];
    const uint8_t trap = 0xcc;
    struct process p = {.memory = memfd_create("memory", MFD_CLOEXEC)};

    assert_true(p.memory >= 0);
    scene_begin(&s);
    copies_make(&s.region, BIAS, &c);
    assert_true(code_resolve(&c.code, 0x10000, &err));
    struct placed x = {
        .process = &p, .region = &s.region, .copies = &c, .bias = BIAS, .code = 0x10000};
    memset(original, 0x90, sizeof original);
    for (size_t i = 0; i < s.region.list.count; i++) {
        const struct insn *in = s.region.list.items[i].insn;
        memcpy(original + in->offset, in->bytes, in->length);
    }
    uint64_t site = s.region.list.items[s.region.pivot].insn->offset + BIAS;
    for (enum copy_mode mode = COPY_COUNT; mode <= COPY_RECORD; mode++) {
        assert_true(process_write(&p, BIAS, original, sizeof original));
        assert_true(placed_patch(&x, mode, &err));
        assert_true(process_read(&p, BIAS, earlier, sizeof earlier));
        assert_memory_not_equal(earlier, original, sizeof original);
        assert_true(placed_patch(&x, mode == COPY_TIME ? COPY_COUNT : COPY_TIME, &err));
        assert_true(process_write(&p, BIAS, earlier, sizeof earlier));
        assert_true(placed_restore(&x, &err));
        assert_true(process_read(&p, BIAS, there, sizeof there));
        assert_memory_equal(there, original, sizeof original);
        assert_false(x.kept);
    }
    assert_true(placed_patch(&x, COPY_COUNT, &err));
    assert_true(process_write(&p, BIAS, original, sizeof original));
    assert_true(placed_restore(&x, &err));
    assert_false(x.kept);
    assert_true(placed_patch(&x, COPY_COUNT, &err));
    assert_true(process_write(&p, site, &trap, 1));
    assert_true(placed_restore(&x, &err));
    assert_true(process_read(&p, site, there, 1));
    assert_int_equal(there[0], trap);
    assert_true(x.kept);
    close(p.memory);
    copies_done(&c);
    scene_end(&s);
}

/* Jumps are not replaced while an untraced thread may execute them. */
static void test_alone(void **state)
{
    struct process p = {.memory = -1};
    struct placed x = {.process = &p};

    vec_push(&p.tracees, ((struct traced){.tid = 1}));
    vec_push(&p.tracees, ((struct traced){.tid = 2}));
    assert_true(placed_alone(&x));
    p.tracees.items[1].suspended = true;
    assert_false(placed_alone(&x));
    p.tracees.items[1].suspended = false;
    x.shared = true;
    assert_false(placed_alone(&x));
    vec_done(&p.tracees);
}

static void test_paths(void **state)
{
    struct scene s;
    struct paths p;

    scene_begin(&s);
    if (s.region.pivot != 0) {   /* The events assume a pivot at the head. */
        scene_end(&s);
        skip();
    }
    for (int i = 0; i < 1000; i++)
        add_iteration(&s, 0x1000 + 4 * (uint64_t)i, i % 4 == 0, i == 999);
    vec_push(&s.placed.stretches, ((struct recorded_stretch){1000, 0, s.placed.events.count}));
    paths_find(&s.placed, &p);
    assert_int_equal(p.iterations, 1000);
    assert_int_equal(p.dropped, 0);
    assert_int_equal(p.list.count, 3);
    assert_int_equal(
        p.list.items[0].iterations + p.list.items[1].iterations + p.list.items[2].iterations, 1000);
    assert_int_equal(p.list.items[0].insns.count, 6);
    assert_int_equal(p.list.items[1].insns.count, 5);
    assert_int_equal(p.list.items[1].iterations, 250);
    assert_true(p.list.items[2].leaves);
    assert_int_equal(p.branches.count, 2);
    assert_int_equal(p.branches.items[0].taken, 250);
    assert_int_equal(p.branches.items[1].taken, 999);
    paths_done(&p);
    scene_end(&s);
}

/* The predictor learns a pattern. It mispredicts half of the branches without a pattern. */
static void test_predictor(void **state)
{
    struct scene s;
    struct predicted_branches b;
    uint64_t random = 88172645463325252u;

    scene_begin(&s);
    for (int i = 0; i < 6000; i++)
        add_iteration(&s, 0x1000, "1101001110010111"[i % 16] == '1', false);
    predictor_run(&s.placed, &b);
    assert_true(b.missed < 0.01);
    predictor_done(&b);
    s.placed.events.count = 0;
    for (int i = 0; i < 6000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        add_iteration(&s, 0x1000, random >> 40 & 1, false);
    }
    predictor_run(&s.placed, &b);
    assert_true(b.missed > 0.4 && b.missed < 0.6);
    assert_int_equal(b.list.items[0].at, 1);
    assert_int_equal(b.list.items[1].missed, 0);
    predictor_done(&b);
    s.placed.events.count = 0;
    predictor_run(&s.placed, &b);
    assert_true(isnan(b.missed));
    predictor_done(&b);
    scene_end(&s);
}

static void test_lines(void **state)
{
    struct scene s;
    struct loop_lines l;

    scene_begin(&s);
    for (int i = 0; i < 4000; i++)   /* The addresses are in ascending order. */
        add_iteration(&s, 0x10000 + 4 * (uint64_t)i, false, false);
    vec_push(&s.placed.stretches, ((struct recorded_stretch){4000, 0, s.placed.events.count}));
    lines_find(&s.placed, 64, &l);
    assert_true(fabs(l.streamed - 1.0 / 16) < 0.001 && l.fresh == 0);
    lines_done(&l);
    s.placed.events.count = s.placed.stretches.count = 0;
    for (uint64_t i = 0; i < 4000; i++)   /* Each line is accessed once, not in order. */
        add_iteration(&s, 0x100000 + 64 * (i * 2654435761u % 4000), false, false);
    vec_push(&s.placed.stretches, ((struct recorded_stretch){4000, 0, s.placed.events.count}));
    lines_find(&s.placed, 64, &l);
    assert_true(l.fresh + l.streamed > 0.9);
    lines_done(&l);
    s.placed.events.count = s.placed.stretches.count = 0;
    for (uint64_t i = 0; i < 4000; i++)   /* Few lines are accessed repeatedly. */
        add_iteration(&s, 0x100000 + 64 * (i * 7 % 100), false, false);
    vec_push(&s.placed.stretches, ((struct recorded_stretch){4000, 0, s.placed.events.count}));
    lines_find(&s.placed, 64, &l);
    assert_true(l.fresh == 0 && l.streamed == 0);
    lines_done(&l);
    scene_end(&s);
}

/* Adds recordings of 2,000 accesses each, to random lines among @count. */
static void add_random(struct scene *s, uint64_t count, unsigned recordings)
{
    uint64_t random = 88172645463325252u;

    s->placed.events.count = s->placed.stretches.count = 0;
    for (unsigned k = 0; k < recordings; k++) {
        size_t first = s->placed.events.count;
        for (int i = 0; i < 2000; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            add_iteration(s, 64 * (random % count), false, false);
        }
        vec_push(&s->placed.stretches,
                 ((struct recorded_stretch){2000, first, s->placed.events.count - first}));
    }
}

/* Computes the number of lines that a load accesses, and the shares of its accesses that each cache
 * level supplies, compared with a simulated cache. */
static void test_footprint(void **state)
{
    const struct cache_levels levels = {.l1 = 500,
                                        .l2 = 5000,
                                        .l3 = 100000,
                                        .latency = {15, 70, 300},
                                        .stream = {2, 8, 20}};
    struct scene s;
    struct loop_lines l;
    double from[CACHE_LEVELS];

    scene_begin(&s);
    add_random(&s, 20000, 12);
    lines_find(&s.placed, 64, &l);
    const struct load_lines *load = l.list.items;
    assert_false(load->at_least);
    assert_true(load->footprint > 17000 && load->footprint < 23000);
    bool at_least;
    assert_true(lines_all(&l, &at_least) >= load->footprint && !at_least);
    assert_true(lines_from(load, &levels, from));
    /* A cache of 5,000 lines that replaces the least recently used line. */
    static uint64_t used[20000];
    uint64_t random = 1, hits = 0, clock = 0;
    memset(used, 0, sizeof used);
    for (int i = 0; i < 40000; i++) {
        uint64_t at = (random = random * 6364136223846793005u + 1442695040888963407u) >> 33;
        at %= 20000;
        uint64_t newer = 0;
        for (int k = 0; k < 20000 && used[at] && i % 40 == 0 && i > 20000; k++)
            newer += used[k] > used[at];
        hits += i % 40 == 0 && i > 20000 && used[at] && newer < 5000;
        used[at] = ++clock;
    }
    assert_true(fabs((double)hits / 499 - (from[CACHE_L2] + 500 / load->distance)) < 0.06);
    assert_true(fabs(from[CACHE_L2] + from[CACHE_L3] + 500 / load->distance - 1) < 0.01);
    assert_true(from[CACHE_MEMORY] < 0.01);
    double weight = lines_weight(load, &levels);
    assert_true(weight > 15 * (double)load->fresh && weight < 70 * (double)load->fresh);
    lines_done(&l);
    /* No line is accessed twice, so the footprint is large and the lines come from memory. */
    add_random(&s, UINT64_C(1) << 40, 12);
    lines_find(&s.placed, 64, &l);
    assert_true(l.list.items[0].at_least && l.list.items[0].footprint > 1e7);
    assert_true(lines_from(l.list.items, &levels, from) && from[CACHE_MEMORY] > 0.9);
    lines_done(&l);
    /* One recording determines nothing. */
    add_random(&s, 20000, 1);
    lines_find(&s.placed, 64, &l);
    assert_false(lines_from(l.list.items, &levels, from));
    assert_true(isnan(l.list.items[0].footprint));
    lines_done(&l);
    scene_end(&s);
}

/* vpgatherdd %ymm1,(%rdi,%ymm0,4),%ymm2; add $1,%rax; cmp %rdx,%rax; jne loop; ret */
static const char gather_hex[] = "c4 e2 75 90 14 87 48 83 c0 01 48 39 d0 75 f1 c3";

/* The addresses of a gather are not recorded, so its iterations are not replayed. */
static void test_unseen(void **state)
{
    struct scene s;

    scene_begin(&s);
    assert_true(replay_possible(&s.region) && !events_unseen(&s.region.list.items[0]));
    scene_end(&s);
    scene_begin_with(&s, gather_hex);
    assert_false(replay_possible(&s.region));
    assert_true(events_unseen(&s.region.list.items[0]));
    assert_false(events_unseen(&s.region.list.items[1]));
    scene_end(&s);
}

static void test_split(void **state)
{
    const struct split_facts base = {.live = 15,
                                     .low = 14.5,
                                     .high = 15.5,
                                     .predicted = 1.5,
                                     .missed = 0,
                                     .fresh = 0,
                                     .streamed = 0.06,
                                     .trip = INFINITY,
                                     .alone = true};
    struct split_facts f = base;
    struct split s;

    f.missed = 0.5;
    s = split_of(&f);
    assert_int_equal(s.cause, SPLIT_BRANCH);
    assert_true(fabs(s.missing - 13.5) < 1e-9);
    f.fresh = 0.5;
    assert_int_equal(split_of(&f).cause, SPLIT_REFUSED);
    f.missed = 0;
    assert_int_equal(split_of(&f).cause, SPLIT_CACHE);
    f.fresh = 0;
    assert_int_equal(split_of(&f).cause, SPLIT_REST);
    f.live = 1.5;
    f.low = 1.4;
    f.high = 1.7;
    assert_int_equal(split_of(&f).cause, SPLIT_NONE);
    f = base;
    f.missed = 0.5;
    f.high = 40;   /* a busy host */
    assert_int_equal(split_of(&f).cause, SPLIT_REFUSED);
    f = base;
    f.alone = false;
    f.trip = 2;
    assert_int_equal(split_of(&f).cause, SPLIT_REFUSED);
    f = base;
    f.missed = 0.01;   /* Each miss would cost 1,350 cycles. */
    assert_int_equal(split_of(&f).cause, SPLIT_REFUSED);
    f = base;
    f.predicted = NAN;
    s = split_of(&f);
    assert_int_equal(s.cause, SPLIT_REFUSED);
    assert_non_null(s.why);
    f = base;
    f.missed = 0;
    f.unseen = true;   /* The lines may be new. */
    assert_int_equal(split_of(&f).cause, SPLIT_REFUSED);
    f = base;
    f.missed = NAN;
    assert_int_equal(split_of(&f).cause, SPLIT_REFUSED);
}

/* For any observations, the sum of the terms is the missing cycles. */
static void test_terms(void **state)
{
    const struct split_replays replays = {
        .warm = 14, .warm_off = 0.5, .trained = 2, .trained_off = 0.25, .live = 16};
    struct split_facts f = {.replays = &replays,
                            .live = 16,
                            .low = 15,
                            .high = 17,
                            .predicted = 1.5,
                            .missed = 0.5,
                            .fresh = 0.5,
                            .trip = INFINITY,
                            .alone = true};
    struct split s = split_of(&f);

    assert_int_equal(s.cause, SPLIT_BRANCH);
    assert_true(fabs(s.branch.cycles - 12) < 1e-9 && fabs(s.branch.off - 0.75) < 1e-9);
    assert_true(fabs(s.cache.cycles - 2) < 1e-9 && fabs(s.cache.off - 1) < 1e-9);
    assert_true(fabs(s.rest.cycles - 0.5) < 1e-9);
    assert_true(fabs(s.branch.cycles + s.cache.cycles + s.rest.cycles - s.missing) < 1e-9);
    f.besides = 0.25; /* fraction of the replays' time that the program does not have */
    assert_true(fabs(split_of(&f).rest.cycles - 0.25) < 1e-9);
    f.besides = 0;
    f.high = 70; /* The host is busy, with a delay that no replay has. */
    s = split_of(&f);
    assert_int_equal(s.cause, SPLIT_BRANCH);
    assert_true(s.cache.off > 10 && s.branch.off < 1);
    f.alone = false;
    f.calls = true;
    assert_true(isnan(split_of(&f).branch.cycles));
}

/* Replays that take longer than the program have no negative term of caches: without new lines the
 * difference is that of branches, otherwise there are no terms. */
static void test_untrained_replays(void **state)
{
    const struct split_replays replays = {
        .warm = 15.8, .warm_off = 0.6, .trained = 1.2, .trained_off = 0.2, .live = 4};
    struct split_facts f = {.replays = &replays,
                            .live = 4,
                            .low = 3.9,
                            .high = 4.1,
                            .predicted = 1.1,
                            .missed = 0.2,
                            .trip = INFINITY,
                            .alone = true};
    struct split s = split_of(&f);

    assert_int_equal(s.cause, SPLIT_BRANCH);
    assert_true(fabs(s.branch.cycles - 2.8) < 1e-9 && fabs(s.cache.cycles) < 1e-9);
    assert_true(fabs(s.branch.cycles + s.cache.cycles + s.rest.cycles - s.missing) < 1e-9);
    f.fresh = 0.5;
    s = split_of(&f);
    assert_int_equal(s.cause, SPLIT_REFUSED);
    assert_true(isnan(s.branch.cycles) && s.why);
}

static void test_replays(void **state)
{
    struct replayed_all all = {.why = NULL};
    struct split_replays sum;
    const char *why = NULL;
    bool leaves;

    assert_false(replay_sum(&all, &sum, &leaves, &why));
    assert_non_null(why);
    for (int i = 0; i < 4; i++)
        vec_push(&all.list, ((struct replayed){.warm = 14 + 0.1 * i,
                                               .trained = 2,
                                               .before = 2.05,
                                               .edge = 0.2,
                                               .leaves = i == 2}));
    assert_true(replay_sum(&all, &sum, &leaves, &why));
    assert_null(why);
    assert_true(leaves);
    assert_true(fabs(sum.warm - 14.15) < 1e-9 && sum.warm_off > 0.2 && sum.warm_off < 0.5);
    assert_true(fabs(sum.trained - 2) < 1e-9 && fabs(sum.trained_off - 0.2) < 1e-9);
    all.list.items[1].before = 5;   /* The predictor has not learnt the loop yet. */
    assert_false(replay_sum(&all, &sum, &leaves, &why));
    assert_non_null(why);
    all.list.items[1].before = 2;
    all.list.items[3].warm = 60;
    assert_false(replay_sum(&all, &sum, &leaves, &why));
    replayed_done(&all);
}

/* Replayed copies never continue in the original code, because each exit is an int3. */
static void test_replayed_code(void **state)
{
    struct scene s;
    struct copies c;

    scene_begin(&s);
    assert_true(replay_possible(&s.region));
    copies_make(&s.region, 0, &c);
    assert_int_equal(c.times[COPY_FOLLOW], 1);
    assert_int_equal(c.times[COPY_REPLAY], c.times[COPY_TIME]);
    uint32_t begin = c.code.labels.items[c.entry[COPY_REPLAY]],
             end = c.code.labels.items[c.clock];
    for (size_t i = 0; i < c.code.fixups.count; i++)
        if (c.code.fixups.items[i].at >= begin && c.code.fixups.items[i].at < end)
            assert_int_not_equal(c.code.fixups.items[i].label, CODE_UNPLACED);
    copies_done(&c);
    scene_end(&s);
}

static const struct trial_seen honest = {.stopped = true,
                                         .stepped = true,
                                         .written = true,
                                         .copied = true,
                                         .copy_words = TRIAL_EACH * TRIAL_PASSES,
                                         .state = true,
                                         .vector = TRIAL_VECTOR,
                                         .trapped = true,
                                         .words = TRIAL_EACH * TRIAL_PASSES};

/* Detects a facility that succeeds without effect. Independent facilities remain usable. */
static void test_trial(void **state)
{
    struct trial_seen s = honest;
    struct system_trial t = trial_judge(&s);

    assert_null(t.tracing);
    assert_null(t.copies);
    assert_null(t.state);
    s.words--;
    assert_non_null(trial_judge(&s).tracing);
    s = honest;
    s.stepped = false;
    assert_non_null(trial_judge(&s).tracing);
    s = honest;
    s.written = false;
    assert_non_null(trial_judge(&s).tracing);
    s = honest;
    s.copy_words = 0;
    t = trial_judge(&s);
    assert_null(t.tracing);
    assert_non_null(t.copies);
    assert_non_null(t.state);
    s = honest;
    s.between = 3; /* The copy shares memory with the process. */
    assert_non_null(trial_judge(&s).copies);
    s = honest;
    s.vector = 0;
    t = trial_judge(&s);
    assert_null(t.copies);
    assert_non_null(t.state);
}

/* The trial succeeds on this system if the system permits tracing of processes. */
static void test_trial_here(void **state)
{
    struct trial_seen s;
    struct err err = {0};

    if (!trial_run(&s, &err)) {
        assert_true(*err.what);
        skip();
    }
    struct system_trial t = trial_judge(&s);
    if (t.tracing || t.copies || t.state)
        fail_msg("%s", t.tracing ? t.tracing : t.copies ? t.copies : t.state);
}

/* Simulated counters. If @refused is not 0, opening fails with it. Each read advances the counter
 * by @step. */
struct fake {
    int refused, opened;
    double step[COUNTER_KINDS], at[COUNTER_KINDS];
    bool silent;
};

static int fake_open(void *state, enum counter kind, pid_t tid)
{
    struct fake *f = state;
    if (f->refused)
        return -f->refused;
    f->opened++;
    return (int)kind;
}

static bool fake_read(void *state, int counter, double *value)
{
    struct fake *f = state;
    *value = f->at[counter] += f->step[counter];
    return !f->silent;
}

static void fake_done(void *state, int counter)
{
    ((struct fake *)state)->opened--;
}

/* Counters that count the known loops correctly are used. Those that fail or are wrong are not
 * used, with a message. */
static void test_counters(void **state)
{
    const struct fake right = {.step = {3e5, 1e4, 2e3}};
    struct fake f = right;
    const struct counter_source source = {fake_open, fake_read, fake_done, &f};
    struct counters c;

    counters_new(&source, &c);
    assert_null(c.why);
    counters_add(&c, 1);
    counters_add(&c, 2);
    assert_int_equal(f.opened, 6);
    f.at[0] = f.at[1] = f.at[2] = 0;
    struct hardware_counts sum = counters_read(&c); /* two threads: 3e5 + 6e5 */
    assert_true(fabs(sum.value[COUNTER_CYCLES] - 9e5) < 1e-6);
    assert_true(fabs(sum.value[COUNTER_CACHE_MISSES] - 6e3) < 1e-6);
    counters_done(&c);
    assert_int_equal(f.opened, 0);
    f = right;
    f.step[COUNTER_BRANCH_MISSES] = 0; /* The event can be opened but does not count. */
    counters_new(&source, &c);
    assert_non_null(c.why);
    assert_true(c.works[COUNTER_CYCLES] && !c.works[COUNTER_BRANCH_MISSES]);
    counters_add(&c, 1);
    assert_true(isnan(counters_read(&c).value[COUNTER_BRANCH_MISSES]));
    counters_done(&c);
    f = right;
    f.silent = true;
    counters_new(&source, &c);
    assert_non_null(c.why);
    assert_false(c.works[COUNTER_CYCLES]);
    counters_done(&c);
    f = right;
    f.refused = 2; /* ENOENT is typical of a virtual machine. */
    counters_new(&source, &c);
    assert_non_null(c.why);
    counters_add(&c, 1);
    assert_true(isnan(counters_read(&c).value[COUNTER_CYCLES]));
    counters_done(&c);
    assert_int_equal(f.opened, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counters),   cmocka_unit_test(test_trial),
        cmocka_unit_test(test_trial_here), cmocka_unit_test(test_terms),
        cmocka_unit_test(test_untrained_replays),
        cmocka_unit_test(test_replays),    cmocka_unit_test(test_replayed_code),
        cmocka_unit_test(test_region),     cmocka_unit_test(test_paths),
        cmocka_unit_test(test_arms), cmocka_unit_test(test_arm_outside),
        cmocka_unit_test(test_explained_words),
        cmocka_unit_test(test_displaced),  cmocka_unit_test(test_footprint),
        cmocka_unit_test(test_predictor),  cmocka_unit_test(test_lines),
        cmocka_unit_test(test_split),      cmocka_unit_test(test_restored),
        cmocka_unit_test(test_unseen),     cmocka_unit_test(test_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
    return 77;
}
#endif
