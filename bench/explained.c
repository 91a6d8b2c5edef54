/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops whose cycles per iteration are known: each prints its iterations and the median of its own
 * timings, in cycles of a chain of one-cycle instructions. bench/explain.sh compares them with
 * program explain.
 *   explained LOOP [BYTES] [huge]      huge: pages of 2 MiB */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <x86intrin.h>

#define NOINLINE __attribute__((noinline, noclone))
#define ROUNDS_MOST 1000000
#define SECONDS 3
#define HUGE ((size_t)2 << 20)
#define LINE 64

static uint64_t seed = 88172645463325252u;

static uint64_t draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

struct node {
    struct node *next;
    uint64_t value, unused[6];
};

NOINLINE uint64_t loop_chain3(uint64_t n, uint64_t x)
{
    __asm__ volatile("1: imul %1, %1\n dec %0\n jne 1b" : "+r"(n), "+r"(x) : : "cc");
    return x;
}

NOINLINE uint64_t loop_chain4(uint64_t n, uint64_t x)
{
    __asm__ volatile("1: imul %1, %1\n lea 1(%1), %1\n dec %0\n jne 1b"
                     : "+r"(n), "+r"(x)
                     :
                     : "cc");
    return x;
}

NOINLINE uint64_t loop_chain2(uint64_t n, uint64_t x)
{
    __asm__ volatile("1: lea 1(%1), %1\n lea 3(%1), %1\n dec %0\n jne 1b"
                     : "+r"(n), "+r"(x)
                     :
                     : "cc");
    return x;
}

NOINLINE uint64_t loop_partition(uint32_t *a, uint64_t n)
{
    uint64_t i = 0;

    for (uint64_t j = 0; j < n; j++) {
        uint32_t t = a[j];
        if (t < 1u << 31) {
            a[j] = a[i];
            a[i++] = t;
            __asm__ volatile("");
        }
    }
    return i;
}

NOINLINE uint64_t loop_list(const struct node *p)
{
    uint64_t sum = 0;

    for (; p; p = p->next)
        sum += p->value;
    return sum;
}

NOINLINE uint64_t loop_hash(const uint64_t *table, uint64_t mask, uint64_t n, uint64_t x)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        sum += table[x & mask];
        __asm__ volatile("" : "+r"(sum));
    }
    return sum;
}

/* Returns the ticks of the time stamp counter per cycle. */
static double clock_of_core(void)
{
    uint64_t x = 1;

    _mm_lfence();
    uint64_t begun = __rdtsc();
    for (int i = 0; i < 40; i++)
        __asm__ volatile(".rept 250\n not %0\n .endr" : "+r"(x));
    _mm_lfence();
    return (double)(__rdtsc() - begun) / 10000;
}

static void *pages(size_t bytes, int huge)
{
    const size_t all = (bytes + HUGE - 1) / HUGE * HUGE;
    char *at = aligned_alloc(HUGE, all);

    if (!at || madvise(at, all, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) != 0)
        exit(1);
    memset(at, 0, all);
    return at;
}

/* Links all nodes in random order, in lists of 2,000. */
static void link_nodes(struct node *nodes, size_t count, size_t *order)
{
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i-- > 1;) {
        size_t k = draw() % i, t = order[i];
        order[i] = order[k];
        order[k] = t;
    }
    for (size_t i = 0; i + 1 < count; i++)
        nodes[order[i]].next = (i + 1) % 2000 ? &nodes[order[i + 1]] : NULL;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    const size_t bytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 1 << 22;
    uint32_t *data = pages(bytes, argc > 3), *draws = pages(bytes, 0);
    size_t *order = malloc((bytes / LINE + 1) * sizeof *order), rounds = 0;
    double *each = malloc(ROUNDS_MOST * sizeof *each);
    uint64_t all = 0, sum = 0;
    const size_t nodes = bytes / LINE;
    const int lists = strcmp(name, "list") == 0;

    if (bytes < 1 << 14 || !order || !each)
        return 1;
    for (size_t i = 0; i < bytes / 4; i++)
        draws[i] = strcmp(name, "partition-sorted") == 0 ? (uint32_t)(i < 2000 ? 0 : ~0u)
                                                         : (uint32_t)(draw() >> 16);
    if (lists)
        link_nodes((void *)data, nodes, order);
    for (time_t end = time(NULL) + SECONDS; time(NULL) < end && rounds < ROUNDS_MOST;) {
        uint64_t n = 4000;
        const uint64_t from = draw() % (bytes / 4 - n + 1);
        if (strncmp(name, "partition", 9) == 0)
            memcpy(data, draws + from, 4 * n);
        const size_t list = nodes < 2000 ? 0 : draw() % (nodes / 2000) * 2000;
        const struct node *first = (struct node *)(void *)data + order[list];
        const double before = clock_of_core();
        const uint64_t begun = __rdtsc();
        _mm_lfence();
        if (lists) {
            n = nodes < 2000 ? nodes : 2000;
            sum += loop_list(first);
        } else if (strncmp(name, "partition", 9) == 0)
            sum += loop_partition(data, n);
        else if (strcmp(name, "hash") == 0)
            sum += loop_hash((void *)data, bytes / 8 - 1, n, 0x9e3779b97f4a7c15u * draw());
        else
            sum += (strcmp(name, "chain2") == 0   ? loop_chain2
                    : strcmp(name, "chain3") == 0 ? loop_chain3
                                                  : loop_chain4)(n *= 10, 3);
        _mm_lfence();
        const double ticks = (double)(__rdtsc() - begun), after = clock_of_core();
        all += n;
        if (before < 1.05 * after && after < 1.05 * before)
            each[rounds++] = ticks / ((before + after) / 2) / (double)n;
    }
    qsort(each, rounds, sizeof *each, by_value);
    fprintf(stderr, "%llu iterations, %.2f cycles (%llx)\n", (unsigned long long)all,
            rounds ? each[rounds / 2] : 0, (unsigned long long)sum);
    return 0;
}
