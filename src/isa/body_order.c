/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/body.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"

#define CLUMP 3             /* number of executions that BODY_CLUMPED combines */
#define SHUFFLE_SEED 10

/* Distributes the terms of one execution evenly. Each position receives the term that is furthest
 * below its share. Stores the term of each position in @order. */
static void spread(const uint32_t *counts, size_t n, uint64_t total, uint32_t *order)
{
    uint32_t *done = mem_zero(n, sizeof *done);
    for (uint64_t at = 0; at < total; at++) {
        size_t best = 0;
        double lag = -1e300;
        for (size_t i = 0; i < n; i++) {
            double behind =
                (double)counts[i] * ((double)at + 0.5) / (double)total - (double)done[i];
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

/* Orders two executions in units of two instructions, which start at even slots. A unit has one
 * term twice, or a term marked in @apart and one of the most frequent other terms. */
static void by_units(const uint32_t *counts, const bool *apart, size_t n, uint32_t *order)
{
    /* @units: per term, number of units that begin with it. @following: per term, number of its
     * instructions in units that begin with a term marked in @apart. */
    uint32_t *units = mem_alloc(n * sizeof *units), *following = mem_zero(n, sizeof *following),
             *turns;
    uint64_t count = 0;

    for (size_t i = 0; i < n; i++)
        units[i] = apart[i] ? 2 * counts[i] : counts[i];
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < counts[i] && apart[i]; k++) {
            size_t most = n;
            for (size_t other = 0; other < n; other++)
                most = !apart[other] && units[other] && (most == n || units[other] > units[most])
                           ? other
                           : most;
            if (most == n)
                break;
            units[most]--;
            following[most] += 2;
        }
    for (size_t i = 0; i < n; i++)
        count += units[i];
    turns = mem_alloc((count + 1) * sizeof *turns);
    spread(units, n, count, turns);
    for (uint64_t u = 0; u < count; u++) {
        /* second instruction of the unit; n if the unit has only one instruction */
        size_t other = turns[u];
        *order++ = turns[u];
        if (apart[turns[u]])
            for (other = 0; other < n && !following[other]; other++)
                ;
        if (other == n)
            continue;
        *order++ = (uint32_t)other;
        following[other] -= other != turns[u];
    }
    free(turns);
    free(units);
    free(following);
}

static void by_executions(const uint32_t *counts, size_t n, uint64_t total, uint64_t executions,
                          enum body_order kind, uint32_t *order)
{
    uint32_t *one = mem_alloc((total + 1) * sizeof *one);
    struct rng rng;

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
    free(one);
}

void body_order(const uint32_t *counts, const bool *apart, size_t n, uint64_t executions,
                enum body_order kind, uint32_t *order)
{
    uint64_t total = 0;

    for (size_t i = 0; i < n; i++)
        total += counts[i];
    for (; kind == BODY_PAIRED && executions >= 2; executions -= 2, order += 2 * total)
        by_units(counts, apart, n, order);
    by_executions(counts, n, total, executions, kind, order);
}
