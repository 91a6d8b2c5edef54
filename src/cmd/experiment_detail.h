/* Details of one experiment's measurement, for `experiments show` and the experiments view. UI
 * thread. */
#ifndef PORTOLAN_CMD_EXPERIMENT_DETAIL_H
#define PORTOLAN_CMD_EXPERIMENT_DETAIL_H

#include "cmd/session.h"
#include "measure/record.h"

struct experiment_detail {
    size_t row;
    const struct experiment_row *e;   /* borrowed from the session's table */
    struct str text, lengths;
    /* assembly, one instruction per line; empty: neither measured nor encoded */
    struct str code;
    struct record_samples samples;
    bool kept;                        /* whether samples are available */
    bool ran;                         /* whether @code was measured; otherwise it was encoded only
                                       * for display */
    unsigned executions;              /* number of times that the code executes the experiment */
    size_t bytes;
};

/* Appends the code of @e as this CPU would run it, or nothing if the CPU cannot run it. Sets
 * *@executions and *@bytes as in struct experiment_detail. May run the assembler. Any thread. */
void experiment_code(const struct forms *forms, const struct experiment *e, struct str *text,
                     unsigned *executions, size_t *bytes);
/* Collects the details of row @row of the session's experiments. Measured code is limited to @lines
 * lines (0: all). Adds no code if the row was not measured here. */
void experiment_detail_collect(struct session *s, size_t row, size_t lines,
                               struct experiment_detail *out);
void experiment_detail_done(struct experiment_detail *d);

#endif
