/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/consensus.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

#define UNSEEN_EACH 3          /* number of random experiments per measured one */
#define UNSEEN_FORM 10         /* minimum number of random experiments per form */
#define UNSEEN_MOST 4000
/* number of standard deviations at which a mapping is refuted; large, because the best mapping was
 * selected by its fit */
#define REFUTED 4

/* Returns the number of standard deviations by which the measurements favour @best over @g: the sum
 * of the differences of errors, divided by the root of their sum of squares (Vuong 1989, non-nested
 * models). */
static double difference(const struct problem *p, const struct genome *best, const struct genome *g)
{
    float *a = mem_alloc((p->experiments + 1) * sizeof *a),
          *b = mem_alloc((p->experiments + 1) * sizeof *b);
    double sum = 0, squares = 0;

    genome_predict(best, p, a);
    genome_predict(g, p, b);
    for (size_t i = 0; i < p->experiments; i++) {
        double differs = (double)(fabsf(b[i] * p->inverse[i] - p->weight[i]) -
                                  fabsf(a[i] * p->inverse[i] - p->weight[i]));
        sum += differs;
        squares += differs * differs;
    }
    free(a);
    free(b);
    return squares > 0 ? sum / sqrt(squares) : 0;
}

unsigned consensus_members(const struct problem *p, struct genome **members, unsigned n)
{
    unsigned left = n > 0;

    for (unsigned i = 1; i < n; i++)
        if (difference(p, members[0], members[i]) < REFUTED)
            members[left++] = members[i];
        else
            genome_free(members[i]);
    return left;
}

/* Draws @count different random forms, with one execution of each. Stores the forms in @terms. */
static void draw_terms(const struct problem *p, struct rng *rng, struct table_term *terms,
                       size_t count)
{
    for (size_t k = 0; k < count;) {
        terms[k] = (struct table_term){(uint32_t)rng_below(rng, p->forms), 1};
        size_t same = 0;
        while (terms[same].form != terms[k].form)
            same++;
        k += same == k;
    }
}

/* Returns @p with unmeasured experiments, each with the number of forms of a measured one or one
 * form more. Returns NULL if @p has only experiments of single forms, or if memory is exhausted.
 * The caller frees the result. */
static struct problem *add_unseen(const struct problem *p, struct rng *rng)
{
    /* @first: index of the first experiment with several forms; experiments are sorted by size. */
    size_t first = 0, terms = 0;

    while (first < p->experiments && p->term_start[first + 1] - p->term_start[first] < 2)
        first++;
    size_t several = p->experiments - first, count = UNSEEN_EACH * several > UNSEEN_FORM * p->forms
                                                         ? UNSEEN_EACH * several
                                                         : UNSEEN_FORM * p->forms;

    count = count < UNSEEN_MOST ? count : UNSEEN_MOST;
    if (several == 0)
        return NULL;
    uint32_t *start = mem_zero(count + 1, sizeof *start);
    for (size_t i = 0; i < count; i++) {
        size_t like = first + rng_below(rng, several);
        size_t size = p->term_start[like + 1] - p->term_start[like];
        /* An experiment has the size of a measured one, or one form more, because the mappings were
         * fitted to measured sizes. */
        terms += size + (size < p->forms ? rng_below(rng, 2) : 0);
        start[i + 1] = (uint32_t)terms;
    }
    struct table_term *drawn = mem_zero(terms + 1, sizeof *drawn);
    for (size_t i = 0; i < count; i++)
        draw_terms(p, rng, drawn + start[i], start[i + 1] - start[i]);
    struct err err = {0};
    struct problem *with = problem_extend(p, count, start, drawn, &err);
    err_clear(&err);
    free(start);
    free(drawn);
    return with;
}

struct problem *consensus_problem(const struct problem *p, struct genome *const *members, size_t n,
                                  struct rng *rng, double *disagreement)
{
    struct problem *with = add_unseen(p, rng);

    *disagreement = NAN;
    if (!with || n == 0)
        return with;
    float *cycles = mem_alloc((with->experiments + 1) * sizeof *cycles);
    double *sum = mem_zero(with->experiments + 1, sizeof *sum),
           *squares = mem_zero(with->experiments + 1, sizeof *squares), deviation = 0;
    for (size_t k = 0; k < n; k++) {
        genome_predict(members[k], with, cycles);
        for (size_t e = p->experiments; e < with->experiments; e++) {
            sum[e] += (double)cycles[e] / (double)n;
            squares[e] += (double)cycles[e] * (double)cycles[e] / (double)n;
        }
    }
    for (size_t e = p->experiments; e < with->experiments; e++)
        if (sum[e] > 0) {   /* An experiment without a predicted time has no relative error, so
                             * it is skipped. */
            problem_set(with, e, sum[e]);
            deviation += sqrt(fmax(squares[e] - sum[e] * sum[e], 0)) / sum[e];
        }
    *disagreement = deviation / (double)(with->experiments - p->experiments);
    free(cycles);
    free(sum);
    free(squares);
    return with;
}
