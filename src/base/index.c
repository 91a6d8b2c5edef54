/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/index.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

#include "base/mem.h"

#define SLOTS_FIRST 64

static void put(struct index *x, struct index_slot slot)
{
    size_t at = slot.hash & (x->slot_count - 1);
    for (; x->slots[at].item; at = (at + 1) & (x->slot_count - 1))
        steps_add(1);
    x->slots[at] = slot;
}

bool index_try_reserve(struct index *x)
{
    struct index_slot *old = x->slots;
    size_t count = x->slot_count;

    if (2 * (x->count + 1) <= count)
        return true;
    struct index_slot *slots = mem_try_zero(count ? 2 * count : SLOTS_FIRST, sizeof *slots);
    if (!slots)
        return false;
    x->slot_count = count ? 2 * count : SLOTS_FIRST;
    x->slots = slots;
    for (size_t i = 0; i < count; i++)
        if (old[i].item)
            put(x, old[i]);
    free(old);
    return true;
}

void index_add(struct index *x, uint64_t hash, uint32_t item)
{
    for (unsigned tries = 0; !index_try_reserve(x); tries++)
        mem_again(2 * x->slot_count * sizeof *x->slots, tries);
    put(x, (struct index_slot){item + 1, (uint32_t)(hash ^ hash >> 32)});
    x->count++;
}

void index_remove(struct index *x, uint64_t hash, uint32_t item)
{
    size_t mask = x->slot_count - 1, hole = (hash ^ hash >> 32) & mask;

    while (x->slots[hole].item != item + 1)
        hole = (hole + 1) & mask;
    x->count--;
    /* What a search would reach only across the hole moves into it, and leaves the next one. */
    for (size_t at = hole; x->slots[at = (at + 1) & mask].item;)
        if (((at - x->slots[at].hash) & mask) >= ((at - hole) & mask)) {
            x->slots[hole] = x->slots[at];
            hole = at;
        }
    x->slots[hole] = (struct index_slot){0};
}

void index_clear(struct index *x)
{
    if (x->slot_count)
        memset(x->slots, 0, x->slot_count * sizeof *x->slots);
    x->count = 0;
}

void index_done(struct index *x)
{
    free(x->slots);
    *x = (struct index){0};
}

static uint64_t secret[2];

/* Before main, so that no thread has to ask whether it is there. Where the system has no random numbers yet, those that it gave the process stand in. */
__attribute__((constructor)) static void draw_secret(void)
{
    if (getrandom(secret, sizeof secret, GRND_NONBLOCK) == sizeof secret)
        return;
    const void *given = (const void *)getauxval(AT_RANDOM);
    if (given)
        memcpy(secret, given, sizeof secret);
}

static uint64_t rotated(uint64_t x, unsigned k)
{
    return x << k | x >> (64 - k);
}

static void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotated(v[1], 13) ^ v[0];
    v[3] = rotated(v[3], 16) ^ v[2];
    v[0] = rotated(v[0], 32) + v[3];
    v[2] += v[1];
    v[3] = rotated(v[3], 21) ^ v[0];
    v[1] = rotated(v[1], 17) ^ v[2];
    v[2] = rotated(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
}

uint64_t hash_bytes(const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    uint64_t v[4] = {secret[0] ^ 0x736f6d6570736575u, secret[1] ^ 0x646f72616e646f6du, secret[0] ^ 0x6c7967656e657261u, secret[1] ^ 0x7465646279746573u};
    uint64_t word, last = (uint64_t)length << 56;

    for (; length >= sizeof word; at += sizeof word, length -= sizeof word) {
        memcpy(&word, at, sizeof word);
        sip_word(v, word);
    }
    for (size_t i = 0; i < length; i++)
        last |= (uint64_t)at[i] << 8 * i;
    sip_word(v, last);
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t hash_text(const char *text)
{
    return hash_bytes(text, strlen(text));
}

uint64_t hash_fixed(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash ^ hash >> 29;
}
