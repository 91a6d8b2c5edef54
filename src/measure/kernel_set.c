/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/kernel_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/vec.h"

/* maximum seconds of an attempt with a loop before the next loop is tried */
#define PATIENCE_SECONDS 0.02
/* maximum seconds of a visit; the first visit also makes the plan */
#define VISIT_SECONDS 0.3
#define LOOP_SECONDS 0.25       /* total seconds of kernel_set_times per loop */

struct set_member {
    struct insn *insns;
    size_t count;
    struct kernel_passes passes;
    bool answered;
    double cycles, spread;        /* @cycles: NaN without a time; the reason is then in @fault */
    struct err fault;
};

struct kernel_set {
    struct sandbox *sandbox;
    struct calibration calibration;   /* the caller's calibration with a lower patience */
    struct seek seek;
    VEC(struct set_member *) members;
};

struct kernel_set *kernel_set_new(struct sandbox *s, const struct calibration *c)
{
    struct kernel_set *set = mem_zero(1, sizeof *set);

    set->sandbox = s;
    set->calibration = *c;
    set->calibration.rules.patience = c->stretch * PATIENCE_SECONDS * c->tick_hz;
    seek_begin(&set->seek, s);
    sandbox_clear(s);
    return set;
}

void kernel_set_free(struct kernel_set *set)
{
    if (!set)
        return;
    sandbox_clear(set->sandbox);
    for (size_t i = 0; i < set->members.count; i++) {
        free(set->members.items[i]->insns);
        free(set->members.items[i]);
    }
    vec_done(&set->members);
    free(set);
}

static bool same_code(const struct set_member *m, const struct insn *insns, size_t count,
                      enum kernel_copies kind)
{
    bool same = m->count == count && m->passes.plan.kind == kind;

    for (size_t i = 0; same && i < count; i++)
        same = m->insns[i].length == insns[i].length &&
               memcmp(m->insns[i].bytes, insns[i].bytes, insns[i].length) == 0;
    return same;
}

/* Adds a loop as kernel_set_add does, for any kind of copies. */
static size_t kernel_set_add_as(struct kernel_set *set, const struct insn *insns, size_t count,
                                enum kernel_copies kind)
{
    for (size_t i = 0; i < set->members.count; i++)
        if (same_code(set->members.items[i], insns, count, kind))
            return i;
    struct set_member *m = mem_zero(1, sizeof *m);
    m->insns = mem_alloc((count + 1) * sizeof *m->insns);
    memcpy(m->insns, insns, count * sizeof *insns);
    m->count = count;
    m->passes.least = kernel_least_cycles(&set->calibration, count);
    m->passes.plan.kind = kind;
    m->cycles = m->spread = NAN;
    /* Removes the disassembly texts, which are borrowed. */
    for (size_t i = 0; i < count; i++)
        m->insns[i].text = NULL;
    vec_push(&set->members, m);
    return set->members.count - 1;
}

size_t kernel_set_add(struct kernel_set *set, const struct insn *insns, size_t count)
{
    return kernel_set_add_as(set, insns, count, KERNEL_CACHED);
}

void kernel_set_again(struct kernel_set *set, size_t at)
{
    struct set_member *m = set->members.items[at];
    const struct kernel_plan plan = m->passes.plan;

    m->passes = (struct kernel_passes){.plan = plan, .least = m->passes.least};
    m->cycles = m->spread = NAN;
    m->answered = false;
}

/* Returns the plan of any loop of the set, or NULL if no loop has one. */
static const struct kernel_plan *any_plan(const struct kernel_set *set)
{
    for (size_t i = 0; i < set->members.count; i++)
        if (set->members.items[i]->passes.plan.known)
            return &set->members.items[i]->passes.plan;
    return NULL;
}

static bool member_visit(struct kernel_set *set, struct set_member *m, struct err *err)
{
    struct kernel_measured seen;

    m->fault = (struct err){0};
    bool visited =
        kernel_visit_concurrent(set->sandbox, &set->calibration, m->insns, m->count, VISIT_SECONDS,
                                any_plan(set), &m->passes.plan, &seen, &m->fault);
    if (!visited && m->fault.code != ERR_LIMIT && m->fault.code != ERR_DATA) {
        *err = m->fault;
        return false;
    }
    kernel_passes_add(&m->passes, &seen);
    if (kernel_passes_settled(&m->passes, &m->cycles, &m->spread))
        m->answered = true;
    else
        m->answered = (!visited && m->fault.code == ERR_DATA) || kernel_passes_enough(&m->passes);
    return seek_step(&set->seek, set->sandbox, &set->calibration, seen.contended, err) &&
           seek_learn(&set->seek, set->sandbox, &set->calibration, err);
}

/* Returns the number of loops with a settled time, or with a reason why they have none. */
static size_t kernel_set_answered(const struct kernel_set *set)
{
    size_t n = 0;
    for (size_t i = 0; i < set->members.count; i++)
        n += set->members.items[i]->answered;
    return n;
}

/* Runs the reference block. If its time is wrong, discards all results since its last run. The
 * loops must then be measured again in a new process. Returns false with err in this case and on
 * failure. */
static bool vouch(struct kernel_set *set, struct err *err)
{
    bool off;

    if (kernel_vouch(set->sandbox, &set->calibration, INFINITY, &off, err))
        return true;
    for (size_t i = 0; off && i < set->members.count; i++) {
        set->members.items[i]->passes.plan.known = false;
        kernel_set_again(set, i);
    }
    return false;
}

bool kernel_set_measure(struct kernel_set *set, double seconds, struct err *err)
{
    double until = clock_seconds() + seconds;
    bool ok = true, first = true;

    while (ok && kernel_set_answered(set) < set->members.count &&
           (first || clock_seconds() < until)) {
        for (size_t i = 0; ok && i < set->members.count && (first || clock_seconds() < until); i++)
            if (!set->members.items[i]->answered)
                ok = member_visit(set, set->members.items[i], err);
        first = false;
    }
    return ok && vouch(set, err);
}

bool kernel_set_result(const struct kernel_set *set, size_t at, double *cycles, double *spread,
                       struct err *err)
{
    const struct set_member *m = set->members.items[at];

    if (m->answered && m->cycles > 0) {
        *cycles = m->cycles;
        *spread = m->spread;
        return true;
    }
    if (m->fault.code == ERR_DATA)
        return err_set(err, ERR_DATA, m->fault.todo, "%s", m->fault.what);
    return kernel_passes_close(&m->passes, cycles, spread) ||
           kernel_passes_unsettled(&m->passes, err);
}

bool kernel_set_times(struct sandbox *s, const struct calibration *c,
                      const struct insn *(*code)(const void *of, size_t i, size_t *count,
                                                 enum kernel_copies *kind),
                      const void *of, size_t n, double most, double *cycles, struct err *err)
{
    struct kernel_set *set = kernel_set_new(s, c);
    size_t *at = mem_alloc((n + 1) * sizeof *at);
    struct err reason = {0};

    for (size_t i = 0; i < n; i++) {
        size_t count;
        enum kernel_copies kind = KERNEL_CACHED;
        const struct insn *insns = code(of, i, &count, &kind);
        at[i] = kernel_set_add_as(set, insns, count, kind);
    }
    bool ok = kernel_set_measure(set, fmin(fmax(1, LOOP_SECONDS * (double)n), most), &reason) ||
              reason.code == ERR_LIMIT;
    for (size_t i = 0; i < n; i++) {
        struct err fault = {0};
        double spread;
        if (!ok || !kernel_set_result(set, at[i], &cycles[i], &spread, &fault))
            cycles[i] = NAN;
    }
    if (!ok && err)
        *err = reason;
    kernel_set_free(set);
    free(at);
    return ok;
}
