/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/classes.h"

#include <math.h>
#include <string.h>

#include "base/names.h"
#include "base/watch.h"
#include "infer/congruence.h"

/* minimum number of common partners for two forms to be congruent */
#define SHARED 16
#define FORMS_LEFT 0.8

/* Makes a table of the problem's experiments. With @c, the table has one row per measurement, and
 * representatives in place of the forms. Without (NULL), it has one row per experiment. If
 * cancelled, the table is incomplete. The caller frees the result. */
static struct experiments *table_of(const struct problem *p, const struct congruence *c)
{
    struct experiments *t = experiments_new();
    struct flat_term *terms = mem_alloc((p->forms + 1) * sizeof *terms);

    for (size_t f = 0; f < p->forms; f++)
        names_add(&t->forms, p->names[f]);
    for (size_t e = 0; e < p->experiments && !watch_steps(1); e++) {
        uint32_t n = 0;
        for (uint32_t k = p->term_start[e]; k < p->term_start[e + 1]; k++) {
            uint32_t form = p->terms[k].form, class = c ? c->class_of[form] : UINT32_MAX;
            /* Several terms may now have the same form. experiments_add adds their counts. */
            terms[n++] = (struct flat_term){class == UINT32_MAX ? form : c->representative[class],
                                            (uint32_t)p->terms[k].count};
        }
        for (float weight = c ? p->weight[e] : 1; weight > 0 && !watch_steps(1 + n / 16); weight--)
            experiments_set(t, experiments_add(t, terms, n), (double)p->cycles[e], NAN, 1, NULL);
    }
    free(terms);
    return t;
}

struct classes *classes_new(const struct problem *whole)
{
    struct experiments *t = table_of(whole, NULL);
    struct congruence c;
    struct classes *q = NULL;

    congruence_find(t, CONGRUENCE_EPSILON, SHARED, false, &c);
    experiments_free(t);
    if (c.class_of && !watch_over() && (double)c.classes <= FORMS_LEFT * (double)whole->forms) {
        t = table_of(whole, &c);
        q = mem_zero(1, sizeof *q);
        q->p = watch_over() ? NULL : problem_new(t, NULL, NULL);
        experiments_free(t);
    }
    if (q && !q->p) {
        free(q);
        q = NULL;
    }
    if (q) {
        struct names names = {0};
        for (size_t f = 0; f < q->p->forms; f++)
            names_add(&names, q->p->names[f]);
        q->class_of = mem_alloc((whole->forms + 1) * sizeof *q->class_of);
        q->first = mem_alloc((q->p->forms + 1) * sizeof *q->first);
        for (uint32_t f = 0; f < whole->forms; f++) {
            uint32_t class = c.class_of[f],
                     first = class == UINT32_MAX ? f : c.representative[class];
            q->class_of[f] = names_find(&names, whole->names[first]);
            q->first[q->class_of[f]] = first;
        }
        names_done(&names);
    }
    congruence_done(&c);
    return q;
}

void classes_free(struct classes *q)
{
    if (!q)
        return;
    problem_free(q->p);
    free(q->class_of);
    free(q->first);
    free(q);
}

struct genome *classes_expand(const struct classes *q, const struct problem *whole,
                              const struct genome *g)
{
    struct genome *out = genome_new(whole->forms, g->ports, g->width);
    for (size_t f = 0; f < whole->forms; f++)
        out->genes[f] = g->genes[q->class_of[f]];
    return out;
}

struct genome *classes_project(const struct classes *q, const struct genome *g)
{
    struct genome *out = genome_new(q->p->forms, g->ports, g->width);
    for (size_t f = 0; f < q->p->forms; f++)
        out->genes[f] = g->genes[q->first[f]];
    return out;
}
