/* Handling of instructions before the ports: idioms, eliminated moves, macro-fusion, form
 * look-up. */
#ifndef PORTOLAN_ANALYSIS_FUSION_H
#define PORTOLAN_ANALYSIS_FUSION_H

#include "isa/insn.h"
#include "model/machine.h"

/* True when @first and the following @branch issue as one (facts fuse_any, fuse_carry, fuse_zero).
 * Any thread. */
bool fusion_pairs(const struct machine *m, const struct insn *first, const struct insn *branch);
/* Whether some branch after @first would fuse with it. */
bool fusion_possible(const struct machine *m, const struct insn *first);
/* True when the @move between registers fuses with the following @operation (fact fuse_move), if
 * neither is fused or eliminated otherwise. */
bool fusion_moves(const struct machine *m, const struct insn *move, const struct insn *operation);
/* True when the register move is done at rename (fact eliminate: classes gpr32 gpr64 xmm ymm zmm,
 * on AArch64 x w v s zero). */
bool fusion_eliminates(const struct machine *m, const struct insn *move);
/* Returns whether @move executes when an eliminated move wrote its source (fact eliminate_once). */
bool fusion_eliminates_once(const struct machine *m, const struct insn *move);
/* The mapping's entry for the instruction: its own form, else one that executes alike (other
 * immediate width, branch distance, high byte register, EVEX for VEX). NULL when the machine does
 * not know it. */
const struct mapping_entry *fusion_resolve(const struct machine *m, const struct insn *insn);

#endif
