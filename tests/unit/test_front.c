/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The simulated decoders, compared with a direct implementation of their rules, for random blocks
 * and queues with any number of items. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/front.h"
#include "base/rng.h"
#include "../support/support.h"

/* instructions of 1 to 11 bytes, with length-changing prefixes, several µops, or a compare that
 * fuses with the next jump */
static const char *const pool[] = {
    "4801d8",
    "488b03",
    "90",
    "50",
    "4883c008",
    "480fafc3",
    "85c0",
    "0f44c3",
    "c5f458c2",
    "4889442408",
    "480103",
    "66053412",
    "0f1f4000",
    "f0480fb103",
    "48c78424800000002a000000",
    "c744240801000000",
    "0fa2",
    "4839d8",
    "48b80102030405060708",
    "66c704243412",
    "5b",
    "f348a5",
    "c5fc1004180f1f00",
};

#define INSNS_MAX 24
#define MACHINES 3
#define BLOCKS 150
#define CYCLES 400

static size_t append(struct insn *insns, size_t count, const char *hex)
{
    uint8_t code[16];
    size_t length = strlen(hex) / 2;
    uint64_t offset = count ? insns[count - 1].offset + insns[count - 1].length : 0;
    struct err err = {0};

    for (size_t i = 0; i < length; i++) {
        char digits[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        code[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    if (!insn_decode(ISA_X86_64, code, length, offset, false, &insns[count], &err))
        fail_msg("%s: %s", hex, err.what);
    return count + 1;
}

/* Makes a random block. @loop adds a compare and a backward jump at its end. */
static size_t random_block(struct rng *rng, struct insn *insns, bool loop)
{
    size_t count = 0, most = 1 + (size_t)rng_below(rng, INSNS_MAX - 4);

    while (count < most)
        count = append(insns, count, pool[rng_below(rng, sizeof pool / sizeof *pool)]);
    if (loop) {
        count = append(insns, count, "4839d8");
        count = append(insns, count, "75f0");
    }
    return count;
}

/* Returns the number of items that the decoders deliver in the next cycle of @f, which is
 * unchanged. Stores the state after it in @queued and @stall. */
static int64_t decode_one_by_one(const struct front *f, int32_t *queued, int32_t *stall)
{
    int64_t visible = f->visible - f->decoded, items = 0;
    uint32_t used = 0, at = f->delivered.index;

    *queued = f->queued;
    *stall = f->decode_stall > 0 ? f->decode_stall - 1 : 0;
    if (f->decode_stall > 0)
        return 0;
    while (used < (uint32_t)f->decoders && *queued + f->room <= f->uop_queue) {
        const struct plan_item *item = &f->plan->items.items[at];
        visible -= item->members;
        if (visible < 0 || (item->complex && used) ||
            (used + 1 == (uint32_t)f->decoders && item->fusible && !f->fusible_last))
            break;
        *queued += (int32_t)item->decode;
        items++;
        at = at + 1 == f->plan->items.count ? 0 : at + 1;
        used += item->decode > 1 ? item->decode : 1;
        if (item->decode > (uint32_t)f->complex_uops)
            *stall = (int32_t)((item->decode - 1) / f->microcode_width);
        if (item->branch || item->decode >= f->alone_uops)
            break;
    }
    return items;
}

static void check_cycle(struct front *f, const char *id, size_t number, int cycle)
{
    int32_t queued = 0, stall = 0;
    int64_t before = f->delivered.number,
            items = f->streams ? 0 : decode_one_by_one(f, &queued, &stall);

    front_cycle(f);
    if (f->streams)
        return;
    if (f->delivered.number - before != items || f->queued != queued || f->decode_stall != stall)
        fail_msg("%s, block %zu, cycle %d: %ld items, %d µops queued, %d cycles to wait; one by "
                 "one %ld, %d, %d",
                 id, number, cycle, (long)(f->delivered.number - before), f->queued,
                 f->decode_stall, (long)items, queued, stall);
}

/* Removes items from the queue, up to a number of µops. Removes only items that were delivered in
 * an earlier cycle. */
static void drain(struct front *f, struct place *taken, int32_t uops)
{
    while (taken->number < f->delivered.number) {
        int32_t decode = (int32_t)f->plan->items.items[taken->index].decode;
        if (decode > uops)
            return;
        uops -= decode;
        f->queued -= decode;
        place_next(taken, f->plan->items.count);
    }
}

static void check_block(struct block_work *w, struct rng *rng, const struct insn *insns,
                        size_t count, const char *id, size_t number)
{
    static struct front front;
    static struct plan plan;
    struct block_options options = {.shape = shape_of(insns, count),
                                    .align = (unsigned)rng_below(rng, 64)};
    struct place taken = {0};
    struct frontend bound;
    struct bounds bounds;
    int32_t rate = 0;

    bounds_of(w, insns, count, &options, false, &bounds);
    plan_build(&plan, w, insns, count);
    frontend_bound(w->core, insns, &w->costs, options.shape, options.align, &bound);
    front_start(&front, &plan, w->core, w, insns, &options, &bound);
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        /* The consumer is faster than the front end, slower, or stopped, in turn. */
        if (cycle % 40 == 0)
            rate = (int32_t)rng_below(rng, 9);
        drain(&front, &taken, rate);
        check_cycle(&front, id, number, cycle);
    }
    if (number + 1 == BLOCKS) {
        front_done(&front);
        memset(&front, 0, sizeof front);
        plan_done(&plan);
        memset(&plan, 0, sizeof plan);
    }
}

static void test_decoders(void **state)
{
    static const char *const machines[MACHINES] = {"haswell", "skylake", "sapphirerapids"};
    struct insn insns[INSNS_MAX];
    struct rng rng;

    rng_seed(&rng, 12);
    for (size_t m = 0; m < MACHINES; m++) {
        struct machine *machine = load_machine(machines[m]);
        struct block_work *w = block_work_new(machine);
        for (size_t i = 0; i < BLOCKS; i++) {
            size_t count = random_block(&rng, insns, i % 3 == 0);
            check_block(w, &rng, insns, count, machines[m], i);
        }
        block_work_free(w);
        machine_free(machine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_decoders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
