/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/anneal.h"

#include <math.h>
#include <string.h>

#include "base/watch.h"
#include "infer/anneal_state.h"

#define EVALUATIONS_A_STEP 8   /* number of evaluations per step (base/watch.h) */
#define LINKS_A_STEP 64
/* number of experiments between two tests of significance */
#define LOOK 16
/* Prime stride through a list of experiments. Its multiples, modulo the length of the list, are all
 * indices. */
#define MIXING 2654435761u
#define KIN_DRAWS 10           /* maximum number of draws for a form of the same kind */
#define SURE 3.0               /* number of standard deviations at which a result is significant */

const char *const anneal_move_names[MOVE_KINDS] = {
    "copy",  "copy-like", "toggle", "replace", "count", "add", "drop", "random",
    "shift", "swap",      "slots",  "scale",   "class", "set", "split"};
/* probability of each kind of move, in 1/256 */
static const uint8_t chances[MOVE_KINDS] = {34, 42, 25, 26, 20, 14, 18, 6, 20, 14, 14, 12, 3, 6, 2};

static double threshold(struct annealer *s, double temperature)
{
    double u = ((double)(rng_next(&s->rng) >> 11) + 1) * 0x1p-53;
    return -temperature * log(u);
}

static void set_error(struct annealer *s, uint32_t e, float error)
{
    const struct problem *p = s->p;
    double more = (double)error - (double)s->errors[e];

    s->errors[e] = error;
    s->error_sum += more;
    for (uint32_t k = p->term_start[e]; k < p->term_start[e + 1]; k++)
        s->form_errors[p->terms[k].form] += more;
}

/* Tries @gene for form @f. Returns whether it was accepted. */
static bool try_gene(struct annealer *s, uint32_t f, const struct gene *gene, double temperature)
{
    const struct problem *p = s->p;
    double allowed = threshold(s, temperature) - anneal_price(s, f, gene),
           old = fmax(s->form_errors[f], 0);
    uint32_t first = p->link_start[f], end = p->link_start[f + 1];

    if (old + allowed < 0)
        return false;
    struct columns_mark mark;
    if (!anneal_admit(s, gene, 1, &mark))
        return false;
    bool more = s->columns.count > mark.count;
    size_t ready = more ? mark.count / COLUMNS_LANES * COLUMNS_LANES : mark.count;
    s->engine->fill(gene, &s->columns, 0, s->g->width, s->fresh);
    s->stats.evaluations += end - first;
    double fresh = (double)s->engine->errors(&s->tables, ready, f, s->fresh, (float)(old + allowed),
                                             s->fresh_errors);
    if (fresh > old + allowed) {
        anneal_retract(s, &mark);
        return false;
    }
    for (uint32_t i = first; i < end; i++)
        set_error(s, p->links[i].experiment, s->fresh_errors[i - first]);
    anneal_fill(s, &mark);
    memcpy(anneal_table(s, f), s->fresh, columns_lanes(s->columns.count) * sizeof *s->fresh);
    anneal_install(s, f, gene);
    return true;
}

/* Evaluates the @touched experiments of s->touched into s->touched_errors. Returns whether the sum
 * of the errors exceeds @old by at most @allowed. Stops and returns false if a random subset
 * already exceeds this limit significantly. This sequential test is like that of Korattikara, Chen
 * and Welling (ICML 2014) for Metropolis steps. */
static bool no_worse(struct annealer *s, size_t touched, double allowed, double old)
{
    const struct problem *p = s->p;
    size_t step = touched ? MIXING % touched : 0, done = 0;
    double fresh = 0, excess = 0, squares = 0;
    bool worse = false;

    for (size_t at = 0; done < touched && !worse;
         at += at + step < touched ? step : step - touched) {
        uint32_t e = s->touched[at];
        float error = fabsf(s->engine->cycles(&s->tables, e) * p->inverse[e] - p->weight[e]);
        double more = (double)error - (double)s->errors[e];
        s->touched_errors[at] = error;
        fresh += (double)error;
        excess += more;
        squares += more * more;
        worse = fresh > old + allowed || (++done % LOOK == 0 && done < touched &&
                                          excess > allowed && excess > SURE * sqrt(squares));
    }
    s->stats.evaluations += done;
    return !worse;
}

/* Tries the new genes s->after for all @n forms in s->changed. Returns whether they were
 * accepted. */
static bool try_genes(struct annealer *s, size_t n, double temperature)
{
    const struct problem *p = s->p;
    double allowed = threshold(s, temperature) + anneal_regular_cost(s), old = 0;
    size_t touched = 0;
    struct columns_mark mark;

    if (!anneal_admit(s, s->after, n, &mark))
        return false;
    anneal_fill(s, &mark);
    size_t bytes = columns_lanes(s->columns.count) * sizeof *s->saved;
    s->clock++;
    for (size_t i = 0; i < n; i++) {
        uint32_t f = s->changed[i];
        if (s->prices.usage != 0)
            allowed -= anneal_usage_price(s, f, &s->after[i]);
        s->before[i] = s->g->genes[f];
        memcpy(s->saved + i * s->tables.stride, anneal_table(s, f), bytes);
        anneal_install(s, f, &s->after[i]);
        s->engine->fill(&s->after[i], &s->columns, 0, s->g->width, anneal_table(s, f));
        for (uint32_t k = p->link_start[f]; k < p->link_start[f + 1]; k++) {
            uint32_t e = p->links[k].experiment;
            if (s->stamp[e] != s->clock) {
                s->stamp[e] = s->clock;
                s->touched[touched++] = e;
                old += (double)s->errors[e];
            }
        }
    }
    allowed -= anneal_regular_cost(s);
    if (no_worse(s, touched, allowed, old)) {
        for (size_t i = 0; i < touched; i++)
            set_error(s, s->touched[i], s->touched_errors[i]);
        return true;
    }
    for (size_t i = n; i-- > 0;) {
        anneal_install(s, s->changed[i], &s->before[i]);
        memcpy(anneal_table(s, s->changed[i]), s->saved + i * s->tables.stride, bytes);
    }
    anneal_retract(s, &mark);
    return false;
}

static unsigned any_set(struct annealer *s)
{
    return s->distinct ? s->dictionary[anneal_below(s, s->distinct)] : anneal_random_set(s);
}

/* Replaces set number @i of @gene with @set. Returns false if @set is empty, if nothing changes, or
 * if the gene is full. */
static bool exchange(struct gene *gene, unsigned i, unsigned set)
{
    unsigned count = gene->count[i];
    if (!set || gene->set[i] == set)
        return false;
    gene_remove(gene, i);
    return gene_add(gene, set, count);
}

/* Replaces a set, and scales the count to keep the ports of @set equally busy. For example, two
 * µops on two ports take as long as one µop on one of the ports. Only this step converts one of
 * these usages into the other. */
static bool scale(struct gene *gene, unsigned i, unsigned set)
{
    unsigned size = portset_size(gene->set[i]),
             count = (gene->count[i] * portset_size(set) + size / 2) / size;

    if (!set || gene->set[i] == set || count > GENE_COUNT_MAX)
        return false;
    gene_remove(gene, i);
    return gene_add(gene, set, count ? count : 1);
}

static bool step_count(struct annealer *s, struct gene *gene)
{
    unsigned i = anneal_below(s, gene->uops), size = portset_size(gene->set[i]);
    /* Changes a large count by larger steps. */
    unsigned step = gene->count[i] > 4 && anneal_below(s, 2)
                        ? 1 + anneal_below(s, gene->count[i] / 2u)
                    : anneal_below(s, 4) ? 1
                                         : size;
    unsigned set = gene->set[i];

    if (anneal_below(s, 2))
        return gene_add(gene, set, step);
    if (gene->count[i] <= step)
        return false;
    gene->count[i] = (uint8_t)(gene->count[i] - step);
    return true;
}

static bool shift_count(struct annealer *s, struct gene *gene)
{
    unsigned i = anneal_below(s, gene->uops), set = any_set(s), from = gene->set[i];
    unsigned count =
        gene->count[i] > 1 && anneal_below(s, 2) ? 1 + anneal_below(s, gene->count[i]) : 1;

    if (set == from)
        return false;
    gene->count[i] = (uint8_t)(gene->count[i] - count);
    if (gene->count[i] == 0)
        gene_remove(gene, i);
    return gene_add(gene, set, count);
}

static bool swap_ports(struct annealer *s, struct gene *gene)
{
    unsigned a = anneal_below(s, s->g->ports), b = anneal_below(s, s->g->ports);
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

uint32_t anneal_draw_form(struct annealer *s, uint32_t f, bool like)
{
    uint32_t first = s->like_start[2 * f], end = s->like_start[2 * f + 1], other = f;
    unsigned most = anneal_below(s, 256) < s->kin_chance ? KIN_DRAWS : 1;
    for (unsigned draws = 0; draws < most && (draws == 0 || s->p->kind[other] != s->p->kind[f]);
         draws++)
        other = like ? s->like[first + anneal_below(s, end - first)]
                     : anneal_below(s, (unsigned)s->p->forms);
    return other;
}

/* Changes @gene of form @f by one step of @kind. Returns false if impossible. */
static bool mutate(struct annealer *s, uint32_t f, enum anneal_move kind, struct gene *gene)
{
    const struct gene *genes = s->g->genes;

    if (gene->uops == 0 && kind >= MOVE_TOGGLE && kind != MOVE_SLOTS)
        return gene_add(gene, any_set(s), 1);
    switch (kind) {
    case MOVE_COPY:
    case MOVE_COPY_LIKE:
        *gene = genes[anneal_draw_form(s, f, kind == MOVE_COPY_LIKE)];
        return !gene_equal(gene, &genes[f]);
    case MOVE_TOGGLE: {
        unsigned i = anneal_below(s, gene->uops);
        return exchange(gene, i, gene->set[i] ^ 1u << anneal_below(s, s->g->ports));
    }
    case MOVE_REPLACE:
    case MOVE_RANDOM: {
        /* Separate statements fix the order of evaluation. */
        unsigned set = kind == MOVE_REPLACE ? any_set(s) : anneal_random_set(s),
                 i = anneal_below(s, gene->uops);
        return exchange(gene, i, set);
    }
    case MOVE_COUNT:
        return step_count(s, gene);
    case MOVE_ADD:
        return gene_add(gene, anneal_below(s, 16) ? any_set(s) : anneal_random_set(s), 1);
    case MOVE_DROP:
        gene_remove(gene, anneal_below(s, gene->uops));
        return true;
    case MOVE_SHIFT:
        return shift_count(s, gene);
    case MOVE_SWAP:
        return swap_ports(s, gene);
    case MOVE_SCALE: {
        unsigned i = anneal_below(s, gene->uops);
        return scale(gene, i,
                     anneal_below(s, 2) ? gene->set[i] ^ 1u << anneal_below(s, s->g->ports)
                                        : any_set(s));
    }
    case MOVE_SLOTS:
        if (!(s->g->width > 0) || (gene->slots == 0 && !anneal_below(s, 2)))
            return false;
        gene->slots =
            (uint8_t)(gene->slots + (anneal_below(s, 2) && gene->slots ? -1 : gene->slots < 250));
        return true;
    default:
        return false;
    }
}

/* probability of a move that changes several forms, in 1/256 */
#define COMPOUND ((unsigned)chances[MOVE_CLASS] + chances[MOVE_SET] + chances[MOVE_SPLIT])

static enum anneal_move pick_form_move(struct annealer *s)
{
    unsigned draw = anneal_below(s, 256 - COMPOUND);
    enum anneal_move kind = MOVE_COPY;
    while (draw >= chances[kind])
        draw -= chances[kind++];
    return kind;
}

/* Changes all forms with one usage together. Returns whether the change was accepted. */
static bool move_class(struct annealer *s, double temperature)
{
    uint32_t f = anneal_below(s, (unsigned)s->p->forms);
    struct gene gene = s->g->genes[f];
    size_t n = 0;

    if (!mutate(s, f, pick_form_move(s), &gene))
        return false;
    uint64_t hash = s->hashes[f];
    for (uint32_t k = 0; k < s->p->forms; k++)
        if (s->hashes[k] == hash) {
            s->after[n] = gene;
            s->changed[n++] = k;
        }
    return try_genes(s, n, temperature);
}

static bool has_set(const struct gene *gene, unsigned set)
{
    unsigned i = 0;
    while (i < gene->uops && gene->set[i] != set)
        i++;
    return i < gene->uops;
}

/* A replacement of one µop in many forms */
struct set_exchange {
    /* @required: another µop that a usage must have for its µop to be replaced; 0: none */
    unsigned from, to, required;
    uint32_t one;
    bool kind;                   /* whether to replace the µop only in forms of the kind of form
                                  * @one */
    /* whether to scale the count to keep the ports equally busy */
    bool scaled;
};

/* Draws a replacement. Returns false if it would change nothing. */
static bool pick_exchange(struct annealer *s, struct set_exchange *x)
{
    enum { EVERYWHERE, KIND, CONCURRENT };
    /* The number of occurrences of a mode in this list is its relative frequency. */
    static const uint8_t places[] = {EVERYWHERE, EVERYWHERE, KIND, CONCURRENT};

    *x = (struct set_exchange){.one = anneal_below(s, (unsigned)s->p->forms)};
    const struct gene *own = &s->g->genes[x->one];
    unsigned place = places[anneal_below(s, sizeof places / sizeof *places)];
    unsigned at = own->uops ? anneal_below(s, own->uops) : 0;
    x->from = place == EVERYWHERE || !own->uops ? any_set(s) : own->set[at];
    x->required = place == CONCURRENT && own->uops > 1 ? own->set[(at + 1) % own->uops] : 0;
    x->to = anneal_below(s, 3)   ? x->from ^ 1u << anneal_below(s, s->g->ports)
            : anneal_below(s, 2) ? any_set(s)
                                 : anneal_random_set(s);
    x->kind = place == KIND;
    x->scaled = portset_size(x->from) != portset_size(x->to) && anneal_below(s, 2);
    return x->to != 0 && x->to != x->from;
}

/* Replaces one µop, with the same or a scaled count. Replaces it in all forms, in forms of one
 * kind, or in usages with another given µop (such as loads with a store). */
static bool move_set(struct annealer *s, double temperature)
{
    struct set_exchange x;
    bool possible = pick_exchange(s, &x);
    size_t n = 0;

    for (uint32_t f = 0; possible && f < s->p->forms; f++) {
        const struct gene *gene = &s->g->genes[f];
        if ((x.kind && s->p->kind[f] != s->p->kind[x.one]) ||
            (x.required && !has_set(gene, x.required)))
            continue;
        for (unsigned i = 0; i < gene->uops; i++)
            if (gene->set[i] == x.from) {
                s->after[n] = *gene;
                possible &=
                    x.scaled ? scale(&s->after[n], i, x.to) : exchange(&s->after[n], i, x.to);
                s->changed[n++] = f;
                break;
            }
    }
    return possible && n && try_genes(s, n, temperature);
}

/* Returns a random port of @set; 0: it is empty. */
static unsigned any_port(struct annealer *s, unsigned set)
{
    unsigned skip = set ? anneal_below(s, portset_size(set)) : 0;
    while (skip--)
        set &= set - 1;
    return set & -set;
}

/* Splits a port that stands for two ports of the CPU. Replaces the port in one set, and may add a
 * µop of a new set to the usages that the port limits. The reverse move merges two ports. */
static bool move_split(struct annealer *s, double temperature)
{
    unsigned from = any_set(s), a = any_port(s, from),
             b = any_port(s, ((1u << s->g->ports) - 1) & ~from), to = (from & ~a) | b;
    bool merge = anneal_below(s, 2), possible = b != 0;
    uint64_t salt = rng_next(&s->rng);
    size_t n = 0;

    for (uint32_t f = 0; possible && f < s->p->forms; f++) {
        struct gene gene = s->g->genes[f];
        unsigned own = GENE_UOPS, part = GENE_UOPS;
        for (unsigned i = 0; i < gene.uops; i++) {
            unsigned set = gene.set[i];
            own = set == from ? i : own;
            part = set != from && set & (merge ? b : a) && (set & ~(merge ? to : from)) == 0 ? i
                                                                                             : part;
        }
        bool chosen = part < GENE_UOPS && (s->hashes[f] * (salt | 1)) >> 63;
        if (own < GENE_UOPS && merge && chosen && gene.count[own] == 1)
            gene_remove(&gene, own);
        else if (own < GENE_UOPS)
            possible &= exchange(&gene, own, to);
        else if (!merge && chosen)
            possible &= gene_add(&gene, to, 1);
        else
            continue;
        s->after[n] = gene;
        s->changed[n++] = f;
    }
    return possible && n && try_genes(s, n, temperature);
}

static enum anneal_move pick_move(struct annealer *s)
{
    unsigned draw = anneal_below(s, 256);
    if (draw >= COMPOUND)
        return pick_form_move(s);
    return draw < chances[MOVE_CLASS]              ? MOVE_CLASS
           : draw < COMPOUND - chances[MOVE_SPLIT] ? MOVE_SET
                                                   : MOVE_SPLIT;
}

void anneal_run(struct annealer *s, uint64_t moves, double temperature)
{
    if (s->stale)
        anneal_lay_out(s);
    /* @look: steps per move in addition to its evaluations, because even a rejected move reads the
     * experiments of a form. */
    uint64_t look = 1 + s->p->link_start[s->p->forms] / (s->p->forms + 1) / LINKS_A_STEP,
             before = s->stats.evaluations;
    for (uint64_t i = 0;
         i < moves && !watch_steps(look + (s->stats.evaluations - before) / EVALUATIONS_A_STEP);
         i++) {
        enum anneal_move kind = pick_move(s);
        before = s->stats.evaluations;
        bool accepted;
        if (kind == MOVE_CLASS) {
            accepted = move_class(s, temperature);
        } else if (kind == MOVE_SET) {
            accepted = move_set(s, temperature);
        } else if (kind == MOVE_SPLIT) {
            accepted = move_split(s, temperature);
        } else {
            uint32_t f = anneal_below(s, (unsigned)s->p->forms);
            struct gene gene = s->g->genes[f];
            accepted = mutate(s, f, kind, &gene) && try_gene(s, f, &gene, temperature);
        }
        s->stats.tried[kind]++;
        s->stats.accepted[kind] += accepted;
    }
}

