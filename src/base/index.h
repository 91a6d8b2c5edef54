/* Hash table with open addressing that maps keys to positions of items stored elsewhere. A slot has
 * a hash and a position, so only items with equal hashes are compared. Growing the table does not
 * access items. */
#ifndef PORTOLAN_BASE_INDEX_H
#define PORTOLAN_BASE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/steps.h"

#define INDEX_NONE UINT32_MAX

struct index_slot {
    uint32_t item;        /* 1 + position; 0: the slot is free */
    uint32_t hash;
};

/* An index initialised to zero is empty and valid. While the index changes, only one thread may use
 * it. */
struct index {
    struct index_slot *slots;
    /* number of slots: a power of two, at least twice the number of items; 0: empty */
    size_t slot_count;
    size_t count;
};

/* Returns whether item @item of @items has key @key. */
typedef bool (*index_same)(const void *items, uint32_t item, const void *key);

/* Returns the position of the item with hash @hash for which @same returns true; INDEX_NONE: none.
 * The function is inline, so that the compiler can inline the calls of @same. Any thread, while no
 * thread changes the index. */
static inline uint32_t index_find(const struct index *x, uint64_t hash, index_same same,
                                  const void *items, const void *key)
{
    uint32_t low = (uint32_t)(hash ^ hash >> 32);

    if (!x->slot_count)
        return INDEX_NONE;
    for (size_t at = low & (x->slot_count - 1); x->slots[at].item;
         at = (at + 1) & (x->slot_count - 1)) {
        if (x->slots[at].hash == low && same(items, x->slots[at].item - 1, key))
            return x->slots[at].item - 1;
        steps_add(1);   /* Collisions are included in the count of steps. */
    }
    return INDEX_NONE;
}

/* Makes room for one more item, for an index whose size depends on the input. Returns false, with
 * nothing changed, if memory is exhausted. */
bool index_try_reserve(struct index *x);
/* Adds position @item, which must not be in the index. */
void index_add(struct index *x, uint64_t hash, uint32_t item);
/* Removes position @item, which was added with @hash. */
void index_remove(struct index *x, uint64_t hash, uint32_t item);
/* Removes all items but preserves the memory. */
void index_clear(struct index *x);
void index_done(struct index *x);

/* Returns a hash that is equal in every process (FNV-1a with a final mix). Any thread. */
uint64_t hash_bytes(const void *bytes, size_t length);
uint64_t hash_text(const char *text);
/* Continues a hash. @hash is HASH_START or the hash of the preceding bytes. */
#define HASH_START 0xcbf29ce484222325u
uint64_t hash_fixed(uint64_t hash, const void *bytes, size_t length);

#endif
