/* Changed instructions of x86-64 (isa/vary.h). */
#ifndef PORTOLAN_ISA_X86_VARY_H
#define PORTOLAN_ISA_X86_VARY_H

#include "isa/vary.h"

extern const struct isa_vary x86_vary;

#endif
