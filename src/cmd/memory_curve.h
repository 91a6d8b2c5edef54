/* A loop over the size of its arrays: its streams, and predicted and measured cycles per iteration
 * at several sizes. Shown by `kernel memory` and views. */
#ifndef PORTOLAN_CMD_MEMORY_CURVE_H
#define PORTOLAN_CMD_MEMORY_CURVE_H

#include "analysis/kernel.h"
#include "analysis/memory_time.h"
#include "model/machine.h"

#define MEMORY_CURVE_POINTS 32
#define MEMORY_CURVE_LEAST 4096.0
#define MEMORY_CURVE_MOST 68719476736.0

struct memory_point {
    double bytes;                /* of all arrays together */
    const char *level;           /* cache level of that size */
    struct memory_time time;     /* predicted; cycles NaN: the machine lacks memory costs */
    double moved;                /* bytes per iteration between the core and that level */
    double measured, spread;     /* NaN: not measured */
    /* measured cycles per iteration, rejected as below a bound of the core; NaN: none */
    double refuted;
    double huge;                 /* share of huge pages in the measurement */
    /* block size in bytes, and number of passes over each block from which blocking is faster; 0:
     * none */
    double block, block_gain;
    const char *help;            /* the most useful remedy; NULL: none */
    double gain;                 /* factor of its gain */
};

struct memory_curve {
    const struct machine *machine;   /* held */
    struct streams streams;
    struct memory_costs costs;
    bool known;                  /* memory costs are known */
    bool again;                  /* those of shared levels were measured together with the loop */
    struct err why;              /* why they are not */
    struct memory_core core;
    const char *core_limit;      /* limit of the core: "core: ports", ... */
    double flops;                /* per iteration; 0: none */
    double clock_hz;
    bool moves;                  /* it has moving accesses; if not, all sizes are equal */
    size_t count;
    struct memory_point points[MEMORY_CURVE_POINTS];
    char bound[96];              /* that times were below (bounds_refute) */
};

/* Predicts @count points from @from to @to bytes in steps of about a factor of two. @joined: words
 * as `2=1+4160` (streams_join). @measured: costs of this CPU, NULL for the machine's facts. False
 * with err. Any thread; memory_curve_done in either case. */
bool memory_curve_predict(struct memory_curve *c, const struct kernel *k, size_t loop,
                          struct machine *m, const struct memory_costs *measured, double from,
                          double to, const char *const *joined, size_t joined_count,
                          struct err *err);
/* Measures each point on this CPU, about @seconds in all. @here: the machine is this CPU's, and a
 * time that its bounds refute is measured again, and then left out. False with err: as
 * layout_arrays and kernel_arrays_measure; points measured by then stay. */
bool memory_curve_measure(struct memory_curve *c, const struct kernel *k, size_t loop, bool here,
                          double seconds, bool huge, bool (*cancelled)(void *state), void *state,
                          struct err *err);
void memory_curve_done(struct memory_curve *c);
/* Parses "16K..512M" or a single size. False with err. */
bool memory_curve_sizes(const char *text, double *from, double *to, struct err *err);
/* Appends "512K". */
void memory_size_print(double bytes, struct str *out);

#endif
