/* Usages that measurements do not determine, since others predict the same times: where the issue
 * width limits, ports do not show. */
#ifndef PORTOLAN_INFER_OBSERVABLE_H
#define PORTOLAN_INFER_OBSERVABLE_H

#include "model/experiments.h"
#include "model/mapping.h"

struct observable {
    /* number of other usages that explain the form's measurements equally; 0: its ports show */
    unsigned rivals;
    /* an experiment, of these forms, that determines the first possible one of them; empty: none */
    struct experiment settle;
};

/* Fills @out, one per form of @t: for a form without ports whether a µop on one of the mapping's
 * sets, or on all ports, would show in a measured experiment; for others whether its absence would.
 * Ends early when cancelled. The caller calls observable_done. */
void observable_find(const struct mapping *m, const struct experiments *t, struct observable *out);
/* Appends why ports do not show under @m: "not observable: ...". */
const char *observable_reason(const struct mapping *m);
void observable_done(struct observable *list, size_t count);

#endif
