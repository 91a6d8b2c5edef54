/* Float tables (throughput/tables.h), compiled per instruction set. The including file includes
 * throughput/lanes.h and defines larger() and largest(). */
#include <math.h>

/* Returns the mass of @gene's µops that fit in the sets of one vector of columns. */
static inline flanes table_mass(const struct gene *gene, const portset *sets)
{
    lanes outside = ~*(const lanes_aligned *)sets, sum = {0};
    for (unsigned i = 0; i < gene->uops; i++)
        sum += (lanes)((outside & (uint32_t)gene->set[i]) == 0) & (uint32_t)gene->count[i];
    return as_floats(sum);
}

static inline void table_fill(const struct gene *gene, const struct columns *columns,
                              unsigned first, double width, float *table)
{
    size_t end = columns_lanes(columns->count);

    for (size_t q = first / LANES * LANES; q < end; q += LANES)
        *(flanes_aligned *)(table + q) = table_mass(gene, columns->sets + q) *
                                         *(const flanes_aligned *)(columns->reciprocal + q);
    if (first < LANES)
        table[0] = width > 0 ? (float)((double)gene->slots / width) : 0;
}

static inline flanes table_sum(const struct table_term *others, uint32_t n, const float *tables,
                               size_t stride, size_t end, const float *fresh, float own)
{
    flanes best = {0};

    if (n == 0) {
        for (size_t q = 0; q < end; q += LANES)
            best = larger(best, *(const flanes_aligned *)(fresh + q));
        return best * own;
    }
    const float *a = tables + others[0].form * stride;
    float na = others[0].count;
    if (n == 1 && own == 1 && na == 1) {
        for (size_t q = 0; q < end; q += LANES)
            best = larger(best,
                          *(const flanes_aligned *)(fresh + q) + *(const flanes_aligned *)(a + q));
        return best;
    }
    if (n == 1) {
        for (size_t q = 0; q < end; q += LANES)
            best = larger(best, *(const flanes_aligned *)(fresh + q) * own +
                                    *(const flanes_aligned *)(a + q) * na);
        return best;
    }
    const float *b = tables + others[1].form * stride;
    float nb = others[1].count;
    if (n == 2) {
        for (size_t q = 0; q < end; q += LANES)
            best = larger(best, *(const flanes_aligned *)(fresh + q) * own +
                                    *(const flanes_aligned *)(a + q) * na +
                                    *(const flanes_aligned *)(b + q) * nb);
        return best;
    }
    for (size_t q = 0; q < end; q += LANES) {
        flanes sum = *(const flanes_aligned *)(fresh + q) * own;
        for (uint32_t k = 0; k < n; k++)
            sum +=
                *(const flanes_aligned *)(tables + others[k].form * stride + q) * others[k].count;
        best = larger(best, sum);
    }
    return best;
}

/* Continues an evaluation over the columns from @first. The tables of other forms lack these
 * columns, which are therefore computed from the genes. */
static inline flanes table_new(const struct tables *t, const struct table_term *others, uint32_t n,
                               size_t first, const float *fresh, float own, flanes best)
{
    size_t end = columns_lanes(t->columns->count);

    if (first == 0) {   /* Handles the issue bound separately, because it has no port set. */
        float issue = fresh[0] * own;
        for (uint32_t k = 0; k < n; k++)
            issue += t->values[others[k].form * t->stride] * others[k].count;
        best[0] = issue;
    }
    for (size_t q = first; q < end; q += LANES) {
        flanes sum = {0};
        for (uint32_t k = 0; k < n; k++)
            sum += table_mass(&t->genes[others[k].form], t->columns->sets + q) * others[k].count;
        best = larger(best, sum * *(const flanes_aligned *)(t->columns->reciprocal + q) +
                                *(const flanes_aligned *)(fresh + q) * own);
    }
    return best;
}

static inline float table_cycles(const struct tables *t, uint32_t e)
{
    const struct table_term *terms = t->terms + t->term_start[e];
    uint32_t n = t->term_start[e + 1] - t->term_start[e] - 1;
    return largest(table_sum(terms + 1, n, t->values, t->stride, columns_lanes(t->columns->count),
                             t->values + terms[0].form * t->stride, terms[0].count));
}

static inline float table_errors(const struct tables *t, size_t ready, uint32_t form,
                                 const float *fresh, float limit, float *errors)
{
    bool more = ready < t->columns->count;
    float sum = 0;

    ready = more ? ready : columns_lanes(t->columns->count);
    for (uint32_t i = t->link_start[form]; i < t->link_start[form + 1]; i++) {
        const struct table_link *link = &t->links[i];
        const struct table_term *others = t->others + link->first;
        flanes best = table_sum(others, link->count, t->values, t->stride, ready, fresh, link->own);
        if (more)
            best = table_new(t, others, link->count, ready, fresh, link->own, best);
        float error =
            fabsf(largest(best) * t->inverse[link->experiment] - t->weight[link->experiment]);
        *errors++ = error;
        sum += error;
        if (sum > limit)
            break;
    }
    return sum;
}
