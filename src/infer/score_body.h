/* The scoring kernels, written once and compiled for each instruction set; the including file has chosen it. */
#include <math.h>

#include "infer/score.h"
#include "infer/score_lanes.h"

/* µops of @gene that fit into the sets of one vector of columns. */
static inline lanes score_mass(const struct gene *gene, const int32_t *sets)
{
    lanes outside = ~*(const lanes *)sets, sum = {0};
    for (unsigned i = 0; i < gene->uops; i++)
        sum += ((outside & (int32_t)gene->set[i]) == 0) & (int32_t)gene->count[i];
    return sum;
}

static inline void score_table(const struct gene *gene, const struct columns *columns, unsigned first, double width, float *table)
{
    size_t end = columns_lanes(columns->count);

    for (size_t q = first / SCORE_LANES * SCORE_LANES; q < end; q += SCORE_LANES)
        *(flanes *)(table + q) = __builtin_convertvector(score_mass(gene, columns->sets + q), flanes) * *(const flanes *)(columns->reciprocal + q);
    if (first < SCORE_LANES)
        table[0] = width > 0 ? (float)((double)gene->slots / width) : 0;
}

static inline flanes score_sum(const struct problem_term *others, uint32_t n, const float *tables, size_t stride, size_t end, const float *fresh, float own)
{
    flanes best = {0};

    if (n == 0) {
        for (size_t q = 0; q < end; q += SCORE_LANES)
            best = larger(best, *(const flanes *)(fresh + q));
        return best * own;
    }
    const float *a = tables + others[0].form * stride;
    float na = others[0].count;
    if (n == 1 && own == 1 && na == 1) {
        for (size_t q = 0; q < end; q += SCORE_LANES)
            best = larger(best, *(const flanes *)(fresh + q) + *(const flanes *)(a + q));
        return best;
    }
    if (n == 1) {
        for (size_t q = 0; q < end; q += SCORE_LANES)
            best = larger(best, *(const flanes *)(fresh + q) * own + *(const flanes *)(a + q) * na);
        return best;
    }
    const float *b = tables + others[1].form * stride;
    float nb = others[1].count;
    if (n == 2) {
        for (size_t q = 0; q < end; q += SCORE_LANES)
            best = larger(best, *(const flanes *)(fresh + q) * own + *(const flanes *)(a + q) * na + *(const flanes *)(b + q) * nb);
        return best;
    }
    for (size_t q = 0; q < end; q += SCORE_LANES) {
        flanes sum = *(const flanes *)(fresh + q) * own;
        for (uint32_t k = 0; k < n; k++)
            sum += *(const flanes *)(tables + others[k].form * stride + q) * others[k].count;
        best = larger(best, sum);
    }
    return best;
}

/* The same over the columns from @first on, which the others' tables do not hold yet. */
static inline flanes score_new(const struct scoring *s, const struct problem_term *others, uint32_t n, size_t first, const float *fresh, float own, flanes best)
{
    size_t end = columns_lanes(s->columns->count);

    if (first == 0) {   /* the issue bound is in no set of ports */
        float issue = fresh[0] * own;
        for (uint32_t k = 0; k < n; k++)
            issue += s->tables[others[k].form * s->stride] * others[k].count;
        best[0] = issue;
    }
    for (size_t q = first; q < end; q += SCORE_LANES) {
        flanes sum = {0};
        for (uint32_t k = 0; k < n; k++)
            sum += __builtin_convertvector(score_mass(&s->genes[others[k].form], s->columns->sets + q), flanes) * others[k].count;
        best = larger(best, sum * *(const flanes *)(s->columns->reciprocal + q) + *(const flanes *)(fresh + q) * own);
    }
    return best;
}

static inline float score_cycles(const struct scoring *s, uint32_t e)
{
    const struct problem_term *terms = s->p->terms + s->p->term_start[e];
    uint32_t n = s->p->term_start[e + 1] - s->p->term_start[e] - 1;
    return largest(score_sum(terms + 1, n, s->tables, s->stride, columns_lanes(s->columns->count), s->tables + terms[0].form * s->stride, terms[0].count));
}

static inline float score_form(const struct scoring *s, size_t ready, uint32_t form, const float *fresh, float limit, float *errors)
{
    const struct problem *p = s->p;
    bool more = ready < s->columns->count;
    float sum = 0;

    ready = more ? ready : columns_lanes(s->columns->count);
    for (uint32_t i = p->link_start[form]; i < p->link_start[form + 1]; i++) {
        const struct problem_link *link = &p->links[i];
        const struct problem_term *others = p->others + link->first;
        flanes best = score_sum(others, link->count, s->tables, s->stride, ready, fresh, link->own);
        if (more)
            best = score_new(s, others, link->count, ready, fresh, link->own, best);
        float error = fabsf(largest(best) * p->inverse[link->experiment] - p->weight[link->experiment]);
        *errors++ = error;
        sum += error;
        if (sum > limit)
            break;
    }
    return sum;
}
