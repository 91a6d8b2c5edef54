/* Saturators of port sets: multisets of a core's forms whose throughput one set of ports alone
 * decides, by a margin. */
#ifndef PORTOLAN_CHART_SATURATE_H
#define PORTOLAN_CHART_SATURATE_H

#include "base/vec.h"
#include "chart/residual.h"
#include "model/mapping.h"

#define COLUMNS_MOST 1024       /* sets of ports that can decide an experiment */
#define SATURATOR_TERMS 3
#define LATTICE_LANES 16        /* columns at once: four vectors */

/* Vectors in code of the old encoding and the new one are never mixed. */
enum vectors { VECTORS_NONE, VECTORS_LEGACY, VECTORS_VEX, VECTORS_KINDS };
enum vectors vectors_of(const char *form);

/* Sets of ports and the sums of µops within them: cycles of an experiment are the largest sum /
 * ports over all columns. */
struct lattice {
    VEC(portset) sets;          /* that µops may have */
    size_t known;               /* the first @of these occur in the core */
    size_t columns;
    portset column[COLUMNS_MOST];
    float inverse[COLUMNS_MOST];   /* 1 / ports */
    /* per set of sets, and column: 1 where the column holds the set, else 0 */
    float *within;
    double width;               /* issue slots per cycle */
    double noise;               /* relative, of a time against the true usages' prediction */
    bool late;                  /* times may be late; false until set */
};
/* Relative error of a time that is no more than noise. */
#define SIGHT_NOISE 0.008
/* The standard deviation of a time of @cycles, in cycles. */
static inline double sight_noise(double noise, double cycles)
{
    return noise * cycles + 0.003;
}
/* The squared deviation of a time in units of the noise, at most @most (LATE_MOST if late), so that
 * a wrong time does not decide. @by: the limit of lateness. */
static inline double sight_price(double noise, double predicted, double measured, double most,
                                 double by)
{
    return residual_cost((predicted - measured) / sight_noise(noise, measured), predicted, measured,
                         most, (struct residual_limit){by, RESIDUAL_COST_MOST});
}
/* Sets of @m, and others that may turn up, in this order while there is room: intersections, single
 * ports, pairs of ports. @out is all zero; it is not late. Without columns when even the sets of @m
 * need more than COLUMNS_MOST. */
void lattice_make(const struct mapping *m, double width, double noise, struct lattice *out);
void lattice_done(struct lattice *g);
/* Adds @count µops of set number @set to the sums of @row. */
static inline void lattice_add(const struct lattice *g, size_t set, float count, float *row)
{
    const float *within = g->within + set * g->columns;
    for (size_t c = 0; c < g->columns; c++)
        row[c] += count * within[c];
}
/* The number of @set, SIZE_MAX when it is none of the lattice's. */
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
/* Cycles of sums, @slots issue slots and a pipe that is held for @pipe cycles. A chart spends most
 * of its computing here: four maxima in registers do not wait for each other. */
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
    portset ports;              /* that it keeps busy; 0: the issue slots */
    enum vectors vectors;
    struct { size_t entry; uint32_t count; } terms[SATURATOR_TERMS];   /* entries of the mapping */
    unsigned term_count;
    double cycles, slots;       /* of it alone */
    double margin;              /* by how much sets with other ports are less busy, relative */
    bool even;                  /* a part of its ports is as busy as all of them */
    float *row;                 /* sums */
};
struct saturators {
    VEC(struct saturator) list;
};
/* Fills the empty @out with the best of each set of ports and kind of vectors; none of the same
 * forms as one of @refused, which may be NULL. */
void saturators_find(const struct mapping *m, const struct lattice *g,
                     const struct saturators *refused, struct saturators *out);
/* Whether both are made of the same forms, in whatever numbers. */
bool saturators_alike(const struct saturator *a, const struct saturator *b);
void saturators_done(struct saturators *s);

#endif
