/* A loop's streams, and its predicted and measured cycles per iteration for arrays of several
 * sizes. For `kernel memory` and views. */
#ifndef PORTOLAN_CMD_MEMORY_CURVE_H
#define PORTOLAN_CMD_MEMORY_CURVE_H

#include "analysis/kernel.h"
#include "analysis/memory_time.h"
#include "model/machine.h"

#define MEMORY_CURVE_POINTS 32
#define MEMORY_CURVE_LEAST 4096.0
#define MEMORY_CURVE_MOST 68719476736.0

struct memory_point {
    double bytes;                /* total size of all arrays */
    const char *level;           /* name of the cache level, or memory, of the arrays, a static
                                  * string; "" if it is unknown */
    struct memory_time time;     /* prediction; cycles NaN: the machine lacks memory costs */
    double moved;                /* bytes per iteration between the core and @level */
    double measured, spread;     /* cycles per iteration, and relative spread; NaN: not measured */
    /* measured cycles per iteration that were rejected because they are below a bound of the core;
     * NaN: none */
    double refuted;
    bool small;                  /* whether the arrays are too small for a measurement */
    bool contended;              /* whether another task slowed the core during the measurement */
    double clock_hz;             /* clock of the core during the measurement; 0: unknown */
    double huge;                 /* share of the arrays on huge pages during the measurement; NaN:
                                  * not measured */
    /* @block: block size in bytes of a faster blocked version; 0: none. @block_gain: speedup by
     * that version, as a ratio; 0: none. */
    double block, block_gain;
    const char *help;            /* most useful remedy; NULL: none */
    double gain;                 /* speedup by this remedy, as a ratio; 1: none */
};

struct memory_curve {
    const struct machine *machine;   /* counted reference */
    struct streams streams;
    struct memory_costs costs;
    bool known;                  /* whether memory costs are known */
    bool again;                  /* whether costs of shared levels were measured together with the
                                  * loop */
    struct err why;              /* reason why memory costs are unknown */
    struct memory_core core;
    const char *core_limit;      /* limit of the core, such as "core: ports" */
    double flops;                /* number of floating-point operations per iteration */
    double clock_hz;
    /* whether addresses change between iterations; otherwise the time is the same at all sizes */
    bool moves;
    size_t count;
    struct memory_point points[MEMORY_CURVE_POINTS];
    struct err small;            /* reason why the largest of the arrays with @small is too small */
    char bound[96];              /* name of the bound that refuted measured times
                                  * (bounds_refute) */
};

/* Predicts points from @from to @to bytes, each twice the size of the previous one. There are at
 * most MEMORY_CURVE_POINTS.
 * @joined: words such as `2=1+4160` (streams_join). @measured: costs of this CPU; NULL: the
 * machine's facts. Returns false with err. Any thread. The caller always calls
 * memory_curve_done. */
bool memory_curve_predict(struct memory_curve *c, const struct kernel *k, size_t loop,
                          struct machine *m, const struct memory_costs *measured, double from,
                          double to, const char *const *joined, size_t joined_count,
                          struct err *err);
/* Measures each point on this CPU, in about @seconds in total, with pages of 2 MiB if @huge and
 * available. @here: the machine is this CPU's, so a time below its bounds is measured again, and
 * omitted if it remains below them. Returns false with err on failure or when cancelled; points
 * measured before the error remain. */
bool memory_curve_measure(struct memory_curve *c, const struct kernel *k, size_t loop, bool here,
                          double seconds, bool huge, bool (*cancelled)(void *state), void *state,
                          struct err *err);
void memory_curve_done(struct memory_curve *c);
/* Parses a range such as "16K..512M", or a single size, in bytes (4K to 64G). Returns false with
 * err. Stores the range in *@from and *@to. */
bool memory_curve_sizes(const char *text, double *from, double *to, struct err *err);
/* Appends a size, such as "512K". */
void memory_size_print(double bytes, struct str *out);

#endif
