/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/anneal.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "infer/anneal_state.h"

/* Maximum number of columns that moves may create. More columns slow the evaluation, and no
 * realistic mapping needs them. */
#define COLUMNS_MOST 1024
#define COLUMNS_RANDOM 512       /* maximum number of columns of a random genome */
/* Maximum mean number of experiments per form at which copied usages always come from forms of the
 * same kind. If a few draws find no such form, any form is used. */
#define KIN_LINKS 18
#define RANDOM_SETS 24           /* maximum number of distinct µops of a random genome */

unsigned anneal_below(struct annealer *s, unsigned bound)
{
    return (unsigned)((rng_next(&s->rng) >> 32) * (uint64_t)bound >> 32);
}

static int compare_single(const void *a, const void *b, void *state)
{
    const float *single = state;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    float p = isnan(single[x]) ? -1 : single[x], q = isnan(single[y]) ? -1 : single[y];
    return p != q ? (p > q) - (p < q) : (x > y) - (x < y);
}

/* Finds, for each form, the forms whose cycles in isolation differ by at most 8 %. These forms are
 * a range of the list sorted by cycles. A form without such cycles has the range of all forms. */
static void find_likes(struct annealer *s)
{
    size_t n = s->p->forms;
    const float *single = s->p->single;

    s->like = mem_alloc((n + 1) * sizeof *s->like);
    s->like_start = mem_alloc((2 * n + 1) * sizeof *s->like_start);
    for (uint32_t f = 0; f < n; f++)
        s->like[f] = f;
    qsort_r(s->like, n, sizeof *s->like, compare_single, (void *)single);
    size_t first = 0, end = 0;
    for (size_t i = 0; i < n; i++) {
        float own = single[s->like[i]];
        if (isnan(own)) {
            first = end = i + 1;
            s->like_start[2 * s->like[i]] = 0;
            s->like_start[2 * s->like[i] + 1] = (uint32_t)n;
            continue;
        }
        while (single[s->like[first]] < own * 0.92f)
            first++;
        for (end = end > i ? end : i; end < n && single[s->like[end]] <= own * 1.08f;)
            end++;
        s->like_start[2 * s->like[i]] = (uint32_t)first;
        s->like_start[2 * s->like[i] + 1] = (uint32_t)end;
    }
}

struct annealer *anneal_new(const struct problem *p, unsigned ports, double width,
                            const struct anneal_prices *prices, uint64_t seed)
{
    struct annealer *s = mem_zero(1, sizeof *s);
    size_t n = p->forms + 1, e = p->experiments + 1, sets = (size_t)1 << ports;

    s->p = p;
    s->engine = table_engine(NULL);
    s->prices = *prices;
    rng_seed(&s->rng, seed);
    s->g = genome_new(p->forms, ports, width);
    columns_init(&s->columns, ports);
    s->tables = problem_tables(p, &s->columns, s->g->genes, 0);
    s->uses = mem_zero(sets, sizeof *s->uses);
    s->dictionary = mem_zero(sets, sizeof *s->dictionary);
    s->place = mem_zero(sets, sizeof *s->place);
    s->errors = mem_zero(e, sizeof *s->errors);
    s->fresh_errors = mem_zero(e, sizeof *s->fresh_errors);
    s->form_errors = mem_zero(n, sizeof *s->form_errors);
    s->hashes = mem_zero(n, sizeof *s->hashes);
    s->stamp = mem_zero(e, sizeof *s->stamp);
    s->touched = mem_zero(e, sizeof *s->touched);
    s->touched_errors = mem_zero(e, sizeof *s->touched_errors);
    s->changed = mem_zero(n, sizeof *s->changed);
    s->before = mem_zero(n, sizeof *s->before);
    s->after = mem_zero(n, sizeof *s->after);
    for (s->class_slots = 64; s->class_slots < 8 * n;)
        s->class_slots *= 2;
    s->classes = mem_zero(s->class_slots, sizeof *s->classes);
    s->logs = mem_zero(n, sizeof *s->logs);
    for (size_t i = 1; i < n; i++)
        s->logs[i] = log((double)i);
    find_likes(s);
    double links = fmax(1, (double)p->link_start[p->forms] / fmax(1, (double)p->forms));
    s->kin_chance = (unsigned)fmin(256, 256 * pow(KIN_LINKS / links, 4));
    return s;
}

void anneal_free(struct annealer *s)
{
    if (!s)
        return;
    genome_free(s->g);
    columns_done(&s->columns);
    free(s->tables.values);
    free(s->fresh);
    free(s->saved);
    free(s->uses);
    free(s->dictionary);
    free(s->place);
    free(s->errors);
    free(s->fresh_errors);
    free(s->form_errors);
    free(s->hashes);
    free(s->classes);
    free(s->logs);
    free(s->stamp);
    free(s->touched);
    free(s->touched_errors);
    free(s->changed);
    free(s->before);
    free(s->after);
    free(s->like);
    free(s->like_start);
    free(s);
}

static void use_set(struct annealer *s, unsigned set)
{
    if (s->uses[set]++ == 0) {
        s->place[set] = (uint16_t)s->distinct;
        s->dictionary[s->distinct++] = (uint16_t)set;
    }
}

static void drop_set(struct annealer *s, unsigned set)
{
    if (--s->uses[set] == 0) {
        uint16_t last = s->dictionary[--s->distinct];
        s->dictionary[s->place[set]] = last;
        s->place[last] = s->place[set];
        s->stale = true;
    }
}

static struct usage_class *class_of(const struct annealer *s, uint64_t hash)
{
    size_t at = hash & (s->class_slots - 1);
    while (s->classes[at].hash && s->classes[at].hash != hash)
        at = (at + 1) & (s->class_slots - 1);
    return &s->classes[at];
}

/* Returns a hash of a usage's @hash and form @f's kind. */
static uint64_t kind_hash(const struct annealer *s, uint32_t f, uint64_t hash)
{
    uint64_t mixed = (hash ^ (s->p->kind[f] + 1u) * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    return (mixed ^ mixed >> 31) | 1;   /* Sets a bit, because the hash must not be 0. */
}

static uint32_t count_in(struct annealer *s, uint64_t hash)
{
    struct usage_class *class = class_of(s, hash);
    s->class_used += class->hash == 0;
    class->hash = hash;
    return ++class->count;
}

static void join_class(struct annealer *s, uint32_t f, uint64_t hash)
{
    if (count_in(s, kind_hash(s, f, hash)) == 1)
        count_in(s, hash);
}

static void classes_rebuild(struct annealer *s)
{
    memset(s->classes, 0, s->class_slots * sizeof *s->classes);
    s->class_used = 0;
    for (uint32_t f = 0; f < s->p->forms; f++)
        join_class(s, f, s->hashes[f]);
}

static void change_class(struct annealer *s, uint32_t f, uint64_t hash)
{
    if (--class_of(s, kind_hash(s, f, s->hashes[f]))->count == 0)
        class_of(s, s->hashes[f])->count--;
    s->hashes[f] = hash;
    join_class(s, f, hash);
    if (4 * s->class_used > 3 * s->class_slots)
        classes_rebuild(s);
}

void anneal_install(struct annealer *s, uint32_t f, const struct gene *gene)
{
    struct gene *own = &s->g->genes[f];

    for (unsigned i = 0; i < gene->uops; i++)
        use_set(s, gene->set[i]);
    for (unsigned i = 0; i < own->uops; i++)
        drop_set(s, own->set[i]);
    s->volume += gene_volume(gene);
    s->volume -= gene_volume(own);
    *own = *gene;
    change_class(s, f, gene_hash(gene));
}

float *anneal_table(const struct annealer *s, size_t form)
{
    return s->tables.values + form * s->tables.stride;
}

static size_t lanes_of_all(const struct annealer *s)
{
    return columns_lanes(1u << s->g->ports);
}

/* Allocates storage for at least @lanes columns, and clears the tables. */
static void make_room(struct annealer *s, size_t lanes)
{
    size_t n = s->p->forms + 1, all = lanes_of_all(s);
    /* The stride is an odd number of cache lines. With an even number, the tables would share a few
     * sets of the cache. */
    size_t stride = ((lanes < all ? lanes : all) / COLUMNS_LANES | 1) * COLUMNS_LANES;

    free(s->tables.values);
    free(s->saved);
    free(s->fresh);
    s->tables.stride = stride;
    s->tables.values = tables_new(n, stride);
    s->saved = tables_new(n, stride);
    s->fresh = tables_new(1, stride);
}

void anneal_lay_out(struct annealer *s)
{
    columns_truncate(&s->columns, 1, 0);
    for (unsigned i = 0; i < s->distinct; i++)
        columns_add(&s->columns, s->dictionary[i], UINT_MAX);
    s->stale = false;
    size_t lanes = columns_lanes(s->columns.count);
    if (lanes > s->tables.stride || s->tables.stride > 6 * lanes + 8 * COLUMNS_LANES)
        make_room(s, 2 * lanes + 2 * COLUMNS_LANES);
    anneal_fill(s, &(struct columns_mark){0, 0});
}

void anneal_fill(struct annealer *s, const struct columns_mark *mark)
{
    if (mark->count == s->columns.count)
        return;
    for (size_t f = 0; f < s->p->forms; f++)
        s->engine->fill(&s->g->genes[f], &s->columns, mark->count, s->g->width, anneal_table(s, f));
}

void anneal_retract(struct annealer *s, const struct columns_mark *mark)
{
    columns_truncate(&s->columns, mark->count, mark->members);
}

static bool admit(struct annealer *s, const struct gene *genes, size_t n, unsigned most)
{
    for (size_t k = 0; k < n; k++)
        for (unsigned i = 0; i < genes[k].uops; i++)
            if (!columns_add(&s->columns, genes[k].set[i], most))
                return false;
    return true;
}

bool anneal_admit(struct annealer *s, const struct gene *genes, size_t n, struct columns_mark *mark)
{
    for (;;) {
        size_t room = s->tables.stride < COLUMNS_MOST ? s->tables.stride : COLUMNS_MOST;
        *mark = (struct columns_mark){s->columns.count, s->columns.members};
        if (admit(s, genes, n, (unsigned)room))
            return true;
        anneal_retract(s, mark);
        if (s->stale) {
            anneal_lay_out(s);
        } else if (room == s->tables.stride && room < lanes_of_all(s)) {
            make_room(s, 2 * room);
            anneal_fill(s, &(struct columns_mark){0, 0});
        } else {
            return false;
        }
    }
}

static double anneal_recompute(struct annealer *s)
{
    double sum = 0;
    anneal_lay_out(s);
    memset(s->form_errors, 0, s->p->forms * sizeof *s->form_errors);
    for (uint32_t e = 0; e < s->p->experiments; e++) {
        s->errors[e] = fabsf(s->engine->cycles(&s->tables, e) * s->p->inverse[e] - s->p->weight[e]);
        sum += (double)s->errors[e];
        for (uint32_t k = s->p->term_start[e]; k < s->p->term_start[e + 1]; k++)
            s->form_errors[s->p->terms[k].form] += (double)s->errors[e];
    }
    s->error_sum = sum;
    return sum;
}

static void take(struct annealer *s, const struct gene *genes)
{
    memset(s->uses, 0, sizeof *s->uses << s->g->ports);
    s->distinct = 0;
    s->volume = 0;
    memset(s->g->genes, 0, s->p->forms * sizeof *s->g->genes);
    for (uint32_t f = 0; f < s->p->forms; f++)
        s->hashes[f] = gene_hash(&s->g->genes[f]);
    classes_rebuild(s);
    for (uint32_t f = 0; f < s->p->forms; f++)
        anneal_install(s, f, &genes[f]);
    anneal_recompute(s);
}

void anneal_load(struct annealer *s, const struct genome *g)
{
    if (g->forms != s->p->forms || g->ports != s->g->ports || g->width != s->g->width)
        BUG("genome has %zu forms and %u ports instead of %zu and %u", g->forms, g->ports,
            s->p->forms, s->g->ports);
    struct gene *genes = mem_alloc((g->forms + 1) * sizeof *genes);
    memcpy(genes, g->genes, g->forms * sizeof *genes);
    take(s, genes);
    free(genes);
}

/* Draws a nonempty set. Half of the sets have about a quarter of the ports, because real µops can
 * use only a few. */
unsigned anneal_random_set(struct annealer *s)
{
    unsigned all = (1u << s->g->ports) - 1, set = 0;

    while (!set) {
        uint64_t draw = rng_next(&s->rng);
        set = (unsigned)(draw >> 32) & all;
        if (draw & 1)
            set &= (unsigned)(draw >> 1);
    }
    return set;
}

/* Draws few sets for a random genome, to limit the number of columns. Returns their number. Stores
 * the sets in @sets. */
static unsigned random_sets(struct annealer *s, uint16_t *sets)
{
    unsigned n = 0;

    columns_truncate(&s->columns, 1, 0);
    for (; n < RANDOM_SETS; n++) {
        struct columns_mark mark = {s->columns.count, s->columns.members};
        sets[n] = (uint16_t)anneal_random_set(s);
        if (!columns_add(&s->columns, sets[n], COLUMNS_RANDOM) && n > 0) {
            anneal_retract(s, &mark);
            break;
        }
    }
    return n;
}

void anneal_random(struct annealer *s)
{
    struct gene *genes = mem_zero(s->p->forms + 1, sizeof *genes);
    uint16_t sets[RANDOM_SETS];
    unsigned n = random_sets(s, sets);

    for (size_t f = 0; f < s->p->forms; f++) {
        double t = isnan(s->p->single[f]) ? 1 : (double)s->p->single[f];
        unsigned set = sets[anneal_below(s, n)];
        double count = fmin(fmax(round(t * portset_size(set)), 1), GENE_COUNT_MAX);
        gene_add(&genes[f], set, (unsigned)count);
        genes[f].slots = s->g->width > 0 ? 1 : 0;
    }
    take(s, genes);
    free(genes);
}

/* Returns -ln of the probability that a form has usage @gene. @others: number of other forms of its
 * kind with this usage. @kinds: number of kinds that have forms with this usage. */
static double code_length(const struct annealer *s, size_t others, size_t kinds,
                          const struct gene *gene)
{
    return others  ? -s->logs[others]
           : kinds ? s->prices.other_kind - s->logs[kinds]
                   : s->prices.new_usage + s->prices.new_uop * gene->uops;
}

double anneal_usage_price(struct annealer *s, uint32_t f, const struct gene *gene)
{
    if (s->prices.usage == 0)
        return 0;
    uint64_t hash = gene_hash(gene);
    size_t now = class_of(s, kind_hash(s, f, s->hashes[f]))->count - 1,
           then = class_of(s, kind_hash(s, f, hash))->count;
    size_t kinds_now = class_of(s, s->hashes[f])->count - (now == 0),
           kinds_then = class_of(s, hash)->count;
    return s->prices.usage * (code_length(s, then, kinds_then, gene) -
                              code_length(s, now, kinds_now, &s->g->genes[f]));
}

static int distinct_change(const struct annealer *s, uint32_t f, const struct gene *gene)
{
    const struct gene *own = &s->g->genes[f];
    int change = 0;

    for (unsigned i = 0; i < gene->uops; i++)
        change += s->uses[gene->set[i]] == 0;
    for (unsigned i = 0; i < own->uops; i++) {
        bool kept = false;
        for (unsigned k = 0; k < gene->uops; k++)
            kept |= gene->set[k] == own->set[i];
        change -= !kept && s->uses[own->set[i]] == 1;
    }
    return change;
}

double anneal_price(struct annealer *s, uint32_t f, const struct gene *gene)
{
    return s->prices.uop * distinct_change(s, f, gene) +
           s->prices.volume * ((double)gene_volume(gene) - (double)gene_volume(&s->g->genes[f])) +
           anneal_usage_price(s, f, gene);
}

double anneal_regular_cost(const struct annealer *s)
{
    return s->prices.uop * s->distinct + s->prices.volume * (double)s->volume;
}

void anneal_set_prices(struct annealer *s, const struct anneal_prices *prices)
{
    s->prices = *prices;
}

double anneal_d_avg(const struct annealer *s)
{
    return fmax(s->error_sum, 0) / s->p->weights;   /* Limits the sum to 0, because rounding may
                                                     * make it negative. */
}

double anneal_cost(const struct annealer *s)
{
    double length = 0;
    /* number of forms counted so far, by entry of s->classes */
    uint32_t *seen = s->prices.usage != 0 ? mem_zero(s->class_slots, sizeof *seen) : NULL;

    for (uint32_t f = 0; seen && f < s->p->forms; f++) {
        uint32_t *others = &seen[class_of(s, kind_hash(s, f, s->hashes[f])) - s->classes],
                 *kinds = &seen[class_of(s, s->hashes[f]) - s->classes];
        length += code_length(s, *others, *kinds, &s->g->genes[f]);
        *kinds += *others == 0;
        ++*others;
    }
    free(seen);
    return s->error_sum + anneal_regular_cost(s) + s->prices.usage * length;
}

const struct genome *anneal_genome(struct annealer *s)
{
    s->g->d_avg = anneal_d_avg(s);
    s->g->cost = anneal_cost(s);
    return s->g;
}

const struct anneal_stats *anneal_stats(const struct annealer *s)
{
    return &s->stats;
}

struct rng *anneal_rng(struct annealer *s)
{
    return &s->rng;
}
