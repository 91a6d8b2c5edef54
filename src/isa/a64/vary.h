/* Changed instructions of AArch64 (isa/vary.h). */
#ifndef PORTOLAN_ISA_A64_VARY_H
#define PORTOLAN_ISA_A64_VARY_H

#include "isa/vary.h"

extern const struct isa_vary a64_vary;

#endif
