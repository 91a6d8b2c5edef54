/* The first-level cache behind the ports: banks of a few bytes with a number of loads per cycle,
 * lines that an access may cross, and stores that commit together as neighbours on a line. */
#ifndef PORTOLAN_ANALYSIS_FIRST_LEVEL_H
#define PORTOLAN_ANALYSIS_FIRST_LEVEL_H

#include "analysis/addresses.h"
#include "analysis/core.h"

#define FIRST_LEVEL_LINE 64    /* bytes of a line of loads; an address modulo this selects its
                                * bank */

/* Banks that @bytes at @offset touch, as bits; banks of @bank_bytes, a power of two from 2 to
 * 64. */
uint32_t first_level_banks(int64_t offset, uint32_t bytes, uint32_t bank_bytes);
/* True when @bytes at @offset lie in two lines of @line bytes, a power of two; not for more than a
 * line. */
bool first_level_crosses(int64_t offset, uint32_t bytes, uint32_t line);
/* Share of the iterations in which @access crosses a line of 64 bytes; 0 if its address is
 * unknown. */
double first_level_split_share(const struct access *access);
/* Iterations after which @access, wherever its step takes it, is at the same place of @line bytes
 * again. */
uint32_t first_level_period(const struct access *access, uint32_t line);
/* True when lines @a and @b, numbers of 64 bytes, are two of one bank (fact load_line_banks). */
bool first_level_lines_clash(const struct core *c, uint64_t a, uint64_t b);
/* Cycles per iteration that the loads of @work need by their addresses: banks (facts
 * load_bank_bytes, loads_per_bank, load_line_banks) and lines crossed (split_loads_per_cycle).
 * Loads at unknown distances from each other are taken not to conflict. 0 without the facts. */
double first_level_loads(const struct core *c, const struct address_work *work);
/* Runs of stores to one line per iteration in the steady state (facts store_line_bytes, store_run):
 * each takes the cache once. A store across two lines takes part in no run and counts for two. To
 * these are added the waits of stores that leave a word in part (store_word_bytes, _busy, _wait):
 * the word is read first, which waits where a run shortly before wrote it; as counted with the
 * stores back to back, which is how they run once they wait. */
double first_level_store_runs(const struct core *c, const struct address_work *work);

#endif
