/* Code that reads the time every few passes, at exits from a loop, and at returns to it; code that
 * measures the cost of reading the time; and code that starts a repeat. One thread. */
#ifndef PORTOLAN_INSITU_STAMPS_H
#define PORTOLAN_INSITU_STAMPS_H

#include "insitu/code.h"

/* Cycles between the stamps of stamps_clock: 48,000 for 16,000 multiplications of 3 cycles, and
 * about 60 for reading the time and for the end of the loop */
#define CLOCK_CYCLES 48060.0
#define VISITS 32u

/* Appends code that stores the time of an exit and counts it (SLOT_LEAVES). Preserves all registers
 * and flags. */
void stamps_leave(struct code *c);
/* Appends code that stores the time of a return, and adds the ticks since the exit to SLOT_AWAY.
 * Preserves all registers and flags. */
void stamps_enter(struct code *c);
/* stamps_begin_steps appends code that stores induction register @reg at an entry. stamps_end_steps
 * appends code that adds the change of @reg since the entry to SLOT_STEPS. Both preserve all
 * registers and flags. */
void stamps_begin_steps(struct code *c, unsigned reg);
void stamps_end_steps(struct code *c, unsigned reg);
/* Appends code that measures dependent multiplications. Stores their ticks in r8, and those of
 * CLOCK_CHAINS clock measurements of stamps in r9. Overwrites the stamp at SLOT_STAMP_AT, rax, rbx,
 * rcx and rdx. Ends with int3. Returns the label of the code. */
uint32_t stamps_clock(struct code *c);
/* Appends code that measures VISITS visits of an empty loop. Stores the ticks of all visits in r8,
 * increases SLOT_AWAY, and ends with int3. @counted: whether an induction register counts the
 * iterations. Returns the label of the code. */
uint32_t stamps_visits(struct code *c, bool counted);

/* STAMP_REPLAYED loads lines into the cache at each stamp, and jumps to the address in SLOT_AT_END
 * after the last one. STAMP_ANCHORED ends with int3 after the last stamp; its stamps have
 * SLOT_PASSES instead of SLOT_LEAVES. Stamps of STAMP_VISITS have SLOT_STEPS instead of
 * SLOT_UNFINISHED. */
enum stamp_kind { STAMP_PLAIN, STAMP_REPLAYED, STAMP_ANCHORED, STAMP_VISITS };

/* Code that stores the time every few passes */
struct stamp {
    enum stamp_kind kind;
    uint32_t here, go;         /* labels of the stamp, and of the code after it */
    bool flags_free;           /* whether no flag is live at the place */
};

/* Appends a countdown at gs:@slot, which preserves the flags. Saves rcx in SLOT_FREE2, and
 * restores it unless the count is 0. At count 0 jumps to @zero, with rcx overwritten. @before:
 * whether the code tests the count before decrementing it. */
void stamps_count_down(struct code *c, uint32_t slot, uint32_t zero, bool before);
/* Appends the countdown to the next stamp. Sets label s->go. */
void stamps_step_down(struct code *c, const struct stamp *s);
/* Appends the code that runs when a countdown ends: it records a stamp if there is space, and
 * starts the next countdown. Sets label s->here. */
void stamps_make(struct code *c, const struct stamp *s);
/* Appends code at label @begin that starts a repeat: it restores memory, vector registers, flags
 * and general registers, and jumps to @entry. After the last repeat it executes int3 at label
 * @end. */
void stamps_repeat(struct code *c, uint32_t begin, uint32_t end, uint32_t entry);

#endif
