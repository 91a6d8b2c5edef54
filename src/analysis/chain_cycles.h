/* Predicts the measurement of a dependency chain of one form. */
#ifndef PORTOLAN_ANALYSIS_CHAIN_CYCLES_H
#define PORTOLAN_ANALYSIS_CHAIN_CYCLES_H

#include "isa/body.h"
#include "model/machine.h"

#define CHAIN_LINKS 8    /* number of links of the form in the predicted body */

/* Predicts the cycles per link of @chain on @m from the chain's code. Returns NaN if there is no
 * code, or if @m lacks a form or the latency of a load or of store forwarding. Any thread. */
double chain_cycles(const struct machine *m, const struct form_code *code,
                    const struct chain *chain);
/* Finds both ends (enum latency_end) of the latency that @chain measures. Returns false for a chain
 * that contains other forms. */
bool chain_ends(const struct chain *chain, int *from, int *to);

#endif
