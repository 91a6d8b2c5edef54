/* Precomputed µop sums. For a fixed stock of port sets only certain sets of ports can ever bind: the unions of occurring sets that
 * hang together (a union of two parts that share no port is never fuller than its fuller part). These are the columns. A form's
 * row holds its mass within each column, rows add up as forms do, and the bound of an experiment is the largest sum / |column|.
 * Real mappings need 17 to 25 columns, one vector; all sets over 8 ports 255. */
#ifndef PORTOLAN_THROUGHPUT_UNIONS_H
#define PORTOLAN_THROUGHPUT_UNIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/portset.h"

#define UNIONS_LANES 32             /* columns come in groups of so many; a row is aligned to 64 bytes */
#define UNIONS_MASS_MAX 32767u      /* the mass of a whole experiment must not pass this when rows are summed */

/* A flat multiset of µops: what the throughput engine evaluates. */
struct mass {
    portset ports;    /* never empty */
    uint32_t count;   /* never 0 */
};

/* Groups of columns that share one sequence of sizes, so that their largest sums can be taken before dividing. */
struct union_run {
    uint32_t first, end;                    /* groups */
    float even[UNIONS_LANES / 2], odd[UNIONS_LANES / 2];   /* 1 / |column| of the even and odd columns; 0 in the padding */
};

struct unions {
    size_t count;               /* columns in use */
    size_t groups;              /* of UNIONS_LANES columns: a row is groups * UNIONS_LANES int16_t */
    portset *columns;           /* groups * UNIONS_LANES; 0 in the padding */
    struct union_run *runs;
    size_t run_count;
    double common;              /* least common multiple of the sizes: every bound is a whole number of 1 / common */
    unsigned largest;           /* size of the largest column */
};

/* Columns for the @n sets (none empty, repeats allowed), NULL when more than @limit are needed. Free with unions_free.
 * Immutable afterwards: any number of threads. */
struct unions *unions_new(const portset *sets, size_t n, size_t limit);
void unions_free(struct unions *u);
static inline size_t unions_row_size(const struct unions *u) { return u->groups * UNIONS_LANES; }
/* Storage for @rows rows, aligned as the engine likes it; free with free(). */
int16_t *unions_rows_new(const struct unions *u, size_t rows);
/* Fills @row for the µops of one form: each of their sets must be among those @u was made from. Returns their whole mass, or
 * UINT32_MAX, and a row of zeros, when it passes UNIONS_MASS_MAX. */
uint32_t unions_row(const struct unions *u, const struct mass *masses, size_t n, int16_t *row);

#endif
