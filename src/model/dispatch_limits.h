/* Kinds of µops with a limit per cycle at dispatch (fact dispatch_limits). */
#ifndef PORTOLAN_MODEL_DISPATCH_LIMITS_H
#define PORTOLAN_MODEL_DISPATCH_LIMITS_H

#include "model/machine.h"

#define DISPATCH_LIMITS_MAX 8
#define DISPATCH_MOST 65536   /* per cycle */

struct dispatch_limit {
    portset ports;
    bool within;      /* only µops restricted to these ports; otherwise all that can use them */
    unsigned most;    /* µops per cycle */
};

struct dispatch_limits {
    unsigned count;
    struct dispatch_limit items[DISPATCH_LIMITS_MAX];
};

/* Parses "4 of p[S0,S1]; 2 within p[B0,B1]". Without @ports checks the syntax only, and @out has no
 * ports. False with err. */
bool dispatch_limits_parse(const char *text, const struct ports *ports, struct dispatch_limits *out,
                           struct err *err);
/* Limits of @m; none if the fact is missing or invalid. */
void dispatch_limits_of(const struct machine *m, struct dispatch_limits *out);
/* Converts the former facts dispatch_ports and dispatch_per_cycle to dispatch_limits. False with
 * err if one is missing or invalid. */
bool dispatch_limits_from_former(struct machine *facts, struct err *err);
/* Returns whether @key is one of these two. */
bool dispatch_limits_former(const char *key);

/* Returns whether the limit applies to a µop for @uop. */
static inline bool dispatch_limit_has(const struct dispatch_limit *limit, portset uop)
{
    return limit->within ? !(uop & ~limit->ports) : (uop & limit->ports) != 0;
}

#endif
