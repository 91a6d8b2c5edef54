/* The scoring kernels, written once and compiled for each instruction set; the including file has chosen it. */
#include <math.h>

#include "infer/score.h"
#include "infer/score_reciprocal.h"
#include "infer/score_lanes.h"

static inline void score_table(const struct gene *gene, unsigned ports, double width, float *table)
{
    static const _Alignas(64) int32_t ramp[PROBLEM_LANES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    size_t columns = score_columns(ports);

    for (size_t base = 0; base < columns; base += SCORE_LANES) {
        lanes outside = ~(*(const lanes *)ramp + (int32_t)base), sum = {0};
        for (unsigned i = 0; i < gene->uops; i++)
            sum += ((outside & (int32_t)gene->set[i]) == 0) & (int32_t)gene->count[i];
        *(flanes *)(table + base) = __builtin_convertvector(sum, flanes) * *(const flanes *)(score_reciprocal + base);
    }
    /* Columns beyond the ports there are (fewer than 4) only repeat smaller sets: harmless, since 1/|Q| is smaller there. */
    table[0] = width > 0 ? (float)((double)gene->slots / width) : 0;
}

static inline float score_sum(const struct problem_term *others, uint32_t n, const float *tables, size_t columns, const float *fresh, float own)
{
    flanes best = {0};

    if (n == 0) {
        for (size_t q = 0; q < columns; q += SCORE_LANES)
            best = larger(best, *(const flanes *)(fresh + q));
        return largest(best) * own;
    }
    const float *a = tables + others[0].form * columns;
    float na = others[0].count;
    if (n == 1 && own == 1 && na == 1) {
        for (size_t q = 0; q < columns; q += SCORE_LANES)
            best = larger(best, *(const flanes *)(fresh + q) + *(const flanes *)(a + q));
        return largest(best);
    }
    if (n == 1) {
        for (size_t q = 0; q < columns; q += SCORE_LANES)
            best = larger(best, *(const flanes *)(fresh + q) * own + *(const flanes *)(a + q) * na);
        return largest(best);
    }
    const float *b = tables + others[1].form * columns;
    float nb = others[1].count;
    if (n == 2) {
        for (size_t q = 0; q < columns; q += SCORE_LANES)
            best = larger(best, *(const flanes *)(fresh + q) * own + *(const flanes *)(a + q) * na + *(const flanes *)(b + q) * nb);
        return largest(best);
    }
    for (size_t q = 0; q < columns; q += SCORE_LANES) {
        flanes sum = *(const flanes *)(fresh + q) * own;
        for (uint32_t k = 0; k < n; k++)
            sum += *(const flanes *)(tables + others[k].form * columns + q) * others[k].count;
        best = larger(best, sum);
    }
    return largest(best);
}

static inline float score_cycles(const struct problem *p, const float *tables, size_t columns, uint32_t e)
{
    const struct problem_term *terms = p->terms + p->term_start[e];
    return score_sum(terms + 1, p->term_start[e + 1] - p->term_start[e] - 1, tables, columns, tables + terms[0].form * columns, terms[0].count);
}

static inline float score_form(const struct problem *p, const float *tables, size_t columns, uint32_t form, const float *fresh, float limit, float *errors)
{
    float sum = 0;
    for (uint32_t i = p->link_start[form]; i < p->link_start[form + 1]; i++) {
        const struct problem_link *link = &p->links[i];
        float t = score_sum(p->others + link->first, link->count, tables, columns, fresh, link->own);
        float error = fabsf(t * p->inverse[link->experiment] - p->weight[link->experiment]);
        *errors++ = error;
        sum += error;
        if (sum > limit)
            break;
    }
    return sum;
}
