/* Measures blocks on this CPU, each as a loop body: one with a given patience, or many in rounds
 * that share the waiting for an idle core. */
#ifndef PORTOLAN_MEASURE_BLOCK_TIMES_H
#define PORTOLAN_MEASURE_BLOCK_TIMES_H

#include "measure/kernel_passes.h"

/* default seconds per block in total */
#define BLOCK_PATIENCE 1.75

/* remedy after a timeout */
#define BLOCK_WAIT_LONGER "more patience waits longer; another CPU may be quieter"

/* One block. */
struct block_time {
    struct kernel_measured measured;
    /* why @measured is not confirmed; "": confirmed */
    char unconfirmed[160];
};

/* Measures @insns in its own sandbox for at most @patience seconds, plus any excess of the initial
 * check of the CPU over half of that. Without any value continues up to ten times as long. The
 * sandbox belongs to the calling thread, which waits. False with err: ERR_DATA: not measurable;
 * ERR_LIMIT: timeout; ERR_INTERRUPTED: @cancelled (NULL: never) returned true; others: measuring is
 * impossible here. */
bool block_time(const struct insn *insns, size_t count, double patience,
                bool (*cancelled)(void *state), void *state, struct block_time *out,
                struct err *err);

/* One of many blocks. */
struct block_row {
    char *fault;                     /* NULL: measured, or not visited yet */
    double cycles, spread;           /* per iteration; NaN: no time */
    struct kernel_passes passes;
    /* final; if not, it waits for an idle core */
    bool settled;
};

struct block_rows {
    struct block_row *items;
    size_t count, settled, measured; /* settled: final; measured: with cycles */
    size_t shown;                    /* number of rows passed to `shown` */
    bool improved;                   /* one of these has improved since */
    double begun;                    /* start on clock_seconds, after the calibration */
};

struct block_hooks {
    bool (*cancelled)(void *state);
    /* Returns the instructions of block @i, borrowed until close; NULL with err if invalid. */
    const struct insn *(*open)(void *state, size_t i, size_t *count, struct err *err);
    void (*close)(void *state);
    /* Called after calibration; after a visit with windows; after rows have improved. */
    void (*calibrated)(void *state, const struct calibration *c);
    void (*visited)(void *state, const struct kernel_measured *m);
    void (*progress)(void *state, const struct block_rows *rows);
    /* Called when rows @from to @until - 1 have results, in block order. False with err ends the
     * measurement. */
    bool (*shown)(void *state, const struct block_rows *rows, size_t from, size_t until,
                  struct err *err);
    void *state;
};

/* Measures @count blocks. @out gets the results, also those before a fatal error, and always needs
 * block_rows_done. Groups are visited in turn, then their open rows again; after long contention
 * all rows wait together at the end. False with err when cancelled or measuring is impossible. */
bool block_rows_measure(size_t count, const struct block_hooks *hooks, struct block_rows *out,
                        struct err *err);
void block_rows_done(struct block_rows *rows);

#endif
