/* Finds loops of decoded code: backward branches that their target reaches. */
#ifndef PORTOLAN_ANALYSIS_LOOPS_H
#define PORTOLAN_ANALYSIS_LOOPS_H

#include "analysis/kernel.h"

/* Code from a jump's target to the jump, in instructions or bytes. */
struct loop_region {
    size_t first, last;   /* head and closing branch */
    unsigned depth;       /* 1: outermost */
    bool innermost;
    uint64_t vector_bits, size;   /* weights for the ranking */
};

/* Sorts regions by position and keeps proper loops: of one head the longest, and none that partly
 * overlaps another. Sets depth and innermost; returns their number. Any thread. */
size_t loops_nest(struct loop_region *regions, size_t count);
/* Finds the loops among @insns (sorted by offset), best first: innermost, then deepest, most vector
 * work, longest, first in the code. @labels (sorted by offset) name heads and bound functions.
 * Returns their number; the caller frees *@out, each entry by loops_done. Any thread. */
size_t loops_find(const struct insn *insns, size_t count, const struct label *labels,
                  size_t label_count, struct kernel_loop **out);
void loops_done(struct kernel_loop *loops, size_t count);
/* Index of the target of branch @insns[@at]; SIZE_MAX for calls, returns, other instructions, and
 * targets that are unknown or outside. */
size_t loop_branch_target(const struct insn *insns, size_t count, size_t at);
/* Returns whether the next instruction may follow @insn. */
bool loop_falls_through(const struct insn *insn);
/* Returns whether it is an indirect jump: its target may be anywhere in the function. */
bool loop_jumps_anywhere(const struct insn *insn);
/* Makes a loop of @count instructions from @first; copies the strings. */
struct kernel_loop loop_make(const struct insn *insns, size_t first, size_t count,
                             const char *label, const char *why);
/* Appends a loop for a part of loop @within: from instruction @first of the unit to the branch at
 * @last that jumps back to it. Once, before others hold @k. */
void loops_add_part(struct kernel *k, size_t within, size_t first, size_t last);

#endif
