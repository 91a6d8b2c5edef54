/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/accumulators.h"
#include "analysis/analysis.h"
#include "analysis/deps.h"
#include "base/mem.h"
#include "base/watch.h"

#define CHAINS_MOST 16 /* equally long chains counted */
#define EQUAL 1e-9

/* Operation of a link of a chain. */
enum link_class {
    LINK_MOVE, LINK_ADD, LINK_MULTIPLY, LINK_AND, LINK_OR, LINK_XOR, LINK_MINMAX, LINK_SELECT,
    LINK_COMPARE, LINK_SCALE, LINK_OTHER
};

/* A chain during classification: its edges in the dependence graph. */
struct chain_work {
    const struct analysis *a;
    const struct deps *d;
    const uint32_t *edges;
    size_t count;
    bool *reached;             /* nodes that depend on the chain */
    bool *round;               /* those of them on which the chain depends, so that they are part of
                                * the recurrence */
};

const char *limit_name(enum limit_kind kind)
{
#define LIMIT_NAME(kind, name) name,
    static const char *const names[LIMIT_COUNT] = {LIMITS(LIMIT_NAME)};

    return names[kind];
}

/* Instruction that produces the value at the end of edge @at. */
static const struct insn *insn_at(const struct chain_work *w, size_t at)
{
    return w->a->rows[w->d->nodes[w->d->edges[at].to].insn].insn;
}

static bool has_word(const char *mnemonic, const char *word)
{
    return strstr(mnemonic, word) != NULL;
}

static enum link_class logic_class(const char *mnemonic)
{
    return has_word(mnemonic, "andn") || has_word(mnemonic, "tern") || has_word(mnemonic, "bic") ||
                   has_word(mnemonic, "orn")
               ? LINK_OTHER
           : has_word(mnemonic, "xor") || has_word(mnemonic, "eor") ? LINK_XOR
           : has_word(mnemonic, "and")                              ? LINK_AND
           : has_word(mnemonic, "or")                               ? LINK_OR
                                                                    : LINK_OTHER;
}

/* Operand of a fused multiply-add that is added: on x86-64 by the digits of its name, on AArch64
 * the fourth or the written vector. */
static int addend_of(const struct insn *insn)
{
    const bool masked = insn->operand_count > 1 && insn->operands[1].file == FILE_MASK;
    const int second = masked ? 2 : 1;

    return has_word(insn->mnemonic, "132")   ? second
           : has_word(insn->mnemonic, "213") ? second + 1
           : has_word(insn->mnemonic, "231") ? 0
           : insn->operand_count > 3 && insn->operands[3].kind == OPERAND_REGISTER &&
                   !insn->operands[3].implicit
               ? 3
               : 0;
}

/* Class of integer sums without saturation per lane, and of dot products into an accumulator. */
static enum link_class vector_sum_class(const struct insn *insn, int end)
{
    const char *m = insn->mnemonic;

    if (insn->operation == OPERATION_VECTOR_MULTIPLY)
        return end == 0 && (has_word(m, "dp") || has_word(m, "dot") || has_word(m, "ml") ||
                            has_word(m, "madd52"))
                   ? LINK_ADD
               : has_word(m, "mull") ? LINK_MULTIPLY
                                     : LINK_OTHER;
    return has_word(m, "adds") || has_word(m, "addus") || has_word(m, "qadd") ||
                   has_word(m, "subs") || has_word(m, "subus") || has_word(m, "qsub") ||
                   has_word(m, "avg") || has_word(m, "sign") || has_word(m, "abs") ||
                   has_word(m, "hadd") || has_word(m, "sad")
               ? LINK_OTHER
               : LINK_ADD;
}

/* Class of the address part that comes from @resource: added unchanged, or scaled. */
static enum link_class address_class(const struct insn *insn, uint8_t resource)
{
    const struct operand *memory = insn_memory(insn);

    return !memory || (memory->base == resource && memory->index == resource) ? LINK_SCALE
           : memory->index == resource && memory->scale > 1                   ? LINK_SCALE
                                                                              : LINK_ADD;
}

/* Returns whether it is a conditional increment: both selected values come from one register. */
static bool counts(const struct insn *insn)
{
    const struct operand *a = insn_operand(insn, insn->inputs[0]),
                         *b = insn_operand(insn, insn->inputs[1]);

    return has_word(insn->mnemonic, "cinc") ||
           (has_word(insn->mnemonic, "csinc") && a && b && a->reg == b->reg);
}

/* Returns whether the access itself advances the register @end: writeback or a string
 * instruction. */
static bool is_stepped(const struct insn *insn, int end)
{
    if (end >= LATENCY_ADDRESS)
        return false;
    if (insn->operands[end].access & ACCESS_WRITEBACK)
        return true;
    for (unsigned k = 0; insn->operands[end].implicit && k < insn->operand_count; k++)
        if (insn->operands[k].kind == OPERAND_MEMORY && insn->operands[k].implicit &&
            insn->operands[k].base == insn->operands[end].reg)
            return true;
    return false;
}

/* Class of the operation at the end of edge @at on the edge's value. */
static enum link_class class_of(const struct chain_work *w, size_t at)
{
    const struct deps *d = w->d;
    const struct ratio_edge *edge = &d->edges[at];
    const struct insn *insn = insn_at(w, at);
    const int from = d->ends[at], to = d->nodes[edge->to].end;
    const bool first =
        from >= LATENCY_ADDRESS || insn->inputs[0] == from || insn->inputs[0] == INSN_NO_OPERAND;

    if (is_stepped(insn, to))
        return LINK_ADD;
    if (insn->traits & INSN_STACK &&
        d->nodes[edge->to].resource == isa_ops((enum isa)insn->isa)->stack_pointer)
        return LINK_ADD;
    if (insn->traits & INSN_MOVE)
        return LINK_MOVE;
    switch (insn->operation) {
    case OPERATION_MOVE: case OPERATION_MOVE_ZERO: case OPERATION_MOVE_SIGN:
    case OPERATION_VECTOR_MOVE: case OPERATION_TRANSFER: case OPERATION_EXCHANGE:
    case OPERATION_PUSH: case OPERATION_POP:
        return LINK_MOVE;
    case OPERATION_ADD: case OPERATION_INCREMENT: case OPERATION_DECREMENT:
    case OPERATION_EXCHANGE_ADD:
        return LINK_ADD;
    case OPERATION_ADD_CARRY:
        return from == LATENCY_FLAGS ? LINK_OTHER : LINK_ADD;
    case OPERATION_SUBTRACT_CARRY:
        return from != LATENCY_FLAGS && first ? LINK_ADD : LINK_OTHER;
    case OPERATION_SUBTRACT:
        return first || from == LATENCY_MEMORY ? LINK_ADD : LINK_OTHER;
    case OPERATION_FP_ADD:
        return has_word(insn->mnemonic, "sub") && !first ? LINK_OTHER : LINK_ADD;
    case OPERATION_ADDRESS:
        return address_class(insn, d->nodes[edge->from].resource);
    case OPERATION_VECTOR_ADD: case OPERATION_VECTOR_MULTIPLY:
        return vector_sum_class(insn, from);
    case OPERATION_MULTIPLY:
        return insn->operand_count > 3 && from == 3 && insn->operands[3].kind == OPERAND_REGISTER &&
                       !insn->operands[3].implicit
                   ? LINK_ADD
                   : LINK_MULTIPLY;
    case OPERATION_FP_FUSED:
        return from == addend_of(insn) ? LINK_ADD : LINK_SCALE;
    case OPERATION_FP_MULTIPLY:
        return LINK_MULTIPLY;
    case OPERATION_SHIFT_LEFT:
        return LINK_SCALE;
    case OPERATION_AND:
        return LINK_AND;
    case OPERATION_OR:
        return LINK_OR;
    case OPERATION_XOR:
        return LINK_XOR;
    case OPERATION_VECTOR_LOGIC:
        return logic_class(insn->mnemonic);
    case OPERATION_VECTOR_MINMAX: case OPERATION_FP_MINMAX:
        return LINK_MINMAX;
    case OPERATION_SELECT:
        return !counts(insn) ? LINK_SELECT : from == LATENCY_FLAGS ? LINK_OTHER : LINK_ADD;
    case OPERATION_VECTOR_BLEND:
        return LINK_SELECT;
    case OPERATION_COMPARE: case OPERATION_TEST: case OPERATION_VECTOR_COMPARE:
    case OPERATION_FP_COMPARE: case OPERATION_SET:
        return LINK_COMPARE;
    default:
        return LINK_OTHER;
    }
}

static bool is_floating(const struct insn *insn)
{
    return insn->operation >= OPERATION_FP_ADD && insn->operation <= OPERATION_FP_HORIZONTAL;
}

/* Finds the nodes that depend on a value of the chain. */
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

static bool is_link(const struct chain_work *w, size_t edge)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->edges[i] == edge)
            return true;
    return false;
}

static bool is_on(const struct chain_work *w, size_t node)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->d->edges[w->edges[i]].to == node)
            return true;
    return false;
}

static bool is_link_row(const struct chain_work *w, uint32_t row)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->d->nodes[w->d->edges[w->edges[i]].to].insn == row)
            return true;
    return false;
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

/* Returns a row outside the chain that uses one of its values in each iteration, or LIMIT_NO_ROW.
 * *@in_place: it only stores it, always to the same address. */
static uint32_t user_of(const struct chain_work *w, bool *in_place)
{
    const struct deps *d = w->d;
    uint32_t stored = LIMIT_NO_ROW;

    *in_place = false;
    for (size_t i = 0; i < d->edge_count; i++) {
        const uint32_t row = d->nodes[d->edges[i].to].insn;
        if (!is_on(w, d->edges[i].from) || is_link_row(w, row))   /* flags of a link do not count */
            continue;
        if (!stores_in_place(d, row))
            return row;
        stored = row;
    }
    *in_place = stored != LIMIT_NO_ROW;
    return stored;
}

/* Returns whether no link has a second input that depends on the chain: x + x, or a sum of the last
 * two. */
static bool is_pure(const struct chain_work *w)
{
    const struct deps *d = w->d;

    for (size_t i = 0; i < d->edge_count; i++)
        if (is_on(w, d->edges[i].to) && !is_link(w, i) && w->reached[d->edges[i].from])
            return false;
    return true;
}

/* Returns whether the loop writes register @reg. */
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

/* Returns whether edge @at multiplies by a loop invariant. */
static bool scales(const struct chain_work *w, size_t at)
{
    const struct deps *d = w->d;
    const struct insn *insn = insn_at(w, at);
    const enum link_class class = class_of(w, at);

    if ((class != LINK_SCALE && class != LINK_MULTIPLY) ||
        !is_constant(w->a, insn, d->nodes[d->edges[at].from].resource,
                     insn->operation == OPERATION_FP_FUSED ? addend_of(insn) : -1))
        return false;
    for (size_t i = 0; i < d->edge_count && insn->operation != OPERATION_ADDRESS; i++)
        if (i != at && d->edges[i].to == d->edges[at].to && w->round[d->edges[i].from] &&
            class_of(w, i) != LINK_ADD)
            return false;   /* x * x */
    return true;
}

/* Returns whether the recurrence is x = a * x + b with a loop-invariant a. */
static bool is_affine(const struct chain_work *w)
{
    const struct deps *d = w->d;
    uint32_t state = UINT32_MAX;

    for (size_t i = 0; i < d->edge_count; i++) {
        const struct ratio_edge *edge = &d->edges[i];
        if (!w->round[edge->from] || !w->round[edge->to])
            continue;
        if (edge->distance && state != UINT32_MAX && state != edge->from)
            return false;
        state = edge->distance ? edge->from : state;
        const enum link_class class = class_of(w, i);
        if (class != LINK_ADD && class != LINK_MOVE && !scales(w, i))
            return false;
    }
    return true;
}

/* Returns whether the chain enters @insn by an old value that does not affect the result, or only
 * lanes that a scalar conversion keeps. */
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


static enum limit_kind kind_of(struct chain_work *w, struct limit_chain *chain)
{
    const struct deps *d = w->d;
    bool serial = false, memory = false, false_input = false, select = false, compare = false,
         blend = false, address = false, steps = true, one = true, carry = false, computes = false;
    enum link_class first = LINK_MOVE;

    for (size_t i = 0; i < w->count; i++) {
        const struct ratio_edge *edge = &d->edges[w->edges[i]];
        const struct dep_node *from = &d->nodes[edge->from], *to = &d->nodes[edge->to];
        const struct insn *insn = insn_at(w, w->edges[i]);
        const int end = d->ends[w->edges[i]];
        const enum link_class class = class_of(w, w->edges[i]);
        const bool loads =
            end == LATENCY_ADDRESS && insn->traits & INSN_LOAD && !is_stepped(insn, to->end);
        chain->links[i].moves = class == LINK_MOVE;
        chain->links[i].address = loads;
        chain->links[i].memory = end == LATENCY_MEMORY;
        chain->links[i].forwarded =
            end == LATENCY_MEMORY ? (double)d->before[w->edges[i]] / CYCLE : 0;
        serial |= from->resource == RESOURCE_FENCE || to->resource == RESOURCE_FENCE ||
                  end == LATENCY_FENCE;
        chain->blocked |= from->resource == RESOURCE_COMMIT || to->resource == RESOURCE_COMMIT;
        memory |= end == LATENCY_MEMORY;
        false_input |= is_false(insn, end);
        select |= class == LINK_SELECT;
        compare |= class == LINK_COMPARE;
        computes |= class == LINK_ADD || class == LINK_MULTIPLY || class == LINK_SCALE;
        blend |= insn->operation == OPERATION_VECTOR_LOGIC;
        address |= loads;
        carry |= to->resource == RESOURCE_CARRY;
        const bool general =
            to->resource < REG_PC && (insn->operands[to->end].file == FILE_GENERAL ||
                                      insn->operands[to->end].file == FILE_PREDICATE);
        steps &= (class == LINK_ADD || class == LINK_MOVE) && general && !insn->flags_read &&
                 is_constant(w->a, insn, from->resource,
                             insn->operation == OPERATION_FP_FUSED ? addend_of(insn) : -1);
        if (class != LINK_MOVE) {
            one &= first == LINK_MOVE || class == first;
            first = first == LINK_MOVE ? class : first;
            chain->floating |= is_floating(insn);
        }
    }
    chain->carry = carry;
    chain->compared = compare;
    chain->extremum = compare && !computes;
    const bool associative = one && first >= LINK_ADD && first <= LINK_MINMAX, pure = is_pure(w);
    bool in_place;
    const uint32_t user = user_of(w, &in_place);
    chain->affine = !(associative && pure) && first != LINK_MOVE && is_affine(w);
    chain->user = associative && pure ? user : LIMIT_NO_ROW;
    if (associative && first == LINK_MINMAX)
        chain->floating = false;
    return serial                                        ? LIMIT_SERIAL
           : memory || chain->blocked                    ? LIMIT_MEMORY
           : false_input                                 ? LIMIT_FALSE
           : select || (compare && blend)                ? LIMIT_SELECT
           : address                                     ? LIMIT_POINTER_CHASE
           : carry                                       ? LIMIT_RECURRENCE
           : steps && pure && first != LINK_MOVE         ? LIMIT_INDUCTION
           : !associative || !pure                       ? LIMIT_RECURRENCE
           : user != LIMIT_NO_ROW && !in_place           ? LIMIT_SCAN
                                                         : LIMIT_REDUCTION;
}

/* Rotates the cycle to begin with its first instruction. */
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

/* Fills a chain from the cycle of @count edges. */
static void describe(const struct analysis *a, const struct deps *d, uint32_t *edges, size_t count,
                     double cycles, struct limit_chain *out)
{
    struct chain_work w = {a,
                           d,
                           edges,
                           count,
                           mem_zero(d->node_count + 1, sizeof(bool)),
                           mem_zero(d->node_count + 1, sizeof(bool))};

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
        out->links[i].cycles = (double)edge->weight / CYCLE;
        out->distance += edge->distance;
    }
    reach(&w);
    out->kind = kind_of(&w, out);
    free(w.reached);
    free(w.round);
}

static void leave_out(const struct deps *d, const uint32_t *edges, size_t count, bool *without)
{
    for (size_t i = 0; i < count; i++)
        without[d->nodes[d->edges[edges[i]].to].insn] = true;
}

/* Finds the longest chain below the longest, and the longest of these that is no induction
 * variable; NONE: none. */
struct shorter {
    enum limit_kind kind, firm;
    double cycles, firm_cycles;
};

/* Adds @take_chain, which has the length of those present. */
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

/* Finds the longest chain (if several, one that is no induction variable), the number of equally
 * long ones, one of another kind, and shorter ones. */
static void find_chains(const struct analysis *a, struct deps *d, struct limit *l,
                        struct shorter *below)
{
    bool *without = mem_zero(a->count + 1, sizeof *without);
    uint32_t *edges = mem_alloc((d->edge_count + 1) * sizeof *edges);
    double cycles;

    for (unsigned i = 0; i < CHAINS_MOST && below->firm == LIMIT_NONE; i++) {
        const size_t count = deps_cycle(d, without, edges, d->edge_count, &cycles);
        struct limit_chain chain;
        if (!count || cycles <= 0)
            break;
        describe(a, d, edges, count, cycles, &chain);
        leave_out(d, edges, count, without);
        if (l->chain.kind == LIMIT_NONE || cycles >= l->chain.cycles - EQUAL) {
            add_equal(l, &chain);
            continue;
        }
        if (below->kind == LIMIT_NONE) {
            below->kind = chain.kind;
            below->cycles = cycles;
        }
        if (chain.kind != LIMIT_INDUCTION) {
            below->firm = chain.kind;
            below->firm_cycles = cycles;
        }
        free(chain.links);
    }
    free(edges);
    free(without);
}

/* Returns whether the closing jump alone fills the limiting ports. */
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
    case LIMIT_ISSUE:   /* issue groups that end with the iteration */
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

/* Returns whether one bound implies the other: the same slots or loads. */
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

/* Raises *@cycles to @bound, and *@kind with it. */
static void raise_to(enum limit_kind *kind, double *cycles, enum limit_kind by, double bound)
{
    if (bound > *cycles) {
        *cycles = bound;
        *kind = by;
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
        for (size_t i = 0; i < work->deps.addresses.accesses.count; i++)
            out->streams |= access_step(&work->deps.addresses.accesses.items[i]) > 0;
    }
    if (!(a->cycles > 0))
        return;
    for (int pass = 0; pass < 2; pass++)   /* the limiting kind comes first */
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
