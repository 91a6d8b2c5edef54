/* Shared state of the code that makes the copies of a loop (copies.c, detours.c) */
#ifndef PORTOLAN_INSITU_COPIES_STATE_H
#define PORTOLAN_INSITU_COPIES_STATE_H

#include "insitu/copies.h"
#include "insitu/stamps.h"

#define CODE_LINE 64u          /* number of bytes of code per fetch */

/* Code that records the time at which control enters the loop at instruction @at, and then jumps to
 * @target */
struct copy_entrance {
    uint32_t label, target, at;
};

/* Code of a branch, after the copies */
struct copy_stub {
    uint32_t label;
    uint32_t source;           /* index of the branch in the list, and index of the copy */
    unsigned copy;
    bool taken;                /* whether the event records that the branch was taken */
    /* whether the event is on the path of the branch that is not taken */
    bool falls;
};

/* For each branch with an 8-bit distance in the original: whether its copy needs 32 bits */
struct far_branches { VEC(bool) list; };

/* State of the code that makes the copies of one region */
struct copy_maker {
    const struct region *r;
    struct copies *out;
    struct code *c;
    uint64_t bias;
    enum copy_mode mode;
    unsigned times;
    uint32_t *at;           /* labels of instructions, by copy * list count + index */
    uint32_t *heads;        /* per copy: label of the pivot */
    struct stamp stamp;     /* stamp at the pivot of a timed copy, or at an anchor */
    /* whether the copies contain only the instructions that patches overwrite */
    bool displaced;
    uint32_t shared;        /* label of a shared stamp; CODE_UNPLACED: none */
    /* register for counting, unused by the loop if possible */
    enum code_register free_register;
    /* labels of the table for indirect jumps and of its default target; CODE_UNPLACED before their
     * first use */
    uint32_t table, missed;
    VEC(struct copy_stub) stubs;
    VEC(struct copy_entrance) entrances;   /* entrances, if visits are timed */
    /* number of copied branches with an 8-bit distance in the original, and their sizes */
    uint32_t near_count;
    const struct far_branches *far;   /* borrowed */
    /* whether the copies have no counting code, because of an induction register */
    bool steps;
};

/* Appends an exit to @address in the original, or int3 if the copy ends there. */
void maker_outside(struct copy_maker *m, uint64_t address);
/* Adds the current place as a position at which all registers are as in the original before
 * instruction @at. @unfinished: number of passes that are counted but not executed there. */
void maker_point(struct copy_maker *m, uint32_t at, int32_t unfinished);
/* Copies instruction @at to copy @copy. @unfinished: number of passes that are counted but not
 * executed if the instruction faults. */
void maker_instruction(struct copy_maker *m, uint32_t at, unsigned copy, int32_t unfinished);
/* Appends code that adds 1 to the word at gs:@slot. */
void maker_count_up(struct copy_maker *m, uint32_t slot);
/* Appends code that counts an execution of the pivot in the first copy. In timed copies and
 * recordings, the code counts down to a stamp or to the end of the recording. A timed copy with an
 * induction register needs no such code. */
void maker_arrive(struct copy_maker *m);
/* Returns whether the list has the instruction directly after instruction @at. */
bool maker_next_follows(const struct region *r, uint32_t at);
/* Appends the stamp of a place, or code that jumps to the shared stamp and returns from it. */
void maker_end_stamp(struct copy_maker *m);
/* Appends a stamp that returns to the address at SLOT_JUMP_COPY, and makes it the shared one. */
void maker_share_stamp(struct copy_maker *m);

#endif
