/* Kinds of µops with a limit per cycle at dispatch (fact dispatch_limits). */
#ifndef PORTOLAN_MODEL_DISPATCH_LIMITS_H
#define PORTOLAN_MODEL_DISPATCH_LIMITS_H

#include "model/machine.h"

#define DISPATCH_LIMITS_MAX 8
#define DISPATCH_MOST 65536   /* per cycle */

struct dispatch_limit {
    portset ports;
    bool within;      /* only µops that can go nowhere else; otherwise all that could go there */
    unsigned most;    /* µops per cycle */
};

struct dispatch_limits {
    unsigned count;
    struct dispatch_limit items[DISPATCH_LIMITS_MAX];
};

/* Parses "4 of p[S0,S1]; 2 within p[B0,B1]". Without @ports only the form is checked, and @out has
 * no ports. False with err. Any thread. */
bool dispatch_limits_parse(const char *text, const struct ports *ports, struct dispatch_limits *out,
                           struct err *err);
/* The limits of @m; none if the fact is missing or invalid. */
void dispatch_limits_of(const struct machine *m, struct dispatch_limits *out);
/* Makes dispatch_limits of the two facts that files had before, dispatch_ports and
 * dispatch_per_cycle, and drops them. False with err where one comes without the other, or they are
 * no limit. */
bool dispatch_limits_from_former(struct machine *facts, struct err *err);
/* Whether @key is one of these two. */
bool dispatch_limits_former(const char *key);

/* Whether a µop for @uop is one of the kind. */
static inline bool dispatch_limit_has(const struct dispatch_limit *limit, portset uop)
{
    return limit->within ? !(uop & ~limit->ports) : (uop & limit->ports) != 0;
}

#endif
