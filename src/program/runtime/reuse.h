/* SPDX-License-Identifier: 0BSD */
/* Exact reuse distances: numbers of distinct lines used since the last use of a line. Linked into
 * traced programs, so it allocates from the system instead of the program's heap. All functions are
 * static to avoid name collisions. A short list contains the latest lines, most recent first; the
 * position is the distance. Older lines have a time stamp from when they left the list. A bitmap
 * marks the stamps in use. Fenwick sums over its words count the bits above a stamp, which are the
 * lines used since. When stamps run out, those in use are renumbered. Memory is proportional to the
 * number of distinct lines (Bennett and Kruskal 1975; Olken 1981). If a signal handler leaves
 * reuse_touch by a longjmp, at most two lines are lost, and their next uses count as first uses.
 * The next call restores consistency. One thread. */
#ifndef PORTOLAN_PROGRAM_RUNTIME_REUSE_H
#define PORTOLAN_PROGRAM_RUNTIME_REUSE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define REUSE_RECENT 16              /* number of lines in the short list */
/* number of latest lines that a stream may continue; prefetchers of second-level caches follow
 * streams in about 32 pages */
#define REUSE_STREAM 64
#define REUSE_APART (4 * REUSE_STREAM)   /* smallest distance at which a line can continue a
                                          * stream */
#define REUSE_COLD UINT64_MAX        /* distance of a first use */
#define REUSE_UNSAMPLED (UINT64_MAX - 1)
/* number of bits of the bitmap per Fenwick sum: one word of 64 bits */
#define REUSE_CHUNK 64
#define REUSE_TABLE_LEAST ((size_t)1 << 12)
#define REUSE_STAMPS_LEAST ((size_t)1 << 14)

struct reuse_line {
    uint64_t line;                   /* 1 + line number; 0: unused entry */
    /* 1 + time stamp; 0: the line is in the short list, or was lost by a longjmp */
    uint64_t stamp;
};

/* State of the measurement; reuse_done frees it. */
struct reuse {
    /* latest lines, most recent first, as 1 + line number; 0: none */
    uint64_t recent[REUSE_RECENT];
    /* hash table with open addressing; an entry of a line in the short list has no stamp */
    struct reuse_line *table;
    size_t table_size, table_used;
    uint64_t *bits;
    uint32_t *sums;                  /* Fenwick sums from index 1 */
    size_t stamps, next_stamp, marked;
    /* Lines whose hash has one of these bits are not measured. 0: all lines are measured, so
     * distances are exact. */
    uint64_t sample_mask;
    bool exhausted;                  /* whether memory is exhausted; later distances are then
                                      * wrong */
    volatile bool torn;              /* whether reuse_touch is in progress, or was left by a
                                      * longjmp */
};

static inline uint64_t reuse_hash(uint64_t line)
{
    line *= 0x9e3779b97f4a7c15u;
    line ^= line >> 29;
    line *= 0xbf58476d1ce4e5b9u;
    return line ^ line >> 32;
}

static inline void *reuse_map(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static inline void reuse_unmap(void *at, size_t bytes)
{
    if (at)
        munmap(at, bytes);
}

static inline size_t reuse_sums_bytes(size_t stamps)
{
    return (stamps / REUSE_CHUNK + 1) * sizeof(uint32_t);
}

static inline void reuse_done(struct reuse *r)
{
    reuse_unmap(r->table, r->table_size * sizeof *r->table);
    reuse_unmap(r->bits, r->stamps / 8);
    reuse_unmap(r->sums, reuse_sums_bytes(r->stamps));
    memset(r, 0, sizeof *r);
}

static inline struct reuse_line *reuse_slot(struct reuse_line *table, size_t size, uint64_t line)
{
    size_t at = reuse_hash(line) & (size - 1);
    while (table[at].line && table[at].line != line + 1)
        at = (at + 1) & (size - 1);
    return &table[at];
}

static inline void reuse_add_sum(struct reuse *r, size_t stamp, uint32_t change)
{
    for (size_t i = stamp / REUSE_CHUNK + 1; i <= r->stamps / REUSE_CHUNK; i += i & -i)
        r->sums[i] += change;
}

/* Returns the number of one bits. Some x86-64 CPUs lack the popcnt instruction. */
static inline size_t reuse_ones(uint64_t word)
{
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (size_t)(word * 0x0101010101010101u >> 56);
}

/* Returns the number of stamps in use up to and including @stamp. */
static inline size_t reuse_rank(const struct reuse *r, size_t stamp)
{
    size_t count = 0;

    for (size_t i = stamp / REUSE_CHUNK; i; i -= i & -i)
        count += r->sums[i];
    return count + reuse_ones(r->bits[stamp / 64] << (63 - stamp % 64));
}

/* Recomputes the Fenwick sums from the bitmap. */
static inline void reuse_sum_up(struct reuse *r)
{
    const size_t chunks = r->stamps / REUSE_CHUNK;

    memset(r->sums, 0, reuse_sums_bytes(r->stamps));
    r->marked = 0;
    for (size_t i = 1; i <= chunks; i++) {
        const size_t ones = reuse_ones(r->bits[i - 1]), above = i + (i & -i);
        r->marked += ones;
        r->sums[i] += (uint32_t)ones;
        if (above <= chunks)
            r->sums[above] += r->sums[i];
    }
}

static inline void reuse_block_signals(sigset_t *kept)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, kept);
}

static inline bool reuse_in_recent(const struct reuse *r, uint64_t line)
{
    bool found = false;
    for (unsigned i = 0; i < REUSE_RECENT; i++)
        found |= r->recent[i] == line + 1;
    return found;
}

/* Renumbers the stamps in use from 0, in a new bitmap with space for four times their number.
 * Returns false if memory is exhausted. */
static inline bool reuse_renumber(struct reuse *r)
{
    size_t stamps = r->stamps ? r->stamps : REUSE_STAMPS_LEAST;
    while (stamps < 4 * (r->marked + 1))
        stamps *= 2;
    for (size_t i = 0; i < r->table_size; i++)
        if (r->table[i].stamp)
            r->table[i].stamp = reuse_rank(r, r->table[i].stamp - 1);
    if (stamps != r->stamps) {
        reuse_unmap(r->bits, r->stamps / 8);
        reuse_unmap(r->sums, reuse_sums_bytes(r->stamps));
        r->bits = reuse_map(stamps / 8);
        r->sums = reuse_map(reuse_sums_bytes(stamps));
        r->stamps = stamps;
        if (!r->bits || !r->sums)
            return false;
    } else {
        memset(r->bits, 0, stamps / 8);
    }
    for (size_t i = 0; i < r->marked; i++)
        r->bits[i / 64] |= (uint64_t)1 << i % 64;
    reuse_sum_up(r);
    r->next_stamp = r->marked;
    return true;
}

static inline bool reuse_grow(struct reuse *r)
{
    size_t size = r->table_size ? 2 * r->table_size : REUSE_TABLE_LEAST;
    struct reuse_line *table = reuse_map(size * sizeof *table);

    if (!table)
        return false;
    for (size_t i = 0; i < r->table_size; i++)
        if (r->table[i].line)
            *reuse_slot(table, size, r->table[i].line - 1) = r->table[i];
    reuse_unmap(r->table, r->table_size * sizeof *table);
    r->table = table;
    r->table_size = size;
    return true;
}

/* Makes space for another stamp and line. Returns false if memory is exhausted. Blocks signals, so
 * no handler can leave the function by a longjmp. */
static inline bool reuse_room(struct reuse *r)
{
    bool renumber = r->next_stamp == r->stamps, grow = 3 * r->table_used >= 2 * r->table_size;
    sigset_t kept;

    if (!renumber && !grow)
        return true;
    reuse_block_signals(&kept);
    r->exhausted = (renumber && !reuse_renumber(r)) || (grow && !reuse_grow(r));
    sigprocmask(SIG_SETMASK, &kept, NULL);
    return !r->exhausted;
}

static inline void reuse_set_torn(struct reuse *r, bool torn)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    r->torn = torn;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Restores consistency after a longjmp out of reuse_touch. The short list and the stamps of the
 * other lines are valid. The bitmap and the sums are computed from them. Blocks signals, so no
 * handler can leave the function by a longjmp. */
static inline void reuse_mend(struct reuse *r)
{
    sigset_t kept;

    reuse_block_signals(&kept);
    for (unsigned i = 1; i < REUSE_RECENT; i++)
        for (unsigned k = 0; k < i; k++)
            if (r->recent[k] == r->recent[i])
                r->recent[i] = 0;
    r->table_used = r->next_stamp = 0;
    if (r->stamps)
        memset(r->bits, 0, r->stamps / 8);
    for (size_t i = 0; i < r->table_size; i++) {
        struct reuse_line *slot = &r->table[i];
        r->table_used += slot->line != 0;
        if (!slot->line || reuse_in_recent(r, slot->line - 1))
            slot->stamp = 0;
        if (!slot->stamp)
            continue;
        r->bits[(slot->stamp - 1) / 64] |= (uint64_t)1 << (slot->stamp - 1) % 64;
        r->next_stamp = slot->stamp > r->next_stamp ? slot->stamp : r->next_stamp;
    }
    if (r->stamps)
        reuse_sum_up(r);
    reuse_set_torn(r, false);
    sigprocmask(SIG_SETMASK, &kept, NULL);
}

/* Gives the newest stamp to @line, which leaves the short list. */
static inline void reuse_retire(struct reuse *r, uint64_t line)
{
    if (!reuse_room(r))
        return;
    struct reuse_line *slot = reuse_slot(r->table, r->table_size, line);
    r->table_used += !slot->line;
    const size_t stamp = r->next_stamp++;
    slot->line = line + 1;
    slot->stamp = stamp + 1;
    r->bits[stamp / 64] |= (uint64_t)1 << stamp % 64;
    reuse_add_sum(r, stamp, 1);
    r->marked++;
}

/* Returns the distance of a line that is not in the short list. Removes its stamp. */
static inline uint64_t reuse_recall(struct reuse *r, uint64_t line)
{
    struct reuse_line *slot = r->table_size ? reuse_slot(r->table, r->table_size, line) : NULL;

    if (!slot || !slot->stamp)
        return REUSE_COLD;
    const size_t stamp = slot->stamp - 1;
    uint64_t distance = REUSE_RECENT + r->marked - reuse_rank(r, stamp);
    slot->stamp = 0;
    r->bits[stamp / 64] &= ~((uint64_t)1 << stamp % 64);
    reuse_add_sum(r, stamp, (uint32_t)-1);
    r->marked--;
    return distance;
}

/* Returns whether @line is in the short list, or one of the latest @within lines that left it.
 * Changes nothing. */
static inline bool reuse_lately(const struct reuse *r, uint64_t line, size_t within)
{
    if (reuse_in_recent(r, line))
        return true;
    const struct reuse_line *slot =
        r->table_size ? reuse_slot(r->table, r->table_size, line) : NULL;
    return slot && slot->stamp && r->next_stamp - slot->stamp < within;
}

/* Returns whether @line at @distance continues a stream of any instruction: the previous line was
 * used lately. The stream may be that of a loop before its remainder loop. Returns false for small
 * distances, because every line of a small area has such a neighbour. Also returns false if lines
 * are sampled. */
static inline bool reuse_continues(const struct reuse *r, uint64_t line, uint64_t distance)
{
    return distance >= REUSE_APART && !r->sample_mask && line &&
           reuse_lately(r, line - 1, REUSE_STREAM);
}

/* Records a use of @line (address divided by line size). Returns its reuse distance, REUSE_COLD for
 * a first use, or REUSE_UNSAMPLED if sampling omits the line. If one line in 2^k is sampled, the
 * caller must multiply distances by 2^k. If @r->exhausted is true, the result is wrong. */
static inline uint64_t reuse_touch(struct reuse *r, uint64_t line)
{
    uint64_t before = line + 1, next;

    if (r->sample_mask && (reuse_hash(line) >> 40 & r->sample_mask))
        return REUSE_UNSAMPLED;
    if (r->recent[0] == before || r->exhausted)
        return 0;
    if (r->torn)
        reuse_mend(r);
    reuse_set_torn(r, true);
    /* Moves each line before the old position of @line one position toward the end. */
    next = r->recent[0];
    r->recent[0] = before;
    for (unsigned i = 1; i < REUSE_RECENT; i++) {
        uint64_t here = r->recent[i];
        r->recent[i] = next;
        if (here == before) {
            reuse_set_torn(r, false);
            return i;
        }
        next = here;
    }
    uint64_t distance = reuse_recall(r, line);
    if (next)
        reuse_retire(r, next - 1);
    reuse_set_torn(r, false);
    return distance;
}

#endif
