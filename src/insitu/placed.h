/* Copies placed in a process, the patches that lead to them, and a memory slot per thread. All
 * calls on the tracer's thread; threads passed in are stopped. */
#ifndef PORTOLAN_INSITU_PLACED_H
#define PORTOLAN_INSITU_PLACED_H

#include "insitu/copies.h"
#include "insitu/maps.h"
#include "insitu/process.h"

/* BLOCK_VISITS: visits were timed. BLOCK_ORIGINAL: the original code, in a copy of the process. */
enum block_kind { BLOCK_COPY, BLOCK_VISITS, BLOCK_ORIGINAL };

struct timed_block { /* Time between two stamps. */
    /* of the time stamp counter; number of exits from the loop */
    uint64_t ticks, leaves;
    enum block_kind kind;
    uint64_t away;     /* ticks between exit and return */
    uint32_t clock[2]; /* overhead in ticks of the clock's instructions */
    uint64_t iterations;
};

/* Recorded consecutive iterations of one thread. */
struct recorded_stretch {
    uint64_t iterations;
    size_t first, count;       /* range of the events */
};

struct placed {
    struct process *process;
    const struct region *region;
    const struct copies *copies;
    uint64_t bias, code, slots;          /* addresses in the process; 0: not mapped */
    uint32_t slot_count;                 /* number assigned so far */
    VEC(uint32_t) free;                  /* free slots of ended threads */
    /* what is not stopped or not traced, or code that the program has replaced and may put back,
     * may lead to the copies: they stay mapped */
    bool kept;
    bool shared;                         /* a process that is not traced shares the memory */
    enum copy_mode *chosen;              /* by slot */
    /* by slot: initial values of SLOT_PERIOD and SLOT_RECORDS_LEFT */
    uint64_t *period, *given;
    /* by slot: iterations since the last harvest at the last poll */
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

/* Maps memory in @p through stopped thread @t and writes the copies. False with err; placed_done
 * frees @out in both cases. */
bool placed_new(struct process *p, const struct region *r, struct copies *c, uint64_t bias,
                const struct maps *maps, struct placed *out, struct err *err);
void placed_done(struct placed *x);
/* Assigns stopped thread @t a slot. False: none is free, or it uses segment gs itself. */
bool placed_take(struct placed *x, struct traced *t);
/* Has the original lead to the copies of @mode. All threads that are not within a system call are
 * stopped, and when it is patched for the first time all, and settled; later, placed_alone must be
 * true. */
bool placed_patch(struct placed *x, enum copy_mode mode, struct err *err);
/* Returns whether @address is inside a place of @r to patch, after its first byte. */
bool placed_inside(const struct region *r, uint64_t bias, uint64_t address);
/* Returns whether all that may execute the patched places is traced: what is not would end by the
 * int3 of a jump that is being replaced. */
bool placed_alone(const struct placed *x);
/* Restores the original, except where the program has replaced the jump. All threads are
 * stopped. */
bool placed_restore(struct placed *x, struct err *err);
/* Has the original lead to the copies of @mode in @copy, a copy of the process; with @restore
 * nowhere. */
bool placed_patch_copy(const struct placed *x, const struct process *copy, enum copy_mode mode,
                       bool restore);
/* Moves @t from the copies to the same place in the original, by single steps if needed. False:
 * that place is patched. If it has ended, @t is another or NULL. */
bool placed_settle(struct placed *x, struct traced *t);
/* Collects and resets the thread's counters and buffers. */
void placed_harvest(struct placed *x, struct traced *t);
/* Original bytes, and the jump, of a patch at instruction @at of the region to @label. */
void placed_bytes(const struct placed *x, uint32_t at, uint32_t label,
                  uint8_t original[PATCH_BYTES], uint8_t jump[PATCH_BYTES]);
/* Reads all slots without changes. */
void placed_peek(struct placed *x);
/* Instrumentation of @t, settled and harvested, in its next copies: with COPY_TIME and COPY_VISIT,
 * stamps each @period passes of the first copy; with COPY_RECORD, @records iterations. */
void placed_choose(struct placed *x, struct traced *t, uint64_t period, uint64_t records);
/* The same for a thread that is not stopped, and waits in the system: it continues as it was. */
void placed_choose_waiting(struct placed *x, const struct traced *t);
/* Whether some thread has recorded all that it was to record. */
bool placed_recorded(const struct placed *x);
/* Iterations counted, at the last harvest or peek. */
uint64_t placed_iterations(const struct placed *x);
/* Takes the slot from @t, which is settled or ending. */
void placed_release(struct placed *x, struct traced *t);
/* Unmaps everything through stopped thread @t, unless it must stay. */
void placed_unmap(struct placed *x, struct traced *t);
/* Restores the original code in process @child, a fork of ours, whose first thread is stopped; also
 * after ours was restored. */
void placed_clean_child(const struct placed *x, pid_t child);
/* Assigns a slot to a process that shares our memory. */
void placed_take_stranger(struct placed *x, pid_t tid);
/* Ticks of the time stamp counter per core cycle, measured in @copy, a copy of the process; NaN:
 * not measured. */
double placed_clock(const struct placed *x, struct process *copy);
/* Overhead in ticks of a timed visit, in a copy of the process whose thread has slot @slot; NaN:
 * not measured. */
double placed_visit(const struct placed *x, struct process *copy, uint32_t slot);

#endif
