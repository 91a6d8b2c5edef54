/* The first-level cache behind the load ports: banks of a few bytes, each of which serves so many loads a cycle, and lines that a load may cross. */
#ifndef PORTOLAN_ANALYSIS_BANKS_H
#define PORTOLAN_ANALYSIS_BANKS_H

#include "analysis/addresses.h"
#include "analysis/core.h"

#define BANKS_LINE 64    /* bytes; an address modulo this tells its bank */

/* Banks that @bytes at @offset touch, as bits; banks of @bank_bytes, a power of two from 2 to 64. */
uint32_t banks_touched(int64_t offset, uint32_t bytes, uint32_t bank_bytes);
/* True when @bytes at @offset lie in two lines. */
bool banks_crosses(int64_t offset, uint32_t bytes);
/* Cycles per iteration that the loads of @work need by their addresses: banks (facts load_bank_bytes, loads_per_bank) and lines crossed
 * (split_loads_per_cycle). Loads at unknown distances from each other are taken to get in nobody's way. 0 without the facts. */
double banks_bound(const struct core *c, const struct address_work *work);

#endif
