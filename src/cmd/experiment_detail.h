/* Details of one experiment's measurement: output of `experiments show` and of the experiments
 * view. UI thread. */
#ifndef PORTOLAN_CMD_EXPERIMENT_DETAIL_H
#define PORTOLAN_CMD_EXPERIMENT_DETAIL_H

#include "cmd/session.h"
#include "measure/record.h"

struct experiment_detail {
    size_t row;
    const struct experiment_row *e;   /* borrowed from the session's table */
    struct str text, lengths;
    /* assembly, one instruction per line; empty when the forms cannot run here */
    struct str code;
    struct record_samples samples;
    bool kept;                        /* samples are available */
    bool ran;                         /* measured code, not a preview */
    unsigned executions;              /* executions of the experiment in the code */
    size_t bytes;
};

/* Collects row @row of the session's experiments, with at most @lines lines of code (0: all). */
void experiment_detail_collect(struct session *s, size_t row, size_t lines,
                               struct experiment_detail *out);
void experiment_detail_done(struct experiment_detail *d);

#endif
