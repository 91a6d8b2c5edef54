/* SPDX-License-Identifier: 0BSD */
/* Counts mispredictions of conditional branches by a predictor model. It is TAGE (Seznec and
 * Michaud, A case for (partially) tagged geometric history length branch prediction, 2006) with one
 * table of counters by address. Four tagged tables are indexed by address and the latest 8, 16, 32
 * and 64 outcomes. Linked into traced programs. One thread. */
#ifndef PORTOLAN_PROGRAM_RUNTIME_BRANCH_PREDICTOR_H
#define PORTOLAN_PROGRAM_RUNTIME_BRANCH_PREDICTOR_H

#include <stdint.h>

#define BRANCHES_TABLES 4
/* outcomes; each table has twice as many as the previous one */
#define BRANCHES_SHORTEST 8u
#define BRANCHES_PLACES 4096u
#define BRANCHES_ENTRIES 2048u       /* entries of a tagged table */

struct branches_entry {
    uint16_t tag;                    /* 0: unused entry */
    int8_t counter;                  /* -4 to 3; 0 and above predict taken */
    /* 0 to 3; counts predictions that were correct where shorter histories were wrong */
    uint8_t useful;
};

/* Valid if zero-initialised. */
struct branches {
    uint64_t history;                /* outcomes; the latest is the lowest bit */
    int8_t places[BRANCHES_PLACES];  /* counters by address, -2 to 1 */
    struct branches_entry tables[BRANCHES_TABLES][BRANCHES_ENTRIES];
};

static inline void branches_count(int8_t *counter, int taken, int8_t least, int8_t most)
{
    if (taken ? *counter < most : *counter > least)
        *counter = (int8_t)(*counter + (taken ? 1 : -1));
}

/* Returns whether the branch at @place with outcome @taken (0 or 1) was mispredicted. Updates the
 * tables. */
static inline int branches_mispredicted(struct branches *b, uint64_t place, int taken)
{
    struct branches_entry *found[BRANCHES_TABLES];
    uint16_t tags[BRANCHES_TABLES];
    int8_t *base = &b->places[place * 0x9e3779b97f4a7c15u >> 52];
    int longest = -1, second = -1;

    for (int t = 0; t < BRANCHES_TABLES; t++) {
        const uint64_t length = BRANCHES_SHORTEST << t, latest = b->history << (64 - length),
                       hash = (latest ^ place) * 0x9e3779b97f4a7c15u ^ latest >> 29,
                       mixed = (hash ^ hash >> 32) * 0xbf58476d1ce4e5b9u;
        found[t] = &b->tables[t][mixed >> 53];
        tags[t] = (uint16_t)(mixed >> 32 | 1);
        if (found[t]->tag == tags[t]) {
            second = longest;
            longest = t;
        }
    }
    const int shorter = second >= 0 ? found[second]->counter >= 0 : *base >= 0,
              predicted = longest >= 0 ? found[longest]->counter >= 0 : shorter,
              wrong = predicted != taken;
    if (longest >= 0 && predicted != shorter) {
        uint8_t *useful = &found[longest]->useful;
        *useful = (uint8_t)(wrong ? *useful - (*useful > 0) : *useful + (*useful < 3));
    }
    if (longest >= 0)
        branches_count(&found[longest]->counter, taken, -4, 3);
    else
        branches_count(base, taken, -2, 1);
    /* Allocates an entry with a longer history, which may predict better. */
    for (int t = longest + 1, placed = 0; wrong && t < BRANCHES_TABLES && !placed; t++) {
        placed = found[t]->useful == 0;
        if (placed)
            *found[t] = (struct branches_entry){tags[t], taken ? 0 : -1, 0};
        else
            found[t]->useful--;
    }
    b->history = b->history << 1 | (uint64_t)taken;
    return wrong;
}

#endif
