/* Delivery from a µop cache by windows. A line contains up to uop_cache_line_insns instructions, in
 * sequence from a jump's target. Code is read in aligned windows of uop_cache_window bytes, one per
 * cycle. The first uop_cache_window_lines lines that begin in a window are delivered together.
 * Further lines of the window take uop_cache_window_again cycles per uop_cache_window_lines lines.
 * The rules come from loops of moves and nops on a Zen 5 (docs/notes/zen5.md, "Windows"). */
#ifndef PORTOLAN_ANALYSIS_WINDOWS_H
#define PORTOLAN_ANALYSIS_WINDOWS_H

#include "analysis/cost.h"
#include "base/vec.h"

/* A group of instructions that are delivered together. A macro-fused pair or a fused move is one
 * instruction. */
struct window_group {
    uint16_t insns;    /* number of instructions; a group has at most 64 lines of 64 instructions */
    uint16_t cycles;   /* cycles since the previous group; 0: delivered together with it */
};

/* Groups of the smallest number of copies of a loop after which their pattern repeats */
struct window_groups {
    VEC(struct window_group) list;
    size_t copies;
    /* number of instructions of the first group that belong to the previous copy */
    unsigned before;
    double cycles;     /* cycles of the µop cache per copy */
};

/* Returns whether the machine has the four facts that windows_form requires. */
bool windows_known(const struct core *c);
/* Computes the groups of a block and replaces those in @g; windows_done frees it. @align: address
 * of the first byte modulo 64. windows_known must be true. Any thread. */
void windows_form(const struct core *c, const struct insn *insns, const struct costs *costs,
                  enum shape shape, unsigned align, struct window_groups *g);
void windows_done(struct window_groups *g);

#endif
