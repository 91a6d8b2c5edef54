/* Blocks measured on this CPU, each as the body of a loop: one with a given patience, or many in
 * rounds that wait for quiet moments together. */
#ifndef PORTOLAN_MEASURE_BLOCK_TIMES_H
#define PORTOLAN_MEASURE_BLOCK_TIMES_H

#include "measure/kernel_passes.h"

/* default seconds per block, in all: an answer within two */
#define BLOCK_PATIENCE 1.75

/* remedy when patience was over */
#define BLOCK_WAIT_LONGER "more patience waits longer; another CPU may be quieter"

/* One block. */
struct block_time {
    struct kernel_measured measured;
    /* reason why measured is not confirmed; "": it is confirmed */
    char unconfirmed[160];
};

/* Measures @insns in a sandbox of its own, for at most @patience seconds plus the part of the first
 * look at the CPU that exceeds half of them; until there is any value, for ten times as long. The
 * sandbox belongs to the calling thread, which
 * waits. False with err: ERR_DATA: it cannot be measured, with the reason; ERR_LIMIT: patience is
 * over; ERR_INTERRUPTED: @cancelled (NULL: never) returned true; others: nothing can be measured
 * here. Any thread. */
bool block_time(const struct insn *insns, size_t count, double patience,
                bool (*cancelled)(void *state), void *state, struct block_time *out,
                struct err *err);

/* One of many. */
struct block_row {
    char *fault;                     /* NULL: measured, or not visited yet */
    double cycles, spread;           /* per iteration; NaN: no time */
    struct kernel_passes passes;
    /* nothing more is to be learnt of it; else it waits for a quiet core */
    bool settled;
};

struct block_rows {
    struct block_row *items;
    size_t count, settled, measured; /* settled: with a last word; measured: with cycles */
    size_t shown;                    /* the first @shown have been passed to `shown` */
    bool improved;                   /* one of these says more since */
    double begun;                    /* on clock_seconds, after the calibration */
};

struct block_hooks {
    bool (*cancelled)(void *state);
    /* The instructions of block @i, borrowed until close; NULL with err if it is invalid. */
    const struct insn *(*open)(void *state, size_t i, size_t *count, struct err *err);
    void (*close)(void *state);
    /* The sandbox is calibrated; a visit saw windows; rows have come to something. */
    void (*calibrated)(void *state, const struct calibration *c);
    void (*visited)(void *state, const struct kernel_measured *m);
    void (*progress)(void *state, const struct block_rows *rows);
    /* Rows @from to before @until have their word so far, in the order of the blocks. False with
     * err ends it. */
    bool (*shown)(void *state, const struct block_rows *rows, size_t from, size_t until,
                  struct err *err);
    void *state;
};

/* Measures @count blocks. @out gets the results, also of those before a fatal one, and always needs
 * block_rows_done. Groups are visited in turn, then open ones again; after long contention all wait
 * together at the end. False with err when it was cancelled or measuring is impossible. Any
 * thread. */
bool block_rows_measure(size_t count, const struct block_hooks *hooks, struct block_rows *out,
                        struct err *err);
void block_rows_done(struct block_rows *rows);

#endif
