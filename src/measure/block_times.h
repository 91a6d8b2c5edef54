/* Measures blocks on this CPU, each as the body of a loop: one block with a given patience, or many
 * in rounds. Rows that find no idle core are measured at the end. */
#ifndef PORTOLAN_MEASURE_BLOCK_TIMES_H
#define PORTOLAN_MEASURE_BLOCK_TIMES_H

#include "measure/kernel_passes.h"

/* default time per block, in seconds */
#define BLOCK_PATIENCE 1.75

/* advice for blocks for which the time limit was too short */
#define BLOCK_WAIT_LONGER "wait longer with --patience"

/* Result of one block */
struct block_time {
    struct kernel_measured measured;
    /* reason why visits did not confirm @measured; empty if they confirmed it */
    char unconfirmed[160];
};

/* Measures @insns in a new sandbox for at most @patience seconds. The limit is extended if the
 * initial check of the CPU takes more than half of it. Without a value, the limit is ten times
 * @patience. Blocks the calling thread. Returns false with err: ERR_DATA if the block cannot be
 * measured, ERR_LIMIT after a timeout, ERR_INTERRUPTED if @cancelled (may be NULL) returned true,
 * other codes if this CPU cannot measure. */
bool block_time(const struct insn *insns, size_t count, double patience,
                bool (*cancelled)(void *state), void *state, struct block_time *out,
                struct err *err);

/* Result of one of several blocks */
struct block_row {
    /* reason why the block was not measured; NULL if it was measured or not yet visited */
    char *fault;
    /* cycles per iteration and their relative spread; NaN: not measured */
    double cycles, spread;
    struct kernel_passes passes;
    /* whether the result is final; if not, the row waits for an idle core */
    bool settled;
};

struct block_rows {
    struct block_row *items;
    /* number of blocks, of final results, and of blocks with cycles */
    size_t count, settled, measured;
    size_t shown;                    /* number of rows passed to `shown` */
    bool improved;                   /* whether a row that was already passed to `shown` has
                                      * changed */
    double begun;                    /* clock_seconds when the calibration ended */
};

struct block_hooks {
    bool (*cancelled)(void *state);
    /* Returns the instructions of block @i, valid until `close` is called. Returns NULL with err
     * if the block is invalid. */
    const struct insn *(*open)(void *state, size_t i, size_t *count, struct err *err);
    void (*close)(void *state);
    /* `calibrated`: called after calibration. `visited`: after a visit that accepted or rejected
     * windows. `progress`: after each visit. */
    void (*calibrated)(void *state, const struct calibration *c);
    void (*visited)(void *state, const struct kernel_measured *m);
    void (*progress)(void *state, const struct block_rows *rows);
    /* Called in block order when rows @from to @until - 1 have results. Measuring ends if the
     * callback returns false with err. */
    bool (*shown)(void *state, const struct block_rows *rows, size_t from, size_t until,
                  struct err *err);
    void *state;
};

/* Measures @count blocks, group by group, and revisits the open blocks of each group. Blocks that
 * find no idle core are measured at the end. @out receives the results, including those before a
 * failure; block_rows_done frees them. Returns false with err on failure or when cancelled. */
bool block_rows_measure(size_t count, const struct block_hooks *hooks, struct block_rows *out,
                        struct err *err);
void block_rows_done(struct block_rows *rows);

#endif
