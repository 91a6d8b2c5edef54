/* Usages of a mapping that the measurements do not determine, since others predict the same times:
 * where the issue width binds, no port shows. */
#ifndef PORTOLAN_INFER_OBSERVABLE_H
#define PORTOLAN_INFER_OBSERVABLE_H

#include "model/experiments.h"
#include "model/mapping.h"

struct observable {
    /* other usages with which all that was measured of the form takes as long; 0: its ports show */
    unsigned rivals;
    /* of its forms, an experiment that determines the first of them that any does; empty: none
     * does */
    struct experiment settle;
};

/* Of each form of @t into @out, one per form: of a form without ports whether a µop of one of the
 * mapping's sets, or of all ports, would show in a measured experiment of it, of others whether
 * none would. Ends early when the thread's watch is over. The caller calls observable_done. */
void observable_find(const struct mapping *m, const struct experiments *t, struct observable *out);
/* Why ports do not show under @m: "not observable: ...". */
const char *observable_reason(const struct mapping *m);
void observable_done(struct observable *list, size_t count);

#endif
