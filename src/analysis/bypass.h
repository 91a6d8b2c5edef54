/* How much later than its latency a value reaches an operation of another kind: additions and
 * multipliers of floating point, integers and logic. */
#ifndef PORTOLAN_ANALYSIS_BYPASS_H
#define PORTOLAN_ANALYSIS_BYPASS_H

#include "analysis/core.h"

/* Producer of a value. */
struct bypass_source {
    const struct insn *insn;
    const struct op *op;
    const struct operand *written;
};

/* Hundredths of a cycle from @from to @reader, whose record is @op, on top of the latency of @from.
 * Facts bypass_delay_addition, bypass_ports, bypass_delay and bypass_delay_domain; 0 without them.
 * Any thread. */
int32_t bypass_latency(const struct core *c, const struct bypass_source *from,
                       const struct insn *reader, const struct op *op);

#endif
