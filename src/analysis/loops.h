/* Loops of decoded code: backward branches whose target leads to them. */
#ifndef PORTOLAN_ANALYSIS_LOOPS_H
#define PORTOLAN_ANALYSIS_LOOPS_H

#include "analysis/kernel.h"

/* From a jump's target to the jump: by instructions, or by bytes of code. */
struct loop_region {
    size_t first, last;   /* head and closing branch */
    unsigned depth;       /* 1: outermost */
    bool innermost;
    uint64_t vector_bits, size;   /* for weighing by the caller */
};

/* Sorts by place and keeps separate loops: of one head the longest, and none that partially
 * overlaps another. Sets their depth and innermost; returns how many. Any thread. */
size_t loops_nest(struct loop_region *regions, size_t count);
/* The loops among @insns (sorted by offset), best first: innermost ones before outer ones, then the
 * deepest, the most vector work, the longest, the first in the code. @labels (sorted by offset)
 * name loop heads and bound functions. Returns how many;
 * *@out is the caller's, each freed by loops_done. Any thread. */
size_t loops_find(const struct insn *insns, size_t count, const struct label *labels,
                  size_t label_count, struct kernel_loop **out);
void loops_done(struct kernel_loop *loops, size_t count);
/* The instruction that the branch @insns[@at] leads to, SIZE_MAX for calls, returns, other
 * instructions, and targets that are unknown or not among the @count. */
size_t loop_branch_target(const struct insn *insns, size_t count, size_t at);
/* A loop over @count instructions from @first; takes no ownership of the strings. */
struct kernel_loop loop_make(const struct insn *insns, size_t first, size_t count,
                             const char *label, const char *why);
/* A part of loop @within, from instruction @first of the unit to the branch at @last that leads
 * back to it, becomes a loop of its own, the last one. Once, before others hold @k. */
void loops_add_part(struct kernel *k, size_t within, size_t first, size_t last);

#endif
