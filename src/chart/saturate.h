/* Finds saturators of port sets: multisets of a core's forms whose throughput one port set alone
 * limits, by a margin. */
#ifndef PORTOLAN_CHART_SATURATE_H
#define PORTOLAN_CHART_SATURATE_H

#include "base/vec.h"
#include "chart/lab.h"
#include "chart/residual.h"
#include "model/mapping.h"

#define COLUMNS_MOST 1024       /* port sets that can limit an experiment */
#define SATURATOR_TERMS 3
#define LATTICE_LANES 16        /* columns computed at once: four vectors */

/* Legacy and VEX vector encodings are never mixed. */
enum vectors { VECTORS_NONE, VECTORS_LEGACY, VECTORS_VEX, VECTORS_KINDS };
enum vectors vectors_of(const char *form);

/* Port sets and sums of µops within them: an experiment takes the largest sum / ports over all
 * columns, in cycles. */
struct lattice {
    VEC(portset) sets;          /* that µops may have */
    size_t known;               /* number of sets that occur in the core, which come first */
    size_t columns;
    portset column[COLUMNS_MOST];
    float inverse[COLUMNS_MOST];   /* 1 / number of ports */
    /* per port set and column: 1 if the column contains the set, else 0 */
    float *within;
    double width;               /* per cycle */
    double noise;               /* relative noise of a time against the true usages' prediction */
    bool late;                  /* times may be late; initially false */
};
/* Relative error within the noise. */
#define SIGHT_NOISE 0.008
/* Standard deviation of a time of @cycles, in cycles. */
static inline double sight_noise(double noise, double cycles)
{
    return noise * cycles + 0.003;
}
/* Squared deviation of a time in units of the noise, limited to @most (LATE_MOST if late), so that
 * a wrong time does not decide. @by: the limit of lateness. */
static inline double sight_price(double noise, double predicted, double measured, double most,
                                 double by)
{
    return residual_cost((predicted - measured) / sight_noise(noise, measured), predicted, measured,
                         most, (struct residual_limit){by, RESIDUAL_COST_MOST});
}
/* Makes the lattice of the sets of @m and, while there is room, in this order: intersections,
 * single ports, pairs of ports. @out must be zeroed; late is false. Without columns when the sets
 * of @m alone need more than COLUMNS_MOST. */
void lattice_make(const struct mapping *m, double width, double noise, struct lattice *out);
void lattice_done(struct lattice *g);
/* Adds @count µops of set number @set to the sums of @row. */
static inline void lattice_add(const struct lattice *g, size_t set, float count, float *row)
{
    const float *within = g->within + set * g->columns;
    for (size_t c = 0; c < g->columns; c++)
        row[c] += count * within[c];
}
/* Number of @set, SIZE_MAX if it is not in the lattice. */
size_t lattice_set(const struct lattice *g, portset set);
typedef float lattice_lanes __attribute__((vector_size(16)));
typedef float lattice_lanes_any __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t lattice_mask __attribute__((vector_size(16)));
static inline lattice_lanes lattice_max(lattice_lanes a, lattice_lanes b)
{
    lattice_mask greater = a > b;
    return (lattice_lanes)((greater & (lattice_mask)a) | (~greater & (lattice_mask)b));
}
/* Cycles of the four columns from @c on. */
static inline lattice_lanes lattice_four(const struct lattice *g, const float *row,
                                         const float *more, size_t c)
{
    return (*(const lattice_lanes_any *)(row + c) + *(const lattice_lanes_any *)(more + c)) *
           *(const lattice_lanes_any *)(g->inverse + c);
}
/* Cycles of sums, @slots issue slots and a pipe blocked for @pipe cycles. A chart spends most of
 * its computing time here: four independent maxima in registers. */
static inline double lattice_cycles(const struct lattice *g, const float *row, const float *more,
                                    double slots, double pipe)
{
    lattice_lanes one = {0}, two = {0}, three = {0}, four = {0};
    float most = 0;
    size_t c = 0;
    for (; c + LATTICE_LANES <= g->columns; c += LATTICE_LANES) {
        one = lattice_max(one, lattice_four(g, row, more, c));
        two = lattice_max(two, lattice_four(g, row, more, c + 4));
        three = lattice_max(three, lattice_four(g, row, more, c + 8));
        four = lattice_max(four, lattice_four(g, row, more, c + 12));
    }
    for (; c < g->columns; c++)
        most =
            (row[c] + more[c]) * g->inverse[c] > most ? (row[c] + more[c]) * g->inverse[c] : most;
    one = lattice_max(lattice_max(one, two), lattice_max(three, four));
    for (size_t lane = 0; lane < 4; lane++)
        most = one[lane] > most ? one[lane] : most;
    double ports = most > pipe ? most : pipe;
    return slots / g->width > ports ? slots / g->width : ports;
}

struct saturator {
    portset ports;              /* ports that it keeps busy; 0: the issue slots */
    enum vectors vectors;
    struct { size_t entry; uint32_t count; } terms[SATURATOR_TERMS];   /* entries of the mapping */
    unsigned term_count;
    double cycles, slots;       /* of the saturator alone */
    double margin;              /* relative margin to the next set of other ports */
    bool even;                  /* a proper part of its ports is equally busy */
    float *row;                 /* sums */
};
struct saturators {
    VEC(struct saturator) list;
};
/* Fills the empty @out with the best saturator for each port set and vector encoding; none with the
 * forms of one in @refused (may be NULL). */
void saturators_find(const struct mapping *m, const struct lattice *g,
                     const struct saturators *refused, struct saturators *out);
/* Returns whether both consist of the same forms, in any numbers. */
bool saturators_alike(const struct saturator *a, const struct saturator *b);
void saturators_done(struct saturators *s);

/* saturator_check.c: validates saturators by measurement. Only validated ones are used to place
 * forms. */

/* As saturators_find, but measures each saturator alone first. One that contradicts the core
 * (stores that slow each other, for example) is replaced by the next best for its ports; if none is
 * valid the ports have no saturator. @form_of: index into the lab's table, per entry of @m. False
 * with err when measuring is impossible or was cancelled. One thread. */
bool saturators_validate(struct lab *lab, const struct mapping *m, const struct lattice *g,
                         const uint32_t *form_of, struct saturators *out, struct err *err);

#endif
