/* Copies of a region's code that count, time or record, for placement in the program. The targets
 * of the patches select the copy that runs. Every thread has its own slot of memory at segment gs.
 * The copies write only to the slot. They leave registers, flags and stack like the original. */
#ifndef PORTOLAN_INSITU_COPIES_H
#define PORTOLAN_INSITU_COPIES_H

#include "insitu/code.h"
#include "insitu/region.h"
#include "insitu/slots.h"

/* COPY_TIME stamps the time every few iterations. COPY_VISIT also stamps it when control leaves the
 * loop and returns, which takes longer. In a copy of the process, COPY_FOLLOW records like
 * COPY_RECORD, but also the code around the loop. COPY_REPLAY stamps like COPY_TIME and loads lines
 * into the cache at each stamp. COPY_FOLLOW and COPY_REPLAY end with int3 where control continues
 * in the original. If each iteration executes code of the original, COPY_COUNT and COPY_TIME
 * contain only the instructions that the patches overwrite. */
enum copy_mode {
    COPY_COUNT, COPY_TIME, COPY_VISIT, COPY_RECORD, COPY_REPLAY, COPY_FOLLOW, COPY_MODES
};

/* An event has a value in the low 48 bits. The upper bits are the instruction's index in the
 * region, or one of these constants. */
#define EVENT_PASS 0xffffu     /* execution of the pivot */
#define EVENT_LEAVE 0xfffeu    /* exit from the loop */
#define EVENT_AWAY 0xfffdu     /* an instruction executed in the original, usually a call */

/* A position in the copies at which all registers are as in the original before instruction @at. */
struct copy_point {
    uint32_t place;            /* offset in the code */
    uint32_t at;               /* index in the region's list */
    /* value to add to SLOT_UNFINISHED if a thread moves from here to the original */
    int32_t unfinished;
};

/* Code for a patched place of the original in a copy of the process, where the rest of the loop
 * runs in the original. It stamps every few passes, with the number of iterations in place of
 * SLOT_LEAVES. It ends with int3 after the last stamp. */
struct copy_anchor {
    uint32_t at; /* index in the region's list */
    uint32_t label;
};

struct copies {
    struct code code;
    VEC(struct copy_point) points;   /* sorted by offset */
    unsigned times[COPY_MODES];      /* consecutive copies of the loop */
    /* labels to which the patches jump: at the pivot, and at the places of region.resumed */
    uint32_t entry[COPY_MODES];
    VEC(uint32_t) resumes[COPY_MODES];
    uint32_t clock;                  /* label of stamps_clock */
    VEC(struct copy_anchor) anchors; /* one per anchor of the region */
    /* For a loop each of whose iterations executes code of the original: labels of an anchor at the
     * pivot, and of one with a second jump and count, to measure their cost. */
    uint32_t once, twice;
    uint32_t visits;                 /* label of stamps_visits */
    uint32_t call;                   /* label of a system call instruction */
    /* labels of the code that starts a repeat, and of the int3 after the last repeat */
    uint32_t replay, replayed;
};

/* Makes the copies of @r for code loaded @bias bytes above its file addresses. copies_done frees
 * @out. */
void copies_make(const struct region *r, uint64_t bias, struct copies *out);
void copies_done(struct copies *c);
/* Returns the point at offset @place, or NULL. */
const struct copy_point *copies_point(const struct copies *c, uint32_t place);
/* Return whether the address or direction of instruction @i is recorded; and whether COPY_FOLLOW
 * records its address. */
bool copies_records(const struct region_insn *i);
bool copies_follows(const struct region_insn *i);

#endif
