/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/body_order.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"

#define CLUMP 3             /* executions of BODY_CLUMPED taken together */
#define SHUFFLE_SEED 10

/* The terms of one execution spread evenly, each time the one that is most behind. */
static void spread(const uint32_t *counts, size_t n, uint64_t total, uint32_t *order)
{
    uint32_t *done = mem_zero(n, sizeof *done);
    for (uint64_t at = 0; at < total; at++) {
        size_t best = 0;
        double lag = -1e300;
        for (size_t i = 0; i < n; i++) {
            double behind = (double)counts[i] * ((double)at + 0.5) / (double)total - (double)done[i];
            if (done[i] < counts[i] && behind > lag) {
                lag = behind;
                best = i;
            }
        }
        order[at] = (uint32_t)best;
        done[best]++;
    }
    free(done);
}

static void reverse(uint32_t *order, uint64_t n)
{
    for (uint64_t i = 0; i < n / 2; i++) {
        uint32_t other = order[n - 1 - i];
        order[n - 1 - i] = order[i];
        order[i] = other;
    }
}

static void shuffle(uint32_t *order, uint64_t n, struct rng *rng)
{
    for (uint64_t i = n; i > 1; i--) {
        uint64_t k = rng_below(rng, i);
        uint32_t other = order[i - 1];
        order[i - 1] = order[k];
        order[k] = other;
    }
}

/* What is @apart goes to the nearest even place where something else stands, as long as there is one. */
static void pair(const bool *apart, uint64_t n, uint32_t *order)
{
    uint64_t most = 0;

    for (uint64_t i = 0; i < n; i++)
        most += apart[order[i]];
    if (most > (n + 1) / 2)
        return;
    for (uint64_t i = 1; i < n; i += 2)
        for (uint64_t far = 1; far < n && apart[order[i]]; far += 2) {
            uint64_t to = i + far < n && !apart[order[i + far]] ? i + far : far <= i && !apart[order[i - far]] ? i - far : i;
            uint32_t other = order[to];
            order[to] = order[i];
            order[i] = other;
        }
}

void body_order(const uint32_t *counts, const bool *apart, size_t n, uint64_t executions, enum body_order kind, uint32_t *order)
{
    struct rng rng;
    uint64_t total = 0;

    for (size_t i = 0; i < n; i++)
        total += counts[i];
    uint32_t *one = mem_alloc((total + 1) * sizeof *one);
    spread(counts, n, total, one);
    rng_seed(&rng, SHUFFLE_SEED);
    for (uint64_t e = 0; e < executions; e += kind == BODY_CLUMPED ? CLUMP : 1) {
        uint64_t clump = kind != BODY_CLUMPED ? 1 : executions - e < CLUMP ? executions - e : CLUMP;
        for (uint64_t i = 0; i < total * clump; i++)
            order[e * total + i] = one[i / clump];
        if (kind == BODY_MIRRORED && e % 2)
            reverse(order + e * total, total);
        else if (kind == BODY_SHUFFLED)
            shuffle(order + e * total, total, &rng);
    }
    if (kind == BODY_PAIRED && apart)
        pair(apart, executions * total, order);
    free(one);
}
