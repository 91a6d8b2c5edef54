/* A machine's prediction for a chain of one form, as it would be measured. */
#ifndef PORTOLAN_ANALYSIS_CHAIN_CYCLES_H
#define PORTOLAN_ANALYSIS_CHAIN_CYCLES_H

#include "isa/body.h"
#include "model/machine.h"

#define CHAIN_LINKS 8    /* of the form, in the body that is predicted */

/* Cycles of a form's latency along @chain as @m has them: the chain's own code, predicted. NaN when
 * there is no such code or @m does not know all of it. Any thread. */
double chain_cycles(const struct machine *m, const struct form_code *code,
                    const struct chain *chain);
/* The ends of a rule (enum latency_end) for the latency that @chain measures; false for a chain
 * through more than the form itself. */
bool chain_ends(const struct chain *chain, int *from, int *to);

#endif
