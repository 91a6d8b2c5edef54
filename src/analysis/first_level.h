/* First-level cache: banks with loads per cycle, accesses that cross lines, and neighbouring stores
 * that merge in a line. */
#ifndef PORTOLAN_ANALYSIS_FIRST_LEVEL_H
#define PORTOLAN_ANALYSIS_FIRST_LEVEL_H

#include "analysis/addresses.h"
#include "analysis/core.h"

#define FIRST_LEVEL_LINE 64    /* bytes of a cache line; an address modulo this selects the bank */

/* Bit set of the banks that @bytes at @offset touch; banks of @bank_bytes, a power of two from 2 to
 * 64. */
uint32_t first_level_banks(int64_t offset, uint32_t bytes, uint32_t bank_bytes);
/* Returns whether @bytes (at most a line) at @offset cross a line of @line bytes, a power of
 * two. */
bool first_level_crosses(int64_t offset, uint32_t bytes, uint32_t line);
/* Share of iterations in which @access crosses a line of 64 bytes; 0 if its address is unknown. */
double first_level_split_share(const struct access *access);
/* Iterations after which @access has the same offset in a line of @line bytes again, whatever its
 * start. */
uint32_t first_level_period(const struct access *access, uint32_t line);
/* Returns whether lines @a and @b, addresses divided by 64, conflict in a bank (fact
 * load_line_banks). */
bool first_level_lines_clash(const struct core *c, uint64_t a, uint64_t b);
/* Cycles per iteration that the loads of @work need because of banks (facts load_bank_bytes,
 * loads_per_bank, load_line_banks) and crossed lines (split_loads_per_cycle). Loads at unknown
 * distances are assumed not to conflict. 0 without the facts. */
double first_level_loads(const struct core *c, const struct address_work *work);
/* Cache writes of stores per iteration in the steady state: one for each run of stores to one line
 * (facts store_line_bytes, store_run). A store across two lines counts as two. Partly written words
 * add waits (store_word_bytes, _busy, _wait): the word is read first, after a recent run that wrote
 * it. Stores are assumed to be back to back, which holds when they wait. */
double first_level_store_runs(const struct core *c, const struct address_work *work);

#endif
