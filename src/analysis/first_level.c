/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/first_level.h"

#include <math.h>
#include <stdlib.h>

#include "base/compare.h"

#define BANKS_MOST 32

uint32_t first_level_banks(int64_t offset, uint32_t bytes, uint32_t bank_bytes)
{
    uint32_t banks = FIRST_LEVEL_LINE / bank_bytes, touched = 0;
    uint64_t first = (uint64_t)offset / bank_bytes,
             last = ((uint64_t)offset + bytes - 1) / bank_bytes;

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

double first_level_split_share(const struct access *access)
{
    uint32_t places = first_level_period(access, FIRST_LEVEL_LINE), crossed = 0;

    if (!access->stepped || access->fixed)
        return 0;
    for (uint32_t k = 0; k < places; k++)
        crossed +=
            first_level_crosses((int64_t)((uint64_t)access->offset + k * (uint64_t)access->step),
                                access->bytes, FIRST_LEVEL_LINE);
    return (double)crossed / places;
}

double first_level_split_slots(const struct core *c)
{
    return isnan(c->split_loads_per_cycle) || isnan(c->loads_per_cycle)
               ? NAN
               : fmin(c->loads_per_cycle, c->loads_per_cycle / c->split_loads_per_cycle);
}

/* Adds the accesses of a load to @banks, averaged over the offsets of the load in a line. Returns
 * the share of accesses that cross a line. */
static double add_load(const struct access *access, uint32_t bank_bytes, double *banks)
{
    uint32_t places = first_level_period(access, FIRST_LEVEL_LINE);
    double share = 1.0 / places, crossed = 0;

    for (uint32_t k = 0; k < places; k++) {
        int64_t offset = (int64_t)((uint64_t)access->offset + k * (uint64_t)access->step);
        for (uint32_t rest = bank_bytes ? first_level_banks(offset, access->bytes, bank_bytes) : 0;
             rest; rest &= rest - 1)
            banks[__builtin_ctz(rest)] += share;
        crossed += first_level_crosses(offset, access->bytes, FIRST_LEVEL_LINE) ? share : 0;
    }
    return crossed;
}

static bool is_placed_load(const struct access *access)
{
    return !access->store && access->stepped && !access->fixed;
}

static double bound_of(const struct core *c, const struct address_work *work, size_t first)
{
    double banks[BANKS_MOST] = {0}, crossed = 0, most = 0;
    uint32_t symbol = work->accesses.items[first].symbol,
             bank_bytes = isnan(c->load_bank_bytes) ? 0 : (uint32_t)c->load_bank_bytes;

    for (size_t i = first; i < work->accesses.count; i++)
        if (is_placed_load(&work->accesses.items[i]) && work->accesses.items[i].symbol == symbol)
            crossed += add_load(&work->accesses.items[i], bank_bytes, banks);
    for (size_t i = 0; i < BANKS_MOST; i++)
        most = fmax(most, banks[i]);
    /* fmax ignores an argument that is NaN. */
    return fmax(most / c->loads_per_bank, crossed / c->split_loads_per_cycle);
}

bool first_level_lines_clash(const struct core *c, uint64_t a, uint64_t b)
{
    return !isnan(c->load_line_banks) && a != b && (a ^ b) % (uint64_t)c->load_line_banks == 0;
}

/* Returns the cycles per iteration of the busiest bank of lines, for the loads whose address has
 * the symbol of access @first. Per cycle, a bank delivers one line, to up to @together loads. */
static double line_banks_of(const struct core *c, const struct address_work *work, size_t first,
                            unsigned together)
{
    uint32_t symbol = work->accesses.items[first].symbol, banks = (uint32_t)c->load_line_banks,
             period = 1, loads = 0;
    double cycles[BANKS_MOST] = {0}, most = 0;

    for (size_t i = first; i < work->accesses.count; i++) {
        const struct access *access = &work->accesses.items[i];
        if (!is_placed_load(access) || access->symbol != symbol)
            continue;
        uint32_t own = first_level_period(access, FIRST_LEVEL_LINE * banks);
        period = own > period ? own : period;
        loads++;
    }
    uint64_t *lines = mem_alloc(((size_t)2 * loads * period + 1) * sizeof *lines);
    size_t count = 0;
    for (size_t i = first; i < work->accesses.count; i++) {
        const struct access *access = &work->accesses.items[i];
        for (uint32_t k = 0; is_placed_load(access) && access->symbol == symbol && k < period;
             k++) {
            uint64_t at = (uint64_t)access->offset + k * (uint64_t)access->step;
            lines[count++] = at / FIRST_LEVEL_LINE;
            if (first_level_crosses((int64_t)at, access->bytes, FIRST_LEVEL_LINE))
                lines[count++] = at / FIRST_LEVEL_LINE + 1;
        }
    }
    qsort(lines, count, sizeof *lines, compare_uint64);
    for (size_t i = 0, n; i < count; i += n) {
        for (n = 1; i + n < count && lines[i + n] == lines[i];)
            n++;
        cycles[lines[i] % banks] += (double)((n + together - 1) / together);
    }
    free(lines);
    for (uint32_t bank = 0; bank < banks; bank++)
        most = fmax(most, cycles[bank] / period);
    return most;
}

double first_level_loads(const struct core *c, const struct address_work *work)
{
    double bound = 0;

    bool lines = c->load_line_banks > 1;
    unsigned together = c->load && c->load->count ? portset_size(c->load->uops[0].ports) : 1;
    if (isnan(c->load_bank_bytes) && isnan(c->split_loads_per_cycle) && !lines)
        return 0;
    for (size_t i = 0; i < work->accesses.count; i++) {
        bool first = is_placed_load(&work->accesses.items[i]);
        for (size_t k = 0; first && k < i; k++)
            first = !is_placed_load(&work->accesses.items[k]) ||
                    work->accesses.items[k].symbol != work->accesses.items[i].symbol;
        if (first)
            bound = fmax(bound, bound_of(c, work, i));
        if (first && lines)
            bound = fmax(bound, line_banks_of(c, work, i, together));
    }
    return bound;
}

#define RUNS_KEPT 8

/* Consecutive stores to one line of up to 64 bytes. @bytes: set of the bytes that they write. */
struct line_run {
    uint64_t symbol, line, bytes;
    double at;               /* cycle in which the run wrote the cache */
};

struct line_runs {
    const struct core *core;
    uint32_t line_bytes;
    bool open;
    uint32_t length;
    double count;            /* cycles of all cache writes until now: one per run, plus waits */
    struct line_run now, closed[RUNS_KEPT];
    size_t closed_count;
};

static uint64_t bytes_from(uint32_t from, uint32_t bytes)
{
    return bytes ? (~0ull >> (64 - bytes)) << from : 0;
}

/* Returns the words that @bytes writes, as a set of bytes. If @part is true, returns only the
 * partly written words. */
static uint64_t words_of(uint64_t bytes, uint32_t word_bytes, bool part)
{
    uint64_t word = word_bytes < 64 ? (1ull << word_bytes) - 1 : ~0ull, words = 0;

    for (; word; word = word_bytes < 64 ? word << word_bytes : 0)
        if (bytes & word && !(part && (bytes & word) == word))
            words |= word;
    return words;
}

/* Closes the open run. If the run writes a word partly, the cache first reads the word, which waits
 * for a recent write of the word. */
static void close_run(struct line_runs *runs)
{
    const struct core *c = runs->core;

    if (!runs->open || isnan(c->store_word_bytes))
        return;
    uint32_t word = (uint32_t)c->store_word_bytes;
    uint64_t part = words_of(runs->now.bytes, word, true);
    bool busy = false;
    for (size_t i = 0; part && i < RUNS_KEPT && i < runs->closed_count; i++) {
        const struct line_run *before = &runs->closed[i];
        busy |= before->symbol == runs->now.symbol && before->line == runs->now.line &&
                words_of(before->bytes, word, false) & part &&
                runs->count - before->at < c->store_word_busy;
    }
    runs->count += busy ? c->store_word_wait : 0;
    runs->now.at = runs->count;
    runs->closed[runs->closed_count++ % RUNS_KEPT] = runs->now;
}

/* Starts a run with the store of @bytes bytes at byte @from of @line. */
static void open_run(struct line_runs *runs, uint64_t symbol, uint64_t line, uint32_t from,
                     uint32_t bytes)
{
    close_run(runs);
    runs->count++;
    runs->open = true;
    runs->length = 1;
    runs->now = (struct line_run){.symbol = symbol, .line = line, .bytes = bytes_from(from, bytes)};
}

/* Adds the store of @access in iteration @k to the open run, or starts a run. A store that crosses
 * a line makes two runs, to which no store is added. */
static void add_store(struct line_runs *runs, const struct access *access, uint32_t k)
{
    int64_t offset = (int64_t)((uint64_t)access->offset + k * (uint64_t)access->step);
    uint64_t line = (uint64_t)offset / runs->line_bytes,
             symbol = access->origin | (access->stepped ? 0 : (k + 1ull - access->age) << 32);
    uint32_t from = (uint32_t)((uint64_t)offset % runs->line_bytes),
             bytes = access->bytes < runs->line_bytes ? access->bytes : runs->line_bytes;

    if (first_level_crosses(offset, access->bytes, runs->line_bytes)) {
        uint32_t first = runs->line_bytes - from;
        open_run(runs, symbol, line, from, first);
        open_run(runs, symbol, line + 1, 0, bytes - first);
        close_run(runs);
        runs->open = false;
    } else if (runs->open && runs->now.symbol == symbol && runs->now.line == line &&
               !(runs->length >= runs->core->store_run)) {
        runs->length++;
        runs->now.bytes |= bytes_from(from, bytes);
    } else {
        open_run(runs, symbol, line, from, bytes);
    }
}

double first_level_store_runs(const struct core *c, const struct address_work *work)
{
    uint32_t line = isnan(c->store_line_bytes) || c->store_line_bytes < 1
                        ? FIRST_LEVEL_LINE
                        : (uint32_t)c->store_line_bytes,
             period = 1;
    struct line_runs runs = {.core = c,
                             .line_bytes = line < FIRST_LEVEL_LINE ? line : FIRST_LEVEL_LINE};
    double before = 0;

    for (size_t i = 0; i < work->accesses.count; i++) {
        uint32_t own =
            work->accesses.items[i].store ? first_level_period(&work->accesses.items[i], line) : 1;
        period = own > period ? own : period;
    }
    /* Counts two periods, because a run may end only in every second period. The earlier periods
     * are warm-up: two if writes can wait, otherwise one. */
    uint32_t start = isnan(c->store_word_bytes) ? 1 : 2, end = start + 2;
    for (uint32_t k = 0; k < end * period; k++) {
        before = k == start * period ? runs.count : before;
        for (size_t i = 0; i < work->accesses.count; i++)
            if (work->accesses.items[i].store)
                add_store(&runs, &work->accesses.items[i], k);
    }
    return (runs.count - before) / (2 * period);
}
