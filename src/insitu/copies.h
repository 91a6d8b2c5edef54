/* Copies of a region's code that count, time or record. They are placed in the program, and
 * patches of the original jump to the copy for the current mode. Every thread has a slot of memory
 * at segment gs. The copies write only there. Registers, flags and stack are as with the original
 * code. */
#ifndef PORTOLAN_INSITU_COPIES_H
#define PORTOLAN_INSITU_COPIES_H

#include "insitu/code.h"
#include "insitu/events.h"
#include "insitu/induction.h"
#include "insitu/region.h"
#include "insitu/slots.h"

/* If each iteration executes code of the original, COPY_COUNT and COPY_TIME contain only the
 * instructions that the patches overwrite. In a loop of computed gotos, the copies of all modes
 * contain only these instructions. COPY_RECORD then records the parts, COPY_FOLLOW counts passes in
 * copies of the process, and COPY_VISIT, COPY_NEST and COPY_REPLAY are equal to COPY_COUNT. */
enum copy_mode {
    COPY_COUNT,
    COPY_TIME,                 /* stamps the time every few iterations */
    /* Also stamps exits from the loop and returns to it, which takes longer. With an induction
     * register, the copy of the loop counts nothing, and stamps are at entries. This copy begins at
     * the same place of a line as the original, and keeps the distances between instructions.
     * Places may differ after a return, loop or jrcxz, and after a branch with prefixes. They may
     * also differ after a branch of two bytes whose target is too far in the copy. Gaps between
     * instructions are omitted beyond the first 4096 bytes. */
    COPY_VISIT,
    /* COPY_TIME with stamps at exits from the code around the loop and at returns to the loop, but
     * not at calls in the loop */
    COPY_NEST,
    COPY_RECORD,
    /* Stamps like COPY_TIME, and loads lines into the cache at each stamp. Runs in copies of the
     * process. Ends with int3 where control would continue in the original, like COPY_FOLLOW. */
    COPY_REPLAY,
    /* records like COPY_RECORD, but includes the code around the loop; runs in copies of the
     * process */
    COPY_FOLLOW,
    COPY_MODES
};

/* A position in the copies. All registers are as in the original before instruction @at. */
struct copy_point {
    uint32_t place;            /* offset in the code of the copies */
    uint32_t at;               /* index in the region's list */
    /* value to add to SLOT_UNFINISHED when a thread moves from here to the original */
    int32_t unfinished;
    /* whether the change of the induction register since the entry is not yet in SLOT_STEPS */
    bool steps;
};

/* Code for a patched place in a copy of the process, where the rest of the loop runs in the
 * original. It stamps every few passes. A stamp has the number of iterations instead of
 * SLOT_LEAVES. The code ends with int3 after the last stamp. */
struct copy_anchor {
    uint32_t at; /* index in the region's list */
    uint32_t label;
};

struct copies {
    struct code code;
    VEC(struct copy_point) points;   /* points, sorted by offset */
    unsigned times[COPY_MODES];      /* per mode: number of consecutive copies of the loop */
    /* Labels to which the patches jump. @entry: from the pivot. @resumes: from the places in
     * region.resumed. */
    uint32_t entry[COPY_MODES];
    VEC(uint32_t) resumes[COPY_MODES];
    struct induction induction;
    uint32_t clock;                  /* label of stamps_clock */
    /* Labels of an anchor at the pivot, and of an anchor that counts and jumps twice. They exist if
     * each iteration executes code of the original, but not with computed gotos. The difference of
     * their times is the cost of a patch. */
    VEC(struct copy_anchor) anchors;
    /* Labels of an anchor at the pivot, and of one with another count and jump. They exist if each
     * iteration executes code of the original, but not with computed gotos. The difference of their
     * times is the cost of a patch. */
    uint32_t once, twice;
    uint32_t visits;                 /* label of stamps_visits */
    uint32_t call;                   /* label of a system call instruction */
    /* labels of the code that starts a repeat, and of the int3 after the last one */
    uint32_t replay, replayed;
};

/* Makes the copies of @r for code whose load address is @bias bytes above its addresses in the
 * file. The caller frees @out with copies_done. */
void copies_make(const struct region *r, uint64_t bias, struct copies *out);
void copies_done(struct copies *c);
/* Returns the point at offset @place; NULL: none. */
const struct copy_point *copies_point(const struct copies *c, uint32_t place);

#endif
