/* Bypass delays between execution domains: floating-point additions and multiplications, integers
 * and logic. */
#ifndef PORTOLAN_ANALYSIS_BYPASS_H
#define PORTOLAN_ANALYSIS_BYPASS_H

#include "analysis/core.h"

/* An instruction that produces a value, with its record and the operand that it writes */
struct bypass_source {
    const struct insn *insn;
    const struct op *op;
    const struct operand *written;
};

/* Returns the delay in hundredths of a cycle from @from to @reader, in addition to the latency of
 * @from. @op: record of @reader. Facts: bypass_delay_addition, bypass_ports, bypass_delay,
 * bypass_delay_domain. Returns 0 if the machine lacks them. Any thread. */
int32_t bypass_latency(const struct core *c, const struct bypass_source *from,
                       const struct insn *reader, const struct op *op);

#endif
