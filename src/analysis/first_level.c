/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/first_level.h"

#include <math.h>

#define BANKS_MOST 32

uint32_t first_level_banks(int64_t offset, uint32_t bytes, uint32_t bank_bytes)
{
    uint32_t banks = FIRST_LEVEL_LINE / bank_bytes, touched = 0;
    uint64_t first = (uint64_t)offset / bank_bytes, last = ((uint64_t)offset + bytes - 1) / bank_bytes;

    for (uint64_t bank = first; bank <= last && bank < first + banks; bank++)
        touched |= 1u << bank % banks;
    return touched;
}

bool first_level_crosses(int64_t offset, uint32_t bytes, uint32_t line)
{
    return bytes <= line && (uint64_t)offset % line + bytes > line;
}

uint32_t first_level_period(const struct access *access, uint32_t line)
{
    uint64_t step = (uint64_t)access->step % line, lowest = step & -step;
    return lowest ? line / (uint32_t)lowest : 1;
}

/* What one load adds to its banks, and to the crossed lines, averaged over the places in a line that its step takes it to. */
static double add_load(const struct access *access, uint32_t bank_bytes, double *banks)
{
    uint32_t places = first_level_period(access, FIRST_LEVEL_LINE);
    double share = 1.0 / places, crossed = 0;

    for (uint32_t k = 0; k < places; k++) {
        int64_t offset = (int64_t)((uint64_t)access->offset + k * (uint64_t)access->step);
        for (uint32_t rest = bank_bytes ? first_level_banks(offset, access->bytes, bank_bytes) : 0; rest; rest &= rest - 1)
            banks[__builtin_ctz(rest)] += share;
        crossed += first_level_crosses(offset, access->bytes, FIRST_LEVEL_LINE) ? share : 0;
    }
    return crossed;
}

static bool is_placed_load(const struct access *access)
{
    return !access->store && access->stepped && !access->fixed;
}

/* The loads whose addresses can be compared with that of access @first. */
static double bound_of(const struct core *c, const struct address_work *work, size_t first)
{
    double banks[BANKS_MOST] = {0}, crossed = 0, most = 0;
    uint32_t symbol = work->accesses.items[first].symbol, bank_bytes = isnan(c->load_bank_bytes) ? 0 : (uint32_t)c->load_bank_bytes;

    for (size_t i = first; i < work->accesses.count; i++)
        if (is_placed_load(&work->accesses.items[i]) && work->accesses.items[i].symbol == symbol)
            crossed += add_load(&work->accesses.items[i], bank_bytes, banks);
    for (size_t i = 0; i < BANKS_MOST; i++)
        most = fmax(most, banks[i]);
    return fmax(most / c->loads_per_bank, crossed / c->split_loads_per_cycle);   /* fmax ignores a NaN */
}

double first_level_loads(const struct core *c, const struct address_work *work)
{
    double bound = 0;

    if (isnan(c->load_bank_bytes) && isnan(c->split_loads_per_cycle))
        return 0;
    for (size_t i = 0; i < work->accesses.count; i++) {
        bool first = is_placed_load(&work->accesses.items[i]);
        for (size_t k = 0; first && k < i; k++)
            first = !is_placed_load(&work->accesses.items[k]) || work->accesses.items[k].symbol != work->accesses.items[i].symbol;
        if (first)
            bound = fmax(bound, bound_of(c, work, i));
    }
    return bound;
}

/* The run of stores that is open. */
struct line_run {
    bool open;
    uint32_t length;
    uint64_t symbol, line;
    double count;            /* runs so far */
};

/* Iteration @k of @access. */
static void add_store(struct line_run *run, const struct access *access, uint32_t k, uint32_t line_bytes, double most)
{
    int64_t offset = (int64_t)((uint64_t)access->offset + k * (uint64_t)access->step);
    uint64_t line = (uint64_t)offset / line_bytes, symbol = access->origin | (access->stepped ? 0 : (k + 1ull - access->age) << 32);

    if (first_level_crosses(offset, access->bytes, line_bytes)) {
        run->count += 2;
        run->open = false;
    } else if (run->open && run->symbol == symbol && run->line == line && !(run->length >= most)) {
        run->length++;
    } else {
        *run = (struct line_run){true, 1, symbol, line, run->count + 1};
    }
}

double first_level_store_runs(const struct core *c, const struct address_work *work)
{
    uint32_t line = isnan(c->store_line_bytes) || c->store_line_bytes < 1 ? FIRST_LEVEL_LINE : (uint32_t)c->store_line_bytes, period = 1;
    struct line_run run = {0};
    double before = 0;

    for (size_t i = 0; i < work->accesses.count; i++) {
        uint32_t own = work->accesses.items[i].store ? first_level_period(&work->accesses.items[i], line) : 1;
        period = own > period ? own : period;
    }
    /* One period to get going, two to count: a run may end in every second. */
    for (uint32_t k = 0; k < 3 * period; k++) {
        before = k == period ? run.count : before;
        for (size_t i = 0; i < work->accesses.count; i++) {
            const struct access *access = &work->accesses.items[i];
            if (access->store)
                add_store(&run, access, k, line, c->store_run);
        }
    }
    return (run.count - before) / (2 * period);
}
