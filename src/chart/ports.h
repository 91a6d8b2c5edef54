/* Infers ports and usages of a core by an exact search, form by form (chart/venn.h). If that omits
 * forms or errors exceed the noise, the evolver searches and adds a port at a time while the error
 * falls. Returns the better explanation. */
#ifndef PORTOLAN_CHART_PORTS_H
#define PORTOLAN_CHART_PORTS_H

#include "chart/lab.h"

struct core_ports {
    struct mapping *mapping;     /* Ports have numbers as names. micro_ops are issue slots. */
    double *confidence;          /* per form of the mapping, 0 to 1; NaN: unknown */
    double error;                /* mean relative error over the core's experiments */
    /* some times exceed the port bound (chart/residual.h), so times of other forms on this CPU
     * may */
    bool late;
    /* mean relative error if times above the port bound count as noise */
    double noise;
    size_t forms, experiments;
};

/* Infers from the rows of the lab's table in @keep, which contain only the @n @forms. @forms are
 * sorted, simplest first. May omit forms that fit no mapping. False with err. core_ports_done
 * frees. */
bool core_ports_find(struct lab *lab, const bool *keep, const uint32_t *forms, size_t n,
                     struct core_ports *out, struct err *err);
/* Returns the mean relative error of @m on the rows of @t in @keep (NULL: all) whose forms it has.
 * @late: times above the port bound count as noise. INFINITY without such rows. */
double core_ports_error(const struct experiments *t, const bool *keep, const struct mapping *m,
                        bool late);
void core_ports_done(struct core_ports *c);

#endif
