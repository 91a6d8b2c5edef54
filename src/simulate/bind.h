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

/* µops that wait for @port at the beginning of the cycle, as in struct simulator's bound: what came without what has gone. */
static inline uint32_t waiting_for(const uint32_t *came, const uint32_t *gone, unsigned port)
{
    return came[port] - gone[port];
}

/* The two of the ports with the least waiting at the beginning of the cycle, the highest of equals; the first twice where the second is much worse. Which is the better is
 * past foretelling: no branch depends on it. */
static inline void choose_best(struct choice *choice, const uint32_t *came, const uint32_t *gone)
{
    uint32_t one = waiting_for(came, gone, choice->ports[0]), other = waiting_for(came, gone, choice->ports[1]), best = one < other ? one : other, next = one < other ? other : one;

    for (unsigned i = 2; i < choice->count; i++) {
        uint32_t here = waiting_for(came, gone, choice->ports[i]), worse = here > best ? here : best;
        best = here < best ? here : best;
        next = worse < next ? worse : next;
    }
    next = (next >> 8) - (best >> 8) >= 3 ? best : next;
    choice->best[0] = (uint8_t)(PORTS_MAX - 1 - (best & 0xff));
    choice->best[1] = (uint8_t)(PORTS_MAX - 1 - (next & 0xff));
}

/* The port of the µop in slot @slot: the second and fourth slot of a cycle, or µop that computes (fact port_turns), take the next best unless that is much worse (as
 * measured on Skylake, uiCA, ICS 2022). */
static inline unsigned choose_port(struct simulator *s, const struct plan_uop *uop, unsigned slot, const uint32_t *came, const uint32_t *gone)
{
    if (uop->kind == UOP_LOAD)
        return next_in_turn(s, uop->ports);
    if (uop->only >= 0)
        return (unsigned)uop->only;
    struct choice *choice = &s->best[uop->choice];
    if (choice->cycle != s->now) {
        choice->cycle = s->now;
        choose_best(choice, came, gone);
    }
    return choice->best[(s->core->turns_of_computing ? s->bound_now++ : slot) & 1];
}

#endif
