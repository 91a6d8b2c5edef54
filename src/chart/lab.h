/* Experiments of a chart: requested one by one, measured in batches, stored in one table. One
 * thread. */
#ifndef PORTOLAN_CHART_LAB_H
#define PORTOLAN_CHART_LAB_H

#include <math.h>

#include "base/vec.h"
#include "chart/chart.h"

/* Predicted cycles of a row of the lab's table. */
struct lab_expected {
    size_t row;
    double cycles;
};

struct lab {
    const struct chart_cpu *cpu;
    const struct chart_options *options;
    const struct chart_hooks *hooks;
    struct experiments *table;
    size_t measured;             /* number of rows of the table that were passed to the runner */
    VEC(struct lab_expected) expected;   /* predictions of rows that are not yet measured */
    unsigned resumed;
    enum chart_stage stage;
    const char *what;            /* name of the current measurement, for messages */
    double shown;                /* clock_seconds of the last lab_show */
    /* Relative deviation of a time from the best mapping's prediction. On a real CPU it exceeds the
     * noise of measurement. */
    double noise;
    /* Times may exceed the port bound (chart/residual.h), because some of the core do. */
    bool late;
};

#define LAB_OFF 0.03
/* Returns the relative deviation that refutes a usage, for times with noise @noise. */
static inline double noise_off(double noise)
{
    return fmax(LAB_OFF, 3 * noise);
}
static inline double lab_off(const struct lab *lab)
{
    return noise_off(lab->noise);
}

/* Requests an experiment of @n forms of lab->table->forms. Returns the row that will have its
 * cycles. */
size_t lab_ask(struct lab *lab, const struct flat_term *terms, size_t n);
/* Sets the predicted @cycles of the unmeasured @row. A first pass that agrees needs no
 * repetition. */
void lab_expect(struct lab *lab, size_t row, double cycles);
/* Measures the requested rows. False with err on failure or when cancelled. Unstable rows have no
 * time. */
bool lab_measure(struct lab *lab, const char *what, struct err *err);
/* Returns the cycles of a row; NaN if it has no time. */
double lab_cycles(const struct lab *lab, size_t row);
/* Returns whether lab_show may be called now: its mapping is used, and it is not called often. */
bool lab_show_due(const struct lab *lab);
/* Passes the mapping so far to the hooks, for display. */
void lab_show(struct lab *lab, const struct mapping *m);
/* Returns false with err when the chart was cancelled. */
bool lab_goes_on(const struct lab *lab, struct err *err);
/* Frees the members that the lab owns. */
void lab_done(struct lab *lab);

#endif
