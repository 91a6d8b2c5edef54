/* x86-64 code of others. */
#ifndef PORTOLAN_ISA_X86_FOREIGN_H
#define PORTOLAN_ISA_X86_FOREIGN_H

#include "isa/foreign.h"

extern const struct isa_foreign x86_foreign;

#endif
