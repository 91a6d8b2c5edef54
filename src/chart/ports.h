/* Infers ports and usages of a core: exactly, form by form (chart/venn.h). If that leaves out forms
 * or errors exceed the noise, the evolver searches, adding a port at a time while the error falls.
 * Returns the better explanation. */
#ifndef PORTOLAN_CHART_PORTS_H
#define PORTOLAN_CHART_PORTS_H

#include "chart/lab.h"

struct core_ports {
    struct mapping *mapping;     /* ports are numbered; micro_ops are issue slots */
    double *confidence;          /* per form of the mapping, 0 to 1; NaN: unknown */
    double error;                /* mean relative error */
    /* some of its times are late (chart/residual.h), so others on this CPU may be */
    bool late;
    /* mean relative error where late times count as noise */
    double noise;
    size_t forms, experiments;
};

/* Infers from the rows of the lab's table in @keep, which have only the @n @forms, simplest first.
 * May leave out forms that fit no mapping. False with err. core_ports_done frees. */
bool core_ports_find(struct lab *lab, const bool *keep, const uint32_t *forms, size_t n,
                     struct core_ports *out, struct err *err);
/* Mean relative error of @m on the rows of @t in @keep (NULL: all) whose forms it has; with @late
 * set late times count as noise. INFINITY without such rows. */
double core_ports_error(const struct experiments *t, const bool *keep, const struct mapping *m,
                        bool late);
void core_ports_done(struct core_ports *c);

#endif
