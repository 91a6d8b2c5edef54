/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks per second of decoding, bounds and simulation in one run on one core, over the blocks of a CSV of hex,cycles (or of a few kernels
 * without a file), so that the ratios are comparable. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/simulate.h"
#include "base/mem.h"
#include "base/vec.h"
#include "io/csv_reader.h"
#include "io/machine_file.h"

static const char *const some[] = {
    "4801d84883c008480fafc3", "488b034883c00848890348ffc1", "c5fc100418c5f458c2c5fc110418", "4889c3488b0385c00f44c3", "50534883ec08488b7f08", "f20f5ec1f20f58c1",
};

struct block {
    uint8_t code[256];
    size_t length;
};

struct blocks {
    VEC(struct block) all;
};

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void take(struct blocks *b, const char *hex)
{
    struct block block = {.length = strlen(hex) / 2};
    if (block.length > sizeof block.code || block.length == 0)
        return;
    for (size_t i = 0; i < block.length; i++) {
        char digits[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        block.code[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    vec_push(&b->all, block);
}

static size_t decode(const struct block *block, struct insn *insns, size_t most)
{
    size_t count = 0;
    for (size_t at = 0; at < block->length && count < most; at += insns[count++].length)
        if (!insn_decode(block->code + at, block->length - at, at, false, &insns[count], NULL))
            return 0;
    return count;
}

enum part { PART_DECODE, PART_BOUNDS, PART_SIMULATE };

/* Seconds for all blocks @rounds times. */
static double run(const struct blocks *b, const struct machine *m, enum part part, int rounds)
{
    static struct insn insns[256];
    struct block_work *work = block_work_new(m);
    struct simulator *simulator = simulator_new();
    double start = cpu_seconds();

    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < b->all.count; i++) {
            size_t count = decode(&b->all.items[i], insns, sizeof insns / sizeof *insns);
            struct block_options options = {.shape = shape_of(insns, count), .start = START_EQUAL};
            struct bounds bounds;
            struct simulation sim;
            if (!count || part == PART_DECODE)
                continue;
            bounds_of(work, insns, count, &options, false, &bounds);
            if (part == PART_SIMULATE)
                simulate(simulator, work, insns, count, &options, &(struct simulate_options){0}, &sim);
        }
    double seconds = cpu_seconds() - start;
    simulator_free(simulator);
    block_work_free(work);
    return seconds;
}

int main(int argc, char **argv)
{
    struct blocks blocks = {0};
    struct err err = {0};
    char **fields;
    size_t count;

    struct csv_reader *reader = argc > 1 ? csv_reader_open(argv[1], &err) : NULL;
    for (int hex = -1; reader && csv_reader_next(reader, &fields, &count, &err);) {
        for (size_t i = 0; hex < 0 && i < count; i++)
            if (strcmp(fields[i], "hex") == 0)
                hex = (int)i;
        if (hex >= 0 && (size_t)hex < count && strcmp(fields[hex], "hex") != 0)
            take(&blocks, fields[hex]);
    }
    csv_reader_close(reader);
    for (size_t i = 0; blocks.all.count == 0 || (argc < 2 && i < sizeof some / sizeof *some); i++)
        take(&blocks, some[i]);
    struct machine *m = machine_load("skylake", &err);
    if (!m) {
        fprintf(stderr, "bench_analysis: %s\n", err.what);
        return 1;
    }
    static const char *const names[] = {"decoding", "and bounds", "and simulation"};
    static const int rounds[] = {20, 20, 1};
    printf("%zu blocks on skylake, one core, CPU time\n", blocks.all.count);
    for (int part = PART_DECODE; part <= PART_SIMULATE; part++) {
        int times = rounds[part] * (blocks.all.count < 100 ? 500 : 1);
        double seconds = run(&blocks, m, (enum part)part, times);
        printf("  %-15s %10.0f blocks/s\n", names[part], (double)blocks.all.count * times / seconds);
    }
    machine_free(m);
    vec_done(&blocks.all);
    return 0;
}
