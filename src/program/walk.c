/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/loops.h"
#include "base/mem.h"

#define ROUNDS 60            /* maximum number of iterations of fitting the edges to the counts */
/* change of edges, as a share of a branch's executions, below which the edges have converged */
#define FITTED 1e-5
/* Tolerance for comparing a balance with half an execution. Sums of shares are inexact. */
#define EDGE 1e-4f
#define DEPTH 16             /* maximum number of nested function calls */
#define NOWHERE SIZE_MAX

/* A conditional branch at @at, with the first instructions of its two successors, and the
 * executions of each direction */
struct two_ways { size_t at, target, next; double taken, fallen; };
struct unit_graph {
    const struct kernel *kernel;
    const struct code_unit *unit;
    const double *times;
    VEC(struct two_ways) branches;
    /* per first instruction of a sequence: executions that arrive from unconditional code (@known),
     * and from conditional branches (@open) */
    double *known, *open;
    /* per first instruction of a sequence: whether it begins a function, which code outside the
     * function can enter */
    bool *entered;
};

/* Returns whether execution can continue with the next instruction after @insn. */
static bool goes_on(const struct insn *insn)
{
    return !(insn->traits & INSN_RETURN) &&
           (!(insn->traits & INSN_BRANCH) || (insn->traits & (INSN_CALL | INSN_CONDITIONAL)));
}

static void find_ways(const struct program_code *c, const uint32_t *entries, uint32_t unit,
                      struct unit_graph *g)
{
    const struct kernel *k = g->kernel;
    const struct program_unit *u = &c->program->units[unit];

    for (uint32_t f = u->first_function; f < u->first_function + u->function_count; f++)
        if (entries[f] != UINT32_MAX)
            g->entered[entries[f]] = true;
    for (size_t i = 0; i < k->insn_count; i++) {
        const struct insn *insn = &k->insns[i];
        bool last = i + 1 == k->insn_count || g->unit->stretch[i + 1] == i + 1;
        size_t next = i + 1 < k->insn_count && goes_on(insn) ? i + 1 : NOWHERE,
               target = loop_branch_target(k->insns, k->insn_count, i);
        if (!(g->times[i] > 0))
            continue;
        if (insn->traits & INSN_CONDITIONAL)
            vec_push(&g->branches,
                     ((struct two_ways){i, target, next, g->times[i] / 2, g->times[i] / 2}));
        else if (last && next != NOWHERE)
            g->known[next] += g->times[i];
        else if (target != NOWHERE)
            g->known[target] += g->times[i];
    }
}

/* Returns the factor for the executions from conditional branches into @at with which all
 * executions into @at equal its count. */
static double factor_of(const struct unit_graph *g, size_t at)
{
    if (at == NOWHERE || g->entered[at] || !(g->open[at] > 0))
        return 1;
    return fmax(0, g->times[at] - g->known[at]) / g->open[at];
}

static void fit_ways(struct unit_graph *g)
{
    bool changed = true;

    for (int round = 0; round < ROUNDS && changed; round++) {
        changed = false;
        memset(g->open, 0, g->kernel->insn_count * sizeof *g->open);
        for (size_t i = 0; i < g->branches.count; i++) {
            const struct two_ways *f = &g->branches.items[i];
            if (f->target != NOWHERE)
                g->open[f->target] += f->taken;
            if (f->next != NOWHERE)
                g->open[f->next] += f->fallen;
        }
        for (size_t i = 0; i < g->branches.count; i++) {
            struct two_ways *f = &g->branches.items[i];
            double taken = f->taken * factor_of(g, f->target),
                   fallen = f->fallen * factor_of(g, f->next), sum = taken + fallen;
            taken = sum > 0 ? g->times[f->at] * taken / sum : g->times[f->at] / 2;
            changed |= fabs(taken - f->taken) > FITTED * g->times[f->at];
            f->taken = taken;
            f->fallen = g->times[f->at] - f->taken;
        }
    }
}

static void find_unit_flow(const struct program_code *c, const uint32_t *entries, uint32_t unit,
                           const struct program_run *run, struct unit_flow *out)
{
    struct unit_graph g = {.kernel = c->units[unit].kernel, .unit = &c->units[unit]};
    size_t n = g.kernel->insn_count;

    out->times = mem_alloc((n + 1) * sizeof *out->times);
    out->taken = mem_zero(n + 1, sizeof *out->taken);
    code_executions(c, unit, run, out->times);
    g.times = out->times;
    g.known = mem_zero(n + 1, sizeof *g.known);
    g.open = mem_zero(n + 1, sizeof *g.open);
    g.entered = mem_zero(n + 1, sizeof *g.entered);
    find_ways(c, entries, unit, &g);
    fit_ways(&g);
    for (size_t i = 0; i < g.branches.count; i++) {
        const struct two_ways *f = &g.branches.items[i];
        out->taken[f->at] = g.times[f->at] > 0 ? (float)(f->taken / g.times[f->at]) : 0;
    }
    vec_done(&g.branches);
    free(g.known);
    free(g.open);
    free(g.entered);
}

void program_flow_find(const struct program_code *c, const struct program_run *run,
                       struct program_flow *out)
{
    const struct program *p = c->program;

    out->units = mem_zero(p->unit_count + 1, sizeof *out->units);
    out->entries = mem_alloc((p->function_count + 1) * sizeof *out->entries);
    /* Sets all entries to UINT32_MAX. */
    memset(out->entries, 0xff, (p->function_count + 1) * sizeof *out->entries);
    for (size_t u = 0; u < p->unit_count; u++) {
        const struct kernel *k = c->units[u].kernel;
        for (size_t i = k ? k->insn_count : 0; i-- > 0;)
            out->entries[p->blocks[c->units[u].block[i]].function] = (uint32_t)i;
        if (k)
            find_unit_flow(c, out->entries, (uint32_t)u, run, &out->units[u]);
    }
}

void program_flow_done(const struct program_code *c, struct program_flow *f)
{
    for (size_t u = 0; u < c->program->unit_count; u++) {
        free(f->units[u].times);
        free(f->units[u].taken);
    }
    free(f->units);
    free(f->entries);
}

struct walk_place { uint32_t unit; size_t insn; };

struct walker {
    const struct program_code *code;
    const struct program_flow *flow;
    struct walk_place head;
    /* per instruction of the unit: whether a path leads from it to the head */
    bool *leads_back;
    struct walk_place at, returns[DEPTH];
    unsigned depth;
    /* number of instructions of external functions so far */
    size_t library;
    /* per unit and branch: number of taken executions that are due, minus number of those in the
     * walk */
    float **owed;
    struct code_walk *out;
};

/* Sets @out to the name of the function that the call or jump @insn names. Returns false if it
 * names none, or if the name does not fit. */
static bool name_of(const struct insn *insn, char *out, size_t size)
{
    const char *name = strrchr(insn->text, ' '), *tab = strrchr(insn->text, '\t');

    name = tab > name ? tab : name;
    if (!name || name[1] == '*')
        return false;
    size_t length = strcspn(name + 1, "@ \t#");
    if (!length || length >= size)
        return false;
    memcpy(out, name + 1, length);
    out[length] = '\0';
    return true;
}

/* Finds the function @name. Functions of @unit have precedence over others. Returns false if it is
 * external. */
static bool find_function(const struct walker *w, const char *name, uint32_t unit,
                          struct walk_place *out)
{
    const struct program *p = w->code->program;

    for (uint32_t turn = 0; turn <= p->unit_count; turn++) {
        uint32_t u = turn ? turn - 1 : unit;
        const struct program_unit *of = &p->units[u];
        for (uint32_t f = of->first_function; f < of->first_function + of->function_count; f++)
            if (w->flow->entries[f] != UINT32_MAX && strcmp(p->functions[f].name, name) == 0) {
                *out = (struct walk_place){u, w->flow->entries[f]};
                return true;
            }
    }
    return false;
}

/* Returns the program's own string that equals @name, which outlives the walk; NULL: none. */
static const char *called_name(const struct program_code *c, uint32_t unit, size_t insn,
                               const char *name)
{
    const struct program_block *b = &c->program->blocks[c->units[unit].block[insn]];

    for (size_t i = 0; i < b->call_count; i++)
        if (strcmp(b->calls[i], name) == 0)
            return b->calls[i];
    return NULL;
}

static bool step_back(struct walker *w)
{
    if (!w->depth)
        return false;
    w->at = w->returns[--w->depth];
    return true;
}

/* Continues in a called function of the program, or after a call of an external function. @jump:
 * whether it is a tail call. Returns false if the walk cannot continue. */
static bool step_call(struct walker *w, const struct insn *insn, bool jump)
{
    struct walk_place from = w->at, into;
    char name[256];
    bool named = name_of(insn, name, sizeof name);

    if (named && find_function(w, name, from.unit, &into)) {
        if (!jump && w->depth == DEPTH)
            return false;
        if (!jump)
            w->returns[w->depth++] = (struct walk_place){from.unit, from.insn + 1};
        w->at = into;
        w->out->elsewhere = true;
        return true;
    }
    if (jump && !named)
        return false; /* The target of an indirect jump, such as one through a jump table, is
                       * unknown. */
    if (named) {
        const char *known = called_name(w->code, from.unit, from.insn, name);
        const struct call_code *code = known ? program_code_library(w->code, known) : NULL;
        w->out->steps.items[w->out->steps.count - 1].calls = known;
        w->library += code ? code->insns.count : 0;
    }
    w->at.insn++;
    return !jump || step_back(w);
}

/* Returns the balances of the branches of @unit. With the initial values, the rarer direction is
 * due last. */
static float *owed_in(struct walker *w, uint32_t unit)
{
    size_t n = w->code->units[unit].kernel->insn_count;
    const float *taken = w->flow->units[unit].taken;

    if (!w->owed[unit]) {
        w->owed[unit] = mem_alloc((n + 1) * sizeof *w->owed[unit]);
        for (size_t i = 0; i < n; i++)
            w->owed[unit][i] = taken[i] < 0.5f ? EDGE - 0.5f : 0.5f - EDGE;
    }
    return w->owed[unit];
}

/* Sets *@taken to the direction of the current branch. Returns false if the direction is rare
 * enough to be mispredicted. The code after the branch then does not overlap. */
static bool choose(struct walker *w, size_t target, bool *taken)
{
    const float share = w->flow->units[w->at.unit].taken[w->at.insn];
    float *owed = &owed_in(w, w->at.unit)[w->at.insn];

    if (!w->depth && w->leads_back[target] != w->leads_back[w->at.insn + 1]) {
        *taken = w->leads_back[target];
        return true;
    }
    *owed += share;
    *taken = *owed >= 0.5f;
    *owed -= *taken;
    return (*taken ? share : 1 - share) * PREDICTED_TRIPS >= 1;
}

/* Continues with the next executed instruction. Returns false if it is unknown, or if the walk ends
 * here. */
static bool step_on(struct walker *w)
{
    const struct kernel *k = w->code->units[w->at.unit].kernel;
    const struct insn *insn = &k->insns[w->at.insn];

    if (insn->traits & INSN_RETURN)
        return step_back(w);
    if (insn->traits & INSN_CALL)
        return step_call(w, insn, false);
    if (insn->traits & INSN_BRANCH) {
        size_t target = loop_branch_target(k->insns, k->insn_count, w->at.insn);
        if (!(insn->traits & INSN_CONDITIONAL) && target == NOWHERE)
            return step_call(w, insn, true);
        bool taken = !(insn->traits & INSN_CONDITIONAL);
        if (!taken && target != NOWHERE && !choose(w, target, &taken))
            return false;
        if (taken) {
            w->out->elsewhere |= target < w->at.insn && target != w->head.insn;
            w->at.insn = target;
            return true;
        }
    }
    w->at.insn++;
    return w->at.insn < k->insn_count;
}

/* Finds the instructions from which a path leads to the head. Repeats until nothing changes, from
 * the end of the code, because most edges lead forward. */
static void find_back(struct walker *w)
{
    const struct kernel *k = w->code->units[w->head.unit].kernel;

    w->leads_back = mem_zero(k->insn_count + 2, sizeof *w->leads_back);
    w->leads_back[w->head.insn] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = k->insn_count; i-- > 0;) {
            if (w->leads_back[i])
                continue;
            size_t target = loop_branch_target(k->insns, k->insn_count, i);
            w->leads_back[i] = (goes_on(&k->insns[i]) && w->leads_back[i + 1]) ||
                               (target != NOWHERE && w->leads_back[target]);
            changed |= w->leads_back[i];
        }
    }
}

bool walk_loop(const struct program_code *c, const struct program_flow *f, uint32_t unit,
               uint32_t loop, size_t most, size_t enough, struct code_walk *out)
{
    const struct walk_place head = {unit, c->units[unit].kernel->loops[loop].head};
    struct walker w = {.code = c,
                       .flow = f,
                       .head = head,
                       .at = head,
                       .owed = mem_zero(c->program->unit_count + 1, sizeof *w.owed),
                       .out = out};
    size_t whole = 0;

    *out = (struct code_walk){.turns = 0};
    find_back(&w);
    while (out->steps.count + w.library < most) {
        vec_push(&out->steps, ((struct walk_step){w.at.unit, (uint32_t)w.at.insn, NULL}));
        if (!step_on(&w))
            break;
        if (!w.depth && w.at.unit == unit && w.at.insn == head.insn) {
            whole = out->steps.count;
            out->turns++;
            if (whole + w.library >= enough)
                break;
        }
    }
    out->steps.count = whole;
    for (size_t u = 0; u < c->program->unit_count; u++)
        free(w.owed[u]);
    free(w.owed);
    free(w.leads_back);
    if (!whole) {
        vec_done(&out->steps);
        out->turns = 0;
    }
    return whole > 0;
}
