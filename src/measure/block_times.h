/* Measures blocks on this CPU, each as the body of a loop: one block with a given patience, or many
 * in rounds. Rows that find no idle core are measured at the end. */
#ifndef PORTOLAN_MEASURE_BLOCK_TIMES_H
#define PORTOLAN_MEASURE_BLOCK_TIMES_H

#include "measure/kernel_passes.h"

/* default time per block, in seconds */
#define BLOCK_PATIENCE 1.75

/* advice if that time was not enough */
#define BLOCK_WAIT_LONGER "wait longer with --patience, or use another CPU"

/* Result of one block. */
struct block_time {
    struct kernel_measured measured;
    /* why visits did not confirm @measured; empty: they did */
    char unconfirmed[160];
};

/* Measures @insns in a new sandbox for at most @patience seconds. The initial check of the CPU
 * extends this if it takes more than half of it. Without any value continues up to ten times as
 * long. The sandbox belongs to the calling thread, which is blocked. Returns false with err:
 * ERR_DATA if not measurable, ERR_LIMIT after a timeout, ERR_INTERRUPTED if @cancelled (NULL:
 * never) returned true, other codes if this CPU cannot measure. */
bool block_time(const struct insn *insns, size_t count, double patience,
                bool (*cancelled)(void *state), void *state, struct block_time *out,
                struct err *err);

/* Result for one of many blocks. */
struct block_row {
    /* why the block was not measured; NULL: it was, or was not visited yet */
    char *fault;
    /* cycles per iteration and their relative spread; NaN: not measured */
    double cycles, spread;
    struct kernel_passes passes;
    /* true: the result is final; false: the row waits for an idle core */
    bool settled;
};

struct block_rows {
    struct block_row *items;
    /* number of blocks, of final results, and of results with cycles */
    size_t count, settled, measured;
    size_t shown;                    /* number of rows passed to `shown` */
    bool improved;                   /* whether a row passed to `shown` has changed since */
    double begun;                    /* clock_seconds after the calibration */
};

struct block_hooks {
    bool (*cancelled)(void *state);
    /* Returns the instructions of block @i, valid until close; NULL with err if the block is
     * invalid. */
    const struct insn *(*open)(void *state, size_t i, size_t *count, struct err *err);
    void (*close)(void *state);
    /* `calibrated` is called after calibration, `visited` after a visit that found windows or
     * contention, `progress` after each visit. */
    void (*calibrated)(void *state, const struct calibration *c);
    void (*visited)(void *state, const struct kernel_measured *m);
    void (*progress)(void *state, const struct block_rows *rows);
    /* Called in block order when rows @from to @until - 1 have results. If it returns false with
     * err, measuring ends. */
    bool (*shown)(void *state, const struct block_rows *rows, size_t from, size_t until,
                  struct err *err);
    void *state;
};

/* Measures @count blocks. Visits groups of blocks one after another, and the open blocks of a group
 * repeatedly. While the core is busy, blocks stay open and are measured at the end. @out receives
 * the results, including those before a failure; the caller always frees it with block_rows_done.
 * Returns false with err when cancelled or when measurement fails. */
bool block_rows_measure(size_t count, const struct block_hooks *hooks, struct block_rows *out,
                        struct err *err);
void block_rows_done(struct block_rows *rows);

#endif
