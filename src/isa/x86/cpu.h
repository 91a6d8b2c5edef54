/* The processor that runs this program, by CPUID. */
#ifndef PORTOLAN_ISA_X86_CPU_H
#define PORTOLAN_ISA_X86_CPU_H

#include "isa/cpu.h"

extern const struct isa_cpu x86_cpu;   /* only on an x86-64 processor */

#endif
