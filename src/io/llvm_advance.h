/* Latencies per operand of LLVM's scheduling models (ReadAdvance): accumulators that are read
 * late. */
#ifndef PORTOLAN_IO_LLVM_ADVANCE_H
#define PORTOLAN_IO_LLVM_ADVANCE_H

#include "isa/forms.h"
#include "model/machine.h"

/* Adds to @m a latency rule per register operand of @forms whose value reaches the result in fewer
 * cycles than the form's latency. A form forwards to itself: two copies of it run in llvm-mca, and
 * the second one waits for that operand only. False with err when llvm-mca fails. Any thread. */
bool llvm_advances(const char *cpu, const struct forms *forms, struct machine *m, struct err *err);

#endif
