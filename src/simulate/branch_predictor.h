/* SPDX-License-Identifier: 0BSD */
/* Counts mispredictions of branches by a model of a predictor. The model is TAGE (Seznec and
 * Michaud, A case for (partially) tagged geometric history length branch prediction, 2006) with one
 * table indexed by address. Four tagged tables are indexed by address and the latest 8, 16, 32 and
 * 64 bits of history. For indirect branches, the model predicts targets instead of directions
 * (ITTAGE; Seznec, A 64-Kbytes ITTAGE indirect branch predictor, 2011). The model is not that of a
 * particular processor. Also linked into traced programs. One thread. */
#ifndef PORTOLAN_SIMULATE_BRANCH_PREDICTOR_H
#define PORTOLAN_SIMULATE_BRANCH_PREDICTOR_H

#include <stdint.h>

#define BRANCHES_TABLES 4
/* bits of history of the first tagged table; each next table uses twice as many */
#define BRANCHES_SHORTEST 8u
#define BRANCHES_PLACES 4096u
#define BRANCHES_ENTRIES 2048u
/* number of bits that an indirect branch adds to the history, from its target */
#define BRANCHES_TARGET_BITS 3u

struct branches_entry {
    uint16_t tag;                    /* tag; 0: unused entry */
    /* confidence in @value: 0 to 1 in the table without tags, 0 to 3 in the others */
    uint8_t confidence;
    /* 0 to 3: number of correct predictions by this entry for which shorter histories were wrong */
    uint8_t useful;
    uint32_t value;                  /* prediction: direction 0 or 1, or a hash of the target */
};

/* Tables and history of the predictor. Valid if initialised to zero. */
struct branches {
    uint64_t history;                /* history of all branches, the latest in the lowest bits */
    struct branches_entry places[BRANCHES_PLACES];   /* table without tags, indexed by address */
    struct branches_entry tables[BRANCHES_TABLES][BRANCHES_ENTRIES];
};

static inline void branches_count(struct branches_entry *e, uint32_t value, uint8_t most)
{
    if (e->value == value)
        e->confidence = (uint8_t)(e->confidence + (e->confidence < most));
    else if (e->confidence)
        e->confidence--;
    else
        e->value = value;
}

/* Returns whether the prediction for the branch at @place differs from @value. Updates the tables
 * but not the history. */
static inline int branches_learn(struct branches *b, uint64_t place, uint32_t value)
{
    struct branches_entry *found[BRANCHES_TABLES],
        *base = &b->places[place * 0x9e3779b97f4a7c15u >> 52];
    uint16_t tags[BRANCHES_TABLES];
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
    const uint32_t shorter = second >= 0 ? found[second]->value : base->value,
                   predicted = longest >= 0 ? found[longest]->value : shorter;
    const int wrong = predicted != value;
    if (longest >= 0 && predicted != shorter) {
        uint8_t *useful = &found[longest]->useful;
        *useful = (uint8_t)(wrong ? *useful - (*useful > 0) : *useful + (*useful < 3));
    }
    if (longest >= 0)
        branches_count(found[longest], value, 3);
    else
        branches_count(base, value, 1);
    for (int t = longest + 1, placed = 0; wrong && t < BRANCHES_TABLES && !placed; t++) {
        placed = found[t]->useful == 0;
        if (placed)
            *found[t] = (struct branches_entry){tags[t], 0, 0, value};
        else
            found[t]->useful--;
    }
    return wrong;
}

/* Returns whether the conditional branch at @place with outcome @taken (0 or 1) was mispredicted.
 * Updates tables and history. */
static inline int branches_mispredicted(struct branches *b, uint64_t place, int taken)
{
    const int wrong = branches_learn(b, place, (uint32_t)taken);
    b->history = b->history << 1 | (uint64_t)taken;
    return wrong;
}

/* Returns whether the indirect branch at @place with target @target was mispredicted. Updates
 * tables and history. */
static inline int branches_target_mispredicted(struct branches *b, uint64_t place, uint64_t target)
{
    const uint64_t hash = target * 0x9e3779b97f4a7c15u;
    const int wrong = branches_learn(b, place, (uint32_t)(hash >> 32));
    b->history = b->history << BRANCHES_TARGET_BITS | hash >> (64 - BRANCHES_TARGET_BITS);
    return wrong;
}

#endif
