/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/build_match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/watch.h"

#define PAIRS_MOST 4000000u    /* number of pairs of loops in a group above which only loops at
                                * similar positions are compared */
#define NEAR 1000u
/* similarity of the loops of two functions with different names, above which the functions match */
#define ALIKE_FUNCTION 0.7
/* Largest distance, in functions, and smallest similarity of a second search in code order. It
 * matches functions that compiler flags change substantially. */
#define NEXT 3u
#define ALIKE_NEXT 0.3
/* Smallest similarity of loops in matched functions if they share less than LINES_LEAST of their
 * source lines. Does not apply if each function has a single loop. The range of lines is wide if
 * inlined functions are in the same file. */
#define ALIKE_LOOP 0.25
#define LINES_LEAST 0.5
/* smallest similarity of such loops if they are in the same file but share no line; edits of the
 * file move lines */
#define ALIKE_MOVED 0.6
/* smallest similarity of loops with common source lines in functions with different names */
#define ALIKE_LINES 0.15
#define FACTOR_MOST 256        /* largest factor by which compilers unroll or vectorise */
#define SCALAR_MOST 8          /* size in bytes of the largest scalar access */
/* limit of the ratio of instruction counts, or of accessed bytes, of loops with equal work per
 * iteration */
#define SAME_WORK 1.5

struct group {
    VEC(uint32_t) a, b;
};

struct scored { double score; uint32_t a, b; };

struct matcher {
    const struct binary *a, *b;
    struct loop_matches *out;
    uint32_t *match_a, *match_b;   /* match of each loop; MATCH_NONE: none */
    enum match_way *way;
    VEC(struct scored) scores;
};

static bool same_file(const struct build_loop *x, const struct build_loop *y)
{
    return x->file && y->file && strcmp(path_base(x->file), path_base(y->file)) == 0;
}

/* Returns the common lines of both loops as a share of their whole range of lines; 0 if the files
 * differ or are unknown. */
static double lines_alike(const struct build_loop *x, const struct build_loop *y)
{
    if (!same_file(x, y))
        return 0;
    const uint32_t first = x->first_line > y->first_line ? x->first_line : y->first_line,
                   last = x->last_line < y->last_line ? x->last_line : y->last_line;
    const uint32_t low = x->first_line < y->first_line ? x->first_line : y->first_line,
                   high = x->last_line > y->last_line ? x->last_line : y->last_line;
    return last < first ? 0 : (double)(last - first + 1) / (high - low + 1);
}

static double place(size_t at, size_t count)
{
    return count > 1 ? (double)at / (double)(count - 1) : 0;
}

/* Returns the score of a match of loops @i of A and @j of B in @g; higher is more likely. NaN: no
 * match. */
static double score_of(const struct matcher *m, const struct group *g, enum match_way way, size_t i,
                       size_t j)
{
    const struct build_loop *p = build_loop(m->a, g->a.items[i]),
                            *q = build_loop(m->b, g->b.items[j]);
    const char *const member_a = build_function(m->a, p->function)->member,
                      *const member_b = build_function(m->b, q->function)->member;
    const double lines = lines_alike(p, q), alike = loop_shape_alike(&p->shape, &q->shape),
                 distance = fabs(place(i, g->a.count) - place(j, g->b.count));
    const bool sourced = same_file(p, q), one = g->a.count == 1 && g->b.count == 1;

    const double least = sourced && lines == 0 ? ALIKE_MOVED : ALIKE_LOOP;

    if (way == MATCH_LINES ? lines == 0 || alike < ALIKE_LINES
                           : lines < LINES_LEAST && alike < least && !one)
        return NAN;
    double score = 2 * lines + alike + (p->sequence == q->sequence) + 0.3 * (1 - distance);
    score += p->innermost == q->innermost ? 0.5 : -0.25;
    score += p->depth == q->depth ? 0.25 : 0;
    /* If only one of the loops is a remainder loop, the penalty exceeds the largest score for
     * similar instructions. */
    score += p->remainder == q->remainder ? 0.5 : -2;
    score += member_a && member_b && strcmp(member_a, member_b) == 0;
    return score + 0.5 * sourced;
}

static int best_first(const void *a, const void *b)
{
    const struct scored *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

/* Matches the unmatched loops of @g, the most likely pairs first. In a large group, compares only
 * loops at similar positions. */
static void match_group(struct matcher *m, const struct group *g, enum match_way way)
{
    const size_t n = g->a.count, other = g->b.count, window = n ? PAIRS_MOST / n + 1 : 0;

    m->scores.count = 0;
    for (size_t i = 0; i < n && !watch_steps(1); i++) {
        const size_t middle = (size_t)(place(i, n) * (double)(other ? other - 1 : 0)),
                     from = middle > window ? middle - window : 0;
        for (size_t j = from; j < other && j <= middle + window && !watch_steps(1); j++) {
            if (m->match_a[g->a.items[i]] != MATCH_NONE || m->match_b[g->b.items[j]] != MATCH_NONE)
                continue;
            const double score = score_of(m, g, way, i, j);
            if (!isnan(score))
                vec_add(&m->scores, ((struct scored){score, g->a.items[i], g->b.items[j]}));
        }
    }
    if (m->scores.count)
        qsort(m->scores.items, m->scores.count, sizeof *m->scores.items, best_first);
    for (size_t i = 0; i < m->scores.count; i++) {
        const struct scored *s = &m->scores.items[i];
        if (m->match_a[s->a] != MATCH_NONE || m->match_b[s->b] != MATCH_NONE)
            continue;
        m->match_a[s->a] = s->b;
        m->match_b[s->b] = s->a;
        m->way[s->a] = way;
    }
}

/* Key of a group: a function name or a source file. @item is the function or loop with this key. */
struct group_key { const char *key; uint32_t item; bool of_b; };

static int by_key(const void *a, const void *b)
{
    const struct group_key *x = a, *y = b;
    const int order = strcmp(x->key, y->key);

    if (order)
        return order;
    return x->of_b != y->of_b ? x->of_b - y->of_b : (x->item > y->item) - (x->item < y->item);
}

struct keyed_list { VEC(struct group_key) list; };

static void add_loops_of(struct group *g, const struct binary *b, uint32_t function, bool of_b)
{
    const struct build_function *f = build_function(b, function);

    for (size_t i = f->first; i < f->first + f->count; i++) {
        if (of_b)
            vec_add(&g->b, (uint32_t)i);
        else
            vec_add(&g->a, (uint32_t)i);
    }
}

static void match_keyed(struct matcher *m, struct keyed_list *keys, enum match_way way)
{
    struct group g = {{0}, {0}};

    if (keys->list.count)
        qsort(keys->list.items, keys->list.count, sizeof *keys->list.items, by_key);
    for (size_t first = 0, end; first < keys->list.count && !watch_steps(1); first = end) {
        g.a.count = g.b.count = 0;
        for (end = first; end < keys->list.count &&
                          strcmp(keys->list.items[end].key, keys->list.items[first].key) == 0;
             end++) {
            const struct group_key *k = &keys->list.items[end];
            if (way == MATCH_FUNCTION)
                add_loops_of(&g, k->of_b ? m->b : m->a, k->item, k->of_b);
            else if (k->of_b)
                vec_add(&g.b, k->item);
            else
                vec_add(&g.a, k->item);
        }
        if (g.a.count && g.b.count)
            match_group(m, &g, way);
    }
    vec_done(&g.a);
    vec_done(&g.b);
}

static void match_by_function(struct matcher *m)
{
    struct keyed_list keys = {{0}};

    for (int side = 0; side < 2; side++) {
        const struct binary *build = side ? m->b : m->a;
        for (size_t i = 0; i < build_function_count(build); i++)
            if (!build_function(build, i)->nameless)
                vec_add(&keys.list,
                        ((struct group_key){build_function(build, i)->base, (uint32_t)i, side}));
    }
    match_keyed(m, &keys, MATCH_FUNCTION);
    vec_done(&keys.list);
}

static void match_by_lines(struct matcher *m)
{
    struct keyed_list keys = {{0}};

    for (int side = 0; side < 2; side++) {
        const struct binary *build = side ? m->b : m->a;
        const uint32_t *matched = side ? m->match_b : m->match_a;
        for (size_t i = 0; i < build_loop_count(build); i++)
            if (matched[i] == MATCH_NONE && build_loop(build, i)->file)
                vec_add(&keys.list, ((struct group_key){path_base(build_loop(build, i)->file),
                                                        (uint32_t)i, side}));
    }
    match_keyed(m, &keys, MATCH_LINES);
    vec_done(&keys.list);
}

static bool untouched(const uint32_t *matched, const struct build_function *f)
{
    for (size_t i = f->first; i < f->first + f->count; i++)
        if (matched[i] != MATCH_NONE)
            return false;
    return true;
}

struct left_over {
    uint32_t function;
    uint64_t sequence;
    struct loop_shape shape;
    bool taken;
};

struct left_list { VEC(struct left_over) list; };

static void collect_left(const struct binary *b, const uint32_t *matched, struct left_list *out)
{
    for (size_t i = 0; i < build_function_count(b) && !watch_steps(1); i++) {
        const struct build_function *f = build_function(b, i);
        struct left_over left = {.function = (uint32_t)i};
        if (!untouched(matched, f))
            continue;
        for (size_t l = f->first; l < f->first + f->count; l++) {
            const struct build_loop *loop = build_loop(b, l);
            left.sequence = (left.sequence ^ loop->sequence) * 0x9e3779b97f4a7c15u;
            for (size_t k = 0; k < SHAPE_KINDS; k++) {
                const unsigned sum = (unsigned)left.shape.counts[k] + loop->shape.counts[k];
                left.shape.counts[k] = (uint8_t)(sum < UINT8_MAX ? sum : UINT8_MAX);
            }
        }
        vec_add(&out->list, left);
    }
}

static void match_functions(struct matcher *m, struct left_over *x, struct left_over *y)
{
    struct group g = {{0}, {0}};

    x->taken = y->taken = true;
    add_loops_of(&g, m->a, x->function, false);
    add_loops_of(&g, m->b, y->function, true);
    match_group(m, &g, MATCH_SHAPE);
    vec_done(&g.a);
    vec_done(&g.b);
}

static int by_sequence(const void *a, const void *b)
{
    const struct left_over *x = *(struct left_over *const *)a, *y = *(struct left_over *const *)b;

    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    return (x->function > y->function) - (x->function < y->function);
}

static struct left_over **sorted(struct left_list *left)
{
    struct left_over **out = mem_zero(left->list.count + 1, sizeof *out);

    for (size_t i = 0; i < left->list.count; i++)
        out[i] = &left->list.items[i];
    qsort(out, left->list.count, sizeof *out, by_sequence);
    return out;
}

/* Matches functions with identical loops, in code order if several are identical. */
static void match_same(struct matcher *m, struct left_list *a, struct left_list *b)
{
    struct left_over **x = sorted(a), **y = sorted(b);

    for (size_t i = 0, j = 0; i < a->list.count && j < b->list.count && !watch_steps(1);) {
        if (x[i]->sequence == y[j]->sequence)
            match_functions(m, x[i++], y[j++]);
        else if (x[i]->sequence < y[j]->sequence)
            i++;
        else
            j++;
    }
    free(x);
    free(y);
}

/* Returns whether the first loops of both functions have source lines, but in different files. */
static bool other_file(const struct matcher *m, const struct left_over *x,
                       const struct left_over *y)
{
    const struct build_function *f = build_function(m->a, x->function),
                                *g = build_function(m->b, y->function);
    const struct build_loop *p = f->count ? build_loop(m->a, f->first) : NULL,
                            *q = g->count ? build_loop(m->b, g->first) : NULL;
    return p && q && p->file && q->file && !same_file(p, q);
}

/* Matches each remaining function of A with the most similar one of B at most @near functions from
 * the expected position, if their similarity exceeds @least. */
static void match_alike(struct matcher *m, struct left_list *a, struct left_list *b, size_t near,
                        double least)
{
    for (size_t i = 0; i < a->list.count && !watch_steps(1); i++) {
        struct left_over *x = &a->list.items[i], *best = NULL;
        const size_t middle = (size_t)(place(i, a->list.count) * (double)b->list.count),
                     from = middle > near ? middle - near : 0;
        double most = least;
        for (size_t j = from;
             j < b->list.count && j <= middle + near && !x->taken && !watch_steps(1); j++) {
            struct left_over *y = &b->list.items[j];
            const double alike =
                y->taken || other_file(m, x, y) ? 0 : loop_shape_alike(&x->shape, &y->shape);
            if (alike > most) {
                most = alike;
                best = y;
            }
        }
        if (best)
            match_functions(m, x, best);
    }
}

static void match_by_shape(struct matcher *m)
{
    struct left_list a = {{0}}, b = {{0}};

    collect_left(m->a, m->match_a, &a);
    collect_left(m->b, m->match_b, &b);
    if (a.list.count && b.list.count) {
        match_same(m, &a, &b);
        match_alike(m, &a, &b, NEAR, ALIKE_FUNCTION);
        match_alike(m, &a, &b, NEXT, ALIKE_NEXT);
    }
    vec_done(&a.list);
    vec_done(&b.list);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool scalar(const struct build_loop *l)
{
    return l->least && l->least == l->width && l->width <= SCALAR_MOST;
}

/* Returns whether the bytes that @p and @q access per iteration have about the ratio @x to @y of
 * their smallest strides. Otherwise these are strides of different arrays. With equal strides, the
 * number of accesses of one array may differ. */
static bool accesses_match(const struct build_loop *p, const struct build_loop *q, uint64_t x,
                           uint64_t y)
{
    const double a = (double)p->bytes * (double)y, b = (double)q->bytes * (double)x;
    return x == y || (a < SAME_WORK * b && b < SAME_WORK * a);
}

static void take_times(const struct build_loop *p, const struct build_loop *q,
                       struct loop_match *out)
{
    const double more = (double)(p->instructions > q->instructions ? p->instructions
                                                                   : q->instructions),
                 fewer = (double)(p->instructions < q->instructions ? p->instructions
                                                                    : q->instructions);

    const bool similar = more <= SAME_WORK * fewer;

    out->times_a = out->times_b = 1;
    if (p->sequence == q->sequence && p->least == q->least) {
        out->known = MATCH_TIMES_KNOWN;
    } else if (p->least && q->least) {
        const uint64_t divisor = common_divisor(p->least, q->least), x = p->least / divisor,
                       y = q->least / divisor;
        const bool proportional = p->most * y == q->most * x || x == y,
                   accessed = accesses_match(p, q, x, y);
        out->known = proportional && accessed && x <= FACTOR_MOST && y <= FACTOR_MOST
                         ? MATCH_TIMES_KNOWN
                     : proportional && !accessed && similar ? MATCH_TIMES_ASSUMED
                                                            : MATCH_TIMES_UNKNOWN;
        if (out->known == MATCH_TIMES_KNOWN) {
            out->times_a = (double)x;
            out->times_b = (double)y;
        }
    } else {
        out->known =
            similar || scalar(p) || scalar(q) ? MATCH_TIMES_ASSUMED : MATCH_TIMES_UNKNOWN;
    }
}

/* Returns whether each inner loop of @p matches an inner loop of @q with equal work per iteration.
 * If so, the other instructions of the outer loops can be compared. */
static bool same_within(const struct matcher *m, const struct build_loop *p,
                        const struct build_loop *q)
{
    const struct build_function *f = build_function(m->a, p->function),
                                *g = build_function(m->b, q->function);
    size_t inner_a = 0, inner_b = 0;

    for (size_t i = g->first; i < g->first + g->count; i++) {
        const struct build_loop *inner = build_loop(m->b, i);
        inner_b +=
            inner->depth > q->depth && inner->position >= q->position && inner->end <= q->end;
    }
    for (size_t i = f->first; i < f->first + f->count && !watch_steps(1); i++) {
        const struct build_loop *inner = build_loop(m->a, i),
                                *other = m->match_a[i] != MATCH_NONE
                                             ? build_loop(m->b, m->match_a[i])
                                             : NULL;
        if (inner->depth <= p->depth || inner->position < p->position || inner->end > p->end)
            continue;
        const struct loop_match *match = &m->out->list.items[i];
        if (!other || other->position < q->position || other->end > q->end ||
            match->known == MATCH_TIMES_UNKNOWN || match->times_a != match->times_b)
            return false;
        inner_a++;
    }
    return inner_a == inner_b;
}

static void write_out(const struct matcher *m)
{
    for (size_t i = 0; i < build_loop_count(m->a); i++) {
        struct loop_match match = {
            .a = (uint32_t)i, .b = m->match_a[i], .way = m->way[i], .times_a = 1, .times_b = 1};
        if (match.b != MATCH_NONE)
            take_times(build_loop(m->a, i), build_loop(m->b, match.b), &match);
        vec_add(&m->out->list, match);
    }
    for (size_t i = 0; i < m->out->list.count; i++) {
        struct loop_match *match = &m->out->list.items[i];
        const struct build_loop *p = build_loop(m->a, match->a),
                                *q = match->b != MATCH_NONE ? build_loop(m->b, match->b) : NULL;
        match->within = q && (!p->innermost || !q->innermost) && !same_within(m, p, q);
        if (match->within)
            match->known = MATCH_TIMES_UNKNOWN;
    }
    for (size_t i = 0; i < build_loop_count(m->b); i++)
        if (m->match_b[i] == MATCH_NONE)
            vec_add(&m->out->list,
                    ((struct loop_match){
                        .a = MATCH_NONE, .b = (uint32_t)i, .times_a = 1, .times_b = 1}));
}

bool build_match(const struct binary *a, const struct binary *b, struct loop_matches *out,
                 struct err *err)
{
    struct matcher m = {.a = a, .b = b, .out = out};

    m.match_a = mem_zero(build_loop_count(a) + 1, sizeof *m.match_a);
    m.match_b = mem_zero(build_loop_count(b) + 1, sizeof *m.match_b);
    m.way = mem_zero(build_loop_count(a) + 1, sizeof *m.way);
    memset(m.match_a, 0xff, (build_loop_count(a) + 1) * sizeof *m.match_a);
    memset(m.match_b, 0xff, (build_loop_count(b) + 1) * sizeof *m.match_b);
    match_by_function(&m);
    match_by_lines(&m);
    match_by_shape(&m);
    write_out(&m);
    vec_done(&m.scores);
    free(m.match_a);
    free(m.match_b);
    free(m.way);
    return watch_goes_on(err);
}

const char *match_way_name(enum match_way way)
{
    static const char *const names[MATCH_WAYS] = {"function", "lines", "shape"};

    return names[way];
}
