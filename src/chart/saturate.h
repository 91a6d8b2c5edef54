/* Finds saturators of port sets: multisets of a core's forms whose throughput is limited by one
 * port set, with a margin to all others. */
#ifndef PORTOLAN_CHART_SATURATE_H
#define PORTOLAN_CHART_SATURATE_H

#include <math.h>

#include "base/vec.h"
#include "chart/lab.h"
#include "chart/residual.h"
#include "model/mapping.h"

/* maximum number of columns: port sets that can limit an experiment */
#define COLUMNS_MOST 1024
#define SATURATOR_TERMS 3
#define LATTICE_LANES 16        /* the length of a row of columns is a multiple of this number */

/* Vector encoding of a form. Experiments do not mix legacy and VEX. */
enum vectors { VECTORS_NONE, VECTORS_LEGACY, VECTORS_VEX, VECTORS_KINDS };
enum vectors vectors_of(const char *form);

/* Port sets and, as columns, the unions of sets that can limit an experiment. The time of an
 * experiment in cycles is the largest quotient of a column's µops and ports. */
struct lattice {
    VEC(portset) sets;          /* port sets that a µop may have */
    /* number of sets that occur in the core; these are first in the list */
    size_t known;
    size_t columns;
    size_t stride;                 /* length of a row: @columns, rounded up to LATTICE_LANES */
    portset column[COLUMNS_MOST];
    float inverse[COLUMNS_MOST];   /* 1 / number of ports, per column; 0 beyond the columns */
    /* one row per port set: 1 in the columns that contain the set, otherwise 0 */
    float *within;
    double width;               /* issue slots per cycle */
    double noise;               /* standard deviation of times relative to a correct prediction */
    /* whether times of this CPU may exceed the port bound; initially false */
    bool above_ports;
};
/* relative standard deviation of times from a correct prediction */
#define SIGHT_NOISE 0.008
/* Returns the standard deviation of a time of @cycles, in cycles. */
static inline double sight_noise(double noise, double cycles)
{
    return noise * cycles + 0.003;
}
/* Returns the difference of two times of an experiment in standard deviations. */
static inline double sight_difference(double noise, double a, double b)
{
    return fabs(a - b) / sight_noise(noise, fmin(a, b));
}
/* Builds the lattice of the sets of @m. Adds in this order, up to COLUMNS_MOST columns:
 * intersections, single ports, pairs of ports. @out must be zeroed; @out->above_ports remains
 * false. If the sets of @m alone need more than COLUMNS_MOST columns, the lattice has none. */
void lattice_make(const struct mapping *m, double width, double noise, struct lattice *out);
void lattice_done(struct lattice *g);
/* Writes to @sum, which may be @row, the sums of @row with @count more µops of set number @set. */
void lattice_add(const struct lattice *g, size_t set, float count, const float *row, float *sum);
/* Returns the index of @set in g->sets; SIZE_MAX if the lattice lacks it. */
size_t lattice_set(const struct lattice *g, portset set);
/* Returns the cycles of the µop sums @row + @count * @more, of @slots issue slots, and of a pipe
 * that is blocked for @pipe cycles. */
double lattice_cycles(const struct lattice *g, const float *row, const float *more, float count,
                      double slots, double pipe);
/* Returns the cycles as lattice_cycles does, with @added more µops of set number @set in @row. */
double lattice_cycles_more(const struct lattice *g, const float *row, size_t set, float added,
                           const float *more, float count, double slots, double pipe);

struct saturator {
    portset ports;              /* ports that the saturator keeps busy; 0: the issue slots */
    enum vectors vectors;
    /* index of the entry in the mapping, and number of its executions */
    struct { size_t entry; uint32_t count; } terms[SATURATOR_TERMS];
    unsigned term_count;
    double cycles, slots;       /* cycles and issue slots of the saturator in isolation */
    /* relative margin by which @ports are busier than any set with other ports */
    double margin;
    float *row;                 /* sum of µops for each column of the lattice */
};
struct saturators {
    VEC(struct saturator) list;
};
/* Fills the empty @out with the best saturator for each port set and vector encoding. Skips
 * saturators with the same forms as one in @refused (may be NULL). */
void saturators_find(const struct mapping *m, const struct lattice *g,
                     const struct saturators *refused, struct saturators *out);
/* Returns whether @a and @b consist of the same forms, in any numbers. */
bool saturators_alike(const struct saturator *a, const struct saturator *b);
void saturators_done(struct saturators *s);

/* saturator_check.c: validates saturators by measurement. Only valid saturators are used to place
 * forms. */

/* Finds saturators like saturators_find, but measures each saturator in isolation. If a saturator
 * contradicts the core, such as stores that slow each other, tries the next best one for its ports.
 * If none is valid, these ports have no saturator. @form_of: for each entry of @m, its index in the
 * lab's table. Returns false with err on failure or when cancelled. One thread. */
bool saturators_validate(struct lab *lab, const struct mapping *m, const struct lattice *g,
                         const uint32_t *form_of, struct saturators *out, struct err *err);

#endif
