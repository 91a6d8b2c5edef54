/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/deps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bypass.h"
#include "analysis/forwarding.h"
#include "analysis/x87_stack.h"
#include "base/mem.h"
#include "base/watch.h"

#define NO_LOAD UINT32_MAX
#define OTHER_FLAGS (FLAG_PARITY | FLAG_ADJUST | FLAG_ZERO | FLAG_SIGN | FLAG_OVERFLOW)

struct holder {
    uint32_t node;
    uint32_t distance;
    bool known;
    bool loaded;                   /* whether a load wrote the value */
    uint32_t computed;             /* node that computed the value, before eliminated moves */
};

struct store_input {
    struct holder place[2];
    bool copied;                   /* whether a load wrote the stored register */
    /* load whose value, after a one-cycle operation, is stored; NO_LOAD: none */
    uint32_t modified;
};

struct origin {
    uint32_t load;                 /* index of the load; NO_LOAD: none */
    bool worked;
};

struct build {
    struct core *c;
    const struct insn *insns;
    const struct costs *costs;
    struct deps *d;
    struct holder holds[RESOURCE_COUNT];
    size_t forward;                /* index of the next entry in the list of forwarded loads */
    struct store_input *stores;    /* per instruction, used for stores; NULL: not needed */
    struct forwarding forwarding;
    /* top of the x87 stack before each instruction and after the last instruction; NULL: no x87
     * instructions */
    uint8_t *turns;
    /* smallest latency of the current instruction in hundredths of a cycle; 0 except for a select
     * or set with slow flags */
    int32_t slow;
    /* barrier before the current instruction; @known false: none */
    struct holder barrier;
    /* whether a load waits until a store has written the cache; the order of commits is then
     * needed */
    bool blocked;
};

void deps_done(struct deps *d)
{
    free(d->nodes);
    free(d->edges);
    free(d->ends);
    free(d->before);
    free(d->guessed);
    free(d->first_node);
    address_work_done(&d->addresses);
    ratio_work_done(&d->ratio);
    *d = (struct deps){0};
}

/* Adds a result. Of two results in one register, the first remains (MULX: the high half). */
static void add_node(struct deps *d, uint32_t insn, int end, uint8_t resource)
{
    for (uint32_t n = d->first_node[insn]; n < d->node_count; n++)
        if (d->nodes[n].resource == resource)
            return;
    if (d->node_count == d->node_capacity) {
        d->node_capacity = d->node_capacity ? 2 * d->node_capacity : 64;
        d->nodes = mem_resize(d->nodes, d->node_capacity * sizeof *d->nodes);
    }
    d->nodes[d->node_count++] = (struct dep_node){insn, (int16_t)end, resource};
}

static void add_edge(struct deps *d, struct holder from, uint32_t to, int end, int32_t weight,
                     int32_t before)
{
    if (d->edge_count == d->edge_capacity) {
        d->edge_capacity = d->edge_capacity ? 2 * d->edge_capacity : 128;
        d->edges = mem_resize(d->edges, d->edge_capacity * sizeof *d->edges);
        d->ends = mem_resize(d->ends, d->edge_capacity * sizeof *d->ends);
        d->before = mem_resize(d->before, d->edge_capacity * sizeof *d->before);
        d->guessed = mem_resize(d->guessed, d->edge_capacity * sizeof *d->guessed);
    }
    d->before[d->edge_count] = before;
    d->guessed[d->edge_count] = false;
    d->ends[d->edge_count] = (int16_t)end;
    d->edges[d->edge_count++] = (struct ratio_edge){from.node, to, weight, from.distance};
}

static bool is_followed(const struct operand *op)
{
    switch (op->kind == OPERAND_REGISTER ? op->file : FILE_NONE) {
    case FILE_NONE: case FILE_PC: case FILE_FLAGS: case FILE_OTHER:
        return false;
    default:
        return true;
    }
}

/* Returns the resource of operand @op of instruction @at. A high-byte register has its own resource
 * if it is renamed separately. st(i) is register i from the top of the x87 stack. */
static uint8_t resource_of(const struct build *b, uint32_t at, const struct operand *op)
{
    if (op->file == FILE_X87 && op->bits == X87_BITS && b->turns)
        return x87_register(b->turns[at], &b->insns[at], op);
    return op->offset_bits && b->c->high_byte_renamed ? (uint8_t)(RESOURCE_HIGH + op->reg)
                                                      : op->reg;
}

static bool is_blocked(const struct build *b, uint32_t at)
{
    const struct address_work *work = &b->d->addresses;

    for (size_t i = addresses_found(work, at); i < work->found_count && work->found[i].load == at;
         i++)
        if (forwarding_blocks(b->c, &work->found[i]))
            return true;
    return false;
}

static void make_nodes(const struct build *b, const struct insn *insn, uint32_t at)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (is_followed(&insn->operands[i]) && insn->operands[i].access & ACCESS_WRITE)
            add_node(b->d, at, (int)i, resource_of(b, at, &insn->operands[i]));
    if (insn->flags_written & FLAG_CARRY)
        add_node(b->d, at, LATENCY_FLAGS, RESOURCE_CARRY);
    if (insn->flags_written & OTHER_FLAGS)
        add_node(b->d, at, LATENCY_FLAGS, RESOURCE_FLAGS);
    if (insn->traits & INSN_STORE)
        add_node(b->d, at, LATENCY_MEMORY, RESOURCE_MEMORY);
    if (b->blocked && (insn->traits & INSN_STORE || is_blocked(b, at)))
        add_node(b->d, at, LATENCY_COMMIT, RESOURCE_COMMIT);
    if (b->costs->rows[at].op->fence > 0)
        add_node(b->d, at, LATENCY_FENCE, RESOURCE_FENCE);
}

/* Makes @node the last writer of its register. A write of the whole register replaces a separate
 * high byte. Does nothing for memory. */
static void hold(struct build *b, uint32_t node, uint32_t distance)
{
    uint8_t resource = b->d->nodes[node].resource;
    const struct dep_node *n = &b->d->nodes[node];

    if (resource == RESOURCE_MEMORY)   /* Addresses determine the dependences through memory, so
                                        * memory has no holder. */
        return;
    const struct cost *row = &b->costs->rows[n->insn];
    const struct operand *source = &b->insns[n->insn].operands[1];
    struct holder from = {.loaded = row->op->traits & OP_PURE_LOAD};
    if (row->flags & ROW_ELIMINATED)
        from = source->reg != REG_NONE ? b->holds[resource_of(b, n->insn, source)]
                                       : (struct holder){0};
    b->holds[resource] =
        (struct holder){node, distance, true, from.loaded, from.known ? from.computed : node};
    if (resource < REG_HIGH_BYTES && b->insns[n->insn].operands[n->end].bits >= 32)
        b->holds[RESOURCE_HIGH + resource].known = false;
}

/* Returns the latency from operand @from to operand @to in the machine's tables, in hundredths of a
 * cycle; -1: unknown. */
static int32_t known_latency(const struct op *op, int from, int to)
{
    for (size_t i = 0; i < op->rules.count; i++) {
        const struct latency_rule *rule = op->rules.items[i];
        if (latency_rule_fits(rule, from, to))
            return (int32_t)lround(rule->cycles * CYCLE);
    }
    return op->latency;
}

static int32_t operation_latency(const struct op *op, int from, int to)
{
    const int32_t known = known_latency(op, from, to);

    return known >= 0 ? known : CYCLE;
}

/* Returns whether a two-cycle operation takes only one cycle, because memory accesses limit the
 * loop (fact unhurried_ports). */
static bool is_unhurried(const struct build *b, const struct cost *row, int32_t latency)
{
    bool found = false;

    for (uint32_t k = row->first;
         b->d->unhurried && latency == 2 * CYCLE && k < row->first + row->count; k++)
        found |= b->costs->masses[k].ports == b->c->unhurried_ports;
    return found;
}

/* Returns the latency of instruction @at from operand @from to operand @to in hundredths of a
 * cycle. Sets *@guessed if the machine has the form, but not this latency. */
static int32_t latency_of(const struct build *b, uint32_t at, int from, int to, bool *guessed)
{
    const struct cost *row = &b->costs->rows[at];

    *guessed = false;
    /* The addition of a macro-fused pair is executed, so it takes a cycle. */
    if (row->flags & ROW_FUSED && row->sum.adds && to < LATENCY_ADDRESS)
        return CYCLE;
    if (row->flags & ROW_SUM && to < LATENCY_ADDRESS)
        return row->sum.executed * CYCLE / 100;
    *guessed = row->op->traits & OP_KNOWN && known_latency(row->op, from, to) < 0;
    int32_t latency = operation_latency(row->op, from, to);
    /* On Intel's cores, a move that rename does not eliminate takes a cycle. */
    if (row->op->traits & OP_ELIMINATED && latency < CYCLE && b->c->fused_domain)
        latency = CYCLE;
    return is_unhurried(b, row, latency) ? CYCLE : latency < b->slow ? b->slow : latency;
}

static bool is_idiom(const struct cost *row)
{
    return row->flags & (ROW_ZERO | ROW_ELIMINATED);
}

/* Returns whether the new flags depend on the old flags. A shift by cl keeps the flags if cl is 0
 * (fact shift_keeps_flags). */
static bool keeps_flags(const struct build *b, const struct insn *insn)
{
    return b->c->shift_keeps_flags && insn->flags_written && insn_count_in_register(insn);
}

/* Returns whether operand @end only updates the base register of a write-back access. */
static bool is_step(const struct insn *insn, int end)
{
    if (end >= LATENCY_ADDRESS || insn->operands[end].kind != OPERAND_REGISTER)
        return false;
    if (insn->operands[end].access & ACCESS_WRITEBACK)
        return true;
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].access & ACCESS_WRITEBACK &&
            insn->operands[i].index == insn->operands[end].reg)
            return end > 0 && insn->operands[end - 1].kind == OPERAND_MEMORY;
    return false;
}

/* Returns whether operand @end is the mask of a gather or scatter, whose new value is constant,
 * because the instruction clears it. */
static bool is_spent_mask(const struct build *b, const struct insn *insn, int end)
{
    const struct operand *memory = insn_memory(insn);

    return memory && memory->index != REG_NONE && memory->index >= b->c->isa->vectors && end > 0 &&
           end < LATENCY_ADDRESS &&
           (insn->operands[end].access & (ACCESS_READ | ACCESS_WRITE)) ==
               (ACCESS_READ | ACCESS_WRITE);
}

/* Adds edges from @value, read as operand @end, to the results of instruction @at that depend on
 * this operand. Does nothing if @value has no known writer. @extra is added to the latency, in
 * hundredths of a cycle: before the operation starts if positive, to the operation itself if
 * negative. */
static void connect(struct build *b, uint32_t at, struct holder value, int end, int32_t extra)
{
    const struct cost *row = &b->costs->rows[at];
    const struct insn *insn = &b->insns[at];
    uint8_t sp = b->c->isa->stack_pointer;
    bool swap = insn->operation == OPERATION_EXCHANGE || insn->x87 == X87_EXCHANGE;

    if (!value.known)
        return;
    for (uint32_t n = b->d->first_node[at]; n < b->d->first_node[at + 1]; n++) {
        const struct dep_node *node = &b->d->nodes[n];
        const bool pointer = node->resource == sp && insn->operands[node->end].implicit;
        bool stack = row->op->traits & OP_STACK && node->resource == sp && end < LATENCY_ADDRESS &&
                     insn->operands[end].implicit;
        if (row->op->traits & OP_STACK && pointer && !stack)
            continue;   /* The new stack pointer depends only on the old stack pointer. */
        if ((swap && end == node->end && end < LATENCY_ADDRESS) || node->end == LATENCY_COMMIT ||
            node->end == LATENCY_FENCE || is_spent_mask(b, insn, node->end))
            continue;
        bool stepped = insn->traits & INSN_WRITEBACK && node->end < LATENCY_ADDRESS &&
                       insn->operands[node->end].access & ACCESS_WRITEBACK;
        if (stepped != (insn->traits & INSN_WRITEBACK && is_step(insn, end)))
            continue;
        if (stepped) {
            add_edge(b->d, value, n, end, CYCLE, 0);
            continue;
        }
        if (end == LATENCY_FLAGS && node->end != LATENCY_FLAGS && keeps_flags(b, insn))
            continue;   /* Of the results of a shift by cl, only the flags depend on old flags. */
        bool guessed = false;
        int32_t latency = stack           ? (b->c->stack_engine ? 0 : CYCLE)
                          : is_idiom(row) ? 0
                                          : latency_of(b, at, end, node->end, &guessed);
        bool address = end == LATENCY_BASE || end == LATENCY_INDEX;
        /* leave computes the stack pointer from its base register, and not from what it loads. */
        const int32_t more = address && pointer ? 0 : extra, before = more > 0 ? more : 0;
        add_edge(b->d, value, n, address ? LATENCY_ADDRESS : end, latency + more, before);
        b->d->guessed[b->d->edge_count - 1] = guessed;
    }
}

/* Returns the bypass delay between the producer of @value and instruction @at, in hundredths of a
 * cycle; 0 for an eliminated move. */
static int32_t between_kinds(const struct build *b, uint32_t at, struct holder value)
{
    const struct dep_node *node = value.known ? &b->d->nodes[value.computed] : NULL;

    if (!node || node->end >= LATENCY_ADDRESS || b->costs->rows[at].flags & ROW_ELIMINATED)
        return 0;
    const struct bypass_source from = {&b->insns[node->insn], b->costs->rows[node->insn].op,
                                       &b->insns[node->insn].operands[node->end]};
    return bypass_latency(b->c, &from, &b->insns[at], b->costs->rows[at].op);
}

static bool has_slow_flags(const struct build *b, struct holder flags)
{
    return flags.known && b->costs->rows[b->d->nodes[flags.node].insn].op->traits & OP_SLOW_FLAGS;
}

/* Returns the probability that rename puts instruction @at and the producer of @value into one
 * group: the mean over the producer's possible positions in the group. Returns 1 without the fact
 * issue_width. */
static double share_together(const struct build *b, uint32_t at, struct holder value)
{
    const struct cost *rows = b->costs->rows;
    uint32_t before = b->d->nodes[value.node].insn, total = 0, first = 0, apart = 0, together = 0,
             places = 0;

    if (isnan(b->c->issue_width))
        return 1;
    for (uint32_t i = 0; i < b->costs->count; i++) {
        first += i < before ? rows[i].issue : 0;
        apart += i < at ? rows[i].issue : 0;
        total += rows[i].issue;
    }
    apart += value.distance * total - first;
    uint32_t width = core_slots(b->c), step = total && width % total == 0 ? total : 1;
    for (uint32_t place = step > 1 ? first % step : 0; place < width; place += step, places++)
        together += place + apart < width;
    return (double)together / places;
}

/* Returns the minimum latency of a select or set with slow flags, in hundredths of a cycle; 0:
 * none. The latency is longer if rename processes the producer of the flags in the same group
 * (facts slow_flags, slow_flags_latency). */
static int32_t slow_latency(const struct build *b, uint32_t at)
{
    const struct insn *insn = &b->insns[at];
    struct holder carry = b->holds[RESOURCE_CARRY], flags = b->holds[RESOURCE_FLAGS];
    double share = 0;

    if (isnan(b->c->slow_flags_latency) ||
        (insn->operation != OPERATION_SELECT && insn->operation != OPERATION_SET))
        return 0;
    /* An instruction that reads the carry flag and other flags always takes 2 cycles: the first of
     * its two µops combines the flags. */
    if (insn->flags_read & FLAG_CARRY && insn->flags_read & OTHER_FLAGS)
        return 0;
    if (insn->flags_read & FLAG_CARRY && has_slow_flags(b, carry))
        share = share_together(b, at, carry);
    if (insn->flags_read & OTHER_FLAGS && has_slow_flags(b, flags))
        share = fmax(share, share_together(b, at, flags));
    return share > 0 ? (int32_t)lround((1 + (b->c->slow_flags_latency - 1) * share) * CYCLE) : 0;
}

static bool is_simple_address(const struct operand *op)
{
    return op->index == REG_NONE && op->displacement >= 0 && op->displacement < 2048;
}

static int32_t hundredths(double cycles)
{
    return isnan(cycles) ? 0 : (int32_t)lround(cycles * CYCLE);
}

/* Returns the additional latency of an operation with inputs that rename keeps as a register plus a
 * constant: fact immediate_folding_extra per cycle of the operation. A shift count is an input. */
static int32_t sum_latency(const struct build *b, uint32_t at)
{
    const struct cost *row = &b->costs->rows[at];
    int32_t steps = row->op->latency > CYCLE ? row->op->latency / CYCLE : 1;

    return row->op->traits & OP_SLOW_SUM && row->sum.pending
               ? steps * hundredths(b->c->immediate_folding_extra)
               : 0;
}

static int32_t sync_latency(const struct build *b, uint32_t at, uint8_t reg)
{
    return b->costs->rows[at].flags & ROW_SYNC && reg == b->c->isa->stack_pointer ? CYCLE : 0;
}

static bool has_three_parts(const struct operand *op)
{
    return op->base != REG_NONE && op->index != REG_NONE && op->displacement != 0;
}

/* Returns the latency that the form of the address adds to a load, in hundredths of a cycle. */
static int32_t load_extra(const struct core *c, const struct operand *op)
{
    double extra = op->index != REG_NONE && op->scale > 1 ? c->load_extra_scaled
                   : has_three_parts(op)                  ? c->load_extra_three
                                                          : 0;

    extra += op->segment != REG_NONE ? c->load_extra_segment : 0;
    return hundredths(extra);
}

static void read_address(struct build *b, uint32_t at, const struct operand *op)
{
    const struct insn *insn = &b->insns[at];
    const struct op *info = b->costs->rows[at].op;
    uint8_t parts[2] = {op->base, op->index};

    for (int i = 0; i < 2; i++) {
        if (parts[i] >= REG_PC)
            continue;
        int32_t extra = insn->traits & INSN_LOAD ? info->load_latency + load_extra(b->c, op) : 0;
        /* Pointer chasing has a shorter latency if a load wrote the base and the address is
         * simple. */
        if (extra && !(info->traits & OP_VECTOR) && b->holds[parts[i]].loaded &&
            is_simple_address(op) && !isnan(b->c->load_latency_simple))
            extra = hundredths(b->c->load_latency_simple) + load_extra(b->c, op);
        if (insn->traits & INSN_LOAD && addresses_far(&b->d->addresses, at))
            extra += hundredths(b->c->dtlb_miss);
        b->d->open |= info->traits & OP_LOAD_UNKNOWN && b->holds[parts[i]].known;
        connect(b, at, b->holds[parts[i]], i ? LATENCY_INDEX : LATENCY_BASE,
                extra + sync_latency(b, at, parts[i]));
    }
}

static uint32_t node_of(const struct deps *d, uint32_t insn, uint8_t resource)
{
    for (uint32_t n = d->first_node[insn]; n < d->first_node[insn + 1]; n++)
        if (d->nodes[n].resource == resource)
            return n;
    BUG("instruction %u writes no value of kind %u", (unsigned)insn, (unsigned)resource);
}

/* Delays a forwarded load until store_address_late cycles after the registers of its store's
 * address are available. */
static void wait_for_address(struct build *b, uint32_t at, const struct forward *f)
{
    for (int i = 0; !isnan(b->c->store_address_late) && i < 2; i++) {
        struct holder value = b->stores[f->store].place[i];
        value.distance += f->distance;
        connect(b, at, value, LATENCY_MEMORY, hundredths(b->c->store_address_late));
    }
}

static void read_memory(struct build *b, uint32_t at)
{
    struct address_work *work = &b->d->addresses;

    for (; b->forward < work->found_count && work->found[b->forward].load <= at; b->forward++) {
        const struct forward *f = &work->found[b->forward];
        if (f->load < at)
            continue;
        double cycles = forwarding_latency(&b->forwarding, f);
        bool renamed = forwarding_renamed(&b->forwarding, f);
        if (b->stores && b->stores[f->store].copied && f->fits &&
            b->costs->rows[at].op->traits & OP_VECTOR)
            /* fmax ignores an argument that is NaN. */
            cycles = fmax(cycles, b->c->store_forward_copied);
        if (b->stores && b->stores[f->store].modified == at && f->fits && !renamed)
            cycles = fmax(cycles, b->c->store_forward_modify);
        b->d->open |= isnan(cycles);
        b->d->renamed += renamed;
        bool waits = forwarding_blocks(b->c, f),
             tried_again = f->fits && !(b->insns[at].traits & INSN_LOCK);
        b->d->forwarded += tried_again && !(b->insns[f->store].traits & INSN_LOAD);
        b->d->forwarded_modified += tried_again && b->insns[f->store].traits & INSN_LOAD;
        b->d->renamed_plain += renamed && !(b->insns[at].traits & INSN_STORE);
        struct holder source = {
            .node = node_of(b->d, f->store, waits ? RESOURCE_COMMIT : RESOURCE_MEMORY),
            .distance = f->distance, .known = true};
        connect(b, at, source, LATENCY_MEMORY, hundredths(cycles));
        if (!waits)
            wait_for_address(b, at, f);
        else
            add_edge(b->d, source, node_of(b->d, at, RESOURCE_COMMIT), LATENCY_COMMIT,
                     hundredths(cycles), 0);
    }
}

/* Adds edges for stores and blocked loads if a load of the block is blocked. Each store writes the
 * cache after its data are available and after all previous stores. Also adds edges for fences. */
static void keep_order(struct build *b, uint32_t at)
{
    const struct op *op = b->costs->rows[at].op;

    bool store = b->insns[at].traits & INSN_STORE;
    if (b->blocked && (store || is_blocked(b, at))) {
        uint32_t commit = node_of(b->d, at, RESOURCE_COMMIT);
        if (store)
            add_edge(b->d,
                     (struct holder){.node = node_of(b->d, at, RESOURCE_MEMORY), .known = true},
                     commit, LATENCY_COMMIT, 0, 0);
        if (b->holds[RESOURCE_COMMIT].known)
            add_edge(b->d, b->holds[RESOURCE_COMMIT], commit, LATENCY_COMMIT, 0, 0);
    }
    if (op->fence > 0 && b->holds[RESOURCE_FENCE].known)
        add_edge(b->d, b->holds[RESOURCE_FENCE], node_of(b->d, at, RESOURCE_FENCE), LATENCY_FENCE,
                 op->fence, 0);
}

/* Finds the last barrier of the previous iteration. The first instructions of an iteration wait for
 * this barrier. */
static void find_barrier(struct build *b)
{
    for (uint32_t i = 0; i < b->costs->count; i++)
        if (b->insns[i].traits & INSN_BARRIER)
            b->barrier = (struct holder){.node = node_of(b->d, i, RESOURCE_FENCE), .distance = 1,
                                         .known = true};
}

/* Adds edges to barrier @at from the results of instructions @from to @to - 1, @distance iterations
 * earlier. */
static void wait_for_all(struct build *b, uint32_t at, uint32_t from, uint32_t to,
                         uint32_t distance)
{
    uint32_t fence = node_of(b->d, at, RESOURCE_FENCE);

    for (uint32_t n = b->d->first_node[from]; n < b->d->first_node[to]; n++)
        if (b->d->nodes[n].end != LATENCY_COMMIT)
            add_edge(b->d, (struct holder){.node = n, .distance = distance, .known = true}, fence,
                     LATENCY_FENCE, b->costs->rows[at].op->fence, 0);
}

/* Makes a barrier wait for all instructions after the previous barrier, and any other instruction
 * for the last barrier. Does nothing without a barrier, or for idioms and nops. */
static void keep_barriers(struct build *b, uint32_t at)
{
    const struct insn *insn = &b->insns[at];

    if (!b->barrier.known)
        return;
    if (insn->traits & INSN_BARRIER) {
        uint32_t before = b->d->nodes[b->barrier.node].insn;
        if (b->barrier.distance)
            wait_for_all(b, at, before + 1, (uint32_t)b->costs->count, 1);
        wait_for_all(b, at, b->barrier.distance ? 0 : before + 1, at, 0);
        b->barrier = (struct holder){.node = node_of(b->d, at, RESOURCE_FENCE), .known = true};
    } else if (!(insn->traits & (INSN_ZERO_IDIOM | INSN_ONES_IDIOM | INSN_NOP))) {
        connect(b, at, b->barrier, LATENCY_FENCE,
                insn->traits & INSN_LOAD ? b->costs->rows[at].op->load_latency : 0);
    }
}

/* Returns whether operand @i depends on its old value, because of a read, a condition, a partial
 * write or a false dependency. */
static bool reads_old_value(const struct build *b, uint32_t at, unsigned i)
{
    const struct insn *insn = &b->insns[at];
    const struct operand *op = &insn->operands[i];

    if (op->access & ACCESS_READ || op->access & ACCESS_CONDITIONAL)
        return true;
    if (op->file == FILE_GENERAL && op->bits < 32)
        return op->offset_bits ? !b->c->high_byte_renamed
                               : op->bits == 16 || !b->c->low_byte_renamed;
    return i == 0 &&
           (insn->traits & INSN_KEEPS_OLD || b->costs->rows[at].op->traits & OP_FALSE_INPUT);
}

static void read_inputs(struct build *b, uint32_t at)
{
    const struct insn *insn = &b->insns[at];
    const struct cost *row = &b->costs->rows[at];
    uint32_t flags = insn->flags_read | (keeps_flags(b, insn) ? insn->flags_written : 0);

    bool same_register = row->op->traits & OP_CARRY_IDIOM &&
                         insn->operands[0].reg == insn->operands[1].reg &&
                         insn->operands[0].bits >= 32;
    if (insn->traits & (INSN_ZERO_IDIOM | INSN_ONES_IDIOM | INSN_NOP) ||
        row->flags & (ROW_ZERO | ROW_ONES))
        return;
    b->slow = slow_latency(b, at);
    const int32_t sum = sum_latency(b, at);
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        if (op->kind == OPERAND_MEMORY) {
            read_address(b, at, op);
        } else if (is_followed(op) && !same_register &&
                   (op->access & ACCESS_READ || reads_old_value(b, at, i))) {
            struct holder value = b->holds[resource_of(b, at, op)];
            /* If the last write of this part of a register is unknown, uses the last write of the
             * whole register. */
            if (op->offset_bits && !value.known)
                value = b->holds[op->reg];
            connect(b, at, value, (int)i,
                    sync_latency(b, at, op->reg) + between_kinds(b, at, value) + sum);
            /* The core merges a separate high byte into the register first, so the result depends
             * on the high byte. */
            if (op->reg < REG_HIGH_BYTES && !op->offset_bits && op->bits > 8)
                connect(b, at, b->holds[RESOURCE_HIGH + op->reg], (int)i,
                        hundredths(b->c->high_byte_latency));
        }
    }
    if (flags & FLAG_CARRY && !(row->flags & ROW_FUSED_INTO))
        connect(b, at, b->holds[RESOURCE_CARRY], LATENCY_FLAGS, 0);
    if (flags & OTHER_FLAGS && !(row->flags & ROW_FUSED_INTO))
        connect(b, at, b->holds[RESOURCE_FLAGS], LATENCY_FLAGS, 0);
    if (insn->traits & INSN_LOAD)
        read_memory(b, at);
    keep_order(b, at);
}

/* Marks the results of a called function, the flags and the separate high bytes as ready. Does
 * nothing unless @at is a call, and the function's instructions do not follow. Other registers keep
 * their values, because code that reads them later was compiled for a function that does not change
 * them. */
static void call(struct build *b, uint32_t at)
{
    const struct insn *insn = &b->insns[at];
    const uint64_t results = isa_ops((enum isa)insn->isa)->call_results;
    const bool follows =
        at + 1 < b->costs->count && b->insns[at + 1].offset != insn->offset + insn->length;

    if (!(insn->traits & INSN_CALL) || follows)
        return;
    for (unsigned r = 0; r < INSN_REGISTERS && r < 64; r++)
        b->holds[r].known &= !(results >> r & 1);
    for (unsigned r = RESOURCE_CARRY; r < RESOURCE_FENCE; r++)
        b->holds[r].known = false;
}

/* Renumbers the x87 registers for the next iteration, which starts with the final stack top of this
 * one. */
static void turn_back(struct build *b)
{
    struct holder held[X87_REGISTERS];

    memcpy(held, b->holds + X87_FIRST, sizeof held);
    for (unsigned i = 0; i < X87_REGISTERS; i++)
        b->holds[X87_FIRST + (i - b->turns[b->costs->count]) % X87_REGISTERS] = held[i];
}

/* Initialises the last writer of each register to its last write in the previous iteration. Returns
 * the written registers as a bit set. */
static uint64_t begin_iteration(struct build *b)
{
    uint64_t written = 0;

    /* In the previous iteration, an x87 name may have belonged to another physical register. */
    if (b->turns)
        memset(b->holds + X87_FIRST, 0, X87_REGISTERS * sizeof *b->holds);
    for (uint32_t i = 0; i < b->costs->count; i++) {
        for (uint32_t n = b->d->first_node[i]; n < b->d->first_node[i + 1]; n++) {
            hold(b, n, 1);
            written |= b->d->nodes[n].resource < 64 ? (uint64_t)1 << b->d->nodes[n].resource : 0;
        }
        call(b, i);
    }
    if (b->turns)
        turn_back(b);
    return written;
}

static bool is_copied(const struct build *b, const struct insn *store)
{
    for (unsigned i = 0; i < store->operand_count; i++) {
        const struct operand *op = &store->operands[i];
        if (op->kind == OPERAND_REGISTER && op->access == ACCESS_READ && op->reg < INSN_REGISTERS &&
            b->holds[op->reg].loaded)
            return true;
    }
    return false;
}

/* Returns the load that produces the value of @node, which instruction @at writes, directly or
 * through one one-cycle operation (@worked). @origins has the origins of all previous nodes. */
static struct origin origin_of(const struct build *b, uint32_t at, const struct dep_node *node,
                               const struct origin *origins)
{
    const struct insn *insn = &b->insns[at];
    const struct cost *row = &b->costs->rows[at];
    struct origin none = {NO_LOAD, false};

    if (node->end >= LATENCY_ADDRESS || row->flags & (ROW_ZERO | ROW_SUM))
        return none;
    if (insn->traits & INSN_LOAD)
        return row->op->traits & OP_PURE_LOAD ? (struct origin){at, false}
               : operation_latency(row->op, LATENCY_BASE, node->end) == CYCLE
                   ? (struct origin){at, true}
                   : none;
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        struct holder value = is_followed(op) && op->access & ACCESS_READ
                                  ? b->holds[resource_of(b, at, op)]
                                  : (struct holder){0};
        if (!value.known || value.distance || origins[value.node].load == NO_LOAD)
            continue;
        if (row->flags & ROW_ELIMINATED)
            return origins[value.node];
        if (!origins[value.node].worked && operation_latency(row->op, (int)i, node->end) == CYCLE)
            return (struct origin){origins[value.node].load, true};
    }
    return none;
}

/* Returns the load whose value store @at writes after a one-cycle operation; NO_LOAD: none. */
static uint32_t modified_load(const struct build *b, uint32_t at, const struct origin *origins)
{
    const struct insn *store = &b->insns[at];

    for (unsigned i = 0; i < store->operand_count; i++) {
        const struct operand *op = &store->operands[i];
        struct holder value = is_followed(op) && op->access == ACCESS_READ
                                  ? b->holds[resource_of(b, at, op)]
                                  : (struct holder){0};
        if (value.known && !value.distance && origins[value.node].worked)
            return origins[value.node].load;
    }
    return NO_LOAD;
}

/* Sets b->stores to the producers of the addresses and data of stores. Does nothing if no load
 * reads a store, or if the machine's forwarding latency does not depend on these producers. */
static void follow_stores(struct build *b)
{
    struct deps *d = b->d;
    const struct core *c = b->c;

    if ((isnan(c->store_address_late) && isnan(c->store_forward_copied) &&
         !(c->store_forward_modify > c->store_forward)) ||
        !d->addresses.found_count)
        return;
    b->stores = mem_zero(b->costs->count + 1, sizeof *b->stores);
    struct origin *origins = mem_zero(d->node_count + 1, sizeof *origins);
    for (uint32_t i = 0; i < b->costs->count; i++) {
        const struct insn *insn = &b->insns[i];
        const struct operand *memory = insn->traits & INSN_STORE ? insn_memory(insn) : NULL;
        if (memory && memory->base < REG_PC)
            b->stores[i].place[0] = b->holds[memory->base];
        if (memory && memory->index < REG_PC)
            b->stores[i].place[1] = b->holds[memory->index];
        bool pure = memory && b->costs->rows[i].op->traits & OP_PURE_STORE;
        b->stores[i].copied = pure && is_copied(b, insn);
        b->stores[i].modified = pure ? modified_load(b, i, origins) : NO_LOAD;
        for (uint32_t n = d->first_node[i]; n < d->first_node[i + 1]; n++)
            origins[n] = origin_of(b, i, &d->nodes[n], origins);
        for (uint32_t n = d->first_node[i]; n < d->first_node[i + 1]; n++)
            hold(b, n, 0);
        call(b, i);
    }
    free(origins);
    begin_iteration(b);
}

void deps_build(struct core *c, const struct insn *insns, const struct costs *costs,
                enum start_values start, const struct known_forwards *known, struct deps *d)
{
    size_t count = costs->count;
    struct build b = {
        .c = c, .insns = insns, .costs = costs, .d = d, .turns = x87_turns(insns, count)};

    d->node_count = d->edge_count = 0;
    d->forwarded = d->forwarded_modified = d->renamed = d->renamed_plain = 0;
    d->open = false;
    if (d->first_capacity < count + 1) {
        d->first_capacity = 2 * (count + 1);
        d->first_node = mem_resize(d->first_node, d->first_capacity * sizeof *d->first_node);
    }
    addresses_link(insns, count, start, (size_t)c->store_buffer, &d->addresses);
    addresses_add_known(&d->addresses, known);
    for (size_t i = 0; i < d->addresses.found_count; i++)
        b.blocked |= forwarding_blocks(c, &d->addresses.found[i]);
    for (uint32_t i = 0; i < count; i++) {
        d->first_node[i] = (uint32_t)d->node_count;
        make_nodes(&b, &insns[i], i);
    }
    d->first_node[count] = (uint32_t)d->node_count;
    uint64_t written = begin_iteration(&b);
    find_barrier(&b);
    follow_stores(&b);
    forwarding_start(&b.forwarding, c, insns, costs, written, &d->addresses);
    for (uint32_t i = 0; i < count && !watch_steps(1); i++) {
        read_inputs(&b, i);
        keep_barriers(&b, i);
        for (uint32_t n = d->first_node[i]; n < d->first_node[i + 1]; n++)
            hold(&b, n, 0);
        call(&b, i);
    }
    free(b.stores);
    free(b.turns);
}

bool deps_whole(const struct deps *d)
{
    for (size_t i = 0; i < d->edge_count; i++)
        if (d->edges[i].weight % CYCLE || d->before[i] % CYCLE)
            return false;
    return true;
}
