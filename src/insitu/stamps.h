/* Code that reads the time: every few passes, when control leaves a loop, and when it returns. Also
 * the code that measures the cost of reading, and the code that starts a replay. One thread. */
#ifndef PORTOLAN_INSITU_STAMPS_H
#define PORTOLAN_INSITU_STAMPS_H

#include "insitu/code.h"

/* cycles of stamps_clock: 16,000 multiplications of 3 cycles, and about 60 cycles for its stamps
 * and end */
#define CLOCK_CYCLES 48060.0
#define VISITS 32u

/* Appends code that records the time of an exit and counts the exit (SLOT_LEAVES). Preserves all
 * registers and flags. */
void stamps_leave(struct code *c);
/* Appends code that records the time of a return, and adds the ticks since the exit to SLOT_AWAY.
 * Preserves all registers and flags. */
void stamps_enter(struct code *c);
/* Appends dependent multiplications between two stamps. They leave their ticks in rax, overwrite
 * rax, rcx, rdx, r8 and r9, and end with int3. Returns the label. */
uint32_t stamps_clock(struct code *c);
/* Appends VISITS visits of an empty loop between two stamps. They leave their ticks in r8, increase
 * SLOT_AWAY, and end with int3. Returns the label. */
uint32_t stamps_visits(struct code *c);

/* STAMP_REPLAYED: loads lines into the cache at each stamp; after the last stamp jumps to the
 * address in SLOT_AT_END. STAMP_ANCHORED: int3 after the last stamp; stamps contain SLOT_PASSES
 * instead of SLOT_LEAVES. */
enum stamp_kind { STAMP_PLAIN, STAMP_REPLAYED, STAMP_ANCHORED };

/* A place where the time is recorded every few passes. */
struct stamp {
    enum stamp_kind kind;
    uint32_t here, go;         /* labels: of the stamp, and of the code after it */
    bool flags_free;           /* no flag is live at the place */
};

/* Appends a countdown at gs:@slot that does not change flags. Saves rcx in SLOT_FREE2 and restores
 * it if the count is not 0 yet. At 0 jumps to @zero with rcx overwritten. @before: jumps if the
 * count was 0 before. */
void stamps_count_down(struct code *c, uint32_t slot, uint32_t zero, bool before);
/* Appends the countdown to the next stamp. Places label s->go. */
void stamps_step_down(struct code *c, const struct stamp *s);
/* Appends the code at the end of a countdown: a stamp, if there is space for one, and the next
 * countdown. Places label s->here. */
void stamps_make(struct code *c, const struct stamp *s);
/* Appends code at label @begin that starts a repeat: restores memory, vector registers, flags and
 * general registers, and jumps to label @entry. After the last repeat it executes int3 at label
 * @end. */
void stamps_repeat(struct code *c, uint32_t begin, uint32_t end, uint32_t entry);

#endif
