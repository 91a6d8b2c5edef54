/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "throughput/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "throughput/flow.h"

#define ROUNDS 100
#define EVEN 1e-13          /* relative error of a port's load, due to the precision of doubles */

struct balance {
    struct flow flow;
    /* per distinct set of µops, the ports that are still available */
    portset set[FLOW_SETS];
    double mass[FLOW_SETS];
    bool placed[FLOW_SETS];
    double share[FLOW_SETS][PORTS_MAX];     /* cycles of set i on port j */
    unsigned count;
};

/* A tight block (smallest bottleneck): its sets, and the logarithm of each port's weight. The mass
 * of each set is divided among its ports in proportion to their weights. */
struct block {
    portset ports;
    double level;           /* mass per port of the block */
    unsigned members[FLOW_SETS], count;
    double weight[PORTS_MAX];
    /* per port, the sum of its shares minus the level */
    double excess[PORTS_MAX];
};

/* Computes the shares from the weights, and the excess of each port. Returns the norm of the
 * excess. */
static double share_out(struct balance *b, struct block *block)
{
    double norm = 0;

    for (portset rest = block->ports; rest; rest &= rest - 1)
        block->excess[__builtin_ctz(rest)] = -block->level;
    for (unsigned k = 0; k < block->count; k++) {
        unsigned i = block->members[k];
        double top = -INFINITY, sum = 0;
        for (portset rest = b->set[i]; rest; rest &= rest - 1)
            top = fmax(top, block->weight[__builtin_ctz(rest)]);
        for (portset rest = b->set[i]; rest; rest &= rest - 1) {
            unsigned port = (unsigned)__builtin_ctz(rest);
            sum += b->share[i][port] = exp(block->weight[port] - top);
        }
        for (portset rest = b->set[i]; rest; rest &= rest - 1) {
            unsigned port = (unsigned)__builtin_ctz(rest);
            b->share[i][port] *= b->mass[i] / sum;
            block->excess[port] += b->share[i][port];
        }
    }
    for (portset rest = block->ports; rest; rest &= rest - 1)
        norm += block->excess[__builtin_ctz(rest)] * block->excess[__builtin_ctz(rest)];
    return sqrt(norm);
}

/* Computes the derivatives of the ports' sums with respect to the weights. */
static void slopes(const struct balance *b, const struct block *block,
                   double matrix[PORTS_MAX][PORTS_MAX])
{
    memset(matrix, 0, PORTS_MAX * sizeof *matrix);
    for (unsigned k = 0; k < block->count; k++) {
        unsigned i = block->members[k];
        for (portset rest = b->set[i]; rest; rest &= rest - 1) {
            unsigned row = (unsigned)__builtin_ctz(rest);
            matrix[row][row] += b->share[i][row];
            for (portset other = b->set[i]; other; other &= other - 1) {
                unsigned column = (unsigned)__builtin_ctz(other);
                matrix[row][column] -= b->share[i][row] * b->share[i][column] / b->mass[i];
            }
        }
    }
}

/* Solves matrix * step = -excess by Cholesky's method. A constant added to all weights has no
 * effect, so the first weight is fixed. The remaining matrix is positive definite. Returns false on
 * rounding errors. */
static bool newton_step(const struct block *block, double matrix[PORTS_MAX][PORTS_MAX],
                        double step[PORTS_MAX])
{
    unsigned ports[PORTS_MAX], n = 0;

    memset(step, 0, PORTS_MAX * sizeof *step);
    for (portset rest = block->ports & (block->ports - 1); rest; rest &= rest - 1)
        ports[n++] = (unsigned)__builtin_ctz(rest);
    for (unsigned i = 0; i < n; i++) {
        double *row = matrix[ports[i]], right = -block->excess[ports[i]];
        for (unsigned j = 0; j <= i; j++) {
            for (unsigned k = 0; k < j; k++)
                row[ports[j]] -= row[ports[k]] * matrix[ports[j]][ports[k]];
            if (j < i)
                row[ports[j]] /= matrix[ports[j]][ports[j]];
        }
        if (!(row[ports[i]] > 0))
            return false;
        row[ports[i]] = sqrt(row[ports[i]]);
        for (unsigned k = 0; k < i; k++)
            right -= row[ports[k]] * step[ports[k]];
        step[ports[i]] = right / row[ports[i]];
    }
    for (unsigned i = n; i-- > 0;) {
        for (unsigned k = i + 1; k < n; k++)
            step[ports[i]] -= matrix[ports[k]][ports[i]] * step[ports[k]];
        step[ports[i]] /= matrix[ports[i]][ports[i]];
    }
    return true;
}

/* Distributes the sets of one tight block in proportion to port weights, until every port has the
 * level. The solution has the largest entropy. In a smallest tight block no weight is zero. Damped
 * Newton steps converge, because the potential is convex and a sufficiently short step reduces the
 * excess. */
static void spread(struct balance *b, struct block *block)
{
    double matrix[PORTS_MAX][PORTS_MAX], step[PORTS_MAX], before[PORTS_MAX];

    memset(block->weight, 0, sizeof block->weight);
    double norm = share_out(b, block);
    for (unsigned round = 0; round < ROUNDS && norm > EVEN * block->level; round++) {
        slopes(b, block, matrix);
        if (!newton_step(block, matrix, step))
            return;
        memcpy(before, block->weight, sizeof before);
        double old = norm, length = 1;
        do {
            for (unsigned j = 0; j < PORTS_MAX; j++)
                block->weight[j] = before[j] + length * step[j];
            norm = share_out(b, block);
            length /= 2;
        } while (norm >= old && length > 1e-9);
        if (norm >= old) {
            /* Undoes the last step, because rounding prevents a better result. */
            memcpy(block->weight, before, sizeof before);
            share_out(b, block);
            return;
        }
    }
}

/* Builds the flow problem of the remaining mass. Returns false if no mass remains. */
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

/* Collects the distinct sets in ascending order, which makes the result independent of the order of
 * rows. The set of row i has the index of[i]. */
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

double schedule_balance(const struct mass *masses, size_t n, unsigned ports, double *pressure,
                        double *totals, portset *bottleneck)
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
        struct block block = {.count = 0};
        flow_solve(&b->flow);
        block.level = (double)b->flow.numerator / (double)b->flow.denominator;
        if (first) {
            bound = block.level;
            if (bottleneck)
                *bottleneck = flow_tight_maximal(&b->flow);
            first = false;
        }
        block.ports = flow_tight_minimal(&b->flow);
        for (unsigned i = 0; i < b->count; i++)
            if (!b->placed[i] && !(b->set[i] & ~block.ports)) {
                block.members[block.count++] = i;
                b->placed[i] = true;
            }
        spread(b, &block);
        for (unsigned i = 0; i < b->count; i++)
            if (!b->placed[i])
                b->set[i] &= ~block.ports;
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
