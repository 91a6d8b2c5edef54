/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/replays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/watch.h"

/* Maximum number of loads that are counted as waiting for the same load. Longer chains were not
 * measured, and a scheduler holds few such loads at a time. */
#define WAITING_MOST 11u
/* Replays per operation that reads a computed value, in units of alu_replays. Measured on a virtual
 * EPYC Turin. */
#define TRIES_CARRIED 0.12   /* the value is from the previous iteration */
/* another operation of the iteration already waited for the value's producer */
#define TRIES_CHAINED 0.2
#define TRIES_LONG 0.2       /* the producer or the reader takes several cycles */
#define TRIES_FEW_FEW 1.3    /* the producer and the reader have few ports */
#define TRIES_FEW 0.62       /* only the producer has few ports */

/* Maximum number of slots that operations of several cycles lose per operation of one cycle (fact
 * port_conflicts). Measured like the constants above: n PDEP and one fused branch. */
#define CONFLICTS_MOST 1.7

/* Cycles by which chains of one-cycle operations lengthen, by the number of operations of the
 * chains and their readers per iteration. With more operations the ports are the limit. Measured
 * like the constants above. */
static const double crowded_by[] = {0, 0, 0, 0, 0.04, 0.17, 0.29};
#define CROWD_MOST (sizeof crowded_by / sizeof *crowded_by - 1)

enum held { HELD_OLD, HELD_LOADED, HELD_READY, HELD_CHAINED, HELD_LONG };

struct held_value {
    enum held held;
    bool loaded, found;       /* @loaded: whether a load wrote the value. @found: whether the load
                               * is forwarded from a store. */
    /* number of operations from the load @load to this value, including the load; 0: no load, or
     * too many operations */
    uint8_t behind;
    uint32_t load;
    portset ports;
    uint32_t maker;
    /* number of computing operations before the producer, and iteration of the producer */
    uint32_t at, iteration;
};

struct replaying {
    const struct core *c;
    const struct insn *insns;
    const struct costs *costs;
    const struct deps *d;
    struct held_value holds[RESOURCE_COUNT];
    /* per load: index of the first load in its dependence tree; its own index if it has no input */
    uint32_t *tree;
    uint32_t *waiting;        /* per load: number of loads that depend on it */
    uint32_t at, iteration;
    /* Per operation: whether its only input is its own result, and the number of other operations
     * whose only input is that result. */
    bool *chained;
    uint32_t *company;
    struct replays *out;
};

struct replay_inputs {
    double tries;             /* largest number of replays that an input causes, in units of
                               * alu_replays */
    bool loaded, computed;    /* whether an input was loaded, or computed, in this iteration */
    /* @itself: whether an input is the operation's own result of the previous iteration. @others:
     * whether an input is neither that result nor the result of @chain. */
    bool itself, others;
    uint32_t reader;
    /* index of an operation with @chained that produces an input; UINT32_MAX: none */
    uint32_t chain;
};

static bool finds_store(const struct replaying *r, uint32_t at)
{
    size_t i = addresses_found(&r->d->addresses, at);
    return i < r->d->addresses.found_count && r->d->addresses.found[i].load == at;
}

/* Returns the ports of the first µop that uses only ports of @within; 0: none. */
static portset ports_within(const struct costs *costs, const struct cost *row, portset within)
{
    for (uint32_t k = row->first; k < row->first + row->count; k++)
        if (!(costs->masses[k].ports & ~within))
            return costs->masses[k].ports;
    return 0;
}

static bool is_few(const struct replaying *r, portset ports)
{
    return 2 * portset_size(ports) <= portset_size(r->c->replay_ports);
}

/* Returns the weight of a reader, which falls with the number of computing operations between the
 * producer and the reader. */
static double nearness(uint32_t between)
{
    return between < 1     ? 1.05
           : between <= 4  ? 0.97
           : between <= 7  ? 0.75
           : between <= 10 ? 0.55
                           : 0.4;
}

static double tries_of(const struct replaying *r, const struct held_value *v, portset ports,
                       bool is_long)
{
    if (v->held == HELD_LONG || is_long)
        return TRIES_LONG;
    if (v->held == HELD_CHAINED)
        return TRIES_CHAINED;
    if (is_few(r, ports))
        return is_few(r, v->ports) ? TRIES_FEW_FEW : 0;
    return (is_few(r, v->ports) ? TRIES_FEW : 1) * nearness(r->at - v->at - 1);
}

/* Stores whether input @v is the operation's own result, the result of a chained operation, or
 * another value. */
static void note_chain(const struct replaying *r, const struct held_value *v,
                       struct replay_inputs *out)
{
    bool chained = v->held == HELD_READY && r->chained[v->maker];

    if (v->held == HELD_READY && v->maker == out->reader && v->iteration + 1 == r->iteration)
        out->itself = true;
    else if (chained && (out->chain == UINT32_MAX || out->chain == v->maker))
        out->chain = v->maker;
    else
        out->others = true;
}

static void read_value(const struct replaying *r, unsigned resource, portset ports, bool is_long,
                       struct replay_inputs *out)
{
    const struct held_value *v = &r->holds[resource];
    bool now = v->iteration == r->iteration;

    if (v->held == HELD_OLD)
        return;
    note_chain(r, v, out);
    out->loaded |= now && v->held == HELD_LOADED;
    if (v->held == HELD_LOADED)
        return;
    out->computed |= now;
    if (now)
        out->tries = fmax(out->tries, tries_of(r, v, ports, is_long));
    else if (v->held != HELD_LONG)
        out->tries = fmax(out->tries, TRIES_CARRIED);
}

/* Reads all inputs in registers and flags, except the stack pointer and the addresses of loads and
 * stores. The µops of these addresses use other ports. */
static void read_all(const struct replaying *r, const struct insn *insn, portset ports,
                     bool is_long, struct replay_inputs *out)
{
    bool reaches = insn->traits & (INSN_LOAD | INSN_STORE);

    for (unsigned i = 0; i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        if (op->kind == OPERAND_REGISTER && op->access & ACCESS_READ && op->reg < INSN_REGISTERS &&
            op->reg != r->c->isa->stack_pointer)
            read_value(r, op->reg, ports, is_long, out);
        if (op->kind == OPERAND_MEMORY && !reaches && op->base < REG_PC)
            read_value(r, op->base, ports, is_long, out);
        if (op->kind == OPERAND_MEMORY && !reaches && op->index < REG_PC)
            read_value(r, op->index, ports, is_long, out);
    }
    if (insn->flags_read & FLAG_CARRY)
        read_value(r, RESOURCE_CARRY, ports, is_long, out);
    if (insn->flags_read & ~(uint32_t)FLAG_CARRY)
        read_value(r, RESOURCE_FLAGS, ports, is_long, out);
}

/* Adds the replays of operation @i, and fills @v for its result. Replays use the operation's ports
 * if both producer and reader have few ports, else all replay ports. */
static void compute(struct replaying *r, uint32_t i, portset ports, struct held_value *v)
{
    const struct cost *row = &r->costs->rows[i];
    bool is_long = row->op->latency > CYCLE;
    struct replay_inputs reading = {.reader = i, .chain = UINT32_MAX};

    read_all(r, &r->insns[i], ports, is_long, &reading);
    v->held = is_long                                                    ? HELD_LONG
              : reading.computed && !reading.loaded && reading.tries > 0 ? HELD_CHAINED
                                                                         : HELD_READY;
    v->ports = ports;
    v->maker = i;
    v->at = r->at++;
    r->chained[i] = reading.itself && !reading.others && reading.chain == UINT32_MAX && !is_long &&
                    !(r->insns[i].traits & (INSN_LOAD | INSN_STORE));
    if (!reading.itself && !reading.others && reading.chain != UINT32_MAX && !is_long)
        r->company[reading.chain]++;
    uint32_t tries =
        reading.loaded ? 0 : (uint32_t)lrint(REPLAY_SLOT * r->c->alu_replays * reading.tries);
    if (tries)
        r->out->tries[r->out->count++] =
            (struct mass){reading.tries < TRIES_FEW_FEW ? r->c->replay_ports : ports, tries};
}

/* Returns whether the value in @resource comes from a load without store forwarding, directly or
 * through operations. */
static bool is_fed(const struct replaying *r, unsigned resource)
{
    const struct held_value *v = &r->holds[resource];
    return (v->loaded && !v->found) || v->behind > 1;
}

static void address(struct replaying *r, uint32_t i, const struct operand *op)
{
    const uint8_t parts[2] = {op->base, op->index};

    for (int k = 0; k < 2; k++)
        if (parts[k] < REG_PC && is_fed(r, parts[k])) {
            uint32_t root = r->tree[r->holds[parts[k]].load];
            r->tree[i] = root;
            r->out->fed++;
            r->out->pairs += r->waiting[root];
            r->waiting[root] += r->waiting[root] < WAITING_MOST;
            return;
        }
}

/* Returns the number of operations from a load without forwarding to the result of instruction @i,
 * including the load; 0: no load, or too many operations. Sets *@load to that load. */
static uint8_t behind_load(const struct replaying *r, uint32_t i, uint32_t *load)
{
    const struct insn *insn = &r->insns[i];
    unsigned least = 0;

    *load = i;
    if (insn->traits & INSN_LOAD)
        return finds_store(r, i) ? 0 : r->costs->rows[i].op->traits & OP_PURE_LOAD ? 1 : 2;
    for (unsigned k = 0; k < insn->operand_count; k++) {
        const struct operand *op = &insn->operands[k];
        const struct held_value *v =
            op->kind == OPERAND_REGISTER && op->access & ACCESS_READ && op->reg < INSN_REGISTERS
                ? &r->holds[op->reg]
                : NULL;
        if (!v || !v->behind || (least && v->behind >= least))
            continue;
        least = v->behind;
        *load = v->load;
    }
    if (r->costs->rows[i].flags & ROW_ELIMINATED)
        return (uint8_t)least;
    return least && least <= r->c->load_replays_through ? (uint8_t)(least + 1) : 0;
}

static void hold(struct replaying *r, uint32_t i, struct held_value v)
{
    bool stack = r->costs->rows[i].op->traits & OP_STACK;

    for (uint32_t n = r->d->first_node[i]; n < r->d->first_node[i + 1]; n++) {
        uint8_t resource = r->d->nodes[n].resource;
        struct held_value *to = &r->holds[resource];
        *to = v;
        if (resource == r->c->isa->stack_pointer) {
            to->behind = 0;
            to->loaded &= !stack;
        }
    }
}

static void step(struct replaying *r, uint32_t i)
{
    const struct insn *insn = &r->insns[i];
    const struct cost *row = &r->costs->rows[i];
    struct held_value v = {.iteration = r->iteration, .load = i};
    bool idiom =
        row->flags & (ROW_ZERO | ROW_ONES) || insn->traits & (INSN_ZERO_IDIOM | INSN_ONES_IDIOM);

    for (unsigned k = 0; k < insn->operand_count && insn->traits & INSN_LOAD; k++)
        if (insn->operands[k].kind == OPERAND_MEMORY)
            address(r, i, &insn->operands[k]);
    if (row->flags & ROW_ELIMINATED && insn->operands[1].reg < INSN_REGISTERS) {
        v = r->holds[insn->operands[1].reg];
        v.found = false;
    } else {
        v.loaded = row->op->traits & OP_PURE_LOAD;
        v.found = finds_store(r, i);
    }
    v.behind = idiom || !(r->c->load_replays_through > 0) ? 0 : behind_load(r, i, &v.load);
    portset ports = idiom || row->flags & ROW_ELIMINATED
                        ? 0
                        : ports_within(r->costs, row, r->c->replay_ports);
    if (row->op->traits & OP_PURE_STORE && !(insn->traits & INSN_VECTOR))
        ports = ports ? ports : r->c->replay_ports;   /* A scalar store also has a store-data
                                                       * µop. */
    if (ports && !isnan(r->c->alu_replays))
        compute(r, i, ports, &v);
    else if (!(row->flags & ROW_ELIMINATED))
        v.held = insn->traits & INSN_LOAD ? HELD_LOADED : HELD_OLD;
    hold(r, i, v);
}

/* Returns the cycles by which readers lengthen chains of one operation. The cycles depend on the
 * number of operations in the chains, the number of their readers, and the pairs of operations that
 * read the same value (fact chain_delay_company). */
static double crowding(const struct replaying *r)
{
    size_t waiting = 0, pairs = 0;

    for (size_t i = 0; i < r->costs->count; i++)
        if (r->chained[i]) {
            waiting += 1 + r->company[i];
            pairs += (size_t)r->company[i] * (r->company[i] + 1) / 2;
        }
    if (waiting > CROWD_MOST || crowded_by[waiting] <= 0 || isnan(r->c->chain_delay_company))
        return 0;
    return crowded_by[waiting] + r->c->chain_delay_company * (double)pairs;
}

/* Returns the cycles of the ports of vector loads, in which each other access also takes a share of
 * a slot (fact vector_loads_mixed). The share changes if accesses of one kind are adjacent
 * (vector_loads_mixed_runs). */
static double mixed_cycles(const struct core *c, const struct insn *insns,
                           const struct costs *costs)
{
    double vectors = 0, others = 0, again = 0;
    int before = -1, first = -1;

    if (isnan(c->vector_loads_mixed) || isnan(c->vector_loads_per_cycle))
        return 0;
    for (size_t i = 0; i < costs->count; i++) {
        if (!(insns[i].traits & (INSN_LOAD | INSN_STORE)))
            continue;
        int kind = insns[i].traits & INSN_LOAD && costs->rows[i].op->traits & OP_VECTOR;
        vectors += kind;
        others += !kind;
        again += kind == before;
        first = before < 0 ? kind : first;
        before = kind;
    }
    if (vectors == 0 || others == 0)
        return 0;
    again += before == first;
    double share = c->vector_loads_mixed + (c->vector_loads_mixed_runs - c->vector_loads_mixed) *
                                               fmin(1, 2 * again / (vectors + others));
    return (vectors + share * fmin(others, 3 * vectors)) / c->vector_loads_per_cycle;
}

/* Adds the slots that operations of several cycles lose to operations of one cycle (fact
 * port_conflicts). Operations of unknown latency do not count, except branches. */
static void add_conflicts(const struct core *c, const struct insn *insns,
                          const struct costs *costs, struct replays *out)
{
    const portset ports = c->conflict_ports;
    double several = 0, single = 0;

    for (uint32_t i = 0; ports && i < costs->count; i++)
        if (ports_within(costs, &costs->rows[i], ports) == ports) {
            int32_t latency = costs->rows[i].op->latency;
            several += latency > CYCLE;
            single += latency <= CYCLE && (latency >= 0 || insns[i].traits & INSN_BRANCH);
        }
    double slots = fmin(several, CONFLICTS_MOST * single);
    if (slots > 0)
        out->tries[out->count++] = (struct mass){ports, (uint32_t)lrint(REPLAY_SLOT * slots)};
}

void replays_find(const struct core *c, const struct insn *insns, const struct costs *costs,
                  const struct deps *d, struct replays *out)
{
    struct replaying r = {.c = c, .insns = insns, .costs = costs, .d = d, .out = out};
    /* The origins of all values repeat after this number of iterations. */
    uint32_t last = 2 + (c->load_replays_through > 0 ? (uint32_t)c->load_replays_through : 0);

    out->fed = out->pairs = 0;
    out->count = 0;
    out->crowded = 0;
    out->mixed = mixed_cycles(c, insns, costs);
    if (out->capacity <= costs->count) {   /* One more entry is needed for conflicts. */
        out->capacity = 2 * costs->count + 1;
        out->tries = mem_resize(out->tries, out->capacity * sizeof *out->tries);
    }
    if (isnan(c->load_replays) && isnan(c->alu_replays)) {
        add_conflicts(c, insns, costs, out);
        return;
    }
    r.tree = mem_alloc((costs->count + 1) * sizeof *r.tree);
    r.waiting = mem_alloc((costs->count + 1) * sizeof *r.waiting);
    r.company = mem_alloc((costs->count + 1) * sizeof *r.company);
    r.chained = mem_zero(costs->count + 1, sizeof *r.chained);
    for (r.iteration = 1; r.iteration <= last; r.iteration++) {
        out->fed = out->pairs = 0;
        out->count = 0;
        for (uint32_t i = 0; i < costs->count; i++) {
            r.tree[i] = i;
            r.waiting[i] = 0;
            r.company[i] = 0;
        }
        for (uint32_t i = 0; i < costs->count && !watch_steps(1); i++)
            step(&r, i);
    }
    add_conflicts(c, insns, costs, out);
    out->crowded = crowding(&r);
    free(r.tree);
    free(r.waiting);
    free(r.company);
    free(r.chained);
}

void replays_done(struct replays *r)
{
    free(r->tries);
    *r = (struct replays){0};
}
