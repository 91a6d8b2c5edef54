/* Known usages, which are tried first for forms with the same time alone. */
#ifndef PORTOLAN_CHART_USAGE_POOL_H
#define PORTOLAN_CHART_USAGE_POOL_H

#include "chart/guess.h"
#include "model/mapping.h"

struct usage_pool {
    VEC(struct guess) list;
};
void usage_pool_done(struct usage_pool *p);
/* Adds a usage, unless it exists, blocks a pipe (which is specific to the form), or the pool is
 * full. */
void usage_pool_add(struct usage_pool *p, const struct guess *g);
/* Adds the usages of @m. All their port sets must be in @lattice. */
void usage_pool_fill(struct usage_pool *p, const struct lattice *lattice, const struct mapping *m);
/* Writes up to @most usages that take @alone cycles alone, or fewer if times may exceed the port
 * bound, newest first. Returns their number. Any thread while no usage is added. */
size_t usage_pool_choices(const struct usage_pool *p, const struct lattice *lattice, double alone,
                          struct guess *out, size_t most);

#endif
