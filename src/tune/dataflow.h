/* What of a loop's order is free: which instruction reads which one's result, in registers, flags
 * and memory, and whether another order keeps all of that. Values are followed, not names: two
 * writes of a register that nobody reads in between may change places. Any thread. */
#ifndef PORTOLAN_TUNE_DATAFLOW_H
#define PORTOLAN_TUNE_DATAFLOW_H

#include "isa/insn.h"

struct dataflow;
/* Of @insns, borrowed: straight-line code that repeats, a branch at its end at most. */
struct dataflow *dataflow_new(const struct insn *insns, size_t count);
void dataflow_free(struct dataflow *f);
/* Whether the instructions in the order @order (indices) have the same inputs and results: in
 * registers, in flags, and in memory, where accesses of which one writes keep their order unless
 * they are known to be disjoint. Instructions that may not move (locked, fences, x87, system) keep
 * their place relative to all others. */
bool dataflow_keeps(const struct dataflow *f, const uint32_t *order);
/* Whether instruction @at may change places with any other at all. */
bool dataflow_moves(const struct dataflow *f, size_t at);
/* Whether flags @mask, as they are after instruction @at, are overwritten in the same iteration
 * before anything reads them. */
bool dataflow_flags_dead(const struct insn *insns, size_t count, size_t at, uint32_t mask);
/* Whether @in may be moved at all: it computes on registers and plain memory, and does not
 * branch. */
bool dataflow_plain(const struct insn *in);
/* Whether operand @k of @in reads, or writes, register @reg as itself (not in an address); part of
 * the old value that stays counts as read. */
bool dataflow_reads(const struct insn *in, unsigned k, uint8_t reg);
bool dataflow_writes(const struct insn *in, unsigned k, uint8_t reg);

#endif
