/* Internal to simulate/: ports bound at rename. */
#ifndef PORTOLAN_SIMULATE_BIND_H
#define PORTOLAN_SIMULATE_BIND_H

#include "simulate/state.h"

/* Loads take their ports in turn. */
static inline unsigned next_in_turn(struct simulator *s, portset ports)
{
    portset above = ports & ~(((portset)2 << s->load_turn) - 1);
    s->load_turn = (uint8_t)__builtin_ctz(above ? above : ports);
    return s->load_turn;
}

/* The two ports of @ports with the least waiting at the beginning of the cycle, the highest of equals; the first twice where the second is much worse. Which is the better is
 * past foretelling: no branch depends on it. */
static inline struct choice best_ports(portset ports, const uint32_t *before, int32_t now)
{
    uint32_t best = UINT32_MAX, next = UINT32_MAX;

    for (; ports; ports &= ports - 1) {
        uint32_t here = before[__builtin_ctz(ports)], worse = here > best ? here : best;
        best = here < best ? here : best;
        next = worse < next ? worse : next;
    }
    bool worse = next == UINT32_MAX || (next >> 8) - (best >> 8) >= 3;
    return (struct choice){now, {(uint8_t)(PORTS_MAX - 1 - (best & 0xff)), (uint8_t)(PORTS_MAX - 1 - ((worse ? best : next) & 0xff))}};
}

/* The port of the µop in slot @slot: the second and fourth slot of a cycle, or µop that computes (fact port_turns), take the next best unless that is much worse (as
 * measured on Skylake, uiCA, ICS 2022). */
static inline unsigned choose_port(struct simulator *s, const struct plan_uop *uop, unsigned slot)
{
    if (uop->kind == UOP_LOAD)
        return next_in_turn(s, uop->ports);
    if (uop->only >= 0)
        return (unsigned)uop->only;
    struct choice *choice = &s->best[uop->choice];
    if (choice->cycle != s->now)
        *choice = best_ports(uop->ports, s->before, s->now);
    return choice->port[(s->core->turns_of_computing ? s->bound_now++ : slot) & 1];
}

#endif
