/* AArch64 as an instruction set. */
#ifndef PORTOLAN_ISA_A64_OPS_H
#define PORTOLAN_ISA_A64_OPS_H

#include "isa/isa.h"

extern const struct isa_ops a64_ops;

#endif
