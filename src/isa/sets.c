/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Only this file names every instruction set. All other files use isa_ops. */
#include "isa/a64/parts.h"
#include "isa/x86/parts.h"

#define ISA_OPS(value, ops, name) [value] = &ops,

const struct isa_ops *isa_ops(enum isa isa)
{
    static const struct isa_ops *const sets[ISA_COUNT] = {ISA_SETS(ISA_OPS)};

    return sets[isa];
}
