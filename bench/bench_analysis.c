/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks per second and core of the bounds and of the simulation for each machine, compared with
 * one llvm-mca process per block, in CPU time of one run.
 *
 *     bench_analysis [FILE [MACHINE...]]
 *
 * FILE is a CSV with a column hex (default: blocks of Portolan's own code). MACHINE defaults to all
 * x86-64 machines. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "simulate/simulate.h"
#include "base/str.h"
#include "base/vec.h"
#include "base/csv_reader.h"
#include "io/machine_file.h"
#include "base/child.h"
#include "isa/isa.h"

#define INSNS_MAX 256
#define PEER_BLOCKS 12       /* number of blocks for llvm-mca, spread over the file */

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

static double children_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
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

static bool read_blocks(struct blocks *b, const char *path, struct err *err)
{
    struct csv_reader *reader = csv_reader_open(path, err);
    char **fields;
    size_t count, hex = SIZE_MAX;

    while (reader && csv_reader_next(reader, &fields, &count, err)) {
        size_t before = hex;
        for (size_t i = 0; before == SIZE_MAX && i < count; i++)
            hex = strcmp(fields[i], "hex") == 0 ? i : hex;
        if (before < count)
            take(b, fields[hex]);
    }
    csv_reader_close(reader);
    return b->all.count > 0;
}

static size_t decode(const struct block *block, struct insn *insns, bool text)
{
    size_t count = 0;
    for (size_t at = 0; at < block->length && count < INSNS_MAX; at += insns[count++].length)
        if (!insn_decode(ISA_X86_64, block->code + at, block->length - at, at, text, &insns[count],
                         NULL))
            return 0;
    return count;
}

/* Returns the CPU seconds to decode all blocks @rounds times. */
static double run_decoding(const struct blocks *b, int rounds)
{
    static struct insn insns[INSNS_MAX];
    double start = cpu_seconds();
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < b->all.count; i++)
            decode(&b->all.items[i], insns, false);
    return cpu_seconds() - start;
}

/* Returns the CPU seconds to decode all blocks, compute their bounds and, if @simulated, simulate
 * them, @rounds times. */
static double run(const struct blocks *b, const struct machine *m, bool simulated, int rounds)
{
    static struct insn insns[INSNS_MAX];
    struct block_work *work = block_work_new(m);
    struct simulator *simulator = simulator_new();
    double start = cpu_seconds();

    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < b->all.count; i++) {
            size_t count = decode(&b->all.items[i], insns, false);
            struct block_options options = {.shape = shape_of(insns, count), .start = START_EQUAL};
            struct bounds bounds;
            struct simulation sim;
            if (!count)
                continue;
            bounds_of(work, insns, count, &options, false, &bounds);
            if (simulated)
                simulate(simulator, work, insns, count, &options, &(struct simulate_options){0},
                         &sim);
        }
    double seconds = cpu_seconds() - start;
    simulator_free(simulator);
    block_work_free(work);
    return seconds;
}

/* Returns the CPU seconds of one process of @program for @block. Negative if the program rejects
 * the block. */
static double peer_seconds(const char *program, const char *cpu, const struct block *block)
{
    static struct insn insns[INSNS_MAX];
    const struct child_limits limits = {.cpu_seconds = 60,
                                        .memory = (size_t)4 << 30,
                                        .file_size = 1 << 20,
                                        .wall_seconds = 60,
                                        .output = 1 << 16};
    size_t count = decode(block, insns, true);
    struct str text = {0}, option = {0};
    struct child_result result;
    struct err err = {0};

    str_add(&text, ".intel_syntax noprefix\n");
    for (size_t i = 0; i < count; i++) {
        str_addf(&text, "%s\n", insns[i].text);
        free(insns[i].text);
    }
    str_addf(&option, "-mcpu=%s", cpu);
    const char *const argv[] = {program, option.data, NULL};
    double start = children_seconds();
    bool ok = count && child_run(argv, "/", text.data, text.length, &limits, &result, &err) &&
              result.status == 0;
    double seconds = children_seconds() - start;
    child_result_done(&result);
    str_done(&text);
    str_done(&option);
    return ok ? seconds : -1;
}

/* Returns the blocks per second of @program, or 0 if it has no model of the processor. */
static double peer_speed(const char *program, const char *cpu, const struct blocks *b)
{
    double seconds = 0;
    size_t done = 0;

    for (size_t i = 0; program && i < PEER_BLOCKS; i++) {
        double one = peer_seconds(program, cpu, &b->all.items[i * b->all.count / PEER_BLOCKS]);
        if (one > 0) {
            seconds += one;
            done++;
        }
    }
    return seconds > 0 ? (double)done / seconds : 0;
}

static const char *find_peer(const struct blocks *b)
{
    static const char *const programs[] = {"llvm-mca-22", "llvm-mca"};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (peer_speed(programs[i], "skylake", b) > 0)
            return programs[i];
    return NULL;
}

static void bench_machine(const char *id, const struct blocks *b, const char *peer)
{
    struct err err = {0};
    struct machine *m = machine_load(id, &err);
    int rounds = 1 + (int)(4000 / b->all.count);

    if (!m || strcmp(m->isa, isa_name(ISA_X86_64)) != 0) {
        if (!m)
            fprintf(stderr, "bench_analysis: %s\n", err.what);
        machine_free(m);
        return;
    }
    bool simulates = !isnan(machine_number(m, "load_latency"));
    double all = (double)b->all.count * rounds, bounds = all * 5 / run(b, m, false, 5 * rounds),
           simulated = simulates ? all / run(b, m, true, rounds) : NAN;
    double other = peer_speed(peer, strcmp(id, "alderlake-p") == 0 ? "alderlake" : id, b);
    printf(simulates ? "  %-16s %10.0f %10.0f" : "  %-16s %10.0f          -", id, bounds,
           simulated);
    if (other > 0)
        printf(" %12.0f   %.0f and %.0f times as fast", other, bounds / other, simulated / other);
    putchar('\n');
    fflush(stdout);
    machine_free(m);
}

int main(int argc, char **argv)
{
    struct blocks blocks = {{0}};
    struct err err = {0};

    if (!read_blocks(&blocks, argc > 1 ? argv[1] : "tests/data/blocks.csv", &err)) {
        fprintf(stderr, "bench_analysis: %s\n", err.code ? err.what : "no blocks in the file");
        return 1;
    }
    const char *peer = find_peer(&blocks);
    double all = (double)blocks.all.count;
    int rounds = 1 + (int)(100000 / blocks.all.count);
    printf("blocks per second and core, CPU time, %zu blocks; decoding alone %.0f\n",
           blocks.all.count, all * rounds / run_decoding(&blocks, rounds));
    printf("  %-16s %10s %10s %12s\n", "machine", "bounds", "simulate", peer ? peer : "");
    char **ids = argc > 2 ? NULL : machine_ids();
    for (int i = 2; i < argc; i++)
        bench_machine(argv[i], &blocks, peer);
    for (size_t i = 0; ids && ids[i]; i++) {
        bench_machine(ids[i], &blocks, peer);
        free(ids[i]);
    }
    free(ids);
    vec_done(&blocks.all);
    return 0;
}
