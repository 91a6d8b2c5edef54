/* Copies placed in a process, the patches that redirect control to them, and a memory slot per
 * thread. All functions run on the tracer's thread. Threads passed to them are stopped. */
#ifndef PORTOLAN_INSITU_PLACED_H
#define PORTOLAN_INSITU_PLACED_H

#include "insitu/copies.h"
#include "insitu/maps.h"
#include "insitu/process.h"

/* BLOCK_VISITS: with times of visits. BLOCK_ORIGINAL: the original code, in a copy of the
 * process. */
enum block_kind { BLOCK_COPY, BLOCK_VISITS, BLOCK_ORIGINAL };

struct timed_block { /* Time between two stamps. */
    /* ticks of the time stamp counter; number of exits from the loop */
    uint64_t ticks, leaves;
    enum block_kind kind;
    uint64_t away;     /* ticks between exits and returns */
    uint32_t clock[2]; /* overhead of reading the clock, in ticks, at both stamps */
    uint64_t iterations;
};

/* Consecutive iterations of one thread that were recorded. */
struct recorded_stretch {
    uint64_t iterations;
    size_t first, count;       /* range of the events */
};

struct placed {
    struct process *process;
    const struct region *region;
    const struct copies *copies;
    uint64_t bias, code, slots;          /* addresses in the process; 0: not mapped */
    uint32_t slot_count;                 /* number of slots assigned so far */
    VEC(uint32_t) free;                  /* free slots of threads that have exited */
    /* the copies stay mapped, because a thread that is not stopped or traced, or replaced code that
     * the program may restore, may jump to them */
    bool kept;
    bool shared;                         /* an untraced process shares the memory */
    enum copy_mode *chosen;              /* one per slot */
    /* per slot: initial values of SLOT_PERIOD and SLOT_RECORDS_LEFT */
    uint64_t *period, *given;
    /* per slot: iterations since the last harvest, at the last poll */
    uint64_t *peeked;
    bool patched;                        /* the original jumps to the copies of @mode */
    enum copy_mode mode;
    uint64_t iterations;                 /* iterations at the last harvest */
    VEC(struct timed_block) timed;
    VEC(uint64_t) events;
    VEC(struct recorded_stretch) stretches;
    VEC(double) patches;                 /* cycles of a patch, one per block */
};

#define SLOTS_MOST 256u

/* Maps memory in @p by a stopped thread of it, and writes the copies. False with err. placed_done
 * frees @out in both cases. */
bool placed_new(struct process *p, const struct region *r, struct copies *c, uint64_t bias,
                const struct maps *maps, struct placed *out, struct err *err);
void placed_done(struct placed *x);
/* Assigns a slot to stopped thread @t. Returns false if none is free, or if the thread uses segment
 * gs itself. */
bool placed_take(struct placed *x, struct traced *t);
/* Patches the original with jumps to the copies of @mode. All threads outside of system calls are
 * stopped. For the first patch all threads are stopped and settled. For later ones placed_alone
 * must be true. */
bool placed_patch(struct placed *x, enum copy_mode mode, struct err *err);
/* Returns whether @address is inside a patched place of @r, after its first byte. */
bool placed_inside(const struct region *r, uint64_t bias, uint64_t address);
/* Returns whether all threads and processes that may execute the patched places are traced. The
 * int3 of a jump that is being replaced would kill an untraced one. */
bool placed_alone(const struct placed *x);
/* Restores the original, except places whose code the program has replaced. All threads are
 * stopped. */
bool placed_restore(struct placed *x, struct err *err);
/* Patches @copy, a copy of the process, with jumps to the copies of @mode. @restore: restores the
 * original instead. */
bool placed_patch_copy(const struct placed *x, const struct process *copy, enum copy_mode mode,
                       bool restore);
/* Moves @t from the copies to the same instruction of the original, by single steps if needed.
 * Returns false if that place is patched. If the thread exits, @t is another thread or NULL. */
bool placed_settle(struct placed *x, struct traced *t);
/* Adds up and resets the counters and buffers of thread @t. */
void placed_harvest(struct placed *x, struct traced *t);
/* Returns the original bytes, and the jump to @label, of a patch at instruction @at of the
 * region. */
void placed_bytes(const struct placed *x, uint32_t at, uint32_t label,
                  uint8_t original[PATCH_BYTES], uint8_t jump[PATCH_BYTES]);
/* Reads the counters of all slots without changing them. */
void placed_peek(struct placed *x);
/* Configures the next copies of @t, which is settled and harvested. COPY_TIME and COPY_VISIT stamp
 * every @period passes of the first copy. COPY_RECORD records @records iterations. */
void placed_choose(struct placed *x, struct traced *t, uint64_t period, uint64_t records);
/* Configures a thread that is waiting in a system call instead of stopped, with unchanged
 * values. */
void placed_choose_waiting(struct placed *x, const struct traced *t);
/* Returns whether a thread has completed its recording. */
bool placed_recorded(const struct placed *x);
/* Returns the iterations counted at the last harvest or poll. */
uint64_t placed_iterations(const struct placed *x);
/* Releases the slot of @t, which is settled or exiting. */
void placed_release(struct placed *x, struct traced *t);
/* Unmaps all memory by stopped thread @t, unless it must stay. */
void placed_unmap(struct placed *x, struct traced *t);
/* Restores the original code in the new, stopped process of @e, unless it shares the program's
 * memory. @state is the struct placed. Valid after placed_restore too. */
void placed_clean_child(void *state, const struct process_event *e);
/* Assigns a slot to a process that shares the program's memory. Returns false if no slot is free,
 * or if it uses segment gs. */
bool placed_take_stranger(struct placed *x, pid_t tid);
/* Returns the ticks of the time stamp counter per core cycle, measured in @copy, a copy of the
 * process; NaN: not measured. */
double placed_clock(const struct placed *x, struct process *copy);
/* Returns the overhead of a timed visit in ticks, measured in a copy of the process whose thread
 * has slot @slot; NaN: not measured. */
double placed_visit(const struct placed *x, struct process *copy, uint32_t slot);

#endif
