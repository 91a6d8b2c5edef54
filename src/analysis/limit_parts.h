/* Parts of limit.c: operations of dependence chains, and code that splits a sum. One thread. */
#ifndef PORTOLAN_ANALYSIS_LIMIT_PARTS_H
#define PORTOLAN_ANALYSIS_LIMIT_PARTS_H

#include "analysis/analysis.h"
#include "analysis/deps.h"


/* Operation of an instruction on the previous value of a chain */
enum link_class {
    LINK_MOVE, LINK_ADD, LINK_MULTIPLY, LINK_AND, LINK_OR, LINK_XOR, LINK_MINMAX, LINK_SELECT,
    LINK_COMPARE,
    LINK_SHIFT,      /* multiplication by a power of two */
    LINK_SCALE,      /* multiplication by another input, possibly with addition of a third input */
    LINK_OTHER
};

/* Returns the instruction that produces the value at the end of edge @at. */
const struct insn *link_insn(const struct analysis *a, const struct deps *d, size_t at);
/* Returns the operation of link_insn on the value of edge @at. */
enum link_class link_class_of(const struct analysis *a, const struct deps *d, size_t at);
/* Returns the index of the operand that a fused multiply-add adds. */
int link_addend(const struct insn *insn);
/* Returns whether operand @end (enum latency_end) is an address register that the access itself
 * changes, by write-back or in a string instruction. */
bool link_is_stepped(const struct insn *insn, int end);
/* Returns whether edge @at exists because masked lanes keep the destination's old value. */
bool link_keeps_lanes(const struct analysis *a, const struct deps *d, size_t at);


/* Returns a text of headings and instructions. They split the accumulator of @chain, a reduction in
 * @d of the loop of @a, over up to @requested registers, at most 8. The added registers are zeroed
 * before the loop and added to the accumulator after it. The caller frees the text. NULL: the sum
 * cannot be split. */
char *accumulators_split(const struct analysis *a, const struct deps *d,
                         const struct limit_chain *chain, unsigned requested);

#endif
