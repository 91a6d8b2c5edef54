/* Copies of a region's code that count, time or record, to be placed in the program. Which one runs
 * is chosen by what the patched places jump to. Every thread has a slot of memory of its own, which
 * segment gs leads to; the copies keep all that they write there, and leave registers, flags and
 * stack as the original does. */
#ifndef PORTOLAN_INSITU_COPIES_H
#define PORTOLAN_INSITU_COPIES_H

#include "insitu/code.h"
#include "insitu/region.h"

/* COPY_TIME stamps the time every few iterations; COPY_VISIT also when control leaves the loop and
 * returns, which takes longer. In a copy of the process: COPY_FOLLOW records as COPY_RECORD does,
 * also the code around the loop, and COPY_REPLAY stamps as COPY_TIME does, with lines brought to
 * the cache at each stamp. These two end with int3 where control continues in the original. An
 * indirect jump goes to the original target when counting and timing, until the pivot leads back,
 * and to the copies when recording. */
enum copy_mode {
    COPY_COUNT, COPY_TIME, COPY_VISIT, COPY_RECORD, COPY_REPLAY, COPY_FOLLOW, COPY_MODES
};

/* Offsets in a thread's slot. Words of 8 bytes, except where noted. */
enum copy_slot {
    SLOT_FREE = 0x00,         /* four words: registers while a copy uses them */
    SLOT_JUMP = 0x20,          /* target of an indirect jump in the copy, then in the original */
    SLOT_COUNTDOWN = 0x40,     /* timed: passes of the first copy until the next stamp */
    SLOT_PERIOD = 0x48,        /* what it begins with */
    SLOT_BLOCKS = 0x50,        /* timed: countdowns that ended */
    /* passes that were counted ahead, as one for all copies of the loop, and then not made */
    SLOT_UNFINISHED = 0x58,
    SLOT_STAMPS_LEFT = 0x60,
    SLOT_STAMP_AT = 0x68,      /* address of the next stamp */
    SLOT_PASSES = 0x70,        /* counted: passes of the first copy */
    SLOT_LEAVES = 0x78,        /* timed: times that control left the loop */
    SLOT_EVENTS = 0x80,        /* recorded: events, 32 bits */
    SLOT_RECORDS_LEFT = 0x88,  /* iterations to record */
    SLOT_LEFT_AT = 0x90,       /* timed visits: when control left the loop, and when it came back */
    SLOT_CAME_AT = 0x98,
    SLOT_AWAY = 0xa0,          /* ticks that it was away */
    SLOT_AT_END = 0xa8,        /* replayed: address that is jumped to after the last stamp */
    /* address of the next: passes until the next stamp; addresses to load from, 0; addresses to
     * store to, 0 */
    SLOT_TOUCH = 0xb0,
    SLOT_TOUCH_BEGIN = 0xb8,   /* what each repeat begins with, as the next ones */
    SLOT_STAMPS_EACH = 0xc0,
    /* address of pairs of an address and the word that is stored there, 0 */
    SLOT_RESTORE = 0xc8,
    SLOT_STATE_AT = 0xd0,      /* address of what xrstor restores */
    SLOT_FLAGS_AT = 0xd8,      /* address of a word of flags */
    SLOT_REPEATS = 0xe0,       /* left */
    /* addresses that the patched places lead to: the pivot's, then those of resumed places */
    SLOT_ENTRIES = 0x100,
    SLOT_REGISTERS = 0x3400,   /* replayed: sixteen words, by number in encodings */
    SLOT_FLAGS = 0x3480,
    /* six words each: time; 32 bits of it again, before the clock; time after that; leaves; ticks
     * away; passes not made */
    SLOT_STAMPS = 0x4000,
    SLOT_RING = 0x10000,       /* events */
    SLOT_STATE = 0x90000,      /* replayed: for xrstor */
    SLOT_TOUCHES = 0xa0000,
    SLOT_RESTORES = 0xc8000,
    SLOT_BYTES = 0x100000,
};
/* of the code at copies.clock: 16,000 multiplications of 3 cycles, to which its two stamps and its
 * end add about 60 */
#define CLOCK_CYCLES 48060.0
#define VISITS 32u
#define STAMP_BYTES 48u
#define STAMPS_MOST 680u
/* of instructions that wait for one another, between the last two times of a stamp */
#define STAMP_CYCLES 600u
#define RING_EVENTS 65536u

/* An event: the value in the low 48 bits, above it the number of the instruction in the region, or
 * one of these. */
#define EVENT_PASS 0xffffu     /* the pivot */
#define EVENT_LEAVE 0xfffeu    /* control leaves the loop */
#define EVENT_AWAY 0xfffdu     /* it continues in the original code: a call */

/* A place in the copies where all registers are as in the original code before instruction @at. */
struct copy_point {
    uint32_t place;            /* in the code */
    uint32_t at;               /* in the region's list */
    /* to add to SLOT_UNFINISHED when a thread is moved from here to the original */
    int32_t unfinished;
};

/* Code that one place of the original may be patched to jump to in a copy of the process, where all
 * else of the loop is executed in the original: it stamps the time each some passes, with the
 * iterations counted so far in place of SLOT_LEAVES, and ends with int3 when no stamp is left. */
struct copy_anchor {
    uint32_t at; /* in the region's list */
    uint32_t label;
};

struct copies {
    struct code code;
    VEC(struct copy_point) points;   /* by place */
    unsigned times[COPY_MODES];      /* copies of the loop, in sequence */
    uint32_t entry[COPY_MODES];      /* labels: of the pivot */
    VEC(uint32_t) resumes[COPY_MODES];   /* labels: of the region's resumed places */
    /* labels: jump targets for patching the pivot and the resumed places */
    VEC(uint32_t) gates;
    /* label: code that times itself; it uses rax, rcx, rdx, r8, r9 and ends with int3 */
    uint32_t clock;
    VEC(struct copy_anchor) anchors; /* of the region's */
    /* label: the same of VISITS visits of the loop in which nothing is done; r8 has the ticks,
     * besides what SLOT_AWAY grows by */
    uint32_t visits;
    uint32_t call;                   /* label: a system call instruction */
    /* labels: of the code that begins a repeat, or ends with int3 at the second when none is
     * left */
    uint32_t replay, replayed;
};

/* Makes the copies of @r for code that runs @bias bytes above the addresses of its file.
 * copies_done frees @out. */
void copies_make(const struct region *r, uint64_t bias, struct copies *out);
void copies_done(struct copies *c);
/* The point at @place; NULL: there is none. */
const struct copy_point *copies_point(const struct copies *c, uint32_t place);
/* Whether instruction @i of a region is one whose address or outcome is recorded; and whether
 * COPY_FOLLOW records the address. */
bool copies_records(const struct region_insn *i);
bool copies_follows(const struct region_insn *i);

#endif
