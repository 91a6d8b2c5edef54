/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/derive.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "program/control_values.h"
#include "program/weight.h"

#define STEPS_MOST 1000000       /* maximum number of blocks executed in one walk */
#define DEPTH_MOST 200           /* largest nesting depth of walked calls */
#define ARGUMENTS_AT ((uint64_t)1 << 52)   /* assumed address of the command line's words */
#define POINTER_BYTES 8u
/* assumed address of the first allocation, distance to the next one, and malloc's alignment */
#define ALLOCATED_AT ((uint64_t)1 << 53)
#define ALLOCATED_APART ((uint64_t)1 << 40)
#define ALLOCATED_ALIGN 16
#define EXACT_MOST 9007199254740992.0      /* all smaller integers are exact in a double */
#define CAME_NEVER UINT32_MAX
#define CAME_SEVERAL (UINT32_MAX - 1)

/* A variable of the program. @escaping: unknown code may change it. @changes: a loop, or a function
 * except main, stores to it. */
struct variable {
    char *name;
    uint32_t unit;
    bool escaping;
    uint64_t initial;
    bool defined, lost, loaded, changes;
    struct number now;
};

/* Functions and variables that the symbols of a unit denote */
struct unit_names {
    /* per symbol: index of the function in the program; CONTROL_NONE: none */
    uint32_t *functions;
    uint32_t *variables;         /* per symbol: index of the variable */
    bool *allocates;             /* per symbol: whether it is an allocation function */
};

/* Blocks of a loop in reverse postorder. The header of an inner loop represents all blocks of that
 * loop. The body of a function has the blocks that are in no loop. */
struct loop_body { VEC(uint32_t) blocks; };

struct function_facts {
    uint32_t *order;             /* blocks in reverse postorder */
    uint32_t order_count;
    uint32_t *position;          /* per block: index in @order */
    struct loop_body *regions;      /* bodies of the loops, then the body of the function */
    /* per loop: whether the execution of its body depends on the iteration */
    bool *depends;
    /* whether the function's address is taken; unknown code may then call it */
    bool called;
    bool spoilt;                 /* whether the function's counts are unknown in this walk */
};

struct derivation {
    const struct program *program;
    struct unit_names *units;
    struct function_facts *functions;
    VEC(struct variable) variables;
    uint32_t main;
    /* state of the current walk */
    char *const *words;
    size_t word_count;
    double *counts, *taken;
    /* whether the functions that unknown code may call are being marked, before the walk */
    bool starting;
    bool misread;                /* whether a word read as a whole number is negative or invalid */
    uint32_t branches;           /* number of data-dependent branches so far */
    size_t steps;
    unsigned depth;
    uint64_t allocations;
};

/* A call of a function during the walk */
struct activation {
    struct derivation *d;
    const struct control *control;
    uint32_t function;
    struct control_values values;
    struct weight *in;           /* per block: number of executions */
    uint32_t *came;              /* per block: predecessor, CAME_NEVER or CAME_SEVERAL */
    struct number last;          /* result of the previous call */
    struct weight returned;
    struct number result;
    bool returns_known, broken;
};

static struct number value_at(const struct activation *f, uint32_t node)
{
    return node == CONTROL_NONE ? number_unknown : control_evaluate(&f->values, &node);
}

static const struct control_step *steps_of(const struct control *c, uint32_t block)
{
    return c->steps.items + c->blocks[block].first_step;
}

static const struct unit_names *names_of(const struct derivation *d, uint32_t function)
{
    return &d->units[d->program->blocks[d->program->functions[function].first_block].unit];
}

static uint32_t variable_of(const struct derivation *d, uint32_t function, uint32_t symbol)
{
    return names_of(d, function)->variables[symbol];
}

static uint32_t callee_of(const struct derivation *d, uint32_t function, uint32_t symbol)
{
    return symbol == CONTROL_NONE ? CONTROL_NONE : names_of(d, function)->functions[symbol];
}

static void spoil_function(struct derivation *d, uint32_t function);

/* Marks as unknown: the counts of block @block, the counts of the functions that it calls, and the
 * variables to which it stores. */
static void spoil_block(struct derivation *d, uint32_t function, uint32_t block)
{
    const struct program_function *f = &d->program->functions[function];
    const struct control *c = d->program->functions[function].control;

    d->counts[f->first_block + block] = d->taken[f->first_block + block] = NAN;
    for (uint32_t i = 0; i < c->blocks[block].step_count; i++) {
        const struct control_step *s = &steps_of(c, block)[i];
        const uint32_t callee =
            s->does == CONTROL_CALL ? callee_of(d, function, s->symbol) : CONTROL_NONE;
        if (s->does == CONTROL_STORE) {
            d->variables.items[variable_of(d, function, s->symbol)].now = number_unknown;
            d->variables.items[variable_of(d, function, s->symbol)].lost |= d->starting;
        }
        if (callee != CONTROL_NONE)
            spoil_function(d, callee);
    }
}

static void spoil_function(struct derivation *d, uint32_t function)
{
    if (d->functions[function].spoilt)
        return;
    d->functions[function].spoilt = true;
    for (uint32_t b = 0; b < d->program->functions[function].block_count; b++)
        spoil_block(d, function, b);
}


static void walk_region(struct activation *f, uint32_t loop, const struct weight *weight,
                        uint32_t leaves, struct weight *back);

static bool within(const struct control *c, uint32_t block, uint32_t loop)
{
    for (uint32_t l = c->blocks[block].loop; l != CONTROL_NONE; l = c->loops.items[l].parent)
        if (l == loop)
            return true;
    return loop == CONTROL_NONE;
}

/* Adds @weight executions to block @to. @from: preceding block, or CAME_SEVERAL. */
static void flow(struct activation *f, uint32_t from, uint32_t to, const struct weight *weight)
{
    const struct function_facts *facts = &f->d->functions[f->function];

    if (weight_is_nothing(weight))
        return;
    if (from != CAME_SEVERAL) {
        const uint32_t loop = f->control->blocks[to].loop;
        const bool back = loop != CONTROL_NONE && f->control->loops.items[loop].header == to &&
                          within(f->control, from, loop);
        /* Irreducible control flow: a loop with several entries. */
        f->broken |= !back && facts->position[to] <= facts->position[from];
    }
    weight_add(&f->in[to], weight, 1);
    f->came[to] = f->came[to] == CAME_NEVER || f->came[to] == from ? from : CAME_SEVERAL;
}

static uint32_t next_of(const struct activation *f, uint32_t block, size_t way)
{
    const struct program_function *p = &f->d->program->functions[f->function];
    return f->d->program->blocks[p->first_block + block].next[way] - p->first_block;
}

static size_t ways_of(const struct activation *f, uint32_t block)
{
    return f->d->program->blocks[f->d->program->functions[f->function].first_block + block]
        .next_count;
}

/* Distributes @weight executions of @block over the edges that stay in @loop (@stays) or leave it,
 * or over all edges (CONTROL_NONE). Evaluates the condition if several edges remain. */
static void leave_block(struct activation *f, uint32_t block, const struct weight *weight,
                        uint32_t loop, bool stays)
{
    const struct control *c = f->control;
    const struct control_block *b = &c->blocks[block];
    size_t ways[64], count = 0, all = ways_of(f, block);
    double *taken = &f->d->taken[f->d->program->functions[f->function].first_block + block];
    struct weight left = *weight;

    for (size_t w = 0; w < all && count < sizeof ways / sizeof *ways; w++)
        if (loop == CONTROL_NONE || within(c, next_of(f, block, w), loop) == stays)
            ways[count++] = w;
    if (!count || all > sizeof ways / sizeof *ways) {
        f->broken |= all > 0 && !weight_is_nothing(weight);
        return;
    }
    size_t chosen = count == 1 ? ways[0] : SIZE_MAX;
    const struct number on = chosen == SIZE_MAX ? value_at(f, b->on) : number_unknown;
    if (on.known && b->case_count) {
        chosen = 0;
        for (uint32_t i = 0; i < b->case_count && i + 1 < all; i++)
            if (c->cases.items[b->first_case + i] == on.bits)
                chosen = i + 1;
    } else if (on.known && all == 2) {
        chosen = on.bits ? 0 : 1;
    }
    if (chosen != SIZE_MAX) {
        *taken += chosen == 0 ? weight_is_exact(weight) ? weight->base : NAN : 0;
        flow(f, block, next_of(f, block, chosen), weight);
        return;
    }
    *taken = NAN;
    for (size_t i = 0; i < count; i++) {
        struct weight share = i + 1 < count ? weight_branch(f->d->branches++) : left;
        weight_add(&left, &share, -1);
        flow(f, block, next_of(f, block, ways[i]), &share);
    }
}

static struct number word_at(struct derivation *d, struct number at, unsigned width)
{
    const uint64_t index = (at.bits - ARGUMENTS_AT) / POINTER_BYTES;
    char *end;

    if (!at.known || at.bits < ARGUMENTS_AT || index == 0 || index > d->word_count ||
        at.bits % POINTER_BYTES)
        return number_unknown;
    const char *word = d->words[index - 1];
    errno = 0;
    const long long value = strtoll(word, &end, 10);
    d->misread |= end == word || *end || value < 0;
    return errno || end == word || *end ? number_unknown
                                        : number_known(number_masked((uint64_t)value, width));
}

static void call_function(struct activation *f, const struct control_step *s,
                          const struct weight *weight, struct weight *after);

/* Executes the steps of @block @weight times. Returns the number of executions that continue after
 * the calls. */
static struct weight do_steps(struct activation *f, uint32_t block, const struct weight *weight)
{
    const struct control *c = f->control;
    struct weight after = *weight;

    for (uint32_t i = 0; i < c->blocks[block].step_count; i++) {
        const struct control_step *s = &steps_of(c, block)[i];
        uint32_t at = s->first;
        struct number *value =
            s->does == CONTROL_CALL || s->does == CONTROL_STORE ? NULL : &f->values.values[s->id];
        switch ((enum control_does)s->does) {
        case CONTROL_CALL:
            call_function(f, s, weight, &after);
            break;
        case CONTROL_RESULT:
            *value = f->last;
            break;
        case CONTROL_STORE:
            f->d->variables.items[variable_of(f->d, f->function, s->symbol)].now =
                weight_is_exact(weight) ? control_evaluate(&f->values, &at) : number_unknown;
            break;
        case CONTROL_LOAD: {
            const struct variable *v =
                &f->d->variables.items[variable_of(f->d, f->function, s->symbol)];
            *value = v->escaping || v->lost ? number_unknown : v->now;
            break;
        }
        case CONTROL_WORD:
            *value = word_at(f->d, control_evaluate(&f->values, &at), s->width);
            break;
        case CONTROL_PHI:
            *value = number_unknown;
            for (uint32_t k = 0; k < s->count; k++) {
                const struct number from = control_evaluate(&f->values, &at),
                                    one = control_evaluate(&f->values, &at);
                if (from.bits == f->came[block])
                    *value = one;
            }
            break;
        }
    }
    return after;
}

/* Marks the counts of the loop's blocks as unknown. Assumes that all entries leave the loop. */
static void spoil_loop(struct activation *f, uint32_t loop, const struct weight *weight)
{
    const struct control *c = f->control;
    VEC(uint32_t) targets = {0};
    VEC(uint32_t) sources = {0};
    struct weight left = *weight;

    for (uint32_t b = 0; b < c->block_count; b++) {
        if (!within(c, b, loop))
            continue;
        spoil_block(f->d, f->function, b);
        for (uint32_t i = 0; i < c->blocks[b].step_count; i++)
            if (steps_of(c, b)[i].does != CONTROL_CALL && steps_of(c, b)[i].does != CONTROL_STORE)
                f->values.values[steps_of(c, b)[i].id] = number_unknown;
        f->broken |= c->blocks[b].returns;
        for (size_t w = 0; w < ways_of(f, b); w++) {
            const uint32_t to = next_of(f, b, w);
            bool seen = within(c, to, loop);
            for (size_t k = 0; k < targets.count && !seen; k++)
                if (targets.items[k] == to) {
                    seen = true;
                    sources.items[k] = CAME_SEVERAL;
                }
            if (seen)
                continue;
            vec_push(&targets, to);
            vec_push(&sources, b);
        }
    }
    for (size_t i = 0; i < targets.count; i++) {
        struct weight share = i + 1 < targets.count ? weight_branch(f->d->branches++) : left;
        weight_add(&left, &share, -1);
        flow(f, sources.items[i], targets.items[i], &share);
    }
    for (uint32_t l = 0; l < c->loops.count; l++)
        if (within(c, c->loops.items[l].header, loop))
            f->values.iterations[l] = number_unknown;
    vec_done(&targets);
    vec_done(&sources);
}

/* Walks the iterations of @loop, which is entered @weight times: first the complete ones, then the
 * last one. */
static void walk_loop(struct activation *f, uint32_t loop, const struct weight *weight)
{
    const struct control_loop *l = &f->control->loops.items[loop];
    uint64_t trips = UINT64_MAX;
    uint32_t leaves = CONTROL_NONE;
    bool ok = weight_is_exact(weight) && l->exit_count > 0;

    for (uint32_t i = 0; i < l->exit_count && ok; i++) {
        const struct control_exit *e = &f->control->exits.items[l->first_exit + i];
        const struct number count = value_at(f, e->count);
        ok = count.known;
        if (count.bits < trips || leaves == CONTROL_NONE) {
            trips = count.bits;
            leaves = e->block;
        } else if (count.bits == trips) {
            const uint32_t *position = f->d->functions[f->function].position;
            /* If two exits are taken in the same iteration, uses the first one in the body. */
            leaves = position[e->block] < position[leaves] ? e->block : leaves;
        }
    }
    const bool depends = f->d->functions[f->function].depends[loop];
    ok = ok && (double)trips * weight->base < EXACT_MOST && (!depends || trips < STEPS_MOST);
    if (!ok) {
        spoil_loop(f, loop, weight);
        return;
    }
    const struct weight all = weight_of(weight->base * (double)trips);
    struct weight back;
    for (uint64_t i = 0;
         i < (depends ? trips : trips > 0) && f->d->steps < STEPS_MOST && !f->broken; i++) {
        f->values.iterations[loop] = depends ? number_known(i) : number_unknown;
        walk_region(f, loop, depends ? weight : &all, CONTROL_NONE, &back);
        f->broken |= !weight_same(&back, depends ? weight : &all);
    }
    f->values.iterations[loop] = number_known(trips);
    walk_region(f, loop, weight, leaves, &back);
    f->broken |= !weight_is_nothing(&back);
}

/* Walks the blocks of @loop (CONTROL_NONE: of the function) once, and its inner loops completely.
 * Ends at block @leaves if the loop is left there. Sets @back to the executions of back edges. */
static void walk_region(struct activation *f, uint32_t loop, const struct weight *weight,
                        uint32_t leaves, struct weight *back)
{
    const struct control *c = f->control;
    const struct loop_body *region =
        &f->d->functions[f->function].regions[loop == CONTROL_NONE ? c->loops.count : loop];
    const uint32_t header = loop == CONTROL_NONE ? 0 : c->loops.items[loop].header,
                   first = f->d->program->functions[f->function].first_block;
    const uint32_t entered = f->came[header];

    for (size_t k = 0; k < region->blocks.count; k++)
        if (region->blocks.items[k] != header) {
            f->in[region->blocks.items[k]] = weight_of(0);
            f->came[region->blocks.items[k]] = CAME_NEVER;
        }
    f->in[header] = *weight;
    for (size_t k = 0; k < region->blocks.count && !f->broken; k++) {
        const uint32_t b = region->blocks.items[k], own = c->blocks[b].loop;
        const struct weight in = f->in[b];
        if (b == header)
            f->in[b] = weight_of(0);   /* The executions of back edges are summed below. */
        if (weight_is_nothing(&in))
            continue;
        f->d->steps++;
        if (own != loop) {
            walk_loop(f, own, &in);
            continue;
        }
        if (weight_is_exact(&in) && !f->d->functions[f->function].spoilt)
            f->d->counts[first + b] += in.base;
        else
            f->d->counts[first + b] = NAN;
        const struct weight after = do_steps(f, b, &in);
        if (c->blocks[b].returns) {
            struct number result =
                weight_is_exact(&in) ? value_at(f, c->blocks[b].on) : number_unknown;
            f->result = !f->returns_known ||
                                (f->result.known && result.known && f->result.bits == result.bits)
                            ? result
                            : number_unknown;
            f->returns_known = true;
            weight_add(&f->returned, &after, 1);
            continue;
        }
        bool exits = false;
        for (uint32_t i = 0; loop != CONTROL_NONE && i < c->loops.items[loop].exit_count; i++)
            exits |= c->exits.items[c->loops.items[loop].first_exit + i].block == b;
        leave_block(f, b, &after, exits ? loop : CONTROL_NONE, b != leaves);
    }
    *back = f->in[header];
    f->came[header] = entered;
}

static struct weight walk_function(struct derivation *d, uint32_t function,
                                   const struct number *arguments, size_t argument_count,
                                   const struct weight *weight, struct number *result)
{
    const struct control *c = d->program->functions[function].control;
    struct activation f = {
        .d = d,
        .control = c,
        .function = function,
        .values = {.control = c, .arguments = arguments, .argument_count = argument_count},
        .result = number_unknown};
    struct weight back;

    *result = number_unknown;
    if (!c->described || !weight_is_exact(weight) || d->depth >= DEPTH_MOST ||
        d->steps >= STEPS_MOST) {
        spoil_function(d, function);
        return *weight;
    }
    f.values.values = mem_zero(c->value_count + 1, sizeof *f.values.values);
    f.values.iterations = mem_zero(c->loops.count + 1, sizeof *f.values.iterations);
    f.in = mem_zero(c->block_count + 1, sizeof *f.in);
    f.came = mem_alloc((c->block_count + 1) * sizeof *f.came);
    for (size_t b = 0; b < c->block_count; b++)
        f.came[b] = CAME_NEVER;
    d->depth++;
    walk_region(&f, CONTROL_NONE, weight, CONTROL_NONE, &back);
    d->depth--;
    free(f.values.values);
    free(f.values.iterations);
    free(f.in);
    free(f.came);
    if (f.broken) {
        spoil_function(d, function);
        return (struct weight){.unknown = true};
    }
    *result = f.result;
    return f.returned;
}

static void call_function(struct activation *f, const struct control_step *s,
                          const struct weight *weight, struct weight *after)
{
    const uint32_t callee = callee_of(f->d, f->function, s->symbol);
    struct number *arguments;
    uint32_t at = s->first;

    f->last = number_unknown;
    if (callee == CONTROL_NONE) {
        if (s->symbol != CONTROL_NONE && names_of(f->d, f->function)->allocates[s->symbol])
            f->last = number_known(ALLOCATED_AT + f->d->allocations++ * ALLOCATED_APART +
                                   ALLOCATED_ALIGN);
        return;
    }
    arguments = mem_zero(s->count + 1, sizeof *arguments);
    for (uint32_t i = 0; i < s->count; i++)
        arguments[i] = control_evaluate(&f->values, &at);
    const struct weight returned =
        walk_function(f->d, callee, arguments, s->count, weight, &f->last);
    /* If the callee may not return, the counts after the call are unknown. */
    if (!weight_same(&returned, weight))
        *after = weight_is_exact(&returned) && weight_is_exact(after) && returned.base == 0
                     ? weight_of(0)
                     : (struct weight){.unknown = true};
    free(arguments);
}


static void visit(const struct program *p, const struct program_function *f, uint32_t block,
                  bool *seen, uint32_t *order, uint32_t *count)
{
    struct { uint32_t block; size_t way; } *stack = mem_alloc((f->block_count + 1) * sizeof *stack);
    size_t depth = 1;

    stack[0].block = block;
    stack[0].way = 0;
    seen[block] = true;
    while (depth) {
        const struct program_block *b = &p->blocks[f->first_block + stack[depth - 1].block];
        if (stack[depth - 1].way == b->next_count) {
            order[(*count)++] = stack[--depth].block;
            continue;
        }
        const uint32_t to = b->next[stack[depth - 1].way++] - f->first_block;
        if (to < f->block_count && !seen[to]) {
            seen[to] = true;
            stack[depth].block = to;
            stack[depth++].way = 0;
        }
    }
    free(stack);
}

static void mention(const struct control *c, uint32_t from, uint32_t to, bool *depends)
{
    for (uint32_t i = from; i < to; i++)
        if (c->nodes.items[i].op == CONTROL_RECURRENCE)
            depends[c->nodes.items[i].value] = true;
}

/* Returns the index of the node after the expression at node @at. */
static uint32_t end_of(const struct control *c, uint32_t at)
{
    const struct control_node *n = &c->nodes.items[at++];
    unsigned operands = n->op <= CONTROL_VALUE    ? 0
                        : n->op <= CONTROL_SEXT   ? 1
                        : n->op <= CONTROL_SLE    ? 2
                        : n->op == CONTROL_SELECT ? 3
                                                  : n->count;

    while (operands--)
        at = end_of(c, at);
    return at;
}

/* Returns whether step @s affects the walk. If so, its operands are needed. */
static bool has_effect(const struct derivation *d, uint32_t function, const struct control_step *s)
{
    if (s->does == CONTROL_CALL)
        return callee_of(d, function, s->symbol) != CONTROL_NONE;
    return s->does != CONTROL_STORE ||
           d->variables.items[variable_of(d, function, s->symbol)].loaded;
}

/* Marks loops whose iterations differ: the iteration number occurs in a condition of the body, an
 * inner trip count, a stored value, or an argument. Ignores conditions of the loop's exits. */
static void find_dependences(const struct derivation *d, uint32_t function, bool *depends)
{
    const struct control *c = d->program->functions[function].control;

    for (uint32_t b = 0; b < c->block_count; b++) {
        const uint32_t loop = c->blocks[b].loop;
        bool exits = false;
        for (uint32_t i = 0; loop != CONTROL_NONE && i < c->loops.items[loop].exit_count; i++)
            exits |= c->exits.items[c->loops.items[loop].first_exit + i].block == b;
        if (c->blocks[b].on != CONTROL_NONE && !exits && !c->blocks[b].returns)
            mention(c, c->blocks[b].on, end_of(c, c->blocks[b].on), depends);
        for (uint32_t i = 0; i < c->blocks[b].step_count; i++) {
            const struct control_step *s = &steps_of(c, b)[i];
            uint32_t at = s->first;
            for (uint32_t k = 0; k < s->count * (s->does == CONTROL_PHI ? 2 : 1); k++)
                at = end_of(c, at);
            if (has_effect(d, function, s))
                mention(c, s->first, at, depends);
        }
    }
    for (uint32_t i = 0; i < c->exits.count; i++)
        mention(c, c->exits.items[i].count, end_of(c, c->exits.items[i].count), depends);
}

/* Marks loops with a load or call whose value may change. Each iteration of these loops must be
 * walked. Sets @depends per loop. */
static void find_changes(const struct derivation *d, uint32_t function, bool *depends)
{
    const struct control *c = d->program->functions[function].control;

    for (uint32_t b = 0; b < c->block_count; b++)
        for (uint32_t i = 0; i < c->blocks[b].step_count; i++) {
            const struct control_step *s = &steps_of(c, b)[i];
            const bool result = s->does == CONTROL_RESULT && i && has_effect(d, function, s - 1);
            if (result || (s->does == CONTROL_LOAD &&
                           d->variables.items[variable_of(d, function, s->symbol)].changes))
                for (uint32_t l = c->blocks[b].loop; l != CONTROL_NONE;
                     l = c->loops.items[l].parent)
                    depends[l] = true;
        }
}

static void find_variables(struct derivation *d, uint32_t function)
{
    const struct control *c = d->program->functions[function].control;

    for (uint32_t b = 0; b < c->block_count; b++)
        for (uint32_t i = 0; i < c->blocks[b].step_count; i++) {
            const struct control_step *s = &steps_of(c, b)[i];
            if (s->does == CONTROL_LOAD)
                d->variables.items[variable_of(d, function, s->symbol)].loaded = true;
            else if (s->does == CONTROL_STORE &&
                     (function != d->main || c->blocks[b].loop != CONTROL_NONE))
                d->variables.items[variable_of(d, function, s->symbol)].changes = true;
        }
}

static void prepare_function(const struct derivation *d, uint32_t function,
                             struct function_facts *out)
{
    const struct program *p = d->program;
    const struct program_function *f = &p->functions[function];
    const struct control *c = f->control;
    bool *seen = mem_zero(f->block_count + 1, sizeof *seen);

    out->position = mem_zero(f->block_count + 1, sizeof *out->position);
    out->regions = mem_zero(c->loops.count + 1, sizeof *out->regions);
    out->order = mem_zero(f->block_count + 1, sizeof *out->order);
    out->depends = mem_zero(c->loops.count + 1, sizeof *out->depends);
    visit(p, f, 0, seen, out->order, &out->order_count);
    for (uint32_t i = 0; i < out->order_count / 2; i++) {
        const uint32_t other = out->order[i];
        out->order[i] = out->order[out->order_count - 1 - i];
        out->order[out->order_count - 1 - i] = other;
    }
    for (uint32_t i = 0; i < out->order_count; i++) {
        const uint32_t b = out->order[i], own = c->blocks[b].loop;
        const bool header = own != CONTROL_NONE && c->loops.items[own].header == b;
        const uint32_t around = header ? c->loops.items[own].parent : CONTROL_NONE;
        out->position[b] = i;
        vec_push(&out->regions[own == CONTROL_NONE ? c->loops.count : own].blocks, b);
        if (header)
            vec_push(&out->regions[around == CONTROL_NONE ? c->loops.count : around].blocks, b);
    }
    find_dependences(d, function, out->depends);
    find_changes(d, function, out->depends);
    free(seen);
}

static uint32_t function_named(const struct program *p, const char *name, uint32_t unit)
{
    const bool own = *name == '@';
    const uint32_t first = own ? p->units[unit].first_function : 0,
                   end = own ? first + p->units[unit].function_count : (uint32_t)p->function_count;

    for (uint32_t f = first; f < end; f++)
        if (strcmp(p->functions[f].name, name + own) == 0)
            return f;
    return CONTROL_NONE;
}

/* Returns the index of variable @name; adds it if it is new. "name+8" is a separate variable,
 * although it is a part of "name". */
static uint32_t variable_named(struct derivation *d, const char *name, uint32_t unit)
{
    for (uint32_t v = 0; v < d->variables.count; v++)
        if (strcmp(d->variables.items[v].name, name) == 0 &&
            (*name != '@' || d->variables.items[v].unit == unit))
            return v;
    vec_push(&d->variables, ((struct variable){.name = mem_strdup(name), .unit = unit}));
    return (uint32_t)d->variables.count - 1;
}

static bool gives_memory(const char *name)
{
    static const char *const names[] = {"malloc",   "calloc", "realloc", "aligned_alloc",
                                        "memalign", "valloc", "_Znwm",   "_Znam"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void name_unit(struct derivation *d, uint32_t unit)
{
    const struct control_symbols *s = d->program->units[unit].symbols;
    struct unit_names *names = &d->units[unit];

    names->functions = mem_alloc((s->names.count + 1) * sizeof *names->functions);
    names->variables = mem_alloc((s->names.count + 1) * sizeof *names->variables);
    names->allocates = mem_zero(s->names.count + 1, sizeof *names->allocates);
    for (size_t i = 0; i < s->names.count; i++) {
        names->allocates[i] = gives_memory(s->names.items[i]);
        names->functions[i] = function_named(d->program, s->names.items[i], unit);
        names->variables[i] = variable_named(d, s->names.items[i], unit);
        if (s->escaping.items[i]) {
            d->variables.items[names->variables[i]].escaping = true;
            if (names->functions[i] != CONTROL_NONE)
                d->functions[names->functions[i]].called = true;
        }
    }
    for (size_t i = 0; i < s->initial.count; i++) {
        struct variable *v = &d->variables.items[names->variables[s->initial.items[i].symbol]];
        v->initial = s->initial.items[i].value;
        v->defined = true;
    }
}

struct derivation *derivation_new(const struct program *p)
{
    struct derivation *d = mem_zero(1, sizeof *d);

    d->program = p;
    d->units = mem_zero(p->unit_count + 1, sizeof *d->units);
    d->functions = mem_zero(p->function_count + 1, sizeof *d->functions);
    for (uint32_t u = 0; u < p->unit_count; u++)
        name_unit(d, u);
    for (size_t v = 0; v < d->variables.count; v++) {
        const char *name = d->variables.items[v].name, *plus = strrchr(name, '+');
        for (size_t k = 0; plus && k < d->variables.count; k++)
            if (strlen(d->variables.items[k].name) == (size_t)(plus - name) &&
                strncmp(d->variables.items[k].name, name, (size_t)(plus - name)) == 0)
                d->variables.items[v].escaping |= d->variables.items[k].escaping;
    }
    d->main = function_named(p, "main", 0);
    for (uint32_t f = 0; f < p->function_count; f++)
        find_variables(d, f);
    for (uint32_t f = 0; f < p->function_count; f++)
        prepare_function(d, f, &d->functions[f]);
    return d;
}

void derivation_free(struct derivation *d)
{
    if (!d)
        return;
    for (size_t u = 0; u < d->program->unit_count; u++) {
        free(d->units[u].functions);
        free(d->units[u].variables);
        free(d->units[u].allocates);
    }
    for (size_t f = 0; f < d->program->function_count; f++) {
        for (size_t r = 0; r <= d->program->functions[f].control->loops.count; r++)
            vec_done(&d->functions[f].regions[r].blocks);
        free(d->functions[f].regions);
        free(d->functions[f].position);
        free(d->functions[f].order);
        free(d->functions[f].depends);
    }
    for (size_t v = 0; v < d->variables.count; v++)
        free(d->variables.items[v].name);
    vec_done(&d->variables);
    free(d->units);
    free(d->functions);
    free(d);
}

bool derivation_counts(struct derivation *d, char *const *words, size_t word_count, double *counts,
                       double *taken)
{
    const struct program *p = d->program;
    const struct number arguments[] = {number_known(word_count + 1), number_known(ARGUMENTS_AT)};
    const struct weight once = weight_of(1);
    struct number result;

    d->words = words;
    d->word_count = word_count;
    d->counts = counts;
    d->taken = taken;
    d->steps = d->branches = d->depth = 0;
    d->misread = false;
    d->allocations = 0;
    for (size_t b = 0; b < p->block_count; b++)
        counts[b] = taken[b] = 0;
    for (size_t f = 0; f < p->function_count; f++)
        d->functions[f].spoilt = false;
    for (size_t v = 0; v < d->variables.count; v++)
        d->variables.items[v].now = d->variables.items[v].defined
                                        ? number_known(d->variables.items[v].initial)
                                        : number_unknown;
    d->starting = true;
    for (uint32_t f = 0; f < p->function_count; f++)
        if (d->functions[f].called)
            spoil_function(d, f);
    d->starting = false;
    if (d->main != CONTROL_NONE)
        walk_function(d, d->main, arguments, 2, &once, &result);
    const bool ok = d->main != CONTROL_NONE && d->steps < STEPS_MOST;
    for (size_t b = 0; b < p->block_count && !ok; b++)
        counts[b] = taken[b] = NAN;
    return ok;
}

bool derivation_misread(const struct derivation *d)
{
    return d->misread;
}
