/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/chart.h"

#include <math.h>
#include <stdlib.h>

const char *const chart_stage_names[] = {"single forms", "core",  "ports", "places",
                                         "latencies",    "facts", "review"};
const char *const chart_state_names[] = {"not measured", "core", "placed", "unexplained"};

static void chart_form_done(struct chart_form *f)
{
    free(f->reason);
    free(f->rival);
    free(f->settle);
    free(f->check);
    for (unsigned i = 0; i < f->other_count; i++)
        usage_done(&f->others[i].usage);
    free(f->others);
}

void chart_free(struct chart *c)
{
    if (!c)
        return;
    machine_free(c->machine);
    experiments_free(c->table);
    for (size_t i = 0; i < c->form_count; i++)
        chart_form_done(&c->forms[i]);
    free(c->forms);
    for (size_t i = 0; i < c->ambiguities.count; i++)
        experiment_done(&c->ambiguities.items[i].experiment);
    vec_done(&c->ambiguities);
    for (size_t i = 0; i < c->checks.count; i++)
        experiment_done(&c->checks.items[i].experiment);
    vec_done(&c->checks);
    vec_done(&c->latencies);
    for (size_t i = 0; i < c->facts.count; i++) {
        free(c->facts.items[i].key);
        free(c->facts.items[i].value);
        free(c->facts.items[i].why);
    }
    vec_done(&c->facts);
    free(c->review.worst_block);
    free(c->review.suspects);
    free(c);
}

struct chart_tally chart_count(const struct chart *c)
{
    struct chart_tally t = {.timed = 0};

    for (size_t i = 0; i < c->form_count; i++) {
        const struct chart_form *f = &c->forms[i];
        bool has = f->state == CHART_IN_CORE || f->state == CHART_PLACED;
        t.of[f->state]++;
        t.timed += !isnan(f->alone);
        t.hidden += f->hidden;
        t.hidden_settled += f->hidden && f->settle;
        t.usages += has;
        t.sure += has && f->confidence >= 0.9;
        t.likely += has && f->confidence >= 0.5 && f->confidence < 0.9;
    }
    for (size_t i = 0; i < c->latencies.count; i++)
        t.latencies += !isnan(c->latencies.items[i].latency.cycles);
    for (size_t i = 0; i < c->facts.count; i++)
        t.facts += c->facts.items[i].value != NULL;
    return t;
}
