/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/banks.h"

#include <math.h>

#define BANKS_MOST 32

uint32_t banks_touched(int64_t offset, uint32_t bytes, uint32_t bank_bytes)
{
    uint32_t banks = BANKS_LINE / bank_bytes, touched = 0;
    uint64_t first = (uint64_t)offset / bank_bytes, last = ((uint64_t)offset + bytes - 1) / bank_bytes;

    for (uint64_t bank = first; bank <= last && bank < first + banks; bank++)
        touched |= 1u << bank % banks;
    return touched;
}

bool banks_crosses(int64_t offset, uint32_t bytes)
{
    return bytes <= BANKS_LINE && ((uint64_t)offset % BANKS_LINE) + bytes > BANKS_LINE;
}

/* What one load adds to its banks, and to the crossed lines, averaged over the places in a line that its step takes it to. */
static double add_load(const struct access *access, uint32_t bank_bytes, double *banks)
{
    uint64_t step = (uint64_t)access->step % BANKS_LINE, lowest = step & -step, places = lowest ? BANKS_LINE / lowest : 1;
    double share = 1.0 / (double)places, crossed = 0;

    for (uint64_t k = 0; k < places; k++) {
        int64_t offset = (int64_t)((uint64_t)access->offset + k * step);
        for (uint32_t rest = bank_bytes ? banks_touched(offset, access->bytes, bank_bytes) : 0; rest; rest &= rest - 1)
            banks[__builtin_ctz(rest)] += share;
        crossed += banks_crosses(offset, access->bytes) ? share : 0;
    }
    return crossed;
}

/* The loads whose addresses can be compared with that of access @first. */
static double bound_of(const struct core *c, const struct address_work *work, size_t first)
{
    double banks[BANKS_MOST] = {0}, crossed = 0, most = 0;
    uint32_t symbol = work->accesses.items[first].symbol;

    for (size_t i = first; i < work->accesses.count; i++) {
        const struct access *access = &work->accesses.items[i];
        if (!access->store && access->stepped && access->symbol == symbol)
            crossed += add_load(access, isnan(c->load_bank_bytes) ? 0 : (uint32_t)c->load_bank_bytes, banks);
    }
    for (size_t i = 0; i < BANKS_MOST; i++)
        most = fmax(most, banks[i]);
    return fmax(most / c->loads_per_bank, crossed / c->split_loads_per_cycle);   /* fmax ignores a NaN */
}

double banks_bound(const struct core *c, const struct address_work *work)
{
    double bound = 0;

    if (isnan(c->load_bank_bytes) && isnan(c->split_loads_per_cycle))
        return 0;
    for (size_t i = 0; i < work->accesses.count; i++) {
        bool first = !work->accesses.items[i].store && work->accesses.items[i].stepped;
        for (size_t k = 0; first && k < i; k++)
            first = work->accesses.items[k].store || !work->accesses.items[k].stepped || work->accesses.items[k].symbol != work->accesses.items[i].symbol;
        if (first)
            bound = fmax(bound, bound_of(c, work, i));
    }
    return bound;
}
