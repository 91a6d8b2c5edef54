/* Finished charts of simulated CPUs, for tests of facts that loops determine. */
#ifndef PORTOLAN_TESTS_CHARTED_FACTS_H
#define PORTOLAN_TESTS_CHARTED_FACTS_H

#include "charts.h"

/* A lab for the chart's stages after the placement of ports. */
struct stage_lab {
    struct chart_options options;
    struct chart_watch watch;
    struct chart_hooks hooks;
    struct lab lab;
};
/* Initialises @l for @cpu. The caller owns both. */
void lab_on(struct stage_lab *l, const struct chart_cpu *cpu);
/* Returns a chart of the @n forms @names of machine @take_m, in the state before the facts are
 * determined. The caller frees the chart with chart_free. */
struct chart *chart_at(struct machine *take_m, const struct forms *forms, const char *const *names,
                       size_t n);
/* Returns a chart of @cpu that has only the issue width, the form *@form, the latency of one
 * addition, and the facts determined by loops. */
struct chart *chart_of_forms(const struct chart_cpu *cpu, double width, const struct forms *forms,
                             const char *const *form);
/* facts_on is like chart_of_forms for "ADD (R64, R64)". facts_of does the same on a simulated CPU
 * that behaves like @truth. */
struct chart *facts_on(const struct chart_cpu *cpu, double width, struct forms *forms);
struct chart *facts_of(const struct machine *truth, struct forms *forms);
/* Returns the fact @key that @c determined, or NULL. */
const struct chart_fact *fact_of(const struct chart *c, const char *key);

#endif
