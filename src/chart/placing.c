/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/placing.h"

#include <math.h>

struct saturator_level placing_level(const struct placer *p, const struct placing *f, size_t number)
{
    return saturator_level_at(&p->saturators, number, f->form->alone);
}

bool placing_available(const struct placer *p, const struct placing *f, size_t number)
{
    return !f->used[number] &&
           saturator_level_fits(&p->saturators, p->form_of, placing_level(p, f, number),
                                f->form->form, f->vectors);
}

void placing_ask(struct placer *p, struct placing *f, size_t number)
{
    struct saturator_level level = placing_level(p, f, number);
    const struct saturator *s = &p->saturators.list.items[level.saturator];
    struct flat_term terms[SATURATOR_TERMS + 1] = {{f->form->form, 1}};

    f->used[number] = true;
    for (unsigned i = 0; i < s->term_count; i++)
        terms[i + 1] =
            (struct flat_term){p->form_of[s->terms[i].entry], s->terms[i].count * level.count};
    vec_push(&f->asked, ((struct asked){level.saturator, lab_ask(p->lab, terms, s->term_count + 1),
                                        level.count}));
}

void placing_judge(struct placing *f)
{
    struct times_seen seen;

    f->guess.cost = guess_cost(&f->guess, &f->sights, INFINITY, &seen);
    f->worst = seen.worst;
    f->explained = times_explained(&seen);
}

void placing_add_other(struct placing *f, const struct guess *g)
{
    unsigned at = f->other_count < OTHERS_MOST ? f->other_count++ : OTHERS_MOST;

    for (; at && f->others[at - 1].cost > g->cost; at--)
        if (at < OTHERS_MOST)
            f->others[at] = f->others[at - 1];
    if (at < OTHERS_MOST)
        f->others[at] = *g;
}
