/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/pressures.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/watch.h"
#include "cmd/task.h"
#include "throughput/schedule.h"
#include "work/job.h"

/* Port loads of a machine's forms. Thousands of forms share a few hundred usages, so the loads are
 * computed once per usage. */
struct pressures {
    struct machine *machine;   /* counted reference */
    size_t count, usages;      /* number of forms, and of distinct usages */
    unsigned ports;
    /* @order: rows sorted by usage. @first: per usage, the index of its first row in @order; the
     * last entry is the end. */
    size_t *order, *first;
    uint32_t *usage;           /* per row: index of its usage */
    /* @pressure: one value per usage and port. @cycles: one per usage. */
    double *pressure, *cycles;
    size_t distinct;
    bool made;
    unsigned job;              /* job that computes the port loads; 0: none */
    _Atomic unsigned holders;  /* number of references in addition to the creator's */
};

struct usage_row {
    const struct usage *usage;
    size_t row;
};

static int compare_usages(const struct usage *x, const struct usage *y)
{
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    for (unsigned u = 0; u < x->count; u++)
        if (x->uops[u].ports != y->uops[u].ports || x->uops[u].count != y->uops[u].count)
            return x->uops[u].ports < y->uops[u].ports || (x->uops[u].ports == y->uops[u].ports &&
                                                           x->uops[u].count < y->uops[u].count)
                       ? -1
                       : 1;
    return 0;
}

ORDER_BY(compare_rows, struct usage_row, compare_usages(x->usage, y->usage) ?: ASCENDING(row))

static double solve_one(const struct usage *usage, unsigned ports, double *pressure)
{
    struct mass *masses = mem_alloc((usage->count + 1) * sizeof *masses);
    double *rows = mem_alloc((usage->count * ports + 1) * sizeof *rows);

    for (unsigned u = 0; u < usage->count; u++)
        masses[u] = (struct mass){usage->uops[u].ports, usage->uops[u].count};
    double cycles = schedule_balance(masses, usage->count, ports, rows, pressure, NULL);
    free(masses);
    free(rows);
    return cycles;
}

/* Groups the rows by usage. Returns false if memory runs out. @rows: working storage. */
static bool group(struct pressures *p, struct usage_row *rows)
{
    const struct mapping *m = p->machine->mapping;

    for (size_t i = 0; i < p->count; i++)
        rows[i] = (struct usage_row){&mapping_at(m, i)->usage, i};
    qsort(rows, p->count, sizeof *rows, compare_rows);
    p->order = mem_try_alloc((p->count + 1) * sizeof *p->order);
    p->usage = mem_try_alloc((p->count + 1) * sizeof *p->usage);
    p->first = mem_try_alloc((p->count + 1) * sizeof *p->first);
    if (!p->order || !p->usage || !p->first)
        return false;
    for (size_t i = 0; i < p->count; i++) {
        if (!i || compare_usages(rows[i - 1].usage, rows[i].usage) != 0)
            p->first[p->usages++] = i;
        p->order[i] = rows[i].row;
        p->usage[rows[i].row] = (uint32_t)(p->usages - 1);
    }
    p->first[p->usages] = p->count;
    p->pressure = mem_try_zero(p->usages * p->ports + 1, sizeof *p->pressure);
    p->cycles = mem_try_alloc((p->usages + 1) * sizeof *p->cycles);
    return p->pressure && p->cycles;
}

/* Computes all usages. Any thread. Returns false with err if out of memory or cancelled. */
static bool make(struct pressures *p, struct err *err)
{
    const struct mapping *m = p->machine->mapping;
    size_t bytes = (p->count + 1) * sizeof(struct usage_row);
    struct usage_row *rows = mem_try_alloc(bytes);
    bool ok = (rows && group(p, rows)) || err_memory_for(err, "the mapping's pressures", bytes);

    for (size_t u = 0; ok && u < p->usages && !watch_steps(32); u++)
        p->cycles[u] = solve_one(&mapping_at(m, p->order[p->first[u]])->usage, p->ports,
                                 p->pressure + u * p->ports);
    free(rows);
    ok = ok && watch_goes_on(err);
    if (ok)
        p->distinct = mapping_distinct_uops(m);
    return ok;
}

static bool make_work(void *state, struct result *result, struct err *err)
{
    return make(state, err);
}

static void make_failed(struct session *s, void *state, struct result *result,
                        const struct err *err)
{
    ((struct pressures *)state)->job = 0;
}

static bool make_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct pressures *p = state;

    make_failed(s, state, result, err);
    p->made = true;
    return true;
}

static void make_free(void *state)
{
    pressures_free(state);
}

struct pressures *pressures_new(struct session *s, struct machine *m)
{
    static const struct task_ops ops = {NULL, make_work, make_publish, make_free,
                                        .failed = make_failed};
    struct pressures *p = mem_zero(1, sizeof *p);
    struct err none = {0};

    p->machine = machine_hold(m);
    p->count = mapping_count(m->mapping);
    p->ports = mapping_ports(m->mapping)->count;
    if (s->interactive && p->count > PRESSURES_AT_ONCE)
        p->job = task_start_aside(s, "pressures",
                                  &(struct task){&ops, .state = pressures_hold(p)}, &none);
    else
        p->made = make(p, &none);
    return p;
}

struct pressures *pressures_hold(struct pressures *p)
{
    atomic_fetch_add(&p->holders, 1);
    return p;
}

void pressures_free(struct pressures *p)
{
    if (!p || atomic_fetch_sub(&p->holders, 1) > 0)
        return;
    machine_free(p->machine);
    free(p->order);
    free(p->first);
    free(p->usage);
    free(p->pressure);
    free(p->cycles);
    free(p);
}

void pressures_drop(struct pressures *p)
{
    if (p && p->job)
        job_cancel(p->job);
    pressures_free(p);
}

bool pressures_made(const struct pressures *p)
{
    return p->made;
}

bool pressures_pending(const struct pressures *p)
{
    return p->job != 0;
}

double pressures_port(const struct pressures *p, size_t row, unsigned port)
{
    return p->pressure[p->usage[row] * (size_t)p->ports + port];
}

double pressures_cycles(const struct pressures *p, size_t row)
{
    return p->cycles[p->usage[row]];
}

size_t pressures_distinct(const struct pressures *p)
{
    return p->distinct;
}

const size_t *pressures_alike(const struct pressures *p, size_t row, size_t *count)
{
    uint32_t u = p->usage[row];
    *count = p->first[u + 1] - p->first[u];
    return p->order + p->first[u];
}
