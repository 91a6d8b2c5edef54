/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/limit_parts.h"
#include "analysis/analysis.h"
#include "analysis/deps.h"
#include "base/mem.h"
#include "base/watch.h"

#define CHAINS_MOST 16 /* largest number of chains examined */
#define EQUAL 1e-9
/* largest number of instructions of a loop whose chains are examined until one of them is serial */
#define SERIAL_WITHIN 64

/* Working storage for the classification of a chain, with the chain's edges in the graph */
struct chain_work {
    const struct analysis *a;
    const struct deps *d;
    const uint32_t *edges;
    size_t count;
    bool *reached;             /* per node: whether it depends on the chain */
    /* per node: whether it depends on the chain, and the chain on it (a recurrence) */
    bool *round;
    /* Per node, edge and row: whether it is part of the chain. Without these flags, each edge of
     * the graph would need a search in the chain. */
    bool *on, *link, *on_row;
};

const char *limit_name(enum limit_kind kind)
{
#define LIMIT_NAME(kind, name) name,
    static const char *const names[LIMIT_COUNT] = {LIMITS(LIMIT_NAME)};

    return names[kind];
}

static bool is_floating(const struct insn *insn)
{
    return insn->operation >= OPERATION_FP_ADD && insn->operation <= OPERATION_FP_HORIZONTAL;
}

/* Marks the nodes that depend on a value of the chain (reached). Of these, also marks the nodes on
 * which the chain depends (round). */
static void reach(struct chain_work *w)
{
    const struct deps *d = w->d;
    bool changed = true;

    for (size_t i = 0; i < w->count; i++)
        w->reached[d->edges[w->edges[i]].to] = true;
    while (changed && !watch_steps(1)) {
        changed = false;
        for (size_t i = 0; i < d->edge_count; i++)
            if (w->reached[d->edges[i].from] && !w->reached[d->edges[i].to])
                w->reached[d->edges[i].to] = changed = true;
    }
    for (size_t i = 0; i < w->count; i++)
        w->round[d->edges[w->edges[i]].to] = true;
    for (changed = true; changed && !watch_steps(1);) {
        changed = false;
        for (size_t i = 0; i < d->edge_count; i++)
            if (w->round[d->edges[i].to] && w->reached[d->edges[i].from] &&
                !w->round[d->edges[i].from])
                w->round[d->edges[i].from] = changed = true;
    }
}

/* Returns whether row @row stores to the same address in all iterations. */
static bool stores_in_place(const struct deps *d, uint32_t row)
{
    bool found = false;

    for (size_t i = 0; i < d->addresses.accesses.count; i++) {
        const struct access *access = &d->addresses.accesses.items[i];
        if (access->insn != row || !access->store)
            continue;
        if (!access->stepped || access->step)
            return false;
        found = true;
    }
    return found;
}

/* Returns a row outside the chain that uses one of its values in each iteration; LIMIT_NO_ROW:
 * none. Sets *@in_place to whether the row only stores the value to a constant address. */
static uint32_t user_of(const struct chain_work *w, bool *in_place)
{
    const struct deps *d = w->d;
    uint32_t stored = LIMIT_NO_ROW;

    *in_place = false;
    for (size_t i = 0; i < d->edge_count; i++) {
        const uint32_t row = d->nodes[d->edges[i].to].insn;
        /* Skips rows of the chain, whose other results, such as flags, may also depend on the
         * value. */
        if (!w->on[d->edges[i].from] || w->on_row[row])
            continue;
        if (!stores_in_place(d, row))
            return row;
        stored = row;
    }
    *in_place = stored != LIMIT_NO_ROW;
    return stored;
}

/* Returns whether a link of the chain has the nodes of edge @at. One of the two must exist because
 * masked lanes keep their old value. */
static bool is_link_again(const struct chain_work *w, size_t at)
{
    const struct ratio_edge *edge = &w->d->edges[at];

    for (size_t i = 0; i < w->count; i++) {
        const struct ratio_edge *link = &w->d->edges[w->edges[i]];
        if (link->from == edge->from && link->to == edge->to &&
            (link_keeps_lanes(w->a, w->d, at) || link_keeps_lanes(w->a, w->d, w->edges[i])))
            return true;
    }
    return false;
}

/* Returns whether each link has only one input that depends on the chain. Returns false for x + x
 * and for a sum of the last two values. */
static bool is_pure(const struct chain_work *w)
{
    const struct deps *d = w->d;

    for (size_t i = 0; i < d->edge_count; i++)
        if (w->on[d->edges[i].to] && !w->link[i] && w->reached[d->edges[i].from] &&
            !is_link_again(w, i))
            return false;
    return true;
}

static bool is_written(const struct analysis *a, uint8_t reg)
{
    return a->written >> reg & 1;
}

/* Returns whether all inputs of @insn except register @reg and operand @skip are loop-invariant. */
static bool is_constant(const struct analysis *a, const struct insn *insn, uint8_t reg, int skip)
{
    for (unsigned k = 0; k < insn->operand_count; k++) {
        const struct operand *op = &insn->operands[k];
        if ((int)k == skip)
            continue;
        if (op->kind == OPERAND_MEMORY && insn->operation != OPERATION_ADDRESS &&
            !(insn->traits & (INSN_WRITEBACK | INSN_STACK)))
            return false;
        if (op->kind == OPERAND_MEMORY && insn->operation == OPERATION_ADDRESS &&
            ((op->base < REG_PC && op->base != reg && is_written(a, op->base)) ||
             (op->index < REG_PC && op->index != reg && is_written(a, op->index))))
            return false;
        if (op->kind == OPERAND_REGISTER && op->access & ACCESS_READ && op->reg != REG_NONE &&
            op->reg < REG_PC && op->reg != reg && is_written(a, op->reg))
            return false;
    }
    return true;
}

static bool scales(const struct chain_work *w, size_t at)
{
    const struct deps *d = w->d;
    const struct insn *insn = link_insn(w->a, d, at);
    const enum link_class class = link_class_of(w->a, d, at);

    if (class == LINK_SHIFT)
        return true;
    if ((class != LINK_SCALE && class != LINK_MULTIPLY) ||
        !is_constant(w->a, insn, d->nodes[d->edges[at].from].resource,
                     class == LINK_SCALE ? link_addend(insn) : -1))
        return false;
    for (size_t i = 0; i < d->edge_count; i++)
        if (i != at && d->edges[i].to == d->edges[at].to && w->round[d->edges[i].from] &&
            link_class_of(w->a, d, i) != LINK_ADD)
            return false;   /* The other input also depends on the recurrence, as in x * x. */
    return true;
}

/* Returns whether a branch of the loop depends on the chain. Several iterations then cannot be
 * combined. */
static bool decides(const struct chain_work *w)
{
    const struct deps *d = w->d;

    for (size_t i = 0; i < w->a->edge_count; i++) {
        const struct analysis_edge *edge = &w->a->edges[i];
        if (!(w->a->rows[edge->to].insn->traits & INSN_CONDITIONAL))
            continue;
        for (uint32_t n = d->first_node[edge->from]; n < d->first_node[edge->from + 1]; n++)
            if (w->reached[n])
                return true;
    }
    return false;
}

/* Returns whether several values of the recurrence are inputs of node @to. */
static bool takes_several(const struct chain_work *w, size_t to)
{
    const struct deps *d = w->d;
    uint32_t one = UINT32_MAX;

    for (size_t i = 0; i < d->edge_count; i++) {
        if (d->edges[i].to != to || !w->round[d->edges[i].from])
            continue;
        if (one != UINT32_MAX && one != d->edges[i].from)
            return true;
        one = d->edges[i].from;
    }
    return false;
}

/* Returns whether the recurrence is x = a * x + b with a loop-invariant a. Sets *@logic if OR or
 * XOR replaces the addition; a must then be a power of two. */
static bool is_affine(const struct chain_work *w, bool *logic)
{
    const struct deps *d = w->d;
    uint32_t state = UINT32_MAX;
    bool arithmetic = false;

    *logic = false;
    for (size_t i = 0; i < d->edge_count; i++) {
        const struct ratio_edge *edge = &d->edges[i];
        if (!w->round[edge->from] || !w->round[edge->to])
            continue;
        if (edge->distance && state != UINT32_MAX && state != edge->from)
            return false;
        state = edge->distance ? edge->from : state;
        const enum link_class class = link_class_of(w->a, d, i);
        const uint8_t operation = link_insn(w->a, d, i)->operation;
        const bool inserts = operation == OPERATION_OR || operation == OPERATION_XOR;
        if (class != LINK_ADD && class != LINK_MOVE && class != LINK_OR && class != LINK_XOR &&
            !scales(w, i))
            return false;
        if (inserts && takes_several(w, edge->to))
            return false;
        *logic |= inserts;
        arithmetic |= !inserts && class != LINK_MOVE && class != LINK_SHIFT;
        arithmetic |= class == LINK_SHIFT && operation == OPERATION_ADDRESS;
    }
    return !(*logic && arithmetic) && !decides(w);
}

/* Returns whether the dependence on operand @end is false, because the operand's old value does not
 * affect the result. Lanes that a scalar conversion, root, rounding or reciprocal keeps do not
 * count. */
static bool is_false(const struct insn *insn, int end)
{
    const bool one =
        insn->operation == OPERATION_FP_CONVERT || insn->operation == OPERATION_FP_ROOT ||
        insn->operation == OPERATION_FP_ROUND || insn->operation == OPERATION_FP_RECIPROCAL;
    int last = -1;

    for (unsigned k = 0; k < insn->operand_count; k++)
        last = !insn->operands[k].implicit && (insn->operands[k].kind == OPERAND_REGISTER ||
                                               insn->operands[k].kind == OPERAND_MEMORY)
                   ? (int)k
                   : last;
    if (one && end >= 0 && end < last)
        return true;
    if (end < 0 || end >= (int)insn->operand_count || insn->operands[end].kind != OPERAND_REGISTER)
        return false;
    return !(insn->operands[end].access & (ACCESS_READ | ACCESS_CONDITIONAL));
}

/* Returns whether @insn adds the same value to @reg in each iteration. Includes write-back
 * addresses and the stack pointer. */
static bool steps_by_constant(const struct chain_work *w, const struct insn *insn, uint8_t reg,
                              const struct dep_node *to)
{
    if (link_is_stepped(insn, to->end)) {
        const uint8_t by = insn->operands[to->end].index;
        return by >= REG_PC || !is_written(w->a, by);
    }
    return (insn->traits & INSN_STACK &&
            to->resource == isa_ops((enum isa)insn->isa)->stack_pointer) ||
           is_constant(w->a, insn, reg,
                       insn->operation == OPERATION_FP_FUSED ? link_addend(insn) : -1);
}

/* Returns whether operand @end is part of a register, so a write merges with the old value. */
static bool is_partial(const struct insn *insn, int end)
{
    const struct operand *op =
        end >= 0 && end < (int)insn->operand_count ? &insn->operands[end] : NULL;

    return op && op->kind == OPERAND_REGISTER && op->file == FILE_GENERAL && op->bits < 32;
}

static bool is_index(const struct analysis *a, const struct insn *insn, uint8_t reg)
{
    const struct operand *memory = insn_memory(insn);

    return memory && memory->index == reg && memory->base != reg &&
           (memory->base >= REG_PC || !is_written(a, memory->base));
}

/* Returns an edge between the same instructions as edge @at that has at least half the weight of
 * @at. Its value must be needed for the computation. Returns @at if there is none. */
static size_t real_edge(const struct deps *d, const struct insn *insn, size_t at)
{
    const struct ratio_edge *edge = &d->edges[at];

    for (size_t i = 0; i < d->edge_count; i++)
        if (d->edges[i].to == edge->to && d->edges[i].distance == edge->distance &&
            2 * d->edges[i].weight >= edge->weight && !is_false(insn, d->ends[i]) &&
            d->nodes[d->edges[i].from].insn == d->nodes[edge->from].insn)
            return i;
    return at;
}

/* Returns whether edge @at leads to a selection such as x = c ? x + y : x. Its other input is the
 * value at the beginning of the chain. */
static bool selects_old(const struct chain_work *w, size_t at)
{
    const struct deps *d = w->d;

    for (size_t i = 0; i < d->edge_count; i++)
        if (i != at && d->edges[i].to == d->edges[at].to &&
            d->edges[i].from == d->edges[at].to && d->edges[i].distance == 1 &&
            d->ends[i] != LATENCY_FLAGS)
            return true;
    return false;
}

static enum limit_kind kind_of(struct chain_work *w, struct limit_chain *chain)
{
    const struct deps *d = w->d;
    bool serial = false, memory = false, false_input = false, select = false, compare = false,
         blend = false, merges = true, address = false, steps = true, one = true, carry = false,
         computes = false;
    unsigned added = 0, kept = 0, others = 0;
    enum link_class first = LINK_MOVE;

    for (size_t i = 0; i < w->count; i++) {
        const struct ratio_edge *edge = &d->edges[w->edges[i]];
        const struct dep_node *from = &d->nodes[edge->from], *to = &d->nodes[edge->to];
        const struct insn *insn = link_insn(w->a, d, w->edges[i]);
        const size_t real = is_false(insn, d->ends[w->edges[i]]) ? real_edge(d, insn, w->edges[i])
                                                                 : w->edges[i];
        const int end = d->ends[real];
        const enum link_class class = link_class_of(w->a, d, w->edges[i]);
        const bool loads =
            end == LATENCY_ADDRESS && insn->traits & INSN_LOAD && !link_is_stepped(insn, to->end);
        chain->links[i].moves = class == LINK_MOVE;
        chain->links[i].address = loads;
        chain->links[i].memory = end == LATENCY_MEMORY;
        chain->links[i].forwarded =
            end == LATENCY_MEMORY ? (double)d->before[w->edges[i]] / CYCLE : 0;
        serial |= from->resource == RESOURCE_FENCE || to->resource == RESOURCE_FENCE ||
                  end == LATENCY_FENCE;
        chain->blocked |= from->resource == RESOURCE_COMMIT || to->resource == RESOURCE_COMMIT;
        memory |= end == LATENCY_MEMORY;
        if (is_false(insn, end)) {
            false_input = true;
            merges &= is_partial(insn, end);
            chain->user = chain->links[i].row;
        }
        select |= class == LINK_SELECT;
        compare |= class == LINK_COMPARE;
        computes |= class == LINK_ADD || class == LINK_MULTIPLY ||
                    class == LINK_SHIFT || class == LINK_SCALE;
        blend |= insn->operation == OPERATION_VECTOR_LOGIC;
        address |= loads;
        chain->table |= loads && is_index(w->a, insn, from->resource);
        chain->based |= loads && !is_index(w->a, insn, from->resource);
        carry |= to->resource == RESOURCE_CARRY ||
                 (real != w->edges[i] && d->nodes[d->edges[real].from].resource == RESOURCE_CARRY);
        added += class == LINK_ADD;
        kept += class == LINK_SELECT && selects_old(w, w->edges[i]);
        others += class != LINK_ADD && class != LINK_SELECT && class != LINK_MOVE;
        const bool general =
            to->resource < REG_PC && (insn->operands[to->end].file == FILE_GENERAL ||
                                      insn->operands[to->end].file == FILE_PREDICATE);
        steps &= (class == LINK_ADD || class == LINK_MOVE) && general &&
                 !(insn->flags_read & ~FLAG_DIRECTION) &&
                 steps_by_constant(w, insn, from->resource, to);
        if (class != LINK_MOVE) {
            one &= first == LINK_MOVE || class == first;
            first = first == LINK_MOVE ? class : first;
            chain->floating |= is_floating(insn);
        }
    }
    chain->carry = carry;
    chain->compared = compare;
    chain->extremum = compare && !computes;
    chain->addend = added && kept && !others;
    const bool associative = one && first >= LINK_ADD && first <= LINK_MINMAX, pure = is_pure(w);
    bool in_place;
    const uint32_t user = user_of(w, &in_place);
    chain->affine = !(associative && pure) && first != LINK_MOVE && is_affine(w, &chain->logic);
    chain->logic &= chain->affine;
    if (!false_input)
        chain->user = associative && pure ? user : LIMIT_NO_ROW;
    if (associative && first == LINK_MINMAX) {
        chain->floating = false;
        chain->extremum = true;
    }
    return serial                                        ? LIMIT_SERIAL
           : memory || chain->blocked                    ? LIMIT_MEMORY
           : false_input                                 ? merges ? LIMIT_PARTIAL : LIMIT_FALSE
           : select || (compare && blend)                ? LIMIT_SELECT
           : address                                     ? LIMIT_POINTER_CHASE
           : carry                                       ? LIMIT_RECURRENCE
           : steps && pure && first != LINK_MOVE         ? LIMIT_INDUCTION
           : !associative || !pure                       ? LIMIT_RECURRENCE
           : user != LIMIT_NO_ROW && !in_place           ? LIMIT_SCAN
                                                         : LIMIT_REDUCTION;
}

/* Rotates the edges of the cycle: the instruction that is first in program order becomes the
 * first. */
static void begin_first(const struct deps *d, uint32_t *edges, size_t count)
{
    size_t first = 0;

    for (size_t i = 1; i < count; i++)
        first = d->nodes[d->edges[edges[i]].to].insn < d->nodes[d->edges[edges[first]].to].insn
                    ? i
                    : first;
    for (; first > 0; first--) {
        const uint32_t front = edges[0];
        memmove(edges, edges + 1, (count - 1) * sizeof *edges);
        edges[count - 1] = front;
    }
}

static void describe(const struct analysis *a, const struct deps *d, uint32_t *edges, size_t count,
                     double cycles, struct limit_chain *out)
{
    struct chain_work w = {a,
                           d,
                           edges,
                           count,
                           mem_zero(d->node_count + 1, sizeof(bool)),
                           mem_zero(d->node_count + 1, sizeof(bool)),
                           mem_zero(d->node_count + 1, sizeof(bool)),
                           mem_zero(d->edge_count + 1, sizeof(bool)),
                           mem_zero(a->count + 1, sizeof(bool))};

    begin_first(d, edges, count);
    *out = (struct limit_chain){.kind = LIMIT_NONE,
                                .count = count,
                                .cycles = cycles,
                                .alike = 1,
                                .user = LIMIT_NO_ROW,
                                .links = mem_zero(count + 1, sizeof *out->links)};
    for (size_t i = 0; i < count; i++) {
        const struct ratio_edge *edge = &d->edges[edges[i]];
        out->links[i].row = d->nodes[edge->to].insn;
        w.on[edge->to] = w.link[edges[i]] = w.on_row[out->links[i].row] = true;
        out->links[i].cycles = (double)edge->weight / CYCLE;
        out->distance += edge->distance;
    }
    reach(&w);
    out->kind = kind_of(&w, out);
    free(w.reached);
    free(w.round);
    free(w.on);
    free(w.link);
    free(w.on_row);
}

static void leave_out(const struct deps *d, const uint32_t *edges, size_t count, bool *without)
{
    for (size_t i = 0; i < count; i++)
        without[d->nodes[d->edges[edges[i]].to].insn] = true;
}

/* Longest chain that is shorter than the limiting chains (@kind, @cycles), and longest of these
 * that is not an induction variable (@firm, @firm_cycles). LIMIT_NONE: no such chain. */
struct shorter {
    enum limit_kind kind, firm;
    double cycles, firm_cycles;
};

/* Adds a chain as long as the longest one. Replaces the longest one if there is none yet, or if
 * only that is an induction variable. Takes @take_chain. */
static void add_equal(struct limit *l, struct limit_chain *take_chain)
{
    if (l->chain.kind == LIMIT_NONE ||
        (l->chain.kind == LIMIT_INDUCTION && take_chain->kind != LIMIT_INDUCTION)) {
        free(l->chain.links);
        l->chain = *take_chain;
        return;
    }
    l->chain.alike += l->chain.kind == take_chain->kind;
    if (l->other.kind == LIMIT_NONE && take_chain->kind != l->chain.kind &&
        take_chain->kind != LIMIT_INDUCTION)
        l->other = *take_chain;
    else
        free(take_chain->links);
}

/* Returns whether vector instructions cannot execute several steps of the chain in parallel. */
static bool is_serial(const struct limit_chain *chain)
{
    return chain->kind != LIMIT_INDUCTION && chain->kind != LIMIT_REDUCTION &&
           chain->kind != LIMIT_FALSE && chain->kind != LIMIT_PARTIAL &&
           !(chain->kind == LIMIT_SELECT && chain->extremum);
}

/* Finds the longest chain, preferably one that is not an induction variable. Counts the chains of
 * that length and kind, and finds one of another kind. Also finds the longest chain that is
 * shorter. */
static void find_chains(const struct analysis *a, struct deps *d, struct limit *l,
                        struct shorter *below)
{
    bool *without = mem_zero(a->count + 1, sizeof *without);
    uint32_t *edges = mem_alloc((d->edge_count + 1) * sizeof *edges);
    double cycles;

    for (unsigned i = 0; i < CHAINS_MOST && !(below->firm != LIMIT_NONE &&
                                              (l->serial || a->count > SERIAL_WITHIN));
         i++) {
        const size_t count = deps_cycle(d, without, edges, d->edge_count, &cycles);
        struct limit_chain chain;
        if (!count || cycles <= 0)
            break;
        describe(a, d, edges, count, cycles, &chain);
        leave_out(d, edges, count, without);
        l->serial |= is_serial(&chain);
        if (l->chain.kind == LIMIT_NONE || cycles >= l->chain.cycles - EQUAL) {
            add_equal(l, &chain);
            continue;
        }
        if (below->kind == LIMIT_NONE) {
            below->kind = chain.kind;
            below->cycles = cycles;
        }
        if (chain.kind != LIMIT_INDUCTION && below->firm == LIMIT_NONE) {
            below->firm = chain.kind;
            below->firm_cycles = cycles;
        }
        free(chain.links);
    }
    free(edges);
    free(without);
}

static bool only_jump(const struct analysis *a)
{
    for (size_t i = 0; i < a->count; i++)
        for (unsigned j = 0; j < PORTS_MAX && a->bottleneck_ports >> j; j++)
            if (a->bottleneck_ports >> j & 1 && a->rows[i].pressure[j] > EQUAL &&
                i + 1 != a->count && !(a->rows[i].flags & ROW_FUSED && i + 2 == a->count))
                return false;
    return true;
}

bool limit_unrolls(const struct analysis *a, enum limit_kind kind)
{
    switch (kind) {
    case LIMIT_INDUCTION: case LIMIT_BRANCH: return true;
    case LIMIT_FRONTEND:
        return !a->frontend.jcc_erratum && (a->frontend.source == SOURCE_LOOP_BUFFER ||
                                            a->bounds[BOUND_FRONTEND] <= 1);
    case LIMIT_PORTS: return only_jump(a);
    case LIMIT_ISSUE:   /* Unrolling is useful only if the last issue group of an iteration is
                         * partly empty. */
        return a->issue.kind == ISSUE_SLOTS && a->bounds[BOUND_ISSUE] <= 1 &&
               a->issue.count < machine_number(a->machine, "issue_width");
    default: return false;
    }
}

static enum limit_kind kind_of_bound(const struct analysis *a, const struct limit *l,
                                     enum bound_kind bound)
{
    double alone = 0;

    switch (bound) {
    case BOUND_PORTS: return LIMIT_PORTS;
    case BOUND_PIPES: return LIMIT_DIVIDER;
    case BOUND_MEMORY: return LIMIT_ACCESSES;
    case BOUND_FRONTEND: return a->frontend.by_branch ? LIMIT_BRANCH : LIMIT_FRONTEND;
    case BOUND_RETIRE: return LIMIT_RETIRE;
    case BOUND_DEPENDENCIES: return l->chain.kind;
    default: break;
    }
    for (size_t i = 0; i < a->count; i++)
        alone += a->rows[i].alone ? a->rows[i].alone->cycles : 0;
    return alone >= a->bounds[BOUND_ISSUE] ? LIMIT_MICROCODE : LIMIT_ISSUE;
}

static bool only_accesses(const struct analysis *a)
{
    for (size_t i = 0; i < a->count; i++)
        for (unsigned j = 0; j < PORTS_MAX && a->bottleneck_ports >> j; j++)
            if (a->bottleneck_ports >> j & 1 && a->rows[i].pressure[j] > EQUAL &&
                !(a->rows[i].flags & (ROW_LOAD | ROW_STORE)))
                return false;
    return true;
}

/* Returns whether @bound adds nothing to another bound, because both count the same slots or
 * accesses. */
static bool is_same(const struct analysis *a, enum bound_kind bound)
{
    const double issue = a->bounds[BOUND_ISSUE] * (1 - LIMIT_TIE), cycles = a->bounds[bound];

    switch (bound) {
    case BOUND_FRONTEND:
        return !a->frontend.by_branch && a->frontend.source == SOURCE_LOOP_BUFFER &&
               issue >= cycles * (1 - 2 * LIMIT_TIE);
    case BOUND_RETIRE: return issue >= cycles * (1 - 2 * LIMIT_TIE);
    case BOUND_MEMORY:
        return !(a->fitted & 1U << BOUND_MEMORY) && only_accesses(a) &&
               a->bounds[BOUND_PORTS] >= cycles * (1 - LIMIT_TIE);
    default: return false;
    }
}

static void add_kind(struct limit *l, enum limit_kind kind)
{
    for (unsigned i = 0; i < l->count; i++)
        if (l->kinds[i] == kind)
            return;
    l->kinds[l->count++] = kind;
}

static void raise_to(enum limit_kind *kind, double *cycles, enum limit_kind by, double bound)
{
    if (bound > *cycles) {
        *cycles = bound;
        *kind = by;
    }
}

/* Returns the number of bytes per iteration of all accesses with the symbol and stride of @one:
 * counts loads if @one is a load, otherwise stores. */
static uint64_t bytes_with(const struct address_work *work, const struct access *one)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < work->accesses.count; i++) {
        const struct access *other = &work->accesses.items[i];
        bytes += other->store == one->store && other->symbol == one->symbol &&
                         other->step == one->step
                     ? other->bytes
                     : 0;
    }
    return bytes;
}

static void find_streams(const struct address_work *work, struct limit *out)
{
    for (size_t i = 0; i < work->accesses.count; i++) {
        const struct access *access = &work->accesses.items[i];
        const uint64_t step = access_step(access);
        out->streams |= step > 0;
        out->gaps |= step > bytes_with(work, access);
    }
}

void limit_find(const struct analysis *a, struct block_work *work, struct limit *out)
{
    struct shorter below = {LIMIT_NONE, LIMIT_NONE, 0, 0};

    *out = (struct limit){.kind = LIMIT_NONE,
                          .next = LIMIT_NONE,
                          .left = LIMIT_NONE,
                          .chain = {.kind = LIMIT_NONE},
                          .other = {.kind = LIMIT_NONE}};
    if (!isnan(a->bounds[BOUND_DEPENDENCIES])) {
        find_chains(a, &work->deps, out, &below);
        find_streams(&work->deps.addresses, out);
    }
    if (!(a->cycles > 0))
        return;
    /* The first pass adds the kind of the largest bound, which must be first in the list. */
    for (int pass = 0; pass < 2; pass++)
        for (int bound = 0; bound < BOUND_COUNT; bound++) {
            if ((pass == 0) != ((enum bound_kind)bound == a->bottleneck) ||
                !(a->bounds[bound] >= a->cycles * (1 - LIMIT_TIE)))
                continue;
            if (pass == 0 || !is_same(a, (enum bound_kind)bound))
                add_kind(out, kind_of_bound(a, out, (enum bound_kind)bound));
            if (bound == BOUND_DEPENDENCIES && out->other.kind != LIMIT_NONE)
                add_kind(out, out->other.kind);
        }
    out->kind = out->kinds[0];
    for (int bound = 0; bound < BOUND_COUNT; bound++) {
        const bool limits = a->bounds[bound] >= a->cycles * (1 - LIMIT_TIE);
        const enum limit_kind kind = kind_of_bound(a, out, (enum bound_kind)bound);
        if (limits && bound == BOUND_DEPENDENCIES) {
            raise_to(&out->next, &out->next_cycles, below.kind, below.cycles);
            raise_to(&out->left, &out->left_cycles, below.firm, below.firm_cycles);
        } else if (!limits) {
            raise_to(&out->next, &out->next_cycles, kind, a->bounds[bound]);
            if (!limit_unrolls(a, kind) &&
                !(bound == BOUND_FRONTEND && a->frontend.jcc_erratum))
                raise_to(&out->left, &out->left_cycles, kind, a->bounds[bound]);
        }
    }
    bool split = out->left_cycles > 0, reduction = false;
    for (unsigned i = 0; i < out->count; i++) {
        reduction |= out->kinds[i] == LIMIT_REDUCTION;
        split &= out->kinds[i] == LIMIT_REDUCTION || limit_unrolls(a, out->kinds[i]);
    }
    if (split && reduction)
        out->split =
            accumulators_split(a, &work->deps, &out->chain,
                               (unsigned)ceil(out->chain.cycles / out->left_cycles - EQUAL));
}

void limit_done(struct limit *l)
{
    free(l->chain.links);
    free(l->other.links);
    free(l->split);
    *l = (struct limit){.kind = LIMIT_NONE};
}
