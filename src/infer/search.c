/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/search.h"

#include <math.h>
#include <string.h>

#define SETS (1 << PROBLEM_PORTS_MAX)

const char *const search_move_names[MOVE_KINDS] = {"copy", "copy-like", "toggle", "replace", "count", "add", "drop", "random", "shift", "swap", "slots", "class", "set"};
/* Chances in 1/256. */
static const uint8_t chances[MOVE_KINDS] = {34, 42, 32, 34, 20, 14, 18, 6, 20, 14, 16, 3, 3};

struct usage_class {
    uint64_t hash;      /* 0: never used */
    uint32_t count;
};

struct search {
    const struct problem *p;
    const struct score_engine *engine;
    size_t columns;
    struct search_prices prices;
    struct rng rng;
    struct genome *g;
    float *tables, *fresh;          /* forms * columns; one more */
    float *errors, *fresh_errors;   /* per experiment; scratch of the longest list of links, or of all */
    double error_sum;
    uint64_t *hashes;               /* of the genes */
    struct usage_class *classes;    /* open addressing by hash: how many forms have that usage; emptied places stay until a rebuild */
    size_t class_slots, class_used;
    double *logs;                   /* ln n, n up to the number of forms */
    uint16_t uses[SETS];            /* forms with that µop */
    uint16_t dictionary[SETS], place[SETS];   /* sets in use, in any order, and where each stands */
    unsigned distinct;
    uint64_t volume;
    uint32_t *like, *like_start;    /* forms ordered by cycles alone: candidates for the same usage */
    uint32_t *stamp, clock;         /* experiments seen in this compound move */
    uint32_t *changed;              /* forms of a compound move */
    struct gene *before;
    float *saved;                   /* their tables */
    uint32_t *touched;
    float *touched_errors;
    struct search_stats stats;
};

static unsigned below(struct search *s, unsigned bound)
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

/* For each form the stretch of the ordered list whose cycles alone are within 8 %. */
static void find_likes(struct search *s)
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

struct search *search_new(const struct problem *p, unsigned ports, unsigned width, const struct search_prices *prices, uint64_t seed)
{
    struct search *s = mem_zero(1, sizeof *s);
    size_t n = p->forms + 1, e = p->experiments + 1;

    s->p = p;
    s->engine = score_engine(NULL);
    s->columns = score_columns(ports);
    s->prices = *prices;
    rng_seed(&s->rng, seed);
    s->g = genome_new(p->forms, ports, width);
    s->tables = score_tables(n, s->columns);
    s->fresh = s->tables + n * s->columns - s->columns;
    s->saved = score_tables(n, s->columns);
    s->errors = mem_zero(e, sizeof *s->errors);
    s->fresh_errors = mem_zero(e, sizeof *s->fresh_errors);
    s->hashes = mem_zero(n, sizeof *s->hashes);
    s->stamp = mem_zero(e, sizeof *s->stamp);
    s->touched = mem_zero(e, sizeof *s->touched);
    s->touched_errors = mem_zero(e, sizeof *s->touched_errors);
    s->changed = mem_zero(n, sizeof *s->changed);
    s->before = mem_zero(n, sizeof *s->before);
    for (s->class_slots = 64; s->class_slots < 4 * n;)
        s->class_slots *= 2;
    s->classes = mem_zero(s->class_slots, sizeof *s->classes);
    s->logs = mem_zero(n, sizeof *s->logs);
    for (size_t i = 1; i < n; i++)
        s->logs[i] = log((double)i);
    find_likes(s);
    return s;
}

void search_free(struct search *s)
{
    if (!s)
        return;
    genome_free(s->g);
    free(s->tables);
    free(s->saved);
    free(s->errors);
    free(s->fresh_errors);
    free(s->hashes);
    free(s->classes);
    free(s->logs);
    free(s->stamp);
    free(s->touched);
    free(s->touched_errors);
    free(s->changed);
    free(s->before);
    free(s->like);
    free(s->like_start);
    free(s);
}

static void use_set(struct search *s, unsigned set)
{
    if (s->uses[set]++ == 0) {
        s->place[set] = (uint16_t)s->distinct;
        s->dictionary[s->distinct++] = (uint16_t)set;
    }
}

static void drop_set(struct search *s, unsigned set)
{
    if (--s->uses[set] == 0) {
        uint16_t last = s->dictionary[--s->distinct];
        s->dictionary[s->place[set]] = last;
        s->place[last] = s->place[set];
    }
}

static struct usage_class *class_of(const struct search *s, uint64_t hash)
{
    size_t at = hash & (s->class_slots - 1);
    while (s->classes[at].hash && s->classes[at].hash != hash)
        at = (at + 1) & (s->class_slots - 1);
    return &s->classes[at];
}

static void classes_rebuild(struct search *s)
{
    memset(s->classes, 0, s->class_slots * sizeof *s->classes);
    s->class_used = 0;
    for (size_t f = 0; f < s->p->forms; f++) {
        struct usage_class *class = class_of(s, s->hashes[f]);
        s->class_used += class->count == 0;
        class->hash = s->hashes[f];
        class->count++;
    }
}

static void change_class(struct search *s, uint32_t f, uint64_t hash)
{
    class_of(s, s->hashes[f])->count--;
    s->hashes[f] = hash;
    struct usage_class *class = class_of(s, hash);
    s->class_used += class->hash == 0;
    class->hash = hash;
    class->count++;
    if (4 * s->class_used > 3 * s->class_slots)
        classes_rebuild(s);
}

/* Puts @gene in place of form @f's in all that is kept besides tables and errors. */
static void install(struct search *s, uint32_t f, const struct gene *gene)
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

double search_recompute(struct search *s)
{
    double sum = 0;
    for (size_t f = 0; f < s->p->forms; f++)
        s->engine->table(&s->g->genes[f], s->g->ports, s->g->width, s->tables + f * s->columns);
    for (uint32_t e = 0; e < s->p->experiments; e++) {
        s->errors[e] = fabsf(s->engine->cycles(s->p, s->tables, s->columns, e) * s->p->inverse[e] - s->p->weight[e]);
        sum += (double)s->errors[e];
    }
    s->error_sum = sum;
    return sum;
}

static void take(struct search *s, const struct gene *genes)
{
    memset(s->uses, 0, sizeof s->uses);
    s->distinct = 0;
    s->volume = 0;
    memset(s->g->genes, 0, s->p->forms * sizeof *s->g->genes);
    for (uint32_t f = 0; f < s->p->forms; f++)
        s->hashes[f] = gene_hash(&s->g->genes[f]);
    classes_rebuild(s);
    for (uint32_t f = 0; f < s->p->forms; f++)
        install(s, f, &genes[f]);
    search_recompute(s);
}

void search_load(struct search *s, const struct genome *g)
{
    if (g->forms != s->p->forms || g->ports != s->g->ports || g->width != s->g->width)
        BUG("a genome of %zu forms and %u ports for %zu and %u", g->forms, g->ports, s->p->forms, s->g->ports);
    struct gene *genes = mem_alloc((g->forms + 1) * sizeof *genes);
    memcpy(genes, g->genes, g->forms * sizeof *genes);
    take(s, genes);
    free(genes);
}

static unsigned random_set(struct search *s)
{
    return 1 + below(s, (1u << s->g->ports) - 1);
}

void search_random(struct search *s)
{
    struct gene *genes = mem_zero(s->p->forms + 1, sizeof *genes);

    for (size_t f = 0; f < s->p->forms; f++) {
        double t = isnan(s->p->single[f]) ? 1 : (double)s->p->single[f];
        unsigned set = random_set(s);
        double count = fmin(fmax(round(t * portset_size(set)), 1), GENE_COUNT_MAX);
        gene_add(&genes[f], set, (unsigned)count);
        genes[f].slots = s->g->width > 0 ? 1 : 0;
    }
    take(s, genes);
    free(genes);
}

/* -ln of how likely the process gives a form @gene, that @others forms have already. */
static double code_length(const struct search *s, size_t others, const struct gene *gene)
{
    return others ? -s->logs[others] : s->prices.new_usage + s->prices.new_uop * gene->uops;
}

static double usage_price(struct search *s, uint32_t f, const struct gene *gene)
{
    if (s->prices.usage == 0)
        return 0;
    size_t now = class_of(s, s->hashes[f])->count - 1, then = class_of(s, gene_hash(gene))->count;
    return s->prices.usage * (code_length(s, then, gene) - code_length(s, now, &s->g->genes[f]));
}

/* Change of the number of distinct µops when form @f, alone, gets @gene. */
static int distinct_change(const struct search *s, uint32_t f, const struct gene *gene)
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

static double threshold(struct search *s, double temperature)
{
    double u = ((double)(rng_next(&s->rng) >> 11) + 1) * 0x1p-53;
    return -temperature * log(u);
}

/* Tries @gene for form @f; true when it was accepted. */
static bool try_gene(struct search *s, uint32_t f, const struct gene *gene, double temperature)
{
    const struct problem *p = s->p;
    double price = s->prices.uop * distinct_change(s, f, gene) +
                   s->prices.volume * ((double)gene_volume(gene) - (double)gene_volume(&s->g->genes[f])) + usage_price(s, f, gene);
    double allowed = threshold(s, temperature) - price, old = 0;
    uint32_t first = p->link_start[f], end = p->link_start[f + 1];

    for (uint32_t i = first; i < end; i++)
        old += (double)s->errors[p->links[i].experiment];
    if (old + allowed < 0)
        return false;
    s->engine->table(gene, s->g->ports, s->g->width, s->fresh);
    s->stats.evaluations += end - first;
    double fresh = (double)s->engine->form(p, s->tables, s->columns, f, s->fresh, (float)(old + allowed), s->fresh_errors);
    if (fresh > old + allowed)
        return false;
    for (uint32_t i = first; i < end; i++)
        s->errors[p->links[i].experiment] = s->fresh_errors[i - first];
    s->error_sum += fresh - old;
    memcpy(s->tables + f * s->columns, s->fresh, s->columns * sizeof *s->tables);
    install(s, f, gene);
    return true;
}

static double regular_cost(const struct search *s)
{
    return s->prices.uop * s->distinct + s->prices.volume * (double)s->volume;
}

/* Tries to give several forms new genes at once (s->changed, @n of them; their new genes in @genes). */
static bool try_genes(struct search *s, size_t n, const struct gene *genes, double temperature)
{
    const struct problem *p = s->p;
    double allowed = threshold(s, temperature) + regular_cost(s), old = 0, fresh = 0;
    size_t touched = 0, done = 0;

    s->clock++;
    for (size_t i = 0; i < n; i++) {
        uint32_t f = s->changed[i];
        if (s->prices.usage != 0)
            allowed -= usage_price(s, f, &genes[i]);
        s->before[i] = s->g->genes[f];
        memcpy(s->saved + i * s->columns, s->tables + f * s->columns, s->columns * sizeof *s->saved);
        install(s, f, &genes[i]);
        s->engine->table(&genes[i], s->g->ports, s->g->width, s->tables + f * s->columns);
        for (uint32_t k = p->link_start[f]; k < p->link_start[f + 1]; k++) {
            uint32_t e = p->links[k].experiment;
            if (s->stamp[e] != s->clock) {
                s->stamp[e] = s->clock;
                s->touched[touched++] = e;
                old += (double)s->errors[e];
            }
        }
    }
    allowed += old - regular_cost(s);
    for (; done < touched && fresh <= allowed; done++) {
        uint32_t e = s->touched[done];
        s->touched_errors[done] = fabsf(s->engine->cycles(p, s->tables, s->columns, e) * p->inverse[e] - p->weight[e]);
        fresh += (double)s->touched_errors[done];
    }
    s->stats.evaluations += done;
    if (done == touched && fresh <= allowed) {
        for (size_t i = 0; i < touched; i++)
            s->errors[s->touched[i]] = s->touched_errors[i];
        s->error_sum += fresh - old;
        return true;
    }
    for (size_t i = n; i-- > 0;) {
        install(s, s->changed[i], &s->before[i]);
        memcpy(s->tables + s->changed[i] * s->columns, s->saved + i * s->columns, s->columns * sizeof *s->saved);
    }
    return false;
}

static unsigned any_set(struct search *s)
{
    return s->distinct ? s->dictionary[below(s, s->distinct)] : random_set(s);
}

/* Exchanges set number @i of @gene for @set; false when nothing changes or there is no room. */
static bool exchange(struct gene *gene, unsigned i, unsigned set)
{
    unsigned count = gene->count[i];
    if (!set || gene->set[i] == set)
        return false;
    gene_remove(gene, i);
    return gene_add(gene, set, count);
}

static bool step_count(struct search *s, struct gene *gene)
{
    unsigned i = below(s, gene->uops), size = portset_size(gene->set[i]);
    /* Long µops move by larger steps too. */
    unsigned step = gene->count[i] > 4 && below(s, 2) ? 1 + below(s, gene->count[i] / 2u) : below(s, 4) ? 1 : size;
    unsigned set = gene->set[i];

    if (below(s, 2))
        return gene_add(gene, set, step);
    if (gene->count[i] <= step)
        return false;
    gene->count[i] = (uint8_t)(gene->count[i] - step);
    return true;
}

static bool shift_count(struct search *s, struct gene *gene)
{
    unsigned i = below(s, gene->uops), set = any_set(s), from = gene->set[i];
    unsigned count = gene->count[i] > 1 && below(s, 2) ? 1 + below(s, gene->count[i]) : 1;

    if (set == from)
        return false;
    gene->count[i] = (uint8_t)(gene->count[i] - count);
    if (gene->count[i] == 0)
        gene_remove(gene, i);
    return gene_add(gene, set, count);
}

static bool swap_ports(struct search *s, struct gene *gene)
{
    unsigned a = below(s, s->g->ports), b = below(s, s->g->ports);
    struct gene fresh = {.slots = gene->slots};

    for (unsigned i = 0; i < gene->uops; i++) {
        unsigned set = gene->set[i], x = set >> a & 1, y = set >> b & 1;
        set = (set & ~(1u << a | 1u << b)) | x << b | y << a;
        gene_add(&fresh, set, gene->count[i]);
    }
    bool differs = !gene_equal(&fresh, gene);
    *gene = fresh;
    return differs;
}

/* Changes @gene, form @f's, by one step of @kind; false when that is not possible. */
static bool mutate(struct search *s, uint32_t f, enum search_move kind, struct gene *gene)
{
    const struct gene *genes = s->g->genes;
    uint32_t first = s->like_start[2 * f], end = s->like_start[2 * f + 1];
    uint32_t other;

    if (gene->uops == 0 && kind >= MOVE_TOGGLE && kind != MOVE_SLOTS)
        return gene_add(gene, any_set(s), 1);
    switch (kind) {
    case MOVE_COPY:
    case MOVE_COPY_LIKE:
        other = kind == MOVE_COPY ? below(s, (unsigned)s->p->forms) : s->like[first + below(s, end - first)];
        *gene = genes[other];
        return !gene_equal(gene, &genes[f]);
    case MOVE_TOGGLE: {
        unsigned i = below(s, gene->uops);
        return exchange(gene, i, gene->set[i] ^ 1u << below(s, s->g->ports));
    }
    case MOVE_REPLACE:
        return exchange(gene, below(s, gene->uops), any_set(s));
    case MOVE_RANDOM:
        return exchange(gene, below(s, gene->uops), random_set(s));
    case MOVE_COUNT:
        return step_count(s, gene);
    case MOVE_ADD:
        return gene_add(gene, below(s, 16) ? any_set(s) : random_set(s), 1);
    case MOVE_DROP:
        gene_remove(gene, below(s, gene->uops));
        return true;
    case MOVE_SHIFT:
        return shift_count(s, gene);
    case MOVE_SWAP:
        return swap_ports(s, gene);
    case MOVE_SLOTS:
        if (!(s->g->width > 0) || (gene->slots == 0 && !below(s, 2)))
            return false;
        gene->slots = (uint8_t)(gene->slots + (below(s, 2) && gene->slots ? -1 : gene->slots < 250));
        return true;
    default:
        return false;
    }
}

static enum search_move pick_form_move(struct search *s)
{
    unsigned draw = below(s, 256 - chances[MOVE_CLASS] - chances[MOVE_SET]);
    enum search_move kind = MOVE_COPY;
    while (draw >= chances[kind])
        draw -= chances[kind++];
    return kind;
}

/* All forms that share a usage change it together. */
static bool move_class(struct search *s, double temperature)
{
    uint32_t f = below(s, (unsigned)s->p->forms);
    struct gene gene = s->g->genes[f];
    size_t n = 0;

    if (!mutate(s, f, pick_form_move(s), &gene))
        return false;
    uint64_t hash = s->hashes[f];
    struct gene *genes = mem_alloc((s->p->forms + 1) * sizeof *genes);
    for (uint32_t k = 0; k < s->p->forms; k++)
        if (s->hashes[k] == hash) {
            genes[n] = gene;
            s->changed[n++] = k;
        }
    bool accepted = try_genes(s, n, genes, temperature);
    free(genes);
    return accepted;
}

/* One µop becomes another everywhere. */
static bool move_set(struct search *s, double temperature)
{
    unsigned from = any_set(s), to = below(s, 3) ? from ^ 1u << below(s, s->g->ports) : below(s, 2) ? any_set(s) : random_set(s);
    size_t n = 0;
    bool possible = to != 0 && to != from;

    struct gene *genes = mem_alloc((s->p->forms + 1) * sizeof *genes);
    for (uint32_t f = 0; possible && f < s->p->forms; f++)
        for (unsigned i = 0; i < s->g->genes[f].uops; i++)
            if (s->g->genes[f].set[i] == from) {
                genes[n] = s->g->genes[f];
                possible &= exchange(&genes[n], i, to);
                s->changed[n++] = f;
                break;
            }
    bool accepted = possible && n && try_genes(s, n, genes, temperature);
    free(genes);
    return accepted;
}

void search_run(struct search *s, uint64_t moves, double temperature)
{
    for (uint64_t i = 0; i < moves; i++) {
        unsigned draw = below(s, 256);
        enum search_move kind = draw < chances[MOVE_CLASS] ? MOVE_CLASS : draw < 0u + chances[MOVE_CLASS] + chances[MOVE_SET] ? MOVE_SET : pick_form_move(s);
        bool accepted;
        if (kind == MOVE_CLASS) {
            accepted = move_class(s, temperature);
        } else if (kind == MOVE_SET) {
            accepted = move_set(s, temperature);
        } else {
            uint32_t f = below(s, (unsigned)s->p->forms);
            struct gene gene = s->g->genes[f];
            accepted = mutate(s, f, kind, &gene) && try_gene(s, f, &gene, temperature);
        }
        s->stats.tried[kind]++;
        s->stats.accepted[kind] += accepted;
    }
}

void search_set_prices(struct search *s, const struct search_prices *prices)
{
    s->prices = *prices;
}

double search_d_avg(const struct search *s)
{
    return s->error_sum / s->p->weights;
}

double search_cost(const struct search *s)
{
    double length = 0;

    for (size_t f = 0; s->prices.usage != 0 && f < s->p->forms; f++) {
        size_t others = 0;
        for (size_t k = 0; k < f; k++)
            others += s->hashes[k] == s->hashes[f];
        length += code_length(s, others, &s->g->genes[f]);
    }
    return s->error_sum + regular_cost(s) + s->prices.usage * length;
}

const struct genome *search_genome(struct search *s)
{
    s->g->d_avg = search_d_avg(s);
    s->g->cost = search_cost(s);
    return s->g;
}

const struct search_stats *search_stats(const struct search *s)
{
    return &s->stats;
}

struct rng *search_rng(struct search *s)
{
    return &s->rng;
}
