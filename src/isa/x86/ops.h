/* x86-64 as an instruction set. */
#ifndef PORTOLAN_ISA_X86_OPS_H
#define PORTOLAN_ISA_X86_OPS_H

#include "isa/isa.h"

extern const struct isa_ops x86_ops;

#endif
