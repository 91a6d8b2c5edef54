/* Experiments of a chart. They are requested one by one, measured in batches, and stored in one
 * table. One thread. */
#ifndef PORTOLAN_CHART_LAB_H
#define PORTOLAN_CHART_LAB_H

#include <math.h>

#include "base/vec.h"
#include "chart/chart.h"

/* Expected cycles of a row of the lab's table */
struct lab_expected {
    size_t row;
    double cycles;
};

struct lab {
    const struct chart_cpu *cpu;
    const struct chart_options *options;
    const struct chart_hooks *hooks;
    struct experiments *table;
    size_t measured;             /* number of rows of the table that were measured or failed */
    VEC(struct lab_expected) expected;   /* expectations for rows that are not measured yet */
    unsigned resumed;
    enum chart_stage stage;
    const char *what;            /* description of the current measurement, for messages */
    double shown;                /* time of the last lab_show, from clock_seconds */
    /* Relative deviation of times from the best mapping's prediction. On a real CPU, this deviation
     * exceeds the noise of measurements. */
    double noise;
    /* Whether some times of the core exceed the port bound (chart/residual.h). If so, times of
     * other forms may also exceed it. */
    bool above_ports;
};

#define LAB_OFF 0.03
/* Returns the relative deviation at which a saturator contradicts the core. */
static inline double lab_off(const struct lab *lab)
{
    return fmax(LAB_OFF, 3 * lab->noise);
}

/* Requests an experiment of @n forms of lab->table->forms. Returns its row in the table. */
size_t lab_ask(struct lab *lab, const struct flat_term *terms, size_t n);
/* Sets the expected cycles of @row, which is not yet measured. If the first measurement agrees with
 * @cycles, the row is not measured a second time. */
void lab_expect(struct lab *lab, size_t row, double cycles);
/* Measures the requested rows. A row without a stable time receives no time. @what describes the
 * rows in messages. Returns false with err on failure or when cancelled. */
bool lab_measure(struct lab *lab, const char *what, struct err *err);
/* Returns the cycles of a row; NaN if it has no time. */
double lab_cycles(const struct lab *lab, size_t row);
/* Returns whether lab_show is due: the hooks display mappings, and enough time has passed since the
 * last call. */
bool lab_show_due(const struct lab *lab);
/* Passes the current mapping @m to the hooks for display. */
void lab_show(struct lab *lab, const struct mapping *m);
/* Returns whether the chart continues; false with err if it was cancelled. */
bool lab_goes_on(const struct lab *lab, struct err *err);
void lab_done(struct lab *lab);

/* A form to be placed (chart/place.h) */
struct place_form {
    uint32_t form;          /* index of the form in the lab's table */
    double alone;           /* cycles of the form in isolation */
    /* Forms of one group probably have similar usages. The first form of a group is placed
     * first. */
    uint32_t group;
};

#endif
