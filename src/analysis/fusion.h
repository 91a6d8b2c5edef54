/* Properties of instructions before execution: macro-fusion, move elimination, and the mapping's
 * entry of a form */
#ifndef PORTOLAN_ANALYSIS_FUSION_H
#define PORTOLAN_ANALYSIS_FUSION_H

#include "isa/insn.h"
#include "model/machine.h"

/* Returns whether @first macro-fuses with the following @branch (facts fuse_any, fuse_carry,
 * fuse_overflow, fuse_zero, fuse_memory_immediate). Any thread. */
bool fusion_pairs(const struct machine *m, const struct insn *first, const struct insn *branch);
/* Returns whether @first can macro-fuse with a branch. */
bool fusion_possible(const struct machine *m, const struct insn *first);
/* Returns whether the register move @move fuses with the following @operation (fact fuse_move; for
 * movprfx, fact eliminate). The caller ensures that rename eliminates @move, and that @operation is
 * neither fused nor eliminated. */
bool fusion_moves(const struct machine *m, const struct insn *move, const struct insn *operation);
/* Returns whether rename eliminates the register move (fact eliminate; classes gpr32 gpr64 xmm ymm
 * zmm, on AArch64 x w v s zero). */
bool fusion_eliminates(const struct machine *m, const struct insn *move);
/* Returns whether moves like @move execute if an eliminated move wrote their source (fact
 * eliminate_once). */
bool fusion_eliminates_once(const struct machine *m, const struct insn *move);
/* Returns the mapping's entry of the instruction's form, or of an equivalent form. An equivalent
 * form has another immediate width or branch distance, a high-byte register, or EVEX instead of
 * VEX. Returns NULL if the machine has neither. */
const struct mapping_entry *fusion_resolve(const struct machine *m, const struct insn *insn);

#endif
