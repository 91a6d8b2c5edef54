/* What tests of facts told by loops share: charts that have come to them, on simulated CPUs. */
#ifndef PORTOLAN_TESTS_CHARTED_FACTS_H
#define PORTOLAN_TESTS_CHARTED_FACTS_H

#include "charts.h"

/* A lab for what comes after the places. */
struct late_lab {
    struct chart_options options;
    struct chart_watch watch;
    struct chart_hooks hooks;
    struct lab lab;
};
/* @l on @cpu, which stays the caller's, as @l does. */
void lab_on(struct late_lab *l, const struct chart_cpu *cpu);
/* A chart that has come to @take_m, of the @n forms @names. The caller frees each of these by
 * chart_free. */
struct chart *chart_at(struct machine *take_m, const struct forms *forms, const char *const *names,
                       size_t n);
/* A chart of @cpu that knows no more than its issue width, the form @form, and the latency of one
 * addition, and what loops told of it. */
struct chart *chart_of_forms(const struct chart_cpu *cpu, double width, const struct forms *forms,
                             const char *const *form);
/* The same of "ADD (R64, R64)"; and of a simulated @truth. */
struct chart *facts_on(const struct chart_cpu *cpu, double width, struct forms *forms);
struct chart *facts_of(const struct machine *truth, struct forms *forms);
/* What it tells of @key; NULL: nothing. */
const struct chart_fact *fact_of(const struct chart *c, const char *key);

#endif
