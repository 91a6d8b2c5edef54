/* Possible orders of a loop's instructions: which instruction reads which result in registers,
 * flags and memory, and whether another order preserves this. The dataflow consists of values, not
 * of register names. Two writes of a register without a read between them may be exchanged. */
#ifndef PORTOLAN_TUNE_DATAFLOW_H
#define PORTOLAN_TUNE_DATAFLOW_H

#include "isa/insn.h"

struct dataflow;
/* Creates the dataflow of @insns (borrowed), straight-line code that repeats, with a branch only at
 * its end. */
struct dataflow *dataflow_new(const struct insn *insns, size_t count);
void dataflow_free(struct dataflow *f);
/* Returns whether order @order (of indices) preserves all inputs and results in registers, flags
 * and memory. The order of two memory accesses is fixed if one writes, unless they are known to be
 * disjoint. Locked instructions, fences, x87 and system instructions have a fixed place relative to
 * all others. */
bool dataflow_keeps(const struct dataflow *f, const uint32_t *order);
/* Returns whether instruction @at can be moved (dataflow_plain). */
bool dataflow_moves(const struct dataflow *f, size_t at);
/* Returns whether all flags in @mask are overwritten after instruction @at in the same iteration
 * before they are read. */
bool dataflow_flags_dead(const struct insn *insns, size_t count, size_t at, uint32_t mask);
/* Returns whether @in may be moved: it uses only registers and ordinary memory, and does not
 * branch. */
bool dataflow_plain(const struct insn *in);
/* dataflow_reads and dataflow_writes return whether operand @k of @in reads, or writes, register
 * @reg directly, and not in an address. An operand that preserves a part of the old value is
 * considered read. */
bool dataflow_reads(const struct insn *in, unsigned k, uint8_t reg);
bool dataflow_writes(const struct insn *in, unsigned k, uint8_t reg);

#endif
