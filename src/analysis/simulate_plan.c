/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/simulate_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void plan_done(struct plan *p)
{
    free(p->items);
    free(p->uops);
    free(p->edges);
    free(p->node_latency);
    free(p->node_kind);
    free(p->item_of);
    free(p->start);
    free(p->opcode);
    *p = (struct plan){0};
}

static int32_t cycles_of(int32_t hundredths)
{
    return (hundredths + CYCLE / 2) / CYCLE;
}

static void reserve(struct plan *p, size_t insns, size_t edges, size_t nodes)
{
    if (p->capacity < insns + 1) {
        p->capacity = 2 * (insns + 1);
        p->items = mem_resize(p->items, p->capacity * sizeof *p->items);
        p->item_of = mem_resize(p->item_of, p->capacity * sizeof *p->item_of);
        p->start = mem_resize(p->start, p->capacity * sizeof *p->start);
        p->opcode = mem_resize(p->opcode, p->capacity * sizeof *p->opcode);
    }
    if (p->edge_capacity < edges + 1) {
        p->edge_capacity = 2 * (edges + 1);
        p->edges = mem_resize(p->edges, p->edge_capacity * sizeof *p->edges);
    }
    if (p->node_capacity < nodes + 1) {
        p->node_capacity = 2 * (nodes + 1);
        p->node_latency = mem_resize(p->node_latency, p->node_capacity * sizeof *p->node_latency);
        p->node_kind = mem_resize(p->node_kind, p->node_capacity * sizeof *p->node_kind);
    }
}

static void add_uop(struct plan *p, struct plan_uop uop)
{
    if (p->uop_count == p->uop_capacity) {
        p->uop_capacity = p->uop_capacity ? 2 * p->uop_capacity : 64;
        p->uops = mem_resize(p->uops, p->uop_capacity * sizeof *p->uops);
    }
    p->uops[p->uop_count++] = uop;
}

static bool usage_holds(const struct usage *usage, portset ports)
{
    for (unsigned i = 0; usage && i < usage->count; i++)
        if (usage->uops[i].ports == ports)
            return true;
    return false;
}

/* AArch64: one µop of a load goes to memory and one of a store takes the data; the others make addresses, a stepped base among them. */
static void name_a64_uops(struct plan *p, const struct core *c, const struct cost *row, const struct plan_item *item)
{
    portset load_ports = c->load ? c->load->uops[0].ports : 0, alu = c->alu ? c->alu->uops[0].ports : 0;
    uint32_t chosen = UINT32_MAX;
    int most = -1;

    for (uint32_t i = item->first_uop; i < p->uop_count; i++) {
        portset ports = p->uops[i].ports;
        int fit = row->flags & ROW_LOAD ? (ports == load_ports ? 2 : (ports & load_ports) != 0) : ports == alu ? 0 : ports & load_ports ? 1 : 2;
        if (fit > most) {
            most = fit;
            chosen = i;
        }
        p->uops[i].kind = UOP_ADDRESS;
    }
    if (chosen != UINT32_MAX)
        p->uops[chosen].kind = row->flags & ROW_LOAD ? UOP_LOAD : UOP_DATA;
}

/* The µops of a row: one load where it loads, address and data where it stores, the rest computes; pipes go with the first that computes. */
static void add_uops(struct plan *p, const struct block_work *w, const struct cost *row, struct plan_item *item)
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
        /* More cycles than µops on one port: it is held, not used again and again. */
        bool held = mass->count > 1 && portset_size(mass->ports) == 1 && row->op->micro_ops <= row->count;
        if (held) {
            add_uop(p, (struct plan_uop){.ports = mass->ports, .pipe = mass->ports, .hold = (int32_t)mass->count, .kind = UOP_COMPUTE});
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
    item->uops = (uint32_t)p->uop_count - item->first_uop;
    item->load = item->load && !loads;   /* a load that no µop does is part of the operation */
    /* Where one µop carries address and data, it waits for the data. */
    for (uint32_t i = item->first_uop; row->flags & ROW_STORE && data && i < p->uop_count; i++)
        if (p->uops[i].kind == UOP_ADDRESS)
            p->uops[i].kind = UOP_DATA;
    if (c->alu && row->op->traits & (OP_PURE_LOAD | OP_PURE_STORE))
        name_a64_uops(p, c, row, item);
    for (uint32_t i = item->first_uop; pipe.pipe && i < p->uop_count; i++)
        if (p->uops[i].kind == UOP_COMPUTE && !p->uops[i].pipe) {
            p->uops[i].pipe = pipe.pipe;
            p->uops[i].hold = pipe.hold;
            break;
        }
}

/* Values that rename knows without a µop: of eliminated moves, idioms, nops, and the stack pointer after push and pop. The base that an AArch64
 * access steps is as free of the access's own µops: ready one cycle after the old one. */
static void mark_early(struct plan *p, const struct block_work *w, const struct insn *insns)
{
    for (size_t n = 0; n < p->node_count; n++) {
        const struct dep_node *node = &w->deps.nodes[n];
        const struct plan_item *item = &p->items[p->item_of[node->insn]];
        const struct cost *row = &w->costs.rows[node->insn];
        bool stack = w->core->stack_engine && row->op->traits & OP_STACK && node->resource == 4;
        stack |= node->end < LATENCY_ADDRESS && insns[node->insn].operands[node->end].access & ACCESS_WRITEBACK;
        p->node_kind[n] = node->end == LATENCY_COMMIT ? NODE_AT_RETIREMENT : !item->uops || stack ? NODE_EARLY : node->end == LATENCY_MEMORY ? NODE_STORED : NODE_COMPUTED;
        p->items[p->item_of[node->insn]].early |= p->node_kind[n] == NODE_EARLY;
    }
}

/* Dispatch to operation: the longest way from an address, or a forwarded store's where that is shorter. */
static int32_t way_of_load(const struct plan *p, const struct plan_item *item, int32_t otherwise)
{
    int32_t longest = -1, forwarded = INT32_MAX;
    for (uint32_t e = item->first_edge; e < item->first_edge + item->edges; e++) {
        const struct plan_edge *edge = &p->edges[e];
        if (edge->end == LATENCY_ADDRESS && edge->before > longest)
            longest = edge->before;
        if (edge->end == LATENCY_MEMORY && edge->before < forwarded)
            forwarded = edge->before;
    }
    longest = longest < 0 ? otherwise : longest;
    return forwarded < longest ? forwarded : longest;
}

static void fill_edges(struct plan *p, const struct deps *d, const struct insn *insns)
{
    p->longest_distance = 1;
    for (size_t i = 0; i < d->node_count; i++)
        p->node_latency[i] = -1;
    for (size_t i = 0; i < d->edge_count; i++) {
        const struct ratio_edge *from = &d->edges[i];
        int32_t operation = cycles_of(from->weight - d->before[i]);
        const struct dep_node *to = &d->nodes[from->to];
        bool minor = d->ends[i] == LATENCY_FLAGS && to->end == LATENCY_FLAGS && !insns[to->insn].flags_read;
        p->edges[i] = (struct plan_edge){from->from, from->to, from->distance, cycles_of(d->before[i]), operation, d->ends[i], minor};
        if (p->longest_distance < from->distance)
            p->longest_distance = from->distance;
        if (d->ends[i] != LATENCY_COMMIT && p->node_latency[from->to] < operation)
            p->node_latency[from->to] = operation;
    }
    p->node_count = d->node_count;
}

void plan_build(struct plan *p, const struct block_work *w, const struct insn *insns, size_t count)
{
    const struct deps *d = &w->deps;
    const struct core *c = w->core;
    size_t edge = 0;
    uint32_t at = 0;

    reserve(p, count, d->edge_count, d->node_count);
    p->uop_count = p->item_count = 0;
    p->insn_count = count;
    fill_edges(p, d, insns);
    for (size_t i = 0; i < count; i++) {
        const struct cost *row = &w->costs.rows[i];
        p->start[i] = at;
        p->opcode[i] = (uint8_t)frontend_opcode_offset(&insns[i]);
        at += insns[i].length;
        if (!(row->flags & ROW_FUSED_INTO)) {
            struct plan_item *item = &p->items[p->item_count++];
            bool fusible = machine_has(c->machine, "fuse_any", insns[i].mnemonic) || machine_has(c->machine, "fuse_carry", insns[i].mnemonic) ||
                           machine_has(c->machine, "fuse_zero", insns[i].mnemonic);
            bool branch = insns[i].traits & INSN_BRANCH || row->flags & ROW_FUSED;
            *item = (struct plan_item){.insn = (uint32_t)i,
                                       .first_uop = (uint32_t)p->uop_count,
                                       .first_edge = (uint32_t)edge,
                                       .first_node = d->first_node[i],
                                       .issue = row->issue,
                                       .decode = row->decode,
                                       .latency = row->flags & (ROW_ZERO | ROW_ELIMINATED) || row->op->latency < 0 ? 0 : cycles_of(row->op->latency),
                                       .load_latency = cycles_of(row->op->load_latency),
                                       .complex = row->decode > 1 || row->op->traits & OP_COMPLEX,
                                       .branch = branch,
                                       .fusible = fusible && !branch,
                                       .load = row->flags & ROW_LOAD,
                                       .store = row->flags & ROW_STORE};
            add_uops(p, w, row, item);
        }
        struct plan_item *item = &p->items[p->item_count - 1];
        item->members++;
        item->nodes = d->first_node[i + 1] - item->first_node;
        while (edge < d->edge_count && d->edges[edge].to < d->first_node[i + 1])
            edge++;
        item->edges = (uint32_t)edge - item->first_edge;
        p->item_of[i] = (uint32_t)p->item_count - 1;
    }
    p->start[count] = at;
    for (size_t k = 0; k < p->item_count; k++)
        p->items[k].load_latency = way_of_load(p, &p->items[k], p->items[k].load_latency);
    for (size_t k = 0; k < p->item_count; k++)
        for (uint32_t n = p->items[k].first_node; n < p->items[k].first_node + p->items[k].nodes; n++)
            if (p->node_latency[n] < 0)
                p->node_latency[n] = p->items[k].latency;
    mark_early(p, w, insns);
}
