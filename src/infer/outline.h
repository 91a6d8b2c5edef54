/* Snapshot of a run's best mapping for display: readable order of ports, certainty of each cell,
 * predictions. */
#ifndef PORTOLAN_INFER_OUTLINE_H
#define PORTOLAN_INFER_OUTLINE_H

#include "infer/genome.h"

struct outline {
    struct problem *problem;     /* held */
    struct genome *best;         /* with renamed ports */
    double *confidence;          /* per form as in confidence_of; NaN without alternatives */
    /* per form: ports on which another near-optimal mapping differs from the best */
    uint32_t *doubts;
    uint32_t *changes;           /* per form: ports that changed since the previous outline */
    float *predicted;            /* cycles per experiment of the problem */
    size_t alternatives;         /* number of near-optimal mappings besides the best */
    size_t doubtful, changed;    /* forms with disagreement; changed cells */
};

/* Makes an outline of @genomes, @count of one shape over @take_problem, best first. Ports are named
 * as in @before (NULL: none) if used alike. Without it, or with another number of ports, ports of
 * the same forms become adjacent. The caller frees. */
struct outline *outline_new(struct genome *const *genomes, size_t count,
                            struct problem *take_problem, const struct outline *before);
void outline_free(struct outline *o);
/* Bit set of ports that a form may use. */
uint32_t outline_ports(const struct outline *o, size_t form);
/* µops of the form that may use @port. */
unsigned outline_uops(const struct outline *o, size_t form, unsigned port);
/* Signed relative error of the prediction for experiment @e. */
double outline_error(const struct outline *o, size_t e);
/* Fills @out with the @most experiments of largest error, sorted; returns their number. */
size_t outline_worst(const struct outline *o, uint32_t *out, size_t most);

#endif
