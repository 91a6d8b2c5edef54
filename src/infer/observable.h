/* Finds usages that measurements do not determine, because other usages predict the same times. For
 * example, a port is not observable if the issue width hides its limit. */
#ifndef PORTOLAN_INFER_OBSERVABLE_H
#define PORTOLAN_INFER_OBSERVABLE_H

#include "model/experiments.h"
#include "model/mapping.h"

struct observable {
    /* number of other usages that explain the form's measurements equally; 0 if the form's ports
     * are observable */
    unsigned rivals;
    /* experiment, with forms of the table, that distinguishes the first of these usages; empty if
     * there is none */
    struct experiment settle;
};

/* Fills @out, which has one entry per form of @t. For a form without ports, determines whether an
 * experiment could reveal a µop on one of the mapping's sets, or on all ports. For any other form,
 * determines whether an experiment could reveal that the form has no ports. Ends early if
 * cancelled. observable_done frees @out. */
void observable_find(const struct mapping *m, const struct experiments *t, struct observable *out);
/* Returns the reason why ports are not observable under @m, such as "not observable: ...". */
const char *observable_reason(const struct mapping *m);
void observable_done(struct observable *list, size_t count);

#endif
