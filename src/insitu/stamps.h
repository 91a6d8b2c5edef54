/* Code that takes the time: each some passes, when control leaves a loop and when it returns; code
 * to calibrate that, and to begin a replay. One thread. */
#ifndef PORTOLAN_INSITU_STAMPS_H
#define PORTOLAN_INSITU_STAMPS_H

#include "insitu/code.h"

/* cycles of stamps_clock: 16,000 multiplications of 3 cycles; its stamps and end add about 60 */
#define CLOCK_CYCLES 48060.0
#define VISITS 32u

/* Adds code that records the time of an exit and counts it (SLOT_LEAVES). Preserves all registers
 * and flags. */
void stamps_leave(struct code *c);
/* Adds code that records the time of the return, and adds the ticks since the exit to SLOT_AWAY.
 * Preserves all registers and flags. */
void stamps_enter(struct code *c);
/* Adds dependent multiplications between two stamps: leaves their ticks in rax, clobbers rax, rcx,
 * rdx, r8 and r9 and ends with int3. Returns its label. */
uint32_t stamps_clock(struct code *c);
/* Adds VISITS visits of an empty loop between two stamps: leaves their ticks in r8, besides the
 * increase of SLOT_AWAY, and ends with int3. Returns its label. */
uint32_t stamps_visits(struct code *c);

/* STAMP_REPLAYED: lines are brought to the cache at each stamp, and SLOT_AT_END has what comes
 * after the last. STAMP_ANCHORED: int3 does, and stamps have SLOT_PASSES, not SLOT_LEAVES. */
enum stamp_kind { STAMP_PLAIN, STAMP_REPLAYED, STAMP_ANCHORED };

/* A place where time is stamped each some passes. */
struct stamp {
    enum stamp_kind kind;
    uint32_t here, go;         /* labels: of the stamp, and where control continues after it */
    bool flags_free;           /* no flag is needed at the place */
};

/* Counts down at gs:@slot without flags: rcx is kept in SLOT_FREE2, and restored where the count
 * goes on; @zero is jumped to with rcx lost. @before: when it was 0 already. */
void stamps_count_down(struct code *c, uint32_t slot, uint32_t zero, bool before);
/* The countdown to the next stamp; gives s->go its place. */
void stamps_step_down(struct code *c, const struct stamp *s);
/* End of a countdown: a stamp, while there is room for one, and the next countdown. Stores its
 * place in s->here. */
void stamps_make(struct code *c, const struct stamp *s);
/* Begins a repeat at label @begin: memory, vector registers, flags and general registers as they
 * were, then label @entry. Ends at label @end with int3 when none is left. */
void stamps_repeat(struct code *c, uint32_t begin, uint32_t end, uint32_t entry);

#endif
