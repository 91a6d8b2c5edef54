/* Result of machine check: measurements of single forms on this CPU, or on a simulated machine,
 * compared with a machine's tables, for throughput and the latency of each operand pair */
#ifndef PORTOLAN_CMD_CHECK_H
#define PORTOLAN_CMD_CHECK_H

#include "hunt/uses.h"
#include "isa/body.h"
#include "model/machine.h"

/* A row disagrees if the difference exceeds this fraction of the smaller value and CHECK_CYCLES
 * cycles. */
#define CHECK_DISAGREES 0.05
#define CHECK_CYCLES 0.04

struct check_row {
    char *form;
    bool latency;              /* whether the row is the latency of a chain; otherwise it is a
                                * throughput */
    struct chain chain;
    /* cycles and their relative spread; NaN: not measured, and @state has the reason */
    double measured, spread;
    double predicted;          /* cycles; NaN: the machine's tables lack the form */
    /* occurrences in the programs of a Debian system (data/frequency); 0: not listed */
    double uses;
    char state[96];            /* "ok" or the reason why there is no value */
};

struct check {
    uint64_t serial;
    char *machine;             /* id of the machine */
    char *cpu;                 /* name of the CPU ("Emerald Rapids") or of the simulated machine */
    /* id of the simulated machine; NULL: this CPU was measured */
    char *simulated;
    enum isa isa;              /* instruction set of the machine and of the CPU */
    char date[16];             /* date such as "2026-01-31" */
    struct check_row *rows;    /* rows, sorted by descending check_weight */
    size_t count;
};

/* Creates an empty comparison of @m with this CPU, named @cpu, or with the simulated machine
 * @simulated if it is not NULL. */
struct check *check_new(const struct machine *m, const char *cpu, const char *simulated);
/* Returns a copy of @c with its own serial number. */
struct check *check_copy(const struct check *c);
void check_free(struct check *c);
/* Adds a row with a copy of @form. The row is valid until the next call. */
struct check_row *check_add(struct check *c, const char *form, double uses);
/* Sorts the rows by check_weight, largest first. */
void check_sort(struct check *c);
/* Returns whether the measured and the predicted value disagree: their difference exceeds both
 * CHECK_DISAGREES times the smaller value and CHECK_CYCLES cycles. Returns false if a value is
 * missing. */
bool check_disagrees(const struct check_row *row);
/* Returns the weight of a difference: the model's error in cycles times (the form's uses + 1); 0 if
 * the values agree. */
double check_weight(const struct check_row *row);
/* Appends the quantity that the row measures: "throughput" or "latency op1 -> op2". */
void check_quantity(const struct check_row *row, struct str *out);
/* Appends "measured on Emerald Rapids 2026-01-31", the source of corrections. */
void check_source(const struct check *c, struct str *out);

/* Appends the code that was measured for @row, or the reason why there is none. For a simulated
 * CPU, appends code that this CPU would run for the row. May run the assembler. */
void check_code(const struct forms *forms, const struct check_row *row, struct str *out);

#endif
