/* AArch64 code of others. */
#ifndef PORTOLAN_ISA_A64_FOREIGN_H
#define PORTOLAN_ISA_A64_FOREIGN_H

#include "isa/foreign.h"

extern const struct isa_foreign a64_foreign;

#endif
