/* Experiments of a chart: requested singly, measured in batches, kept in one table. One thread. */
#ifndef PORTOLAN_CHART_LAB_H
#define PORTOLAN_CHART_LAB_H

#include <math.h>

#include "base/vec.h"
#include "chart/chart.h"

/* Predicted cycles for a row. */
struct lab_expected {
    size_t row;
    double cycles;
};

struct lab {
    const struct chart_cpu *cpu;
    const struct chart_options *options;
    const struct chart_hooks *hooks;
    struct experiments *table;
    size_t measured;             /* rows of the table passed to the runner */
    VEC(struct lab_expected) expected;   /* for rows not measured yet */
    unsigned resumed;
    enum chart_stage stage;
    const char *what;            /* name of the current measurement */
    /* relative noise of a time against the best mapping's prediction; on a real CPU larger than
     * that of measuring */
    double noise;
    /* times may be late (chart/residual.h), since some of the core are */
    bool late;
};

#define LAB_OFF 0.03
/* Relative deviation that refutes a usage, for times with noise @noise. */
static inline double noise_off(double noise)
{
    return fmax(LAB_OFF, 3 * noise);
}
static inline double lab_off(const struct lab *lab)
{
    return noise_off(lab->noise);
}

/* Requests @n forms of lab->table->forms; returns the row for its cycles. */
size_t lab_ask(struct lab *lab, const struct flat_term *terms, size_t n);
/* Sets the expected @cycles of the unmeasured @row: one pass that agrees suffices. */
void lab_expect(struct lab *lab, size_t row, double cycles);
/* Measures the requested rows. False with err when impossible or cancelled; unstable rows get no
 * time. */
bool lab_measure(struct lab *lab, const char *what, struct err *err);
/* Returns the cycles of a row, NaN if it has none. */
double lab_cycles(const struct lab *lab, size_t row);
/* Returns false with err when the chart was cancelled. */
bool lab_goes_on(const struct lab *lab, struct err *err);
/* Frees the lab's own members. */
void lab_done(struct lab *lab);

#endif
