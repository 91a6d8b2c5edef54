/* Result of machine check: single forms measured on this CPU compared with a machine's tables:
 * throughput, and latency of each pair of operands. */
#ifndef PORTOLAN_CMD_CHECK_H
#define PORTOLAN_CMD_CHECK_H

#include "hunt/uses.h"
#include "isa/body.h"
#include "model/machine.h"

#define CHECK_DISAGREES 0.05   /* relative, and this number of cycles at least: */
#define CHECK_CYCLES 0.04

struct check_row {
    char *form;
    bool latency;              /* chain of a latency; not set: a throughput */
    struct chain chain;
    double measured, spread;   /* cycles; NaN: see state */
    double predicted;          /* NaN: the machine lacks the form */
    /* occurrences in a Debian system (data/frequency), 0: not listed */
    double uses;
    char state[96];            /* "ok" or the reason */
};

struct check {
    uint64_t serial; /* no other check has it */
    char *machine;             /* id */
    char *cpu;                 /* "Emerald Rapids", or the name of the simulated machine */
    /* id of the simulated machine; NULL: this CPU was measured */
    char *simulated;
    enum isa isa;              /* of both */
    char date[16];             /* 2026-01-31 */
    struct check_row *rows;    /* most important first */
    size_t count;
};

/* Creates a comparison of @m with this CPU, named @cpu, or with @simulated unless NULL. */
struct check *check_new(const struct machine *m, const char *cpu, const char *simulated);
void check_free(struct check *c);
/* Adds a row with its own form, borrowed until the next call. */
struct check_row *check_add(struct check *c, const char *form, double uses);
/* Sorts the rows by importance. */
void check_sort(struct check *c);
/* Returns whether measured and predicted values differ by more than CHECK_DISAGREES. */
bool check_disagrees(const struct check_row *row);
/* Importance of a difference: the model's error in cycles over all uses; 0 without a difference. */
double check_weight(const struct check_row *row);
/* Appends "throughput", "latency op1 -> op2". */
void check_quantity(const struct check_row *row, struct str *out);
/* "measured on Emerald Rapids 2026-01-31": the source of corrections. */
void check_source(const struct check *c, struct str *out);

/* Code measured for @row, or its equivalent for a simulated CPU, at most @lines lines. */
void check_code(const struct forms *forms, const struct check_row *row, size_t lines,
                struct str *out);

#endif
