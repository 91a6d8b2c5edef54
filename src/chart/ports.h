/* Infers ports and usages of a core by an exact search, form by form (chart/venn.h). The search has
 * no time limit, so equal times give equal ports. */
#ifndef PORTOLAN_CHART_PORTS_H
#define PORTOLAN_CHART_PORTS_H

#include "chart/lab.h"

struct core_ports {
    struct mapping *mapping;     /* Mapping of the core. Ports have numbers as names; micro_ops are
                                  * issue slots. */
    double *confidence;          /* per form of the mapping: confidence of its usage, 0 to 1; NaN:
                                  * unknown */
    double error;                /* mean relative error over the core's experiments */
    /* Whether some times exceed the port bound (chart/residual.h). If so, times of other forms on
     * this CPU may also exceed it. */
    bool above_ports;
    /* mean relative error; if @above_ports is true, times above the port bound have less weight */
    double noise;
    size_t forms, experiments;
};

/* Infers ports and usages from the rows of the lab's table in @keep, which have only the @n @forms.
 * @forms must be sorted, simplest first. Forms that no mapping explains may be omitted. Returns
 * false with err on failure. core_ports_done frees @out. */
bool core_ports_find(struct lab *lab, const bool *keep, const uint32_t *forms, size_t n,
                     struct core_ports *out, struct err *err);
/* Returns the mean relative error of @m on those rows of @t in @keep (NULL: all) whose forms it
 * has. @above_ports: times above the port bound have less weight. Returns INFINITY if there is no
 * such row. */
double core_ports_error(const struct experiments *t, const bool *keep, const struct mapping *m,
                        bool above_ports);
void core_ports_done(struct core_ports *c);

#endif
