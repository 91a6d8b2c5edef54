/* Model of the first-level cache: loads per bank and cycle, accesses that cross lines, and merging
 * of consecutive stores to a line */
#ifndef PORTOLAN_ANALYSIS_FIRST_LEVEL_H
#define PORTOLAN_ANALYSIS_FIRST_LEVEL_H

#include "analysis/addresses.h"
#include "analysis/core.h"

/* size in bytes of a cache line; the offset in the line selects the bank */
#define FIRST_LEVEL_LINE 64

/* Returns the set of the banks that @bytes bytes at @offset access. @bank_bytes is a power of two
 * from 2 to 64. */
uint32_t first_level_banks(int64_t offset, uint32_t bytes, uint32_t bank_bytes);
/* Returns whether @bytes bytes (at most a line) at @offset cross a boundary between lines of @line
 * bytes, a power of two. */
bool first_level_crosses(int64_t offset, uint32_t bytes, uint32_t line);
/* Returns the share of iterations in which @access crosses a 64-byte line; 0 if its stride is
 * unknown or its address is relative to the program counter. */
double first_level_split_share(const struct access *access);
/* Returns the number of load slots of a load that crosses a line (fact split_loads_per_cycle), at
 * most all slots of a cycle. Returns NaN if a fact is unknown. */
double first_level_split_slots(const struct core *c);
/* Returns the number of iterations after which the offset of @access in a line of @line bytes
 * repeats. */
uint32_t first_level_period(const struct access *access, uint32_t line);
/* Returns whether lines @a and @b (addresses divided by 64) conflict in a bank (fact
 * load_line_banks). */
bool first_level_lines_clash(const struct core *c, uint64_t a, uint64_t b);
/* Returns the cycles per iteration of the loads in @work. The limits are banks (facts
 * load_bank_bytes, loads_per_bank, load_line_banks) and crossed lines (split_loads_per_cycle).
 * Loads at unknown distances are assumed not to conflict. Returns 0 if the machine lacks these
 * facts. */
double first_level_loads(const struct core *c, const struct address_work *work);
/* Returns the number of cache writes per iteration in the steady state. Consecutive stores to one
 * line take one write (facts store_line_bytes, store_run), and a store across two lines takes two.
 * A partly written word waits for a recent write of the same word (store_word_bytes, _busy, _wait).
 * Each cycle of this wait counts as a write. Assumes stores in every cycle, as in a loop whose
 * limit is stores. */
double first_level_store_runs(const struct core *c, const struct address_work *work);

#endif
