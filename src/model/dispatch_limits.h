/* Limits of µops per cycle at dispatch, by kind of µop (fact dispatch_limits). */
#ifndef PORTOLAN_MODEL_DISPATCH_LIMITS_H
#define PORTOLAN_MODEL_DISPATCH_LIMITS_H

#include "model/machine.h"

#define DISPATCH_LIMITS_MAX 8
#define DISPATCH_MOST 65536   /* maximum limit in µops per cycle */

struct dispatch_limit {
    portset ports;
    /* whether only µops that can use no other ports count; otherwise all µops that can use one of
     * these ports count */
    bool within;
    unsigned most;    /* maximum number of µops per cycle */
};

struct dispatch_limits {
    unsigned count;
    struct dispatch_limit items[DISPATCH_LIMITS_MAX];
};

/* Parses text such as "4 of p[S0,S1]; 2 within p[B0,B1]". If @ports is NULL, only verifies the
 * syntax and sets no ports in @out. Returns false with err on an error. */
bool dispatch_limits_parse(const char *text, const struct ports *ports, struct dispatch_limits *out,
                           struct err *err);
/* Sets @out to the limits of @m. There are none if the fact is missing or invalid. */
void dispatch_limits_of(const struct machine *m, struct dispatch_limits *out);
/* Converts the obsolete facts dispatch_ports and dispatch_per_cycle to dispatch_limits. Removes the
 * obsolete facts in any case. Returns false with err if only one of them exists, or if their values
 * are invalid. */
bool dispatch_limits_from_former(struct machine *facts, struct err *err);
/* Returns whether @key is one of the two obsolete facts. */
bool dispatch_limits_former(const char *key);

/* Returns whether the limit applies to a µop with port set @uop. */
static inline bool dispatch_limit_has(const struct dispatch_limit *limit, portset uop)
{
    return limit->within ? !(uop & ~limit->ports) : (uop & limit->ports) != 0;
}

#endif
