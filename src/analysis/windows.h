/* Delivery from a µop cache by windows. A line contains uop_cache_line_insns instructions, in
 * sequence from a jump's target. Code is read by aligned windows of uop_cache_window bytes, one per
 * cycle. The first uop_cache_window_lines lines that begin in a window are delivered together. Each
 * further uop_cache_window_lines lines take uop_cache_window_again cycles. Derived from loops of
 * moves and nops on a Zen 5: docs/notes/zen5.md, "Windows". */
#ifndef PORTOLAN_ANALYSIS_WINDOWS_H
#define PORTOLAN_ANALYSIS_WINDOWS_H

#include "analysis/cost.h"
#include "base/vec.h"

/* A group of instructions delivered together. A macro-fused pair or a fused move counts as one. */
struct window_group {
    uint16_t insns;    /* instructions; at most 64 lines of 64 */
    uint16_t cycles;   /* cycles since the previous group; 0: delivered together with it */
};

/* Groups of copies of a loop, until their pattern repeats. */
struct window_groups {
    VEC(struct window_group) list;
    size_t copies;
    unsigned before;   /* instructions of the first group that belong to the previous copy */
    double cycles;     /* cycles of the µop cache per copy */
};

/* Returns whether the machine has all four facts of the windows. */
bool windows_known(const struct core *c);
/* Computes the groups in @g, which is emptied first; windows_done frees it. @align is the address
 * of the first byte modulo 64. The machine must have windows_known. Any thread. */
void windows_form(const struct core *c, const struct insn *insns, const struct costs *costs,
                  enum shape shape, unsigned align, struct window_groups *g);
void windows_done(struct window_groups *g);

#endif
