/* Copies that are placed in a process, the patches that redirect control to them, and a slot of
 * memory for each thread. All functions must run on the tracer's thread. Threads passed to them
 * must be stopped. */
#ifndef PORTOLAN_INSITU_PLACED_H
#define PORTOLAN_INSITU_PLACED_H

#include "insitu/copies.h"
#include "insitu/maps.h"
#include "insitu/process.h"

/* BLOCK_VISITS: timed visits. BLOCK_NEST: timed visits of the loop and the code around it.
 * BLOCK_ORIGINAL: original code, timed in a copy of the process. */
enum block_kind { BLOCK_COPY, BLOCK_VISITS, BLOCK_NEST, BLOCK_ORIGINAL };

struct timed_block { /* Time between two stamps */
    /* ticks of the time stamp counter, and number of exits from the loop; BLOCK_NEST: exits from
     * the code around it */
    uint64_t ticks, leaves;
    enum block_kind kind;
    uint64_t away;     /* ticks between exits and the next entries */
    uint32_t clock[2]; /* ticks of the clock measurements at both stamps */
    uint64_t iterations;
    uint32_t batch;    /* index of the timing that contains the block; the blocks of a timing are
                        * consecutive */
    bool waited;       /* whether the thread probably waited for its CPU within the block */
};

/* Consecutive recorded iterations of one thread */
struct recorded_stretch {
    uint64_t iterations;
    size_t first, count;       /* index of the first event, and number of events */
};

struct placed {
    struct process *process;
    const struct region *region;
    const struct copies *copies;
    uint64_t bias, code, slots;          /* addresses in the process; 0: not mapped */
    uint32_t slot_count;                 /* number of slots assigned so far */
    VEC(uint32_t) free;                  /* slots of threads that have ended */
    /* Whether the copies must remain mapped, because something may still jump to them: a thread
     * that is not stopped or traced, or code that the program may restore. */
    bool kept;
    bool shared;                         /* whether an untraced process shares the memory */
    enum copy_mode *chosen;              /* per slot: mode */
    /* per slot: initial values of SLOT_PERIOD and SLOT_RECORDS_LEFT */
    uint64_t *period, *given;
    /* Per slot: number of blocks or recordings completed before the mode changed. 0, except for
     * threads in a system call, whose counters are not reset. */
    uint64_t *earlier;
    /* Per slot: whether the slot's stamps may be of an earlier mode. The words of a stamp depend on
     * the mode, so the next harvest omits these stamps. */
    bool *mixed;
    /* number of iterations counted in each slot since the last harvest, at the last poll */
    uint64_t *peeked;
    double copy_seconds;                 /* maximum seconds of a run in a copy of the process */
    bool patched;                        /* whether the original jumps to the copies of @mode */
    enum copy_mode mode;
    uint64_t iterations;                 /* number of iterations until the last harvest */
    VEC(struct timed_block) timed;
    uint32_t batches;                    /* number of harvested timings */
    VEC(uint64_t) events;
    VEC(struct recorded_stretch) stretches;
    VEC(double) patches;                 /* measured cycles of a patch per timed block */
    VEC(uint64_t) parts; /* loop of computed gotos: number of counted executions of each part */
    /* share of the first recorded accesses that are to pages of 2 MiB; NaN: unknown */
    double huge;
};

#define SLOTS_MOST 256u

/* Maps memory in @p with one of its stopped threads, and writes the copies to it. Returns false
 * with err. The caller always frees @out with placed_done. */
bool placed_new(struct process *p, const struct region *r, struct copies *c, uint64_t bias,
                const struct maps *maps, struct placed *out, struct err *err);
void placed_done(struct placed *x);
/* Assigns a slot to stopped thread @t, unless the thread has just ended. Returns false if none is
 * free, or if the thread uses segment gs. */
bool placed_take(struct placed *x, struct traced *t);
/* Patches the original with jumps to the copies of @mode. All threads outside system calls must be
 * stopped. For the first patch, all threads must be stopped and settled. For later ones,
 * placed_alone must be true. Returns false with err. */
bool placed_patch(struct placed *x, enum copy_mode mode, struct err *err);
/* Returns whether @address is within a patched place of @r, but is not its first byte. */
bool placed_inside(const struct region *r, uint64_t bias, uint64_t address);
/* Returns whether a thread has a return address in a patched place. All threads must be stopped. */
bool placed_returns_inside(const struct process *p, const struct region *r, uint64_t bias);
/* Returns whether all threads and processes that may execute the patched places are traced. While
 * a jump is replaced, its int3 could kill an untraced thread or process. */
bool placed_alone(const struct placed *x);
/* Restores the original, except where the program has replaced the code. All threads must be
 * stopped. Returns false with err. */
bool placed_restore(struct placed *x, struct err *err);
/* Patches @copy, a copy of the process, with jumps to the copies of @mode, or restores its original
 * code if @restore. Returns false on failure. */
bool placed_patch_copy(const struct placed *x, const struct process *copy, enum copy_mode mode,
                       bool restore);
/* Moves @t from the copies to the same instruction of the original, with single steps if necessary.
 * Returns false if this is impossible, for example if that instruction is within a patched place.
 * If the thread ends, @t becomes another thread or NULL. */
bool placed_settle(struct placed *x, struct traced *t);
/* Excludes the context switches so far of all stopped threads from the waits of the next timing.
 * Stops by the tracer may have caused them. */
void placed_begin_waits(struct placed *x);
/* Marks the @switches longest of the @count blocks in which the thread executed the loop. When a
 * thread waits for its CPU, it waits for a time slice, which is much longer than a block. */
void placed_mark_waited(struct timed_block *blocks, size_t count, uint64_t switches);
/* Adds the counters and buffers of thread @t to the results, and resets them. Does nothing for a
 * thread without a slot. */
void placed_harvest(struct placed *x, struct traced *t);
/* Stores the bytes of a patch at instruction @at of the region: the original ones in @original, and
 * those with a jump to @label in @jump. */
void placed_bytes(const struct placed *x, uint32_t at, uint32_t label,
                  uint8_t original[PATCH_BYTES], uint8_t jump[PATCH_BYTES]);
/* Reads the counters of all slots without changing them. */
void placed_peek(struct placed *x);
/* Configures @t, which must be settled and harvested, for the next copies. COPY_TIME, COPY_VISIT
 * and COPY_NEST stamp every @period passes of the first copy if @stamps. COPY_RECORD records
 * @records iterations. */
void placed_choose(struct placed *x, struct traced *t, uint64_t period, uint64_t records,
                   bool stamps);
/* Configures @t with unchanged values like placed_choose. @t is in a system call and need not be
 * stopped. Does nothing for a thread without a slot. */
void placed_choose_waiting(struct placed *x, const struct traced *t);
/* Returns whether a thread has completed its recording, or enough timed blocks. This may take much
 * longer on a busy CPU than on an idle one. */
bool placed_completed(const struct placed *x);
/* Returns the number of iterations at the last harvest or poll. */
uint64_t placed_iterations(const struct placed *x);
/* Releases the slot of @t, which must be settled or ending. */
void placed_release(struct placed *x, struct traced *t);
/* Unmaps all memory with stopped thread @t, unless x->kept is true. */
void placed_unmap(struct placed *x, struct traced *t);
/* Restores the original code in the new process of @e, which must be stopped, unless it shares the
 * program's memory. @state: a struct placed. May also be called after placed_restore. */
void placed_clean_child(void *state, const struct process_event *e);
/* Assigns a slot to a process that shares the program's memory. Returns false if no slot is free,
 * or if the process uses segment gs. */
bool placed_take_stranger(struct placed *x, pid_t tid);
/* Returns the ticks of the time stamp counter per core cycle, measured on stopped thread @t, which
 * must be settled. Sets *@overhead to the mean excess, in ticks, of a stamp's clock measurement
 * over its instructions. Sets *@visit to the overhead of timing a visit in ticks. Each is NaN if
 * not measured. If the thread ends, @t is then invalid. */
double placed_clock(const struct placed *x, struct traced *t, double *overhead, double *visit);

#endif
