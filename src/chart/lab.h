/* Experiments of a chart: requested one by one, measured in batches, kept in one table. One
 * thread. */
#ifndef PORTOLAN_CHART_LAB_H
#define PORTOLAN_CHART_LAB_H

#include <math.h>

#include "base/vec.h"
#include "chart/chart.h"

/* Cycles expected for a row. */
struct lab_expected {
    size_t row;
    double cycles;
};

struct lab {
    const struct chart_cpu *cpu;
    const struct chart_options *options;
    const struct chart_hooks *hooks;
    struct experiments *table;
    size_t measured;             /* rows of the table that were handed to the runner */
    VEC(struct lab_expected) expected;   /* of those that were not */
    unsigned resumed;
    enum chart_stage stage;
    const char *what;            /* of the current measurement */
    /* relative: of a time against the best mapping's prediction, larger on a real CPU than the
     * noise of measuring */
    double noise;
    /* times may be late (chart/residual.h), as those of the core are */
    bool late;
};

#define LAB_OFF 0.03
/* Relative deviation of a time that refutes a usage, where times have the noise @noise. */
static inline double noise_off(double noise)
{
    return fmax(LAB_OFF, 3 * noise);
}
static inline double lab_off(const struct lab *lab)
{
    return noise_off(lab->noise);
}

/* Requests @n forms of lab->table->forms; returns the row that will have its cycles. */
size_t lab_ask(struct lab *lab, const struct flat_term *terms, size_t n);
/* Predicts from other times that @row, not measured yet, takes @cycles: a single pass that agrees
 * is enough. */
void lab_expect(struct lab *lab, size_t row, double cycles);
/* Measures the requested rows. False with err when that is impossible or was cancelled; rows
 * without a stable time stay without. */
bool lab_measure(struct lab *lab, const char *what, struct err *err);
/* Cycles of a row, NaN when it has none. */
double lab_cycles(const struct lab *lab, size_t row);
/* False with err when the chart was cancelled. */
bool lab_goes_on(const struct lab *lab, struct err *err);
/* Frees the lab's own members. */
void lab_done(struct lab *lab);

#endif
