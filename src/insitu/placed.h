/* Copies placed in a process, the patches that lead to them, and a slot of memory per thread. All
 * calls on the tracer's thread; threads that are handed in are stopped. */
#ifndef PORTOLAN_INSITU_PLACED_H
#define PORTOLAN_INSITU_PLACED_H

#include "insitu/copies.h"
#include "insitu/maps.h"
#include "insitu/process.h"

/* BLOCK_VISITS: visits were timed. BLOCK_ORIGINAL: the original code was, in a copy of the
 * process. */
enum block_kind { BLOCK_COPY, BLOCK_VISITS, BLOCK_ORIGINAL };

struct timed_block { /* between two stamps */
    /* of the time stamp counter; times that control left the loop meanwhile */
    uint64_t ticks, leaves;
    enum block_kind kind;
    uint64_t away;     /* ticks of the time between these */
    uint32_t clock[2]; /* ticks of the clock's instructions before and after it */
    uint64_t iterations;
};

/* Iterations of one thread in sequence, recorded. */
struct recorded_stretch {
    uint64_t iterations;
    size_t first, count;       /* of the events */
};

struct placed {
    struct process *process;
    const struct region *region;
    const struct copies *copies;
    uint64_t bias, code, slots;          /* addresses in the process; 0: not mapped */
    uint32_t slot_count;                 /* given out so far */
    VEC(uint32_t) free;                  /* of these, those whose threads have ended */
    /* something that is not stopped may execute the copies: they stay mapped */
    bool kept;
    enum copy_mode *chosen;              /* by slot */
    /* by slot: what SLOT_PERIOD and SLOT_RECORDS_LEFT began with */
    uint64_t *period, *given;
    /* by slot: iterations since the last harvest when last looked at */
    uint64_t *peeked;
    bool patched;                        /* the original leads to the copies of @mode */
    enum copy_mode mode;
    uint64_t iterations;                 /* harvested */
    VEC(struct timed_block) timed;
    VEC(uint64_t) events;
    VEC(struct recorded_stretch) stretches;
    VEC(double) patches;                 /* cycles that a patch takes, by block */
};

#define SLOTS_MOST 256u

/* Maps memory in @p through stopped thread @t and writes the copies there. False with err;
 * placed_done frees @out in both cases. */
bool placed_new(struct process *p, const struct region *r, struct copies *c, uint64_t bias,
                const struct maps *maps, struct placed *out, struct err *err);
void placed_done(struct placed *x);
/* Gives stopped thread @t a slot. False: all are taken, or it uses segment gs itself. */
bool placed_take(struct placed *x, struct traced *t);
/* Has the original lead to the copies of @mode. All threads that are not within a system call are
 * stopped, and when it is patched for the first time all, and settled. */
bool placed_patch(struct placed *x, enum copy_mode mode, struct err *err);
/* Restores the original. All threads are stopped. */
bool placed_restore(struct placed *x, struct err *err);
/* Has the original lead to the copies of @mode in @copy, a copy of the process; with @restore
 * nowhere. */
bool placed_patch_copy(const struct placed *x, const struct process *copy, enum copy_mode mode,
                       bool restore);
/* Moves @t from the copies to the same place in the original, by single steps if necessary. False:
 * the original is patched there. When it has ended, @t is another or none. */
bool placed_settle(struct placed *x, struct traced *t);
/* Sums of the thread's counters and buffers, which are reset. */
void placed_harvest(struct placed *x, struct traced *t);
/* The five original bytes, and the jump, of a patch at instruction @at of the region that leads to
 * @label. */
void placed_bytes(const struct placed *x, uint32_t at, uint32_t label,
                  uint8_t original[PATCH_BYTES], uint8_t jump[PATCH_BYTES]);
/* Reads the contents of all slots without changing them. */
void placed_peek(struct placed *x);
/* What @t, settled and harvested, does in the copies that it comes to next: with COPY_TIME and
 * COPY_VISIT, stamps each @period passes of the first copy; with COPY_RECORD, @records
 * iterations. */
void placed_choose(struct placed *x, struct traced *t, uint64_t period, uint64_t records);
/* The same for a thread that is not stopped, and waits in the system: it continues as it was. */
void placed_choose_waiting(struct placed *x, const struct traced *t);
/* Whether some thread has recorded all that it was to record. */
bool placed_recorded(const struct placed *x);
/* Iterations that have been counted, at the last harvest or peek. */
uint64_t placed_iterations(const struct placed *x);
/* Takes the slot from @t: from one that is settled, or is ending. */
void placed_release(struct placed *x, struct traced *t);
/* Takes all from the process's memory, through stopped thread @t; unless it is to be kept. */
void placed_unmap(struct placed *x, struct traced *t);
/* Puts the original code back in the memory of process @child, a copy of ours, whose first thread
 * is stopped; also after the copies were removed from ours. */
void placed_clean_child(const struct placed *x, pid_t child);
/* A slot for a process that shares our memory. */
void placed_take_stranger(struct placed *x, pid_t tid);
/* Ticks of the time stamp counter per core cycle, measured in @copy, a copy of the process; NaN:
 * not measured. */
double placed_clock(const struct placed *x, struct process *copy);
/* Ticks that a timed visit of the loop takes besides the loop, in a copy of the process whose
 * thread has slot @slot; NaN: not measured. */
double placed_visit(const struct placed *x, struct process *copy, uint32_t slot);

#endif
