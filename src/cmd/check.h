/* Result of machine check: single forms measured on this CPU compared with a machine's tables,
 * throughput and latency of each pair of operands. */
#ifndef PORTOLAN_CMD_CHECK_H
#define PORTOLAN_CMD_CHECK_H

#include "hunt/uses.h"
#include "isa/body.h"
#include "model/machine.h"

#define CHECK_DISAGREES 0.05   /* relative, and this minimum of cycles: */
#define CHECK_CYCLES 0.04

struct check_row {
    char *form;
    bool latency;              /* of chain; otherwise the throughput */
    struct chain chain;
    double measured, spread;   /* cycles; NaN: see state */
    double predicted;          /* NaN: the machine does not know the form */
    /* occurrences in a Debian system (data/frequency), 0: rarer than those listed */
    double uses;
    char state[96];            /* "ok" or the reason */
};

struct check {
    char *machine;             /* id */
    char *cpu;                 /* "Emerald Rapids", or the simulated machine */
    /* id of the machine that was simulated; NULL: this CPU was measured */
    char *simulated;
    enum isa isa;              /* of both */
    char date[16];             /* 2026-01-31 */
    struct check_row *rows;    /* those that matter most first */
    size_t count;
};

/* Compares @m with @cpu, or with @simulated (NULL: this CPU). */
struct check *check_new(const struct machine *m, const char *cpu, const char *simulated);
void check_free(struct check *c);
/* A row of its own form, borrowed until the next is added. */
struct check_row *check_add(struct check *c, const char *form, double uses);
/* Orders the rows by importance. */
void check_sort(struct check *c);
/* Measured and predicted differ by more than the above. */
bool check_disagrees(const struct check_row *row);
/* How much the difference matters: cycles that the model is wrong by over all uses; rows without a
 * difference 0. */
double check_weight(const struct check_row *row);
/* Appends "throughput", "latency op1 -> op2". */
void check_quantity(const struct check_row *row, struct str *out);
/* "measured on Emerald Rapids 2026-01-31": the source of corrections. */
void check_source(const struct check *c, struct str *out);

/* Text of the code that was run for @row, or would be on the simulated CPU, at most @lines lines.
 * Any thread. */
void check_code(const struct forms *forms, const struct check_row *row, size_t lines,
                struct str *out);

#endif
