/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/flow.h"

#define ROUNDS 4000

struct balance {
    struct flow flow;
    portset set[FLOW_SETS];                 /* ports still open to each distinct set of µops */
    double mass[FLOW_SETS];
    bool placed[FLOW_SETS];
    double share[FLOW_SETS][PORTS_MAX];     /* cycles of set i on port j */
    unsigned count;
};

/* Spreads the sets of one tight block evenly: proportional fitting (Sinkhorn) to row sums = mass, column sums = @level. A smallest
 * tight block has a solution with no zero, so that the fit converges; should it be slow, the flow's own assignment stands. */
static void spread(struct balance *b, const unsigned *members, unsigned n, portset block, double level)
{
    for (unsigned k = 0; k < n; k++)
        for (portset rest = b->set[members[k]]; rest; rest &= rest - 1)
            b->share[members[k]][__builtin_ctz(rest)] = b->mass[members[k]] / portset_size(b->set[members[k]]);
    for (unsigned round = 0; round < ROUNDS; round++) {
        double worst = 0;
        for (portset rest = block; rest; rest &= rest - 1) {
            unsigned port = (unsigned)__builtin_ctz(rest);
            double sum = 0;
            for (unsigned k = 0; k < n; k++)
                sum += b->share[members[k]][port];
            for (unsigned k = 0; k < n; k++)
                b->share[members[k]][port] *= level / sum;
        }
        for (unsigned k = 0; k < n; k++) {
            double sum = 0;
            for (portset rest = b->set[members[k]]; rest; rest &= rest - 1)
                sum += b->share[members[k]][__builtin_ctz(rest)];
            for (portset rest = b->set[members[k]]; rest; rest &= rest - 1)
                b->share[members[k]][__builtin_ctz(rest)] *= b->mass[members[k]] / sum;
            worst = fmax(worst, fabs(sum - b->mass[members[k]]) / level);
        }
        if (worst < 1e-13)
            return;
    }
    for (unsigned i = 0; i < b->flow.sets; i++)
        for (unsigned j = 0; j < n; j++)
            if (b->flow.set[i] == b->set[members[j]] && !(b->flow.set[i] & ~block)) {
                /* Equal open sets were merged for the flow: each takes its part by mass. */
                for (portset rest = b->set[members[j]]; rest; rest &= rest - 1) {
                    unsigned port = (unsigned)__builtin_ctz(rest);
                    b->share[members[j]][port] = (double)b->flow.amount[i][port] / (double)b->flow.denominator *
                                                 b->mass[members[j]] / (double)b->flow.mass[i];
                }
            }
}

/* The flow problem of what is not placed yet; false when nothing is left. */
static bool load_flow(struct balance *b)
{
    struct flow *f = &b->flow;

    f->sets = 0;
    for (unsigned i = 0; i < b->count; i++) {
        if (b->placed[i])
            continue;
        unsigned k = 0;
        while (k < f->sets && f->set[k] != b->set[i])
            k++;
        if (k == f->sets) {
            f->set[f->sets] = b->set[i];
            f->mass[f->sets++] = 0;
        }
        f->mass[k] += (uint64_t)b->mass[i];
    }
    return f->sets > 0;
}

/* Distinct sets in ascending order, so that the order of rows cannot matter; row i belongs to set of[i]. */
static void collect(struct balance *b, const struct mass *masses, size_t n, uint16_t *of)
{
    for (size_t i = 0; i < n; i++) {
        unsigned at = 0;
        while (at < b->count && b->set[at] < masses[i].ports)
            at++;
        if (at == b->count || b->set[at] != masses[i].ports) {
            if (b->count == FLOW_SETS)
                BUG("more than %d distinct port sets in one kernel", FLOW_SETS);
            memmove(b->set + at + 1, b->set + at, (b->count - at) * sizeof *b->set);
            memmove(b->mass + at + 1, b->mass + at, (b->count - at) * sizeof *b->mass);
            b->set[at] = masses[i].ports;
            b->mass[at] = 0;
            b->count++;
        }
        b->mass[at] += masses[i].count;
    }
    for (size_t i = 0; i < n; i++)
        for (unsigned at = 0; at < b->count; at++)
            if (b->set[at] == masses[i].ports)
                of[i] = (uint16_t)at;
}

double schedule_balance(const struct mass *masses, size_t n, unsigned ports, double *pressure, double *totals, portset *bottleneck)
{
    struct balance *b = mem_zero(1, sizeof *b);
    uint16_t *of = mem_zero(n, sizeof *of);
    double bound = 0;
    bool first = true;

    if (bottleneck)
        *bottleneck = 0;
    memset(pressure, 0, n * ports * sizeof *pressure);
    if (totals)
        memset(totals, 0, ports * sizeof *totals);
    collect(b, masses, n, of);
    b->flow.ports = ports;
    while (load_flow(b)) {
        unsigned members[FLOW_SETS], member_count = 0;
        flow_solve(&b->flow);
        double level = (double)b->flow.numerator / (double)b->flow.denominator;
        if (first) {
            bound = level;
            if (bottleneck)
                *bottleneck = flow_tight_maximal(&b->flow);
            first = false;
        }
        portset block = flow_tight_minimal(&b->flow);
        for (unsigned i = 0; i < b->count; i++)
            if (!b->placed[i] && !(b->set[i] & ~block)) {
                members[member_count++] = i;
                b->placed[i] = true;
            }
        spread(b, members, member_count, block, level);
        for (unsigned i = 0; i < b->count; i++)
            if (!b->placed[i])
                b->set[i] &= ~block;
    }
    for (size_t i = 0; i < n; i++)
        for (unsigned j = 0; j < ports; j++) {
            double share = b->share[of[i]][j] * masses[i].count / b->mass[of[i]];
            pressure[i * ports + j] = share;
            if (totals)
                totals[j] += share;
        }
    free(of);
    free(b);
    return bound;
}
