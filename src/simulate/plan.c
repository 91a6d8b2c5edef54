/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/plan.h"

#include "analysis/issue.h"

void plan_done(struct plan *p)
{
    vec_done(&p->items);
    vec_done(&p->uops);
    vec_done(&p->edges);
    vec_done(&p->nodes);
    vec_done(&p->listed);
    vec_done(&p->sources);
    vec_done(&p->readers);
    vec_done(&p->insns);
    vec_done(&p->places);
}

static int32_t cycles_of(int32_t hundredths)
{
    return (hundredths + CYCLE / 2) / CYCLE;
}

static void add_uop(struct plan *p, struct plan_uop uop)
{
    uop.item = (uint32_t)p->items.count - 1;
    vec_push(&p->uops, uop);
}

static bool usage_holds(const struct usage *usage, portset ports)
{
    for (unsigned i = 0; usage && i < usage->count; i++)
        if (usage->uops[i].ports == ports)
            return true;
    return false;
}

/* Sets the kinds of an AArch64 row's µops: one µop of a load accesses memory, and one µop of a
 * store reads the data. All other µops compute addresses, including write-back. */
static void name_a64_uops(struct plan *p, const struct core *c, const struct cost *row,
                          const struct plan_item *item)
{
    portset load_ports = c->load ? c->load->uops[0].ports : 0,
            alu = c->alu ? c->alu->uops[0].ports : 0;
    uint32_t chosen = UINT32_MAX;
    int most = -1;

    for (uint32_t i = item->first_uop; i < (uint32_t)p->uops.count; i++) {
        portset ports = p->uops.items[i].ports;
        int fit = row->flags & ROW_LOAD ? (ports == load_ports ? 2 : (ports & load_ports) != 0)
                  : ports == alu        ? 0
                  : ports & load_ports  ? 1
                                        : 2;
        if (fit > most) {
            most = fit;
            chosen = i;
        }
        p->uops.items[i].kind = UOP_ADDRESS;
    }
    if (chosen != UINT32_MAX)
        p->uops.items[chosen].kind = row->flags & ROW_LOAD ? UOP_LOAD : UOP_DATA;
}

/* Makes the µops of the row of @insn. All µops except load, store address and store data are
 * computing µops. The first computing µop uses the blocking pipe. */
static void add_uops(struct plan *p, const struct block_work *w, const struct insn *insn,
                     const struct cost *row, struct plan_item *item)
{
    const struct core *c = w->core;
    portset load_ports = c->load ? c->load->uops[0].ports : 0;
    bool loads = row->flags & ROW_LOAD, address = row->flags & ROW_STORE, data = address;
    struct plan_uop pipe = {0};

    for (uint32_t i = 0; i < row->count; i++) {
        const struct mass *mass = &w->costs.masses[row->first + i];
        if (mass->ports & c->pipes) {
            pipe.pipe = mass->ports & c->pipes;
            pipe.hold = (int32_t)mass->count;
            continue;
        }
        /* A µop whose count is a number of cycles blocks its port for these cycles. The count is a
         * number of µops if the form has more µops than port sets. */
        bool held = mass->count > 1 &&
                    row->op->micro_ops + (portset_size(mass->ports) == 1 ? 0 : row->op->pairs) <=
                        row->count;
        if (held) {
            add_uop(p, (struct plan_uop){.ports = mass->ports,
                                         .pipe = mass->ports,
                                         .hold = (int32_t)mass->count,
                                         .kind = UOP_COMPUTE});
            continue;
        }
        for (uint32_t k = 0; k < mass->count; k++) {
            struct plan_uop uop = {.ports = mass->ports, .kind = UOP_COMPUTE};
            if (loads && !(mass->ports & ~load_ports)) {
                uop.kind = UOP_LOAD;
                loads = false;
            } else if (address && mass->ports & load_ports && !(row->flags & ROW_LOAD && loads)) {
                uop.kind = UOP_ADDRESS;
                address = false;
            } else if (data && usage_holds(c->store, mass->ports)) {
                uop.kind = UOP_DATA;
                data = false;
            } else if (address && usage_holds(c->store, mass->ports)) {
                uop.kind = UOP_ADDRESS;
                address = false;
            }
            add_uop(p, uop);
        }
    }
    item->uops = (uint32_t)p->uops.count - item->first_uop;
    /* A load that has no µop of its own is part of the operation. */
    item->load = item->load && !loads;
    /* A move of a general register to memory computes nothing. */
    bool moves = row->op->traits & OP_PURE_STORE && !(row->op->traits & OP_VECTOR) &&
                 insn->operation == OPERATION_MOVE;
    for (uint32_t i = item->first_uop; moves && !data && i < (uint32_t)p->uops.count; i++)
        if (p->uops.items[i].kind == UOP_COMPUTE)
            p->uops.items[i].kind = UOP_DATA;
    /* A single µop for address and data waits for the data. */
    for (uint32_t i = item->first_uop;
         row->flags & ROW_STORE && data && i < (uint32_t)p->uops.count; i++)
        if (p->uops.items[i].kind == UOP_ADDRESS)
            p->uops.items[i].kind = UOP_DATA;
    if (c->alu && row->op->traits & (OP_PURE_LOAD | OP_PURE_STORE))
        name_a64_uops(p, c, row, item);
    for (uint32_t i = item->first_uop; pipe.pipe && i < (uint32_t)p->uops.count; i++)
        if (p->uops.items[i].kind == UOP_COMPUTE && !p->uops.items[i].pipe) {
            p->uops.items[i].pipe = pipe.pipe;
            p->uops.items[i].hold = pipe.hold;
            break;
        }
}

/* Returns the node kind of a value. The kind is NODE_EARLY for a write-back base, and for a value
 * that is known at rename. Such values are the results of eliminated moves, idioms and nops, and
 * the stack pointer after push and pop. */
static uint8_t kind_of(const struct block_work *w, const struct insn *insns,
                       const struct plan_item *item, const struct dep_node *node)
{
    bool early = w->core->stack_engine && w->costs.rows[node->insn].op->traits & OP_STACK &&
                 node->resource == w->core->isa->stack_pointer;
    early |= node->end < LATENCY_ADDRESS &&
             insns[node->insn].operands[node->end].access & ACCESS_WRITEBACK;
    return node->end == LATENCY_COMMIT   ? NODE_AT_RETIREMENT
           : !item->uops || early        ? NODE_EARLY
           : node->end == LATENCY_MEMORY ? NODE_STORED
                                         : NODE_COMPUTED;
}

/* Returns the cycles from the dispatch of a load to its operation. This is the longest latency from
 * an address, or the latency of a forwarded store if that is shorter. */
static int32_t way_of_load(const struct plan *p, const struct plan_item *item, int32_t fallback)
{
    int32_t longest = -1, forwarded = INT32_MAX;
    for (uint32_t e = item->first_edge; e < item->first_edge + item->edges; e++) {
        const struct plan_edge *edge = &p->edges.items[e];
        if (edge->end == LATENCY_ADDRESS && edge->before > longest)
            longest = edge->before;
        if (edge->end == LATENCY_MEMORY && edge->before < forwarded)
            forwarded = edge->before;
    }
    longest = longest < 0 ? fallback : longest;
    return forwarded < longest ? forwarded : longest;
}

/* Returns whether operand @end of a gather is merged with the result. The gather's loads wait only
 * for addresses and mask. */
static bool merges_last(const struct insn *insn, int end)
{
    const struct operand *memory = end == 0 && insn->traits & INSN_LOAD ? insn_memory(insn) : NULL;
    return memory && memory->index != REG_NONE &&
           memory->index >= isa_ops((enum isa)insn->isa)->vectors;
}

static void fill_edges(struct plan *p, const struct deps *d, const struct insn *insns)
{
    p->longest_distance = 1;
    p->nodes.count = p->edges.count = 0;
    vec_reserve(&p->nodes, d->node_count);
    vec_reserve(&p->edges, d->edge_count);
    while (p->nodes.count < d->node_count)
        p->nodes.items[p->nodes.count++] = (struct plan_node){.latency = -1};
    for (size_t i = 0; i < d->edge_count; i++) {
        const struct ratio_edge *from = &d->edges[i];
        int32_t operation = cycles_of(from->weight - d->before[i]);
        const struct dep_node *to = &d->nodes[from->to];
        bool minor = (d->ends[i] == LATENCY_FLAGS && to->end == LATENCY_FLAGS &&
                      !insns[to->insn].flags_read) ||
                     merges_last(&insns[to->insn], d->ends[i]);
        p->edges.items[p->edges.count++] =
            (struct plan_edge){from->from, from->to,   from->distance, cycles_of(d->before[i]),
                               operation,  d->ends[i], minor,          to->end == LATENCY_FENCE};
        p->nodes.items[from->from].read = true;
        if (p->longest_distance < from->distance)
            p->longest_distance = from->distance;
        if (d->ends[i] != LATENCY_COMMIT && p->nodes.items[from->to].latency < operation)
            p->nodes.items[from->to].latency = operation;
    }
}

static void begin_item(struct plan *p, const struct block_work *w, const struct insn *insns,
                       uint32_t i)
{
    const struct cost *row = &w->costs.rows[i];
    const struct plan_item *last = p->items.count ? &p->items.items[p->items.count - 1] : NULL;
    bool branch = insns[i].traits & INSN_BRANCH || row->flags & ROW_FUSED;

    struct plan_item item = {
        .insn = i,
        .first_uop = (uint32_t)p->uops.count,
        .first_edge = last ? last->first_edge + last->edges : 0,
        .first_node = w->deps.first_node[i],
        .issue = row->issue,
        .decode = row->decode,
        .latency = row->flags & (ROW_ZERO | ROW_ELIMINATED) || row->op->latency < 0
                       ? 0
                       : cycles_of(row->op->latency),
        .load_latency = cycles_of(row->op->load_latency),
        .complex = row->decode > 1 || row->op->traits & OP_COMPLEX,
        .split = row->flags & ROW_SPLIT && !isnan(w->core->unlaminate_first),
        .group_room = isnan(w->core->issue_width) ? 1 : issue_room(w->core, row),
        .moves = issue_eliminated(w->core, &insns[i], row) == ISSUE_MOVES,
        .zeroes = issue_eliminated(w->core, &insns[i], row) == ISSUE_ZEROES,
        .joins = row->flags & ROW_JOINS,
        .branch = branch,
        .fusible = !branch && row->op->traits & OP_FUSIBLE,
        .load = row->flags & ROW_LOAD,
        .store = row->flags & ROW_STORE};
    item.until_data = item.latency;
    for (unsigned k = 0; k < w->core->dispatch_limits.count; k++)
        item.limited[k] = issue_limited(&w->costs, row, &w->core->dispatch_limits.items[k]);
    vec_push(&p->items, item);
    add_uops(p, w, &insns[i], row, &p->items.items[p->items.count - 1]);
}

static bool is_merged(const struct plan *p, const struct plan_item *item, uint32_t node)
{
    for (uint32_t e = item->first_edge; e < item->first_edge + item->edges; e++)
        if (p->edges.items[e].to == node && p->edges.items[e].minor)
            return true;
    return false;
}

/* Lists the values that a µop or value depends on. A value without readers only delays the
 * retirement of its instruction, and only if it is computed. Values with trailing sources are also
 * listed, because these sources can delay retirement. */
static void list_values(struct plan *p, struct plan_item *item)
{
    item->unread = -1;
    item->first_value = (uint32_t)p->listed.count;
    for (unsigned kind = 0; kind < NODE_KINDS; kind++) {
        item->first_listed[kind] = (uint32_t)p->listed.count;
        for (uint32_t n = item->first_node; n < item->first_node + item->nodes; n++) {
            struct plan_node *node = &p->nodes.items[n];
            if (node->kind != kind)
                continue;
            node->merged = kind == NODE_COMPUTED && is_merged(p, item, n);
            item->merges |= node->merged;
            if (node->read || node->merged ||
                (kind == NODE_COMPUTED && item->load && !item->computing))
                vec_push(&p->listed, n);
            else if (kind == NODE_COMPUTED && item->unread < node->latency)
                item->unread = node->latency;
        }
        item->listed[kind] = (uint32_t)p->listed.count - item->first_listed[kind];
    }
    item->values = (uint32_t)p->listed.count - item->first_value;
}

/* Sets those members of the last item that depend on all instructions of the item. */
static void end_item(struct plan *p, const struct block_work *w, const struct insn *insns,
                     uint32_t next)
{
    struct plan_item *item = &p->items.items[p->items.count - 1];

    item->members = next - item->insn;
    for (uint32_t i = item->insn; i < next; i++) {
        const struct latency_rule *alone = w->costs.rows[i].op->alone;
        item->alone += alone ? (int32_t)lround(alone->cycles * CYCLE) : 0;
    }
    item->nodes = w->deps.first_node[next] - item->first_node;
    uint32_t edge = item->first_edge;
    while (edge < p->edges.count && p->edges.items[edge].to < item->first_node + item->nodes)
        edge++;
    item->edges = edge - item->first_edge;
    item->load_latency = way_of_load(p, item, item->load_latency);
    item->room = item->uops < 4 ? (int32_t)item->uops : 4;
    for (uint32_t u = item->first_uop; u < item->first_uop + item->uops; u++) {
        item->computing += p->uops.items[u].kind == UOP_COMPUTE;
        item->data |= p->uops.items[u].kind == UOP_DATA;
    }
    for (uint32_t u = item->first_uop; u < item->first_uop + item->uops; u++) {
        uint8_t kind = p->uops.items[u].kind;
        p->uops.items[u].own =
            (uint16_t)(behind_load(item, kind) + (item->computing && kind == UOP_DATA));
    }
    for (uint32_t n = item->first_node; n < item->first_node + item->nodes; n++) {
        struct plan_node *node = &p->nodes.items[n];
        node->kind = kind_of(w, insns, item, &w->deps.nodes[n]);
        if (node->latency < 0)
            node->latency = item->latency;
        else if (node->kind == NODE_STORED)
            item->until_data = node->latency;
        node->item = (uint32_t)p->items.count - 1;
        item->delayed |= !item->uops && node->latency > 0 &&
                      !(w->costs.rows[item->insn].flags & (ROW_ZERO | ROW_ELIMINATED | ROW_SUM));
    }
    list_values(p, item);
    for (uint32_t i = 0; i < item->listed[NODE_EARLY]; i++)
        add_uop(p, (struct plan_uop){
                       .kind = UOP_RENAMED,
                       .node = p->listed.items[item->first_listed[NODE_EARLY] + i]});
    if (item->merges)
        add_uop(p, (struct plan_uop){.kind = UOP_MERGED});
}

void plan_build(struct plan *p, const struct block_work *w, const struct insn *insns, size_t count)
{
    p->items.count = p->uops.count = p->insns.count = p->listed.count = 0;
    p->length = 0;
    /* Reserves an element, because these arrays need valid pointers even if they are empty. */
    vec_reserve(&p->uops, 1);
    vec_reserve(&p->listed, 1);
    vec_reserve(&p->sources, 1);
    vec_reserve(&p->readers, 1);
    fill_edges(p, &w->deps, insns);
    for (uint32_t i = 0; i < count; i++) {
        vec_push(&p->insns, ((struct plan_insn){insns[i].length, insns[i].opcode_at,
                                                (insns[i].traits & INSN_LCP) != 0}));
        p->length += insns[i].length;
        if (!i || !(w->costs.rows[i].flags & ROW_PART))
            begin_item(p, w, insns, i);
        if (i + 1 == count || !(w->costs.rows[i + 1].flags & ROW_PART))
            end_item(p, w, insns, i + 1);
    }
    plan_accesses(p, w);
    plan_connect(p);
}
