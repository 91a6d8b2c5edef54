/* Ports and usages of a core: exactly, form by form (chart/venn.h). If that leaves forms out or
 * errors above the noise, the evolver searches, with one port more at a time while that explains
 * more. The better explanation is returned. */
#ifndef PORTOLAN_CHART_PORTS_H
#define PORTOLAN_CHART_PORTS_H

#include "chart/lab.h"

struct core_ports {
    struct mapping *mapping;     /* ports have numbers; micro_ops are issue slots */
    double *confidence;          /* per form of the mapping, 0 to 1; NaN: not known */
    double error;                /* mean relative one */
    /* some of its times are late (chart/residual.h): on such a CPU others may be as well */
    bool late;
    /* the mean relative error, where late times count as noise on such a CPU */
    double noise;
    size_t forms, experiments;
};

/* From the rows of the lab's table in @keep, which have only the @n @forms, the simplest first.
 * Forms that fit no mapping may be left out. False with err. core_ports_done frees. */
bool core_ports_find(struct lab *lab, const bool *keep, const uint32_t *forms, size_t n,
                     struct core_ports *out, struct err *err);
/* Mean relative error of @m on the rows of @t in @keep (NULL: all) whose forms it has; with @late
 * set late times count as noise. INFINITY without such rows. */
double core_ports_error(const struct experiments *t, const bool *keep, const struct mapping *m,
                        bool late);
void core_ports_done(struct core_ports *c);

#endif
