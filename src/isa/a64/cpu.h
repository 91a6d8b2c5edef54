/* The kernel's description of this processor. */
#ifndef PORTOLAN_ISA_A64_CPU_H
#define PORTOLAN_ISA_A64_CPU_H

#include "isa/cpu.h"

extern const struct isa_cpu a64_cpu;   /* only on an AArch64 processor */

#endif
