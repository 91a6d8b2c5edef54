/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

#define PAGE ((uint64_t)HEAP_PAGE)
#define HEADER 8u /* number of bytes of a chunk header */
#define LEAST_CHUNK 32u
#define ALIGNMENT 16u
#define MMAP_THRESHOLD ((uint64_t)128 << 10)
#define MMAP_THRESHOLD_MOST ((uint64_t)32 << 20)
#define TRIM_THRESHOLD ((uint64_t)128 << 10)
#define TOP_PAD ((uint64_t)128 << 10)
#define CONSOLIDATED ((uint64_t)64 << 10) /* minimum number of bytes of a freed chunk at which the
                                           * top is trimmed */
/* maximum number of chunks of one size in the thread cache; these chunks are never merged */
#define CACHED 7u
#define CACHED_SIZES 65u
#define SIZE_MOST 0x1p46 /* number of bytes from which a request fails */

struct chunk {
    uint64_t at, size;
};

struct allotted {
    struct chunk chunk;
    bool mapped;
};

struct heap {
    bool returns;
    uint64_t top, end; /* start and end of the top chunk */
    uint64_t touched;  /* end of the touched pages, a multiple of PAGE */
    uint64_t mmap_threshold, trim_threshold;
    /* free chunks, sorted by address; none is adjacent to another one or to the top */
    VEC(struct chunk) free;
    struct {
        uint64_t at[CACHED];
        unsigned count;
    } cached[CACHED_SIZES];
};

static uint64_t rounded(uint64_t value, uint64_t to)
{
    return (value + to - 1) / to * to;
}

static uint64_t chunk_size(double bytes)
{
    const uint64_t size = rounded((uint64_t)bytes + HEADER, ALIGNMENT);
    return size < LEAST_CHUNK ? LEAST_CHUNK : size;
}

/* Touches the heap up to address @to. Returns the number of page faults. */
static double touch(struct heap *h, uint64_t to)
{
    const uint64_t end = rounded(to, PAGE), before = h->touched;

    h->touched = end > before ? end : before;
    return (double)(h->touched - before) / HEAP_PAGE;
}

/* Returns the index of the first free chunk at or above @at. */
static size_t free_from(const struct heap *h, uint64_t at)
{
    size_t low = 0, high = h->free.count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (h->free.items[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void free_remove(struct heap *h, size_t index)
{
    h->free.count--;
    memmove(h->free.items + index, h->free.items + index + 1,
            (h->free.count - index) * sizeof *h->free.items);
}

static void free_insert(struct heap *h, size_t index, struct chunk chunk)
{
    vec_push(&h->free, chunk);
    memmove(h->free.items + index + 1, h->free.items + index,
            (h->free.count - 1 - index) * sizeof *h->free.items);
    h->free.items[index] = chunk;
}

/* Returns the index of the smallest free chunk of at least @size bytes, or of the first of several;
 * SIZE_MAX: none. */
static size_t best_free(const struct heap *h, uint64_t size)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < h->free.count; i++)
        if (h->free.items[i].size >= size &&
            (best == SIZE_MAX || h->free.items[i].size < h->free.items[best].size))
            best = i;
    return best;
}

/* Allocates @size bytes at the start of free chunk @index. If the rest of the chunk is large
 * enough, it remains free. Returns the address. */
static uint64_t take_free(struct heap *h, size_t index, uint64_t size)
{
    struct chunk *chunk = &h->free.items[index];
    const uint64_t at = chunk->at;

    if (chunk->size - size < LEAST_CHUNK) {
        free_remove(h, index);
        return at;
    }
    chunk->at += size;
    chunk->size -= size;
    return at;
}

/* Extends the top if it has too little space for a chunk of @size bytes. Returns false if malloc
 * would use mmap. */
static bool extend(struct heap *h, uint64_t size)
{
    if (h->end - h->top >= size + LEAST_CHUNK)
        return true;
    if (h->returns && size >= h->mmap_threshold)
        return false;
    h->end = rounded(h->top + size + TOP_PAD + LEAST_CHUNK, PAGE);
    return true;
}

/* Allocates @bytes. Returns the number of page faults when the bytes are touched. */
static double take(struct heap *h, double bytes, struct allotted *out)
{
    const uint64_t size = chunk_size(bytes), class = size / ALIGNMENT;

    *out = (struct allotted){{0, size}, false};
    if (class < CACHED_SIZES && h->cached[class].count) {
        out->chunk.at = h->cached[class].at[--h->cached[class].count];
        return 0;
    }
    const size_t best = best_free(h, size);
    if (best != SIZE_MAX) {
        out->chunk.at = take_free(h, best, size);
        return 0;
    }
    if (!extend(h, size)) {
        out->mapped = true;
        out->chunk.size = rounded(size + HEADER, PAGE);
        return (double)out->chunk.size / HEAP_PAGE;
    }
    out->chunk.at = h->top;
    h->top += size;
    return touch(h, h->top);
}

/* Returns the memory at the top to the system if it exceeds the trim threshold. */
static void trim(struct heap *h)
{
    const uint64_t size = h->end - h->top;

    if (!h->returns || size < h->trim_threshold || size <= TOP_PAD + LEAST_CHUNK)
        return;
    h->end -= (size - LEAST_CHUNK - 1 - TOP_PAD) / PAGE * PAGE;
    h->touched = h->touched < h->end ? h->touched : h->end;
}

static void give(struct heap *h, const struct allotted *place)
{
    struct chunk chunk = place->chunk;
    const uint64_t class = chunk.size / ALIGNMENT;

    if (place->mapped) {
        if (chunk.size > h->mmap_threshold && chunk.size <= MMAP_THRESHOLD_MOST) {
            h->mmap_threshold = chunk.size;
            h->trim_threshold = 2 * chunk.size;
        }
        return;
    }
    if (class < CACHED_SIZES && h->cached[class].count < CACHED) {
        h->cached[class].at[h->cached[class].count++] = chunk.at;
        return;
    }
    size_t index = free_from(h, chunk.at);
    if (index < h->free.count && chunk.at + chunk.size == h->free.items[index].at) {
        chunk.size += h->free.items[index].size;
        free_remove(h, index);
    }
    if (index > 0 && h->free.items[index - 1].at + h->free.items[index - 1].size == chunk.at) {
        chunk.at = h->free.items[--index].at;
        chunk.size += h->free.items[index].size;
        free_remove(h, index);
    }
    if (chunk.at + chunk.size == h->top)
        h->top = chunk.at;
    else
        free_insert(h, index, chunk);
    if (chunk.size >= CONSOLIDATED)
        trim(h);
}

/* Resizes the memory at *@place. Sets *@faults to the number of page faults. Returns false if the
 * memory must be copied. */
static bool resize(struct heap *h, double bytes, struct allotted *place, double *faults)
{
    const uint64_t size = chunk_size(bytes);
    struct chunk *chunk = &place->chunk;

    *faults = 0;
    if (place->mapped) {
        /* size in bytes of the mapping after mremap */
        const uint64_t pages = rounded(size + HEADER, PAGE);
        *faults = pages > chunk->size ? (double)(pages - chunk->size) / HEAP_PAGE : 0;
        chunk->size = pages;
        return true;
    }
    if (size <= chunk->size) {
        struct allotted rest = {{chunk->at + size, chunk->size - size}, false};
        if (rest.chunk.size >= LEAST_CHUNK) {
            chunk->size = size;
            give(h, &rest);
        }
        return true;
    }
    /* A chunk below the top can grow into the top. */
    if (chunk->at + chunk->size == h->top &&
        (chunk->at + size + LEAST_CHUNK <= h->end ||
         (best_free(h, size) == SIZE_MAX && extend(h, size)))) {
        chunk->size = size;
        h->top = chunk->at + size;
        *faults = touch(h, h->top);
        return true;
    }
    const size_t next = free_from(h, chunk->at);
    if (next == h->free.count || h->free.items[next].at != chunk->at + chunk->size ||
        chunk->size + h->free.items[next].size < size)
        return false;
    struct chunk *after = &h->free.items[next];
    const uint64_t more = size - chunk->size;
    chunk->size = size;
    after->at += more;
    after->size -= more;
    if (after->size < LEAST_CHUNK) {
        chunk->size += after->size;
        free_remove(h, next);
    }
    return true;
}

void heap_faults(const struct heap_event *events, size_t count, bool returns, double *faults)
{
    struct heap *h = mem_zero(1, sizeof *h);
    struct allotted *places = mem_zero(count + 1, sizeof *places), old;

    h->returns = returns;
    h->mmap_threshold = MMAP_THRESHOLD;
    h->trim_threshold = TRIM_THRESHOLD;
    for (size_t i = 0; i < count; i++) {
        const struct heap_event *e = &events[i];
        const bool has = e->of < i && places[e->of].chunk.size;
        faults[i] = 0;
        if (!(e->size < SIZE_MOST))
            continue;
        old = has ? places[e->of] : (struct allotted){{0, 0}, false};
        if (has)
            places[e->of] = (struct allotted){{0, 0}, false};
        if (has && e->size > 0 && resize(h, e->size, &old, &faults[i])) {
            places[i] = old;
            continue;
        }
        if (e->size > 0) /* Frees the old memory last, because realloc first copies its contents. */
            faults[i] = take(h, e->size, &places[i]);
        if (has)
            give(h, &old);
    }
    vec_done(&h->free);
    free(places);
    free(h);
}
