/* Finds loops in decoded code: backward branches whose target reaches the branch. */
#ifndef PORTOLAN_ANALYSIS_LOOPS_H
#define PORTOLAN_ANALYSIS_LOOPS_H

#include "analysis/branch.h"
#include "analysis/kernel.h"

/* Code from a jump's target to the jump. Positions are instructions or bytes. */
struct loop_region {
    /* first and last position: jump target and jump. A loop with several arms extends over all
     * arms. */
    size_t first, last;
    size_t head;          /* an instruction that each iteration executes. It is @first, unless the
                           * loop has several arms. */
    unsigned depth;       /* nesting depth; 1: outermost */
    bool innermost;
    bool dispatch;                /* whether this is a loop of computed gotos
                                   * (analysis/dispatch.h) */
    /* For the ranking: bits of vector operands, and number of instructions except nops and
     * branches. In functions.c, @size is the length of the closing branch in bytes. */
    uint64_t vector_bits, size;
};

/* Sorts regions by position. If several regions have the same first instruction, keeps the longest
 * that nests with the others. Removes regions that partly overlap another region. Sets @head,
 * @depth and @innermost. Returns the number of regions. Any thread. */
size_t loops_nest(struct loop_region *regions, size_t count);
/* Finds the loops among @insns, sorted by offset. Overlapping regions with a common head, such as
 * the arms of an if that each jump back, are one loop. The best loop is first in @out. The order
 * is by: innermost, depth, vector work, length, position in the code. @labels, sorted by offset,
 * name loop heads and delimit functions. Returns the number of loops. The caller frees *@out, and
 * each entry with loops_done. Any thread. */
size_t loops_find(const struct insn *insns, size_t count, const struct label *labels,
                  size_t label_count, struct kernel_loop **out);
void loops_done(struct kernel_loop *loops, size_t count);
/* Returns the index of the target of branch @insns[@at]. Returns SIZE_MAX for calls, returns and
 * other instructions, and if the target is unknown, outside @insns, or set by a linker
 * (INSN_REFERS). */
size_t loop_branch_target(const struct insn *insns, size_t count, size_t at);
/* Returns a loop of @count instructions from @first. Copies @label and @why. */
struct kernel_loop loop_make(const struct insn *insns, size_t first, size_t count,
                             const char *label, const char *why);
/* Appends a loop for part of loop @within: from instruction @first of the unit to the branch at
 * @last, which jumps back to @first. Call it once, before others share the kernel. */
void loops_add_part(struct kernel *k, size_t within, size_t first, size_t last);

#endif
