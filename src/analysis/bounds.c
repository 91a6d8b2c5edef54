/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/bounds.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/x87_stack.h"
#include "analysis/deps.h"
#include "analysis/first_level.h"
#include "analysis/issue.h"
#include "base/mem.h"

/* Smallest ratio of measured cycles to a bound that does not contradict the machine. The margin
 * allows for errors of the clock. */
#define BELOW 0.97
/* maximum delay of a chain by additions, in cycles; measured with three additions */
#define CHAIN_DELAY_MOST (2 / 3.0)
/* Smallest ratio of the ports' cycles to the largest bound at which replays are included. Below
 * this ratio, µops rarely wait. */
#define REPLAYS_FROM 0.75
#define STORE_ROUNDS 16 /* number of simulated iterations of stores; the second half is counted */
#define WIDE (-1.0)         /* value for a store that needs all slots of a cycle */

const char *cycles_words(bool least, bool estimate)
{
    return least && estimate ? "at least about " : least ? "at least " : estimate ? "about " : "";
}

const char *cycles_sign(bool least, bool estimate)
{
    return least && estimate ? ">~" : least ? ">=" : estimate ? "~" : "";
}

const char *bound_name(enum bound_kind kind)
{
    static const char *const names[BOUND_COUNT] = {"ports",        "dividers", "issue", "frontend",
                                                   "dependencies", "memory",   "retire"};
    return names[kind];
}

struct block_work *block_work_new(const struct machine *m)
{
    struct block_work *w = mem_zero(1, sizeof *w);
    w->core = core_new(m);
    w->throughput = throughput_new(mapping_ports(m->mapping)->count);
    return w;
}

void block_work_free(struct block_work *w)
{
    if (!w)
        return;
    core_free(w->core);
    throughput_free(w->throughput);
    costs_done(&w->costs);
    deps_done(&w->deps);
    replays_done(&w->replays);
    free(w->plain);
    free(w);
}

static void port_bounds(struct block_work *w, bool want_ports, struct bounds *out)
{
    const struct costs *costs = &w->costs;
    portset pipes = w->core->pipes;
    double busy[PORTS_MAX] = {0};
    size_t plain = 0;

    if (w->plain_capacity < costs->mass_count) {
        w->plain_capacity = 2 * costs->mass_count;
        w->plain = mem_resize(w->plain, w->plain_capacity * sizeof *w->plain);
    }
    for (size_t i = 0; i < costs->mass_count; i++) {
        const struct mass *mass = &costs->masses[i];
        if (mass->ports & pipes)
            busy[__builtin_ctz(mass->ports & pipes)] += mass->count;
        else
            w->plain[plain++] = *mass;
    }
    out->cycles[BOUND_PORTS] =
        want_ports ? throughput_bottleneck(w->throughput, w->plain, plain, &out->bottleneck_ports)
                   : throughput_of_masses(w->throughput, w->plain, plain);
    out->cycles[BOUND_PIPES] = pipes ? 0 : NAN;
    for (portset rest = pipes; rest; rest &= rest - 1)
        out->cycles[BOUND_PIPES] = fmax(out->cycles[BOUND_PIPES], busy[__builtin_ctz(rest)]);
}

/* Returns the cycles of the ports with replayed operations; 0 if no operation is replayed. */
static double replayed_ports(struct block_work *w)
{
    const struct costs *costs = &w->costs;
    const struct replays *r = &w->replays;
    size_t plain = 0;

    if (!r->count)
        return 0;
    if (w->plain_capacity < costs->mass_count + r->count) {
        w->plain_capacity = 2 * (costs->mass_count + r->count);
        w->plain = mem_resize(w->plain, w->plain_capacity * sizeof *w->plain);
    }
    for (size_t i = 0; i < costs->mass_count; i++)
        if (!(costs->masses[i].ports & w->core->pipes))
            w->plain[plain++] =
                (struct mass){costs->masses[i].ports, costs->masses[i].count * REPLAY_SLOT};
    for (size_t i = 0; i < r->count; i++)
        w->plain[plain++] = r->tries[i];
    return throughput_of_masses(w->throughput, w->plain, plain) / REPLAY_SLOT;
}

/* Sets the memory bound to @cycles, and its cause to @by, if the bound is unknown or less than
 * @cycles. Ignores NaN. */
static void raise_memory(struct bounds *out, double cycles, enum accesses_by by)
{
    if (!(cycles > out->cycles[BOUND_MEMORY]) && !isnan(out->cycles[BOUND_MEMORY]))
        return;
    out->cycles[BOUND_MEMORY] = fmax(out->cycles[BOUND_MEMORY], cycles);
    out->accesses = by;
}

static void width_bounds(const struct core *c, const struct insn *insns, const struct costs *costs,
                         struct bounds *out)
{
    double retire = 0, loads = 0, stores = 0;

    for (size_t i = 0; i < costs->count; i++) {
        retire += costs->rows[i].retire;
        loads += (insns[i].traits & INSN_LOAD) != 0;
        stores += (insns[i].traits & INSN_STORE) != 0;
    }
    out->issue = issue_of(c, insns, costs);
    out->cycles[BOUND_ISSUE] = out->issue.cycles;
    out->cycles[BOUND_RETIRE] = retire / c->retire_width;
    out->cycles[BOUND_MEMORY] = NAN;
    raise_memory(out, loads / c->loads_per_cycle, ACCESSES_LOADS);
    raise_memory(out, stores / c->stores_per_cycle, ACCESSES_STORES);
}

/* Returns how many of the @stores per iteration write the cache without merging, because memory
 * renaming connects loads to stores (facts memory_renaming_store_alone,
 * memory_renaming_store_beside). */
static double stores_alone(const struct block_work *w, double stores)
{
    const struct core *c = w->core;

    if (!c->memory_renaming_store_alone || !w->deps.renamed)
        return 0;
    return isnan(c->memory_renaming_store_beside)
               ? stores
               : fmin(stores, w->deps.renamed_plain * (1 + c->memory_renaming_store_beside));
}

/* Raises the memory bound to that of the stores that write the cache (fact store_lines_per_cycle).
 * Consecutive stores to one line merge. Does nothing if the fact is unknown. */
static void store_bound(const struct block_work *w, const struct insn *insns, size_t count,
                        struct bounds *out)
{
    double stores = 0, plain = 0;

    if (isnan(w->core->store_lines_per_cycle))
        return;
    for (size_t i = 0; i < count; i++) {
        stores += (insns[i].traits & INSN_STORE) != 0;
        plain += (insns[i].traits & (INSN_STORE | INSN_LOAD)) == INSN_STORE;
    }
    double alone = plain > 0 ? stores_alone(w, stores) : 0;
    out->line_writes =
        alone < stores ? fmax(alone, first_level_store_runs(w->core, &w->deps.addresses)) : alone;
    raise_memory(out, out->line_writes / w->core->store_lines_per_cycle, ACCESSES_LINES);
}

/* Returns whether a store of a vector uses only a part of the ports of the store of a general
 * register. This is the case for the widest vectors. Ports that also add are not considered. */
static bool is_wide_store(const struct core *c, const struct costs *costs, const struct cost *row)
{
    const struct usage *sum = c->alu ? c->alu : c->add;
    const portset alu = sum && sum->count ? sum->uops[0].ports : 0;

    for (unsigned u = 0; row->op->traits & OP_VECTOR && c->store && u < c->store->count; u++) {
        const portset all = c->store->uops[u].ports;
        for (uint32_t i = 0; i < row->count && !(all & alu); i++) {
            const portset ports = costs->masses[row->first + i].ports;
            if (ports && ports != all && !(ports & ~all))
                return true;
        }
    }
    return false;
}

/* Returns the cycles of the stores. A store that crosses a line takes @each slots. Stores write the
 * cache in order, and a wide store is alone in its cycle. */
static double store_cycles(const struct block_work *w, const struct insn *insns, size_t count,
                           double each)
{
    const struct address_work *work = &w->deps.addresses;
    const double slots = w->core->stores_per_cycle;
    double *used = mem_alloc((count + 1) * sizeof *used), cycles = 0, from = 0, part = 0;

    for (size_t i = 0; i < count; i++)
        used[i] = !(insns[i].traits & INSN_STORE)                        ? 0
                  : is_wide_store(w->core, &w->costs, &w->costs.rows[i]) ? WIDE
                                                                         : 1;
    for (size_t i = 0; i < work->accesses.count; i++) {
        const struct access *access = &work->accesses.items[i];
        if (access->store && used[access->insn] > 0)
            used[access->insn] += (each - 1) * first_level_split_share(access);
    }
    for (unsigned round = 0; round < STORE_ROUNDS; round++) {
        from = round == STORE_ROUNDS / 2 ? cycles + part / slots : from;
        for (size_t i = 0; i < count; i++) {
            cycles += used[i] == WIDE && part > 0;
            part = used[i] == WIDE ? slots : part + used[i];
            for (; part >= slots; part -= slots)
                cycles++;
        }
    }
    free(used);
    return (cycles + part / slots - from) / (STORE_ROUNDS - STORE_ROUNDS / 2);
}

/* Returns the cycles of loads and stores. Wide stores and accesses that cross a line take
 * additional slots (facts split_loads_per_cycle for loads, split_access_slots). Returns 0 if there
 * are no additional cycles. */
static double split_cycles(const struct block_work *w, const struct insn *insns, size_t count)
{
    const struct core *c = w->core;
    const struct address_work *work = &w->deps.addresses;
    double loads = 0, vectors = 0, stores = 0, split = 0;

    const bool only_loads = isnan(c->split_access_slots);
    const double each = only_loads ? first_level_split_slots(c) : c->split_access_slots;
    if (isnan(each))
        return 0;
    for (size_t i = 0; i < count; i++) {
        loads += (insns[i].traits & INSN_LOAD) != 0;
        vectors += insns[i].traits & INSN_LOAD && w->costs.rows[i].op->traits & OP_VECTOR;
        stores += (insns[i].traits & INSN_STORE) != 0;
    }
    for (size_t i = 0; i < work->accesses.count; i++) {
        const struct access *access = &work->accesses.items[i];
        double slots =
            only_loads && access->store ? 0 : (each - 1) * first_level_split_share(access);
        stores += access->store ? slots : 0;
        loads += access->store ? 0 : slots;
        if (!access->store && w->costs.rows[access->insn].op->traits & OP_VECTOR)
            vectors += slots;
        split += slots;
    }
    const double ordered = only_loads || isnan(c->stores_per_cycle)
                               ? stores / c->stores_per_cycle
                               : store_cycles(w, insns, count, each);
    /* fmax ignores an argument that is NaN. */
    return split > 0 ? fmax(fmax(loads / c->loads_per_cycle, vectors / c->vector_loads_per_cycle),
                            ordered)
           : ordered > stores / c->stores_per_cycle ? ordered
                                                    : 0;
}

bool bounds_refute(struct block_work *w, const struct insn *insns, size_t count, double cycles,
                   struct str *reason)
{
    static const enum bound_kind hard[] = {BOUND_PORTS, BOUND_ISSUE, BOUND_MEMORY};
    const struct block_options options = {.shape = shape_of(insns, count),
                                          .align = count ? (unsigned)(insns[0].offset % 64) : 0};
    enum bound_kind by = BOUND_COUNT;
    struct bounds b;

    bounds_of(w, insns, count, &options, false, &b);
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        /* Skips the memory bounds of lines and banks. These bounds are means over many iterations,
         * so a short measurement can be lower. */
        const bool counted = hard[i] != BOUND_MEMORY || b.accesses == ACCESSES_LOADS ||
                             b.accesses == ACCESSES_STORES;
        if (counted && !(b.fitted & 1U << hard[i]) && b.cycles[hard[i]] > 0 &&
            (by == BOUND_COUNT || b.cycles[hard[i]] > b.cycles[by]))
            by = hard[i];
    }
    if (b.estimate || by == BOUND_COUNT || !(cycles < BELOW * b.cycles[by]))
        return false;
    str_addf(reason, "below the %s bound of %s, %.2f cycles", bound_name(by), w->core->machine->id,
             b.cycles[by]);
    return true;
}

double bounds_replays(const struct block_work *w, const struct insn *insns, size_t count)
{
    const struct core *c = w->core;
    const struct deps *d = &w->deps;
    double loads = 0, stores = 0,
           fed = isnan(c->load_replays)
                     ? 0
                     : c->load_replays * w->replays.fed + c->load_replays_pairs * w->replays.pairs;
    double forwarded =
        isnan(c->forward_replays)
            ? 0
            : c->forward_replays * d->forwarded + c->forward_replays_modify * d->forwarded_modified;

    if (!(fed + forwarded > 0))
        return w->replays.mixed;
    for (size_t i = 0; i < count; i++) {
        loads += (insns[i].traits & INSN_LOAD) != 0;
        stores += (insns[i].traits & (INSN_STORE | INSN_LOAD)) == INSN_STORE;
    }
    return fmax(w->replays.mixed,
                (loads + fmax(fed, forwarded > 0 ? stores + forwarded : 0)) / c->loads_per_cycle);
}

double bounds_assists(const struct core *c, const struct insn *insns, size_t count,
                      const struct block_options *options)
{
    return options->start == START_MEASURED && !isnan(c->x87_assist)
               ? assists_count(insns, count) * c->x87_assist
               : 0;
}

static double largest(const struct bounds *b)
{
    double most = 0;

    for (int kind = 0; kind < BOUND_COUNT; kind++)
        most = fmax(most, b->cycles[kind]);
    return most;
}

static bool reads_chain(const struct deps *d, const bool *on_chain, uint32_t insn)
{
    for (size_t i = 0; i < d->edge_count; i++)
        if (d->nodes[d->edges[i].to].insn == insn && on_chain[d->nodes[d->edges[i].from].insn])
            return true;
    return false;
}

/* Returns the cycles by which floating-point additions that are not connected to the chain delay
 * the chain (fact chain_delay_addition). Returns 0 if the chain contains additions or fused
 * operations, or no vector operations. */
static double addition_delay(const struct block_work *w, const struct insn *insns, size_t count,
                             const bool *on_chain)
{
    bool vector = false, other = true;
    double additions = 0;

    for (size_t i = 0; i < count; i++) {
        vector |= on_chain[i] && insns[i].traits & INSN_VECTOR;
        other &= !on_chain[i] || (insns[i].operation != OPERATION_FP_ADD &&
                                  insns[i].operation != OPERATION_FP_FUSED);
    }
    for (uint32_t i = 0; i < count && vector && other; i++)
        additions += insns[i].operation == OPERATION_FP_ADD && !on_chain[i] &&
                     !reads_chain(&w->deps, on_chain, i);
    return fmin(additions * fmax(0, w->core->chain_delay_addition), CHAIN_DELAY_MOST);
}

static unsigned registers_of(const struct insn *insn, enum register_file file, unsigned access)
{
    unsigned found = 0;

    for (unsigned i = 0; i < insn->operand_count; i++)
        found += insn->operands[i].kind == OPERAND_REGISTER && insn->operands[i].file == file &&
                 insn->operands[i].access & access;
    return found;
}

static bool has_ports(const struct costs *costs, uint32_t at, portset ports)
{
    bool found = false;

    for (uint32_t k = 0; k < costs->rows[at].count; k++)
        found |= costs->masses[costs->rows[at].first + k].ports == ports;
    return found;
}

static bool is_conversion(const struct insn *insn)
{
    return insn->operation == OPERATION_FP_CONVERT || insn->operation == OPERATION_FP_ROUND ||
           insn->operation == OPERATION_FP_COMPARE || insn->operation == OPERATION_FP_MINMAX;
}

/* Returns the cycles by which other operations delay a chain; 0 if they do not. They delay chains
 * of floating-point additions (facts chain_delay_conversion and chain_delay_transfer, at most a
 * cycle per addition). They also delay chains of several one-cycle operations (fact
 * chain_delay_product). */
static double company_delay(const struct block_work *w, const struct insn *insns, size_t count,
                            const bool *on_chain)
{
    size_t links = 0, additions = 0, steps = 0;
    double transfers = 0, conversions = 0, products = 0;
    portset ports = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct cost *row = &w->costs.rows[i];
        if (!on_chain[i] || row->flags & ROW_ELIMINATED)
            continue;
        const bool vector = insns[i].traits & INSN_VECTOR;
        links++;
        additions += vector && insns[i].operation == OPERATION_FP_ADD;
        steps += !vector && row->op->latency == CYCLE && !(insns[i].traits & INSN_LOAD);
        ports = row->count ? w->costs.masses[row->first].ports : ports;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (on_chain[i])
            continue;
        transfers += registers_of(&insns[i], FILE_GENERAL, ACCESS_READ) &&
                     registers_of(&insns[i], FILE_VECTOR, ACCESS_WRITE);
        conversions += is_conversion(&insns[i]) && has_ports(&w->costs, i, ports);
        products += insns[i].operation == OPERATION_MULTIPLY_WIDE &&
                    registers_of(&insns[i], FILE_GENERAL, ACCESS_WRITE) == 2;
    }
    const struct core *c = w->core;
    if (links == additions)
        return fmin((double)links, transfers * fmax(0, c->chain_delay_transfer) +
                                       conversions * fmax(0, c->chain_delay_conversion));
    return links > 1 && links == steps ? products * fmax(0, c->chain_delay_product) : 0;
}

/* Returns the cycles by which other operations lengthen the longest chain; 0 without the facts. */
static double chain_delay(struct block_work *w, const struct insn *insns, size_t count)
{
    const struct core *c = w->core;

    if (isnan(c->chain_delay_addition) && isnan(c->chain_delay_conversion) &&
        isnan(c->chain_delay_transfer) && isnan(c->chain_delay_product))
        return 0;
    bool *on_chain = mem_zero(count + 1, sizeof *on_chain);

    deps_bound(&w->deps, on_chain, count);
    const double by_additions = addition_delay(w, insns, count, on_chain),
                 by_others = company_delay(w, insns, count, on_chain);
    free(on_chain);
    return by_additions + by_others;
}

/* The memory bound is divided by this number before it is compared with a chain. The two do not
 * overlap completely, because stores keep their order. */
#define MEMORY_DIVISOR 1.05

static double unhurried_limit(const struct core *c, const struct insn *insns, size_t count,
                              const struct bounds *others)
{
    double stores = 0;

    for (size_t i = 0; i < count; i++)
        stores += (insns[i].traits & INSN_STORE) != 0;
    /* fmax ignores an argument that is NaN. */
    return fmax(stores / c->stores_per_cycle, others->cycles[BOUND_MEMORY] / MEMORY_DIVISOR);
}

/* Builds the dependencies and returns their bound. If the dependencies limit the loop, also
 * computes the bound with one cycle instead of two for operations on unhurried_ports. Returns that
 * bound if memory accesses take at least as long. Otherwise, if that bound is smaller, sets
 * *@unhurried to the larger of that bound and @others. */
static double dependence_bound(struct block_work *w, const struct insn *insns, size_t count,
                               const struct block_options *options, const struct bounds *others,
                               double *unhurried)
{
    w->deps.unhurried = false;
    deps_build(w->core, insns, &w->costs, options->start, &options->known, &w->deps);
    const double hurried = deps_bound(&w->deps, NULL, 0);
    if (!w->core->unhurried_ports || hurried <= largest(others))
        return hurried;
    w->deps.unhurried = true;
    deps_build(w->core, insns, &w->costs, options->start, &options->known, &w->deps);
    const double quick = deps_bound(&w->deps, NULL, 0);
    if (quick <= unhurried_limit(w->core, insns, count, others))
        return quick;
    if (quick < hurried)
        *unhurried = fmax(quick, largest(others));
    w->deps.unhurried = false;
    deps_build(w->core, insns, &w->costs, options->start, &options->known, &w->deps);
    return hurried;
}

void bounds_of(struct block_work *w, const struct insn *insns, size_t count,
               const struct block_options *options, bool want_ports, struct bounds *out)
{
    w->least = 0;
    *out = (struct bounds){.bottleneck = BOUND_PORTS, .unhurried = NAN};
    costs_fill(w->core, insns, count, &w->costs);
    out->unknown = w->costs.unknown;
    out->estimate = w->costs.estimate;
    port_bounds(w, want_ports, out);
    width_bounds(w->core, insns, &w->costs, out);
    frontend_bound(w->core, insns, &w->costs, options->shape, options->align, &out->frontend);
    out->cycles[BOUND_FRONTEND] = out->frontend.cycles;
    out->cycles[BOUND_DEPENDENCIES] = NAN;
    if (w->core->has_latencies) {
        out->cycles[BOUND_DEPENDENCIES] =
            dependence_bound(w, insns, count, options, out, &out->unhurried);
        out->open = w->deps.open;
        out->guessed = deps_guessed(&w->deps, NULL);
        store_bound(w, insns, count, out);
        double banks =
            fmax(first_level_loads(w->core, &w->deps.addresses), split_cycles(w, insns, count));
        if (banks > 0)
            raise_memory(out, banks, ACCESSES_PLACES);
        w->least = largest(out) > out->cycles[BOUND_DEPENDENCIES] || deps_whole(&w->deps)
                       ? largest(out)
                       : 0;
        replays_find(w->core, insns, &w->costs, &w->deps, &w->replays);
        double replays = bounds_replays(w, insns, count);
        out->fitted =
            replays > 0 && !(replays <= out->cycles[BOUND_MEMORY]) ? 1U << BOUND_MEMORY : 0;
        if (replays > 0)
            raise_memory(out, replays, ACCESSES_AGAIN);
        double tried = replayed_ports(w);
        if (tried > out->cycles[BOUND_PORTS] &&
            out->cycles[BOUND_PORTS] >= REPLAYS_FROM * largest(out)) {
            out->cycles[BOUND_PORTS] = tried;
            out->fitted |= 1U << BOUND_PORTS;
        }
        double delay = out->cycles[BOUND_DEPENDENCIES] > 0 ? chain_delay(w, insns, count) : 0;
        if (w->replays.crowded > 0 && fabs(out->cycles[BOUND_DEPENDENCIES] - 1) < 1e-9)
            delay += w->replays.crowded;
        out->cycles[BOUND_DEPENDENCIES] += delay;
        out->fitted |= delay > 0 ? 1U << BOUND_DEPENDENCIES : 0;
        out->cycles[BOUND_DEPENDENCIES] += bounds_assists(w->core, insns, count, options);
        if (w->core->dtlb_miss > 0)
            out->cycles[BOUND_MEMORY] +=
                addresses_new_pages(&w->deps.addresses, count, w->core->dtlb_miss, 0.5);
    }
    out->cycles[BOUND_ISSUE] = fmax(out->cycles[BOUND_ISSUE], costs_alone(&w->costs));
    for (int kind = 0; kind < BOUND_COUNT && !isnan(out->unhurried); kind++)
        if (kind != BOUND_DEPENDENCIES)
            out->unhurried = fmax(out->unhurried, out->cycles[kind]);
    for (int kind = 0; kind < BOUND_COUNT; kind++)
        if (!isnan(out->cycles[kind]) && out->cycles[kind] > out->total) {
            out->total = out->cycles[kind];
            out->bottleneck = (enum bound_kind)kind;
        }
    w->total = out->total;
    /* If the closing branch limits the front end, names another bound with equal cycles that
     * unrolling does not relieve. */
    for (int kind = BOUND_FRONTEND + 1;
         out->bottleneck == BOUND_FRONTEND && out->frontend.by_branch && kind < BOUND_COUNT; kind++)
        if (out->cycles[kind] >= out->total)
            out->bottleneck = (enum bound_kind)kind;
}
