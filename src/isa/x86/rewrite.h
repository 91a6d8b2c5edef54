/* Instructions of x86-64 written otherwise (isa/rewrite.h). Internal to isa/. */
#ifndef PORTOLAN_ISA_X86_REWRITE_H
#define PORTOLAN_ISA_X86_REWRITE_H

#include "isa/rewrite.h"

extern const struct isa_rewrite x86_rewrite;

#endif
