/* A snapshot of a run's best mapping for display: ports in a readable order, certainty of each
 * cell, predictions. */
#ifndef PORTOLAN_INFER_OUTLINE_H
#define PORTOLAN_INFER_OUTLINE_H

#include "infer/genome.h"

struct outline {
    struct problem *problem;     /* held */
    struct genome *best;         /* with its ports renamed */
    double *confidence;          /* per form as confidence_of has it; NaN without alternatives */
    /* per form: ports that another near-optimal mapping uses for it and the best does not, or the
     * other way */
    uint32_t *doubts;
    uint32_t *changes;           /* per form: ports whose use differs from the outline before */
    float *predicted;            /* cycles, per experiment of the problem */
    size_t alternatives;         /* near-optimal mappings besides the best */
    size_t doubtful, changed;    /* forms with doubts; cells with changes */
};

/* Outline of @genomes, @count of one shape over @take_problem, the best first. Ports are named as
 * in @before (NULL: none) if both use them alike. Without it, or with another number of ports,
 * those that serve the same forms stand next to each other. The caller frees. Any thread. */
struct outline *outline_new(struct genome *const *genomes, size_t count,
                            struct problem *take_problem, const struct outline *before);
void outline_free(struct outline *o);
/* The ports that a form may use, bit by number. */
uint32_t outline_ports(const struct outline *o, size_t form);
/* µops of the form that may use @port. */
unsigned outline_uops(const struct outline *o, size_t form, unsigned port);
/* Relative error of the prediction for experiment @e; with sign. */
double outline_error(const struct outline *o, size_t e);
/* Fills @out with the @most experiments predicted worst, the worst first; returns how many. */
size_t outline_worst(const struct outline *o, uint32_t *out, size_t most);

#endif
