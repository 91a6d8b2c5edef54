/* Copies of a region's code that count, time or record, to be placed in the program. Which one runs
 * is chosen by where the patched places jump to. Every thread has a slot of memory of its own,
 * which segment gs leads to; the copies keep all that they write there, and leave registers, flags
 * and stack as the original does. */
#ifndef PORTOLAN_INSITU_COPIES_H
#define PORTOLAN_INSITU_COPIES_H

#include "insitu/code.h"
#include "insitu/region.h"
#include "insitu/slots.h"

/* COPY_TIME stamps the time every few iterations; COPY_VISIT also when control leaves the loop and
 * returns, which takes longer. In a copy of the process: COPY_FOLLOW records as COPY_RECORD does,
 * also the code around the loop, and COPY_REPLAY stamps as COPY_TIME does, with lines brought to
 * the cache at each stamp. These two end with int3 where control continues in the original. Where
 * each iteration executes code of the original, COPY_COUNT and COPY_TIME have no more than the
 * instructions that the patches cover. */
enum copy_mode {
    COPY_COUNT, COPY_TIME, COPY_VISIT, COPY_RECORD, COPY_REPLAY, COPY_FOLLOW, COPY_MODES
};

/* An event: a value in the low 48 bits, and above it the instruction's index in the region, or one
 * of these. */
#define EVENT_PASS 0xffffu     /* the pivot */
#define EVENT_LEAVE 0xfffeu    /* control leaves the loop */
#define EVENT_AWAY 0xfffdu     /* it continues in the original code, after a call */

/* A place in the copies where all registers are as in the original before instruction @at. */
struct copy_point {
    uint32_t place;            /* offset in the code */
    uint32_t at;               /* index in the region's list */
    /* to add to SLOT_UNFINISHED when a thread moves from here to the original */
    int32_t unfinished;
};

/* Code for a patched place of the original in a copy of the process, where the rest of the loop
 * runs in the original. It stamps every few passes, with the iterations so far in place of
 * SLOT_LEAVES, and ends with int3 after the last stamp. */
struct copy_anchor {
    uint32_t at; /* index in the region's list */
    uint32_t label;
};

struct copies {
    struct code code;
    VEC(struct copy_point) points;   /* sorted by offset */
    unsigned times[COPY_MODES];      /* number of consecutive copies of the loop */
    /* labels that the patched places lead to: the pivot, and the region's resumed places */
    uint32_t entry[COPY_MODES];
    VEC(uint32_t) resumes[COPY_MODES];
    uint32_t clock;                  /* label: of stamps_clock */
    VEC(struct copy_anchor) anchors; /* of the region's */
    /* labels, of a loop whose iterations all execute code of the original: as an anchor at the
     * pivot, and the same with a second jump and count, to measure what those take */
    uint32_t once, twice;
    uint32_t visits;                 /* label: of stamps_visits */
    uint32_t call;                   /* label of a system call instruction */
    /* labels of the code that begins a repeat, and of int3 after the last one */
    uint32_t replay, replayed;
};

/* Makes the copies of @r for code loaded @bias bytes above its file addresses. copies_done frees
 * @out. */
void copies_make(const struct region *r, uint64_t bias, struct copies *out);
void copies_done(struct copies *c);
/* Returns the point at offset @place, or NULL. */
const struct copy_point *copies_point(const struct copies *c, uint32_t place);
/* Returns whether the address or direction of instruction @i of a region is recorded; and whether
 * COPY_FOLLOW records the address. */
bool copies_records(const struct region_insn *i);
bool copies_follows(const struct region_insn *i);

#endif
