/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of the state decides the future in program order. Which µop waits for which port does not matter: only in which cycles the ports are taken, when items retire, and the
 * values that younger µops will read. */
#include "simulate/state.h"

#define MARK INT32_MIN      /* between parts of different length */

static int32_t cycles_told(const struct simulator *s)
{
    return later(later(s->order.furthest, s->order.retiring) - s->now, 0);
}

size_t order_state_room(const struct simulator *s)
{
    size_t cycles = (size_t)cycles_told(s), retiring = 2 * (size_t)later(s->order.retiring - s->now, 0);
    size_t taken = 2 * PORTS_MAX * (cycles / 64 + 2), loads = s->load_ports ? cycles * (2 * CACHE_LOADS + 3) : 0;
    return retiring + cycles + taken + loads + (s->plan.longest_distance + 1) * (3 * s->plan.nodes.count + 1) + 8;
}

unsigned order_turn(const struct simulator *s)
{
    return portset_size(s->order.alike & (((portset)1 << s->load_turn) - 1));
}

/* The ports by the places that they are written to: those alike from the one on that is next. */
static void list_places(const struct simulator *s, uint8_t from[PORTS_MAX])
{
    unsigned turn = order_turn(s), count = portset_size(s->order.alike), at = 0;
    uint8_t alike[PORTS_MAX];

    for (portset rest = s->order.alike; rest; rest &= rest - 1)
        alike[at++] = (uint8_t)__builtin_ctz(rest);
    at = 0;
    for (unsigned port = 0; port < PORTS_MAX; port++)
        from[port] = s->order.alike >> port & 1 ? alike[(turn + at++) % count] : (uint8_t)port;
}

/* Those of @ports, which are alike, as list_places has them. */
static portset placed(portset ports, portset alike, const uint8_t from[PORTS_MAX])
{
    portset out = 0;

    for (portset rest = alike; rest; rest &= rest - 1)
        out |= (ports >> from[__builtin_ctz(rest)] & 1) << __builtin_ctz(rest);
    return out;
}

/* How many items retire in the cycles to come. */
static int32_t *write_retirement(const struct simulator *s, int32_t *out)
{
    const struct due *due = s->order.due;

    for (int32_t cycle = s->now + 1, last = s->order.retiring; cycle <= last; cycle++)
        *out++ = (int32_t)due[(uint32_t)cycle % AHEAD].gone;
    *out++ = MARK;
    return out;
}

/* To which ports µops go in each of the next @cycles. */
static int32_t *write_goes(const struct simulator *s, int32_t cycles, const uint8_t from[PORTS_MAX], int32_t *out)
{
    const struct due *due = s->order.due;
    portset alike = order_turn(s) ? s->order.alike : 0, last = alike, last_placed = alike;

    for (int32_t i = 1; i <= cycles; i++) {
        portset ports = due[(uint32_t)(s->now + i) % AHEAD].goes, moved = ports & alike;
        if (moved && moved != last) {
            last = moved;
            last_placed = placed(moved, alike, from);
        }
        *out++ = (int32_t)(moved ? (ports ^ moved) | last_placed : ports);
    }
    return out;
}

/* In which cycles µops go to ports, and, where they do not tell it, in which ports are taken. */
static int32_t *write_ports(const struct simulator *s, int32_t *out)
{
    const struct order *o = &s->order;
    int32_t cycles = cycles_told(s);
    uint8_t from[PORTS_MAX];

    list_places(s, from);
    out = write_goes(s, cycles, from, out);
    for (unsigned port = 0; s->order.gaps && port < s->core->ports->count; port++)
        for (int32_t at = s->now + 1; at <= s->now + cycles; at += 64) {
            uint32_t word = (uint32_t)at / 64, bit = (uint32_t)at % 64;
            const uint64_t *own = o->taken[from[port]];
            uint64_t taken = own[word % AHEAD_WORDS] >> bit;
            taken |= bit ? own[(word + 1) % AHEAD_WORDS] << (64 - bit) : 0;
            *out++ = (int32_t)(uint32_t)taken;
            *out++ = (int32_t)(uint32_t)(taken >> 32);
        }
    *out++ = MARK;
    return out;
}

static int32_t *write_loads(const struct simulator *s, int32_t *out)
{
    const struct order *o = &s->order;

    for (int32_t cycle = s->now + 1, last = s->now + cycles_told(s); cycle <= last; cycle++) {
        const struct cache_cycle *at = &o->loads[(uint32_t)cycle % AHEAD];
        if (at->cycle != o->epoch + cycle)
            continue;
        *out++ = cycle - s->now;
        *out++ = (int32_t)(at->loads << 16 | at->crossed);
        for (uint32_t i = 0; i < at->loads; i++) {
            *out++ = (int32_t)at->symbols[i];
            *out++ = (int32_t)at->banks[i];
        }
    }
    *out++ = MARK;
    return out;
}

/* Values of the iteration @distance before the one at rename, the first @listed of those that are, which are read as many iterations later or more, and still matter. */
static int32_t *write_values(const struct simulator *s, size_t listed, uint32_t distance, int32_t *out)
{
    const struct told_value *values = s->order.here - distance * s->plan.nodes.count;
    int32_t now = s->now;

    for (size_t i = 0; i < listed; i++) {
        const struct plan_node *node = &s->plan.nodes.items[s->plan.listed.items[i]];
        const struct told_value *value = &values[s->plan.listed.items[i]];
        if (node->carried < distance || (value->value <= now - node->reach && value->known <= now))
            continue;
        *out++ = (int32_t)i;
        *out++ = later(value->value - now, -node->reach);
        *out++ = later(value->known - now, 0);
    }
    *out++ = MARK;
    return out;
}

int32_t *order_state(const struct simulator *s, int32_t *out)
{
    int64_t base = s->issued.iteration;

    out = write_retirement(s, out);
    out = write_ports(s, out);
    if (s->load_ports)
        out = write_loads(s, out);
    for (uint32_t distance = s->plan.longest_distance; distance > 0; distance--)
        if (base >= (int64_t)distance)
            out = write_values(s, s->plan.listed.count, distance, out);
    return write_values(s, s->plan.items.items[s->issued.index].first_value, 0, out);
}
