/* Usages of forms that were placed so far. They are tried first for other forms with the same time
 * in isolation. */
#ifndef PORTOLAN_CHART_USAGE_POOL_H
#define PORTOLAN_CHART_USAGE_POOL_H

#include "chart/guess.h"
#include "model/mapping.h"

struct usage_pool {
    VEC(struct guess) list;
};
void usage_pool_done(struct usage_pool *p);
/* Adds a usage. Does nothing if the pool contains the usage or is full. Also does nothing if the
 * usage blocks a pipe, because such a pipe is specific to the form. */
void usage_pool_add(struct usage_pool *p, const struct guess *g);
/* Adds the usages of @m, except those of more than GUESS_SETS port sets. @lattice must contain all
 * their port sets. */
void usage_pool_fill(struct usage_pool *p, const struct lattice *lattice, const struct mapping *m);
/* Writes up to @most usages with which a form takes @alone cycles in isolation, newest first. If
 * lattice->above_ports, includes usages whose port bound is lower than @alone by a factor of up to
 * RESIDUAL_RATIO_ALONE. Returns the number of usages. Any thread may call it while no usage is
 * added. */
size_t usage_pool_choices(const struct usage_pool *p, const struct lattice *lattice, double alone,
                          struct guess *out, size_t most);

#endif
