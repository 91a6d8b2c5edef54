/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hunt/hunt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/watch.h"
#include "hunt/blocks.h"

/* maximum number of stored agreeing blocks, and number of stored mispredicted blocks after which
 * explained ones are not stored */
#define KEPT 1024
/* minimum share of a pattern's blocks with an error of the same sign that makes the pattern
 * valid */
#define HOLDS 0.9
#define FINDINGS 256

struct hunting {
    const struct machine *machine;
    struct machine *mended;
    struct model *first, *now;           /* models of the original and of the changed machine */
    const struct block_maker *maker;
    const struct hunt_truth *truth;
    const struct hunt_options *options;
    struct rng rng;
    /* blocks whose times differ from the predictions of the original machine, and blocks whose
     * times agree; @predicted is the prediction of the changed machine */
    VEC(struct judged) differ, agree;
    VEC(bool) explained;                 /* per mispredicted block, whether a finding explains it */
    struct hunt *result;
    struct err *err;
    bool failed;
};

static bool over(struct hunting *h)
{
    return h->failed || watch_over();
}

/* Times and predicts @n blocks. Returns false if the reference failed or the hunt has ended.
 * Predictions may then be incomplete. */
static bool judge(struct hunting *h, struct model *model, struct judged *blocks, size_t n)
{
    struct random_block *bare = mem_alloc((n + 1) * sizeof *bare);
    double *cycles = mem_alloc((n + 1) * sizeof *cycles);

    for (size_t i = 0; i < n; i++)
        bare[i] = blocks[i].block;
    bool over_before = watch_over(),
         ok = over_before || h->truth->times(h->truth->self, bare, n, cycles, h->err);
    h->failed |= !ok;
    ok &= !over_before;
    for (size_t i = 0; ok && i < n; i++) {
        blocks[i].truth = cycles[i];
        blocks[i].predicted = model_cycles(model, &blocks[i].block);
    }
    free(bare);
    free(cycles);
    return ok && !watch_over();
}

static bool known(const struct judged *b)
{
    return isfinite(b->truth) && isfinite(b->predicted);
}

/* Returns 1 if the predicted time is too long, -1 if it is too short. Returns 0 if the prediction
 * agrees or a time is unknown. */
static int side(const struct hunting *h, const struct judged *b)
{
    if (!known(b) || !cycles_differ(b->truth, b->predicted, h->truth->tolerance))
        return 0;
    return b->predicted > b->truth ? 1 : -1;
}

static double distance(const struct judged *b)
{
    return fabs(b->truth - b->predicted) / fmax(b->truth, b->predicted);
}

/* Removes instructions one by one while the error retains its sign. */
static void fewer_instructions(struct hunting *h, struct judged *b)
{
    struct judged tried[BLOCK_INSNS];
    size_t best;

    do {
        size_t n = b->block.count;
        best = SIZE_MAX;
        for (size_t i = 0; i < n; i++) {
            tried[i].block = b->block;
            block_without(&tried[i].block, i);
        }
        if (n < 2 || over(h) || !judge(h, h->now, tried, n))
            return;
        for (size_t i = 0; i < n; i++)
            if (side(h, &tried[i]) == side(h, b) &&
                (best == SIZE_MAX || distance(&tried[i]) > distance(&tried[best])))
                best = i;
        if (best != SIZE_MAX)
            *b = tried[best];
    } while (best != SIZE_MAX);
}

/* Gives each slot its own register, except where the error would disappear or change its sign. */
static void fewer_dependences(struct hunting *h, struct judged *b)
{
    struct slot slots[BLOCK_SLOTS];
    size_t n = block_slots(&b->block, slots);

    for (size_t i = 0; i < n && !over(h); i++) {
        bool shared = false, taken = true;
        struct judged tried = *b;
        unsigned number = 0;
        n = block_slots(&b->block, slots);
        for (size_t k = 0; k < n; k++)
            shared |= k != i && slots[k].reg == slots[i].reg;
        uint8_t fresh = slots[i].reg;
        for (; shared && taken && number < 16; number++) {
            fresh = block_register_at((enum isa)b->block.insns[0].isa, &slots[i], number);
            taken = false;
            for (size_t k = 0; k < n; k++)
                taken |= slots[k].reg == fresh;
        }
        if (!shared || taken || !block_set_register(&tried.block, &slots[i], fresh) ||
            !judge(h, h->now, &tried, 1))
            continue;
        if (side(h, &tried) == side(h, b))
            *b = tried;
    }
}

/* Returns whether at least HOLDS of the blocks drawn from @p have an error of sign @sign. More
 * than half of the blocks drawn must have a time and a prediction; the other blocks are not
 * counted. */
static bool holds(struct hunting *h, const struct pattern *p, int sign)
{
    unsigned n = h->options->draws, met = 0, asked = 0;
    struct judged *drawn = mem_alloc(n * sizeof *drawn);

    for (unsigned i = 0; i < n; i++)
        pattern_draw(p, h->maker, &h->rng, &drawn[i].block);
    if (judge(h, h->now, drawn, n))
        for (unsigned i = 0; i < n; i++) {
            asked += known(&drawn[i]);
            met += side(h, &drawn[i]) == sign;
        }
    free(drawn);
    return asked > n / 2 && met >= HOLDS * asked;
}

static void generalise(struct hunting *h, const struct judged *b, struct pattern *p)
{
    struct pattern wider;

    pattern_of(&b->block, p);
    for (size_t step = 0; step < pattern_steps(p) && !over(h); step++)
        if (pattern_relax(p, step, &wider) && holds(h, &wider, side(h, b)))
            *p = wider;
}

/* Adds blocks of @from to @list, at most @most in total. Blocks that share a form with @b come
 * first. */
static void add_some(const struct judged *from, size_t count, const struct random_block *b,
                     struct judged *list, size_t *n, size_t most)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count && *n < most; i++) {
            bool shares = false;
            for (size_t k = 0; k < from[i].block.count * b->count; k++)
                shares |= strcmp(from[i].block.insns[k / b->count].form,
                                 b->insns[k % b->count].form) == 0;
            if (shares == !pass)
                list[(*n)++] = from[i];
        }
}

#define TRIED 256          /* maximum number of blocks of each kind on which a change is tried */
/* number of random blocks with one of a block's instructions (draw_blocks_with), as a multiple of
 * the blocks that test its pattern */
#define CONCURRENT 6

/* Inserts a random instruction of @b at a random position of @d. Returns false if the result is
 * mixed (block_mixed). */
static bool insert_of(struct hunting *h, const struct random_block *b, struct random_block *d)
{
    /* Separate statements fix the order of the two random numbers. Within one statement, C does not
     * define the order. */
    const size_t from = rng_below(&h->rng, b->count), at = rng_below(&h->rng, d->count + 1);

    block_insert(d, at, b, from);
    return !block_mixed(d);
}

/* Draws random blocks that each contain an instruction of @b. These blocks distinguish the changes
 * that correct @b. Returns the number of blocks with a time and a prediction. */
static size_t draw_blocks_with(struct hunting *h, const struct random_block *b, struct judged *out,
                               size_t n)
{
    struct judged *drawn = mem_alloc((n + 1) * sizeof *drawn);
    size_t found = 0;

    for (size_t i = 0; i < n; i++) {
        struct random_block *d = &drawn[i].block;
        do
            block_random(h->maker, 1 + rng_below(&h->rng, BLOCK_INSNS - 3), &h->rng, d);
        while (!insert_of(h, b, d));
    }
    if (judge(h, h->now, drawn, n))
        for (size_t i = 0; i < n; i++)
            if (known(&drawn[i]))
                out[found++] = drawn[i];
    free(drawn);
    return found;
}

/* Returns the family of each instruction of @p that represents several forms. The caller frees them
 * with families_free. Sets *@count to the number of families. */
static struct family *families_of(const struct hunting *h, const struct pattern *p, size_t *count)
{
    struct family *families = mem_zero(BLOCK_INSNS, sizeof *families);
    size_t forms = block_maker_forms(h->maker);

    *count = 0;
    for (size_t i = 0; i < p->block.count; i++) {
        struct family *f = &families[*count];
        struct str title = {0};
        if (p->level[i] == LEVEL_FORM)
            continue;
        pattern_title(p, i, &title);
        f->title = str_take(&title);
        f->forms = mem_alloc((forms + 1) * sizeof *f->forms);
        f->forms[f->count++] = p->block.insns[i].form;
        for (uint32_t k = 0; k < forms; k++)
            if (k != p->block.forms[i] && pattern_fits(p, i, block_maker_insn(h->maker, k)))
                f->forms[f->count++] = block_maker_insn(h->maker, k)->form;
        ++*count;
    }
    return families;
}

static void families_free(struct family *families, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(families[i].title);
        free(families[i].forms);
    }
    free(families);
}

static bool find_change(struct hunting *h, const struct judged *b, const struct pattern *p,
                        struct remedy *out)
{
    unsigned draws = h->options->draws;
    struct judged *blocks = mem_alloc((2 * TRIED + CONCURRENT * draws + 1) * sizeof *blocks),
                  *like = mem_alloc(draws * sizeof *like);
    struct trial t = {.blocks = blocks,
                      .like = like,
                      .tolerance = h->truth->tolerance,
                      .simulated = h->options->simulated};

    blocks[t.count++] = *b;
    t.count += draw_blocks_with(h, &b->block, blocks + 1, CONCURRENT * draws);
    add_some(h->differ.items, h->differ.count, &b->block, blocks, &t.count, t.count + TRIED);
    add_some(h->agree.items, h->agree.count, &b->block, blocks, &t.count, t.count + TRIED);
    for (unsigned i = 0; i < draws && !h->failed; i++)
        pattern_draw(p, h->maker, &h->rng, &like[i].block);
    if (!h->failed && judge(h, h->now, like, draws))
        for (unsigned i = 0; i < draws; i++)
            if (known(&like[i]))
                like[t.like_count++] = like[i];
    struct family *families = families_of(h, p, &t.family_count);
    t.families = families;
    bool found = !over(h) && explain(h->mended, &t, out);
    families_free(families, t.family_count);
    free(blocks);
    free(like);
    return found;
}

static void mend(struct hunting *h, const struct remedy *c)
{
    change_make(h->mended, c);
    model_free(h->now);
    h->now = model_new(h->mended, h->options->simulated);
    for (size_t i = 0; i < h->differ.count; i++) {
        h->differ.items[i].predicted = model_cycles(h->now, &h->differ.items[i].block);
        h->explained.items[i] |= side(h, &h->differ.items[i]) == 0;
    }
    for (size_t i = 0; i < h->agree.count; i++)
        h->agree.items[i].predicted = model_cycles(h->now, &h->agree.items[i].block);
}

/* Returns whether @f has no change and its pattern is in @b. Returns false if @f has a change,
 * because a remaining error then has another cause. */
static bool accounts_for(const struct hunt_finding *f, const struct judged *b)
{
    return !f->change.name && pattern_within(&f->pattern, &b->block);
}

/* Merges a change into an earlier change of the same property, which then changes the original
 * machine's value to the new value. If these values are equal, removes the earlier finding. Returns
 * false if there is no earlier change. */
static bool join_finding(struct hunt *r, struct remedy *c)
{
    for (size_t k = 0; k < r->count; k++) {
        struct hunt_finding *f = &r->findings[k];
        if (!change_same(&f->change, c))
            continue;
        free(f->change.value);
        f->change.value = mem_strdup(c->value);
        change_done(c);
        if (strcmp(f->change.value, f->change.before) == 0) {
            change_done(&f->change);
            memmove(f, f + 1, (--r->count - k) * sizeof *f);
        }
        return true;
    }
    return false;
}

static void investigate(struct hunting *h, size_t at)
{
    struct judged b = h->differ.items[at];
    struct hunt_finding f = {0};

    h->explained.items[at] = true;
    fewer_instructions(h, &b);
    fewer_dependences(h, &b);
    if (over(h))
        return;
    f.truth = b.truth;
    f.predicted = model_cycles(h->first, &b.block);
    generalise(h, &b, &f.pattern);
    bool changed = find_change(h, &b, &f.pattern, &f.change);
    if (over(h)) {
        change_done(&f.change);
        return;
    }
    for (size_t i = 0; !changed && i < h->result->count; i++)
        if (!h->result->findings[i].change.name &&
            pattern_equal(&h->result->findings[i].pattern, &f.pattern))
            return;
    if (changed)
        mend(h, &f.change);
    if (changed && join_finding(h->result, &f.change))
        return;
    h->result->findings = mem_resize(h->result->findings, (h->result->count + 1) * sizeof f);
    h->result->findings[h->result->count++] = f;
    for (size_t i = 0; i < h->differ.count; i++)
        h->explained.items[i] |= accounts_for(&f, &h->differ.items[i]);
}

/* Draws a random block, or a mutation of a mispredicted block or of a finding's block. */
static void draw(struct hunting *h, struct judged *out)
{
    unsigned mutants = h->options->mutants;
    size_t found = h->result->count, differ = h->differ.count;
    const struct random_block *from = NULL;

    if (mutants && differ && !rng_below(&h->rng, mutants))
        from = found && rng_below(&h->rng, 2)
                   ? &h->result->findings[rng_below(&h->rng, found)].pattern.block
                   : &h->differ.items[rng_below(&h->rng, differ)].block;
    out->mutant = from && block_mutate(h->maker, from, &h->rng, &out->block);
    if (!out->mutant)
        block_random(h->maker, 1 + rng_below(&h->rng, BLOCK_INSNS - 2), &h->rng, &out->block);
}

/* Stores block @b, whose original error has sign @was. Stores at most KEPT agreeing blocks, and no
 * agreeing mutants. Does not store an explained mispredicted block if it is a mutant or if KEPT
 * mispredicted blocks are stored. */
static void keep(struct hunting *h, const struct judged *b, int was)
{
    bool explained = side(h, b) == 0;

    if (!was && h->agree.count < KEPT && !b->mutant)
        vec_push(&h->agree, *b);
    for (size_t k = 0; was && k < h->result->count && !explained; k++)
        explained = accounts_for(&h->result->findings[k], b);
    if (!was || (explained && (b->mutant || h->differ.count >= KEPT)))
        return;
    vec_push(&h->differ, *b);
    vec_push(&h->explained, explained);
}

/* Draws, times and predicts one round of @n blocks. Returns false if the hunt must end. */
static bool sample(struct hunting *h, size_t n)
{
    struct judged *drawn = mem_alloc(n * sizeof *drawn);
    signed char *sides = mem_alloc(n + 1);

    for (size_t i = 0; i < n; i++)
        draw(h, &drawn[i]);
    bool ok = judge(h, h->first, drawn, n);
    for (size_t i = 0; ok && i < n; i++) {
        sides[i] = (signed char)side(h, &drawn[i]);
        drawn[i].predicted = model_cycles(h->now, &drawn[i].block);
    }
    ok = ok && !watch_over();
    for (size_t i = 0; ok && i < n; i++) {
        h->result->untimed += !isfinite(drawn[i].truth);
        if (!known(&drawn[i]))
            continue;
        h->result->mutants += drawn[i].mutant;
        h->result->sampled += !drawn[i].mutant;
        h->result->differ += !drawn[i].mutant && sides[i];
        keep(h, &drawn[i], sides[i]);
    }
    free(sides);
    free(drawn);
    return ok;
}

/* Returns the index of the shortest unexplained block, mutants last; SIZE_MAX: there is none. */
static size_t next_open(const struct hunting *h)
{
    size_t best = SIZE_MAX, best_length = 0;

    for (size_t i = 0; i < h->differ.count; i++) {
        const struct judged *b = &h->differ.items[i];
        size_t length = b->block.count + (b->mutant ? BLOCK_INSNS : 0);
        if (h->explained.items[i] || (best != SIZE_MAX && length >= best_length))
            continue;
        best = i;
        best_length = length;
    }
    return best;
}

/* Counts the stored blocks of each finding, without mutants. A block belongs to a finding if the
 * finding's change corrects the block, or if the block contains the finding's pattern. */
static void count_blocks(struct hunting *h)
{
    struct hunt *r = h->result;
    /* Suspends the hunt's expired watch, which would end the predictions. */
    struct watch before = watch_begin(NULL, NULL);
    bool *counted = mem_zero(h->differ.count + 1, sizeof *counted);

    for (size_t i = 0; i < h->differ.count; i++)
        h->differ.items[i].predicted = model_cycles(h->now, &h->differ.items[i].block);
    for (size_t k = 0; k < r->count; k++) {
        struct hunt_finding *f = &r->findings[k];
        struct machine *changed = f->change.name ? machine_copy(h->machine) : NULL;
        if (changed)
            change_make(changed, &f->change);
        struct model *model = changed ? model_new(changed, h->options->simulated) : NULL;
        f->blocks = 0;
        for (size_t i = 0; i < h->differ.count; i++) {
            const struct judged *b = &h->differ.items[i];
            bool its = pattern_within(&f->pattern, &b->block) ||
                       (model && !cycles_differ(model_cycles(model, &b->block), b->truth,
                                                h->truth->tolerance));
            f->blocks += its && !b->mutant;
            counted[i] |= its || side(h, b) == 0;
        }
        model_free(model);
        if (changed)
            machine_free(changed);
    }
    r->kept = r->open = 0;
    for (size_t i = 0; i < h->differ.count; i++) {
        r->kept += !h->differ.items[i].mutant;
        r->open += !h->differ.items[i].mutant && !counted[i];
    }
    free(counted);
    watch_restore(before);
}

static int by_blocks(const void *a, const void *b)
{
    const struct hunt_finding *x = a, *y = b;
    double dx = fabs(x->truth - x->predicted), dy = fabs(y->truth - y->predicted);

    if (x->blocks != y->blocks)
        return x->blocks < y->blocks ? 1 : -1;
    return dx < dy ? 1 : dx > dy ? -1 : 0;
}

struct hunt *hunt_run(const struct machine *m, const struct block_maker *maker,
                      const struct hunt_truth *truth, const struct hunt_options *options,
                      struct err *err)
{
    struct hunting h = {.machine = m,
                        .mended = machine_copy(m),
                        .maker = maker,
                        .truth = truth,
                        .options = options,
                        .err = err};

    rng_seed(&h.rng, options->seed);
    h.result = mem_zero(1, sizeof *h.result);
    h.first = model_new(m, options->simulated);
    h.now = model_new(h.mended, options->simulated);
    while (!over(&h) &&
           (!options->blocks || h.result->sampled + h.result->mutants < options->blocks)) {
        size_t before = h.result->sampled + h.result->mutants,
               left = options->blocks ? options->blocks - before : options->round;
        if (!sample(&h, left < options->round ? left : options->round))
            break;
        for (size_t at;
             h.result->count < FINDINGS && !over(&h) && (at = next_open(&h)) != SIZE_MAX;) {
            investigate(&h, at);
            if (options->progress)
                options->progress(options->state, h.result);
        }
        if (options->progress)
            options->progress(options->state, h.result);
        if (h.result->sampled + h.result->mutants == before && options->blocks)
            break;   /* Ends the hunt, because no block can be timed. */
    }
    count_blocks(&h);
    if (h.result->count)
        qsort(h.result->findings, h.result->count, sizeof *h.result->findings, by_blocks);
    model_free(h.first);
    model_free(h.now);
    machine_free(h.mended);
    vec_done(&h.differ);
    vec_done(&h.agree);
    vec_done(&h.explained);
    if (!h.failed)
        return h.result;
    hunt_free(h.result);
    return NULL;
}

void hunt_free(struct hunt *h)
{
    if (!h)
        return;
    for (size_t i = 0; i < h->count; i++)
        change_done(&h->findings[i].change);
    free(h->findings);
    free(h);
}

void finding_print(const struct hunt_finding *f, struct str *out)
{
    pattern_print(&f->pattern, out);
    str_addf(out, "\n   %.2f cycles, %.2f predicted", f->truth, f->predicted);
    if (f->change.name) {
        str_add(out, "; agrees with ");
        change_print(&f->change, out);
    }
}
