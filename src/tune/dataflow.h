/* Freedom of instruction order in a loop: which instruction reads which result in registers, flags
 * and memory, and whether another order preserves that. Values are tracked, not names: two writes
 * of a register without a read between may be exchanged. */
#ifndef PORTOLAN_TUNE_DATAFLOW_H
#define PORTOLAN_TUNE_DATAFLOW_H

#include "isa/insn.h"

struct dataflow;
/* @insns, borrowed: straight-line code that repeats, with a branch only at its end. */
struct dataflow *dataflow_new(const struct insn *insns, size_t count);
void dataflow_free(struct dataflow *f);
/* Returns whether the order @order (indices) preserves all inputs and results: in registers, flags,
 * and memory, where accesses keep their order if one writes, unless known to be disjoint.
 * Instructions that must not move (locked, fences, x87, system) keep their place relative to all
 * others. */
bool dataflow_keeps(const struct dataflow *f, const uint32_t *order);
/* Returns whether instruction @at may change places with any other. */
bool dataflow_moves(const struct dataflow *f, size_t at);
/* Returns whether flags @mask after instruction @at are overwritten in the same iteration before a
 * read. */
bool dataflow_flags_dead(const struct insn *insns, size_t count, size_t at, uint32_t mask);
/* Returns whether @in may be moved: it computes on registers and ordinary memory, and does not
 * branch. */
bool dataflow_plain(const struct insn *in);
/* Returns whether operand @k of @in reads, or writes, register @reg directly (not in an address); a
 * kept part of the old value counts as read. */
bool dataflow_reads(const struct insn *in, unsigned k, uint8_t reg);
bool dataflow_writes(const struct insn *in, unsigned k, uint8_t reg);

#endif
