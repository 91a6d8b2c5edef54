/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First-level cache. A load waits a cycle if its bank is in use. Consecutive stores to one line
 * commit in pairs. */
#include "simulate/pipeline.h"

#include "analysis/first_level.h"

static struct plan_uop *load_of(struct plan *p, const struct plan_item *item)
{
    for (uint32_t u = item->first_uop; u < item->first_uop + item->uops; u++)
        if (p->uops.items[u].kind == UOP_LOAD)
            return &p->uops.items[u];
    return NULL;
}

static struct plan_item *item_of(struct plan *p, uint32_t insn)
{
    size_t low = 0, high = p->items.count;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (p->items.items[middle].insn <= insn)
            low = middle;
        else
            high = middle;
    }
    return &p->items.items[low];
}

static uint32_t line_of_stores(const struct core *c)
{
    return isnan(c->store_line_bytes) || c->store_line_bytes < 1 ? FIRST_LEVEL_LINE
                                                                 : (uint32_t)c->store_line_bytes;
}

static uint32_t list_places(struct plan *p, const struct core *c, struct plan_uop *load,
                            const struct access *access)
{
    const double split = first_level_split_slots(c);
    uint32_t period = first_level_period(
        access, FIRST_LEVEL_LINE * (c->load_line_banks > 1 ? (uint32_t)c->load_line_banks : 1));

    load->first_place = (uint32_t)p->places.count;
    load->place_mask = period - 1;
    for (uint32_t k = 0; k < period; k++) {
        int64_t offset =
            (int64_t)(((uint64_t)access->offset + k * (uint64_t)access->step) % FIRST_LEVEL_LINE);
        vec_push(&p->places,
                 ((struct plan_place){
                     isnan(c->load_bank_bytes)
                         ? 0
                         : first_level_banks(offset, load->bytes, (uint32_t)c->load_bank_bytes),
                     !isnan(split) && first_level_crosses(offset, load->bytes, FIRST_LEVEL_LINE)
                         ? (int32_t)lround(SLOT_PARTS * split)
                         : SLOT_PARTS}));
    }
    return period;
}

/* Links each item to the next item with a store. The last such item links to the first. */
static void link_stores(struct plan *p)
{
    p->first_store = 0;
    for (size_t i = p->items.count; i-- > 0;)
        p->first_store = p->items.items[i].store ? (uint32_t)i : p->first_store;
    uint32_t next = p->first_store;
    for (size_t i = p->items.count; i-- > 0;) {
        p->items.items[i].next_store = next;
        next = p->items.items[i].store ? (uint32_t)i : next;
    }
}

void plan_accesses(struct plan *p, const struct block_work *w)
{
    const struct core *c = w->core;
    const struct address_work *work = &w->deps.addresses;
    uint32_t period = 1;

    p->places.count = 0;
    p->banked = !isnan(c->load_bank_bytes) || c->load_line_banks > 1 ||
                !isnan(first_level_split_slots(c));
    p->pairs = !isnan(c->store_run) && c->store_run >= 2;
    for (size_t i = 0; (p->banked || p->pairs) && i < work->accesses.count; i++) {
        const struct access *access = &work->accesses.items[i];
        if (access->store && p->pairs) {
            item_of(p, access->insn)->stored = *access;
            uint32_t own = first_level_period(access, line_of_stores(c));
            period = own > period ? own : period;
        }
        if (!p->banked)
            continue;
        struct plan_uop *load = access->store || !access->stepped || access->fixed
                                    ? NULL
                                    : load_of(p, item_of(p, access->insn));
        if (!load || load->bytes)
            continue;
        load->bytes = (uint16_t)access->bytes;
        load->symbol = access->symbol;
        load->offset = (uint64_t)access->offset;
        load->step = (uint64_t)access->step;
        load->vector = w->costs.rows[access->insn].op->traits & OP_VECTOR;
        uint32_t own = list_places(p, c, load, access);
        period = own > period ? own : period;
    }
    p->phases = period;
    link_stores(p);
}

static void next_store(const struct simulator *s, struct place *at)
{
    uint32_t next = s->plan.items.items[at->index].next_store;

    at->iteration += next <= at->index;
    at->index = next;
}

static uint64_t line_of(const struct simulator *s, uint64_t at)
{
    return at / s->cache.line;
}

static bool crosses(const struct simulator *s, uint64_t at, uint32_t bytes)
{
    return bytes <= s->cache.line && at % s->cache.line + bytes > s->cache.line;
}

/* Returns the address offset of the store at @at and sets *@symbol. Offsets are comparable only if
 * their symbols are equal. */
static uint64_t store_place(const struct simulator *s, const struct place *at, uint64_t *symbol)
{
    const struct access *access = &s->plan.items.items[at->index].stored;

    *symbol =
        access->origin | (access->stepped ? 0 : (uint64_t)(at->iteration + 1 - access->age) << 32);
    return (uint64_t)access->offset + (uint64_t)at->iteration * (uint64_t)access->step;
}

/* Returns the slots of a cycle for @loads loads, in parts; 0: no limit, because a fact is
 * unknown. */
static int32_t slots_of(const struct core *c, double loads)
{
    return isnan(first_level_split_slots(c)) || isnan(loads) ? 0
                                                             : (int32_t)lround(SLOT_PARTS * loads);
}

void memory_start(struct simulator *s)
{
    s->cache.taken.cycle = -1;
    s->cache.most_per_bank =
        isnan(s->core->loads_per_bank) ? UINT32_MAX : (unsigned)s->core->loads_per_bank;
    /* Load slots of a cycle; 0: no limit, because a fact is unknown. A load that crosses a line
     * uses several slots, so fewer loads fit into a cycle. */
    s->cache.slots = slots_of(s->core, s->core->loads_per_cycle);
    s->cache.vector_slots = slots_of(s->core, s->core->vector_loads_per_cycle);
    s->cache.busy = 0;
    s->cache.ports = 0;
    for (size_t u = 0; u < s->plan.uops.count; u++)
        s->cache.ports |= s->plan.uops.items[u].bytes ? s->plan.uops.items[u].ports : 0;
    s->cache.line = line_of_stores(s->core);
    s->cache.leaving = (struct place){.index = s->plan.first_store};
}

/* Returns the number of retired stores that commit in this cycle. The caller removes them from the
 * store buffer. */
static int32_t committed(struct simulator *s)
{
    if (!s->plan.pairs)
        return s->leaving < s->commit_width ? s->leaving : s->commit_width;
    if (s->cache.busy) {
        s->cache.busy--;
        s->moved = true;
        return 0;
    }
    if (!s->leaving)
        return 0;
    uint64_t symbols[2], at = store_place(s, &s->cache.leaving, &symbols[0]);
    s->cache.busy = crosses(s, at, s->plan.items.items[s->cache.leaving.index].stored.bytes);
    next_store(s, &s->cache.leaving);
    if (s->cache.busy || s->leaving < 2 || s->commit_width < 2)
        return 1;
    uint64_t next = store_place(s, &s->cache.leaving, &symbols[1]);
    if (symbols[0] != symbols[1] || line_of(s, at) != line_of(s, next) ||
        crosses(s, next, s->plan.items.items[s->cache.leaving.index].stored.bytes))
        return 1;
    next_store(s, &s->cache.leaving);
    return 2;
}

void memory_commit(struct simulator *s)
{
    if (!s->leaving && !s->cache.busy)
        return;
    int32_t stores = committed(s);
    s->moved |= stores > 0;
    s->leaving -= stores;
    s->stores -= stores;
}

/* Returns the number of loads with @symbol in this cycle that use the same bank: the largest over
 * @banks. */
static unsigned most_in_bank(const struct cache_cycle *at, uint32_t symbol, uint32_t banks)
{
    unsigned most = 0;

    for (uint32_t rest = banks; rest; rest &= rest - 1) {
        unsigned here = 0;
        for (unsigned i = 0; i < at->loads; i++)
            here += at->symbols[i] == symbol && at->banks[i] >> __builtin_ctz(rest) & 1;
        most = here > most ? here : most;
    }
    return most;
}

/* Returns the number of load slots of cycle @cycle that loads of earlier cycles use, in parts
 * (SLOT_PARTS). */
static int32_t slots_left_over(const struct simulator *s, int32_t cycle)
{
    const struct cache_cycle *at = &s->cache.taken;
    const int64_t left = at->slots - (int64_t)s->cache.slots * (cycle - at->cycle);

    return left > 0 ? (int32_t)left : 0;
}

int32_t memory_slots_owed(const struct simulator *s)
{
    return slots_left_over(s, s->now);
}

bool memory_load(struct simulator *s, const struct plan_uop *load, int64_t iteration)
{
    struct cache_cycle *at = &s->cache.taken;
    const struct plan_place *place =
        &s->plan.places.items[load->first_place + ((uint32_t)iteration & load->place_mask)];

    if (at->cycle != s->now)
        *at = (struct cache_cycle){.cycle = s->now, .slots = slots_left_over(s, s->now)};
    if (s->cache.slots && at->slots >= s->cache.slots)
        return false;
    /* A vector load that crosses a line starts only in a cycle with all of its slots. */
    if (s->cache.vector_slots && load->vector && at->vector_slots &&
        at->vector_slots + place->slots > s->cache.vector_slots)
        return false;
    uint64_t line = (load->offset + (uint64_t)iteration * load->step) / FIRST_LEVEL_LINE;
    for (unsigned i = 0; i < at->loads; i++)
        if (at->symbols[i] == load->symbol && first_level_lines_clash(s->core, at->lines[i], line))
            return false;
    if (most_in_bank(at, load->symbol, place->banks) >= s->cache.most_per_bank)
        return false;
    if (at->loads < CACHE_LOADS) {
        at->symbols[at->loads] = load->symbol;
        at->lines[at->loads] = line;
        at->banks[at->loads++] = place->banks;
    }
    if (s->cache.slots)
        at->slots += place->slots;
    at->vector_slots += load->vector ? place->slots : 0;
    return true;
}
