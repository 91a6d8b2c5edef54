/* Measures blocks on this CPU, each as a loop body. Measures one block with a given patience, or
 * many in rounds that wait together for an idle core. */
#ifndef PORTOLAN_MEASURE_BLOCK_TIMES_H
#define PORTOLAN_MEASURE_BLOCK_TIMES_H

#include "measure/kernel_passes.h"

/* default seconds per block, in total */
#define BLOCK_PATIENCE 1.75

/* advice after a timeout */
#define BLOCK_WAIT_LONGER "wait longer with --patience, or use another CPU"

/* Result of one block. */
struct block_time {
    struct kernel_measured measured;
    /* why visits did not confirm @measured; "": confirmed */
    char unconfirmed[160];
};

/* Measures @insns in a new sandbox for at most @patience seconds. An initial check of the CPU that
 * takes more than half of that extends the time. Without any value it continues up to ten times as
 * long. The sandbox belongs to the calling thread, which waits. False with err. ERR_DATA: not
 * measurable; ERR_LIMIT: timeout; ERR_INTERRUPTED: @cancelled (NULL: never) returned true; others:
 * measurement fails here. */
bool block_time(const struct insn *insns, size_t count, double patience,
                bool (*cancelled)(void *state), void *state, struct block_time *out,
                struct err *err);

/* Result of one of many blocks. */
struct block_row {
    /* why it was not measured; NULL: measured, or not visited yet */
    char *fault;
    /* cycles per iteration and their relative spread; NaN: not measured */
    double cycles, spread;
    struct kernel_passes passes;
    /* the result is final; otherwise the row waits for an idle core */
    bool settled;
};

struct block_rows {
    struct block_row *items;
    /* number of blocks, of final results, and of results with cycles */
    size_t count, settled, measured;
    size_t shown;                    /* number of rows that were passed to `shown` */
    bool improved;                   /* a row that was passed to `shown` has improved since */
    double begun;                    /* clock_seconds at the start, after the calibration */
};

struct block_hooks {
    bool (*cancelled)(void *state);
    /* open returns the instructions of block @i, borrowed until close; NULL with err if invalid. */
    const struct insn *(*open)(void *state, size_t i, size_t *count, struct err *err);
    void (*close)(void *state);
    /* Called after calibration, after a visit with windows, and after rows have improved. */
    void (*calibrated)(void *state, const struct calibration *c);
    void (*visited)(void *state, const struct kernel_measured *m);
    void (*progress)(void *state, const struct block_rows *rows);
    /* Called in block order when rows @from to @until - 1 have results. False with err ends the
     * measurement. */
    bool (*shown)(void *state, const struct block_rows *rows, size_t from, size_t until,
                  struct err *err);
    void *state;
};

/* Measures @count blocks. @out receives the results, also those before a fatal error;
 * block_rows_done frees it in all cases. Visits groups in turn, and the open rows of a group again.
 * After long contention all open rows wait together at the end. False with err when cancelled or
 * when measurement fails. */
bool block_rows_measure(size_t count, const struct block_hooks *hooks, struct block_rows *out,
                        struct err *err);
void block_rows_done(struct block_rows *rows);

#endif
